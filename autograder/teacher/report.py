"""Prints what a teacher reads first: the class, the questions, misconceptions, and what to do next.

    python -m autograder report OUT            # in the terminal
    python -m autograder report OUT --page     # OUT/report/index.html, with pictures

Marks are those of the gradebook as they stand now, a person's before ours.
"""

from __future__ import annotations

import shlex
import sys
import textwrap
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from autograder.cell.terminal import some_of
from autograder.gradebook.read import Sheet, sheets
from autograder.gradebook.students import class_of, names, with_name
from autograder.grading.out_folder import UNFINISHED
from autograder.teacher.items import (
    LEAST_FOR_STATISTICS,
    Item,
    Misconception,
    items,
    misconceptions,
    unnamed,
)
from autograder.teacher.seen import is_seen, seen_of
from autograder.written.answers import read_results

STATUSES = ("graded", "repaired", "partial", "unreadable", "refused")
MOST_ROWS, MOST_NAMES, LONGEST_NAME = 400, 40, 24
"""A terminal's table ends after so many students; the page and the exports have all."""


@dataclass(frozen=True)
class Chapter:
    """All there is to say about one assignment."""

    name: str
    sheets: tuple[Sheet, ...]
    items: tuple[Item, ...]
    misconceptions: tuple[Misconception, ...]
    unnamed: Mapping[str, int]
    # of the class list, by id and name: nothing of theirs could be graded
    absent: tuple[str, ...] = ()


@dataclass(frozen=True)
class Class:
    """Holds a graded class.

    That is its chapters, the submissions that were not simply graded (name with its student,
    status, reason; those not yet seen first), and the students who are not on its list.
    """

    out: Path
    statuses: Mapping[str, int]
    chapters: tuple[Chapter, ...]
    troubled: tuple[tuple[str, str, str], ...]
    waiting: int
    strangers: tuple[str, ...] = ()


def read_class(out: Path) -> Class:
    """Read an OUT folder; LookupError, with a sentence, when nothing was graded into it."""
    results = read_results(out)
    marked: dict[str, list[Sheet]] = {}
    for sheet in sheets(out):
        marked.setdefault(sheet.assignment, []).append(sheet)
    counted: dict[str, dict] = {}
    for name, result in results.items():
        if result["assignment"] and result["counted"]:
            counted.setdefault(result["assignment"], {})[name] = result
    listed = class_of(out).rows
    chapters = tuple(
        Chapter(
            name,
            tuple(marked.get(name, ())),
            tuple(items(marked.get(name, ()))),
            tuple(misconceptions(counted.get(name, {}))),
            unnamed(counted.get(name, {})),
            _absent(listed, marked.get(name, ())),
        )
        for name in sorted(counted.keys() | marked.keys())
    )
    kept, new, old = seen_of(out), [], []
    for name, result in results.items():
        if result["status"] != "graded" or result.get("flags"):
            told = with_name(name, result["student"], listed)
            if is_seen(kept, name, result):
                old.append((f"{told} (seen)", result["status"], result["reason"]))
            else:
                new.append((told, result["status"], result["reason"]))
    troubled = (*new, *old)
    return Class(
        out,
        Counter(result["status"] for result in results.values()),
        chapters,
        troubled,
        sum(sheet.waits for own in marked.values() for sheet in own),
        tuple(sorted({sheet.student for own in marked.values() for sheet in own} - listed.keys()))
        if listed
        else (),
    )


def report(out: Path) -> str:
    """The report on an OUT folder, as text; LookupError, with a sentence,
    when nothing was graded into it."""
    return as_text(read_class(out))


def as_text(found: Class) -> str:
    """A class as text."""
    parts = [status_line(found)]
    for chapter in found.chapters:
        parts += [
            class_table(chapter),
            absent_line(chapter),
            item_table(chapter),
            misconception_map(chapter),
        ]
    if found.troubled:
        lines = [
            f"  {name}: {status}, {reason}"
            for name, status, reason in islice(found.troubled, MOST_ROWS)
        ]
        parts.append("Not simply graded\n" + "\n".join(lines + _more(len(found.troubled))))
    if found.strangers:
        parts.append(strangers_line(found))
    parts.append("Where to look next\n" + "\n".join(f"  {line}" for line in advice(found)))
    return "\n\n".join(filter(None, parts))


