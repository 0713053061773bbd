"""Reads log files of Kafka clients into a Spark DataFrame with the columns of schema.py.

`read` is for interactive use: it names the client of every line. `load_lines` (line_loader.py) is
the data source alone, `stream` the same for growing files. Only the named columns are made:
`read(spark, path, columns=("time", "client_id"))`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc

from kafkalab.logsets import schema
from kafkalab.logsets.engine import DUCKDB, F, in_use
from kafkalab.logsets.files import LogFile, files_of, path_list
from kafkalab.logsets.first_lines import doubts
from kafkalab.logsets.hadoop_files import hadoop_stream
from kafkalab.logsets.layouts import layout as checked
from kafkalab.logsets.line_loader import (
    Paths,
    by_opener,
    clients_table,
    line_source,
    lines_table,
    load_clients,
    load_lines,
)
from kafkalab.logsets.question import LineQuestion
from kafkalab.logsets.ranges import text_expected
from kafkalab.logsets.session import note_in_log, runs_here
from kafkalab.logsets.startup import screen

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# So much text this process reads sooner than Spark starts its Python workers (some 7 s).
AT_ONCE_BYTES = 8 << 20
CLIENT = ("kind", "client_id", "group_id")


def read(
    spark: SparkSession | None,
    path: Paths,
    columns: Iterable[str] | None = None,
    layout: str | None = None,
    question: LineQuestion | None = None,
) -> DataFrame:
    """The lines under `path` (or several paths), one row each, with the columns of schema.py (or
    only the named ones).

    Lines without a `[Consumer clientId=…] ` prefix get the client of their file where the whole
    file has one client; in `spark.read.format("kafkalab")` their client_id is null.

    A local session gets a log below 8 MB at once, from this process. What is larger, and all on a
    cluster, Spark's workers read when a query runs.

    layout  log4j's pattern string (layouts.py); without it each file's first lines show it
    question  only the lines that answer it (question.py): most of the text is passed over

    Raises FileNotFoundError when there is nothing to read, LayoutError for a layout that cannot be
    used.
    """
    if spark is None and in_use() != DUCKDB:
        raise ValueError(
            "logsets.read needs Spark's session: logsets.read(logsets.session(), PATH). Without "
            "Spark, logsets.to_arrow(PATH) reads small logs."
        )
    path = path_list(path)
    names = tuple(columns or schema.NAMES)
    hadoops, others = by_opener(path)
    files = files_of(path_list(others)) if others else []
    if spark is not None and not hadoops and question is None and _read_at_once(spark, files):
        if doubtful := "\n".join(doubts(files, layout)):
            (screen() or note_in_log)(doubtful)
        table_order = tuple(name for name in schema.NAMES if name in names)
        rows = to_arrow(path, table_order, layout)
        return spark.createDataFrame(rows, schema.spark_schema(table_order)).select(*names)
    needed = set(names) | ({"file"} if set(CLIENT) & set(names) else set())
    lines = load_lines(spark, path, needed, layout, question)
    if set(CLIENT) & set(names):
        lines = with_the_files_client(lines, load_clients(spark, path, layout))
    return lines.select(*names)


def _read_at_once(spark: SparkSession, files: list[LogFile]) -> bool:
    """Whether this process reads the lines sooner than Spark starts its Python workers."""
    return runs_here(spark) and text_expected(files) <= AT_ONCE_BYTES


def to_arrow(
    path: Paths, columns: Iterable[str] | None = None, layout: str | None = None
) -> pa.Table:
    """The lines of small logs as an Arrow table, without Spark, with the columns of `read`.

    `to_arrow("client.log").to_pandas()`; `polars.from_arrow(…)` and DuckDB take it as it is.
    Raises FileNotFoundError and LayoutError as `read` does.
    """
    names = tuple(columns or schema.NAMES)
    needed = (*names, *(name for name in ("file", *CLIENT) if name not in names))
    if layout is not None:
        checked(layout)
    rows = lines_table(path, needed, layout)
    clients: dict[str, set[tuple]] = {}
    for row in clients_table(path, layout).to_pylist():
        clients.setdefault(row["file"], set()).add(tuple(row[name] for name in CLIENT))
    only = {file: next(iter(found)) for file, found in clients.items() if len(found) == 1}
    files = rows["file"].combine_chunks().dictionary_encode()
    nameless = pc.is_null(rows["client_id"])
    for place, name in enumerate(CLIENT):
        values = [
            only[file][place] if file in only else None for file in files.dictionary.to_pylist()
        ]
        of_file = pa.array(values, pa.string()).take(files.indices)
        filled = pc.if_else(nameless, pc.coalesce(of_file, rows[name]), rows[name])
        rows = rows.set_column(rows.schema.get_field_index(name), name, filled)
    return rows.select(names)


def stream(
    spark: SparkSession,
    path: Paths,
    names: Iterable[str] = schema.NAMES,
    layout: str | None = None,
    settle_s: float = 2,
) -> DataFrame:
    """As `load_lines`, for growing files: a streaming DataFrame. settle_s: stream_reader.py.

    Under a path that only Hadoop opens a file is read once, when it appears (hadoop_files.py).
    """
    names = tuple(name for name in schema.NAMES if name in set(names))
    hadoops, others = by_opener(path)
    if hadoops and others:
        raise ValueError(
            f"One stream reads by Hadoop or by Arrow, not both: {hadoops[0]} and {others[0]}."
        )
    if hadoops:
        if layout is not None:
            checked(layout)
        return hadoop_stream(spark, hadoops, names, layout)
    return (
        line_source(spark.readStream, names, layout)
        .option("settleSeconds", settle_s)
        .load(path_list(path))
    )


def with_the_files_client(lines: DataFrame, prefixes: DataFrame) -> DataFrame:
    """`lines` with kind, client_id and group_id filled in where a line has
    none and its file has exactly one client."""
    only = (
        prefixes.where(F.col("client_id").isNotNull())
        .groupBy("file")
        .agg(F.collect_set(F.struct(*CLIENT)).alias("clients"))
        .where(F.size("clients") == 1)
        .select("file", F.get("clients", F.lit(0)).alias("only"))
    )
    filled = [
        F.when(F.col("client_id").isNull(), F.col(f"only.{name}"))
        .otherwise(F.col(name))
        .alias(name)
        if name in CLIENT
        else F.col(name)
        for name in lines.columns
    ]
    return lines.join(F.broadcast(only), on="file", how="left").select(*filled)


def malformed(lines: DataFrame) -> DataFrame:
    """The lines that could not be read, each with its reason. No line is left out silently."""
    return lines.where(F.col("problem").isNotNull()).select(
        "file", "file_offset", "problem", "message"
    )


def summary(lines: DataFrame) -> DataFrame:
    """One row for each file: its lines, those that could not be read, and those not in the
    catalogue.

    malformed counts every line with a problem. foreign counts those of them that are no log lines.
    """
    readable = F.col("problem").isNull()
    return (
        lines.groupBy("file")
        .agg(
            F.count("*").alias("lines"),
            F.count_if(~readable).alias("malformed"),
            F.count_if(F.col("problem") == schema.FOREIGN).alias("foreign"),
            F.count_if(readable & F.col("event").isNull()).alias("not_in_catalogue"),
            F.min("time").alias("first"),
            F.max("time").alias("last"),
        )
        .orderBy("file")
    )
