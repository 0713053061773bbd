"""One class, and one mark for each student in all that a teacher reads.

There are late, extended, disputed, suspect, regraded, unmarked and missing students. Each output is
read as a person reads it, row by row: formgrader's lists, the report and its page, the letters, all
exports, Moodle's worksheet, the feedback pages and the marking page.
"""

import csv
import html
import io
import json
import re
from datetime import UTC, datetime, timedelta

import pytest

from autograder.__main__ import main
from autograder.gradebook import late
from autograder.gradebook.byhand import ANSWER
from autograder.gradebook.database import changing
from autograder.gradebook.late import Policy
from autograder.proving.browser import CHROMIUM_FLAGS, find_chromium
from autograder.tests.conftest import writer_of
from autograder.tests.teacher.test_formgrader import server as formgrader
from autograder.tests.teacher.test_regrade import mend
from autograder.tests.teaching import GOOD, POOR, use_rubric
from autograder.tests.written.test_marking_page import Marker, server

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("kept_staff")]
CHAPTER = "90_demo"
CLASS = "ann bea cat dan eve fay gus hal ida jon kim lea max".split()
YES, NO, HM = (f"{GOOD[0]} {word}" for word in ("Yes.", "No.", "Hm."))
COUNT = {"90.3": "total = len(seen)"}
EXPECTED = {
    "ann": 8,  # in time
    "bea": 6.4,  # the same, and a day and a half late: a fifth is taken off
    "cat": 7.5,  # as late, with an extension; 2.5 in formgrader after 3 on the page
    "dan": 7,  # marked 1, at the second look 3, and then 2
    "eve": 5,  # her answer waits
    "gus": 5,  # his notebook names ann; his answer waits
    "hal": 4,  # late, and his answer waits
    "ida": 4.5,  # her second file is late, and worth more in spite of that
    "jon": 6,  # 1.5 of 2 and half a point more in formgrader
    "kim": 6,  # gains by the regrading, by which all others lose a point
    "max": 5,  # wrong before and after it
}
ABSENT = {"fay", "lea"}


def ago(**time) -> str:
    return (datetime.now(UTC) - timedelta(**time)).isoformat(timespec="seconds")


@pytest.fixture
def out(demo, tmp_path, monkeypatch, capsys, made_once):
    """OUT after a week: received, graded, marked by two, changed in formgrader, and regraded."""
    use_rubric(monkeypatch)
    monkeypatch.setattr(late, "policy", lambda: Policy(0.10, 0.50, 15))
    made_once(a_week, tmp_path)
    capsys.readouterr()
    return tmp_path / "out"


def a_week(tmp_path) -> None:
    listed, out = tmp_path / "class.csv", tmp_path / "out"
    lines = (f"{who},{who.title()} Test,{who}@school.org" for who in CLASS)
    listed.write_text("\n".join(["student,name,email", *lines]) + "\n", encoding="utf-8")
    in_time, after = writer_of(tmp_path / "in time"), writer_of(tmp_path / "after")
    in_time("ann", {"90.open": GOOD[0]}, student="ann")
    in_time("dan", {"90.open": GOOD[1]}, student="dan")
    in_time("eve", {"90.open": POOR[0]}, student="eve")
    in_time("gus", {"90.open": POOR[1]}, student="ann")
    in_time("ida", {"90.1": "opened = kept = 0", "90.open": ""}, student="ida")
    in_time("jon", {"90.1": "opened = kept = n.partitions", "90.open": GOOD[2]}, student="jon")
    in_time("kim", {**COUNT, "90.open": ""}, student="kim")
    in_time("max", {"90.3": "total = 7", "90.open": ""}, student="max")
    (tmp_path / "in time" / "lea.ipynb").write_text("{")
    after("bea", {"90.open": YES}, student="bea")
    after("cat", {"90.open": NO}, student="cat")
    after("hal", {"90.open": HM}, student="hal")
    after("ida again", {"90.open": ""}, student="ida")
    told = ["--out", str(out), "--roster", str(listed)]
    for folder, came in (("in time", ago(days=4)), ("after", ago(days=1, hours=12))):
        assert main(["receive", str(tmp_path / folder), *told, "--at", came]) == 0
    assert main(["due", str(out), "90", ago(days=3)]) == 0
    assert main(["due", str(out), "90", ago(days=1), "--student", "cat"]) == 0
    assert main(["due", str(out), "90", ago(days=2, hours=12), "--student", "ida"]) == 0
    for folder in ("in time", "after"):
        main(["grade", str(tmp_path / folder), *told])
    marked_on_the_page(out)
    entered_in_formgrader(out, ("cat", "90-open", "manual_score", 2.5))
    entered_in_formgrader(out, ("jon", "90-1-test", "manual_score", 1.5))
    entered_in_formgrader(out, ("jon", "90-1-test", "extra_credit", 0.5))
    with pytest.MonkeyPatch.context() as mended:
        mend(mended, "90.3", truth=lambda case: {"total": 3}, wrong_answers=())
        assert main(["regrade", "90.3", str(out), "--apply"]) == 0


