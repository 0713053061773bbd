# Generated from notebooks/exercises/03; edit those files and run
# `python -m autograder course 03`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 03's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
CLUSTERS = ("A", "B", "C")


# %% 03.1
from autograder.cell.kinds import Value

QUESTION_03_1 = Value(
    id="03.1",
    hints=(
        "Count by class: one to ask, one to the coordinator, and then the data connections. How many brokers lead a partition?",
        "In cluster A 2 + n.A.leaders are opened. Kept: all but the one that was only needed to ask.",
    ),
    title="opened and kept by one consumer",
    points=3,
    answers=("opened", "kept"),
    draws=CLUSTERS,
    space={
        "brokers": (5, 6, 7, 8, 9, 10),
        "partitions": (4, 5, 6, 7, 8, 9, 11),
        "leaders": (2, 3, 4, 5, 6),
    },
    where=lambda n: (
        n["leaders"] < min(n["brokers"] - 2, n["partitions"]) and n["brokers"] != n["partitions"]
    ),
    together=lambda clusters: len({n["leaders"] for n in clusters}) == len(clusters),
)


# %% 03.2
from autograder.cell.kinds import Function

NODE_IDS = ("0", "-1", "2147483645", "+2", "2147483647", "7", "1001", "2147482646")

QUESTION_03_2 = Function(
    id="03.2",
    hints=(
        "Four kinds: a real id, a made-up negative one, a very large one, and one with a plus sign.",
        "Very large: 2147483647 minus the number. Negative: the client does not know the broker, so None.",
    ),
    title="the broker behind a node id",
    points=2,
    answers=("broker_of",),
    public_cases=tuple({"case": f"node id {text}", "node_id": text} for text in NODE_IDS),
    probe=lambda names, case: names["broker_of"](case["node_id"]),
)


# %% 03.3
import re

from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import LineReading

# Connection lines of consumers of several versions. A broker's port says nothing about what a
# connection to it is for.
BROKERS = (0, 1, 2, 3, 11)
OLD, NEW = "rack: null", "rack: null isFenced: false"
IDS = (
    tuple((str(broker), broker, tail) for broker in BROKERS for tail in (OLD, NEW))
    + tuple((str(2147483647 - broker), broker, OLD) for broker in BROKERS)
    + tuple((f"+{broker}", broker, NEW) for broker in BROKERS)
    + tuple(
        (f"-{place}", broker, tail)
        for place in (1, 2, 3)
        for broker in (0, 1, 2)
        for tail in (OLD, NEW)
    )
)
LINES = tuple(
    (
        f"Initiating connection to node localhost:{9092 + broker} (id: {id} {tail}) using address "
        "localhost/127.0.0.1"
    )
    for id, broker, tail in IDS
)
PLACES = ("1", "2", "3", "4", "5", "6", "7", "8")
CLASSES = ("bootstrap", "coordinator", "data")


def label_of(names, case):
    """The label the answer gives to this case's line."""
    labels = names["labels"]
    if not isinstance(labels, (list, tuple)) or len(labels) != len(PLACES):
        raise NotAsAsked(f"`labels` is a list with an entry for each of the {len(PLACES)} lines")
    unknown = [label for label in labels if label not in CLASSES]
    if unknown:
        raise NotAsAsked(f"{unknown[0]!r} is none of {', '.join(CLASSES)}")
    return labels[int(case["of"]) - 1]


def tricky(lines) -> bool:
    """Every class is there, and each of the ways in which a
    coordinator or an address is written."""
    ids = [re.search(r"id: (\S+)", each["line"])[1] for each in lines]
    return (
        any(id.startswith("+") for id in ids)
        and "2147483647" in ids
        and any(id.startswith("-") and id != "-1" for id in ids)
        and any(id.isdigit() and len(id) < 3 for id in ids)
    )


QUESTION_03_3 = LineReading(
    id="03.3",
    hints=(
        "The id comes after `(id: `. It tells the class by itself.",
        "Negative: bootstrap. Larger than two thousand million, or with a plus: coordinator. Else: data.",
    ),
    title="connection lines by class",
    points=2,
    answers=("labels",),
    row="line",
    probe=label_of,
    space={"line": LINES},
    draws=PLACES,
    together=tricky,
    show=lambda numbers: [each["line"] for each in numbers.values()],
)


