"""Runs one submission in the sandbox and has it judged; no gradebook, no class."""

from __future__ import annotations

from autograder.cell.data import one_line
from autograder.cell.numbers import numbers_for
from autograder.course.masters import Master, master
from autograder.grading.verdict import asked_of, judge
from autograder.handed_in.assignment import Step, needed_given, steps
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
            "broken": {},
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
    heard = sandbox.run(jobs_of(cells, asked), numbers, spark=any(step.spark for step in cells))
    return asked, {**heard, "broken": _told_of_broken(own, submission, cells, heard["broken"])}


def jobs_of(cells: list[Step], asked: dict[str, list]) -> list[dict]:
    """The cells as the sandbox takes them, each question with the cases it is asked."""
    return [
        {
            "source": python_of(step.source),
            "question": step.question,
            "spark": step.spark,
            "long": step.long,
            "given": step.given,
            "cases": [case for case, hidden in asked.get(step.question, ()) if not hidden],
            "hidden": [case for case, hidden in asked.get(step.question, ()) if hidden],
        }
        for step in cells
    ]


def _told_of_broken(
    own: Master, submission: Submission, cells: list[Step], broken: dict[str, dict]
) -> dict[str, str]:
    """{question: what is said of the first given cell that its answer needs and that failed},
    without the cells that fail by something the learner wrote."""
    if not broken:
        return {}
    found = {}
    for question in (step.question for step in cells if step.question):
        needed = needed_given(own, submission.answers, question, submission.extras)
        failed = next((index for index in needed if str(index) in broken), None)
        if failed is not None:
            found[question] = _told(own.cells[failed].source, broken[str(failed)])
    return found


def _told(source: str, reply: dict) -> str:
    lines = [line for line in source.splitlines() if line.strip()]
    first = one_line(lines[0] if lines else "", 60)
    if reply.get("raised") == "TimeUp":
        return f"the given cell `{first}` gave no answer in its time"
    said = one_line(reply.get("says"), 160)
    return f"the given cell `{first}` stopped with {one_line(reply.get('raised'), 60)}" + (
        f": {said}" if said else ""
    )


def python_of(source: str) -> str:
    """A cell as plain Python; a cell that is none goes as it is,
    and fails in the sandbox with its own error."""
    try:
        return as_python(source)
    except Exception:
        return source
