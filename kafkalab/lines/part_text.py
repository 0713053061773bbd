"""Reads the catalogue's text files: the entries of one part of the client or of the broker.

    NetworkClient = org.apache.kafka.clients.NetworkClient
    tables = line number tables of the released jars

    # the row of an entry: its name, its logger, and where we learned it unless `source` says it
    NODE_DISCONNECTED NetworkClient | <tables>
        DEBUG ..2.8, INFO 3.6.. | Node {node_id} disconnected.

The rows below an entry are its wordings. Before the bar stand, for each group of releases that says
the text, a level, the releases (none: all of them) and what differs: another logger or a mark of
MARKS. `2.2` is one release, `..2.8` all up to it, `3.6..` all from it on; `others` are brokers that
are only read. A place without a level has the level before it. In a text `<name>` stands for a
name's value, and \\n, \\t and \\s for a new line, a tab and a blank at an end. The names of
`names.txt` hold in each file of its folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from pkgutil import get_data
from types import MappingProxyType
from typing import Any

from kafkalab.lines.wording import RECORDED, Entry, Wording, line_numbers
from kafkalab.releases import lineage

BROKERS_RECORDED = "server.log of the brokers " + " and ".join(
    release.recorded for release in lineage.BROKERS
)
LEVELS = frozenset(("TRACE", "DEBUG", "INFO", "WARN", "ERROR"))
MARKS: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {"bare": {"prefixed": False}, "stack": {"trace": True}, "twin": {"twin": True}}
)
"""Marks of a wording: without a prefix, followed by a stack trace, said by another entry too."""
OF_BROKERS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {**{name: (name,) for name in lineage.BROKER_NAMES}, "others": ()}
)
NO_NUMBER = 0
"""The number of a line that is only read, and of each broker's: its layout `[%d] %p %m (%c)` prints
no place in the source."""
NAME, ESCAPE = re.compile(r"<(\w+)>"), re.compile(r"\\[nts]")
ESCAPES = {"\\n": "\n", "\\t": "\t", "\\s": " "}


class Entries(Mapping[str, Entry]):
    """Name -> entry, of the files `parts` in the folder of `side`: "clients" or "brokers". They are
    read when an entry is first asked for, because a tenth of the time of `import kafkalab` was
    theirs."""

    def __init__(self, side: str, *parts: str) -> None:
        self._side, self._parts = side, parts

    def __getitem__(self, name: str) -> Entry:
        return self._read[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._read)

    def __len__(self) -> int:
        return len(self._read)

    @cached_property
    def _read(self) -> Mapping[str, Entry]:
        shared = {"source": RECORDED if self._side == "clients" else BROKERS_RECORDED}
        found: dict[str, Entry] = {}
        for part in ("names", *self._parts):
            file = f"{self._side}/{part}.txt"
            text = (get_data(__package__, file) or b"").decode("utf-8")
            for entry in read_part(file, text, shared if part == "names" else dict(shared)):
                if entry.name in found:
                    raise ValueError(f"{file}: two entries are called {entry.name}")
                found[entry.name] = entry
        return found


def read_part(file: str, text: str, names: dict[str, str]) -> Iterator[Entry]:
    """The entries of a file, in its order; the file's own names are added to `names`.

    Raises ValueError with the number of the line that is wrong.
    """
    releases = lineage.BROKER_NAMES if file.startswith("brokers/") else lineage.CLIENT_NAMES
    head: _Head | None = None
    for number, line in enumerate(text.splitlines(), 1):
        try:
            if line.startswith("    "):
                if head is None:
                    raise ValueError("a wording stands below its entry")
                head.wordings += _wordings(line, head, names)
            elif line and not line.startswith("#"):
                name, named, value = line.partition(" = ")
                if named:
                    names[name] = _filled(value, names)
                    continue
                if head:
                    yield head.entry()
                head = _Head(line, releases, names)
        except ValueError as wrong:
            raise ValueError(f"{file}, line {number}: {wrong}") from None
    if head:
        yield head.entry()


class _Head:
    """The row of an entry, and the wordings that were read below it."""

    def __init__(self, line: str, releases: tuple[str, ...], names: Mapping[str, str]) -> None:
        words, _, source = line.partition(" | ")
        self.name, *rest = words.split()
        self.releases, self.of_brokers = releases, releases == lineage.BROKER_NAMES
        self.only_read = "only_read" in rest
        self.logger = "".join(_named(word, names) for word in rest[:1] if word != "only_read")
        if len(rest) > self.only_read + bool(self.logger):
            raise ValueError(f"{self.name} has one logger here; a wording may name another")
        self.source = _filled(source or names["source"], names)
        self.wordings: list[Wording] = []

    def entry(self) -> Entry:
        return Entry(self.name, tuple(self.wordings), self.source, self.releases, self.only_read)


def _wordings(line: str, head: _Head, names: Mapping[str, str]) -> Iterator[Wording]:
    """The wordings of a row, one for each of its places."""
    places, bar, text = line.partition(" | ")
    if not bar:
        raise ValueError("a wording has a bar between its places and its text")
    level, template = "", _filled(text, names)
    for place in places.split(","):
        releases, logger = head.releases, head.logger
        marks: dict[str, Any] = {"prefixed": not head.of_brokers}
        for word in place.split():
            if word in LEVELS:
                level = word
            elif word in MARKS:
                marks |= MARKS[word]
            elif head.of_brokers and word in OF_BROKERS:
                releases = OF_BROKERS[word]
            elif word[0] in ".0123456789":
                releases = _releases(word)
            else:
                logger = _named(word, names)
        if not level or not logger:
            raise ValueError("a wording has a level and a logger")
        if head.of_brokers or head.only_read:
            yield Wording(level, logger, template, dict.fromkeys(releases, NO_NUMBER), **marks)
        else:
            at, borrowed = line_numbers(head.name, releases)
            yield Wording(level, logger, template, at, borrowed=borrowed, **marks)


def _releases(word: str) -> tuple[str, ...]:
    first, dots, last = word.partition("..")
    if not dots:
        return lineage.between(first, first)
    return lineage.between(first or lineage.CLIENT_NAMES[0], last or lineage.newest())


def _named(name: str, names: Mapping[str, str]) -> str:
    if name not in names:
        raise ValueError(f"nothing is called {name}: write `{name} = ...` in the file or names.txt")
    return names[name]


def _filled(text: str, names: Mapping[str, str]) -> str:
    """The text with the values of its names, and with the characters that its escapes mean."""
    if "<" in text:
        text = NAME.sub(lambda found: _named(found[1], names), text)
    if "\\" in text:
        text = ESCAPE.sub(lambda found: ESCAPES[found[0]], text)
    return text
