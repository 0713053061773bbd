# Generated from notebooks/exercises/03; edit those files and run
# `python -m autograder course 03`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 03's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% 03.1
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, Lab


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


JUDGE_03_1 = Judge(
    id="03.1",
    wrong_answers=(
        WrongAnswer(
            name="one for each partition",
            sentence="You counted a connection for each of the {partitions} partitions. A broker that leads several gets one connection for all of them.",
            source=(
                "opened = {a: 2 + x.partitions for a, x in n.items()}\n"
                "kept = {a: 1 + x.partitions for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="no connection to the coordinator",
            sentence="You left out the coordinator's own connection. The client has it beside the data connection, even when both go to the same broker.",
            source=(
                "opened = {a: 1 + x.leaders for a, x in n.items()}\n"
                "kept = {a: x.leaders for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="leaders counted as one",
            sentence="You counted all leaders as one connection. Each broker that leads a partition gets its own.",
            source=(
                "opened = {a: 3 for a, x in n.items()}\n"
                "kept = {a: 2 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the first is forgotten",
            sentence="You left out the first connection. Before the client knows any broker it must ask somebody, and that is node -1.",
            source=(
                "opened = {a: 1 + x.leaders for a, x in n.items()}\n"
                "kept = {a: 1 + x.leaders for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the coordinator's goes too",
            sentence="You closed the coordinator's connection. Heartbeats go over it every three seconds, so it is never idle.",
            source=(
                "opened = {a: 2 + x.leaders for a, x in n.items()}\n"
                "kept = {a: x.leaders for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="one for each broker",
            sentence="You counted data connections to all {brokers} brokers. Only a broker that leads a wanted partition gets one.",
            source=(
                "opened = {a: 2 + x.brokers for a, x in n.items()}\n"
                "kept = {a: 1 + x.brokers for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the first is kept",
            sentence="You kept the first connection. Nobody uses node -1 after the start, so the idle limit closes it.",
            source=(
                "opened = {a: 2 + x.leaders for a, x in n.items()}\n"
                "kept = {a: 2 + x.leaders for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="all brokers, all kept",
            sentence="You counted brokers. Connections go by node id, and one broker can have three ids: -1, the coordinator's, its own.",
            source=(
                "opened = {a: x.brokers for a, x in n.items()}\n"
                "kept = {a: x.brokers for a, x in n.items()}"
            ),
        ),
    ),
    truth=_spread,
    right=(
        "right: one to ask, one to the coordinator, one for each broker that leads something; "
        "the first one goes idle."
    ),
    otherwise="not these two. Count by class: bootstrap, coordinator, data.",
)


# %% 03.2
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


def _broker(case: dict) -> int | None:
    """Told apart by how the client makes the ids: MAX_VALUE - id up to 4.0, "+id" from 4.4,
    -1 - position for addresses."""
    text = case["node_id"]
    made = {str(2**31 - 1 - broker): broker for broker in range(2_000)} | {
        f"+{broker}": broker for broker in range(2_000)
    }
    return None if text.startswith("-") else made.get(text, int(text))


JUDGE_03_2 = Judge(
    id="03.2",
    wrong_answers=(
        WrongAnswer(
            name="off by one",
            sentence="One too many: the largest int is 2147483647, so broker 0 has exactly that id.",
            source=(
                "def broker_of(node_id):\n"
                "    number = int(node_id)\n"
                "    if number < 0:\n"
                "        return None\n"
                "    return 2147483648 - number if number > 2_000_000_000 else number"
            ),
        ),
        WrongAnswer(
            name="-1 is broker 1",
            sentence="A negative id is only a place in the list of addresses. Which broker answers there, the client cannot tell: None.",
            source=(
                "def broker_of(node_id):\n"
                "    number = abs(int(node_id))\n"
                "    return 2147483647 - number if number > 2_000_000_000 else number"
            ),
        ),
        WrongAnswer(
            name="the id as it is",
            sentence="{node_id} is no broker's own number. Subtract it from 2147483647: that gives the broker.",
            source=(
                "def broker_of(node_id):\n"
                "    return int(node_id) if int(node_id) >= 0 else None"
            ),
        ),
        WrongAnswer(
            name="the number as a text",
            sentence="The number is right, but it is a text. Return a whole number: int(...).",
            source=(
                "def broker_of(node_id):\n"
                "    if node_id.startswith(\"-\"):\n"
                "        return None\n"
                "    number = int(node_id)\n"
                "    return str(2147483647 - number if number > 2_000_000_000 else number)"
            ),
        ),
        WrongAnswer(
            name="brokers end at 1000",
            sentence="A broker's own id may be 1001 or more. The coordinators' ids are near 2147483647.",
            source=(
                "def broker_of(node_id):\n"
                "    if node_id.startswith(\"+\"):\n"
                "        return int(node_id[1:])\n"
                "    number = int(node_id)\n"
                "    if number < 0:\n"
                "        return None\n"
                "    return 2147483647 - number if number > 1_000 else number"
            ),
        ),
        WrongAnswer(
            name="the plus is dropped from none",
            sentence="The plus marks a coordinator's connection, and the number behind it is the broker.",
            source=(
                "def broker_of(node_id):\n"
                "    if node_id.startswith((\"+\", \"-\")):\n"
                "        return None\n"
                "    number = int(node_id)\n"
                "    return 2147483647 - number if number > 2_000_000_000 else number"
            ),
        ),
    ),
    truth=_broker,
    hidden_cases=lambda rng: [
        {"node_id": text}
        for broker in (*rng.sample(range(900), 3), rng.randrange(1_001, 1_900))
        for text in (str(broker), str(2147483647 - broker), f"+{broker}", str(-1 - broker % 5))
    ],
    right=lambda case: (
        "right: a made-up id of an address; the client does not know the broker."
        if case["node_id"].startswith("-")
        else f"right: the coordinator's connection to broker {_broker(case)}."
        if len(case["node_id"]) > 6 or case["node_id"].startswith("+")
        else "right: the broker's own id."
    ),
    otherwise="not {said}. Is {node_id} an address, a broker's own id or a coordinator's?",
    unseen="for another node id your function returns another broker, or none.",
)


# %% 03.3
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge


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


JUDGE_03_3 = Judge(
    id="03.3",
    wrong_answers=(
        WrongAnswer(
            name="by the port",
            sentence="The port does not tell. A broker has one port for all that is asked of it. Only the id tells the connections apart.",
            source=(
                "def label(line):\n"
                "    node_id = line.split(\"(id: \")[1].split(\" \")[0]\n"
                "    return {\"9092\": \"bootstrap\", \"9093\": \"data\"}.get(line.split(\"localhost:\")[1][:4], \"coordinator\")\n"
                "\n"
                "\n"
                "labels = [label(line) for line in shown]"
            ),
        ),
        WrongAnswer(
            name="+0 is data",
            sentence="The plus is how client 4.4 writes the coordinator's id.",
            source=(
                "def label(line):\n"
                "    node_id = line.split(\"(id: \")[1].split(\" \")[0]\n"
                "    return (\n"
                "        \"bootstrap\"\n"
                "        if int(node_id) < 0\n"
                "        else \"coordinator\"\n"
                "        if int(node_id) > 2_000_000_000\n"
                "        else \"data\"\n"
                "    )\n"
                "\n"
                "\n"
                "labels = [label(line) for line in shown]"
            ),
        ),
        WrongAnswer(
            name="the largest int is a broker",
            sentence="2147483647 is 2147483647 - 0: the coordinator's id where broker 0 coordinates.",
            source=(
                "def label(line):\n"
                "    node_id = line.split(\"(id: \")[1].split(\" \")[0]\n"
                "    return (\n"
                "        \"bootstrap\"\n"
                "        if int(node_id) < 0\n"
                "        else \"coordinator\"\n"
                "        if node_id[0] == \"+\" or 2147483647 > int(node_id) > 2_000_000_000\n"
                "        else \"data\"\n"
                "    )\n"
                "\n"
                "\n"
                "labels = [label(line) for line in shown]"
            ),
        ),
        WrongAnswer(
            name="only -1 is bootstrap",
            sentence="Each address of bootstrap.servers has a negative id: -1 the first, -2 the second, -3 the third.",
            source=(
                "def label(line):\n"
                "    node_id = line.split(\"(id: \")[1].split(\" \")[0]\n"
                "    return (\n"
                "        \"bootstrap\"\n"
                "        if node_id == \"-1\"\n"
                "        else \"coordinator\"\n"
                "        if node_id.startswith(\"+\") or int(node_id) > 2_000_000_000\n"
                "        else \"data\"\n"
                "    )\n"
                "\n"
                "\n"
                "labels = [label(line) for line in shown]"
            ),
        ),
        WrongAnswer(
            name="the plus is a sign",
            sentence="This is no broker's own id. An id with a plus (client 4.4) or one near 2147483647 is the coordinator's connection.",
            source=(
                "def label(line):\n"
                "    number = int(line.split(\"(id: \")[1].split(\" \")[0])\n"
                "    return \"bootstrap\" if number < 0 else \"data\"\n"
                "\n"
                "\n"
                "labels = [label(line) for line in shown]"
            ),
        ),
    ),
    truth=_class_of_line,
    right="right.",
    otherwise="not {said}. Look at the id in the line, not at the port.",
)


# %% 03.4
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.course.judge import Judge


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


JUDGE_03_4 = Judge(
    id="03.4",
    wrong_answers=(
        WrongAnswer(
            name="the smallest int keeps its size",
            sentence="This group's hash is -2147483648. Java has no such positive int, so Kafka's Utils.abs makes it 0. Your function returns 48, as plain arithmetic does.",
            source=(
                "def offsets_partition(group):\n"
                "    return abs(java_string_hash(group)) % 50"
            ),
        ),
        WrongAnswer(
            name="Python's own remainder",
            sentence="Python's % of a negative number is positive, but another one than Java's. Take the absolute value first.",
            source=(
                "def offsets_partition(group):\n"
                "    return java_string_hash(group) % 50"
            ),
        ),
        WrongAnswer(
            name="the sign bit dropped",
            sentence="Dropping the sign bit is what the partitioner of a producer does. For groups Kafka takes the absolute value.",
            source=(
                "def offsets_partition(group):\n"
                "    return (java_string_hash(group) & 0x7FFFFFFF) % 50"
            ),
        ),
    ),
    truth=_partition,
    hidden_cases=_groups,
    right="right.",
    otherwise="not this partition. The steps: hash, absolute value, remainder modulo 50.",
    unseen=(
        "for some group's name your function returns another partition than Kafka's. The steps: "
        "hash, absolute value, remainder modulo 50."
    ),
)


# %% 03.5
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, Lab


@cache
def _group_on_one(members: int, partitions: int, coordinator: int) -> tuple[int, int, int]:
    """(opened, kept, kept at broker 0) by all members together, when broker 0 leads everything."""
    lab = Lab(brokers=3, seed=5, version="2.3", broker_version="2.3")
    lab.create_topic("t", partitions=partitions, leaders=[0] * partitions)
    lab.place_coordinator("test", broker=coordinator)

    def read(lab, name):
        settings = {
            "group.id": "test",
            "connections.max.idle.ms": 8_000,
            "client.id": name,
            "bootstrap.servers": "localhost:9093",
        }
        consumer = KafkaConsumer(lab, settings, name=name)
        consumer.subscribe(["t"])
        while True:
            consumer.poll(timeout_ms=500)

    for number in range(members):
        lab.spawn(read, f"member-{number}", name=f"member-{number}")
    lab.run_for(ms=20_000)
    sockets = lab.sockets()
    kept = [each for each in sockets if each.closed_at_ms is None]
    counted = len(sockets), len(kept), sum(each.broker == 0 for each in kept)
    lab.close()
    return counted


def _on_one(case: dict) -> dict:
    counted = _group_on_one(case["members"], case["partitions"], case["coordinator"])
    return dict(zip(("opened_one", "kept_one", "at_broker_0"), counted))


def _why_so_many(case: dict) -> str:
    if case["coordinator"] == 0:
        return "right: broker 0 has two node ids for each member, and so two connections."
    return "right: each member keeps one connection to broker 0 and one to its coordinator."


JUDGE_03_5 = Judge(
    id="03.5",
    wrong_answers=(
        WrongAnswer(
            name="one broker, one connection",
            sentence="Coordinator and leader are one broker here, but two node ids, and so two connections.",
            source=(
                "def answers(opened, kept, at_0):\n"
                "    return tuple({a: of(x) for a, x in m.items()} for of in (opened, kept, at_0))\n"
                "\n"
                "\n"
                "def both(x):\n"
                "    return 2 * x.members if x.coordinator == 0 else x.members\n"
                "opened_one, kept_one, at_broker_0 = answers(\n"
                "    lambda x: (2 if x.coordinator == 0 else 3) * x.members,\n"
                "    lambda x: (1 if x.coordinator == 0 else 2) * x.members,\n"
                "    lambda x: x.members,\n"
                ")"
            ),
        ),
        WrongAnswer(
            name="the bootstrap connection is the coordinator's",
            sentence="Broker 1 is the bootstrap address and the coordinator. Node -1 and the coordinator's node id are two connections all the same.",
            source=(
                "def answers(opened, kept, at_0):\n"
                "    return tuple({a: of(x) for a, x in m.items()} for of in (opened, kept, at_0))\n"
                "\n"
                "\n"
                "def both(x):\n"
                "    return 2 * x.members if x.coordinator == 0 else x.members\n"
                "opened_one, kept_one, at_broker_0 = answers(\n"
                "    lambda x: (2 if x.coordinator == 1 else 3) * x.members, lambda x: 2 * x.members, both\n"
                ")"
            ),
        ),
        WrongAnswer(
            name="one for each partition",
            sentence="Broker 0 leads all {partitions} partitions, so a member needs one data connection for all that it owns.",
            source=(
                "def answers(opened, kept, at_0):\n"
                "    return tuple({a: of(x) for a, x in m.items()} for of in (opened, kept, at_0))\n"
                "\n"
                "\n"
                "def both(x):\n"
                "    return 2 * x.members if x.coordinator == 0 else x.members\n"
                "opened_one, kept_one, at_broker_0 = answers(\n"
                "    lambda x: 2 * x.members + x.partitions,\n"
                "    lambda x: x.members + x.partitions,\n"
                "    lambda x: x.partitions + (x.members if x.coordinator == 0 else 0),\n"
                ")"
            ),
        ),
        WrongAnswer(
            name="one member counted",
            sentence="That is one member. There are {members}, and each is a client of its own.",
            source=(
                "def answers(opened, kept, at_0):\n"
                "    return tuple({a: of(x) for a, x in m.items()} for of in (opened, kept, at_0))\n"
                "\n"
                "\n"
                "def both(x):\n"
                "    return 2 * x.members if x.coordinator == 0 else x.members\n"
                "opened_one, kept_one, at_broker_0 = answers(\n"
                "    lambda x: 3, lambda x: 2, lambda x: 2 if x.coordinator == 0 else 1\n"
                ")"
            ),
        ),
        WrongAnswer(
            name="the first is forgotten",
            sentence="You left out the first connection of each member. Before a client knows any broker it must ask somebody, and that is node -1.",
            source=(
                "def answers(opened, kept, at_0):\n"
                "    return tuple({a: of(x) for a, x in m.items()} for of in (opened, kept, at_0))\n"
                "\n"
                "\n"
                "def both(x):\n"
                "    return 2 * x.members if x.coordinator == 0 else x.members\n"
                "opened_one, kept_one, at_broker_0 = answers(lambda x: 2 * x.members, lambda x: 2 * x.members, both)"
            ),
        ),
        WrongAnswer(
            name="all are kept",
            sentence="The connections to node -1 are not used after the start. The idle limit closes them.",
            source=(
                "def answers(opened, kept, at_0):\n"
                "    return tuple({a: of(x) for a, x in m.items()} for of in (opened, kept, at_0))\n"
                "\n"
                "\n"
                "def both(x):\n"
                "    return 2 * x.members if x.coordinator == 0 else x.members\n"
                "opened_one, kept_one, at_broker_0 = answers(lambda x: 3 * x.members, lambda x: 3 * x.members, both)"
            ),
        ),
        WrongAnswer(
            name="all end at broker 0",
            sentence="The members keep two connections each. Only those to the leader end at broker 0; the coordinator of this group is broker {coordinator}.",
            source=(
                "def answers(opened, kept, at_0):\n"
                "    return tuple({a: of(x) for a, x in m.items()} for of in (opened, kept, at_0))\n"
                "\n"
                "\n"
                "def both(x):\n"
                "    return 2 * x.members if x.coordinator == 0 else x.members\n"
                "opened_one, kept_one, at_broker_0 = answers(\n"
                "    lambda x: 3 * x.members, lambda x: 2 * x.members, lambda x: 2 * x.members\n"
                ")"
            ),
        ),
    ),
    truth=_on_one,
    right=_why_so_many,
    otherwise=(
        "not these three. How many different node ids does each of the {members} members use?"
    ),
)


# %% 03.6
from autograder.course.judge import WrongAnswer
import json

from autograder.cell.course_folder import HOME
from autograder.course.judge import Judge


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


JUDGE_03_6 = Judge(
    id="03.6",
    wrong_answers=(
        WrongAnswer(
            name="producers counted too",
            sentence="You counted producers too. A producer has no group; the question is about consumers.",
            source=(
                "without_coordinator = 17"
            ),
        ),
        WrongAnswer(
            name="all consumers",
            sentence="These are all consumers. Most of them have a coordinator.",
            source=(
                "without_coordinator = 27"
            ),
        ),
        WrongAnswer(
            name="none",
            sentence="There are some. Look for consumers whose rows hold no class coordinator at all.",
            source=(
                "without_coordinator = 0"
            ),
        ),
    ),
    truth=_without_coordinator,
    right="right: they read without a group, so nobody coordinates them.",
    otherwise="not this number. Count clients, not connections.",
)


# %% 03.7
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_03_7 = Judge(
    id="03.7",
    wrong_answers=(
        WrongAnswer(
            name="the number as it is",
            sentence="The setting is right. {minutes} minutes were meant. How many milliseconds are that?",
            source=(
                "setting = \"connections.max.idle.ms\"\n"
                "written = int(next(line for line in shown if line.startswith(setting)).split(\"=\")[1])\n"
                "should_be = written"
            ),
        ),
        WrongAnswer(
            name="the default",
            sentence="The setting is right, the number is not: take the time that was meant, and write it in milliseconds.",
            source=(
                "setting = \"connections.max.idle.ms\"\n"
                "written = int(next(line for line in shown if line.startswith(setting)).split(\"=\")[1])\n"
                "should_be = 300_000"
            ),
        ),
        WrongAnswer(
            name="Kafka's own default",
            sentence="The setting is right. 540000 is Kafka's default, nine minutes; here {minutes} minutes were meant.",
            source=(
                "setting = \"connections.max.idle.ms\"\n"
                "should_be = 540_000"
            ),
        ),
        WrongAnswer(
            name="the heartbeat",
            sentence="Heartbeats every 3000 ms are as they should be. Something closes their connection in between.",
            source=(
                "setting = \"heartbeat.interval.ms\"\n"
                "should_be = 3_000_000"
            ),
        ),
        WrongAnswer(
            name="the session",
            sentence="Ten seconds of session are the default of 2.3. Nobody was thrown out of the group: it is a connection that ends.",
            source=(
                "setting = \"session.timeout.ms\"\n"
                "should_be = 10_000_000"
            ),
        ),
        WrongAnswer(
            name="the commit",
            sentence="Five seconds between commits are the default. They are slow because their connection has to be made each time.",
            source=(
                "setting = \"auto.commit.interval.ms\"\n"
                "should_be = 5_000_000"
            ),
        ),
    ),
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
)


# %% all
JUDGES = (
    JUDGE_03_1,
    JUDGE_03_2,
    JUDGE_03_3,
    JUDGE_03_4,
    JUDGE_03_5,
    JUDGE_03_6,
    JUDGE_03_7,
)
