"""Prepares the shop, the members and the measurements of chapter 10, slow consumers.

The poll loop itself is in the chapter. This module holds what surrounds it: the topic `orders`, the
group `stock`, a process that freezes, a pool's day with a crash in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Any

from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.errors import CommitFailedException, KafkaException
from kafkalab.lab import Lab
from kafkalab.proof.laws.reading import note
from kafkalab.records import ConsumerRecord, OffsetAndMetadata, ProducerRecord, TopicPartition
from kafkalab.sim.worker_pool import WorkerPool

GROUP = "stock"
MOST_WAIT_MS = 1_500
"""How long an order may wait for its commit on a day on which nobody is killed."""
EXPIRED = "poll timeout has expired"
"""Words of the client's warning. Client 2.8 has them at INFO only, in its line about LeaveGroup."""


def shop(lab: Lab, orders: int) -> None:
    """Write some orders, each with a key of its own."""
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(orders):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
    producer.close()


def subscribed(lab: Lab, name: str, **config: Any) -> KafkaConsumer:
    """A consumer of the group `stock`, subscribed to `orders`. It commits by hand only."""
    consumer = KafkaConsumer(
        lab,
        {
            "client.id": name,
            "group.id": GROUP,
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
            **config,
        },
        name=name,
    )
    consumer.subscribe(["orders"])
    return consumer


def committed_orders(lab: Lab, group: str = GROUP) -> int:
    """How many orders the group has committed, over all partitions."""
    offsets = lab.at(lab.now_ms)["groups"][group].get("offsets", {})
    return sum(each["offset"] for each in offsets.values())


def commits_sent(lab: Lab, name: str) -> int:
    """How many OFFSET_COMMIT requests left this client."""
    return sum(
        event.who == name and event.fields["api"] == "OFFSET_COMMIT"
        for event in lab.journal.of("request.sent")
    )


def minute_away(*, freezes: bool) -> tuple[Lab, bool]:
    """Ada is away for a minute after second 20: the lab, and whether she is a member then.

    She works for the minute, or her whole process freezes. Her session timeout is 10 seconds.
    """
    lab, trouble = Lab(seed=7), [0]
    lab.create_topic("orders")

    def program(lab: Lab) -> None:
        consumer = subscribed(lab, "ada", **{"session.timeout.ms": 10_000})
        while True:
            consumer.poll(timeout_ms=500)
            if lab.now_ms > 20_000 and not trouble[0]:
                trouble[0] = lab.now_ms
                if not freezes:
                    lab.sleep(60_000)

    app = lab.spawn(program, name="ada")
    lab.run_until(lambda: trouble[0] > 0)
    if freezes:
        app.pause(60_000)
    lab.run_for(ms=59_000)  # just before the minute is over
    return lab, len(lab.at(lab.now_ms)["groups"][GROUP]["members"]) > 0


def late_member(
    commit: Callable[[KafkaConsumer, ConsumerRecord], object],
    *,
    version: str = "3.9",
    joined_by_another: bool = False,
    **config: Any,
) -> tuple[Lab, str]:
    """Ada works 60 s on one order; her poll interval is 10 s. Then she calls `commit`.

    Returns the lab, and "no error" or the name of the exception.
    """
    lab, result = Lab(seed=2, version=version), [""]
    lab.create_topic("orders", partitions=2)
    shop(lab, 20)
    config = {"max.poll.interval.ms": 10_000, "max.poll.records": 1, **config}

    def ada(lab: Lab) -> None:
        consumer = subscribed(lab, "ada", **config)
        records: list[ConsumerRecord] = []
        while not records:
            records = list(consumer.poll(timeout_ms=500))
        lab.sleep(60_000)
        try:
            commit(consumer, records[0])
            result[0] = "no error"
        except KafkaException as error:
            result[0] = type(error).__name__

    def another(lab: Lab) -> None:
        consumer = subscribed(lab, "bo", **config)
        while True:
            consumer.poll(timeout_ms=500)

    lab.spawn(ada, name="ada")
    if joined_by_another:
        lab.run_for(ms=8_000)
        lab.spawn(another, name="bo")
    lab.run_until(lambda: bool(result[0]), timeout_ms=200_000)
    return lab, result[0]


