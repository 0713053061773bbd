"""What a person decides goes into the gradebook as nbgrader's own `manual_score` and
`manual_comment`, one transaction a mark.

It is what formgrader would have written: our own marks (`auto_score`) stay as they are, and a later
`grade` leaves it alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

WAIT_SECONDS = 30  # for `grade`, should it be writing at the same moment


@dataclass(frozen=True)
class Entry:
    """What a person has decided on one answer; `points` None: nothing yet."""

    points: float | None
    waits: bool
    comment: str = ""


class Changed(ValueError):
    """The row is not as the caller knew it; `now` is what stands there."""

    def __init__(self, now: Entry):
        super().__init__("the mark was changed meanwhile")
        self.now = now


class ByHand:
    """A person's marks in the gradebook of an OUT folder. Use it in a `with`; LookupError, with
    a sentence, without a gradebook."""

    def __init__(self, out: Path):
        import nbgrader.api  # noqa: F401  # a second or two: before the first answer is shown, for keys pressed in such a pause are dropped
        from sqlalchemy import create_engine

        if not (out / "gradebook.db").is_file():
            raise LookupError(
                f"There is no gradebook in {out}; `python -m autograder grade DIR --out {out}` "
                "makes it."
            )
        self.engine = create_engine(
            f"sqlite:///{out / 'gradebook.db'}", connect_args={"timeout": WAIT_SECONDS}
        )

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.engine.dispose()

    def enter(
        self, student: str, assignment: str, question: str, entry: Entry, known: Entry | None = None
    ) -> Entry:
        """Write a decision and return what stood there before, so that it can be undone. `known` is
        what the caller believes to stand there: Changed, and nothing is written, where it is
        another mark. LookupError for a row there is not.
        """
        from nbgrader import api
        from sqlalchemy.orm import Session

        from autograder.cell.question import find

        name = find(question).grade_id
        with Session(self.engine) as session, session.begin():
            sheet = (
                session.query(api.SubmittedNotebook)
                .join(api.SubmittedNotebook.assignment)
                .join(api.SubmittedAssignment.assignment)
                .filter(
                    api.Assignment.name == assignment, api.SubmittedAssignment.student_id == student
                )
                .one_or_none()
            )
            grade = (
                next((grade for grade in sheet.grades if grade.cell.name == name), None)
                if sheet is not None
                else None
            )
            if grade is None:
                raise LookupError(
                    f"The gradebook has no answer of {student} to {question}; grade the class "
                    "again."
                )
            comment = next(
                (comment for comment in sheet.comments if comment.cell.name == name), None
            )
            before = Entry(
                grade.manual_score,
                bool(grade.needs_manual_grade),
                (comment.manual_comment or "") if comment else "",
            )
            if known is not None and (known.points, known.waits) != (before.points, before.waits):
                raise Changed(before)
            grade.manual_score, grade.needs_manual_grade = entry.points, entry.waits
            if comment is not None:
                comment.manual_comment = entry.comment or None
        return before
