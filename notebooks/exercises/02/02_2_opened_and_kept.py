# %% [markdown] items="P11 P18"
# ### Exercise 02.2 · Opened and kept
#
# Your shop has three clusters, A, B and C. Cluster A has `n.A.brokers` brokers, and its topic has
# `n.A.partitions` partitions. All partitions are led by `n.A.leaders` of these brokers. A producer
# 2.3 with one bootstrap address sends to every partition, every twenty seconds, for a quarter of an
# hour. How many connections does it open in all, and how many are open at the end?

# %%
n = numbers("02.2")
n

# %% answer
opened = {"A": ..., "B": ..., "C": ...}
kept = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
opened = {name: 1 + cluster.leaders for name, cluster in n.items()}
kept = {name: cluster.leaders for name, cluster in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="opened and kept by a producer",
    points=3,
    answers=("opened", "kept"),
    space={
        "brokers": (3, 4, 5, 6, 7, 8),
        "partitions": (3, 4, 5, 6, 7, 8, 9),
        "leaders": (2, 3, 4, 5, 6),
    },
    draws=CLUSTERS,
    where=lambda n: (
        n["leaders"] < min(n["brokers"], n["partitions"]) and n["partitions"] != n["brokers"]
    ),
    together=lambda clusters: len({n["leaders"] for n in clusters}) == len(clusters),
)

# %% judge
from autograder.course.judge import Judge


def _opened_kept(case: dict) -> dict:
    leaders = tuple(i % case["leaders"] for i in range(case["partitions"]))
    opened, kept = _sent_for(case["brokers"], leaders, 540_000, 900_000, (900_000,))[0]
    return {"opened": opened, "kept": kept}


Judge(
    truth=_opened_kept,
    right=(
        "right: one to ask, and one for each of the {leaders} leaders. The other brokers get none."
    ),
    otherwise="not these two. Which brokers does this producer need?",
)

# %% wrong="twice the brokers"
# You counted each of the {brokers} brokers twice. Only the one address in bootstrap.servers is
# connected under a made-up id.
opened = {a: 2 * x.brokers for a, x in n.items()}
kept = {a: x.brokers for a, x in n.items()}

# %% wrong="one for each partition"
# You counted the {partitions} partitions. A broker that leads several of them needs one
# connection.
opened = {a: 1 + x.partitions for a, x in n.items()}
kept = {a: x.partitions for a, x in n.items()}

# %% wrong="one for each partition at first"
# You opened a connection for each of the {partitions} partitions. A broker that leads several of
# them needs one connection.
opened = {a: 1 + x.partitions for a, x in n.items()}
kept = {a: x.leaders for a, x in n.items()}

# %% wrong="every broker"
# You counted all {brokers} brokers. A producer connects to a broker when it has a record for it.
opened = {a: 1 + x.brokers for a, x in n.items()}
kept = {a: x.brokers for a, x in n.items()}

# %% wrong="every broker at first"
# The producer does not connect to all {brokers} brokers at first. It opens a connection when it has
# a record for that broker.
opened = {a: 1 + x.brokers for a, x in n.items()}
kept = {a: x.leaders for a, x in n.items()}

# %% wrong="the first is kept"
# Nobody uses node -1 after the start. Nine idle minutes later it is closed.
opened = {a: 1 + x.leaders for a, x in n.items()}
kept = {a: 1 + x.leaders for a, x in n.items()}

# %% wrong="every leader twice"
# You counted a first connection for each of the {leaders} leaders. The client asks one address,
# once; that is one more, not {leaders} more.
opened = {a: 2 * x.leaders for a, x in n.items()}
kept = {a: x.leaders for a, x in n.items()}

# %% wrong="all are idle"
# The program sends every twenty seconds, so its connections to the leaders are never idle for nine
# minutes.
opened = {a: 1 + x.leaders for a, x in n.items()}
kept = {a: 0 for a, x in n.items()}

# %% wrong="the first is forgotten"
# Before the producer knows any leader it must ask somebody. That connection, to node -1, counts as
# opened.
opened = {a: x.leaders for a, x in n.items()}
kept = {a: x.leaders for a, x in n.items()}

# %% hint
# One connection to ask for metadata. Then one for each broker that leads a partition you send to.

# %% hint
# Cluster A opens 1 + n.A.leaders. The first connection is idle after the start.
