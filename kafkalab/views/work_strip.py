"""Draws how often each record was processed: one row a run, one box a record.

A record is processed once, more often, or never. Colour, hatch and the number in the box show the
same, so that a picture printed in grey still shows it. A bar between two boxes is the committed
offset when the reader died, which is the first record of the next reader.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkalab.errors import IllegalArgumentException

from .picture import Picture, blank_figure, columns
from .style import INK, QUIET, SMALL_PT, WIDTH_IN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
    height_in = 1.0 + 0.40 * len(runs)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.27, 0.05 / height_in, 0.58, 1 - 0.80 / height_in))
    for row, (name, run) in enumerate(runs.items()):
        _row(axes, run, row)
        axes.text(
            most * 1.02, row, run.words, ha="left", va="center", fontsize=SMALL_PT + 1, color=INK
        )
        axes.text(
            -most * 0.02, row, name, ha="right", va="center", fontsize=SMALL_PT + 1, color=INK
        )
    axes.set_xlim(0, most)
    axes.set_ylim(len(runs) - 0.45, -0.55)
    axes.set_xticks(
        [place + 0.5 for place in range(most)],
        [str(place) for place in range(most)],
        fontsize=SMALL_PT,
        color=QUIET,
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    figure.text(0.012, 1 - 0.10 / height_in, title, fontsize=12, weight="bold", va="top")
    rows = [
        (
            name,
            "".join(str(min(count, 9)) for count in run.times),
            "-" if run.committed is None else str(run.committed),
            run.words,
        )
        for name, run in runs.items()
    ]
    return Picture(
        figure,
        columns(rows, ("run", "times", "committed", "in all")),
        f"Work done on each record: {title}.",
    )


def _row(axes: Axes, run: Worked, row: int) -> None:
    """Draw a run's boxes, and the bar of the committed offset."""
    for offset, count in enumerate(run.times):
        colour, hatch = ONCE if count == 1 else AGAIN if count else NEVER
        axes.barh(
            [row],
            [0.92],
            left=offset + 0.04,
            height=0.72,
            color=colour,
            edgecolor="#ffffff" if hatch else colour,
            hatch=hatch,
            linewidth=0,
        )
        axes.text(
            offset + 0.5,
            row,
            str(count),
            ha="center",
            va="center",
            fontsize=SMALL_PT + 1,
            color=INK,
            bbox={"facecolor": colour, "edgecolor": "none", "pad": 1.2},
        )
    if run.committed is not None:
        axes.vlines(
            [run.committed], row - 0.46, row + 0.46, color=INK, linewidth=2.6, clip_on=False
        )
