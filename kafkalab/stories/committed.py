"""Plays the experiments of chapter 05 in labs of their own: which records survive which failure.

The shops write to `orders`, a topic with one partition. Four brokers run: broker 0 leads, 1 and 2
hold the copies, and broker 3 is the address that the clients know.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Protocol

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.views import Outcome

if TYPE_CHECKING:
    import pandas

PATIENT: dict[str, object] = {
    "delivery.timeout.ms": 20_000,
    "request.timeout.ms": 3_000,
    "linger.ms": 0,
    "enable.idempotence": False,
}
"""Settings of a producer that tries again for 20 s. Idempotence is for later: off."""
KNOWN = "localhost:9095"
"""The address of broker 3, which never crashes in this chapter."""


def cluster(min_insync: int = 1, unclean: bool = False, seed: int = 5) -> Lab:
    """Four brokers; `orders` has one partition: broker 0 leads, 1 and 2 copy it."""
    lab = Lab(
        brokers=4,
        seed=seed,
        broker_config={
            "min.insync.replicas": min_insync,
            "unclean.leader.election.enable": unclean,
            "broker.session.timeout.ms": 6_000,
        },
    )
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    return lab


def sell(lab: Lab, acks: str, count: int = 20) -> dict[str, list[str]]:
    """Send orders, one each 10 ms. Return the keys the callbacks report as acknowledged, failed."""
    producer = KafkaProducer(
        lab, {"client.id": "shop", "acks": acks, **PATIENT, "bootstrap.servers": KNOWN}
    )
    producer.partitions_for("orders")
    told: dict[str, list[str]] = {"acknowledged": [], "failed": []}
    for number in range(count):

        def callback(metadata: object, error: object, key: str = f"order {number}") -> None:
            told["failed" if error else "acknowledged"].append(key)

        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"), callback)
        lab.sleep(10)
    return told


def slow_followers(acks: str) -> tuple[Lab, dict[str, list[str]]]:
    """Sell twenty orders while the followers sleep; then the leader crashes. The lab, the keys."""
    lab = cluster()
    lab.broker(1).pause(4_500)
    lab.broker(2).pause(4_500)
    told = sell(lab, acks)
    lab.run_for(ms=1_000)
    lab.broker(0).crash()
    lab.run_for(ms=30_000)
    return lab, told


def in_the_log(lab: Lab) -> int:
    """How many records the leader's log of `orders` has now."""
    return int(lab.at(lab.now_ms)["partitions"]["orders-0"]["log_end_offset"])


def play(followers: str, acks: str, min_insync: int, unclean: bool = False) -> tuple[Lab, Outcome]:
    """One cell of the grid: the lab and its Outcome.

    followers  "fine"; "slow", asleep for 4.5 s; "away", crashed before, back after the leader's
               crash
    unclean    a replica that is not in sync may become leader
    """
    lab = cluster(min_insync, unclean)
    if followers == "slow":
        lab.broker(1).pause(4_500)
        lab.broker(2).pause(4_500)
    if followers == "away":
        lab.broker(1).crash()
        lab.broker(2).crash()
        lab.run_for(ms=20_000)
    told = sell(lab, acks)
    lab.run_for(ms=1_000)
    lab.broker(0).crash()
    lab.run_for(ms=2_000)
    if followers == "away":
        lab.broker(1).restart()
        lab.broker(2).restart()
    lab.run_for(ms=30_000)
    leader = lab.at(lab.now_ms)["partitions"]["orders-0"]["leader"]
    acknowledged, failed = len(told["acknowledged"]), len(told["failed"])
    lost = max(0, acknowledged - in_the_log(lab))
    return lab, Outcome(acknowledged, lost, failed, readable=leader >= 0)


def alone(acks: str, broker_version: str = "4.4") -> tuple[int, int, int]:
    """(acknowledged, read now, read when a follower is back) of 5 records under a floor of 2.

    Both followers are down, so the leader is alone. Afterwards broker 1 restarts.
    """
    settings: dict[str, object] = {"min.insync.replicas": 2}
    lab = Lab(
        brokers=4, seed=5, version="3.9", broker_version=broker_version, broker_config=settings
    )
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    for follower in (1, 2):
        lab.broker(follower).crash()
    lab.run_for(ms=20_000)
    told = sell(lab, acks, count=5)
    lab.run_for(ms=25_000)
    reader = KafkaConsumer(
        lab, {"auto.offset.reset": "earliest", "bootstrap.servers": KNOWN}, name="reader"
    )
    reader.assign([TopicPartition("orders", 0)])
    now = len(list(reader.poll(timeout_ms=5_000)))
    lab.broker(1).restart()
    lab.run_for(ms=40_000)
    later = now + len(list(reader.poll(timeout_ms=5_000)))
    return len(told["acknowledged"]), now, later


def writable(crashed: int, min_insync: int) -> bool:
    """Whether a write with acks=all succeeds after so many of the two followers have crashed."""
    lab = cluster(min_insync)
    for follower in (1, 2)[:crashed]:
        lab.broker(follower).crash()
        lab.run_for(ms=20_000)
    told = sell(lab, "all", count=1)
    lab.run_for(ms=25_000)
    return len(told["acknowledged"]) == 1


