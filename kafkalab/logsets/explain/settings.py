"""Finds the settings behind a finding: their values in the log, and what would have been enough.

A client prints its whole configuration when it starts. So the log itself says which value a setting
had, and the report does not have to speak of defaults.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from kafkalab.config.client_config import ConsumerConfig, ProducerConfig, dump_text
from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import CLIENT, number
from kafkalab.logsets.explain.missing_records import DELETED, TOO_HIGH, UNKNOWN
from kafkalab.logsets.explain.oddities import EVICTION, Oddity
from kafkalab.logsets.rebalances import EXPIRED
from kafkalab.releases import newest
from kafkalab.releases.lineage import CLIENT_NAMES

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

DUMPS = 200  # Configurations that are looked at.
VALUE = re.compile(r"^\t([\w.]+) = (.*)$", re.MULTILINE)
# The settings that decide over a finding.
BEHIND = {
    EVICTION: ("max.poll.interval.ms", "max.poll.records"),
    "Partitions were lost, not revoked": ("session.timeout.ms", "max.poll.interval.ms"),
    "Commits were refused: no longer a member": ("max.poll.interval.ms", "enable.auto.commit"),
    DELETED: ("auto.offset.reset",),
    TOO_HIGH: ("auto.offset.reset",),
    UNKNOWN: ("auto.offset.reset",),
    "A consumer started without a committed offset": ("auto.offset.reset",),
    "Batches failed": ("delivery.timeout.ms", "acks"),
    "Batches were sent again": ("enable.idempotence", "retries"),
    "A transaction failed for good": ("transaction.timeout.ms",),
    "A transaction was over before its producer ended it": ("transaction.timeout.ms",),
    "Too few replicas were in sync": ("acks", "retries", "delivery.timeout.ms"),
    "Batches were too large and were split": ("batch.size",),
    "A broker did not answer in time": ("request.timeout.ms", "acks"),
    "A producer was fenced": ("transactional.id", "transaction.timeout.ms"),
    "Connections could not be made": ("bootstrap.servers", "reconnect.backoff.ms"),
    "The bootstrap servers were not there": ("bootstrap.servers",),
    "Requests were given up": ("request.timeout.ms",),
    "A rebalance storm": ("partition.assignment.strategy", "group.protocol"),
    "Bootstrap connections that nobody closes": ("connections.max.idle.ms",),
    "Records were read twice": ("enable.auto.commit", "auto.commit.interval.ms"),
}
RELEASE, VERSION = "release", r"Kafka version ?: (\d+\.\d+)"
SAME = {"all": "-1"}  # Two words for one value of acks.
NO_VALUE = "[]"  # A list that the application has to fill is no default.
EXCEEDED = r"exceeded approximately by (\d+) ms"
# What a member says when its application calls poll() again after an eviction.
BACK = (
    "LOSING_PARTITIONS",
    "GIVING_AWAY_AS_LOST",
    "COMMIT_NOT_A_MEMBER",
    "JOINING_GROUP",
    "POLL_INTERVAL_EXCEEDED",
)


def with_settings(oddities: list[Oddity], lines: DataFrame) -> list[Oddity]:
    """The oddities, each with the values of the settings behind it, where the log has them."""
    if not any(oddity.what in BEHIND for oddity in oddities):
        return oddities
    values = _printed_values(lines)
    late = _latest_returns(lines)
    return [replace(oddity, settings=tuple(_said(oddity, values, late))) for oddity in oddities]


def _said(oddity: Oddity, values: dict[str, dict[str, str]], late: dict[str, int]) -> Iterator[str]:
    for client in oddity.clients:
        found = values.get(client, {})
        for name in BEHIND.get(oddity.what, ()):
            if name not in found:
                continue
            usual = _defaults(found.get(RELEASE, newest())).get(name)
            usual = None if usual == NO_VALUE else usual
            alike = usual is None or SAME.get(usual, usual) == SAME.get(found[name], found[name])
            other = "" if alike else f" (Kafka's default is {usual})"
            yield f"{client}: {name} = {found[name]}{other}"
        interval = found.get("max.poll.interval.ms", "")
        if oddity.what == EVICTION and client in late and interval.isdigit():
            needed = int(interval) + late[client]
            yield (
                f"{client}: poll() came again {late[client]:,} ms after its time was over, so "
                f"max.poll.interval.ms above {needed:,} would have been enough"
            )


def _printed_values(lines: DataFrame) -> dict[str, dict[str, str]]:
    """client id -> setting -> value, as the client printed it when it started last, and RELEASE,
    where its file tells the version."""
    version = F.when(F.col("event") == "KAFKA_VERSION", F.regexp_extract("message", VERSION, 1))
    after = Window.partitionBy("file").orderBy("file_offset")
    rows = (
        lines.where(F.col("event").isin("CONSUMER_CONFIG", "PRODUCER_CONFIG", "KAFKA_VERSION"))
        .select("time", "file", "file_offset", "event", "message", version.alias("version"))
        .withColumn("version", F.lead("version").over(after))
        .where(F.col("event") != "KAFKA_VERSION")
        .orderBy("time", "file", "file_offset")
        .limit(DUMPS)
        .collect()
    )
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        values = dict(VALUE.findall(row["message"]))
        if row["version"]:
            values[RELEASE] = _release(row["version"])
        found[values.get("client.id", "")] = values
    return found


def _release(version: str) -> str:
    """The newest release here that is not after a version: 2.3 of 2.3.1, 2.8 of 3.4.0."""
    asked = tuple(int(part) for part in version.split("."))
    older = [name for name in CLIENT_NAMES if tuple(map(int, name.split("."))) <= asked]
    return older[-1] if older else CLIENT_NAMES[0]


def _latest_returns(lines: DataFrame) -> dict[str, int]:
    """client id -> how long after its time was over poll() came again at most, in milliseconds.

    A member of KIP-848 looks at its time only now and then, and says how much it was.
    """
    apart = F.unix_millis("after.time") - F.unix_millis("time")
    turn = Window.partitionBy(*CLIENT).orderBy("file", "file_offset")
    after = F.lead(F.struct("event", "time", "said")).over(turn)
    rows = (
        lines.where(F.col("event").isin(*EXPIRED, *BACK))
        .select(*CLIENT, "file_offset", "event", "time", number(EXCEEDED).alias("said"))
        .withColumn("after", after)
        .where(F.col("event").isin(*EXPIRED) & F.col("after.event").isin(*BACK))
        .groupBy("client_id")
        .agg(F.max(F.coalesce("after.said", apart)).alias("late_ms"))
        .collect()
    )
    # without times, or where a clock was set back, nobody knows how late
    return {row["client_id"]: row["late_ms"] for row in rows if (row["late_ms"] or 0) > 0}


@cache
def _defaults(release: str) -> dict[str, str]:
    """setting -> its default in a release, as a configuration prints it."""
    found = dump_text(release, ProducerConfig(release, {}), "")
    # Without a group a consumer does not commit by itself.
    found += dump_text(release, ConsumerConfig(release, {"group.id": "any"}), "")
    return dict(VALUE.findall(found))
