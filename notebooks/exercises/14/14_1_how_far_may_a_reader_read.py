# %% [markdown]
# ### Exercise 14.1 · How far may a reader read?
#
# Three partitions, A, B and C. Broker 0 leads, and its log end is `n.A.leader`. The last fetch of
# broker 1 asked for records from offset `n.A.broker_1` on, the last fetch of broker 2 from
# `n.A.broker_2` on. `n.A.isr` are the replicas in sync, as `kafka-topics --describe` prints them.
# `min.insync.replicas` is 1. What is the leader's high watermark? For how many records does a
# producer with `acks=all` still wait?

# %%
n = numbers("14.1")
n

# %% answer items="N87"
high_watermark = {"A": ..., "B": ..., "C": ...}
waiting = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def watermark_of(x):
    ends = {"0": x.leader, "1": x.broker_1, "2": x.broker_2}
    return min(ends[broker] for broker in x.isr.split(","))


high_watermark = {name: watermark_of(x) for name, x in n.items()}
waiting = {name: x.leader - watermark_of(x) for name, x in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def tells_watermarks_apart(cases: list[dict]) -> bool:
    """Whether in one case all are in sync, in another one only the follower that is the faster one
    in both, and in the third nobody but the leader."""
    slower = {n["isr"]: 1 if n["broker_1"] < n["broker_2"] else 2 for n in cases}
    alone = {1: "0,2", 2: "0,1"}[slower.get("0,1,2", 1)]
    return set(slower) == {"0", "0,1,2", alone} and slower[alone] == slower["0,1,2"]


Value(
    title="how far a reader may read",
    points=3,
    answers=("high_watermark", "waiting"),
    draws=("A", "B", "C"),
    row="partition",
    space={
        "leader": (9, 10, 12, 13),
        "broker_1": (3, 5, 8),
        "broker_2": (2, 6, 7),
        "isr": ("0,1,2", "0,1", "0,2", "0"),
    },
    together=tells_watermarks_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.replicas import cluster, till, write


@cache
def _readable(leader: int, broker_1: int, broker_2: int, isr: str) -> int:
    """The high watermark in a lab whose followers stop fetching at these offsets."""
    lab = cluster(brokers=4, seed=4)
    shop, written = till(lab), 0
    out = [follower for follower in (1, 2) if str(follower) not in isr]
    for end, follower in (*sorted(((broker_1, 1), (broker_2, 2))), (leader, 0)):
        while written < end:
            write(shop, f"order {written}")
            lab.run_for(ms=20)
            written += 1
        lab.run_for(ms=600)
        if follower in out:
            lab.broker(follower).crash()
        elif follower:
            lab.broker(follower).disk.slow(100_000)
    if out:
        lab.run_until(lambda: not set(out) & set(lab.cluster.partition("orders", 0).isr))
    return lab.at(lab.now_ms)["partitions"]["orders-0"]["high_watermark"]


def _how_far(case: dict) -> dict:
    offset = _readable(case["leader"], case["broker_1"], case["broker_2"], case["isr"])
    return {"high_watermark": offset, "waiting": case["leader"] - offset}


Judge(
    truth=_how_far,
    right="right: the smallest log end of those in sync. What is above it waits.",
    otherwise={
        "high_watermark": (
            "{said} is not it. A fetch from offset 7 says: I have all below 7. Take the smallest of "
            "these numbers over the replicas in sync, the leader among them."
        ),
        "waiting": (
            "{said} is not it. Records from the high watermark up to the leader's log end, "
            "{leader}, wait."
        ),
    },
)

# %% wrong="the leader's log end"
# The leader has its records up to {leader}, but a crash could take back those that no other replica
# has. A reader does not get them yet.
high_watermark = {name: x.leader for name, x in n.items()}
waiting = {name: 0 for name in n}

# %% wrong="all replicas count"
# A replica that is out of sync does not count. In sync are {isr} only.
high_watermark = {name: min(x.leader, x.broker_1, x.broker_2) for name, x in n.items()}
waiting = {name: x.leader - high_watermark[name] for name, x in n.items()}

# %% wrong="one copy is enough"
# So far is the fastest follower. The others in sync may become leader too, and they lack records.
high_watermark = {
    name: max(
        (end for end, id in ((x.broker_1, "1"), (x.broker_2, "2")) if id in x.isr),
        default=x.leader,
    )
    for name, x in n.items()
}
waiting = {name: x.leader - high_watermark[name] for name, x in n.items()}

# %% wrong="one less"
# A fetch from offset 7 means that records 0 to 6 are there. The high watermark is the offset after
# the last readable record, so it is 7 as well.
high_watermark = {
    name: min(
        end for end, id in ((x.leader, "0"), (x.broker_1, "1"), (x.broker_2, "2")) if id in x.isr
    )
    - 1
    for name, x in n.items()
}
waiting = {name: x.leader - high_watermark[name] for name, x in n.items()}

# %% wrong="one more"
# A fetch from offset 7 asks for record 7: the follower has 0 to 6 only. So the high watermark is 7, too,
# and not the offset behind it.
high_watermark = {
    name: min(
        end
        for end, id in ((x.leader, "0"), (x.broker_1 + 1, "1"), (x.broker_2 + 1, "2"))
        if id in x.isr
    )
    for name, x in n.items()
}
waiting = {name: x.leader - high_watermark[name] for name, x in n.items()}

# %% hint
# Which replicas count? What does each of their fetches tell the leader?

# %% hint
# Write down the log ends of the replicas in sync, and the leader's own. The smallest one is the high
# watermark. What lies between it and the leader's log end is not answered yet.
