"""Replaces what retention deletes and what the cleaner keeps by functions of a learner.

In Kafka UnifiedLog.deletableSegments and Cleaner.shouldRetainRecord decide.

lab.broker(0).delete_segments_by(lambda segments, now_ms, keep_ms, keep_bytes: [])
lab.broker(0).clean_by(lambda records: [record.offset for record in records])
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from kafkalab.broker.log.log_cleaner import Cleaned, CleanerStats, with_records
from kafkalab.broker.log.segments import Segment
from kafkalab.protocol.messages import RecordBatch


class SegmentFile(NamedTuple):
    """A segment as a rule of a learner sees it. newest_ms: its newest record's time, epoch ms."""

    base_offset: int
    size_bytes: int
    newest_ms: int


class KeptRecord(NamedTuple):
    """A record as a rule of a learner sees it.

    value: None for a tombstone. may_forget: delete.retention.ms is over for a tombstone.
    """

    offset: int
    key: str | bytes | None
    value: str | bytes | None
    may_forget: bool


RetentionRule = Callable[[list[SegmentFile], int, int, int], Sequence[int]]
CleaningRule = Callable[[list[KeptRecord]], Sequence[int]]


def chosen_segments(
    rule: RetentionRule, segments: Sequence[Segment], now_ms: int, keep_ms: int, keep_bytes: int
) -> list[Segment]:
    """The segments whose base offsets the rule returns.

    Raises ValueError unless they are the oldest ones, in a row: a log has no hole between files.
    """
    files = [SegmentFile(one.base_offset, one.size_bytes, one.largest_ms) for one in segments]
    said = sorted(_whole(rule(files, now_ms, keep_ms, keep_bytes), "base offsets"))
    oldest = [one.base_offset for one in segments[: len(said)]]
    if said != oldest:
        raise ValueError(
            f"the segments that go are the oldest ones in a row; these would be {oldest}, and the "
            f"rule returned {said}"
        )
    return list(segments[: len(said)])


def clean_by(
    rule: CleaningRule,
    batches: Sequence[RecordBatch],
    end: int,
    retains_deletes: Callable[[RecordBatch], bool],
    horizon_ms: int | None,
) -> Cleaned:
    """Keep the records whose offsets the rule returns. ValueError for an offset that is not there.

    Batches of markers stay: transactions are not the rule's business.
    """
    records = [
        KeptRecord(
            batch.offset_of(place),
            record.key,
            record.value,
            record.value is None and not retains_deletes(batch),
        )
        for batch in batches
        if batch.control is None
        for place, record in enumerate(batch.records)
    ]
    stay = set(_whole(rule(records), "offsets"))
    if unknown := sorted(stay - {record.offset for record in records}):
        raise ValueError(f"the rule returned {unknown}; these offsets were not given to it")
    left, stats = [], CleanerStats(messages_read=len(records), messages_written=len(stay))
    for batch in batches:
        kept = [
            place
            for place in range(len(batch.records))
            if batch.control is not None or batch.offset_of(place) in stay
        ]
        if kept:
            left.append(with_records(batch, kept, horizon_ms))
    return Cleaned(left, end, stats)


def _whole(said: Iterable[int], what: str) -> list[int]:
    found = list(said)
    if any(not isinstance(each, int) or isinstance(each, bool) for each in found):
        raise ValueError(f"a rule returns a list of {what}, whole numbers, not {found!r}")
    return found
