# %% [markdown]
# ### Exercise 11.6 · What was taken, and where?
#
# A loss has two lines. `Fetch position FetchPosition{offset=680, ...} is out of range` names the old
# position. `Resetting offset ... to position FetchPosition{offset=720, ...}` names the new one. How
# often did each group's member have to jump, and how many records did it never read? (Some of them
# were deleted; with `latest` others were skipped. Count both.)

# %% spark=true
two = "message like '%is out of range%' or message like 'Resetting offset%'"
losses = lines.where(two).withColumn("offset", number(r"offset=(\d+)"))
said = F.substring("message", 1, 60).alias("said")
losses.select("client_id", said, "offset").orderBy("client_id", "time").limit(6).toPandas()

# %% answer
resets = {"A": ..., "B": ..., "C": ..., "D": ...}
skipped_records = {"A": ..., "B": ..., "C": ..., "D": ...}
### BEGIN SOLUTION
resets, skipped_records = {}, {}
for a, told in n.items():
    once, offsets = slow_member(told.arrive, told.work, told.keep, told.reset)
    resets[a] = len(moments(once, "is out of range"))
    skipped_records[a] = never_read(once, offsets)
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: what retention took",
    points=3,
    answers=("resets", "skipped_records"),
    draws=(*THREE, "D"),
    row="group",
    space=STORIES,
    where=overrun,
    together=tells_ideas_apart,
)

# %% judge
from autograder.course.judge import Judge


def _took(case: dict) -> dict:
    told = _overrun(case["arrive"], case["work"], case["keep"], case["reset"])
    return {name: told[name] for name in ("resets", "skipped_records")}


Judge(
    truth=_took,
    right="right: each loss has two lines at INFO, and their difference is what was never read.",
    otherwise="not both. Pair each out of range line with the reset that follows it.",
)

# %% wrong="the first reset counts"
# One line too many. Each loss has one line `is out of range`. The very first reset says where a new
# group begins, and the reset after each loss is its second line.
resets, skipped_records = {}, {}
for a, x in n.items():
    one, read = slow_member(x.arrive, x.work, x.keep, x.reset)
    resets[a], skipped_records[a] = len(moments(one, "Resetting offset")), never_read(one, read)

# %% says
lambda case: {**_took(case), "resets": _took(case)["resets"] + 1}

# %% wrong="both lines of a loss"
# You counted both lines of each loss. The line `is out of range` and the reset after it are one jump.
resets, skipped_records = {}, {}
for a, x in n.items():
    one, read = slow_member(x.arrive, x.work, x.keep, x.reset)
    resets[a], skipped_records[a] = 2 * len(moments(one, "is out of range")), never_read(one, read)

# %% says
lambda case: {**_took(case), "resets": 2 * _took(case)["resets"]}

# %% wrong="nothing lost"
# Each out of range line is a loss: the records between the old position and the new one.
resets = {a: 0 for a, x in n.items()}
skipped_records = {a: 0 for a, x in n.items()}

# %% wrong="one loss"
# The numbers of a story do not tell what it lost: retention deletes whole segments, and a member may
# fall out more than once. Add up what all its pairs of lines say.
resets = {a: 1 for a, x in n.items()}
skipped_records = {a: (x.arrive - x.work) * x.keep for a, x in n.items()}

# %% hint
# Each loss has two lines, the old position and the new one. The very first reset has no partner:
# nothing was lost there.

# %% hint
# `F.lag("offset").over(so_far)` puts the line before beside each line. Keep the lines `Resetting`.
# The first one of each member is no loss. Group what is left by member.
