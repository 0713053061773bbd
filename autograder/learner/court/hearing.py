"""Hears a claim: its experiment beside the learner's, release by release, and the verdict that
follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from autograder.cell.check import truth
from autograder.learner.court.claim import Claim
from autograder.learner.court.experiments import CLAIMS


@dataclass(frozen=True)
class Hearing:
    """What came out: for each version what the court measured, whether the claim held, and what
    the learner measured (None: not asked, or an error's text)."""

    claim: Claim
    rows: tuple[tuple[str, object, bool, object], ...]
    asked: bool

    @property
    def verdict(self) -> str:
        """ "true", "false", "until X", "from X", or "it depends" where it comes and goes."""
        held = [holds for _, _, holds, _ in self.rows]
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

    def __str__(self) -> str:
        lines = [
            f"Claim {self.claim.number}: {self.claim.says}",
            f"Measured: {self.claim.measures}",
            "",
        ]
        wide = max(10, *(len(repr(value)) for _, value, _, _ in self.rows)) + 2
        lines.append(f"{'version':9}{'the court':{wide}}{'yours':{wide}}" + "the claim holds")
        for version, value, holds, yours in self.rows:
            shown = (
                ""
                if not self.asked
                else yours
                if isinstance(yours, Problem)
                else repr(yours) + ("" if yours == value else "  differs")
            )
            lines.append(
                f"{version:9}{value!r:{wide}}{shown!s:{wide}}" + ("yes" if holds else "no")
            )
        stopped = next(
            (yours for _, _, _, yours in self.rows if isinstance(yours, Problem) and yours.says),
            None,
        )
        if stopped is not None:
            lines += ["", f"Your experiment stopped: {stopped.says}"]
        lines += ["", f"Verdict: {self.verdict}. {self.claim.because}"]
        return "\n".join(lines)

    __repr__ = __str__  # the last line of a cell shows it


class Problem(str):
    """What stopped the learner's experiment, in a word, shown in its place;
    `says` is its whole sentence."""

    says = ""


class NotYetHeard(str):
    """What the court says while there is no experiment; it keeps its own to itself."""

    __repr__ = str.__str__


def claims() -> str:
    """The claims, one line each, without their verdicts."""
    return "\n".join(f"{claim.number:2}  {claim.says}" for claim in CLAIMS)


def court(number: int, experiment: Callable[[str], object] | None = None) -> Hearing | NotYetHeard:
    """Hear one claim. `experiment` takes a client version ("2.3") and returns what the claim's
    `measures` asks for.

    LookupError, with a sentence, for a number that no claim has. What goes wrong in the learner's
    experiment is shown in its row; the court goes on.
    """
    claim = next((each for each in CLAIMS if each.number == number), None)
    if claim is None:
        raise LookupError(f"There is no claim {number!r}; they are numbered 1 to {len(CLAIMS)}.")
    found = [_ask(experiment, version) for version in claim.versions]
    if experiment is not None and all(value is None for value in found):
        return NotYetHeard(
            "Your experiment returned nothing yet. Let it return: "
            f"{claim.measures}{'' if claim.measures.endswith('?') else '.'}\ncourt({number}) alone "
            "shows the court's own."
        )
    rows = []
    for version, yours in zip(claim.versions, found):
        value = claim.experiment(version)
        rows.append((version, value, bool(claim.holds(value)), yours))
    hearing = Hearing(claim, tuple(rows), experiment is not None)
    truth(f"myth {number:02}", verdict=hearing.verdict)
    return hearing


def _ask(experiment, version: str) -> object:
    """What the learner's experiment measured; a Problem where it stopped."""
    if experiment is None:
        return None
    try:
        return experiment(version)
    except Exception as problem:  # a learner's mistake is shown, and the hearing goes on
        stopped = Problem(type(problem).__name__)
        stopped.says = f"{problem}"
        return stopped
