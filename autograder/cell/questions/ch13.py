# Generated from notebooks/exercises/13; edit those files and run
# `python -m autograder course 13`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 13's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
from functools import cache
from random import Random

THREE = ("A", "B", "C")


# %% 13.1
from autograder.cell.kinds import Value
from kafkalab.stories.segments import log_with_index as made, steps_to

log_with_index = cache(made)


def wanted(number: int) -> int:
    """The offset that the reader asks for."""
    return Random(f"offset {number}").randrange(log_with_index(number).log_end_offset)


def is_a_good_search(number: int) -> bool:
    """Whether it is not in the first or last file, uses an entry that is not the newest, and reads
    three headers or more."""
    log, offset = log_with_index(number), wanted(number)
    steps = steps_to(log, offset)
    segment = log.segments.of(offset)
    return (
        segment.base_offset > 0
        and segment is not log.segments.active
        and steps.entry in segment.index[:-1]
        and len(steps.scanned) >= 3
        and offset != steps.scanned[-1]
    )


def seen_by_learner(drawn) -> dict:
    """Each log as a learner sees it: files, index, records in a batch, and the wanted offset."""

    def row(one) -> dict:
        log = log_with_index(one["log"])
        first = log.batches()[0]
        return type(one)(
            {
                "offset": wanted(one["log"]),
                "per_batch": len(first.records),
                "files": [segment.base_offset for segment in log.segments],
                "index": {
                    segment.base_offset: [tuple(pair) for pair in segment.index]
                    for segment in log.segments
                },
            }
        )

    return type(drawn)({name: row(one) for name, one in drawn.items()})


QUESTION_13_1 = Value(
    id="13.1",
    hints=(
        "Write the batches of that file on paper: their first and last offsets. Which one does the entry name? Which one holds the offset?",
        "The number of a batch in its file is (offset - base) // per_batch, for the entry's offset and for the wanted one. Both ends are read.",
    ),
    title="find an offset",
    points=3,
    answers=("file", "byte", "headers"),
    draws=THREE,
    row="log",
    show=seen_by_learner,
    space={"log": tuple(range(360))},
    where=lambda n: is_a_good_search(n["log"]),
)


# %% 13.2
from autograder.cell.kinds import Function
from kafkalab.stories.segments import deletions, retention_day

DAYS = (
    {"case": "thirty minutes or more", "seed": 1, "keeps": "time"},
    {"case": "a limit in bytes", "seed": 2, "keeps": "size"},
    {"case": "a limit of exactly three files", "seed": 5, "keeps": "exact"},
    {"case": "both limits", "seed": 4, "keeps": "both"},
    {"case": "one order from a fast clock", "seed": 3, "keeps": "clock"},
    {"case": "the broker is down for twenty minutes", "seed": 2, "keeps": "crash"},
)


def day(case, part):
    """A morning of orders; the learner's function decides at each retention check."""
    return retention_day(case["seed"], case["keeps"], part)


@cache
def starts_by_kafka(seed: int, keeps: str) -> tuple:
    """(minute, log start offset) of Kafka's deletions on that day."""
    return tuple(dict(deletions(retention_day(seed, keeps))).items())


def unlike_kafka(case, lab) -> tuple | None:
    """The first minute at which another log start is left than Kafka leaves, and why it matters."""
    own = dict(deletions(lab))
    kafkas = dict(starts_by_kafka(case["seed"], case["keeps"]))
    mine = theirs = 0
    for minute in sorted({*own, *kafkas}):
        mine, theirs = own.get(minute, mine), kafkas.get(minute, theirs)
        proof = (f"minute {minute}: your log begins at offset {mine}, Kafka's at {theirs}",)
        if mine > theirs:
            return (
                f"at minute {minute} you deleted offsets {theirs} to {mine - 1}, which Kafka "
                "keeps. Records that should be there are gone.",
                proof,
            )
        if mine < theirs:
            return (
                f"at minute {minute} Kafka deletes up to offset {theirs - 1}, and your log still "
                f"begins at {mine}. The disk fills.",
                proof,
            )
    return None


QUESTION_13_2 = Function(
    id="13.2",
    hints=(
        "Go through the list from the oldest one, and stop at the first that stays. When may one go because of its time? When because of the bytes?",
        "over = all bytes - keep_bytes. A segment may go when over is at least its size; then subtract its size from over. And -1 switches a limit off.",
    ),
    title="which segments go",
    points=4,
    answers=("goes",),
    public_cases=DAYS,
    play=day,
    look=unlike_kafka,
    kept="right: at each check the same files went as in Kafka.",
)


# %% 13.3
from autograder.cell.kinds import Value

QUESTION_13_3 = Value(
    id="13.3",
    hints=(
        "Follow the first record of a file. How long until the file is closed? How long until its last record is too old, until a check comes, and until the file is deleted?",
        "Four times: segment.ms, retention.ms, five minutes, one minute. Then GB an hour, hours, replicas.",
    ),
    title="how much disk",
    points=2,
    answers=("oldest_minutes_most", "gb_most"),
    draws=THREE,
    row="topic",
    space={
        "keep_hours": (6, 12, 24, 48),
        "roll_hours": (1, 2, 8),
        "partitions": (6, 9),
        "replicas": (2, 3),
        "gb_per_hour": (10, 40),
    },
)


# %% 13.6
from autograder.cell.kinds import Value
from kafkalab.stories.segments import stale_log


