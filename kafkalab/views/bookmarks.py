"""Draws one partition as a row of records, with a bookmark for the offset of each reader.

A record is a box with its offset. Boxes that retention has deleted are struck out, because no
reader can get them. A bookmark is left of the record that its reader gets next. It is the group's
committed offset. For a reader without a group it is its position in memory, and is drawn open with
a dashed line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .picture import Picture, blank_figure, columns
from .shown_lab import ShownLab, state_at
from .style import INK, QUIET, RULE, SMALL_PT, WIDTH_IN, clock

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7")
MOST = 40  # boxes narrower than this many to a row cannot carry their number


@dataclass(frozen=True)
class Bookmark:
    """One reader's offset in a partition.

    It holds the next offset, the number of available records not read yet, and the number of
    records deleted before the reader got them. `in_memory`: a position
    of a reader without a group; it is gone with its process.
    """

    reader: str
    next_offset: int
    unread: int
    gone: int = 0
    in_memory: bool = False


def bookmarks_of(lab: ShownLab, partition: str, at_ms: int | None = None) -> list[Bookmark]:
    """Every reader's bookmark in a partition ("orders-0") at a time of the lab (default: now),
    groups first.

    Raises IllegalArgumentException for a partition the lab does not have."""
    return _bookmarks(state_at(lab, at_ms), partition)


def _bookmarks(state: Mapping[str, Any], partition: str) -> list[Bookmark]:
    if partition not in state["partitions"]:
        raise IllegalArgumentException(
            f"There is no partition {partition}; there are "
            f"{', '.join(sorted(state['partitions']))}."
        )
    log = state["partitions"][partition]
    start, end = log["log_start_offset"], log["log_end_offset"]

    def place_of(reader: str, offset: int, in_memory: bool = False) -> Bookmark:
        unread, gone = end - max(offset, start), max(0, start - offset)
        return Bookmark(reader, offset, unread, gone, in_memory)

    found = []
    for group, entry in sorted(state["groups"].items()):
        committed = entry.get("offsets", {}).get(partition)
        if committed is not None:
            found.append(place_of(f"group {group}", committed["offset"]))
    for name, client in sorted(state["clients"].items()):
        place = (client.get("positions") or {}).get(partition)
        if place is not None and "group.id" not in (client.get("config") or {}):
            found.append(place_of(name, place, in_memory=True))
    return found


@draws(ONE)
def bookmarks(
    lab: ShownLab, partition: str, at_ms: int | None = None, *, title: str | None = None
) -> Picture:
    """Draw a partition's records and each reader's bookmark, at a time of the lab (default:
    now).
    """
    state = state_at(lab, at_ms)
    at_ms = lab.now_ms if at_ms is None else at_ms
    found = _bookmarks(state, partition)
    log = state["partitions"][partition]
    start, end = log["log_start_offset"], log["log_end_offset"]
    height_in = 1.25 + 0.34 * len(found)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.13, 0.05 / height_in, 0.86, 1 - 0.5 / height_in))
    axes.set_xlim(-0.02 * max(end, 1), max(end, 1) * 1.3)
    axes.set_ylim(-0.25 - 0.62 * len(found), 1.1)
    axes.axis("off")
    _boxes(axes, start, end)
    # x as a share of the axes: the names stand left of all boxes
    beside = axes.get_yaxis_transform()
    axes.text(
        -0.01,
        0.5,
        "offset",
        transform=beside,
        ha="right",
        va="center",
        fontsize=SMALL_PT + 1,
        color=QUIET,
    )
    for row, mark in enumerate(found):
        _lane(axes, mark, start, end, -0.45 - 0.62 * row, COLOURS[row % len(COLOURS)])
        axes.text(
            -0.01,
            -0.45 - 0.62 * row,
            f"{mark.reader},\nin memory" if mark.in_memory else mark.reader,
            transform=beside,
            ha="right",
            va="center",
            fontsize=SMALL_PT + 1,
            weight="bold",
            color=INK,
        )
    heading = title or f"{partition} at {clock(at_ms)}"
    figure.text(0.012, 1 - 0.10 / height_in, heading, fontsize=12, weight="bold", va="top")
    rows = [("records", f"{start} to {end - 1}" if end > start else "none", str(end - start))]
    rows += [
        (
            f"{mark.reader}, in memory" if mark.in_memory else mark.reader,
            f"next {mark.next_offset}",
            f"{mark.unread}, and {mark.gone} gone" if mark.gone else str(mark.unread),
        )
        for mark in found
    ]
    return Picture(
        figure,
        columns(rows, ("who", "where", "unread")),
        f"Bookmarks: {heading}, {len(found)} readers.",
    )


def _lane(axes: Axes, mark: Bookmark, start: int, end: int, y: float, colour: str) -> None:
    """Draw a reader's lane: a bar over the records it has read, and the bookmark at its next
    record.

    The bar begins at the log start offset, because a later reader did not get the deleted records.
    """
    behind = 0 if mark.gone else min(start, mark.next_offset)
    if mark.in_memory:
        axes.plot(
            [behind, mark.next_offset], [y, y], color=colour, linestyle=(0, (3, 2)), linewidth=1.6
        )
    else:
        axes.barh(
            [y], [mark.next_offset - behind], left=behind, height=0.16, color=colour, alpha=0.35
        )
    axes.plot(
        [mark.next_offset],
        [y],
        marker=">",
        markersize=9,
        color=colour,
        markerfacecolor="#ffffff" if mark.in_memory else colour,
        clip_on=False,
    )
    gone, unread = (
        f"{mark.gone} gone, " if mark.gone else "",
        f"{mark.unread} unread" if mark.unread else "nothing unread",
    )
    words = f"next is {mark.next_offset}, {gone}{unread}"
    axes.text(
        max(end, 1) * 1.02, y, words, ha="left", va="center", fontsize=SMALL_PT + 1, color=INK
    )


def _boxes(axes: Axes, start: int, end: int) -> None:
    """Draw a box for each offset. The box of a deleted record is struck out."""
    from matplotlib.patches import Rectangle

    every = 1 if end <= MOST else -(-end // MOST)
    for offset in range(end):
        gone = offset < start
        axes.add_patch(
            Rectangle(
                (offset, 0),
                1,
                1,
                facecolor="#ffffff" if gone else "#e9eef3",
                edgecolor=RULE if gone else INK,
                hatch="////" if gone else None,
                linewidth=0.8,
            )
        )
        if offset % every == 0:
            axes.text(
                offset + 0.5,
                0.5,
                str(offset),
                ha="center",
                va="center",
                fontsize=SMALL_PT + 1,
                color=QUIET if gone else INK,
                bbox={"facecolor": "#ffffff", "edgecolor": "none", "pad": 0.8} if gone else None,
            )
