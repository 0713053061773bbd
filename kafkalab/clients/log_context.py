"""Who says a line? The prefix of a client's lines and the one way to write them (org.apache.kafka.common.utils.LogContext).

A machine says what happened, by the name of a catalogue entry; the client's version decides whether there is such a line,
and its level, logger, wording and line number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from kafkalab.lines.catalog import CATALOG
from kafkalab.sim.journal import Journal


class _Statement(NamedTuple):
    """A logging statement of this client's version, looked up once: `line` is its %L, `template` begins with the prefix."""

    level: str
    logger: str
    line: int
    template: str


class LogContext:
    """Writes one client's lines into the journal as events of kind "line".

    who      the client's name in the journal
    prefix   `[Consumer clientId=c, groupId=g] ` or its like; empty for lines that Java logs without a context
    version  the name of the client's Profile
    """

    def __init__(self, journal: Journal, who: str, client_id: str, prefix: str, version: str) -> None:
        self.journal, self.who, self.client_id, self.prefix, self.version = journal, who, client_id, prefix, version
        self._statements: dict[str, _Statement | None] = {}

    def __call__(self, name: str, trace: str | None = None, **values: Any) -> None:
        """Write the line `name`, if this version has it. `trace` is the exception text that log4j prints below the line.

        Raises KeyError for a name that is not in the catalogue.
        """
        try:
            statement = self._statements[name]
        except KeyError:
            statement = self._statements[name] = self._look_up(name)
        if statement is not None:
            self.journal.append("line", self.who, level=statement.level, logger=statement.logger, line=statement.line,
                                message=statement.template.format_map(values), trace=trace, name=name, client_id=self.client_id)

    def _look_up(self, name: str) -> _Statement | None:
        wording = CATALOG[name].wording(self.version)
        if wording is None:
            return None
        prefix = self.prefix.replace("{", "{{").replace("}", "}}") if wording.prefixed else ""
        return _Statement(wording.level, wording.logger, wording.at[self.version], prefix + wording.template)

    def writes(self, name: str) -> bool:
        """Does this version have the line at all? For callers that would have to build costly texts."""
        return CATALOG[name].wording(self.version) is not None


class Later:
    """A text that is built only if a line of this version prints it."""

    __slots__ = ("_make",)

    def __init__(self, make: Callable[[], str]) -> None:
        self._make = make

    def __str__(self) -> str:
        return self._make()

    def __format__(self, spec: str) -> str:
        return self._make()
