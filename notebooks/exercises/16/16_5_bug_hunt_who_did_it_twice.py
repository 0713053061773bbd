# %% [markdown]
# ### Exercise 16.5 · Bug hunt: who did it twice?
#
# One of the four workers is too slow. It holds records longer than the lock, and others do its jobs
# again. Which worker is it? How many records were delivered again because its lock ended, and not
# because somebody released them? How many records were rejected, by whomever?
#
# Continue with Spark, or with `records_told(logs["ada"])`: a list of (second, "given" or "said",
# offset, number).

# %% spark=true
given.orderBy("worker", "offset").limit(3).toPandas()  # continue here: join it with said

# %% answer
slow = ...  # a name, a text
expired = ...  # a number
rejected = ...  # a number
### BEGIN SOLUTION
late, ends = set(), set()
for name, log in logs.items():
    since = {}
    for second, what, offset, number in records_told(log):
        if what == "given":
            since[offset] = second
        elif second - since[offset] > 30:
            late.add((name, offset))
        if (what, number) == ("said", 3):
            ends.add(offset)
slow, expired, rejected = min(late)[0], len(late), len(ends)
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="bug hunt with Spark: who did it twice",
    points=2,
    answers=("slow", "expired", "rejected"),
    space={"slow": ("ada", "bo", "cy", "di"), "poll": (4, 5), "bad": (2, 3, 4)},
    scenery={"seed": 100_000},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.share_groups import ends, night_of_the_workers


@cache
def _night(slow: str, poll: int, bad: int) -> dict:
    """What the broker knows of two nights with these numbers; the seed changes none of it."""
    found = []
    for seed in (1, 2):
        lab = night_of_the_workers(slow, poll, bad, seed)
        names = {
            event.fields["member"]: event.fields["client_id"]
            for event in lab.journal.of("share_group.joined")
        }
        lost = [event for event in lab.journal.of("share.records") if event.why == "lock expired"]
        (name,) = {names[event.fields["member"]] for event in lost}
        count = sum(event.last_offset - event.first_offset + 1 for event in lost)
        found.append({"slow": name, "expired": count, "rejected": ends(lab).get("reject", 0)})
    assert found[0] == found[1], "the seed decides nothing that is asked"
    return found[0]


Judge(
    truth=lambda case: _night(case["slow"], case["poll"], case["bad"]),
    right="right: it answered more than 30 seconds after it had got them, and others were quicker.",
    otherwise={
        "slow": (
            '"{said}" is not it. Put each record that a worker got beside what the same worker said '
            "of it, and look at the seconds in between."
        ),
        "expired": (
            "{said} is not it. Put each record that a worker got beside what the same worker said of "
            "it, and look at the seconds in between."
        ),
        "rejected": "{said} is not it. Count the different offsets of which a worker said 3, reject.",
    },
)

# %% begin
rows = [(name, *row) for name, log in logs.items() for row in records_told(log)]
given_rows = [(name, offset, number) for name, _, what, offset, number in rows if what == "given"]
said_rows = [(name, offset, number) for name, _, what, offset, number in rows if what == "said"]
slow = min(logs, key=lambda name: sum(row[0] == name for row in said_rows))
again = {offset for _, offset, count in given_rows if count > 1}
released = {offset for _, offset, word in said_rows if word == 2}
first_owner = {offset: name for name, offset, count in given_rows if count == 1}
expired = sum(first_owner[offset] == slow for offset in again)
rejected = len({offset for _, offset, word in said_rows if word == 3})

# %% wrong="every second delivery"
# Those are all records that came twice. Some of them were released by their worker; there the lock
# had not ended.
expired = len(again)

# %% wrong="who did it the second time"
# That worker did the jobs again. The slow one had them first, and kept them.
slow = next(
    name for name, offset, count in given_rows if count == 2 and first_owner[offset] == slow
)

# %% wrong="one request"
# A lock holds several records, and each was delivered again: count the records.
expired = 1

# %% wrong="released are rejected"
# Type 2 is release: these records came again. Type 3 is reject.
rejected = len(released)

# %% equivalent
# `second - since[offset] > 30` -> `second - since[offset] >= 30`, `second - since[offset] > 31`,
# `second - since[offset] > 29`: nobody answers so near to the end of the lock.
# `min(late)` -> `max(late)`: all late answers are of one worker.
# `logs.items()` -> `list(logs.items())[1:]`, `list(logs.items())[:-1]`: with some seeds the worker that
# is left out is not the slow one, and rejects nothing.

# %% hint
# Join `given` and `said` on worker and offset, and subtract the times. The lock is 30 seconds.

# %% hint
# Only one worker has rows with more than 30 seconds. Count its rows there. For the rejected, count
# different offsets with word 3.
