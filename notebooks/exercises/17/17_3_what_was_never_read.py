# %% [markdown]
# ### Exercise 17.3 · What was never read?
#
# Around 03:07 a group asks for records that are gone.
#
# - `with_30`: the topic kept its records for 20 seconds. Play story 3 with 30. How many records does
#   the group jump over then, in all partitions together? The line "out of range" has the offset it
#   asked for. The line "Resetting offset" has the offset it got.
# - `setting`: the setting of the *topic* that says how long it keeps its records.
# - `least_s`: play story 3 again with 20, 30, 40, 50, 60, 70, 80, 90 and 100 seconds. From how many
#   seconds on is no position out of range?

# %%
n3 = numbers("17.3")
n3

# %% answer long=true
with_30 = ...  # a number
setting = ...  # the name of a setting, a text
least_s = ...  # a number
### BEGIN SOLUTION
import re

from kafkalab.stories.incident import told


def jumped(lines):
    """How far the positions of all partitions were moved."""
    asked, far = {}, 0
    for line in lines:
        if found := re.search(r"offset=(\d+).* is out of range for partition (\S+?),", line):
            asked[found[2]] = int(found[1])
        found = re.search(r"Resetting offset for partition (\S+) to .*?offset=(\d+)", line)
        if found and found[1] in asked:
            far += int(found[2]) - asked.pop(found[1])
    return far


setting = "retention.ms"
with_30 = jumped(told(3, n3, topic={setting: 30_000}))
least_s = next(
    seconds
    for seconds in range(20, 101, 10)
    if not any("out of range" in x for x in told(3, n3, topic={setting: seconds * 1_000}))
)
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="what was never read",
    points=3,
    answers=("with_30", "setting", "least_s"),
    space={"seed": SEEDS, "version": RELEASES},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge


@cache
def _jumped(seed: int, version: str) -> int:
    return jumped({"seed": seed, "version": version}, 30)


@cache
def _least_s(seed: int, version: str) -> int:
    """The shortest retention with which no position is out of range, in steps of 10 seconds."""
    case = {"seed": seed, "version": version}
    return next(seconds for seconds in range(20, 101, 10) if not jumped(case, seconds))


Judge(
    truth=lambda case: {
        "with_30": _jumped(case["seed"], case["version"]),
        "setting": "retention.ms",
        "least_s": _least_s(case["seed"], case["version"]),
    },
    right="right: a topic must keep its records for longer than its slowest reader may stop.",
    otherwise={
        "with_30": (
            "{said} is not it. Play story 3 with 30,000. For each partition subtract the offset it asked for from the one it "
            "got. Then add up the four differences."
        ),
        "setting": (
            '"{said}" is another setting. Which one of a topic says how long it keeps its records?'
        ),
        "least_s": (
            '{said} is not it. Play story 3 with each of the nine numbers, and look for "out of '
            'range" in its lines.'
        ),
    },
)

# %% begin
import re

from kafkalab.stories.incident import told


def jumps(kept_ms=30_000):
    lines, at, moved = told(3, n3, topic={"retention.ms": kept_ms}), {}, {}
    for line in lines:
        if found := re.search(r"offset=(\d+).* is out of range for partition (\S+?),", line):
            at[found[2]] = int(found[1])
        if found := re.search(r"Resetting offset for partition (\S+) to .*?offset=(\d+)", line):
            moved[found[1]] = int(found[2]) - at.get(found[1], int(found[2]))
    return moved


def is_out(seconds):
    lines = told(3, n3, topic={"retention.ms": seconds * 1_000})
    return any("out of range" in line for line in lines)


with_30 = sum(jumps().values())
setting = "retention.ms"
least_s = next(seconds for seconds in range(20, 101, 10) if not is_out(seconds))

# %% wrong="the night"
# That is the number of the night itself, with 20 seconds. Play the story again with 30.
with_30 = sum(jumps(20_000).values())

# %% wrong="partitions"
# That is the number of partitions. Each jumped over many records: offset after the reset minus
# offset before it.
with_30 = len([each for each in jumps().values() if each])

# %% wrong="one partition"
# That is one partition. Add up all four.
with_30 = max(jumps().values())

# %% wrong="offsets added up"
# That adds up offsets. An offset is a place in the log, and no count of records.
with_30 = sum(
    int(found[1])
    for line in told(3, n3, topic={"retention.ms": 30_000})
    if (found := re.search(r"Resetting offset for partition \S+ to .*?offset=(\d+)", line))
)

# %% wrong="the broker's default"
# log.retention.ms is the broker's default for all topics. The topic's own setting has a name without
# "log".
setting = "log.retention.ms"

# %% wrong="the reset rule"
# auto.offset.reset decides where to continue when the records are gone. It brings none of them back.
setting = "auto.offset.reset"

# %% wrong="a step too early"
# With so many seconds a position is still out of range. Deletion is late and by whole segments,
# but it came.
least_s -= 10

# %% equivalent
# `{setting: 30000}` -> `{setting: 30001}`, `{setting: 29999}`: a millisecond decides nothing.
# `range(20, 101, 10)` -> `range(0, 101, 10)`, `range(20, 102, 10)`, `range(20, 100, 10)`,
# `list(range(20, 101, 10))[1:]`: the answer is never one of the ends.
# `told(3, n3, topic={setting: seconds * 1000})` ->
# `list(told(3, n3, topic={setting: seconds * 1000}))[1:]`,
# `list(told(3, n3, topic={setting: seconds * 1000}))[:-1]`: neither the first nor the last line of the
# story is about an offset.
# `seconds * 1000` -> `seconds * 1001`, `seconds * 999`: the question asks for steps of ten seconds.

# %% hint
# Two lines belong together: "is out of range for partition", and after it "Resetting offset for
# partition" with the same partition.

# %% hint
# `retold(3, n3, topic={"the.setting": 50_000})` plays it with 50 seconds. Look for "out of range" in
# its lines.
