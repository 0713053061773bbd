"""CATALOG: every known line of the Java clients by name, with each release's wording, level and
source line. SERVER_CATALOG has the lines of brokers.

The simulator writes from them, and the readers of logs find a line's entry in them. The entries are
in the files beside this one, by part of the client or broker and in the order of its life.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType, ModuleType
from typing import Any

from kafkalab.lines import (
    broker_controller,
    broker_groups,
    broker_logs,
    broker_replicas,
    broker_transactions,
    common,
    consumer,
    fetch,
    group,
    group_protocol,
    group_refusals,
    network,
    producer,
    rare_lines,
    share_group,
)
from kafkalab.lines.pattern import pattern
from kafkalab.lines.wording import Entry, Wording

__all__ = [
    "CATALOG",
    "ONLY_READ",
    "SERVER_CATALOG",
    "Entry",
    "Wording",
    "every_entry",
    "match",
    "matches",
    "render",
    "server_matches",
]

PARTS = (
    common,
    network,
    producer,
    consumer,
    fetch,
    group,
    group_protocol,
    group_refusals,
    share_group,
    rare_lines,
)


SERVER_PARTS = (
    broker_groups,
    broker_transactions,
    broker_replicas,
    broker_logs,
    broker_controller,
)


def _by_name(*parts: ModuleType) -> Mapping[str, Entry]:
    entries: dict[str, Entry] = {}
    for part in parts:
        for entry in part.ENTRIES:
            if entry.name in entries:
                raise ValueError(f"two entries are called {entry.name}")
            entries[entry.name] = entry
    return MappingProxyType(entries)


CATALOG: Mapping[str, Entry] = _by_name(*PARTS)
SERVER_CATALOG: Mapping[str, Entry] = _by_name(*SERVER_PARTS)


ONLY_READ = frozenset(
    {
        "BROKER_STARTED",
        "BROKER_STARTS",
        "BROKER_STOPPED",
        "BROKER_STOPS",
        "CONTROLLER_ACTIVATES",
        "CONTROLLER_ACTIVE",
        "CONTROLLER_REGISTERS",
        "GROUP_COORDINATOR_ELECTED",
        "GROUP_COORDINATOR_RESIGNED",
        "PARTITION_CREATED",
        "PARTITION_FOLLOWER_STAYS",
        "PARTITION_LEADER_STAYS",
        "PARTITION_LOADED",
        "PARTITION_WITHOUT_CHECKPOINT",
        "PRODUCER_SNAPSHOT_LOADED",
        "PRODUCER_SNAPSHOT_WRITTEN",
        "REGISTRATION_DIRECTORIES",
        "REGISTRATION_MADE",
        "REGISTRATION_MADE_AGAIN",
        "REGISTRATION_REFUSED",
        "REGISTRATION_UNCHANGED",
        "TOPICS_ASKED_FOR",
    }
)
"""Lines of real brokers that no simulated broker writes: it does not take these steps, or has not
got the values."""


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
