"""Plays the experiments of chapter 04 in labs of their own: who writes which batches.

Each function builds a lab, lets one or more producers write, and returns the lab or a table.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    NewPartitions,
    ProducerRecord,
    TopicPartition,
)

if TYPE_CHECKING:
    import pandas

ORDER = "an order of eighty bytes".ljust(80)
MINUTE_MS = 60_000


def write(
    version: str,
    records: int = 240,
    pace_ms: int = 1,
    partitions: int = 3,
    seed: int = 5,
    **config: object,
) -> Lab:
    """A lab in which one producer has written `records` orders without a key.

    pace_ms  the time from one `send` to the next
    config   settings of the producer, such as **{"linger.ms": 5}
    """
    lab = Lab(brokers=3, seed=seed, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=partitions)
    producer = KafkaProducer(lab, {"client.id": "shop", **config})
    producer.partitions_for("orders")  # know the topic before the first record
    for _ in range(records):
        producer.send(ProducerRecord("orders", value=ORDER))
        lab.sleep(pace_ms)
    producer.close()
    return lab


def summary(lab: Lab) -> dict[str, float]:
    """What the producer sent: batches, PRODUCE requests, records a batch, and bytes."""
    batches = lab.table("record.appended")
    requests = lab.table("request.sent")
    return {
        "batches": len(batches),
        "requests": int((requests.api == "PRODUCE").sum()),
        "records a batch": round(float(batches.records.map(len).mean()), 1),
        "bytes": int(batches.size_bytes.sum()),
    }


def named(labs: dict[str, Lab]) -> dict[str, Lab]:
    """The labs under longer names, with the number of batches and bytes in each."""
    totals = {name: summary(lab) for name, lab in labs.items()}
    return {
        f"{name}: {totals[name]['batches']} batches, {totals[name]['bytes']:,} bytes": lab
        for name, lab in labs.items()
    }


def work_on(producer: str, topic: str) -> pandas.DataFrame:
    """Who worked on the bytes of 200 records that are written and read, and for how long.

    producer, topic  the two settings `compression.type`
    cpu_us           microseconds of one processor
    """
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders", partitions=1, config={"compression.type": topic})
    shop = KafkaProducer(lab, {"compression.type": producer, "linger.ms": 20})
    for number in range(200):
        order = f"order {number}: one cup of tea for table {number % 7}"
        shop.send(ProducerRecord("orders", value=order))
    shop.close()
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="reader")
    reader.assign([TopicPartition("orders", 0)])
    reader.poll(timeout_ms=2_000)
    columns = ["who", "work", "codec", "bytes_in", "bytes_out", "cpu_us"]
    return lab.table("cpu").reindex(columns=columns)


def with_slow_broker(version: str, **config: object) -> Lab:
    """A lab in which 3,000 orders were written, five each millisecond; broker 2 is slow.

    Broker 2 leads orders-2 and takes 40 ms for each PRODUCE.
    """
    lab = Lab(brokers=3, seed=3, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=3, leaders=[0, 1, 2])
    lab.broker(2).delay("PRODUCE", 40)
    settings = {"client.id": "shop", "batch.size": 1000, "linger.ms": 0, **config}
    producer = KafkaProducer(lab, settings)
    producer.partitions_for("orders")
    for number in range(3_000):
        producer.send(ProducerRecord("orders", value=ORDER))
        if number % 5 == 0:
            lab.sleep(1)
    producer.close()
    return lab


def shares(lab: Lab) -> dict[str, int]:
    """Records in each partition of `orders`, and the time until all were written."""
    written = {f"orders-{partition}": 0 for partition in range(3)}
    for batch in lab.journal.of("record.appended"):
        written[f"orders-{batch.partition}"] += len(batch.records)
    return {**written, "ms until all is written": lab.now_ms}


def grow(reset: str, version: str = "3.9") -> tuple[int, int]:
    """(records written to a new partition, records of it that a group reads).

    The group reads two partitions, then the topic gets a third. A producer writes 20 records to it
    in ten seconds, and one more after six minutes. No record has a key.

    reset  the group's `auto.offset.reset`
    """
    lab = Lab(brokers=3, seed=1, version=version)
    lab.create_topic("orders", partitions=2)
    read: list[int] = []

    def member(lab: Lab) -> None:
        consumer = KafkaConsumer(
            lab, {"group.id": "kitchen", "auto.offset.reset": reset}, name="reader"
        )
        consumer.subscribe(["orders"])
        while True:
            read.extend(r.offset for r in consumer.poll(timeout_ms=200) if r.partition == 2)

    lab.spawn(member, name="reader")
    lab.run_for(ms=10_000)
    bigger = NewPartitions.increase_to(3)
    KafkaAdminClient(lab, {}).create_partitions({"orders": bigger}).all().get()
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    for _ in range(20):
        producer.send(ProducerRecord("orders", value="tea", partition=2))
        lab.sleep(500)
    lab.run_for(ms=6 * MINUTE_MS)
    producer.send(ProducerRecord("orders", value="tea", partition=2)).get()
    lab.run_for(ms=10_000)
    lab.close()
    return 21, len(read)


class Odd(Protocol):
    """Which producer has another `batch.size` than the others, and what differs by student."""

    producer: int
    batch_size: int
    seed: int


def write_logs(folder: Path, odd: Odd) -> None:
    """Write the logs of eight producers into `folder`; one of them has a setting of its own."""
    folder.mkdir(parents=True, exist_ok=True)
    chance = random.Random(odd.seed)
    for number in range(1, 9):
        config: dict[str, object] = {"linger.ms": (20, 60, 20, 40)[number % 4]}
        if number == odd.producer:
            config["batch.size"] = odd.batch_size
        version = chance.choice(["2.8", "3.6", "3.9", "4.0"])
        seed = chance.randrange(1000)
        name = f"producer-{number}"
        lab = Lab(brokers=3, seed=seed, version=version, broker_version="4.4")
        lab.create_topic("orders", partitions=3)
        producer = KafkaProducer(lab, {"client.id": name, **config})
        for _ in range(300):
            producer.send(ProducerRecord("orders", value=ORDER))
            lab.sleep(1)
        producer.close()
        (folder / f"{name}.log").write_text(lab.log_text(name), encoding="utf-8")
