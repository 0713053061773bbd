"""Masters: the release notebooks of the chapters, from which every submission is rebuilt.

The answer cells of a master carry `q-03-2`, the locked cell under each carries `q-03-2-test` and
the points.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from autograder.cell.course_folder import question_of, release_notebook, text_of
from autograder.cell.question import Question, of_chapter


@dataclass(frozen=True)
class MasterCell:
    """One cell of a master. `question` is the id its answer belongs to,
    for answer and open cells only."""

    index: int
    kind: str  # "code" | "text" | "answer" | "open" | "test"
    source: str
    grade_id: str = ""
    points: float = 0.0
    question: str | None = None
    spark: bool = False
    long: bool = False  # an answer that may play labs in a loop


@dataclass(frozen=True)
class Master:
    """A chapter as it was handed out."""

    chapter: str  # "03"
    # "03_consumer_connections": nbgrader's assignment and the notebook's stem
    name: str
    path: Path
    cells: tuple[MasterCell, ...]
    digest: str  # of the notebook's bytes

    def notebook(self) -> dict:
        """A fresh copy of the notebook, as a dict."""
        return json.loads(self.path.read_text(encoding="utf-8"))

    @property
    def questions(self) -> tuple[Question, ...]:
        return of_chapter(self.chapter)

    @property
    def answer_cells(self) -> tuple[MasterCell, ...]:
        """The cells a learner writes code into."""
        return tuple(cell for cell in self.cells if cell.kind == "answer")

    def answer_cell(self, question_id: str) -> MasterCell:
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


def master(chapter: str) -> Master:
    """The master of a chapter; NoMaster when it was not built."""
    path = release_notebook(chapter)
    return _read(path, path.stat().st_mtime_ns)


@lru_cache(maxsize=64)
def _read(path: Path, changed_ns: int) -> Master:
    raw = path.read_bytes()
    cells = tuple(_cell(index, cell) for index, cell in enumerate(json.loads(raw)["cells"]))
    return Master(path.stem[:2], path.stem, path, cells, hashlib.sha256(raw).hexdigest())


def _cell(index: int, cell: dict) -> MasterCell:
    marks = cell["metadata"].get("nbgrader", {})
    grade_id = marks.get("grade_id", "")
    if marks.get("solution"):
        kind = "open" if marks.get("grade") else "answer"
    elif marks.get("grade"):
        kind = "test"
    else:
        kind = "code" if cell["cell_type"] == "code" else "text"
    said = cell["metadata"].get("autograder", {})
    return MasterCell(
        index,
        kind,
        text_of(cell),
        grade_id,
        float(marks.get("points") or 0),
        question_of(grade_id) if kind in ("answer", "open") else None,
        bool(said.get("spark")),
        bool(said.get("long")),
    )
