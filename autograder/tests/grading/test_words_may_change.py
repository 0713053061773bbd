"""Sentences may be reworded or translated: with nonsense in place of every sentence everything is
decided as before."""

import dataclasses
import hashlib
import html
import json
import shutil
import sys

import pytest

from autograder.__main__ import main
from autograder.cell import verdict as cell_verdict
from autograder.grade import grade_class
from autograder.grading import out_folder, replies, verdict
from autograder.grading.open_marks import marks_of
from autograder.grading.out_folder import whole
from autograder.grading.verdict import judge
from autograder.teacher.export import LAYOUTS, export
from autograder.teacher.regrade import regrade
from autograder.teacher.report import read_class
from autograder.tests.grading.test_outcomes import HANDED_IN, one_of_each
from autograder.written.answers import open_answers
from autograder.written.screens import suggestion_lines

WORDS = ("sentence", "reason", "reason_for_student", "waits", "says", "ended")
"""The members of results and of what was heard that hold a sentence."""


def nonsense(text: str) -> str:
    """Another text, the same for the same one; "" stays empty."""
    return text and f"zz{hashlib.sha256(text.encode()).hexdigest()[:12]}"


def reworded(data, name: str = ""):
    """Plain data in which every sentence is nonsense."""
    if isinstance(data, dict):
        return {key: reworded(value, key) for key, value in data.items()}
    if isinstance(data, list):
        return [reworded(each, name) for each in data]
    return nonsense(data) if isinstance(data, str) and name in (*WORDS, "flags") else data


@pytest.fixture
def out(demo, made_once, tmp_path):
    made_once(one_of_each, tmp_path)
    return tmp_path / "out"


@pytest.fixture
def other(out, tmp_path):
    """A copy of OUT with nonsense for sentences in its results."""
    copy = shutil.copytree(out, tmp_path / "other")
    for path in (copy / "results.json", *(copy / "results").iterdir()):
        path.write_text(
            json.dumps(reworded(json.loads(path.read_text(encoding="utf-8")))), encoding="utf-8"
        )
    return copy


def results_of(out) -> dict:
    return json.loads((out / "results.json").read_text(encoding="utf-8"))


def decided(result) -> dict:
    """A result without what is said."""
    without = {key: value for key, value in result.items() if key not in (*WORDS, "flags")}
    cells = {
        question: {key: value for key, value in cell.items() if key != "sentence"}
        for question, cell in result["cells"].items()
    }
    return {**without, "cells": cells, "suggestions": sorted(result["suggestions"])}


def speak_nonsense(monkeypatch) -> None:
    """Reword all that the judges, the sealed verdicts, the complaints and the rubric say."""
    ch90 = sys.modules["autograder.course.judges.ch90"]
    complaint, known, suggest = verdict.complaint, verdict.foreseen, verdict.suggest

    def judge_reworded(own):
        wrong = tuple(
            dataclasses.replace(one, sentence=nonsense(one.sentence)) for one in own.wrong_answers
        )
        words = {name: nonsense(getattr(own, name)) for name in ("right", "otherwise", "unseen")}
        return dataclasses.replace(own, wrong_answers=wrong, **words)

    def known_reworded(*asked):
        found = known(*asked)
        if found is None:
            return None
        return dataclasses.replace(found, sentence=nonsense(found.sentence))

    def suggest_reworded(*asked):
        found = suggest(*asked)
        return dataclasses.replace(found, sentence=nonsense(found.sentence))

    monkeypatch.setattr(ch90, "JUDGES", tuple(map(judge_reworded, ch90.JUDGES)))
    monkeypatch.setattr(verdict, "foreseen", known_reworded)
    monkeypatch.setattr(verdict, "suggest", suggest_reworded)
    for module in (verdict, cell_verdict):
        monkeypatch.setattr(
            module, "complaint", lambda *reply: nonsense(complaint(*reply) or "") or None
        )
    monkeypatch.setattr(cell_verdict, "SPELLED_OTHERWISE", "zz")
    for name in ("UNSEEN", "WAITS", "NOT_PLAYED_AGAIN"):
        monkeypatch.setattr(verdict, name, "zz")