def group_empty_after_s(**config: Any) -> int:
    """Whole seconds from ada's last poll() until her group has no member.

    She works on one order for two minutes. Her poll interval is 10 seconds.
    """
    lab, last_poll = Lab(seed=2), [0]
    lab.create_topic("orders")
    shop(lab, 1)

    def ada(lab: Lab) -> None:
        consumer = subscribed(lab, "ada", **{"max.poll.interval.ms": 10_000, **config})
        while not len(consumer.poll(timeout_ms=500)):
            pass
        last_poll[0] = lab.now_ms
        lab.sleep(120_000)

    lab.spawn(ada, name="ada")
    lab.run_until(lambda: last_poll[0] > 0)
    lab.run_until(lambda: any(True for _ in lab.journal.of("group.left")), timeout_ms=120_000)
    left_ms = next(event.at_ms for event in lab.journal.of("group.left"))
    return (left_ms - last_poll[0]) // 1_000


def print_lines(lab: Lab, client: str, after_ms: int = 0, width: int = 84) -> None:
    """Print what a client wrote at WARN and INFO after a time, one line each, the long ones cut."""
    rows = lab.lines(client).query("at_ms > @after_ms and level in ('WARN', 'INFO')")
    for row in rows.itertuples():
        text = " ".join(row.message.split("] ", 1)[-1].split())
        cut = text if len(text) <= width else text[:width].rsplit(" ", 1)[0] + " ..."
        print(f"{row.at_ms:>6} ms  {row.level}  {cut}")


def orders_in(partitions: int, each: int, seed: int = 6) -> Lab:
    """A lab whose topic `orders` has so many orders in each partition."""
    lab = Lab(seed=seed)
    lab.create_topic("orders", partitions=partitions)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(partitions * each):
        producer.send(ProducerRecord("orders", partition=number % partitions, value="tea"))
    producer.close()
    return lab


def takes_ms(record: ConsumerRecord) -> int:
    """Every seventh order takes 170 ms, each other one 30: 50 ms on the average."""
    return 170 if record.offset % 7 == 3 else 30


Done = tuple[int, str, int, int]
"""When an order was finished (ms), by which thread, its partition, its offset."""


def overtaken(done: Iterable[Done]) -> int:
    """How many orders were finished after a later one of the same partition."""
    count = 0
    highest: dict[int, int] = {}
    for _, _, partition, offset in done:
        count += offset < highest.get(partition, -1)
        highest[partition] = max(offset, highest.get(partition, -1))
    return count


def design_summary(done: list[Done]) -> dict[str, int]:
    """What a design took: seconds, threads that worked, orders that were overtaken."""
    began_ms = done[0][0] - 30  # the first order took 30 ms
    return {
        "seconds": round((done[-1][0] - began_ms) / 1000),
        "threads that worked": len({thread for _, thread, _, _ in done}),
        "orders that were overtaken": overtaken(done),
    }


def trickle(lab: Lab, count: int = 60, every_ms: int = 70) -> None:
    """Write one order after the other, with a pause between two."""
    producer = KafkaProducer(lab, {"client.id": "trickle", "linger.ms": 0})
    for number in range(count):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
        lab.sleep(every_ms)


Crew = Callable[[KafkaConsumer, WorkerPool], object]
"""A learner's poller: a function of a consumer and a pool that never returns."""


def nothing_told(lab: Lab, name: str, record: ConsumerRecord) -> None:
    """Does nothing: the default of `shift`, which tells somebody of each finished order."""


def shift(
    seed: int,
    crash_ms: int,
    crew: Callable[[Lab, KafkaConsumer, WorkerPool], object],
    told: Callable[[Lab, str, ConsumerRecord], None] = nothing_told,
    slow_ms: int = 1_200,
) -> Lab:
    """A day of exercise 10.5: ada and her four workers on two partitions, 80 orders.

    After `crash_ms` (0: never) ada is killed, and bo goes on with four workers of his own. Eight
    orders of a hundred take `slow_ms`, the others about 90 ms. `told` hears of each finished order.
    A member whose `crew` returns tells the journal "returned".
    """
    lab = Lab(brokers=3, seed=seed, broker_config={"group.min.session.timeout.ms": 1_000})
    lab.create_topic("orders", partitions=2)
    member = {
        "max.poll.records": 10,
        "session.timeout.ms": 2_000,
        "heartbeat.interval.ms": 500,
        "max.poll.interval.ms": 1_000,
    }

    def on_duty(lab: Lab, name: str) -> None:
        consumer = subscribed(lab, name, **member)

        def store(record: ConsumerRecord) -> None:
            chance = Random(f"{seed} {record.key}")
            lab.sleep(chance.choice((60, 90, 120)) if chance.random() < 0.92 else slow_ms)
            told(lab, name, record)

        try:
            crew(lab, consumer, WorkerPool(lab, 4, store, name))
            note(lab.journal, name, "returned")
        except CommitFailedException:
            pass  # the program ends with what its log says
        consumer.close()

    lab.spawn(trickle, 80, 50, name="shop")
    lab.spawn(on_duty, "ada", name="ada")
    lab.run_for(ms=crash_ms or 9_000)
    if crash_ms:
        lab.kill("ada")
        lab.spawn(on_duty, "bo", name="bo")
        lab.run_for(ms=9_000)
    lab.close()
    return lab


