"""Keeps the lines of logs for several looks, as Parquet that Spark's workers write."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

import pyarrow as pa
import pyarrow.parquet as pq

from kafkalab.logsets import schema
from kafkalab.logsets.engine import DUCKDB, duckdb_is_here, running_on
from kafkalab.logsets.files import path_list
from kafkalab.logsets.line_loader import Paths, by_opener, load_lines
from kafkalab.logsets.line_order import NEEDED, PieceOrder, doubtful_files, piece_orders
from kafkalab.logsets.ranges import FileChanged

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from kafkalab.logsets.source import KafkaLinesReader

ROW_GROUP = 128 << 10  # Rows. A worker holds so many at once.


@contextlib.contextmanager
def kept_lines(
    spark: SparkSession | None,
    path: Paths,
    names: Iterable[str] = schema.NAMES,
    layout: str | None = None,
    by_spark: bool = False,
) -> Iterator[tuple[DataFrame, list[str] | None]]:
    """As `load_lines`, for several looks at the same lines inside a `with` block. Gives the lines,
    and the files that `repaired` has to look at; None are all.

    Where Spark's workers are on this machine they keep Parquet in a folder of SPARK_LOCAL_DIRS.
    Spark's own cache would take the rows through the JVM, which costs more than reading them.
    DuckDB, where it is installed, then runs the looks inside the block: of a look it reads only the
    columns and lines that it needs, in a tenth of the time. by_spark: the lines as Spark's frame.
    Raises ValueError where a file is removed or cut while it is read, OSError where the folder is
    full.
    """
    names = tuple(name for name in schema.NAMES if name in {*names, *NEEDED})
    here = spark is not None and (spark.sparkContext.master or "").startswith("local")
    if spark is None or not here or by_opener(path)[0]:
        lines = load_lines(spark, path, names, layout).persist()
        try:
            yield lines, None
        finally:
            lines.unpersist()
        return
    scratch = os.environ.get("SPARK_LOCAL_DIRS", "").split(",")[0] or None
    if scratch:
        os.makedirs(scratch, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="kafkalab-lines-", dir=scratch) as folder:
        doubtful = _write(spark, path, folder, names, layout)
        if by_spark or not duckdb_is_here():
            yield spark.read.parquet(folder), doubtful
            return
        from kafkalab.logsets.duckdb_frames import parquet_frame

        with running_on(DUCKDB):
            yield cast("DataFrame", parquet_frame(folder)), doubtful


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
    written = spark.sparkContext.parallelize(tasks, len(tasks)).flatMap(
        lambda task: _write_part(reader, task[1], f"{folder}/part-{task[0]:05d}.parquet")
    )
    return doubtful_files(written.collect())


def _write_part(reader: KafkaLinesReader, task: object, file: str) -> list[PieceOrder]:
    """Write what one worker reads. Raises ValueError where a file changed while it was read."""
    shape = schema.arrow_schema(reader.names)
    found: list[PieceOrder] = []
    with pq.ParquetWriter(file, shape, compression="zstd") as writer:
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
