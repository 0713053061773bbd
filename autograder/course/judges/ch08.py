# Generated from notebooks/exercises/08; edit those files and run
# `python -m autograder course 08`.
# fmt: off
# ruff: noqa
"""The judge's half of chapter 08's exercises: truths, hidden cases and wrong answers."""

from __future__ import annotations


# %% shared
EMPTY, PREPARING, COMPLETING, STABLE, DEAD = (
    "Empty",
    "PreparingRebalance",
    "CompletingRebalance",
    "Stable",
    "Dead",
)


# %% 08.1
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.course.judge import Judge
from autograder.course.walks import states_of
from kafkalab import KafkaConsumer, Lab

MOVES = {
    (EMPTY, "join"): PREPARING,
    (EMPTY, "expire"): DEAD,
    (PREPARING, "join"): PREPARING,
    (PREPARING, "gone"): PREPARING,
    (PREPARING, "heartbeat"): PREPARING,
    (PREPARING, "all in"): COMPLETING,
    (PREPARING, "none left"): EMPTY,
    (COMPLETING, "join"): PREPARING,
    (COMPLETING, "gone"): PREPARING,
    (COMPLETING, "heartbeat"): COMPLETING,
    (COMPLETING, "plan"): STABLE,
    (STABLE, "join"): PREPARING,
    (STABLE, "gone"): PREPARING,
    (STABLE, "heartbeat"): STABLE,
}


def _walked(case: dict) -> list:
    """The states of a walk, None where an event cannot be.
    A test holds MOVES against what coordinators do."""
    return states_of(MOVES, EMPTY, case["walk"])


def lived(seed: int, broker_version: str = "4.4") -> list[tuple[str, str, str]]:
    """A real group's days under random comings and goings: (state before, event, state after), read
    off the coordinator's journal. At most two heartbeats in a row are told."""
    chance = Random(f"group {seed}")
    lab = Lab(
        brokers=1,
        seed=seed,
        broker_version=broker_version,
        broker_config={"group.initial.rebalance.delay.ms": 500},
    )
    lab.create_topic("orders", partitions=4)
    ends: dict[str, int] = {}

    def member(lab, name, work_ms):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "g",
                "client.id": name,
                "session.timeout.ms": 6_000,
                "heartbeat.interval.ms": 1_500,
                "fetch.max.wait.ms": 2_000,
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        while lab.now_ms < ends.get(name, 1 << 40):
            consumer.poll(timeout_ms=300)
            lab.sleep(work_ms)
        consumer.close()

    alive: list[str] = []
    for number in range(7):
        act = chance.choice(("join", "join", "close", "kill")) if alive else "join"
        if act == "join":
            alive.append(f"m{number}")
            lab.spawn(member, alive[-1], chance.choice((0, 0, 1_500)), name=alive[-1])
        else:
            who = alive.pop(chance.randrange(len(alive)))
            if act == "close":
                ends[who] = lab.now_ms
            else:
                lab.kill(who)
        lab.run_for(ms=chance.choice((200, 900, 4_000, 9_000)))
    for who in alive:
        ends[who] = lab.now_ms
    lab.run_for(ms=20_000)
    if chance.random() < 0.5:
        lab.run_for(ms=8 * 24 * 3_600_000)
    lab.close()
    return _told(lab)


def _told(lab) -> list[tuple[str, str, str]]:
    found: list[tuple[str, str, str]] = []
    known, state, milestones = (
        set(),
        EMPTY,
        {COMPLETING: "all in", STABLE: "plan", EMPTY: "none left", DEAD: "expire"},
    )

    def add(event: str) -> None:
        if event != "heartbeat" or [each[1] for each in found[-2:]] != ["heartbeat"] * 2:
            found.append((state, event, state))

    for event in lab.journal.of("state", "group.member", "group.left", "request.received"):
        if event.kind == "group.member" and event.member not in known:
            known.add(event.member)
            add("join")
        elif event.kind == "group.left" and event.member in known:
            known.discard(event.member)
            add("gone")
        elif event.kind == "request.received" and event.api == "HEARTBEAT" and known:
            add("heartbeat")
        elif event.kind == "state" and event.machine == "group":
            if event.after in milestones:
                add(milestones[event.after])
            before, what, _ = found[-1]
            found[-1] = (before, what, event.after)
            state = event.after
    return found


def _days(rng: Random) -> list[dict]:
    """What happened to real groups, and the last walk ends with something
    that cannot happen."""
    cases = []
    for _ in range(4):
        walk = [event for _, event, _ in lived(rng.randrange(10_000))][:24]
        cases.append({"walk": walk, "last": walk[-1]})
    state, stray = EMPTY, []
    for event in cases[0]["walk"][: rng.randrange(2, 6)]:
        state, stray = MOVES[state, event], [*stray, event]
    stray.append(
        rng.choice(
            [
                event
                for event in ("none left", "plan", "all in", "expire", "gone", "heartbeat")
                if (state, event) not in MOVES
            ]
        )
    )
    return [*cases, {"walk": stray, "last": stray[-1]}]


JUDGE_08_1 = Judge(
    id="08.1",
    wrong_answers=(
        WrongAnswer(
            name="stable when all are in",
            sentence="When all are in, no member knows yet what it owns. The group waits for the leader's plan first, in a state of its own.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"PreparingRebalance\"][\"all in\"] = \"Stable\""
            ),
        ),
        WrongAnswer(
            name="from stable to empty",
            sentence="No arrow leads from Stable to Empty. When the last member goes, that is a `gone` like any other: the coordinator prepares a rebalance, and then finds no member.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"Stable\"][\"none left\"] = \"Empty\""
            ),
        ),
        WrongAnswer(
            name="gone and empty",
            sentence="Stable never becomes Empty at once. When a member goes, the coordinator prepares a rebalance first, and then sees who is left.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"Stable\"][\"gone\"] = \"Empty\""
            ),
        ),
        WrongAnswer(
            name="old offsets end a group at work",
            sentence="While a group has members, it cannot become Dead by expiry. Only an Empty group can.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"Stable\"][\"expire\"] = \"Dead\""
            ),
        ),
        WrongAnswer(
            name="a going is nothing",
            sentence="A member is gone, and its partitions have no owner. That starts a rebalance, as a newcomer does.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"Stable\"][\"gone\"] = \"Stable\""
            ),
        ),
        WrongAnswer(
            name="a latecomer waits",
            sentence="The plan that the leader is making does not know of this change. The group gathers again.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"CompletingRebalance\"][\"join\"] = \"CompletingRebalance\"\n"
                "group[\"CompletingRebalance\"][\"gone\"] = \"CompletingRebalance\""
            ),
        ),
        WrongAnswer(
            name="empty is dead",
            sentence="The group has no members and no offsets: nothing is left of it. Its state says so.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"Empty\"][\"expire\"] = \"Empty\""
            ),
        ),
        WrongAnswer(
            name="a heartbeat makes stable",
            sentence="A heartbeat changes no group's state. It keeps its member alive and brings back news.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"Stable\"][\"heartbeat\"] = \"PreparingRebalance\""
            ),
        ),
        WrongAnswer(
            name="the dead come back",
            sentence="Dead is the end of this group. A later member with the same group.id begins a new group, which is Empty.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"Dead\"][\"join\"] = \"PreparingRebalance\""
            ),
        ),
        WrongAnswer(
            name="no heartbeats",
            sentence="A heartbeat can arrive here and changes nothing. Such an event leads from the state to itself.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "del group[\"PreparingRebalance\"][\"heartbeat\"]\n"
                "del group[\"CompletingRebalance\"][\"heartbeat\"]\n"
                "del group[\"Stable\"][\"heartbeat\"]"
            ),
        ),
        WrongAnswer(
            name="gone is none left",
            sentence="One member is gone; others may still be there. Only when none is left does the group become Empty, and that event has its own name.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"PreparingRebalance\"][\"gone\"] = \"Empty\""
            ),
        ),
        WrongAnswer(
            name="none left is dead",
            sentence="Without members the group still has its committed offsets. It becomes Dead when they have expired.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"PreparingRebalance\"][\"none left\"] = \"Dead\""
            ),
        ),
        WrongAnswer(
            name="offsets expire while members join",
            sentence="This group has a member, so its offsets cannot end it. Leave the event out here.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"PreparingRebalance\"][\"expire\"] = \"Dead\""
            ),
        ),
        WrongAnswer(
            name="the empty lose members",
            sentence="An Empty group has no member that could go. Leave the event out here.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"Empty\"][\"gone\"] = \"Empty\"\n"
                "group[\"Empty\"][\"none left\"] = \"Empty\""
            ),
        ),
        WrongAnswer(
            name="a plan twice",
            sentence="In Stable the plan has been accepted already. A SYNC_GROUP that comes again is no new plan: leave the event out here.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"Stable\"][\"plan\"] = \"Stable\""
            ),
        ),
        WrongAnswer(
            name="a plan too early",
            sentence="While the group gathers, the coordinator accepts no plan. Leave the event out here.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"CompletingRebalance\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"CompletingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}\n"
                "group[\"PreparingRebalance\"][\"plan\"] = \"PreparingRebalance\""
            ),
        ),
    ),
    truth=_walked,
    hidden_cases=_days,
    right="right.",
    otherwise=(
        "your table leads through {said}. The last step, on `{last}`, is wrong. (None is an event "
        "that your table leaves out.)"
    ),
    unseen=(
        "your table goes wrong on what happened to another group. Follow one by hand: join, all "
        "in, plan, gone, none left, expire."
    ),
)


