# %% [markdown] items="N8"
# ### Exercise 01.2 · Who owns what?
#
# Three groups, A, B and C. Group A reads one topic of `n.A.partitions` partitions, numbered from 0,
# with `n.A.members` members, named m1, m2 and so on. They use a strategy of Kafka's called *Range*.
# m1 gets the first block of neighbouring partitions, m2 the next, and so on. The blocks are equal.
# If the division leaves a rest, the first members get one partition more each. Which partitions
# does `m2` own?
#
# Later more programs start, and the group has `n.A.crowd` members in all. How many of them own
# nothing?

# %%
n = numbers("01.2")
n

# %% answer
owned_by_m2 = {"A": ..., "B": ..., "C": ...}  # a list of partition numbers each: [2, 3]
idle_in_the_crowd = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def second_block(group):
    each, over = divmod(group.partitions, group.members)
    first = each + (1 if over > 0 else 0)
    return list(range(first, first + each + (1 if over > 1 else 0)))


owned_by_m2 = {name: second_block(group) for name, group in n.items()}
idle_in_the_crowd = {name: group.crowd - group.partitions for name, group in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="who owns what",
    points=3,
    answers=("owned_by_m2", "idle_in_the_crowd"),
    draws=THREE,
    row="group",
    space={
        "partitions": (5, 7, 8, 9, 10, 11),
        "members": (2, 3, 4, 5),
        "crowd": (12, 13, 14, 17, 18, 19, 21, 23, 24, 26),
    },
    where=lambda n: (
        n["partitions"] >= 2 * n["members"]
        and n["partitions"] % n["members"]
        and n["crowd"] > 2 * n["partitions"]
        and n["crowd"] % n["partitions"]
    ),
)

# %% judge
from autograder.course.judge import Judge


def _owned(case: dict) -> dict:
    shares = _shares((case["partitions"],), case["members"], "Range")
    crowd = _shares((case["partitions"],), case["crowd"], "Range")
    return {
        "owned_by_m2": sorted(int(name.rsplit("-", 1)[1]) for name in shares["m02"]),
        "idle_in_the_crowd": sum(not owned for owned in crowd.values()),
    }


Judge(
    truth=_owned,
    right="right: blocks in order, and the first members take what is left over.",
    otherwise=(
        "not this share. Deal {partitions} partitions to {members} members in blocks, and give "
        "what is left over to the first ones."
    ),
)

# %% wrong="dealt like cards"
# You dealt them one by one, like cards. That is RoundRobin. Range gives each member a block of
# neighbours.
owned_by_m2 = {a: list(range(1, x.partitions, x.members)) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}

# %% wrong="the rest goes to the last"
# You gave what is left over to the last members, or to nobody. Range gives it to the first ones,
# one each.
owned_by_m2 = {
    a: list(
        range(
            x.partitions // x.members,
            2 * (x.partitions // x.members) if x.members > 2 else x.partitions,
        )
    )
    for a, x in n.items()
}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}


# %% begin
def _block(x, place):
    each, over = divmod(x.partitions, x.members)
    first = sum(each + (i < over) for i in range(place))
    return list(range(first, first + each + (place < over)))


# %% wrong="m2 is the first"
# That is the share of m1, which has the first block. m2's begins where it ends.
owned_by_m2 = {a: _block(x, 0) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}

# %% wrong="counted from 1"
# The right block, one too far: partitions are numbered from 0.
owned_by_m2 = {a: [number + 1 for number in _block(x, 1)] for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}

# %% wrong="how many"
# That is how many m2 owns. Which are they? Write a list of their numbers.
owned_by_m2 = {a: len(_block(x, 1)) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}

# %% wrong="nobody goes empty"
# m2's share is right. But a partition cannot be shared inside a group: {partitions} partitions
# have work for {partitions} members, and {crowd} came.
owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}
idle_in_the_crowd = {a: 0 for a, x in n.items()}

# %% wrong="who works"
# m2's share is right. {partitions} members have a partition each; who goes empty are the others of
# the {crowd}.
owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}
idle_in_the_crowd = {a: x.partitions for a, x in n.items()}

# %% wrong="only the first ones work"
# m2's share is right. When more come, the partitions are dealt anew: each of the {partitions}
# partitions finds a member, so more than {members} have work.
owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.members for a, x in n.items()}

# %% wrong="m2 is the third"
# That is the share of m3. The members are named from m1 on.
owned_by_m2 = {a: _block(x, 2) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}

# %% wrong="the rest of a division"
# The rest of a division says how many get one more. Who goes empty follows from a subtraction:
# {crowd} members, {partitions} partitions.
owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd % x.partitions for a, x in n.items()}

# %% hint
# Divide the partitions by the members: so many for each, and some left over. Who takes those?

# %% hint
# In each group m1 has the first block. m2's block begins where it ends; it is one longer when two
# or more are left over.
