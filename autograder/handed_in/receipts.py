"""receipts.jsonl: what arrived, when, with which SHA-256. Lines are only ever added.

A line that `corrects` an earlier one gives the same submission an earlier moment, by a class list
that knows it.

The time in a submission's own folder is the student's to write; ours is not. Of two submissions of
one student the one received later counts, and both stay in the list. A line is a receipt when its
end is written: what a power cut left of a line is cut off, and that submission is received again.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from autograder.handed_in.classlist import participant_of
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
                except ValueError:
                    # somebody's editor was here; the other receipts stand
                    continue
        self._number: dict[tuple[str, str], int] = {}
        self._at: dict[tuple[str, str], datetime] = {}
        for number, line in enumerate(self.lines):
            self._number.setdefault((line["submission"], line["sha256"]), number)
            self._at[line["submission"], line["sha256"]] = datetime.fromisoformat(line["at"])

    def receive(
        self,
        submissions: list[Submission],
        at: datetime | None = None,
        moments: Mapping[str, datetime] | None = None,
    ) -> list[Submission]:
        """Write a receipt for each submission not seen before and return these; new ones in the
        order of their files' times. `moments` says by student when theirs came, or by
        "Participant 10423" of a worksheet without names; it corrects a receipt that is later.
        `at` is when the others came, if not now.
        """
        moments = moments or {}

        def listed(each: Submission) -> datetime | None:
            number = participant_of(each.name)
            return moments.get(each.student) or moments.get(f"Participant {number}")

        new = [each for each in submissions if not self.knows(each)]
        new.sort(key=lambda each: (_changed(each.path), each.name))
        late = [
            each
            for each in submissions
            if self.knows(each) and (came := listed(each)) and came < self.at(each)
        ]
        if not new and not late:
            return []
        with open(self.path, "a", encoding="utf-8") as file:
            for each in (*new, *late):
                came = listed(each) or at or datetime.now(UTC)
                line = {
                    "at": came.isoformat(timespec="milliseconds"),
                    "submission": each.name,
                    "sha256": each.sha256,
                    "student": each.student,
                    "chapter": each.chapter,
                    **({"corrects": self.number(each)} if self.knows(each) else {}),
                }
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
                self._number.setdefault((each.name, each.sha256), len(self.lines))
                self._at[each.name, each.sha256] = datetime.fromisoformat(line["at"])
                self.lines.append(line)
            file.flush()
            os.fsync(file.fileno())
        return new

    def knows(self, submission: Submission) -> bool:
        """Whether it has a receipt."""
        return (submission.name, submission.sha256) in self._number

    def number(self, submission: Submission) -> int:
        """Its place in the order of arrival; the same file under the
        same name keeps its first place."""
        return self._number[submission.name, submission.sha256]

    def at(self, submission: Submission) -> datetime:
        """When it was received."""
        return self._at[submission.name, submission.sha256]


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
