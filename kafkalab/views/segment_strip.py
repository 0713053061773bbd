"""Draws the files of a log at several moments: one row a moment, one block a segment.

A block reaches from the segment's first offset to the next segment's. The active segment, which is
written to, has a thick edge; a deleted one is an empty, dashed block.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from kafkalab.errors import IllegalArgumentException

from .argument_check import ONE, draws
from .picture import Picture
from .sheet import Sheet
from .shown_lab import ShownLab
from .style import BLACK, QUIET, SMALL_PT

LOOKS: dict[str, dict[str, Any]] = {
    "gone": {"colour": "#ffffff", "edge": QUIET, "ink": QUIET, "line": "--"},
    "closed": {"colour": "#cfe8f7"},
    "active": {"colour": "#56B4E9", "pen": 1.8},
}


@dataclass
class LogFiles:
    """A log at one moment: the first offset of every segment that ever was, and its two ends."""

    bases: list[int] = field(default_factory=lambda: [0])
    start: int = 0
    end: int = 0

    def blocks(self) -> list[tuple[int, int, str]]:
        """(first offset, end, "gone", "closed" or "active") of each segment, oldest first."""
        ends = [*self.bases[1:], self.end]
        return [
            (base, end, "gone" if base < self.start else "active" if end == self.end else "closed")
            for base, end in zip(self.bases, ends)
        ]


def files_at(lab: ShownLab, topic: str, at_ms: int, partition: int = 0) -> LogFiles:
    """The files of a partition at that moment, as its leader's events tell."""
    found = LogFiles()
    for event in lab.journal.of("record.appended", "log.rolled", "log.deleted"):
        if event.at_ms > at_ms:
            break
        if (event.topic, event.partition) != (topic, partition):
            continue
        if event.kind == "record.appended":
            found.end = event.last_offset + 1
        elif event.kind == "log.rolled":
            found.bases.append(int(event.segment.removesuffix(".log")))
        else:
            found.start = event.log_start_offset
            if found.start == found.end:  # the active segment went, too: a new, empty one is there
                found.bases.append(found.end)
    found.bases = sorted(set(found.bases))
    return found


@draws(ONE)
def segment_strip(
    lab: ShownLab,
    topic: str,
    *,
    at_ms: Sequence[int],
    title: str,
    partition: int = 0,
    up_to: int = 0,
) -> Picture:
    """Draw a partition's segments at these moments, one below the other.

    up_to: the offset at the right edge, so that pictures of several moments have one scale; the
    log's end where that is larger.

    Raises IllegalArgumentException for an unknown topic, and for no moment.
    """
    if not any(event.topic == topic for event in lab.journal.of("topic.created")):
        raise IllegalArgumentException(f"There is no topic {topic}; make it with lab.create_topic.")
    if not at_ms:
        raise IllegalArgumentException("at_ms is a list of moments, at_ms=[60_000, 120_000]")
    rows = [(each, files_at(lab, topic, each, partition)) for each in at_ms]
    most = max(up_to, *(files.end for _, files in rows)) or 1
    sheet = Sheet(title, 1.15 + 0.48 * len(rows))
    field = sheet.field(0.12, 0.74, 0.50, 0.45)
    told = []
    for row, (moment, files) in enumerate(rows):
        clock = f"{moment / 60_000:g} min"
        field.words(-0.01 * most, row, clock, "right", size=SMALL_PT + 1, colour=BLACK)
        left = sum(state != "gone" for *_, state in files.blocks())
        words = f"start {files.start}, {left} file{'' if left == 1 else 's'}"
        field.words(1.01 * most, row, words, "left", colour=QUIET)
        for base, end, state in files.blocks():
            wide = max(end - base, 0.15)
            field.block(base, row, wide, 0.62, str(base) if end > base else "", **LOOKS[state])
            told.append((clock, f"{base:020d}.log", str(end - base), state))
    field.scale("offset; dashed: deleted, dark: the active segment")
    field.limits((0, most), (len(rows) - 0.45, -0.55))
    return sheet.picture("Segment strip", told, ("at", "file", "records", "state"))
