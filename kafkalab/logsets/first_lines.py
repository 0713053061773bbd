"""Says by the first lines of each file whether its layout was found.

A narrow question looks at few lines (question.py). Where the layout is wrong it finds none, and an
empty answer would be wrong without a word.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets.files import LogFile, beginning
from kafkalab.logsets.ranges import Range
from kafkalab.logsets.record_batches import how_written, record_batch_of
from kafkalab.logsets.wrapped_lines import unwrapped

ENOUGH = 0.9  # The share of lines that must be read for a log to be understood.
# A client's prefix. Where it is inside of messages, they begin at another place.
PREFIX = r"\[(Consumer|Producer|AdminClient|ShareConsumer) [^\]]*clientId="
MOST_FILES = 50


def doubts(files: list[LogFile], layout: str | None = None) -> Iterator[str]:
    """A sentence for each file whose first lines are not understood, of the first MOST_FILES."""
    for file in files[:MOST_FILES]:
        rows = _rows(file, layout)
        read = rows.filter(pc.is_null(rows["problem"]))
        if read.num_rows < ENOUGH * rows.num_rows:
            yield (
                f"{file.name}: {rows.num_rows - read.num_rows:,} of its first {rows.num_rows:,} "
                "lines cannot be read. --layout names the log's pattern."
            )
            continue
        inside = pc.match_substring_regex(read["message"], PREFIX)
        hidden = pc.sum(pc.and_(pc.is_null(read["client_id"]), inside)).as_py() or 0
        own = read.num_rows - read["client_id"].null_count
        if hidden > (1 - ENOUGH) * (hidden + own):
            yield (
                f"{file.name}: the messages begin at another place than was found. --layout names "
                "the log's pattern."
            )


def _rows(file: LogFile, layout: str | None) -> pa.Table:
    found, wrapping, others = how_written(file, layout)
    text = b"\n".join(line for _, line, _ in unwrapped([beginning(file)], wrapping))
    whole = text[: text.rfind(b"\n") + 1] or text
    blocks = Range(file.name, 0, None, found, others=others).read(whole, 0, None)
    return pa.Table.from_batches(
        record_batch_of(block, ("client_id", "message", "problem")) for block in blocks
    )
