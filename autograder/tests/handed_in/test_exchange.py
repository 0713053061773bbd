"""The times of nbgrader's exchange count where the teacher says so, and no time that a student
wrote does."""

import json
import os
import shutil
from datetime import UTC, datetime

import pytest

from autograder.__main__ import main
from autograder.gradebook import late
from autograder.gradebook.late import Policy
from autograder.handed_in.receipts import Receipts
from autograder.handed_in.submission import read
from autograder.tests.handed_in.test_receipts import notebook

COLLECTED = "2026-03-20 19:50:12.123456 UTC"
MOMENT = datetime(2026, 3, 20, 19, 50, 12, 123000, UTC)


@pytest.fixture
def submitted(tmp_path, monkeypatch):
    """What `nbgrader collect` makes of Ada's chapter 03."""
    monkeypatch.setattr(late, "policy", lambda: Policy(0.1, 0.5, zone="Europe/Vienna"))
    notebook(tmp_path / "submitted" / "ada" / "03_demo" / "03_demo.ipynb", "03", "ada")
    stamp(tmp_path / "submitted", COLLECTED)
    return tmp_path / "submitted"


def stamp(submitted, text, inside="ada/03_demo"):
    (submitted / inside / "timestamp.txt").write_text(text, encoding="utf-8")


def received(submitted, *words):
    """When Ada's notebook came, after `receive` with these words."""
    out = submitted.parent / "out"
    assert main(["receive", str(submitted), "--out", str(out), *words]) == 0
    (found,) = read(submitted / "ada")
    return Receipts(out / "receipts.jsonl").at(found)


def test_the_teacher_says_that_the_exchange_knows(submitted, capsys):
    assert received(submitted, "--times", "nbgrader") == MOMENT
    said = capsys.readouterr()
    assert "follows from nbgrader's exchange for 1 of them" in said.out and said.err == ""


def test_nobody_else_does(submitted):
    assert received(submitted) > MOMENT


def test_receipts_of_before_are_corrected(submitted):
    assert received(submitted) > MOMENT
    assert received(submitted, "--times", "nbgrader") == MOMENT
    stamp(submitted, "2026-03-25 19:50:12 UTC")
    assert received(submitted, "--times", "nbgrader") == MOMENT, "never to a later one"


@pytest.mark.parametrize(
    "text",
    [
        "2026-03-20 19:50:12.123",
        "2026-03-20 20:50:12.123 CET",
        "2026-03-20 20:50:12.123 Europe/Vienna",
        "2026-03-20 20:50:12.123 +0100",
        "2026-03-20T20:50:12.123+01:00\n",
        "2026-03-20 14:50:12.123 EST",
    ],
)
def test_moments_as_configurations_of_nbgrader_write_them(submitted, text):
    stamp(submitted, text)
    assert received(submitted, "--times", "nbgrader") == MOMENT


def test_a_time_in_summer_of_the_courses_zone(submitted):
    stamp(submitted, "2026-07-20 21:50:12 CEST")
    assert received(submitted, "--times", "nbgrader") == datetime(2026, 7, 20, 19, 50, 12, 0, UTC)


@pytest.mark.corpus
@pytest.mark.parametrize(
    "text, sentence",
    [
        ("yesterday", "with no moment in it, 'yesterday'"),
        ("", "with no moment in it, ''"),
        ("2026-02-30 10:00:00 UTC", "with no moment in it"),
        ("2026-02-20 10:00:00 QQQ", "with no moment in it"),
        ("2999-01-01 10:00:00 UTC", "still to come"),
        ("x" * 500, "no file of one line"),
    ],
)
def test_a_bad_time_is_told_and_the_work_is_taken_in(submitted, capsys, text, sentence):
    stamp(submitted, text)
    assert received(submitted, "--times", "nbgrader") > MOMENT
    said = capsys.readouterr()
    assert said.err.startswith("ada has a timestamp.txt") and sentence in said.err
    assert "its time is that of the receipt" in said.err
    assert "1 new submission was received" in said.out
    stamp(submitted, COLLECTED)
    assert received(submitted, "--times", "nbgrader") == MOMENT, "mended, it counts"


def test_a_time_that_a_student_wrote_does_not_count(submitted, capsys, tmp_path, monkeypatch):
    (submitted / "ada" / "03_demo" / "timestamp.txt").unlink()
    home = submitted / "ada" / "03_demo" / "work"
    home.mkdir()
    shutil.move(submitted / "ada" / "03_demo" / "03_demo.ipynb", home)
    stamp(submitted, COLLECTED, "ada/03_demo/work")
    assert received(submitted, "--times", "nbgrader") > MOMENT
    assert "ada has no timestamp.txt" in capsys.readouterr().err
    stamp(submitted, COLLECTED)
    theirs = os.geteuid() + 1
    monkeypatch.setattr(os, "geteuid", lambda: theirs)
    os.chown(submitted, theirs, -1) if os.getuid() == 0 else pytest.skip("needs root")
    assert received(submitted, "--times", "nbgrader") > MOMENT
    assert "another account owns" in capsys.readouterr().err


def test_a_zip_file_has_no_times_of_the_exchange(submitted, capsys):
    packed = shutil.make_archive(str(submitted.parent / "all"), "zip", submitted)
    words = ["receive", packed, "--out", str(submitted.parent / "out"), "--times", "nbgrader"]
    assert main(words) == 2
    assert "may be its sender's" in capsys.readouterr().err
    assert not (submitted.parent / "out").exists()


def test_two_chapters_of_one_student_have_two_times(submitted):
    notebook(submitted / "ada" / "02_demo" / "02_demo.ipynb", "02", "ada")
    stamp(submitted, "2026-03-13 19:00:00 UTC", "ada/02_demo")
    out = submitted.parent / "out"
    assert main(["receive", str(submitted), "--out", str(out), "--times", "nbgrader"]) == 0
    lines = [json.loads(line) for line in (out / "receipts.jsonl").read_text().splitlines()]
    assert {line["chapter"]: line["at"] for line in lines} == {
        "02": "2026-03-13T19:00:00.000+00:00",
        "03": "2026-03-20T19:50:12.123+00:00",
    }
