"""Finds consumers' commits, and the ranges of offsets that a group read twice, from lines on DEBUG.

commits(lines)       one row for each commit of a partition, with the time since the group's
last reprocessed(lines)   one row for each range of offsets that was delivered to a group again
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import folder, lines_of, ms_between, number

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

COMMITTED = ("COMMITTED_OFFSET", "ASYNC_OFFSET_COMMITTED")
# Where a consumer begins to read a partition.
BEGINS = {"SETTING_COMMITTED_OFFSET": "committed", "RESETTING_OFFSET": "reset", "SEEKING": "seek"}
# The position after delivered records: the next fetch has it, and TRACE lines have it at delivery.
ASKS_FOR = ("FETCH_ADDED", "POSITION_UPDATED")
HANDED_OVER = "FETCH_RETURNING"  # Up to 2.3 the next position is at its end.
NEXT = r"update position to (?:FetchPosition\{offset=)?(\d+)"
# The application's own seek. The reset only follows it.
SOUGHT = ("SEEKING_TO_BEGINNING", "SEEKING_TO_STRATEGY")
PARTITION = ("folder", "owner", "topic", "partition")


def commits(lines: DataFrame) -> DataFrame:
    """One row for each partition of each answered commit.

    file, client_id, group_id, topic, partition, offset, committed_at; gap_ms since the group's last
    commit of this partition, advanced: the number of offsets since then; both null for the first.
    """
    of_partition = Window.partitionBy(*PARTITION).orderBy("time", "file", "part", "file_offset")
    return (
        _owned(lines_of(lines, COMMITTED, "group_id", "topic", "partition", "position"))
        .withColumnRenamed("position", "committed")
        .withColumn("previous", F.lag(F.struct("time", "committed")).over(of_partition))
        .select(
            "file", "client_id", "group_id", "topic", "partition",
            F.col("committed").alias("offset"), F.col("time").alias("committed_at"),
            ms_between("previous.time", "time").alias("gap_ms"),
            (F.col("committed") - F.col("previous.committed")).alias("advanced"),
        )
    )  # fmt: skip


def reprocessed(lines: DataFrame) -> DataFrame:
    """One row for each range of offsets that was delivered to the group before.

    file, client_id, group_id, topic, partition, from_offset up to but not including until_offset,
    records (at most: offsets of markers and compacted records count too), began_at, how: from the
    committed offset, by a reset, or by the application's own seek; previous_client, the last one
    that read them.
    """
    of_partition = Window.partitionBy(*PARTITION).orderBy("time", "file", "part", "file_offset")
    so_far = of_partition.rowsBetween(Window.unboundedPreceding, -1)
    is_begin = F.col("event").isin(*BEGINS)
    reached = F.when(F.col("event").isin(*ASKS_FOR), F.col("position")).when(
        F.col("event") == HANDED_OVER, number(NEXT)
    )
    # From 3.9 on the line with the committed offset has no prefix. So in a log of several clients
    # its
    # client is unknown. There a fetch at a lower offset shows it.
    here = F.when(is_begin, F.col("position")).otherwise(reached)
    goes_back = (F.col("event") == ASKS_FOR[0]) & (
        reached < F.last(here, ignorenulls=True).over(so_far)
    )
    begins = F.when(is_begin | goes_back, F.col("position"))
    wished = (
        F.last(F.when(is_begin | F.col("event").isin(*SOUGHT), F.col("event")), ignorenulls=True)
        .over(so_far)
        .isin(*SOUGHT)
    )
    how = F.when(F.col("event") == "RESETTING_OFFSET", F.when(wished, "seek").otherwise("reset"))
    how = F.coalesce(
        how,
        *(F.when(F.col("event") == event, name) for event, name in BEGINS.items()),
        F.lit("committed"),
    )
    furthest = F.when(F.col("reached").isNotNull(), F.struct("reached", "client_id"))
    return (
        _owned(lines_of(lines, (*BEGINS, *ASKS_FOR, HANDED_OVER, *SOUGHT), "group_id", "topic",
                    "partition", "position", "message"))
        .withColumns({"reached": reached, "begins": begins, "how": how})
        .withColumn("before", F.max(furthest).over(so_far))
        .where("begins < before.reached")
        .select(
            "file", "client_id", "group_id", "topic", "partition",
            F.col("begins").alias("from_offset"), F.col("before.reached").alias("until_offset"),
            (F.col("before.reached") - F.col("begins")).alias("records"),
            F.col("time").alias("began_at"), "how",
            F.col("before.client_id").alias("previous_client"),
        )
    )  # fmt: skip


def _owned(events: DataFrame) -> DataFrame:
    """Add `folder` and `owner`. Offsets belong to a group, or without a group to the client."""
    return events.where("topic is not null").withColumns(
        {"folder": folder(), "owner": F.coalesce("group_id", "client_id")}
    )
