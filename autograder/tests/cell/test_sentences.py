"""What check() says of several cases and several names: each sentence once, praise only for what
was done, the first of two slips; and official grading says the same."""

import dataclasses
import importlib

import pytest

from autograder.cell import sealed, sentences
from autograder.cell.kinds import Value
from autograder.cell.numbers import numbers_for
from autograder.cell.question import find
from autograder.cell.reply import ask, complaint
from autograder.cell.verdict import open_word
from autograder.course import sealing
from autograder.course.judge import (
    WrongAnswer,
    follows_from_case,
    judge_of,
    said_of_right,
    verdict_of,
)
from autograder.grading.lanes.submission_run import run
from autograder.grading.verdict_cache import foreseen
from autograder.handed_in.submission import read

words = importlib.import_module("autograder.cell.check")
MANY = Value(id="90.8", title="many", points=1, answers=("a",), draws=("A", "B", "C"), space={})
PRAISE = "right: the commit waits for the oldest that is not done."


def told(*spoken, question=MANY):
    return [(each.ok, each.sentence) for each in words.worth_telling(question, [*spoken])]


def case(name, ok, sentence, **more):
    return words.Spoken(ok, sentence, title=f"cluster {name}", **more)


def test_only_the_names_that_are_blank_in_a_case_are_called_not_written():
    question = find("01.1")
    first, *_, case_c = question.cases(numbers_for(question, ""))
    full = {"A": 1, "B": 1, "C": 1}
    answers = dict.fromkeys(question.answers, full) | {"no_group": {**full, "C": ...}}
    assert "data" in ask(question, answers, first)
    assert complaint(ask(question, answers, case_c)) == "`no_group` is not written yet."
    answers = {name: {**full, "C": ...} for name in question.answers} | {"no_group": full}
    assert complaint(ask(question, answers, case_c)) == (
        "`first_group`, `second_group` and `in_the_topic` are not written yet."
    )


def test_cases_that_agree_are_named_together():
    first, other = "You counted the partitions.", "not this number."
    assert told(case("A", False, first), case("B", False, other), case("C", False, first)) == [
        (False, f"cluster A and C: {first}"),
        (False, f"cluster B: {other}"),
    ]


def test_what_is_said_of_all_cases_needs_no_title():
    assert told(*(case(name, False, "not so.") for name in "ABC")) == [(False, "not so.")]
    assert told(*(case(name, True, PRAISE) for name in "ABC")) == [(True, PRAISE)]


def test_cases_that_agree_but_for_their_numbers_are_said_once():
    spoken = [
        case(name, False, f"You counted {n} partitions.") for name, n in zip("ABC", (5, 7, 9))
    ]
    assert told(*spoken) == [
        (False, "cluster A: You counted 5 partitions. The same in cluster B and C.")
    ]


def test_cases_that_have_no_names_of_one_kind_are_counted():
    spoken = [
        words.Spoken(False, "Take the three rules.", title=title)
        for title in ("two ready, one busier", "one is away", "three addresses, seed 3")
    ]
    right = words.Spoken(True, "right.", title="nobody is ready")
    assert told(*spoken, right) == [
        (False, "two ready, one busier: Take the three rules. The same in 2 other cases."),
        (True, "nobody is ready: right."),
    ]


def test_of_cases_with_numbers_of_their_own_the_first_is_told():
    spoken = [case(name, False, f"Each of the {n} brokers.") for name, n in zip("ABC", (8, 3, 8))]
    assert told(*spoken) == [
        (False, "cluster A: Each of the 8 brokers. The same in cluster B and C.")
    ]


@pytest.mark.parametrize(
    "names, said",
    [
        (["cluster A"], "cluster A"),
        (["cluster A", "cluster B", "cluster C"], "cluster A, B and C"),
        (["a gap", "no bookmark"], ""),
        (["two ready, one busy", "two ready, one away"], ""),
        ([f"node {n}" for n in range(6)], "node 0, 1, 2 and 3 more"),
        (["", "cluster A"], "cluster A"),
    ],
)
def test_titles(names, said):
    assert sentences.titles(names) == said


def test_where_something_is_wrong_nothing_is_praised_that_was_not_done():
    spoken = case("A", True, PRAISE), case("B", False, "order 7 is lost."), case("C", True, PRAISE)
    assert told(*spoken) == [
        (True, "cluster A and C: right."),
        (False, "cluster B: order 7 is lost."),
    ]


def test_a_sentence_that_follows_from_the_case_stays():
    spoken = case("A", True, "right: 3 leaders.", own=True), case("B", False, "not so.")
    assert told(*spoken)[0] == (True, "cluster A: right: 3 leaders.")


def test_a_case_in_which_nothing_can_fail_is_not_praised():
    quiet = case("A", True, PRAISE, quiet=True)
    assert told(quiet, case("B", False, "order 7 is lost.")) == [
        (False, "cluster B: order 7 is lost.")
    ]
    assert told(quiet, case("B", True, PRAISE)) == [(True, f"{PRAISE}")]
    failed = case("A", False, "your code stopped with KeyError.", quiet=True)
    assert told(failed, case("B", True, PRAISE))[0] == (
        False,
        "cluster A: your code stopped with KeyError.",
    )


