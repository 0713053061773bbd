"""Chapter 02, what a producer connects to: the judges' half.
Truths come from running the lab, not from a formula."""

from __future__ import annotations

from functools import cache
from random import Random

from autograder.cell.data import canonical
from autograder.cell.questions.ch02 import node
from autograder.course.answers import each
from autograder.course.judge import Judge, WrongAnswer
from autograder.course.walks import states_of
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


def _opened_kept(case: dict) -> dict:
    leaders = tuple(i % case["leaders"] for i in range(case["partitions"]))
    opened, kept = _sent_for(case["brokers"], leaders, 540_000, 900_000, (900_000,))[0]
    return {"opened": opened, "kept": kept}


def _idle(case: dict) -> dict:
    limit_ms = -1 if case["limit_s"] < 0 else case["limit_s"] * 1_000
    (_, five), (_, twenty) = _sent_for(
        case["brokers"], tuple(range(case["brokers"])), limit_ms, 60_000, (300_000, 1_200_000)
    )
    return {"after_five": five, "after_twenty": twenty}


def _picked(case: dict):
    """The rule of 2.3 as one sort key: able first, fewest in flight; then preparing;
    then whoever may be connected."""
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
        nodes += [node(-1, "preparing", 1)] * rng.randrange(2) + [
            node(-2, "disconnected")
        ] * rng.randrange(2)
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


