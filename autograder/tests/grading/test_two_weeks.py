"""Two weeks of a class as a teacher met them: what went wrong there is told, and costs nobody
points."""

import json
import shutil
import sqlite3
import zipfile
from datetime import UTC, datetime, timedelta

import pytest

from autograder.__main__ import main
from autograder.course.masters import master
from autograder.grade import grade_class
from autograder.gradebook import late
from autograder.gradebook.byhand import ANSWER
from autograder.gradebook.database import changing
from autograder.gradebook.late import Policy
from autograder.gradebook.read import sheets
from autograder.gradebook.students import class_of
from autograder.handed_in.classlist import Roster, read_roster
from autograder.tests.conftest import writer_of
from autograder.written.answers import read_results


def silent(text):
    """Progress that nobody reads."""


def first_week(home):
    hand_in = writer_of(home / "first")
    hand_in("ada", student="ada")
    hand_in("bo", {"90.1": "opened = kept = n.partitions"}, student="bo")
    (home / "first" / "cy.ipynb").write_text("{")
    grade_class(
        home / "first",
        home / "out",
        roster=Roster({"ada": {"name": "王小明"}, "bo": {"name": "Bo Ōe"}}),
        say=silent,
    )


@pytest.fixture
def out(demo, made_once, tmp_path):
    made_once(first_week, tmp_path)
    return tmp_path / "out"


