# %% [markdown]
# ### Exercise 14.2 · Bug hunt: who falls out of sync?
#
# In five clusters, A to E, the link between the leader and one follower broke at second 40. Nobody
# saw it. Each line shows a moment and the log ends of both. In the last line the leader checks its
# followers; `replica.lag.time.max.ms` is in that line. Does the follower stay in the ISR? Write True
# or False.

# %%
n = numbers("14.2")
for name, lines in n.items():
    print(f"--- cluster {name}", *lines, sep="\n")

# %% answer items="N95 N96 N97"
stays = {"A": ..., "B": ..., "C": ..., "D": ..., "E": ...}
### BEGIN SOLUTION
import re


stays = {}
for name, lines in n.items():
    broke_s = float(lines[0].split()[0])
    second, leader, follower, limit_ms = map(float, re.findall(r"[\d.]*\d", lines[-1]))
    stays[name] = leader == follower or second - broke_s <= limit_ms / 1_000
### END SOLUTION

# %% question
from functools import cache

from autograder.cell.kinds import LineReading
from kafkalab.stories.replicas import ends_of, late_follower


@cache
def lines_of(lag_s: int, missing: int, caught_up_s: int) -> tuple[str, ...]:
    """The log ends before the link breaks, soon after it, and when the leader checks."""
    lab = late_follower(lag_s, missing, caught_up_s)
    cut_ms = lab.now_ms - caught_up_s * 1_000
    moments = (cut_ms, cut_ms + 900, lab.now_ms)
    lines = []
    for at_ms in moments:
        leader, follower = ends_of(lab, at_ms)
        lines.append(f"{at_ms / 1_000:5.1f} s  leader ends at {leader}, follower at {follower}")
    lines[-1] += f"; the leader checks, replica.lag.time.max.ms = {lag_s * 1_000}"
    return tuple(lines)


def tells_followers_apart(cases: list[dict]) -> bool:
    """Whether many records missing go with staying, one missing with leaving, none with a long time
    ago, and a time between the two limits with each limit."""
    late = [n for n in cases if n["caught_up_s"] > n["lag_s"]]
    return (
        any(n["missing"] == 400 and n["caught_up_s"] < n["lag_s"] for n in cases)
        and any(n["missing"] == 1 for n in late)
        and any(n["missing"] == 0 for n in late)
        and {n["lag_s"] for n in cases if n["caught_up_s"] == 20 and n["missing"]} == {10, 30}
    )


LineReading(
    title="bug hunt: who falls out of sync",
    points=3,
    answers=("stays",),
    draws=("A", "B", "C", "D", "E"),
    row="cluster",
    space={
        "lag_s": (10, 30),
        "missing": (0, 1, 400),
        "caught_up_s": (4, 8, 20, 50, 90),
    },
    together=tells_followers_apart,
    show=lambda numbers: {
        name: list(lines_of(each["lag_s"], each["missing"], each["caught_up_s"]))
        for name, each in numbers.items()
    },
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.replicas import late_follower


@cache
def _stays(lag_s: int, missing: int, caught_up_s: int) -> bool:
    """Whether the follower is in sync in the lab, so long after it was cut off."""
    return 1 in late_follower(lag_s, missing, caught_up_s).cluster.partition("orders", 0).isr


Judge(
    truth=lambda case: {"stays": _stays(case["lag_s"], case["missing"], case["caught_up_s"])},
    right="right: time decides, and a follower with all records never leaves.",
    otherwise=(
        "{said} is wrong. Compare the time since it had caught up with replica.lag.time.max.ms. A follower "
        "that lacks nothing stays in any case."
    ),
)

# %% begin
import re


def facts(lines):
    """(records missing, seconds since it had all, the limit in seconds)"""
    first = [float(word) for word in re.findall(r"[\d.]*\d", lines[0])]
    second, leader, follower, limit_ms = map(float, re.findall(r"[\d.]*\d", lines[-1]))
    return leader - follower, second - first[0], limit_ms / 1_000


read = {name: facts(lines) for name, lines in n.items()}

# %% wrong="the number of records decides"
# How many records are missing does not matter (here: {missing}). It had caught up {caught_up_s}
# seconds ago, and the limit is {lag_s}.
stays = {name: missing < 100 for name, (missing, late_s, limit_s) in read.items()}

# %% wrong="it must lack nothing"
# Many healthy followers lack some records at any moment. Only the time since it had caught up
# counts, and only when something is missing.
stays = {name: missing == 0 for name, (missing, late_s, limit_s) in read.items()}

# %% wrong="time alone"
# A follower that lacks nothing stays, however long ago its last fetch was counted. No record came
# in this time.
stays = {name: late_s <= limit_s for name, (missing, late_s, limit_s) in read.items()}

# %% wrong="always thirty seconds"
# The limit here is {lag_s} seconds. 30 is the default since 2.5; before, it was 10.
stays = {name: missing == 0 or late_s <= 30 for name, (missing, late_s, limit_s) in read.items()}

# %% equivalent
# `lines[0]` -> `lines[1]`: less than a second is between the two lines, and no follower is so near to
# its limit.
# `second - broke_s <= limit_ms / 1000` -> `second - broke_s < limit_ms / 1000`: no time is the limit.
# `limit_ms / 1000` -> `limit_ms // 1000`, `limit_ms / 1001`, `limit_ms / 999`: the limits are whole
# seconds, and no follower is so near to its limit.
# `leader == follower` -> `leader <= follower`: a follower never has more than its leader here.

# %% hint
# Two questions at the last line: does the follower lack anything? If so, since when?

# %% hint
# It stays if it lacks nothing. It stays too if it had caught up within the limit. Else it leaves.
