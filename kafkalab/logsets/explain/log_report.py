"""Makes the report on a log: small tables, one for each subject, and the oddities.

The terminal and the page both show it. Spark counts every table and cuts it to a readable size. So
the report does not grow with the log.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import pandas as pd

from kafkalab.lines.catalog import SERVER_CATALOG
from kafkalab.lines.part_text import Entries
from kafkalab.logsets.connections import connections
from kafkalab.logsets.coordinators import coordinator_steps, fencing_signs
from kafkalab.logsets.engine import F
from kafkalab.logsets.explain import oddities
from kafkalab.logsets.explain.absences import (
    Absence,
    absences_of,
    broker_starts,
    told_by_servers,
)
from kafkalab.logsets.explain.closed_members import closed_members
from kafkalab.logsets.explain.kafka_subjects import back_in_sync, last_words, subjects, unexplained
from kafkalab.logsets.explain.missing_records import missing_records, unreadable_records
from kafkalab.logsets.explain.oddities import DEFAULT_IDLE_MS, OUT_OF_SYNC, SESSION_ENDED, Oddity
from kafkalab.logsets.explain.paused_clients import paused_clients
from kafkalab.logsets.explain.reading import LinesRead, reading_of
from kafkalab.logsets.explain.settings import with_settings
from kafkalab.logsets.explain.two_sides import clock_shift, two_sides
from kafkalab.logsets.incidents import STORM_REBALANCES, STORM_WITHIN
from kafkalab.logsets.lag import lag_per_minute
from kafkalab.logsets.line_repairs import NO_REPAIRS, LineRepairs
from kafkalab.logsets.membership import membership
from kafkalab.logsets.missing_lines import missing_lines
from kafkalab.logsets.offsets import commits, reprocessed
from kafkalab.logsets.producers import producers
from kafkalab.logsets.reader import summary
from kafkalab.logsets.rebalances import rebalances, storms_among
from kafkalab.logsets.requests import broker_times, requests
from kafkalab.logsets.set_clocks import moments_of, of_some_members, set_clocks
from kafkalab.logsets.transactions import transactions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

MOST = 400  # Rows of a table.
CONTROLLERS = Entries("brokers", "controller")
LOGS, OF_PROCESS = Entries("brokers", "logs"), "PROCESS_"
"""What both write: a controller keeps the cluster's metadata in a log."""
SELDOM = 0.05  # The share of a file's lines that name a broker which may not be its writer.
UNKNOWN_SHOWN = 10


@dataclass(frozen=True)
class LogReport:
    """The report of `explain` on a log. Times are UTC as in the lines, durations are in
    milliseconds.

    files       file, lines, malformed, foreign, not_in_catalogue, first, last
    clients     file, client_id, kind, group_id, version, lives, lines, warnings, first, last
    sockets     as connections(); of more than MOST clients' sockets the first
    held        client_id, class, how, sockets: all sockets counted
    requests    client_id, api, requests, answered, median_ms, longest_ms
    brokers     as broker_times(): how long each broker took
    members     as membership(): who came and who went, where the group's leader wrote a log
    lag         client_id, topic, partition, first_lag, most_lag, last_lag, least_lead: records, in
                the first, worst and last minute
    producers, rebalances, rereads, transactions   as the frames of these names; commits: counted by
                                                   partition
    servers     file, role, broker, lines, warnings, first, last: the logs of brokers, and of a
                KRaft controller, whose node id is in `broker`
    subjects    subject, lines, warnings: what Kafka's own lines are about that the catalogue does
                not know
    coordinators   as coordinator_steps(), without folder and file_offset
    sides       as two_sides(): a rebalance or a fencing as brokers and clients tell it
    reading     how much of the log this report is about
    absences    brokers that were away
    clock_shift  how much later the clients' clocks are than the brokers', where the lines show it
    """

    files: pd.DataFrame
    clients: pd.DataFrame
    sockets: pd.DataFrame
    held: pd.DataFrame
    requests: pd.DataFrame
    brokers: pd.DataFrame
    members: pd.DataFrame
    rebalances: pd.DataFrame
    commits: pd.DataFrame
    rereads: pd.DataFrame
    transactions: pd.DataFrame
    lag: pd.DataFrame
    producers: pd.DataFrame
    unknown: pd.DataFrame
    servers: pd.DataFrame
    subjects: pd.DataFrame
    coordinators: pd.DataFrame
    sides: pd.DataFrame
    reading: LinesRead
    oddities: list[Oddity] = field(default_factory=list)
    absences: list[Absence] = field(default_factory=list)
    clock_shift: pd.Timedelta | None = None

    @property
    def begins(self) -> pd.Timestamp:
        return self.files["first"].min()

    @property
    def ends(self) -> pd.Timestamp:
        return self.files["last"].max()


