"""Exercise 05.2: what its answers are computed from, and what its wrong answers are told."""

import pytest

from autograder.cell.questions.ch05 import QUESTIONS, waits_cost_a_try
from autograder.course.judges.ch05 import _hang

SPACE = next(question for question in QUESTIONS if question.id == "05.2").space
PAIRS = [
    (request_s, delivery_s)
    for request_s in SPACE["request_s"]
    for delivery_s in SPACE["delivery_s"]
]


@pytest.mark.parametrize(
    ("request_s", "delivery_s", "times"),
    [(2, 20, 8), (2, 34, 13), (4, 34, 8), (3, 10, 4), (5, 25, 5)],
)
def test_the_judge_counts_what_a_java_client_sends(request_s, delivery_s, times):
    """Counted with kafka-clients 3.9.2 on a broker that never answers."""
    assert _hang(request_s, delivery_s) == (delivery_s, times)


def test_where_the_waits_cost_a_try_dividing_the_timeouts_gives_too_many():
    """One of the three programs is always of this kind, so the quotient is never a right answer."""
    of_this_kind = [pair for pair in PAIRS if waits_cost_a_try(*pair)]
    assert len(of_this_kind) > 10
    for request_s, delivery_s in of_this_kind:
        assert _hang(request_s, delivery_s)[1] < -(-delivery_s // request_s), (
            request_s,
            delivery_s,
        )


def test_no_number_of_tries_is_larger_than_the_quotient():
    assert all(_hang(*pair)[1] <= -(-pair[1] // pair[0]) for pair in PAIRS)
