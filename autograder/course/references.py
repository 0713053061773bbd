"""The right answers, for teachers: the solved answer cells, and notebooks made of them.

A reference is in the exercise's file, unless its judge brings one of its own.
"""

from __future__ import annotations

import json
from pathlib import Path

from autograder.cell.course_folder import text_of
from autograder.cell.question import of_chapter
from autograder.course import exercises
from autograder.course.changes import without_blanks
from autograder.course.judge import judge_of
from autograder.course.masters import master
from autograder.handed_in.assignment import is_student, rebuild

NOBODY = 'me("")'


def reference(question_id: str) -> str:
    """The source of a solved answer cell; KeyError, with a sentence, when nobody wrote it."""
    own = judge_of(question_id).reference
    if own is not None:
        return own.strip("\n")
    return without_blanks(exercises.find(question_id).solution())


def references(chapter: str) -> dict[str, str]:
    """All reference answers of a chapter; an open question without a model answer is left out."""
    found = {}
    for question in of_chapter(chapter):
        try:
            found[question.id] = reference(question.id)
        except KeyError:
            if question.kind != "open":
                raise
    return found


def solved(chapter: str, student: str = "") -> dict:
    """The solved notebook of a chapter, as a dict; with a student's id it shows that student's
    numbers when it runs. ValueError, with a sentence, for what is no id."""
    notebook = rebuild(master(chapter), references(chapter))
    if student and not is_student(student):
        raise ValueError(f"{student!r} is no student's id: letters and digits, without blanks.")
    for cell in notebook["cells"] if student else ():
        if cell["cell_type"] == "code" and NOBODY in text_of(cell):
            cell["source"] = text_of(cell).replace(NOBODY, f'me("{student}")')
    return notebook


def write_solution(chapter: str, path: Path, student: str = "") -> None:
    """Write the solved notebook, for one student where one is named."""
    text = json.dumps(solved(chapter, student), ensure_ascii=False, indent=1) + "\n"
    path.write_text(text, encoding="utf-8")
