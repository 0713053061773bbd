# %% [markdown]
# ### Exercise 09.4 · Compact a log by hand
#
# Three logs, A, B and C, of twelve records each: offset in the log, key, and value, which is the
# committed offset. Somebody reset a group to an older offset, so a value may go back. `None` is a
# tombstone, written some minutes ago. A cleaner has gone through all twelve records.
#
# Which offsets of the *log* are still there? And at which offset does the group `billing` begin in
# partition 0 of `orders`? Write `"reset"` where `auto.offset.reset` decides.

# %%
logs = numbers("09.4")
logs.A

# %% answer items="N54"
stays = {"A": ..., "B": ..., "C": ...}  # a list of log offsets each, smallest first
billing_begins_at = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
newest = {
    name: {key: (offset, value) for offset, key, value in rows} for name, rows in logs.items()
}
stays = {name: sorted(offset for offset, _ in each.values()) for name, each in newest.items()}
last = {name: each["billing, orders, 0"][1] for name, each in newest.items()}
billing_begins_at = {name: "reset" if at is None else at for name, at in last.items()}
### END SOLUTION

# %% question
from functools import cache
from random import Random

from autograder.cell.kinds import Value

BILLING = ("billing", 0)


@cache
def story(number: int) -> tuple[tuple[str, int, int | None], ...]:
    """Twelve records as they are in a log: (group, partition, committed offset). One commit goes
    back, perhaps to 0, and one record is a tombstone. In every fourth log the first record is the
    only one of its key."""
    chance, at, told = Random(number), {}, []
    places = [(group, partition) for group in ("billing", "search") for partition in (0, 1)]
    back, tombstone = chance.randrange(5, 12), chance.randrange(5, 12)
    for row in range(12):
        place = chance.choice(places)
        if row == 0 and number % 4 == 0:
            places.remove(place)
        step = -chance.randrange(2, 25) if row == back else chance.randrange(1, 9)
        at[place] = max(0, at.get(place, 0) + step)
        told.append((*place, None if row == tombstone else at[place]))
    return tuple(told)


def last_of(number: int) -> dict:
    """The last value of each key."""
    return {(group, partition): offset for group, partition, offset in story(number)}


def goes_back(number: int) -> bool:
    """Whether billing's last offset in partition 0 is smaller than an earlier one."""
    own = [each[2] for each in story(number) if each[:2] == BILLING and each[2] is not None]
    last = last_of(number)[BILLING]
    return last is not None and last < max(own)


def is_telling(number: int) -> bool:
    """Whether all four keys are there, billing's first more than once, no two of them end at one
    offset, and the usual ideas about keys and tombstones give something else."""
    last = last_of(number)
    newest = [
        sorted({each[side]: place for place, each in enumerate(story(number))}.values())
        for side in (0, 1)
    ]
    tombstone = next(place for place, each in enumerate(story(number)) if each[2] is None)
    is_last = all(
        each[:2] != story(number)[tombstone][:2] for each in story(number)[tombstone + 1 :]
    )
    first = next((each[2] for each in story(number) if each[:2] == BILLING), None)
    return (
        len(last) == 4 == len(set(last.values()))
        and sum(each[:2] == BILLING for each in story(number)) > 2
        and newest[0] != newest[1]
        and is_last
        and first not in (None, last[BILLING])
        and (goes_back(number) or last[BILLING] is None)
    )


def another_comes_later(number: int, side: int) -> bool:
    """Whether the last record of the group billing, or of partition 0, has another key."""
    return [each[:2] for each in story(number) if each[side] == BILLING[side]][-1] != BILLING


def tells_ideas_apart(logs: list[dict]) -> bool:
    """Whether billing's offset goes back to 0 in one log, and is deleted in another; one keeps
    its first record; and the group alone or the partition alone finds another record somewhere."""
    return (
        {0, None} <= {last_of(n["log"])[BILLING] for n in logs}
        and any(
            story(n["log"])[0][:2] not in [each[:2] for each in story(n["log"])[1:]] for n in logs
        )
        and all(any(another_comes_later(n["log"], side) for n in logs) for side in (0, 1))
    )


def rows_of(numbers) -> dict:
    """Each log as a learner sees it: rows of offset, key and value."""
    rows = lambda n: [
        (place, f"{group}, orders, {partition}", offset)
        for place, (group, partition, offset) in enumerate(story(n["log"]))
    ]
    return type(numbers)({name: rows(n) for name, n in numbers.items()})


