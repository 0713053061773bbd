# Generated from notebooks/exercises/17; edit those files and run
# `python -m autograder course 17`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 17's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
SEEDS = (101, 102, 103, 105, 107, 112)
RELEASES = ("3.9", "4.4")


# %% 17.1
from autograder.cell.kinds import Value

QUESTION_17_1 = Value(
    id="17.1",
    hints=(
        "Which lines do the members write, that no other group writes? Look at those of level WARN.",
        "`retold(1, n1, consumer={\"the.setting\": 20_000})` plays it again. Read its folder with Spark and use the same query as for the night.",
    ),
    title="the lag at 03:12",
    points=3,
    answers=("put_out", "setting", "generation"),
    space={"seed": SEEDS, "version": RELEASES},
)


# %% 17.2
from autograder.cell.kinds import Value

QUESTION_17_2 = Value(
    id="17.2",
    hints=(
        "\"Successfully joined group with generation\" names the generation. Take the largest of each group, and look at the time.",
        "Chapter 08: a static member does not leave when it is closed. Which setting makes a member static?",
    ),
    title="who comes and goes",
    points=3,
    answers=("generation", "setting", "short_session"),
    space={"seed": SEEDS, "version": RELEASES},
)


# %% 17.3
from autograder.cell.kinds import Value

QUESTION_17_3 = Value(
    id="17.3",
    hints=(
        "Two lines belong together: \"is out of range for partition\", and after it \"Resetting offset for partition\" with the same partition.",
        "`retold(3, n3, topic={\"the.setting\": 50_000})` plays it with 50 seconds. Look for \"out of range\" in its lines.",
    ),
    title="what was never read",
    points=3,
    answers=("never_read", "setting", "least_s"),
    space={"seed": SEEDS, "version": RELEASES},
)


# %% 17.4
from autograder.cell.kinds import Value

QUESTION_17_4 = Value(
    id="17.4",
    hints=(
        "`logsets.reprocessed(lines)` finds ranges of offsets that were handed out before. Look at its rows with how = 'committed', shortly before 03:03.",
        "The last commit was up to 15 seconds old. Which setting says how often a member commits by itself?",
    ),
    title="bug hunt: read twice",
    points=3,
    answers=("read_twice", "setting", "with_five"),
    space={"seed": SEEDS, "version": RELEASES},
)


# %% 17.5
from autograder.cell.kinds import SparkAnswer


def refusal(time: str, client: str, partition: str, error: str = "NOT_ENOUGH_REPLICAS") -> list:
    """A line of a producer whose batch was refused."""
    return [
        f"2026-01-05 {time}",
        client,
        f"[Producer clientId={client}] Got error produce response with correlation id 7 on "
        f"topic-partition {partition}, retrying (2147483646 attempts left). Error: {error}",
    ]


NIGHTS = (
    {
        "case": "two spells of one partition",
        "rows": [
            refusal("03:15:39", "producer-1", "stock-0"),
            refusal("03:15:44", "producer-1", "stock-0"),
            refusal("03:16:02", "producer-1", "stock-0"),
        ],
    },
    {
        "case": "two clients, one partition",
        "rows": [
            refusal("03:15:39", "producer-1", "stock-0"),
            refusal("03:15:46", "producer-2", "stock-0"),
            refusal("03:15:54", "producer-1", "stock-0"),
            refusal("03:16:03", "producer-2", "stock-0", "NOT_ENOUGH_REPLICAS_AFTER_APPEND"),
        ],
    },
    {
        "case": "two partitions, and another error",
        "rows": [
            refusal("03:15:41", "producer-1", "stock-1"),
            refusal("03:15:39", "producer-1", "stock-0"),
            refusal("03:15:40", "producer-1", "stock-0", "NOT_LEADER_OR_FOLLOWER"),
            ["2026-01-05 03:15:42", "producer-1", "[Producer clientId=producer-1] Sent"],
        ],
    },
)

QUESTION_17_5 = SparkAnswer(
    id="17.5",
    hints=(
        "Three steps: keep the refusals, give each spell a number, and count. A spell begins where the refusal before it is more than 10 seconds old, or where there is none.",
        "`F.lag(\"time\").over(in_time)` is the refusal before. Sum a column that is 1 where a spell begins and else 0: the sum so far is the number of the spell.",
    ),
    title="Spark: a detector for refused writes",
    points=4,
    answers=("spells",),
    public_cases=NIGHTS,
    schema="time timestamp, client_id string, message string",
    gives=("partition", "since", "refused"),
)


# %% 17.open
from autograder.cell.kinds import Open

QUESTION_17_open = Open(
    id="17.open",
    title="Write the post-mortem of 03:12, one page at most. What was seen, and when? What started it? What did that do to the group, and why? Which lines prove it? What was it not? Which change prevents it, and how do you know? How will you notice the next one early?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_17_1,
    QUESTION_17_2,
    QUESTION_17_3,
    QUESTION_17_4,
    QUESTION_17_5,
    QUESTION_17_open,
)
