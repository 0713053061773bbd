"""ClusterConnectionStates: the state of each connection and its reconnect backoff
(org.apache.kafka.clients.ClusterConnectionStates).

    (none) -> CONNECTING -> CHECKING_API_VERSIONS -> READY;  any -> DISCONNECTED -> CONNECTING

Reconnect backoff is exponential: reconnect.backoff.ms * 2**(failures - 1), at most
reconnect.backoff.max.ms, times a random factor 0.8..1.2 (KIP-144). Whether the factor is applied
before or after the cap differs by version (KIP-580). An attempt that is neither connected nor
refused ends after socket.connection.setup.timeout.ms, which doubles with each failed attempt in a
row (KIP-601).
"""

from __future__ import annotations

import enum
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from kafkalab.moves import moves_of
from kafkalab.sim.journal import Journal


class ConnectionState(enum.Enum):
    """The states of a connection (org.apache.kafka.clients.ConnectionState)."""

    CONNECTING = "CONNECTING"
    """TCP is being set up. Next: CHECKING_API_VERSIONS when it is connected, DISCONNECTED when
    refused or timed out."""
    CHECKING_API_VERSIONS = "CHECKING_API_VERSIONS"
    """ApiVersions was sent; no other request may be. Next: READY on its answer."""
    READY = "READY"
    """Requests may be sent. Resets the backoff."""
    DISCONNECTED = "DISCONNECTED"
    """Closed by either side, for any reason. May be CONNECTING again when its backoff has
    passed."""


MOVES = moves_of(
    ConnectionState,
    "(none) -> CONNECTING",
    "CONNECTING -> CHECKING_API_VERSIONS DISCONNECTED",
    "CHECKING_API_VERSIONS -> READY DISCONNECTED",
    "READY -> DISCONNECTED",
    "DISCONNECTED -> CONNECTING",
)


@dataclass(slots=True)
class NodeConnection:
    """The state of one connection. failures: disconnects in a row since it was last READY;
    failed_attempts: those of them that were never connected."""

    state: ConnectionState
    last_attempt_ms: int
    failures: int = 0
    backoff_ms: int = 0
    failed_attempts: int = 0
    setup_timeout_ms: int | None = None
    purposes: list[str] = field(default_factory=list)


def exponential_ms(
    rng: random.Random, base_ms: int, cap_ms: int, attempts: int, jitter_inside_cap: bool
) -> int:
    """base * 2**attempts, capped, with 20 % of jitter either way
    (org.apache.kafka.common.utils.ExponentialBackoff)."""
    factor = rng.uniform(0.8, 1.2)
    if jitter_inside_cap:
        # a float holds 2**1023 at most; the cap is reached much earlier
        return int(min(base_ms * 2 ** min(attempts, 40) * factor, cap_ms))
    return int(min(base_ms * 2 ** min(attempts, 40), cap_ms) * factor)


