"""Chapter 11, watching lag: the learner's half of its questions."""

from __future__ import annotations

from functools import cache, lru_cache
from random import Random

from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function, LineReading, Open, Value
from kafkalab import (
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.tools.consumer_groups import described

MINUTE = 60_000
THREE = ("A", "B", "C")
WATCHED = (
    {"case": "a topic that has just begun", "seed": 1, "story": "young"},
    {"case": "a member that is too slow", "seed": 2, "story": "slow"},
    {"case": "a member that dies", "seed": 3, "story": "dies"},
    {"case": "a partition that was never committed", "seed": 4, "story": "never"},
    {"case": "everything read, and everything deleted", "seed": 5, "story": "quiet"},
)


def wrote(lab, partition: int, records: int, shop=None) -> KafkaProducer:
    """Records in a partition of orders, and who wrote them."""
    shop = shop or KafkaProducer(lab, {"client.id": "shop"})
    for _ in range(records):
        shop.send(ProducerRecord("orders", value="an order", partition=partition))
    shop.flush()
    return shop


def table_of(numbers) -> dict[str, str]:
    """What kafka-consumer-groups prints of each group, cut to fit a page."""
    return {
        name: "\n".join(
            line[:115].rstrip()
            for line in described(group_of(**each), "billing").strip("\n").splitlines()
        )
        for name, each in numbers.items()
    }


# of labs; of texts and numbers one can keep more
@lru_cache(maxsize=16)
def group_of(partitions: int, committed: int, left: int, records: int) -> Lab:
    """A group with one member, which has committed in some of its partitions, and commits left
    over from a topic it no longer reads."""
    lab = Lab(brokers=1, seed=records + partitions)
    lab.create_topic("orders", partitions=partitions)
    lab.create_topic("returns", partitions=left)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for topic, count in (("orders", partitions), ("returns", left)):
        for partition in range(count):
            for _ in range(records + 3 * partition):
                shop.send(ProducerRecord(topic, value="an order", partition=partition))
    shop.flush()
    before = KafkaConsumer(
        lab, {"group.id": "billing", "client.id": "m0", "enable.auto.commit": False}, name="m0"
    )
    before.assign([TopicPartition("returns", partition) for partition in range(left)])
    before.commit_sync(
        {
            TopicPartition("returns", partition): OffsetAndMetadata(records - 7 - partition)
            for partition in range(left)
        }
    )
    before.close()
    member = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "client.id": "m1",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        },
        name="m1",
    )
    member.subscribe(["orders"])
    member.poll(timeout_ms=5_000)
    member.commit_sync(
        {
            TopicPartition("orders", partition): OffsetAndMetadata(9 + 4 * partition)
            for partition in range(committed)
        }
    )
    return lab


