"""Pairs each request with its answer: which API, to which broker, and how long it took.

requests(lines)       one row for each request
exchanges(talk)       one row for each request, of lines that the caller has chosen
broker_times(lines)   one row for each client and broker: the usual and the long answers
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F
from kafkalab.logsets.event_lines import CLIENT, in_turn, lines_of, ms_between, so_far

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

SENT, ANSWERED = "SENDING_REQUEST", "RECEIVED_RESPONSE"
CANCELLED = ("REQUEST_CANCELLED", "CONSUMER_REQUEST_CANCELLED")
EVENTS = (SENT, ANSWERED, *CANCELLED)
# These wait at the broker on purpose: for records, for the other members.
WAITING = ("FETCH", "JOIN_GROUP", "SYNC_GROUP", "CONSUMER_GROUP_HEARTBEAT", "SHARE_FETCH")


def requests(lines: DataFrame) -> DataFrame:
    """file, kind, client_id, broker, api, sent_at, took_ms (null without an answer).

    The answer is the client's next line with the request's correlation id.
    """
    talk = lines_of(lines, (SENT, ANSWERED), "node_id", "broker", "api", "correlation_id").where(
        "correlation_id is not null"
    )
    after = F.lead(F.struct("event", "time")).over(in_turn("api", "correlation_id"))
    return (
        talk.withColumn("after", after)
        .where(F.col("event") == SENT)
        .select(
            *CLIENT,
            "broker",
            "api",
            F.col("time").alias("sent_at"),
            F.when(F.col("after.event") == ANSWERED, ms_between("time", "after.time")).alias(
                "took_ms"
            ),
        )
    )


def exchanges(talk: DataFrame, keys: tuple[str, ...], *told: Column) -> DataFrame:
    """One row for each request among these lines of SENT and ANSWERED, by CLIENT and `keys`.

    sent_at, answered_at, took_ms (both null without an answer), and what `told` says of its lines.
    Correlation ids begin again with each process of a client.
    """
    sent = F.col("event") == SENT
    again = sent & (F.col("correlation_id") < F.lag("correlation_id").over(in_turn()))
    return (
        talk.withColumn("again", again)
        .withColumn("life", F.count_if("again").over(so_far()))
        .groupBy(*keys, *CLIENT, "life", "correlation_id")
        .agg(
            F.min(F.when(sent, F.col("time"))).alias("sent_at"),
            F.max(F.when(~sent, F.col("time"))).alias("answered_at"),
            *told,
        )
        .where("sent_at is not null")
        .withColumn("took_ms", ms_between("sent_at", "answered_at"))
    )


def broker_times(lines: DataFrame) -> DataFrame:
    """client_id, broker, requests, median_ms, p99_ms, longest_ms, given_up.

    Only requests that a broker answers at once. given_up: requests of any kind that were cancelled
    because the connection ended.
    """
    answered = (
        requests(lines)
        .where(~F.col("api").isin(*WAITING) & F.col("broker").isNotNull())
        .groupBy("client_id", "broker")
        .agg(
            F.count("*").alias("requests"),
            F.percentile_approx("took_ms", 0.5).alias("median_ms"),
            F.percentile_approx("took_ms", 0.99).alias("p99_ms"),
            F.max("took_ms").alias("longest_ms"),
        )
    )
    given_up = (
        lines_of(lines, CANCELLED, "broker")
        .groupBy("client_id", "broker")
        .agg(F.count("*").alias("given_up"))
    )
    return (
        answered.join(given_up, ["client_id", "broker"], "left")
        .withColumn("given_up", F.coalesce("given_up", F.lit(0)))
        .orderBy("client_id", "broker")
    )