def status_line(found: Class) -> str:
    """`300 submissions: 288 graded, 9 repaired, ...`"""
    cut_off = (
        " The last run of `grade` did not finish, so some submissions are missing here. The"
        " same command goes on from there."
        if (found.out / UNFINISHED).exists()
        else ""
    )
    count = sum(found.statuses.values())
    return (
        f"{count} submission{'s' * (count != 1)}: "
        + ", ".join(
            f"{found.statuses[status]} {status}"
            for status in STATUSES
            if found.statuses.get(status)
        )
        + (f".{cut_off}" if cut_off else "")
    )


def class_table(chapter: Chapter) -> str:
    """A row a student: the score after the penalty for being late, then each question's points."""
    if not chapter.sheets:
        return chapter.name
    questions = [item.question for item in chapter.items]
    shown = chapter.sheets[:MOST_ROWS]
    cells = [{cell.question: cell for cell in sheet.cells} for sheet in shown]
    broad = {each: max(5, *(len(mark_of(own.get(each))) for own in cells)) for each in questions}
    width = max(7, *(len(sheet.student) for sheet in chapter.sheets))
    late = any(sheet.seconds_late or sheet.late_penalty for sheet in chapter.sheets)
    named = {sheet.student: sheet.name for sheet in chapter.sheets}
    wide = min(LONGEST_NAME, max(map(len, named.values())))
    name_head = f"{'name':{wide}}  " if wide else ""
    head = (
        f"  {'student':{width}}  {name_head}{'score':>9}  "
        + (f"{'late':>6}  " if late else "")
        + " ".join(f"{question[3:]:>{broad[question]}}" for question in questions)
    )
    lines = [chapter.name, head]
    for sheet, own in zip(shown, cells):
        marks = " ".join(f"{mark_of(own.get(each)):>{broad[each]}}" for each in questions)
        penalty = (
            f"{f'-{sheet.late_penalty:g}' if sheet.late_penalty else 'yes' if sheet.seconds_late else '':>6}  "  # noqa: E501
            if late
            else ""
        )
        name = f"{named[sheet.student][:wide]:{wide}}  " if wide else ""
        lines.append(
            f"  {sheet.student:{width}}  {name}{sheet.score:>4g}/{sheet.max:<4g}  {penalty}{marks}"
        )
    return "\n".join(lines + _more(len(chapter.sheets)))


def absent_line(chapter: Chapter) -> str:
    """From whom of the class list nothing came;
    "" where everybody is there, or there is no list."""
    if not chapter.absent:
        return ""
    return "\n".join(
        textwrap.wrap(
            f"{len(chapter.absent)} of the class list handed in nothing that could be graded: "
            f"{some_of(chapter.absent, MOST_NAMES)}.",
            150,
            initial_indent="  ",
            subsequent_indent="    ",
        )
    )


def strangers_line(found: Class) -> str:
    """Who was graded and is not on the class list."""
    return (
        f"Not on the class list: {some_of(found.strangers, MOST_NAMES)}.\n"
        "  If a file of theirs belongs to somebody who is on it, write the file's name into"
        " that line of the list, in a column named file, and grade "
        f"again with --roster. `forget {found.out} ID` deletes a row that belongs to nobody."
    )


