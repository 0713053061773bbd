# %% [markdown] items="N118"
# ### Exercise 08.7 · What a restart costs
#
# ann, bob and cyd are dynamic or static members of one group (classic protocol, default assignor).
# All send their first heartbeat `interval_s` seconds after the group became Stable, and then one
# every `interval_s` seconds. `at_s` seconds after that moment bob's process ends. `pause_s` seconds
# later a new process of bob starts. `how` is one of four:
#
# - `"kill -9"`: the process is killed.
# - `"SIGTERM, no close()"`: the process ends politely, but nobody calls `close()`.
# - `"SIGTERM, close()"`: the process closes its consumer, then it ends.
# - `"kill -9, static"`: the process is killed; bob has a `group.instance.id`.
#
# Write `group_waits_s(how, session_s, interval_s, at_s, pause_s)`. It returns for how many whole
# seconds the group is not Stable. In all cases bob ends between two heartbeats. He is back before
# his old session is over, and before the others send their next heartbeat.

# %% answer items="N117 N118"
def group_waits_s(how, session_s, interval_s, at_s, pause_s):
    """Whole seconds in which the group is not Stable."""
    ### BEGIN SOLUTION
    last = at_s // interval_s * interval_s
    if "static" in how:
        return 0
    if how == "SIGTERM, close()":
        return last + interval_s - at_s
    return last + session_s - (at_s + pause_s)
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function

ENDS = ("kill -9", "SIGTERM, no close()", "SIGTERM, close()", "kill -9, static")
TIMES = ((45, 4, 29, 2), (30, 5, 23, 1), (20, 6, 27, 2))


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


Function(
    title="what a restart costs",
    points=3,
    answers=("group_waits_s",),
    public_cases=tuple(restart_case(how, *times) for times in TIMES[:2] for how in ENDS)
    + tuple(restart_case(how, *TIMES[2]) for how in ENDS[:2]),
    probe=waited,
)

# %% judge
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
        after_beat_s = rng.randrange(1, interval_s - 1)
        pause_s = rng.randrange(1, interval_s - after_beat_s)
        if session_s < 3 * interval_s:
            continue
        at_s = interval_s * rng.randrange(4, 9) + after_beat_s
        cases.append(restart_case(ENDS[len(cases) % 4], session_s, interval_s, at_s, pause_s))
    return cases[:6]


Judge(
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


# %% begin
def right_s(how, session_s, interval_s, at_s, pause_s):
    last = at_s // interval_s * interval_s
    if "static" in how:
        return 0
    if how == "SIGTERM, close()":
        return last + interval_s - at_s
    return last + session_s - (at_s + pause_s)


# %% wrong="a quick restart costs nothing"
# The new bob has a new member id. The coordinator still knows the old one and waits for it, until
# its session is over.
def group_waits_s(how, session_s, interval_s, at_s, pause_s):
    if how in ("kill -9", "SIGTERM, no close()"):
        return interval_s - (at_s + pause_s) % interval_s
    return right_s(how, session_s, interval_s, at_s, pause_s)


# %% wrong="a signal is a close"
# SIGTERM alone sends nothing to Kafka. Without close() no LEAVE_GROUP is sent, and the end looks
# like a kill.
def group_waits_s(how, session_s, interval_s, at_s, pause_s):
    how = how.replace(", no close()", ", close()")
    return right_s(how, session_s, interval_s, at_s, pause_s)


# %% wrong="from the end, not from the return"
# Until the new bob sends JOIN_GROUP the group is Stable: nobody knows yet that the old bob is dead.
# The waiting begins with that JOIN_GROUP.
def group_waits_s(how, session_s, interval_s, at_s, pause_s):
    if how in ("kill -9", "SIGTERM, no close()"):
        return at_s // interval_s * interval_s + session_s - at_s
    return right_s(how, session_s, interval_s, at_s, pause_s)


# %% wrong="the session from the end"
# The session counts from the old bob's last heartbeat, and that was before the end.
def group_waits_s(how, session_s, interval_s, at_s, pause_s):
    if how in ("kill -9", "SIGTERM, no close()"):
        return session_s - pause_s
    return right_s(how, session_s, interval_s, at_s, pause_s)


# %% wrong="a static member is like the others"
# A static member comes back under its name. It gets its old partitions, and no rebalance begins.
def group_waits_s(how, session_s, interval_s, at_s, pause_s):
    return right_s(how.replace(", static", ""), session_s, interval_s, at_s, pause_s)


# %% wrong="a close stops nobody"
# LEAVE_GROUP begins a rebalance at once. It lasts until ann and cyd have heard of it, with their
# next heartbeat.
def group_waits_s(how, session_s, interval_s, at_s, pause_s):
    if how == "SIGTERM, close()":
        return 0
    return right_s(how, session_s, interval_s, at_s, pause_s)


# %% hint
# Ask two questions of each end. Does the coordinator hear of it at once? Which member ids does it
# wait for?

# %% hint
# A kill: the rebalance begins when the new bob joins and ends when the old bob's session is over. A
# close: it begins at the close and ends with the others' next heartbeat.
