"""Draws one partition as a ruler with its named offsets, and a group's lag over time.

Offsets are of the *next* record: a committed offset of 10 means that 0 to 9 are done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .argument_check import NAMED, ONE, draws
from .picture import Picture
from .sheet import Dash, Paper, Sheet
from .shown_lab import ShownLab
from .style import BLACK, QUIET, clock

LINES: tuple[Dash, ...] = ("-", "--", "-.", ":")
COLOURS = ("#D55E00", "#0072B2", "#009E73", "#CC79A7")


@dataclass(frozen=True)
class Mark:
    """A named offset on the ruler."""

    name: str
    offset: int


def marks(lab: ShownLab, partition: str, group: str, at_ms: int) -> list[Mark]:
    """Every named offset of a partition at a time.

    They are the log start, the log end, the high watermark, the last stable offset and the group's.
    """
    state = lab.at(at_ms)
    place = state["partitions"][partition]
    found = [
        Mark("log start", place["log_start_offset"]),
        Mark("last stable", place["last_stable_offset"]),
        Mark("high watermark", place["high_watermark"]),
        Mark("log end", place["log_end_offset"]),
    ]
    committed = state["groups"].get(group, {}).get("offsets", {}).get(partition)
    if committed is not None:
        found.append(
            Mark("committed", committed["offset"] if isinstance(committed, Mapping) else committed)
        )
    for name, client in state["clients"].items():
        position = client.get("positions", {}).get(partition)
        if position is not None and client.get("group", group) == group:
            found.append(Mark(f"position of {name}", position))
    return sorted(found, key=lambda mark: mark.offset)


@draws(ONE)
def offset_ruler(
    lab: ShownLab,
    partition: str,
    group: str,
    at_ms: int | None = None,
    *,
    title: str | None = None,
    more: Mapping[str, int] | None = None,
    only: Sequence[str] | None = None,
) -> Picture:
    """Draw the named offsets of a partition on one line, at a time of the lab (default: now).

    more: offsets of your own by name, such as {"finished up to": 7}; they are dashed
    only: the offsets of the lab to draw, each by the beginning of its name ("committed",
    "position"); default: all
    """
    at_ms = lab.now_ms if at_ms is None else at_ms
    found = [
        mark
        for mark in marks(lab, partition, group, at_ms)
        if only is None or mark.name.startswith(tuple(only))
    ]
    found += [Mark(name, offset) for name, offset in (more or {}).items()]
    found = sorted(found, key=lambda mark: mark.offset)
    together: dict[int, list[str]] = {}
    for mark in found:
        together.setdefault(mark.offset, []).append(mark.name)
    log_end = lab.at(at_ms)["partitions"][partition]["log_end_offset"]
    end = max([mark.offset for mark in found] + [1, log_end])
    heading = title or f"{partition} at {clock(at_ms)}, as group {group} sees it"
    sheet = Sheet(heading, 1.25 + 0.26 * len(together), down_in=0.12)
    field = sheet.field(0.04, 0.93, 0.40, 0.45)
    field.block(0, 0, log_end, 0.8, colour="#eeeeee", pen=0.8)
    for row, (offset, names) in enumerate(together.items()):
        high = 1.3 + 0.9 * row
        own = all(name in (more or {}) for name in names)
        colour = COLOURS[row % len(COLOURS)]
        field.line(
            [offset] * 2, [-0.4, high], colour, pen=1.4, line="--" if own else "-", flat=True
        )
        right = offset > end * 0.75
        field.words(
            offset + (-0.006 if right else 0.006) * end,
            high,
            f"{', '.join(names)} {offset}",
            "right" if right else "left",
            colour=BLACK,
            paper=Paper(pad_pt=0.8),
            layer=4,
        )
    field.scale()
    field.limits((-0.01 * end, end * 1.02), (-0.8, 1.3 + 0.9 * len(together)))
    rows = [(mark.name, str(mark.offset)) for mark in found]
    return sheet.picture("Offset ruler", rows, ("mark", "offset"))


def lag_points(lab: ShownLab, group: str) -> list[tuple[int, int]]:
    """(time, records not committed yet) after every change, for all partitions of the group's
    topics.
    """
    ends: dict[str, int] = {}
    done: dict[str, int] = {}
    points: list[tuple[int, int]] = []
    for event in lab.journal.of("log.ends", "commit"):
        if str(event.fields.get("topic", "")).startswith("__"):
            continue  # The offsets topic itself.
        if event.kind == "log.ends":
            ends[f"{event.topic}-{event.partition}"] = event.high_watermark
        elif event.fields.get("group") == group and "offset" in event.fields:
            done[f"{event.topic}-{event.partition}"] = event.offset
        lag = sum(end - done.get(partition, 0) for partition, end in ends.items())
        if points and points[-1][0] == event.at_ms:
            points.pop()
        points.append((event.at_ms, lag))
    return points


@draws(NAMED)
def lag_curve(
    labs: Mapping[str, ShownLab], group: str, *, title: str | None = None, unit_of: str = "records"
) -> Picture:
    """Draw the lag over time in one lab or several, each with its name."""
    points = {name: lag_points(lab, group) for name, lab in labs.items()}
    span_ms = max(lab.now_ms for lab in labs.values())
    sheet = Sheet(title or f"lag of group {group}", 3.4, down_in=0.12)
    field = sheet.field(0.07, 0.90, 0.51, 0.782)
    field.clock(0, span_ms)
    for number, (name, line) in enumerate(points.items()):
        times = [*(at_ms for at_ms, _ in line), labs[name].now_ms]
        lags = [*(lag for _, lag in line), line[-1][1] if line else 0]
        look, colour = LINES[number % 4], COLOURS[number % 4]
        field.line(times, lags, colour, pen=1.8, line=look, steps=True)
        sheet.key_line(name, colour, line=look, pen=1.8)
    field.limits(y=(0, field.fitted()[1]))
    field.chart(f"{unit_of} behind")
    sheet.legend(0.36, left=0.06, ncols=4, colour=QUIET)
    rows = [
        (name, str(max((lag for _, lag in line), default=0)), str(line[-1][1] if line else 0))
        for name, line in points.items()
    ]
    return sheet.picture("Lag over time", rows, ("run", "most behind", "behind at the end"))
