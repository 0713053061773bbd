"""Exports the marks as other systems read them: CSV, JSON, Canvas, Moodle, Gradescope; and totals.

    python -m autograder export OUT --as canvas > marks.csv
    python -m autograder export OUT --as moodle --scale 100 > marks.csv
    python -m autograder export OUT --as totals --weights 02=10,03=15 > course.csv

Moodle's own worksheet is filled by worksheet.py. CSV follows RFC 4180. A text that a spreadsheet
would take for a formula gets an apostrophe before it, so that a name like =HYPERLINK(...) is a
name; numbers are written as numbers. CSV and JSON have the outcome of each question and the id of
its misconception too (docs/results.md); the other systems have no place for them.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, repeat
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import NamedTuple

from autograder.cell.course_folder import chapter_number
from autograder.cell.outcome import Outcome
from autograder.cell.terminal import some_of
from autograder.gradebook.read import GradeCell, Sheet, sheets
from autograder.gradebook.students import class_of, names
from autograder.written.answers import counted_results, read_results

# the wide ones of Chinese and Japanese keyboards too
FORMULA_STARTS = ("=", "+", "-", "@", "\uff1d", "\uff0b", "\uff0d", "\uff20")


Verdicts = Mapping[tuple[str, str], Mapping[str, tuple[str, str]]]
"""(student, assignment) -> question -> (outcome, misconception)."""
NO_VERDICTS: Verdicts = MappingProxyType({})
Weights = Mapping[str, float]
"""What each chapter ("03") is worth in the course."""
NO_WEIGHTS: Weights = MappingProxyType({})
NOBODY: Mapping[str, tuple[str, ...]] = MappingProxyType({})
MOST_NAMES = 20


def export(
    out: Path,
    layout: str,
    say: Callable[[str], None] = lambda text: None,
    scale: float | None = None,
    weights: Weights = NO_WEIGHTS,
) -> str:
    """The marks of an OUT folder in one layout; `say` is told what is not final in them. `scale`:
    the points that each assignment is worth elsewhere; `weights`: what each chapter is worth in the
    course's total. Raises ValueError for a layout there is not, LookupError without marks."""
    if layout not in LAYOUTS:
        raise ValueError(
            f"There is no layout {layout!r}; there are {', '.join(LAYOUTS)}, and worksheet with"
            " --sheet."
        )
    if scale is not None and layout not in SCALED:
        raise ValueError(f"--scale goes with {', '.join(SCALED)}; {layout} has our own points.")
    if scale is not None and not 0 < scale <= 10_000:
        raise ValueError(f"--scale is a number of points above 0, such as 100, not {scale:g}.")
    if weights and layout != "totals":
        raise ValueError(f"--weights goes with totals; {layout} has no total of the course.")
    found = marked_sheets(out, say)
    if weights:
        _check_weights(
            weights, {name[:2] for sheet in found if (name := sheet.assignment)[:2].isdigit()}
        )
    verdicts = _verdicts(out, say) if layout in WITH_VERDICTS else NO_VERDICTS
    shown = found if scale is None else [_scaled(sheet, scale) for sheet in found]
    others = _without_marks(out, found)
    if layout == "totals":
        return _totals(shown, weights=weights, others=others)
    if others:
        told = some_of(list(others), MOST_NAMES)
        say(f"Not in this table, for nothing of theirs is graded: {told}.")
    return LAYOUTS[layout](shown, verdicts)


def _without_marks(out: Path, found: list[Sheet]) -> dict[str, tuple[str, ...]]:
    """(first name, last name, address) of those on the class list who have no mark at all."""
    marked = {sheet.student for sheet in found}
    return {
        student: tuple(said or "" for said in names(row))
        for student, row in class_of(out).rows.items()
        if student not in marked
    }


