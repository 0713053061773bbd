"""Finds each transaction with its duration and result, from its producer's lines on DEBUG."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F
from kafkalab.logsets.event_lines import CLIENT, found, lines_of, ms_between, so_far

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

STATE, ERROR_STATE = "TRANSACTION_STATE", "TRANSACTION_ERROR_STATE"
REQUEST = "TRANSACTIONAL_REQUEST_ENQUEUED"
# From 4.0 on (KIP-890) partitions join with the first batch.
PARTITIONS = ("TRANSACTION_ADDING_PARTITION", "SEQUENCE_ASSIGNED")
OFFSETS = ("TRANSACTION_ADDING_OFFSETS",)
PRODUCER = ("PRODUCER_ID_SET", "PRODUCER_EPOCH_RAISED")
EVENTS = (STATE, ERROR_STATE, REQUEST, *PARTITIONS, *OFFSETS, *PRODUCER)
TRANSACTIONAL_ID = r"(?:transactionalId=|coordinatorKey=|key=)'?([^',)]+)'?"


def transactions(lines: DataFrame) -> DataFrame:
    """One row for each transaction that began.

    file, client_id, transactional_id, producer_id, epoch, began_at, ended_at, took_ms, how:
    committed, aborted, failed (a fatal error: fenced, for instance) or null (not over when the
    lines end), partitions written to, groups whose offsets it holds.
    """
    events = (
        lines_of(
            lines, EVENTS, "topic", "partition", "state", "producer_id", "producer_epoch", "message"
        )
        .where("client_id is not null")
        .withColumn(
            "turn",
            F.count_if(
                (F.col("state") == "IN_TRANSACTION") & F.col("message").contains("from state READY")
            ).over(so_far()),
        )
        .withColumn(
            "named",
            F.last(
                F.when(F.col("event") == REQUEST, found(TRANSACTIONAL_ID)), ignorenulls=True
            ).over(so_far()),
        )
        .withColumn("producer", F.last(_producer(), ignorenulls=True).over(so_far()))
    )
    partition = F.concat_ws("-", "topic", "partition")
    return (
        events.where("turn > 0")
        .groupBy(*CLIENT, "turn")
        .agg(
            F.max("named").alias("transactional_id"),
            F.min_by("producer", F.struct("part", "file_offset")).alias("producer"),
            F.min(F.when(F.col("state") == "IN_TRANSACTION", F.col("time"))).alias("began_at"),
            F.min(F.when(F.col("state").isin("READY", "FATAL_ERROR"),
                         F.col("time"))).alias("ended_at"),
            F.bool_or(F.col("state") == "FATAL_ERROR").alias("fatal"),
            F.bool_or(F.col("state") == "ABORTING_TRANSACTION").alias("aborting"),
            F.bool_or(F.col("state") == "COMMITTING_TRANSACTION").alias("committing"),
            F.array_sort(F.collect_set(F.when(F.col("event").isin(*PARTITIONS),
                                              partition))).alias("partitions"),
            F.array_sort(F.collect_set(F.when(F.col("event").isin(*OFFSETS),
                                              found(r"consumer group (?:GroupMetadata\(groupId = "
                                                    r")?([^ ,]+)")))).alias("groups"),
        )
        .withColumn("how",
                    F.when(F.col("fatal"), "failed").when(F.col("ended_at").isNull(),
                                                          None).when(F.col("aborting"),
                                                                     "aborted").when(F.col("committing"), "committed"))  # noqa: E501
        .select(
            "file", "client_id", "transactional_id", F.col("producer.id").alias("producer_id"),
            F.col("producer.epoch").alias("epoch"),
            "began_at", "ended_at", ms_between("began_at", "ended_at").alias("took_ms"), "how",
            "partitions", "groups",
        )
    )  # fmt: skip


def _producer() -> Column:
    return F.when(
        F.col("event").isin(*PRODUCER),
        F.struct(F.col("producer_id").alias("id"), F.col("producer_epoch").alias("epoch")),
    )