class ClusterConnectionStates:
    """All connections of one client, by connection id.

    down       those that are DISCONNECTED; mostly none
    throttled_until_ms  when those that a broker throttles may be used again
    setup_rng  a stream of its own for the set-up time-outs; clients before 2.7 leave these to the
               operating system
    """

    def __init__(
        self,
        config: Mapping[str, Any],
        jitter_inside_cap: bool,
        rng: random.Random,
        setup_rng: random.Random,
        journal: Journal,
        who: str,
    ) -> None:
        self.nodes: dict[str, NodeConnection] = {}
        self.down: dict[str, None] = {}
        self.throttled_until_ms: dict[str, int] = {}
        self._connecting: dict[str, None] = {}
        first_ms = config.get("socket.connection.setup.timeout.ms")
        self._setup_ms = (
            None
            if first_ms is None
            else (first_ms, config["socket.connection.setup.timeout.max.ms"])
        )
        self._setup_rng, self._rng = setup_rng, rng
        self._base_ms: int = config["reconnect.backoff.ms"]
        self._max_ms: int = config["reconnect.backoff.max.ms"]
        self._inside = jitter_inside_cap
        self._journal, self._who = journal, who

    def state(self, id: str) -> ConnectionState | None:
        node = self.nodes.get(id)
        return node.state if node else None

    def is_ready(self, id: str) -> bool:
        node = self.nodes.get(id)
        return node is not None and node.state is ConnectionState.READY

    def throttle(self, id: str, until_ms: int) -> None:
        """Send nothing to `id` until then."""
        self.throttled_until_ms[id] = max(until_ms, self.throttled_until_ms.get(id, 0))

    def throttle_delay_ms(self, id: str, now_ms: int) -> int:
        """How long nothing may be sent to `id` from now on; 0 where it is not throttled."""
        return max(0, self.throttled_until_ms.get(id, 0) - now_ms)

    def is_connecting(self, id: str) -> bool:
        return self.state(id) is ConnectionState.CONNECTING

    def is_preparing(self, id: str) -> bool:
        return self.state(id) in (ConnectionState.CONNECTING, ConnectionState.CHECKING_API_VERSIONS)

    def is_disconnected(self, id: str) -> bool:
        return id in self.down

    def can_connect(self, id: str, now_ms: int) -> bool:
        node = self.nodes.get(id)
        return node is None or (
            node.state is ConnectionState.DISCONNECTED
            and now_ms - node.last_attempt_ms >= node.backoff_ms
        )

    def is_blacked_out(self, id: str, now_ms: int) -> bool:
        if id not in self.down:
            return False
        node = self.nodes[id]
        return now_ms - node.last_attempt_ms < node.backoff_ms

    def last_attempt_ms(self, id: str) -> int:
        node = self.nodes.get(id)
        return node.last_attempt_ms if node else 0

    def delay_ms(self, id: str, now_ms: int) -> int | None:
        """How long until `id` may change its state by waiting; None: only an event can change
        it."""
        node = self.nodes.get(id)
        if node is None:
            return 0
        if node.state is ConnectionState.DISCONNECTED:
            return max(0, node.backoff_ms - (now_ms - node.last_attempt_ms))
        return None

    def connecting(self, id: str, now_ms: int) -> None:
        node = self.nodes.get(id)
        if node is None:
            self.nodes[id] = NodeConnection(ConnectionState.CONNECTING, now_ms)
            self._journal.append(
                "state", self._who, machine=f"connection {id}", before=None, after="CONNECTING"
            )
        else:
            self._transition_to(id, ConnectionState.CONNECTING)
            node.last_attempt_ms = now_ms
        self._connecting[id] = None
        if self._setup_ms is not None:
            first_ms, most_ms = self._setup_ms
            node = self.nodes[id]
            node.setup_timeout_ms = exponential_ms(
                self._setup_rng, first_ms, most_ms, node.failed_attempts, self._inside
            )

    def setup_timeout_ms(self, id: str) -> int | None:
        """How long the attempt under way may take; None for no limit."""
        return self.nodes[id].setup_timeout_ms

    def stuck(self, now_ms: int) -> list[str]:
        """Connections that have been CONNECTING for longer than they may
        (nodesWithConnectionSetupTimeout)."""
        if not self._connecting:
            return []
        return [
            id
            for id in self._connecting
            if (limit_ms := self.nodes[id].setup_timeout_ms) is not None
            and now_ms - self.nodes[id].last_attempt_ms > limit_ms
        ]

    def setup_ends_at(self, at_ms: int) -> bool:
        """Whether `at_ms` is the limit of a connection's set-up."""
        if not self._connecting or self._setup_ms is None:
            return False
        return any(
            (limit_ms := self.nodes[id].setup_timeout_ms) is not None
            and self.nodes[id].last_attempt_ms + limit_ms == at_ms
            for id in self._connecting
        )

    def checking_api_versions(self, id: str) -> None:
        self._transition_to(id, ConnectionState.CHECKING_API_VERSIONS)
        self.nodes[id].failed_attempts = 0

    def ready(self, id: str) -> None:
        self._transition_to(id, ConnectionState.READY)
        self.nodes[id].failures = 0
        self.nodes[id].backoff_ms = self._base_ms

    def disconnected(self, id: str, now_ms: int) -> None:
        node = self.nodes[id]
        if node.state is ConnectionState.CONNECTING:
            node.failed_attempts += 1
        if node.state is not ConnectionState.DISCONNECTED:
            self._transition_to(id, ConnectionState.DISCONNECTED)
        node.last_attempt_ms = now_ms
        node.backoff_ms = exponential_ms(
            self._rng, self._base_ms, self._max_ms, node.failures, self._inside
        )
        node.failures += 1

    def remove(self, id: str) -> None:
        for connections in (self.nodes, self._connecting, self.down, self.throttled_until_ms):
            connections.pop(id, None)

    def any_connecting(self, ids: Iterable[str]) -> bool:
        return any(self.is_connecting(id) for id in ids)

    def _transition_to(self, id: str, after: ConnectionState) -> None:
        node = self.nodes[id]
        MOVES.step(node.state, after, "connection", id)
        self._journal.append(
            "state",
            self._who,
            machine=f"connection {id}",
            before=node.state.value,
            after=after.value,
        )
        node.state = after
        if after is ConnectionState.DISCONNECTED:
            self.down[id] = None
        else:
            self.down.pop(id, None)
        if after is not ConnectionState.CONNECTING:
            self._connecting.pop(id, None)
