"""Judges a submission: what the sandbox heard becomes marks, question by question.
`python -m autograder.grading.verdict` is a judge process.

A judge sees plain data only: the answers' text, and the replies of a process that the learner's
code has run in, which are nobody's verdicts. What is no plain answer counts as none. Each case is
decided by the function that check() calls (cell/verdict.py); only the word on the data may be the
judge's own, and a run counts only where it can be played again.

It runs in a process of its own because it thinks longer than anybody else: the truth of a student's
own numbers comes from playing a lab, an open answer is held against a rubric. Several judges sit
side by side when there are many workers, and one that a submission makes think for ever is
replaced.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

from autograder.cell.data import MOST_BYTES, NotPlain, canonical, one_line, plain, same
from autograder.cell.numbers import numbers_for
from autograder.cell.outcome import Outcome
from autograder.cell.question import Question
from autograder.cell.replay import fits, needs_calls
from autograder.cell.reply import PROCESSOR, WALL, complaint, insert_values, lacks
from autograder.cell.sentences import agree, together
from autograder.cell.verdict import Verdict, verdict_on
from autograder.course.judge import Judge, judge_of
from autograder.course.masters import Master, MasterCell, master
from autograder.course.rehearsal import decided, said_by_wrong
from autograder.course.secret import hidden_rng
from autograder.grading.results import add_reason
from autograder.grading.scoring import decide
from autograder.grading.verdict_cache import foreseen
from autograder.handed_in.concerns import Concern
from autograder.handed_in.submission import PARTIAL, Submission
from autograder.sandbox.outside.signs import in_answers, in_heard
from autograder.written.rubrics import RubricMissing, suggest

UNSEEN = "on a case you have not seen: "
NOT_PLAYED_AGAIN = "the run cannot be played again from the calls your code made."
WAITS = "waits for a person"
# characters of an open answer in the class's results; the notebook has them all
LONGEST_KEPT = 20_000


@dataclass(frozen=True)
class Mark:
    """What one question earned. `outcome` is what everything decides by, and `sentence` is for
    people. `misconception` is the id of the named wrong answer that was recognised (its name in the
    judge); `suggested` are the points the rubric would give to an open answer that waits.
    """

    outcome: Outcome
    score: float
    max: float
    kind: str
    sentence: str
    misconception: str | None = None
    suggested: float | None = None

    @property
    def waits(self) -> bool:
        """Whether a person has to read the answer."""
        return self.outcome == Outcome.WAITING

    def as_cell(self) -> dict:
        """The question's entry in RESULTS.json."""
        return {
            "outcome": str(self.outcome),
            "score": self.score,
            "max": self.max,
            "kind": self.kind,
            "sentence": self.sentence,
            "misconception": self.misconception,
        }


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
        suggestions=suggestions,
    )
    odd = in_answers(
        _code(own, submission), tuple(extra.source for extra in submission.extras)
    ) + in_heard(heard)
    if odd:
        result["flags"] = result["flags"] + odd
        result["concerns"] = [*result["concerns"], str(Concern.ODD_CODE)]
        add_reason(result, f"{'; '.join(odd)}.", for_teacher=True)
    failed = sorted({one_line(each, 300) for each in heard["broken"].values()})
    if failed:
        result["status"] = PARTIAL
        add_reason(result, f"{'; '.join(failed)}, which is not the student's mistake.")
    for question, each in marks.items():
        if each.waits and each.kind != "open" and question not in heard["broken"]:
            result["status"] = PARTIAL
            add_reason(result, f"{question} {each.sentence}")
    if heard["ended"]:
        silent = [question for question in asked if question not in heard["replies"]]
        result["status"] = PARTIAL
        why = one_line(heard["ended"], 300)
        add_reason(result, f"{why}; no answer was heard from {', '.join(silent) or 'none'} on.")
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
        "reason_for_student": submission.reason
        if submission.for_student is None
        else submission.for_student,
        "seconds": seconds,
        "level": level,
        "cells": {},
        "suggestions": {},
        "variant": submission.variant,
        "flags": list(submission.flags),
        "concerns": list(map(str, submission.concerns)),
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
            marks[question.id] = gone(question.kind, most)
        else:
            marks[question.id] = mark(question, most, asked[question.id], heard)
    for cell in open_cells(own):
        marks[cell.question], suggestion = mark_open(cell, submission.answers.get(cell.question))
        if suggestion is not None:
            suggestions[cell.question] = suggestion
    return marks, suggestions


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


