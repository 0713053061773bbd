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

from functools import reduce
from typing import TYPE_CHECKING

from kafkalab.logsets.engine import F, Window
from kafkalab.logsets.event_lines import CLIENT, folder, in_turn, lines_of, ms_between, so_far
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
from kafkalab.logsets.producers import ANSWERED, SENT, batches
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

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

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
        symptoms = [
            _unless_explained(rows, deployed) for rows in (storms_of(kept), slow_members(kept))
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
    found = storms(lines, STORM_REBALANCES, STORM_WITHIN).withColumn(
        "cause",
        F.concat(
            F.col("rebalances").cast("string"), F.lit(" rebalances; members stood still for "),
            F.format_number(F.col("member_ms") / 1000, 1),
            F.lit(" s together"),
            F.when(F.size("clients") > 0,
                   F.concat(F.lit("; because of "), F.array_join("clients", ", "))).otherwise(""),
        ),
    )  # fmt: skip
    told_by = lines_of(
        lines, (JOINING, *GIVEN_UP, "HEARTBEAT_REBALANCING"), "group_id", "message"
    ).withColumn("folder", folder())
    return _cited("rebalance storm", found, told_by, "group_id")


def slow_members(lines: DataFrame) -> DataFrame:
    """Clients that exceeded max.poll.interval.ms.

    Times less than two minutes apart are one incident.
    """
    expired = _expirations(lines)
    found = (
        _clustered(expired, "2 minutes", "folder", "client_id")
        .groupBy("folder", "group_id", F.array("client_id").alias("clients"), "cluster")
        .agg(F.min("time").alias("first"), F.max("time").alias("last"), F.count("*").alias("times"))
        .withColumn(
            "cause",
            F.concat(
                F.lit("no poll() within max.poll.interval.ms, "),
                F.col("times").cast("string"),
                F.when(F.col("times") == 1, " time").otherwise(" times"),
            ),
        )
    )
    return _cited("slow member evicted", found, expired, "client_id")


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
        .withColumn("group_id", F.lit(None).cast("string"))
        .withColumn(
            "cause",
            F.format_string(
                "%d bootstrap socket(s) open for more than %d minutes: connections.max.idle.ms is "
                "-1 or very large",
                "sockets",
                F.lit(IDLE_MINUTES),
            ),
        )
    )
    told_by = (
        lines_of(lines, ("INITIATING_CONNECTION",), "message", "node_id")
        .where("node_id like '-%'")
        .withColumn("folder", folder())
    )
    return _cited("zombie sockets", found, told_by, "client_id", since="opened_at")


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
        .withColumns({"clients": F.array("client_id"), "group_id": F.lit(None).cast("string")})
        .withColumn("cause",
                    F.format_string("%s-%d gets %.0f %% of the bytes sent to %d partitions",
                                    "topic", "partition", F.col("share") * 100, "partitions"))
        .drop("file", "client_id")
    )  # fmt: skip
    told_by = (
        lines_of(lines, (SENT,), "api", "message")
        .where("api = 'PRODUCE'")
        .withColumn("folder", folder())
    )
    return _cited("skewed key", found, told_by, "client_id")


def slow_brokers(lines: DataFrame) -> DataFrame:
    """Brokers with slow answers: their median in a minute is SLOW_MS milliseconds or more.

    It is also SLOW_TIMES the median of the same client's fastest broker.
    """
    answers = _answers(lines).withColumn("minute", F.date_trunc("minute", "sent_at"))
    by_broker = answers.groupBy("folder", *CLIENT, "minute", "broker").agg(
        F.percentile("took_ms", F.lit(0.5)).alias("took"), F.count("*").alias("requests"),
        F.min(F.when(F.col("took_ms") >= SLOW_MS, F.col("sent_at"))).alias("begin"),
        F.max("answered_at").alias("end"),
    )  # fmt: skip
    of_client = Window.partitionBy("folder", *CLIENT, "minute")
    # The client's fastest broker gives its usual time.
    slow = (
        by_broker.withColumn("usual", F.min("took").over(of_client))
        .where(
            (F.col("requests") >= SLOW_REQUESTS)
            & (F.col("took") >= SLOW_MS)
            & (F.col("took") >= SLOW_TIMES * F.greatest("usual", F.lit(1)))
        )
        .withColumn("time", F.col("begin"))
    )
    found = (
        _clustered(slow, "90 seconds", "folder", "broker")
        .groupBy("folder", "broker", "cluster")
        .agg(
            F.array_sort(F.collect_set("client_id")).alias("clients"),
            F.min("begin").alias("first"), F.max("end").alias("last"),
            F.percentile("took", F.lit(0.5)).alias("took"),
            F.percentile("usual", F.lit(0.5)).alias("usual"),
        )
        .withColumn("group_id", F.lit(None).cast("string"))
        .withColumn("cause",
                    F.format_string("broker %d answers in %.0f ms, the others in %.0f ms", "broker",
                                    "took", "usual"))
    )  # fmt: skip
    told_by = answers.where(F.col("took_ms") >= SLOW_MS).withColumn("time", F.col("answered_at"))
    return _cited("slow broker", found, told_by, "client_id", "broker")


