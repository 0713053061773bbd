"""Chapter 04, from record to batch: the learner's half of its questions."""

from __future__ import annotations

from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function, Open, Value
from kafkalab import KafkaProducer, Lab, ProducerRecord

THREE = ("A", "B", "C")
KEYS = ("tea", "茶", "coffee", "customer-7", "", None)
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
    the middle the broker of some of the partitions may crash and come back: meanwhile these have no
    leader."""
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
        else f"customer-{(number * 7 + case['seed']) % 40}"
        for number in range(120)
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
        chosen = rule(topic, key, *rest)
        if not hasattr(chosen, "__index__") or not 0 <= chosen < partitions:
            raise NotAsAsked(
                f"`mega_partitioner` returned {chosen!r} for the key {key!r}; with {partitions} "
                f"partitions it returns a whole number from 0 to {partitions - 1}"
            )
        return chosen

    return partitioner


def keeps_the_rule(case: dict, data) -> tuple[bool, str]:
    """Whether mega is alone on the last partition, everybody else elsewhere,
    and each key in one place."""
    last, home = case["partitions"] - 1, {}
    for key, partition in data:
        if key == "mega" and partition != last:
            return False, f"a record of mega is in partition {partition}; the last one is {last}."
        if key is None and partition == last:
            return False, f"a record without a key is in partition {last}, which belongs to mega."
        if key is not None and key != "mega" and partition == last:
            return False, f"{key} is in partition {last}, which belongs to mega."
        if key is not None and home.setdefault(key, partition) != partition:
            return (
                False,
                (
                    f"{key} is in partition {home[key]} and in {partition}. A key must stay in one "
                    "place."
                ),
            )
    used = {partition for _, partition in data}
    if len(used) < case["partitions"]:
        return (
            False,
            (
                f"only {len(used)} of {case['partitions']} partitions are used. The others are to "
                "share all the rest."
            ),
        )
    return True, "right: mega has a partition of its own, and every key stays where it is."


def tells_ideas_apart(topics: list[dict]) -> bool:
    """Whether every usual idea about who packs goes wrong on one of these pairs of codecs: the
    broker must pack, and the broker gets packed records that it keeps, or only unpacks."""
    must = [n["topic"] not in ("producer", "uncompressed", n["producer"]) for n in topics]
    only_seems = [
        n["producer"] != "none" and n["topic"] in ("uncompressed", n["producer"]) for n in topics
    ]
    return any(must) and any(only_seems)


QUESTIONS = (
    Function(
        id="04.1",
        title="the partition of a key",
        points=2,
        answers=("partition_of",),
        public_cases=tuple(
            {"case": "no key" if key is None else f"key {key!r}", "key": key, "partitions": 5}
            for key in KEYS
        ),
        probe=lambda names, case: names["partition_of"](case["key"], case["partitions"]),
        hints=(
            (
                "Bytes first: key.encode(). Then murmur2, then the sign, then the rest of the "
                "division."
            ),
            (
                "The sign goes with & 0x7fffffff, which is not the same as abs(). None comes "
                "before everything."
            ),
        ),
    ),
    Value(
        id="04.2",
        title="keys that move",
        points=2,
        answers=("movers", "first_mover"),
        draws=THREE,
        row="topic",
        space={
            "name": ("customer", "user", "device", "sensor", "order", "card"),
            "before": (3, 4, 5, 6, 7, 8),
            "after": (9, 10, 11, 12),
        },
        # a multiple moves keys into new partitions only
        where=lambda n: n["after"] % n["before"] != 0,
        hints=(
            (
                "home(key, partitions) tells where a key lives. Compare the two numbers of "
                "partitions, name by name."
            ),
            (
                "A list of the numbers whose two homes differ holds both answers: its length and "
                "its first entry."
            ),
        ),
    ),
    Value(
        id="04.3",
        title="how many batches",
        points=3,
        answers=("batches", "in_the_first"),
        draws=THREE,
        row="producer",
        space={
            "records": (300, 400, 500, 600),
            "value_bytes": (40, 60, 90),
            "batch_size": (1500, 2000, 3000, 4000),
        },
        hints=(
            (
                "A record weighs more than its value, and a batch has a header. Which of the two "
                "makes a batch full earlier than you think?"
            ),
            (
                "Make a Lab with one broker and one partition, send so many records with "
                'linger.ms=1000, close, and look at lab.table("record.appended").'
            ),
        ),
    ),
    Value(
        id="04.4",
        title="who packs",
        points=2,
        answers=("packers",),
        draws=("A", "B", "C", "D"),
        row="topic",
        together=tells_ideas_apart,
        space={
            "producer": ("none", "gzip", "snappy", "lz4", "zstd"),
            "topic": ("producer", "uncompressed", "gzip", "snappy", "lz4", "zstd"),
        },
        hints=(
            (
                "packed(producer_codec, topic_codec) shows who did what. Compress and recompress "
                "are packing, validate is only reading."
            ),
            (
                "A producer packs unless its codec is none. A broker packs when the topic asks for "
                "a codec other than the one that came."
            ),
        ),
    ),
    Function(
        id="04.5",
        title="a partitioner of your own",
        points=3,
        answers=("mega_partitioner",),
        public_cases=TOPICS,
        probe=placed,
        public_judge=keeps_the_rule,
        hints=(
            (
                "Three kinds of records: mega, no key, all others. The last two share one "
                "partition less than there are."
            ),
            (
                "For the others, Kafka's rule over partitions - 1. Without a key, take the value's "
                "bytes instead, by the same rule."
            ),
        ),
    ),
    Value(
        id="04.6",
        title="bug hunt with Spark: the producer that sends too much",
        points=2,
        answers=("too_busy", "setting", "its_value"),
        space={"producer": (2, 3, 4, 5, 6, 7, 8), "batch_size": (160, 170, 180, 190, 200, 210)},
        # of the healthy producers, so that nearly everybody has a log of their own
        scenery={"seed": 100_000},
        hints=(
            (
                "Most requests, and the fewest bytes in each: the table tells who. Then print that "
                "client's settings."
            ),
            (
                "Two settings close a batch. One of them is far smaller here than in the other "
                "producers."
            ),
        ),
    ),
    Open(
        id="04.open",
        points=4,
        title=(
            "When does adding partitions to a topic break a promise that producers and consumers "
            "relied on, and what would you do instead?"
        ),
    ),
)
