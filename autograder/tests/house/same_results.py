"""A small class that never changes, graded into one JSON text: the net under a redraw.

A change of structure leaves the text as it is. A change that means to alter results renews it,
`python -m autograder.tests.house.same_results`, in a commit of its own that says what changed and
why. Answers that need Spark are left blank, for a JVM takes longer than the rest of the class.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from autograder.course.judge import judge_of
from autograder.course.masters import Master, master
from autograder.course.references import references
from autograder.grade import grade_class
from autograder.gradebook.late import set_due
from autograder.gradebook.read import sheets
from autograder.handed_in.assignment import rebuild
from autograder.handed_in.classlist import Roster
from autograder.proving.pupils import FORGED, LEAVING, OFF_TOPIC, spoil, write_as, write_id

RESULTS = Path(__file__).with_name("same_results.json")
NOT_COMPARED = ("seconds", "level", "rubric_hash")
"""What differs between two runs and between two machines; a rubric's hash is of the scorer's own
source, which a redraw moves."""
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


def hand_in(folder: Path) -> None:
    """Write the class's files into `folder`."""
    folder.mkdir(parents=True)
    for chapter, student, role in CLASS:
        own = master(chapter)
        notebook = rebuild(own, answers_of(own, role))
        write_id(notebook, student)
        spoil(notebook, own, role)
        text = json.dumps(notebook, ensure_ascii=False, indent=1)
        ending = ".zip" if role == "outside" else ".ipynb"
        write_as(folder / f"{student}_{own.name}{ending}", role, text, notebook, own.name)


def graded() -> str:
    """The results and the gradebook of the class as JSON, a value a line."""
    late = {student for _, student, role in CLASS if role == "late"}
    rows = {student: {"handed_in": LATE if student in late else IN_TIME} for _, student, _ in CLASS}
    with tempfile.TemporaryDirectory(prefix="same-results-") as folder:
        here = Path(folder)
        hand_in(here / "submitted")
        results = grade_class(
            here / "submitted",
            here / "graded",
            roster=Roster(rows),
            workers=2,
            say=lambda text: print(text, file=sys.stderr),
            allow_unsafe=True,
        )
        told = {name: _compared(result) for name, result in results.items()}
        for chapter in sorted({chapter for chapter, _, _ in CLASS}):
            set_due(here / "graded", master(chapter).name, DUE)
        marks = [_mark(sheet) for sheet in sheets(here / "graded")]
    whole = {"results": told, "gradebook": marks}
    return json.dumps(whole, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def different(found: str, wanted: str) -> Iterator[str]:
    """The lines in which two texts differ, with the number of the line that was wanted."""
    found_lines, wanted_lines = found.splitlines(), wanted.splitlines()
    if len(found_lines) != len(wanted_lines):
        yield f"{len(found_lines)} lines, and {len(wanted_lines)} are wanted"
    for number, (one, other) in enumerate(zip(found_lines, wanted_lines), start=1):
        if one != other:
            yield f"line {number}: {one.strip()} instead of {other.strip()}"


def _compared(value):
    if not isinstance(value, dict):
        return value
    return {name: _compared(each) for name, each in value.items() if name not in NOT_COMPARED}


def _mark(sheet) -> dict:
    return {name: value for name, value in asdict(sheet).items() if name != "row"}


if __name__ == "__main__":
    RESULTS.write_text(graded(), encoding="utf-8")
