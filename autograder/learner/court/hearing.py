"""Hears a claim: compares the learner's answer with the court's, release by release.

The learner's experiment says for each version whether the claim holds. The verdict comes when both
agree in all versions. Until then the court says where they do not.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from autograder.cell.check import truth
from autograder.learner.court.claim import Claim
from autograder.learner.court.experiments import EARLIER_CLAIMS
from autograder.learner.court.later_chapters import LATER_CLAIMS

CLAIMS = (*EARLIER_CLAIMS, *LATER_CLAIMS)
OURS = tuple(str(Path(__file__).resolve().parents[3] / room) for room in ("kafkalab", "autograder"))
"""The folders whose lines are not the learner's."""
FAR_APART = 5
"""How far two small numbers may be apart, where one of them is more than twice the other."""
WANTED = "return two values: whether the claim holds (True or False), and what you measured"


@dataclass(frozen=True)
class Answer:
    """What an experiment says of one version: whether the claim holds, and what it measured."""

    holds: bool
    measured: object


@dataclass(frozen=True)
class Hearing:
    """What was found: for each version the court's answer and the learner's. The learner's is None
    where the learner gave up and asked for the court's."""

    claim: Claim
    rows: tuple[tuple[str, Answer, Answer | None], ...]

    @property
    def court_says(self) -> str:
        """ "true", "false", "until X", "from X", or "it depends" where it comes and goes."""
        held = [court.holds for _, court, _ in self.rows]
        if all(held) or not any(held):
            return "true" if held[0] else "false"
        changes = [index for index in range(1, len(held)) if held[index] != held[index - 1]]
        if len(changes) > 1:
            return "it depends"
        return (
            f"until {self.rows[changes[0] - 1][0]}"
            if held[0]
            else f"from {self.rows[changes[0]][0]}"
        )

    @property
    def disagreed(self) -> tuple[str, ...]:
        """The versions of which the learner says something else than the court."""
        return tuple(
            version
            for version, court, yours in self.rows
            if yours is not None and yours.holds != court.holds
        )

    @property
    def verdict(self) -> str | None:
        """The verdict, or None while learner and court disagree."""
        return None if self.disagreed else self.court_says

    def __str__(self) -> str:
        asked = self.rows[0][2] is not None
        heads = ["version", *(["you say", "you measured"] if asked else []), "court says"]
        table = [[*heads, "court measured", ""]]
        for version, court, yours in self.rows:
            cells = [version]
            if yours is not None:
                cells += [_word(yours.holds), repr(yours.measured)]
            mark = "you disagree" if version in self.disagreed else ""
            table.append([*cells, _word(court.holds), repr(court.measured), mark])
        return "\n".join([*_head(self.claim), *_columns(table), "", *self._end()])

    def _end(self) -> list[str]:
        if self.disagreed:
            return [
                f"No verdict yet: you and the court disagree about {_and(self.disagreed)}.",
                f"Think about this: {self.claim.ask}",
                f"Change your experiment. court({self.claim.number}, give_up=True) ends the case.",
            ]
        other = [
            version
            for version, court, yours in self.rows
            if yours is not None and yours.measured != court.measured
        ]
        said = f"Verdict: {self.court_says}. {self.claim.because}"
        if not other:
            return [said]
        far = [
            f"{yours.measured} where the court has {court.measured} ({version})"
            for version, court, yours in self.rows
            if yours is not None and _are_far(yours.measured, court.measured)
        ]
        if far:
            return [
                said,
                f"Your numbers are far from the court's: {far[0]}. The answer is the same, but you "
                f"measured something else. {self.claim.ask}",
            ]
        return [
            said,
            f"Your numbers are not the court's in {_and(other)}. Names, times or pauses differ; "
            "the answer is the same.",
        ]

    __repr__ = __str__  # the last line of a cell shows it


def _are_far(left: object, right: object) -> bool:
    """Whether of two numbers one is more than twice the other, and a little more."""
    if isinstance(left, bool) or isinstance(right, bool):
        return False
    if not isinstance(left, (int, float)) or not isinstance(right, (int, float)):
        return False
    return max(left, right) > 2 * min(left, right) + FAR_APART


class NotYetHeard(str):
    """What the court says while there is no answer for each version; it shows nothing of its
    own."""

    __repr__ = str.__str__


class Unheard(Exception):
    """The experiment gave no answer for a version; the message says why and what to do."""


