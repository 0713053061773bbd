"""Writes the parts of a log set: each part with its text, Parquet and receipt.

On Spark's workers one part is one task. Its receipt says that it is complete. A worker maps the
scripts into memory once and keeps them for its next parts. It also needs the part's PartSheet.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, fields
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kafkalab.logsets.generate.place import Place
from kafkalab.logsets.generate.sheets import Library, PartSheet, Roles
from kafkalab.logsets.progress import telling

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROW_GROUP = 128 << 10
EVERY_S = 2.0
STORIES, RECEIPTS = ".making/stories", ".making/receipts"


def keep(
    place: Place,
    lines: pa.Table,
    gaps: pa.Table,
    begins: np.ndarray,
    logs: Mapping[str, Roles],
    epoch_ms: int,
    last_ms: int,
) -> str:
    """Write the workers' input under `place`/.making/stories. Returns its checksum.

    logs: the roles of each log of the set, by its folder.
    """
    kept = place / STORIES
    kept.make()
    checksum = hashlib.sha256()
    arrays = io.BytesIO()
    np.savez(
        arrays,
        begins=begins,
        epoch_ms=epoch_ms,
        last_ms=last_ms,
        **{
            f"{log}.{name}": value
            for log, roles in logs.items()
            for name, value in vars(roles).items()
        },
    )
    for name, table in (("lines", lines), ("gaps", gaps)):
        buffer = pa.BufferOutputStream()
        with pa.ipc.new_file(buffer, table.schema) as writer:
            writer.write_table(table)
        content = buffer.getvalue()
        checksum.update(content)
        (kept / f"{name}.arrow").write(content)
    for log, roles in logs.items():
        for name, value in sorted(vars(roles).items()):
            checksum.update(f"{log}.{name}".encode() + value.tobytes())
    (kept / "roles.npz").write(arrays.getvalue())
    return checksum.hexdigest()


@lru_cache(maxsize=2)
def _library(place: Place, checksum: str, log: str) -> Library:
    kept = place / STORIES
    lines, gaps = (
        pa.ipc.open_file((kept / f"{name}.arrow").mapped()).read_all() for name in ("lines", "gaps")
    )
    arrays = np.load(io.BytesIO((kept / "roles.npz").read()))
    roles = Roles(**{entry.name: arrays[f"{log}.{entry.name}"] for entry in fields(Roles)})
    return Library.of(
        lines, gaps, arrays["begins"], roles, int(arrays["epoch_ms"]), int(arrays["last_ms"])
    )


def name_of(number: int, packed: bool) -> str:
    return f"part-{number:05d}.log" + (".gz" if packed else "")


def make_part(place: Place, checksum: str, sheet: PartSheet, packed: bool, parquet: bool) -> dict:
    """Write one part and its receipt: name, lines, bytes, checksum of the unpacked text."""
    name, digest, size = name_of(sheet.number, packed), hashlib.sha256(), 0
    with contextlib.ExitStack() as open_files:
        stream = open_files.enter_context((place / sheet.log / name).writing())
        if packed:  # Without name and time the bytes are the same every time.
            stream = open_files.enter_context(gzip.GzipFile("", "wb", 9, stream, mtime=0))
        rows = (
            open_files.enter_context(
                _rows(place / "parquet" / f"{sheet.name}.parquet", f"{sheet.log}/{name}")
            )
            if parquet
            else None
        )
        for text, begins in _library(place, checksum, sheet.log).blocks_of(sheet):
            stream.write(text.data)
            digest.update(text.data)
            if rows is not None:
                rows(text, begins, size)
            size += len(text)
    receipt = {
        "name": sheet.name,
        "lines": sheet.rows,
        "bytes": size,
        "checksum": digest.hexdigest(),
    }
    (place / RECEIPTS / f"{sheet.name}.json").write(json.dumps(receipt).encode())
    return receipt


@contextlib.contextmanager
def _rows(place: Place, file: str) -> Iterator[Callable[[np.ndarray, np.ndarray, int], None]]:
    """A function that writes blocks of text as Parquet. The rows come from the reader itself."""
    from kafkalab.logsets import schema
    from kafkalab.logsets.block import Block
    from kafkalab.logsets.record_batches import record_batch_of

    writer: pq.ParquetWriter | None = None
    kept: list[pa.RecordBatch] = []

    def flush(stream: pa.NativeFile) -> None:
        nonlocal writer
        table = pa.Table.from_batches(kept, schema.arrow_schema())
        writer = writer or pq.ParquetWriter(stream, table.schema, compression="zstd")
        writer.write_table(table)
        kept.clear()

    with place.writing() as stream:

        def add(text: np.ndarray, begins: np.ndarray, offset: int) -> None:
            kept.append(record_batch_of(Block(text.tobytes(), file, offset), schema.NAMES))
            if sum(batch.num_rows for batch in kept) >= ROW_GROUP:
                flush(stream)

        yield add
        if kept or writer is None:
            flush(stream)
        assert writer is not None, "flush() makes one"
        writer.close()


def write_parts(
    spark: SparkSession | None,
    place: Place,
    checksum: str,
    sheets: Sequence[PartSheet],
    packed: bool,
    parquet: bool,
    say: Callable[[str], None],
    already: int = 0,
) -> None:
    """Have Spark write these parts, one in each task; without Spark this process writes them.

    `say` is called with the number of complete parts. `already` parts existed before.
    """
    if spark is None:
        with _watched(place, already + len(sheets), say):
            for sheet in sheets:
                make_part(place, checksum, sheet, packed, parquet)
        return
    work = [json.dumps(asdict(sheet)) for sheet in sheets]
    if not work:
        return

    def parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for sheet in batch["sheet"].to_pylist():
                receipt = make_part(
                    place, checksum, PartSheet(**json.loads(sheet)), packed, parquet
                )
                yield pa.RecordBatch.from_pydict({"name": [receipt["name"]]})

    tasks = (
        spark.createDataFrame([(sheet,) for sheet in work], "sheet string").repartition(len(work))
        if len(work) > 1
        else spark.createDataFrame([(work[0],)], "sheet string")
    )
    with _watched(place, already + len(work), say):
        tasks.mapInArrow(parts, "name string").write.format("noop").mode("overwrite").save()


@contextlib.contextmanager
def _watched(place: Place, parts: int, say: Callable[[str], None]) -> Iterator[None]:
    """Call `say` every few seconds with the number of complete parts, inside a `with` block."""
    told: list[int] = []

    def tell() -> None:
        done = len([name for name in (place / RECEIPTS).names() if name.endswith(".json")])
        if done not in told[-1:]:
            told.append(done)
            say(f"part {done} of {parts}")

    with telling(tell, EVERY_S):
        yield


def receipts(place: Place) -> dict[str, dict]:
    """name -> receipt of the complete parts."""
    names = sorted(name for name in (place / RECEIPTS).names() if name.endswith(".json"))
    return {
        receipt["name"]: receipt
        for receipt in ((place / RECEIPTS / name).read_json() for name in names)
    }
