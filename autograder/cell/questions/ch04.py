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


# %% 04.7
from random import Random
from types import SimpleNamespace

from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function
from kafkalab import KafkaProducer, Lab, ProducerRecord


def queue(partition: int, bytes: int, waited_ms: int, *is_so: str) -> dict:
    """A partition with waiting batches, as plain data. is_so: "full", "muted", "backs off"."""
    return {
        "partition": partition,
        "bytes": bytes,
        "waited_ms": waited_ms,
        "is_full": "full" in is_so,
        "muted": "muted" in is_so,
        "backs_off": "backs off" in is_so,
    }


def look(case: str, *waiting: dict, in_flight: int = 0, most: int = 5, size: int = 1_000) -> dict:
    """One look of the Sender, as plain data; linger.ms is 50."""
    return {
        "case": case,
        "waiting": list(waiting),
        "in_flight": in_flight,
        "limits": {"max_in_flight": most, "linger_ms": 50, "max_request_size": size},
    }


LOOKS = (
    look("one is full, one has just come", queue(0, 90, 3), queue(1, 400, 9, "full")),
    look("nothing is due", queue(0, 90, 3), queue(1, 300, 49)),
    look("linger ends now", queue(2, 90, 50), queue(0, 300, 7)),
    look("the second does not fit", queue(3, 600, 60), queue(0, 500, 8), queue(1, 100, 8)),
    look("one is muted", queue(0, 400, 90, "full", "muted"), queue(1, 100, 55), most=1),
    look("only a muted one is full", queue(0, 400, 90, "full", "muted"), queue(1, 100, 5), most=1),
    look("one backs off", queue(1, 400, 20, "full", "backs off"), queue(2, 200, 70)),
    look("five are in flight", queue(0, 400, 90, "full"), in_flight=5),
    look("larger than a request", queue(0, 2_400, 90, "full"), queue(1, 90, 9)),
    look("one in flight of one", queue(0, 400, 90, "full"), in_flight=1, most=1),
)
SHIFTS = (
    {"case": "order is kept, seed 1", "seed": 1, "most": 1, "size": 900, "crash": False},
    {"case": "two in flight, seed 2", "seed": 2, "most": 2, "size": 500, "crash": False},
    {"case": "a broker crashes, seed 3", "seed": 3, "most": 5, "size": 900, "crash": True},
)


def chosen(names, case):
    """The numbers of the partitions that the learner's rule takes."""
    waiting = [SimpleNamespace(**fields) for fields in case["waiting"]]
    answer = names["next_request"](waiting, case["in_flight"], SimpleNamespace(**case["limits"]))
    if not isinstance(answer, (list, tuple)):
        raise NotAsAsked(
            "`next_request` returns a list, [] for no request; yours returns "
            f"{type(answer).__name__} {str(answer)[:40]}"
        )
    if any(type(one) is not int for one in answer):
        raise NotAsAsked(
            "`next_request` returns partition numbers, such as [0, 3]. Add `one.partition`, not `one`"
        )
    return sorted(answer)


def shift(case, rule):
    """A producer with six partitions on two brokers; broker 0 answers late, broker 1 may crash."""
    lab = Lab(brokers=2, seed=case["seed"], version="3.9")
    lab.create_topic("orders", partitions=6, leaders=[0, 1, 0, 1, 0, 0], replication_factor=2)

    def asked(waiting, in_flight, limits):
        answer = list(rule(waiting, in_flight, limits))
        lab.journal.append(
            "told",
            "learner",
            what="asked",
            waiting=waiting,
            in_flight=in_flight,
            limits=limits,
            chosen=answer,
        )
        return answer

    settings = {
        "linger.ms": 20,
        "batch.size": 400,
        "max.request.size": case["size"],
        "max.in.flight.requests.per.connection": case["most"],
        "enable.idempotence": False,
    }
    producer = KafkaProducer(lab, settings, name="learner", next_request=asked)
    lab.broker(0).delay("PRODUCE", ms=30)
    chance = Random(case["seed"])
    for number in range(90):
        value = "x" * chance.choice((20, 60, 150, 310))
        producer.send(ProducerRecord("orders", value=value, partition=chance.randrange(6)))
        lab.run_for(ms=chance.choice((0, 0, 3, 11)))
        if case["crash"] and number == 45:
            lab.broker(1).crash()
            lab.run_for(ms=1_000)
            lab.broker(1).restart()
    lab.run_for(ms=3_000)
    lab.close()
    return lab


def another_request(case, lab):
    """The first decision that is not Kafka's, and what it does."""
    for event in lab.journal.of("told"):
        wrong = _slip(event.waiting, event.in_flight, event.limits, event.chosen)
        if wrong:
            proof = [
                f"partition {each.partition}: {each.bytes:>4} bytes, waited {each.waited_ms:>4} ms"
                f"{', full' * each.is_full}{', muted' * each.muted}"
                f"{', backs off' * each.backs_off}"
                for each in event.waiting
            ]
            return f"with seed {case['seed']}, at {event.at_ms:,} ms, {wrong}", proof
    return None


def _slip(waiting, in_flight, limits, chosen) -> str:
    """What is wrong with one decision, "" if it is Kafka's."""
    out = {
        each.partition: "is muted" if each.muted else "backs off"
        for each in waiting
        if each.muted or each.backs_off
    }
    able = [each for each in waiting if each.partition not in out]
    room, fits = limits.max_request_size, []
    for each in able:
        room -= each.bytes
        if fits and room < 0:
            break
        fits.append(each.partition)
    due = any(each.is_full or each.waited_ms >= limits.linger_ms for each in able)
    if limits.max_in_flight <= in_flight:
        told = f"{in_flight} requests had no answer, and your rule sent another one."
        return told if chosen else ""
    for each in chosen:
        if each in out:
            return f"your rule sent a batch of partition {each}, which {out[each]}."
    if not due:
        return "no batch was due, and your rule sent a request." if chosen else ""
    if not chosen:
        return "a batch was due, and your rule sent nothing."
    if set(chosen) - set(fits):
        return f"your request has partitions {_listed(chosen)}; Kafka's ends after {fits[-1]}."
    left = sorted(set(fits) - set(chosen))
    return f"your request left out {_listed(left)}, and there was room." if left else ""


def _listed(numbers) -> str:
    return ", ".join(map(str, numbers))


def what_a_shift_proved(case):
    """The sentence of a shift in which each decision was Kafka's."""
    if case["crash"]:
        return "right: each request was Kafka's, also when the broker was away and came back."
    if case["most"] == 1:
        return "right: each request was Kafka's, and no partition had two batches on the way."
    return f"right: each request was Kafka's, and at most {case['most']} were in flight."


QUESTION_04_7 = Function(
    id="04.7",
    hints=(
        "Three steps: who may go at all, whether one of them is due, how many of them fit.",
        "due only decides whether there is a request. What goes is taken from all that may go, from the front, and the loop ends with break.",
    ),
    title="fill the next request",
    points=4,
    answers=("next_request",),
    public_cases=LOOKS + SHIFTS,
    probe=chosen,
    play=shift,
    look=another_request,
    kept=what_a_shift_proved,
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
    QUESTION_04_7,
    QUESTION_04_4,
    QUESTION_04_5,
    QUESTION_04_6,
    QUESTION_04_open,
)
