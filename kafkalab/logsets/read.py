"""A file or a folder of client lines -> a DataFrame of the columns in schema.py: `spark.read.format("kafkalab").load(PATH)`.

It is a Python data source: Spark asks it for the pieces of work, sends each piece to a worker, and the worker yields Arrow record
batches, so no line is ever a Python object. A plain file is cut into ranges of bytes; a worker takes the records that begin in its
range. A packed file (.gz, .zst, .bz2, .lz4) cannot be entered in the middle and is one piece.

Only the columns that are asked for are made: `read(spark, path, columns=("time", "client_id"))`.
"""
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition

from kafkalab.logsets import recognise, schema, templates
from kafkalab.logsets.block import HEAD_PATTERN, Block

PACKED = (".gz", ".zst", ".bz2", ".lz4")
PLAIN = (".log", ".txt", ".out")
TASK_BYTES = 32 << 20  # What one task reads, unpacked: some seconds of work at most, and many tasks in a large set.
UNPACKED = 10  # Lines of clients shrink about so much.
OPENING = 256 << 10  # What it costs to open a file, in bytes that could have been read meanwhile.
BLOCK_BYTES = 4 << 20  # What is parsed at once: small enough for the processor's cache, large enough to be worth the calls.


def read(spark: SparkSession, path: str | os.PathLike, columns: Iterable[str] | None = None) -> DataFrame:
    """The lines under `path`, one row each, with the columns of schema.py (or only the named ones).

    Lines without a `[Consumer clientId=…] ` prefix get the client of their file where the whole file has one client; in
    `spark.read.format("kafkalab")` their client_id is null. Raises FileNotFoundError when there is nothing to read.
    """
    files_of(path)
    names = tuple(columns or schema.NAMES)
    needed = set(names) | ({"file"} if {"kind", "client_id", "group_id"} & set(names) else set())
    lines = load(spark, path, needed)
    if {"kind", "client_id", "group_id"} & set(names):
        lines = with_the_files_client(lines, load(spark, path, {"file", "kind", "client_id", "group_id"}))
    return lines.select(*names)


def load(spark: SparkSession, path: str | os.PathLike, names: Iterable[str] = schema.NAMES) -> DataFrame:
    """The named columns as the data source gives them: client_id only where a line has a prefix of its own."""
    return spark.read.format("kafkalab").schema(schema.spark_schema(names)).load(os.fspath(path))


def with_the_files_client(lines: DataFrame, prefixes: DataFrame) -> DataFrame:
    """`lines` with kind, client_id and group_id filled in where a line has none and its file has exactly one client."""
    client = F.struct("kind", "client_id", "group_id")
    only = (
        prefixes.where(F.col("client_id").isNotNull())
        .groupBy("file")
        .agg(F.collect_set(client).alias("clients"))
        .where(F.size("clients") == 1)
        .select("file", F.col("clients")[0].alias("only"))
    )
    filled = [
        F.when(F.col("client_id").isNull(), F.col(f"only.{name}")).otherwise(F.col(name)).alias(name)
        if name in ("kind", "client_id", "group_id")
        else F.col(name)
        for name in lines.columns
    ]
    return lines.join(F.broadcast(only), on="file", how="left").select(*filled)


def malformed(lines: DataFrame) -> DataFrame:
    """The lines that could not be read, each with its reason: nothing is ever left out in silence."""
    return lines.where(F.col("problem").isNotNull()).select("file", "offset", "problem", "message")


def summary(lines: DataFrame) -> DataFrame:
    """By file: how many lines there are, how many could not be read, how many the catalogue does not know."""
    readable = F.col("problem").isNull()
    return (
        lines.groupBy("file")
        .agg(
            F.count("*").alias("lines"),
            F.count_if(~readable).alias("malformed"),
            F.count_if(readable & F.col("event").isNull()).alias("not_in_catalogue"),
            F.min("time").alias("first"),
            F.max("time").alias("last"),
        )
        .orderBy("file")
    )


class KafkaLines(DataSource):
    """Registered as `kafkalab`; the one option is the path."""

    @classmethod
    def name(cls) -> str:
        return "kafkalab"

    def schema(self):
        return schema.spark_schema()

    def reader(self, schema) -> "KafkaLinesReader":
        return KafkaLinesReader(self.options["path"], tuple(schema.fieldNames()))


@dataclass(frozen=True)
class Range:
    """The records of `file` that begin at a byte in [start, stop). stop None: to the end, whatever that is."""

    file: str
    start: int
    stop: int | None

    @property
    def cost(self) -> int:
        """What it takes to read it, in bytes."""
        return OPENING + (os.path.getsize(self.file) * UNPACKED if self.stop is None else self.stop - self.start)


