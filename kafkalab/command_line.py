"""Builds the parsers of the project's commands: a sentence, the arguments and an example each."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

import kafkalab

EXAMPLE = "example:\n  "
SCRIPTS = ("kafkalab", "autograder")


class CommandParser(argparse.ArgumentParser):
    """Parses a command's words. Its help ends with an example.

    example: the words of a call, without the command's own name
    """

    def __init__(self, *, example: str | None = None, **rest: Any) -> None:
        super().__init__(formatter_class=_Formatter, **rest)
        self.example = example
        if example is not None:
            self.epilog = f"{EXAMPLE}{self.prog} {example}".rstrip()


class _Formatter(argparse.HelpFormatter):
    """Wraps a description, and leaves the line of an example whole."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith(EXAMPLE) else super()._fill_text(text, width, indent)


def called_as(script: str) -> str:
    """How this program was called: `kafkalab` by its script, else `python -m kafkalab`."""
    return script if Path(sys.argv[0]).stem == script else f"python -m {script}"


def with_version(parser: argparse.ArgumentParser, script: str = "kafkalab") -> None:
    """Give a parser --version, which prints the script's name and the project's version."""
    told = f"{script} {kafkalab.__version__}"
    parser.add_argument("--version", action="version", version=told, help="print the version")
