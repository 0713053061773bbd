"""A term's dates and extensions from one list: all of it is set, or nothing."""

import json
import shutil
from datetime import UTC, datetime, timedelta

import pytest

from autograder.__main__ import main
from autograder.gradebook import late
from autograder.gradebook.late import Policy


@pytest.fixture
def term(demo, tmp_path, monkeypatch):
    """A course of two chapters, an OUT folder with a class list, and nothing graded yet."""
    course = shutil.copytree(demo, tmp_path / "course")
    talk = course / "notebooks" / "release" / "89_talk" / "89_talk.ipynb"
    talk.parent.mkdir()
    talk.write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    monkeypatch.setenv("AUTOGRADER_COURSE", str(course))
    monkeypatch.setattr(late, "policy", lambda: Policy(0.10, zone="Europe/Berlin"))
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "class.json").write_text('{"ada": {}, "Bo": {}}')
    return tmp_path


def given(term, *lines):
    (term / "dates.csv").write_text("\n".join(lines), encoding="utf-8-sig")
    return main(["due", str(term / "out"), "--list", str(term / "dates.csv")])


def test_a_terms_dates_and_extensions_are_set_at_once(term, capsys):
    lines = ("Chapter;Until;Student", "90;2027-04-02 12:00;bo", "89;2027-03-15T23:59+01:00;")
    assert given(term, *lines, "90;2027-03-22 23:59;", "", "90;2027-04-01 12:00;ada") == 0
    assert "2 dates and 2 extensions of 2 students are set" in capsys.readouterr().out
    assert main(["due", str(term / "out")]) == 0
    assert capsys.readouterr().out.splitlines()[:4] == [
        "89_talk: due at 2027-03-15 23:59 Europe/Berlin",
        "90_demo: due at 2027-03-22 23:59 Europe/Berlin",
        "  Bo has until 2027-04-02 12:00 Europe/Berlin",
        "  ada has until 2027-04-01 12:00 Europe/Berlin",
    ]


def test_one_wrong_line_and_nothing_is_set(term, capsys):
    soon = (datetime.now(UTC) + timedelta(days=2)).isoformat(timespec="minutes")
    wrong = ("77,2027-03-15,", "89,soon,", f"89,{soon},ada", "90,none,", "90,2027-03-15,eve")
    lines = ("chapter,until,student", "90,2027-03-15 12:00,", "90,2027-03-14,ada", *wrong)
    assert given(term, *lines, "90,2027-03-16,") == 2
    told = capsys.readouterr().err
    assert told.startswith("Nothing was set. dates.csv: line 3 ends before 90 is due")
    assert "line 4 cannot be set: Chapter 77 has no notebook" in told
    assert "line 5 cannot be set: 'soon' is no moment" in told
    assert "line 6 extends 89, which has no date yet" in told
    assert told.rstrip().endswith("; and 2 more.") and told.count("\n") == 1
    assert not (term / "out" / "gradebook.db").exists()
    assert given(term, "chapter,when", "90,2027-03-15") == 2
    assert given(term, "chapter,until", "90,2027-03-15", "90,2027-03-16") == 2
    assert given(term, "chapter,until", "") == 2
    told = capsys.readouterr().err.splitlines()
    assert "has no column until" in told[0] and "line 3 sets the same date as line 2" in told[1]
    assert "nothing to set" in told[2]
    assert main(["due", str(term / "out"), "90", "--list", str(term / "dates.csv")]) == 2


def test_an_extension_may_belong_to_a_date_that_was_set_before(term):
    main(["due", str(term / "out"), "90", "2027-03-15 12:00"])
    assert given(term, "student,until,chapter", "ada,2027-03-17 12:00,90_demo") == 0
    kept = json.loads((term / "out" / "extensions.json").read_text())
    assert kept == {"90_demo": {"ada": "2027-03-17T11:00:00"}}