def marked_on_the_page(out) -> None:
    """Each of these answers twice; of dan's the marks differ, and he is decided."""
    given = {GOOD[0]: "3", YES: "3", NO: "3", GOOD[1]: "", GOOD[2]: "1"}
    with server(out, twice=1.0) as address:
        tom = Marker(address, "tom")
        for _ in range(60):
            if tom.answer in given:
                later = ("2",) * ("Marked twice" in tom.page) + ("3",) * ("blind" in tom.page)
                tom.press(next(iter(later), "1") if tom.answer == GOOD[1] else given[tom.answer])
            elif tom.answer is not None:
                tom.press("n")


def entered_in_formgrader(out, entry) -> None:
    student, cell, column, points = entry
    with changing(out) as book:
        where = f"id = (SELECT x.id {ANSWER.format(table='grade')})"
        put = f"UPDATE grade SET {column} = ? WHERE {where}"
        assert book.execute(put, (points, student, CHAPTER, f"q-{cell}")).rowcount == 1


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))


def numbers(cells: dict[str, str]) -> dict[str, float]:
    """The cells that hold a mark."""
    return {name: float(text) for name, text in cells.items() if text}


def said(capsys, *words) -> str:
    """What a command prints."""
    assert main(list(map(str, words))) == 0
    return capsys.readouterr().out


def test_everything_says_one_mark(out, tmp_path, capsys):
    found = dict(by_export(out, capsys))
    found["report"] = {
        who: float(score)
        for who, score in re.findall(
            r"^  (\w+) +\w+ Test +([\d.]+)/10", said(capsys, "report", out), re.M
        )
    }
    said(capsys, "report", out, "--page")
    page = (out / "report/index.html").read_text(encoding="utf-8")
    found["report's page"] = {
        who: float(score)
        for who, score in re.findall(r"<td>(\w+)</td><td>\w+ Test</td>\D*?([\d.]+) of 10<", page)
    }
    found["worksheet"] = by_worksheet(out, tmp_path, capsys)
    found["feedback"] = by_feedback(out, capsys)
    found["nbgrader"] = by_nbgrader(out)
    if find_chromium():
        found["formgrader"] = by_formgrader(out)
    assert {source: marks for source, marks in found.items() if marks != EXPECTED} == {}


def by_export(out, capsys):
    """(layout, marks)"""
    layouts = {
        "csv": ("student", "score"),
        "canvas": ("SIS User ID", CHAPTER),
        "moodle": ("ID number", CHAPTER),
        "gradescope": ("SID", "Total Score"),
        "totals": ("student", CHAPTER),
    }
    for layout, (who, mark) in layouts.items():
        table = rows(said(capsys, "export", out, "--as", layout))
        yield layout, numbers({row[who]: row[mark] for row in table if row[who]})
    table = rows(said(capsys, "export", out, "--as", "totals", "--weights", "90=100"))
    assert {row["student"] for row in table if row["total"] == row["weighted"] == "0"} == ABSENT
    yield "weighted", {r["student"]: float(r["weighted"]) / 10 for r in table if r[CHAPTER]}
    table = json.loads(said(capsys, "export", out, "--as", "json"))
    yield "json", {row["student"]: row["score"] for row in table}
    table = rows(said(capsys, "export", out, "--as", "moodle", "--scale", 100))
    yield "moodle of 100", {row["ID number"]: float(row[CHAPTER]) / 10 for row in table}


SHEET = "Identifier,Full name,ID number,Status,Grade,Maximum grade,Feedback comments"


def by_worksheet(out, tmp_path, capsys):
    """The grades, and the points that the comment beside each begins with."""
    lines = [
        f"Participant {number},{who.title()} Test,{who},Submitted,,10.00,"
        for number, who in enumerate(CLASS, 501)
    ]
    (tmp_path / "sheet.csv").write_text("\n".join([SHEET, *lines]) + "\n", encoding="utf-8")
    words = ("--as", "worksheet", "--sheet", tmp_path / "sheet.csv")
    table = rows(said(capsys, "export", out, *words))
    grades = numbers({row["ID number"]: row["Grade"] for row in table})
    told = {row["ID number"]: row["Feedback comments"].partition(" of 10 ")[0] for row in table}
    assert numbers(told) == grades
    return grades


def by_feedback(out, capsys):
    """What the heading says, and the sum of the questions less what lateness costs."""
    said(capsys, "feedback", out)
    found = {}
    for path in (out / "feedback").glob(f"*/{CHAPTER}.html"):
        page = path.read_text(encoding="utf-8")
        marks = [float(mark) for mark in re.findall(r"class='mark \w+'>([\d.]+) of", page)]
        taken = [float(points) for points in re.findall(r"late; ([\d.]+) of the", page)]
        found[path.parent.name] = float(re.search(rf"<h1>{CHAPTER}: ([\d.]+) of", page)[1])
        assert found[path.parent.name] == pytest.approx(sum(marks) - sum(taken)), page
    return found


