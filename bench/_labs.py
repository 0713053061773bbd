"""Builds the labs whose speed is measured: typical ones, warm, in default versions.

The journal and all lines of their clients are on.

    python -m bench._labs       measures all four in this process and prints one JSON object: lab ->
                                [seconds, requests, lines, others]
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import NamedTuple

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.records import TopicPartition


class Told(NamedTuple):
    """What a stretch of a lab's life moved: requests that were answered, lines that were kept,
    other events."""

    requests: int
    lines: int
    others: int


def told_since(lab: Lab, first: int) -> Told:
    """Counted in the journal, from event `first` on."""
    kinds = [kept[1] for kept in lab.journal.kept[first:]]
    lines = sum(type(kind) is not str for kind in kinds)
    return Told(kinds.count("response.received"), lines, len(kinds) - lines)


def _lab(partitions: int) -> Lab:
    lab = Lab(brokers=3, seed=7)
    lab.create_topic("orders", partitions=partitions)
    return lab


def _write(lab: Lab, name: str, pause_ms: int) -> None:
    producer = KafkaProducer(lab, {"client.id": name}, name=name)
    number = 0
    while True:
        producer.send(ProducerRecord("orders", key=str(number % 100), value="tea"))
        number += 1
        lab.sleep(pause_ms)


def _read(lab: Lab, name: str, group: str) -> None:
    consumer = KafkaConsumer(lab, {"client.id": name, "group.id": group}, name=name)
    consumer.subscribe(["orders"])
    while True:
        consumer.poll(timeout_ms=1_000)


def _read_alone(lab: Lab, name: str, partition: int) -> None:
    consumer = KafkaConsumer(lab, {"client.id": name}, name=name)
    consumer.assign([TopicPartition("orders", partition)])
    while True:
        consumer.poll(timeout_ms=1_000)


def writing() -> Lab:
    """A producer sends a record a millisecond to three brokers."""
    lab = _lab(6)
    lab.spawn(_write, "till", 1)
    return lab


def polling() -> Lab:
    """Ten consumers of two groups poll where nothing comes."""
    lab = _lab(12)
    for number in range(10):
        lab.spawn(_read, f"c{number}", f"g{number % 2}")
    return lab


def reading() -> Lab:
    """The same, and a producer sends a record every five milliseconds."""
    lab = polling()
    lab.spawn(_write, "till", 5)
    return lab


def idling() -> Lab:
    """A hundred members of one group keep their membership alive."""
    lab = _lab(100)
    for number in range(100):
        lab.spawn(_read, f"c{number}", "shop")
    return lab


def alone(clients: int) -> Lab:
    """Consumers without a group, each at one of twelve partitions where nothing comes."""
    lab = _lab(12)
    for number in range(clients):
        lab.spawn(_read_alone, f"c{number}", number % 12)
    return lab


LABS: dict[Callable[[], Lab], tuple[int, int]] = {
    writing: (2_000, 4_000),
    polling: (10_000, 60_000),
    reading: (10_000, 4_000),
    idling: (12_000, 20_000),
}
"""A lab -> how long it warms up, and how long it is measured, in virtual milliseconds."""

PIECES = 4
"""A lab is measured in so many pieces, and the best counts: the others were disturbed."""


def measured(make: Callable[[], Lab], warm_ms: int, measured_ms: int) -> tuple[float, Told]:
    """The best piece of a lab: the processor's seconds for it, and what it moved."""
    lab = make()
    lab.run_for(ms=warm_ms)
    pieces = []
    for _ in range(PIECES):
        first, began = len(lab.journal.events), time.process_time()
        lab.run_for(ms=measured_ms // PIECES)
        pieces.append((time.process_time() - began, told_since(lab, first)))
    return min(pieces, key=lambda piece: piece[0] / piece[1].requests)


if __name__ == "__main__":
    best = {make.__name__: measured(make, *spans) for make, spans in LABS.items()}
    print(json.dumps({name: [seconds, *told] for name, (seconds, told) in best.items()}))
