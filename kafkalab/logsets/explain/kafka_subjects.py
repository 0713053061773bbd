"""Says what those lines of Kafka's own classes are about that the catalogue does not know.

The catalogue has all of the clients' lines, and of brokers and controllers those that a report
needs. The other lines of theirs are counted by subject, and their warnings and errors are shown.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from kafkalab.logsets import schema
from kafkalab.logsets.engine import F
from kafkalab.logsets.explain.closed_members import CLOSED
from kafkalab.logsets.explain.missing_records import DESERIALIZERS_FAILED, ITS_PLACE
from kafkalab.logsets.explain.oddities import (
    EVIDENCE_LENGTH,
    PRINTED,
    SIGNS,
    TRACE,
    Oddity,
    printed_time,
    with_cause,
)
from kafkalab.logsets.first_lines import PREFIX

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
USUAL = ("CONTROLLER_ACTIVATES",)
EXCEPTION = r"(\w+Exception)\b"
SHOWN, MOST = 5, 1000
COLUMNS = ("subject", "lines", "warnings")
# The end of a member's session, and the lines of a client that name its member.
ENDED = ("GROUP_MEMBER_FAILED", "CONSUMER_GROUP_FENCED")
MEMBER = r"Member (\S+) (?:in group \S+ has failed|fenced)"
ISR_LINES = ("ISR_SHRINKS", "ISR_EXPANDS", "ISR_UPDATED")
# of a shrinking one those before
IN_SYNC = r"(?:Shrinking ISR from|Expanding ISR from \S+ to|ISR updated to) ([\d,]+)"
OF_KAFKA = (
    "Warnings that this report does not explain",
    "Classes of Kafka or ZooKeeper wrote them, and the report knows no more than their words. Many "
    "follow from what is told above: a broker that is away, a leader that changes.",
    "Read those that begin before everything else that stands out.",
)  # fmt: skip
OF_APPLICATION = (
    "The application warned",
    "These lines are not Kafka's. They often name the exception that a call of Kafka's client "
    "raised, which the client itself does not log.",
    "Compare their times with what else stands out.",
)  # fmt: skip


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


def unexplained(lines: DataFrame) -> Iterator[Oddity]:
    """Warnings and errors that no sign tells of, one of each class and exception: Kafka's own,
    and those of the application, which alone knows what it caught."""
    events = (event for sign in SIGNS for event in sign.events)
    said = F.concat_ws("\n", "message", "trace")
    told = F.col("event").isin(*USUAL, *DESERIALIZERS_FAILED, *events)
    # A client's words that begin at another place were misread. An application may cite them.
    misread = (
        F.col("client_id").isNull()
        & F.col("message").rlike(f".{PREFIX}")
        & F.col("logger").like("org.apache.kafka.%")
    )
    rows: pd.DataFrame = (
        lines.where(F.col("problem").isNull() & F.col("level").isin(*LOUD))
        .where(~misread)
        .where(F.col("event").isNull() | ~told)
        .where(~said.rlike(ITS_PLACE))
        .where("logger is not null")
        .groupBy(
            "logger",
            "level",
            # of a class by its last name only the catalogue tells whose it is
            (F.col("event").isNotNull() | F.col("logger").rlike(schema.OWN_CLASS)).alias("own"),
            F.regexp_extract(said, EXCEPTION, 1).alias("exception"),
        )
        .agg(
            F.count("*").alias("lines"),
            F.min("time").alias("first"),
            F.max("time").alias("last"),
            F.min_by(
                F.struct(
                    F.date_format("time", PRINTED).alias("at"),
                    F.substring("message", 1, EVIDENCE_LENGTH).alias("text"),
                    F.substring("trace", 1, TRACE).alias("trace"),
                ),
                F.struct("time", "file", "file_offset"),
            ).alias("example"),
        )
        .orderBy("level", F.desc("lines"), "logger", "exception")
        .limit(100)
        .toPandas()
    )
    own = rows["own"].astype(bool)
    raised = rows[~own & (rows["exception"] != "")]
    for found, weight, words in (
        (rows[~own], 2 if raised.empty else 3, OF_APPLICATION),
        (rows[own], 1, OF_KAFKA),
    ):
        if len(found):
            what, means, do = words
            evidence = tuple(
                f"[{row.example['at']}] {row.level} {row.logger}, {row.lines:,} times: "
                + with_cause(row.example["text"], row.example["trace"])
                for row in found.head(SHOWN).itertuples()
            )
            total = int(found["lines"].sum())
            yield Oddity(what, weight, total, means, do, (), *_span(found), evidence)


def _span(rows: pd.DataFrame) -> tuple[str, str]:
    if rows["first"].isna().all():
        return "", ""
    return printed_time(rows["first"].min()), printed_time(rows["last"].max())


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
        # where it closed before, its session ended for that
        if client not in spans.index or spans.loc[client, "closed"] <= row.time:
            continue
        last = spans.loc[client, "last"]
        told.append(
            f"{client}: its own log ends at {printed_time(last)} and has no close: it was killed, "
            "or closed without a word at this level"
            if last < row.time
            else f"{client}: its own log goes on after that: it stood still, or was cut off"
        )
    return tuple(dict.fromkeys(told))[:SHOWN]


def back_in_sync(lines: DataFrame) -> tuple[str, ...]:
    """When partitions whose ISR shrank had as many replicas in sync again; empty without any."""
    isr = F.regexp_extract("message", IN_SYNC, 1)
    rows: pd.DataFrame = (
        lines.where(F.col("event").isin(*ISR_LINES) & F.col("time").isNotNull())
        .select("time", "event", "topic", "partition", F.size(F.split(isr, ",")).alias("replicas"))
        .orderBy("time")
        .limit(MOST * 10)
        .toPandas()
    )
    back: list[pd.Timestamp] = []
    never: list[str] = []
    for (topic, number), own in rows.groupby(["topic", "partition"]):
        shrunk = own[own["event"] == ISR_LINES[0]]
        if shrunk.empty:
            continue
        after = own[(own["time"] > shrunk["time"].max()) & (own["event"] != ISR_LINES[0])]
        whole = after[after["replicas"] >= shrunk["replicas"].max()]
        if whole.empty:
            never.append(f"{topic}-{number}")
        else:
            back.append(whole["time"].iloc[0])
    if not back and not never:
        return ()
    said = f"all replicas in sync again: {len(back)} of {len(back) + len(never)} partitions"
    if back:
        said += f", the last of them at {printed_time(max(back))}"
    names = ", ".join(never[:SHOWN]) + (", …" if len(never) > SHOWN else "")
    return (said + (f"; no line tells it of {names}" if never else ""),)


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
