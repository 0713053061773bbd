# %% [markdown]
# ### Exercise 13.3 · How much disk?
#
# Three topics, A, B and C. `retention.ms` of A is `n.A.keep_hours` hours, `segment.ms` is
# `n.A.roll_hours` hours. The topic has `n.A.partitions` partitions and `n.A.replicas` replicas.
# Producers write `n.A.gb_per_hour` GB an hour into the topic, evenly, day and night.
# `retention.bytes` is -1, and `segment.bytes` is large enough. All other settings have their
# defaults.
#
# - `oldest_minutes_most`: how many minutes after it was written can a record still use disk space?
#   Give the longest time, with the deletion of the file.
# - `gb_most`: how many GB must the brokers have for the topic, all together? Use that time. Indexes
#   are small; leave them out.

# %%
n = numbers("13.3")
n

# %% answer
oldest_minutes_most = {"A": ..., "B": ..., "C": ...}
gb_most = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
CHECK, DELAY = 5, 1
for name, topic in n.items():
    minutes_most = 60 * (topic.keep_hours + topic.roll_hours) + CHECK + DELAY
    oldest_minutes_most[name] = minutes_most
    gb_most[name] = topic.gb_per_hour * minutes_most / 60 * topic.replicas
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="how much disk",
    points=2,
    answers=("oldest_minutes_most", "gb_most"),
    draws=THREE,
    row="topic",
    space={
        "keep_hours": (6, 12, 24, 48),
        "roll_hours": (1, 2, 8),
        "partitions": (6, 9),
        "replicas": (2, 3),
        "gb_per_hour": (10, 40),
    },
    # else one number, written once, is right for all three
    together=lambda topics: all(
        len({n[name] for n in topics}) > 1
        for name in ("keep_hours", "roll_hours", "replicas", "gb_per_hour")
    ),
)

# %% judge
from autograder.course.judge import Judge


def _bound(case: dict) -> dict:
    """Retention, a whole segment, one check (300 s), one delay of deletion (60 s)."""
    seconds = 3_600 * case["keep_hours"] + 3_600 * case["roll_hours"] + 300 + 60
    return {
        "oldest_minutes_most": seconds // 60,
        "gb_most": case["gb_per_hour"] * seconds * case["replicas"] / 3_600,
    }


Judge(
    truth=_bound,
    right="right: {keep_hours} + {roll_hours} hours, a check and a delay, and that on each replica.",
    otherwise={
        "oldest_minutes_most": (
            "{said} is not it. The first record of a file waits for the last one, then for retention.ms, "
            "then for the next check, and then for the deletion of the file."
        ),
        "gb_most": (
            "{said} is not it. Multiply the most minutes with what comes in a minute, and with the "
            "replicas: each has a copy."
        ),
    },
)

# %% begin
minutes_of = lambda x: 60 * (x.keep_hours + x.roll_hours) + 6
oldest_minutes_most = {a: minutes_of(x) for a, x in n.items()}
gb_most = {a: x.gb_per_hour * minutes_of(x) / 60 * x.replicas for a, x in n.items()}

# %% wrong="what the setting says"
# {keep_hours} hours is the least that a record stays. Its file is {roll_hours} hours long, and the
# newest record in it decides.
oldest_minutes_most = {a: 60 * x.keep_hours for a, x in n.items()}
gb_most = {a: x.gb_per_hour * x.keep_hours * x.replicas for a, x in n.items()}

# %% wrong="without check and deletion"
# Nearly. The broker looks every five minutes, and the file leaves the disk a minute after that.
oldest_minutes_most = {a: 60 * (x.keep_hours + x.roll_hours) for a, x in n.items()}
gb_most = {a: x.gb_per_hour * (x.keep_hours + x.roll_hours) * x.replicas for a, x in n.items()}

# %% wrong="without the deletion of the file"
# One minute is missing. A deleted file is renamed first, and uses the disk for another minute.
oldest_minutes_most = {a: minutes_of(x) - 1 for a, x in n.items()}
gb_most = {a: x.gb_per_hour * (minutes_of(x) - 1) / 60 * x.replicas for a, x in n.items()}

# %% wrong="times partitions"
# The minutes are right. But {gb_per_hour} GB an hour go into the whole topic, so the number of
# partitions does not matter.
gb_most = {a: x.gb_per_hour * minutes_of(x) / 60 * x.replicas * x.partitions for a, x in n.items()}

# %% wrong="without replicas"
# The minutes are right. But each of the {replicas} replicas has the whole log on a disk of its own.
gb_most = {a: x.gb_per_hour * minutes_of(x) / 60 for a, x in n.items()}

# %% equivalent
# `(5, 1)` -> `(1, 5)`: only the sum of the two counts.
# `topic.gb_per_hour * minutes_most / 60` -> `topic.gb_per_hour * minutes_most // 60`: the GB are whole
# numbers here.

# %% hint
# Follow the first record of a file. How long until the file is closed? How long until its last record
# is too old, until a check comes, and until the file is deleted?

# %% hint
# Four times: segment.ms, retention.ms, five minutes, one minute. Then GB an hour, hours, replicas.
