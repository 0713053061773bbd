"""Finds consumers' commits, and the ranges of offsets that a group read twice, from lines on DEBUG.

commits(lines)       one row for each commit of a partition, with the time since the group's
last reprocessed(lines)   one row for each range of offsets that was delivered to a group again
missing_positions(lines)  one row for each position that its broker did not have
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import in_turn, lines_of, ms_between, number

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import Column, DataFrame
    from pyspark.sql.window import WindowSpec

COMMITTED = ("COMMITTED_OFFSET", "ASYNC_OFFSET_COMMITTED")
# Where a consumer begins to read a partition.
RESET, SEEK = "RESETTING_OFFSET", "SEEKING"
BEGINS = ("SETTING_COMMITTED_OFFSET", RESET, SEEK)
# The position after delivered records: the next fetch has it, and TRACE lines have it at delivery.
ASKS_FOR = ("FETCH_ADDED", "POSITION_UPDATED")
HANDED_OVER = "FETCH_RETURNING"  # Up to 2.3 the next position is at its end.
NEXT = r"update position to (?:FetchPosition\{offset=)?(\d+)"
OUT_OF_RANGE = ("FETCH_OUT_OF_RANGE", "FETCH_OUT_OF_RANGE_NO_POLICY")
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
    "committed" offset; from one that was "set back", for the last commit of a member was higher; by
    a "reset"; or by the application's own "seek"; previous_client, the last one that read them.
    """
    so_far = (
        Window.partitionBy(*PARTITION)
        .orderBy("time", "file", "part", "file_offset")
        .rowsBetween(Window.unboundedPreceding, -1)
    )
    is_begin = F.col("event").isin(*BEGINS)
    reached = F.when(F.col("event").isin(*ASKS_FOR), F.col("position")).when(
        F.col("event") == HANDED_OVER, number(NEXT)
    )
    # From 3.9 on the line with the committed offset has no prefix. So in a log of several clients
    # its client is unknown. There a fetch at a lower offset shows it.
    here = F.when(is_begin, F.col("position")).otherwise(reached)
    was_here = F.last(here, ignorenulls=True).over(so_far)
    goes_back = (F.col("event") == ASKS_FOR[0]) & (reached < was_here)
    reader = F.when(
        _is_delivered(reached, was_here), F.struct(reached.alias("reached"), "client_id")
    )
    begins = F.when(is_begin | goes_back, F.col("position"))
    events = (*BEGINS, *ASKS_FOR, HANDED_OVER, *SOUGHT, *COMMITTED, *OUT_OF_RANGE)
    return (
        _owned(lines_of(lines, events, "group_id", "topic", "partition", "position", "message"))
        .withColumns({"reader": reader, "begins": begins, "how": _how(begins, so_far)})
        .withColumns({
            "before": F.max("reader").over(so_far),
            "from_offset": F.greatest("begins", F.min(here).over(so_far)),
        })
        .where("begins is not null and from_offset < before.reached")
        .select(
            "file", "client_id", "group_id", "topic", "partition",
            "from_offset", F.col("before.reached").alias("until_offset"),
            (F.col("before.reached") - F.col("from_offset")).alias("records"),
            F.col("time").alias("began_at"), "how",
            F.col("before.client_id").alias("previous_client"),
        )
    )  # fmt: skip


def _is_delivered(reached: Column, was_here: Column) -> Column:
    """Whether records up to the position of this line were handed out.

    Not where it is the first fetch, which asks where the consumer begins; nor up to an offset that
    the broker then did not have.
    """
    refused = F.collect_list(F.when(F.col("event").isin(*OUT_OF_RANGE), F.col("position"))).over(
        Window.partitionBy(*PARTITION)
    )
    moved = (F.col("event") == HANDED_OVER) | was_here.isNull() | (reached != was_here)
    asked_in_vain = (F.col("event") == ASKS_FOR[0]) & F.array_contains(refused, reached)
    return reached.isNotNull() & moved & ~asked_in_vain


def _how(begins: Column, so_far: WindowSpec) -> Column:
    """Why a consumer begins where it does: see reprocessed."""

    def last_of(events: Iterable[str], value: str) -> Column:
        said = F.when(F.col("event").isin(*events), F.col(value))
        return F.last(said, ignorenulls=True).over(so_far)

    sought = last_of((*BEGINS, *SOUGHT), "event").isin(*SOUGHT)
    is_set_back = begins < last_of(COMMITTED, "position")
    return (
        F.when(F.col("event") == SEEK, "seek")
        .when(F.col("event") == RESET, F.when(sought, "seek").otherwise("reset"))
        .otherwise(F.when(is_set_back, "set back").otherwise("committed"))
    )


def missing_positions(lines: DataFrame) -> DataFrame:
    """One row for each position at which a consumer asked and its broker had no record.

    file, file_offset, time, client_id, group_id, topic, partition, message, folder; position;
    reset_to: where the consumer went on, null where no line tells. Above `position` it means that
    the records between were deleted, below it that the log ends before `position`.
    """
    of_partition = in_turn("topic", "partition")
    then = F.lead(F.struct("event", "position")).over(of_partition)
    return (
        lines_of(lines, (*OUT_OF_RANGE, RESET), "group_id", "topic", "partition", "position",
                 "message")
        .withColumn("then", then)
        .where(F.col("event").isin(*OUT_OF_RANGE))
        .withColumn("reset_to", F.when(F.col("then.event") == RESET, F.col("then.position")))
        .drop("then")
    )  # fmt: skip


def _owned(events: DataFrame) -> DataFrame:
    """Add `owner`. Offsets belong to a group, or without a group to the client."""
    owner = F.coalesce("group_id", "client_id")
    return events.where("topic is not null").withColumn("owner", owner)
