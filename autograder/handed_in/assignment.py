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
from autograder.handed_in.needs import needed, starts_spark, tools_apart

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
    """One cell to run. After an answer cell its question is probed. `spark`: it needs Spark, or
    what a cell above has made with Spark. `long`: it may play labs in a loop."""

    source: str
    question: str | None = None
    spark: bool = False
    given: int | None = None  # the index of a cell that the learner did not write
    long: bool = False


@dataclass(frozen=True)
class _Place:
    """A cell in the order of running: one of the master's, or one the learner added."""

    source: str
    question: str | None
    kind: str  # as in masters.MasterCell, or "extra"
    spark: bool
    after: int  # the master's cell it is, or comes after
    long: bool = False


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
        Step(
            place.source,
            place.question,
            place.spark,
            place.after if place.kind == "code" else None,
            place.long,
        )
        for place in _run(master, answers, extras, only)
    ]


def needed_given(
    master: Master, answers: dict[str, str], question: str, extras: tuple[Extra, ...] = ()
) -> tuple[int, ...]:
    """The given cells, by their index, that an answer needs and that need nothing a learner
    wrote: where one of them fails, it is not the learner's mistake."""
    places = _run(master, answers, extras, {question})
    sources = [place.source for place in places]
    given = _given(places)
    alone = (
        place.after
        for index, place in enumerate(places)
        if place.kind == "code" and needed(sources, index, given) <= given
    )
    return tuple(dict.fromkeys(alone))


def _is_blank(cell, source: str) -> bool:
    """An answer nobody has written: it needs no Spark, whatever it asks for."""
    return cell.kind == "answer" and source.strip() == cell.source.strip()


def _given(places: list[_Place]) -> set[int]:
    return {index for index, place in enumerate(places) if place.kind == "code"}


def _run(master: Master, answers, extras, only) -> list[_Place]:
    places = [
        _Place(
            source,
            cell.question,
            cell.kind,
            cell.spark and not _is_blank(cell, source),
            cell.index,
            cell.long,
        )
        for cell in master.cells
        if cell.kind in ("code", "answer")
        for source in (
            [answers.get(cell.question, cell.source)] if cell.question else tools_apart(cell.source)
        )
    ]
    targets = {
        place.question
        for place in places
        if place.kind == "answer" and place.question and (only is None or place.question in only)
    }
    places += [_Place(extra.source, None, "extra", False, extra.after) for extra in extras]
    places.sort(key=lambda place: (place.after, place.kind == "extra"))
    sources = [place.source for place in places]
    aims = [index for index, place in enumerate(places) if place.question in targets]
    given = _given(places)
    wanted = set(aims).union(*(needed(sources, aim, given) for aim in aims))
    beside_spark: set[int] = set()
    for index in sorted(wanted):
        own_work = places[index].spark or starts_spark(sources[index])
        if own_work or (beside_spark and beside_spark & needed(sources, index, given)):
            beside_spark.add(index)
    return [
        _Place(
            place.source,
            place.question if index in aims else None,
            place.kind,
            index in beside_spark,
            place.after,
            place.long,
        )
        for index, place in enumerate(places)
        if index in wanted
    ]
