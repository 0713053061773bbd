# Generated from notebooks/exercises/08; edit those files and run
# `python -m autograder course 08`.
# fmt: off
# ruff: noqa
"""The learner's half of chapter 08's exercises: what is asked, and how an answer is heard."""

from __future__ import annotations


# %% shared
from kafkalab.stories.group_states import HABITS, troubled_group

STATES = ("Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead")
NAMES = ("ann", "bob", "cyd")


# %% 08.1
from autograder.cell.kinds import StateMachine, walks

EVENTS = tuple("join|gone|all in|none left|plan|heartbeat|expire".split("|"))
# The shortest way into each of the five states. Every event is tried there.
WAYS = ((), ("join",), ("join", "all in"), ("join", "all in", "plan"), ("expire",))
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
        *((*way, event) for way in WAYS for event in EVENTS),
    )
)

QUESTION_08_1 = StateMachine(
    id="08.1",
    hints=(
        "Ask three questions of each state. Who may come? Who may go? What does the group wait for?",
        "A join or a going leads to PreparingRebalance from each state where a member can come or go. There are fourteen entries; three of them are heartbeats.",
    ),
    title="write the five-state machine",
    points=4,
    answers=("group",),
    public_cases=DAYS,
    start="Empty",
    states=STATES,
)


# %% 08.2
from autograder.cell.kinds import Value

THREE = ("A", "B", "C")


def tells_ends_apart(groups: list[dict]) -> bool:
    """Whether every usual idea about an end goes wrong on one of these groups: somebody crashes,
    somebody closes, a static member closes."""
    return {n["how"] for n in groups} == {"close", "kill -9", "close of a static member"}


QUESTION_08_2 = Value(
    id="08.2",
    hints=(
        "There are two clocks. How does the coordinator learn of the end? When do the others send their next heartbeat?",
        "The last heartbeat before the end was at the last multiple of the interval. The session counts from there.",
    ),
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
)


# %% 08.3
from autograder.cell.kinds import Function

REQUESTS = ("heartbeat", "commit", "sync")


def answered(names, case):
    """What the learner's coordinator answers."""
    return names["answer"](case["state"], case["request"], case["is_member"], case["generation"])


def asking(state, request, is_member, generation):
    """A request as a case."""
    who = "a member" if is_member else "somebody unknown"
    return {
        "case": f"{state}: a {request} of {who}, {generation} generation",
        "state": state,
        "request": request,
        "is_member": is_member,
        "generation": generation,
    }


ALL_REQUESTS = tuple(
    asking(state, request, is_member, generation)
    for state in STATES[:4]
    for is_member in (True, False)
    for generation in ("current", "old")
    for request in REQUESTS
    if is_member <= (state != "Empty")
)
SHOWN = tuple(
    each
    for each in ALL_REQUESTS
    if (each["is_member"] and each["generation"] == "current")
    or (each["request"], each["state"]) in (("commit", "Stable"), ("heartbeat", "Empty"))
)

QUESTION_08_3 = Function(
    id="08.3",
    hints=(
        "Three questions, in this order: is the id known, is the generation the current one, does the state take this request?",
        "Three pairs of state and request get REBALANCE_IN_PROGRESS: two in PreparingRebalance, one in CompletingRebalance. All other requests of known members, with the current generation, get NONE.",
    ),
    title="the coordinator's answers",
    points=3,
    answers=("answer",),
    public_cases=SHOWN,
    probe=answered,
)


# %% 08.7
from autograder.cell.kinds import Function

ENDS = ("kill -9", "SIGTERM, no close()", "SIGTERM, close()", "kill -9, static")
TIMES = ((45, 3, 31, 1), (30, 5, 22, 2), (12, 4, 25, 2), (10, 3, 34, 1))


def restart_case(how, session_s, interval_s, at_s, pause_s):
    """A restart as a case."""
    return {
        "case": f"{how}: session {session_s} s, heartbeat every {interval_s} s, ends at {at_s} s, "
        f"back after {pause_s} s",
        "how": how,
        "session_s": session_s,
        "interval_s": interval_s,
        "at_s": at_s,
        "pause_s": pause_s,
    }


def waited(names, case):
    """What the learner's function says."""
    return names["group_waits_s"](
        case["how"], case["session_s"], case["interval_s"], case["at_s"], case["pause_s"]
    )


QUESTION_08_7 = Function(
    id="08.7",
    hints=(
        "Ask two questions of each end. Does the coordinator hear of it at once? Which member ids does it wait for?",
        "A kill: the rebalance begins when the new bob joins and ends when the old bob's session is over. A close: it begins at the close and ends with the others' next heartbeat.",
    ),
    title="what a restart costs",
    points=3,
    answers=("group_waits_s",),
    public_cases=tuple(restart_case(how, *times) for times in TIMES[:2] for how in ENDS)
    + tuple(restart_case(how, *TIMES[2]) for how in ENDS[:2]),
    probe=waited,
)


