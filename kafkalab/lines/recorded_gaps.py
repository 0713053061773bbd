"""Looks up how long real clients took from one line to the next: a recorded table.

The file recorded_gaps.tsv has a row for each release and pair of neighbouring lines: release, the
two names, `first` or `again`, and gap:count, gap:count, ... in milliseconds. `first` counts the
first such pair of each log, where a JVM loads classes. Its first line names the command that makes
it from the recordings of this repository. A line that the catalogue does not know is called by its
class.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pkgutil import get_data
from typing import NamedTuple

from kafkalab.lines.catalog import CATALOG
from kafkalab.lines.layout import Row

FILE = "recorded_gaps.tsv"
MADE_BY = "# made by: python -m kafkalab line-gaps data/recordings\n"
HEADER = "release\tbefore\tafter\twhen\tgaps\n"
LONGEST_MS = 1_500
"""A longer gap is a wait. Only its number is kept."""
SHORT_MS = 20
"""Work between two lines of a program that runs takes no longer."""
WAITS_SHARE = 0.1
"""Clients wait between two lines if so many of the later gaps are long."""
FEW = 3
"""So many known gaps of a pair count as much as those of a wider table."""

Pair = tuple[str, str]


class GapRow(NamedTuple):
    """One row of the table. `gaps` holds (ms, count)s."""

    release: str
    before: str
    after: str
    again: bool
    gaps: tuple[tuple[int, int], ...]


@cache
def names_of(release: str) -> Mapping[tuple[str, int], str]:
    """(full class name, line number) -> the catalogue's name, for one client release."""
    found: dict[tuple[str, int], str] = {}
    for entry in CATALOG.values():
        wording = entry.wording(release)
        if wording is not None:
            found.setdefault((wording.logger, wording.at[release]), entry.name)
    return found


def names_in(rows: Sequence[Row], release: str) -> list[str]:
    """The name of each line, or its class where the catalogue has none."""
    known = names_of(release)
    return [known.get((row.logger, row.line or 0)) or row.logger_name for row in rows]


class RecordedGaps:
    """How long the pairs took."""

    def __init__(self, rows: Iterable[GapRow]) -> None:
        gaps: dict[tuple[object, ...], Counter[int]] = defaultdict(Counter)
        self._again: Counter[Pair] = Counter()
        self._long: Counter[Pair] = Counter()
        for release, before, after, again, counts in rows:
            for key in (
                (release, before, after, again),
                (before, after, again),
                (release, after, again),
                (after, again),
                (again,),
            ):
                for gap_ms, count in counts:
                    if gap_ms <= LONGEST_MS:
                        gaps[key][gap_ms] += count
            if again:
                self._again[before, after] += sum(count for _, count in counts)
                self._long[before, after] += sum(n for gap_ms, n in counts if gap_ms > SHORT_MS)
        self._all: Mapping[tuple[object, ...], Sequence[int]] = {
            key: sorted(counts.elements()) for key, counts in gaps.items()
        }
        self._tables: dict[tuple[str, Pair, bool, int], list[Sequence[int]]] = {}

    def draw(self, rng: random.Random, release: str, pair: Pair, again: bool, most_ms: int) -> int:
        """How many ms the second line of this pair comes after the first, at most `most_ms`.

        The fewer gaps of the pair are known, the more often all releases, or all lines before the
        second, are asked instead.
        """
        key = (release, pair, again, most_ms)
        tables = self._tables.get(key)
        if tables is None:
            tables = self._tables[key] = self._tables_of(release, pair, again, most_ms)
        known: Sequence[int] = (0,)
        for known in tables:
            luck = rng.random() * (len(known) + FEW)
            if luck < len(known):
                return known[int(luck)]
        return known[int(rng.random() * len(known))]

    def _tables_of(
        self, release: str, pair: Pair, again: bool, most_ms: int
    ) -> list[Sequence[int]]:
        before, after = pair
        keys: tuple[tuple[object, ...], ...] = (
            (release, before, after, again),
            (before, after, again),
            (release, before, after, True),
            (release, after, again),
            (after, again),
            (again,),
        )
        found = (self._up_to(most_ms, key) for key in keys)
        return [known for known in found if known]

    def _up_to(self, most_ms: int, key: tuple[object, ...]) -> Sequence[int]:
        known = self._all.get(key, ())
        return known[: bisect_right(known, most_ms)]

    def waits(self, pair: Pair) -> bool:
        """Whether real clients wait between these lines, at times: they do when they write them
        again. Else a long gap before the first such pair is work."""
        return self._long[pair] > WAITS_SHARE * self._again[pair]


@cache
def recorded_gaps() -> RecordedGaps:
    """The committed table."""
    text = (get_data("kafkalab.lines", FILE) or b"").decode("utf-8")
    return RecordedGaps(map(_row, text.splitlines()[2:]))


def _row(line: str) -> GapRow:
    release, before, after, when, told = line.split("\t")
    gaps = (gap.partition(":") for gap in told.split(" "))
    counts = tuple((int(gap_ms), int(count)) for gap_ms, _, count in gaps)
    return GapRow(release, before, after, when == "again", counts)


def gap_table_text(rows: Iterable[GapRow]) -> str:
    """The rows as the file holds them, sorted."""
    return (
        MADE_BY
        + HEADER
        + "".join(
            "\t".join(
                (
                    row.release,
                    row.before,
                    row.after,
                    "again" if row.again else "first",
                    " ".join(f"{gap_ms}:{count}" for gap_ms, count in sorted(row.gaps)),
                )
            )
            + "\n"
            for row in sorted(rows)
        )
    )
