"""Defines the values that an application exchanges with a Kafka client: records, positions and
offsets.

They are immutable, and their reprs are short enough to read in a notebook cell.

Names and meaning are those of org.apache.kafka.clients.producer and .consumer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from kafkalab.errors import IllegalArgumentException


class TopicPartition(NamedTuple):
    """A partition by topic and number.

    It is a tuple because it is the key of every map in a client.
    """

    topic: str
    partition: int

    def __str__(self) -> str:
        return f"{self.topic}-{self.partition}"

    def __repr__(self) -> str:
        return f"{self.topic}-{self.partition}"


def by_topic(partitions: Iterable[tuple[str, int]]) -> dict[str, tuple[int, ...]]:
    """Topic -> the numbers of its partitions, both in the order of their coming."""
    found: dict[str, list[int]] = {}
    for topic, number in partitions:
        found.setdefault(topic, []).append(number)
    return {topic: tuple(numbers) for topic, numbers in found.items()}


@dataclass(frozen=True, slots=True)
class ProducerRecord:
    """A record to send. Without `partition` the partitioner chooses it.

    Without `timestamp_ms` the time of `send` is used. Only topic and value may be positional, as in
    Java's ProducerRecord(topic, value). With three positional arguments Java takes the second as
    the key. So key, partition and time need their names here.

    Key and value are text, or what the producer's key.serializer and value.serializer take. Raises
    IllegalArgumentException for more positional arguments and, as Java's constructor does, without
    a topic and for numbers below 0.
    """

    topic: str
    value: Any = None
    key: Any = None
    partition: int | None = None
    timestamp_ms: int | None = None

    def __new__(cls, *unnamed: object, **named: object) -> ProducerRecord:
        if len(unnamed) > 2:
            raise IllegalArgumentException(
                (
                    f"ProducerRecord({', '.join(map(repr, unnamed))}) does not say which of these "
                    f"is the key: name all but the topic, ProducerRecord({unnamed[0]!r}, "
                    f"key={unnamed[1]!r}, value={unnamed[2]!r})."
                )
                if len(unnamed) == 3
                else (
                    'ProducerRecord takes the topic and names: ProducerRecord("t", partition=0, '
                    'key="k", value="v").'
                )
            )
        return object.__new__(cls)  # Not super(): slots=True replaces the class.

    def __post_init__(self) -> None:
        if not isinstance(self.topic, str):
            raise IllegalArgumentException(
                f"Topic cannot be null: give its name, not {self.topic!r}."
            )
        for name, number in (("timestamp", self.timestamp_ms), ("partition", self.partition)):
            if number is not None and (not isinstance(number, int) or number < 0):
                shown = "Partition number" if name == "partition" else "Timestamp"
                raise IllegalArgumentException(
                    f"Invalid {name}: {number}. {shown} should always be non-negative or null."
                )


def key_text(key: Any) -> str | None:
    """A key as the journal keeps it and pictures show it: its text."""
    return key if key is None or isinstance(key, str) else str(key)


@dataclass(frozen=True, slots=True)
class RecordMetadata:
    """Where a record was written. `offset` is -1 where no broker answers (acks=0)."""

    topic: str
    partition: int
    offset: int
    timestamp_ms: int

    def __repr__(self) -> str:
        return f"{self.topic}-{self.partition}@{self.offset}"


@dataclass(frozen=True, slots=True)
class ConsumerRecord:
    """A record as poll() returns it: key and value are what the consumer's deserializers made.

    headers: (key, bytes) each, in their order. The lab's producers write none; a broker does, on
    records of a dead-letter topic.
    """

    topic: str
    partition: int
    offset: int
    timestamp_ms: int
    key: Any
    value: Any
    delivery_count: int | None = None
    headers: tuple[tuple[str, bytes], ...] = ()

    def __repr__(self) -> str:
        return f"{self.topic}-{self.partition}@{self.offset} {self.key}={self.value}"


class ConsumerRecords(tuple[ConsumerRecord, ...]):
    """What one poll returned: a tuple of ConsumerRecord, in order within each partition."""

    def partitions(self) -> list[TopicPartition]:
        return list(dict.fromkeys(TopicPartition(r.topic, r.partition) for r in self))

    def records(self, partition: TopicPartition) -> list[ConsumerRecord]:
        return [r for r in self if (r.topic, r.partition) == (partition.topic, partition.partition)]

    # Java's name; a tuple's own count(value) has no use here.
    def count(self) -> int:  # type: ignore[override]
        return len(self)

    def __iter__(self) -> Iterator[ConsumerRecord]:
        return super().__iter__()


@dataclass(frozen=True, slots=True)
class ConsumerGroupMetadata:
    """The group, generation and member that commit offsets within a transaction (KIP-447).

    A consumer's `group_metadata()` returns it, for `send_offsets_to_transaction`.
    """

    group_id: str
    generation_id: int = -1
    member_id: str = ""
    group_instance_id: str | None = None

    def __str__(self) -> str:
        return (
            f"GroupMetadata(groupId = {self.group_id}, generationId = {self.generation_id}, "
            f"memberId = {self.member_id}, groupInstanceId = {self.group_instance_id or ''})"
        )

    __repr__ = __str__


@dataclass(frozen=True, slots=True)
class OffsetAndMetadata:
    """A committed offset: the next record to read, not the last one read.

    Raises IllegalArgumentException for a negative offset.
    """

    offset: int
    leader_epoch: int | None = None
    metadata: str = ""

    def __post_init__(self) -> None:
        if self.offset < 0:
            raise IllegalArgumentException("Invalid negative offset")


@dataclass(frozen=True, slots=True)
class OffsetAndTimestamp:
    """A record found by its time: where it is, and its own time (epoch milliseconds)."""

    offset: int
    timestamp_ms: int
