"""What a person decides goes into the gradebook as nbgrader's own `manual_score` and
`manual_comment`, one transaction a mark.

It is what formgrader would have written: our own marks (`auto_score`) stay as they are, and a later
`grade` leaves it alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from autograder.cell.question import find
from autograder.gradebook.database import changing, reading

ANSWER = """FROM {table} x JOIN base_cell b ON b.id = x.cell_id
    JOIN submitted_notebook s ON s.id = x.notebook_id
    JOIN submitted_assignment h ON h.id = s.assignment_id
    JOIN assignment a ON a.id = h.assignment_id
    WHERE h.student_id = ? AND a.name = ? AND b.name = ?"""
GRADE = "SELECT x.id, x.manual_score, x.needs_manual_grade " + ANSWER.format(table="grade")
COMMENT = "SELECT x.id, x.manual_comment " + ANSWER.format(table="comment")


@dataclass(frozen=True)
class Entry:
    """What a person has decided on one answer; `points` None: nothing yet."""

    points: float | None
    waits: bool
    comment: str = ""


class Changed(ValueError):
    """The row is not as the caller knew it; `now` is what it holds."""

    def __init__(self, now: Entry):
        super().__init__("somebody else has changed the mark")
        self.now = now


class ByHand:
    """A person's marks in the gradebook of an OUT folder. Use it in a `with`; LookupError, with
    a sentence, without a gradebook."""

    def __init__(self, out: Path):
        self.out = out
        with reading(out):  # to say at once where there is none
            pass

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        """Nothing is open between two marks."""

    def enter(
        self, student: str, assignment: str, question: str, entry: Entry, known: Entry | None = None
    ) -> Entry:
        """Write a decision and return what was there before, so that it can be undone. `known` is
        what the caller believes to be there: Changed, and nothing is written, where it is
        another mark. LookupError for a row there is not.
        """
        where = (student, assignment, find(question).grade_id)
        with changing(self.out) as book:
            found = book.execute(GRADE, where).fetchone()
            if found is None:
                raise LookupError(
                    f"The gradebook has no answer of {student} to {question}; grade the class "
                    "again."
                )
            grade, points, waits = found
            comment, text = book.execute(COMMENT, where).fetchone() or (None, None)
            before = Entry(points, bool(waits), text or "")
            if known is not None and (known.points, known.waits) != (before.points, before.waits):
                raise Changed(before)
            book.execute(
                "UPDATE grade SET manual_score = ?, needs_manual_grade = ? WHERE id = ?",
                (entry.points, entry.waits, grade),
            )
            if comment is not None:
                book.execute(
                    "UPDATE comment SET manual_comment = ? WHERE id = ?",
                    (entry.comment or None, comment),
                )
        return before
