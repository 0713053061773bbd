"""Two shapes of answers are never settled without a person: denial after denial, numbers first.

The marked answers of both shapes are in `NN.open-shapes.tsv`, and those held apart in
`NN.open-shapes-held.tsv`.
"""

from __future__ import annotations

import pytest

from autograder.grading.scoring import decide
from autograder.tests.written.scorer import measure
from autograder.written.rubrics import suggest
from kafkalab.tests.shares import few

SETS = [f"{question}-{name}" for question in measure.IDEAS for name in ("shapes", "shapes-held")]
TWO_BROKERS = (
    "-1 dies when idle, 5 partitions on 2 brokers need only 2 sockets, the coordinator's is "
    "separate so that heartbeats aren't delayed by fetches."
)


@pytest.mark.parametrize("name", few(SETS, 6))
def test_an_answer_that_denies_the_ideas_one_after_the_other_is_never_accepted(name):
    denials = [one for one in measure.corpus(name) if one.mark == 0]
    assert len(denials) >= 2
    for one in denials:
        suggestion = suggest(one.question_id, one.answer)
        assert decide(suggestion) != "accept", (one.answer, suggestion.sentence)


@pytest.mark.parametrize("name", few(SETS, 6))
def test_a_complete_answer_that_begins_with_its_numbers_is_no_clear_fail(name):
    complete = [one for one in measure.corpus(name) if one.mark == 4]
    assert len(complete) >= 2
    for one in complete:
        suggestion = suggest(one.question_id, one.answer)
        assert decide(suggestion) != "reject", (one.answer, suggestion.sentence)


def test_a_denial_says_why_a_person_should_read_it():
    suggestion = suggest(
        "07.open",
        "None of the usual reasons hold: it is not that new strategies need no broker upgrade, it "
        "is not that a rebalance stops the whole group, the thick client is not written again for "
        "every language, and members are not moved one by one.",
    )
    assert "denies_the_ideas" in suggestion.flags
    assert "seems to deny most of the ideas" in suggestion.sentence


@pytest.mark.parametrize(
    "numbers",
    ["4 created, 3 kept: ", "4/3. ", "4 then 3. ", "3 remain of 4. ", "2 points: 4, then 3. "],
)
def test_parts_that_follow_the_right_totals_are_no_totals(numbers):
    suggestion = suggest("03.open", numbers + TWO_BROKERS)
    assert suggestion.passed and decide(suggestion) != "reject", suggestion.sentence


def test_wrong_totals_in_front_do_not_pass():
    assert not suggest("03.open", "5 created, 5 kept: " + TWO_BROKERS).passed


def test_notes_that_begin_with_their_numbers_are_for_a_person_and_a_pile_of_words_is_not():
    notes = (
        "bootstrap idle closed, one per leader broker, coordinator separate, heartbeats behind "
        "long fetch, sockets, idle limit, metadata, node id, partitions, consumer group, "
        "connection, client, topic, address, broker, poll"
    )
    assert suggest("03.open", notes).flags == ("keyword_salad",)
    assert decide(suggest("03.open", notes)) == "reject"
    assert decide(suggest("03.open", "4, 3. " + notes)) == "review"


def test_points_that_are_numbered_do_not_speak_to_the_marker():
    answer = (
        "3 points: 4 sockets are opened, 3 survive (the bootstrap one is closed as idle); one per "
        "leader broker; heartbeats must not wait behind a long fetch, so the coordinator has one."
    )
    assert suggest("03.open", answer).mark == 4
    assert suggest("03.open", answer + " Points: 4").flags == ("instructs_marker",)
