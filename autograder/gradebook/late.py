"""Being late: when a chapter was due, for whom longer, and what it costs.

Due dates and extensions are nbgrader's (in gradebook.db; formgrader and `python -m autograder due`
set them), and the penalty is written where nbgrader keeps it, as points. The moment of handing in
is our receipt's, never a file of the student's. The policy stands in the course's
nbgrader_config.py:

    c.LatePenalty.per_day = 0.10          # of the points earned, for each day begun
    c.LatePenalty.cap = 0.50              # never more than this share
    c.LatePenalty.grace_minutes = 15      # this late is not late
    c.LatePenalty.counts = "better"       # which of a student's files: see COUNTS
    c.LatePenalty.zone = "Europe/Berlin"  # of times that are written without one

A penalty is a share of what was earned, so it is worked out anew whenever a mark changes: `settle`
does that, and costs one query where nobody is late.
"""

from __future__ import annotations

import contextlib
import json
import math
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from autograder.cell.course_folder import notebooks
from autograder.course.masters import master
from autograder.gradebook.students import class_of
from autograder.grading.results import write_atomically
from autograder.handed_in.classlist import HANDED_IN

DAY_S = 86_400
EXTENSIONS = "extensions.json"
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
    costs, extended, due = policy(), _extensions(out), {}
    if (out / "gradebook.db").is_file():
        with contextlib.closing(sqlite3.connect(out / "gradebook.db", timeout=30)) as book:
            if book.execute("SELECT 1 FROM sqlite_master WHERE name = 'assignment'").fetchone():
                due = {
                    name: datetime.fromisoformat(date)
                    for name, date in book.execute(
                        "SELECT name, duedate FROM assignment WHERE duedate IS NOT NULL"
                    )
                }

    def lost(student: str, assignment: str, moment: datetime) -> float:
        if assignment not in due:
            return 0.0
        longer = extended.get(assignment, {}).get(student)
        until = max(due[assignment], datetime.fromisoformat(longer)) if longer else due[assignment]
        return costs.share((moment.astimezone(UTC).replace(tzinfo=None) - until).total_seconds())

    return lost


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
        return moment_of(text)
    return None


def settle(out: Path) -> int:
    """Bring every late penalty of OUT's gradebook up to date; returns how many changed.
    Submissions without a due date are left alone."""
    if (out / "gradebook.db").is_file() and not _anything_due(out):
        return 0
    from nbgrader import api  # a second or two
    from sqlalchemy import select
    from sqlalchemy.orm import Session

    from autograder.gradebook.byhand import ByHand
    from autograder.gradebook.read import sheets

    with ByHand(out) as hand:
        with Session(hand.engine) as session, session.begin():
            due = {
                name: date
                for name, date in session.execute(
                    select(api.Assignment.name, api.Assignment.duedate)
                )
                if date is not None
            }
            for name, students in _extensions(out).items():
                for handed_in in (
                    session.query(api.SubmittedAssignment)
                    .join(api.SubmittedAssignment.assignment)
                    .filter(
                        api.Assignment.name == name,
                        api.SubmittedAssignment.student_id.in_(students),
                    )
                ):
                    if name in due:
                        handed_in.extension = max(
                            timedelta(),
                            datetime.fromisoformat(students[handed_in.student_id]) - due[name],
                        )
        costs = policy()
        wanted = {
            sheet.row: costs.penalty(sheet.earned, sheet.seconds_late) or None
            for sheet in sheets(out)
            if sheet.assignment in due
            and (costs.penalty(sheet.earned, sheet.seconds_late) or None)
            != (sheet.late_penalty or None)
        }
        with Session(hand.engine) as session, session.begin():
            for row, penalty in wanted.items():
                session.get(api.SubmittedNotebook, row).late_submission_penalty = penalty
        return len(wanted)


