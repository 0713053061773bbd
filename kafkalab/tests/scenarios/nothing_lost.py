"""The eight rules against losing messages, kept all together while every broker crashes once, the
producer's answers get lost and the consumer is killed: nothing acknowledged is lost, and what was
read twice was only not yet committed.

1 send with a callback. 2 acks=all. 3 retries without end, as long as delivery.timeout.ms. 4 no
unclean election. 5 three replicas. 6 min.insync.replicas 2. 7 more replicas than that. 8 commit
after the work, by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.errors import KafkaException
from kafkalab.tests.scenarios import show
from kafkalab.views import replica_ladder

RECORDS, EVERY_MS, END_MS = 60, 700, 60_000
BROKERS = {
    "unclean.leader.election.enable": False,
    "min.insync.replicas": 2,
    "broker.session.timeout.ms": 6_000,
}
PRODUCER = {
    "acks": "all",
    "retries": 2_147_483_647,
    "delivery.timeout.ms": 120_000,
    "request.timeout.ms": 3_000,
    "client.id": "shop",
}
CONSUMER = {
    "group.id": "inventory",
    "enable.auto.commit": False,
    "auto.offset.reset": "earliest",
    "session.timeout.ms": 6_000,
    "heartbeat.interval.ms": 1_000,
    "max.poll.records": 5,
}


@dataclass
class Told:
    """acknowledged, failed: keys, as the callbacks heard; done:
    keys worked on, in order, again where it was done again."""

    lab: Lab
    acknowledged: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    done: list[str] = field(default_factory=list)
    moments: dict[int, str] = field(default_factory=dict)

    @property
    def lost(self) -> list[str]:
        return [key for key in self.acknowledged if key not in self.done]

    @property
    def account(self) -> str:
        return (
            f"{RECORDS} records sent: {len(self.acknowledged)} acknowledged, {len(self.failed)} "
            "failed and said so\n"
            f"worked on: {len(set(self.done))}, {len(self.done) - len(set(self.done))} of them "
            f"twice; lost: {len(self.lost)}"
        )


def tell() -> Told:
    told = Told(Lab(brokers=3, seed=11, broker_config=BROKERS))
    lab = told.lab
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    lab.spawn(shop, told, name="shop")
    lab.spawn(inventory, told, "inv-1", name="inv-1")
    for broker, at_ms in ((0, 5_000), (1, 18_000), (2, 31_000)):
        lab.clock.at(at_ms, lab.broker(broker).crash)
        lab.clock.at(at_ms + 8_000, lab.broker(broker).restart)
    lab.clock.at(3_000, lambda: lab.link(0, "shop").cut_before_reply("PRODUCE"))
    lab.clock.at(15_100, lambda: lab.kill("inv-1"))
    lab.clock.at(16_000, lambda: lab.spawn(inventory, told, "inv-2", name="inv-2"))
    for at_ms, caption in (
        (4_500, "before"),
        (12_500, "0 is away"),
        (25_500, "1 is away"),
        (38_500, "2 is away"),
        (END_MS, "in the end"),
    ):
        told.moments[at_ms] = caption
    lab.run_for(ms=END_MS)
    lab.close()
    return told


def shop(lab: Lab, told: Told) -> None:
    """Sends a record now and then; the callback says what became of it."""
    producer = KafkaProducer(lab, PRODUCER, name="shop")
    for number in range(RECORDS):
        key = f"order-{number}"
        producer.send(
            ProducerRecord("orders", key=key, value="tea"),
            lambda metadata, error, key=key: (told.failed if error else told.acknowledged).append(
                key
            ),
        )
        lab.sleep(EVERY_MS)


def inventory(lab: Lab, told: Told, name: str) -> None:
    """Works first and commits afterwards."""
    consumer = KafkaConsumer(lab, {**CONSUMER, "client.id": name}, name=name)
    consumer.subscribe(["orders"])
    while True:
        try:
            for record in consumer.poll(timeout_ms=500):
                lab.sleep(150)
                told.done.append(record.key)
            consumer.commit_sync()
        except KafkaException:
            # not a member any more, or no coordinator in time: what was not committed comes again
            pass


def draw(told: Told):
    return replica_ladder(
        told.lab,
        "orders-0",
        told.moments,
        title=(
            f"every broker crashes once: {len(told.acknowledged)} records acknowledged, "
            f"{len(told.lost)} lost"
        ),
    )


if __name__ == "__main__":
    show("nothing_lost", tell, draw)
