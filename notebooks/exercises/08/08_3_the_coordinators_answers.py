# %% [markdown]
# ### Exercise 08.3 · The coordinator's answers
#
# You are the coordinator now. Write `answer(state, request, is_member, generation)` for a
# coordinator of version 4.4 and the classic protocol. It returns the name of the error in the
# answer: `"NONE"`, `"REBALANCE_IN_PROGRESS"`, `"UNKNOWN_MEMBER_ID"` or `"ILLEGAL_GENERATION"`.
#
# - `state`: `"Empty"`, `"PreparingRebalance"`, `"CompletingRebalance"` or `"Stable"`.
# - `request`: `"heartbeat"`, `"commit"` or `"sync"`.
# - `is_member`: whether the coordinator knows the member id in the request.
# - `generation`: `"current"` or `"old"`, the generation in the request.
#
# What the text does not say, guess first. Then the check tells you what a coordinator of the lab
# answers. In *CompletingRebalance* the sync is the leader's: it brings the plan. In *Stable* it is
# a sync that was sent twice.

# %% answer items="N119"
def answer(state, request, is_member, generation):
    """The name of the error that a coordinator answers."""
    ### BEGIN SOLUTION
    if not is_member:
        return "UNKNOWN_MEMBER_ID"
    if generation == "old":
        return "ILLEGAL_GENERATION"
    refused = {"PreparingRebalance": ("heartbeat", "sync"), "CompletingRebalance": ("commit",)}
    return "REBALANCE_IN_PROGRESS" if request in refused.get(state, ()) else "NONE"
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function

REQUESTS = ("heartbeat", "commit", "sync")


def answered(names, case):
    """What the learner's coordinator answers."""
    return names["answer"](case["state"], case["request"], case["is_member"], case["generation"])


def asking(state, request, is_member, generation):
    """A request as a case."""
    who = "a member" if is_member else "somebody unknown"
    return {
        "case": f"{state}: a {request} of {who}, {generation} generation",
        "state": state,
        "request": request,
        "is_member": is_member,
        "generation": generation,
    }


ALL_REQUESTS = tuple(
    asking(state, request, is_member, generation)
    for state in STATES[:4]
    for is_member in (True, False)
    for generation in ("current", "old")
    for request in REQUESTS
    if is_member <= (state != "Empty")
)
SHOWN = tuple(
    each
    for each in ALL_REQUESTS
    if (each["is_member"] and each["generation"] == "current")
    or (each["request"], each["state"]) in (("commit", "Stable"), ("heartbeat", "Empty"))
)

