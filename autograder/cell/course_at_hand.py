"""Gives a cell what it asks of its course: the key of its numbers, references and judges.

References and judges are there on a teacher's machine only.

cell/ imports no teacher's room. On a teacher's machine `autograder/__init__.py` hands the course in
(course/at_home.py); on a learner's, and in the sandbox, it is what was handed out.
"""

from pathlib import Path
from typing import Protocol

from autograder.cell import sealed
from autograder.cell.verdict import Verdict, is_quiet, open_word

# only in a release; in the full repository the key is derived
KEY_FILE = Path(__file__).with_name("course_key.txt")


class Course(Protocol):
    """What a cell may ask of a course."""

    def course_keys(self) -> tuple[str, ...]:
        """The course keys that are known here, this course's own first."""

    def reference(self, question_id: str) -> str | None:
        """The text of the right answer; None where it is not here."""

    def judged(self, question, case, data) -> Verdict | None:
        """What is said of an answer's plain data; None where nothing here can say it."""

    def is_quiet(self, question, case) -> bool:
        """Whether no named wrong answer fails in this case: that it went well says nothing."""

    def refresh(self, say) -> None:
        """Build again what has changed in the sources; `say` hears what could not be built."""

    def has_hidden_cases(self, question) -> bool:
        """Whether grading asks this question more cases than check() does."""


class HandedOut:
    """The course on a learner's machine: its key, and nothing that a teacher keeps."""

    def refresh(self, say) -> None:
        """Nothing: a learner's package is built."""

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
        """What was sealed: a learner has no judges."""
        own = sealed.read(question.chapter).get(question.id)
        return None if own is None else open_word(question, own, case, data)

    def is_quiet(self, question, case) -> bool:
        """As it was sealed."""
        own = sealed.read(question.chapter).get(question.id)
        return own is not None and is_quiet(question, own, case)

    def has_hidden_cases(self, question) -> bool:
        """What the sealed file says; a learner has no hidden cases."""
        return bool(sealed.read(question.chapter).get(question.id, {}).get("hidden"))


_course: Course = HandedOut()


def use(course: Course) -> Course:
    """Hand a course in; returns the one that was used before."""
    global _course
    before, _course = _course, course
    return before


def course() -> Course:
    """The course at hand."""
    return _course
