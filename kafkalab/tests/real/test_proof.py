"""The stories of the proof on the simulator, and the page that is written of them."""

from __future__ import annotations

import json

import pytest

from kafkalab.real.proof.claim import raised_by, story
from kafkalab.real.proof.outcome import RealOutcome
from kafkalab.real.proof.proof_page import proof_rows, proof_text
from kafkalab.real.proof.prove import all_stories, plain, run_story
from kafkalab.real.proof.sides import SimulatedSide

STORIES = all_stories()


def test_stories_have_names_of_their_own_and_a_sentence_for_each_claim():
    ids = [each.id for each in STORIES]
    assert len(set(ids)) == len(ids)
    for each in STORIES:
        assert each.claims and each.releases and each.brokers <= 3
        assert all(text.endswith((".", "?")) for text in each.claims.values()), each.id


@pytest.mark.slow
@pytest.mark.parametrize("each", STORIES, ids=lambda each: each.id)
def test_a_story_gives_a_value_for_each_claim_with_each_release(each):
    for release in each.releases:
        values = each.play(SimulatedSide(each, release, seed=0))
        assert set(values) == set(each.claims)
        assert plain(values) == plain(each.play(SimulatedSide(each, release, seed=0)))


def test_a_story_gives_a_value_for_each_claim():
    each = next(one for one in STORIES if one.id == "09 three numbers")
    values = each.play(SimulatedSide(each, "3.9", seed=0))
    assert values == {
        "position": 4,
        "committed_before": None,
        "committed": 4,
        "next": 4,
        "lag": 6,
    }


def test_a_release_that_is_not_known_is_refused():
    with pytest.raises(ValueError, match="unknown releases"):
        story("99 x", {}, releases=("1.0",))


@story("99 chance", claims={"drawn": "Drawn by the seed.", "same": "Always the same."})
def by_chance(side):
    return {"drawn": getattr(side, "_seed", 3) % 2, "same": "a"}


class Real:
    """A real side that draws what it is told to."""

    def __init__(self, drawn):
        self._seed = drawn

    def serve(self, story, release):
        return self


def test_a_matter_of_chance_agrees_when_the_real_value_is_one_of_them():
    outcome = run_story(by_chance, "3.9", Real(1))
    assert outcome.simulated == {"drawn": [0, 1], "same": ["a"]} and outcome.real["drawn"] == 1
    rows = proof_rows([by_chance], [outcome])
    assert [row.agrees for row in rows] == [True, True]
    text = proof_text([by_chance], [outcome])
    assert "2 rows, 2 agree (1 of them by chance), 0 do not." in text
    assert "| Drawn by the seed. | 3.9 | 0 or 1 | 1 | agreed, by chance |" in text
    assert "| Always the same. | 3.9 | a | a | agreed |" in text


def outcome_of(real, problem="", digest=None):
    simulated = {"drawn": [0], "same": ["a"]}
    return RealOutcome(
        "99 chance", "3.9", digest or by_chance.digest, "2026-01-05", simulated, real, problem
    )


def test_what_differs_or_was_not_run_is_open():
    text = proof_text([by_chance], [outcome_of({"drawn": 7, "same": "a"})])
    assert "| Drawn by the seed. | 3.9 | 0 | 7 | **open**: they differ |" in text
    text = proof_text([by_chance], [outcome_of({}, "real Kafka: TimeoutException: x | y")])
    assert "| not run | **open**: real Kafka: TimeoutException: x \\| y |" in text
    assert "0 agree" in text


def test_a_story_that_has_changed_has_no_row():
    assert proof_rows([by_chance], [outcome_of({"drawn": 0}, digest="other")]) == []
    assert proof_rows([], [outcome_of({"drawn": 0})]) == []


def test_an_outcome_survives_its_file():
    outcome = outcome_of({"drawn": 0, "same": "订单"})
    assert RealOutcome(**json.loads(json.dumps(vars(outcome)))) == outcome


def test_an_error_is_a_value():
    def fails():
        raise KeyError("x")

    assert raised_by(fails) == "KeyError: 'x'" and raised_by(int) == "none"
