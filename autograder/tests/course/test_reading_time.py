"""The minutes that the course announces are those of its pages, and no sitting is too long."""

import re

import pytest

from autograder.cell.course_folder import notebooks
from autograder.course import reading_time
from autograder.course.reading_time import (
    PAGES,
    Sitting,
    announced,
    problem_of_sittings,
    sittings,
    with_minutes,
)
from autograder.course.sources import chapters
from kafkalab.tests.shares import few

CHAPTERS = [name for name in chapters() if name[:2].isdigit() and name[:2] != "00"]


@pytest.mark.parametrize("chapter", few(CHAPTERS, 4))
def test_sittings_are_short_and_announced_as_they_are(chapter):
    assert not problem_of_sittings(chapter)


def test_a_sitting_that_is_too_long_or_not_announced_is_named(monkeypatch):
    said = [(40,)]
    monkeypatch.setattr(reading_time, "announced", lambda chapter: said[0])

    def problem(*words):
        found = tuple(Sitting(words=120 * minutes) for minutes in words)
        monkeypatch.setattr(reading_time, "sittings", lambda chapter: found)
        return problem_of_sittings("03")

    assert problem(44) == "" and "says 40" in problem(45)
    assert "take 51 minutes, and the longest may take 50" in problem(51)
    said[0] = (40, 42)
    assert "such as 40 and 40" in problem(40, 42)


@pytest.mark.parametrize("page", few(PAGES))
def test_a_list_of_chapters_says_what_the_first_cells_say(page):
    text = (notebooks() / page).read_text(encoding="utf-8")
    assert text == with_minutes(text), "`python -m autograder course` writes it"
    for name in CHAPTERS:
        assert re.search(rf"\| [^|]*\b{name[:2]}\b", text), f"{page} has no row for {name}"


def test_what_is_on_a_page_takes_its_time():
    nothing = Sitting()
    assert nothing.minutes == 0 and nothing.announced == 5
    assert Sitting(words=1200).minutes == 10
    assert Sitting(points=2, solution_lines=5).minutes == pytest.approx(6)
    assert (
        Sitting(words=1200, code_lines=36, pictures=3, open_questions=1, spark=True).minutes == 24
    )
    assert Sitting(words=1200, code_lines=36).announced == 10


def test_a_plan_of_weeks_says_what_is_due(monkeypatch):
    listed = {"03_c": ("03.1", "03.2", "03.3", "03.open"), "02_p": ("02.2", "02.9"), "00_s": ()}
    monkeypatch.setattr(reading_time, "in_short", lambda name: "45")
    monkeypatch.setattr(reading_time, "points", lambda name: "19" if listed[name] else "")
    monkeypatch.setattr(reading_time, "chapters", lambda: tuple(listed))
    monkeypatch.setattr(reading_time, "name_of", lambda name: name)
    monkeypatch.setattr(reading_time, "exercises_of", listed.__getitem__)
    page = (
        "| week | chapter | minutes | due | points | show |\n|---|---|---|---|---|---|\n"
        "| 02 | 03 | | | | 04 |\n| 3 | 02, 00 | | | | |\n| 4 | 99 | | x | | |\n"
    )
    assert with_minutes(page).splitlines()[2:] == [
        "| 02 | 03 | 45 | 03.1 to 03.3, open | 19 | 04 |",
        "| 3 | 02, 00 | 45, 45 | 02.2, 02.9 | 19 | |",
        "| 4 | 99 | | x | | |",
    ]


def rows_of_weeks(heading):
    """The rows below a heading of TEACHING.md: the cells of each week."""
    text = (notebooks() / "TEACHING.md").read_text(encoding="utf-8")
    table = text.split(f"### {heading}\n")[1].split("\n#")[0]
    rows = [line.split("|") for line in table.splitlines() if re.match(r"\| \d", line)]
    return [[cell.strip() for cell in row[1:-1]] for row in rows]


