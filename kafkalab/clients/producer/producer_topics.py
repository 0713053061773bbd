"""ProducerTopics: the topics a producer asks about; send() waits here for their metadata
(internals.ProducerMetadata, waitOnMetadata).

A producer asks about a topic from the topic's first record on. From 2.5 on the topic is forgotten
when nothing was sent to it for metadata.max.idle.ms (KIP-526); before, when five minutes had passed
since the first METADATA answer after its last record.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkalab.clients.network.client_setup import ClientSetup
from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.network.metadata import ClusterView
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.producer.partitioner_cluster import Cluster
from kafkalab.errors import KafkaException, TimeoutException
from kafkalab.sim.apps import Signal

IDLE_MS_UNTIL_2_4 = 300_000
"""TOPIC_EXPIRY_MS, before it became a setting."""


class ProducerTopics:
    """The topics of one producer. wait(signal, deadline_ms): how the caller blocks.

    closed  the producer is closed: callers no longer wait for metadata
    """

    _client: NetworkClient
    """The client that `attach` sets; it is not read before."""

    def __init__(
        self, setup: ClientSetup, log: LogContext, wait: Callable[[Signal, int], bool]
    ) -> None:
        self.closed = False
        self._expires_ms: dict[str, int | None] = {}
        self._new: dict[str, None] = {}
        self._waiting: list[Signal] = []
        self._profile, self._clock = setup.profile, setup.lab.clock
        # None where the version has no such setting
        self._idle_ms: int | None = setup.config.get("metadata.max.idle.ms")
        self._limit_ms: int = setup.config["max.block.ms"]
        self._log = log
        self._wait = wait
        self._seen: tuple[ClusterView, Cluster] | None = None

    def attach(self, client: NetworkClient) -> None:
        self._client, self._metadata = client, client.metadata
        self._metadata.still_wants = self.retain
        if self._profile.producing.sends_request_topic_updates:
            self._metadata.new_topics = lambda: list(self._new)

    @property
    def cluster(self) -> Cluster:
        """The cluster as partitioners see it; made once for each METADATA answer."""
        view = self._metadata.view
        if self._seen is None or self._seen[0] is not view:
            cluster = Cluster(view, self._profile.connecting.cluster_in_hash_order)
            self._seen = (view, cluster)
        return self._seen[1]

    def close(self) -> None:
        """Callers no longer wait for metadata: those that wait get an error."""
        self.closed = True
        for signal in self._waiting:
            signal.set()

    def __call__(self) -> list[str]:
        """The topics of the next METADATA request."""
        return list(self._expires_ms)

    def add(self, topic: str) -> None:
        """A caller sends to this topic: METADATA asks about it, and goes on asking for a while."""
        is_new = topic not in self._expires_ms
        self._expires_ms[topic] = (
            None if self._idle_ms is None else self._clock.now_ms + self._idle_ms
        )
        if is_new:
            self._new[topic] = None
            if topic not in self._metadata.view.topics:
                self._metadata.request_update_for_new_topics()

    def retain(self, topic: str) -> bool:
        """Whether a topic of an answer is still wanted (retainTopic)."""
        if topic not in self._expires_ms:
            return False
        expires_ms = self._expires_ms[topic]
        if expires_ms is None:
            self._expires_ms[topic] = self._clock.now_ms + IDLE_MS_UNTIL_2_4
        elif topic in self._new:
            del self._new[topic]
        elif expires_ms <= self._clock.now_ms:
            self._log(
                "TOPIC_FORGOTTEN", topic=topic, expiry_ms=expires_ms, at_ms=self._clock.now_ms
            )
            del self._expires_ms[topic]
            return False
        return True

    def wait_for(self, topic: str, partition: int | None, deadline_ms: int) -> ClusterView:
        """Asks again and again until the topic, and the partition, are known. Raises
        TimeoutException, or the brokers' error."""
        metadata, began_ms = self._metadata, self._clock.now_ms
        answered: list[Any] = []
        self.add(topic)
        while True:
            known = metadata.view.topics.get(topic)
            if known is not None and (partition is None or partition < len(known)):
                if answered:
                    self._goes_on(topic, answered[-1], self._clock.now_ms - began_ms)
                return metadata.view
            if partition is None:
                self._log("METADATA_WANTED_FOR_TOPIC", topic=topic)
            else:
                self._log("METADATA_WANTED_FOR_PARTITION", topic=topic, partition=partition)
            self.add(topic)
            version = self._request(topic)
            self._client.selector.wakeup()
            while (
                metadata.update_version <= version
                and self._clock.now_ms < deadline_ms
                and not self.closed
            ):
                self._waiting = [signal for signal in self._waiting if not signal.is_set] + [
                    metadata.updated_signal()
                ]
                self._waiting[-1].tell(lambda: answered.append(self._clock.cause))
                self._wait(self._waiting[-1], deadline_ms)
            if self.closed:
                raise KafkaException("Requested metadata update after close")
            self._raise_fatal(topic)
            if self._clock.now_ms >= deadline_ms:
                count = None if known is None else len(known)
                raise TimeoutException(
                    self._profile.producing.missing_topic_text(
                        topic, partition, count, self._limit_ms
                    )
                )

    def _goes_on(self, topic: str, answer: int | None, waited_ms: int) -> None:
        """The answer that the caller waited for is the cause of its next events; the event names
        the call as well."""
        journal = self._log.journal
        call, journal.cause = journal.cause, answer
        journal.cause = journal.note(
            "metadata.awaited", self._log.who, topic=topic, waited_ms=waited_ms, call=call
        )

    def wait_for_id(self, topic: str, deadline_ms: int) -> None:
        """Asks until the topic's id is known, or the time is over."""
        metadata = self._metadata
        self.add(topic)
        while topic not in metadata.topic_ids and self._clock.now_ms < deadline_ms:
            version = metadata.request_update_for_new_topics()
            self._client.selector.wakeup()
            while metadata.update_version <= version and self._clock.now_ms < deadline_ms:
                self._wait(metadata.updated_signal(), deadline_ms)

    def _raise_fatal(self, topic: str) -> None:
        """Raises for a topic that waiting cannot bring (Metadata.maybeThrowExceptionForTopic)."""
        error = self._metadata.error_topics.get(topic)
        if error is not None and not error.retriable:
            raise error.exception(f"Invalid topics: [{topic}]")

    def _request(self, topic: str) -> int:
        """Asks for the topic, for the first time without a backoff (2.5); returns the version that
        will be outdated then."""
        metadata = self._metadata
        version = metadata.update_version
        if topic in self._new and self._profile.producing.sends_request_topic_updates:
            metadata.request_update_for_new_topics()
        else:
            metadata.request_update()
        return version
