"""What a consumer can be asked besides records: offsets, lag, metrics, topics. The part of KafkaConsumer that changes nothing.

Questions about the cluster go out as requests of their own, beside the consumer's work, and wait for default.api.timeout.ms at most.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafkalab.clients.consumer.reading.offset_fetcher import EARLIEST, LATEST
from kafkalab.clients.network import arguments
from kafkalab.clients.network.metrics import MetricValues
from kafkalab.errors import Errors, IllegalArgumentException, TimeoutException, error_for
from kafkalab.protocol.messages import MetadataRequest, MetadataRequestTopic, MetadataResponse
from kafkalab.records import OffsetAndTimestamp, TopicPartition


class ConsumerQueries:
    """Mixed into KafkaConsumer, whose parts it uses."""

    # offsets

    def beginning_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The log start of each partition. Raises TimeoutException."""
        return self._offsets_at("beginning_offsets", dict.fromkeys(arguments.partitions("beginning_offsets", partitions), EARLIEST))

    def end_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """Where each partition ends for this reader: at the high watermark, with read_committed at the last stable offset."""
        return self._offsets_at("end_offsets", dict.fromkeys(arguments.partitions("end_offsets", partitions), LATEST))

    def _offsets_at(self, what: str, timestamps: Mapping[TopicPartition, int]) -> dict[TopicPartition, int]:
        with self._calling(what, partitions=list(map(str, timestamps))):
            found = self._offsets.found_by_time(timestamps, self.config["default.api.timeout.ms"])
            return {tp: answer.offset for tp, answer in found.items()}

    def offsets_for_times(self, timestamps_to_search: Mapping[TopicPartition, int]) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """The first record of each partition that is not older than this (epoch milliseconds); None where all are.

        Raises IllegalArgumentException for a negative time, TimeoutException.
        """
        arguments.mapped("offsets_for_times", timestamps_to_search, int, "milliseconds for each TopicPartition, such as {TopicPartition('t', 0): 1000}",
                         keys=TopicPartition)
        for tp, time_ms in timestamps_to_search.items():
            if time_ms < 0:
                raise IllegalArgumentException(f"The target time for partition {tp} is {time_ms}. The target time cannot be negative.")
        with self._calling("offsets_for_times", partitions=list(map(str, timestamps_to_search))):
            found = self._offsets.found_by_time(timestamps_to_search, self.config["default.api.timeout.ms"])
            return {tp: None if answer.offset < 0 else OffsetAndTimestamp(answer.offset, answer.timestamp) for tp, answer in found.items()}

    def current_lag(self, partition: TopicPartition) -> int | None:
        """How many records lie before this reader, as its last fetch told it; None while none has (KIP-695, 2.8).

        Raises IllegalStateException for a partition it does not read.
        """
        self._state(partition)
        return self._subscriptions.lag(partition, self.config["isolation.level"])

    # what it reads

    def subscription(self) -> list[str]:
        """The topics it has subscribed to; empty with assign()."""
        self._check_open()
        return list(self._subscriptions.topics) if self._subscriptions.auto_assigned else []

    def paused(self) -> list[TopicPartition]:
        """The partitions it does not fetch at present."""
        self._check_open()
        return sorted(tp for tp, state in self._subscriptions.partitions.items() if state.paused)

    # counting

    def metrics(self) -> MetricValues:
        """What it has counted so far, under Kafka's names (`consumer_metrics`)."""
        return self._metrics.values(self._lab.now_ms)

    # the cluster

    def partitions_for(self, topic: str) -> list[int]:
        """Partition numbers of a topic, [] for one that does not exist. Topics not read here are asked for with a METADATA request of its
        own, beside the client's (TopicMetadataFetcher). Raises TimeoutException."""
        with self._calling("partitions_for", topic=topic):
            known = self._client.metadata.view.topics.get(topic)
            if known is not None:
                return [p.partition for p in known]
            request = MetadataRequest(topics=(MetadataRequestTopic(name=topic),),
                                      allow_auto_topic_creation=self._client.settings.allow_auto_topic_creation)
            return self._ask_metadata(request, _numbers_of_one)

    def list_topics(self) -> dict[str, list[int]]:
        """Every topic with its partition numbers. Raises TimeoutException."""
        with self._calling("list_topics"):
            return self._ask_metadata(MetadataRequest(topics=None), _numbers_of_all)

    def _ask_metadata(self, request: MetadataRequest, read: Callable[[MetadataResponse], Any]) -> Any:
        """read: the answer's use, None where it must be asked again."""
        limit_ms = self.config["default.api.timeout.ms"]
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
            self._network.sleep(min(self.config["retry.backoff.ms"], timer.remaining_ms))
        raise TimeoutException(f"Timeout expired while fetching topic metadata within {limit_ms}ms")


def _numbers_of_one(answer: MetadataResponse) -> list[int] | None:
    topic = answer.topics[0]
    error = error_for(topic.error_code)
    if error is Errors.NONE:
        return sorted(p.partition_index for p in topic.partitions)
    if error is Errors.UNKNOWN_TOPIC_OR_PARTITION:
        return []
    if not error.retriable:
        raise error.exception()
    return None


def _numbers_of_all(answer: MetadataResponse) -> dict[str, list[int]]:
    return {topic.name: sorted(p.partition_index for p in topic.partitions)
            for topic in sorted(answer.topics, key=lambda topic: topic.name) if topic.error_code == Errors.NONE.code}
