# %% [markdown]
# ### Exercise 09.1 · Done twice, or never?
#
# Four shifts, A to D. In A the loop is `n.A.order`, a poll returns `n.A.per_poll` records, and ada
# dies in her second round at the moment `n.A.moment`. How many records are done twice, and how many
# never? Calculate first. Then `shift(LOOPS[n.A.order], n.A.moment, n.A.per_poll).times` plays it.

# %%
n = numbers("09.1")
n

# %% answer items="G8 N20"
twice = {"A": ..., "B": ..., "C": ..., "D": ...}
never = {"A": ..., "B": ..., "C": ..., "D": ...}
### BEGIN SOLUTION
strips = {
    name: shift(LOOPS[each.order], each.moment, each.per_poll).times for name, each in n.items()
}
twice = {name: sum(count > 1 for count in strip) for name, strip in strips.items()}
never = {name: strip.count(0) for name, strip in strips.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

DEATHS = (
    ("work, commit", "polled"),
    ("work, commit", "half of the work"),
    ("work, commit", "work done"),
    ("work, commit", "commit on its way"),
    ("commit, work", "polled"),
    ("commit, work", "half of the work"),
    ("commit, work", "commit answered"),
)


def tells_orders_apart(shifts: list[dict]) -> bool:
    """Whether a shift of each order dies half way, and one with its commit on its way:
    there every usual idea goes wrong."""
    drawn = {(n["order"], n["moment"]) for n in shifts}
    return {
        ("work, commit", "half of the work"),
        ("commit, work", "half of the work"),
        ("work, commit", "commit on its way"),
    } <= drawn


Value(
    title="done twice, or never",
    points=3,
    answers=("twice", "never"),
    draws=("A", "B", "C", "D"),
    row="shift",
    together=tells_orders_apart,
    space={
        "order": ("work, commit", "commit, work"),
        "moment": tuple(dict.fromkeys(moment for _, moment in DEATHS)),
        "per_poll": (4, 6, 8, 10, 12, 14),
    },
    where=lambda n: (n["order"], n["moment"]) in DEATHS,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge


@cache
def _died(order: str, moment: str, per_poll: int) -> tuple[int, int]:
    """(records worked on twice, never) when a reader of three polls dies in its second round."""
    lab, done = _cluster(3 * per_poll), []
    ada = _member(lab, "ada", **{"max.poll.records": per_poll})
    for steps in (order.split(", "), _until(order.split(", "), moment)):
        records = _polled(ada)
        for step in steps:
            if step == "commit":
                ada.commit_sync()
            elif step == "send a commit":
                ada.commit_async()
                lab.run_for(ms=5)  # it arrives, and she hears no more
            else:
                done += records[: len(records) // 2] if step == "half" else records
    if moment == "polled again":
        _polled(ada)
    lab.kill("ada")
    lab.run_for(ms=10)
    bo = _member(lab, "bo")
    done += _polled(bo)
    return sum(done.count(offset) == 2 for offset in range(3 * per_poll)), sum(
        offset not in done for offset in range(3 * per_poll)
    )


def _until(steps: list[str], moment: str) -> list[str]:
    """What of a round is done before a moment."""
    before = {
        "polled": [],
        "polled again": steps,
        "work done": steps[: steps.index("work") + 1],
        "half of the work": [*steps[: steps.index("work")], "half"],
        "commit answered": steps[: steps.index("commit") + 1],
        "commit on its way": [*steps[: steps.index("commit")], "send a commit"],
    }
    return before[moment]


def _shift(case: dict) -> dict:
    twice, never = _died(case["order"], case["moment"], case["per_poll"])
    return {"twice": twice, "never": never}


Judge(
    truth=_shift,
    right=(
        "right: what was done and not committed is done twice; what was committed and not done "
        "is never done."
    ),
    otherwise=(
        "not these two. What had she done when she died, and which record did the committed "
        "offset name?"
    ),
)

# %% wrong="Kafka remembers what was done"
# Kafka does not know what a program has done. It knows the committed offset, and here that was not
# equal to the work.
twice = {a: 0 for a, x in n.items()}
never = {a: 0 for a, x in n.items()}

# %% wrong="the whole poll"
# You counted all {per_poll} records of the poll. Only what she had really done can be done twice,
# and only what she had not done can be missing.
twice = {
    a: x.per_poll
    if x.order == "work, commit" and x.moment in ("polled", "half of the work", "work done")
    else 0
    for a, x in n.items()
}
never = {
    a: x.per_poll
    if not (x.order == "work, commit") and x.moment in ("commit answered", "half of the work")
    else 0
    for a, x in n.items()
}

# %% wrong="a crash always repeats"
# In '{order}' the offset is committed before the work. bo begins after these records, so they are
# not done again: some are never done.
twice = {
    a: 0
    if x.moment in ("polled", "polled again", "commit on its way")
    else (
        x.per_poll // 2
        if x.moment == "half of the work"
        else x.per_poll
        if x.moment == ("work done" if x.order == "work, commit" else "commit answered")
        else 0
    )
    for a, x in n.items()
}
never = {a: 0 for a, x in n.items()}

# %% wrong="no answer, no commit"
# The coordinator had written the commit; only its answer was on the way. It counts, although ada
# did not hear of it.
twice = {
    a: x.per_poll
    if x.order == "work, commit" and x.moment in ("work done", "commit on its way")
    else x.per_poll // 2
    if x.order == "work, commit" and x.moment == "half of the work"
    else 0
    for a, x in n.items()
}
never = {
    a: 0
    if x.order == "work, commit"
    else x.per_poll // 2
    if x.moment == "half of the work"
    else x.per_poll
    if x.moment == "commit answered"
    else 0
    for a, x in n.items()
}

# %% wrong="what she held is lost"
# What ada had in memory is in the log as well. Where the committed offset is before it, bo reads it.
twice = {
    a: x.per_poll if x.order == "work, commit" and x.moment == "work done" else 0
    for a, x in n.items()
}
never = {
    a: x.per_poll // 2
    if x.moment == "half of the work"
    else x.per_poll
    if x.moment in ("polled", "commit answered")
    and (x.order == "work, commit" or x.moment == "commit answered")
    else 0
    for a, x in n.items()
}

# %% hint
# There are two sets: what ada had done when she died, and what the committed offset called done.
# Where do they differ?

# %% hint
# Write the offsets of the second poll in a row. Mark what ada had done. Then mark where bo begins.
