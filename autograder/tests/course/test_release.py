"""The package for learners: it works on its own, and nothing in it helps to find an answer."""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest

from autograder.__main__ import main
from autograder.cell.course_folder import HOME, released
from autograder.course import handout, release
from autograder.course.judge import judge_of
from autograder.course.references import reference
from autograder.course.secret import DEMO_SECRET
from kafkalab.tests.shares import few


@pytest.fixture
def package(demo, tmp_path):
    """The package of the demo chapter."""
    return release.release(["90"], tmp_path / "package")


def python(package, source: str) -> subprocess.CompletedProcess:
    """Run a few cells with the package's own code, away from this repository."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("AUTOGRADER")
    }
    # An editable install of this repository would bring its modules back through a finder of its
    # own.
    alone = (
        "import sys\nsys.meta_path[:] = [finder for finder in sys.meta_path if 'editable' not in "
        "repr(finder).lower()]\n"
    )
    return subprocess.run(
        [sys.executable, "-c", alone + source],
        cwd=package,
        env={**environment, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
    )


def test_the_package_checks_answers_without_judges(package):
    ran = python(
        package,
        """
from autograder import check, me, numbers, require, reveal
me("s123")
n = numbers("90.1")
opened, kept = n.brokers + 2, n.brokers + 1
check("90.1")
require("90.1")
reveal("90.1")
opened = kept = n.partitions
check("90.1")
""",
    )
    assert ran.returncode == 0 and ran.stderr == "", ran.stderr
    assert "90.1 ✓ one to ask" in ran.stdout and "is with your teacher" in ran.stdout
    assert "90.1 ✗ You counted one for each of the" in ran.stdout


@pytest.mark.corpus
def test_the_numbers_are_those_the_teacher_grades_by(package, demo, tmp_path):
    from autograder.cell.numbers import numbers_for

    shown = python(
        package,
        'from autograder.cell.numbers import numbers_for\nprint(dict(numbers_for("90.1", "s5")))',
    ).stdout
    assert shown.strip() == str(dict(numbers_for("90.1", "s5")))


@pytest.mark.corpus
def test_it_holds_no_judge_no_test_no_secret(package):
    names = {path.name for path in package.rglob("*") if "kafkalab" not in path.parts}
    assert not names & {
        "course",
        "judges",
        "tests",
        "source_py",
        "exercises",
        "written",
        "rubrics",
        "grade.py",
        "gradebook",
        "grading",
        "handed_in",
        "sandbox",
        "teacher",
        "proving",
        "truth.json",
    }
    texts = "".join(
        path.read_text(errors="replace")
        for path in package.rglob("*")
        if path.suffix in (".py", ".json", ".ipynb", ".txt", ".md")
    )
    assert DEMO_SECRET not in texts
    assert (package / "autograder" / "cell" / "course_key.txt").exists()


@pytest.mark.corpus
def test_git_takes_nothing_of_what_an_installation_and_a_learner_make(package):
    def git(*words):
        command = ["git", "-C", str(package), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    git("init", "--quiet")
    git("add", ".")
    taken = git("ls-files").split("\n")
    assert "autograder/cell/questions/ch90.py" in taken and ".gitignore" in taken
    whole = [path for path in package.rglob("*") if path.is_file() and ".git" not in path.parts]
    assert len(taken) - 1 == len(whole), "all of the package goes to students"
    for made in (
        "build/lib/autograder/x.py",
        "kafkalab.egg-info/PKG-INFO",
        "autograder/__pycache__/x.pyc",
        ".venv/bin/python",
        "notebooks/mine/90_demo/90_demo.ipynb",
        "notebooks/release/90_demo/.ipynb_checkpoints/x.ipynb",
    ):
        (package / made).parent.mkdir(parents=True, exist_ok=True)
        (package / made).touch()
    assert git("status", "--porcelain", "--untracked-files=all", ".").count("??") == 0


@pytest.mark.parametrize(
    "where", few(["notebooks/release/90_demo/90_demo.ipynb", "autograder/cell/questions/ch90.py"])
)
def test_a_leak_is_found(package, where):
    assert release.leaks(package, ["90"]) == []
    path = package / where
    if path.suffix == ".ipynb":
        notebook = json.loads(path.read_text())
        notebook["cells"][0]["source"] = "Think.\n\n    " + reference("90.1").splitlines()[0]
        path.write_text(json.dumps(notebook))
    else:
        path.write_text(path.read_text() + f"\n# {judge_of('90.1').wrong_answers[1].sentence}\n")
    found = release.leaks(package, ["90"])
    assert len(found) == 1 and found[0].startswith(where) and "of 90.1" in found[0]


def test_all_of_cell_and_learner_and_nothing_else_goes_out(package):
    """Who may see a file is its folder: no list names the files."""
    here = HOME / "autograder"
    wanted = {"__init__.py", "__main__.py"} | {
        path.relative_to(here).as_posix()
        for room in ("cell", "learner")
        for path in (here / room).rglob("*.py")
        if not re.search(r"/questions/ch\d\d|/court/", path.relative_to(here).as_posix())
    }
    out = {
        path.relative_to(package / "autograder").as_posix()
        for path in (package / "autograder").rglob("*.py")
    }
    assert out == wanted | {"cell/questions/ch90.py"}


@pytest.mark.corpus
def test_a_leaking_package_is_not_made(demo, tmp_path, monkeypatch):
    monkeypatch.setattr(release, "ROOMS", (*release.ROOMS, "course"))
    with pytest.raises(release.Leak, match="is the teacher's"):
        release.release(["90"], tmp_path / "package")
    assert not (tmp_path / "package").exists() and list(tmp_path.glob(".package*")) == []


@pytest.mark.corpus
def test_a_chapter_that_asks_nothing_goes_out_with_one_that_does(
    demo, tmp_path, monkeypatch, capsys
):
    """Chapter 00 belongs into the first week's package."""
    course = shutil.copytree(demo, tmp_path / "course")
    talk = course / "notebooks" / "release" / "89_talk" / "89_talk.ipynb"
    talk.parent.mkdir()
    talk.write_text(
        json.dumps(
            {
                "cells": [{"cell_type": "markdown", "metadata": {}, "source": "# Hello"}],
                "metadata": {},
                "nbformat": 4,
                "nbformat_minor": 5,
            }
        )
    )
    monkeypatch.setenv("AUTOGRADER_COURSE", str(course))
    assert main(["release", "89", "90", "--demo", "--out", str(tmp_path / "package")]) == 0
    assert sorted(
        path.name for path in (tmp_path / "package" / "notebooks" / "release").iterdir()
    ) == ["89_talk", "90_demo"]
    assert main(["release", "77", "--out", str(tmp_path / "other")]) == 2
    assert capsys.readouterr().err.startswith("Chapter 77 has no notebook in ")


