# %% [markdown] items="P3 P9"
# ### Exercise 02.1 · Who is connected?
#
# Write `connected(lines)`. It gets the connection lines of a producer, in time order, and returns the
# node ids that are connected at the end, as a set of numbers. Brokers may crash and restart
# in this time. Here are such lines. Broker 1 crashes, and starts again:

# %%
lab, producer = shop(**{"reconnect.backoff.ms": 1_000})
send_for(producer, lab, ms=20_000)
lab.broker(1).crash()
producer.send(ProducerRecord("orders", value="tea", partition=1))
lab.run_for(ms=3_000)
lab.broker(1).restart()
lab.run_for(ms=3_000)
told = lab.lines().message.str.split("] ", n=1).str[1]
example = [text for text in told if re.search("ing connection|ed connection|not be|disconn", text)]
example


# %% answer
def connected(lines):
    """The ids of the nodes that are connected after these lines."""
    ### BEGIN SOLUTION
    still_open = set()
    for line in lines:
        if line.startswith("Completed connection to node "):
            still_open.add(int(line.split()[4].rstrip(".")))
        if line.startswith("Node ") and line.endswith("disconnected."):
            still_open.discard(int(line.split()[1]))
    return still_open
    ### END SOLUTION


# %% question
from autograder.cell.data import NotAsAsked, plain
from autograder.cell.kinds import Function

# What a connection of one node may go through, as its client writes it: {id} and {port} are the
# node's.
TRY = (
    "Initiating connection to node localhost:{port} (id: {id} rack: null) using address "
    "localhost/127.0.0.1"
)
STANDS = "Completed connection to node {id}. Fetching API versions."
REFUSED = (
    "Connection to node {id} (localhost/127.0.0.1:{port}) could not be established. Broker may not "
    "be available."
)
GONE = "Node {id} disconnected."
STORIES = (
    (TRY, STANDS),
    (TRY, REFUSED),
    (TRY, STANDS, GONE),
    (TRY, STANDS, GONE, TRY, STANDS),
    (TRY, REFUSED, TRY, STANDS),
    (TRY,),
    (TRY, STANDS, GONE, TRY, REFUSED),
    (TRY, STANDS, GONE, TRY),
    (TRY, STANDS, GONE, TRY, STANDS, GONE),
    (TRY, REFUSED, TRY, STANDS, GONE),
    (TRY, STANDS, GONE, TRY, REFUSED, TRY, STANDS),
    (TRY, STANDS, GONE, TRY, STANDS, GONE, TRY, STANDS),
)


def log_of(stories: dict) -> list[str]:
    """The stories of all nodes as one log: in each round every node that has more to say says its
    next line. The brokers' own ids come when an address has answered."""
    ports = {node: 9092 + (node if node >= 0 else -1 - node) for node in stories}
    answered = 1 + min(
        (story.index(STANDS) for node, story in stories.items() if node < 0 and STANDS in story),
        default=0,
    )
    told = [
        (turn if node < 0 else answered + turn, place, line.format(id=node, port=ports[node]))
        for place, (node, story) in enumerate(stories.items())
        for turn, line in enumerate(story)
    ]
    return [line for _, _, line in sorted(told)]


def stories_of(*places: int) -> dict:
    """The nodes -1, -2, 0, 1, 2, 10, with these of STORIES."""
    return dict(zip((-1, -2, 0, 1, 2, 10), (STORIES[place] for place in places)))


LOGS = (
    {"case": "no broker crashes", "lines": log_of(stories_of(0, 5, 0, 0))},
    {"case": "one is gone, one was refused", "lines": log_of(stories_of(2, 1, 0, 1, 2, 0))},
    {"case": "they come back", "lines": log_of(stories_of(0, 4, 3, 10, 6, 7))},
    {"case": "no line", "lines": []},
)


def ids_of(names, case):
    """What the answer says of a log: a set of numbers."""
    found = plain(names["connected"](list(case["lines"])))
    if type(found) is not list:
        raise NotAsAsked(
            f"`connected` returns a set of numbers; yours returned a {type(found).__name__}"
        )
    if any(type(each) is str for each in found):
        raise NotAsAsked('`connected` returns numbers; yours has texts. Write -1, not "-1"')
    return sorted(set(found))


Function(
    title="who is connected at the end",
    points=2,
    answers=("connected",),
    public_cases=LOGS,
    probe=ids_of,
)

# %% judge
import re
from random import Random

from autograder.course.judge import Judge


def _connected(case: dict) -> list[int]:
    """Of each node the last line that decides."""
    last: dict[int, bool] = {}
    for line in case["lines"]:
        if found := re.match(r"Completed connection to node (-?\d+)\.|Node (-?\d+) disconn", line):
            last[int(found[1] or found[2])] = found[1] is not None
    return sorted(node for node, stands in last.items() if stands)


def _more_logs(rng: Random) -> list[dict]:
    return [
        {"lines": log_of(stories_of(*(rng.randrange(len(STORIES)) for _ in range(6))))}
        for _ in range(12)
    ]


Judge(
    truth=_connected,
    hidden_cases=_more_logs,
    right="right: of each node the last line that decides says so.",
    otherwise="you returned {said}. Follow each node from its first line to its last.",
    unseen=(
        "in a log that you have not seen another set is right. Think of nodes that come back, and of "
        "nodes that are refused first."
    ),
)


# %% wrong="closes forgotten"
# You forgot a `disconnected.` After that line no other `Completed connection` came, and a try
# alone is no connection.
def connected(lines):
    return {int(line.split()[4].rstrip(".")) for line in lines if line.startswith("Completed")}


# %% wrong="tries counted"
# You counted a try. `Initiating` only announces a try. `Completed connection` says that it
# succeeded.
def connected(lines):
    still_open = set()
    for line in lines:
        if line.startswith("Initiating"):
            still_open.add(int(line.split("(id: ")[1].split()[0]))
        if line.endswith("disconnected."):
            still_open.discard(int(line.split()[1]))
    return still_open


# %% wrong="gone is gone"
# One of them was disconnected and came back later. The last line about a node decides.
def connected(lines):
    done = {int(line.split()[4].rstrip(".")) for line in lines if line.startswith("Completed")}
    return done - {int(line.split()[1]) for line in lines if line.endswith("disconnected.")}


# %% wrong="refused once, gone for ever"
# One of them was refused once and connected later: the client tries again.
def connected(lines):
    still_open = set()
    for line in lines:
        if line.startswith("Completed"):
            still_open.add(int(line.split()[4].rstrip(".")))
        if line.endswith("disconnected."):
            still_open.discard(int(line.split()[1]))
    return still_open - {int(line.split()[3]) for line in lines if "could not be" in line}


# %% wrong="brokers, not connections"
# A negative id is a connection too. It leads to a broker under a made-up id, and no line closes
# it.
def connected(lines):
    still_open = set()
    for line in lines:
        if line.startswith("Completed"):
            still_open.add(int(line.split()[4].rstrip(".")))
        if line.endswith("disconnected."):
            still_open.discard(int(line.split()[1]))
    return {node for node in still_open if node >= 0}


# %% equivalent
# `line.startswith('Node ') and line.endswith('disconnected.')` changed: only these lines begin
# with these words, and only these end so.
# `return still_open` -> `return sorted(still_open)`: a list of these numbers will do.

# %% hint
# `Initiating` is only a try. Which line says that a node is connected? Which line says
# that it is disconnected?

# %% hint
# Add the number in `Completed connection to node`, take away the number in `Node … disconnected.`
