"""OffsetsLog: writes and reads the partitions of `__consumer_offsets` for a group coordinator.

A broker's coordinator writes to the logs that it leads, like a producer with acks=all. A
coordinator without a broker, in a test or a small case, keeps its records in memory. Kafka's
counterparts are GroupMetadataManager.appendForGroup (2.3) and CoordinatorRuntime's PartitionWriter
(4.x).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from kafkalab.broker.cluster.cluster_state import OFFSETS_TOPIC
from kafkalab.broker.effects import Caller
from kafkalab.broker.log.disk import DISK_FAILED
from kafkalab.broker.replication.replica_manager import ReplicaManager, append_note
from kafkalab.broker.steps import Refusal, Step
from kafkalab.errors import Errors, KafkaStorageException
from kafkalab.protocol.messages import RecordBatch

COMMIT_TIMEOUT_MS = 5_000
"""offsets.commit.timeout.ms: how long a commit waits for its replicas."""

MEANS = {
    Errors.NOT_ENOUGH_REPLICAS: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.REQUEST_TIMED_OUT: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.UNKNOWN_TOPIC_OR_PARTITION: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.NOT_LEADER_OR_FOLLOWER: Errors.NOT_COORDINATOR,
    Errors.KAFKA_STORAGE_ERROR: Errors.NOT_COORDINATOR,
    Errors.MESSAGE_TOO_LARGE: Errors.INVALID_COMMIT_OFFSET_SIZE,
}
"""Error of an append -> the error that the member gets for it."""


@contextmanager
def told_to_members() -> Iterator[None]:
    """Turn the refusal of an append into the one that a member gets."""
    try:
        yield
    except Refusal as refusal:
        raise Refusal(MEANS.get(refusal.error, refusal.error)) from None


class OffsetsLog:
    """The partitions of the offsets topic in memory, for a coordinator without a broker."""

    def __init__(self) -> None:
        self._batches: dict[int, list[RecordBatch]] = {}

    def append(self, partition: int, batch: RecordBatch, now_ms: int) -> Step[int]:
        """Write records; returns the high watermark at which they are safe."""
        self._batches.setdefault(partition, []).append(batch)
        yield from ()
        return 0

    def commit(self, partition: int, batch: RecordBatch, caller: Caller, now_ms: int) -> Step[None]:
        """Write records for a caller, and wait until they are replicated."""
        yield from self.append(partition, batch, now_ms)

    def batches(self, partition: int) -> Iterable[RecordBatch]:
        """All written batches, oldest first."""
        return tuple(self._batches.get(partition, ()))

    def partitions(self) -> tuple[int, ...]:
        """The partitions that have records here."""
        return tuple(self._batches)


class LedOffsetsLog(OffsetsLog):
    """The partitions of the offsets topic among the replicas of one broker (PartitionWriter)."""

    def __init__(self, replicas: ReplicaManager) -> None:
        self._replicas = replicas

    def append(self, partition: int, batch: RecordBatch, now_ms: int) -> Step[int]:
        replica = self._replicas.led(OFFSETS_TOPIC, partition)
        try:
            stored = replica.log.append(batch, replica.partition.leader_epoch, now_ms)
        except KafkaStorageException:
            yield DISK_FAILED
            raise Refusal(Errors.KAFKA_STORAGE_ERROR) from None
        yield append_note(OFFSETS_TOPIC, partition, stored)
        yield from self._replicas.appended(replica, now_ms)
        return stored.last_offset + 1

    def commit(self, partition: int, batch: RecordBatch, caller: Caller, now_ms: int) -> Step[None]:
        with told_to_members():
            required = yield from self.append(partition, batch, now_ms)
            yield from self._replicas.produces.replicated(
                (OFFSETS_TOPIC, partition), required, now_ms + COMMIT_TIMEOUT_MS, caller
            )

    def batches(self, partition: int) -> Iterable[RecordBatch]:
        replica = self._replicas.found((OFFSETS_TOPIC, partition))
        return () if replica is None else replica.log.batches()

    def partitions(self) -> tuple[int, ...]:
        return tuple(
            replica.partition.index
            for replica in self._replicas.all
            if replica.partition.topic == OFFSETS_TOPIC
        )
