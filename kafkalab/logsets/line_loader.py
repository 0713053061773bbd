"""Loads lines of files as a frame: the named columns, as they stand in the files.

Spark reads with the data source `kafkalab`, and what only Hadoop can open with Spark's own files
(hadoop_files.py). For DuckDB this process reads, with the same blocks.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import reduce
from itertools import chain
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from kafkalab.logsets import schema
from kafkalab.logsets.client_prefixes import NAMES as OF_CLIENTS
from kafkalab.logsets.client_prefixes import client_batches
from kafkalab.logsets.engine import DUCKDB, in_use
from kafkalab.logsets.files import files_of, left_out, path_list
from kafkalab.logsets.hadoop_files import hadoop_clients, hadoop_lines, hadoop_listing, is_hadoops
from kafkalab.logsets.layouts import layout as checked
from kafkalab.logsets.question import LineQuestion
from kafkalab.logsets.ranges import Range, ranges_of
from kafkalab.logsets.record_batches import how_written, record_batches_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

PROCESSORS = os.cpu_count() or 1
LEAST_PIECE = 64 << 20  # The bytes of a file that are worth a thread.

Paths = str | os.PathLike | Iterable[str | os.PathLike]


def load_lines(
    spark: SparkSession | None,
    path: Paths,
    names: Iterable[str] = schema.NAMES,
    layout: str | None = None,
    question: LineQuestion | None = None,
) -> DataFrame:
    """The named columns from the data source: client_id only where a line has its own prefix.

    spark: None where DuckDB runs the frames. question: only the lines that answer it.
    """
    names = tuple(name for name in schema.NAMES if name in set(names))
    if in_use() == DUCKDB:
        return _frame_of(lines_table(path, names, layout, question))
    options = question.options() if question else {}

    def by_hadoop(spark: SparkSession, paths: list[str]) -> DataFrame:
        return hadoop_lines(spark, paths, names, layout, question)

    return _by_spark(spark, path, names, layout, options, by_hadoop)


def load_clients(spark: SparkSession | None, path: Paths, layout: str | None = None) -> DataFrame:
    """The clients of each file: file, kind, client_id, group_id. Of many clients at least two."""
    if in_use() == DUCKDB:
        return _frame_of(clients_table(path, layout))

    def by_hadoop(spark: SparkSession, paths: list[str]) -> DataFrame:
        return hadoop_clients(spark, paths, layout)

    return _by_spark(spark, path, OF_CLIENTS, layout, {"rows": "clients"}, by_hadoop)


def _by_spark(
    spark: SparkSession | None,
    path: Paths,
    names: tuple[str, ...],
    layout: str | None,
    options: dict[str, str],
    by_hadoop: Callable[[SparkSession, list[str]], DataFrame],
) -> DataFrame:
    """What the data source reads with these options, and what only Hadoop opens."""
    assert spark is not None, "only DuckDB does without Spark"
    hadoops, others = by_opener(path)
    source = line_source(spark.read, names, layout).options(**options)
    frames = [source.load(path_list(others))] if others else []
    if hadoops:
        frames.append(by_hadoop(spark, hadoops))
    return reduce(lambda one, other: one.unionByName(other), frames)


def by_opener(path: Paths) -> tuple[list[str], list[str]]:
    """The paths that Hadoop opens, and those that Arrow does, which opens all for DuckDB."""
    paths = path_list(path).split("\n")
    hadoops = [each for each in paths if is_hadoops(each) and in_use() != DUCKDB]
    return hadoops, [each for each in paths if each not in hadoops]


def left_out_of(spark: SparkSession | None, path: Paths) -> list[str]:
    """The files in these folders and archives that are not read, for their names are no logs'."""
    hadoops, others = by_opener(path)
    found = left_out(path_list(others)) if others else []
    if hadoops:
        assert spark is not None, "only DuckDB does without Spark"
        found += hadoop_listing(spark, hadoops)[1]
    return found


def line_source(
    reader: DataFrameReader | DataStreamReader, names: Iterable[str], layout: str | None
) -> DataFrameReader | DataStreamReader:
    reader = reader.format("kafkalab").schema(schema.spark_schema(tuple(names)))
    if layout is None:
        return reader
    checked(layout)  # Refuse a wrong one here, not in a worker.
    return reader.option("layout", layout)


def _pieces(path: Paths, layout: str | None) -> Iterator[Range]:
    """Each file in one piece, a large one in one for each processor: what few of its lines answer
    is then parsed in few blocks."""
    for file in files_of(path_list(path)):
        size = max(-(-file.size // PROCESSORS), LEAST_PIECE)
        yield from ranges_of(file, *how_written(file, layout), size=size)


def lines_table(
    path: Paths,
    names: Iterable[str],
    layout: str | None = None,
    question: LineQuestion | None = None,
) -> pa.Table:
    """The named columns of lines as they stand in their files, read by this process."""
    names = tuple(name for name in schema.NAMES if name in set(names))

    def batches_of(piece: Range) -> list[pa.RecordBatch]:
        return list(record_batches_of(piece.blocks(question), names, question))

    # Threads gain where most of the work is to search; to parse is Python's, which they only slow.
    with ThreadPoolExecutor(PROCESSORS if question else 1) as threads:
        batches = chain.from_iterable(threads.map(batches_of, _pieces(path, layout)))
        return pa.Table.from_batches(batches, schema.arrow_schema(names))


def clients_table(path: Paths, layout: str | None = None) -> pa.Table:
    """As load_clients, read by this process."""
    batches = client_batches(_pieces(path, layout))
    return pa.Table.from_batches(batches, schema.arrow_schema(OF_CLIENTS))


def _frame_of(table: pa.Table) -> DataFrame:
    from kafkalab.logsets.duckdb_frames import duckdb_frame

    return cast("DataFrame", duckdb_frame(table))
