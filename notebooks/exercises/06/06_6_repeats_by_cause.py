# %% [markdown]
# ### Exercise 06.6 · Repeats by cause
#
# Some orders of each day are in the log twice. How many, because a *producer* sent a batch again? How
# many, because a *program* sent an order again? The keys do not tell the shop. The producer id does
# tell something: each run of an idempotent producer has its own. A record without one has `-1`.
#
# A consumer wants to drop the repeats. It remembers the keys of the last `memory` records of the
# log, and drops a record whose key is among them. What is the smallest `memory` that drops all
# repeats of the day?

# %% spark=true
twice = records.groupBy("day", "key").count().where("count > 1")
twice.groupBy("day").count().orderBy("day").toPandas()  # all; now their causes

# %% answer
by_producer = {"A": ..., "B": ..., "C": ...}
by_program = {"A": ..., "B": ..., "C": ...}
memory = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
import re


def causes(number):
    found = {}
    for line in ledger(number):
        told = re.search(r"offset: (\d+) producerId: (-?\d+) .* key: (.*) payload", line)
        found.setdefault(told[3], []).append((int(told[1]), int(told[2])))
    repeats = [copies for copies in found.values() if len(copies) > 1]
    by_itself = sum({id for _, id in copies} == {-1} for copies in repeats)
    apart = max(copies[-1][0] - copies[0][0] for copies in repeats)
    return by_itself, len(repeats) - by_itself, apart


