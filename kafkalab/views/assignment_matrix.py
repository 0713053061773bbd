"""Draws the owners of a group's partitions by generation: one row a partition, one column a
generation.

Each cell has the owner's name. A hatched cell has another owner than the partition had before: it
moved. A white cell in a red frame has no owner (dashed) or two. Each member keeps one colour, and
its name is in the cell, so that the picture does not depend on colour. In the new protocol
(KIP-848) a column is an epoch of the group's target.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .picture import Picture
from .sheet import Paper, Sheet
from .shown_lab import ShownLab, ToldLab, has_journal, topic_and_number
from .style import ALERT, INK, SMALL_PT, clock

COLOURS = ("#8ecdf0", "#f3cf7a", "#8fd3bd", "#e8b3d0", "#f0a98f", "#c9c9c9", "#f7ee9b", "#a9b8e8")
"""Colours of the members by name, here and in `ownership`.

The ninth member has the first colour.
"""
NOBODY = "-"
FINISHED = re.compile(r"Finished assignment for group(?: at generation (\d+))?: \{(.*)\}", re.S)
JOINED = re.compile(
    r"Successfully joined group with generation (?:Generation\{generationId=)?(\d+)"
)
SHARE_OF = re.compile(r"([^\s{},=\[\]]+)=Assignment\(partitions=\[([^\]]*)\]")
UUID = re.compile(r"-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")
"""What a coordinator puts behind a client's id to make the id of a member."""


@dataclass(frozen=True)
class GroupAssignment:
    """The assignment of one generation.

    owners  all partitions of the group's topics -> the members that got each
    called  the word for the number: an epoch in the new protocol
    """

    generation: int
    at_ms: int
    owners: Mapping[str, tuple[str, ...]]
    called: str = "generation"


def group_assignments(lab: ShownLab, group: str) -> list[GroupAssignment]:
    """The generations of a group with an assignment.

    Each has the time of its last assigned member.
    """
    if not has_journal(lab):
        return _assigned_by_lines(lab, group)
    got: dict[int, dict[str, list[str]]] = {}
    times: dict[int, int] = {}
    called = "generation"
    name_of = {
        event.member: event.client_id
        for event in lab.journal.of("group.member")
        if event.group == group
    }
    for event in lab.journal.of("assignment", "consumer_group.assigned"):
        if event.group != group:
            continue
        if event.kind == "assignment":
            got.setdefault(event.generation, {})[event.who] = list(event.partitions)
            times[event.generation] = event.at_ms
        else:
            got[event.epoch] = {
                name_of.get(member, member): list(partitions)
                for member, partitions in event.assignments.items()
            }
            times[event.epoch], called = event.at_ms, "epoch"
    topics = {
        tp.rpartition("-")[0]
        for shares in got.values()
        for partitions in shares.values()
        for tp in partitions
    }
    counts = {
        name: described["partitions"]
        for name, described in lab.at(lab.now_ms)["topics"].items()
        if name in topics
    }
    everything = [
        f"{topic}-{number}" for topic in sorted(counts) for number in range(counts[topic])
    ]
    return _in_order(got, times, everything, called)


def _in_order(
    got: Mapping[int, Mapping[str, list[str]]],
    times: Mapping[int, int],
    partitions: list[str],
    called: str = "generation",
) -> list[GroupAssignment]:
    return [
        GroupAssignment(
            generation,
            times[generation],
            {
                tp: tuple(sorted(who for who, share in got[generation].items() if tp in share))
                for tp in partitions
            },
            called,
        )
        for generation in sorted(got)
    ]


