"""The myth court: twenty claims, each decided by what runs;
the learner's experiment beside the court's."""

import pytest

from autograder.learner.court import Hearing, claims, court
from autograder.learner.court.experiments import CLAIMS

# What Kafka's own history says of each claim; the lab has to come to the same. KIP or chapter: see
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
}


@pytest.fixture(autouse=True)
def somewhere_else(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: str(claim.number))
def test_the_lab_and_kafkas_history_agree(claim):
    assert court(claim.number).verdict == HISTORY[claim.number]


def test_there_are_twenty_and_no_list_tells_a_verdict():
    listed = claims()
    assert [claim.number for claim in CLAIMS] == list(range(1, 21)) and len(
        listed.splitlines()
    ) == 20
    assert not any(word in listed for word in ("until 2", "Verdict", "KIP", "chapter"))


def test_a_learners_measurements_stand_beside_the_courts(capsys):
    shown = str(court(1, lambda version: 0 if version == "2.1" else 5))
    assert "5  differs" in shown and "Verdict: until 2.1." in shown
    rows = shown.splitlines()
    assert rows[4].split() == ["2.1", "0", "0", "yes"]
    assert "until 2.1" in capsys.readouterr().out


def test_a_mistake_of_the_learner_stops_nothing():
    hearing = court(4, lambda version: 1 // 0)
    assert isinstance(hearing, Hearing) and str(hearing).count("ZeroDivisionError") == 8
    assert str(hearing).count("Your experiment stopped: integer") == 1


def test_without_an_experiment_the_court_keeps_its_own_to_itself():
    said = court(4, lambda version: None)
    assert "how many of 60 keys" in said and "Verdict" not in said


def test_a_claim_nobody_made():
    with pytest.raises(LookupError, match="numbered 1 to 20"):
        court(21)
