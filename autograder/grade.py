"""Grade one submission, or a class of them.

    >>> from autograder.grade import grade
    >>> grade("03", "alice.ipynb")["score"]

Four kinds of process grade a class, each with one duty. This one, the parent, takes in what was
handed in, rebuilds it from the master and never runs a learner's code. Workers run the code, inside
the sandbox (sandbox/outside/parent.py, sandbox/inside/worker.py). Judges decide on what was heard,
outside, on plain data (grading/verdict.py). One writer owns the gradebook and what is kept
(grading/writer.py).

A submission goes down one of as many *lanes* as there are workers: run, judged, written, then the
next. So a run that is cut off, by Ctrl-C, by kill -9 or by the power, has at most one submission
per worker to do again when it is started again. While one lane waits for a judge or the disk the
others keep the cores busy.
"""

from __future__ import annotations

import dataclasses
import os
import queue
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from datetime import datetime
from math import isclose
from pathlib import Path
from random import Random

from autograder.cell.course_folder import chapter_number
from autograder.cell.numbers import numbers_for
from autograder.course.masters import master
from autograder.course.secret import held_to
from autograder.gradebook import late
from autograder.gradebook.files import holding
from autograder.gradebook.late import settle as settle_late
from autograder.gradebook.students import class_of, enrol
from autograder.gradebook.write import recorded, restamp, told, written
from autograder.grading import calibration, out_folder, results
from autograder.grading.child_process import Colleague
from autograder.grading.pace import Pace
from autograder.grading.settling import marks_of, settle
from autograder.grading.verdict import asked_of, blank, judge
from autograder.grading.verdict_cache import stale
from autograder.handed_in.arrivals import arrive, keep_copy
from autograder.handed_in.assignment import steps
from autograder.handed_in.classlist import Roster
from autograder.handed_in.needs import as_python
from autograder.handed_in.receipts import Receipts
from autograder.handed_in.submission import PARTIAL, REFUSED, Submission, entries, of, read
from autograder.sandbox.outside.parent import Sandbox, SandboxFailed, Unofficial
from autograder.written.answers import UNFINISHED
from autograder.written.queue import put_back

__all__ = [
    "grade",
    "grade_class",
    "grade_file",
    "hear",
    "judge",
    "needs_attention",
    "public",
    "run",
]
QUIET_STATUSES = ("graded", "repaired")
# most verdicts are looked up; one that thinks for long, over a class's first play, keeps at most
# two lanes waiting
WORKERS_PER_JUDGE = 2
# for one submission; a judge's first ones are slow, for it plays labs to know the truth
JUDGE_SECONDS = 120.0
SAYS_HOW_MANY_READ_EVERY = 1_000
# So many of one chapter, and at most such a share of others, make the others strays.
STRAYS_BESIDE, MOST_STRAYS = 4, 0.2


class Unready(ValueError):
    """The folder cannot be graded into as it is; the message is the
    sentence that says why and what to do."""


def grade(source: str | Path, submission: str | Path) -> dict:
    """Grade one file against a chapter ("03", or the path of its notebook) or whatever chapter it
    answers (""), without a gradebook.

    Returns what RESULTS.json holds for it: student, assignment, score, max, open_pending, open_max,
    status, reason, reason_for_student, seconds, level, and the cells. Points are those of the
    notebook handed out.
    """
    asked = chapter_number(Path(source).stem) if str(source) else None
    return next(iter(grade_file(Path(submission), asked).values()))


def grade_file(
    path: Path, asked: str | None = None, uploader: tuple[str, ...] = ()
) -> dict[str, dict]:
    """Grade what one file or folder holds, without a gradebook: {name: result}, one entry for each
    chapter in it. `uploader`: the ids of whoever handed it in; a notebook that names somebody else
    is refused."""
    if not path.exists() and not path.is_symlink():
        raise FileNotFoundError(2, "There is no such submission", str(path))
    with Sandbox() as sandbox:
        return {
            each.name: public(run(_of_its_uploader(each, uploader), sandbox))
            for each in read(path, asked=asked)
        }


def _of_its_uploader(submission: Submission, ids: tuple[str, ...]) -> Submission:
    """The submission, refused where its first cell does not name one of these ids."""
    if (
        not ids
        or not submission.can_run
        or submission.variant.casefold() in {each.casefold() for each in ids}
    ):
        return submission
    named = (
        f"names {submission.variant}, and {ids[0]} handed it in"
        if submission.variant
        else "names nobody"
    )
    return dataclasses.replace(
        submission,
        status=REFUSED,
        answers={},
        extras=(),
        missing=(),
        for_student=None,
        reason=(
            f'its first cell {named}. Write your own id there, me("{ids[0]}"), run every cell'
            " again, solve it with your own numbers, and hand in again."
        ),
    )


