"""Draws the logs of a partition's replicas side by side, at a few moments of one story.

One panel is one moment, one column a replica. The rungs are its records by offset, the thick line
is its high watermark. A star marks the leader, a hatched column is outside the in-sync replicas, a
grey one belongs to a broker that is down. The foot of a column shows the same, so that a replica
without records has its role too.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .argument_check import ONE, draws
from .picture import Picture
from .sheet import Field, Sheet
from .shown_lab import ShownLab
from .style import ALERT, INK, QUIET, clock

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
    sheet = Sheet(title or f"the replicas of {partition}", 3.9, down_in=0.12)
    width = 0.93 / len(captions)
    for number, (moment, caption) in enumerate(captions.items()):
        field = sheet.field(0.05 + number * width, width * 0.84, 3.9 * 0.115, high_in=3.9 * 0.585)
        here = [rung for rung in found if rung.at_ms == moment]
        for column, rung in enumerate(here):
            _column(field, column, rung, tallest)
        field.limits((-0.6, len(here) - 0.4), (-FOOT * tallest, tallest * 1.12 + 0.2))
        field.along(0, INK, pen=0.8)
        names = [f"{'★ ' if rung.role == LEADS else ''}{rung.broker}" for rung in here]
        field.steps_up("offset" if number == 0 else "")
        field.column_names(range(len(here)), names, ticks=True)
        field.heading(f"{clock(moment)}\n{caption}" if caption else clock(moment))
    for role, colour in COLOURS.items():
        if role in {rung.role for rung in found}:
            name = f"★ {role}" if role == LEADS else role
            sheet.key_block(name, colour, hatch=_hatch(role))
    sheet.key_line("high watermark as this replica knows it", ALERT, pen=2.4)
    sheet.legend(0.42, ncols=6, long=1.8, apart=1.4)
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
    head = ("when", "what", "replica", "role", "log end", "high watermark")
    return sheet.picture("Replica ladder", rows, head)


def _hatch(role: str) -> str:
    return "////" if role == OUT_OF_SYNC else ""


def _column(field: Field, column: int, rung: Rung, tallest: int) -> None:
    start, end, foot = rung.log_start_offset, rung.log_end_offset, FOOT * tallest
    for wide, low, high in ((0.62, start, end), (0.8, -foot, 0.0)):
        field.block(column - wide / 2, (low + high) / 2, wide, high - low,
                    colour=COLOURS[rung.role], hatch=_hatch(rung.role), pen=0.8)  # fmt: skip
    if tallest <= 40:
        for offset in range(start + 1, end):
            field.line([column - 0.31, column + 0.31], [offset] * 2, INK, pen=0.4, flat=True)
    mark = rung.high_watermark
    field.line([column - 0.4, column + 0.4], [mark, mark], ALERT, pen=2.4, flat=True)
    field.words(column, end + tallest * 0.015, str(end), level="bottom", colour=QUIET)
