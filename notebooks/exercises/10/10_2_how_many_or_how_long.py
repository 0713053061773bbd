# %% [markdown]
# ### Exercise 10.2 · How many, or how long?
#
# Three programs. In A most orders take `n.A.record_ms` milliseconds. In the slowest batch *one*
# order takes `n.A.slow_ms` instead. Each batch is also written in one transaction of the database,
# which takes `n.A.batch_ms` milliseconds more, before the next poll. Your team has a rule: the
# slowest batch may use 80 % of the poll interval at most.
#
# First answer: the poll interval is `n.A.limit_s` seconds. How large may `max.poll.records` be at
# most? Second answer: with the default of 500 records, what is the least poll interval in whole
# seconds?

# %%
n = numbers("10.2")
n

# %% answer
most_records = {"A": ..., "B": ..., "C": ...}
least_interval_s = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
for name, program in n.items():
    besides_ms = program.slow_ms + program.batch_ms
    most_records[name] = 1 + (800 * program.limit_s - besides_ms) // program.record_ms
    least_interval_s[name] = -(-(499 * program.record_ms + besides_ms) // 800)
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def left_ms(n: dict) -> int:
    """What 80 % of the limit leave for the usual orders of the slowest batch."""
    return n["limit_s"] * 800 - n["batch_ms"] - n["slow_ms"]


def edges(n: dict) -> set[str]:
    """Where rounding decides: the batch is exactly 80 %, or one record more is only 100 ms longer
    than that; or the interval comes out whole."""
    found = {0: "exactly", n["record_ms"] - 100: "almost"}.get(left_ms(n) % n["record_ms"])
    is_whole = (499 * n["record_ms"] + n["batch_ms"] + n["slow_ms"]) % 800 == 0
    return {found, "whole" if is_whole else None} - {None}


Value(
    title="how many records, or how long",
    points=3,
    answers=("most_records", "least_interval_s"),
    draws=THREE,
    row="program",
    space={
        # without 900: 112.5 s by 0.9 s is 125, and in floats 124
        "record_ms": (700, 800, 1_200, 1_400, 1_500, 1_600, 2_000, 2_400),
        "slow_ms": (6_000, 9_000, 15_000),
        "batch_ms": (1_500, 4_500, 8_500),
        "limit_s": (120, 150, 180, 210, 240, 300),
    },
    where=lambda n: bool(
        edges(n)
        and n["slow_ms"] + n["batch_ms"] > 4 * n["record_ms"]
        and n["batch_ms"] > n["record_ms"]
    ),
    together=lambda programs: len(set().union(*map(edges, programs))) == 3,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import Lab


@cache
def _stays(batch_ms: int, limit_ms: int) -> bool:
    """Whether a member whose batches take this long is still one when it polls again.

    It is played four times as slow and a little milder: the heartbeat thread may be 100 ms late, and
    these times differ by 100 ms.
    """
    lab = Lab(brokers=1, seed=3)
    _shop(lab, 1)
    done = []

    def program(lab):
        consumer = _member(
            lab,
            "ada",
            **{"max.poll.interval.ms": 4 * limit_ms + 200, "heartbeat.interval.ms": 15_000},
        )
        while not done:
            if len(consumer.poll(timeout_ms=500)):
                lab.sleep(4 * batch_ms)
                done.append(True)
        consumer.poll(timeout_ms=0)

    lab.spawn(program, name="ada")
    lab.run_until(lambda: bool(done), timeout_ms=8 * batch_ms)
    lab.close()
    return _expired(lab) is None


@cache
def _enough(record_ms: int, slow_ms: int, batch_ms: int, limit_s: int) -> tuple[int, int]:
    """Played with a limit of 80 %: (the most records, the least whole seconds)."""

    def slowest(records: int) -> int:
        return (records - 1) * record_ms + slow_ms + batch_ms

    records, seconds = limit_s * 800 // record_ms, slowest(500) // 800
    while _stays(slowest(records + 1), limit_s * 800):
        records += 1
    while not _stays(slowest(records), limit_s * 800):
        records -= 1
    while not _stays(slowest(500), seconds * 800):
        seconds += 1
    return records, seconds


def _cure(case: dict) -> dict:
    records, seconds = _enough(
        case["record_ms"], case["slow_ms"], case["batch_ms"], case["limit_s"]
    )
    return {"most_records": records, "least_interval_s": seconds}


Judge(
    truth=_cure,
    right="right: the slowest batch fits, and a fifth of the poll interval is left.",
    otherwise=(
        "not both. What lies between two polls in the slowest batch? That time is at most 80 % "
        "of the poll interval."
    ),
)

# %% wrong="no margin"
# You used the whole poll interval. By the team's rule the slowest batch may use 80 % of it.
most_records = {
    a: (x.limit_s * 1000 - x.batch_ms - x.slow_ms) // x.record_ms + 1 for a, x in n.items()
}
least_interval_s = {
    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 1000) for a, x in n.items()
}

# %% wrong="the slow order is forgotten"
# You calculated with usual orders only. In the slowest batch one order takes {slow_ms} ms.
most_records = {a: (x.limit_s * 800 - x.batch_ms) // x.record_ms for a, x in n.items()}
least_interval_s = {a: -(-(500 * x.record_ms + x.batch_ms) // 800) for a, x in n.items()}

# %% wrong="the transaction is forgotten"
# The orders alone fit. But each batch also takes {batch_ms} ms for its transaction, before the
# next poll.
most_records = {a: (x.limit_s * 800 - x.slow_ms) // x.record_ms + 1 for a, x in n.items()}
least_interval_s = {a: -(-(499 * x.record_ms + x.slow_ms) // 800) for a, x in n.items()}

# %% wrong="every order is slow"
# You took {slow_ms} ms for every order. Only one order of the slowest batch takes that long.
most_records = {a: (x.limit_s * 800 - x.batch_ms) // x.slow_ms for a, x in n.items()}
least_interval_s = {a: -(-(500 * x.slow_ms + x.batch_ms) // 800) for a, x in n.items()}

# %% wrong="against the session timeout"
# You divided the 45 s of session.timeout.ms. Work does not stop heartbeats; the limit here is
# {limit_s} s.
most_records = {a: (36_000 - x.batch_ms - x.slow_ms) // x.record_ms + 1 for a, x in n.items()}
least_interval_s = {
    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 800) for a, x in n.items()
}

# %% wrong="one record too many"
# One record less. With yours the slowest batch is longer than 80 % of {limit_s} s: round down.
most_records = {
    a: (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 2 for a, x in n.items()
}
least_interval_s = {
    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 800) for a, x in n.items()
}

# %% wrong="one record too few"
# One record more fits. The slow order counts as a record, too, and a batch of exactly 80 % is allowed.
most_records = {a: (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms for a, x in n.items()}
least_interval_s = {
    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 800) for a, x in n.items()
}

# %% wrong="no margin in the interval"
# The records are right. The interval needs the margin, too: the slowest batch may use 80 % of it.
most_records = {
    a: (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 1 for a, x in n.items()
}
least_interval_s = {
    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 1000) for a, x in n.items()
}

# %% wrong="one second short"
# The records are right. Round the seconds up: 408.5 s needs 409 s.
most_records = {
    a: (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 1 for a, x in n.items()
}
least_interval_s = {
    a: -(-(499 * x.record_ms + x.slow_ms + x.batch_ms) // 800) - 1 for a, x in n.items()
}


# %% wrong="one second too many"
# The records are right. The batch divided by 0.8 is a whole number of seconds here, and there is
# nothing to round up.
most_records = {
    a: (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 1 for a, x in n.items()
}
least_interval_s = {
    a: (499 * x.record_ms + x.slow_ms + x.batch_ms) // 800 + 1 for a, x in n.items()
}


# %% begin
def right_records(x):
    return (x.limit_s * 800 - x.batch_ms - x.slow_ms) // x.record_ms + 1


def batch_of_500_ms(x):
    return 499 * x.record_ms + x.slow_ms + x.batch_ms


# %% wrong="80 % of the batch"
# The records are right. Your interval is shorter than the batch. The batch is 80 % of the interval, so
# divide by 0.8.
most_records = {a: right_records(x) for a, x in n.items()}
least_interval_s = {a: -(-batch_of_500_ms(x) * 8 // 10_000) for a, x in n.items()}

# %% wrong="20 % more than the batch"
# The records are right. You added 20 % of the batch. The rule takes 20 % of the interval, which is
# more: divide the batch by 0.8.
most_records = {a: right_records(x) for a, x in n.items()}
least_interval_s = {a: -(-batch_of_500_ms(x) * 12 // 10_000) for a, x in n.items()}

# %% wrong="not rounded"
# The records are right. Whole seconds are asked for: round up.
most_records = {a: right_records(x) for a, x in n.items()}
least_interval_s = {a: batch_of_500_ms(x) / 800 for a, x in n.items()}

# %% wrong="milliseconds"
# The records are right. The interval is in milliseconds: divide by 1,000, and round up.
most_records = {a: right_records(x) for a, x in n.items()}
least_interval_s = {a: -(-batch_of_500_ms(x) * 10 // 8) for a, x in n.items()}

# %% hint
# The slowest batch takes the time of its usual orders, of one slow order and of one transaction. All
# of it lies between two polls.

# %% hint
# 80 % of n.A.limit_s is what you may use. Take n.A.batch_ms and n.A.slow_ms off; divide by
# n.A.record_ms, round down, and add the slow order itself. For the seconds: the batch divided by
# 0.8, rounded up.
