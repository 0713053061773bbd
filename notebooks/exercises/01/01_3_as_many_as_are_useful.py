# %% [markdown]
# ### Exercise 01.3 · As many as are useful
#
# There are three groups again. Group A reads three topics, with `n.A.a`, `n.A.b` and `n.A.c`
# partitions. You may start as many members as you like. How many members can own at least one
# partition? Answer once for Range and once for RoundRobin.

# %%
n = numbers("01.3")
n

# %% answer
busy_with_range = {"A": ..., "B": ..., "C": ...}
busy_with_round_robin = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
busy_with_range = {name: max(group.a, group.b, group.c) for name, group in n.items()}
busy_with_round_robin = {name: group.a + group.b + group.c for name, group in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="how many members are of use",
    points=2,
    answers=("busy_with_range", "busy_with_round_robin"),
    draws=THREE,
    row="group",
    space={"a": (1, 2, 4, 5, 7), "b": (1, 2, 4, 5, 7), "c": (1, 2, 4, 5, 7)},
    where=lambda n: list(n.values()).count(max(n.values())) == 1,
    # each of the three topics is the largest in one group
    together=lambda groups: {max(n, key=n.get) for n in groups} == {"a", "b", "c"},
)

# %% judge
from autograder.course.judge import Judge


def _busy(case: dict) -> dict:
    topics = (case["a"], case["b"], case["c"])
    busy = {
        assignor: sum(bool(owned) for owned in _shares(topics, sum(topics), assignor).values())
        for assignor in ("Range", "RoundRobin")
    }
    return {"busy_with_range": busy["Range"], "busy_with_round_robin": busy["RoundRobin"]}


Judge(
    truth=_busy,
    right=(
        "right: topics of {a}, {b} and {c} partitions. The largest decides for Range, their sum "
        "for RoundRobin."
    ),
    otherwise=(
        "not these two. Assign the three topics on paper, each from m1 on. Then count the members "
        "that own something."
    ),
)

# %% wrong="the sum for both"
# You took as many members as partitions. This well-known rule holds for RoundRobin. Range begins
# again with m1 for each topic.
busy_with_range = {a: x.a + x.b + x.c for a, x in n.items()}
busy_with_round_robin = {a: x.a + x.b + x.c for a, x in n.items()}

# %% wrong="the largest for both"
# RoundRobin assigns the partitions of all topics together. So more members are busy than the
# largest topic has partitions.
busy_with_range = {a: max(x.a, x.b, x.c) for a, x in n.items()}
busy_with_round_robin = {a: max(x.a, x.b, x.c) for a, x in n.items()}

# %% wrong="the smallest for Range"
# You counted the members that get a partition of every topic. One partition is enough to be busy.
busy_with_range = {a: min(x.a, x.b, x.c) for a, x in n.items()}
busy_with_round_robin = {a: x.a + x.b + x.c for a, x in n.items()}

# %% wrong="exchanged"
# The two are exchanged. Range assigns topic by topic, RoundRobin all topics together.
busy_with_range = {a: x.a + x.b + x.c for a, x in n.items()}
busy_with_round_robin = {a: max(x.a, x.b, x.c) for a, x in n.items()}

# %% wrong="topics, not members"
# You counted the topics. Count members: one partition of one topic is enough to be busy.
busy_with_range = {a: 3 for a in n}
busy_with_round_robin = {a: x.a + x.b + x.c for a, x in n.items()}

# %% hint
# Range assigns each topic on its own and begins with m1 every time. When does the last busy member
# get its first partition?

# %% hint
# Range: the largest topic decides. RoundRobin: every partition can have a member of its own.
