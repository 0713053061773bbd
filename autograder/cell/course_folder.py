"""Finds the course on this machine: its folder, its notebooks, its chapters.

The folder is this repository's `notebooks/`; AUTOGRADER_COURSE names another course: a folder with
`notebooks/`, `questions/`, `judges/` and `rubrics/` of its own.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
MYTHS = "myths"  # the notebook of the myth court: it has no number, no questions and no marks


class NoMaster(LookupError):
    """The chapter has no release notebook; the message says where
    it was looked for and what makes it."""


def notebooks() -> Path:
    """The course's notebooks folder: source_py/, release/, mine/."""
    return Path(os.environ.get("AUTOGRADER_COURSE") or HOME) / "notebooks"


def chapter_number(text: str) -> str:
    """ "3", "03" and "03_consumer_connections" are all chapter "03";
    ValueError, with a sentence, for anything else."""
    found = re.fullmatch(r"(\d{1,2})(_\w+)?", str(text).strip())
    if str(text).strip().lower() == MYTHS:
        raise ValueError(
            "The myth court has no marks: nothing of it is handed in, due, solved or graded."
            " `release myths` makes its package."
        )
    if not found:
        raise ValueError(f"A chapter is a number such as 03, not {text!r}.")
    return found[1].zfill(2)


def released() -> tuple[str, ...]:
    """The chapters that have a release notebook, as two digits each."""
    return tuple(
        sorted(
            path.name[:2]
            for path in (notebooks() / "release").glob("[0-9][0-9]_*")
            if _notebook_in(path)
        )
    )


def release_notebook(chapter: str) -> Path:
    """The release notebook of a chapter, or of the myth court; NoMaster when it was not built."""
    folders = MYTHS if chapter == MYTHS else f"{chapter}_*"
    for folder in sorted((notebooks() / "release").glob(folders)):
        path = _notebook_in(folder)
        if path:
            return path
    name = "The myth court" if chapter == MYTHS else f"Chapter {chapter}"
    raise NoMaster(
        f"{name} has no notebook in {notebooks() / 'release'}; `make course` builds the releases."
    )


def question_of(grade_id: str) -> str | None:
    """The question a grade_id speaks of: q-03-2 and q-03-2-test are 03.2;
    None for any other text."""
    found = re.fullmatch(r"q-(\d\d)-([A-Za-z0-9]+)(-test)?", grade_id or "")
    return f"{found[1]}.{found[2]}" if found else None


def text_of(cell: dict) -> str:
    """A cell's source, which a notebook may keep as one text or as a list of lines; lines that
    all lost their ends have them again."""
    source = cell.get("source", cell.get("input", ""))
    if not isinstance(source, list):
        return str(source or "")
    lines = ["".join(map(str, line)) if isinstance(line, list) else str(line) for line in source]
    ended = len(f"{'.'.join(lines)}.".splitlines()) > 1
    return ("" if ended else "\n").join(lines)


def _notebook_in(folder: Path) -> Path | None:
    return next((path for path in sorted(folder.glob("*.ipynb")) if path.stem == folder.name), None)
