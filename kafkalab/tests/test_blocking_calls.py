"""No call runs for ever: each says in one sentence what it waited for and what is gone."""

from types import SimpleNamespace

import pytest

from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.errors import IllegalStateException, TimeoutException
from kafkalab.sim.apps import LONGEST_GIVEN_MS, PATIENCE_MS
from kafkalab.sim.worker_pool import WorkerPool
from kafkalab.tests.shares import few, share

DAY_MS = 24 * 3_600_000
FOR_EVER_MS = 1 << 62
PATIENT = {"reconnect.backoff.ms": 30_000, "reconnect.backoff.max.ms": 60_000}
"""A client that tries dead brokers rarely: an hour in which it tries costs seconds otherwise."""
ALL_DOWN = "brokers 0, 1 and 2 are down"


def lab_of_three(**settings):
    lab = Lab(brokers=3, seed=1, **settings)
    lab.create_topic("t", partitions=3)
    return lab


def lab_without_ids(**settings):
    """No answer to the producer "shop" about its producer id arrives."""
    lab = lab_of_three(**settings)
    for broker in range(3):
        lab.link(broker, "shop").cut_before_reply("INIT_PRODUCER_ID")
    return lab


def crash_all(lab):
    for broker in range(3):
        lab.broker(broker).crash()


def ends_with(what, gone, call, *args, **kwargs):
    """The call raises the error that says so."""
    with pytest.raises(IllegalStateException) as told:
        call(*args, **kwargs)
    sentence = str(told.value)
    assert what in sentence and gone in sentence, sentence


@pytest.mark.corpus
@pytest.mark.parametrize("version", [pytest.param("3.9", marks=pytest.mark.slow), "4.4"])
def test_a_record_whose_producer_id_never_comes(version):
    lab = lab_without_ids(version=version)
    future = KafkaProducer(lab, PATIENT, name="shop").send(ProducerRecord("t", value="x"))
    crash_all(lab)
    ends_with("the outcome of a record", ALL_DOWN, future.get)
    assert lab.now_ms < 3 * PATIENCE_MS


@pytest.mark.slow
def test_flush_and_close_of_such_a_producer():
    lab = lab_without_ids()
    producer = KafkaProducer(lab, PATIENT, name="shop")
    producer.send(ProducerRecord("t", value="x"))
    crash_all(lab)
    ends_with("flush() waits", ALL_DOWN, producer.flush)
    ends_with("close() waits", ALL_DOWN, producer.close)
    with pytest.raises(IllegalStateException, match="closed"):
        producer.send(ProducerRecord("t", value="y"))
    assert all(socket.closed_at_ms is not None for socket in lab.sockets())


@pytest.mark.corpus
def test_the_sentence_names_what_stands_still_and_what_is_cut():
    lab = lab_of_three()
    producer = KafkaProducer(lab, PATIENT, name="shop")
    future = producer.send(ProducerRecord("t", value="x"))
    lab.broker(0).pause(ms=3 * DAY_MS)
    lab.broker(1).crash()
    lab.link(2, "shop").cut()
    with pytest.raises(IllegalStateException) as told:
        future.get()
    assert (
        "broker 1 is down, and broker 0 is standing still, and the link of shop to broker-2 is cut"
        in str(told.value)
    )


@pytest.mark.slow
@pytest.mark.parametrize("version", ["2.8", "4.4"])
def test_the_calls_of_transactions_end(version):
    """Where a release knows no limit for commit and abort, the lab has one."""
    lab = lab_of_three(version=version)
    producer = KafkaProducer(lab, {**PATIENT, "transactional.id": "tx", "max.block.ms": 1 << 62})
    producer.init_transactions()
    producer.begin_transaction()
    producer.send(ProducerRecord("t", value="x"))
    crash_all(lab)
    with pytest.raises((IllegalStateException, TimeoutException)):
        producer.commit_transaction()
    assert lab.now_ms < 3 * PATIENCE_MS


@pytest.mark.parametrize(
    "call",
    few(
        [
            lambda lab: KafkaProducer(lab, {**PATIENT, "max.block.ms": FOR_EVER_MS}).partitions_for(
                "t"
            ),
            pytest.param(
                lambda lab: KafkaProducer(
                    lab, {**PATIENT, "max.block.ms": FOR_EVER_MS}
                ).partitions_for("missing"),
                marks=pytest.mark.slow,
            ),
            lambda lab: (
                KafkaProducer(lab, {**PATIENT, "max.block.ms": FOR_EVER_MS})
                .send(ProducerRecord("t", "x"))
                .get()
            ),
            pytest.param(
                lambda lab: KafkaProducer(
                    lab, {**PATIENT, "max.block.ms": FOR_EVER_MS, "transactional.id": "tx"}
                ).init_transactions(),
                marks=pytest.mark.slow,
            ),
        ]
    ),
)
def test_a_producer_that_may_block_for_ever_blocks_for_an_hour(call):
    lab = lab_of_three()
    crash_all(lab)
    with pytest.raises(TimeoutException):
        call(lab)
    assert PATIENCE_MS <= lab.now_ms < PATIENCE_MS + 60_000


