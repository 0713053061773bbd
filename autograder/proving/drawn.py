"""Measures whether drawn numbers are a student's own, can be solved, and do not help a neighbour.

`python -m autograder variants` answers for each question with numbers: how many of 10,000 students
have numbers nobody else has drawn, how many of 1,000 sampled students the reference solves, and
which share of the points a neighbour's right answer would earn. A hundred of them give each named
wrong answer: it has to be wrong with their numbers, and known by its name.

Nothing runs in the sandbox here: it is the teacher's own code, run in this process. A set of
numbers is heard once, together with its neighbours in the list of sets, and its truth is played
once; so a thousand students with three draws each cost as much as the sets there are. Neighbours
come one after the other: no run is forgotten before all that belong to it have been asked. Where
the scenery of a log changes from student to student, each sampled student's own log is really read.
"""

from __future__ import annotations

import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from random import Random

from autograder.cell.data import canonical, plain, same
from autograder.cell.numbers import numbers_for
from autograder.cell.question import Question
from autograder.cell.reply import ask
from autograder.course.judge import judge_of
from autograder.course.references import references
from autograder.course.rehearsal import namespace_of, place_of, reply_of_reference, reply_of_wrong
from autograder.grading.pace import counted

STUDENTS = tuple(f"s{number:05}" for number in range(10_000))
SAMPLED = 1_000
WRONG_SAMPLED = 100
LEAST_DIFFERENT, MOST_FOR_A_NEIGHBOUR = 0.95, 0.20
"""The first is asked where several rows are drawn. A single set may be a whole log, of which a
chapter plays few; a neighbour's answer must not help there either."""


@dataclass(frozen=True)
class Drawn:
    """What the numbers of one question are worth. `case` is the share of single cases that a
    neighbour's right answer gets right; for points all cases of a question have to be right."""

    question: str
    sets: int
    draws: int
    # share of the 10,000 students with numbers that no student before had
    different: float
    sampled: int
    solved: int
    # share of the points that a neighbour's right answer earns, over all pairs of sampled students
    neighbour: float
    case: float
    # named wrong answers that are right with a student's numbers, or not known by their names
    passing: tuple[str, ...] = ()

    @property
    def wrong(self) -> tuple[str, ...]:
        """What is not as promised, in words."""
        return tuple(
            words
            for words, found in (
                (
                    f"only {self.different:.1%} have numbers of their own",
                    self.draws > 1 and self.different < LEAST_DIFFERENT,
                ),
                (
                    f"the reference fails {self.sampled - self.solved} students",
                    self.solved < self.sampled,
                ),
                (
                    f"a neighbour's answer earns {self.neighbour:.0%}",
                    self.neighbour > MOST_FOR_A_NEIGHBOUR,
                ),
                *((words, True) for words in self.passing),
            )
            if found
        )

    def __str__(self) -> str:
        return (
            f"{self.question:6} {self.sets:5} {self.draws:5} {self.different:9.1%} {self.solved:6} "
            f"of {self.sampled:<5} {self.neighbour:9.1%} "
            f"{self.case:9.1%}{'  ' + '; '.join(self.wrong) if self.wrong else ''}"
        )


HEAD = (
    f"{'':6} {'sets':>5} {'draws':>5} {'different':>9} {'solved':>15} {'neighbour':>9} "
    f"{'a case':>9}"
)


def drawn(
    question: Question, sampled: int = SAMPLED, say: Callable[[str], None] = lambda line: None
) -> Drawn:
    """Look at one question; it has numbers, else ValueError.
    `say` hears now and then how far it is."""
    if not question.space:
        raise ValueError(f"Question {question.id} has no numbers: everybody gets the same.")
    students = Random(8).sample(STUDENTS, sampled)
    cases = {
        student: {_decides(question, case): case for case in own_cases(question, student)}
        for student in students
    }
    first_asked = {
        what: (student, case)
        for student in reversed(students)
        for what, case in cases[student].items()
    }
    # neighbours share a run
    in_turn = sorted(first_asked, key=lambda what: (place_of(question, first_asked[what][1]), what))
    holds = {
        what: solves(question, *first_asked[what])
        for what in counted(in_turn, f"{question.id}: {{}} of {{}} sets of numbers", say)
    }
    solved = sum(all(holds[what] for what in cases[student]) for student in students)
    rights = [
        tuple(right(question, case) for case in own_cases(question, student))
        for student in students
    ]
    places = [_alike(place) for place in zip(*rights)]
    return Drawn(
        question.id,
        len(question.all_numbers()),
        max(1, len(question.draws)),
        different(question),
        sampled,
        solved,
        _alike(rights),
        sum(places) / len(places),
        tuple(passing_wrong(question, students[:WRONG_SAMPLED])),
    )


