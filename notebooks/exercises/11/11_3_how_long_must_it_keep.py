# %% [markdown]
# ### Exercise 11.3 · When does retention bite?
#
# Three topics, A, B and C, each with one member as in section 1. In A `n.A.arrive` orders come each
# minute, the member reads `n.A.work` of them, the topic keeps `n.A.keep` minutes, and
# `auto.offset.reset` is `n.A.reset`. In which minute does the member first find its position gone?
#
# And what does the lag on the dashboard do from that minute on? It drops to `"zero"`, or it stays
# `"flat"` (up and down around one level), or it continues to `"grow"`.
#
# On paper first: the lead is used up when the records of `keep` minutes are, after `keep * arrive /
# (arrive - work)` minutes. Then play it, with `slow_member` and `first_reset`. The minute you hand
# in is the played one. It is later than on paper: retention deletes whole files, and the member
# still has some records that it had fetched.

# %%
n = numbers("11.3")
n

# %% answer items="N85"
first_loss = {"A": ..., "B": ..., "C": ...}
dashboard = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
first_loss, dashboard = {}, {}
for name, topic in n.items():
    one, _ = slow_member(topic.arrive, topic.work, topic.keep, topic.reset)
    first_loss[name] = first_reset(one)
    left = lag_of(one, minutes(first_loss[name] + 0.5))
    dashboard[name] = "zero" if left < topic.arrive else "flat"
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="when does retention bite",
    points=3,
    answers=("first_loss", "dashboard"),
    draws=THREE,
    row="topic",
    space=STORIES,
    where=overrun,
    together=tells_ideas_apart,
)

# %% judge
from autograder.course.judge import Judge


def _bites(case: dict) -> dict:
    told = _overrun(case["arrive"], case["work"], case["keep"], case["reset"])
    return {name: told[name] for name in ("first_loss", "dashboard")}


Judge(
    truth=_bites,
    right="right: from that minute on orders are lost, and the lag no longer shows it.",
    otherwise=(
        "not both. Play it: slow_member, then first_reset. Then look at the lag of the minutes after "
        "that."
    ),
)

# %% wrong="when retention begins"
# At minute {keep} retention begins to delete, and what it takes first has been read long ago. It
# has to catch up with the reader.
first_loss = {a: x.keep for a, x in n.items()}
dashboard = {a: "zero" if x.reset == "latest" else "flat" for a, x in n.items()}

# %% wrong="on paper"
# That is the minute on paper, when the records of {keep} minutes are used up. Real retention deletes
# whole segments, and fetched records are still delivered: play it.
first_loss = {a: x.keep * x.arrive // (x.arrive - x.work) for a, x in n.items()}
dashboard = {a: "zero" if x.reset == "latest" else "flat" for a, x in n.items()}

# %% wrong="lag grows for ever"
# The minute is right. But the member jumps: to the log's start with earliest, to its end with latest.
# The bookmark jumps with it, and the lag loses what was skipped.
first_loss = {
    a: first_reset(slow_member(x.arrive, x.work, x.keep, x.reset)[0]) for a, x in n.items()
}
dashboard = {a: "grow" for a, x in n.items()}

# %% says
lambda case: {**_bites(case), "dashboard": "grow"}

# %% wrong="the curves exchanged"
# The minute is right. The curves are exchanged: latest jumps to the log's end, and nothing is left
# to read; earliest jumps to its start, with the whole log before it.
first_loss = {
    a: first_reset(slow_member(x.arrive, x.work, x.keep, x.reset)[0]) for a, x in n.items()
}
dashboard = {a: "flat" if x.reset == "latest" else "zero" for a, x in n.items()}

# %% says
lambda case: {**_bites(case), "dashboard": "flat" if case["reset"] == "latest" else "zero"}

# %% wrong="never"
# {arrive} come and {work} are read each minute. The topic keeps {keep} minutes of them, and no
# more.
first_loss = {a: None for a, x in n.items()}
dashboard = {a: "grow" for a, x in n.items()}

# %% equivalent
# `first_loss[name] + 0.5` -> `first_loss[name] + 1`, `first_loss[name] + 1.5`: the curve shows itself in
# any of these minutes.
# `left < topic.arrive` -> `left <= topic.arrive`, `left < topic.work`, `left < topic.keep`, `left < 30`:
# after the jump the lag is close to 0, or it is far larger than all of these.

# %% hint
# Paper gives the minute at which the lead is used up. Real retention takes whole files, and the
# member still has what it had fetched.

# %% hint
# lab, read = slow_member(...) plays it. first_reset(lab) says when; then look at the lag of the
# minutes after that.
