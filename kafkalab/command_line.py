"""Builds the parsers of the project's commands: a sentence, the arguments and an example each."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Container, Mapping
from pathlib import Path
from typing import Any

import kafkalab

EXAMPLE = "example:\n  "
ASKED_BY_SHELL = "_ARGCOMPLETE"
"""Set where a shell asks how a word may go on: how many words of its line are the program's name
(argcomplete)."""


class CommandParser(argparse.ArgumentParser):
    """Parses a command's words. Its help ends with an example.

    example: the words of a call, without the command's own name
    """

    _answering = False

    def __init__(self, *, example: str | None = None, **rest: Any) -> None:
        super().__init__(formatter_class=_Formatter, **rest)
        self.example = example
        if example is not None:
            self.epilog = f"{EXAMPLE}{self.prog} {example}".rstrip()

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> tuple[Any, list[str]]:
        """As argparse has it. Where a shell asks how a word may go on, it gets the answer, and the
        program ends."""
        if ASKED_BY_SHELL in os.environ and not CommandParser._answering:
            import argcomplete

            CommandParser._answering = True  # argcomplete parses, too, to see what is there already
            argcomplete.autocomplete(self)
        return super().parse_known_args(args, namespace)


def group_commands(commands: Any, groups: Mapping[str, str]) -> None:
    """List a parser's commands under headings. `commands` is what add_subparsers returned.

    groups: heading -> the names of its commands. One that is in no group can be given, and is not
    listed.
    """
    if ASKED_BY_SHELL in os.environ:
        return  # a heading is no way for a word to go on
    shown = {action.dest: action for action in commands._choices_actions}
    order = []
    for heading, names in groups.items():
        order.append(commands._ChoicesPseudoAction(f"-- {heading}", (), None))
        order += [shown[name] for name in names.split()]
    commands._choices_actions[:] = order


class _Formatter(argparse.HelpFormatter):
    """Wraps a description, and leaves the line of an example whole."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if text.startswith(EXAMPLE) else super()._fill_text(text, width, indent)


def called_as(script: str) -> str:
    """How this program was called: `kafkalab` by its script, else `python -m kafkalab`."""
    return script if Path(sys.argv[0]).stem == script else f"python -m {script}"


def command_on_the_line(commands: Container[str]) -> str | None:
    """The command whose words a shell asks about. Its own parser will see only what follows it.

    None where no shell asks, or where the command itself is not written yet.
    """
    if ASKED_BY_SHELL not in os.environ:
        return None
    programs = int(os.environ[ASKED_BY_SHELL])
    line = os.environ["COMP_LINE"][: int(os.environ["COMP_POINT"])]
    written = line.split() if line[-1:].isspace() else line.split()[:-1]
    if len(written) <= programs or written[programs] not in commands:
        return None
    os.environ[ASKED_BY_SHELL] = str(programs + 1)
    return written[programs]


def with_version(parser: argparse.ArgumentParser, script: str = "kafkalab") -> None:
    """Give a parser --version, which prints the script's name and the project's version."""
    told = f"{script} {kafkalab.__version__}"
    parser.add_argument("--version", action="version", version=told, help="print the version")
