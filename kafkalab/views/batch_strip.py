"""Draws the record batches of a topic: one strip a partition, one block a batch, as wide as its
size.

A block is one batch as the broker wrote it. The number in it is its number of records. Wide blocks
mean few requests and little overhead, narrow ones many requests and much overhead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kafkalab.errors import IllegalArgumentException

from .picture import Picture, blank_figure, columns
from .shown_lab import ShownLab
from .style import INK, QUIET, SMALL_PT, WIDTH_IN

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#56B4E9", "#cfe8f7")  # neighbours differ, so that the eye can count
# of the strip's width: a narrower block has no room for its number
NARROWEST = 0.018


@dataclass(frozen=True)
class Batch:
    """One batch of a partition: the time of its append, its records, and its bytes with the
    header.
    """

    at_ms: int
    records: int
    size_bytes: int


def batches_of(lab: ShownLab, topic: str) -> dict[int, list[Batch]]:
    """partition -> its batches, oldest first.

    Raises IllegalArgumentException for an unknown topic.
    """
    made = [event for event in lab.journal.of("topic.created") if event.topic == topic]
    if not made:
        raise IllegalArgumentException(f"There is no topic {topic}; make it with lab.create_topic.")
    strips: dict[int, list[Batch]] = {
        int(name.rsplit("-", 1)[1]): []
        for name in lab.at(lab.now_ms)["partitions"]
        if name.rsplit("-", 1)[0] == topic
    }
    for event in lab.journal.of("record.appended"):
        if event.topic == topic:
            strips[event.partition].append(
                Batch(event.at_ms, event.last_offset - event.base_offset + 1, event.size_bytes)
            )
    return dict(sorted(strips.items()))


def batch_strip(
    labs: Mapping[str, ShownLab] | ShownLab, topic: str, *, title: str | None = None
) -> Picture:
    """Draw the batches of a topic. `labs` is one lab, or several by name: {"client 2.3":
    lab, "client 3.9": other}."""
    named = labs if isinstance(labs, Mapping) else {"": labs}
    strips = {name: batches_of(lab, topic) for name, lab in named.items()}
    widest = (
        max(
            (
                sum(batch.size_bytes for batch in batches)
                for parts in strips.values()
                for batches in parts.values()
            ),
            default=0,
        )
        or 1
    )
    rows = sum(len(parts) for parts in strips.values())
    height_in = 1.0 + 0.34 * rows + 0.30 * len(strips)
    figure = blank_figure(WIDTH_IN, height_in)
    axes = figure.add_axes((0.10, 0.45 / height_in, 0.70, 1 - 0.95 / height_in))
    y, told = 0.0, []
    for name, parts in strips.items():
        axes.text(0, y + 0.15, name, fontsize=SMALL_PT + 1, weight="bold", va="center", color=INK)
        for partition, batches in parts.items():
            y -= 0.75
            _strip(axes, batches, y, widest)
            axes.text(
                -0.01 * widest,
                y,
                f"{topic}-{partition}",
                ha="right",
                va="center",
                fontsize=SMALL_PT,
            )
            records, size = sum(b.records for b in batches), sum(b.size_bytes for b in batches)
            axes.text(
                1.015,
                y,
                f"{len(batches):,} batch{'' if len(batches) == 1 else 'es'}, {size:,} bytes",
                transform=axes.get_yaxis_transform(),
                ha="left",
                va="center",
                fontsize=SMALL_PT,
                color=QUIET,
            )
            told.append(
                (
                    name or "-",
                    f"{topic}-{partition}",
                    str(len(batches)),
                    str(records),
                    str(size),
                )
            )
        y -= 0.95
    axes.set_xlim(0, widest * 1.01)
    axes.set_ylim(y + 0.45, 0.5)
    axes.set_yticks([])
    axes.tick_params(axis="x", labelsize=SMALL_PT)
    axes.set_xlabel("bytes written", fontsize=SMALL_PT)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    heading = title or f"the batches of {topic}"
    figure.text(0.012, 1 - 0.10 / height_in, heading, fontsize=12, weight="bold", va="top")
    return Picture(
        figure,
        columns(told, ("lab", "partition", "batches", "records", "bytes")),
        f"Batch strip: {heading}.",
    )


def _strip(axes: Axes, batches: list[Batch], y: float, widest: int) -> None:
    left = 0
    for number, batch in enumerate(batches):
        narrow = batch.size_bytes < NARROWEST * widest
        axes.barh(
            [y],
            [batch.size_bytes],
            left=left,
            height=0.55,
            color=COLOURS[number % 2],
            edgecolor=INK,
            linewidth=0.3 if narrow else 0.7,
        )
        if not narrow:
            axes.text(
                left + batch.size_bytes / 2,
                y,
                str(batch.records),
                ha="center",
                va="center",
                fontsize=SMALL_PT - 1,
                color=INK,
            )
        left += batch.size_bytes
