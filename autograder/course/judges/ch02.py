# Generated from notebooks/exercises/02; edit those files and run
# `python -m autograder course 02`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 02's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% shared
from functools import cache

from kafkalab import KafkaProducer, Lab, ProducerRecord


@cache
def _sent_for(
    brokers: int,
    leaders: tuple[int, ...],
    limit_ms: int,
    sending_ms: int,
    looks_ms: tuple[int, ...],
) -> tuple[tuple[int, int], ...]:
    """(opened, open) at each moment, for a 2.3 producer that sends to all
    partitions every 20 s during `sending_ms`."""
    lab = Lab(brokers=brokers, seed=3, version="2.3", broker_version="2.3")
    lab.create_topic("orders", partitions=len(leaders), leaders=list(leaders))
    producer = KafkaProducer(lab, {"connections.max.idle.ms": limit_ms}, name="shop")
    found = []
    for moment in looks_ms:
        while lab.now_ms < moment:
            if lab.now_ms < sending_ms:
                for partition in range(len(leaders)):
                    producer.send(
                        ProducerRecord("orders", key="alice", value="tea", partition=partition)
                    )
                lab.run_for(ms=20_000)
            else:
                lab.run_for(ms=moment - lab.now_ms)
        found.append((len(lab.sockets()), sum(s.closed_at_ms is None for s in lab.sockets())))
    return tuple(found)


# %% 02.1
from autograder.course.judge import WrongAnswer
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


JUDGE_02_1 = Judge(
    id="02.1",
    wrong_answers=(
        WrongAnswer(
            name="closes forgotten",
            sentence="You forgot its `disconnected.` After that line no other `Completed connection` came, and a try alone is no connection.",
            source=(
                "still_open = set()\n"
                "for line in shown:\n"
                "    node = int(\n"
                "        (line.split(\"(id: \")[1] if \"(id: \" in line else line.split(\"ode \")[1])\n"
                "        .split()[0]\n"
                "        .rstrip(\".\")\n"
                "    )\n"
                "    \"Completed\" in line and still_open.add(node)"
            ),
        ),
        WrongAnswer(
            name="tries counted",
            sentence="You counted a try. `Initiating` only announces a try. `Completed connection` says that it succeeded.",
            source=(
                "still_open = set()\n"
                "for line in shown:\n"
                "    node = int(\n"
                "        (line.split(\"(id: \")[1] if \"(id: \" in line else line.split(\"ode \")[1])\n"
                "        .split()[0]\n"
                "        .rstrip(\".\")\n"
                "    )\n"
                "    \"Initiating\" in line and still_open.add(node)\n"
                "    line.endswith(\"disconnected.\") and still_open.discard(node)"
            ),
        ),
        WrongAnswer(
            name="gone is gone",
            sentence="It was disconnected and came back later. The last line about a node decides.",
            source=(
                "still_open = set()\n"
                "for line in shown:\n"
                "    node = int(\n"
                "        (line.split(\"(id: \")[1] if \"(id: \" in line else line.split(\"ode \")[1])\n"
                "        .split()[0]\n"
                "        .rstrip(\".\")\n"
                "    )\n"
                "    \"Completed\" in line and still_open.add(node)\n"
                "still_open -= {int(line.split()[1]) for line in shown if line.endswith(\"disconnected.\")}"
            ),
        ),
        WrongAnswer(
            name="refused once, gone for ever",
            sentence="It was refused once and connected later: the client tries again.",
            source=(
                "still_open = set()\n"
                "for line in shown:\n"
                "    node = int(\n"
                "        (line.split(\"(id: \")[1] if \"(id: \" in line else line.split(\"ode \")[1])\n"
                "        .split()[0]\n"
                "        .rstrip(\".\")\n"
                "    )\n"
                "    \"Completed\" in line and still_open.add(node)\n"
                "    line.endswith(\"disconnected.\") and still_open.discard(node)\n"
                "still_open -= {int(line.split()[3]) for line in shown if \"could not be established\" in line}"
            ),
        ),
        WrongAnswer(
            name="brokers, not connections",
            sentence="A negative id is a connection too. It leads to a broker under a made-up id, and no line closes it.",
            source=(
                "still_open = set()\n"
                "for line in shown:\n"
                "    node = int(\n"
                "        (line.split(\"(id: \")[1] if \"(id: \" in line else line.split(\"ode \")[1])\n"
                "        .split()[0]\n"
                "        .rstrip(\".\")\n"
                "    )\n"
                "    \"Completed\" in line and node >= 0 and still_open.add(node)\n"
                "    line.endswith(\"disconnected.\") and still_open.discard(node)"
            ),
        ),
    ),
    truth=_stands,
    right=_why_open,
    otherwise="not right. Follow this node from its first line to its last.",
)


