# %% [markdown]
# ### Exercise 17.2 · Who comes and goes?
#
# One group of the night gets to a much higher generation between 02:55 and 02:58 than any other in
# so short a time.
#
# - `generation`: to which generation does it get?
# - `setting`: one member restarts again and again, and each time all others must join again. Which
#   consumer setting would let it come back without a rebalance?
# - `short_session`: play story 2 again with your setting, and with `session.timeout.ms` at 6,000 as
#   well. To which generation does the group get now? Each member needs a value of its own:
#   `"worker-{number}"` becomes `worker-0`, `worker-1` and so on.

# %%
n2 = numbers("17.2")
n2

# %% answer long=true
generation = ...  # a number
setting = ...  # the name of a setting, a text
short_session = ...  # a number
### BEGIN SOLUTION
import re

from kafkalab.stories.incident import told


def last_generation(lines):
    found = [re.search(r"joined group with generation .*?generationId=(\d+)", x) for x in lines]
    return max(int(each[1]) for each in found if each)


generation = last_generation(told(2, n2))
setting = "group.instance.id"
own_name = {setting: "worker-{number}"}
short_session = last_generation(told(2, n2, consumer={**own_name, "session.timeout.ms": 6_000}))
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="who comes and goes",
    points=3,
    answers=("generation", "setting", "short_session"),
    # with seed 102 the group of story 1 gets to the same generations
    space={"seed": tuple(seed for seed in SEEDS if seed != 102), "version": RELEASES},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge

OWN_NAME = {"group.instance.id": "worker-{number}"}


@cache
def _storm(seed: int, version: str) -> tuple[int, int, int]:
    """The last generation of the night, with static members, and with a short session, too."""
    n = {"seed": seed, "version": version}
    return (
        generations(2, n),
        generations(2, n, consumer=OWN_NAME),
        generations(2, n, consumer={**OWN_NAME, "session.timeout.ms": 6_000}),
    )


def _truth_of_a_storm(case: dict) -> dict:
    night, static, short = _storm(case["seed"], case["version"])
    assert static < short < night
    return {"generation": night, "setting": "group.instance.id", "short_session": short}


Judge(
    truth=_truth_of_a_storm,
    right="right: a static member keeps its place, as long as it is back within its session.",
    otherwise={
        "generation": (
            "{said} is not it. Find the group of the storm, and the last generation that it gets to."
        ),
        "setting": (
            '"{said}" does not help. Play story 2 with it: does the group still go through as many '
            "generations?"
        ),
        "short_session": (
            "{said} is not it. Play story 2 with two settings together, and take the last generation "
            "there."
        ),
    },
)

# %% begin
import re

from kafkalab.stories.incident import told


def last_generation(lines):
    found = [re.search(r"joined group with generation .*?generationId=(\d+)", x) for x in lines]
    return max(int(each[1]) for each in found if each)


own_name = {"group.instance.id": "worker-{number}"}
generation = last_generation(told(2, n2))
setting = "group.instance.id"
short_session = last_generation(told(2, n2, consumer={**own_name, "session.timeout.ms": 6_000}))

# %% wrong="each member's line"
# That counts lines. Each member writes one for each generation, so take the highest generation in
# them.
generation = sum("Successfully joined group" in line for line in told(2, n2))

# %% wrong="the long session"
# That is the number with your setting alone. With a session of 6 seconds as well, the member is
# often back too late, and its place is gone.
short_session = last_generation(told(2, n2, consumer=own_name))

# %% wrong="a longer session"
# A member that is closed leaves the group at once. No session timeout is waited for. Play it: the
# number stays.
setting = "session.timeout.ms"

# %% wrong="cooperative"
# The cooperative assignor makes a rebalance gentler, and not rarer. It often needs two. Play it, and
# the generation is higher.
setting = "partition.assignment.strategy"

# %% equivalent
# `{**own_name, 'session.timeout.ms': 6000}` -> `{**own_name, 'session.timeout.ms': 6001}`: a
# millisecond decides nothing.
# `(int(each[1]) for each in found if each)` -> `(int(each[1]) for each in list(found)[1:] if each)`,
# `(int(each[1]) for each in list(found)[:-1] if each)`: neither the first nor the last line of the
# story is about a generation.

# %% hint
# "Successfully joined group with generation" names the generation. Take the largest of each group,
# and look at the time.

# %% hint
# Chapter 08: a static member does not leave when it is closed. Which setting makes a member static?
