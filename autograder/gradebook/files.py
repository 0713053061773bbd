"""Writes a file whole or not at all, and holds a folder for one process.

What a person or a grade rests on is written so, in the gradebook's folder and beside it: a machine
may go down at any moment.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Iterable
from functools import partial
from pathlib import Path

WRITER_SECONDS = 60.0
"""How long a process waits for the writer of OUT, which ends when it has written what it has."""


class Busy(OSError):
    """Somebody else holds the folder; the message says what to do."""


def write_atomically(path: Path, text: str | Iterable[str], wait: bool = True) -> None:
    """Write a whole file or none of it; text in pieces if there is much of it. `wait` until the
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
        os.chmod(draft.name, 0o644)
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
