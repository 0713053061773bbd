"""Draws where keys go when a topic gets more partitions: one row an old partition, one column a new
one.

A cell counts the keys that were in the row's partition and are in the column's now. A hatched cell
counts keys that stay. The darker a cell, the more keys move that way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kafkalab.errors import IllegalArgumentException

from .picture import Picture, blank_figure, columns
from .style import INK, QUIET, SMALL_PT, WIDTH_IN

STAYS = "#9fd8c1"
BY_COUNT = ("#eef6fc", "#cfe8f7", "#a5d3ef", "#7bbfe6")  # no key or few keys, up to most
CELL_IN = 0.78


def key_moves(
    homes: Mapping[str, tuple[int, int]], before: int, after: int, *, title: str | None = None
) -> Picture:
    """Draw the partitions of some keys before and after the topic grew.

    homes          key -> (its old partition, its new one)
    before, after  the numbers of partitions

    Raises IllegalArgumentException for a partition that the topic does not have.
    """
    for key, (old, new) in homes.items():
        if not (0 <= old < before and 0 <= new < after):
            raise IllegalArgumentException(
                f"{key} goes from partition {old} to {new}; there are {before} and {after} "
                "partitions, numbered from 0"
            )
    counts = Counter(homes.values())
    moved = sum(count for (old, new), count in counts.items() if old != new)
    most = max((count for (old, new), count in counts.items() if old != new), default=1)
    height_in = 1.05 + 0.34 * before
    figure = blank_figure(WIDTH_IN, height_in)
    wide = min(0.84, CELL_IN * after / WIDTH_IN)
    axes = figure.add_axes((0.14, 0.06 / height_in, wide, 0.34 * before / height_in))
    for old in range(before):
        for new in range(after):
            count = counts[old, new]
            colour = STAYS if old == new else BY_COUNT[min(3, count * 4 // (most + 1))]
            axes.barh(
                [old],
                [0.95],
                left=new + 0.025,
                height=0.9,
                color=colour,
                edgecolor=INK if old == new else "#ffffff",
                hatch="////" if old == new else "",
                linewidth=0,
            )
            axes.text(
                new + 0.5,
                old,
                str(count),
                ha="center",
                va="center",
                fontsize=SMALL_PT + 1,
                color=INK,
                bbox={"facecolor": colour, "edgecolor": "none", "pad": 1.5},
            )
    axes.set_xlim(0, after)
    axes.set_ylim(before - 0.5, -0.5)
    axes.set_yticks(range(before), [f"was in {old}" for old in range(before)], fontsize=SMALL_PT)
    axes.set_xticks([new + 0.5 for new in range(after)], _names(before, after), fontsize=SMALL_PT)
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    heading = title or f"from {before} to {after} partitions"
    told = f"of {len(homes)} keys {moved} moved and {len(homes) - moved} stayed (hatched)"
    figure.text(0.012, 1 - 0.10 / height_in, heading, fontsize=12, weight="bold", va="top")
    figure.text(0.012, 1 - 0.42 / height_in, told, fontsize=SMALL_PT + 0.5, color=QUIET, va="top")
    return Picture(
        figure, f"{_text(counts, before, after)}\n{told}", f"Moves of keys: {heading}; {told}."
    )


def _names(before: int, after: int) -> list[str]:
    return [f"is in {new}" + (" (new)" if new >= before else "") for new in range(after)]


def _text(counts: Counter[tuple[int, int]], before: int, after: int) -> str:
    rows = [
        (f"was in {old}", *(str(counts[old, new]) for new in range(after))) for old in range(before)
    ]
    return columns(rows, ("partition", *_names(before, after)))
