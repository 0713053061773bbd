"""Questions: what a learner may know about an exercise. The other half, the judge, lives in `autograder.judges`.

A question's *probe* runs beside the learner's code, in the notebook's kernel or in the sandbox. It looks at the names the
answer cell has defined and returns plain data (see plain.py). It never decides: a verdict spoken beside the learner's code
could be spoken by the learner's code.

Each chapter has one file, chNN.py, with a tuple QUESTIONS. Question 03.2 has grade_id `q-03-2` in its notebook, and the
locked cell that asks for it has `q-03-2-test`.
"""
from __future__ import annotations

import dis
import importlib
import itertools
import os
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from types import FunctionType, MappingProxyType

from autograder.plain import plain

KINDS = ("value", "function", "lines", "open")


@dataclass(frozen=True)
class Question:
    """One exercise.

    id            "03.2"; "03.open" for an open question
    title         what is asked, in a few words, for tables
    points        the most a learner can get
    kind          "value": names are read. "function": the learner's function is called. "lines": like value, for lists of
                  log lines. "open": a text in a markdown cell, read by a person
    answers       the names the answer cell defines
    space         per-student numbers: each name with the values it may take; empty when everybody gets the same question
    where         which combinations of `space` make sense (default: all)
    public_cases  inputs everybody may see, plain dicts; the key "case", if there, is the case's title
    probe         (namespace, case) -> plain data. Default: the values of `answers`, as a dict
    public_judge  (case, data) -> (ok, sentence), for an answer that is right by a property rather than by being equal to one
                  truth. It goes to learners, so it may only use facts they may know
    hints         two steps: where to look, then nearly how
    """

    id: str
    title: str
    points: float
    kind: str
    answers: tuple[str, ...] = ()
    space: Mapping[str, tuple] = field(default_factory=lambda: MappingProxyType({}))
    where: Callable[[dict], bool] | None = None
    public_cases: tuple[dict, ...] = ()
    probe: Callable[[Mapping, dict], object] | None = None
    public_judge: Callable[[dict, object], tuple[bool, str]] | None = None
    hints: tuple[str, ...] = ()

    def __post_init__(self):
        if not re.fullmatch(r"\d\d\.[A-Za-z0-9]+", self.id):
            raise ValueError(f"a question's id looks like 03.2 or 03.open, not {self.id!r}")
        if self.kind not in KINDS:
            raise ValueError(f"question {self.id}: kind is one of {', '.join(KINDS)}, not {self.kind!r}")

    @property
    def chapter(self) -> str:
        return self.id[:2]

    @property
    def grade_id(self) -> str:
        """nbgrader allows no dots in a grade_id."""
        return "q-" + self.id.replace(".", "-")

    def all_numbers(self) -> tuple[dict, ...]:
        """Every set of numbers a student may get, number 0 first; one empty set when the question has none."""
        return _all_numbers(self)

    def cases(self, numbers: Mapping) -> tuple[dict, ...]:
        """The cases a learner with these numbers is checked on, in the open."""
        own = (dict(numbers),) if self.space else ()
        return tuple(dict(case) for case in self.public_cases) + own or ({},)

    def run_probe(self, namespace: Mapping, case: Mapping):
        """What the learner's names say to one case, as plain data. Whatever the learner's code raises comes through."""
        probe = self.probe or self._read_names
        return plain(probe(namespace, dict(case)))

    def _read_names(self, namespace, case):
        return {name: namespace[name] for name in self.answers}

    def unanswered(self, namespace: Mapping) -> tuple[str, ...]:
        """The names the answer cell has not filled in: they are missing, still `...`, or functions with an empty body."""
        return tuple(name for name in self.answers if _is_blank(namespace.get(name, ...)))


def _is_blank(value) -> bool:
    """Still `...`, or a function that does nothing at all, whatever its docstring promises."""
    if type(value) is not FunctionType:
        return value is ...
    does = [(step.opname, step.argval) for step in dis.get_instructions(value) if step.opname not in ("RESUME", "NOP")]
    return does in ([("LOAD_CONST", None), ("RETURN_VALUE", None)], [("RETURN_CONST", None)])


@lru_cache(maxsize=None)
def _numbers_of(space: tuple, where) -> tuple[dict, ...]:
    names = [name for name, _ in space]
    sets = (dict(zip(names, values)) for values in itertools.product(*(choices for _, choices in space)))
    return tuple(numbers for numbers in sets if where is None or where(numbers))


def _all_numbers(question: Question) -> tuple[dict, ...]:
    found = _numbers_of(tuple((name, tuple(choices)) for name, choices in question.space.items()), question.where)
    if not found:
        raise ValueError(f"question {question.id}: no combination of its numbers passes `where`")
    return found


if os.environ.get("AUTOGRADER_COURSE"):                  # a course of your own, outside this package: see masters.py
    __path__.append(os.path.join(os.environ["AUTOGRADER_COURSE"], "questions"))


def chapters() -> tuple[str, ...]:
    """The chapters that have questions, as two digits each."""
    return tuple(sorted(name[2:] for _, name, _ in pkgutil.iter_modules(__path__) if re.fullmatch(r"ch\d\d", name)))


def of_chapter(chapter: str) -> tuple[Question, ...]:
    """The questions of one chapter, in its order; KeyError, with a sentence, when there is no such chapter."""
    if chapter not in chapters():
        raise KeyError(f"There are no questions for chapter {chapter!r}; there are some for {', '.join(chapters())}.")
    return tuple(importlib.import_module(f"{__name__}.ch{chapter}").QUESTIONS)


def find(question_id: str) -> Question:
    """The question with this id; KeyError, with a sentence, when there is none."""
    if not isinstance(question_id, str) or not re.match(r"\d\d\.", question_id):
        raise KeyError(f"A question's id looks like 03.2, not {question_id!r}.")
    for question in of_chapter(question_id[:2]):
        if question.id == question_id:
            return question
    known = ", ".join(question.id for question in of_chapter(question_id[:2]))
    raise KeyError(f"There is no question {question_id}; chapter {question_id[:2]} has {known}.")
