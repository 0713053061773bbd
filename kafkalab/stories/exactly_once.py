"""Plays the stories of chapter 06: orders that are sold, packed or copied while something fails.

Kafka's classes are ProducerStateManager on the broker and TransactionManager in the producer.
"""

from __future__ import annotations

from functools import cache
from random import Random
from typing import Any

from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.errors import IllegalArgumentException, KafkaException
from kafkalab.lab import Lab
from kafkalab.records import ProducerRecord, TopicPartition

STORIES = (
    "an answer is lost",
    "the program sends again",
    "the program starts again",
    "the program is told twice",
)
KINDS: dict[str, dict[str, Any]] = {
    "plain": {"enable.idempotence": False},
    "idempotent": {},
    "transactional": {"transactional.id": "till"},
}
"""The producers of chapter 06, section 3: name -> its setting."""


def lost_answer(version: str = "3.9", seed: int = 6, **config: Any) -> Lab:
    """A lab in which five orders were sent and the answer to the third was lost on its way."""
    lab = Lab(brokers=1, seed=seed, version=version)
    lab.create_topic("orders")
    shop = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 0, **config})
    shop.partitions_for("orders")
    for number in range(5):
        if number == 2:
            lab.link(0, "shop").cut_before_reply("PRODUCE")
        shop.send(ProducerRecord("orders", key=f"order {number}", value="tea")).get()
    return lab


def in_the_log(lab: Lab, partition: str = "orders-0") -> int:
    """The log end offset of a partition: how many offsets are used."""
    return int(lab.at(lab.now_ms)["partitions"][partition]["log_end_offset"])


def keys_read(
    lab: Lab, isolation: str = "read_committed", topic: str = "orders"
) -> list[str | None]:
    """The keys that a reader of this isolation level gets from a topic's first partition."""
    reader = KafkaConsumer(lab, {"isolation.level": isolation, "auto.offset.reset": "earliest"})
    reader.assign([TopicPartition(topic, 0)])
    return [record.key for _ in range(4) for record in reader.poll(timeout_ms=500)]


class Till:
    """A program that sells orders with one kind of producer."""

    def __init__(self, lab: Lab, kind: str, name: str = "till") -> None:
        self.kind, self.in_transactions = kind, kind == "transactional"
        self.producer = KafkaProducer(
            lab,
            {
                "client.id": name,
                "linger.ms": 0,
                "request.timeout.ms": 1_000,
                "delivery.timeout.ms": 3_000,
                **KINDS[kind],
            },
            name=name,
        )
        if self.in_transactions:
            self.producer.init_transactions()
        self.producer.partitions_for("orders")

    def sell(self, order: str) -> None:
        """Send one order and wait for the answer; in a transaction of its own where it has them."""
        if self.in_transactions:
            self.producer.begin_transaction()
        self.producer.send(ProducerRecord("orders", key=order, value="tea")).get()
        if self.in_transactions:
            self.producer.commit_transaction()

    def sell_again(self, order: str) -> None:
        """What a program does after an error: abort where there is a transaction, and sell."""
        if self.in_transactions:
            self.producer.abort_transaction()
        self.sell(order)


def an_answer_is_lost(lab: Lab, till: Till, order: str) -> Till:
    """The connection breaks before the answer; the producer itself sends again."""
    lab.link(0, "till").cut_before_reply("PRODUCE")
    till.sell(order)
    return till


def the_program_sends_again(lab: Lab, till: Till, order: str) -> Till:
    """The network is away until `delivery.timeout.ms` is over; the program calls `send` again."""
    link = lab.link(0, "till")
    link.cut_before_reply("PRODUCE")
    lab.clock.at(lab.now_ms + 12, link.cut)
    lab.clock.at(lab.now_ms + 6_000, link.heal)
    try:
        till.sell(order)
    except KafkaException:
        lab.run_for(ms=6_000)
        till.sell_again(order)
    return till


def the_program_starts_again(lab: Lab, till: Till, order: str) -> Till:
    """The process dies before the answer; a new process sells the order again."""
    lab.link(0, "till").cut_before_reply("PRODUCE")
    if till.in_transactions:
        till.producer.begin_transaction()
    till.producer.send(ProducerRecord("orders", key=order, value="tea"))
    lab.run_for(ms=15)
    lab.kill("till")
    again = Till(lab, till.kind, "till again")
    again.sell(order)
    return again


def the_program_is_told_twice(lab: Lab, till: Till, order: str) -> Till:
    """A customer clicks twice."""
    till.sell(order)
    till.sell(order)
    return till


_THIRD_ORDER = dict(
    zip(
        STORIES,
        (
            an_answer_is_lost,
            the_program_sends_again,
            the_program_starts_again,
            the_program_is_told_twice,
        ),
    )
)


def tell(story: str, kind: str) -> Lab:
    """A lab in which five orders were sold by one kind of producer; the third one has the story.

    story: one of STORIES; kind: a key of KINDS
    """
    lab = Lab(brokers=1, seed=6)
    lab.create_topic("orders")
    till = Till(lab, kind)
    for number in range(5):
        order = f"order {number}"
        if number == 2:
            till = _THIRD_ORDER[story](lab, till, order)
        else:
            till.sell(order)
    return lab


def two_records_in_a_transaction(lab: Lab, told: dict[str, str], name: str, pace_ms: int) -> None:
    """A program with one transaction of two records, `pace_ms` between them.

    told: gets under its name "committed", or the class of the error
    """
    producer = KafkaProducer(
        lab, {"transactional.id": "till", "client.id": name, "linger.ms": 0}, name=name
    )
    try:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(ProducerRecord("orders", key=f"{name} 1", value="tea"))
        lab.sleep(pace_ms)
        producer.send(ProducerRecord("orders", key=f"{name} 2", value="milk"))
        producer.commit_transaction()
        told[name] = "committed"
    except KafkaException as error:
        told[name] = type(error).__name__


