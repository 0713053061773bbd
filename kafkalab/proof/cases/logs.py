"""Answers cases of partitions on brokers: the high watermark, the ISR, the next leader."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kafkalab.broker.cluster.elections import (
    NO_LEADER,
    Election,
    controlled_shutdown_election,
    offline_election,
    preferred_election,
)
from kafkalab.broker.replication.replica import (
    enough_in_sync,
    expands,
    high_watermark_of,
    shrinks,
    verdict_of_ack,
)
from kafkalab.errors import Errors
from kafkalab.proof.cases.entry import CannotAnswer, CaseEntry


def replication(entry: CaseEntry) -> dict[str, Any]:
    """The rules of Partition, each asked for itself: the high watermark, an answer to acks=all,
    who leaves and who joins the ISR."""
    given = entry.input
    if "leo" in given:
        return {"hw": high_watermark_of(given["leo"], given["isr"])}
    if "acks" in given:
        return {"result": _acknowledged(given)}
    if "ms_since_last_caught_up" in given:
        behind = given.get("follower_behind_by_messages", 0) > 0 or not given.get(
            "follower_leo_equals_leader", True
        )
        return {
            "shrunk": shrinks(
                not behind, given["ms_since_last_caught_up"], given["replica.lag.time.max.ms"]
            )
        }
    if "replica_leo" in given:
        return {
            "expanded": not given.get("in_isr", False)
            and expands(given["replica_leo"], given["leader_hw"], given["epoch_start_offset"])
        }
    raise CannotAnswer(
        "this case gives neither log ends, acks, a time behind, nor a replica's log end"
    )


def _acknowledged(given: Mapping[str, Any]) -> str:
    """The answer to a PRODUCE: refused at once, or what is said when
    the high watermark has come so far."""
    before = given.get("isr_size_at_append", given.get("isr_size", 1))
    min_isr = given.get("min.insync.replicas", 1)
    if str(given["acks"]) not in ("all", "-1"):
        return Errors.NONE.name  # acks=0 and 1 do not look at the ISR
    if not enough_in_sync(range(before), min_isr):
        return Errors.NOT_ENOUGH_REPLICAS.name
    verdict = verdict_of_ack(
        1 if given.get("hw_reaches_offset", True) else 0,
        1,
        given.get("isr_shrinks_to", before),
        min_isr,
    )
    return "waits" if verdict is None else verdict.name


def leader_election(entry: CaseEntry) -> dict[str, Any]:
    """Who leads after an election of that kind; nobody is None."""
    given = entry.input
    kind = str(given.get("kind", "offline"))
    assignment = given["assignment"]
    isr = given["isr"]
    live = given["live"]
    if kind.startswith("preferred"):
        found = Election(preferred_election(assignment, isr, live), tuple(isr))
    elif kind.startswith("controlled"):
        stopping = given.get("shutting_down", [int(number) for number in re.findall(r"\d+", kind)])
        found = controlled_shutdown_election(assignment, isr, live, stopping)
    else:
        found = offline_election(assignment, isr, live, given.get("unclean", False))
    kept = list(found.isr)
    return {
        "leader": None if found.leader == NO_LEADER else found.leader,
        "isr": kept,
        "isr_kept": kept,
        "unclean": found.unclean,
    }


ANSWERS = {
    "replication": replication,
    "leader_election": leader_election,
}
