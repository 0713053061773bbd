"""What if every broker a client knows is gone, or its metadata
is? And who tells it of a new leader?"""

import pytest

from kafkalab import KafkaProducer, ProducerRecord
from kafkalab.tests.clients.stories import cluster

TWO = "localhost:9092,localhost:9093"


def said(lab, words):
    lines = lab.lines("shop")
    return list(lines[lines.message.str.contains(words, regex=False)].message)


def producer_whose_cluster_moves(version, **config):
    """A producer that has come to know three brokers; all of them go down for a while."""
    lab = cluster(version, seed=2)
    lab.create_topic("t", 1, leaders=[2])
    producer = KafkaProducer(
        lab, {"bootstrap.servers": TWO, "delivery.timeout.ms": 300_000, **config}, name="shop"
    )
    producer.send(ProducerRecord("t", "one")).get()
    for broker in range(3):
        lab.broker(broker).crash()
    lab.run_for(5_000)
    return lab, producer


@pytest.mark.parametrize(
    ("version", "config", "begins_again"),
    [
        ("3.6", {}, False),
        ("3.9", {}, False),
        ("3.9", {"metadata.recovery.strategy": "rebootstrap"}, True),
        ("4.0", {}, True),
        ("4.4", {"metadata.recovery.strategy": "none"}, False),
    ],
)
def test_when_no_known_broker_can_be_asked_newer_clients_begin_again(version, config, begins_again):
    """KIP-899: none in 3.x unless asked for, the default since 4.0."""
    lab, _ = producer_whose_cluster_moves(version, **config)
    told = said(lab, "Rebootstrapping with [localhost/127.0.0.1:9092, localhost/127.0.0.1:9093]")
    assert bool(told) == begins_again
    last = lab.sockets("shop")[-1].node_id
    assert (int(last) < 0) == begins_again


def test_it_finds_its_cluster_again():
    lab, producer = producer_whose_cluster_moves("4.0")
    for broker in range(3):
        lab.broker(broker).restart()
    lab.run_for(20_000)
    assert producer.send(ProducerRecord("t", "two")).get().offset == 1


def test_metadata_that_does_not_come_is_a_reason_too():
    """KIP-1102: brokers that stand still answer nothing, but their sockets are open."""
    lab = cluster("4.0", seed=2)
    lab.create_topic("t", 1)
    KafkaProducer(
        lab,
        {
            "bootstrap.servers": TWO,
            "metadata.max.age.ms": 1_000,
            "request.timeout.ms": 3_000,
            "metadata.recovery.rebootstrap.trigger.ms": 8_000,
        },
        name="shop",
    )
    lab.run_for(3_000)
    for broker in range(3):
        lab.broker(broker).pause(ms=30_000)
    lab.run_for(6_000)
    assert not said(lab, "Rebootstrapping")
    lab.run_for(12_000)
    assert said(lab, "Rebootstrapping")
    lab.run_for(40_000)
    assert said(lab, "Updated cluster metadata")[-1].startswith("[Producer clientId=")


@pytest.mark.parametrize(("version", "learns"), [("3.6", False), ("3.9", True), ("4.4", True)])
def test_an_answer_may_name_the_new_leader(version, learns):
    """KIP-951: NOT_LEADER_OR_FOLLOWER comes with the leader's name,
    and the batch goes there at once, without its backoff."""
    lab = cluster(version, seed=1)
    lab.create_topic("t", 1, replication_factor=3, leaders=[0])
    config = {"acks": "1", "retry.backoff.ms": 2_000} | (
        {"retry.backoff.max.ms": 2_000} if learns else {}
    )
    producer = KafkaProducer(lab, config, name="shop")
    producer.send(ProducerRecord("t", "one")).get()
    lab.cluster.set_leader("t", 0, 1)
    lab.run_for(200)
    sent_ms = lab.now_ms
    producer.send(ProducerRecord("t", "two")).get()
    assert (lab.now_ms - sent_ms < 1_000) == learns
    assert bool(said(lab, "For t-0 leader was updated.")) == learns
