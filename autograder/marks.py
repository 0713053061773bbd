"""Every mark of a gradebook as it stands now: a person's where one was entered, ours where not.

Read from nbgrader's gradebook.db in one query, so that ten thousand students of twelve chapters take seconds.
"""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby
from pathlib import Path


@dataclass(frozen=True)
class Cell:
    """One question's mark. `waits`: a person is still to read it; what the rubric suggests is no mark, so it has 0 till then, or the
    mark given to an earlier text. `comment`: what a person wrote to it, "" for nothing."""

    question: str
    score: float
    max: float
    by_hand: bool
    waits: bool
    comment: str = ""
    manual: float | None = None            # a person's mark, without extra credit


@dataclass(frozen=True)
class Sheet:
    """One student's marks in one assignment; `score` is after the penalty for being late."""

    student: str
    first_name: str
    last_name: str
    email: str
    assignment: str
    handed_in: str                         # UTC, "2026-11-21 09:00:00"; "" when it is not known
    late_penalty: float
    cells: tuple[Cell, ...]
    due: str = ""                          # UTC, with the student's extension; "" where nothing is due
    seconds_late: float = 0.0              # by our receipt
    row: int | str = 0                     # nbgrader's id of the submitted notebook

    @property
    def earned(self) -> float:
        """Points of all questions."""
        return round(sum(cell.score for cell in self.cells), 4)

    @property
    def score(self) -> float:
        """Points of all questions less the penalty, never below 0."""
        return max(0.0, round(self.earned - self.late_penalty, 4))

    @property
    def max(self) -> float:
        """Points there are to be had."""
        return sum(cell.max for cell in self.cells)

    @property
    def waits(self) -> bool:
        """Whether a person is still to read one of the answers."""
        return any(cell.waits for cell in self.cells)


def sheets(out: Path) -> Iterator[Sheet]:
    """The sheets of an OUT folder's gradebook, by student and assignment; LookupError, with a sentence, when there is none."""
    from nbgrader import api
    from sqlalchemy import create_engine, select
    from sqlalchemy.orm import Session

    from autograder.masters import question_of

    book = out / "gradebook.db"
    if not book.is_file():
        raise LookupError(f"There is no gradebook in {out}; `python -m autograder grade DIR --out {out}` makes it.")
    student, handed_in, sheet, grade, cell = api.Student, api.SubmittedAssignment, api.SubmittedNotebook, api.Grade, api.GradeCell
    wanted = (
        select(student.id, student.first_name, student.last_name, student.email, api.Assignment.name, handed_in.timestamp,
               sheet.late_submission_penalty, cell.name, grade.auto_score, grade.manual_score, grade.extra_credit, cell.max_score,
               grade.needs_manual_grade, sheet.id, api.Assignment.duedate, handed_in.extension)
        .join(handed_in, handed_in.student_id == student.id).join(api.Assignment, api.Assignment.id == handed_in.assignment_id)
        .join(sheet, sheet.assignment_id == handed_in.id).join(grade, grade.notebook_id == sheet.id).join(cell, cell.id == grade.cell_id)
        .order_by(student.id, api.Assignment.name, cell.name))
    comments = (select(api.Comment.notebook_id, api.SolutionCell.name, api.Comment.manual_comment)
                .join(api.SolutionCell, api.SolutionCell.id == api.Comment.cell_id).where(api.Comment.manual_comment.is_not(None)))
    engine = create_engine(f"sqlite:///{book}")
    try:
        with Session(engine) as session:
            rows = session.execute(wanted)
            said = {(row[0], question_of(row[1])): row[2] for row in session.execute(comments)}
            for (id, assignment), own in groupby(rows, key=lambda row: (row[0], row[4])):
                own = list(own)
                first = own[0]
                cells = tuple(Cell(question_of(row[7]) or row[7], _points(*row[8:11], waits=bool(row[12])), row[11],
                                   row[9] is not None, bool(row[12]), said.get((row[13], question_of(row[7])), ""), row[9]) for row in own)
                due = first[14] + (first[15] or timedelta()) if first[14] else None
                late = max(0.0, (first[5] - due).total_seconds()) if due and first[5] else 0.0
                yield Sheet(id, first[1] or "", first[2] or "", first[3] or "", assignment,
                            f"{first[5]:%Y-%m-%d %H:%M:%S}" if first[5] else "", first[6] or 0.0, cells,
                            f"{due:%Y-%m-%d %H:%M:%S}" if due else "", late, first[13])
    finally:
        engine.dispose()


def _points(auto: float | None, manual: float | None, extra: float | None, waits: bool) -> float:
    """nbgrader's rule, a person's mark before ours and extra credit on top; but a suggestion counts for nothing while it waits."""
    own = manual if manual is not None else 0.0 if waits else auto or 0.0
    return own + (extra or 0.0)
