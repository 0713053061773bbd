# %% [markdown]
# ### Exercise 12.6 · A bug to hunt
#
# A reader is in its group, and its lag grows. Its program catches all errors and writes nothing of
# its own. `shown` holds two of its settings and its last lines. Which of the two settings is wrong
# for this topic? And at which offset is the reader stuck?

# %%
shown = numbers("12.6")
shown

# %% answer
setting = ...  # the name of the setting, a text
offset = ...  # a number
### BEGIN SOLUTION
import re

failed = next(line for line in shown if "Deserializers with error" in line)
setting = "key.deserializer" if "Key Deserializers" in failed else "value.deserializer"
returned = [re.search(r"Returning (\d+) .*?offset=(\d+)", line) for line in shown]
offset = max(int(each[1]) + int(each[2]) for each in returned if each)
### END SOLUTION

# %% question
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, SerializationException

SIDES = ("key.deserializer", "value.deserializer")
NUMBER = "org.apache.kafka.common.serialization.IntegerDeserializer"


def log_of_a_stuck_reader(numbers) -> list[str]:
    """Two settings and the last lines of a reader that cannot read a record."""
    return list(_stuck(numbers["side"], numbers["good"], numbers["seed"]))


@lru_cache(maxsize=256)
def _stuck(side: str, good: int, seed: int) -> tuple[str, ...]:
    lab = Lab(1, seed=seed, version="3.9", broker_version="4.4")
    lab.create_topic("prices")
    producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    for number in range(good + 9):
        part = "five5" if number == good else "four"
        record = {"key": "item", "value": "15"} | {side.split(".")[0]: part}
        producer.send(ProducerRecord("prices", **record)).get()
    config = {"group.id": "billing", "auto.offset.reset": "earliest", "max.poll.records": 7}
    reader = KafkaConsumer(lab, {**config, side: NUMBER}, name="reader")
    reader.subscribe(["prices"])
    raised = 0
    while raised < 3:
        try:
            reader.poll(timeout_ms=500)
        except SerializationException:
            raised += 1
    lines = lab.lines("reader")
    settings = [
        line.strip()
        for line in lines.message.iloc[0].splitlines() + lines.message.iloc[1].splitlines()
        if line.strip().split(" =")[0] in SIDES
    ]
    said = [
        f"{line.time[-12:]} {line.level} {line.message.split('] ', 1)[-1][:150]}"
        for line in lines.itertuples()
        if line.level == "ERROR" or line.message.split("] ", 1)[-1].startswith("Returning ")
    ]
    return (*settings, *said[-5:])


LineReading(
    title="bug hunt: the reader that is stuck",
    points=2,
    answers=("setting", "offset"),
    show=log_of_a_stuck_reader,
    space={"side": SIDES, "good": tuple(range(8, 60))},
    where=lambda n: n["good"] % 7 != 1,  # the last poll returned more than one record
    scenery={"seed": 100_000},
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {"setting": case["side"], "offset": case["good"]},
    right="right: the ERROR line names key or value, and the last poll ended before the pill.",
    otherwise="not these two. One line names the side, another says how far the polls came.",
)

# %% wrong="the other setting"
# The ERROR line says which side has failed: Key or Value.
import re

failed = next(line for line in shown if "Deserializers with error" in line)
setting = "value.deserializer" if "Key Deserializers" in failed else "key.deserializer"
returned = [re.search(r"Returning (\d+) .*?offset=(\d+)", line) for line in shown]
offset = max(int(each[1]) + int(each[2]) for each in returned if each)

# %% wrong="where the last poll began"
# That is where the last poll began. It returned records; the pill is behind them.
import re

failed = next(line for line in shown if "Deserializers with error" in line)
setting = "key.deserializer" if "Key Deserializers" in failed else "value.deserializer"
returned = [re.search(r"Returning (\d+) .*?offset=(\d+)", line) for line in shown]
offset = max(int(each[2]) for each in returned if each)

# %% wrong="the last record that was read"
# That is the last record that was returned. The pill is the next one.
import re

failed = next(line for line in shown if "Deserializers with error" in line)
setting = "key.deserializer" if "Key Deserializers" in failed else "value.deserializer"
returned = [re.search(r"Returning (\d+) .*?offset=(\d+)", line) for line in shown]
offset = max(int(each[1]) + int(each[2]) for each in returned if each) - 1

# %% hint
# Read the ERROR line first. Does it say Key or Value?

# %% hint
# "Returning 3 fetched records at offset … offset=20": 20, 21 and 22 were read. Which is next?
