"""Keeps the list of all submissions that OUT shows, from every folder that was graded into it.

A term is graded a folder a week, and late submissions in folders of their own.
OUT/graded.json names every submission that results.json shows, without its answers, and the key
under which its result is kept. So grading one folder leaves the others' answers in the queue, on
the pages and in the report, and of two versions of one student's chapter the one received last
counts, wherever each of them lay.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course.masters import master
from autograder.gradebook.files import write_atomically
from autograder.handed_in.arrivals import arrive, copy_path
from autograder.handed_in.submission import Submission, of

FILE = "graded.json"
UNFINISHED = ".unfinished"  # lies in OUT from the beginning of a run of `grade` to its end


@dataclass(frozen=True)
class GradedFile:
    """A submission, and the key its result is kept under."""

    submission: Submission
    key: str


def read(out: Path) -> dict[str, GradedFile]:
    """The entries of OUT by the name results.json has for them; {} before the first run.
    ValueError, with a sentence, for a broken file."""
    try:
        rows = json.loads((out / FILE).read_text(encoding="utf-8"))
        return {
            name: GradedFile(
                Submission.from_plain({**row["submission"], "answers": {}, "extras": ()}),
                row["key"],
            )
            for name, row in rows.items()
        }
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise ValueError(
            f"{out / FILE} cannot be read; take it away, and grade every folder of this class "
            "again: what is done is not done twice."
        ) from None


def keep(out: Path, entries: dict[str, GradedFile]) -> None:
    """Write the entries down, one a line."""
    lines = (f"{json.dumps(name)}: {json.dumps(_row(entry))}" for name, entry in entries.items())
    write_atomically(out / FILE, "{\n" + ",\n".join(lines) + "\n}\n")


def elsewhere(before: Iterable[GradedFile], found: Iterable[Submission]) -> list[GradedFile]:
    """Those of before that the folder in hand says nothing about. One of the same name and chapter
    is there in its newest version; one that answered no chapter is replaced by whatever bears its
    name now."""
    here = {(each.name, each.chapter) for each in found}
    names = {name for name, _ in here}
    return [
        entry
        for entry in before
        if (entry.submission.name, entry.submission.chapter) not in here
        and (entry.submission.chapter is not None or entry.submission.name not in names)
    ]


def unique_names(entries: Iterable[GradedFile]) -> dict[str, GradedFile]:
    """A name for each: its own, or, where an earlier one has that already,
    its own with the chapter behind it."""
    found: dict[str, GradedFile] = {}
    for entry in entries:
        name, chapter = entry.submission.name, entry.submission.chapter
        if name in found:
            name = f"{name} ({master(chapter).name if chapter else 'no chapter'})"
        found[name] = entry
    return found


def whole(out: Path, submission: Submission) -> Submission | None:
    """The submission with its answers, from the copy that was kept of it;
    None where that copy is gone or another."""
    path = copy_path(out / "received", submission.path.name, submission.sha256)
    if path.exists():
        for each in of(arrive(path), asked=submission.chapter):
            if each.chapter == submission.chapter and each.sha256 == submission.sha256:
                return replace(submission, answers=each.answers, extras=each.extras)
    return None


def _row(entry: GradedFile) -> dict:
    about = {**entry.submission.as_plain(), "path": entry.submission.path.name}
    return {
        "key": entry.key,
        "submission": {
            name: value for name, value in about.items() if name not in ("answers", "extras")
        },
    }
