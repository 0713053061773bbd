"""Says how long a client's thread works between two lines, as recordings of real clients show.

A lab with `gaps` asks this for each line: see `kafkalab.sim.work_time`. Each client's times come
from a stream of its own, so no other choice of the lab depends on them.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Protocol

from kafkalab.lines.recorded_gaps import LONGEST_MS, SHORT_MS, Pair, RecordedGaps, names_of

AGAIN_MS = 6
"""Work that was done before takes no longer. A longer recorded gap was a wait."""

DRAWN_AGAIN = 5
"""So often a gap is drawn again that does not fit into the time there is; then it takes that."""


class WritingStatement(Protocol):
    """A logging statement: where it is in the source of a release."""

    logger: str
    line: int
    version: str


class LineCosts:
    """The work between two lines of one thread, in ms.

    What a client does for the first time takes longer: its JVM loads classes. A gap is drawn from
    the first such pairs of recorded logs then, as long as real clients do not wait there.

    stream: name -> the stream of chance of that name.
    """

    def __init__(self, gaps: RecordedGaps, stream: Callable[[str], random.Random]) -> None:
        self._gaps, self._stream = gaps, stream
        self._known: set[tuple[str, Pair]] = set()
        self._names: dict[Any, str] = {}

    def __call__(
        self,
        who: str,
        before: WritingStatement,
        after: WritingStatement,
        left_ms: int = LONGEST_MS,
    ) -> int:
        """left_ms: no gap is longer; a longer one is drawn again."""
        pair = self._name(before), self._name(after)
        again = (who, pair) in self._known
        self._known.add((who, pair))
        most_ms = AGAIN_MS if again else SHORT_MS if self._gaps.waits(pair) else LONGEST_MS
        luck = self._stream(f"{who}/gaps")
        gap_ms = self._gaps.draw(luck, after.version, pair, again, most_ms)
        for _ in range(DRAWN_AGAIN):
            if gap_ms <= left_ms:
                break
            gap_ms = self._gaps.draw(luck, after.version, pair, again, most_ms)
        return min(gap_ms, left_ms)

    def _name(self, statement: WritingStatement) -> str:
        name = self._names.get(statement)
        if name is None:
            known = names_of(statement.version).get((statement.logger, statement.line))
            name = self._names[statement] = known or statement.logger.rpartition(".")[2]
        return name
