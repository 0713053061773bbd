"""Really run an answer the teacher wrote, a reference or a named wrong answer, and hear what it says to a case.

This is trusted code, so it runs here, in the parent, with the same preamble the learner's cell has: the cells of the
master it needs. What it said is remembered, for a class asks the same cases again and again.
"""
from __future__ import annotations

import json
from functools import lru_cache

from autograder import judges, variants
from autograder.asking import ask, quiet
from autograder.assignment import Step, steps
from autograder.masters import NoMaster, master
from autograder.needs import as_python
from autograder.plain import canonical
from autograder.questions import Question, find, sealed_form
from autograder.references import references


class Nowhere:
    """Stands for get_ipython() where there is no IPython: every magic is a word in the wind."""

    def __getattr__(self, name):
        return lambda *args, **options: None


def said_by_wrong(question: Question, wrong: judges.WrongAnswer, case: dict):
    """The data a named wrong answer gives to a case; None when it breaks."""
    return said(question, wrong.source, case).get("data")


def said(question: Question, source: str, case: dict) -> dict:
    """The reply (see asking.py) of an answer cell with this source to a case."""
    own = sealed_form(case)
    numbers = question.same_for_all(own if canonical(own) in _own_cases(question.id) else question.all_numbers()[0])
    return _said(question.id, source, canonical(numbers), canonical(dict(case)))


@lru_cache(maxsize=256)
def _own_cases(question_id: str) -> frozenset[str]:
    return frozenset(canonical(numbers) for numbers in find(question_id).all_numbers())


@lru_cache(maxsize=65536)
def _said(question_id: str, source: str, numbers: str, case: str) -> dict:
    question = find(question_id)
    with variants.pretending({question_id: json.loads(numbers)}), quiet():
        try:
            namespace = _run(question, source)
        except Exception as error:
            return {"raised": type(error).__name__, "says": str(error)}
        return ask(question, namespace, json.loads(case))


def _run(question: Question, source: str) -> dict:
    try:
        answers = {**references(question.chapter), question.id: source}
        cells = steps(master(question.chapter), answers, only={question.id})
    except NoMaster:                                     # the notebook is not built yet: the answer has to stand alone
        cells = [Step(source, question.id)]
    namespace = {"__name__": "__main__", "get_ipython": Nowhere, "display": lambda *things, **options: None}
    for step in cells:
        exec(compile(as_python(step.source), "<answer>", "exec"), namespace)
    return namespace
