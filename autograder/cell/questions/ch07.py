# Generated from notebooks/exercises/07; edit those files and run
# `python -m autograder course 07`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 07's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
import json
from functools import lru_cache

from kafkalab import KafkaConsumer, Lab

THREE, FOUR = ("A", "B", "C"), ("A", "B", "C", "D")
EAGER = ("Range", "RoundRobin", "Sticky")
CLASS = "org.apache.kafka.clients.consumer.{}Assignor"


def reader(lab, name: str, topics, config, stays_ms: int = 900_000) -> None:
    """A member that polls until its time is over; one whom the group refuses ends."""
    consumer = KafkaConsumer(
        lab, {"client.id": name, "fetch.max.wait.ms": 2_000, **config}, name=name
    )
    consumer.subscribe(list(topics))
    end_ms = lab.now_ms + stays_ms
    while lab.now_ms < end_ms:
        consumer.poll(timeout_ms=500)
    consumer.close()


def group_of(case: dict, strategy) -> Lab:
    """The play of 07.2 and 07.3: members come, one leaves or crashes,
    and the leader assigns by `strategy`."""
    lab = Lab(brokers=2, seed=case["seed"], version="3.9", broker_version="4.4")
    for topic, count in case["topics"].items():
        lab.create_topic(topic, partitions=count)
    config = {
        "group.id": "g",
        "partition.assignment.strategy": strategy,
        "session.timeout.ms": 10_000,
    }
    for name, topics in case["members"].items():
        lab.spawn(
            reader,
            name,
            topics,
            config,
            20_000 if case["event"] == f"{name} leaves" else 900_000,
            name=name,
        )
    lab.run_for(ms=15_000)
    if case["event"] == "one comes":
        lab.spawn(reader, "a0", list(case["topics"]), config, name="a0")
    if case["event"].endswith("crashes"):
        lab.kill(case["event"].split()[0])
    lab.run_for(ms=16_000)
    lab.close()
    return lab


def shares_by_generation(lab) -> dict:
    """{generation: {member: its partitions}} as the members received them."""
    found: dict[int, dict] = {}
    for event in lab.journal.of("assignment"):
        found.setdefault(event.generation, {})[event.who] = sorted(event.partitions)
    return found


@lru_cache(maxsize=256)
def _shares_by_kafka(class_name: str, case: str) -> dict:
    """The same for Kafka's own class; case: as a text."""
    return shares_by_generation(group_of(json.loads(case), CLASS.format(class_name)))


def play(case, part) -> Lab:
    """The learner's function is the assignor of all members.
    Topics and members come in an order that no rule asks for."""

    def assignor(partitions, subscriptions):
        return part(
            dict(sorted(partitions.items(), reverse=True)),
            {
                member: list(topics)
                for member, topics in sorted(subscriptions.items(), reverse=True)
            },
        )

    return group_of(case, assignor)


def unlike(class_name: str, rule: str):
    """What is wrong with a run, held against the same run with Kafka's own class;
    None when every generation is the same."""

    def look(case, lab):
        own, kafkas = (
            shares_by_generation(lab),
            _shares_by_kafka(class_name, json.dumps(dict(case))),
        )
        for generation, expected in kafkas.items():
            got = own.get(generation, {})
            everything = sorted(
                f"{topic}-{number}"
                for topic, count in case["topics"].items()
                for number in range(count)
            )
            given = sorted(tp for share in got.values() for tp in share)
            wanted = sorted(tp for share in expected.values() for tp in share)
            proof = [
                (
                    f"{member}: yours {' '.join(got.get(member, [])) or '-'}; {class_name} "
                    f"{' '.join(expected[member]) or '-'}"
                )
                for member in sorted(expected)
            ]
            event = case["event"]
            story = "" if event == "nothing" else f" (in this case {event})"
            where = f"in generation {generation}{story}"
            if len(set(given)) < len(given):
                return (
                    (f"{where} a partition has two owners. Both read it, and no line reports it."),
                    proof,
                )
            if given != wanted:
                return (
                    (
                        f"{where} {len(set(wanted) - set(given))} of {len(everything)} partitions "
                        "have no owner. Nobody reads them."
                    ),
                    proof,
                )
            if got != expected:
                return (
                    (
                        f"{where} every partition has an owner, but not the one that Kafka's "
                        f"class gives it. {rule}"
                    ),
                    proof,
                )
        return None

    return look


def group_case(title: str, seed: int, topics: dict, members: dict, event: str = "nothing") -> dict:
    return {"case": title, "seed": seed, "topics": topics, "members": members, "event": event}


