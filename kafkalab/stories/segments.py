"""Holds the labs of chapter 13: logs that roll, that retention shortens, and that are compacted.

The chapter shows what decides; here is what writes the records and lays the files out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from kafkalab.broker.log.learners_rules import CleaningRule, RetentionRule
from kafkalab.broker.log.log_settings import LogSettings
from kafkalab.broker.log.offset_lookup import LookUp, look_up
from kafkalab.broker.log.partition_log import PartitionLog
from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.course_folder import course_folder
from kafkalab.errors import IllegalArgumentException
from kafkalab.lab import Lab
from kafkalab.protocol.messages import RecordBatch, WireRecord
from kafkalab.records import OffsetAndMetadata, ProducerRecord, TopicPartition

LogRow = tuple[int, str | bytes | None, str | bytes | None]  # offset, key, value
DAY_MS = 86_400_000
PRICES_0 = TopicPartition("prices", 0)
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
        version=broker_version,
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


# A day of retention, and an hour of cleaning: the labs in which a learner's rule decides.

MINUTE_MS = 60_000
KEEPS = ("time", "size", "exact", "both", "clock", "crash")
"""What a day is about: retention.ms, retention.bytes, a retention.bytes of three whole files, both
settings, an order from a clock that is fast, or a broker that is down for twenty minutes.
"""
EXACT_FILE_BYTES = 6 * 108
"""A file of the day "exact": six orders, one a minute, each of 108 bytes in the log."""


def retention_day(seed: int, keeps: str, rule: RetentionRule | None = None, hours: int = 6) -> Lab:
    """A morning of orders, and then none: a log that retention shortens.

    keeps: one of KEEPS. rule: decides in Kafka's place which segments go. The broker looks every
    five minutes. Raises IllegalArgumentException for another `keeps`.
    """
    if keeps not in KEEPS:
        raise IllegalArgumentException(f"a day is about one of {', '.join(KEEPS)}, not {keeps!r}")
    rng = Random(seed)
    shortest = rng.randrange(60, 100) if keeps == "both" else rng.randrange(25, 70)
    limits = {
        "retention.ms": -1 if keeps in ("size", "exact") else shortest * MINUTE_MS,
        "retention.bytes": rng.randrange(1_200, 2_400) if keeps in ("size", "both") else -1,
    }
    lab = Lab(brokers=1, seed=seed)
    segment_ms = rng.randrange(8, 16) * MINUTE_MS
    if keeps == "exact":
        limits["retention.bytes"], segment_ms = 3 * EXACT_FILE_BYTES, 5 * MINUTE_MS + 30_000
    lab.create_topic("orders", config={**limits, "segment.ms": segment_ms})
    if rule is not None:
        lab.broker(0).delete_segments_by(rule)
    # The broker is down for twenty minutes. With Kafka's pauses that is 1,200 attempts to connect,
    # and 26,000 rounds of the Sender, and nobody looks at them.
    patient = {"reconnect.backoff.ms": 5_000, "reconnect.backoff.max.ms": 10_000}
    settings = {"linger.ms": 0, "metadata.max.age.ms": DAY_MS, **patient}
    shop = KafkaProducer(lab, settings, name="shop")
    fast = rng.randrange(12, 20) if keeps == "clock" else -1
    for number in range(42 if keeps == "exact" else 40):
        ahead_ms = 40 * MINUTE_MS if number == fast else 0
        at_ms = lab.epoch_ms + lab.now_ms + ahead_ms
        value = "tea".ljust(40 if keeps == "exact" else rng.choice((10, 60, 200)), ".")
        shop.send(ProducerRecord("orders", value=value, timestamp_ms=at_ms)).get()
        if keeps == "crash" and number == 25:
            lab.broker(0).crash()
            lab.run_for(ms=20 * MINUTE_MS)
            lab.broker(0).restart()
        lab.run_for(ms=MINUTE_MS if keeps == "exact" else rng.randrange(1, 6) * MINUTE_MS)
    lab.run_for(ms=hours * 60 * MINUTE_MS - lab.now_ms)
    lab.close()
    return lab


def deletions(lab: Lab) -> list[tuple[int, int]]:
    """(minute, the log start offset after it) of each time that retention deleted segments."""
    return [
        (event.at_ms // MINUTE_MS, event.log_start_offset)
        for event in lab.journal.of("log.deleted")
    ]


WHY = ("segment", "check", "clock")
"""Why a record older than retention.ms is still there: its segment has a newer one, the broker has
not looked yet, or a clock is fast."""


def stale_log(seed: int) -> tuple[Lab, str]:
    """A log whose oldest record should be gone by its age, and why it is there: one of WHY.
    ValueError for a seed in whose story that moment does not come."""
    rng = Random(seed)
    why = WHY[seed % len(WHY)]
    keep, roll = rng.randrange(20, 40), rng.randrange(9, 15)
    lab = shop_lab(retention_ms=in_ms(keep), segment_ms=in_ms(roll))
    shop = KafkaProducer(lab, {"linger.ms": 0, "metadata.max.age.ms": DAY_MS}, name="shop")
    fast = rng.randrange(10, 18) if why == "clock" else -1
    for number in range(120):
        if why == "clock":
            ahead_ms = in_ms(rng.randrange(45, 58)) if number == fast else 0
        else:
            # a till with a slow clock: else the newest record is not the last only by a fast one
            ahead_ms = -in_ms(rng.randrange(2, 6)) if rng.random() < 0.4 else 0
        at_ms = lab.epoch_ms + lab.now_ms + ahead_ms
        shop.send(ProducerRecord("orders", value="tea", timestamp_ms=at_ms)).get()
        lab.run_for(ms=rng.randrange(50, 100) * 1_000)
        is_shown = _stays(lab, in_ms(keep)) == why and not _is_last_the_newest(lab)
        if lab.now_ms > in_ms(keep + 2 * roll) and is_shown:
            return lab, why
    raise ValueError(f"The log of seed {seed} never shows {why!r} as its reason.")


def _stays(lab: Lab, keep_ms: int) -> str:
    """Why the oldest record of `orders` is there; "" where it is not too old."""
    log = lab.broker(0).machine.replicas.replica(("orders", 0)).log
    now_ms, newest_ms = lab.epoch_ms + lab.now_ms, log.segments.all[0].largest_ms
    oldest_ms = min(
        record.timestamp_ms
        for batch in log.batches()
        if log.segments.of(batch.base_offset) is log.segments.all[0]
        for record in batch.records
    )
    if now_ms - oldest_ms <= keep_ms:
        return ""
    if newest_ms > now_ms:
        return "clock"
    if len(log.segments) < 2:
        return ""
    return "segment" if now_ms - newest_ms <= keep_ms else "check"


def _is_last_the_newest(lab: Lab) -> bool:
    """Whether the last record of the oldest file of `orders` has its newest timestamp."""
    log = lab.broker(0).machine.replicas.replica(("orders", 0)).log
    first = log.segments.all[0]
    times = [
        record.timestamp_ms
        for batch in log.batches()
        if log.segments.of(batch.base_offset) is first
        for record in batch.records
    ]
    return times[-1] == first.largest_ms


def prices_of(seed: int) -> list[tuple[str, str | None]]:
    """The records of a cleaning hour: keys and values in order; None deletes a key."""
    rng = Random(seed)
    told: list[tuple[str, str | None]] = []
    for number in range(48):
        key = rng.choice(("tea", "milk", "bread", "jam", "salt", "rice"))
        gone = number % 6 == 5
        told.append((key, None if gone else str(rng.randrange(100, 900))))
    return told


def cleaning_hour(seed: int, rule: CleaningRule | None = None) -> Lab:
    """A table of prices as a compacted log. rule: decides in Kafka's place which records stay.

    A price comes every ten seconds. `slow` reads the log in parts, with pauses of less than
    delete.retention.ms, which is two minutes here. `new` reads all that is left in the end.
    """
    lab = Lab(brokers=1, seed=seed, broker_version="4.4")
    config = {
        "cleanup.policy": "compact",
        "segment.ms": 40_000,
        "min.cleanable.dirty.ratio": 0.01,
        "delete.retention.ms": 2 * MINUTE_MS,
    }
    lab.create_topic("prices", config=config)
    if rule is not None:
        lab.broker(0).clean_by(rule)
    shop = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    position = 0
    for number, (key, value) in enumerate(prices_of(seed)):
        shop.send(ProducerRecord("prices", key=key, value=value)).get()
        lab.run_for(ms=10_000)
        if number % 8 == 7:
            position = _read_some(lab, "slow", position, 6)
    lab.run_for(ms=4 * MINUTE_MS)
    shop.send(ProducerRecord("prices", key="last", value="1")).get()
    _read_some(lab, "slow", position, 60)
    lab.run_for(ms=5 * MINUTE_MS)
    _read_some(lab, "new", 0, 60)
    lab.close()
    return lab


def _read_some(lab: Lab, name: str, position: int, most: int) -> int:
    """Read at most so many records from `position` on; returns the next position."""
    settings = {"max.poll.records": most, "auto.offset.reset": "earliest"}
    reader = KafkaConsumer(lab, settings, name=lab.unused_name(name))
    reader.assign([PRICES_0])
    reader.seek(PRICES_0, position)
    for record in reader.poll(timeout_ms=2_000):
        position = record.offset + 1
    reader.close()
    return position


def table_of(lab: Lab, reader: str, seed: int) -> dict[str, str]:
    """key -> value as a reader of the hour knows them: what it was given, in order."""
    told, known = [*prices_of(seed), ("last", "1")], dict[str, str]()
    for event in lab.journal.of("record.delivered"):
        if event.who.startswith(reader):
            key, value = told[event.offset]
            known.pop(key, None)
            if value is not None:
                known[key] = value
    return known


def offsets_left(lab: Lab, topic: str = "prices") -> list[int]:
    """The offsets that are in partition 0 of a topic on broker 0."""
    log = lab.broker(0).machine.replicas.replica((topic, 0)).log
    return [
        batch.offset_of(place) for batch in log.batches() for place in range(len(batch.records))
    ]


# The runs of the chapter.


def log_with_index(seed: int) -> PartitionLog:
    """A log of some files, with batches of equal length and unequal size, for look-ups."""
    chance = Random(seed)
    per_batch = chance.randrange(2, 6)
    log = PartitionLog(
        "orders",
        0,
        LogSettings(segment_bytes=chance.randrange(7_000, 9_000), index_interval_bytes=1_500),
    )
    for _ in range(chance.randrange(55, 70)):
        records = tuple(WireRecord("k", "v", 0) for _ in range(per_batch))
        log.append(RecordBatch(records=records, size_bytes=chance.randrange(300, 500)), 0, 0)
    return log


def steps_to(log: PartitionLog, offset: int) -> LookUp:
    """The steps of a look-up in a log. Raises ValueError for an offset that is not there."""
    steps = look_up(log, offset)
    if steps is None:
        raise ValueError(f"the log ends at {log.log_end_offset}; there is no offset {offset}")
    return steps


def in_ms(minutes: float) -> int:
    """So many minutes in milliseconds."""
    return int(minutes * MINUTE_MS)


def shop_lab(brokers: int = 1, seed: int = 1, version: str = "4.4", **config: object) -> Lab:
    """A lab with the topic `orders`; `segment_ms=60_000` is the topic's setting segment.ms."""
    lab = Lab(brokers=brokers, seed=seed, broker_version=version)
    lab.create_topic("orders", config={key.replace("_", "."): each for key, each in config.items()})
    return lab