# %% 08.4
from autograder.cell.kinds import Function
from kafkalab import KafkaConsumer, KafkaException, Lab


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
    {"case": "a newcomer, seed 3", "seed": 3, "happens": "nothing", "cut_s": 0},
    {"case": "bob is cut off for 12 s, seed 5", "seed": 5, "happens": "cut", "cut_s": 12},
    {"case": "a newcomer, and bob is killed, seed 7", "seed": 7, "happens": "kill", "cut_s": 0},
    {"case": "the coordinator moves, seed 9", "seed": 9, "happens": "move", "cut_s": 0},
    {"case": "two programs with one name, seed 4", "seed": 4, "happens": "same name", "cut_s": 0},
)
KEPT = {
    "nothing": "right: ann and bob heard of cyd and joined again with their old ids.",
    "cut": "right: bob's session was over, so he joined as a new member. The others kept their ids.",
    "kill": "right: the group waited for the session of dead bob, and for nobody who was alive.",
    "move": "right: the coordinator moved there and back, and the group did not rebalance.",
    "same name": "right: the first program stopped, the second one reads.",
}
PATIENCE_MS = 12_000  # the longest rebalance of a group whose members all answer


def work_day(case, rule):
    """A group of two, a third member after 12 s, and a fault;
    all of them ask `rule` what an answer to a heartbeat means."""
    lab = Lab(
        brokers=3,
        seed=case["seed"],
        broker_config={
            "group.initial.rebalance.delay.ms": 1_000,
            "leader.imbalance.check.interval.seconds": 10,
        },
    )
    lab.create_topic("orders", partitions=6)
    lab.place_coordinator("inventory", broker=1)
    tills = ("bob", "cyd") if case["happens"] == "same name" else ()

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
                **({"group.instance.id": "till-1"} if name in tills else {}),
            },
            name=name,
            on_heartbeat=rule,
        )
        consumer.subscribe(["orders"])
        try:
            while True:
                consumer.poll(timeout_ms=1_000)
        except KafkaException as error:
            lab.journal.append("told", name, what="stopped", why=type(error).__name__)

    for name, at_ms in (("ann", 0), ("bob", 100), ("cyd", 12_000)):
        lab.run_for(ms=at_ms - lab.now_ms)
        lab.spawn(reader, name, name=name)
    lab.run_for(ms=6_500)
    if case["happens"] == "kill":
        lab.kill("bob")
    if case["happens"] == "cut":
        lab.link(1, "bob").cut()
        lab.run_for(ms=case["cut_s"] * 1_000)
        lab.link(1, "bob").heal()
    if case["happens"] == "move":
        lab.broker(1).crash()
        lab.run_for(ms=9_000)
        lab.broker(1).restart()  # some seconds later it leads again
    lab.run_for(ms=50_000)
    lab.close()
    return lab


def stuck(case, lab):
    """What a day must not have: a rebalance that waits for a member which lives, a member that lost
    its id for nothing, a second program that never stops, or a member without work in the end."""
    with_seed, moves = (
        f"with seed {case['seed']}, ",
        [event for event in lab.journal.of("state") if event.machine == "group"],
    )
    rows = [_row(event) for event in moves]
    if case["happens"] == "same name":
        stopped = [event.who for event in lab.journal.of("told") if event.what == "stopped"]
        if stopped != ["bob"]:
            return (
                f"{with_seed}bob and cyd have one group.instance.id. The coordinator believes cyd, "
                "the later one. bob's program must hear of it and end; instead "
                f"{'both ended' if len(stopped) > 1 else 'it continued'}.",
                rows[-4:],
            )
    for place, event in enumerate(moves):
        until_ms = moves[place + 1].at_ms if place + 1 < len(moves) else lab.now_ms
        if event.after not in ("Stable", "Empty", "Dead") and until_ms - event.at_ms > PATIENCE_MS:
            waited = f"{event.after} for {(until_ms - event.at_ms) / 1_000:.0f} seconds"
            return (
                f"{with_seed}the group was {waited}. It waited for a member that was alive and did "
                "not join again.",
                rows[max(0, place - 1) : place + 2],
            )
    if case["happens"] == "move":
        late = [place for place, event in enumerate(moves) if event.at_ms > 19_000]
        again = [place for place in late if moves[place].after == "PreparingRebalance"]
        if again:
            return (
                f"{with_seed}the coordinator moved to another broker, and the group rebalanced "
                "because of your answer. No member had come or gone.",
                rows[again[0] : again[0] + 3],
            )
    return _stranger(case, lab, with_seed, rows) or _without_work(case, lab, with_seed, rows)


def _row(event):
    reason = event.reason.split("-")[0] if event.reason.startswith("member") else event.reason
    return f"{event.at_ms / 1_000:7.1f} s  {event.before} -> {event.after}: {reason}"


