"""The myth court: thirty claims, each decided by what runs;
the learner's answer for each version beside the court's."""

import json
import re

import pytest

from autograder.cell.course_folder import notebooks
from autograder.cell.guesses import RefusedGuess, read
from autograder.learner.court import Hearing, NotYetHeard, claims, court
from autograder.learner.court.claim import VERSIONS
from autograder.learner.court.hearing import CLAIMS
from kafkalab.tests.shares import share

# What Kafka's own history says of each claim; the lab has to find the same. KIP or chapter: see
# the claim's `because`.
HISTORY = {
    1: "until 2.1",
    2: "true",
    3: "until 2.3",
    4: "false",
    5: "until 3.9",
    6: "until 2.8",
    7: "until 2.8",
    8: "false",
    9: "false",
    10: "true",
    11: "false",
    12: "false",
    13: "false",
    14: "false",
    15: "until 2.2",
    16: "until 2.3",
    17: "until 2.8",
    18: "false",
    19: "false",
    20: "false",
    21: "false",
    22: "from 3.6",
    23: "false",
    24: "false",
    25: "false",
    26: "false",
    27: "until 2.3",
    28: "true",
    29: "false",
    30: "false",
}


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("claim", share(CLAIMS, 4, id=lambda claim: str(claim.number)))
def test_the_lab_and_kafkas_history_agree(claim):
    assert court(claim.number, give_up=True).verdict == HISTORY[claim.number]


def test_there_are_thirty_and_no_list_tells_a_verdict():
    listed = claims()
    assert [claim.number for claim in CLAIMS] == list(range(1, 31)) and len(
        listed.splitlines()
    ) == 30
    assert not any(word in listed for word in ("until 2", "Verdict", "KIP", "chapter"))


def test_who_agrees_in_all_versions_hears_the_verdict(capsys):
    hearing = court(1, lambda version: (version == "2.1", 0 if version == "2.1" else 5))
    shown = str(hearing)
    assert hearing.verdict == "until 2.1" and "Verdict: until 2.1." in shown
    assert shown.splitlines()[4].split() == ["2.1", "holds", "0", "holds", "0"]
    assert "Your numbers are not the court's in 2.2, 2.3, 2.8, 3.6, 3.9, 4.0 and 4.4" in shown
    assert "until 2.1" in capsys.readouterr().out


def test_who_measured_something_else_hears_so_and_a_question():
    shown = str(court(24, lambda version: (False, 20)))
    assert "Verdict: false." in shown and "20 where the court has 3" in shown
    assert "you measured something else. Is the topic compacted" in shown
    assert "Names, times or pauses differ" not in shown


def test_who_disagrees_hears_no_verdict_and_a_question(capsys):
    hearing = court(10, lambda version: (False, {"acknowledged": 10, "gone": 10}))
    assert hearing.verdict is None and hearing.disagreed == VERSIONS
    assert str(hearing).count("you disagree") == len(VERSIONS)
    assert "No verdict yet" in str(hearing) and "Name another address" in str(hearing)
    assert "Verdict:" not in str(hearing) and capsys.readouterr().out == ""


def test_an_answer_that_its_own_number_contradicts_is_not_heard():
    said = court(1, lambda version: (version == "2.1", 0))
    assert isinstance(said, NotYetHeard)
    assert "For version 2.2 you measured 0 and say that the claim does not hold" in said
    assert "With this number it holds." in said and "court says" not in said


def test_a_mistake_is_told_with_its_line_and_nothing_else_is_shown():
    cell: dict = {}
    exec(compile("def experiment(version):\n    return 1 // 0\n", "a cell", "exec"), cell)
    said = court(4, cell["experiment"])
    assert isinstance(said, NotYetHeard) and "Verdict" not in said and "50" not in said
    assert re.search(r"stopped for version 2\.1, in line 2: ZeroDivisionError: integer", said)


@pytest.mark.parametrize(
    ("returned", "wanted"),
    [
        (None, "returned nothing"),
        (..., "returned nothing"),
        ((None, 3), "does not say yet"),
        ((..., ...), "does not say yet"),
        (5, "returned 5. Let it return two values"),
        (True, "returned True. Let it return two values"),
        ((1, 5), "returned (1, 5). Let it return two values"),
        ((True, "tea"), None),
    ],
)
def test_without_an_answer_the_court_keeps_its_own_to_itself(returned, wanted):
    said = court(4, lambda version: returned)
    assert isinstance(said, NotYetHeard) and "how many of 60 keys" in said
    assert (wanted or "you measured 'tea'") in said and "court says" not in said


def test_a_value_of_another_shape_is_named():
    said = court(10, lambda version: (True, 0))
    assert "you measured 0. The claim asks for something else" in said


def test_the_courts_own_answer_takes_a_word():
    assert isinstance(court(4), NotYetHeard) and "Write an experiment(version)" in court(4)
    assert isinstance(court(4, give_up=True), Hearing)


def test_a_claim_nobody_made():
    with pytest.raises(LookupError, match="numbered 1 to 30"):
        court(31)


@pytest.mark.parametrize("verdict", ["until 2.5", "from 2.1", "until 4.4", "wrong", "until"])
def test_a_guess_names_a_version_that_the_court_plays(verdict):
    with pytest.raises(RefusedGuess, match="2.1, 2.2, 2.3, 2.8, 3.6, 3.9, 4.0 and 4.4"):
        read("myth 07", {"verdict": verdict})
    with pytest.raises(RefusedGuess):
        read("myth 31", {"verdict": "true"})


def test_every_verdict_can_be_guessed():
    for verdict in {*HISTORY.values(), "it depends"}:
        assert read("myth 07", {"verdict": verdict}) == {"verdict": verdict}


def test_the_notebook_counts_the_verdicts_and_asks_what_the_court_asks():
    book = json.loads((notebooks() / "release/myths/myths.ipynb").read_text(encoding="utf-8"))
    text = " ".join(" ".join("".join(cell["source"]).split()) for cell in book["cells"])
    names = {1: "one", 3: "three", 9: "nine", 17: "seventeen"}
    for kind, ends in (
        ("false", "hold in no version"),
        ("until", "held once"),
        ("from", "only in later versions"),
        ("true", "hold in all"),
    ):
        count = sum(verdict.startswith(kind) for verdict in HISTORY.values())
        assert re.search(rf"\b{names[count]}\b[^.]*{ends}", text, re.IGNORECASE), (kind, count)
    plain = text.replace("`", "").replace("> ", "")
    for claim in CLAIMS[1:]:
        assert claim.says in plain, claim.says
