"""The learner's folder: filled once, never overwritten, reset without loss,
packed into one file that grades."""

import json
import re
import shutil

import pytest

from autograder.__main__ import main
from autograder.course.masters import master
from autograder.course.references import reference
from autograder.grade import grade
from autograder.handed_in.submission import read
from autograder.learner import desk
from autograder.learner.overview import details, overview


@pytest.fixture
def mine(demo, monkeypatch, tmp_path):
    """The learner's folder of a course with chapter 90, fresh for each test."""
    monkeypatch.setattr(desk, "mine", lambda: tmp_path / "notebooks" / "mine")
    return tmp_path / "notebooks" / "mine"


def answer(path, student: str = "", **answers):
    notebook = json.loads(path.read_text())
    for cell in notebook["cells"]:
        if cell["source"] == 'me("")':
            cell["source"] = f'me("{student}")  # that is me'
        for grade_id, source in answers.items():
            if cell["metadata"].get("nbgrader", {}).get("grade_id") == grade_id.replace("_", "-"):
                cell["source"] = source
    path.write_text(json.dumps(notebook))


def test_a_copy_is_laid_out_once_and_never_overwritten(mine):
    assert desk.prepare_mine() == ["90_demo: a fresh copy"]
    own = mine / "90_demo" / "90_demo.ipynb"
    own.write_text("my work")
    assert (
        desk.prepare_mine() == ["90_demo: yours, as you left it"] and own.read_text() == "my work"
    )


def test_reset_gives_a_fresh_copy_and_keeps_the_old_one(mine):
    desk.prepare_mine()
    own = mine / "90_demo" / "90_demo.ipynb"
    own.write_text("my work")
    for _ in range(2):
        desk.reset("90")
    assert own.read_bytes() == master("90").path.read_bytes()
    saved = sorted((mine / ".saved").iterdir())
    assert len(saved) == 2 and "my work" in [(each / "90_demo.ipynb").read_text() for each in saved]


def test_the_myth_court_can_be_reset_though_it_has_no_number(mine, capsys, tmp_path, monkeypatch):
    monkeypatch.setenv("AUTOGRADER_COURSE", str(tmp_path))
    fresh = tmp_path / "notebooks" / "release" / "myths"
    fresh.mkdir(parents=True)
    (fresh / "myths.ipynb").write_text("{}")
    desk.prepare_mine()
    (mine / "myths" / "myths.ipynb").write_text("my verdicts")
    assert main(["reset", "myths"]) == 0 and "is fresh" in capsys.readouterr().out
    assert (mine / "myths" / "myths.ipynb").read_text() == "{}"
    assert [each.name[:6] for each in (mine / ".saved").iterdir()] == ["myths-"]


@pytest.mark.parametrize(
    "words", [["lab"], ["open"], ["reset", "03"], ["pack", "03"], ["progress"]]
)
def test_without_notebooks_a_command_says_where_to_type_it(words, capsys, tmp_path, monkeypatch):
    """As where the packages are installed and the course lies in another folder."""
    monkeypatch.setenv("AUTOGRADER_COURSE", str(tmp_path))
    assert main(words) == 2
    said = capsys.readouterr()
    assert f"Type `python -m autograder {words[0]}` in the folder of the course" in said.err
    assert said.out == "" and said.err.count("\n") == 1


def test_pack_makes_one_file_that_grades_under_the_learners_name(mine, tmp_path):
    desk.prepare_mine()
    own = mine / "90_demo" / "90_demo.ipynb"
    assert "It has no name" in desk.pack("90")
    answer(own, "s123", q_90_3=reference("90.3"))
    kept = {"90.3": {"tries": 4, "hints": 1}, "03.1": {"tries": 9}, "90.2": "broken"}
    (mine / "progress.json").write_text(json.dumps({"questions": kept}))
    said = desk.pack("90", tmp_path / "hand_in.ipynb")
    whole = json.loads((tmp_path / "hand_in.ipynb").read_text())
    assert whole["metadata"]["autograder"]["tries"] == {"90.3": 4}
    assert "how often you checked" in said
    assert "Receipt code: " in said and "Not answered yet: 90.1, 90.2, 90.open." in said
    packed = read(tmp_path / "hand_in.ipynb")[0]
    assert (packed.student, packed.variant, packed.status) == ("s123", "s123", "graded")
    assert grade("90", tmp_path / "hand_in.ipynb")["score"] == 1


