"""Stories of chapter 13: which records retention and the cleaner leave, and what a broker
refuses."""

from __future__ import annotations

import re
from typing import Any

from kafkalab.clients.admin.values import NewTopic
from kafkalab.real.proof.claim import EitherLab, Side, kind_raised_by, polled, raised_by, story
from kafkalab.records import ProducerRecord, TopicPartition

ONE = TopicPartition("orders", 0)
MINUTE_MS = 60_000
DIGITS = re.compile(r"\d{6,}")
"""Times in an error's words, which differ from run to run."""
LOOKS_OFTEN = {
    "log.retention.check.interval.ms": 1_000,
    "log.cleaner.backoff.ms": 1_000,
}
FIRST_LOOK_MS = 40_000
"""A broker looks at its logs from 30 seconds after its start on."""
PRICES = (
    ("tea", "1"),
    ("milk", "2"),
    ("tea", "3"),
    ("bread", "4"),
    ("milk", None),
    ("tea", "5"),
    ("bread", "6"),
)


def write_aged(
    side: Side, lab: EitherLab, topic: str, minutes: range, fast: int | None = None, **config: Any
) -> None:
    """Make a topic with one order for each minute of the past; `minutes` says how old they are.

    The broker rolls segments by these times. fast: the clock of this order is 95 minutes fast.
    """
    lab.create_topic(topic, config={name.replace("_", "."): to for name, to in config.items()})
    producer = side.producer(lab, linger_ms=0)
    now_ms = lab.epoch_ms + lab.now_ms - MINUTE_MS // 2
    for number, age in enumerate(minutes):
        at_ms = now_ms - age * MINUTE_MS + (95 * MINUTE_MS if number == fast else 0)
        producer.send(ProducerRecord(topic, "x" * 30, timestamp_ms=at_ms)).get()
    producer.close()


def begin_and_end(lab: EitherLab, topic: str) -> list[int]:
    """Where a log begins and ends."""
    row = lab.describe_topic(topic).iloc[0]
    return [int(row.log_start_offset), int(row.high_watermark)]


@story(
    "13 retention",
    brokers=1,
    releases=("2.8", "4.4"),
    broker_config=LOOKS_OFTEN,
    claims={
        "bytes": "retention.bytes=2000, files of seven orders: of 60 orders the log keeps these.",
        "fast": "retention.ms is 20 minutes, and the clock of the fourth order is 95 minutes fast: "
        "of 60 orders, 40 to 99 minutes old, the log keeps these.",
        "quiet": "All 25 orders are too old, also those of the active file: the log keeps these.",
    },
)
def what_retention_leaves(side: Side) -> dict[str, Any]:
    ten_ms = 10 * MINUTE_MS
    by_size = {"retention_bytes": 2_000, "retention_ms": -1, "segment_ms": 7 * MINUTE_MS}
    by_time = {"retention_ms": 2 * ten_ms, "segment_ms": ten_ms}
    lab = side.lab()
    write_aged(side, lab, "bytes", range(60, 0, -1), **by_size)
    write_aged(side, lab, "fast", range(99, 39, -1), fast=3, **by_time)
    write_aged(side, lab, "quiet", range(65, 40, -1), **by_time)
    lab.run_for(FIRST_LOOK_MS)
    return {topic: begin_and_end(lab, topic) for topic in ("bytes", "fast", "quiet")}


@story(
    "13 compaction",
    brokers=1,
    releases=("2.8", "4.4"),
    broker_config=LOOKS_OFTEN,
    claims={
        "cleaned": "The cleaner leaves these of seven prices; the fifth one is a tombstone.",
        "later": "It leaves these when delete.retention.ms has passed and it cleans again.",
    },
)
def what_compaction_leaves(side: Side) -> dict[str, Any]:
    lab = side.lab()
    config = {
        "cleanup.policy": "compact",
        "segment.ms": 1_000,
        "min.cleanable.dirty.ratio": 0.01,
        "delete.retention.ms": 20_000,
    }
    lab.create_topic("orders", config=config)
    producer = side.producer(lab, linger_ms=0)

    def sell(*prices: tuple[str, str | None]) -> None:
        for key, value in prices:
            producer.send(ProducerRecord("orders", value, key=key)).get()

    def left(name: str) -> list[int]:
        reader = side.consumer(lab, name, auto_offset_reset="earliest", enable_auto_commit=False)
        reader.assign([ONE])
        records = polled(reader, lab, 99, timeout_ms=4_000)
        reader.close()
        return [record.offset for record in records if record.key != "jam"]

    sell(*PRICES)
    for _ in range(2):
        lab.run_for(2_000)
        sell(("jam", "7"))
    lab.run_for(8_000)
    found = {"cleaned": left("first")}
    lab.run_for(22_000)
    for _ in range(2):
        sell(("jam", "8"))
        lab.run_for(2_000)
    lab.run_for(8_000)
    return {**found, "later": left("second")}


@story(
    "13 refused",
    brokers=1,
    claims={
        "ahead": "A record whose time is two hours ahead ends with this.",
        "small": "A topic with segment.bytes=14 ends with this.",
        "says": "The error about the time says this.",
    },
)
def refused(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders")
    producer = side.producer(lab)
    admin = side.admin(lab)
    ahead_ms = lab.epoch_ms + lab.now_ms + 120 * MINUTE_MS
    early = producer.send(ProducerRecord("orders", "tea", timestamp_ms=ahead_ms))
    said = raised_by(early.get)
    small = admin.create_topics([NewTopic("small", 1, 1, configs={"segment.bytes": "14"})])
    return {
        "ahead": said.partition(":")[0],
        "small": kind_raised_by(small.all().get),
        "says": DIGITS.sub("N", said.partition(": ")[2]),
    }


@story(
    "13 the cleaner's limit",
    brokers=1,
    releases=("2.8", "4.4"),
    broker_config=LOOKS_OFTEN,
    claims={
        "ratio": "min.cleanable.dirty.ratio is 1, so the cleaner waits: of seven prices of one "
        "article so many are left.",
        "limit": "max.compaction.lag.ms is two seconds as well: so many are left.",
    },
)
def cleaners_limit(side: Side) -> dict[str, Any]:
    lab, found = side.lab(), {}
    for key, more in (("ratio", {}), ("limit", {"max.compaction.lag.ms": 2_000})):
        config = {
            "cleanup.policy": "compact",
            "segment.ms": 1_000,
            "min.cleanable.dirty.ratio": 1.0,
            **more,
        }
        lab.create_topic(key, config=config)
        producer = side.producer(lab, linger_ms=0)
        for price in range(7):
            producer.send(ProducerRecord(key, str(price), key="tea")).get()
        for _ in range(2):
            lab.run_for(2_000)
            producer.send(ProducerRecord(key, "7", key="jam")).get()
        producer.close()
    lab.run_for(15_000)
    for key in ("ratio", "limit"):
        reader = side.consumer(lab, key, auto_offset_reset="earliest", enable_auto_commit=False)
        reader.assign([TopicPartition(key, 0)])
        records = polled(reader, lab, 99, timeout_ms=4_000)
        found[key] = sum(record.key == "tea" for record in records)
    return found
