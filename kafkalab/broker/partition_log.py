"""What is in a partition, and where? The leader's log: batches in offset order.

Kafka's class is UnifiedLog. Left out for now: segments, retention and compaction; and with one replica the high
watermark simply is the log end. Replication will move it.
"""

from __future__ import annotations

from bisect import bisect_right

from kafkalab.protocol.messages import RecordBatch


class PartitionLog:
    """One partition's log.

    log_start_offset  the first offset a reader may ask for
    log_end_offset    the offset the next record will get
    size_bytes        of all batches
    """

    __slots__ = ("topic", "index", "log_start_offset", "log_end_offset", "size_bytes", "_batches", "_bases", "_epochs")

    def __init__(self, topic: str, index: int) -> None:
        self.topic, self.index = topic, index
        self.log_start_offset = self.log_end_offset = self.size_bytes = 0
        self._batches: list[RecordBatch] = []
        self._bases: list[int] = []
        self._epochs: list[tuple[int, int]] = []

    @property
    def high_watermark(self) -> int:
        """Consumers see records below this offset. The log end, as long as nobody has to replicate."""
        return self.log_end_offset

    @property
    def last_stable_offset(self) -> int:
        """read_committed consumers see records below this one. The high watermark, as long as nobody has transactions."""
        return self.log_end_offset

    def append(self, batch: RecordBatch, leader_epoch: int) -> RecordBatch:
        """Give the batch its offsets and keep it; returns it with its base offset. ValueError for an empty batch."""
        if not batch.records:
            raise ValueError("an empty batch has no offsets")
        base = self.log_end_offset
        stored = RecordBatch(base_offset=base, records=batch.records, size_bytes=batch.size_bytes,
                             producer_id=batch.producer_id, producer_epoch=batch.producer_epoch,
                             base_sequence=batch.base_sequence, compression=batch.compression)
        self.note_epoch(leader_epoch)
        self._batches.append(stored)
        self._bases.append(base)
        self.log_end_offset = base + len(batch.records)
        self.size_bytes += batch.size_bytes
        return stored

    def read(self, offset: int, max_bytes: int, *, at_least_one: bool = False) -> tuple[RecordBatch, ...]:
        """The batches from the one that holds `offset` on, as many as fit.

        Batches are not cut: the first may begin before `offset`, and the reader skips what it did not ask for. With
        at_least_one the first batch comes even when it alone is too large (KIP-74), so that no reader gets stuck.
        """
        if offset >= self.log_end_offset:
            return ()
        first = bisect_right(self._bases, offset) - 1
        total, last = 0, first
        for batch in self._batches[first:]:
            if total + batch.size_bytes > max_bytes and not (at_least_one and last == first):
                break
            total += batch.size_bytes
            last += 1
        return tuple(self._batches[first:last])

    def bytes_from(self, offset: int, max_bytes: int) -> int:
        """How many bytes a reader at `offset` could get, counted up to max_bytes: what a long poll waits for."""
        total = 0
        if offset < self.log_end_offset:
            for batch in self._batches[bisect_right(self._bases, offset) - 1:]:
                total += batch.size_bytes
                if total >= max_bytes:
                    return max_bytes
        return total

    def offset_for_timestamp(self, timestamp_ms: int) -> tuple[int, int] | None:
        """(offset, timestamp) of the first record that is not older; None where all are."""
        for batch in self._batches:
            for step, record in enumerate(batch.records):
                if record.timestamp_ms >= timestamp_ms:
                    return batch.base_offset + step, record.timestamp_ms
        return None

    def note_epoch(self, leader_epoch: int) -> None:
        """Remember where a leader epoch began (KIP-101's leader epoch file)."""
        if not self._epochs or self._epochs[-1][0] < leader_epoch:
            self._epochs.append((leader_epoch, self.log_end_offset))

    def epoch_at(self, offset: int) -> int:
        """The leader epoch in which the record at `offset` was or will be written; -1 before the first."""
        return next((epoch for epoch, start in reversed(self._epochs) if start <= offset), -1)

    def end_of_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """(epoch, end offset): the largest known epoch up to the asked one, and where its successor began."""
        end, known = self.log_end_offset, -1
        for epoch, start in reversed(self._epochs):
            if epoch <= leader_epoch:
                known = epoch
                break
            end = start
        return (known, end) if known >= 0 else (-1, -1)
