"""Stories of transactions as the brokers see them: who is fenced, what a crash between decision and
markers leaves, time-outs, and the hole that KIP-890 closed."""

import pytest

from kafkalab.broker.transactions.transaction_metadata import LARGEST_EPOCH, TransactionMetadata
from kafkalab.broker.transactions.transaction_state import (
    TransactionState,
    illegal_from,
    legal_from,
)
from kafkalab.protocol import messages as m
from kafkalab.tests.broker.wire import BEFORE_KIP_890, NEW, OLD, Wire

RELEASES = [("2.3", OLD), ("4.4", BEFORE_KIP_890), ("4.4", NEW)]


def joined(wire, producer, partition=0):
    """Producers before transaction.version 2 have to say where they will write."""
    if wire.versions is not NEW:
        assert wire.add(producer, partition) is None


@pytest.mark.parametrize(("release", "versions"), RELEASES)
def test_commit_and_abort_leave_records_and_markers_in_turn(release, versions):
    wire = Wire(release, versions)
    producer = wire.init()
    for sequence, committed in enumerate((True, False, True)):
        joined(wire, producer)
        assert wire.produce(producer, 0 if versions is NEW else sequence) is None
        after = wire.end(producer, committed)
        wire.settle()
        assert after == ((0, producer[1] + 1) if versions is NEW else (-1, -1))
        producer = after if versions is NEW else producer
    assert wire.seen() == ["v", "COMMIT", "v", "ABORT", "v", "COMMIT"]
    assert [(txn.first_offset) for txn in wire.log().aborted_between(0, 6)] == [2]
    assert wire.state()[0] == "CompleteCommit"


@pytest.mark.parametrize(
    ("release", "versions", "epoch_of_heir", "told"),
    [
        ("2.3", OLD, 2, "INVALID_PRODUCER_EPOCH"),
        ("4.4", BEFORE_KIP_890, 2, "PRODUCER_FENCED"),
        ("4.4", NEW, 2, "PRODUCER_FENCED"),
    ],
)
def test_a_zombie_is_fenced_by_its_heir(release, versions, epoch_of_heir, told):
    wire = Wire(release, versions)
    zombie = wire.init()
    joined(wire, zombie)
    wire.produce(zombie, 0)
    assert wire.init() == "CONCURRENT_TRANSACTIONS"  # its open transaction is aborted first
    wire.settle()
    assert wire.init() == (zombie[0], epoch_of_heir)
    assert wire.produce(zombie, 1) == "INVALID_PRODUCER_EPOCH"
    assert wire.end(zombie) == told
    assert wire.seen() == ["v", "ABORT"]


@pytest.mark.parametrize(("release", "versions"), RELEASES)
def test_a_coordinator_that_dies_after_the_decision_finishes_when_it_is_back(release, versions):
    wire = Wire(release, versions)
    wire.lab.place_transaction_coordinator("tx", 1)
    producer = wire.init()
    joined(wire, producer)
    wire.produce(producer, 0)
    wire.lab.link(0, "broker-1").cut()
    assert wire.end(producer) in ((-1, -1), (producer[0], producer[1] + 1))
    assert wire.state()[0] == "PrepareCommit"
    wire.lab.broker(1).crash()
    wire.lab.run_for(1_000)
    wire.lab.link(0, "broker-1").heal()
    assert wire.seen() == ["v"] and wire.log().last_stable_offset == 0
    wire.lab.broker(1).restart()
    assert wire.lab.run_until(lambda: wire.lab.broker(1).is_up)
    wire.settle()
    assert wire.seen() == ["v", "COMMIT"] and wire.log().last_stable_offset == 2
    assert wire.state()[0] == "CompleteCommit"


def test_another_broker_that_becomes_coordinator_finishes_likewise():
    wire = Wire(
        "4.4",
        NEW,
        brokers=3,
        **{"transaction.state.log.replication.factor": 2, "transaction.state.log.min.isr": 1},
    )
    wire.lab.place_transaction_coordinator("tx", 1)
    producer = wire.init()
    wire.produce(producer, 0)
    wire.lab.link(0, "broker-1").cut()
    wire.end(producer, committed=False)
    partition = wire.lab.cluster.transaction_partition("tx")
    wire.lab.broker(1).crash()
    wire.lab.cluster.set_leader(partition.topic, partition.index, 2)
    wire.lab.broker(2).machine.leader_changed(partition, 1, wire.lab.broker(1).machine)
    # until the dead broker is out of the in-sync replicas: the end is written when all of them have
    # it
    wire.lab.run_for(12_000)
    assert wire.seen() == ["v", "ABORT"] and wire.state()[0] == "CompleteAbort"
    assert (
        wire.log().producers.entries[producer[0]].coordinator_epoch == partition.leader_epoch == 1
    )


