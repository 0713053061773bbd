"""Stories of a broker's disk: it is full, it is slow."""

import pytest

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.errors import KafkaException
from kafkalab.records import OffsetAndMetadata

RELEASES = ("2.3", "4.4")
CLIENT = {"2.3": "2.3", "4.4": "3.9"}


def a_lab(release, brokers=3):
    lab = Lab(brokers, 3, version=CLIENT[release], broker_version=release)
    lab.create_topic("orders", replication_factor=brokers, leaders=[0])
    return lab


def a_shop(lab, acks="all"):
    return KafkaProducer(
        lab, {"acks": acks, "enable.idempotence": False, "linger.ms": 0}, name="shop"
    )


def sent_in_ms(lab, shop, value="tea"):
    begun_ms = lab.now_ms
    shop.send(ProducerRecord("orders", value=value)).get()
    return lab.now_ms - begun_ms


def down(lab, broker):
    return [event.how for event in lab.journal.of("broker.down") if event.who == f"broker-{broker}"]


@pytest.mark.parametrize("release", RELEASES)
def test_an_idle_broker_with_a_full_disk_halts_at_its_next_checkpoint(release):
    lab = a_lab(release)
    sent_in_ms(lab, a_shop(lab))
    lab.broker(1).disk.fill()
    lab.run_for(5_000)
    assert down(lab, 1) == ["halt: all log directories have failed"]
    lab.broker(1).restart()
    lab.run_for(60_000)
    assert down(lab, 1) == ["halt: all log directories have failed"] * 2, "a restart makes no room"
    lab.broker(1).disk.free()
    lab.broker(1).restart()
    assert lab.run_until(lambda: 1 in lab.cluster.partition("orders", 0).isr, timeout_ms=60_000)


@pytest.mark.parametrize("release", RELEASES)
def test_a_commit_that_cannot_be_written_is_not_acknowledged(release):
    lab = a_lab(release, brokers=1)
    consumer = KafkaConsumer(
        lab, {"group.id": "g", "enable.auto.commit": False, "default.api.timeout.ms": 3_000}
    )
    place = TopicPartition("orders", 0)
    consumer.assign([place])
    consumer.commit_sync({place: OffsetAndMetadata(3)})
    lab.broker(0).disk.fill()
    with pytest.raises(KafkaException):
        consumer.commit_sync({place: OffsetAndMetadata(4)})
    assert down(lab, 0) == ["halt: all log directories have failed"]
    lab.broker(0).disk.free()
    lab.broker(0).restart()
    assert lab.run_until(lambda: lab.broker(0).is_up, timeout_ms=60_000)
    assert consumer.committed([place])[place].offset == 3


@pytest.mark.parametrize("release", RELEASES)
def test_an_assignment_that_cannot_be_written_is_nobodys(release):
    """The next coordinator does not know its generation, and may give the partition to another."""
    lab = a_lab(release)
    lab.place_coordinator("billing", 1)
    bo = KafkaConsumer(lab, {"group.id": "billing"}, name="bo")
    bo.subscribe(["orders"])
    lab.spawn(lambda _: [bo.poll(timeout_ms=100) for _ in range(300)])

    def asks():
        return [one for one in lab.journal.of("request.sent") if one.api == "SYNC_GROUP"]

    assert lab.run_until(lambda: bool(asks()), timeout_ms=10_000)
    lab.broker(1).disk.fill()
    lab.run_for(50)
    assert down(lab, 1) == ["halt: all log directories have failed"]
    assert not list(lab.journal.of("assignment"))
    assert lab.run_until(lambda: any(lab.journal.of("assignment")), timeout_ms=29_000)
    *_, last = lab.journal.of("group.assigned")
    assert last.who != "broker-1"


@pytest.mark.parametrize("release", RELEASES)
def test_a_full_disk_leaves_a_log_as_it_was_when_it_is_compacted(release):
    lab = Lab(1, 3, version=CLIENT[release], broker_version=release)
    lab.create_topic(
        "prices",
        config={"cleanup.policy": "compact", "segment.ms": 1_000, "min.cleanable.dirty.ratio": 0},
    )
    shop = a_shop(lab)
    for price in ("1", "2", "3"):
        shop.send(ProducerRecord("prices", value=price, key="tea")).get()
        lab.run_for(1_500)
    replicas = lab.broker(0).machine.replicas
    before = replicas.log_of("prices", 0).batches()
    replicas.disk.fill(lab.now_ms)
    lab.broker(0).machine.do(replicas.logs.on_timer(("cleaner",), lab.now_ms))
    lab.run_for(1)
    assert down(lab, 0) == ["halt: all log directories have failed"]
    assert replicas.log_of("prices", 0).batches() == before


@pytest.mark.parametrize("release", RELEASES)
def test_a_slow_disk_of_the_leader_delays_the_answer_and_nobody_elses(release):
    lab = a_lab(release)
    shop = a_shop(lab, acks="1")
    sent_in_ms(lab, shop)
    usual_ms = sent_in_ms(lab, shop)
    lab.broker(1).disk.slow(300)
    assert sent_in_ms(lab, shop) <= usual_ms + 5, "acks=1 does not wait for a follower"
    lab.broker(0).disk.slow(300)
    assert usual_ms + 290 <= sent_in_ms(lab, shop) <= usual_ms + 310
    lab.broker(0).disk.slow(0)
    assert sent_in_ms(lab, shop) <= usual_ms + 5


