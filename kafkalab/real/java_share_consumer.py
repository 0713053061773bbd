"""JavaShareConsumer: a released org.apache.kafka.clients.consumer.KafkaShareConsumer with the words
of the simulator's (KIP-932)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from kafkalab.clients.network import arguments
from kafkalab.errors import (
    IllegalArgumentException,
    NoSuchName,
    UnsupportedVersionException,
)
from kafkalab.real.java_client import as_java, call_back
from kafkalab.real.java_errors import python_error
from kafkalab.real.java_process import items_of
from kafkalab.real.java_reader import JavaReader
from kafkalab.real.java_records import partition_from, record_from
from kafkalab.records import ConsumerRecord, ConsumerRecords, TopicPartition

ShareResults = dict[TopicPartition, BaseException | None]
"""Partition -> why its acknowledgements failed; None where they were taken."""
TYPES = ("ACCEPT", "RELEASE", "REJECT", "RENEW")


class JavaShareConsumer(JavaReader):
    """A share consumer of a real lab, for releases from 4.4 on. It belongs to one thread at a time.

    The jars of 3.9 and 4.0 have the class, too, for brokers of an early access. It can be made, and
    poll() ends in UnsupportedVersionException, for brokers 4.4 do not speak its versions any more.
    Clients up to 3.6 have no such class.
    """

    kind = "shareconsumer"
    shown = "KafkaShareConsumer"

    def default_name(self, config: Mapping[str, Any]) -> str:
        """`consumer-workers-1`, as Java names a member of the group workers."""
        return f"consumer-{config.get('group.id')}-1"

    def make(self, properties: Any) -> Any:
        """The Java share consumer. Raises UnsupportedVersionException for a release without one."""
        found = self.java.jvm.org.apache.kafka.clients.consumer
        if not callable(found.KafkaShareConsumer):
            raise UnsupportedVersionException(
                f"client {self.version} has no share consumer; take version='4.4'"
            )
        return found.KafkaShareConsumer(properties)

    def subscribe(self, topics: Iterable[str]) -> None:
        """Subscribe to topics by name; a later poll joins the group."""
        arguments.topic_list(topics)
        wanted = list(topics)
        self._call(lambda: self._object.subscribe(self.java.array_list(wanted)))

    def unsubscribe(self) -> None:
        """Give back what it holds, leave the group and forget the subscription."""
        self._call(self._object.unsubscribe)

    def poll(self, timeout_ms: int = 0) -> ConsumerRecords:
        """Records that this member has acquired, within `timeout_ms`. Each has a `delivery_count`.
        Errors are those of Java's poll()."""
        return self._polled(timeout_ms, _delivered)

    def acknowledge(self, record: ConsumerRecord, type: Any = "accept") -> None:
        """Say what became of a record: an AcknowledgeType or its name. The next poll, commit or
        close sends it. Raises IllegalStateException as Java does."""
        name = str(getattr(type, "name", type)).upper()
        if name not in TYPES:
            raise IllegalArgumentException(
                f"acknowledge() takes accept, release, reject or renew, not {type!r}"
            )
        if not isinstance(record, ConsumerRecord):
            raise IllegalArgumentException(
                f"acknowledge() takes a record that poll() returned, not {record!r}"
            )

        def into_java() -> None:
            # Java finds the record that it holds by topic, partition and offset.
            room = self.java.jvm.org.apache.kafka.clients.consumer
            same = room.ConsumerRecord(record.topic, record.partition, record.offset, None, None)
            self._object.acknowledge(same, room.AcknowledgeType.valueOf(name))

        self._call(into_java)

    def commit_sync(self, timeout_ms: int | None = None) -> ShareResults:
        """Send the acknowledgements and wait. Returns for each partition None, or why they were
        refused. Raises TimeoutException."""

        def into_java() -> ShareResults:
            limit = [] if timeout_ms is None else [self.java.duration(timeout_ms)]
            return {
                partition_from(entry.getKey().topicPartition()): python_error(
                    entry.getValue().get()
                )
                if entry.getValue().isPresent()
                else None
                for entry in items_of(self._object.commitSync(*limit).entrySet())
            }

        return self._call(into_java)

    def commit_async(self) -> None:
        """Send the acknowledgements and do not wait; the callback tells the results."""
        self._call(self._object.commitAsync)

    def set_acknowledgement_commit_callback(
        self, callback: Callable[[ShareResults], object] | None
    ) -> None:
        """callback(results) is called inside a later call, for partitions whose acknowledgements
        were answered."""
        told = None if callback is None else _acknowledged_for_java(callback)
        self._call(lambda: self._object.setAcknowledgementCommitCallback(told))

    def acquisition_lock_timeout_ms(self) -> int | None:
        """How long the brokers lock records; None before the first fetch (KIP-1222). Raises
        NoSuchName for a release whose class does not have it."""
        if not self.java.has_method(self._object, "acquisitionLockTimeoutMs"):
            raise NoSuchName(
                f"client {self.version} has no acquisition_lock_timeout_ms(); take version='4.4'"
            )
        found: int | None = self._call(lambda: self._object.acquisitionLockTimeoutMs().orElse(None))
        return found

    def close(self, timeout_ms: int = 30_000) -> None:
        """Send the acknowledgements, give back the other records, leave the group. A second call
        does nothing."""
        self._close(timeout_ms)


def _acknowledged_for_java(callback: Callable[[ShareResults], object]) -> Any:
    def on_complete(offsets: Any, error: Any) -> None:  # inside poll(), a commit or close()
        said = None if error is None else python_error(error)
        found = {partition_from(one.topicPartition()): said for one in items_of(offsets.keySet())}
        call_back("consumer", "a callback of acknowledgements", callback, found)

    return as_java("consumer.AcknowledgementCommitCallback", onComplete=on_complete)


def _delivered(found: Any) -> ConsumerRecord:
    count = found.deliveryCount().orElse(None)
    return replace(record_from(found), delivery_count=None if count is None else int(count))
