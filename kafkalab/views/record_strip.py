"""Draws the records of a compacted log at their offsets: one row a state of the log.

Each key has a colour and is named in its box. A box with a cross is a tombstone. Where compaction
took a record there is a hole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kafkalab.errors import IllegalArgumentException

from .picture import Picture, blank_figure, columns
from .style import INK, QUIET, SMALL_PT, WIDTH_IN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#cfe8f7", "#f6dc8f", "#cdebd7", "#f0c9b5", "#e3d5ee", "#e9eef3")

LogRow = tuple[int, str | None, str | None]
"""Offset, key and value; the value of a tombstone is None."""


def record_strip(
    rows: Mapping[str, Sequence[LogRow]], *, title: str, first: int | None = None, up_to: int = 0
) -> Picture:
    """Draw the records of each state, {"before": [(0, "tea", "1"), ...]}, one below the other.

    first, up_to: the offsets at the edges, so that pictures of several moments have one scale; the
    records' own where they reach further.

    Raises IllegalArgumentException where there is no record at all.
    """
    if not any(rows.values()):
        raise IllegalArgumentException(
            'there is no record to draw; give at least one, {"before": [(0, "tea", "1")]}'
        )
    keys = sorted({str(key) for row in rows.values() for _, key, _ in row})
    colours = {key: COLOURS[place % len(COLOURS)] for place, key in enumerate(keys)}
    own = min(row[0][0] for row in rows.values() if row)
    first = own if first is None else min(own, first)
    end = max(up_to, *(row[-1][0] + 1 for row in rows.values() if row))
    height_in = 1.0 + 0.52 * len(rows)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.20, 0.10 / height_in, 0.78, 1 - 0.85 / height_in))
    for place, (name, row) in enumerate(rows.items()):
        axes.hlines([place], first, end, color=QUIET, linewidth=0.5, zorder=0)
        for offset, key, value in row:
            _box(axes, offset, place, str(key), value, colours[str(key)])
        axes.text(
            first - (end - first) * 0.01,
            place,
            name,
            ha="right",
            va="center",
            fontsize=SMALL_PT + 1,
            color=INK,
        )
    axes.set_xlim(first, end)
    axes.set_ylim(len(rows) - 0.45, -0.55)
    axes.set_xticks(
        [offset + 0.5 for offset in range(first, end)],
        [str(offset) for offset in range(first, end)],
        fontsize=SMALL_PT,
        color=QUIET,
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    axes.set_yticks([])
    for side in axes.spines.values():
        side.set_visible(False)
    figure.text(0.012, 1 - 0.10 / height_in, title, fontsize=12, weight="bold", va="top")
    told = [
        (name, str(offset), str(key), "tombstone" if value is None else str(value))
        for name, row in rows.items()
        for offset, key, value in row
    ]
    return Picture(
        figure, columns(told, ("log", "offset", "key", "value")), f"Record strip: {title}."
    )


def _box(axes: Axes, offset: int, row: int, key: str, value: str | None, colour: str) -> None:
    axes.barh(
        [row], [0.92], left=offset + 0.04, height=0.74, color=colour, edgecolor=INK, linewidth=0.6
    )
    axes.text(
        offset + 0.5,
        row,
        f"{key}\n{'✕' if value is None else value}",
        ha="center",
        va="center",
        fontsize=SMALL_PT,
        color=INK,
    )
