"""The demo course of tests/demo, built once; the fixture `demo` lets a
test work in it as AUTOGRADER_COURSE would."""

import json
import os
import shutil
import sys

import pytest

from autograder.cell import questions
from autograder.course import halves, judges, seals
from autograder.course.masters import master
from autograder.course.references import references
from autograder.grading.lanes import class_run
from autograder.handed_in.assignment import rebuild
from autograder.sandbox.outside.parent import Sandbox
from autograder.tests.demo.build import build
from autograder.tests.kept_staff import KeptStaff

# jsonschema would build a grammar of web addresses with it, for seconds, and no notebook has one
sys.modules.setdefault("rfc3987_syntax", None)
halves.refresh(print, edited=True)  # tests are for what stands in the sources


@pytest.fixture(scope="session")
def demo_folder(tmp_path_factory):
    """The demo course on disk, sealed."""
    folder = build(tmp_path_factory.mktemp("course") / "demo")
    questions.__path__.append(str(folder / "questions"))
    judges.__path__.append(str(folder / "judges"))
    before = os.environ.get("AUTOGRADER_COURSE")
    os.environ["AUTOGRADER_COURSE"] = str(folder)
    try:
        seals.seal("90", print)
    finally:
        os.environ.pop("AUTOGRADER_COURSE")
        if before is not None:
            os.environ["AUTOGRADER_COURSE"] = before
    yield folder
    questions.__path__.remove(str(folder / "questions"))
    judges.__path__.remove(str(folder / "judges"))


@pytest.fixture
def demo(demo_folder, monkeypatch, tmp_path):
    """Work in the demo course; the current folder is an empty one."""
    monkeypatch.setenv("AUTOGRADER_COURSE", str(demo_folder))
    monkeypatch.delenv("AUTOGRADER_SECRET", raising=False)
    monkeypatch.chdir(tmp_path)
    return demo_folder


@pytest.fixture(scope="session")
def sandbox(demo_folder):
    """One sandbox for all tests: its view holds the demo questions too."""
    with Sandbox() as opened:
        yield opened


@pytest.fixture(scope="session")
def everlasting(demo_folder):
    """The staff that stays for all tests."""
    staff = KeptStaff()
    yield staff
    staff.end()


@pytest.fixture
def kept_staff(everlasting, monkeypatch):
    """Grade with the staff that stays: for tests of what becomes of marks, not of grading."""
    monkeypatch.setattr(class_run, "staff_for", everlasting)


@pytest.fixture
def hand_in(demo, tmp_path):
    """hand_in("alice", {"90.1": source}) writes alice's notebook, the reference in all other cells,
    and returns its path."""
    return writer_of(tmp_path)


@pytest.fixture(scope="session")
def made_once(tmp_path_factory):
    """made_once(make, folder) has make(folder) fill the folder, the first time; later it is a
    copy. To grade the smallest class takes seconds."""
    made = {}

    def fill(make, folder):
        if make in made:
            shutil.copytree(made[make], folder, dirs_exist_ok=True)
        else:
            make(folder)
            made[make] = shutil.copytree(folder, tmp_path_factory.mktemp("made") / "it")

    return fill


def writer_of(home):
    """What `hand_in` is, writing into `home` where no folder is named."""

    def write(
        name: str, answers: dict | None = None, student: str | None = None, folder=None, **changes
    ):
        notebook = rebuild(master("90"), {**references("90"), **(answers or {})})
        for cell in notebook["cells"]:
            if cell["source"] == 'me("")' and student is not None:
                cell["source"] = f'me("{student}")'
        notebook.update(changes)
        path = (folder or home) / f"{name}.ipynb"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(notebook, indent=1), encoding="utf-8")
        return path

    return write