@pytest.mark.corpus
def test_the_myth_court_has_no_marks_and_says_so(demo, tmp_path, capsys):
    for words in (
        ["due", str(tmp_path), "myths", "2027-01-01"],
        ["solution", "myths", "--out", str(tmp_path / "x")],
    ):
        assert main(words) == 2 and "The myth court has no marks" in capsys.readouterr().err
    notebook = {
        "cells": [
            {
                "cell_type": "code",
                "source": "from autograder.learner.court import claims, court",
                "metadata": {},
            }
        ],
        "metadata": {},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    (tmp_path / "ada.ipynb").write_text(json.dumps(notebook))
    assert main(["grade", str(tmp_path / "ada.ipynb"), "--json", "-"]) == 3
    assert "the notebook of the myth court, which has no marks" in capsys.readouterr().out


@pytest.mark.slow
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
    assert "The last run of `grade` did not finish" in capsys.readouterr().out
    assert main(["export", str(out)]) == 0 and "not come to its end" in capsys.readouterr().err
    with pytest.raises(Killed):
        grade_class(tmp_path / "second", tmp_path / "new", say=kill)
    assert main(["report", str(tmp_path / "new")]) == 2
    assert "has not come to its end: 1 is graded" in capsys.readouterr().err
    grade_class(tmp_path / "second", out, say=silent)
    assert main(["report", str(out)]) == 0 and "come to its end" not in capsys.readouterr().out


@pytest.mark.slow
def test_formgrader_shows_no_none_in_a_name_and_counts_submissions(out):
    from nbgrader.apps.api import NbGraderAPI
    from traitlets.config import Config

    with sqlite3.connect(out / "gradebook.db") as book:
        assert book.execute(
            "SELECT id, last_name, first_name FROM student ORDER BY id"
        ).fetchall() == [("ada", "王小明", ""), ("bo", "Ōe", "Bo")]
    course = {"root": str(out), "course_id": "kafka", "db_url": f"sqlite:///{out / 'gradebook.db'}"}
    api = NbGraderAPI(config=Config(CourseDirectory=course))
    assert api.get_assignment("90_demo")["num_submissions"] == 2
    assert [(each["student"], each["autograded"]) for each in api.get_submissions("90_demo")] == [
        ("ada", True),
        ("bo", True),
    ]


@pytest.mark.corpus
def test_the_page_for_an_unread_file_names_the_chapter(out):
    main(["feedback", str(out)])
    page = (out / "feedback" / "cy" / "not_graded.html").read_text(encoding="utf-8")
    assert "python -m autograder pack 90" in page and "pack 02" not in page


def ago(**time) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat(timespec="seconds")


def points(out) -> dict[str, tuple[float, float]]:
    return {sheet.student: (sheet.earned, sheet.late_penalty) for sheet in sheets(out)}


@pytest.mark.corpus
@pytest.mark.parametrize(
    "rule, bo",
    [
        ("better", (4, 0)),
        pytest.param("in time", (4, 0), marks=pytest.mark.slow),
        pytest.param("last", (6, 3), marks=pytest.mark.slow),
    ],
)
def test_a_late_second_file_counts_only_where_it_is_worth_more(
    out, hand_in, tmp_path, monkeypatch, capsys, rule, bo
):
    """Ada had everything and saves again; Bo mends his answer, and the penalty eats what he gains;
    Cy's first could not be read."""
    monkeypatch.setattr(late, "policy", lambda: Policy(0.25, 0.50, 15, rule))
    hand_in("ada again", {"90.open": "Told again."}, student="ada", folder=tmp_path / "second")
    for name in ("bo", "cy"):
        hand_in(f"{name} again", student=name, folder=tmp_path / "second")
    assert (
        main(["receive", str(tmp_path / "second"), "--out", str(out), "--at", ago(hours=-30)]) == 0
    )
    assert main(["due", str(out), "90", ago(hours=-1)]) == 0
    capsys.readouterr()
    main(["grade", str(tmp_path / "second"), "--out", str(out)])
    said, shown = capsys.readouterr().err, read_results(out)
    assert points(out) == {"ada": (6, 3) if rule == "last" else (6, 0), "bo": bo, "cy": (6, 3)}
    if rule == "last":
        return
    assert "Handed in again late, and the file before counts: ada, bo." in said
    assert (
        shown["ada again.ipynb"]["reason"]
        == "it came late. ada.ipynb came before it and counts, for this one is worth no more after"
        " the penalty."
    )
    assert (
        "ada again.ipynb came later and late" in shown["ada.ipynb"]["reason"]
        and shown["bo.ipynb"]["counted"]
    )
    main(["due", str(out), "90", ago(hours=-100)])
    main(["grade", str(tmp_path / "second"), "--out", str(out)])
    assert points(out) == {
        "ada": (6, 0),
        "bo": (6, 0),
        "cy": (6, 0),
    }, "nothing is late any more, so the last counts"


@pytest.mark.slow
def test_a_late_second_file_counts_where_it_is_worth_more_in_spite_of_the_penalty(
    out, hand_in, tmp_path, monkeypatch
):
    monkeypatch.setattr(late, "policy", lambda: Policy(0.10, 0.50, 15))
    hand_in("bo again", student="bo", folder=tmp_path / "second")
    main(["receive", str(tmp_path / "second"), "--out", str(out), "--at", ago(hours=-20)])
    main(["due", str(out), "90", ago(hours=-1)])
    main(["grade", str(tmp_path / "second"), "--out", str(out)])
    assert points(out)["bo"] == (6, 0.6)


MOODLE = "Identifier,Full name,ID number,Status,Last modified (submission)\n"


def moodle_list(path, rows):
    """Moodle's list of one assignment, with the moments as it writes them, in Vienna's time."""
    lines = [
        f'Participant {number},{name},{student},Submitted,"{when}"'
        for number, (student, name, when) in enumerate(rows, 1)
    ]
    path.write_text(MOODLE + "\n".join(lines) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.slow
def test_moodles_list_says_when_each_handed_in(demo, hand_in, tmp_path, monkeypatch, capsys):
    """Graded two days after, first without the list and then with it; a zip file as Moodle makes
    it."""
    monkeypatch.setattr(late, "policy", lambda: Policy(0.10, 0.50, 15, "better", "Europe/Vienna"))
    out, box = tmp_path / "out", tmp_path / "box"
    people = [("u1", "Ada Abel"), ("u2", "Bo Berg"), ("u3", "Cy Cole")]
    for number, (student, name) in enumerate(people):
        hand_in("90_demo", student=student, folder=box / f"{name}_{number}_assignsubmission_file")
    download = shutil.make_archive(str(tmp_path / "moodle"), "zip", box)
    main(["due", str(out), "90", "2020-03-16T00:00"])
    assert main(["grade", download, "--out", str(out)]) == 0
    assert "All 3 new submissions are late by the moment of this run" in capsys.readouterr().err
    assert {penalty for _, penalty in points(out).values()} == {3.0}
    when = [
        "Sunday, 15 March 2020, 11:58 PM",
        "Monday, 16 March 2020, 12:10 AM",
        "16 March 2020, 00:20",
    ]
    listed = moodle_list(
        tmp_path / "list.csv", [(*one, moment) for one, moment in zip(people, when)]
    )
    assert main(["grade", download, "--out", str(out), "--roster", listed]) == 0
    assert points(out) == {
        "u1": (6, 0),
        "u2": (6, 0),
        "u3": (6, 0.6),
    }, "in time, within the grace, and ten minutes beyond it"
    sheet = next(sheets(out))
    assert sheet.handed_in == "2020-03-15 22:58:00" and sheet.due == "2020-03-15 23:00:00"
    assert main(["grade", download, "--out", str(out)]) == 0 and points(out)["u1"] == (
        6,
        0,
    ), "the receipts keep it"
    assert "handed_in" not in (out / "class.json").read_text()
    for wrong, sentence in (
        ("gestern", "no moment can be read from it"),
        ("1 January 2999, 10:00", "still to come"),
    ):
        listed = moodle_list(tmp_path / "list.csv", [("u1", "Ada Abel", wrong)])
        assert main(["grade", download, "--out", str(out), "--roster", listed]) == 2
        assert sentence in capsys.readouterr().err


def test_receive_takes_a_zip_file_and_says_who_is_missing(demo, hand_in, tmp_path, capsys):
    box = tmp_path / "03 demo"
    for name in ("u1", "u2"):
        hand_in(name, student=name, folder=box)
    (box / "u4.ipynb").write_text("{")
    hand_in("again u2", student="u2", folder=box)
    (tmp_path / "class.csv").write_text(
        "student,name\nu1,Ada Abel\nu2,Bo Berg\nu3,Eli Eng\nu4,Fay Fox\n"
    )
    download = shutil.make_archive(str(tmp_path / "moodle"), "zip", tmp_path, box.name)
    words = [
        "receive",
        download,
        "--out",
        str(tmp_path / "out"),
        "--roster",
        str(tmp_path / "class.csv"),
    ]
    assert main(words) == 0
    said = capsys.readouterr().out
    assert (
        "4 new submissions were received" in said
        and "From: u1 Ada Abel, u2 Bo Berg, u4 Fay Fox." in said
    )
    assert (
        "Nothing new that can be read came from 2 of the class list: u3 Eli Eng, u4 Fay Fox."
        in said
    )
    assert "u2 has 2 files of chapter 90" in said and "u4.ipynb: unreadable" in said
    assert main(words) == 0 and capsys.readouterr().out.startswith(
        "0 new submissions were received"
    )
    (tmp_path / "odd.zip").write_text("no zip")
    for odd, sentence in (
        ("odd.zip", "neither a folder nor a zip file"),
        ("no.zip", "There is no"),
    ):
        assert (
            main(["receive", str(tmp_path / odd), "--out", str(tmp_path / "out")]) == 2
            and sentence in capsys.readouterr().err
        )
    with zipfile.ZipFile(tmp_path / "out.zip", "w") as archive:
        archive.writestr("../../outside.ipynb", "{}")
    assert main(["grade", str(tmp_path / "out.zip"), "--out", str(tmp_path / "out")]) == 2
    assert (
        "outside of its folder" in capsys.readouterr().err
        and not (tmp_path.parent / "outside.ipynb").exists()
    )


def test_a_file_of_another_chapter_opens_no_chapter(tmp_path, capsys):
    """Four hand in chapter 03, one chapter 02, and one both."""
    box, out = tmp_path / "box", tmp_path / "out"
    box.mkdir()

    def blank(chapter, path):
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(master(chapter).notebook()))

    for name in ("s1", "s2", "s3", "s4"):
        blank("03", box / f"{name}.ipynb")
    for chapter in ("02", "03"):
        blank(chapter, box / "both" / f"{chapter}.ipynb")
    blank("02", box / "s5.ipynb")
    assert main(["receive", str(box), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert (
        "s5.ipynb: refused, it answers chapter 02, and nearly everything beside it answers"
        " chapter 03." in said
    )
    assert said.count("refused") == 1
    late_ones = tmp_path / "late"
    blank("02", late_ones / "s5.ipynb")
    assert (
        main(["receive", str(late_ones), "--out", str(tmp_path / "other")]) == 0
        and "refused" not in capsys.readouterr().out
    )


@pytest.mark.corpus
def test_a_friends_notebook_is_in_the_report_and_not_on_the_copiers_page(
    out, hand_in, tmp_path, capsys
):
    """The class list knows whose file it is; the talk comes before any page that names somebody."""
    hand_in("bo", student="ada", folder=tmp_path / "second")
    (tmp_path / "class.csv").write_text(
        "student,name\nada,Ada Abel\nbo,Bo Berg\n", encoding="utf-8"
    )
    assert (
        main(
            [
                "grade",
                str(tmp_path / "second"),
                "--out",
                str(out),
                "--roster",
                str(tmp_path / "class.csv"),
            ]
        )
        == 3
    )
    capsys.readouterr()
    main(["report", str(out)])
    said = capsys.readouterr().out
    assert "bo.ipynb (Bo Berg): graded, the notebook names ada, but bo handed it in" in said
    assert "ada      Ada Abel" in said and "bo       Bo Berg" in said, "names stand beside the ids"
    main(["feedback", str(out)])
    assert "ada" not in (out / "feedback" / "bo" / "90_demo.html").read_text(encoding="utf-8")


def test_a_mark_by_hand_keeps_what_the_test_said(out):
    with changing(out) as book:  # as formgrader would write it
        book.execute(
            "UPDATE grade SET manual_score = 1.5 WHERE id = ("
            "SELECT x.id " + ANSWER.format(table="grade") + ")",
            ("bo", "90_demo", "q-90-1-test"),
        )
    main(["feedback", str(out)])
    page = (out / "feedback" / "bo" / "90_demo.html").read_text(encoding="utf-8")
    assert (
        "1.5 of 2" in page
        and "Your teacher gave this mark. The test said: You counted one for each of the" in page
    )


def test_a_list_without_ids_gets_them_from_the_list_that_is_kept(tmp_path):
    """Moodle's grading worksheet knows students by their addresses."""
    kept = Roster({"s1": {"name": "Ada Abel", "email": "Ada@x.org"}, "s2": {"name": "Bo Berg"}})
    assert class_of(tmp_path, kept).rows == kept.rows
    (tmp_path / "worksheet.csv").write_text(
        "Identifier,Full name,Email address,Last modified (submission)\n"
        'Participant 7,Ada Abel,ada@x.org,"1 March 2020, 10:00"\n'
        "Participant 8,Cy Cole,cy@x.org,-\n"
    )
    found = class_of(tmp_path, read_roster(tmp_path / "worksheet.csv"))
    assert set(found.rows) == {"s1", "cy@x.org"}
    assert set(late.handed_in_times(found.rows)) == {"s1"}
