"""A client notices a timeout in the millisecond after its limit, as a Java client does,
and not one sleep later."""

import itertools

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition

LONGEST_BACK_OFF_MS = 1_200
"""retry.backoff.max.ms with its jitter."""


def sends(request_ms, delivery_ms, seed, version="3.9"):
    """When one record was sent, in ms since the first time:
    the broker takes PRODUCE and never answers."""
    lab = Lab(brokers=1, seed=seed, version=version)
    lab.create_topic("orders", partitions=1)
    producer = KafkaProducer(
        lab,
        {
            "linger.ms": 0,
            "request.timeout.ms": request_ms,
            "delivery.timeout.ms": delivery_ms,
            "enable.idempotence": False,
        },
    )
    producer.send(ProducerRecord("orders", value="the first one arrives")).get()
    lab.broker(0).delay("PRODUCE", 600_000)
    heard, sent_at = [], lab.now_ms
    producer.send(
        ProducerRecord("orders", value="tea"), lambda metadata, error: heard.append(error)
    )
    assert lab.run_until(lambda: heard)
    return [
        event.at_ms - sent_at
        for event in lab.journal.of("request.sent")
        if event.api == "PRODUCE" and event.at_ms >= sent_at
    ]


@pytest.mark.corpus
@pytest.mark.parametrize(
    ("request_ms", "delivery_ms", "count"),
    [
        (2_000, 20_000, 8),
        (2_000, 34_000, 13),
        (4_000, 34_000, 8),
        (3_000, 10_000, 4),
        (5_000, 25_000, 5),
    ],
)
def test_a_producer_sends_a_record_as_often_as_a_java_client_whose_broker_never_answers(
    request_ms, delivery_ms, count
):
    """Counted with kafka-clients 3.9.2. Its sends at (2 s, 20 s):
    0, 2112, 4344, 6826, 9675, 12678, 15687, 18693 ms."""
    for seed in range(12):
        at = sends(request_ms, delivery_ms, seed)
        assert len(at) == count, (seed, at)
        gaps = [later - earlier for earlier, later in itertools.pairwise(at)]
        assert request_ms < min(gaps) and max(gaps) <= request_ms + LONGEST_BACK_OFF_MS, (
            seed,
            gaps,
        )


@pytest.mark.parametrize("version", ["2.1", "2.3", "2.8", "3.6", "4.0", "4.4"])
def test_no_release_notices_a_request_timeout_one_timeout_late(version):
    for seed in range(6):
        at = sends(2_000, 20_000, seed, version)
        assert (
            max(later - earlier for earlier, later in itertools.pairwise(at))
            <= 2_000 + LONGEST_BACK_OFF_MS
        ), (seed, at)


@pytest.mark.parametrize("seed", range(6))
def test_a_consumer_in_a_long_poll_notices_a_silent_leader_in_time(seed):
    lab = Lab(brokers=1, seed=seed)
    lab.create_topic("orders")
    consumer = KafkaConsumer(
        lab,
        {"request.timeout.ms": 4_000, "auto.offset.reset": "earliest", "enable.auto.commit": False},
        name="reader",
    )
    consumer.assign([TopicPartition("orders", 0)])
    consumer.poll(timeout_ms=3_000)
    lab.broker(0).delay("FETCH", 600_000)
    began_ms = lab.now_ms
    consumer.poll(timeout_ms=40_000)
    fetches = [
        event.at_ms
        for event in lab.journal.of("request.sent")
        if event.api == "FETCH" and event.at_ms >= began_ms
    ]
    gaps = [later - earlier for earlier, later in itertools.pairwise(fetches)]
    assert len(fetches) > 7 and max(gaps) <= 4_000 + LONGEST_BACK_OFF_MS, gaps


@pytest.mark.parametrize("seed", range(4))
def test_an_idle_socket_closes_at_its_limit_although_the_client_sleeps_in_steps_that_end_there(
    seed,
):
    """The limit is a multiple of request.timeout.ms, the longest sleep of a quiet producer;
    by default 540 s and 30 s."""
    lab = Lab(brokers=2, seed=seed)
    lab.create_topic("orders", leaders=[1])
    producer = KafkaProducer(
        lab,
        {
            "request.timeout.ms": 5_000,
            "delivery.timeout.ms": 20_000,
            "connections.max.idle.ms": 20_000,
            "linger.ms": 0,
            "enable.idempotence": False,
        },
        name="shop",
    )
    producer.send(ProducerRecord("orders", "tea")).get()
    lab.run_for(60_000)
    used = {}
    for kind in ("request.sent", "response.received"):
        for event in lab.journal.of(kind):
            if event.who == "shop":
                used[event.fields["socket"]] = max(event.at_ms, used.get(event.fields["socket"], 0))
    idle = [
        event.at_ms - used[event.fields["socket"]]
        for event in lab.journal.of("socket.closed")
        if event.fields["how"] == "idle"
    ]
    assert len(idle) == 2 and all(20_000 < ms < 20_100 for ms in idle), idle