Function(
    title="the coordinator's answers",
    points=3,
    answers=("answer",),
    public_cases=SHOWN,
    probe=answered,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.group_case import GroupCase

WHY = {
    "UNKNOWN_MEMBER_ID": "right: the coordinator first looks for the id, and it knows none.",
    "ILLEGAL_GENERATION": "right: the generation is compared before the state.",
    "REBALANCE_IN_PROGRESS": "right: this state does not take a {request}.",
    "NONE": "right: {state} takes a {request}.",
}


@cache
def _answered(state: str, request: str, is_member: bool, generation: str) -> str:
    """What a coordinator of the lab answers alice, or somebody it never met."""
    group = GroupCase("4.4").bring_to(state)
    who = "alice" if is_member else "nobody"
    group.ids["nobody"] = "nobody-1"
    number = group.group.generation - (generation == "old")
    if request == "sync":
        return group.sync(who, number).name
    return (group.beat if request == "heartbeat" else group.commit)(group.ids[who], number).name


def _truth(case: dict) -> str:
    return _answered(case["state"], case["request"], case["is_member"], case["generation"])


Judge(
    truth=_truth,
    hidden_cases=lambda rng: [each for each in ALL_REQUESTS if each not in SHOWN],
    right=lambda case: WHY[_truth(case)],
    otherwise=(
        "a coordinator of the lab does not answer {said}. It asks in this order: do I know this "
        "id, is this my generation, does my state take this request?"
    ),
    unseen=(
        "another request goes wrong. A coordinator asks in this order: do I know this id, is this "
        "my generation, does my state take this request?"
    ),
)


# %% equivalent
# `('heartbeat', 'sync')` -> `('sync', 'heartbeat')`: the order of the two does not matter.


# %% wrong="no commits in a rebalance"
# In PreparingRebalance members still own their partitions, and the coordinator takes their commits.
# -     refused = {"PreparingRebalance": ("heartbeat", "sync"), "CompletingRebalance": ("commit",)}
# -     return "REBALANCE_IN_PROGRESS" if request in refused.get(state, ()) else "NONE"
# +     if state == "PreparingRebalance" or (state, request) == ("CompletingRebalance", "commit"):
# +         return "REBALANCE_IN_PROGRESS"
# +     return "NONE"


# %% wrong="commits until the end"
# In CompletingRebalance a new generation has begun. Its members do not know yet which partitions
# they own, so a commit is refused.
# -     refused = {"PreparingRebalance": ("heartbeat", "sync"), "CompletingRebalance": ("commit",)}
# -     return "REBALANCE_IN_PROGRESS" if request in refused.get(state, ()) else "NONE"
# +     if state == "PreparingRebalance" and request != "commit":
# +         return "REBALANCE_IN_PROGRESS"
# +     return "NONE"


# %% wrong="a heartbeat is a heartbeat"
# Members hear of a rebalance here: the answer to a heartbeat in PreparingRebalance says it.
# -     refused = {"PreparingRebalance": ("heartbeat", "sync"), "CompletingRebalance": ("commit",)}
# -     return "REBALANCE_IN_PROGRESS" if request in refused.get(state, ()) else "NONE"
# +     refused = {("PreparingRebalance", "sync"), ("CompletingRebalance", "commit")}
# +     return "REBALANCE_IN_PROGRESS" if (state, request) in refused else "NONE"


# %% wrong="a heartbeat while the plan is made"
# This member has sent JOIN_GROUP already. A coordinator of 2.3 tells it again to join; one of 4.4
# does not.
# -     refused = {"PreparingRebalance": ("heartbeat", "sync"), "CompletingRebalance": ("commit",)}
# +     refused = {
# +         "PreparingRebalance": ("heartbeat", "sync"),
# +         "CompletingRebalance": ("heartbeat", "commit"),
# +     }


# %% wrong="old means rebalance"
# The generation is compared before the state. A request of an old one gets an error of its own.
# -         return "ILLEGAL_GENERATION"
# +         return "REBALANCE_IN_PROGRESS"


# %% wrong="the generation first"
# The coordinator looks for the member id first. For somebody it does not know, the generation does
# not matter.
def answer(state, request, is_member, generation):
    if generation == "old":
        return "ILLEGAL_GENERATION"
    if not is_member:
        return "UNKNOWN_MEMBER_ID"
    refused = {"PreparingRebalance": ("heartbeat", "sync"), "CompletingRebalance": ("commit",)}
    return "REBALANCE_IN_PROGRESS" if request in refused.get(state, ()) else "NONE"


# %% wrong="nobody is there, all is well"
# An Empty group has no members, so the coordinator knows no id at all.
# -     if not is_member:
# +     if state == "Empty":
# +         return "NONE"
# +     if not is_member:


# %% wrong="a late sync is taken"
# While the group gathers members, an old plan is worth nothing. The sync came too late: join again.
# -     refused = {"PreparingRebalance": ("heartbeat", "sync"), "CompletingRebalance": ("commit",)}
# -     return "REBALANCE_IN_PROGRESS" if request in refused.get(state, ()) else "NONE"
# +     refused = {("PreparingRebalance", "heartbeat"), ("CompletingRebalance", "commit")}
# +     return "REBALANCE_IN_PROGRESS" if (state, request) in refused else "NONE"


# %% hint
# Three questions, in this order: is the id known, is the generation the current one, does the state
# take this request?

# %% hint
# Three pairs of state and request get REBALANCE_IN_PROGRESS: two in PreparingRebalance, one in
# CompletingRebalance. All other requests of known members, with the current generation, get NONE.
