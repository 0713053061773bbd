"""Chapter 02, what a producer connects to: the judges' half. Truths come from running the lab, not from a formula."""
from __future__ import annotations

import json
from functools import lru_cache
from random import Random

from autograder.judges import Judge, WrongAnswer
from autograder.masters import HOME
from autograder.questions.ch02 import node
from kafkalab import KafkaProducer, Lab, ProducerRecord


@lru_cache(maxsize=None)
def _sent_for(brokers: int, leaders: tuple[int, ...], limit_ms: int, sending_ms: int, looks_ms: tuple[int, ...]) -> tuple[tuple[int, int], ...]:
    """(opened, open) at each moment, for a 2.3 producer that sends to all partitions every 20 s during `sending_ms`."""
    lab = Lab(brokers=brokers, seed=3, version="2.3", broker_version="2.3")
    lab.create_topic("orders", partitions=len(leaders), leaders=list(leaders))
    producer = KafkaProducer(lab, {"connections.max.idle.ms": limit_ms}, name="shop")
    found = []
    for moment in looks_ms:
        while lab.now_ms < moment:
            if lab.now_ms < sending_ms:
                for partition in range(len(leaders)):
                    producer.send(ProducerRecord("orders", key="alice", value="tea", partition=partition))
                lab.run_for(ms=20_000)
            else:
                lab.run_for(ms=moment - lab.now_ms)
        found.append((len(lab.sockets()), sum(s.closed_at_ms is None for s in lab.sockets())))
    return tuple(found)


def _opened_kept(case: dict) -> dict:
    leaders = tuple(i % case["leaders"] for i in range(case["partitions"]))
    opened, kept = _sent_for(case["brokers"], leaders, 540_000, 900_000, (900_000,))[0]
    return {"opened": opened, "kept": kept}


def _idle(case: dict) -> dict:
    limit_ms = -1 if case["limit_s"] < 0 else case["limit_s"] * 1_000
    (_, five), (_, twenty) = _sent_for(case["brokers"], tuple(range(case["brokers"])), limit_ms, 60_000, (300_000, 1_200_000))
    return {"after_five": five, "after_twenty": twenty}


def _picked(case: dict):
    """The rule of 2.3 as one sort key: able first, fewest in flight; then preparing; then whoever may be connected."""
    if "cluster" in case:
        return 1
    ranked = sorted(((0, n["in_flight"]) if n["can_send"] else (1, 0) if n["state"] == "preparing" else (2, 0) if n["can_connect"] else (9, 0), n["id"])
                    for n in case["nodes"])
    return ranked[0][1] if ranked and ranked[0][0][0] < 9 else None


def _tables(rng: Random) -> list[dict]:
    """Random clusters without ties: distinct loads among the able, at most one preparing, at most one untouched."""
    cases = []
    for _ in range(8):
        loads = rng.sample(range(9), rng.randrange(0, 4))
        nodes = [node(i, "ready", load) for i, load in enumerate(loads)]
        nodes += [node(len(nodes) + i, "ready", 5, can_send=False) for i in range(rng.randrange(2))]
        nodes += [node(-1, "preparing", 1)] * rng.randrange(2) + [node(-2, "disconnected")] * rng.randrange(2)
        rng.shuffle(nodes)
        cases.append({"nodes": nodes})
    return [*cases, {"cluster": 5}]


@lru_cache(maxsize=None)
def _bootstrap_sockets(seed: int, delay_ms: int) -> int:
    lab = Lab(brokers=5, seed=seed, version="2.2", broker_version="2.3")
    for broker in range(5):
        lab.broker(broker).delay("API_VERSIONS", ms=delay_ms)
    KafkaProducer(lab, {"bootstrap.servers": ",".join(f"localhost:{9092 + b}" for b in range(5))}, name="shop")
    lab.run_for(ms=2_000)
    return sum(s.role == "bootstrap" for s in lab.sockets())


