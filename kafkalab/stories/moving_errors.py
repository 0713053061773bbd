"""A moving picture of a retry topic: what waits, what is done, and in which order (chapter 12).

The function returns a `kafkalab.views.Moving`. The last line of a cell shows it.
"""

from __future__ import annotations

from functools import lru_cache

from kafkalab.stories.errors import CHANGES, Retried, retried
from kafkalab.views import Moving, Picture, moving, record_strip
from kafkalab.views.style import clock

STEP_MS, END_MS = 250, 9_000
WAYS = {
    "retry": "retry topic",
    "stop": "stop: pause the partition",
    "park": "park the key",
    "version": "refuse an older price",
}


@lru_cache(maxsize=len(WAYS))
def _day(way: str) -> Retried:
    return retried(way)


def prices_over_time() -> Moving:
    """Five changes of prices, each quarter of a second, and four ways to treat one that fails."""

    def draw(at_ms: int, way: str) -> Picture:
        day = _day(way)

        def so_far(steps: tuple[tuple[int, str, str], ...]) -> list[tuple[int, str, str]]:
            there = [step for step in steps if step[0] <= at_ms]
            return [
                (place, key, f"{value} refused" if step_ms in day.refused else value)
                for place, (step_ms, key, value) in enumerate(there)
            ]

        table = ", ".join(f"{key} {value}" for key, value in sorted(day.table(at_ms).items()))
        rows = {
            "topic prices": so_far(day.written),
            "topic prices-retry": so_far(day.parked),
            "worked on, in order": so_far(day.done),
        }
        words = f"{clock(at_ms)}: in the table {table or 'nothing'}"
        return record_strip(rows, title=words, first=0, up_to=len(CHANGES))

    begin_ms = _day("retry").written[0][0]
    return moving(
        draw,
        at=range(-(-begin_ms // STEP_MS) * STEP_MS, END_MS + 1, STEP_MS),
        still=5_000,
        called="time",
        way=WAYS,
    )
