"""A guess that cannot mean anything is refused in a sentence, and each has a margin of its own."""

import ast
import importlib
import json

import pytest

from autograder.cell import guesses, progress
from autograder.cell.course_folder import notebooks
from autograder.course import sources
from autograder.learner.overview import overview

words = importlib.import_module("autograder.cell.check")


@pytest.fixture
def here(tmp_path, monkeypatch):
    """An empty folder to learn in."""
    monkeypatch.chdir(tmp_path)
    return tmp_path


def said(capsys, name, **values):
    words.predict(name, **values)
    return capsys.readouterr().out


@pytest.mark.parametrize(
    "name, values, wanted",
    [
        ("00 first producer", {"connections": "many"}, "a whole number, 0 or more, not 'many'"),
        ("00 first producer", {"connections": -1}, "a whole number, 0 or more, not -1"),
        ("00 first producer", {"connections": 2.5}, "a whole number, 0 or more, not 2.5"),
        ("00 first producer", {"connections": float("nan")}, "a whole number"),
        ("00 first producer", {"connections": True}, "a whole number, 0 or more, not True"),
        ("00 first producer", {"connections": object()}, "a whole number"),
        ("00 first producer", {"sockets": 2}, "asks for connections"),
        ("03 answers", {"fetch_ms": -5, "heartbeat_ms": 3}, "fetch_ms: write a number of millisec"),
        ("02 limit -1", {"closed_by": "nobdy"}, "one of 'client', 'broker', 'nobody', not 'nobdy'"),
        ("10 alive or not", {"works": 3, "freezes": True}, "works: write True or False"),
        ("myth 05", {"verdict": "wrong"}, '"true", "false", "until 2.3"'),
        ("09 compaction", {"left_of_the_first_four": "the last"}, "whole numbers, such as"),
        ("03 the fourth", {"x": 1}, "this course has no guess '03 the fourth'"),
        ("my own", {"x": float("inf")}, "cannot be right"),
    ],
)
def test_a_guess_that_cannot_mean_anything_is_not_locked(here, capsys, name, values, wanted):
    told = said(capsys, name, **values)
    assert told.startswith("Not locked in yet. ") and told.count("\n") == 1
    assert wanted.lower() in told.lower()
    assert progress.read()["guesses"] == {}


def test_none_is_asked_for_first(here, capsys):
    told = said(capsys, "03 answers", fetch_ms=None, heartbeat_ms=-3)
    assert told.startswith("Guess first: write a value for fetch_ms")


@pytest.mark.parametrize(
    "name, value, guess, happened, fit",
    [
        ("03 answers", "heartbeat_ms", 5, 3, "close"),
        ("03 answers", "heartbeat_ms", 30, 3, "a surprise"),
        ("09 waiting", "sync_each_record_ms", 6300, 7913, "close"),
        ("09 waiting", "sync_each_poll_ms", 900, 1057, "close"),
        ("11 never committed", "lag_of_partition_1", 58, "58", "as you said"),
        ("11 never committed", "lag_of_partition_1", "-", "-", "as you said"),
        ("11 never committed", "lag_of_partition_1", 0, "-", "a surprise"),
        ("08 newcomer", "interval_9_s", 9, 8, "close"),
        ("11 dashboard", "earliest", 300, 340, "close"),
        ("02 two brokers", "opened", 4, 3, "a surprise"),
        ("06 transfer", "offset_of_third", 20, 21, "a surprise"),
        ("10 alive or not", "works", "yes", True, "as you said"),
        ("10 alive or not", "works", 1, True, "a surprise"),
        ("04 slow broker", "more_than_a_third", 2.8, "2.8", "as you said"),
        ("09 compaction", "left_of_the_first_four", [1, 3], "1, 3", "as you said"),
        ("09 compaction", "left_of_the_first_four", [1, 2], "1, 3", "a surprise"),
        ("my own", "x", 95, 100, "close"),
    ],
)
def test_each_guess_has_its_own_margin(name, value, guess, happened, fit):
    assert guesses.fit(name, value, guess, happened) == fit


def test_guesses_are_counted_by_number(here):
    entries = {
        "02 two brokers": {
            "guess": {"before_send": 1, "opened": 9, "kept": 2},
            "truth": {"before_send": 1, "opened": 4, "kept": 2},
        },
        "02 limit -1": {"guess": {"closed_by": "client"}, "truth": {"closed_by": "broker"}},
        "02 old and new": {"guess": {"v2_1": 1, "v3_9": 2}},
    }
    (here / "progress.json").write_text(json.dumps({"questions": {}, "guesses": entries}))
    row = next(row for row in overview(here / "progress.json").rows if row[0].startswith("02"))
    assert row[-2:] == (2, 4)
    assert "2 of 4" in str(overview(here / "progress.json"))


def test_what_was_locked_in_stays(here, capsys):
    assert said(capsys, "00 first producer", connections="3") == (
        "Locked in: connections = 3. Now run the experiment.\n"
    )
    assert "The first one counts" in said(capsys, "00 first producer", connections=2)
    assert "The first one counts" in said(capsys, "00 first producer", connections="two")
    assert "The first one counts" not in said(capsys, "00 first producer", connections=3)


def test_the_table_holds_every_guess_of_the_chapters_and_no_other():
    asked = {}
    for chapter in sources.chapters():
        for cell in sources.author_notebook(chapter).cells:
            if cell.cell_type != "code" or "predict(" not in cell.source:
                continue
            code = "\n".join(line for line in cell.source.splitlines() if line[:1] not in "%!")
            for call in ast.walk(ast.parse(code)):
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "predict":
                    asked[call.args[0].value] = {each.arg for each in call.keywords}
    assert len(asked) > 70 and (notebooks() / "source_py").is_dir()
    for name, values in asked.items():
        assert set(guesses.asked(name) or {}) == values, name
    known = guesses._known(guesses.sealed.folder().parent / "guesses.toml")
    assert [name for name in known if name not in asked and not name.startswith("myth")] == []