@cache
def dump_of(number: int) -> dict:
    """The oldest file of a log, as the tool prints it: lines, retention.ms, and the time."""
    lab, _ = stale_log(number)
    log = lab.broker(0).machine.replicas.replica(("orders", 0)).log
    first = log.segments.all[0]
    return {
        "lines": [
            f"baseOffset: {batch.base_offset} CreateTime: {batch.records[0].timestamp_ms}"
            for batch in log.batches()
            if log.segments.of(batch.base_offset) is first
        ],
        "retention_ms": log.segments.settings.retention_ms,
        "now_ms": lab.epoch_ms + lab.now_ms,
    }


def tells_its_reason(number: int) -> bool:
    """Whether the story came to the moment in which the file shows why it is there."""
    dump, (_, why) = dump_of(number), stale_log(number)
    age_ms = dump["now_ms"] - max(int(line.split()[-1]) for line in dump["lines"])
    if age_ms < 0:
        return why == "clock"
    return why == ("segment", "check")[age_ms > dump["retention_ms"]]


def dumps(drawn) -> dict:
    """What a learner sees of each topic."""
    return type(drawn)({name: type(one)(dump_of(one["log"])) for name, one in drawn.items()})


QUESTION_13_6 = Value(
    id="13.6",
    hints=(
        "Which line has the largest CreateTime? Is this time in the future of now_ms?",
        "age = now_ms - the largest CreateTime. Negative: a clock. More than retention_ms: the check. Else the segment.",
    ),
    title="bug hunt: why is it still there",
    points=3,
    answers=("holds", "why"),
    draws=THREE,
    row="topic",
    show=dumps,
    space={"log": tuple(range(45))},
    where=lambda n: tells_its_reason(n["log"]),
    together=lambda topics: len({n["log"] % 3 for n in topics}) == 3,
)


# %% 13.4
from autograder.cell.kinds import Function
from kafkalab.stories.segments import cleaning_hour, offsets_left, prices_of, table_of

HOURS = tuple({"case": f"an hour of prices, number {seed}", "seed": seed} for seed in (1, 2, 3, 5))


def hour(case, part):
    """Prices change; the learner's function decides what each cleaning leaves."""
    return cleaning_hour(case["seed"], part)


@cache
def left_by_kafka(seed: int) -> tuple[int, ...]:
    """What Kafka's cleaner leaves of that hour."""
    return tuple(offsets_left(cleaning_hour(seed)))


def right_table(seed: int) -> dict:
    """The table of all prices that were written, in order."""
    known: dict = {}
    for key, value in [*prices_of(seed), ("last", "1")]:
        known.pop(key, None)
        if value is not None:
            known[key] = value
    return known


def wrong_table(case, lab) -> tuple | None:
    """The first reader whose table is wrong, or the records that are too many."""
    wanted = right_table(case["seed"])
    for reader in ("new", "slow"):
        known = table_of(lab, reader, case["seed"])
        for key in sorted({*wanted, *known}):
            if known.get(key) == wanted.get(key):
                continue
            proof = (f"{reader}: {key} = {known.get(key, '-')}; right: {wanted.get(key, '-')}",)
            if key not in known:
                return (
                    f"the reader `{reader}` does not know the price of {key}. Its last record is "
                    "gone.",
                    proof,
                )
            if key not in wanted:
                return (
                    f"the reader `{reader}` still has a price for {key}, which was deleted. It "
                    "never saw the last record of this key.",
                    proof,
                )
            return f"the reader `{reader}` has an old price for {key}.", proof
    own, kafkas = offsets_left(lab), list(left_by_kafka(case["seed"]))
    more = [offset for offset in own if offset not in kafkas]
    if more:
        return (
            f"the tables are right, but {len(more)} records are left that Kafka removes: offsets "
            f"{more[:5]}.",
            (f"left: {own}", f"Kafka leaves: {kafkas}"),
        )
    return None


QUESTION_13_4 = Function(
    id="13.4",
    hints=(
        "First find the last offset of each key, tombstones included. Then go through the records again. Which of them stay?",
        "last = {each.key: each.offset for each in records}. A record stays when it is the last of its key and not may_forget.",
    ),
    title="what the cleaner leaves",
    points=4,
    answers=("left",),
    public_cases=HOURS,
    play=hour,
    look=wrong_table,
    kept="right: both readers have the right table, and no record is left too many.",
)


# %% 13.5
from autograder.cell.kinds import SparkAnswer

TABLES = (
    {
        "case": "two keys, one of them twice",
        "rows": [[0, "tea", "5"], [1, "milk", "2"], [2, "tea", "4"]],
    },
    {
        "case": "a key that was deleted",
        "rows": [[7, "milk", None], [3, "milk", "2"], [5, "tea", "3"], [6, "milk", "9"]],
    },
    {
        "case": "deleted, and written again",
        "rows": [[10, "tea", "7"], [11, "tea", None], [14, "tea", "1"], [12, "jam", None]],
    },
)

QUESTION_13_5 = SparkAnswer(
    id="13.5",
    hints=(
        "Two steps, and their order matters: the last row of each key, and the rows with a value.",
        "F.max_by(\"value\", \"offset\") gives the value of the row with the largest offset, also when it is null.",
    ),
    title="Spark: what is left",
    points=3,
    answers=("left_of",),
    public_cases=TABLES,
    schema="offset bigint, key string, value string",
    gives=("offset", "key", "value"),
)


# %% 13.open
from autograder.cell.kinds import Open

QUESTION_13_open = Open(
    id="13.open",
    title="Most topics delete their records by age. Why is `__consumer_offsets` compacted instead?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_13_1,
    QUESTION_13_2,
    QUESTION_13_3,
    QUESTION_13_6,
    QUESTION_13_4,
    QUESTION_13_5,
    QUESTION_13_open,
)
