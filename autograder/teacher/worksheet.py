"""Fills the grading worksheet of a Moodle assignment, so that Moodle takes it back.

    python -m autograder export OUT --as worksheet --sheet Grades.csv --file Filled.csv

Only the cells "Grade" and "Feedback comments" of students with a mark change. All other cells,
their order, their quotation marks and the file's encoding stay: Moodle compares some of them. Its
importer is mod/assign/feedback/offline.
"""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from autograder.cell.terminal import some_of
from autograder.gradebook import late
from autograder.gradebook.late import Policy
from autograder.gradebook.read import Sheet
from autograder.gradebook.students import class_of
from autograder.handed_in.classlist import Roster
from autograder.teacher.export import marked_sheets
from autograder.teacher.feedback import lateness_sentence, leak_in, sentences
from autograder.teacher.moodle_zip import participants
from autograder.written.answers import counted_results, read_results

IDENTIFIER = "identifier"
GRADE = "grade"
MOST = "maximum grade"
COMMENTS = "feedback comments"
WHO = ("id number", "username", "email address", "full name")
"""Columns by which a student is known, the surest first."""
CODECS = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
MOST_NAMES = 20


@dataclass(frozen=True)
class MoodleRecord:
    """One row of the sheet: its cells as they are written in the file, and its line's end."""

    cells: list[str]
    end: str


def fill_worksheet(
    out: Path, path: Path, chapter: str | None, say: Callable[[str], None] = lambda text: None
) -> bytes:
    """The worksheet in `path` with the marks of one chapter; `chapter` may be None where OUT has
    only one. `say` is told who has no mark. ValueError, with a sentence, for a file that is no
    worksheet; LookupError without marks."""
    own = _of_chapter(marked_sheets(out, say), chapter, out)
    raw = path.read_bytes()
    codec = CODECS.get(raw[:2], "utf-8")
    try:
        text = raw.decode(codec)
    except UnicodeDecodeError:
        raise ValueError(f"{path.name} is not as Moodle wrote it; download it once more.") from None
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    head = text.removeprefix(mark).partition("\n")[0]
    separator = max(",;\t", key=head.count)
    records = list(_records(text.removeprefix(mark), separator, path.name))
    columns = _columns(records, path.name)
    results = read_results(out)
    told = _comments(own, results, late.policy())
    numbers = participants(results, next(iter(own.values())).assignment)
    known = _everybody(out, own)
    unmarked, marked = [], set()
    for line, record in enumerate(records[1:], 2):
        values = [_value(cell) for cell in record.cells]
        if len(values) < len(records[0].cells):
            continue  # an empty line
        student = _student(values, columns, numbers, known)
        if student not in own:
            unmarked.append(_shown(values, columns))
            continue
        marked.add(student)
        sheet = own[student]
        points = _grade(sheet, values[columns[MOST]], f"{path.name}, line {line}")
        changed = {GRADE: points, COMMENTS: told[student]}
        for name in changed.keys() & columns.keys():
            place = columns[name]
            record.cells[place] = _written(changed[name], record.cells[place], separator)
    if not marked:
        raise ValueError(
            f"Nobody in {path.name} has a mark in {out}; is it the worksheet of another assignment?"
        )
    _say_who(say, marked, unmarked, sorted(own.keys() - marked))
    lines = (separator.join(record.cells) + record.end for record in records)
    return (mark + "".join(lines)).encode(codec)


def _of_chapter(found: list[Sheet], chapter: str | None, out: Path) -> dict[str, Sheet]:
    """The sheets of one chapter by student."""
    chapters = sorted({sheet.assignment[:2] for sheet in found})
    if chapter is None and len(chapters) > 1:
        raise ValueError(
            f"{out} has marks of chapters {', '.join(chapters)}; say which one the sheet is of:"
            f" --chapter {chapters[-1]}."
        )
    wanted = chapter or chapters[0]
    own = {sheet.student: sheet for sheet in found if sheet.assignment[:2] == wanted}
    if not own:
        raise LookupError(f"{out} has no marks of chapter {wanted}; it has {', '.join(chapters)}.")
    return own


def _records(text: str, separator: str, name: str) -> Iterator[MoodleRecord]:
    """The rows, each cell with its quotation marks: joined again they are the text."""
    one = re.compile(
        rf'("(?:[^"]|"")*"|[^"\r\n{separator}][^\r\n{separator}]*|)({separator}|\r\n|\n|\r|\Z)'
    )
    place, cells = 0, []
    while place < len(text) or cells:
        found = one.match(text, place)
        if found is None:
            raise ValueError(
                f"{name}: the quotation marks of a cell do not pair up, from"
                f" {text[place : place + 30]!r} on; download it once more."
            )
        cells.append(found[1])
        place = found.end()
        if found[2] != separator:
            yield MoodleRecord(cells, found[2])
            cells = []


