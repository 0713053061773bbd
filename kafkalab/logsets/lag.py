"""Computes each consumer's lag and lead from the answers to its fetches. It needs lines on DEBUG.

Lag is high watermark - position of the fetch. It includes the records of this answer. So a consumer
that reads as fast as others write has a lag of one fetch. Lead is position - log start offset. At 0
the next deletion removes records that the consumer never read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F
from kafkalab.logsets.event_lines import lines_of, number

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

ANSWER = "FETCH_RETURNED"


def lag(lines: DataFrame) -> DataFrame:
    """One row for each partition of each answered fetch, without answers with an error.

    file, client_id, group_id, topic, partition, time, position, high_watermark, log_start, lag,
    lead (both at least 0), size_bytes of the records.
    """
    high, start = number(r"high[wW]ater[mM]ark ?= ?(-?\d+)"), number(r"logStartOffset ?= ?(-?\d+)")
    return (
        lines_of(lines, (ANSWER,), "group_id", "topic", "partition", "position", "message")
        .withColumns({"high_watermark": high, "log_start": start})
        .withColumn("size_bytes",
                    F.coalesce(number(r"recordsSizeInBytes=(\d+)"),
                               number(r"records=MemoryRecords\(size=(\d+)"), F.lit(0)))
        .where("high_watermark >= 0 and position is not null")
        .select(
            "file", "client_id", "group_id", "topic", "partition", "time", "position",
            "high_watermark", "log_start",
            F.greatest(F.col("high_watermark") - F.col("position"), F.lit(0)).alias("lag"),
            F.when(F.col("log_start") >= 0,
                   F.greatest(F.col("position") - F.col("log_start"), F.lit(0))).alias("lead"),
            "size_bytes",
        )
    )  # fmt: skip


def lag_per_minute(lines: DataFrame) -> DataFrame:
    """The lag of each client and partition by minute.

    file, client_id, group_id, topic, partition, minute, lag (the largest), lead (the smallest),
    last_lag, position (the last).
    """
    return (
        lag(lines)
        .groupBy(
            "file",
            "client_id",
            "group_id",
            "topic",
            "partition",
            F.date_trunc("minute", "time").alias("minute"),
        )
        .agg(
            F.max("lag").alias("lag"),
            F.min("lead").alias("lead"),
            F.max_by("lag", F.struct("time", "position", "lag")).alias("last_lag"),
            F.max_by("position", F.struct("time", "position")).alias("position"),
        )
        .select(
            "file",
            "client_id",
            "group_id",
            "topic",
            "partition",
            "minute",
            "lag",
            "lead",
            "last_lag",
            "position",
        )
    )
