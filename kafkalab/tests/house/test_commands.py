"""Every command explains itself: --help prints a sentence, the arguments and an example, and does
nothing else."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from autograder import __main__ as autograder
from kafkalab import __main__ as kafkalab
from kafkalab.command_line import EXAMPLE, CommandParser
from kafkalab.logsets import __main__ as logsets
from kafkalab.tests.shares import few

ROOT = Path(__file__).resolve().parents[3]
MODULES = (
    "kafkalab.__main__",
    "kafkalab.logsets.__main__",
    "kafkalab.proof.conformance.__main__",
    "autograder.__main__",
    "autograder.learner.lab",
    "bench.__main__",
)
"""What can be run with `python -m`, tests left out."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
DOING = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.exec", "subprocess.Popen", "os.fork")


def subcommands(parser: argparse.ArgumentParser) -> list[str]:
    """The names of a parser's commands."""
    return [
        name
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction)
        for name in action.choices
    ]


COMMANDS = [
    *((module, "") for module in MODULES),
    *(("kafkalab.__main__", name) for name in subcommands(kafkalab._parser())),
    *(("kafkalab.logsets.__main__", name) for name in subcommands(logsets._parser())),
    *(("autograder.__main__", name) for name in subcommands(autograder._parser())),
]
HEARD: list[str] = []
LISTENING: list[bool] = []


def hear(event: str, arguments: tuple) -> None:
    """What a command does to the machine. An audit hook stays for good, so it has a switch."""
    if not LISTENING:
        return
    if "__pycache__" in str(arguments):  # Python keeps what it compiled
        return
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING:
        if not isinstance(arguments[0], int):  # a number is of a file that was opened before
            HEARD.append(f"opens {arguments[0]}")
    elif event in DOING or event == "socket.connect":
        HEARD.append(f"{event} {arguments}"[:200])


sys.addaudithook(hear)


@pytest.fixture
def explained(monkeypatch) -> Iterator[Callable[[str, str], CommandParser]]:
    """Runs a module's command with --help and returns the parser that printed it."""
    printed: list[CommandParser] = []
    show = CommandParser.print_help

    def keep(self: CommandParser, file=None) -> None:
        printed.append(self)
        show(self, file)

    monkeypatch.syspath_prepend(str(ROOT))  # bench is not installed
    monkeypatch.setattr(CommandParser, "print_help", keep)

    def ask(module: str, command: str) -> CommandParser:
        main = import_module(module).main
        HEARD.clear()
        LISTENING.append(True)
        try:
            with pytest.raises(SystemExit) as ended:
                main([*filter(None, [command]), "--help"])
        finally:
            LISTENING.clear()
        assert ended.value.code == 0
        return printed[-1]

    yield ask


