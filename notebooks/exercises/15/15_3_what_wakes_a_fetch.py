# %% [markdown]
# ### Exercise 15.3 · What wakes a fetch?
#
# Four fetches, A to D, each in a lab of its own. ada reads the partitions 0 and 1 of `orders`. Her
# fetch waits in the purgatory. It wants `n.A.min_bytes` bytes (`fetch.min.bytes`), and waits for at
# most `n.A.wait_ms` ms. Four batches of 300 bytes are written, 100, 200, 300 and 400 ms after the fetch
# began to wait. They go to the partitions `n.A.partitions`, in this order. There are no followers.
# Which write completes the fetch: 1, 2, 3 or 4? Answer 0 when its time is over first.

# %%
n = numbers("15.3")
n

# %% answer items="N104"
completed_by = {"A": ..., "B": ..., "C": ..., "D": ...}


### BEGIN SOLUTION
def completes(x):
    count = [
        number
        for number, partition in enumerate(x.partitions, 1)
        if partition in (0, 1) and 100 * number < x.wait_ms
    ]
    needed = -(-x.min_bytes // 300)
    return count[needed - 1] if needed <= len(count) else 0


completed_by = {name: completes(x) for name, x in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

PLACES = (
    *((0, 1, 2, 0), (0, 2, 1, 1), (1, 0, 0, 2), (1, 2, 0, 1), (2, 0, 1, 0), (2, 1, 0, 1)),
    *((0, 2, 2, 1), (1, 2, 2, 0), (2, 0, 2, 1), (2, 1, 2, 0)),
)


KINDS = (
    lambda n: n["partitions"][0] == 2 and n["min_bytes"] == 1 and 200 < n["wait_ms"] < 300,
    lambda n: n["min_bytes"] == 600 and n["wait_ms"] > 400,
    lambda n: n["min_bytes"] == 301 and n["wait_ms"] > 400,
    lambda n: n["min_bytes"] > 300 and n["wait_ms"] < 200 and 2 not in n["partitions"][:2],
)
"""One fetch wants one byte, and has time for two writes, of which only the second is for it. Of two
with time enough one wants what two batches have, the other a byte more than a batch. And one has
too little time for a second batch, which is the second write."""


def is_told_apart(cases: list[dict]) -> bool:
    """Whether each kind is there. Of two with time enough one gets what it wants from the last
    write, and the other one before it. For one of them the first write is not its own."""
    patient = [tuple(n["partitions"]) for n in cases if n["wait_ms"] > 400]
    last = [places.count(2) == 2 for places in patient]
    return (
        all(any(kind(n) for n in cases) for kind in KINDS)
        and sum(last) == 1
        and any(places[0] == 2 for places in patient)
    )


Value(
    title="what wakes a fetch",
    points=3,
    answers=("completed_by",),
    draws=("A", "B", "C", "D"),
    row="fetch",
    space={
        "min_bytes": (1, 301, 310, 600),
        "wait_ms": (150, 160, 250, 260, 450, 460),
        "partitions": PLACES,
    },
    where=lambda n: any(kind(n) for kind in KINDS),
    together=is_told_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.broker import four_writes


@cache
def _completed(min_bytes: int, wait_ms: int, partitions: tuple[int, ...]) -> int:
    return four_writes(min_bytes, wait_ms, partitions)[1]


Judge(
    truth=lambda case: {
        "completed_by": _completed(case["min_bytes"], case["wait_ms"], tuple(case["partitions"]))
    },
    right="right: a fetch is on the lists of its own partitions, and needs all its bytes, or the time.",
    otherwise=(
        "not this one. Only writes to partitions 0 and 1 count. Add their bytes until there are "
        "{min_bytes}, and stop after {wait_ms} ms."
    ),
)

# %% wrong="the first write"
# A write to partition 2 wakes nobody who reads 0 and 1, and one batch has 300 bytes. Is that enough?
completed_by = {name: 1 for name in n}

# %% wrong="every partition counts"
# The fetch is on the lists of its own partitions, 0 and 1. A write to partition 2 brings it nothing,
# and has a number all the same.
completed_by = {
    name: number if 100 * (number := -(-x.min_bytes // 300)) <= x.wait_ms else 0
    for name, x in n.items()
}


# %% wrong="each partition for itself"
# fetch.min.bytes is for the whole fetch: the bytes of all its partitions are added, and {min_bytes}
# are enough.
def alone(x):
    got = {0: 0, 1: 0, 2: 0}
    for number, partition in enumerate(x.partitions, 1):
        got[partition] += 300
        if 100 * number <= x.wait_ms and max(got[0], got[1]) >= x.min_bytes:
            return number
    return 0


completed_by = {name: alone(x) for name, x in n.items()}


# %% wrong="without a clock"
# This fetch waits for {wait_ms} ms only. Then it is answered with what there is.
def patient(x):
    got = 0
    for number, partition in enumerate(x.partitions, 1):
        got += 300 if partition in (0, 1) else 0
        if got >= x.min_bytes:
            return number
    return 0


completed_by = {name: patient(x) for name, x in n.items()}

# %% equivalent
# `100 * number < x.wait_ms` -> `100 * number <= x.wait_ms`: no write comes when the wait ends.
# `100 * number` -> `99 * number`, `101 * number`: no write comes so near to the end of the wait.

# %% hint
# Strike out the writes to partition 2, and those that come after `wait_ms`.

# %% hint
# Each write that is left brings 300 bytes. At which one are there `min_bytes`?
