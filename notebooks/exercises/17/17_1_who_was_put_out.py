# %% [markdown]
# ### Exercise 17.1 · The lag at 03:12
#
# Three answers about the group whose lag rose at 03:12. Write numbers and texts, not queries: the
# grader has no night.
#
# - `put_out`: how often did the client of a member find out that its poll comes too late? In these
#   releases one such moment writes three lines, and one of the three is a WARN.
# - `setting`: the one consumer setting that would have prevented it, with a larger value.
# - `generation`: play story 1 again with your setting at 20 seconds. To which generation does the
#   group get? ("Successfully joined group with generation ...")

# %%
n1 = numbers("17.1")
n1

# %% answer
put_out = ...  # a number
setting = ...  # the name of a setting, a text
generation = ...  # a number
### BEGIN SOLUTION
import re

from kafkalab.stories.incident import told

put_out = sum(" WARN " in line and "poll timeout has expired" in line for line in told(1, n1))
setting = "max.poll.interval.ms"
again = told(1, n1, consumer={setting: 20_000})
joined = [re.search(r"joined group with generation .*?generationId=(\d+)", x) for x in again]
generation = max(int(found[1]) for found in joined if found)
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="the lag at 03:12",
    points=3,
    answers=("put_out", "setting", "generation"),
    space={"seed": SEEDS, "version": RELEASES},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge


@cache
def _put_out(seed: int, version: str) -> int:
    """How many WARN lines of an expired poll the clients of the story write."""
    lines = story(1, {"seed": seed, "version": version})
    return sum(line[26:30] == "WARN" and "poll timeout has expired" in line for line in lines)


@cache
def _settled(seed: int, version: str) -> int:
    settings = {"max.poll.interval.ms": 20_000}
    return generations(1, {"seed": seed, "version": version}, consumer=settings)


Judge(
    truth=lambda case: {
        "put_out": _put_out(case["seed"], case["version"]),
        "setting": "max.poll.interval.ms",
        "generation": _settled(case["seed"], case["version"]),
    },
    right="right: the work of one poll is longer than the time between two polls may be.",
    otherwise={
        "put_out": (
            "{said} is not it. Take the lines of this group only, and of each moment only the line "
            "of level WARN."
        ),
        "setting": (
            '"{said}" does not prevent it. Play story 1 with a large value: are members still put '
            "out?"
        ),
        "generation": (
            "{said} is not it. Play story 1 with max.poll.interval.ms at 20,000, and take the last "
            "generation that its group gets to."
        ),
    },
)

# %% begin
import re

from kafkalab.stories.incident import told


def last_generation(lines):
    found = [re.search(r"joined group with generation .*?generationId=(\d+)", x) for x in lines]
    return max(int(each[1]) for each in found if each)


put_out = sum(" WARN " in line and "poll timeout has expired" in line for line in told(1, n1))
setting = "max.poll.interval.ms"
generation = last_generation(told(1, n1, consumer={setting: 20_000}))

# %% wrong="all lines of an expiry"
# You counted all lines that speak of the poll timeout. One moment writes three of them; count the
# WARN lines.
put_out = sum("poll timeout has expired" in line for line in told(1, n1))

# %% wrong="the session timeout"
# Heartbeats have a thread of their own, and it never stopped. So no session ended. Play the story
# with session.timeout.ms = 60,000: nothing changes.
setting = "session.timeout.ms"

# %% wrong="fewer records"
# max.poll.records helps when each record costs time. Here the time goes to a poll, be it large or
# small. Play it with 1: the members are put out as before.
setting = "max.poll.records"

# %% wrong="the generation of the night"
# That is the generation of the night itself. Play the story again with your setting, and count
# there.
generation = last_generation(told(1, n1))

# %% equivalent
# `' WARN ' in line and 'poll timeout has expired' in line` -> `' WARN ' in line`: the story has no
# other warnings.
# `'poll timeout has expired' in line` -> `'' in line`: the same.
# `{setting: 20000}` -> `{setting: 20001}`, `{setting: 19999}`: a millisecond decides nothing.
# `re.search('joined group with generation .*?generationId=(\\d+)', x)` ->
# `re.search('joined group with generation .*?generationId=(\\d)', x)`: with the setting no generation
# has two digits.

# %% hint
# Which lines do the members write, that no other group writes? Look at those of level WARN.

# %% hint
# `retold(1, n1, consumer={"the.setting": 20_000})` plays it again. Read its folder with Spark and use
# the same query as for the night.
