# %% [markdown] items="P14"
# ### Exercise 02.9 · Close what is idle
#
# The client asks once in each pass of the Sender: which connection do I close now? Write
# `to_close(connections, now_ms, limit_ms)`. Return one of the connections, or `None`. Each has two
# fields:
#
# - `id`: the node id, −1 for the first bootstrap address.
# - `last_used_ms`: when something was last written to it or read from it.
#
# The list is sorted by id. `limit_ms` is `connections.max.idle.ms`. The rule is the one of
# section 4: one connection at a time, the one that was not used for the longest time, and only
# after its limit. Look there for what the limit −1 means. A connection whose limit ends in this
# millisecond still lives.
#
# The check then gives your function to producers with several brokers. They send, pause and send
# again. It compares each of your decisions with Kafka's.

# %% answer
def to_close(connections, now_ms, limit_ms):
    """The connection to close now, or None."""
    ### BEGIN SOLUTION
    if limit_ms < 0 or not connections:
        return None
    oldest = min(connections, key=lambda each: each.last_used_ms)
    return oldest if now_ms - oldest.last_used_ms > limit_ms else None
    ### END SOLUTION


# %% question
from random import Random
from types import SimpleNamespace

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
    must_be_one("to_close", "connections", chosen)
    return None if chosen is None else chosen.id


def day(case, rule):
    """A producer sends to some brokers at times of chance, pauses and sends again; `rule` closes
    its connections."""
    lab = Lab(brokers=case["brokers"], seed=case["seed"], version="2.3", broker_version="2.3")
    leaders = list(range(case["brokers"]))
    lab.create_topic("orders", partitions=len(leaders), leaders=leaders)

    own = asked_for_one("to_close", "connections", rule)

    def asked(connections, now_ms, limit_ms):
        chosen = own(connections, now_ms, limit_ms)
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


Function(
    title="close what is idle",
    points=4,
    answers=("to_close",),
    public_cases=MOMENTS + DAYS,
    probe=closed,
    play=day,
    look=another_than_kafkas,
    kept=what_a_day_proved,
)

# %% judge
from random import Random

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


Judge(
    truth=_due,
    hidden_cases=_moments,
    right=_why_due,
    otherwise="not this connection. Which was used longest ago, and is its limit over?",
    unseen=(
        "your rule closes a wrong connection, or keeps one for too long. Compare with section 4: "
        "one at a time, the least recently used, after its limit."
    ),
)


# %% wrong="the first that is too old"
# This one is past its limit, but another one was used longer ago. Kafka closes the least recently
# used one. The list is sorted by id.
def to_close(connections, now_ms, limit_ms):
    for each in connections:
        if 0 <= limit_ms < now_ms - each.last_used_ms:
            return each
    return None


# %% wrong="at the limit"
# A connection may be idle for exactly its limit. It is closed when it was idle for longer: >, not >=.
# -     return oldest if now_ms - oldest.last_used_ms > limit_ms else None
# +     return oldest if now_ms - oldest.last_used_ms >= limit_ms else None


# %% wrong="-1 is a number"
# With connections.max.idle.ms=-1 the client closes no idle connection. You compared with -1 as with
# any other limit, and everything is idle for longer.
# -     if limit_ms < 0 or not connections:
# +     if not connections:


# %% wrong="without the limit"
# You always close the least recently used connection. It may still be in use: look at its limit.
def to_close(connections, now_ms, limit_ms):
    if limit_ms < 0 or not connections:
        return None
    return min(connections, key=lambda each: each.last_used_ms)


# %% wrong="the most recently used"
# A large last_used_ms means: used a moment ago. The least recently used connection has the smallest.
def to_close(connections, now_ms, limit_ms):
    if limit_ms < 0 or not connections:
        return None
    newest = max(connections, key=lambda each: each.last_used_ms)
    return newest if now_ms - newest.last_used_ms > limit_ms else None


# %% wrong="zero is false"
# The limit 0 is a limit: what was not used in this millisecond goes. `if not limit_ms` takes 0 for
# "no limit". Only a limit below zero means that.
# -     if limit_ms < 0 or not connections:
# +     if not limit_ms or limit_ms < 0 or not connections:


# %% hint
# Only one connection can be the answer. Find it first, then ask whether its limit is over.

# %% hint
# min(connections, key=lambda each: each.last_used_ms) finds it; now_ms - last_used_ms is how long it
# was idle. Two cases come before: no connections, and a limit below zero.