def sell(
    lab: Lab,
    orders: int,
    *,
    every_ms: int = MINUTE_MS,
    size: int = 40,
    partitions: int = 1,
    each: Callable[[], object] = lambda: None,
) -> None:
    """Write an order, as long as `size` says, to each partition; then wait; and so on.

    each: is called after each wait.
    """
    settings = {"linger.ms": 0, "metadata.max.age.ms": DAY_MS}
    shop = KafkaProducer(lab, settings, name=lab.unused_name("shop"))
    for _ in range(orders):
        for partition in range(partitions):
            value = "tea".ljust(size, ".")
            shop.send(ProducerRecord("orders", partition=partition, value=value))
        lab.run_for(ms=every_ms)
        each()
    shop.close()


def oldest_minutes(lab: Lab) -> float:
    """How many minutes old the oldest order in the log is."""
    oldest = lab.broker(0).machine.replicas.replica(("orders", 0)).log.batches()[0].records[0]
    age_ms = lab.epoch_ms + lab.now_ms - oldest.timestamp_ms
    return round(age_ms / MINUTE_MS, 1)


def roll_minutes(jitter_ms: int) -> list[int]:
    """Eight partitions get an order each half minute for three quarters of an hour, and roll after
    half an hour: the minute of each roll, for this segment.jitter.ms."""
    lab = Lab(brokers=1, seed=3)
    config = {"segment.ms": in_ms(30), "segment.jitter.ms": jitter_ms}
    lab.create_topic("orders", partitions=8, config=config)
    sell(lab, 90, every_ms=30_000, partitions=8)
    rolled: dict[int, int] = {}
    for event in lab.journal.of("log.rolled"):
        rolled.setdefault(event.partition, event.at_ms // MINUTE_MS)
    return sorted(rolled.values())


def log_rows(lab: Lab, topic: str = "prices", partition: int = 0) -> list[LogRow]:
    """(offset, key, value) of the records that are in a partition."""
    log = lab.broker(0).machine.replicas.replica((topic, partition)).log
    return [
        (batch.offset_of(place), record.key, record.value)
        for batch in log.batches()
        for place, record in enumerate(batch.records)
    ]


def price_lab(version: str = "4.4", **config: object) -> Lab:
    """A lab with the compacted topic `prices`; a new segment begins after a minute."""
    lab = Lab(brokers=1, seed=1, broker_version=version)
    settings = {
        "cleanup.policy": "compact",
        "segment.ms": MINUTE_MS,
        "min.cleanable.dirty.ratio": 0.01,
        **{key.replace("_", "."): each for key, each in config.items()},
    }
    lab.create_topic("prices", config=settings)
    return lab


def write_prices(lab: Lab, *pairs: tuple[str, str | None]) -> None:
    """Write keys and values to `prices`, and wait until all are written."""
    settings = {"linger.ms": 0, "metadata.max.age.ms": DAY_MS}
    shop = KafkaProducer(lab, settings, name=lab.unused_name("shop"))
    _wait([shop.send(ProducerRecord("prices", key=key, value=value)) for key, value in pairs])
    shop.close()


def three_states(version: str) -> dict[str, list[LogRow]]:
    """The log of prices as written, after a cleaning, and after one that comes two days later."""
    lab, states = price_lab(version), {}
    write_prices(lab, *PRICES)
    states["written"] = log_rows(lab)
    for name, wait_ms in (("cleaned", MINUTE_MS), ("two days later", 2 * DAY_MS)):
        lab.run_for(ms=wait_ms)
        write_prices(lab, ("jam", "7" if name == "cleaned" else "8"))
        lab.run_for(ms=MINUTE_MS)
        states[name] = log_rows(lab)
    return states


def cleanings(ratio: float, records: int = 1_200, keys: int = 100) -> list[tuple[int, int, int]]:
    """(end of the cleaned part, records read, records left) of each cleaning of a table of prices.

    `records` changes of `keys` prices are written in turn, one a second; about 25 fit into a file.
    ratio: min.cleanable.dirty.ratio.
    """
    lab = price_lab(min_cleanable_dirty_ratio=ratio, internal_segment_bytes=2_000)
    shop = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    for number in range(records):
        key = f"tea {number % keys:02}"
        shop.send(ProducerRecord("prices", key=key, value=str(number)))
        lab.run_for(ms=1_000)
    return [
        (event.up_to, event.messages_read, event.messages_written)
        for event in lab.journal.of("log.cleaned")
    ]


def commit_often(lab: Lab, commits: int, group: str = "billing") -> None:
    """Let a group commit so often, once a second, in partition 0 of `orders`."""
    reader = KafkaConsumer(lab, {"group.id": group, "enable.auto.commit": False}, name=group)
    place = TopicPartition("orders", 0)
    reader.assign([place])
    for offset in range(commits):
        reader.commit_sync({place: OffsetAndMetadata(offset)})
        lab.run_for(ms=1_000)
    reader.close()
