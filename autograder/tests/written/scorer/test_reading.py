"""How the scorer reads: whose opinion a sentence is, which of two designs it speaks of, which
way the numbers go, old characters."""

from __future__ import annotations

import pytest

from autograder.written.scorer import concepts, opinions, scopes, text
from autograder.written.scorer.patterns import Lexicon

DESIGNS = Lexicon(
    {"order": "order, ordered, 顺序"},
    scopes={"pool": "(pool|workers|线程池)", "own": "(per thread|own consumer|每个线程)"},
)


@pytest.mark.parametrize(
    "answer, refused",
    [
        (
            "Some say one missed beat kills it. That is wrong. The session decides.",
            "Some say one missed beat kills it",
        ),
        (
            "Many people think the interval decides, but the session does.",
            "Many people think the interval decides,",
        ),
        ("The interval decides. No, that's false.", "The interval decides"),
        ("很多人以为间隔决定存活,其实是会话超时。", "很多人以为间隔决定存活,"),
        ("I think the interval decides. It is wrong to set it high.", ""),
        ("Does the interval decide? No.", ""),
        ("Many consumers send beats.", ""),
    ],
)
def test_an_opinion_reported_and_refused_is_nobody_s_claim(answer, refused):
    reading = text.read(answer)
    assert [reading.quote(*stretch)[2] for stretch in opinions.set_aside(reading)] == (
        [refused] if refused else []
    )


@pytest.mark.parametrize(
    "answer, of_pool, of_own",
    [
        ("With a pool there is no more order.", True, False),
        ("One consumer per thread keeps the order; a pool scales.", False, True),
        ("The pool scales. Its order is lost.", True, False),
        ("It is ordered.", False, False),
        ("线程池没有顺序,每个线程一个就有", True, False),
    ],
)
def test_a_clause_speaks_of_the_thing_it_names_or_the_last_one_named(answer, of_pool, of_own):
    reading = text.read(answer)
    assert (
        any(concepts.hits("@pool! ~{order}", DESIGNS, reading)),
        any(concepts.hits("@own! ~{order}", DESIGNS, reading)),
    ) == (of_pool, of_own)
    assert len(scopes.in_force(DESIGNS, reading)) == len(reading.tokens)


@pytest.mark.parametrize(
    "answer, back",
    [
        ("commit 100 fails, commit 200 succeeds, then 100 is retried", True),
        ("commit 200 fails, commit 100 succeeds, then 200 is retried", False),
        ("commit 100 fails, commit 200 succeeds, then 300 is tried", False),
    ],
)
def test_the_same_number_again_and_which_is_less(answer, back):
    assert any(concepts.hits("#a .. #b .. #a [a<b]", DESIGNS, text.read(answer))) == back


def test_traditional_characters_are_read_as_simplified_ones():
    assert text.read("協調者關閉連線").line == text.read("协调者关闭连线").line
