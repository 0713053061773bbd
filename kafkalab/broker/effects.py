"""Effects: the values by which a machine says what the shell has to do.

A machine of this package takes (request, caller, now_ms) and returns a list of these values.
`kafkalab.broker.shell.broker` carries them out in the order given. The idea is "sans-IO": what
cannot be seen cannot be forgotten in a test.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from kafkalab.protocol.header import RequestHeader

TimerKey = tuple[Any, ...]
"""The name of a timer: which alarm it is and what it is about: ("session", group, member)."""


class Caller(NamedTuple):
    """Who asked, and in which words. Machines keep it while a request is parked and hand it back
    with the answer.

    client  whose luck is drawn on, e.g. for a member id: the client's name in the lab
    """

    connection_id: str
    client: str
    header: RequestHeader


class Respond(NamedTuple):
    """Answer `to`. A response of None ends the request without an answer (PRODUCE with acks=0)."""

    to: Caller
    response: Any


class SetTimer(NamedTuple):
    """Call the machine's on_timer(key) at that time;
    an earlier timer of the same key is forgotten."""

    key: TimerKey
    at_ms: int


class CancelTimer(NamedTuple):
    """Forget the timer of that key; harmless when there is none."""

    key: TimerKey


class Note(NamedTuple):
    """Write an event of that kind into the journal."""

    kind: str
    fields: dict[str, Any]


class Appended(NamedTuple):
    """A partition's readable end moved: whoever waits for its records may look again."""

    topic: str
    partition: int


class Grown(NamedTuple):
    """A partition with followers has records that they lack."""

    topic: str
    partition: int


class ToBroker(NamedTuple):
    """Say something to another broker.

    message  a value of peer_messages; None wants what is parked there for this broker back when its
             time is up
    parks    a fetch of which it is known that the leader has nothing to say: nobody watches it
             arrive
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
    """The process ends itself at once, because `why`:
    what a broker does whose only log directory has failed."""

    why: str


class Disconnect(NamedTuple):
    """Close the caller's connection: what a broker does with a request it cannot read."""

    to: Caller


class AskBroker(NamedTuple):
    """Send a request to another broker (or to this one) and give the machine's on_reply(tag,
    response) what comes back; None when the connection was lost, or could not be made. The tag's
    first part names the machine, as a timer's key does."""

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
