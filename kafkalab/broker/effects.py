"""Effects: the values that a machine returns to say what the shell does next.

A machine of this package takes (request, caller, now_ms) and returns a list of these values.
`kafkalab.broker.shell.broker` carries them out in the order given. This design is called sans-IO: a
test sees every output of a machine. Kafka's handlers in KafkaApis act on the network and the
purgatories directly instead.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kafkalab.protocol.header import RequestHeader

TimerKey = tuple[Any, ...]
"""The name of a timer: which alarm it is and what it is about: ("session", group, member)."""


class Caller(NamedTuple):
    """The connection, the client and the header of a request (RequestChannel.Request). Machines
    keep it while a request is parked and return it with the answer.

    client  the client's name in the lab; random values, e.g. a member id, come from its streams
    """

    connection_id: str
    client: str
    header: RequestHeader


class Respond(NamedTuple):
    """Send the answer to the caller `to`. A response of None ends the request without an answer
    (PRODUCE with acks=0)."""

    to: Caller
    response: Any


class SetTimer(NamedTuple):
    """Call the machine's on_timer(key) at that time. It replaces an earlier timer of the same
    key."""

    key: TimerKey
    at_ms: int


class CancelTimer(NamedTuple):
    """Cancel the timer of that key; without such a timer it does nothing."""

    key: TimerKey


class Note(NamedTuple):
    """Write an event of that kind into the journal."""

    kind: str
    fields: dict[str, Any]

    @classmethod
    def of(cls, kind: str, /, **fields: Any) -> Note:
        """The note with these fields."""
        return cls(kind, fields)


class Appended(NamedTuple):
    """A partition's readable end has moved, so parked fetches are checked again."""

    topic: str
    partition: int


class Grown(NamedTuple):
    """A partition's leader has records that its followers do not have."""

    topic: str
    partition: int


class ToBroker(NamedTuple):
    """Send a message to another broker.

    message  a value of peer_messages; None asks for the fetch that is parked there to return at the
             end of its round
    parks    True for a fetch to which the leader has nothing to answer yet: its arrival is no event
    """

    broker: int
    message: Any
    parks: bool = False


class ChangeIsr(NamedTuple):
    """Ask the controller (2.7 on; before, ZooKeeper) to make these the in-sync replicas."""

    topic: str
    partition: int
    isr: tuple[int, ...]


class Halt(NamedTuple):
    """End the process at once, for the reason `why`. A broker does this when its only log directory
    has failed."""

    why: str


class Disconnect(NamedTuple):
    """Close the caller's connection. A broker does this when it cannot read a request."""

    to: Caller


class AskBroker(NamedTuple):
    """Send a request to another broker, or to this one, and call on_reply(tag, response).

    The response is None when the connection was lost or could not be made. The tag's first part
    names the machine, like the first part of a timer's key."""

    broker: int
    request: Any
    tag: tuple[Any, ...]


Effect = (
    AskBroker
    | Respond
    | SetTimer
    | CancelTimer
    | Note
    | Appended
    | Grown
    | ToBroker
    | ChangeIsr
    | Halt
    | Disconnect
)
