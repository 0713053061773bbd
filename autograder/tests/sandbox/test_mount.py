"""What lies behind the walls: no solution, no hidden case, no file of the teacher's,
in nothing that an answer can open."""

import re
from compileall import compile_dir
from pathlib import Path

import pytest

from autograder.cell import questions
from autograder.cell.course_folder import HOME, released
from autograder.cell.question import asked_chapters
from autograder.course.leaks import FRAGMENT, Secrets, given, learners_half
from autograder.course.references import reference
from autograder.sandbox.outside.parent import Sandbox, build_view
from kafkalab.tests.shares import few

WALK = """
import os, sys
course, others, forbidden = [], [], []
for top in sorted(os.listdir("/")):
    if top in ("proc", "usr") or os.path.islink("/" + top):
        continue
    for folder, folders, files in os.walk("/" + top):
        forbidden += [os.path.join(folder, name) for name in folders + files if name in ("judges", "course", "written", "source_py", "exercises", "sealed")]
        if folder.startswith((sys.prefix, sys.base_prefix)):
            continue
        (course if folder.startswith("/course") else others).extend(os.path.join(folder, name) for name in files)
"""  # noqa: E501
# Two small files of the sandbox's own, and what the system's programs need; no file of anybody's.
SYSTEM = (
    "/bin/",
    "/dev/",
    "/etc/alternatives",
    "/etc/fonts",
    "/etc/hosts",
    "/etc/java-",
    "/etc/ld.so.cache",
    "/etc/localtime",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/lib",
    "/opt/java",
    "/sbin/",
)


def kept_back() -> Secrets:
    """What the released chapters keep to themselves."""
    with_questions = [chapter for chapter in released() if chapter in asked_chapters()]
    return Secrets(with_questions, given(with_questions, learners_half(with_questions)))


def leaks_in(folder, secrets: Secrets, but: tuple[str, ...] = ()) -> list[str]:
    """Each file of a folder that gives something away."""
    return [
        f"{path.relative_to(folder)}: {found}"
        for path in sorted(folder.rglob("*"))
        if path.is_file()
        and not str(path.relative_to(folder)).startswith(but)
        and (found := secrets.found_in(path.read_text(encoding="utf-8", errors="replace")))
    ]


@pytest.mark.slow
def test_nothing_behind_the_walls_gives_anything_away(tmp_path):
    """The samples and recordings, too; a moment of a sample may stand in a hidden case as well,
    and tells nothing about it."""
    found = leaks_in(build_view(tmp_path / "view"), kept_back())
    assert [leak for leak in found if not re.search(r'"[ "\\d:T-]*2026-\\d\\d', leak)] == []


def test_all_python_of_cell_and_inside_and_nothing_else_is_behind_the_walls(tmp_path):
    """Who may see a file is its folder: no list names the files."""
    here, view = HOME / "autograder", build_view(tmp_path / "view") / "autograder"
    wanted = {"__init__.py", "sandbox/__init__.py"} | {
        path.relative_to(here).as_posix()
        for room in ("cell", "sandbox/inside")
        for path in (here / room).rglob("*.py")
    }
    wanted |= {
        f"cell/questions/{path.name}"
        for place in questions.__path__
        for path in Path(place).glob("*.py")
    }
    shown = {path.relative_to(view).as_posix() for path in view.rglob("*") if path.is_file()}
    assert {name for name in shown if "__pycache__" not in name} == wanted


@pytest.mark.corpus
def test_the_code_behind_the_walls_gives_nothing_away_but_what_was_put_there(tmp_path):
    view = build_view(tmp_path / "view")
    assert not list(view.rglob("*truth*.json")), "the samples' own answers are the judges'"
    line = max(reference("02.3").splitlines(), key=len).strip()
    (view / "autograder" / "cell" / "data.py").write_text(
        f"x = 1  # {line[: FRAGMENT + 10]}\n", encoding="utf-8"
    )
    compile_dir(view / "autograder", quiet=1)  # a text that is written in parts is whole there
    (found,) = leaks_in(view, kept_back(), but=("data/",))
    assert found.startswith("autograder/cell/data.py")


@pytest.mark.parametrize("level", few(["L3", "L2"]))
def test_an_answer_sees_the_course_and_the_system_and_nothing_else(level):
    with Sandbox(level=level) as opened:
        if opened.reached()[0] != level:
            pytest.skip(f"level {level} is not to be had here: {opened.reached()[1]}")
        heard = opened.run(
            [
                {
                    "source": WALK,
                    "question": "x",
                    "cases": [{}],
                    "read": ["course", "others", "forbidden"],
                }
            ],
            {},
        )
        seen = heard["replies"]["x"][0]["data"]
        inside = {
            str(path.relative_to(opened.view)) for path in opened.view.rglob("*") if path.is_file()
        }
    assert {name.removeprefix("/course/") for name in seen["course"]} == inside, heard["ended"]
    assert [name for name in seen["others"] if not name.startswith(SYSTEM)] == []
    assert seen["forbidden"] == []