def marked_sheets(out: Path, say: Callable[[str], None] = lambda text: None) -> list[Sheet]:
    """All sheets of OUT; `say` is told of open answers that still wait. LookupError without
    marks."""
    found = list(sheets(out))
    if not found:
        raise LookupError(
            f"Nothing was graded into {out} yet; `python -m autograder grade DIR --out {out}` does "
            "that."
        )
    waits = sum(sheet.waits for sheet in found)
    if waits:
        say(
            f"{waits} of {len(found)} have an open answer that waits for a person: it counts 0 in "
            "this table, or what its earlier text got, until `python -m autograder review"
            f" {quote(str(out))}` has a mark for it."
        )
    return found


def parse_weights(text: str) -> Weights:
    """The weights in "02=10,03=15"; ValueError, with a sentence, for what is none."""
    found: dict[str, float] = {}
    for part in text.split(","):
        chapter, _, weight = part.partition("=")
        try:
            number, worth = chapter_number(chapter), float(weight)
        except ValueError:
            number, worth = "", -1.0
        if not 0 <= worth <= 10_000:
            raise ValueError(
                "--weights is written like 02=10,03=15, a chapter and a number from 0 on, not"
                f" {part.strip()!r}."
            )
        if number in found:
            raise ValueError(f"--weights names chapter {number} twice.")
        found[number] = worth
    if not any(found.values()):
        raise ValueError("--weights has only zeros, so there is nothing to add up.")
    return found


def _check_weights(weights: Weights, graded: set[str]) -> None:
    """Each graded chapter has a weight, and each weight a graded chapter."""
    without = sorted(graded - weights.keys())
    if without:
        raise ValueError(
            f"Chapter {' and '.join(without)} has marks and no weight; add {without[0]}=10, or"
            f" {without[0]}=0 to leave it out."
        )
    unused = sorted(weights.keys() - graded)
    if unused:
        raise ValueError(
            f"Chapter {' and '.join(unused)} has a weight and no marks yet; leave it out of"
            " --weights until it is graded."
        )


def safe(text: str) -> str:
    """A text that no spreadsheet runs."""
    return (
        "'" + text
        if text[:1] in ("\t", "\r", "\n") or text.lstrip().startswith(FORMULA_STARTS)
        else text
    )


def _verdicts(out: Path, say: Callable[[str], None]) -> Verdicts:
    try:
        results = read_results(out)
    except LookupError as why:
        say(f"The marks stand here without outcomes. {why}")
        return NO_VERDICTS
    return {
        who: {
            question: (cell["outcome"], cell["misconception"] or "")
            for question, cell in result["cells"].items()
        }
        for who, result in counted_results(results).items()
    }


def _verdict(sheet: Sheet, cell: GradeCell, verdicts: Verdicts) -> tuple[str, str]:
    """The outcome as it is now, and the misconception; "" for what is not known. Whether an
    open answer waits for a person the gradebook knows."""
    outcome, misconception = verdicts.get((sheet.student, sheet.assignment), {}).get(
        cell.question, ("", "")
    )
    if outcome in (Outcome.WAITING, Outcome.SETTLED):
        outcome = str(Outcome.WAITING if cell.waits else Outcome.SETTLED)
    return outcome, misconception


def _csv(found: list[Sheet], verdicts: Verdicts = NO_VERDICTS) -> str:
    """One row for each student and assignment, one column for each question's points; behind them
    one for each question's outcome, and one for its misconception."""
    questions = _once(cell.question for sheet in found for cell in sheet.cells)
    head = [
        *"student last_name first_name email assignment handed_in_utc score max".split(),
        *("late_penalty", "waits_for_a_person"),
        *questions,
        *(f"{question} outcome" for question in questions),
        *(f"{question} misconception" for question in questions),
    ]
    rows = (
        [
            *map(safe, (sheet.student, sheet.last_name, sheet.first_name, sheet.email)),
            *(sheet.assignment, sheet.handed_in),
            *map(_number, (sheet.score, sheet.max, sheet.late_penalty)),
            "yes" if sheet.waits else "no",
            *_marks(sheet, questions),
            *(outcome for outcome, _ in told),
            *(safe(misconception) for _, misconception in told),
        ]
        for sheet in found
        for told in (_in_columns(sheet, questions, verdicts),)
    )
    return as_csv(chain([head], rows))


