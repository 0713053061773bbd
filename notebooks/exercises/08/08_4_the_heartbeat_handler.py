# %% [markdown]
# ### Exercise 08.4 · The heartbeat handler
#
# `on_heartbeat(error)` gets the name of the error in a heartbeat's answer, `"NONE"` for none, and
# returns what to do:
#
# - `"alive"`: go on.
# - `"rejoin"`: go on, and send JOIN_GROUP with the next poll, as the member you are.
# - `"start over"`: forget your generation and your id, and join as somebody new.
# - `"find coordinator"`: ask which broker coordinates the group. You stay a member.
# - `"try later"`: rest a little and send the next heartbeat.
# - `"stop"`: give up. The application's next poll fails.
#
# The check asks your function about single errors. Then it puts it into three consumers, in place
# of Java's, and lets a newcomer in, cuts a link, kills somebody. A group must never wait for a
# member that lives, nobody may become a stranger without need, and in the end everybody has work.

# %% answer items="N108"
def on_heartbeat(error):
    """What to do on the answer to a heartbeat."""
    ### BEGIN SOLUTION
    if error == "NONE":
        return "alive"
    if error == "REBALANCE_IN_PROGRESS":
        return "rejoin"
    if error in ("UNKNOWN_MEMBER_ID", "ILLEGAL_GENERATION"):
        return "start over"
    if error in ("NOT_COORDINATOR", "COORDINATOR_NOT_AVAILABLE"):
        return "find coordinator"
    return "stop" if error == "FENCED_INSTANCE_ID" else "try later"
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function
from kafkalab import KafkaConsumer, Lab


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


Function(
    title="the heartbeat handler",
    points=4,
    answers=("on_heartbeat",),
    public_cases=ERRORS + PLAYS,
    probe=handled,
    play=work_day,
    look=stuck,
    kept="right: nobody is waited for in vain, and nobody forgets who they are.",
)

# %% judge
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


Judge(
    truth=lambda case: JAVAS.get(case["error"], "try later"),
    hidden_cases=_more_days,
    right="right.",
    otherwise=(
        "not this. What does the coordinator know when it answers so, and what has it forgotten?"
    ),
    unseen=("another error or another day goes wrong. What you do not know is no reason to leave."),
)


# %% wrong="a rebalance makes strangers"
# Who starts over is somebody new, and the group waits for the one you were, until your session is
# over. You are known: `rejoin`.
def on_heartbeat(error):
    return {
        "NONE": "alive",
        "REBALANCE_IN_PROGRESS": "start over",
        "UNKNOWN_MEMBER_ID": "start over",
        "ILLEGAL_GENERATION": "start over",
        "NOT_COORDINATOR": "find coordinator",
        "COORDINATOR_NOT_AVAILABLE": "find coordinator",
        "FENCED_INSTANCE_ID": "stop",
    }.get(error, "try later")


# %% wrong="news are not for me"
# The answer asks you to join again. If you do not, all others wait for you, and then you are
# thrown out.
def on_heartbeat(error):
    return {
        "NONE": "alive",
        "REBALANCE_IN_PROGRESS": "alive",
        "UNKNOWN_MEMBER_ID": "start over",
        "ILLEGAL_GENERATION": "start over",
        "NOT_COORDINATOR": "find coordinator",
        "COORDINATOR_NOT_AVAILABLE": "find coordinator",
        "FENCED_INSTANCE_ID": "stop",
    }.get(error, "try later")


# %% wrong="the unknown rejoin"
# The coordinator does not know your id any more, and `rejoin` keeps it. Forget it: `start over`.
def on_heartbeat(error):
    return {
        "NONE": "alive",
        "REBALANCE_IN_PROGRESS": "rejoin",
        "UNKNOWN_MEMBER_ID": "rejoin",
        "ILLEGAL_GENERATION": "start over",
        "NOT_COORDINATOR": "find coordinator",
        "COORDINATOR_NOT_AVAILABLE": "find coordinator",
        "FENCED_INSTANCE_ID": "stop",
    }.get(error, "try later")


# %% wrong="a lost coordinator ends it"
# Only the broker is the wrong one. Your membership is kept in __consumer_offsets; find who has the
# group now, and go on.
def on_heartbeat(error):
    return {
        "NONE": "alive",
        "REBALANCE_IN_PROGRESS": "rejoin",
        "UNKNOWN_MEMBER_ID": "start over",
        "ILLEGAL_GENERATION": "start over",
        "NOT_COORDINATOR": "start over",
        "COORDINATOR_NOT_AVAILABLE": "start over",
        "FENCED_INSTANCE_ID": "stop",
    }.get(error, "try later")


# %% wrong="whatever is new ends it"
# An error you do not know may pass. Rest a little and send the next heartbeat: `try later`.
def on_heartbeat(error):
    return {
        "NONE": "alive",
        "REBALANCE_IN_PROGRESS": "rejoin",
        "UNKNOWN_MEMBER_ID": "start over",
        "ILLEGAL_GENERATION": "start over",
        "NOT_COORDINATOR": "find coordinator",
        "COORDINATOR_NOT_AVAILABLE": "find coordinator",
        "FENCED_INSTANCE_ID": "stop",
        "rest": "stop",
    }.get(error, "stop")


# %% wrong="whatever is new is well"
# `alive` means that all is well, and this answer did not say so. Nor did it say that you must go.
# It may be over by the next heartbeat: `try later`.
def on_heartbeat(error):
    return {
        "NONE": "alive",
        "REBALANCE_IN_PROGRESS": "rejoin",
        "UNKNOWN_MEMBER_ID": "start over",
        "ILLEGAL_GENERATION": "start over",
        "NOT_COORDINATOR": "find coordinator",
        "COORDINATOR_NOT_AVAILABLE": "find coordinator",
        "FENCED_INSTANCE_ID": "stop",
        "rest": "alive",
    }.get(error, "alive")


# %% wrong="two with one name"
# Somebody else has joined with your group.instance.id. If you start over you throw them out, and
# they you, for ever. `stop`.
def on_heartbeat(error):
    return {
        "NONE": "alive",
        "REBALANCE_IN_PROGRESS": "rejoin",
        "UNKNOWN_MEMBER_ID": "start over",
        "ILLEGAL_GENERATION": "start over",
        "NOT_COORDINATOR": "find coordinator",
        "COORDINATOR_NOT_AVAILABLE": "find coordinator",
        "FENCED_INSTANCE_ID": "start over",
    }.get(error, "try later")


# %% hint
# Who says REBALANCE_IN_PROGRESS knows you well. Who says UNKNOWN_MEMBER_ID does not know you at
# all.

# %% hint
# Two names mean that this broker is the wrong one, one that nobody knows you any more, one that
# somebody has your name. What you do not know: again, later.