def claims() -> str:
    """The claims, one line each, without their verdicts."""
    return "\n".join(f"{claim.number:2}  {claim.says}" for claim in CLAIMS)


def court(
    number: int, experiment: Callable[[str], object] | None = None, *, give_up: bool = False
) -> Hearing | NotYetHeard:
    """Hear one claim.

    experiment: takes a client version ("2.3") and returns (whether the claim holds, what was
    measured). give_up: show the court's own answer; no experiment is needed.

    LookupError, with a sentence, for a number that no claim has.
    """
    claim = next((each for each in CLAIMS if each.number == number), None)
    if claim is None:
        raise LookupError(f"There is no claim {number!r}; they are numbered 1 to {len(CLAIMS)}.")
    if give_up:
        return _heard(claim, [None] * len(claim.versions))
    if experiment is None:
        return _not_yet(claim, f"Write an experiment(version) and let it {WANTED}.")
    yours: list[Answer | None] = []
    for version in claim.versions:
        try:
            yours.append(_ask(claim, experiment, version))
        except Unheard as why:
            return _not_yet(claim, str(why))
    return _heard(claim, yours)


def _heard(claim: Claim, yours: list[Answer | None]) -> Hearing:
    """Run the court's experiment; with a verdict the learner's guess gets its truth."""
    rows = []
    for version, answer in zip(claim.versions, yours):
        measured = claim.experiment(version)
        rows.append((version, Answer(bool(claim.holds(measured)), measured), answer))
    hearing = Hearing(claim, tuple(rows))
    if hearing.verdict is not None:
        truth(f"myth {claim.number:02}", verdict=hearing.verdict)
    return hearing


def _ask(claim: Claim, experiment: Callable[[str], object], version: str) -> Answer:
    """The learner's answer for one version. Raises Unheard where there is none."""
    try:
        said = experiment(version)
    except Exception as problem:  # a learner's mistake is told, and nothing of the court is shown
        kind, line = type(problem).__name__, _line_of(problem)
        raise Unheard(
            f"Your experiment stopped for version {version}, {line}{kind}: {problem}"
        ) from None
    if said is None or said is ...:
        raise Unheard(f"Your experiment returned nothing. Let it {WANTED}.")
    pair = said if isinstance(said, tuple) and len(said) == 2 else (said, None)
    if pair[0] is None or pair[0] is ...:
        raise Unheard(f"Your experiment does not say yet whether the claim holds. Let it {WANTED}.")
    if not isinstance(pair[0], bool) or pair is not said:
        raise Unheard(f"Your experiment returned {said!r}. Let it {WANTED}.")
    answer = Answer(*pair)
    try:
        shown = bool(claim.holds(answer.measured))
    except Exception:  # a value of another shape than the claim's
        raise Unheard(
            f"For version {version} you measured {answer.measured!r}. The claim asks for something "
            "else; see the line Measure."
        ) from None
    if shown != answer.holds:
        raise Unheard(
            f"For version {version} you measured {answer.measured!r} and say that the claim "
            f"{_word(answer.holds)}{'' if answer.holds else ' hold'}. With this number it "
            f"{_word(shown)}{'' if shown else ' hold'}."
        )
    return answer


def _line_of(problem: Exception) -> str:
    """ "in line 3: ", the last line of the learner's own that led to the problem."""
    frames = traceback.extract_tb(problem.__traceback__)
    own = [frame.lineno for frame in frames if not frame.filename.startswith(OURS)]
    return f"in line {own[-1]}: " if own else ""


def _not_yet(claim: Claim, why: str) -> NotYetHeard:
    return NotYetHeard(
        "\n".join(
            [
                *_head(claim),
                why,
                f"court({claim.number}, give_up=True) shows the court's own answer.",
            ]
        )
    )


def _head(claim: Claim) -> list[str]:
    return [f"Claim {claim.number}: {claim.says}", f"Measure: {claim.measures}", ""]


def _word(holds: bool) -> str:
    return "holds" if holds else "does not"


def _and(versions: list[str] | tuple[str, ...]) -> str:
    *first, last = versions
    return f"{', '.join(first)} and {last}" if first else last


def _columns(table: list[list[str]]) -> list[str]:
    """Rows of cells as lines, two blanks between columns."""
    wide = [max(len(row[place]) for row in table) for place in range(len(table[0]))]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, wide)).rstrip() for row in table
    ]
