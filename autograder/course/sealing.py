"""Write the sealed verdicts of a chapter (see sealed.py), from its judges and from answers that
were really run.

Sealing is also the first test of a chapter: it stops when the reference does not pass a public
case, when a named wrong answer cannot be told from the right one in any case, and when it happens
to be right with some student's numbers.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from autograder.cell import sealed
from autograder.cell.data import canonical
from autograder.cell.question import Question
from autograder.cell.reply import insert_values
from autograder.cell.sentences import has_parts, one_slip
from autograder.cell.verdict import Verdict, verdict_on
from autograder.course.fingerprint import origin
from autograder.course.judge import Judge, follows_from_case, has_names, judge_of, verdict_of
from autograder.course.rehearsal import reply_of_reference, reply_of_wrong, said_by_wrong
from autograder.course.secret import hidden_rng


class Unsealable(ValueError):
    """Says that the judge, the reference and the wrong answers contradict each other.

    The message says which, and `wrong` names the wrong answer that is in the way.
    """

    def __init__(self, sentence: str, wrong: str | None = None):
        super().__init__(sentence)
        self.wrong = wrong


def write_boxes(chapter: str, boxes: dict) -> Path:
    """Write the boxes of a chapter's questions, by question; the file's path."""
    path = sealed.folder() / f"ch{chapter}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(f".{os.getpid()}.draft")
    draft.write_text(json.dumps(boxes, indent=0, sort_keys=True) + "\n", encoding="utf-8")
    draft.replace(path)
    return path


def public_cases(question: Question) -> list[dict]:
    """Every case that some student is checked on in the open:
    the shared ones, and everybody's own numbers."""
    every = [question.same_for_all(numbers) for numbers in question.all_numbers()]
    cases = {
        canonical(question.sealed_form(case)): case
        for numbers in every
        for case in question.cases(numbers)
    }
    return list(cases.values())


def seal_question(question: Question, cases: list[dict] | None = None) -> dict:
    """The salt, the word for answers nobody foresaw, and the boxes by case. cases:
    seal these only, as one student's, and do not ask what tells the wrong answers apart."""
    judge = judge_of(question.id)
    salt = hashlib.sha256(f"salt of {question.id}".encode()).hexdigest()[:16]
    boxes, parts, quiet, told_apart, stopped = {}, {}, [], set(), {}
    for case in public_cases(question) if cases is None else cases:
        sealed_case = question.sealed_form(case)
        verdicts, gave, failed, said = {}, {}, False, {}
        for name, reply in _foreseen(question, judge, case):
            verdict = _verdict(question, judge, case, reply)
            if "data" not in reply:
                if name is None:
                    raise Unsealable(
                        f"{question.id}: the reference fails on {case}: {verdict.sentence}"
                    )
                # a wrong answer that stops with an error needs no box
                failed = True
                told_apart.add(name)
                stopped[name] = stopped.get(name, 0) + 1
                continue
            if name is None and not verdict.ok:
                raise Unsealable(
                    f"{question.id}: the judge refuses the reference on {case}: {verdict.sentence}"
                )
            if (
                name is not None
                and verdict.ok
                and question.space
                and not question.draws
                and set(question.space) <= set(case)
            ):
                raise Unsealable(
                    f'{question.id}: with {case} the wrong answer "{name}" is right; keep these '
                    "numbers out with `where`",
                    name,
                )
            if name is not None and not verdict.ok:
                failed = True
                told_apart.add(name)
            said[name] = reply["data"]
            data = canonical(reply["data"])
            verdicts.setdefault(data, verdict)
            gave.setdefault(data, []).extend([name] if name else [])
        place, own = sealed.locate(salt, sealed_case), follows_from_case(question, judge)
        boxes[place] = dict(
            sealed.lock(salt, sealed_case, json.loads(data), _as_plain(verdict, gave[data], own))
            for data, verdict in verdicts.items()
        )
        if not failed:
            quiet.append(place)
        if has_names(question, judge):
            parts[place] = dict(_parts(question, judge, case, salt, said))
    alike = [
        wrong.name
        for wrong in judge.wrong_answers
        if wrong.name not in told_apart and not _fails_hidden(question, judge, wrong)
    ]
    if cases is None and (
        broken := {name for name, count in stopped.items() if count == len(boxes)}
    ):
        raise Unsealable(
            f'{question.id}: the wrong answer "{min(broken)}" stops with an error in every case; '
            "it would be told that, not its sentence",
            min(broken),
        )
    if alike and cases is None:
        raise Unsealable(
            f"{question.id}: no case tells {', '.join(alike)} from the right answer", alike[0]
        )
    return {
        "salt": salt,
        "otherwise": judge.otherwise,
        "of": origin(question.id),
        "cases": boxes,
        **({"hidden": True} if judge.hidden_cases else {}),
        **({"quiet": sorted(quiet)} if quiet else {}),
        **({"parts": parts} if any(parts.values()) else {}),
    }


def _parts(question, judge, case, salt, said: dict):
    """(tag, box) for each name of an answer by itself: its right value, and each wrong one that a
    named wrong answer has while its other names are right."""
    if not has_parts(question, said[None]):
        return
    bare = question.sealed_form(case)
    for name, value in said[None].items():
        yield sealed.lock(salt, bare, [name, value], {"ok": True})
    slips = {}
    for wrong in judge.wrong_answers:
        name = one_slip(question, said[None], said.get(wrong.name))
        if name is not None:
            slips.setdefault((name, canonical(said[wrong.name][name])), wrong)
    for (name, value), wrong in slips.items():
        told = {"ok": False, "sentence": insert_values(wrong.sentence, case, question.id)}
        yield sealed.lock(salt, bare, [name, json.loads(value)], {**told, "names": [wrong.name]})


def _fails_hidden(question, judge, wrong) -> bool:
    """Some wrong answers, such as the public cases learned by heart,
    only show on inputs nobody has seen."""
    hidden = judge.hidden_cases(hidden_rng(question.id)) if judge.hidden_cases else []
    return any(
        not _verdict(question, judge, case, reply_of_wrong(question, wrong, case), True).ok
        for case in hidden
    )


def _verdict(
    question: Question, judge: Judge, case: dict, reply: dict, hidden: bool = False
) -> Verdict:
    """The verdict that is sealed: here the judge's own word counts, in grading the sealed one."""

    def word(data) -> Verdict:
        return verdict_of(
            question, judge, case, data, lambda wrong: said_by_wrong(question, wrong, case), hidden
        )

    return verdict_on(question, reply, word, hidden)


def _foreseen(question, judge, case):
    """The right answer (named None) and each wrong one, with what it says."""
    yield None, reply_of_reference(question, case)
    for wrong in judge.wrong_answers:
        yield wrong.name, reply_of_wrong(question, wrong, case)


def _as_plain(verdict: Verdict, names: list[str], own: bool) -> dict:
    """A verdict for its box: what check() says, and for official grading which named wrong
    answers give this very data. own: the sentence for a right answer follows from the case."""
    told = {
        "own": own and verdict.ok,
        "proof": list(verdict.proof),
        "share": 0.0 if verdict.ok else verdict.share,
        "names": names,
        "misconception": None if verdict.misconception in names[:1] else verdict.misconception,
    }
    return {
        "ok": verdict.ok,
        "sentence": verdict.sentence,
        **{key: value for key, value in told.items() if value},
    }
