# %% [markdown] items="N82"
# Your turn. Once a minute your monitor gets a dict with all partitions of the group's topic, in any
# order. For each it has the log start, the committed offset and the log end. The committed offset is
# `None` where the group has never committed. The members run with `auto.offset.reset=earliest`.
# Return three things:
#
# 1. `unread`: the records that are there and still to be read, in all partitions together;
# 2. `lost`: how many records after the bookmark are deleted already, all together; where there is no
#    bookmark, nothing is known to be lost;
# 3. `alarm`: a list with the names of the partitions in danger, in alphabetical order. A partition is
#    in danger if three things are true. Retention has begun to delete there. Something is unread. And
#    fewer than 100 records lie between the log start and the record that is read next.
#
# (This `lost` falls back to 0 when the member jumps and its bookmark with it. A monitor for
# production would have to remember it.)
#
# The check runs your monitor over several labs. There are slow members, members that die, partitions
# without a bookmark and partitions just at the limit. In peaceful ones an alarm would wake somebody
# for nothing. Here is one minute of such a story:

# %%
def seen(lab, at_ms):
    """What a monitor sees: partition -> (log start, committed or None, log end)."""
    state = lab.at(at_ms)
    bookmarks = state["groups"]["billing"]["offsets"]
    logs = {name: log for name, log in state["partitions"].items() if "orders" in name}
    return {
        name: (
            log["log_start_offset"],
            bookmarks.get(name, {}).get("offset"),
            log["high_watermark"],
        )
        for name, log in logs.items()
    }


seen(two_members(keep=8), minutes(14.5))


# %% answer items="N82 N85"
def watch(partitions):
    """(unread, lost, alarm) for {partition: (log start, committed or None, end)}."""
    ### BEGIN SOLUTION
    unread, lost, alarm = 0, 0, []
    for name, (start, committed, end) in sorted(partitions.items()):
        goes_on_at = start if committed is None else max(start, committed)
        unread += end - goes_on_at
        if committed is not None:
            lost += goes_on_at - committed
        if start > 0 and goes_on_at < end and goes_on_at - start < 100:
            alarm.append(name)
    return unread, lost, alarm
    ### END SOLUTION


# %% question
from functools import cache
from random import Random

from autograder.cell.data import NotAsAsked, as_builtin
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
    {
        "case": "bookmarks before the log start, one at 0, and orders-10",
        "seed": 0,
        "story": "edges",
    },
)
EDGES = (
    {"orders-0": (120, 0, 280), "orders-1": (300, 200, 300), "orders-2": (1, 1, 2)},
    {"orders-0": (0, 0, 40), "orders-1": (5, 4, 12), "orders-2": (200, 200, 200)},
    {"orders-0": (120, None, 121), "orders-1": (120, 0, 120), "orders-2": (2, 1, 300)},
    {"orders-10": (10, 40, 90), "orders-2": (10, 15, 90)},
)
"""Four minutes that are written by hand: a bookmark at 0, all lost, one record left, two names whose
alphabetical order is not that of their numbers or leads."""


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
    if story == "edges":
        return EDGES
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
        told = as_builtin(names["watch"](dict(reversed(look.items()))))
        if type(told) not in (tuple, list) or len(told) != 3:
            raise NotAsAsked("`watch` returns three things, as the list above it says")
        # a set has no order of its own
        alarm = sorted(told[2]) if isinstance(told[2], (set, frozenset)) else told[2]
        said.append([told[0], told[1], [str(name) for name in alarm]])
    return said


Function(
    title="a monitor of your own",
    points=4,
    answers=("watch",),
    public_cases=WATCHED,
    probe=watched,
)

# %% judge
from random import Random

from autograder.course.judge import Judge

FEW = 100  # records of lead that a monitor is to warn of


def _watching(case: dict) -> list:
    """What a right monitor says. A member goes on at its bookmark,
    or where the log begins if that is later or there is none."""
    said = []
    for look in looks(case["seed"], case["story"]):
        unread = lost = 0
        alarm = []
        for name, (start, committed, end) in sorted(look.items()):
            here = max(start, -1 if committed is None else committed)
            unread += end - here
            lost += here - committed if committed is not None else 0
            if start > 0 and end > here and here - start < FEW:
                alarm.append(name)
        said.append([unread, lost, alarm])
    return said