def _in_columns(sheet: Sheet, questions: list[str], verdicts: Verdicts) -> list[tuple[str, str]]:
    own = {cell.question: _verdict(sheet, cell, verdicts) for cell in sheet.cells}
    return list(map(own.get, questions, repeat(("", ""))))


def _json(found: list[Sheet], verdicts: Verdicts = NO_VERDICTS) -> str:
    """A list with an object for each student and assignment, one a line."""
    lines = (json.dumps(_plain(sheet, verdicts), ensure_ascii=False) for sheet in found)
    return "[\n" + ",\n".join(lines) + "\n]\n"


def _plain(sheet: Sheet, verdicts: Verdicts) -> dict:
    cells = [
        {
            "question": cell.question,
            "score": cell.score,
            "max": cell.max,
            "by_hand": cell.by_hand,
            "waits": cell.waits,
            "comment": cell.comment,
            "outcome": outcome or None,
            "misconception": misconception or None,
        }
        for cell in sheet.cells
        for outcome, misconception in (_verdict(sheet, cell, verdicts),)
    ]
    return {
        "student": sheet.student,
        "first_name": sheet.first_name,
        "last_name": sheet.last_name,
        "email": sheet.email,
        "assignment": sheet.assignment,
        "handed_in": sheet.handed_in,
        "due": sheet.due,
        "seconds_late": sheet.seconds_late,
        "late_penalty": sheet.late_penalty,
        "cells": cells,
        "score": sheet.score,
        "max": sheet.max,
    }


def _totals(
    found: list[Sheet],
    verdicts: Verdicts = NO_VERDICTS,
    weights: Weights = NO_WEIGHTS,
    others: Mapping[str, tuple[str, ...]] = NOBODY,
) -> str:
    """A row for each student, a column for each chapter, and the course's total: a chapter without
    a result counts 0 of its points. `others` of the class list have no result at all. With weights
    there is a second total beside it: the share of each chapter's points times its weight."""
    most = {sheet.assignment: sheet.max for sheet in found}
    head = ["student", "last_name", "first_name", "email", *most, "total", "max", "percent"]
    if weights:
        head += ["weighted", "weights", "weighted_percent"]
    rows = []
    everybody: dict[str, tuple[str, ...]] = {
        **{sheet.student: (sheet.first_name, sheet.last_name, sheet.email) for sheet in found},
        **others,
    }
    own = _by_student(found)
    for student in sorted(everybody):
        first_name, last_name, email = everybody[student]
        marks = {sheet.assignment: sheet.score for sheet in own.get(student, ())}
        row = [
            *map(safe, (student, last_name, first_name, email)),
            *(_number(marks[name]) if name in marks else "" for name in most),
            *_sum(sum(marks.values()), sum(most.values())),
        ]
        if weights:
            earned = sum(
                weights.get(name[:2], 0) * score / most[name]
                for name, score in marks.items()
                if most[name]
            )
            row += _sum(earned, sum(weights.values()))
        rows.append(row)
    return as_csv([head, *rows])


def _sum(total: float, most: float) -> tuple[str, str, str]:
    """A total, what was to be had, and the percentage."""
    share = _number(round(100 * total / most, 1)) if most else ""
    return _number(round(total, 4)), _number(most), share


def _scaled(sheet: Sheet, most: float) -> Points:
    """A sheet's total as points out of `most`."""
    score = round(sheet.score * most / sheet.max, 2) if sheet.max else 0.0
    who = sheet.student, sheet.first_name, sheet.last_name, sheet.email
    return Points(*who, sheet.assignment, score, most)


