"""Answers cases of groups at their coordinator: legal transitions, answers by state, the length of
a rebalance."""

from __future__ import annotations

import re
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.groups.classic.group_state import MOVES, ClassicGroupState
from kafkalab.broker.groups.offset_expiry import expired_offsets
from kafkalab.clients.consumer.assignors import MemberSubscription, assign
from kafkalab.errors import Errors
from kafkalab.proof.cases.entry import CannotAnswer, CaseEntry
from kafkalab.records import TopicPartition
from kafkalab.releases import broker_profile
from kafkalab.stories.group_case import JOINS_WITHOUT_ID, REBALANCE_MS, GroupCase

DAY_MS = 24 * 3_600_000
BROKER = "2.3"
"""Groups are answered as the coordinator of this release would; the entries restate its tests."""


def transition(entry: CaseEntry) -> dict[str, Any]:
    """Whether a group may go from one state to another."""
    return {
        "legal": ClassicGroupState(entry.input["to"])
        in MOVES[ClassicGroupState(entry.input["from"])]
    }


def heartbeat(entry: CaseEntry) -> dict[str, Any]:
    """What a member's HEARTBEAT is answered; it is a member of the
    current generation unless said otherwise."""
    given = entry.input
    static = given.get("static_instance")
    case = GroupCase(BROKER).bring_to(given["state"], instance="i1" if static else None)
    member = "a stranger" if given.get("member") in ("unknown", "evicted") else case.ids["alice"]
    generation = _generation(case, given.get("generation", "current"))
    if static and "taken over" in str(static):
        case.join("the new alice", instance="i1")
    return {"answer": case.beat(member, generation, "i1" if static else None).name}


def _generation(case: GroupCase, said: int | str) -> int:
    """A generation as an entry says it: a number, the current one, or one that is not."""
    if isinstance(said, int):
        return said
    current = case.group.generation
    words = {
        "current": 0,
        "newer": 1,
        "future": 1,
        "older": -1,
        "old": -1,
        "stale": -1,
        "previous": -1,
        "wrong": -1,
        "not current": -1,
    }
    if said not in words:
        raise CannotAnswer(f"a generation is a number or one of {', '.join(words)}, not {said!r}")
    return current + words[said]


def commit(entry: CaseEntry) -> dict[str, Any]:
    """What an OFFSET_COMMIT is answered."""
    given = entry.input
    if "producer_id" in given:
        raise CannotAnswer(
            "a transaction's commit goes by TXN_OFFSET_COMMIT, which has rules of its own"
        )
    case = GroupCase(BROKER).bring_to(given["state"])
    who = given.get("member", "known")
    member = {"": "", "known": case.ids["alice"]}.get(who, "a stranger")
    return {
        "broker": case.commit(member, _generation(case, given.get("generation", "current"))).name
    }


def offset_expiry(entry: CaseEntry) -> dict[str, Any]:
    """Whether an offset is too old, so many days after its commit or after the group became
    empty."""
    given, about = entry.input, str(entry.input["group"])
    case = GroupCase(BROKER)
    if "standalone" in about:
        case.commit("", -1)
    else:
        case.bring_to("Stable")
        case.commit(case.ids["alice"], case.group.generation)
        if about.startswith("Empty"):
            case.leave("alice")
    stated = re.search(r"([\d.]+) days", about)
    days = float(stated.group(1)) if stated else given.get("days_since_commit")
    if days is None:
        raise CannotAnswer(
            'say how many days have passed: "Empty for 7 days", or days_since_commit'
        )
    retention_ms = (
        given.get("offsets.retention.minutes", BrokerConfig().offsets_retention_minutes) * 60_000
    )
    expired = expired_offsets(
        case.group,
        case.lab.now_ms + round(days * DAY_MS),
        retention_ms,
        broker_profile(BROKER).expires_unsubscribed_topics,
    )
    return {"expired": bool(expired)}


