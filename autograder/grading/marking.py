"""Decide one submission: what the sandbox heard, judged here, question by question.

The replies come from a process the learner's code has run in, so they are nobody's verdicts:
anything that is not a plain answer counts as no answer, and only a judge gives points.
"""

from __future__ import annotations

from dataclasses import dataclass

from autograder.cell.asking import complaint, fill
from autograder.cell.data import MOST_BYTES, NotPlain, canonical, one_line, plain, same
from autograder.cell.near_miss import SPELLED_OTHERWISE, spelled_otherwise
from autograder.cell.question import Question
from autograder.cell.replay import fits, needs_calls
from autograder.cell.sentences import agree, together
from autograder.course.judge import Judge, Verdict, judge_of, verdict_of
from autograder.course.masters import Cell, Master
from autograder.course.rehearsal import said_by_wrong
from autograder.course.secret import hidden_rng
from autograder.grading.scoring import decide
from autograder.grading.verdict_cache import foreseen
from autograder.written.scorer import RubricMissing, score

UNSEEN = "on a case you have not seen: "
NOT_PLAYED_AGAIN = "the run cannot be played again from the calls your code made."
WAITS = "waits for a person"
# characters of an open answer in the class's results; the notebook has them all
LONGEST_KEPT = 20_000


@dataclass(frozen=True)
class Mark:
    """What one question earned. `misconception` names the wrong answer that was recognised, for the
    class's report; `suggested` are the points the rubric would give to an open answer that waits.
    """

    score: float
    max: float
    kind: str
    sentence: str
    misconception: str | None = None
    suggested: float | None = None

    @property
    def waits(self) -> bool:
        """Whether it is an open answer that a person has to read."""
        return self.kind == "open" and self.sentence.startswith(WAITS)

    def as_cell(self) -> dict:
        """The question's entry in RESULTS.json."""
        return {"score": self.score, "max": self.max, "kind": self.kind, "sentence": self.sentence}


def all_cases(question: Question, numbers: dict) -> list[tuple[dict, bool]]:
    """The cases a submission is asked: the open ones, then the hidden ones (case, is it hidden)."""
    judge = judge_of(question.id)
    hidden = judge.hidden_cases(hidden_rng(question.id)) if judge.hidden_cases else []
    return [(case, False) for case in question.cases(numbers)] + [(case, True) for case in hidden]


def mark(
    question: Question, most: float, cases: list[tuple[dict, bool]], replies, ended: str
) -> Mark:
    """The mark of a machine-checked question worth `most` points, from the replies to its cases.

    The weakest case decides: an answer that holds for the examples only does not hold.
    """
    judge = judge_of(question.id)
    opened = sum(not hidden for _, hidden in cases)
    if not isinstance(replies, list) or len(replies) not in (opened, len(cases)):
        return Mark(0.0, most, question.kind, f"no answer was heard: {_end(ended)}.")
    heard = [_trusted(question, reply) for reply in replies]
    if all("blank" in reply for reply in heard):
        return Mark(0.0, most, question.kind, complaint(heard[0]))
    verdicts = [
        _verdict(question, judge, case, hidden, reply)
        for (case, hidden), reply in zip(cases, heard)
    ]
    failed = [index for index, verdict in enumerate(verdicts) if not verdict.ok]
    if not failed and len(heard) < len(cases):
        return Mark(
            0.0,
            most,
            question.kind,
            "right on the cases you have seen, but no answer was heard on the others: "
            f"{_end(ended)}.",
        )
    if not failed:
        return Mark(
            most,
            most,
            question.kind,
            verdicts[-1].sentence if question.space else verdicts[0].sentence,
        )
    index = failed[0]
    case, hidden = cases[index]
    verdict = verdicts[index]
    named = _said_throughout(question, judge, cases, heard) or verdict.misconception
    sentence = verdict.sentence
    if named and named != verdict.misconception:
        wrong = next(wrong for wrong in judge.wrong_answers if wrong.name == named)
        sentence = fill(wrong.sentence, case, question.id)
    if hidden:
        said = UNSEEN + sentence
    else:
        alike = [
            (each.get("case", ""), sentence if place == index else verdicts[place].sentence)
            for place, (each, secret) in enumerate(cases[: len(verdicts)])
            if not secret
            and not verdicts[place].ok
            and (place == index or agree(verdicts[place].sentence, sentence))
        ]
        said = together(alike, opened)
    share = min(verdict.share for verdict in verdicts)
    return Mark(round(most * share, 4), most, question.kind, said, named)


