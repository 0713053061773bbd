"""Compares a broker's played server.log with the recorded one: kinds of lines, and their words.

    kinds   the likeness of the sequences of kinds; a kind is an entry of the catalogue
    words   the likeness of the sequences of texts, without what chance decides

Lines that come again and again are counted once, as in a client's story, and lines about each of
many partitions are sorted: see EACH_PARTITION. Lines that no simulated broker writes are left out.
A recording holds the
lines of some classes only; then only those classes are compared.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from kafkalab.lines.catalog import SERVER_CATALOG, server_matches
from kafkalab.lines.layout import Row, read
from kafkalab.proof.conformance.sequences import changed, likeness, squeeze

SERVER_MARKS = ("kinds", "words")

COORDINATORS = re.compile(
    r"GroupCoordinator|GroupMetadataManager|TransactionCoordinator|ProducerStateManager"
)
"""The part of a line by which most recordings keep it: the name of a class."""
CHANCE = tuple(
    (re.compile(pattern), kept)
    for pattern, kept in (
        (r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID"),
        (r"(?<![\w-])(?!TransactionCoordinator)(?=[\w-]*[A-Z0-9_-])[\w-]{22}(?![\w-])", "ID"),
        (r"\b\d+ ?(ms|milliseconds)\b", r"# \1"),
        (r"(metadata hash )-?[1-9]\d*", r"\1#"),
        (r"(producerId )\d+( and producer epoch )\d+", r"\1#\2#"),
        (r"Loaded \d+ records which total to \d+ bytes", "Loaded # records"),
        (r"(dir=|file=|')/[^\s,')\]]*", r"\1…"),
        (r"(__transaction_state-)\d+", r"\1#"),
    )
)

EACH_PARTITION = frozenset(
    (
        "GROUPS_LOADING GROUPS_READ GROUPS_UNLOADING GROUPS_UNLOADED GROUPS_NEVER_LOADED "
        "GROUP_LOADED TRANSACTION_COORDINATOR_ELECTED TRANSACTION_COORDINATOR_RESIGNED "
        "TRANSACTIONS_LOADING TRANSACTIONS_READ"
    ).split()
)
"""Kinds that a broker writes once for each of many partitions. Several threads write them, in an
order that chance decides, so neighbours among them are sorted."""
OF_PARTITION = re.compile(
    r"(__consumer_offsets-)\d+|(for partition )\d+|(epoch )\d+|(OptionalInt\[|Some\()\d+"
)
"""What such lines name: the partition, and an epoch that depends on the cluster's former life."""

SCALA_COLLECTION = re.compile(r"\b(Set|Map|HashMap)\((.*)\)$")
NEXT_PARTITION = re.compile(r", (?=[\w.]+-\d+(?:,| ->|$))")


@dataclass(frozen=True)
class ServerConformance:
    """The marks of one broker's log of one scenario."""

    marks: Mapping[str, float]
    differences: tuple[str, ...] = ()


@dataclass(frozen=True)
class ServerStory:
    """One broker's log as the marks see it."""

    kinds: list[str]
    words: list[str]


def server_logs_in(folder: Path) -> dict[int, Path]:
    """Broker -> its recorded log in a scenario folder, plain or packed."""
    return {
        int(path.name.removeprefix("broker-").split(".")[0]): path
        for path in sorted(folder.glob("broker-*.log*"))
    }


def story_of(rows: Iterable[Row], release: str) -> ServerStory:
    """The story of these lines, without the entries that are `only_read`: no simulated broker
    writes them. A line that the catalogue does not know is of the kind UNKNOWN."""
    told = []
    for row in rows:
        found = next(server_matches(release, row.logger, row.level, row.message), None)
        kind, text = "UNKNOWN" if found is None else found[0], _without_chance(row.message)
        if found is None or not SERVER_CATALOG[kind].only_read:
            text = OF_PARTITION.sub(r"\1\2\3\4#", text) if kind in EACH_PARTITION else text
            told.append((kind, text))
    ordered: list[tuple[str, str]] = []
    for alike, run in groupby(told, key=lambda one: one[0] in EACH_PARTITION):
        lines = list(run)
        ordered += sorted(lines) if alike else lines
    kinds, words = zip(*ordered, strict=True) if ordered else ((), ())
    return ServerStory(squeeze(kinds), squeeze(words))


def _without_chance(text: str) -> str:
    for pattern, kept in CHANCE:
        text = pattern.sub(kept, text)
    return SCALA_COLLECTION.sub(_in_order, text)


def _in_order(found: re.Match[str]) -> str:
    """A set or map of partitions as Scala prints it, sorted."""
    return f"{found[1]}({', '.join(sorted(NEXT_PARTITION.split(found[2])))})"


def conform_servers(folder: Path, seeds: int | Mapping[str, int]) -> dict[int, ServerConformance]:
    """The marks of each broker of which the folder has a log; {} where it has none.

    seeds: those with which the clients are equal.
    """
    recorded = server_logs_in(folder)
    if not recorded:
        return {}
    from kafkalab.proof.replay import replay_servers  # The marks can be used without the simulator.

    scenario = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))
    release = scenario["broker_version"].rsplit(".", 1)[0]
    played = replay_servers(scenario, seeds)
    real = {broker: list(read(path)) for broker, path in recorded.items()}
    whole = any(not _is_kept(row) for rows in real.values() for row in rows)
    found = {}
    for broker, rows in real.items():
        ours = [row for row in played.get(broker, ()) if whole or _is_kept(row)]
        found[broker] = _marked_server(story_of(rows, release), story_of(ours, release))
    return found


def _is_kept(row: Row) -> bool:
    return COORDINATORS.search(f"{row.message} ({row.logger})") is not None


def _marked_server(real: ServerStory, other: ServerStory) -> ServerConformance:
    marks = {name: likeness(getattr(real, name), getattr(other, name)) for name in SERVER_MARKS}
    return ServerConformance(marks, tuple(_server_differences(real, other)))


def _server_differences(real: ServerStory, other: ServerStory) -> Iterator[str]:
    for name in SERVER_MARKS:
        yield from changed(name, getattr(real, name), getattr(other, name))
