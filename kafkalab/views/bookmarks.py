"""Draws one partition as a row of records, with a bookmark for the offset of each reader.

A record is a box with its offset. Boxes that retention has deleted are struck out, because no
reader can get them. A bookmark is left of the record that its reader gets next. It is the group's
committed offset. For a reader without a group it is its position in memory, and is drawn open with
a dashed line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .picture import Picture
from .sheet import Field, Paper, Sheet
from .shown_lab import ShownLab, state_at
from .style import INK, QUIET, RULE, SMALL_PT, clock

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


def _bookmarks(state: Mapping[str, Any], partition: str) -> list[Bookmark]:
    """Every reader's bookmark in a partition, groups first.

    Raises IllegalArgumentException for a partition the lab does not have.
    """
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
    sheet = Sheet(title or f"{partition} at {clock(at_ms)}", 1.25 + 0.34 * len(found))
    field = sheet.field(0.13, 0.86, 0.05, 0.45)
    field.limits((-0.02 * max(end, 1), max(end, 1) * 1.5), (-0.25 - 0.62 * len(found), 1.1))
    field.bare()
    _boxes(field, start, end)
    field.beside(0.5, "offset", size=SMALL_PT + 1, colour=QUIET)
    rows = [("records", f"{start} to {end - 1}" if end > start else "none", str(end - start))]
    for row, mark in enumerate(found):
        y = -0.45 - 0.62 * row
        _lane(field, mark, start, end, y, COLOURS[row % len(COLOURS)])
        name = f"{mark.reader},\nin memory" if mark.in_memory else mark.reader
        field.beside(y, name, size=SMALL_PT + 1, colour=INK, bold=True)
        unread = f"{mark.unread}, and {mark.gone} gone" if mark.gone else str(mark.unread)
        rows.append((name.replace("\n", " "), f"next {mark.next_offset}", unread))
    more = f", {len(found)} readers"
    return sheet.picture("Bookmarks", rows, ("who", "where", "unread"), more=more)


def _lane(field: Field, mark: Bookmark, start: int, end: int, y: float, colour: str) -> None:
    """Draw a reader's lane: a bar over the records it has read, and the bookmark at its next
    record.

    The bar begins at the log start offset, because a later reader did not get the deleted records.
    """
    behind = 0 if mark.gone else min(start, mark.next_offset)
    if mark.in_memory:
        field.line([behind, mark.next_offset], [y, y], colour, line=(0, (3, 2)))
    else:
        field.block(
            behind, y, mark.next_offset - behind, 0.16, colour=colour, edge="none", alpha=0.35
        )
    inside = "#ffffff" if mark.in_memory else colour
    field.marks([mark.next_offset], y, ">", colour, 9, inside=inside, cut=False)
    gone = f"{mark.gone} gone, " if mark.gone else ""
    unread = f"{mark.unread} unread" if mark.unread else "nothing unread"
    words = f"next is {mark.next_offset}, {gone}{unread}"
    field.words(max(end, 1) * 1.02, y, words, "left", size=SMALL_PT + 1)


def _boxes(field: Field, start: int, end: int) -> None:
    """Draw a box for each offset. The box of a deleted record is struck out."""
    every = 1 if end <= MOST else -(-end // MOST)
    for offset in range(end):
        gone = offset < start
        field.block(
            offset,
            0.5,
            1,
            1,
            str(offset) if offset % every == 0 else "",
            colour="#ffffff" if gone else "#e9eef3",
            edge=RULE if gone else INK,
            hatch="////" if gone else "",
            pen=0.8,
            ink=QUIET if gone else INK,
            size=SMALL_PT + 1,
            paper=Paper(pad_pt=0.8) if gone else None,
        )