by_producer = {name: causes(each.day)[0] for name, each in n6.items()}
by_program = {name: causes(each.day)[1] for name, each in n6.items()}
memory = {name: causes(each.day)[2] for name, each in n6.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

# the days on which another repeat is between a record and its farthest repeat; on the others it
# makes no difference whether the consumer remembers what it drops. On 17, 41 and 56 the farthest
# one is as many records away as there are repeats
DROPPED_COUNT = frozenset((4, 5, 9, 10, 12, 13, *range(18, 21), 24, 25, 27))
DROPPED_COUNT |= frozenset((*range(31, 38), 39, 40, 42, 44, 45, 47, 48, 50, 51, 55))


Value(
    title="Spark: who wrote it twice",
    points=3,
    answers=("by_producer", "by_program", "memory"),
    draws=THREE,
    row="day",
    space={"day": tuple(range(1, 61))},
    together=lambda days: any(n["day"] in DROPPED_COUNT for n in days),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.exactly_once import day_of


@cache
def _repeats(day: int) -> tuple[int, int, int]:
    """Orders that are in the log twice: sent again by a producer without identity, sent again by a
    program; and the longest way from a record to its repeat, in records."""
    seen: dict[str, list[tuple[int, int]]] = {}
    for event in day_of(day).journal.of("record.appended"):
        if event.topic == "orders":
            for place, record in enumerate(event.records):
                copy = event.producer_id, event.base_offset + place
                seen.setdefault(record.key, []).append(copy)
    twice = [copies for copies in seen.values() if len(copies) > 1]
    by_producer = sum({id for id, _ in copies} == {-1} for copies in twice)
    apart = max(copies[1][1] - copies[0][1] for copies in twice)
    return by_producer, len(twice) - by_producer, apart


Judge(
    truth=lambda case: dict(zip(("by_producer", "by_program", "memory"), _repeats(case["day"]))),
    right=(
        "right: a producer without an id repeats a batch at once. A new process repeats what the "
        "process before it sent, and that comes later."
    ),
    otherwise={
        "by_producer": (
            "{said} is not it. Take the keys that are in the log twice. How many of them have the same "
            "producer id both times?"
        ),
        "by_program": (
            "{said} is not it. Take the keys that are in the log twice. How many of them have two "
            "different producer ids?"
        ),
        "memory": (
            "{said} is not it. Take the keys that are in the log twice, and the distance of their two "
            "offsets. Which is the largest?"
        ),
    },
)

# %% equivalent
# `ledger(number)` -> `list(ledger(number))[1:]`, `list(ledger(number))[:-1]`: the first order of a
# day and the last one are written once.
# `found.values()` -> `list(found.values())[1:]`, `list(found.values())[:-1]`: the same.
# `{id for _, id in copies}` -> `{id for _, id in list(copies)[1:]}`, `{id for _, id in
# list(copies)[:-1]}`: the copies of a key have all an id, or none.
# `(copies[-1][0] - copies[0][0] for copies in repeats)` -> `(copies[-1][0] - copies[0][0] for
# copies in list(repeats)[1:])`, `(copies[-1][0] - copies[0][0] for copies in list(repeats)[:-1])`:
# the longest way lies between.
# `re.search('offset: (\\d+) producerId: (-?\\d+) .* key: (.*) payload', line)` ->
# `re.search('offset: (\\d+) producerId: (-?\\d) .* key: (.*) payload', line)`: the ids of a day have
# one digit.
# `len(copies) > 1` -> `len(copies) != 1`: each key in the log is there at least once.
# `{id for _, id in copies} == {-1}` -> `{id for _, id in copies} >= {-1}`: no key is there both with
# and without an id.
# `{id for _, id in copies} == {-1}` -> `{id for _, id in copies} <= {-1}`: each copy has an id or -1.
# `copies[-1]` -> `copies[1]`: no order is in the log three times.

# %% begin
import re


def rows(x):
    return [
        re.search(r"producerId: (-?\d+) .* key: (.*) payload", line).groups()
        for line in ledger(x.day)
    ]


def apart(x, ids=("-1",), dropped=True):
    """The longest way from a record to its repeat; with `ids` of records with these ids only, and
    without `dropped` past none of the other repeats."""
    first, longest, repeats = {}, 0, 0
    for offset, (id, key) in enumerate(rows(x)):
        place = offset if dropped else offset - repeats
        repeats += key in first
        if ids is None or id in ids:
            longest = max(longest, place - first.setdefault(key, place))
    return longest


memory = {a: apart(x, ids=None) for a, x in n6.items()}


def twice(x):
    keys = [key for id, key in rows(x)]
    return sorted({key for key in keys if keys.count(key) > 1})


def plain(x):
    without = {key for id, key in rows(x) if id == "-1"}
    return [key for key in twice(x) if key in without]


by_producer = {a: len(plain(x)) for a, x in n6.items()}
by_program = {a: len(twice(x)) - len(plain(x)) for a, x in n6.items()}

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
# So many records have the producer id -1. A group by producer id, epoch and sequence holds them all:
# all records of shop-a have -1 three times, so they look alike; and no others do.
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

# %% wrong="the records between"
# One too few: so many records are *between* the two. The consumer must remember the first of the two,
# too.
memory = {a: apart(x, ids=None) - 1 for a, x in n6.items()}

# %% wrong="only what is kept"
# So many it is if the records that it drops do not count. The consumer remembers the last records of
# the log, and the dropped ones are among them.
memory = {a: apart(x, ids=None, dropped=False) for a, x in n6.items()}

# %% wrong="only the producer's repeats"
# That is enough for the repeats of a producer: they come at once. A program that starts again
# repeats orders that are further back.
memory = {a: apart(x) for a, x in n6.items()}

# %% wrong="the whole log"
# That is the whole log of the day. A shorter memory is enough: look for the longest way from a
# record to its repeat.
memory = {a: len(rows(x)) for a, x in n6.items()}

# %% wrong="as many as repeats"
# That is the number of repeats. The question is how far a repeat is from the first record with its
# key.
memory = {a: len(twice(x)) for a, x in n6.items()}

# %% begin

# %% hint
# A key that is in the log twice was written twice. Compare the two producer ids.

# %% hint
# Group by day and key, keep count > 1, and look at min and max of producer_id. Both -1: no producer
# id. Two different ids: two runs of a program. Then look at min and max of offset.
