"""What a producer does when something is too much: memory, size, time, requests in flight.
And what it counts of it."""

import itertools
import math

import pytest

from kafkalab import KafkaProducer, ProducerRecord
from kafkalab.broker.effects import Respond
from kafkalab.clients.producer.buffer_pool import BufferPool
from kafkalab.errors import (
    BufferExhaustedException,
    Errors,
    IllegalArgumentException,
    IllegalStateException,
    KafkaException,
    NetworkException,
    RecordTooLargeException,
    TimeoutException,
)
from kafkalab.protocol.messages import (
    PartitionProduceResponse,
    ProduceRequest,
    ProduceResponse,
    TopicProduceResponse,
)
from kafkalab.releases import PROFILES
from kafkalab.tests.clients.stories import FIRST_FOUR, cluster
from kafkalab.tests.shares import share

KB, PAUSE_MS = 1_000, 20_000
NOT_IDEMPOTENT = {"enable.idempotence": False}


def maker(version="3.9", seed=1, partitions=1, leaders=None, broker_config=None, **config):
    """A lab with topic t and a producer "shop" in it."""
    lab = cluster(version, seed=seed, broker_config=broker_config)
    lab.create_topic("t", partitions, leaders=leaders or [0] * partitions)
    producer = KafkaProducer(lab, config, name="shop")
    return lab, producer


def values_in_log(lab):
    """The values in the order in which they stand in the log of t-0."""
    return [
        record.value
        for event in lab.journal.of("record.appended")
        for record in event.records
        if event.topic == "t"
    ]


def record(value):
    return ProducerRecord("t", value, partition=0)


# memory


def test_a_pool_serves_whoever_waits_first():
    pool = BufferPool(100, 40)
    assert (pool.allocate(40), pool.allocate(40)) == (None, None)
    first, second = pool.allocate(40), pool.allocate(30)
    assert pool.allocate(15) is None, "what is there goes to whoever asks for no more than that"
    pool.deallocate(30)
    assert (first.held_bytes, second.held_bytes) == (35, 0), (
        "the first gathers, the second stands behind"
    )
    pool.deallocate(40)
    assert first.has_enough and second.has_enough and pool.available_bytes == 5
    with pytest.raises(IllegalArgumentException, match="hard limit of 100"):
        pool.allocate(101)


def test_a_waiter_who_gives_up_leaves_what_he_had_to_the_next():
    pool = BufferPool(100, 50)
    pool.allocate(80)
    first, second = pool.allocate(50), pool.allocate(40)
    pool.deallocate(20)
    assert first.held_bytes == 40
    pool.abandon(first)
    assert second.has_enough and pool.available_bytes == 0


@pytest.mark.parametrize("version", share(PROFILES, 3))
def test_send_waits_for_memory_and_then_gives_up(version):
    lab, producer = maker(
        version, **{"buffer.memory": 40 * KB, "max.block.ms": 3_000, "linger.ms": 0}
    )
    producer.send(record("first")).get()
    lab.broker(0).pause(ms=PAUSE_MS)
    for _ in range(2):
        producer.send(record("x" * 15 * KB))
    before_ms = lab.now_ms
    future = producer.send(record("x" * 15 * KB))
    assert lab.now_ms - before_ms == 3_000, "send() itself waited"
    with pytest.raises(
        TimeoutException, match="within the configured max blocking time 3000 ms"
    ) as error:
        future.get()
    assert isinstance(error.value, BufferExhaustedException) == (
        version not in ("2.1", "2.2", "2.3")
    )
    assert ("Total memory: 40000 bytes" in str(error.value)) == (
        version not in ("2.1", "2.2", "2.3", "2.8")
    )
    lab.run_for(PAUSE_MS)
    assert producer.send(record("after")).get().offset == 3
    metrics = producer.metrics()
    assert (
        metrics["buffer-exhausted-total"] == 1
        and metrics["bufferpool-wait-time-ns-total"] >= 3_000 * 1_000_000
    )
    assert metrics["buffer-available-bytes"] == metrics["buffer-total-bytes"] == 40 * KB


def test_memory_that_comes_back_in_time_lets_send_go_on():
    lab, producer = maker(**{"buffer.memory": 20 * KB, "linger.ms": 60_000})
    producer.send(record("first"))
    before_ms = lab.now_ms
    future = producer.send(record("x" * 17 * KB))
    assert lab.now_ms - before_ms < 100, "somebody waits for memory, so nothing lingers"
    producer.flush()
    assert future.get().offset == 1


