"""Makes Arrow record batches of blocks of lines.

Both readers of the data source `kafkalab` use it: the one for files that stand (source.py), and the
one for files that grow (stream_reader.py). So does the loader of small logs (line_loader.py).
"""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from kafkalab.logsets import recognition, templates
from kafkalab.logsets.block import Block
from kafkalab.logsets.files import LogFile, beginning
from kafkalab.logsets.infer_layout import guess
from kafkalab.logsets.question import LineQuestion
from kafkalab.logsets.wrapped_lines import JSON, JSON_LAYOUT, unwrapped, wrapping_of


def how_written(file: LogFile, layout: str | None = None) -> tuple[str, tuple[str, ...], bool]:
    """The layout of a file's lines, what they are wrapped in, and whether other layouts are looked
    for, by its first lines.

    layout: the one that was asked for: then no other is. Records of JSON have their own.
    """
    first = beginning(file)
    wrapping = wrapping_of(first)
    if JSON in wrapping:
        return JSON_LAYOUT, wrapping, layout is None
    if layout is not None:
        return layout, wrapping, False
    return guess(b"\n".join(line for _, line, _ in unwrapped([first], wrapping))), wrapping, True


def record_batch_of(
    block: Block, names: Iterable[str], question: LineQuestion | None = None
) -> pa.RecordBatch:
    """The named columns of a block, in this order. question: of the rows that answer it."""
    names = tuple(names)
    known: recognition.Recognised | None = None
    fields: dict[str, pa.Array] = {}
    wanted = {name for name in names if name in templates.FIELDS} | (
        {"node_id"} if "broker" in names else set()
    )
    if wanted or "event" in names or (question and question.events):
        known = recognition.Recognised(block)
        fields = known.fields(wanted)
    columns = []
    for name in names:
        if name == "file":
            columns.append(pa.repeat(pa.scalar(block.file), block.rows))
        elif name == "file_offset":
            columns.append(pa.array(block.offsets, pa.int64()))
        elif name == "event":
            assert known is not None
            columns.append(known.event)
        elif name == "broker":
            columns.append(recognition.broker_of(fields["node_id"]))
        else:
            columns.append(fields[name] if name in fields else getattr(block, name))
    batch = pa.RecordBatch.from_arrays(columns, names=list(names))
    mask = question.mask(block, known) if question else None
    return batch if mask is None else batch.filter(pa.array(mask))
