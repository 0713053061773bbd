# Generated from notebooks/exercises/02; edit those files and run
# `python -m autograder course 02`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 02's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
CLUSTERS = ("A", "B", "C")


def node(
    id: int,
    state: str,
    in_flight: int = 0,
    can_send: bool | None = None,
    can_connect: bool | None = None,
) -> dict:
    """A node as least_loaded sees it, as plain data.

    A ready node can take a request, and a disconnected one may be connected, unless said otherwise.
    """
    return {
        "id": id,
        "state": state,
        "in_flight": in_flight,
        "can_send": state == "ready" if can_send is None else can_send,
        "can_connect": state == "disconnected" if can_connect is None else can_connect,
        "last_attempt_ms": 0,
    }


# %% 02.1
from autograder.cell.data import NotAsAsked
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
    found = names["still_open"]
    if not isinstance(found, (set, frozenset, list, tuple)):
        raise NotAsAsked(f"`still_open` is a set of numbers; yours is a {type(found).__name__}")
    if any(type(each) is str for each in found):
        raise NotAsAsked('`still_open` holds texts; write numbers: -1, not "-1"')
    unknown = sorted(str(each) for each in found if str(each) not in NODES)
    if unknown:
        raise NotAsAsked(f"`still_open` names {unknown[0]}, and no line speaks of that node")
    return int(case["of"]) in [each for each in found if type(each) is int]


QUESTION_02_1 = LineReading(
    id="02.1",
    hints=(
        "`Initiating` is only a try. Which line says that a node is connected? Which line says that it is disconnected?",
        "Add the number in `Completed connection to node`, take away the number in `Node … disconnected.`",
    ),
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


# %% 02.2
from autograder.cell.kinds import Value

QUESTION_02_2 = Value(
    id="02.2",
    hints=(
        "One connection to ask for metadata. Then one for each broker that leads a partition you send to.",
        "Cluster A opens 1 + n.A.leaders. The first connection is idle after the start.",
    ),
    title="opened and kept by a producer",
    points=3,
    answers=("opened", "kept"),
    space={
        "brokers": (3, 4, 5, 6, 7, 8),
        "partitions": (3, 4, 5, 6, 7, 8, 9),
        "leaders": (2, 3, 4, 5, 6),
    },
    draws=CLUSTERS,
    where=lambda n: (
        n["leaders"] < min(n["brokers"], n["partitions"]) and n["partitions"] != n["brokers"]
    ),
    together=lambda clusters: len({n["leaders"] for n in clusters}) == len(clusters),
)


# %% 02.3
import itertools
from types import SimpleNamespace

from autograder.cell.data import NotAsAsked
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
)


def ask(names, case):
    """The id of the node that the learner's rule returns."""
    chosen = names["least_loaded"]([SimpleNamespace(**fields) for fields in case["nodes"]])
    if chosen is not None and not isinstance(chosen, SimpleNamespace):
        raise NotAsAsked(
            "`least_loaded` returns one of the nodes, or None; yours returns "
            f"{type(chosen).__name__} {str(chosen)[:40]}. Return `node`, not `node.id`"
        )
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
    KafkaProducer(lab, {"bootstrap.servers": addresses}, name="learner", least_loaded=rule)
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


QUESTION_02_3 = Function(
    id="02.3",
    hints=(
        "Three passes over the nodes, one for each rule. The first pass that finds a node decides.",
        "min(able, key=lambda node: node.in_flight) for the first; state == \"preparing\" for the second; can_connect for the third.",
    ),
    title="write least_loaded",
    points=4,
    answers=("least_loaded",),
    public_cases=TABLES + STARTS,
    probe=ask,
    play=start,
    look=needless,
    kept=kept,
)


# %% 02.4
from autograder.cell.kinds import Value

QUESTION_02_4 = Value(
    id="02.4",
    hints=(
        "Ask the lab: build one with these numbers. Count the lab.sockets() whose closed_at_ms is None.",
        "send_for for the first minute, then lab.run_for up to five and to twenty minutes.",
    ),
    title="idle, or zombie",
    points=3,
    answers=("after_five", "after_twenty"),
    row="producer",
    space={
        "brokers": (2, 3, 4, 5, 6, 7, 8),
        "limit_s": (-1, 45, 60, 90, 120, 150, 180, 240, 420, 540),
    },
    draws=CLUSTERS,
    together=lambda rows: (
        len({n["brokers"] for n in rows}) == 3
        and any(n["limit_s"] > 240 or n["limit_s"] < 0 for n in rows)
    ),
)


