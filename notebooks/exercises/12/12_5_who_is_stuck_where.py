# %% [markdown]
# ### Exercise 12.5 · Stuck where?
#
# At which offset is the reader of each shop stuck? The ERROR lines do not tell. But a reader that
# is stuck has been given everything before the pill.

# %% spark=true
came_to = lines.groupBy("shop").agg(F.max(F.col("position")).alias("last_position"))
came_to.orderBy("shop").toPandas()  # continue here

# %% answer
stuck_at = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
import re


def last_given(text):
    found = re.findall(r"Returning (\d+) fetched records at offset .*?offset=(\d+)", text)
    return max(int(count) + int(at) for count, at in found)


stuck_at = {name: last_given(text) for name, text in logs.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: stuck where",
    points=2,
    answers=("stuck_at",),
    draws=THREE,
    row="shop",
    # A reader writes at most 23 errors. An offset beside the pill is never their number.
    space={"pill": tuple(range(26, 77, 3)), "found_s": (9, 11, 13, 15)},
    # the last polls return different numbers of records
    together=lambda shops: len({n["pill"] % 4 for n in shops}) == 3,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, SerializationException
from kafkalab.stories.errors import stuck_reader


@cache
def _stuck_at(pill: int) -> int:
    """Where a reader of whole numbers stands before a price that is none."""
    lab = Lab(brokers=1, seed=2)
    lab.create_topic("prices")
    producer = KafkaProducer(lab)
    for offset in range(pill + 40):
        producer.send(ProducerRecord("prices", "1,5" if offset == pill else "15"))
    producer.close()
    config = {"group.id": "g", "auto.offset.reset": "earliest", "value.deserializer": int}
    consumer = KafkaConsumer(lab, config)
    consumer.subscribe(["prices"])
    while True:
        try:
            consumer.poll(timeout_ms=500)
        except SerializationException as error:
            return error.offset


@cache
def _errors(pill: int, found_s: int) -> int:
    """How many ERROR lines the reader of a shop writes."""
    return stuck_reader(pill, found_s, 30).count(" ERROR ")


Judge(
    truth=lambda case: {"stuck_at": _stuck_at(case["pill"])},
    right="right: the last position, plus what that poll returned. There is the pill.",
    otherwise=(
        "not this offset. Take only the lines that begin with `Returning`: of the one with the highest "
        "`position` add its `count`."
    ),
)

# %% wrong="the last position"
# That is where the last poll with records began. It returned some; the pill is behind them.
import re

stuck_at = {
    name: max(
        int(at)
        for _, at in re.findall(r"Returning (\d+) fetched records at offset .*?offset=(\d+)", text)
    )
    for name, text in logs.items()
}

# %% wrong="one behind"
# That is the offset behind the pill. The reader was never given the pill, so it is before it.
stuck_at = {name: shop.pill + 1 for name, shop in shops.items()}

# %% wrong="the number of errors"
# That is the number of ERROR lines. They say how often the reader tried, not where.
stuck_at = {name: text.count(" ERROR ") for name, text in logs.items()}

# %% says
lambda case: {"stuck_at": _errors(case["pill"], case["found_s"])}

# %% equivalent
# `re.findall('Returning (\\d+) fetched records at offset .*?offset=(\\d+)', text)` ->
# `re.findall('Returning (\\d) fetched records at offset .*?offset=(\\d+)', text)`: no poll returns
# ten records here.
# `(int(count) + int(at) for count, at in found)` ->
# `(int(count) + int(at) for count, at in list(found)[1:])`: no reader is stuck in its first poll.

# %% hint
# "Returning 3 fetched records at offset 20" means that 20, 21 and 22 were given. Which comes next?

# %% hint
# `F.max(F.col("position") + F.col("count"))`, for the lines that begin with "Returning".
