# %% [markdown]
# ### Exercise 09.1 · Done twice, or never?
#
# Five shifts, A to E, of a partition that begins at offset 0. In A the loop is `n.A.order`. Each
# poll returns `n.A.per_poll` records. Ada dies in round number `n.A.round` of her loop, at the moment
# `n.A.moment`. `"polled"` means: her poll has just returned. `"some of the work"` means: she has
# worked on `n.A.done` records of this poll. `"commit on its way"` means: the coordinator has written
# her commit, and the answer has not arrived. Then bo reads the others. How many records are done
# twice, and how many never? Which offset does bo read first? Calculate: `shift` cannot play this.

# %%
n = numbers("09.1")
n

# %% answer items="G8 N20"
twice = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}
never = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}
first_of_bo = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}


### BEGIN SOLUTION
def done_and_committed(each):
    """How many records of her last poll she has worked on, and how many are committed."""
    commits_last = each.order == "work, commit"
    if each.moment == "polled":
        return 0, 0
    if each.moment == "some of the work":
        return each.done, 0 if commits_last else each.per_poll
    return each.per_poll if commits_last else 0, each.per_poll


for name, each in n.items():
    done, committed = done_and_committed(each)
    twice[name] = max(0, done - committed)
    never[name] = max(0, committed - done)
    first_of_bo[name] = (each.round - 1) * each.per_poll + committed
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

DEATHS = (
    ("work, commit", "some of the work"),
    ("work, commit", "commit on its way"),
    ("commit, work", "polled"),
    ("commit, work", "some of the work"),
    ("commit, work", "commit on its way"),
)
"""In each of them another idea goes wrong, so that every student has all five."""


