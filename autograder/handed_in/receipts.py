"""receipts.jsonl: what arrived, when, with which SHA-256. Lines are only ever added.

A receipt is for a chapter's own notebook (`notebook` is its SHA-256) of one student. So a file has
one time: another chapter beside it, a changed one, or another folder round it changes nothing.
`sha256` is that of all that came with it, and names its copy in OUT/received.

A line that `corrects` an earlier one is for the same notebook under another name, or gives it an
earlier moment, by a class list or an exchange (exchange.py) that knows it.

The time in a submission's own folder is the student's to write; ours is not. Of two submissions of
one student the one received later counts, and both stay in the list. A line is a receipt when its
end is written: what a power cut left of a line is cut off, and that submission is received again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from autograder.handed_in.arrivals import arrive
from autograder.handed_in.classlist import participant_of
from autograder.handed_in.submission import Submission, of


def as_listed(moments: Mapping[str, datetime]) -> Callable[[Submission], datetime | None]:
    """When a submission came by a class list: by its student, or by "Participant 10423" of a
    worksheet without names."""

    def listed(each: Submission) -> datetime | None:
        return moments.get(each.student) or moments.get(f"Participant {participant_of(each.name)}")

    return listed


class Receipts:
    """The receipts of one OUT folder, oldest first."""

    def __init__(self, path: Path):
        self.path = path
        self.lines: list[dict] = []
        if path.exists():
            _cut_torn_end(path)
            for line in path.read_bytes().splitlines():
                try:
                    self.lines.append(json.loads(line))
                except ValueError:
                    # somebody's editor was here; the other receipts stand
                    continue
        self._found: dict[tuple[str, str], list[int]] = {}
        # of an older version, which wrote down no notebook
        self._without: dict[str, list[int]] = {}
        for number, line in enumerate(self.lines):
            self._enter(number, line)

    def _enter(self, number: int, line: dict) -> None:
        notebook, name = line.get("notebook"), file_of(line["submission"])
        for who in dict.fromkeys((line["student"], name)):
            self._found.setdefault((who, notebook or line["sha256"]), []).append(number)
            if notebook is None:
                self._without.setdefault(who, []).append(number)

    def receive(
        self,
        submissions: list[Submission],
        at: datetime | None = None,
        came: Callable[[Submission], datetime | None] = lambda submission: None,
    ) -> list[Submission]:
        """Write a receipt for each submission not seen before and return these; new ones in the
        order of their files' times. `came` is when one was handed in, where that is known; it
        corrects a receipt that is later. `at` is when the others came, if not now.
        """
        new = [each for each in submissions if not self.knows(each)]
        new.sort(key=lambda each: (_changed(each.path), each.name))
        lines = [(each, came(each) or at or datetime.now(UTC), None) for each in new]
        for each in submissions:
            if self.knows(each):
                number, known, told = self.number(each), self.at(each), came(each)
                if (told and told < known) or not self._has_a_line(each):
                    lines.append((each, min(told or known, known), number))
        if not lines:
            return []
        with open(self.path, "a", encoding="utf-8") as file:
            for each, moment, corrected in lines:
                line = {
                    "at": moment.isoformat(timespec="milliseconds"),
                    "submission": each.name,
                    "sha256": each.sha256,
                    "notebook": each.own_sha256,
                    "student": each.student,
                    "chapter": each.chapter,
                    **({} if corrected is None else {"corrects": corrected}),
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                self._enter(len(self.lines), line)
                self.lines.append(line)
            file.flush()
            os.fsync(file.fileno())
        return new

    def knows(self, submission: Submission) -> bool:
        """Whether it has a receipt."""
        return bool(self._of(submission))

    def number(self, submission: Submission) -> int:
        """Its place in the order of arrival; the same notebook of the same student keeps its first
        place."""
        return min(self._of(submission))

    def at(self, submission: Submission) -> datetime:
        """When it was received."""
        return min(
            datetime.fromisoformat(self.lines[number]["at"]) for number in self._of(submission)
        )

    def _has_a_line(self, submission: Submission) -> bool:
        """Whether a line has this very notebook under this very name and student."""
        own = submission.own_sha256
        return all(
            (who, own) in self._found for who in (submission.student, file_of(submission.name))
        )

    def _of(self, submission: Submission) -> list[int]:
        """The numbers of its lines: those of its student, and of its file's or folder's name, for a
        class list named later may have found another student behind it."""
        people = (submission.student, file_of(submission.name))
        found = self._lines_of(people, submission.own_sha256)
        if found or submission.own_sha256 == submission.sha256:
            return found
        # what could not be read then, or was another chapter than the one asked for
        found = [
            number
            for number in self._lines_of(people, submission.sha256)
            if self.lines[number]["chapter"] in (None, submission.chapter)
        ]
        return found or [
            number
            for who in people
            for number in self._without.get(who, ())
            if self._notebook_of(number, submission.chapter) == submission.own_sha256
        ]

    def _lines_of(self, people: tuple[str, ...], sha256: str) -> list[int]:
        return [number for who in people for number in self._found.get((who, sha256), ())]

    def _notebook_of(self, number: int, chapter: str | None) -> str | None:
        """The SHA-256 of a chapter's notebook in a copy that an older version wrote a line for."""
        line = self.lines[number]
        if chapter is None or line["chapter"] != chapter:
            return None
        return notebook_of(self.path.with_name("received"), line["sha256"], chapter)


def notebook_of(received: Path, sha256: str, chapter: str) -> str | None:
    """The SHA-256 of a chapter's notebook in the copy that was kept under this SHA-256; None where
    the copy is gone."""
    copies = sorted((received / sha256[:2] / sha256).glob("*")) if sha256 else []
    found = (each for copy in copies[:1] for each in of(arrive(copy), asked=chapter))
    return next((each.own_sha256 for each in found if each.chapter == chapter), None)


def file_of(name: str) -> str:
    """The name of the file or folder that a submission came in."""
    return name.partition("/")[0]


def _cut_torn_end(path: Path) -> None:
    """Take away a last line that has no end, so that the next one does not grow into it."""
    with open(path, "rb+") as file:
        whole = file.read().rfind(b"\n") + 1
        file.truncate(whole)


def _changed(path: Path) -> float:
    try:
        return path.lstat().st_mtime
    except OSError:
        return 0.0
