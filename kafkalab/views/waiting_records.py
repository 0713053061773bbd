"""Draws how many records wait for each partition of a topic, over time.

Each lab has a part of its own, and each partition a line. A record waits from `send` until the
producer has its answer: in the producer's memory (RecordAccumulator) and in the requests that are
on their way.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kafkalab.errors import IllegalArgumentException

from .argument_check import NAMED, draws
from .offset_ruler import COLOURS, LINES
from .picture import Picture
from .sheet import Sheet
from .shown_lab import ShownLab
from .style import SMALL_PT, clock


@dataclass(frozen=True)
class Waiting:
    """From a moment on, so many records of one partition wait for their answer."""

    at_ms: int
    records: int


def waiting(lab: ShownLab, topic: str) -> dict[str, list[Waiting]]:
    """Partition -> how many of its records wait, after each change; sorted by partition name.

    Raises IllegalArgumentException for a topic without answered records.
    """
    sent_ms = {event.id: event.at_ms for event in lab.journal.of("call") if event.name == "send"}
    changes: dict[str, dict[int, int]] = {}
    for event in lab.journal.of("record.completed"):
        if event.partition.rpartition("-")[0] != topic or event.sent not in sent_ms:
            continue
        steps = changes.setdefault(event.partition, {})
        for at_ms, step in ((sent_ms[event.sent], 1), (event.at_ms, -1)):
            steps[at_ms] = steps.get(at_ms, 0) + step
    if not changes:
        raise IllegalArgumentException(f"No record of a topic {topic} has been answered yet.")
    found = {}
    for partition, steps in sorted(changes.items()):
        records, points = 0, []
        for at_ms in sorted(steps):
            records += steps[at_ms]
            points.append(Waiting(at_ms, records))
        found[partition] = points
    return found


@draws(NAMED)
def waiting_records(
    labs: Mapping[str, ShownLab], topic: str, *, title: str | None = None
) -> Picture:
    """Draw the records that wait in several labs by name: {"client 2.8": lab, "client 3.9": other}.

    All parts have one scale.
    """
    curves = {name: waiting(lab, topic) for name, lab in labs.items()}
    lines = [points for by_partition in curves.values() for points in by_partition.values()]
    from_ms = min(points[0].at_ms for points in lines)
    to_ms = max(points[-1].at_ms for points in lines)
    most = max(point.records for points in lines for point in points)
    height_in = 1.15 + 1.5 * len(curves)
    sheet = Sheet(title or f"records of {topic} that wait for their answer", height_in)
    told = []
    for number, (name, by_partition) in enumerate(curves.items()):
        bottom_in = height_in - 0.85 - 1.5 * (number + 1) + 0.25
        field = sheet.field(0.09, 0.88, bottom_in, high_in=1.15)
        field.clock(0, to_ms)
        field.limits((from_ms, to_ms * 1.01), (0, most * 1.1))
        for place, (partition, points) in enumerate(by_partition.items()):
            colour, line = COLOURS[place % 4], LINES[place % 4]
            times, records = [p.at_ms for p in points], [p.records for p in points]
            field.line(times, records, colour, line=line, steps=True)
            if number == 0:
                sheet.key_line(partition, colour, line=line, pen=1.6)
            told.append((name, partition, str(max(records)), clock(points[-1].at_ms)))
        field.chart("waiting records", labelled=number + 1 == len(curves), pen=0.7)
        field.heading(name, align="left", size=SMALL_PT + 1, bold=True, up_pt=3)
    sheet.legend(0.95, left=0.97, corner="lower right", ncols=4, long=3.2)
    head = ("lab", "partition", "most waiting", "last answer")
    return sheet.picture("Waiting records", told, head)
