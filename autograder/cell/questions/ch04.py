# Generated from notebooks/exercises/04; edit those files and run
# `python -m autograder course 04`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 04's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
THREE = ("A", "B", "C")


# %% 04.1
from autograder.cell.kinds import Function

# so many partitions that a wrong rule hardly ever finds another wrong rule's partition
KEYS = (
    ("tea", 97),
    ("茶", 101),
    ("coffee", 83),
    ("customer-7", 89),
    ("sugar", 113),
    ("", 107),
    (None, 7),
)

QUESTION_04_1 = Function(
    id="04.1",
    hints=(
        "Bytes first: key.encode(). Then murmur2, then the sign bit, then the remainder of the division.",
        "Clear the sign bit with & 0x7fffffff, which is not the same as abs(). Ask for None before everything else.",
    ),
    title="the partition of a key",
    points=2,
    answers=("partition_of",),
    public_cases=tuple(
        {
            "case": f"{'no key' if key is None else f'key {key!r}'}, {partitions} partitions",
            "key": key,
            "partitions": partitions,
        }
        for key, partitions in KEYS
    ),
    probe=lambda names, case: names["partition_of"](case["key"], case["partitions"]),
)


# %% 04.2
from autograder.cell.kinds import Value

QUESTION_04_2 = Value(
    id="04.2",
    hints=(
        "home(key, partitions) returns a key's partition. Compare the two numbers of partitions, name by name.",
        "Write a function that counts the movers for any new number of partitions. For `fewest` call it for each number that is allowed.",
    ),
    title="keys that move",
    points=2,
    answers=("movers", "first_stayer", "fewest"),
    draws=THREE,
    row="topic",
    space={
        "name": ("customer", "user", "device", "sensor", "order", "card"),
        "before": (3, 4, 5, 6, 7, 8),
        "after": (9, 10, 11, 12),
    },
    # a multiple moves keys into new partitions only
    where=lambda n: n["after"] % n["before"] != 0,
    together=lambda topics: len({(n["name"], n["before"]) for n in topics}) == len(topics),
)


# %% 04.3
from autograder.cell.kinds import Value

QUESTION_04_3 = Value(
    id="04.3",
    hints=(
        "A record has more bytes than its value, and a batch has a header. So a batch is full earlier than a division says.",
        "Make a Lab with one broker and one partition, send that many records with linger.ms=1000, close, and look at lab.table(\"record.appended\").",
    ),
    title="how many batches",
    points=3,
    answers=("batches", "in_the_first"),
    draws=THREE,
    row="producer",
    space={
        "records": (300, 350, 400, 450, 500, 550, 600),
        "value_bytes": (40, 60, 90),
        "batch_size": (1500, 2000, 3000, 4000),
    },
    # else a batch of bare values is a batch of values of 80 bytes
    where=lambda n: (n["value_bytes"], n["batch_size"]) not in ((90, 1500), (90, 2000)),
)


# %% 04.4
from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function

PAIRS = (
    ("gzip", "producer"),
    ("none", "producer"),
    ("gzip", "gzip"),
    ("gzip", "snappy"),
    ("none", "zstd"),
    ("lz4", "uncompressed"),
    ("none", "uncompressed"),
)
WORDS = ("producer", "broker", "both", "nobody")


def named(names, case) -> str:
    """The word that the learner's rule returns for this pair."""
    word = names["who_compresses"](case["producer"], case["topic"])
    if word not in WORDS:
        raise NotAsAsked(f"`who_compresses` returned {word!r}; it returns {', '.join(WORDS)}")
    return word


QUESTION_04_4 = Function(
    id="04.4",
    hints=(
        "work_on(producer, topic) shows who did what. `compress` and `recompress` into a codec count, `validate` does not.",
        "Ask two questions, one after the other. Does the producer have a codec? Does the topic name a codec other than the one that came?",
    ),
    title="who compresses",
    points=2,
    answers=("who_compresses",),
    public_cases=tuple(
        {
            "case": f"producer {producer}, topic {topic}",
            "producer": producer,
            "topic": topic,
        }
        for producer, topic in PAIRS
    ),
    probe=named,
)


# %% 04.5
from functools import cache

from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function
from kafkalab import KafkaProducer, Lab, ProducerRecord

OTHERS = (*(f"customer-{number}" for number in range(36)), "mega-2", "Mega", "", "茶", "meg")
TOPICS = tuple(
    {
        "case": f"{partitions} partitions, seed {seed}{', a leader crashes' if crash else ''}",
        "partitions": partitions,
        "seed": seed,
        "crash": crash,
    }
    for partitions, seed, crash in ((3, 1, False), (6, 2, True), (2, 3, True))
)


