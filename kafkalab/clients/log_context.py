"""Who says a line? The prefix of a client's lines and the one way to write them (org.apache.kafka.common.utils.LogContext).

A machine says what happened, by the name of a catalogue entry; the client's version decides whether there is such a line,
and its level, logger, wording and line number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from kafkalab.lines.catalog import CATALOG, Wording
from kafkalab.sim.journal import Journal


class LogContext:
    """Writes one client's lines into the journal as events of kind "line".

    who      the client's name in the journal
    prefix   `[Consumer clientId=c, groupId=g] ` or its like; empty for lines that Java logs without a context
    version  the name of the client's Profile
    """

    def __init__(self, journal: Journal, who: str, client_id: str, prefix: str, version: str) -> None:
        self.journal, self.who, self.client_id, self.prefix, self.version = journal, who, client_id, prefix, version
        self._wordings: dict[str, tuple[Wording, int] | None] = {}

    def __call__(self, name: str, trace: str | None = None, **values: Any) -> None:
        """Write the line `name`, if this version has it. `trace` is the exception text that log4j prints below the line."""
        found = self._wordings.get(name, 0)
        if found == 0:
            wording = CATALOG[name].wording(self.version)
            found = self._wordings[name] = None if wording is None else (wording, wording.at[self.version])
        if found is None:
            return
        wording, line = found
        message = wording.template.format_map(values)
        if wording.prefixed:
            message = self.prefix + message
        self.journal.append("line", self.who, level=wording.level, logger=wording.logger, line=line, message=message,
                            trace=trace, name=name, client_id=self.client_id)

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
