"""TxnPartitions: the next sequence numbers and the batches in flight, by partition
(internals.TxnPartitionMap and TxnPartitionEntry).

Until 3.5 this was inside TransactionManager.
"""

from __future__ import annotations

from typing import NamedTuple

from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.producer.producer_batch import ProducerBatch
from kafkalab.records import TopicPartition

SEQUENCES = 1 << 31
NOTHING_ACKNOWLEDGED = -1


class ProducerIdAndEpoch(NamedTuple):
    """The id and epoch of a producer (org.apache.kafka.common.utils.ProducerIdAndEpoch)."""

    producer_id: int
    epoch: int

    def __str__(self) -> str:
        return f"(producerId={self.producer_id}, epoch={self.epoch})"


NO_ID = ProducerIdAndEpoch(-1, -1)


class TxnPartitionEntry:
    """The sequence numbers and batches of one partition.

    in_flight         batches that have a sequence and no outcome, by sequence
    acknowledged      the last sequence number the broker has confirmed; acknowledged_offset: the
                      offset of that record
    known_as          the id and epoch the sequences belong to
    """

    __slots__ = (
        "_log",
        "acknowledged",
        "acknowledged_offset",
        "in_flight",
        "known_as",
        "next_sequence",
    )

    def __init__(self, log: LogContext) -> None:
        self._log = log
        self.next_sequence = 0
        self.acknowledged = self.acknowledged_offset = NOTHING_ACKNOWLEDGED
        self.in_flight: list[ProducerBatch] = []
        self.known_as = NO_ID

    def begin_at_zero(self, known_as: ProducerIdAndEpoch) -> None:
        """A new epoch: batches in flight get new numbers from 0 on (startSequencesAtBeginning)."""
        self.next_sequence = 0
        for batch in self.in_flight:
            self._renumber(batch, self.next_sequence, known_as, "SEQUENCE_RESTARTED")
            self.next_sequence += len(batch.records)
        self.acknowledged = NOTHING_ACKNOWLEDGED
        self.known_as = known_as

    def close_gap(self, failed: ProducerBatch) -> None:
        """A batch has failed finally: the numbers of the batches behind it become lower
        (adjustSequencesDueToFailedBatch)."""
        self.next_sequence -= len(failed.records)
        for batch in self.in_flight:
            if batch.base_sequence > failed.base_sequence:
                known_as = ProducerIdAndEpoch(batch.producer_id, batch.producer_epoch)
                sequence = batch.base_sequence - len(failed.records)
                self._renumber(batch, sequence, known_as, "SEQUENCE_LOWERED")

    def _renumber(
        self, batch: ProducerBatch, sequence: int, known_as: ProducerIdAndEpoch, line: str
    ) -> None:
        # 2.8 tells of a lower number twice: the manager does, and so does the batch
        for name in (line, "SEQUENCE_RESET"):
            self._log(name, sequence=batch.base_sequence, partition=batch.partition, next=sequence)
        batch.producer_id, batch.producer_epoch = known_as
        batch.base_sequence = sequence
        batch.sequence_was_reset = True


class TxnPartitions:
    """All partitions this producer has sent to under its present id."""

    def __init__(self, log: LogContext) -> None:
        self._log = log
        self._entries: dict[TopicPartition, TxnPartitionEntry] = {}

    def of(self, tp: TopicPartition) -> TxnPartitionEntry:
        return self._entries.setdefault(tp, TxnPartitionEntry(self._log))

    def forget(self, tp: TopicPartition) -> None:
        self._entries.pop(tp, None)

    def reset(self) -> None:
        self._entries.clear()

    def stamp(
        self, batch: ProducerBatch, known_as: ProducerIdAndEpoch, is_transactional: bool
    ) -> None:
        """Gives a batch its first sequence number and remembers it as in flight."""
        entry = self.of(batch.partition)
        batch.producer_id, batch.producer_epoch = known_as
        batch.base_sequence, batch.is_transactional = entry.next_sequence, is_transactional
        entry.next_sequence = (entry.next_sequence + len(batch.records)) % SEQUENCES
        entry.in_flight.append(batch)

    def acknowledge(self, batch: ProducerBatch, base_offset: int) -> int:
        """The broker has the batch; returns the last sequence number known to be written."""
        entry = self.of(batch.partition)
        last = (batch.base_sequence + len(batch.records) - 1) % SEQUENCES
        entry.acknowledged = max(entry.acknowledged, last)
        if base_offset >= 0:
            entry.acknowledged_offset = max(
                entry.acknowledged_offset, base_offset + len(batch.records) - 1
            )
        self.leave(batch)
        return entry.acknowledged

    def replace(self, batch: ProducerBatch, parts: list[ProducerBatch]) -> None:
        """Other batches replace a batch in flight."""
        self.leave(batch)
        entry = self.of(batch.partition)
        entry.in_flight = sorted(entry.in_flight + parts, key=lambda out: out.base_sequence)

    def leave(self, batch: ProducerBatch) -> None:
        """The batch is no longer in flight, whatever its outcome."""
        entry = self._entries.get(batch.partition)
        if entry is not None:
            entry.in_flight = [other for other in entry.in_flight if other is not batch]

    def close_gap(self, batch: ProducerBatch) -> None:
        entry = self._entries.get(batch.partition)
        if entry is not None:
            self._log(
                "SEQUENCES_REDUCED",
                producer_id=batch.producer_id,
                partition=batch.partition,
                count=len(batch.records),
            )
            entry.close_gap(batch)

    def comes_next(self, tp: TopicPartition, sequence: int) -> bool:
        """Whether this number follows the last acknowledged one."""
        return sequence - self.of(tp).acknowledged == 1
