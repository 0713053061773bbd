"""Holds what `few` and `share` leave to `make test`, and what to whom else."""

import pytest

from kafkalab.tests.shares import few, share


def marked(sets) -> list[str]:
    """The marks of each parameter set, in one word."""
    return [" ".join(mark.name for mark in each.marks) for each in sets]


def test_all_but_a_few_are_marked_corpus_and_spread_evenly():
    assert marked(few("abc")) == ["", "corpus", "corpus"]
    assert marked(few("abcde", 2)) == ["", "corpus", "corpus", "", "corpus"]
    assert marked(few("abcde", 1, 4)) == ["corpus"] * 4 + [""]
    assert marked(few("ab", 5)) == ["", ""]


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_what_is_slow_stays_slow_and_is_none_of_the_few(keep):
    of_seven = few(share(range(7), 2), keep)
    assert marked(of_seven)[1::2] == ["slow"] * 3
    assert marked(of_seven)[::2].count("") in range(1, keep + 1)
    assert [each.values for each in of_seven] == [(number,) for number in range(7)]


def test_a_tuple_is_several_arguments_and_a_set_keeps_its_name():
    pair, named = few([("a", 1), pytest.param("b", 2, id="second")])
    assert pair.values == ("a", 1) and named.values == ("b", 2) and named.id == "second"
