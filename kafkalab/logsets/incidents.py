"""Finds incidents in the lines of Kafka clients: one row each, with clients, cause and evidence.

It needs lines on DEBUG (2.x: TRACE). Each kind has its own query over the other frames, with the
same columns as result:

    rebalance storm          a group that does little but rebalance (rebalances.storms)
    slow member evicted      no poll() within max.poll.interval.ms: the client left its group
    zombie sockets           an unused bootstrap socket that stays open
    skewed key               one partition gets nearly all that a producer sends
    slow broker              one broker answers much later than the others the same client talks to
    coordinator lost         a group without its coordinator for some time
    retention bites          records were deleted before the consumer read them
    auto-commit duplicates   a member ended between two commits; the next owner read them again
    flapping isr             writes fail for too few in-sync replicas, succeed, and fail again
    bad deploy               clients of a group restarted together, and then their troubles began

The evictions and storms of a bad deploy are part of it and have no rows of their own. The lines are
read once: all queries use the lines of incident_lines.py, which are kept until the incidents are
found.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import (
    CLIENT,
    clustered,
    folder,
    in_turn,
    lines_of,
    ms_between,
    span,
)
from kafkalab.logsets.incident_lines import (
    AUTOMATIC,
    BEGINS_AT,
    DISCOVERED,
    EVIDENCE_LETTERS,
    PROMPT,
    RETRIED,
    incident_lines,
)
from kafkalab.logsets.offsets import missing_positions, reprocessed
from kafkalab.logsets.open_sockets import IDLE_MINUTES, zombies
from kafkalab.logsets.producers import batches
from kafkalab.logsets.rebalances import (
    BEGUN,
    EXPIRED,
    GIVEN_UP,
    JOINING,
    LEAVING,
    LOST,
    REQUESTED,
    storms,
)
from kafkalab.logsets.requests import ANSWERED, SENT, exchanges

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

COLUMNS = ("kind", "folder", "group_id", "clients", "first", "last", "cause", "evidence")
EVIDENCE_LINES = 5

STORM_REBALANCES, STORM_WITHIN = 6, "60 seconds"
SKEWED_SHARE, SKEWED_BATCHES, SKEWED_PARTITIONS = 0.75, 40, 3
SLOW_MS, SLOW_TIMES, SLOW_REQUESTS = 200, 5, 5
DEPLOYED_CLIENTS, TROUBLES = 3, 3
WITHOUT_MS = 1_500
FOLLOWS = "5 minutes"


def incidents(lines: DataFrame) -> DataFrame:
    """One row for each incident in `lines`.

    kind (as above); folder of the logs; group_id (null without a group); clients (the affected
    ones); first and last sign; cause in words; evidence: up to five lines, each time, client_id,
    file, file_offset, message.

    The call itself runs the queries. Spark keeps the lines in memory or on disk until the end of
    the call, and then the returned rows.
    """
    kept = incident_lines(lines).persist()
    try:
        deployed = bad_deploys(kept).localCheckpoint()
        causes = [
            deployed, zombie_clients(kept), skewed_keys(kept), slow_brokers(kept),
            lost_coordinators(kept), retention(kept),
            auto_commit_rereads(kept), flapping_isrs(kept),
        ]  # fmt: skip
        # What did not follow a bad deploy in the same group.
        minute = span("60 seconds")
        follows = (F.col("last") >= F.col("other_first") - minute) & (
            F.col("first") <= F.col("other_last") + minute
        )
        symptoms = [
            _unless(rows, deployed, follows) for rows in (storms_of(kept), slow_members(kept))
        ]
        return (
            reduce(lambda one, other: one.unionByName(other), [*causes, *symptoms])
            .select(*COLUMNS)
            .localCheckpoint()
        )
    finally:
        kept.unpersist()


def storms_of(lines: DataFrame) -> DataFrame:
    """Groups with at least STORM_REBALANCES rebalances within STORM_WITHIN.

    The cause has the sum of the seconds in which members could not read.
    """
    cause = F.concat(
        F.col("rebalances").cast("string"), F.lit(" rebalances; members stood still for "),
        F.format_number(F.col("member_ms") / 1000, 1), F.lit(" s together"),
        F.when(F.size("clients") > 0,
               F.concat(F.lit("; because of "), F.array_join("clients", ", "))).otherwise(""),
    )  # fmt: skip
    found = storms(lines, STORM_REBALANCES, STORM_WITHIN)
    events = (JOINING, *GIVEN_UP, "HEARTBEAT_REBALANCING")
    told_by = lines_of(lines, events, "group_id", "message")
    return _cited("rebalance storm", found, cause, told_by, "group_id")


def slow_members(lines: DataFrame) -> DataFrame:
    """Clients that exceeded max.poll.interval.ms.

    Times less than two minutes apart are one incident.
    """
    expired = _expirations(lines)
    found = _periods(expired, "2 minutes", "folder", "group_id", "client_id")
    cause = F.concat(
        F.lit("no poll() within max.poll.interval.ms, "), F.col("times").cast("string"),
        F.when(F.col("times") == 1, " time").otherwise(" times"),
    )  # fmt: skip
    return _cited("slow member evicted", found, cause, expired, "client_id")


def zombie_clients(lines: DataFrame) -> DataFrame:
    """Clients with bootstrap sockets that stay open longer than IDLE_MINUTES.

    The evidence is the lines that opened them.
    """
    found = (
        zombies(lines)
        .groupBy("folder", F.array("client_id").alias("clients"))
        .agg(
            F.count("*").alias("sockets"),
            F.min("since").alias("first"),
            F.max("end").alias("last"),
            F.min("opened_at").alias("opened_at"),
        )
    )
    cause = F.format_string(
        "%d bootstrap socket(s) open for more than %d minutes: connections.max.idle.ms is -1 or "
        "very large",
        "sockets",
        F.lit(IDLE_MINUTES),
    )
    opened = lines_of(lines, ("INITIATING_CONNECTION",), "message", "node_id")
    told_by = opened.where("node_id like '-%'")
    return _cited("zombie sockets", found, cause, told_by, "client_id", since="opened_at")


def skewed_keys(lines: DataFrame) -> DataFrame:
    """Producers that send SKEWED_SHARE or more of a topic's bytes to one partition.

    They write to SKEWED_PARTITIONS or more partitions, in at least SKEWED_BATCHES batches.
    """
    of_topic = ("folder", "file", "client_id", "topic")
    sent = batches(lines).withColumn("folder", folder())
    shares = sent.groupBy(*of_topic, "partition").agg(
        F.sum("size_bytes").alias("bytes"),
        F.count("*").alias("batches"),
        F.min("sent_at").alias("first"),
        F.max("sent_at").alias("last"),
    )
    found = (
        shares.groupBy(*of_topic)
        .agg(
            (F.max("bytes") / F.sum("bytes")).alias("share"),
            F.max_by("partition", F.struct("bytes", "partition")).alias("partition"),
            F.sum("batches").alias("batches"),
            F.count("*").alias("partitions"), F.min("first").alias("first"),
            F.max("last").alias("last"),
        )
        .where((F.col("share") >= SKEWED_SHARE) & (F.col("batches") >= SKEWED_BATCHES) & (F.col("partitions") >= SKEWED_PARTITIONS))  # noqa: E501
        .withColumn("clients", F.array("client_id"))
        .drop("file", "client_id")
    )  # fmt: skip
    cause = F.format_string(
        "%s-%d gets %.0f %% of the bytes sent to %d partitions",
        "topic", "partition", F.col("share") * 100, "partitions",
    )  # fmt: skip
    told_by = lines_of(lines, (SENT,), "api", "message").where("api = 'PRODUCE'")
    return _cited("skewed key", found, cause, told_by, "client_id")


def slow_brokers(lines: DataFrame) -> DataFrame:
    """Brokers with slow answers: their median in a minute is SLOW_MS milliseconds or more.

    It is also SLOW_TIMES the median of the same client's fastest broker. A minute in which a quota
    held the client back does not count: its requests wait although the broker is fast.
    """
    held = F.max(F.col("throttled").cast("int")).over(
        Window.partitionBy("folder", *CLIENT, "minute")
    )
    answers = (
        _answers(lines)
        .withColumn("minute", F.date_trunc("minute", "sent_at"))
        .withColumn("held", held)
        .where("held = 0")
    )
    by_broker = answers.groupBy("folder", *CLIENT, "minute", "broker").agg(
        F.percentile("took_ms", F.lit(0.5)).alias("took"), F.count("*").alias("requests"),
        F.min(F.when(F.col("took_ms") >= SLOW_MS, F.col("sent_at"))).alias("time"),
        F.max("answered_at").alias("end"),
    )  # fmt: skip
    of_client = Window.partitionBy("folder", *CLIENT, "minute")
    # The client's fastest broker gives its usual time.
    slow = by_broker.withColumn("usual", F.min("took").over(of_client)).where(
        (F.col("requests") >= SLOW_REQUESTS)
        & (F.col("took") >= SLOW_MS)
        & (F.col("took") >= SLOW_TIMES * F.greatest("usual", F.lit(1)))
    )
    found = _periods(
        slow, "90 seconds", "folder", "broker", until="end",
        told=[F.percentile(name, F.lit(0.5)).alias(name) for name in ("took", "usual")],
    )  # fmt: skip
    cause = F.format_string(
        "broker %d answers in %.0f ms, the others in %.0f ms", "broker", "took", "usual"
    )
    told_by = answers.where(F.col("took_ms") >= SLOW_MS).withColumn("time", F.col("answered_at"))
    return _cited("slow broker", found, cause, told_by, "client_id", "broker")


def lost_coordinators(lines: DataFrame) -> DataFrame:
    """Groups with two or more lost-coordinator lines and no coordinator for WITHOUT_MS ms or
    more.
    """
    later = in_turn("group_id").rowsBetween(1, Window.unboundedFollowing)
    back = F.when(F.col("event").isin(*DISCOVERED), F.col("time"))
    lost = (
        lines_of(lines, (*LOST, *DISCOVERED), "group_id", "message")
        .where("group_id is not null")
        .withColumn("again", F.first(back, ignorenulls=True).over(later))
        .where(F.col("event").isin(*LOST))
    )
    lost = lost.withColumn("again", F.coalesce("again", "time"))
    # A coordinator that refused once and is found again at once was not lost. Example: a replica
    # of its log was down. Nor does that belong to a loss long after it.
    found = _periods(lost, "10 seconds", "folder", "group_id", until="again").where(
        (F.col("times") >= 2) & (ms_between("first", "last") >= WITHOUT_MS)
    )
    cause = F.format_string(
        "%d of its members lost the group's coordinator, told %d times", F.size("clients"), "times"
    )
    return _cited("coordinator lost", found, cause, lost, "group_id")


def retention(lines: DataFrame) -> DataFrame:
    """Consumers out of range that continue at a later offset. Counted in records.

    The records in between were deleted before the consumer read them.
    """
    told_by = missing_positions(lines).where("reset_to > position")
    found = _periods(
        told_by, "60 seconds", "folder", "client_id",
        told=[
            F.max("group_id").alias("group_id"),
            F.sum(F.col("reset_to") - F.col("position")).alias("lost"),
        ],
    )  # fmt: skip
    cause = F.format_string(
        "up to %d records of %d partitions were deleted before they were read", "lost", "times"
    )
    return _cited("retention bites", found, cause, told_by, "client_id")


def auto_commit_rereads(lines: DataFrame) -> DataFrame:
    """Groups with automatic commits that read records again. Counted in records.

    There is no eviction and no lost coordinator in the FOLLOWS before.
    """
    automatic = lines_of(lines, AUTOMATIC, "group_id").select("folder", "group_id").distinct()
    again = (
        reprocessed(lines)
        .where("how = 'committed' and group_id is not null")
        .withColumns({"folder": folder(), "time": F.col("began_at")})
        .join(F.broadcast(automatic), on=["folder", "group_id"], how="left_semi")
    )
    # Members that were evicted, or could not commit, belong to another kind.
    troubles = lines_of(lines, (*EXPIRED, *LOST), "group_id").select("folder", "group_id", "time")
    recent = (F.col("other_time") <= F.col("time")) & (
        F.col("other_time") > F.col("time") - span(FOLLOWS)
    )
    both = F.concat(F.collect_set("client_id"), F.collect_set("previous_client"))
    found = _periods(
        _unless(again, troubles, recent), "60 seconds", "folder", "group_id", clients=both,
        told=[F.sum("records").alias("records")],
    )  # fmt: skip
    cause = F.format_string(
        "up to %d records of %d partitions were read again: nobody had committed them",
        "records", "times",
    )  # fmt: skip
    told_by = lines_of(lines, (BEGINS_AT,), "group_id", "message")
    return _cited("auto-commit duplicates", found, cause, told_by, "client_id")


def flapping_isrs(lines: DataFrame) -> DataFrame:
    """Partitions that refused producers with NOT_ENOUGH_REPLICAS in two or more periods.

    No period begins more than FOLLOWS after the one before.
    """
    refused = lines_of(lines, (RETRIED,), "topic", "partition", "message").where(
        "client_id is not null and message like '%NOT_ENOUGH_REPLICAS%'"
    )
    of_partition = ("folder", "topic", "partition")
    episodes = _periods(refused, "5 seconds", *of_partition).withColumn("time", F.col("first"))
    found = _periods(
        episodes.drop("cluster"), FOLLOWS, *of_partition, until="last",
        clients=F.flatten(F.collect_list("clients")),
    ).where("times >= 2")  # fmt: skip
    cause = F.format_string(
        "%s-%d had too few replicas in sync %d times", "topic", "partition", "times"
    )
    return _cited("flapping isr", found, cause, refused, "client_id")


def bad_deploys(lines: DataFrame) -> DataFrame:
    """Groups with a restart of DEPLOYED_CLIENTS or more clients together and many evictions after
    it.

    TROUBLES or more evictions follow within FOLLOWS, three times as many as before.
    """
    of_client = Window.partitionBy("folder", "group_id", "client_id")
    life = F.row_number().over(of_client.orderBy("time", "part", "file_offset"))
    again = (
        lines_of(lines, BEGUN, "group_id", "message")
        .where("group_id is not null")
        .withColumn("life", life)
        .where("life > 1")
    )
    deployed = _periods(again, "60 seconds", "folder", "group_id").where(
        F.size("clients") >= DEPLOYED_CLIENTS
    )
    thrown_out = lines_of(lines, (REQUESTED,), "group_id", "reason", "message").where(
        "reason like '%UNKNOWN_MEMBER%'"
    )
    troubles = _expirations(lines).unionByName(thrown_out, allowMissingColumns=True)
    within = span(FOLLOWS)
    after = (F.col("trouble") >= F.col("first")) & (F.col("trouble") < F.col("first") + within)
    before = (F.col("trouble") < F.col("first")) & (F.col("trouble") >= F.col("first") - within)
    found = (
        troubles.select("folder", "group_id", F.col("time").alias("trouble"))
        .join(
            F.broadcast(deployed.select("folder", "group_id", "clients", "first")),
            on=["folder", "group_id"],
            how="inner",
        )
        .groupBy("folder", "group_id", "clients", "first")
        .agg(
            F.count_if(after).alias("after"),
            F.count_if(before).alias("before"),
            F.max(F.when(after, F.col("trouble"))).alias("last"),
        )
        .where((F.col("after") >= TROUBLES) & (F.col("after") >= 3 * F.col("before")))
    )
    cause = F.format_string(
        "%d clients were started anew together; %d evictions since, %d before",
        F.size("clients"),
        "after",
        "before",
    )
    told_by = again.unionByName(troubles, allowMissingColumns=True)
    return _cited("bad deploy", found, cause, told_by, "group_id")


def _expirations(lines: DataFrame) -> DataFrame:
    """The lines where a member left because it had not polled.

    In 2.8 only its LeaveGroup line says so.
    """
    by_timeout = F.col("event").isin(*EXPIRED) | F.col("message").contains(
        "consumer poll timeout has expired. This means"
    )
    left = lines_of(lines, (*EXPIRED, LEAVING[0]), "group_id", "message")
    return left.where(F.col("client_id").isNotNull() & by_timeout)


def _answers(lines: DataFrame) -> DataFrame:
    """One row for each answered request of an API in PROMPT, which a broker answers at once.

    It has the client, the broker, sent_at, answered_at, took_ms, throttled, and the answer's line.
    """
    talk = (
        lines_of(lines, (SENT, ANSWERED), "api", "correlation_id", "broker", "message", "throttled")
        .where(F.col("client_id").isNotNull() & F.col("api").isin(*PROMPT))
        .withColumn("message", F.substring("message", 1, EVIDENCE_LETTERS))
    )
    answer = F.col("event") == ANSWERED
    told = [F.max(F.when(answer, F.col(n))).alias(n) for n in ("file_offset", "message")]
    told.append(F.coalesce(F.bool_or("throttled"), F.lit(False)).alias("throttled"))
    return exchanges(talk, ("folder", "broker"), *told).where(
        "answered_at is not null and broker is not null"
    )


def _periods(
    events: DataFrame,
    gap: str,
    *keys: str,
    until: str = "time",
    clients: Column | None = None,
    told: Iterable[Column] = (),
) -> DataFrame:
    """One row for each run of events of the same keys without a `gap` between.

    It has the keys, first, last (by the column `until`), times, clients (those of the events,
    where no other are named), and what `told` says of the events.
    """
    clients = F.collect_set("client_id") if clients is None else clients
    return (
        clustered(events, gap, *keys, until=until)
        .groupBy(*keys, "cluster")
        .agg(
            F.array_sort(F.array_distinct(clients)).alias("clients"),
            F.min("time").alias("first"),
            F.max(until).alias("last"),
            F.count("*").alias("times"),
            *told,
        )
    )


def _cited(
    kind: str,
    found: DataFrame,
    cause: Column,
    told_by: DataFrame,
    *by: str,
    since: str = "first",
) -> DataFrame:
    """Run the query `found` and return it in the columns of incidents(), with its evidence.

    The evidence is the first lines of `told_by` at its time with the same `by`: group or client,
    and broker.
    """
    if "group_id" not in found.columns:
        found = found.withColumn("group_id", F.lit(None).cast("string"))
    rows = found.withColumns({"kind": F.lit(kind), "cause": cause}).localCheckpoint()
    if rows.limit(1).count() == 0:  # so it is for most kinds: their evidence would cost a join each
        nothing = F.lit("")
        line = F.struct(
            F.col("first").alias("time"), nothing.alias("client_id"), nothing.alias("file"),
            F.lit(0).cast("bigint").alias("file_offset"), nothing.alias("message"),
        )  # fmt: skip
        return rows.withColumn("evidence", F.array(line)).select(*COLUMNS)
    key = ["folder", "first", "clients", "cause"]
    whose = rows.withColumn("client_id", F.explode("clients")) if "client_id" in by else rows
    line = F.struct(
        "time", "client_id", "file", "file_offset",
        F.substring("message", 1, EVIDENCE_LETTERS).alias("message"),
    )  # fmt: skip
    within = whose.select(
        "folder",
        *by,
        F.col(since).alias("since"),
        F.col("last").alias("until"),
        F.struct(*key).alias("incident"),
    )
    evidence = (
        told_by.join(F.broadcast(within), on=["folder", *by], how="inner")
        .where((F.col("time") >= F.col("since")) & (F.col("time") <= F.col("until")))
        .select(*(F.col(f"incident.{name}").alias(name) for name in key), line.alias("line"))
        .withColumn(
            "place",
            F.row_number().over(
                Window.partitionBy(*key).orderBy("line.time", "line.file", "line.file_offset")
            ),
        )
        .where(F.col("place") <= EVIDENCE_LINES)
        .groupBy(*key)
        .agg(F.array_sort(F.collect_list("line")).alias("evidence"))
    )
    return rows.join(F.broadcast(evidence), on=key, how="left").select(*COLUMNS)


def _unless(rows: DataFrame, others: DataFrame, near: Column) -> DataFrame:
    """The rows without one of the others in their folder and group that is near. There the others'
    columns have `other_` in front."""
    others = others.select(*(F.col(name).alias(f"other_{name}") for name in others.columns))
    same = (F.col("folder") == F.col("other_folder")) & (
        F.col("group_id") == F.col("other_group_id")
    )
    return rows.join(F.broadcast(others), same & near, how="left_anti")