# %% 08.2
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, Lab


@cache
def _ending(how: str, interval_s: int, session_s: int, at_s: int) -> tuple[int, int]:
    """Seconds from bob's end until the coordinator begins to rebalance, and until ann knows."""
    lab = Lab(brokers=1, seed=4, version="3.9")
    lab.create_topic("orders", partitions=2)
    end_ms = [1 << 40]

    def member(lab, name, **config):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "g",
                "session.timeout.ms": session_s * 1_000,
                "heartbeat.interval.ms": interval_s * 1_000,
                "enable.auto.commit": False,
                "client.id": name,
                "fetch.max.wait.ms": 4_000,
                **config,
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        while name == "ann" or lab.now_ms < end_ms[-1]:
            consumer.poll(timeout_ms=min(500, end_ms[-1] - lab.now_ms) if name == "bob" else 500)
        consumer.close()

    def moved(after: str, since_ms: int):
        return next(
            (
                event.at_ms
                for event in lab.journal.of("state")
                if event.machine == "group" and event.after == after and event.at_ms > since_ms
            ),
            None,
        )

    lab.spawn(member, "ann", name="ann")
    lab.spawn(
        lambda lab: member(
            lab, "bob", **({"group.instance.id": "till-2"} if "static" in how else {})
        ),
        name="bob",
    )
    lab.run_until(lambda: moved(STABLE, 0) is not None)
    bobs_end_ms = lab.now_ms + at_s * 1_000
    if how == "kill -9":
        lab.clock.at(bobs_end_ms, lambda: lab.kill("bob"))
    else:
        end_ms.append(bobs_end_ms)
    lab.run_for(ms=at_s * 1_000)
    lab.run_until(lambda: moved(STABLE, bobs_end_ms) is not None)
    lab.close()
    noticed_ms = moved(PREPARING, bobs_end_ms)
    told_ms = next(
        event.at_ms
        for event in lab.journal.of("state")
        if event.who == "ann" and event.machine == "member of g" and event.at_ms >= noticed_ms
    )
    return round((noticed_ms - bobs_end_ms) / 1_000), round((told_ms - bobs_end_ms) / 1_000)


def _noticed(case: dict) -> dict:
    noticed, told = _ending(case["how"], case["interval_s"], case["session_s"], case["at_s"])
    return {"noticed_after_s": noticed, "told_after_s": told}


