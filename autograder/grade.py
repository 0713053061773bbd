"""Grade one submission, or a class of them.

    >>> from autograder.grade import grade
    >>> grade("03", "alice.ipynb")["score"]

The parent process reads submissions, judges replies and writes results; it never runs a learner's code. Threads only wait
for the sandbox's workers, one each. One writer, this one, owns the gradebook. What is done is kept at once, so a run that
was stopped, by Ctrl-C or by the power, goes on where it was when it is started again.
"""
from __future__ import annotations

import json
import os
import sys
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from itertools import chain
from pathlib import Path

from autograder import calibration, results
from autograder.assignment import steps
from autograder.heard import keep as keep_heard
from autograder.masters import Master, chapter_number, master
from autograder.marking import Mark, all_cases, mark, mark_open, open_cells
from autograder.needs import as_python
from autograder.openmarks import marks_of, settle
from autograder.receipts import Receipts
from autograder.sandbox import Sandbox
from autograder.submission import PARTIAL, Roster, Submission, entries, read
from autograder.variants import numbers_for

ALL_RAN = "all cells have run"
QUIET_STATUSES = ("graded", "repaired")


def grade(source: str, submission: str | Path) -> dict:
    """Grade one file against a chapter ("03") or whatever chapter it answers (""), without a gradebook.

    Returns what RESULTS.json holds for it: student, assignment, score, max, open_pending, open_max, status, reason, seconds,
    level, and the cells. Points are those of the notebook handed out.
    """
    return next(iter(grade_file(Path(submission), chapter_number(source) if source else None).values()))


def grade_file(path: Path, asked: str | None = None) -> dict[str, dict]:
    """Grade what one file or folder holds, without a gradebook: {name: result}, one entry for each chapter in it."""
    with Sandbox() as sandbox:
        return {each.name: public(run(each, sandbox)) for each in read(path, asked=asked)}


def run(submission: Submission, sandbox: Sandbox) -> dict:
    """Run and judge one submission; the result with everything worth keeping (see `public` for what goes out)."""
    return judge(submission, *hear(submission, sandbox))


def hear(submission: Submission, sandbox: Sandbox) -> tuple[dict, dict]:
    """What the sandbox heard: (cases asked by question, the sandbox's answer). Safe in a thread; nothing is decided here."""
    if not submission.can_run:
        return {}, {"replies": {}, "ended": submission.reason, "seconds": 0.0, "level": sandbox.level}
    own = master(submission.chapter)
    numbers = {question.id: dict(numbers_for(question, submission.variant)) for question in own.questions}
    asked = {question.id: all_cases(question, numbers[question.id]) for question in own.questions if question.kind != "open"}
    cells = steps(own, submission.answers)
    jobs = [{"source": _python(step.source), "question": step.question,
             "cases": [case for case, hidden in asked.get(step.question, ()) if not hidden],
             "hidden": [case for case, hidden in asked.get(step.question, ()) if hidden]} for step in cells]
    return asked, sandbox.run(jobs, numbers, spark=any(step.spark for step in cells))


def judge(submission: Submission, asked: dict, heard: dict) -> dict:
    """The result of a submission from what was heard. Runs in the parent, on plain data."""
    result = {
        "submission": submission.name, "sha256": submission.sha256, "student": submission.student, "assignment": None,
        "score": 0.0, "max": 0.0, "open_pending": 0.0, "open_max": 0.0, "status": submission.status, "reason": submission.reason,
        "seconds": heard["seconds"], "level": heard["level"], "cells": {}, "misconceptions": {}, "suggestions": {}, "variant": submission.variant,
    }
    if not submission.can_run:
        return result
    own = master(submission.chapter)
    marks, suggestions = _marks(own, submission, asked, heard)
    machine = [each for each in marks.values() if each.kind != "open"]
    result.update(
        assignment=own.name, score=round(sum(each.score for each in machine), 4), max=sum(each.max for each in machine),
        open_pending=sum(marks[question].max for question in suggestions),
        open_max=sum(each.max for each in marks.values() if each.kind == "open"),
        cells={question: each.as_cell() for question, each in marks.items()},
        misconceptions={question: each.misconception for question, each in marks.items() if each.misconception},
        suggestions=suggestions)
    if heard["ended"] != ALL_RAN:
        silent = [question for question in asked if question not in heard["replies"]]
        result["status"] = PARTIAL
        since = f"{heard['ended']}; no answer was heard from {', '.join(silent) or 'none'} on."
        result["reason"] = " ".join(filter(None, [submission.reason, since]))
    return result


def public(result: dict) -> dict:
    """The result as RESULTS.json shows it."""
    shown = ("student", "assignment", "score", "max", "open_pending", "open_max", "status", "reason", "seconds", "level", "cells")
    return {name: result[name] for name in shown}


