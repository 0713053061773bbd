"""TransactionLog: writes and reads the partitions of `__transaction_state` for a coordinator.

Kafka's classes are TransactionLog and TransactionStateManager. Each step of a coordinator is
appended like a producer's record with acks=all, and is valid when the replicas in sync have it. The
next leader of the partition reads it from the start. The latest record of an id is valid, so the
topic is compacted; a null value is a tombstone.

Kafka writes keys and values in binary form. Here they are the JSON that kafka-console-consumer
prints for them in 4.x, so that a learner can read the topic. Their size is that of the binary form.
The field `lastProducerEpoch` is not Kafka's: with it a coordinator that has read the log again can
tell a retry from a zombie.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from kafkalab.broker.cluster.cluster_state import TRANSACTION_TOPIC
from kafkalab.broker.effects import Effect
from kafkalab.broker.log.disk import DISK_FAILED
from kafkalab.broker.replication.replica_manager import ReplicaManager, append_note
from kafkalab.broker.steps import Afterwards, Refusal, Step, unheard
from kafkalab.broker.transactions.transaction_metadata import TransactionMetadata
from kafkalab.broker.transactions.transaction_state import TransactionState
from kafkalab.errors import Errors, KafkaStorageException
from kafkalab.protocol.messages import RecordBatch, WireRecord
from kafkalab.records import by_topic

KEY_TYPE, VALUE_VERSION = 0, 1
BATCH_BYTES, KEY_BYTES, VALUE_BYTES, TOPIC_BYTES, PARTITION_BYTES = 61, 4, 35, 6, 4
"""Bytes of a batch, and of a record's key, value, topic and partition, without those of names."""

STATUS = {
    TransactionState.EMPTY: 0,
    TransactionState.ONGOING: 1,
    TransactionState.PREPARE_COMMIT: 2,
    TransactionState.PREPARE_ABORT: 3,
    TransactionState.COMPLETE_COMMIT: 4,
    TransactionState.COMPLETE_ABORT: 5,
    TransactionState.DEAD: 6,
    TransactionState.PREPARE_EPOCH_FENCE: 7,
}
STATE_OF = {number: state for state, number in STATUS.items()}

MEANS = {
    Errors.NOT_ENOUGH_REPLICAS: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.NOT_ENOUGH_REPLICAS_AFTER_APPEND: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.REQUEST_TIMED_OUT: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.UNKNOWN_TOPIC_OR_PARTITION: Errors.COORDINATOR_NOT_AVAILABLE,
    Errors.NOT_LEADER_OR_FOLLOWER: Errors.NOT_COORDINATOR,
    Errors.KAFKA_STORAGE_ERROR: Errors.NOT_COORDINATOR,
}
"""Error of an append -> the error that the producer gets for it
(TransactionStateManager.appendTransactionToLog)."""


class TransactionLog:
    """The partitions of `__transaction_state` on one broker (TransactionStateManager)."""

    def __init__(self, replicas: ReplicaManager) -> None:
        self._replicas = replicas

    def append(self, partition: int, record: TransactionMetadata, now_ms: int) -> Step[None]:
        """Write a step of a coordinator, and wait until the replicas in sync have it."""
        batch = _batch(record.transactional_id, _value(record), _size(record), now_ms)
        yield from self._append(partition, batch, now_ms, record.timeout_ms)

    def delete(self, partition: int, transactional_id: str, now_ms: int) -> list[Effect]:
        """Write the tombstone of an expired id. No request waits for it."""
        batch = _batch(
            transactional_id, None, BATCH_BYTES + KEY_BYTES + len(transactional_id), now_ms
        )
        return unheard(self._append(partition, batch, now_ms, 0))

    def has_records(self, partition: int) -> bool:
        replica = self._replicas.found((TRANSACTION_TOPIC, partition))
        return replica is not None and replica.log.log_end_offset > 0

    def read(self, partition: int) -> dict[str, TransactionMetadata]:
        """Read every id's latest record, in the order in which the ids were first written."""
        replica = self._replicas.found((TRANSACTION_TOPIC, partition))
        return latest(replica.log.batches() if replica is not None else ())

    def partitions(self) -> tuple[int, ...]:
        """The partitions of which this broker has a replica."""
        return tuple(
            replica.partition.index
            for replica in self._replicas.all
            if replica.partition.topic == TRANSACTION_TOPIC
        )

    def _append(
        self, partition: int, batch: RecordBatch, now_ms: int, timeout_ms: int
    ) -> Step[None]:
        try:
            replica = self._replicas.led(TRANSACTION_TOPIC, partition)
            if not self._replicas.has_enough_in_sync(replica):
                raise Refusal(Errors.NOT_ENOUGH_REPLICAS)
            stored = replica.log.append(batch, replica.partition.leader_epoch, now_ms)
            yield append_note(TRANSACTION_TOPIC, partition, stored)
            yield from self._replicas.appended(replica, now_ms)
            yield from self._replicas.produces.replicated(
                (TRANSACTION_TOPIC, partition), stored.last_offset + 1, now_ms + timeout_ms
            )
        except KafkaStorageException:
            yield Afterwards([DISK_FAILED])
            raise Refusal(MEANS[Errors.KAFKA_STORAGE_ERROR]) from None
        except Refusal as refusal:
            raise Refusal(MEANS.get(refusal.error, refusal.error)) from None


