"""Finds the batch that holds an offset as a broker does: segment, sparse index, then a short scan.

Kafka's methods are LogSegments.floorSegment, OffsetIndex.lookup and FileRecords.searchForOffset.
"""

from __future__ import annotations

from typing import NamedTuple

from kafkalab.broker.log.partition_log import PartitionLog


class LookUp(NamedTuple):
    """The steps of one look-up.

    file          the segment's file
    entry         the index entry that is used, (offset, position); the file's beginning without one
    scanned       base offset of each batch whose header is read, in order; the last one is found
    position      where the found batch begins in the file
    """

    file: str
    entry: tuple[int, int]
    scanned: tuple[int, ...]
    position: int


def look_up(log: PartitionLog, offset: int) -> LookUp | None:
    """The steps to the first batch that reaches to `offset`; None where the log has none."""
    first = log.segments.of(max(offset, log.log_start_offset))
    for segment in log.segments.all[log.segments.all.index(first) :]:
        entry = segment.entry_for(offset)
        scanned, position = [], 0
        for batch in log.between(segment.base_offset, _end(log, segment.base_offset)):
            if position >= entry[1]:
                scanned.append(batch.base_offset)
                if batch.last_offset >= offset:
                    return LookUp(segment.file_name, entry, tuple(scanned), position)
            position += batch.size_bytes
    return None


def _end(log: PartitionLog, base_offset: int) -> int:
    """Where the segment that begins at base_offset ends."""
    later = [each.base_offset for each in log.segments if each.base_offset > base_offset]
    return later[0] if later else log.log_end_offset
