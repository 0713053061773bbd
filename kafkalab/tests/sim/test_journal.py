"""What happened, and because of what?"""

import pytest

from kafkalab.sim.journal import Journal
from kafkalab.sim.scheduler import Scheduler


def journal():
    clock = Scheduler()
    return clock, Journal(clock)


def test_an_event_knows_when_who_and_what():
    clock, book = journal()
    clock.run_until(lambda: False, 12)
    event = book.append("socket.opening", "shop", node_id="-1")
    assert (event.id, event.at_ms, event.kind, event.who, event.cause, event.node_id) == (
        0,
        12,
        "socket.opening",
        "shop",
        None,
        "-1",
    )


def test_what_an_event_does_not_have_is_named_in_the_error():
    _, book = journal()
    event = book.append("call", "shop", name="send")
    with pytest.raises(AttributeError, match="'call' event has no 'offset'; it has name"):
        event.offset


def test_the_chain_goes_through_the_clock():
    clock, book = journal()
    call = book.append("call", "shop", name="poll")
    with book.because(call):
        clock.after(5, lambda: book.append("line", "shop", message="hello"))
    unrelated = book.append("call", "audit", name="poll")
    clock.step()
    line = book.events[-1]
    assert book.why(line) == book.why(line.id) == [call, line]
    assert book.why(unrelated) == [unrelated]


def test_because_gives_back_the_cause_it_found_even_after_an_error():
    _, book = journal()
    first = book.append("call", "shop")
    book.cause = first.id
    with pytest.raises(RuntimeError), book.because(book.append("call", "shop")):
        raise RuntimeError
    assert book.cause == first.id


def test_events_by_kind_come_in_order():
    _, book = journal()
    for kind in ("call", "line", "state", "line"):
        book.append(kind, "shop")
    assert [event.id for event in book.of("line", "state")] == [1, 2, 3]


def test_an_id_that_does_not_exist():
    _, book = journal()
    with pytest.raises(IndexError):
        book.why(4)


def test_events_of_a_kind_are_given_in_order_also_those_written_meanwhile():
    _, book = journal()
    for number in range(3):
        book.append("told", "ada", number=number)
        book.append("line", "ada", number=number)
    assert [event.number for event in book.of("told")] == [0, 1, 2]
    book.append("told", "bo", number=3)
    seen = []
    for event in book.of("told"):
        seen.append((event.id, event.number))
        if event.number == 3:
            book.append("line", "bo", number=4)
            book.append("told", "bo", number=4)
    assert seen == [(0, 0), (2, 1), (4, 2), (6, 3), (8, 4)]
    assert [event.id for event in book.of("told", "line")] == list(range(9))
    assert not list(book.of("request.sent"))


def test_a_journal_that_was_emptied_begins_again():
    _, book = journal()
    for _ in range(5):
        book.append("told", "ada")
    assert len(list(book.of("told"))) == 5
    book.kept.clear()
    book.append("line", "ada")
    book.append("told", "ada")
    assert [event.id for event in book.of("told")] == [1]
