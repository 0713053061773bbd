"""Reading: the facts of a run that laws need, read from its journal in one pass."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from kafkalab.sim.journal import Journal

WANTED_LINES = {"FETCH_HIGH_WATERMARK": "seen.watermark", "RESETTING_OFFSET": "seen.watermark"}
"""Lines whose facts are in no other event -> the kind of fact as which they are read."""


EVERYBODY = "everybody"
"""The name in the journal of a fault that is about a topic."""


class Fact(NamedTuple):
    """An event of the journal: its place, time, kind, owner and values."""

    id: int
    at_ms: int
    kind: str
    who: str
    tells: Mapping[str, Any]


class Reading:
    """The events of the kinds that laws ask for, in order; `of(kind)` gives one kind."""

    KINDS = frozenset(
        (
            "record.appended log.ends record.completed record.delivered commit assignment call "
            "group.assigned group.member group.left state fault election topic.created "
            "topic.deleted partition.changed consumer_group.fenced replica.fetched "
            "replica.truncated told"
        ).split()
    )

    def __init__(self, journal: Journal) -> None:
        self.facts: list[Fact] = []
        self._by_kind: dict[str, list[Fact]] = {}
        for id, (at_ms, wording, who, _, values) in enumerate(journal.kept):
            if type(wording) is str:
                kind, tells = wording, values
                if kind not in self.KINDS:
                    continue
            else:
                kind = wording.kind
                if kind == "line":
                    if wording.name not in WANTED_LINES:
                        continue
                    kind, tells = WANTED_LINES[wording.name], values
                elif kind in self.KINDS:
                    tells = wording.fields(values)
                else:
                    continue
            fact = Fact(id, at_ms, kind, who, tells)
            self.facts.append(fact)
            self._by_kind.setdefault(kind, []).append(fact)

    def of(self, kind: str) -> list[Fact]:
        return self._by_kind.get(kind, [])

    def faults_between(self, from_ms: int, to_ms: int, client: str = "") -> bool:
        """Whether a fault happened to a broker, or to this client, at any time between these
        two."""
        return any(
            fact.at_ms <= to_ms
            and fact.tells["until_ms"] >= from_ms
            and (
                fact.who.startswith("broker-")
                or fact.who == EVERYBODY
                or client.startswith(fact.who)
            )
            for fact in self.told("fault")
        )

    def told(self, what: str) -> list[Fact]:
        """The notes of the story's clients under that heading (`note`)."""
        return [fact for fact in self.of("told") if fact.tells["what"] == what]


def note(journal: Journal, who: str, what: str, **fields: Any) -> None:
    """A client of the story notes what no machine can know: which records belong together, who
    reads at the end."""
    journal.append("told", who, what=what, **fields)
