"""Draws the logs of a partition's replicas side by side, at a few moments of one story.

One panel is one moment, one column a replica. The rungs are its records by offset, the thick line
is its high watermark. A star marks the leader, a hatched column is outside the in-sync replicas, a
grey one belongs to a broker that is down. The foot of a column shows the same, so that a replica
without records has its role too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .argument_check import ONE, draws
from .picture import Picture, blank_figure, columns
from .shown_lab import ShownLab
from .style import ALERT, INK, QUIET, RULE, SMALL_PT, WIDTH_IN, clock

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LEADS, IN_SYNC, OUT_OF_SYNC, AWAY = "leader", "in sync", "out of sync", "away"
FOOT = 0.07
"""Height of a column's foot, as a share of the highest offset."""
COLOURS = {LEADS: "#009E73", IN_SYNC: "#56B4E9", OUT_OF_SYNC: "#ffffff", AWAY: "#cccccc"}


@dataclass(frozen=True)
class Rung:
    """One replica at one moment.

    Offsets are of the next record; high_watermark is the replica's own.
    """

    at_ms: int
    broker: int
    role: str
    log_start_offset: int
    log_end_offset: int
    high_watermark: int


def rungs(lab: ShownLab, partition: str, at_ms: Sequence[int]) -> list[Rung]:
    """All replicas of `orders-0` at these times."""
    found = []
    for moment in at_ms:
        state = lab.at(moment)
        place = state["partitions"][partition]
        for broker in place["replicas"]:
            log = place["logs"].get(broker, {})
            alive = state["brokers"][broker]["alive"]
            role = (
                AWAY
                if not alive
                else LEADS
                if place["leader"] == broker
                else IN_SYNC
                if broker in place["isr"]
                else OUT_OF_SYNC
            )
            found.append(
                Rung(
                    moment,
                    broker,
                    role,
                    log.get("log_start_offset", 0),
                    log.get("log_end_offset", 0),
                    log.get("high_watermark", 0),
                )
            )
    return found


@draws(ONE)
def replica_ladder(
    lab: ShownLab,
    partition: str,
    at_ms: Sequence[int] | Mapping[int, str],
    *,
    title: str | None = None,
    tallest: int | None = None,
) -> Picture:
    """Draw the replicas of a partition (`orders-0`) at these times of the lab;
    a mapping gives each moment its caption.

    tallest: the offset up to which the axis goes (default: the highest log end that is drawn)
    """
    captions = dict(at_ms) if isinstance(at_ms, Mapping) else dict.fromkeys(at_ms, "")
    found = rungs(lab, partition, list(captions))
    tallest = max([rung.log_end_offset for rung in found] + [1, tallest or 1])
    height_in = 3.9
    figure = blank_figure(WIDTH_IN, height_in)
    width = 0.93 / len(captions)
    for number, (moment, caption) in enumerate(captions.items()):
        axes = figure.add_axes((0.05 + number * width, 0.115, width * 0.84, 0.585))
        here = [rung for rung in found if rung.at_ms == moment]
        for column, rung in enumerate(here):
            _column(axes, column, rung, tallest)
        axes.set_xlim(-0.6, len(here) - 0.4)
        axes.set_ylim(-FOOT * tallest, tallest * 1.12 + 0.2)
        axes.axhline(0, color=INK, linewidth=0.8)
        axes.set_xticks(
            range(len(here)),
            [f"{'★ ' if rung.role == LEADS else ''}{rung.broker}" for rung in here],
            fontsize=SMALL_PT,
        )
        axes.tick_params(axis="y", labelsize=SMALL_PT)
        axes.set_title(
            f"{clock(moment)}\n{caption}" if caption else clock(moment),
            fontsize=SMALL_PT + 0.5,
            pad=4,
        )
        axes.grid(axis="y", color=RULE, linewidth=0.6)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        if number == 0:
            axes.set_ylabel("offset", fontsize=SMALL_PT)
    heading = title or f"the replicas of {partition}"
    figure.text(0.012, 1 - 0.12 / height_in, heading, fontsize=12, weight="bold", va="top")
    _legend(figure, {rung.role for rung in found}, 1 - 0.42 / height_in)
    rows = [
        (
            clock(rung.at_ms),
            captions[rung.at_ms],
            f"broker {rung.broker}",
            rung.role,
            str(rung.log_end_offset),
            str(rung.high_watermark),
        )
        for rung in found
    ]
    return Picture(
        figure,
        columns(rows, ("when", "what", "replica", "role", "log end", "high watermark")),
        f"Replica ladder: {heading}.",
    )


def _column(axes: Axes, column: int, rung: Rung, tallest: int) -> None:
    height = rung.log_end_offset - rung.log_start_offset
    axes.bar(
        [column],
        [height],
        bottom=[rung.log_start_offset],
        width=0.62,
        color=COLOURS[rung.role],
        edgecolor=INK,
        linewidth=0.8,
        hatch="////" if rung.role == OUT_OF_SYNC else "",
    )
    axes.bar(
        [column],
        [-FOOT * tallest],
        width=0.8,
        color=COLOURS[rung.role],
        edgecolor=INK,
        linewidth=0.8,
        hatch="////" if rung.role == OUT_OF_SYNC else "",
    )
    if tallest <= 40:
        axes.hlines(
            range(rung.log_start_offset + 1, rung.log_end_offset),
            column - 0.31,
            column + 0.31,
            color=INK,
            linewidth=0.4,
        )
    axes.hlines([rung.high_watermark], column - 0.4, column + 0.4, color=ALERT, linewidth=2.4)
    axes.text(
        column,
        rung.log_end_offset + tallest * 0.015,
        str(rung.log_end_offset),
        ha="center",
        va="bottom",
        fontsize=SMALL_PT,
        color=QUIET,
    )


def _legend(figure: Figure, roles: set[str], y: float) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Artist] = [
        Patch(
            facecolor=colour,
            edgecolor=INK,
            hatch="////" if role == OUT_OF_SYNC else "",
            label=f"★ {role}" if role == LEADS else role,
        )
        for role, colour in COLOURS.items()
        if role in roles
    ]
    handles.append(
        Line2D([], [], color=ALERT, linewidth=2.4, label="high watermark as this replica knows it")
    )
    figure.legend(
        handles=handles,
        fontsize=SMALL_PT,
        loc="upper left",
        bbox_to_anchor=(0.008, y),
        ncols=6,
        frameon=False,
        handlelength=1.8,
        columnspacing=1.4,
    )
