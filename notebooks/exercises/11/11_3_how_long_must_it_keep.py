# %% [markdown]
# ### Exercise 11.3 · How long must the topic keep?
#
# Three topics, A, B and C, each with one member as in section 1. In A `n.A.arrive` orders come each
# minute, the member reads `n.A.work` of them, and `auto.offset.reset` is `n.A.reset`. For how many
# minutes must the topic keep its orders, so that none is lost within the forty minutes? Find the
# smallest whole number.
#
# And with half of that (rounded down): what does the lag on the dashboard do after the first loss?
# It drops to `"zero"`, or it stays `"flat"` (up and down around one level), or it continues to
# `"grow"`.
#
# On paper first: when is the lead used up? Then play it, with `slow_member` and `first_reset`. The
# number you hand in is the played one. It is another than on paper: retention deletes whole files,
# and the member still has some records that it had fetched. A loop finds it.

# %%
n = numbers("11.3")
n

# %% answer long=true items="N85"
must_keep = {"A": ..., "B": ..., "C": ...}
dashboard = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
must_keep, dashboard = {}, {}
for name, topic in n.items():
    keep = 40 * (topic.arrive - topic.work) // topic.arrive  # on paper
    while first_reset(slow_member(topic.arrive, topic.work, keep, topic.reset)[0]) is not None:
        keep += 1
    while first_reset(slow_member(topic.arrive, topic.work, keep - 1, topic.reset)[0]) is None:
        keep -= 1
    must_keep[name] = keep
    one, _ = slow_member(topic.arrive, topic.work, keep // 2, topic.reset)
    left = lag_of(one, minutes(first_reset(one) + 1.5))
    dashboard[name] = "zero" if left < topic.arrive else "flat"
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def shows_both_ends(topics: list[dict]) -> bool:
    """Whether both rules of auto.offset.reset are among them, a member that is nearly as fast as
    its topic, and one that is far too slow and jumps to the end."""
    pairs = [(n["arrive"], n["work"]) for n in topics]
    nearly = any(arrive % 10 and 3 * (arrive - work) <= arrive for arrive, work in pairs)
    far = any(n["arrive"] >= 40 and n["work"] == 10 for n in topics if n["reset"] == "latest")
    return tells_ideas_apart(topics) and nearly and far


Value(
    title="how long the topic must keep",
    points=3,
    answers=("must_keep", "dashboard"),
    draws=THREE,
    row="topic",
    space={
        "arrive": (30, 35, 36, 40, 42, 44, 45, 50, 52, 54, 55, 60, 65, 70, 75),
        "work": (10, 20, 30, 40),
        "reset": ("earliest", "latest"),
    },
    where=lambda n: n["arrive"] > n["work"],
    together=shows_both_ends,
)

# %% judge
from autograder.course.judge import Judge


@cache
def _must_keep(arrive: int, work: int) -> int:
    """The fewest minutes of retention with which forty minutes lose nothing: tried by halves."""
    loses, keeps = 0, 40
    while keeps - loses > 1:
        middle = (loses + keeps) // 2
        if _overrun(arrive, work, middle, "earliest")["first_loss"] is None:
            keeps = middle
        else:
            loses = middle
    return keeps


def _kept(case: dict) -> dict:
    keep = _must_keep(case["arrive"], case["work"])
    half = _overrun(case["arrive"], case["work"], keep // 2, case["reset"])
    return {"must_keep": keep, "dashboard": half["dashboard"]}


Judge(
    truth=_kept,
    right="right: with a minute less orders are lost, and the lag no longer shows it.",
    otherwise={
        "must_keep": (
            "not this number. Play it: slow_member with a smaller and a larger `keep`, then "
            "first_reset. It is None where nothing was lost."
        ),
        "dashboard": "not this curve. Look at the lag of the minutes after the first loss.",
    },
)


# %% begin
def loses(x, keep):
    return first_reset(slow_member(x.arrive, x.work, keep, x.reset)[0]) is not None


def largest_that_loses(x):
    keep = 40 * (x.arrive - x.work) // x.arrive
    while not loses(x, keep):
        keep -= 1
    while loses(x, keep + 1):
        keep += 1
    return keep


# %% wrong="on paper"
# That is the number on paper, when the lead is used up after forty minutes. Real retention deletes
# whole segments, and fetched records are still delivered: play it.
must_keep = {a: -(-40 * (x.arrive - x.work) // x.arrive) for a, x in n.items()}
dashboard = {a: "zero" if x.reset == "latest" else "flat" for a, x in n.items()}

# %% wrong="as long as it runs"
# Forty minutes are enough, and too many: the member reads {work} a minute, so the oldest order that it
# still needs is younger than forty minutes.
must_keep = {a: 40 for a in n}
dashboard = {a: "zero" if x.reset == "latest" else "flat" for a, x in n.items()}

# %% wrong="the last that loses"
# With this number an order is lost in the last minutes. One minute more keeps them all.
must_keep = {a: largest_that_loses(x) for a, x in n.items()}
dashboard = {a: "zero" if x.reset == "latest" else "flat" for a, x in n.items()}

# %% says
lambda case: {**_kept(case), "must_keep": _kept(case)["must_keep"] - 1}

# %% wrong="lag grows for ever"
# The number is right. But the member jumps: to the log's start with earliest, to its end with
# latest. The bookmark jumps with it, and the lag loses what was skipped.
must_keep = {a: largest_that_loses(x) + 1 for a, x in n.items()}
dashboard = {a: "grow" for a in n}

# %% says
lambda case: {**_kept(case), "dashboard": "grow"}

# %% wrong="the curves exchanged"
# The number is right. The curve is the one of the other reset. With latest the bookmark jumps to the
# log's end, and nothing is left to read. With earliest it jumps to the start, with the whole log
# before it.
must_keep = {a: largest_that_loses(x) + 1 for a, x in n.items()}
dashboard = {a: "flat" if x.reset == "latest" else "zero" for a, x in n.items()}

# %% says
lambda case: {
    **_kept(case),
    "dashboard": {"zero": "flat", "flat": "zero"}[_kept(case)["dashboard"]],
}

# %% wrong="a look too early"
# The number is right. A member that polls once a minute asks for its new position in the next
# minute. Look at the lag of that minute, too.
must_keep = {a: largest_that_loses(x) + 1 for a, x in n.items()}
dashboard = {a: "zero" if x.reset == "latest" and x.work > 10 else "flat" for a, x in n.items()}

# %% says
lambda case: {
    **_kept(case),
    "dashboard": "zero" if case["reset"] == "latest" and case["work"] > 10 else "flat",
}

# %% equivalent
# `40 * (topic.arrive - topic.work) // topic.arrive` changed: the search may begin anywhere.
# `1` -> `2`: the second loop goes back by one, and the first one goes on by two.
# `first_reset(slow_member(topic.arrive, topic.work, keep, topic.reset)[0]) is not None` changed: a
# first reset is never in minute 0, retention does not ask for `reset`, and where the first loop
# goes too far the second one comes back.
# `first_reset(slow_member(topic.arrive, topic.work, keep - 1, topic.reset)[0]) is None` changed: a
# first reset is never in minute 0, and retention does not ask for `reset`.
# `slow_member(topic.arrive, topic.work, keep // 2, topic.reset)` changed: each retention that is
# clearly too short shows the same curve.
# `first_reset(one) + 1.5` -> `first_reset(one) + 2.5`: with most numbers the lag has not grown to a
# minute's orders by then.
# `left < topic.arrive` -> `left <= topic.arrive`, `left < topic.work`, `left < 30`: nothing is left
# after a jump to the end, and several minutes of orders after one to the start.

# %% hint
# On paper: after forty minutes the member has read `40 * work` orders. How old is the next one, if
# `arrive` came each minute?

# %% hint
# lab, read = slow_member(...) plays it. first_reset(lab) is None where nothing was lost. Begin
# `keep` at the number on paper and go up or down by one. Then look at the lag of the minutes after
# the first loss, with half of it.
