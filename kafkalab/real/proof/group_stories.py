"""Stories of chapters 07 and 08: joins, assignments and rebalances."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from kafkalab.errors import KafkaException
from kafkalab.real.proof.claim import EitherLab, Side, settled, story
from kafkalab.releases.lineage import CLIENT_NAMES, since

ASSIGNOR = "org.apache.kafka.clients.consumer.{}Assignor"
GENERATION = re.compile(
    r"Successfully joined group with generation (?:Generation\{generationId=)?(\d+)"
)
JOINS_WITHIN_MS = 8_000


def generations(lab: EitherLab, client: str) -> list[int]:
    """The generations that a client joined, by its lines."""
    return [int(number) for number in GENERATION.findall(lab.log_text(client))]


def members(side: Side, lab: EitherLab, names: str, **settings: Any) -> list[Any]:
    """Members of the group billing that have subscribed to orders; each has polled once before the
    next one is made."""
    made = []
    for name in names.split():
        consumer = side.consumer(lab, name, group_id="billing", **settings)
        consumer.subscribe(["orders"])
        made.append(consumer)
        consumer.poll(timeout_ms=0)
    return made


class Heard:
    """A rebalance listener that counts what it hears."""

    def __init__(self) -> None:
        self.revoked: list[int] = []
        self.assigned: list[int] = []

    def on_partitions_revoked(self, partitions: Any) -> None:
        """Some are taken away; a call with none is not counted."""
        if count := len(list(partitions)):
            self.revoked.append(count)

    def on_partitions_assigned(self, partitions: Any) -> None:
        """Some are given."""
        self.assigned.append(len(list(partitions)))


def second_member(side: Side, **settings: Any) -> tuple[EitherLab, Heard, list[int]]:
    """A second member comes to a member of four partitions: the lab, what the first one heard, and
    how many each owns in the end."""
    lab = side.lab()
    lab.create_topic("orders", partitions=4)
    heard = Heard()
    first = side.consumer(lab, "m1", group_id="billing", **settings)
    first.subscribe(["orders"], heard)
    settled(lab, [first], 6_000)
    (second,) = members(side, lab, "m2", **settings)
    settled(lab, [first, second], JOINS_WITHIN_MS)
    return lab, heard, [len(first.assignment()), len(second.assignment())]


@story(
    "07 join",
    releases=CLIENT_NAMES,
    brokers=1,
    claims={
        "join_requests": "The first member sends so many JOIN_GROUP.",
        "generations": "It joins these generations.",
        "owns": "It owns so many of three partitions.",
        "asks": "Until then it has sent requests of these kinds.",
    },
)
def join(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=3)
    (one,) = members(side, lab, "m1", enable_auto_commit=False)
    settled(lab, [one], 5_000)  # the first HEARTBEAT comes three seconds after the join
    asked = lab.table("request.sent")
    return {
        "join_requests": int((asked.api == "JOIN_GROUP").sum()),
        "generations": generations(lab, "m1"),
        "owns": len(one.assignment()),
        "asks": sorted(set(asked.api)),
    }


@story(
    "07 newcomer",
    brokers=1,
    claims={
        "first": "A second member comes: the first joins these generations.",
        "owned": "Each owns so many of four partitions.",
        "eager_revoked": "With RangeAssignor the first hears of so many revoked partitions.",
        "eager_assigned": "It hears of so many assigned ones, each time.",
    },
)
def newcomer(side: Side) -> dict[str, Any]:
    lab, heard, owned = second_member(side, partition_assignment_strategy=ASSIGNOR.format("Range"))
    return {
        "first": generations(lab, "m1"),
        "owned": owned,
        "eager_revoked": heard.revoked,
        "eager_assigned": heard.assigned,
    }


@story(
    "07 cooperative newcomer",
    brokers=1,
    releases=("2.8", "3.9", "4.4"),
    claims={
        "revoked": "With CooperativeStickyAssignor the first member gives up so many of four.",
        "owned": "Each owns so many in the end.",
        "first": "The first joins these generations.",
    },
)
def cooperative(side: Side) -> dict[str, Any]:
    strategy = ASSIGNOR.format("CooperativeSticky")
    lab, heard, owned = second_member(side, partition_assignment_strategy=strategy)
    return {"revoked": heard.revoked, "owned": owned, "first": generations(lab, "m1")}


@story(
    "07 assignors",
    brokers=1,
    claims={
        name: f"{name}Assignor gives three members these of five partitions."
        for name in ("Range", "RoundRobin", "Sticky")
    },
)
def assignors(side: Side) -> dict[str, Any]:
    return {name: _assigned_by(side, name) for name in ("Range", "RoundRobin", "Sticky")}


def _assigned_by(side: Side, name: str) -> list[str]:
    lab = side.lab()
    lab.create_topic("orders", partitions=5)
    found = members(side, lab, "m1 m2 m3", partition_assignment_strategy=ASSIGNOR.format(name))
    settled(lab, found, JOINS_WITHIN_MS)
    return ["+".join(str(tp.partition) for tp in consumer.assignment()) for consumer in found]


MOVING = ("RoundRobin", "Sticky", "CooperativeSticky")


@story(
    "07 who assigns",
    brokers=1,
    releases=("3.9",),
    claims={
        "assigned_by": "These clients say that they have finished an assignment.",
        "generations": "Three members, a fourth comes, the second one closes: the last generation.",
        **{name: f"So many partitions of eight have moved then, with {name}." for name in MOVING},
    },
)
def who_assigns(side: Side) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in MOVING:
        lab = side.lab()
        lab.create_topic("orders", partitions=8)
        strategy = ASSIGNOR.format(name)
        group = members(side, lab, "m1 m2 m3", partition_assignment_strategy=strategy)
        settled(lab, group, 2 * JOINS_WITHIN_MS)
        seen = [owners(group)]
        group += members(side, lab, "m4", partition_assignment_strategy=strategy)
        settled(lab, group, 2 * JOINS_WITHIN_MS)
        seen.append(owners(group))
        group.pop(1).close()
        settled(lab, group, 2 * JOINS_WITHIN_MS)
        seen.append(owners(group))
        found[name] = sum(
            before[number] != after[number]
            for before, after in pairwise(seen)
            for number in range(8)
        )
        if name == MOVING[0]:
            told = "Finished assignment for group"
            found["assigned_by"] = [
                member for member in ("m1", "m2", "m3", "m4") if told in lab.log_text(member)
            ]
            found["generations"] = generations(lab, "m1")[-1]
    return found


def owners(group: list[Any]) -> dict[int, str]:
    """partition -> the name of the member that owns it."""
    return {tp.partition: member.name for member in group for tp in member.assignment()}


@story(
    "01 busy members",
    brokers=1,
    releases=("3.9",),
    claims={
        "Range": "Two topics of two partitions, four members: with Range so many are busy.",
        "RoundRobin": "With RoundRobin so many are busy.",
    },
)
def busy_members(side: Side) -> dict[str, Any]:
    found = {}
    for name in ("Range", "RoundRobin"):
        lab = side.lab()
        group = []
        for topic in ("orders", "visits"):
            lab.create_topic(topic, partitions=2)
        for member in ("m1", "m2", "m3", "m4"):
            strategy = ASSIGNOR.format(name)
            consumer = side.consumer(
                lab, member, group_id="billing", partition_assignment_strategy=strategy
            )
            consumer.subscribe(["orders", "visits"])
            consumer.poll(timeout_ms=0)
            group.append(consumer)
        settled(lab, group, JOINS_WITHIN_MS)
        found[name] = sum(bool(member.assignment()) for member in group)
    return found


@story(
    "07 more members than partitions",
    brokers=1,
    claims={"owned": "Two partitions, three members: they own so many."},
)
def idle_member(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    found = members(side, lab, "m1 m2 m3")
    settled(lab, found, JOINS_WITHIN_MS)
    return {"owned": sorted(len(consumer.assignment()) for consumer in found)}


@story(
    "07 restart",
    brokers=1,
    claims={
        "static": "A static member restarts in time: the other one joins these generations.",
        "owned": "Each owns so many of two partitions then.",
    },
)
def static_restart(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    first, second = _static(side, lab, "m1"), _static(side, lab, "m2")
    settled(lab, [first, second], JOINS_WITHIN_MS)
    before = len(generations(lab, "m1"))
    second.close()
    again = _static(side, lab, "m2", "m2-again")
    settled(lab, [first, again], 8_000)
    return {
        "static": generations(lab, "m1")[before:],
        "owned": [len(first.assignment()), len(again.assignment())],
    }


@story(
    "07 dynamic restart",
    brokers=1,
    claims={
        "dynamic": "A dynamic member closes and comes back: the other joins these generations."
    },
)
def dynamic_restart(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    first, second = members(side, lab, "m1 m2")
    settled(lab, [first, second], JOINS_WITHIN_MS)
    before = len(generations(lab, "m1"))
    second.close()
    settled(lab, [first], 5_000)
    (again,) = members(side, lab, "m2-again")
    settled(lab, [first, again], JOINS_WITHIN_MS)
    return {"dynamic": generations(lab, "m1")[before:]}


def _static(side: Side, lab: EitherLab, instance: str, name: str | None = None) -> Any:
    consumer = side.consumer(
        lab,
        name or instance,
        group_id="billing",
        group_instance_id=instance,
        session_timeout_ms=30_000,
    )
    consumer.subscribe(["orders"])
    consumer.poll(timeout_ms=0)
    return consumer


@story(
    "07 new protocol",
    brokers=1,
    releases=since("4.0"),
    claims={
        "join_requests": "With group.protocol=consumer a member sends so many JOIN_GROUP.",
        "heartbeats": "It sends CONSUMER_GROUP_HEARTBEAT.",
        "owned": "Two members own so many of four partitions.",
        "revoked": "The first gives up so many for the second.",
    },
)
def new_protocol(side: Side) -> dict[str, Any]:
    lab, heard, owned = second_member(side, group_protocol="consumer")
    asked = lab.table("request.sent").api
    return {
        "join_requests": int((asked == "JOIN_GROUP").sum()),
        "heartbeats": bool((asked == "CONSUMER_GROUP_HEARTBEAT").any()),
        "owned": owned,
        "revoked": heard.revoked,
    }


@story(
    "07 to the new protocol and back",
    brokers=1,
    releases=("4.4",),
    claims={
        "owned": "Three members of Range, six partitions. Each is restarted with "
        "group.protocol=consumer, then each with Range: they own so many after each restart.",
        "assignors": "The group's assignor after each restart.",
        "stops": "A member of Range gives up its two partitions while others are restarted.",
    },
)
def to_the_new_protocol_and_back(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=6)
    admin, classic = side.admin(lab), {"partition_assignment_strategy": ASSIGNOR.format("Range")}
    heard = Heard()
    group = members(side, lab, "a1 a2", **classic)
    group.append(side.consumer(lab, "a3", group_id="billing", **classic))
    group[-1].subscribe(["orders"], heard)
    settled(lab, group, 2 * JOINS_WITHIN_MS)
    found: dict[str, Any] = {"owned": [], "assignors": []}
    for life, settings in (("b", {"group_protocol": "consumer"}), ("c", classic)):
        for number in range(1, 4):
            group.pop(0).close()
            group += members(side, lab, f"{life}{number}", **settings)
            settled(lab, group, 14_000)
            found["owned"].append([len(member.assignment()) for member in group])
            described = admin.describe_consumer_groups(["billing"]).all().get()["billing"]
            found["assignors"].append(described.partition_assignor)
    return {**found, "stops": 2 in heard.revoked}


@story(
    "07 no upgrade",
    brokers=1,
    releases=("4.4",),
    broker_config={"group.consumer.migration.policy": "disabled"},
    claims={
        "refused": "With group.consumer.migration.policy=disabled a new member of a classic group "
        "gets this.",
        "words": "The sentence ends so.",
    },
)
def no_upgrade(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    (first,) = members(side, lab, "m1")
    settled(lab, [first], 6_000)
    try:
        settled(lab, [first, *members(side, lab, "m2", group_protocol="consumer")], 8_000)
    except KafkaException as error:
        return {"refused": type(error).__name__, "words": str(error).rpartition(" because ")[2]}
    return {"refused": "nothing", "words": ""}


@story(
    "08 leaving",
    brokers=1,
    claims={
        "closed": "A member closes: the other owns so many of two after a few seconds.",
        "asks": "The one that closed sent LEAVE_GROUP so many times.",
    },
)
def leaving(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    first, second = members(side, lab, "m1 m2")
    settled(lab, [first, second], JOINS_WITHIN_MS)
    second.close()
    settled(lab, [first], 6_000)
    asked = lab.table("request.sent").query("who == 'm2'")
    return {
        "closed": len(first.assignment()),
        "asks": int((asked.api == "LEAVE_GROUP").sum()),
    }


@story(
    "08 killed member",
    brokers=1,
    claims={
        "soon": "A member is killed: the other owns so many of two after three seconds.",
        "late": "It owns so many when the session timeout of six seconds has passed.",
    },
)
def killed_member(side: Side) -> dict[str, Any]:
    lab = side.lab()
    lab.create_topic("orders", partitions=2)
    first, second = members(
        side, lab, "m1 m2", session_timeout_ms=6_000, heartbeat_interval_ms=1_000
    )
    settled(lab, [first, second], JOINS_WITHIN_MS)
    lab.kill("m2")
    settled(lab, [first], 3_000)
    soon = len(first.assignment())
    settled(lab, [first], 10_000)
    return {"soon": soon, "late": len(first.assignment())}


@story(
    "08 states",
    brokers=1,
    releases=("4.4",),
    claims={
        "classic": "A member alone; a second one joins, and the first makes no call; both have "
        "closed: the states of the group.",
        "consumer": "The same with group.protocol=consumer.",
    },
)
def states_of_a_group(side: Side) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for protocol in ("classic", "consumer"):
        lab = side.lab()
        lab.create_topic("orders", partitions=2)
        admin = side.admin(lab)
        settings = {"group_id": protocol, "group_protocol": protocol, "enable_auto_commit": False}
        one, two = (side.consumer(lab, name, **settings) for name in ("one", "two"))
        states = found[protocol] = []
        one.subscribe(["orders"])
        settled(lab, [one], 8_000)
        states.append(admin.describe_consumer_groups([protocol]).all().get()[protocol].state)
        two.subscribe(["orders"])
        settled(lab, [two], 8_000)
        states.append(admin.describe_consumer_groups([protocol]).all().get()[protocol].state)
        settled(lab, [one, two], 8_000)
        one.close()
        two.close()
        lab.run_for(1_000)
        states.append(admin.describe_consumer_groups([protocol]).all().get()[protocol].state)
    return found
