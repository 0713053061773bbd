"""A transactional producer stands still in the middle of a transaction; somebody starts another one
with its transactional.id.

The new one's initTransactions raises the epoch and has the open transaction aborted. When the old
one wakes up and goes on, it is fenced: its record is refused, its commit fails, and readers of what
is committed never see any of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition
from kafkalab.errors import KafkaException
from kafkalab.tests.scenarios import show
from kafkalab.views import transaction_timeline

PAUSE_AT_MS, PAUSE_MS, SUCCESSOR_AT_MS, END_MS = 2_000, 6_000, 4_000, 12_000


@dataclass
class Told:
    """what: what each producer met, in its own words; read:
    keys that a reader of committed records got."""

    lab: Lab
    what: dict[str, str] = field(default_factory=dict)
    read: list[str] = field(default_factory=list)

    @property
    def account(self) -> str:
        return "\n".join(
            [
                *(f"{name}: {what}" for name, what in self.what.items()),
                f"read_committed reads: {', '.join(self.read)}",
            ]
        )


def tell() -> Told:
    told = Told(Lab(brokers=3, seed=4, version="4.4"))
    lab = told.lab
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    lab.place_transaction_coordinator("copier", 1)
    zombie = lab.spawn(copy, told, "copier-old", 1_000, name="copier-old")
    lab.clock.at(PAUSE_AT_MS, lambda: zombie.pause(PAUSE_MS))
    lab.clock.at(
        SUCCESSOR_AT_MS, lambda: lab.spawn(copy, told, "copier-new", 200, name="copier-new")
    )
    lab.run_for(ms=END_MS)
    lab.close()
    reader = KafkaConsumer(
        lab,
        {
            "isolation.level": "read_committed",
            "auto.offset.reset": "earliest",
            "client.id": "auditor",
        },
        name="auditor",
    )
    reader.assign([TopicPartition("orders", 0)])
    for _ in range(6):
        told.read += [record.key for record in reader.poll(timeout_ms=500)]
    return told


def copy(lab: Lab, told: Told, name: str, between_ms: int) -> None:
    """One transaction of two records, with time between them."""
    producer = KafkaProducer(
        lab, {"transactional.id": "copier", "client.id": name, "linger.ms": 0}, name=name
    )
    try:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(ProducerRecord("orders", key=f"{name} 1", value="tea"))
        lab.sleep(between_ms)
        lab.sleep(between_ms)
        producer.send(ProducerRecord("orders", key=f"{name} 2", value="milk"))
        producer.commit_transaction()
        told.what[name] = f"committed at {lab.now_ms} ms"
    except KafkaException as error:
        told.what[name] = f"{type(error).__name__} at {lab.now_ms} ms"


def draw(told: Told):
    return transaction_timeline(
        told.lab, "copier", title="a zombie is fenced: its epoch is over when it wakes up"
    )


if __name__ == "__main__":
    show("zombie_fenced", tell, draw)
