"""Writes what both labs gave for the claims: numbers by chapter, and a table of all rows.

The page of numbers is notebooks/PROOF.md; the table is a page of the book.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from kafkalab.real.proof.course_claims import REASONS
from kafkalab.real.proof.real_run import runs_of
from kafkalab.real.proof.simulated_play import FEW_SEEDS, RUNS_OF_CHANCE

if TYPE_CHECKING:
    from kafkalab.real.proof.claim import RealStory
    from kafkalab.real.proof.course_claims import ClaimProof
    from kafkalab.real.proof.real_run import RealRun
    from kafkalab.real.proof.simulated_play import SimulatedPlay

LONGEST_CELL = 160
HEAD = f"""# What real Kafka says to the course

A claim of a chapter is a small story that ran twice: on the simulator, and on real brokers with a
released Java client. A row is one claim with one release of the client.

The simulator plays each story with {FEW_SEEDS} seeds. Where their values differ, the claim is a
matter of chance. Then the story runs {RUNS_OF_CHANCE} times on either side: the simulator plays it
with {RUNS_OF_CHANCE} seeds, and real Kafka repeats it. A row agrees where the sides have a value in
common, else it is open.

The brokers are 4.4.0, or 2.3.1 with ZooKeeper where a row says so. Settings such as idle limits are
shorter than in the chapters, because real time passes.
"""
ABOUT_THE_PAGE = """`python -m kafkalab real prove` runs the stories again and writes this page;
nobody edits it. What real Kafka gave is in `proof_runs.jsonl` beside it. `make book` makes a table
of all rows from it.
"""
CHAPTERS = """| chapter | claims | rows | agree | by chance | open | releases |
|---|---|---|---|---|---|---|"""
ROWS = "| claim | release | simulated | real | |\n|---|---|---|---|---|"


class Proof(NamedTuple):
    """What came out on both sides.

    simulated  a story's id and a release -> what the simulator gave
    runs       what real Kafka gave, oldest first
    """

    stories: Sequence[RealStory]
    simulated: Mapping[tuple[str, str], SimulatedPlay]
    runs: Sequence[RealRun]


class ProofRow(NamedTuple):
    """One claim with one release: `simulated` has a value for each seed, `real` for each run."""

    chapter: str
    claim: str
    simulated: list[Any]
    real: list[Any]
    release: str
    date: str
    problem: str

    @property
    def by_chance(self) -> bool:
        """Whether the values of a side differ."""
        return len(_distinct(self.simulated)) > 1 or len(_distinct(self.real)) > 1

    @property
    def agrees(self) -> bool:
        """Whether the sides have a value in common."""
        return any(each in self.simulated for each in self.real)

    @property
    def verdict(self) -> str:
        """What the last column says."""
        if not self.agrees:
            return f"**open**: {_short(self.problem) or 'they differ'}"
        if not self.by_chance:
            return "agreed"
        simulated, real = _distinct(self.simulated), _distinct(self.real)
        if all(each in simulated for each in real):
            whole = len(real) == len(simulated)
            return f"chance: {'the same values' if whole else 'real ones are among them'}"
        if all(each in real for each in simulated):
            return "chance: real Kafka has more values"
        return "chance: they overlap"


def proof_rows(proof: Proof) -> list[ProofRow]:
    """A row for each claim that ran with the story as it is now."""
    rows = []
    for story in sorted(proof.stories, key=lambda each: each.id):
        for release in story.releases:
            runs = runs_of(story, release, proof.runs)
            played = proof.simulated.get((story.id, release))
            if not runs or played is None:
                continue
            for claim, text in story.claims.items():
                simulated = played.of(claim)
                real = [run.values[claim] for run in runs if claim in run.values]
                problem = played.problem or (runs[-1].problem if not real else "")
                rows.append(
                    ProofRow(story.chapter, text, simulated, real, release, runs[-1].date, problem)
                )
    return rows


def proof_text(proof: Proof, claims: Mapping[str, ClaimProof]) -> str:
    """The page: how many rows of each chapter agree, which are open, and which claims have no
    story."""
    rows = proof_rows(proof)
    parts = [HEAD, ABOUT_THE_PAGE, _sum_of(rows), CHAPTERS]
    parts += [_chapter(chapter, of_chapter) for chapter, of_chapter in _by_chapter(rows)]
    still_open = [row for row in rows if not row.agrees]
    if still_open:
        parts += ["\n## Open\n", ROWS, *map(_line, still_open)]
    return "\n".join([*parts, "", _without_story(claims, names=False)])


def rows_text(proof: Proof, claims: Mapping[str, ClaimProof]) -> str:
    """The page of the book: every row, and every claim without a story."""
    rows = proof_rows(proof)
    parts = [HEAD, _sum_of(rows)]
    for chapter, of_chapter in _by_chapter(rows):
        parts += [f"## Chapter {chapter}\n", ROWS, *map(_line, of_chapter), ""]
    return "\n".join([*parts, _without_story(claims, names=True)])


def _by_chapter(rows: Sequence[ProofRow]) -> list[tuple[str, list[ProofRow]]]:
    chapters = sorted({row.chapter for row in rows})
    return [(chapter, [row for row in rows if row.chapter == chapter]) for chapter in chapters]


def _sum_of(rows: Sequence[ProofRow]) -> str:
    agreed = sum(row.agrees for row in rows)
    chance = sum(row.agrees and row.by_chance for row in rows)
    dates = sorted({row.date for row in rows})
    return (
        f"{len(rows)} rows, {agreed} agree ({chance} of them are a matter of chance), "
        f"{len(rows) - agreed} do not. Clients: {', '.join(_releases(rows)) or 'none'}. "
        f"Run: {' to '.join(sorted({*dates[:1], *dates[-1:]})) or 'never'}.\n"
    )


def _releases(rows: Sequence[ProofRow]) -> list[str]:
    return sorted({row.release for row in rows}, key=lambda name: [int(n) for n in name.split(".")])


def _chapter(chapter: str, rows: Sequence[ProofRow]) -> str:
    agreed = [row for row in rows if row.agrees]
    numbers = (
        len({row.claim for row in rows}),
        len(rows),
        len(agreed),
        sum(row.by_chance for row in agreed),
        len(rows) - len(agreed),
    )
    return f"| {chapter} | {' | '.join(map(str, numbers))} | {', '.join(_releases(rows))} |"


def _without_story(claims: Mapping[str, ClaimProof], names: bool) -> str:
    """The last section: how many claims of the course have a story, and which have none and why."""
    without: dict[str, list[str]] = {key: [] for key in REASONS}
    for name, proof in claims.items():
        if proof.reason:
            without[proof.reason].append(name)
    count = sum(map(len, without.values()))
    parts = [
        "## What the course claims\n",
        f"The chapters make {len(claims)} claims: numbers that a guess is compared with, claims\n"
        "of the myth court, and rows of the tables then and now. A story proves\n"
        f"{len(claims) - count} of them. These {count} have none:\n",
        "| why | how many |" + " which |" * names + "\n|---|---|" + "---|" * names,
    ]
    for key, listed in without.items():
        if listed:
            shown = " · ".join(name.replace("|", "\\|") for name in listed)
            parts.append(f"| {REASONS[key]} | {len(listed)} |" + f" {shown} |" * names)
    return "\n".join(parts) + "\n"


def _line(row: ProofRow) -> str:
    cells = (_side(row.simulated, row.by_chance), _side(row.real, row.by_chance))
    return f"| {row.claim} | {row.release} | {cells[0]} | {cells[1]} | {row.verdict} |"


def _side(values: Sequence[Any], by_chance: bool) -> str:
    """One side's values. Where chance decides, each with how often it came: `3 (7 times)`."""
    if not values:
        return "not run"
    if not by_chance:
        return cell_text(values[0])
    counted = [(cell_text(each), values.count(each)) for each in _distinct(values)]
    return ", or ".join(
        f"{text} ({'once' if count == 1 else f'{count} times'})" for text, count in counted
    )


def _distinct(values: Sequence[Any]) -> list[Any]:
    """Each value once, the smallest first."""
    found: list[Any] = []
    for value in values:
        if value not in found:
            found.append(value)
    return sorted(
        found, key=lambda each: (str(type(each)), each if _is_number(each) else 0, repr(each))
    )


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float))


def cell_text(value: Any) -> str:
    """One value as a cell of the page has it."""
    if isinstance(value, list):
        text = ", ".join(map(str, value)) or "none"
    elif isinstance(value, bool):
        text = "yes" if value else "no"
    else:
        text = str(value)
    return _short(text)


def _short(text: str) -> str:
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= LONGEST_CELL else text[: LONGEST_CELL - 1] + "…"
