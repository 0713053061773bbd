# %% [markdown]
# ### Exercise 16.2 · Who gets the job, and what does ada hear?
#
# Five share groups, A to E. At second 0 ada gets a job, and bo polls all the time. bo needs five
# seconds for the job when he gets it. The lock of the group is `n.A.lock_s` seconds. `n.A.how`
# says what ada does:
#
# - `works`: she works `n.A.seconds` seconds, then she accepts.
# - `killed`: her process is killed after `n.A.seconds` seconds.
# - `renews`: she renews after `n.A.seconds` seconds, works as long again, then she accepts.
#
# After how many whole seconds does bo get the job? Leave out the part of a second that his fetch waits.
# Write 0 if he never gets it. And what does ada hear when she accepts: "ok", "refused" or "nothing"?

# %%
n = numbers("16.2")
n

# %% answer
bo_after = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}
ada_hears = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}


### BEGIN SOLUTION
def outcome(case):
    if case.how == "killed":
        return min(case.seconds, case.lock_s), "nothing"
    if case.seconds < case.lock_s:
        return 0, "ok"
    return case.lock_s, "refused" if case.seconds < case.lock_s + 5 else "ok"


bo_after = {name: outcome(case)[0] for name, case in n.items()}
ada_hears = {name: outcome(case)[1] for name, case in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def makes_sense(case: dict) -> bool:
    """Whether no two things happen within two seconds, and a renewal comes in time."""
    seconds, lock_s = case["seconds"], case["lock_s"]
    if case["how"] == "renews":
        return lock_s / 2 < seconds < lock_s - 1
    soon = 0.7 * lock_s < seconds < lock_s + 15
    return soon and abs(seconds - lock_s) > 1 and abs(seconds - lock_s - 5) > 1


def tells_ends_apart(cases: list[dict]) -> bool:
    """Whether one is killed before the lock ends and one after it, one is late, one is some seconds later,
    and one renews."""
    late = {
        how: [c["seconds"] - c["lock_s"] for c in cases if c["how"] == how]
        for how in ("works", "killed", "renews")
    }
    return (
        min(late["killed"], default=0) < 0 < max(late["killed"], default=0)
        and any(0 < each < 5 for each in late["works"])
        and any(5 < each < 10 for each in late["works"])
        and bool(late["renews"])
    )


Value(
    title="who gets the job, and what ada hears",
    points=4,
    answers=("bo_after", "ada_hears"),
    draws=("A", "B", "C", "D", "E"),
    row="share group",
    space={
        "how": ("works", "killed", "renews"),
        # never 40: bo is done five seconds after the lock, and 45 has a sentence of its own
        "lock_s": (15, 20, 30, 35),
        "seconds": (12, 17, 18, 22, 23, 28, 32, 33, 38, 42, 43, 48),
    },
    where=makes_sense,
    together=tells_ends_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.share_groups import ada_and_bo, ada_heard, bo_got


@cache
def _waited(how: str, seconds: int, lock_s: int) -> dict:
    lab = ada_and_bo(how, seconds, lock_s)
    return {"bo_after": bo_got(lab), "ada_hears": ada_heard(lab)}


Judge(
    truth=lambda case: _waited(case["how"], case["seconds"], case["lock_s"]),
    right="right: a closed connection frees at once, a lock at its end, and a job that is done is ok.",
    otherwise={
        "bo_after": (
            "{said} is not it. What comes first: the end of ada's connection, or the end of her lock "
            "of {lock_s} seconds? A renewal begins the lock again."
        ),
        "ada_hears": (
            '"{said}" is not it. Does she live to accept? If so, does she hold the job then, does bo '
            "hold it, or has he done it?"
        ),
    },
)


# %% begin solution

# %% wrong="a dead worker keeps the lock"
# When a process dies, its connection closes, and the broker frees what it still holds at once. It
# does not wait {lock_s} seconds.
bo_after = {
    name: case.lock_s if case.how == "killed" else outcome(case)[0] for name, case in n.items()
}

# %% wrong="late is always refused"
# By then bo has done the job. The start offset has passed it, and the broker passes over what ada
# says: she hears "ok", and two have done the job.
ada_hears = {
    name: "refused" if case.how == "works" and case.seconds > case.lock_s else outcome(case)[1]
    for name, case in n.items()
}

# %% wrong="late is ok"
# At this moment bo holds the job. ada's word is refused with INVALID_RECORD_STATE.
ada_hears = {name: "nothing" if case.how == "killed" else "ok" for name, case in n.items()}

# %% wrong="the dead hear"
# A killed process hears no answer, whatever the broker would say.
ada_hears = {
    name: "refused" if case.how == "killed" else outcome(case)[1] for name, case in n.items()
}

# %% wrong="renew does not help"
# A renewal begins the lock again: {lock_s} seconds from then on. Nobody else gets the job.
bo_after = {
    name: case.lock_s if case.how == "renews" else outcome(case)[0] for name, case in n.items()
}

# %% wrong="a slow worker keeps its job"
# The lock has ended after {lock_s} seconds. bo gets the job, whether ada works or not.
bo_after = {name: 0 if case.how == "works" else outcome(case)[0] for name, case in n.items()}

# %% wrong="the heartbeat fails first"
# A session time of 45 seconds is about members of the group. The records of a slow member are free
# when the lock ends, after {lock_s} seconds.
bo_after = {
    name: 45 if outcome(case)[0] == case.lock_s else outcome(case)[0] for name, case in n.items()
}

# %% equivalent
# `case.seconds < case.lock_s` -> `case.seconds <= case.lock_s`: ada never accepts when her lock ends.
# `case.seconds < case.lock_s + 5` -> `case.seconds <= case.lock_s + 5`: nor when bo is done.
# `case.lock_s + 5` -> `case.lock_s + 6`, `case.lock_s + 4`: nor within a second of it.

# %% hint
# Draw a line of time for each: when does ada's lock end, and when is bo done?

# %% hint
# killed: bo gets it at once, if ada still held it. works: bo gets it when the lock ends. She hears
# "refused" while bo works, and "ok" when he is done.
