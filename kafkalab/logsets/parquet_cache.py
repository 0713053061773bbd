"""Keeps lines as Parquet, so that later looks are faster.

It is beside a log set for `read(spark, path, saved=True)`, and in a folder for the time of a
command.

The name of what is beside a set ends in a checksum of the files (name, size, time of change; a
generated set's own checksum where it has one), of the layout and of the reader's catalogue. When
one of them changes, the name changes, and the Parquet is made again. A folder without _SUCCESS is
incomplete and is also made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from kafkalab.logsets import schema, templates
from kafkalab.logsets.files import URL, files_of, path_list, where
from kafkalab.logsets.line_loader import Paths, by_opener, load_lines
from kafkalab.logsets.line_order import PieceOrder, doubtful_files, piece_orders
from kafkalab.logsets.ranges import FileChanged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from kafkalab.logsets.source import KafkaLinesReader

STEM = "lines-"
ROW_GROUP = 128 << 10  # Rows. A worker holds so many at once.


@contextlib.contextmanager
def kept_lines(
    spark: SparkSession | None,
    path: Paths,
    names: Iterable[str] = schema.NAMES,
    layout: str | None = None,
) -> Iterator[tuple[DataFrame, list[str] | None]]:
    """As `load_lines`, for several looks at the same lines inside a `with` block. Gives the lines,
    and the files that `repaired` has to look at; None are all.

    Where Spark's workers are on this machine they keep Parquet in a folder of SPARK_LOCAL_DIRS.
    Spark's own cache would take the rows through the JVM, which costs more than reading them.
    """
    names = tuple(name for name in schema.NAMES if name in set(names))
    here = spark is not None and (spark.sparkContext.master or "").startswith("local")
    if spark is None or not here or by_opener(path)[0]:
        lines = load_lines(spark, path, names, layout).persist()
        try:
            yield lines, None
        finally:
            lines.unpersist()
        return
    scratch = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None
    with tempfile.TemporaryDirectory(prefix="kafkalab-lines-", dir=scratch) as folder:
        doubtful = _write(spark, path, folder, names, layout)
        yield spark.read.parquet(folder), doubtful


def _write(
    spark: SparkSession, path: Paths, folder: str, names: tuple[str, ...], layout: str | None
) -> list[str]:
    """Write the rows of `load_lines` as Parquet. Each of Spark's workers writes what it reads.

    Returns the doubtful files (line_order.py).
    """
    from kafkalab.logsets.source import KafkaLinesReader
    from kafkalab.logsets.source_options import PERMISSIVE

    reader = KafkaLinesReader(path_list(path), names, layout, PERMISSIVE)
    reader.warns = False
    tasks = list(enumerate(reader.partitions()))
    system, inside = where(folder)
    system.create_dir(inside)
    system.delete_dir_contents(inside)
    written = spark.sparkContext.parallelize(tasks, len(tasks)).flatMap(
        lambda task: _write_part(reader, task[1], f"{folder}/part-{task[0]:05d}.parquet")
    )
    doubtful = doubtful_files(written.collect())
    with system.open_output_stream(f"{inside}/_SUCCESS"):
        pass
    return doubtful


def _write_part(reader: KafkaLinesReader, task: object, file: str) -> list[PieceOrder]:
    """Write what one worker reads. Raises ValueError where a file changed while it was read."""
    system, inside = where(file)
    shape = schema.arrow_schema(reader.names)
    found: list[PieceOrder] = []
    with pq.ParquetWriter(inside, shape, filesystem=system, compression="zstd") as writer:
        try:
            for rows in _tables(reader.read(task), shape):  # type: ignore[arg-type]
                writer.write_table(rows)
                found += piece_orders(rows)
        except FileChanged as error:
            raise ValueError(str(error)) from None
    return found


def _tables(batches: Iterator[pa.RecordBatch], shape: pa.Schema) -> Iterator[pa.Table]:
    """The batches in tables of some ROW_GROUP rows."""
    kept: list[pa.RecordBatch] = []
    for batch in batches:
        kept.append(batch)
        if sum(each.num_rows for each in kept) >= ROW_GROUP:
            yield pa.Table.from_batches(kept, shape)
            kept = []
    yield pa.Table.from_batches(kept, shape)


def parquet_of(spark: SparkSession, path: str, layout: str | None = None) -> str:
    """The folder with the Parquet of all lines under `path`. It is made if it does not exist.

    It is beside the lines, or in the user's cache where their folder cannot be written.
    """
    stem = f"{os.path.basename(path)}.{STEM}" if _is_file(path) else STEM
    name = f"{stem}{checksum_of(path, layout)}.parquet"
    for place in _places(path):
        if _finished(f"{place}/{name}"):
            return f"{place}/{name}"
    for place in _places(path):
        if _writable(place):
            _forget_older(place, stem)
            _write(spark, path, f"{place}/{name}", schema.NAMES, layout)
            return f"{place}/{name}"
    raise PermissionError(f"Neither {next(iter(_places(path)))} nor your cache can be written.")


def checksum_of(path: str, layout: str | None = None) -> str:
    """Sixteen letters that identify these files and this version of the reader."""
    digest = hashlib.sha256()
    for part in path.split("\n"):
        done = Path(part, "DONE") if URL not in part else None
        if done is not None and done.is_file():
            digest.update(done.read_bytes())
        else:
            digest.update(
                repr([(file.name, file.size, file.changed_ns) for file in files_of(part)]).encode()
            )
    known = sorted((p.event, p.whole, p.gaps or "") for p in templates.all_patterns())
    digest.update(repr((layout, schema.COLUMNS, known)).encode())
    return digest.hexdigest()[:16]


def _places(path: str) -> Iterator[str]:
    """The folders for the Parquet: beside the lines, else the user's cache.

    For several paths only the cache is used.
    """
    if "\n" not in path:
        yield (os.path.dirname(path) or ".") if _is_file(path) else path.rstrip("/")
    yield str(Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache", "kafkalab", "lines"))


def _is_file(path: str) -> bool:
    if "\n" in path:
        return False
    system, inside = where(path)
    return system.get_file_info(inside).type == fs.FileType.File


def _finished(folder: str) -> bool:
    system, inside = where(folder)
    return system.get_file_info(f"{inside}/_SUCCESS").type == fs.FileType.File


def _writable(place: str) -> bool:
    if URL in place:
        return True
    try:
        os.makedirs(place, exist_ok=True)
        with tempfile.TemporaryFile(dir=place):
            return True
    except OSError:
        return False


def _forget_older(place: str, stem: str) -> None:
    """Remove older Parquet of this cache: of other files or of an older reader."""
    if URL not in place and not place.endswith(os.path.join("kafkalab", "lines")):
        for old in Path(place).glob(f"{stem}{'?' * 16}.parquet"):
            shutil.rmtree(old, ignore_errors=True)
