# %% [markdown] items="N117 N118"
# ### Exercise 08.2 · Who notices when?
#
# Three groups, A, B and C, each of ann and bob. In group A both send a heartbeat every
# `n.A.interval_s` seconds. The first one is sent one interval after the group became Stable. The
# session timeout is `n.A.session_s` seconds. bob ends `n.A.at_s` seconds after the group became
# Stable, and `n.A.how` says in which way.
#
# Give two numbers for each group, in whole seconds from bob's end. After how many does the
# coordinator begin a rebalance, `noticed_after_s`? After how many does ann hear of it,
# `told_after_s`?
#
# A *static member* (静态成员) has a `group.instance.id`, a name that stays the same when its process
# ends and starts again. By default it sends no LEAVE_GROUP when it closes, because it will come
# back. So the coordinator hears nothing of its end. The function `bobs_end` below plays such a story.
# Calculate first, then compare.

# %%
n = numbers("08.2")
n


# %% items="N117 N118"
from kafkalab.stories.group_states import bobs_end

lab, end_ms = bobs_end("kill -9", interval_s=3, session_s=10, at_s=13)
title = "bob is killed 13 s after the group became Stable"
group_timeline(lab, "inventory", from_ms=end_ms - 8_000, beats=True, title=title)

# %% answer
noticed_after_s = {"A": ..., "B": ..., "C": ...}
told_after_s = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def silence(group):
    """(seconds until the coordinator knows, seconds until ann knows)"""
    last = group.at_s // group.interval_s * group.interval_s
    noticed = group.at_s if group.how == "close" else last + group.session_s
    told = (noticed // group.interval_s + 1) * group.interval_s
    return noticed - group.at_s, told - group.at_s


noticed_after_s = {name: silence(each)[0] for name, each in n.items()}
told_after_s = {name: silence(each)[1] for name, each in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

THREE = ("A", "B", "C")


def tells_ends_apart(groups: list[dict]) -> bool:
    """Whether every usual idea about an end goes wrong on one of these groups: somebody crashes,
    somebody closes, a static member closes. Of the ends that nobody hears of, one at least comes
    after another number of heartbeats than an interval has seconds."""
    return {n["how"] for n in groups} == {"close", "kill -9", "close of a static member"} and any(
        n["how"] != "close" and n["at_s"] // n["interval_s"] != n["interval_s"] for n in groups
    )


Value(
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

# %% judge
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


Judge(
    truth=_noticed,
    right="right: the session says who is alive, the interval says when the others hear of it.",
    otherwise={
        "noticed_after_s": (
            "{said} is not it. What tells the coordinator? If nothing does, count from the last heartbeat "
            "before the end."
        ),
        "told_after_s": (
            "{said} is not it. When is the first heartbeat of ann after the coordinator has "
            "noticed?"
        ),
    },
)

# %% wrong="at once, both"
# The coordinator calls no member. ann learns of a rebalance from the answer to her next heartbeat.
noticed_after_s = {a: 0 for a, x in n.items()}
told_after_s = {a: 0 for a, x in n.items()}

# %% wrong="the interval decides"
# One missing heartbeat means nothing. The coordinator waits until the session of {session_s} s is
# over.
noticed_after_s = {
    a: 0 if x.how == "close" else x.interval_s - x.at_s % x.interval_s for a, x in n.items()
}
told_after_s = {a: x.interval_s - x.at_s % x.interval_s for a, x in n.items()}

# %% wrong="the session from the end"
# The session does not count from the end. It counts from the last heartbeat, and that was a little
# before.
noticed_after_s = {a: x.session_s if x.how != "close" else 0 for a, x in n.items()}
told_after_s = {
    a: x.session_s + x.interval_s - (x.at_s + x.session_s) % x.interval_s
    if x.how != "close"
    else x.interval_s - x.at_s % x.interval_s
    for a, x in n.items()
}

# %% wrong="everybody leaves"
# A member with a group.instance.id sends no LEAVE_GROUP when it closes: it may come back in a
# minute. So the coordinator waits until its session is over.
noticed_after_s = {
    a: 0 if "close" in x.how else x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s
    for a, x in n.items()
}
told_after_s = {
    a: x.interval_s - x.at_s % x.interval_s
    if "close" in x.how
    else (x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s)
    + x.interval_s
    - (x.at_s // x.interval_s * x.interval_s + x.session_s) % x.interval_s
    for a, x in n.items()
}

# %% wrong="the others know at once"
# The coordinator knows by then. The other one hears of it with the answer to its next heartbeat.
noticed_after_s = {
    a: x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s if x.how != "close" else 0
    for a, x in n.items()
}
told_after_s = {
    a: x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s if x.how != "close" else 0
    for a, x in n.items()
}

# %% wrong="a whole interval more"
# An interval is the longest that it can take. Here the next heartbeat is nearer: there is one
# every {interval_s} s from the start.
noticed_after_s = {
    a: x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s if x.how != "close" else 0
    for a, x in n.items()
}
told_after_s = {
    a: (x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s if x.how != "close" else 0)
    + x.interval_s
    for a, x in n.items()
}

# %% wrong="a close waits for the session"
# close() sends LEAVE_GROUP, unless the member is static. The coordinator notices a close after 0 s.
noticed_after_s = {
    a: x.at_s // x.interval_s * x.interval_s + x.session_s - x.at_s for a, x in n.items()
}
told_after_s = {
    a: ((x.at_s // x.interval_s * x.interval_s + x.session_s) // x.interval_s + 1) * x.interval_s
    - x.at_s
    for a, x in n.items()
}

# %% hint
# There are two clocks. How does the coordinator learn of the end? When do the others send their
# next heartbeat?

# %% hint
# The last heartbeat before the end was at the last multiple of the interval. The session counts
# from there.
