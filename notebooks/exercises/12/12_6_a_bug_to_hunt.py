# %% [markdown]
# ### Exercise 12.6 · A bug to hunt
#
# Three readers, A to C, are in their groups, and their lag grows. Their programs catch all errors and
# write nothing of their own. `shown.A` holds two settings of A and its last lines. Which of the two
# settings is wrong for this topic? And at which offset is the reader stuck?

# %%
shown = numbers("12.6")
for name, lines in shown.items():
    print(name, *lines, "", sep="\n")

# %% answer
setting = {"A": ..., "B": ..., "C": ...}  # the name of the setting, a text
offset = {"A": ..., "B": ..., "C": ...}  # a number
### BEGIN SOLUTION
import re

for name, lines in shown.items():
    failed = next(line for line in lines if "Deserializers with error" in line)
    setting[name] = "key.deserializer" if "Key Deserializers" in failed else "value.deserializer"
    returned = [re.search(r"Returning (\d+) .*?offset=(\d+)", line) for line in lines]
    offset[name] = max(int(each[1]) + int(each[2]) for each in returned if each)
### END SOLUTION

# %% question
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, SerializationException

SIDES = ("key.deserializer", "value.deserializer")
NUMBER = "org.apache.kafka.common.serialization.IntegerDeserializer"


def logs_of_stuck_readers(numbers) -> dict[str, list[str]]:
    """Of each reader two settings and its last lines. It cannot read a record."""
    return type(numbers)({name: list(_stuck(**each)) for name, each in numbers.items()})


@lru_cache(maxsize=256)
def _stuck(side: str, good: int) -> tuple[str, ...]:
    lab = Lab(1, seed=good, version="3.9", broker_version="4.4")
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
    return (*settings, *said[-8:])


LineReading(
    title="bug hunt: the readers that are stuck",
    points=2,
    answers=("setting", "offset"),
    draws=THREE,
    row="reader",
    show=logs_of_stuck_readers,
    together=lambda readers: len({n["side"] for n in readers}) == 2,
    space={"side": SIDES, "good": tuple(range(17, 60))},
    where=lambda n: n["good"] % 7 != 1,  # the last poll returned more than one record
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {"setting": case["side"], "offset": case["good"]},
    right="right: the ERROR line names key or value, and the last poll ended before the pill.",
    otherwise="not both. One line names the side, another says how far the polls came.",
)

# %% begin
import re


def failed(lines):
    return "key" if any("Key Deserializers with error" in line for line in lines) else "value"


def given(lines):
    """(how many, from which offset) of the last poll that returned records."""
    found = [re.search(r"Returning (\d+) .*?offset=(\d+)", line) for line in lines]
    return [(int(each[1]), int(each[2])) for each in found if each][-1]


setting = {a: f"{failed(x)}.deserializer" for a, x in shown.items()}
offset = {a: sum(given(x)) for a, x in shown.items()}

# %% wrong="the other setting"
# The ERROR line says which side has failed: Key or Value.
other = {"key": "value", "value": "key"}
setting = {a: f"{other[failed(x)]}.deserializer" for a, x in shown.items()}

# %% wrong="where the last poll began"
# That is where the last poll began. It returned records; the pill is behind them.
offset = {a: given(x)[1] for a, x in shown.items()}

# %% wrong="the last record that was read"
# That is the last record that was returned. The pill is the next one.
offset = {a: sum(given(x)) - 1 for a, x in shown.items()}

# %% wrong="the setting without its end"
# The offset is right. Write the whole name of the setting, as in the first two lines.
setting = {a: failed(x) for a, x in shown.items()}

# %% equivalent
# `(int(each[1]) + int(each[2]) for each in returned if each)` ->
# `(int(each[1]) + int(each[2]) for each in list(returned)[1:] if each)`,
# `(int(each[1]) + int(each[2]) for each in list(returned)[:-1] if each)`: the largest sum lies
# between.
# `next((line for line in lines if 'Deserializers with error' in line))` ->
# `list((line for line in lines if 'Deserializers with error' in line))[-1]`: all ERROR lines of a
# reader are about the same record.
# `re.search('Returning (\\d+) .*?offset=(\\d+)', line)` ->
# `re.search('Returning (\\d) .*?offset=(\\d+)', line)`: no poll returns ten records here.

# %% hint
# Read the ERROR line first. Does it say Key or Value?

# %% hint
# "Returning 3 fetched records at offset … offset=20": 20, 21 and 22 were read. Which is next?
