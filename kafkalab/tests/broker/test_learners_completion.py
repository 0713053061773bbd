"""A learner's rule for the purgatories: Kafka's own rule as a function changes nothing."""

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.errors import NotEnoughReplicasException


def kafkas(request, state):
    """DelayedProduce.tryComplete and DelayedFetch.tryComplete."""
    if not all(state[place].is_leader for place in request.needs):
        return True
    if request.kind == "PRODUCE":
        return all(state[place].high_watermark >= end for place, end in request.needs.items())
    return sum(state[place].bytes_readable for place in request.needs) >= request.min_bytes


def story(rule, seed, follower_stops_ms=300, leader_dies=False):
    """Two shops and a reader of two partitions; a follower stops for a while."""
    lab = Lab(brokers=3, seed=seed, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=2, replication_factor=2, leaders=[0, 0])
    if rule:
        for broker in range(3):
            lab.broker(broker).complete_by(rule)
    lab.broker(0).time_requests()
    shop = KafkaProducer(lab, {"acks": "all", "enable.idempotence": False}, name="shop")
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="ada")
    reader.assign([TopicPartition("orders", 0), TopicPartition("orders", 1)])
    lab.spawn(lambda lab: [reader.poll(timeout_ms=100) for _ in range(60)], name="reading")
    for number in range(4):
        shop.send(ProducerRecord("orders", value="tea", partition=number % 2)).get()
    lab.broker(1).pause(follower_stops_ms)
    lab.broker(2).pause(follower_stops_ms)
    futures = [
        shop.send(ProducerRecord("orders", value="tea", partition=place)) for place in (0, 1)
    ]
    if leader_dies:
        lab.run_for(ms=100)
        lab.broker(0).crash()
    lab.run_for(ms=5_000)
    ends = [
        (event.kind, event.at_ms, event.who)
        for event in lab.journal.events
        if event.kind in ("record.completed", "record.delivered")
    ]
    return ends, lab.broker(0).request_times(), futures


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("leader_dies", [False, True])
def test_kafkas_rule_as_a_function_changes_nothing(seed, leader_dies):
    own, given = (
        story(None, seed, leader_dies=leader_dies),
        story(kafkas, seed, leader_dies=leader_dies),
    )
    assert own[:2] == given[:2]


def test_what_is_never_completed_is_answered_at_its_time_out():
    _, times, _ = story(lambda request, state: request.kind == "PRODUCE", seed=1)
    waits = [row["remote_ms"] for row in times if row["api"] == "FETCH"]
    assert waits and min(waits) > 495, "fetch.max.wait.ms"


def test_who_completes_at_once_acknowledges_what_nobody_else_has():
    _, times, futures = story(lambda request, state: True, seed=1, follower_stops_ms=4_000)
    assert [future.get(timeout_ms=100).offset for future in futures] == [2, 2]
    assert max(row["remote_ms"] for row in times) == 0


def test_a_rule_that_says_nothing_is_told_so():
    with pytest.raises(ValueError, match="returns True or False; the rule returned None"):
        story(lambda request, state: None, seed=1)


def test_a_rule_is_not_asked_about_a_produce_that_failed_everywhere():
    """Kafka answers it without a look into the purgatory: there is no partition to wait for."""
    asked = []

    def rule(request, state):
        asked.append(request)
        return kafkas(request, state)

    lab = Lab(brokers=2, seed=1)
    needs_two = {"min.insync.replicas": 2}
    lab.create_topic("orders", replication_factor=2, leaders=[0], config=needs_two)
    lab.broker(1).crash()
    lab.run_for(ms=60_000)
    lab.broker(0).complete_by(rule)
    settings = {"acks": "all", "retries": 0, "enable.idempotence": False}
    shop = KafkaProducer(lab, settings, name="shop")
    sent = shop.send(ProducerRecord("orders", value="tea"))
    with pytest.raises(NotEnoughReplicasException):
        sent.get(timeout_ms=2_000)
    assert asked == []
