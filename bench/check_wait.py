"""Measures how long a learner waits for check(): each exercise, against one second.

The reference answer is checked many times over, as a learner would: the probe is asked on every
public case and the sealed verdicts are opened; playing a lab counts, running the learner's own
cells does not. `ours` is the slowest of twenty (the 95th of a hundred), `peer` what a learner
should wait at most: 1 s, or 5 s with a warm Spark session.
"""

from __future__ import annotations

import contextlib
import io
import time

from autograder.cell.course_folder import released
from autograder.cell.numbers import numbers_for, pretending
from autograder.cell.question import Question, asked_chapters, of_chapter
from autograder.course.masters import master
from autograder.course.references import references
from autograder.handed_in.assignment import steps
from autograder.handed_in.needs import as_python
from bench import Row, compared

TIMES, SPARK_TIMES = 40, 10
SECONDS, SPARK_SECONDS = 1.0, 5.0
STUDENT = "s001"


def run() -> list[Row]:
    """One row for each exercise."""
    return [
        _row(question)
        for chapter in released()
        if chapter in asked_chapters()
        for question in of_chapter(chapter)
        if question.kind != "open"
    ]


def _row(question: Question) -> Row:
    spark = question.kind == "spark"
    with (
        pretending({question.id: dict(numbers_for(question, STUDENT))}),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        namespace = {"__name__": "__main__", "display": print, "get_ipython": lambda: None}
        for step in steps(
            master(question.chapter),
            {question.id: references(question.chapter)[question.id]},
            only={question.id},
        ):
            exec(as_python(step.source), namespace)
        took = []
        for _ in range((SPARK_TIMES if spark else TIMES) + 1):
            started = time.perf_counter()
            exec(
                f'__import__("sys").modules["autograder.cell.check"].check("{question.id}")',
                namespace,
            )
            took.append(time.perf_counter() - started)
    # the first is the session's start
    slowest = sorted(took[1:])[int(0.95 * (len(took) - 1)) - 1]
    most = SPARK_SECONDS if spark else SECONDS
    name = f'check("{question.id}"), {question.title}: s, less is better'
    return compared(name, slowest, most, "s")
