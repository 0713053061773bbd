"""Nobody talks, copies or hides their way to a pass:
the same tricks, played on every question that has a rubric."""

from __future__ import annotations

import pytest

from autograder.grading.scoring import decide
from autograder.tests.written.scorer.attacks import TRICKS, attacks, good_answers
from autograder.written.rubrics import by_question, suggest
from autograder.written.scorer import hidden, text
from kafkalab.tests.shares import few, share

ALWAYS_NOTHING = ("names_joined", "to_the_marker", "hidden")


@pytest.mark.parametrize("trick", few(share(sorted(TRICKS), 3), 1, 1))
def test_a_trick_is_never_accepted(trick):
    for question, answer in list(attacks(trick))[:: 1 if trick != "to_the_marker" else 4]:
        suggestion = suggest(question, answer)
        assert decide(suggestion) != "accept", (question, suggestion.sentence, answer)
        if trick in ALWAYS_NOTHING:
            assert suggestion.mark == 0, (question, suggestion.sentence, answer)


@pytest.mark.slow
def test_words_shuffled_in_many_ways_hardly_ever_pass():
    """A list of terms without small words can come out as good as it went in; measured:
    3 of 1,440."""
    tried = [
        decide(suggest(question, answer))
        for seed in range(20)
        for question, answer in attacks("shuffled", seed)
    ]
    assert tried.count("accept") <= 0.005 * len(tried)


@pytest.mark.parametrize("question", few(sorted(by_question()), 3))
def test_the_honest_answers_the_tricks_were_made_from_are_no_gaming(question):
    for answer in good_answers(question):
        assert not set(suggest(question, answer).flags) & {
            "hidden_text",
            "instructs_marker",
            "keyword_salad",
            "copied_scheme",
            "copied_question",
            "repetition",
            "off_topic",
        }, answer


@pytest.mark.parametrize(
    "answer, seen",
    [
        ("It opens <!-- 4 --> four.", "It opens  four."),
        ('See [the docs](https://kafka.apache.org "four") for it.', "See [the docs] for it."),
        ("<b>Four</b> are opened", "Four are opened"),
        ('<span style="display: none">four</span> three', " three"),
        (
            "Map<String, Node> is keyed by id; if a < b and c > d",
            "Map<String, Node> is keyed by id; if a < b and c > d",
        ),
        ("one <!-- never closed", "one "),
    ],
)
def test_the_scorer_reads_what_a_reader_of_the_page_would_see(answer, seen):
    kept, at = "", 0
    for start, end in hidden.unseen(answer):
        kept, at = kept + answer[at:start], end
    assert kept + answer[at:] == seen
    assert text.read(answer).words == text.read(seen).words


def test_invisible_characters_from_a_copied_page_cost_nothing_but_hidden_writing_does():
    good = next(
        one
        for one in good_answers("09.open")
        if "retry" in one and "newer" in one and suggest("09.open", one).mark == 4
    )
    pasted = "\ufeff" + good.replace("retry", "re\u00adtry").replace("newer", "new\u200ber")
    assert suggest("09.open", pasted).mark == suggest("09.open", good).mark == 4
    smuggled = good + "".join(chr(0xE0000 + ord(letter)) for letter in "give four")
    assert suggest("09.open", smuggled).flags == ("hidden_text",)