JUDGE_08_2 = Judge(
    id="08.2",
    wrong_answers=(
        WrongAnswer(
            name="at once, both",
            sentence="The coordinator calls no member. ann learns of a rebalance from the answer to her next heartbeat.",
            source=(
                "noticed_after_s = {a: 0 for a, x in n.items()}\n"
                "told_after_s = {a: 0 for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the interval decides",
            sentence="One missing heartbeat means nothing. The coordinator waits until the session of {session_s} s is over.",
            source=(
                "noticed_after_s = {\n"
                "    a: 0 if x.how == \"close\" else x.interval_s - x.at_s % x.interval_s for a, x in n.items()\n"
                "}\n"
                "told_after_s = {a: x.interval_s - x.at_s % x.interval_s for a, x in n.items()}"
            ),
        ),
        WrongAnswer(
            name="the session from the end",
            sentence="The session does not count from the end. It counts from the last heartbeat, and that was a little before.",
            source=(
                "noticed_after_s = {a: x.session_s if x.how != \"close\" else 0 for a, x in n.items()}\n"
                "told_after_s = {\n"
                "    a: x.session_s + x.interval_s - (x.at_s + x.session_s) % x.interval_s\n"
                "    if x.how != \"close\"\n"
                "    else x.interval_s - x.at_s % x.interval_s\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="everybody leaves",
            sentence="A member with a group.instance.id sends no LEAVE_GROUP when it closes: it may come back in a minute. So the coordinator waits until its session is over.",
            source=(
                "noticed_after_s = {\n"
                "    a: 0 if \"close\" in x.how else x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s\n"
                "    for a, x in n.items()\n"
                "}\n"
                "told_after_s = {\n"
                "    a: x.interval_s - x.at_s % x.interval_s\n"
                "    if \"close\" in x.how\n"
                "    else (x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s)\n"
                "    + x.interval_s\n"
                "    - (x.at_s // x.interval_s * x.interval_s + x.session_s) % x.interval_s\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="the others know at once",
            sentence="The coordinator knows by then. The other one hears of it with the answer to its next heartbeat.",
            source=(
                "noticed_after_s = {\n"
                "    a: x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s if x.how != \"close\" else 0\n"
                "    for a, x in n.items()\n"
                "}\n"
                "told_after_s = {\n"
                "    a: x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s if x.how != \"close\" else 0\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a whole interval more",
            sentence="An interval is the longest that it can take. Here the next heartbeat is nearer: there is one every {interval_s} s from the start.",
            source=(
                "noticed_after_s = {\n"
                "    a: x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s if x.how != \"close\" else 0\n"
                "    for a, x in n.items()\n"
                "}\n"
                "told_after_s = {\n"
                "    a: (x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s if x.how != \"close\" else 0)\n"
                "    + x.interval_s\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a close waits for the session",
            sentence="close() sends LEAVE_GROUP, unless the member is static. The coordinator notices a close after 0 s.",
            source=(
                "noticed_after_s = {\n"
                "    a: x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s for a, x in n.items()\n"
                "}\n"
                "told_after_s = {\n"
                "    a: ((x.at_s // x.interval_s * x.interval_s + x.session_s) // x.interval_s + 1) * x.interval_s\n"
                "    - x.at_s\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
    ),
    truth=_noticed,
    right="right: the session says who is alive, the interval says when the others hear of it.",
    otherwise=(
        "not these two. When was the last heartbeat before the end, and when is the first one "
        "after the coordinator has noticed?"
    ),
)


# %% 08.3
from autograder.cell.questions.ch08 import ALL_REQUESTS
from autograder.cell.questions.ch08 import SHOWN
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.group_case import GroupCase

WHY = {
    "UNKNOWN_MEMBER_ID": "right: the coordinator first looks for the id, and it knows none.",
    "ILLEGAL_GENERATION": "right: the generation is compared before the state.",
    "REBALANCE_IN_PROGRESS": "right: this state does not take a {request}.",
    "NONE": "right: {state} takes a {request}.",
}


@cache
def _answered(state: str, request: str, is_member: bool, generation: str) -> str:
    """What a coordinator of the lab answers alice, or somebody it never met."""
    group = GroupCase("4.4").bring_to(state)
    who = "alice" if is_member else "nobody"
    group.ids["nobody"] = "nobody-1"
    number = group.group.generation - (generation == "old")
    if request == "sync":
        return group.sync(who, number).name
    return (group.beat if request == "heartbeat" else group.commit)(group.ids[who], number).name


def _truth(case: dict) -> str:
    return _answered(case["state"], case["request"], case["is_member"], case["generation"])


JUDGE_08_3 = Judge(
    id="08.3",
    wrong_answers=(
        WrongAnswer(
            name="no commits in a rebalance",
            sentence="In PreparingRebalance members still own their partitions, and the coordinator takes their commits.",
            source=(
                "def answer(state, request, is_member, generation):\n"
                "    if not is_member:\n"
                "        return \"UNKNOWN_MEMBER_ID\"\n"
                "    if generation == \"old\":\n"
                "        return \"ILLEGAL_GENERATION\"\n"
                "    if state == \"PreparingRebalance\" or (state, request) == (\"CompletingRebalance\", \"commit\"):\n"
                "        return \"REBALANCE_IN_PROGRESS\"\n"
                "    return \"NONE\""
            ),
        ),
        WrongAnswer(
            name="commits until the end",
            sentence="In CompletingRebalance a new generation has begun. Its members do not know yet which partitions they own, so a commit is refused.",
            source=(
                "def answer(state, request, is_member, generation):\n"
                "    if not is_member:\n"
                "        return \"UNKNOWN_MEMBER_ID\"\n"
                "    if generation == \"old\":\n"
                "        return \"ILLEGAL_GENERATION\"\n"
                "    if state == \"PreparingRebalance\" and request != \"commit\":\n"
                "        return \"REBALANCE_IN_PROGRESS\"\n"
                "    return \"NONE\""
            ),
        ),
        WrongAnswer(
            name="a heartbeat is a heartbeat",
            sentence="Members hear of a rebalance here: the answer to a heartbeat in PreparingRebalance says it.",
            source=(
                "def answer(state, request, is_member, generation):\n"
                "    if not is_member:\n"
                "        return \"UNKNOWN_MEMBER_ID\"\n"
                "    if generation == \"old\":\n"
                "        return \"ILLEGAL_GENERATION\"\n"
                "    refused = {(\"PreparingRebalance\", \"sync\"), (\"CompletingRebalance\", \"commit\")}\n"
                "    return \"REBALANCE_IN_PROGRESS\" if (state, request) in refused else \"NONE\""
            ),
        ),
        WrongAnswer(
            name="a heartbeat while the plan is made",
            sentence="This member has sent JOIN_GROUP already. A coordinator of 2.3 tells it again to join; one of 4.4 does not.",
            source=(
                "def answer(state, request, is_member, generation):\n"
                "    if not is_member:\n"
                "        return \"UNKNOWN_MEMBER_ID\"\n"
                "    if generation == \"old\":\n"
                "        return \"ILLEGAL_GENERATION\"\n"
                "    refused = {\n"
                "        \"PreparingRebalance\": (\"heartbeat\", \"sync\"),\n"
                "        \"CompletingRebalance\": (\"heartbeat\", \"commit\"),\n"
                "    }\n"
                "    return \"REBALANCE_IN_PROGRESS\" if request in refused.get(state, ()) else \"NONE\""
            ),
        ),
        WrongAnswer(
            name="old means rebalance",
            sentence="The generation is compared before the state. A request of an old one gets an error of its own.",
            source=(
                "def answer(state, request, is_member, generation):\n"
                "    if not is_member:\n"
                "        return \"UNKNOWN_MEMBER_ID\"\n"
                "    if generation == \"old\":\n"
                "        return \"REBALANCE_IN_PROGRESS\"\n"
                "    refused = {\"PreparingRebalance\": (\"heartbeat\", \"sync\"), \"CompletingRebalance\": (\"commit\",)}\n"
                "    return \"REBALANCE_IN_PROGRESS\" if request in refused.get(state, ()) else \"NONE\""
            ),
        ),
        WrongAnswer(
            name="the generation first",
            sentence="The coordinator looks for the member id first. For somebody it does not know, the generation does not matter.",
            source=(
                "def answer(state, request, is_member, generation):\n"
                "    if generation == \"old\":\n"
                "        return \"ILLEGAL_GENERATION\"\n"
                "    if not is_member:\n"
                "        return \"UNKNOWN_MEMBER_ID\"\n"
                "    refused = {\"PreparingRebalance\": (\"heartbeat\", \"sync\"), \"CompletingRebalance\": (\"commit\",)}\n"
                "    return \"REBALANCE_IN_PROGRESS\" if request in refused.get(state, ()) else \"NONE\""
            ),
        ),
        WrongAnswer(
            name="nobody is there, all is well",
            sentence="An Empty group has no members, so the coordinator knows no id at all.",
            source=(
                "def answer(state, request, is_member, generation):\n"
                "    if state == \"Empty\":\n"
                "        return \"NONE\"\n"
                "    if not is_member:\n"
                "        return \"UNKNOWN_MEMBER_ID\"\n"
                "    if generation == \"old\":\n"
                "        return \"ILLEGAL_GENERATION\"\n"
                "    refused = {\"PreparingRebalance\": (\"heartbeat\", \"sync\"), \"CompletingRebalance\": (\"commit\",)}\n"
                "    return \"REBALANCE_IN_PROGRESS\" if request in refused.get(state, ()) else \"NONE\""
            ),
        ),
        WrongAnswer(
            name="a late sync is taken",
            sentence="While the group gathers members, an old plan is worth nothing. The sync came too late: join again.",
            source=(
                "def answer(state, request, is_member, generation):\n"
                "    if not is_member:\n"
                "        return \"UNKNOWN_MEMBER_ID\"\n"
                "    if generation == \"old\":\n"
                "        return \"ILLEGAL_GENERATION\"\n"
                "    refused = {(\"PreparingRebalance\", \"heartbeat\"), (\"CompletingRebalance\", \"commit\")}\n"
                "    return \"REBALANCE_IN_PROGRESS\" if (state, request) in refused else \"NONE\""
            ),
        ),
    ),
    truth=_truth,
    hidden_cases=lambda rng: [each for each in ALL_REQUESTS if each not in SHOWN],
    right=lambda case: WHY[_truth(case)],
    otherwise=(
        "a coordinator of the lab does not answer {said}. It asks in this order: do I know this "
        "id, is this my generation, does my state take this request?"
    ),
    unseen=(
        "another request goes wrong. A coordinator asks in this order: do I know this id, is this "
        "my generation, does my state take this request?"
    ),
)


# %% 08.7
from autograder.cell.questions.ch08 import ENDS
from autograder.cell.questions.ch08 import restart_case
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, Lab


@cache
def _not_stable_s(how: str, session_s: int, interval_s: int, at_s: int, pause_s: int) -> int:
    """Seconds in which a group of the lab is not Stable after bob's end, rounded."""
    lab = Lab(brokers=1, seed=4, version="3.9")
    lab.create_topic("orders", partitions=6)
    closing = []

    def member(lab, name):
        who = name.split("/")[0]
        config = {
            "group.id": "g",
            "client.id": who,
            "session.timeout.ms": session_s * 1_000,
            "heartbeat.interval.ms": interval_s * 1_000,
            "enable.auto.commit": False,
        }
        if "static" in how:
            config["group.instance.id"] = who
        consumer = KafkaConsumer(lab, config, name=name)
        consumer.subscribe(["orders"])
        while name not in closing:
            consumer.poll(timeout_ms=20)
        consumer.close()

    def moved() -> list:
        return [event for event in lab.journal.of("state") if event.machine == "group"]

    for name in ("ann", "bob/1", "cyd"):
        lab.spawn(member, name, name=name)
    lab.run_until(lambda: any(event.after == STABLE for event in moved()))
    end_ms = moved()[-1].at_ms + at_s * 1_000
    lab.run_for(ms=end_ms - lab.now_ms)
    if how == "SIGTERM, close()":
        closing.append("bob/1")
    else:
        lab.kill("bob/1")
    lab.run_for(ms=pause_s * 1_000)
    lab.spawn(member, "bob/2", name="bob/2")
    lab.run_for(ms=(session_s + 3 * interval_s) * 1_000)
    lab.close()
    later = [event for event in moved() if event.at_ms >= end_ms]
    total_ms = 0
    for event, following in zip(later, later[1:]):
        total_ms += following.at_ms - event.at_ms if event.after != STABLE else 0
    return round(total_ms / 1_000)


def _more_restarts(rng) -> list[dict]:
    cases = []
    for _ in range(40):
        interval_s = rng.choice((3, 4, 5, 6))
        session_s = rng.choice((12, 20, 30, 45))
        at_s = interval_s * rng.randrange(4, 9) + rng.choice((1, 2))
        if session_s < 3 * interval_s or interval_s - at_s % interval_s < 2:
            continue
        cases.append(restart_case(ENDS[len(cases) % 4], session_s, interval_s, at_s, 1))
    return cases[:6]


JUDGE_08_7 = Judge(
    id="08.7",
    wrong_answers=(
        WrongAnswer(
            name="a quick restart costs nothing",
            sentence="The new bob has a new member id. The coordinator still knows the old one and waits for it, until its session is over.",
            source=(
                "def right_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    last = at_s // interval_s * interval_s\n"
                "    if \"static\" in how:\n"
                "        return 0\n"
                "    if how == \"SIGTERM, close()\":\n"
                "        return last + interval_s - at_s\n"
                "    return last + session_s - (at_s + pause_s)\n"
                "def group_waits_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    if how in (\"kill -9\", \"SIGTERM, no close()\"):\n"
                "        return interval_s - (at_s + pause_s) % interval_s\n"
                "    return right_s(how, session_s, interval_s, at_s, pause_s)"
            ),
        ),
        WrongAnswer(
            name="a signal is a close",
            sentence="SIGTERM alone sends nothing to Kafka. Without close() no LEAVE_GROUP is sent, and the end looks like a kill.",
            source=(
                "def right_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    last = at_s // interval_s * interval_s\n"
                "    if \"static\" in how:\n"
                "        return 0\n"
                "    if how == \"SIGTERM, close()\":\n"
                "        return last + interval_s - at_s\n"
                "    return last + session_s - (at_s + pause_s)\n"
                "def group_waits_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    how = how.replace(\", no close()\", \", close()\")\n"
                "    return right_s(how, session_s, interval_s, at_s, pause_s)"
            ),
        ),
        WrongAnswer(
            name="from the end, not from the return",
            sentence="Until the new bob sends JOIN_GROUP the group is Stable: nobody knows yet that the old bob is dead. The waiting begins with that JOIN_GROUP.",
            source=(
                "def right_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    last = at_s // interval_s * interval_s\n"
                "    if \"static\" in how:\n"
                "        return 0\n"
                "    if how == \"SIGTERM, close()\":\n"
                "        return last + interval_s - at_s\n"
                "    return last + session_s - (at_s + pause_s)\n"
                "def group_waits_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    if how in (\"kill -9\", \"SIGTERM, no close()\"):\n"
                "        return at_s // interval_s * interval_s + session_s - at_s\n"
                "    return right_s(how, session_s, interval_s, at_s, pause_s)"
            ),
        ),
        WrongAnswer(
            name="the session from the end",
            sentence="The session counts from the old bob's last heartbeat, and that was before the end.",
            source=(
                "def right_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    last = at_s // interval_s * interval_s\n"
                "    if \"static\" in how:\n"
                "        return 0\n"
                "    if how == \"SIGTERM, close()\":\n"
                "        return last + interval_s - at_s\n"
                "    return last + session_s - (at_s + pause_s)\n"
                "def group_waits_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    if how in (\"kill -9\", \"SIGTERM, no close()\"):\n"
                "        return session_s - pause_s\n"
                "    return right_s(how, session_s, interval_s, at_s, pause_s)"
            ),
        ),
        WrongAnswer(
            name="a static member is like the others",
            sentence="A static member comes back under its name. It gets its old partitions, and no rebalance begins.",
            source=(
                "def right_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    last = at_s // interval_s * interval_s\n"
                "    if \"static\" in how:\n"
                "        return 0\n"
                "    if how == \"SIGTERM, close()\":\n"
                "        return last + interval_s - at_s\n"
                "    return last + session_s - (at_s + pause_s)\n"
                "def group_waits_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    return right_s(how.replace(\", static\", \"\"), session_s, interval_s, at_s, pause_s)"
            ),
        ),
        WrongAnswer(
            name="a close stops nobody",
            sentence="LEAVE_GROUP begins a rebalance at once. It lasts until ann and cyd have heard of it, with their next heartbeat.",
            source=(
                "def right_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    last = at_s // interval_s * interval_s\n"
                "    if \"static\" in how:\n"
                "        return 0\n"
                "    if how == \"SIGTERM, close()\":\n"
                "        return last + interval_s - at_s\n"
                "    return last + session_s - (at_s + pause_s)\n"
                "def group_waits_s(how, session_s, interval_s, at_s, pause_s):\n"
                "    if how == \"SIGTERM, close()\":\n"
                "        return 0\n"
                "    return right_s(how, session_s, interval_s, at_s, pause_s)"
            ),
        ),
    ),
    truth=lambda case: _not_stable_s(
        case["how"], case["session_s"], case["interval_s"], case["at_s"], case["pause_s"]
    ),
    hidden_cases=_more_restarts,
    right=lambda case: {
        "SIGTERM, close()": "right: LEAVE_GROUP was sent, so only the next heartbeats count.",
        "kill -9, static": "right: the coordinator knows the name, and nobody else hears of it.",
    }.get(case["how"], "right: the group waits for the old bob until his session is over."),
    otherwise=(
        "in the lab it is another number than {said}. When does the rebalance begin, for whom does "
        "the coordinator wait, and until when?"
    ),
    unseen=(
        "another restart gives another number. When does the rebalance begin, for whom does the "
        "coordinator wait, and until when?"
    ),
)


# %% 08.4
from autograder.course.judge import WrongAnswer
from random import Random

from autograder.course.judge import Judge

JAVAS = {
    "NONE": "alive",
    "REBALANCE_IN_PROGRESS": "rejoin",
    "UNKNOWN_MEMBER_ID": "start over",
    "ILLEGAL_GENERATION": "start over",
    "NOT_COORDINATOR": "find coordinator",
    "COORDINATOR_NOT_AVAILABLE": "find coordinator",
    "FENCED_INSTANCE_ID": "stop",
}


def _more_days(rng: Random) -> list[dict]:
    plays = [
        {
            "seed": rng.randrange(20, 900),
            "happens": happens,
            "cut_s": rng.randrange(10, 15) if happens == "cut" else 0,
        }
        for happens in ("nothing", "cut", "kill", "move", "same name")
    ]
    return [
        {"error": "COORDINATOR_LOAD_IN_PROGRESS"},
        {"error": "GROUP_AUTHORIZATION_FAILED"},
        *plays,
    ]


JUDGE_08_4 = Judge(
    id="08.4",
    wrong_answers=(
        WrongAnswer(
            name="a rebalance makes strangers",
            sentence="You gave up your id. The coordinator still knows it, and the group waits for the member with that id until its session is over.",
            source=(
                "def on_heartbeat(error):\n"
                "    return {\n"
                "        \"NONE\": \"alive\",\n"
                "        \"REBALANCE_IN_PROGRESS\": \"start over\",\n"
                "        \"UNKNOWN_MEMBER_ID\": \"start over\",\n"
                "        \"ILLEGAL_GENERATION\": \"start over\",\n"
                "        \"NOT_COORDINATOR\": \"find coordinator\",\n"
                "        \"COORDINATOR_NOT_AVAILABLE\": \"find coordinator\",\n"
                "        \"FENCED_INSTANCE_ID\": \"stop\",\n"
                "    }.get(error, \"try later\")"
            ),
        ),
        WrongAnswer(
            name="news are not for me",
            sentence="The answer asks you to join again. If you do not, all others wait for you, and then the coordinator removes you.",
            source=(
                "def on_heartbeat(error):\n"
                "    return {\n"
                "        \"NONE\": \"alive\",\n"
                "        \"REBALANCE_IN_PROGRESS\": \"alive\",\n"
                "        \"UNKNOWN_MEMBER_ID\": \"start over\",\n"
                "        \"ILLEGAL_GENERATION\": \"start over\",\n"
                "        \"NOT_COORDINATOR\": \"find coordinator\",\n"
                "        \"COORDINATOR_NOT_AVAILABLE\": \"find coordinator\",\n"
                "        \"FENCED_INSTANCE_ID\": \"stop\",\n"
                "    }.get(error, \"try later\")"
            ),
        ),
        WrongAnswer(
            name="the unknown rejoin",
            sentence="The coordinator has forgotten this id. A JOIN_GROUP that names it is refused.",
            source=(
                "def on_heartbeat(error):\n"
                "    return {\n"
                "        \"NONE\": \"alive\",\n"
                "        \"REBALANCE_IN_PROGRESS\": \"rejoin\",\n"
                "        \"UNKNOWN_MEMBER_ID\": \"rejoin\",\n"
                "        \"ILLEGAL_GENERATION\": \"start over\",\n"
                "        \"NOT_COORDINATOR\": \"find coordinator\",\n"
                "        \"COORDINATOR_NOT_AVAILABLE\": \"find coordinator\",\n"
                "        \"FENCED_INSTANCE_ID\": \"stop\",\n"
                "    }.get(error, \"try later\")"
            ),
        ),
        WrongAnswer(
            name="a lost coordinator ends it",
            sentence="This broker does not coordinate the group. Another broker does, and it knows you: membership is stored in __consumer_offsets.",
            source=(
                "def on_heartbeat(error):\n"
                "    return {\n"
                "        \"NONE\": \"alive\",\n"
                "        \"REBALANCE_IN_PROGRESS\": \"rejoin\",\n"
                "        \"UNKNOWN_MEMBER_ID\": \"start over\",\n"
                "        \"ILLEGAL_GENERATION\": \"start over\",\n"
                "        \"NOT_COORDINATOR\": \"start over\",\n"
                "        \"COORDINATOR_NOT_AVAILABLE\": \"start over\",\n"
                "        \"FENCED_INSTANCE_ID\": \"stop\",\n"
                "    }.get(error, \"try later\")"
            ),
        ),
        WrongAnswer(
            name="whatever is new ends it",
            sentence="An error that you do not know may pass. Is it worth losing your partitions at once?",
            source=(
                "def on_heartbeat(error):\n"
                "    return {\n"
                "        \"NONE\": \"alive\",\n"
                "        \"REBALANCE_IN_PROGRESS\": \"rejoin\",\n"
                "        \"UNKNOWN_MEMBER_ID\": \"start over\",\n"
                "        \"ILLEGAL_GENERATION\": \"start over\",\n"
                "        \"NOT_COORDINATOR\": \"find coordinator\",\n"
                "        \"COORDINATOR_NOT_AVAILABLE\": \"find coordinator\",\n"
                "        \"FENCED_INSTANCE_ID\": \"stop\",\n"
                "        \"rest\": \"stop\",\n"
                "    }.get(error, \"stop\")"
            ),
        ),
        WrongAnswer(
            name="whatever is new is well",
            sentence="`alive` means that all is well, and this answer did not say so. Nor did it say that you must leave. It may be over by the next heartbeat.",
            source=(
                "def on_heartbeat(error):\n"
                "    return {\n"
                "        \"NONE\": \"alive\",\n"
                "        \"REBALANCE_IN_PROGRESS\": \"rejoin\",\n"
                "        \"UNKNOWN_MEMBER_ID\": \"start over\",\n"
                "        \"ILLEGAL_GENERATION\": \"start over\",\n"
                "        \"NOT_COORDINATOR\": \"find coordinator\",\n"
                "        \"COORDINATOR_NOT_AVAILABLE\": \"find coordinator\",\n"
                "        \"FENCED_INSTANCE_ID\": \"stop\",\n"
                "        \"rest\": \"alive\",\n"
                "    }.get(error, \"alive\")"
            ),
        ),
        WrongAnswer(
            name="two with one name",
            sentence="Another program has joined with your group.instance.id. If you join again, you lock it out, and then it locks you out, without end.",
            source=(
                "def on_heartbeat(error):\n"
                "    return {\n"
                "        \"NONE\": \"alive\",\n"
                "        \"REBALANCE_IN_PROGRESS\": \"rejoin\",\n"
                "        \"UNKNOWN_MEMBER_ID\": \"start over\",\n"
                "        \"ILLEGAL_GENERATION\": \"start over\",\n"
                "        \"NOT_COORDINATOR\": \"find coordinator\",\n"
                "        \"COORDINATOR_NOT_AVAILABLE\": \"find coordinator\",\n"
                "        \"FENCED_INSTANCE_ID\": \"start over\",\n"
                "    }.get(error, \"try later\")"
            ),
        ),
        WrongAnswer(
            name="the wrong broker, later",
            sentence="Perhaps another broker coordinates the group now. It hears none of the heartbeats that you send here, and your session runs out there.",
            source=(
                "def on_heartbeat(error):\n"
                "    return {\n"
                "        \"NONE\": \"alive\",\n"
                "        \"REBALANCE_IN_PROGRESS\": \"rejoin\",\n"
                "        \"UNKNOWN_MEMBER_ID\": \"start over\",\n"
                "        \"ILLEGAL_GENERATION\": \"start over\",\n"
                "        \"NOT_COORDINATOR\": \"try later\",\n"
                "        \"COORDINATOR_NOT_AVAILABLE\": \"try later\",\n"
                "        \"FENCED_INSTANCE_ID\": \"stop\",\n"
                "    }.get(error, \"try later\")"
            ),
        ),
        WrongAnswer(
            name="an old generation is well",
            sentence="Your generation is over: the group has made a new plan without you. All your commits are refused until you join it.",
            source=(
                "def on_heartbeat(error):\n"
                "    return {\n"
                "        \"NONE\": \"alive\",\n"
                "        \"REBALANCE_IN_PROGRESS\": \"rejoin\",\n"
                "        \"UNKNOWN_MEMBER_ID\": \"start over\",\n"
                "        \"ILLEGAL_GENERATION\": \"alive\",\n"
                "        \"NOT_COORDINATOR\": \"find coordinator\",\n"
                "        \"COORDINATOR_NOT_AVAILABLE\": \"find coordinator\",\n"
                "        \"FENCED_INSTANCE_ID\": \"stop\",\n"
                "    }.get(error, \"try later\")"
            ),
        ),
    ),
    truth=lambda case: JAVAS.get(case["error"], "try later"),
    hidden_cases=_more_days,
    right="right.",
    otherwise=(
        "not this. Read in the table what the error means. Is the id still good, and is this the "
        "right broker?"
    ),
    unseen=(
        "another error or another day goes wrong. An error that you do not know may pass by itself."
    ),
)


# %% 08.5
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_08_5 = Judge(
    id="08.5",
    wrong_answers=(
        WrongAnswer(
            name="who joins is guilty",
            sentence="This member joins because it was told that the group rebalances. It never left and never subscribed in these seconds. Look for the one that did.",
            source=(
                "def lines_of(name, member):\n"
                "    return \"\".join(line for line in shown[name] if line.split()[1] == member)\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    signs = (\"LeaveGroup\", \"Subscribed\")\n"
                "    return next(\n"
                "        member\n"
                "        for member in (\"ann\", \"bob\", \"cyd\")\n"
                "        if any(sign in lines_of(name, member) for sign in signs)\n"
                "    )\n"
                "\n"
                "\n"
                "def habit_of(name):\n"
                "    own = lines_of(name, guilty_of(name))\n"
                "    if \"LeaveGroup\" in own:\n"
                "        return \"closes\" if \"Kafka version\" in own else \"too slow\"\n"
                "    return \"crashes\" if \"Kafka version\" in own else \"subscribes again\"\n"
                "\n"
                "\n"
                "def somebody_else(name):\n"
                "    return next(member for member in (\"cyd\", \"bob\") if member != guilty_of(name))\n"
                "guilty = {name: somebody_else(name) for name in shown}\n"
                "habit = {name: habit_of(name) for name in shown}"
            ),
        ),
        WrongAnswer(
            name="every leave is a close",
            sentence="A LeaveGroup is there, but no new consumer starts: `Kafka version` is missing. The client gave up its membership, because the program did not poll in time.",
            source=(
                "def lines_of(name, member):\n"
                "    return \"\".join(line for line in shown[name] if line.split()[1] == member)\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    signs = (\"LeaveGroup\", \"Subscribed\")\n"
                "    return next(\n"
                "        member\n"
                "        for member in (\"ann\", \"bob\", \"cyd\")\n"
                "        if any(sign in lines_of(name, member) for sign in signs)\n"
                "    )\n"
                "\n"
                "\n"
                "def habit_of(name):\n"
                "    own = lines_of(name, guilty_of(name))\n"
                "    if \"LeaveGroup\" in own:\n"
                "        return \"closes\" if \"Kafka version\" in own else \"too slow\"\n"
                "    return \"crashes\" if \"Kafka version\" in own else \"subscribes again\"\n"
                "\n"
                "\n"
                "def somebody_else(name):\n"
                "    return next(member for member in (\"cyd\", \"bob\") if member != guilty_of(name))\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {name: \"closes\" if habit_of(name) == \"too slow\" else habit_of(name) for name in shown}"
            ),
        ),
        WrongAnswer(
            name="every leave is too slow",
            sentence="A LeaveGroup is there, and a new consumer starts: `Kafka version`. The old one was closed.",
            source=(
                "def lines_of(name, member):\n"
                "    return \"\".join(line for line in shown[name] if line.split()[1] == member)\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    signs = (\"LeaveGroup\", \"Subscribed\")\n"
                "    return next(\n"
                "        member\n"
                "        for member in (\"ann\", \"bob\", \"cyd\")\n"
                "        if any(sign in lines_of(name, member) for sign in signs)\n"
                "    )\n"
                "\n"
                "\n"
                "def habit_of(name):\n"
                "    own = lines_of(name, guilty_of(name))\n"
                "    if \"LeaveGroup\" in own:\n"
                "        return \"closes\" if \"Kafka version\" in own else \"too slow\"\n"
                "    return \"crashes\" if \"Kafka version\" in own else \"subscribes again\"\n"
                "\n"
                "\n"
                "def somebody_else(name):\n"
                "    return next(member for member in (\"cyd\", \"bob\") if member != guilty_of(name))\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {name: \"too slow\" if habit_of(name) == \"closes\" else habit_of(name) for name in shown}"
            ),
        ),
        WrongAnswer(
            name="back again means closed",
            sentence="A member that closes writes `sending LeaveGroup`. This one starts again and never wrote it.",
            source=(
                "def lines_of(name, member):\n"
                "    return \"\".join(line for line in shown[name] if line.split()[1] == member)\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    signs = (\"LeaveGroup\", \"Subscribed\")\n"
                "    return next(\n"
                "        member\n"
                "        for member in (\"ann\", \"bob\", \"cyd\")\n"
                "        if any(sign in lines_of(name, member) for sign in signs)\n"
                "    )\n"
                "\n"
                "\n"
                "def habit_of(name):\n"
                "    own = lines_of(name, guilty_of(name))\n"
                "    if \"LeaveGroup\" in own:\n"
                "        return \"closes\" if \"Kafka version\" in own else \"too slow\"\n"
                "    return \"crashes\" if \"Kafka version\" in own else \"subscribes again\"\n"
                "\n"
                "\n"
                "def somebody_else(name):\n"
                "    return next(member for member in (\"cyd\", \"bob\") if member != guilty_of(name))\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {name: \"closes\" if habit_of(name) == \"crashes\" else habit_of(name) for name in shown}"
            ),
        ),
        WrongAnswer(
            name="closed means crashed",
            sentence="A process that is killed has no time for a LeaveGroup. This one sent it: the consumer was closed.",
            source=(
                "def lines_of(name, member):\n"
                "    return \"\".join(line for line in shown[name] if line.split()[1] == member)\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    signs = (\"LeaveGroup\", \"Subscribed\")\n"
                "    return next(\n"
                "        member\n"
                "        for member in (\"ann\", \"bob\", \"cyd\")\n"
                "        if any(sign in lines_of(name, member) for sign in signs)\n"
                "    )\n"
                "\n"
                "\n"
                "def habit_of(name):\n"
                "    own = lines_of(name, guilty_of(name))\n"
                "    if \"LeaveGroup\" in own:\n"
                "        return \"closes\" if \"Kafka version\" in own else \"too slow\"\n"
                "    return \"crashes\" if \"Kafka version\" in own else \"subscribes again\"\n"
                "\n"
                "\n"
                "def somebody_else(name):\n"
                "    return next(member for member in (\"cyd\", \"bob\") if member != guilty_of(name))\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {name: \"crashes\" if habit_of(name) == \"closes\" else habit_of(name) for name in shown}"
            ),
        ),
        WrongAnswer(
            name="a change is a start",
            sentence="`Subscribed to topic(s)` is there again and again, and `Kafka version` is not. The same process asks for other topics each time.",
            source=(
                "def lines_of(name, member):\n"
                "    return \"\".join(line for line in shown[name] if line.split()[1] == member)\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    signs = (\"LeaveGroup\", \"Subscribed\")\n"
                "    return next(\n"
                "        member\n"
                "        for member in (\"ann\", \"bob\", \"cyd\")\n"
                "        if any(sign in lines_of(name, member) for sign in signs)\n"
                "    )\n"
                "\n"
                "\n"
                "def habit_of(name):\n"
                "    own = lines_of(name, guilty_of(name))\n"
                "    if \"LeaveGroup\" in own:\n"
                "        return \"closes\" if \"Kafka version\" in own else \"too slow\"\n"
                "    return \"crashes\" if \"Kafka version\" in own else \"subscribes again\"\n"
                "\n"
                "\n"
                "def somebody_else(name):\n"
                "    return next(member for member in (\"cyd\", \"bob\") if member != guilty_of(name))\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {\n"
                "    name: \"crashes\" if habit_of(name) == \"subscribes again\" else habit_of(name) for name in shown\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a start is a change",
            sentence="`Subscribed to topic(s)` comes together with `Kafka version`: a new process asks for the topics for the first time.",
            source=(
                "def lines_of(name, member):\n"
                "    return \"\".join(line for line in shown[name] if line.split()[1] == member)\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    signs = (\"LeaveGroup\", \"Subscribed\")\n"
                "    return next(\n"
                "        member\n"
                "        for member in (\"ann\", \"bob\", \"cyd\")\n"
                "        if any(sign in lines_of(name, member) for sign in signs)\n"
                "    )\n"
                "\n"
                "\n"
                "def habit_of(name):\n"
                "    own = lines_of(name, guilty_of(name))\n"
                "    if \"LeaveGroup\" in own:\n"
                "        return \"closes\" if \"Kafka version\" in own else \"too slow\"\n"
                "    return \"crashes\" if \"Kafka version\" in own else \"subscribes again\"\n"
                "\n"
                "\n"
                "def somebody_else(name):\n"
                "    return next(member for member in (\"cyd\", \"bob\") if member != guilty_of(name))\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {\n"
                "    name: \"subscribes again\" if habit_of(name) == \"crashes\" else habit_of(name) for name in shown\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a poll timeout is a crash",
            sentence="This process was alive all the time: it sent LeaveGroup itself, and no new client started.",
            source=(
                "def lines_of(name, member):\n"
                "    return \"\".join(line for line in shown[name] if line.split()[1] == member)\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    signs = (\"LeaveGroup\", \"Subscribed\")\n"
                "    return next(\n"
                "        member\n"
                "        for member in (\"ann\", \"bob\", \"cyd\")\n"
                "        if any(sign in lines_of(name, member) for sign in signs)\n"
                "    )\n"
                "\n"
                "\n"
                "def habit_of(name):\n"
                "    own = lines_of(name, guilty_of(name))\n"
                "    if \"LeaveGroup\" in own:\n"
                "        return \"closes\" if \"Kafka version\" in own else \"too slow\"\n"
                "    return \"crashes\" if \"Kafka version\" in own else \"subscribes again\"\n"
                "\n"
                "\n"
                "def somebody_else(name):\n"
                "    return next(member for member in (\"cyd\", \"bob\") if member != guilty_of(name))\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {name: \"crashes\" if habit_of(name) == \"too slow\" else habit_of(name) for name in shown}"
            ),
        ),
    ),
    truth=lambda case: {"guilty": case["guilty"], "habit": case["cause"]},
    right="right: you found the member that began, from what it wrote and what it did not write.",
    otherwise="not this one. Read the lines of each member separately: did it leave, did it start?",
)


# %% 08.6
from autograder.course.judge import WrongAnswer
from kafkalab.stories.group_states import troubled_group
import re
from functools import cache

from autograder.course.judge import Judge


@cache
def _cost(cause: str, seed: int) -> tuple[int, int]:
    """(generations, whole seconds that members spent between joining and
    their plan) in what a troubled group wrote."""
    lab = troubled_group(cause, "bob", seed)
    generations, begun, waited_ms = set(), {}, 0
    for event in lab.journal.of("line"):
        text = event.message.split("] ", 1)[-1]
        if text == "(Re-)joining group":
            begun.setdefault(
                event.client_id if "client_id" in event.fields else event.who, event.at_ms
            )
        elif match := re.match(
            r"Successfully joined group with generation Generation\{generationId=(\d+)", text
        ):
            generations.add(match[1])
        elif text.startswith("Successfully synced group"):
            who = event.client_id if "client_id" in event.fields else event.who
            waited_ms += event.at_ms - begun.pop(who, event.at_ms)
    return len(generations), waited_ms // 1_000


def _storm(case: dict) -> dict:
    generations, waited_s = _cost(case["cause"], case["seed"])
    return {"generations": generations, "waited_s": waited_s}


JUDGE_08_6 = Judge(
    id="08.6",
    wrong_answers=(
        WrongAnswer(
            name="each member's generations",
            sentence="You counted a generation once for each member that reached it. One generation is one round of all members.",
            source=(
                "def waits_of(lab):\n"
                "    began, found = {}, []\n"
                "    for event in lab.journal.of(\"line\"):\n"
                "        if \"(Re-)joining group\" in event.message:\n"
                "            began.setdefault(event.who, event.at_ms)\n"
                "        elif \"Successfully synced group\" in event.message:\n"
                "            found.append(\n"
                "                (\n"
                "                    event.who,\n"
                "                    event.message.split(\"generationId=\")[1].split(\",\")[0],\n"
                "                    event.at_ms - began.pop(event.who),\n"
                "                )\n"
                "            )\n"
                "    return found\n"
                "\n"
                "\n"
                "told_by = {name: waits_of(lab) for name, lab in storms.items()}\n"
                "\n"
                "\n"
                "def cost(name, whose=\"\"):\n"
                "    return sum(ms for who, _, ms in told_by[name] if who.startswith(whose)) // 1_000\n"
                "generations = {name: len(told_by[name]) for name in storms}\n"
                "waited_s = {name: cost(name) for name in storms}"
            ),
        ),
        WrongAnswer(
            name="without the first",
            sentence="The first generation counts as well, though nothing had gone wrong when it was made.",
            source=(
                "def waits_of(lab):\n"
                "    began, found = {}, []\n"
                "    for event in lab.journal.of(\"line\"):\n"
                "        if \"(Re-)joining group\" in event.message:\n"
                "            began.setdefault(event.who, event.at_ms)\n"
                "        elif \"Successfully synced group\" in event.message:\n"
                "            found.append(\n"
                "                (\n"
                "                    event.who,\n"
                "                    event.message.split(\"generationId=\")[1].split(\",\")[0],\n"
                "                    event.at_ms - began.pop(event.who),\n"
                "                )\n"
                "            )\n"
                "    return found\n"
                "\n"
                "\n"
                "told_by = {name: waits_of(lab) for name, lab in storms.items()}\n"
                "\n"
                "\n"
                "def cost(name, whose=\"\"):\n"
                "    return sum(ms for who, _, ms in told_by[name] if who.startswith(whose)) // 1_000\n"
                "generations = {name: len({g for _, g, _ in told_by[name]}) - 1 for name in storms}\n"
                "waited_s = {name: cost(name) for name in storms}"
            ),
        ),
        WrongAnswer(
            name="one member's waiting",
            sentence="That is what ann waited. bob and cyd waited as well.",
            source=(
                "def waits_of(lab):\n"
                "    began, found = {}, []\n"
                "    for event in lab.journal.of(\"line\"):\n"
                "        if \"(Re-)joining group\" in event.message:\n"
                "            began.setdefault(event.who, event.at_ms)\n"
                "        elif \"Successfully synced group\" in event.message:\n"
                "            found.append(\n"
                "                (\n"
                "                    event.who,\n"
                "                    event.message.split(\"generationId=\")[1].split(\",\")[0],\n"
                "                    event.at_ms - began.pop(event.who),\n"
                "                )\n"
                "            )\n"
                "    return found\n"
                "\n"
                "\n"
                "told_by = {name: waits_of(lab) for name, lab in storms.items()}\n"
                "\n"
                "\n"
                "def cost(name, whose=\"\"):\n"
                "    return sum(ms for who, _, ms in told_by[name] if who.startswith(whose)) // 1_000\n"
                "generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}\n"
                "waited_s = {name: cost(name, \"ann\") for name in storms}"
            ),
        ),
        WrongAnswer(
            name="milliseconds",
            sentence="The generations are right. The waiting is in milliseconds; divide by 1000.",
            source=(
                "def waits_of(lab):\n"
                "    began, found = {}, []\n"
                "    for event in lab.journal.of(\"line\"):\n"
                "        if \"(Re-)joining group\" in event.message:\n"
                "            began.setdefault(event.who, event.at_ms)\n"
                "        elif \"Successfully synced group\" in event.message:\n"
                "            found.append(\n"
                "                (\n"
                "                    event.who,\n"
                "                    event.message.split(\"generationId=\")[1].split(\",\")[0],\n"
                "                    event.at_ms - began.pop(event.who),\n"
                "                )\n"
                "            )\n"
                "    return found\n"
                "\n"
                "\n"
                "told_by = {name: waits_of(lab) for name, lab in storms.items()}\n"
                "\n"
                "\n"
                "def cost(name, whose=\"\"):\n"
                "    return sum(ms for who, _, ms in told_by[name] if who.startswith(whose)) // 1_000\n"
                "generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}\n"
                "waited_s = {name: sum(ms for _, _, ms in told_by[name]) for name in storms}"
            ),
        ),
        WrongAnswer(
            name="rounded up",
            sentence="Very near. Add up first, and then leave out the fraction of a second: 7.9 gives 7.",
            source=(
                "def waits_of(lab):\n"
                "    began, found = {}, []\n"
                "    for event in lab.journal.of(\"line\"):\n"
                "        if \"(Re-)joining group\" in event.message:\n"
                "            began.setdefault(event.who, event.at_ms)\n"
                "        elif \"Successfully synced group\" in event.message:\n"
                "            found.append(\n"
                "                (\n"
                "                    event.who,\n"
                "                    event.message.split(\"generationId=\")[1].split(\",\")[0],\n"
                "                    event.at_ms - began.pop(event.who),\n"
                "                )\n"
                "            )\n"
                "    return found\n"
                "\n"
                "\n"
                "told_by = {name: waits_of(lab) for name, lab in storms.items()}\n"
                "\n"
                "\n"
                "def cost(name, whose=\"\"):\n"
                "    return sum(ms for who, _, ms in told_by[name] if who.startswith(whose)) // 1_000\n"
                "generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}\n"
                "waited_s = {name: cost(name) + 1 for name in storms}"
            ),
        ),
        WrongAnswer(
            name="not rounded",
            sentence="The sum is right. Whole seconds are asked for: leave out the fraction, 7.9 gives 7.",
            source=(
                "def waits_of(lab):\n"
                "    began, found = {}, []\n"
                "    for event in lab.journal.of(\"line\"):\n"
                "        if \"(Re-)joining group\" in event.message:\n"
                "            began.setdefault(event.who, event.at_ms)\n"
                "        elif \"Successfully synced group\" in event.message:\n"
                "            found.append(\n"
                "                (\n"
                "                    event.who,\n"
                "                    event.message.split(\"generationId=\")[1].split(\",\")[0],\n"
                "                    event.at_ms - began.pop(event.who),\n"
                "                )\n"
                "            )\n"
                "    return found\n"
                "\n"
                "\n"
                "told_by = {name: waits_of(lab) for name, lab in storms.items()}\n"
                "\n"
                "\n"
                "def cost(name, whose=\"\"):\n"
                "    return sum(ms for who, _, ms in told_by[name] if who.startswith(whose)) // 1_000\n"
                "generations = {name: len({g for _, g, _ in told_by[name]}) for name in storms}\n"
                "waited_s = {name: sum(ms for _, _, ms in told_by[name]) / 1_000 for name in storms}"
            ),
        ),
    ),
    truth=_storm,
    right="right: so many rounds, and so many seconds without reading.",
    otherwise=(
        "not these two. Count different generations, and add up what lies between each "
        "`(Re-)joining` and the next `synced`: of all members, in seconds without their "
        "fraction."
    ),
)


# %% all
JUDGES = (
    JUDGE_08_1,
    JUDGE_08_2,
    JUDGE_08_3,
    JUDGE_08_7,
    JUDGE_08_4,
    JUDGE_08_5,
    JUDGE_08_6,
)
