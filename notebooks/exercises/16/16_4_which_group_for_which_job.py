# %% [markdown]
# ### Exercise 16.4 · Which group for which job?
#
# Six topics, A to F. Each has 24 changes of customers: three for each of eight customers, one after
# the other. A change takes half a second. One change fails at the first try: a worker of a share group
# releases it, a worker of a consumer group tries it again at once. A customer's changes are in one
# partition, and the customers are spread evenly. Each topic's team says what it has and needs.
#
# Which group meets the need: "consumer", "share", "either" or "neither"?

# %%
n = numbers("16.4")
for name, need in n.items():
    print(f"{name}: {need}")

# %% answer
group = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ..., "F": ...}


### BEGIN SOLUTION
import re


def meets(need):
    partitions, workers, limit_s = map(int, re.findall(r"\d+", need))
    consumer = 12.5 / min(partitions, workers) < limit_s
    share = 12.5 / workers < limit_s and "any order" in need
    if consumer and share:
        return "either"
    return "consumer" if consumer else "share" if share else "neither"


group = {name: meets(need) for name, need in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import LineReading

ORDER = {True: "each customer's changes are done in their order", False: "any order will do"}


def need_of(numbers) -> str:
    """What a team says."""
    parts = numbers["partitions"]
    count = f"{parts} partition" + ("s" if parts > 1 else "")
    order = ORDER[numbers["order"]]
    return f"{count}, {numbers['workers']} workers; {order}; all within {numbers['limit_s']} s"


KINDS = (
    lambda n: n["partitions"] == 1 and 12.5 / n["workers"] < n["limit_s"] < 20 and n["order"],
    lambda n: n["partitions"] == 1 and n["limit_s"] < 20 and n["workers"] == 4 and not n["order"],
    lambda n: n["limit_s"] >= 20 and n["order"],
    lambda n: n["partitions"] > 1 and n["limit_s"] in (9, 10) and n["order"],
    lambda n: n["partitions"] > 1 and n["limit_s"] in (9, 10) and not n["order"],
    lambda n: (n["partitions"], n["workers"], n["limit_s"], n["order"]) == (4, 2, 5, False),
)
"""One partition with order and haste that a share group could bear, one with haste alone; order and
time; haste that two partitions can bear, with order and without; and haste that two workers cannot
bear, though four could."""


LineReading(
    title="which group for which job",
    points=2,
    answers=("group",),
    draws=("A", "B", "C", "D", "E", "F"),
    row="topic",
    space={
        "partitions": (1, 2, 4),
        "workers": (2, 4),
        "order": (True, False),
        "limit_s": (5, 9, 10, 20, 30),
    },
    where=lambda n: any(kind(n) for kind in KINDS),
    together=lambda topics: all(any(kind(n) for n in topics) for kind in KINDS),
    show=lambda numbers: {name: need_of(each) for name, each in numbers.items()},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.share_groups import customers_day, keeps_order, seconds_of_work


@cache
def _played(kind: str, partitions: int, workers: int) -> tuple[float, bool]:
    """The seconds that this group needs in the lab, and whether it keeps the order; two seeds."""
    days = [customers_day(kind, partitions, seed, workers) for seed in range(2)]
    seconds = max(seconds_of_work(lab, "ada bo cy di") for lab in days)
    return seconds, all(keeps_order(lab) for lab in days)


def _group(case: dict) -> dict:
    meets = []
    for kind in ("classic", "share"):
        seconds, in_order = _played(kind, case["partitions"], case["workers"])
        meets.append(seconds <= case["limit_s"] and (in_order or not case["order"]))
    both = {(True, True): "either", (True, False): "consumer", (False, True): "share"}
    return {"group": both.get(tuple(meets), "neither")}


Judge(
    truth=_group,
    right="right: order asks for a consumer group, more workers than partitions for a share group.",
    otherwise=(
        '"{said}" is not it. A consumer group keeps at most as many of the {workers} workers busy as '
        "there are partitions, here {partitions}. A share group keeps all of them busy, and no order. How "
        "many seconds do so many busy workers need? The limit here is {limit_s} s."
    ),
)

# %% begin
import re

facts = {
    name: (*map(int, re.findall(r"\d+", need)), "any order" not in need) for name, need in n.items()
}


def name_of(consumer, share):
    if consumer and share:
        return "either"
    return "consumer" if consumer else "share" if share else "neither"


# %% wrong="a share group keeps the order of a partition"
# Two workers hold two changes of the same customer at the same time, or one comes back after a
# release. A share group keeps no order, whatever the number of partitions.
group = {
    name: name_of(12.5 / min(parts, workers) < limit_s, 12.5 / workers < limit_s)
    for name, (parts, workers, limit_s, order) in facts.items()
}

# %% wrong="a consumer group uses all workers"
# A consumer group has at most as many busy members as partitions, {partitions} here. 24 halves of a
# second are 12 seconds for one of them.
group = {
    name: name_of(12.5 / workers < limit_s, 12.5 / workers < limit_s and not order)
    for name, (parts, workers, limit_s, order) in facts.items()
}

# %% wrong="share is always better without order"
# A consumer group is quick enough here, too. Count its busy workers, and the seconds that they need.
group = {
    name: name_of(
        12.5 / min(parts, workers) < limit_s and order, not order and 12.5 / workers < limit_s
    )
    for name, (parts, workers, limit_s, order) in facts.items()
}

# %% equivalent
# `12.5 / min(partitions, workers) < limit_s` -> `12.5 / min(partitions, workers) <= limit_s`: no group
# needs just the time that it has.
# `12.5 / workers < limit_s` -> `12.5 / workers <= limit_s`: the same.
# `12.5 / min(partitions, workers)` -> `12.5 // min(partitions, workers)`,
# `13.5 / min(partitions, workers)`, `11.5 / min(partitions, workers)`: each limit is a second or more
# away from what a group needs.
# `12.5 / workers` -> `12.5 // workers`, `13.5 / workers`, `11.5 / workers`: the same.

# %% hint
# Ask two questions for each group: how many workers have work? Is the order kept?

# %% hint
# A consumer group keeps the order and has at most as many busy workers as partitions. A share group
# has all workers and no order. One worker needs 12 seconds, two 6, four 3, and half a second more for
# the failed change.