def _unseen(rng: Random) -> list[dict]:
    return [{"seed": rng.randrange(10, 900), "story": story} for story in ("slow", "dies", "limit")]


Judge(
    truth=_watching,
    hidden_cases=_unseen,
    right="right: in each minute of this story your monitor says what is true.",
    otherwise=(
        "in this story your monitor is wrong. Go through its minutes: no bookmark, a bookmark "
        "before the log start, nothing to read, a log that begins at 0, a lead of 99 or 100."
    ),
    unseen="with other members and other faults your monitor is wrong.",
)


# %% wrong="None is 0"
# You took a missing bookmark for 0, so all that is deleted counts as lost. Nobody had begun to
# read there.
# -         goes_on_at = start if committed is None else max(start, committed)
# +         committed = committed or 0
# +         goes_on_at = max(start, committed)


# %% wrong="left out"
# You left out what was never committed. Those records are as unread as any, and the usual lag
# script does not see them.
# -         goes_on_at = start if committed is None else max(start, committed)
# +         if committed is None:
# +             continue
# +         goes_on_at = max(start, committed)


# %% wrong="the deleted are unread"
# You counted deleted records as unread. Nobody can read them any more; they are lost.
# -         unread += end - goes_on_at
# +         unread += end - (committed or 0)


# %% wrong="an alarm for every young log"
# You raise an alarm where the log still begins at 0. Little lead there only says that the log is
# young.
# -         if start > 0 and goes_on_at < end and goes_on_at - start < 100:
# +         if goes_on_at < end and goes_on_at - start < 100:


# %% wrong="an alarm for nothing"
# You raise an alarm where everything is read. Nothing can be lost there.
# -         if start > 0 and goes_on_at < end and goes_on_at - start < 100:
# +         if start > 0 and goes_on_at - start < 100:


# %% wrong="an alarm on lag"
# Your alarm looks at the lag. What is in danger shows at the other end: the distance from the log
# start.
# -         if start > 0 and goes_on_at < end and goes_on_at - start < 100:
# +         if start > 0 and goes_on_at < end and end - goes_on_at > 100:


# %% wrong="the limit is missed"
# Near the limit you are off by one: fewer than 100 is an alarm, 100 is none.
# -         if start > 0 and goes_on_at < end and goes_on_at - start < 100:
# +         if start > 0 and goes_on_at < end and goes_on_at - start <= 100:


# %% wrong="no lead, no alarm"
# Your alarm goes silent at a lead of 0. There the record that is read next is the next one deleted,
# or it was deleted already.
# -         if start > 0 and goes_on_at < end and goes_on_at - start < 100:
# +         if start > 0 and goes_on_at < end and 0 < goes_on_at - start < 100:


# %% wrong="in arbitrary order"
# The names of your alarm are not in alphabetical order. The partitions come in any order: sort them.
# -     for name, (start, committed, end) in sorted(partitions.items()):
# +     for name, (start, committed, end) in partitions.items():


# %% wrong="in the order of numbers"
# Your alarm is not in alphabetical order, letter by letter: orders-10 comes before orders-2 there.
# -     return unread, lost, alarm
# +     return unread, lost, sorted(alarm, key=lambda name: int(name.rpartition("-")[2]))


# %% wrong="a negative loss"
# Your loss can be negative. A bookmark after the log start has lost nothing.
# -             lost += goes_on_at - committed
# +             lost += start - committed


# %% wrong="0 is no bookmark"
# A bookmark at 0 is one: the group has committed there. What is deleted behind it is lost.
# -         if committed is not None:
# +         if committed:


# %% equivalent
# `committed is None` -> `not committed`: a bookmark at 0 is never behind the log start.
# `start > 0` -> `start != 0`: no log begins below 0.

# %% hint
# Find one number for each partition first: at which offset would a member continue? Measure
# everything else from there.

# %% hint
# It is the larger one of bookmark and log start, and the log start where there is no bookmark. A
# log that starts at 0 has lost nothing yet.