def test_what_does_not_fit_at_all_is_refused_at_once():
    _lab, producer = maker(**{"buffer.memory": 20 * KB})
    with pytest.raises(
        RecordTooLargeException,
        match="larger than the total memory buffer you have configured with the buffer.memory",
    ):
        producer.send(record("x" * 30 * KB)).get()
    with pytest.raises(
        RecordTooLargeException,
        match="larger than 1048576, which is the value of the max.request.size",
    ):
        producer.send(record("x" * 1_100 * KB)).get()


# size


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_a_batch_the_broker_finds_too_large_is_split(version):
    """MESSAGE_TOO_LARGE: the records go again in batches of batch.size,
    and arrive once and in order."""
    lab, producer = maker(
        version,
        broker_config={"message.max.bytes": 1_000},
        **{"batch.size": 900, "linger.ms": 50, "compression.type": "gzip"},
    )
    names = [f"{n:03}" + "abcdefghij" * 8 for n in range(40)]
    producer.send(record("warm")).get()
    futures = [producer.send(record(name)) for name in names]
    producer.flush()
    assert [future.get().offset for future in futures] == list(range(1, 41))
    assert values_in_log(lab)[1:] == names


@pytest.mark.corpus
@pytest.mark.parametrize(("version", "ends_well"), [("3.9", False), ("4.4", True)])
def test_a_batch_no_larger_than_batch_size_is_split_into_itself(version, ends_well):
    """KAFKA-8350: before, such a batch was sent unchanged again
    and again until delivery.timeout.ms."""
    lab, producer = maker(
        version,
        broker_config={"message.max.bytes": 500},
        **{"linger.ms": 20, "delivery.timeout.ms": 5_000, "request.timeout.ms": 2_000},
    )
    futures = [producer.send(record(f"{n}" * 100)) for n in range(8)]
    lab.run_for(6_000)
    if ends_well:
        assert [future.get().offset for future in futures] == list(range(8))
        assert producer.metrics()["batch-split-total"] >= 2
    else:
        with pytest.raises(
            TimeoutException,
            match=r"Expiring 8 record\(s\) for t-0:\d+ ms has passed since batch creation",
        ):
            futures[0].get()
        assert producer.metrics()["batch-split-total"] > 100


def test_one_record_too_large_for_the_broker_cannot_be_split():
    _, producer = maker(broker_config={"message.max.bytes": 500})
    with pytest.raises(
        RecordTooLargeException, match="larger than the max message size the server will accept"
    ):
        producer.send(record("x" * 600)).get()


def test_a_request_takes_no_more_than_max_request_size():
    lab, producer = maker(
        partitions=6, **{"max.request.size": 2_500, "linger.ms": 100, **NOT_IDEMPOTENT}
    )
    for number in range(6):
        producer.send(ProducerRecord("t", "x" * 1_000, partition=number))
    producer.flush()
    requests = [event for event in lab.journal.of("request.sent") if event.api == "PRODUCE"]
    assert len(requests) == 3 and producer.metrics()["records-per-request-avg"] == 2


# time


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_a_record_that_cannot_be_delivered_expires(version):
    lab, producer = maker(
        version, **{"delivery.timeout.ms": 5_000, "request.timeout.ms": 1_000, "linger.ms": 0}
    )
    producer.send(record("first")).get()
    lab.broker(0).pause(ms=PAUSE_MS)
    told = []
    future = producer.send(
        record("late"), lambda metadata, error: told.append((metadata.offset, type(error).__name__))
    )
    sent_ms = lab.now_ms
    with pytest.raises(
        TimeoutException,
        match=r"Expiring 1 record\(s\) for t-0:\d+ ms has passed since batch creation",
    ):
        future.get()
    assert 5_000 <= lab.now_ms - sent_ms < 5_100
    assert told == [(-1, "TimeoutException")]


def test_retries_can_run_out_before_the_time():
    lab, producer = maker(**{"retries": 2, "retry.backoff.ms": 50, **NOT_IDEMPOTENT})
    producer.send(record("first")).get()
    for _ in range(3):
        lab.link(0, "shop").cut_before_reply("PRODUCE")
    with pytest.raises(NetworkException, match="Disconnected from node 0"):
        producer.send(record("lost")).get()
    assert (
        producer.metrics()["record-retry-total"] == 2
        and producer.metrics()["record-error-total"] == 1
    )
    assert values_in_log(lab).count("lost") == 3, "written each time, answered never: at least once"
    retried = lab.lines("shop")[
        lambda lines: lines.message.str.contains("Got error produce response with correlation id")
    ]
    assert (
        "retrying (1 attempts left). Error: NETWORK_EXCEPTION. Error Message: Disconnected from "
        "node 0"
    ) in retried.iloc[0].message


