"""Draws the owner of each partition over time: one lane a partition, a gap where it has no owner.

The gaps are the cost of a rebalance: no consumer reads a partition without an owner. A bar begins
where the consumer takes the partition over, and ends where it gives it up. Both times are the
consumer's, not the coordinator's.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkalab.errors import IllegalArgumentException

from .assignment_matrix import COLOURS
from .picture import Picture, blank_figure, columns
from .shown_lab import ShownLab
from .style import ALERT, INK, QUIET, SMALL_PT, WIDTH_IN, axis_unit, clock
from .time_axis import draw_time_axis


@dataclass(frozen=True)
class Holding:
    """A period in which `who` owned a partition."""

    partition: str
    who: str
    from_ms: int
    to_ms: int


def holdings(lab: ShownLab, group: str) -> list[Holding]:
    """The periods in which each consumer of a group owned a partition, sorted by their
    beginning.
    """
    clients = lab.at(lab.now_ms)["clients"]
    members = {who for who, client in clients.items() if client["config"].get("group.id") == group}
    open_: dict[tuple[str, str], int] = {}
    found = []
    for event in lab.journal.of("assigned", "fault"):
        if event.who not in members or (event.kind == "fault" and event.what != "kill -9"):
            continue
        has = set(event.partitions) if event.kind == "assigned" else set()
        for who, tp in [key for key in open_ if key[0] == event.who and key[1] not in has]:
            found.append(Holding(tp, who, open_.pop((who, tp)), event.at_ms))
        for tp in has:
            open_.setdefault((event.who, tp), event.at_ms)
    found += [Holding(tp, who, begun_ms, lab.now_ms) for (who, tp), begun_ms in open_.items()]
    return sorted(found, key=lambda each: (each.from_ms, _place(each.partition), each.who))


def gaps(found: list[Holding], from_ms: int, to_ms: int) -> dict[str, list[tuple[int, int]]]:
    """partition -> the periods between two times without an owner, after its first owner."""
    missing: dict[str, list[tuple[int, int]]] = {}
    for tp in sorted({each.partition for each in found}, key=_place):
        held = sorted((each.from_ms, each.to_ms) for each in found if each.partition == tp)
        end_ms, missing[tp] = held[0][1], []
        for begin, end in [*held[1:], (to_ms, to_ms)]:
            if begin > end_ms and min(begin, to_ms) > max(end_ms, from_ms):
                missing[tp].append((max(end_ms, from_ms), min(begin, to_ms)))
            end_ms = max(end_ms, end)
    return missing


def ownership(
    lab: ShownLab, group: str, from_ms: int = 0, to_ms: int | None = None, title: str | None = None
) -> Picture:
    """Draw a group's partitions between two times of the lab (default: from the start until now).

    Raises IllegalArgumentException where no consumer has owned a partition.
    """
    to_ms = lab.now_ms if to_ms is None else to_ms
    found = holdings(lab, group)
    if not found:
        raise IllegalArgumentException(f"no consumer of a group {group!r} has owned partitions yet")
    missing = gaps(found, from_ms, to_ms)
    rows, members = list(missing), sorted({each.who for each in found})
    height_in = 1.42 + 0.30 * len(rows)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.11, 0.56 / height_in, 0.87, 0.30 * len(rows) / height_in))
    unit_ms, unit = axis_unit(to_ms - from_ms)
    for each in found:
        begin, end = max(each.from_ms, from_ms), min(each.to_ms, to_ms)
        if end <= begin:
            continue
        colour, y = COLOURS[members.index(each.who) % len(COLOURS)], rows.index(each.partition)
        axes.broken_barh(
            [(begin / unit_ms, (end - begin) / unit_ms)],
            (y - 0.4, 0.8),
            facecolor=colour,
            edgecolor=INK,
            linewidth=0.5,
        )
        if end - begin > 0.011 * len(each.who) * (to_ms - from_ms):
            axes.text(
                (begin + end) / 2 / unit_ms,
                y,
                each.who,
                ha="center",
                va="center",
                fontsize=SMALL_PT,
                color=INK,
                clip_on=True,
            )
    for y, tp in enumerate(rows):
        for begin, end in missing[tp]:
            axes.broken_barh(
                [(begin / unit_ms, (end - begin) / unit_ms)],
                (y - 0.4, 0.8),
                facecolor="#ffffff",
                edgecolor=ALERT,
                hatch="xxx",
                linewidth=0,
            )
    axes.set_xlim(from_ms / unit_ms, to_ms / unit_ms)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    draw_time_axis(axes, unit)
    axes.set_yticks(range(len(rows)), rows, fontsize=SMALL_PT + 0.5)
    axes.tick_params(axis="y", length=0)
    lost_ms = sum(end - begin for spans in missing.values() for begin, end in spans)
    heading = title or f"group {group}: who has which partition"
    cost = f"all partitions together were without an owner for {clock(lost_ms)} (crossed out)"
    figure.text(0.012, 1 - 0.10 / height_in, heading, fontsize=12, weight="bold", va="top")
    figure.text(0.012, 1 - 0.40 / height_in, cost, fontsize=SMALL_PT + 0.5, color=QUIET, va="top")
    return Picture(figure, _text(found, missing), f"Ownership: {heading}; {cost}.")


def _place(partition: str) -> tuple[str, int]:
    topic, _, number = partition.rpartition("-")
    return topic, int(number)


def _text(found: list[Holding], missing: dict[str, list[tuple[int, int]]]) -> str:
    spans = [(each.partition, each.from_ms, each.to_ms, each.who) for each in found]
    spans += [
        (tp, begin, end, "nobody") for tp, stretches in missing.items() for begin, end in stretches
    ]
    spans.sort(key=lambda span: (_place(span[0]), span[1], span[3]))
    return columns(
        [(tp, clock(begin), clock(end), who) for tp, begin, end, who in spans],
        ("partition", "from", "to", "whose"),
    )
