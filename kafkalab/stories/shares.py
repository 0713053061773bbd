"""Prepares share groups for a chapter: a topic of jobs, and workers with a rule for each record.

A worker's loop is short and in the chapter. This module makes the lab, starts workers and counts
what became of the records.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.consumer.kafka_share_consumer import KafkaShareConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.lab import Lab
from kafkalab.records import ConsumerRecord, ProducerRecord

GROUP, TOPIC = "workers", "jobs"

Rule = Callable[[ConsumerRecord], str]
"""A record -> "accept", "release" or "reject"."""


def jobs(count: int, seed: int = 7, **settings: Any) -> Lab:
    """A lab of release 4.4 with one broker and one partition of jobs.

    settings: of the group, with underscores for dots: share_record_lock_duration_ms=15_000.
    """
    lab = Lab(1, seed=seed, version="4.4", broker_version="4.4")
    lab.create_topic(TOPIC)
    dotted = {name.replace("_", "."): value for name, value in settings.items()}
    lab.configure_group(GROUP, {"share.auto.offset.reset": "earliest", **dotted})
    producer = KafkaProducer(lab, {"client.id": "feeder"})
    for number in range(count):
        producer.send(ProducerRecord(TOPIC, key=f"job {number}", value="work")).get()
    producer.close()
    return lab


def worker(lab: Lab, name: str, **config: Any) -> KafkaShareConsumer:
    """A member of the share group that acknowledges each record itself."""
    consumer = KafkaShareConsumer(
        lab,
        {
            "client.id": name,
            "group.id": GROUP,
            "share.acknowledgement.mode": "explicit",
            "max.poll.records": 2,
            **config,
        },
        name=name,
    )
    consumer.subscribe([TOPIC])
    return consumer


def start_workers(
    lab: Lab, names: str, rule: Rule = lambda record: "accept", work_ms: int = 500
) -> None:
    """Start a worker for each name. It works on a record, says what the rule says, and polls."""

    def work(lab: Lab, name: str) -> None:
        consumer = worker(lab, name)
        while True:
            for record in consumer.poll(timeout_ms=2_000):
                lab.sleep(work_ms)
                consumer.acknowledge(record, rule(record))

    for name in names.split():
        lab.spawn(work, name, name=name)


def start_classic_workers(lab: Lab, names: str, work_ms: int = 500) -> None:
    """Start members of a classic group that do the same work. One of them owns the partition."""

    def work(lab: Lab, name: str) -> None:
        config = {"client.id": name, "group.id": "classic", "auto.offset.reset": "earliest"}
        consumer = KafkaConsumer(lab, {**config, "max.poll.records": 2}, name=name)
        consumer.subscribe([TOPIC])
        while True:
            for record in consumer.poll(timeout_ms=2_000):
                lab.sleep(work_ms)
                lab.journal.append("work", name, offset=record.offset)

    for name in names.split():
        lab.spawn(work, name, name=name)


def ends(lab: Lab) -> dict[str, int]:
    """How many records of the share group are in each end: accept, reject, delivery limit."""
    done = Counter(
        {
            why: sum(
                event.last_offset - event.first_offset + 1
                for event in lab.journal.of("share.records")
                if event.why == why and event.fields["state"] in ("Acknowledged", "Archived")
            )
            for why in ("accept", "reject", "delivery limit")
        }
    )
    return dict(+done)


def deliveries(lab: Lab) -> dict[int, int]:
    """Offset -> how often it was delivered."""
    times: Counter[int] = Counter()
    for event in lab.journal.of("share.records"):
        if event.why == "fetched":
            times.update(range(event.first_offset, event.last_offset + 1))
    return dict(sorted(times.items()))


def order_of_work(lab: Lab) -> list[int]:
    """The offsets in the order in which the share group accepted them."""
    return [
        offset
        for event in lab.journal.of("share.records")
        if event.why == "accept"
        for offset in range(event.first_offset, event.last_offset + 1)
    ]