def _assigned_by_lines(lab: ShownLab, group: str) -> list[GroupAssignment]:
    """The same for a lab that knows only what its clients say: the leader of a generation tells
    the assignment of all members. Clients up to 2.3 tell the generation in their next line."""
    got: dict[int, dict[str, list[str]]] = {}
    times: dict[int, int] = {}
    waiting: dict[str, dict[str, list[str]]] = {}
    for row in cast(ToldLab, lab).lines().itertuples():
        if f"groupId={group}]" not in row.message:
            continue
        told, joined = FINISHED.search(row.message), JOINED.search(row.message)
        if told:
            shares = {
                UUID.sub("", member): [tp for tp in text.split(", ") if tp]
                for member, text in SHARE_OF.findall(told[2])
            }
            if told[1] is None:
                waiting[row.client] = shares
            else:
                got[int(told[1])], times[int(told[1])] = shares, int(row.at_ms)
        elif joined and row.client in waiting:
            got[int(joined[1])] = waiting.pop(row.client)
            times[int(joined[1])] = int(row.at_ms)
    places = {tp for shares in got.values() for own in shares.values() for tp in own}
    return _in_order(got, times, sorted(places, key=topic_and_number))


def moves(found: list[GroupAssignment]) -> set[tuple[int, str]]:
    """(generation, partition) for each partition whose owners differ from its last owners."""
    moved: set[tuple[int, str]] = set()
    last: dict[str, tuple[str, ...]] = {}
    for each in found:
        for tp, owners in each.owners.items():
            if owners and last.get(tp, owners) != owners:
                moved.add((each.generation, tp))
            if owners:
                last[tp] = owners
    return moved


@draws(ONE)
def assignment_matrix(lab: ShownLab, group: str, title: str | None = None) -> Picture:
    """Draw all generations of a group.

    Raises IllegalArgumentException for one without assignments. Of a real group the line of its
    leader is drawn; with group.protocol=consumer there is none.
    """
    found = group_assignments(lab, group)
    if not found and not has_journal(lab):
        raise IllegalArgumentException(
            f"no line tells an assignment of a group {group!r}: its leader has written none yet, "
            "and with group.protocol=consumer no client does"
        )
    if not found:
        raise IllegalArgumentException(
            f"no member of a group {group!r} has been assigned partitions yet"
        )
    moved = moves(found)
    members = sorted({who for each in found for owners in each.owners.values() for who in owners})
    rows = list(found[0].owners)
    row_in = 0.30 if len(rows) <= 14 else 0.22
    generations = f"{len(found)} {found[0].called}{'' if len(found) == 1 else 's'}"
    count = f"{len(moved)} time{'' if len(moved) == 1 else 's'} a partition moved"
    sheet = Sheet(title or f"group {group}: who owns what", 1.18 + row_in * len(rows))
    sheet.note(f"{generations}; {count} to another member (hatched)", 0.40)
    field = sheet.field(0.11, 0.88 * min(1.0, 0.34 * len(found)), 0.04, high_in=row_in * len(rows))
    for x, each in enumerate(found):
        for y, tp in enumerate(rows):
            owners = each.owners[tp]
            has_moved, is_wrong = (each.generation, tp) in moved, len(owners) != 1
            colour = "#ffffff" if is_wrong else COLOURS[members.index(owners[0]) % len(COLOURS)]
            field.block(
                x + 0.03,
                y,
                0.94,
                0.88,
                owners_in_words(owners),
                colour=colour,
                edge=INK if has_moved else ALERT if is_wrong else "#ffffff",
                hatch="////" if has_moved else "",
                pen=0.9 if is_wrong else 0,
                line="-" if owners else "--",
                ink=ALERT if len(owners) > 1 else INK,
                size=SMALL_PT + (1 if row_in > 0.25 else 0),
                paper=Paper(colour, 2.2),
            )
    heads = [
        f"{f'{each.called} ' if len(found) <= 8 else ''}{each.generation}\n{clock(each.at_ms)}"
        for each in found
    ]
    field.table(rows, heads, head_size=SMALL_PT + 0.5)
    told = [
        (
            tp,
            *(
                owners_in_words(each.owners[tp]) + (" *" if (each.generation, tp) in moved else "")
                for each in found
            ),
        )
        for tp in rows
    ]
    return sheet.picture(
        "Assignment matrix",
        told,
        ("partition", *(f"{each.called} {each.generation}" for each in found)),
        more=f"; {generations}, {count}",
        below="\n* moved: it belonged to another member before",
    )


def owners_in_words(owners: Sequence[str]) -> str:
    """The words of a cell with these owners."""
    return " + ".join(owners) or NOBODY