def report_of(
    lines: DataFrame,
    left_out: list[str] | None = None,
    as_written: DataFrame | None = None,
    doubts: Iterable[str] = (),
    repairs: LineRepairs = NO_REPAIRS,
) -> LogReport:
    """The report on these lines (all columns of schema.py). left_out: files that were not read.

    as_written: the lines with the client of their own prefix only, where `lines` have more.
    repairs: what was put right in these lines. It reads the lines a dozen times, so read them from
    Parquet.
    """
    servers, told, rounds, steps = _both_sides(lines)
    shift = clock_shift(steps, rounds) if len(servers) else None
    contradicted = missing_lines(lines)
    if shift is not None:
        spans = _spans(lines)
        if _others_agree(spans, shift, set(rounds["client_id"])):
            contradicted.append(of_some_members(rounds, shift))
            shift = None
        else:
            logs = list(spans.loc[spans["client_id"].isna(), "file"])
            lines = _shifted(lines, logs, shift).persist()
            servers, told, rounds, steps = _both_sides(lines)
    contradicted += set_clocks(moments_of(rounds, steps))
    of_servers = told_by_servers(lines)
    contradicted += set_clocks(broker_starts(of_servers), starts=True)
    sockets = connections(lines).persist()
    shown = _shown(sockets, "opened_at", "file", "client_id", "node_id")
    files: pd.DataFrame = summary(lines).limit(MOST).toPandas()
    clients = _clients(lines)
    brokers: pd.DataFrame = broker_times(lines).limit(MOST).toPandas()
    behind, signs = _lag(lines), pd.DataFrame()
    if len(servers):
        signs = _shown(fencing_signs(lines), "at", "file", "file_offset")
    rereads = _shown(reprocessed(lines).where("how <> 'seek'"), "began_at", "client_id")
    closed, explained = closed_members(lines, rounds)
    paused, follows = paused_clients(lines)
    found = [
        paused,
        *oddities.signs(lines, [*explained, *follows]),
        closed,
        *missing_records(lines),
        unreadable_records(lines),
        oddities.undying_sockets(shown, files["last"].max(), _idle_limit(lines)),
        oddities.churn(shown),
        oddities.goes_on(clients),
        oddities.namesakes(clients),
        oddities.slow_answers(brokers),
        oddities.silences(lines),
        oddities.clock_steps(lines),
        oddities.set_back(rereads),
        oddities.read_twice(rereads),
        oddities.storm(_shown(storms_among(told, STORM_REBALANCES, STORM_WITHIN), "first")),
        oddities.falling_behind(behind),
        *unexplained(lines),
    ]
    more = {}
    if len(servers):
        more = {SESSION_ENDED: last_words(lines), OUT_OF_SYNC: back_in_sync(lines)}
    return LogReport(
        files=files,
        clients=clients,
        sockets=shown,
        held=_shown(
            sockets.groupBy("client_id", "class", "how").agg(F.count("*").alias("sockets")),
            *("client_id", "class", "how"),
        ),
        requests=_requests(requests(lines)),
        brokers=brokers,
        members=_shown(membership(lines), "assigned_at", "group_id"),
        rebalances=rounds,
        commits=_commits(lines),
        rereads=rereads,
        transactions=_shown(transactions(lines), "began_at", "client_id"),
        lag=behind,
        producers=_shown(producers(lines).drop("file"), "client_id", "topic", "partition"),
        unknown=_unknown(lines),
        servers=servers,
        coordinators=steps.drop(columns=["folder", "file_offset"], errors="ignore"),
        sides=two_sides(steps, rounds, signs),
        reading=reading_of(lines, left_out or [], as_written, doubts, repairs, contradicted),
        oddities=[
            replace(each, settings=(*each.settings, *more.get(each.what, ())))
            for each in with_settings(
                sorted((oddity for oddity in found if oddity), key=lambda oddity: -oddity.weight),
                lines,
            )
        ],
        absences=absences_of(lines, of_servers),
        clock_shift=shift,
        subjects=subjects(lines),
    )


