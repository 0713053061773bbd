# %% [markdown]
# ### Exercise 17.1 · The lag at 03:12
#
# Three answers about the group whose lag rose at 03:12. Write numbers and texts, not queries: the
# grader has no night.
#
# - `put_out`: how often did the client of a member find out that its poll comes too late? In these
#   releases one such moment writes three lines, and one of the three is a WARN.
# - `with_16`: somebody wants to give the setting that the deploy lowered 16 seconds. Play story 1 with
#   that. How often is a member put out now?
# - `generation`: play story 1 again with the setting at 20 seconds. To which generation does the
#   group get? ("Successfully joined group with generation ...")

# %%
n1 = numbers("17.1")
n1

# %% answer long=true
put_out = ...  # a number
with_16 = ...  # a number
generation = ...  # a number
### BEGIN SOLUTION
import re

from kafkalab.stories.incident import told


def late_polls(lines):
    return sum(" WARN " in line and "poll timeout has expired" in line for line in lines)


put_out = late_polls(told(1, n1))
with_16 = late_polls(told(1, n1, consumer={"max.poll.interval.ms": 16_000}))
again = told(1, n1, consumer={"max.poll.interval.ms": 20_000})
joined = [re.search(r"joined group with generation .*?generationId=(\d+)", x) for x in again]
generation = max(int(found[1]) for found in joined if found)
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="the lag at 03:12",
    points=3,
    answers=("put_out", "with_16", "generation"),
    space={"seed": SEEDS, "version": RELEASES},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge


@cache
def _put_out(seed: int, version: str, **consumer: object) -> int:
    """How many WARN lines of an expired poll the clients of the story write."""
    lines = story(1, {"seed": seed, "version": version}, consumer=consumer)
    return sum(line[26:30] == "WARN" and "poll timeout has expired" in line for line in lines)


@cache
def _settled(seed: int, version: str) -> int:
    settings = {"max.poll.interval.ms": 20_000}
    return generations(1, {"seed": seed, "version": version}, consumer=settings)


Judge(
    truth=lambda case: {
        "put_out": _put_out(case["seed"], case["version"]),
        "with_16": _put_out(case["seed"], case["version"], **{"max.poll.interval.ms": 16_000}),
        "generation": _settled(case["seed"], case["version"]),
    },
    right="right: the work of one poll is longer than the time between two polls may be.",
    otherwise={
        "put_out": (
            "{said} is not it. Take the lines of this group only, and of each moment only the line "
            "of level WARN."
        ),
        "with_16": (
            "{said} is not it. Play story 1 with max.poll.interval.ms at 16,000, and count there as "
            "you did for the night."
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


def late_polls(**consumer):
    lines = told(1, n1, consumer=consumer)
    return sum(" WARN " in line and "poll timeout has expired" in line for line in lines)


put_out = late_polls()
with_16 = late_polls(**{"max.poll.interval.ms": 16_000})
generation = last_generation(told(1, n1, consumer={"max.poll.interval.ms": 20_000}))

# %% wrong="all lines of an expiry"
# Those are all lines that speak of the poll timeout. One moment writes three of them; count the WARN
# lines.
put_out = sum("poll timeout has expired" in line for line in told(1, n1))

# %% wrong="sixteen seconds are enough"
# It is not none. Sixteen seconds are more than most polls take, and less than some. Play it.
with_16 = 0

# %% wrong="another setting"
# That is the number of the night. Play it with max.poll.interval.ms: session.timeout.ms changes
# nothing here, because heartbeats have a thread of their own.
with_16 = late_polls(**{"session.timeout.ms": 16_000})

# %% wrong="the generation of the night"
# That is the generation of the night itself. Play the story again with your setting, and count
# there.
generation = last_generation(told(1, n1))

# %% equivalent
# `' WARN ' in line and 'poll timeout has expired' in line` -> `' WARN ' in line`: the story has no
# other warnings.
# `'poll timeout has expired' in line` -> `'' in line`: the same.
# `{'max.poll.interval.ms': 20000}` -> `{'max.poll.interval.ms': 20001}`,
# `{'max.poll.interval.ms': 19999}`: a millisecond decides nothing.
# `{'max.poll.interval.ms': 16000}` -> `{'max.poll.interval.ms': 16001}`,
# `{'max.poll.interval.ms': 15999}`: the same.
# `re.search('joined group with generation .*?generationId=(\\d+)', x)` ->
# `re.search('joined group with generation .*?generationId=(\\d)', x)`: with the setting no generation
# has two digits.
# `[re.search('joined group with generation .*?generationId=(\\d+)', x) for x in again]` ->
# `[re.search('joined group with generation .*?generationId=(\\d+)', x) for x in list(again)[1:]]`,
# `[re.search('joined group with generation .*?generationId=(\\d+)', x) for x in list(again)[:-1]]`:
# neither the first nor the last line of the story is about a generation.
# `(int(found[1]) for found in joined if found)` ->
# `(int(found[1]) for found in list(joined)[1:] if found)`,
# `(int(found[1]) for found in list(joined)[:-1] if found)`: the same.

# %% hint
# Which lines do the members write, that no other group writes? Look at those of level WARN.

# %% hint
# `retold(1, n1, consumer={"the.setting": 20_000})` plays it again. Read its folder with Spark and use
# the same query as for the night.
