"""The autograder's command line: `autograder`, or `python -m autograder`, lists what it can do.

Learners use lab, reset, pack, progress, check and add; teachers use the others. Unusable input ends
with one sentence and exit code 2. `grade` ends with 0 when everything was graded, 3 when something
needs a person's attention, 1 when the tool itself failed.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

from autograder.cell.commands import COMMANDS, FAILED, OK, UNUSABLE, Unusable
from autograder.cell.course_at_hand import course
from autograder.cell.terminal import (
    end_as_by_ctrl_c,
    open_what_is_closed,
    said_by_sqlite,
    say,
    sentence_of,
    unread,
)
from kafkalab.command_line import CommandParser, called_as, group_commands, with_version
from kafkalab.extras import missing_extra, need_extras

ROOMS = ("autograder.learner", "autograder.teacher", "autograder.proving")
"""The rooms that have commands; a learner's package has the first."""
UNIX_ONLY = ("fcntl", "grp", "pwd", "resource", "termios")
BUILDING = ("new", "exercise", "course", "seal")
"""Commands that read the sources of exercises; all others grade by what is built."""
GO_ON = ("grade", "receive", "regrade", "review")
"""Commands that keep what they did before Ctrl-C and go on from there."""

RUNNING = "grade regrade classroom redteam exercise course seal variants mutations".split()
"""Commands that run answers. Some answers use Spark."""
NEEDED = {
    **dict.fromkeys(RUNNING, ("spark", "teach")),
    "browser": ("learn", "spark", "teach", "dev"),
    "book": ("learn", "spark", "logs", "teach", "book", "clients"),
}
"""Command -> the extras that it needs; other commands of a teacher need `teach`."""
LEARNERS = ("open", "lab", "check", "progress", "pack", "reset", "add")
GROUPS = {
    "learners": " ".join(LEARNERS),
    "teachers, each week": "release due receive grade seen review report feedback export letters",
    "teachers, now and then": (
        "doctor classroom similar regrade calibrate score solution gradescope github hub forget"
    ),
    "authors and developers": (
        "new exercise course seal variants mutations minutes book browser redteam"
    ),
}
"""Heading of the list of commands -> the commands under it."""
WITHHELD = " ".join(names for heading, names in GROUPS.items() if heading != "learners")
NOT_FOR_LEARNERS = (
    "This is the package for learners; `{}` is a teacher's command and needs the whole course."
)
ON_OUT = (
    "doctor due seen review report feedback export letters similar regrade calibrate forget"
).split()
"""Commands on the OUT of a class, beside `grade` and `receive`."""
ON_NOTEBOOKS = ("open", "lab", "reset", "pack", "progress", "check")
"""Commands of a learner, which need the notebooks of a course."""


def main(words: list[str] | None = None) -> int:
    """Run one command and return its exit code."""
    open_what_is_closed()
    parser = _parser()
    wanted, wanted.others = parser.parse_known_args(words)
    if wanted.command in WITHHELD.split() and wanted.command not in COMMANDS:
        say(NOT_FOR_LEARNERS.format(wanted.command))
        return UNUSABLE
    if wanted.others and wanted.command != "open":  # which hands them on to JupyterLab
        parser.error(f"unrecognized arguments: {' '.join(wanted.others)}")
    if wanted.command is None:
        parser.print_help()
        return UNUSABLE
    try:
        _must_have_notebooks(wanted.command)
        _must_have_the_extras(wanted.command)
        if wanted.command not in BUILDING:
            course().refresh(say)
        with _private(wanted):
            code = wanted.do(wanted) or OK
        sys.stdout.flush()
        return code
    except BrokenPipeError:  # `... | head` has read enough
        unread(sys.stdout)
        return OK
    except (ValueError, LookupError, OSError) as unusable:
        say(sentence_of(unusable))
        return UNUSABLE
    except ImportError as missing:
        told = _what_is_missing(wanted.command, missing)
        if told is None:
            raise
        say(told)
        return UNUSABLE
    except KeyboardInterrupt:
        kept = " What was done is kept: the same command goes on from here."
        say("Stopped." + kept * (wanted.command in GO_ON))
        return FAILED
    except Exception as failed:
        broken = said_by_sqlite(failed)
        if broken is None:
            raise
        say(
            f"The gradebook in {wanted.out} could not be read or written: {broken}. It is "
            "as it was before. Mend this, then give the same command again."
        )
        return FAILED


@contextlib.contextmanager
def _private(wanted) -> Iterator[None]:
    """Keeps OUT from other accounts where a command works on one; an OUT of before, too."""
    if wanted.command not in ON_OUT or not wanted.out:
        yield
        return
    from autograder.gradebook.files import keep_private

    keep_private(Path(wanted.out))
    try:
        yield
    finally:
        keep_private(Path(wanted.out))


def _must_have_notebooks(command: str) -> None:
    """Raises Unusable for a learner's command where this is an installed package, which has no
    notebooks."""
    from autograder.cell.course_folder import notebooks

    if command in ON_NOTEBOOKS and not (notebooks() / "release").is_dir():
        raise Unusable(
            f"There are no notebooks in {notebooks().parent}. Type `python -m autograder {command}`"
            " in the folder of the course, which has a folder notebooks."
        )


def _must_have_the_extras(command: str) -> None:
    """Raises MissingExtra for a teacher's command that lacks a package. It would find out late, and
    one at a time. A learner's package has no such commands and Windows cannot grade; both have a
    sentence of their own."""
    if command not in LEARNERS and os.name != "nt" and find_spec("autograder.course"):
        need_extras(*NEEDED.get(command, ("teach",)))


def _what_is_missing(command: str, missing: ImportError) -> str | None:
    """One sentence for an import that failed, where it says something about this machine."""
    name = missing.name or ""
    if name.startswith("autograder."):
        return NOT_FOR_LEARNERS.format(command)
    if name in UNIX_ONLY:
        return (
            f"`{command}` needs Linux, macOS, or WSL2 on Windows: grading runs submissions behind "
            f"walls that are made with Python's module {name}, which is not here."
        )
    extra = missing_extra(missing, *NEEDED.get(command, ()))
    return None if extra is None else str(extra)


def _parser() -> CommandParser:
    parser = CommandParser(
        prog=called_as("autograder"),
        description="Check exercises while you learn, and grade them when you hand in.",
        example="grade submissions/ --out OUT",
    )
    with_version(parser, "autograder")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    rooms = [import_module(f"{room}.commands").__name__ for room in ROOMS if find_spec(room)]
    own = {name: each for name, each in COMMANDS.items() if each[-1].__module__ in rooms}
    for name, (told, example, arguments, run) in own.items():
        about = f"{told[0].upper()}{told[1:]}."
        made = commands.add_parser(name, help=told, description=about, example=example)
        made.set_defaults(do=run)
        for flags, options in arguments:
            made.add_argument(*flags, **options)
    here = {head: names for head, names in GROUPS.items() if names.split()[0] in own}
    group_commands(commands, here)
    for name in WITHHELD.split():
        if name not in own:
            commands.add_parser(name, add_help=False)
    return parser


def script() -> int:
    """The command `autograder`, which a signal ends as Ctrl-C does."""
    end_as_by_ctrl_c()
    return main()


if __name__ == "__main__":
    sys.exit(script())
