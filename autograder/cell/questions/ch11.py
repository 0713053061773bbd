# Generated from notebooks/exercises/11; edit those files and run
# `python -m autograder course 11`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 11's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
from kafkalab import KafkaProducer, ProducerRecord

MINUTE = 60_000
THREE = ("A", "B", "C")


def wrote(lab, partition: int, records: int, shop=None) -> KafkaProducer:
    """Records in a partition of orders, and who wrote them."""
    shop = shop or KafkaProducer(lab, {"client.id": "shop"})
    for _ in range(records):
        shop.send(ProducerRecord("orders", value="an order", partition=partition))
    shop.flush()
    return shop


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


# %% 11.1
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import (
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.tools.consumer_groups import described


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


QUESTION_11_1 = LineReading(
    id="11.1",
    hints=(
        "A dash is in two columns, for two different reasons. Which column tells of the bookmark, and which of the reader?",
        "Cut each row at its blanks: place 3 is CURRENT-OFFSET, 5 is LAG, 6 is CONSUMER-ID. Add up, or count, one place over all rows.",
    ),
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
)


# %% 11.2
from autograder.cell.kinds import Value


def bookmark_of(n: dict) -> int:
    return n["deleted"] + n["polled"] - n["in_work"]


def minute_begins(n: dict) -> bool:
    """Whether the last committed record was written a minute before the next one."""
    return bookmark_of(n) % n["per_minute"] == 0


def position_is_in_another_minute(n: dict) -> bool:
    return (bookmark_of(n) + n["in_work"]) // n["per_minute"] != bookmark_of(n) // n["per_minute"]


QUESTION_11_2 = Value(
    id="11.2",
    hints=(
        "Draw the log as a line with four marks: log start, committed, position, log end. Each distance lies between two of them.",
        "The member began at n.A.deleted. Its position is n.A.polled further on, its bookmark n.A.in_work before that. The end is twelve times n.A.per_minute.",
    ),
    title="four distances",
    points=4,
    answers=("tool_lag", "client_lag", "client_lead", "minutes_old"),
    draws=THREE,
    row="group",
    space={
        "per_minute": (30, 40, 50),
        "deleted": (40, 65, 90),
        "polled": (50, 60, 70, 80, 95),
        "in_work": (5, 10, 15, 20),
    },
    where=lambda n: minute_begins(n) or position_is_in_another_minute(n),
    together=lambda sets: (
        any(minute_begins(n) for n in sets) and any(position_is_in_another_minute(n) for n in sets)
    ),
)


# %% 11.3
from autograder.cell.kinds import Value

QUESTION_11_3 = Value(
    id="11.3",
    hints=(
        "Paper gives the minute at which the lead is used up. Real retention takes whole files, and the member still has what it had fetched.",
        "lab, read = slow_member(...) plays it. first_reset(lab) says when; then look at the lag of the minutes after that.",
    ),
    title="when does retention bite",
    points=3,
    answers=("first_loss", "dashboard"),
    draws=THREE,
    row="topic",
    space=STORIES,
    where=overrun,
    together=tells_ideas_apart,
)


# %% 11.4
from functools import cache
from random import Random

from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function
from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    RecordsToDelete,
    TopicPartition,
)

WATCHED = (
    {"case": "a topic that has just begun", "seed": 1, "story": "young"},
    {"case": "a member that is too slow", "seed": 2, "story": "slow"},
    {"case": "a member that dies", "seed": 3, "story": "dies"},
    {"case": "a partition that was never committed", "seed": 4, "story": "never"},
    {"case": "everything read, and everything deleted", "seed": 5, "story": "quiet"},
    {"case": "a lead of 99, of 100 and of 101", "seed": 6, "story": "limit"},
)


@cache
def at_the_limit(seed: int) -> tuple[dict, ...]:
    """Four minutes of a group whose leads are near 100, set by a standalone consumer's commits."""
    chance = Random(seed)
    start, lab = chance.randrange(20, 60), Lab(brokers=1, seed=seed)
    lab.create_topic("orders", partitions=3)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for partition in range(3):
        wrote(lab, partition, start + 250, shop)
    places = [TopicPartition("orders", partition) for partition in range(3)]
    admin = KafkaAdminClient(lab, {})
    admin.delete_records({place: RecordsToDelete(start) for place in places}).all().get()
    hand = KafkaConsumer(lab, {"group.id": "billing", "enable.auto.commit": False}, name="hand")
    hand.assign(places)
    seen = []
    for leads in ((100, 99, 101), (250, 100, 99), (98, 250, 100), (99, 99, 99)):
        hand.commit_sync(
            {place: OffsetAndMetadata(start + lead) for place, lead in zip(places, leads)}
        )
        lab.run_for(ms=MINUTE)
        seen.append(_seen(lab))
    lab.close()
    return tuple(seen)


@cache
def looks(seed: int, story: str) -> tuple[dict, ...]:
    """What a monitor sees of a group, minute by minute: partition -> (log start, committed
    offset or None, log end)."""
    if story == "limit":
        return at_the_limit(seed)
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
        # a monitor is given the partitions in any order, and sorts its alarms itself
        told = names["watch"](dict(reversed(look.items())))
        if type(told) not in (tuple, list) or len(told) != 3:
            raise NotAsAsked("`watch` returns three things, as the list above it says")
        said.append([told[0], told[1], [str(name) for name in told[2]]])
    return said


QUESTION_11_4 = Function(
    id="11.4",
    hints=(
        "Find one number for each partition first: at which offset would a member continue? Measure everything else from there.",
        "It is the larger one of bookmark and log start, and the log start where there is no bookmark. A log that starts at 0 has lost nothing yet.",
    ),
    title="a monitor of your own",
    points=4,
    answers=("watch",),
    public_cases=WATCHED,
    probe=watched,
)


# %% 11.5
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, KafkaProducer, Lab, OffsetAndMetadata, TopicPartition


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


QUESTION_11_5 = LineReading(
    id="11.5",
    hints=(
        "Look at how each of the three partitions begins. Which does not continue at a committed offset?",
        "Found no committed offset names the partition. The line that resets its offset says where it begins. Everything before that was skipped.",
    ),
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
)


# %% 11.6
from autograder.cell.kinds import Value

QUESTION_11_6 = Value(
    id="11.6",
    hints=(
        "Each loss has two lines, the old position and the new one. The very first reset has no partner: nothing was lost there.",
        "In `jumps` the columns `at` and `to` are the old and the new position. The first row of each member is no loss. Group what is left by member.",
    ),
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
)


# %% 11.open
from autograder.cell.kinds import Open

QUESTION_11_open = Open(
    id="11.open",
    title="Why raise an alarm on lead as well as on lag?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_11_1,
    QUESTION_11_2,
    QUESTION_11_3,
    QUESTION_11_4,
    QUESTION_11_5,
    QUESTION_11_6,
    QUESTION_11_open,
)
