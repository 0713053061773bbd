# %% [markdown] items="N8"
# ### Exercise 01.2 · Who owns what?
#
# There are three groups, A, B and C. Group A reads one topic of `n.A.partitions` partitions, numbered
# from 0. It has `n.A.members` members, named m1, m2 and so on. They use the strategy *Range*. m1 gets
# the first block of neighbouring partitions, m2 the next block, and so on. The blocks are equal. If
# the division has a remainder, the first members get one partition more each. Which partitions does
# `m2` own?
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


def _block_of_m2(n):
    """The first and the last partition of the second member."""
    share, left = divmod(n["partitions"], n["members"])
    first = share + (left > 0)
    return first, first + share + (left > 1) - 1


Value(
    title="who owns what",
    points=3,
    answers=("owned_by_m2", "idle_in_the_crowd"),
    draws=THREE,
    row="group",
    space={
        "partitions": (5, 6, 7, 8, 9, 10, 11, 13),
        "members": (2, 3, 4, 5),
        "crowd": (15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28),
    },
    where=lambda n: (
        n["partitions"] >= 2 * n["members"]
        and n["crowd"] > 2 * n["partitions"]
        and n["crowd"] % n["partitions"]
    ),
    # no remainder, one for m1 alone, and one for m2, too
    together=lambda groups: (
        sorted(n["partitions"] % n["members"] for n in groups) == [0, 1, 2]
        and len({_block_of_m2(n) for n in groups}) == len(groups)
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
    right=(
        "right: {partitions} partitions in {members} blocks, and m1 has the first block. In the "
        "crowd {partitions} of {crowd} members own one."
    ),
    otherwise={
        "owned_by_m2": (
            "not these. Assign {partitions} partitions to {members} members in blocks, in the order of "
            "their numbers. A remainder goes to the first members, one each."
        ),
        "idle_in_the_crowd": (
            "{said} is not it. {crowd} members share {partitions} partitions, and each partition has one "
            "owner. Count the members that have none."
        ),
    },
)

# %% equivalent
# `over > 0` -> `over != 0`: a remainder is never negative.
# `return list(range(first, first + each + (1 if over > 1 else 0)))` -> `return sorted(list(range(first, first + each + (1 if over > 1 else 0))))`:
# a range is sorted. `list(range(first, first + each + (1 if over > 1 else 0)))` ->
# `range(first, first + each + (1 if over > 1 else 0))`: a range holds the same numbers.

# %% wrong="dealt like cards"
# You assigned them one by one, like playing cards. That is RoundRobin. Range gives each member a
# block of neighbours.
owned_by_m2 = {a: list(range(1, x.partitions, x.members)) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}

# %% wrong="the remainder goes to the last"
# You gave the remainder to the last members, or to nobody. Range gives it to the first members, one
# each.
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

# %% wrong="names, not numbers"
# These are the names of the partitions. Write a list of their numbers: [2, 3].
owned_by_m2 = {a: [f"orders-{number}" for number in _block(x, 1)] for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}

# %% wrong="how many"
# That is how many m2 owns. Which are they? Write a list of their numbers.
owned_by_m2 = {a: len(_block(x, 1)) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}

# %% wrong="nobody goes empty"
# A partition has one owner in a group. {partitions} partitions have work for {partitions} members,
# and the group has {crowd}.
owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}
idle_in_the_crowd = {a: 0 for a, x in n.items()}

# %% wrong="who works"
# {partitions} members own one partition each. The others of the {crowd} own nothing, and the
# question asks for them.
owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}
idle_in_the_crowd = {a: x.partitions for a, x in n.items()}

# %% wrong="only the first ones work"
# When more members come, the partitions are assigned again. Each of the {partitions} partitions
# gets a member of its own, so more than {members} have work.
owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.members for a, x in n.items()}

# %% wrong="m2 is the third"
# That is the share of m3. The members are named from m1 on.
owned_by_m2 = {a: _block(x, 2) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}

# %% wrong="the remainder of a division"
# The remainder of a division says how many get one more. How many own nothing is a subtraction:
# {crowd} members, {partitions} partitions.
owned_by_m2 = {a: _block(x, 1) for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd % x.partitions for a, x in n.items()}

# %% wrong="the first and the last"
# These are the first and the last partition of the block. m2 owns those in between, too: list all.
owned_by_m2 = {a: [_block(x, 1)[0], _block(x, 1)[-1]] for a, x in n.items()}
idle_in_the_crowd = {a: x.crowd - x.partitions for a, x in n.items()}

# %% hint
# Divide the partitions by the members: so many for each, and a remainder. Who gets the remainder?

# %% hint
# In each group m1 has the first block. m2's block begins where that block ends. It is one longer if
# the remainder is two or more.
