"""Draws the records of a compacted log at their offsets: one row a state of the log.

Each key has a colour and is named in its box. A box with a cross is a tombstone. Where compaction
took a record there is a hole.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from kafkalab.errors import IllegalArgumentException

from .picture import Picture
from .sheet import Sheet
from .style import QUIET, SMALL_PT

COLOURS = ("#cfe8f7", "#f6dc8f", "#cdebd7", "#f0c9b5", "#e3d5ee", "#e9eef3")

LogRow = tuple[int, str | None, str | None]
"""Offset, key and value; the value of a tombstone is None."""


def record_strip(
    rows: Mapping[str, Sequence[LogRow]], *, title: str, first: int | None = None, up_to: int = 0
) -> Picture:
    """Draw the records of each state, {"before": [(0, "tea", "1"), ...]}, one below the other.

    first, up_to: the offsets at the edges, so that pictures of several moments have one scale; the
    records' own where they reach further.

    Raises IllegalArgumentException where there is no record at all.
    """
    if not any(rows.values()):
        raise IllegalArgumentException(
            'there is no record to draw; give at least one, {"before": [(0, "tea", "1")]}'
        )
    keys = sorted({str(key) for row in rows.values() for _, key, _ in row})
    colours = {key: COLOURS[place % len(COLOURS)] for place, key in enumerate(keys)}
    own = min(row[0][0] for row in rows.values() if row)
    first = own if first is None else min(own, first)
    end = max(up_to, *(row[-1][0] + 1 for row in rows.values() if row))
    sheet = Sheet(title, 1.0 + 0.52 * len(rows))
    field = sheet.field(0.20, 0.78, 0.10, 0.75)
    told = []
    for place, (name, row) in enumerate(rows.items()):
        field.line([first, end], [place, place], QUIET, pen=0.5, flat=True, layer=0)
        field.words(first - (end - first) * 0.01, place, name, "right", size=SMALL_PT + 1)
        for offset, key, value in row:
            words = f"{key}\n{'✕' if value is None else value}"
            field.block(offset + 0.04, place, 0.92, 0.74, words, colour=colours[str(key)], pen=0.6)
            told.append((name, str(offset), str(key), "tombstone" if value is None else str(value)))
    field.offsets_above(first, end, len(rows))
    return sheet.picture("Record strip", told, ("log", "offset", "key", "value"))
