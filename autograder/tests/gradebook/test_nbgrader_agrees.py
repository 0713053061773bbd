"""nbgrader's own API gives the score of our report: for late and extended students, and for open
answers that wait, were marked, or were marked and written anew."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.gradebook import late
from autograder.gradebook.byhand import ByHand, Entry
from autograder.gradebook.database import changing
from autograder.gradebook.late import Policy
from autograder.gradebook.read import sheets
from autograder.tests.teaching import GOOD, POOR, teach, use_rubric

pytestmark = pytest.mark.usefixtures("kept_staff")


def ago(**time) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat(timespec="seconds")


def by_nbgrader(out) -> dict[str, tuple[float, float, bool]]:
    """(score, penalty, waits) of each student as nbgrader's classes say. The penalty is in the
    score: nbgrader takes none off besides."""
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{out / 'gradebook.db'}") as book:
        return {
            each.student_id: (each.score, -each.task_score, each.needs_manual_grade)
            for each in book.assignment_submissions("90_demo")
            if not each.late_submission_penalty
        }


def ours(out) -> dict[str, tuple[float, float, bool]]:
    return {each.student: (each.score, each.late_penalty, each.waits) for each in sheets(out)}


def test_nbgrader_counts_what_counts(hand_in, tmp_path, monkeypatch, capsys):
    use_rubric(monkeypatch)
    monkeypatch.setattr(late, "policy", lambda: Policy(0.10, 0.50, 15))
    out = teach(hand_in, tmp_path, GOOD + POOR)
    assert {waits for *_, waits in by_nbgrader(out).values()} == {True}
    assert by_nbgrader(out)["s01"] == (6, 0, True), "the suggestion of 4 is no score"
    with ByHand(out) as hand:
        for student, points in (("s02", 3.0), ("s03", 2.0), ("s04", 0.0)):
            hand.enter(student, "90_demo", "90.open", Entry(points, False))
    main(["due", str(out), "90", ago(hours=30)])
    main(["due", str(out), "90", ago(hours=-5), "--student", "s03"])
    main(["due", str(out), "90", ago(hours=2), "--student", "s05"])
    expected = {
        "s01": (4.8, 1.2, True),
        "s02": (7.2, 1.8, False),
        "s03": (8, 0, False),
        "s04": (4.8, 1.2, False),
        "s05": (5.4, 0.6, True),
        "s06": (4.8, 1.2, True),
    }
    assert by_nbgrader(out) == ours(out) == expected
    hand_in("s03", {"90.open": POOR[0]}, student="s03", folder=tmp_path / "class")
    grade_class(tmp_path / "class", out, say=lambda text: None)
    expected["s03"] = (8, 0, True)
    assert by_nbgrader(out) == ours(out) == expected, "written anew: nbgrader asks to look again"
    capsys.readouterr()
    main(["export", str(out), "--as", "json"])
    exported = {row["student"]: row["score"] for row in json.loads(capsys.readouterr().out)}
    assert exported == {who: score for who, (score, *_) in expected.items()}


@pytest.mark.slow
def test_a_gradebook_of_an_older_version_is_mended_by_the_next_run(hand_in, tmp_path, monkeypatch):
    """It held the suggestion as a score."""
    use_rubric(monkeypatch)
    out = teach(hand_in, tmp_path, GOOD[:1])
    with changing(out) as book:
        book.execute("UPDATE grade SET auto_score = 4 WHERE needs_manual_grade")
    assert by_nbgrader(out)["s01"][0] == 10
    grade_class(tmp_path / "class", out, say=lambda text: None)
    assert by_nbgrader(out) == ours(out) == {"s01": (6, 0, True)}


@pytest.mark.corpus
def test_a_mark_of_review_renews_the_penalty(hand_in, tmp_path, monkeypatch):
    """nbgrader's export is read between `review` and our next report."""
    from autograder.written import screens

    use_rubric(monkeypatch)
    monkeypatch.setattr(late, "policy", lambda: Policy(0.10, 0.50, 15))
    out = teach(hand_in, tmp_path, GOOD[:1])
    main(["due", str(out), "90", ago(hours=5)])

    def marks_one(out, *_, **__):
        with ByHand(out) as hand:
            hand.enter("s01", "90_demo", "90.open", Entry(4.0, False))

    monkeypatch.setattr(screens, "in_terminal", marks_one)
    assert main(["review", str(out), "90.open"]) == 0
    assert by_nbgrader(out) == ours(out) == {"s01": (9, 1.0, False)}
