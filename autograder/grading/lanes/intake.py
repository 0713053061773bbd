"""Takes in what a class handed in: a copy, a receipt and a chapter for each file."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path

from autograder.course.secret import held_to
from autograder.gradebook import late
from autograder.gradebook.files import holding, keep_private
from autograder.gradebook.students import class_of
from autograder.handed_in.arrivals import arrive, keep_copy
from autograder.handed_in.classlist import Roster
from autograder.handed_in.receipts import Receipts, as_listed
from autograder.handed_in.submission import REFUSED, Submission, entries, of

SAYS_HOW_MANY_READ_EVERY = 1_000
# So many of one chapter, and at most such a share of others, make the others strays.
STRAYS_BESIDE, MOST_STRAYS = 4, 0.2
# what another run is told that wants the same folder
HELD = "another run is grading into this folder; wait for it to end, or end it"


def receive(
    folder: Path,
    out: Path,
    roster: Roster = Roster(),
    at: datetime | None = None,
    ignore: tuple[Path, ...] = (),
    say=lambda text: print(text, file=sys.stderr),
    exchange: Callable[[Submission], datetime | None] = lambda submission: None,
) -> list[Submission]:
    """Take in what is in `folder` without grading it: a copy and a receipt of everything new, from
    the moment that the class list says, or nbgrader's `exchange`, else from `at` or now. That
    moment decides what is late. Returns what was new."""
    out.mkdir(parents=True, exist_ok=True)
    with holding(out / ".grading", 0, HELD), _kept_private(out):
        held_to(out, keep=True)
        roster = class_of(out, roster)
        listed = as_listed(late.handed_in_times(roster.all_rows))
        return take_in(
            folder,
            out,
            roster,
            None,
            say,
            ignore,
            at,
            lambda each: listed(each) or exchange(each),
        )[2]


@contextlib.contextmanager
def _kept_private(out: Path) -> Iterator[None]:
    keep_private(out)
    try:
        yield
    finally:
        keep_private(out)


def take_in(
    folder: Path,
    out: Path,
    roster: Roster,
    asked,
    say,
    ignore,
    at: datetime | None = None,
    came: Callable[[Submission], datetime | None] = lambda submission: None,
) -> tuple[list[Submission], Receipts, list[Submission]]:
    """Read everything once, keep a copy, write the receipts. The answers are let go: a class does
    not fit into memory. The last of the three is what is new."""
    found, papers = [], out / "received"
    for number, path in enumerate(entries(folder, (out, *ignore), roster), 1):
        arrival = arrive(path)
        keep_copy(papers, arrival)
        found += [each.without_answers() for each in of(arrival, roster, asked)]
        if number % SAYS_HOW_MANY_READ_EVERY == 0:
            say(f"{number} submissions read")
    os.sync()  # the copies are on the disk before a receipt says so
    receipts = Receipts(out / "receipts.jsonl")
    found = _without_strays(found)
    return found, receipts, receipts.receive(found, at, came)


def _without_strays(found: list[Submission]) -> list[Submission]:
    """Refuse the few that answer another chapter than nearly everything beside them: a wrong file
    was handed in. One that came together with its student's file of the right chapter was meant."""
    chapters = Counter(each.chapter for each in found if each.can_run)
    if len(chapters) < 2:
        return found
    ((usual, many),) = chapters.most_common(1)
    right = {each.path for each in found if each.chapter == usual}
    strays = {
        id(each)
        for each in found
        if each.can_run and each.chapter != usual and each.path not in right
    }
    if many < STRAYS_BESIDE or len(strays) > MOST_STRAYS * (many + len(strays)):
        return found
    return [
        (
            dataclasses.replace(
                each,
                chapter=None,
                answers={},
                extras=(),
                missing=(),
                for_student=None,
                status=REFUSED,
                reason=(
                    f"it answers chapter {each.chapter}, and nearly everything beside it answers"
                    f" chapter {usual}. If it is meant, put it into a folder of its own and grade"
                    f" that; else ask for the file of chapter {usual}."
                ),
            )
            if id(each) in strays
            else each
        )
        for each in found
    ]
