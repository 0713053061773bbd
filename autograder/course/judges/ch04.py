# Generated from notebooks/exercises/04; edit those files and run
# `python -m autograder course 04`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 04's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% shared
from functools import cache

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


# %% 04.1
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.course.judge import Judge


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


JUDGE_04_1 = Judge(
    id="04.1",
    wrong_answers=(
        WrongAnswer(
            name="the absolute value",
            sentence="You took the absolute value. Kafka clears the sign bit, & 0x7fffffff, and a negative number becomes another one that way.",
            source=(
                "def partition_of(key, partitions):\n"
                "    if key is None:\n"
                "        return None\n"
                "    return abs(murmur2(key.encode())) % partitions"
            ),
        ),
        WrongAnswer(
            name="the sign is kept",
            sentence="You kept the sign. Python's % hides it; Java's would give a negative partition, so Kafka clears the sign bit first.",
            source=(
                "def partition_of(key, partitions):\n"
                "    if key is None:\n"
                "        return None\n"
                "    return murmur2(key.encode()) % partitions"
            ),
        ),
        WrongAnswer(
            name="Java's hashCode",
            sentence="That is Java's String.hashCode. Kafka uses it for the names of groups. Keys go by murmur2 over their bytes.",
            source=(
                "from kafkalab.hashing import java_string_hash\n"
                "\n"
                "\n"
                "def partition_of(key, partitions):\n"
                "    if key is None:\n"
                "        return None\n"
                "    return abs(java_string_hash(key)) % partitions"
            ),
        ),
        WrongAnswer(
            name="None is a text",
            sentence="You hashed the word None. Without a key there is nothing to hash: return None.",
            source=(
                "def partition_of(key, partitions):\n"
                "    return (murmur2(str(key).encode()) & 0x7FFFFFFF) % partitions"
            ),
        ),
        WrongAnswer(
            name="only ASCII bytes",
            sentence="You dropped the bytes that are not ASCII. The bytes of a key are UTF-8: 茶 has three.",
            source=(
                "def partition_of(key, partitions):\n"
                "    if key is None:\n"
                "        return None\n"
                "    return (murmur2(key.encode(\"ascii\", \"ignore\")) & 0x7FFFFFFF) % partitions"
            ),
        ),
        WrongAnswer(
            name="the empty text is no key",
            sentence="An empty text is a key like any other. Only None means that there is no key.",
            source=(
                "def partition_of(key, partitions):\n"
                "    if not key:\n"
                "        return None\n"
                "    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions"
            ),
        ),
        WrongAnswer(
            name="without a key partition 0",
            sentence="Without a key there is nothing to compute: return None, not partition 0.",
            source=(
                "def partition_of(key, partitions):\n"
                "    if key is None:\n"
                "        return 0\n"
                "    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions"
            ),
        ),
        WrongAnswer(
            name="one too many",
            sentence="One too many: the first partition is 0, so the remainder is the partition.",
            source=(
                "def partition_of(key, partitions):\n"
                "    if key is None:\n"
                "        return None\n"
                "    return ((murmur2(key.encode()) & 0x7FFFFFFF) + 1) % partitions"
            ),
        ),
        WrongAnswer(
            name="one more after the division",
            sentence="One too many: the remainder is the partition, for the first partition is 0.",
            source=(
                "def partition_of(key, partitions):\n"
                "    if key is None:\n"
                "        return None\n"
                "    return (murmur2(key.encode()) & 0x7FFFFFFF) % partitions + 1"
            ),
        ),
    ),
    truth=lambda case: (
        None if case["key"] is None else _homes((case["key"],), case["partitions"])[0]
    ),
    hidden_cases=_keys,
    right=lambda case: (
        "right: without a key there is nothing to compute."
        if case["key"] is None
        else "right: a Java client writes it there, too."
    ),
    otherwise=(
        "a Java client writes it elsewhere. The order of the steps: bytes, murmur2, sign bit, "
        "remainder."
    ),
)