def mark_open(cell: Cell, text: str | None) -> tuple[Mark, dict | None]:
    """An open answer waits for a person: no points, and the rubric's suggestion with its evidence.
    An untouched cell waits for nobody. What is kept of the suggestion goes into the result:
    grading/settling.py may settle it."""
    if text is None or not text.strip() or text.strip() == cell.source.strip():
        return Mark(0.0, cell.points, "open", "no answer was written."), None
    try:
        suggestion = score(cell.question, text)
    except RubricMissing:
        # still read by a person, like every open answer
        return Mark(0.0, cell.points, "open", f"{WAITS}; there is no rubric to suggest a mark."), {
            "answer": text[:LONGEST_KEPT]
        }
    except Exception as failed:
        # a text the rubric stumbles over must not stop a class
        return Mark(
            0.0, cell.points, "open", f"{WAITS}; the rubric failed on it ({type(failed).__name__})."
        ), {"answer": text[:LONGEST_KEPT]}
    points = round(cell.points * suggestion.mark / 4, 2)
    found = "; ".join(
        (
            f"{idea.name} ({idea.status}): "
            f"{one_line(' ... '.join(span.quote for span in idea.evidence), 160)}"
        )
        for idea in suggestion.concepts
        if idea.evidence
    )
    # rubrics mark from 0 to 4
    worth = "" if cell.points == 4 else f" Here that is {points:g} of {cell.points:g} points."
    sentence = f"{WAITS}. {suggestion.sentence}{worth}" + (f" Evidence: {found}." if found else "")
    kept = {
        **suggestion.as_dict(),
        "points": points,
        "decision": decide(suggestion),
        "waits": sentence,
        "answer": text[:LONGEST_KEPT],
    }
    return Mark(0.0, cell.points, "open", sentence, suggested=points), kept


def open_cells(master: Master) -> list[Cell]:
    """The cells of the open questions."""
    return [cell for cell in master.cells if cell.kind == "open" and cell.question]


def _verdict(question: Question, judge: Judge, case: dict, hidden: bool, reply: dict) -> Verdict:
    unhappy = complaint(reply, hidden)
    if unhappy:
        return Verdict(False, unhappy)
    verdict = _judged(question, judge, case, hidden, reply["data"])
    if not (verdict.ok or verdict.misconception or hidden) and spelled_otherwise(
        question, reply["data"], lambda other: _judged(question, judge, case, hidden, other).ok
    ):
        return Verdict(False, SPELLED_OTHERWISE, verdict.share)
    if (
        verdict.share > 0
        and needs_calls(question)
        and not fits(question, case, reply["data"], reply.get("calls"))
    ):
        # what became of the lab is the word of a process the learner's code ran in
        return Verdict(False, NOT_PLAYED_AGAIN)
    return verdict


def _judged(question: Question, judge: Judge, case: dict, hidden: bool, data) -> Verdict:
    """What was sealed, else what the judge says."""
    known = None if hidden else foreseen(question, judge, case, data)
    return known.verdict if known is not None else _decided(question, judge, case, hidden, data)


def _decided(question: Question, judge: Judge, case: dict, hidden: bool, data) -> Verdict:
    """The judge's own word: labs are played for it."""
    try:
        return verdict_of(
            question, judge, case, data, lambda wrong: said_by_wrong(question, wrong, case), hidden
        )
    except (TypeError, ValueError, KeyError, IndexError, AttributeError, ArithmeticError):
        # A judge that reads the data its own way may stumble over an answer of another shape.
        return Verdict(False, fill(judge.otherwise, case, judge.id))


def _said_throughout(question, judge, cases, heard) -> str | None:
    """The named wrong answer that says the same as the learner's in every case."""
    if any("data" not in reply for reply in heard):
        return None
    known = [
        None if hidden else foreseen(question, judge, case, reply["data"])
        for (case, hidden), reply in zip(cases, heard)
    ]
    for wrong in judge.wrong_answers:
        if all(wrong.name in told.names for told in known if told is not None) and all(
            same(said_by_wrong(question, wrong, case), reply["data"])
            for (case, _), reply, told in zip(cases, heard, known)
            if told is None
        ):
            return wrong.name
    return None


def _trusted(question: Question, reply) -> dict:
    """A reply as asking.py would have made it, whoever wrote it."""
    if isinstance(reply, dict) and "data" in reply:
        try:
            data = plain(reply["data"])
            # asking.py lets nothing pass that is longer
            if len(canonical(data)) > MOST_BYTES:
                return {"raised": "NotPlain", "says": f"more than {MOST_BYTES:,} characters"}
            return {
                "data": data,
                **({"calls": reply.get("calls")} if needs_calls(question) else {}),
            }
        except NotPlain as error:
            return {"raised": "NotPlain", "says": str(error)}
    if isinstance(reply, dict) and "blank" in reply:
        named = reply["blank"] if isinstance(reply["blank"], list) else []
        return {
            "blank": [name for name in question.answers if name in named] or list(question.answers)
        }
    if isinstance(reply, dict) and isinstance(reply.get("raised"), str):
        line = reply.get("line")
        return {
            "raised": one_line(reply["raised"], 60),
            "says": one_line(reply.get("says"), 200),
            "line": line if type(line) is int and 0 < line < 10_000 else None,
        }
    return {"raised": "NoAnswer", "says": ""}


def _end(ended: str) -> str:
    return (
        "the cells ran, but the answer was lost on the way"
        if ended == "all cells have run"
        else one_line(ended, 200)
    )
