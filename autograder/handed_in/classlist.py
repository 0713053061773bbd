"""Reads the class list, as a teacher writes it or as another system exports it.

It tells who is in the class and whose a file is.

A list of one's own has a column `student` (or `id`) and, if wanted, name or first_name and
last_name, email, file. Exports of Moodle, Canvas, Gradescope and GitHub Classroom are read as they
come.
"""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from autograder.handed_in.answers import is_student

IDS = (
    "student",
    "id number",
    "sid",
    "student id",
    "sis user id",
    "sis login id",
    "username",
    "identifier",
    "id",
    "email",
    "email address",
)
"""Columns that may hold the id, the surest first. Canvas writes the name
under "Student" and its own number under "ID"."""
HANDED_IN = "handed_in"  # when the student handed in, as Moodle's list of one assignment writes it
PARTICIPANTS = "participants"  # Moodle's numbers of the student, another one for each assignment
COLUMNS = {
    "first_name": ("first name", "firstname", "given name"),
    "last_name": ("last name", "lastname", "surname", "family name"),
    "name": ("name", "full name"),
    "email": ("email", "email address", "e mail"),
    "file": ("file",),
    HANDED_IN: ("last modified (submission)",),
    PARTICIPANTS: (PARTICIPANTS,),
}
# Moodle's worksheet has these beside "Identifier", which holds "Participant 10423".
WORKSHEET = ("grade", "maximum grade")
# Moodle: "Ada Abel_10423_assignsubmission_file"
# Canvas: "abelada_LATE_5512_99887_03_consumer_connections-2"
PLATFORMS = (
    re.compile(r"(?P<name>.+?)_(?P<participant>\d+)_assignsubmission_\w+"),
    re.compile(r"(?P<name>[^_]+)(?:_LATE)?_\d+_\d+_.+"),
)


@dataclass(frozen=True)
class Roster:
    """The class list by id. `dropped` says in a sentence each
    which lines of the file are nobody's. `nameless` has the rows of a worksheet without names, by
    "Participant 10423"."""

    rows: dict[str, dict[str, str]] = field(default_factory=dict)
    dropped: tuple[str, ...] = ()
    nameless: dict[str, dict[str, str]] = field(default_factory=dict)

    @property
    def all_rows(self) -> dict[str, dict[str, str]]:
        """The rows of everybody whom the list means, those without a name too."""
        return {**self.rows, **self.nameless}

    def student_behind(self, stem: str) -> str | None:
        """The student whose id, name, e-mail or file a file is named after;
        None where that is nobody, or more than one."""
        if stem in self.rows:
            return stem
        if (number := participant_of(stem)) in self._by_participant:
            return self._by_participant[number]
        # "s012_90_demo (1)", as many platforms name files
        tokens = set(re.split(r"[_\s().-]+", stem)) & self.rows.keys()
        if len(tokens) == 1:
            return tokens.pop()
        names = [
            stem,
            *(found["name"] for pattern in PLATFORMS if (found := pattern.fullmatch(stem))),
        ]
        return next(
            (student for name in names if (student := self._by_name.get(_plainly(name)))), None
        )

    def spelled(self, name: str) -> str | None:
        """The student of the list that this id is, whatever its capital letters."""
        return name if name in self.rows else self._by_folded_id.get(name.casefold())

    def bears(self, path: Path, student: str) -> bool:
        """Whether the file itself, and not only what it says, is the student's:
        by the class list, or by its name."""
        return (
            self.student_behind(path.stem) == student
            or re.search(rf"(?<![^\W_]){re.escape(student)}(?![^\W_])", path.name, re.IGNORECASE)
            is not None
        )

    @cached_property
    def _by_participant(self) -> dict[str, str]:
        return {
            number: student
            for student, row in self.rows.items()
            for number in row.get(PARTICIPANTS, "").split()
        }

    @cached_property
    def _by_name(self) -> dict[str, str | None]:
        found: dict[str, str | None] = {}
        for student, row in self.rows.items():
            first, _, last = row.get("name", "").rpartition(" ")
            names = (
                row.get("name", ""),
                f"{last} {first}",
                row.get("email", ""),
                row.get("file", "").removesuffix(".ipynb"),
                f"{row.get('first_name', '')} {row.get('last_name', '')}",
                f"{row.get('last_name', '')} {row.get('first_name', '')}",
            )
            for name in {
                spelling
                for one in names
                for spelling in (_plainly(one), _plainly(_without_accents(one)))
            } - {""}:
                # two students of one name: the name tells nothing
                found[name] = student if found.get(name, student) == student else None
        return found

    @cached_property
    def _by_folded_id(self) -> dict[str, str]:
        return {student.casefold(): student for student in self.rows}


