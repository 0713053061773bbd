"""Grades everything in a folder into OUT, and says which of it counts."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from datetime import datetime
from pathlib import Path

from autograder.course.masters import master
from autograder.course.secret import held_to
from autograder.gradebook import late
from autograder.gradebook.fallen import fallen_in, marks_before
from autograder.gradebook.files import holding, keep_private
from autograder.gradebook.late import settle_penalties
from autograder.gradebook.students import class_of, enrol
from autograder.gradebook.write import restamp
from autograder.grading import calibration, out_folder, results
from autograder.grading.calibration import Calibration
from autograder.grading.lanes.choice import Choice, bears, identity_of, told_of_lateness
from autograder.grading.lanes.intake import HELD, take_in
from autograder.grading.lanes.lane import LaneSettings, grade_all, staff_for
from autograder.grading.lanes.work import WorkItem, standing, still_to_do, works
from autograder.grading.verdict_cache import stale
from autograder.handed_in.classlist import Roster
from autograder.handed_in.receipts import Receipts, as_listed
from autograder.handed_in.submission import Submission


class Unready(ValueError):
    """The folder cannot be graded into as it is; the message says why and what to do."""


def grade_folder(
    folder: Path,
    out: Path,
    put_back: Callable[[Path], int],
    asked: str | None = None,
    roster: Roster = Roster(),
    workers: int | None = None,
    force: bool = False,
    say=lambda text: print(text, file=sys.stderr),
    ignore: tuple[Path, ...] = (),
    allow_unsafe: bool = False,
) -> results.Results:
    """Grade everything in `folder` into `out` and return its results by submission's name; what was
    graded into `out` from other folders stays.

    Submissions whose result is already there are not run again, unless `force`. `put_back` enters a
    person's marks that the gradebook has lost, and returns how many. `say` is told how far it is.
    Below sandbox level L2 this refuses with a ValueError, unless `allow_unsafe`.
    """
    out.mkdir(parents=True, exist_ok=True)
    with ExitStack() as held_open:
        held_open.enter_context(holding(out / ".grading", 0, HELD))
        keep_private(out)
        held_open.callback(keep_private, out)
        before, roster, calibrations, moments = _ready(out, roster)
        settings = LaneSettings(out, roster, workers or os.cpu_count() or 1, not allow_unsafe)
        given = marks_before(out, out / out_folder.UNFINISHED)
        ahead = 0 if before else min(settings.workers, _most_in(folder))
        staff = held_open.enter_context(staff_for(settings.workers, ahead))
        found, receipts, new = take_in(
            folder, out, roster, asked, say, ignore, came=as_listed(moments)
        )
        older = standing(out_folder.elsewhere(out, before.values(), found, roster), found, receipts)
        keyed = [
            (each, results.key_of(each, master(each.chapter) if each.can_run else None))
            for each in found
        ]
        keyed_older = [(entry.submission, entry.key) for entry in older]
        everything = [*keyed, *keyed_older]
        choice = Choice(
            out,
            receipts,
            roster,
            calibrations,
            {identity_of(each): key for each, key in everything},
        )
        counts = choice.of(each for each, _ in everything)
        here, there = works(keyed, counts, receipts), works(keyed_older, counts, receipts)
        todo = still_to_do(here, out, calibrations, force)
        if len(todo) < len(here):
            say(f"{len(here) - len(todo)} of {len(here)} were graded before; {len(todo)} to go.")
        _say_what_is_stale(todo, say)
        todo += still_to_do(there, out, calibrations, force=False)
        if todo or not (out / "gradebook.db").exists():
            grade_all(todo, settings, staff, say)
        fairer = choice.of(each for each, _ in everything)
        if any(fairer[who] is not counts[who] for who in counts):
            # Now that all are graded, a late file is known to be worth no more.
            counts = fairer
            here, there = works(keyed, counts, receipts), works(keyed_older, counts, receipts)
            again = [
                *still_to_do(here, out, calibrations, False),
                *still_to_do(there, out, calibrations, False),
            ]
            grade_all(again, settings, staff, lambda text: None)
        named = out_folder.unique_names(
            [
                out_folder.GradedFile(each.submission, each.key, each.counts)
                for each in (*here, *there)
            ],
            lambda each: late.moment_text(receipts.at(each)),
        )
        hidden = out_folder.replaced(named.values())
        shown = {
            name: entry
            for name, entry in named.items()
            if entry.counts or id(entry.submission) not in hidden
        }
        whole = _results(out, shown, counts, receipts, roster)
        # first: cut off between the two, the next run shows them all
        out_folder.keep(out, named)
        results.write_atomically(out / "results.json", results.as_json(whole.items()))
        enrol(out, roster)
        if todo and (back := put_back(out)):
            say(
                f"{back} mark{'s' if back > 1 else ''} of `review` that the gradebook had lost "
                f"{'are' if back > 1 else 'is'} in it again."
            )
        restamp(
            out,
            {
                (each.student, master(each.chapter).name): receipts.at(each)
                for each in counts.values()
            },
        )
        settle_penalties(out)
        for line in fallen_in(out, given, _files(before), _files(named)):
            say(line)
        for line in told_of_lateness(
            choice, new, [shown[name].submission.student for name in whole.too_late]
        ):
            say(line)
        (out / out_folder.UNFINISHED).unlink(missing_ok=True)
        return whole.only(list(shown)[: len(here)])


def _most_in(folder: Path) -> int:
    """How many submissions a folder may hold: its notebooks; no limit where an archive is."""
    inside = list(folder.iterdir())
    return len(inside) if all(path.suffix == ".ipynb" for path in inside) else sys.maxsize


def _ready(
    out: Path, roster: Roster
) -> tuple[dict[str, out_folder.GradedFile], Roster, dict[str, Calibration], dict[str, datetime]]:
    """What OUT shows by now, its class, its calibrations, and the moments that the class list
    names. Unready where OUT belongs to another secret or one of its files is broken."""
    try:
        held_to(out, keep=True)
        before = out_folder.read(out)
        roster = class_of(out, roster)
        calibrations = calibration.read(out)
        return (
            before,
            roster,
            calibrations,
            late.handed_in_times(roster.all_rows),
        )
    except ValueError as why:
        raise Unready(*why.args) from None


def _files(entries: Mapping[str, out_folder.GradedFile]) -> dict[tuple[str, str], str]:
    """The name of the file that counts, by student and assignment."""
    return {
        (entry.submission.student, master(entry.submission.chapter).name): name
        for name, entry in entries.items()
        if entry.counts
    }


def _say_what_is_stale(todo: list[WorkItem], say) -> None:
    """Name the exercises that were edited since they were sealed."""
    for chapter in sorted({each.submission.chapter for each in todo if each.submission.can_run}):
        if old := stale(chapter):
            say(
                f"Edited since sealed: {', '.join(old)}. Labs are played again for every "
                f"answer there; `python -m autograder seal {' '.join(old)}` "
                "makes that fast, and check() in notebooks say the same as grading."
            )


def _results(
    out: Path,
    shown: Mapping[str, out_folder.GradedFile],
    counts: Mapping[tuple[str, str], Submission],
    receipts: Receipts,
    roster: Roster,
) -> results.Results:
    """Everything that OUT shows, with what was replaced by another file of the same student."""
    names = {id(entry.submission): name for name, entry in shown.items()}
    superseded = {
        name: names[id(later)]
        for name, entry in shown.items()
        if entry.submission.can_run
        and (later := counts[entry.submission.student, entry.submission.chapter])
        is not entry.submission
    }
    borrowed = frozenset(
        name
        for name in superseded
        if not bears(roster, own := shown[name].submission)
        and bears(roster, counts[own.student, own.chapter])
    )
    too_late = frozenset(
        name
        for name in superseded.keys() - borrowed
        if receipts.number(own := shown[name].submission)
        > receipts.number(counts[own.student, own.chapter])
    )
    return results.Results(
        out / "results",
        {name: entry.key for name, entry in shown.items()},
        superseded,
        borrowed,
        too_late,
    )
