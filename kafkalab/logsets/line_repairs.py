"""Takes out lines that are in a log twice, and puts lines in order that a relay has mixed up.

A shipper's retry and a rotation write lines again. A client may itself write equal lines within a
millisecond. So a line is taken for repeated only where it is in a run of such lines, where the
log's time went back to it, or where much of the log is so. A relay with several threads may mix
lines up. A clock that is set back now and then does not: there the order of the lines is right.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# So many lines after each other are a run, if their times differ: a client that polls without a
# pause writes more within a millisecond.
RUN = 10
BACK_MS = 100  # A line that is so much older than one before it, and equal to another, is repeated.
MUCH = 0.3  # Where so many of the lines are equal to others, each is written twice.
# Threads change places within milliseconds. Where so many lines are older than the one before, a
# relay mixed them up.
MIXED_MS, MIXED, LEAST_MIXED = 5, 0.05, 3
STEP_MS = 60_000  # No relay keeps a line for so long; the clock or the order is wrong.
ZONE_MS = 14 * 60_000  # Zones are a quarter of an hour apart or more; what one line waits goes off.
TOLD_APART = ("time", "level", "kind", "client_id", "thread", "logger", "message", "trace")
MOST_FILES = 1000


@dataclass(frozen=True)
class LineRepairs:
    """What was put right in the lines of a log, and what cannot be.

    repeated  how many lines were there twice
    mixed     the files whose lines are mixed up
    run_back  the files in which times run back, and by how many milliseconds
    """

    repeated: int = 0
    mixed: tuple[str, ...] = ()
    run_back: tuple[tuple[str, int], ...] = ()

    def sentences(self) -> Iterator[str]:
        if self.repeated:
            yield (
                f"{self.repeated:,} lines stand twice, with the same time, client and text: a "
                "shipper, a rotation or a second appender wrote them again. Each is counted once."
            )
        for name in self.mixed[:3]:
            yield (
                f"The lines of {name} are mixed up: many are older than the line before. They are "
                "told in the order of their times. Within a millisecond the order is not known."
            )
        for name, ms in self.run_back[:3]:
            yield (
                f"The times of {name} run back by {timedelta(seconds=ms // 1000)}: a clock of 12 "
                "hours without AM or PM, one that was set back, clients of different zones in one "
                "file, or parts of the log in a wrong order. What is told across that place may be "
                "wrong."
            )


NO_REPAIRS = LineRepairs()


def repaired(lines: DataFrame, doubtful: list[str] | None = None) -> tuple[DataFrame, LineRepairs]:
    """The lines (all columns of schema.py), each once and in order, and what was put right.

    doubtful: the only files that may need it (line_order.py); None are all.
    """
    if doubtful == []:
        return lines, NO_REPAIRS
    looked_at = F.lit(True) if doubtful is None else F.col("file").isin(*doubtful)
    again = repeated(lines.where(looked_at)).persist()
    count = again.count()
    if count:
        columns = lines.columns
        lines = lines.join(F.broadcast(again), on=["file", "file_offset"], how="left_anti")
        lines = lines.select(*columns)
    mixed, run_back = _mixed_files(lines.where(looked_at))
    if mixed:
        in_time = Window.partitionBy("file").orderBy("time", "file_offset")
        turn = F.row_number().over(in_time).cast("bigint")
        place = F.when(F.col("file").isin(*mixed), turn).otherwise(F.col("file_offset"))
        lines = lines.withColumn("file_offset", place)
    return lines, LineRepairs(count, tuple(mixed), tuple(run_back))


def repeated(lines: DataFrame) -> DataFrame:
    """file and file_offset of each line that is in its log before."""
    texts = [F.coalesce(F.col(name).cast("string"), F.lit("")) for name in TOLD_APART]
    in_file = Window.partitionBy("file").orderBy("file_offset")
    so_far = in_file.rowsBetween(Window.unboundedPreceding, Window.currentRow)
    of_text = Window.partitionBy("file", "text").orderBy("file_offset")
    of_run = Window.partitionBy("file", "run")
    numbered = (
        lines.where("time is not null and problem is null")
        .select("file", "file_offset", "time", F.md5(F.concat_ws("\n", *texts)).alias("text"))
        .withColumn("again", F.row_number().over(of_text) > 1)
        .withColumn("latest", F.max("time").over(so_far))
        .withColumn("run", F.count_if(~F.col("again")).over(in_file))
        # Where a clock was set back, all that follows is older than the latest time.
        .withColumn("first_latest", F.min("latest").over(Window.partitionBy("file", "text")))
    )
    back = F.unix_millis("latest") - F.unix_millis("time") >= BACK_MS
    back = back & (F.col("latest") > F.col("first_latest"))
    share = F.count_if("again").over(Window.partitionBy("file")) / F.count("*").over(
        Window.partitionBy("file")
    )
    return (
        numbered.withColumn("length", F.count_if("again").over(of_run))
        .withColumn("first", F.min(F.when(F.col("again"), F.col("time"))).over(of_run))
        .withColumn("last", F.max(F.when(F.col("again"), F.col("time"))).over(of_run))
        .withColumn("back", F.count_if(F.col("again") & back).over(of_run))
        .withColumn("share", share)
        .where(
            F.col("again")
            & (
                ((F.col("length") >= RUN) & (F.col("first") < F.col("last")))
                | (F.col("back") > 0)
                | (F.col("share") >= MUCH)
            )
        )
        .select("file", "file_offset")
    )


def _mixed_files(lines: DataFrame) -> tuple[list[str], list[tuple[str, int]]]:
    """The files of which many lines are older than the line before, of the same client; and those
    of which few are, but by much, or many by a zone, while each client's own are in order."""

    def back(*of: str) -> Column:
        in_turn = Window.partitionBy(*of).orderBy("file_offset")
        return F.unix_millis(F.lag("time").over(in_turn)) - F.unix_millis("time")

    own = F.when(F.col("client_id").isNotNull(), F.col("back_ms"))
    found = (
        lines.where("time is not null")
        .select(
            "file",
            "client_id",
            back("file", "client_id").alias("back_ms"),
            back("file").alias("step_ms"),
        )
        .groupBy("file")
        .agg(
            F.count("*").alias("lines"),
            F.count_if(F.col("back_ms") >= MIXED_MS).alias("back"),
            F.count_if(F.col("back_ms") >= STEP_MS).alias("steps"),
            F.coalesce(F.max(own), F.max("back_ms")).alias("most_ms"),
            F.sum(F.when(own.isNotNull(), (own >= MIXED_MS).cast("int"))).alias("own"),
            F.count_if(F.col("step_ms") >= ZONE_MS).alias("zones"),
            F.max("step_ms").alias("zone_ms"),
        )
        .where(
            (F.col("back") >= LEAST_MIXED)
            | (F.col("most_ms") >= STEP_MS)
            | (F.col("zones") >= LEAST_MIXED)
        )
        .orderBy("file")
        .limit(MOST_FILES)
        .collect()
    )
    zoned = [
        (row["file"], row["zone_ms"])
        for row in found
        if row["zones"] > max(LEAST_MIXED, MIXED * row["lines"])
        and row["own"] is not None  # lines of clients are there
        and row["own"] < LEAST_MIXED
    ]
    mixed = [
        row["file"]
        for row in found
        if row["back"] >= LEAST_MIXED
        and row["back"] > MIXED * row["lines"]
        and row["back"] > row["steps"]  # else a clock was set back, for several clients
        and row["file"] not in dict(zoned)
    ]
    steps = [
        (row["file"], row["most_ms"])
        for row in found
        if (row["most_ms"] or 0) >= STEP_MS and row["file"] not in {*mixed, *dict(zoned)}
    ]
    return mixed, zoned + steps
