"""Plays the experiments of chapter 03 in labs of their own: which connections a consumer opens.

Three brokers, a topic `t4` with three partitions, and a group `test`. Broker 2 coordinates it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord

if TYPE_CHECKING:
    import pandas

STEPS = ("METADATA", "FIND_COORDINATOR", "JOIN_GROUP", "SYNC_GROUP", "OFFSET_FETCH", "LIST_OFFSETS")
"""The requests by which a consumer gets ready to read."""


def reader(
    version: str = "2.3", leaders: Sequence[int] = (0, 1, 2), seed: int = 7, **config: object
) -> tuple[Lab, KafkaConsumer]:
    """A lab and a consumer of group `test` in it, not yet subscribed.

    leaders  the broker that leads each partition of `t4`
    config   more settings of the consumer
    """
    broker_version = "2.3" if version.startswith("2.") else "4.4"
    lab = Lab(brokers=3, seed=seed, version=version, broker_version=broker_version)
    lab.create_topic("t4", partitions=len(leaders), leaders=list(leaders))
    lab.place_coordinator("test", broker=2)
    return lab, KafkaConsumer(lab, {"group.id": "test", **config}, name="reader")


def poll_for(consumer: KafkaConsumer, lab: Lab, ms: int) -> None:
    """Poll again and again, for this many milliseconds of the lab's time."""
    end = lab.now_ms + ms
    while lab.now_ms < end:
        consumer.poll(timeout_ms=200)


def open_now(lab: Lab) -> int:
    """How many connections are open."""
    return sum(socket.closed_at_ms is None for socket in lab.sockets())


def say(lab: Lab, *wanted: str) -> None:
    """Print the client's lines about the network that hold one of the words."""
    for line in lab.lines().query("logger.str.endswith('NetworkClient')").itertuples():
        if any(words in str(line.message) for words in wanted):
            print(str(line.time)[-12:], line.level, str(line.message).split("] ", 1)[-1])


def by_class(lab: Lab) -> pandas.DataFrame:
    """How many requests of each kind went over connections of each class."""
    import pandas

    requests = lab.table("request.sent")
    role_of = {socket.event_id: socket.role for socket in lab.sockets()}
    classes = requests.socket.map(role_of).rename("class")
    return pandas.crosstab(requests.api, classes)[["bootstrap", "coordinator", "data"]]


def with_nine_records() -> tuple[Lab, KafkaConsumer]:
    """`reader()` with three records in each partition of `t4`."""
    lab, consumer = reader()
    producer = KafkaProducer(lab, {})
    for number in range(9):
        producer.send(ProducerRecord("t4", value="tea", partition=number % 3))
    producer.close()
    return lab, consumer


def first_node(seed: int) -> str:
    """The node id that a consumer with three addresses connects to first."""
    three: dict[str, object] = {"bootstrap.servers": "localhost:9092,localhost:9093,localhost:9094"}
    lab, consumer = reader("2.3", (0, 1, 2), seed, **three)
    consumer.subscribe(["t4"])
    poll_for(consumer, lab, ms=100)
    return str(lab.sockets()[0].node_id)


def two_addresses(version: str, seed: int = 3) -> Lab:
    """A lab in which a consumer with two addresses, for two brokers, has read for five seconds."""
    broker_version = "2.3" if version.startswith("2.") else "4.4"
    lab = Lab(brokers=2, seed=seed, version=version, broker_version=broker_version)
    lab.create_topic("t5", partitions=5)
    lab.place_coordinator("test", broker=0)
    addresses = "localhost:9092,localhost:9093"
    settings = {"group.id": "test", "bootstrap.servers": addresses}
    consumer = KafkaConsumer(lab, settings, name="reader")
    consumer.subscribe(["t5"])
    poll_for(consumer, lab, ms=5_000)
    return lab
