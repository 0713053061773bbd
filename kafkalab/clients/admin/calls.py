"""Calls of the admin client: plans that yield requests, and the state of each request.

A plan is a generator. It yields a `PlannedRequest` (or a list of them, which are sent side by side)
and receives the answer (or the list). Each request names its target: any broker, the controller, or
a broker by its id. Kafka's counterparts are KafkaAdminClient.Call with its NodeProvider, and
AdminApiDriver.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Generator
from typing import Any

from kafkalab.clients.network.node import Node
from kafkalab.moves import moves_of
from kafkalab.protocol.frozen import record

ANY = "any broker"
CONTROLLER = "the controller"

Target = str | int
"""ANY, CONTROLLER or a broker's id."""


@record
class PlannedRequest:
    """A request and its target. name: the call, as a time-out names it."""

    name: str
    target: Target
    message: Any


@record
class Pause:
    """Waits retry.backoff.ms before the next request. renew: asks for new metadata during the
    wait."""

    renew: bool = False


Plan = Generator[Any, Any, Any]


class CallState(enum.Enum):
    """The states of a call. Each leads to the next one; a lost connection leads back to WAITING."""

    WAITING = "WAITING"
    """No node is chosen: the metadata has none, or the backoff has not passed."""
    ASSIGNED = "ASSIGNED"
    """A node is chosen; the request leaves when the connection is ready and has no unanswered
    one."""
    IN_FLIGHT = "IN_FLIGHT"
    """Sent."""
    ENDED = "ENDED"
    """Answered, or failed."""


MOVES = moves_of(
    CallState,
    "WAITING -> ASSIGNED ENDED",
    "ASSIGNED -> WAITING IN_FLIGHT ENDED",
    "IN_FLIGHT -> WAITING ENDED",
    "ENDED ->",
)


class Call:
    """One request that is under way. done: called once with the answer, or with the exception that
    ended it."""

    __slots__ = ("ask", "deadline_ms", "done", "node", "not_before_ms", "state", "tries")

    def __init__(self, ask: PlannedRequest, deadline_ms: int, done: Callable[[Any], None]) -> None:
        self.ask, self.deadline_ms, self.done = ask, deadline_ms, done
        self.state = CallState.WAITING
        self.node: Node | None = None
        self.tries = 0
        self.not_before_ms = 0

    def transition_to(self, after: CallState) -> None:
        self.state = MOVES.step(self.state, after, "call", self.ask.name)

    def end(self, outcome: Any) -> None:
        self.transition_to(CallState.ENDED)
        self.done(outcome)
