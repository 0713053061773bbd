# %% [markdown] items="N22 N26"
# ### Exercise 05.1 · Written, or refused?
#
# Five records, A to E. The partition of A has `n.A.replicas` replicas, the leader among them, and a
# floor of `n.A.floor`. `n.A.down` of its followers have been down for a minute. All others are in
# sync. A is sent with `acks=n.A.acks`. Is it `"written"` or `"refused"`? How many replicas have it
# for sure when the answer comes? Count the leader, too. For a refused record write 0.

# %%
n = numbers("05.1")
n

# %% answer
fate = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}
copies = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}


### BEGIN SOLUTION
def fate_of(record):
    in_sync = record.replicas - record.down
    if record.acks == "all" and in_sync < record.floor:
        return "refused", 0
    return "written", in_sync if record.acks == "all" else 1


fate = {name: fate_of(record)[0] for name, record in n.items()}
copies = {name: fate_of(record)[1] for name, record in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def tells_ideas_apart(records: list[dict]) -> bool:
    """Whether every usual idea about acks and the floor goes wrong on one of these records: enough
    in sync though some are down, acks=1 below the floor with followers left, acks=all below it and
    just at it."""
    in_sync = [(n["acks"], n["replicas"] - n["down"], n) for n in records]
    return (
        any(acks == "all" and n["down"] and count > n["floor"] for acks, count, n in in_sync)
        and any(acks == "1" and 1 < count < n["floor"] for acks, count, n in in_sync)
        and any(acks == "all" and count < n["floor"] for acks, count, n in in_sync)
        # exactly the floor is in sync, and not the number that is down
        and any(acks == "all" and count == n["floor"] != n["down"] for acks, count, n in in_sync)
        # who compares with the number that is down, or takes the floor for it, goes wrong
        and any(
            acks == "all" and (count < n["floor"]) != (count < n["down"])
            for acks, count, n in in_sync
        )
        and any(
            acks == "all" and count >= n["floor"] and n["replicas"] - n["floor"] != count
            for acks, count, n in in_sync
        )
    )


Value(
    title="written or refused, and how many copies",
    points=3,
    answers=("fate", "copies"),
    draws=("A", "B", "C", "D", "E"),
    row="record",
    space={
        "replicas": (3, 4, 5),
        "floor": (2, 3, 4),
        "down": (0, 1, 2, 3, 4),
        "acks": ("all", "1"),
    },
    where=lambda n: n["floor"] < n["replicas"] and n["down"] < n["replicas"],
    together=tells_ideas_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab, ProducerRecord


@cache
def _sent(replicas: int, floor: int, down: int, acks: str) -> tuple[str, int]:
    """What becomes of a record when so many followers have been down for a minute, and how many
    replicas have it for sure when the answer comes."""
    lab = Lab(
        brokers=replicas + 1,
        seed=9,
        broker_config={
            "min.insync.replicas": floor,
            "unclean.leader.election.enable": False,
            "broker.session.timeout.ms": 6_000,
        },
    )
    lab.create_topic("t", replication_factor=replicas, leaders=[0])
    producer = KafkaProducer(
        lab,
        {
            "acks": acks,
            "bootstrap.servers": f"localhost:{9092 + replicas}",
            "enable.idempotence": False,
            "delivery.timeout.ms": 5_000,
            "request.timeout.ms": 2_000,
            "linger.ms": 0,
        },
    )
    producer.partitions_for("t")
    for follower in range(1, 1 + down):
        lab.broker(follower).crash()
    lab.run_for(ms=60_000)
    told = []
    producer.send(ProducerRecord("t", value="v"), lambda metadata, error: told.append(error))
    lab.run_until(lambda: told)
    if told[0]:
        return "refused", 0
    state = lab.at(lab.now_ms)["partitions"]["t-0"]
    return "written", len(state["isr"]) if acks == "all" else 1


def _fate(case: dict) -> dict:
    fate, copies = _sent(case["replicas"], case["floor"], case["down"], case["acks"])
    return {"fate": fate, "copies": copies}


Judge(
    truth=_fate,
    right="right: the floor refuses acks=all only, and all means all that are in sync.",
    otherwise=(
        "not yet. Count the replicas that are in sync, the leader among them. With acks=all the "
        "floor decides whether they are enough, and all of them have the record."
    ),
)

# %% wrong="the floor binds acks=1"
# min.insync.replicas refuses writes with acks=all only. With acks=1 the leader writes, alone or not.
fate = {a: "refused" if x.replicas - x.down < x.floor else "written" for a, x in n.items()}
copies = {
    a: 0 if x.replicas - x.down < x.floor else 1 if x.acks == "1" else x.replicas - x.down
    for a, x in n.items()
}

# %% wrong="all means all replicas"
# With acks=all those in sync count, the leader, too. That is {replicas} minus {down} here, and not
# below the floor of {floor}.
fate = {a: "refused" if x.acks == "all" and x.down else "written" for a, x in n.items()}
copies = {a: (0 if x.down else x.replicas) if x.acks == "all" else 1 for a, x in n.items()}

# %% wrong="the floor is the number of copies"
# The floor of {floor} is the least that must be in sync. The answer waits for all that are in
# sync, and these are more.
fate = {
    a: "refused" if x.acks == "all" and x.replicas - x.down < x.floor else "written"
    for a, x in n.items()
}
copies = {
    a: 0 if x.acks == "all" and x.replicas - x.down < x.floor else 1 if x.acks == "1" else x.floor
    for a, x in n.items()
}

# %% wrong="acks=1 is copied too"
# With acks=1 the answer comes when the leader alone has it. The followers copy it afterwards, if
# they get to it.
fate = {
    a: "refused" if x.acks == "all" and x.replicas - x.down < x.floor else "written"
    for a, x in n.items()
}
copies = {
    a: 0 if x.acks == "all" and x.replicas - x.down < x.floor else x.replicas - x.down
    for a, x in n.items()
}

# %% wrong="those that are down count"
# You counted a replica that is down, too. It copies nothing before it is back, and nobody waits
# for it.
fate = {
    a: "refused" if x.acks == "all" and x.replicas - x.down < x.floor else "written"
    for a, x in n.items()
}
copies = {
    a: 0
    if x.acks == "all" and x.replicas - x.down < x.floor
    else 1
    if x.acks == "1"
    else x.replicas
    for a, x in n.items()
}

# %% wrong="all of one is enough"
# {replicas} minus {down} replicas are in sync. That is below the floor of {floor}, so acks=all is
# refused.
fate = {a: "written" for a, x in n.items()}
copies = {a: 1 if x.acks == "1" else x.replicas - x.down for a, x in n.items()}

# %% hint
# Only a write with acks=all can be refused by the floor. It counts the replicas that are in sync,
# the leader among them.

# %% hint
# n.A.replicas - n.A.down are in sync in A. With acks=all they are held against n.A.floor, and all
# of them have the record before the answer.
