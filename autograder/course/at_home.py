"""Gives a cell its course on the teacher's machine.

Keys come from the secret, references from the sources, verdicts from the judges.

What it needs is imported when it is asked for, so that `import autograder` stays light.
"""

from __future__ import annotations

from dataclasses import replace

from autograder.cell.course_at_hand import HandedOut
from autograder.cell.verdict import Verdict, is_quiet, open_word
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

    def refresh(self, say) -> None:
        """The halves of chapters that `git pull` has changed; nothing where the sources are not
        here, as in an installed package."""
        from autograder.cell.course_folder import notebooks

        if (notebooks() / "exercises").is_dir():
            from autograder.course import halves

            halves.refresh(say)

    def judged(self, question, case, data) -> Verdict | None:
        """What was sealed since the question was edited last; else the judge's own word."""
        from autograder.course.fingerprint import fresh_boxes
        from autograder.course.judge import follows_from_case, judge_of
        from autograder.course.rehearsal import decided

        try:
            judge = judge_of(question.id)
        except KeyError:
            return None
        own = fresh_boxes(question.id)
        if own is not None and judge.judge is None:
            return open_word(question, own, case, data)
        word = decided(question, judge, case, data)
        return replace(word, own=word.ok and follows_from_case(question, judge))

    def is_quiet(self, question, case) -> bool:
        """The same, from the named wrong answers themselves."""
        from autograder.course.fingerprint import fresh_boxes
        from autograder.course.judge import judge_of
        from autograder.course.rehearsal import fails_nobody

        own = fresh_boxes(question.id)
        if own is not None:
            return is_quiet(question, own, case)
        return fails_nobody(question, judge_of(question.id), case)

    def has_hidden_cases(self, question) -> bool:
        """Whether the judge has some."""
        from autograder.course.judge import judge_of

        return judge_of(question.id).hidden_cases is not None