# %% 02.2
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _opened_kept(case: dict) -> dict:
    leaders = tuple(i % case["leaders"] for i in range(case["partitions"]))
    opened, kept = _sent_for(case["brokers"], leaders, 540_000, 900_000, (900_000,))[0]
    return {"opened": opened, "kept": kept}


JUDGE_02_2 = Judge(
    id="02.2",
    wrong_answers=(
        WrongAnswer(
            name="twice the brokers",
            sentence="You counted each of the {brokers} brokers twice. Only the one address in bootstrap.servers is connected under a made-up id.",
            source=(
                "opened = {a: 2 * x.brokers for a, x in n.items()}\n"
                "kept = {a: x.brokers for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one for each partition",
            sentence="You counted the {partitions} partitions. A broker that leads several of them needs one connection.",
            source=(
                "opened = {a: 1 + x.partitions for a, x in n.items()}\n"
                "kept = {a: x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one for each partition at first",
            sentence="You opened a connection for each of the {partitions} partitions. A broker that leads several of them needs one connection.",
            source=(
                "opened = {a: 1 + x.partitions for a, x in n.items()}\n"
                "kept = {a: x.leaders for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="every broker",
            sentence="You counted all {brokers} brokers. A producer connects to a broker when it has a record for it.",
            source=(
                "opened = {a: 1 + x.brokers for a, x in n.items()}\n"
                "kept = {a: x.brokers for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="every broker at first",
            sentence="The producer does not connect to all {brokers} brokers at first. It opens a connection when it has a record for that broker.",
            source=(
                "opened = {a: 1 + x.brokers for a, x in n.items()}\n"
                "kept = {a: x.leaders for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the first is kept",
            sentence="Nobody uses node -1 after the start. Nine idle minutes later it is closed.",
            source=(
                "opened = {a: 1 + x.leaders for a, x in n.items()}\n"
                "kept = {a: 1 + x.leaders for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="every leader twice",
            sentence="You counted a first connection for each of the {leaders} leaders. The client asks one address, once; that is one more, not {leaders} more.",
            source=(
                "opened = {a: 2 * x.leaders for a, x in n.items()}\n"
                "kept = {a: x.leaders for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="all are idle",
            sentence="The program sends every twenty seconds, so its connections to the leaders are never idle for nine minutes.",
            source=(
                "opened = {a: 1 + x.leaders for a, x in n.items()}\n"
                "kept = {a: 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the first is forgotten",
            sentence="Before the producer knows any leader it must ask somebody. That connection, to node -1, counts as opened.",
            source=(
                "opened = {a: x.leaders for a, x in n.items()}\n"
                "kept = {a: x.leaders for a, x in n.items()}"
            ),
        ),
    ),
    truth=_opened_kept,
    right=(
        "right: one to ask, and one for each of the {leaders} leaders. The other brokers get none."
    ),
    otherwise="not these two. Which brokers does this producer need?",
)


# %% 02.3
from autograder.cell.questions.ch02 import node
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.cell.questions.ch02 import kept
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


JUDGE_02_3 = Judge(
    id="02.3",
    wrong_answers=(
        WrongAnswer(
            name="in flight only",
            sentence="You took a node that is not connected, because it has no request in flight. Rule 1 counts only the nodes that can send, and rule 2 comes before rule 3.",
            source=(
                "def least_loaded(nodes):\n"
                "    return min(nodes, key=lambda n: n.in_flight)"
            ),
        ),
        WrongAnswer(
            name="in flight, where it may be connected",
            sentence="This node is full or not connected. Rule 1 counts only the nodes that can send.",
            source=(
                "def least_loaded(nodes):\n"
                "    able = [n for n in nodes if n.can_send or n.can_connect]\n"
                "    return min(able, key=lambda n: n.in_flight) if able else None"
            ),
        ),
        WrongAnswer(
            name="the rule of 2.2",
            sentence="Your rule takes an untouched node while a connection is being made. Version 2.2 did so, and opened one connection after another.",
            source=(
                "def least_loaded(nodes):\n"
                "    able = [n for n in nodes if n.can_send and n.in_flight == 0]\n"
                "    rest = [n for n in nodes if n.can_send or n.state != \"ready\"]\n"
                "    if able:\n"
                "        return able[0]\n"
                "    return min(rest, key=lambda n: (n.in_flight, n.state != \"disconnected\")) if rest else None"
            ),
        ),
        WrongAnswer(
            name="the first that can send",
            sentence="You took the first node that can send. Rule 1 asks for the fewest requests in flight.",
            source=(
                "def least_loaded(nodes):\n"
                "    for wanted in (lambda n: n.can_send, lambda n: n.state == \"preparing\", lambda n: n.can_connect):\n"
                "        for n in nodes:\n"
                "            if wanted(n):\n"
                "                return n\n"
                "    return None"
            ),
        ),
        WrongAnswer(
            name="the busiest",
            sentence="You took the node with the most requests in flight. Use min, not max.",
            source=(
                "def least_loaded(nodes):\n"
                "    able = [n for n in nodes if n.can_send]\n"
                "    if able:\n"
                "        return max(able, key=lambda n: n.in_flight)\n"
                "    rest = [n for n in nodes if n.state == \"preparing\"] or [n for n in nodes if n.can_connect]\n"
                "    return rest[0] if rest else None"
            ),
        ),
        WrongAnswer(
            name="full nodes too",
            sentence="A node can be ready and still take no request now, because too many of its requests wait for an answer. Ask for can_send.",
            source=(
                "def least_loaded(nodes):\n"
                "    able = [n for n in nodes if n.state == \"ready\"]\n"
                "    if able:\n"
                "        return min(able, key=lambda n: n.in_flight)\n"
                "    rest = [n for n in nodes if n.state == \"preparing\"] or [n for n in nodes if n.can_connect]\n"
                "    return rest[0] if rest else None"
            ),
        ),
        WrongAnswer(
            name="every disconnected node",
            sentence="This node failed a moment ago, and the client must wait before it tries again. Ask for can_connect, not for the state.",
            source=(
                "def least_loaded(nodes):\n"
                "    able = [n for n in nodes if n.can_send]\n"
                "    if able:\n"
                "        return min(able, key=lambda n: n.in_flight)\n"
                "    rest = [n for n in nodes if n.state == \"preparing\"]\n"
                "    rest = rest or [n for n in nodes if n.state == \"disconnected\"]\n"
                "    return rest[0] if rest else None"
            ),
        ),
    ),
    truth=_picked,
    hidden_cases=_tables,
    right=_why_picked,
    otherwise="not this node. Apply the three rules one after the other.",
    unseen=(
        "your rule picks a wrong node, or one connection too many is opened. Apply the three rules "
        "one after the other."
    ),
)


# %% 02.4
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _idle(case: dict) -> dict:
    limit_ms = -1 if case["limit_s"] < 0 else case["limit_s"] * 1_000
    (_, five), (_, twenty) = _sent_for(
        case["brokers"], tuple(range(case["brokers"])), limit_ms, 60_000, (300_000, 1_200_000)
    )
    return {"after_five": five, "after_twenty": twenty}


def _why_so_many(case: dict) -> str:
    """Who closed what in this case."""
    limit_s = case["limit_s"]
    last = "METADATA keeps one connection in use, so one is left after twenty minutes."
    if limit_s < 0:
        return f"right: after ten idle minutes the brokers close. {last}"
    if limit_s < 240:
        return f"right: the limit of {limit_s} s is over before minute five. {last}"
    return f"right: after five minutes the limit of {limit_s} s has not closed everything. {last}"


JUDGE_02_4 = Judge(
    id="02.4",
    wrong_answers=(
        WrongAnswer(
            name="-1 keeps all for ever",
            sentence="You closed nothing. The client closes after its limit, and the broker after ten minutes, also if the client's limit is -1.",
            source=(
                "after_five = {a: 1 + x.brokers for a, x in n4.items()}\n"
                "after_twenty = {a: 1 + x.brokers for a, x in n4.items()}"
            ),
        ),
        WrongAnswer(
            name="nothing is left",
            sentence="One is left: the producer asks for metadata every five minutes and after each close. That keeps one connection in use.",
            source=(
                "after_five = {a: 0 for a, x in n4.items()}\n"
                "after_twenty = {a: 0 for a, x in n4.items()}"
            ),
        ),
        WrongAnswer(
            name="nothing in the end",
            sentence="After twenty minutes one is left: METADATA, every five minutes and after each close, keeps one connection in use.",
            source=(
                "after_five = {a: 1 + x.brokers for a, x in n4.items()}\n"
                "after_twenty = {a: 0 for a, x in n4.items()}"
            ),
        ),
        WrongAnswer(
            name="only node -1 goes",
            sentence="You closed node -1 only. The data connections are idle as well: nothing was sent after the first minute.",
            source=(
                "after_five = {a: x.brokers for a, x in n4.items()}\n"
                "after_twenty = {a: x.brokers for a, x in n4.items()}"
            ),
        ),
    ),
    truth=_idle,
    right=_why_so_many,
    otherwise=(
        "not these two. Build the lab and count. The producer still asks for metadata every five "
        "minutes."
    ),
)


# %% 02.9
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.cell.questions.ch02 import what_a_day_proved
from autograder.course.judge import Judge


def _due(case: dict):
    """As Kafka's Selector has it: sorted by use, the first is the only one that may go."""
    by_use = sorted((at_ms, id) for id, at_ms in case["connections"])
    if case["limit_ms"] < 0 or not by_use or by_use[0][0] + case["limit_ms"] >= case["now_ms"]:
        return None
    return by_use[0][1]


def _moments(rng: Random) -> list[dict]:
    """Random moments without ties, then days of a producer."""
    moments = []
    for limit_ms in (540_000, 540_000, 20_000, 1_000, 0, -1):
        times = rng.sample(range(900_000 - 2 * abs(limit_ms) - 9_000, 900_000), 4)
        ids = rng.sample((-3, -2, -1, 0, 1, 2, 7), 4)
        moments.append(
            {
                "limit_ms": limit_ms,
                "now_ms": 900_000,
                "connections": sorted(map(list, zip(ids, times))),
            }
        )
    days = [
        {"seed": rng.randrange(10, 9_000), "brokers": brokers, "limit_ms": limit_ms}
        for brokers, limit_ms in ((3, 20_000), (4, 30_000), (5, 60_000), (4, -1))
    ]
    return [*moments, *days]


def _why_due(case: dict) -> str:
    """What decided in this case."""
    if "seed" in case:
        return what_a_day_proved(case)
    if case["limit_ms"] < 0:
        return "right: with -1 the client closes none."
    if _due(case) is None:
        return "right: no connection is past its limit."
    return "right: the least recently used is past its limit."


JUDGE_02_9 = Judge(
    id="02.9",
    wrong_answers=(
        WrongAnswer(
            name="the first that is too old",
            sentence="You took the first of the list that is past its limit. The list is sorted by id. Kafka closes the least recently used one.",
            source=(
                "def to_close(connections, now_ms, limit_ms):\n"
                "    for each in connections:\n"
                "        if 0 <= limit_ms < now_ms - each.last_used_ms:\n"
                "            return each\n"
                "    return None"
            ),
        ),
        WrongAnswer(
            name="at the limit",
            sentence="A connection may be idle for exactly its limit. It is closed when it was idle for longer: >, not >=.",
            source=(
                "def to_close(connections, now_ms, limit_ms):\n"
                "    if limit_ms < 0 or not connections:\n"
                "        return None\n"
                "    oldest = min(connections, key=lambda each: each.last_used_ms)\n"
                "    return oldest if now_ms - oldest.last_used_ms >= limit_ms else None"
            ),
        ),
        WrongAnswer(
            name="-1 is a number",
            sentence="With connections.max.idle.ms=-1 the client closes no idle connection. You compared with -1 as with any other limit, and everything is idle for longer.",
            source=(
                "def to_close(connections, now_ms, limit_ms):\n"
                "    if not connections:\n"
                "        return None\n"
                "    oldest = min(connections, key=lambda each: each.last_used_ms)\n"
                "    return oldest if now_ms - oldest.last_used_ms > limit_ms else None"
            ),
        ),
        WrongAnswer(
            name="without the limit",
            sentence="You always close the least recently used connection. It may still be in use: look at its limit.",
            source=(
                "def to_close(connections, now_ms, limit_ms):\n"
                "    if limit_ms < 0 or not connections:\n"
                "        return None\n"
                "    return min(connections, key=lambda each: each.last_used_ms)"
            ),
        ),
        WrongAnswer(
            name="the most recently used",
            sentence="A large last_used_ms means: used a moment ago. The least recently used connection has the smallest.",
            source=(
                "def to_close(connections, now_ms, limit_ms):\n"
                "    if limit_ms < 0 or not connections:\n"
                "        return None\n"
                "    newest = max(connections, key=lambda each: each.last_used_ms)\n"
                "    return newest if now_ms - newest.last_used_ms > limit_ms else None"
            ),
        ),
        WrongAnswer(
            name="zero is false",
            sentence="The limit 0 is a limit: what was not used in this millisecond goes. `if not limit_ms` takes 0 for \"no limit\". Only a limit below zero means that.",
            source=(
                "def to_close(connections, now_ms, limit_ms):\n"
                "    if not limit_ms or limit_ms < 0 or not connections:\n"
                "        return None\n"
                "    oldest = min(connections, key=lambda each: each.last_used_ms)\n"
                "    return oldest if now_ms - oldest.last_used_ms > limit_ms else None"
            ),
        ),
    ),
    truth=_due,
    hidden_cases=_moments,
    right=_why_due,
    otherwise="not this connection. Which was used longest ago, and is its limit over?",
    unseen=(
        "your rule closes a wrong connection, or keeps one for too long. Compare with section 4: "
        "one at a time, the least recently used, after its limit."
    ),
)


# %% 02.5
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab


@cache
def _bootstrap_sockets(seed: int, delay_ms: int) -> int:
    lab = Lab(brokers=5, seed=seed, version="2.2", broker_version="2.3")
    for broker in range(5):
        lab.broker(broker).delay("API_VERSIONS", ms=delay_ms)
    KafkaProducer(
        lab, {"bootstrap.servers": ",".join(f"localhost:{9092 + b}" for b in range(5))}, name="shop"
    )
    lab.run_for(ms=2_000)
    return sum(s.role == "bootstrap" for s in lab.sockets())


def _smallest(case: dict) -> dict:
    """Walk down from 20 ms while all five are opened."""
    delay = 20
    while delay > 0 and _bootstrap_sockets(case["seed"], delay - 1) == 5:
        delay -= 1
    return {"smallest_delay": delay}


JUDGE_02_5 = Judge(
    id="02.5",
    wrong_answers=(
        WrongAnswer(
            name="always five",
            sentence="With no delay your lab opens fewer than five. Run bootstrap_sockets(0, seed).",
            source=(
                "smallest_delay = {x: 0 for x in d}"
            ),
        ),
        WrongAnswer(
            name="the largest tried",
            sentence="All five are opened with 20 ms, but with less, too. Try smaller delays.",
            source=(
                "smallest_delay = {x: 20 for x in d}"
            ),
        ),
        WrongAnswer(
            name="the first five",
            sentence="That is the first delay with five connections. A larger delay of your list has fewer. Take the delay after which only fives follow.",
            source=(
                "smallest_delay = {}\n"
                "for name in d:\n"
                "    counts = [bootstrap_sockets(delay, d[name].seed) for delay in range(21)]\n"
                "    smallest_delay[name] = counts.index(5)"
            ),
        ),
        WrongAnswer(
            name="one too few",
            sentence="One less than the right delay: with yours, not all five are opened yet.",
            source=(
                "smallest_delay = {}\n"
                "for name in d:\n"
                "    counts = [bootstrap_sockets(delay, d[name].seed) for delay in range(21)]\n"
                "    smallest_delay[name] = min(i for i in range(21) if all(count == 5 for count in counts[i:])) - 1"
            ),
        ),
    ),
    truth=_smallest,
    right=(
        "right: with seed {seed} the answers are then always later than the client's next look-ups."
    ),
    otherwise="not this delay. Make a list of the counts for 0 to 20 ms.",
)


# %% 02.6
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.cell.data import canonical
from autograder.course.judge import Judge


def _since(keep, since=min):
    """rows -> what zombies() gives when it keeps rows by this rule and takes, of a client's
    moments, that one (None: each row)."""

    def said(case: dict) -> dict:
        moments: dict[str, list[str]] = {}
        for client_id, _node_id, kind, opened_at, closed_at, how in case["rows"]:
            if keep(client_id, kind, closed_at, how):
                moments.setdefault(client_id, []).append(opened_at)
        rows = (
            [[client, since(own)] for client, own in moments.items()]
            if since
            else [[client, each] for client, own in moments.items() for each in own]
        )
        return {
            "columns": {"client_id": "text", "since": "moment"},
            "rows": sorted(rows, key=canonical),
        }

    return said


def _tables_of_sockets(rng: Random) -> list[dict]:
    """Random tables in which every trap occurs: consumers, closed and failed ones, two addresses,
    data connections left open."""
    cases = []
    for _ in range(3):
        rows = []
        for number in range(1, 7):
            client = f"{'producer' if rng.random() < 0.7 else 'consumer-g'}-{number}"
            for address in range(rng.randrange(1, 4)):
                how = rng.choice((None, None, "idle", "peer", "failed"))
                rows.append(
                    [
                        client,
                        str(-1 - address),
                        "bootstrap",
                        f"2026-01-05 09:00:{rng.randrange(60):02}",
                        None if how is None else f"2026-01-05 09:{rng.randrange(1, 60):02}:00",
                        how,
                    ]
                )
            rows.append(
                [
                    client,
                    str(rng.randrange(3)),
                    "data",
                    f"2026-01-05 09:01:{rng.randrange(60):02}",
                    None,
                    None,
                ]
            )
        rng.shuffle(rows)
        cases.append({"rows": rows})
    return cases


def _is_zombie(client_id, kind, closed_at, how) -> bool:
    return client_id.startswith("producer") and kind == "bootstrap" and closed_at is None


JUDGE_02_6 = Judge(
    id="02.6",
    wrong_answers=(
        WrongAnswer(
            name="consumers too",
            sentence="You counted consumers too. The question is about producers.",
            source=(
                "def zombies(sockets):\n"
                "    return (\n"
                "        sockets.where(\"class = 'bootstrap' and closed_at is null\")\n"
                "        .groupBy(\"client_id\")\n"
                "        .agg(F.min(\"opened_at\").alias(\"since\"))\n"
                "    )"
            ),
            says=(
_since(lambda client_id, kind, closed_at, how: kind == "bootstrap" and closed_at is None)
            ),
        ),
        WrongAnswer(
            name="closed ones too",
            sentence="These are all producers that ever had such a connection. A zombie still has it: closed_at is null.",
            source=(
                "def zombies(sockets):\n"
                "    return (\n"
                "        sockets.where(\"class = 'bootstrap' and client_id like 'producer%'\")\n"
                "        .groupBy(\"client_id\")\n"
                "        .agg(F.min(\"opened_at\").alias(\"since\"))\n"
                "    )"
            ),
            says=(
_since(
    lambda client_id, kind, closed_at, how: kind == "bootstrap" and client_id.startswith("producer")
)
            ),
        ),
        WrongAnswer(
            name="data connections too",
            sentence="A data connection that is open is in use. Zombies are of class bootstrap.",
            source=(
                "def zombies(sockets):\n"
                "    return (\n"
                "        sockets.where(\"closed_at is null and client_id like 'producer%'\")\n"
                "        .groupBy(\"client_id\")\n"
                "        .agg(F.min(\"opened_at\").alias(\"since\"))\n"
                "    )"
            ),
            says=(
_since(
    lambda client_id, kind, closed_at, how: closed_at is None and client_id.startswith("producer")
)
            ),
        ),
        WrongAnswer(
            name="one row for each connection",
            sentence="A producer with two zombies has two rows here. One row for each producer was asked for, with the earlier moment.",
            source=(
                "def zombies(sockets):\n"
                "    return sockets.where(\n"
                "        \"class = 'bootstrap' and closed_at is null and client_id like 'producer%'\"\n"
                "    ).select(\"client_id\", F.col(\"opened_at\").alias(\"since\"))"
            ),
            says=(
_since(_is_zombie, None)
            ),
        ),
        WrongAnswer(
            name="the later moment",
            sentence="`since` is the earliest moment: from then on the producer has had a zombie.",
            source=(
                "def zombies(sockets):\n"
                "    return (\n"
                "        sockets.where(\"class = 'bootstrap' and closed_at is null and client_id like 'producer%'\")\n"
                "        .groupBy(\"client_id\")\n"
                "        .agg(F.max(\"opened_at\").alias(\"since\"))\n"
                "    )"
            ),
            says=(
_since(_is_zombie, max)
            ),
        ),
    ),
    truth=_since(_is_zombie),
    hidden_cases=_tables_of_sockets,
    right="right: bootstrap, still open, of a producer, and one row for each.",
    otherwise=(
        "not these rows. Which connections does a healthy producer have at the end, and which not?"
    ),
    unseen=(
        "other rows were asked for. Think of consumers, of connections that were closed, and "
        "of a producer with two addresses."
    ),
)


# %% 02.7
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.course.judge import Judge
from autograder.course.walks import states_of

MOVES = {
    ("DISCONNECTED", "connect"): "CONNECTING",
    ("CONNECTING", "accepted"): "CHECKING_API_VERSIONS",
    ("CONNECTING", "refused"): "DISCONNECTED",
    ("CONNECTING", "closed"): "DISCONNECTED",
    ("CHECKING_API_VERSIONS", "versions"): "READY",
    ("CHECKING_API_VERSIONS", "closed"): "DISCONNECTED",
    ("READY", "closed"): "DISCONNECTED",
}
EVENTS = ("connect", "accepted", "refused", "versions", "closed")


def _walked(case: dict) -> list:
    """The states of a walk, None where an event cannot be.
    A test holds MOVES against the simulator's own table."""
    return states_of(MOVES, "DISCONNECTED", case["walk"])


def _long_walks(rng: Random) -> list[dict]:
    """Random lives of nine events; now and then one that cannot be ends them."""
    found = []
    for _ in range(8):
        state, walk = "DISCONNECTED", []
        while len(walk) < 9:
            possible = [event for event in EVENTS if (state, event) in MOVES]
            walk.append(rng.choice(possible if rng.random() < 0.93 else EVENTS))
            state = MOVES.get((state, walk[-1]))
            if state is None:
                break
        found.append({"walk": walk, "last": walk[-1]})
    return found


JUDGE_02_7 = Judge(
    id="02.7",
    wrong_answers=(
        WrongAnswer(
            name="ready at once",
            sentence="TCP is connected, but the client may not send other requests yet. First it asks which versions the broker speaks. That is a state of its own.",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "connection[\"CONNECTING\"][\"accepted\"] = \"READY\""
            ),
        ),
        WrongAnswer(
            name="refused until the end",
            sentence="A refused connection is DISCONNECTED, and after a pause the client tries it again.",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "connection[\"CONNECTING\"][\"refused\"] = None"
            ),
        ),
        WrongAnswer(
            name="a connection on its way cannot be closed",
            sentence="A connection on its way can be closed: `close()` does it in every version. From 2.7 the client also gives up one that takes too long (KIP-601).",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "del connection[\"CONNECTING\"][\"closed\"]"
            ),
        ),
        WrongAnswer(
            name="only what is ready can break",
            sentence="A connection can be closed before its versions are known. Then it is DISCONNECTED.",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "del connection[\"CHECKING_API_VERSIONS\"][\"closed\"]"
            ),
        ),
        WrongAnswer(
            name="begun twice",
            sentence="A connection that is on its way is not begun a second time. Leave `connect` out there.",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "connection[\"CONNECTING\"][\"connect\"] = \"CONNECTING\""
            ),
        ),
        WrongAnswer(
            name="begun while versions are asked",
            sentence="TCP is connected already, so nothing is left to begin. Leave `connect` out there.",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "connection[\"CHECKING_API_VERSIONS\"][\"connect\"] = \"CHECKING_API_VERSIONS\""
            ),
        ),
        WrongAnswer(
            name="a ready one is connected again",
            sentence="A READY connection is there. `connect` begins a connection, so it happens in DISCONNECTED only.",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "connection[\"READY\"][\"connect\"] = \"READY\""
            ),
        ),
        WrongAnswer(
            name="a ready one begins again",
            sentence="A READY connection stays until it is closed. The client does not begin it again.",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "connection[\"READY\"][\"connect\"] = \"CONNECTING\""
            ),
        ),
        WrongAnswer(
            name="nothing to close",
            sentence="A DISCONNECTED connection is closed already. Leave `closed` out there.",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "connection[\"DISCONNECTED\"][\"closed\"] = \"DISCONNECTED\""
            ),
        ),
        WrongAnswer(
            name="closed is a state",
            sentence="A connection that was closed is DISCONNECTED. The client opens it again only when it needs it.",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "connection[\"READY\"][\"closed\"] = \"CONNECTING\""
            ),
        ),
        WrongAnswer(
            name="back to asking",
            sentence="READY has asked already. The question about versions is answered once in a connection's life.",
            source=(
                "connection = {\n"
                "    \"DISCONNECTED\": {\"connect\": \"CONNECTING\"},\n"
                "    \"CONNECTING\": {\n"
                "        \"accepted\": \"CHECKING_API_VERSIONS\",\n"
                "        \"refused\": \"DISCONNECTED\",\n"
                "        \"closed\": \"DISCONNECTED\",\n"
                "    },\n"
                "    \"CHECKING_API_VERSIONS\": {\"versions\": \"READY\", \"closed\": \"DISCONNECTED\"},\n"
                "    \"READY\": {\"closed\": \"DISCONNECTED\"},\n"
                "}\n"
                "connection[\"READY\"][\"versions\"] = \"READY\""
            ),
        ),
    ),
    truth=_walked,
    hidden_cases=_long_walks,
    right="right.",
    otherwise=(
        "your table leads through {said}, where None means that the event cannot happen. The last "
        "event, `{last}`, is wrong there."
    ),
    unseen=(
        "your table gets a longer sequence wrong. Walk through it on paper: connect, accepted, "
        "closed, connect, ..."
    ),
)


