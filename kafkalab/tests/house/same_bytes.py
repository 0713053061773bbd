"""Thirty-odd small labs over all releases, and a digest of every byte that each of them writes.

They are the net under a redraw: a change of structure leaves each digest as it is. A change that
means to alter what is written renews them, `python -m kafkalab.tests.house.same_bytes`, in a commit
of its own that says which of them changed and why.
"""

from __future__ import annotations

import hashlib
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path

from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    NewPartitions,
    NewTopic,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.records import ConsumerGroupMetadata

DIGESTS = Path(__file__).with_name("same_bytes.json")
RELEASES = ("2.1", "2.2", "2.3", "2.8", "3.6", "3.9", "4.0", "4.4")
PAIRS = (
    ("2.1", "2.3"),
    ("2.2", "2.3"),
    ("2.3", "2.3"),
    ("2.8", "2.3"),
    ("2.3", "4.4"),
    ("2.8", "4.4"),
    ("3.6", "4.4"),
    ("3.9", "4.4"),
    ("4.0", "4.4"),
    ("4.4", "4.4"),
)
"""A client release and the broker release that it talks to."""


def make_lab(client: str, broker: str, seed: int, **how: object) -> Lab:
    """A lab of three brokers with one topic of three partitions and three replicas."""
    lab = Lab(brokers=3, seed=seed, version=client, broker_version=broker, **how)
    lab.create_topic("orders", partitions=3, replication_factor=3)
    return lab


def produce(lab: Lab, name: str, count: int, pause_ms: int, **config: object) -> None:
    """Send records with and without keys, one each `pause_ms`."""
    producer = KafkaProducer(lab, {"client.id": name, **config}, name=name)
    for number in range(count):
        key = f"k{number}" if number % 3 else None
        producer.send(ProducerRecord("orders", key=key, value="tea" * (number % 7 + 1)))
        lab.sleep(pause_ms)
    producer.close(timeout_ms=5_000)


def consume(
    lab: Lab, name: str, until_ms: int, work_ms: int = 0, start_ms: int = 0, **config: object
) -> None:
    """Read in the group `shop` and commit by both ways until `until_ms`, then close."""
    lab.sleep(start_ms)
    settings = {
        "group.id": "shop",
        "client.id": name,
        "auto.offset.reset": "earliest",
        **{key.replace("_", "."): value for key, value in config.items()},
    }
    consumer = KafkaConsumer(lab, settings, name=name)
    consumer.subscribe(["orders"])
    turn = 0
    while lab.now_ms < until_ms:
        turn += 1
        try:
            records = consumer.poll(timeout_ms=400)
            if records and turn % 3 == 0:
                consumer.commit_sync()
            elif turn % 5 == 0:
                consumer.commit_async()
        except KafkaException:
            pass
        if work_ms:
            lab.sleep(work_ms)
    try:
        consumer.close()
    except KafkaException:
        pass


def group(client: str, broker: str, cold: bool = False, **config: object) -> Lab:
    """Three members come at different times, one is killed, the coordinator crashes and returns."""
    lab = make_lab(client, broker, seed=11, cold=cold)
    lab.place_coordinator("shop", 1)
    for number, (start, until) in enumerate(((0, 24_000), (2_500, 30_000), (6_000, 18_000))):
        lab.spawn(
            partial(consume, start_ms=start, **config), f"m{number}", until, name=f"m{number}"
        )
    lab.spawn(produce, "till", 30, 400, name="till")
    lab.run_for(ms=12_000)
    lab.broker(1).crash()
    lab.run_for(ms=5_000)
    lab.broker(1).restart()
    lab.run_for(ms=4_000)
    lab.kill("m1")
    lab.run_for(ms=20_000)
    lab.close()
    return lab


def slow_member(client: str, broker: str, **config: object) -> Lab:
    """One member works longer than it may, the link of the other is slow and is cut."""
    lab = make_lab(client, broker, seed=12)
    limits = {"max_poll_interval_ms": 3_000, "session_timeout_ms": 6_000, **config}
    lab.spawn(partial(consume, **limits), "slow", 20_000, 4_500, name="slow")
    lab.spawn(partial(consume, start_ms=1_000, **limits), "quick", 20_000, name="quick")
    lab.spawn(produce, "till", 20, 300, name="till")
    lab.run_for(ms=6_000)
    lab.link(0, "quick").set_latency(ms=80)
    lab.run_for(ms=2_000)
    lab.link(2, "quick").cut()
    lab.run_for(ms=3_000)
    lab.link(2, "quick").heal()
    lab.run_for(ms=14_000)
    lab.close()
    return lab