def run(submission: Submission, sandbox: Sandbox) -> dict:
    """Run and judge one submission; the result with everything worth
    keeping (see `public` for what goes out)."""
    return judge(submission, *hear(submission, sandbox))


def hear(
    submission: Submission, sandbox: Sandbox, only: set[str] | None = None
) -> tuple[dict, dict]:
    """What the sandbox heard: (cases asked by question, the sandbox's answer); `only` these
    questions, where it says which. Safe in a thread; nothing is decided here."""
    if not submission.can_run:
        return {}, {
            "replies": {},
            "ended": submission.reason,
            "seconds": 0.0,
            "level": sandbox.reached()[0],
        }
    asked = asked_of(submission)
    own = master(submission.chapter)
    numbers = {
        question.id: dict(numbers_for(question, submission.variant, submission.key))
        for question in own.questions
    }
    cells = steps(own, submission.answers, only=only, extras=submission.extras)
    jobs = [
        {
            "source": _python(step.source),
            "question": step.question,
            "spark": step.spark,
            "cases": [case for case, hidden in asked.get(step.question, ()) if not hidden],
            "hidden": [case for case, hidden in asked.get(step.question, ()) if hidden],
        }
        for step in cells
    ]
    return asked, sandbox.run(jobs, numbers, spark=any(step.spark for step in cells))


def public(result: dict) -> dict:
    """The result as RESULTS.json shows it."""
    shown = (
        "student",
        "assignment",
        "score",
        "max",
        "open_pending",
        "open_max",
        "status",
        "reason",
        "reason_for_student",
        "seconds",
        "level",
        "cells",
    )
    return {name: result[name] for name in shown}


def needs_attention(results_by_name) -> list[str]:
    """The submissions a person should look at: those that were not read whole, did not run to
    their end, or do what no honest answer does."""
    return [
        name
        for name, result in results_by_name.items()
        if result["status"] not in QUIET_STATUSES or result.get("flags")
    ]


