# %% [markdown]
# ### Exercise 09.4 · Compact a log by hand
#
# Three logs, A, B and C, of twelve commits each: offset in the log, key, and value, which is the
# committed offset. A cleaner has gone through all twelve. Which offsets of the *log* are still
# there? And where does the group `billing` go on in partition 0 of `orders`?

# %%
logs = numbers("09.4")
logs.A

# %% answer items="N54"
stays = {"A": ..., "B": ..., "C": ...}  # a list of log offsets each, smallest first
billing_goes_on_at = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
newest = {
    name: {key: (offset, value) for offset, key, value in rows} for name, rows in logs.items()
}
stays = {name: sorted(offset for offset, _ in each.values()) for name, each in newest.items()}
billing_goes_on_at = {name: each["billing, orders, 0"][1] for name, each in newest.items()}
### END SOLUTION

# %% question
from functools import cache
from random import Random

from autograder.cell.kinds import Value


@cache
def story(number: int) -> tuple[tuple[str, int, int], ...]:
    """Twelve commits as they lie in a log: (group, partition, committed offset).
    Bookmarks only go forward here."""
    chance, at, told = Random(number), {}, []
    places = [(group, partition) for group in ("billing", "search") for partition in (0, 1)]
    for _ in range(12):
        place = chance.choice(places)
        at[place] = at.get(place, 0) + chance.randrange(1, 9)
        told.append((*place, at[place]))
    return tuple(told)


def is_telling(number: int) -> bool:
    """Whether all four keys are there, billing's first more than once, no two of them end at one
    offset, and one for each group is not one for each partition."""
    last = {(group, partition): offset for group, partition, offset in story(number)}
    newest = [
        sorted({each[side]: place for place, each in enumerate(story(number))}.values())
        for side in (0, 1)
    ]
    return (
        len(last) == 4 == len(set(last.values()))
        and sum(each[:2] == ("billing", 0) for each in story(number)) > 1
        and newest[0] != newest[1]
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
    answers=("stays", "billing_goes_on_at"),
    draws=THREE,
    row="log",
    show=rows_of,
    space={"log": tuple(range(200))},
    where=lambda n: is_telling(n["log"]),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition


@cache
def _compacted(log: int) -> tuple[tuple[int, str, str], ...]:
    """What a cleaner leaves of these commits."""
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
        producer.send(ProducerRecord("marks", key=f"{group} {partition}", value=str(offset))).get()
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
    return {
        "stays": [offset for offset, _, _ in left],
        "billing_goes_on_at": next(int(value) for _, key, value in left if key == "billing 0"),
    }


Judge(
    truth=_cleaned,
    right="right: the last of each key, at its old place.",
    otherwise=(
        "not these. One record stays for each group and partition: the last one, where it was."
    ),
)

# %% wrong="the first of each key"
# You kept the first of each key. The later one is the one that counts.
stays = {
    a: sorted({key: offset for offset, key, _ in reversed(x)}.values()) for a, x in logs.items()
}
billing_goes_on_at = {
    a: {key: value for _, key, value in reversed(x)}["billing, orders, 0"] for a, x in logs.items()
}

# %% wrong="numbered anew"
# Offsets are not given anew. What stays keeps its number, and the log has holes.
stays = {a: list(range(len({key for _, key, _ in x}))) for a, x in logs.items()}
billing_goes_on_at = {
    a: {key: value for _, key, value in x}["billing, orders, 0"] for a, x in logs.items()
}

# %% wrong="the key is the group"
# You kept one for each group. A group has a bookmark in each partition, so the key has both.
stays = {
    a: sorted({key.split(",")[0]: offset for offset, key, _ in x}.values()) for a, x in logs.items()
}
billing_goes_on_at = {
    a: {key.split(",")[0]: value for _, key, value in x}["billing"] for a, x in logs.items()
}

# %% wrong="the key is the partition"
# You kept one for each partition. Two groups have two bookmarks in it.
stays = {
    a: sorted({key.split(",")[-1]: offset for offset, key, _ in x}.values())
    for a, x in logs.items()
}
billing_goes_on_at = {
    a: {key.split(",")[-1]: value for _, key, value in x}[" 0"] for a, x in logs.items()
}

# %% wrong="one further"
# The log is right. But a committed offset is the next one to read, not the last one read.
stays = {a: sorted({key: offset for offset, key, _ in x}.values()) for a, x in logs.items()}
billing_goes_on_at = {
    a: {key: value for _, key, value in x}["billing, orders, 0"] + 1 for a, x in logs.items()
}

# %% hint
# One record stays for each key. What is the key here: the group, the partition, or both?

# %% hint
# Walk from the end to the start and keep what you meet for the first time. Offsets keep their
# numbers.
