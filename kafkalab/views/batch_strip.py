"""Draws the record batches of a topic: one strip a partition, one block a batch, as wide as its
size.

A block is one batch as the broker wrote it. The number in it is its number of records. Wide blocks
mean few requests and little overhead, narrow ones many requests and much overhead.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kafkalab.errors import IllegalArgumentException

from .argument_check import EITHER, draws
from .picture import Picture
from .sheet import Field, Sheet
from .shown_lab import ShownLab
from .style import BLACK, QUIET, SMALL_PT

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


@draws(EITHER)
def batch_strip(
    labs: Mapping[str, ShownLab] | ShownLab, topic: str, *, title: str | None = None
) -> Picture:
    """Draw the batches of a topic. `labs` is one lab, or several by name: {"client 2.3":
    lab, "client 3.9": other}."""
    named = labs if isinstance(labs, Mapping) else {"": labs}
    strips = {name: batches_of(lab, topic) for name, lab in named.items()}
    totals = [
        sum(batch.size_bytes for batch in batches)
        for parts in strips.values()
        for batches in parts.values()
    ]
    widest = max(totals, default=0) or 1
    rows = sum(len(parts) for parts in strips.values())
    sheet = Sheet(title or f"the batches of {topic}", 1.0 + 0.34 * rows + 0.30 * len(strips))
    field = sheet.field(0.10, 0.70, 0.45, 0.50)
    y, told = 0.0, []
    for name, parts in strips.items():
        field.words(0, y + 0.15, name, "left", size=SMALL_PT + 1, bold=True)
        for partition, batches in parts.items():
            y -= 0.75
            _strip(field, batches, y, widest)
            place = f"{topic}-{partition}"
            records, size = sum(b.records for b in batches), sum(b.size_bytes for b in batches)
            count = f"{len(batches):,} batch{'' if len(batches) == 1 else 'es'}"
            field.words(-0.01 * widest, y, place, "right", colour=BLACK)
            field.beside(y, f"{count}, {size:,} bytes", at=1.015, colour=QUIET)
            told.append((name or "-", place, str(len(batches)), str(records), str(size)))
        y -= 0.95
    field.scale("bytes written")
    field.limits((0, widest * 1.01), (y + 0.45, 0.5))
    return sheet.picture("Batch strip", told, ("lab", "partition", "batches", "records", "bytes"))


def _strip(field: Field, batches: list[Batch], y: float, widest: int) -> None:
    left = 0
    for number, batch in enumerate(batches):
        narrow = batch.size_bytes < NARROWEST * widest
        words = "" if narrow else str(batch.records)
        field.block(left, y, batch.size_bytes, 0.55, words, colour=COLOURS[number % 2],
                    pen=0.3 if narrow else 0.7, size=SMALL_PT - 1)  # fmt: skip
        left += batch.size_bytes