def test_waits_between_retries_grow_from_3_7_on():
    """KIP-580: 100, 200, 400 ... with 20 % of jitter; before always 100."""
    pauses = {}
    for version in ("3.6", "3.9"):
        lab, producer = maker(version, **NOT_IDEMPOTENT)
        refuse_produce(lab, 0, times=5)
        assert producer.send(record("late")).get().offset == 0
        sent = [event.at_ms for event in lab.journal.of("request.sent") if event.api == "PRODUCE"]
        pauses[version] = [after - before for before, after in itertools.pairwise(sent)]
    assert len(pauses["3.6"]) == 5 and max(pauses["3.6"]) < 130
    assert pauses["3.9"] == sorted(pauses["3.9"]) and pauses["3.9"][-1] > 700


# order


def test_with_several_requests_in_flight_a_retry_may_be_overtaken():
    orders = {}
    for limit, idempotent in ((5, False), (1, False), (5, True)):
        lab, producer = maker(
            "2.8",
            **{
                "linger.ms": 0,
                "retries": 10,
                "acks": "all",
                "enable.idempotence": idempotent,
                "max.in.flight.requests.per.connection": limit,
            },
        )
        producer.send(record("warm")).get()
        refuse_produce(lab, 0)
        futures = []
        for name in ("one", "two", "three"):
            futures.append(producer.send(record(name)))
            lab.run_for(1)
        producer.flush()
        orders[limit, idempotent] = values_in_log(lab)[1:]
    assert orders[5, False] == ["two", "three", "one"]
    assert orders[1, False] == orders[5, True] == ["one", "two", "three"]


def refuse_produce(lab, broker, times=1):
    """The next PRODUCE requests are refused for a reason that passes."""
    handlers, left = lab.broker(broker).machine._handlers, [times]
    real = handlers[ProduceRequest]

    def refuse(request, caller, now_ms):
        if not left[0]:
            return real(request, caller, now_ms)
        left[0] -= 1
        topics = tuple(
            TopicProduceResponse(
                name=topic.name,
                topic_id=topic.topic_id,
                partition_responses=tuple(
                    PartitionProduceResponse(
                        index=part.index, error_code=Errors.NOT_ENOUGH_REPLICAS.code
                    )
                    for part in topic.partition_data
                ),
            )
            for topic in request.topic_data
        )
        return [Respond(caller, ProduceResponse(responses=topics))]

    handlers[ProduceRequest] = refuse


def test_callbacks_come_in_the_order_of_sending():
    lab, producer = maker(**{"linger.ms": 10})
    told = []
    for n in range(50):
        producer.send(record(str(n)), lambda metadata, error, n=n: told.append(n))
        lab.run_for(1)
    producer.flush()
    assert told == list(range(50))


# callbacks, interceptors, the end


def test_a_callback_runs_on_the_io_thread_and_must_not_wait_there():
    lab, producer = maker()
    found = []

    def callback(metadata, error):
        for wait in (producer.flush, lambda: producer.send(record("x")).get()):
            try:
                wait()
            except IllegalStateException as raised:
                found.append("deadlock" in str(raised))

    producer.send(record("tea"), callback)
    lab.run_for(1_000)
    assert found == [True, True]
    assert values_in_log(lab) == ["tea", "x"], "sending itself is allowed"


def test_flush_in_a_callback_is_refused_by_4_4_in_kafkas_words():
    lab, producer = maker("4.4")
    found = []

    def callback(metadata, error):
        with pytest.raises(
            KafkaException, match="flush\\(\\) invocation inside a callback is not permitted"
        ) as raised:
            producer.flush()
        found.append(raised)

    producer.send(record("tea"), callback)
    lab.run_for(1_000)
    assert found


class Stamp:
    seen = []

    def on_send(self, given):
        return ProducerRecord(
            given.topic, f"{given.value}!", key=given.key, partition=given.partition
        )

    def on_acknowledgement(self, metadata, error):
        Stamp.seen.append(
            (metadata.topic, metadata.partition, metadata.offset, error and type(error).__name__)
        )


class Broken:
    def on_send(self, given):
        raise RuntimeError("broken")

    def on_acknowledgement(self, metadata, error):
        raise RuntimeError("broken, too")


