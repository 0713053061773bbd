# %% [markdown] items="P3 P9"
# ### Exercise 02.1 · Who is connected?
#
# `shown` holds the connection lines of a producer while brokers crashed and restarted. They are in
# time order. Which node ids are connected at the end? Make a set `still_open` of numbers.

# %%
shown = numbers("02.1")
shown

# %% answer
still_open = ...
### BEGIN SOLUTION
still_open = set()
for line in shown:
    if line.startswith("Completed connection to node "):
        still_open.add(int(line.split()[4].rstrip(".")))
    if line.startswith("Node ") and line.endswith("disconnected."):
        still_open.discard(int(line.split()[1]))
### END SOLUTION

# %% question
from autograder.cell.data import NotAsAsked, plain
from autograder.cell.kinds import LineReading

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
    (TRY, REFUSED, TRY, REFUSED),
    (TRY, STANDS, GONE, TRY),
    (TRY, REFUSED, TRY),
    (TRY, STANDS, GONE, TRY, STANDS, GONE),
    (TRY, REFUSED, TRY, STANDS, GONE),
    (TRY, REFUSED, TRY, REFUSED, TRY, STANDS),
    (TRY, STANDS, GONE, TRY, REFUSED, TRY, STANDS),
    (TRY, STANDS, GONE, TRY, STANDS, GONE, TRY, STANDS),
    (TRY, REFUSED, TRY, STANDS, GONE, TRY),
)
NODES = ("-1", "-2", "0", "1", "2", "3")


def telling(nodes) -> bool:
    """Whether a log holds what a careless reader gets wrong, and tells one carelessness from the
    other: a made-up node that stays, one that comes back, one refused before it stood, not all the
    same ones; a try that came to nothing; a connection that is gone."""
    stories = [each["story"] for each in nodes]
    stays = [place for place, story in enumerate(stories) if story[-1] == STANDS]
    missed = {
        tuple(place for place in stays if place < 2),
        *(tuple(place for place in stays if line in stories[place]) for line in (GONE, REFUSED)),
    }
    return (
        len(missed) == 3
        and () not in missed
        and any(STANDS not in story for story in stories)
        # the last line of a node that is gone counts for that node, and not only for node 0
        and any(GONE in story for place, story in enumerate(stories) if NODES[place] != "0")
        and any(STANDS in story and story[-1] != STANDS for story in stories)
    )


def log_of(numbers) -> list[str]:
    """The stories of all nodes as one log: in each round every node that has more to say says its
    next line. The brokers' own ids come when an address stands and has answered: before that a
    client knows none of them."""
    ports = {node: 9092 + (int(node) if int(node) >= 0 else -1 - int(node)) for node in numbers}
    asked = [list(numbers[node]["story"]) for node in numbers if int(node) < 0]
    answered = 1 + min((story.index(STANDS) for story in asked if STANDS in story), default=0)
    told = [
        (turn if int(node) < 0 else answered + turn, place, line.format(id=node, port=ports[node]))
        for place, node in enumerate(numbers)
        for turn, line in enumerate(numbers[node]["story"])
    ]
    return [line for _, _, line in sorted(told)]


def is_open(names, case):
    """Whether the answer counts this case's node among those that are connected."""
    found = plain(names["still_open"])
    if type(found) is not list:
        raise NotAsAsked(f"`still_open` is a set of numbers; yours is a {type(found).__name__}")
    if any(type(each) is str for each in found):
        raise NotAsAsked('`still_open` holds texts; write numbers: -1, not "-1"')
    unknown = sorted(str(each) for each in found if str(each) not in NODES)
    if unknown:
        raise NotAsAsked(f"`still_open` names {unknown[0]}, and no line speaks of that node")
    return int(case["of"]) in [each for each in found if type(each) is int]


LineReading(
    title="who is connected at the end",
    points=2,
    answers=("still_open",),
    space={"story": STORIES},
    draws=NODES,
    row="node",
    place_matters=True,
    show=log_of,
    probe=is_open,
    together=telling,
)

# %% judge
from autograder.course.judge import Judge


def _stands(case: dict) -> bool:
    """Played through: what the last of its lines that says yes or no has said."""
    last = [line for line in case["story"] if line.startswith(("Completed", "Node"))]
    return bool(last) and last[-1].startswith("Completed")


def _why_open(case: dict) -> str:
    """Which line decides about this case's node."""
    if _stands(case):
        return "right: `Completed connection` is the last line that decides, so it is connected."
    if any(line.startswith("Completed") for line in case["story"]):
        return "right: it was connected, and `disconnected.` came later."
    return "right: no try of it was completed."


Judge(
    truth=_stands,
    right=_why_open,
    otherwise="not right. Follow this node from its first line to its last.",
)

# %% wrong="closes forgotten"
# You forgot its `disconnected.` After that line no other `Completed connection` came, and a try
# alone is no connection.
still_open = set()
for line in shown:
    node = int(
        (line.split("(id: ")[1] if "(id: " in line else line.split("ode ")[1])
        .split()[0]
        .rstrip(".")
    )
    "Completed" in line and still_open.add(node)

# %% wrong="tries counted"
# You counted a try. `Initiating` only announces a try. `Completed connection` says that it
# succeeded.
still_open = set()
for line in shown:
    node = int(
        (line.split("(id: ")[1] if "(id: " in line else line.split("ode ")[1])
        .split()[0]
        .rstrip(".")
    )
    "Initiating" in line and still_open.add(node)
    line.endswith("disconnected.") and still_open.discard(node)

# %% wrong="gone is gone"
# It was disconnected and came back later. The last line about a node decides.
still_open = set()
for line in shown:
    node = int(
        (line.split("(id: ")[1] if "(id: " in line else line.split("ode ")[1])
        .split()[0]
        .rstrip(".")
    )
    "Completed" in line and still_open.add(node)
still_open -= {int(line.split()[1]) for line in shown if line.endswith("disconnected.")}

# %% wrong="refused once, gone for ever"
# It was refused once and connected later: the client tries again.
still_open = set()
for line in shown:
    node = int(
        (line.split("(id: ")[1] if "(id: " in line else line.split("ode ")[1])
        .split()[0]
        .rstrip(".")
    )
    "Completed" in line and still_open.add(node)
    line.endswith("disconnected.") and still_open.discard(node)
still_open -= {int(line.split()[3]) for line in shown if "could not be established" in line}

# %% wrong="brokers, not connections"
# A negative id is a connection too. It leads to a broker under a made-up id, and no line closes
# it.
still_open = set()
for line in shown:
    node = int(
        (line.split("(id: ")[1] if "(id: " in line else line.split("ode ")[1])
        .split()[0]
        .rstrip(".")
    )
    "Completed" in line and node >= 0 and still_open.add(node)
    line.endswith("disconnected.") and still_open.discard(node)

# %% equivalent
# `line.startswith('Node ') and line.endswith('disconnected.')` changed: only these lines begin
# with these words, and only these end so.

# %% hint
# `Initiating` is only a try. Which line says that a node is connected? Which line says
# that it is disconnected?

# %% hint
# Add the number in `Completed connection to node`, take away the number in `Node … disconnected.`
