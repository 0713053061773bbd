"""Stories of a broker's server.log: what it says of each step, in the words of its release."""

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.errors import IllegalArgumentException


def a_lab(release, **how):
    lab = Lab(brokers=3, seed=5, version=release, broker_version=release, **how)
    lab.create_topic("orders", partitions=2, replication_factor=3)
    lab.place_coordinator("shop", 0)
    return lab


def member(lab, name, until_ms, start_ms=0):
    lab.sleep(start_ms)
    config = {"group.id": "shop", "client.id": name, "session.timeout.ms": 6_000}
    consumer = KafkaConsumer(lab, config, name=name)
    consumer.subscribe(["orders"])
    while lab.now_ms < until_ms:
        consumer.poll(timeout_ms=300)
    consumer.close()


def kinds(lab, broker):
    return list(lab.broker_lines(broker)["event"])


@pytest.mark.parametrize("release", ["2.3", "4.4"])
def test_a_member_comes_fails_and_the_group_is_empty(release):
    lab = a_lab(release)
    lab.spawn(member, "steady", 30_000, name="steady")
    lab.spawn(member, "lost", 90_000, 6_000, name="lost")
    lab.run_for(ms=12_000)
    lab.kill("lost")
    lab.run_for(ms=30_000)
    lab.close()
    told = [kind for kind in kinds(lab, 0) if kind not in ("GROUP_MEMBER_ID_GIVEN",)]
    told = [kind for kind in told if kind != "GROUP_PENDING_MEMBER_JOINS"]
    round_of = ["GROUP_PREPARING_REBALANCE", "GROUP_STABILIZED", "GROUP_ASSIGNMENT_RECEIVED"]
    assert told == [
        *round_of,
        *round_of,
        "GROUP_MEMBER_FAILED",
        *round_of,
        "GROUP_MEMBER_LEFT",
        "GROUP_PREPARING_REBALANCE",
        "GROUP_EMPTY",
    ]
    assert kinds(lab, 1) == kinds(lab, 2) == []


def test_the_words_are_the_releases():
    said = {}
    for release in ("2.3", "4.4"):
        lab = a_lab(release)
        lab.spawn(member, "inv", 5_000, name="inv")
        lab.run_for(ms=9_000)
        said[release] = lab.broker_lines(0).query("event == 'GROUP_STABILIZED'").iloc[0]
    assert said["2.3"].message == (
        "[GroupCoordinator 0]: Stabilized group shop generation 1 (__consumer_offsets-12)"
    )
    assert said["2.3"].text.endswith(" (kafka.coordinator.group.GroupCoordinator)\n")
    assert said["4.4"].message == (
        "[GroupCoordinator id=0 topic=__consumer_offsets partition=12] Stabilized group shop "
        "generation 1 with 1 members."
    )
    assert said["4.4"].text.startswith("[2026-01-05 09:00:03,")


def test_a_fenced_producers_heir_is_named_with_its_epoch():
    lab = a_lab("4.4")
    lab.place_transaction_coordinator("till", 2)
    for name in ("zombie", "heir"):
        config = {"transactional.id": "till", "client.id": name}
        producer = KafkaProducer(lab, config, name=name)
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(ProducerRecord("orders", value="1"))
        lab.run_for(ms=500)
    named = lab.broker_lines(2).query("event == 'TRANSACTIONAL_ID_INITIALIZED'")
    epochs = [int(text.split("epoch ")[1].split()[0]) for text in named.message]
    assert len(epochs) == 2 and epochs[0] < epochs[1]


@pytest.mark.parametrize(
    ("release", "kind"), [("2.3", "LOG_SEGMENT_SCHEDULED"), ("4.4", "LOG_SEGMENT_DELETED_BY_TIME")]
)
def test_segments_are_rolled_and_deleted_with_their_limit(release, kind):
    lab = a_lab(release, broker_config={"log.retention.check.interval.ms": 2_000})
    limits = {"segment.bytes": 1_048_576, "retention.ms": 20_000}
    lab.create_topic("big", leaders=[1], config=limits)
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="till")
    for _ in range(5):
        producer.send(ProducerRecord("big", value="x" * 400_000))
        lab.run_for(ms=500)
    lab.run_for(ms=60_000)
    told = kinds(lab, 1)
    rolled = lab.table("log.rolled")
    assert told.count("LOG_ROLLED") == len(rolled) > 0
    deleted = sum(len(names) for names in lab.table("log.deleted").segments)
    assert told.count(kind) == deleted > 0
    assert lab.broker_lines(1).query(f"event == '{kind}'").message.str.contains("big-0").all()


def test_lines_names_a_client_or_a_broker():
    lab = a_lab("4.4")
    assert lab.lines(broker=1).equals(lab.broker_lines(1))
    with pytest.raises(IllegalArgumentException, match="not both"):
        lab.lines("shop", broker=1)
    with pytest.raises(IllegalArgumentException, match="there is no broker 7"):
        lab.broker_lines(7)


def test_a_line_points_at_the_request_that_caused_it():
    lab = a_lab("4.4")
    lab.spawn(member, "inv", 5_000, name="inv")
    lab.run_for(ms=9_000)
    first = next(lab.broker(0).machine.server_log.lines())
    assert first.name == "GROUP_MEMBER_ID_GIVEN"
    assert lab.journal.events[first.cause].api == "JOIN_GROUP"
