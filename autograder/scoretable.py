"""`score --table`: how the scorer does on the marked answers kept with its tests, in the words a teacher would ask in.

Per question, and apart for the answers the rubrics were written with ("seen") and those nobody looked at while writing
them ("held"): how many, how well the marks agree where no person reads (QWK), how many wrong answers and how many
attempts to cheat were accepted, what share goes to a person, what an answer costs. The answers are synthetic; a teacher's own marks
(`calibrate`) say more. The folder is not part of a learner's package, where this command says so.
"""
from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from autograder.rubric import PASS_MARK, questions, score
from autograder.scoring import decide

MARKED = Path(__file__).parent / "tests" / "rubric" / "corpus"
SEEN, HELD = "seen", "held"


@dataclass(frozen=True)
class Marked:
    """One answer and the mark a person gave it. `ideas`: a letter for each idea found; ! a wrong central claim, g gaming."""

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

    `wrong` and `gaming` are wrong answers and attempts to cheat that were accepted, of how many; a rejected good answer
    is `lost`.
    """

    question: str
    part: str
    answers: int
    kappa: float | None
    wrong: tuple[int, int]
    gaming: tuple[int, int]
    lost: tuple[int, int]
    review: float
    milliseconds: float


def read(path: Path) -> list[Marked]:
    """The marked answers of one file: mark, ideas, answer, with tabs between. Lines that begin with # are for people."""
    rows = [line.split("\t") for line in path.read_text(encoding="utf-8").split("\n") if line and not line.startswith("#")]
    return [Marked(path.stem.split("-")[0], number, int(mark), ideas, answer.replace("\\n", "\n")) for number, (mark, ideas, answer) in enumerate(rows)]


def parts(folder: Path = MARKED) -> dict[tuple[str, str], list[Marked]]:
    """All marked answers by (question, "seen" or "held").

    Of a question's first file (`08.open.tsv`) the odd lines are held; of files called `-held` all; the others are seen.
    """
    found: dict[tuple[str, str], list[Marked]] = defaultdict(list)
    known = questions()
    for path in sorted(folder.glob("*.open*.tsv")):
        if path.stem.split("-")[0] not in known:
            continue
        for one in read(path):
            held = one.number % 2 == 1 if "-" not in path.stem else "-held" in path.stem
            found[one.question, HELD if held else SEEN].append(one)
    return dict(sorted(found.items()))


def quadratic_weighted_kappa(pairs: Sequence[tuple[int, int]], highest: int = 4) -> float:
    """Cohen's kappa with squared distances as weights (Cohen 1968): 1 is full agreement, 0 is what chance gives."""
    total = len(pairs)
    seen = sum((a - b) ** 2 for a, b in pairs) / total
    left = [sum(a == mark for a, _ in pairs) / total for mark in range(highest + 1)]
    right = [sum(b == mark for _, b in pairs) / total for mark in range(highest + 1)]
    by_chance = sum(left[a] * right[b] * (a - b) ** 2 for a in range(highest + 1) for b in range(highest + 1))
    return 1 - seen / by_chance if by_chance else 1.0


def row(question: str, part: str, answers: Sequence[Marked], clock: Callable[[], float] = time.perf_counter) -> Row:
    """Score the answers of one part and compare with their marks."""
    score(question, "warm up the patterns of this rubric")
    began = clock()
    suggested = [score(question, one.answer) for one in answers]
    spent = clock() - began
    said = [(one, suggestion.mark, decide(suggestion)) for one, suggestion in zip(answers, suggested)]
    sure = [(one.mark, mark) for one, mark, decision in said if decision != "review"]
    return Row(
        question, part, len(answers),
        quadratic_weighted_kappa(sure) if sure else None,
        _share(said, "accept", lambda one: one.mark < PASS_MARK and not one.gaming),
        _share(said, "accept", lambda one: one.gaming),
        _share(said, "reject", lambda one: one.mark >= PASS_MARK),
        1 - len(sure) / len(answers),
        1000 * spent / len(answers),
    )


def table(folder: Path = MARKED) -> list[Row]:
    """The whole table, by question; then one line for all that was seen and one for all that was held."""
    marked = parts(folder)
    return [row(question, part, answers) for (question, part), answers in marked.items()]


def text(rows: Iterable[Row]) -> str:
    """The table as a page of text, with a line for each part of all questions together."""
    rows = list(rows)
    lines = [f"{'question':<11}{'part':<6}{'answers':>8}{'QWK':>7}{'wrong accepted':>17}{'gaming accepted':>17}{'good rejected':>15}{'to review':>11}{'ms':>7}"]
    for one in rows:
        kappa = f"{one.kappa:.2f}" if one.kappa is not None else "-"
        lines.append(f"{one.question:<11}{one.part:<6}{one.answers:>8}{kappa:>7}{_of(one.wrong):>17}{_of(one.gaming):>17}{_of(one.lost):>15}{one.review:>11.0%}{one.milliseconds:>7.1f}")
    for part in (SEEN, HELD):
        these = [one for one in rows if one.part == part]
        if these:
            answers = sum(one.answers for one in these)
            review = sum(one.review * one.answers for one in these) / answers
            spent = sum(one.milliseconds * one.answers for one in these) / answers
            lines.append(f"{'all':<11}{part:<6}{answers:>8}{'':>7}{_of(_sum(one.wrong for one in these)):>17}{_of(_sum(one.gaming for one in these)):>17}"
                         f"{_of(_sum(one.lost for one in these)):>15}{review:>11.0%}{spent:>7.1f}")
    lines += ["", "QWK, wrong and good are counted among the answers no person would read first. seen: used while the rubrics were written;",
              "held: not looked at until they were measured. All answers are synthetic, so your own marks (calibrate) decide what may stand."]
    return "\n".join(lines)


def as_data(rows: Iterable[Row]) -> list[Mapping[str, object]]:
    """The table as plain data for JSON."""
    return [{"question": one.question, "part": one.part, "answers": one.answers, "qwk": one.kappa if one.kappa is None else round(one.kappa, 3),
             "wrong_accepted": list(one.wrong), "gaming_accepted": list(one.gaming), "good_rejected": list(one.lost),
             "review": round(one.review, 3), "ms": round(one.milliseconds, 2)} for one in rows]


def _share(said: Sequence[tuple[Marked, int, str]], decision: str, which: Callable[[Marked], bool]) -> tuple[int, int]:
    those = [word for one, _, word in said if which(one)]
    return sum(word == decision for word in those), len(those)


def _sum(shares: Iterable[tuple[int, int]]) -> tuple[int, int]:
    shares = list(shares)
    return sum(some for some, _ in shares), sum(of for _, of in shares)


def _of(share: tuple[int, int]) -> str:
    return f"{share[0]} of {share[1]}"