@cache
def looks(seed: int, story: str) -> tuple[dict, ...]:
    """What a monitor sees of a group, minute by minute: partition -> (log start, committed
    offset or None, log end)."""
    chance = Random(seed)
    lab = Lab(brokers=1, seed=seed, broker_config={"log.retention.check.interval.ms": 10_000})
    keep = 120 if story == "young" else chance.choice((4, 5, 6))
    lab.create_topic(
        "orders", partitions=3, config={"retention.ms": keep * MINUTE, "segment.ms": 30_000}
    )
    quick, slow = {
        "young": (120, 40),
        "slow": (120, 10),
        "dies": (120, 60),
        "never": (120, 60),
        "quiet": (240, 240),
    }[story]
    skipped = chance.randrange(3) if story == "never" else None

    def member(lab, name, per_minute):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "billing",
                "client.id": name,
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "max.poll.records": 10,
                "max.partition.fetch.bytes": 300,
                "heartbeat.interval.ms": 15_000,
                "retry.backoff.ms": 1_000,
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        while True:
            if list(consumer.poll(timeout_ms=100)):
                consumer.commit_sync(
                    {
                        tp: OffsetAndMetadata(consumer.position(tp))
                        for tp in consumer.assignment()
                        if tp.partition != skipped and consumer.position(tp)
                    }
                )
            lab.sleep(10 * MINUTE // per_minute)

    lab.spawn(member, "m1", quick, name="m1")
    lab.spawn(member, "m2", slow, name="m2")
    shop, ends_at, seen = (
        KafkaProducer(lab, {"client.id": "shop"}),
        6 if story == "quiet" else 18,
        [],
    )
    dies_at, arrive = chance.randrange(5, 8), chance.choice((20, 25, 30))
    for minute in range(1, 19):
        lab.run_for(ms=MINUTE * minute - lab.now_ms)
        if story == "dies" and minute == dies_at:
            lab.kill("m2")
            lab.kill("m1")
        if minute < ends_at:
            for partition in range(3):
                wrote(lab, partition, arrive, shop)
        lab.run_for(ms=30_000)
        seen.append(_seen(lab))
    lab.close()
    return tuple(seen)


def _seen(lab) -> dict:
    state = lab.at(lab.now_ms)
    done = state["groups"].get("billing", {}).get("offsets", {})
    logs = {
        f"orders-{partition}": state["partitions"][f"orders-{partition}"] for partition in range(3)
    }
    return {
        name: (
            log["log_start_offset"],
            done[name]["offset"] if name in done else None,
            log["high_watermark"],
        )
        for name, log in logs.items()
    }


def watched(names, case) -> list:
    """What the learner's monitor says in each minute of a story."""
    said = []
    for look in looks(case["seed"], case["story"]):
        told = names["watch"](dict(look))
        if type(told) not in (tuple, list) or len(told) != 3:
            raise NotAsAsked("`watch` returns three things, as the list above it says")
        said.append([told[0], told[1], sorted(map(str, told[2]))])
    return said


def lines_of(numbers) -> list[str]:
    """When the new member says what as it starts: where it goes on in each partition."""
    lines = renamed(**numbers).lines("m1")
    wanted = ("Found no committed", "Resetting offset", "Setting offset", "Adding newly")
    told = zip(
        lines.time, lines.message.str.removeprefix("[Consumer clientId=m1, groupId=billing] ")
    )
    return [f"{time[-12:]} {text}" for time, text in told if text.startswith(wanted)]


@lru_cache(maxsize=16)
def renamed(forgotten: int, records: int, done: int, seed: int = 0) -> Lab:
    """A group whose first program committed in two of three partitions, and its successor, which
    starts with auto.offset.reset=latest."""
    lab = Lab(brokers=1, seed=records + forgotten + 1_000 * seed)
    lab.create_topic("orders", partitions=3)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for partition in range(3):
        wrote(lab, partition, records + 2 * partition, shop)
    first = KafkaConsumer(lab, {"group.id": "billing", "enable.auto.commit": False}, name="m0")
    first.assign([TopicPartition("orders", partition) for partition in range(3)])
    first.commit_sync(
        {
            TopicPartition("orders", partition): OffsetAndMetadata(done + partition)
            for partition in range(3)
            if partition != forgotten
        }
    )
    first.close()
    second = KafkaConsumer(lab, {"group.id": "billing", "client.id": "m1"}, name="m1")
    second.subscribe(["orders"])
    second.poll(timeout_ms=5_000)
    return lab


def tells_ideas_apart(stories: list[dict]) -> bool:
    """Whether both rules of auto.offset.reset are among them."""
    return len({n["reset"] for n in stories}) == 2


STORIES = {
    "arrive": (30, 40, 50),
    "work": (10, 20, 30),
    "keep": (5, 6, 8, 10),
    "reset": ("earliest", "latest"),
}


def overrun(n: dict) -> bool:
    """Whether retention reaches the reader in such a story, within half an hour."""
    return n["arrive"] > n["work"] and n["keep"] * n["arrive"] // (n["arrive"] - n["work"]) <= 30


QUESTIONS = (
    LineReading(
        id="11.1",
        title="read what the tool prints",
        points=3,
        answers=("known_lag", "never_committed", "nobody_reads"),
        draws=THREE,
        row="group",
        space={
            "partitions": (3, 4, 5),
            "committed": (1, 2, 3),
            "left": (1, 2, 3),
            "records": (41, 52, 63),
        },
        show=table_of,
        where=lambda n: (
            n["committed"] < n["partitions"] and n["partitions"] - n["committed"] != n["left"]
        ),
        hints=(
            (
                "A dash stands in two columns, for two different reasons. Which column tells of "
                "the bookmark, and which of the reader?"
            ),
            (
                "Cut each row at its blanks: place 3 is CURRENT-OFFSET, 5 is LAG, 6 is "
                "CONSUMER-ID. Add up, or count, what stands in one place."
            ),
        ),
    ),
    Value(
        id="11.2",
        title="four distances",
        points=4,
        answers=("tool_lag", "client_lag", "client_lead", "minutes_old"),
        draws=THREE,
        row="group",
        space={
            "per_minute": (30, 40, 50),
            "deleted": (40, 65, 90),
            "polled": (50, 80, 95),
            "in_work": (5, 10, 15),
        },
        hints=(
            (
                "Draw the log as a line with four marks: log start, committed, position, log end. "
                "Each distance lies between two of them."
            ),
            (
                "The member began at n.A.deleted. Its position is n.A.polled further on, its "
                "bookmark n.A.in_work before that. The end is twelve times n.A.per_minute."
            ),
        ),
    ),
    Value(
        id="11.3",
        title="when does retention bite",
        points=3,
        answers=("first_loss", "dashboard"),
        draws=THREE,
        row="topic",
        space=STORIES,
        where=overrun,
        together=tells_ideas_apart,
        hints=(
            (
                "Paper gives the minute at which the lead is used up. Real retention takes whole "
                "files, and the member still has what it had fetched."
            ),
            (
                "lab, read = slow_member(...) plays it. first_reset(lab) says when; then look at "
                "the lag of the minutes after that."
            ),
        ),
    ),
    Function(
        id="11.4",
        title="a monitor of your own",
        points=4,
        answers=("watch",),
        public_cases=WATCHED,
        probe=watched,
        hints=(
            (
                "Settle one number for each partition first: where would a member go on? "
                "Everything else is measured from there."
            ),
            (
                "It is the larger one of bookmark and log start, and the log start where there is "
                "no bookmark. A log that starts at 0 has lost nothing yet."
            ),
        ),
    ),
    LineReading(
        id="11.5",
        title="bug hunt: lag 0, and orders missing",
        points=2,
        answers=("partition", "skipped"),
        show=lines_of,
        space={
            "forgotten": (0, 1, 2),
            "records": (83, 94, 107, 118, 131, 142),
            "done": (31, 38, 45, 52, 59),
        },
        scenery={"seed": 100_000},
        hints=(
            (
                "Three partitions, three ways to begin. Which of them does not go on where "
                "somebody had stopped?"
            ),
            (
                "Found no committed offset names the partition. The line that resets its offset "
                "tells where it begins; everything before that was never read."
            ),
        ),
    ),
    Value(
        id="11.6",
        title="Spark: what retention took",
        points=3,
        answers=("resets", "skipped_records"),
        draws=THREE,
        row="group",
        space=STORIES,
        # Three stories end between the two lines of a loss, out of range and the jump, and there
        # are two ways to count.
        where=lambda n: (
            overrun(n)
            and tuple(n.values())
            not in ((30, 10, 8, "earliest"), (50, 10, 8, "earliest"), (50, 10, 10, "earliest"))
        ),
        together=tells_ideas_apart,
        hints=(
            (
                "Each loss has two lines: where the member stood, and where it goes on. The first "
                "one of all has no partner: nothing was lost there."
            ),
            (
                "jumps has a row for each loss, and a first one without `at`. Leave that out, "
                "group by client_id, count the rows, and sum up to minus at."
            ),
        ),
    ),
    Open(id="11.open", points=4, title="Why raise an alarm on lead as well as on lag?"),
)