# %% 03.4
from autograder.cell.kinds import Function
from kafkalab import KafkaConsumer, Lab

GROUPS = ("test", "inventory", "orders", "polygenelubricants")
SEARCHES = (
    {"case": "group fleet, seed 3", "group": "fleet", "seed": 3, "crash": False},
    {
        "case": "group orders, its coordinator crashes, seed 5",
        "group": "orders",
        "seed": 5,
        "crash": True,
    },
    {
        "case": "group polygenelubricants, its coordinator crashes, seed 6",
        "group": "polygenelubricants",
        "seed": 6,
        "crash": True,
    },
)
MEMBERS = ("m1", "m2")


def search(case, rule) -> Lab:
    """Two members look for their group in a cluster whose brokers answer FIND_COORDINATOR by
    `rule`; after nine seconds the group's coordinator may crash, and another broker takes its
    partition over."""
    lab = Lab(brokers=5, seed=case["seed"], broker_config={"broker.session.timeout.ms": 4_000})
    lab.create_topic("t4", partitions=4, replication_factor=3)
    lab.find_coordinators_by(rule)

    def member(lab, name):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": case["group"],
                "client.id": name,
                "fetch.max.wait.ms": 2_000,
                "retry.backoff.ms": 500,
            },
            name=name,
        )
        consumer.subscribe(["t4"])
        while True:
            consumer.poll(timeout_ms=500)

    for name in MEMBERS:
        lab.spawn(member, name, name=name)
    lab.run_for(ms=9_000)
    if case["crash"]:
        lab.broker(lab.coordinator_of(case["group"])).crash()
        lab.run_for(ms=12_000)
    lab.close()
    return lab


def not_found(case, lab):
    """What a search must not end in: a member that was sent to a broker
    which does not know the group, or to none."""
    crashed = next((event.at_ms for event in lab.journal.of("broker.down")), 0)
    refused = [
        event
        for event in lab.journal.of("line")
        if event.who in MEMBERS
        and ("NOT_COORDINATOR" in event.message or "not the correct coordinator" in event.message)
    ]
    if not any(event.partitions and event.at_ms < 9_000 for event in lab.journal.of("assigned")):
        if not refused:
            return (
                (
                    f"group {case['group']}: no member was ever told a broker. What you return is "
                    "a whole number from 0 to 49."
                ),
                _searched(lab, 0),
            )
        return (
            (
                f"group {case['group']}: its members were sent to a broker that knows nothing of "
                "the group and answers NOT_COORDINATOR, again and again. Nobody reads."
            ),
            _searched(lab, 0),
        )
    if crashed and not any(
        event.at_ms > crashed
        for event in lab.journal.of("line")
        if event.who == "m1" and "Discovered group coordinator" in event.message
    ):
        return (
            f"group {case['group']}: after the crash its members found no coordinator again.",
            _searched(lab, crashed),
        )
    late = [event for event in refused if event.at_ms > crashed + 6_000]
    if late:
        return (
            (
                f"group {case['group']}: after the crash its members were sent to a broker that "
                "answers NOT_COORDINATOR."
            ),
            _searched(lab, crashed),
        )
    return None


def _searched(lab, from_ms: int) -> list[str]:
    """What m1 says about its search, the first lines."""
    said = [
        (event.at_ms, event.message.split("] ", 1)[-1])
        for event in lab.journal.of("line")
        if event.who == "m1" and event.at_ms >= from_ms
    ]
    wanted = ("Discovered group coordinator", "is unavailable or invalid", "lookup failed")
    rows = [
        f"{at_ms:>6,} ms  {text}" for at_ms, text in said if any(words in text for words in wanted)
    ][:4]
    return [row if len(row) <= 200 else row[:199] + "…" for row in rows]


QUESTION_03_4 = Function(
    id="03.4",
    hints=(
        "Hash, make it positive, take the remainder modulo 50. The order of the steps matters.",
        "abs(-2147483648) is 2147483648 in Python. In Kafka it is 0. Treat that one number first.",
    ),
    title="from a group's name to its partition",
    points=2,
    answers=("offsets_partition",),
    public_cases=tuple({"case": f"group {name}", "group": name} for name in GROUPS) + SEARCHES,
    probe=lambda names, case: names["offsets_partition"](case["group"]),
    play=search,
    look=not_found,
    kept="right: the members found their group.",
)


