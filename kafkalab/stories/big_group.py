"""Scores an assignor on a group of fifty, among crashes and newcomers, without a lab.

    score(my_assign)      # a table: yours beside Kafka's four

An assignor is a function of chapter 07: ({topic: how many}, {member: [topic, ...]}) -> {member:
[(topic, number), ...]}. It plans again after each change of the group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from random import Random
from typing import TYPE_CHECKING

from kafkalab.clients.consumer.assignors.assignment import ASSIGNORS, assign
from kafkalab.clients.consumer.assignors.member_subscriptions import MemberSubscription
from kafkalab.records import TopicPartition
from kafkalab.releases import PROFILES

if TYPE_CHECKING:
    import pandas

Place = tuple[str, int]
Plan = dict[str, list[Place]]
Assign = Callable[[dict[str, int], dict[str, list[str]]], Mapping[str, list[Place]]]
TOPICS = {"orders": 120, "prices": 55}


def memberships(members: int = 50, changes: int = 24, seed: int = 1) -> Iterator[list[str]]:
    """The members after each change: the first plan, then crashes and newcomers by chance."""
    luck, alive, next_number = Random(seed), [f"m{number:02}" for number in range(members)], members
    yield list(alive)
    for _ in range(changes):
        if luck.random() < 0.6:
            for gone in luck.sample(alive, luck.randint(1, 3)):
                alive.remove(gone)
        else:
            alive.append(f"m{next_number:02}")
            next_number += 1
        yield list(alive)


def plans_of(assignor: str | Assign, seed: int = 1) -> list[Plan]:
    """The plan after each change. Raises ValueError for a plan that forgets a partition, gives it
    twice, or gives it to somebody who is not there."""
    plans: list[Plan] = []
    before: Plan = {}
    for generation, alive in enumerate(memberships(seed=seed), start=1):
        plan = (
            _kafkas(assignor, alive, before, generation)
            if isinstance(assignor, str)
            else dict(assignor(dict(TOPICS), {member: list(TOPICS) for member in alive}))
        )
        _check(plan, alive)
        plans.append(plan)
        before = plan
    return plans


def score(assignor: Assign | None = None, seed: int = 1) -> pandas.DataFrame:
    """Yours beside Kafka's: partitions that moved though their owner lives, all changes together;
    and the most partitions that one member has more than another, at the worst moment."""
    import pandas

    rows = {}
    named: dict[str, str | Assign] = {} if assignor is None else {"yours": assignor}
    for name, one in {**named, **{name: name for name in ASSIGNORS[:3]}}.items():
        plans = plans_of(one, seed)
        spreads = [max(map(len, plan.values())) - min(map(len, plan.values())) for plan in plans]
        rows[name] = {
            "moved without need": sum(map(_moved, plans, plans[1:])),
            "largest difference": max(spreads),
        }
    return pandas.DataFrame(rows).T


def _kafkas(name: str, alive: list[str], before: Plan, generation: int) -> Plan:
    profile = PROFILES["3.9"]
    members = {
        member: MemberSubscription(
            topics=tuple(TOPICS),
            owned=tuple(TopicPartition(*place) for place in before.get(member, ())),
            generation=generation - 1 if member in before else -1,
        )
        for member in alive
    }
    made = assign(name, profile, TOPICS, members)
    return {member: [(tp.topic, tp.partition) for tp in given] for member, given in made.items()}


def _check(plan: Plan, alive: list[str]) -> None:
    given = [(topic, number) for places in plan.values() for topic, number in places]
    wanted = {(topic, number) for topic, count in TOPICS.items() for number in range(count)}
    strangers = sorted(set(plan) - set(alive))
    if strangers:
        raise ValueError(f"the plan names {strangers[0]}, who is not in the group")
    if len(given) != len(set(given)):
        twice = next(place for place in given if given.count(place) > 1)
        raise ValueError(f"the plan gives {twice} to two members")
    if set(given) != wanted:
        missing = sorted(wanted - set(given)) or sorted(set(given) - wanted)
        raise ValueError(f"the plan and the topics differ in {missing[0]}")


def _moved(before: Plan, after: Plan) -> int:
    """How many partitions changed hands though their owner is still there."""
    owner = {
        (topic, number): member for member, places in after.items() for topic, number in places
    }
    return sum(
        owner[topic, number] != member
        for member, places in before.items()
        if member in after
        for topic, number in places
    )
