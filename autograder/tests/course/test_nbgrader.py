"""nbgrader's own commands work on the course, and where both graders look
at the same honest notebook they agree."""

import json

import pytest

from autograder.cell.course_folder import released
from autograder.cell.question import asked_chapters, find, of_chapter
from autograder.course.judge import judge_of
from autograder.course.masters import master
from autograder.course.references import solved
from autograder.grading.lanes.submission_run import run
from autograder.handed_in.assignment import rebuild
from autograder.handed_in.submission import read
from autograder.sandbox.outside.parent import Sandbox
from autograder.tests.honest import notebooks as honest
from autograder.tests.plain_nbgrader import PlainCourse, source_of

CHAPTERS = [chapter for chapter in released() if chapter in asked_chapters()]


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_command_works_on_every_chapter(chapter, tmp_path):
    """Generate, validate, autograde, feedback, as a teacher without our tools would.
    The reference has full marks there too."""
    own = master(chapter)
    course = PlainCourse(tmp_path / "course")
    course.take(own, source_of(own))
    made = json.loads((course.folder / "release" / own.name / f"{own.name}.ipynb").read_text())
    assert [cell["source"] for cell in made["cells"]] == [
        cell["source"] for cell in own.notebook()["cells"]
    ], "the release nbgrader makes is ours"
    for name, notebook, word in (
        ("solved", solved(chapter), "Success"),
        ("blank", own.notebook(), "VALIDATION FAILED"),
    ):
        path = tmp_path / f"{name}.ipynb"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        assert word in course.run("validate", str(path)), name
    course.hand_in(own, "s001", {**solved(chapter)})
    course.hand_in(own, "s002", own.notebook())
    course.run("autograde", own.name, "--create")
    course.run("generate_feedback", own.name)
    full = {
        question.id: own.points(question) for question in own.questions if question.kind != "open"
    }
    assert course.points(own) == {"s001": full, "s002": dict.fromkeys(full, 0.0)}
    for student in ("s001", "s002"):
        assert (
            course.folder / "feedback" / student / own.name / f"{own.name}.html"
        ).stat().st_size > 1000


def without_spark(notebook):
    """The notebook without the given cells that start Spark:
    nbgrader runs them for each student, and asks them nothing."""
    cells = [
        cell
        for cell in notebook["cells"]
        if "nbgrader" in cell["metadata"] or not cell["metadata"].get("autograder", {}).get("spark")
    ]
    return {**notebook, "cells": cells}


def compared(chapter, count, folder, sandbox, spark=True, **words):
    """Where the two graders differ on honest notebooks: one line each. Answers that hold for the
    examples only are left out: nbgrader knows no other cases (docs/nbgrader.md)."""
    own = master(chapter)
    course = PlainCourse(folder / "course")
    course.take(own, source_of(own))
    ours = {}
    for each in honest(chapter, count, spark=spark, **words):
        notebook = each.notebook if spark else without_spark(each.notebook)
        path = folder / f"{each.student}.ipynb"
        path.write_text(json.dumps(notebook), encoding="utf-8")
        result = run(read(path)[0], sandbox)
        assert {
            question: result["cells"][question]["score"] for question in each.points
        } == each.points, f"{each.student} ({each.style})"
        ours[each.student] = {
            question: points
            for question, points in each.points.items()
            if result["cells"][question]["outcome"] != "hidden"
        }
        course.hand_in(own, each.student, notebook)
    course.run("autograde", own.name, "--create")
    theirs = course.points(own)
    return [
        f"{student} {question}: ours {points}, nbgrader's {theirs[student][question]}"
        for student, cells in ours.items()
        for question, points in cells.items()
        if theirs[student][question] != points
    ]


@pytest.mark.slow
def test_a_share_of_the_honest_gets_the_same_from_nbgrader(demo, sandbox, tmp_path):
    assert compared("90", 3, tmp_path, sandbox, seed=2) == []


@pytest.mark.slow
def test_the_honest_get_the_same_from_nbgrader(demo, sandbox, tmp_path):
    assert compared("90", 90, tmp_path, sandbox) == []


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_the_honest_of_every_chapter_get_the_same_from_nbgrader(chapter, tmp_path):
    with Sandbox() as sandbox:
        assert compared(chapter, 20, tmp_path, sandbox, spark=False) == []


@pytest.mark.slow
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nbgrader_names_the_wrong_answers_too(chapter, tmp_path):
    """The named wrong answer at one place of every question in one notebook, as in test_chapters.
    nbgrader knows the public cases only: what fails on a hidden one is right there, and where two
    ideas give the same on the public ones it may name the other. Cells for Spark are left out."""
    own, course = master(chapter), PlainCourse(tmp_path / "course")
    course.take(own, source_of(own))
    spark = {cell.question for cell in own.cells if cell.spark}
    wrong = {
        question.id: judge_of(question.id).wrong_answers
        for question in of_chapter(chapter)
        if question.kind != "open" and question.id not in spark
    }
    expected = {}
    with Sandbox() as sandbox:
        for step in range(max(map(len, wrong.values()))):
            student, named = (
                f"w{step}",
                {question: each[step] for question, each in wrong.items() if step < len(each)},
            )
            notebook = without_spark(
                rebuild(own, {question: each.source for question, each in named.items()})
            )
            path = tmp_path / f"{student}.ipynb"
            path.write_text(json.dumps(notebook), encoding="utf-8")
            heard = run(read(path)[0], sandbox)
            expected[student] = [
                question for question in named if heard["cells"][question]["outcome"] != "hidden"
            ]
            course.hand_in(own, student, notebook)
    course.run("autograde", own.name, "--create")
    theirs = course.points(own)
    for student, failed in expected.items():
        graded = json.loads(
            (course.folder / "autograded" / student / own.name / f"{own.name}.ipynb").read_text(
                encoding="utf-8"
            )
        )
        said = {
            cell["metadata"]["nbgrader"]["grade_id"]: " ".join(
                output.get("evalue", "") for output in cell["outputs"]
            )
            for cell in graded["cells"]
            if cell["cell_type"] == "code" and "nbgrader" in cell["metadata"]
        }
        for asked in map(find, failed):
            sentence = said[f"{asked.grade_id}-test"]
            assert theirs[student][asked.id] < own.points(asked), (student, asked.id)
            assert any(each.sentence.split("{")[0] in sentence for each in wrong[asked.id]), (
                student,
                asked.id,
                sentence,
            )
    assert sum(map(len, expected.values())) > len(wrong)
