# %% [markdown]
# ### Exercise 16.4 · Which group for which job?
#
# Five topics, A to E. Each has 24 changes of customers, three for each of eight customers, one after
# the other. A change takes half a second. There are four workers. One change fails at the first try:
# a worker of a share group releases it, a worker of a consumer group tries it again at once. A
# customer's changes are in one partition. Each topic's team says what it needs.
#
# Which group meets the need: "consumer", "share", "either" or "neither"?

# %%
n = numbers("16.4")
for name, need in n.items():
    print(f"{name}: {need}")

# %% answer
group = {"A": "...", "B": "...", "C": "...", "D": "...", "E": "..."}


### BEGIN SOLUTION
def meets(need):
    one_worker = need.startswith("1 partition")
    order, quick = "in their order" in need, "within 5 s" in need
    consumer, share = not (one_worker and quick), not order
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
    return f"{count}; {ORDER[numbers['order']]}; all is done within {numbers['limit_s']} s"


def tells_needs_apart(cases: list[dict]) -> bool:
    """Whether one partition comes with order and haste, order alone, and haste alone."""
    needs = {(n["partitions"], n["order"], n["limit_s"]) for n in cases}
    return {(1, True, 5), (1, True, 20), (1, False, 5)} <= needs and any(
        n["partitions"] == 4 and n["order"] for n in cases
    )


LineReading(
    title="which group for which job",
    points=2,
    answers=("group",),
    draws=("A", "B", "C", "D", "E"),
    row="topic",
    space={"partitions": (1, 4), "order": (True, False), "limit_s": (5, 20)},
    together=tells_needs_apart,
    show=lambda numbers: {name: need_of(each) for name, each in numbers.items()},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.share_groups import customers_day, keeps_order, seconds_of_work


@cache
def _meets(kind: str, partitions: int, order: bool, limit_s: int) -> bool:
    """Whether four workers of this kind of group meet the need in the lab, with three seeds."""
    days = [customers_day(kind, partitions, seed) for seed in range(3)]
    in_time = all(seconds_of_work(lab, "ada bo cy di") <= limit_s for lab in days)
    return in_time and (not order or all(keeps_order(lab) for lab in days))


def _group(case: dict) -> dict:
    need = case["partitions"], case["order"], case["limit_s"]
    consumer, share = _meets("classic", *need), _meets("share", *need)
    both = {(True, True): "either", (True, False): "consumer", (False, True): "share"}
    return {"group": both.get((consumer, share), "neither")}


Judge(
    truth=_group,
    right="right: order asks for a consumer group, and more workers than partitions for a share group.",
    otherwise=(
        "not this one. How many workers can work on {partitions} partition(s) in a consumer group? "
        "And does a share group keep an order?"
    ),
)

# %% begin
facts = {
    name: (need.startswith("1 "), "in their order" in need, "within 5 s" in need)
    for name, need in n.items()
}

# %% wrong="a share group keeps the order of a partition"
# Two workers hold two changes of the same customer at the same time, or one comes back after a
# release. A share group keeps no order, with {partitions} partition(s) too.
group = {
    name: "share" if one and quick else "either" for name, (one, order, quick) in facts.items()
}

# %% wrong="a consumer group uses all workers"
# With one partition one member does all the work: 24 halves of a second are 12 seconds.
group = {name: "consumer" if order else "either" for name, (one, order, quick) in facts.items()}

# %% wrong="share is faster"
# With four partitions four members of a consumer group work, and are as quick. A share group is not
# faster there.
group = {
    name: ("neither" if one else "consumer")
    if order and quick
    else "consumer"
    if order
    else "share"
    for name, (one, order, quick) in facts.items()
}

# %% wrong="order is always possible"
# One partition, order and haste do not go together. Here neither group helps: the topic needs more
# partitions.
group = {
    name: "consumer" if order else "share" if one and quick else "either"
    for name, (one, order, quick) in facts.items()
}

# %% hint
# Ask two questions for each group: how many workers have work? Is the order kept?

# %% hint
# A consumer group keeps the order and has at most as many workers as partitions; a share group has all
# four workers and no order. One worker needs 12 seconds, four need about 3.5.
