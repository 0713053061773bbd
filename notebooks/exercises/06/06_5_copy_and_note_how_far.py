# %% [markdown]
# ### Exercise 06.5 · Copy, and commit how far
#
# This loop was in production for a year. It uses transactions, and once a month a customer gets two
# parcels:
#
#     def copy(consumer, producer):
#         records = consumer.poll(timeout_ms=300)
#         if not records:
#             return
#         producer.begin_transaction()
#         for record in records:
#             producer.send(ProducerRecord("parcels", key=record.key, value=record.value))
#         producer.commit_transaction()
#         consumer.commit_sync()
#
# Repair it. `orders` has two partitions, and one poll may bring records of both. The check calls
# `copy` again and again. The process dies at the worst moments, and once the network is away until
# a record cannot be delivered. If `copy` raises, or the process dies, a new process starts. It has
# the same group and the same `transactional.id`, and it calls `init_transactions()` before your
# code. Each order must become one parcel for a `read_committed` reader.

# %% answer
def copy(consumer, producer):
    """Poll once and make a parcel of each order, in one transaction with the offsets."""
    ### BEGIN SOLUTION
    orders = list(consumer.poll(timeout_ms=300))
    begin, end = producer.begin_transaction, producer.commit_transaction
    if not orders:
        return
    begin()
    for order in orders:
        producer.send(ProducerRecord("parcels", key=order.key, value=order.value))
    next_offsets = {
        TopicPartition(order.topic, order.partition): OffsetAndMetadata(order.offset + 1)
        for order in orders
    }
    producer.send_offsets_to_transaction(next_offsets, consumer.group_metadata())
    end()
    ### END SOLUTION


# %% question
from collections import Counter

from autograder.cell.kinds import Function
from kafkalab import (
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    ProducerRecord,
    TopicPartition,
)


class Died(BaseException):
    """The process ends here. No `except Exception` catches that."""


NETWORK_AWAY_MS = 6_000


class Mortal:
    """A producer whose process dies at an appointed call: death is ("after", "commit_transaction",
    2). With ("network away", "send", 4) it lives, and its fourth record cannot be delivered."""

    def __init__(self, lab: Lab, producer: KafkaProducer, name: str, death: list | None):
        self._lab, self._producer, self._name = lab, producer, name
        self._death, self._counts = death, Counter()

    def __getattr__(self, method: str):
        real = getattr(self._producer, method)

        def call(*args, **named):
            self._counts[method] += 1
            here = [method, self._counts[method]]
            if self._death == ["before", *here]:
                self._die()
            if self._death == ["network away", *here]:
                self._cut()
            answer = real(*args, **named)
            if self._death == ["after", *here]:
                self._die()
            return answer

        return call

    def _cut(self):
        for broker in range(3):
            link = self._lab.link(broker, f"{self._name}-producer")
            link.cut()
            self._lab.clock.at(self._lab.now_ms + NETWORK_AWAY_MS, link.heal)

    def _die(self):
        self._lab.run_for(ms=20)
        end_process(self._lab, self._name)
        raise Died


def end_process(lab: Lab, name: str) -> None:
    for client in (name, f"{name}-producer"):
        lab.kill(client)


def comes_from_kafka(error: BaseException | None) -> bool:
    """Whether this is Kafka's error, or what a program raised when it had caught one."""
    while error is not None and not isinstance(error, KafkaException):
        error = error.__cause__ or error.__context__
    return error is not None


def life(title: str, seed: int, *deaths: tuple) -> dict:
    return {
        "case": title,
        "seed_of_lab": seed,
        "orders": 12,
        "deaths": [list(death) for death in deaths],
    }


LIVES = (
    life("nobody dies", 1),
    life("it dies when it has just committed", 2, ("after", "commit_transaction", 2)),
    life("it dies after its fourth record", 3, ("after", "send", 4)),
    life("it dies just before it commits", 4, ("before", "commit_transaction", 3)),
    life("it dies twice", 5, ("after", "send", 4), ("after", "commit_transaction", 1)),
    {
        **life(
            "one poll has brought records of both partitions, and then it dies",
            6,
            ("after", "commit_transaction", 3),
        ),
        "orders": 11,
    },
    {
        **life(
            "nobody dies, but a record cannot be delivered and the commit fails",
            7,
            ("network away", "send", 4),
        ),
        "orders": 24,
    },
    {
        **life(
            "nobody dies, but a transaction with records of both partitions fails",
            8,
            ("network away", "send", 11),
        ),
        "orders": 20,
    },
)


