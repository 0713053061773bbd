"""Draws the records of one partition as a share group sees them at one moment: a box a record.

The bar above the boxes is the window, from the start offset to the end offset. A held record has
its member's colour and name, and the number of its delivery. A tick is an accepted record, a cross
an archived one.
"""

from __future__ import annotations

from typing import NamedTuple

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .picture import Picture
from .record_lanes import END_SIGNS, MEMBERS
from .sheet import Field, Paper, Sheet
from .shown_lab import ShownLab, share_members
from .style import INK, QUIET

NEW, FREE, DONE = "not yet acquired", "Available", "#eeeeee"


class SharedRecord(NamedTuple):
    """The state of a record in a share group, its deliveries, and who holds it."""

    state: str
    deliveries: int = 0
    member: str = ""


def states_at(
    lab: ShownLab, group: str, at_ms: int, topic: str, partition: int = 0
) -> dict[int, SharedRecord]:
    """Offset -> its state at that moment, for each record that the group has acquired so far."""
    names = share_members(lab)
    found: dict[int, SharedRecord] = {}
    for event in lab.journal.of("share.records"):
        said = event.fields
        if event.at_ms > at_ms:
            break
        if (said["group"], said["topic"], said["partition"]) != (group, topic, partition):
            continue
        held = said["state"] == "Acquired"
        who = names.get(said["member"], said["member"]) if held else ""
        for offset in range(said["first_offset"], said["last_offset"] + 1):
            found[offset] = SharedRecord(said["state"], said["delivery_count"], who)
    return found


@draws(ONE)
def share_window(
    lab: ShownLab, group: str, topic: str, *, at_ms: int | None = None, title: str = ""
) -> Picture:
    """Draw partition 0 of a share group's topic at a moment of the lab; None: now.

    Raises IllegalArgumentException where the topic has no record.
    """
    at_ms = lab.now_ms if at_ms is None else at_ms
    place = f"{topic}-0"
    end = lab.at(lab.now_ms)["partitions"].get(place, {}).get("log_end_offset", 0)
    if not end:
        raise IllegalArgumentException(f"partition 0 of the topic {topic!r} has no record to draw")
    states = states_at(lab, group, at_ms, topic)
    members = sorted(set(share_members(lab).values()))
    open_now = [
        offset
        for offset in range(max(states, default=-1) + 1)
        if states.get(offset, SharedRecord(FREE)).state not in END_SIGNS
    ]
    span = (open_now[0], max(states)) if open_now else None
    sheet = Sheet(title or f"the window of share group {group}", 1.75, down_in=0.06125)
    field = sheet.field(0.012, 0.976, 0.07, high_in=1.75 * 0.74)
    told = []
    for offset in range(end):
        one = states.get(offset, SharedRecord(NEW))
        _draw_record(field, offset, one, members)
        inside = "yes" if span is not None and span[0] <= offset <= span[1] else "no"
        told.append((f"@{offset}", inside, one.state, str(one.deliveries or ""), one.member))
    if span is not None:
        field.line([span[0] + 0.03, span[1] + 0.97], [-0.72, -0.72], INK, pen=4)
    start = span[0] if span else max(states, default=-1) + 1
    words = f"start offset {start}, end offset {span[1]}" if span else f"start offset {start}"
    if start < end - 3:
        field.words(start + 0.03, -1.1, words, "left")
    else:  # a window at the right edge has its words to the left
        field.words(end, -1.1, words, "right")
    field.limits((-0.05, end + 0.05), (1.0, -1.4))
    field.bare()
    head = ("record", "in the window", "state", "deliveries", "held by")
    return sheet.picture("A share group's records", told, head)


def _draw_record(field: Field, offset: int, one: SharedRecord, members: list[str]) -> None:
    """Draw one record's box with what is known of it."""
    colour, hatch, words, is_new = "#ffffff", "", "", False
    if one.member:
        colour, hatch = MEMBERS[members.index(one.member) % len(MEMBERS)]
        words = f"{one.member}\n{one.deliveries}"
    elif one.state in END_SIGNS:
        colour = DONE
        sign, ink = END_SIGNS[one.state]
        field.words(offset + 0.5, 0.1, sign, size=13, colour=ink)
    elif one.state == FREE:
        words = f"available\n{one.deliveries}"
    else:
        is_new = True
    field.block(
        offset + 0.04,
        0.1,
        0.92,
        1.0,
        words,
        colour=colour,
        hatch=hatch,
        edge=QUIET if is_new else INK,
        line=":" if is_new else "-",
        paper=Paper(),
    )
    field.words(offset + 0.5, 0.82, f"@{offset}", colour=QUIET)
