"""Chapter 03, what a consumer connects to: the judges' half.
Truths come from running the lab, not from a formula."""

from __future__ import annotations

import json
from functools import cache
from random import Random

from autograder.cell.course_folder import HOME
from autograder.course.answers import each
from autograder.course.judge import Judge, WrongAnswer
from kafkalab import KafkaConsumer, Lab


def _class_of_line(case: dict) -> str:
    """By arithmetic on the id: what the client makes up is below zero, above any broker's number,
    or has a plus."""
    id = case["line"].partition("(id: ")[2].partition(" ")[0]
    return (
        "coordinator"
        if id[0] == "+"
        else ("data", "coordinator")[int(id) > 10**9]
        if int(id) >= 0
        else "bootstrap"
    )


@cache
def _counted(brokers: int, leaders: tuple[int, ...]) -> tuple[int, int]:
    """(opened, kept) by a 2.3 consumer, its bootstrap connection given time to go idle."""
    lab = Lab(brokers=brokers, seed=5, version="2.3", broker_version="2.3")
    lab.create_topic("t", partitions=len(leaders), leaders=list(leaders))
    lab.place_coordinator("test", broker=leaders[0])
    consumer = KafkaConsumer(
        lab, {"group.id": "test", "connections.max.idle.ms": 8_000}, name="consumer"
    )
    consumer.subscribe(["t"])
    while lab.now_ms < 15_000:
        consumer.poll(timeout_ms=500)
    sockets = lab.sockets()
    return len(sockets), sum(s.closed_at_ms is None for s in sockets)


def _spread(case: dict) -> dict:
    opened, kept = _counted(
        case["brokers"], tuple(i % case["leaders"] for i in range(case["partitions"]))
    )
    return {"opened": opened, "kept": kept}


@cache
def _group_on_one(members: int, partitions: int) -> tuple[int, int]:
    """(opened, kept) by all members together, when one broker
    leads everything and coordinates too."""
    lab = Lab(brokers=3, seed=5, version="2.3", broker_version="2.3")
    lab.create_topic("t", partitions=partitions, leaders=[0] * partitions)
    lab.place_coordinator("test", broker=0)

    def read(lab, name):
        consumer = KafkaConsumer(
            lab,
            {"group.id": "test", "connections.max.idle.ms": 8_000, "client.id": name},
            name=name,
        )
        consumer.subscribe(["t"])
        while True:
            consumer.poll(timeout_ms=500)

    for number in range(members):
        lab.spawn(read, f"member-{number}", name=f"member-{number}")
    lab.run_for(ms=20_000)
    sockets = lab.sockets()
    counted = len(sockets), sum(s.closed_at_ms is None for s in sockets)
    lab.close()
    return counted


def _on_one(case: dict) -> dict:
    opened, kept = _group_on_one(case["members"], case["partitions"])
    return {"opened_one": opened, "kept_one": kept}


def _broker(case: dict) -> int | None:
    """Told apart by how the client makes the ids: MAX_VALUE - id up to 4.0, "+id" from 4.4,
    -1 - position for addresses."""
    text = case["node_id"]
    made = {str(2**31 - 1 - broker): broker for broker in range(2_000)} | {
        f"+{broker}": broker for broker in range(2_000)
    }
    return None if text.startswith("-") else made.get(text, int(text))


def _java_hash(text: str) -> int:
    total = 0
    for unit in text.encode("utf-16-be").hex(" ", 2).split():
        total = (total * 31 + int(unit, 16)) % 2**32
    return total - 2**32 if total >= 2**31 else total


def _partition(case: dict) -> int:
    number = _java_hash(case["group"])
    return 0 if number == -(2**31) else abs(number) % 50


def _groups(rng: Random) -> list[dict]:
    names = [
        "".join(rng.choice("abcdefghijklmnopqrstuvwxyz-") for _ in range(rng.randrange(3, 14)))
        for _ in range(6)
    ]
    return [{"group": name} for name in [*names, "polygenelubricants"]] + [
        {"group": name, "seed": rng.randrange(10, 999), "crash": crash}
        for name, crash in zip(names, (True, False, True))
    ]


def _without_coordinator(case: dict) -> dict:
    clients = json.loads((HOME / "data/samples/tiny/truth.json").read_text(encoding="utf-8"))[
        "clients"
    ]
    return {
        "without_coordinator": sum(
            c["kind"] == "consumer" and not c["by_class"].get("coordinator")
            for c in clients.values()
        )
    }


ONE = "opened_one kept_one"
LABELLING = """
def label(line):
    node_id = line.split("(id: ")[1].split(" ")[0]
    {rule}
labels = [label(line) for line in shown]
"""

CULPRIT = (
    "setting = 'connections.max.idle.ms'\n"
    "written = int(next(line for line in shown if line.startswith(setting)).split('=')[1])\n"
)

