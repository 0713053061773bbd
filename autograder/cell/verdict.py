"""Decides what is said of one answer to one case, for check() in a notebook and for grading alike.

`verdict_on` looks at a reply in one order, wherever it is called: nothing is written, the code
failed, the word on the data, right but spelled otherwise. Only the word on plain data has several
sources: a notebook has `open_word`, and grading may ask the judge too (grading/verdict.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain

from autograder.cell import sealed
from autograder.cell.data import canonical
from autograder.cell.near_miss import (
    IN_ANOTHER_ORDER,
    IN_ANOTHER_UNIT,
    IN_OTHER_BRACKETS,
    SPELLED_OTHERWISE,
    in_another_order,
    in_another_unit,
    in_other_brackets,
    spelled_otherwise,
    with_truth_values,
    without_spaces,
)
from autograder.cell.outcome import Outcome
from autograder.cell.question import Question
from autograder.cell.reply import complaint, otherwise_said
from autograder.cell.sentences import first_slip, has_parts

STUMBLES = (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError)
"""What a judge that reads data its own way may raise on an answer of another shape."""


@dataclass(frozen=True)
class Verdict:
    """What is said to one case. `share` of the points, 0 to 1; `misconception` is the id of the
    wrong answer that was recognised; `proof` are rows of what happened, for cases that may be
    shown; `blank`: nothing is written; `names` are all named wrong answers that give this data;
    `own`: the sentence follows from the case and not from the exercise."""

    ok: bool
    sentence: str
    share: float = 0.0
    misconception: str | None = None
    proof: tuple[str, ...] = ()
    blank: bool = False
    names: tuple[str, ...] = field(default=(), compare=False)
    own: bool = field(default=False, compare=False)

    @property
    def outcome(self) -> Outcome:
        """What became of a case that everybody may see."""
        if self.ok:
            return Outcome.RIGHT
        if self.blank:
            return Outcome.BLANK
        return Outcome.PART if self.share > 0 else Outcome.WRONG


def verdict_on(
    question: Question, reply: Mapping, word: Callable[[object], Verdict], hidden: bool = False
) -> Verdict:
    """The verdict on a reply (see reply.py) to one case; word(data) is what is said of plain
    data."""
    unhappy = complaint(reply, hidden)
    if unhappy:
        return Verdict(False, unhappy, blank="blank" in reply)
    verdict = word(reply["data"])
    for other in chain(without_spaces(reply["data"]), with_truth_values(question, reply["data"])):
        if not (verdict.ok or verdict.misconception):
            told = word(other)
            verdict = told if told.ok or told.misconception else verdict
    if verdict.ok or verdict.misconception or hidden:
        return verdict
    if spelled_otherwise(question, reply["data"], lambda other: word(other).ok):
        return Verdict(False, SPELLED_OTHERWISE, verdict.share)
    if in_another_unit(question, reply["data"], lambda other: word(other).ok):
        return Verdict(False, IN_ANOTHER_UNIT, verdict.share)
    if in_other_brackets(question, reply["data"], lambda other: word(other).ok):
        return Verdict(False, IN_OTHER_BRACKETS, verdict.share)
    if in_another_order(question, reply["data"], lambda other: word(other).ok):
        return Verdict(False, IN_ANOTHER_ORDER, verdict.share)
    return verdict


def open_word(question: Question, own: Mapping, case: Mapping, data) -> Verdict | None:
    """What anybody may know of an answer to a shown case: the sealed verdict; where nobody foresaw
    the answer, the question's public judge, or that it is wrong. None where nothing was sealed.

    `own` is the question's entry in its sealed file.
    """
    if _boxes(question, own, case) is None:
        return None
    word = sealed_word(question, own, case, data)
    if word is None:
        try:
            word = public_word(question, case, data)
        except STUMBLES:
            word = None
    return word or _word_by_names(question, own, case, data)


def _word_by_names(question: Question, own: Mapping, case: Mapping, data) -> Verdict:
    """What is said to an answer that nobody foresaw as a whole."""

    def otherwise(name: str = "") -> str:
        return otherwise_said(own["otherwise"], case, question.id, data, name)

    if not has_parts(question, data):
        return Verdict(False, otherwise())
    bare = question.sealed_form(case)
    boxes = own.get("parts", {}).get(sealed.locate(own["salt"], bare), {})

    def part(name: str) -> tuple[bool, str, str | None] | None:
        try:
            found = sealed.unlock(own["salt"], bare, boxes, [name, data[name]])
        except ValueError:
            return None
        if found is None:
            return None
        return found["ok"], found.get("sentence", ""), next(iter(found.get("names", ())), None)

    sentence, misconception = first_slip(question, data, otherwise, part)
    return Verdict(False, sentence, misconception=misconception)


def is_quiet(question: Question, own: Mapping, case: Mapping) -> bool:
    """Whether no named wrong answer fails in this case, so that it went well says nothing."""
    return sealed.locate(own["salt"], question.sealed_form(case)) in own.get("quiet", ())


def sealed_word(question: Question, own: Mapping, case: Mapping, data) -> Verdict | None:
    """The sealed verdict on an answer that was foreseen; None for any other."""
    boxes = _boxes(question, own, case)
    try:
        found = boxes and sealed.unlock(own["salt"], question.sealed_form(case), boxes, data)
    except ValueError:
        # a box that this answer names and does not open
        return None
    if not found:
        return None
    names = tuple(found.get("names", ()))
    return Verdict(
        found["ok"],
        found["sentence"],
        1.0 if found["ok"] else found.get("share", 0.0),
        None if found["ok"] else found.get("misconception", next(iter(names), None)),
        tuple(found.get("proof", ())),
        names=names,
        own=found.get("own", False),
    )


def public_word(question: Question, case: Mapping, data) -> Verdict | None:
    """What the question's own judge says; None where it has none, or none for this case."""
    if question.public_judge is None:
        return None
    told = _played(_Played(question, id(question), canonical(case), canonical(data)))
    if told is None:
        return None
    ok, sentence, proof = (*told, ())[:3]
    own = callable(getattr(question, "kept", ""))
    return Verdict(bool(ok), sentence, 1.0 if ok else 0.0, proof=tuple(proof), own=own)


def _boxes(question: Question, own: Mapping, case: Mapping) -> dict | None:
    return own["cases"].get(sealed.locate(own["salt"], question.sealed_form(case)))


@dataclass(frozen=True)
class _Played:
    """What a public judge looks at. Two are the same when the question,
    its case and the learner's data are."""

    question: Question = field(compare=False)
    known_as: int
    case: str
    data: str


@lru_cache(maxsize=256)
def _played(played: _Played):
    """What the question's public judge says; most of a class decide alike, and a run need not be
    played again for each of them."""
    return played.question.public_judge(json.loads(played.case), json.loads(played.data))