def producers(client: str, broker: str) -> Lab:
    """Three kinds of acks and compression while a leader crashes and an answer is lost."""
    lab = make_lab(client, broker, seed=13)
    for number, acks in enumerate(("0", "1", "all")):
        config = {
            "acks": acks,
            "linger.ms": 20 * number,
            "compression.type": ("none", "gzip", "lz4")[number],
            "batch.size": 300,
            "request.timeout.ms": 3_000,
            "delivery.timeout.ms": 12_000,
            "enable.idempotence": acks == "all",
        }
        lab.spawn(
            lambda lab, name, config: produce(lab, name, 25, 120, **config),
            f"p{number}",
            config,
            name=f"p{number}",
        )
    lab.run_for(ms=900)
    lab.link(2, "p2").cut_before_reply("PRODUCE")
    lab.run_for(ms=700)
    lab.broker(0).crash()
    lab.run_for(ms=3_000)
    lab.broker(0).restart()
    lab.run_for(ms=15_000)
    lab.close()
    return lab


def transact(lab: Lab, name: str, rounds: int, until_ms: int) -> None:
    """Copy from `orders` to `paid` in transactions, commit two of three, abort the third."""
    producer = KafkaProducer(
        lab,
        {"transactional.id": "till-1", "client.id": name, "transaction.timeout.ms": 5_000},
        name=name,
    )
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "copy",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "isolation.level": "read_committed",
        },
        name=f"{name}-reader",
    )
    consumer.subscribe(["orders"])
    try:
        producer.init_transactions()
        done = 0
        while done < rounds and lab.now_ms < until_ms:
            records = list(consumer.poll(timeout_ms=500))
            if not records:
                continue
            producer.begin_transaction()
            for record in records:
                producer.send(ProducerRecord("paid", key=record.key, value=record.value))
            places = {
                TopicPartition(r.topic, r.partition): OffsetAndMetadata(r.offset + 1)
                for r in records
            }
            producer.send_offsets_to_transaction(places, ConsumerGroupMetadata("copy"))
            done += 1
            if done % 3:
                producer.commit_transaction()
            else:
                producer.abort_transaction()
        producer.close(timeout_ms=2_000)
        consumer.close()
    except KafkaException:
        producer.close(timeout_ms=0)


def transactions(client: str, broker: str) -> Lab:
    """A transactional copy, a second producer of its id, a crash of the coordinator."""
    lab = make_lab(client, broker, seed=14)
    lab.create_topic("paid", partitions=2, replication_factor=3)
    lab.place_transaction_coordinator("till-1", 2)
    lab.spawn(produce, "shop", 30, 250, name="shop")
    lab.spawn(transact, "copier", 12, 25_000, name="copier")
    lab.run_for(ms=6_000)
    lab.broker(2).crash()
    lab.run_for(ms=4_000)
    lab.broker(2).restart()
    lab.spawn(transact, "second", 4, 40_000, name="second")
    lab.run_for(ms=25_000)
    lab.close()
    return lab


def administrator(client: str, broker: str) -> Lab:
    """Topics made, widened, listed and deleted; a group described; ids spread by a refused call."""
    lab = make_lab(client, broker, seed=15)
    lab.spawn(partial(consume), "m0", 15_000, name="m0")
    lab.spawn(produce, "till", 10, 200, name="till")
    lab.run_for(ms=4_000)
    admin = KafkaAdminClient(lab, {"client.id": "ops"})
    for ask in (
        lambda: admin.create_topics([NewTopic("audit", 2, 3)]),
        lambda: admin.create_partitions({"audit": NewPartitions.increase_to(4)}),
        lambda: admin.list_topics(),
        lambda: admin.describe_topics(["orders", "nope"]),
        lambda: admin.describe_cluster(),
        lambda: admin.list_consumer_groups(),
        lambda: admin.describe_consumer_groups(["shop"]),
        lambda: admin.list_consumer_group_offsets("shop"),
        lambda: admin.delete_consumer_groups(["shop"]),
        lambda: admin.delete_topics(["audit"]),
    ):
        try:
            ask()
        except (KafkaException, AttributeError, ValueError) as error:
            lab.journal.note("call", "ops", name=type(error).__name__, args={})
        lab.run_for(ms=700)
    admin.close()
    lab.run_for(ms=12_000)
    lab.close()
    return lab


