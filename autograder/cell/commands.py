"""What a command of autograder is made of: a sentence, an example, its arguments, what it does.

A room that has commands keeps them in a file commands.py, each above the function that it calls.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

OK, FAILED, UNUSABLE, ATTENTION = 0, 1, 2, 3
OUT = "the folder with a class's gradebook and results"
CHAPTER = "which chapter, such as 03"


class Unusable(ValueError):
    """What was asked for cannot be done; the message is the one sentence to print."""


Argument = tuple[tuple[str, ...], dict[str, Any]]
Run = Callable[[Any], int | None]
"""What a command does: it gets what was asked for and returns an exit code, or None for OK."""
COMMANDS: dict[str, tuple[str, str, tuple[Argument, ...], Run]] = {}
"""Name -> what is told of a command, an example, its arguments, what it does."""


def as_command(name: str, told: str, example: str, *arguments: Argument) -> Callable[[Run], Run]:
    """Make the function below a command."""

    def make(run: Run) -> Run:
        COMMANDS[name] = told, example, arguments, run
        return run

    return make


def argument(*flags: str, **options: Any) -> Argument:
    """An argument of a command, as argparse's add_argument takes it."""
    return flags, options
