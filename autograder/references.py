"""The right answers, for teachers: the solved answer cells, and notebooks made of them.

A reference stands once, in the chapter's py:percent source between `### BEGIN SOLUTION` and `### END SOLUTION`, unless its
judge brings one of its own.
"""
from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

from autograder import judges
from autograder.assignment import rebuild
from autograder.course import master, notebooks
from autograder.questions import find, of_chapter


def reference(question_id: str) -> str:
    """The source of a solved answer cell; KeyError, with a sentence, when nobody wrote it."""
    own = judges.find(question_id).reference
    if own is not None:
        return own.strip("\n")
    cells = _solved_cells(question_id[:2])
    try:
        return cells[find(question_id).grade_id]
    except KeyError:
        raise KeyError(f"No solved cell for {question_id} in {notebooks() / 'source_py'}, and its judge has no reference.") from None


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
    path.write_text(json.dumps(solved(chapter), ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _solved_cells(chapter: str) -> dict[str, str]:
    paths = sorted((notebooks() / "source_py").glob(f"{chapter}_*.py"))
    return _cells_of(paths[0], paths[0].stat().st_mtime_ns) if paths else {}


@lru_cache(maxsize=32)
def _cells_of(path: Path, changed_ns: int) -> dict[str, str]:
    cells = {}
    for block in re.split(r"(?m)^# %%", path.read_text(encoding="utf-8"))[1:]:
        header, _, body = block.partition("\n")
        grade_id = re.search(r'"grade_id":\s*"([^"]+)"', header)
        if grade_id and re.search(r'"solution":\s*true', header):
            cells[grade_id[1]] = _without_marks(body, commented="[markdown]" in header)
    return cells


def _without_marks(body: str, commented: bool) -> str:
    lines = [line for line in body.splitlines() if not re.match(r"\s*#+ (BEGIN|END) SOLUTION", line.removeprefix("# "))]
    if commented:
        lines = [line.removeprefix("#").removeprefix(" ") for line in lines]
    return "\n".join(lines).strip("\n")
