# %% [markdown] items="P14 P15"
# ### Exercise 02.4 · Idle, or zombie?
#
# Three 2.3 producers, A, B and C. Each has one bootstrap address, a cluster of `n4.A.brokers`
# brokers and as many partitions. It sends to every partition during the first minute only. Its
# `connections.max.idle.ms` is `n4.A.limit_s` seconds (−1 means never). The brokers have their ten
# minutes. How many connections are open after five minutes, and after twenty? An idle producer
# still asks for metadata every five minutes.

# %%
n4 = numbers("02.4")
n4

# %% answer
after_five = {"A": ..., "B": ..., "C": ...}
after_twenty = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
after_five, after_twenty = {}, {}
for name, own in n4.items():
    lab4 = Lab(brokers=own.brokers, version="2.3", broker_version="2.3", seed=3)
    lab4.create_topic("orders", partitions=own.brokers)
    limit_ms = -1 if own.limit_s < 0 else own.limit_s * 1_000
    producer4 = KafkaProducer(lab4, {"connections.max.idle.ms": limit_ms}, name="shop")
    send_for(producer4, lab4, ms=60_000, partitions=own.brokers)
    lab4.run_for(ms=5 * 60_000 - lab4.now_ms)
    after_five[name] = sum(s.closed_at_ms is None for s in lab4.sockets())
    lab4.run_for(ms=20 * 60_000 - lab4.now_ms)
    after_twenty[name] = sum(s.closed_at_ms is None for s in lab4.sockets())
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="idle, or zombie",
    points=3,
    answers=("after_five", "after_twenty"),
    row="producer",
    space={
        "brokers": (2, 3, 4, 5, 6, 7, 8),
        "limit_s": (-1, 45, 60, 90, 120, 150, 180, 240, 420, 540),
    },
    draws=CLUSTERS,
    together=lambda rows: (
        len({n["brokers"] for n in rows}) == 3
        and any(n["limit_s"] > 240 or n["limit_s"] < 0 for n in rows)
    ),
)

# %% judge
from autograder.course.judge import Judge


def _idle(case: dict) -> dict:
    limit_ms = -1 if case["limit_s"] < 0 else case["limit_s"] * 1_000
    (_, five), (_, twenty) = _sent_for(
        case["brokers"], tuple(range(case["brokers"])), limit_ms, 60_000, (300_000, 1_200_000)
    )
    return {"after_five": five, "after_twenty": twenty}


Judge(
    truth=_idle,
    right="right.",
    otherwise=(
        "not these two. Build the lab and count; the producer still asks for metadata every "
        "five minutes."
    ),
)

# %% wrong="-1 keeps all for ever"
# You closed nothing. Somebody does: the client after its limit, and the broker after ten minutes,
# whatever the client says.
after_five = {a: 1 + x.brokers for a, x in n4.items()}
after_twenty = {a: 1 + x.brokers for a, x in n4.items()}

# %% wrong="nothing is left"
# Something is left: the producer asks for metadata every five minutes and after each close, and
# that keeps one connection in use.
after_five = {a: 0 for a, x in n4.items()}
after_twenty = {a: 0 for a, x in n4.items()}

# %% wrong="nothing in the end"
# After twenty minutes one is left: METADATA, every five minutes and after each close, keeps one
# connection in use.
after_five = {a: 1 + x.brokers for a, x in n4.items()}
after_twenty = {a: 0 for a, x in n4.items()}

# %% wrong="only node -1 goes"
# You closed node -1 only. The data connections are idle as well: nothing was sent after the first
# minute.
after_five = {a: x.brokers for a, x in n4.items()}
after_twenty = {a: x.brokers for a, x in n4.items()}

# %% hint
# You can ask the lab: build one with these numbers and count lab.sockets() that have no
# closed_at_ms.

# %% hint
# send_for for the first minute, then lab.run_for up to five and to twenty minutes.