def _both_sides(
    lines: DataFrame,
) -> tuple[pd.DataFrame, DataFrame, pd.DataFrame, pd.DataFrame]:
    """The logs of servers, the members' rebalances as a frame and as a table, and the steps of
    coordinators, which only servers write."""
    servers, told = _servers(lines), rebalances(lines).persist()
    steps = pd.DataFrame()
    if len(servers):
        steps = _shown(coordinator_steps(lines), "at", "file", "file_offset")
    return servers, told, _shown(told, "began_at", "client_id"), steps


def _spans(lines: DataFrame) -> pd.DataFrame:
    """From when to when each file has lines, and a client of it: a server's log has none."""
    found: pd.DataFrame = (
        lines.where("time is not null")
        .groupBy("file")
        .agg(
            F.min("time").alias("first"), F.max("time").alias("last"),
            F.max("client_id").alias("client_id"),
        )
        .limit(MOST)
        .toPandas()
    )  # fmt: skip
    return found


def _others_agree(spans: pd.DataFrame, shift: pd.Timedelta, members: set[str]) -> bool:
    """Whether a client that is no member of a group wrote at the time of the brokers, and would not
    have by the members' clocks."""
    servers = spans[spans["client_id"].isna()]
    others = spans[spans["client_id"].notna() & ~spans["client_id"].isin(members)]

    def meet(later: pd.Timedelta) -> pd.Series:
        begin, end = servers["first"].min() + later, servers["last"].max() + later
        return (others["first"] <= end) & (others["last"] >= begin)

    return bool((meet(pd.Timedelta(0)) & ~meet(shift)).any())


def _shifted(lines: DataFrame, files: list[str], shift: pd.Timedelta) -> DataFrame:
    """The lines, with those of these files by the clients' clocks."""
    span = F.expr(f"interval {abs(shift) // pd.Timedelta(milliseconds=1)} milliseconds")
    time = F.col("time") + span if shift > pd.Timedelta(0) else F.col("time") - span
    moved = F.when(F.col("file").isin(*files), time).otherwise(F.col("time"))
    return lines.withColumn("time", moved)


def _shown(frame: DataFrame, *order: str) -> pd.DataFrame:
    """The first rows. Rows that are equal in `order` are told apart by all that they have."""
    rest = [name for name in frame.columns if name not in order]
    return frame.orderBy(*order, *rest).limit(MOST).toPandas()


def _clients(lines: DataFrame) -> pd.DataFrame:
    """The clients of the lines. A process begins with each version line.

    Lines without a client prefix count for the file's only client.
    """
    version = F.when(
        F.col("event") == "KAFKA_VERSION", F.regexp_extract("message", r"Kafka version ?: (\S+)", 1)
    )
    key = ("file", "client_id", "kind")
    counted = (
        lines.where("client_id is not null")
        .groupBy(*key)
        .agg(
            F.max("group_id").alias("group_id"),
            F.max(version).alias("version"),
            F.count_if(F.col("event") == "KAFKA_VERSION").alias("lives"),
            F.count("*").alias("lines"),
            F.count_if(F.col("level").isin("WARN", "ERROR", "FATAL")).alias("warnings"),
            F.min("time").alias("first"),
            F.max("time").alias("last"),
        )
    )
    return _shown(counted, *key)


