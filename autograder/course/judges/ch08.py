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
    """What happened to real groups, and now and then something
    that cannot happen at the end of it."""
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
                for event in ("none left", "plan", "all in", "expire")
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
            sentence="When all are in, nobody knows yet who gets what. The group waits for the leader's plan first, and that is a state of its own.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Dead\"},\n"
                "    \"PreparingRebalance\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "        \"all in\": \"Stable\",\n"
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
                "}"
            ),
        ),
        WrongAnswer(
            name="from stable to empty",
            sentence="No way leads from Stable to Empty. The last one who goes is a `gone` like any other; the coordinator prepares a rebalance, and only then finds nobody.",
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
                "    \"Stable\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"Stable\",\n"
                "        \"none left\": \"Empty\",\n"
                "    },\n"
                "    \"Dead\": {},\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="gone and empty",
            sentence="Stable never turns Empty at once. Whoever goes, the coordinator prepares a rebalance first, and only then finds out who is left.",
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
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"Empty\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="old offsets end a group at work",
            sentence="While a group has members, its last offset does not expire. Only an Empty group can be forgotten.",
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
                "    \"Stable\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"Stable\",\n"
                "        \"expire\": \"Dead\",\n"
                "    },\n"
                "    \"Dead\": {},\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a going is nothing",
            sentence="Somebody is gone, and their partitions have no owner. That is as good a reason for a rebalance as a newcomer.",
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
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"Stable\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a latecomer waits",
            sentence="The plan that the leader is making knows nothing of this change. The group gathers once more.",
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
                "        \"join\": \"CompletingRebalance\",\n"
                "        \"gone\": \"CompletingRebalance\",\n"
                "        \"heartbeat\": \"CompletingRebalance\",\n"
                "        \"plan\": \"Stable\",\n"
                "    },\n"
                "    \"Stable\": {\"join\": \"PreparingRebalance\", \"gone\": \"PreparingRebalance\", \"heartbeat\": \"Stable\"},\n"
                "    \"Dead\": {},\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="empty is dead",
            sentence="Nobody is there and nothing is kept: then nothing is left of the group, and its state says so.",
            source=(
                "group = {\n"
                "    \"Empty\": {\"join\": \"PreparingRebalance\", \"expire\": \"Empty\"},\n"
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
                "}"
            ),
        ),
        WrongAnswer(
            name="a heartbeat makes stable",
            sentence="A heartbeat moves no group. It keeps its member alive and brings back news.",
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
                "    \"Stable\": {\n"
                "        \"join\": \"PreparingRebalance\",\n"
                "        \"gone\": \"PreparingRebalance\",\n"
                "        \"heartbeat\": \"PreparingRebalance\",\n"
                "    },\n"
                "    \"Dead\": {},\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="the dead come back",
            sentence="Dead is the end of this group. Who joins the same name later begins with a new one, which is Empty.",
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
                "    \"Dead\": {\"join\": \"PreparingRebalance\"},\n"
                "}"
            ),
        ),
    ),
    truth=_walked,
    hidden_cases=_days,
    right="right.",
    otherwise="your table leads through {said}. The last step is not what a coordinator does.",
    unseen=(
        "the days of another group lead your table astray. Write down a day by hand: join, all "
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
            sentence="Nobody calls a member. It learns of a rebalance from the answer to its own next heartbeat.",
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
            name="everybody says goodbye",
            sentence="A member with a group.instance.id sends no LEAVE_GROUP when it closes: it may come back in a minute. So its session has to run out.",
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
            sentence="An interval is the most that it can take. Here the next heartbeat is nearer: they come every {interval_s} s since the start.",
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
    ),
    truth=_noticed,
    right="right: the session says who is alive, the interval says when the others hear of it.",
    otherwise=(
        "not these two. When was the last heartbeat before the end, and when is the first one "
        "after the coordinator has noticed?"
    ),
)


# %% 08.3
from autograder.course.judge import WrongAnswer
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.group_case import GroupCase


@cache
def _answered(state: str, request: str, generation: str, broker: str) -> str:
    """What a coordinator really answers alice."""
    group = GroupCase(broker).bring_to(state)
    number = group.group.generation - (generation == "old")
    if request == "sync":
        return group.sync("alice", number).name
    return (group.beat if request == "heartbeat" else group.commit)(group.ids["alice"], number).name