def epoch_after(client: str, transactions: int, starts: int, ends_by: str, seed: int = 3) -> int:
    """The epoch that the last of so many starts of one program gets.

    Each earlier start commits its transactions. Then it closes, or it is killed in the middle of
    one more. ends_by: "close" or "kill -9"

    Raises IllegalArgumentException for another end.
    """
    if ends_by not in ("close", "kill -9"):
        raise IllegalArgumentException(f'ends_by is "close" or "kill -9", not {ends_by!r}')
    lab = Lab(brokers=1, seed=seed, version=client)
    lab.create_topic("orders")
    for start in range(starts):
        producer = KafkaProducer(lab, {"transactional.id": "till"}, name=f"start {start}")
        producer.init_transactions()
        if start == starts - 1:
            break
        for _ in range(transactions):
            producer.begin_transaction()
            producer.send(ProducerRecord("orders", value="tea"))
            producer.commit_transaction()
        if ends_by == "close":
            producer.close()
            continue
        producer.begin_transaction()
        producer.send(ProducerRecord("orders", value="tea")).get()
        lab.kill(f"start {start}")
    return int(lab.at(lab.now_ms)["transactions"]["till"]["epoch"])


def packing_lab() -> tuple[Lab, KafkaConsumer, KafkaProducer]:
    """A lab with four orders, a consumer that polls two at a time, and a transactional producer."""
    lab = Lab(brokers=1, seed=8)
    for topic in ("orders", "parcels"):
        lab.create_topic(topic)
    shop = KafkaProducer(lab, {"client.id": "shop"}, name="shop")
    for number in range(4):
        shop.send(ProducerRecord("orders", key=f"order {number}", value="tea")).get()
    packer = KafkaProducer(lab, {"transactional.id": "packing"}, name="packer")
    packer.init_transactions()
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "packing",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "max.poll.records": 2,
        },
        name="reader",
    )
    consumer.assign([TopicPartition("orders", 0)])
    return lab, consumer, packer


def hanging_transaction() -> Lab:
    """A lab with an open transaction: `slow` wrote one record to `take` and does not end it.

    `plain` wrote one record before and two behind it.
    """
    lab = Lab(brokers=1, seed=7)
    lab.create_topic("take")
    plain = KafkaProducer(lab, {"client.id": "plain", "linger.ms": 0}, name="plain")
    slow = KafkaProducer(lab, {"transactional.id": "slow", "linger.ms": 0}, name="slow")
    slow.init_transactions()
    slow.begin_transaction()
    for number in range(3):
        plain.send(ProducerRecord("take", key=f"plain {number}", value="-1")).get()
        if number == 0:
            slow.send(ProducerRecord("take", key="slow", value="-5")).get()
    return lab


def day_of(day: int) -> Lab:
    """A day of three shops that write to one partition.

    shop-a has no idempotence, shop-b has it. shop-c has it too, starts again and repeats its last
    orders. The network loses answers of the first two.
    """
    rng = Random(day)
    lab = Lab(brokers=1, seed=day, version="3.9")
    lab.create_topic("orders")
    config = {"linger.ms": 0, "request.timeout.ms": 2_000, "retry.backoff.ms": 20}
    shops: dict[str, dict[str, Any]] = {
        "shop-a": {"enable.idempotence": False},
        "shop-b": {},
        "shop-c": {},
    }
    producers = {
        name: KafkaProducer(lab, {"client.id": name, **config, **own}, name=name)
        for name, own in shops.items()
    }
    numbers = _order_numbers(Random(day + 1_000))
    lost = {name: rng.sample(range(1, 24), rng.randrange(3, 8)) for name in ("shop-a", "shop-b")}
    starts_again = rng.randrange(9, 20)
    repeats = rng.choice([count for count in range(2, 8) if count != len(lost["shop-a"])])

    def sell(name: str, number: int) -> None:
        order = f"order {numbers[name, number]}"
        producers[name].send(ProducerRecord("orders", key=order, value="tea")).get()

    for number in range(24):
        for name in shops:
            if number in lost.get(name, ()):
                lab.link(0, name).cut_before_reply("PRODUCE")
            sell(name, number)
        if number == starts_again:
            lab.kill("shop-c")
            producers["shop-c"] = KafkaProducer(
                lab, {"client.id": "shop-c", **config}, name="shop-c again"
            )
            for again in range(number - repeats + 1, number + 1):
                sell("shop-c", again)
    return lab


def _order_numbers(rng: Random) -> dict[tuple[str, int], int]:
    """(shop, its so-manieth order) -> a number of the order that does not tell the shop."""
    places = [(shop, number) for shop in ("shop-a", "shop-b", "shop-c") for number in range(24)]
    return dict(zip(places, rng.sample(range(1_000, 10_000), len(places))))


@cache
def ledger(day: int) -> tuple[str, ...]:
    """Every record of that day, a line each, in the words of kafka-dump-log --print-data-log,
    with the batch's producer beside it.
    """
    return tuple(
        (
            f"| offset: {event.base_offset + place} producerId: {event.producer_id} producerEpoch: "
            f"{event.producer_epoch} sequence: "
            f"{event.base_sequence + place if event.base_sequence >= 0 else -1} key: {record.key} "
            f"payload: {record.value}"
        )
        for event in day_of(day).journal.of("record.appended")
        if event.topic == "orders"
        for place, record in enumerate(event.records)
    )
