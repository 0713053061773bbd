# %% [markdown]
# ### Exercise 15.1 · The times of one order
#
# You send three orders, A to C, each to another broker. Broker A has `n.A.threads` I/O threads, and all
# are free. It reads `n.A.ahead` orders of others at one moment, and yours directly after them. Each
# order keeps an I/O thread for `n.A.work_ms` ms. The followers have your order `n.A.copied_ms` ms after
# the leader wrote it. You sent it with `n.A.acks`. What are its RequestQueueTimeMs, LocalTimeMs and
# RemoteTimeMs? Write whole milliseconds.

# %%
n = numbers("15.1")
n

# %% answer items="N102 N104"
queue_ms = {"A": ..., "B": ..., "C": ...}
local_ms = {"A": ..., "B": ..., "C": ...}
remote_ms = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
queue_ms = {name: x.ahead // x.threads * x.work_ms for name, x in n.items()}
local_ms = {name: x.work_ms for name, x in n.items()}
remote_ms = {name: x.copied_ms if x.acks == "acks=all" else 0 for name, x in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def tells_stages_apart(cases: list[dict]) -> bool:
    """Whether both acks are there, as many orders as threads are before one order, and another one
    comes last of its group, after two groups. So one order too many or too few gives other times."""
    several = [n for n in cases if n["threads"] > 1]
    full = any(n["ahead"] == n["threads"] for n in several)
    last = any(
        n["ahead"] > 2 * n["threads"] and (n["ahead"] + 1) % n["threads"] == 0 for n in several
    )
    return full and last and len({n["acks"] for n in cases}) == 2


Value(
    title="the times of one order",
    points=3,
    answers=("queue_ms", "local_ms", "remote_ms"),
    draws=("A", "B", "C"),
    row="order",
    space={
        "threads": (1, 2, 4),
        "ahead": (0, 2, 3, 4, 7, 11),
        "work_ms": (5, 10, 20),
        "copied_ms": (7, 30, 55),
        "acks": ("acks=1", "acks=all"),
    },
    together=tells_stages_apart,
)

# %% judge
from autograder.course.judge import Judge
from kafkalab.stories.broker import last_order

STAGES_ASKED = {
    "queue_ms": "request_queue_ms",
    "local_ms": "local_ms",
    "remote_ms": "remote_ms",
}


def _times(case: dict) -> dict:
    """The stages of the last order in the modelled threads and queues."""
    copied_ms = case["copied_ms"] if case["acks"] == "acks=all" else 0
    row = last_order(case["ahead"], case["threads"], case["work_ms"], copied_ms)
    return {name: round(row[column]) for name, column in STAGES_ASKED.items()}


Judge(
    truth=_times,
    right="right: others' work is your queue time, your own work is local, the followers are remote.",
    otherwise=(
        "not these. Orders begin in groups of {threads}, and each group takes {work_ms} ms. Then "
        "comes your own work, and then what acks asks for."
    ),
)

# %% wrong="one thread for all"
# There are {threads} I/O threads. So that many orders begin at the same time.
queue_ms = {name: x.ahead * x.work_ms for name, x in n.items()}
local_ms = {name: x.work_ms for name, x in n.items()}
remote_ms = {name: x.copied_ms if x.acks == "acks=all" else 0 for name, x in n.items()}

# %% wrong="everybody waits for followers"
# With acks=1 nobody waits for the followers. The answer goes out when the leader has written.
queue_ms = {name: x.ahead // x.threads * x.work_ms for name, x in n.items()}
local_ms = {name: x.work_ms for name, x in n.items()}
remote_ms = {name: x.copied_ms for name, x in n.items()}

# %% wrong="the wait is local"
# LocalTimeMs ends when the I/O thread is done. The wait for followers is RemoteTimeMs: no thread is
# used for it.
queue_ms = {name: x.ahead // x.threads * x.work_ms for name, x in n.items()}
local_ms = {name: x.work_ms + (x.copied_ms if x.acks == "acks=all" else 0) for name, x in n.items()}
remote_ms = {name: 0 for name in n}

# %% wrong="the queue time holds my work"
# The queue time ends when an I/O thread takes your order: only whole groups of {threads} are before
# it. Your own {work_ms} ms are LocalTimeMs.
queue_ms = {name: (x.ahead // x.threads + 1) * x.work_ms for name, x in n.items()}
local_ms = {name: x.work_ms for name, x in n.items()}
remote_ms = {name: x.copied_ms if x.acks == "acks=all" else 0 for name, x in n.items()}

# %% hint
# Draw the I/O threads as rows. Put the orders in, the oldest first, each into the first free row.

# %% hint
# How many whole groups of `threads` orders are before yours? Each takes `work_ms`.
