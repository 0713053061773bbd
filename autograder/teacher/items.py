"""Analyses the questions of a class: difficulty, discrimination, and the misconceptions.

Pure figures from results and gradebook sheets; report.py prints them, pictures.py draws them,
reportpage.py puts both on a page.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autograder.cell.outcome import Outcome
from autograder.cell.question import by_number, find
from autograder.course.judge import judge_of
from autograder.course.rehearsal import said_by_wrong
from autograder.gradebook.read import Sheet

MISSED = (Outcome.PART, Outcome.WRONG, Outcome.HIDDEN)
LEAST_FOR_STATISTICS = 10
"""Fewer students than this say nothing about a question."""


@dataclass(frozen=True)
class Item:
    """One question over the class. Shares are of the students whose mark is known; None where it
    cannot be told, or more answers wait for a person than are marked: of an open question only the
    empty ones are marked at first.

    `tells_apart` is the correlation of its marks with those of all other questions together (the
    corrected item-total correlation): near 0 or below, the question itself should be looked at.
    """

    question: str
    title: str
    kind: str
    max: float
    marked: int
    waiting: int
    full: float | None
    mean: float | None
    tells_apart: float | None

    @property
    def advice(self) -> str:
        """What a teacher may want to do about it; "" for nothing."""
        if self.full is None or self.marked < LEAST_FOR_STATISTICS:
            return ""
        if self.tells_apart is not None and self.tells_apart < 0.1:
            return (
                "students with high marks do no better here: read the question and its test again"
            )
        if self.full >= 0.95:
            return "nearly all have full marks"
        if self.mean is not None and self.mean <= 0.2:
            return "hardly anybody has full marks: was it taught?"
        return ""


@dataclass(frozen=True)
class Misconception:
    """A named wrong answer, how many gave it, and what it means. `example` is what it says to
    one set of numbers, beside what is right."""

    question: str
    name: str
    students: int
    share: float  # of those who did not have full marks
    sentence: str
    example: str


def items(sheets: Sequence[Sheet]) -> list[Item]:
    """The figures of one assignment, question by question,
    from its sheets as they stand in the gradebook."""
    by_question: dict[str, list[tuple[float, float]]] = {}
    waiting: Counter = Counter()
    most: dict[str, float] = {}
    for sheet in sheets:
        total = sum(cell.score for cell in sheet.cells if not cell.waits)
        for cell in sheet.cells:
            most[cell.question] = cell.max
            rows = by_question.setdefault(cell.question, [])
            if cell.waits:
                waiting[cell.question] += 1
            else:
                rows.append((cell.score, total - cell.score))
    return [
        _item(question, most[question], by_question[question], waiting[question])
        for question in sorted(by_question, key=by_number)
    ]


def misconceptions(results: Mapping[str, Mapping], examples: bool = True) -> list[Misconception]:
    """The named wrong answers of one assignment's counted results, most frequent first."""
    counted, told, missed = Counter(), {}, Counter()
    for result in results.values():
        for question, cell in result["cells"].items():
            missed[question] += cell["kind"] != "open" and cell["score"] < cell["max"]
            if wrong := cell["misconception"]:
                counted[question, wrong] += 1
                # with that student's numbers
                told.setdefault((question, wrong), cell["sentence"])
    return [
        Misconception(
            question,
            wrong,
            count,
            count / max(1, missed[question]),
            told[question, wrong],
            _example(question, wrong) if examples else "",
        )
        for (question, wrong), count in sorted(
            counted.items(), key=lambda each: (-each[1], by_number(each[0][0]), each[0][1])
        )
    ]


def unnamed(results: Mapping[str, Mapping]) -> dict[str, int]:
    """{question: how many gave a wrong answer that has no name}:
    where many did, the question wants another named one."""
    found: Counter = Counter()
    for result in results.values():
        for question, cell in result["cells"].items():
            if cell["outcome"] in MISSED and not cell["misconception"]:
                found[question] += 1
    return dict(sorted(found.items()))


def _item(question: str, most: float, rows: list[tuple[float, float]], waiting: int) -> Item:
    own, rest = [score for score, _ in rows], [others for _, others in rows]
    apart = None
    if len(rows) >= max(LEAST_FOR_STATISTICS, waiting) and len(set(own)) > 1 and len(set(rest)) > 1:
        apart = statistics.correlation(own, rest)
    title, kind = _about(question)
    known = own and waiting <= len(own)
    full = sum(score >= most for score in own) / len(own) if known else None
    mean = sum(own) / len(own) / most if known and most else None
    return Item(question, title, kind, most, len(rows), waiting, full, mean, apart)


def _about(question: str) -> tuple[str, str]:
    try:
        found = find(question)
        return found.title, found.kind
    except KeyError:  # graded with a course that is not here
        return "", ""


def _example(question_id: str, name: str) -> str:
    """`brokers 3, partitions 5: it says opened 5, kept 5; right is opened 5, kept 4`;
    "" where numbers do not say it."""
    try:
        question, judge = find(question_id), judge_of(question_id)
        wrong = next(wrong for wrong in judge.wrong_answers if wrong.name == name)
        if question.kind not in ("value", "function") or judge.truth is None:
            return ""
        numbers = dict(question.all_numbers()[0])
        for case in question.cases(numbers):
            case = dict(case)
            says, right = said_by_wrong(question, wrong, case), judge.truth(case)
            if says is not None and says != right and len(f"{says}{right}") <= 120:
                where = case.get("case") or ", ".join(
                    f"{key} {value}" for key, value in case.items()
                )
                return (
                    f"{where + ': ' if where else ''}it says {_plainly(says)}; right is "
                    f"{_plainly(right)}"
                )
    except Exception:
        # an example is a help, and no report fails for want of one
        return ""
    return ""


def _plainly(data) -> str:
    if isinstance(data, dict):
        return ", ".join(f"{name} {value}" for name, value in data.items())
    return "nothing" if data is None else str(data)
