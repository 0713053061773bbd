"""Lets Spark show the one sentence of a refusal, without the Python calls that led to it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator

# PySpark's own word for it. A Python worker ends after an error, so it holds for this one only.
HIDDEN = "SPARK_HIDE_TRACEBACK"


@contextlib.contextmanager
def one_sentence() -> Iterator[None]:
    """Hide the calls of an error that says what is wrong: ValueError and OSError do."""
    try:
        yield
    except (ValueError, OSError):
        os.environ[HIDDEN] = "1"
        raise
