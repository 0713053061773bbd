"""Tampered notebooks are pointed out, each by its kind, and no honest one is."""

import json
from pathlib import Path

import pytest

from autograder.cell.course_folder import HOME
from autograder.course.masters import master
from autograder.course.references import references
from autograder.grading.verdict import _code
from autograder.handed_in.assignment import rebuild
from autograder.handed_in.classlist import read_roster
from autograder.handed_in.submission import read
from autograder.sandbox.outside.signs import in_answers
from autograder.tests import tampered
from autograder.tests.broken import CORPUS as BROKEN
from autograder.tests.honest import notebooks as honest_notebooks

BEFORE, AFTER = 27, 54
# flags that broken notebooks have: what was done to these is no accident
FLAGGED = {
    "a locked cell edited",
    "points edited",
    "schema_version of the future",
    "solution set on a locked cell",
}


def flags_of(path, **words) -> list[str]:
    """What is told of a notebook before it is run."""
    (found,) = read(path, **words)
    if not found.can_run:
        return list(found.flags)
    own = master(found.chapter)
    extras = tuple(extra.source for extra in found.extras)
    return [*found.flags, *in_answers(_code(own, found), extras)]


@pytest.mark.parametrize("each", tampered.CORPUS, ids=lambda each: each.name)
def test_a_tampered_notebook_is_told_or_named_as_one_that_is_not(each, tmp_path):
    flags = flags_of(tampered.written(each, tmp_path))
    assert bool(flags) == each.told, flags
    assert all(len(flag) < 400 and "\n" not in flag for flag in flags)


def test_the_docs_say_how_many_are_told():
    assert len({each.name for each in tampered.CORPUS}) == len(tampered.CORPUS) >= 60
    told = sum(each.told for each in tampered.CORPUS)
    assert told == AFTER
    page = Path(HOME, "autograder", "docs", "tampering.md").read_text(encoding="utf-8")
    assert (
        f"{told} of {len(tampered.CORPUS)}" in page
        and f"{BEFORE} of them were named before" in page
    )


def test_an_honest_notebook_with_its_outputs_has_no_flag(tmp_path):
    path = tmp_path / "s101.ipynb"
    for student in ("s101", "S101", "王小明"):
        path.write_text(json.dumps(tampered.honest(student)), encoding="utf-8")
        (found,) = read(path)
        assert (found.status, found.reason, found.flags) == ("graded", "", ())


def test_outputs_of_a_first_try_without_a_name_have_no_flag(tmp_path):
    """Who runs the notebook as nobody, then writes an id and runs the first cell again, has the
    first set of numbers in the outputs."""
    notebook, nobody = tampered.honest(), tampered.honest("")
    for cell, first in zip(notebook["cells"], nobody["cells"]):
        if "numbers(" in "".join(cell["source"]) and cell.get("outputs"):
            cell["outputs"] = first["outputs"]
    path = tmp_path / "s101.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert flags_of(path) == []


def test_two_spellings_of_one_student_are_one(tmp_path):
    (tmp_path / "class.csv").write_text("student,name\ns101,Ada Abel\n", encoding="utf-8")
    notebook = tampered.honest("S101")
    notebook["metadata"]["autograder"]["student"] = "s101"
    path = tmp_path / "s101.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    assert flags_of(path, roster=read_roster(tmp_path / "class.csv")) == []


@pytest.mark.parametrize("chapter", ["03", pytest.param("07", marks=pytest.mark.slow)])
def test_no_honest_notebook_of_a_chapter_is_flagged(chapter, tmp_path):
    for each in honest_notebooks(chapter, 45, spark=False):
        path = tmp_path / f"{each.student}.ipynb"
        path.write_text(json.dumps(each.notebook), encoding="utf-8")
        assert flags_of(path) == [], each.style


@pytest.mark.slow
def test_broken_notebooks_have_the_flags_they_had(demo, tmp_path):
    flagged = set()
    for number, each in enumerate(BROKEN):
        path = each.make(tmp_path / f"b{number:02}", rebuild(master("90"), references("90")))
        flagged |= {each.name for found in read(path) if found.flags}
    for each in honest_notebooks("90", 60):
        path = tmp_path / f"{each.student}.ipynb"
        path.write_text(json.dumps(each.notebook), encoding="utf-8")
        assert flags_of(path) == [], each.style
    assert flagged == FLAGGED


def test_odd_data_where_marks_and_outputs_stand_is_no_error(tmp_path):
    notebook = tampered.honest()
    odd = (None, 7, "x", [], [None], {"text": 7}, {"data": []}, {"output_type": "execute_result"})
    for number, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "code":
            cell["outputs"] = [odd[number % len(odd)]] if number % 2 else odd[number % len(odd)]
        cell["id"] = odd[(number + 3) % len(odd)]
        if number % 5 == 0 and "nbgrader" not in cell["metadata"]:
            cell["metadata"]["autograder"] = odd[number % len(odd)]
    notebook["metadata"]["autograder"] = {"chapter": ["03"], "student": 7}
    path = tmp_path / "s101.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf-8")
    (found,) = read(path)
    assert found.status in ("graded", "repaired") and "fault" not in found.reason


def test_a_student_does_not_read_whose_outputs_they_pasted(tmp_path):
    """That is a teacher's to talk about; what was done to the cells the student reads."""
    by_name = {each.name: each for each in tampered.CORPUS}
    for name in ("another's outputs everywhere", "me() a second time, for another"):
        (found,) = read(tampered.written(by_name[name], tmp_path))
        assert tampered.OTHER in found.reason
        assert found.for_student == ""
    (found,) = read(tampered.written(by_name["more points"], tmp_path))
    assert "marks on the cell of 03.2 were edited" in found.reason and found.for_student is None
