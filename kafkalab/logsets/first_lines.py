"""Says by the first lines of each file whether its layout was found.

A narrow question looks at few lines (question.py). Where the layout is wrong it finds none, and an
empty answer would be wrong without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets.block import Block
from kafkalab.logsets.files import LogFile, beginning
from kafkalab.logsets.layout_block import LaidOutBlock
from kafkalab.logsets.layouts import Clock
from kafkalab.logsets.ranges import Range
from kafkalab.logsets.record_batches import how_written, record_batch_of
from kafkalab.logsets.wrapped_lines import unwrapped

ENOUGH = 0.9  # The share of lines that must be read for a log to be understood.
# A client's prefix. Where it is inside of messages, they begin at another place.
PREFIX = r"\[(Consumer|Producer|AdminClient|ShareConsumer) [^\]]*clientId="
MOST_FILES = 50


# What a time that was not understood looks like, in the head of a line.
SOME_TIME = re.compile(r"(?<![=\w])\d[\d.:,/_+\-T]{3,}\d")
SOME_DAY = re.compile(r"\S*\d\S{0,9}[^\w\]]{0,3}$")
SOME_REST = re.compile(r"[^\s\w\])|;,\"'>}\-][\d:]+| ?'?\d{3}(?=\s)")


def unread_times(files: list[LogFile], layout: str | None = None) -> Iterator[str]:
    """A sentence for each file whose times are more than was read of them, of the first MOST_FILES.

    In the heads of most of its first records is what may be a day, a clock, a fraction of a
    second or a zone, and the layout passes it over.
    """
    for file in files[:MOST_FILES]:
        for block in _blocks(file, layout):
            if isinstance(block, LaidOutBlock) and (text := _unread_time(block)):
                yield (
                    f"{file.name}: its times are not read in full, see {text!r}. --layout names "
                    "the log's pattern."
                )
                break


def _unread_time(block: LaidOutBlock) -> str | None:
    """An example of a time of which a part is passed over; None where there is none."""
    heads = block.heads_of_rows()
    found = [text for head, time in heads if (text := _passed_over(head, time, block.layout.clock))]
    changing = len(set(found)) > 1 or (block.layout.clock and found)
    return found[0] if changing and 2 * len(found) > len(heads) > 1 else None


def _passed_over(head: str, time: str, clock: Clock | None) -> str | None:
    if clock is None:
        found = SOME_TIME.search(head)
        return found[0] if found else None
    before, _, after = head.partition(time)
    if rest := SOME_REST.match(after):
        return time + rest[0]
    if not clock.dated and (day := SOME_DAY.search(before)):
        return day[0] + time
    return None


def doubts(files: list[LogFile], layout: str | None = None) -> Iterator[str]:
    """A sentence for each file whose first lines are not understood, of the first MOST_FILES."""
    yield from unread_times(files, layout)
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
    return pa.Table.from_batches(
        record_batch_of(block, ("client_id", "message", "problem"))
        for block in _blocks(file, layout)
    )


def _blocks(file: LogFile, layout: str | None) -> Iterator[Block]:
    found, wrapping, others = how_written(file, layout)
    text = b"\n".join(line for _, line, _ in unwrapped([beginning(file)], wrapping))
    whole = text[: text.rfind(b"\n") + 1] or text
    return Range(file.name, 0, None, found, others=others).read(whole, 0, None)
