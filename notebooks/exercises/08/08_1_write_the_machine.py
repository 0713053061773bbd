# %% [markdown]
# ### Exercise 08.1 · Write the machine
#
# Write the table as `{state: {event: next state}}`. Leave out an event that cannot happen in a
# state. A state that nothing leads out of has the empty row `{}`. The events:
#
# - `"join"`: a new member's JOIN_GROUP arrives.
# - `"gone"`: a member has left, or its session is over.
# - `"all in"`: every member that the coordinator knows has sent JOIN_GROUP.
# - `"none left"`: the coordinator gathers the members, and no member is left to send JOIN_GROUP.
# - `"plan"`: the coordinator accepts the leader's plan. (A SYNC_GROUP that comes too late or twice
#   is no plan.)
# - `"heartbeat"`: the heartbeat of a member arrives.
# - `"expire"`: the group has no members, and its last committed offset has expired.
#
# An event that can happen and changes nothing leads from a state to itself. The check follows your
# table through *walks*. A walk is a list of events that begins in *Empty*. The hidden walks are
# what happened to groups of the lab, with random members and faults.

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
}
group["Dead"] = {}
### END SOLUTION

# %% question
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


Judge(
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

# %% equivalent
# `group['Dead'] = {}` left out: nothing leads out of a state without a row, either.
# `group['Dead']` -> `group['']`: no walk comes to a state of this name.

# %% begin solution

# %% wrong="stable when all are in"
# When all are in, no member knows yet what it owns. The group waits for the leader's plan first, in
# a state of its own.
group["PreparingRebalance"]["all in"] = "Stable"

# %% wrong="from stable to empty"
# No arrow leads from Stable to Empty. When the last member goes, that is a `gone` like any other:
# the coordinator prepares a rebalance, and then finds no member.
group["Stable"]["none left"] = "Empty"

# %% wrong="gone and empty"
# Stable never becomes Empty at once. When a member goes, the coordinator prepares a rebalance
# first, and then sees who is left.
group["Stable"]["gone"] = "Empty"

# %% wrong="old offsets end a group at work"
# While a group has members, it cannot become Dead by expiry. Only an Empty group can.
group["Stable"]["expire"] = "Dead"

# %% wrong="a going is nothing"
# A member is gone, and its partitions have no owner. That starts a rebalance, as a newcomer does.
group["Stable"]["gone"] = "Stable"

# %% wrong="a latecomer waits"
# The plan that the leader is making does not know of this change. The group gathers again.
group["CompletingRebalance"]["join"] = "CompletingRebalance"
group["CompletingRebalance"]["gone"] = "CompletingRebalance"

# %% wrong="empty is dead"
# The group has no members and no offsets: nothing is left of it. Its state says so.
group["Empty"]["expire"] = "Empty"

# %% wrong="a heartbeat makes stable"
# A heartbeat changes no group's state. It keeps its member alive and brings back news.
group["Stable"]["heartbeat"] = "PreparingRebalance"

# %% wrong="the dead come back"
# Dead is the end of this group. A later member with the same group.id begins a new group, which is
# Empty.
group["Dead"]["join"] = "PreparingRebalance"

# %% wrong="no heartbeats"
# A heartbeat can arrive here and changes nothing. Such an event leads from the state to itself.
del group["PreparingRebalance"]["heartbeat"]
del group["CompletingRebalance"]["heartbeat"]
del group["Stable"]["heartbeat"]

# %% wrong="gone is none left"
# One member is gone; others may still be there. Only when none is left does the group become
# Empty, and that event has its own name.
group["PreparingRebalance"]["gone"] = "Empty"

# %% wrong="none left is dead"
# Without members the group still has its committed offsets. It becomes Dead when they have
# expired.
group["PreparingRebalance"]["none left"] = "Dead"

# %% wrong="offsets expire while members join"
# This group has a member, so its offsets cannot end it. Leave the event out here.
group["PreparingRebalance"]["expire"] = "Dead"

# %% wrong="the empty lose members"
# An Empty group has no member that could go. Leave the event out here.
group["Empty"]["gone"] = "Empty"
group["Empty"]["none left"] = "Empty"

# %% wrong="a plan twice"
# In Stable the plan has been accepted already. A SYNC_GROUP that comes again is no new plan: leave
# the event out here.
group["Stable"]["plan"] = "Stable"

# %% wrong="a plan too early"
# While the group gathers, the coordinator accepts no plan. Leave the event out here.
group["PreparingRebalance"]["plan"] = "PreparingRebalance"

# %% hint
# Ask three questions of each state. Who may come? Who may go? What does the group wait for?

# %% hint
# A join or a going leads to PreparingRebalance from each state where a member can come or go. There
# are fourteen entries; three of them are heartbeats.
