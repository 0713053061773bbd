"""Chapter 04, from record to batch: the judges' half.
Truths come from running labs, not from a formula."""

from __future__ import annotations

from functools import cache
from random import Random

from autograder.cell.questions.ch04 import keeps_the_rule
from autograder.course.answers import each
from autograder.course.judge import Judge, Verdict, WrongAnswer
from kafkalab import KafkaProducer, Lab, ProducerRecord


@cache
def _homes(keys: tuple[str, ...], partitions: int) -> tuple[int, ...]:
    """Where a producer puts records with these keys."""
    lab = Lab(brokers=1, seed=2)
    lab.create_topic("t", partitions=partitions)
    producer = KafkaProducer(lab, {"client.id": "writer"})
    futures = [producer.send(ProducerRecord("t", key=key, value="v")) for key in keys]
    producer.close()
    return tuple(future.get().partition for future in futures)


def _moves(case: dict) -> dict:
    keys = tuple(f"{case['name']}-{number}" for number in range(200))
    moving = [
        number
        for number, (old, new) in enumerate(
            zip(_homes(keys, case["before"]), _homes(keys, case["after"]))
        )
        if old != new
    ]
    return {"movers": len(moving), "first_mover": moving[0]}


@cache
def _packed(records: int, value_bytes: int, batch_size: int) -> tuple[int, ...]:
    """Records in each batch of one partition."""
    lab = Lab(brokers=1, seed=3)
    lab.create_topic("t", partitions=1)
    producer = KafkaProducer(lab, {"batch.size": batch_size, "linger.ms": 2_000})
    for _ in range(records):
        producer.send(ProducerRecord("t", value="v" * value_bytes))
    producer.close()
    return tuple(len(batch.records) for batch in lab.journal.of("record.appended"))


def _batches(case: dict) -> dict:
    packed = _packed(case["records"], case["value_bytes"], case["batch_size"])
    return {"batches": len(packed), "in_the_first": packed[0]}


@cache
def _packer(producer_codec: str, topic_codec: str) -> str:
    """Who packed records, with these two codecs: read off the work that a lab's machines did."""
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("t", partitions=1, config={"compression.type": topic_codec})
    producer = KafkaProducer(lab, {"compression.type": producer_codec, "linger.ms": 20})
    for number in range(200):
        producer.send(ProducerRecord("t", value=f"order {number}: one cup of tea"))
    producer.close()
    works = {event.work for event in lab.journal.of("cpu") if event.codec != "none"}
    return {(True, True): "both", (True, False): "producer", (False, True): "broker"}.get(
        ("compress" in works, "recompress" in works), "nobody"
    )


def _keys(rng: Random) -> list[dict]:
    words = [
        "".join(
            rng.choice("abcdefghijklmnopqrstuvwxyzäé茶咖啡") for _ in range(rng.randrange(1, 20))
        )
        for _ in range(14)
    ]
    return [{"key": word, "partitions": rng.randrange(2, 50)} for word in words] + [
        {"key": None, "partitions": 3}
    ]


def _mega(case: dict, data) -> Verdict:
    ok, sentence = keeps_the_rule(case, data)
    return Verdict(ok, sentence, 1.0 if ok else 0.0)


OF_KEY = "def partition_of(key, partitions):\n    if key is None:\n        return None\n    return "
OF_MEGA = (
    "def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):\n"
    "    partitions = cluster.partition_count_for_topic(topic)\n    "
)
GUILTY = "too_busy = f'producer-{guilty.producer}'\n"
_MOVES, _FILLS = "movers first_mover", "batches in_the_first"
PLACE = """
from kafkalab.hashing import murmur2, to_positive
place = lambda x, i, partitions: to_positive(murmur2(f"{x.name}-{i}".encode())) % partitions
moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)
"""