ALL = {"orders": 7, "refunds": 4}
GROUPS = (
    group_case(
        "three members, one topic of seven",
        1,
        {"orders": 7},
        {"m1": ["orders"], "m2": ["orders"], "m3": ["orders"]},
    ),
    group_case(
        "two topics, and one comes", 2, ALL, {"m1": list(ALL), "m2": list(ALL)}, "one comes"
    ),
    group_case(
        "not all read the same topics",
        3,
        ALL,
        {"m1": list(ALL), "m2": ["refunds"], "m3": list(ALL)},
        "m1 leaves",
    ),
    group_case(
        "more members than partitions",
        4,
        {"orders": 2},
        {"m1": ["orders"], "m2": ["orders"], "m3": ["orders"]},
        "m2 crashes",
    ),
)


# %% 07.1
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

QUESTION_07_1 = Value(
    id="07.1",
    hints=(
        "Two things make more than one join each: how a newcomer gets its id, and what the others do when somebody comes.",
        "A newcomer of 2.2 or later sends two, an older one sends one. Then add one for each member that is already there, each time somebody comes.",
    ),
    title="who leads, and how many joins",
    points=3,
    answers=("leader", "joins", "last_generation"),
    draws=THREE,
    row="group",
    space={"starts": STARTS, "version": ("2.1", "2.3", "3.9"), "later": (1, 2, 3, 4)},
    together=lambda groups: (
        {n["version"] for n in groups} >= {"2.1"}
        and len({n["version"] for n in groups}) > 1
        and any(not n["starts"].startswith("ada") for n in groups)
        and any(n["later"] > 1 for n in groups)
    ),
)


# %% 07.2
from autograder.cell.kinds import Function

QUESTION_07_2 = Function(
    id="07.2",
    hints=(
        "Do one topic completely before the next. Who reads it? How many each, how many left over?",
        "Python's divmod gives both numbers at once. The member at place i takes one more when i is below what is left over.",
    ),
    title="write Range",
    points=4,
    answers=("range_assign",),
    public_cases=GROUPS,
    play=play,
    look=unlike(
        "Range",
        "Each topic by itself; sorted members; blocks; the first members take what is left over.",
    ),
    kept="right: each generation has the plan of RangeAssignor.",
)


# %% 07.3
from autograder.cell.kinds import Function

QUESTION_07_3 = Function(
    id="07.3",
    hints=(
        "Keep one place in the round for all topics. When do you move it on?",
        "Before a partition is given, move on while the member there has not subscribed to its topic. Afterwards move on once.",
    ),
    title="write RoundRobin",
    points=3,
    answers=("round_robin_assign",),
    public_cases=GROUPS,
    play=play,
    look=unlike(
        "RoundRobin",
        "All topics in one list; the round continues where it was; skip who did not subscribe.",
    ),
    kept="right: each generation has the plan of RoundRobinAssignor.",
)


# %% 07.4
from autograder.cell.kinds import Value

QUESTION_07_4 = Value(
    id="07.4",
    hints=(
        "Two questions. Who owns it before and after? And what does an eager member do before each join?",
        "Draw two columns, before and after, and count the rows that differ. Given up: all of them with an eager assignor, only the movers with the cooperative one.",
    ),
    title="moved, and given up",
    points=3,
    answers=("moved_partitions", "given_up"),
    draws=FOUR,
    row="group",
    space={
        "strategy": (*EAGER, "CooperativeSticky"),
        "partitions": (5, 6, 7, 8, 9, 10, 11, 12),
        "members": (2, 3, 4),
    },
    where=lambda n: n["partitions"] % (n["members"] + 1),
    together=lambda groups: {n["strategy"] for n in groups} == {*EAGER, "CooperativeSticky"},
)


# %% 07.5
from functools import cache
from random import Random

from autograder.cell.kinds import LineReading
from kafkalab import KafkaException, Lab

FAULTS = ("topics", "strategy", "group")


def planted(story: int) -> tuple[str, str, int]:
    """(what differs, which member, partitions of orders) in one of the 96 stories of 07.5."""
    return FAULTS[story % 3], f"m{story // 3 % 4 + 1}", 4 + story // 12


SHOWN = (
    "fetch.min.bytes",
    "group.id",
    "max.partition.fetch.bytes",
    "max.poll.records",
    "partition.assignment.strategy",
    "receive.buffer.bytes",
)
"""The rows of `ConsumerConfig values` that are shown."""