def faults(client: str, broker: str) -> Lab:
    """Brokers are frozen, parted and unclean, logs are cut and cleaned while clients work on."""
    lab = Lab(
        brokers=3,
        seed=16,
        version=client,
        broker_version=broker,
        broker_config={"unclean.leader.election.enable": True, "replica.lag.time.max.ms": 2_000},
    )
    lab.create_topic("orders", partitions=3, replication_factor=2)
    lab.spawn(produce, "till", 60, 150, name="till")
    lab.spawn(partial(consume), "m0", 25_000, name="m0")
    lab.run_for(ms=2_000)
    lab.broker(1).pause(3_000)
    lab.run_for(ms=4_000)
    lab.partition([0], [1, 2])
    lab.run_for(ms=6_000)
    lab.heal()
    lab.run_for(ms=3_000)
    lab.broker(2).stop()
    lab.run_for(ms=2_000)
    lab.broker(0).crash()
    lab.broker(2).restart()
    lab.run_for(ms=4_000)
    lab.broker(0).restart()
    lab.run_for(ms=10_000)
    lab.close()
    return lab


def stories() -> dict[str, Callable[[], Lab]]:
    """Every lab of the net by its name."""
    told: dict[str, Callable[[], Lab]] = {}
    for client, broker in PAIRS:
        where = f"client {client}, broker {broker}"
        told[f"group, {where}"] = partial(group, client, broker)
        told[f"producers, {where}"] = partial(producers, client, broker)
        told[f"transactions, {where}"] = partial(transactions, client, broker)
    for client in ("2.3", "4.4"):
        told[f"slow member, client {client}"] = partial(slow_member, client, client)
        told[f"faults, client {client}"] = partial(faults, client, client)
    for client, broker in (("2.3", "2.3"), ("2.8", "4.4"), ("4.4", "4.4")):
        told[f"administrator, client {client}"] = partial(administrator, client, broker)
    told["cold group, client 3.9"] = partial(group, "3.9", "4.4", cold=True)
    sticky = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
    for client in ("2.8", "4.4"):
        told[f"cooperative group, client {client}"] = partial(
            group, client, "4.4", partition_assignment_strategy=sticky
        )
    for client in ("4.0", "4.4"):
        modern = {"group_protocol": "consumer"}
        told[f"KIP-848 group, client {client}"] = partial(group, client, "4.4", **modern)
    told["KIP-848 slow member, client 4.4"] = partial(slow_member_modern)
    return told


def slow_member_modern() -> Lab:
    """The slow member's story under KIP-848, where the broker sets the session."""
    lab = make_lab("4.4", "4.4", seed=12)
    limits = {"group_protocol": "consumer", "max_poll_interval_ms": 3_000}
    lab.spawn(partial(consume, **limits), "slow", 20_000, 4_500, name="slow")
    lab.spawn(partial(consume, start_ms=1_000, **limits), "quick", 20_000, name="quick")
    lab.spawn(produce, "till", 20, 300, name="till")
    lab.run_for(ms=25_000)
    lab.close()
    return lab


def digest(lab: Lab) -> dict[str, object]:
    """How many events a lab wrote, and a digest each of its journal and of its clients' logs."""
    lines = hashlib.sha256()
    for event in lab.journal.of("line"):
        lines.update(f"{event.who}: {lab.line_text(event)}".encode())
    return {
        "events": len(lab.journal.events),
        "journal": lab.journal.digest()[:16],
        "lines": lines.hexdigest()[:16],
    }


def main() -> None:
    """Play every story and write its digest into the file that the test reads."""
    digests = {}
    for name, story in stories().items():
        digests[name] = digest(story())
        print(f"{name}: {digests[name]['events']} events", file=sys.stderr)
    DIGESTS.write_text(json.dumps(digests, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
