"""Draws what a share group did with each record: one lane a record, time from left to right.

A box is a time in which one member held the record. Its number is the delivery. A tick ends an
accepted record, a cross an archived one. A thin line is a record that is available again. A red X
is the death of the member's process. A hollow bar is a member that works on after its lock has
ended, until it acknowledges the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .picture import Picture
from .sheet import Field, Paper, Sheet
from .shown_lab import ShownLab, share_members
from .style import ALERT, QUIET, RULE, axis_unit, clock

MEMBERS = (
    ("#56B4E9", ""),
    ("#E69F00", "////"),
    ("#009E73", "...."),
    ("#CC79A7", "xxxx"),
    ("#F0E442", "\\\\\\\\"),
)
"""Colour and hatch of the members in the order of their names: ada has hers in each picture."""

KILLED = "killed"
"""Why a record is available again: its member's process is killed, so its session is closed."""
END_SIGNS = {"Acknowledged": ("✓", "#006b4f"), "Archived": ("✗", ALERT)}


@dataclass(frozen=True)
class Hold:
    """A time in which a member held a record: the delivery, and how it ended.

    late_ms: when the member acknowledged the record after its lock had ended; heard: the answer
    """

    offset: int
    member: str
    delivery: int
    from_ms: int
    to_ms: int | None
    state: str
    why: str
    late_ms: int | None = None
    heard: str = ""


@draws(ONE)
def record_lanes(
    lab: ShownLab, group: str, *, topic: str | None = None, partition: int = 0
) -> Picture:
    """Draw the records of one partition of a share group, up to now.

    topic: None takes the group's only topic. Raises IllegalArgumentException where the group has
    acquired nothing.
    """
    found = _told_late(lab, list(record_holds(lab, group, topic, partition)), group, partition)
    holds = sorted(found, key=lambda h: (h.offset, h.from_ms))
    if not holds:
        raise IllegalArgumentException(
            f"the share group {group!r} has acquired no record of that partition in this lab"
        )
    held_by = {hold.member for hold in holds}
    members = sorted({*share_members(lab).values(), *held_by})
    offsets = sorted({hold.offset for hold in holds})
    begin_ms = min(hold.from_ms for hold in holds)
    end_ms = max(begin_ms + 1, *(lab.now_ms if h.to_ms is None else h.to_ms for h in holds))
    is_late = any(hold.late_ms for hold in holds)
    lane_in = 0.50 if is_late else 0.30
    sheet = Sheet(f"records of share group {group}", 1.35 + lane_in * len(offsets), down_in=0.08)
    field = sheet.field(0.08, 0.89, 0.50, 0.70)
    # The axis has the unit of the end, and begins at the first delivery.
    unit_ms, unit = axis_unit(end_ms)
    for row, offset in enumerate(offsets):
        own = [hold for hold in holds if hold.offset == offset]
        _lane(field, row, own, members, end_ms, unit_ms, 0.19 / lane_in)
    span = (end_ms - begin_ms) / unit_ms
    field.row_names([f"@{offset}" for offset in offsets])
    field.limits(
        (begin_ms / unit_ms - 0.02 * span, end_ms / unit_ms + 0.03 * span),
        (len(offsets) - 0.4, -0.6),
    )
    field.numbers(f"time ({unit})", colour=QUIET)
    for number, member in enumerate(members):
        colour, hatch = MEMBERS[number % len(MEMBERS)]
        if member in held_by:
            sheet.key_block(member, colour, hatch=hatch, edge="white")
    if any(hold.why == KILLED for hold in holds):
        sheet.key_mark("the process is killed", "x", ALERT, size=8, pen=2)
    if is_late:
        sheet.key_block("works on after the lock's end", "white", edge=ALERT)
    sheet.legend(0.70, left=0.97, corner="lower right", ncols=len(held_by) + 2, borderaxespad=0.2)
    rows = [
        (
            f"@{hold.offset}",
            str(hold.delivery),
            hold.member,
            clock(hold.from_ms),
            "now" if hold.to_ms is None else clock(hold.to_ms),
            (f"{hold.state} ({hold.why})" if hold.why else "held")
            + (f", works on to {clock(hold.late_ms)}: {hold.heard}" if hold.late_ms else ""),
        )
        for hold in holds
    ]
    return sheet.picture(
        "Who held each record, and what became of it",
        rows,
        ("record", "delivery", "held by", "from", "to", "then"),
    )


