"""Finds lines that stand in a log twice, because a shipper or a rotation wrote them again.

A client may write equal lines within a millisecond. So single lines are not taken for repeated,
only runs of them: each line of a run is there before, with the same time, client and text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

RUN = 10  # So many lines after each other are a run.
TOLD_APART = ("time", "level", "kind", "client_id", "thread", "logger", "message", "trace")


def repeated(lines: DataFrame) -> DataFrame:
    """file and file_offset of each line of a run that is in its log before."""
    texts = [F.coalesce(F.col(name).cast("string"), F.lit("")) for name in TOLD_APART]
    in_file = Window.partitionBy("file").orderBy("file_offset")
    of_text = Window.partitionBy("file", "text").orderBy("file_offset")
    numbered = (
        lines.where("time is not null and problem is null")
        .select("file", "file_offset", F.md5(F.concat_ws("\n", *texts)).alias("text"))
        .withColumn("again", F.row_number().over(of_text) > 1)
    )
    runs = numbered.withColumn("run", F.count_if(~F.col("again")).over(in_file))
    length = F.count_if("again").over(Window.partitionBy("file", "run"))
    return (
        runs.withColumn("length", length)
        .where(F.col("again") & (F.col("length") >= RUN))
        .select("file", "file_offset")
    )


def counted_once(lines: DataFrame) -> tuple[DataFrame, int]:
    """The lines without those that are repeated, and how many these are."""
    again = repeated(lines)
    count = again.count()
    if not count:
        return lines, 0
    once = lines.join(F.broadcast(again), on=["file", "file_offset"], how="left_anti")
    return once.select(*lines.columns), count
