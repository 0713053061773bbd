# %% [markdown]
# ### Exercise 15.2 · How much fits?
#
# Three brokers, A to C. Broker A has `n.A.threads` I/O threads and `n.A.queue` places in the request
# queue. Each order keeps an I/O thread for `n.A.work_ms` ms. How many orders can the broker do in a
# second? Now `n.A.tills` tills send one order each, at the same moment. A moment later no order is done
# yet. How many orders are in the request queue? How many are still outside, in a socket or in the hands
# of a network thread?

# %%
n = numbers("15.2")
n

# %% answer items="N102"
per_second = {"A": ..., "B": ..., "C": ...}
in_queue = {"A": ..., "B": ..., "C": ...}
outside = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
per_second = {name: x.threads * 1000 // x.work_ms for name, x in n.items()}
in_queue = {name: min(max(x.tills - x.threads, 0), x.queue) for name, x in n.items()}
outside = {name: max(x.tills - x.threads - x.queue, 0) for name, x in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def tells_places_apart(cases: list[dict]) -> bool:
    """Whether one broker of several threads has a full queue, one has orders in the queue and room,
    and one has threads to spare."""
    queued = [n["tills"] - n["threads"] for n in cases]
    full = any(n["threads"] > 1 and left > n["queue"] for n, left in zip(cases, queued))
    room = any(0 < left < n["queue"] for n, left in zip(cases, queued))
    return full and room and min(queued) < 0


Value(
    title="how much fits",
    points=3,
    answers=("per_second", "in_queue", "outside"),
    draws=("A", "B", "C"),
    row="broker",
    space={
        "threads": (1, 2, 4, 8),
        "queue": (3, 6, 12, 500),
        "work_ms": (10, 20, 50),
        "tills": (5, 7, 19, 26),
    },
    together=tells_places_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.broker import burst, orders_a_second, places


@cache
def _places(tills: int, threads: int, queue: int, work_ms: int) -> dict[str, int]:
    return places(burst(tills, threads, queue, network_threads=3, work_ms=work_ms)[0])


def _fits(case: dict) -> dict:
    found = _places(case["tills"], case["threads"], case["queue"], case["work_ms"])
    return {
        "per_second": orders_a_second(case["threads"], case["work_ms"]),
        "in_queue": found.get("request queue", 0),
        "outside": found.get("socket", 0) + found.get("network threads", 0),
    }


Judge(
    truth=_fits,
    right="right: first the threads are taken, then the queue fills, then clients wait in sockets.",
    otherwise={
        "per_second": (
            "{said} is not it. A thread needs {work_ms} ms for an order, and {threads} threads work "
            "at the same time."
        ),
        "in_queue": (
            "{said} is not it. The I/O threads have taken up to {threads} of the {tills} orders. Of "
            "the others up to {queue} are in the queue."
        ),
        "outside": (
            "{said} is not it. {threads} orders can be with the threads and {queue} in the queue. "
            "Only what is left of the {tills} is outside."
        ),
    },
)

# %% wrong="the threads are in the queue"
# An order that an I/O thread has taken is not in the queue any more, and not outside. This broker has
# {threads} of these threads.
per_second = {name: x.threads * 1000 // x.work_ms for name, x in n.items()}
in_queue = {name: min(x.tills, x.queue) for name, x in n.items()}
outside = {name: max(x.tills - x.queue, 0) for name, x in n.items()}

# %% wrong="the queue has no end"
# The queue has {queue} places (queued.max.requests). What does not fit stays outside.
per_second = {name: x.threads * 1000 // x.work_ms for name, x in n.items()}
in_queue = {name: max(x.tills - x.threads, 0) for name, x in n.items()}
outside = {name: 0 for name in n}

# %% wrong="one thread's speed"
# One thread does 1000 / {work_ms} orders a second. This broker has {threads}, and they work at the
# same time.
per_second = {name: 1000 // x.work_ms for name, x in n.items()}
in_queue = {name: min(max(x.tills - x.threads, 0), x.queue) for name, x in n.items()}
outside = {name: max(x.tills - x.threads - x.queue, 0) for name, x in n.items()}

# %% equivalent
# `x.threads * 1000` -> `x.threads * 1001`: the part of an order more is cut off.
# `x.threads * 1000 // x.work_ms` -> `-(-(x.threads * 1000) // x.work_ms)`,
# `x.threads * 1000 / x.work_ms`: a second always holds a whole number of orders.

# %% hint
# Fill from the front: I/O threads first, then the request queue, then the others.

# %% hint
# One thread needs `work_ms` for an order, so it does 1000 / `work_ms` of them in a second.
