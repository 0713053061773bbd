"""A term: a folder a week into one OUT, late ones in folders of their own, the class list, the
secret, and somebody who asks to be forgotten."""

import json
import re
import sqlite3

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.gradebook.read import sheets
from autograder.gradebook.students import class_of
from autograder.grading import out_folder
from autograder.handed_in.classlist import Roster, read_roster
from autograder.teacher.report import as_text, read_class
from autograder.tests.conftest import writer_of
from autograder.written.answers import open_answers, read_results

ROSTER = Roster(
    {"ada": {"first_name": "Ada", "last_name": "Abel"}, "bo": {"name": "Bo Ōe"}, "cy": {}}
)


def silent(text):
    """Progress that nobody reads."""


def first_week(home):
    hand_in = writer_of(home / "first")
    hand_in("ada", {"90.open": "Sheet of ada."}, student="ada")
    hand_in("bo", {"90.1": "opened = kept = n.partitions"}, student="bo")
    grade_class(home / "first", home / "out", roster=ROSTER, say=silent)


@pytest.fixture
def out(demo, made_once, tmp_path):
    made_once(first_week, tmp_path)
    return tmp_path / "out"


@pytest.mark.slow
def test_a_second_folder_leaves_the_first_ones_results_pages_and_queue(out, hand_in, tmp_path):
    hand_in("cy", student="cy", folder=tmp_path / "second")
    hand_in("bo again", student="bo", folder=tmp_path / "second")
    assert set(grade_class(tmp_path / "second", out, say=silent)) == {
        "cy.ipynb",
        "bo again.ipynb",
    }, "what this run was about"
    shown = read_results(out)
    assert {name: (result["score"], result["counted"]) for name, result in shown.items()} == {
        "ada.ipynb": (6, True),
        "bo.ipynb": (4, False),
        "cy.ipynb": (6, True),
        "bo again.ipynb": (6, True),
    }
    assert shown["bo.ipynb"]["reason"] == "bo handed in bo again.ipynb later, and that one counts."
    assert {answer.student for answer in open_answers(out)} == {"ada", "bo", "cy"}
    assert {sheet.student: sheet.earned for sheet in sheets(out)} == {"ada": 6, "bo": 6, "cy": 6}
    before = (out / "results.json").read_bytes()
    assert set(grade_class(tmp_path / "first", out, say=silent)) == {"ada.ipynb", "bo.ipynb"}
    assert {sheet.student: sheet.earned for sheet in sheets(out)}["bo"] == 6, (
        "the later one counts, whichever folder was graded last"
    )
    assert json.loads(before) == read_results(out)
    main(["feedback", str(out)])
    assert "Right" in (out / "feedback" / "ada" / "90_demo.html").read_text(encoding="utf-8")
    assert main(["regrade", "90.1", str(out)]) == 0


@pytest.mark.slow
def test_one_name_in_two_chapters_is_two_entries(out):
    one = next(iter(out_folder.read(out).values()))
    other = out_folder.GradedFile(out_folder.replace(one.submission, chapter=None), "key")
    assert list(out_folder.unique_names([one, other], lambda each: "then")) == [
        one.submission.name,
        f"{one.submission.name} (no chapter)",
    ]
    assert out_folder.elsewhere(out, [one, other], [one.submission], Roster()) == []


