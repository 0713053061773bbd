"""Holds the labs of chapter 13: logs that roll, that retention shortens, and that are compacted.

The chapter shows what decides; here is what writes the records and lays the files out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kafkalab import KafkaProducer, Lab, ProducerRecord
from kafkalab.course_folder import course_folder
from kafkalab.errors import IllegalArgumentException

MIDNIGHT_MS = 1_795_219_200_000
"""2026-11-21 00:00:00 UTC: the first record's time in the recorded logs."""
RECORDED_START = "2026-11-23 01:30:00"
PRICES = (
    ("tea", "1"),
    ("milk", "2"),
    ("tea", "3"),
    ("bread", "4"),
    ("milk", None),
    ("tea", "5"),
    ("bread", "6"),
)
TOPICS: Mapping[str, Mapping[str, Any]] = {
    "orders": {"segment.ms": 60_000, "index.interval.bytes": 256, "retention.ms": -1},
    "big": {"segment.bytes": 1_048_576, "retention.bytes": 2_000_000, "retention.ms": -1},
    "old": {"segment.ms": 60_000, "retention.ms": 3_600_000},
    "prices": {
        "cleanup.policy": "compact",
        "segment.ms": 60_000,
        "min.cleanable.dirty.ratio": 0.01,
    },
    "paid": {"retention.ms": -1},
}
"""The topics of the recorded logs, with their own settings."""


def recorded_logs(broker_version: str) -> Lab:
    """A lab that holds the same five logs as the real brokers whose files `data/tools` describes.

    orders: batches of three; the producer's clock makes segments roll. big: large records, kept by
    size. old: records of another day. prices: compacted. paid: transactions.
    """
    lab = Lab(
        brokers=1,
        seed=1,
        version="2.3" if broker_version == "2.3" else "4.4",
        broker_version=broker_version,
        epoch=RECORDED_START,
        broker_config={
            "log.retention.check.interval.ms": 2_000,
            "log.cleaner.backoff.ms": 1_000,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
        },
    )
    for name, config in TOPICS.items():
        lab.create_topic(name, config=config)
    plain = {"enable.idempotence": False, "acks": "all", "linger.ms": 50, "batch.size": 65_536}
    shop = KafkaProducer(lab, {**plain, "max.request.size": 2_000_000}, name="shop")
    for batch in range(12):
        waiting = []
        for place in range(3):
            number, at_ms = batch * 3 + place, MIDNIGHT_MS + batch * 10_000 + place * 1_000
            waiting.append(_send(shop, "orders", at_ms, f"order {number}", "tea", 20 + number))
        _wait(waiting)
    for number in range(12):
        at_ms = MIDNIGHT_MS + number * 1_000
        _wait([_send(shop, "big", at_ms, f"k{number}", "big", 300_000)])
    for number in range(6):
        _wait([_send(shop, "old", MIDNIGHT_MS + number * 50_000, f"k{number}", "old")])
    _wait([_send(shop, "old", lab.epoch_ms + lab.now_ms, "k6", "new")])
    for number, (key, value) in enumerate(PRICES):
        _wait([_send(shop, "prices", MIDNIGHT_MS + number * 10_000, key, value)])
    _wait([_send(shop, "prices", MIDNIGHT_MS + 600_000, "jam", "7")])
    shop.close()
    _pay(lab)
    lab.run_for(ms=45_000)
    return lab


def _send(
    shop: KafkaProducer, topic: str, at_ms: int, key: str, value: str | None, size: int = 0
) -> Any:
    text = value and value.ljust(size, ".")
    return shop.send(ProducerRecord(topic, partition=0, timestamp_ms=at_ms, key=key, value=text))


def _wait(futures: Sequence[Any]) -> None:
    for future in futures:
        future.get()


def _pay(lab: Lab) -> None:
    sure = KafkaProducer(lab, {"enable.idempotence": True, "acks": "all", "linger.ms": 50})
    for batch in range(2):
        _wait(
            [
                _send(sure, "paid", MIDNIGHT_MS + batch * 1_000 + place, f"k{place}", f"v{batch}")
                for place in range(2)
            ]
        )
    sure.close()
    till = KafkaProducer(lab, {"transactional.id": "till", "acks": "all", "linger.ms": 50})
    till.init_transactions()
    till.begin_transaction()
    _wait([_send(till, "paid", MIDNIGHT_MS + 5_000, "k1", "yes")])
    till.commit_transaction()
    till.begin_transaction()
    _wait([_send(till, "paid", MIDNIGHT_MS + 6_000, "k1", "no")])
    till.abort_transaction()
    till.close()


def recorded_output(broker_version: str) -> dict[str, str]:
    """Command -> what the real tool printed about the files of a real broker of this release.

    Raises IllegalArgumentException for another release than 2.3 and 4.4.
    """
    file = course_folder() / "data" / "tools" / f"log_{broker_version}.txt"
    if not file.is_file():
        raise IllegalArgumentException(
            f"there is no recorded output of {broker_version}; there is one of 2.3 and of 4.4"
        )
    blocks = file.read_text(encoding="utf-8").split("$ ")[1:]
    return {command: printed for command, _, printed in (each.partition("\n") for each in blocks)}
