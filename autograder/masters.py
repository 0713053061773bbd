"""Where the course lies on this machine, and its masters: the notebooks every submission is rebuilt
from.

A master is the *release* notebook of a chapter. Its answer cells carry `q-03-2`, the locked cell
under each carries `q-03-2-test` and the points. The folder is this repository's `notebooks/`;
AUTOGRADER_COURSE names another course: a folder with `notebooks/`, `questions/` and `judges/` of
its own.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autograder.questions import Question, of_chapter

HOME = Path(__file__).resolve().parent.parent
MYTHS = "myths"  # the notebook of the myth court: it has no number, no questions and no marks


class NoMaster(LookupError):
    """The chapter has no release notebook; the message says where
    it was looked for and what makes it."""


@dataclass(frozen=True)
class Cell:
    """One cell of a master. `question` is the id its answer belongs to,
    for answer and open cells only."""

    index: int
    kind: str  # "code" | "text" | "answer" | "open" | "test"
    source: str
    grade_id: str = ""
    points: float = 0.0
    question: str | None = None
    spark: bool = False


@dataclass(frozen=True)
class Master:
    """A chapter as it was handed out."""

    chapter: str  # "03"
    # "03_consumer_connections": nbgrader's assignment and the notebook's stem
    name: str
    path: Path
    cells: tuple[Cell, ...]
    digest: str  # of the notebook's bytes

    def notebook(self) -> dict:
        """A fresh copy of the notebook, as a dict."""
        return json.loads(self.path.read_text(encoding="utf-8"))

    @property
    def questions(self) -> tuple[Question, ...]:
        return of_chapter(self.chapter)

    @property
    def answer_cells(self) -> tuple[Cell, ...]:
        """The cells a learner writes code into."""
        return tuple(cell for cell in self.cells if cell.kind == "answer")

    def answer_cell(self, question_id: str) -> Cell:
        """The cell a learner writes into for a question; KeyError when the notebook has none."""
        for cell in self.cells:
            if cell.question == question_id:
                return cell
        raise KeyError(f"{self.name} has no answer cell for {question_id}")

    def points(self, question: Question) -> float:
        """What the notebook says the question is worth:
        the gradebook and the learner see these points."""
        wanted = question.grade_id if question.kind == "open" else f"{question.grade_id}-test"
        return next(
            (cell.points for cell in self.cells if cell.grade_id == wanted), float(question.points)
        )


def notebooks() -> Path:
    """The course's notebooks folder: source_py/, release/, mine/."""
    return Path(os.environ.get("AUTOGRADER_COURSE") or HOME) / "notebooks"


def chapter_number(text: str) -> str:
    """ "3", "03" and "03_consumer_connections" are all chapter "03";
    ValueError, with a sentence, for anything else."""
    found = re.fullmatch(r"(\d{1,2})(_\w+)?", str(text).strip())
    if str(text).strip().lower() == MYTHS:
        raise ValueError(
            "The myth court has no marks: nothing of it is due, solved or graded. `release myths`"
            " makes its package."
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


def master(chapter: str) -> Master:
    """The master of a chapter; NoMaster when it was not built."""
    for folder in sorted((notebooks() / "release").glob(f"{chapter}_*")):
        path = _notebook_in(folder)
        if path:
            return _read(path, path.stat().st_mtime_ns)
    raise NoMaster(
        f"Chapter {chapter} has no notebook in {notebooks() / 'release'}; `make course` builds the "
        "releases."
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
    ended = any(len(f"{line}.".splitlines()) > 1 for line in lines)
    return ("" if ended else "\n").join(lines)


def _notebook_in(folder: Path) -> Path | None:
    return next((path for path in sorted(folder.glob("*.ipynb")) if path.stem == folder.name), None)


@lru_cache(maxsize=64)
def _read(path: Path, changed_ns: int) -> Master:
    raw = path.read_bytes()
    cells = tuple(_cell(index, cell) for index, cell in enumerate(json.loads(raw)["cells"]))
    return Master(path.stem[:2], path.stem, path, cells, hashlib.sha256(raw).hexdigest())


def _cell(index: int, cell: dict) -> Cell:
    marks = cell["metadata"].get("nbgrader", {})
    grade_id = marks.get("grade_id", "")
    if marks.get("solution"):
        kind = "open" if marks.get("grade") else "answer"
    elif marks.get("grade"):
        kind = "test"
    else:
        kind = "code" if cell["cell_type"] == "code" else "text"
    return Cell(
        index,
        kind,
        text_of(cell),
        grade_id,
        float(marks.get("points") or 0),
        question_of(grade_id) if kind in ("answer", "open") else None,
        bool(cell["metadata"].get("autograder", {}).get("spark")),
    )