def _stranger(case, lab, with_seed, rows):
    """A member that got a new id though the coordinator knew the old one."""
    known: dict[str, list[str]] = {}
    for event in lab.journal.of("group.member"):
        ids = known.setdefault(event.client_id, [])
        ids += [event.member] * (event.member not in ids)
    for name, ids in known.items():
        allowed = 2 if name == "bob" and case["cut_s"] > 8 else 1
        if len(ids) > allowed:
            times = f"{len(ids) - allowed} time{'s' * (len(ids) > allowed + 1)}"
            return (
                f"{with_seed}{name} joined as a new member {times}, though the coordinator knew "
                "the old id.",
                rows[-4:],
            )
    for event in lab.journal.of("line"):
        if "encountered UNKNOWN_MEMBER_ID from JOIN_GROUP" in event.message:
            return (
                f"{with_seed}{event.who} sent JOIN_GROUP with an id that the coordinator had "
                "forgotten, and was refused.",
                rows[-4:],
            )
    return None


def _without_work(case, lab, with_seed, rows):
    """A member that is alive and owns nothing in the end."""
    if case["happens"] == "same name":
        return None  # the coordinator keeps one member for the two
    gone = {"bob"} if case["happens"] == "kill" else set()
    members = lab.at(lab.now_ms)["groups"]["inventory"]["members"].values()
    working = {each["client_id"] for each in members if each["assignment"]}
    idle = sorted({"ann", "bob", "cyd"} - gone - working)
    if idle:
        return f"{with_seed}{idle[0]} owns nothing in the end.", rows[-4:]
    return None


QUESTION_08_4 = Function(
    id="08.4",
    hints=(
        "A coordinator that says REBALANCE_IN_PROGRESS knows your id. One that says UNKNOWN_MEMBER_ID does not.",
        "Two errors mean that this is the wrong broker. One means that your id is forgotten, one that another program has your name. An error that you do not know may pass: try later.",
    ),
    title="the heartbeat handler",
    points=4,
    answers=("on_heartbeat",),
    public_cases=ERRORS + PLAYS,
    probe=handled,
    play=work_day,
    look=stuck,
    kept=lambda case: KEPT[case["happens"]],
)


# %% 08.5
import re
from functools import cache

from autograder.cell.kinds import LineReading


def told(numbers) -> dict[str, list[str]]:
    """By group, what its members wrote between the 14th and the 32nd second about the group and
    about themselves, without the reasons."""
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
            and "pro-actively" not in text
        ):
            client = re.split("[-/]", event.who)[0]
            found.append(f"{event.at_ms / 1_000:5.1f}  {client}  {_short(text)}")
    return tuple(found)


def _short(text: str) -> str:
    """A line without member ids and without its reason, not longer than a screen is wide."""
    text = text.partition(" due to")[0]
    text = re.sub(r" coordinator localhost.*?\)", " …", text)
    words = [
        word.split("-")[0] + "-…" if word.count("-") >= 5 else word
        for word in text.replace("'", " ' ").split()
    ]
    return " ".join(words).replace(" ' ", "'")[:92]


QUESTION_08_5 = LineReading(
    id="08.5",
    hints=(
        "Two questions about the one who begins. Did it send LeaveGroup? Did a new client start, which writes `Kafka version`?",
        "Four habits, four answers: left and started, left only, started only, neither of the two. A process that is killed sends no LeaveGroup. A consumer that only gives up its membership does not start again.",
    ),
    title="bug hunt: who keeps the group busy",
    points=3,
    answers=("guilty", "habit"),
    draws=("A", "B", "C", "D"),
    row="group",
    space={"cause": HABITS, "guilty": NAMES, "seed": tuple(range(1, 6))},
    show=told,
    together=lambda groups: len({n["cause"] for n in groups}) == 4,
)


# %% 08.6
from autograder.cell.kinds import Value

QUESTION_08_6 = Value(
    id="08.6",
    hints=(
        "Generations: each member writes the number of the generation that it reached. Waiting: each row of `waits` is one wait of one member.",
        "Group by `group` alone. One column counts what is different, the other adds up.",
    ),
    title="Spark: what a storm costs",
    points=3,
    answers=("generations", "waited_s"),
    draws=("A", "B", "C", "D"),
    row="group",
    space={"cause": HABITS, "seed": tuple(range(11, 20))},
    together=lambda groups: len({n["cause"] for n in groups}) == 4,
)


# %% 08.open
from autograder.cell.kinds import Open

QUESTION_08_open = Open(
    id="08.open",
    title="What does heartbeat.interval.ms really control?",
points=4)


# %% all
QUESTIONS = (
    QUESTION_08_1,
    QUESTION_08_2,
    QUESTION_08_3,
    QUESTION_08_7,
    QUESTION_08_4,
    QUESTION_08_5,
    QUESTION_08_6,
    QUESTION_08_open,
)
