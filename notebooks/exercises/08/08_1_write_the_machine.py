# %% [markdown]
# ### Exercise 08.1 · Write the machine
#
# Write the table as `{state: {event: next state}}`. Leave out what cannot happen; a state that
# nothing leads out of has an empty row, `{}`. The events:
#
# - `"join"`: a new member's JOIN_GROUP is here.
# - `"gone"`: a member has left, or its session is over.
# - `"all in"`: every member that the coordinator knows has sent JOIN_GROUP.
# - `"none left"`: the coordinator gathers the members, and nobody is left who could send
#   JOIN_GROUP.
# - `"plan"`: the leader's SYNC_GROUP is here, with the plan.
# - `"heartbeat"`: a member's heartbeat is here.
# - `"expire"`: nobody is a member, and the last committed offset of the group is too old and is
#   thrown away.
#
# An event that can happen and changes nothing leads from a state to itself. The check follows your
# table through *walks*, lists of events that begin in *Empty*. The hidden walks are what happened
# to groups of the lab under random comings and goings.

# %% answer items="N110 N111"
group = ...  # {"Empty": {"join": "PreparingRebalance", ...}, ...}: five states
### BEGIN SOLUTION
group = {
    "Empty": {"join": "PreparingRebalance", "expire": "Dead"},
    "PreparingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
        "all in": "CompletingRebalance",
        "none left": "Empty",
    },
    "CompletingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "CompletingRebalance",
        "plan": "Stable",
    },
    "Stable": {"join": "PreparingRebalance", "gone": "PreparingRebalance", "heartbeat": "Stable"},
    "Dead": {},
}
### END SOLUTION

# %% question
from autograder.cell.kinds import StateMachine, walks

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

StateMachine(
    title="write the five-state machine",
    points=4,
    answers=("group",),
    public_cases=DAYS,
    start="Empty",
    states=STATES,
)

# %% judge
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


Judge(
    truth=_walked,
    hidden_cases=_days,
    right="right.",
    otherwise="your table leads through {said}. The last step is not what a coordinator does.",
    unseen=(
        "the days of another group lead your table astray. Write down a day by hand: join, all "
        "in, plan, gone, none left, expire."
    ),
)

# %% wrong="stable when all are in"
# When all are in, nobody knows yet who gets what. The group waits for the leader's plan first, and
# that is a state of its own.
group = {
    "Empty": {"join": "PreparingRebalance", "expire": "Dead"},
    "PreparingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
        "all in": "Stable",
        "none left": "Empty",
    },
    "CompletingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "CompletingRebalance",
        "plan": "Stable",
    },
    "Stable": {"join": "PreparingRebalance", "gone": "PreparingRebalance", "heartbeat": "Stable"},
    "Dead": {},
}

# %% wrong="from stable to empty"
# No way leads from Stable to Empty. The last one who goes is a `gone` like any other; the
# coordinator prepares a rebalance, and only then finds nobody.
group = {
    "Empty": {"join": "PreparingRebalance", "expire": "Dead"},
    "PreparingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
        "all in": "CompletingRebalance",
        "none left": "Empty",
    },
    "CompletingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "CompletingRebalance",
        "plan": "Stable",
    },
    "Stable": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "Stable",
        "none left": "Empty",
    },
    "Dead": {},
}

# %% wrong="gone and empty"
# Stable never turns Empty at once. Whoever goes, the coordinator prepares a rebalance first, and
# only then finds out who is left.
group = {
    "Empty": {"join": "PreparingRebalance", "expire": "Dead"},
    "PreparingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
        "all in": "CompletingRebalance",
        "none left": "Empty",
    },
    "CompletingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "CompletingRebalance",
        "plan": "Stable",
    },
    "Stable": {"join": "PreparingRebalance", "gone": "Empty", "heartbeat": "Stable"},
    "Dead": {},
}

# %% wrong="old offsets end a group at work"
# While a group has members, its last offset does not expire. Only an Empty group can be forgotten.
group = {
    "Empty": {"join": "PreparingRebalance", "expire": "Dead"},
    "PreparingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
        "all in": "CompletingRebalance",
        "none left": "Empty",
    },
    "CompletingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "CompletingRebalance",
        "plan": "Stable",
    },
    "Stable": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "Stable",
        "expire": "Dead",
    },
    "Dead": {},
}

# %% wrong="a going is nothing"
# Somebody is gone, and their partitions have no owner. That is as good a reason for a rebalance as
# a newcomer.
group = {
    "Empty": {"join": "PreparingRebalance", "expire": "Dead"},
    "PreparingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
        "all in": "CompletingRebalance",
        "none left": "Empty",
    },
    "CompletingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "CompletingRebalance",
        "plan": "Stable",
    },
    "Stable": {"join": "PreparingRebalance", "gone": "Stable", "heartbeat": "Stable"},
    "Dead": {},
}

# %% wrong="a latecomer waits"
# The plan that the leader is making knows nothing of this change. The group gathers once more.
group = {
    "Empty": {"join": "PreparingRebalance", "expire": "Dead"},
    "PreparingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
        "all in": "CompletingRebalance",
        "none left": "Empty",
    },
    "CompletingRebalance": {
        "join": "CompletingRebalance",
        "gone": "CompletingRebalance",
        "heartbeat": "CompletingRebalance",
        "plan": "Stable",
    },
    "Stable": {"join": "PreparingRebalance", "gone": "PreparingRebalance", "heartbeat": "Stable"},
    "Dead": {},
}

# %% wrong="empty is dead"
# Nobody is there and nothing is kept: then nothing is left of the group, and its state says so.
group = {
    "Empty": {"join": "PreparingRebalance", "expire": "Empty"},
    "PreparingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
        "all in": "CompletingRebalance",
        "none left": "Empty",
    },
    "CompletingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "CompletingRebalance",
        "plan": "Stable",
    },
    "Stable": {"join": "PreparingRebalance", "gone": "PreparingRebalance", "heartbeat": "Stable"},
    "Dead": {},
}

# %% wrong="a heartbeat makes stable"
# A heartbeat moves no group. It keeps its member alive and brings back news.
group = {
    "Empty": {"join": "PreparingRebalance", "expire": "Dead"},
    "PreparingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
        "all in": "CompletingRebalance",
        "none left": "Empty",
    },
    "CompletingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "CompletingRebalance",
        "plan": "Stable",
    },
    "Stable": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
    },
    "Dead": {},
}

# %% wrong="the dead come back"
# Dead is the end of this group. Who joins the same name later begins with a new one, which is
# Empty.
group = {
    "Empty": {"join": "PreparingRebalance", "expire": "Dead"},
    "PreparingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "PreparingRebalance",
        "all in": "CompletingRebalance",
        "none left": "Empty",
    },
    "CompletingRebalance": {
        "join": "PreparingRebalance",
        "gone": "PreparingRebalance",
        "heartbeat": "CompletingRebalance",
        "plan": "Stable",
    },
    "Stable": {"join": "PreparingRebalance", "gone": "PreparingRebalance", "heartbeat": "Stable"},
    "Dead": {"join": "PreparingRebalance"},
}

# %% hint
# Ask of each state: who may come, who may go, and what does it wait for? What ends the waiting
# leads on.

# %% hint
# A join or a going leads to PreparingRebalance from everywhere where somebody can come or go.
# Fourteen entries in all; three of them are heartbeats.