def passing_wrong(question: Question, students: Sequence[str]) -> list[str]:
    """The named wrong answers that are right with a student's numbers, or that the judge does not
    know by their names there. One sentence each, with the first such student. What only Spark can
    run is taken as its author says it (`says`)."""
    found = {}
    of_student = {student: own_cases(question, student) for student in students}
    _hear_neighbours_together(question, itertools.chain(*of_student.values()))
    for student, cases in of_student.items():
        truths = [_truth(question, case) for case in cases]
        for wrong in judge_of(question.id).wrong_answers:
            if wrong.name in found:
                continue
            known = [reply_of_wrong(question, wrong, case).get("data") for case in cases]
            if all(map(same, known, truths)):
                found[wrong.name] = f'the wrong answer "{wrong.name}" is right for {student}'
            elif wrong.says is None and question.scenery:
                namespace = namespace_of(
                    question, wrong.source, dict(numbers_for(question, student))
                )
                said = [ask(question, namespace, case).get("data") for case in cases]
                if not all(map(same, said, known)):
                    found[wrong.name] = (
                        f'the wrong answer "{wrong.name}" is not known by its name with the '
                        f"scenery of {student}"
                    )
    return list(found.values())


def _hear_neighbours_together(question: Question, cases: Iterable[dict]) -> None:
    """Ask each named wrong answer about the cases in the order of their sets: one run answers
    for a few neighbours, and it is forgotten soon."""
    in_turn = sorted(cases, key=lambda case: place_of(question, case))
    for wrong in judge_of(question.id).wrong_answers:
        for case in in_turn:
            reply_of_wrong(question, wrong, case)


def different(question: Question) -> float:
    """The share of 10,000 students whose numbers are different ones."""
    return len({json.dumps(numbers_for(question, student)) for student in STUDENTS}) / len(STUDENTS)


def own_cases(question: Question, student: str) -> list[dict]:
    """The cases that are this student's own."""
    return [
        case
        for case in question.cases(numbers_for(question, student))
        if set(question.space) <= set(case)
    ]


def right(question: Question, case: dict) -> str:
    """What a right answer says to a case."""
    return canonical(_truth(question, case))


def solves(question: Question, student: str, case: dict) -> bool:
    """Whether the reference gives what is right, in a case of this student's own."""
    return same(_said(question, student, case), _truth(question, case))


def _decides(question: Question, case: dict) -> str:
    """What a case is heard for: its numbers and its scenery.
    Two students whose cases are alike in these read the same log."""
    return canonical(
        {**question.sealed_form(case), **{name: case[name] for name in question.scenery}}
    )


def _truth(question: Question, case: dict):
    return _played(question.id, canonical(question.sealed_form(case)))


@lru_cache(maxsize=65536)
def _played(question_id: str, case: str):
    return plain(judge_of(question_id).truth(json.loads(case)))


def _said(question: Question, student: str, case: dict):
    # Scenery that a cell of the notebook reads is not the answer's to read.
    if not question.scenery or question.show is None:
        return reply_of_reference(question, case).get("data")
    namespace = namespace_of(
        question, references(question.chapter)[question.id], dict(numbers_for(question, student))
    )
    return ask(question, namespace, case).get("data")


def _alike(answers) -> float:
    """The share of the ordered pairs of two different students whose answers are the same."""
    counted, many = Counter(answers), len(answers)
    return sum(count * (count - 1) for count in counted.values()) / max(1, many * (many - 1))
