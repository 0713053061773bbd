"""Tells whether a log lacks lines that its writer wrote, by the numbers of requests and answers.

A collector that samples, or that cannot follow, leaves lines out. A request and its answer have one
number. A log without DEBUG lines has no such numbers, and there it cannot be known.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import CLIENT, lines_of
from kafkalab.logsets.requests import ANSWERED, SENT

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

LEAST = 3  # So many answers without a request: two clients of one name may mix up one or two.


def missing_lines(lines: DataFrame) -> list[str]:
    """A sentence where the log shows that lines are missing, else nothing.

    A log that begins amid a client's life has answers to requests before it: those count only from
    its first request on.
    """
    numbers = (
        lines_of(lines, (SENT, ANSWERED), "correlation_id")
        .where("client_id is not null and correlation_id is not null")
        .groupBy(*CLIENT, "correlation_id")
        .agg(
            F.count_if(F.col("event") == SENT).alias("asked"),
            F.count_if(F.col("event") == ANSWERED).alias("told"),
        )
        .withColumn(
            "begin",
            F.min(F.when(F.col("asked") > 0, F.col("correlation_id"))).over(
                Window.partitionBy(*CLIENT)
            ),
        )
        .where(F.col("correlation_id") >= F.col("begin"))
        .agg(
            F.count_if(F.col("told") > 0).alias("answers"),
            F.count_if((F.col("told") > 0) & (F.col("asked") == 0)).alias("alone"),
        )
        .collect()[0]
    )
    if numbers["alone"] < LEAST:
        return []
    return [
        f"Lines are missing: {numbers['alone']:,} of {numbers['answers']:,} answers have no "
        "request in the log. Something left lines out, so counts are too low, and what happened "
        "may be told wrongly or not at all."
    ]
