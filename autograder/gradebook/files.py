"""Writes a file whole or not at all, holds a folder for one process, and keeps it from others.

What a person or a grade rests on is written so, in the gradebook's folder and beside it: a machine
may go down at any moment.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path

WRITER_SECONDS = 60.0
"""How long a process waits for the writer of OUT, which ends when it has written what it has."""


FOLDERS = (
    "autograded",
    "feedback",
    "feedback_generated",
    "heard",
    "received",
    "report",
    "results",
    "source",
    "submitted",
)
FILES = ("gradebook.db*", "*.json", "*.jsonl", "*.html", "nbgrader_config.py", ".[a-z]*")
"""What OUT holds of a class."""


class Busy(OSError):
    """Somebody else holds the folder; the message says what to do."""


def keep_private(out: Path) -> None:
    """Take what OUT holds of a class from all accounts but the owner's: folders 0700, files 0600.
    A folder that is no OUT is left alone; so is what belongs to somebody else."""
    if not any(
        os.path.exists(out / name) for name in (".grading", "gradebook.db", "receipts.jsonl")
    ):
        return
    _take_from_others(os.path.abspath(out))
    for pattern in FILES:
        for path in out.glob(pattern):
            if path.is_file():
                _take_from_others(str(path))
    left = [str(out / name) for name in FOLDERS if (out / name).is_dir()]
    while left:
        folder = left.pop()
        _take_from_others(folder)
        with contextlib.suppress(OSError), os.scandir(folder) as inside:
            for entry in inside:
                if entry.is_dir(follow_symlinks=False):
                    left.append(entry.path)
                else:
                    _take_from_others(entry.path)


def _take_from_others(path: str) -> None:
    with contextlib.suppress(OSError):
        mode = os.lstat(path).st_mode
        if mode & 0o077 and not stat.S_ISLNK(mode):
            os.chmod(path, stat.S_IMODE(mode) & 0o700)


def write_atomically(
    path: Path, text: str | Iterable[str], wait: bool = True, mode: int = 0o600
) -> None:
    """Write a whole file or none of it; text in pieces if there is much of it. Only its owner may
    read it, unless `mode` says so. `wait` until the
    disk has it: without, a power cut (not a kill) may leave it empty. OSError, naming `path`, where
    the disk is full or read-only; no draft stays behind."""
    draft = None
    try:
        with _draft(path.parent) as draft:
            for piece in (text,) if isinstance(text, str) else text:
                draft.write(piece)
            if wait:
                draft.flush()
                os.fsync(draft.fileno())
        os.chmod(draft.name, mode)
        os.replace(draft.name, path)
    except BaseException as failed:
        if draft is not None:
            with contextlib.suppress(OSError):
                os.unlink(draft.name)  # a full disk is not filled with drafts
        if isinstance(failed, OSError):
            # what was to be written, for the sentence that is made of it
            failed.filename, failed.filename2 = str(path), None
        raise


def _draft(folder: Path):
    """A new file in `folder`, which is made only where it is missing:
    to ask first takes as long as to write."""
    new = partial(
        tempfile.NamedTemporaryFile,
        "w",
        encoding="utf-8",
        errors="replace",
        dir=folder,
        prefix=".draft",
        delete=False,
    )
    try:
        return new()
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        return new()


@contextlib.contextmanager
def holding(path: Path, seconds: float, busy: str):
    """Hold a lock file as long as this process lives; Busy with this sentence
    when it cannot be had within `seconds`."""
    import fcntl  # not everywhere, and a learner needs none

    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "a", encoding="utf-8") as lock:
        deadline = time.monotonic() + seconds
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise Busy(0, busy, str(path)) from None
                time.sleep(0.05)
        yield


@contextlib.contextmanager
def while_nobody_grades(out: Path):
    """Hold the folder OUT so that no run grades into it; Busy where one does."""
    busy = "a run is grading into this folder; wait for it to end, or end it"
    with holding(out / ".grading", 0, busy), holding(out / ".writer", 0, busy):
        yield