def item_table(chapter: Chapter) -> str:
    """How each question did over the class."""
    if not chapter.items:
        return ""
    lines = [
        "  How the questions did",
        f"    {'question':9} {'full marks':>10} {'mean':>6} {'discrimination':>14}  what is asked",
    ]
    for item in chapter.items:
        full, mean = (
            f"{value:.0%}" if value is not None else "" for value in (item.full, item.mean)
        )
        apart = f"{item.tells_apart:.2f}" if item.tells_apart is not None else ""
        waits = f" ({item.waiting} wait for you)" if item.waiting else ""
        note = f"  <- {item.advice}" if item.advice else ""
        lines.append(
            f"    {item.question:9} {full:>10} {mean:>6} {apart:>14} "
            f" {textwrap.shorten(item.title, 60, placeholder='...')}{waits}{note}"
        )
    if max(item.marked for item in chapter.items) < LEAST_FOR_STATISTICS:
        lines.append(
            f"    Fewer than {LEAST_FOR_STATISTICS} students: discrimination cannot be said."
        )
    elif any(item.tells_apart is not None for item in chapter.items):
        lines.append(
            "    Discrimination, -1 to 1: do those who have it right have the other questions"
            " right, too? Near 0 or below, read the question again."
        )
    return "\n".join(lines)


def misconception_map(chapter: Chapter) -> str:
    """Which wrong answer means what, and how many gave it;
    question by question in the order of frequency."""
    if not chapter.misconceptions and not chapter.unnamed:
        return ""
    lines = ["  What people took for true, most frequent first"]
    for wrong in chapter.misconceptions:
        lines.append(
            f"    {wrong.students:4} x {wrong.question} {wrong.name} ({wrong.share:.0%} of those "
            f"who missed it): {wrong.sentence}"
        )
        if wrong.example:
            lines.append(f"           {wrong.example}")
    if chapter.unnamed:
        lines.append(
            "    Wrong in a way that has no name yet: "
            + ", ".join(f"{count} x {question}" for question, count in chapter.unnamed.items())
        )
    return "\n".join(lines)


def advice(found: Class, has_pictures: bool = False) -> list[str]:
    """What to do next, a line each; one that begins with spaces belongs to the line above.
    has_pictures: it is read beside them."""
    lines, out, quoted = [], found.out, shlex.quote(str(found.out))
    if found.waiting:
        lines.append(
            f"{found.waiting} submission{' has' if found.waiting == 1 else 's have'} an open answer"
            " waiting for you; names hidden, like ones together, one key a mark:"
        )
        lines.append(f"  {shlex.quote(sys.executable)} -m autograder review {quoted}")
        lines.append(
            f"  or in formgrader: cd {quoted} && {shlex.quote(sys.executable)} -m jupyterlab, then "
            "Nbgrader > Formgrader in the menu."
        )
    wrong = max(
        (wrong for chapter in found.chapters for wrong in chapter.misconceptions),
        key=lambda wrong: wrong.students,
        default=None,
    )
    if wrong:
        lines.append(
            f'Talk about "{wrong.name}" ({wrong.question}) in class: {wrong.students} gave that '
            "answer."
        )
    lines += [
        f"Look at {item.question}: {item.advice}."
        for chapter in found.chapters
        for item in chapter.items
        if item.tells_apart is not None and item.tells_apart < 0.1 and item.advice
    ]
    if any(found.statuses.get(status) for status in ("partial", "unreadable", "refused")):
        lines.append(
            "Write to those listed as partial, unreadable or refused: their reason says what to "
            "send again."
        )
    if not has_pictures:
        lines.append(
            f"With pictures: {shlex.quote(sys.executable)} -m autograder report {quoted} --page"
        )
    lines.append(f"Every result, with its sentence: {out / 'results.json'}")
    return lines


def mark_of(cell) -> str:
    """A cell of the class table: points, `waits`, both where an answer with a mark was written
    again, or nothing where the notebook has no such question."""
    if cell is None:
        return ""
    points = [] if cell.waits and not cell.renewed else [f"{cell.score:g}"]
    return " ".join([*points, *["waits"] * cell.waits])


def _absent(listed: Mapping[str, Mapping[str, str]], marked) -> tuple[str, ...]:
    there = {sheet.student for sheet in marked}
    return tuple(
        " ".join(filter(None, (student, *names(row)[:2])))
        for student, row in listed.items()
        if student not in there
    )


def _more(rows: int) -> list[str]:
    return (
        [f"  ... and {rows - MOST_ROWS} more: `--page` and `export` have all."]
        if rows > MOST_ROWS
        else []
    )