Value(
    title="compact a log by hand",
    points=2,
    answers=("stays", "billing_begins_at"),
    draws=THREE,
    row="log",
    show=rows_of,
    together=tells_ideas_apart,
    space={"log": tuple(range(3_000))},
    where=lambda n: is_telling(n["log"]),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition


@cache
def _compacted(log: int) -> tuple[tuple[int, str, str | None], ...]:
    """What a cleaner leaves of these records."""
    lab = Lab(brokers=1, seed=2)
    lab.create_topic(
        "marks",
        config={
            "cleanup.policy": "compact",
            "segment.ms": 60_000,
            "min.cleanable.dirty.ratio": 0.01,
        },
    )
    producer = KafkaProducer(lab, {"client.id": "writer", "linger.ms": 0})
    for group, partition, offset in story(log):
        value = None if offset is None else str(offset)
        producer.send(ProducerRecord("marks", key=f"{group} {partition}", value=value)).get()
    lab.run_for(ms=70_000)
    producer.send(ProducerRecord("marks", key="a new segment", value="-")).get()
    lab.run_for(ms=600_000)
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="spy")
    reader.assign([TopicPartition("marks", 0)])
    return tuple(
        (record.offset, record.key, record.value) for record in reader.poll(timeout_ms=2_000)
    )[:-1]


def _cleaned(case: dict) -> dict:
    left = _compacted(case["log"])
    value = next(value for _, key, value in left if key == "billing 0")
    return {
        "stays": [offset for offset, _, _ in left],
        "billing_begins_at": "reset" if value is None else int(value),
    }


Judge(
    truth=_cleaned,
    right="right: the last of each key, at its old place.",
    otherwise={
        "stays": (
            "{said} is not it. What is the key of a commit? Which of its records does the cleaner "
            "keep, and does that record get a new offset?"
        ),
        "billing_begins_at": (
            "{said} is not it. Take the last record of the key `billing, orders, 0`. Its value is "
            "the offset, a number; only without a value is it a reset."
        ),
    },
)

# %% begin
BILLING_0 = "billing, orders, 0"


def last_values(x):
    return {key: value for _, key, value in x}


def kept(x):
    return sorted({key: offset for offset, key, _ in x}.values())


def begins(value):
    return "reset" if value is None else value


# %% wrong="the first of each key"
# Those are the first of each key. The cleaner keeps the last one.
stays = {
    a: sorted({key: offset for offset, key, _ in reversed(x)}.values()) for a, x in logs.items()
}
billing_begins_at = {
    a: begins({key: value for _, key, value in reversed(x)}[BILLING_0]) for a, x in logs.items()
}

# %% wrong="numbered again"
# The cleaner gives no new offsets. What stays keeps its number, and the log has holes.
stays = {a: list(range(len(kept(x)))) for a, x in logs.items()}
billing_begins_at = {a: begins(last_values(x)[BILLING_0]) for a, x in logs.items()}

# %% wrong="the key is the group"
# That is one for each group. A group has a committed offset in each partition: the key has both.
stays = {
    a: sorted({key.split(",")[0]: offset for offset, key, _ in x}.values()) for a, x in logs.items()
}
billing_begins_at = {
    a: begins({key.split(",")[0]: value for _, key, value in x}["billing"]) for a, x in logs.items()
}

# %% wrong="the key is the partition"
# That is one for each partition. Two groups have two committed offsets in it.
stays = {
    a: sorted({key.split(",")[-1]: offset for offset, key, _ in x}.values())
    for a, x in logs.items()
}
billing_begins_at = {
    a: begins({key.split(",")[-1]: value for _, key, value in x}[" 0"]) for a, x in logs.items()
}

# %% wrong="the largest offset"
# The cleaner does not compare values, and the coordinator does not, either. The last commit counts,
# also when it is smaller or a tombstone.
stays = {
    a: sorted(
        {
            key: offset for offset, key, value in sorted(x, key=lambda row: (row[2] or 0, row[0]))
        }.values()
    )
    for a, x in logs.items()
}
billing_begins_at = {
    a: max(value for _, key, value in x if key == BILLING_0 and value is not None)
    for a, x in logs.items()
}

# %% wrong="a tombstone is gone at once"
# A tombstone is the last record of its key, so it stays. The cleaner drops it a day later
# (`delete.retention.ms`).
stays = {a: [offset for offset in kept(x) if x[offset][2] is not None] for a, x in logs.items()}
billing_begins_at = {a: begins(last_values(x)[BILLING_0]) for a, x in logs.items()}

# %% wrong="the offset before the tombstone"
# A tombstone deletes the key. What was committed before it counts no longer.
stays = {a: kept(x) for a, x in logs.items()}
billing_begins_at = {
    a: {key: value for _, key, value in x if value is not None}[BILLING_0] for a, x in logs.items()
}

# %% wrong="0 is nothing"
# Offset 0 is a committed offset like any other. Only None, the tombstone, is a reset.
stays = {a: kept(x) for a, x in logs.items()}
billing_begins_at = {a: last_values(x)[BILLING_0] or "reset" for a, x in logs.items()}

# %% wrong="one further"
# The log is right. But a committed offset is the next one to read, not the last one read.
stays = {a: kept(x) for a, x in logs.items()}
billing_begins_at = {
    a: "reset" if last_values(x)[BILLING_0] is None else last_values(x)[BILLING_0] + 1
    for a, x in logs.items()
}

# %% hint
# One record stays for each key. What is the key here: the group, the partition, or both?

# %% hint
# Go from the end to the start and keep what you meet for the first time, also a tombstone. Offsets
# keep their numbers.