# %% 02.9
from random import Random
from types import SimpleNamespace

from autograder.cell.data import NotAsAsked
from autograder.cell.kinds import Function
from kafkalab import KafkaProducer, Lab, ProducerRecord


def moment(case: str, limit_ms: int, **last_used_ms: int) -> dict:
    """A moment at 900,000 ms, as plain data; connections as n0=..., and m1 for node -1."""
    used = [
        [int(name.replace("m", "-").replace("n", "")), at_ms]
        for name, at_ms in last_used_ms.items()
    ]
    return {
        "case": case,
        "limit_ms": limit_ms,
        "now_ms": 900_000,
        "connections": sorted(used),
    }


MOMENTS = (
    moment("one is too old", 540_000, m1=100_000, n0=800_000, n1=850_000),
    moment("two are too old", 540_000, m1=300_000, n0=880_000, n1=120_000),
    moment("the limit ends now", 540_000, m1=360_000, n0=899_000),
    moment("one millisecond later", 540_000, n0=899_000, n1=359_999),
    moment("all are in use", 540_000, m1=700_000, n0=899_990, n1=899_000),
    moment("limit -1", -1, m1=5_000, n0=880_000),
    moment("limit 0", 0, m1=899_990, n0=899_999),
    moment("no connection", 540_000),
)
DAYS = (
    {"case": "limit 20 s, seed 1", "seed": 1, "brokers": 3, "limit_ms": 20_000},
    {"case": "limit 45 s, seed 2", "seed": 2, "brokers": 5, "limit_ms": 45_000},
    {"case": "limit -1, seed 3", "seed": 3, "brokers": 3, "limit_ms": -1},
)


def closed(names, case):
    """The id of the connection that the learner's rule closes."""
    connections = [SimpleNamespace(id=id, last_used_ms=at_ms) for id, at_ms in case["connections"]]
    chosen = names["to_close"](connections, case["now_ms"], case["limit_ms"])
    if chosen is not None and not isinstance(chosen, SimpleNamespace):
        raise NotAsAsked(
            "`to_close` returns one of the connections, or None; yours returns "
            f"{type(chosen).__name__} {str(chosen)[:40]}"
        )
    return None if chosen is None else chosen.id


def day(case, rule):
    """A producer sends to some brokers at times of chance, pauses and sends again; `rule` closes
    its connections."""
    lab = Lab(brokers=case["brokers"], seed=case["seed"], version="2.3", broker_version="2.3")
    leaders = list(range(case["brokers"]))
    lab.create_topic("orders", partitions=len(leaders), leaders=leaders)

    def asked(connections, now_ms, limit_ms):
        chosen = rule(connections, now_ms, limit_ms)
        lab.journal.append(
            "told",
            "learner",
            what="looked",
            chosen=getattr(chosen, "id", chosen),
            idle={each.id: now_ms - each.last_used_ms for each in connections},
        )
        return chosen

    settings = {"connections.max.idle.ms": case["limit_ms"], "max.block.ms": 2_000}
    producer = KafkaProducer(lab, settings, name="learner", idle_closer=asked)
    chance = Random(case["seed"])
    for _ in range(14):
        partition = chance.randrange(len(leaders))
        producer.send(ProducerRecord("orders", value="tea", partition=partition))
        lab.run_for(ms=chance.choice((2_000, 9_000, 17_000, 61_000)))
        if another_than_kafkas(case, lab):
            # the first one is told; a rule that always closes would keep the client busy for long
            break
    lab.close()
    return lab


def another_than_kafkas(case, lab):
    """The first decision that is not Kafka's, and what it does."""
    limit_ms = case["limit_ms"]
    for event in lab.journal.of("told"):
        idle, chosen = event.idle, event.chosen
        oldest = max(idle, key=idle.get)
        due = 0 <= limit_ms < idle[oldest]
        if chosen == (oldest if due else None) or (due and idle.get(chosen) == idle[oldest]):
            continue
        proof = [f"node {id:>2}: idle for {ms:>7,} ms" for id, ms in idle.items()]
        where = f"with seed {case['seed']}, at {event.at_ms:,} ms, "
        if chosen is None:
            return (
                f"{where}your rule closed nothing. Node {oldest} was idle for {idle[oldest]:,} ms, "
                f"and the limit is {limit_ms:,} ms.",
                proof,
            )
        if limit_ms < 0:
            return f"{where}your rule closed node {chosen}. The limit -1 means: close none.", proof
        if idle[chosen] <= limit_ms:
            return (
                f"{where}your rule closed node {chosen}. It was idle for {idle[chosen]:,} ms, and "
                f"the limit is {limit_ms:,} ms. The next record needs a new connection.",
                proof,
            )
        return (
            f"{where}your rule closed node {chosen}, and node {oldest} was idle for longer.",
            proof,
        )
    return None


