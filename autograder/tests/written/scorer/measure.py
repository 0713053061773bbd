"""Measures how well the suggestions agree with a person's marks on synthetic answers.

    python -m autograder.tests.written.scorer.measure            # the table, development and
                                                                 # held-out halves apart
    python -m autograder.tests.written.scorer.measure --misses   # every disagreement of the
                                                                 # development half, with its text

A corpus is a table: mark, the ideas a fair marker finds in it, the answer. The marks were written
before the scorer saw the answers. Lines with an even number are for development; odd ones are held
out: look at their figures, not at them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from autograder.written.rubrics import by_question, suggest
from autograder.written.scorer import Suggestion

CORPUS = Path(__file__).parent / "corpus"
PASS_MARK = 3
IDEAS = {
    "01.open": "GOAR",
    "02.open": "FKAIT",
    "02.open2": "EPBS",
    "03.open": "43ILC",
    "04.open": "KOSN",
    "05.open": "WSD",
    "06.open": "ERIS",
    "07.open": "DGTI",
    "08.open": "LSTQ",
    "09.open": "OVDF",
    "10.open": "TOCSXP",
    "11.open": "DRAL",
    "12.open": "KOSL",
    "13.open": "LQSC",
    "14.open": "PMLT",
    "15.open": "WSOB",
    "16.open": "OPLR",
    "17.open": "LDWROXFN",
}
"""The letters of each question's ideas, in the order of its rubric;
each file's first line tells what they stand for."""


def names() -> list[str]:
    """The corpora of the questions that have a rubric, one file each:
    "02.open", "02.open-second", ..."""
    return sorted(
        path.stem for path in CORPUS.glob("[01]*.tsv") if path.stem.split("-")[0] in by_question()
    )


@dataclass(frozen=True)
class Marked:
    """One synthetic answer and the mark a person gave it."""

    question_id: str
    number: int
    mark: int
    ideas: str
    answer: str


@dataclass(frozen=True)
class Agreement:
    """Suggestions against marks. Rates are shares of all answers that should
    fail (false pass) or pass (false fail)."""

    answers: int
    kappa: float
    mean_error: float
    false_pass: float
    false_fail: float


def corpus(name: str) -> list[Marked]:
    """The answers of one file, e.g. "02.open" or "02.open-second"."""
    rows = [
        line.split("\t")
        for line in (CORPUS / f"{name}.tsv").read_text(encoding="utf-8").splitlines()
        if line and not line.startswith("#")
    ]
    return [
        Marked(name.split("-")[0], number, int(mark), ideas, answer.replace("\\n", "\n"))
        for number, (mark, ideas, answer) in enumerate(rows)
    ]


def halves(answers: Sequence[Marked]) -> dict[str, list[Marked]]:
    """Development (even numbers) and held out (odd numbers)."""
    return {
        "development": [one for one in answers if one.number % 2 == 0],
        "held out": [one for one in answers if one.number % 2 == 1],
    }


@cache
def suggested(question_id: str, answer: str) -> Suggestion:
    """`suggest`, once for each answer however many tests ask."""
    return suggest(question_id, answer)


def agreement(answers: Iterable[Marked]) -> Agreement:
    """Suggest a mark for each answer and compare."""
    pairs = [(one.mark, suggested(one.question_id, one.answer)) for one in answers]
    marks = [(given, suggestion.mark) for given, suggestion in pairs]
    failing = [suggestion.passed for given, suggestion in pairs if given < PASS_MARK]
    passing = [suggestion.passed for given, suggestion in pairs if given >= PASS_MARK]
    return Agreement(
        answers=len(marks),
        kappa=quadratic_weighted_kappa(marks),
        mean_error=sum(abs(given - suggested) for given, suggested in marks) / len(marks),
        false_pass=sum(failing) / len(failing) if failing else 0.0,
        false_fail=1 - sum(passing) / len(passing) if passing else 0.0,
    )


def quadratic_weighted_kappa(pairs: Sequence[tuple[int, int]], highest: int = 4) -> float:
    """Cohen's kappa with squared distances as weights (Cohen 1968):
    1 is full agreement, 0 is what chance gives."""
    total = len(pairs)
    seen = sum((a - b) ** 2 for a, b in pairs) / total
    left = [sum(a == mark for a, _ in pairs) / total for mark in range(highest + 1)]
    right = [sum(b == mark for _, b in pairs) / total for mark in range(highest + 1)]
    by_chance = sum(
        left[a] * right[b] * (a - b) ** 2 for a in range(highest + 1) for b in range(highest + 1)
    )
    return 1 - seen / by_chance if by_chance else 1.0


def main() -> None:
    parser = argparse.ArgumentParser(
        description="Agreement of suggested marks with a person's, on synthetic answers."
    )
    parser.add_argument(
        "--misses", action="store_true", help="show the disagreements of the development halves"
    )
    parser.add_argument("names", nargs="*", help="corpora, without .tsv (default: all)")
    options = parser.parse_args()
    chosen = options.names or names()
    print(
        f"{'corpus':<18}{'half':<13}{'answers':>8}{'QWK':>7}{'MAE':>7}{'false pass':>12}{'false fail':>12}"  # noqa: E501
    )
    for name in chosen:
        for half, answers in halves(corpus(name)).items():
            found = agreement(answers)
            print(
                f"{name:<18}{half:<13}{found.answers:>8}{found.kappa:>7.3f}{found.mean_error:>7.2f}{found.false_pass:>11.1%}{found.false_fail:>11.1%}"
            )
            if options.misses and half == "development":
                _show_misses(answers)


def _show_misses(answers: Iterable[Marked]) -> None:
    for one in answers:
        suggestion = suggest(one.question_id, one.answer)
        if suggestion.mark != one.mark:
            print(
                f"\n  #{one.number} marked {one.mark} ({one.ideas}): {one.answer}\n"
                f"    {suggestion.sentence} {suggestion.flags} {suggestion.confidence}"
            )
            for finding in suggestion.concepts:
                print(
                    "      "
                    f"{finding.status:<13}{finding.name[:30]:<32}{[span.quote for span in finding.evidence]}"  # noqa: E501
                )


if __name__ == "__main__":
    main()
