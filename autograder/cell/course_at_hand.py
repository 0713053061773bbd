"""Gives a cell what it asks of its course: the key of its numbers, references and judges.

References and judges are there on a teacher's machine only.

cell/ imports no teacher's room. On a teacher's machine `autograder/__init__.py` hands the course in
(course/at_home.py); on a learner's, and in the sandbox, it is what was handed out.
"""

from pathlib import Path
from typing import Protocol

from autograder.cell.verdict import Verdict

# only in a release; in the full repository the key is derived
KEY_FILE = Path(__file__).with_name("course_key.txt")


class Course(Protocol):
    """What a cell may ask of a course."""

    def course_keys(self) -> tuple[str, ...]:
        """The course keys that are known here, this course's own first."""

    def reference(self, question_id: str) -> str | None:
        """The text of the right answer; None where it is not here."""

    def judged(self, question, case, data) -> Verdict | None:
        """What the judge himself says to an answer that nobody sealed; None where there is none."""


class HandedOut:
    """The course on a learner's machine: its key, and nothing that a teacher keeps."""

    def course_keys(self) -> tuple[str, ...]:
        """The key that lies in the package; in the sandbox there is none, and no number is drawn
        there."""
        return (
            (KEY_FILE.read_text(encoding="utf-8").strip(),) if KEY_FILE.exists() else ("no course",)
        )

    def reference(self, question_id: str) -> str | None:
        """None: a learner has no answers."""
        return None

    def judged(self, question, case, data) -> Verdict | None:
        """None: a learner has no judges."""
        return None


_course: Course = HandedOut()


def use(course: Course) -> Course:
    """Hand a course in; returns the one that was used before."""
    global _course
    before, _course = _course, course
    return before


def course() -> Course:
    """The course at hand."""
    return _course
