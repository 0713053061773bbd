"""Transactions as an application sees them: commit and abort, a zombie in each version's words,
offsets within, wrong calls."""

import pytest

from kafkalab import (
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.errors import (
    CommitFailedException,
    IllegalArgumentException,
    IllegalStateException,
    InvalidProducerEpochException,
    KafkaException,
    ProducerFencedException,
    TimeoutException,
)

OLD, NEW = ("2.1", "2.3"), ("2.8", "3.6", "3.9", "4.0", "4.4")
PAIRS = [(version, "2.3") for version in OLD] + [(version, "4.4") for version in ("2.3", *NEW)]


def a_lab(version, broker_version, **broker_config):
    lab = Lab(
        3, seed=7, version=version, broker_version=broker_version, broker_config=broker_config
    )
    lab.create_topic("orders", 2)
    return lab


def a_producer(lab, name="shop", **config):
    return KafkaProducer(lab, {"transactional.id": "tx", **config}, name=name)


def read(lab, isolation, partition=0):
    consumer = KafkaConsumer(
        lab, {"isolation.level": isolation, "auto.offset.reset": "earliest", "group.id": isolation}
    )
    tp = TopicPartition("orders", partition)
    consumer.assign([tp])
    records, until_ms = [], lab.now_ms + 2_000
    while lab.now_ms < until_ms:
        records += consumer.poll(timeout_ms=500)
    return [(record.offset, record.value) for record in records], consumer.position(tp)


def send(producer, value, partition=0):
    return producer.send(ProducerRecord("orders", value=value, partition=partition)).get()


@pytest.mark.parametrize(("version", "broker_version"), PAIRS)
def test_an_aborted_transaction_is_unseen_by_who_reads_the_committed(version, broker_version):
    lab = a_lab(version, broker_version)
    producer = a_producer(lab)
    producer.init_transactions()
    for value, ends in (
        ("a", producer.commit_transaction),
        ("b", producer.abort_transaction),
        ("c", producer.commit_transaction),
    ):
        producer.begin_transaction()
        send(producer, value)
        ends()
    lab.run_for(200)
    assert read(lab, "read_committed") == ([(0, "a"), (4, "c")], 6)
    assert read(lab, "read_uncommitted") == ([(0, "a"), (2, "b"), (4, "c")], 6)
    producer.close()


@pytest.mark.parametrize(
    ("version", "at_once"), [("2.3", False), ("2.8", False), ("3.6", True), ("4.4", True)]
)
def test_a_poll_that_only_moved_over_an_aborted_transaction_comes_back_at_once(version, at_once):
    lab = a_lab(version, "4.4")
    producer = a_producer(lab)
    producer.init_transactions()
    producer.begin_transaction()
    send(producer, "never")
    producer.abort_transaction()
    consumer = KafkaConsumer(
        lab, {"isolation.level": "read_committed", "auto.offset.reset": "earliest", "group.id": "g"}
    )
    consumer.assign([TopicPartition("orders", 0)])
    consumer.position(TopicPartition("orders", 0))
    before_ms = lab.now_ms
    assert not consumer.poll(timeout_ms=5_000)
    assert (lab.now_ms - before_ms < 1_000) is at_once
    assert consumer.position(TopicPartition("orders", 0)) == 2


ZOMBIE = {
    "2.1": (ProducerFencedException, KafkaException, KafkaException),
    "2.3": (ProducerFencedException, ProducerFencedException, ProducerFencedException),
    "2.8": (InvalidProducerEpochException, InvalidProducerEpochException, ProducerFencedException),
    "3.9": (InvalidProducerEpochException, InvalidProducerEpochException, ProducerFencedException),
    "4.4": (InvalidProducerEpochException, InvalidProducerEpochException, ProducerFencedException),
}
COMMIT_SAYS = {
    "2.1": "Cannot execute transactional method because we are in an error state",
    "2.3": (
        "The producer has been rejected from the broker because it tried to use an old epoch with "
        "the transactionalId"
    ),
    "2.8": "Producer attempted to produce with an old epoch (producerId=0, epoch=0)",
    "3.9": (
        "Producer with transactionalId 'tx' and (producerId=0, epoch=0) attempted to produce with "
        "an old epoch"
    ),
    "4.4": (
        "Producer with transactionalId 'tx' and (producerId=0, epoch=0) attempted to produce with "
        "an old epoch"
    ),
}


@pytest.mark.parametrize("version", ZOMBIE)
def test_a_zombie_learns_its_fate_in_the_words_of_its_version(version):
    lab = a_lab(version, "2.3" if version in OLD else "4.4")
    zombie = a_producer(lab, "zombie")
    zombie.init_transactions()
    zombie.begin_transaction()
    send(zombie, "a")
    heir = a_producer(lab, "heir")
    heir.init_transactions()
    told = []
    for call in (lambda: send(zombie, "b"), zombie.commit_transaction, zombie.abort_transaction):
        with pytest.raises(KafkaException) as caught:
            call()
        told.append(caught)
    assert tuple(type(caught.value) for caught in told) == ZOMBIE[version]
    assert str(told[1].value) == COMMIT_SAYS[version]
    heir.begin_transaction()
    send(heir, "c")
    heir.commit_transaction()
    lab.run_for(200)
    assert read(lab, "read_committed")[0] == [(2, "c")]
    zombie.close()
    heir.close()


@pytest.mark.parametrize(
    ("version", "broker_version"), [("2.1", "2.3"), ("2.8", "4.4"), ("4.4", "4.4")]
)
def test_consume_process_produce_moves_the_group_with_the_commit(version, broker_version):
    lab = a_lab(version, broker_version)
    feeder = KafkaProducer(lab, name="feeder")
    for value in "abc":
        send(feeder, value)
    consumer = KafkaConsumer(
        lab,
        {"group.id": "copier", "auto.offset.reset": "earliest", "enable.auto.commit": "false"},
        name="in",
    )
    consumer.subscribe(["orders"])
    producer = a_producer(lab, "out")
    producer.init_transactions()
    records = []
    while not records:
        records = consumer.poll(timeout_ms=1_000)
    tp = TopicPartition("orders", 0)
    for commits, expected in ((False, None), (True, 3)):
        producer.begin_transaction()
        for record in records:
            send(producer, record.value.upper(), partition=1)
        producer.send_offsets_to_transaction({tp: OffsetAndMetadata(3)}, consumer.group_metadata())
        producer.commit_transaction() if commits else producer.abort_transaction()
        lab.run_for(200)
        found = consumer.committed([tp])[tp]
        assert (None if found is None or found.offset < 0 else found.offset) == expected
    assert [value for _, value in read(lab, "read_committed", partition=1)[0]] == ["A", "B", "C"]


def test_a_group_as_a_text_is_taken_up_to_client_3_9():
    offsets = {TopicPartition("orders", 0): OffsetAndMetadata(1)}
    for version in ("2.3", "3.9"):
        producer = a_producer(a_lab(version, "4.4"))
        producer.init_transactions()
        producer.begin_transaction()
        producer.send_offsets_to_transaction(offsets, "copier")
        producer.commit_transaction()
    producer = a_producer(a_lab("4.0", "4.4"))
    producer.init_transactions()
    producer.begin_transaction()
    with pytest.raises(IllegalArgumentException, match="takes consumer.group_metadata.*'copier'"):
        producer.send_offsets_to_transaction(offsets, "copier")


def test_a_member_of_an_old_generation_cannot_commit_and_the_producer_goes_on():
    lab = a_lab("3.9", "4.4")
    consumer = KafkaConsumer(lab, {"group.id": "copier"}, name="in")
    consumer.subscribe(["orders"])
    consumer.poll(timeout_ms=5_000)
    metadata = consumer.group_metadata()
    consumer.close()
    producer = a_producer(lab)
    producer.init_transactions()
    producer.begin_transaction()
    with pytest.raises(CommitFailedException, match="consumer group metadata mismatch"):
        producer.send_offsets_to_transaction(
            {TopicPartition("orders", 0): OffsetAndMetadata(1)}, metadata
        )
    producer.abort_transaction()
    producer.begin_transaction()
    assert send(producer, "a").offset == 0
    producer.commit_transaction()


def test_a_time_out_fences_who_was_too_slow():
    lab = a_lab("3.9", "4.4")
    producer = a_producer(lab, **{"transaction.timeout.ms": 5_000})
    producer.init_transactions()
    producer.begin_transaction()
    send(producer, "a")
    lab.run_for(20_000)
    with pytest.raises(InvalidProducerEpochException):
        send(producer, "b")
    with pytest.raises(ProducerFencedException):
        producer.abort_transaction()


WRONG = {
    "2.3": (
        KafkaException,
        (
            "TransactionalId tx: Invalid transition attempted from state UNINITIALIZED to state "
            "IN_TRANSACTION"
        ),
        (
            "Cannot perform a 'send' before completing a call to initTransactions when "
            "transactions are enabled."
        ),
        "Cannot call send in state READY",
    ),
    "3.9": (
        IllegalStateException,
        (
            "TransactionalId tx: Invalid transition attempted from state UNINITIALIZED to state "
            "IN_TRANSACTION"
        ),
        "Cannot add partition orders-0 to transaction before completing a call to initTransactions",
        "Cannot add partition orders-0 to transaction while in state  READY",
    ),
}


@pytest.mark.parametrize("version", WRONG)
def test_calls_that_do_not_fit_the_state_say_so_as_java_does(version):
    error, begin_says, too_early, outside = WRONG[version]
    lab = a_lab(version, "4.4")
    producer = a_producer(lab)
    with pytest.raises(error) as caught:
        producer.begin_transaction()
    assert str(caught.value) == begin_says
    with pytest.raises(IllegalStateException) as caught:
        send(producer, "a")
    assert str(caught.value) == too_early
    producer.init_transactions()
    with pytest.raises(IllegalStateException) as caught:
        send(producer, "a")
    assert str(caught.value) == outside
    with pytest.raises(
        IllegalStateException, match="Transactional method invoked on a non-transactional producer."
    ):
        KafkaProducer(
            lab, {"enable.idempotence": "true", "acks": "all"}, name="idempotent"
        ).begin_transaction()
    with pytest.raises(
        IllegalStateException,
        match="Cannot use transactional methods without enabling transactions",
    ):
        KafkaProducer(lab, {"enable.idempotence": "false"}, name="plain").begin_transaction()


def test_without_a_coordinator_init_times_out_and_can_be_repeated():
    lab = a_lab("3.9", "4.4")
    lab.place_transaction_coordinator("tx", 2)
    lab.broker(2).crash()
    producer = a_producer(lab, **{"max.block.ms": 3_000})
    with pytest.raises(
        TimeoutException, match="Timeout expired after 3000ms while awaiting InitProducerId"
    ):
        producer.init_transactions()
    with pytest.raises(
        IllegalStateException,
        match="previous call to `initTransactions` timed out and must be retried",
    ):
        producer.begin_transaction()
    lab.broker(2).restart()
    # the controller lets a killed broker in again when its old session has ended
    lab.run_for(15_000)
    producer.init_transactions()
    producer.begin_transaction()
    producer.close()


@pytest.mark.parametrize("version", ["2.3", "3.9"])
def test_close_aborts_what_is_open(version):
    lab = a_lab(version, "4.4")
    producer = a_producer(lab)
    producer.init_transactions()
    producer.begin_transaction()
    send(producer, "a")
    producer.close()
    lab.run_for(200)
    assert read(lab, "read_committed") == ([], 2)


def test_a_transactional_id_needs_what_idempotence_needs():
    lab = a_lab("2.8", "4.4")
    with pytest.raises(
        KafkaException, match="Cannot set a transactional.id without also enabling idempotence."
    ):
        a_producer(lab, **{"enable.idempotence": "false"})
    with pytest.raises(KafkaException, match="Must set acks to all"):
        a_producer(lab, acks="1")


@pytest.mark.parametrize("version", ["3.9", "4.4"])
@pytest.mark.parametrize("seed", range(6))
def test_one_transaction_after_the_other_never_meets_the_markers_of_the_last(version, seed):
    """A PRODUCE that reaches the leader before the last transaction's marker belongs to the next
    transaction all the same: the leader asks anew with a new guard, and the marker of this very
    epoch does not take it away (KAFKA-18575)."""
    lab = Lab(1, seed=seed, version=version)
    lab.create_topic("orders", 1)
    producer = KafkaProducer(lab, {"transactional.id": "till", "linger.ms": 0}, name="till")
    producer.init_transactions()
    for number in range(12):
        producer.begin_transaction()
        producer.send(ProducerRecord("orders", value=str(number)))
        producer.commit_transaction()
    assert lab.at(lab.now_ms)["transactions"]["till"]["epoch"] == (12 if version == "4.4" else 0)


@pytest.mark.parametrize("version", ["3.9", "4.0", "4.4"])
def test_what_never_left_the_producer_can_be_aborted_at_once_after_a_commit(version):
    """The markers of the commit are still under way: the coordinator says CONCURRENT_TRANSACTIONS,
    and the client asks again. A real 4.4 client on a 4.4 broker does commit, abort, abort, commit
    without an error."""
    lab = a_lab(version, "4.4")
    producer = a_producer(lab, **{"linger.ms": 1_000})
    producer.init_transactions()
    for ends in (
        producer.commit_transaction,
        producer.abort_transaction,
        producer.abort_transaction,
        producer.commit_transaction,
    ):
        producer.begin_transaction()
        producer.send(ProducerRecord("orders", value=ends.__name__, partition=0))
        ends()
    assert [value for _, value in read(lab, "read_committed")[0]] == ["commit_transaction"] * 2


@pytest.mark.parametrize(("version", "takes"), [("2.3", True), ("3.9", True), ("4.0", False)])
def test_from_4_0_on_a_group_id_alone_is_not_taken(version, takes):
    """KIP-732 deprecated the text, KAFKA-12690 removed it."""
    lab = Lab(brokers=1, seed=3, version=version)
    lab.create_topic("orders")
    producer = KafkaProducer(lab, {"transactional.id": "copy"})
    producer.init_transactions()
    producer.begin_transaction()
    offsets = {TopicPartition("orders", 0): OffsetAndMetadata(1)}
    if takes:
        producer.send_offsets_to_transaction(offsets, "billing")
        producer.commit_transaction()
    else:
        with pytest.raises(IllegalArgumentException, match="takes consumer.group_metadata"):
            producer.send_offsets_to_transaction(offsets, "billing")