def grade_class(
    folder: Path,
    out: Path,
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

    Submissions whose result is already there are not run again, unless `force`. `say` is told how
    far it is. Below sandbox level L2 this refuses with a ValueError, unless `allow_unsafe`.
    """
    out.mkdir(parents=True, exist_ok=True)
    with holding(
        out / ".grading",
        0,
        "another run is grading into this folder; wait for it to end, or end it",
    ):
        try:
            held_to(out, keep=True)
            before, roster, calibrations = (
                out_folder.read(out),
                class_of(out, roster),
                calibration.read(out),
            )
            moments = late.handed_in_times(roster.rows)
        except ValueError as why:
            raise Unready(*why.args) from None
        (out / UNFINISHED).touch()
        found, receipts, new = _received(folder, out, roster, asked, say, ignore, moments=moments)
        older = _standing(out_folder.elsewhere(before.values(), found), found, receipts)
        keyed = [
            (each, results.key_of(each, master(each.chapter) if each.can_run else None))
            for each in found
        ]
        keyed_older = [(entry.submission, entry.key) for entry in older]
        choice = _Choice(
            out,
            receipts,
            roster,
            calibrations,
            {_place(each): key for each, key in (*keyed, *keyed_older)},
        )
        counts = choice.of(each for each, _ in (*keyed, *keyed_older))
        here, there = _works(keyed, counts, receipts), _works(keyed_older, counts, receipts)
        todo = _still_to_do(here, out, calibrations, force)
        if len(todo) < len(here):
            say(f"{len(here) - len(todo)} of {len(here)} were graded before; {len(todo)} to go.")
        for chapter in sorted(
            {each.submission.chapter for each in todo if each.submission.can_run}
        ):
            if old := stale(chapter):
                say(
                    f"Edited since sealed: {', '.join(old)}. Labs are played again for every "
                    f"answer there; `python -m autograder seal {' '.join(old)}` "
                    "makes that fast, and check() in notebooks say the same as grading."
                )
        todo += _still_to_do(there, out, calibrations, force=False)
        if todo or not (out / "gradebook.db").exists():
            _grade_all(
                todo, _Course(out, roster, workers or os.cpu_count() or 1, not allow_unsafe), say
            )
        fairer = choice.of(each for each, _ in (*keyed, *keyed_older))
        if any(fairer[who] is not counts[who] for who in counts):
            # Now that all are graded, a late file is known to be worth no more.
            counts = fairer
            here, there = _works(keyed, counts, receipts), _works(keyed_older, counts, receipts)
            again = _still_to_do(here, out, calibrations, False) + _still_to_do(
                there, out, calibrations, False
            )
            _grade_all(
                again,
                _Course(out, roster, workers or os.cpu_count() or 1, not allow_unsafe),
                lambda text: None,
            )
        shown = out_folder.named(
            out_folder.Entry(each.submission, each.key) for each in (*here, *there)
        )
        superseded = {
            name: later.name
            for name, entry in shown.items()
            if entry.submission.can_run
            and (later := counts[entry.submission.student, entry.submission.chapter])
            is not entry.submission
        }
        borrowed = frozenset(
            name
            for name in superseded
            if not _bears(roster, own := shown[name].submission)
            and _bears(roster, counts[own.student, own.chapter])
        )
        too_late = frozenset(
            name
            for name in superseded.keys() - borrowed
            if receipts.number(own := shown[name].submission)
            > receipts.number(counts[own.student, own.chapter])
        )
        everything = results.Results(
            out / "results",
            {name: entry.key for name, entry in shown.items()},
            superseded,
            borrowed,
            too_late,
        )
        # first: cut off between the two, the next run shows them all
        out_folder.keep(out, shown)
        results.write_atomically(out / "results.json", results.as_json(everything.items()))
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
        settle_late(out)
        for line in _told_of_lateness(
            choice, new, [shown[name].submission.student for name in too_late]
        ):
            say(line)
        (out / UNFINISHED).unlink(missing_ok=True)
        names = list(shown)[: len(here)]
        return results.Results(
            out / "results",
            {name: shown[name].key for name in names},
            superseded,
            borrowed,
            too_late,
        )


def new_judge() -> Colleague:
    """A judge process."""
    return Colleague("autograder.grading.verdict", seconds=JUDGE_SECONDS)


def receive(
    folder: Path,
    out: Path,
    roster: Roster = Roster(),
    at: datetime | None = None,
    ignore: tuple[Path, ...] = (),
    say=lambda text: print(text, file=sys.stderr),
) -> list[Submission]:
    """Take in what is in `folder` without grading it: a copy and a receipt of everything new, from
    the moment that the class list says, else from `at` or now. That moment decides what is late.
    Returns what was new."""
    out.mkdir(parents=True, exist_ok=True)
    with holding(
        out / ".grading",
        0,
        "another run is grading into this folder; wait for it to end, or end it",
    ):
        held_to(out, keep=True)
        roster = class_of(out, roster)
        return _received(
            folder, out, roster, None, say, ignore, at, late.handed_in_times(roster.rows)
        )[2]


class _Choice:
    """Which of a student's files of one chapter counts, by the course's policy (late.COUNTS).

    Of several that say they are somebody's those are looked at whose file bears the name; anybody
    can write another's into a notebook.
    """

    def __init__(
        self, out: Path, receipts: Receipts, roster: Roster, calibrations, keys: dict[tuple, str]
    ):
        self._out, self._receipts, self._roster, self._calibrations, self._keys = (
            out,
            receipts,
            roster,
            calibrations,
            keys,
        )
        self._lost, self._rule = late.lateness(out), late.policy().counts

    def of(self, found) -> dict[tuple[str, str], Submission]:
        """(student, chapter) -> the submission that counts. A late file that is not graded yet is
        taken to be worth more."""
        several: dict[tuple[str, str], list[Submission]] = {}
        for each in sorted((each for each in found if each.can_run), key=self._receipts.number):
            several.setdefault((each.student, each.chapter), []).append(each)
        return {
            who: self._best([each for each in files if _bears(self._roster, each)] or files)
            for who, files in several.items()
        }

    def lost(self, submission: Submission) -> float:
        """The share of its points that a submission loses by lateness."""
        return self._lost(
            submission.student, master(submission.chapter).name, self._receipts.at(submission)
        )

    def _best(self, files: list[Submission]) -> Submission:
        in_time = [each for each in files if not self.lost(each)]
        if self._rule == "last" or len(files) == 1 or len(in_time) == len(files):
            return files[-1]
        if self._rule == "in time":
            return (in_time or files)[-1]
        base = in_time[-1] if in_time else files[0]
        best = base
        for each in files:
            if (
                self._receipts.number(each) > self._receipts.number(base)
                and self.lost(each)
                and self._worth(each) > self._worth(best) + 1e-9
            ):
                best = each
        return best

    def _worth(self, submission: Submission) -> float:
        """The points of a submission after the penalty; of an open answer that waits, those that
        the rubric suggests."""
        known = results.read(self._out / "results", self._keys[_place(submission)])
        if known is None:
            return float("inf") if self.lost(submission) else 0.0
        return sum(
            told(mark) or 0.0 for mark in marks_of(settle(known, self._calibrations)).values()
        ) * (1 - self.lost(submission))


def _place(submission: Submission) -> tuple:
    return submission.name, submission.sha256, submission.chapter


def _works(keyed: list[tuple[Submission, str]], counts: dict, receipts: Receipts) -> list[_Work]:
    return [
        _Work(
            each,
            key,
            counts.get((each.student, each.chapter)) is each,
            receipts.at(each).isoformat(),
        )
        for each, key in keyed
    ]


def _told_of_lateness(choice: _Choice, new: list[Submission], too_late: list[str]) -> list[str]:
    """What a teacher should hear about the late ones of this run."""
    lines = []
    if too_late:
        lines.append(
            f"Handed in again late, and the file before counts: {', '.join(sorted(set(too_late)))}."
        )
    ran = [each for each in new if each.can_run]
    if len(ran) > 2 and all(choice.lost(each) for each in ran):
        lines.append(
            f"All {len(ran)} new submissions are late by the moment of this run. Did they hand in"
            " earlier? Then name the list of that assignment with --roster: Moodle's has a column"
            ' "Last modified (submission)", and those moments will count.'
        )
    return lines


@dataclass(frozen=True)
class _Work:
    """One submission (without its answers: they are read again from the copy when its turn
    comes) and what is to be done."""

    submission: Submission
    key: str
    counts: bool  # the student's last one, which the gradebook shows
    received: str
    known: dict | None = None  # its result, when only the gradebook is behind

    @property
    def kind(self) -> str:
        """Submissions of one kind take about the same time."""
        return (
            "nothing to run"
            if self.known is not None or not self.submission.can_run
            else self.submission.chapter
        )


@dataclass(frozen=True)
class _Course:
    """What all lanes share."""

    out: Path
    roster: Roster
    workers: int
    official: bool  # refuse a sandbox below level L2


def _received(
    folder: Path,
    out: Path,
    roster: Roster,
    asked,
    say,
    ignore,
    at: datetime | None = None,
    moments: dict[str, datetime] | None = None,
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
    return found, receipts, receipts.receive(found, at, moments)


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


def _bears(roster: Roster, submission: Submission) -> bool:
    return roster.bears(submission.path, submission.student)


def _standing(
    older: list[out_folder.Entry], found: list[Submission], receipts: Receipts
) -> list[out_folder.Entry]:
    """Those of earlier runs that are still shown. What could not be read is forgotten once the
    same student has handed in anything since."""
    newest: dict[str, int] = {}
    older = [entry for entry in older if receipts.knows(entry.submission)]
    for each in (*found, *(entry.submission for entry in older)):
        newest[each.student] = max(newest.get(each.student, 0), receipts.number(each))
    return [
        entry
        for entry in older
        if entry.submission.can_run
        or receipts.number(entry.submission) == newest[entry.submission.student]
    ]


def _still_to_do(work: list[_Work], out: Path, calibrations, force: bool) -> list[_Work]:
    """What has no result yet; and what has one that the gradebook must be told of again: it counts
    since another one went, or the teacher has calibrated a question since, or its notebook was
    lost. One that no longer counts is marked so here, before anything takes its place."""
    todo, kept, in_gradebook = [], out / "results", recorded(out)
    for each in work:
        known = None if force else results.read(kept, each.key)
        if known is None or known.get("lost"):
            todo.append(each)
        elif each.counts and (
            not known["counted"]
            or settle(known, calibrations) != known
            or not _shown(out, each.submission, known, in_gradebook)
        ):
            todo.append(_Work(each.submission, each.key, each.counts, each.received, known))
        elif known["counted"] and not each.counts:
            results.keep(kept, each.key, {**known, "counted": False})
    return todo


def _shown(
    out: Path, submission: Submission, known: dict, in_gradebook: dict[tuple[str, str], float]
) -> bool:
    own = master(submission.chapter)
    points = sum(told(mark) or 0.0 for mark in marks_of(known).values())
    return isclose(
        in_gradebook.get((submission.student, own.name), -1.0), points, abs_tol=1e-6
    ) and written(out, own, submission.student)


def _grade_all(todo: list[_Work], course: _Course, say) -> None:
    """Send everything down the lanes. The order is shuffled, the same way each time, so that the
    pace of the first tells the rest."""
    todo = Random(len(todo)).sample(todo, len(todo))
    ahead, back = iter(todo), queue.SimpleQueue()
    turn, stopping = threading.Lock(), threading.Event()
    lanes = min(course.workers, len(todo))
    judges = [new_judge() for _ in range(-(-lanes // WORKERS_PER_JUDGE))]
    writer = Colleague("autograder.grading.writer", (str(course.out.resolve()),))
    calibrations = calibration.read(course.out)

    def lane(judging: Colleague) -> None:
        try:
            first = True
            while not stopping.is_set():
                with turn:
                    work = next(ahead, None)
                if work is None:
                    # what a thread has started dies with it (prctl(2)), and others may still need
                    # it
                    stopping.wait()
                    return
                started = time.monotonic()
                done = _settled(work, course, sandbox, judging, stopping)
                if done is None:
                    return
                whole, result, asked, heard = done
                result = {**settle(result, calibrations), "counted": work.counts}
                _write(writer, course, work, whole, result, asked, heard)
                back.put((work.kind, time.monotonic() - started, first))
                first = False
        except BaseException as failed:
            # ours, not the class's: the run ends, and the next one goes on
            back.put(failed)

    runs = any(work.known is None and work.submission.can_run for work in todo)
    with Sandbox(official=course.official and runs) as sandbox:
        pace, threads = Pace(Counter(work.kind for work in todo), max(lanes, 1), say), []
        try:
            writer.start()
            for number in range(lanes):
                threads.append(
                    threading.Thread(target=lane, args=(judges[number % len(judges)],), daemon=True)
                )
                threads[-1].start()
            for _ in todo:
                done = back.get()
                if isinstance(done, BaseException):
                    raise done
                pace.done(*done)
            spent = writer.ask({"do": "close"})
            say(
                f"Graded in {pace.spent():.1f} s; writing the gradebook took "
                f"{spent['seconds']:.1f} s of that, the files beside it {spent['beside']:.1f} s."
            )
        finally:
            stopping.set()
            # a lane in the middle of a submission hears that its worker is lost, and drops it
            sandbox.stop()
            for each in judges:
                each.stop()
            for thread in threads:
                thread.join()
            writer.close()


def _settled(work: _Work, course: _Course, sandbox: Sandbox, judging: Colleague, stopping):
    """Run and judge one submission: (with its answers, result, asked, heard);
    None when the run is being stopped."""
    if work.known is not None:
        return _again(work.submission, course), work.known, None, None
    if not work.submission.can_run:
        return work.submission, blank(work.submission, sandbox.reached()[0]), None, None
    whole = _again(work.submission, course)
    asked = heard = None
    try:
        asked, heard = hear(whole, sandbox)
        result = (
            {}
            if stopping.is_set()
            else judging.ask({"submission": whole.as_plain(), "heard": heard})
        )
        lost = heard.get("lost", False)
    except (SandboxFailed, Unofficial):
        # no worker can be had at all: that is the machine's trouble
        raise
    except Exception as failed:
        # one submission that we ourselves stumble over must not stop a class
        why = (
            f"it could not be judged ({type(failed).__name__}: {failed}); this is the "
            "autograder's fault, not the student's."
        )
        result = {
            **blank(whole, sandbox.level),
            "assignment": master(whole.chapter).name,
            "status": PARTIAL,
            "reason": why,
            "reason_for_student": why,
        }
        lost = True
    if stopping.is_set():
        return None
    return whole, {**result, "lost": True} if lost else result, asked, heard


def _write(
    writer: Colleague, course: _Course, work: _Work, whole: Submission, result: dict, asked, heard
) -> None:
    letter = {
        "do": "write",
        "row": course.roster.rows.get(whole.student, {}),
        "key": work.key,
        "submission": whole.as_plain(),
        "result": result,
        "received": work.received,
        "asked": asked,
        "heard": heard,
    }
    writer.ask(letter)


def _again(submission: Submission, course: _Course) -> Submission:
    whole = out_folder.whole(course.out, submission)
    if whole is None:
        raise LookupError(
            f"The copy of {submission.name} in {course.out / 'received'} is not what was received; "
            "take that folder away and grade again."
        )
    return whole


def _python(source: str) -> str:
    """A cell as plain Python; a cell that is none goes as it is,
    and fails in the sandbox with its own error."""
    try:
        return as_python(source)
    except Exception:
        return source