JUDGES = (
    Judge(
        id="04.1",
        truth=lambda case: (
            None if case["key"] is None else _homes((case["key"],), case["partitions"])[0]
        ),
        hidden_cases=_keys,
        right="right.",
        otherwise="a Java client writes it elsewhere. Bytes, murmur2, sign, rest: in this order.",
        wrong_answers=(
            WrongAnswer(
                "the absolute value",
                OF_KEY + "abs(murmur2(key.encode())) % partitions",
                "You took the absolute value. Kafka clears the sign bit, & 0x7fffffff, and a "
                "negative number becomes another one that way.",
            ),
            WrongAnswer(
                "the sign is kept",
                OF_KEY + "murmur2(key.encode()) % partitions",
                "You kept the sign. Python's % hides it; Java's would give a negative partition, "
                "so Kafka clears the sign bit first.",
            ),
            WrongAnswer(
                "Java's hashCode",
                "from kafkalab.hashing import java_string_hash\n"
                + OF_KEY
                + "abs(java_string_hash(key)) % partitions",
                "That is String.hashCode, which places a group among the offsets partitions. Keys "
                "go by murmur2 over their bytes.",
            ),
            WrongAnswer(
                "None is a text",
                "def partition_of(key, partitions):\n"
                "    return (murmur2(str(key).encode()) & 0x7fffffff) % partitions",
                "You hashed the word None. Without a key there is nothing to hash, and the "
                "partitioner chooses by its own rule.",
            ),
        ),
    ),
    Judge(
        id="04.2",
        truth=_moves,
        right="right: most keys move, and their order is broken at that moment.",
        otherwise=(
            "not these. A key moves when its home among {before} differs from its home among "
            "{after}."
        ),
        wrong_answers=(
            WrongAnswer(
                "only the new share moves",
                each(_MOVES, "200 * (x.after - x.before) // x.after", "0"),
                "You let only as many move as the new partitions need. That is consistent hashing; "
                "Kafka takes the rest of a division, and nearly all change.",
            ),
            WrongAnswer(
                "who stays",
                each(
                    _MOVES,
                    "len([i for i in range(200) if not moves(x, i)])",
                    "[i for i in range(200) if not moves(x, i)][0]",
                    before=PLACE,
                ),
                "These are the ones who stay.",
            ),
            WrongAnswer(
                "only into the new ones",
                each(
                    _MOVES,
                    "sum(place(x, i, x.after) >= x.before for i in range(200))",
                    "[i for i in range(200) if place(x, i, x.after) >= x.before][0]",
                    before=PLACE,
                ),
                "You counted those who move into a new partition. Most movers go from one old "
                "partition to another.",
            ),
            WrongAnswer(
                "the whole key",
                each(
                    _MOVES,
                    "sum(moves(x, i) for i in range(200))",
                    "f'{x.name}-{[i for i in range(200) if moves(x, i)][0]}'",
                    before=PLACE,
                ),
                "So many move, and that is the key of the first. Write its number alone, without "
                "{name} and the hyphen.",
            ),
            WrongAnswer(
                "counted from 1",
                each(
                    _MOVES,
                    "sum(moves(x, i) for i in range(200))",
                    "1 + [i for i in range(200) if moves(x, i)][0]",
                    before=PLACE,
                ),
                "So many move. But the first number is 0, and so the first mover is one less than "
                "you say.",
            ),
            WrongAnswer(
                "all of them",
                each(_MOVES, "200", "0"),
                "Not all: where both divisions leave the same rest, a key stays.",
            ),
            WrongAnswer(
                "nobody",
                each(_MOVES, "0", "None"),
                "The records that are there stay. But the next record of a key is placed by the "
                "new number of partitions.",
            ),
        ),
    ),
    Judge(
        id="04.3",
        truth=_batches,
        right="right: each record brings some bytes of its own, and the batch a header of 61.",
        otherwise="not these two. Let a lab count: one broker, one partition, linger.ms=1000.",
        wrong_answers=(
            WrongAnswer(
                "values only",
                each(
                    _FILLS,
                    "-(-x.records // (x.batch_size // x.value_bytes))",
                    "x.batch_size // x.value_bytes",
                ),
                "You divided by the bytes of the value alone. Each record has some bytes of its "
                "own around it, and each batch a header.",
            ),
            WrongAnswer(
                "the values of write",
                each(
                    _FILLS,
                    "-(-x.records // of_80[x.batch_size])",
                    "of_80[x.batch_size]",
                    before="of_80 = {1500: 16, 2000: 21, 3000: 33, 4000: 44}",
                ),
                "That is what a lab counts whose values have 80 bytes, as in `write`. Yours have "
                "{value_bytes}.",
            ),
            WrongAnswer(
                "one for each record",
                each(_FILLS, "x.records", "1"),
                "You gave each record a batch. They are sent at once, and linger.ms is long: they "
                "are packed until {batch_size} bytes are reached.",
            ),
            WrongAnswer(
                "one for all",
                each(_FILLS, "1", "x.records"),
                "All in one batch would be more than {batch_size} bytes. batch.size closes it "
                "earlier.",
            ),
            WrongAnswer(
                "batch.size counts records",
                each(_FILLS, "-(-x.records // x.batch_size)", "x.batch_size"),
                "You took batch.size for a number of records. It counts bytes.",
            ),
        ),
    ),
    Judge(
        id="04.4",
        truth=lambda case: {"packers": _packer(case["producer"], case["topic"])},
        right=(
            "right: the producer packs; the broker only where the topic asks for another codec "
            "than the one that came."
        ),
        otherwise="not so. packed(producer_codec, topic_codec) shows who did what.",
        wrong_answers=(
            WrongAnswer(
                "the broker packs",
                each("packers", "'nobody' if x.producer == 'none' else 'broker'"),
                "You gave the packing to the broker. The producer packs; a broker with nothing "
                "else to do keeps what it gets.",
            ),
            WrongAnswer(
                "both, whenever the topic has a codec",
                each(
                    "packers",
                    "'both' if x.producer != 'none' and x.topic != 'producer' else 'nobody' if "
                    "x.topic == 'producer' and x.producer == 'none' else 'producer' if x.producer "
                    "!= 'none' else 'broker'",
                ),
                "Does the broker pack here? Not when what came has the codec that is wanted, and "
                "not when the topic wants plain records: unpacking is not packing.",
            ),
            WrongAnswer(
                "only the producer ever packs",
                each("packers", "'nobody' if x.producer == 'none' else 'producer'"),
                "A topic with a codec of its own packs what comes in another form: the broker does "
                "it.",
            ),
        ),
    ),
    Judge(
        id="04.5",
        judge=_mega,
        hidden_cases=lambda rng: [
            {"partitions": rng.randrange(2, 9), "seed": rng.randrange(10, 999), "crash": crash}
            for crash in (True, False, True, True)
        ],
        wrong_answers=(
            WrongAnswer(
                "others share all",
                OF_MEGA
                + (
                    "if key == 'mega':\n        return partitions - 1\n    if key is None:\n"
                    "        return 0\n"
                    "    return to_positive(murmur2(key_bytes)) % partitions"
                ),
                "Kafka's rule over all {partitions} partitions puts other keys into the last one, "
                "which belongs to mega.",
            ),
            WrongAnswer(
                "mega is the first",
                OF_MEGA
                + (
                    "if key == 'mega':\n        return 0\n    if key is None:\n"
                    "        return partitions - 1\n"
                    "    return 1 + to_positive(murmur2(key_bytes)) % (partitions - 1)"
                ),
                "You gave mega the first partition. It gets the last one, and nobody else may go "
                "there.",
            ),
            WrongAnswer(
                "only those with a leader",
                OF_MEGA
                + (
                    "if key == 'mega':\n        return partitions - 1\n"
                    "    led = [each.partition for each in "
                    "cluster.available_partitions_for_topic(topic) if each.partition < partitions "
                    "- 1] or [0]\n"
                    "    return led[to_positive(murmur2(value_bytes if key is None else "
                    "key_bytes)) % len(led)]"
                ),
                "You chose among the partitions that have a leader just now. When a broker is "
                "down, a key's next records go to another partition, and their order is lost.",
            ),
            WrongAnswer(
                "one for everybody else",
                OF_MEGA + "return partitions - 1 if key == 'mega' else 0",
                "You put everybody else into partition 0. They are to share all partitions but the "
                "last.",
            ),
        ),
    ),
    Judge(
        id="04.6",
        truth=lambda case: {
            "too_busy": f"producer-{case['producer']}",
            "setting": "batch.size",
            "its_value": case["batch_size"],
        },
        right=(
            "right: {batch_size} bytes hold one of these records, so each leaves alone, whatever "
            "linger.ms says."
        ),
        otherwise=(
            "not these three. Who sends the most requests, and which of its settings is out of "
            "line?"
        ),
        wrong_answers=(
            WrongAnswer(
                "linger.ms is blamed",
                GUILTY
                + (
                    "setting = 'linger.ms'\nits_value = {2: 20, 3: 40, 4: 20, 5: 60, 6: 20, 7: 40, "
                    "8: 20}[guilty.producer]"
                ),
                "The right producer, but linger.ms is not it: others have the same. Its batches "
                "are full long before they have waited that long.",
            ),
            WrongAnswer(
                "the default",
                GUILTY + "setting = 'batch.size'\nits_value = 16384",
                "16384 is the default, which the others have. Read this producer's own line.",
            ),
            WrongAnswer(
                "its value as a text",
                GUILTY + "setting = 'batch.size'\nits_value = str(guilty.batch_size)",
                "Right, all three. But the value is a number: write it without quotation marks.",
            ),
            WrongAnswer(
                "the first one",
                "too_busy = 'producer-1'\nsetting = 'batch.size'\nits_value = 16384",
                "producer-1 is healthy. Look for the one with the most requests and the fewest "
                "bytes in each.",
            ),
        ),
    ),
    Judge(id="04.open"),
)
