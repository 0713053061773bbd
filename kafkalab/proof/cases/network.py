"""Answers cases of sockets and nodes: idle closes, reconnects, and the node that is asked."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from typing import Any, cast

from kafkalab.clients.network.connection_states import ClusterConnectionStates
from kafkalab.clients.network.idle_expiry import IdleExpiry
from kafkalab.clients.network.least_loaded import RULES as LEAST_LOADED
from kafkalab.clients.network.least_loaded import NodeLoad
from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.network.node_maker import node_maker
from kafkalab.config.client_config import ConsumerConfig
from kafkalab.proof.cases.entry import CannotAnswer, CaseEntry
from kafkalab.releases import profile_of
from kafkalab.sim.journal import Journal
from kafkalab.sim.scheduler import Scheduler

STEP = re.compile(r"(?:u:(?P<id>[^@\s]+)|p)@(?P<at_ms>\d+)(?::\S+)?")
"""`u:a@900`: socket a was used at 900 ms; `p@1001`: a poll ended at 1001 ms."""

RULES = {"<=2.2": "2.2", "2.3-2.6": "2.3", ">=2.7": "2.8"}
"""A range of versions -> a client of it, for the rule by which it takes the least loaded node."""


FIRST_WITH_SETUP_TIMEOUT = "2.8"


class Luck(random.Random):
    """A stream of chance that always draws the same factor: the least, the middle or the most."""

    def __init__(self, at: float) -> None:
        super().__init__(0)
        self.at = at

    def uniform(self, a: float, b: float) -> float:
        return a + (b - a) * self.at


def idle_sockets(entry: CaseEntry) -> dict[str, Any]:
    """A life of sockets in the small language of STEP, the idle limit in front of it;
    polls may be listed apart."""
    given = entry.input
    limit, _, story = str(given["max_idle_ms_then_updates"]).partition(" ")
    steps = [(int(step["at_ms"]), step["id"]) for step in STEP.finditer(story)]
    polls = [
        int(re.sub(r"\D*(\d+).*", r"\1", str(poll)))
        for poll in given.get("polls", given.get("polls_at_ms", ()))
    ]
    polls += [at_ms for at_ms, id in steps if id is None]
    polls = polls or list(entry.moments)
    uses = [(at_ms, id) for at_ms, id in steps if id is not None]
    idle, answers = IdleExpiry(int(limit), 0), []
    for at_ms, _, id in sorted(
        [(at_ms, 0, id) for at_ms, id in uses]
        + [(at_ms, 1, None) for at_ms in polls or _telling(uses, int(limit))],
        key=lambda step: step[:2],
    ):
        if id is not None:
            idle.used(id, at_ms)
            continue
        closed = idle.expired(at_ms)
        if closed is not None:
            idle.forget(closed)
        answers.append(f"p@{at_ms}:{closed}")
    return {"polls": answers}


def _telling(uses: list[tuple[int, str]], limit_ms: int) -> list[int]:
    """Where no poll is given: the last moment at which each socket may stay,
    and the first at which it may not."""
    if limit_ms < 0:
        return [at_ms for at_ms, _ in uses]
    last = {id: at_ms for at_ms, id in uses}
    polls: list[int] = []
    for at_ms in sorted(last.values()):
        polls += [
            poll
            for poll in (at_ms + limit_ms, at_ms + limit_ms + 1)
            if poll not in polls or poll > at_ms + limit_ms
        ]
    return polls


def backoff(entry: CaseEntry) -> dict[str, Any]:
    """How long a node is left alone after so many failures in a row."""
    given = entry.input
    waits = [
        _states(entry, given, at, given["consecutive_failures"]).nodes["0"].backoff_ms
        for at in (0.0, 0.5, 1.0)
    ]
    return {"base_ms": waits[1], "range_ms": [waits[0], waits[2]]}


def setup_timeout(entry: CaseEntry) -> dict[str, Any]:
    """How long the next attempt to connect may take (KIP-601) after so many failed ones."""
    given = entry.input
    waits = [
        _setup_timeout_ms(_states(entry, given, at, given["failed_connect_attempts"], trying=True))
        for at in (0.0, 0.5, 1.0)
    ]
    return {"base_ms": waits[1], "jitter": round((waits[2] - waits[1]) / waits[1], 3)}


def _setup_timeout_ms(states: ClusterConnectionStates) -> int:
    found = states.setup_timeout_ms("0")
    assert found is not None, "the release has this timeout, or one that has it was taken"
    return found


def _states(
    entry: CaseEntry, given: Mapping[str, Any], luck: float, failures: int, trying: bool = False
) -> ClusterConnectionStates:
    """The states of a client one of whose nodes has failed `failures` times; `trying`:
    and is being tried again."""
    keys = {key: value for key, value in given.items() if "." in key}
    config = ConsumerConfig.for_version(entry.version, keys)
    if trying and "socket.connection.setup.timeout.ms" not in config:
        config = ConsumerConfig.for_version(FIRST_WITH_SETUP_TIMEOUT, keys)
    clock = Scheduler()
    states = ClusterConnectionStates(
        config,
        entry.profile.connecting.jitter_inside_cap,
        Luck(luck),
        Luck(luck),
        Journal(clock),
        "client",
    )
    for _ in range(failures):
        states.connecting("0", clock.now_ms)
        states.disconnected("0", clock.now_ms)
    if trying or not failures:
        states.connecting("0", clock.now_ms)
    return states


def least_loaded(entry: CaseEntry) -> dict[str, Any]:
    """Which node each version's rule takes, the walk beginning at `random_offset`."""
    given = entry.input
    nodes, start = given["nodes_in_list_order"], given.get("random_offset", 0)
    attempts = {int(id): at_ms for id, at_ms in given.get("last_attempt_ms", {}).items()}
    loads = [
        _load(nodes[(start + step) % len(nodes)], given.get("metadata_update_due", False), attempts)
        for step in range(len(nodes))
    ]
    found = {}
    log = cast(LogContext, _silent)  # a rule only calls it
    for span, version in RULES.items():
        node = LEAST_LOADED[profile_of(version)[0].connecting.least_loaded](loads, log)
        found[span] = None if node is None else node.id
    return found


def _load(node: Mapping[str, Any], refresh_due: bool, attempts: Mapping[int, int]) -> NodeLoad:
    state, id = node.get("state", "NONE"), node["id"]
    if state not in "NONE DISCONNECTED CONNECTING CHECKING_API_VERSIONS READY BACKOFF".split():
        raise CannotAnswer(
            f"a node is NONE, CONNECTING, CHECKING_API_VERSIONS, READY or in BACKOFF, not {state!r}"
        )
    return NodeLoad(
        node_maker(profile_of("2.3")[0])(id, "localhost", 9092, None),
        is_ready=state == "READY" and not refresh_due,
        can_send=state == "READY",
        is_preparing=state in ("CONNECTING", "CHECKING_API_VERSIONS"),
        can_connect=state in ("NONE", "DISCONNECTED"),
        is_blacked_out=state == "BACKOFF",
        in_flight=node.get("inflight", 0),
        last_attempt_ms=attempts.get(id, 0),
    )


def _silent(name: str, **values: Any) -> None:
    """Drops the lines that a rule writes while it looks."""


ANSWERS = {
    "idle_expiry": idle_sockets,
    "reconnect_backoff": backoff,
    "connection_setup_timeout": setup_timeout,
    "least_loaded_node": least_loaded,
}