def test_sealing_knows_the_cases_in_which_nothing_can_fail(demo, monkeypatch):
    """Of the demo's 90.2, where each public case tells something, none; of one with a case that
    every wrong answer passes, this one."""
    assert "quiet" not in sealing.seal_question(find("90.2"))
    question, judge = find("90.2"), judge_of("90.2")
    harmless = {"case": "broker 5", "broker": 5}
    source = "def node_id(broker):\n    return 2147483642 if broker == 5 else 0"
    wrong = WrongAnswer("right for 5 only", source, "look at the others")
    asked = dataclasses.replace(question, public_cases=(*question.public_cases, harmless))
    known = dataclasses.replace(judge, wrong_answers=(wrong,))
    monkeypatch.setattr(sealing, "judge_of", lambda question_id: known)
    made = sealing.seal_question(asked)
    place = sealed.locate(made["salt"], asked.sealed_form(harmless))
    assert made["quiet"] == [place]


@pytest.mark.parametrize(
    "answer, said",
    [
        ("opened = 77\nkept = 4", "`kept`: The first socket goes idle and is closed."),
        ("opened = 77\nkept = 3", "not 2 brokers' worth of sockets. `kept` is right."),
        ("opened = 4\nkept = 77", "not 2 brokers' worth of sockets. `opened` is right."),
        ("opened = 77\nkept = 77", "not 2 brokers' worth of sockets."),
        ("opened = 3\nkept = 2", "The coordinator has a socket of its own."),
    ],
)
def test_of_two_slips_the_named_one_is_told_in_a_cell_and_in_grading(
    demo, sandbox, hand_in, capsys, answer, said
):
    namespace = {}
    exec(f"from autograder import check, me\nme('')\n{answer}\ncheck('90.1')", namespace)
    assert f"90.1 ✗ {said}\n" in capsys.readouterr().out
    (submission,) = read(hand_in("s", {"90.1": answer}))
    assert run(submission, sandbox)["cells"]["90.1"]["sentence"] == said


@pytest.mark.parametrize(
    "answer, said",
    [
        ({"opened": 77, "kept": 3}, "`opened`: 77 is not it for 2. `kept` is right."),
        ({"opened": 4, "kept": 77}, "`kept`: one for each broker. `opened` is right."),
        ({"opened": 77, "kept": 77}, "`opened`: 77 is not it for 2."),
        ({"opened": 77, "kept": 4}, "`kept`: The first socket goes idle and is closed."),
    ],
)
def test_of_several_names_only_what_is_wrong_is_explained(demo, monkeypatch, answer, said):
    question = find("90.1")
    told = {"opened": "{said} is not it for {brokers}.", "kept": "one for each broker."}
    judge = dataclasses.replace(judge_of("90.1"), otherwise=told)
    case = dict(numbers_for(question, ""))
    from autograder.course.rehearsal import said_by_wrong

    given = lambda wrong: said_by_wrong(question, wrong, case)
    assert verdict_of(question, judge, case, answer, given).sentence == said
    monkeypatch.setattr(sealing, "judge_of", lambda question_id: judge)
    own = sealing.seal_question(question)
    assert open_word(question, own, case, answer).sentence == said


def test_what_was_sealed_of_a_slip_is_what_the_judge_says(demo):
    question, judge = find("90.1"), judge_of("90.1")
    numbers = dict(numbers_for(question, ""))
    from autograder.course.rehearsal import said_by_wrong

    for opened in (3, 4, 5, 77):
        for kept in (2, 3, 4, 5, 77):
            data = {"opened": opened, "kept": kept}
            asked = verdict_of(
                question,
                judge,
                numbers,
                data,
                lambda wrong: said_by_wrong(question, wrong, numbers),
            )
            assert foreseen(question, judge, numbers, data) == asked, data


def test_a_right_answer_may_be_right_for_another_reason_in_each_case():
    question, judge = find("07.1"), judge_of("07.1")
    assert follows_from_case(question, judge)
    old = said_of_right(judge, {"version": "2.1"})
    assert "asks for its id" not in old
    assert "asks for its id" in said_of_right(judge, {"version": "3.9"})


def test_require_says_the_wrong_cases_only(demo):
    namespace = {}
    with pytest.raises(words.NotYet) as why:
        exec(
            "from autograder import require\ndef node_id(broker):\n    return 2147483647\n"
            "require('90.2')",
            namespace,
        )
    assert str(why.value).startswith("90.2: broker 2: ") and "right" not in str(why.value)


def test_official_grading_names_the_cases_that_agree(demo, sandbox, hand_in):
    """What is said of all the cases has no title, what is said of one has."""
    (submission,) = read(hand_in("s", {"90.2": "def node_id(broker):\n    return -broker - 1"}))
    said = run(submission, sandbox)["cells"]["90.2"]["sentence"]
    assert said == 'not yet. hint("90.2") says where to look.'
    (submission,) = read(hand_in("t", {"90.2": "def node_id(broker):\n    return 2**31 - broker"}))
    said = run(submission, sandbox)["cells"]["90.2"]["sentence"]
    assert said == "2**31 is one more than Java's largest int."
    one = "def node_id(broker):\n    return 2**31 - 1 - broker if broker else 7"
    (submission,) = read(hand_in("u", {"90.2": one}))
    assert run(submission, sandbox)["cells"]["90.2"]["sentence"].startswith("broker 0: not yet.")


@pytest.mark.parametrize(
    "sentence, told",
    [
        ("The records are right. Round up.", "`two`: Round up."),
        ("`one` is right. Round up.", "`two`: Round up."),
        (
            "m2's share is right. But a partition has one owner.",
            "`two`: A partition has one owner.",
        ),
        ("Too long. The limit is right.", "`two`: Too long. The limit is right."),
    ],
)
def test_a_slip_beside_another_does_not_call_the_other_right(sentence, told):
    class Asked:
        answers = ("one", "two")

    part = lambda name: (False, sentence, "a slip") if name == "two" else None
    assert sentences.first_slip(Asked, {"one": 1, "two": 2}, str, part) == (
        told,
        "a slip",
    )
