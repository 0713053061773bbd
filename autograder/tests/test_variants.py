"""A student's own numbers: different for nearly everybody, solvable for everybody, and no use to a neighbour.

What a set of numbers is worth is heard from the reference and from the judges themselves, set by set, as sealing does it.
"""
import json
import time
from itertools import permutations
from random import Random

import pytest

from autograder import judges, variants
from autograder.masters import released
from autograder.plain import canonical, plain, same
from autograder.questions import chapters, of_chapter
from autograder.rehearsal import reply_of_reference, reply_of_wrong
from autograder.tests.shares import share
from autograder.variants import numbers_for

STUDENTS = [f"s{number:05}" for number in range(10_000)]
DRAWN = [question for chapter in released() if chapter in chapters() for question in of_chapter(chapter) if question.draws]
NAMES = [question.id for question in DRAWN]


def some(one_in: int, first: int) -> list:
    return share(DRAWN, one_in, first, id=lambda question: question.id)


def own_cases(question, student):
    return [case for case in question.cases(numbers_for(question, student)) if set(question.space) <= set(case)]


def right(question, case) -> str:
    """What a right answer says to a case."""
    return canonical(plain(judges.find(question.id).truth(case)))


@pytest.mark.parametrize("question", some(3, 0))
def test_ten_thousand_students_have_numbers_of_their_own(question):
    different = {json.dumps(numbers_for(question, student)) for student in STUDENTS}
    assert len(different) >= 0.95 * len(STUDENTS)


@pytest.mark.parametrize("question", DRAWN, ids=NAMES)
def test_numbers_are_the_same_tomorrow_and_nobody_has_some_too(question):
    first = numbers_for(question, "s1")
    variants._draw.cache_clear()
    assert numbers_for(question, "s1") == first != numbers_for(question, "s2")
    assert list(numbers_for(question, "")) == list(question.draws)


@pytest.mark.parametrize("question", some(6, 2))
@pytest.mark.parametrize("students", [8, pytest.param(60, marks=pytest.mark.slow)])
def test_a_neighbours_answer_is_worth_little(question, students):
    """Over all pairs, the share of the points that the neighbour's right answer earns; the weakest case decides."""
    answers = [[right(question, case) for case in own_cases(question, student)] for student in STUDENTS[:students]]
    pairs = list(permutations(answers, 2))
    assert sum(mine == theirs for mine, theirs in pairs) / len(pairs) <= 0.20


@pytest.mark.parametrize("question", some(4, 1))
def test_the_reference_solves_what_students_get(question):
    assert unsolved(question, STUDENTS[:2]) == []


@pytest.mark.slow
@pytest.mark.parametrize("question", DRAWN, ids=NAMES)
def test_the_reference_solves_a_thousand_of_a_thousand(question):
    assert unsolved(question, Random(8).sample(STUDENTS, 1_000)) == []


def unsolved(question, students) -> list:
    """The cases of these students that the reference does not solve."""
    return [(student, case) for student in students for case in own_cases(question, student)
            if not same(reply_of_reference(question, case).get("data"), plain(judges.find(question.id).truth(case)))]


@pytest.mark.parametrize("question", some(6, 5))
@pytest.mark.parametrize("students", [3, pytest.param(200, marks=pytest.mark.slow)])
def test_no_students_numbers_make_a_wrong_answer_right(question, students):
    """Every named wrong answer fails in one case at least, whoever has the numbers."""
    judge, found = judges.find(question.id), []
    for student in STUDENTS[:students]:
        cases = own_cases(question, student)
        truths = [plain(judge.truth(case)) for case in cases]
        found += [(student, wrong.name) for wrong in judge.wrong_answers
                  if all(same(reply_of_wrong(question, wrong, case).get("data"), truth) for case, truth in zip(cases, truths))]
    assert found == []


def test_at_least_half_of_the_exercises_of_a_chapter_are_a_students_own():
    for chapter in (chapter for chapter in released() if chapter in chapters()):
        exercises = [question for question in of_chapter(chapter) if question.kind != "open"]
        assert 2 * sum(bool(question.space) for question in exercises) >= len(exercises), chapter


def test_what_one_set_of_numbers_shows_is_played_once():
    """Some numbers are lines of a log, which a lab has to play. The second time they are asked for, nothing is played; drawing them never plays."""
    played = []
    from kafkalab import Lab
    student = f"somebody-{time.monotonic_ns()}"
    before = Lab.__init__
    drawn = {}
    Lab.__init__ = lambda self, *words, **named: played.append(words)
    try:
        drawn = {question.id: numbers_for(question, student) for question in DRAWN}
    finally:
        Lab.__init__ = before
    assert played == []
    first = [question.shown(drawn[question.id]) for question in DRAWN]
    Lab.__init__ = lambda self, *words, **named: played.append(words)
    try:
        assert [question.shown(drawn[question.id]) for question in DRAWN] == first
    finally:
        Lab.__init__ = before
    assert played == []