@pytest.mark.parametrize(
    ("release", "versions", "interval_ms"), [("2.3", OLD, 60_000), ("4.4", NEW, 10_000)]
)
def test_a_transaction_that_takes_too_long_is_aborted_at_the_next_look(
    release, versions, interval_ms
):
    wire = Wire(release, versions)
    producer = wire.init(timeout_ms=5_000)
    joined(wire, producer)
    wire.produce(producer, 0)
    wire.lab.run_for(interval_ms - wire.lab.now_ms - 1)
    assert wire.seen() == ["v"]
    wire.lab.run_for(100)
    assert wire.seen() == ["v", "ABORT"]
    assert wire.produce(producer, 1) == "INVALID_PRODUCER_EPOCH"


def test_a_late_batch_outlives_its_transaction_where_nobody_verifies():
    """The hole: the commit overtakes the batch. A 2.3 broker appends it, and opens a transaction
    nobody will end; a 4.4 asks first."""
    for release, versions, verdict in (
        ("2.3", OLD, None),
        ("4.4", BEFORE_KIP_890, "INVALID_TXN_STATE"),
    ):
        wire = Wire(release, versions)
        producer = wire.init()
        joined(wire, producer)
        wire.produce(producer, 0)
        wire.end(producer)
        wire.settle()
        assert wire.produce(producer, 1, value="late") == verdict
        stuck = wire.log().last_stable_offset < wire.log().log_end_offset
        assert stuck == (verdict is None)


def test_under_version_2_a_late_batch_has_an_old_epoch():
    wire = Wire("4.4", NEW)
    producer = wire.init()
    wire.produce(producer, 0)
    wire.end(producer)
    wire.settle()
    assert wire.produce(producer, 1, value="late") == "INVALID_PRODUCER_EPOCH"
    assert wire.seen() == ["v", "COMMIT"]


def test_the_next_transaction_waits_until_the_markers_are_written():
    wire = Wire("2.3", OLD)
    wire.lab.place_transaction_coordinator("tx", 1)
    producer = wire.init()
    wire.add(producer)
    wire.produce(producer, 0)
    wire.lab.link(0, "broker-1").cut()
    wire.end(producer)
    assert wire.add(producer) == "CONCURRENT_TRANSACTIONS"
    assert wire.end(producer) == "CONCURRENT_TRANSACTIONS"  # a retry of the same
    # prepareComplete has set a pending state, and that is asked first
    assert wire.end(producer, committed=False) == "CONCURRENT_TRANSACTIONS"
    wire.lab.link(0, "broker-1").heal()
    wire.settle()
    assert wire.end(producer) == (-1, -1)  # the retry finds it done
    assert wire.end(producer, committed=False) == "INVALID_TXN_STATE"
    assert wire.add(producer) is None


def test_a_producer_may_ask_for_its_next_epoch_and_repeat_the_question():
    wire = Wire("4.4", BEFORE_KIP_890)
    first = wire.init()
    assert wire.init(expected=first) == (first[0], 1)
    assert wire.init(expected=first) == (first[0], 1)  # the answer was lost (KIP-360)
    assert wire.init(expected=(first[0], 7)) == "PRODUCER_FENCED"
    assert wire.init(expected=(99, 0)) == "PRODUCER_FENCED"


def test_epochs_that_are_used_up_are_followed_by_another_producer_id():
    record = TransactionMetadata(
        transactional_id="tx", producer_id=5, epoch=LARGEST_EPOCH - 1, timeout_ms=1_000
    )
    wire = Wire("4.4", NEW)
    wire.given(record)
    wire.settle()
    assert wire.init() == "COORDINATOR_LOAD_IN_PROGRESS"
    wire.settle()
    assert wire.init() == (0, 0)


