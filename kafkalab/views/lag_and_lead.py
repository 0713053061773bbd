"""Draws a group's lag (above) and lead (below) on one time axis.

Lag is high watermark - committed offset: the records still to read. Lead is committed offset - log
start offset: the distance to retention. Below zero retention has deleted records that the group
never read. A dotted line is a rebalance, a dashed red one the death of a
member. A partition's curve begins with its first commit, because
both distances need a committed offset.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from .argument_check import NAMED, draws
from .group_timeline import group_states
from .offset_ruler import COLOURS, LINES
from .picture import Picture
from .sheet import Field, Paper, Sheet
from .shown_lab import ShownLab, members_of
from .style import ALERT, INK, QUIET, clock


@dataclass(frozen=True)
class Distance:
    """From a moment on, the committed offset's distance from the log's end (lag) and start (lead).

    log_start is the log start offset.
    """

    at_ms: int
    lag: int
    lead: int
    log_start: int


def distances(lab: ShownLab, group: str) -> dict[str, list[Distance]]:
    """Partition -> the group's distances after every change; sorted by partition name."""
    ends: dict[str, tuple[int, int]] = {}
    done: dict[str, int] = {}
    found: dict[str, list[Distance]] = {}
    for event in lab.journal.of("log.ends", "commit"):
        partition = f"{event.fields.get('topic')}-{event.fields.get('partition')}"
        if event.kind == "log.ends":
            ends[partition] = (event.log_start_offset, event.high_watermark)
        elif event.fields.get("group") == group and "offset" in event.fields:
            done[partition] = event.offset
        if partition not in done or partition not in ends:
            continue
        start, end = ends[partition]
        points = found.setdefault(partition, [])
        if points and points[-1].at_ms == event.at_ms:
            points.pop()
        points.append(Distance(event.at_ms, end - done[partition], done[partition] - start, start))
    return dict(sorted(found.items()))


@dataclass(frozen=True)
class Loss:
    """A moment at which a group went on behind records that it had never read.

    `deleted` records had gone by then. `skipped` ones were still in the log.
    """

    which: str  # the run's name
    at_ms: int
    partition: str
    deleted: int
    skipped: int

    @property
    def words(self) -> str:
        skipped = f", {self.skipped} skipped" if self.skipped else ""
        return f"never read: {self.deleted} deleted{skipped}"

    @property
    def words_of_run(self) -> str:
        """The words, with the name of the run."""
        return f"{self.which}, {self.words}"


def losses(labs: Mapping[str, ShownLab], group: str) -> list[Loss]:
    """The moments at which a member of the group went on behind deleted records."""
    found = []
    for which, lab in labs.items():
        members = members_of(lab, group)
        start: dict[str, int] = {}
        next_: dict[str, int] = {}
        jumps: dict[str, tuple[int, int | None]] = {}  # when, and where the log began then
        for event in lab.journal.of("log.ends", "position", "record.delivered"):
            if event.kind == "log.ends":
                start[f"{event.topic}-{event.partition}"] = event.log_start_offset
                continue
            if event.who not in members:
                continue
            tp, before = event.partition, next_.get(event.partition)
            if event.kind == "position":  # a lost position is None, until the reset finds another
                if event.offset is None:
                    jumps[tp] = (event.at_ms, None)
                elif jumps.get(tp, (0, 0))[1] is None:
                    jumps[tp] = (event.at_ms, start.get(tp, 0))
                continue
            at_ms, begins = jumps.pop(tp, (event.at_ms, None))
            if begins is None:
                begins = start.get(tp, 0)
            if before is not None and before < begins <= event.offset:
                found.append(Loss(which, at_ms, tp, begins - before, event.offset - begins))
            next_[tp] = max(event.offset + 1, before or 0)
    return found


def _in_all(lost: list[Loss]) -> list[Loss]:
    """One loss for each run: the time of its first, and the records of all."""
    runs: dict[str, Loss] = {}
    for loss in lost:
        first = runs.get(loss.which)
        runs[loss.which] = (
            loss
            if first is None
            else replace(
                first,
                deleted=first.deleted + loss.deleted,
                skipped=first.skipped + loss.skipped,
            )
        )
    return list(runs.values())


def deaths(labs: Mapping[str, ShownLab], group: str) -> list[tuple[int, str]]:
    """(time, name) of each member of the group that was killed."""
    return [
        (event.at_ms, event.who)
        for lab in labs.values()
        for event in lab.journal.of("fault")
        if event.what == "kill -9" and event.who in members_of(lab, group)
    ]


