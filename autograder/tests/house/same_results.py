"""Grades a small class that never changes, and keeps digests of its results: the net of a redraw.

A change of structure leaves each digest as it is. A change that means to alter results renews
them, `python -m autograder.tests.house.same_results`, in a commit of its own that says what changed
and why. Answers that need Spark are left blank, for a JVM takes longer than the rest of the class.
An exercise that is not in QUESTIONS is left out of the class's notebooks.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from autograder.cell.course_folder import notebooks
from autograder.course.build import build
from autograder.course.exercises import LINE, files
from autograder.course.judge import judge_of
from autograder.course.masters import Master, master
from autograder.course.references import references
from autograder.course.sources import name_of
from autograder.grade import grade_class
from autograder.gradebook.late import set_due
from autograder.gradebook.read import sheets
from autograder.handed_in.assignment import rebuild
from autograder.handed_in.classlist import Roster
from autograder.proving.pupils import FORGED, LEAVING, OFF_TOPIC, spoil, write_as, write_id

DIGESTS = Path(__file__).with_name("same_results.json")
ITSELF = "autograder.tests.house.same_results"
QUESTIONS = (
    "02.1 02.2 02.3 02.4 02.5 02.6 02.7 02.8 02.9 02.open 02.open2 "
    "03.1 03.2 03.3 03.4 03.5 03.6 03.7 03.open"
).split()
NOT_COMPARED = ("seconds", "level", "rubric_hash", "sha256")
"""What differs between two runs and between two machines, or follows from the prose of a page."""
DUE = datetime(2026, 11, 20, 12, tzinfo=UTC)
IN_TIME, LATE = "2026-11-19T12:00:00+00:00", "2026-11-21T18:00:00+00:00"
CLASS = (
    ("02", "ada", "reference"),
    ("02", "bela", "first wrong answers"),
    ("02", "chen", "second wrong answers"),
    ("02", "dina", "forged"),
    ("02", "emre", "cut off"),
    ("02", "fatou", "late"),
    ("03", "ada", "open off topic"),
    ("03", "bela", "first wrong answers"),
    ("03", "chen", "blank"),
    ("03", "dina", "leaving"),
    ("03", "fatou", "locked cell edited"),
    ("03", "goran", "doubled"),
    ("03", "hana", "no notebook"),
    ("03", "emre", "outside"),
)
"""Chapter, student and what the student hands in."""
CHAPTERS = sorted({chapter for chapter, _, _ in CLASS})


def answers_of(own: Master, role: str) -> dict[str, str]:
    """The answer cells of one submission by question, those that start Spark left out."""
    right = references(own.chapter)
    answers = {} if role == "blank" else dict(right)
    for question in own.questions:
        if question.kind == "open":
            if role == "open off topic":
                answers[question.id] = OFF_TOPIC
            continue
        names = question.answers
        if role in ("first wrong answers", "second wrong answers"):
            place = ("first wrong answers", "second wrong answers").index(role)
            wrong = judge_of(question.id).wrong_answers[place : place + 1]
            answers[question.id] = wrong[0].source if wrong else right[question.id]
        elif role == "forged":
            bind = "\n".join(f"{name} = Yes(0)" for name in names)
            answers[question.id] = FORGED.replace("{bind}", bind)
        elif role == "leaving":
            answers[question.id] = LEAVING
    return {name: text for name, text in answers.items() if not own.answer_cell(name).spark}


def class_of(chapter: str) -> list[tuple[str, str]]:
    """Who hands in what in a chapter: (student, role) of each."""
    return [(student, role) for each, student, role in CLASS if each == chapter]


def hand_in(folder: Path, chapter: str) -> None:
    """Write the class's files of a chapter into `folder`."""
    folder.mkdir(parents=True)
    own = master(chapter)
    for student, role in class_of(chapter):
        notebook = rebuild(own, answers_of(own, role))
        write_id(notebook, student)
        spoil(notebook, own, role)
        text = json.dumps(notebook, ensure_ascii=False, indent=1)
        ending = ".zip" if role == "outside" else ".ipynb"
        write_as(folder / f"{student}_{own.name}{ending}", role, text, notebook, own.name)


