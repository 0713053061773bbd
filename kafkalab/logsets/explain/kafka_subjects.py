"""Says what those lines of Kafka's own classes are about that the catalogue does not know.

The catalogue has all of the clients' lines, and of brokers and controllers those that a report
needs. The other lines of theirs are counted by subject, and their warnings and errors are shown.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pandas as pd

from kafkalab.logsets import schema
from kafkalab.logsets.engine import F
from kafkalab.logsets.explain.oddities import EVIDENCE_LENGTH, PRINTED, Oddity, printed_time

if TYPE_CHECKING:
    from pyspark.sql import Column, DataFrame

# The first that fits a class is its subject.
SUBJECTS = {
    "ZooKeeper": r"zookeeper|kafka\.zk\.",
    "state changes of partitions": r"^state\.change|PartitionStateMachine|ReplicaStateMachine",
    "followers and what they fetch": r"Fetcher|FetchSession|ReplicaManager",
    "log files": r"\.log\.|LogDir",
    "metadata, controllers and their quorum": (
        r"\.raft\.|\.image\.|[mM]etadata|[cC]ontroller|BrokerLifecycle|queue\.|SharedServer"
    ),
    "groups and transactions": r"coordinator|transaction|Txn",
    "sockets, requests and quotas": r"network|[qQ]uota|purgatory|Purgatory|NetworkClient|KafkaApis",
    "start and stop": ".",
}
LOUD = ("WARN", "ERROR", "FATAL")
SHOWN, MOST = 5, 1000
COLUMNS = ("subject", "lines", "warnings")
# The end of a member's session, and the lines of a client that name its member.
ENDED = ("GROUP_MEMBER_FAILED", "CONSUMER_GROUP_FENCED")
MEMBER = r"Member (\S+) (?:in group \S+ has failed|fenced)"
CLOSED = ("RESET_GENERATION_ON_LEAVE", "CONSUMER_CLOSED", "ASYNC_CONSUMER_CLOSED")


def _is_own() -> Column:
    return (
        F.col("event").isNull()
        & F.col("problem").isNull()
        & F.col("logger").rlike(schema.OWN_CLASS)
    )


def subjects(lines: DataFrame) -> pd.DataFrame:
    """COLUMNS: how many lines of Kafka's own the catalogue does not know, the most first."""
    subject = F.lit(None).cast("string")
    for name, form in reversed(SUBJECTS.items()):
        subject = F.when(F.col("logger").rlike(form), name).otherwise(subject)
    found: pd.DataFrame = (
        lines.where(_is_own())
        .groupBy(subject.alias("subject"))
        .agg(F.count("*").alias("lines"), F.count_if(F.col("level").isin(*LOUD)).alias("warnings"))
        .orderBy(F.desc("lines"), "subject")
        .toPandas()
    )
    return found


def unexplained(lines: DataFrame) -> Oddity | None:
    """Warnings and errors of Kafka's own that the catalogue does not know: of each class one."""
    rows: pd.DataFrame = (
        lines.where(_is_own() & F.col("level").isin(*LOUD))
        .groupBy("logger", "level")
        .agg(
            F.count("*").alias("count"),
            F.min("time").alias("first"),
            F.max("time").alias("last"),
            F.min_by(
                F.struct(
                    F.date_format("time", PRINTED).alias("at"),
                    F.substring("message", 1, EVIDENCE_LENGTH).alias("text"),
                ),
                F.struct("time", "file", "file_offset"),
            ).alias("example"),
        )
        .orderBy("level", F.desc("count"), "logger")
        .limit(100)
        .toPandas()
    )
    if rows.empty:
        return None
    evidence = tuple(
        f"[{row.example['at']}] {row.level} {row.example['text']} ({row.logger}: {row.count:,})"
        for row in rows.rename(columns={"count": "n"})
        .assign(count=lambda each: each["n"])
        .head(SHOWN)
        .itertuples(index=False)
    )
    timed = rows["first"].notna().any()
    return Oddity(
        "Warnings that this report does not explain", 1, int(rows["count"].sum()),
        "Kafka's own classes wrote them, and the report knows no more than their words. Many "
        "follow from what is told above: a broker that is away, a leader that changes.",
        "Read those that begin before everything else that stands out.",
        (),
        printed_time(rows["first"].min()) if timed else "",
        printed_time(rows["last"].max()) if timed else "",
        evidence,
    )  # fmt: skip


def last_words(lines: DataFrame) -> tuple[str, ...]:
    """What the own log of each member shows whose session ended at its coordinator."""
    ended: pd.DataFrame = (
        lines.where(F.col("event").isin(*ENDED) & F.col("time").isNotNull())
        .select("time", F.regexp_extract("message", MEMBER, 1).alias("member"))
        .orderBy("time", "member")
        .limit(SHOWN * 4)
        .toPandas()
    )
    if ended.empty:
        return ()
    clients = _clients_of_members(lines)
    spans: pd.DataFrame = (
        lines.where("client_id is not null and time is not null")
        .groupBy("client_id")
        .agg(
            F.max("time").alias("last"),
            F.max(F.when(F.col("event").isin(*CLOSED), F.col("time"))).alias("closed"),
        )
        .limit(MOST)
        .toPandas()
    )
    spans = spans.set_index("client_id")
    told = []
    for row in ended.itertuples():
        # Where no line of a client names its member: the id begins with the client's id.
        named = row.member.rsplit("-", 5)[0]
        client = clients.get(row.member) or clients.get(named) or named
        if client not in spans.index or pd.notna(spans.loc[client, "closed"]):
            continue
        last = spans.loc[client, "last"]
        told.append(
            f"{client}: its own log ends at {printed_time(last)} and has no close: it was killed, "
            "or closed without a word at this level"
            if last < row.time
            else f"{client}: its own log goes on after that: it stood still, or was cut off"
        )
    return tuple(dict.fromkeys(told))[:SHOWN]


def _clients_of_members(lines: DataFrame) -> dict[str, str]:
    """member id or group.instance.id -> client id, as clients print them."""
    member = F.when(
        F.col("event") == "CONSUMER_CONFIG",
        F.regexp_extract("message", r"group\.instance\.id = (\S+)", 1),
    ).otherwise(F.coalesce("member_id", F.regexp_extract("message", r"memberId='([^']+)'", 1)))
    client = F.when(
        F.col("event") == "CONSUMER_CONFIG", F.regexp_extract("message", r"client\.id = (\S+)", 1)
    ).otherwise(F.col("client_id"))
    rows = (
        lines.where(F.col("event").isin("CONSUMER_CONFIG", "JOINED_GROUP", "MEMBER_STATE"))
        .select(member.alias("member"), client.alias("client"))
        .where("member <> '' and client <> ''")
        .distinct()
        .limit(MOST)
        .collect()
    )
    return {row["member"]: row["client"] for row in rows}
