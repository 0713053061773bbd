"""Tells whose clock was set or is wrong, by what several logs say of the same moment.

The members of a group and its coordinator reach a generation together. A controller hears of a
broker when that has started. Where the times of two of them are far apart, one of the clocks is
wrong. A log alone does not show that its clock jumped forward: a program that has nothing to say
looks the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations, pairwise

import pandas as pd

from kafkalab.logsets.layouts import ZONES_APART
from kafkalab.logsets.rebalances import FIRST_JOIN

STABLE = "^(?:Stabilized group|Computed a new target)"  # what a coordinator says then
ALIKE = pd.Timedelta(seconds=30)  # Clocks that are kept by NTP, and what is between two lines.
# Kafka's default of max.poll.interval.ms: a member that is later is no longer in the group.
APART = pd.Timedelta(minutes=5)
# A controller hears of a broker within seconds of its start.
HEARD = pd.Timedelta(minutes=1)
MOMENT = ["who", "what", "number", "at", "may_be_late"]
NAMED = 3


def moments_of(rounds: pd.DataFrame, steps: pd.DataFrame | None = None) -> pd.DataFrame:
    """When members and coordinators reached each generation: MOMENT. `rounds` as rebalances(),
    `steps` as coordinator_steps().

    The brokers are one, for a group changes its coordinator. may_be_late: a static member that
    starts again joins the generation that is there.
    """
    parts = []
    if len(rounds):
        parts.append(
            pd.DataFrame(
                {"who": rounds["client_id"], "what": "group " + rounds["group_id"].astype("string"),
                 "number": rounds["generation"], "at": rounds["resumed_at"],
                 "may_be_late": rounds["cause"] == FIRST_JOIN}
            )
        )  # fmt: skip
    if steps is not None and len(steps):
        own = steps[steps["says"].str.contains(STABLE, regex=True)]
        parts.append(
            pd.DataFrame(
                {"who": "the coordinator", "what": "group " + own["group_id"].astype("string"),
                 "number": own["generation"], "at": own["at"], "may_be_late": False}
            )
        )  # fmt: skip
    return pd.concat(parts) if parts else pd.DataFrame(columns=MOMENT)


def set_clocks(moments: pd.DataFrame, starts: bool = False) -> list[str]:
    """A sentence for each client, broker or controller whose clock differs from those of others.

    starts: the moments are those of broker_starts(). A controller hears of them at once, so one is
    enough.
    """
    known = moments.dropna(subset=["who", "what", "number", "at"])
    key = ["who", "what", "number"]
    known = known.sort_values("at", kind="stable")
    # What one of them names again much later is of two groups of that name, or was joined again.
    spread = known["at"] - known.groupby(key)["at"].transform("min")
    again = (spread > APART).groupby([known[name] for name in key]).transform("any")
    known = known[~again].drop_duplicates(key)
    found = list(_differences(known, starts))
    said = []
    while found:
        names = pd.Series([name for pair in found for name in pair[:2]])
        most = names.value_counts()
        who = min(most[most == most.max()].index)
        own = [each for each in found if who in each[:2]]
        found = [each for each in found if who not in each[:2]]
        said.append(_sentence(who, own))
    return said


def _differences(known: pd.DataFrame, starts: bool) -> Iterator[tuple]:
    """Two names, how far the first is ahead of the second, and where: what, number, whether they
    agree elsewhere."""
    for what, rows in known.groupby("what", sort=True):
        times = rows.pivot(index="number", columns="who", values="at")
        late = rows.pivot(index="number", columns="who", values="may_be_late")
        for one, other in combinations(times.columns, 2):
            both = times[[one, other]].dropna().sort_index()
            if any(not both[who].is_monotonic_increasing for who in both.columns):
                continue  # the numbers began again between
            ahead = both[one] - both[other]
            may_be_late = late.loc[both.index, [one, other]].astype(bool).any(axis=1)
            apart = ahead[(ahead.abs() > (HEARD if starts else APART)) & ~may_be_late]
            agree = (ahead.abs() <= ALIKE).any()
            # Two runs of one program, one after the other, differ alike, too.
            alike = any(abs(two - first) <= ALIKE for first, two in pairwise(apart))
            alike = alike and both.min().max() <= both.max().min()
            # Starts that are further apart may be two: a rotated log lacks others.
            zone = starts and (apart.abs() <= ZONES_APART).all()
            if len(apart) and (agree or alike or zone):
                yield one, other, apart.iloc[-1], what, int(apart.index[-1]), bool(agree)


def _sentence(who: str, own: Iterable[tuple]) -> str:
    own = list(own)
    one, _, ahead, what, number, _ = own[0]
    ahead = ahead if one == who else -ahead
    others = sorted({each[1] if each[0] == who else each[0] for each in own})
    agree = any(each[-1] for each in own)
    agreed = ", and elsewhere they agree" if agree else ""
    whose = "It" if len(others) > 1 else "One of the two"
    zone = "" if agree else ", is in another zone, or the logs are of different times"
    where = f"generation {number} of {what}" if what.startswith("group ") else f"{what}"
    return (
        f"The clock of {who} is {_apart(ahead)} {'those' if len(others) > 1 else 'that'} of "
        f"{_first_of(others)} at {where}{agreed}. {whose} was set or is wrong{zone}: what "
        "is told across logs, or across that time, may be wrong."
    )


def of_some_members(rounds: pd.DataFrame, shift: pd.Timedelta) -> str:
    """The sentence where the clocks of a group's members differ from the brokers', and those of
    other clients do not. `rounds` as rebalances()."""
    named = _first_of(sorted(rounds["client_id"].unique()))
    return (
        f"By the generations of their groups, the clock of {named} is {_apart(shift)} those of the "
        "brokers, and other clients agree with the brokers. It was set or is wrong, or is in "
        "another zone: what is told across logs may be wrong."
    )


def _first_of(names: list[str]) -> str:
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more


def _apart(ahead: pd.Timedelta) -> str:
    span = str(abs(ahead).round("s")).replace("0 days ", "")
    return f"{span} {'ahead of' if ahead > pd.Timedelta(0) else 'behind'}"
