"""Draws the records of a pool of workers over time, one lane a worker, and the group's commits.

A box is a record that a worker processes, with its offset. The marks above are the group's commits.
The number is the next offset to be read, so it means that all records below it are done. A commit
is red and crossed where this is false: a record below it was still with a worker or in the queue.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .picture import Picture
from .sheet import Field, Paper, Sheet
from .shown_lab import ShownLab, settings_of_consumers
from .style import ALERT, INK, QUIET, clock

DONE = "#00694b"
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
    group = settings_of_consumers(lab)[name].get("group.id")
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
    broken = sum(bool(mark.not_done) for mark in marks)
    heading = title or f"{name}: {workers} workers, {len(marks)} commits"
    sheet = Sheet(heading, 1.75 + 0.40 * workers + 0.26 * len(partitions), down_in=0.12)
    field = sheet.field(0.17, 0.80, 0.55, 0.80)
    field.clock(from_ms, to_ms, room_to_ms=room_to_ms)
    field.limits(y=(workers + 0.5, -0.20 - 0.65 * len(partitions)))
    span_ms = end_ms - from_ms
    for box in boxes:
        needs = 0.018 * (to_ms - from_ms) / span_ms
        _box(field, box, partitions.index(box.partition), to_ms, needs)
    for worker in range(1, workers + 1):
        field.beside(worker, f"worker {worker}", colour=INK)
    heights = {partition: -0.1 - 0.65 * row for row, partition in enumerate(partitions)}
    numbered = dict.fromkeys(partitions, -1e9)
    for partition, y in heights.items():
        field.beside(y, f"commits {partition}", colour=INK)
    for mark in marks:
        y, colour = heights[mark.partition], ALERT if mark.not_done else DONE
        sign = "X" if mark.not_done else "v"
        field.marks([mark.at_ms], y, sign, colour, 7, layer=4, cut=False)
        if mark.at_ms - numbered[mark.partition] > 0.045 * span_ms:
            numbered[mark.partition] = mark.at_ms
            left_ms = mark.at_ms + 0.008 * span_ms
            field.words(left_ms, y, str(mark.offset), "left", colour=colour)
    field.time_axis()
    for partition, (colour, hatch) in zip(partitions, LOOKS * (len(partitions) // len(LOOKS) + 1)):
        sheet.key_block(f"work on {partition}", colour, hatch=hatch)
    sheet.key_mark("commit: all below it is done", "v", DONE)
    if broken:
        sheet.key_mark("commit past work that is not done", "X", ALERT)
    sheet.legend(0.42, colour=QUIET, long=1.8, apart=1.2)
    told = [
        (
            box.from_ms,
            f"worker {box.worker}",
            f"{box.partition}@{box.offset}",
            "never ends" if box.to_ms is None else f"until {clock(box.to_ms)}",
        )
        for box in boxes
    ]
    told += [
        (
            mark.at_ms,
            "commit",
            f"{mark.partition}@{mark.offset}",
            f"not done: {', '.join(map(str, mark.not_done))}" if mark.not_done else "",
        )
        for mark in marks
    ]
    return sheet.picture(
        "Worker lanes",
        [(clock(at_ms), *rest) for at_ms, *rest in sorted(told)],
        ("at", "who", "what", "how"),
        more=f"; {broken} commits go past work that is not done",
    )


def _box(field: Field, box: Task, look: int, to_ms: int, needs: float) -> None:
    """Draw a record's work; work that never ends has a dashed, red edge."""
    colour, hatch = LOOKS[look % len(LOOKS)]
    never = box.to_ms is None
    field.span(
        box.from_ms,
        to_ms if box.to_ms is None else box.to_ms,
        box.worker,
        0.72,
        str(box.offset),
        needs=needs,
        colour="#ffffff" if never else colour,
        edge=ALERT if never else INK,
        hatch=hatch,
        pen=1.2 if never else 0.6,
        line="--" if never else "-",
        paper=Paper(pad_pt=0.8) if hatch else None,
    )