@pytest.fixture
def course(demo, tmp_path, monkeypatch):
    """A course whose copies may be written into; returns its folder notebooks."""
    folder = shutil.copytree(demo, tmp_path / "course")
    monkeypatch.setenv("AUTOGRADER_COURSE", str(folder))
    return folder / "notebooks"


@pytest.mark.parametrize(
    "place",
    [
        "notebooks/release/90_demo/90_demo.ipynb",  # where a link of nbgitpuller opens it
        "notebooks/mine/90_demo/90_demo-Copy1.ipynb",
        "notebooks/mine/.saved/90_demo-20261128/90_demo.ipynb",
        "90_demo.ipynb",
    ],
)
def test_a_blank_copy_is_not_packed_while_answers_lie_elsewhere(course, place):
    desk.prepare_mine()
    own, other = course / "mine" / "90_demo" / "90_demo.ipynb", course.parent / place
    other.parent.mkdir(parents=True, exist_ok=True)
    other.write_bytes(own.read_bytes())
    desk.pack("90")
    answer(other, "s1", q_90_3="total = 7", q_90_1="opened = 1\nkept = 2")
    with pytest.raises(ValueError, match="has no answers, and .* has some") as refused:
        desk.pack("90")
    assert f"cp {other} {own}" in str(refused.value)
    answer(own, "s1", q_90_3="total = 6")
    said = desk.pack("90")
    assert f"{other} has an answer to 90.1; it was not packed." in said
    if "release" not in place:
        other.write_text("{")
        assert "has an answer" not in desk.pack("90")


def test_what_was_answered_before_the_copy_was_made_is_answered(course):
    """Answers in `release/`, and `lab` came after."""
    answer(course / "release" / "90_demo" / "90_demo.ipynb", "s1", q_90_3="total = 6")
    desk.prepare_mine()
    assert "Not answered yet: 90.1, 90.2, 90.open." in desk.pack("90")


def test_a_chapter_that_asks_nothing_has_nothing_to_hand_in(mine, monkeypatch, tmp_path):
    desk.prepare_mine()
    silent = tmp_path / "90_demo.ipynb"
    silent.write_text(json.dumps({**master("90").notebook(), "cells": []}))
    monkeypatch.setattr(desk, "release_notebook", lambda chapter: silent)
    with pytest.raises(ValueError, match="Chapter 90 asks nothing"):
        desk.pack("90")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda notebook: notebook.update(metadata=None),
        lambda notebook: notebook["metadata"].update(autograder=[]),
        lambda notebook: notebook["cells"][0].update(metadata=None, source=None),
        lambda notebook: notebook["cells"][5].update(metadata={"nbgrader": 3}),
        lambda notebook: notebook["cells"][0].update(source="\ud83d"),
        lambda notebook: notebook["cells"].insert(0, {"cell_type": "code", "source": 'me("")'}),
        lambda notebook: notebook["cells"].insert(0, {"cell_type": "code", "source": "def ("}),
        lambda notebook: notebook["cells"].insert(
            0, {"cell_type": "code", "source": "%matplotlib inline\nwho = me(student='s123')"}
        ),
    ],
)
def test_an_odd_notebook_is_packed_all_the_same(mine, tmp_path, spoil):
    desk.prepare_mine()
    own = mine / "90_demo" / "90_demo.ipynb"
    answer(own, "s123", q_90_3=reference("90.3"))
    notebook = json.loads(own.read_text())
    spoil(notebook)
    own.write_text("\ufeff" + json.dumps(notebook), encoding="utf-8")
    desk.pack("90", tmp_path / "hand_in.ipynb")
    (packed,) = read(tmp_path / "hand_in.ipynb")
    assert packed.student == "s123" and packed.answers["90.3"] == reference("90.3")


