# %% [markdown] items="P14 P15"
# ### Exercise 02.4 · Idle, or zombie?
#
# There are three producers 2.3, A, B and C, each with a cluster of its own. Producer A has one
# bootstrap address, `n4.A.brokers` brokers and as many partitions. It sends to every partition every
# twenty seconds, during the first minute only. Its `connections.max.idle.ms` is `n4.A.limit_s`
# seconds (−1 means never). The brokers' limit is ten minutes. How many connections are open after
# five minutes, and after twenty?
#
# Build the lab and count: `shop(brokers=3, partitions=3, addresses=1, seed=3, ...)` and `send_for`.
# An idle producer still asks for metadata every five minutes. The seed draws which broker it asks,
# and with it how many connections stay open. So take `seed=3`.

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
        len({n["brokers"] for n in rows}) == len({n["limit_s"] for n in rows}) == 3
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


def _why_so_many(case: dict) -> str:
    """Who closed what in this case."""
    limit_s = case["limit_s"]
    last = "METADATA keeps one connection in use, so one is left after twenty minutes."
    if limit_s < 0:
        return f"right: after ten idle minutes the brokers close. {last}"
    if limit_s < 240:
        return f"right: the limit of {limit_s} s is over before minute five. {last}"
    return f"right: after five minutes the limit of {limit_s} s has not closed everything. {last}"


Judge(
    truth=_idle,
    right=_why_so_many,
    otherwise=(
        "not these two. Build the lab and count. The producer still asks for metadata every five "
        "minutes."
    ),
)

# %% wrong="-1 keeps all for ever"
# You closed nothing. The client closes after its limit, and the broker after ten minutes, also if
# the client's limit is -1.
after_five = {a: 1 + x.brokers for a, x in n4.items()}
after_twenty = {a: 1 + x.brokers for a, x in n4.items()}

# %% wrong="nothing is left"
# One is left: the producer asks for metadata every five minutes and after each close. That keeps
# one connection in use.
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

# %% equivalent
# `sum((s.closed_at_ms is None for s in lab4.sockets()))` -> `sum((s.closed_at_ms is None for s in
# list(lab4.sockets())[1:]))`: the first connection is to an address, and nobody uses it later.
# `Lab(brokers=own.brokers, version='2.3', broker_version='2.3', seed=3)` changed: the lab only shows
# how long connections live; brokers that nobody sends to are never connected.
# `lab4.create_topic('orders', partitions=own.brokers)` changed: only the partitions that are sent
# to matter.
# `limit_ms = -1 if own.limit_s < 0 else own.limit_s * 1000` changed: any limit below zero means
# never, and a few milliseconds are no matter where the client looks once in minutes.
# `producer4 = KafkaProducer(lab4, {'connections.max.idle.ms': limit_ms}, name='shop')` changed: the
# name only shifts the pauses of chance.
# `send_for(producer4, lab4, ms=60000, partitions=own.brokers)` changed: it sends at 0, 20 and 40 s.
# `lab4.run_for(ms=5 * 60000 - lab4.now_ms)` changed: most limits do not end near five minutes.
# `lab4.run_for(ms=20 * 60000 - lab4.now_ms)` changed: nothing is closed near twenty minutes.
# `sum((s.closed_at_ms is None for s in lab4.sockets()))` -> `sum((not s.closed_at_ms for s in
# lab4.sockets()))`: nothing is closed at 0 ms.
# `sum((s.closed_at_ms is None for s in lab4.sockets()))` -> `max((s.closed_at_ms is None for s in
# lab4.sockets()))`: after twenty minutes mostly one is left, and that is all that it can say.

# %% hint
# Ask the lab: build one with these numbers. Count the lab.sockets() whose closed_at_ms is None.

# %% hint
# send_for for the first minute, then lab.run_for up to five and to twenty minutes.
