"""Keeps the list of all submissions that OUT shows, from every folder that was graded into it.

A term is graded a folder a week, and late submissions in folders of their own.
OUT/graded.json names every submission that results.json shows, without its answers, and the key
under which its result is kept. So grading one folder leaves the others' answers in the queue, on
the pages and in the report, and of two versions of one student's chapter the course's policy says
which counts, wherever each of them lay. A version in whose place another lies is named here too,
and results.json shows it where it counts.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from autograder.course.masters import master
from autograder.gradebook.files import write_atomically
from autograder.handed_in.arrivals import arrive, copy_path
from autograder.handed_in.classlist import Roster
from autograder.handed_in.receipts import file_of, notebook_of
from autograder.handed_in.submission import Submission, of

FILE = "graded.json"
UNFINISHED = ".unfinished"  # lies in OUT from the beginning of a run of `grade` to its end


@dataclass(frozen=True)
class GradedFile:
    """A submission, the key its result is kept under, and whether it counts."""

    submission: Submission
    key: str
    counts: bool = False


def read(out: Path) -> dict[str, GradedFile]:
    """The entries of OUT by the name results.json has for them; {} before the first run.
    ValueError, with a sentence, for a broken file."""
    try:
        rows = json.loads((out / FILE).read_text(encoding="utf-8"))
        return {
            name: GradedFile(
                Submission.from_plain({**row["submission"], "answers": {}, "extras": ()}),
                row["key"],
                row.get("counts", False),
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


def elsewhere(
    out: Path, before: Iterable[GradedFile], found: Iterable[Submission], roster: Roster
) -> list[GradedFile]:
    """Those of before that the folder in hand does not hold. One that lies there too, under this
    name or another, is not of before; nor is one that answered no chapter, or was taken for another
    student's, once another file bears its name."""
    found = list(found)
    # a friend's copy, which does not bear the name it gives itself, takes no file's place
    here = {
        who
        for each in found
        for who in _identities(each, each.own_sha256, roster.bears(each.path, each.student))
    }
    names, places = {each.name for each in found}, {_place(each): each.student for each in found}

    def stays(old: Submission) -> bool:
        if old.chapter is None:
            return old.name not in names
        own = old.notebook or _notebook_of(out, old)
        return (
            here.isdisjoint(_identities(old, own))
            and places.get(_place(old), old.student) == old.student
        )

    return [entry for entry in before if stays(entry.submission)]


def replaced(entries: Iterable[GradedFile]) -> frozenset[int]:
    """The ids of the submissions in whose place another version of the same file lies; the newest
    come first. They are shown only where they count."""
    seen, found = set(), set()
    for entry in entries:
        place = _place(entry.submission)
        if entry.submission.chapter is not None and place in seen:
            found.add(id(entry.submission))
        seen.add(place)
    return frozenset(found)


def _identities(submission: Submission, own: str, bears: bool = True) -> set[tuple]:
    """What makes two submissions one: the chapter's own notebook, of one student or one file."""
    in_file = (submission.chapter, own, "in", file_of(submission.name))
    return {in_file, (submission.chapter, own, "of", submission.student)} if bears else {in_file}


def _place(submission: Submission) -> tuple[str, str | None]:
    return file_of(submission.name), submission.chapter


def _notebook_of(out: Path, submission: Submission) -> str:
    """The SHA-256 of the notebook of an entry that an older version wrote, from its copy."""
    if submission.path.suffix.lower() == ".ipynb" and submission.chapter:
        return submission.sha256
    return (
        notebook_of(out / "received", submission.sha256, submission.chapter or "")
        or submission.sha256
    )


def unique_names(
    entries: Iterable[GradedFile], moment: Callable[[Submission], str]
) -> dict[str, GradedFile]:
    """A name for each: its own, or, where another one has that already, its own with the chapter
    behind it, or with the moment it came where it is another version of that file."""
    found: dict[str, GradedFile] = {}
    for entry in entries:
        name, chapter = entry.submission.name, entry.submission.chapter
        if name in found and found[name].submission.chapter == chapter:
            name = f"{name} (received {moment(entry.submission)})"
        elif name in found:
            name = f"{name} ({master(chapter).name if chapter else 'no chapter'})"
        while name in found:
            name += " again"
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
        "counts": entry.counts,
        "submission": {
            name: value for name, value in about.items() if name not in ("answers", "extras")
        },
    }
