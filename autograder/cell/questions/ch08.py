"""Chapter 08, the state machine of a group: the learner's half of its questions."""

from __future__ import annotations

import re
from functools import cache

from autograder.cell.kinds import Function, LineReading, Open, StateMachine, Value, walks
from kafkalab import KafkaConsumer, Lab

THREE = ("A", "B", "C")
BROKERS = OLDER, NEWER = "2.3", "4.4"
STATES = ("Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead")

# A group's days: every beginning of these is a walk.
FIRST = ("join", "all in", "plan")
DAYS = walks(
    (
        (*FIRST, "heartbeat", "join", "heartbeat", "all in", "plan", "gone", "all in", "plan"),
        (*FIRST, "gone", "none left", "join"),
        (*FIRST, "gone", "none left", "expire"),
        ("expire",),
        ("join", "join", "all in", "join", "all in", "gone", "all in", "heartbeat", "plan"),
        ("join", "gone", "none left"),
        ("heartbeat",),
        ("plan",),
        ("join", "plan"),
        ("join", "all in", "none left"),
        (*FIRST, "none left"),
        (*FIRST, "all in"),
        (*FIRST, "expire"),
        (*FIRST, "gone", "gone", "none left", "expire", "join"),
    )
)


def tells_ends_apart(groups: list[dict]) -> bool:
    """Whether every usual idea about an end goes wrong on one of these groups: somebody crashes,
    somebody says goodbye, a static member does not."""
    return {n["how"] for n in groups} == {"close", "kill -9", "close of a static member"}


def tells_answers_apart(asked: list[dict]) -> bool:
    """Whether every usual idea goes wrong on one of these: a commit and a heartbeat while the group
    gathers, a commit while it waits for the plan, an old generation, and somebody who has left."""
    seen = {(n["state"], n["request"], n["generation"]) for n in asked}
    return (
        seen
        >= {
            ("PreparingRebalance", "commit", "current"),
            ("CompletingRebalance", "commit", "current"),
            ("PreparingRebalance", "heartbeat", "current"),
        }
        and any(generation == "old" for _, _, generation in seen)
        and any(state == "Empty" for state, _, _ in seen)
    )


def worth_asking(n: dict) -> bool:
    """One request of a kind is enough: nobody in an Empty group, an old generation,
    and what differs by state."""
    if n["state"] == "Empty":
        return (n["generation"], n["broker"]) == ("current", NEWER)
    if n["generation"] == "old":
        return n["broker"] == OLDER and n["request"] != "sync"
    if n["request"] == "sync":
        return (n["state"], n["broker"]) == ("PreparingRebalance", NEWER)
    return n["state"] != "Stable"


# The member's own rule


def handled(names, case):
    """What the learner's rule says. After ILLEGAL_GENERATION two answers are right and count as
    one: older clients forgot their id, newer ones keep it."""
    said = names["on_heartbeat"](case["error"])
    return "start over" if case["error"].startswith("ILLEGAL") and said == "rejoin" else said


ERRORS = tuple(
    {"case": name, "error": name}
    for name in (
        "NONE REBALANCE_IN_PROGRESS UNKNOWN_MEMBER_ID ILLEGAL_GENERATION NOT_COORDINATOR "
        "COORDINATOR_NOT_AVAILABLE FENCED_INSTANCE_ID REQUEST_TIMED_OUT"
    ).split()
)
PLAYS = (
    {"case": "a newcomer, seed 3", "seed": 3, "cut_s": 0, "kill": False},
    {"case": "bob is cut off for 12 s, seed 5", "seed": 5, "cut_s": 12, "kill": False},
    {"case": "a newcomer, and bob is killed, seed 7", "seed": 7, "cut_s": 0, "kill": True},
)
PATIENCE_MS = 12_000  # the longest rebalance of a group whose members all answer


def work_day(case, rule):
    """A group of two, a third member after 12 s, and a fault;
    all of them ask `rule` what an answer to a heartbeat means."""
    lab = Lab(
        brokers=1, seed=case["seed"], broker_config={"group.initial.rebalance.delay.ms": 1_000}
    )
    lab.create_topic("orders", partitions=6)

    def reader(lab, name):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "inventory",
                "client.id": name,
                "session.timeout.ms": 8_000,
                "heartbeat.interval.ms": 2_000,
                "max.poll.interval.ms": 25_000,
                "enable.auto.commit": False,
                "fetch.max.wait.ms": 2_000,
            },
            name=name,
            on_heartbeat=rule,
        )
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=1_000)

    for name, at_ms in (("ann", 0), ("bob", 100), ("cyd", 12_000)):
        lab.run_for(ms=at_ms - lab.now_ms)
        lab.spawn(reader, name, name=name)
    lab.run_for(ms=6_500)
    if case["kill"]:
        lab.kill("bob")
    if case["cut_s"]:
        lab.link(0, "bob").cut()
        lab.run_for(ms=case["cut_s"] * 1_000)
        lab.link(0, "bob").heal()
    lab.run_for(ms=50_000)
    lab.close()
    return lab