@draws(NAMED)
def lag_and_lead(labs: Mapping[str, ShownLab], group: str, *, title: str | None = None) -> Picture:
    """Draw both distances of a group, in one lab or several, with a line for each committed
    partition.
    """
    curves = {}
    for name, lab in labs.items():
        by_partition = distances(lab, group)
        for partition, points in by_partition.items():
            label = (
                partition
                if len(labs) == 1
                else name
                if len(by_partition) == 1
                else f"{name}, {partition}"
            )
            curves[label] = [*points, replace(points[-1], at_ms=lab.now_ms)]
    span_ms = max(lab.now_ms for lab in labs.values())
    sheet = Sheet(title or f"group {group}: lag and lead", 5.0, down_in=0.12)
    above, below = (sheet.field(0.07, 0.90, low_in, high_in=5 * 0.33) for low_in in (2.65, 0.50))
    for field in (above, below):
        field.clock(0, span_ms)
    for number, (label, points) in enumerate(curves.items()):
        times, colour, line = [p.at_ms for p in points], COLOURS[number % 4], LINES[number % 4]
        above.line(times, [p.lag for p in points], colour, pen=1.8, line=line, steps=True)
        below.line(times, [p.lead for p in points], colour, pen=1.8, line=line, steps=True)
        sheet.key_line(label, colour, line=line, pen=1.8)
    sheet.legend(0.33, left=0.06, colour=QUIET)
    dead = deaths(labs, group)
    # the words that somebody dies need room above the curves
    above.limits(y=(0, above.fitted()[1] * (1.2 if dead else 1)))
    _dress_lead(below, any(point.lead < 0 for points in curves.values() for point in points))
    rebalances = sorted(
        {
            span.from_ms
            for lab in labs.values()
            for span in group_states(lab, group)
            if span.what == "PreparingRebalance"
        }
    )
    for place, at_ms in enumerate(rebalances):
        for field in (above, below):
            field.across(at_ms, QUIET, line=":", layer=1)
        far = place == 0 or at_ms - rebalances[place - 1] > 0.08 * span_ms
        if far and at_ms > 0.02 * span_ms:  # keeps the legend free
            above.near(at_ms + 0.004 * span_ms, 1, "rebalance", (0, 0), of_edges="y",
                       level="bottom", colour=QUIET)  # fmt: skip
    above.chart("lag: records before it", labelled=False)
    below.chart("lead: records behind it")
    for at_ms, who in dead:
        for field in (above, below):
            field.across(at_ms, ALERT, line="--", layer=1)
        late = at_ms > 0.85 * span_ms
        above.near(
            at_ms,
            1,
            f"{who} dies",
            (-4 if late else 4, -9),
            of_edges="y",
            align="right" if late else "left",
            colour=ALERT,
            paper=Paper(pad_pt=0.8),
        )
    lost = losses(labs, group)
    named = len(labs) > 1
    for row, loss in enumerate(_in_all(lost)):  # one label for each run
        late = loss.at_ms > 0.5 * span_ms  # then the room is at its left, above the small lead
        below.near(
            loss.at_ms,
            1 if late else 0,
            loss.words_of_run if named else loss.words,
            (-6, -6 - 14 * row) if late else (6, 12 + 14 * row),
            of_edges="y" if late else "",
            align="right" if late else "left",
            level="top" if late else "bottom",
            colour=ALERT,
            paper=Paper(pad_pt=0.8, alpha=0.85),
        )
    marks = f"\nrebalances at {', '.join(map(clock, rebalances))}" if rebalances else ""
    marks += "".join(f"\n{who} dies at {clock(at_ms)}" for at_ms, who in dead)
    marks += "".join(
        f"\n{loss.partition} at {clock(loss.at_ms)}: {loss.words_of_run if named else loss.words}"
        for loss in lost
    )
    return sheet.picture(
        "Lag and lead",
        [_row(label, points) for label, points in curves.items()],
        ("which", "most lag", "lag at the end", "least lead", "at", "lead at the end"),
        below=marks,
    )


def _dress_lead(below: Field, is_lost: bool) -> None:
    """Draw the line at zero, and with `is_lost` the part below it."""
    low, high = below.fitted()
    low = min(low, -0.06 * high)
    below.limits(y=(low, high))
    if is_lost:
        below.band(low, 0, colour="#fbe3e3", edge="#e5b5b5", hatch="////")
        below.near(0.006, 0.5 * low, "deleted before it was read", (0, 0), of_edges="x",
                   colour=ALERT, paper=Paper(pad_pt=1.2, alpha=0.85))  # fmt: skip
    below.along(0, INK, pen=0.9)


def _row(label: str, points: list[Distance]) -> tuple[str, ...]:
    """One row of the text. The least lead counts from the first move of the log start.

    Before that move retention has deleted nothing, so a small lead is no danger.
    """
    least = min(
        (point for point in points if point.log_start > 0),
        key=lambda point: point.lead,
        default=None,
    )
    told = (str(least.lead), clock(least.at_ms)) if least else ("-", "-")
    return (
        label,
        str(max(point.lag for point in points)),
        str(points[-1].lag),
        *told,
        str(points[-1].lead),
    )
