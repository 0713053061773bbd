"""Gives a cell its course on the teacher's machine.

Keys come from the secret, references from the sources, verdicts from the judges.

What it needs is imported when it is asked for, so that `import autograder` stays light.
"""

from __future__ import annotations

from autograder.cell.course_at_hand import HandedOut
from autograder.cell.verdict import Verdict
from autograder.course.secret import DEMO_SECRET, derive


class AtHome(HandedOut):
    """The whole course: autograder/__init__.py hands it to the cells where course/ is there."""

    def course_keys(self) -> tuple[str, ...]:
        """The key derived from the course secret, and the public demo one."""
        return derive("course key"), derive("course key", DEMO_SECRET)

    def reference(self, question_id: str) -> str | None:
        """The solved cell of the author's; None where nobody wrote it."""
        from autograder.course.references import reference

        try:
            return reference(question_id)
        except KeyError:
            return None

    def judged(self, question, case, data) -> Verdict | None:
        """The judge's own word, as on an author's machine before `seal`."""
        from autograder.course.judge import judge_of, verdict_of
        from autograder.course.rehearsal import said_by_wrong

        try:
            judge = judge_of(question.id)
        except KeyError:
            return None
        return verdict_of(
            question, judge, case, data, lambda wrong: said_by_wrong(question, wrong, case)
        )
