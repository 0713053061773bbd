"""Finds static members that closed, and for how long nobody owned their partitions.

A member with a group.instance.id does not leave its group when it closes. Its coordinator waits
until its session ends, as it does for a process that died. The member's own log tells one from the
other. One that comes back before that takes its partitions again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pandas as pd

from kafkalab.logsets.engine import F
from kafkalab.logsets.explain.oddities import EVIDENCE, Oddity, printed_time

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

FAILED, LOADED = "GROUP_MEMBER_FAILED", "JOINED_GROUP"
CLOSED = ("RESET_GENERATION_ON_LEAVE", "CONSUMER_CLOSED", "ASYNC_CONSUMER_CLOSED")
FENCED = ("INSTANCE_FENCED", "HEARTBEAT_FENCED")  # another process has its partitions
OF_MEMBERS = (FAILED, LOADED, *CLOSED, *FENCED)
MEMBER = r"Member (\S+) in group (\S+) has failed"
JOINED = r"memberId='([^']+)'"
# A member id is the client id (or group.instance.id) and a random UUID.
UUID = r"-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$"
MOST = 5000


def closed_members(lines: DataFrame, rounds: pd.DataFrame) -> tuple[Oddity | None, list]:
    """The oddity of static members that closed, and the place of each coordinator's line that
    tells of the end of their sessions: file, file_offset.

    lines: all columns of schema.py; rounds: as rebalances().
    """
    rows: pd.DataFrame = (
        lines.where(F.col("event").isin(*OF_MEMBERS) & F.col("time").isNotNull())
        .select("time", "event", "client_id", "group_id", "message", "file", "file_offset")
        .orderBy("time", "file", "file_offset")
        .limit(MOST)
        .toPandas()
    )
    failed = rows[rows["event"] == FAILED]
    names = rows[rows["event"] == LOADED].assign(
        member=lambda each: each["message"].str.extract(JOINED)[0]
    )
    clients = dict(zip(names["member"], names["client_id"]))
    told, places, gone, first, last = [], [], set(), None, None
    for row in failed.itertuples():
        found = pd.Series([row.message]).str.extract(MEMBER).iloc[0]
        member, group = found[0], found[1]
        client = clients.get(member) if isinstance(member, str) else None
        closed = rows[
            rows["event"].isin(CLOSED)
            & (rows["client_id"] == client)
            & (rows["time"] <= row.time)
            & (rows["time"] > _last_join(names, client, row.time))
        ]
        if client is None or closed.empty:
            continue
        at = closed["time"].iloc[0]
        instance = re.sub(UUID, "", member)
        told.append(
            f"{client} (group.instance.id {instance}) closed at {printed_time(at)}, and its "
            f"session ended at {printed_time(row.time)}{_unowned(rounds, client, group, at)}"
        )
        places.append((row.file, row.file_offset))
        gone.add(client)
        first, last = first or at, row.time
    ended = rows[rows["event"].isin((*CLOSED, *FENCED))]
    for at, client, instance, group in _back_in_time(names, ended):
        unowned = _unowned(rounds, client, group, at)
        if unowned and client not in gone:
            told.append(
                f"{client} (group.instance.id {instance}) closed at {printed_time(at)}{unowned}"
            )
            first, last = min(first or at, at), max(last or at, at)
    if first is None or last is None:
        return None, []
    oddity = Oddity(
        "A static member closed and kept its partitions", 2, len(told),
        "A member with group.instance.id sends no leave when it closes: it may be back soon. Its "
        "partitions wait for session.timeout.ms, and nobody reads them.",
        "Where it is to stay away, remove it with kafka-consumer-groups or the admin client, or "
        "lower session.timeout.ms.",
        [line.partition(" ")[0] for line in told],
        printed_time(first), printed_time(last), tuple(told[:EVIDENCE]), places=tuple(places),
    )  # fmt: skip
    return oddity, places


def _back_in_time(names: pd.DataFrame, closed: pd.DataFrame) -> Iterator[tuple]:
    """When each static member closed: the time, client, group.instance.id and group."""
    seen = set()
    for row in closed.itertuples():
        own = names[(names["client_id"] == row.client_id) & (names["time"] <= row.time)]
        if own.empty or own.index[-1] in seen or not isinstance(own["member"].iloc[-1], str):
            continue
        seen.add(own.index[-1])
        if row.event in FENCED:
            continue
        instance = re.sub(UUID, "", own["member"].iloc[-1])
        if instance != row.client_id:
            yield row.time, row.client_id, instance, own["group_id"].iloc[-1]


def _last_join(names: pd.DataFrame, client: object, until: pd.Timestamp) -> pd.Timestamp:
    own = names[(names["client_id"] == client) & (names["time"] <= until)]
    return own["time"].max() if len(own) else pd.Timestamp(0, tz=until.tz)


def _unowned(rounds: pd.DataFrame, client: str, group: str, at: pd.Timestamp) -> str:
    """`: nobody owned orders-2 for 9.9 s`; nothing where the lines do not tell it."""
    of_group = rounds[rounds["group_id"] == group]
    own = of_group[(of_group["client_id"] == client) & (of_group["resumed_at"] <= at)]
    after = of_group[of_group["resumed_at"] > at]
    if own.empty or after.empty:
        return ""
    had = own.sort_values("resumed_at")["partitions"].iloc[-1]
    if not isinstance(had, str) or not had:
        return ""
    lost = set(had.split(", "))
    after = after[[bool(lost & set(str(each).split(", "))) for each in after["partitions"]]]
    if after.empty:
        return ""
    waited = (after["resumed_at"].min() - at).total_seconds()
    return f": nobody owned {had} for {waited:.1f} s"
