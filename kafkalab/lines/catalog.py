"""CATALOG: every known line of the Java clients by name, with each release's wording, level and
source line. SERVER_CATALOG has the lines of brokers.

The simulator writes from them, and the readers of logs find a line's entry in them. The entries are
in the text files of the folders `clients` and `brokers`, by part of the client or broker and in the
order of its life.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from kafkalab.lines.part_text import Entries
from kafkalab.lines.pattern import pattern
from kafkalab.lines.wording import Entry, Wording

__all__ = [
    "CATALOG",
    "SERVER_CATALOG",
    "Entry",
    "Wording",
    "every_entry",
    "match",
    "matches",
    "render",
    "server_matches",
]

CATALOG = Entries(
    "clients",
    "common",
    "network",
    "producer",
    "consumer",
    "fetch",
    "group",
    "group_protocol",
    "group_refusals",
    "share_group",
    "security",
    "rare_lines",
)
SERVER_CATALOG = Entries(
    "brokers", "groups", "share", "transactions", "replicas", "logs", "controller", "processes"
)


def every_entry() -> Iterator[Entry]:
    """The entries of clients and of brokers. Their names differ."""
    yield from CATALOG.values()
    yield from SERVER_CATALOG.values()


def render(
    entry: Entry | str, version: str, values: Mapping[str, Any]
) -> tuple[str, str, int, str] | None:
    """(level, logger, line, message without prefix) as `version` writes it; None where it has no
    such line.

    Values the wording does not name are ignored; a missing one raises KeyError.
    """
    entry = CATALOG[entry] if isinstance(entry, str) else entry
    wording = entry.wording(version)
    if wording is None:
        return None
    return wording.level, wording.logger, wording.at[version], wording.template.format_map(values)


def match(
    version: str | None, logger: str, level: str, text: str
) -> tuple[str, dict[str, str]] | None:
    """The entry that wrote `text` (a message without its prefix) and its values; None: no known
    entry.

    `logger` is the full class name. Without a version the wordings of all versions are tried.
    """
    return next(matches(version, logger, level, text), None)


def matches(
    version: str | None, logger: str, level: str, text: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """All entries of clients that could have written `text`;
    the tests hold that there is never more than one."""
    yield from _found(_wordings_of(version, logger, level), text)


def server_matches(
    release: str | None, logger: str, level: str, text: str
) -> Iterator[tuple[str, dict[str, str]]]:
    """As `matches`, for a line of a broker's server.log."""
    yield from _found(_wordings_of(release, logger, level, True), text)


def _found(
    wordings: tuple[tuple[str, Wording], ...], text: str
) -> Iterator[tuple[str, dict[str, str]]]:
    for name, wording in wordings:
        found = pattern(wording.template).fullmatch(text)
        if found:
            yield name, found.groupdict()


@cache
def _wordings_of(
    version: str | None, logger: str, level: str, of_brokers: bool = False
) -> tuple[tuple[str, Wording], ...]:
    """Each template of this logger and level once, without twins."""
    found: dict[tuple[str, str], Wording] = {}
    for entry in (SERVER_CATALOG if of_brokers else CATALOG).values():
        for wording in entry.wordings:
            if (
                (wording.logger, wording.level) == (logger, level)
                and not wording.twin
                and (version is None or version in wording.at)
            ):
                found.setdefault((entry.name, wording.template), wording)
    return tuple((name, wording) for (name, _), wording in found.items())
