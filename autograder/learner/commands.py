"""The commands of a learner: JupyterLab on the notebooks, a packed notebook, progress."""

from __future__ import annotations

from pathlib import Path

from autograder.cell.commands import ATTENTION, CHAPTER, OK, argument, as_command
from autograder.cell.terminal import say
from kafkalab.extras import need_extras


@as_command(
    "add",
    "bring a new package into this folder; your own notebooks stay as they are",
    "week2.zip",
    argument("package", metavar="FILE.zip|DIR", help="what your teacher handed out"),
)
def _add(wanted) -> None:
    from autograder.learner.new_package import add_package

    for line in add_package(Path(wanted.package)):
        print(line)


@as_command(
    "check",
    "run a copy of your notebook from the top and say what its tests say",
    "03",
    argument("chapter", metavar="NN", help=CHAPTER),
)
def _check(wanted) -> int:
    from autograder.cell.course_folder import chapter_number
    from autograder.learner.notebook_run import tests_of

    chapter = chapter_number(wanted.chapter)
    need_extras("learn")
    say("Running a copy of your notebook from the top; this takes a minute or two.")
    found = tests_of(chapter)
    for test in found:
        print(f"{test.question} {'✓ right' if test.right else f'✗ {test.sentence}'}")
    right = sum(test.right for test in found)
    print(f"{right} of {len(found)} are right on the cases that you can see.")
    return OK if right == len(found) else ATTENTION


@as_command("lab", "copy every chapter into notebooks/mine/; no file of yours is replaced", "")
def _lab(wanted) -> None:
    from autograder.learner.desk import prepare_mine

    for line in prepare_mine():
        print(line)


@as_command(
    "open",
    "copy every chapter as lab does, and open JupyterLab on your first notebook",
    "--no-browser",
    argument("options", nargs="*", metavar="OPTION", help="an option of JupyterLab's own"),
)
def _open(wanted) -> int:
    from autograder.learner.lab import open_lab

    return open_lab([*wanted.options, *wanted.others])


@as_command(
    "reset",
    "make a fresh copy of a chapter; the old one goes to mine/.saved/",
    "03",
    argument("chapter", metavar="NN|myths", help="which chapter, or the myth court"),
)
def _reset(wanted) -> None:
    from autograder.cell.course_folder import MYTHS, chapter_number
    from autograder.learner.desk import reset

    court = wanted.chapter.strip().lower() == MYTHS
    print(reset(MYTHS if court else chapter_number(wanted.chapter)))


@as_command(
    "pack",
    "make the one file to hand in for a chapter, with a receipt code",
    "03",
    argument("chapter", metavar="NN", help=CHAPTER),
    argument("--out", metavar="FILE", help="the file (default: beside your notebook)"),
)
def _pack(wanted) -> None:
    from autograder.cell.course_folder import chapter_number
    from autograder.learner.desk import pack

    print(pack(chapter_number(wanted.chapter), Path(wanted.out) if wanted.out else None))


@as_command(
    "progress",
    "show how far you are and what to repeat",
    "--all",
    argument("--all", action="store_true", help="a line for each question and each guess"),
)
def _progress(wanted) -> None:
    from autograder.learner.desk import mine
    from autograder.learner.overview import details, overview

    path = mine() / "progress.json" if mine().is_dir() else None
    print(details(path) if wanted.all else overview(path))