# %% 03.5
from autograder.cell.kinds import Value

QUESTION_03_5 = Value(
    id="03.5",
    hints=(
        "A connection is found by its node id. The id for coordination differs from the id for data, even on the same broker.",
        "Each member: one bootstrap, one coordinator, one data. Which of the three are left after the idle limit, and which broker is each of them?",
    ),
    title="a group, and all leaders on one broker",
    points=2,
    answers=("opened_one", "kept_one", "at_broker_0"),
    row="group",
    space={
        "members": (3, 4, 5, 6, 7, 8),
        "partitions": (7, 9, 10, 11, 13),
        "coordinator": (0, 1, 2),
    },
    draws=CLUSTERS,
    where=lambda n: n["members"] < n["partitions"],
    together=lambda groups: (
        len({n["members"] for n in groups}) == len(groups)
        and len({n["coordinator"] for n in groups}) == len(groups)
    ),
)


# %% 03.6
from autograder.cell.kinds import Value

QUESTION_03_6 = Value(
    id="03.6",
    hints=(
        "`per_client` has a column coordinator. Which rows have 0 there?",
        "per_client.where(\"coordinator = 0\").count()",
    ),
    title="Spark: consumers without a coordinator",
    points=2,
    answers=("without_coordinator",),
)


# %% 03.7
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, Lab

TIMES = (
    "auto.commit.interval.ms",
    "connections.max.idle.ms",
    "fetch.max.wait.ms",
    "heartbeat.interval.ms",
    "reconnect.backoff.ms",
    "retry.backoff.ms",
    "session.timeout.ms",
)


def log_of_a_tidy_mind(numbers) -> list[str]:
    """Settings and lines of a consumer whose idle limit was meant in seconds."""
    return list(_tidied(numbers["minutes"], numbers["seed"]))


@lru_cache(maxsize=256)
def _tidied(minutes: int, seed: int) -> tuple[str, ...]:
    lab = Lab(brokers=3, seed=minutes + 1_000 * seed, version="2.3", broker_version="2.3")
    lab.create_topic("t4", partitions=3, leaders=[0, 1, 2])
    lab.place_coordinator("test", broker=2)
    consumer = KafkaConsumer(
        lab, {"group.id": "test", "connections.max.idle.ms": minutes * 60}, name="reader"
    )
    consumer.subscribe(["t4"])
    while lab.now_ms < 9_000:
        consumer.poll(timeout_ms=200)
    lines = lab.lines("reader")
    settings = [
        line.strip()
        for line in lines.message.iloc[0].splitlines()
        if line.strip().split(" =")[0] in TIMES
    ]
    told = [
        line for line in lines[lines.at_ms > 6_000].itertuples() if "2147483645" in line.message
    ]
    said = [f"{line.time[-12:]} {line.level} {line.message.split('] ', 1)[-1]}" for line in told]
    return tuple(
        settings
        + [
            line
            for line in said
            if any(
                words in line
                for words in (
                    "Initiating connection",
                    "disconnected",
                    "oordinator localhost",
                    "for HEARTBEAT",
                )
            )
        ][:14]
    )


QUESTION_03_7 = LineReading(
    id="03.7",
    hints=(
        "Which connection is opened again and again, though it is needed every three seconds? Something ends it in between.",
        "The client itself closes what has been idle for too long. How long is that here, and how long was it meant to be?",
    ),
    title="bug hunt: a time in seconds",
    points=2,
    answers=("setting", "should_be"),
    space={"minutes": (6, 7, 8, 10, 11, 12, 14, 15, 16)},
    scenery={"seed": 100_000},
    show=log_of_a_tidy_mind,
)


# %% 03.open
from autograder.cell.kinds import Open

QUESTION_03_open = Open(
    id="03.open",
    title="Two brokers, one topic with five partitions, one consumer in a group, one bootstrap address, client 2.3. How many TCP connections does the consumer open? How many does it keep after the idle limit has passed? And why does the coordinator get a socket of its own?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_03_1,
    QUESTION_03_2,
    QUESTION_03_3,
    QUESTION_03_4,
    QUESTION_03_5,
    QUESTION_03_6,
    QUESTION_03_7,
    QUESTION_03_open,
)
