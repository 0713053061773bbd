# %% [markdown] items="P5"
# ### Exercise 02.3 · Write the rule
#
# Write `least_loaded(nodes)`. Return the node to ask, or `None`. Each node has fields, as in
# `node.id`:
#
# - `id`: its number.
# - `in_flight`: how many requests still wait for an answer.
# - `can_send`: it is connected and can take a request now.
# - `state`: `"ready"`, `"preparing"` (a connection is being made) or `"disconnected"`.
# - `can_connect`: it is disconnected, and the client may try it now. After a failed try the client
#   waits before it tries again. This pause is the **backoff** (退避).
#
# The rule of version 2.3:
#
# 1. Of the nodes that can take a request now, the one with the fewest in flight.
# 2. If there is none: a node whose connection is being made.
# 3. If there is none: a node that may be connected.
#
# The check also gives your function to producers in clusters where brokers are slow or down. If a
# start goes wrong, it shows the seed and the lines that prove it.

# %% answer
def least_loaded(nodes):
    """The node to ask, or None."""
    ### BEGIN SOLUTION
    free = [one for one in nodes if one.can_send]
    if free:
        return min(free, key=lambda one: one.in_flight)
    for wanted in (
        [one for one in nodes if one.state == "preparing"],
        [one for one in nodes if one.can_connect],
    ):
        if wanted:
            return wanted[0]
    return None
    ### END SOLUTION


# %% question
import itertools
from types import SimpleNamespace

from autograder.cell.kinds import Function
from kafkalab import KafkaProducer, Lab

TABLES = (
    {
        "case": "three ready, one untouched",
        "nodes": [
            node(0, "ready", 3),
            node(1, "ready", 5),
            node(2, "ready", 1),
            node(3, "disconnected"),
        ],
    },
    {
        "case": "one being connected, one untouched",
        "nodes": [node(-1, "preparing", 1), node(-2, "disconnected")],
    },
    {
        "case": "ready but full, and one being connected",
        "nodes": [node(0, "ready", 5, can_send=False), node(1, "preparing")],
    },
    {
        "case": "only an untouched one",
        "nodes": [node(-3, "disconnected"), node(0, "ready", 5, can_send=False)],
    },
    {
        "case": "one failed a moment ago, one may be connected",
        "nodes": [node(1, "disconnected", can_connect=False), node(2, "disconnected")],
    },
    {
        "case": "one is full, one failed a moment ago",
        "nodes": [node(0, "ready", 5, can_send=False), node(1, "disconnected", can_connect=False)],
    },
)
STARTS = (
    {"case": "three addresses, seed 3", "seed": 3, "brokers": 3, "down": [], "slow_ms": 0},
    {"case": "slow answers, seed 5", "seed": 5, "brokers": 4, "down": [], "slow_ms": 15},
    {
        "case": "brokers 0 and 2 are down, seed 8",
        "seed": 8,
        "brokers": 4,
        "down": [0, 2],
        "slow_ms": 0,
    },
    {
        "case": "only broker 3 is up, seed 2",
        "seed": 2,
        "brokers": 4,
        "down": [0, 1, 2],
        "slow_ms": 0,
    },
)


def ask(names, case):
    """The id of the node that the learner's rule returns."""
    chosen = names["least_loaded"]([SimpleNamespace(**fields) for fields in case["nodes"]])
    must_be_one("least_loaded", "nodes", chosen)
    return None if chosen is None else chosen.id


def start(case, rule):
    """A 2.3 producer that sends nothing and asks `rule` where to go,
    in a cluster where some may be slow or down."""
    lab = Lab(brokers=case["brokers"], seed=case["seed"], version="2.3", broker_version="2.3")
    for broker in range(case["brokers"]):
        if broker in case["down"]:
            lab.broker(broker).crash()
        elif case["slow_ms"]:
            lab.broker(broker).delay("API_VERSIONS", ms=case["slow_ms"])
    addresses = ",".join(f"localhost:{9092 + broker}" for broker in range(case["brokers"]))
    settings = {"bootstrap.servers": addresses}
    asked = asked_for_one("least_loaded", "nodes", rule)
    KafkaProducer(lab, settings, name="learner", least_loaded=asked)
    lab.run_for(ms=2_000)
    return lab


