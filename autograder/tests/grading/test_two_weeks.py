"""Two weeks of a class as a teacher met them: what went wrong there is told, and costs nobody points."""
import json
import sqlite3

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.handed_in.classlist import Roster
from autograder.open_answers.answers import read_results
from autograder.tests.conftest import writer_of


def silent(text):
    """Progress that nobody reads."""


def first_week(home):
    hand_in = writer_of(home / "first")
    hand_in("ada", student="ada")
    hand_in("bo", {"90.1": "opened = kept = n.partitions"}, student="bo")
    (home / "first" / "cy.ipynb").write_text("{")
    grade_class(home / "first", home / "out", roster=Roster({"ada": {"name": "王小明"}, "bo": {"name": "Bo Ōe"}}), say=silent)


@pytest.fixture
def out(demo, made_once, tmp_path):
    made_once(first_week, tmp_path)
    return tmp_path / "out"


def test_the_myth_court_has_no_marks_and_says_so(demo, tmp_path, capsys):
    for words in (["due", str(tmp_path), "myths", "2027-01-01"], ["solution", "myths", "--out", str(tmp_path / "x")]):
        assert main(words) == 2 and "The myth court has no marks" in capsys.readouterr().err
    notebook = {"cells": [{"cell_type": "code", "source": "from autograder.learner.court import claims, court", "metadata": {}}],
                "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
    (tmp_path / "ada.ipynb").write_text(json.dumps(notebook))
    assert main(["grade", str(tmp_path / "ada.ipynb"), "--json", "-"]) == 3
    assert "the notebook of the myth court, which has no marks" in capsys.readouterr().out


def test_a_run_that_was_killed_is_told_as_one(out, hand_in, tmp_path, capsys):
    class Killed(BaseException):
        pass

    def kill(text):
        if text.startswith("Graded in"):
            raise Killed

    hand_in("di", student="di", folder=tmp_path / "second")
    with pytest.raises(Killed):
        grade_class(tmp_path / "second", out, say=kill)
    assert main(["report", str(out)]) == 0
    assert "The last run of `grade` has not come to its end" in capsys.readouterr().out
    with pytest.raises(Killed):
        grade_class(tmp_path / "second", tmp_path / "new", say=kill)
    assert main(["report", str(tmp_path / "new")]) == 2
    assert "has not come to its end: 1 is graded" in capsys.readouterr().err
    grade_class(tmp_path / "second", out, say=silent)
    assert main(["report", str(out)]) == 0 and "come to its end" not in capsys.readouterr().out


def test_formgrader_shows_no_none_in_a_name_and_counts_submissions(out):
    from nbgrader.apps.api import NbGraderAPI
    from traitlets.config import Config

    with sqlite3.connect(out / "gradebook.db") as book:
        assert book.execute("SELECT id, last_name, first_name FROM student ORDER BY id").fetchall() == [
            ("ada", "王小明", ""), ("bo", "Ōe", "Bo")]
    course = {"root": str(out), "course_id": "kafka", "db_url": f"sqlite:///{out / 'gradebook.db'}"}
    api = NbGraderAPI(config=Config(CourseDirectory=course))
    assert api.get_assignment("90_demo")["num_submissions"] == 2
    assert [(each["student"], each["autograded"]) for each in api.get_submissions("90_demo")] == [("ada", True), ("bo", True)]


def test_the_page_for_an_unread_file_names_the_chapter(out):
    main(["feedback", str(out)])
    page = (out / "feedback" / "cy" / "not_graded.html").read_text(encoding="utf-8")
    assert "python -m autograder pack 90" in page and "pack 02" not in page