CONSUMER_CALLS = {
    "poll": lambda consumer, tp: consumer.poll(timeout_ms=FOR_EVER_MS),
    "position": lambda consumer, tp: consumer.position(tp, timeout_ms=FOR_EVER_MS),
    "commit_sync": lambda consumer, tp: consumer.commit_sync({tp: OffsetAndMetadata(1)}),
    "committed": lambda consumer, tp: consumer.committed([tp]),
    "end_offsets": lambda consumer, tp: consumer.end_offsets([tp]),
    "partitions_for": lambda consumer, tp: consumer.partitions_for("t"),
    "close": lambda consumer, tp: consumer.close(timeout_ms=FOR_EVER_MS),
}


@pytest.mark.parametrize("protocol", ["classic", "consumer"])
@pytest.mark.parametrize("name", few(share(CONSUMER_CALLS, 3), 1, 1))
def test_a_consumer_that_may_wait_for_ever_waits_for_an_hour(name, protocol, monkeypatch):
    """Two minutes here, as an hour of a consumer that tries dead brokers takes long to play."""
    monkeypatch.setattr("kafkalab.clients.consumer.reading.call_timer.PATIENCE_MS", 120_000)
    lab = lab_of_three(version="4.4")
    consumer = KafkaConsumer(lab, {**PATIENT, "group.id": "g", "group.protocol": protocol})
    tp = TopicPartition("t", 0)
    consumer.assign([tp])
    crash_all(lab)
    try:
        CONSUMER_CALLS[name](consumer, tp)
        assert name == "close"
    except (IllegalStateException, TimeoutException) as error:
        assert type(error) is TimeoutException or ALL_DOWN in str(error), error
    assert lab.now_ms < 240_000


def test_a_poll_that_was_given_three_hours_takes_three_hours():
    lab = lab_of_three()
    consumer = KafkaConsumer(lab, {"fetch.max.wait.ms": 20_000})
    consumer.assign([TopicPartition("t", 0)])
    assert len(consumer.poll(timeout_ms=3 * PATIENCE_MS)) == 0
    assert 3 * PATIENCE_MS <= lab.now_ms < 3 * PATIENCE_MS + 1_000


@pytest.mark.slow
def test_a_future_that_was_given_two_hours_takes_two_hours():
    lab = lab_without_ids()
    future = KafkaProducer(lab, PATIENT, name="shop").send(ProducerRecord("t", value="x"))
    crash_all(lab)
    with pytest.raises(TimeoutException):
        future.get(timeout_ms=2 * PATIENCE_MS)
    assert 2 * PATIENCE_MS <= lab.now_ms < 2 * PATIENCE_MS + 1_000


def test_a_delivery_timeout_of_two_hours_is_waited_for():
    lab = lab_of_three()
    producer = KafkaProducer(
        lab, {**PATIENT, "enable.idempotence": False, "delivery.timeout.ms": 2 * PATIENCE_MS}
    )
    producer.partitions_for("t")
    future = producer.send(ProducerRecord("t", value="x"))
    crash_all(lab)
    with pytest.raises(TimeoutException):
        future.get()
    assert lab.now_ms >= 2 * PATIENCE_MS


def test_an_admin_client_and_its_close_end():
    lab = lab_of_three()
    admin = KafkaAdminClient(lab, PATIENT)
    crash_all(lab)
    with pytest.raises(TimeoutException):
        admin.describe_cluster(timeout_ms=2 * PATIENCE_MS).nodes().get()
    assert lab.now_ms >= 2 * PATIENCE_MS
    forgotten = admin.describe_cluster(timeout_ms=FOR_EVER_MS).nodes()
    ends_with(
        "the outcome of an admin client's call",
        ALL_DOWN,
        forgotten.get,
    )
    admin.close()
    assert all(socket.closed_at_ms is not None for socket in lab.sockets())


def test_run_until_ends_where_no_time_was_given():
    lab = lab_of_three()
    assert not lab.run_until(lambda: False, timeout_ms=10 * DAY_MS) and lab.now_ms == 10 * DAY_MS
    crash_all(lab)
    ends_with("run_until()", ALL_DOWN, lab.run_until, lambda: False, timeout_ms=FOR_EVER_MS)
    with pytest.raises(ValueError, match="a year"):
        lab.run_for(LONGEST_GIVEN_MS + 1)


@pytest.mark.corpus
def test_an_app_that_waits_in_vain_tells_the_front():
    lab = lab_without_ids()

    def shop(lab):
        future = KafkaProducer(lab, PATIENT, name="shop").send(ProducerRecord("t", value="x"))
        crash_all(lab)
        future.get()

    lab.spawn(shop)
    ends_with("the outcome of a record", ALL_DOWN, lab.run_for, 2 * PATIENCE_MS)


@pytest.mark.slow
def test_a_pool_whose_workers_never_end_is_not_waited_for_longer_than_a_day():
    lab = Lab(brokers=1)
    pool = WorkerPool(lab, 1, lambda record: lab.sleep(2 * DAY_MS), name="pool")
    pool.submit(SimpleNamespace(topic="t", partition=0, offset=0, key=None))
    ends_with("pool", "no broker is down", pool.wait)
