"""Tells in one pass over a log whether lines of it could stand twice or be mixed up.

`repaired` (line_repairs.py) puts all lines of a log in order, which takes longer than reading them.
A worker that reads a piece of a file has its lines in order anyway. What is said of a piece here is
enough to know that a file needs no repair. Where it is not enough, the file is doubtful, and
`repaired` looks at it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby, pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets.line_repairs import BACK_MS, LEAST_MIXED, MIXED, MIXED_MS, MUCH, RUN

NEEDED = ("file", "file_offset", "time", "client_id", "message", "problem")


@dataclass(frozen=True)
class Times:
    """The times of a run of lines: how many, and between which milliseconds."""

    lines: int = 0
    first_ms: int = 0
    last_ms: int = 0

    @classmethod
    def of(cls, times: np.ndarray) -> Times:
        """Those of an array of milliseconds."""
        return cls(len(times), int(times.min()), int(times.max())) if len(times) else cls()

    def is_repeated_with(self, other: Times) -> bool:
        """Whether both together are a run as `repeated` takes one for lines that stand twice."""
        if not self.lines or not other.lines:
            return False
        first_ms, last_ms = min(self.first_ms, other.first_ms), max(self.last_ms, other.last_ms)
        return self.lines + other.lines >= RUN and first_ms < last_ms


@dataclass(frozen=True)
class PieceOrder:
    """Says in which order the lines of a piece of a file are.

    first_ms, last_ms  the earliest and the latest time
    late               how many lines are older than one before them, as lines of a relay are
    again              how many lines may be equal to one before them
    leading, trailing  the times of those at the begin and at the end, in milliseconds
    doubtful           whether some stand twice by what the piece alone shows
    """

    file: str
    offset: int
    lines: int
    first_ms: int
    last_ms: int
    late: int
    again: int
    leading: Times
    trailing: Times
    doubtful: bool


def piece_orders(rows: pa.Table) -> Iterator[PieceOrder]:
    """What is to be said of lines that one worker has read, for each of their files."""
    rows = rows.filter(pc.is_valid(rows["time"]))
    for file in pc.unique(rows["file"]).to_pylist():
        of_file = rows.filter(pc.equal(rows["file"], file))
        offsets = of_file["file_offset"].to_numpy()
        times = of_file["time"].cast(pa.int64()).to_numpy() // 1_000
        back_ms = np.maximum.accumulate(times) - times
        # A line of the earliest time may be equal to one of the piece before. One with a problem
        # does not end a run.
        again = ~_first_of_its_kind(of_file, times) | (times == times.min())
        again |= pc.is_valid(of_file["problem"]).to_numpy()
        begins = np.flatnonzero(again & ~np.append(False, again[:-1]))
        ends = np.flatnonzero(again & ~np.append(again[1:], False)) + 1
        runs = [
            times[begin:end] for begin, end in zip(begins, ends, strict=True) if end - begin >= RUN
        ]
        yield PieceOrder(
            file=file,
            offset=int(offsets[0]),
            lines=len(times),
            first_ms=int(times.min()),
            last_ms=int(times.max()),
            late=int((back_ms >= MIXED_MS).sum()),
            again=int(again.sum()),
            leading=Times.of(times[: ends[0]] if again[0] else times[:0]),
            trailing=Times.of(times[begins[-1] :] if again[-1] else times[:0]),
            doubtful=bool(
                any(run.min() < run.max() for run in runs)
                or back_ms.max() >= BACK_MS
                or (np.diff(offsets) <= 0).any()
            ),
        )


def doubtful_files(found: Iterable[PieceOrder]) -> list[str]:
    """The files that may have lines twice or mixed up, by all their pieces."""
    in_turn = sorted(found, key=lambda each: (each.file, each.offset))
    return [
        file for file, own in groupby(in_turn, key=lambda each: each.file) if _doubtful(list(own))
    ]


def _doubtful(own: list[PieceOrder]) -> bool:
    lines, late = sum(each.lines for each in own), sum(each.late for each in own)
    return (
        any(each.doubtful for each in own)
        or any(
            one.last_ms > other.first_ms
            or one.trailing.is_repeated_with(other.leading)
            or one.trailing.lines == one.lines
            for one, other in pairwise(own)
        )
        or sum(each.again for each in own) >= MUCH * lines
        or (late >= LEAST_MIXED and late > MIXED * lines)
    )


def _first_of_its_kind(rows: pa.Table, times: np.ndarray) -> np.ndarray:
    """Whether no line before has the same time, client and message."""
    kinds = np.zeros(len(times), np.int64)
    for name in ("client_id", "message"):
        codes = rows[name].combine_chunks().dictionary_encode(null_encoding="encode").indices
        kinds = np.unique(kinds * len(times) + codes.to_numpy(), return_inverse=True)[1]
    found = np.zeros(len(times), bool)
    found[np.unique((times - times.min()) * len(times) + kinds, return_index=True)[1]] = True
    return found
