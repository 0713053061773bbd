"""Draws the connections of two labs above one time axis and boxes the rows that differ.

It compares two versions of a client. Rows are paired by the purpose of the connection: a bootstrap
connection with a bootstrap connection, the coordinator's with the coordinator's, a broker's with
that broker's. Among several the same node id decides first. Another id alone is no difference: a
client picks a bootstrap address at random, and 4.4.0 writes the coordinator's id in another way.
"""

from __future__ import annotations

from collections.abc import Sequence

from .argument_check import TWO, draws
from .connections import (
    ROWS_AT,
    ConnectionRow,
    connection_counts,
    draw_legend,
    draw_rows,
    rows,
    table_text,
)
from .picture import Picture
from .sheet import Sheet
from .shown_lab import ShownLab
from .style import INK, SMALL_PT

_Class = tuple[str, int | None, str | None]
"""A row's class, broker and ending."""


@draws(TWO)
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
    number = sum(map(len, boxes))
    same = (
        "the same connections, opened at other times"
        if _at_other_times(both[0], both[1], to_ms)
        else "no row differs"
    )
    news = {0: same, 1: "1 row differs (boxed)"}.get(number, f"{number} rows differ (boxed)")
    gap_in = 0.52
    heights_in = [0.40 * max(1, len(found)) for found in both]
    height_in = sum(heights_in) + 2 * gap_in + 1.20
    sheet = Sheet(f"{titles[0]} and {titles[1]}: {news}", height_in, down_in=0.12)
    down_in = 0.66
    for found, boxed, title, own_in in zip(both, boxes, titles, heights_in):
        down_in += gap_in
        caption = f"{title}: {connection_counts(found, to_ms)}"
        sheet.note(
            caption, down_in - 0.06, level="bottom", size=SMALL_PT + 1, colour=INK, bold=True
        )
        below_in = height_in - down_in - own_in
        field = sheet.field(*ROWS_AT, below_in, high_in=own_in)
        draw_rows(field, found, 0, to_ms, boxed, labelled=found is not both[0])
        down_in += own_in
    draw_legend(sheet, {row.role for found in both for row in found}, 0.42)
    return sheet.told(
        f"Two connection Gantts above one axis. {sheet.title}.",
        comparison_text(both, boxes, titles),
    )


def differing(
    left: list[ConnectionRow], right: list[ConnectionRow]
) -> tuple[frozenset[int], frozenset[int]]:
    """Row numbers on each side without a partner of the same class, broker and ending on the
    other."""
    pairs = _pairs(left, right)
    mine, other = {y for y, _ in pairs}, {y for _, y in pairs}
    return (
        frozenset(y for y in range(len(left)) if y not in mine),
        frozenset(y for y in range(len(right)) if y not in other),
    )


def _pairs(left: list[ConnectionRow], right: list[ConnectionRow]) -> list[tuple[int, int]]:
    """The rows that are the same connection on both sides.

    Rows with the same node id are a pair first. The remaining ones of one class are pairs in the
    order of their opening.
    """
    free = set(range(len(right)))
    pairs: dict[int, int] = {}
    for same in (lambda row: (*_class(row), row.node), _class):
        for y, row in enumerate(left):
            if y in pairs:
                continue
            partner = next((at for at in sorted(free) if same(right[at]) == same(row)), None)
            if partner is not None:
                pairs[y] = partner
                free.remove(partner)
    return sorted(pairs.items())


def _class(row: ConnectionRow) -> _Class:
    return row.role, None if row.role == "bootstrap" else row.broker, row.how


def _at_other_times(left: list[ConnectionRow], right: list[ConnectionRow], to_ms: int) -> bool:
    """Whether a row and its partner open at visibly different times: a fiftieth of the axis."""
    return any(
        abs(left[y].opened_at_ms - right[partner].opened_at_ms) > to_ms / 50
        for y, partner in _pairs(left, right)
    )


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
