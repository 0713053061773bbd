# %% [markdown] items="C30 C32"
# ### Exercise 03.5 · All leaders on one broker
#
# Now every partition is led by the same broker, broker 0. The group has several members: group A has
# `m.A.members`, and its topic `m.A.partitions` partitions, so that each of them has something to
# read. The coordinator of group A is broker `m.A.coordinator`. Version 2.3, and one bootstrap
# address, that of broker 1. How many connections do all members open together? How many do they keep
# after the idle limit? And how many of those that they keep go to broker 0?

# %%
m = numbers("03.5")
m

# %% answer long=true
opened_one = {"A": ..., "B": ..., "C": ...}
kept_one = {"A": ..., "B": ..., "C": ...}
at_broker_0 = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
opened_one = {name: 3 * group.members for name, group in m.items()}
kept_one = {name: 2 * group.members for name, group in m.items()}
at_broker_0 = {
    name: (2 if group.coordinator == 0 else 1) * group.members for name, group in m.items()
}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="a group, and all leaders on one broker",
    points=2,
    answers=("opened_one", "kept_one", "at_broker_0"),
    row="group",
    space={
        "members": (3, 4, 5, 6, 7, 8),
        "partitions": (7, 9, 10, 11, 13, 14),
        "coordinator": (0, 1, 2),
    },
    draws=CLUSTERS,
    where=lambda n: n["members"] < n["partitions"],
    together=lambda groups: (
        len({n["members"] for n in groups}) == len(groups)
        and len({n["coordinator"] for n in groups}) == len(groups)
    ),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, Lab


@cache
def _group_on_one(members: int, partitions: int, coordinator: int) -> tuple[int, int, int]:
    """(opened, kept, kept at broker 0) by all members together, when broker 0 leads everything."""
    lab = Lab(brokers=3, seed=5, version="2.3", broker_version="2.3")
    lab.create_topic("t", partitions=partitions, leaders=[0] * partitions)
    lab.place_coordinator("test", broker=coordinator)

    def read(lab, name):
        settings = {
            "group.id": "test",
            "connections.max.idle.ms": 8_000,
            "client.id": name,
            "bootstrap.servers": "localhost:9093",
        }
        consumer = KafkaConsumer(lab, settings, name=name)
        consumer.subscribe(["t"])
        while True:
            consumer.poll(timeout_ms=500)

    for number in range(members):
        lab.spawn(read, f"member-{number}", name=f"member-{number}")
    lab.run_for(ms=20_000)
    sockets = lab.sockets()
    kept = [each for each in sockets if each.closed_at_ms is None]
    counted = len(sockets), len(kept), sum(each.broker == 0 for each in kept)
    lab.close()
    return counted


def _on_one(case: dict) -> dict:
    counted = _group_on_one(case["members"], case["partitions"], case["coordinator"])
    return dict(zip(("opened_one", "kept_one", "at_broker_0"), counted))


def _why_so_many(case: dict) -> str:
    if case["coordinator"] == 0:
        return "right: broker 0 has two node ids for each member, and so two connections."
    return "right: each member keeps one connection to broker 0 and one to its coordinator."


Judge(
    truth=_on_one,
    right=_why_so_many,
    otherwise={
        "opened_one": (
            "{said} is not it. How many different node ids does each of the {members} members use?"
        ),
        "kept_one": (
            "{said} is not it. Which of the connections of one member carry requests all the time? "
            "Multiply by {members}."
        ),
        "at_broker_0": (
            "{said} is not it. Take the connections that are kept. Which node ids belong to broker 0?"
        ),
    },
)


# %% begin
def answers(opened, kept, at_0):
    return tuple({a: of(x) for a, x in m.items()} for of in (opened, kept, at_0))


def both(x):
    return 2 * x.members if x.coordinator == 0 else x.members


# %% wrong="one broker, one connection"
# Coordinator and leader are one broker here, but two node ids, and so two connections.
opened_one, kept_one, at_broker_0 = answers(
    lambda x: (2 if x.coordinator == 0 else 3) * x.members,
    lambda x: (1 if x.coordinator == 0 else 2) * x.members,
    lambda x: x.members,
)

# %% wrong="the bootstrap connection is the coordinator's"
# Broker 1 is the bootstrap address and the coordinator. Node -1 and the coordinator's node id are
# two connections all the same.
opened_one, kept_one, at_broker_0 = answers(
    lambda x: (2 if x.coordinator == 1 else 3) * x.members, lambda x: 2 * x.members, both
)

# %% wrong="one for each partition"
# Broker 0 leads all {partitions} partitions, so a member needs one data connection for all that it
# owns.
opened_one, kept_one, at_broker_0 = answers(
    lambda x: 2 * x.members + x.partitions,
    lambda x: x.members + x.partitions,
    lambda x: x.partitions + (x.members if x.coordinator == 0 else 0),
)

# %% wrong="one member counted"
# That is one member. There are {members}, and each is a client of its own.
opened_one, kept_one, at_broker_0 = answers(
    lambda x: 3, lambda x: 2, lambda x: 2 if x.coordinator == 0 else 1
)

# %% wrong="the first is forgotten"
# So many are two for each member, and each has three: to the coordinator, to the leader, and one
# before them. A client that knows no broker must ask somebody, and that is node -1.
opened_one, kept_one, at_broker_0 = answers(lambda x: 2 * x.members, lambda x: 2 * x.members, both)

# %% wrong="all are kept"
# The connections to node -1 are not used after the start. The idle limit closes them.
opened_one, kept_one, at_broker_0 = answers(lambda x: 3 * x.members, lambda x: 3 * x.members, both)

# %% wrong="all end at broker 0"
# The members keep two connections each. Only those to the leader end at broker 0; the coordinator of
# this group is broker {coordinator}.
opened_one, kept_one, at_broker_0 = answers(
    lambda x: 3 * x.members, lambda x: 2 * x.members, lambda x: 2 * x.members
)

# %% equivalent
# `group.coordinator == 0` -> `group.coordinator <= 0`: no broker has a number below 0.

# %% hint
# A connection is found by its node id. The id for coordination differs from the id for data, even
# on the same broker.

# %% hint
# Each member: one bootstrap, one coordinator, one data. Which of the three are left after the idle
# limit, and which broker is each of them?
