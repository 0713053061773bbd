"""JavaConsumer: a released org.apache.kafka.clients.consumer.KafkaConsumer with the words of the
simulator's.

A record costs a few small calls into Java, so a poll of 500 records takes a second or so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from kafkalab.clients.network import arguments
from kafkalab.errors import IllegalArgumentException
from kafkalab.real.java_client import as_java, call_back
from kafkalab.real.java_errors import python_error
from kafkalab.real.java_process import items_of
from kafkalab.real.java_reader import JavaReader
from kafkalab.real.java_records import (
    java_offsets,
    java_partition,
    java_partitions,
    offset_from,
    partition_from,
    record_from,
)
from kafkalab.records import (
    ConsumerGroupMetadata,
    ConsumerRecords,
    OffsetAndMetadata,
    OffsetAndTimestamp,
    TopicPartition,
)

CommitCallback = Callable[
    [dict[TopicPartition, OffsetAndMetadata | None], BaseException | None], None
]


class JavaConsumer(JavaReader):
    """A consumer of a real lab. A consumer belongs to one thread at a time, as in Java."""

    kind = "consumer"
    shown = "KafkaConsumer"

    def default_name(self, config: Mapping[str, Any]) -> str:
        """`consumer-shop-1`, or `consumer-1` without a group: what Java prints from 2.4 on."""
        group = config.get("group.id")
        return "consumer-1" if group is None else f"consumer-{group}-1"

    def make(self, properties: Any) -> Any:
        """The Java consumer; it opens no connection before poll()."""
        return self.java.jvm.org.apache.kafka.clients.consumer.KafkaConsumer(properties)

    # subscription

    def subscribe(self, topics: Iterable[str] | re.Pattern[str], listener: Any = None) -> None:
        """Subscribe to topics, by name or by a compiled pattern. `listener` has
        on_partitions_assigned, on_partitions_revoked and, optionally, on_partitions_lost."""
        arguments.topic_list(topics)

        def into_java() -> None:
            wanted = (
                self.java.jvm.java.util.regex.Pattern.compile(topics.pattern)
                if isinstance(topics, re.Pattern)
                else self.java.array_list(topics)
            )
            if listener is None:
                self._object.subscribe(wanted)
            else:
                self._object.subscribe(wanted, _listener_for_java(listener))

        self._call(into_java)

    def assign(self, partitions: Iterable[TopicPartition]) -> None:
        """Read exactly these partitions, without a group deciding."""
        wanted = arguments.partitions("assign", partitions)
        self._call(lambda: self._object.assign(java_partitions(self.java, wanted)))

    def unsubscribe(self) -> None:
        """Leave the group and forget subscription, assignment and positions."""
        self._call(self._object.unsubscribe)

    def assignment(self) -> list[TopicPartition]:
        """The partitions this consumer reads now, by topic and number."""
        return sorted(self.assignment_in_hash_order())

    def assignment_in_hash_order(self) -> list[TopicPartition]:
        """The assignment as Java's assignment() iterates over it."""
        return self._call(
            lambda: [partition_from(one) for one in items_of(self._object.assignment())]
        )

    def pause(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch nothing more of these until `resume`; membership goes on."""
        wanted = arguments.partitions("pause", partitions)
        self._call(lambda: self._object.pause(java_partitions(self.java, wanted)))

    def resume(self, partitions: Iterable[TopicPartition]) -> None:
        """Fetch these again after `pause`, from where they stopped."""
        wanted = arguments.partitions("resume", partitions)
        self._call(lambda: self._object.resume(java_partitions(self.java, wanted)))

    def paused(self) -> list[TopicPartition]:
        """The partitions it does not fetch at present."""
        return sorted(
            self._call(lambda: [partition_from(one) for one in items_of(self._object.paused())])
        )

    # reading

    def poll(self, timeout_ms: int = 0) -> ConsumerRecords:
        """Records that are here, or arrive within `timeout_ms`; joining, committing and callbacks
        also happen inside this call. Errors are those of Java's poll()."""
        return self._polled(timeout_ms, record_from)

    def enforce_rebalance(self, reason: str | None = None) -> None:
        """Make the group rebalance in a later poll (KIP-568)."""
        self._call(lambda: self._object.enforceRebalance(*([] if reason is None else [reason])))

    def seek(self, partition: TopicPartition, offset: int) -> None:
        """Read on from `offset` in the next poll."""
        if not isinstance(offset, int):
            raise IllegalArgumentException(
                "seek() goes to the number of an offset, such as seek(TopicPartition('t', 0), 5), "
                f"not to {offset!r}"
            )
        self._call(lambda: self._object.seek(java_partition(self.java, partition), offset))

    def seek_to_beginning(self, partitions: Iterable[TopicPartition] | None = None) -> None:
        """Read on from the first offset; all assigned where None."""
        wanted = self.assignment() if partitions is None else list(partitions)
        self._call(lambda: self._object.seekToBeginning(java_partitions(self.java, wanted)))

    def seek_to_end(self, partitions: Iterable[TopicPartition] | None = None) -> None:
        """Read on from the end; all assigned where None."""
        wanted = self.assignment() if partitions is None else list(partitions)
        self._call(lambda: self._object.seekToEnd(java_partitions(self.java, wanted)))

    def position(self, partition: TopicPartition, timeout_ms: int | None = None) -> int:
        """The offset of the next record to be delivered."""

        def into_java() -> int:
            one = java_partition(self.java, partition)
            if timeout_ms is None:
                return int(self._object.position(one))
            return int(self._object.position(one, self.java.duration(timeout_ms)))

        return self._call(into_java)

    def current_lag(self, partition: TopicPartition) -> int | None:
        """How many records come after this reader's position, by its last fetch (KIP-695)."""

        def into_java() -> int | None:
            found = self._object.currentLag(java_partition(self.java, partition))
            return int(found.getAsLong()) if found.isPresent() else None

        return self._call(into_java)

    # committing

    def commit_sync(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None
    ) -> None:
        """Commit positions (or `offsets`) and wait."""
        if offsets is None:
            self._call(self._object.commitSync)
        else:
            chosen = arguments.offsets("commit_sync", offsets)
            self._call(lambda: self._object.commitSync(java_offsets(self.java, chosen)))

    def commit_async(
        self,
        offsets: Mapping[TopicPartition, OffsetAndMetadata] | None = None,
        callback: CommitCallback | None = None,
    ) -> None:
        """Commit without waiting; `callback(offsets, error)` runs inside a later poll."""

        def into_java() -> None:
            told = None if callback is None else _commit_callback_for_java(callback)
            if offsets is not None:
                self._object.commitAsync(java_offsets(self.java, offsets), told)
            elif told is not None:
                self._object.commitAsync(told)
            else:
                self._object.commitAsync()

        self._call(into_java)

    def committed(
        self, partitions: Iterable[TopicPartition]
    ) -> dict[TopicPartition, OffsetAndMetadata | None]:
        """The group's committed offsets of these partitions: the next offset to read, None where
        there is none."""
        wanted = arguments.partitions("committed", partitions)

        def into_java() -> dict[TopicPartition, OffsetAndMetadata | None]:
            # one at a time, since releases before 2.4 take one only
            return {
                one: offset_from(self._committed(java_partition(self.java, one))) for one in wanted
            }

        return self._call(into_java)

    def _committed(self, one: Any) -> Any:
        """Java's committed(): of a set from 2.4 on (KIP-520), and until 4.0 of one partition."""
        if self.java.has_method(self._object, "committed", "java.util.Set"):
            wanted = self.java.jvm.java.util.HashSet()
            wanted.add(one)
            return self._object.committed(wanted)[one]
        return self._object.committed(one)

    def group_metadata(self) -> ConsumerGroupMetadata:
        """The member's group, generation and id (KIP-447)."""

        def into_java() -> ConsumerGroupMetadata:
            found = self._object.groupMetadata()
            return ConsumerGroupMetadata(
                str(found.groupId()),
                int(found.generationId()),
                str(found.memberId()),
                found.groupInstanceId().orElse(None),
            )

        return self._call(into_java)

    # offsets and topics

    def beginning_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The log start of each partition."""
        wanted = arguments.partitions("beginning_offsets", partitions)
        return self._offsets(
            lambda: self._object.beginningOffsets(java_partitions(self.java, wanted))
        )

    def end_offsets(self, partitions: Iterable[TopicPartition]) -> dict[TopicPartition, int]:
        """The end of each partition for this reader."""
        wanted = arguments.partitions("end_offsets", partitions)
        return self._offsets(lambda: self._object.endOffsets(java_partitions(self.java, wanted)))

    def _offsets(self, ask: Callable[[], Any]) -> dict[TopicPartition, int]:
        return self._call(
            lambda: {
                partition_from(entry.getKey()): int(entry.getValue())
                for entry in items_of(ask().entrySet())
            }
        )

    def offsets_for_times(
        self, timestamps_to_search: Mapping[TopicPartition, int]
    ) -> dict[TopicPartition, OffsetAndTimestamp | None]:
        """The first record of each partition that is not older than this (epoch milliseconds); None
        where all are."""

        def into_java() -> dict[TopicPartition, OffsetAndTimestamp | None]:
            asked = self.java.hash_map(
                (java_partition(self.java, one), time_ms)
                for one, time_ms in timestamps_to_search.items()
            )
            return {
                partition_from(entry.getKey()): None
                if entry.getValue() is None
                else OffsetAndTimestamp(
                    int(entry.getValue().offset()), int(entry.getValue().timestamp())
                )
                for entry in items_of(self._object.offsetsForTimes(asked).entrySet())
            }

        return self._call(into_java)

    def partitions_for(self, topic: str) -> list[int]:
        """Partition numbers of a topic, [] for one that does not exist."""

        def into_java() -> list[int]:
            found = self._object.partitionsFor(topic)
            return [] if found is None else sorted(int(one.partition()) for one in items_of(found))

        return self._call(into_java)

    def list_topics(self) -> dict[str, list[int]]:
        """Every topic with its partition numbers."""
        return self._call(
            lambda: {
                str(entry.getKey()): sorted(
                    int(one.partition()) for one in items_of(entry.getValue())
                )
                for entry in items_of(self._object.listTopics().entrySet())
            }
        )

    def close(self, timeout_ms: int = 30_000) -> None:
        """Commit (with auto commit), leave the group and close all sockets. A second call does
        nothing."""
        self._close(timeout_ms)


def _listener_for_java(listener: Any) -> Any:
    """Java calls it inside poll(). By default lost is revoked, as in Java (KIP-429)."""

    def tells(method: str) -> Callable[[Any], None]:
        return lambda partitions: getattr(listener, method)(
            sorted(partition_from(one) for one in items_of(partitions))
        )

    named = hasattr(listener, "on_partitions_lost")
    return as_java(
        "consumer.ConsumerRebalanceListener",
        onPartitionsRevoked=tells("on_partitions_revoked"),
        onPartitionsAssigned=tells("on_partitions_assigned"),
        onPartitionsLost=tells("on_partitions_lost" if named else "on_partitions_revoked"),
    )


def _commit_callback_for_java(callback: CommitCallback) -> Any:
    def on_complete(offsets: Any, error: Any) -> None:  # inside poll()
        raised = None if error is None else python_error(error)
        call_back("consumer", "a commit's callback", callback, _offset_map(offsets), raised)

    return as_java("consumer.OffsetCommitCallback", onComplete=on_complete)


def _offset_map(found: Any) -> dict[TopicPartition, OffsetAndMetadata | None]:
    return {
        partition_from(entry.getKey()): offset_from(entry.getValue())
        for entry in items_of(found.entrySet())
    }
