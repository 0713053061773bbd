# %% [markdown]
# ### Exercise 10.2 · How many, or how long?
#
# Three programs. In A an order takes `n.A.record_ms` milliseconds. Each batch is also written in
# one transaction of the database, which takes `n.A.batch_ms` milliseconds more, before the next
# poll. First answer: with a poll interval of `n.A.limit_s` seconds, how large may
# `max.poll.records` be at most, so that no batch is late? Second answer: with the default of 500
# records, what is the least poll interval in whole seconds?

# %%
n = numbers("10.2")
n

# %% answer
most_records = {"A": ..., "B": ..., "C": ...}
least_interval_s = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
most_records = {
    name: (program.limit_s * 1000 - program.batch_ms) // program.record_ms
    for name, program in n.items()
}
least_interval_s = {
    name: (500 * program.record_ms + program.batch_ms) // 1000 + 1 for name, program in n.items()
}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="how many records, or how long",
    points=3,
    answers=("most_records", "least_interval_s"),
    draws=THREE,
    row="program",
    space={
        "record_ms": (700, 800, 900, 1_200, 1_400, 1_600, 2_000, 2_400),
        "batch_ms": (1_500, 4_500, 8_500),
        "limit_s": (120, 180, 240, 300),
    },
    where=lambda n: (
        n["record_ms"] - (n["limit_s"] * 1_000 - n["batch_ms"]) % n["record_ms"] >= 300
        and (n["limit_s"] * 1_000 - n["batch_ms"]) % n["record_ms"] >= 100
        and (n["limit_s"] * 1_000) // n["record_ms"]
        != (n["limit_s"] * 1_000 - n["batch_ms"]) // n["record_ms"]
    ),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import Lab


@cache
def _stays(batch_ms: int, limit_s: int) -> bool:
    """Whether a member whose batches take so long is one still when it polls again."""
    lab = Lab(brokers=1, seed=3)
    _shop(lab, 1)
    done = []

    def program(lab):
        consumer = _member(
            lab, "ada", **{"max.poll.interval.ms": limit_s * 1_000, "heartbeat.interval.ms": 15_000}
        )
        while not done:
            if len(consumer.poll(timeout_ms=500)):
                lab.sleep(batch_ms)
                done.append(True)
        consumer.poll(timeout_ms=0)

    lab.spawn(program, name="ada")
    lab.run_until(lambda: bool(done), timeout_ms=2 * batch_ms)
    lab.close()
    return _expired(lab) is None


@cache
def _enough(record_ms: int, batch_ms: int, limit_s: int) -> tuple[int, int]:
    records, seconds = limit_s * 1_000 // record_ms, (500 * record_ms + batch_ms) // 1_000
    while _stays((records + 1) * record_ms + batch_ms, limit_s):
        records += 1
    while not _stays(records * record_ms + batch_ms, limit_s):
        records -= 1
    while not _stays(500 * record_ms + batch_ms, seconds):
        seconds += 1
    return records, seconds


def _cure(case: dict) -> dict:
    records, seconds = _enough(case["record_ms"], case["batch_ms"], case["limit_s"])
    return {"most_records": records, "least_interval_s": seconds}


Judge(
    truth=_cure,
    right="right: all that lies between two polls has to fit, with something to spare.",
    otherwise="not these two. What lies between two polls, and does it end before the limit?",
)

# %% wrong="the transaction is forgotten"
# The records alone fit. But each batch also takes {batch_ms} ms for its transaction, before the
# next poll.
most_records = {a: x.limit_s * 1000 // x.record_ms for a, x in n.items()}
least_interval_s = {a: -(-500 * x.record_ms // 1000) for a, x in n.items()}

# %% wrong="against the session timeout"
# You divided the 45 s of session.timeout.ms. Work does not stop heartbeats; the limit here is
# {limit_s} s.
most_records = {a: (45_000 - x.batch_ms) // x.record_ms for a, x in n.items()}
least_interval_s = {a: -(-(500 * x.record_ms + x.batch_ms) // 1000) for a, x in n.items()}

# %% wrong="one record too many"
# With one record more than fits the batch ends after {limit_s} s. Round down.
most_records = {a: (x.limit_s * 1000 - x.batch_ms) // x.record_ms + 1 for a, x in n.items()}
least_interval_s = {a: -(-(500 * x.record_ms + x.batch_ms) // 1000) for a, x in n.items()}

# %% wrong="one second short"
# The records are right. Round the seconds up: half a second too little is too little.
most_records = {a: (x.limit_s * 1000 - x.batch_ms) // x.record_ms for a, x in n.items()}
least_interval_s = {a: -(-(500 * x.record_ms + x.batch_ms) // 1000) - 1 for a, x in n.items()}

# %% wrong="in milliseconds"
# The records are right. The second answer is asked in whole seconds.
most_records = {a: (x.limit_s * 1000 - x.batch_ms) // x.record_ms for a, x in n.items()}
least_interval_s = {a: 500 * x.record_ms + x.batch_ms for a, x in n.items()}

# %% hint
# A batch takes its records' time and, once, the time for the transaction. All of it lies between
# two polls.

# %% hint
# Records: what is left of n.A.limit_s after n.A.batch_ms, divided by n.A.record_ms, rounded down.
# Seconds: 500 records and the transaction, rounded up.
