# %% [markdown]
# ### Exercise 06.6 · Repeats by cause
#
# Some orders of each day are in the log twice. How many, because a *producer* sent a batch again? How
# many, because a *program* sent an order again? The keys do not tell the shop. The producer id does
# tell something: each run of an idempotent producer has its own. A record without one has `-1`.

# %% spark=true
twice = records.groupBy("day", "key").count().where("count > 1")
twice.groupBy("day").count().orderBy("day").toPandas()  # all; now their causes

# %% answer
by_producer = {"A": ..., "B": ..., "C": ...}
by_program = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
import re


def causes(number):
    ids = {}
    for line in ledger(number):
        id, key = re.search(r"producerId: (-?\d+) .* key: (.*) payload", line).groups()
        ids.setdefault(key, []).append(int(id))
    repeats = [found for found in ids.values() if len(found) > 1]
    by_itself = sum(found == [-1, -1] for found in repeats)
    return by_itself, len(repeats) - by_itself


by_producer = {name: causes(each.day)[0] for name, each in n6.items()}
by_program = {name: causes(each.day)[1] for name, each in n6.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: who wrote it twice",
    points=3,
    answers=("by_producer", "by_program"),
    draws=THREE,
    row="day",
    space={"day": tuple(range(1, 61))},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.exactly_once import day_of


@cache
def _repeats(day: int) -> tuple[int, int]:
    """Orders that are in the log twice: sent again by a producer without identity,
    sent again by a program."""
    seen: dict[str, list[int]] = {}
    for event in day_of(day).journal.of("record.appended"):
        if event.topic == "orders":
            for record in event.records:
                seen.setdefault(record.key, []).append(event.producer_id)
    twice = [ids for ids in seen.values() if len(ids) > 1]
    by_producer = sum(set(ids) == {-1} for ids in twice)
    return by_producer, len(twice) - by_producer


Judge(
    truth=lambda case: dict(zip(("by_producer", "by_program"), _repeats(case["day"]))),
    right=(
        "right: a producer without an id repeats its batches; a new process repeats what the "
        "process before it sent."
    ),
    otherwise=(
        "not these two. Take the keys that are in the log twice, and compare the two producer ids."
    ),
)

# %% begin
import re


def rows(x):
    return [
        re.search(r"producerId: (-?\d+) .* key: (.*) payload", line).groups()
        for line in ledger(x.day)
    ]


def twice(x):
    keys = [key for id, key in rows(x)]
    return sorted({key for key in keys if keys.count(key) > 1})


def plain(x):
    without = {key for id, key in rows(x) if id == "-1"}
    return [key for key in twice(x) if key in without]


# %% wrong="the network did it all"
# You gave all repeats to the producers. Some of the pairs have two different producer ids: a
# producer has one id for its whole run.
by_producer = {a: len(twice(x)) for a, x in n6.items()}
by_program = {a: 0 for a, x in n6.items()}

# %% wrong="programs did it all"
# You gave all repeats to the programs. Where both have -1, no program started again: shop-a's
# producer got no answer, sent again, and the leader could not recognise it.
by_producer = {a: 0 for a, x in n6.items()}
by_program = {a: len(twice(x)) for a, x in n6.items()}

# %% wrong="the same three numbers"
# You grouped by producer id, epoch and sequence. All records of shop-a have -1 three times, so
# they all look alike; and no others do.
by_producer = {a: sum(id == "-1" for id, key in rows(x)) for a, x in n6.items()}
by_program = {a: 0 for a, x in n6.items()}

# %% wrong="both copies counted"
# You counted records. An order that is in the log twice is one order.
by_producer = {a: 2 * len(plain(x)) for a, x in n6.items()}
by_program = {a: 2 * (len(twice(x)) - len(plain(x))) for a, x in n6.items()}

# %% wrong="the other way round"
# The other way round: -1 twice is one producer that sent a batch again, two different ids are two
# lives of a program.
by_producer = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}
by_program = {a: len(plain(x)) for a, x in n6.items()}

# %% hint
# A key that is in the log twice was written twice. Compare the two producer ids.

# %% hint
# Group by day and key, keep count > 1, and look at min and max of producer_id. Both -1: no producer
# id. Two different ids: two runs of a program.
