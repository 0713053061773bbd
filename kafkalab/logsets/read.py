"""A file or a folder of client lines -> a DataFrame of the columns in schema.py.

`read` is for people: it names the client of every line and keeps Parquet beside a set if asked to.
`load` is the data source alone (source.py), `stream` the same over files that still grow. Only the
columns that are asked for are made: `read(spark, path, columns=("time", "client_id"))`.
"""

import os
from collections.abc import Iterable

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from kafkalab.logsets import schema
from kafkalab.logsets.files import files_of, join

CLIENT = ("kind", "client_id", "group_id")
Paths = str | os.PathLike | Iterable[str | os.PathLike]


def read(
    spark: SparkSession,
    path: Paths,
    columns: Iterable[str] | None = None,
    layout: str | None = None,
    saved: bool = False,
) -> DataFrame:
    """The lines under `path` (or several paths), one row each, with the columns of schema.py (or
    only the named ones).

    Lines without a `[Consumer clientId=…] ` prefix get the client of their file where the whole
    file has one client; in `spark.read.format("kafkalab")` their client_id is null. layout: log4j's
    pattern string (layouts.py); without it each file's first lines tell. saved: read the Parquet
    beside the set, which is made first if it is not there or not of these files (saved.py). Raises
    FileNotFoundError when there is nothing to read, LayoutError for a layout that cannot be read
    by.
    """
    path = join(path)
    files_of(path)
    names = tuple(columns or schema.NAMES)
    if saved:
        from kafkalab.logsets.saved import parquet_of

        lines = spark.read.parquet(parquet_of(spark, path, layout))
    else:
        needed = set(names) | ({"file"} if set(CLIENT) & set(names) else set())
        lines = load(spark, path, needed, layout)
    if set(CLIENT) & set(names):
        prefixes = (
            lines.select("file", *CLIENT) if saved else load(spark, path, {"file", *CLIENT}, layout)
        )
        lines = with_the_files_client(lines, prefixes)
    return lines.select(*names)


def load(
    spark: SparkSession, path: Paths, names: Iterable[str] = schema.NAMES, layout: str | None = None
) -> DataFrame:
    """The named columns as the data source gives them:
    client_id only where a line has a prefix of its own."""
    return _source(spark.read, names, layout).load(join(path))


def stream(
    spark: SparkSession,
    path: Paths,
    names: Iterable[str] = schema.NAMES,
    layout: str | None = None,
    settle_s: float = 2,
) -> DataFrame:
    """As `load`, over files that still grow: a streaming DataFrame. settle_s: growing.py."""
    return (
        _source(spark.readStream, names, layout).option("settleSeconds", settle_s).load(join(path))
    )


def _source(reader, names: Iterable[str], layout: str | None):
    reader = reader.format("kafkalab").schema(schema.spark_schema(tuple(names)))
    if layout is None:
        return reader
    from kafkalab.logsets import layouts

    layouts.layout(layout)  # A wrong one is better refused here than by a worker.
    return reader.option("layout", layout)


def with_the_files_client(lines: DataFrame, prefixes: DataFrame) -> DataFrame:
    """`lines` with kind, client_id and group_id filled in where a line has
    none and its file has exactly one client."""
    only = (
        prefixes.where(F.col("client_id").isNotNull())
        .groupBy("file")
        .agg(F.collect_set(F.struct(*CLIENT)).alias("clients"))
        .where(F.size("clients") == 1)
        .select("file", F.col("clients")[0].alias("only"))
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
    """The lines that could not be read, each with its reason:
    nothing is ever left out in silence."""
    return lines.where(F.col("problem").isNotNull()).select("file", "offset", "problem", "message")


def summary(lines: DataFrame) -> DataFrame:
    """By file: how many lines there are, how many could not be read and why, how many the catalogue
    does not know.

    malformed counts every line with a problem; foreign those of them that are no log lines at all.
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
