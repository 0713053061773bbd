"""Whom to write to: by codes, with a sentence to send that accuses nobody."""

import csv
import io
import json
from datetime import UTC, datetime, timedelta

import pytest

from autograder.__main__ import main
from autograder.course.masters import master
from autograder.gradebook import late
from autograder.gradebook.late import Policy
from autograder.teacher.letters import letters_of
from autograder.tests.conftest import writer_of

pytestmark = pytest.mark.slow  # a class of seven is graded
LISTED = "student,name,email\n" + "".join(
    f"{name.lower()},{name} Test,{name.lower()}@school.org\n"
    for name in ("Ada", "Bo", "Cy", "Di", "Eve", "Fay", "Gus", "Hal", "Ina")
)


def edit(path, change):
    notebook = json.loads(path.read_text())
    change(notebook)
    path.write_text(json.dumps(notebook))


def make(folder):
    """ada is in time; bo writes one answer less and is late; cy's file is nothing; nothing came of
    di and ina, and ina has longer; eve has no name; fay another package; gus a cell less; hal has
    ada's notebook."""
    hand_in = writer_of(folder / "class")
    blank = next(cell.source for cell in master("90").cells if cell.question == "90.3")
    hand_in("ada", student="ada")
    hand_in("bo", {"90.3": blank}, student="bo", folder=folder / "later")
    (folder / "class" / "cy.ipynb").write_text("{")
    hand_in("eve")
    edit(
        hand_in("fay", student="fay"),
        lambda book: book["metadata"].update(autograder={"course_key": "12345678"}),
    )
    edit(
        hand_in("gus", student="gus"),
        lambda book: book.update(
            cells=[
                cell
                for cell in book["cells"]
                if cell["metadata"].get("nbgrader", {}).get("grade_id") != "q-90-2"
            ]
        ),
    )
    hand_in("hal", student="ada")
    (folder / "class.csv").write_text(LISTED, encoding="utf-8")
    out, listed = str(folder / "out"), ["--roster", str(folder / "class.csv")]
    now = datetime.now(UTC)
    early, due, longer = (
        (now + timedelta(hours=hours)).isoformat(timespec="seconds") for hours in (-9, -6, 6)
    )
    main(["receive", str(folder / "class"), "--out", out, "--at", early, *listed])
    assert main(["due", out, "90", due]) == 0
    assert main(["due", out, "90", longer, "--student", "ina"]) == 0
    assert main(["grade", str(folder / "class"), "--out", out, "--allow-unsafe"]) == 3
    assert main(["grade", str(folder / "later"), "--out", out, "--allow-unsafe"]) == 0


@pytest.fixture
def out(demo, tmp_path, made_once, monkeypatch):
    monkeypatch.setattr(late, "policy", lambda: Policy(0.10))
    made_once(make, tmp_path)
    return tmp_path / "out"


def test_everybody_who_should_hear_something_and_nobody_else(out, capsys):
    found = {(each.student, str(each.why)): each.text for each in letters_of(out)}
    assert list(found) == [
        ("bo", "no answer"),
        ("bo", "late"),
        ("cy", "could not be graded"),
        ("di", "missing"),
        ("eve", "no name"),
        ("fay", "another package"),
        ("gus", "answer cell gone"),
        ("hal", "another's name or work"),
    ], "ada has done everything, and ina has time"
    assert found["bo", "no answer"].startswith("In chapter 90 there is no answer of yours to 90.3.")
    assert "taken off (10% of the points earned" in found["bo", "late"]
    assert "Your file cy.ipynb could not be graded: " in found["cy", "could not be graded"]
    assert found["cy", "could not be graded"].endswith("Please hand in chapter 90 again.")
    assert 'me("eve")' in found["eve", "no name"] and "90.2" in found["gus", "answer cell gone"]
    assert "ada" not in found["hal", "another's name or work"]
    assert found["hal", "another's name or work"].endswith("Please come and talk to me.")


def test_a_table_for_a_mail_merge(out, tmp_path, capsys):
    path = tmp_path / "letters.csv"
    assert main(["letters", str(out), "--file", str(path)]) == 0
    assert capsys.readouterr().out == (
        "8 letters to 7 students: 1 missing, 1 could not be graded, 1 another's name or work, "
        "1 no name, 1 another package, 1 answer cell gone, 1 no answer, 1 late.\n"
    )
    rows = list(csv.DictReader(io.StringIO(path.read_bytes().decode("utf-8-sig"), newline="")))
    assert rows[3]["id"] == "di" and rows[3]["email"] == "di@school.org"
    assert (rows[3]["name"], rows[3]["chapter"], rows[3]["why"]) == ("Di Test", "90", "missing")
    assert main(["letters", str(out)]) == 0
    shown = capsys.readouterr().out
    assert "di Di Test <di@school.org>: 90, missing\n    I have no file of yours" in shown


def test_they_are_decided_by_codes_and_not_by_words(out):
    """The same letters are written when every sentence of the results is another one."""
    before = [(each.student, each.chapter, each.why) for each in letters_of(out)]
    path = out / "results.json"
    results = json.loads(path.read_text())
    for result in results.values():
        result.update(reason="Xyz.", reason_for_student="Xyz.", flags=["xyz"])
        for cell in result["cells"].values():
            cell["sentence"] = "xyz"
    path.write_text(json.dumps(results))
    assert [(each.student, each.chapter, each.why) for each in letters_of(out)] == before
    assert main(["letters", str(out / "nowhere")]) == 2