# %% 02.8
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_02_8 = Judge(
    id="02.8",
    wrong_answers=(
        WrongAnswer(
            name="what was meant",
            sentence="That is the topic that the program means. The client asks for `{typed}`, and there is no such topic.",
            source=(
                "topic, setting = \"orders\", \"max.block.ms\""
            ),
        ),
        WrongAnswer(
            name="the record's time",
            sentence="delivery.timeout.ms counts for a record in a batch. This record was in no batch yet: no partition was known for it.",
            source=(
                "topic = next(line for line in shown if \"WARN\" in line).split(\"{\")[1].split(\"=\")[0]\n"
                "setting = \"delivery.timeout.ms\""
            ),
        ),
        WrongAnswer(
            name="the request's time",
            sentence="Every request was answered at once, with an error. send itself waited.",
            source=(
                "topic = next(line for line in shown if \"WARN\" in line).split(\"{\")[1].split(\"=\")[0]\n"
                "setting = \"request.timeout.ms\""
            ),
        ),
        WrongAnswer(
            name="the pause",
            sentence="retry.backoff.ms is the pause between two questions, not the end of asking.",
            source=(
                "topic = next(line for line in shown if \"WARN\" in line).split(\"{\")[1].split(\"=\")[0]\n"
                "setting = \"retry.backoff.ms\""
            ),
        ),
        WrongAnswer(
            name="the age of metadata",
            sentence="metadata.max.age.ms says when known metadata is asked for again. Of this topic nothing is known.",
            source=(
                "topic = next(line for line in shown if \"WARN\" in line).split(\"{\")[1].split(\"=\")[0]\n"
                "setting = \"metadata.max.age.ms\""
            ),
        ),
    ),
    truth=lambda case: {"topic": case["typed"], "setting": "max.block.ms"},
    right=(
        "right: nobody knows a topic called `{typed}`. send waited {seconds} seconds for its "
        "metadata, which is max.block.ms."
    ),
    otherwise=(
        "not this. The topic is in the warnings, as the client asked for it. And which limit "
        "was reached? Write the setting's name without its value."
    ),
)


# %% all
JUDGES = (
    JUDGE_02_1,
    JUDGE_02_2,
    JUDGE_02_3,
    JUDGE_02_4,
    JUDGE_02_9,
    JUDGE_02_5,
    JUDGE_02_6,
    JUDGE_02_7,
    JUDGE_02_8,
)
