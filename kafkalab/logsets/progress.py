"""Tells of work while it goes on, such as `reading: 12 of 40 pieces` on stderr after two seconds.

Spark tells its pieces. Of all other work the seconds are shown.
"""

from __future__ import annotations

import contextlib
import sys
import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PATIENCE_S = 2


@contextlib.contextmanager
def telling(tell: Callable[[], None], every_s: float) -> Iterator[None]:
    """Call `tell` again and again in a thread, inside a `with` block."""
    over = threading.Event()

    def again() -> None:
        while not over.wait(every_s):
            tell()

    teller = threading.Thread(target=again, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()


@contextlib.contextmanager
def progress(what: str, spark: SparkSession | None, stream: TextIO | None = None) -> Iterator[None]:
    """Print the completed tasks of the running stage from time to time, inside a `with` block.

    On a terminal it overwrites one line.
    """
    stream = stream or sys.stderr
    began = time.monotonic()
    tracker = spark.sparkContext.statusTracker() if spark else None
    told: list[str] = []

    def show(text: str) -> None:
        if text not in told[-1:]:
            told.append(text)
            stream.write(f"\r{text}\x1b[K" if stream.isatty() else f"{text}\n")
            stream.flush()

    def tell() -> None:
        if time.monotonic() - began < PATIENCE_S:
            return
        stages = [tracker.getStageInfo(at) for at in tracker.getActiveStageIds()] if tracker else []
        large = [stage for stage in stages if stage and stage.numTasks > 1]
        show(
            f"{what}: {large[0].numCompletedTasks} of {large[0].numTasks} pieces"
            if large
            else f"{what}: {time.monotonic() - began:.0f} s"
        )

    try:
        with telling(tell, 0.5 if stream.isatty() else 5):
            yield
    finally:
        if told and stream.isatty():
            stream.write("\r\x1b[K")
            stream.flush()
