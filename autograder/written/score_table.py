"""Prints how the scorer does on the marked answers kept with its tests (`score --table`).

Per question, and apart for the answers the rubrics were written with ("seen") and those nobody
looked at while writing them ("held"): how many, how well the marks agree where no person reads
(QWK), how many wrong answers and how many attempts to cheat were accepted, what share goes to a
person, what an answer costs. The answers are synthetic; a teacher's own marks (`calibrate`) say
more. The folder is not part of a learner's package, where this command says so.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.grading.scoring import decide
from autograder.written.agreement import quadratic_weighted_kappa
from autograder.written.rubrics import by_question, suggest
from autograder.written.scorer import PASS_MARK

MARKED = Path(__file__).parents[1] / "tests" / "written" / "scorer" / "corpus"
GAMING = "gaming.tsv"  # question, the guard that should speak, answer
SEEN, HELD = "seen", "held"


@dataclass(frozen=True)
class MarkedAnswer:
    """One answer and the mark a person gave it. `ideas`: a letter for each idea found;
    ! a wrong central claim, g gaming."""

    question: str
    number: int
    mark: int
    ideas: str
    answer: str

    @property
    def gaming(self) -> bool:
        return "g" in self.ideas


@dataclass(frozen=True)
class Row:
    """One line of the table. Rates are shares, 0..1; None where there is nothing to divide by.

    `wrong` and `gaming` are wrong answers and attempts to cheat that were accepted, of how many; a
    rejected good answer is `lost`.
    """

    question: str
    part: str
    answers: int
    # (a person's mark, the scorer's) where no person would read first
    sure: tuple[tuple[int, int], ...]
    wrong: tuple[int, int]
    gaming: tuple[int, int]
    lost: tuple[int, int]
    milliseconds: float

    @property
    def kappa(self) -> float | None:
        """Quadratic weighted kappa of what no person would read first."""
        return quadratic_weighted_kappa(self.sure) if self.sure else None

    @property
    def review(self) -> float:
        """Share that goes to a person, 0..1."""
        return 1 - len(self.sure) / self.answers


def read(path: Path) -> list[MarkedAnswer]:
    """The marked answers of one file: mark, ideas, answer, with tabs between.
    Lines that begin with # are for people."""
    rows = [
        line.split("\t")
        for line in path.read_text(encoding="utf-8").split("\n")
        if line and not line.startswith("#")
    ]
    return [
        MarkedAnswer(path.stem.split("-")[0], number, int(mark), ideas, answer.replace("\\n", "\n"))
        for number, (mark, ideas, answer) in enumerate(rows)
    ]


def parts(folder: Path = MARKED) -> dict[tuple[str, str], list[MarkedAnswer]]:
    """All marked answers by (question, "seen" or "held").

    Of a question's first file (`08.open.tsv`) the odd lines are held; of files called `-held` all;
    the others are seen.
    """
    found: dict[tuple[str, str], list[MarkedAnswer]] = defaultdict(list)
    known = by_question()
    for path in sorted(folder.glob("*.open*.tsv")):
        if path.stem.split("-")[0] not in known:
            continue
        for one in read(path):
            held = one.number % 2 == 1 if "-" not in path.stem else "-held" in path.stem
            found[one.question, HELD if held else SEEN].append(one)
    for number, line in enumerate(
        (folder / GAMING).read_text(encoding="utf-8").split("\n")
        if (folder / GAMING).exists()
        else ()
    ):
        question, _, answer = (
            line.split("\t") if line and not line.startswith("#") else ("", "", "")
        )
        if question in known:
            found[question, SEEN].append(
                MarkedAnswer(question, number, 0, "g", answer.replace("\\n", "\n"))
            )
    return dict(sorted(found.items()))