def lost_coordinators(lines: DataFrame) -> DataFrame:
    """Groups with two or more lost-coordinator lines and no coordinator for WITHOUT_MS ms or
    more.
    """
    of_member = in_turn("group_id").rowsBetween(1, Window.unboundedFollowing)
    lost = (
        lines_of(lines, (*LOST, *DISCOVERED), "group_id", "message")
        .where("group_id is not null")
        .withColumns(
            {
                "folder": folder(),
                "again": F.first(
                    F.when(F.col("event").isin(*DISCOVERED), F.col("time")), ignorenulls=True
                ).over(of_member),
            }
        )
        .where(F.col("event").isin(*LOST))
    )
    found = (
        _clustered(lost, "60 seconds", "folder", "group_id")
        .groupBy("folder", "group_id", "cluster")
        .agg(
            F.array_sort(F.collect_set("client_id")).alias("clients"), F.min("time").alias("first"),
            F.max("time").alias("last"), F.count("*").alias("times"),
            F.max(F.coalesce(ms_between("time", "again"), F.lit(0))).alias("without_ms"),
        )
        # A coordinator that refused once and is found again at once was not lost. Example: a
        # replica of its log was down.
        .where((F.col("times") >= 2) & (F.greatest("without_ms",
                                                   ms_between("first", "last")) >= WITHOUT_MS))
        .withColumn("cause",
                    F.format_string("%d members lost the group's coordinator, told %d times",
                                    F.size("clients"), "times"))
    )  # fmt: skip
    return _cited("coordinator lost", found, lost, "group_id")


def retention(lines: DataFrame) -> DataFrame:
    """Consumers out of range that continue at a later offset. Counted in records.

    The records in between were deleted before the consumer read them.
    """
    told_by = (
        missing_positions(lines)
        .where("reset_to > position")
        .withColumn("lost", F.col("reset_to") - F.col("position"))
    )
    found = (
        _clustered(told_by, "60 seconds", "folder", "client_id")
        .groupBy("folder", F.array("client_id").alias("clients"), "cluster")
        .agg(
            F.max("group_id").alias("group_id"),
            F.min("time").alias("first"),
            F.max("time").alias("last"),
            F.sum("lost").alias("lost"),
            F.count("*").alias("partitions"),
        )
        .withColumn(
            "cause",
            F.format_string(
                "up to %d records of %d partitions were deleted before they were read",
                "lost",
                "partitions",
            ),
        )
    )
    return _cited("retention bites", found, told_by, "client_id")


