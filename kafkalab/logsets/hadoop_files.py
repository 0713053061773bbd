"""Reads logs by Spark's own file systems: s3a://, hdfs://, abfss:// and all others of Hadoop.

The data source `kafkalab` opens files with Arrow, in Python. Hadoop's file systems need the JVM,
and the settings and credentials of the session. So Spark lists these files and hands their bytes to
its workers. A worker keeps one file at a time in a temporary folder while it reads it. Spark gives
no more than 2 GB of one file.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from kafkalab.logsets import schema
from kafkalab.logsets.client_prefixes import NAMES as OF_CLIENTS
from kafkalab.logsets.client_prefixes import client_batches
from kafkalab.logsets.files import ARCHIVES, LogFile, files_of, is_log, rotated_in_turn
from kafkalab.logsets.question import LineQuestion
from kafkalab.logsets.ranges import Range, ranges_of
from kafkalab.logsets.record_batches import how_written, record_batches_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

SCHEME = "://"
ARROWS = ("file", "s3", "gs")  # These Arrow opens alone.
# A packed text has no more bytes than so many for each of its own: deflate's limit.
MOST_UNPACKED = 1032
# The columns of Spark's source of whole files.
BINARY = "path STRING, modificationTime TIMESTAMP, length BIGINT, content BINARY"

Work = Callable[[Iterable[Range]], Iterator[pa.RecordBatch]]


def is_hadoops(path: str) -> bool:
    """Whether Spark has to open this path: its scheme is none of Arrow's."""
    return SCHEME in path and path.partition(SCHEME)[0] not in ARROWS


def hadoop_lines(
    spark: SparkSession,
    paths: list[str],
    names: tuple[str, ...],
    layout: str | None,
    question: LineQuestion | None,
) -> DataFrame:
    """The named columns of these logs. Raises FileNotFoundError where there is none."""

    def rows(pieces: Iterable[Range]) -> Iterator[pa.RecordBatch]:
        for piece in pieces:
            yield from record_batches_of(piece.blocks(question), names, question)

    return _read(spark, paths, names, layout, rows)


def hadoop_clients(spark: SparkSession, paths: list[str], layout: str | None) -> DataFrame:
    """The clients of each of these logs (client_prefixes.py)."""
    return _read(spark, paths, OF_CLIENTS, layout, client_batches)


def hadoop_listing(spark: SparkSession, paths: list[str]) -> tuple[list[LogFile], list[str]]:
    """The logs under these paths by Spark's own listing, and the names of the other files there.

    Rotated logs are in their turn. Raises FileNotFoundError for a path that is not there.
    """
    found: list[LogFile] = []
    others: list[str] = []
    for path in paths:
        files = [LogFile(row.path, row.length) for row in _files(spark, [path]).collect()]
        named = [file for file in files if _base(file.name) == _base(path)]
        logs = named or [f for f in files if is_log(f.name) or f.name.endswith(ARCHIVES)]
        if not logs:
            raise FileNotFoundError(f"There is no log in {path}.")
        found += logs
        others += sorted({file.name for file in files} - {file.name for file in logs})
    in_order = sorted(dict.fromkeys(found), key=lambda file: file.name)
    return list(rotated_in_turn(in_order, _at_most)), others


def hadoop_stream(
    spark: SparkSession, paths: list[str], names: tuple[str, ...], layout: str | None
) -> DataFrame:
    """The named columns of logs as they appear under these folders, by Spark's own streaming file
    source: it reads each file once, so a file has to be whole when it appears. Each is a log of its
    own, also a rotated one."""

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path, length, content in zip(
                batch["path"].to_pylist(), batch["length"].to_pylist(), batch["content"]
            ):
                if not (is_log(path) or path.endswith(ARCHIVES)):
                    continue
                with tempfile.TemporaryDirectory(prefix="kafkalab-") as folder:
                    file = LogFile(path, length)
                    for piece in _pieces(file, content.as_buffer(), folder, layout):
                        yield from record_batches_of(piece.blocks(), names)

    source = spark.readStream.format("binaryFile").schema(BINARY)
    frames = [source.option("recursiveFileLookup", "true").load(path) for path in paths]
    found = reduce(lambda one, other: one.unionByName(other), frames)
    columns = found.select("path", "length", "content")
    return columns.mapInArrow(read, schema.spark_schema(names))


def _base(path: str) -> str:
    return path.rstrip("/").rpartition("/")[2]


def _at_most(file: LogFile) -> int:
    """Bytes that a file's text does not exceed: places in the next file begin after them."""
    return file.size * (MOST_UNPACKED if file.packed else 1)


def _files(spark: SparkSession, paths: list[str]) -> DataFrame:
    """Spark's list of the files: path, length."""
    return _binary(spark, paths).select("path", "length")


def _binary(spark: SparkSession, paths: list[str]) -> DataFrame:
    from pyspark.errors import AnalysisException

    try:
        source = spark.read.format("binaryFile").option("recursiveFileLookup", "true")
        return source.load(paths)
    except AnalysisException as error:
        if "PATH_NOT_FOUND" in str(error):
            raise FileNotFoundError(f"There is no file or folder {' or '.join(paths)}.") from None
        raise


def _read(
    spark: SparkSession, paths: list[str], names: tuple[str, ...], layout: str | None, work: Work
) -> DataFrame:
    files, others = hadoop_listing(spark, paths)
    known = {file.name: file for file in files}

    def read(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for path, content in zip(batch["path"].to_pylist(), batch["content"]):
                if path in known:
                    with tempfile.TemporaryDirectory(prefix="kafkalab-") as folder:
                        yield from work(_pieces(known[path], content.as_buffer(), folder, layout))

    found = _binary(spark, paths).select("path", "content")
    if others:
        found = found.where(~found["path"].isin(others))
    return found.mapInArrow(read, schema.spark_schema(names))


def _pieces(file: LogFile, content: pa.Buffer, folder: str, layout: str | None) -> Iterator[Range]:
    """The ranges of a file, or of what an archive holds. Rows get the name that Spark has."""
    here = os.path.join(folder, _base(file.name))
    Path(here).write_bytes(content)
    for part in files_of(here):
        for piece in ranges_of(part, *how_written(part, layout)):
            within = (piece.log or piece.file).removeprefix(here)
            log = f"{file.name}{within}" if within else file.log or file.name
            yield replace(piece, log=log, before=piece.before + file.before)
