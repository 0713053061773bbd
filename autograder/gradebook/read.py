"""Reads every mark of a gradebook: the manual score where one was entered, else ours.

Read from nbgrader's gradebook.db table by table, so that ten thousand students of twelve chapters
take seconds.
"""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from autograder.cell.course_folder import question_of
from autograder.gradebook.database import NAME, moment_of, reading, span_of

LATE_CELL = "late-penalty"
"""The task cell, worth nothing, of which a late student has the negative points. nbgrader's sums,
which formgrader shows, count no other penalty."""


class GradeCell(NamedTuple):
    """One question's mark; a NamedTuple, for a large class has a million. `waits`: a person is
    still to read it; what the rubric suggests is no mark, so it has 0 till then, or the mark given
    to an earlier text. `comment`: what a person wrote to it, "" for nothing. `manual`: a person's
    mark, without extra credit."""

    question: str
    score: float
    max: float
    by_hand: bool
    waits: bool
    comment: str = ""
    manual: float | None = None

    @property
    def renewed(self) -> bool:
        """Whether its text was written again after a person's mark, which counts until somebody
        reads the new one."""
        return self.waits and self.manual is not None


@dataclass(frozen=True)
class Sheet:
    """One student's marks in one assignment; `score` is after the penalty for being late."""

    student: str
    first_name: str
    last_name: str
    email: str
    assignment: str
    handed_in: str  # UTC, "2026-11-21 09:00:00"; "" when it is not known
    late_penalty: float
    cells: tuple[GradeCell, ...]
    # UTC, with the student's extension; "" where nothing is due
    due: str = ""
    seconds_late: float = 0.0  # by our receipt
    row: int | str = 0  # nbgrader's id of the submitted notebook

    @property
    def who(self) -> tuple[str, str]:
        """The student and the assignment."""
        return self.student, self.assignment

    @property
    def name(self) -> str:
        """First and last name; "" where neither is known."""
        return f"{self.first_name} {self.last_name}".strip()

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
    """The sheets of an OUT folder's gradebook, by student and assignment;
    LookupError, with a sentence, when there is none."""
    with reading(out) as database:
        try:
            yield from _sheets(database)
        except sqlite3.DatabaseError as broken:
            raise ValueError(
                f"{out / NAME} cannot be read ({broken}); put a copy of it back, or grade into "
                "another folder."
            ) from None


def _sheets(database: sqlite3.Connection) -> Iterator[Sheet]:
    """One plain query a table; joining and sorting a million
    rows in SQL takes ten times as long."""
    cells = {
        id: (question_of(name) or name, most)
        for id, name, most in database.execute(
            "SELECT c.id, b.name, c.max_score FROM grade_cells c JOIN base_cell b ON b.id = c.id"
        )
    }
    solutions = {
        id: question_of(name)
        for id, name in database.execute(
            "SELECT s.id, b.name FROM solution_cells s JOIN base_cell b ON b.id = s.id"
        )
    }
    said = {
        (sheet, solutions.get(cell)): text
        for sheet, cell, text in database.execute(
            "SELECT notebook_id, cell_id, manual_comment FROM comment WHERE manual_comment IS NOT "
            "NULL"
        )
    }
    of_lateness = {
        id for (id,) in database.execute("SELECT id FROM base_cell WHERE name = ?", (LATE_CELL,))
    }
    taken_off: dict[str, float] = {}
    marks: dict[str, list[GradeCell]] = defaultdict(list)
    for sheet, cell, auto, manual, extra, waits in database.execute(
        "SELECT notebook_id, cell_id, auto_score, manual_score, extra_credit, needs_manual_grade "
        "FROM grade"
    ):
        if cell in cells:
            question, most = cells[cell]
            marks[sheet].append(
                GradeCell(
                    question,
                    _points(auto, manual, extra, waits),
                    most,
                    manual is not None,
                    bool(waits),
                    said.get((sheet, question), "") if said else "",
                    manual,
                )
            )
        elif cell in of_lateness:
            taken_off[sheet] = -auto or 0.0
    students = {
        id: (first or "", last or "", email or "")
        for id, first, last, email in database.execute(
            "SELECT id, first_name, last_name, email FROM student"
        )
    }
    owned = database.execute("""
        SELECT h.student_id, a.name, s.id, h.timestamp, s.late_submission_penalty, a.duedate, h.extension FROM submitted_notebook s
        JOIN submitted_assignment h ON h.id = s.assignment_id JOIN assignment a ON a.id = h.assignment_id""").fetchall()  # noqa: E501
    for student, assignment, row, handed_in, penalty, due, extension in sorted(
        owned, key=lambda each: each[:3]
    ):
        own = marks.pop(row, None)
        if own is None:
            continue
        until = moment_of(due) + span_of(extension) if due else None
        late = (
            max(0.0, (moment_of(handed_in) - until).total_seconds()) if until and handed_in else 0.0
        )
        yield Sheet(
            student,
            *students[student],
            assignment,
            handed_in[:19] if handed_in else "",
            taken_off.get(row, penalty or 0.0),
            tuple(sorted(own)),
            f"{until:%Y-%m-%d %H:%M:%S}" if until else "",
            late,
            row,
        )


def _points(auto: float | None, manual: float | None, extra: float | None, waits: object) -> float:
    """nbgrader's rule, a person's mark before ours and extra credit on top; but a suggestion
    counts for nothing while it waits."""
    own = manual if manual is not None else 0.0 if waits else auto or 0.0
    return own + (extra or 0.0)
