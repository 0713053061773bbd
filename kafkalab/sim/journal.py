"""Holds the journal of a lab: an append-only list of typed events, each with its cause.

The simulated clients and brokers write here. Views, checks, graders and `Lab.why` only read. An
event holds the id of the event that caused it. So every socket, request or line leads back to the
call that started it.

A lab writes many events and reads few of them. So writing keeps only the values, in a tuple, and
reading makes the `Event`. Costly fields, such as the text of a line, may also be made at reading:
see `FieldFormat`.
"""

from __future__ import annotations

import hashlib
from array import array
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, overload

from kafkalab.sim.chain import Chain
from kafkalab.sim.scheduler import Scheduler


class FieldFormat(Protocol):
    """Turns the bare values of a journal event into its fields, when the event is read.

    Fields that all its events share, such as the level of a line, are attributes of it.
    """

    kind: str

    def fields(self, values: Any) -> dict[str, Any]: ...


class Event:
    """One entry: id, at_ms (virtual time), kind, who (client name or broker-N), cause and fields.

    cause is the id of an event or None.
    """

    __slots__ = ("_fields", "_wording", "at_ms", "cause", "id", "kind", "who")

    def __init__(
        self,
        id: int,
        at_ms: int,
        kind: str,
        who: str,
        cause: int | None,
        fields: Any,
        wording: FieldFormat | None = None,
    ):
        self.id, self.at_ms, self.kind, self.who, self.cause = id, at_ms, kind, who, cause
        self._fields, self._wording = fields, wording

    @property
    def fields(self) -> Mapping[str, Any]:
        """The event's fields by name.

        Fields that are kept as bare values are made at the first read.
        """
        if self._wording is not None:
            self._fields, self._wording = self._wording.fields(self._fields), None
        fields: Mapping[str, Any] = self._fields
        return fields

    def shared(self, name: str) -> Any:
        """A field that all events of one wording share, such as the level of a line.

        The other fields are not made. Raises AttributeError or KeyError for another field.
        """
        return self._fields[name] if self._wording is None else getattr(self._wording, name)

    def __getattr__(self, name: str) -> Any:
        if name == "level" and (level := getattr(self._wording, "level", "")):
            return level  # of a line whose text nobody has asked for yet
        try:
            return self.fields[name]
        except KeyError:
            raise AttributeError(
                f"a {self.kind!r} event has no {name!r}; it has {', '.join(self.fields)}"
            ) from None

    def __eq__(self, other: object) -> bool:
        """Whether both entries hold the same values."""
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
    """All entries of a journal in order, to be read as a list. An event's id is its index."""

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
    """A `with` block that gives one event as the cause of all events written inside it."""

    __slots__ = ("_before", "_clock", "_event_id")

    def __init__(self, clock: Scheduler, event_id: int) -> None:
        self._clock, self._event_id = clock, event_id

    def __enter__(self) -> None:
        self._before, self._clock.cause = self._clock.cause, self._event_id

    def __exit__(self, *error: object) -> None:
        self._clock.cause = self._before


class Journal:
    """All events of a lab, in order.

    events  the events to read; an event's id is its index
    kept    the same events as tuples: (at_ms, kind or FieldFormat, who, cause, fields or values);
            `note` and the writers of lines append to it
    """

    __slots__ = ("_ids", "_sorted", "clock", "events", "kept")

    def __init__(self, clock: Scheduler) -> None:
        self.kept: list[tuple[Any, ...]] = []
        self.events = Events(self.kept)
        self.clock = clock
        self._ids: dict[str, array[int]] = {}
        self._sorted = 0

    def append(self, kind: str, who: str, **fields: Any) -> Event:
        """Write an event and return it."""
        clock, id = self.clock, len(self.kept)
        self.kept.append((clock.now_ms, kind, who, clock.cause, fields))
        return Event(id, clock.now_ms, kind, who, clock.cause, fields)

    def note(self, kind: str, who: str, **fields: Any) -> int:
        """Write an event and return its id, which is all that most callers need."""
        clock, kept = self.clock, self.kept
        kept.append((clock.now_ms, kind, who, clock.cause, fields))
        return len(kept) - 1

    def write(self, kind: str, who: str, fields: dict[str, Any]) -> None:
        """As `note`, for fields that are a dict already. The journal keeps that dict."""
        self.kept.append((self.clock.now_ms, kind, who, self.clock.cause, fields))

    @property
    def cause(self) -> int | None:
        """The id of the event that caused the code that runs now."""
        return self.clock.cause

    @cause.setter
    def cause(self, event_id: int | None) -> None:
        self.clock.cause = event_id

    def because(self, event: Event | int) -> Because:
        """Give `event` (or the event of that id) as the cause of all events written inside."""
        return Because(self.clock, event if isinstance(event, int) else event.id)

    def digest(self) -> str:
        """The whole journal as one SHA-256 in hex: the same for the same seed, whatever
        PYTHONHASHSEED says."""
        total = hashlib.sha256()
        for event in self.events:
            total.update(repr(event).encode("utf-8", "surrogatepass"))
        return total.hexdigest()

    def of(self, *kinds: str) -> Iterator[Event]:
        """The events of these kinds, in order. One kind costs only what was written since the last
        call, and its own events."""
        if len(kinds) == 1:
            yield from self._of_one(kinds[0])
            return
        for id, kept in enumerate(self.kept):
            kind = kept[1]
            if (kind if kind.__class__ is str else kind.kind) in kinds:
                yield _event(id, kept)

    def _of_one(self, kind: str) -> Iterator[Event]:
        given = 0
        while True:
            self._sort()
            ids = self._ids.get(kind, ())
            if given == len(ids):
                return
            for place in range(given, len(ids)):  # the reader may let the lab write more
                yield _event(ids[place], self.kept[ids[place]])
            given = len(ids)

    def _sort(self) -> None:
        """Sort the ids of the new events by kind."""
        kept, ids = self.kept, self._ids
        if self._sorted > len(kept):  # somebody has emptied `kept`
            ids.clear()
            self._sorted = 0
        for id in range(self._sorted, len(kept)):
            kind = kept[id][1]
            name = kind if kind.__class__ is str else kind.kind
            try:
                ids[name].append(id)
            except KeyError:
                ids[name] = array("I", (id,))
        self._sorted = len(kept)

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
