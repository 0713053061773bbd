# %% [markdown]
# ### Exercise 02.8 · A bug to hunt
#
# The shop's program calls `send(...).get()` for its first record. The `send` blocks, and then `get`
# raises. The brokers are fine, and other programs can write. `shown` holds some of the producer's
# settings, its first warnings, and its error. Which topic does it ask for, as the lines write it?
# And which setting decided how long it blocked?

# %%
shown = numbers("02.8")
shown

# %% answer
topic = ...  # a text
setting = ...  # the name of the setting, a text
### BEGIN SOLUTION
topic = next(line for line in shown if "WARN" in line).split("{")[1].split("=")[0]
setting = "max.block.ms"
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
    answers=("topic", "setting"),
    show=log_of_a_typing_error,
    space={
        "typed": ("oders", "order", "ordesr", "orders-", "orderss", "oreders", "ordrs"),
        "seconds": (9, 12, 15, 20, 25),
    },
    scenery={"seed": 100_000},
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {"topic": case["typed"], "setting": "max.block.ms"},
    right=(
        "right: nobody knows a topic called `{typed}`. send waited {seconds} seconds for its "
        "metadata, which is max.block.ms."
    ),
    otherwise=(
        "not this. The topic is in the warnings, as the client asked for it. And which limit "
        "was reached? Write the setting's name without its value."
    ),
)

# %% wrong="what was meant"
# That is the topic that the program means. The client asks for `{typed}`, and there is no such
# topic.
topic, setting = "orders", "max.block.ms"

# %% wrong="the record's time"
# delivery.timeout.ms counts for a record in a batch. This record was in no batch yet: no partition
# was known for it.
topic = next(line for line in shown if "WARN" in line).split("{")[1].split("=")[0]
setting = "delivery.timeout.ms"

# %% wrong="the request's time"
# Every request was answered at once, with an error. send itself waited.
topic = next(line for line in shown if "WARN" in line).split("{")[1].split("=")[0]
setting = "request.timeout.ms"

# %% wrong="the pause"
# retry.backoff.ms is the pause between two questions, not the end of asking.
topic = next(line for line in shown if "WARN" in line).split("{")[1].split("=")[0]
setting = "retry.backoff.ms"

# %% wrong="the age of metadata"
# metadata.max.age.ms says when known metadata is asked for again. Of this topic nothing is known.
topic = next(line for line in shown if "WARN" in line).split("{")[1].split("=")[0]
setting = "metadata.max.age.ms"

# %% equivalent
# `next((line for line in shown if 'WARN' in line))` -> `list((line for line in shown if 'WARN' in
# line))[-1]`: all warnings name the same topic.

# %% hint
# What does the client ask for again and again, and what is the answer?

# %% hint
# The sentence at the end says how long send waited for metadata. Which of the settings has
# that number?