def participant_of(name: str) -> str:
    """Moodle's number in the name of a file or folder of its download; "" where there is none."""
    found = re.match(r".+?_(\d+)_assignsubmission_", name)
    return found[1] if found else ""


def read_roster(path: Path) -> Roster:
    """Read a class list; ValueError, with a sentence, for a file that is none."""
    table = table_in(path)
    columns = [re.sub(r"[\s_-]+", " ", name.strip().lower()) for name in table[0]] if table else []
    rows = [
        (number, dict(zip(columns, map(str.strip, row))))
        for number, row in enumerate(table[1:], 2)
        if any(cell.strip() for cell in row)
    ]
    canvas = "sis login id" in columns
    if set(WORKSHEET) <= set(columns):
        for _, row in rows:
            number = re.search(r"\d+$", row.get("identifier", ""))
            row[PARTICIPANTS] = number[0] if number else ""
    column = next(
        (
            name
            for name in IDS
            if not (canvas and name in ("student", "id"))
            and any(is_student(row.get(name)) for _, row in rows)
        ),
        None,
    )
    if column is None and any(row.get(PARTICIPANTS) for _, row in rows):
        return Roster(
            nameless={
                f"Participant {row[PARTICIPANTS]}": dict(_about(row, canvas)) for _, row in rows
            }
        )
    if column is None:
        raise ValueError(
            f"{path.name} has no column named student or id with ids in it; its columns are: "
            f"{', '.join(filter(None, columns)) or 'none'}."
        )
    found, dropped, spelled = {}, [], {}
    for number, row in rows:
        student = row.get(column, "")
        if canvas and not student and "points possible" in row.get("student", "").lower():
            continue
        if not is_student(student):
            dropped.append(
                f"line {number} has "
                f"{f'{student!r} as id, and an id is letters and digits' if student else 'no id'}"
            )
        elif (first := spelled.setdefault(student.casefold(), student)) in found:
            as_well = f", as {first}" if first != student else ""
            dropped.append(f"line {number} names {student} a second time{as_well}")
        else:
            found[student] = dict(_about(row, canvas))
    return Roster(found, tuple(dropped))


def table_in(path: Path) -> list[list[str]]:
    """The rows of a table in a file; ValueError, with a sentence, for a file that is none."""
    raw = path.read_bytes()
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError(
            f"{path.name} is not written in UTF-8, so its names would be wrong; in Excel save it "
            'as "CSV UTF-8".'
        ) from None
    return table_of(text, path.name)


def table_of(text: str, name: str) -> list[list[str]]:
    """The rows of a table as a spreadsheet saves it: commas, semicolons or tabs between, whichever
    the first line has most of. ValueError, with a sentence, where a quotation mark is opened and
    not closed: the lines behind it would be lost in silence."""
    head = text.lstrip().partition("\n")[0]
    rows = csv.reader(
        io.StringIO(text, newline=""), delimiter=max(",;\t", key=head.count), strict=True
    )
    try:
        return list(rows)
    except csv.Error:
        raise ValueError(
            f"{name}: by line {rows.line_num} its quotation marks do not pair up, so lines would "
            "be lost; mend that and run the same command again."
        ) from None


def _about(row: Mapping[str, str], canvas: bool) -> Iterator[tuple[str, str]]:
    """What is known of a student, under our own names."""
    for name, columns in COLUMNS.items():
        if said := next((row[column] for column in columns if row.get(column)), ""):
            yield name, said
    if canvas:
        last, _, first = row.get("student", "").partition(",")
        yield from (("last_name", last.strip()), ("first_name", first.strip()))
        if "@" in row.get("sis login id", ""):
            yield "email", row["sis login id"]


def _without_accents(name: str) -> str:
    """As systems write a name into a file's: only letters from a to z."""
    return unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()


def _plainly(name: str) -> str:
    return "".join(
        letter for letter in unicodedata.normalize("NFC", name).casefold() if letter.isalnum()
    )
