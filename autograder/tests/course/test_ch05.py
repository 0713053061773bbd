"""Exercise 05.2: what its answers are computed from, and what its wrong answers are told."""

import pytest

from autograder.cell.questions.ch05 import LONG_WAITS_COUNT, SHORT_WAITS_COUNT
from autograder.course.judges.ch05 import _hang

TIMEOUTS = range(30, 70)


def programs(rests):
    """(delivery timeout, tries) of each program of one kind."""
    return [
        (delivery_s, tries)
        for tries, rest in rests.items()
        for delivery_s in TIMEOUTS
        if delivery_s % (tries - 1) == rest
    ]


@pytest.mark.parametrize(
    ("request_s", "delivery_s", "times"),
    [(2, 20, 8), (2, 34, 13), (4, 34, 8), (3, 10, 4), (5, 25, 5)],
)
def test_the_judge_counts_what_a_java_client_sends(request_s, delivery_s, times):
    """Counted with kafka-clients 3.9.2 on a broker that never answers."""
    assert _hang(request_s, delivery_s) == (delivery_s, times)


@pytest.mark.parametrize(("delivery_s", "tries"), programs(SHORT_WAITS_COUNT))
def test_a_plain_division_by_the_tries_is_not_right_where_too_much_wait_shows(delivery_s, tries):
    """Each try its whole timeout: one second more is enough, too. One program is of this kind."""
    assert _hang(delivery_s // tries + 1, delivery_s)[1] >= tries
    assert _hang(delivery_s // (tries - 1), delivery_s)[1] >= tries


@pytest.mark.parametrize(("delivery_s", "tries"), programs(LONG_WAITS_COUNT))
def test_where_too_little_wait_shows_a_division_without_waits_gives_too_few_tries(
    delivery_s, tries
):
    """One of the three programs is always of this kind."""
    assert _hang(delivery_s // (tries - 1), delivery_s)[1] < tries
