"""Lists whom a teacher writes to, why, and a sentence or two to send.

    python -m autograder letters OUT                      # in the terminal
    python -m autograder letters OUT --file letters.csv   # for a mail merge

Everything is decided by codes: a file's status and concerns, a question's outcome, the dates. A
letter accuses nobody: where a person should look, it asks the student to come and talk.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path

from autograder.cell.outcome import Outcome
from autograder.gradebook import late
from autograder.gradebook.late import Policy, deadlines, moment_text
from autograder.gradebook.read import Sheet, sheets
from autograder.gradebook.students import class_of, names
from autograder.handed_in.concerns import Concern
from autograder.handed_in.submission import REFUSED, UNREADABLE
from autograder.teacher.export import as_csv, safe
from autograder.teacher.feedback import lateness_sentence
from autograder.written.answers import read_results

HEAD = ("id", "name", "email", "chapter", "why", "text")
OF_CHAPTER = re.compile(r"(?<!\d)(\d\d)_[a-z]")


class Why(StrEnum):
    """The reason of a letter, as the table has it."""

    MISSING = "missing"
    NOT_GRADED = "could not be graded"
    ANOTHERS = "another's name or work"
    TALK = "to talk about"
    NO_NAME = "no name"
    ANOTHER_KEY = "another package"
    CELL_GONE = "answer cell gone"
    STOPPED = "code was stopped"
    NO_ANSWER = "no answer"
    LATE = "late"


@dataclass(frozen=True)
class Letter:
    """One reason to write to one student; `text` is what to send."""

    student: str
    name: str
    email: str
    chapter: str  # "03"; "" where it cannot be told
    why: Why
    text: str


def letters_of(out: Path) -> list[Letter]:
    """The letters of an OUT folder, by student, chapter and reason; LookupError, with a sentence,
    when nothing was graded into it."""
    results, marked = read_results(out), list(sheets(out))
    people = _people(class_of(out).rows, marked)
    until, costs = deadlines(out), late.policy()
    chapters = sorted({result["assignment"] for result in results.values() if result["assignment"]})
    listed = class_of(out).rows
    there = {(sheet.student, sheet.assignment) for sheet in marked}
    lacking = {
        student: [name for name in chapters if (student, name) not in there]
        for student in (*listed, *(result["student"] for result in results.values()))
    }
    found: list[tuple[str, str, Why, str]] = []
    unread = set(_not_graded(results, lacking))
    found += [(student, chapter, Why.NOT_GRADED, text) for student, chapter, text in unread]
    explained = {(student, chapter) for student, chapter, _ in unread}
    for student in listed:
        for name in lacking[student]:
            end = until(student, name)
            if (student, name[:2]) not in explained and (end is None or end < datetime.now(UTC)):
                found.append((student, name[:2], Why.MISSING, _missing(name[:2], end, costs)))
    for result in results.values():
        if result["counted"] and result["assignment"]:
            chapter, student = result["assignment"][:2], result["student"]
            for why, text in _of_result(result, chapter, student if student in listed else ""):
                found.append((student, chapter, why, text))
    found += [
        (sheet.student, sheet.assignment[:2], Why.LATE, _late(sheet, costs))
        for sheet in marked
        if sheet.late_penalty and sheet.assignment in chapters
    ]
    order = list(Why)
    found.sort(key=lambda each: (*each[:2], order.index(each[2]), each[3]))
    return [
        Letter(student, *people.get(student, ("", "")), chapter, why, text)
        for student, chapter, why, text in found
    ]


def as_table(letters: Iterable[Letter]) -> str:
    """The letters as CSV, with a heading."""
    rows = (
        [each.student, each.name, each.email, each.chapter, str(each.why), each.text]
        for each in letters
    )
    return as_csv([list(HEAD), *([safe(cell) for cell in row] for row in rows)])


def as_lines(letters: Iterable[Letter]) -> Iterator[str]:
    """The letters for the terminal, two lines each."""
    for each in letters:
        who = " ".join(filter(None, (each.student, each.name)))
        address = f" <{each.email}>" if each.email else ""
        yield f"{who}{address}: {f'{each.chapter}, ' if each.chapter else ''}{each.why}"
        yield f"    {each.text}"


def summary(letters: list[Letter]) -> str:
    """How many letters there are, by reason, and who has no address."""
    if not letters:
        return "There is nobody to write to."
    reasons = Counter(each.why for each in letters)
    people = {each.student for each in letters}
    told = ", ".join(f"{reasons[why]} {why}" for why in Why if reasons[why])
    without = sorted({each.student for each in letters if not each.email})
    return (
        f"{len(letters)} letter{'' if len(letters) == 1 else 's'} to {len(people)}"
        f" student{'' if len(people) == 1 else 's'}: {told}."
        + (f" Without an address: {len(without)}." if without else "")
    )


def _people(
    listed: Mapping[str, Mapping[str, str]], marked: Iterable[Sheet]
) -> dict[str, tuple[str, str]]:
    """Name and address of each student."""
    people = {sheet.student: (sheet.name, sheet.email) for sheet in marked}
    for student, row in listed.items():
        first, last, email = names(row)
        people[student] = " ".join(filter(None, (first, last))), email or ""
    return people


def _not_graded(
    results: Mapping[str, dict], lacking: Mapping[str, list[str]]
) -> Iterator[tuple[str, str, str]]:
    """(student, chapter, text) of the files that could not be graded, of students who have nothing
    else in that chapter."""
    for name, result in results.items():
        student, missing = result["student"], [each[:2] for each in lacking[result["student"]]]
        if result["status"] not in (UNREADABLE, REFUSED) or not missing:
            continue
        named = OF_CHAPTER.search(name)
        if named and named[1] not in missing:
            continue
        chapter = named[1] if named else missing[0] if len(missing) == 1 else ""
        yield (
            student,
            chapter,
            f"Your file {name} could not be graded: {result['reason_for_student'].rstrip('.')}."
            f" Please hand in {f'chapter {chapter}' if chapter else 'your notebook'} again.",
        )


def _of_result(result: Mapping, chapter: str, student: str) -> Iterator[tuple[Why, str]]:
    """The letters about one file that counts; `student` is "" for one who is not on the list."""
    of = {
        outcome: [
            question for question, cell in result["cells"].items() if cell["outcome"] == outcome
        ]
        for outcome in (Outcome.GONE, Outcome.UNHEARD, Outcome.BLANK)
    }
    concerns = set(result["concerns"])
    if concerns & {Concern.NAMES_ANOTHER, Concern.CHANGED, Concern.ODD_CODE}:
        why = Why.ANOTHERS if Concern.NAMES_ANOTHER in concerns else Why.TALK
        yield (
            why,
            f"I would like to talk with you about your notebook of chapter {chapter}. Please come"
            " and talk to me.",
        )
    if not result["variant"]:
        yield (
            Why.NO_NAME,
            f"Your notebook of chapter {chapter} has no name in it, so it did not show your own"
            f' numbers. Write me("{student or "your id"}") in its first cell, run all cells, look'
            " at your answers again, and hand it in again.",
        )
    if Concern.ANOTHER_KEY in concerns:
        yield (
            Why.ANOTHER_KEY,
            f"Your notebook of chapter {chapter} is from another package than ours, so its numbers"
            " are not yours. Take our package, put your answers into its notebook, and hand that"
            " in.",
        )
    if gone := of[Outcome.GONE]:
        yield (
            Why.CELL_GONE,
            f"Your notebook of chapter {chapter} has no answer cell any more for {_and(gone)}. Get"
            f" a fresh one with `python -m autograder reset {chapter}`, copy your answers into it,"
            " and hand it in again.",
        )
    if unheard := of[Outcome.UNHEARD]:
        yield (
            Why.STOPPED,
            f"Your code of chapter {chapter} was stopped before it had answered {_and(unheard)}."
            " Look for a loop that does not end, run all cells, and hand it in again.",
        )
    if blank := of[Outcome.BLANK]:
        yield (
            Why.NO_ANSWER,
            f"In chapter {chapter} there is no answer of yours to {_and(blank)}. Do you need help"
            " with it?",
        )


def _missing(chapter: str, end: datetime | None, costs: Policy) -> str:
    due = f" It was due {moment_text(end)}; {costs}." if end else ""
    return (
        f"I have no file of yours for chapter {chapter}.{due} If you have handed it in, send me the"
        " receipt code that `pack` printed."
    )


def _late(sheet: Sheet, costs: Policy) -> str:
    return f"This is about chapter {sheet.assignment[:2]}.{lateness_sentence(sheet, costs)}"


def _and(questions: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(questions[:-1]), questions[-1])))
