"""Reads when nbgrader's exchange took in a submission, from timestamp.txt in a collected folder.

`nbgrader submit` writes that file after it has copied the student's own files, and `nbgrader
collect` copies all of it into submitted/ID/ASSIGNMENT. There it belongs to the instructor's
account. So its time is not the student's to write, and the teacher may say that it counts. A
timestamp.txt deeper in the folder is the student's.
"""

from __future__ import annotations

import contextlib
import os
import stat
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePosixPath
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from autograder.cell.data import one_line
from autograder.handed_in.submission import Submission

FILE = "timestamp.txt"
MOST_BYTES = 200
ONE_MINUTE = timedelta(minutes=1)


class ExchangeTimes:
    """When each submission of a collected folder came, by the exchange. `untold` says in a sentence
    each whose time could not be had."""

    def __init__(self, folder: Path, zone: str):
        self._owners = {os.geteuid(), folder.stat().st_uid}
        self._zone = zone
        self.read = 0
        self.untold: list[str] = []

    def __call__(self, submission: Submission) -> datetime | None:
        """The moment; None where there is none that counts."""
        inside = PurePosixPath(submission.taken).parts
        if not submission.can_run:
            return None
        try:
            if len(inside) < 2:
                raise ValueError(f"has no {FILE}, for it is not in a folder ID/ASSIGNMENT")
            moment = self._moment(submission.path / inside[0] / FILE)
        except ValueError as why:
            told = f"{submission.name} {why}; its time is that of the receipt."
            if told not in self.untold:
                self.untold.append(told)
            return None
        self.read += 1
        return moment

    def _moment(self, path: Path) -> datetime:
        try:
            about = path.lstat()
        except OSError:
            raise ValueError(f"has no {FILE}") from None
        if not stat.S_ISREG(about.st_mode) or about.st_size > MOST_BYTES:
            raise ValueError(f"has a {FILE} that is no file of one line")
        if about.st_uid not in self._owners:
            raise ValueError(
                f"has a {FILE} that another account owns (user {about.st_uid}), so a student may"
                " have written it"
            )
        said = path.read_bytes().decode("utf-8", "replace").strip()
        moment = _parsed(said, self._zone)
        if moment is None:
            raise ValueError(f"has a {FILE} with no moment in it, {one_line(said)!r}")
        if moment > datetime.now(UTC) + ONE_MINUTE:
            raise ValueError(f"has a {FILE} of a moment that is still to come, {said!r}")
        return moment


def _parsed(said: str, zone: str) -> datetime | None:
    """A moment as nbgrader writes it: 2026-11-20 19:50:12.123456 UTC; without a zone it is UTC."""
    with contextlib.suppress(ValueError):
        found = datetime.fromisoformat(said)
        return found.astimezone(UTC) if found.tzinfo else found.replace(tzinfo=UTC)
    text, _, name = said.rpartition(" ")
    with contextlib.suppress(ValueError, OverflowError):
        if name[:1] in ("+", "-"):
            return datetime.fromisoformat(text + name).astimezone(UTC)
        found = datetime.fromisoformat(text)
        # "CEST" is no zone's own name, only what one is called in summer
        at_home = found.replace(tzinfo=ZoneInfo(zone))
        if at_home.tzname() == name:
            return at_home.astimezone(UTC)
        with contextlib.suppress(ZoneInfoNotFoundError, OSError):
            return found.replace(tzinfo=ZoneInfo(name)).astimezone(UTC)
    return None
