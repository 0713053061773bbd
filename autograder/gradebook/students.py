"""Keeps the class list of OUT, and nbgrader's table of students in step with it.

OUT/class.json keeps the list, so that a run which is not given one finds the same students behind
the same files, and so that a report can say from whom nothing has come. Everybody on it is in the
gradebook, by the names of the list as it is now.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from autograder.gradebook.database import changing
from autograder.gradebook.files import write_atomically
from autograder.handed_in.classlist import HANDED_IN, PARTICIPANTS, Roster

FILE = "class.json"


def class_of(out: Path, given: Roster = Roster()) -> Roster:
    """The class list that holds for OUT: the one that is given, which is kept from now on, or the
    kept one. A list that knows students by their e-mail addresses only gets the ids of the kept
    one. ValueError, with a sentence, for a kept file that is broken."""
    path = out / FILE
    try:
        text = path.read_text(encoding="utf-8") if path.exists() else "{}"
        kept = {str(student): dict(row) for student, row in json.loads(text).items()}
    except (ValueError, TypeError, AttributeError):
        kept = {}
        if not given.rows:
            raise ValueError(
                f"{path} cannot be read; take it away and name the class list again with --roster."
            ) from None
    if not given.rows:
        return Roster(kept, nameless=given.nameless)
    by_email = {row["email"].casefold(): student for student, row in kept.items() if "email" in row}
    rows = {
        student if student in kept else by_email.get(student.casefold(), student): row
        for student, row in given.rows.items()
    }
    for student, row in rows.items():
        numbers = (
            f"{kept.get(student, {}).get(PARTICIPANTS, '')} {row.get(PARTICIPANTS, '')}".split()
        )
        if numbers:
            row[PARTICIPANTS] = " ".join(dict.fromkeys(numbers))
    shown = {
        student: {name: said for name, said in row.items() if name != HANDED_IN}
        for student, row in rows.items()
    }
    out.mkdir(parents=True, exist_ok=True)
    write_atomically(path, json.dumps(shown, ensure_ascii=False, indent=0) + "\n")
    return Roster(rows, given.dropped)


def names(row: Mapping[str, str]) -> tuple[str | None, str | None, str | None]:
    """(first name, last name, email) as the gradebook keeps them;
    None for what the list does not say."""
    first, _, last = row.get("name", "").rpartition(" ")
    first, last = row.get("first_name") or first, row.get("last_name") or last
    if first or last:  # formgrader writes the word None for a part that is not there
        return first, last, row.get("email") or None
    return None, None, row.get("email") or None


def with_name(file: str, student: str, listed: Mapping[str, Mapping[str, str]]) -> str:
    """A file's name with the student beside it, by id and name, as far as the class list knows."""
    name = " ".join(filter(None, names(listed.get(student, {}))[:2]))
    known = [each for each in (student, name) if each and each not in file]
    return f"{file} ({' '.join(known)})" if student in listed and known else file


def enrol(out: Path, roster: Roster) -> None:
    """Bring nbgrader's students up to the class list.
    What the list does not say stays as it was."""
    rows = [(student, *names(row)) for student, row in roster.rows.items()]
    if not rows:
        return
    with changing(out) as book:
        book.executemany(
            """INSERT INTO student (id, first_name, last_name, email) VALUES (?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET
            first_name = coalesce(nullif(excluded.first_name, ''), first_name, excluded.first_name),
            last_name = coalesce(nullif(excluded.last_name, ''), last_name, excluded.last_name),
            email = coalesce(excluded.email, email)""",  # noqa: E501
            rows,
        )