JUDGE_08_3 = Judge(
    id="08.3",
    wrong_answers=(
        WrongAnswer(
            name="no commits in a rebalance",
            sentence="PreparingRebalance is the time of grace: members still hold their partitions, and their commits are taken.",
            source=(
                "answered = {\n"
                "    a: \"REBALANCE_IN_PROGRESS\"\n"
                "    if x.request == \"commit\" and x.state == \"PreparingRebalance\" and x.generation == \"current\"\n"
                "    else asked(x.state, x.request, x.generation, x.broker)\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="commits until the end",
            sentence="In CompletingRebalance the new generation has begun. Who commits now does not yet know what belongs to it.",
            source=(
                "answered = {\n"
                "    a: \"NONE\"\n"
                "    if x.request == \"commit\" and x.state == \"CompletingRebalance\" and x.generation == \"current\"\n"
                "    else asked(x.state, x.request, x.generation, x.broker)\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="a heartbeat is a heartbeat",
            sentence="This is how the news travels: the answer to a heartbeat says that the group is gathering.",
            source=(
                "answered = {\n"
                "    a: \"NONE\"\n"
                "    if x.request == \"heartbeat\" and x.state == \"PreparingRebalance\" and x.generation == \"current\"\n"
                "    else asked(x.state, x.request, x.generation, x.broker)\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="old means rebalance",
            sentence="The generation is looked at before the state. An old one has an answer of its own.",
            source=(
                "answered = {\n"
                "    a: \"REBALANCE_IN_PROGRESS\"\n"
                "    if x.generation == \"old\" and x.state != \"Empty\"\n"
                "    else asked(x.state, x.request, x.generation, x.broker)\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="old means unknown",
            sentence="The coordinator knows alice very well. It is her generation that is over.",
            source=(
                "answered = {\n"
                "    a: \"UNKNOWN_MEMBER_ID\"\n"
                "    if x.generation == \"old\"\n"
                "    else asked(x.state, x.request, x.generation, x.broker)\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
        WrongAnswer(
            name="nobody is there, all is well",
            sentence="Alice has left. To the coordinator she is nobody now, whatever she asks.",
            source=(
                "answered = {\n"
                "    a: \"NONE\" if x.state == \"Empty\" else asked(x.state, x.request, x.generation, x.broker)\n"
                "    for a, x in n.items()\n"
                "}"
            ),
        ),
    ),
    truth=lambda case: {
        "answered": _answered(case["state"], case["request"], case["generation"], case["broker"])
    },
    right="right: who you are, of which generation, and only then the state.",
    otherwise=("not this answer. Who is asking, of which generation, and what is the group doing?"),
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
        {"seed": rng.randrange(20, 900), "cut_s": cut_s, "kill": kill}
        for cut_s, kill in ((0, False), (rng.randrange(10, 15), False), (0, True))
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
            sentence="Who starts over is somebody new, and the group waits for the one you were, until your session is over. You are known: `rejoin`.",
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
            sentence="The answer asks you to join again. If you do not, all others wait for you, and then you are thrown out.",
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
            sentence="The coordinator does not know your id any more, and `rejoin` keeps it. Forget it: `start over`.",
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
            sentence="Only the broker is the wrong one. Your membership is kept in __consumer_offsets; find who has the group now, and go on.",
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
            sentence="An error you do not know may pass. Rest a little and send the next heartbeat: `try later`.",
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
            sentence="`alive` means that all is well, and this answer did not say so. Nor did it say that you must go. It may be over by the next heartbeat: `try later`.",
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
            sentence="Somebody else has joined with your group.instance.id. If you start over you throw them out, and they you, for ever. `stop`.",
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
    ),
    truth=lambda case: JAVAS.get(case["error"], "try later"),
    hidden_cases=_more_days,
    right="right.",
    otherwise=(
        "not this. What does the coordinator know when it answers so, and what has it forgotten?"
    ),
    unseen=("another error or another day goes wrong. What you do not know is no reason to leave."),
)


# %% 08.5
from autograder.course.judge import WrongAnswer
from autograder.course.judge import Judge

JUDGE_08_5 = Judge(
    id="08.5",
    wrong_answers=(
        WrongAnswer(
            name="who joins is guilty",
            sentence="Whoever says `group is already rebalancing` was told so by the coordinator. Look who was not told and began it.",
            source=(
                "def habit_of(name):\n"
                "    lines = \"\\n\".join(shown[name])\n"
                "    if \"poll timeout\" in lines:\n"
                "        return \"too slow\"\n"
                "    if \"subscription has changed\" in lines:\n"
                "        return \"subscribes anew\"\n"
                "    return \"closes\" if \"being closed\" in lines else \"crashes\"\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    word = {\n"
                "        \"too slow\": \"poll timeout\",\n"
                "        \"subscribes anew\": \"subscription has changed\",\n"
                "        \"closes\": \"being closed\",\n"
                "        \"crashes\": \"Subscribed\",\n"
                "    }[habit_of(name)]\n"
                "    return next((line.split()[1] for line in shown[name] if word in line), \"ann\")\n"
                "guilty = {\n"
                "    name: next((line.split()[1] for line in shown[name] if \"already rebalancing\" in line), \"ann\")\n"
                "    for name in shown\n"
                "}\n"
                "habit = {name: habit_of(name) for name in shown}"
            ),
        ),
        WrongAnswer(
            name="goodbye is goodbye",
            sentence="A LeaveGroup is there, and the line before it says why: the program did not poll in time.",
            source=(
                "def habit_of(name):\n"
                "    lines = \"\\n\".join(shown[name])\n"
                "    if \"poll timeout\" in lines:\n"
                "        return \"too slow\"\n"
                "    if \"subscription has changed\" in lines:\n"
                "        return \"subscribes anew\"\n"
                "    return \"closes\" if \"being closed\" in lines else \"crashes\"\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    word = {\n"
                "        \"too slow\": \"poll timeout\",\n"
                "        \"subscribes anew\": \"subscription has changed\",\n"
                "        \"closes\": \"being closed\",\n"
                "        \"crashes\": \"Subscribed\",\n"
                "    }[habit_of(name)]\n"
                "    return next((line.split()[1] for line in shown[name] if word in line), \"ann\")\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {name: \"closes\" if habit_of(name) == \"too slow\" else habit_of(name) for name in shown}"
            ),
        ),
        WrongAnswer(
            name="back again means closed",
            sentence="Who closes says goodbye: `sending LeaveGroup`. This one starts again and never said it.",
            source=(
                "def habit_of(name):\n"
                "    lines = \"\\n\".join(shown[name])\n"
                "    if \"poll timeout\" in lines:\n"
                "        return \"too slow\"\n"
                "    if \"subscription has changed\" in lines:\n"
                "        return \"subscribes anew\"\n"
                "    return \"closes\" if \"being closed\" in lines else \"crashes\"\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    word = {\n"
                "        \"too slow\": \"poll timeout\",\n"
                "        \"subscribes anew\": \"subscription has changed\",\n"
                "        \"closes\": \"being closed\",\n"
                "        \"crashes\": \"Subscribed\",\n"
                "    }[habit_of(name)]\n"
                "    return next((line.split()[1] for line in shown[name] if word in line), \"ann\")\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {name: \"closes\" if habit_of(name) == \"crashes\" else habit_of(name) for name in shown}"
            ),
        ),
        WrongAnswer(
            name="closed means crashed",
            sentence="Who crashes has no time for a LeaveGroup. This one sent it: the consumer is being closed.",
            source=(
                "def habit_of(name):\n"
                "    lines = \"\\n\".join(shown[name])\n"
                "    if \"poll timeout\" in lines:\n"
                "        return \"too slow\"\n"
                "    if \"subscription has changed\" in lines:\n"
                "        return \"subscribes anew\"\n"
                "    return \"closes\" if \"being closed\" in lines else \"crashes\"\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    word = {\n"
                "        \"too slow\": \"poll timeout\",\n"
                "        \"subscribes anew\": \"subscription has changed\",\n"
                "        \"closes\": \"being closed\",\n"
                "        \"crashes\": \"Subscribed\",\n"
                "    }[habit_of(name)]\n"
                "    return next((line.split()[1] for line in shown[name] if word in line), \"ann\")\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {name: \"crashes\" if habit_of(name) == \"closes\" else habit_of(name) for name in shown}"
            ),
        ),
        WrongAnswer(
            name="a change is a start",
            sentence="`Subscribed to topic(s)` is there again and again, and `Kafka version` is not: the same process asks for other topics each time.",
            source=(
                "def habit_of(name):\n"
                "    lines = \"\\n\".join(shown[name])\n"
                "    if \"poll timeout\" in lines:\n"
                "        return \"too slow\"\n"
                "    if \"subscription has changed\" in lines:\n"
                "        return \"subscribes anew\"\n"
                "    return \"closes\" if \"being closed\" in lines else \"crashes\"\n"
                "\n"
                "\n"
                "def guilty_of(name):\n"
                "    word = {\n"
                "        \"too slow\": \"poll timeout\",\n"
                "        \"subscribes anew\": \"subscription has changed\",\n"
                "        \"closes\": \"being closed\",\n"
                "        \"crashes\": \"Subscribed\",\n"
                "    }[habit_of(name)]\n"
                "    return next((line.split()[1] for line in shown[name] if word in line), \"ann\")\n"
                "guilty = {name: guilty_of(name) for name in shown}\n"
                "habit = {\n"
                "    name: \"crashes\" if habit_of(name) == \"subscribes anew\" else habit_of(name) for name in shown\n"
                "}"
            ),
        ),
    ),
    truth=lambda case: {"guilty": case["guilty"], "habit": case["cause"]},
    right="right: the lines say it, when one reads whose they are.",
    otherwise="not this one. Read the lines of each member for itself.",
)


# %% 08.6
from autograder.cell.questions.ch08 import troubled_group
from autograder.course.judge import WrongAnswer
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
            sentence="You counted a generation once for each member that reached it. One generation is one round of all.",
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
            sentence="That is what ann waited. Bob and cyd were standing still as well.",
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
            sentence="The generations are right. The waiting is in milliseconds; a thousand of them are one of what is asked for.",
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
            sentence="Very near. Add up first, and then cut off what is left of a second: 7.9 gives 7.",
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
    ),
    truth=_storm,
    right="right: that is what a group pays for one restless member.",
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
    JUDGE_08_4,
    JUDGE_08_5,
    JUDGE_08_6,
)
