"""CATALOG: every known line of the Java clients by name, with each release's wording, level and
source line.

The simulator writes from it, and the readers of logs find a line's entry in it. The entries are in
the files beside this one, by part of the client and in the order of its life.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

from kafkalab.lines import (
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

__all__ = ["CATALOG", "Entry", "Wording", "match", "matches", "render"]

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


def _by_name() -> Mapping[str, Entry]:
    entries: dict[str, Entry] = {}
    for part in PARTS:
        for entry in part.ENTRIES:
            if entry.name in entries:
                raise ValueError(f"two entries are called {entry.name}")
            entries[entry.name] = entry
    return MappingProxyType(entries)


CATALOG: Mapping[str, Entry] = _by_name()


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
    """All entries that could have written `text`;
    the tests hold that there is never more than one."""
    for name, wording in _wordings_of(version, logger, level):
        found = pattern(wording.template).fullmatch(text)
        if found:
            yield name, found.groupdict()


@cache
def _wordings_of(version: str | None, logger: str, level: str) -> tuple[tuple[str, Wording], ...]:
    """Each template of this logger and level once, without twins."""
    found: dict[tuple[str, str], Wording] = {}
    for entry in CATALOG.values():
        for wording in entry.wordings:
            if (
                (wording.logger, wording.level) == (logger, level)
                and not wording.twin
                and (version is None or version in wording.at)
            ):
                found.setdefault((entry.name, wording.template), wording)
    return tuple((name, wording) for (name, _), wording in found.items())
