# %% question
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
        # as texts: m10 comes before m2
        {"m1": list(ALL), "m2": ["refunds"], "m3": list(ALL), "m10": ["refunds"]},
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


# %% judge
from random import Random

from kafkalab import KafkaConsumer


def _member(lab, name: str, strategy: str, work_ms: int = 0, stays_ms: int = 900_000) -> None:
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "client.id": name,
            "auto.offset.reset": "earliest",
            "partition.assignment.strategy": (
                f"org.apache.kafka.clients.consumer.{strategy}Assignor"
            ),
        },
        name=name,
    )
    consumer.subscribe(["orders"])
    until = lab.now_ms + stays_ms
    while lab.now_ms < until:
        consumer.poll(timeout_ms=200)
        lab.sleep(work_ms)
    consumer.close()


def _groups(rng: Random) -> list[dict]:
    """Groups nobody has seen: some topics, members that read some of them,
    and something that happens."""
    cases = []
    for _ in range(3):
        topics = {
            name: rng.randrange(1, 9)
            for name in ("apples", "orders", "refunds")[: rng.randrange(1, 4)]
        }
        names = [f"m{number}" for number in range(1, rng.randrange(3, 6))]
        members = {
            name: sorted(rng.sample(sorted(topics), rng.randrange(1, len(topics) + 1)))
            for name in names
        }
        members[names[0]] = members[names[1]] = sorted(topics)
        event = rng.choice(("one comes", f"{names[0]} leaves", f"{names[-1]} crashes"))
        cases.append(
            {"seed": rng.randrange(10, 999), "topics": topics, "members": members, "event": event}
        )
    return cases
