"""What must be said again in the next fetch, and what goes without saying? (KIP-227)"""

import pytest

from kafkalab.clients.consumer.reading.fetch_session import FetchSessionHandler
from kafkalab.protocol.messages import FetchPartition, FetchResponse
from kafkalab.records import TopicPartition

T0, T1, T2 = (TopicPartition("t", number) for number in range(3))
NOT_FOUND, INVALID_EPOCH = 70, 71


def at(**offsets):
    """`at(t0=5)`: partition t-0 is read from offset 5 on."""
    return {
        TopicPartition("t", int(name[1:])): FetchPartition(
            partition=int(name[1:]), fetch_offset=offset
        )
        for name, offset in offsets.items()
    }


class Session:
    """A handler and what it wrote."""

    def __init__(self):
        self.said = []
        self.handler = FetchSessionHandler(lambda name, **values: self.said.append(name), "0")

    def fetch(self, wanted, answered=(), session_id=77, error_code=0):
        """One round: (session id, epoch, partitions named, partitions forgotten);
        then the broker's answer."""
        session, topics, forgotten, _ = self.handler.build(wanted)
        named = [p.partition for topic in topics for p in topic.partitions]
        dropped = [p for topic in forgotten for p in topic.partitions]
        self.handler.handle(
            FetchResponse(session_id=session_id, error_code=error_code), list(answered)
        )
        return session["session_id"], session["session_epoch"], named, dropped


def test_the_first_fetch_names_everything_and_later_ones_what_changed():
    session = Session()
    assert session.fetch(at(t0=0, t1=0), [T0, T1]) == (0, 0, [0, 1], [])
    assert session.fetch(at(t0=0, t1=0)) == (77, 1, [], [])
    assert session.fetch(at(t0=5, t1=0), [T0]) == (77, 2, [0], [])
    assert session.fetch(at(t0=5, t1=0, t2=0)) == (77, 3, [2], [])
    assert session.fetch(at(t1=0, t2=0)) == (77, 4, [], [0])
    assert session.said[0] == "FETCH_BUILT_FULL" and "FETCH_BUILT_INCREMENTAL" in session.said


def test_a_broker_without_room_for_sessions_hears_everything_each_time():
    session = Session()
    for _ in range(3):
        assert session.fetch(at(t0=0), [T0], session_id=0) == (0, 0, [0], [])


@pytest.mark.parametrize("error", [NOT_FOUND, INVALID_EPOCH])
def test_a_broker_that_forgot_the_session_gets_a_new_one(error):
    session = Session()
    session.fetch(at(t0=0), [T0])
    session.fetch(at(t0=0), error_code=error)
    assert session.fetch(at(t0=0), [T0], session_id=78) == (0, 0, [0], [])
    assert session.fetch(at(t0=0))[:2] == (78, 1)


def test_a_lost_connection_begins_anew_under_the_same_id():
    session = Session()
    session.fetch(at(t0=0), [T0])
    session.handler.handle_error(RuntimeError("gone"))
    assert session.fetch(at(t0=0, t1=0), [T0, T1]) == (77, 0, [0, 1], [])


def test_closing_sends_the_final_epoch():
    session = Session()
    session.fetch(at(t0=0), [T0])
    session.handler.close_next()
    assert session.fetch({}) == (77, -1, [], [])
