"""Loads lines of files as a frame: the named columns, as they stand in the files.

Spark reads with the data source `kafkalab`. For DuckDB this process reads, with the same blocks.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, cast

import pyarrow as pa

from kafkalab.logsets import schema
from kafkalab.logsets.client_prefixes import NAMES as OF_CLIENTS
from kafkalab.logsets.client_prefixes import client_batches
from kafkalab.logsets.engine import DUCKDB, in_use
from kafkalab.logsets.files import files_of, path_list
from kafkalab.logsets.layouts import layout as checked
from kafkalab.logsets.question import LineQuestion
from kafkalab.logsets.ranges import Range, ranges_of
from kafkalab.logsets.record_batches import how_written, record_batch_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamReader

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
        batches = (
            record_batch_of(block, names, question)
            for piece in _pieces(path, layout)
            for block in piece.blocks(question)
            if block.rows
        )
        return _table_of(batches, names)
    assert spark is not None, "only DuckDB does without Spark"
    options = question.options() if question else {}
    return line_source(spark.read, names, layout).options(**options).load(path_list(path))


def load_clients(spark: SparkSession | None, path: Paths, layout: str | None = None) -> DataFrame:
    """The clients of each file: file, kind, client_id, group_id. Of many clients at least two."""
    if in_use() == DUCKDB:
        return _table_of(client_batches(_pieces(path, layout)), OF_CLIENTS)
    assert spark is not None, "only DuckDB does without Spark"
    source = line_source(spark.read, OF_CLIENTS, layout).option("rows", "clients")
    return source.load(path_list(path))


def line_source(
    reader: DataFrameReader | DataStreamReader, names: Iterable[str], layout: str | None
) -> DataFrameReader | DataStreamReader:
    reader = reader.format("kafkalab").schema(schema.spark_schema(tuple(names)))
    if layout is None:
        return reader
    checked(layout)  # Refuse a wrong one here, not in a worker.
    return reader.option("layout", layout)


def _pieces(path: Paths, layout: str | None) -> Iterator[Range]:
    for file in files_of(path_list(path)):
        yield from ranges_of(file, *how_written(file, layout))


def _table_of(batches: Iterator[pa.RecordBatch], names: Iterable[str]) -> DataFrame:
    from kafkalab.logsets.duckdb_frames import duckdb_session

    table = pa.Table.from_batches(batches, schema.arrow_schema(tuple(names)))
    return cast("DataFrame", duckdb_session().table_of(table))
