# %% [markdown] items="N112"
# "Lag has been 0 since we released the new version of billing, and orders are missing." Below are
# the lines of the new member when it started. It runs with the default settings. Which partition has
# it not read from the right place (write its name as the lines do), and how many records did it skip
# there? Nothing has been deleted.

# %%
shown = numbers("11.5")
for line in shown:
    print(brief(line))

# %% answer
partition = ...
skipped = ...
### BEGIN SOLUTION
partition = next(line for line in shown if "no committed offset" in line).split()[-1]
began = next(line for line in shown if "Resetting" in line)
skipped = int(began.split("offset=")[1].split(",")[0])
### END SOLUTION

# %% question
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, KafkaProducer, Lab, OffsetAndMetadata, TopicPartition


def lines_of(numbers) -> list[str]:
    """When the new member says what as it starts: where it goes on in each partition."""
    lines = renamed(**numbers).lines("m1")
    wanted = ("Found no committed", "Resetting offset", "Setting offset", "Adding newly")
    told = zip(
        lines.time, lines.message.str.removeprefix("[Consumer clientId=m1, groupId=billing] ")
    )
    return [f"{time[-12:]} {text}" for time, text in told if text.startswith(wanted)]


@lru_cache(maxsize=16)
def renamed(forgotten: int, records: int, done: int, seed: int = 0) -> Lab:
    """A group whose first program committed in three of four partitions, and its successor, which
    starts with auto.offset.reset=latest."""
    lab = Lab(brokers=1, seed=records + forgotten + 1_000 * seed)
    lab.create_topic("orders", partitions=4)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for partition in range(4):
        wrote(lab, partition, records + 2 * partition, shop)
    first = KafkaConsumer(lab, {"group.id": "billing", "enable.auto.commit": False}, name="m0")
    first.assign([TopicPartition("orders", partition) for partition in range(4)])
    first.commit_sync(
        {
            TopicPartition("orders", partition): OffsetAndMetadata(done + partition)
            for partition in range(4)
            if partition != forgotten
        }
    )
    first.close()
    second = KafkaConsumer(lab, {"group.id": "billing", "client.id": "m1"}, name="m1")
    second.subscribe(["orders"])
    second.poll(timeout_ms=5_000)
    return lab


LineReading(
    title="bug hunt: lag 0, and orders missing",
    points=2,
    answers=("partition", "skipped"),
    show=lines_of,
    space={
        "forgotten": (0, 1, 2),  # the last one is named at the end of another line
        "records": (83, 94, 107, 118, 131, 142),
        "done": (31, 38, 45, 52, 59),
    },
    scenery={"seed": 100_000},
)

# %% judge
from autograder.course.judge import Judge


def _forgot(case: dict) -> dict:
    lab = renamed(case["forgotten"], case["records"], case["done"])
    began = {
        f"{name}": line
        for line in lab.lines("m1").message
        if "Resetting offset" in line
        for name in ("orders-0", "orders-1", "orders-2", "orders-3")
        if name in line
    }
    ((name, line),) = began.items()
    return {"partition": name, "skipped": int(line.partition("offset=")[2].partition(",")[0])}


Judge(
    truth=_forgot,
    right="right: no bookmark there, and auto.offset.reset=latest went to the end.",
    otherwise=(
        "not both. Which partition had no bookmark, and at which offset did reading begin there?"
    ),
)

# %% wrong="the one with the smallest offset"
# That partition continues at its committed offset. What lies before it was read by the program
# before.
first = [line for line in shown if "Setting offset" in line][0]
partition = first.split("partition ")[1].split(" ")[0]
skipped = int(first.split("offset=")[1].split(",")[0])

# %% wrong="lag 0, nothing skipped"
# The partition is right. The lag is 0 because reading began at the log's end. Everything before it
# was skipped.
partition = [line for line in shown if "Found" in line][0].split()[-1]
skipped = 0

# %% wrong="lag 0, as a text"
# The partition is right. The number is a number, without quotation marks, and it is not 0: reading
# began at the log's end, and everything before it was skipped.
partition = [line for line in shown if "Found" in line][0].split()[-1]
skipped = "0"

# %% wrong="the word after partition"
# Right, and write its whole name, as the lines do: topic, dash, number.
partition = int([line for line in shown if "Found" in line][0][-1])
skipped = int([line for line in shown if "Resetting" in line][0].split("offset=")[1].split(",")[0])

# %% wrong="the count as text"
# Right, but as text. Write the count as a number, without quotation marks.
partition = [line for line in shown if "Found" in line][0].split()[-1]
skipped = [line for line in shown if "Resetting" in line][0].split("offset=")[1].split(",")[0]

# %% equivalent
# `next((line for line in shown if 'no committed offset' in line))` ->
# `list((line for line in shown if 'no committed offset' in line))[-1]`: there is one such line.
# `next((line for line in shown if 'Resetting' in line))` ->
# `list((line for line in shown if 'Resetting' in line))[-1]`: there is one such line.

# %% hint
# Look at how each of the four partitions begins. Which does not continue at a committed offset?

# %% hint
# Found no committed offset names the partition. The line that resets its offset says where it
# begins. Everything before that was skipped.
