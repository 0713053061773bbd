# %% [markdown]
# ### Exercise 15.5 · Bug hunt: where did the p99 go?
#
# The orders of the kiosk are PRODUCE requests. In which stage is their 99th percentile largest, on
# each broker? The table above has averages. Make one of percentiles from `times`. Answer with Kafka's
# name of the stage: "RequestQueueTimeMs", "LocalTimeMs" or "RemoteTimeMs".

# %% spark=true
times.where("api = 'PRODUCE'").orderBy(F.desc("totalTimeMs")).limit(3).toPandas()  # continue here

# %% answer items="N102 N104"
stage = {"A": ..., "B": ..., "C": ..., "D": ...}
### BEGIN SOLUTION
import json
import re

STAGES = ("RequestQueueTimeMs", "LocalTimeMs", "RemoteTimeMs")


def slow_stage(name):
    told = [json.loads(re.search(r"\{.*\}", line)[0]) for line in logs[name].splitlines()]
    orders = [one for one in told if one["requestHeader"]["requestApiKeyName"] == "PRODUCE"]

    def high(stage):
        column = stage[0].lower() + stage[1:]
        return sorted(one[column] for one in orders)[int(0.99 * len(orders))]

    return max(STAGES, key=high)


stage = {name: slow_stage(name) for name in logs}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value
from kafkalab.stories.broker import CAUSES, cause_of


def has_all_causes(days: list[dict]) -> bool:
    """Whether each stage is the slow one on some broker."""
    return {cause_of(n["day"]) for n in days} == set(CAUSES)


Value(
    title="bug hunt with Spark: where the p99 went",
    points=2,
    answers=("stage",),
    draws=("A", "B", "C", "D"),
    row="broker",
    space={"day": tuple(range(1, 41))},
    together=has_all_causes,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.broker import STAGES, p99, requests_since, slow_day

ASKED = ("RequestQueueTimeMs", "LocalTimeMs", "RemoteTimeMs")


@cache
def _stage(day: int) -> str:
    """The stage with the largest 99th percentile of PRODUCE, by the lab's own clock."""
    times = p99(requests_since(slow_day(day), 0, "PRODUCE"))
    assert set(ASKED) <= set(STAGES.values())
    return max(ASKED, key=times.__getitem__)


Judge(
    truth=lambda case: {"stage": _stage(case["day"])},
    right="right: the stage names the cure: threads or the slow API, the own disk, the followers.",
    otherwise="{said} is not it. Take the rows of PRODUCE only, and compare the three columns.",
)

# %% wrong="averages, or all APIs"
# The remote time has the largest average everywhere: each order waits some 19 ms for the follower, and
# the fetches of bo wait 500 ms for records. The few slow orders do not show there. Ask the orders alone
# for their percentile.
stage = {name: "RemoteTimeMs" for name in days}

# %% wrong="slow is local"
# A slow order is not always slow work. Here the I/O thread had the order for a short time only.
stage = {name: "LocalTimeMs" for name in days}

# %% wrong="slow is the queue"
# The request queue of this broker was nearly empty. The order waited later.
stage = {name: "RequestQueueTimeMs" for name in days}

# %% equivalent
# `[one for one in told if one['requestHeader']['requestApiKeyName'] == 'PRODUCE']` ->
# `[one for one in list(told)[1:] if one['requestHeader']['requestApiKeyName'] == 'PRODUCE']`,
# `[one for one in list(told)[:-1] if one['requestHeader']['requestApiKeyName'] == 'PRODUCE']`: one
# request fewer moves no percentile to another stage.

# %% hint
# `F.percentile("localTimeMs", 0.99)` in place of `F.avg`. Look at one broker and at its row PRODUCE:
# which of the three columns comes near `totalTimeMs`?

# %% hint
# A large queue time: others keep the I/O threads. A large local time: this broker's disk. A large
# remote time: the followers.
