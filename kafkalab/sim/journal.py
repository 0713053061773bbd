"""What happened, and because of what? An append-only list of typed events.

Machines write here; views, checks, graders and `Lab.why` only read. An event knows the id of the event that caused it, so
any socket, request or line can be followed back to the call that began it all.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from kafkalab.sim.scheduler import Scheduler


class Event:
    """One entry: id, at_ms (virtual time), kind, who (client name or broker-N), cause (an event's id or None), fields."""

    __slots__ = ("id", "at_ms", "kind", "who", "cause", "fields")

    def __init__(self, id: int, at_ms: int, kind: str, who: str, cause: int | None, fields: dict[str, Any]):
        self.id, self.at_ms, self.kind, self.who, self.cause, self.fields = id, at_ms, kind, who, cause, fields

    def __getattr__(self, name: str) -> Any:
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(f"a {self.kind!r} event has no {name!r}; it has {', '.join(self.fields)}") from None

    def __repr__(self) -> str:
        shown = " ".join(f"{k}={v}" for k, v in self.fields.items() if k != "text")
        return f"{self.at_ms:>7} ms  #{self.id} {self.who} {self.kind} {shown}"


STEPS_SHOWN = 12
"""A printed chain moves this many steps to the right, and then straight down: a page is only so wide."""


class Chain(list[Event]):
    """Events, each the cause of the next, oldest first; it prints as a staircase."""

    def __repr__(self) -> str:
        return "\n".join(f"{'  ' * min(depth, STEPS_SHOWN)}{'-> ' if depth else ''}{event!r}" for depth, event in enumerate(self))


class Journal:
    """Everything that happened, in order. An event's id is its place in `events`."""

    def __init__(self, clock: Scheduler) -> None:
        self.events: list[Event] = []
        self._clock = clock

    def append(self, kind: str, who: str, **fields: Any) -> Event:
        clock = self._clock
        event = Event(len(self.events), clock.now_ms, kind, who, clock.cause, fields)
        self.events.append(event)
        return event

    @property
    def cause(self) -> int | None:
        """The id of the event in whose name code is running now."""
        return self._clock.cause

    @cause.setter
    def cause(self, event_id: int | None) -> None:
        self._clock.cause = event_id

    @contextmanager
    def because(self, event: Event) -> Iterator[None]:
        """What is written inside was caused by `event`."""
        before, self._clock.cause = self._clock.cause, event.id
        try:
            yield
        finally:
            self._clock.cause = before

    def of(self, *kinds: str) -> Iterator[Event]:
        return (event for event in self.events if event.kind in kinds)

    def why(self, event: Event | int) -> Chain:
        """The chain of causes that ends in `event`, oldest first. Raises IndexError for an id that does not exist."""
        here = self.events[event] if isinstance(event, int) else event
        chain = Chain([here])
        while here.cause is not None:
            here = self.events[here.cause]
            chain.append(here)
        chain.reverse()
        return chain
