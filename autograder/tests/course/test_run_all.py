"""Run All goes to a notebook's end although its exercises are not solved, and the locked cells of
those still have no points."""

import copy
import json

import nbformat
import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

from autograder.cell.course_folder import released
from autograder.cell.question import asked_chapters, find
from autograder.course import sources
from autograder.course.masters import master
from autograder.course.references import references
from autograder.handed_in.assignment import rebuild
from autograder.handed_in.submission import read
from autograder.tests.course.test_nbgrader import without_spark
from autograder.tests.plain_nbgrader import PlainCourse, source_of

CHAPTERS = [chapter for chapter in released() if chapter in asked_chapters()]


def without_the_picture(notebook):
    """The demo's notebook without its cell that always raises."""
    cells = [cell for cell in notebook["cells"] if "RuntimeError" not in cell["source"]]
    return {**notebook, "cells": cells}


def without_tags(notebook):
    """The notebook as it was handed out before its locked cells had a tag."""
    notebook = copy.deepcopy(notebook)
    for cell in notebook["cells"]:
        cell["metadata"].pop("tags", None)
    return notebook


def run_all(notebook, folder):
    """What Run All makes of a notebook: it stops at an error where no tag says otherwise."""
    book = nbformat.reads(json.dumps(notebook), as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    NotebookClient(book, timeout=600, startup_timeout=600, resources=resources).execute()
    return {
        cell.metadata.get("nbgrader", {}).get("grade_id", cell.id): output.ename
        for cell in book.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        if output.output_type == "error"
    }


def test_every_locked_cell_of_a_built_notebook_may_raise_and_no_other():
    for chapter in CHAPTERS:
        for cell in sources.author_notebook(chapter).cells:
            locked = cell.metadata.get("nbgrader", {}).get("locked", False)
            assert cell.metadata.get("tags", []) == ["raises-exception"] * locked, cell.source


@pytest.mark.corpus
def test_run_all_goes_past_what_is_not_solved(demo, tmp_path):
    blank = without_the_picture(master("90").notebook())
    stopped = dict.fromkeys(("q-90-1-test", "q-90-2-test", "q-90-3-test"), "NotYet")
    assert run_all(blank, tmp_path) == stopped
    with pytest.raises(CellExecutionError):
        run_all(without_tags(blank), tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_run_all_goes_to_the_end_of_a_chapter_without_answers(chapter, tmp_path):
    """Cells for Spark are left out, for each starts a JVM."""
    course = PlainCourse(tmp_path / "course")
    own = master(chapter)
    course.take(own, source_of(own))
    made = json.loads((course.folder / "release" / own.name / f"{own.name}.ipynb").read_text())
    assert set(run_all(without_spark(made), tmp_path).values()) == {"NotYet"}


def graded_by_nbgrader(own, notebooks, folder):
    """{student: {question: points}} from `nbgrader autograde`."""
    course = PlainCourse(folder / "course")
    course.take(own, source_of(own))
    for student, notebook in notebooks.items():
        course.hand_in(own, student, notebook)
    course.run("autograde", own.name, "--create")
    return course.points(own)


@pytest.mark.slow
def test_nbgrader_gives_no_points_to_a_cell_that_raises_with_the_tag(demo, tmp_path):
    own, right = master("90"), references("90")
    half = {**right, "90.1": "opened = kept = 5", "90.3": own.answer_cell("90.3").source}
    points = graded_by_nbgrader(
        own,
        {
            "blank": own.notebook(),
            "half": rebuild(own, half),
            "old": without_tags(rebuild(own, half)),
        },
        tmp_path,
    )
    assert points["blank"] == {"90.1": 0.0, "90.2": 0.0, "90.3": 0.0}
    assert points["half"] == points["old"] == {"90.1": 0.0, "90.2": 3.0, "90.3": 0.0}


@pytest.mark.slow
def test_nbgrader_gives_no_points_to_an_unsolved_chapter(tmp_path):
    own, right = master("05"), references("05")
    solved = {"05.1": right["05.1"]}
    points = graded_by_nbgrader(
        own, {"blank": own.notebook(), "one": rebuild(own, solved)}, tmp_path
    )
    none = {question.id: 0.0 for question in own.questions if question.kind != "open"}
    first = own.points(find("05.1"))
    assert points == {"blank": none, "one": {**none, "05.1": first}}


@pytest.mark.parametrize("tags", [[], ["raises-exception"], ["mine", "raises-exception"], "odd"])
def test_a_copy_with_other_tags_is_nothing_to_talk_about(demo, tmp_path, tags):
    """Notebooks that were handed out before have no tag; editors write tags of their own."""
    notebook = rebuild(master("90"), references("90"))
    for cell in notebook["cells"]:
        cell["metadata"]["tags"] = tags
    path = tmp_path / "s001.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    (found,) = read(path)
    assert (found.status, found.reason, found.flags) == ("graded", "", ())


@pytest.mark.corpus
def test_no_chapter_says_that_run_all_stops():
    for chapter in sources.chapters():
        for cell in sources.author_notebook(chapter).cells:
            text = " ".join(cell.source.split())
            assert "Run All" not in text or "stops" not in text, f"{chapter}: {text[:200]}"
