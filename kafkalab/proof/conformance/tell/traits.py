"""The traits of one log that a classifier sees, by view: words, lines, order and times.

words   the share of each word among the words, with chance masked as for the six marks
lines   which source lines wrote something
order   which source line came right after which
times   the share of each length of gap, over all lines and for each pair of source lines
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise

from kafkalab.lines.layout import Row
from kafkalab.proof.conformance.masks import normal

VIEWS = ("words", "lines", "order", "times")
GAP_FROM_MS = (0, 1, 2, 3, 5, 10, 20, 50, 200, 1000)
"""Where each length of gap begins; a gap of 7 ms counts as `5 ms`."""
ANY = "any line"

WORD = re.compile(r"[A-Za-z]{2,}")

Traits = Mapping[str, float]
Pair = tuple[str, str]


def source_line(row: Row) -> str:
    """`Sender:248`: class and line of the statement in Kafka's source."""
    return f"{row.logger_name}:{row.line}"


def gap_name(gap_ms: int) -> str:
    """The length that a gap counts as, `5 ms`. A clock that went back counts as `0 ms`."""
    return f"{GAP_FROM_MS[max(bisect_right(GAP_FROM_MS, gap_ms) - 1, 0)]} ms"


def traits_of(rows: Iterable[Row]) -> dict[str, Traits]:
    """View -> trait -> its value in this log."""
    told = list(rows)
    places = [source_line(row) for row in told]
    return {
        "words": _words(told),
        "lines": dict.fromkeys(places, 1.0),
        "order": {pair_name(pair): 1.0 for pair in pairwise(places)},
        "times": _times(places, [row.at_ms for row in told]),
    }


def pair_name(pair: Pair) -> str:
    """`Sender:248 -> NetworkClient:766`."""
    return f"{pair[0]} -> {pair[1]}"


def _words(rows: Sequence[Row]) -> Traits:
    found: Counter[str] = Counter()
    for row in rows:
        found.update(WORD.findall(normal(row.text)))
    return {word: count / found.total() for word, count in found.items()}


def _times(places: Sequence[str], at_ms: Sequence[int]) -> Traits:
    """`PAIR, 5 ms` -> the share of such gaps among the gaps of the pair."""
    found: dict[str, Counter[str]] = {}
    for pair, (before, after) in zip(pairwise(places), pairwise(at_ms)):
        gap = gap_name(after - before)
        for name in (pair_name(pair), ANY):
            found.setdefault(name, Counter())[gap] += 1
    return {
        f"{name}, {gap}": count / gaps.total()
        for name, gaps in found.items()
        for gap, count in gaps.items()
    }