@pytest.mark.parametrize(
    ("heading", "weeks"), [("A term of sixteen weeks", 16), ("A term of eight weeks", 8)]
)
def test_no_week_needs_a_later_one(heading, weeks):
    listed = (notebooks() / "README.md").read_text(encoding="utf-8")
    needs = {
        row[0]: set(re.findall(r"\d\d", row[1]))
        for row in re.findall(r"^\| \[(\d\d) .*\|([^|]*)\|$", listed, re.MULTILINE)
    }
    rows, taught = rows_of_weeks(heading), set()
    assert {int(week) for row in rows for week in row[0].split(",")} == set(range(1, weeks + 1))
    for row in rows:
        for chapter in row[1].split(", "):
            assert needs.get(chapter, set()) <= taught, (chapter, needs[chapter] - taught)
            taught.add(chapter)


def test_each_claim_of_the_court_has_the_week_of_its_chapter():
    from autograder.learner.court.hearing import CLAIMS

    of_chapter = {
        chapter: [int(claim) for claim in re.findall(r"\d+", row[5])]
        for row in rows_of_weeks("A term of sixteen weeks")
        for chapter in row[1].split(", ")
    }
    for claim in CLAIMS:
        argued = re.findall(r"chapter\s+(\d\d)", claim.because)
        assert any(claim.number in of_chapter[chapter] for chapter in argued), claim.number


def test_a_row_takes_the_minutes_of_its_chapters(monkeypatch):
    said = {"05_committed": "45 + 40", "06_exactly_once": "50", "00_start_here": ""}
    monkeypatch.setattr(reading_time, "chapters", lambda: tuple(said))
    monkeypatch.setattr(reading_time, "in_short", said.__getitem__)
    page = (
        "Text about 05.\n\n| week | chapter | minutes | after 06 |\n|---|---|---|---|\n"
        "| 1 | 00 | 10 | 05 |\n| 2 | [05 safe](05/05.ipynb), x | 5 | 06 |\n| 3 | 05, 06 | | |\n\n"
        "| a | 05 | 7 |\n"
    )
    assert with_minutes(page) == (
        "Text about 05.\n\n| week | chapter | minutes | after 06 |\n|---|---|---|---|\n"
        "| 1 | 00 | 10 | 05 |\n| 2 | [05 safe](05/05.ipynb), x | 45 + 40 | 06 |\n"
        "| 3 | 05, 06 | 45 + 40, 50 | |\n\n| a | 05 | 7 |\n"
    )


def test_places_are_no_minutes(monkeypatch):
    class Book:
        cells = [type("Cell", (), {"source": ""})]

    monkeypatch.setattr(reading_time, "author_notebook", lambda chapter: Book)
    Book.cells[0].source = "# 05\n\n**You need** chapters 01 and 04. **Time** about 45 minutes up "
    Book.cells[0].source += "to section 7, then 40 for sections 8 to 10.\n\nOf 1000 words."
    assert announced("05") == (45, 40)
    Book.cells[0].source = "# 05\n\nTen minutes."
    assert announced("05") == ()


def test_a_folded_cell_and_an_answer_cost_nothing(monkeypatch):
    import jupytext

    from autograder.course import sources

    text = (
        "# %% [markdown]\n# Two words\n\n# %% fold=true\nx = 1\ny = 2\n\n# %%\n"
        "from kafkalab.views import timeline\n\n# %%\ntimeline(1)\ntimeline(2)\n\n"
        '# %% [markdown]\n# A good place to stop for today.\n\n# %% spark=true\ncheck("05.1")\n'
    )

    def book(chapter):
        made = jupytext.reads(text, fmt="py:percent")
        for cell in made.cells:
            keys = dict(cell.metadata)
            cell.metadata.clear()
            sources._mark(cell, keys, "here")
        return made

    monkeypatch.setattr(reading_time, "author_notebook", book)
    assert sittings("05") == (
        Sitting(words=2, code_lines=3, pictures=2),
        Sitting(words=7, spark=True),
    )
