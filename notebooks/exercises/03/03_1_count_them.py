# %% [markdown] items="C10 C30 C31 C32 N78"
# ### Exercise 03.1 · Count them
#
# You look after three clusters, A, B and C. Cluster A has `n.A.brokers` brokers. Its topic has
# `n.A.partitions` partitions. All of them are led by `n.A.leaders` of the brokers. One consumer of
# version 2.3 in each, one bootstrap address, a group with a coordinator. How many connections does
# it **open** in all? How many does it **keep** after the idle limit?

# %%
n = numbers("03.1")
n

# %% answer
opened = {"A": ..., "B": ..., "C": ...}
kept = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
opened = {name: 1 + 1 + cluster.leaders for name, cluster in n.items()}
kept = {name: opened[name] - 1 for name in n}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="opened and kept by one consumer",
    points=3,
    answers=("opened", "kept"),
    draws=CLUSTERS,
    space={
        "brokers": (5, 6, 7, 8, 9, 10),
        "partitions": (4, 5, 6, 7, 8, 9, 11),
        "leaders": (2, 3, 4, 5, 6),
    },
    where=lambda n: (
        n["leaders"] < min(n["brokers"] - 2, n["partitions"]) and n["brokers"] != n["partitions"]
    ),
    together=lambda clusters: len({n["leaders"] for n in clusters}) == len(clusters),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, Lab


@cache
def _counted(brokers: int, leaders: tuple[int, ...]) -> tuple[int, int]:
    """(opened, kept) by a 2.3 consumer, its bootstrap connection given time to go idle."""
    lab = Lab(brokers=brokers, seed=5, version="2.3", broker_version="2.3")
    lab.create_topic("t", partitions=len(leaders), leaders=list(leaders))
    lab.place_coordinator("test", broker=leaders[0])
    consumer = KafkaConsumer(
        lab, {"group.id": "test", "connections.max.idle.ms": 8_000}, name="consumer"
    )
    consumer.subscribe(["t"])
    while lab.now_ms < 15_000:
        consumer.poll(timeout_ms=500)
    sockets = lab.sockets()
    return len(sockets), sum(s.closed_at_ms is None for s in sockets)


def _spread(case: dict) -> dict:
    opened, kept = _counted(
        case["brokers"], tuple(i % case["leaders"] for i in range(case["partitions"]))
    )
    return {"opened": opened, "kept": kept}


Judge(
    truth=_spread,
    right=(
        "right: one to ask, one to the coordinator, one for each broker that leads something; "
        "the first one goes idle."
    ),
    otherwise="not these two. Count by class: bootstrap, coordinator, data.",
)

# %% wrong="one for each partition"
# You counted a connection for each of the {partitions} partitions. A broker that leads several
# gets one connection for all of them.
opened = {a: 2 + x.partitions for a, x in n.items()}
kept = {a: 1 + x.partitions for a, x in n.items()}

# %% wrong="no connection to the coordinator"
# You left out the coordinator's own connection. The client has it beside the data
# connection, even when both go to the same broker.
opened = {a: 1 + x.leaders for a, x in n.items()}
kept = {a: x.leaders for a, x in n.items()}

# %% wrong="leaders counted as one"
# You counted all leaders as one connection. Each broker that leads a partition gets its own.
opened = {a: 3 for a, x in n.items()}
kept = {a: 2 for a, x in n.items()}

# %% wrong="the first is forgotten"
# You left out the first connection. Before the client knows any broker it must ask somebody, and
# that is node -1.
opened = {a: 1 + x.leaders for a, x in n.items()}
kept = {a: 1 + x.leaders for a, x in n.items()}

# %% wrong="the coordinator's goes too"
# You closed the coordinator's connection. Heartbeats go over it every three seconds, so it is
# never idle.
opened = {a: 2 + x.leaders for a, x in n.items()}
kept = {a: x.leaders for a, x in n.items()}

# %% wrong="one for each broker"
# You counted data connections to all {brokers} brokers. Only a broker that leads a wanted
# partition gets one.
opened = {a: 2 + x.brokers for a, x in n.items()}
kept = {a: 1 + x.brokers for a, x in n.items()}

# %% wrong="the first is kept"
# You kept the first connection. Nobody uses node -1 after the start, so the idle limit closes it.
opened = {a: 2 + x.leaders for a, x in n.items()}
kept = {a: 2 + x.leaders for a, x in n.items()}

# %% wrong="all brokers, all kept"
# You counted brokers. Connections go by node id, and one broker can have three ids: -1, the
# coordinator's, its own.
opened = {a: x.brokers for a, x in n.items()}
kept = {a: x.brokers for a, x in n.items()}

# %% hint
# Count by class: one to ask, one to the coordinator, and then the data connections. How many
# brokers lead a partition?

# %% hint
# In cluster A 2 + n.A.leaders are opened. Kept: all but the one that was only needed to ask.