def row(
    question: str,
    part: str,
    answers: Sequence[MarkedAnswer],
    clock: Callable[[], float] = time.perf_counter,
) -> Row:
    """Score the answers of one part and compare with their marks."""
    for one in answers[:2]:
        suggest(question, one.answer)  # patterns are compiled when they are first needed
    began = clock()
    suggested = [suggest(question, one.answer) for one in answers]
    spent = clock() - began
    said = [
        (one, suggestion.mark, decide(suggestion)) for one, suggestion in zip(answers, suggested)
    ]
    return Row(
        question,
        part,
        len(answers),
        tuple((one.mark, mark) for one, mark, decision in said if decision != "review"),
        _share(said, "accept", lambda one: one.mark < PASS_MARK and not one.gaming),
        _share(said, "accept", lambda one: one.gaming),
        _share(said, "reject", lambda one: one.mark >= PASS_MARK),
        1000 * spent / len(answers),
    )


def rows_by_question(question: str | None = None, folder: Path = MARKED) -> list[Row]:
    """The table by question, or one question's lines. ValueError, with a sentence,
    where there are no marked answers."""
    marked = {key: answers for key, answers in parts(folder).items() if question in (None, key[0])}
    if not marked:
        raise ValueError(
            f"There are no marked answers{' to ' + question if question else ''} here (the folder "
            f"{folder.name} is not part of a learner's package)."
        )
    return [row(question, part, answers) for (question, part), answers in marked.items()]


def text(rows: Iterable[Row]) -> str:
    """The table as a page of text, with a line for each part of all questions together."""
    rows = list(rows)
    lines = [
        f"{'question':<11}{'part':<6}{'answers':>8}{'QWK':>7}{'wrong accepted':>17}{'gaming accepted':>17}{'good rejected':>15}{'to review':>11}{'ms':>7}"  # noqa: E501
    ]
    together = [
        _together(part, [one for one in rows if one.part == part])
        for part in (SEEN, HELD)
        if any(one.part == part for one in rows)
    ]
    for one in [*rows, *together]:
        kappa = f"{one.kappa:.2f}" if one.kappa is not None else "-"
        lines.append(
            f"{one.question:<11}{one.part:<6}{one.answers:>8}{kappa:>7}{_of(one.wrong):>17}{_of(one.gaming):>17}{_of(one.lost):>15}{one.review:>11.0%}{one.milliseconds:>7.1f}"
        )
    lines += [
        "",
        (
            "QWK, wrong and good are counted among the answers no person would read first. seen: "
            "used while the rubrics were written;"
        ),
        (
            "held: not looked at until they were measured. All answers are synthetic, so your own "
            "marks (calibrate) decide what may stand."
        ),
    ]
    return "\n".join(lines)


def as_data(rows: Iterable[Row]) -> list[Mapping[str, object]]:
    """The table as plain data for JSON."""
    return [
        {
            "question": one.question,
            "part": one.part,
            "answers": one.answers,
            "qwk": one.kappa if one.kappa is None else round(one.kappa, 3),
            "wrong_accepted": list(one.wrong),
            "gaming_accepted": list(one.gaming),
            "good_rejected": list(one.lost),
            "review": round(one.review, 3),
            "ms": round(one.milliseconds, 2),
        }
        for one in rows
    ]


def _share(
    said: Sequence[tuple[MarkedAnswer, int, str]],
    decision: str,
    which: Callable[[MarkedAnswer], bool],
) -> tuple[int, int]:
    those = [word for one, _, word in said if which(one)]
    return sum(word == decision for word in those), len(those)


def _together(part: str, rows: Sequence[Row]) -> Row:
    answers = sum(one.answers for one in rows)
    return Row(
        "all",
        part,
        answers,
        tuple(pair for one in rows for pair in one.sure),
        _sum(one.wrong for one in rows),
        _sum(one.gaming for one in rows),
        _sum(one.lost for one in rows),
        sum(one.milliseconds * one.answers for one in rows) / answers,
    )


def _sum(shares: Iterable[tuple[int, int]]) -> tuple[int, int]:
    shares = list(shares)
    return sum(some for some, _ in shares), sum(of for _, of in shares)


def _of(share: tuple[int, int]) -> str:
    return f"{share[0]} of {share[1]}"