def all_cases(question: Question, numbers: dict) -> list[tuple[dict, bool]]:
    """The cases a submission is asked: the open ones, then the hidden ones (case, is it hidden)."""
    judge = judge_of(question.id)
    hidden = judge.hidden_cases(hidden_rng(question.id)) if judge.hidden_cases else []
    return [(case, False) for case in question.cases(numbers)] + [(case, True) for case in hidden]


def mark(question: Question, most: float, cases: list[tuple[dict, bool]], heard: dict) -> Mark:
    """The mark of a machine-checked question worth `most` points, from what was heard of it: the
    `replies` to its cases, what cut the run off (`ended`, "" where all cells ran), and which given
    cell failed (`broken`).

    The weakest case decides: an answer that holds for the examples only does not hold. Nothing is
    wrong where a given cell failed that the answer needs, or where the answer needs what only its
    author's machine has: then it waits for a person.
    """
    replies, ended = heard["replies"].get(question.id), heard["ended"]
    found = _by_its_cases(question, most, cases, replies, ended)
    failed = heard["broken"].get(question.id) or _lacking(question, cases, replies)
    if not failed or found.outcome in (Outcome.RIGHT, Outcome.BLANK):
        return found
    return Mark(Outcome.WAITING, 0.0, most, question.kind, f"{WAITS}: {one_line(failed, 300)}.")


def _lacking(question: Question, cases: list[tuple[dict, bool]], replies) -> str:
    """What is said of an answer that cannot run here; "" of all others. A case that is not shown
    says nothing, for its words could carry it home."""
    opened = sum(not hidden for _, hidden in cases)
    heard = replies[:opened] if isinstance(replies, list) else []
    missing = next(filter(None, (lacks(_trusted(question, reply)) for reply in heard)), "")
    return f"the answer needs {missing}, which is not where answers are graded" if missing else ""


