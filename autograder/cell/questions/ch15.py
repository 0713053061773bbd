# Generated from notebooks/exercises/15; edit those files and run
# `python -m autograder course 15`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 15's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% 15.1
from autograder.cell.kinds import Value


def tells_stages_apart(cases: list[dict]) -> bool:
    """Whether one order waits for a thread and has several of them, and both acks are there."""
    waits = [n for n in cases if n["ahead"] >= n["threads"] > 1 and n["ahead"] % n["threads"]]
    return bool(waits) and len({n["acks"] for n in cases}) == 2


QUESTION_15_1 = Value(
    id="15.1",
    hints=(
        "Draw the I/O threads as rows. Put the orders in, the oldest first, each into the first free row.",
        "How many whole groups of `threads` orders are before yours? Each takes `work_ms`.",
    ),
    title="the times of one order",
    points=3,
    answers=("queue_ms", "local_ms", "remote_ms"),
    draws=("A", "B", "C"),
    row="order",
    space={
        "threads": (1, 2, 4),
        "ahead": (0, 3, 5, 9, 11),
        "work_ms": (5, 10, 20),
        "copied_ms": (7, 30, 55),
        "acks": ("acks=1", "acks=all"),
    },
    together=tells_stages_apart,
)


# %% 15.3
from autograder.cell.kinds import Value

WRITES = ("first", "second", "third", "fourth")


def is_told_apart(cases: list[dict]) -> bool:
    """Whether one fetch wants one byte and is not woken by the first write, one wants more than a
    batch, has the time and sees writes to both its partitions first, and one wants as much, sees
    two writes that count, and has little time."""
    foreign = [n for n in cases if n["first"] == 2 and n["min_bytes"] == 1]
    large = [
        n
        for n in cases
        if n["min_bytes"] > 300 and n["wait_ms"] == 450 and {n["first"], n["second"]} == {0, 1}
    ]
    hasty = [
        n
        for n in cases
        if n["min_bytes"] > 300 and n["wait_ms"] == 150 and 2 not in (n["first"], n["second"])
    ]
    return bool(foreign and large and hasty)


QUESTION_15_3 = Value(
    id="15.3",
    hints=(
        "Strike out the writes to partition 2, and those that come after `wait_ms`.",
        "Each write that is left brings 300 bytes. At which one are there `min_bytes`?",
    ),
    title="what wakes a fetch",
    points=3,
    answers=("completed_by",),
    draws=("A", "B", "C", "D"),
    row="fetch",
    space={
        "min_bytes": (1, 400, 600),
        "wait_ms": (150, 250, 450),
        "first": (0, 1, 2),
        "second": (0, 1, 2),
        "third": (0, 2),
        "fourth": (1,),
    },
    together=is_told_apart,
)


# %% 15.4
from autograder.cell.kinds import Function
from kafkalab.stories.broker import harm, kafkas_night, seen_at_night, waiting_night

NIGHTS = (
    {"case": "slow followers, and the leader dies", "seed": 3, "kind": "leader dies"},
    {"case": "a request for two topics, and the leader dies", "seed": 3, "kind": "two topics"},
    {"case": "the leader is cut off, another one leads", "seed": 5, "kind": "leader moves"},
    {"case": "a reader of a quiet topic", "seed": 6, "kind": "reader"},
    {"case": "a reader who wants 500 bytes", "seed": 7, "kind": "minimum"},
    {"case": "a reader, and slow followers", "seed": 8, "kind": "slow followers"},
)
KEPT = {
    "leader dies": "right: nothing was acknowledged that only the dead leader had.",
    "two topics": "right: the request waited for each of its partitions.",
    "leader moves": "right: the old leader gave the waiting request back at once.",
    "reader": "right: the reader waited without asking, and got each order in time.",
    "minimum": "right: the fetch waited for its 500 bytes.",
    "slow followers": "right: what is not below the high watermark did not end the wait.",
}


def one_night(case, part):
    """Orders, waiting requests, and something that breaks."""
    return waiting_night(part, case["kind"], case["seed"])


def better_than_kafkas(case, lab) -> tuple[str, tuple] | None:
    """What the rule did worse than Kafka's own in the same night."""
    return harm(seen_at_night(lab), kafkas_night(case["kind"], case["seed"]))


QUESTION_15_4 = Function(
    id="15.4",
    hints=(
        "Treat the two kinds apart. For each, begin with the partitions that the broker does not lead.",
        "PRODUCE: compare the high watermark with the need, for every partition. FETCH: add what may be read in all partitions, and compare the sum.",
    ),
    title="who may leave the purgatory",
    points=4,
    answers=("may_complete",),
    public_cases=NIGHTS,
    play=one_night,
    look=better_than_kafkas,
    kept=lambda case: KEPT[case["kind"]],
)


# %% 15.2
from autograder.cell.kinds import Value


def tells_places_apart(cases: list[dict]) -> bool:
    """Whether one queue is full, another has orders and room, and one broker has several threads."""
    left = [n["tills"] - n["threads"] - n["queue"] for n in cases]
    room = [0 < n["tills"] - n["threads"] < n["queue"] for n in cases]
    several = any(n["threads"] > 1 and over > 0 for n, over in zip(cases, left))
    return several and any(room)


QUESTION_15_2 = Value(
    id="15.2",
    hints=(
        "Fill from the front: I/O threads first, then the request queue, then the others.",
        "One thread needs `work_ms` for an order, so it does 1000 / `work_ms` of them in a second.",
    ),
    title="how much fits",
    points=3,
    answers=("per_second", "in_queue", "outside"),
    draws=("A", "B", "C"),
    row="broker",
    space={
        "threads": (1, 2, 4, 8),
        "queue": (3, 6, 10, 500),
        "work_ms": (10, 20, 50),
        "tills": (7, 12, 19, 26),
    },
    together=tells_places_apart,
)


# %% 15.5
from autograder.cell.kinds import Value
from kafkalab.stories.broker import CAUSES, cause_of


def has_all_causes(days: list[dict]) -> bool:
    """Whether each stage is the slow one on some broker."""
    return {cause_of(n["day"]) for n in days} == set(CAUSES)


QUESTION_15_5 = Value(
    id="15.5",
    hints=(
        "Look at one broker and at the row PRODUCE. Which of the three columns comes near `totalTimeMs`?",
        "A large queue time: others keep the I/O threads. A large local time: this broker's disk. A large remote time: the followers.",
    ),
    title="bug hunt with Spark: where the p99 went",
    points=2,
    answers=("stage",),
    draws=("A", "B", "C", "D"),
    row="broker",
    space={"day": tuple(range(1, 41))},
    together=has_all_causes,
)


# %% 15.open
from autograder.cell.kinds import Open

QUESTION_15_open = Open(
    id="15.open",
    title="A broker has one request queue for all threads, but one response queue for each network thread. Why this difference? And why does the request queue have a limited number of places?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_15_1,
    QUESTION_15_3,
    QUESTION_15_4,
    QUESTION_15_2,
    QUESTION_15_5,
    QUESTION_15_open,
)