def harmless(story: int) -> dict[str, dict]:
    """{member: settings} that differ between members of one team and do not touch the group.
    The odd member never has the first of them."""
    rng, (_, odd, _) = Random(story), planted(story)
    found: dict[str, dict] = {f"m{number}": {} for number in range(1, 5)}
    found[rng.choice([name for name in found if name != odd])]["max.poll.records"] = 100
    found[rng.choice(list(found))]["fetch.min.bytes"] = 512
    found[rng.choice(list(found))]["receive.buffer.bytes"] = 32_768
    return found


@cache
def start_lines(story: int) -> tuple[str, ...]:
    """What four members write when they start; one of them differs.
    Where it is the strategy, that one starts first."""
    fault, odd, partitions = planted(story)
    lab = Lab(brokers=1, seed=40 + story, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=partitions)
    lab.create_topic("refunds", partitions=3)
    ended = []

    def program(lab, name):
        strategy = "RoundRobin" if (name, fault) == (odd, "strategy") else "Range"
        topics = ["refunds"] if (name, fault) == (odd, "topics") else ["orders", "refunds"]
        config = {
            "group.id": "billing-2" if (name, fault) == (odd, "group") else "billing",
            "partition.assignment.strategy": CLASS.format(strategy),
            **harmless(story)[name],
        }
        try:
            reader(lab, name, topics, config)
        except KafkaException as error:
            ended.append((lab.now_ms, f"{name} the program ended: {type(error).__name__}"))

    names = Random(story).sample(["m1", "m2", "m3", "m4"], 4)
    if fault == "strategy":
        names.sort(key=lambda name: name != odd)
    for name in names:
        lab.spawn(program, name, name=name)
        lab.run_for(ms=200)
    lab.run_for(ms=7_000)
    lab.close()
    lines = list(ended)
    for event in lab.journal.of("line"):
        text = event.fields["message"]
        if "ConsumerConfig values" in text:
            rows = [row.strip() for row in text.split("\n")]
            lines += [
                (event.at_ms, f"{event.who} {row}")
                for row in rows
                if row.startswith(tuple(f"{name} =" for name in SHOWN))
            ]
        elif "Subscribed to topic" in text or "Adding newly assigned" in text:
            lines.append((event.at_ms, f"{event.who} {text.split('] ', 1)[-1]}"))
    return tuple(
        line.replace("org.apache.kafka.clients.consumer.", "")
        for _, line in sorted(lines, key=lambda each: each[0])
    )


QUESTION_07_5 = LineReading(
    id="07.5",
    hints=(
        "Which settings concern the group? Compare these rows of the four members. Three agree.",
        "The member that fails need not be the odd one. The first member sets which strategies the group can use. Members without one of them are refused.",
    ),
    title="bug hunt: one of four is different",
    points=3,
    answers=("odd_one", "differs"),
    draws=THREE,
    row="team",
    space={"story": tuple(range(96))},
    together=lambda teams: (
        {planted(n["story"])[0] for n in teams} == set(FAULTS)
        and {planted(n["story"])[1] for n in teams} != {"m1"}
    ),
    show=lambda numbers: {
        team: list(start_lines(story["story"])) for team, story in numbers.items()
    },
)


# %% 07.6
from autograder.cell.kinds import Value

QUESTION_07_6 = Value(
    id="07.6",
    hints=(
        "The window is by group and partition. Keep the rows that give up and whose next row takes over. Their difference is one gap.",
        "Add a column next_what like next_ms. Then .where(\"what not like 'Adding%' and next_what like 'Adding%'\").groupBy(\"group\").agg(F.sum(F.expr(\"next_ms - at_ms\"))). For m4: the smallest at_ms of its 'Adding%' rows, minus started_ms.",
    ),
    title="Spark: time without an owner",
    points=3,
    answers=("ms_without_owner", "newcomer_waits_ms"),
    draws=FOUR,
    row="group",
    space={
        "strategy": (*EAGER, "CooperativeSticky"),
        # with these a cooperative member loses partitions, and the exercise is about that too
        "work_ms": (6_500, 7_000, 7_500, 8_000, 9_500, 12_000),
    },
    together=lambda groups: (
        any(n["strategy"] != "CooperativeSticky" for n in groups)
        and any(n["strategy"] == "CooperativeSticky" for n in groups)
    ),
)


# %% 07.open
from autograder.cell.kinds import Open

QUESTION_07_open = Open(
    id="07.open",
    title="Why did Kafka move partition assignment to a client and, in KIP-848, back to the broker?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_07_1,
    QUESTION_07_2,
    QUESTION_07_3,
    QUESTION_07_4,
    QUESTION_07_5,
    QUESTION_07_6,
    QUESTION_07_open,
)
