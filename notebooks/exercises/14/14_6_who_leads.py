# %% [markdown]
# ### Exercise 14.6 · Who leads?
#
# Six nights, A to F. `orders` has the replicas 0, 1 and 2; broker 0 leads. `min.insync.replicas` is
# 2, and all writes use `acks=all`. The brokers are of release `n.A.release`. First broker
# `n.A.first` is stopped, then broker `n.A.second`, then the last one; half a minute lies between
# them. All three end in order, none crashes. Half a minute later only broker `n.A.back` comes back.
# Unclean election is off. Which broker leads? Write -1 for nobody.

# %%
n = numbers("14.6")
n

# %% answer items="N98 N99"
leader = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ..., "F": ...}


### BEGIN SOLUTION
def leader_of(night):
    gone = (night.first, night.second) if night.release == "2.3" else (night.first,)
    return -1 if night.back in gone else night.back


leader = {name: leader_of(night) for name, night in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def tells_releases_apart(nights: list[dict]) -> bool:
    """Whether on 2.3 and on 4.4 each of the three comes back once: who went first, second, last."""
    back = {(n["release"], (n["first"], n["second"], n["back"]).index(n["back"])) for n in nights}
    return len(back) == 6


Value(
    title="who leads when one comes back",
    points=3,
    answers=("leader",),
    draws=("A", "B", "C", "D", "E", "F"),
    row="night",
    space={
        "release": ("2.3", "4.4"),
        "first": (0, 1, 2),
        "second": (0, 1, 2),
        "back": (0, 1, 2),
    },
    where=lambda n: n["first"] != n["second"],
    together=tells_releases_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.replicas import cluster, till, write


@cache
def _leader(release: str, first: int, second: int, back: int) -> int:
    lab = cluster(brokers=4, release=release, seed=7, min_insync_replicas=2)
    write(till(lab, acks="all"), *(f"order {number}" for number in range(5)))
    lab.run_for(ms=1_000)
    for broker in (first, second, 3 - first - second):
        lab.broker(broker).stop()
        lab.run_for(ms=30_000)
    lab.broker(back).restart()
    lab.run_for(ms=40_000)
    return lab.leader("orders", 0)


Judge(
    truth=lambda case: {
        "leader": _leader(case["release"], case["first"], case["second"], case["back"])
    },
    right="right: who may lead has every acknowledged record.",
    otherwise=(
        "{said} is not it. Which replica was the last in sync? On 4.4 also ask: who left when fewer "
        "than two would remain?"
    ),
)

# %% wrong="only the last one"
# On 4.4 a replica that leaves an ISR of two stays eligible: since then no write with acks=all was
# accepted, so it has every acknowledged record.
leader = {name: x.back if x.back == 3 - x.first - x.second else -1 for name, x in n.items()}

# %% wrong="the second one on 2.3 too"
# Release 2.3 knows no eligible replicas. Only the last member of the ISR may lead there.
leader = {name: -1 if x.back == x.first else x.back for name, x in n.items()}

# %% wrong="anyone leads"
# Unclean election is off. Broker {first} left when two were still in sync, and writes with acks=all
# continued without it. It may lack some of them.
leader = {name: x.back for name, x in n.items()}

# %% wrong="on 4.4 only the second one"
# In section 6 broker 0 crashed. Here the last one ended in order, so what it has is on its disk. On 4.4
# it may lead, too.
leader = {
    name: x.back if x.back == (3 - x.first - x.second if x.release == "2.3" else x.second) else -1
    for name, x in n.items()
}

# %% wrong="nobody"
# A replica that has every acknowledged record may lead when it comes back. Find out which ones have.
leader = {name: -1 for name in n}

# %% wrong="broker 0, the first of the list"
# Broker 0 can lead only when it is up. Only broker {back} came back.
leader = {name: 0 for name in n}

# %% equivalent
# `(night.first, night.second)` -> `(night.second, night.first)`: who is gone has no order.

# %% hint
# For each replica: could the others accept a write with acks=all after it had left?

# %% hint
# After the first one left, two were in sync: writes were accepted. After the second one left, one was
# in sync: writes were refused. 2.3 only trusts the last one.
