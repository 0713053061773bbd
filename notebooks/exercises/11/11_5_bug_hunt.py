# %% [markdown] items="N112"
# "Lag has been 0 since we released the new version of billing, and orders are missing. Others came
# twice." Below are lines of the program before, m0, and of its successor, m1, when it started. Both
# run with the default `auto.offset.reset`, and nothing has been deleted. m0 was killed after the last
# of its lines. Four questions in one:
#
# - In which `partition` did m1 not continue where m0 was? Write its name as the lines do.
# - How many records of it were never read by anybody: `not_read`?
# - How many records of the other partitions were read by both, in all: `read_twice`?
#
# `Added … fetch request for partition … at position` says how far m0's calls of `poll()` had come.

# %%
shown = numbers("11.5")
for line in shown:
    print(brief(line))

# %% answer
partition = ...
not_read = ...
read_twice = ...
### BEGIN SOLUTION
came_to, begins = {}, {}
for line in shown:
    words = line.split()
    if "fetch request" in line:
        came_to[words[words.index("partition") + 1]] = int(line.split("offset=")[1].split(",")[0])
    elif "Setting offset" in line or "Resetting offset" in line:
        begins[words[words.index("partition") + 1]] = int(line.split("offset=")[1].split(",")[0])
partition = next(line for line in shown if "no committed offset" in line).split()[-1]
not_read = begins[partition] - came_to[partition]
read_twice = sum(came_to[name] - begins[name] for name in begins if name != partition)
### END SOLUTION

# %% question
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaConsumer, KafkaProducer, Lab, OffsetAndMetadata, TopicPartition


def lines_of(numbers) -> list[str]:
    """How far m0 came, and where m1 continues, as they say it."""
    lab = renamed(**numbers)
    lines = lab.lines()
    wanted = (
        "Committed offset",
        "Found no committed",
        "Resetting offset",
        "Setting offset",
        "Adding newly",
    )
    last = {}  # where a partition was fetched from last, before m0 was killed
    told = []
    for client, time, message in zip(lines.client_id, lines.time, lines.message):
        text = message.split("] ", 1)[-1]
        line = f"{time[-12:]} {client} {text}"
        if client == "m0" and "fetch request for partition" in text:
            last[text.split("partition ")[1].split()[0]] = line
        elif text.startswith(wanted) and (client == "m1" or text.startswith("Committed")):
            told.append(line)
    return sorted([*told, *last.values()])


@lru_cache(maxsize=16)
def renamed(forgotten: int, records: int, done: int, late: int, seed: int = 0) -> Lab:
    """A group whose first program committed in three of four partitions, and its successor, which
    starts with auto.offset.reset=latest. The first one had read `late` records more than it
    committed in the partition before the forgotten one."""
    lab = Lab(brokers=1, seed=records + forgotten + 1_000 * seed)
    lab.create_topic("orders", partitions=4)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for partition in range(4):
        wrote(lab, partition, done + 3 * partition, shop)
    first = KafkaConsumer(
        lab, {"group.id": "billing", "client.id": "m0", "enable.auto.commit": False}, name="m0"
    )
    places = [TopicPartition("orders", partition) for partition in range(4)]
    first.assign(places)
    first.seek_to_beginning(places)
    for _ in range(6):
        first.poll(timeout_ms=500)
    first.commit_sync(
        {
            place: OffsetAndMetadata(done + 3 * place.partition - late * (place.partition % 2 + 1))
            for place in places
            if place.partition != forgotten
        }
    )
    first.close()
    for partition in range(4):
        wrote(lab, partition, records + 2 * partition, shop)
    second = KafkaConsumer(lab, {"group.id": "billing", "client.id": "m1"}, name="m1")
    second.subscribe(["orders"])
    second.poll(timeout_ms=5_000)
    return lab


LineReading(
    title="bug hunt: lag 0, and orders missing",
    points=3,
    answers=("partition", "not_read", "read_twice"),
    show=lines_of,
    space={
        # there are others before it and after it
        "forgotten": (1, 2),
        "records": (83, 94, 107, 118, 131, 142),
        "done": (31, 38, 45, 52, 59),
        "late": (3, 4, 5, 7),
    },
    scenery={"seed": 100_000},
)

# %% judge
from autograder.course.judge import Judge


def _forgot(case: dict) -> dict:
    """Counted from what was written and committed, without a lab."""
    others = [place for place in range(4) if place != case["forgotten"]]
    return {
        "partition": f"orders-{case['forgotten']}",
        "not_read": case["records"] + 2 * case["forgotten"],
        "read_twice": sum(case["late"] * (place % 2 + 1) for place in others),
    }


Judge(
    truth=_forgot,
    right=(
        "right: no bookmark there, and auto.offset.reset=latest went to the end. The others began at "
        "a bookmark that was behind what was read."
    ),
    otherwise={
        "partition": "not this partition. Which one had no bookmark when m1 started?",
        "not_read": (
            "not so many. Nobody read what lies between the last position of m0 and the first of m1."
        ),
        "read_twice": (
            "not so many. In the other three, m1 begins at the bookmark, and m0 had come further."
        ),
    },
)

# %% begin
came_to, begins = {}, {}
for line in shown:
    words = line.split()
    if "fetch request" in line:
        came_to[words[words.index("partition") + 1]] = int(line.split("offset=")[1].split(",")[0])
    elif "Setting offset" in line or "Resetting offset" in line:
        begins[words[words.index("partition") + 1]] = int(line.split("offset=")[1].split(",")[0])
partition = next(line for line in shown if "no committed offset" in line).split()[-1]

# %% wrong="everything before the new start"
# The partition is right, and so is `read_twice`. m0 had read the first records of it, without a
# commit. Only what came after its last position is missing.
not_read = begins[partition]
read_twice = sum(came_to[name] - begins[name] for name in begins if name != partition)

# %% wrong="lag 0, nothing skipped"
# The partition is right. The lag is 0 because reading began at the log's end. What m0 had not read
# before it was skipped.
not_read, read_twice = 0, 0

# %% wrong="read to the bookmark"
# `not_read` is right. A bookmark does not say how far m0 had read: it had read more than it
# committed, and m1 read that again.
not_read = begins[partition] - came_to[partition]
read_twice = 0

# %% wrong="the whole distance, twice over"
# The other numbers are right. m1 did not read the forgotten partition's first records: count the
# other three.
not_read = begins[partition] - came_to[partition]
read_twice = sum(came_to[name] - begins[name] for name in begins if name != partition)
read_twice += came_to[partition]

# %% equivalent
# `next((line for line in shown if 'no committed offset' in line))` ->
# `list((line for line in shown if 'no committed offset' in line))[-1]`: there is one such line.
# `(came_to[name] - begins[name] for name in begins if name != partition)` ->
# `(came_to[name] - begins[name] for name in list(begins)[:-1] if name != partition)`: the partition
# without an offset is reset after the others have theirs.

# %% hint
# Look at how each of the four partitions begins. Which does not continue at a committed offset?

# %% hint
# Make two tables: the last position of m0 for each partition, and the first of m1 (`Setting
# offset`, or `Resetting offset`). Subtract them: for one partition m1 begins too late, for the others
# too early.