def joined_in_the_middle(
    listener: Callable[[KafkaConsumer, WorkerPool, Callable[[], None]], object] | None,
    seed: int = 6,
) -> int:
    """How many orders are done twice when bo joins ada, who has a pool of four workers.

    Each commits, once a second, up to the oldest order that is not done, in each partition.
    listener: makes the rebalance listener of a program, of its consumer, its pool and a function
    that commits now; None: the program has no listener.
    """
    lab = Lab(brokers=3, seed=seed, broker_config={"group.initial.rebalance.delay.ms": 0})
    lab.create_topic("orders", partitions=2)

    def program(lab: Lab, name: str) -> None:
        waiting: dict[TopicPartition, dict[int, bool]] = {}
        pool = WorkerPool(lab, 4, lambda order: lab.sleep(takes_ms(order)), name)
        consumer = subscribed(lab, name, **{"max.poll.records": 10})

        def commit() -> None:
            for order in pool.finished():
                done = waiting.get(TopicPartition(order.topic, order.partition), {})
                if order.offset in done:
                    done[order.offset] = True
            safe = {}
            for partition, done in waiting.items():
                while done and done[min(done)]:
                    safe[partition] = OffsetAndMetadata(min(done) + 1)
                    del done[min(done)]
            if safe:
                consumer.commit_sync(safe)

        told = listener(consumer, pool, commit) if listener else None
        consumer.subscribe(["orders"], told)
        next_ms = lab.now_ms + 1_000
        while True:
            for order in consumer.poll(timeout_ms=100):
                pool.submit(order)
                place = TopicPartition(order.topic, order.partition)
                waiting.setdefault(place, {})[order.offset] = False
            for gone in set(waiting) - set(consumer.assignment()):
                del waiting[gone]
            if lab.now_ms >= next_ms:
                commit()
                next_ms = lab.now_ms + 1_000

    lab.spawn(trickle, 200, 30, name="shop")
    lab.spawn(program, "ada", name="ada")
    lab.run_for(ms=2_700)
    lab.spawn(program, "bo", name="bo")
    lab.run_for(ms=15_000)
    done = finished_orders(lab)
    return len(done) - len(set(done))


def finished_orders(lab: Lab) -> list[tuple[str, int]]:
    """(partition, offset) of every order that a worker finished, in time order."""
    return [
        (event.fields["partition"], event.fields["offset"])
        for event in lab.journal.of("work")
        if event.fields["what"] == "ends"
    ]


def lost_orders(lab: Lab) -> list[tuple[str, int]]:
    """Orders below the group's committed offset that no worker finished."""
    offsets = lab.at(lab.now_ms)["groups"][GROUP].get("offsets", {})
    done = set(finished_orders(lab))
    return [
        (partition, offset)
        for partition, commit in sorted(offsets.items())
        for offset in range(commit["offset"])
        if (partition, offset) not in done
    ]


def submitted_twice(lab: Lab) -> str:
    """Says which order the workers of one member did twice, the first one; "" for none."""
    done_by = set()
    for event in lab.journal.of("work"):
        if event.fields["what"] == "ends":
            one = (event.who.split(".")[0], event.fields["partition"], event.fields["offset"])
            if one in done_by:
                return f"the workers of {one[0]} did the order in {one[1]} at {one[2]} twice."
            done_by.add(one)
    return ""


def committed_past(lab: Lab) -> str:
    """Says which commit went past an order that nobody had finished then, the first one; "" for
    none."""
    finished: dict[str, set[int]] = {}
    for event in lab.journal.of("work", "commit"):
        if event.kind == "work" and event.fields["what"] == "ends":
            finished.setdefault(event.fields["partition"], set()).add(event.fields["offset"])
        for partition, end in event.fields.get("offsets", {}).items():
            for offset in range(end):
                if offset not in finished.get(partition, ()):
                    return (
                        f"at {event.at_ms:,} ms {event.who} committed {end} in {partition}, and "
                        f"the order at offset {offset} was not done yet."
                    )
    return ""


