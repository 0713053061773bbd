"""Draws who reads a topic: one row a partition, one column a consumer group, and in each cell the
owner.

Down a column the members of one group share the partitions, like a queue. Along a row each group
reads the same partition: publish and subscribe. Under a column are the members that own nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .assignment_matrix import COLOURS, owners_in_words
from .picture import Picture
from .sheet import Sheet
from .shown_lab import ShownLab, state_at
from .style import ALERT, BLACK, INK, QUIET, SMALL_PT

ROW_IN = 0.4


def _owners(state: Mapping[str, Any], topic: str) -> dict[str, dict[str, list[str]]]:
    """group -> partition -> its owners now; "" -> the members of the group without a partition.

    Raises IllegalArgumentException for an unknown topic, and where no group reads it.
    """
    if topic not in state["topics"]:
        raise IllegalArgumentException(f"There is no topic {topic}; make it with lab.create_topic.")
    partitions = [f"{topic}-{number}" for number in range(state["topics"][topic]["partitions"])]
    found: dict[str, dict[str, list[str]]] = {}
    for group, described in state["groups"].items():
        members = [each for each in described["members"].values() if topic in each["subscription"]]
        if not members:
            continue
        owners: dict[str, list[str]] = {tp: [] for tp in ["", *partitions]}
        for member in sorted(members, key=lambda each: str(each["client_id"])):
            for tp in [tp for tp in member["assignment"] if tp in owners] or [""]:
                owners[tp].append(member["client_id"])
        found[group] = owners
    if not found:
        raise IllegalArgumentException(f"No consumer group reads the topic {topic} yet.")
    return found


@draws(ONE)
def readers(lab: ShownLab, topic: str, *, title: str | None = None) -> Picture:
    """Draw the owner of each partition of a topic in each group that reads it."""
    state = state_at(lab)
    found = _owners(state, topic)
    groups = list(found)
    partitions = [tp for tp in found[groups[0]] if tp]
    logs = state["partitions"]
    records = {tp: logs[tp]["log_end_offset"] - logs[tp]["log_start_offset"] for tp in partitions}
    sheet = Sheet(title or f"who reads {topic}", 1.2 + ROW_IN * len(partitions))
    field = sheet.field(0.2, min(0.78, 0.22 * len(groups)), 0.35, high_in=ROW_IN * len(partitions))
    for x, group in enumerate(groups):
        names = sorted({name for owners in found[group].values() for name in owners})
        for y, tp in enumerate(partitions):
            owners = found[group][tp]
            place = 3 * x + names.index(owners[0]) if owners else 0
            is_one = len(owners) == 1
            field.block(
                x + 0.04,
                y,
                0.92,
                0.82,
                owners_in_words(owners),
                colour=COLOURS[place % len(COLOURS)] if is_one else "#ffffff",
                edge="#ffffff" if is_one else ALERT,
                pen=0 if is_one else 0.9,
                ink=BLACK,
                size=SMALL_PT + 1.5,
            )
        idle = found[group][""]
        if idle:
            words = f"without a partition: {', '.join(idle)}"
            field.words(x + 0.5, len(partitions) - 0.2, words, colour=QUIET)
    field.table(
        [f"{tp}: {records[tp]} records" for tp in partitions],
        [f"group {group}" for group in groups],
        colour=INK,
        bold_heads=True,
    )
    rows = [
        (tp, str(records[tp]), *(owners_in_words(owners[tp]) for owners in found.values()))
        for tp in partitions
    ]
    rows.append(("no partition", "", *(owners_in_words(owners[""]) for owners in found.values())))
    head = ("partition", "records", *(f"group {group}" for group in found))
    return sheet.picture("Readers", rows, head, more=f", {len(groups)} groups")
