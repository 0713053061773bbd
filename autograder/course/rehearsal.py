"""Runs a reference or a named wrong answer, and records what it says to a case.

This is trusted code, so it runs here, in the parent, with the same preamble the learner's cell has:
the cells of the master it needs. What it said is remembered, for a class asks the same cases again
and again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from dataclasses import dataclass
from functools import cache, lru_cache
from multiprocessing.util import Finalize
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from autograder.cell.check import introduced
from autograder.cell.course_folder import HOME, NoMaster
from autograder.cell.data import canonical, plain
from autograder.cell.numbers import pretending
from autograder.cell.question import Question, find
from autograder.cell.reply import ask, otherwise_said, quiet
from autograder.cell.verdict import STUMBLES, Verdict
from autograder.course.judge import Judge, WrongAnswer, judge_of, verdict_of
from autograder.course.masters import master
from autograder.course.references import references
from autograder.handed_in.assignment import Step, steps
from autograder.handed_in.needs import as_python


class Nowhere:
    """Stands for get_ipython() where there is no IPython: every magic is a word in the wind."""

    def __getattr__(self, name):
        return lambda *args, **options: None


def decided(question: Question, judge: Judge, case: dict, data, hidden: bool = False) -> Verdict:
    """The judge's own word on plain data: labs are played for it."""
    try:
        return verdict_of(
            question, judge, case, data, lambda wrong: said_by_wrong(question, wrong, case), hidden
        )
    except STUMBLES:
        # A judge that reads the data its own way may stumble over an answer of another shape.
        return Verdict(False, otherwise_said(judge.otherwise, case, judge.id, data))


def fails_nobody(question: Question, judge: Judge, case: dict) -> bool:
    """Whether every named wrong answer is right in this case, so that a right answer to it says
    nothing."""
    return all(
        "data" in (reply := reply_of_wrong(question, wrong, case))
        and decided(question, judge, case, reply["data"]).ok
        for wrong in judge.wrong_answers
    )


def said_by_wrong(question: Question, wrong: WrongAnswer, case: dict):
    """The data a named wrong answer gives to a case; None when it breaks."""
    return reply_of_wrong(question, wrong, case).get("data")


def reply_of_wrong(question: Question, wrong: WrongAnswer, case: dict) -> dict:
    """The reply of a named wrong answer: run, or as its author says
    where running it takes more than Python."""
    return (
        {"data": plain(wrong.says(case))}
        if wrong.says is not None
        else rehearsed_reply(question, wrong.source, case)
    )


def reply_of_reference(question: Question, case: dict) -> dict:
    """The reply of the right answer; of a Spark question the judge's truth,
    for here is no Spark."""
    if question.kind == "spark":
        return {"data": plain(judge_of(question.id).truth(case))}
    return rehearsed_reply(question, references(question.chapter)[question.id], case)


def rehearsed_reply(question: Question, source: str, case: dict) -> dict:
    """The reply (see reply.py) of an answer cell with this source to a case."""
    case = {name: value for name, value in case.items() if name not in question.scenery}
    place = place_of(question, case)
    sets = question.all_numbers()
    if not question.draws:
        return _said(question.id, source, canonical(sets[place]), canonical(dict(case)))
    if question.place_matters:
        return _said(
            question.id,
            source,
            canonical(question.same_for_all(sets[place])),
            canonical(dict(case)),
        )
    # One run answers for as many sets as there are draws: the neighbours in the list of sets are
    # asked about together.
    first = place - place % len(question.draws)
    numbers = {name: sets[(first + index) % len(sets)] for index, name in enumerate(question.draws)}
    asked = {**case, "of": question.draws[place - first]} if "of" in case else dict(case)
    return _said(question.id, source, canonical(numbers), canonical(asked))


def place_of(question: Question, case: dict) -> int:
    """Where a case's numbers stand in the list of sets; 0 where they do not."""
    return _places(question.id).get(
        canonical({name: case[name] for name in question.space if name in case}), 0
    )


def written_by(question: Question, source: str, numbers: dict) -> dict:
    """What an answer cell's names hold, as plain data, for a student with these numbers;
    NotPlain where that is a function."""
    namespace = namespace_of(question, source, numbers)
    return {name: plain(namespace[name]) for name in question.answers}


def namespace_of(question: Question, source: str, numbers: dict) -> dict:
    """The names after an answer cell with this source has run for a student with these numbers;
    what it raises comes through."""
    with _rehearsing(question.id, numbers):
        return _run(question, source)


@lru_cache(maxsize=256)
def _places(question_id: str) -> dict[str, int]:
    question = find(question_id)
    return {
        canonical({name: numbers[name] for name in question.space}): place
        for place, numbers in enumerate(question.all_numbers())
    }


@lru_cache(maxsize=65536)
def _said(question_id: str, source: str, numbers: str, case: str) -> dict:
    question = find(question_id)
    with _rehearsing(question_id, json.loads(numbers)):
        namespace = _namespace(question_id, source, numbers)
        return (
            ask(question, namespace, json.loads(case))
            if isinstance(namespace, dict)
            else namespace.reply
        )


@dataclass(frozen=True)
class Broken:
    """A run that ended in an error."""

    reply: dict


# a run can hold labs of 30 MB; more than 16 named answers no question has
@lru_cache(maxsize=16)
def _namespace(question_id: str, source: str, numbers: str) -> dict | Broken:
    """The names after a run. Kept for a while, for many cases are asked of one run; a function that
    keeps something from call to call must not be a reference."""
    try:
        return _run(find(question_id), source)
    except Exception as error:
        return Broken({"raised": type(error).__name__, "says": str(error)})


@contextmanager
def _rehearsing(question_id: str, numbers: dict) -> Iterator[None]:
    """Let cells run here for a student with these numbers, without a word. The learner stays who it
    was. The cells are in a course folder of this process's own, so what they write and read again
    is not what another process writes in the same moment."""
    folder = _folder_of(os.getpid())
    with pretending({question_id: numbers}), introduced(), quiet(), chdir(folder):
        yield


@cache
def _folder_of(pid: int) -> str:
    """The course folder of the process `pid`, which has to be this one: a forked process that
    knows its parent's makes another. It is removed when the process ends. Who kills
    a process gives it a place for temporary files, and removes that."""
    folder = mkdtemp(prefix="rehearsal-")
    # unlike the finalizers of `tempfile` this runs in a process of a pool, too
    Finalize(None, rmtree, (folder,), {"ignore_errors": True}, exitpriority=0)
    data = Path(folder, "data")
    (data / "generated").mkdir(parents=True)
    for path in (HOME / "data").glob("*"):
        if path.name != "generated":
            (data / path.name).symlink_to(path)
    return folder


def _run(question: Question, source: str) -> dict:
    try:
        answers = {**references(question.chapter), question.id: source}
        cells = steps(master(question.chapter), answers, only={question.id})
    except NoMaster:
        # the notebook is not built yet: the answer has to stand alone
        cells = [Step(source, question.id)]
    namespace = {
        "__name__": "__main__",
        "get_ipython": Nowhere,
        "display": lambda *things, **options: None,
    }
    for step in cells:
        exec(compile(as_python(step.source), "<answer>", "exec"), namespace)
    return namespace
