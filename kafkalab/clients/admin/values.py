"""The values of an administrator's requests and answers, named as in
org.apache.kafka.clients.admin. They are frozen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from kafkalab.clients.network.node import Node
from kafkalab.errors import IllegalArgumentException
from kafkalab.protocol.frozen import record
from kafkalab.records import TopicPartition


@dataclass(frozen=True, slots=True)
class NewTopic:
    """A topic to create. Numbers that are left out are the broker's defaults (KIP-464);
    replicas_assignments: partition -> broker ids instead."""

    name: str
    num_partitions: int | None = None
    replication_factor: int | None = None
    replicas_assignments: Mapping[int, Sequence[int]] | None = None
    configs: Mapping[str, str] = field(default_factory=dict)


@record
class NewPartitions:
    """How many partitions a topic is to have. total_count: all of them; new_assignments: broker ids
    for each partition that is added."""

    total_count: int
    new_assignments: Sequence[Sequence[int]] | None = None

    @classmethod
    def increase_to(
        cls, total_count: int, new_assignments: Sequence[Sequence[int]] | None = None
    ) -> NewPartitions:
        return cls(total_count, new_assignments)


@record
class TopicListing:
    name: str
    topic_id: str
    is_internal: bool


@record
class TopicPartitionInfo:
    """One partition of a topic; leader is None while there is none."""

    partition: int
    leader: Node | None
    replicas: tuple[Node, ...]
    isr: tuple[Node, ...]


@record
class TopicDescription:
    name: str
    is_internal: bool
    partitions: tuple[TopicPartitionInfo, ...]
    topic_id: str


@record
class ConsumerGroupListing:
    """A group as a listing shows it. is_simple: no member ever joined, only offsets were committed.
    state and type are None where the broker does not send them."""

    group_id: str
    is_simple: bool
    state: str | None = None
    type: str | None = None


@record
class MemberDescription:
    """One member of a group: its assignment, and with the new protocol (KIP-848) target_assignment
    and member_epoch."""

    consumer_id: str
    group_instance_id: str | None
    client_id: str
    host: str
    assignment: tuple[TopicPartition, ...]
    target_assignment: tuple[TopicPartition, ...] | None = None
    member_epoch: int | None = None


@record
class ConsumerGroupDescription:
    """A group with its members. state is its printed name: Stable, Empty, Dead, PreparingRebalance
    ..."""

    group_id: str
    is_simple: bool
    members: tuple[MemberDescription, ...]
    partition_assignor: str
    state: str
    coordinator: Node
    type: str = "Classic"
    group_epoch: int | None = None
    target_assignment_epoch: int | None = None


@record
class OffsetSpec:
    """Which offset of a partition: the earliest, the latest,
    or that of a time (epoch milliseconds)."""

    timestamp_ms: int

    @classmethod
    def earliest(cls) -> OffsetSpec:
        return cls(-2)

    @classmethod
    def latest(cls) -> OffsetSpec:
        return cls(-1)

    @classmethod
    def for_timestamp(cls, timestamp_ms: int) -> OffsetSpec:
        """Raises IllegalArgumentException below 0."""
        if timestamp_ms < 0:
            raise IllegalArgumentException(
                f"a time in epoch milliseconds is not negative: {timestamp_ms} is"
            )
        return cls(timestamp_ms)


@record
class ListOffsetsResultInfo:
    """An offset and its record's time. offset is -1 where every record is older than was asked."""

    offset: int
    timestamp: int
    leader_epoch: int | None


@record
class RecordsToDelete:
    """Everything before this offset is deleted; -1 means the high watermark (beforeOffset)."""

    before_offset: int


@record
class DeletedRecords:
    low_watermark: int


@record
class ConfigResource:
    """type: "topic" or "broker"."""

    type: str
    name: str


@record
class ConfigEntry:
    """source: the topic's own setting, the broker's file, or the default."""

    name: str
    value: str | None
    source: str
    is_read_only: bool = False

    @property
    def is_default(self) -> bool:
        return self.source == "DEFAULT_CONFIG"


@record
class ClusterDescription:
    cluster_id: str
    controller: Node | None
    nodes: tuple[Node, ...]
