"""Sets the dates and extensions of a whole term from one list.

    python -m autograder due OUT --list dates.csv

The list has the columns `chapter` and `until`, and `student` where a line is an extension. It is
read and checked as a whole before anything is set.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from autograder.cell.course_folder import NoMaster, chapter_number
from autograder.course.masters import master
from autograder.gradebook import late
from autograder.gradebook.late import (
    due_dates,
    moment_text,
    parse_moment,
    settle_penalties,
    write_due,
)
from autograder.gradebook.students import class_of
from autograder.handed_in.classlist import Roster, table_in

COLUMNS = ("chapter", "until", "student")
MOST_TOLD = 5


@dataclass(frozen=True)
class DueLine:
    """One line of the list: a chapter's date, or the extension of one student."""

    number: int
    assignment: str
    until: datetime
    student: str | None


def set_due_list(out: Path, path: Path) -> str:
    """Set everything that the list says; returns what was done, in a sentence. ValueError, with
    the numbers of the lines, where a line cannot be set: then nothing is."""
    lines, wrong = _read(path, class_of(out))
    wrong += _too_early(lines, due_dates(out))
    if wrong:
        more = f"; and {len(wrong) - MOST_TOLD} more" if len(wrong) > MOST_TOLD else ""
        told = "; ".join(f"line {number} {why}" for number, why in sorted(wrong)[:MOST_TOLD])
        raise ValueError(f"Nothing was set. {path.name}: {told}{more}.")
    if not lines:
        raise ValueError(f"{path.name} has no line below its heading, so there is nothing to set.")
    # an extension wants its chapter's date before it
    for line in sorted(lines, key=lambda each: each.student is not None):
        write_due(out, line.assignment, line.until, line.student)
    fell: list[str] = []
    changed = settle_penalties(out, fell.append)
    chapters = [line for line in lines if line.student is None]
    longer = {line.student for line in lines if line.student is not None}
    extended = len(lines) - len(chapters)
    done = (
        f"{len(chapters)} date{'' if len(chapters) == 1 else 's'} and {extended}"
        f" extension{'' if extended == 1 else 's'}"
        f"{f' of {len(longer)} student' + ('' if len(longer) == 1 else 's') if longer else ''}"
        f" are set; {late.policy()}. Penalties changed: {changed}."
    )
    return "\n".join((done, *fell))


def _read(path: Path, listed: Roster) -> tuple[list[DueLine], list[tuple[int, str]]]:
    """(the lines that can be understood, what is wrong with the others by number)."""
    table = table_in(path)
    columns = [name.strip().lower() for name in table[0]] if table else []
    missing = [name for name in COLUMNS[:2] if name not in columns]
    if missing:
        raise ValueError(
            f"{path.name} has no column {' and no column '.join(missing)}; it needs chapter and"
            " until, and student for extensions."
        )
    lines, wrong, seen = [], [], {}
    for number, row in enumerate(table[1:], 2):
        if not any(cell.strip() for cell in row):
            continue
        said = dict(zip(columns, map(str.strip, row)))
        try:
            line = _line(number, said, listed)
        except (ValueError, NoMaster) as why:
            wrong.append((number, f"cannot be set: {str(why).rstrip('.')}"))
            continue
        first = seen.setdefault((line.assignment, line.student), number)
        if first != number:
            wrong.append((number, f"sets the same date as line {first}"))
        lines.append(line)
    return lines, wrong


def _line(number: int, said: dict[str, str], listed: Roster) -> DueLine:
    until = parse_moment(said.get("until", ""))
    if until is None:
        raise ValueError("a date is taken away with `due OUT NN none`, and not by a list")
    student = said.get("student") or None
    if student and listed.rows:
        known = listed.spelled(student)
        if known is None:
            raise ValueError(f"{student} is not on the class list")
        student = known
    assignment = master(chapter_number(said.get("chapter", ""))).name
    return DueLine(number, assignment, until, student)


def _too_early(lines: list[DueLine], kept: dict[str, datetime]) -> Iterator[tuple[int, str]]:
    """The extensions of chapters without a date, and those that end before their chapter's."""
    due = {name: date.replace(tzinfo=UTC) for name, date in kept.items()}
    due |= {line.assignment: line.until for line in lines if line.student is None}
    for line in lines:
        if line.student is None:
            continue
        if line.assignment not in due:
            yield line.number, f"extends {line.assignment[:2]}, which has no date yet"
        elif line.until < due[line.assignment]:
            yield (
                line.number,
                f"ends before {line.assignment[:2]} is due, at {moment_text(due[line.assignment])}",
            )
