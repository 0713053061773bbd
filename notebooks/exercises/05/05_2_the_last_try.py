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

# tries -> the rest of `delivery_s` / (`tries` - 1) at which a second is lost if the waits are counted
# wrong. With too little wait (0.1 s each time, or one wait left out) the timeout comes out too long:
LONG_WAITS_COUNT = {5: 1, 6: 2, 7: 3}
# with too much (one wait more, or doubled without an end) too short:
SHORT_WAITS_COUNT = {6: 3, 7: 4}


def _shows(programs: list, rests: dict) -> bool:
    return any(n["delivery_s"] % (n["tries"] - 1) == rests.get(n["tries"]) for n in programs)


Value(
    title="the last try",
    points=2,
    answers=("heard_after_s", "largest_s"),
    draws=THREE,
    row="program",
    space={"delivery_s": tuple(range(30, 70)), "tries": (4, 5, 6, 7)},
    together=lambda programs: (
        _shows(programs, LONG_WAITS_COUNT) and _shows(programs, SHORT_WAITS_COUNT)
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
    fits = next(s for s in range(most, 0, -1) if _hang(s, delivery_s)[1] >= tries)
    return {"heard_after_s": _hang(fits, delivery_s)[0], "largest_s": fits}


Judge(
    truth=_last_try,
    right=(
        "right: the delivery timeout ends it after {delivery_s} s. The last try only has to begin "
        "before that."
    ),
    otherwise={
        "heard_after_s": (
            "{said} is not it. Two clocks run, one for each try and one for all tries. Which of them "
            "ends the trying?"
        ),
        "largest_s": (
            "{said} is not it. Call hang with a request timeout of so many seconds, and with one "
            "second more: how many times is the record sent?"
        ),
    },
)

# %% equivalent
# `program.delivery_s // (program.tries - 1)` -> `program.delivery_s`,
# `program.delivery_s // (program.tries - 1) + 1`, `64 // (program.tries - 1)`, `-(-program.delivery_s // (program.tries - 1))`: the
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
# So much it is if a request timeout comes after the delivery timeout. But the delivery timeout counts
# from `send`, and includes every try.
heard_after_s = {a: x.delivery_s + largest(x) for a, x in n.items()}

# %% begin

# %% hint
# Two clocks run: one for each try, one for all of them together. When must the last try begin?

# %% hint
# Start with delivery_s // (tries - 1) and call hang(seconds * 1000, delivery_s * 1000). Take one
# second less until there are enough tries.
