"""Being late: when a chapter was due, for whom longer, and what it costs.

Due dates and extensions are nbgrader's (in gradebook.db; formgrader and `python -m autograder due`
set them). The penalty is a grade below zero, so that formgrader shows the mark that counts; what
nbgrader calls a penalty formgrader leaves out. The moment of handing in is our receipt's, never a
file of the student's. The policy is set in the course's nbgrader_config.py:

    c.LatePenalty.per_day = 0.10          # of the points earned, for each day begun
    c.LatePenalty.cap = 0.50              # never more than this share
    c.LatePenalty.grace_minutes = 15      # this late is not late
    c.LatePenalty.counts = "better"       # which of a student's files: see COUNTS
    c.LatePenalty.zone = "Europe/Berlin"  # of times that are written without one

A penalty is a share of what was earned, so it is worked out again whenever a mark changes: `settle`
does that, and costs one query where nobody is late.
"""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from autograder.cell.course_folder import notebooks
from autograder.course.masters import master
from autograder.gradebook.database import (
    NAME,
    changing,
    has_table,
    moment_of,
    reading,
    text_of_moment,
    text_of_span,
)
from autograder.gradebook.fallen import fallen, given_by
from autograder.gradebook.files import WRITER_SECONDS, holding, write_atomically
from autograder.gradebook.read import LATE_CELL, sheets
from autograder.gradebook.students import class_of
from autograder.gradebook.write import Gradebook
from autograder.handed_in.classlist import HANDED_IN

DAY_S = 86_400
EXTENSIONS = "extensions.json"
HANDED_IN_OF = (
    "SELECT h.id, h.student_id FROM submitted_assignment h JOIN assignment a ON a.id ="
    " h.assignment_id WHERE a.name = ?"
)
LATE_CELLS = (
    f"INSERT INTO base_cell (id, name, notebook_id, type) SELECT lower(hex(randomblob(16))),"
    f" '{LATE_CELL}', id, 'TaskCell' FROM notebook WHERE id NOT IN"
    f" (SELECT notebook_id FROM base_cell WHERE name = '{LATE_CELL}')",
    f"INSERT INTO task_cells (id, max_score, cell_type) SELECT id, 0, 'markdown' FROM base_cell"
    f" WHERE name = '{LATE_CELL}' AND id NOT IN (SELECT id FROM task_cells)",
)
TAKE_OFF = (
    "INSERT INTO grade (id, cell_id, notebook_id, auto_score, needs_manual_grade) SELECT"
    " lower(hex(randomblob(16))), c.id, s.id, 0 - ?, 0 FROM submitted_notebook s JOIN base_cell c"
    f" ON c.notebook_id = s.notebook_id AND c.name = '{LATE_CELL}' WHERE s.id = ?"
    " ON CONFLICT (cell_id, notebook_id) DO UPDATE SET auto_score = excluded.auto_score"
)
NO_OTHER_PENALTY = "UPDATE submitted_notebook SET late_submission_penalty = NULL WHERE id = ?"
COUNTS = {
    "better": (
        "the last file that loses nothing by lateness, unless a later one is worth more in spite of"
        " the penalty"
    ),
    "in time": "the last file that loses nothing by lateness, if there is one, else the last",
    "last": "the last file, late or not",
}
"""Which of several files of one student and chapter counts."""
MOODLE = (
    "%d %B %Y, %I:%M %p",
    "%d %B %Y, %H:%M",
    "%d %b %Y, %I:%M %p",
    "%d %b %Y, %H:%M",
    "%B %d, %Y, %I:%M %p",
    "%d/%m/%y, %H:%M",
    "%d/%m/%Y, %H:%M",
)
"""How Moodle writes a moment, without the day of the week."""


@dataclass(frozen=True)
class Policy:
    """What lateness costs: shares of the points earned, 0 to 1. The default costs nothing."""

    per_day: float = 0.0
    cap: float = 1.0
    grace_minutes: float = 0.0
    counts: str = "better"
    zone: str = "UTC"

    def share(self, seconds_late: float) -> float:
        """The share of its points that work loses which is so late."""
        if seconds_late <= 60 * self.grace_minutes:
            return 0.0
        return min(self.cap, self.per_day * math.ceil(seconds_late / DAY_S), 1.0)

    def penalty(self, score: float, seconds_late: float) -> float:
        """The points taken off a score, never more than the score."""
        return round(score * self.share(seconds_late), 2) if score > 0 else 0.0

    def __str__(self) -> str:
        grace = f", after {self.grace_minutes:g} minutes of grace" if self.grace_minutes else ""
        return (
            (
                f"{self.per_day:.0%} of the points earned for each day begun, at most "
                f"{self.cap:.0%}{grace}"
            )
            if self.per_day
            else "lateness costs nothing"
        )


