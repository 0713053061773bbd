# Generated from notebooks/exercises/05; edit those files and run
# `python -m autograder course 05`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 05's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
THREE = ("A", "B", "C")


# %% 05.1
from autograder.cell.kinds import Value


def tells_ideas_apart(records: list[dict]) -> bool:
    """Whether every usual idea about acks and the floor goes wrong on one of these records: enough
    in sync though some are down, acks=1 below the floor with followers left, acks=all below it."""
    in_sync = [(n["acks"], n["replicas"] - n["down"], n) for n in records]
    return (
        any(acks == "all" and n["down"] and count > n["floor"] for acks, count, n in in_sync)
        and any(acks == "1" and 1 < count < n["floor"] for acks, count, n in in_sync)
        and any(acks == "all" and count < n["floor"] for acks, count, n in in_sync)
    )


QUESTION_05_1 = Value(
    id="05.1",
    hints=(
        "Only a write with acks=all can be refused by the floor. It counts the replicas that are in sync, the leader among them.",
        "n.A.replicas - n.A.down are in sync in A. With acks=all they are held against n.A.floor, and all of them have the record before the answer.",
    ),
    title="written or refused, and how many copies",
    points=3,
    answers=("fate", "copies"),
    draws=("A", "B", "C", "D", "E"),
    row="record",
    space={
        "replicas": (3, 4, 5),
        "floor": (2, 3, 4),
        "down": (0, 1, 2, 3, 4),
        "acks": ("all", "1"),
    },
    where=lambda n: n["floor"] < n["replicas"] and n["down"] < n["replicas"],
    together=tells_ideas_apart,
)


# %% 05.2
from autograder.cell.kinds import Value

# tries -> the delivery timeouts whose answer is the same for every seed, and is no plain division
# by `tries`
CLEAR = {
    4: frozenset(
        {
            14,
            15,
            17,
            18,
            20,
            21,
            23,
            24,
            26,
            27,
            29,
            30,
            32,
            33,
            35,
            36,
            38,
            39,
            41,
            42,
            44,
            45,
            47,
            48,
            50,
        }
    ),
    5: frozenset(
        {19, 23, 24, 27, 28, 29, 31, 32, 33, 35, 36, 37, 39, 40, 41, 43, 44, 45, 47, 48, 49}
    ),
    6: frozenset({29, 34, 35, 39, 40, 41, 44, 45, 46, 49, 50}),
}
# and among them those in which the waits between the tries cost a second
WAITS_COUNT = {
    4: (15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48),
    5: (24, 28, 29, 32, 33, 36, 37, 40, 41, 44, 45, 48, 49),
    6: (35, 40, 41, 45, 46, 50),
}

QUESTION_05_2 = Value(
    id="05.2",
    hints=(
        "Two clocks run: one for each try, one for all of them together. When must the last try begin?",
        "Start with delivery_s // (tries - 1) and call hang(seconds * 1000, delivery_s * 1000). Take one second less until there are enough tries.",
    ),
    title="the last try",
    points=2,
    answers=("heard_after_s", "largest_s"),
    draws=THREE,
    row="program",
    space={"delivery_s": tuple(range(14, 51)), "tries": (4, 5, 6)},
    where=lambda n: n["delivery_s"] in CLEAR[n["tries"]],
    together=lambda programs: (
        any(n["delivery_s"] in WAITS_COUNT[n["tries"]] for n in programs)
        and len({(n["delivery_s"], n["tries"]) for n in programs}) == len(programs)
    ),
)


# %% 05.3
from autograder.cell.kinds import Function
from kafkalab import KafkaProducer, Lab, ProducerRecord

CLUSTERS = (
    {"case": "nothing happens", "seed": 1, "crash": 0, "orders": 30},
    {"case": "all brokers die halfway", "seed": 2, "crash": 3, "orders": 40},
    {"case": "the leader dies, another takes over", "seed": 3, "crash": 1, "orders": 40},
)


