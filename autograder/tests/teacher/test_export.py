"""Marks for other systems: the layouts, names that are no formulas,
and a person's mark before ours."""

import csv
import io
import json
import shutil

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class
from autograder.gradebook.read import GradeCell, Sheet
from autograder.handed_in.classlist import Roster
from autograder.teacher.export import LAYOUTS, _totals, export, parse_weights, safe

pytestmark = pytest.mark.usefixtures("kept_staff")

_KEPT = {}
ROSTER = Roster(
    {
        "ada": {
            "first_name": "=cmd|' /C calc'!A0",
            "last_name": 'O"Neil, Jr.',
            "email": "ada@example.org",
        },
        "bo": {"first_name": "Борис", "last_name": "Ōe"},
    }
)


@pytest.fixture
def graded(hand_in, tmp_path):
    """A class of two: ada knows everything, bo misses one question."""
    folder, kept = tmp_path / "class", _KEPT.get("out")
    if kept is not None and kept.exists():  # graded once, then copied
        return shutil.copytree(kept, tmp_path / "out")
    hand_in("ada", student="ada", folder=folder)
    hand_in("bo", {"90.3": "total = len(seen)"}, student="bo", folder=folder)
    grade_class(folder, tmp_path / "out", roster=ROSTER, say=lambda text: None)
    _KEPT["out"] = shutil.copytree(tmp_path / "out", tmp_path.with_name(tmp_path.name + "-kept"))
    return tmp_path / "out"


def rows_of(text):
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.corpus
def test_a_table_reads_back_whole_and_holds_no_formula(graded):
    text = export(graded, "csv")
    assert text.count("\r\n") == len(rows_of(text)) == 3
    head, ada, bo = rows_of(text)
    ada, bo = dict(zip(head, ada)), dict(zip(head, bo))
    assert (ada["last_name"], ada["first_name"], bo["first_name"]) == (
        'O"Neil, Jr.',
        "'=cmd|' /C calc'!A0",
        "Борис",
    )
    assert (ada["score"], bo["score"], bo["90.3"], ada["90.3"]) == ("6", "5", "0", "1")


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_has_both_students(graded, layout):
    text = export(graded, layout)
    assert "Борис" in text and "O" in text
    if layout != "json":
        assert len({len(row) for row in rows_of(text)}) == 1, "every row is as wide as the heading"


def test_canvas_knows_the_points_possible(graded):
    head, possible, *_ = rows_of(export(graded, "canvas"))
    assert (
        head[:5] == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]
        and possible[0].strip() == "Points Possible"
    )


def test_a_persons_mark_comes_before_ours(graded):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{graded / 'gradebook.db'}") as book:
        sheet = book.find_submission("90_demo", "bo").notebooks[0]
        grade = next(grade for grade in sheet.grades if grade.cell.name == "q-90-3-test")
        grade.manual_score = 0.5
        book.db.commit()
    found = {row["student"]: row for row in json.loads(export(graded, "json"))}
    cell = next(cell for cell in found["bo"]["cells"] if cell["question"] == "90.3")
    assert (cell["score"], cell["by_hand"], found["bo"]["score"]) == (0.5, True, 5.5)


NAMES = (
    "Ann, Jr.",
    'O"Neil',
    "Жуков",
    "王小明",
    "=cmd|' /C calc'!A0",
    "Two\nLines",
    "Cr\r\nLf",
    "\uff1d1+1",
    "  @x",
    "\u00e9",
    "semi;colon",
    "'quoted'",
)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_name_comes_back_as_it_was(layout):
    sheets = [
        Sheet(
            f"s{number}",
            name,
            name[::-1],
            f"{number}@x.org",
            "90_demo",
            "2026-11-21 09:00:00",
            0.0,
            (GradeCell("90.1", 1.5, 2.0, False, False),),
        )
        for number, name in enumerate(NAMES)
    ]
    text = LAYOUTS[layout](sheets)
    if layout == "json":
        assert [
            (row["first_name"], row["last_name"], row["score"]) for row in json.loads(text)
        ] == [(name, name[::-1], 1.5) for name in NAMES]
        return
    fields = [field for row in rows_of(text) for field in row]
    for name in NAMES:
        wanted = [f"{name[::-1]}, {name}"] if layout == "canvas" else [name, name[::-1]]
        for each in wanted:
            assert each in fields or "'" + each in fields, each
    assert not any(field[:1] in "=+@\uff1d\t\r\n" and field for field in fields) and "1.5" in fields


@pytest.mark.parametrize(
    "text, written",
    [("Ann", "Ann"), ("-1", "'-1"), (" =1+1", "' =1+1"), ("@x", "'@x"), ("a=b", "a=b")],
)
def test_only_what_a_spreadsheet_would_run_is_marked(text, written):
    assert safe(text) == written


def test_no_gradebook_and_no_such_layout_are_told(graded, tmp_path, capsys):
    assert (
        main(["export", str(tmp_path)]) == 2 and main(["export", str(graded), "--as", "xml"]) == 2
    )
    told = capsys.readouterr().err
    assert (
        "There is no gradebook" in told
        and "there are csv, json, canvas, moodle, gradescope, totals" in told
    )


