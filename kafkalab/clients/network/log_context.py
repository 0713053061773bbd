"""LogContext: writes a client's log lines with its prefix
(org.apache.kafka.common.utils.LogContext).

A machine names a catalogue entry and gives values. The client's version decides whether there is
such a line, and its level, logger, wording and line number. Most lines are never read, so the
journal keeps the values, and the text is made when a reader asks for it. The values should
therefore be frozen: numbers, text, messages, nodes, positions. A value that may change (a batch
that still grows) is made text at once.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.lines.catalog import CATALOG
from kafkalab.lines.payload import printed_values
from kafkalab.lines.wording import Wording
from kafkalab.sim.journal import Journal


class Statement:
    """A logging statement of one client. `line` is its %L, `template` begins with the prefix. Reads
    back the values that were kept of its lines.

    changing  the values that are made text at once
    """

    __slots__ = (
        "changing",
        "client_id",
        "kind",
        "level",
        "line",
        "logger",
        "name",
        "template",
        "version",
    )

    def __init__(
        self,
        name: str,
        wording: Wording,
        prefix: str,
        client_id: str,
        version: str,
        changing: tuple[str, ...],
    ) -> None:
        self.kind = "line"
        self.name = name
        self.client_id = client_id
        self.version = version
        self.changing = changing
        self.level, self.logger, self.line = wording.level, wording.logger, wording.at[version]
        self.template = prefix + wording.template

    def fields(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "level": self.level,
            "logger": self.logger,
            "line": self.line,
            "message": self.template.format_map(printed_values(values, self.version)),
            "trace": values.get("trace"),
            "name": self.name,
            "client_id": self.client_id,
        }


class LogContext:
    """Writes one client's lines into the journal as events of kind "line".

    who      the client's name in the journal
    prefix   `[Consumer clientId=c, groupId=g] ` or its like; empty for lines that Java logs without
             a context
    version  the name of the client's Profile
    """

    __slots__ = (
        "_clock",
        "_keep",
        "_statements",
        "client_id",
        "journal",
        "prefix",
        "version",
        "who",
    )

    def __init__(
        self, journal: Journal, who: str, client_id: str, prefix: str, version: str
    ) -> None:
        self.journal = journal
        self.who = who
        self.client_id = client_id
        self.prefix = prefix
        self.version = version
        self._statements: dict[str, Statement | None] = {}
        self._clock, work = journal.clock, journal.clock.work
        self._keep = journal.kept.append if work is None else work.write

    def __call__(self, name: str, /, **values: Any) -> None:
        """Writes the line `name`, if this version has it. The value `trace` is the exception text
        that log4j prints below the line.

        Raises KeyError for a name that is not in the catalogue. A value that the wording needs and
        that is missing raises KeyError when the line is read.
        """
        try:
            statement = self._statements[name]
        except KeyError:
            statement = self._statements[name] = self._look_up(name, values)
        if statement is not None:
            if statement.changing:
                values.update([(key, str(values[key])) for key in statement.changing])
            clock = self._clock
            self._keep((clock.now_ms, statement, self.who, clock.cause, values))

    def _look_up(self, name: str, values: Mapping[str, Any]) -> Statement | None:
        wording = CATALOG[name].wording(self.version)
        if wording is None:
            return None
        prefix = self.prefix.replace("{", "{{").replace("}", "}}") if wording.prefixed else ""
        changing = tuple(key for key, value in values.items() if not _is_frozen(value))
        return Statement(name, wording, prefix, self.client_id, self.version, changing)

    def note_state(self, machine: str, before: enum.Enum, after: enum.Enum) -> None:
        """Writes into the journal that a machine of this client moves."""
        self.journal.append(
            "state", self.who, machine=machine, before=before.value, after=after.value
        )

    def writes(self, name: str) -> bool:
        """Whether this version has the line at all. Callers ask before they build costly texts."""
        try:
            return self._statements[name] is not None
        except KeyError:
            return CATALOG[name].wording(self.version) is not None


PLAIN = (str, int, float, bytes, type(None), enum.Enum, BaseException)


def _is_frozen(value: Any) -> bool:
    """Whether a value reads the same later on. It is checked when a client writes a line for the
    first time: the values of a line keep their classes."""
    if isinstance(value, tuple):
        return all(map(_is_frozen, value))
    parameters = getattr(value, "__dataclass_params__", None)
    return parameters.frozen if parameters is not None else isinstance(value, (*PLAIN, Later))


class Later:
    """A text that is made when it is read: make(*args). Its arguments must be frozen."""

    __slots__ = ("_args", "_make")

    def __init__(self, make: Callable[..., str], *args: Any) -> None:
        self._make, self._args = make, args

    def __str__(self) -> str:
        return self._make(*self._args)

    def __format__(self, spec: str) -> str:
        return self._make(*self._args)
