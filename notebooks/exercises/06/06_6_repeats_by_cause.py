# %% [markdown]
# ### Exercise 06.6 · Repeats by cause
#
# How many orders of each day stand in the log twice because a *producer* sent a batch again, and
# how many because a *program* sent an order again? Three numbers, `(producer_id, epoch, sequence)`,
# make a record of an idempotent producer unique in a partition. A record without a producer id has
# `-1` in all three.

# %% spark=true
twice = records.groupBy("day", "key").count().where("count > 1")
twice.groupBy("day").count().orderBy("day").toPandas()  # all; now their causes

# %% answer
by_producer = {"A": ..., "B": ..., "C": ...}
by_program = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
import re


def causes(number):
    ids = {}
    for line in ledger(number):
        id, key = re.search(r"producerId: (-?\d+) .* key: (.*) payload", line).groups()
        ids.setdefault(key, []).append(int(id))
    repeats = [found for found in ids.values() if len(found) > 1]
    by_itself = sum(found == [-1, -1] for found in repeats)
    return by_itself, len(repeats) - by_itself


by_producer = {name: causes(each.day)[0] for name, each in n6.items()}
by_program = {name: causes(each.day)[1] for name, each in n6.items()}
### END SOLUTION

# %% question
from functools import cache
from random import Random

from autograder.cell.kinds import Value
from kafkalab import KafkaProducer, Lab, ProducerRecord


def day_of(day: int) -> Lab:
    """A day of three shops that write to one partition: one without idempotence, one with, and one
    that starts again and repeats itself. The network loses answers of the first two."""
    rng = Random(day)
    lab = Lab(brokers=1, seed=day, version="3.9")
    lab.create_topic("orders")
    config = {"linger.ms": 0, "request.timeout.ms": 2_000, "retry.backoff.ms": 20}
    shops = {"shop-a": {"enable.idempotence": False}, "shop-b": {}, "shop-c": {}}
    producers = {
        name: KafkaProducer(lab, {"client.id": name, **config, **own}, name=name)
        for name, own in shops.items()
    }
    lost = {name: rng.sample(range(1, 24), rng.randrange(3, 8)) for name in ("shop-a", "shop-b")}
    starts_again = rng.randrange(9, 20)
    repeats = rng.choice([count for count in range(2, 8) if count != len(lost["shop-a"])])

    def sell(name: str, number: int, producer: KafkaProducer) -> None:
        producer.send(ProducerRecord("orders", key=f"{name} order {number}", value="tea")).get()

    for number in range(24):
        for name in shops:
            if number in lost.get(name, ()):
                lab.link(0, name).cut_before_reply("PRODUCE")
            sell(name, number, producers[name])
        if number == starts_again:
            lab.kill("shop-c")
            producers["shop-c"] = KafkaProducer(
                lab, {"client.id": "shop-c", **config}, name="shop-c again"
            )
            for again in range(number - repeats + 1, number + 1):
                sell("shop-c", again, producers["shop-c"])
    return lab


@cache
def ledger(day: int) -> tuple[str, ...]:
    """Every record of that day, a line each, in the words of kafka-dump-log --print-data-log,
    with the batch's producer beside it."""
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


Value(
    title="Spark: who wrote it twice",
    points=3,
    answers=("by_producer", "by_program"),
    draws=THREE,
    row="day",
    space={"day": tuple(range(1, 61))},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge


@cache
def _repeats(day: int) -> tuple[int, int]:
    """Orders that stand twice: sent again by a producer without identity,
    sent again by a program."""
    seen: dict[str, list[int]] = {}
    for event in day_of(day).journal.of("record.appended"):
        if event.topic == "orders":
            for record in event.records:
                seen.setdefault(record.key, []).append(event.producer_id)
    twice = [ids for ids in seen.values() if len(ids) > 1]
    by_producer = sum(set(ids) == {-1} for ids in twice)
    return by_producer, len(twice) - by_producer


Judge(
    truth=lambda case: dict(zip(("by_producer", "by_program"), _repeats(case["day"]))),
    right=(
        "right: the producer without an identity repeats itself; a new process repeats what "
        "its predecessor did."
    ),
    otherwise=(
        "not these two. Take the keys that stand twice, and compare the producer ids of the two."
    ),
)

# %% begin
import re


def rows(x):
    return [
        re.search(r"producerId: (-?\d+) .* key: (.*) payload", line).groups()
        for line in ledger(x.day)
    ]


def twice(x):
    keys = [key for id, key in rows(x)]
    return sorted({key for key in keys if keys.count(key) > 1})


def plain(x):
    without = {key for id, key in rows(x) if id == "-1"}
    return [key for key in twice(x) if key in without]


# %% wrong="the network did it all"
# You gave all repeats to the producers. Some of the pairs have two different producer ids: no
# producer sends under another's.
by_producer = {a: len(twice(x)) for a, x in n6.items()}
by_program = {a: 0 for a, x in n6.items()}

# %% wrong="programs did it all"
# You gave all repeats to the programs. Where both have -1, nobody started anew: shop-a's producer
# had no answer and could not be recognised.
by_producer = {a: 0 for a, x in n6.items()}
by_program = {a: len(twice(x)) for a, x in n6.items()}

# %% wrong="the same three numbers"
# You grouped by producer id, epoch and sequence. All records of shop-a have -1 three times, so
# they all look alike; and no others do.
by_producer = {a: sum(id == "-1" for id, key in rows(x)) for a, x in n6.items()}
by_program = {a: 0 for a, x in n6.items()}

# %% wrong="both copies counted"
# You counted records. An order that stands twice is one order.
by_producer = {a: 2 * len(plain(x)) for a, x in n6.items()}
by_program = {a: 2 * (len(twice(x)) - len(plain(x))) for a, x in n6.items()}

# %% wrong="the other way round"
# The other way round: -1 twice is one producer that sent a batch again, two different ids are two
# lives of a program.
by_producer = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}
by_program = {a: len(plain(x)) for a, x in n6.items()}

# %% hint
# A key that stands twice was written twice. Then ask each pair whether its two producers have an
# identity, and whether it is the same.

# %% hint
# Group by key, keep count > 1, and look at min and max of producer_id: -1 has no identity.
