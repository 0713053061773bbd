"""Lays what brokers and clients wrote about one rebalance, or one fencing, side by side.

It works on the small tables of the report: the steps of coordinators, the rebalances of members,
and the signs of fenced producers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pandas as pd

from kafkalab.logsets.set_clocks import STABLE

COLUMNS = ("what", "at", "broker", "broker_says", "client_id", "client_says")
# Clocks that are kept by NTP differ by less, and a member goes on within that time.
STEP = pd.Timedelta(seconds=30)
ALIKE = 0.8  # The share of pairs that must tell the same shift.
SAYS = 160  # The letters of a text that are shown.
# A member id is the client id and a random UUID; its first part is enough to tell two apart.
UUID = re.compile(r"(-[0-9a-f]{8})(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


def two_sides(steps: pd.DataFrame, rounds: pd.DataFrame, signs: pd.DataFrame) -> pd.DataFrame:
    """A row for each step of a rebalance or a fencing that both sides tell of: COLUMNS.

    steps: as coordinator_steps; rounds: as rebalances; signs: as fencing_signs. `what` names the
    rebalance or the fencing; its rows are in the order of time. Of a rebalance or a fencing that
    only one side tells of there is no row: the tables of that side have it.
    """
    if steps.empty:
        return pd.DataFrame(columns=list(COLUMNS))
    rows = [*_rebalances(steps, rounds), *_fencings(steps, signs)]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def clock_shift(steps: pd.DataFrame, rounds: pd.DataFrame) -> pd.Timedelta | None:
    """How much later the clients' clocks are than the brokers'; None where nothing shows it.

    A member goes on soon after its coordinator has a stable generation. Where the two differ by
    more than STEP in each generation, and alike, the clocks are set apart.
    """
    if steps.empty or rounds.empty:
        return None
    stable = steps[steps["says"].str.contains(STABLE, regex=True)]
    keyed = stable.dropna(subset=["group_id", "generation"])[["group_id", "generation", "at"]]
    pairs = rounds.merge(keyed, on=["group_id", "generation"])
    apart = pairs["resumed_at"] - pairs["at"]
    if apart.empty:
        return None
    middle = apart.sort_values().iloc[len(apart) // 2]
    alike = ((apart - middle).abs() <= STEP).sum()
    return middle if abs(middle) > STEP and alike >= ALIKE * len(apart) else None


def _rebalances(steps: pd.DataFrame, rounds: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    keyed = steps.dropna(subset=["group_id", "generation"])
    for (group, generation), told in keyed.groupby(["group_id", "generation"], sort=False):
        members = rounds[(rounds["group_id"] == group) & (rounds["generation"] == generation)]
        if members.empty:
            continue
        what = f"{group}, generation {int(generation)}"
        found = [_of_broker(what, row) for row in told.itertuples()]
        found += [row for member in members.itertuples() for row in _of_member(what, member)]
        yield from _in_time(found)


def _of_broker(what: str, row: Any) -> tuple[Any, ...]:
    return what, row.at, row.broker, _shortened(row.says), None, None


def _shortened(text: str) -> str:
    said = UUID.sub(r"\1", text.splitlines()[0])
    return said if len(said) <= SAYS else f"{said[: SAYS - 1]}…"


def speakers(rows: pd.DataFrame) -> tuple[list[str], list[str]]:
    """What each row shows on the brokers' side and on the clients': `broker 0: …`, `inv-1: …`. One
    of the two is empty."""
    brokers, clients = [], []
    for row in rows.itertuples():
        of_broker = row.client_id is None or pd.isna(row.client_id)
        brokers.append(f"broker {int(row.broker)}: {row.broker_says}" if of_broker else "")
        clients.append("" if of_broker else f"{row.client_id}: {row.client_says}")
    return brokers, clients


def _of_member(what: str, row: Any) -> Iterator[tuple[Any, ...]]:
    said = f" ({row.reason})" if isinstance(row.reason, str) and row.reason else ""
    yield what, row.began_at, None, None, row.client_id, _shortened(f"joins: {row.cause}{said}")
    if pd.notna(row.stopped_at):
        yield what, row.stopped_at, None, None, row.client_id, "gives up its partitions"
    has = (row.partitions or "no partition") if isinstance(row.partitions, str) else None
    text = f"goes on after {int(row.waited_ms)} ms" + (
        f" with {has}" if has else ", its partitions are not said"
    )
    yield what, row.resumed_at, None, None, row.client_id, _shortened(text)


def _fencings(steps: pd.DataFrame, signs: pd.DataFrame) -> Iterator[tuple[Any, ...]]:
    """The producers of one id, of whom one was fenced: both sides name the id."""
    named = steps.dropna(subset=["transactional_id"])
    for transactional_id, told in named.groupby("transactional_id", sort=False):
        ids = set(told["producer_id"].dropna())
        of_id = signs[signs["producer_id"].isin(ids)]
        if not len(of_id) or not of_id["fenced"].any():
            continue
        what = f"transactional id {transactional_id}"
        found = [_of_broker(what, row) for row in told.itertuples()]
        found += [
            (what, row.at, None, None, row.client_id, _shortened(row.says))
            for row in of_id.itertuples()
        ]
        yield from _in_time(found)


def _in_time(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """In the order of time; of one millisecond the broker's first."""
    return sorted(rows, key=lambda row: (row[1], row[4] is not None))
