# %% [markdown] items="G19 N114"
# ### Exercise 07.1 · Who leads, and how often do they join?
#
# Three groups, A, B and C. In group A the members `n.A.starts` start in this order within one
# second; all clients are version `n.A.version`. Later `n.A.later` more come, one every fifteen
# seconds. Everybody polls all the time and nobody leaves. Who is the leader in the end? How many
# JOIN_GROUP requests did the coordinator get in all, of newcomers and of those who were there
# already? What is the number of the last generation?

# %%
n = numbers("07.1")
n

# %% answer
leader = {"A": ..., "B": ..., "C": ...}
joins = {"A": ..., "B": ..., "C": ...}
last_generation = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def joins_of(group):
    first = len(group.starts.split())
    own = (1 if group.version == "2.1" else 2) * (first + group.later)  # each member's own way in
    again = sum(first + place for place in range(group.later))  # who is there joins again
    return own + again


leader = {name: group.starts.split()[0] for name, group in n.items()}
joins = {name: joins_of(group) for name, group in n.items()}
last_generation = {name: 1 + group.later for name, group in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

STARTS = (
    "bo ada cy",
    "cy ada bo",
    "bo cy ada",
    "cy bo ada",
    "ada cy bo",
    "ada bo cy",
    "dee ada cy bo",
    "cy dee bo ada",
    "bo cy ada dee",
    "dee bo cy ada",
)

Value(
    title="who leads, and how many joins",
    points=3,
    answers=("leader", "joins", "last_generation"),
    draws=THREE,
    row="group",
    space={"starts": STARTS, "version": ("2.1", "2.3", "3.9"), "later": (1, 2, 3, 4)},
    together=lambda groups: (
        {n["version"] for n in groups} >= {"2.1", "2.3"}
        and any(not n["starts"].startswith("ada") for n in groups)
        and any(n["later"] > 1 for n in groups)
    ),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import PROFILES, Lab


@cache
def _joined(at_once: int, later: int, version: str) -> tuple[int, int, int]:
    """(place of the leader in the order of starting, JOIN_GROUP
    requests of all, last generation)."""
    lab = Lab(
        brokers=1,
        seed=21,
        version=version,
        broker_version="2.3" if version.startswith("2.") else "4.4",
    )
    lab.create_topic("orders", partitions=4)
    for place in range(at_once + later):
        lab.spawn(_member, f"p{place}", "Range", name=f"p{place}")
        lab.run_for(ms=200 if place < at_once - 1 else 15_000)
    group = lab.at(lab.now_ms)["groups"]["billing"]
    joins = sum(event.api == "JOIN_GROUP" for event in lab.journal.of("request.sent"))
    leader = group["members"][group["leader"]]["client_id"]
    lab.close()
    return int(leader[1:]), joins, group["generation"]


def _join_phase(case: dict) -> dict:
    starts = case["starts"].split()
    place, joins, generation = _joined(len(starts), case["later"], case["version"])
    return {"leader": starts[place], "joins": joins, "last_generation": generation}


def _why_these_joins(case):
    """A newcomer asks for its id first where the client knows JoinGroup 4 (KIP-394)."""
    newest = PROFILES[case["version"]].apis.newest["JoinGroup"]
    asks = "each newcomer asks for its id first, " if newest >= 4 else ""
    return f"right: the first one leads, {asks}and everybody who is there joins again."


Judge(
    truth=_join_phase,
    right=_why_these_joins,
    otherwise=(
        "not all of these three are right. How often does a newcomer of version {version} send "
        "JOIN_GROUP, and what do the others do each time?"
    ),
)


# %% begin
def known(x):
    return len(x.starts.split())


def k(x):
    return 1 if x.version == "2.1" else 2


def again(x):
    return sum(known(x) + i for i in range(x.later))


# %% wrong="one join each"
# You gave each member one join. When one comes, all who are there join again, since a generation
# begins with everybody.
leader = {a: x.starts.split()[0] for a, x in n.items()}
joins = {a: known(x) + x.later for a, x in n.items()}
last_generation = {a: 1 + x.later for a, x in n.items()}

# %% wrong="the others do not join again"
# You counted the newcomers' own way in. Those who are there hear of it in a heartbeat's answer,
# and join again, too.
leader = {a: x.starts.split()[0] for a, x in n.items()}
joins = {a: k(x) * (known(x) + x.later) for a, x in n.items()}
last_generation = {a: 1 + x.later for a, x in n.items()}

# %% wrong="no id is asked for"
# From 2.2 on a newcomer's first JOIN_GROUP only fetches its member id. Clients {version} send it
# twice.
leader = {a: x.starts.split()[0] for a, x in n.items()}
joins = {a: known(x) + x.later + again(x) for a, x in n.items()}
last_generation = {a: 1 + x.later for a, x in n.items()}

# %% wrong="an old client asks for its id"
# MEMBER_ID_REQUIRED came with 2.2. A client {version} is let in at its first try.
leader = {a: x.starts.split()[0] for a, x in n.items()}
joins = {a: 2 * (known(x) + x.later) + again(x) for a, x in n.items()}
last_generation = {a: 1 + x.later for a, x in n.items()}

# %% wrong="everybody asks for an id each time"
# A member keeps its id. Who joins again sends one request, not two.
leader = {a: x.starts.split()[0] for a, x in n.items()}
joins = {a: k(x) * (known(x) + x.later + again(x)) for a, x in n.items()}
last_generation = {a: 1 + x.later for a, x in n.items()}

# %% wrong="the alphabet leads"
# Names decide nothing here. The coordinator takes the member that it added first: read {starts}
# from the left.
leader = {a: min(x.starts.split()) for a, x in n.items()}
joins = {a: k(x) * (known(x) + x.later) + again(x) for a, x in n.items()}
last_generation = {a: 1 + x.later for a, x in n.items()}

# %% wrong="the last one leads"
# A leader stays one while it is there. The first that the coordinator added leads, and nobody
# left.
leader = {a: x.starts.split()[-1] for a, x in n.items()}
joins = {a: k(x) * (known(x) + x.later) + again(x) for a, x in n.items()}
last_generation = {a: 1 + x.later for a, x in n.items()}

# %% wrong="counted from 0"
# Leader and requests are right. What {starts} agree on when they start has the number 1 and not 0;
# every newcomer makes one more.
leader = {a: x.starts.split()[0] for a, x in n.items()}
joins = {a: k(x) * (known(x) + x.later) + again(x) for a, x in n.items()}
last_generation = {a: x.later for a, x in n.items()}

# %% wrong="a generation for each member"
# Those who start within the first seconds are gathered into one generation: a group that was empty
# waits for more.
leader = {a: x.starts.split()[0] for a, x in n.items()}
joins = {a: k(x) * (known(x) + x.later) + again(x) for a, x in n.items()}
last_generation = {a: known(x) + x.later for a, x in n.items()}

# %% hint
# Two things make more than one join each: how a newcomer gets its id, and what the others do when
# somebody comes.

# %% hint
# A newcomer of 2.2 or later sends two, an older one sends one. Then add one for each member that
# is already there, each time somebody comes.
