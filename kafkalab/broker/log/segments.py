"""Segments: the files of a log, when the next one begins, and which ones can be deleted.

Kafka's classes are LogSegment and LogSegments. A segment here is a place in the list of batches,
with the values that the decisions need. The files with their 20-digit names are not written; a
segment has their names and sizes, and the entries of its offset index.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator

from kafkalab.broker.log.log_settings import LogSettings
from kafkalab.protocol.messages import RecordBatch


class Segment:
    """One segment of a log (LogSegment).

    base_offset     the offset of its first record, and its file's name
    created_ms      when it was created
    first_ms        timestamp of its first batch; None while it is empty
    largest_ms      the newest timestamp in it; retention by time uses it
    index           the entries of its offset index, (last offset of a batch, where the batch begins
                    in the file): one after each index.interval.bytes (OffsetIndex)
    modified_ms     when it was last written to
    jitter_ms       how much earlier than segment.ms it is rolled
    """

    __slots__ = (
        "_since_entry",
        "base_offset",
        "created_ms",
        "first_ms",
        "index",
        "jitter_ms",
        "largest_ms",
        "modified_ms",
        "size_bytes",
    )

    def __init__(self, base_offset: int, created_ms: int, jitter_ms: int = 0) -> None:
        self.base_offset, self.created_ms, self.jitter_ms = base_offset, created_ms, jitter_ms
        self.size_bytes = self._since_entry = 0
        self.index: list[tuple[int, int]] = []
        self.first_ms: int | None = None
        self.largest_ms = -1
        self.modified_ms = created_ms

    @property
    def file_name(self) -> str:
        """`00000000000000000042.log`."""
        return f"{self.base_offset:020d}.log"

    def take(self, batch: RecordBatch, settings: LogSettings, now_ms: int) -> None:
        """Append a batch. An index entry is written before it when enough bytes came since the last
        entry (LogSegment.append)."""
        if self._since_entry > settings.index_interval_bytes:
            self.index.append((batch.last_offset, self.size_bytes))
            self._since_entry = 0
        self._since_entry += batch.size_bytes
        self.size_bytes += batch.size_bytes
        self.modified_ms = now_ms
        if batch.records:
            newest = max(record.timestamp_ms for record in batch.records)
            self.largest_ms = max(self.largest_ms, newest)
            if self.first_ms is None:
                self.first_ms = newest

    def should_roll(self, batch: RecordBatch, settings: LogSettings, now_ms: int) -> bool:
        """Whether this batch begins the next segment: it does not fit, or the segment is too old
        (LogSegment.shouldRoll).

        Age counts from the first record's timestamp to the new one's, so the producers' clocks
        decide. Jitter makes it end earlier.
        """
        if self.size_bytes > settings.segment_bytes - batch.size_bytes:
            return True
        newest = max((record.timestamp_ms for record in batch.records), default=now_ms)
        age_ms = newest - self.first_ms if self.first_ms is not None else now_ms - self.created_ms
        return self.size_bytes > 0 and age_ms > settings.longest_segment_ms - self.jitter_ms

    def entry_for(self, offset: int) -> tuple[int, int]:
        """The newest index entry that is not beyond the offset (OffsetIndex.lookup).

        Without one it is the segment's own beginning.
        """
        place = bisect_right([entry[0] for entry in self.index], offset)
        return self.index[place - 1] if place else (self.base_offset, 0)


class Segments:
    """All segments of a log, oldest first (LogSegments). Only the last, active one is written
    to.

    draw: gives a random whole number below its argument, for segment.jitter.ms.
    """

    __slots__ = ("_draw", "all", "settings")

    def __init__(self, settings: LogSettings, draw: Callable[[int], int] = lambda limit: 0) -> None:
        self.settings, self._draw = settings, draw
        self.all = [Segment(0, 0, self._jitter_ms())]

    def __iter__(self) -> Iterator[Segment]:
        return iter(self.all)

    def __len__(self) -> int:
        return len(self.all)

    @property
    def active(self) -> Segment:
        return self.all[-1]

    def of(self, offset: int) -> Segment:
        """The segment that holds an offset: the last one with a base offset that is not larger."""
        return self.all[
            max(bisect_right([segment.base_offset for segment in self.all], offset) - 1, 0)
        ]

    def take(self, batch: RecordBatch, now_ms: int) -> bool:
        """Append a batch; returns whether a segment was rolled for it."""
        rolled = self.active.should_roll(batch, self.settings, now_ms)
        if rolled:
            self.roll(batch.base_offset, now_ms)
        self.active.take(batch, self.settings, now_ms)
        return rolled

    def roll(self, at_offset: int, now_ms: int) -> None:
        """Begin a new active segment; an empty one only changes its name."""
        if self.active.size_bytes == 0:
            self.all.pop()
        self.all.append(Segment(at_offset, now_ms, self._jitter_ms()))

    def begin_at(self, offset: int, now_ms: int = 0) -> None:
        self.all = [Segment(offset, now_ms, self._jitter_ms())]

    def _jitter_ms(self) -> int:
        """A new segment's share of segment.jitter.ms (LogConfig.randomSegmentJitter)."""
        most = min(self.settings.segment_jitter_ms, self.settings.segment_ms)
        return self._draw(most) if most else 0

    def truncate_to(self, log_end: int, batches: list[RecordBatch]) -> None:
        """Truncate: drop the later segments, and count the remaining batches of the last one
        again."""
        while len(self.all) > 1 and self.all[-1].base_offset >= log_end:
            self.all.pop()
        last = self.all[-1]
        anew = Segment(last.base_offset, last.created_ms, last.jitter_ms)
        for batch in batches:
            if batch.base_offset >= last.base_offset:
                anew.take(batch, self.settings, last.modified_ms)
        self.all[-1] = anew

    def rewrite(self, first: int, end: int, batches: list[RecordBatch]) -> None:
        """Join compacted segments into as few as segment.bytes allows; each gets the name of the
        first one in it and the age of the youngest (LogCleaner.groupSegmentsBySize)."""
        before = [segment for segment in self.all if segment.base_offset < first]
        old = [segment for segment in self.all if first <= segment.base_offset < end]
        after = self.all[len(before) + len(old) :]
        anew: list[Segment] = []
        for place, segment in enumerate(old):
            upper = old[place + 1].base_offset if place + 1 < len(old) else end
            left = [batch for batch in batches if segment.base_offset <= batch.base_offset < upper]
            size_bytes = sum(batch.size_bytes for batch in left)
            if not anew or anew[-1].size_bytes + size_bytes > self.settings.segment_bytes:
                anew.append(Segment(segment.base_offset, segment.created_ms))
            for batch in left:
                anew[-1].take(batch, self.settings, segment.modified_ms)
            anew[-1].modified_ms = max(anew[-1].modified_ms, segment.modified_ms)
            anew[-1].largest_ms = max(anew[-1].largest_ms, segment.largest_ms)
        self.all = before + anew + after

    # -- which segments can be deleted

    def expired(self, now_ms: int, high_watermark: int, log_end: int) -> list[Segment]:
        """The oldest segments in a row whose newest record is older than retention.ms
        (UnifiedLog.deleteRetentionMsBreachedSegments)."""
        limit_ms = self.settings.retention_ms
        if limit_ms < 0:
            return []
        return self._from_oldest(
            lambda segment: now_ms - segment.largest_ms > limit_ms, high_watermark, log_end
        )

    def beyond_size(self, size_bytes: int, high_watermark: int, log_end: int) -> list[Segment]:
        """The oldest segments in a row without which the log is still as large as retention.bytes
        (deleteRetentionSizeBreachedSegments)."""
        if self.settings.retention_bytes < 0 or size_bytes < self.settings.retention_bytes:
            return []
        over = size_bytes - self.settings.retention_bytes

        def goes(segment: Segment) -> bool:
            nonlocal over
            if over - segment.size_bytes < 0:
                return False
            over -= segment.size_bytes
            return True

        return self._from_oldest(goes, high_watermark, log_end)

    def safe(self, high_watermark: int, log_end: int) -> list[Segment]:
        """The segments with records that every replica in sync has: those that could be deleted."""
        return self._from_oldest(lambda segment: True, high_watermark, log_end)

    def before_start(self, log_start: int, high_watermark: int, log_end: int) -> list[Segment]:
        """The segments that end before the log start offset."""
        ends = {id(segment): later.base_offset for segment, later in zip(self.all, self.all[1:])}
        return self._from_oldest(
            lambda segment: ends.get(id(segment), log_end + 1) <= log_start, high_watermark, log_end
        )

    def _from_oldest(
        self, goes: Callable[[Segment], bool], high_watermark: int, log_end: int
    ) -> list[Segment]:
        found: list[Segment] = []
        for place, segment in enumerate(self.all):
            is_last = place == len(self.all) - 1
            upper = log_end if is_last else self.all[place + 1].base_offset
            if (is_last and segment.size_bytes == 0) or high_watermark < upper or not goes(segment):
                break
            found.append(segment)
        return found
