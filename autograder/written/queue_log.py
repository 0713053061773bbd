"""OUT/review.jsonl: every mark and comment of the review queue, and who has which answer on the
screen.

Several people mark at once, each in a *sitting* of their own. A sitting reserves the answer that it
shows, so that nobody else is shown it. A reservation ends with the next one of the same
sitting, when the sitting ends, and after ten minutes. Lines are only ever added, under a lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

FILE = "review.jsonl"
HOLD, FREE = "hold", "free"
RESERVED = timedelta(minutes=10)
WAIT_SECONDS = 30
BUSY = (
    "somebody else's mark is being written for very long; end that process, and give your mark"
    " again"
)


@dataclass(frozen=True)
class Hold:
    """An answer that somebody has on the screen. `words` stands for its text, so that equal texts
    are reserved with it."""

    token: str
    words: str
    marker: str
    until: datetime
    group: int


class Log:
    """The log as one sitting sees it."""

    def __init__(self, out: Path, question: str, marker: str = ""):
        self.out, self.question, self.marker = out, question, marker
        self.sitting = secrets.token_hex(4)
        self.acts: list[dict] = []  # what was done, without reservations
        self._holds: dict[str, Hold] = {}
        self._read_to = 0

    @contextlib.contextmanager
    def alone(self):
        """Lock the log while the block runs; OSError, with a sentence, when the lock takes too
        long."""
        from autograder.gradebook.files import holding

        with holding(self.out / ".review", WAIT_SECONDS, BUSY):
            yield

    def news(self) -> list[dict]:
        """What others have done since the last call."""
        path, found = self.out / FILE, []
        if not path.exists():
            return found
        with open(path, "rb") as file:
            file.seek(self._read_to if self._read_to <= path.stat().st_size else 0)
            raw = file.read()
            self._read_to = file.tell()
        for act in parsed(raw.decode("utf-8", "replace")):
            if act["question"] != self.question:
                continue
            if act["act"] in (HOLD, FREE):
                self._note(act)
            elif act.get("sitting") != self.sitting:
                self.acts.append(act)
                found.append(act)
        return found

    def write(self, **act) -> None:
        """Add a line, on the disk when this returns."""
        line = {
            "at": datetime.now(UTC).isoformat(),
            "marker": self.marker,
            "question": self.question,
            "sitting": self.sitting,
            **act,
        }
        with open(self.out / FILE, "ab+") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - 1))
            # a process that was killed may have left half a line
            begin = b"" if file.read() in (b"", b"\n") else b"\n"
            file.write(begin + json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        if act["act"] in (HOLD, FREE):
            self._note(line)
        else:
            self.acts.append(line)

    def hold(self, token: str, words: str, group: int) -> None:
        """Reserve an answer for this sitting, in place of the one before."""
        self.write(act=HOLD, token=token, words=words, group=group)

    def free(self) -> None:
        """Let go of what this sitting has reserved."""
        mine = self._holds.get(self.sitting)
        if mine is not None:
            self.write(act=FREE, token=mine.token)

    def held_by_others(self) -> list[Hold]:
        """What other sittings have on the screen at this moment."""
        now = datetime.now(UTC)
        return [
            hold
            for sitting, hold in self._holds.items()
            if sitting != self.sitting and hold.until > now
        ]

    def _note(self, act: dict) -> None:
        self._holds.pop(act["sitting"], None)
        if act["act"] == HOLD:
            until = datetime.fromisoformat(act["at"]) + RESERVED
            self._holds[act["sitting"]] = Hold(
                act["token"], act["words"], act["marker"], until, act["group"]
            )


def read_log(out: Path) -> list[dict]:
    """Everything that was done in the queues of OUT, oldest first, without reservations."""
    path = out / FILE
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return [act for act in parsed(text) if act["act"] not in (HOLD, FREE)]


def parsed(text: str) -> list[dict]:
    """The lines of a log; one that is not whole is left out, for the machine went down while it was
    written."""
    acts = []
    for line in text.splitlines():
        with contextlib.suppress(ValueError):
            acts.append(json.loads(line))
    return acts
