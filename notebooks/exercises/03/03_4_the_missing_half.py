# %% [markdown]
# ### Exercise 03.4 · Write the broker's side
#
# FIND_COORDINATOR has arrived at a broker. Which partition of `__consumer_offsets` has the group?
# Write the broker's side: `offsets_partition(group)`. Use
# `java_string_hash`. Take care of one thing: Java's `int` has one number whose absolute value does
# not fit, −2147483648. Kafka's `Utils.abs` makes it 0. Groups with that hash exist; the check knows
# some.
#
# The check does more than compare numbers. It puts your function into five brokers. They answer
# FIND_COORDINATOR with the leader of the partition you name. Two members look for their group, and
# in some runs its coordinator crashes. The groups lie where Kafka keeps them. So a wrong partition
# sends the members to a broker that answers NOT_COORDINATOR, and nobody reads.

# %% answer
def offsets_partition(group):
    """The partition of __consumer_offsets that is responsible for a group, 0 to 49."""
    ### BEGIN SOLUTION
    number = java_string_hash(group)
    positive = 0 if number == -2147483648 else abs(number)
    return positive % 50
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function
from kafkalab import KafkaConsumer, Lab

GROUPS = ("test", "inventory", "orders", "prices", "polygenelubricants", "GydZG_")
SEARCHES = (
    {"case": "group fleet, seed 3", "group": "fleet", "seed": 3, "crash": False},
    {
        "case": "group orders, its coordinator crashes, seed 5",
        "group": "orders",
        "seed": 5,
        "crash": True,
    },
    {
        "case": "group polygenelubricants, its coordinator crashes, seed 6",
        "group": "polygenelubricants",
        "seed": 6,
        "crash": True,
    },
)
MEMBERS = ("m1", "m2")


def search(case, rule) -> Lab:
    """Two members look for their group in a cluster whose brokers answer FIND_COORDINATOR by
    `rule`; after nine seconds the group's coordinator may crash, and another broker takes its
    partition over."""
    lab = Lab(brokers=5, seed=case["seed"], broker_config={"broker.session.timeout.ms": 4_000})
    lab.create_topic("t4", partitions=4, replication_factor=3)
    lab.find_coordinators_by(rule)

    def member(lab, name):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": case["group"],
                "client.id": name,
                "fetch.max.wait.ms": 2_000,
                "retry.backoff.ms": 500,
            },
            name=name,
        )
        consumer.subscribe(["t4"])
        while True:
            consumer.poll(timeout_ms=500)

    for name in MEMBERS:
        lab.spawn(member, name, name=name)
    lab.run_for(ms=9_000)
    if case["crash"]:
        lab.broker(lab.coordinator_of(case["group"])).crash()
        lab.run_for(ms=12_000)
    lab.close()
    return lab


def not_found(case, lab):
    """What a search must not end in: a member that was sent to a broker
    which does not know the group, or to none."""
    crashed = next((event.at_ms for event in lab.journal.of("broker.down")), 0)
    refused = [
        event
        for event in lab.journal.of("line")
        if event.who in MEMBERS
        and ("NOT_COORDINATOR" in event.message or "not the correct coordinator" in event.message)
    ]
    if not any(event.partitions and event.at_ms < 9_000 for event in lab.journal.of("assigned")):
        if not refused:
            return (
                (
                    f"group {case['group']}: no member was ever told a broker. What you return is "
                    "a whole number from 0 to 49."
                ),
                _searched(lab, 0),
            )
        return (
            (
                f"group {case['group']}: its members were sent to a broker that knows nothing of "
                "the group and answers NOT_COORDINATOR, again and again. Nobody reads."
            ),
            _searched(lab, 0),
        )
    if crashed and not any(
        event.at_ms > crashed
        for event in lab.journal.of("line")
        if event.who == "m1" and "Discovered group coordinator" in event.message
    ):
        return (
            f"group {case['group']}: after the crash its members found no coordinator again.",
            _searched(lab, crashed),
        )
    late = [event for event in refused if event.at_ms > crashed + 6_000]
    if late:
        return (
            (
                f"group {case['group']}: after the crash its members were sent to a broker that "
                "answers NOT_COORDINATOR."
            ),
            _searched(lab, crashed),
        )
    return None


def _searched(lab, from_ms: int) -> list[str]:
    """What m1 says about its search, the first lines."""
    said = [
        (event.at_ms, event.message.split("] ", 1)[-1])
        for event in lab.journal.of("line")
        if event.who == "m1" and event.at_ms >= from_ms
    ]
    wanted = ("Discovered group coordinator", "is unavailable or invalid", "lookup failed")
    rows = [
        f"{at_ms:>6,} ms  {text}" for at_ms, text in said if any(words in text for words in wanted)
    ][:4]
    return [row if len(row) <= 200 else row[:199] + "…" for row in rows]


Function(
    title="from a group's name to its partition",
    points=2,
    answers=("offsets_partition",),
    public_cases=tuple({"case": f"group {name}", "group": name} for name in GROUPS) + SEARCHES,
    probe=lambda names, case: names["offsets_partition"](case["group"]),
    play=search,
    look=not_found,
    kept="right: the members found their group.",
)

# %% judge
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


Judge(
    truth=_partition,
    hidden_cases=_groups,
    right="right.",
    otherwise="not this partition. The steps: hash, absolute value, remainder modulo 50.",
    unseen=(
        "for some group's name your function returns another partition than Kafka's. The steps: "
        "hash, absolute value, remainder modulo 50."
    ),
)


# %% wrong="the smallest int keeps its size"
# This group's hash is -2147483648. Java has no such positive int, so Kafka's Utils.abs makes it 0.
# Your function returns 48, as plain arithmetic does.
def offsets_partition(group):
    return abs(java_string_hash(group)) % 50


# %% wrong="by one group's name"
# Another group's name has the same hash, -2147483648. Ask for the hash, not for the name.
def offsets_partition(group):
    return 0 if group == "polygenelubricants" else abs(java_string_hash(group)) % 50


# %% wrong="no partition 0"
# The remainder 0 is partition 0: the partitions are numbered from 0 to 49.
def offsets_partition(group):
    number = java_string_hash(group)
    return 0 if number == -2147483648 else abs(number) % 50 or 50


# %% wrong="Python's own remainder"
# Python's % of a negative number is positive, but another one than Java's. Take the absolute value
# first.
def offsets_partition(group):
    return java_string_hash(group) % 50


# %% wrong="the sign bit dropped"
# Dropping the sign bit is what the partitioner of a producer does. For groups Kafka takes the
# absolute value.
def offsets_partition(group):
    return (java_string_hash(group) & 0x7FFFFFFF) % 50


# %% equivalent
# `number == -2147483648` -> `number <= -2147483648`: no int of Java is smaller.

# %% hint
# Hash, make it positive, take the remainder modulo 50. The order of the steps matters.

# %% hint
# abs(-2147483648) is 2147483648 in Python. In Kafka it is 0. Treat that one number first.