def _smallest(case: dict) -> dict:
    """Walk down from 20 ms while all five are opened."""
    delay = 20
    while delay > 0 and _bootstrap_sockets(case["seed"], delay - 1) == 5:
        delay -= 1
    return {"smallest_delay": delay}


def _zombies(case: dict) -> dict:
    clients = json.loads((HOME / "data/samples/tiny/truth.json").read_text(encoding="utf-8"))["clients"].values()
    return {"zombie_producers": sum(any(s["class"] == "bootstrap" and s["closed_at"] is None for s in c["sockets"]) for c in clients if c["kind"] == "producer")}



JUDGES = (
    Judge(
        id="02.1", truth=lambda case: {"still_open": {-1, 0, 1}},
        right="right: -2 went idle, 2 was never there, 1 came back.", otherwise="not this set. Follow each node from its first line to its last.",
        wrong_answers=(
            WrongAnswer("tries counted", "still_open = {-1, 0, 1, 2}",
                        "Node 2 never stood: `could not be established`. A line with `Initiating` announces a try, no more."),
            WrongAnswer("every node of the log", "still_open = {-2, -1, 0, 1, 2}",
                        "These are all nodes that the lines name. Node 2 never stood, and node -2 was disconnected."),
            WrongAnswer("texts", 'still_open = {"-1", "0", "1"}', "These are the right nodes, as texts. Write numbers: -1, not \"-1\"."),
            WrongAnswer("closes forgotten", "still_open = {-2, -1, 0, 1}", "You did not take away node -2. It says `Node -2 disconnected.`"),
            WrongAnswer("gone is gone", "still_open = {-1, 0}", "Node 1 was disconnected and came back two lines later. The last line about a node decides."),
            WrongAnswer("brokers, not connections", "still_open = {0, 1}",
                        "-1 is a connection too. It leads to the same broker as 0, under another id, and nobody has closed it yet."),
        )),
    Judge(
        id="02.2", truth=_opened_kept,
        right="right: one to ask, and one for each broker that leads something you send to.", otherwise="not these two. Which brokers does this producer need?",
        wrong_answers=(
            WrongAnswer("twice the brokers", "opened = 2 * n.brokers\nkept = n.brokers",
                        "2N is the article's rule. It counts each of the {brokers} brokers twice; only the address in bootstrap.servers is connected under a made-up id."),
            WrongAnswer("one for each partition", "opened = 1 + n.partitions\nkept = n.partitions",
                        "You counted the {partitions} partitions. A broker that leads several of them needs one connection."),
            WrongAnswer("every broker", "opened = 1 + n.brokers\nkept = n.brokers",
                        "You counted all {brokers} brokers. A producer connects to a broker when it has something for it."),
            WrongAnswer("the first is kept", "opened = 1 + n.leaders\nkept = opened",
                        "Nobody uses node -1 after the start. Nine idle minutes later it is closed."),
            WrongAnswer("every leader twice", "opened = 2 * n.leaders\nkept = n.leaders",
                        "You counted a first connection for each of the {leaders} leaders. The client asks one address, once; that is one more, not {leaders} more."),
            WrongAnswer("all are idle", "opened = 1 + n.leaders\nkept = 0",
                        "The program sends every twenty seconds, so its connections to the leaders are never idle for nine minutes."),
            WrongAnswer("the first is forgotten", "opened = n.leaders\nkept = opened",
                        "Before the producer knows any leader it must ask somebody. That connection, to node -1, counts as opened."),
        )),
    Judge(
        id="02.3", truth=_picked, hidden_cases=_tables,
        right="right.", otherwise="not this node. Take the three rules one after the other.",
        wrong_answers=(
            WrongAnswer("the rule of 2.2", "def least_loaded(nodes):\n    able = [n for n in nodes if n.can_send and n.in_flight == 0]\n"
                        "    rest = [n for n in nodes if n.can_send or n.state != 'ready']\n    if able:\n        return able[0]\n"
                        "    return min(rest, key=lambda n: (n.in_flight, n.state != 'disconnected')) if rest else None",
                        "That is the rule of version 2.2: an untouched node beats one whose connection is being made. So it opens one connection after another."),
            WrongAnswer("the first that can send", "def least_loaded(nodes):\n    for wanted in (lambda n: n.can_send, lambda n: n.state == 'preparing', lambda n: n.can_connect):\n"
                        "        for n in nodes:\n            if wanted(n):\n                return n\n    return None",
                        "You took the first node that can send. The one with the fewest requests in flight is wanted."),
            WrongAnswer("the busiest", "def least_loaded(nodes):\n    able = [n for n in nodes if n.can_send]\n    if able:\n        return max(able, key=lambda n: n.in_flight)\n"
                        "    rest = [n for n in nodes if n.state == 'preparing'] or [n for n in nodes if n.can_connect]\n    return rest[0] if rest else None",
                        "That is the most loaded one: max instead of min."),
            WrongAnswer("full nodes too", "def least_loaded(nodes):\n    able = [n for n in nodes if n.state == 'ready']\n    if able:\n        return min(able, key=lambda n: n.in_flight)\n"
                        "    rest = [n for n in nodes if n.state == 'preparing'] or [n for n in nodes if n.can_connect]\n    return rest[0] if rest else None",
                        "A node can be ready and still take no request now, because its window is full. can_send knows."),
        )),
    Judge(
        id="02.4", truth=_idle,
        right="right.", otherwise="not these two. Build the lab and count; the producer still asks for metadata every five minutes.",
        wrong_answers=(
            WrongAnswer("-1 keeps all for ever", "after_five = 1 + n4.brokers\nafter_twenty = 1 + n4.brokers",
                        "You closed nothing. Somebody does: the client after its limit, and the broker after ten minutes, whatever the client says."),
            WrongAnswer("nothing is left", "after_five = 0\nafter_twenty = 0",
                        "Something is left: the producer asks for metadata every five minutes and after each close, and that keeps one connection in use."),
            WrongAnswer("nothing in the end", "after_five = 1 + n4.brokers\nafter_twenty = 0",
                        "After twenty minutes one is left: METADATA, every five minutes and after each close, keeps one connection in use."),
            WrongAnswer("only node -1 goes", "after_five = n4.brokers\nafter_twenty = n4.brokers",
                        "You closed node -1 only. The data connections are idle as well: nothing was sent after the first minute."),
        )),
    Judge(
        id="02.5", truth=_smallest,
        right="right: the answers must be slower than the time in which the client comes round to look again.",
        otherwise="not this delay. Make a list of the counts for 0 to 20 ms.",
        wrong_answers=(
            WrongAnswer("always five", "smallest_delay = 0",
                        "With no delay your lab opens fewer than five. Run bootstrap_sockets(0)."),
            WrongAnswer("the largest tried", "smallest_delay = 20", "20 ms does it, but less does it too. Go down from there."),
            WrongAnswer("one too few", "counts = [bootstrap_sockets(delay) for delay in range(21)]\n"
                        "smallest_delay = min(d for d in range(21) if all(c == 5 for c in counts[d:])) - 1",
                        "One less than the right delay: with yours, not all five are opened yet."),
        )),
    Judge(
        id="02.6", truth=_zombies,
        right="right: their limit is -1, so only the broker would close them.", otherwise="not this number. Count clients whose bootstrap connection has no closed_at.",
        wrong_answers=(
            WrongAnswer("consumers too", "zombie_producers = 5", "You counted consumers too. The question is about producers."),
            WrongAnswer("all producers", "zombie_producers = 15", "These are all producers. Most of them lost their bootstrap connection after nine minutes."),
            WrongAnswer("none", "zombie_producers = 0", "There are some. Look for rows of class bootstrap without a closed_at."),
        )),
    Judge(id="02.open"),
    Judge(id="02.open2"),
)
