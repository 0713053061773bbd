"""Chapter 07, the group protocol: the learner's half of its questions."""

from __future__ import annotations

import json
from functools import cache, lru_cache

from autograder.cell.kinds import Function, LineReading, Open, Value
from kafkalab import KafkaConsumer, KafkaException, Lab

THREE, FOUR = ("A", "B", "C"), ("A", "B", "C", "D")
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
    and whoever leads deals by `strategy`."""
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


def dealt_by_generation(lab) -> dict:
    """{generation: {member: its partitions}} as the members received them."""
    found: dict[int, dict] = {}
    for event in lab.journal.of("assignment"):
        found.setdefault(event.generation, {})[event.who] = sorted(event.partitions)
    return found


@lru_cache(maxsize=256)
def _dealt_by_kafka(class_name: str, case: str) -> dict:
    """The same for Kafka's own class; case: as a text."""
    return dealt_by_generation(group_of(json.loads(case), CLASS.format(class_name)))


def play(case, part) -> Lab:
    """The learner's function is the assignor of all members.
    The topics come in an order that no rule asks for."""

    def assignor(partitions, subscriptions):
        return part(
            dict(sorted(partitions.items(), reverse=True)),
            {member: list(topics) for member, topics in subscriptions.items()},
        )

    return group_of(case, assignor)


def unlike(class_name: str, rule: str):
    """What is wrong with a run, held against the same run with Kafka's own class;
    None when every generation is the same."""

    def look(case, lab):
        own, kafkas = dealt_by_generation(lab), _dealt_by_kafka(class_name, json.dumps(dict(case)))
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
            where = f"generation {generation}, {case['event']}"
            if len(set(given)) < len(given):
                return (
                    (
                        f"{where}: a partition has two owners. Both would read it, and nobody "
                        "would tell you."
                    ),
                    proof,
                )
            if given != wanted:
                return (
                    (
                        f"{where}: {len(set(wanted) - set(given))} of {len(everything)} partitions "
                        "belong to nobody. Nobody reads them."
                    ),
                    proof,
                )
            if got != expected:
                return (
                    (
                        f"{where}: every partition has an owner, but not the one that Kafka's "
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

FAULTS = ("topics", "strategy", "group")


def planted(story: int) -> tuple[str, str, int]:
    """(what differs, which member, partitions of orders) in one of the 96 stories of 07.5."""
    return FAULTS[story % 3], f"m{story // 3 % 4 + 1}", 4 + story // 12


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
        }
        try:
            reader(lab, name, topics, config)
        except KafkaException as error:
            ended.append((lab.now_ms, f"{name} the program ended: {type(error).__name__}"))

    names = ["m1", "m2", "m3", "m4"]
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
                if row.startswith(("group.id =", "partition.assignment.strategy ="))
            ]
        elif "Subscribed to topic" in text or "Adding newly assigned" in text:
            lines.append((event.at_ms, f"{event.who} {text.split('] ', 1)[-1]}"))
    return tuple(
        line.replace("org.apache.kafka.clients.consumer.", "")
        for _, line in sorted(lines, key=lambda each: each[0])
    )


QUESTIONS = (
    Value(
        id="07.1",
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
        hints=(
            (
                "Two things make more than one join each: how a newcomer gets its id, and what the "
                "others do when somebody comes."
            ),
            (
                "A newcomer of 2.2 or later sends two, an older one sends one. Then add one for "
                "each member that is already there, each time somebody comes."
            ),
        ),
    ),
    Function(
        id="07.2",
        title="write Range",
        points=4,
        answers=("range_assign",),
        public_cases=GROUPS,
        play=play,
        look=unlike(
            "Range",
            "Each topic on its own; sorted members; blocks; the first take what is left over.",
        ),
        kept="right: dealt as RangeAssignor deals.",
        hints=(
            (
                "Do one topic completely before the next. Who reads it? How many each, how many "
                "left over?"
            ),
            (
                "Python's divmod gives both numbers at once. The member at place i takes one more "
                "when i is below what is left over."
            ),
        ),
    ),
    Function(
        id="07.3",
        title="write RoundRobin",
        points=3,
        answers=("round_robin_assign",),
        public_cases=GROUPS,
        play=play,
        look=unlike(
            "RoundRobin",
            "All topics in one row; the round goes on where it was; who did not subscribe is "
            "skipped.",
        ),
        kept="right: dealt as RoundRobinAssignor deals.",
        hints=(
            "Keep one place in the round for all topics. When do you move it on?",
            (
                "Before a partition is given, move on while the member there has not subscribed to "
                "its topic. Afterwards move on once."
            ),
        ),
    ),
    Value(
        id="07.4",
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
        hints=(
            (
                "Two questions. Who owns it before and after? And what does an eager member do "
                "before each join?"
            ),
            (
                "Draw two columns, before and after, and count the rows that differ. Given up: all "
                "of them with an eager assignor, only the movers with the cooperative one."
            ),
        ),
    ),
    LineReading(
        id="07.5",
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
        hints=(
            "Compare the four members line by line: group.id, strategy, topics. Three agree.",
            (
                "Whoever fails need not be at fault: the first member sets what the group can do, "
                "and those who cannot do the same are refused."
            ),
        ),
    ),
    Value(
        id="07.6",
        title="Spark: time without an owner",
        points=2,
        answers=("ms_without_owner",),
        draws=FOUR,
        row="group",
        space={
            "strategy": (*EAGER, "CooperativeSticky"),
            "work_ms": (5_000, 6_500, 8_000, 9_500, 11_000, 12_000),
        },
        together=lambda groups: any(n["strategy"] != "CooperativeSticky" for n in groups),
        hints=(
            "The filtered rows have both moments. Their difference is one gap.",
            'gaps.groupBy("group").agg(F.sum(F.expr("next_ms - at_ms")))',
        ),
    ),
    Open(
        id="07.open",
        points=4,
        title=(
            "Why did Kafka move partition assignment to a client and, in KIP-848, back to the "
            "broker?"
        ),
    ),
)
