# Generated from notebooks/exercises/01; edit those files and run
# `python -m autograder course 01`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 01's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
THREE = ("A", "B", "C")


# %% 01.1
from autograder.cell.kinds import Value

QUESTION_01_1 = Value(
    id="01.1",
    hints=(
        "Which of these readers have a committed offset in common? Only they share records.",
        "A group as a whole gets every record once, however many members it has. Reading removes nothing.",
    ),
    title="who gets how many records",
    points=2,
    answers=("first_group", "second_group", "no_group", "in_the_topic"),
    draws=THREE,
    row="topic",
    space={"records": (18, 24, 30, 36, 42, 48, 54, 60, 66, 72), "members": (2, 3, 4, 5, 6)},
)


# %% 01.2
from autograder.cell.kinds import Value


def _block_of_m2(n):
    """The first and the last partition of the second member."""
    share, left = divmod(n["partitions"], n["members"])
    first = share + (left > 0)
    return first, first + share + (left > 1) - 1


QUESTION_01_2 = Value(
    id="01.2",
    hints=(
        "Divide the partitions by the members: so many for each, and a remainder. Who gets the remainder?",
        "In each group m1 has the first block. m2's block begins where that block ends. It is one longer if the remainder is two or more.",
    ),
    title="who owns what",
    points=3,
    answers=("owned_by_m2", "idle_in_the_crowd"),
    draws=THREE,
    row="group",
    space={
        "partitions": (5, 6, 7, 8, 9, 10, 11, 13),
        "members": (2, 3, 4, 5),
        "crowd": (15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28),
    },
    where=lambda n: (
        n["partitions"] >= 2 * n["members"]
        and n["partitions"] % n["members"]
        and n["crowd"] > 2 * n["partitions"]
        and n["crowd"] % n["partitions"]
    ),
    together=lambda groups: len({_block_of_m2(n) for n in groups}) == len(groups),
)


# %% 01.3
from autograder.cell.kinds import Value

QUESTION_01_3 = Value(
    id="01.3",
    hints=(
        "Range assigns each topic on its own and begins with m1 every time. When does the last busy member get its first partition?",
        "Range: the largest topic decides. RoundRobin: every partition can have a member of its own.",
    ),
    title="how many members are of use",
    points=2,
    answers=("busy_with_range", "busy_with_round_robin"),
    draws=THREE,
    row="group",
    space={"a": (1, 2, 3, 8), "b": (2, 4, 5, 9), "c": (3, 6, 7)},
)


# %% 01.4
from autograder.cell.kinds import Function
from kafkalab import (
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    ProducerRecord,
    TopicPartition,
)

TEN_MINUTES, HOUR = 600_000, 3_600_000


def bookmark(case: str, committed: int | None, log_start: int, log_end: int, reset: str) -> dict:
    """One start of a reader, as plain data."""
    return {
        "case": case,
        "committed": committed,
        "log_start": log_start,
        "log_end": log_end,
        "reset": reset,
    }


STARTS = (
    bookmark("it continues where it stopped", 5, 0, 12, "earliest"),
    bookmark("a new group, earliest", None, 4, 12, "earliest"),
    bookmark("a new group, latest", None, 4, 12, "latest"),
    bookmark("retention has passed the committed offset, earliest", 2, 6, 12, "earliest"),
    bookmark("retention has passed the committed offset, latest", 2, 6, 12, "latest"),
    bookmark("retention has just reached the committed offset, latest", 4, 4, 12, "latest"),
    bookmark("nothing new since", 12, 3, 12, "earliest"),
    bookmark("it committed before its first record, latest", 0, 0, 12, "latest"),
)
NIGHTS = (
    {
        "case": "killed once, then an hour off, earliest, seed 2",
        "seed": 2,
        "reset": "earliest",
        "killed_first": True,
        "off_ms": HOUR,
        "crash": False,
    },
    {
        "case": "off for three hours, earliest, the leader crashes, seed 3",
        "seed": 3,
        "reset": "earliest",
        "killed_first": False,
        "off_ms": 3 * HOUR,
        "crash": True,
    },
    {
        "case": "off for three hours, latest, the leader crashes, seed 5",
        "seed": 5,
        "reset": "latest",
        "killed_first": False,
        "off_ms": 3 * HOUR,
        "crash": True,
    },
)
OWN, KAFKAS, BOTH = "yours", "kafkas", "localhost:9092,localhost:9093"


def nights(case, rule) -> Lab:
    """Runs a job that starts five times on a log that loses its beginning.

    `rule` says where each start begins. The same job runs in a group of its own, and there Kafka
    decides.
    """
    lab = Lab(brokers=2, seed=case["seed"], broker_config={"broker.session.timeout.ms": 6_000})
    lab.create_topic(
        "orders",
        partitions=1,
        replication_factor=2,
        leaders=[0],
        config={"retention.ms": HOUR, "segment.ms": TEN_MINUTES},
    )
    lab.spawn(_shop, name="shop")
    # a start is never at the moment in which a record comes
    lab.run_for(ms=(3 + case["seed"] % 4) * TEN_MINUTES + 180_000)
    for start, pause_ms in enumerate((TEN_MINUTES, 0, case["off_ms"], 0, 0)):
        for job in (OWN, KAFKAS):
            lab.spawn(
                _job,
                job,
                rule if job == OWN else None,
                case["reset"],
                not (case["killed_first"] and start == 0),
                start,
                name=f"{job}-{start}",
            )
        lab.run_for(ms=30_000)
        for job in (OWN, KAFKAS):
            lab.kill(f"{job}-{start}")
        if case["crash"] and pause_ms == case["off_ms"]:
            lab.broker(0).crash()
        lab.run_for(ms=pause_ms)
    lab.close()
    return lab


