"""Counts the rows that the gradebook keeps of one student, and takes them away for ever."""

from __future__ import annotations

from pathlib import Path

from autograder.gradebook.database import NAME, reading

ROWS = """WITH sheets AS (SELECT s.id FROM submitted_notebook s JOIN submitted_assignment h ON h.id = s.assignment_id WHERE h.student_id = :who)
          {do} FROM {table} WHERE {where}"""  # noqa: E501
TABLES = (
    ("grade", "notebook_id IN sheets"),
    ("comment", "notebook_id IN sheets"),
    ("submitted_notebook", "id IN sheets"),
    ("submitted_assignment", "student_id = :who"),
    ("student", "id = :who"),
)


def rows_of_student(out: Path, student: str) -> int:
    """How many rows there are; 0 without a gradebook."""
    if not (out / NAME).is_file():
        return 0
    with reading(out) as book:
        return sum(
            book.execute(
                ROWS.format(do="SELECT count(*)", table=table, where=where), {"who": student}
            ).fetchone()[0]
            for table, where in TABLES
        )


def erase(out: Path, student: str) -> None:
    """Delete them, so that they cannot be read in the file's empty pages either."""
    with reading(out) as book:
        book.execute("PRAGMA secure_delete = ON")
        book.execute("BEGIN IMMEDIATE")
        for table, where in TABLES:
            book.execute(ROWS.format(do="DELETE", table=table, where=where), {"who": student})
        book.execute("COMMIT")
        book.execute("VACUUM")