def auto_commit_rereads(lines: DataFrame) -> DataFrame:
    """Groups with automatic commits that read records again. Counted in records.

    There is no eviction and no lost coordinator in the FOLLOWS before.
    """
    automatic = lines_of(lines, AUTOMATIC, "group_id").select(folder(), "group_id").distinct()
    # Members that were evicted, or could not commit, belong to another kind.
    known = lines_of(lines, (*EXPIRED, *LOST), "group_id").select(
        folder().alias("known_folder"),
        F.col("group_id").alias("known_group"),
        F.col("time").alias("trouble"),
    )
    again = (
        reprocessed(lines)
        .where("how = 'committed' and group_id is not null")
        .withColumn("folder", folder())
        .withColumn("time", F.col("began_at"))
    )
    recent = (F.col("trouble") <= F.col("time")) & (
        F.col("trouble") > F.col("time") - F.expr(f"interval {FOLLOWS}")
    )
    same = (F.col("folder") == F.col("known_folder")) & (F.col("group_id") == F.col("known_group"))
    unexplained = (
        again.join(F.broadcast(automatic), on=["folder", "group_id"], how="left_semi")
        .join(F.broadcast(known), same & recent, how="left_anti")
    )  # fmt: skip
    found = (
        _clustered(unexplained, "60 seconds", "folder", "group_id")
        .groupBy("folder", "group_id", "cluster")
        .agg(
            F.array_sort(F.array_distinct(F.concat(F.collect_set("client_id"),
                                                   F.collect_set("previous_client")))).alias("clients"),
            F.min("time").alias("first"), F.max("time").alias("last"),
            F.sum("records").alias("records"), F.count("*").alias("partitions"),
        )
        .withColumn("cause",
                    F.format_string("up to %d records of %d partitions were read again: nobody "
                                    "had committed them", "records", "partitions"))
    )  # fmt: skip
    told_by = lines_of(lines, (BEGINS_AT,), "group_id", "message").withColumn("folder", folder())
    return _cited("auto-commit duplicates", found, told_by, "client_id")


def flapping_isrs(lines: DataFrame) -> DataFrame:
    """Partitions that refused producers with NOT_ENOUGH_REPLICAS in two or more periods.

    No period begins more than FOLLOWS after the one before.
    """
    refused = (
        lines_of(lines, (RETRIED,), "topic", "partition", "message")
        .where("client_id is not null and message like '%NOT_ENOUGH_REPLICAS%'")
        .withColumn("folder", folder())
    )
    of_partition = ("folder", "topic", "partition")
    episodes = (
        _clustered(refused, "5 seconds", *of_partition)
        .groupBy(*of_partition, "cluster")
        .agg(
            F.collect_set("client_id").alias("clients"),
            F.min("time").alias("time"),
            F.max("time").alias("end"),
        )
        .drop("cluster")
    )
    found = (
        _clustered(episodes, FOLLOWS, *of_partition)
        .groupBy(*of_partition, "cluster")
        .agg(
            F.array_sort(F.array_distinct(F.flatten(F.collect_list("clients")))).alias("clients"),
            F.min("time").alias("first"),
            F.max("end").alias("last"),
            F.count("*").alias("times"),
        )
        .where("times >= 2")
        .withColumn("group_id", F.lit(None).cast("string"))
        .withColumn(
            "cause",
            F.format_string(
                "%s-%d had too few replicas in sync %d times", "topic", "partition", "times"
            ),
        )
    )
    return _cited("flapping isr", found, refused, "client_id")


def bad_deploys(lines: DataFrame) -> DataFrame:
    """Groups with a restart of DEPLOYED_CLIENTS or more clients together and many evictions after
    it.

    TROUBLES or more evictions follow within FOLLOWS, three times as many as before.
    """
    begun = (
        lines_of(lines, BEGUN, "group_id", "message")
        .where("group_id is not null")
        .withColumn("folder", folder())
    )
    again = begun.withColumn(
        "life",
        F.row_number().over(
            Window.partitionBy("folder", "group_id", "client_id").orderBy(
                "time", "part", "file_offset"
            )
        ),
    ).where("life > 1")
    deployed = (
        _clustered(again, "60 seconds", "folder", "group_id")
        .groupBy("folder", "group_id", "cluster")
        .agg(
            F.array_sort(F.collect_set("client_id")).alias("clients"), F.min("time").alias("first")
        )
        .where(F.size("clients") >= DEPLOYED_CLIENTS)
    )
    thrown_out = lines_of(lines, (REQUESTED,), "group_id", "reason", "message").where(
        "reason like '%UNKNOWN_MEMBER%'"
    )
    troubles = _expirations(lines).unionByName(
        thrown_out.withColumn("folder", folder()), allowMissingColumns=True
    )
    span = F.expr(f"interval {FOLLOWS}")
    after = (F.col("trouble") >= F.col("first")) & (F.col("trouble") < F.col("first") + span)
    before = (F.col("trouble") < F.col("first")) & (F.col("trouble") >= F.col("first") - span)
    found = (
        troubles.select("folder", "group_id", F.col("time").alias("trouble"))
        .join(F.broadcast(deployed), on=["folder", "group_id"], how="inner")
        .groupBy("folder", "group_id", "clients", "first")
        .agg(
            F.count_if(after).alias("after"),
            F.count_if(before).alias("before"),
            F.max(F.when(after, F.col("trouble"))).alias("last"),
        )
        .where((F.col("after") >= TROUBLES) & (F.col("after") >= 3 * F.col("before")))
        .withColumn(
            "cause",
            F.format_string(
                "%d clients were started anew together; %d evictions since, %d before",
                F.size("clients"),
                "after",
                "before",
            ),
        )
    )
    told_by = again.unionByName(troubles, allowMissingColumns=True)
    return _cited("bad deploy", found, told_by, "group_id")