def _shop(lab) -> None:
    producer = KafkaProducer(lab, {"client.id": "shop"})
    while True:
        producer.send(ProducerRecord("orders", partition=0, value="an order"))
        lab.sleep(TEN_MINUTES)


def _job(lab, job: str, rule, reset: str, commits: bool, start: int) -> None:
    """Begin, read at most three times two records, commit each time; then wait to be killed.

    With a rule Kafka decides nothing: reset is none.
    """
    place = TopicPartition("orders", 0)
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": job,
            "client.id": job,
            "auto.offset.reset": reset if rule is None else "none",
            "enable.auto.commit": False,
            "bootstrap.servers": BOTH,
            "max.poll.records": 2,
        },
        name=job,
    )
    consumer.assign([place])
    committed = consumer.committed([place])[place]
    told = {
        "start": start,
        "bookmark": None if committed is None else committed.offset,
        "log_start": consumer.beginning_offsets([place])[place],
        "log_end": consumer.end_offsets([place])[place],
    }
    got = []
    try:
        if rule is not None:
            consumer.seek(place, rule(told["bookmark"], told["log_start"], told["log_end"], reset))
        for _ in range(3):
            got += [record.offset for record in consumer.poll(timeout_ms=1_000)]
            if commits:
                consumer.commit_sync()
        told["begins"] = got[0] if got else consumer.position(place)
    except (KafkaException, ValueError, TypeError) as error:
        told["begins"] = type(error).__name__
    lab.journal.append("told", job, what="begins", **told)
    lab.sleep(2 * HOUR)


def another_start(case, lab):
    """What a run must not have: a start at which the learner's job begins at another offset than
    Kafka's own."""
    told = {(event.who, event.start): event.fields for event in lab.journal.of("told")}
    for start in range(5):
        own, kafkas = told.get((OWN, start), {"begins": "nowhere"}), told[KAFKAS, start]
        if own["begins"] != kafkas["begins"]:
            where = f"start {start + 1} of the job, reset={case['reset']}"
            proof = [
                (
                    f"the group's committed offset {own.get('bookmark')}, the log from "
                    f"{own.get('log_start')} to {own.get('log_end')}"
                ),
                f"yours begins: {own['begins']}",
                f"Kafka's begins: {kafkas['begins']}",
            ]
            if type(own["begins"]) is not int:
                return (
                    f"{where}: your job stopped. The offset you returned cannot be read from.",
                    proof,
                )
            between = (
                f"the records from {min(own['begins'], kafkas['begins'])} to "
                f"{max(own['begins'], kafkas['begins']) - 1}"
            )
            if own["begins"] < kafkas["begins"]:
                return f"{where}: your job reads {between}, and Kafka's own job does not.", proof
            return f"{where}: your job skips {between}, and Kafka's own job reads them.", proof
    return None


def kept(case):
    """What such a run has proven."""
    troubles = {
        "it was killed before a commit": case["killed_first"],
        "the leader crashed": case["crash"],
    }
    after = "".join(f", once after {what}" for what, came in troubles.items() if came)
    return f"right: five starts began where Kafka's own job began{after}."


QUESTION_01_4 = Function(
    id="01.4",
    hints=(
        "There are two ways to have no good committed offset: none at all, or one before the log's start.",
        "One condition says whether the committed offset counts: there is one, and it is not before the log's start. Else reset picks an end.",
    ),
    title="where a reader begins",
    points=3,
    answers=("first_offset",),
    public_cases=STARTS + NIGHTS,
    probe=lambda names, case: names["first_offset"](
        case["committed"], case["log_start"], case["log_end"], case["reset"]
    ),
    play=nights,
    look=another_start,
    kept=kept,
)


# %% 01.5
from autograder.cell.kinds import LineReading

QUESTION_01_5 = LineReading(
    id="01.5",
    hints=(
        "Each line begins with the program's client id and its group. Which program is in a group that is not its team's?",
        "Look for clientId=search-1 and read the groupId beside it. The partition in that line is read for the wrong team.",
    ),
    title="bug hunt: two teams, one group",
    points=2,
    answers=("guilty_line", "right_group", "also_short", "unread_partition"),
)


# %% 01.6
from autograder.cell.kinds import Value

QUESTION_01_6 = Value(
    id="01.6",
    hints=(
        "per_partition takes your two numbers. Sort by records, the largest first.",
        "per_partition(busy=n.A.busy, partitions=n.A.partitions).orderBy(F.desc(\"records\")).toPandas()",
    ),
    title="Spark: the busiest partition",
    points=2,
    answers=("busiest", "records_in_it"),
    draws=("A", "B"),
    row="shop",
    space={"busy": tuple(range(13, 1_000, 23)), "partitions": (5, 7, 8, 9, 10, 11, 13, 14)},
)


# %% 01.open
from autograder.cell.kinds import Open

QUESTION_01_open = Open(
    id="01.open",
    title="How can one system be both a queue and publish/subscribe?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_01_1,
    QUESTION_01_2,
    QUESTION_01_3,
    QUESTION_01_4,
    QUESTION_01_5,
    QUESTION_01_6,
    QUESTION_01_open,
)