def set_due(out: Path, assignment: str, when: datetime | None, student: str | None = None) -> str:
    """Set when a chapter is due, or until when a student has time; None takes it away.
    Returns what was done, in a sentence."""
    from nbgrader import api
    from sqlalchemy.orm import Session

    from autograder.gradebook.byhand import ByHand

    moment = when.astimezone(UTC).replace(tzinfo=None) if when else None
    listed = class_of(out).rows
    if student is not None and moment is not None and listed and student not in listed:
        raise ValueError(f"{student} is not on the class list of {out}.")
    if student is None and moment is not None:
        _expect(out, assignment)
    with ByHand(out) as hand:
        with Session(hand.engine) as session, session.begin():
            found = session.query(api.Assignment).filter_by(name=assignment).one_or_none()
            if found is None:
                raise LookupError(
                    f"{assignment} has no due date in {out}; set one first, without --student."
                )
            if student is None:
                found.duedate = moment
                for handed_in in (
                    session.query(api.SubmittedAssignment).filter_by(assignment=found)
                    if moment is None
                    else ()
                ):
                    # nbgrader cannot add an extension to no date
                    handed_in.extension = None
                    for sheet in handed_in.notebooks:
                        sheet.late_submission_penalty = None
            elif found.duedate is None:
                raise ValueError(
                    f"{assignment} has no due date, so there is nothing to extend; set one first, "
                    "without --student."
                )
            elif moment is not None and moment < found.duedate:
                raise ValueError(
                    f"{assignment} is due at {shown(found.duedate)}; an extension ends later than"
                    " that."
                )
            elif moment is None:
                for handed_in in session.query(api.SubmittedAssignment).filter_by(
                    assignment=found, student_id=student
                ):
                    handed_in.extension = None
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
    changed = settle(out)
    until = shown(moment) if moment else "no date"
    whose = f" for {student}" if student else ""
    return f"{assignment} is due at {until}{whose}; {policy()}. Penalties changed: {changed}."


def _expect(out: Path, assignment: str) -> None:
    """Make the assignment's rows where nothing of it has been graded yet:
    it is due before it is handed in."""
    from autograder.gradebook.write import Gradebook
    from autograder.grading.writer import WAIT_SECONDS, holding

    book = out / "gradebook.db"
    if book.is_file():
        with contextlib.closing(sqlite3.connect(book, timeout=30)) as database:
            if database.execute(
                "SELECT 1 FROM assignment WHERE name = ?", (assignment,)
            ).fetchone():
                return
    out.mkdir(parents=True, exist_ok=True)
    with (
        holding(
            out / ".writer",
            WAIT_SECONDS,
            "a run is grading into this folder; wait for it to end, or end it",
        ),
        Gradebook(out) as own,
    ):
        own.expect(master(assignment[:2]))


def dates(out: Path) -> list[str]:
    """The due dates and extensions of OUT, a line each, and the policy."""
    from nbgrader import api
    from sqlalchemy import select
    from sqlalchemy.orm import Session

    from autograder.gradebook.byhand import ByHand

    with ByHand(out) as hand, Session(hand.engine) as session:
        found = session.execute(
            select(api.Assignment.name, api.Assignment.duedate).order_by(api.Assignment.name)
        ).all()
    known, lines = _extensions(out), []
    for name, due in found:
        lines.append(f"{name}: {f'due at {shown(due)}' if due else 'no due date'}")
        lines += [
            f"  {student} has until {shown(datetime.fromisoformat(until))}"
            for student, until in sorted(known.get(name, {}).items())
        ]
    return [*lines, f"{str(policy()).capitalize()}."]


def shown(moment: datetime) -> str:
    """A moment as people read it, in the course's zone; one without a zone is in UTC."""
    zone = policy().zone
    local = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(ZoneInfo(zone))
    return f"{local:%Y-%m-%d %H:%M} {zone}"


def moment_of(text: str) -> datetime | None:
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


def told(seconds_late: float) -> str:
    """ "2 days and 3 hours", "40 minutes": how late, for people."""
    minutes = int(seconds_late // 60)
    days, hours, rest = minutes // 1440, minutes % 1440 // 60, minutes % 60
    parts = [
        f"{count} {noun}{'s' if count > 1 else ''}"
        for count, noun in ((days, "day"), (hours, "hour"), (rest, "minute"))
        if count
    ][:2]
    return " and ".join(parts) or "less than a minute"


def _anything_due(out: Path) -> bool:
    with contextlib.closing(sqlite3.connect(out / "gradebook.db", timeout=30)) as book:
        return (
            book.execute("SELECT 1 FROM assignment WHERE duedate IS NOT NULL LIMIT 1").fetchone()
            is not None
        )


def _extensions(out: Path) -> dict[str, dict[str, str]]:
    try:
        return json.loads((out / EXTENSIONS).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except ValueError:
        raise ValueError(
            f"{out / EXTENSIONS} cannot be read; take it away and grant the extensions again."
        ) from None