def _by_its_cases(
    question: Question, most: float, cases: list[tuple[dict, bool]], replies, ended: str
) -> Mark:
    judge = judge_of(question.id)
    opened = sum(not hidden for _, hidden in cases)
    if not isinstance(replies, list) or len(replies) not in (opened, len(cases)):
        return Mark(
            Outcome.UNHEARD, 0.0, most, question.kind, f"no answer was heard: {_end(ended)}."
        )
    heard = [_trusted(question, reply) for reply in replies]
    if all("blank" in reply for reply in heard):
        return Mark(Outcome.BLANK, 0.0, most, question.kind, complaint(heard[0]))
    verdicts: list[Verdict] = []
    for (case, hidden), reply in zip(cases, heard):
        if hidden and any(not verdict.ok and not verdict.share for verdict in verdicts):
            break  # a shown case has decided all, and what is told comes from it
        verdicts.append(_verdict(question, judge, case, hidden, reply))
    failed = [index for index, verdict in enumerate(verdicts) if not verdict.ok]
    if not failed and len(heard) < len(cases):
        return Mark(
            Outcome.UNHEARD,
            0.0,
            most,
            question.kind,
            "right on the cases you have seen, but no answer was heard on the others: "
            f"{_end(ended)}.",
        )
    if not failed:
        return Mark(
            Outcome.RIGHT,
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
        sentence = insert_values(wrong.sentence, case, question.id)
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
        # of a question with dozens of cases the first is told, as in a notebook
        said = together(alike[:1], 0) if question.first_only else together(alike, opened)
    share = min(verdict.share for verdict in verdicts)
    outcome = Outcome.HIDDEN if hidden else verdict.outcome
    if outcome is Outcome.PART and share == 0:
        outcome = Outcome.WRONG
    return Mark(outcome, round(most * share, 4), most, question.kind, said, named)


def mark_open(cell: MasterCell, text: str | None) -> tuple[Mark, dict | None]:
    """An open answer waits for a person: no points, and the rubric's suggestion with its evidence.
    A cell that is gone (`text` is None) or untouched waits for nobody. What is kept of the
    suggestion goes into the result: grading/open_marks.py may settle it."""
    if text is None:
        return gone("open", cell.points), None
    if not text.strip() or text.strip() == cell.source.strip():
        return Mark(Outcome.BLANK, 0.0, cell.points, "open", "no answer was written."), None
    try:
        suggestion = suggest(cell.question, text)
    except RubricMissing:
        # still read by a person, like every open answer
        return _waiting(cell, f"{WAITS}; there is no rubric to suggest a mark."), {
            "answer": text[:LONGEST_KEPT]
        }
    except Exception as failed:
        # a text the rubric stumbles over must not stop a class
        return _waiting(cell, f"{WAITS}; the rubric failed on it ({type(failed).__name__})."), {
            "answer": text[:LONGEST_KEPT]
        }
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
    return _waiting(cell, sentence, points), kept


def gone(kind: str, most: float) -> Mark:
    """The mark of a question whose answer cell is no longer in the notebook."""
    return Mark(Outcome.GONE, 0.0, most, kind, "the answer cell is gone from the notebook.")


def open_cells(master: Master) -> list[MasterCell]:
    """The cells of the open questions."""
    return [cell for cell in master.cells if cell.kind == "open" and cell.question]


def _waiting(cell: MasterCell, sentence: str, suggested: float | None = None) -> Mark:
    return Mark(Outcome.WAITING, 0.0, cell.points, "open", sentence, suggested=suggested)


def _verdict(question: Question, judge: Judge, case: dict, hidden: bool, reply: dict) -> Verdict:
    verdict = verdict_on(
        question, reply, lambda data: _word(question, judge, case, hidden, data), hidden
    )
    if (
        verdict.share > 0
        and needs_calls(question)
        and not fits(question, case, reply["data"], reply.get("calls"))
    ):
        # what became of the lab is the word of a process the learner's code ran in
        return Verdict(False, NOT_PLAYED_AGAIN)
    return verdict


def _word(question: Question, judge: Judge, case: dict, hidden: bool, data) -> Verdict:
    """What was sealed, else what the judge says."""
    known = None if hidden else foreseen(question, judge, case, data)
    return known or decided(question, judge, case, data, hidden)


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
    """A reply in the form that reply.py makes, also when the learner's code wrote it."""
    if isinstance(reply, dict) and "data" in reply:
        try:
            data = plain(reply["data"])
            # reply.py lets nothing pass that is longer
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
        return {
            "raised": one_line(reply["raised"], 60),
            "says": one_line(reply.get("says"), 200),
            "line": _whole(reply.get("line")),
            "seconds": _whole(reply.get("seconds")),
            "clock": WALL if reply.get("clock") == WALL else PROCESSOR,
        }
    return {"raised": "NoAnswer", "says": ""}


def _whole(number) -> int | None:
    return number if type(number) is int and 0 < number < 10_000 else None


def _end(ended: str) -> str:
    return (
        "the cells ran, but the answer was lost on the way" if not ended else one_line(ended, 200)
    )


if __name__ == "__main__":
    from autograder.grading.child_process import serve
    from autograder.sandbox.inside.walls import die_with_parent

    die_with_parent()
    # jsonschema would build a grammar of web addresses with it: 1.6 s, for nothing here
    sys.modules["rfc3987_syntax"] = None
    serve(_answer)
