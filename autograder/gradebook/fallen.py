"""Names every mark that is lower than it was: whose, both numbers and the reason."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from autograder.gradebook.database import NAME, has_table, reading
from autograder.gradebook.files import write_atomically
from autograder.gradebook.read import Sheet, sheets

Who = tuple[str, str]
"""A student and an assignment."""


class MarkBefore(NamedTuple):
    """A mark as it was: after the penalty, the penalty, and the points of each question."""

    score: float
    penalty: float
    points: dict[str, float]


def given_by(sheet: Sheet) -> MarkBefore:
    """The mark of a sheet."""
    return MarkBefore(
        sheet.score, sheet.late_penalty, {cell.question: cell.score for cell in sheet.cells}
    )


def marks_before(out: Path, unfinished: Path) -> dict[Who, MarkBefore]:
    """The marks of OUT before a run, which are kept in `unfinished` until it ends: a run that was
    killed has changed some, and the next one must know what they were."""
    try:
        rows = json.loads(unfinished.read_text(encoding="utf-8"))
        return {(student, assignment): MarkBefore(*given) for student, assignment, *given in rows}
    except (OSError, ValueError, TypeError):
        found = {sheet.who: given_by(sheet) for sheet in _sheets(out)}
    write_atomically(unfinished, json.dumps([[*who, *given] for who, given in found.items()]))
    return found


def fallen_in(
    out: Path,
    before: Mapping[Who, MarkBefore],
    counted: Mapping[Who, str],
    counts: Mapping[Who, str],
) -> Iterator[str]:
    """A sentence for each mark of OUT that is lower than before. `counted` and `counts`: the file
    that counted before, and the one that counts."""
    return fallen(before, _sheets(out), counted, counts)


def fallen(
    before: Mapping[Who, MarkBefore],
    after: Iterable[Sheet],
    counted: Mapping[Who, str] = {},
    counts: Mapping[Who, str] = {},
) -> Iterator[str]:
    """A sentence for each of these sheets whose mark is lower than before."""
    for sheet in after:
        old = before.get(sheet.who)
        if old is None or sheet.score > old.score - 1e-6:
            continue
        now = counts.get(sheet.who, "")
        why = "; ".join(_reasons(old, sheet, counted.get(sheet.who, now), now))
        yield (
            f"The mark of {sheet.student} in {sheet.assignment} falls from {old.score:g} to"
            f" {sheet.score:g}: {why}."
        )


def _sheets(out: Path) -> Iterator[Sheet]:
    if (out / NAME).is_file():
        with reading(out) as book:
            made = has_table(book, "submitted_notebook")
        if made:
            yield from sheets(out)


def _reasons(old: MarkBefore, new: Sheet, counted: str, counts: str) -> Iterator[str]:
    if counted != counts:
        yield f"{counts} counts now, and {counted} counted before"
    less = [
        f"{cell.question} has {cell.score:g} of {cell.max:g} and had {old.points[cell.question]:g}"
        + ", for it waits for a person now" * cell.waits
        for cell in new.cells
        if cell.score < old.points.get(cell.question, 0.0) - 1e-6
    ]
    if less:
        yield " and ".join(less)
    if new.late_penalty > old.penalty + 1e-6:
        yield (
            f"{new.late_penalty:g} points are taken off, for it came at {new.handed_in[:16]} and"
            f" was due at {new.due[:16]} (UTC)"
        )
