"""Loads lines with the data source `kafkalab`: the named columns, as they stand in the files."""

from __future__ import annotations

import os
from collections.abc import Iterable

from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.streaming.readwriter import DataStreamReader

from kafkalab.logsets import layouts, schema
from kafkalab.logsets.files import path_list

Paths = str | os.PathLike | Iterable[str | os.PathLike]


def load_lines(
    spark: SparkSession, path: Paths, names: Iterable[str] = schema.NAMES, layout: str | None = None
) -> DataFrame:
    """The named columns from the data source: client_id only where a line has its own prefix."""
    return line_source(spark.read, names, layout).load(path_list(path))


def line_source(
    reader: DataFrameReader | DataStreamReader, names: Iterable[str], layout: str | None
) -> DataFrameReader | DataStreamReader:
    reader = reader.format("kafkalab").schema(schema.spark_schema(tuple(names)))
    if layout is None:
        return reader
    layouts.layout(layout)  # Refuse a wrong one here, not in a worker.
    return reader.option("layout", layout)