JUDGES = (
    Judge(
        id="03.1",
        truth=_spread,
        right=(
            "right: one to ask, one to the coordinator, one for each broker that leads something; "
            "the first one goes idle."
        ),
        otherwise="not these two. Count by class: bootstrap, coordinator, data.",
        wrong_answers=(
            WrongAnswer(
                "one for each partition",
                each("opened kept", "2 + x.partitions", "1 + x.partitions"),
                "You counted a connection for each of the {partitions} partitions. A broker that "
                "leads several gets one connection for all of them.",
            ),
            WrongAnswer(
                "no connection to the coordinator",
                each("opened kept", "1 + x.leaders", "x.leaders"),
                "You left out the coordinator's own connection. It stands beside the data "
                "connection even when both go to the same broker.",
            ),
            WrongAnswer(
                "leaders counted as one",
                each("opened kept", "3", "2"),
                "You counted all leaders as one connection. Each broker that leads a partition "
                "gets its own.",
            ),
            WrongAnswer(
                "the first is forgotten",
                each("opened kept", "1 + x.leaders", "1 + x.leaders"),
                "You left out the first connection. Before the client knows any broker it must ask "
                "somebody, and that is node -1.",
            ),
            WrongAnswer(
                "the coordinator's goes too",
                each("opened kept", "2 + x.leaders", "x.leaders"),
                "You closed the coordinator's connection. Heartbeats go over it every three "
                "seconds, so it is never idle.",
            ),
            WrongAnswer(
                "one for each broker",
                each("opened kept", "2 + x.brokers", "1 + x.brokers"),
                "You counted data connections to all {brokers} brokers. Only a broker that leads a "
                "wanted partition gets one.",
            ),
            WrongAnswer(
                "the first is kept",
                each("opened kept", "2 + x.leaders", "2 + x.leaders"),
                "You kept the first connection. Nobody uses node -1 after the start, so the idle "
                "limit closes it.",
            ),
            WrongAnswer(
                "all brokers, all kept",
                each("opened kept", "x.brokers", "x.brokers"),
                "You counted brokers. Connections go by node id, and one broker can stand behind "
                "three ids: -1, the coordinator's, its own.",
            ),
        ),
    ),
    Judge(
        id="03.2",
        truth=_broker,
        hidden_cases=lambda rng: [
            {"node_id": text}
            for broker in rng.sample(range(900), 4)
            for text in (str(broker), str(2147483647 - broker), f"+{broker}", str(-1 - broker % 5))
        ],
        right="right.",
        otherwise="not this broker. Which of the four kinds of id is it?",
        wrong_answers=(
            WrongAnswer(
                "off by one",
                "def broker_of(node_id):\n    number = int(node_id)\n    if number < 0:\n"
                "        return None\n"
                "    return 2147483648 - number if number > 2_000_000_000 else number",
                "One too many: the largest int is 2147483647, so broker 0 has exactly that id.",
            ),
            WrongAnswer(
                "-1 is broker 1",
                "def broker_of(node_id):\n    number = abs(int(node_id))\n"
                "    return 2147483647 - number if number > 2_000_000_000 else number",
                "A negative id is only a place in the list of addresses. Which broker answers "
                "there, the client cannot tell: None.",
            ),
            WrongAnswer(
                "the id as it is",
                "def broker_of(node_id):\n    return int(node_id) if int(node_id) >= 0 else None",
                "2147483645 is not a broker. Subtract it from 2147483647: that gives the broker's "
                "number, and the coordinator an id of its own.",
            ),
        ),
    ),
    Judge(
        id="03.3",
        truth=_class_of_line,
        right="right.",
        otherwise="not {said}. Look at the id in the line, not at the port.",
        wrong_answers=(
            WrongAnswer(
                "by the port",
                LABELLING.format(
                    rule=(
                        'return {"9092": "bootstrap", "9093": '
                        '"data"}.get(line.split("localhost:")[1][:4], "coordinator")'
                    )
                ),
                "You looked at the port. A broker has one port for all that is asked of it; only "
                "the id tells the connections apart.",
            ),
            WrongAnswer(
                "+0 is data",
                LABELLING.format(
                    rule=(
                        'return "bootstrap" if int(node_id) < 0 else "coordinator" if int(node_id) '
                        '> 2_000_000_000 else "data"'
                    )
                ),
                "The plus is how client 4.4 writes the coordinator's id.",
            ),
            WrongAnswer(
                "the largest int is a broker",
                LABELLING.format(
                    rule='return "bootstrap" if int(node_id) < 0 else "coordinator" '
                    'if node_id[0] == "+" or 2147483647 > int(node_id) > 2_000_000_000 else "data"'
                ),
                "2147483647 is 2147483647 - 0: the coordinator's id where broker 0 coordinates.",
            ),
            WrongAnswer(
                "only -1 is bootstrap",
                LABELLING.format(
                    rule=(
                        'return "bootstrap" if node_id == "-1" else "coordinator" if '
                        'node_id.startswith("+") or int(node_id) > 2_000_000_000 else "data"'
                    )
                ),
                "-2 is the second address of bootstrap.servers. All negative ids are made up at "
                "the start.",
            ),
        ),
    ),
    Judge(
        id="03.4",
        truth=_partition,
        hidden_cases=_groups,
        right="right.",
        otherwise="not this partition. Hash, absolute value, rest by 50.",
        unseen=(
            "for some group's name your function gives another partition than Kafka's. Hash, "
            "absolute value, rest by 50."
        ),
        wrong_answers=(
            WrongAnswer(
                "the smallest int keeps its size",
                "def offsets_partition(group):\n    return abs(java_string_hash(group)) % 50",
                "This group's hash is -2147483648. Java cannot turn it positive, so Kafka's "
                "Utils.abs makes it 0. The articles say 48; Kafka says 0.",
            ),
            WrongAnswer(
                "Python's own rest",
                "def offsets_partition(group):\n    return java_string_hash(group) % 50",
                "Python's % of a negative number is positive, but another one than Java's. Take "
                "the absolute value first.",
            ),
            WrongAnswer(
                "the sign bit dropped",
                "def offsets_partition(group):\n"
                "    return (java_string_hash(group) & 0x7FFFFFFF) % 50",
                "Dropping the sign bit is what the partitioner of a producer does. For groups "
                "Kafka takes the absolute value.",
            ),
        ),
    ),
    Judge(
        id="03.5",
        truth=_on_one,
        right="right: three node ids for each member, and -1 goes idle.",
        otherwise=(
            "not these two. How many different node ids does each of the {members} members use?"
        ),
        wrong_answers=(
            WrongAnswer(
                "one broker, one connection",
                each(ONE, "2 * x.members", "x.members", numbers="m"),
                "Coordinator and leader are one broker here, but two node ids, and so two "
                "connections.",
            ),
            WrongAnswer(
                "one for each partition",
                each(ONE, "2 * x.members + x.partitions", "x.members + x.partitions", numbers="m"),
                "All {partitions} partitions are led by one broker, so a member needs one data "
                "connection for all that it owns.",
            ),
            WrongAnswer(
                "one member counted",
                each(ONE, "3", "2", numbers="m"),
                "That is one member. There are {members}, and each is a client of its own.",
            ),
            WrongAnswer(
                "the first is forgotten",
                each(ONE, "2 * x.members", "2 * x.members", numbers="m"),
                "You left out the first connection of each member. Before a client knows any "
                "broker it must ask somebody, and that is node -1.",
            ),
            WrongAnswer(
                "all are kept",
                each(ONE, "3 * x.members", "3 * x.members", numbers="m"),
                "The connections to node -1 are not used after the start. The idle limit closes "
                "them.",
            ),
        ),
    ),
    Judge(
        id="03.6",
        truth=_without_coordinator,
        right="right: they read without a group, so nobody coordinates them.",
        otherwise="not this number. Count clients, not connections.",
        wrong_answers=(
            WrongAnswer(
                "producers counted too",
                "without_coordinator = 17",
                "You counted producers too. A producer has no group; the question is about "
                "consumers.",
            ),
            WrongAnswer(
                "all consumers",
                "without_coordinator = 27",
                "These are all consumers. Most of them have a coordinator.",
            ),
            WrongAnswer(
                "none",
                "without_coordinator = 0",
                "There are some. Look for consumers whose rows hold no class coordinator at all.",
            ),
        ),
    ),
    Judge(
        id="03.7",
        truth=lambda case: {
            "setting": "connections.max.idle.ms",
            "should_be": case["minutes"] * 60_000,
        },
        right=(
            "right: between two heartbeats the connection was idle for too long, and the client "
            "closed it itself."
        ),
        otherwise=(
            "not this. Find the connection that is opened again and again, and what the client "
            "says just before."
        ),
        wrong_answers=(
            WrongAnswer(
                "the number as it is",
                f"{CULPRIT}should_be = written",
                "The setting is right. {minutes} minutes were meant. How many milliseconds are "
                "that?",
            ),
            WrongAnswer(
                "the default",
                f"{CULPRIT}should_be = 300_000",
                "The setting is right, the number is not: take the time that was meant, and write "
                "it in milliseconds.",
            ),
            WrongAnswer(
                "the heartbeat",
                "setting = 'heartbeat.interval.ms'\nshould_be = 3_000_000",
                "Heartbeats every 3000 ms are as they should be. Something closes their connection "
                "in between.",
            ),
            WrongAnswer(
                "the session",
                "setting = 'session.timeout.ms'\nshould_be = 10_000_000",
                "Ten seconds of session are the default of 2.3. Nobody was thrown out of the "
                "group: it is a connection that ends.",
            ),
            WrongAnswer(
                "the commit",
                "setting = 'auto.commit.interval.ms'\nshould_be = 5_000_000",
                "Five seconds between commits are the default. They are slow because their "
                "connection has to be made each time.",
            ),
        ),
    ),
    Judge(id="03.open"),
)
