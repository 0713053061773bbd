"""Draws the records of a pool of workers over time, one lane a worker, and the group's commits.

A box is a record that a worker processes, with its offset. The marks above are the group's commits.
The number is the next offset to be read, so it means that all records below it are done. A commit
is red and crossed where this is false: a record below it was still with a worker or in the queue.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .picture import Picture, blank_figure, columns
from .shown_lab import ShownLab
from .style import ALERT, INK, QUIET, SMALL_PT, WIDTH_IN, axis_unit, clock
from .time_axis import draw_time_axis

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LOOKS = (("#9ecbe8", ""), ("#f3d28a", "...."), ("#a9dcc3", "////"), ("#e6bcd3", "xxxx"))


@dataclass(frozen=True)
class Task:
    """A record that a worker processes. to_ms is None where the work never ended."""

    worker: int
    partition: str
    offset: int
    from_ms: int
    to_ms: int | None


@dataclass(frozen=True)
class Promise:
    """A commit that the coordinator accepted, and the unfinished offsets below it at that time."""

    at_ms: int
    partition: str
    offset: int
    not_done: tuple[int, ...]


def tasks(lab: ShownLab, name: str) -> list[Task]:
    """The records that the workers of a pool took, oldest first.

    Raises IllegalArgumentException where there is no such pool.
    """
    found, ends = [], {}
    events = [event for event in lab.journal.of("work") if event.who == name]
    for event in reversed(events):
        key = event.fields["partition"], event.fields["offset"], event.fields["worker"]
        if event.fields["what"] == "ends":
            ends[key] = event.at_ms
        else:
            found.append(Task(key[2], key[0], key[1], event.at_ms, ends.pop(key, None)))
    if not found:
        raise IllegalArgumentException(f"There is no worker pool {name} with work in this lab.")
    return found[::-1]


def promises(lab: ShownLab, name: str) -> list[Promise]:
    """The commits of the pool's group, each with the unfinished offsets below it."""
    group = next(
        event.args.get("group.id")
        for event in lab.journal.of("call")
        if event.who == name and event.name == "new KafkaConsumer"
    )
    given: dict[str, set[int]] = {}
    found = []
    for event in lab.journal.of("record.delivered", "work", "commit"):
        tells = event.fields
        if event.kind == "record.delivered" and event.who == name:
            given.setdefault(tells["partition"], set()).add(tells["offset"])
        elif event.kind == "work" and event.who == name and tells["what"] == "ends":
            given.get(tells["partition"], set()).discard(tells["offset"])
        elif event.kind == "commit" and "offsets" not in tells and tells["group"] == group:
            partition = f"{tells['topic']}-{tells['partition']}"
            below = sorted(
                offset for offset in given.get(partition, ()) if offset < tells["offset"]
            )
            found.append(Promise(event.at_ms, partition, tells["offset"], tuple(below)))
    return found


@draws(ONE)
def worker_lanes(
    lab: ShownLab,
    name: str,
    *,
    from_ms: int = 0,
    to_ms: int | None = None,
    title: str | None = None,
    room_to_ms: int | None = None,
) -> Picture:
    """Draw a pool's work between two times of the lab (default: from the start until now).

    room_to_ms: the end of the time axis, where it is later than to_ms; a line then marks to_ms
    """
    to_ms = lab.now_ms if to_ms is None else to_ms
    boxes = [
        task
        for task in tasks(lab, name)
        if task.from_ms < to_ms and (task.to_ms is None or task.to_ms > from_ms)
    ]
    marks = [mark for mark in promises(lab, name) if from_ms <= mark.at_ms <= to_ms]
    partitions = sorted({box.partition for box in boxes} | {mark.partition for mark in marks})
    end_ms = max(to_ms, room_to_ms or 0)
    workers = max((task.worker for task in tasks(lab, name)), default=1)
    height_in = 1.75 + 0.40 * workers + 0.26 * len(partitions)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.13, 0.55 / height_in, 0.84, 1 - 1.35 / height_in))
    unit_ms, unit = axis_unit(end_ms - from_ms)
    for box in boxes:
        is_running = box.to_ms is not None and box.to_ms > to_ms
        _box(axes, box, partitions.index(box.partition), from_ms, to_ms, unit_ms, is_running)
    for worker in range(1, workers + 1):
        _name(axes, worker, f"worker {worker}")
    for row, partition in enumerate(partitions):
        _name(axes, -0.1 - 0.65 * row, f"commits {partition}")
    span_ms, numbered = end_ms - from_ms, dict.fromkeys(partitions, -1e9)
    for mark in marks:
        has_room = mark.at_ms - numbered[mark.partition] > 0.045 * span_ms
        numbered[mark.partition] = mark.at_ms if has_room else numbered[mark.partition]
        _mark(
            axes,
            mark,
            -0.1 - 0.65 * partitions.index(mark.partition),
            str(mark.offset) if has_room else "",
            span_ms,
            unit_ms,
        )
    axes.set_xlim(from_ms / unit_ms, end_ms / unit_ms)
    if end_ms > to_ms:
        axes.axvline(to_ms / unit_ms, color=ALERT, linewidth=1.6)
    axes.set_ylim(workers + 0.5, -0.55 - 0.65 * len(partitions) + 0.35)
    draw_time_axis(axes, unit)
    broken = sum(bool(mark.not_done) for mark in marks)
    heading = title or f"{name}: {workers} workers, {len(marks)} commits"
    figure.text(0.012, 1 - 0.12 / height_in, heading, fontsize=12, weight="bold", va="top")
    _legend(figure, partitions, broken, 1 - 0.42 / height_in)
    return Picture(
        figure,
        _text(boxes, marks),
        f"Worker lanes: {heading}; {broken} commits go past work that is not done.",
    )


