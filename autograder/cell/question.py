"""Questions: what a learner may know about an exercise. The other half, the judge, lives in
`autograder.course.judge`.

A question's *probe* runs beside the learner's code, in the notebook's kernel or in the sandbox. It
looks at the names the answer cell has defined and returns plain data (see data.py). It never
decides: a verdict spoken beside the learner's code could be spoken by the learner's code.

Each chapter has one file, chNN.py, with a tuple QUESTIONS. Question 03.2 has grade_id `q-03-2` in
its notebook, and the locked cell that asks for it has `q-03-2-test`. What kinds of questions there
are, kinds.py shows on one page.
"""

from __future__ import annotations

import dis
import importlib
import itertools
import pkgutil
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from types import FunctionType, MappingProxyType

from autograder.cell import questions
from autograder.cell.data import NotAsAsked, as_builtin, plain

KINDS = ("value", "function", "lines", "machine", "spark", "open")
MOST_TRIES = 10_000  # to find draws that make sense together


@dataclass(frozen=True)
class Question:
    """One exercise.

    id            "03.2"; "03.open" for an open question
    title         what is asked, in a few words, for tables
    points        the most a learner can get
    kind          one of KINDS; the classes in kinds.py say what each asks for
    answers       the names the answer cell defines
    space         per-student numbers: each name with the values it may take; empty when everybody
                  gets the same question
    where         which combinations of `space` make sense (default: all)
    scenery       {name: n}: numbers from 0 to n - 1, drawn besides, that change what is shown and
                  not what is right: the seed of a lab, so that no two students read the same log.
                  Nothing is sealed for them
    draws         ("A", "B", "C"): a student gets so many different sets of numbers, under these
                  names, and answers for each. Three draws from sixty sets are 205,320 exercises,
                  and only sixty have to be sealed
    together      which draws make sense beside each other: list of sets -> bool (default: all)
    row           what one draw is called before its name in sentences: "cluster" A
    place_matters the name of a draw is part of what is asked; else the same numbers have the same
    answer in any place
    show          what `numbers()` gives the learner, made from the numbers; a log, for instance
                  (default: the numbers)
    first_only    a check tells the first case that fails, not all: for questions with dozens of
                  cases
    public_cases  inputs everybody may see, plain dicts; the key "case", if there, is the case's
                  title
    probe         (namespace, case) -> plain data. Default: the values of `answers`, as a dict
    public_judge  (case, data) -> (ok, sentence), for an answer that is right by a property rather
                  than by being equal to one truth; None for a case that has a truth. It goes to
                  learners, so it may only use facts they may know
    hints         two steps: where to look, then nearly how
    """

    id: str
    title: str
    points: float
    kind: str
    answers: tuple[str, ...] = ()
    space: Mapping[str, tuple] = field(default_factory=lambda: MappingProxyType({}))
    where: Callable[[dict], bool] | None = None
    scenery: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    draws: tuple[str, ...] = ()
    together: Callable[[list], bool] | None = None
    row: str = "cluster"
    place_matters: bool = False
    show: Callable[[Mapping], object] | None = None
    first_only: bool = False
    public_cases: tuple[dict, ...] = ()
    probe: Callable[[Mapping, dict], object] | None = None
    public_judge: Callable[[dict, object], tuple[bool, str]] | None = None
    hints: tuple[str, ...] = ()

    def __post_init__(self):
        if not re.fullmatch(r"\d\d\.[A-Za-z0-9]+", self.id):
            raise ValueError(f"a question's id looks like 03.2 or 03.open, not {self.id!r}")
        if self.kind not in KINDS:
            raise ValueError(
                f"question {self.id}: kind is one of {', '.join(KINDS)}, not {self.kind!r}"
            )
        if self.scenery and (self.draws or not self.space):
            raise ValueError(
                f"question {self.id}: scenery goes with one set of numbers; several draws are "
                "different enough"
            )

    @property
    def chapter(self) -> str:
        return self.id[:2]

    @property
    def grade_id(self) -> str:
        """nbgrader allows no dots in a grade_id."""
        return "q-" + self.id.replace(".", "-")

    def all_numbers(self) -> tuple[dict, ...]:
        """Every set of numbers a student may get, number 0 first, its scenery all 0;
        one empty set when the question has none."""
        return _all_numbers(self)

    def drawn(self, draw: Callable[[str, int], int]) -> dict:
        """A student's numbers. draw(purpose, n) picks one of n; the same purpose, the same pick."""
        sets = self.all_numbers()
        if not self.draws:
            return {
                **sets[draw("", len(sets))],
                **{name: draw(f" {name}", most) for name, most in self.scenery.items()},
            }
        for attempt in range(MOST_TRIES):
            left, found = list(range(len(sets))), []
            for name in self.draws:
                found.append(
                    sets[left.pop(draw(f" {name}" + f" {attempt}" * bool(attempt), len(left)))]
                )
            if self.together is None or self.together(found):
                return {name: dict(numbers) for name, numbers in zip(self.draws, found)}
        raise ValueError(f"question {self.id}: no draws of its numbers make sense together")

    def same_for_all(self, numbers: Mapping) -> dict:
        """A student's numbers in which every draw is this set:
        what a rehearsal needs to hear one case."""
        return {name: dict(numbers) for name in self.draws} if self.draws else dict(numbers)

    def cases(self, numbers: Mapping) -> tuple[dict, ...]:
        """The cases a learner with these numbers is checked on, in the open."""
        own = (dict(numbers),) if self.space else ()
        if self.draws:
            own = tuple(
                {"case": f"{self.row} {name}".strip(), "of": name, **numbers[name]}
                for name in self.draws
            )
        return tuple(dict(case) for case in self.public_cases) + own or ({},)

    def sealed_form(self, case: Mapping) -> dict:
        """A case without its title, its place and its scenery:
        what decides whether an answer is right."""
        return {
            key: value
            for key, value in case.items()
            if key != "case" and key not in self.scenery and (key != "of" or self.place_matters)
        }

    def shown(self, numbers: Mapping):
        """What a learner sees of their numbers."""
        return self.show(numbers) if self.show else numbers

    def run_probe(self, namespace: Mapping, case: Mapping):
        """What the learner's names say to one case, as plain data.
        Whatever the learner's code raises comes through."""
        probe = self.probe or self._read_names
        return plain(probe(namespace, dict(case)))

    def _read_names(self, namespace, case):
        if "of" not in case:
            return {name: namespace[name] for name in self.answers}
        return {name: self._one_of(name, namespace[name], case["of"]) for name in self.answers}

    def _one_of(self, name: str, value, of: str):
        """The entry of an answer that has one for each draw:
        a dict by the draws' names, or a list in their order."""
        if type(value) in (Counter, defaultdict):
            value = {of: value[of]}  # 0 of what never came
        value = as_builtin(value)
        if type(value) is dict and of in value:
            return value[of]
        if type(value) in (list, tuple) and len(value) == len(self.draws):
            return value[self.draws.index(of)]
        if type(value) in (list, tuple):
            raise NotAsAsked(
                f"`{name}` has {len(value)} entries where {len(self.draws)} were asked for"
            )
        if type(value) is dict:
            raise NotAsAsked(f"`{name}` has no entry for {of}")
        raise NotAsAsked(
            f"`{name}` needs an entry for each of {', '.join(self.draws)}; it has the type "
            f"{type(value).__name__}"
        )

    def unwritten(self, namespace: Mapping, case: Mapping) -> tuple[str, ...]:
        """The names whose entry for this case is still `...`; () for a case without entries."""
        of = case.get("of")
        if of is None or self.probe:
            return ()
        return tuple(
            name
            for name in self.answers
            if (value := namespace.get(name, ...)) is ... or self._one_of(name, value, of) is ...
        )

    def unanswered(self, namespace: Mapping) -> tuple[str, ...]:
        """The names the answer cell has not filled in: they are missing, still `...`,
        or functions with an empty body."""
        return tuple(name for name in self.answers if _is_blank(namespace.get(name, ...)))