def needless(case, lab):
    """What a start must not have: a connection begun while another one was open or on its way, or
    no answer at all."""
    tried = lab.sockets()
    for before, after in itertools.pairwise(tried):
        if before.closed_at_ms is None or before.closed_at_ms > after.opened_at_ms:
            return (
                (
                    f"with seed {case['seed']}, node {after.node_id} was connected while the "
                    f"connection to node {before.node_id} was there or on its way. "
                    "One is enough to ask."
                ),
                _lines(lab, before.node_id, after.node_id),
            )
    if not any(event.api == "METADATA" for event in lab.journal.of("response.received")):
        return (
            (
                f"with seed {case['seed']}, METADATA has no answer after 2,000 ms. The producer does "
                "not know which broker leads which partition."
            ),
            _lines(lab, *(s.node_id for s in tried)),
        )
    return None


def _lines(lab, *nodes) -> list[str]:
    """The client's first lines about connections to these nodes."""
    said = [
        (event.at_ms, event.message.split("] ", 1)[-1])
        for event in lab.journal.of("line")
        if event.name in ("INITIATING_CONNECTION", "CONNECTION_NOT_ESTABLISHED")
    ]
    return [
        f"{at_ms:>5,} ms  {text}"
        for at_ms, text in said
        if any(f"id: {id} " in text or f"node {id} " in text for id in nodes)
    ][:4]


def kept(case):
    """What such a start has proven."""
    down, slow = len(case["down"]), case["slow_ms"]
    among = [f"{down} of {case['brokers']} brokers down"] if down else []
    among += [f"answers {slow} ms late"] if slow else []
    shown = "one connection at a time, and METADATA was answered."
    return f"right: with {' and '.join(among) or 'all brokers well'}, {shown}"


Function(
    title="write least_loaded",
    points=4,
    answers=("least_loaded",),
    public_cases=TABLES + STARTS,
    probe=ask,
    play=start,
    look=needless,
    kept=kept,
)

# %% judge
from random import Random

from autograder.course.judge import Judge


def _picked(case: dict):
    """The rule of 2.3 as one sort key: able first, fewest in flight; then preparing;
    then what may be connected."""
    ranked = sorted(
        (
            (0, n["in_flight"])
            if n["can_send"]
            else (1, 0)
            if n["state"] == "preparing"
            else (2, 0)
            if n["can_connect"]
            else (9, 0),
            n["id"],
        )
        for n in case["nodes"]
    )
    return ranked[0][1] if ranked and ranked[0][0][0] < 9 else None


def _tables(rng: Random) -> list[dict]:
    """Random clusters without ties: distinct loads among the able, at most one preparing, at most
    one untouched. Then starts of a producer with brokers that are slow or down."""
    cases = []
    for _ in range(8):
        loads = rng.sample(range(9), rng.randrange(0, 4))
        nodes = [node(i, "ready", load) for i, load in enumerate(loads)]
        nodes += [node(len(nodes) + i, "ready", 5, can_send=False) for i in range(rng.randrange(2))]
        nodes += [node(-1, "preparing", 1)] * rng.randrange(2)
        nodes += [node(-2, "disconnected")] * rng.randrange(2)
        nodes += [node(-3, "disconnected", can_connect=False)] * rng.randrange(2)
        rng.shuffle(nodes)
        cases.append({"nodes": nodes})
    starts = [
        {
            "seed": rng.randrange(1_000, 9_000),
            "brokers": brokers,
            "down": sorted(rng.sample(range(brokers), rng.randrange(brokers))),
            "slow_ms": rng.choice((0, 0, 6, 14)),
        }
        for brokers in (3, 4, 5, 5)
    ]
    return [*cases, *starts]


