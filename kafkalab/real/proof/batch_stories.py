"""Stories of chapter 04: partitions of keys, batches and their sizes."""

from __future__ import annotations

from typing import Any

from kafkalab.real.proof.claim import Side, polled, story
from kafkalab.records import ProducerRecord, TopicPartition
from kafkalab.releases.lineage import CLIENT_NAMES

KEYS = ("alice", "bob", "carol", "dave", "订单", "naïve", "", "k-1", "k-2", "k-3")
FIRST_MS = 1_700_000_000_000
"""Records have fixed times, because a batch holds the differences of times in few or many bytes."""


@story(
    "04 keys",
    releases=CLIENT_NAMES,
    brokers=1,
    claims={
        "six": f"Keys of six partitions ({', '.join(KEYS[:6])}, ...) go to these partitions.",
        "five": "The same keys with five partitions.",
    },
)
def keys(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("six", partitions=6)
    lab.create_topic("five", partitions=5)
    producer = side.producer(lab, linger_ms=50)
    sent = {
        topic: [producer.send(ProducerRecord(topic, "v", key=key)) for key in KEYS]
        for topic in ("six", "five")
    }
    return {topic: [f.get().partition for f in futures] for topic, futures in sent.items()}


@story(
    "04 batches",
    releases=CLIENT_NAMES,
    brokers=1,
    claims={
        "partitions": "Nine records without a key at once go to so many partitions of three.",
        "records_in_a_request": "So many records are in a PRODUCE request on average.",
    },
)
def batches_without_keys(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=3)
    producer = side.producer(lab, linger_ms=1_000)
    producer.partitions_for("orders")
    futures = [producer.send(ProducerRecord("orders", "tea")) for _ in range(9)]
    partitions = {future.get().partition for future in futures}
    return {
        "partitions": len(partitions),
        "records_in_a_request": producer.metrics()["records-per-request-avg"],
    }


@story(
    "04 sizes",
    releases=CLIENT_NAMES,
    brokers=1,
    claims={
        "batch": "Ten records of 100 characters make a batch of so many bytes.",
        "record": "The client counts so many bytes for the largest record.",
    },
)
def sizes(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    producer = side.producer(lab, linger_ms=1_000, enable_idempotence=False)
    producer.partitions_for("orders")
    futures = [
        producer.send(ProducerRecord("orders", "x" * 100, key=f"k{n}", timestamp_ms=FIRST_MS + n))
        for n in range(10)
    ]
    for future in futures:
        future.get()
    metrics = producer.metrics()
    return {"batch": metrics["batch-size-avg"], "record": metrics["record-size-max"]}


@story(
    "04 batch.size",
    releases=CLIENT_NAMES,
    brokers=1,
    claims={
        "largest": "batch.size=500, records of 100 characters: the largest batch in bytes.",
        "alone": "A record of 2000 characters makes a batch of its own, of so many bytes.",
    },
)
def batch_size(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    lab.create_topic("large")
    producer = side.producer(lab, linger_ms=1_000, batch_size=500, enable_idempotence=False)
    producer.partitions_for("orders")
    futures = [
        producer.send(ProducerRecord("orders", "x" * 100, key=f"k{n}", timestamp_ms=FIRST_MS + n))
        for n in range(12)
    ]
    for future in futures:
        future.get()
    largest = producer.metrics()["batch-size-max"]
    producer.send(ProducerRecord("large", "y" * 2_000, timestamp_ms=FIRST_MS)).get()
    return {"largest": largest, "alone": producer.metrics()["batch-size-max"]}


@story(
    "04 new partition",
    brokers=1,
    claims={
        "latest": "A reader with latest that finds a new partition late reads so many of five.",
        "earliest": "A reader with earliest reads so many.",
    },
)
def new_partition(side: Side) -> dict[str, Any]:
    return {policy: _read_of_new_partition(side, policy) for policy in ("latest", "earliest")}


def _read_of_new_partition(side: Side, policy: str) -> int:
    from kafkalab.clients.admin.values import NewPartitions

    lab = side.lab()
    lab.create_topic("orders")
    reader = side.consumer(
        lab, group_id="billing", auto_offset_reset=policy, metadata_max_age_ms=5_000
    )
    reader.subscribe(["orders"])
    polled(reader, lab, 1, timeout_ms=6_000)
    admin = side.admin(lab)
    admin.create_partitions({"orders": NewPartitions.increase_to(2)}).all().get()
    lab.run_for(500)
    producer = side.producer(lab)
    producer.partitions_for("orders")
    for number in range(5):
        producer.send(ProducerRecord("orders", str(number), partition=1)).get()
    return len(polled(reader, lab, 5, timeout_ms=12_000))


@story(
    "04 order in a partition",
    brokers=1,
    claims={
        "values": "A reader gets the records of one partition in the order of sending.",
        "offsets": "Their offsets are these.",
    },
)
def order(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    producer = side.producer(lab)
    for number in range(8):
        producer.send(ProducerRecord("orders", str(number), partition=1))
    producer.flush()
    reader = side.consumer(lab, auto_offset_reset="earliest", enable_auto_commit=False)
    reader.assign([TopicPartition("orders", 1)])
    records = polled(reader, lab, 8)
    return {
        "values": [record.value for record in records],
        "offsets": [record.offset for record in records],
    }