def answered_after(acks: str, away_ms: int) -> int:
    """Milliseconds to the answer of one write. Follower 2 is `away_ms` from its leader."""
    lab = cluster()
    lab.link(0, "broker-2").set_latency(ms=away_ms)
    lab.run_for(ms=5_000)
    producer = KafkaProducer(
        lab, {"client.id": "shop", "acks": acks, **PATIENT, "bootstrap.servers": KNOWN}
    )
    producer.send(ProducerRecord("orders", value="the first opens the connection")).get()
    begun_ms = lab.now_ms
    producer.send(ProducerRecord("orders", value="tea")).get()
    return lab.now_ms - begun_ms


def hang(request_ms: int, delivery_ms: int, seed: int = 6) -> tuple[int, int, BaseException | None]:
    """(seconds until the callback, times sent, its error) where a broker answers no PRODUCE.

    request_ms, delivery_ms  `request.timeout.ms` and `delivery.timeout.ms`
    """
    lab = Lab(brokers=1, seed=seed)
    lab.create_topic("orders", partitions=1)
    timeouts = {"request.timeout.ms": request_ms, "delivery.timeout.ms": delivery_ms}
    producer = KafkaProducer(lab, {"linger.ms": 0, "enable.idempotence": False, **timeouts})
    producer.partitions_for("orders")
    producer.send(ProducerRecord("orders", value="the first one arrives")).get()
    lab.broker(0).delay("PRODUCE", 600_000)
    heard: list[tuple[int, BaseException | None]] = []
    sent_at = lab.now_ms
    producer.send(
        ProducerRecord("orders", value="tea"),
        lambda metadata, error: heard.append((lab.now_ms - sent_at, error)),
    )
    lab.run_until(lambda: bool(heard))
    requests = lab.journal.of("request.sent")
    times = sum(request.api == "PRODUCE" and request.at_ms >= sent_at for request in requests)
    waited_ms, error = heard[0]
    return waited_ms // 1000, times, error


def refused_at_first(**config: object) -> Lab:
    """A lab in which a follower comes back while a producer 2.8 sends sixty records.

    Two replicas, a floor of 2: while the follower catches up, the leader refuses what comes.
    """
    brokers = {"min.insync.replicas": 2, "broker.session.timeout.ms": 6_000}
    lab = Lab(brokers=3, seed=5, version="2.8", broker_version="4.4", broker_config=brokers)
    lab.create_topic("orders", replication_factor=2, leaders=[0])
    settings = {"acks": "all", "linger.ms": 0, "retry.backoff.ms": 100, **config}
    producer = KafkaProducer(lab, settings, name="shop")
    producer.partitions_for("orders")
    lab.broker(1).crash()
    lab.run_for(ms=10_000)
    lab.broker(1).restart()
    for number in range(60):
        producer.send(ProducerRecord("orders", key=str(number), value="tea", partition=0))
        lab.sleep(20)
    producer.close()
    return lab


def order_in_the_log(lab: Lab) -> list[int]:
    """The keys of all records of `orders`, in the order of their offsets."""
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="reader")
    reader.assign([TopicPartition("orders", 0)])
    return [int(str(record.key)) for record in reader.poll(timeout_ms=3_000)]


def tries(lab: Lab) -> pandas.DataFrame:
    """The PRODUCE requests of `refused_at_first`: when sent, which records, what was answered.

    A batch that is written is in the log, in the order of the requests. Of a refused one the lines
    tell the bytes; the batch of that size in the log has its records.
    """
    import pandas

    written = list(lab.journal.of("record.appended"))
    by_size = {batch.size_bytes: batch for batch in reversed(written)}
    text = "\n".join(lab.lines("shop").message)
    refused = set(re.findall(r"correlation id (\d+) on topic-partition .*retrying", text))
    rows = []
    for request in lab.journal.of("request.sent"):
        if request.api != "PRODUCE":
            continue
        number = str(request.correlation_id)
        if number in refused:
            size = re.search(rf"Sending PRODUCE .*correlationId={number}\b.*orders-0=(\d+)", text)
            assert size is not None, "a producer at DEBUG writes a line for each PRODUCE"
            batch, answer = by_size[int(size[1])], "refused"
        else:
            batch, answer = written.pop(0), "written"
        keys = [record.key for record in batch.records]
        records = keys[0] if len(keys) == 1 else f"{keys[0]} to {keys[-1]}"
        rows.append((request.at_ms, records, answer))
    return pandas.DataFrame(rows, columns=["sent at ms", "records", "answer"])


class Shop(Protocol):
    """How a shop of the Spark lab writes: its acks, and when its followers fall asleep."""

    acks: str
    asleep_after_ms: int


def shop_with_crash(shop: Shop) -> tuple[list[str], list[str]]:
    """(acknowledged keys, keys that can be read) of a shop whose followers fall asleep."""
    lab = cluster(seed=4)
    for broker in (lab.broker(1), lab.broker(2)):
        lab.clock.at(shop.asleep_after_ms, broker.pause, 4_500)
    told = sell(lab, shop.acks, count=100)
    lab.broker(0).crash()
    lab.run_for(ms=40_000)
    reader = KafkaConsumer(
        lab, {"auto.offset.reset": "earliest", "bootstrap.servers": KNOWN}, name="reader"
    )
    reader.assign([TopicPartition("orders", 0)])
    read = [str(record.key) for record in reader.poll(timeout_ms=5_000)]
    return told["acknowledged"], read