def _box(
    axes: Axes,
    box: Task,
    look: int,
    from_ms: int,
    to_ms: int,
    unit_ms: float,
    is_running: bool = False,
) -> None:
    begin, end = (
        max(box.from_ms, from_ms),
        min(box.to_ms if box.to_ms is not None else to_ms, to_ms),
    )
    colour, hatch = LOOKS[look % len(LOOKS)]
    never = box.to_ms is None and not is_running
    axes.broken_barh(
        [(begin / unit_ms, (end - begin) / unit_ms)],
        (box.worker - 0.36, 0.72),
        facecolor="#ffffff" if never else colour,
        edgecolor=ALERT if never else INK,
        hatch=hatch,
        linewidth=1.2 if never else 0.6,
        linestyle="--" if never else "-",
    )
    if (end - begin) > 0.018 * (to_ms - from_ms):
        axes.text(
            (begin + end) / 2 / unit_ms,
            box.worker,
            str(box.offset),
            ha="center",
            va="center",
            fontsize=SMALL_PT,
            color=INK,
            bbox={"facecolor": "#ffffff", "edgecolor": "none", "pad": 0.8} if hatch else None,
        )


def _mark(axes: Axes, mark: Promise, y: float, number: str, span_ms: int, unit_ms: float) -> None:
    colour = ALERT if mark.not_done else "#00694b"
    axes.plot(
        [mark.at_ms / unit_ms],
        [y],
        marker="X" if mark.not_done else "v",
        markersize=7,
        color=colour,
        clip_on=False,
        zorder=4,
    )
    axes.text(
        (mark.at_ms + 0.008 * span_ms) / unit_ms,
        y,
        number,
        ha="left",
        va="center",
        fontsize=SMALL_PT,
        color=colour,
        clip_on=False,
    )


def _name(axes: Axes, y: float, text: str) -> None:
    axes.text(
        -0.01,
        y,
        text,
        transform=axes.get_yaxis_transform(),
        ha="right",
        va="center",
        fontsize=SMALL_PT,
        color=INK,
    )


def _legend(figure: Figure, partitions: list[str], broken: int, y: float) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Artist] = [
        Patch(
            facecolor=LOOKS[at % len(LOOKS)][0],
            hatch=LOOKS[at % len(LOOKS)][1],
            edgecolor=INK,
            label=f"work on {name}",
        )
        for at, name in enumerate(partitions)
    ]
    handles.append(
        Line2D(
            [], [], linestyle="", marker="v", color="#00694b", label="commit: all below it is done"
        )
    )
    if broken:
        handles.append(
            Line2D(
                [],
                [],
                linestyle="",
                marker="X",
                color=ALERT,
                label="commit past work that is not done",
            )
        )
    figure.legend(
        handles=handles,
        fontsize=SMALL_PT,
        loc="upper left",
        bbox_to_anchor=(0.008, y),
        ncols=5,
        frameon=False,
        handlelength=1.8,
        columnspacing=1.2,
        labelcolor=QUIET,
    )


def _text(boxes: list[Task], marks: list[Promise]) -> str:
    rows = [
        (
            box.from_ms,
            f"worker {box.worker}",
            f"{box.partition}@{box.offset}",
            "never ends" if box.to_ms is None else f"until {clock(box.to_ms)}",
        )
        for box in boxes
    ]
    rows += [
        (
            mark.at_ms,
            "commit",
            f"{mark.partition}@{mark.offset}",
            f"not done: {', '.join(map(str, mark.not_done))}" if mark.not_done else "",
        )
        for mark in marks
    ]
    return columns(
        [(clock(at_ms), *rest) for at_ms, *rest in sorted(rows)], ("at", "who", "what", "how")
    )
