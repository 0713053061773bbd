# %% [markdown]
# ### Exercise 02.8 · A bug to hunt
#
# The shop's program calls `send(...).get()` for its first record. The `send` blocks, and then `get`
# raises. The brokers are fine, and other programs can write. `shown` holds some of the producer's
# settings, its first warnings, and its error. Which topic does it ask for, as the lines write it?
# And how often does it ask in all, until it gives up? The lines show the first four times.

# %%
shown = numbers("02.8")
shown

# %% answer
topic = ...  # a text
asked = ...  # a number
### BEGIN SOLUTION
topic = next(line for line in shown if "WARN" in line).split("{")[1].split("=")[0]
blocked_ms, pause_ms = (
    int(next(line for line in shown if line.startswith(name)).split(" = ")[1])
    for name in ("max.block.ms", "retry.backoff.ms")
)
asked = 1 + blocked_ms // pause_ms
### END SOLUTION

# %% question
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaProducer, Lab, ProducerRecord

WAITS = (
    "delivery.timeout.ms",
    "linger.ms",
    "max.block.ms",
    "metadata.max.age.ms",
    "request.timeout.ms",
    "retry.backoff.ms",
)


def log_of_a_typing_error(numbers) -> list[str]:
    """Settings and warnings of a producer that was told a topic's name with a letter missing,
    and the sentence it ended with."""
    return list(_mistyped(numbers["typed"], numbers["seconds"], numbers["seed"]))


@lru_cache(maxsize=256)
def _mistyped(typed: str, seconds: int, seed: int) -> tuple[str, ...]:
    lab = Lab(
        2,
        broker_config={"auto.create.topics.enable": False},
        version="2.3",
        seed=seconds + 1_000 * seed,
        broker_version="2.3",
    )
    lab.create_topic("orders", partitions=2)
    producer = KafkaProducer(
        lab,
        {"client.id": "shop", "max.block.ms": seconds * 1_000, "retry.backoff.ms": 2_000},
        name="shop",
    )
    try:
        producer.send(ProducerRecord(typed, value="tea")).get()
        last = "no exception"
    except Exception as error:
        last = f"{type(error).__name__}: {error}"
    lines = lab.lines("shop")
    settings = [
        line.strip()
        for line in lines.message.iloc[0].splitlines()
        if line.strip().split(" =")[0] in WAITS
    ]
    warned = [
        f"{line.time[-12:]} {line.level} {line.message.split('] ', 1)[-1]}"
        for line in lines[lines.level == "WARN"].itertuples()
    ]
    return (*settings, *warned[:4], f"and the program ended with {last}")


LineReading(
    title="bug hunt: the producer that hangs",
    points=2,
    answers=("topic", "asked"),
    show=log_of_a_typing_error,
    space={
        "typed": ("oders", "order", "ordesr", "orders-", "orderss", "oreders", "ordrs"),
        "seconds": (11, 13, 15, 17, 19, 21, 25),
    },
    scenery={"seed": 100_000},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaException, KafkaProducer, Lab, ProducerRecord


@cache
def _asked(typed: str, seconds: int) -> int:
    """How many answers say that there is no such topic, until send gives up."""
    lab = Lab(
        2,
        seed=7,
        version="2.3",
        broker_version="2.3",
        broker_config={"auto.create.topics.enable": False},
    )
    settings = {"max.block.ms": seconds * 1_000, "retry.backoff.ms": 2_000}
    producer = KafkaProducer(lab, settings, name="shop")
    try:
        producer.send(ProducerRecord(typed, value="tea")).get()
    except KafkaException:
        pass
    return sum(
        line.level == "WARN" and f"{{{typed}=" in line.message
        for line in lab.lines("shop").itertuples()
    )


Judge(
    truth=lambda case: {"topic": case["typed"], "asked": _asked(case["typed"], case["seconds"])},
    right=(
        "right: nobody knows a topic called `{typed}`. send waited {seconds} seconds, max.block.ms, "
        "and asked after each pause of two."
    ),
    otherwise={
        "topic": '"{said}" is not it. The topic is in the warnings, as the client asked for it.',
        "asked": (
            "{said} is not it. How long does send wait in all, and how long is the pause between two "
            "questions?"
        ),
    },
)

# %% begin
topic = next(line for line in shown if "WARN" in line).split("{")[1].split("=")[0]


def of(name):
    return int(next(line for line in shown if line.startswith(name)).split(" = ")[1])


asked = 1 + of("max.block.ms") // of("retry.backoff.ms")

# %% wrong="what was meant"
# That is the topic that the program means. The client asks for `{typed}`, and there is no such
# topic.
topic = "orders"

# %% wrong="the first four"
# Those are the four that are shown. The client asks again until send gives up.
asked = 4

# %% wrong="the record's time"
# delivery.timeout.ms counts for a record in a batch. This record was in no batch yet: no partition
# was known for it. send itself waits, at most max.block.ms.
asked = 1 + of("delivery.timeout.ms") // of("retry.backoff.ms")

# %% wrong="the request's time"
# Every request was answered at once, with an error. request.timeout.ms ends none of them. send itself
# waits, at most max.block.ms.
asked = 1 + of("request.timeout.ms") // of("retry.backoff.ms")

# %% wrong="the pauses counted"
# You counted the pauses. The first question comes before the first pause.
asked = of("max.block.ms") // of("retry.backoff.ms")

# %% equivalent
# `next((line for line in shown if 'WARN' in line))` -> `list((line for line in shown if 'WARN' in
# line))[-1]`: all warnings name the same topic.
# `next((line for line in shown if line.startswith(name)))` ->
# `list((line for line in shown if line.startswith(name)))[-1]`: one line begins with the name.

# %% hint
# What does the client ask for again and again, and what is the answer? How long is it from one
# question to the next?

# %% hint
# The sentence at the end says how long send waited for metadata. Divide it by the pause, and count
# the first question, too.
