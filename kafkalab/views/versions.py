"""Draws the connections of two labs above one time axis and boxes the rows that differ.

It compares two versions of a client. Rows are paired by the purpose of the connection: the first
bootstrap connection with the first, the coordinator's with the coordinator's, a broker's with that
broker's. Node ids are not compared. A client picks a bootstrap address at random, and 4.4.0 writes
the coordinator's id in another way.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .connections import ConnectionRow, draw_legend, draw_rows, rows, table_text
from .picture import Picture, blank_figure
from .shown_lab import ShownLab
from .style import INK, WIDTH_IN, clock

_RowKey = tuple[str, int | None, str | None, int]
"""A row's class, broker and ending, and how many like it come before."""


def compare(
    left: ShownLab,
    right: ShownLab,
    titles: tuple[str, str],
    *,
    client: str | None = None,
    to_ms: int | None = None,
) -> Picture:
    """Draw two labs, one above the other, on one time axis, and box the rows that only one of them
    has.

    :param left: a Lab; the upper picture
    :param right: a Lab; the lower picture
    :param titles: the names of the two, usually the client versions
    :param client: one client's connections only
    :param to_ms: end of the time axis, ms of the lab; default: the later of the two labs' clocks
    """
    to_ms = max(left.now_ms, right.now_ms) if to_ms is None else to_ms
    both = [
        [row for row in rows(lab, client) if row.opened_at_ms <= to_ms] for lab in (left, right)
    ]
    boxes = differing(both[0], both[1])
    row_in, gap_in = 0.40, 0.52
    heights = [row_in * max(1, len(found)) for found in both]
    height_in = sum(heights) + 2 * gap_in + 1.20
    figure = blank_figure(WIDTH_IN, height_in)
    top = height_in - 0.66
    for found, boxed, title, height in zip(both, boxes, titles, heights):
        top -= gap_in
        caption = f"{title}: {connection_counts(found, to_ms)}"
        figure.text(
            0.012,
            (top + 0.06) / height_in,
            caption,
            fontsize=10,
            weight="bold",
            va="bottom",
            color=INK,
        )
        top -= height
        axes = figure.add_axes((0.27, top / height_in, 0.50, height / height_in))
        draw_rows(axes, found, 0, to_ms, boxed)
        if found is both[0]:
            axes.set_xlabel("")
            axes.tick_params(axis="x", labelbottom=False)
    number = sum(map(len, boxes))
    same = (
        "the same connections, opened at other times"
        if _at_other_times(both[0], both[1], to_ms)
        else "no row differs"
    )
    news = {0: same, 1: "1 row differs (boxed)"}.get(number, f"{number} rows differ (boxed)")
    heading = f"{titles[0]} and {titles[1]}: {news}"
    figure.text(0.012, 1 - 0.12 / height_in, heading, fontsize=12, weight="bold", va="top")
    draw_legend(figure, {row.role for found in both for row in found}, 1 - 0.42 / height_in)
    return Picture(
        figure,
        comparison_text(both, boxes, titles),
        f"Two connection Gantts above one axis. {heading}.",
    )


def connection_counts(found: list[ConnectionRow], to_ms: int) -> str:
    """The numbers of connections of one side, for its heading."""
    open_now = sum(row.closed_at_ms is None or row.closed_at_ms > to_ms for row in found)
    return f"{len(found)} opened, {open_now} open at {clock(to_ms)}"


def differing(
    left: list[ConnectionRow], right: list[ConnectionRow]
) -> tuple[frozenset[int], frozenset[int]]:
    """Row numbers on each side without a partner of the same class,
    broker and ending on the other."""
    keys = _keys(left), _keys(right)
    return _only_in(*keys), _only_in(*keys[::-1])


def _only_in(mine: list[_RowKey], other: list[_RowKey]) -> frozenset[int]:
    known = set(other)
    return frozenset(y for y, key in enumerate(mine) if key not in known)


def _at_other_times(left: list[ConnectionRow], right: list[ConnectionRow], to_ms: int) -> bool:
    """Whether a row and its partner open at visibly different times: a fiftieth of the axis."""
    opened = [
        {key: row.opened_at_ms for key, row in zip(_keys(side), side)} for side in (left, right)
    ]
    return any(
        abs(at_ms - opened[1][key]) > to_ms / 50
        for key, at_ms in opened[0].items()
        if key in opened[1]
    )


def _keys(side: list[ConnectionRow]) -> list[_RowKey]:
    seen: Counter[tuple[str, int | None, str | None]] = Counter()
    keys = []
    for row in side:
        name = (row.role, None if row.role == "bootstrap" else row.broker, row.how)
        keys.append((*name, seen[name]))
        seen[name] += 1
    return keys


def comparison_text(
    both: Sequence[list[ConnectionRow]], boxes: Sequence[frozenset[int]], titles: tuple[str, str]
) -> str:
    """Both tables as text, with a star before each row that only one side has."""
    parts = []
    for found, boxed, title in zip(both, boxes, titles):
        head, *body = table_text(found).splitlines()
        starred = [("* " if y in boxed else "  ") + line for y, line in enumerate(body)]
        parts.append("\n".join([title, "  " + head, *starred]))
    return "\n\n".join(parts) + "\n\n* only on this side"
