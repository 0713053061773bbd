"""Grade one submission, or a class of them.

    >>> from autograder.grade import grade
    >>> grade("03", "alice.ipynb")["score"]

This is the door; the work lies behind it. Four kinds of process grade a class, each with one duty.
The parent takes in what was handed in, rebuilds it from the master and never runs a learner's code
(grading/lanes). Workers run the code, inside the sandbox (sandbox/outside/parent.py,
sandbox/inside/worker.py). Judges decide on what was heard, outside, on plain data
(grading/verdict.py). One writer owns the gradebook and what is kept (grading/writer.py).
"""

from __future__ import annotations

import dataclasses
import sys
from pathlib import Path

from autograder.cell.course_folder import chapter_number
from autograder.grading.lanes import class_run
from autograder.grading.lanes.class_run import Unready
from autograder.grading.lanes.intake import receive
from autograder.grading.lanes.submission_run import run
from autograder.grading.results import Results
from autograder.handed_in.classlist import Roster
from autograder.handed_in.submission import REFUSED, Submission, read
from autograder.sandbox.outside.parent import Sandbox
from autograder.written.queue import put_back

__all__ = [
    "Unready",
    "grade",
    "grade_class",
    "grade_file",
    "needs_attention",
    "public",
    "receive",
]
QUIET_STATUSES = ("graded", "repaired")


def grade(source: str | Path, submission: str | Path) -> dict:
    """Grade one file against a chapter ("03", or the path of its notebook) or whatever chapter it
    answers (""), without a gradebook.

    Returns what RESULTS.json holds for it: student, assignment, score, max, open_pending, open_max,
    status, reason, reason_for_student, seconds, level, and the cells. Points are those of the
    notebook handed out.
    """
    asked = chapter_number(Path(source).stem) if str(source) else None
    return next(iter(grade_file(Path(submission), asked).values()))


def grade_file(
    path: Path, asked: str | None = None, uploader: tuple[str, ...] = ()
) -> dict[str, dict]:
    """Grade what one file or folder holds, without a gradebook: {name: result}, one entry for each
    chapter in it. `uploader`: the ids of the student who handed it in; a notebook that names
    somebody else is refused."""
    if not path.exists() and not path.is_symlink():
        raise FileNotFoundError(2, "There is no such submission", str(path))
    with Sandbox() as sandbox:
        return {
            each.name: public(run(_of_its_uploader(each, uploader), sandbox))
            for each in read(path, asked=asked)
        }


def _of_its_uploader(submission: Submission, ids: tuple[str, ...]) -> Submission:
    """The submission, refused where its first cell does not name one of these ids."""
    if (
        not ids
        or not submission.can_run
        or submission.variant.casefold() in {each.casefold() for each in ids}
    ):
        return submission
    named = (
        f"names {submission.variant}, and {ids[0]} handed it in"
        if submission.variant
        else "names nobody"
    )
    return dataclasses.replace(
        submission,
        status=REFUSED,
        answers={},
        extras=(),
        missing=(),
        for_student=None,
        reason=(
            f'its first cell {named}. Write your own id there, me("{ids[0]}"), run every cell'
            " again, solve it with your own numbers, and hand in again."
        ),
    )


def public(result: dict) -> dict:
    """The result as RESULTS.json shows it."""
    shown = (
        "student",
        "assignment",
        "score",
        "max",
        "open_pending",
        "open_max",
        "status",
        "reason",
        "reason_for_student",
        "seconds",
        "level",
        "cells",
    )
    return {name: result[name] for name in shown}


def needs_attention(results_by_name) -> list[str]:
    """The submissions a person should look at: those that were not read whole, did not run to
    their end, or do what no honest answer does."""
    return [
        name
        for name, result in results_by_name.items()
        if result["status"] not in QUIET_STATUSES or result.get("flags")
    ]


def grade_class(
    folder: Path,
    out: Path,
    asked: str | None = None,
    roster: Roster = Roster(),
    workers: int | None = None,
    force: bool = False,
    say=lambda text: print(text, file=sys.stderr),
    ignore: tuple[Path, ...] = (),
    allow_unsafe: bool = False,
) -> Results:
    """Grade everything in `folder` into `out` and return its results by submission's name; what was
    graded into `out` from other folders stays. Marks of `review` that its gradebook has lost are
    entered again.

    Submissions whose result is already there are not run again, unless `force`. `say` is told how
    far it is. Below sandbox level L2 this refuses with a ValueError, unless `allow_unsafe`.
    """
    return class_run.grade_folder(
        folder,
        out,
        put_back,
        asked=asked,
        roster=roster,
        workers=workers,
        force=force,
        say=say,
        ignore=ignore,
        allow_unsafe=allow_unsafe,
    )
