"""Looks a public case up in the sealed file instead of playing the lab again.

To know what is right with one student's own numbers a judge plays labs, and of each named wrong
answer it plays them again. Sealing (sealing.py) has done that for every set of numbers there is,
and has kept what the judge said. So a public case is looked up here first. An answer that is in no
box is neither the reference's nor any named one.

What was sealed counts only while a question and its judge are the ones it was made from
(fingerprint.py). A corrected judge counts at once: its question is judged by playing, as
before, until `python -m autograder seal NN.k` has been run.
"""

from __future__ import annotations

from autograder.cell import sealed
from autograder.cell.question import Question
from autograder.cell.verdict import Verdict, open_word, sealed_word
from autograder.course.fingerprint import fresh_boxes, origin
from autograder.course.judge import Judge


def foreseen(question: Question, judge: Judge, case: dict, data) -> Verdict | None:
    """What check() says to `data` too; None where the judge has to be asked: nothing was sealed, or
    only he knows all right answers."""
    own = fresh_boxes(question.id)
    if own is None:
        return None
    word = open_word if judge.judge is None else sealed_word
    return word(question, own, case, data)


def stale(chapter: str) -> list[str]:
    """The questions that were edited since they were sealed: check() in notebooks still says
    there what the judges said before."""
    return [
        question
        for question, own in sealed.read(chapter).items()
        if own.get("of") != origin(question)
    ]
