"""Opens nbgrader's gradebook.db in an OUT folder, to read or to change it in one transaction.

All of the package speaks to it in SQL, through these two. nbgrader's own classes make the tables
and an assignment's rows (write.py), for their ids and defaults are nbgrader's.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

NAME = "gradebook.db"
WAIT_SECONDS = 30  # for `grade`, should it be writing at the same moment
EPOCH = datetime(1970, 1, 1)


@contextlib.contextmanager
def reading(out: Path) -> Iterator[sqlite3.Connection]:
    """The gradebook of OUT; LookupError, with a sentence, where there is none."""
    path = out / NAME
    if not path.is_file():
        raise LookupError(
            f"There is no gradebook in {out}; `python -m autograder grade DIR --out {out}` makes "
            "it."
        )
    with contextlib.closing(
        sqlite3.connect(path, timeout=WAIT_SECONDS, isolation_level=None)
    ) as book:
        yield book


@contextlib.contextmanager
def changing(out: Path) -> Iterator[sqlite3.Connection]:
    """The same for one transaction: what is read in it nobody else changes before it ends. An
    exception takes all of it back."""
    with reading(out) as book:
        book.execute("BEGIN IMMEDIATE")
        try:
            yield book
        except BaseException:
            if book.in_transaction:  # a full disk has ended it already
                book.execute("ROLLBACK")
            raise
        book.execute("COMMIT")


def damage(out: Path) -> str:
    """What sqlite finds broken in OUT's gradebook; "" where it is whole."""
    try:
        with reading(out) as book:
            [found] = book.execute("PRAGMA quick_check(1)").fetchone()
    except sqlite3.DatabaseError as broken:
        return str(broken)
    return "" if found == "ok" else found


def has_table(book: sqlite3.Connection, name: str) -> bool:
    """Whether nbgrader's tables have been made: a file can be empty."""
    found = book.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,))
    return found.fetchone() is not None


def moment_of(text: str | None) -> datetime | None:
    """A moment as the gradebook keeps it, in UTC without a zone."""
    return datetime.fromisoformat(text) if text else None


def text_of_moment(moment: datetime) -> str:
    """How the gradebook keeps a moment."""
    return f"{moment:%Y-%m-%d %H:%M:%S.%f}"


def span_of(text: str | None) -> timedelta:
    """A span, which is kept as a moment after 1970."""
    return datetime.fromisoformat(text) - EPOCH if text else timedelta()


def text_of_span(span: timedelta) -> str:
    """How the gradebook keeps a span."""
    return text_of_moment(EPOCH + span)