def stuck(case, lab):
    """What a day must not have: a rebalance that waits for a member which lives, somebody who
    became a stranger for nothing, or a member without work in the end."""
    seed, moves = (
        case["seed"],
        [event for event in lab.journal.of("state") if event.machine == "group"],
    )
    rows = [
        (
            f"{event.at_ms / 1_000:7.1f} s  {event.before} -> {event.after}: "
            f"{event.reason.split('-')[0] if event.reason.startswith('member') else event.reason}"
        )
        for event in moves
    ]
    for place, event in enumerate(moves):
        until_ms = moves[place + 1].at_ms if place + 1 < len(moves) else lab.now_ms
        if (
            event.after != "Stable"
            and event.after != "Empty"
            and until_ms - event.at_ms > PATIENCE_MS
        ):
            return (
                (
                    f"with seed {seed}, the group was {event.after} for "
                    f"{(until_ms - event.at_ms) / 1_000:.0f} seconds. It waited for a member that "
                    "was alive and did not come."
                ),
                rows[max(0, place - 1) : place + 2],
            )
    known: dict[str, list[str]] = {}
    for event in lab.journal.of("group.member"):
        ids = known.setdefault(event.client_id, [])
        ids += [event.member] * (event.member not in ids)
    for name, ids in known.items():
        allowed = 2 if name == "bob" and case["cut_s"] > 8 else 1
        if len(ids) > allowed:
            return (
                (
                    f"with seed {seed}, {name} has become somebody new {len(ids) - allowed} "
                    f"time{'s' * (len(ids) > allowed + 1)} without need."
                ),
                rows[-4:],
            )
    live = {"ann", "bob", "cyd"} - ({"bob"} if case["kill"] else set())
    owns = {}
    for event in lab.journal.of("assigned"):
        owns[event.who] = event.partitions
    idle = sorted(name for name in live if not owns.get(name))
    if idle:
        return f"with seed {seed}, {idle[0]} owns nothing in the end.", rows[-4:]
    return None


# The bug hunt: four habits that make a group rebalance again and again

CAUSES = ("too slow", "crashes", "closes", "subscribes anew")
NAMES = ("ann", "bob", "cyd")


def troubled_group(cause: str, guilty: str, seed: int) -> Lab:
    """Fifty seconds of a group of three in which one member has a bad habit."""
    lab = Lab(brokers=1, seed=seed)
    lab.create_topic("orders", partitions=6)
    lab.create_topic("returns", partitions=1)
    usual = {
        "group.id": "inventory",
        "session.timeout.ms": 10_000,
        "enable.auto.commit": False,
        "fetch.max.wait.ms": 2_000,
    }

    def read(lab, name, until_ms=None, work_ms=0, **config):
        consumer = KafkaConsumer(
            lab,
            {**usual, "client.id": name.split("/")[0], **config},
            name=name if "/" in name else None,
        )
        consumer.subscribe(["orders"])
        while until_ms is None or lab.now_ms < until_ms:
            consumer.poll(timeout_ms=500)
            lab.sleep(work_ms)
        consumer.close()

    def close_and_come_back(lab, name):
        while True:
            read(lab, name, until_ms=lab.now_ms + 12_000)
            lab.sleep(3_000)

    def change_its_mind(lab, name):
        consumer = KafkaConsumer(lab, {**usual, "client.id": name})
        while True:
            for topics in (["orders"], ["orders", "returns"]):
                consumer.subscribe(topics)
                until_ms = lab.now_ms + 9_000
                while lab.now_ms < until_ms:
                    consumer.poll(timeout_ms=500)

    for name in NAMES:
        if name != guilty:
            lab.spawn(read, name, name=name)
    if cause == "too slow":
        lab.spawn(
            lambda lab: read(lab, guilty, work_ms=9_000, **{"max.poll.interval.ms": 6_000}),
            name=guilty,
        )
    elif cause == "closes":
        lab.spawn(close_and_come_back, guilty, name=guilty)
    elif cause == "subscribes anew":
        lab.spawn(change_its_mind, guilty, name=guilty)
    for life in range(4):
        if cause == "crashes":
            lab.spawn(read, f"{guilty}/{life}", name=f"{guilty}/{life}")
            lab.run_for(ms=11_000)
            lab.kill(f"{guilty}/{life}")
            lab.run_for(ms=1_500)
        else:
            lab.run_for(ms=12_500)
    lab.close()
    return lab


def told(numbers) -> dict[str, list[str]]:
    """By group, what its members wrote between the 14th and the 32nd second about the group and
    about themselves, shortened."""
    return {
        name: list(_lines_of(each["cause"], each["guilty"], each["seed"]))
        for name, each in numbers.items()
    }


@cache
def _lines_of(cause: str, guilty: str, seed: int) -> tuple[str, ...]:
    lab = troubled_group(cause, guilty, seed)
    wanted = (
        "Subscribed to topic",
        "Request joining group due to",
        "sending LeaveGroup",
        "consumer poll timeout",
        "Kafka version",
        "Adding newly assigned",
    )
    found = []
    for event in lab.journal.of("line"):
        text = event.message.partition("] ")[2] or event.message
        if (
            event.level in ("INFO", "WARN")
            and 14_000 <= event.at_ms <= 32_000
            and text.startswith(("Member", *wanted))
            and any(word in text for word in wanted)
        ):
            client = re.split("[-/]", event.who)[0]
            found.append(f"{event.at_ms / 1_000:5.1f}  {client}  {_short(text)}")
    return tuple(found)


