"""Chapter 02, what a producer connects to: the learner's half of its questions."""
from __future__ import annotations

from types import SimpleNamespace

from autograder.questions import Question
from kafkalab import KafkaProducer, Lab


def node(id: int, state: str, in_flight: int = 0, can_send: bool | None = None) -> dict:
    """A node as least_loaded sees it, as plain data. A ready node can take a request unless said otherwise."""
    return {"id": id, "state": state, "in_flight": in_flight, "can_send": state == "ready" if can_send is None else can_send,
            "can_connect": state == "disconnected", "last_attempt_ms": 0}


TABLES = (
    {"case": "two ready, one busier", "nodes": [node(0, "ready", 3), node(1, "ready", 1), node(2, "disconnected")]},
    {"case": "one being connected, one untouched", "nodes": [node(-1, "preparing", 1), node(-2, "disconnected")]},
    {"case": "ready but full, and one being connected", "nodes": [node(0, "ready", 5, can_send=False), node(1, "preparing")]},
    {"case": "only an untouched one", "nodes": [node(-3, "disconnected"), node(0, "ready", 5, can_send=False)]},
    {"case": "nobody", "nodes": [node(0, "ready", 5, can_send=False)]},
    {"case": "a producer in a cluster of 3", "cluster": 3},
)


def ask(names, case):
    """The id the learner's rule picks; for a cluster, how many connections a producer with that rule opens."""
    rule = names["least_loaded"]
    if "cluster" in case:
        return opened_with(rule, case["cluster"])
    chosen = rule([SimpleNamespace(**fields) for fields in case["nodes"]])
    return None if chosen is None else getattr(chosen, "id", chosen)


def opened_with(rule, brokers: int) -> int:
    """Connections of a 2.3 producer that sends nothing and asks `rule` where to go."""
    lab = Lab(brokers=brokers, seed=3, version="2.3", broker_version="2.3")
    addresses = ",".join(f"localhost:{9092 + broker}" for broker in range(brokers))
    KafkaProducer(lab, {"bootstrap.servers": addresses}, name="learner", least_loaded=rule)
    lab.run_for(ms=2_000)
    return len(lab.sockets())


QUESTIONS = (
    Question(
        id="02.1", title="who is connected at the end", points=2, kind="lines", answers=("still_open",),
        hints=("`Initiating` is only a try. Which line says that a connection stands? Which says that it is gone?",
               "Add the number in `Completed connection to node`, take away the number in `Node … disconnected.`")),
    Question(
        id="02.2", title="opened and kept by a producer", points=3, kind="value", answers=("opened", "kept"),
        space={"brokers": (3, 4, 5, 6), "partitions": (3, 4, 5, 7, 8), "leaders": (2, 3, 4)},
        where=lambda n: n["leaders"] < min(n["brokers"], n["partitions"]) and n["partitions"] != n["brokers"],
        hints=("One connection to ask. Then one for each broker that leads a partition you send to.",
               "1 + n.leaders are opened. The first connection is idle after the start.")),
    Question(
        id="02.3", title="write least_loaded", points=4, kind="function", answers=("least_loaded",), public_cases=TABLES, probe=ask,
        hints=("Three passes over the nodes, one for each rule, and the first pass that finds somebody wins.",
               "min(able, key=lambda node: node.in_flight) for the first; state == \"preparing\" for the second; can_connect for the third.")),
    Question(
        id="02.4", title="idle, or zombie", points=3, kind="value", answers=("after_five", "after_twenty"),
        space={"brokers": (2, 3, 4), "limit_s": (-1, 120, 180, 540)},
        hints=("You can ask the lab: build one with these numbers and count lab.sockets() that have no closed_at_ms.",
               "send_for for the first minute, then lab.run_for up to five and to twenty minutes.")),
    Question(
        id="02.5", title="from which delay on five", points=3, kind="value", answers=("smallest_delay",), space={"seed": tuple(range(1, 44))},
        where=lambda n: n["seed"] not in (9, 25, 37),      # labs that open five without any delay have nothing to find
        hints=("Count for every delay from 0 to 20 and look at the list.",
               "The smallest delay from which on the list holds only fives; a five that stands alone before a four does not count.")),
    Question(
        id="02.6", title="Spark: zombie producers", points=2, kind="value", answers=("zombie_producers",),
        hints=("A zombie's row has class bootstrap and no closed_at.",
               "sockets.where(\"class = 'bootstrap' and closed_at is null and client_id like 'producer%'\").count()")),
    Question(
        id="02.open", points=4, kind="open",
        title="A producer first connects to a bootstrap server as node -1 and later opens a second connection to the very same host and port "
              "as node 0. Why can the first connection not simply be reused, and would comparing host:port instead of the id fix it?"),
    Question(
        id="02.open2", points=4, kind="open",
        title="KafkaProducer's constructor starts its Sender thread. Why is starting a thread inside a constructor risky, and what is the "
              "safe order?"),
)
