"""A consumer takes 2 s for each record and 500 records a poll: 1000 s of work, and
max.poll.interval.ms is 300 s.

After 300 s its own heartbeat thread makes it leave the group. When it has done all 500 it wants to
commit, and is refused: it is no member any more, or of an older generation. It joins anew, gets the
same 500 records, and so for ever. Two cures: less work a poll (max.poll.records) or more time for
it (max.poll.interval.ms). 150 records would take 300 s to the millisecond, so the cure is 140.
"""

from __future__ import annotations

from dataclasses import dataclass

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.errors import CommitFailedException
from kafkalab.tests.scenarios import show
from kafkalab.views import lag_curve

RECORDS, WORK_MS, PATIENCE_MS = 1_000, 2_000, 2_400_000
CASES = {
    "defaults: 500 records a poll, 300 s for them": {},
    "max.poll.records=140: 280 s a poll": {"max.poll.records": 140},
    "max.poll.interval.ms=1010000": {"max.poll.interval.ms": 1_010_000},
}


@dataclass(frozen=True)
class Told:
    """labs: by case; done: records worked on, by case, the same one counted again; refused:
    commits that failed, by case."""

    labs: dict[str, Lab]
    done: dict[str, int]
    refused: dict[str, int]

    @property
    def account(self) -> str:
        return "\n".join(
            f"{case}: {self.done[case]} pieces of work, {self.refused[case]} commits refused, "
            f"{committed(self.labs[case])} of {RECORDS} records committed"
            for case in self.labs
        )


def tell() -> Told:
    told = Told({}, {}, {})
    for case, config in CASES.items():
        told.labs[case] = lab = Lab(brokers=1, seed=3)
        lab.create_topic("orders")
        with_records(lab)
        told.done[case], told.refused[case] = work(lab, config)
    return told


def with_records(lab: Lab) -> None:
    producer = KafkaProducer(lab)
    for number in range(RECORDS):
        producer.send(ProducerRecord("orders", key=str(number), value="tea"))
    producer.close()


def work(lab: Lab, config: dict[str, object]) -> tuple[int, int]:
    """Poll, work through what came, commit; until all is committed or patience ends."""
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "inventory",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **config,
        },
    )
    consumer.subscribe(["orders"])
    done = refused = 0
    while committed(lab) < RECORDS and lab.now_ms < PATIENCE_MS:
        for _ in consumer.poll(timeout_ms=1_000):
            lab.sleep(WORK_MS)
            done += 1
        try:
            consumer.commit_sync()
        except CommitFailedException:
            refused += 1
    return done, refused


def committed(lab: Lab) -> int:
    """How far the group has come, as its coordinator has it."""
    return max(
        (event.offset for event in lab.journal.of("commit") if "offset" in event.fields), default=0
    )


def draw(told: Told):
    return lag_curve(
        told.labs, "inventory", title="2 s a record: who commits in time, and who never"
    )


if __name__ == "__main__":
    show("slow_consumer", tell, draw)