def longest_wait(lab: Lab) -> tuple[int, str]:
    """(ms, the order) of the longest wait for a commit, from when an order and all before it in
    its partition were done."""
    done: dict[str, set[int]] = {}
    safe_ms: dict[str, dict[int, int]] = {}
    past: dict[str, int] = {}
    longest = (0, "")
    for event in lab.journal.of("work", "commit"):
        if event.kind == "work" and event.fields["what"] == "ends":
            partition = event.fields["partition"]
            done.setdefault(partition, set()).add(event.fields["offset"])
            safe = safe_ms.setdefault(partition, {})
            while len(safe) in done[partition]:
                safe[len(safe)] = event.at_ms
        for partition, end in event.fields.get("offsets", {}).items():
            for offset in range(past.get(partition, 0), end):
                if offset in safe_ms.get(partition, {}):
                    waited_ms = event.at_ms - safe_ms[partition][offset]
                    longest = max(longest, (waited_ms, f"{partition} at {offset}"))
            past[partition] = max(end, past.get(partition, 0))
    return longest


def poll_too_late(lab: Lab) -> int | None:
    """When a member first polled too late (ms of the lab), or None."""
    return next(
        (
            event.at_ms
            for event in lab.journal.of("line")
            if event.fields["level"] == "WARN" and EXPIRED in event.fields["message"]
        ),
        None,
    )


def survive(work_through: Crew, days: int = 100) -> str:
    """Play `days` days with a crash at a random moment, and say how many kept their promise.

    It stops at the first day on which an order is lost or not done, a commit goes past an order in
    work, a poll is late, more than 30 orders are repeated, or not all is committed in the end. Of
    every ten days the first is played without a crash, too: there no commit may come late.
    """
    for seed in range(1, days + 1):
        if seed % 10 == 1:
            calm = shift(seed, 0, lambda lab, consumer, pool: work_through(consumer, pool))
            waited_ms, which = longest_wait(calm)
            if waited_ms > MOST_WAIT_MS:
                return (
                    f"{seed - 1} days kept. Day {seed}, nobody is killed: the order in {which} and "
                    f"all before it were done, and its commit came {waited_ms:,} ms later."
                )
        crash_ms = Random(seed).randrange(1_500, 5_000)
        lab = shift(seed, crash_ms, lambda lab, consumer, pool: work_through(consumer, pool))
        done, lost = finished_orders(lab), lost_orders(lab)
        kept = f"{seed - 1} days kept. Day {seed}, ada killed after {crash_ms} ms: "
        if lost:
            return f"{kept}{len(lost)} orders are lost, the first is {lost[0]}."
        if past := committed_past(lab):
            return f"{kept}{past}"
        if (late_ms := poll_too_late(lab)) is not None:
            return f"{kept}a poll was too late at {late_ms} ms."
        if len(done) - len(set(done)) > 30:
            return f"{kept}{len(done) - len(set(done))} orders were done a second time."
        if len(set(done)) < 80:
            return f"{kept}only {len(set(done))} of 80 orders were done."
        if (saved := committed_orders(lab)) < 80:
            return f"{kept}the committed offsets cover {saved} of 80 orders."
    return f"all {days} days kept: nothing lost, no poll too late, every order done"


def service_day(
    name: str, *, max_poll_records: int, usual_ms: int, slow_percent: int
) -> tuple[Lab, list[int]]:
    """Twenty minutes of a service whose orders are rarely very slow: its lab, and their times."""
    lab = Lab(brokers=1, seed=11)
    took: list[int] = []
    lab.create_topic("orders")
    shop(lab, 1_000)
    chance = Random(f"{max_poll_records} {usual_ms} {slow_percent}")

    def program(lab: Lab) -> None:
        consumer = subscribed(
            lab,
            name,
            **{
                "max.poll.interval.ms": 120_000,
                "heartbeat.interval.ms": 15_000,
                "max.poll.records": max_poll_records,
            },
        )
        while True:
            records = consumer.poll(timeout_ms=500)
            times = [20_000 if chance.random() * 100 < slow_percent else usual_ms for _ in records]
            took.extend(times)
            lab.sleep(sum(times))
            try:
                consumer.commit_sync()
            except CommitFailedException:
                pass

    lab.spawn(program, name=name)
    lab.run_for(ms=20 * 60_000)
    return lab, took
