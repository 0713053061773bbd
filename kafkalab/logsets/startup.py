"""Shows that Spark is starting and how far it is, in a notebook's cell or in a terminal.

    Spark is starting: step 2 of 3, Spark itself, 14 s (up to a minute in all)
    Spark started in 41 s. The next cells use it at once.

In a notebook it is a display that is replaced, never text on stderr, which nbgrader would take for
a failure. Nothing is shown where nobody looks: in a script without a terminal.
"""

from __future__ import annotations

import contextlib
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from kafkalab.logsets.progress import telling

USUAL = "up to a minute in all"
EVERY_S = 1.0
STEPS = ("Java", "Spark itself", "the session for tables")


@contextlib.contextmanager
def sign_of_life(show: Callable[[str], None] | None = None) -> Iterator[None]:
    """Show the step and the seconds each second, inside a `with` block, and the time at its end.

    show: takes the text that replaces the one before; by default a notebook's cell, a terminal, or
    nothing.
    """
    show = show or screen()
    if show is None:
        yield
        return
    began = time.monotonic()

    def tell() -> None:
        step, seconds = _step(), time.monotonic() - began
        show(
            f"Spark is starting: step {step} of {len(STEPS)}, {STEPS[step - 1]}, "
            f"{seconds:.0f} s ({USUAL})"
        )

    ended = "Spark did not start"
    try:
        tell()
        with telling(tell, EVERY_S):
            yield
        ended = "Spark started"
    finally:
        after = "" if ended != "Spark started" else " The next cells use it at once."
        show(f"{ended} in {time.monotonic() - began:.0f} s.{after}")


def screen() -> Callable[[str], None] | None:
    """What shows a text in place of the one before; None where nobody looks."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if shell is not None and hasattr(shell, "kernel"):
        return _cell()
    return _terminal() if sys.stderr is not None and sys.stderr.isatty() else None


def _cell() -> Callable[[str], None]:
    from IPython.display import display

    handle: Any = None

    def show(text: str) -> None:
        nonlocal handle
        data = {"text/plain": text}
        if handle is None:
            handle = display(data, raw=True, display_id=True)
        else:
            handle.update(data, raw=True)

    return show


def _terminal() -> Callable[[str], None]:
    """Writes to the terminal that stderr is now; Spark's start turns stderr to a file."""
    stream = os.fdopen(os.dup(sys.stderr.fileno()), "w", encoding="utf-8")

    def show(text: str) -> None:
        stream.write(f"\r{text}\x1b[K" if "starting" in text else f"\r{text}\x1b[K\n")
        stream.flush()

    return show


def _step() -> int:
    """How far the start is: 1 until Java answers, 2 until Spark does, 3 for what follows."""
    from pyspark import SparkContext

    if SparkContext._gateway is None:
        return 1
    context = SparkContext._active_spark_context  # is there before Spark has started behind it
    return 3 if getattr(context, "_jsc", None) is not None else 2
