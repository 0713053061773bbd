# %% [markdown]
# ### Exercise 08.4 · The heartbeat handler
#
# Write `on_heartbeat(error)`. It gets the name of the error in a heartbeat's answer, `"NONE"` for
# none. It returns what the member does next:
#
# - `"alive"`: continue.
# - `"rejoin"`: continue, and send JOIN_GROUP with the next poll. Keep the member id.
# - `"start over"`: forget the generation and the member id. Join as a new member.
# - `"find coordinator"`: ask which broker coordinates the group. Stay a member.
# - `"try later"`: wait a little and send the next heartbeat.
# - `"stop"`: give up. The program's next poll raises an error.
#
# The check first asks your function about single errors. Then your function replaces Java's in
# three consumers, in five stories. A newcomer joins. A link is cut. A member is killed. The
# coordinator moves to another broker and back. Two programs have one `group.instance.id`. The rules
# of the check:
#
# - The group never waits for a member that is alive.
# - A member keeps its id until the coordinator has forgotten it.
# - A moved coordinator causes no rebalance.
# - At the end each member that is alive owns partitions.

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


Function(
    title="the heartbeat handler",
    points=4,
    answers=("on_heartbeat",),
    public_cases=ERRORS + PLAYS,
    probe=handled,
    play=work_day,
    look=stuck,
    kept=lambda case: KEPT[case["happens"]],
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


Judge(
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


# %% wrong="a rebalance makes strangers"
# You gave up your id. The coordinator still knows it, and the group waits for the member with that
# id until its session is over.
# -         return "rejoin"
# +         return "start over"


# %% wrong="news are not for me"
# The answer asks you to join again. If you do not, all others wait for you, and then the
# coordinator removes you.
# -         return "rejoin"
# +         return "alive"


# %% wrong="the unknown rejoin"
# The coordinator has forgotten this id. A JOIN_GROUP that names it is refused.
# -     if error == "REBALANCE_IN_PROGRESS":
# +     if error in ("REBALANCE_IN_PROGRESS", "UNKNOWN_MEMBER_ID"):


# %% wrong="a lost coordinator ends it"
# This broker does not coordinate the group. Another broker does, and it knows you: membership is
# stored in __consumer_offsets.
# -         return "find coordinator"
# +         return "start over"


# %% wrong="whatever is new ends it"
# An error that you do not know may pass. Is it worth losing your partitions at once?
# -     return "stop" if error == "FENCED_INSTANCE_ID" else "try later"
# +     return "stop"


# %% wrong="whatever is new is well"
# `alive` means that all is well, and this answer did not say so. Nor did it say that you must
# leave. It may be over by the next heartbeat.
# -     return "stop" if error == "FENCED_INSTANCE_ID" else "try later"
# +     return "stop" if error == "FENCED_INSTANCE_ID" else "alive"


# %% wrong="two with one name"
# Another program has joined with your group.instance.id. If you join again, you lock it out, and
# then it locks you out, without end.
# -     return "stop" if error == "FENCED_INSTANCE_ID" else "try later"
# +     return "start over" if error == "FENCED_INSTANCE_ID" else "try later"


# %% wrong="the wrong broker, later"
# Perhaps another broker coordinates the group now. It hears none of the heartbeats that you send
# here, and your session runs out there.
# -         return "find coordinator"
# +         return "try later"


# %% wrong="an old generation is well"
# Your generation is over: the group has made a new plan without you. All your commits are refused
# until you join it.
# -     if error == "NONE":
# +     if error in ("NONE", "ILLEGAL_GENERATION"):


# %% hint
# A coordinator that says REBALANCE_IN_PROGRESS knows your id. One that says UNKNOWN_MEMBER_ID does
# not.

# %% hint
# Two errors mean that this is the wrong broker. One means that your id is forgotten, one that
# another program has your name. An error that you do not know may pass: try later.