def _servers(lines: DataFrame) -> pd.DataFrame:
    """The files that hold a broker's lines, with all of their lines. Most of a broker's lines name
    it. A file of several brokers has a row for each, with the lines that name it."""
    of_server = F.col("event").isin(*SERVER_CATALOG)
    of_others = F.col("event").isin(*CONTROLLERS, *LOGS) | F.col("event").startswith(OF_PROCESS)
    of_brokers = F.count_if(of_server & ~of_others)
    of_controller = F.count_if(F.col("event").isin(*CONTROLLERS))

    def counted(*of: str) -> pd.DataFrame:
        found = (
            lines.withColumn("broker", F.when(of_server, F.col("broker")))
            .groupBy("file", *of)
            .agg(
                F.when((of_brokers == 0) & (of_controller > 0), "controller")
                .otherwise("broker")
                .alias("role"),
                *(F.max("broker").alias("broker") for _ in range(not of)),
                F.count_if(of_server).alias("known"),
                F.count("*").alias("lines"),
                F.count_if(F.col("level").isin("WARN", "ERROR", "FATAL")).alias("warnings"),
                F.min("time").alias("first"),
                F.max("time").alias("last"),
            )
        )
        return _shown(found, "file", *of)

    files, each = counted(), counted("broker")
    files = files[files["known"] > 0]
    # A line of a broker may name another one now and then.
    often = each["known"] >= SELDOM * each.groupby("file")["known"].transform("sum")
    named = each[often & each["broker"].notna()]
    several = each[each["file"].isin(named.loc[named.duplicated("file"), "file"])]
    several = several[often[several.index] | several["broker"].isna()]
    kept = files[~files["file"].isin(several["file"]) | (files["role"] == "controller")]
    several = several[~several["file"].isin(kept["file"])]
    found = pd.concat([kept, several[kept.columns]]) if len(several) else kept
    return found.drop(columns="known").sort_values(["file", "broker"], ignore_index=True)


def _requests(asked: DataFrame) -> pd.DataFrame:
    """The requests of each API and the time of their answers."""
    return (
        asked.groupBy("client_id", "api")
        .agg(
            F.count("*").alias("requests"),
            F.count("took_ms").alias("answered"),
            F.percentile_approx("took_ms", 0.5).alias("median_ms"),
            F.max("took_ms").alias("longest_ms"),
        )
        .orderBy("client_id", F.desc("requests"), "api")
        .limit(MOST)
        .toPandas()
    )


def _commits(lines: DataFrame) -> pd.DataFrame:
    key = ("client_id", "group_id", "topic", "partition")
    counted = (
        commits(lines)
        .groupBy(*key)
        .agg(
            F.count("*").alias("commits"),
            F.min("offset").alias("from_offset"),
            F.max("offset").alias("to_offset"),
            F.percentile_approx("gap_ms", 0.5).alias("usual_gap_ms"),
            F.max("gap_ms").alias("longest_gap_ms"),
            F.max("committed_at").alias("last_at"),
        )
    )
    return _shown(counted, *key)


def _lag(lines: DataFrame) -> pd.DataFrame:
    key = ("client_id", "topic", "partition")
    counted = (
        lag_per_minute(lines)
        .groupBy(*key)
        .agg(
            F.min_by("lag", F.struct("minute", "lag")).alias("first_lag"),
            F.max("lag").alias("most_lag"),
            F.max_by("last_lag", F.struct("minute", "last_lag")).alias("last_lag"),
            F.min("lead").alias("least_lead"),
        )
    )
    return _shown(counted, *key)


def _idle_limit(lines: DataFrame) -> int:
    """connections.max.idle.ms from the configuration dumps, else Kafka's default."""
    dumped = F.regexp_extract("message", r"connections\.max\.idle\.ms = (-?\d+)", 1)
    rows = (
        lines.where(F.col("event").isin("CONSUMER_CONFIG", "PRODUCER_CONFIG"))
        .agg(F.min(F.nullif(dumped, F.lit("")).cast("bigint")).alias("limit"))
        .collect()
    )
    return DEFAULT_IDLE_MS if rows[0].limit is None else rows[0].limit


def _unknown(lines: DataFrame) -> pd.DataFrame:
    """The lines that are not in the catalogue, by class, with an example.

    They are the application's own lines, or lines of a version without a recording.
    """
    return (
        lines.where("event is null and problem is null")
        .groupBy("logger", "level")
        .agg(F.count("*").alias("lines"), F.min(F.substring("message", 1, 160)).alias("example"))
        .orderBy(F.desc("lines"), "logger", "level")
        .limit(UNKNOWN_SHOWN)
        .toPandas()
    )