MOVES = {
    ("DISCONNECTED", "connect"): "CONNECTING",
    ("CONNECTING", "accepted"): "CHECKING_API_VERSIONS",
    ("CONNECTING", "refused"): "DISCONNECTED",
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


def _stands(case: dict) -> bool:
    """Played through: what the last of its lines that says yes or no has said."""
    last = [line for line in case["story"] if line.startswith(("Completed", "Node"))]
    return bool(last) and last[-1].startswith("Completed")


STILL_OPEN = """
still_open = set()
for line in shown:
    node = int((line.split("(id: ")[1] if "(id: " in line else line.split("ode ")[1]).split()[0].rstrip("."))
    {rule}
"""  # noqa: E501
ONE_TOO_FEW = """
smallest_delay = {}
for name in d:
    counts = [bootstrap_sockets(delay, d[name].seed) for delay in range(21)]
    smallest_delay[name] = min(i for i in range(21) if all(count == 5 for count in counts[i:])) - 1
"""
ZOMBIES_BY = """
def zombies(sockets):
    return sockets.where({rule}).groupBy("client_id").agg(F.min("opened_at").alias("since"))
"""
TABLE = """
connection = {{
    "DISCONNECTED": {{"connect": "CONNECTING"{first}}},
    "CONNECTING": {{"accepted": {accepted}, "refused": {refused}{connecting}}},
    "CHECKING_API_VERSIONS": {{"versions": "READY"{checking}}},
    "READY": {{"closed": {closed}{ready}}},
}}
"""


def _table(**changes) -> str:
    """The right table with some of its places written otherwise."""
    right = {
        "first": "",
        "accepted": '"CHECKING_API_VERSIONS"',
        "refused": '"DISCONNECTED"',
        "connecting": "",
        "checking": ', "closed": "DISCONNECTED"',
        "closed": '"DISCONNECTED"',
        "ready": "",
    }
    return TABLE.format(**{**right, **changes})


ASKED = "topic = next(line for line in shown if 'WARN' in line).split('{')[1].split('=')[0]\n"

JUDGES = (
    Judge(
        id="02.1",
        truth=_stands,
        right="right.",
        otherwise="not so. Follow the node from its first line to its last.",
        wrong_answers=(
            WrongAnswer(
                "tries counted",
                STILL_OPEN.format(
                    rule=(
                        '"Initiating" in line and still_open.add(node)\n'
                        '    line.endswith("disconnected.") and still_open.discard(node)'
                    )
                ),
                "You counted a try. `Initiating` announces one; `Completed connection` says that "
                "it came to something.",
            ),
            WrongAnswer(
                "closes forgotten",
                STILL_OPEN.format(rule='"Completed" in line and still_open.add(node)'),
                "You did not take it away. Its last word is `disconnected.`, or a new try that "
                "came to nothing.",
            ),
            WrongAnswer(
                "gone is gone",
                STILL_OPEN.format(rule='"Completed" in line and still_open.add(node)')
                + (
                    "still_open -= {int(line.split()[1]) for line in shown if "
                    'line.endswith("disconnected.")}'
                ),
                "It was disconnected and came back later. The last line about a node decides.",
            ),
            WrongAnswer(
                "refused once, gone for ever",
                STILL_OPEN.format(
                    rule=(
                        '"Completed" in line and still_open.add(node)\n'
                        '    line.endswith("disconnected.") and still_open.discard(node)'
                    )
                )
                + (
                    'still_open -= {int(line.split()[3]) for line in shown if "could not be '
                    'established" in line}'
                ),
                "It was refused once and stood later: the client tries again.",
            ),
            WrongAnswer(
                "brokers, not connections",
                STILL_OPEN.format(
                    rule=(
                        '"Completed" in line and node >= 0 and still_open.add(node)\n'
                        '    line.endswith("disconnected.") and still_open.discard(node)'
                    )
                ),
                "A negative id is a connection too. It leads to a broker under a made-up name, and "
                "nobody has closed it.",
            ),
        ),
    ),
    Judge(
        id="02.2",
        truth=_opened_kept,
        right="right: one to ask, and one for each broker that leads something you send to.",
        otherwise="not these two. Which brokers does this producer need?",
        wrong_answers=(
            WrongAnswer(
                "twice the brokers",
                each("opened kept", "2 * x.brokers", "x.brokers"),
                "2N is the article's rule. It counts each of the {brokers} brokers twice; only the "
                "address in bootstrap.servers is connected under a made-up id.",
            ),
            WrongAnswer(
                "one for each partition",
                each("opened kept", "1 + x.partitions", "x.partitions"),
                "You counted the {partitions} partitions. A broker that leads several of them "
                "needs one connection.",
            ),
            WrongAnswer(
                "every broker",
                each("opened kept", "1 + x.brokers", "x.brokers"),
                "You counted all {brokers} brokers. A producer connects to a broker when it has "
                "something for it.",
            ),
            WrongAnswer(
                "every broker at first",
                each("opened kept", "1 + x.brokers", "x.leaders"),
                "Kept is right. But nothing is opened to all {brokers} brokers first: a connection "
                "comes when there is something for that broker.",
            ),
            WrongAnswer(
                "the first is kept",
                each("opened kept", "1 + x.leaders", "1 + x.leaders"),
                "Nobody uses node -1 after the start. Nine idle minutes later it is closed.",
            ),
            WrongAnswer(
                "every leader twice",
                each("opened kept", "2 * x.leaders", "x.leaders"),
                "You counted a first connection for each of the {leaders} leaders. The client asks "
                "one address, once; that is one more, not {leaders} more.",
            ),
            WrongAnswer(
                "all are idle",
                each("opened kept", "1 + x.leaders", "0"),
                "The program sends every twenty seconds, so its connections to the leaders are "
                "never idle for nine minutes.",
            ),
            WrongAnswer(
                "the first is forgotten",
                each("opened kept", "x.leaders", "x.leaders"),
                "Before the producer knows any leader it must ask somebody. That connection, to "
                "node -1, counts as opened.",
            ),
        ),
    ),
    Judge(
        id="02.3",
        truth=_picked,
        hidden_cases=_tables,
        right="right.",
        otherwise="not this node. Take the three rules one after the other.",
        unseen=(
            "your rule picks a node that it should not, or one connection too many is opened. Take "
            "the three rules one after the other."
        ),
        wrong_answers=(
            WrongAnswer(
                "the rule of 2.2",
                "def least_loaded(nodes):\n    able = [n for n in nodes if n.can_send and "
                "n.in_flight == 0]\n"
                "    rest = [n for n in nodes if n.can_send or n.state != 'ready']\n    if able:\n"
                "        return able[0]\n"
                "    return min(rest, key=lambda n: (n.in_flight, n.state != 'disconnected')) if "
                "rest else None",
                "That is the rule of version 2.2: an untouched node beats one whose connection is "
                "being made. So it opens one connection after another.",
            ),
            WrongAnswer(
                "the first that can send",
                "def least_loaded(nodes):\n    for wanted in (lambda n: n.can_send, lambda n: "
                "n.state == 'preparing', lambda n: n.can_connect):\n"
                "        for n in nodes:\n            if wanted(n):\n                return n\n"
                "    return None",
                "You took the first node that can send. The one with the fewest requests in flight "
                "is wanted.",
            ),
            WrongAnswer(
                "the busiest",
                "def least_loaded(nodes):\n    able = [n for n in nodes if n.can_send]\n"
                "    if able:\n        return max(able, key=lambda n: n.in_flight)\n"
                "    rest = [n for n in nodes if n.state == 'preparing'] or [n for n in nodes if "
                "n.can_connect]\n    return rest[0] if rest else None",
                "That is the most loaded one: max instead of min.",
            ),
            WrongAnswer(
                "full nodes too",
                "def least_loaded(nodes):\n    able = [n for n in nodes if n.state == 'ready']\n"
                "    if able:\n        return min(able, key=lambda n: n.in_flight)\n"
                "    rest = [n for n in nodes if n.state == 'preparing'] or [n for n in nodes if "
                "n.can_connect]\n    return rest[0] if rest else None",
                "A node can be ready and still take no request now, because its window is full. "
                "can_send knows.",
            ),
        ),
    ),
    Judge(
        id="02.4",
        truth=_idle,
        right="right.",
        otherwise=(
            "not these two. Build the lab and count; the producer still asks for metadata every "
            "five minutes."
        ),
        wrong_answers=(
            WrongAnswer(
                "-1 keeps all for ever",
                each("after_five after_twenty", "1 + x.brokers", "1 + x.brokers", numbers="n4"),
                "You closed nothing. Somebody does: the client after its limit, and the broker "
                "after ten minutes, whatever the client says.",
            ),
            WrongAnswer(
                "nothing is left",
                each("after_five after_twenty", "0", "0", numbers="n4"),
                "Something is left: the producer asks for metadata every five minutes and after "
                "each close, and that keeps one connection in use.",
            ),
            WrongAnswer(
                "nothing in the end",
                each("after_five after_twenty", "1 + x.brokers", "0", numbers="n4"),
                "After twenty minutes one is left: METADATA, every five minutes and after each "
                "close, keeps one connection in use.",
            ),
            WrongAnswer(
                "only node -1 goes",
                each("after_five after_twenty", "x.brokers", "x.brokers", numbers="n4"),
                "You closed node -1 only. The data connections are idle as well: nothing was sent "
                "after the first minute.",
            ),
        ),
    ),
    Judge(
        id="02.5",
        truth=_smallest,
        right=(
            "right: the answers must be slower than the time in which the client comes round to "
            "look again."
        ),
        otherwise="not this delay. Make a list of the counts for 0 to 20 ms.",
        wrong_answers=(
            WrongAnswer(
                "always five",
                "smallest_delay = {x: 0 for x in d}",
                "With no delay your lab opens fewer than five. Run bootstrap_sockets(0, seed).",
            ),
            WrongAnswer(
                "the largest tried",
                "smallest_delay = {x: 20 for x in d}",
                "20 ms does it, but less does it too. Go down from there.",
            ),
            WrongAnswer(
                "one too few",
                ONE_TOO_FEW,
                "One less than the right delay: with yours, not all five are opened yet.",
            ),
        ),
    ),
    Judge(
        id="02.6",
        truth=_since(_is_zombie),
        hidden_cases=_tables_of_sockets,
        right="right.",
        otherwise=(
            "not these rows. Which connections does a healthy producer have at the end, and which "
            "not?"
        ),
        unseen=(
            "other rows were asked for. Think of consumers, of connections that were closed, and "
            "of a producer with two addresses."
        ),
        wrong_answers=(
            WrongAnswer(
                "consumers too",
                ZOMBIES_BY.format(rule="\"class = 'bootstrap' and closed_at is null\""),
                "You counted consumers too. The question is about producers.",
                _since(
                    lambda client_id, kind, closed_at, how: (
                        kind == "bootstrap" and closed_at is None
                    )
                ),
            ),
            WrongAnswer(
                "closed ones too",
                ZOMBIES_BY.format(rule="\"class = 'bootstrap' and client_id like 'producer%'\""),
                "These are all producers that ever had such a connection. A zombie still has it: "
                "closed_at is null.",
                _since(
                    lambda client_id, kind, closed_at, how: (
                        kind == "bootstrap" and client_id.startswith("producer")
                    )
                ),
            ),
            WrongAnswer(
                "data connections too",
                ZOMBIES_BY.format(rule="\"closed_at is null and client_id like 'producer%'\""),
                "A data connection that is open is in use. Zombies are of class bootstrap.",
                _since(
                    lambda client_id, kind, closed_at, how: (
                        closed_at is None and client_id.startswith("producer")
                    )
                ),
            ),
            WrongAnswer(
                "one row for each connection",
                ZOMBIES_BY.format(
                    rule=(
                        "\"class = 'bootstrap' and closed_at is null and client_id like "
                        "'producer%'\""
                    )
                ).replace(
                    '.groupBy("client_id").agg(F.min("opened_at").alias("since"))',
                    '.select("client_id", F.col("opened_at").alias("since"))',
                ),
                "A producer with two zombies has two rows here. One row for each producer was "
                "asked for, with the earlier moment.",
                _since(_is_zombie, None),
            ),
            WrongAnswer(
                "the later moment",
                ZOMBIES_BY.format(
                    rule=(
                        "\"class = 'bootstrap' and closed_at is null and client_id like "
                        "'producer%'\""
                    )
                ).replace("F.min", "F.max"),
                "`since` is the earliest moment: from then on the producer has had a zombie.",
                _since(_is_zombie, max),
            ),
        ),
    ),
    Judge(
        id="02.7",
        truth=_walked,
        hidden_cases=_long_walks,
        right="right.",
        otherwise="your table leads through {said}. The last step is not what a connection does.",
        unseen=(
            "a longer life leads your table astray. Walk through it by hand: connect, accepted, "
            "closed, connect, ..."
        ),
        wrong_answers=(
            WrongAnswer(
                "ready at once",
                _table(accepted='"READY"'),
                "TCP stands, and nothing may be sent yet: first the client asks which versions the "
                "broker speaks. That is a state of its own.",
            ),
            WrongAnswer(
                "refused for ever",
                _table(refused="None"),
                "A refused connection is DISCONNECTED, and after a while the client tries it "
                "again.",
            ),
            WrongAnswer(
                "only what is ready can break",
                _table(checking=""),
                "A connection can break before its versions are known. It is DISCONNECTED then, "
                "like any other.",
            ),
            WrongAnswer(
                "begun twice",
                _table(connecting=', "connect": "CONNECTING"'),
                "A connection that is on its way is not begun a second time. Leave `connect` out "
                "there.",
            ),
            WrongAnswer(
                "closed is a state",
                _table(closed='"CONNECTING"'),
                "A connection that was closed is DISCONNECTED. It is opened again only when "
                "somebody wants it.",
            ),
            WrongAnswer(
                "back to asking",
                _table(ready=', "versions": "READY"'),
                "READY has asked already. The answer about versions comes once in a connection's "
                "life.",
            ),
        ),
    ),
    Judge(
        id="02.8",
        truth=lambda case: {"topic": case["typed"], "setting": "max.block.ms"},
        right=(
            "right: metadata of a topic that does not exist never comes, and send waits for it, "
            "max.block.ms long."
        ),
        otherwise=(
            "not this. The topic stands in the warnings, as the client asked for it. And which "
            "time has run out?"
        ),
        wrong_answers=(
            WrongAnswer(
                "what was meant",
                "topic, setting = 'orders', 'max.block.ms'",
                "That is the name that was meant. The client asks for {typed}, and there is no "
                "such topic.",
            ),
            WrongAnswer(
                "the record's time",
                f"{ASKED}setting = 'delivery.timeout.ms'",
                "The topic is right. But delivery.timeout.ms counts for a record that lies in a "
                "batch. This one never got so far: no partition was known for it.",
            ),
            WrongAnswer(
                "the request's time",
                f"{ASKED}setting = 'request.timeout.ms'",
                "The topic is right. But every request was answered at once, with an error. It is "
                "send itself that waited.",
            ),
            WrongAnswer(
                "the pause",
                f"{ASKED}setting = 'retry.backoff.ms'",
                "The topic is right. retry.backoff.ms is the pause between two questions, not the "
                "end of asking.",
            ),
        ),
    ),
    Judge(id="02.open"),
    Judge(id="02.open2"),
)
