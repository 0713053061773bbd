"""Sends work down the lanes, one for each worker: run, judged, written, then the next.

A run that is cut off, by Ctrl-C, by kill -9 or by the power, has at most one submission a lane to
do again when it is started again. While one lane waits for a judge or the disk the others keep the
cores busy.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from autograder.course.masters import master
from autograder.grading import calibration, out_folder
from autograder.grading.child_process import Colleague
from autograder.grading.lanes.submission_run import hear
from autograder.grading.lanes.work import WorkItem
from autograder.grading.open_marks import settle
from autograder.grading.pace import Pace
from autograder.grading.verdict import blank
from autograder.handed_in.classlist import Roster
from autograder.handed_in.submission import PARTIAL, Submission
from autograder.sandbox.outside.parent import Sandbox, SandboxFailed, Unofficial

# most verdicts are looked up; one that thinks for long, over a class's first play, keeps at most
# two lanes waiting
WORKERS_PER_JUDGE = 2
LOOK_SECONDS = 5.0  # how often it is looked whose notebook takes long
# of processor time, for one submission; a judge's first ones are slow, for it plays labs to know
# the truth
JUDGE_SECONDS = 120.0
# a judge keeps the labs that it has played, and takes more than this over six chapters at once
JUDGE_BYTES = 2 << 30


@dataclass(frozen=True)
class LaneSettings:
    """What all lanes share."""

    out: Path
    roster: Roster
    workers: int
    official: bool  # refuse a sandbox below level L2


def new_judge() -> Colleague:
    """A judge process."""
    return Colleague("autograder.grading.verdict", seconds=JUDGE_SECONDS, largest=JUDGE_BYTES)


@dataclass(frozen=True)
class Staff:
    """The processes that run and judge a class."""

    judges: list[Colleague]
    sandbox: Sandbox


@contextmanager
def staff_for(workers: int, ahead: int) -> Iterator[Staff]:
    """A sandbox for so many workers, and their judges; they end with the block. `ahead`: so many
    workers begin to import what they need while the class is still being read."""
    judges = [new_judge() for _ in range(-(-workers // WORKERS_PER_JUDGE))]
    with Sandbox() as sandbox:
        try:
            for each in judges[: -(-ahead // WORKERS_PER_JUDGE)]:
                each.start()
            sandbox.begin(ahead)
            yield Staff(judges, sandbox)
        finally:
            for each in judges:
                each.stop()


def grade_all(todo: list[WorkItem], settings: LaneSettings, staff: Staff, say) -> None:
    """Send everything down the lanes. The order is shuffled, the same way each time, so that the
    pace of the first tells that of the others. Unofficial where the sandbox is too weak for marks
    that count."""
    todo = Random(len(todo)).sample(todo, len(todo))
    ahead, back = iter(todo), queue.SimpleQueue()
    turn, stopping, sandbox = threading.Lock(), threading.Event(), staff.sandbox
    lanes = min(settings.workers, len(todo))
    writer = Colleague("autograder.grading.writer", (str(settings.out.resolve()),))
    calibrations = calibration.read(settings.out)

    def lane(number: int, judging: Colleague) -> None:
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
                pace.begins(number, work.submission.name, work.kind)
                done = _settled(work, settings, sandbox, judging, stopping)
                if done is None:
                    return
                whole, result, asked, heard = done
                result = {**settle(result, calibrations), "counted": work.counts}
                _write(writer, settings, work, whole, result, asked, heard)
                back.put((work.kind, time.monotonic() - started, first, number))
                first = False
        except BaseException as failed:
            # ours, not the class's: the run ends, and the next one goes on
            back.put(failed)

    if settings.official and any(work.known is None and work.submission.can_run for work in todo):
        sandbox.demand_official()
    pace, threads = Pace(Counter(work.kind for work in todo), max(lanes, 1), say), []
    try:
        writer.start()
        for number in range(lanes):
            judge = staff.judges[number % len(staff.judges)]
            threads.append(threading.Thread(target=lane, args=(number, judge), daemon=True))
            threads[-1].start()
        for _ in todo:
            while True:
                try:
                    done = back.get(timeout=LOOK_SECONDS)
                    break
                except queue.Empty:
                    pace.look()
            if isinstance(done, BaseException):
                raise done
            pace.done(*done)
        spent = writer.ask({"do": "close"})
        say(
            f"Graded in {pace.spent():.1f} s; writing the gradebook took "
            f"{spent['seconds']:.1f} s of that, the files beside it {spent['beside']:.1f} s."
        )
    except BaseException:
        # a lane in the middle of a submission hears that its judge or its worker is lost, and
        # drops it
        stopping.set()
        for each in staff.judges:
            each.stop()
        sandbox.stop()
        raise
    finally:
        stopping.set()
        for thread in threads:
            thread.join()
        writer.close()


def _settled(
    work: WorkItem, settings: LaneSettings, sandbox: Sandbox, judging: Colleague, stopping
):
    """Run and judge one submission: (with its answers, result, asked, heard);
    None when the run is being stopped."""
    if work.known is not None:
        return _again(work.submission, settings), work.known, None, None
    if not work.submission.can_run:
        return work.submission, blank(work.submission, sandbox.reached()[0]), None, None
    whole = _again(work.submission, settings)
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
    writer: Colleague,
    settings: LaneSettings,
    work: WorkItem,
    whole: Submission,
    result: dict,
    asked,
    heard,
) -> None:
    letter = {
        "do": "write",
        "row": settings.roster.rows.get(whole.student, {}),
        "key": work.key,
        "submission": whole.as_plain(),
        "result": result,
        "received": work.received,
        "asked": asked,
        "heard": heard,
    }
    writer.ask(letter)


def _again(submission: Submission, settings: LaneSettings) -> Submission:
    whole = out_folder.whole(settings.out, submission)
    if whole is None:
        raise LookupError(
            f"The copy of {submission.name} in {settings.out / 'received'} is not what was "
            "received; take that folder away and grade again."
        )
    return whole
