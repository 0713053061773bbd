# %% [markdown]
# ### Exercise 08.3 · Six requests
#
# Six requests, A to F. In A alice asks a coordinator of version `n.A.broker` while the group is in
# `n.A.state`. She sends `n.A.request`, of the `n.A.generation` generation. Guess first. Then what
# is the error's name in the answer? It is `NONE`, `REBALANCE_IN_PROGRESS`, `UNKNOWN_MEMBER_ID` or
# `ILLEGAL_GENERATION`.

# %%
n = numbers("08.3")
n

# %% answer items="N119"
answered = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ..., "F": ...}
### BEGIN SOLUTION
answered = {
    letter: asked(its.state, its.request, its.generation, its.broker) for letter, its in n.items()
}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

BROKERS = OLDER, NEWER = "2.3", "4.4"


def tells_answers_apart(asked: list[dict]) -> bool:
    """Whether every usual idea goes wrong on one of these: a commit and a heartbeat while the group
    gathers, a commit while it waits for the plan, an old generation, and somebody who has left."""
    seen = {(n["state"], n["request"], n["generation"]) for n in asked}
    return (
        seen
        >= {
            ("PreparingRebalance", "commit", "current"),
            ("CompletingRebalance", "commit", "current"),
            ("PreparingRebalance", "heartbeat", "current"),
        }
        and any(generation == "old" for _, _, generation in seen)
        and any(state == "Empty" for state, _, _ in seen)
    )


def worth_asking(n: dict) -> bool:
    """One request of a kind is enough: nobody in an Empty group, an old generation,
    and what differs by state."""
    if n["state"] == "Empty":
        return (n["generation"], n["broker"]) == ("current", NEWER)
    if n["generation"] == "old":
        return n["broker"] == OLDER and n["request"] != "sync"
    if n["request"] == "sync":
        return (n["state"], n["broker"]) == ("PreparingRebalance", NEWER)
    return n["state"] != "Stable"


Value(
    title="what is answered in which state",
    points=3,
    answers=("answered",),
    draws=("A", "B", "C", "D", "E", "F"),
    row="request",
    space={
        "state": STATES[:4],
        "request": ("heartbeat", "commit", "sync"),
        "generation": ("current", "old"),
        "broker": BROKERS,
    },
    where=worth_asking,
    together=tells_answers_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.group_case import GroupCase


@cache
def _answered(state: str, request: str, generation: str, broker: str) -> str:
    """What a coordinator really answers alice."""
    group = GroupCase(broker).bring_to(state)
    number = group.group.generation - (generation == "old")
    if request == "sync":
        return group.sync("alice", number).name
    return (group.beat if request == "heartbeat" else group.commit)(group.ids["alice"], number).name


Judge(
    truth=lambda case: {
        "answered": _answered(case["state"], case["request"], case["generation"], case["broker"])
    },
    right="right: who you are, of which generation, and only then the state.",
    otherwise=("not this answer. Who is asking, of which generation, and what is the group doing?"),
)

# %% wrong="no commits in a rebalance"
# PreparingRebalance is the time of grace: members still hold their partitions, and their commits
# are taken.
answered = {
    a: "REBALANCE_IN_PROGRESS"
    if x.request == "commit" and x.state == "PreparingRebalance" and x.generation == "current"
    else asked(x.state, x.request, x.generation, x.broker)
    for a, x in n.items()
}

# %% wrong="commits until the end"
# In CompletingRebalance the new generation has begun. Who commits now does not yet know what
# belongs to it.
answered = {
    a: "NONE"
    if x.request == "commit" and x.state == "CompletingRebalance" and x.generation == "current"
    else asked(x.state, x.request, x.generation, x.broker)
    for a, x in n.items()
}

# %% wrong="a heartbeat is a heartbeat"
# This is how the news travels: the answer to a heartbeat says that the group is gathering.
answered = {
    a: "NONE"
    if x.request == "heartbeat" and x.state == "PreparingRebalance" and x.generation == "current"
    else asked(x.state, x.request, x.generation, x.broker)
    for a, x in n.items()
}

# %% wrong="old means rebalance"
# The generation is looked at before the state. An old one has an answer of its own.
answered = {
    a: "REBALANCE_IN_PROGRESS"
    if x.generation == "old" and x.state != "Empty"
    else asked(x.state, x.request, x.generation, x.broker)
    for a, x in n.items()
}

# %% wrong="old means unknown"
# The coordinator knows alice very well. It is her generation that is over.
answered = {
    a: "UNKNOWN_MEMBER_ID"
    if x.generation == "old"
    else asked(x.state, x.request, x.generation, x.broker)
    for a, x in n.items()
}

# %% wrong="nobody is there, all is well"
# Alice has left. To the coordinator she is nobody now, whatever she asks.
answered = {
    a: "NONE" if x.state == "Empty" else asked(x.state, x.request, x.generation, x.broker)
    for a, x in n.items()
}

# %% hint
# First the coordinator looks who asks, then of which generation, then at the state.

# %% hint
# asked(state, request, generation, broker) brings a group there and asks.
