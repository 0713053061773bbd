"""Every line we know of the Java clients, by name: which version says it how, on which level, where in its source.

The simulator writes from it, the parser and the Spark reader read back by it. The entries stand in the files beside this one,
by part of the client and in the order of its life.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from kafkalab.lines import common, consumer, fetch, group, group_protocol, network, producer, unrecorded
from kafkalab.lines.wording import VERSIONS, Entry, Wording

__all__ = ["CATALOG", "VERSIONS", "Entry", "Wording", "render"]

PARTS = (common, network, producer, consumer, fetch, group, group_protocol, unrecorded)


def _by_name() -> Mapping[str, Entry]:
    entries: dict[str, Entry] = {}
    for part in PARTS:
        for entry in part.ENTRIES:
            if entry.name in entries:
                raise ValueError(f"two entries are called {entry.name}")
            entries[entry.name] = entry
    return MappingProxyType(entries)


CATALOG: Mapping[str, Entry] = _by_name()


def render(entry: Entry | str, version: str, values: Mapping[str, Any]) -> tuple[str, str, int, str] | None:
    """(level, logger, line, message without prefix) as `version` writes it; None where it has no such line.

    Values the wording does not name are ignored; a missing one raises KeyError.
    """
    entry = CATALOG[entry] if isinstance(entry, str) else entry
    wording = entry.wording(version)
    if wording is None:
        return None
    return wording.level, wording.logger, wording.at[version], wording.template.format_map(values)
