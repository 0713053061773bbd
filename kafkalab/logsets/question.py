"""Says which lines a narrow question is about, and finds them before any line is taken apart.

A recognised line holds the literal beginning or end of its template. So a text is searched for
these bytes, some gigabytes a second for each, and only the records that hold them are parsed. What
remains is filtered, so the rows are those that a filter after reading would keep.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import SequenceMatcher
from functools import lru_cache

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets import layouts, recognition, templates
from kafkalab.logsets.block import LEVELS, Block, as_mask

# Fewer bytes than these stand in too many lines: those of one template, those of several.
SHORTEST, SHORTEST_SHARED = 6, 12
OPTIONS = ("events", "level", "clientid", "since", "until")


@dataclass(frozen=True)
class LineQuestion:
    """The lines that are wanted: each part that is not empty has to fit.

    events      names of the catalogue
    levels      as WARN, ERROR
    client_ids  of the lines' own prefixes
    since, until  times in UTC; until is not included
    """

    events: tuple[str, ...] = ()
    levels: tuple[str, ...] = ()
    client_ids: tuple[str, ...] = ()
    since: datetime | None = None
    until: datetime | None = None

    def mask(self, block: Block, known: recognition.Recognised | None) -> np.ndarray | None:
        """Which rows of a block are wanted; None for all. known: where there are events."""
        parts = []
        if self.events:
            assert known is not None, "events have to be recognised first"
            parts.append(np.isin(known.code, _numbers_of(self.events)))
        if self.levels:
            numbers = [LEVELS.index(level) for level in self.levels]
            parts.append(np.isin(block.level_code, numbers))
        if self.client_ids:
            parts.append(as_mask(pc.is_in(block.client_id, pa.array(self.client_ids))))
        kind = pa.timestamp("us", tz="UTC")
        if self.since:
            parts.append(as_mask(pc.greater_equal(block.time, pa.scalar(self.since, kind))))
        if self.until:
            parts.append(as_mask(pc.less(block.time, pa.scalar(self.until, kind))))
        return np.logical_and.reduce(parts) if parts else None

    def needles(self, layout: str) -> tuple[bytes, ...]:
        """Bytes of which every wanted record holds one; none where that cannot be told."""
        if self.events:
            return _literals_of(self.events)
        if self.levels and layout in layouts.KAFKAS_OWN:
            return tuple(f"] {level} ".encode() for level in self.levels)
        return tuple(f"clientId={name}".encode() for name in self.client_ids)

    def options(self) -> dict[str, str]:
        """The options of the data source that mean this."""
        found = {
            "events": ",".join(self.events),
            "level": ",".join(self.levels),
            "clientId": ",".join(self.client_ids),
            "since": self.since.isoformat() if self.since else "",
            "until": self.until.isoformat() if self.until else "",
        }
        return {name: text for name, text in found.items() if text}


def question_of(options: Mapping[str, str]) -> LineQuestion | None:
    """The question that the data source's options ask; None without any.

    Raises ValueError for an event, a level or a time that does not exist.
    """
    given = {name.lower(): text for name, text in options.items()}
    if not any(given.get(name) for name in OPTIONS):
        return None
    return LineQuestion(
        events=_checked("event", given.get("events", ""), event_names()),
        levels=_checked("level", given.get("level", "").upper(), set(LEVELS)),
        client_ids=_listed(given.get("clientid", "")),
        since=_time(given.get("since")),
        until=_time(given.get("until")),
    )


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _checked(what: str, text: str, known: Set[str]) -> tuple[str, ...]:
    names = _listed(text)
    for name in names:
        if name not in known:
            raise ValueError(f"There is no {what} {name!r} in the lines of Kafka clients.")
    return names


def _time(text: str | None) -> datetime | None:
    if not text:
        return None
    try:
        moment = datetime.fromisoformat(text.replace(",", "."))
    except ValueError:
        raise ValueError(f"{text!r} is no time: write it as 2026-01-05 09:00:00.") from None
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


@lru_cache(maxsize=1)
def event_names() -> frozenset[str]:
    """The names of the catalogue's entries."""
    return frozenset(pattern.event for pattern in _patterns())


def _patterns() -> tuple[templates.Pattern, ...]:
    return templates.all_patterns()


@lru_cache(maxsize=64)
def _numbers_of(events: tuple[str, ...]) -> np.ndarray:
    return np.array([n for n, pattern in enumerate(_patterns()) if pattern.event in events])


@lru_cache(maxsize=64)
def _literals_of(events: tuple[str, ...]) -> tuple[bytes, ...]:
    """Few literals that every line of these events holds one of; none if one would be short.

    Only what recognition compares of a template counts: its first and its last bytes.
    """
    ends = {
        (pattern.head[: 8 * recognition.HEAD_WORDS], pattern.tail[-8 * recognition.TAIL_WORDS :])
        for pattern in _patterns()
        if pattern.event in events
    }
    literals = {literal for pair in ends for literal in pair}
    shared = {_in_both(one, other) for one in literals for other in literals if one < other}
    choice = sorted(
        [literal for literal in literals if len(literal) >= SHORTEST]
        + [literal for literal in shared - literals if len(literal) >= SHORTEST_SHARED],
        key=lambda literal: (-len(literal), literal),
    )
    found: list[bytes] = []
    while ends:
        # That which most templates have, and of these the longest: each one costs a search.
        best = max(choice, key=lambda one: sum(_has(pair, one) for pair in ends), default=b"")
        covered = {pair for pair in ends if best and _has(pair, best)}
        if not covered:
            return ()
        found.append(best)
        ends -= covered
    return tuple(found)


def _has(ends: tuple[bytes, bytes], literal: bytes) -> bool:
    return literal in ends[0] or literal in ends[1]


def _in_both(one: bytes, other: bytes) -> bytes:
    """The longest text that both hold."""
    match = SequenceMatcher(None, one, other, autojunk=False).find_longest_match()
    return one[match.a : match.a + match.size]
