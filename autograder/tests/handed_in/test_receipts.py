"""A receipt is for a chapter's own notebook of one student: a file that nobody changed keeps its
time, whatever lies beside it or round it."""

import json
import shutil
import zipfile
from datetime import UTC, datetime, timedelta

import pytest

from autograder.course.masters import master
from autograder.grade import receive
from autograder.handed_in.classlist import Roster
from autograder.handed_in.receipts import Receipts
from autograder.handed_in.submission import read
from kafkalab.tests.shares import few

MONDAY = datetime(2026, 11, 16, 20, tzinfo=UTC)
FRIDAY = MONDAY + timedelta(days=4)


def silent(text):
    """Progress that nobody reads."""


def notebook(path, chapter, student, word=""):
    made = master(chapter).notebook()
    made["metadata"]["word"] = word
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(made).replace('me(\\"\\")', f'me(\\"{student}\\")')
    path.write_text(text, encoding="utf-8")


@pytest.fixture
def term(tmp_path):
    """Ada's chapter 02 of Monday, in a folder of hers."""
    notebook(tmp_path / "term" / "ada" / "02.ipynb", "02", "ada")
    receive(tmp_path / "term", tmp_path / "out", at=MONDAY, say=silent)
    return tmp_path / "term"


def times(folder, out, roster=Roster(), asked=None):
    """When each chapter came, by the receipts, after this folder is received on Friday."""
    receive(folder, out, roster, at=FRIDAY, say=silent)
    receipts = Receipts(out / "receipts.jsonl")
    return {
        each.chapter: receipts.at(each)
        for path in sorted(folder.iterdir())
        for each in read(path, roster, asked)
    }


def test_a_new_chapter_beside_it_leaves_a_chapters_time(term, tmp_path):
    notebook(term / "ada" / "03.ipynb", "03", "ada")
    assert times(term, tmp_path / "out") == {"02": MONDAY, "03": FRIDAY}
    for word in ("more", "and more"):
        notebook(term / "ada" / "03.ipynb", "03", "ada", word)
        assert times(term, tmp_path / "out")["02"] == MONDAY
    (term / "ada" / "03.ipynb").unlink()
    assert times(term, tmp_path / "out") == {"02": MONDAY}


def test_a_changed_chapter_has_a_new_time(term, tmp_path):
    notebook(term / "ada" / "02.ipynb", "02", "ada", "changed")
    assert times(term, tmp_path / "out") == {"02": FRIDAY}


@pytest.mark.parametrize("asked", few([None, "02", "03"]))
def test_the_chapter_that_is_asked_for_changes_no_name_and_no_time(term, tmp_path, asked):
    notebook(term / "ada" / "03.ipynb", "03", "ada")
    times(term, tmp_path / "out")
    found = read(term / "ada", asked=asked)
    assert {each.name for each in found} <= {f"ada/{master(name).name}" for name in ("02", "03")}
    receipts = Receipts(tmp_path / "out" / "receipts.jsonl")
    assert all(receipts.knows(each) for each in found)


@pytest.mark.corpus
def test_another_folder_round_it_leaves_its_time(term, tmp_path):
    """A plain file, nbgrader's submitted/, a folder of another name, and a zip file."""
    raw = (term / "ada" / "02.ipynb").read_bytes()
    layouts = {
        "plain": "ada.ipynb",
        "submitted": "ada/02_bootstrap/02_bootstrap.ipynb",
        "moodle": "Ada Abel_17_assignsubmission_file/02.ipynb",
    }
    for week, inside in layouts.items():
        place = tmp_path / week / inside
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(raw)
        assert times(tmp_path / week, tmp_path / "out") == {"02": MONDAY}, week
    (tmp_path / "zips").mkdir()
    with zipfile.ZipFile(tmp_path / "zips" / "ada.zip", "w") as archive:
        archive.writestr("work/02.ipynb", raw)
    assert times(tmp_path / "zips", tmp_path / "out") == {"02": MONDAY}


def test_a_class_list_that_is_named_later_leaves_its_time(tmp_path):
    """Without the list the file was nobody's."""
    box = tmp_path / "box"
    notebook(box / "Ada Abel_17_assignsubmission_file" / "02.ipynb", "02", "")
    receive(box, tmp_path / "out", at=MONDAY, say=silent)
    listed = Roster({"s1": {"name": "Ada Abel"}})
    assert times(box, tmp_path / "out", listed) == {"02": MONDAY}
    shutil.move(box / "Ada Abel_17_assignsubmission_file", box / "s1")
    assert times(box, tmp_path / "out", listed) == {"02": MONDAY}


def test_a_neighbours_equal_file_has_a_time_of_its_own(term, tmp_path):
    """Two blank notebooks are the same bytes."""
    for name in ("bo", "cy"):
        notebook(tmp_path / name / f"{name}.ipynb", "02", "")
    receive(tmp_path / "bo", tmp_path / "out", at=MONDAY, say=silent)
    assert times(tmp_path / "cy", tmp_path / "out") == {"02": FRIDAY}


def test_a_chapter_that_was_not_asked_for_keeps_the_time_it_came(tmp_path):
    from autograder.grading.lanes.intake import take_in

    notebook(tmp_path / "box" / "ada" / "02.ipynb", "02", "ada")
    notebook(tmp_path / "box" / "ada" / "notes" / "02 old.ipynb", "02", "ada", "old")
    (tmp_path / "out").mkdir()
    take_in(tmp_path / "box", tmp_path / "out", Roster(), "03", silent, (), at=MONDAY)
    assert times(tmp_path / "box", tmp_path / "out") == {"02": MONDAY}


@pytest.mark.parametrize("chapters", [("02",), ("02", "03"), ("01", "02")])
def test_receipts_of_an_older_version_are_read(tmp_path, chapters):
    """They have the SHA-256 of the whole folder; the copy that was kept tells the notebook's."""
    box, out = tmp_path / "box", tmp_path / "out"
    for chapter in chapters:
        notebook(box / "ada" / f"{chapter}.ipynb", chapter, "ada")
    receive(box, out, at=MONDAY, say=silent)
    lines = [json.loads(line) for line in (out / "receipts.jsonl").read_text().splitlines()]
    for line in lines:
        del line["notebook"]
    (out / "receipts.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    notebook(box / "ada" / "04.ipynb", "04", "ada")
    assert times(box, out) == {**dict.fromkeys(chapters, MONDAY), "04": FRIDAY}
    notebook(box / "ada" / "05.ipynb", "05", "ada")
    shutil.rmtree(out / "received")
    assert times(box, out)["02"] == MONDAY, "the receipts say it now"
