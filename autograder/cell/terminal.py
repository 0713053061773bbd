"""Ends a command cleanly: when its reader leaves, at a signal, and when the machine refuses.

The shell may have closed a stream, `head` may stop reading, and a disk may be full. Each of them
gets one sentence and an exit code.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence


def say(text: str) -> None:
    """A line for the person at the terminal. That nobody reads it any more
    (`grade ... 2>&1 | head`) ends no work."""
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        unread(sys.stderr)


def some_of(names: Sequence[str], most: int, between: str = ", ") -> str:
    """The first of these names, and how many more there are."""
    more = f"{between.strip(', ')} and {len(names) - most} more" if len(names) > most else ""
    return between.join(names[:most]) + more


def unread(stream) -> None:
    """What is still written to this stream goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def open_what_is_closed() -> None:
    """A stream that the shell has closed (`2>&-`) leads nowhere;
    else the next file that is opened, a gradebook, would be it."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))


def sentence_of(error: Exception) -> str:
    """What an error says, as one sentence for the person who gave the command."""
    if isinstance(error, OSError):
        what = error.strerror or str(error)
        return f"{error.filename}: {what}." if error.filename else f"{what}."
    return str(error.args[0] if error.args else error)


def said_by_sqlite(error: BaseException | None) -> str | None:
    """What sqlite said, where an error began with its: the disk is full, the file is no gradebook,
    somebody else writes in it."""
    # told by name, for no file but the gradebook's imports sqlite3; what is below these two is our
    # own fault
    while error is not None and (type(error).__module__, type(error).__name__) not in (
        ("sqlite3", "OperationalError"),
        ("sqlite3", "DatabaseError"),
    ):
        error = error.__cause__ or error.__context__
    return None if error is None else str(error)


def end_as_by_ctrl_c() -> None:
    """SIGTERM, as time-outs send it, and a terminal that is closed end a command as Ctrl-C does:
    it takes its processes and its folder in /tmp with it."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # not everywhere; and `nohup` wants no end
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
