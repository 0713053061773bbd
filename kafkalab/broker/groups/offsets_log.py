"""OffsetsLog: writes and reads the partitions of `__consumer_offsets` for a group coordinator.

A broker's coordinator writes to the logs that it leads, like a producer with acks=all. A
coordinator without a broker, in a test or a small case, keeps its records in memory. Kafka's
counterparts are GroupMetadataManager.appendForGroup (2.3) and CoordinatorRuntime's PartitionWriter
(4.x).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from kafkalab.broker.cluster.cluster_state import OFFSETS_TOPIC
from kafkalab.broker.effects import Caller, Effect, Respond
from kafkalab.broker.log.disk import DISK_FAILED
from kafkalab.broker.replication.delayed_produce import WaitingProduce
from kafkalab.broker.replication.replica_manager import ReplicaManager, append_note
from kafkalab.errors import Errors, KafkaStorageException, error_for
from kafkalab.protocol.messages import PartitionProduceResponse, RecordBatch

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


class Written(NamedTuple):
    """The result of an append. required: the high watermark at which the records are safe."""

    error: Errors
    required: int
    effects: list[Effect]


class OffsetsLog:
    """The partitions of the offsets topic in memory, for a coordinator without a broker."""

    def __init__(self) -> None:
        self._batches: dict[int, list[RecordBatch]] = {}

    def append(self, partition: int, batch: RecordBatch, now_ms: int) -> Written:
        self._batches.setdefault(partition, []).append(batch)
        return Written(Errors.NONE, 0, [])

    def answer_when_safe(
        self,
        caller: Caller,
        partition: int,
        written: Written,
        response: Callable[[Errors], Any],
        now_ms: int,
    ) -> list[Effect]:
        """Answer when the records are replicated; response(error) makes the answer."""
        return [Respond(caller, response(written.error))]

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

    def append(self, partition: int, batch: RecordBatch, now_ms: int) -> Written:
        replica, error = self._replicas.led_replica(OFFSETS_TOPIC, partition)
        if replica is None:
            return Written(MEANS.get(error_for(error), error_for(error)), 0, [])
        try:
            stored = replica.log.append(batch, replica.partition.leader_epoch, now_ms)
        except KafkaStorageException:
            return Written(MEANS[Errors.KAFKA_STORAGE_ERROR], 0, [DISK_FAILED])
        appended = append_note(OFFSETS_TOPIC, partition, stored)
        return Written(
            Errors.NONE,
            stored.last_offset + 1,
            [appended, *self._replicas.appended(replica, now_ms)],
        )

    def answer_when_safe(
        self,
        caller: Caller,
        partition: int,
        written: Written,
        response: Callable[[Errors], Any],
        now_ms: int,
    ) -> list[Effect]:
        if written.error is not Errors.NONE:
            return [Respond(caller, response(written.error))]
        key = OFFSETS_TOPIC, partition

        def complete(final: dict[tuple[str, int], PartitionProduceResponse]) -> Any:
            error = error_for(final[key].error_code)
            return response(MEANS.get(error, error))

        waiting = WaitingProduce(
            caller,
            {key: written.required},
            {key: PartitionProduceResponse(index=partition)},
            complete,
        )
        return self._replicas.produces.add(waiting, now_ms + COMMIT_TIMEOUT_MS)

    def batches(self, partition: int) -> Iterable[RecordBatch]:
        replica = self._replicas.found((OFFSETS_TOPIC, partition))
        return () if replica is None else replica.log.batches()

    def partitions(self) -> tuple[int, ...]:
        return tuple(
            replica.partition.index
            for replica in self._replicas.all
            if replica.partition.topic == OFFSETS_TOPIC
        )
