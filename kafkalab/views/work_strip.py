"""Draws how often each record was processed: one row a run, one box a record.

A record is processed once, more often, or never. Colour, hatch and the number in the box show the
same, so that a picture printed in grey still shows it. A bar between two boxes is the committed
offset when the reader died, which is the first record of the next reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kafkalab.errors import IllegalArgumentException

from .picture import Picture
from .sheet import Paper, Sheet
from .style import INK, SMALL_PT

ONCE, AGAIN, NEVER = ("#e9eef3", ""), ("#f6dc8f", "///"), ("#f0a58f", "xxx")


@dataclass(frozen=True)
class Worked:
    """One run: how often each record was processed, by offset, and the committed offset at the
    death.
    """

    times: tuple[int, ...]
    committed: int | None = None

    @property
    def words(self) -> str:
        """ "2 twice", "3 never", "2 twice, 3 never", "each once"."""
        again, never = sum(count > 1 for count in self.times), self.times.count(0)
        found = [f"{count} {word}" for count, word in ((again, "twice"), (never, "never")) if count]
        return ", ".join(found) or "each once"


def work_strip(runs: Mapping[str, Worked], *, title: str) -> Picture:
    """Draw runs with their names, one below the other. Raises IllegalArgumentException for none."""
    if not runs:
        raise IllegalArgumentException(
            'there is no run to draw; give at least one, {"a crash": Worked((1, 2, 0))}'
        )
    most = max(len(run.times) for run in runs.values())
    sheet = Sheet(title, 1.0 + 0.40 * len(runs))
    left = min(0.35, max(0.12, 0.03 + 0.009 * max(map(len, runs))))
    field = sheet.field(left, 0.86 - left, 0.05, 0.75)
    for row, (name, run) in enumerate(runs.items()):
        for offset, count in enumerate(run.times):
            colour, hatch = ONCE if count == 1 else AGAIN if count else NEVER
            field.block(
                offset + 0.04,
                row,
                0.92,
                0.72,
                str(count),
                colour=colour,
                edge="#ffffff" if hatch else colour,
                hatch=hatch,
                pen=0,
                size=SMALL_PT + 1,
                paper=Paper(colour, 1.2),
            )
        if run.committed is not None:
            field.line(
                [run.committed] * 2, [row - 0.46, row + 0.46], INK, pen=2.6, flat=True, cut=False
            )
        field.words(most * 1.02, row, run.words, "left", size=SMALL_PT + 1)
        field.words(-most * 0.02, row, name, "right", size=SMALL_PT + 1)
    field.offsets_above(0, most, len(runs))
    rows = [
        (
            name,
            "".join(str(min(count, 9)) for count in run.times),
            "-" if run.committed is None else str(run.committed),
            run.words,
        )
        for name, run in runs.items()
    ]
    return sheet.picture("Work done on each record", rows, ("run", "times", "committed", "in all"))
