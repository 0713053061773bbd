"""Stories of chapters 05 and 06: when a record is safe, and what a transaction adds to a log."""

from __future__ import annotations

import re
from typing import Any

from kafkalab.clients.admin.values import OffsetSpec
from kafkalab.real.proof.claim import EitherLab, Side, kind_raised_by, polled, raised_by, story
from kafkalab.records import ProducerRecord, TopicPartition

FLOOR_2 = {"min.insync.replicas": 2}
GONE_WITHIN_MS = 60_000
ONE = TopicPartition("orders", 0)
BATCH_EPOCH = re.compile(r"producerEpoch (\d+) to batch")


def in_sync(lab: EitherLab) -> list[int]:
    """The in-sync replicas of partition 0."""
    return sorted(int(broker) for broker in lab.describe_topic("orders").isr.iloc[0])


def crash_and_wait(lab: EitherLab, broker: int) -> None:
    """Crash a broker and wait until the controller has noticed."""
    lab.broker(broker).crash()
    lab.run_until(lambda: broker not in in_sync(lab), timeout_ms=GONE_WITHIN_MS)
    lab.run_for(1_000)


@story(
    "05 acks",
    claims={
        "offsets": "The offsets that a producer is told with acks=0, 1 and all.",
        "in_the_log": "So many records are in the log then.",
    },
)
def acks(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=3)
    told = []
    for value in ("0", "1", "all"):
        producer = side.producer(lab, acks=value, enable_idempotence=False)
        told.append(producer.send(ProducerRecord("orders", "tea")).get().offset)
        producer.close()
    lab.run_for(500)
    return {"offsets": told, "in_the_log": int(lab.describe_topic("orders").high_watermark.iloc[0])}


@story(
    "05 a crash of the leader",
    claims={
        "before": "The in-sync replicas at first.",
        "after": "The in-sync replicas after the leader has crashed.",
        "leader": "The new leader.",
        "kept": "So many of five records with acks=all can be read then.",
        "back": "The in-sync replicas when the broker has started again.",
    },
)
def leader_crash(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    producer = side.producer(lab, acks="all", bootstrap_servers="localhost:9093")
    for number in range(5):
        producer.send(ProducerRecord("orders", str(number))).get()
    before = in_sync(lab)
    crash_and_wait(lab, 0)
    after, leader = in_sync(lab), lab.leader("orders", 0)
    reader = side.consumer(
        lab,
        bootstrap_servers="localhost:9093",
        auto_offset_reset="earliest",
        enable_auto_commit=False,
    )
    reader.assign([ONE])
    kept = len(polled(reader, lab, 5))
    lab.broker(0).restart()
    lab.run_until(lambda: len(in_sync(lab)) == 3, timeout_ms=GONE_WITHIN_MS)
    return {
        "before": before,
        "after": after,
        "leader": leader,
        "kept": kept,
        "back": in_sync(lab),
    }


@story(
    "05 below the floor",
    claims={
        "acks_all": "min.insync.replicas=2, one replica in sync: acks=all fails with this.",
        "acks_1": "acks=1 fails with this.",
        "in_sync": "The in-sync replicas then.",
    },
)
def below_the_floor(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=3, leaders=[0], config=FLOOR_2)
    crash_and_wait(lab, 1)
    crash_and_wait(lab, 2)
    found: dict[str, Any] = {"in_sync": in_sync(lab)}
    for key, value in (("acks_all", "all"), ("acks_1", "1")):
        producer = side.producer(lab, acks=value, enable_idempotence=False, retries=0)
        future = producer.send(ProducerRecord("orders", "tea"))
        found[key] = kind_raised_by(future.get)
        producer.close()
    return found


@story(
    "05 one above the floor",
    claims={"acks_all": "min.insync.replicas=2, two replicas in sync: acks=all fails with this."},
)
def one_above(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", replication_factor=3, leaders=[0], config=FLOOR_2)
    crash_and_wait(lab, 2)
    producer = side.producer(lab, acks="all", enable_idempotence=False, retries=0)
    return {"acks_all": kind_raised_by(producer.send(ProducerRecord("orders", "tea")).get)}


@story(
    "06 markers",
    brokers=1,
    releases=("2.8", "4.4"),
    claims={
        "committed": "Two records in a committed transaction end the log at this offset.",
        "aborted": "Two more in an aborted one end it at this offset.",
        "read_committed": "A reader of committed records gets these values.",
        "read_uncommitted": "Any other reader gets these.",
        "offsets": "The offsets of the committed ones.",
    },
)
def markers(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    producer = side.producer(lab, transactional_id="copier")
    producer.init_transactions()
    found: dict[str, Any] = {}
    admin = side.admin(lab)
    for key, end in (
        ("committed", producer.commit_transaction),
        ("aborted", producer.abort_transaction),
    ):
        producer.begin_transaction()
        for number in (1, 2):
            producer.send(ProducerRecord("orders", f"{key} {number}", partition=0)).get()
        end()
        lab.run_for(1_000)
        found[key] = admin.list_offsets({ONE: OffsetSpec.latest()}).all().get()[ONE].offset
    for level in ("read_committed", "read_uncommitted"):
        reader = side.consumer(
            lab,
            level,
            auto_offset_reset="earliest",
            enable_auto_commit=False,
            isolation_level=level,
        )
        reader.assign([ONE])
        records = polled(reader, lab, 4, timeout_ms=6_000)
        found[level] = [record.value for record in records]
        if level == "read_committed":
            found["offsets"] = [record.offset for record in records]
    return found


@story(
    "06 fencing",
    brokers=1,
    claims={
        "old": "A second producer with the transactional id makes the first one fail with this.",
        "no_id": "init_transactions() without a transactional.id fails with this.",
    },
)
def fencing(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    first = side.producer(lab, transactional_id="copier")
    first.init_transactions()
    first.begin_transaction()
    first.send(ProducerRecord("orders", "one")).get()
    second = side.producer(lab, transactional_id="copier")
    second.init_transactions()
    plain = side.producer(lab)
    return {
        "old": kind_raised_by(first.commit_transaction),
        "no_id": raised_by(plain.init_transactions),
    }


@story(
    "06 epochs",
    brokers=1,
    releases=("2.8", "3.9", "4.0", "4.4"),
    claims={
        "epochs": "Two starts of a program with three transactions each: the epochs of its "
        "batches, counted from the first."
    },
)
def epochs(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    for _ in range(2):
        producer = side.producer(lab, transactional_id="copier")
        producer.init_transactions()
        for number in range(3):
            producer.begin_transaction()
            producer.send(ProducerRecord("orders", str(number))).get()
            producer.commit_transaction()
        producer.close()
    seen = {int(epoch) for epoch in BATCH_EPOCH.findall("\n".join(lab.lines().message))}
    return {"epochs": [epoch - min(seen) for epoch in sorted(seen)]}
