"""What a share partition does with each call: acquire, acknowledge, lock, window (KIP-932)."""

import pytest

from kafkalab.broker.groups.share.record_state import DONE, MOVES, RecordState
from kafkalab.broker.groups.share.share_partition import SharePartition
from kafkalab.broker.steps import Refusal
from kafkalab.protocol.messages import AcknowledgementBatch, RecordBatch, WireRecord
from kafkalab.protocol.share_messages import ACCEPT, REJECT, RELEASE, RENEW

LOCK_MS = 30_000


def log(*sizes):
    """Record batches of these sizes, from offset 0 on."""
    batches, offset = [], 0
    for size in sizes:
        records = (WireRecord("k", "v", 0),) * size
        batches.append(RecordBatch(base_offset=offset, records=records, size_bytes=72))
        offset += size
    return batches


def said(first, last, *types):
    return [AcknowledgementBatch(first_offset=first, last_offset=last, acknowledge_types=types)]


def states(partition):
    return "".join(record.state.value[:2] for record in partition.states().values())


@pytest.fixture
def partition():
    return SharePartition(0, LOCK_MS, delivery_limit=5)


def acquire(partition, member="a", read=None, count=500, now_ms=0, exact=False):
    batches = [b for b in read or log(*[1] * 6) if b.last_offset >= partition.next_fetch_offset]
    acquired, _ = partition.acquire(member, batches, count, count, now_ms, exact)
    return [(a.first_offset, a.last_offset, a.delivery_count) for a in acquired]


def acknowledge(partition, member, batches, now_ms=1):
    """Acknowledge, and let the states be written."""
    renewed, begun = partition.acknowledge(member, batches, now_ms)
    partition.written(begun)
    return renewed + begun


def test_accept_release_and_reject_as_recorded(partition):
    assert acquire(partition) == [(0, 5, 1)]
    acknowledge(partition, "a", said(0, 5, ACCEPT, RELEASE, REJECT, ACCEPT, RELEASE, ACCEPT))
    assert (partition.start_offset, partition.end_offset) == (1, 5)
    assert acquire(partition) == [(1, 1, 2), (4, 4, 2)]
    acknowledge(partition, "a", said(1, 1, ACCEPT) + said(4, 4, ACCEPT))
    assert (partition.start_offset, partition.end_offset) == (6, 6)
    assert partition.states() == {}


def test_two_members_never_hold_one_record(partition):
    assert acquire(partition, "a", log(*[1] * 8), 3) == [(0, 2, 1)]
    assert acquire(partition, "b", log(*[1] * 8), 3) == [(3, 5, 1)]
    assert acquire(partition, "b", log(*[1] * 8), 3) == [(6, 7, 1)]
    assert acquire(partition, "b", log(*[1] * 8), 3) == []


def test_a_batch_of_the_log_is_acquired_whole_unless_the_limit_is_exact():
    whole, exact = SharePartition(0, LOCK_MS, 5), SharePartition(0, LOCK_MS, 5)
    assert acquire(whole, read=log(8), count=3) == [(0, 7, 1)]
    assert acquire(exact, read=log(8), count=3, exact=True) == [(0, 2, 1)]
    assert acquire(exact, read=log(8), count=3, exact=True) == [(3, 5, 1)]
    assert acquire(exact, read=log(8), count=3, exact=True) == [(6, 7, 1)]


def test_nobody_acquires_a_released_record_before_its_state_is_written(partition):
    acquire(partition, count=1)
    _, begun = partition.acknowledge("a", said(0, 0, RELEASE), 1)
    assert partition.next_fetch_offset == 1
    assert acquire(partition, "b", count=1) == [(1, 1, 1)]
    partition.written(begun)
    assert acquire(partition, "b", count=1) == [(0, 0, 2)]


def test_the_window_passes_a_record_when_its_end_is_written(partition):
    acquire(partition)
    _, begun = partition.acknowledge("a", said(0, 1, ACCEPT), 1)
    assert partition.start_offset == 0
    assert partition.snapshot().batches == ()
    assert partition.written(begun), "the start has moved"
    assert partition.start_offset == 2


def test_records_in_transition_cannot_be_acknowledged_again(partition):
    acquire(partition)
    partition.acknowledge("a", said(0, 5, ACCEPT), 1)
    with pytest.raises(Refusal, match="not in the acquired state"):
        partition.acknowledge("a", said(0, 5, ACCEPT), 2)


def test_a_write_that_fails_gives_the_records_back_to_their_holder(partition):
    acquire(partition, now_ms=0)
    _, begun = partition.acknowledge("a", said(0, 5, RELEASE), 1)
    assert partition.not_written(begun, 2) == []
    assert partition.next_deadline_ms() == LOCK_MS
    assert acknowledge(partition, "a", said(0, 5, ACCEPT))
    assert partition.start_offset == 6


def test_a_write_that_fails_after_the_lock_frees_the_records(partition):
    acquire(partition, now_ms=0)
    _, begun = partition.acknowledge("a", said(0, 5, ACCEPT), LOCK_MS - 1)
    (moved,) = partition.not_written(begun, LOCK_MS)
    assert (moved.state, moved.why) == (RecordState.AVAILABLE, "lock expired")
    assert acquire(partition, "b") == [(0, 5, 2)]