def test_points_are_scaled_to_what_a_chapter_is_worth_elsewhere(graded, capsys):
    head, *rows = rows_of(export(graded, "moodle", scale=100))
    assert {row[head.index("ID number")]: row[-1] for row in rows} == {"ada": "60", "bo": "50"}
    assert rows_of(export(graded, "canvas", scale=100))[1][-1] == "100"
    assert main(["export", str(graded), "--as", "json", "--scale", "100"]) == 2
    assert main(["export", str(graded), "--as", "moodle", "--scale", "-1"]) == 2
    told = capsys.readouterr().err
    assert "--scale goes with canvas, moodle, totals" in told and "a number of points" in told


def test_the_courses_total_counts_what_nothing_came_of():
    def sheet(student, chapter, score):
        cells = (GradeCell(f"{chapter[:2]}.1", score, 10.0, False, False),)
        return Sheet(student, "", "", "", chapter, "", 0.0, cells)

    found = [sheet("ada", "02_x", 9.0), sheet("ada", "03_y", 7.5), sheet("bo", "02_x", 4.0)]
    head, ada, bo = rows_of(LAYOUTS["totals"](found))
    assert head[-5:] == ["02_x", "03_y", "total", "max", "percent"]
    assert ada[-5:] == ["9", "7.5", "16.5", "20", "82.5"]
    assert bo[-5:] == ["4", "", "4", "20", "20"]


def test_a_weighted_total_stands_beside_the_sum():
    """A chapter of few points can weigh most."""

    def sheet(student, chapter, score, most):
        cells = (GradeCell(f"{chapter[:2]}.1", score, most, False, False),)
        return Sheet(student, "", "", "", chapter, "", 0.0, cells)

    found = [sheet("ada", "02_x", 9, 10), sheet("ada", "03_y", 10, 40), sheet("bo", "03_y", 40, 40)]
    head, ada, bo = rows_of(_totals(found, weights=parse_weights("2=30, 03=10")))
    assert head[-6:] == ["total", "max", "percent", "weighted", "weights", "weighted_percent"]
    assert ada[-6:] == ["19", "50", "38", "29.5", "40", "73.8"]
    assert bo[-6:] == ["40", "50", "80", "10", "40", "25"]


@pytest.mark.parametrize(
    "weights, told",
    [
        ("02=ten", "written like 02=10,03=15, a chapter and a number from 0 on, not '02=ten'"),
        ("02=-1", "not '02=-1'"),
        ("90=nan", "not '90=nan'"),
        ("", "not ''"),
        ("90=1,90=2", "names chapter 90 twice"),
        ("90=0", "only zeros"),
        ("02=10", "Chapter 90 has marks and no weight; add 90=10, or 90=0"),
        ("90=10,91=5", "Chapter 91 has a weight and no marks yet"),
    ],
)
def test_weights_that_do_not_fit_are_one_sentence(graded, capsys, weights, told):
    assert main(["export", str(graded), "--as", "totals", "--weights", weights]) == 2
    said = capsys.readouterr().err.splitlines()
    assert told in said[-1] and all("open answer" in line for line in said[:-1])


def test_weights_belong_to_the_total(graded, capsys):
    assert main(["export", str(graded), "--as", "csv", "--weights", "90=10"]) == 2
    assert main(["export", str(graded), "--as", "totals", "--weights", "90=10"]) == 0
    assert "6,10,60,6,10,60" in capsys.readouterr().out


def test_tables_of_our_own_say_what_became_of_each_question(graded):
    """An open answer waits until the gradebook has a person's mark, and is settled then."""
    from nbgrader.api import Gradebook

    def cells():
        return {
            (row["student"], cell["question"]): (cell["outcome"], cell["misconception"])
            for row in json.loads(export(graded, "json"))
            for cell in row["cells"]
        }

    assert cells()["ada", "90.3"] == ("right", None) and cells()["bo", "90.3"] == (
        "wrong",
        "counted",
    )
    with Gradebook(f"sqlite:///{graded / 'gradebook.db'}") as book:
        sheet = book.find_submission("90_demo", "bo").notebooks[0]
        grade = next(grade for grade in sheet.grades if grade.cell.name == "q-90-open")
        grade.manual_score, grade.needs_manual_grade = 3, False
        book.db.commit()
    assert cells()["ada", "90.open"] == ("waiting", None)
    assert cells()["bo", "90.open"] == ("settled", None)
    head, _, bo = rows_of(export(graded, "csv"))
    bo = dict(zip(head, bo))
    assert (bo["90.3 outcome"], bo["90.3 misconception"], bo["90.open outcome"]) == (
        "wrong",
        "counted",
        "settled",
    )


def test_marks_without_results_are_exported_without_outcomes(graded):
    (graded / "results.json").unlink()
    said = []
    (bo,) = [
        row for row in json.loads(export(graded, "json", said.append)) if row["student"] == "bo"
    ]
    assert bo["score"] == 5 and {cell["outcome"] for cell in bo["cells"]} == {None}
    assert any(line.startswith("The marks stand here without outcomes.") for line in said)
