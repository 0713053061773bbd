"""Draws who reads a topic: one row a partition, one column a consumer group, and in each cell the
owner.

Down a column the members of one group share the partitions, like a queue. Along a row each group
reads the same partition: publish and subscribe. Under a column are the members that own nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kafkalab.errors import IllegalArgumentException

from .assignment_matrix import COLOURS, NOBODY
from .picture import Picture, blank_figure, columns
from .shown_lab import ShownLab, state_at
from .style import ALERT, INK, QUIET, SMALL_PT, WIDTH_IN

ROW_IN = 0.4


def owners_by_group(lab: ShownLab, topic: str) -> dict[str, dict[str, list[str]]]:
    """group -> partition -> its owners now; "" -> the members of the group without a partition.

    Raises IllegalArgumentException for an unknown topic, and where no group reads it.
    """
    return _owners(state_at(lab), topic)


def _owners(state: Mapping[str, Any], topic: str) -> dict[str, dict[str, list[str]]]:
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


def readers(lab: ShownLab, topic: str, *, title: str | None = None) -> Picture:
    """Draw the owner of each partition of a topic in each group that reads it."""
    state = state_at(lab)
    found = _owners(state, topic)
    groups = list(found)
    partitions = [tp for tp in found[groups[0]] if tp]
    logs = state["partitions"]
    records = {tp: logs[tp]["log_end_offset"] - logs[tp]["log_start_offset"] for tp in partitions}
    rows = [f"{tp}: {records[tp]} records" for tp in partitions]
    height_in = 1.2 + ROW_IN * len(rows)
    figure = blank_figure(WIDTH_IN, height_in)
    wide = min(0.78, 0.22 * len(groups))
    axes = figure.add_axes((0.2, 0.35 / height_in, wide, ROW_IN * len(rows) / height_in))
    for x, group in enumerate(groups):
        names = sorted({name for owners in found[group].values() for name in owners})
        for y, tp in enumerate(partitions):
            owners = found[group][tp]
            place = 3 * x + names.index(owners[0]) if owners else 0
            colour = COLOURS[place % len(COLOURS)] if len(owners) == 1 else "#ffffff"
            axes.barh(
                [y],
                [0.92],
                left=x + 0.04,
                height=0.82,
                color=colour,
                edgecolor=ALERT if len(owners) != 1 else "#ffffff",
                linewidth=0.9 if len(owners) != 1 else 0,
            )
            axes.text(x + 0.5, y, _cell(owners), ha="center", va="center", fontsize=SMALL_PT + 1.5)
        idle = found[group][""]
        if idle:
            axes.text(
                x + 0.5,
                len(rows) - 0.2,
                f"without a partition: {', '.join(idle)}",
                ha="center",
                va="center",
                fontsize=SMALL_PT,
                color=QUIET,
            )
    axes.set_xlim(0, len(groups))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), rows, fontsize=SMALL_PT + 1, color=INK)
    axes.set_xticks(
        [x + 0.5 for x in range(len(groups))],
        [f"group {group}" for group in groups],
        fontsize=SMALL_PT + 1,
        weight="bold",
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    heading = title or f"who reads {topic}"
    figure.text(0.012, 1 - 0.10 / height_in, heading, fontsize=12, weight="bold", va="top")
    return Picture(
        figure, _text(found, partitions, records), f"Readers: {heading}, {len(groups)} groups."
    )


def _cell(owners: list[str]) -> str:
    return " + ".join(owners) or NOBODY


def _text(
    found: dict[str, dict[str, list[str]]], partitions: list[str], records: dict[str, int]
) -> str:
    rows = [
        (tp, str(records[tp]), *(_cell(owners[tp]) for owners in found.values()))
        for tp in partitions
    ]
    rows.append(("no partition", "", *(_cell(owners[""]) for owners in found.values())))
    return columns(rows, ("partition", "records", *(f"group {group}" for group in found)))
