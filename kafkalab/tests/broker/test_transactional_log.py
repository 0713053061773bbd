"""What a log makes of transactions: markers take an offset, the last stable offset waits, aborted
ones are listed, and a new leader finds all of it in the log."""

import pytest

from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.broker.log.producer_state import SWEEP_INTERVAL_MS, ProducerState
from kafkalab.errors import Errors
from kafkalab.protocol.messages import (
    AbortedTransaction,
    ControlRecordType,
    RecordBatch,
    WireRecord,
    marker_batch,
)

DAY_MS = 86_400_000


def data(producer, sequence=0, epoch=0, transactional=True):
    return RecordBatch(
        records=(WireRecord("k", "v", 0),),
        size_bytes=70,
        producer_id=producer,
        producer_epoch=epoch,
        base_sequence=sequence,
        is_transactional=transactional,
    )


def plain():
    return RecordBatch(records=(WireRecord("k", "v", 0),), size_bytes=70)


def end(producer, how, epoch=0, coordinator_epoch=0):
    return marker_batch(producer, epoch, ControlRecordType[how], coordinator_epoch, timestamp_ms=0)


def a_log(*batches):
    log = PartitionLog("orders", 0)
    for batch in batches:
        log.append(batch, leader_epoch=0)
    return log


def test_a_marker_takes_one_offset_and_78_bytes():
    log = a_log(data(1), end(1, "COMMIT"), data(1, sequence=1))
    assert [batch.base_offset for batch in log.read(0, 1_000)] == [0, 1, 2]
    assert log.read(1, 1_000)[0].size_bytes == 78


def test_an_open_transaction_holds_back_later_plain_records():
    log = a_log(plain(), data(1), plain(), plain())
    log.high_watermark = 4
    assert (log.high_watermark, log.last_stable_offset) == (4, 1)
    log.append(end(1, "COMMIT"), 0)
    assert log.last_stable_offset == 1, "the marker is not safe yet"
    log.high_watermark = 5
    assert log.last_stable_offset == log.high_watermark == 5


def test_what_is_decided_above_the_high_watermark_is_not_decided_for_readers():
    state = ProducerState.of(a_log(data(1), data(1, 1), end(1, "COMMIT")).read(0, 1_000))
    assert state.first_undecided(high_watermark=2) == 0
    assert state.first_undecided(high_watermark=3) is None


def test_the_aborted_are_listed_for_the_offsets_they_touch():
    log = a_log(data(1), data(2), end(1, "ABORT"), plain(), end(2, "ABORT"), data(1, 1))
    first, second = (
        AbortedTransaction(producer_id=1, first_offset=0),
        AbortedTransaction(producer_id=2, first_offset=1),
    )
    assert log.aborted_between(0, 6) == (first, second)
    assert log.aborted_between(3, 6) == (second,)
    assert log.aborted_between(5, 6) == ()
    assert log.aborted_between(0, 1) == (first,)


def test_a_new_leader_finds_the_state_in_its_log():
    log = a_log(data(1), data(2), end(1, "ABORT"), data(1, sequence=1))
    before = (
        log.last_stable_offset,
        log.aborted_between(0, 4),
        log.producers.judge(data(1, 1), accepts_unknown=True),
    )
    log.rebuild_producers()
    assert (
        log.last_stable_offset,
        log.aborted_between(0, 4),
        log.producers.judge(data(1, 1), accepts_unknown=True),
    ) == before
    assert before[2].duplicate_of is not None


@pytest.mark.parametrize(
    ("marker", "verdict"),
    [
        (end(1, "ABORT", epoch=5, coordinator_epoch=3), Errors.NONE),
        (end(1, "ABORT", epoch=6, coordinator_epoch=3), Errors.NONE),
        (end(1, "ABORT", epoch=4, coordinator_epoch=3), Errors.INVALID_PRODUCER_EPOCH),
        (end(1, "ABORT", epoch=5, coordinator_epoch=2), Errors.TRANSACTION_COORDINATOR_FENCED),
    ],
)
def test_a_zombie_coordinator_cannot_end_a_transaction(marker, verdict):
    log = a_log(data(1, epoch=5), end(1, "COMMIT", epoch=5, coordinator_epoch=3))
    assert log.producers.judge_marker(marker) is verdict


def test_a_marker_of_a_higher_epoch_fences_the_producer_it_ends():
    log = a_log(data(1, epoch=5), end(1, "ABORT", epoch=6))
    assert (
        log.producers.judge(data(1, 1, epoch=5), accepts_unknown=True).error
        is Errors.INVALID_PRODUCER_EPOCH
    )
    assert log.producers.judge(data(1, 0, epoch=6), accepts_unknown=False).error is Errors.NONE


def test_a_plain_batch_cannot_slip_into_an_open_transaction():
    log = a_log(data(1))
    assert (
        log.producers.judge(data(1, 1, transactional=False), accepts_unknown=True).error
        is Errors.INVALID_TXN_STATE
    )


def test_an_idle_producer_is_forgotten_unless_its_transaction_is_open():
    state = ProducerState()
    state.remember(data(1, transactional=False), now_ms=0)
    state.remember(data(2), now_ms=0)
    state.forget_idle(DAY_MS - SWEEP_INTERVAL_MS - 1, DAY_MS)
    assert sorted(state.entries) == [1, 2]
    state.forget_idle(DAY_MS, DAY_MS)
    assert sorted(state.entries) == [2]
