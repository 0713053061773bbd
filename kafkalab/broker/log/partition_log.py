"""PartitionLog: one replica's log, batches in offset order.

Kafka's class is UnifiedLog. Other machines move the high watermark: a leader when its followers
have fetched, a follower by the value in its leader's answer. `segments` divides the log into files;
`log_manager` deletes segments and `log_cleaner` compacts them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from kafkalab.broker.log.disk import Disk, is_written
from kafkalab.broker.log.log_settings import LogSettings
from kafkalab.broker.log.producer_state import ProducerState
from kafkalab.broker.log.segments import Segment, Segments
from kafkalab.broker.log.transaction_index import TransactionIndex
from kafkalab.protocol.messages import AbortedTransaction, RecordBatch

NO_EPOCH = -1

PartitionKey = tuple[str, int]
"""Topic and number of a partition (TopicPartition)."""


class PartitionLog:
    """One replica's log of a partition (UnifiedLog).

    log_start_offset  the first offset a reader may ask for
    log_end_offset    the offset the next record will get
    high_watermark    consumers see the records below this offset; every replica in sync has them
    size_bytes        the size of all batches
    producers         the state of the producers that wrote here, computed from the batches alone
    aborted           the aborted transactions
    segments          the log's files
    first_dirty       every record before this offset has been compacted
    disk              the disk that the log is written to
    draw              gives a random whole number below its argument, for segment.jitter.ms
    """

    __slots__ = (
        "_bases",
        "_batches",
        "_epochs",
        "_unwritten",
        "aborted",
        "disk",
        "first_dirty",
        "high_watermark",
        "index",
        "log_end_offset",
        "log_start_offset",
        "producers",
        "segments",
        "size_bytes",
        "topic",
    )

    def __init__(
        self,
        topic: str,
        index: int,
        settings: LogSettings = LogSettings(),
        disk: Disk | None = None,
        draw: Callable[[int], int] = lambda limit: 0,
    ) -> None:
        self.topic, self.index = topic, index
        self.disk = disk or Disk()
        self.log_start_offset = self.log_end_offset = self.high_watermark = self.size_bytes = 0
        self.producers = ProducerState()
        self.aborted = TransactionIndex()
        self.segments = Segments(settings, draw)
        self.first_dirty = 0
        self._batches: list[RecordBatch] = []
        self._bases: list[int] = []
        self._epochs: list[tuple[int, int]] = []
        self._unwritten: deque[tuple[int, int]] = deque()  # (time of the append, base offset)

    @property
    def last_stable_offset(self) -> int:
        """The last stable offset: read_committed consumers see the records below it
        (UnifiedLog.lastStableOffset).

        It is the first offset of the earliest transaction without a marker below the high
        watermark, else the high watermark."""
        undecided = self.producers.first_undecided(self.high_watermark)
        return self.high_watermark if undecided is None else min(self.high_watermark, undecided)

    def aborted_between(
        self, fetch_offset: int, upper_offset: int
    ) -> tuple[AbortedTransaction, ...]:
        """The aborted transactions that a read_committed reader of these offsets must leave out."""
        return self.aborted.between(fetch_offset, upper_offset)

    def rebuild_producers(self) -> None:
        """Compute the producers' state from the log again, as after a truncation or at a start."""
        self.producers = ProducerState()
        self.aborted = TransactionIndex()
        for batch in self._batches:
            self._remember(batch, None)

    def append(
        self, batch: RecordBatch, leader_epoch: int, now_ms: int | None = None
    ) -> RecordBatch:
        """Append as leader: give the batch its offsets; returns it with its base offset. ValueError
        for an empty batch.

        now_ms: when a producer or a coordinator wrote it; None for a copied batch.

        Raises KafkaStorageException where the disk is full.
        """
        if not batch.records:
            raise ValueError("an empty batch has no offsets")
        stored = replace(batch, base_offset=self.log_end_offset)
        self.copy(stored, leader_epoch, now_ms)
        return stored

    def copy(
        self, batch: RecordBatch, leader_epoch: int, now_ms: int | None = None, copied_ms: int = 0
    ) -> None:
        """Append as follower, at copied_ms: the batch keeps its leader's offsets. ValueError for
        one that begins before the log end; KafkaStorageException where the disk is full."""
        if batch.base_offset < self.log_end_offset:
            raise ValueError(
                f"{self.topic}-{self.index} ends at {self.log_end_offset}: a batch at "
                f"{batch.base_offset} cannot follow"
            )
        self.disk.write()
        self.note_epoch(leader_epoch)
        at_ms = copied_ms if now_ms is None else now_ms
        self._forget_written(at_ms)
        self._unwritten.append((at_ms, batch.base_offset))
        self.segments.take(batch, at_ms)
        self._batches.append(batch)
        self._bases.append(batch.base_offset)
        self.log_end_offset = batch.last_offset + 1
        self.size_bytes += batch.size_bytes
        self._remember(batch, now_ms)

    def truncate_to(self, offset: int) -> int:
        """Drop the batches that reach to `offset` or beyond; returns how many records went.

        The high watermark falls to the end if it was above, and the producers' state is computed
        from the remaining batches.
        """
        keep, before = bisect_left(self._bases, offset), self.log_end_offset
        if keep and self._batches[keep - 1].last_offset >= offset:
            keep -= 1  # a batch is kept or dropped as a whole
        if keep < len(self._batches):
            self.log_end_offset = self._bases[keep]
            self.size_bytes -= sum(batch.size_bytes for batch in self._batches[keep:])
            del self._batches[keep:], self._bases[keep:]
            self.segments.truncate_to(self.log_end_offset, self._batches)
            self.first_dirty = min(self.first_dirty, self.log_end_offset)
            self.rebuild_producers()
        while self._epochs and self._epochs[-1][1] >= self.log_end_offset:
            self._epochs.pop()
        while self._unwritten and self._unwritten[-1][1] >= self.log_end_offset:
            self._unwritten.pop()
        self.high_watermark = min(self.high_watermark, self.log_end_offset)
        return before - self.log_end_offset

    def flush(self) -> None:
        """Write everything to the disk (UnifiedLog.flush), as a process does in an orderly stop."""
        self._unwritten.clear()

    def lose_power(self, now_ms: int) -> int:
        """Drop the records that are not on the disk; returns how many (LogLoader.recoverLog at the
        next start).

        A segment is flushed when the next one is rolled; of the active one only the bytes remain
        that the operating system has written.
        """
        self._forget_written(now_ms)
        kept = self._unwritten[0][1] if self._unwritten else self.log_end_offset
        return self.truncate_to(max(kept, self.segments.active.base_offset))

    def _forget_written(self, now_ms: int) -> None:
        while self._unwritten and is_written(self._unwritten[0][0], now_ms):
            self._unwritten.popleft()

    def begin_at(self, offset: int) -> None:
        """Drop everything and begin again at `offset`. A follower does this when its leader has
        deleted the records that it lacks."""
        self.truncate_to(0)
        self._epochs.clear()
        self.segments.begin_at(offset)
        self.log_start_offset = self.log_end_offset = self.high_watermark = self.first_dirty = (
            offset
        )

    def _remember(self, stored: RecordBatch, now_ms: int | None) -> None:
        ended = self.producers.remember(stored, now_ms)
        if ended is not None and ended.is_aborted:
            still_open = self.producers.first_open()
            self.aborted.append(ended, stored.last_offset + 1 if still_open is None else still_open)

    def begin_at_least(self, offset: int) -> None:
        """Raise the log start to `offset`; readers cannot read below it
        (UnifiedLog.maybeIncrementLogStartOffset)."""
        self.log_start_offset = max(self.log_start_offset, offset)

    def delete(self, segments: list[Segment], now_ms: int) -> None:
        """Delete the oldest segments and raise the log start. To delete the active one, a new
        segment is rolled first."""
        if len(segments) == len(self.segments):
            self.segments.roll(self.log_end_offset, now_ms)
        del self.segments.all[: len(segments)]
        start = self.segments.all[0].base_offset
        keep = bisect_left(self._bases, start)
        self.size_bytes -= sum(batch.size_bytes for batch in self._batches[:keep])
        del self._batches[:keep], self._bases[:keep]
        self.begin_at_least(start)
        self.first_dirty = max(self.first_dirty, start)

    def between(self, first: int, end: int) -> list[RecordBatch]:
        """The batches whose base offset is not below `first` and below `end`."""
        return self._batches[bisect_left(self._bases, first) : bisect_left(self._bases, end)]

    def replace_between(
        self, first: int, end: int, batches: list[RecordBatch], now_ms: int
    ) -> None:
        """Replace batches by their compacted form; the segments from `first` to `end` are joined to
        fewer."""
        low, high = bisect_left(self._bases, first), bisect_left(self._bases, end)
        self._batches[low:high] = batches
        self._bases[low:high] = [batch.base_offset for batch in batches]
        self.size_bytes = sum(batch.size_bytes for batch in self._batches)
        self.segments.rewrite(first, end, batches)

    def read(
        self,
        offset: int,
        max_bytes: int,
        end_offset: int | None = None,
        *,
        at_least_one: bool = False,
    ) -> tuple[RecordBatch, ...]:
        """The batches from the one that holds `offset` on, as many as fit and begin below
        `end_offset` (None: the log end).

        Batches are not cut: the first may begin before `offset`, and the reader skips what it did
        not ask for. With at_least_one the first batch comes even when it alone is too large
        (KIP-74), so that every reader makes progress.
        """
        end_offset = self.log_end_offset if end_offset is None else end_offset
        if offset >= end_offset:
            return ()
        first = self._place_of(offset)
        total, last = 0, first
        for batch in self._batches[first:]:
            if batch.base_offset >= end_offset or (
                total + batch.size_bytes > max_bytes and not (at_least_one and last == first)
            ):
                break
            total += batch.size_bytes
            last += 1
        return tuple(self._batches[first:last])

    def batches(self) -> tuple[RecordBatch, ...]:
        """All batches, from the log start on."""
        return tuple(self._batches)

    def bytes_from(self, offset: int, max_bytes: int, end_offset: int | None = None) -> int:
        """How many bytes a reader at `offset` could get below `end_offset`, counted up to
        max_bytes. A long poll waits for this number."""
        total, end_offset = 0, self.log_end_offset if end_offset is None else end_offset
        if offset < end_offset:
            for batch in self._batches[self._place_of(offset) :]:
                if batch.base_offset >= end_offset:
                    break
                total += batch.size_bytes
                if total >= max_bytes:
                    return max_bytes
        return total

    def _place_of(self, offset: int) -> int:
        """The place of the first batch that reaches to `offset`: the one that holds it, or the next
        after a gap of compaction."""
        place = bisect_right(self._bases, offset) - 1
        return place + 1 if place < 0 or self._batches[place].last_offset < offset else place

    def offset_for_timestamp(self, timestamp_ms: int) -> tuple[int, int] | None:
        """(offset, timestamp) of the first record from the log start on that is not older; None
        where all are (LogSegment.findOffsetByTimestamp)."""
        for batch in self._batches:
            for step, record in enumerate(batch.records):
                offset = batch.offset_of(step)
                if offset >= self.log_start_offset and record.timestamp_ms >= timestamp_ms:
                    return offset, record.timestamp_ms
        return None

    # -- leader epochs: KIP-101's leader epoch file

    @property
    def last_epoch(self) -> int:
        """The newest leader epoch this log has seen; -1 for none."""
        return self._epochs[-1][0] if self._epochs else NO_EPOCH

    @property
    def epochs(self) -> tuple[tuple[int, int], ...]:
        """(leader epoch, its first offset), oldest first."""
        return tuple(self._epochs)

    def note_epoch(self, leader_epoch: int) -> None:
        """Record that a leader epoch begins at the log end. It replaces an epoch without
        records."""
        if self._epochs and self._epochs[-1][0] >= leader_epoch:
            return
        while self._epochs and self._epochs[-1][1] >= self.log_end_offset:
            self._epochs.pop()
        self._epochs.append((leader_epoch, self.log_end_offset))

    def epoch_at(self, offset: int) -> int:
        """The leader epoch of the record at `offset`; -1 before the first epoch."""
        return next((epoch for epoch, start in reversed(self._epochs) if start <= offset), NO_EPOCH)

    def end_of_epoch(self, leader_epoch: int) -> tuple[int, int]:
        """(epoch, end offset): the largest known epoch up to the asked one, and where its successor
        began.

        The answer carries the epoch because this log may not have the requested one (KIP-279). An
        epoch older than all ended where the first begins; the answer is (-1, -1) for one newer than
        all (LeaderEpochFileCache.endOffsetFor).
        """
        if leader_epoch > self.last_epoch:
            return NO_EPOCH, -1
        end = self.log_end_offset
        for epoch, start in reversed(self._epochs):
            if epoch <= leader_epoch:
                return epoch, end
            end = start
        return leader_epoch, end
