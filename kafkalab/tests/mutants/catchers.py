"""What catches a mutant: a law on some seed, a case of cases.json,
or a recording that is not played as it was any more."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from kafkalab.proof.cases.command import answer_cases
from kafkalab.proof.conformance import table
from kafkalab.proof.conformance.seeds import conform
from kafkalab.proof.laws.stories import STORIES
from kafkalab.proof.laws.trial import try_seed

CASES = Path(__file__).parents[1] / "answer" / "cases.json"


@dataclass(frozen=True, slots=True)
class Law:
    """Broken on one of the first `seeds` stories of a kind; any law will do where none is named."""

    story: str
    law: str = ""
    seeds: int = 80

    def catch(self) -> str:
        """What was seen, "" where nothing was."""
        stories = [story for story in STORIES if story.name == self.story]
        for seed in range(self.seeds):
            trial = try_seed(seed, stories)
            broken = [breach for breach in trial.found if self.law in breach.law]
            if broken:
                return f"seed {seed}: {broken[0].sentence}"
            if trial.fell and not self.law:
                return f"seed {seed}: {trial.fell}"
        return ""

    def __str__(self) -> str:
        return f"law: {self.law or 'any'} (stories of {self.story})"


@dataclass(frozen=True, slots=True)
class Vector:
    """A case of that group is answered otherwise."""

    group: str

    def catch(self) -> str:
        content = json.loads(CASES.read_text(encoding="utf-8"))
        asked = [case for case in content["vectors"] if case["group"] == self.group]
        found = answer_cases(
            content["meta"],
            [{key: value for key, value in case.items() if key != "expected"} for case in asked],
        )
        for case in asked:
            assert "error" not in found[case["id"]], (
                f"the mutant does not stand: {found[case['id']]['error']}"
            )
            if {key: _plain(found[case["id"]].get(key)) for key in case["ask"]} != {
                key: _plain(case["expected"][key]) for key in case["ask"]
            }:
                return f"{case['id']}: {found[case['id']]}"
        return ""

    def __str__(self) -> str:
        return f"vector: {self.group}"


def _plain(value):
    """Assignments are compared as sets, and so may the rest be here:
    a mutant changes more than an order."""
    return sorted(value, key=str) if isinstance(value, list) else value


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording of data/recordings scores lower than kafkalab/tests/conformance.json promises."""

    name: str

    def catch(self) -> str:
        rows = table.load_table()
        folder = table.RECORDINGS / self.name
        result = conform(folder, table.seeds_of(self.name, rows), name=self.name)
        return next(table.falls(result, rows), "")

    def __str__(self) -> str:
        return f"recording: {self.name}"