class Points(NamedTuple):
    """What `canvas`, `moodle` and `totals` read of a sheet."""

    student: str
    first_name: str
    last_name: str
    email: str
    assignment: str
    score: float
    max: float


def _canvas(found: list[Sheet], verdicts: Verdicts = NO_VERDICTS) -> str:
    """Canvas's gradebook import: a row a student, a column an assignment,
    the points possible in the second row."""
    names = _once(sheet.assignment for sheet in found)
    points = {sheet.assignment: sheet.max for sheet in found}
    head = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", *names]
    rows = [["    Points Possible", "", "", "", "", *(_number(points[name]) for name in names)]]
    for own in _by_student(found).values():
        first, marks = own[0], {sheet.assignment: _number(sheet.score) for sheet in own}
        name = ", ".join(filter(None, (first.last_name, first.first_name))) or first.student
        rows.append(
            [
                *(safe(name), "", safe(first.student), safe(first.email or first.student), ""),
                *(marks.get(each, "") for each in names),
            ]
        )
    return as_csv([head, *rows])


def _moodle(found: list[Sheet], verdicts: Verdicts = NO_VERDICTS) -> str:
    """Moodle's grade import: students are told apart by their ID number or e-mail address,
    each grade item is a column."""
    names = _once(sheet.assignment for sheet in found)
    rows = []
    for own in _by_student(found).values():
        first, marks = own[0], {sheet.assignment: _number(sheet.score) for sheet in own}
        rows.append(
            [
                *map(safe, (first.first_name, first.last_name, first.student, first.email)),
                *(marks.get(each, "") for each in names),
            ]
        )
    return as_csv([["First name", "Last name", "ID number", "Email address", *names], *rows])


def _gradescope(found: list[Sheet], verdicts: Verdicts = NO_VERDICTS) -> str:
    """Gradescope's table of one assignment after another:
    a row a submission, a column a question with its points."""
    questions = {cell.question: cell.max for sheet in found for cell in sheet.cells}
    head = [
        *("First Name", "Last Name", "SID", "Email", "Assignment"),
        *("Total Score", "Max Points", "Status", "Submission Time"),
        *(f"{question} ({_number(most)} pts)" for question, most in questions.items()),
    ]
    rows = (
        [
            *map(safe, (sheet.first_name, sheet.last_name, sheet.student, sheet.email)),
            sheet.assignment,
            _number(sheet.score),
            _number(sheet.max),
            "Ungraded" if sheet.waits else "Graded",
            sheet.handed_in and sheet.handed_in + " +0000",
            *_marks(sheet, questions),
        ]
        for sheet in found
    )
    return as_csv(chain([head], rows))


def _marks(sheet: Sheet, questions: Iterable[str]) -> Iterator[str]:
    """A sheet's marks in these columns, empty where it has no such question:
    most of them, in a course of a dozen chapters."""
    own = {cell.question: _number(cell.score) for cell in sheet.cells}
    return map(own.get, questions, repeat(""))


WITH_VERDICTS = ("csv", "json")
LAYOUTS: Mapping[str, Callable[..., str]] = MappingProxyType(
    {
        "csv": _csv,
        "json": _json,
        "canvas": _canvas,
        "moodle": _moodle,
        "gradescope": _gradescope,
        "totals": _totals,
    }
)
SCALED = ("canvas", "moodle", "totals")


def as_csv(rows: Iterable[list]) -> str:
    """RFC 4180: CRLF at each line's end, quotes where needed."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\r\n").writerows(rows)
    return text.getvalue()


def _number(value: float) -> str:
    return f"{value:g}"


def _once(values: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(values))


def _by_student(found: list[Sheet]) -> dict[str, list[Sheet]]:
    own: dict[str, list[Sheet]] = {}
    for sheet in found:
        own.setdefault(sheet.student, []).append(sheet)
    return own
