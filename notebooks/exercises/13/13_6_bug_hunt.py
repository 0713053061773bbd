# %% [markdown]
# ### Exercise 13.6 · Bug hunt: why is it still there?
#
# Three topics, A, B and C. In each the oldest record on disk is older than `retention.ms`. Somebody
# calls it a bug. `n.A.lines` is what `kafka-dump-log` printed of the oldest file, one batch a line,
# cut to what matters. `n.A.retention_ms` is the setting, `n.A.now_ms` the time of the dump. Every
# batch has one record.
#
# Give two things for each topic. `holds`: the offset of the record that decides when this file may
# go. `why`: the reason why it is still there.
#
# - `"segment"`: that record is not too old yet.
# - `"check"`: the file may go, and the broker has not looked yet.
# - `"clock"`: a producer's clock is fast.

# %%
n = numbers("13.6")
print(*n.A.lines, sep="\n")
n.A.retention_ms, n.A.now_ms

# %% answer
holds = {"A": ..., "B": ..., "C": ...}
why = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
for name, log in n.items():
    numbers_in = lambda line: [int(word) for word in line.split() if word.isdigit()]
    times = dict(map(numbers_in, log.lines))
    holds[name] = max(times, key=times.get)
    age_ms = log.now_ms - times[holds[name]]
    why[name] = "clock" if age_ms < 0 else "check" if age_ms > log.retention_ms else "segment"
### END SOLUTION

# %% question
from autograder.cell.kinds import Value
from kafkalab.stories.segments import stale_log


@cache
def dump_of(number: int) -> dict:
    """The oldest file of a log, as the tool prints it: lines, retention.ms, and the time."""
    lab, _ = stale_log(number)
    log = lab.broker(0).machine.replicas.replica(("orders", 0)).log
    first = log.segments.all[0]
    return {
        "lines": [
            f"baseOffset: {batch.base_offset} CreateTime: {batch.records[0].timestamp_ms}"
            for batch in log.batches()
            if log.segments.of(batch.base_offset) is first
        ],
        "retention_ms": log.segments.settings.retention_ms,
        "now_ms": lab.epoch_ms + lab.now_ms,
    }


def dumps(drawn) -> dict:
    """What a learner sees of each topic."""
    return type(drawn)({name: type(one)(dump_of(one["log"])) for name, one in drawn.items()})


Value(
    title="bug hunt: why is it still there",
    points=3,
    answers=("holds", "why"),
    draws=THREE,
    row="topic",
    show=dumps,
    # the log of seed 74 never comes to the moment that is asked for
    space={"log": (*range(74), 92, *range(75, 90))},
    together=lambda topics: len({n["log"] % 3 for n in topics}) == 3,
)

# %% judge
from autograder.course.judge import Judge
from kafkalab.stories.segments import stale_log


def _stale(case: dict) -> dict:
    """From the segment itself: its newest timestamp, and the record that has it."""
    lab, reason = stale_log(case["log"])
    log = lab.broker(0).machine.replicas.replica(("orders", 0)).log
    newest_ms = log.segments.all[0].largest_ms
    found = [
        batch.base_offset for batch in log.batches() if batch.records[0].timestamp_ms == newest_ms
    ]
    return {"holds": found[0], "why": reason}


Judge(
    truth=_stale,
    right="right: the newest timestamp of the file decides, and when the broker looks.",
    otherwise={
        "holds": (
            "{said} is not it. Give the baseOffset of the line with the largest CreateTime. It need "
            "not be the last."
        ),
        "why": (
            '"{said}" is not it. Compare the largest CreateTime of the file with the time of the dump '
            "and with retention.ms."
        ),
    },
)

# %% begin
words_of = lambda line: [int(word) for word in line.split() if word.isdigit()]
times = {a: dict(map(words_of, x.lines)) for a, x in n.items()}
holds = {a: max(times[a], key=times[a].get) for a in n}
age = {a: x.now_ms - times[a][holds[a]] for a, x in n.items()}
why = {
    a: "clock" if age[a] < 0 else "check" if age[a] > x.retention_ms else "segment"
    for a, x in n.items()
}

# %% wrong="the oldest record"
# You named the oldest record. Its age does not matter: the newest record of a file decides.
holds = {a: min(times[a], key=times[a].get) for a in n}

# %% wrong="the last offset"
# You named the last record of the file. Look at the times: the newest one need not be the last.
holds = {a: max(times[a]) for a in n}

# %% wrong="always the check"
# The next check would not delete it. Compare the newest CreateTime with retention.ms first.
why = {a: "check" for a in n}

# %% wrong="always the segment"
# The newest record is older than retention.ms here, or it is from the future. Which of the two?
why = {a: "segment" for a in n}

# %% wrong="a fast clock for all"
# No record of this file is from the future. Compare the largest CreateTime with now_ms.
why = {a: "clock" for a in n}

# %% wrong="check and segment exchanged"
# These two are exchanged. Subtract the newest CreateTime from now_ms: is that more than retention.ms?
why = {a: {"check": "segment", "segment": "check"}.get(w, w) for a, w in why.items()}

# %% equivalent
# `age_ms < 0` -> `age_ms <= 0`, `age_ms < 1`, `age_ms < -1`: a fast clock is minutes fast, and the
# other files are minutes old.
# `age_ms > log.retention_ms` -> `age_ms >= log.retention_ms`: no file is exactly as old as that.

# %% hint
# Which line has the largest CreateTime? Is this time in the future of now_ms?

# %% hint
# age = now_ms - the largest CreateTime. Negative: a clock. More than retention_ms: the check. Else the
# segment.