@pytest.mark.parametrize(
    "left", ["", "{", "[]", '{"cells": {}}', '{"cells": ["x"]}', "[" * 100_000]
)
def test_what_is_no_notebook_any_more_is_not_packed(mine, tmp_path, left):
    desk.prepare_mine()
    (mine / "90_demo" / "90_demo.ipynb").write_text(left)
    with pytest.raises(
        ValueError, match="is not a whole notebook any more; open and save it in JupyterLab"
    ):
        desk.pack("90", tmp_path / "hand_in.ipynb")
    assert not (tmp_path / "hand_in.ipynb").exists()


def test_progress_says_how_far_one_is_and_what_to_repeat(mine, capsys):
    mine.mkdir(parents=True)
    (mine / "progress.json").write_text(
        json.dumps(
            {
                "questions": {
                    "90.1": {"tries": 3, "hints": 1, "passed_at": "now"},
                    "90.2": {"tries": 1, "hints": 2, "revealed": "before passing"},
                },
                "guesses": {
                    "90 consumer": {"guess": {"opened": 6}, "truth": {"opened": 4}},
                    "90 producer": {"guess": {"opened": 2}, "truth": {"opened": 2}},
                    "90 not run yet": {"guess": {"kept": 1}},
                },
            }
        )
    )
    assert main(["progress"]) == 0
    told = capsys.readouterr().out
    assert re.search(r"^90_demo +1 of \d+ +3 +1 of 2$", told, re.MULTILINE)
    assert (
        "90.1  " in told
        and "solved with 3 tries" in told
        and "you looked it up; now solve it" in told
    )
    assert (
        'guess "90 consumer": you said opened=6, it was opened=4' in told and "producer" not in told
    )
    assert re.search(r"^Next: 90\.2 · ", told, re.MULTILINE)


def test_five_things_to_repeat_are_listed_and_the_most_pressing_are_first(mine, capsys):
    questions = {
        "90.1": {"tries": 9, "hints": 2, "passed_at": "now"},
        "90.2": {"tries": 4, "hints": 0},
        "90.3": {"tries": 0, "hints": 0, "revealed": "before passing"},
    }
    guesses = {f"90 guess {n}": {"guess": {"a": 9 * n}, "truth": {"a": n}} for n in range(1, 5)}
    mine.mkdir(parents=True)
    (mine / "progress.json").write_text(json.dumps({"questions": questions, "guesses": guesses}))
    assert main(["progress"]) == 0
    listed = capsys.readouterr().out.split("Worth repeating:\n")[1].split("\n\n")[0].splitlines()
    assert [line.split(":")[0].split("  ")[1] for line in listed[:5]] == [
        "90.3",
        "90.2",
        'guess "90 guess 1"',
        'guess "90 guess 2"',
        'guess "90 guess 3"',
    ]
    assert listed[5:] == ["  and 2 more: python -m autograder progress --all"]


def test_progress_in_every_detail(mine, capsys):
    mine.mkdir(parents=True)
    (mine / "progress.json").write_text(
        json.dumps(
            {
                "questions": {
                    "90.1": {
                        "tries": 3,
                        "hints": 1,
                        "passed_at": "now",
                        "revealed": "after passing",
                    }
                },
                "guesses": {"90 consumer": {"guess": {"opened": 6}, "truth": {"opened": 4}}},
            }
        )
    )
    assert main(["progress", "--all"]) == 0
    told = capsys.readouterr().out
    assert (
        "90.1           3     1  passed, answer shown after passing" in told
        and "opened=6; it was opened=4" in told
    )


@pytest.mark.parametrize(
    "broken",
    [
        '{"questions": [1',
        "[]",
        '{"questions": {"90.1": 7, "90.2": {"tries": "many"}}, "guesses": {"90 x": 3}}',
    ],
)
def test_a_broken_progress_file_stops_no_lesson(mine, broken):
    mine.mkdir(parents=True)
    (mine / "progress.json").write_text(broken)
    assert "0 of " in str(overview(mine / "progress.json")) and "90.1" in details(
        mine / "progress.json"
    )
