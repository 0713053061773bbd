# %% [markdown]
# ### Exercise 17.4 · Bug hunt: read twice
#
# "A few orders were billed twice, shortly before 03:03." Nobody restarted anything by hand. One
# member of a group fell silent, and another took its partitions. Find the group.
#
# - `read_twice`: how many records were handed out a second time?
# - `setting`: the group commits automatically. Which consumer setting makes this number smaller, if
#   the setting gets a smaller value, too?
# - `with_five`: play story 4 again with your setting at 5 seconds, its default. How many records are
#   read twice now?

# %%
n4 = numbers("17.4")
n4

# %% answer
read_twice = ...  # a number
setting = ...  # the name of a setting, a text
with_five = ...  # a number
### BEGIN SOLUTION
import re

from kafkalab.stories.incident import told

ASKED = r"Added \w+ fetch request for partition (\S+) at position FetchPosition\{offset=(\d+)"


def twice(lines):
    """How far fetches went back, all partitions together."""
    reached, again = {}, 0
    for found in filter(None, (re.search(ASKED, line) for line in lines)):
        place = int(found[2])
        again += max(0, reached.get(found[1], 0) - place)
        reached[found[1]] = place
    return again


read_twice = twice(told(4, n4))
setting = "auto.commit.interval.ms"
with_five = twice(told(4, n4, consumer={setting: 5_000}))
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="bug hunt: read twice",
    points=3,
    answers=("read_twice", "setting", "with_five"),
    space={"seed": SEEDS, "version": RELEASES},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge


@cache
def _twice(seed: int, version: str, every_ms: int) -> int:
    return read_again({"seed": seed, "version": version}, every_ms)


def _truth_of_repeats(case: dict) -> dict:
    night, five = (_twice(case["seed"], case["version"], every) for every in (15_000, 5_000))
    assert five < night
    return {"read_twice": night, "setting": "auto.commit.interval.ms", "with_five": five}


Judge(
    truth=_truth_of_repeats,
    right="right: what was read since the last commit is read again. More commits, fewer repeats.",
    otherwise={
        "read_twice": (
            "{said} is not it. logsets.reprocessed(lines) has a row for each range of this group; add "
            "up its column records."
        ),
        "setting": (
            '"{said}" does not do it. Play story 4 with a smaller value: are fewer records read '
            "twice?"
        ),
        "with_five": (
            "{said} is not it. Play story 4 with auto.commit.interval.ms at 5,000, and count there "
            "as you did for the night."
        ),
    },
)

# %% begin
import re

from kafkalab.stories.incident import told

ASKED = r"Added \w+ fetch request for partition (\S+) at position FetchPosition\{offset=(\d+)"


def back(lines):
    reached, again = {}, {}
    for found in filter(None, (re.search(ASKED, line) for line in lines)):
        partition, offset = found[1], int(found[2])
        again[partition] = again.get(partition, 0) + max(0, reached.get(partition, 0) - offset)
        reached[partition] = offset
    return again


read_twice = sum(back(told(4, n4)).values())
setting = "auto.commit.interval.ms"
with_five = sum(back(told(4, n4, consumer={setting: 5_000})).values())

# %% wrong="one partition"
# That is one partition. The silent member had two; add both.
read_twice = max(back(told(4, n4)).values())

# %% wrong="the session timeout"
# Another session timeout only moves the moment when another member takes over. The same records are
# read again. Play it with 30,000.
setting = "session.timeout.ms"

# %% wrong="no automatic commit"
# This program has no commit of its own. Without the automatic one nothing is committed, and all is
# read again. Play it with False.
setting = "enable.auto.commit"

# %% wrong="the night's number again"
# That is the night's number. Play the story again with your setting at 5,000.
with_five = read_twice

# %% equivalent
# `reached.get(found[1], 0)` -> `reached.get(found[1], -1)`: the first fetch of a partition goes back
# in neither case.
# `{setting: 5000}` -> `{setting: 5001}`, `{setting: 4999}`: a millisecond decides nothing.

# %% hint
# `logsets.reprocessed(lines)` finds ranges of offsets that were handed out before. Look at its rows
# with how = 'committed', shortly before 03:03.

# %% hint
# The last commit was up to 15 seconds old. Which setting says how often a member commits by itself?
