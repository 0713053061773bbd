# %% [markdown]
# ### Exercise 05.2 · The last word
#
# Three programs, A, B and C. In A `request.timeout.ms` is `n.A.request_s` seconds and
# `delivery.timeout.ms` is `n.A.delivery_s` seconds. The broker hangs for ever, as above. After how
# many whole seconds does the callback hear of the failure? How many times was the record sent, the
# first time included? You may call `hang`; it takes milliseconds.

# %%
n = numbers("05.2")
n

# %% answer
heard_after_s = {"A": ..., "B": ..., "C": ...}
times_sent = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
heard = {
    name: hang(program.request_s * 1000, program.delivery_s * 1000) for name, program in n.items()
}
heard_after_s = {name: seconds for name, (seconds, _, _) in heard.items()}
times_sent = {name: times for name, (_, times, _) in heard.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def waits_cost_a_try(request_s: int, delivery_s: int) -> bool:
    """Do fewer tries fit than one timeout divided by the other, rounded up? Six waits take more
    than 3 s, and the last try would begin at most 3 s before the end."""
    return delivery_s > 6 * request_s and (delivery_s - 1) % request_s < 3


Value(
    title="the last word",
    points=2,
    answers=("heard_after_s", "times_sent"),
    draws=THREE,
    row="program",
    space={
        "request_s": (2, 3, 4, 5, 6),
        "delivery_s": (10, 13, 17, 19, 22, 25, 27, 29, 31, 34),
    },
    together=lambda programs: any(waits_cost_a_try(**n) for n in programs),
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


def _last_word(case: dict) -> dict:
    seconds, times = _hang(case["request_s"], case["delivery_s"])
    return {"heard_after_s": seconds, "times_sent": times}


Judge(
    truth=_last_word,
    right="right: the delivery timeout has the last word, however many tries fit into it.",
    otherwise=(
        "not these two. Which clock ends the trying, and how many tries fit into it? hang "
        "counts them."
    ),
)

# %% wrong="after the first try"
# A try that times out is followed by the next. The delivery timeout of {delivery_s} s is for all
# tries together.
heard_after_s = {a: x.request_s for a, x in n.items()}
times_sent = {a: 1 for a, x in n.items()}

# %% wrong="for ever"
# retries is huge, but the delivery timeout ends the trying after {delivery_s} s.
heard_after_s = {a: None for a, x in n.items()}
times_sent = {a: None for a, x in n.items()}

# %% wrong="sent once"
# The time is right. But every {request_s} s without an answer the record is sent again.
heard_after_s = {a: x.delivery_s for a, x in n.items()}
times_sent = {a: 1 for a, x in n.items()}

# %% wrong="one timeout divided by the other"
# The producer waits before each new try, longer each time, so fewer tries fit into {delivery_s} s.
# hang counts them.
heard_after_s = {a: x.delivery_s for a, x in n.items()}
times_sent = {a: -(-x.delivery_s // x.request_s) for a, x in n.items()}

# %% wrong="both timeouts"
# You added the timeouts. The delivery timeout counts from send and includes every try.
heard_after_s = {a: x.request_s + x.delivery_s for a, x in n.items()}
times_sent = {a: x.delivery_s // x.request_s + 1 for a, x in n.items()}

# %% hint
# Two clocks run: one for each try, one for all of them together. Which ends the matter?

# %% hint
# hang takes both in milliseconds and tells seconds and tries.
