"""The one function that decides a case: in a notebook, in grading and when a verdict is sealed."""

import ast
import dataclasses

import pytest

from autograder.cell import sealed
from autograder.cell.course_folder import HOME
from autograder.cell.near_miss import (
    IN_ANOTHER_UNIT,
    IN_OTHER_BRACKETS,
    SPELLED_OTHERWISE,
    in_another_order,
    in_other_brackets,
    spelled_otherwise,
)
from autograder.cell.numbers import numbers_for
from autograder.cell.outcome import Outcome
from autograder.cell.question import find
from autograder.cell.verdict import Verdict, open_word, verdict_on
from autograder.course.judge import judge_of, verdict_of
from autograder.grading import verdict as grading


def own_of(question):
    return sealed.read(question.chapter)[question.id]


def test_nobody_else_opens_a_box_or_looks_for_another_spelling():
    """What decides a case stands once, so a notebook and grading cannot differ."""
    found = {
        (call, path.relative_to(HOME / "autograder").as_posix())
        for path in (HOME / "autograder").rglob("*.py")
        if "tests" not in path.parts
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
        for call in (getattr(node.func, "attr", getattr(node.func, "id", "")),)
        if call in ("unlock", "spelled_otherwise", "public_judge")
    }
    assert found == {
        ("unlock", "cell/verdict.py"),
        ("spelled_otherwise", "cell/verdict.py"),
        ("public_judge", "cell/verdict.py"),
    }


@pytest.mark.parametrize(
    "reply, outcome",
    [
        ({"data": {"total": 6}}, Outcome.RIGHT),
        ({"data": {"total": 3}}, Outcome.WRONG),
        ({"data": {"total": -7}}, Outcome.WRONG),
        ({"data": {"total": "6"}}, Outcome.WRONG),
        ({"blank": ["total"]}, Outcome.BLANK),
        ({"raised": "ZeroDivisionError", "says": "division by zero"}, Outcome.WRONG),
        ({"raised": "TimeUp", "seconds": 3}, Outcome.WRONG),
    ],
)
def test_a_notebook_and_grading_say_the_same_of_a_reply(demo, reply, outcome):
    question, judge = find("90.3"), judge_of("90.3")
    here = verdict_on(question, reply, lambda data: open_word(question, own_of(question), {}, data))
    there = grading._verdict(question, judge, {}, False, reply)
    assert here == there and here.outcome == outcome


def test_what_is_spelled_otherwise_is_told_once(demo):
    question = find("90.3")
    verdict = verdict_on(
        question,
        {"data": {"total": "6"}},
        lambda data: open_word(question, own_of(question), {}, data),
    )
    assert verdict == Verdict(False, SPELLED_OTHERWISE)


@pytest.mark.parametrize("total", [6_000, 0.006])
def test_a_number_in_another_unit_is_told_so(demo, total):
    question = find("90.3")
    told = verdict_on(
        question,
        {"data": {"total": total}},
        lambda data: open_word(question, own_of(question), {}, data),
    )
    assert told == Verdict(False, IN_ANOTHER_UNIT)


def test_one_number_of_several_in_another_unit_is_told_so(demo):
    question = find("90.1")
    case = dict(numbers_for(question, ""))
    told = verdict_on(
        question,
        {"data": {"opened": case["brokers"] + 2, "kept": 1_000 * (case["brokers"] + 1)}},
        lambda data: open_word(question, own_of(question), case, data),
    )
    assert told == Verdict(False, IN_ANOTHER_UNIT)


def test_a_word_copied_from_a_table_with_a_small_first_letter_is_told_so():
    """Kafka's metric is LocalTimeMs, and its request log writes localTimeMs."""
    named = {"stage": {"A": "localTimeMs", "B": " RemoteTimeMs "}}
    right = {"stage": {"A": "LocalTimeMs", "B": "RemoteTimeMs"}}
    assert spelled_otherwise(find("15.5"), named, lambda data: data == right)


def test_a_value_in_brackets_is_told_so(demo):
    question = find("90.3")
    told = verdict_on(
        question,
        {"data": {"total": [6]}},
        lambda data: open_word(question, own_of(question), {}, data),
    )
    assert told == Verdict(False, IN_OTHER_BRACKETS)


@pytest.mark.parametrize(
    "said, right",
    [
        ({"setting": ["a.b"], "least": 7}, {"setting": "a.b", "least": 7}),
        ({"owned": {"A": 2, "B": [3, 4]}}, {"owned": {"A": [2], "B": [3, 4]}}),
        ({"lost": [1, 2]}, None),
    ],
)
def test_brackets_too_many_or_too_few_are_found_in_one_of_several_names(said, right):
    assert in_other_brackets(find("17.2"), said, lambda data: data == right) == (right is not None)


@pytest.mark.parametrize(
    "said, found",
    [({"lost": {"A": [9, 4], "B": 3}}, True), ({"lost": {"A": [9, 5], "B": 3}}, False)],
)
def test_the_right_entries_in_another_order_are_told_so(said, found):
    right = {"lost": {"A": [4, 9], "B": 3}}
    assert in_another_order(find("17.2"), said, lambda data: data == right) is found


@pytest.mark.parametrize("said", [{"stays": 0}, {"stays": 1}, {"stays": 2}])
def test_0_and_1_count_as_false_and_true_where_these_were_asked_for(said):
    question, judge = find("14.2"), judge_of("14.2")
    case = {"lag_s": 10, "missing": 1, "caught_up_s": 20}
    (wrong,) = (each for each in judge.wrong_answers if "records decides" in each.name)

    def word(data):
        return verdict_of(question, judge, case, data, lambda each: {"stays": each is wrong})

    told = verdict_on(question, {"data": said}, word)
    if said["stays"] == 2:
        assert told.sentence.startswith("2 is wrong.")
    else:
        assert told == word({"stays": bool(said["stays"])})
        assert told.ok or told.misconception == wrong.name


def test_a_function_that_returns_false_for_0_is_right():
    """As `return "static" not in how and ...` does."""
    question, judge = find("08.7"), judge_of("08.7")
    case = next(each for each in question.public_cases if judge.truth(each) == 0)
    told = verdict_on(
        question,
        {"data": False},
        lambda data: verdict_of(question, judge, case, data, lambda each: None),
    )
    assert told.ok, told.sentence


def test_a_space_round_a_text_decides_nothing():
    """`"connections.max.idle.ms = 240".split("=")[0]` ends with a space."""
    question, judge = find("03.7"), judge_of("03.7")
    case = dict(numbers_for(question, "s017"))
    right = judge.truth(case)
    said = {**right, "setting": f" {right['setting']} "}
    told = verdict_on(
        question,
        {"data": said},
        lambda data: verdict_of(question, judge, case, data, lambda each: {}),
    )
    assert told.ok, told.sentence


def test_a_share_of_the_points_is_part():
    assert Verdict(False, "half.", 0.5).outcome == Outcome.PART


def test_a_question_whose_judge_stumbles_over_an_answer_calls_it_wrong(demo):
    """In a notebook too: there it ended in the judge's own error."""
    question = dataclasses.replace(
        find("90.3"), public_judge=lambda case, data: (data["never"] == 1, "never said.")
    )
    word = open_word(question, own_of(question), {}, {"total": -7})
    assert not word.ok and word.sentence == 'not yet. hint("90.3") says where to look.'
