"""Compacts a log: the last value of each key stays, at its old offset.

Kafka's classes are Cleaner and CleanedTransactionMetadata. It makes two passes. The first builds a
map from each key of the dirty part to its last offset. The second writes the segments before the
active one again, with the records that the map keeps. The functions are pure: they take batches and
return batches. The map has no largest size here, and a batch's size is calculated again from its
remaining records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from kafkalab.protocol.messages import ControlRecordType, RecordBatch
from kafkalab.protocol.records_wire import RECORD_BATCH_OVERHEAD_BYTES, record_size_bytes


@dataclass(slots=True)
class CleanerStats:
    """The result of a cleaning, counted in records (Kafka's CleanerStats)."""

    map_messages_read: int = 0
    messages_read: int = 0
    messages_written: int = 0
    invalid_messages_read: int = 0


class Cleaned(NamedTuple):
    batches: list[RecordBatch]
    next_dirty_offset: int
    stats: CleanerStats


class Transactions:
    """Finds aborted data and unneeded markers in batches that come in offset order
    (CleanedTransactionMetadata).

    aborted  (producer id, first offset, offset of the ABORT marker) of the part that is read
    """

    def __init__(self, aborted: Iterable[tuple[int, int, int]]) -> None:
        self._to_come = sorted(aborted, key=lambda txn: txn[1])
        self._aborted: dict[int, bool] = {}
        self._committed: set[int] = set()

    def discards(self, batch: RecordBatch) -> bool:
        """Whether the batch can go: data of an aborted transaction, or a marker whose data is all
        cleaned away."""
        while self._to_come and self._to_come[0][1] <= batch.last_offset:
            self._aborted.setdefault(self._to_come.pop(0)[0], False)
        if batch.control is ControlRecordType.ABORT:
            return not self._aborted.pop(batch.producer_id, False)
        if batch.control is ControlRecordType.COMMIT:
            seen = batch.producer_id in self._committed
            self._committed.discard(batch.producer_id)
            return not seen
        if not batch.is_transactional:
            return False
        if batch.producer_id in self._aborted:
            self._aborted[batch.producer_id] = True
            return True
        self._committed.add(batch.producer_id)
        return False


def offset_map(
    dirty: Iterable[RecordBatch], transactions: Transactions, stats: CleanerStats
) -> dict[str | bytes, int]:
    """Key -> its last offset in the dirty part. Markers, aborted records and records without a key
    are skipped."""
    last: dict[str | bytes, int] = {}
    for batch in dirty:
        skipped = transactions.discards(batch)
        for place, record in enumerate(batch.records):
            stats.map_messages_read += 1
            if batch.control is None and not skipped and record.key is not None:
                last[record.key] = batch.offset_of(place)
    return last


def clean(
    batches: Sequence[RecordBatch],
    first_dirty: int,
    end: int,
    *,
    retains_deletes: Callable[[RecordBatch], bool],
    aborted: Sequence[tuple[int, int, int]] = (),
    is_last: Callable[[RecordBatch], bool] = lambda batch: False,
    horizon_ms: int | None = None,
) -> Cleaned:
    """Clean the log below the offset `end`.

    retains_deletes  retains_deletes(batch): whether tombstones and markers of this batch are kept
    aborted          the aborted transactions of the log
    is_last          is_last(batch): whether it is the last batch of a remembered producer; such a
                     batch stays, even empty, for its sequence number
    horizon_ms       with KIP-534 the time until which tombstones and markers are kept that are
                     cleaned for the first time
    """
    stats = CleanerStats()
    below = [batch for batch in batches if batch.base_offset < end]
    last = offset_map(
        [batch for batch in below if batch.last_offset >= first_dirty],
        Transactions(txn for txn in aborted if txn[2] >= first_dirty),
        stats,
    )
    newest = max((batch.last_offset for batch in below), default=-1)
    transactions = Transactions(aborted)
    left: list[RecordBatch] = []
    for batch in below:
        keeps_deletes = retains_deletes(batch)
        discards = transactions.discards(batch) and (batch.control is None or not keeps_deletes)
        kept = []
        for place, record in enumerate(batch.records):
            stats.messages_read += 1
            offset = batch.offset_of(place)
            if discards:
                continue
            if batch.control is not None or offset > newest:
                kept.append(place)
            elif record.key is None:
                stats.invalid_messages_read += 1
            elif last.get(record.key, -1) <= offset and (record.value is not None or keeps_deletes):
                kept.append(place)
        stats.messages_written += len(kept)
        if kept or is_last(batch):
            left.append(with_records(batch, kept, horizon_ms))
    return Cleaned(left, end, stats)


def with_records(batch: RecordBatch, kept: list[int], horizon_ms: int | None) -> RecordBatch:
    """The batch with these records only; its base and last offset, producer and sequence stay.

    The delete horizon takes the place of the batch's first timestamp, so the records' times need
    more bytes (DefaultRecordBatch.deleteHorizonMs).
    """
    records = tuple(batch.records[place] for place in kept)
    is_stamped = (
        horizon_ms is not None
        and batch.delete_horizon_ms is None
        and (batch.control is not None or any(record.value is None for record in records))
    )
    if is_stamped:
        batch = replace(batch, delete_horizon_ms=horizon_ms)
    elif len(kept) == len(batch.records):
        return batch
    deltas = tuple(batch.offset_of(place) - batch.base_offset for place in kept)
    first_ms = records[0].timestamp_ms if records else 0
    base_ms = first_ms if batch.delete_horizon_ms is None else batch.delete_horizon_ms
    overhead = RECORD_BATCH_OVERHEAD_BYTES
    if batch.control is not None:  # a marker's key and value are not in its record here
        overhead = batch.size_bytes - sum(
            record_size_bytes(record, offset_delta=0, timestamp_delta_ms=0) for record in records
        )
    size_bytes = overhead + sum(
        record_size_bytes(
            record, offset_delta=delta, timestamp_delta_ms=record.timestamp_ms - base_ms
        )
        for delta, record in zip(deltas, records)
    )
    return replace(
        batch,
        records=records,
        deltas=deltas,
        last_delta=batch.last_offset - batch.base_offset,
        size_bytes=size_bytes if batch.compression == "none" else min(size_bytes, batch.size_bytes),
    )


def dirty_ratio(clean_bytes: int, cleanable_bytes: int) -> float:
    """The dirty share of the bytes that can be compacted."""
    total = clean_bytes + cleanable_bytes
    return cleanable_bytes / total if total else 0.0


def is_due(clean_bytes: int, cleanable_bytes: int, min_ratio: float) -> bool:
    """Whether a log is dirty enough: strictly more than min.cleanable.dirty.ratio
    (LogCleanerManager.grabFilthiestCompactedLog)."""
    return dirty_ratio(clean_bytes, cleanable_bytes) > min_ratio