Value(
    title="done twice, or never",
    points=3,
    answers=("twice", "never", "first_of_bo"),
    draws=("A", "B", "C", "D", "E"),
    row="shift",
    together=lambda shifts: {(n["order"], n["moment"]) for n in shifts} == set(DEATHS),
    space={
        "order": ("work, commit", "commit, work"),
        "moment": tuple(dict.fromkeys(moment for _, moment in DEATHS)),
        "per_poll": (7, 8, 9),
        "round": (2, 3, 4),
        "done": (2, 3, 5),
    },
    where=lambda n: (
        (n["order"], n["moment"]) in DEATHS
        and (n["done"] == 2 or n["moment"].startswith("some"))
        and n["done"] != n["round"]
    ),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge


@cache
def _died(order: str, moment: str, per_poll: int, rounds: int, some: int) -> tuple[int, int, int]:
    """(records worked on twice, never, bo's first offset) when a reader dies in her last round."""
    records_in_all = (rounds + 1) * per_poll
    lab, done = _cluster(records_in_all), []
    ada = _member(lab, "ada", **{"max.poll.records": per_poll})
    whole = order.split(", ")
    for steps in (*[whole] * (rounds - 1), _until(whole, moment)):
        records = _polled(ada)
        for step in steps:
            if step == "commit":
                ada.commit_sync()
            elif step == "send a commit":
                ada.commit_async()
                lab.run_for(ms=5)  # it arrives, and she hears no more
            else:
                done += records[:some] if step == "some" else records
    lab.kill("ada")
    lab.run_for(ms=10)
    bos = _polled(_member(lab, "bo"))
    done += bos
    return (
        sum(done.count(offset) == 2 for offset in range(records_in_all)),
        sum(offset not in done for offset in range(records_in_all)),
        min(bos),
    )


def _until(steps: list[str], moment: str) -> list[str]:
    """What of a round is done before a moment."""
    before = {
        "polled": [],
        "some of the work": [*steps[: steps.index("work")], "some"],
        "commit on its way": [*steps[: steps.index("commit")], "send a commit"],
    }
    return before[moment]


def _shift(case: dict) -> dict:
    found = _died(case["order"], case["moment"], case["per_poll"], case["round"], case["done"])
    return dict(zip(("twice", "never", "first_of_bo"), found))


def _why_this_shift(case: dict) -> str:
    """What this death shows."""
    if case["moment"] == "polled":
        return "right: nothing was done and nothing committed, so bo does all of it once."
    if case["moment"] == "commit on its way":
        return "right: the commit was written. That ada did not hear of it changes nothing."
    if case["order"] == "work, commit":
        return "right: what was done and not committed is done twice."
    return "right: what was committed and not done is never done."


Judge(
    truth=_shift,
    right=_why_this_shift,
    otherwise={
        "twice": (
            "{said} is not it. Done twice is what ada had done and bo reads again: records from the "
            "committed offset on."
        ),
        "never": (
            "{said} is not it. Never done is what the commit covers and ada had not done: records "
            "before the committed offset."
        ),
        "first_of_bo": (
            "{said} is not it. Bo begins at the committed offset. Each complete round committed "
            "{per_poll} records; what was committed of round {round}?"
        ),
    },
)


# %% begin
def base(x):
    return (x.round - 1) * x.per_poll


def worked(x):
    if x.moment == "some of the work":
        return x.done
    both = (x.order, x.moment)
    return x.per_poll if both == ("work, commit", "commit on its way") else 0


def committed(x):
    if x.moment == "commit on its way":
        return x.per_poll
    return 0 if x.order == "work, commit" or x.moment == "polled" else x.per_poll


def answers(twice_of, never_of, first_of):
    return tuple({a: of(x) for a, x in n.items()} for of in (twice_of, never_of, first_of))


def first(x):
    return base(x) + committed(x)


# %% wrong="no answer, no commit"
# The coordinator had written the commit; only its answer was on the way. It counts, although ada
# did not hear of it.
heard = lambda x: 0 if x.moment == "commit on its way" else committed(x)
twice, never, first_of_bo = answers(
    lambda x: max(0, worked(x) - heard(x)),
    lambda x: max(0, heard(x) - worked(x)),
    lambda x: base(x) + heard(x),
)

# %% wrong="polled is committed"
# Her poll had just returned. Nothing of it is committed yet, so bo reads these records, too.
taken = lambda x: x.per_poll if x.moment == "polled" else committed(x)
twice, never, first_of_bo = answers(
    lambda x: max(0, worked(x) - taken(x)),
    lambda x: max(0, taken(x) - worked(x)),
    lambda x: base(x) + taken(x),
)

# %% wrong="Kafka remembers what was done"
# Kafka does not know what a program has done. It knows the committed offset, and here that was not
# equal to the work.
twice, never, first_of_bo = answers(lambda x: 0, lambda x: 0, lambda x: base(x) + worked(x))

# %% wrong="the whole poll"
# Those are all {per_poll} records of the poll. Only what she had really done can be done twice, and
# only what she had not done can be missing.
twice, never, first_of_bo = answers(
    lambda x: x.per_poll if worked(x) > committed(x) else 0,
    lambda x: x.per_poll if worked(x) < committed(x) else 0,
    first,
)

# %% wrong="a crash always repeats"
# In '{order}' the offset is committed before the work. Bo begins after these records, so they are
# not done again: some are never done.
twice, never, first_of_bo = answers(lambda x: abs(worked(x) - committed(x)), lambda x: 0, first)

# %% wrong="committed is done"
# In '{order}' the commit comes before the work. Ada had done nothing of this poll yet.
twice, never, first_of_bo = answers(
    lambda x: max(0, worked(x) - committed(x)),
    lambda x: 0 if x.moment == "commit on its way" else max(0, committed(x) - worked(x)),
    first,
)

# %% wrong="done counts as lost"
# That is what ada had done. Never done are the others: committed, and not worked on.
twice, never, first_of_bo = answers(
    lambda x: max(0, worked(x) - committed(x)),
    lambda x: worked(x) if committed(x) > worked(x) else 0,
    first,
)

# %% wrong="the last record, not the next"
# A committed offset is the next one to read. You gave the one before it.
twice, never, first_of_bo = answers(
    lambda x: max(0, worked(x) - committed(x)),
    lambda x: max(0, committed(x) - worked(x)),
    lambda x: first(x) - 1,
)

# %% wrong="a round too many"
# Round {round} is not complete. Count the rounds before it, one fewer.
twice, never, first_of_bo = answers(
    lambda x: max(0, worked(x) - committed(x)),
    lambda x: max(0, committed(x) - worked(x)),
    lambda x: first(x) + x.per_poll,
)

# %% hint
# There are two numbers: how many records of this poll ada had done when she died, and how many of
# them the committed offset called done. Where do they differ?

# %% hint
# The rounds before are complete: (round - 1) * per_poll records. Write the offsets of the last poll
# in a row. Mark what ada had done. Then mark where bo begins.
