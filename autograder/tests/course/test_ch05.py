"""Exercise 05.2: what its answers are computed from, and what its wrong answers are told."""

import pytest

from autograder.cell.questions.ch05 import CLEAR, WAITS_COUNT
from autograder.course.judges.ch05 import _hang

PAIRS = [(delivery_s, tries) for tries, timeouts in CLEAR.items() for delivery_s in timeouts]


@pytest.mark.parametrize(
    ("request_s", "delivery_s", "times"),
    [(2, 20, 8), (2, 34, 13), (4, 34, 8), (3, 10, 4), (5, 25, 5)],
)
def test_the_judge_counts_what_a_java_client_sends(request_s, delivery_s, times):
    """Counted with kafka-clients 3.9.2 on a broker that never answers."""
    assert _hang(request_s, delivery_s) == (delivery_s, times)


@pytest.mark.parametrize(("delivery_s", "tries"), PAIRS[::7])
def test_a_plain_division_by_the_tries_is_never_right(delivery_s, tries):
    """Each try its whole timeout: one second more is enough, too."""
    assert _hang(delivery_s // tries + 1, delivery_s)[1] >= tries


@pytest.mark.parametrize("tries", WAITS_COUNT)
def test_where_the_waits_count_a_division_without_them_gives_too_few_tries(tries):
    """One of the three programs is always of this kind."""
    for delivery_s in WAITS_COUNT[tries]:
        assert delivery_s in CLEAR[tries]
        assert _hang(delivery_s // (tries - 1), delivery_s)[1] < tries