def _columns(records: list[MoodleRecord], name: str) -> dict[str, int]:
    """Where each column is; ValueError for a table without Moodle's."""
    head = [_value(cell).strip().lower() for cell in records[0].cells] if records else []
    columns = {title: place for place, title in reversed(list(enumerate(head)))}
    missing = [each for each in (IDENTIFIER, GRADE, MOST) if each not in columns]
    if missing:
        raise ValueError(
            f'{name} has no column "{missing[0].capitalize()}", so it is no worksheet of Moodle. In'
            ' the assignment take "Download grading worksheet", with Moodle set to English.'
        )
    return columns


def _everybody(out: Path, own: Mapping[str, Sheet]) -> Roster:
    """The class list, and whom only the gradebook knows."""
    graded = {
        student: {
            "first_name": sheet.first_name,
            "last_name": sheet.last_name,
            "email": sheet.email,
        }
        for student, sheet in own.items()
    }
    return Roster({**graded, **class_of(out).rows})


def _student(
    values: list[str], columns: Mapping[str, int], numbers: Mapping[str, str], known: Roster
) -> str | None:
    """Whose row it is: by Moodle's number of the participant, else by id, address or name."""
    number = re.search(r"\d+$", values[columns[IDENTIFIER]].strip())
    if number and number[0] in numbers:
        return numbers[number[0]]
    for column in WHO:
        said = values[columns[column]].strip() if column in columns else ""
        found = said and (known.spelled(said) or known.student_behind(said))
        if found:
            return found
    return None


def _shown(values: list[str], columns: Mapping[str, int]) -> str:
    named = (
        values[columns[each]].strip() for each in ("full name", "id number") if each in columns
    )
    return " ".join(filter(None, named)) or values[columns[IDENTIFIER]]


def _grade(sheet: Sheet, most: str, where: str) -> str:
    """The mark out of the activity's maximum, with the sheet's own decimal sign."""
    comma = "," in most and "." not in most
    try:
        worth = float(most.strip().replace(",", "." if comma else ""))
    except ValueError:
        raise ValueError(
            f'{where}: "Maximum grade" is {most!r} and no number. Give the activity points in'
            " Moodle, and no scale."
        ) from None
    points = f"{sheet.score * worth / sheet.max if sheet.max else 0.0:.2f}"
    return points.replace(".", ",") if comma else points


def _comments(
    own: Mapping[str, Sheet], results: Mapping[str, dict], costs: Policy
) -> dict[str, str]:
    """What each student reads, as the HTML that Moodle keeps: points, lateness, and a line for each
    question that has not all its points."""
    counted, found = counted_results(results), {}
    for student, sheet in own.items():
        result = counted.get((student, sheet.assignment))
        said = sentences(result) if result else {}
        if leak_in(sheet.assignment[:2], said.values()):
            said = {}  # the words may be the student's own; `feedback` names the case
        lines = [f"{sheet.score:g} of {sheet.max:g} points.{lateness_sentence(sheet, costs)}"]
        for cell in sheet.cells:
            if cell.waits:
                until = f" Until then {cell.score:g} of {cell.max:g} count." if cell.renewed else ""
                lines.append(f"{cell.question}: a person will read it.{until}")
            elif cell.score < cell.max or cell.comment:
                why = cell.comment or ("" if cell.by_hand else said.get(cell.question, ""))
                points = f"{cell.question}: {cell.score:g} of {cell.max:g}."
                lines.append(f"{points} {why[:1].upper()}{why[1:]}".strip())
        found[student] = "<br>".join(
            html.escape(" ".join(line.split()), quote=False) for line in lines
        )
    return found


def _value(cell: str) -> str:
    return cell[1:-1].replace('""', '"') if cell.startswith('"') else cell


def _written(value: str, before: str, separator: str) -> str:
    """A cell's new text, between quotation marks where the old one had them or it needs them."""
    if before.startswith('"') or re.search(rf'["\s{separator}]', value):
        return '"' + value.replace('"', '""') + '"'
    return value


def _say_who(
    say: Callable[[str], None], marked: set[str], unmarked: list[str], outside: list[str]
) -> None:
    say(f"{len(marked)} of {len(marked) + len(unmarked)} in the sheet have a mark.")
    if unmarked:
        say(f"Left as they are, for they have no mark: {some_of(unmarked, MOST_NAMES)}.")
    if outside:
        say(f"With a mark and not in the sheet: {some_of(outside, MOST_NAMES)}.")