@pytest.mark.slow
def test_all_chapters_fit_into_one_package(tmp_path):
    """Two chapters share an idiom of Python here and there; that gives nothing away."""
    assert main(["release", *released(), "--demo", "--out", str(tmp_path / "package")]) == 0
    question = tmp_path / "package" / "autograder" / "cell" / "questions" / "ch03.py"
    question.write_text(question.read_text() + "\n" + reference("03.2"))
    assert [phrase.split()[0] for phrase in release.leaks(tmp_path / "package", [*released()])] == [
        "autograder/cell/questions/ch03.py"
    ]


@pytest.mark.corpus
def test_the_myth_court_sits_in_a_package_of_its_own(tmp_path):
    package = tmp_path / "package"
    assert main(["release", "00", "myths", "--out", str(package)]) == 0
    ran = python(
        package,
        "from autograder.learner.court import claims, court\n"
        "print(claims())\nprint(court(1, give_up=True))",
    )
    assert ran.returncode == 0 and ran.stdout.count("\n") > 20, ran.stderr
    released_here = package / "notebooks" / "release"
    assert (released_here / "myths" / "myths.ipynb").exists()
    assert (released_here / "playground" / "playground.ipynb").exists()
    assert (released_here / "real" / "real.ipynb").exists()
    assert (released_here / "clients" / "clients.ipynb").exists()


def test_the_wheels_of_a_package_are_what_its_lab_installs():
    """A learner without internet has these only."""
    made = handout.commands((HOME / "Makefile").read_text(encoding="utf-8"), set())
    asked = re.findall(r"\.\[([a-z,]+)\]", made)
    assert len(asked) == 3 and len(set(asked)) == 1


@pytest.mark.corpus
def test_a_teachers_command_in_it_is_told_as_such(package):
    ran = python(package, 'from autograder.__main__ import main\nprint(main(["grade", "."]))')
    assert ran.stdout == "2\n" and ran.stderr == (
        "This is the package for learners; `grade` is a teacher's command and needs the whole "
        "course.\n"
    )


