"""Rebuild a submission from its master: the learner's answers, in the teacher's notebook. Then
`steps` lays out what has to run for the answers to be asked.

Only what a learner may write is taken (answers.py finds it): the sources of the answer cells, and
cells they added that an answer needs. Points, locked cells, outputs and whatever else the file says
are the master's.
"""

from __future__ import annotations

from dataclasses import dataclass

from autograder.course.masters import Master
from autograder.handed_in.answers import (
    Extra,
    Taken,
    chapter_of,
    course_key_of,
    grade_id_of,
    is_student,
    student_of,
    take_answers,
)
from autograder.handed_in.needs import names_of, needed

__all__ = [
    "Extra",
    "Step",
    "Taken",
    "chapter_of",
    "course_key_of",
    "grade_id_of",
    "is_student",
    "rebuild",
    "steps",
    "student_of",
    "take_answers",
]


@dataclass(frozen=True)
class Step:
    """One cell to run. After an answer cell its question is probed."""

    source: str
    question: str | None = None
    spark: bool = False


@dataclass(frozen=True)
class _Place:
    """A cell in the order of running: one of the master's, or one the learner added."""

    source: str
    question: str | None
    kind: str  # as in masters.MasterCell, or "extra"
    spark: bool
    after: int  # the master's cell it is, or comes after


def rebuild(master: Master, answers: dict[str, str], extras: tuple[Extra, ...] = ()) -> dict:
    """The master as a notebook dict with these answers in it ({question id: source}); it has no
    outputs. Of the cells a learner added it keeps those an answer needs, each at its place."""
    notebook = master.notebook()
    for cell in master.cells:
        if cell.question in answers:
            notebook["cells"][cell.index]["source"] = answers[cell.question]
    used = (
        [place for place in _run(master, answers, extras, None) if place.kind == "extra"]
        if extras
        else []
    )
    for number, place in reversed(list(enumerate(used))):
        cell = {
            "cell_type": "code",
            "id": f"added-{number}",
            "metadata": {},
            "source": place.source,
            "execution_count": None,
            "outputs": [],
        }
        notebook["cells"].insert(place.after + 1, cell)
    return notebook


def steps(
    master: Master,
    answers: dict[str, str],
    only: set[str] | None = None,
    extras: tuple[Extra, ...] = (),
) -> list[Step]:
    """The cells to run for these answers, in the notebook's order; `only` some questions if given.

    An answer that is missing keeps the master's blank cell.
    """
    return [
        Step(place.source, place.question, place.spark)
        for place in _run(master, answers, extras, only)
    ]


def _is_blank(cell, source: str) -> bool:
    """An answer nobody has written: it needs no Spark, whatever it asks for."""
    return cell.kind == "answer" and source.strip() == cell.source.strip()


def _run(master: Master, answers, extras, only) -> list[_Place]:
    places = [
        _Place(
            source, cell.question, cell.kind, cell.spark and not _is_blank(cell, source), cell.index
        )
        for cell in master.cells
        if cell.kind in ("code", "answer")
        for source in [answers.get(cell.question, cell.source) if cell.question else cell.source]
    ]
    targets = {
        place.question
        for place in places
        if place.kind == "answer" and place.question and (only is None or place.question in only)
    }
    own = frozenset().union(*(names_of(place.source).binds for place in places))
    places += [_Place(extra.source, None, "extra", False, extra.after) for extra in extras]
    places.sort(key=lambda place: (place.after, place.kind == "extra"))
    sources = [place.source for place in places]
    added = frozenset(index for index, place in enumerate(places) if place.kind == "extra")
    aims = [index for index, place in enumerate(places) if place.question in targets]
    wanted = set(aims).union(*(needed(sources, aim, added, own) for aim in aims))
    return [
        place if index in aims else _Place(place.source, None, place.kind, place.spark, place.after)
        for index, place in enumerate(places)
        if index in wanted
    ]
