# %% [markdown] items="C30 C32"
# ### Exercise 03.5 · All leaders on one broker
#
# Now every partition is led by the same broker, and that broker is also the coordinator. But the
# group has several members: group A has `m.A.members`, and its topic `m.A.partitions` partitions,
# so that each of them has something to read. Version 2.3, one bootstrap address. How many
# connections do all members of a group open together, and how many do they keep?

# %%
m = numbers("03.5")
m

# %% answer
opened_one = {"A": ..., "B": ..., "C": ...}
kept_one = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
opened_one = {name: 3 * group.members for name, group in m.items()}
kept_one = {name: 2 * group.members for name, group in m.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="a group, and all leaders on one broker",
    points=2,
    answers=("opened_one", "kept_one"),
    row="group",
    space={
        "members": (2, 3, 4, 5, 6, 7, 8, 9),
        "partitions": (3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16),
    },
    draws=CLUSTERS,
    where=lambda n: n["members"] < n["partitions"],
    together=lambda groups: len({n["members"] for n in groups}) == len(groups),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, Lab


@cache
def _group_on_one(members: int, partitions: int) -> tuple[int, int]:
    """(opened, kept) by all members together, when one broker
    leads everything and coordinates too."""
    lab = Lab(brokers=3, seed=5, version="2.3", broker_version="2.3")
    lab.create_topic("t", partitions=partitions, leaders=[0] * partitions)
    lab.place_coordinator("test", broker=0)

    def read(lab, name):
        consumer = KafkaConsumer(
            lab,
            {"group.id": "test", "connections.max.idle.ms": 8_000, "client.id": name},
            name=name,
        )
        consumer.subscribe(["t"])
        while True:
            consumer.poll(timeout_ms=500)

    for number in range(members):
        lab.spawn(read, f"member-{number}", name=f"member-{number}")
    lab.run_for(ms=20_000)
    sockets = lab.sockets()
    counted = len(sockets), sum(s.closed_at_ms is None for s in sockets)
    lab.close()
    return counted


def _on_one(case: dict) -> dict:
    opened, kept = _group_on_one(case["members"], case["partitions"])
    return {"opened_one": opened, "kept_one": kept}


Judge(
    truth=_on_one,
    right="right: three node ids for each member, and -1 goes idle.",
    otherwise=(
        "not these two. How many different node ids does each of the {members} members use?"
    ),
)

# %% wrong="one broker, one connection"
# Coordinator and leader are one broker here, but two node ids, and so two connections.
opened_one = {a: 2 * x.members for a, x in m.items()}
kept_one = {a: x.members for a, x in m.items()}

# %% wrong="one for each partition"
# All {partitions} partitions are led by one broker, so a member needs one data connection for all
# that it owns.
opened_one = {a: 2 * x.members + x.partitions for a, x in m.items()}
kept_one = {a: x.members + x.partitions for a, x in m.items()}

# %% wrong="one member counted"
# That is one member. There are {members}, and each is a client of its own.
opened_one = {a: 3 for a, x in m.items()}
kept_one = {a: 2 for a, x in m.items()}

# %% wrong="the first is forgotten"
# You left out the first connection of each member. Before a client knows any broker it must ask
# somebody, and that is node -1.
opened_one = {a: 2 * x.members for a, x in m.items()}
kept_one = {a: 2 * x.members for a, x in m.items()}

# %% wrong="all are kept"
# The connections to node -1 are not used after the start. The idle limit closes them.
opened_one = {a: 3 * x.members for a, x in m.items()}
kept_one = {a: 3 * x.members for a, x in m.items()}

# %% hint
# A connection is found by its node id. The id for coordination differs from the id for data, even
# on the same broker.

# %% hint
# Each member: one bootstrap, one coordinator, one data. Each member is a client of its own.
