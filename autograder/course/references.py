"""The right answers, for teachers: the solved answer cells, and notebooks made of them.

A reference stands once, in the chapter's py:percent source (sources.py reads it), unless its judge
brings one of its own.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

from autograder.cell.course_folder import notebooks
from autograder.cell.question import find, of_chapter
from autograder.course.judge import judge_of
from autograder.course.masters import master
from autograder.course.sources import solved_cells
from autograder.handed_in.assignment import rebuild


def reference(question_id: str) -> str:
    """The source of a solved answer cell; KeyError, with a sentence, when nobody wrote it."""
    own = judge_of(question_id).reference
    if own is not None:
        return own.strip("\n")
    cells = _solved_cells(question_id[:2])
    try:
        return _without_blanks(cells[find(question_id).grade_id])
    except KeyError:
        raise KeyError(
            f"No solved cell for {question_id} in {notebooks() / 'source_py'}, and its judge has "
            "no reference."
        ) from None


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


def _solved_cells(chapter: str) -> dict[str, str]:
    """The solved answer cells by grade_id, as the chapter's author wrote them."""
    written = sorted((notebooks() / "source_py").glob(f"{chapter}_*.py"))
    return _cells_of(chapter, written[0].stat().st_mtime_ns) if written else {}


@lru_cache(maxsize=32)
def _cells_of(chapter: str, changed_ns: int) -> dict[str, str]:
    return solved_cells(chapter)
