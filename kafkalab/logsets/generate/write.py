"""The parts of a set, made by Spark's workers: each a task of its own, its text, its Parquet, and a receipt that says it is done.

A worker maps the told stories into memory once and keeps them for its next parts. What it needs besides is the part's Sheet.
"""
import gzip
import hashlib
import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, fields
from functools import lru_cache
from threading import Event, Thread

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from kafkalab.logsets.generate.place import Place
from kafkalab.logsets.generate.sheets import Library, Roles, Sheet

BLOCK_BYTES = 4 << 20  # What is parsed at once for Parquet.
ROW_GROUP = 128 << 10
STORIES, RECEIPTS = ".making/stories", ".making/receipts"


def keep(place: Place, lines: pa.Table, gaps: pa.Table, begins: np.ndarray, roles: Roles, epoch_ms: int, last_ms: int) -> str:
    """Lay out what workers need under `place`/.making/stories; returns the checksum of it all."""
    kept = place / STORIES
    kept.make()
    checksum = hashlib.sha256()
    arrays = io.BytesIO()
    np.savez(arrays, begins=begins, epoch_ms=epoch_ms, last_ms=last_ms, **{f"role_{name}": value for name, value in vars(roles).items()})
    for name, table in (("lines", lines), ("gaps", gaps)):
        buffer = pa.BufferOutputStream()
        with pa.ipc.new_file(buffer, table.schema) as writer:
            writer.write_table(table)
        content = buffer.getvalue()
        checksum.update(content)
        (kept / f"{name}.arrow").write(content)
    for name, value in sorted(vars(roles).items()):
        checksum.update(name.encode() + value.tobytes())
    (kept / "roles.npz").write(arrays.getvalue())
    return checksum.hexdigest()


@lru_cache(maxsize=1)
def _library(place: Place, checksum: str) -> Library:
    kept = place / STORIES
    tables = [pa.ipc.open_file((kept / f"{name}.arrow").mapped()).read_all() for name in ("lines", "gaps")]
    arrays = np.load(io.BytesIO((kept / "roles.npz").read()))
    roles = Roles(**{entry.name: arrays[f"role_{entry.name}"] for entry in fields(Roles)})
    return Library.of(*tables, arrays["begins"], roles, int(arrays["epoch_ms"]), int(arrays["last_ms"]))


def name_of(number: int, packed: bool) -> str:
    return f"part-{number:05d}.log" + (".gz" if packed else "")


def make_part(place: Place, checksum: str, sheet: Sheet, packed: bool, parquet: bool) -> dict:
    """Write one part and its receipt: number, lines, bytes, checksum of the text as it is unpacked."""
    text, begins = _library(place, checksum).text_of(sheet)
    name = name_of(sheet.number, packed)
    (place / "lines" / name).write(_packed(text) if packed else pa.py_buffer(text))
    if parquet:
        # Read by the reader itself: the rows are what reading the text gives.
        (place / "parquet" / f"part-{sheet.number:05d}.parquet").write(_parquet(text, begins, f"lines/{name}"))
    receipt = {"number": sheet.number, "lines": sheet.rows, "bytes": len(text), "checksum": hashlib.sha256(text).hexdigest()}
    (place / RECEIPTS / f"{sheet.number:05d}.json").write(json.dumps(receipt).encode())
    return receipt


def _packed(text: np.ndarray) -> bytes:
    buffer = io.BytesIO()
    with gzip.GzipFile("", "wb", 9, buffer, mtime=0) as target:  # No name and no time: the same bytes every time.
        target.write(text)
    return buffer.getvalue()


def _parquet(text: np.ndarray, begins: np.ndarray, file: str) -> pa.Buffer:
    from kafkalab.logsets import schema
    from kafkalab.logsets.block import Block
    from kafkalab.logsets.source import batch_of

    buffer, batches = pa.BufferOutputStream(), []
    first = 0
    while first < len(begins) - 1:
        last = max(int(np.searchsorted(begins, begins[first] + BLOCK_BYTES, side="right")) - 1, first + 1)
        batches.append(batch_of(Block(text[begins[first] : begins[last]].tobytes(), file, int(begins[first])), schema.NAMES))
        first = last
    table = pa.Table.from_batches(batches)
    # No name of the writer inside: another version of Arrow may still lay the same rows out in other bytes, but nothing else.
    pq.write_table(table, buffer, row_group_size=ROW_GROUP, compression="zstd")
    return buffer.getvalue()


def write(spark, place: Place, checksum: str, sheets: Sequence[Sheet], packed: bool, parquet: bool, say: Callable[[str], None], already: int = 0) -> None:
    """Have Spark make these parts, each in a task of its own. `say` hears how many are done; `already` were there before."""
    work = [json.dumps(asdict(sheet)) for sheet in sheets]
    if not work:
        return

    def parts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for sheet in batch["sheet"].to_pylist():
                receipt = make_part(place, checksum, Sheet(**json.loads(sheet)), packed, parquet)
                yield pa.RecordBatch.from_pydict({"number": [receipt["number"]]})

    tasks = spark.createDataFrame([(sheet,) for sheet in work], "sheet string").repartition(len(work)) if len(work) > 1 else spark.createDataFrame([(work[0],)], "sheet string")
    with _watched(place, already + len(work), say):
        tasks.mapInArrow(parts, "number long").write.format("noop").mode("overwrite").save()


class _watched:
    """While it lasts, `say` hears every few seconds how many parts have a receipt."""

    EVERY_S = 2.0

    def __init__(self, place: Place, parts: int, say: Callable[[str], None]):
        self.place, self.parts, self.say = place, parts, say
        self.over = Event()
        self.thread = Thread(target=self._watch, daemon=True)

    def __enter__(self):
        self.thread.start()

    def __exit__(self, *_):
        self.over.set()
        self.thread.join()

    def _watch(self) -> None:
        told = -1
        while not self.over.wait(self.EVERY_S):
            done = len([name for name in (self.place / RECEIPTS).names() if name.endswith(".json")])
            if done != told:
                self.say(f"part {done} of {self.parts}")
                told = done


def receipts(place: Place) -> dict[int, dict]:
    """number -> receipt of the parts that are done."""
    names = sorted(name for name in (place / RECEIPTS).names() if name.endswith(".json"))
    return {receipt["number"]: receipt for receipt in ((place / RECEIPTS / name).read_json() for name in names)}
