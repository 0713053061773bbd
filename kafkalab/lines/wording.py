"""How is one line of a Kafka client kept? As an Entry: one thing that happens, with a Wording for each way the versions say it.

The catalogue's files write the line numbers as a row of eight columns, one a version, in the order of VERSIONS:

    entry("INITIATING_CONNECTION", NETWORK_CLIENT,
          debug("Initiating connection to node {node} using address {address}", "914 921 944 986 1031 1076 1141 1256"))

`-` says that this version does not have the wording (or that we never saw it), `~` that the version has it, but no recording
shows the number: it then borrows the number of the nearest version on its left (else on its right), and `borrowed` names it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

VERSIONS = ("2.1", "2.2", "2.3", "2.8", "3.6", "3.9", "4.0", "4.4")

RECORDED = "recordings of the released clients 2.1.1, 2.2.2, 2.3.0, 2.8.2, 3.6.2, 3.9.2, 4.0.2, 4.4.0"


@dataclass(frozen=True)
class Wording:
    """What some versions write: `at` maps each of them to the line of its Java source (%L).

    template   text with `{name}` for what changes and doubled braces for a brace
    prefixed   whether `[Consumer clientId=c, groupId=g] ` or its like stands before the text
    trace      whether the stack trace of an exception follows the line
    twin       the statement in the source belongs to another entry; the parser answers with that one
    borrowed   the versions whose number is a neighbour's
    """

    level: str
    logger: str
    template: str
    at: Mapping[str, int] = field(hash=False)
    prefixed: bool = True
    trace: bool = False
    twin: bool = False
    borrowed: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Entry:
    """One thing that happens, whatever the version calls it. `source` says where we learned it."""

    name: str
    wordings: tuple[Wording, ...]
    source: str = RECORDED

    def wording(self, version: str) -> Wording | None:
        """How this version says it; None where it never does."""
        return self._by_version.get(version)

    @property
    def versions(self) -> tuple[str, ...]:
        return tuple(version for version in VERSIONS if version in self._by_version)

    @cached_property
    def _by_version(self) -> dict[str, Wording]:
        return {version: wording for wording in self.wordings for version in wording.at}


def entry(name: str, logger: str, *wordings: Wording, source: str = RECORDED) -> Entry:
    """An Entry whose wordings come from `logger` where they do not name one themselves."""
    return Entry(name, tuple(w if w.logger else replace(w, logger=logger) for w in wordings), source)


def trace(template: str, row: str, **more) -> Wording:
    return _worded("TRACE", template, row, **more)


def debug(template: str, row: str, **more) -> Wording:
    return _worded("DEBUG", template, row, **more)


def info(template: str, row: str, **more) -> Wording:
    return _worded("INFO", template, row, **more)


def warn(template: str, row: str, **more) -> Wording:
    return _worded("WARN", template, row, **more)


def error(template: str, row: str, **more) -> Wording:
    return _worded("ERROR", template, row, **more)


def _worded(level: str, template: str, row: str, logger: str = "", **more) -> Wording:
    at, borrowed = line_numbers(row)
    return Wording(level, logger, template, at, borrowed=borrowed, **more)


def line_numbers(row: str) -> tuple[Mapping[str, int], frozenset[str]]:
    """`914 ~ 944 - - - - -` -> ({2.1: 914, 2.2: 914, 2.3: 944}, {2.2}). Raises ValueError unless the row has a column a version."""
    columns = row.split()
    if len(columns) != len(VERSIONS):
        raise ValueError(f"{len(columns)} columns instead of {len(VERSIONS)}: {row!r}")
    seen = [int(c) for c in columns if c.isdigit()]
    at: dict[str, int] = {}
    borrowed: set[str] = set()
    nearest = seen[0] if seen else 0
    for version, column in zip(VERSIONS, columns):
        if column == "~":
            borrowed.add(version)
        elif column != "-":
            nearest = int(column)
        if column != "-":
            at[version] = nearest
    return at, frozenset(borrowed)