@dataclass
class Task(InputPartition):
    """What one worker is asked to read: a part of a large file, or several small files."""

    ranges: tuple[Range, ...]


class KafkaLinesReader(DataSourceReader):
    def __init__(self, path: str, names: tuple[str, ...]):
        self.path, self.names = path, names

    def partitions(self) -> list[Task]:
        tasks, held, cost = [], [], 0
        for piece in _ranges(self.path):
            if held and cost + piece.cost > TASK_BYTES + OPENING:
                tasks.append(Task(tuple(held)))
                held, cost = [], 0
            held.append(piece)
            cost += piece.cost
        return [*tasks, Task(tuple(held))]

    def read(self, partition: Task) -> Iterator[pa.RecordBatch]:
        for piece in partition.ranges:
            for text, offset in blocks_of(piece):
                yield batch_of(Block(text, piece.file, offset), self.names)


def _ranges(path: str) -> Iterator[Range]:
    for file in files_of(path):
        if file.endswith(PACKED):
            yield Range(file, 0, None)
        else:
            size = os.path.getsize(file)
            for at in range(0, size, TASK_BYTES):
                yield Range(file, at, min(at + TASK_BYTES, size))


def files_of(path: str | os.PathLike) -> list[str]:
    """The files to read, by name: `path` itself, or every log below it."""
    path = os.fspath(path)
    if os.path.isfile(path):
        return [path]
    if not os.path.isdir(path):
        raise FileNotFoundError(f"There is no file or folder {path}.")
    found = sorted(str(file) for file in Path(path).rglob("*") if file.is_file() and _is_log(file.name))
    if not found:
        raise FileNotFoundError(f"There is no log in {path}: looked for {', '.join('*' + end for end in PLAIN)}, packed or not.")
    return [os.path.join(path, os.path.relpath(file, path)) for file in found]


def _is_log(name: str) -> bool:
    for end in PACKED:
        name = name.removesuffix(end)
    return name.endswith(PLAIN) and not name.startswith((".", "_"))


def blocks_of(piece: Range) -> Iterator[tuple[bytes, int]]:
    """The text of a piece in blocks of whole records, each with its offset."""
    if piece.stop is None:
        # Arrow unpacks what the name says: .gz, .zst, .bz2, .lz4.
        with pa.input_stream(piece.file, compression="detect") as stream:
            yield from _cut(stream.read, 0, None)
    else:
        with open(piece.file, "rb") as file:
            start, stop = _record_at_or_after(file, piece.start), _record_at_or_after(file, piece.stop)
            file.seek(start)
            yield from _cut(file.read, start, stop)


def _cut(take, offset: int, stop: int | None) -> Iterator[tuple[bytes, int]]:
    kept = b""
    while True:
        room = BLOCK_BYTES if stop is None else min(BLOCK_BYTES, stop - offset - len(kept))
        fresh = take(room) if room > 0 else b""
        text = kept + fresh
        if not fresh:
            if text:
                yield text, offset
            return
        end = _last_record(text)
        if end:
            yield text[:end], offset
            offset += end
        kept = text[end:]


def _last_record(text: bytes) -> int:
    """Where the last record of a text starts; 0 when it is the only one."""
    at = len(text)
    while (at := text.rfind(b"\n[", 0, at)) >= 0:
        if HEAD_PATTERN.match(text, at + 1):
            return at + 1
    return 0


def _record_at_or_after(file, start: int) -> int:
    """The first byte >= start where a record begins: 0, right after a line break, or the end of the file."""
    if start == 0:
        return 0
    at, text = start - 1, b""
    file.seek(at)
    while fresh := file.read(1 << 16):
        text += fresh
        search = 0
        while (found := text.find(b"\n[", search)) >= 0 and found + 1 + 27 <= len(text):
            if HEAD_PATTERN.match(text, found + 1):
                return at + found + 1
            search = found + 1
    return at + len(text)


def batch_of(block: Block, names: Iterable[str]) -> pa.RecordBatch:
    """The named columns of a block, in this order."""
    names = tuple(names)
    known: recognise.Recognised | None = None
    fields: dict[str, pa.Array] = {}
    wanted = {name for name in names if name in templates.FIELDS} | ({"node_id"} if "broker" in names else set())
    if wanted or "event" in names:
        known = recognise.Recognised(block)
        fields = known.fields(wanted)
    columns = []
    for name in names:
        if name == "file":
            columns.append(pa.repeat(pa.scalar(block.file), block.rows))
        elif name == "offset":
            columns.append(pa.array(block.start + block.offset, pa.int64()))
        elif name == "event":
            columns.append(known.event)
        elif name == "broker":
            columns.append(recognise.broker_of(fields["node_id"]))
        else:
            columns.append(fields[name] if name in fields else getattr(block, name))
    return pa.RecordBatch.from_arrays(columns, names=list(names))