def what_a_day_proved(case):
    """The sentence of a day on which each decision was Kafka's."""
    if case["limit_ms"] < 0:
        return "right: your producer closed nothing on this day."
    return "right: on this day your producer closed what Kafka's would, at the same moments."


QUESTION_02_9 = Function(
    id="02.9",
    hints=(
        "Only one connection can be the answer. Find it first, then ask whether its limit is over.",
        "min(connections, key=lambda each: each.last_used_ms) finds it; now_ms - last_used_ms is how long it was idle. Two cases come before: no connections, and a limit below zero.",
    ),
    title="close what is idle",
    points=4,
    answers=("to_close",),
    public_cases=MOMENTS + DAYS,
    probe=closed,
    play=day,
    look=another_than_kafkas,
    kept=what_a_day_proved,
)


# %% 02.5
from autograder.cell.kinds import Value

# with these seeds five are opened by chance at a smaller delay too: the first five in the list of
# counts is not yet the answer
FIVE_TOO_EARLY = (
    *(3, 15, 16, 20, 24, 26, 28, 49, 59, 71, 86, 94, 95, 100, 123, 132, 150, 156, 161, 168, 169),
    *(176, 177, 178, 185, 190, 194, 199, 206, 215, 227, 228, 236, 249, 250, 255, 259, 265, 275),
    *(276, 277, 285, 290, 299, 302, 303, 311, 318, 322, 325, 331, 335, 368, 370, 373, 378, 380),
    *(381, 384, 392, 394, 399),
)

QUESTION_02_5 = Value(
    id="02.5",
    hints=(
        "Count for every delay from 0 to 20 and look at the list.",
        "Go through the list from the end. The last delay that is not five is one before the answer.",
    ),
    title="from which delay on five",
    points=3,
    answers=("smallest_delay",),
    row="seed",
    space={"seed": FIVE_TOO_EARLY},
    draws=CLUSTERS,
)


# %% 02.6
from autograder.cell.kinds import SparkAnswer

SOCKETS = (
    "client_id string, node_id string, class string, opened_at timestamp, closed_at timestamp, how "
    "string"
)
ZOMBIES = (
    {
        "case": "one zombie among healthy ones",
        "rows": [
            ["producer-1", "-1", "bootstrap", "2026-01-05 09:00:00", None, None],
            ["producer-1", "0", "data", "2026-01-05 09:00:01", None, None],
            ["producer-2", "-1", "bootstrap", "2026-01-05 09:00:02", "2026-01-05 09:09:02", "idle"],
            ["producer-2", "1", "data", "2026-01-05 09:00:03", None, None],
            ["consumer-a-1", "-1", "bootstrap", "2026-01-05 09:00:04", None, None],
        ],
    },
    {
        "case": "one producer, two of its addresses",
        "rows": [
            ["producer-7", "-2", "bootstrap", "2026-01-05 09:00:05", None, None],
            ["producer-7", "-1", "bootstrap", "2026-01-05 09:00:03", None, None],
            [
                "producer-7",
                "-3",
                "bootstrap",
                "2026-01-05 09:00:01",
                "2026-01-05 09:00:02",
                "failed",
            ],
        ],
    },
    {
        "case": "no zombie at all",
        "rows": [
            ["producer-3", "-1", "bootstrap", "2026-01-05 09:00:00", "2026-01-05 09:10:00", "peer"],
            ["producer-3", "2", "data", "2026-01-05 09:00:01", None, None],
        ],
    },
)

QUESTION_02_6 = SparkAnswer(
    id="02.6",
    hints=(
        "A zombie's row has class bootstrap and no closed_at. And you want producers only.",
        "sockets.where(...).groupBy(\"client_id\").agg(F.min(\"opened_at\").alias(\"since\"))",
    ),
    title="Spark: zombie producers",
    points=3,
    answers=("zombies",),
    public_cases=ZOMBIES,
    schema=SOCKETS,
    gives=("client_id", "since"),
)


