"""Judge a submission: what the sandbox heard becomes points and sentences.
`python -m autograder.grading.judging` is a judge process.

A judge sees plain data only: the answers' text, and the replies of the learner's process, which are
nobody's verdicts. It runs in a process of its own because it thinks longer than anybody else: the
truth of a student's own numbers comes from playing a lab, an open answer is held against a rubric.
Several judges sit side by side when there are many workers, and one that a submission makes think
for ever is replaced.
"""

from __future__ import annotations

import sys
import threading

from autograder.cell.numbers import numbers_for
from autograder.course.masters import Master, master
from autograder.grading.marking import Mark, all_cases, mark, mark_open, open_cells
from autograder.handed_in.submission import PARTIAL, Submission
from autograder.sandbox.outside.signs import in_answers, in_heard

ALL_RAN = "all cells have run"


def asked_of(submission: Submission) -> dict[str, list]:
    """The cases each machine-checked question of this submission is asked, by question:
    [(case, is it hidden)]."""
    return {
        question.id: all_cases(
            question, dict(numbers_for(question, submission.variant, submission.key))
        )
        for question in master(submission.chapter).questions
        if question.kind != "open"
    }


def judge(submission: Submission, asked: dict, heard: dict) -> dict:
    """The result of a submission from what was heard: RESULTS.json's entry and what else is
    worth keeping (see grade.public)."""
    result = blank(submission, heard["level"], heard["seconds"])
    if not submission.can_run:
        return result
    own = master(submission.chapter)
    marks, suggestions = _marks(own, submission, asked, heard)
    machine = [each for each in marks.values() if each.kind != "open"]
    result.update(
        assignment=own.name,
        score=round(sum(each.score for each in machine), 4),
        max=sum(each.max for each in machine),
        open_pending=sum(marks[question].max for question in suggestions),
        open_max=sum(each.max for each in marks.values() if each.kind == "open"),
        cells={question: each.as_cell() for question, each in marks.items()},
        misconceptions={
            question: each.misconception for question, each in marks.items() if each.misconception
        },
        suggestions=suggestions,
    )
    odd = in_answers(
        _code(own, submission), tuple(extra.source for extra in submission.extras)
    ) + in_heard(heard)
    if odd:
        result["flags"] = result["flags"] + odd
        result["reason"] = " ".join(filter(None, [result["reason"], f"{'; '.join(odd)}."]))
    if heard["ended"] != ALL_RAN:
        silent = [question for question in asked if question not in heard["replies"]]
        result["status"] = PARTIAL
        since = f"{heard['ended']}; no answer was heard from {', '.join(silent) or 'none'} on."
        result["reason"] = " ".join(filter(None, [result["reason"], since]))
    return result


def blank(submission: Submission, level: str, seconds: float = 0.0) -> dict:
    """The result of a submission that nothing was heard of."""
    return {
        "submission": submission.name,
        "sha256": submission.sha256,
        "student": submission.student,
        "assignment": None,
        "score": 0.0,
        "max": 0.0,
        "open_pending": 0.0,
        "open_max": 0.0,
        "status": submission.status,
        "reason": submission.reason,
        "seconds": seconds,
        "level": level,
        "cells": {},
        "misconceptions": {},
        "suggestions": {},
        "variant": submission.variant,
        "flags": list(submission.flags),
        **({"key": submission.key} if submission.key else {}),
    }


def _marks(
    own: Master, submission: Submission, asked, heard
) -> tuple[dict[str, Mark], dict[str, dict]]:
    marks, suggestions = {}, {}
    for question in own.questions:
        if question.kind == "open":
            continue
        most = own.points(question)
        if question.id in submission.missing:
            marks[question.id] = Mark(
                0.0, most, question.kind, "the answer cell is gone from the notebook."
            )
        else:
            marks[question.id] = mark(
                question,
                most,
                asked[question.id],
                heard["replies"].get(question.id),
                heard["ended"],
            )
    for cell in open_cells(own):
        marks[cell.question], suggestion = mark_open(cell, submission.answers.get(cell.question))
        if suggestion is not None:
            suggestions[cell.question] = suggestion
    return marks, suggestions


class Here:
    """A judge without a process of its own, asked like one (child_process.py):
    for tests that have taught this process something."""

    def __init__(self):
        self._lock = threading.Lock()

    def ask(self, question: dict) -> dict:
        with self._lock:
            return _answer(question)

    def stop(self) -> None:
        """Nothing to end."""


def _code(own: Master, submission: Submission) -> dict[str, str]:
    """The answers that are code, as the learner wrote them."""
    return {
        cell.question: submission.answers[cell.question]
        for cell in own.answer_cells
        if cell.question in submission.answers
        and submission.answers[cell.question].strip() != cell.source.strip()
    }


def _answer(question: dict) -> dict:
    submission = Submission.from_plain(question["submission"])
    return judge(submission, asked_of(submission), question["heard"])


if __name__ == "__main__":
    from autograder.grading.child_process import serve
    from autograder.sandbox.inside.walls import die_with_parent

    die_with_parent()
    # jsonschema would build a grammar of web addresses with it: 1.6 s, for nothing here
    sys.modules["rfc3987_syntax"] = None
    serve(_answer)