def join_answer(entry: CaseEntry) -> dict[str, Any]:
    """What a JOIN_GROUP is answered: an error's name, or what becomes of the group."""
    given = entry.input
    version = given.get("version", JOINS_WITHOUT_ID + 1)
    instance = given.get("group_instance_id")
    who = str(given.get("member", ""))
    case = GroupCase(BROKER)
    member_id, session_ms = given.get("member_id", ""), given.get("session_timeout_ms", 10_000)
    if "state" in given:
        instance = "i1" if "static" in who else instance
        case.bring_to(given["state"], instance=instance)
        known = "rejoins" in who or "unchanged" in who
        member_id = case.ids["alice"] if known else member_id
    metadata = b"changed" if "changed" in who and "unchanged" not in who else b""
    generation = case.group.generation if case.has_group else None
    answer = case.join(
        "newcomer", member_id, instance, version if instance is None else None, session_ms, metadata
    )
    if answer is None:
        return {"answer": "rebalance" if "state" in given else "accepted at once"}
    if (
        answer.error_code == Errors.NONE.code
        and generation is not None
        and answer.generation_id == generation
    ):
        return {"answer": "the present generation, no rebalance"}
    return {"answer": next(error.name for error in Errors if error.code == answer.error_code)}


def initial_delay(entry: CaseEntry) -> dict[str, Any]:
    """When the first rebalance of a new group ends, its members joining at these times; never later
    than their rebalance timeout, which is their max.poll.interval.ms."""
    given = entry.input
    rebalance_ms = next(
        (value for key, value in given.items() if _is_rebalance_timeout(key)), REBALANCE_MS
    )
    settings = (
        {"group.initial.rebalance.delay.ms": given["delay_ms"]} if "delay_ms" in given else None
    )
    case = GroupCase(BROKER, settings)
    first_ms = case.lab.now_ms
    for number in range(len(given["joins_at_ms"])):
        case.client(f"member-{number}")
    begin_ms = case.lab.now_ms
    for number, at_ms in enumerate(sorted(given["joins_at_ms"])):
        case.lab.run_for(ms=max(0, begin_ms + at_ms - case.lab.now_ms))
        case.join(f"member-{number}", rebalance_timeout_ms=rebalance_ms)
    case.lab.run_until(
        lambda: case.group.generation > 0 and case.state != "PreparingRebalance", timeout_ms=600_000
    )
    moves = [
        event
        for event in case.lab.journal.of("state")
        if event.fields.get("group") == "inventory" and event.at_ms >= first_ms
    ]
    began = next(event.at_ms for event in moves if event.after == "PreparingRebalance")
    ended = next(event.at_ms for event in moves if event.after == "CompletingRebalance")
    return {"completes_at_ms": ended - began}


def _is_rebalance_timeout(key: str) -> bool:
    words = key.replace(".", "_").replace("-", "_")
    return "rebalance_timeout" in words or "max_poll_interval" in words


def assignment(entry: CaseEntry) -> dict[str, Any]:
    """What the leader of a group gives to each member. A member's `owned` may name the
    generation in which it got it."""
    given = entry.input
    members = {
        name: MemberSubscription(
            topics=tuple(member.get("topics", ())),
            owned=None if "owned" not in member else tuple(map(_partition, member["owned"])),
            generation=member.get("generation", 1 if member.get("owned") else None),
            instance_id=member.get("instance_id", member.get("group_instance_id")),
            rack_id=member.get("rack"),
        )
        for name, member in given["members"].items()
    }
    found = assign(given["assignor"], entry.profile, given["topic_partitions"], members)
    return {
        name: [f"{tp.topic}-{tp.partition}" for tp in partitions]
        for name, partitions in found.items()
    }


def _partition(text: str) -> TopicPartition:
    topic, _, number = str(text).rpartition("-")
    return TopicPartition(topic, int(number))


ANSWERS = {
    "assignor": assignment,
    "group_transition": transition,
    "heartbeat": heartbeat,
    "offset_expiry": offset_expiry,
    "offset_commit": commit,
    "join_group": join_answer,
    "initial_rebalance_delay": initial_delay,
}