def latest(batches: Iterable[RecordBatch]) -> dict[str, TransactionMetadata]:
    """Id -> its latest metadata in these batches."""
    found: dict[str, TransactionMetadata] = {}
    for batch in batches:
        for record in batch.records:
            assert record.key is not None, "the transaction log is compacted: each record has a key"
            id = json.loads(record.key)["data"]["transactionalId"]
            if record.value is None:
                found.pop(id, None)
            else:
                found[id] = _metadata(id, json.loads(record.value)["data"])
    return found


def _batch(transactional_id: str, value: str | None, size_bytes: int, now_ms: int) -> RecordBatch:
    key = json.dumps(
        {"type": KEY_TYPE, "data": {"transactionalId": transactional_id}}, separators=(",", ":")
    )
    return RecordBatch(records=(WireRecord(key, value, now_ms),), size_bytes=size_bytes)


def _value(record: TransactionMetadata) -> str:
    data = {
        "producerId": record.producer_id,
        "previousProducerId": record.previous_producer_id,
        "nextProducerId": record.next_producer_id,
        "producerEpoch": record.epoch,
        "lastProducerEpoch": record.last_epoch,
        "transactionTimeoutMs": record.timeout_ms,
        "transactionStatus": STATUS[record.state],
        "transactionPartitions": [
            {"topic": topic, "partitionIds": ids}
            for topic, ids in by_topic(record.partitions).items()
        ],
        "transactionLastUpdateTimestampMs": record.updated_ms,
        "transactionStartTimestampMs": record.started_ms,
        "clientTransactionVersion": 2 if record.bumps_epoch else 0,
    }
    return json.dumps({"version": VALUE_VERSION, "data": data}, separators=(",", ":"))


def _metadata(transactional_id: str, data: dict[str, Any]) -> TransactionMetadata:
    return TransactionMetadata(
        transactional_id=transactional_id,
        producer_id=data["producerId"],
        epoch=data["producerEpoch"],
        last_epoch=data["lastProducerEpoch"],
        previous_producer_id=data["previousProducerId"],
        next_producer_id=data["nextProducerId"],
        timeout_ms=data["transactionTimeoutMs"],
        state=STATE_OF[data["transactionStatus"]],
        partitions=tuple(
            (one["topic"], number)
            for one in data["transactionPartitions"]
            for number in one["partitionIds"]
        ),
        started_ms=data["transactionStartTimestampMs"],
        updated_ms=data["transactionLastUpdateTimestampMs"],
        bumps_epoch=data["clientTransactionVersion"] >= 2,
    )


def _size(record: TransactionMetadata) -> int:
    return (
        BATCH_BYTES
        + KEY_BYTES
        + len(record.transactional_id)
        + VALUE_BYTES
        + sum(
            TOPIC_BYTES + len(topic) + PARTITION_BYTES * len(ids)
            for topic, ids in by_topic(record.partitions).items()
        )
    )