def copied(names, case) -> dict:
    """Orders become parcels by the learner's function, which dies and is started again. What a
    reader of committed records finds."""
    lab = Lab(brokers=3, seed=case["seed_of_lab"], version="3.9")
    for topic in ("orders", "parcels"):
        lab.create_topic(topic, partitions=2)
    shop = KafkaProducer(lab, {"client.id": "shop"}, name="shop")
    for number in range(case["orders"]):
        shop.send(ProducerRecord("orders", key=f"order {number}", value=f"tea {number}"))
    shop.flush()
    for number, death in enumerate([*case["deaths"], None]):
        name = f"packer-{number}"
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "packing",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                "max.poll.records": 3,
                "session.timeout.ms": 6_000,
                "isolation.level": "read_committed",
            },
            name=name,
        )
        producer = KafkaProducer(
            lab,
            {
                "client.id": name,
                "transactional.id": "packing",
                "linger.ms": 0,
                "request.timeout.ms": 1_000,
                "delivery.timeout.ms": 3_000,
            },
            name=f"{name}-producer",
        )
        producer.init_transactions()
        consumer.subscribe(["orders"])
        mortal = Mortal(lab, producer, name, death)
        try:
            for _ in range(25):
                names["copy"](consumer, mortal)
            end_process(lab, name)
        except Died:
            pass
        except (Exception, SystemExit) as error:
            if not comes_from_kafka(error):
                raise  # a slip in the code, which the learner must read
            end_process(lab, name)  # a program that raises ends
        lab.run_for(ms=8_000)
    reader = KafkaConsumer(
        lab, {"isolation.level": "read_committed", "auto.offset.reset": "earliest"}, name="reader"
    )
    reader.assign([TopicPartition("parcels", number) for number in range(2)])
    parcels = [record for _ in range(5) for record in reader.poll(timeout_ms=400)]
    written = [
        record.key
        for event in lab.journal.of("record.appended")
        if event.topic == "parcels"
        for record in event.records
    ]
    asked_to_end = any(event.name == "commit_transaction" for event in lab.journal.of("call"))
    return {
        "parcels": [record.key for record in parcels],
        "values": [record.value for record in parcels],
        "written": len(written),
        "ended": asked_to_end,
    }


def each_once(case: dict, data) -> tuple[bool, str]:
    """Whether every order became one parcel, with its value."""
    counts = Counter(data["parcels"])
    twice = [key for key, count in counts.items() if count > 1]
    missing = [key for number in range(case["orders"]) if (key := f"order {number}") not in counts]
    if data["written"] and not data["ended"]:
        return (
            False,
            "no transaction was ever committed, so a reader of committed records sees nothing.",
        )
    so_many = lambda keys: (
        f"{keys[0]} was" if len(keys) == 1 else f"{len(keys)} orders, such as {keys[0]}, were"
    )
    if twice:
        return (
            False,
            (
                f"{so_many(twice)} packed twice. The parcels were committed, and the program died "
                "before the offsets were."
            ),
        )
    if missing:
        return False, (
            (
                f"{so_many(missing)} never packed. The group's committed offset is behind them, and "
                "their parcels were not committed."
            )
            if case["deaths"]
            else f"{so_many(missing)} never packed."
        )
    for key, value in zip(data["parcels"], data["values"]):
        if value != (wanted := key.replace("order", "tea")):
            return (
                False,
                f'the parcel of {key} holds {value!r}, and the value of {key} is "{wanted}".',
            )
    return True, (
        "the network was away, and every order became one parcel."
        if any(death[0] == "network away" for death in case["deaths"])
        else "the process died, and every order became one parcel."
        if case["deaths"]
        else "nothing failed here, and every order became one parcel."
    )


Function(
    title="copy, and commit how far",
    points=4,
    answers=("copy",),
    public_cases=LIVES,
    probe=copied,
    public_judge=each_once,
    first_only=True,
)

# %% judge
from random import Random

from autograder.course.judge import Judge


def _deaths(rng: Random) -> list[dict]:
    moments = [
        ("after", "commit_transaction", 1),
        ("after", "commit_transaction", 3),
        ("before", "commit_transaction", 2),
        ("after", "send", 2),
        ("after", "send", 5),
        ("after", "begin_transaction", 2),
    ]
    away = {
        **life("hidden", rng.randrange(10, 900), ("network away", "send", rng.choice((4, 7)))),
        "orders": rng.randrange(24, 29),
    }
    alone = {**life("hidden", 11, ("after", "commit_transaction", 1)), "orders": 1}
    return [
        away,
        alone,
        *(
            {
                **life("hidden", rng.randrange(10, 900), *rng.sample(moments, rng.choice((1, 2)))),
                "orders": rng.randrange(9, 16),
            }
            for _ in range(4)
        ),
    ]