def test_without_a_secret_there_is_no_package_unless_demo_is_asked_for(
    demo, tmp_path, monkeypatch, capsys
):
    assert main(["release", "90", "--out", str(tmp_path / "week")]) == 2
    assert (
        "AUTOGRADER_SECRET is not set" in capsys.readouterr().err
        and not (tmp_path / "week").exists()
    )
    assert main(["release", "90", "--demo", "--out", str(tmp_path / "demo")]) == 0
    said = capsys.readouterr().out
    monkeypatch.setenv("AUTOGRADER_SECRET", "willows in spring")
    assert main(["release", "90", "--out", str(tmp_path / "week")]) == 0
    keys = [
        json.loads((tmp_path / name / "notebooks/release/90_demo/90_demo.ipynb").read_text())[
            "metadata"
        ]["autograder"]["course_key"]
        for name in ("demo", "week")
    ]
    assert (
        keys[0] in said
        and "public demo key" in said
        and keys[1] in capsys.readouterr().out
        and keys[0] != keys[1]
    )


@pytest.mark.corpus
@pytest.mark.parametrize("chapter", ["00", pytest.param("03", marks=pytest.mark.slow)])
def test_its_papers_speak_of_nothing_that_is_not_in_it(chapter, tmp_path):
    """No link leads out of the package, and nothing in its Makefile is a teacher's."""
    package = tmp_path / "package"
    assert main(["release", chapter, "--demo", "--out", str(package)]) == 0
    pages = {
        path: path.read_text(encoding="utf-8")
        for path in sorted(package.rglob("*"))
        if path.suffix in (".md", ".ipynb")
    }
    links = [
        (path, link)
        for path, text in pages.items()
        for link in re.findall(r"\]\((?!https?:|#)([^)#\s]+)", text)
    ]
    assert {package / "README.md", package / "notebooks" / "README.md"} <= {
        path for path, _ in links
    }
    assert [(path, link) for path, link in links if not (path.parent / link).exists()] == []
    makefile = (package / "Makefile").read_text(encoding="utf-8")
    assert not re.search(r"STUDENTS|LEVEL|ready-%|[\[,]dev|teach", makefile)
    listed = subprocess.run(["make"], cwd=package, capture_output=True, text=True)
    assert (
        listed.returncode == 0 and "make lab" in listed.stdout and "chapter 00" not in listed.stdout
    )
    assert not re.search(
        r"make (test|classroom|course|redteam|bench)",
        listed.stdout + (package / "README.md").read_text(encoding="utf-8"),
    )
    dry = subprocess.run(["make", "-n", "lab"], cwd=package, capture_output=True, text=True)
    assert dry.returncode == 0 and "autograder.learner.lab" in dry.stdout, dry.stderr


def texts(folder) -> dict[str, str]:
    """The text cells of each notebook under a folder."""
    return {
        path.name: "\n\n".join(
            "".join(cell["source"])
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
            if cell["cell_type"] == "markdown"
        )
        for path in sorted(folder.rglob("*.ipynb"))
    }


@pytest.mark.corpus
def test_a_notebook_of_a_package_promises_no_answer_that_stays_with_the_teacher(tmp_path):
    for name, text in texts(HOME / "notebooks" / "release").items():
        left = release.without_reveal(text)
        assert "reveal(" not in left, name
        assert len(text) - len(left) <= 160 * text.count("reveal("), "and nothing else goes"
    here = release.without_reveal(
        'A person reads this. `reveal("07.open", give_up=True)` shows a good one. Kafka changed.'
    )
    assert here == "A person reads this. Kafka changed."
    assert main(["release", "00", "--out", str(tmp_path / "package")]) == 0
    packed = texts(tmp_path / "package" / "notebooks" / "release")["00_start_here.ipynb"]
    assert "reveal(" not in packed and "English or Chinese.\n" in packed
    assert '`hint("02.1")` helps in two steps, and so does `check("02.1", hint=True)`.' in packed


@pytest.mark.corpus
def test_reveal_in_a_package_promises_nothing(package):
    ran = python(package, 'from autograder import reveal\nreveal("90.1")\nreveal("90.open")\n')
    assert ran.stdout.count("is with your teacher") == 2 and "give_up" not in ran.stdout
