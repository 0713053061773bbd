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
from .picture import Picture, blank_figure, columns
from .shown_lab import ShownLab
from .style import RULE, SMALL_PT, WIDTH_IN, axis_unit, clock


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
    unit_ms, unit = axis_unit(to_ms)
    height_in = 1.15 + 1.5 * len(curves)
    figure = blank_figure(WIDTH_IN, height_in)
    told = []
    for number, (name, by_partition) in enumerate(curves.items()):
        bottom_in = height_in - 0.85 - 1.5 * (number + 1) + 0.25
        axes = figure.add_axes((0.09, bottom_in / height_in, 0.88, 1.15 / height_in))
        for line, (partition, points) in enumerate(by_partition.items()):
            axes.step(
                [point.at_ms / unit_ms for point in points],
                [point.records for point in points],
                where="post",
                color=COLOURS[line % 4],
                linestyle=LINES[line % 4],
                linewidth=1.6,
                label=partition,
            )
            top = max(points, key=lambda point: point.records)
            told.append((name, partition, str(top.records), clock(points[-1].at_ms)))
        axes.set_xlim(from_ms / unit_ms, to_ms * 1.01 / unit_ms)
        axes.set_ylim(0, most * 1.1)
        axes.set_ylabel("waiting records", fontsize=SMALL_PT)
        axes.set_title(name, loc="left", fontsize=SMALL_PT + 1, weight="bold", pad=3)
        axes.tick_params(labelsize=SMALL_PT)
        axes.grid(color=RULE, linewidth=0.7)
        axes.set_axisbelow(True)
        for side in ("top", "right"):
            axes.spines[side].set_visible(False)
        if number + 1 < len(curves):
            axes.tick_params(axis="x", labelbottom=False)
        else:
            axes.set_xlabel(f"time of the lab, {unit}", fontsize=SMALL_PT)
        if number == 0:
            axes.legend(
                loc="lower right",
                bbox_to_anchor=(1.0, 1.0),
                ncols=4,
                frameon=False,
                fontsize=SMALL_PT,
                handlelength=3.2,
            )
    heading = title or f"records of {topic} that wait for their answer"
    figure.text(0.012, 1 - 0.10 / height_in, heading, fontsize=12, weight="bold", va="top")
    return Picture(
        figure,
        columns(told, ("lab", "partition", "most waiting", "last answer")),
        f"Waiting records: {heading}.",
    )
