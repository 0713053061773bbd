"""Draws where keys go when a topic gets more partitions: one row an old partition, one column a new
one.

A cell counts the keys that were in the row's partition and are in the column's now. A hatched cell
counts keys that stay. The darker a cell, the more keys move that way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from kafkalab.errors import IllegalArgumentException

from .picture import Picture
from .sheet import Paper, Sheet
from .style import INK, SMALL_PT, WIDTH_IN

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
    told = f"of {len(homes)} keys {moved} moved and {len(homes) - moved} stayed (hatched)"
    sheet = Sheet(title or f"from {before} to {after} partitions", 1.05 + 0.34 * before)
    sheet.note(told, 0.42)
    field = sheet.field(0.14, min(0.84, CELL_IN * after / WIDTH_IN), 0.06, high_in=0.34 * before)
    for old in range(before):
        for new in range(after):
            count = counts[old, new]
            stays = old == new
            colour = STAYS if stays else BY_COUNT[min(3, count * 4 // (most + 1))]
            field.block(
                new + 0.025,
                old,
                0.95,
                0.9,
                str(count),
                colour=colour,
                edge=INK if stays else "#ffffff",
                hatch="////" if stays else "",
                pen=0,
                size=SMALL_PT + 1,
                paper=Paper(colour, 1.5),
            )
    olds = [f"was in {old}" for old in range(before)]
    news = [f"is in {new}" + (" (new)" if new >= before else "") for new in range(after)]
    field.table(olds, news, SMALL_PT, SMALL_PT)
    rows = [
        (name, *(str(counts[old, new]) for new in range(after))) for old, name in enumerate(olds)
    ]
    return sheet.picture(
        "Moves of keys", rows, ("partition", *news), more=f"; {told}", below=f"\n{told}"
    )
