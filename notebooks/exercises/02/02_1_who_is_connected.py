# %% [markdown] items="P3 P9"
# ### Exercise 02.1 · Who is connected?
#
# Three producers, A, B and C, each with six nodes. Brokers crashed and restarted. `shown` holds the
# connection lines of each producer, in time order. Which node ids are connected at the end? Make a
# set of numbers for each producer. It counts only as a whole. So let a function read the lines.

# %%
shown = numbers("02.1")
shown["A"]

# %% answer
still_open = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def connected(lines):
    nodes = set()
    for line in lines:
        if line.startswith("Completed connection to node "):
            nodes.add(int(line.split()[4].rstrip(".")))
        if line.startswith("Node ") and line.endswith("disconnected."):
            nodes.discard(int(line.split()[1]))
    return nodes


still_open = {name: connected(lines) for name, lines in shown.items()}
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
STAYS, IS_REFUSED, LEFT = (TRY, STANDS), (TRY, REFUSED), (TRY, STANDS, GONE)
NODES = {
    "-1": (STAYS, LEFT + STAYS, LEFT + IS_REFUSED),
    "-2": (IS_REFUSED * 2, IS_REFUSED + STAYS, (*LEFT, TRY)),
    "0": (STAYS, LEFT + IS_REFUSED + STAYS, LEFT),
    "1": (LEFT + STAYS, IS_REFUSED + LEFT, (TRY,)),
    "2": ((*IS_REFUSED, TRY), IS_REFUSED * 2 + STAYS, LEFT * 2 + STAYS),
    "3": (STAYS, LEFT + IS_REFUSED, (*IS_REFUSED, *LEFT, TRY)),
}


def telling(stories) -> bool:
    """Whether each usual mistake names other nodes than the truth, and than the others."""
    decides = {node: [line for line in story if line != TRY] for node, story in stories.items()}
    ever = {node for node, lines in decides.items() if STANDS in lines}
    stays = {node for node in ever if decides[node][-1] == STANDS}
    ideas = (
        stays,
        ever,
        {node for node, story in stories.items() if story[-1] != GONE},
        {node for node in stays if GONE not in decides[node]},
        {node for node in stays if REFUSED not in decides[node]},
        {node for node in stays if int(node) >= 0},
    )
    return all(idea and ideas.count(idea) == 1 for idea in ideas)


def log_of(numbers) -> dict[str, list[str]]:
    """What each producer wrote."""
    return {name: _log_of(stories) for name, stories in numbers.items()}


def _log_of(stories) -> list[str]:
    """The stories of all nodes as one log: in each round every node that has more to say says its
    next line. The brokers' own ids come when an address stands and has answered: before that a
    client knows none of them."""
    ports = {node: 9092 + (int(node) if int(node) >= 0 else -1 - int(node)) for node in stories}
    asked = [list(stories[node]) for node in stories if int(node) < 0]
    answered = 1 + min((story.index(STANDS) for story in asked if STANDS in story), default=0)
    told = [
        (turn if int(node) < 0 else answered + turn, place, line.format(id=node, port=ports[node]))
        for place, node in enumerate(stories)
        for turn, line in enumerate(stories[node])
    ]
    return [line for _, _, line in sorted(told)]


def open_of(names, case):
    """The nodes that the answer counts as connected in this case's log."""
    name = case["of"]
    answer = plain(names["still_open"])
    found = answer.get(name) if type(answer) is dict else None
    if type(found) is not list:
        raise NotAsAsked(f'`still_open["{name}"]` is a set of numbers, such as {{-1, 0}}')
    if any(type(each) is not int for each in found):
        raise NotAsAsked(f'`still_open["{name}"]` holds numbers: -1, not "-1"')
    unknown = sorted(str(each) for each in found if str(each) not in NODES)
    if unknown:
        raise NotAsAsked(f'`still_open["{name}"]` names {unknown[0]}; no line speaks of that node')
    return sorted(set(found))


LineReading(
    title="who is connected at the end",
    points=2,
    answers=("still_open",),
    space=NODES,
    where=telling,
    draws=("A", "B", "C"),
    row="producer",
    show=log_of,
    probe=open_of,
)

# %% judge
from autograder.course.judge import Judge


def _stand(case: dict) -> list[int]:
    """Played through: of which nodes the last line that says yes or no has said yes."""
    nodes = []
    for node in (-2, -1, 0, 1, 2, 3):
        last = [line for line in case[f"{node}"] if not line.startswith("Initiating")][-1:]
        if last and last[0].startswith("Completed"):
            nodes.append(node)
    return nodes


Judge(
    truth=_stand,
    right="right: of these nodes `Completed connection` is the last line that decides.",
    otherwise="not these. Follow one node from its first line to its last, then the next.",
)

# %% wrong="closes forgotten"
# You forgot `disconnected.` After that line a try alone is no connection: another `Completed
# connection` has to come.
still_open = {
    name: {int(line.split()[4].rstrip(".")) for line in lines if line.startswith("Completed")}
    for name, lines in shown.items()
}

# %% wrong="tries counted"
# You counted a try. `Initiating` only announces a try. `Completed connection` says that it
# succeeded.
still_open = {name: set() for name in shown}
for name, lines in shown.items():
    for line in lines:
        if line.startswith("Initiating"):
            still_open[name].add(int(line.split("(id: ")[1].split()[0]))
        if line.endswith("disconnected."):
            still_open[name].discard(int(line.split()[1]))

# %% wrong="gone is gone"
# One of them was disconnected and came back later. The last line about a node decides.
still_open = {
    name: {int(line.split()[4].rstrip(".")) for line in lines if line.startswith("Completed")}
    - {int(line.split()[1]) for line in lines if line.endswith("disconnected.")}
    for name, lines in shown.items()
}

# %% wrong="refused once, gone for ever"
# One of them was refused once and connected later: the client tries again.
still_open = {name: set() for name in shown}
for name, lines in shown.items():
    for line in lines:
        if line.startswith("Completed"):
            still_open[name].add(int(line.split()[4].rstrip(".")))
        if line.endswith("disconnected."):
            still_open[name].discard(int(line.split()[1]))
    still_open[name] -= {int(line.split()[3]) for line in lines if "could not be" in line}

# %% wrong="brokers, not connections"
# A negative id is a connection, too. It leads to a broker under a made-up id, and no line closes
# it.
still_open = {name: set() for name in shown}
for name, lines in shown.items():
    for line in lines:
        if line.startswith("Completed connection to node -"):
            continue
        if line.startswith("Completed"):
            still_open[name].add(int(line.split()[4].rstrip(".")))
        if line.endswith("disconnected."):
            still_open[name].discard(int(line.split()[1]))

# %% equivalent
# `line.startswith('Node ') and line.endswith('disconnected.')` changed: only these lines begin
# with these words, and only these end so.
# `return nodes` -> `return sorted(nodes)`: a list of these numbers says the same.

# %% hint
# `Initiating` is only a try. Which line says that a node is connected? Which line says
# that it is disconnected?

# %% hint
# Add the number in `Completed connection to node`, take away the number in `Node … disconnected.`
