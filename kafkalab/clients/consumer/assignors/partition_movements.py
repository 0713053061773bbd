"""PartitionMovements: the partitions that an assignment has moved
(AbstractStickyAssignor.PartitionMovements). With it a partition is moved back before another one is
moved there."""

from __future__ import annotations

from kafkalab.hashing import bucket_of, grown_buckets, topic_partition_hash
from kafkalab.records import TopicPartition


class PartitionMovements:
    """By topic, the pairs of members between which partitions moved, and each partition's pair."""

    def __init__(self) -> None:
        self._pair_of: dict[TopicPartition, tuple[str, str]] = {}
        self._moved: dict[str, dict[tuple[str, str], _HashSet]] = {}

    def move(self, partition: TopicPartition, old: str, new: str) -> None:
        """Remembers a move. A partition that moved on counts from its first owner; one that
        returned there is forgotten."""
        source = old
        if partition in self._pair_of:
            source, _ = self._forget(partition)
            if source == new:
                return
        pair = (source, new)
        self._pair_of[partition] = pair
        self._moved.setdefault(partition.topic, {}).setdefault(pair, _HashSet()).add(partition)

    def better_one(self, partition: TopicPartition, old: str, new: str) -> TopicPartition:
        """The partition to move instead of this one: one of the same topic that moved the opposite
        way before."""
        moved = self._moved.get(partition.topic)
        if moved is None:
            return partition
        if partition in self._pair_of:
            old = self._pair_of[partition][0]
        back = moved.get((new, old))
        return partition if back is None else back.first()

    def _forget(self, partition: TopicPartition) -> tuple[str, str]:
        pair = self._pair_of.pop(partition)
        moved = self._moved[partition.topic]
        moved[pair].discard(partition)
        if not moved[pair]:
            del moved[pair]
        if not moved:
            del self._moved[partition.topic]
        return pair


class _HashSet:
    """A java.util.HashSet of partitions, of which only the first element is read."""

    def __init__(self) -> None:
        self._members: dict[TopicPartition, None] = {}
        self._buckets = 16

    def __len__(self) -> int:
        return len(self._members)

    def add(self, partition: TopicPartition) -> None:
        self._members[partition] = None
        self._buckets = grown_buckets(len(self._members), self._buckets)

    def discard(self, partition: TopicPartition) -> None:
        self._members.pop(partition, None)

    def first(self) -> TopicPartition:
        return min(
            self._members,
            key=lambda tp: bucket_of(topic_partition_hash(tp.topic, tp.partition), self._buckets),
        )
