"""The right answers, for teachers: the solved answer cells, and notebooks made of them.

A reference is in the exercise's file, unless its judge brings one of its own.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from autograder.cell.question import of_chapter
from autograder.course import exercises
from autograder.course.judge import judge_of
from autograder.course.masters import master
from autograder.handed_in.assignment import rebuild


def reference(question_id: str) -> str:
    """The source of a solved answer cell; KeyError, with a sentence, when nobody wrote it."""
    own = judge_of(question_id).reference
    if own is not None:
        return own.strip("\n")
    return _without_blanks(exercises.find(question_id).solution())


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


def solved(chapter: str) -> dict:
    """The solved notebook of a chapter, as a dict."""
    return rebuild(master(chapter), references(chapter))


def write_solution(chapter: str, path: Path) -> None:
    """Write the solved notebook."""
    path.write_text(
        json.dumps(solved(chapter), ensure_ascii=False, indent=1) + "\n", encoding="utf-8"
    )


def _without_blanks(source: str) -> str:
    """A solved cell without the lines `name = ...` that the
    learner's blank cell has above the answer."""
    kept = [line for line in source.splitlines() if not re.fullmatch(r"\w+ = \.\.\.", line)]
    return "\n".join(kept).strip("\n")
