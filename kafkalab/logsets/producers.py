"""Reads producers' batches, sizes and retries from their lines: from 2.8 on DEBUG, older ones on
TRACE.

    batches(lines)     one row for each batch of each PRODUCE request: its partition, size, answer
    producers(lines)   one row for each producer and partition: records, batches, sizes, retries,
    share
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import lines_of, number
from kafkalab.logsets.requests import ANSWERED, SENT, exchanges

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

APPENDED, RETRIED, FAILED = "APPENDING_RECORD", ("BATCH_RETRIED", "BATCH_SPLIT"), "BATCH_FAILED"
# The sticky partitioner of 2.8 moves this record to another partition (KIP-480).
MOVED = "RETRYING_APPEND"
EVENTS = (SENT, ANSWERED, APPENDED, *RETRIED, FAILED, MOVED)
# partitionSizes=[t4-0=72], from 4.1 on with the topic's id: [41PqbIGLTbySy7mMtgQVFw:t4-0=70]
SIZES = r"(?:[\w-]{22}:)?([\w.\-]+)-(\d+)=(\d+)[,\]]"
ERRORS = r"(?:error_code=|errorCode=)(\d+)"


def batches(lines: DataFrame) -> DataFrame:
    """One row for each batch in each PRODUCE request.

    file, client_id, broker, topic, partition, size_bytes, sent_at, answered_at, took_ms (both null
    without an answer), error: the answer's first error code that is not 0, else 0 (null without an
    answer).
    """
    talk = lines_of(lines, (SENT, ANSWERED), "api", "correlation_id", "broker", "message").where(
        "api = 'PRODUCE'"
    )
    errors = F.filter(
        F.regexp_extract_all("message", F.lit(ERRORS), F.lit(1)).cast("array<int>"),
        lambda code: code != 0,
    )
    sent = F.col("event") == SENT
    sizes = F.when(sent, F.regexp_extract_all("message", F.lit(SIZES), F.lit(0)))
    return (
        exchanges(
            talk, (), F.max("broker").alias("broker"), F.max(sizes).alias("sizes"),
            F.max(F.when(~sent, F.coalesce(F.get(errors, F.lit(0)), F.lit(0)))).alias("error"),
        )
        .withColumn("batch", F.explode("sizes"))
        .select(
            "file", "client_id", "broker", F.regexp_extract("batch", SIZES, 1).alias("topic"),
            F.regexp_extract("batch", SIZES, 2).cast("int").alias("partition"),
            number(SIZES, 3, "batch").alias("size_bytes"),
            "sent_at", "answered_at", "took_ms", "error",
        )
    )  # fmt: skip


def producers(lines: DataFrame) -> DataFrame:
    """One row for each producer and partition it wrote to.

    file, client_id, topic, partition; records (null where only DEBUG was logged), batches,
    records_per_batch, size_bytes (a batch's mean), retries, failed, took_ms (the median answer),
    share of the client's bytes (0..1). batches and failed are null where INFO was logged: that
    level shows retries alone.
    """
    moved = F.col("event") == MOVED
    gone = F.struct(
        number(r"The old partition was (\d+)").cast("int").alias("number"),
        F.lit(-1).alias("records"),
    )
    come = F.struct(
        F.col("partition").alias("number"),
        F.when(moved | (F.col("event") == APPENDED), 1).otherwise(0).alias("records"),
    )
    counted = (
        lines_of(lines, (APPENDED, MOVED, *RETRIED, FAILED), "topic", "partition", "message")
        .where("client_id is not null and topic is not null and partition is not null")
        .select(
            "file",
            "client_id",
            "topic",
            "event",
            F.explode(F.when(moved, F.array(gone, come)).otherwise(F.array(come))).alias("to"),
        )
        .groupBy("file", "client_id", "topic", F.col("to.number").alias("partition"))
        .agg(
            F.sum("to.records").alias("appended"),
            F.count_if(F.col("event").isin(*RETRIED)).alias("retries"),
            F.count_if(F.col("event") == FAILED).alias("failed"),
        )
    )
    packed = (
        batches(lines)
        .groupBy("file", "client_id", "topic", "partition")
        .agg(
            F.count("*").alias("batches"),
            F.avg("size_bytes").alias("size_bytes"),
            F.sum("size_bytes").alias("bytes"),
            F.percentile("took_ms", F.lit(0.5)).alias("took_ms"),
        )
    )
    of_client = Window.partitionBy("file", "client_id")
    records = F.when(F.col("appended") > 0, F.col("appended"))
    shows_all = F.max("batches").over(of_client).isNotNull()
    return (
        packed.join(counted, on=["file", "client_id", "topic", "partition"], how="full")
        .select(
            "file", "client_id", "topic", "partition", records.alias("records"),
            F.when(shows_all, F.coalesce("batches", F.lit(0))).alias("batches"),
            (records / F.col("batches")).alias("records_per_batch"), "size_bytes",
            F.coalesce("retries", F.lit(0)).alias("retries"),
            F.when(shows_all | (F.col("failed") > 0), F.coalesce("failed", F.lit(0)))
            .alias("failed"), "took_ms",
            (F.coalesce("bytes", F.lit(0)) / F.sum("bytes").over(of_client)).alias("share"),
        )
    )  # fmt: skip