@pytest.mark.slow
def test_the_class_list_is_kept_and_says_who_is_missing_and_who_is_a_stranger(
    out, hand_in, tmp_path, capsys
):
    hand_in("Ōe Bo_104_assignsubmission_file", folder=tmp_path / "second")
    hand_in("eve", student="eve", folder=tmp_path / "second")
    assert main(["grade", str(tmp_path / "second"), "--out", str(out)]) == 0
    assert "Not on the class list: eve." in capsys.readouterr().err
    assert {sheet.student: (sheet.first_name, sheet.last_name) for sheet in sheets(out)} == {
        "ada": ("Ada", "Abel"),
        "bo": ("Bo", "Ōe"),
        "eve": ("", ""),
    }, "no list was named, and the file was known to be Bo's"
    text = as_text(read_class(out))
    assert (
        "1 of the class list handed in nothing that could be graded: cy." in text
        and "Not on the class list: eve" in text
    )
    (tmp_path / "class.csv").write_text(
        "student,name\nada,Ada Lovelace\nbo,Bo Ōe\neve,Eve\n", encoding="utf-8"
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
        == 0
    )
    assert "Not on the class list" not in capsys.readouterr().err
    assert {sheet.student: sheet.last_name for sheet in sheets(out)} == {
        "ada": "Lovelace",
        "bo": "Ōe",
        "eve": "Eve",
    }
    (tmp_path / "class.csv").write_text(
        "student,name,file\nada,Ada Lovelace,eve.ipynb\nbo,Bo Ōe,\n", encoding="utf-8"
    )
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
    main(["forget", str(out), "eve", "--apply"])
    assert {sheet.student for sheet in sheets(out)} == {"ada", "bo"} and main(
        ["grade", str(tmp_path / "second"), "--out", str(out), "--force"]
    ) == 0
    assert read_results(out)["eve.ipynb"]["student"] == "ada", (
        "the file is hers now, and its receipt and copy stayed"
    )


MOODLE = "First name,Last name,ID number,Email address\nJörg,Müller,u1,j@x.org\n"
CANVAS = (
    "Student,ID,SIS User ID,SIS Login ID,Section\n    Points Possible,,,,\n"
    '"Müller, Jörg",5512,,u1,A\n"Student, Test",77,,,A\n'
)


@pytest.mark.parametrize(
    "text, encoding",
    [
        (MOODLE, "utf-8"),
        (CANVAS, "utf-8"),
        ("SID;Surname;First Name\nu1;Müller;Jörg\n", "utf-8-sig"),
        ("student\tname\nu1\tJörg Müller\n", "utf-16"),
        ("Identifier,github_username,Name\nu1,jm,Jörg Müller\n", "utf-8"),
    ],
)
def test_class_lists_of_other_systems_are_read_as_they_come(tmp_path, text, encoding):
    (tmp_path / "class.csv").write_text(text, encoding=encoding)
    roster = read_roster(tmp_path / "class.csv")
    assert list(roster.rows) == ["u1"]
    for stem in (
        "Jörg Müller_104233_assignsubmission_file",
        "mullerjorg_LATE_5512_99887_03_consumer-2",
        "u1_03",
        "Müller Jörg",
    ):
        assert roster.student_behind(stem) == "u1", stem


@pytest.mark.parametrize(
    "raw, sentence",
    [
        ("student,name\nu1,Jörg\n".encode("cp1252"), "is not written in UTF-8"),
        (b"colour,name\nred,Jo\n", "its columns are: colour, name"),
        (b"student,name\n,Jo\n", "has no column named student or id with ids in it"),
        (b"", "its columns are: none"),
        (b'student,name\nu1,"Jo\nu2,Al\nu3,Bo\n', "by line 4 its quotation marks do not pair up"),
        (b'student,name\nu1,"Jo\nu2,"Al"\nu3,Bo\n', "by line 3 its quotation marks"),
    ],
)
def test_a_class_list_that_is_none_is_told(tmp_path, raw, sentence):
    (tmp_path / "class.csv").write_bytes(raw)
    with pytest.raises(ValueError, match=sentence):
        read_roster(tmp_path / "class.csv")


def test_lines_of_the_list_that_are_nobodys_are_named(tmp_path):
    (tmp_path / "class.csv").write_text("student,name\nu1,A\nu 2,B\n,C\nu1,D\n", encoding="utf-8")
    assert read_roster(tmp_path / "class.csv").dropped == (
        "line 3 has 'u 2' as id, and an id is letters and digits",
        "line 4 has no id",
        "line 5 names u1 a second time",
    )


