# %% [markdown]
# ### Exercise 05.2 · The last try
#
# Three programs, A, B and C. In A `delivery.timeout.ms` is `n.A.delivery_s` seconds. The broker
# hangs until the end, as above.
#
# - `heard_after_s`: after how many whole seconds does the callback hear of the failure?
# - `largest_s`: you want the record sent at least `n.A.tries` times before that, the first time
#   included. What is the largest `request.timeout.ms` that does it, in whole seconds?
#
# Calculate first, with the waits between the tries in mind. Then call `hang` to see whether you are
# right, and whether one second more is too many.

# %%
n = numbers("05.2")
n

# %% answer
heard_after_s = {"A": ..., "B": ..., "C": ...}
largest_s = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def largest(program):
    seconds = program.delivery_s // (program.tries - 1)
    while hang(seconds * 1000, program.delivery_s * 1000)[1] < program.tries:
        seconds -= 1
    return seconds


heard_after_s = {name: program.delivery_s for name, program in n.items()}
largest_s = {name: largest(program) for name, program in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

# tries -> the delivery timeouts whose answer is the same for every seed, and is no plain division
# by `tries`
CLEAR = {
    4: frozenset(
        {
            14,
            15,
            17,
            18,
            20,
            21,
            23,
            24,
            26,
            27,
            29,
            30,
            32,
            33,
            35,
            36,
            38,
            39,
            41,
            42,
            44,
            45,
            47,
            48,
            50,
        }
    ),
    5: frozenset(
        {19, 23, 24, 27, 28, 29, 31, 32, 33, 35, 36, 37, 39, 40, 41, 43, 44, 45, 47, 48, 49}
    ),
    6: frozenset({29, 34, 35, 39, 40, 41, 44, 45, 46, 49, 50}),
}
# and among them those in which the waits between the tries cost a second
WAITS_COUNT = {
    4: (15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48),
    5: (24, 28, 29, 32, 33, 36, 37, 40, 41, 44, 45, 48, 49),
    6: (35, 40, 41, 45, 46, 50),
}

Value(
    title="the last try",
    points=2,
    answers=("heard_after_s", "largest_s"),
    draws=THREE,
    row="program",
    space={"delivery_s": tuple(range(14, 51)), "tries": (4, 5, 6)},
    where=lambda n: n["delivery_s"] in CLEAR[n["tries"]],
    together=lambda programs: (
        any(n["delivery_s"] in WAITS_COUNT[n["tries"]] for n in programs)
        and len({(n["delivery_s"], n["tries"]) for n in programs}) == len(programs)
    ),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab, ProducerRecord


@cache
def _hang(request_s: int, delivery_s: int) -> tuple[int, int]:
    """(whole seconds until the callback, times sent) where a broker answers no PRODUCE."""
    lab = Lab(brokers=1, seed=6)
    lab.create_topic("orders", partitions=1)
    producer = KafkaProducer(
        lab,
        {
            "linger.ms": 0,
            "request.timeout.ms": request_s * 1_000,
            "delivery.timeout.ms": delivery_s * 1_000,
            "enable.idempotence": False,
        },
    )
    producer.partitions_for("orders")
    producer.send(ProducerRecord("orders", value="the first one arrives")).get()
    lab.broker(0).delay("PRODUCE", 600_000)
    heard, sent_at = [], lab.now_ms
    producer.send(
        ProducerRecord("orders", value="tea"),
        lambda metadata, error: heard.append(lab.now_ms - sent_at),
    )
    lab.run_until(lambda: heard)
    times = sum(
        event.api == "PRODUCE" and event.at_ms >= sent_at
        for event in lab.journal.of("request.sent")
    )
    return heard[0] // 1_000, times


def _last_try(case: dict) -> dict:
    delivery_s, tries = case["delivery_s"], case["tries"]
    most = delivery_s // (tries - 1) + 1
    fits = [s for s in range(1, most) if _hang(s, delivery_s)[1] >= tries]
    return {"heard_after_s": _hang(max(fits), delivery_s)[0], "largest_s": max(fits)}


Judge(
    truth=_last_try,
    right=(
        "right: the delivery timeout ends it after {delivery_s} s. The last try only has to begin "
        "before that."
    ),
    otherwise=(
        "not these two. Call hang with your request timeout and with one second more: how many "
        "times is the record sent?"
    ),
)

# %% equivalent
# `program.delivery_s // (program.tries - 1)` -> `program.delivery_s`,
# `program.delivery_s // (program.tries - 1) + 1`, `-(-program.delivery_s // (program.tries - 1))`: the
# search begins higher and ends at the same second.
# `program.tries - 1` -> `1`, `program.tries - 2`: the search begins higher and ends at the same second.
# `while hang(seconds * 1000, program.delivery_s * 1000)[1] < program.tries:` -> `if`: the waits cost less than two seconds for each try.
# `while hang(seconds * 1000, program.delivery_s * 1000)[1] < program.tries:` ends after the first turn: the waits
# cost less than two seconds for each try.
# `seconds * 1000` -> `seconds * 1001`, `seconds * 999`: no student's numbers are so near an edge.
# `program.delivery_s * 1000` -> `program.delivery_s * 1001`, `program.delivery_s * 999`: no student's
# numbers are so near an edge.

# %% begin
from kafkalab.stories.committed import hang


def largest(x):
    seconds = x.delivery_s // (x.tries - 1)
    while hang(seconds * 1000, x.delivery_s * 1000)[1] < x.tries:
        seconds -= 1
    return seconds


heard_after_s = {a: x.delivery_s for a, x in n.items()}
largest_s = {a: largest(x) for a, x in n.items()}

# %% wrong="each try has its whole time"
# So much it is if each of the {tries} tries has its whole timeout. The last one only has to begin
# within {delivery_s} s. So there are {tries} - 1 timeouts before it.
largest_s = {a: x.delivery_s // x.tries for a, x in n.items()}

# %% wrong="no wait between the tries"
# Before each new try the producer waits: about 0.1 s, 0.2 s, 0.4 s, 0.8 s, then 1 s. With your
# timeout the last try does not begin within {delivery_s} s.
largest_s = {a: x.delivery_s // (x.tries - 1) for a, x in n.items()}

# %% wrong="milliseconds"
# The number is right in milliseconds. Asked are whole seconds.
largest_s = {a: 1000 * largest(x) for a, x in n.items()}

# %% wrong="after the first try"
# A try that times out is followed by the next. The delivery timeout of {delivery_s} s is for all
# tries together.
heard_after_s = {a: largest(x) for a, x in n.items()}

# %% wrong="never"
# `retries` is huge, but the delivery timeout ends the trying after {delivery_s} s.
heard_after_s = {a: None for a, x in n.items()}

# %% wrong="both timeouts"
# You added the timeouts. The delivery timeout counts from send and includes every try.
heard_after_s = {a: x.delivery_s + largest(x) for a, x in n.items()}

# %% begin

# %% hint
# Two clocks run: one for each try, one for all of them together. When must the last try begin?

# %% hint
# Start with delivery_s // (tries - 1) and call hang(seconds * 1000, delivery_s * 1000). Take one
# second less until there are enough tries.
