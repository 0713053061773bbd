"""What happened, and because of what? An append-only list of typed events.

Machines write here; views, checks, graders and `Lab.why` only read. An event knows the id of the
event that caused it, so any socket, request or line can be followed back to the call that began it
all.

Much is written and little of it read, so writing keeps just the values, in a tuple; an `Event` is
made when somebody looks. What an event of a kind costs more than that, the text of a line for
instance, may wait as well: see `Wording`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, overload

from kafkalab.sim.chain import Chain
from kafkalab.sim.scheduler import Scheduler


class Wording(Protocol):
    """How events that are kept as bare values tell what they hold, when they are read."""

    kind: str

    def fields(self, values: Any) -> dict[str, Any]: ...


class Event:
    """One entry: id, at_ms (virtual time), kind, who (client name or broker-N),
    cause (an event's id or None), fields."""

    __slots__ = ("_fields", "_wording", "at_ms", "cause", "id", "kind", "who")

    def __init__(
        self,
        id: int,
        at_ms: int,
        kind: str,
        who: str,
        cause: int | None,
        fields: Any,
        wording: Wording | None = None,
    ):
        self.id, self.at_ms, self.kind, self.who, self.cause = id, at_ms, kind, who, cause
        self._fields, self._wording = fields, wording

    @property
    def fields(self) -> Mapping[str, Any]:
        """What the event has to tell; made when first looked at
        where its kind is kept as bare values."""
        if self._wording is not None:
            self._fields, self._wording = self._wording.fields(self._fields), None
        fields: Mapping[str, Any] = self._fields
        return fields

    def __getattr__(self, name: str) -> Any:
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(
                f"a {self.kind!r} event has no {name!r}; it has {', '.join(self.fields)}"
            ) from None

    def __eq__(self, other: object) -> bool:
        """The same entry, in the same words."""
        if not isinstance(other, Event):
            return NotImplemented
        return (self.id, self.at_ms, self.kind, self.who, self.cause) == (
            other.id,
            other.at_ms,
            other.kind,
            other.who,
            other.cause,
        ) and self.fields == other.fields

    def __hash__(self) -> int:
        return self.id

    def __repr__(self) -> str:
        shown = " ".join(f"{k}={v}" for k, v in self.fields.items() if k != "text")
        return f"{self.at_ms:>7} ms  #{self.id} {self.who} {self.kind} {shown}"


class Events(Sequence[Event]):
    """All entries of a journal, in order; an event's id is its place. A list to all who read."""

    __slots__ = ("_kept",)

    def __init__(self, kept: list[tuple[Any, ...]]) -> None:
        self._kept = kept

    def __len__(self) -> int:
        return len(self._kept)

    @overload
    def __getitem__(self, index: int) -> Event: ...
    @overload
    def __getitem__(self, index: slice) -> list[Event]: ...

    def __getitem__(self, index: int | slice) -> Event | list[Event]:
        if isinstance(index, slice):
            return [_event(id, self._kept[id]) for id in range(*index.indices(len(self._kept)))]
        return _event(index if index >= 0 else len(self._kept) + index, self._kept[index])

    def __iter__(self) -> Iterator[Event]:
        return map(_event, range(len(self._kept)), self._kept)

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, (Events, list)) else NotImplemented

    def __repr__(self) -> str:
        return repr(list(self))


class Because:
    """What is written inside this `with` was caused by one event."""

    __slots__ = ("_before", "_clock", "_event_id")

    def __init__(self, clock: Scheduler, event_id: int) -> None:
        self._clock, self._event_id = clock, event_id

    def __enter__(self) -> None:
        self._before, self._clock.cause = self._clock.cause, self._event_id

    def __exit__(self, *error: object) -> None:
        self._clock.cause = self._before


class Journal:
    """Everything that happened, in order.

    events  to read; an event's id is its place here
    kept    the same as it is written: (at_ms, kind or Wording, who, cause, fields or values);
            `note` and the writers of lines append to it
    """

    __slots__ = ("clock", "events", "kept")

    def __init__(self, clock: Scheduler) -> None:
        self.kept: list[tuple[Any, ...]] = []
        self.events = Events(self.kept)
        self.clock = clock

    def append(self, kind: str, who: str, **fields: Any) -> Event:
        """Write an event down and show it."""
        clock, id = self.clock, len(self.kept)
        self.kept.append((clock.now_ms, kind, who, clock.cause, fields))
        return Event(id, clock.now_ms, kind, who, clock.cause, fields)

    def note(self, kind: str, who: str, **fields: Any) -> int:
        """Write an event down; its id is all that most who write need."""
        clock, kept = self.clock, self.kept
        kept.append((clock.now_ms, kind, who, clock.cause, fields))
        return len(kept) - 1

    def write(self, kind: str, who: str, fields: dict[str, Any]) -> None:
        """As `note`, for fields that are a dict already, which stays the journal's."""
        self.kept.append((self.clock.now_ms, kind, who, self.clock.cause, fields))

    @property
    def cause(self) -> int | None:
        """The id of the event in whose name code is running now."""
        return self.clock.cause

    @cause.setter
    def cause(self, event_id: int | None) -> None:
        self.clock.cause = event_id

    def because(self, event: Event | int) -> Because:
        """What is written inside was caused by `event` (or the event of that id)."""
        return Because(self.clock, event if isinstance(event, int) else event.id)

    def of(self, *kinds: str) -> Iterator[Event]:
        for id, kept in enumerate(self.kept):
            kind = kept[1]
            if (kind if kind.__class__ is str else kind.kind) in kinds:
                yield _event(id, kept)

    def why(self, event: Event | int) -> Chain:
        """The chain of causes that ends in `event`, oldest first.
        Raises IndexError for an id that does not exist."""
        here = self.events[event] if isinstance(event, int) else event
        chain = Chain([here])
        while here.cause is not None:
            here = self.events[here.cause]
            chain.append(here)
        chain.reverse()
        return chain


def _event(id: int, kept: tuple[Any, ...]) -> Event:
    at_ms, kind, who, cause, fields = kept
    if kind.__class__ is str:
        return Event(id, at_ms, kind, who, cause, fields)
    return Event(id, at_ms, kind.kind, who, cause, fields, kind)