# %% 02.7
from autograder.cell.kinds import StateMachine, walks

CONNECTION = ("DISCONNECTED", "CONNECTING", "CHECKING_API_VERSIONS", "READY")
LIVES = walks(
    (
        ("connect", "accepted", "versions", "closed", "connect"),
        ("connect", "accepted", "closed", "connect"),
        ("connect", "refused", "connect", "accepted"),
        ("connect", "connect"),
        ("connect", "versions"),
        ("connect", "closed", "connect"),
        ("connect", "accepted", "connect"),
        ("connect", "accepted", "versions", "connect"),
        ("connect", "accepted", "versions", "refused"),
        ("connect", "accepted", "versions", "accepted"),
        ("connect", "accepted", "refused"),
        ("connect", "accepted", "versions", "versions"),
        ("accepted",),
        ("closed",),
        ("versions",),
        ("refused",),
    )
)

QUESTION_02_7 = StateMachine(
    id="02.7",
    hints=(
        "For each state: which of the five events can happen there at all? Leave the others out.",
        "What ends a connection leads back to DISCONNECTED, from each of the other three states. There are seven entries in all.",
    ),
    title="the life of a connection",
    points=3,
    answers=("connection",),
    public_cases=LIVES,
    start="DISCONNECTED",
    states=CONNECTION,
)


# %% 02.8
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import KafkaProducer, Lab, ProducerRecord

WAITS = (
    "delivery.timeout.ms",
    "linger.ms",
    "max.block.ms",
    "metadata.max.age.ms",
    "request.timeout.ms",
    "retry.backoff.ms",
)


def log_of_a_typing_error(numbers) -> list[str]:
    """Settings and warnings of a producer that was told a topic's name with a letter missing,
    and the sentence it ended with."""
    return list(_mistyped(numbers["typed"], numbers["seconds"], numbers["seed"]))


@lru_cache(maxsize=256)
def _mistyped(typed: str, seconds: int, seed: int) -> tuple[str, ...]:
    lab = Lab(
        2,
        broker_config={"auto.create.topics.enable": False},
        version="2.3",
        seed=seconds + 1_000 * seed,
        broker_version="2.3",
    )
    lab.create_topic("orders", partitions=2)
    producer = KafkaProducer(
        lab,
        {"client.id": "shop", "max.block.ms": seconds * 1_000, "retry.backoff.ms": 2_000},
        name="shop",
    )
    try:
        producer.send(ProducerRecord(typed, value="tea")).get()
        last = "no exception"
    except Exception as error:
        last = f"{type(error).__name__}: {error}"
    lines = lab.lines("shop")
    settings = [
        line.strip()
        for line in lines.message.iloc[0].splitlines()
        if line.strip().split(" =")[0] in WAITS
    ]
    warned = [
        f"{line.time[-12:]} {line.level} {line.message.split('] ', 1)[-1]}"
        for line in lines[lines.level == "WARN"].itertuples()
    ]
    return (*settings, *warned[:4], f"and the program ended with {last}")


QUESTION_02_8 = LineReading(
    id="02.8",
    hints=(
        "What does the client ask for again and again, and what is the answer?",
        "The sentence at the end says how long send waited for metadata. Which of the settings has that number?",
    ),
    title="bug hunt: the producer that hangs",
    points=2,
    answers=("topic", "setting"),
    show=log_of_a_typing_error,
    space={
        "typed": ("oders", "order", "ordesr", "orders-", "orderss", "oreders", "ordrs"),
        "seconds": (9, 12, 15, 20, 25),
    },
    scenery={"seed": 100_000},
)


# %% 02.open
from autograder.cell.kinds import Open

QUESTION_02_open = Open(
    id="02.open",
    title="A producer first connects to a bootstrap server as node -1 and later opens a second connection to the very same host and port as node 0. Why can the first connection not simply be reused, and would comparing host:port instead of the id fix it?",
points=4)


# %% 02.open2
from autograder.cell.kinds import Open

QUESTION_02_open2 = Open(
    id="02.open2",
    title="KafkaProducer's constructor starts its Sender thread. Why is starting a thread inside a constructor risky, and what is the safe order?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_02_1,
    QUESTION_02_2,
    QUESTION_02_3,
    QUESTION_02_4,
    QUESTION_02_9,
    QUESTION_02_5,
    QUESTION_02_6,
    QUESTION_02_7,
    QUESTION_02_8,
    QUESTION_02_open,
    QUESTION_02_open2,
)
