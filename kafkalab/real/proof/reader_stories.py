"""Stories of chapters 05, 14 and 15: what readers see of a log whose followers are late."""

from __future__ import annotations

from typing import Any

from kafkalab.real.proof.claim import EitherLab, Side, polled, settled, story
from kafkalab.records import ProducerRecord, TopicPartition

ONE = TopicPartition("orders", 0)
LAST = "localhost:9094"
RACK_AWARE = "org.apache.kafka.common.replica.RackAwareReplicaSelector"


def sleep_followers(lab: EitherLab, ms: int) -> None:
    """Brokers 1 and 2 stand still for so long."""
    for follower in (1, 2):
        lab.broker(follower).pause(ms)


@story(
    "14 five orders",
    claims={
        "told": "Both followers stop, acks=1: so many of five orders are told as written at once.",
        "early": "A reader gets so many of them within three seconds.",
        "late": "It gets so many when the followers run again.",
    },
)
def five_orders(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    shop = side.producer(lab, acks="1", linger_ms=0, enable_idempotence=False)
    reader = side.consumer(lab, auto_offset_reset="earliest", enable_auto_commit=False)
    reader.assign([ONE])
    shop.send(ProducerRecord("orders", "order 0")).get()
    polled(reader, lab, 1)
    sleep_followers(lab, 5_000)
    told = [shop.send(ProducerRecord("orders", f"order {n}")).get().offset for n in range(1, 6)]
    return {
        "told": len(told),
        "early": len(polled(reader, lab, 5, timeout_ms=3_000)),
        "late": len(polled(reader, lab, 5, timeout_ms=10_000)),
    }


@story(
    "14 a follower that lacks many",
    claims={
        "in_sync": "A follower stops for four seconds and lacks 300 records: so many replicas of "
        "two are in sync.",
        "late": "So many are in sync when it has stopped for longer than "
        "replica.lag.time.max.ms, 15 s here.",
    },
    broker_config={"replica.lag.time.max.ms": 15_000, "broker.session.timeout.ms": 90_000},
)
def late_follower(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=2, leaders=[0])
    shop = side.producer(lab, acks="1", enable_idempotence=False)
    shop.send(ProducerRecord("orders", "first")).get()
    lab.run_for(1_000)

    def in_sync() -> int:
        return len(lab.describe_topic("orders").isr.iloc[0])

    lab.broker(1).pause(60_000)
    for _ in range(300):
        future = shop.send(ProducerRecord("orders", "tea"))
    future.get()
    lab.run_for(3_000)
    found = {"in_sync": in_sync()}
    lab.run_until(lambda: in_sync() == 1, timeout_ms=45_000)
    return {**found, "late": in_sync()}


@story(
    "14 two racks",
    racks={0: "a", 1: "b", 2: "c"},
    broker_config={"replica.selector.class": RACK_AWARE},
    releases=("2.8", "3.9", "4.4"),
    claims={
        "brokers": "Broker 0 leads, and the reader is in the rack of broker 1: most of its FETCH "
        "go to this broker.",
        "read": "It reads so many of five.",
        "without": "A reader without client.rack sends them to this one.",
    },
)
def two_racks(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    shop = side.producer(lab)
    for number in range(5):
        shop.send(ProducerRecord("orders", str(number))).get()
    found: dict[str, Any] = {}
    for name, rack in (("brokers", "b"), ("without", "")):
        reader = side.consumer(
            lab,
            name,
            client_rack=rack,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
        )
        reader.assign([ONE])
        read = len(polled(reader, lab, 5))
        settled(lab, [reader], 5_000)
        asked = lab.table("request.sent").query(f"who == {name!r} and api == 'FETCH'")
        found[name] = int(asked.node_id.astype(int).mode()[0])
        if rack:
            found["read"] = read
    return found


@story(
    "05 twenty orders",
    releases=("3.9",),
    claims={
        "acks_1": "The followers sleep, and the leader crashes a second after twenty orders: with "
        "acks=1 so many are left.",
        "acks_all": "With acks=all so many are left.",
    },
)
def twenty_orders(side: Side) -> dict[str, Any]:
    lab, found = side.lab(), {}
    for key, acks in (("acks_1", "1"), ("acks_all", "all")):
        lab.create_topic(key, replication_factor=3, leaders=[0])
        shop = side.producer(lab, acks=acks, bootstrap_servers=LAST, linger_ms=0)
        shop.partitions_for(key)
        sleep_followers(lab, 5_500)
        lab.run_for(1_000)  # the leader answers the fetches that have come before
        for number in range(20):
            shop.send(ProducerRecord(key, f"order {number}"))
            lab.run_for(10)
        lab.run_for(1_000)
        lab.broker(0).crash()
        lab.run_for(30_000)
        found[key] = int(lab.describe_topic(key).high_watermark.iloc[0])
        lab.broker(0).restart()
        lab.run_for(15_000)
    return found


@story(
    "05 acks by default",
    releases=("2.3", "2.8", "3.9", "4.4"),
    claims={"waits": "Both followers sleep: a record with default settings waits for them."},
)
def default_acks(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    shop = side.producer(lab)
    shop.send(ProducerRecord("orders", "first")).get()
    lab.run_for(2_000)
    sleep_followers(lab, 5_000)
    future = shop.send(ProducerRecord("orders", "second"))
    lab.run_for(2_000)
    found = {"waits": not future.done()}
    lab.run_for(8_000)
    return found


@story(
    "15 one I/O thread",
    broker_config={"num.io.threads": 1},
    releases=("2.8", "4.4"),
    claims={
        "waiting": "Both followers sleep, and acks=all waits for them: this record is answered "
        "after two seconds.",
        "other": "Another record, for a log without followers, is answered in that time.",
        "late": "The first one is answered when the followers run again.",
    },
)
def one_thread(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    lab.create_topic("alone", leaders=[0])
    shop, kiosk = side.producer(lab, acks="all"), side.producer(lab, acks="1")
    shop.send(ProducerRecord("orders", "first")).get()
    kiosk.send(ProducerRecord("alone", "first")).get()
    lab.run_for(2_000)
    sleep_followers(lab, 6_000)
    waiting = shop.send(ProducerRecord("orders", "second"))
    other = kiosk.send(ProducerRecord("alone", "second"))
    lab.run_for(2_000)
    found = {"waiting": waiting.done(), "other": other.done()}
    lab.run_for(10_000)
    return {**found, "late": waiting.done()}
