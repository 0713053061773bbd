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
