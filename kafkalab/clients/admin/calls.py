"""How does an administrator's wish become requests? A plan asks one question after the other, and
the loop sends them.

A plan is a generator: it yields a `PlannedRequest` (or a list of them, which go out side by side)
and is handed the answer (or the list). What it yields says to whom: any broker, the controller, or
a broker by its id. Kafka's counterparts are KafkaAdminClient.Call with its NodeProvider, and
AdminApiDriver.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Generator
from typing import Any

from kafkalab.clients.network.node import Node
from kafkalab.protocol.frozen import record

ANY = "any broker"
CONTROLLER = "the controller"

Target = str | int
"""ANY, CONTROLLER or a broker's id."""


@record
class PlannedRequest:
    """A question for somebody. name: the call, as a time-out names it."""

    name: str
    target: Target
    message: Any


@record
class Pause:
    """Wait before asking again: retry.backoff.ms. renew: ask for new metadata meanwhile."""

    renew: bool = False


Plan = Generator[Any, Any, Any]


class CallState(enum.Enum):
    """Where a call is. Each leads on to the next; a lost connection leads back to WAITING."""

    WAITING = "WAITING"
    """No node yet: the metadata does not tell, or the backoff has not passed."""
    ASSIGNED = "ASSIGNED"
    """A node is chosen; it leaves when the connection stands and owes no answer."""
    IN_FLIGHT = "IN_FLIGHT"
    """Sent."""
    ENDED = "ENDED"
    """Answered, or given up."""


TRANSITIONS = {
    CallState.WAITING: {CallState.ASSIGNED, CallState.ENDED},
    CallState.ASSIGNED: {CallState.WAITING, CallState.IN_FLIGHT, CallState.ENDED},
    CallState.IN_FLIGHT: {CallState.WAITING, CallState.ENDED},
    CallState.ENDED: set(),
}


class Call:
    """One question on its way. done: called once with the answer,
    or with the exception that ended it."""

    __slots__ = ("ask", "deadline_ms", "done", "node", "not_before_ms", "state", "tries")

    def __init__(self, ask: PlannedRequest, deadline_ms: int, done: Callable[[Any], None]) -> None:
        self.ask, self.deadline_ms, self.done = ask, deadline_ms, done
        self.state = CallState.WAITING
        self.node: Node | None = None
        self.tries = 0
        self.not_before_ms = 0

    def transition_to(self, after: CallState) -> None:
        assert after in TRANSITIONS[self.state], (
            f"call {self.ask.name}: {self.state} -> {after} is not in the table"
        )
        self.state = after

    def end(self, outcome: Any) -> None:
        self.transition_to(CallState.ENDED)
        self.done(outcome)
