"""receipts.jsonl: what arrived, when, with which SHA-256. Lines are only ever added.

The time in a submission's own folder is the student's to write; ours is not. Of two submissions of one student the one
received later counts, and both stay in the list. A line is a receipt when its end is written: what a power cut left of a line
is cut off, and that submission is received again.
"""
from __future__ import annotations

import json
import os
from datetime import datetime, timezone
from pathlib import Path

from autograder.handed_in.submission import Submission


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
                except ValueError:                       # somebody's editor was here; the other receipts stand
                    continue
        self._number = {(line["submission"], line["sha256"]): number for number, line in enumerate(self.lines)}

    def receive(self, submissions: list[Submission], at: datetime | None = None) -> None:
        """Write a receipt for each submission not seen before; new ones in the order of their files' times. `at` is when they came, where
        the teacher knows better than this moment."""
        new = [each for each in submissions if (each.name, each.sha256) not in self._number]
        new.sort(key=lambda each: (_changed(each.path), each.name))
        if not new:
            return
        with open(self.path, "a", encoding="utf-8") as file:
            for each in new:
                line = {"at": (at or datetime.now(timezone.utc)).isoformat(timespec="milliseconds"), "submission": each.name,
                        "sha256": each.sha256, "student": each.student, "chapter": each.chapter}
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                self._number[each.name, each.sha256] = len(self.lines)
                self.lines.append(line)
            file.flush()
            os.fsync(file.fileno())

    def knows(self, submission: Submission) -> bool:
        """Whether it has a receipt."""
        return (submission.name, submission.sha256) in self._number

    def number(self, submission: Submission) -> int:
        """Its place in the order of arrival; the same file under the same name keeps its first place."""
        return self._number[submission.name, submission.sha256]

    def at(self, submission: Submission) -> datetime:
        """When it was received."""
        return datetime.fromisoformat(self.lines[self.number(submission)]["at"])


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
