# %% [markdown] items="C20"
# ### Exercise 03.3 · Label the lines
#
# `shown` holds eight connection lines of consumers, from several versions mixed. Make a list
# `labels` of the same length. Each entry is `"bootstrap"`, `"coordinator"` or `"data"`.

# %%
shown = numbers("03.3")
shown

# %% answer
labels = ...


### BEGIN SOLUTION
def label(line):
    node_id = line.split("(id: ")[1].split(" ")[0]
    if node_id.startswith("+") or int(node_id) > 2_000_000_000:
        return "coordinator"
    return "bootstrap" if int(node_id) < 0 else "data"


labels = [label(text) for text in shown]
### END SOLUTION

# %% question
import re

from autograder.cell.data import NotAsAsked, plain
from autograder.cell.kinds import LineReading

# Connection lines of consumers of several versions. A broker's port says nothing about what a
# connection to it is for.
BROKERS = (0, 1, 2, 1001)  # the last: a number of four digits is a broker's, too
OLD, NEW = "rack: null", "rack: null isFenced: false"
IDS = (
    tuple((str(broker), broker, tail) for broker in BROKERS for tail in (OLD, NEW))
    + tuple((str(2147483647 - broker), broker, OLD) for broker in BROKERS)
    + tuple((f"+{broker}", broker, NEW) for broker in BROKERS)
    + tuple(
        (f"-{place}", broker, (OLD, NEW)[(place + broker) % 2])
        for place in (1, 2, 3)
        for broker in (0, 1, 2)
    )
)
LINES = tuple(
    (
        f"Initiating connection to node localhost:{9092 + broker} (id: {id} {tail}) using address "
        "localhost/127.0.0.1"
    )
    for id, broker, tail in IDS
)
PLACES = ("1", "2", "3", "4", "5", "6", "7", "8")
CLASSES = ("bootstrap", "coordinator", "data")


def label_of(names, case):
    """The label the answer gives to this case's line."""
    labels = plain(names["labels"])
    if type(labels) is not list or len(labels) != len(PLACES):
        raise NotAsAsked(f"`labels` is a list with an entry for each of the {len(PLACES)} lines")
    unknown = [label for label in labels if label not in CLASSES]
    if unknown:
        raise NotAsAsked(f"{unknown[0]!r} is none of {', '.join(CLASSES)}")
    return labels[int(case["of"]) - 1]


def tricky(lines) -> bool:
    """Every class is there, and each of the ways in which a
    coordinator or an address is written."""
    ids = [re.search(r"id: (\S+)", each["line"])[1] for each in lines]
    return (
        any(id.startswith("+") for id in ids)
        and "2147483647" in ids
        and any(id.startswith("-") and id != "-1" for id in ids)
        and "-1" in ids
        and "0" in ids
        and "1001" in ids
        and str(2147483647 - 1001) in ids
    )


LineReading(
    title="connection lines by class",
    points=2,
    answers=("labels",),
    row="line",
    probe=label_of,
    space={"line": LINES},
    draws=PLACES,
    together=tricky,
    show=lambda numbers: [each["line"] for each in numbers.values()],
)

# %% judge
from autograder.course.judge import Judge


def _class_of_line(case: dict) -> str:
    """By arithmetic on the id: what the client makes up is below zero, above any broker's number,
    or has a plus."""
    id = case["line"].partition("(id: ")[2].partition(" ")[0]
    return (
        "coordinator"
        if id[0] == "+"
        else ("data", "coordinator")[int(id) > 10**9]
        if int(id) >= 0
        else "bootstrap"
    )


Judge(
    truth=_class_of_line,
    right="right.",
    otherwise="not {said}. Look at the id in the line.",
)


# %% wrong="a large number is the coordinator's"
# This is a broker's own number, so the connection is for data. A cluster may number its brokers from
# 1001 on.
def label(line):
    node_id = line.split("(id: ")[1].split(" ")[0]
    return "bootstrap" if int(node_id) < 0 else "coordinator" if len(node_id) > 1 else "data"


labels = [label(line) for line in shown]


# %% wrong="only near the largest int"
# 2147482646 is 2147483647 - 1001: the coordinator's id where broker 1001 coordinates.
def label(line):
    node_id = line.split("(id: ")[1].split(" ")[0]
    return (
        "bootstrap"
        if int(node_id) < 0
        else "coordinator"
        if node_id.startswith(("+", "2147483"))
        else "data"
    )


labels = [label(line) for line in shown]


# %% wrong="by the port"
# A broker has one port for all that is asked of it. Look at the id: only it tells the connections
# apart.
def label(line):
    node_id = line.split("(id: ")[1].split(" ")[0]
    return {"9092": "bootstrap", "9093": "data"}.get(line.split("localhost:")[1][:4], "coordinator")


labels = [label(line) for line in shown]


# %% wrong="+0 is data"
# The plus is how client 4.4 writes the coordinator's id.
def label(line):
    node_id = line.split("(id: ")[1].split(" ")[0]
    return (
        "bootstrap"
        if int(node_id) < 0
        else "coordinator"
        if int(node_id) > 2_000_000_000
        else "data"
    )


labels = [label(line) for line in shown]


# %% wrong="the largest int is a broker"
# 2147483647 is 2147483647 - 0: the coordinator's id where broker 0 coordinates.
def label(line):
    node_id = line.split("(id: ")[1].split(" ")[0]
    return (
        "bootstrap"
        if int(node_id) < 0
        else "coordinator"
        if node_id[0] == "+" or 2147483647 > int(node_id) > 2_000_000_000
        else "data"
    )


labels = [label(line) for line in shown]


# %% wrong="only -1 is bootstrap"
# Each address of bootstrap.servers has a negative id: -1 the first, -2 the second, -3 the third.
def label(line):
    node_id = line.split("(id: ")[1].split(" ")[0]
    return (
        "bootstrap"
        if node_id == "-1"
        else "coordinator"
        if node_id.startswith("+") or int(node_id) > 2_000_000_000
        else "data"
    )


labels = [label(line) for line in shown]


# %% wrong="the plus is a sign"
# This is no broker's own id. An id with a plus (client 4.4) or one near 2147483647 is the
# coordinator's connection.
def label(line):
    number = int(line.split("(id: ")[1].split(" ")[0])
    return "bootstrap" if number < 0 else "data"


labels = [label(line) for line in shown]

# %% equivalent
# `line.split('(id: ')[1].split(' ')` -> `line.split('(id: ')[1].split()`: the same for one space.
# `int(node_id) > 2000000000` -> `int(node_id) >= 2000000000`, `int(node_id) > 2000000001`,
# `int(node_id) > 1999999999`: no id of a broker or a coordinator is near two thousand million.

# %% hint
# The id comes after `(id: `. It tells the class by itself.

# %% hint
# Negative: bootstrap. Larger than two thousand million, or with a plus: coordinator. Else: data.