@pytest.mark.slow
def test_a_chapter_may_be_due_before_anybody_has_handed_in(hand_in, tmp_path, capsys):
    out = tmp_path / "new"
    assert main(["due", str(out), "90", "2020-01-01T12:00Z"]) == 0
    assert "90_demo is due at 2020-01-01 12:00 UTC" in capsys.readouterr().out
    assert main(["export", str(out)]) == 2 and "Nothing was graded" in capsys.readouterr().err
    hand_in("ada", student="ada", folder=tmp_path / "first")
    grade_class(tmp_path / "first", out, roster=ROSTER, say=silent)
    assert [sheet.seconds_late > 0 for sheet in sheets(out)] == [True]
    assert (
        main(["due", str(out), "90", "2040-01-01", "--student", "eve"]) == 2
        and "not on the class list" in capsys.readouterr().err
    )
    assert (
        main(["export", str(out)]) == 0
        and "1 of 1 have an open answer that waits" in capsys.readouterr().err
    )


@pytest.mark.corpus
def test_another_secret_grades_nobody(out, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("AUTOGRADER_SECRET", "another course")
    for words in (
        ["grade", str(tmp_path / "first"), "--out", str(out)],
        ["regrade", "90.1", str(out)],
        ["receive", str(tmp_path / "first"), "--out", str(out)],
    ):
        assert main(words) == 2
        assert "was graded with another course secret" in capsys.readouterr().err


def test_who_is_forgotten_leaves_no_word_behind(out, capsys, tmp_path):
    from autograder.written.queue import Queue

    with Queue(out, "90.open") as queue:
        while queue.current is not None:
            queue.mark(2)
    main(["feedback", str(out)])
    main(["due", str(out), "90", "2020-01-01"])
    main(["due", str(out), "90", "2040-01-01", "--student", "ada"])
    assert main(["report", str(out), "--page"]) == 0
    assert (
        main(["forget", str(out), "ada"]) == 0 and "Nothing was deleted" in capsys.readouterr().out
    )
    assert {sheet.student for sheet in sheets(out)} == {"ada", "bo"}
    assert main(["forget", str(out), "ada", "--apply"]) == 0
    assert "rows of the gradebook" in capsys.readouterr().out
    assert [sheet.student for sheet in sheets(out)] == ["bo"] and list(class_of(out).rows) == [
        "bo",
        "cy",
    ]
    left = [
        path
        for path in out.rglob("*")
        if path.is_file()
        and (
            re.search(r"(?<![0-9a-f])ada(?![0-9a-f])", path.name)  # a digest may have it by chance
            or any(word in path.read_bytes() for word in (b'"ada"', b"Sheet of ada", b"Abel"))
        )
    ]
    assert left == [] and not (out / "autograded" / "ada").exists()
    with sqlite3.connect(out / "gradebook.db") as book:
        assert book.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert (
        main(["forget", str(out), "ada"]) == 2 and "keeps nothing of ada" in capsys.readouterr().err
    )
    (tmp_path / "first" / "ada.ipynb").unlink()
    grade_class(tmp_path / "first", out, say=silent)
    assert [sheet.student for sheet in sheets(out)] == ["bo"]


@pytest.mark.parametrize(
    "name", ["", ".", "..", "../..", "../autograded", "90_demo", "{elsewhere}"]
)
def test_only_a_student_is_forgotten_never_a_folder(out, tmp_path, capsys, name):
    """`forget OUT "$who" --apply` where the shell knows no `who`, and what else is a path."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    before = {path: path.read_bytes() for path in out.rglob("*") if path.is_file()}
    assert main(["forget", str(out), name.format(elsewhere=elsewhere), "--apply"]) == 2
    assert "keeps nothing of" in capsys.readouterr().err and elsewhere.is_dir()
    assert {path: path.read_bytes() for path in out.rglob("*") if path.is_file()} == {
        **before,
        out / ".writer": b"",
    }


def test_nobody_is_forgotten_by_halves(out, capsys):
    (out / "results.json").write_text("{")
    assert main(["forget", str(out), "ada", "--apply"]) == 2
    assert (
        "cannot be read, so nothing was deleted" in capsys.readouterr().err
        and len(list(sheets(out))) == 2
    )