def _expirations(lines: DataFrame) -> DataFrame:
    """The lines where a member left because it had not polled.

    In 2.8 only its LeaveGroup line says so.
    """
    by_timeout = F.col("event").isin(*EXPIRED) | F.col("message").contains(
        "consumer poll timeout has expired. This means"
    )
    return (
        lines_of(lines, (*EXPIRED, LEAVING[0]), "group_id", "message")
        .where("client_id is not null")
        .where(by_timeout)
        .withColumn("folder", folder())
    )


def _answers(lines: DataFrame) -> DataFrame:
    """One row for each answered request of an API in PROMPT, which a broker answers at once.

    It has the client, the broker, sent_at, answered_at, took_ms, and the answer's line.
    """
    talk = (
        lines_of(lines, (SENT, ANSWERED), "api", "correlation_id", "broker", "node_id", "message")
        .where(F.col("client_id").isNotNull() & F.col("api").isin(*PROMPT))
        .withColumns({"folder": folder(), "message": F.substring("message", 1, EVIDENCE_LETTERS)})
    )
    sent = F.col("event") == SENT
    again = sent & (F.col("correlation_id") < F.lag("correlation_id").over(in_turn()))
    return (
        talk.withColumn("again", again)
        .withColumn("life", F.count_if("again").over(so_far()))
        .groupBy("folder", *CLIENT, "life", "correlation_id", "broker")
        .agg(
            F.min(F.when(sent, F.col("time"))).alias("sent_at"),
            F.max(F.when(~sent, F.col("time"))).alias("answered_at"),
            F.max(F.when(~sent, F.col("file_offset"))).alias("file_offset"),
            F.max(F.when(~sent, F.col("message"))).alias("message"),
        )
        .where("sent_at is not null and answered_at is not null and broker is not null")
        .withColumn("took_ms", ms_between("sent_at", "answered_at"))
    )  # fmt: skip


def _clustered(events: DataFrame, gap: str, *keys: str) -> DataFrame:
    """Add `cluster`, a number that rises after each `gap` without an event of the same keys."""
    of_keys = Window.partitionBy(*keys).orderBy("time")
    silence = F.col("time") > F.lag("time").over(of_keys) + F.expr(f"interval {gap}")
    return (
        events.withColumn("silence", silence)
        .withColumn("cluster", F.count_if("silence").over(of_keys))
        .drop("silence")
    )


def _cited(
    kind: str, found: DataFrame, told_by: DataFrame, *by: str, since: str = "first"
) -> DataFrame:
    """Run the query `found` and return it in the columns of incidents(), with its evidence.

    The evidence is the first lines of `told_by` at its time with the same `by`: group or client,
    and broker.
    """
    rows = found.withColumn("kind", F.lit(kind)).localCheckpoint()
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


def _unless_explained(symptoms: DataFrame, deployed: DataFrame) -> DataFrame:
    """The symptoms that did not follow a bad deploy in the same group."""
    span = F.expr("interval 60 seconds")
    deploys = deployed.select(
        F.col("folder").alias("deploy_folder"),
        F.col("group_id").alias("deploy_group"),
        F.col("first").alias("deploy_first"),
        F.col("last").alias("deploy_last"),
    )
    same = (F.col("folder") == F.col("deploy_folder")) & (
        F.col("group_id") == F.col("deploy_group")
    )
    within = (F.col("last") >= F.col("deploy_first") - span) & (
        F.col("first") <= F.col("deploy_last") + span
    )
    return symptoms.join(F.broadcast(deploys), same & within, how="left_anti")