def copy_course(home: Path, chapter: str) -> None:
    """Write the source of a chapter with QUESTIONS alone into a course of its own."""
    there, name = home / "notebooks", name_of(chapter)
    text = (notebooks() / "source_py" / f"{name}.py").read_text(encoding="utf-8")
    shutil.copytree(notebooks() / "exercises" / chapter, there / "exercises" / chapter)
    for id, path in files(chapter).items():
        if id not in QUESTIONS:
            text = text.replace(f"{LINE.format(id)}\n", "")
            (there / "exercises" / chapter / path.name).unlink()
    (there / "source_py").mkdir()
    (there / "source_py" / f"{name}.py").write_text(text, encoding="utf-8")
    shutil.copyfile(notebooks() / "nbgrader_config.py", there / "nbgrader_config.py")


def graded(chapter: str) -> dict[str, object]:
    """What the class gets in a chapter, a row for each question and one for each submission."""
    with tempfile.TemporaryDirectory(prefix="same-results-") as folder:
        home, rows = Path(folder), Path(folder) / "rows.json"
        copy_course(home, chapter)
        # in a process of its own: a process has one course
        words = [sys.executable, "-m", ITSELF, chapter, str(rows)]
        public = {name: value for name, value in os.environ.items() if name != "AUTOGRADER_SECRET"}
        subprocess.run(words, env={**public, "AUTOGRADER_COURSE": folder}, check=True)
        return json.loads(rows.read_text(encoding="utf-8"))


def digest(row: object) -> str:
    """Sixteen hexadecimal digits of a row."""
    return hashlib.sha256(text_of(row).encode()).hexdigest()[:16]


def text_of(row: object) -> str:
    """A row as JSON, a value a line."""
    return json.dumps(row, ensure_ascii=False, indent=1, sort_keys=True)


def different(found: dict[str, object], wanted: dict[str, str]) -> Iterator[str]:
    """A sentence for each row that is not as before."""
    for name in sorted(found.keys() | wanted.keys()):
        if name not in wanted:
            yield f"«{name}» is new"
        elif name not in found:
            yield f"«{name}» is gone"
        elif digest(found[name]) != wanted[name]:
            yield f"«{name}» differs"


def _grade_here(folder: Path, chapter: str) -> dict[str, object]:
    build(chapter)
    late = {student for _, student, role in CLASS if role == "late"}
    times = {
        student: {"handed_in": LATE if student in late else IN_TIME} for _, student, _ in CLASS
    }
    hand_in(folder / "submitted", chapter)
    results = grade_class(
        folder / "submitted",
        folder / "graded",
        roster=Roster(times),
        workers=2,
        say=lambda text: print(text, file=sys.stderr),
        allow_unsafe=True,
    )
    set_due(folder / "graded", master(chapter).name, DUE)
    marks = {sheet.who: asdict(sheet) for sheet in sheets(folder / "graded")}
    return _by_row(chapter, results, marks)


def _by_row(chapter: str, results: dict, marks: dict) -> dict[str, object]:
    rows: dict[str, object] = {}
    for student, role in class_of(chapter):
        name = next(each for each in results if each.startswith(f"{student}_{chapter}_"))
        result, mark = _compared(results[name]), marks.get((student, master(chapter).name), {})
        of_questions = (
            ("cell", result.pop("cells")),
            ("suggestion", result.pop("suggestions")),
            ("gradebook", {cell[0]: cell for cell in mark.get("cells", ())}),
        )
        for what, each in of_questions:
            for question, told in each.items():
                rows.setdefault(question, {}).setdefault(f"{student}, {role}", {})[what] = told
        sheet = {key: value for key, value in mark.items() if key not in ("row", "cells")}
        rows[f"{student}, {chapter}, {role}"] = {"result": result, "gradebook": sheet}
    return rows


def _compared(value):
    if not isinstance(value, dict):
        return value
    return {name: _compared(each) for name, each in value.items() if name not in NOT_COMPARED}


def main(words: list[str]) -> None:
    """Renew the digests; with a chapter and a file, grade its class in the course at hand and write
    the rows."""
    if not words:
        told = {name: digest(row) for chapter in CHAPTERS for name, row in graded(chapter).items()}
        DIGESTS.write_text(json.dumps(told, indent=1, sort_keys=True) + "\n", encoding="utf-8")
        return
    chapter, rows = words[0], Path(words[1])
    rows.write_text(text_of(_grade_here(rows.parent, chapter)), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