def _is_blank(value) -> bool:
    """Still `...`, or full of them, or a function that does nothing at all,
    whatever its docstring promises."""
    if type(value) is dict:
        return bool(value) and all(each is ... for each in value.values())
    if type(value) is list:
        return bool(value) and all(each is ... for each in value)
    if type(value) is not FunctionType:
        return value is ...
    does = [
        (step.opname, step.argval)
        for step in dis.get_instructions(value)
        if step.opname not in ("RESUME", "NOP")
    ]
    return does in ([("LOAD_CONST", None), ("RETURN_VALUE", None)], [("RETURN_CONST", None)])


@cache
def _numbers_of(space: tuple, where, scenery: tuple) -> tuple[dict, ...]:
    names = [name for name, _ in space]
    sets = (
        dict(zip(names, values)) for values in itertools.product(*(choices for _, choices in space))
    )
    return tuple(
        {**numbers, **dict.fromkeys(scenery, 0)}
        for numbers in sets
        if where is None or where(numbers)
    )


def _all_numbers(question: Question) -> tuple[dict, ...]:
    found = _numbers_of(
        tuple((name, tuple(choices)) for name, choices in question.space.items()),
        question.where,
        tuple(question.scenery),
    )
    if not found:
        raise ValueError(f"question {question.id}: no combination of its numbers passes `where`")
    return found


def asked_chapters() -> tuple[str, ...]:
    """The chapters that have questions, as two digits each."""
    return tuple(
        sorted(
            name[2:]
            for _, name, _ in pkgutil.iter_modules(questions.__path__)
            if re.fullmatch(r"ch\d\d", name)
        )
    )


def of_chapter(chapter: str) -> tuple[Question, ...]:
    """The questions of one chapter, in its order; KeyError, with a sentence,
    when there is no such chapter."""
    name = f"{questions.__name__}.ch{chapter}"
    # a caller that asks for one question after the other looks into the folder once
    if name not in sys.modules and chapter not in asked_chapters():
        raise KeyError(
            f"There are no questions for chapter {chapter!r}; there are some for "
            f"{', '.join(asked_chapters())}."
        )
    return tuple(importlib.import_module(name).QUESTIONS)


def by_number(question_id: str) -> tuple[str, int, str]:
    """The place of a question's id among others: 02.10 comes after 02.9, words after numbers."""
    chapter, _, rest = question_id.partition(".")
    return (chapter, int(rest), "") if rest.isdecimal() else (chapter, sys.maxsize, rest)


def find(question_id: str) -> Question:
    """The question with this id; KeyError, with a sentence, when there is none."""
    if not isinstance(question_id, str) or not re.match(r"\d\d\.", question_id):
        raise KeyError(f"A question's id looks like 03.2, not {question_id!r}.")
    for question in of_chapter(question_id[:2]):
        if question.id == question_id:
            return question
    known = ", ".join(question.id for question in of_chapter(question_id[:2]))
    raise KeyError(f"There is no question {question_id}; chapter {question_id[:2]} has {known}.")