def _why_picked(case: dict) -> str:
    """Which of the three rules decided in this case."""
    if "seed" in case:
        return kept(case)
    if any(n["can_send"] for n in case["nodes"]):
        return "right: rule 1, the fewest in flight of those that can send."
    if any(n["state"] == "preparing" for n in case["nodes"]):
        return "right: rule 2, the connection that is being made."
    if any(n["can_connect"] for n in case["nodes"]):
        return "right: rule 3, a node that may be connected."
    return "right: no node can be asked now, so None."


Judge(
    truth=_picked,
    hidden_cases=_tables,
    right=_why_picked,
    otherwise="not this node. Apply the three rules one after the other.",
    unseen=(
        "your rule picks a wrong node, or one connection too many is opened. Apply the three rules "
        "one after the other."
    ),
)


# %% wrong="every disconnected node"
# This node failed a moment ago, and the client must wait before it tries again. Ask for can_connect,
# not for the state.
def least_loaded(nodes):
    able = [n for n in nodes if n.can_send]
    if able:
        return min(able, key=lambda n: n.in_flight)
    rest = [n for n in nodes if n.state == "preparing"]
    rest = rest or [n for n in nodes if n.state == "disconnected"]
    return rest[0] if rest else None


# %% wrong="in flight only"
# You took a node that is not connected, and there is a better one. Rule 1 takes a node that can send,
# however many requests it has in flight, and rule 2 comes before rule 3.
def least_loaded(nodes):
    return min(nodes, key=lambda n: n.in_flight)


# %% wrong="in flight, where it may be connected"
# This node is full or not connected. Rule 1 counts only the nodes that can send.
def least_loaded(nodes):
    able = [n for n in nodes if n.can_send or n.can_connect]
    return min(able, key=lambda n: n.in_flight) if able else None


# %% wrong="the rule of 2.2"
# Your rule takes an untouched node while a connection is being made. Version 2.2 did so, and opened
# one connection after another.
def least_loaded(nodes):
    able = [n for n in nodes if n.can_send and n.in_flight == 0]
    rest = [n for n in nodes if n.can_send or n.state != "ready"]
    if able:
        return able[0]
    return min(rest, key=lambda n: (n.in_flight, n.state != "disconnected")) if rest else None


# %% wrong="the first that can send"
# You took the first node that can send. Rule 1 asks for the fewest requests in flight.
def least_loaded(nodes):
    for wanted in (lambda n: n.can_send, lambda n: n.state == "preparing", lambda n: n.can_connect):
        for n in nodes:
            if wanted(n):
                return n
    return None


# %% wrong="the busiest"
# You took the node with the most requests in flight. Use min, not max.
def least_loaded(nodes):
    able = [n for n in nodes if n.can_send]
    if able:
        return max(able, key=lambda n: n.in_flight)
    rest = [n for n in nodes if n.state == "preparing"] or [n for n in nodes if n.can_connect]
    return rest[0] if rest else None


# %% wrong="full nodes too"
# A node can be ready and still take no request now, because too many of its requests wait for an
# answer. Ask for can_send.
def least_loaded(nodes):
    able = [n for n in nodes if n.state == "ready"]
    if able:
        return min(able, key=lambda n: n.in_flight)
    rest = [n for n in nodes if n.state == "preparing"] or [n for n in nodes if n.can_connect]
    return rest[0] if rest else None


# %% equivalent
# `wanted[0]` -> `wanted[-1]`: the rules say nothing of two nodes that are alike.

# %% hint
# Three passes over the nodes, one for each rule. The first pass that finds a node decides.

# %% hint
# min(able, key=lambda node: node.in_flight) for the first; state == "preparing" for the second;
# can_connect for the third.