# %% 04.2
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _moves(case: dict) -> dict:
    keys = tuple(f"{case['name']}-{number}" for number in range(200))
    old = _homes(keys, case["before"])

    def moved(after: int) -> list[bool]:
        return [was != now for was, now in zip(old, _homes(keys, after))]

    grown = moved(case["after"])
    choices = range(case["before"] + 1, 2 * case["before"] + 1)
    return {
        "movers": sum(grown),
        "first_stayer": grown.index(False),
        "fewest": min(choices, key=lambda after: sum(moved(after))),
    }


JUDGE_04_2 = Judge(
    id="04.2",
    wrong_answers=(
        WrongAnswer(
            name="only the new share moves",
            sentence="You let only as many move as the new partitions need. That is consistent hashing; Kafka takes the remainder of a division, and most keys change.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x, i, partitions: to_positive(murmur2(f\"{x.name}-{i}\".encode())) % partitions\n"
                "moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)\n"
                "movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before for a, x in n.items()}\n"
                "movers = {a: 200 * (x.after - x.before) // x.after for a, x in n.items()}\n"
                "fewest = {a: x.before + 1 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="who stays",
            sentence="You counted the keys that stay. A mover is a key whose two partitions differ.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x, i, partitions: to_positive(murmur2(f\"{x.name}-{i}\".encode())) % partitions\n"
                "moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)\n"
                "movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before for a, x in n.items()}\n"
                "movers = {a: len([i for i in range(200) if not moves(x, i)]) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="only into the new ones",
            sentence="You counted the keys that move into a new partition. Many movers go from one old partition to another.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x, i, partitions: to_positive(murmur2(f\"{x.name}-{i}\".encode())) % partitions\n"
                "moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)\n"
                "movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before for a, x in n.items()}\n"
                "movers = {a: sum(place(x, i, x.after) >= x.before for i in range(200)) for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the first mover",
            sentence="That key moves. Asked is the first key whose partition is the same before and after.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x, i, partitions: to_positive(murmur2(f\"{x.name}-{i}\".encode())) % partitions\n"
                "moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)\n"
                "movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if moves(x, i)][0] for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the whole key",
            sentence="The key is right. Write its number alone, without {name} and the hyphen.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x, i, partitions: to_positive(murmur2(f\"{x.name}-{i}\".encode())) % partitions\n"
                "moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)\n"
                "movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before for a, x in n.items()}\n"
                "first_stayer = {\n"
                "    a: f\"{x.name}-{[i for i in range(200) if not moves(x, i)][0]}\" for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="counted from 1",
            sentence="The first number is 0, so the key is one less than you say.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x, i, partitions: to_positive(murmur2(f\"{x.name}-{i}\".encode())) % partitions\n"
                "moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)\n"
                "movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before for a, x in n.items()}\n"
                "first_stayer = {a: 1 + [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one partition more",
            sentence="One more partition moves nearly all keys. Try every number up to 2 times {before} and count.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x, i, partitions: to_positive(murmur2(f\"{x.name}-{i}\".encode())) % partitions\n"
                "moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)\n"
                "movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before for a, x in n.items()}\n"
                "fewest = {a: x.before + 1 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one partition less than twice",
            sentence="Count again with twice as many partitions, 2 times {before}: fewer keys move.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x, i, partitions: to_positive(murmur2(f\"{x.name}-{i}\".encode())) % partitions\n"
                "moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)\n"
                "movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before - 1 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="all of them",
            sentence="Not all keys move: where both divisions have the same remainder, a key stays.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x, i, partitions: to_positive(murmur2(f\"{x.name}-{i}\".encode())) % partitions\n"
                "moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)\n"
                "movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before for a, x in n.items()}\n"
                "movers = {a: 200 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="nobody",
            sentence="The records that are written stay. But the next record of a key is placed by the new number of partitions.",
            source=(
                "from kafkalab.hashing import murmur2, to_positive\n"
                "\n"
                "place = lambda x, i, partitions: to_positive(murmur2(f\"{x.name}-{i}\".encode())) % partitions\n"
                "moves = lambda x, i: place(x, i, x.before) != place(x, i, x.after)\n"
                "movers = {a: sum(moves(x, i) for i in range(200)) for a, x in n.items()}\n"
                "first_stayer = {a: [i for i in range(200) if not moves(x, i)][0] for a, x in n.items()}\n"
                "fewest = {a: 2 * x.before for a, x in n.items()}\n"
                "movers = {a: 0 for a, x in n.items()}"
            ),
        ),
    ),
    truth=_moves,
    right=(
        "right: {before} to {after} partitions move most keys. Twice as many partitions move the "
        "fewest, about half."
    ),
    otherwise=(
        "not these. A key moves when its partition among {before} differs from its partition among "
        "the new number."
    ),
)


