"""Plays the consumer groups of chapter 07: members come, leave, crash, restart or work slowly.

Kafka's class of the members' side is AbstractCoordinator.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from kafkalab import KafkaAdminClient, NewPartitions
from kafkalab.clients.consumer.kafka_consumer import KafkaConsumer
from kafkalab.clients.producer.kafka_producer import KafkaProducer
from kafkalab.errors import IllegalArgumentException
from kafkalab.lab import Lab
from kafkalab.records import ProducerRecord
from kafkalab.sim.apps import App
from kafkalab.views.assignment_matrix import group_assignments, moves
from kafkalab.views.ownership import gaps, holdings

if TYPE_CHECKING:
    import pandas

GROUP = "billing"
CLASS = "org.apache.kafka.clients.consumer.{}Assignor"
TO_THE_END_MS = 900_000
SLOW_MS = 9_000
"""How long the slow member of `newcomer_beside_a_slow_member` works between two polls."""

Assign = Callable[[dict[str, int], dict[str, list[str]]], dict[str, list[tuple[str, int]]]]
"""A learner's assignor: ({topic: how many}, {member: topics}) -> {member: (topic, number)s}."""


def member(
    lab: Lab,
    name: str,
    strategy: str | Assign | None = "Range",
    *,
    topics: Iterable[str] = ("orders",),
    work_ms: int = 0,
    stays_ms: int = TO_THE_END_MS,
    settings: Mapping[str, Any] | None = None,
) -> None:
    """One program of the group `billing`: it polls until its time is over, and then closes.

    strategy: "Range" and the like, a function of one's own, or None for the client's default
    work_ms: how long it works between two polls
    settings: further settings of the consumer
    """
    if isinstance(strategy, str):
        strategy = CLASS.format(strategy)
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": GROUP,
            "client.id": name,
            "auto.offset.reset": "earliest",
            **({"partition.assignment.strategy": strategy} if strategy else {}),
            **(settings or {}),
        },
        name=name,
    )
    consumer.subscribe(list(topics))
    end_ms = lab.now_ms + stays_ms
    while lab.now_ms < end_ms:
        consumer.poll(timeout_ms=200)
        lab.sleep(work_ms)
    consumer.close()


def start(lab: Lab, name: str, strategy: str | Assign | None = "Range", **program: Any) -> App:
    """Start a member as a program of its own; `program` as in `member`.

    `process` names the process where a client of that name was in the lab before.
    """
    process = program.pop("process", name)
    return lab.spawn(
        functools.partial(member, **program) if program else member, name, strategy, name=process
    )


def come_and_go(strategy: str = "Range", seed: int = 1) -> Lab:
    """A lab in which m1, m2 and m3 share eight partitions; m4 comes after 10 s, m2 closes after
    20 s.
    """
    lab = Lab(brokers=3, seed=seed, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=8)
    start(lab, "m1", strategy, stays_ms=90_000)
    start(lab, "m2", strategy, stays_ms=20_000)
    start(lab, "m3", strategy, stays_ms=90_000)
    lab.run_for(ms=10_000)
    start(lab, "m4", strategy)
    lab.run_for(ms=25_000)
    return lab


def count_moves(lab: Lab) -> int:
    """How many times a partition of the group got another owner than it had before."""
    return len(moves(group_assignments(lab, GROUP)))


def generation(lab: Lab) -> int:
    """The group's generation now."""
    return int(lab.at(lab.now_ms)["groups"][GROUP]["generation"])


def leader(lab: Lab) -> str:
    """The client id of the group's leader now."""
    group = lab.at(lab.now_ms)["groups"][GROUP]
    return str(group["members"][group["leader"]]["client_id"])


def owned(lab: Lab) -> dict[str, list[str]]:
    """{member: the partitions that it owns now}."""
    clients = lab.at(lab.now_ms)["clients"]
    return {name: list(client["assignment"]) for name, client in clients.items()}


def shares(
    strategy: str | Assign,
    topics: Mapping[str, int],
    members: Mapping[str, Iterable[str]],
    seed: int = 5,
) -> dict[str, str]:
    """{member: its partitions} when all have joined.

    topics: {name: how many partitions}; members: {name: the topics it reads}
    """
    lab = Lab(brokers=3, seed=seed, version="3.9", broker_version="4.4")
    for topic, count in topics.items():
        lab.create_topic(topic, partitions=count)
    for name, wanted in members.items():
        start(lab, name, strategy, topics=tuple(wanted))
    lab.run_for(ms=7_000)
    return {name: " ".join(owned(lab)[name]) for name in members}


