# %% [markdown]
# ### Exercise 02.10 · Which address is wrong?
#
# Here is the log of a real producer, client 3.9.2 on three brokers 4.4.0. One broker gives clients a
# wrong address. Another one was down for some seconds, and its address is right. `shown` holds the
# producer's setting `bootstrap.servers`, and its lines about connections.
#
# - `broker`: which broker's `advertised.listeners` is wrong? Its number.
# - `gives`: the address that it gives to clients, such as `"localhost:1234"`.
# - `instead`: the address that it must give.

# %%
shown = numbers("02.10")
shown

# %% answer
broker = ...  # a number
gives = ...  # a text
instead = ...  # a text
### BEGIN SOLUTION
import re

lines = "\n".join(shown)
asked = re.findall(r"connection to node (localhost:\d+) \(id: (\d) ", lines)
told = {int(node): address for address, node in asked}
done = {int(node) for node in re.findall(r"Completed connection to node (\d)\.", lines)}
(broker,) = set(told) - done
gives = told[broker]
(instead,) = set(re.findall(r"localhost:\d+", shown[0])) - set(told.values())
### END SOLUTION

# %% question
import gzip

from autograder.cell.kinds import LineReading
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read, time_text

RUNS = "data/recordings/programs/wrong_address_4.4.0_3.9.2"
TOLD = ("Initiating connection", "Completed connection", "could not be established")


def log_of_a_wrong_address(numbers) -> list[str]:
    """The addresses of a real producer, and its lines about connections, while one broker advertises
    a port at which nobody listens and another one starts anew."""
    path = course_folder() / RUNS / f"{numbers['run']:02}.log.gz"
    with gzip.open(path, "rt", encoding="utf-8") as log:
        servers = next(line.strip() for line in log if "bootstrap.servers" in line)
    told = [
        f"{time_text(row.at_ms)[-12:]} {row.level} {row.text}"
        for row in read(path)
        if any(words in row.message for words in TOLD)
    ]
    return [servers, *told]


LineReading(
    title="bug hunt: the address that nobody answers at",
    points=3,
    answers=("broker", "gives", "instead"),
    show=log_of_a_wrong_address,
    space={"run": tuple(range(12))},
)

# %% judge
import json

from autograder.cell.course_folder import HOME
from autograder.course.judge import Judge


def _truth(case: dict) -> dict:
    truth = json.loads((HOME / RUNS / "truth.json").read_text(encoding="utf-8"))
    return truth[case["run"]]


Judge(
    truth=_truth,
    right=lambda case: (
        "right: broker {broker} gives out {gives}, and nobody listens there. It answers at {instead}, "
        "so that belongs into its advertised.listeners.".format(**_truth(case))
    ),
    otherwise={
        "broker": (
            "{said} is not it. To which node did the client never get a connection, from the first "
            "line to the last?"
        ),
        "gives": (
            "{said} is not it. A line `Initiating connection` has the address at which the client "
            "looks for this node."
        ),
        "instead": (
            "{said} is not it. The three brokers listen at the three addresses of bootstrap.servers. "
            "Which of them does no other broker give out?"
        ),
    },
)

# %% begin
import re

told, done, last = {}, set(), None
for line in shown:
    begun = re.search(r"connection to node (\S+) \(id: (\S+) rack", line)
    if begun:
        told[int(begun[2])] = begun[1]
    if "Completed" in line:
        done.add(int(line.split("node ")[1].split(".")[0]))
    if "not be established" in line:
        last = line
real = {node: place for node, place in told.items() if node >= 0}
broker = (set(real) - done).pop()
gives = real[broker]
listed = re.findall(r"localhost:\d+", shown[0])
instead = (set(listed) - set(real.values())).pop()

# %% wrong="the broker that was away"
# The client got a connection to this node before, and again later. Its address is right; the broker
# was away for a moment.
lost = re.findall(r"to node (\d) \(localhost/127.0.0.1:\d+\) could not", "\n".join(shown))
broker = next(int(node) for node in lost if int(node) in done)

# %% wrong="what it gives already"
# That is what the broker gives out now. Nobody listens there.
instead = gives

# %% wrong="the address of the list"
# That is the address at which this broker listens. The client got another one from METADATA. Read its
# line `Initiating connection`.
gives = instead

# %% wrong="by the number"
# You took the port for the broker's number. A broker has the number that its own settings say. No port
# tells it.
instead = f"localhost:{9092 + broker}"

# %% wrong="the address of another broker"
# That is an address of another broker. Two of the three addresses are given out by brokers that the
# client reaches.
instead = next(
    address
    for node, address in real.items()
    if node != broker and address != f"localhost:{9092 + broker}"
)

# %% equivalent
# `'\n'.join` -> `''.join`: each pattern ends before its line does.
# `{int(node): address for address, node in asked}` -> `{int(node): address for address, node in
# list(asked)[1:]}`, `{int(node): address for address, node in list(asked)[:-1]}`: the client looks for
# the broker that was away, and for the one it never finds, more than once.

# %% hint
# For each node from 0 on: is there a line `Completed connection to node`? The node without one has no
# right address.

# %% hint
# The other two nodes name two addresses of the list. The third address of the list is the one where
# this broker listens.
