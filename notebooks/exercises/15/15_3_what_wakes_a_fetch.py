# %% [markdown]
# ### Exercise 15.3 · What wakes a fetch?
#
# Four fetches, A to D, each in a lab of its own. ada reads the partitions 0 and 1 of `orders`. Her
# fetch waits in the purgatory. It wants `n.A.min_bytes` bytes (`fetch.min.bytes`), and waits for at
# most `n.A.wait_ms` ms. Four batches of 300 bytes are written, 100, 200, 300 and 400 ms after the fetch
# began to wait. They go to the partitions `n.A.first`, `n.A.second`, `n.A.third` and `n.A.fourth`.
# There are no followers. Which write completes the fetch: 1, 2, 3 or 4? Answer 0 when its time is over
# first.

# %%
n = numbers("15.3")
n

# %% answer items="N104"
completed_by = {"A": ..., "B": ..., "C": ..., "D": ...}


### BEGIN SOLUTION
def completes(x):
    got = 0
    for number, partition in enumerate((x.first, x.second, x.third, x.fourth), 1):
        if 100 * number > x.wait_ms:
            return 0
        got += 300 if partition in (0, 1) else 0
        if got >= x.min_bytes:
            return number
    return 0


completed_by = {name: completes(x) for name, x in n.items()}
### END SOLUTION

# %% question
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


Value(
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

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.broker import four_writes


@cache
def _completed(min_bytes: int, wait_ms: int, partitions: tuple[int, ...]) -> int:
    return four_writes(min_bytes, wait_ms, partitions)[1]


Judge(
    truth=lambda case: {
        "completed_by": _completed(
            case["min_bytes"], case["wait_ms"], tuple(case[name] for name in WRITES)
        )
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
# The fetch is on the lists of its own partitions, 0 and 1. A write to partition 2 does not count.
completed_by = {
    name: number if 100 * (number := -(-x.min_bytes // 300)) <= x.wait_ms else 0
    for name, x in n.items()
}


# %% wrong="each partition for itself"
# fetch.min.bytes is for the whole fetch: the bytes of all its partitions are added.
def alone(x):
    got = {0: 0, 1: 0, 2: 0}
    for number, partition in enumerate((x.first, x.second, x.third, x.fourth), 1):
        got[partition] += 300
        if 100 * number <= x.wait_ms and max(got[0], got[1]) >= x.min_bytes:
            return number
    return 0


completed_by = {name: alone(x) for name, x in n.items()}


# %% wrong="without a clock"
# This fetch waits for {wait_ms} ms only. Then it is answered with what there is.
def patient(x):
    got = 0
    for number, partition in enumerate((x.first, x.second, x.third, x.fourth), 1):
        got += 300 if partition in (0, 1) else 0
        if got >= x.min_bytes:
            return number
    return 0


completed_by = {name: patient(x) for name, x in n.items()}

# %% hint
# Strike out the writes to partition 2, and those that come after `wait_ms`.

# %% hint
# Each write that is left brings 300 bytes. At which one are there `min_bytes`?