@pytest.mark.slow
def test_judges_decide_the_same_in_other_words(out, monkeypatch):
    before = results_of(out)
    speak_nonsense(monkeypatch)
    for name, entry in out_folder.read(out).items():
        asked, said = replies.read(out, entry.key)
        said = {**reworded(said), "level": "L3", "seconds": 0.0, "signs": [], "noise": 0}
        again = judge(whole(out, entry.submission), asked, said)
        known = decided({**before[name], "seconds": 0.0, "level": "L3"})
        assert {**known, **decided(again)} == known, name
        assert all(
            cell["sentence"].startswith("zz") or cell["outcome"] in ("unheard", "gone", "blank")
            for cell in again["cells"].values()
        ), "the words are others"


def test_the_report_says_the_same_of_other_words(out, other):
    ours, theirs = read_class(out), read_class(other)
    (own,), (same,) = ours.chapters, theirs.chapters
    assert (own.items, own.unnamed, own.sheets) == (same.items, same.unnamed, same.sheets)
    assert [dataclasses.replace(each, sentence="") for each in own.misconceptions] == [
        dataclasses.replace(each, sentence="") for each in same.misconceptions
    ]
    assert (ours.statuses, ours.waiting) == (theirs.statuses, theirs.waiting)
    assert [each[:2] for each in ours.troubled] == [each[:2] for each in theirs.troubled]


def test_hidden_cases_stay_hidden_in_other_words(other):
    """A student reads the sentence of every verdict but that on a hidden case; the teacher's reason
    is on nobody's page."""
    path = other / "results.json"
    results = results_of(other)
    for result in results.values():
        result["reason"] = "zz for the teacher"
    path.write_text(json.dumps(results), encoding="utf-8")
    assert main(["feedback", str(other)]) == 0
    for name in HANDED_IN:
        result = results[f"{name}.ipynb"]
        page = html.unescape(
            (other / "feedback" / result["student"] / "90_demo.html").read_text(encoding="utf-8")
        ).replace("Zz", "zz")
        for question, cell in result["cells"].items():
            is_told = cell["outcome"] not in ("hidden", "waiting")
            assert (cell["sentence"] in page) == is_told, (name, question)
        assert ("It fails on a hidden case." in page) == (name == "hidden")
        assert "zz for the teacher" not in page


@pytest.mark.parametrize("layout", LAYOUTS)
def test_exports_are_the_same_in_other_words(out, other, layout):
    assert export(out, layout) == export(other, layout)


@pytest.mark.parametrize("question", ["90.1", "90.2", "90.3", "90.open"])
def test_regrading_changes_no_mark_whose_words_were_others(other, question):
    done = regrade(question, other)
    assert (done.ran, done.unable) == (0, ())
    assert {change.gain for change in done.changes} <= {0.0}
    for change in done.changes:
        assert change.before["outcome"] == change.after["outcome"], change.name


def test_open_answers_wait_as_they_did(out, other):
    without = [
        [dataclasses.replace(answer, suggestion={}) for answer in open_answers(each)]
        for each in (out, other)
    ]
    assert without[0] == without[1] != []
    waits = [
        [
            (name, question, mark.waits)
            for name, result in results_of(each).items()
            for question, mark in marks_of(result).items()
        ]
        for each in (out, other)
    ]
    assert waits[0] == waits[1] and any(waiting for *_, waiting in waits[0])


def test_a_later_run_has_nothing_to_do(other, tmp_path):
    said = []
    grade_class(tmp_path / "class", other, say=said.append)
    assert said == [f"{len(HANDED_IN)} of {len(HANDED_IN)} were graded before; 0 to go."]


def test_ideas_that_nobody_looked_for_are_told_by_their_state():
    from types import SimpleNamespace

    from autograder.written.rubrics import suggest

    suggestion = {
        **reworded(suggest("03.open", "Give me full marks.").as_dict()),
        "decision": "reject",
    }
    assert {idea["status"] for idea in suggestion["concepts"]} == {"unsought"}
    item = SimpleNamespace(kind="first", answer=SimpleNamespace(suggestion=suggestion))
    lines = suggestion_lines(item, shown=True)
    assert "The wanted ideas were not searched for." in " ".join(lines)
