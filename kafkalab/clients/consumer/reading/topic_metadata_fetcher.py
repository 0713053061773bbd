"""TopicMetadataFetcher: partition numbers of topics, requested beside the consumer's own metadata
(internals.TopicMetadataFetcher)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from kafkalab.clients.consumer.reading.consumer_network import ConsumerNetwork
from kafkalab.clients.network.metadata import topic_name
from kafkalab.errors import (
    Errors,
    InvalidTopicException,
    KafkaException,
    TimeoutException,
    error_for,
)
from kafkalab.protocol.messages import MetadataRequest, MetadataRequestTopic, MetadataResponse

Found = TypeVar("Found")


class TopicMetadataFetcher:
    """Sends METADATA requests of its own and waits for their answers."""

    def __init__(self, network: ConsumerNetwork, retry_backoff_ms: int) -> None:
        self._network, self._retry_backoff_ms = network, retry_backoff_ms

    def partitions_of(self, topic: str, auto_create: bool, limit_ms: int) -> list[int]:
        """Partition numbers of a topic, [] for one that does not exist. Raises TimeoutException,
        and InvalidTopicException for a name that no topic can have."""
        request = MetadataRequest(
            topics=(MetadataRequestTopic(name=topic),), allow_auto_topic_creation=auto_create
        )
        return self._ask(request, _numbers_of_one, limit_ms)

    def all_topics(self, limit_ms: int) -> dict[str, list[int]]:
        """Every topic with its partition numbers. Raises TimeoutException."""
        return self._ask(MetadataRequest(topics=None), _numbers_of_all, limit_ms)

    def _ask(
        self,
        request: MetadataRequest,
        read: Callable[[MetadataResponse], Found | None],
        limit_ms: int,
    ) -> Found:
        """read: makes the result of an answer, None where the request must be repeated."""
        timer = self._network.timer(limit_ms)
        while not timer.expired:
            node = self._network.least_loaded_node()
            if node is not None:
                future = self._network.send(node, request)
                self._network.poll_until(future, timer)
                if future.succeeded:
                    found = read(future.value.message)
                    if found is not None:
                        return found
            self._network.sleep(min(self._retry_backoff_ms, timer.remaining_ms))
        raise TimeoutException("Timeout expired while fetching topic metadata")


def _numbers_of_one(answer: MetadataResponse) -> list[int] | None:
    topic = answer.topics[0]
    error = error_for(topic.error_code)
    if error is Errors.NONE:
        return sorted(p.partition_index for p in topic.partitions)
    if error is Errors.UNKNOWN_TOPIC_OR_PARTITION:
        return []
    if error is Errors.INVALID_TOPIC_EXCEPTION:
        raise InvalidTopicException(f"Topic '{topic.name}' is invalid")
    if not error.retriable:
        raise KafkaException(
            f"Unexpected error fetching metadata for topic {topic.name}"
        ) from error.exception()
    return None


def _numbers_of_all(answer: MetadataResponse) -> dict[str, list[int]]:
    return {
        topic_name(topic): sorted(p.partition_index for p in topic.partitions)
        for topic in sorted(answer.topics, key=topic_name)
        if topic.error_code == Errors.NONE.code
    }