def by_nbgrader(out):
    """What nbgrader's exporter and its lists are made from."""
    from nbgrader.apps.api import NbGraderAPI
    from traitlets.config import Config

    course = {"root": str(out), "course_id": "kafka", "db_url": f"sqlite:///{out / 'gradebook.db'}"}
    api = NbGraderAPI(config=Config(CourseDirectory=course))
    found = {row["student"]: row["score"] for row in api.get_submissions(CHAPTER)}
    assert {row["id"]: row["score"] for row in api.get_students() if row["score"]} == found
    return found


def by_formgrader(out):
    """The rows of its list of students, in a real browser."""
    from playwright.sync_api import sync_playwright

    with formgrader(out) as (address, token), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=CHROMIUM_FLAGS)
        page = browser.new_page()
        page.set_default_timeout(60_000)
        page.goto(f"{address}/manage_students?token={token}")
        page.wait_for_selector("text=Test, Ann")
        shown = [row.inner_text() for row in page.locator("tbody tr").all()]
        browser.close()
    found = {}
    for row in shown:
        who, score = re.search(r"Test, (\w+).*?(\S+) / 10", row, re.DOTALL).groups()
        found[who.lower()] = float(score)
    assert {who for who in found if who in ABSENT and found[who] == 0} == ABSENT
    return {who: score for who, score in found.items() if who not in ABSENT}


def test_every_question_has_one_mark(out, tmp_path, capsys):
    """In each table that has questions, on the student's page, and on the marking page."""
    questions = ("90.1", "90.2", "90.3", "90.open")
    table = rows(said(capsys, "export", out, "--as", "csv"))
    marks = {row["student"]: [float(row[each]) for each in questions] for row in table}
    waits = {row["student"] for row in table if row["waits_for_a_person"] == "yes"}
    assert waits == {"eve", "gus", "hal"}
    for row in json.loads(said(capsys, "export", out, "--as", "json")):
        assert [cell["score"] for cell in row["cells"]] == marks[row["student"]]
        assert any(cell["waits"] for cell in row["cells"]) == (row["student"] in waits)
    table = rows(said(capsys, "export", out, "--as", "gradescope"))
    for row in table:
        mine = [value for name, value in row.items() if name.startswith("90.")]
        assert list(map(float, mine)) == marks[row["SID"]]
        assert (row["Status"] == "Ungraded") == (row["SID"] in waits)
    report = said(capsys, "report", out)
    said(capsys, "feedback", out)
    for who, own in marks.items():
        shown = re.search(rf"^  {who} .*?/10 +(?:-[\d.]+|yes)?((?: +\S+){{4}})$", report, re.M)[1]
        mine = ["waits" if who in waits else f"{own[3]:g}"]
        assert shown.split() == [f"{mark:g}" for mark in own[:3]] + mine, who
        page = (out / "feedback" / who / f"{CHAPTER}.html").read_text(encoding="utf-8")
        on_page = re.findall(r"class='mark \w+'>(waits|[\d.]+)", page)
        assert on_page == shown.split()
    with server(out, twice=0) as address:
        eva = Marker(address, "eva")
        while eva.answer != HM:
            eva.press("n")
        alike = re.findall(r"<li dir=.auto.><b>([\d.]+) of 4 points.</b> (.*?)</li>", eva.page)
    there = {html.unescape(text): float(mark) for mark, text in alike}
    of = {GOOD[0]: "ann", YES: "bea", NO: "cat"}
    assert {of[text]: mark for text, mark in there.items() if text in of} == {
        who: marks[who][3] for who in of.values()
    }


def test_letters_go_to_whom_the_report_names(out, tmp_path, capsys):
    said(capsys, "letters", out, "--file", tmp_path / "letters.csv")
    letters = rows((tmp_path / "letters.csv").read_text(encoding="utf-8-sig"))
    why = {}
    for each in letters:
        why.setdefault(each["why"], []).append(each["id"])
        if each["why"] == "late":
            points = re.search(r"([\d.]+) of the ([\d.]+) points earned", each["text"])
            taken, earned = map(float, points.groups())
            assert earned - taken == pytest.approx(EXPECTED[each["id"]])
    report = said(capsys, "report", out)
    assert why["late"] == re.findall(r"^  (\w+) .*/10 +-[\d.]+ ", report, re.M)
    assert why["late"] == ["bea", "hal", "ida"]
    assert why["missing"] == ["fay"] and why["could not be graded"] == ["lea"]
    assert why["another's name or work"] == ["gus"] and "gus.ipynb (Gus Test)" in report
    assert "2 of the class list handed in nothing that could be graded: fay Fay Test, lea" in report
