"""Laws over many seeds: brokers crash, links are cut, applications dawdle. Whatever happens, no
machine leaves its table, what was acknowledged can be read, and in the end every partition has one
reader."""

import random

import pytest

from kafkalab import (
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.releases import PROFILES
from kafkalab.tests.clients.stories import BROKER_OF_ITS_TIME
from kafkalab.tests.shares import few

FEW, MORE = range(4), range(4, 60)


class Storm:
    """One lab, one producer, up to three members of a group, and 20 things that go wrong;
    the seed decides which."""

    def __init__(self, seed):
        self.chance = chance = random.Random(seed)
        version = chance.choice(list(PROFILES))
        self.brokers, self.partitions = chance.choice([1, 2, 3]), chance.choice([1, 3, 7])
        self.lab = Lab(
            brokers=self.brokers,
            seed=seed,
            version=version,
            broker_version=BROKER_OF_ITS_TIME[version],
        )
        self.lab.create_topic("t", self.partitions)
        self.acknowledged, self.consumers = set(), {}
        self.names = [f"inv-{n}" for n in range(chance.randint(1, 3))]

    def member(self, lab, name):
        """Reads, works, commits, dawdles past max.poll.interval.ms now and then,
        and starts over after an error."""
        while True:
            consumer = self.consumers[name] = KafkaConsumer(
                lab,
                {
                    "group.id": "g",
                    "auto.offset.reset": "earliest",
                    "max.poll.interval.ms": 10_000,
                    "enable.auto.commit": self.chance.choice([True, False]),
                },
                name=name,
            )
            consumer.subscribe(["t"])
            try:
                while True:
                    for _ in consumer.poll(timeout_ms=self.chance.choice([0, 50, 500])):
                        lab.sleep(self.chance.choice([0, 1, 20]))
                    if self.is_stormy and self.chance.random() < 0.03:
                        lab.sleep(self.chance.choice([3_000, 15_000]))
                    # In calm weather nobody commits by hand: a 2.2 that commits while it joins
                    # loses its membership, begins anew and so calls the next rebalance; such a
                    # group may never settle, here as in Java.
                    if self.is_stormy and self.chance.random() < 0.1:
                        consumer.commit_sync()
            except KafkaException:
                consumer.close()

    def till(self, lab):
        producer = KafkaProducer(
            lab, {"acks": "all", "linger.ms": self.chance.choice([0, 20])}, name="till"
        )
        for number in range(40):
            try:
                producer.send(ProducerRecord("t", str(number))).get()
                self.acknowledged.add(str(number))
            except KafkaException:
                pass
            lab.sleep(self.chance.choice([1, 100, 1_000]))

    def something_goes_wrong(self):
        broker, client = (
            self.chance.randrange(self.brokers),
            self.chance.choice([*self.names, "till"]),
        )
        self.chance.choice(
            [
                self.lab.broker(broker).crash,
                self.lab.broker(broker).restart,
                self.lab.link(broker, client).cut,
                self.lab.link(broker, client).heal,
                lambda: None,
            ]
        )()

    def rage(self):
        self.is_stormy = True
        for name in self.names:
            self.lab.spawn(self.member, name)
        self.lab.spawn(self.till)
        for _ in range(20):
            self.lab.run_for(self.chance.choice([100, 1_000, 5_000]))
            self.something_goes_wrong()
        self.is_stormy = False
        for broker in range(self.brokers):
            self.lab.broker(broker).restart()
            for client in (*self.names, "till"):
                self.lab.link(broker, client).heal()
        self.lab.run_for(120_000)


def weather(seed):
    storm = Storm(seed)
    storm.rage()
    assigned = [tp for consumer in storm.consumers.values() for tp in consumer.assignment()]
    assert sorted(assigned) == [TopicPartition("t", n) for n in range(storm.partitions)]
    written = {
        record.value
        for event in storm.lab.journal.of("record.appended")
        if event.topic == "t"
        for record in event.records
    }
    assert storm.acknowledged <= written and storm.acknowledged
    storm.lab.close()


@pytest.mark.parametrize("seed", few(FEW))
def test_after_the_storm_every_partition_has_one_reader_and_nothing_acknowledged_is_lost(seed):
    weather(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", MORE)
def test_after_many_storms(seed):
    weather(seed)
