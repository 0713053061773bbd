"""What OUT holds of a class is for the teacher's account only."""

import os

import pytest

from autograder.__main__ import main
from autograder.grade import grade_class, receive
from autograder.tests.conftest import writer_of

pytestmark = pytest.mark.usefixtures("kept_staff")


def one(home):
    hand_in = writer_of(home / "class")
    hand_in("ada", student="ada")
    grade_class(home / "class", home / "out", say=lambda text: None)


@pytest.fixture
def out(demo, made_once, tmp_path):
    made_once(one, tmp_path)
    return tmp_path / "out"


def open_to_others(out) -> list[str]:
    """What another account may read, write or enter."""
    return [str(path) for path in (out, *out.rglob("*")) if path.lstat().st_mode & 0o077]


def test_nobody_else_reads_a_graded_class(out):
    assert (out / "gradebook.db").exists() and open_to_others(out) == []


@pytest.mark.parametrize(
    "words",
    [
        ["feedback", "OUT"],
        ["report", "OUT", "--page"],
        ["due", "OUT", "90", "2040-01-01"],
        ["seen", "OUT", "--all"],
        ["grade", "class", "--out", "OUT"],
        ["receive", "class", "--out", "OUT"],
    ],
)
def test_an_out_of_before_is_closed_by_the_next_command(out, words):
    for path in (out, *out.rglob("*")):
        os.chmod(path, 0o755 if path.is_dir() else 0o644)
    assert main([str(out) if word == "OUT" else word for word in words]) in (0, 3)
    assert open_to_others(out) == []
    assert all(path.stat().st_mode & 0o400 for path in out.rglob("*"))


def test_what_was_only_received_is_closed(hand_in, tmp_path):
    hand_in("ada", folder=tmp_path / "class")
    receive(tmp_path / "class", tmp_path / "new", say=lambda text: None)
    assert open_to_others(tmp_path / "new") == []


def test_a_folder_that_is_no_out_is_left_alone(demo, tmp_path, capsys):
    """`report ~` is a slip, and nobody's home changes."""
    home = tmp_path / "home"
    (home / "results").mkdir(parents=True)
    (home / "notes.json").write_text("{}")
    for path in (home, *home.rglob("*")):
        os.chmod(path, 0o755)
    assert main(["report", str(home)]) == 2
    assert [path.stat().st_mode & 0o777 for path in (home, *home.rglob("*"))] == [0o755] * 3