@pytest.mark.parametrize(("module", "command"), COMMANDS, ids=[" ".join(each) for each in COMMANDS])
def test_help_says_what_a_command_does_and_does_nothing_else(
    explained, module, command, capsys, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", None)
    parser = explained(module, command)
    said = capsys.readouterr()
    assert HEARD == [] and not any(tmp_path.iterdir())
    assert said.err == "" and said.out.startswith("usage: ")
    assert parser.description[0].isupper() and parser.description.endswith(".")
    assert " ".join(parser.description.split()[:3]) in " ".join(said.out.split())
    assert said.out.rstrip().splitlines()[-2] == EXAMPLE.splitlines()[0]
    assert said.out.rstrip().endswith(f"{parser.prog} {parser.example}".rstrip())
    unexplained = [action.dest for action in parser._actions if not action.help]
    assert [name for name in unexplained if name != "command"] == []


def test_every_command_stands_under_a_heading(monkeypatch):
    grouped = " ".join(autograder.GROUPS.values()).split()
    assert sorted(grouped) == sorted(subcommands(autograder._parser()))
    told = autograder._parser().format_help()
    assert told.index("-- learners") < told.index("    pack ") < told.index("-- teachers, each")
    monkeypatch.setattr(
        autograder, "find_spec", lambda name: "learner" in name
    )  # as in a learner's package
    told = autograder._parser().format_help()
    assert "    pack " in told and "-- teachers" not in told and "    grade " not in told


@pytest.mark.parametrize(("module", "command"), COMMANDS, ids=[" ".join(each) for each in COMMANDS])
def test_the_example_of_a_command_can_be_typed(explained, module, command):
    parser = explained(module, command)
    words = shlex.split(parser.example)
    wanted, others = parser.parse_known_args(words)
    if module == "kafkalab.__main__" and not command:  # the command's own parser takes the rest
        words = words[words.index(wanted.command) + 1 :]
        assert explained(module, wanted.command).parse_args(words)
    else:
        # JupyterLab takes what `open` does not know
        assert others == [] or command == "open" or module == "autograder.learner.lab"


@pytest.mark.parametrize("module", ["kafkalab", "kafkalab.logsets", "autograder"])
def test_a_command_tells_its_version(module, capsys):
    from kafkalab import __version__

    with pytest.raises(SystemExit) as ended:
        import_module(f"{module}.__main__").main(["--version"])
    assert ended.value.code == 0
    assert capsys.readouterr().out == f"{module.partition('.')[0]} {__version__}\n"


@pytest.mark.parametrize(
    ("line", "offered"),
    few(
        [
            ("kafkalab ans", {"answer "}),
            ("kafkalab logsets expl", {"explain "}),
            ("kafkalab picture --he", {"--help "}),
            ("kafkalab seeds --fir", {"--first "}),
            ("autograder gradesc", {"gradescope "}),
            ("autograder export OUT --we", {"--weights "}),
            ("autograder feedback OUT --moo", {"--moodle "}),
        ],
        2,
    ),
)
def test_a_shell_completes_both_commands(line, offered, tmp_path):
    """As a shell asks it with the Tab key (argcomplete)."""
    out = tmp_path / "offered"
    environ = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_SHELL": "bash",
        "_ARGCOMPLETE_STDOUT_FILENAME": str(out),
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "IFS": "\n",
    }
    done = subprocess.run([sys.executable, "-m", line.split()[0]], cwd=ROOT, env=environ)
    assert done.returncode == 0
    assert set(filter(None, out.read_text(encoding="utf-8").split("\n"))) == offered


def test_every_module_that_can_be_run_is_asked():
    starting = {
        path.relative_to(ROOT).with_suffix("").as_posix().replace("/", ".")
        for room in ("kafkalab", "autograder", "bench")
        for path in (ROOT / room).rglob("*.py")
        if "tests" not in path.parts
        and '\nif __name__ == "__main__":' in path.read_text(encoding="utf-8")
    }
    # what the sandbox and the bench start in a process of its own is no command
    inner = {
        "autograder.sandbox.inside.launch",
        "autograder.sandbox.inside.worker",
        "autograder.grading.verdict",
        "autograder.grading.writer",
        "autograder.handed_in.scripts",
        "autograder.course.rehearsal",
        "autograder.proving.exercise_screen",
        "kafkalab.logsets.archive_writer",
        "kafkalab.real.reaper",
        "kafkalab.real.scala_library",
    }
    assert {name for name in starting - inner if not name.startswith("bench._")} <= set(MODULES)


def test_the_picture_refuses_a_folder_that_is_not_there(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert kafkalab.main(["picture", "nowhere/picture.png"]) == 2
    assert "no folder nowhere" in capsys.readouterr().err and not any(tmp_path.iterdir())


def test_an_unknown_comparison_or_chapter_is_named():
    for words in (("bench", "nosuch"), ("autograder", "browser", "77")):
        done = subprocess.run(
            [sys.executable, "-m", *words], cwd=ROOT, capture_output=True, text=True
        )
        assert done.returncode == 2 and words[-1] in done.stderr and done.stdout == ""


def test_ctrl_c_ends_a_command_with_a_word(monkeypatch, capsys):
    def stops(_):
        raise KeyboardInterrupt

    monkeypatch.setitem(logsets.COMMANDS, "explain", stops)
    monkeypatch.setattr("kafkalab.proof.laws.command.main", stops)
    assert logsets.main(["explain", "client.log"]) == 130
    assert kafkalab.main(["seeds", "10"]) == 130
    assert capsys.readouterr().err == "Stopped.\nStopped.\n"
