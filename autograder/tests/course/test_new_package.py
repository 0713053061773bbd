"""A package a week, in one folder: `add` brings it in, and nothing of the learner's is touched."""

import json
import shutil
import zipfile

import pytest

from autograder.__main__ import main
from autograder.course import release
from autograder.tests.course.test_release import python

ADD = "from autograder.__main__ import main\nprint(main(['add', {source!r}]))"


def make(folder):
    """A course with a chapter that asks and one that does not; week 1 is in the learner's folder,
    with work in it."""
    talk = folder / "course" / "notebooks" / "release" / "89_talk" / "89_talk.ipynb"
    talk.parent.mkdir()
    talk.write_text('{"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}')
    learner = release.release(["90"], folder / "kafka")
    own = learner / "notebooks" / "mine" / "90_demo" / "90_demo.ipynb"
    own.parent.mkdir(parents=True)
    own.write_text("my work")
    (learner / "notes.txt").write_text("mine, too")


@pytest.fixture
def term(demo, tmp_path, monkeypatch, made_once):
    monkeypatch.setenv("AUTOGRADER_COURSE", str(tmp_path / "course"))
    shutil.copytree(demo, tmp_path / "course")
    made_once(make, tmp_path)
    return tmp_path


def snapshot(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def add(term, source):
    return python(term / "kafka", ADD.format(source=str(source)))


@pytest.mark.slow
def test_the_package_of_the_next_week_comes_in_by_one_command(term, capsys):
    """A zip file, as `release` makes it: a new chapter, and one that the teacher has mended."""
    mended = term / "course" / "notebooks" / "release" / "90_demo" / "90_demo.ipynb"
    notebook = json.loads(mended.read_text())
    notebook["cells"].append({"cell_type": "markdown", "metadata": {}, "source": "Mended."})
    mended.write_text(json.dumps(notebook))
    assert main(["release", "89", "90", "--demo", "--out", str(term / "week2.zip")]) == 0
    with zipfile.ZipFile(term / "week2.zip") as archive:
        assert all(name.startswith("week2/") for name in archive.namelist())
    ran = add(term, term / "week2.zip")
    assert ran.stderr == "" and ran.stdout.splitlines() == [
        "New: 89_talk. Your copy is in notebooks/mine/89_talk.",
        "Changed by your teacher: 90_demo. Your copy is as it was; `python -m autograder reset 90` "
        "gives you the new one and keeps yours.",
        "3 files are new or changed. Your own notebooks are as they were.",
        "0",
    ]
    mine = term / "kafka" / "notebooks" / "mine"
    assert (mine / "90_demo" / "90_demo.ipynb").read_text() == "my work"
    assert (mine / "89_talk" / "89_talk.ipynb").exists()
    assert (term / "kafka" / "notes.txt").read_text() == "mine, too"
    again = add(term, term / "week2.zip").stdout.splitlines()
    assert again == ["Nothing is new: this folder had all of it.", "0"]


@pytest.mark.slow
def test_the_list_of_chapters_keeps_those_of_earlier_weeks(term, monkeypatch):
    """A package without questions may be made where the secret is not at hand."""
    monkeypatch.setenv("AUTOGRADER_SECRET", "of another day")
    package = release.release(["89"], term / "week2")
    assert add(term, package).stdout.endswith("0\n")
    readme = (term / "kafka" / "README.md").read_text()
    assert readme.index("89_talk.ipynb") < readme.index("90_demo.ipynb")
    assert readme.count("release/") == 2


@pytest.mark.slow
def test_a_package_of_another_course_is_refused_and_nothing_changes(term, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_SECRET", "of another course")
    package = release.release(["89", "90"], term / "week2")
    before = snapshot(term / "kafka")
    ran = add(term, package)
    assert ran.stdout == "2\n" and "belongs to another course (course key " in ran.stderr
    assert ran.stderr.count("\n") == 1
    after = {path: raw for path, raw in snapshot(term / "kafka").items() if path.suffix != ".pyc"}
    assert after == {path: raw for path, raw in before.items() if path.suffix != ".pyc"}


def test_what_is_no_package_is_one_sentence(term, capsys):
    with zipfile.ZipFile(term / "evil.zip", "w") as archive:
        archive.writestr("../out.txt", "x")
    (term / "text.zip").write_text("no zip")
    for source, told in (
        ("evil.zip", "written outside of this folder"),
        ("text.zip", "cannot be unpacked"),
        ("course", "is no package of this course"),
        ("nowhere.zip", "There is no "),
    ):
        ran = add(term, term / source)
        assert ran.stdout == "2\n" and told in ran.stderr and ran.stderr.count("\n") == 1
    assert not (term / "out.txt").exists()
    assert main(["add", str(term / "kafka")]) == 2
    assert "This is the whole course." in capsys.readouterr().err
