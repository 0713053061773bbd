# %% [markdown]
# ### Exercise 14.4 · Where to cut
#
# Three followers, A, B and C, come back. The last epoch in each log is 3. Follower A's log end is
# `n.A.log_end`, and its own high watermark is `n.A.high_watermark`. The new leader says: "My epoch 3
# ended at `n.A.leader_says`." At which offset does A cut its log today? At which offset did a
# follower before 0.11 cut it? How many records did the old rule throw away although the leader has
# them?

# %%
n = numbers("14.4")
n

# %% answer
cut_at = {"A": ..., "B": ..., "C": ...}
old_cut_at = {"A": ..., "B": ..., "C": ...}
thrown_away = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
cut_at = {name: min(x.log_end, x.leader_says) for name, x in n.items()}
old_cut_at = {name: x.high_watermark for name, x in n.items()}
thrown_away = {name: cut_at[name] - old_cut_at[name] for name in n}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def tells_cuts_apart(cases: list[dict]) -> bool:
    """Whether one follower has more than the leader, and another has less."""
    return any(n["leader_says"] < n["log_end"] for n in cases) and any(
        n["leader_says"] > n["log_end"] for n in cases
    )


Value(
    title="where a follower cuts",
    points=3,
    answers=("cut_at", "old_cut_at", "thrown_away"),
    draws=("A", "B", "C"),
    row="follower",
    space={
        "log_end": (9, 11, 12, 13, 16),
        "high_watermark": (3, 5, 7),
        "leader_says": (8, 10, 14, 15),
    },
    together=tells_cuts_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import ProducerRecord
from kafkalab.stories.replicas import cluster, till


def _batch(lab, shop, first: int, end: int) -> None:
    """Write the orders from `first` to `end` in one batch."""
    for number in range(first, end):
        shop.send(ProducerRecord("orders", key=f"order {number}", value="tea", partition=0))
    shop.flush()
    lab.run_for(ms=200)


@cache
def _cut(log_end: int, high_watermark: int, leader_says: int) -> int:
    """Where a replica cut its log in a lab: the old leader, or a follower that has less than the
    new one. A slow disk keeps a follower from its next fetch, so the high watermark stops."""
    lab = cluster(brokers=4, seed=4)
    shop = till(lab, **{"linger.ms": 20})
    _batch(lab, shop, 0, high_watermark)
    lab.run_for(ms=1_500)
    back = 0 if log_end > leader_says else 2
    lab.broker(2).disk.slow(100_000)
    if back == 0:
        lab.broker(1).disk.slow(100_000)
    _batch(lab, shop, high_watermark, min(log_end, leader_says))
    lab.broker(1).disk.slow(100_000)
    _batch(lab, shop, min(log_end, leader_says), max(log_end, leader_says))
    before = lab.at(lab.now_ms)["partitions"]["orders-0"]["logs"]
    for broker in {0, back}:
        lab.broker(broker).crash()
    lab.run_until(lambda: lab.leader("orders", 0) == 1)
    lab.broker(back).restart()
    lab.run_for(ms=20_000)
    cuts = [
        event.log_end_offset
        for event in lab.journal.of("replica.truncated")
        if event.who == f"broker-{back}" and event.topic == "orders"
    ]
    return cuts[0] if cuts else before[back]["log_end_offset"]


def _where_to_cut(case: dict) -> dict:
    cut_at = _cut(case["log_end"], case["high_watermark"], case["leader_says"])
    old_cut_at = case["high_watermark"]
    return {"cut_at": cut_at, "old_cut_at": old_cut_at, "thrown_away": cut_at - old_cut_at}


Judge(
    truth=_where_to_cut,
    right="right: what the leader has too is kept, whatever the follower's high watermark says.",
    otherwise={
        "cut_at": (
            "not at {said}. The leader says where its epoch 3 ended. A follower keeps what is below, "
            "as far as it has it."
        ),
        "old_cut_at": "not at {said}. Before 0.11 a follower kept what its own high watermark covers.",
        "thrown_away": (
            "{said} is not it. Count the records between the two cuts: the leader has them, and the "
            "old rule cut them off."
        ),
    },
)

# %% wrong="at the high watermark"
# A follower's high watermark may be late. Today it cuts where the leader's epoch ended, at
# {leader_says}, or keeps its log if it is shorter.
cut_at = {name: x.high_watermark for name, x in n.items()}
old_cut_at = {name: x.high_watermark for name, x in n.items()}
thrown_away = {name: 0 for name in n}

# %% wrong="beyond its own end"
# The log ends at {log_end}. There is nothing to cut beyond: the follower copies more from the
# leader.
cut_at = {name: x.leader_says for name, x in n.items()}
old_cut_at = {name: x.high_watermark for name, x in n.items()}
thrown_away = {name: x.leader_says - x.high_watermark for name, x in n.items()}

# %% wrong="nothing is cut"
# What only this follower has, from offset {leader_says} on, must go: at these offsets the leader has
# other records.
cut_at = {name: x.log_end for name, x in n.items()}
old_cut_at = {name: x.high_watermark for name, x in n.items()}
thrown_away = {name: x.log_end - x.high_watermark for name, x in n.items()}

# %% wrong="all above the high watermark"
# You counted all records above the high watermark. Some of them the leader does not have; those go
# today, too.
cut_at = {name: min(x.log_end, x.leader_says) for name, x in n.items()}
old_cut_at = {name: x.high_watermark for name, x in n.items()}
thrown_away = {name: x.log_end - x.high_watermark for name, x in n.items()}

# %% hint
# Two logs agree up to the end of the last epoch that both have. Where is that for the leader, and
# where for the follower?

# %% hint
# Today: the smaller one of the log end and what the leader says. Before: the high watermark. The
# difference of the two was thrown away for nothing.
