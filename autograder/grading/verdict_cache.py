"""What a judge has said before: official grading opens the sealed verdicts too, so the truth of a
student's numbers is played once, at home.

To know what is right with one student's own numbers a judge plays labs, and of each named wrong
answer it plays them again. Sealing (sealing.py) has done that for every set of numbers there is,
and has kept what the judge said. So a public case is looked up here first. An answer that is in no
box is neither the reference's nor any named one.

What was sealed counts only while a question and its judge are the ones it was made from
(fingerprint.py). Whoever corrects a judge is heard at once: his question is judged by playing, as
before, until `python -m autograder seal NN.k` has been run.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from autograder.cell import sealed
from autograder.cell.asking import fill
from autograder.cell.question import Question
from autograder.cell.sentences import first_slip, has_parts
from autograder.course.fingerprint import origin, stamp
from autograder.course.judge import Judge, Verdict


@dataclass(frozen=True)
class Foreseen:
    """A verdict, and the named wrong answers that give the same data."""

    verdict: Verdict
    names: tuple[str, ...] = ()


def foreseen(question: Question, judge: Judge, case: dict, data) -> Foreseen | None:
    """What the judge says to `data`; None where it has to be asked: nothing was sealed, or there
    is more than one right answer."""
    own = _boxes(question.id, stamp(question.chapter))
    bare = question.sealed_form(case)
    boxes = None if own is None else own["cases"].get(sealed.locate(own["salt"], bare))
    if boxes is None:
        return None
    try:
        found = sealed.unlock(own["salt"], bare, boxes, data)
    except ValueError:
        # a box that this answer names and does not open
        return None
    if found is not None:
        names = tuple(found.get("names", ()))
        named = None if found["ok"] else found.get("misconception", next(iter(names), None))
        share = 1.0 if found["ok"] else found.get("share", 0.0)
        return Foreseen(
            Verdict(found["ok"], found["sentence"], share, named, tuple(found.get("proof", ()))),
            names,
        )
    if judge.judge is not None or question.public_judge is not None:
        return None
    sentence, misconception = fill(judge.otherwise, case, judge.id, data), None
    if has_parts(question, data):
        sentence, misconception = first_slip(
            question, data, sentence, lambda name: sealed.part(own, bare, name, data[name])
        )
    return Foreseen(Verdict(False, sentence, 0.0, misconception))


def stale(chapter: str) -> list[str]:
    """The questions that were edited since they were sealed: check() in notebooks still says
    there what the judges said before."""
    return [
        question
        for question, own in sealed.read(chapter).items()
        if own.get("of") != origin(question)
    ]


@lru_cache(maxsize=256)
def _boxes(question_id: str, stamp: tuple[int, ...]) -> dict | None:
    """The sealed file's entry for a question; None where it is none,
    or older than what it was made from."""
    own = sealed.read(question_id[:2]).get(question_id) if stamp else None
    return own if own is not None and own.get("of") == origin(question_id) else None
