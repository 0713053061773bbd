"""Chapter 01, a log and its readers: the learner's half of its questions."""

from __future__ import annotations

from autograder.cell.kinds import Function, LineReading, Open, Value
from kafkalab import (
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    ProducerRecord,
    TopicPartition,
)

THREE = ("A", "B", "C")
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
    bookmark("it goes on where it stopped", 5, 0, 12, "earliest"),
    bookmark("a new group, earliest", None, 4, 12, "earliest"),
    bookmark("a new group, latest", None, 4, 12, "latest"),
    bookmark("retention has passed the bookmark, earliest", 2, 6, 12, "earliest"),
    bookmark("retention has passed the bookmark, latest", 2, 6, 12, "latest"),
    bookmark("nothing new since", 12, 3, 12, "earliest"),
    bookmark("it committed before its first record, latest", 0, 0, 12, "latest"),
    bookmark("the log has lost its end, earliest", 11, 3, 8, "earliest"),
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
    """A job that starts five times on a log that loses its beginning. `rule` says where each start
    begins; beside it runs the same job, in a group of its own, and Kafka says where that one
    begins."""
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
    With a rule Kafka helps nobody: reset is none."""
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
    """What a run must not have: a start at which the learner's job
    begins elsewhere than Kafka's own."""
    told = {(event.who, event.start): event.fields for event in lab.journal.of("told")}
    for start in range(5):
        own, kafkas = told.get((OWN, start), {"begins": "nowhere"}), told[KAFKAS, start]
        if own["begins"] != kafkas["begins"]:
            where = f"start {start + 1} of the job, reset={case['reset']}"
            proof = [
                (
                    f"the group's bookmark {own.get('bookmark')}, the log from "
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


QUESTIONS = (
    Value(
        id="01.1",
        title="who gets how many records",
        points=2,
        answers=("first_group", "second_group", "no_group", "in_the_topic"),
        draws=THREE,
        row="topic",
        space={"records": (18, 24, 30, 36, 42, 48, 54, 60, 66, 72), "members": (2, 3, 4, 5, 6)},
        hints=(
            "Which of these readers shares a bookmark with somebody? Only they share records.",
            (
                "A group as a whole gets every record once, however many members it has. Reading "
                "removes nothing."
            ),
        ),
    ),
    Value(
        id="01.2",
        title="who owns what",
        points=3,
        answers=("owned_by_m2", "idle_in_the_crowd"),
        draws=THREE,
        row="group",
        space={
            "partitions": (5, 7, 8, 9, 10, 11),
            "members": (2, 3, 4, 5),
            "crowd": (12, 13, 14, 17, 18, 19, 21, 23, 24, 26),
        },
        where=lambda n: (
            n["partitions"] >= 2 * n["members"]
            and n["partitions"] % n["members"]
            and n["crowd"] > 2 * n["partitions"]
            and n["crowd"] % n["partitions"]
        ),
        hints=(
            (
                "Divide the partitions by the members: so many for each, and some left over. Who "
                "takes those?"
            ),
            (
                "In each group m1 has the first block. m2's block begins where it ends; it is one "
                "longer when two or more are left over."
            ),
        ),
    ),
    Value(
        id="01.3",
        title="how many members are of use",
        points=2,
        answers=("busy_with_range", "busy_with_round_robin"),
        draws=THREE,
        row="group",
        space={"a": (1, 2, 3, 8), "b": (2, 4, 5, 9), "c": (3, 6, 7)},
        hints=(
            (
                "Range deals each topic on its own and begins with m1 every time. When does the "
                "last busy member get its first partition?"
            ),
            (
                "Range: the largest topic decides. RoundRobin: every partition can have a member "
                "of its own."
            ),
        ),
    ),
    Function(
        id="01.4",
        title="where a reader begins",
        points=3,
        answers=("first_offset",),
        public_cases=STARTS + NIGHTS,
        probe=lambda names, case: names["first_offset"](
            case["committed"], case["log_start"], case["log_end"], case["reset"]
        ),
        play=nights,
        look=another_start,
        kept="right: five times it began where Kafka's own job began.",
        hints=(
            (
                "Three ways to have no good bookmark: none at all, one before the log's start, one "
                "beyond its end."
            ),
            (
                "One condition says whether the bookmark counts: there is one, and it lies between "
                "the two ends, both included. Else reset picks an end."
            ),
        ),
    ),
    LineReading(
        id="01.5",
        title="bug hunt: two teams, one group",
        points=2,
        answers=("guilty_line", "right_group"),
        hints=(
            (
                "Each line begins with the program's client id and its group. Which program stands "
                "in a group it does not belong to?"
            ),
            "Look for clientId=search-1 and read the groupId beside it.",
        ),
    ),
    Value(
        id="01.6",
        title="Spark: the busiest partition",
        points=2,
        answers=("busiest", "records_in_it"),
        draws=("A", "B"),
        row="shop",
        space={"busy": tuple(range(13, 1_000, 23)), "partitions": (5, 7, 8, 9, 10, 11, 13, 14)},
        hints=(
            "per_partition takes your two numbers. Sort by records, the largest first.",
            (
                "per_partition(busy=n.A.busy, "
                'partitions=n.A.partitions).orderBy(F.desc("records")).toPandas()'
            ),
        ),
    ),
    Open(id="01.open", points=4, title="How can one system be both a queue and publish/subscribe?"),
)
