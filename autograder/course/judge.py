"""Decides an answer to one case, and names the first wrong answer that fits. Nothing of this folder
is in a release or in the sandbox.

A judge never sees the learner's objects, only the plain data their probe returned, and it runs in a
process the learner's code has never been in. Each chapter has one file, chNN.py, with a tuple
JUDGES; each judge knows the truth of any case, the inputs nobody has seen, and the wrong answers
people really give, each with the sentence that helps them on.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from random import Random

from autograder.cell.data import canonical, plain, same
from autograder.cell.question import Question, find
from autograder.cell.reply import insert_values, otherwise_said
from autograder.cell.sentences import first_slip, has_parts, one_slip
from autograder.cell.verdict import Verdict, public_word
from autograder.course import judges


@dataclass(frozen=True)
class WrongAnswer:
    """A wrong answer people really give: the answer cell that gives it, and the sentence it earns.

    The sentence may speak of the case's own numbers in braces: "You counted one for each of the
    {partitions} partitions." `says`: case -> what the source gives, where running it takes more
    than Python (Spark); a test runs it all the same. `name` is its id in results, which stays when
    the sentence is said better.
    """

    name: str
    source: str
    sentence: str
    says: Callable[[dict], object] | None = None


@dataclass(frozen=True)
class Judge:
    """How one question is decided.

    id             the question's
    truth          case -> the data a right answer gives. Written apart from the reference, so that
                   one proves the other
    judge          (case, data) -> Verdict, where equality with one truth does not do; check()
                   cannot ask it, so a public case whose right answers are many belongs into the
                   question's public_judge
    hidden_cases   a Random seeded by the course secret -> more cases; only for questions that call
                   the learner's function
    reference      the solved answer cell's source (for an open question: a model answer); None
                   takes the answer cell of the exercise's file
    wrong_answers  see WrongAnswer; the first whose data is equal to the learner's gives its
                   sentence
    right          the sentence for a right answer: why it is right, in a few words. A function,
                   case -> sentence, where the cases differ in why
    otherwise      the sentence for a wrong answer nobody has named; {said} is what the learner's
                   answer says. Of several names: name -> the sentence of this name alone
    unseen         the same for hidden cases, where it must not speak of the case
    """

    id: str
    truth: Callable[[dict], object] | None = None
    judge: Callable[[dict, object], Verdict] | None = None
    hidden_cases: Callable[[Random], list[dict]] | None = None
    reference: str | None = None
    wrong_answers: tuple[WrongAnswer, ...] = ()
    right: str | Callable[[dict], str] = "right."
    otherwise: str | Mapping[str, str] = 'not yet. hint("{id}") says where to look.'
    unseen: str = ""


def judge_of(question_id: str) -> Judge:
    """The judge of a question; KeyError, with a sentence, when nobody wrote one. An open
    question has a rubric instead, so its judge says nothing."""
    module = f"{judges.__name__}.ch{question_id[:2]}"
    try:
        found = importlib.import_module(module).JUDGES
    except ModuleNotFoundError as missing:
        if missing.name != module:
            raise
        raise KeyError(f"Chapter {question_id[:2]} has no judges.") from None
    for judge in found:
        if judge.id == question_id:
            return judge
    if find(question_id).kind == "open":
        return Judge(question_id)
    raise KeyError(f"Question {question_id} has no judge.")


def verdict_of(
    question: Question,
    judge: Judge,
    case: Mapping,
    data,
    said_by_wrong: Callable[[WrongAnswer], object] | None = None,
    hidden: bool = False,
) -> Verdict:
    """The verdict on plain `data` that a learner's answer gave to `case`.

    `said_by_wrong` gives the data a named wrong answer really gives to this case (see
    rehearsal.py); it is only asked when the learner's data is wrong.
    """
    case = dict(case)
    verdict = _first_word(question, judge, case, data, hidden)
    if verdict.ok or verdict.misconception or said_by_wrong is None:
        return verdict
    for wrong in judge.wrong_answers:
        if same(said_by_wrong(wrong), data):
            return Verdict(
                False,
                insert_values(wrong.sentence, case, judge.id),
                verdict.share,
                wrong.name,
                verdict.proof,
            )
    return _by_names(question, judge, case, data, said_by_wrong, verdict)


def has_names(question: Question, judge: Judge) -> bool:
    """Whether a judge knows one truth for each of several names."""
    return judge.judge is None and question.public_judge is None and len(question.answers) > 1


def said_of_right(judge: Judge, case: Mapping) -> str:
    """The sentence for a right answer to this case."""
    return judge.right(dict(case)) if callable(judge.right) else judge.right


def follows_from_case(question: Question, judge: Judge) -> bool:
    """Whether the sentence for a right answer is another one in another case."""
    said = getattr(question, "kept", "") if question.public_judge is not None else judge.right
    return callable(said) or "{" in said


def _by_names(question, judge, case, data, said_by_wrong, verdict: Verdict) -> Verdict:
    """The verdict on a wrong answer, or on the first of its names that has a named slip."""
    if not has_names(question, judge) or not has_parts(question, data):
        return verdict
    truth = plain(judge.truth(case))
    if not has_parts(question, truth):
        return verdict
    slips: dict[tuple[str, str], WrongAnswer] = {}
    for wrong in judge.wrong_answers:
        says = said_by_wrong(wrong)
        name = one_slip(question, truth, says)
        if name is not None:
            slips.setdefault((name, canonical(says[name])), wrong)

    def part(name: str):
        if same(truth[name], data[name]):
            return True, "", None
        wrong = slips.get((name, canonical(data[name])))
        return (
            None
            if wrong is None
            else (False, insert_values(wrong.sentence, case, judge.id), wrong.name)
        )

    def otherwise(name: str) -> str:
        if isinstance(judge.otherwise, str):
            return verdict.sentence
        return otherwise_said(judge.otherwise, case, judge.id, data, name)

    sentence, misconception = first_slip(question, data, otherwise, part)
    return Verdict(False, sentence, verdict.share, misconception, verdict.proof)


def _first_word(question, judge, case, data, hidden) -> Verdict:
    if judge.judge is not None:
        return judge.judge(case, data)
    told = public_word(question, case, data)
    if told is not None:
        # who sees its seed could play the hidden case at home
        if hidden and not told.ok:
            return Verdict(False, judge.unseen or told.sentence)
        return told
    if judge.truth is None:
        raise TypeError(
            f"judge {judge.id} has neither truth nor judge, and its question has no public_judge "
            "for this case"
        )
    ok = same(plain(judge.truth(case)), data)
    if not ok and not (hidden and judge.unseen):
        return Verdict(False, otherwise_said(judge.otherwise, case, judge.id, data))
    words = said_of_right(judge, case) if ok else judge.unseen
    return Verdict(ok, insert_values(words, case, judge.id, data), 1.0 if ok else 0.0)