def _short(text: str) -> str:
    """A line without member ids, and not longer than a screen is wide."""
    text = re.sub(r" coordinator localhost.*?\)", " …", text)
    words = [
        word.split("-")[0] + "-…" if word.count("-") >= 5 else word
        for word in text.replace("'", " ' ").split()
    ]
    return " ".join(words).replace(" ' ", "'")[:92]


QUESTIONS = (
    StateMachine(
        id="08.1",
        title="write the five-state machine",
        points=4,
        answers=("group",),
        public_cases=DAYS,
        start="Empty",
        states=STATES,
        hints=(
            (
                "Ask of each state: who may come, who may go, and what does it wait for? What ends "
                "the waiting leads on."
            ),
            (
                "A join or a going leads to PreparingRebalance from everywhere where somebody can "
                "come or go. Fourteen entries in all; three of them are heartbeats."
            ),
        ),
    ),
    Value(
        id="08.2",
        title="who notices when",
        points=3,
        answers=("noticed_after_s", "told_after_s"),
        draws=THREE,
        row="group",
        space={
            "interval_s": (2, 3, 4, 5),
            "session_s": (11, 13, 17),
            "at_s": (22, 23, 26, 27, 29, 31),
            "how": ("close", "kill -9", "close of a static member"),
        },
        where=lambda n: (
            n["at_s"] % n["interval_s"]
            and n["session_s"] % n["interval_s"]
            and n["session_s"] >= 3 * n["interval_s"]
            and (n["at_s"] // n["interval_s"] * n["interval_s"] + n["session_s"]) % n["interval_s"]
            and n["interval_s"] - n["at_s"] % n["interval_s"] != n["interval_s"] / 2
            and n["at_s"] // n["interval_s"] * n["interval_s"] + n["session_s"] > n["at_s"]
        ),
        together=tells_ends_apart,
        hints=(
            (
                "Two clocks. How does the coordinator learn of it, and when do the others send "
                "their next heartbeat?"
            ),
            (
                "The last heartbeat before the end was at the last multiple of the interval. The "
                "session counts from there."
            ),
        ),
    ),
    Value(
        id="08.3",
        title="what is answered in which state",
        points=3,
        answers=("answered",),
        draws=("A", "B", "C", "D", "E", "F"),
        row="request",
        space={
            "state": STATES[:4],
            "request": ("heartbeat", "commit", "sync"),
            "generation": ("current", "old"),
            "broker": BROKERS,
        },
        where=worth_asking,
        together=tells_answers_apart,
        hints=(
            "First the coordinator looks who asks, then of which generation, then at the state.",
            "asked(state, request, generation, broker) brings a group there and asks.",
        ),
    ),
    Function(
        id="08.4",
        title="the heartbeat handler",
        points=4,
        answers=("on_heartbeat",),
        public_cases=ERRORS + PLAYS,
        probe=handled,
        play=work_day,
        look=stuck,
        kept="right: nobody is waited for in vain, and nobody forgets who they are.",
        hints=(
            (
                "Who says REBALANCE_IN_PROGRESS knows you well. Who says UNKNOWN_MEMBER_ID does "
                "not know you at all."
            ),
            (
                "Two names mean that this broker is the wrong one, one that nobody knows you any "
                "more, one that somebody has your name. What you do not know: again, later."
            ),
        ),
    ),
    LineReading(
        id="08.5",
        title="bug hunt: who keeps the group busy",
        points=3,
        answers=("guilty", "habit"),
        draws=("A", "B", "C", "D"),
        row="group",
        space={"cause": CAUSES, "guilty": NAMES, "seed": tuple(range(1, 6))},
        show=told,
        together=lambda groups: len({n["cause"] for n in groups}) == 4,
        hints=(
            (
                "`group is already rebalancing` is what the innocent say. Who says something else "
                "just before?"
            ),
            (
                "Look for a goodbye, for a warning, for `Subscribed` in the middle of a day. And "
                "what has somebody not said who starts again?"
            ),
        ),
    ),
    Value(
        id="08.6",
        title="Spark: what a storm costs",
        points=3,
        answers=("generations", "waited_s"),
        draws=("A", "B", "C", "D"),
        row="group",
        space={"cause": CAUSES, "seed": tuple(range(11, 20))},
        together=lambda groups: len({n["cause"] for n in groups}) == 4,
        hints=(
            (
                "For the first: how many different generations stand in `Successfully synced "
                "group`? For the second: pair each beginning with the next end of the same client."
            ),
            (
                "The frame `waits` has it all: count distinct generations of the group, and sum up "
                "the column seconds."
            ),
        ),
    ),
    Open(id="08.open", points=4, title="What does heartbeat.interval.ms really control?"),
)
