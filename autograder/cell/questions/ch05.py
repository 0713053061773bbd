"""Chapter 05, when a record is safe: the learner's half of its questions."""

from __future__ import annotations

from autograder.cell.kinds import Function, LineReading, Open, Value
from kafkalab import KafkaProducer, Lab, ProducerRecord

THREE = ("A", "B", "C")
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


def waits_cost_a_try(request_s: int, delivery_s: int) -> bool:
    """Do fewer tries fit than one timeout divided by the other, rounded up? Six waits take more
    than 3 s, and the last try would begin at most 3 s before the end."""
    return delivery_s > 6 * request_s and (delivery_s - 1) % request_s < 3


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
                f"{len(failed)} orders were not acknowledged, and you named {len(said)}. Every "
                "order needs its last word before you return."
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
    return True, "right: it says what is safe and what is not."


def tells_ideas_apart(records: list[dict]) -> bool:
    """Whether every usual idea about acks and the floor goes wrong on one of these records: enough
    in sync though some are down, acks=1 below the floor with followers left, acks=all below it."""
    in_sync = [(n["acks"], n["replicas"] - n["down"], n) for n in records]
    return (
        any(acks == "all" and n["down"] and count > n["floor"] for acks, count, n in in_sync)
        and any(acks == "1" and 1 < count < n["floor"] for acks, count, n in in_sync)
        and any(acks == "all" and count < n["floor"] for acks, count, n in in_sync)
    )


QUESTIONS = (
    Value(
        id="05.1",
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
        hints=(
            (
                "Only acks=all looks at the floor. It counts the replicas that are in sync, the "
                "leader among them."
            ),
            (
                "n.A.replicas - n.A.down are in sync in A. With acks=all they are held against "
                "n.A.floor, and all of them have the record before the answer."
            ),
        ),
    ),
    Value(
        id="05.2",
        title="the last word",
        points=2,
        answers=("heard_after_s", "times_sent"),
        draws=THREE,
        row="program",
        space={
            "request_s": (2, 3, 4, 5, 6),
            "delivery_s": (10, 13, 17, 19, 22, 25, 27, 29, 31, 34),
        },
        together=lambda programs: any(waits_cost_a_try(**n) for n in programs),
        hints=(
            (
                "Two clocks run: one for each try, one for all of them together. Which ends the "
                "matter?"
            ),
            "hang takes both in milliseconds and tells seconds and tries.",
        ),
    ),
    Function(
        id="05.3",
        title="repair fire and forget",
        points=4,
        answers=("send_all",),
        public_cases=CLUSTERS,
        probe=sent,
        public_judge=said_what_failed,
        hints=(
            "send returns a future. When is the right moment to ask it?",
            (
                "Keep (key, future) of all orders first. Then get() each one, and catch what it "
                "raises."
            ),
        ),
    ),
    LineReading(
        id="05.4",
        title="bug hunt: sent, and nothing there",
        points=2,
        answers=("error_name", "missing"),
        hints=(
            "The lines are warnings of the producer. What does the broker answer each time?",
            "The program threw the futures away and gave nothing else that could be told.",
        ),
    ),
    Value(
        id="05.5",
        title="Spark: the loss report",
        points=2,
        answers=("orders_lost",),
        draws=THREE,
        row="shop",
        space={"acks": ("0", "1"), "asleep_after_ms": tuple(range(110, 960, 30))},
        hints=(
            "Acknowledged on the left, readable on the right: what has no partner is lost.",
            'told_written.join(can_be_read, ["shop", "key"], "left_anti").groupBy("shop").count()',
        ),
    ),
    Open(
        id="05.open",
        points=4,
        title="Why is replication.factor = min.insync.replicas + 1 advised, and not equal?",
    ),
)
