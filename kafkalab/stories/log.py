"""Writes the orders of chapter 01 and plays what happens when a log loses its newest records."""

from __future__ import annotations

from collections.abc import Mapping

from kafkalab import (
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    ProducerRecord,
    TopicPartition,
)

PLACE = TopicPartition("orders", 0)
COPIED, LOST = 8, 4
"""How many records both replicas have, and how many only the leader that crashes for ever has."""


def write_orders(lab: Lab, records: int, partitions: int = 1) -> None:
    """Write so many records into `orders`, in turn to partitions 0, 1, 2 ..., and close."""
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(records):
        producer.send(
            ProducerRecord("orders", partition=number % partitions, value=f"order {number}")
        )
    producer.close()


def start_beyond_end(version: str, reset: str, seed: int = 1) -> int | str:
    """The offset at which a client of this version begins when its commit is beyond the log's end.

    Twelve records are written, and the follower misses the last four. The group reads all and
    commits 12. Then the leader crashes, and the follower becomes leader by an unclean election: its
    log ends at 8. The group starts again with `auto.offset.reset` set to `reset`.

    Returns the name of Java's exception where the client raises one. Up to client 2.2 the reset
    policy decides. From 2.3 the client asks the new leader where the two logs part (KIP-320).
    """
    lab, settings = _cluster(version, seed)
    shop = KafkaProducer(
        lab, {"acks": "1", "enable.idempotence": False, "bootstrap.servers": broker_address(2)}
    )
    _send(shop, COPIED)
    lab.run_for(ms=2_000)
    lab.broker(1).crash()
    lab.run_for(ms=20_000)
    _send(shop, LOST)
    first = KafkaConsumer(lab, {**settings, "auto.offset.reset": "earliest"}, name="first")
    first.assign([PLACE])
    while first.position(PLACE) < COPIED + LOST:
        first.poll(timeout_ms=500)
    first.commit_sync()
    first.close()
    lab.broker(0).crash()
    lab.run_for(ms=20_000)
    lab.broker(1).restart()
    lab.run_for(ms=80_000)
    return _start(lab, {**settings, "auto.offset.reset": reset})


def broker_address(broker: int) -> str:
    """The address of a lab's broker, as `bootstrap.servers` takes it."""
    return f"localhost:{9092 + broker}"


def _cluster(version: str, seed: int) -> tuple[Lab, Mapping[str, object]]:
    """Three brokers, two replicas of `orders` on 0 and 1, and the group's coordinator on 2."""
    broker_version = "2.3" if version.startswith("2.") else "4.4"
    lab = Lab(brokers=3, seed=seed, version=version, broker_version=broker_version)
    unclean = {"unclean.leader.election.enable": True}
    lab.create_topic("orders", partitions=1, replication_factor=2, leaders=[0], config=unclean)
    lab.place_coordinator("billing", 2)
    return lab, {
        "group.id": "billing",
        "bootstrap.servers": broker_address(2),
        "enable.auto.commit": False,
    }


def _send(producer: KafkaProducer, records: int) -> None:
    for _ in range(records):
        producer.send(ProducerRecord("orders", partition=0, value="an order")).get()


def _start(lab: Lab, settings: Mapping[str, object]) -> int | str:
    again = KafkaConsumer(lab, settings, name="again")
    again.assign([PLACE])
    try:
        records = list(again.poll(timeout_ms=60_000))
        return records[0].offset if records else again.position(PLACE)
    except KafkaException as error:
        return error.java_name.rpartition(".")[2]
    finally:
        lab.close()
