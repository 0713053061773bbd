"""Runs one submission in the sandbox and has it judged; no gradebook, no class."""

from __future__ import annotations

from autograder.cell.numbers import numbers_for
from autograder.course.masters import master
from autograder.grading.verdict import asked_of, judge
from autograder.handed_in.assignment import steps
from autograder.handed_in.needs import as_python
from autograder.handed_in.submission import Submission
from autograder.sandbox.outside.parent import Sandbox


def run(submission: Submission, sandbox: Sandbox) -> dict:
    """Run and judge one submission; the result with everything worth
    keeping (`autograder.grade.public` says what goes out)."""
    return judge(submission, *hear(submission, sandbox))


def hear(
    submission: Submission, sandbox: Sandbox, only: set[str] | None = None
) -> tuple[dict, dict]:
    """What the sandbox heard: (cases asked by question, the sandbox's answer); `only` these
    questions, where it says which. Safe in a thread; nothing is decided here."""
    if not submission.can_run:
        return {}, {
            "replies": {},
            "ended": submission.reason,
            "seconds": 0.0,
            "level": sandbox.reached()[0],
        }
    asked = asked_of(submission)
    own = master(submission.chapter)
    numbers = {
        question.id: dict(numbers_for(question, submission.variant, submission.key))
        for question in own.questions
    }
    cells = steps(own, submission.answers, only=only, extras=submission.extras)
    jobs = [
        {
            "source": python_of(step.source),
            "question": step.question,
            "spark": step.spark,
            "cases": [case for case, hidden in asked.get(step.question, ()) if not hidden],
            "hidden": [case for case, hidden in asked.get(step.question, ()) if hidden],
        }
        for step in cells
    ]
    return asked, sandbox.run(jobs, numbers, spark=any(step.spark for step in cells))


def python_of(source: str) -> str:
    """A cell as plain Python; a cell that is none goes as it is,
    and fails in the sandbox with its own error."""
    try:
        return as_python(source)
    except Exception:
        return source
