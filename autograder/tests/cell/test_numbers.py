"""A student's own numbers: different for nearly everybody, solvable for everybody, and no use to a
neighbour.

What a set of numbers is worth is heard from the reference and from the judges themselves, set by
set, as sealing does it.
"""

import time
from dataclasses import replace
from itertools import product

import pytest

from autograder.cell.course_folder import released
from autograder.cell.numbers import _draw, numbers_for
from autograder.cell.question import asked_chapters, find, of_chapter
from autograder.cell.questions import ch04, ch09
from autograder.course.judge import judge_of
from autograder.grading.pace import counted
from autograder.proving.drawn import (
    LEAST_DIFFERENT,
    STUDENTS,
    Drawn,
    different,
    drawn,
    own_cases,
    passing_wrong,
)
from kafkalab.tests.shares import few, share

OWN = [
    question
    for chapter in released()
    if chapter in asked_chapters()
    for question in of_chapter(chapter)
    if question.space
]
NAMES = [question.id for question in OWN]


def some(one_in: int, first: int) -> list:
    return share(OWN, one_in, first, id=lambda question: question.id)


@pytest.mark.parametrize("question", few([each for each in some(3, 1) if each.values[0].draws]))
def test_ten_thousand_students_have_numbers_of_their_own(question):
    assert different(question) >= LEAST_DIFFERENT


def truths(id: str, cases: list[dict], name: str) -> list[int]:
    return [judge_of(id).truth(case)[name] for case in cases]


@pytest.mark.corpus
def test_the_tables_that_choose_numbers_are_what_labs_play():
    """A simulator that plays otherwise would take the edges from students in silence."""
    interval_s, life_s, pace_ms = find("09.6").space.values()
    shops = [
        {"interval_s": interval, "life_s": life, "pace_ms": pace}
        for pace, interval, life in product(pace_ms, interval_s, life_s)
    ]
    # two crashes that repeat as many records have an even sum
    sums = truths("09.6", shops, "read_twice")
    assert [
        (shop["pace_ms"], (shop["interval_s"], shop["life_s"]))
        for shop, repeated in zip(shops, sums, strict=True)
        if repeated % 2
    ] == [(pace, shop) for pace, uneven in ch09.UNEVEN.items() for shop in uneven]
    full = [
        {"records": records, "value_bytes": value_bytes, "batch_size": batch_size}
        for (value_bytes, batch_size), counts in ch04.FULL.items()
        for records in counts
    ]
    more = [{**case, "records": case["records"] + 1} for case in full]
    batches = truths("04.3", full, "batches")
    assert truths("04.3", more, "batches") == [count + 1 for count in batches]


@pytest.mark.parametrize("question", some(6, 2))
def test_numbers_are_the_same_tomorrow_and_nobody_has_some_too(question):
    first = numbers_for(question, "s1")
    _draw.cache_clear()
    assert numbers_for(question, "s1") == first != numbers_for(question, "s2")
    assert list(numbers_for(question, "")) == list(
        question.draws or (*question.space, *question.scenery)
    )


@pytest.mark.parametrize("question", few(some(40, 9)))
def test_two_students_numbers_are_solved(question):
    """The command's own look at one question, at a few students."""
    found = drawn(question, 2)
    assert (found.solved, found.sampled) == (2, 2) and f"{question.id} " in str(found), found


@pytest.mark.slow
@pytest.mark.parametrize("question", OWN, ids=NAMES)
def test_a_thousand_are_solved_and_a_neighbours_answer_is_worth_little(question):
    assert drawn(question, 1_000).wrong == ()


def test_what_is_not_as_promised_is_told():
    """Numbers that a dozen share, an answer that stands in the question,
    a reference that stumbles."""
    found = Drawn("03.9", 12, 3, different=0.0012, sampled=10, solved=9, neighbour=0.5, case=0.5)
    assert found.wrong == (
        "only 0.1% have numbers of their own",
        "the reference fails 1 students",
        "a neighbour's answer earns 50%",
    )
    assert all(words in str(found) for words in found.wrong)
    assert found.wrong[1:] == replace(found, draws=1).wrong, "a log is shared by some"
    with pytest.raises(ValueError, match="everybody gets the same"):
        drawn(find("01.4"), 2)


def test_a_long_look_says_how_far_it_is():
    """Nothing for two seconds; then at doubling moments rather than for each of a hundred sets.
    What was looked at comes in its order."""
    now, said = 0.0, []

    def clock():
        return now

    for thing in counted(range(100), "{} of {} sets", said.append, clock):
        assert thing == int(now)
        now += 1.0
    assert said[:2] == ["2 of 100 sets, 98 s to go", "4 of 100 sets, 96 s to go"] and len(said) < 20
    assert list(counted([], "{} of {}", said.append, clock)) == []


def test_scenery_changes_what_is_shown_and_not_what_is_right():
    """Ten students, ten logs, however few typing errors there are;
    what decides does not know the scenery."""
    question = find("02.8")
    shown = {str(question.shown(numbers_for(question, student))) for student in STUDENTS[:10]}
    (case,) = own_cases(question, STUDENTS[0])
    assert len(shown) == 10 and "seed" in case
    assert question.sealed_form(case) == {name: case[name] for name in question.space}
    assert numbers_for(question, "")["seed"] == 0


@pytest.mark.parametrize("question", few(some(18, 6)))
@pytest.mark.parametrize("students", [3, pytest.param(100, marks=pytest.mark.slow)])
def test_no_students_numbers_make_a_wrong_answer_right(question, students):
    """Every named wrong answer fails in one case at least, whoever has the numbers, and the judge
    knows it by its name."""
    assert passing_wrong(question, STUDENTS[:students]) == []


@pytest.mark.corpus
def test_what_one_set_of_numbers_shows_is_played_once():
    """Some numbers are lines of a log, which a lab has to play. The second time they are asked
    for, nothing is played; drawing them never plays."""
    played = []
    from kafkalab import Lab

    student = f"somebody-{time.monotonic_ns()}"
    before = Lab.__init__
    drawn = {}
    Lab.__init__ = lambda self, *words, **named: played.append(words)
    try:
        drawn = {question.id: numbers_for(question, student) for question in OWN}
    finally:
        Lab.__init__ = before
    assert played == []
    first = [question.shown(drawn[question.id]) for question in OWN]
    Lab.__init__ = lambda self, *words, **named: played.append(words)
    try:
        assert [question.shown(drawn[question.id]) for question in OWN] == first
    finally:
        Lab.__init__ = before
    assert played == []