# %% 04.3
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab, ProducerRecord


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


JUDGE_04_3 = Judge(
    id="04.3",
    wrong_answers=(
        WrongAnswer(
            name="values only",
            sentence="You divided by the bytes of the value alone. Each record has some bytes of its own around it, and each batch a header.",
            source=(
                "batches = {a: -(-x.records // (x.batch_size // x.value_bytes)) for a, x in n.items()}\n"
                "in_the_first = {a: x.batch_size // x.value_bytes for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the header counted, the record's own bytes not",
            sentence="You took the header of 61 bytes from the batch. Each record has some bytes of its own, too.",
            source=(
                "batches = {a: -(-x.records // ((x.batch_size - 61) // x.value_bytes)) for a, x in n.items()}\n"
                "in_the_first = {a: (x.batch_size - 61) // x.value_bytes for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the values of write",
            sentence="That is what a lab counts whose values have 80 bytes, as in `write`. Yours have {value_bytes}.",
            source=(
                "of_80 = {1500: 16, 2000: 21, 3000: 33, 4000: 44}\n"
                "batches = {a: -(-x.records // of_80[x.batch_size]) for a, x in n.items()}\n"
                "in_the_first = {a: of_80[x.batch_size] for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one for each record",
            sentence="You gave each record a batch. They are sent at once, and linger.ms is long: they share a batch until {batch_size} bytes are reached.",
            source=(
                "batches = {a: x.records for a, x in n.items()}\n"
                "in_the_first = {a: 1 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one for all",
            sentence="All in one batch would be more than {batch_size} bytes. batch.size closes it earlier.",
            source=(
                "batches = {a: 1 for a, x in n.items()}\n"
                "in_the_first = {a: x.records for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="batch.size counts records",
            sentence="You took batch.size for a number of records. It counts bytes.",
            source=(
                "batches = {a: -(-x.records // x.batch_size) for a, x in n.items()}\n"
                "in_the_first = {a: x.batch_size for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the last batch is forgotten",
            sentence="One batch is missing. The last one leaves with what is in it, so it counts, too.",
            source=(
                "def of_a_lab(wish):\n"
                "    small = Lab(brokers=1, seed=11)\n"
                "    small.create_topic(\"t\", partitions=1)\n"
                "    sender = KafkaProducer(small, {\"batch.size\": wish.batch_size, \"linger.ms\": 1000})\n"
                "    for _ in range(wish.records):\n"
                "        sender.send(ProducerRecord(\"t\", value=\"x\" * wish.value_bytes))\n"
                "    sender.close()\n"
                "    return small.table(\"record.appended\").records.map(len)\n"
                "\n"
                "\n"
                "in_the_first = {a: int(of_a_lab(x)[0]) for a, x in n.items()}\n"
                "batches = {a: len(of_a_lab(x)) - 1 for a, x in n.items()}"
            ),
        ),
    ),
    truth=_batches,
    right="right: each record brings some bytes of its own, and the batch a header of 61.",
    otherwise=(
        "not these numbers. Let a lab count: one broker, one partition, linger.ms=1000, values of "
        "{value_bytes} bytes."
    ),
)


# %% 04.7
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.cell.questions.ch04 import what_a_shift_proved
from autograder.course.judge import Judge


def _taken(case: dict) -> list[int]:
    """Kafka's request by sums: the longest beginning of what may go that fits, at least one."""
    limits = case["limits"]
    able = [q for q in case["waiting"] if not (q["muted"] or q["backs_off"])]
    ready = [q for q in able if q["is_full"] or q["waited_ms"] >= limits["linger_ms"]]
    if not ready or case["in_flight"] >= limits["max_in_flight"]:
        return []
    count = 1
    while (
        count < len(able)
        and sum(q["bytes"] for q in able[: count + 1]) <= limits["max_request_size"]
    ):
        count += 1
    return sorted(q["partition"] for q in able[:count])


def _looks(rng: Random) -> list[dict]:
    """Random looks, most of them with something due; then shifts."""
    looks = []
    for _ in range(12):
        waiting = [
            {
                "partition": partition,
                "bytes": rng.choice((90, 200, 400, 700)),
                "waited_ms": rng.choice((3, 20, 49, 50, 51, 90)),
                "is_full": rng.random() < 0.3,
                "muted": rng.random() < 0.25,
                "backs_off": rng.random() < 0.2,
            }
            for partition in rng.sample(range(8), rng.randrange(2, 6))
        ]
        most = rng.choice((1, 2, 5))
        looks.append(
            {
                "waiting": waiting,
                "in_flight": rng.choice((0, 0, 0, most - 1, most)),
                "limits": {"max_in_flight": most, "linger_ms": 50, "max_request_size": 1_000},
            }
        )
    shifts = [
        {
            "seed": rng.randrange(10, 9_000),
            "most": most,
            "size": rng.choice((500, 700, 900)),
            "crash": crash,
        }
        for most, crash in ((1, False), (2, True), (5, True), (1, True))
    ]
    return [*looks, *shifts]


def _why_taken(case: dict) -> str:
    """What decided in this case."""
    if "seed" in case:
        return what_a_shift_proved(case)
    taken = _taken(case)
    if case["in_flight"] >= case["limits"]["max_in_flight"]:
        return "right: too many requests have no answer."
    if not taken:
        return "right: no batch is due."
    able = [q for q in case["waiting"] if not (q["muted"] or q["backs_off"])]
    if len(taken) < len(able):
        return "right: the request ends before the batch that does not fit."
    if len(able) < len(case["waiting"]):
        return "right: who is muted or backs off is left out."
    return "right: the due batch takes the others along."


JUDGE_04_7 = Judge(
    id="04.7",
    wrong_answers=(
        WrongAnswer(
            name="only what is due",
            sentence="You sent only the batches that are due. linger.ms is the longest wait: a due batch takes along the first batch of every partition of this broker.",
            source=(
                "def able_of(waiting):\n"
                "    return [each for each in waiting if not each.muted and not each.backs_off]\n"
                "\n"
                "\n"
                "def is_due(each, limits):\n"
                "    return each.is_full or each.waited_ms >= limits.linger_ms\n"
                "\n"
                "\n"
                "def filled(able, limits):\n"
                "    taken, size = [], 0\n"
                "    for each in able:\n"
                "        if taken and size + each.bytes > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "        size += each.bytes\n"
                "    return taken\n"
                "def next_request(waiting, in_flight, limits):\n"
                "    due = [each for each in able_of(waiting) if is_due(each, limits)]\n"
                "    return [] if in_flight >= limits.max_in_flight else filled(due, limits)"
            ),
        ),
        WrongAnswer(
            name="a muted one makes the request due",
            sentence="The only batch that is due may not go, so it does not count. The others can wait for their linger.",
            source=(
                "def able_of(waiting):\n"
                "    return [each for each in waiting if not each.muted and not each.backs_off]\n"
                "\n"
                "\n"
                "def is_due(each, limits):\n"
                "    return each.is_full or each.waited_ms >= limits.linger_ms\n"
                "\n"
                "\n"
                "def filled(able, limits):\n"
                "    taken, size = [], 0\n"
                "    for each in able:\n"
                "        if taken and size + each.bytes > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "        size += each.bytes\n"
                "    return taken\n"
                "def next_request(waiting, in_flight, limits):\n"
                "    due = any(is_due(each, limits) for each in waiting)\n"
                "    return filled(able_of(waiting), limits) if due and in_flight < limits.max_in_flight else []"
            ),
        ),
        WrongAnswer(
            name="never lingers",
            sentence="No batch was due. None is full and no linger is over, so the Sender waits for more records.",
            source=(
                "def able_of(waiting):\n"
                "    return [each for each in waiting if not each.muted and not each.backs_off]\n"
                "\n"
                "\n"
                "def is_due(each, limits):\n"
                "    return each.is_full or each.waited_ms >= limits.linger_ms\n"
                "\n"
                "\n"
                "def filled(able, limits):\n"
                "    taken, size = [], 0\n"
                "    for each in able:\n"
                "        if taken and size + each.bytes > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "        size += each.bytes\n"
                "    return taken\n"
                "def next_request(waiting, in_flight, limits):\n"
                "    return [] if in_flight >= limits.max_in_flight else filled(able_of(waiting), limits)"
            ),
        ),
        WrongAnswer(
            name="one millisecond later",
            sentence="A batch is due when it has waited for linger.ms: waited_ms >= linger_ms, not >.",
            source=(
                "def able_of(waiting):\n"
                "    return [each for each in waiting if not each.muted and not each.backs_off]\n"
                "\n"
                "\n"
                "def is_due(each, limits):\n"
                "    return each.is_full or each.waited_ms >= limits.linger_ms\n"
                "\n"
                "\n"
                "def filled(able, limits):\n"
                "    taken, size = [], 0\n"
                "    for each in able:\n"
                "        if taken and size + each.bytes > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "        size += each.bytes\n"
                "    return taken\n"
                "def next_request(waiting, in_flight, limits):\n"
                "    able = able_of(waiting)\n"
                "    due = [each for each in able if each.is_full or each.waited_ms > limits.linger_ms]\n"
                "    return filled(able, limits) if due and in_flight < limits.max_in_flight else []"
            ),
        ),
        WrongAnswer(
            name="past the one that does not fit",
            sentence="You left out the batch that does not fit and took a smaller one behind it. Kafka stops there, and the next request begins with that batch. Else a large batch could wait for ever.",
            source=(
                "def able_of(waiting):\n"
                "    return [each for each in waiting if not each.muted and not each.backs_off]\n"
                "\n"
                "\n"
                "def is_due(each, limits):\n"
                "    return each.is_full or each.waited_ms >= limits.linger_ms\n"
                "\n"
                "\n"
                "def filled(able, limits):\n"
                "    taken, size = [], 0\n"
                "    for each in able:\n"
                "        if taken and size + each.bytes > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "        size += each.bytes\n"
                "    return taken\n"
                "def next_request(waiting, in_flight, limits):\n"
                "    able, taken, size = able_of(waiting), [], 0\n"
                "    if in_flight >= limits.max_in_flight or not any(is_due(each, limits) for each in able):\n"
                "        return []\n"
                "    for each in able:\n"
                "        if not taken or size + each.bytes <= limits.max_request_size:\n"
                "            taken.append(each.partition)\n"
                "            size += each.bytes\n"
                "    return taken"
            ),
        ),
        WrongAnswer(
            name="no size",
            sentence="Your request is larger than max.request.size. Stop before the batch that does not fit.",
            source=(
                "def able_of(waiting):\n"
                "    return [each for each in waiting if not each.muted and not each.backs_off]\n"
                "\n"
                "\n"
                "def is_due(each, limits):\n"
                "    return each.is_full or each.waited_ms >= limits.linger_ms\n"
                "\n"
                "\n"
                "def filled(able, limits):\n"
                "    taken, size = [], 0\n"
                "    for each in able:\n"
                "        if taken and size + each.bytes > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "        size += each.bytes\n"
                "    return taken\n"
                "def next_request(waiting, in_flight, limits):\n"
                "    able = able_of(waiting)\n"
                "    due = any(is_due(each, limits) for each in able)\n"
                "    return [each.partition for each in able] if due and in_flight < limits.max_in_flight else []"
            ),
        ),
        WrongAnswer(
            name="too large for ever",
            sentence="This batch is larger than a request may be, and you never send it. It goes alone: a request with one batch goes in any case.",
            source=(
                "def able_of(waiting):\n"
                "    return [each for each in waiting if not each.muted and not each.backs_off]\n"
                "\n"
                "\n"
                "def is_due(each, limits):\n"
                "    return each.is_full or each.waited_ms >= limits.linger_ms\n"
                "\n"
                "\n"
                "def filled(able, limits):\n"
                "    taken, size = [], 0\n"
                "    for each in able:\n"
                "        if taken and size + each.bytes > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "        size += each.bytes\n"
                "    return taken\n"
                "def next_request(waiting, in_flight, limits):\n"
                "    able, taken, size = able_of(waiting), [], 0\n"
                "    if in_flight >= limits.max_in_flight or not any(is_due(each, limits) for each in able):\n"
                "        return []\n"
                "    for each in able:\n"
                "        size += each.bytes\n"
                "        if size > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "    return taken"
            ),
        ),
        WrongAnswer(
            name="muted ones as well",
            sentence="You sent a batch of a muted partition. Another batch of it is on its way. If that one fails and is sent again, the two change places.",
            source=(
                "def able_of(waiting):\n"
                "    return [each for each in waiting if not each.muted and not each.backs_off]\n"
                "\n"
                "\n"
                "def is_due(each, limits):\n"
                "    return each.is_full or each.waited_ms >= limits.linger_ms\n"
                "\n"
                "\n"
                "def filled(able, limits):\n"
                "    taken, size = [], 0\n"
                "    for each in able:\n"
                "        if taken and size + each.bytes > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "        size += each.bytes\n"
                "    return taken\n"
                "def next_request(waiting, in_flight, limits):\n"
                "    able = [each for each in waiting if not each.backs_off]\n"
                "    due = any(is_due(each, limits) for each in able)\n"
                "    return filled(able, limits) if due and in_flight < limits.max_in_flight else []"
            ),
        ),
        WrongAnswer(
            name="back-off is no matter",
            sentence="You sent a batch that backs off. It failed a moment ago, and retry.backoff.ms is not over.",
            source=(
                "def able_of(waiting):\n"
                "    return [each for each in waiting if not each.muted and not each.backs_off]\n"
                "\n"
                "\n"
                "def is_due(each, limits):\n"
                "    return each.is_full or each.waited_ms >= limits.linger_ms\n"
                "\n"
                "\n"
                "def filled(able, limits):\n"
                "    taken, size = [], 0\n"
                "    for each in able:\n"
                "        if taken and size + each.bytes > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "        size += each.bytes\n"
                "    return taken\n"
                "def next_request(waiting, in_flight, limits):\n"
                "    able = [each for each in waiting if not each.muted]\n"
                "    due = any(is_due(each, limits) for each in able)\n"
                "    return filled(able, limits) if due and in_flight < limits.max_in_flight else []"
            ),
        ),
        WrongAnswer(
            name="in flight without a limit",
            sentence="The broker has not answered as many requests as may be in flight. The next request waits for an answer.",
            source=(
                "def able_of(waiting):\n"
                "    return [each for each in waiting if not each.muted and not each.backs_off]\n"
                "\n"
                "\n"
                "def is_due(each, limits):\n"
                "    return each.is_full or each.waited_ms >= limits.linger_ms\n"
                "\n"
                "\n"
                "def filled(able, limits):\n"
                "    taken, size = [], 0\n"
                "    for each in able:\n"
                "        if taken and size + each.bytes > limits.max_request_size:\n"
                "            break\n"
                "        taken.append(each.partition)\n"
                "        size += each.bytes\n"
                "    return taken\n"
                "def next_request(waiting, in_flight, limits):\n"
                "    able = able_of(waiting)\n"
                "    return filled(able, limits) if any(is_due(each, limits) for each in able) else []"
            ),
        ),
    ),
    truth=_taken,
    hidden_cases=_looks,
    right=_why_taken,
    otherwise="not these partitions. Apply the four rules one after the other.",
    unseen="your request is not Kafka's in a case of ours. Apply the four rules one by one.",
)


# %% 04.4
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab, ProducerRecord

CODECS = ("gzip", "snappy", "lz4", "zstd")


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


RIGHT = {
    "producer": "right: the producer compresses, and the broker compresses nothing.",
    "broker": "right: plain records came, so the broker compresses all of them.",
    "both": "right: the topic asks for another codec than the one that came.",
    "nobody": "right: plain records came, and the topic is content with them.",
}

JUDGE_04_4 = Judge(
    id="04.4",
    wrong_answers=(
        WrongAnswer(
            name="the broker packs",
            sentence="You gave the work to the broker. The producer compresses; with this setting the broker keeps what it gets.",
            source=(
                "def who_compresses(producer, topic):\n"
                "    if producer == \"none\" and topic in (\"producer\", \"uncompressed\"):\n"
                "        return \"nobody\"\n"
                "    return \"broker\""
            ),
        ),
        WrongAnswer(
            name="both, whenever the topic has a setting",
            sentence="The broker compresses nothing here: the topic wants the codec that came, or plain records. To decompress is not to compress.",
            source=(
                "def who_compresses(producer, topic):\n"
                "    if topic == \"producer\":\n"
                "        return \"nobody\" if producer == \"none\" else \"producer\"\n"
                "    return \"broker\" if producer == \"none\" else \"both\""
            ),
        ),
        WrongAnswer(
            name="only the producer ever packs",
            sentence="A topic with a codec of its own compresses what comes in another form: the broker does it.",
            source=(
                "def who_compresses(producer, topic):\n"
                "    return \"nobody\" if producer == \"none\" else \"producer\""
            ),
        ),
        WrongAnswer(
            name="the topic's codec replaces the producer's",
            sentence="The producer does not know the topic's setting. It compresses with its own codec all the same.",
            source=(
                "def who_compresses(producer, topic):\n"
                "    if topic not in (\"producer\", \"uncompressed\", producer):\n"
                "        return \"broker\"\n"
                "    return \"nobody\" if producer == \"none\" else \"producer\""
            ),
        ),
    ),
    truth=lambda case: _packer(case["producer"], case["topic"]),
    hidden_cases=lambda rng: [
        {"producer": producer, "topic": topic}
        for producer in ("none", *CODECS)
        for topic in ("producer", "uncompressed", *rng.sample(CODECS, 3))
    ],
    right=lambda case: RIGHT[_packer(case["producer"], case["topic"])],
    otherwise="not {said}. work_on(producer, topic) shows who did what.",
    unseen="for another pair of codecs your rule names somebody else than the lab.",
)


# %% 04.5
from autograder.cell.questions.ch04 import keeps_the_rule
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge, Verdict


def _mega(case: dict, data) -> Verdict:
    ok, sentence = keeps_the_rule(case, data)
    return Verdict(ok, sentence, 1.0 if ok else 0.0)


JUDGE_04_5 = Judge(
    id="04.5",
    wrong_answers=(
        WrongAnswer(
            name="others share all",
            sentence="You used Kafka's rule over all {partitions} partitions. So it puts other keys into the last one, which belongs to mega.",
            source=(
                "def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):\n"
                "    partitions = cluster.partition_count_for_topic(topic)\n"
                "    if key == \"mega\":\n"
                "        return partitions - 1\n"
                "    if key is None:\n"
                "        return 0\n"
                "    return to_positive(murmur2(key_bytes)) % partitions"
            ),
        ),
        WrongAnswer(
            name="mega is the first",
            sentence="You gave mega the first partition. It gets the last one, and nobody else may go there.",
            source=(
                "def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):\n"
                "    partitions = cluster.partition_count_for_topic(topic)\n"
                "    if key == \"mega\":\n"
                "        return 0\n"
                "    if key is None:\n"
                "        return partitions - 1\n"
                "    return 1 + to_positive(murmur2(key_bytes)) % (partitions - 1)"
            ),
        ),
        WrongAnswer(
            name="only those with a leader",
            sentence="You chose among the partitions that have a leader just now. When a broker is down, a key's next records go to another partition, and their order is lost.",
            source=(
                "def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):\n"
                "    partitions = cluster.partition_count_for_topic(topic)\n"
                "    if key == \"mega\":\n"
                "        return partitions - 1\n"
                "    led = [\n"
                "        each.partition\n"
                "        for each in cluster.available_partitions_for_topic(topic)\n"
                "        if each.partition < partitions - 1\n"
                "    ] or [0]\n"
                "    return led[to_positive(murmur2(value_bytes if key is None else key_bytes)) % len(led)]"
            ),
        ),
        WrongAnswer(
            name="one for everybody else",
            sentence="You put all other keys into partition 0. They share all partitions but the last.",
            source=(
                "def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):\n"
                "    partitions = cluster.partition_count_for_topic(topic)\n"
                "    return partitions - 1 if key == \"mega\" else 0"
            ),
        ),
        WrongAnswer(
            name="the last one's keys go to 0",
            sentence="You used Kafka's rule over all {partitions} partitions and moved the keys of the last one to 0. The rule is over one partition less, so most keys belong elsewhere.",
            source=(
                "def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):\n"
                "    partitions = cluster.partition_count_for_topic(topic)\n"
                "    if key == \"mega\":\n"
                "        return partitions - 1\n"
                "    home = to_positive(murmur2(value_bytes if key is None else key_bytes)) % partitions\n"
                "    return 0 if home == partitions - 1 else home"
            ),
        ),
        WrongAnswer(
            name="the absolute value",
            sentence="You took the absolute value of the hash. Kafka clears the sign bit, as in section 2, and a negative number becomes another one that way.",
            source=(
                "def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):\n"
                "    partitions = cluster.partition_count_for_topic(topic)\n"
                "    if key == \"mega\":\n"
                "        return partitions - 1\n"
                "    return abs(murmur2(value_bytes if key is None else key_bytes)) % (partitions - 1)"
            ),
        ),
        WrongAnswer(
            name="all that begin with mega",
            sentence="Your function gives the last partition to all keys that begin with mega. The key mega-2 is another customer.",
            source=(
                "def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):\n"
                "    partitions = cluster.partition_count_for_topic(topic)\n"
                "    if key and key.startswith(\"mega\"):\n"
                "        return partitions - 1\n"
                "    return to_positive(murmur2(value_bytes if key is None else key_bytes)) % (partitions - 1)"
            ),
        ),
        WrongAnswer(
            name="the empty key is no key",
            sentence="You treat the empty text as if there were no key. It is a key like any other: only None means that there is none.",
            source=(
                "def mega_partitioner(topic, key, key_bytes, value, value_bytes, cluster):\n"
                "    partitions = cluster.partition_count_for_topic(topic)\n"
                "    if key == \"mega\":\n"
                "        return partitions - 1\n"
                "    return to_positive(murmur2(key_bytes if key else value_bytes)) % (partitions - 1)"
            ),
        ),
    ),
    judge=_mega,
    hidden_cases=lambda rng: [
        {"partitions": rng.randrange(2, 9), "seed": rng.randrange(10, 999), "crash": crash}
        for crash in (True, False, True, True)
    ],
)


# %% 04.6
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_04_6 = Judge(
    id="04.6",
    wrong_answers=(
        WrongAnswer(
            name="linger.ms is blamed",
            sentence="The right producer, but linger.ms is not it: others have the same. Its batches are full long before they have waited that long.",
            source=(
                "too_busy = f\"producer-{guilty.producer}\"\n"
                "setting = \"linger.ms\"\n"
                "its_value = {2: 20, 3: 40, 4: 20, 5: 60, 6: 20, 7: 40, 8: 20}[guilty.producer]"
            ),
        ),
        WrongAnswer(
            name="the default",
            sentence="16384 is the default, which the others have. Read this producer's own line.",
            source=(
                "too_busy = f\"producer-{guilty.producer}\"\n"
                "setting = \"batch.size\"\n"
                "its_value = 16384"
            ),
        ),
        WrongAnswer(
            name="its value as a text",
            sentence="Right, all three. But the value is a number: write it without quotation marks.",
            source=(
                "too_busy = f\"producer-{guilty.producer}\"\n"
                "setting = \"batch.size\"\n"
                "its_value = str(guilty.batch_size)"
            ),
        ),
        WrongAnswer(
            name="the first one",
            sentence="producer-1 is healthy. Look for the one with the most requests and the fewest bytes in each.",
            source=(
                "too_busy = \"producer-1\"\n"
                "setting = \"batch.size\"\n"
                "its_value = 16384"
            ),
        ),
    ),
    truth=lambda case: {
        "too_busy": f"producer-{case['producer']}",
        "setting": "batch.size",
        "its_value": case["batch_size"],
    },
    right=(
        "right: {batch_size} bytes have room for one of these records, so each leaves alone, "
        "whatever linger.ms says."
    ),
    otherwise=(
        "not these three. Find the client with the most requests. Which of its settings differs "
        "from every other client's?"
    ),
)


# %% all
JUDGES = (
    JUDGE_04_1,
    JUDGE_04_2,
    JUDGE_04_3,
    JUDGE_04_7,
    JUDGE_04_4,
    JUDGE_04_5,
    JUDGE_04_6,
)
