"""A test was wrong, it is mended: who gains, who loses, and nobody else's marks move."""

import json
import shutil
import sys
from dataclasses import replace

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.gradebook.byhand import ByHand, Entry
from autograder.gradebook.read import sheets
from autograder.grading import results, verdict
from autograder.teacher.regrade import regrade

_KEPT = {}


@pytest.fixture
def out(hand_in, tmp_path):
    """Three of a class; bo has counted instead of adding,
    cy has a person's mark for that question."""
    kept = _KEPT.get("class")
    if kept is not None and kept.exists():  # graded once, then copied
        shutil.copytree(kept / "class", tmp_path / "class")
        return shutil.copytree(kept / "out", tmp_path / "out")
    for name, answers in (
        ("ada", {}),
        ("bo", {"90.3": "total = len(seen)"}),
        ("cy", {"90.3": "total = len(seen)", "90.1": "opened = kept = 0"}),
    ):
        hand_in(name, answers, student=name, folder=tmp_path / "class")
    grade_class(tmp_path / "class", tmp_path / "out", say=lambda text: None)
    with ByHand(tmp_path / "out") as hand:
        hand.enter("cy", "90_demo", "90.open", Entry(3.0, False, "Nice."))
    _KEPT["class"] = shutil.copytree(tmp_path, tmp_path.with_name(tmp_path.name + "-kept"))
    return tmp_path / "out"


def mend(monkeypatch, question_id, **changes):
    """The judge of a question as its author would have rewritten it;
    the course's papers are others then."""
    module = sys.modules["autograder.course.judges.ch90"]
    monkeypatch.setattr(
        module,
        "JUDGES",
        tuple(
            replace(judge, **changes) if judge.id == question_id else judge
            for judge in module.JUDGES
        ),
    )
    monkeypatch.setattr(results, "_papers", lambda chapter, digest: "other papers")
    # sealed verdicts of another text say nothing
    monkeypatch.setattr(verdict, "foreseen", lambda *answer: None)


def marks(out):
    return {
        sheet.student: {cell.question: (cell.score, cell.by_hand) for cell in sheet.cells}
        for sheet in sheets(out)
    }


def test_gains_and_losses_are_shown_first_and_written_when_asked(
    out, tmp_path, monkeypatch, capsys
):
    before = marks(out)
    mend(
        monkeypatch,
        "90.3",
        truth=lambda case: {"total": 3},
        right="counted, as was meant.",
        wrong_answers=(),
    )
    assert main(["regrade", "90.3", str(out)]) == 0
    told = capsys.readouterr().out
    assert (
        "1 loses:\n  ada: 1 -> 0 of 1\n    was: right." in told
        and "2 gain:\n  bo: 0 -> 1 of 1\n    was: That is how many there are." in told
    )
    assert (
        "now: counted, as was meant." in told
        and "Nothing had to run" in told
        and "Nothing was written" in told
    )
    assert marks(out) == before
    assert main(["regrade", "90.3", str(out), "--apply"]) == 0
    after = marks(out)
    assert {student: row["90.3"][0] for student, row in after.items()} == {
        "ada": 0,
        "bo": 1,
        "cy": 1,
    }
    assert all(
        after[student][question] == before[student][question]
        for student in before
        for question in before[student]
        if question != "90.3"
    )
    assert after["cy"]["90.open"] == (3.0, True)
    shown = json.loads((out / "results.json").read_text())
    assert (shown["bo.ipynb"]["score"], shown["ada.ipynb"]["score"]) == (
        6,
        5,
    )
    assert shown["bo.ipynb"]["cells"]["90.3"]["misconception"] is None
    said = []
    again = grade_class(tmp_path / "class", out, say=said.append)
    assert said == ["3 of 3 were graded before; 0 to go."] and again["bo.ipynb"]["score"] == 6, (
        "a later run leaves it so"
    )
    assert (
        "3 keep mark and sentence."
        in (main(["regrade", "90.3", str(out)]), capsys.readouterr().out)[1]
    )


def test_a_persons_mark_stands_above_the_new_one(out, monkeypatch, capsys):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{out / 'gradebook.db'}") as book:
        next(
            grade
            for grade in book.find_submission("90_demo", "bo").notebooks[0].grades
            if grade.cell.name == "q-90-3-test"
        ).manual_score = 0.5
        book.db.commit()
    mend(monkeypatch, "90.3", truth=lambda case: {"total": 3}, wrong_answers=())
    assert main(["regrade", "90.3", str(out), "--apply"]) == 0
    assert "bo: 0 -> 1 of 1 (the mark 0.5 a person gave stays)" in capsys.readouterr().out
    assert marks(out)["bo"]["90.3"] == (0.5, True)


@pytest.mark.slow
def test_other_cases_are_asked_of_the_kept_copies(out, monkeypatch):
    mend(monkeypatch, "90.2", hidden_cases=lambda rng: [{"broker": 7}, {"broker": 8}])
    done = regrade("90.2", out, apply=True)
    assert (done.ran, done.changes, done.unable) == (3, (), ())
    mend(monkeypatch, "90.2", hidden_cases=lambda rng: [{"broker": 7}], truth=lambda case: -1)
    done = regrade("90.2", out)
    assert done.ran == 3 and [change.gain for change in done.changes] == [-3, -3, -3]


def test_what_cannot_be_regraded_is_told(out, tmp_path, capsys):
    assert (
        main(["regrade", "90.9", str(out)]) == 2 and main(["regrade", "90.1", str(tmp_path)]) == 2
    )
    told = capsys.readouterr().err
    assert "There is no question 90.9" in told and "There are no results" in told