def record_holds(lab: ShownLab, group: str, topic: str | None, partition: int) -> Iterator[Hold]:
    """Each time in which a member held a record, from the journal."""
    names = share_members(lab)
    open_now: dict[int, Hold] = {}
    for event in lab.journal.of("share.records"):
        said = event.fields
        if said["group"] != group or said["partition"] != partition:
            continue
        topic = topic or said["topic"]
        if said["topic"] != topic or said["why"] == "renew":
            continue
        for offset in range(said["first_offset"], said["last_offset"] + 1):
            if said["why"] == "fetched":
                who = names.get(said["member"], said["member"])
                open_now[offset] = Hold(
                    offset, who, said["delivery_count"], event.at_ms, None, "", ""
                )
            elif offset in open_now:
                yield replace(
                    open_now.pop(offset), to_ms=event.at_ms, state=said["state"], why=said["why"]
                )
    yield from open_now.values()


def _told_late(lab: ShownLab, holds: list[Hold], group: str, partition: int) -> Iterator[Hold]:
    """The holds, with what is known of members that died, or worked on after their lock had
    ended.

    The broker refuses what a late member says, unless the start offset has passed the record.
    """
    deaths = {event.who: event.at_ms for event in lab.journal.of("fault")}
    said = [event for event in lab.journal.of("call") if event.name == "acknowledge"]
    starts = [
        (event.at_ms, event.start_offset)
        for event in lab.journal.of("share.window")
        if (event.group, event.partition) == (group, partition)
    ]
    for hold in holds:
        place = f"-{partition}@{hold.offset} "
        later = [
            event.at_ms
            for event in said
            if event.who == hold.member
            and place in f"{event.args['record']} "
            and event.at_ms >= (hold.to_ms or lab.now_ms)
        ]
        if hold.why == "session closed" and hold.member in deaths:
            yield replace(hold, why=KILLED)
        elif hold.why == "lock expired" and later:
            start = max((offset for at_ms, offset in starts if at_ms <= later[0]), default=0)
            heard = "refused" if hold.offset >= start else "passed over"
            yield replace(hold, late_ms=later[0], heard=heard)
        else:
            yield hold


def _lane(
    field: Field,
    row: int,
    holds: list[Hold],
    members: list[str],
    end_ms: int,
    unit_ms: float,
    tall: float,
) -> None:
    """Draw one record's boxes, the lines between them, and its end."""
    for place, hold in enumerate(holds):
        colour, hatch = MEMBERS[members.index(hold.member) % len(MEMBERS)]
        to_ms = end_ms if hold.to_ms is None else hold.to_ms
        left, width = hold.from_ms / unit_ms, max(to_ms - hold.from_ms, end_ms / 250) / unit_ms
        field.block(left, row, width, tall, colour=colour, edge="white", hatch=hatch, pen=1)
        if hold.why == KILLED:
            field.marks([left + width], row, "x", ALERT, 8, pen=2, layer=4)
        if hold.late_ms is not None:
            late = hold.late_ms / unit_ms
            above = row - 0.95 * tall
            field.block(left + width, above, late - left - width, 0.6 * tall, colour="white",
                        edge=ALERT, pen=1)  # fmt: skip
            words = f" ✗ {hold.member}: {hold.heard}"
            field.words(late, above, words, "left", colour=ALERT)
        field.words(left, row, f" {hold.delivery}", "left", paper=Paper(colour, 0.6))
        if hold.state in END_SIGNS:
            sign, ink = END_SIGNS[hold.state]
            field.words(left + width, row, f" {sign}", "left", size=11, colour=ink)
        elif hold.to_ms is not None:
            until_ms = holds[place + 1].from_ms if place + 1 < len(holds) else end_ms
            field.line([left + width, until_ms / unit_ms], [row, row], RULE, pen=2, flat=True)
