"""A learner's own rule in a producer: with Kafka's rule the run is Kafka's, byte for byte."""

import pytest

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.errors import IllegalArgumentException


def silent_shop(version, **rule):
    """A shop that is silent after half a minute; its connections go idle."""
    lab = Lab(brokers=3, seed=4, version=version, broker_version="2.3")
    lab.create_topic("orders", partitions=3, leaders=[0, 1, 2])
    producer = KafkaProducer(lab, {"connections.max.idle.ms": 20_000}, name="shop", **rule)
    for number in range(9):
        producer.send(ProducerRecord("orders", partition=number % 3, value="tea"))
        lab.run_for(ms=3_000)
    lab.run_for(ms=150_000)
    lab.close()
    return lab


def busy_shop(version, in_flight, **rule):
    """A shop whose broker answers late; batches wait, and a broker crashes."""
    lab = Lab(brokers=2, seed=5, version=version)
    lab.create_topic("orders", partitions=6, leaders=[0, 1, 0, 1, 0, 0], replication_factor=2)
    settings = {
        "linger.ms": 20,
        "batch.size": 400,
        "max.request.size": 900,
        "max.in.flight.requests.per.connection": in_flight,
        "enable.idempotence": False,
        "retries": 5,
    }
    producer = KafkaProducer(lab, settings, name="shop", **rule)
    lab.broker(0).delay("PRODUCE", ms=40)
    for number in range(120):
        value = "x" * (40 + 37 * number % 300)
        producer.send(ProducerRecord("orders", partition=number * 7 % 6, value=value))
        lab.run_for(ms=number % 5)
        if number == 60:
            lab.broker(1).crash()
            lab.run_for(ms=4_000)
    lab.run_for(ms=5_000)
    lab.close()
    return lab


def kafkas_closer(connections, now_ms, limit_ms):
    oldest = min(connections, key=lambda each: each.last_used_ms)
    return oldest if 0 <= limit_ms < now_ms - oldest.last_used_ms else None


def kafkas_request(waiting, in_flight, limits):
    able = [each for each in waiting if not each.muted and not each.backs_off]
    is_due = any(each.is_full or each.waited_ms >= limits.linger_ms for each in able)
    if in_flight >= limits.max_in_flight or not is_due:
        return []
    taken, size = [], 0
    for each in able:
        if taken and size + each.bytes > limits.max_request_size:
            break
        taken.append(each)
        size += each.bytes
    return taken


WALK = ("BATCH_LEADER_KEPT", "BATCH_LEADER_UPDATED", "BATCH_NOT_BACKED_OFF", "BATCH_BACKED_OFF")
"""Lines of Kafka's own walk through the batches, which a learner's rule replaces."""


def told(lab):
    """All lines of all machines, and what was written where."""
    lines = [
        (event.at_ms, event.who, event.message)
        for event in lab.journal.of("line")
        if event.name not in WALK
    ]
    return lines, [
        (event.at_ms, event.who, event.partition, event.base_offset)
        for event in lab.journal.of("record.appended")
    ]


@pytest.mark.parametrize("version", ["2.3", "3.9"])
def test_an_idle_closer_with_kafkas_rule_closes_as_kafka(version):
    own = silent_shop(version, idle_closer=kafkas_closer)
    assert sum(socket.how == "idle" for socket in own.sockets()) >= 4
    assert told(own) == told(silent_shop(version))


@pytest.mark.parametrize("in_flight", [1, 2, 5])
def test_a_drain_with_kafkas_rule_sends_as_kafka(in_flight):
    own = busy_shop("3.9", in_flight, next_request=kafkas_request)
    assert len([e for e in own.journal.of("request.sent") if e.api == "PRODUCE"]) > 10
    assert told(own) == told(busy_shop("3.9", in_flight))


@pytest.mark.parametrize(
    "rule, answer, says",
    [
        ("idle_closer", lambda *_: 77, "idle_closer returned 77"),
        ("next_request", lambda *_: [9], "next_request returned 9"),
        ("next_request", lambda *_: None, "a list, \\[\\] for no request"),
    ],
)
def test_an_answer_that_is_none_of_the_given_is_refused(rule, answer, says):
    with pytest.raises(ValueError, match=says):
        silent_shop("3.9", **{rule: answer})


def test_a_rule_is_a_function():
    with pytest.raises(IllegalArgumentException, match="idle_closer is a function"):
        KafkaProducer(Lab(), {}, idle_closer=3)