def policy() -> Policy:
    """The course's policy; ValueError, with a sentence,
    where nbgrader_config.py says something that is none."""
    from traitlets.config import PyFileConfigLoader

    path = notebooks() / "nbgrader_config.py"
    if not path.is_file():
        return Policy()
    said = PyFileConfigLoader(path.name, path=str(path.parent)).load_config().get("LatePenalty", {})
    try:
        found = Policy(
            **{
                name: str(value) if name in ("counts", "zone") else float(value)
                for name, value in said.items()
            }
        )
    except (TypeError, ValueError):
        raise ValueError(
            f"{path}: c.LatePenalty has per_day, cap and grace_minutes, all numbers, and counts and"
            " zone, both texts."
        ) from None
    if found.counts not in COUNTS:
        raise ValueError(
            f"{path}: c.LatePenalty.counts is one of {', '.join(map(repr, COUNTS))}, not"
            f" {found.counts!r}."
        )
    try:
        ZoneInfo(found.zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError(
            f"{path}: c.LatePenalty.zone is a name such as Europe/Berlin, and there is no zone"
            f" {found.zone!r}."
        ) from None
    if not (0 <= found.per_day <= 1 and 0 <= found.cap <= 1 and found.grace_minutes >= 0):
        raise ValueError(
            f"{path}: c.LatePenalty.per_day and cap are shares from 0 to 1, grace_minutes is not "
            "negative."
        )
    return found


def lateness(out: Path) -> Callable[[str, str, datetime], float]:
    """(student, assignment, moment) -> the share of its points that work loses which came at this
    moment, by the dates OUT has now."""
    costs, until = policy(), deadlines(out)

    def lost(student: str, assignment: str, moment: datetime) -> float:
        end = until(student, assignment)
        return costs.share((moment.astimezone(UTC) - end).total_seconds()) if end else 0.0

    return lost


def deadlines(out: Path) -> Callable[[str, str], datetime | None]:
    """(student, assignment) -> until when the student has time, extensions included; None where
    nothing is due."""
    extended, due = _extensions(out), due_dates(out)

    def until(student: str, assignment: str) -> datetime | None:
        if assignment not in due:
            return None
        longer = extended.get(assignment, {}).get(student)
        end = max(due[assignment], datetime.fromisoformat(longer)) if longer else due[assignment]
        return end.replace(tzinfo=UTC)

    return until


def handed_in_times(rows: Mapping[str, Mapping[str, str]]) -> dict[str, datetime]:
    """When each student of a class list handed in, where the list says it. ValueError, with a
    sentence, for a time that cannot be read."""
    found = {}
    for student, row in rows.items():
        said = row.get(HANDED_IN, "").strip()
        if not said.strip("- "):
            continue
        moment = _as_moodle_writes(said)
        if moment is None:
            raise ValueError(
                f'The class list says of {student} "Last modified (submission)": {said!r}, and no'
                " moment can be read from it. Write it like 2026-11-30 23:59, or take that column"
                " out of the list."
            )
        if moment > datetime.now(UTC) + timedelta(minutes=1):
            raise ValueError(
                f"The class list says that {student} hands in at {said}, which is still to come. Is"
                " c.LatePenalty.zone of nbgrader_config.py the zone of your Moodle?"
            )
        found[student] = moment
    return found


def _as_moodle_writes(text: str) -> datetime | None:
    day, _, rest = text.partition(", ")
    for form in MOODLE:
        for said in (text, rest if not any(map(str.isdigit, day)) else text):
            with contextlib.suppress(ValueError):
                return (
                    datetime.strptime(said, form)
                    .replace(tzinfo=ZoneInfo(policy().zone))
                    .astimezone(UTC)
                )
    with contextlib.suppress(ValueError):
        return parse_moment(text)
    return None


def settle_penalties(out: Path, say: Callable[[str], None] = lambda text: None) -> int:
    """Bring every late penalty of OUT's gradebook up to date; returns how many changed. `say` is
    told of each mark that falls. Submissions without a due date are left alone."""
    if (out / NAME).is_file() and not due_dates(out):
        return 0
    with changing(out) as book:
        due = _due_in(book)
        for name, students in _extensions(out).items():
            if name in due:
                for row, student in book.execute(HANDED_IN_OF, (name,)).fetchall():
                    if student in students:
                        longer = datetime.fromisoformat(students[student]) - due[name]
                        book.execute(
                            "UPDATE submitted_assignment SET extension = ? WHERE id = ?",
                            (text_of_span(max(timedelta(), longer)), row),
                        )
        # of a gradebook of before: nbgrader's own penalty, which formgrader does not show
        moved = {
            row
            for (row,) in book.execute(
                "SELECT id FROM submitted_notebook WHERE late_submission_penalty IS NOT NULL"
            )
        }
    costs, changed, settled = policy(), [], []
    for sheet in sheets(out):
        if sheet.assignment not in due:
            continue
        penalty = costs.penalty(sheet.earned, sheet.seconds_late)
        if penalty != sheet.late_penalty:
            changed.append((sheet, penalty))
        if penalty != sheet.late_penalty or sheet.row in moved:
            settled.append((penalty, sheet.row))
    with changing(out) as book:
        _take_off(book, settled)
    now = [replace(sheet, late_penalty=penalty) for sheet, penalty in changed]
    for line in fallen({sheet.who: given_by(sheet) for sheet, _ in changed}, now):
        say(line)
    return len(changed)


def _take_off(book: sqlite3.Connection, penalties: Sequence[tuple[float, int | str]]) -> None:
    """Write penalties down, each with the id of its submitted notebook."""
    if penalties:
        for statement in LATE_CELLS:
            book.execute(statement)
        book.executemany(TAKE_OFF, penalties)
        book.executemany(NO_OTHER_PENALTY, [(row,) for _, row in penalties])


def set_due(out: Path, assignment: str, when: datetime | None, student: str | None = None) -> str:
    """Set when a chapter is due, or until when a student has time; None takes it away.
    Returns what was done, in a sentence."""
    listed = class_of(out).rows
    if student is not None and when is not None and listed and student not in listed:
        raise ValueError(f"{student} is not on the class list of {out}.")
    write_due(out, assignment, when, student)
    fell: list[str] = []
    changed = settle_penalties(out, fell.append)
    until = moment_text(when) if when else "no date"
    whose = f" for {student}" if student else ""
    done = f"{assignment} is due at {until}{whose}; {policy()}. Penalties changed: {changed}."
    return "\n".join((done, *fell))


def write_due(out: Path, assignment: str, when: datetime | None, student: str | None) -> None:
    """Write one date or one extension down; the penalties stay as they are until
    `settle_penalties`."""
    moment = when.astimezone(UTC).replace(tzinfo=None) if when else None
    if student is None and moment is not None:
        _expect(out, assignment)
    with changing(out) as book:
        found = book.execute(
            "SELECT id, duedate FROM assignment WHERE name = ?", (assignment,)
        ).fetchone()
        if found is None:
            raise LookupError(
                f"{assignment} has no due date in {out}; set one first, without --student."
            )
        row, due = found[0], moment_of(found[1])
        if student is None:
            book.execute(
                "UPDATE assignment SET duedate = ? WHERE id = ?",
                (text_of_moment(moment) if moment else None, row),
            )
            if moment is None:
                # nbgrader cannot add an extension to no date
                book.execute(
                    "UPDATE submitted_assignment SET extension = NULL WHERE assignment_id = ?",
                    (row,),
                )
                rows = book.execute(
                    "SELECT s.id FROM submitted_notebook s JOIN submitted_assignment h ON h.id ="
                    " s.assignment_id WHERE h.assignment_id = ?",
                    (row,),
                ).fetchall()
                _take_off(book, [(0.0, sheet) for (sheet,) in rows])
        elif due is None:
            raise ValueError(
                f"{assignment} has no due date, so there is nothing to extend; set one first, "
                "without --student."
            )
        elif moment is not None and moment < due:
            raise ValueError(
                f"{assignment} is due at {moment_text(due)}; an extension ends later than that."
            )
        elif moment is None:
            book.execute(
                "UPDATE submitted_assignment SET extension = NULL WHERE assignment_id = ? AND"
                " student_id = ?",
                (row, student),
            )
    # kept beside the gradebook too: who has not handed in has no row there
    if student is not None:
        known = _extensions(out)
        known.setdefault(assignment, {}).pop(student, None)
        if moment is not None:
            known[assignment][student] = moment.isoformat()
        write_atomically(
            out / EXTENSIONS,
            json.dumps(known, ensure_ascii=False, indent=1, sort_keys=True) + "\n",
        )


def _expect(out: Path, assignment: str) -> None:
    """Make the assignment's rows where nothing of it has been graded yet:
    it is due before it is handed in."""
    if (out / NAME).is_file():
        with reading(out) as book:
            if (
                has_table(book, "assignment")
                and book.execute(
                    "SELECT 1 FROM assignment WHERE name = ?", (assignment,)
                ).fetchone()
            ):
                return
    out.mkdir(parents=True, exist_ok=True)
    with (
        holding(
            out / ".writer",
            WRITER_SECONDS,
            "a run is grading into this folder; wait for it to end, or end it",
        ),
        Gradebook(out) as own,
    ):
        own.expect(master(assignment[:2]))


def dates(out: Path) -> list[str]:
    """The due dates and extensions of OUT, a line each, and the policy."""
    with reading(out) as book:
        found = book.execute("SELECT name, duedate FROM assignment ORDER BY name").fetchall()
    known, lines = _extensions(out), []
    for name, due in found:
        lines.append(f"{name}: {f'due at {moment_text(moment_of(due))}' if due else 'no due date'}")
        lines += [
            f"  {student} has until {moment_text(datetime.fromisoformat(until))}"
            for student, until in sorted(known.get(name, {}).items())
        ]
    return [*lines, f"{str(policy()).capitalize()}."]


def moment_text(moment: datetime) -> str:
    """A moment as people read it, in the course's zone; one without a zone is in UTC."""
    zone = policy().zone
    local = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(ZoneInfo(zone))
    return f"{local:%Y-%m-%d %H:%M} {zone}"


def parse_moment(text: str) -> datetime | None:
    """A moment as people write it: 2026-11-30 23:59, with +01:00 or Z behind it, else in the
    course's zone; "none" is None. ValueError with a sentence."""
    if text.strip().lower() == "none":
        return None
    try:
        found = datetime.fromisoformat(text.strip().replace(" UTC", "Z").replace("Z", "+00:00"))
    except ValueError:
        raise ValueError(
            f"{text!r} is no moment; write it like 2026-11-30T23:59+01:00, or without the zone for"
            " the course's own, or none."
        ) from None
    return found if found.tzinfo else found.replace(tzinfo=ZoneInfo(policy().zone)).astimezone(UTC)


def lateness_text(seconds_late: float) -> str:
    """ "2 days and 3 hours", "40 minutes": how late, for people."""
    minutes = int(seconds_late // 60)
    days, hours, rest = minutes // 1440, minutes % 1440 // 60, minutes % 60
    parts = [
        f"{count} {noun}{'s' if count > 1 else ''}"
        for count, noun in ((days, "day"), (hours, "hour"), (rest, "minute"))
        if count
    ][:2]
    return " and ".join(parts) or "less than a minute"


def due_dates(out: Path) -> dict[str, datetime]:
    """When each assignment is due that has a date; {} without a gradebook."""
    if not (out / NAME).is_file():
        return {}
    with reading(out) as book:
        return _due_in(book) if has_table(book, "assignment") else {}


def _due_in(book) -> dict[str, datetime]:
    return {
        name: datetime.fromisoformat(date)
        for name, date in book.execute(
            "SELECT name, duedate FROM assignment WHERE duedate IS NOT NULL"
        )
    }


def _extensions(out: Path) -> dict[str, dict[str, str]]:
    try:
        return json.loads((out / EXTENSIONS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise ValueError(
            f"{out / EXTENSIONS} cannot be read; take it away and grant the extensions again."
        ) from None
