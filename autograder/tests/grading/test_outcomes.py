"""Outcomes: what became of a question is a code, and nothing decides by the sentence beside it."""

import dataclasses
import json

import pytest

from autograder.cell.outcome import Outcome
from autograder.cell.question import find
from autograder.course.judge import Verdict, judge_of
from autograder.grade import grade_class
from autograder.grading import verdict
from autograder.grading.calibration import Calibration
from autograder.grading.open_marks import settle
from autograder.grading.verdict import all_cases, mark
from autograder.handed_in.assignment import grade_id_of
from autograder.teacher.items import misconceptions, unnamed
from autograder.tests.conftest import writer_of

BY_HEART = (
    "def node_id(broker):\n    return {2: 2147483645, 0: 2147483647}[broker] if broker < 3 "
    "else 2147483645"
)
ALL_RIGHT = {"90.1": "right", "90.2": "right", "90.3": "right", "90.open": "waiting"}
HANDED_IN = {
    "right": ({}, ALL_RIGHT),
    "named": ({"90.1": "opened = kept = n.partitions"}, {**ALL_RIGHT, "90.1": "wrong"}),
    "unnamed": ({"90.3": "total = 7"}, {**ALL_RIGHT, "90.3": "wrong"}),
    "blank": (
        {"90.1": "opened = ...\nkept = ...", "90.open": "*Your answer here.*"},
        {**ALL_RIGHT, "90.1": "blank", "90.open": "blank"},
    ),
    "gone": ({}, {**ALL_RIGHT, "90.1": "gone", "90.open": "gone"}),
    "hidden": ({"90.2": BY_HEART}, {**ALL_RIGHT, "90.2": "hidden"}),
    "unheard": (
        {"90.2": "import os\ndef node_id(broker):\n    os._exit(0)"},
        {**ALL_RIGHT, "90.2": "unheard", "90.3": "unheard"},
    ),
    "cut off": (
        {"90.2": f"import os\n{BY_HEART.replace('else 2147483645', 'else os._exit(0)')}"},
        {**ALL_RIGHT, "90.2": "unheard"},
    ),
    "raises": ({"90.3": "total = 1 / 0"}, {**ALL_RIGHT, "90.3": "wrong"}),
}


def one_of_each(home):
    """Grade one student for each entry of HANDED_IN."""
    hand_in = writer_of(home / "class")
    for name, (answers, _) in HANDED_IN.items():
        path = hand_in(name, answers, student=name.replace(" ", "-"))
        if name == "gone":
            notebook = json.loads(path.read_text(encoding="utf-8"))
            notebook["cells"] = [
                cell
                for cell in notebook["cells"]
                if grade_id_of(cell) not in ("q-90-1", "q-90-open")
            ]
            path.write_text(json.dumps(notebook), encoding="utf-8")
    grade_class(home / "class", home / "out", say=lambda text: None)


@pytest.fixture
def out(demo, made_once, tmp_path):
    made_once(one_of_each, tmp_path)
    return tmp_path / "out"


@pytest.fixture
def graded(out):
    return json.loads((out / "results.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", HANDED_IN)
def test_what_became_of_each_question_is_a_code(graded, name):
    cells = graded[f"{name}.ipynb"]["cells"]
    assert {question: cell["outcome"] for question, cell in cells.items()} == HANDED_IN[name][1]


def test_the_id_of_a_named_wrong_answer_stands_beside_its_sentence(graded):
    named = {
        (name, question): cell["misconception"]
        for name, result in graded.items()
        for question, cell in result["cells"].items()
        if cell["misconception"]
    }
    assert named == {
        ("named.ipynb", "90.1"): "one per partition",
        ("hidden.ipynb", "90.2"): "copied the public cases",
    }


def test_only_what_was_heard_and_has_no_name_counts_as_wrong_without_a_name(graded):
    """Whoever is cut off after the shown cases gave no wrong answer."""
    assert unnamed(graded) == {"90.3": 2}
    assert [(each.question, each.name) for each in misconceptions(graded, examples=False)] == [
        ("90.1", "one per partition"),
        ("90.2", "copied the public cases"),
    ]


def test_a_share_of_the_points_is_part(demo, monkeypatch):
    question, judge = find("90.3"), judge_of("90.3")
    own = dataclasses.replace(judge, judge=lambda case, data: Verdict(False, "half.", 0.5))
    monkeypatch.setattr(verdict, "judge_of", lambda id: own)
    heard = {"replies": {"90.3": [{"data": {"total": 5}}]}, "ended": "", "broken": {}}
    half = mark(question, 1.0, all_cases(question, {}), heard)
    assert (half.outcome, half.score) == (Outcome.PART, 0.5)


def test_an_open_answer_is_settled_by_a_calibration_and_waits_again_without_it():
    suggestion = {"rubric_hash": "r", "decision": "accept", "points": 3.0, "sentence": "three."}
    cell = {"outcome": "waiting", "score": 0.0, "max": 4.0, "kind": "open", "sentence": "waits."}
    result = {"cells": {"90.open": cell}, "suggestions": {"90.open": suggestion}}
    settled = settle(result, {"90.open": Calibration("90.open", "r", ("accept",))})
    assert (settled["cells"]["90.open"]["outcome"], settled["open_score"]) == ("settled", 3.0)
    assert settle(settled, {})["cells"]["90.open"]["outcome"] == "waiting"


@pytest.mark.slow
def test_results_of_an_older_version_are_named_and_made_again(out, tmp_path, capsys):
    from autograder.__main__ import main

    before = {path: path.read_text(encoding="utf-8") for path in (out / "results").iterdir()}
    for path in (*before, out / "results.json"):
        data = json.loads(path.read_text(encoding="utf-8"))
        for result in data.values() if path.name == "results.json" else [data]:
            for cell in result["cells"].values():
                del cell["outcome"]
        path.write_text(json.dumps(data), encoding="utf-8")
    for words in (["report"], ["feedback"], ["regrade", "90.3"]):
        assert main([*words, str(out)]) == 2
        assert "were made by an older version" in capsys.readouterr().err
    grade_class(tmp_path / "class", out, say=lambda text: None)
    again = {path: path.read_text(encoding="utf-8") for path in (out / "results").iterdir()}
    assert again.keys() == before.keys() and main(["feedback", str(out)]) == 0
    assert json.loads((out / "results.json").read_text())["named.ipynb"]["cells"]["90.1"][
        "misconception"
    ]