def placed(names, case) -> list:
    """Where a producer with the learner's partitioner puts records: (key, partition) of each. In
    the middle the broker of some of the partitions may crash and come back: until then these have
    no leader."""
    lab = Lab(
        brokers=3,
        seed=case["seed"],
        version="3.9",
        broker_config={"broker.session.timeout.ms": 1_000},
    )
    lab.create_topic(
        "orders",
        partitions=case["partitions"],
        leaders=[number % 3 for number in range(case["partitions"])],
    )
    producer = KafkaProducer(
        lab,
        {
            "partitioner.class": _one_that_is_there(names["mega_partitioner"], case["partitions"]),
            "bootstrap.servers": "localhost:9093,localhost:9094",
        },
        name="learner",
    )
    keys = [
        None
        if number % 5 == 0
        else "mega"
        if number % 3 == 0
        else OTHERS[(number * 7 + case["seed"]) % len(OTHERS)]
        for number in range(180)
    ]
    futures = []
    for number, key in enumerate(keys):
        if number == 40 and case["crash"]:
            lab.broker(0).crash()
        if number == 90 and case["crash"]:
            lab.broker(0).restart()
        if number % 10 == 0:
            lab.run_for(ms=1_000)
        futures.append(producer.send(ProducerRecord("orders", key=key, value=f"order {number}")))
    producer.close()
    return [[key, future.get().partition] for key, future in zip(keys, futures)]


def _one_that_is_there(rule, partitions: int):
    """The learner's rule, stopped at the first number that is no partition: Kafka would keep
    that record for two minutes and then say little."""

    def partitioner(topic, key, *rest):
        try:
            chosen = rule(topic, key, *rest)
        except Exception as wrong:
            raise NotAsAsked(
                f"for the key {key!r} `mega_partitioner` raised {type(wrong).__name__}: {wrong}"
            ) from None
        if not hasattr(chosen, "__index__") or not 0 <= chosen < partitions:
            raise NotAsAsked(
                f"`mega_partitioner` returned {chosen!r} for the key {key!r}; with {partitions} "
                f"partitions it returns a whole number from 0 to {partitions - 1}"
            )
        return chosen

    return partitioner


@cache
def without_the_last(partitions: int) -> dict[str, int]:
    """key -> its partition in a topic that has one partition less, by a producer's own rule."""
    lab = Lab(brokers=1, seed=1, version="3.9")
    lab.create_topic("orders", partitions=partitions - 1)
    producer = KafkaProducer(lab, {"client.id": "writer"})
    futures = {key: producer.send(ProducerRecord("orders", key=key, value="v")) for key in OTHERS}
    producer.close()
    return {key: future.get().partition for key, future in futures.items()}


def keeps_the_rule(case: dict, data) -> tuple[bool, str]:
    """Whether mega is alone on the last partition, each other key where Kafka's rule has it, and
    no record without a key on the last."""
    last, home = case["partitions"] - 1, {}
    kafkas = without_the_last(case["partitions"])
    for key, partition in data:
        if key == "mega" and partition != last:
            return False, f"a record of mega is in partition {partition}; the last one is {last}."
        if key is None and partition == last:
            return False, f"a record without a key is in partition {last}, which belongs to mega."
        if key is not None and key != "mega" and partition == last:
            return False, f"the key {key!r} is in partition {last}, which belongs to mega."
        if key is not None and home.setdefault(key, partition) != partition:
            return (
                False,
                (
                    f"the key {key!r} is in partition {home[key]} and in {partition}. A key must "
                    "stay in one partition."
                ),
            )
    for key, partition in data:
        if key in kafkas and partition != kafkas[key]:
            return (
                False,
                (
                    f"the key {key!r} is in partition {partition}. Kafka's rule over the first "
                    f"{last} partitions puts it into {kafkas[key]}."
                ),
            )
    if case["crash"]:
        return True, "right: a leader was away, and every key stayed in its partition."
    return True, "right: mega is alone, and every other key is where Kafka's rule has it."


QUESTION_04_5 = Function(
    id="04.5",
    hints=(
        "Three kinds of records: mega, no key, all others. For the last two there is one partition less.",
        "For the others use Kafka's rule over partitions - 1. Without a key there are no key_bytes: hash the value's bytes instead, or count.",
    ),
    title="a partitioner of your own",
    points=3,
    answers=("mega_partitioner",),
    public_cases=TOPICS,
    probe=placed,
    public_judge=keeps_the_rule,
)


# %% 04.6
from autograder.cell.kinds import Value

QUESTION_04_6 = Value(
    id="04.6",
    hints=(
        "Most requests, and the fewest bytes in each: the table tells who. Then print that client's settings.",
        "Two settings close a batch. One of them is far smaller here than in the other producers.",
    ),
    title="bug hunt with Spark: the producer that sends too much",
    points=2,
    answers=("too_busy", "setting", "its_value"),
    space={"producer": (2, 3, 4, 5, 6, 7, 8), "batch_size": (160, 170, 180, 190, 200, 210)},
    # of the healthy producers, so that nearly everybody has a log of their own
    scenery={"seed": 100_000},
)


# %% 04.open
from autograder.cell.kinds import Open

QUESTION_04_open = Open(
    id="04.open",
    title="When does adding partitions to a topic break a promise that producers and consumers relied on, and what would you do instead?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_04_1,
    QUESTION_04_2,
    QUESTION_04_3,
    QUESTION_04_4,
    QUESTION_04_5,
    QUESTION_04_6,
    QUESTION_04_open,
)