def two_members(version: str = "3.9", seed: int = 3) -> Lab:
    """A lab in which m1 and m2 start together; broker 2 is their coordinator."""
    lab = Lab(brokers=3, seed=seed, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=4)
    lab.place_coordinator(GROUP, broker=2)
    start(lab, "m1")
    start(lab, "m2")
    lab.run_for(ms=7_000)
    return lab


def print_lines(lab: Lab, *beginnings: str, width: int = 84) -> None:
    """Print the lines that begin with one of these words: time, client, message."""
    for line in lab.lines().itertuples():
        message = line.message.split("] ", 1)[-1]
        if message.startswith(beginnings):
            print(line.time[-12:], line.client, message[:width] + "…" * (len(message) > width))


def feed(lab: Lab, pace_ms: int = 500) -> None:
    """A program that sends one record to each of nine partitions, again and again."""
    shop = KafkaProducer(lab, {"client.id": "shop"}, name="shop")
    for number in range(TO_THE_END_MS // pace_ms):
        for partition in range(9):
            shop.send(ProducerRecord("orders", partition=partition, value=f"order {number}"))
        lab.sleep(pace_ms)


def newcomer_beside_a_slow_member(
    strategy: str | None,
    *,
    records: bool = True,
    version: str = "3.9",
    seed: int = 1,
    until_ms: int = 120_000,
    settings: Mapping[str, Any] | None = None,
    slow_ms: int = SLOW_MS,
) -> Lab:
    """A lab with nine partitions: m2 works nine seconds between two polls, m4 comes at 30 s.

    slow_ms: another time for m2's work.

    records: whether a producer sends to each partition all the time; without it the topic is empty
    """
    lab = Lab(brokers=3, seed=seed, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=9)
    if records:
        lab.spawn(feed, name="shop")
    start(lab, "m1", strategy, settings=settings)
    start(lab, "m2", strategy, settings=settings, work_ms=slow_ms)
    start(lab, "m3", strategy, settings=settings)
    lab.run_for(ms=30_000)
    start(lab, "m4", strategy, settings=settings)
    lab.run_for(ms=until_ms - 30_000)
    return lab


def seconds_without_owner(lab: Lab, from_ms: int = 28_000) -> float:
    """The seconds in which partitions had no owner, all partitions added up."""
    missing = gaps(holdings(lab, GROUP), from_ms, lab.now_ms)
    return round(sum(end - begin for spans in missing.values() for begin, end in spans) / 1000, 1)


def partitions_without_owner(lab: Lab, from_ms: int = 28_000, at_least_ms: int = 1_000) -> int:
    """How many partitions had no owner for `at_least_ms` or longer at a time."""
    missing = gaps(holdings(lab, GROUP), from_ms, lab.now_ms).values()
    return sum(any(end - begin >= at_least_ms for begin, end in spans) for spans in missing)


def newcomer_waits(lab: Lab, came_ms: int = 30_000) -> float:
    """Seconds from the moment in which m4 came to its first record.

    Raises IllegalArgumentException where m4 has got no record.
    """
    mine = [event.at_ms for event in lab.journal.of("record.delivered") if event.who == "m4"]
    if not mine:
        raise IllegalArgumentException("m4 got no record in this lab: read its wait in ownership()")
    return round((min(mine) - came_ms) / 1000, 1)


def seconds_to_partitions(lines: pandas.DataFrame, client: str = "m4") -> dict[str, float]:
    """{partition: seconds from the first line of `client` to the line in which it got it}.

    lines: those of a `RecordedPair`
    """
    begun, found = None, {}
    for who, time, message in zip(lines.client, lines.time, lines.message):
        if who != client:
            continue
        moment = datetime.strptime(time, "%Y-%m-%d %H:%M:%S,%f")
        begun = begun or moment
        got = re.search(r"Adding newly assigned partitions: (.+)$", message)
        for partition in got[1].split(", ") if got else ():
            found[partition] = round((moment - begun).total_seconds(), 1)
    return found


def crash_of_the_coordinator() -> tuple[Lab, int]:
    """A lab whose coordinator of `billing` crashed 12 s ago, and the id of that broker."""
    lab = Lab(brokers=3, seed=2, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=4, replication_factor=3)
    start(lab, "m1")
    lab.run_for(ms=8_000)
    first = lab.coordinator_of(GROUP)
    lab.broker(first).crash()
    lab.run_for(ms=12_000)
    return lab, first


def unsubscriber(lab: Lab, name: str) -> None:
    """Reads for 20 s and then unsubscribes."""
    consumer = KafkaConsumer(lab, {"group.id": GROUP, "client.id": name}, name=name)
    consumer.subscribe(["orders"])
    while lab.now_ms < 20_000:
        consumer.poll(timeout_ms=200)
    consumer.unsubscribe()


def two_at_work(second: str = "stays") -> Lab:
    """A lab at second 20: m1 and m2 read six partitions; m2 "stays", "leaves" or "unsubscribes"
    now.
    """
    lab = Lab(brokers=3, seed=4, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=6)
    start(lab, "m1")
    if second == "unsubscribes":
        lab.spawn(unsubscriber, "m2", name="m2")
    else:
        start(lab, "m2", stays_ms=20_000 if second == "leaves" else TO_THE_END_MS)
    lab.run_for(ms=20_000)
    return lab


def settled_after(lab: Lab, wait_ms: int = 60_000) -> int:
    """Milliseconds from now to the next moment in which the group is stable again."""
    begun_ms = lab.now_ms
    lab.run_for(ms=wait_ms)
    states = lab.table("state").query("machine == 'group' and at_ms > @begun_ms")
    return int(states[states.after == "Stable"].at_ms.iloc[0]) - begun_ms


def restart(static: bool, away_ms: int = 3_000, settings: Mapping[str, Any] | None = None) -> Lab:
    """A lab in which m2 closes at 20 s and starts again `away_ms` later.

    static: its members have a `group.instance.id`
    """

    def named(name: str) -> dict[str, Any]:
        return {**(settings or {}), **({"group.instance.id": name} if static else {})}

    lab = Lab(brokers=3, seed=8, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=6)
    start(lab, "m1", settings=named("first"))
    start(lab, "m2", settings=named("second"), stays_ms=20_000)
    lab.run_for(ms=20_000 + away_ms)
    start(lab, "m2", settings=named("second"), process="m2 again")
    lab.run_for(ms=20_000)
    return lab


DEPLOYMENTS: Mapping[str, dict[str, Any]] = {
    "eager": {"strategy": "Range"},
    "cooperative": {"strategy": "CooperativeSticky"},
    "eager, static members": {"strategy": "Range", "static": True},
    "KIP-848": {"strategy": None, "settings": {"group.protocol": "consumer"}},
}
"""The ways in which a group of ten can meet a deployment: name -> words of `rolling_deployment`."""


def rolling_deployment(
    strategy: str | None,
    *,
    static: bool = False,
    settings: Mapping[str, Any] | None = None,
    members: int = 10,
    away_ms: int = 4_000,
    every_ms: int = 12_000,
    seed: int = 6,
) -> Lab:
    """A lab in which each of ten members closes and starts again, one after the other.

    There are two partitions a member. static: each has a `group.instance.id`.
    """
    lab = Lab(brokers=1, seed=seed, version="4.4", broker_version="4.4")
    lab.create_topic("orders", partitions=2 * members)

    def named(number: int) -> dict[str, Any]:
        return {**(settings or {}), **({"group.instance.id": f"i{number}"} if static else {})}

    settle_ms = 20_000
    for number in range(members):
        start(
            lab,
            f"m{number}",
            strategy,
            stays_ms=settle_ms + number * every_ms,
            work_ms=800,
            settings=named(number),
        )
    lab.run_for(ms=settle_ms + away_ms)
    for number in range(members):
        process = f"m{number} again"
        start(lab, f"m{number}", strategy, settings=named(number), work_ms=800, process=process)
        lab.run_for(ms=every_ms)
    lab.run_for(ms=2 * every_ms)
    return lab


def price_of_a_deployment(kind: str) -> dict[str, float]:
    """What `rolling_deployment` costs a group: how often a partition was given to a member, and the
    seconds in which partitions had no owner, added up."""
    lab = rolling_deployment(**DEPLOYMENTS[kind])
    return {
        "partitions given": sum(one.from_ms > 20_000 for one in holdings(lab, GROUP)),
        "seconds without an owner": seconds_without_owner(lab, from_ms=20_000),
    }


def bounced(ways: Iterable[str], begins: str = "Range", seed: int = 6) -> pandas.DataFrame:
    """What a running group of three is after each restart of a member, and what the two others gave
    up for it.

    ways: how the members are restarted, one by one, first all in the first way, then all in the
    second: assignors, such as "CooperativeSticky Range", or "KIP-848". begins: the assignor before.
    """
    import pandas

    lab = Lab(brokers=1, seed=seed, version="4.4", broker_version="4.4")
    lab.create_topic("orders", partitions=6)
    life_ms, members, rows = 20_000, ("m1", "m2", "m3"), []
    for number, name in enumerate(members, 1):
        start(lab, name, begins, stays_ms=life_ms * number)
    lab.run_for(ms=life_ms + 5_000)
    for turn, way in enumerate(ways, 2):
        listed = [CLASS.format(name) for name in way.split()]
        settings = {"partition.assignment.strategy": listed}
        if way == "KIP-848":
            settings = {"group.protocol": ["consumer"]}
        for name in members:
            start(
                lab,
                name,
                None,
                stays_ms=life_ms * len(members) - 5_000,
                settings={key: ",".join(value) for key, value in settings.items()},
                process=f"{name} life {turn}",
            )
            lab.run_for(ms=14_000)  # all three are members, a second before the next one closes
            group, since_ms = lab.at(lab.now_ms)["groups"][GROUP], lab.now_ms - life_ms
            rows.append(
                {
                    "restarted": f"{name}, {way}",
                    "group": group["type"],
                    "assignor": group["protocol"],
                    "the others gave up": sum(
                        since_ms < held.to_ms < lab.now_ms and held.who != name
                        for held in holdings(lab, GROUP)
                    ),
                }
            )
            lab.run_for(ms=life_ms - 14_000)
    return pandas.DataFrame(rows)


@functools.lru_cache(maxsize=8)
def shift(strategy: str, work_ms: int, seed: int = 9) -> Lab:
    """Seventy-five seconds of one group for the Spark lab of chapter 07; it is over, and is played
    once for all who ask.

    m2 works `work_ms` between two polls; m4 comes at 30 s, m1 closes at 45 s. Nine partitions get
    a record every two seconds.
    """
    lab = Lab(brokers=1, seed=seed, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=9)
    lab.spawn(feed, 2_000, name="shop")
    start(lab, "m1", strategy, stays_ms=45_000)
    start(lab, "m2", strategy, work_ms=work_ms)
    start(lab, "m3", strategy)
    lab.run_for(ms=30_000)
    start(lab, "m4", strategy)
    lab.run_for(ms=45_000)
    lab.close()
    return lab


OWNS = re.compile(r"(Revoke|Lost|Adding).* assigned partitions:? ?(.*)")


def ownership_changes(lab: Lab) -> list[tuple[int, str, str, str]]:
    """(milliseconds, client, "Revoke", "Lost" or "Adding", partition) of each line that tells of
    one. A member that leaves in the middle of a rebalance writes "Lost".
    """
    found = []
    for line in lab.journal.of("line"):
        change = OWNS.search(line.message) if line.level == "INFO" else None
        if change:
            found += [
                (line.at_ms, line.who, change[1], partition)
                for partition in filter(None, change[2].split(", "))
            ]
    return found


def two_more_partitions(
    policy: str = "latest", *, protocol: str = "classic", version: str = "3.9", seed: int = 4
) -> tuple[int, int]:
    """(records sent to two new partitions, how many of them the group reads).

    At 20 s `orders` gets two more partitions. A producer begins to use them at once, one record
    each 30 s to each. The group runs for ten minutes with `auto.offset.reset` = policy and
    `group.protocol` = protocol.
    """
    lab = Lab(brokers=1, seed=seed, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=6)
    strategy = "Range" if protocol == "classic" else None
    settings = {"auto.offset.reset": policy, "group.protocol": protocol}
    for name in ("m1", "m2"):
        start(lab, name, strategy, settings=settings)
    lab.run_for(ms=20_000)
    KafkaAdminClient(lab, {}).create_partitions(
        {"orders": NewPartitions.increase_to(8)}
    ).all().get()
    shop, sent = KafkaProducer(lab, {"client.id": "shop"}, name="shop"), 0
    while lab.now_ms < 500_000:
        for partition in (6, 7):
            shop.send(ProducerRecord("orders", partition=partition, value="tea")).get()
            sent += 1
        lab.sleep(30_000)
    lab.run_for(ms=10_000)
    return sent, len(lab.table("record.delivered"))
