"""Tells what brokers wrote about groups and transactional ids, from their server.log.

coordinator_steps(lines)   one row for each line of a group or transaction coordinator
fencing_signs(lines)       one row for each line in which a producer says who it is, or that it
                           was fenced
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import lines_of, so_far
from kafkalab.logsets.events import gap_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

# The lines that name their generation, and those that come before the next one.
BEGUN = "GROUP_PREPARING_REBALANCE"
STABILIZED = ("GROUP_STABILIZED", "CONSUMER_GROUP_TARGET")  # and members go on
SETTLED = ("GROUP_STABILIZED", "GROUP_EMPTY", "CONSUMER_GROUP_EPOCH")
OF_GROUPS = (
    BEGUN, *SETTLED, "CONSUMER_GROUP_TARGET", "CONSUMER_GROUP_FENCED",
    *(f"GROUP_{what}" for what in (
        "ASSIGNMENT_RECEIVED LOADED UNLOADED DEAD MEMBER_ID_GIVEN PENDING_MEMBER_JOINS "
        "PENDING_MEMBER_LEFT PENDING_MEMBER_EXPIRED STATIC_MEMBER_JOINS STATIC_MEMBER_RETURNS "
        "MEMBERS_NOT_REJOINED MEMBER_LEFT MEMBER_FAILED"
    ).split()),
    *(f"CONSUMER_GROUP_{what}" for what in (
        "MEMBER_JOINS STATIC_JOINS STATIC_RETURNS MEMBER_LEFT STATIC_AWAY STATIC_LEFT"
    ).split()),
)  # fmt: skip
OF_TRANSACTIONS = ("TRANSACTIONAL_ID_INITIALIZED", "TRANSACTION_TIMED_OUT")
PRODUCER = ("PRODUCER_ID_SET", "PRODUCER_EPOCH_RAISED")
FAILURES = (
    "BATCH_FAILED",
    "SEND_FAILED",
    "TRANSACTION_ERROR_STATE",
    "TRANSACTION_FATAL_ERROR",
    "TRANSACTION_ABORTABLE_ERROR",
)
FENCED = r"ProducerFencedException|INVALID_PRODUCER_EPOCH|InvalidProducerEpochException"
# `[GroupCoordinator id=1 topic=… partition=…] ` and `[GroupCoordinator 1]: `.
PART = r"^\[[A-Z][^\]]*\]:? (\[Group(Id)? [^\]]*\] )?"


def coordinator_steps(lines: DataFrame) -> DataFrame:
    """One row for each line of a coordinator about one group or one transactional id.

    folder, file, file_offset, at, broker, group_id, generation (KIP-848: the group's epoch; of a
    line without one the next that the group reaches), transactional_id, producer_id,
    producer_epoch, event, says (the text without the part's name).
    """
    events = (*OF_GROUPS, *OF_TRANSACTIONS)
    written = lines_of(
        lines, events, "broker", "generation", "producer_id", "producer_epoch", "message"
    ).withColumn("group_id", gap_of(OF_GROUPS, "group"))
    own = F.when(F.col("event") == BEGUN, F.col("generation") + 1).otherwise(F.col("generation"))
    onwards = (
        Window.partitionBy("file", "group_id")
        .orderBy("part", "file_offset")
        .rowsBetween(Window.currentRow, Window.unboundedFollowing)
    )
    settled = F.when(F.col("event").isin(*SETTLED), F.col("generation"))
    return written.select(
        "folder",
        "file",
        "file_offset",
        F.col("time").alias("at"),
        "broker",
        "group_id",
        F.coalesce(own, F.first(settled, ignorenulls=True).over(onwards)).alias("generation"),
        gap_of(OF_TRANSACTIONS, "transactional_id").alias("transactional_id"),
        "producer_id",
        "producer_epoch",
        "event",
        F.regexp_replace("message", PART, "").alias("says"),
    )


def fencing_signs(lines: DataFrame) -> DataFrame:
    """One row for each line in which a producer gets an id and epoch, or says that it was fenced.

    folder, file, file_offset, at, client_id, producer_id and producer_epoch (that it had then),
    fenced, says.
    """
    told = F.col("message").rlike(FENCED) | F.coalesce(F.col("trace").rlike(FENCED), F.lit(False))
    is_named = F.col("event").isin(*PRODUCER) & (F.col("producer_id") >= 0)
    written = lines_of(
        lines, (*PRODUCER, *FAILURES), "producer_id", "producer_epoch", "message", "trace"
    ).where("client_id is not null")
    return (
        written.withColumns(
            {
                "named": F.last(
                    F.when(is_named, F.struct("producer_id", "producer_epoch")), ignorenulls=True
                ).over(so_far()),
                "fenced": F.col("event").isin(*FAILURES) & told,
            }
        )
        .where(is_named | F.col("fenced"))
        .select(
            "folder",
            "file",
            "file_offset",
            F.col("time").alias("at"),
            "client_id",
            F.col("named.producer_id").alias("producer_id"),
            F.col("named.producer_epoch").alias("producer_epoch"),
            "fenced",
            F.col("message").alias("says"),
        )
    )