def test_within_a_transaction_the_id_changes_with_the_commit():
    wire = Wire("4.4", NEW)
    record = TransactionMetadata(
        transactional_id="tx", producer_id=5, epoch=LARGEST_EPOCH - 2, timeout_ms=60_000
    )
    wire.given(record)
    wire.init()
    wire.settle()
    producer = wire.init()
    assert producer == (5, LARGEST_EPOCH - 1)
    wire.produce(producer, 0)
    assert wire.end(producer) == (0, 0)
    wire.settle()
    assert wire.end(producer) == (0, 0)  # the retry gets the same answer
    assert wire.produce((0, 0), 0) is None


def test_partitions_that_do_not_exist_keep_the_others_out():
    wire = Wire("4.4", BEFORE_KIP_890)
    producer = wire.init()
    assert wire.add(producer, topic="nothing") == "UNKNOWN_TOPIC_OR_PARTITION"
    assert wire.state()[0] == "Empty"


def test_an_unused_id_is_forgotten_after_seven_days():
    wire = Wire("4.4", NEW, **{"transactional.id.expiration.ms": 1_000})
    assert wire.init() == (0, 0)
    wire.lab.run_for(1_000)
    assert wire.init() == (1, 0)


def commit_offsets(wire, producer, offset=5, generation=-1, partition=0):
    if wire.versions is not NEW:
        wire.ask(
            wire.coordinator,
            m.AddOffsetsToTxnRequest(
                transactional_id="tx",
                producer_id=producer[0],
                producer_epoch=producer[1],
                group_id="copier",
            ),
        )
    answer = wire.ask(
        wire.lab.coordinator_of("copier"),
        m.TxnOffsetCommitRequest(
            transactional_id="tx",
            group_id="copier",
            producer_id=producer[0],
            producer_epoch=producer[1],
            generation_id_or_member_epoch=generation,
            topics=(
                m.TxnOffsetCommitRequestTopic(
                    name="orders",
                    partitions=(
                        m.TxnOffsetCommitRequestPartition(
                            partition_index=partition, committed_offset=offset
                        ),
                    ),
                ),
            ),
        ),
    )
    return wire.said(answer.topics[0].partitions[0].error_code)


def committed_offset(wire, require_stable=False):
    answer = wire.ask(
        wire.lab.coordinator_of("copier"),
        m.OffsetFetchRequest(
            group_id="copier",
            require_stable=require_stable,
            topics=(m.OffsetFetchRequestTopic(name="orders", partition_indexes=(0,)),),
        ),
    )
    found = answer.topics[0].partitions[0]
    return wire.said(found.error_code) or found.committed_offset


@pytest.mark.parametrize(("release", "versions"), RELEASES)
def test_offsets_count_when_the_transaction_commits_and_are_forgotten_when_it_aborts(
    release, versions
):
    wire = Wire(release, versions)
    producer = wire.init()
    assert commit_offsets(wire, producer, offset=5) is None
    assert committed_offset(wire) == -1
    assert committed_offset(wire, require_stable=True) == "UNSTABLE_OFFSET_COMMIT"
    after = wire.end(producer, committed=False)
    wire.settle()
    assert committed_offset(wire, require_stable=True) == -1
    producer = after if versions is NEW else producer
    assert commit_offsets(wire, producer, offset=7) is None
    wire.end(producer)
    wire.settle()
    assert committed_offset(wire, require_stable=True) == 7


def test_a_consumer_of_another_generation_cannot_commit_with_a_transaction():
    wire = Wire("4.4", NEW)
    producer = wire.init()
    assert commit_offsets(wire, producer, generation=3) == "ILLEGAL_GENERATION"


def test_a_commit_that_is_refused_leaves_the_group_without_pending_offsets():
    wire = Wire("4.4", NEW)
    producer = wire.init()
    assert commit_offsets(wire, producer, partition=99) == "UNKNOWN_TOPIC_OR_PARTITION"
    coordinator = wire.lab.broker(wire.lab.coordinator_of("copier")).machine.coordinator
    assert coordinator.table.find("copier").pending_offsets == {}, "else it would never expire"


def test_the_table_of_states():
    assert legal_from(TransactionState.PREPARE_ABORT) == (
        TransactionState.ONGOING,
        TransactionState.PREPARE_EPOCH_FENCE,
    )
    assert TransactionState.ONGOING in illegal_from(TransactionState.DEAD)
    assert all(
        set(legal_from(state)) | set(illegal_from(state)) == set(TransactionState)
        for state in TransactionState
    )
