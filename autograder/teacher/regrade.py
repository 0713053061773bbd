"""One question is judged again for the whole class, after its test or its rubric was mended;
nothing else changes.

    python -m autograder regrade 03.2 OUT             # who would gain and who would lose, and why;
                                                      nothing is written
    python -m autograder regrade 03.2 OUT --apply     # the same, written

What the class's answers said is kept (replies.py), so nothing has to run, unless the question asks
other cases now: then only the cells it needs run again, in the sandbox, from the copies of what was
handed in. A person's marks stay above ours.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from shlex import quote

from autograder.cell.data import canonical
from autograder.cell.numbers import numbers_for
from autograder.cell.outcome import Outcome
from autograder.cell.question import Question, find
from autograder.course.masters import master
from autograder.course.secret import held_to
from autograder.gradebook.files import while_nobody_grades
from autograder.gradebook.late import settle_penalties
from autograder.gradebook.read import sheets
from autograder.grading import calibration, out_folder, results
from autograder.grading import replies as kept
from autograder.grading.lanes.submission_run import hear
from autograder.grading.open_marks import settle
from autograder.grading.out_folder import GradedFile, whole
from autograder.grading.verdict import Mark, all_cases, gone, mark, mark_open
from autograder.grading.writer import Writer
from autograder.handed_in.receipts import Receipts
from autograder.sandbox.outside.parent import Sandbox
from autograder.written.answers import read_results

MOST_ROWS = 200


@dataclass(frozen=True)
class Change:
    """What regrading does to one submission. `manual` is the manual score that counts instead,
    None where there is none."""

    name: str
    student: str
    before: dict
    after: dict
    counted: bool
    manual: float | None = None
    result: dict | None = None

    @property
    def gain(self) -> float:
        """Points more; for an open answer that waits, points more suggested."""
        return round(self.after["score"] - self.before["score"], 4)


@dataclass(frozen=True)
class Regrading:
    """Holds what changes, how many marks stay, how many were run again, who could not be judged."""

    question: str
    changes: tuple[Change, ...]
    same: int
    ran: int
    unable: tuple[str, ...]


def regrade(
    question_id: str,
    out: Path,
    apply: bool = False,
    workers: int | None = None,
    say: Callable[[str], None] = lambda text: None,
) -> Regrading:
    """Judge one question of OUT again; with `apply` write what changes. LookupError, with a
    sentence, where the class has no such question."""
    question = find(question_id)
    held_to(out)
    found = {
        name: result for name, result in read_results(out).items() if question_id in result["cells"]
    }
    if not found:
        raise LookupError(f"Nobody in {out} was asked {question_id}.")
    entries = out_folder.read(out)
    marked, ran, unable = _marks(question, out, found, entries, workers or os.cpu_count() or 1, say)
    manual = {
        sheet.student: cell.manual
        for sheet in sheets(out)
        if sheet.assignment[:2] == question.chapter
        for cell in sheet.cells
        if cell.question == question_id
    }
    changes, calibrations = [], calibration.read(out)
    for name, (new, suggestion) in marked.items():
        before = found[name]
        after = settle(_with(before, question_id, new, suggestion), calibrations)
        if _telling(after, question_id) != _telling(before, question_id):
            old, now = before["cells"][question_id], after["cells"][question_id]
            # what waits has no points yet: compare what is suggested
            if question.kind == "open":
                old, now = (
                    {
                        **cell,
                        "score": (result["suggestions"].get(question_id) or {}).get(
                            "points", cell["score"]
                        ),
                    }
                    for cell, result in ((old, before), (now, after))
                )
            changes.append(
                Change(
                    name,
                    before["student"],
                    old,
                    now,
                    before["counted"],
                    manual.get(before["student"]),
                    after,
                )
            )
    done = Regrading(
        question_id,
        tuple(sorted(changes, key=lambda change: (change.gain, change.student, change.name))),
        len(marked) - len(changes),
        ran,
        tuple(unable),
    )
    if apply:
        _apply(question, out, found, entries, done, say)
    return done


def as_text(done: Regrading, applied: bool, out: Path) -> str:
    """Who gains and who loses, old and new, each with the new sentence."""
    lines = []
    counted = [change for change in done.changes if change.counted]
    for title, rows in (
        ("lose", [change for change in counted if change.gain < 0]),
        ("gain", [change for change in counted if change.gain > 0]),
    ):
        lines.append(f"{len(rows)} {title}{'' if len(rows) != 1 else 's'}" + (":" if rows else "."))
        most = MOST_ROWS if title == "gain" else len(rows)
        for change in rows[:most]:
            stays = (
                f" (the mark {change.manual:g} a person gave stays)"
                if change.manual is not None
                else ""
            )
            lines.append(
                f"  {change.student}: {change.before['score']:g} -> {change.after['score']:g} of "
                f"{change.after['max']:g}{stays}"
            )
            lines.append(f"    was: {_short(change.before['sentence'])}")
            lines.append(f"    now: {_short(change.after['sentence'])}")
        lines += [f"  ... and {len(rows) - most} more"] if len(rows) > most else []
    other = sum(change.gain == 0 for change in counted)
    lines.append(
        f"{done.same} keep mark and sentence"
        + (f", {other} keep the mark and get another sentence" if other else "")
        + "."
    )
    lines.append(
        (
            f"{done.ran} were run again: the question asks other cases now, or the answers were "
            "too large to be kept."
        )
        if done.ran
        else "Nothing had to run: the replies were kept."
    )
    lines += [f"Not judged again: {sentence}" for sentence in done.unable]
    lines.append(
        (
            "Written. Other questions keep their marks, in later runs of `grade` too, except with "
            "--force. If you have mended another question of this chapter, regrade it next. "
            "`feedback` writes the pages again."
        )
        if applied
        else (
            f"Nothing was written: `python -m autograder regrade {done.question} {quote(str(out))} "
            "--apply` does it."
        )
    )
    return "\n".join(lines)


def _marks(
    question: Question, out: Path, found: dict, entries: dict[str, GradedFile], workers: int, say
) -> tuple[dict, int, list[str]]:
    """{name: (mark, suggestion)}, how many ran,
    and a sentence for each that could not be judged."""
    own = master(question.chapter)
    most = own.points(question)
    marked: dict[str, tuple[Mark, dict | None]] = {}
    if question.kind == "open":
        cell = own.answer_cell(question.id)
        for number, (name, result) in enumerate(found.items(), 1):
            is_gone = result["cells"][question.id]["outcome"] == Outcome.GONE
            suggestion = result["suggestions"].get(question.id) or {}
            marked[name] = mark_open(cell, None if is_gone else suggestion.get("answer", ""))
            if number % 500 == 0:
                say(f"{number} of {len(found)} answers read")
        return marked, 0, []
    again, unable = [], []
    for name, result in found.items():
        if result["cells"][question.id]["outcome"] == Outcome.GONE:
            marked[name] = (gone(question.kind, most), None)
            continue
        cases = all_cases(
            question, dict(numbers_for(question, result.get("variant", ""), result.get("key", "")))
        )
        heard = kept.read(out, entries[name].key) if name in entries else None
        if heard is not None and canonical(
            [list(case) for case in heard[0].get(question.id, [])]
        ) == canonical([list(case) for case in cases]):
            marked[name] = mark(question, most, cases, heard[1]), None
        else:
            again.append((name, result, cases))
    if again:
        say(f"{len(again)} of {len(found)} have to run again")
        with Sandbox() as sandbox, ThreadPoolExecutor(min(workers, len(again))) as pool:
            heard_again = pool.map(
                lambda each: _run(question, out, entries.get(each[0]), sandbox), again
            )
            for number, ((name, _, cases), heard) in enumerate(zip(again, heard_again), 1):
                if isinstance(heard, str):
                    unable.append(f"{name}: {heard}")
                else:
                    marked[name] = mark(question, most, cases, heard), None
                if number % 50 == 0:
                    say(f"{number} of {len(again)} run")
    return (
        {name: marked[name] for name in found if name in marked},
        len(again) - len(unable),
        unable,
    )


def _run(question: Question, out: Path, entry: GradedFile | None, sandbox: Sandbox) -> dict | str:
    """What the sandbox hears of this one question; or, as a text, why it cannot be asked."""
    submission = whole(out, entry.submission) if entry else None
    if submission is None:
        return "the copy of what was handed in is gone"
    return hear(submission, sandbox, only={question.id})[1]


def _apply(
    question: Question, out: Path, found: dict, entries: dict[str, GradedFile], done: Regrading, say
) -> None:
    own, changed = master(question.chapter), {change.name: change for change in done.changes}
    receipts = Receipts(out / "receipts.jsonl")
    with while_nobody_grades(out):
        writer = Writer(out)
        for number, (name, result) in enumerate(found.items(), 1):
            entry = entries.get(name)
            submission = whole(out, entry.submission) if entry else None
            # without its copy it cannot be found by a later run either
            if submission is None:
                continue
            after = changed[name].result if name in changed else result
            # the course's papers have changed, and with them the name results go by
            key = results.key_of(submission, own)
            if name in changed:
                writer.write(key, submission, after, receipts.at(submission), {})
            elif results.read(out / "results", key) is None:
                results.keep(out / "results", key, after)
            _keep_heard(out, entry.key, key)
            entries[name] = replace(entry, key=key)
            if number % 500 == 0:
                say(f"{number} of {len(found)} written")
        writer.close()
        out_folder.keep(out, entries)
        everything = read_results(out)
        everything.update({change.name: change.result for change in done.changes})
        results.write_atomically(out / "results.json", results.as_json(everything.items()))
    with open(out / "regrades.jsonl", "a", encoding="utf-8") as log:
        rows = [
            {
                "student": change.student,
                "submission": change.name,
                "before": change.before["score"],
                "after": change.after["score"],
            }
            for change in done.changes
        ]
        line = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "question": question.id,
            "changes": rows,
        }
        log.write(json.dumps(line, ensure_ascii=False) + "\n")
    settle_penalties(out, say)


def _with(result: dict, question_id: str, new: Mark, suggestion: dict | None) -> dict:
    """The result with one question's mark in the old one's place,
    and the sums that follow from it."""
    cells = {**result["cells"], question_id: new.as_cell()}
    suggestions = {
        question: about
        for question, about in result["suggestions"].items()
        if question != question_id
    }
    if suggestion is not None:
        suggestions[question_id] = suggestion
    machine = [cell for cell in cells.values() if cell["kind"] != "open"]
    return {
        **result,
        "cells": cells,
        "suggestions": suggestions,
        "score": round(sum(cell["score"] for cell in machine), 4),
        "max": sum(cell["max"] for cell in machine),
    }


def _telling(result: dict, question_id: str) -> tuple:
    suggestion = result["suggestions"].get(question_id) or {}
    return (
        result["cells"][question_id],
        suggestion.get("points"),
        suggestion.get("decision"),
    )


def _keep_heard(out: Path, old: str, new: str) -> None:
    before = kept.read(out, old) if old != new else None
    if before is not None:
        kept.keep(out, new, *before)


def _short(sentence: str) -> str:
    return sentence if len(sentence) <= 160 else sentence[:157] + "..."