def test_interceptors_change_records_and_see_outcomes():
    Stamp.seen.clear()
    lab, producer = maker(**{"interceptor.classes": [Broken(), Stamp], "max.block.ms": 500})
    assert producer.send(record("tea")).get().offset == 0
    assert values_in_log(lab) == ["tea!"]
    with pytest.raises(TimeoutException):
        producer.send(ProducerRecord("t", "x", partition=7)).get()
    assert Stamp.seen == [("t", 0, 0, None), ("t", 7, -1, "TimeoutException")]
    lines = lab.lines("shop")
    assert list(lines[lines.level == "WARN"].message)[:1] == [
        "Error executing interceptor onSend callback for topic: t, partition: 0"
    ]


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_close_sends_what_waits_unless_the_time_is_up(version):
    lab, producer = maker(version, **{"linger.ms": 30_000, "request.timeout.ms": 10_000})
    producer.send(record("one"))
    producer.close()
    assert values_in_log(lab) == ["one"]
    with pytest.raises(
        IllegalStateException, match="Cannot perform operation after producer has been closed"
    ):
        producer.send(record("two"))
    with pytest.raises(IllegalArgumentException, match="The timeout cannot be negative"):
        producer.close(-1)


@pytest.mark.parametrize("version", FIRST_FOUR)
def test_a_close_by_force_fails_what_was_not_answered(version):
    lab, producer = maker(version)
    producer.send(record("one")).get()
    lab.broker(0).pause(ms=PAUSE_MS)
    future = producer.send(record("two"))
    before_ms = lab.now_ms
    producer.close(timeout_ms=700)
    assert lab.now_ms - before_ms == 700
    with pytest.raises(KafkaException, match="Producer is closed forcefully."):
        future.get()
    assert not lab.lines("shop")[
        lambda lines: lines.message.str.contains("Proceeding to force close")
    ].empty


def test_whoever_waits_in_send_hears_of_a_close():
    """For metadata, and for memory."""
    for config, topic in (({}, "missing"), ({"buffer.memory": 20 * KB, "linger.ms": 0}, "t")):
        lab, producer = maker(broker_config={"auto.create.topics.enable": False}, **config)
        producer.send(record("first")).get()
        lab.broker(0).pause(ms=PAUSE_MS)
        errors = []

        def write(lab, producer=producer, topic=topic, errors=errors):
            try:
                producer.send(record("x" * 15 * KB))
                producer.send(ProducerRecord(topic, "y" * 15 * KB))
            except KafkaException as error:
                errors.append(str(error))

        lab.spawn(write)
        lab.run_for(1_000)
        producer.close(timeout_ms=500)
        lab.run_for(100)
        assert errors == [
            "Producer closed while send in progress"
            if topic == "missing"
            else "Producer closed while allocating memory"
        ]


def test_a_future_that_is_not_ready_in_time():
    _lab, producer = maker(**{"linger.ms": 5_000})
    future = producer.send(record("one"))
    with pytest.raises(TimeoutException, match="Timeout after waiting for 100 ms."):
        future.get(timeout_ms=100)
    assert not future.done()


# idleness, counting


def test_a_topic_nobody_writes_to_any_more_is_forgotten():
    """metadata.max.idle.ms (KIP-526)."""
    lab, producer = maker(**{"metadata.max.idle.ms": 10_000, "metadata.max.age.ms": 4_000})
    lab.create_topic("u", 1, leaders=[1])
    producer.send(record("one")).get()
    for _ in range(5):
        producer.send(ProducerRecord("u", "x")).get()
        lab.run_for(4_000)
    assert not lab.lines("shop")[
        lambda lines: lines.message.str.contains("Removing unused topic t from the metadata list")
    ].empty
    assert producer.send(record("two")).get().offset == 1, "asked about again"


def test_the_metrics_follow_from_what_was_sent():
    lab, producer = maker(partitions=1, **{"linger.ms": 20})
    assert math.isnan(producer.metrics()["batch-size-avg"])
    for _ in range(4):
        for _n in range(5):
            producer.send(record("x" * 100))
        lab.run_for(1_000)
    metrics = producer.metrics()
    assert metrics["record-send-total"] == 20 and metrics["records-per-request-avg"] == 5
    appended = [
        event.size_bytes for event in lab.journal.of("record.appended") if event.topic == "t"
    ]
    assert metrics["batch-size-avg"] == sum(appended) / len(appended) and metrics[
        "batch-size-max"
    ] == max(appended)
    assert 15 <= metrics["record-queue-time-avg"] <= 30
    assert 0 < metrics["request-latency-avg"] <= metrics["request-latency-max"] < 100
    assert metrics["record-send-rate"] == pytest.approx(20 / 34, rel=0.05), (
        "of the last window and the one before, 30 s each"
    )
    assert metrics.of("producer-topic-metrics", topic="t")["byte-total"] == sum(appended)
