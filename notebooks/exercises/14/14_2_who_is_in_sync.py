# %% [markdown]
# ### Exercise 14.2 · Who stays in sync?
#
# Five followers, A to E, all in sync until now. The leader checks them. `replica.lag.time.max.ms` is
# `n.A.lag_s` seconds. Follower A lacks `n.A.missing` records at this moment. It had caught up
# `n.A.caught_up_s` seconds ago for the last time. Does it stay in the ISR? Write True or False.

# %%
n = numbers("14.2")
n

# %% answer items="N95 N96 N97"
stays = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}
### BEGIN SOLUTION
stays = {name: x.missing == 0 or x.caught_up_s <= x.lag_s for name, x in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def tells_followers_apart(cases: list[dict]) -> bool:
    """Whether many records missing go with staying, one missing with leaving, none with a long time
    ago, and a time between the two limits with each limit."""
    late = [n for n in cases if n["caught_up_s"] > n["lag_s"]]
    return (
        any(n["missing"] == 400 and n["caught_up_s"] < n["lag_s"] for n in cases)
        and any(n["missing"] == 1 for n in late)
        and any(n["missing"] == 0 for n in late)
        and {n["lag_s"] for n in cases if n["caught_up_s"] == 20 and n["missing"]} == {10, 30}
    )


Value(
    title="who stays in sync",
    points=3,
    answers=("stays",),
    draws=("A", "B", "C", "D", "E"),
    row="follower",
    space={
        "lag_s": (10, 30),
        "missing": (0, 1, 400),
        "caught_up_s": (4, 8, 20, 50, 90),
    },
    together=tells_followers_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import ProducerRecord
from kafkalab.stories.replicas import cluster, till, write


@cache
def _stays(lag_s: int, missing: int, caught_up_s: int) -> bool:
    """Whether a follower is in sync in a lab, so long after it was cut off. The controller is
    patient."""
    patient = {"broker_session_timeout_ms": 600_000}
    lab = cluster(brokers=4, seed=4, replica_lag_time_max_ms=lag_s * 1_000, **patient)
    shop = till(lab)
    write(shop, "order 0")
    lab.run_for(ms=1_000)
    lab.partition([0, 2, 3], [1])
    for number in range(missing):
        shop.send(ProducerRecord("orders", key=f"late {number}", value="tea", partition=0))
    lab.run_for(ms=caught_up_s * 1_000)
    return 1 in lab.cluster.partition("orders", 0).isr


Judge(
    truth=lambda case: {"stays": _stays(case["lag_s"], case["missing"], case["caught_up_s"])},
    right="right: time decides, and a follower with all records never leaves.",
    otherwise=(
        "not so. Compare the time since it had caught up with replica.lag.time.max.ms. A follower "
        "that lacks nothing stays in any case."
    ),
)

# %% wrong="the number of records decides"
# {missing} records are missing, and that does not matter. It had caught up {caught_up_s} seconds
# ago, and the limit is {lag_s}.
stays = {name: x.missing < 100 for name, x in n.items()}

# %% wrong="it must lack nothing"
# Many healthy followers lack some records at any moment. Only the time since it had caught up
# counts, and only when something is missing.
stays = {name: x.missing == 0 for name, x in n.items()}

# %% wrong="time alone"
# A follower that lacks nothing stays, however long ago its last fetch was counted. No record came
# in this time.
stays = {name: x.caught_up_s <= x.lag_s for name, x in n.items()}

# %% wrong="always thirty seconds"
# The limit here is {lag_s} seconds. 30 is the default since 2.5; before, it was 10.
stays = {name: x.missing == 0 or x.caught_up_s <= 30 for name, x in n.items()}

# %% hint
# Two questions: does it lack anything? If so, since when?

# %% hint
# It stays if it lacks nothing. It stays too if it had caught up within the limit. Else it leaves.
