"""Who owned what in which generation? Partitions down, generations across, the owner's name in each
cell.

A hatched cell has another owner than the partition had before: it moved. A white one in a red frame
has none (dashed) or two. Each member keeps one colour, and its name stands in the cell, so nothing
is said by colour alone. In the new protocol (KIP-848) a column is an epoch of the group's target.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kafkalab.errors import IllegalArgumentException

from .picture import Picture, blank_figure, columns
from .style import ALERT, INK, QUIET, SMALL_PT, WIDTH_IN, clock

COLOURS = ("#8ecdf0", "#f3cf7a", "#8fd3bd", "#e8b3d0", "#f0a98f", "#c9c9c9", "#f7ee9b", "#a9b8e8")
"""For the members by name, in this picture and in `ownership`; a ninth begins again."""
NOBODY = "-"


@dataclass(frozen=True)
class Deal:
    """One generation: `owners` has all partitions of the group's topics, each with the members
    that got it; `called` an epoch in the new protocol."""

    generation: int
    at_ms: int
    owners: Mapping[str, tuple[str, ...]]
    called: str = "generation"


def deals(lab, group: str) -> list[Deal]:
    """The generations of a group in which somebody was given his partitions.
    A generation's time is that of its last member."""
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
    return [
        Deal(
            generation,
            times[generation],
            {
                tp: tuple(sorted(who for who, share in got[generation].items() if tp in share))
                for tp in everything
            },
            called,
        )
        for generation in sorted(got)
    ]


def moves(found: list[Deal]) -> set[tuple[int, str]]:
    """(generation, partition) wherever a partition has other owners than those it had last."""
    moved, last = set(), {}
    for deal in found:
        for tp, owners in deal.owners.items():
            if owners and last.get(tp, owners) != owners:
                moved.add((deal.generation, tp))
            if owners:
                last[tp] = owners
    return moved


def assignment_matrix(lab, group: str, title: str | None = None) -> Picture:
    """Draw all generations of a group. Raises IllegalArgumentException for a group in which
    nobody was ever given anything."""
    found = deals(lab, group)
    if not found:
        raise IllegalArgumentException(f"nobody has been given partitions in a group {group!r} yet")
    moved = moves(found)
    members = sorted({who for deal in found for owners in deal.owners.values() for who in owners})
    rows = list(found[0].owners)
    row_in = 0.30 if len(rows) <= 14 else 0.22
    height_in = 1.18 + row_in * len(rows)
    figure = blank_figure(WIDTH_IN, height_in)
    share = min(1.0, 0.2 + 0.14 * len(found))
    axes = figure.add_axes((0.11, 0.04 / height_in, 0.88 * share, row_in * len(rows) / height_in))
    for x, deal in enumerate(found):
        for y, tp in enumerate(rows):
            owners = deal.owners[tp]
            colour = (
                COLOURS[members.index(owners[0]) % len(COLOURS)] if len(owners) == 1 else "#ffffff"
            )
            has_moved, is_wrong = (deal.generation, tp) in moved, len(owners) != 1
            axes.barh(
                [y],
                [0.94],
                left=x + 0.03,
                height=0.88,
                color=colour,
                edgecolor=INK if has_moved else ALERT if is_wrong else "#ffffff",
                hatch="////" if has_moved else "",
                linewidth=0.9 if is_wrong else 0,
                linestyle="-" if owners else "--",
            )
            axes.text(
                x + 0.5,
                y,
                _cell(owners),
                ha="center",
                va="center",
                fontsize=SMALL_PT + (1 if row_in > 0.25 else 0),
                color=ALERT if len(owners) > 1 else INK,
                bbox={"facecolor": colour, "edgecolor": "none", "pad": 2.2},
            )
    axes.set_xlim(0, len(found))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), rows, fontsize=SMALL_PT + 1)
    axes.set_xticks(
        [x + 0.5 for x in range(len(found))],
        [_heading(deal, len(found)) for deal in found],
        fontsize=SMALL_PT + 0.5,
    )
    axes.xaxis.tick_top()
    axes.tick_params(length=0)
    for side in axes.spines.values():
        side.set_visible(False)
    heading = title or f"group {group}: who owns what"
    generations = f"{len(found)} {found[0].called}{'' if len(found) == 1 else 's'}"
    count = f"{len(moved)} time{'' if len(moved) == 1 else 's'} a partition moved"
    figure.text(0.012, 1 - 0.10 / height_in, heading, fontsize=12, weight="bold", va="top")
    figure.text(
        0.012,
        1 - 0.40 / height_in,
        f"{generations}; {count} to another member (hatched)",
        fontsize=SMALL_PT + 0.5,
        color=QUIET,
        va="top",
    )
    return Picture(
        figure, _text(found, moved), f"Assignment matrix: {heading}; {generations}, {count}."
    )


def _heading(deal: Deal, count: int) -> str:
    return f"{f'{deal.called} ' if count <= 8 else ''}{deal.generation}\n{clock(deal.at_ms)}"


def _cell(owners: tuple[str, ...]) -> str:
    return " + ".join(owners) or NOBODY


def _text(found: list[Deal], moved: set[tuple[int, str]]) -> str:
    rows = [
        (
            tp,
            *(
                _cell(deal.owners[tp]) + (" *" if (deal.generation, tp) in moved else "")
                for deal in found
            ),
        )
        for tp in found[0].owners
    ]
    return (
        columns(rows, ("partition", *(f"{deal.called} {deal.generation}" for deal in found)))
        + "\n* moved: it belonged to another member before"
    )