Judge(
    hidden_cases=_deaths,
    unseen=(
        "some orders were packed twice or not at all when something failed at another moment. "
        "Parcels and offsets belong into one transaction."
    ),
)


# %% equivalent
# `list(consumer.poll(timeout_ms=300))` -> `consumer.poll(timeout_ms=300)`: the records that `poll`
# returns can be gone through twice.
# `consumer.poll(timeout_ms=300)` -> `consumer.poll(timeout_ms=301)`, `consumer.poll(timeout_ms=299)`:
# a poll without records is followed by another.
# `not orders` -> `False`: a transaction without records does no harm.


# %% wrong="goes back in one partition"
# After a failed commit, orders of one partition were skipped. The poll had brought records of both.
# Seek back in each of them.
def copy(consumer, producer):
    records = list(consumer.poll(timeout_ms=300))
    if not records:
        return
    producer.begin_transaction()
    try:
        for record in records:
            producer.send(ProducerRecord("parcels", key=record.key, value=record.value))
        offsets = {
            TopicPartition(record.topic, record.partition): OffsetAndMetadata(record.offset + 1)
            for record in records
        }
        producer.send_offsets_to_transaction(offsets, consumer.group_metadata())
        producer.commit_transaction()
    except KafkaException:
        producer.abort_transaction()
        consumer.seek(TopicPartition(records[0].topic, records[0].partition), records[0].offset)


# %% wrong="the offset afterwards"
# This is the loop from production. Between commit_transaction and commit_sync the parcels are
# committed and the offsets are not.
def copy(consumer, producer):
    records = consumer.poll(timeout_ms=300)
    if not records:
        return
    producer.begin_transaction()
    for record in records:
        producer.send(ProducerRecord("parcels", key=record.key, value=record.value))
    producer.commit_transaction()
    consumer.commit_sync()


# %% wrong="aborts and continues"
# A commit failed, and the next poll continued behind its orders: the consumer's position had moved.
# Abort and seek back to the committed offsets, or let the error end the process.
def copy(consumer, producer):
    records = consumer.poll(timeout_ms=300)
    if not records:
        return
    producer.begin_transaction()
    try:
        for record in records:
            producer.send(ProducerRecord("parcels", key=record.key, value=record.value))
        offsets = {
            TopicPartition(record.topic, record.partition): OffsetAndMetadata(record.offset + 1)
            for record in records
        }
        producer.send_offsets_to_transaction(offsets, consumer.group_metadata())
        producer.commit_transaction()
    except KafkaException:
        producer.abort_transaction()


# %% wrong="the offset first"
# You commit the offset first. A process that dies between the two has lost the orders: at most once.
def copy(consumer, producer):
    records = consumer.poll(timeout_ms=300)
    if not records:
        return
    consumer.commit_sync()
    producer.begin_transaction()
    for record in records:
        producer.send(ProducerRecord("parcels", key=record.key, value=record.value))
    producer.commit_transaction()


# %% wrong="no offset at all"
# No offset is committed for the group `packing`, so every new process begins at the beginning. If
# you gave a group as a text: take consumer.group_metadata().
def copy(consumer, producer):
    records = consumer.poll(timeout_ms=300)
    if not records:
        return
    producer.begin_transaction()
    for record in records:
        producer.send(ProducerRecord("parcels", key=record.key, value=record.value))
    producer.commit_transaction()


# %% wrong="the offset of the last record"
# The committed offset is the *next* one to read. You gave the last one that was read, so it is read
# again.
# -         TopicPartition(order.topic, order.partition): OffsetAndMetadata(order.offset + 1)
# +         TopicPartition(order.topic, order.partition): OffsetAndMetadata(order.offset)


# %% wrong="one partition's offset"
# You commit an offset for the last record's partition only. When a poll brings two partitions, the
# other one is read again by the next process.
# -         for order in orders


# %% wrong="two transactions"
# You made two transactions, one for the parcels and one for the offsets. A process can die between
# them.
# -     next_offsets = {
# +     end()
# +     begin()
# +     next_offsets = {


# %% hint
# A parcel and the offset of its order must be committed together. Which call takes the offsets into
# the transaction?

# %% hint
# Call send_offsets_to_transaction after the sends and before the commit. It takes the next offset of
# each partition, and consumer.group_metadata().