def grade_class(folder: Path, out: Path, asked: str | None = None, roster: Roster = Roster(), workers: int | None = None,
                force: bool = False, say=lambda text: print(text, file=sys.stderr), ignore: tuple[Path, ...] = (),
                allow_unsafe: bool = False) -> dict[str, dict]:
    """Grade everything in `folder` into `out` and return all results by submission's name.

    Submissions whose result is already there are not run again, unless `force`. `say` is told how far it is. Below sandbox level
    L2 this refuses with a ValueError, unless `allow_unsafe`.
    """
    from autograder.gradebook import Gradebook           # nbgrader takes half a second to import

    out.mkdir(parents=True, exist_ok=True)
    found = [each for path in entries(folder, (out, *ignore)) for each in read(path, roster, asked)]
    receipts = Receipts(out / "receipts.jsonl")
    receipts.receive(found)
    counts = _latest(found, receipts)
    kept, calibrations = out / "results", calibration.read(out)
    done: dict[str, dict] = {}
    waiting: list[tuple[Submission, str]] = []
    resettled: list[tuple[Submission, str]] = []         # graded before, but since then the teacher has calibrated a question
    for each in found:
        key = results.key_of(each, master(each.chapter) if each.can_run else None)
        known = None if force else results.read(kept, key)
        if known is not None and known.get("counted") == (counts.get((each.student, each.chapter)) is each):
            done[each.name] = known
            if settle(known, calibrations) != known:
                resettled.append((each, key))
        else:
            waiting.append((each, key))
    if done:
        say(f"{len(done)} of {len(found)} were graded before; {len(waiting)} to go.")
    with Sandbox(official=bool(waiting) and not allow_unsafe) as sandbox, Gradebook(out, roster) as book:
        again = ((each, key, done[each.name], None) for each, key in resettled)
        for each, key, result, heard in chain(again, _heard(waiting, sandbox, workers or os.cpu_count() or 1, say)):
            result = {**settle(result, calibrations), "counted": counts.get((each.student, each.chapter)) is each}
            if result["counted"]:
                book.write(master(each.chapter), each, marks_of(result), receipts.at(each))
            if heard is not None:
                keep_heard(out, key, *heard)
            results.keep(kept, key, result)
            done[each.name] = result
    for each in found:
        later = counts.get((each.student, each.chapter))
        if each.can_run and later is not each:
            done[each.name] = {**done[each.name], "reason": " ".join(filter(None, [
                done[each.name]["reason"], f"{each.student} handed in {later.name} later, and that one counts."]))}
    results.write_atomically(out / "results.json", json.dumps(_ordered(done, found), ensure_ascii=False, indent=1))
    return _ordered(done, found)


def needs_attention(results_by_name: dict[str, dict]) -> list[str]:
    """The submissions a person should look at: those that were not read whole, or did not run to their end."""
    return [name for name, result in results_by_name.items() if result["status"] not in QUIET_STATUSES]


def _marks(own: Master, submission: Submission, asked, heard) -> tuple[dict[str, Mark], dict[str, dict]]:
    marks, suggestions = {}, {}
    for question in own.questions:
        if question.kind == "open":
            continue
        most = own.points(question)
        if question.id in submission.missing:
            marks[question.id] = Mark(0.0, most, question.kind, "the answer cell is gone from the notebook.")
        else:
            marks[question.id] = mark(question, most, asked[question.id], heard["replies"].get(question.id), heard["ended"])
    for cell in open_cells(own):
        marks[cell.question], suggestion = mark_open(cell, submission.answers.get(cell.question))
        if suggestion is not None:
            suggestions[cell.question] = suggestion
    return marks, suggestions


def _heard(waiting, sandbox: Sandbox, workers: int, say):
    """Each waiting submission with its result and what was heard, in the order they are ready; a few ahead of the judge, never all."""
    queue, started, finished = list(reversed(waiting)), time.monotonic(), 0
    with ThreadPoolExecutor(max_workers=workers) as pool:
        running = {}
        try:
            while queue or running:
                while queue and len(running) < 2 * workers:
                    each, key = queue.pop()
                    running[pool.submit(hear, each, sandbox)] = (each, key)
                ready, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in ready:
                    each, key = running.pop(future)
                    heard = future.result()
                    yield each, key, judge(each, *heard), heard
                    finished += 1
                    _tell(say, finished, len(waiting), started)
        except (KeyboardInterrupt, GeneratorExit):
            pool.shutdown(wait=False, cancel_futures=True)
            sandbox.stop()
            raise


def _tell(say, finished: int, total: int, started: float) -> None:
    """Every tenth submission, or the last: how many, how fast, how long still."""
    if finished % max(1, min(10, total // 10)) and finished != total:
        return
    rate = finished / max(time.monotonic() - started, 1e-6)
    say(f"{finished} of {total} graded, {rate:.1f} a second, {(total - finished) / rate:.0f} s to go")


def _latest(found: list[Submission], receipts: Receipts) -> dict[tuple[str, str], Submission]:
    """Of each student and chapter the submission that counts: the one received last."""
    latest = {}
    for each in sorted((each for each in found if each.can_run), key=receipts.number):
        latest[each.student, each.chapter] = each
    return latest


def _ordered(done: dict[str, dict], found: list[Submission]) -> dict[str, dict]:
    return {each.name: done[each.name] for each in found}


def _python(source: str) -> str:
    """A cell as plain Python; a cell that is none goes as it is, and fails in the sandbox with its own error."""
    try:
        return as_python(source)
    except Exception:
        return source