@pytest.mark.parametrize("release", RELEASES)
def test_a_slow_disk_of_a_follower_delays_acks_all_until_the_isr_shrinks(release):
    lab = a_lab(release)
    shop = a_shop(lab)
    sent_in_ms(lab, shop)
    lab.broker(1).disk.slow(300)
    assert 290 <= sent_in_ms(lab, shop) <= 330
    lab.broker(1).disk.slow(100_000)
    shop.send(ProducerRecord("orders", value="milk"))
    assert lab.run_until(lambda: 1 not in lab.cluster.partition("orders", 0).isr, timeout_ms=60_000)
    assert sent_in_ms(lab, shop) <= 20, "nobody waits for it any more"


@pytest.mark.parametrize("release", RELEASES)
def test_a_commit_waits_for_a_slow_disk(release):
    lab = a_lab(release, brokers=1)
    consumer = KafkaConsumer(lab, {"group.id": "g", "enable.auto.commit": False})
    place = TopicPartition("orders", 0)
    consumer.assign([place])
    consumer.commit_sync({place: OffsetAndMetadata(3)})
    lab.broker(0).disk.slow(400)
    begun_ms = lab.now_ms
    consumer.commit_sync({place: OffsetAndMetadata(4)})
    assert 390 <= lab.now_ms - begun_ms <= 420


def test_slow_takes_whole_milliseconds():
    lab = a_lab("4.4", brokers=1)
    for wrong in (-1, 0.5, True, "300"):
        with pytest.raises(ValueError, match="whole number of milliseconds"):
            lab.broker(0).disk.slow(wrong)


def values(lab, broker):
    log = lab.broker(broker).machine.replicas.replica(("orders", 0)).log
    return [record.value for batch in log.batches() for record in batch.records]


def up_again(lab, *brokers):
    for broker in brokers:
        lab.broker(broker).restart()
    partition = lab.cluster.partition("orders", 0)
    assert lab.run_until(
        lambda: partition.leader >= 0 and set(brokers) <= set(partition.isr), timeout_ms=90_000
    )
    lab.run_for(2_000)


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize(
    ("how", "left"),
    [
        ("crash", ["tea", "milk"]),
        ("stop", ["tea", "milk"]),
        ("power_loss", ["tea"]),
    ],
)
def test_without_power_a_lone_replica_loses_the_last_half_minute(release, how, left):
    lab = a_lab(release, brokers=1)
    shop = a_shop(lab)
    sent_in_ms(lab, shop, "tea")
    lab.run_for(36_000)
    sent_in_ms(lab, shop, "milk")
    getattr(lab.broker(0), how)()
    lab.run_for(1_000)
    if how == "stop":
        lab.broker(0).power_loss()  # an orderly stop has flushed
    up_again(lab, 0)
    assert values(lab, 0) == left
    assert lab.at(lab.now_ms)["partitions"]["orders-0"]["logs"][0]["log_end_offset"] == len(left)
    sent_in_ms(lab, shop, "bread")
    assert values(lab, 0) == [*left, "bread"]


@pytest.mark.parametrize("release", RELEASES)
def test_what_all_replicas_have_survives_the_power_of_one_and_not_that_of_all(release):
    lab = a_lab(release)
    shop = a_shop(lab)
    sent_in_ms(lab, shop, "tea")
    lab.run_for(1_000)
    lab.broker(0).power_loss()
    assert values(lab, 0) == []
    assert lab.run_until(lambda: lab.cluster.partition("orders", 0).leader > 0, timeout_ms=60_000)
    up_again(lab, 0)
    assert [values(lab, broker) for broker in range(3)] == [["tea"]] * 3, "it was copied back"
    lab.run_for(40_000)
    sent_in_ms(lab, shop, "milk")
    for broker in range(3):
        lab.broker(broker).power_loss()
    up_again(lab, 0, 1, 2)
    assert [values(lab, broker) for broker in range(3)] == [["tea"]] * 3, "acks=all is no flush"


def test_a_rolled_segment_is_on_the_disk():
    lab = Lab(1, 3, version="3.9")
    lab.create_topic("orders", config={"internal.segment.bytes": 100})
    shop = a_shop(lab)
    for value in ("tea", "milk", "bread"):
        sent_in_ms(lab, shop, value)
    lab.broker(0).power_loss()
    assert values(lab, 0) == ["tea", "milk"]


def test_a_commit_is_lost_with_the_power_too():
    lab = a_lab("4.4", brokers=1)
    consumer = KafkaConsumer(lab, {"group.id": "g", "enable.auto.commit": False})
    place = TopicPartition("orders", 0)
    consumer.assign([place])
    consumer.commit_sync({place: OffsetAndMetadata(3)})
    lab.run_for(36_000)
    consumer.commit_sync({place: OffsetAndMetadata(4)})
    lab.broker(0).power_loss()
    lab.broker(0).restart()
    assert lab.run_until(lambda: lab.broker(0).is_up, timeout_ms=60_000)
    assert consumer.committed([place])[place].offset == 3


def test_power_loss_is_refused_where_a_new_group_would_outlive_it():
    lab = Lab(1, 3, version="4.4")
    lab.create_topic("orders")
    consumer = KafkaConsumer(lab, {"group.id": "g", "group.protocol": "consumer"})
    consumer.subscribe(["orders"])
    consumer.poll(3_000)
    with pytest.raises(ValueError, match="coordinates the group 'g' of the new consumer protocol"):
        lab.broker(0).power_loss()
    assert lab.broker(0).is_up