def sent(names, case) -> dict:
    """What the learner's function says failed, beside what the cluster acknowledged.
    Brokers crash while the orders are sent."""
    lab = Lab(brokers=3, seed=case["seed"], broker_config={"broker.session.timeout.ms": 6_000})
    lab.create_topic("orders", replication_factor=2, leaders=[0])
    producer = KafkaProducer(
        lab,
        {
            "client.id": "shop",
            "linger.ms": 5,
            "batch.size": 200,
            "delivery.timeout.ms": 12_000,
            "request.timeout.ms": 2_000,
        },
    )
    producer.partitions_for("orders")
    for broker in range(case["crash"]):
        lab.clock.at(lab.now_ms + 28, lab.broker(broker).crash)
    said = names["send_all"](
        producer,
        [
            ProducerRecord("orders", key=f"order {number}", value="tea " * 8)
            for number in range(case["orders"])
        ],
    )
    # what a callback adds later, nobody was told
    took_ms, returned = lab.now_ms, list(said) if isinstance(said, list) else said
    lab.run_for(ms=40_000)
    failed = [event.key for event in lab.journal.of("record.completed") if event.error]
    return {
        "said": returned,
        "failed": failed,
        "sent": len(list(lab.journal.of("record.completed"))),
        "took_ms": took_ms,
    }


def said_what_failed(case: dict, data) -> tuple[bool, str]:
    """Whether exactly the orders that failed were named, in their order, and not one by one."""
    if data["sent"] != case["orders"]:
        return (
            False,
            (
                f"{data['sent']} orders of {case['orders']} were sent. Send every one, also after "
                "one has failed."
            ),
        )
    said, failed = data["said"], sorted(data["failed"], key=lambda key: int(key.split()[1]))
    if not isinstance(said, list):
        return (
            False,
            (
                "the function returns a list of keys, also when nothing failed: then the list is "
                "empty."
            ),
        )
    if sorted(map(str, said)) == sorted(failed) and said != failed:
        return False, "the right orders, in another sequence than they were given."
    if said != failed and len(said) == len(failed):
        return False, (
            "as many keys as there are failures, but not the right ones. A function made in a loop "
            "sees the loop's variable as it is when it is called. Give it the key as a default "
            "value."
        )
    if said != failed:
        return (
            False,
            (
                f"{len(failed)} orders were not acknowledged, and you named {len(said)}. Wait for the "
                "result of every order before you return."
            ),
        )
    if case["crash"] == 0 and data["took_ms"] > 200:
        return (
            False,
            (
                "right, but each order waited for the one before. Send them all first, and ask "
                "afterwards."
            ),
        )
    if not failed:
        return True, "right: all were acknowledged, and your list is empty."
    return True, f"right: {len(failed)} orders failed, and you named each of them."


QUESTION_05_3 = Function(
    id="05.3",
    hints=(
        "send returns a future. When is the right moment to ask it?",
        "Keep (key, future) of all orders first. Then get() each one, and catch what it raises.",
    ),
    title="repair fire and forget",
    points=4,
    answers=("send_all",),
    public_cases=CLUSTERS,
    probe=sent,
    public_judge=said_what_failed,
)


# %% 05.4
from autograder.cell.kinds import LineReading

QUESTION_05_4 = LineReading(
    id="05.4",
    hints=(
        "The lines are warnings of the producer. What does the broker answer each time?",
        "The program threw the futures away and gave nothing else that could be told.",
    ),
    title="bug hunt: sent, and nothing there",
    points=2,
    answers=("error_name", "missing"),
)


# %% 05.5
from autograder.cell.kinds import Value

QUESTION_05_5 = Value(
    id="05.5",
    hints=(
        "Acknowledged on the left, readable on the right. Spark has a kind of join that keeps the rows of the left side without a partner.",
        "It is called \"left_anti\". For the first number: F.min of split(key, \" \")[1], cast to int.",
    ),
    title="Spark: the loss report",
    points=2,
    answers=("orders_lost", "first_lost"),
    draws=THREE,
    row="shop",
    space={"acks": ("0", "1"), "asleep_after_ms": tuple(range(110, 960, 30))},
)


# %% 05.open
from autograder.cell.kinds import Open

QUESTION_05_open = Open(
    id="05.open",
    title="Why is replication.factor = min.insync.replicas + 1 advised, and not equal?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_05_1,
    QUESTION_05_2,
    QUESTION_05_3,
    QUESTION_05_4,
    QUESTION_05_5,
    QUESTION_05_open,
)