def test_the_late_write_of_an_ended_lock_ends_no_other_transition(partition):
    acquire(partition, count=1)
    expired = partition.expire(LOCK_MS)
    assert acquire(partition, "b", count=1, now_ms=LOCK_MS) == [(0, 0, 2)]
    _, begun = partition.acknowledge("b", said(0, 0, RELEASE), LOCK_MS + 1)
    partition.written(expired, in_transition=False)
    assert acquire(partition, "c", count=1) == [(1, 1, 1)]
    partition.written(begun)
    assert acquire(partition, "c", count=1) == [(0, 0, 3)]


def test_a_lock_that_ends_makes_the_record_available_again(partition):
    acquire(partition, now_ms=100)
    assert partition.next_deadline_ms() == 100 + LOCK_MS
    assert partition.expire(99 + LOCK_MS) == []
    (moved,) = partition.expire(100 + LOCK_MS)
    assert (moved.first_offset, moved.last_offset, moved.why) == (0, 5, "lock expired")
    assert acquire(partition, "b") == [(0, 5, 2)]


def test_a_late_acknowledgement_is_refused_while_the_record_waits_for_somebody(partition):
    acquire(partition)
    partition.expire(LOCK_MS)
    with pytest.raises(Refusal, match="not in the acquired state"):
        partition.acknowledge("a", said(0, 5, ACCEPT), LOCK_MS)


def test_a_late_acknowledgement_is_refused_when_another_member_holds_the_record(partition):
    acquire(partition)
    partition.expire(LOCK_MS)
    acquire(partition, "b")
    with pytest.raises(Refusal, match="not the owner"):
        partition.acknowledge("a", said(0, 5, ACCEPT), LOCK_MS)


def test_a_late_acknowledgement_is_passed_over_when_the_record_is_done(partition):
    acquire(partition)
    partition.expire(LOCK_MS)
    acquire(partition, "b")
    acknowledge(partition, "b", said(0, 5, ACCEPT), LOCK_MS)
    assert partition.acknowledge("a", said(0, 5, ACCEPT), LOCK_MS) == ([], [])


def test_refused_acknowledgements_change_nothing(partition):
    acquire(partition, "a", count=3)
    acquire(partition, "b", count=3)
    before = states(partition)
    with pytest.raises(Refusal):
        partition.acknowledge("a", said(0, 5, ACCEPT), 1)
    assert states(partition) == before


def test_a_renewed_lock_begins_anew_and_counts_no_delivery(partition):
    acquire(partition)
    partition.acknowledge("a", said(0, 5, RENEW), 20_000)
    assert partition.expire(LOCK_MS) == []
    (moved,) = partition.expire(20_000 + LOCK_MS)
    assert moved.delivery_count == 1


def test_a_record_is_archived_after_its_last_delivery(partition):
    for delivery in range(1, 6):
        assert acquire(partition, read=log(1)) == [(0, 0, delivery)]
        (moved,) = acknowledge(partition, "a", said(0, 0, RELEASE))
    assert (moved.state, moved.why) == (RecordState.ARCHIVED, "delivery limit")
    assert partition.start_offset == 1


def test_a_closed_session_frees_what_its_member_held_and_nothing_else(partition):
    acquire(partition, "a", count=3)
    acquire(partition, "b", count=3)
    (moved,) = partition.release("a")
    assert (moved.first_offset, moved.last_offset, moved.why) == (0, 2, "session closed")
    partition.written([moved])
    assert acquire(partition, "c") == [(0, 2, 2)]


def test_the_window_never_holds_more_than_its_limit():
    partition = SharePartition(0, LOCK_MS, 5, most_in_flight=4)
    assert acquire(partition, read=log(*[1] * 9)) == [(0, 3, 1)]
    assert not partition.can_acquire()
    acknowledge(partition, "a", said(1, 3, ACCEPT))
    assert not partition.can_acquire(), "record 0 holds the window's start"
    acknowledge(partition, "a", said(0, 0, ACCEPT))
    assert acquire(partition, read=log(*[1] * 9)) == [(4, 7, 1)]


def test_another_leader_knows_what_is_done_and_forgets_who_holds(partition):
    acquire(partition)
    acknowledge(partition, "a", said(1, 2, ACCEPT))
    other = SharePartition(0, LOCK_MS, 5)
    other.restore(partition.snapshot())
    assert states(other) == "AvAcAc"
    assert acquire(other, "b") == [(0, 0, 1), (3, 5, 1)]


def test_another_leader_knows_the_deliveries_that_were_written(partition):
    acquire(partition, count=1)
    acknowledge(partition, "a", said(0, 0, RELEASE))
    assert acquire(partition, "b", count=1) == [(0, 0, 2)]
    other = SharePartition(0, LOCK_MS, 5)
    other.restore(partition.snapshot())
    assert acquire(other, "c", count=1) == [(0, 0, 2)]


def test_records_that_retention_deleted_are_archived(partition):
    acquire(partition)
    partition.written(partition.release("a"))
    partition.log_start_moved(4)
    assert partition.start_offset == 4
    assert acquire(partition)[0][0] == 4


def test_a_record_that_is_done_stays_so():
    assert all(not MOVES[state] for state in DONE)
    assert set(MOVES) == set(RecordState)
