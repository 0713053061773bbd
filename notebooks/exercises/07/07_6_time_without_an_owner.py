# %% [markdown] items="N45"
# ### Exercise 07.6 · Time without an owner
#
# Two numbers for each group:
#
# - `ms_without_owner`: how many milliseconds had partitions no owner, all partitions and both
#   rebalances added up? It counts from the line that gives a partition up to the next line that
#   takes it over. The two lines may be of different members.
# - `newcomer_waits_ms`: m4 starts at `started_ms`. How many milliseconds later does it take over
#   its first partition?
#
# `lead` looks at the row that follows in its window:
#
#     window = Window.partitionBy(...).orderBy("at_ms", F.desc("what"))
#     changes.withColumn("next_ms", F.lead("at_ms").over(window))

# %% spark=true
of_m4 = logsets.read(spark, str(logs)).where("client_id = 'm4'")
started_ms = of_m4.agg(F.min(F.unix_millis("time"))).first()[0]  # the same in all four groups
started_ms

# %% answer
ms_without_owner = {"A": ..., "B": ..., "C": ..., "D": ...}
newcomer_waits_ms = {"A": ..., "B": ..., "C": ..., "D": ...}


### BEGIN SOLUTION
def both(lab):
    given_up, total, first = {}, 0, None
    for at_ms, member, change, partition in ownership_changes(lab):
        if change != "Adding":
            given_up[partition] = at_ms
        else:
            total += at_ms - given_up.pop(partition, at_ms)
            if member == "m4" and first is None:
                first = at_ms - 30_000
    return total, first


found = {name: both(shift(group.strategy, group.work_ms)) for name, group in n.items()}
ms_without_owner = {name: total for name, (total, _) in found.items()}
newcomer_waits_ms = {name: first for name, (_, first) in found.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: time without an owner",
    points=3,
    answers=("ms_without_owner", "newcomer_waits_ms"),
    draws=FOUR,
    row="group",
    space={
        "strategy": (*EAGER, "CooperativeSticky"),
        # with these a cooperative member loses partitions, and the exercise is about that too; no
        # gap is still open at the end
        "work_ms": (6_500, 7_200, 7_500, 8_000, 9_500, 12_000),
    },
    together=lambda groups: (
        any(n["strategy"] != "CooperativeSticky" for n in groups)
        # with these m4's first line with Adding names no partition
        and any(
            n["strategy"] == "CooperativeSticky" and n["work_ms"] in (6_500, 7_200, 12_000)
            for n in groups
        )
    ),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.group_protocol import ownership_changes, shift


@cache
def _gaps(strategy: str, work_ms: int) -> tuple[tuple[tuple[int, int, bool], ...], int]:
    """((when it ended, milliseconds, of one member) of each time a partition had no owner, and how
    long m4 waits), by what the consumers had; the lines are not looked at."""
    lab = shift(strategy, work_ms)
    has: dict[str, set] = {}
    free_since: dict[str, tuple[int, str]] = {}
    gaps, first = [], 0
    for event in lab.journal.of("assigned"):
        now, before = set(event.partitions), has.get(event.who, set())
        for tp in sorted(now - before):
            if tp in free_since:
                begun_ms, whose = free_since.pop(tp)
                gaps.append((event.at_ms, event.at_ms - begun_ms, whose == event.who))
            if event.who == "m4" and not first:
                first = event.at_ms - 30_000
        for tp in sorted(before - now):
            free_since[tp] = event.at_ms, event.who
        has[event.who] = now
    lab.close()
    return tuple(gaps), first


@cache
def _revoked_only(strategy: str, work_ms: int) -> int:
    """The milliseconds of the gaps that begin with a line of Revoke."""
    lab, given_up, total = shift(strategy, work_ms), {}, 0
    for at_ms, _, what, partition in ownership_changes(lab):
        if what == "Revoke":
            given_up[partition] = at_ms
        elif what == "Adding":
            total += at_ms - given_up.pop(partition, at_ms)
    lab.close()
    return total


def _each_gap(case: dict, until_ms: int = 10**9) -> list[int]:
    found, _ = _gaps(case["strategy"], case["work_ms"])
    return [ms for ended_ms, ms, _ in found if ended_ms < until_ms]


def _waits(case: dict) -> int:
    return _gaps(case["strategy"], case["work_ms"])[1]


def _with_waits(total):
    """The answer with this number of milliseconds without an owner, and the right wait of m4."""
    return lambda case: {"ms_without_owner": total(case), "newcomer_waits_ms": _waits(case)}


def _why(case: dict) -> str:
    if case["strategy"] == "CooperativeSticky":
        return (
            "right: each step of the cooperative protocol waits for a turn of m2, and m4 with it."
        )
    return "right: the eager members give up everything, and then wait for one turn of m2."


Judge(
    truth=_with_waits(lambda case: sum(_each_gap(case))),
    right=_why,
    otherwise=(
        "not these milliseconds. Pair each revoke with the next add of the same partition in the "
        "same group. For m4, take the first partition that it adds."
    ),
)


# %% equivalent
# `first is None` -> `not first`: m4 never takes over a partition in the moment in which it starts.
# `ownership_changes(lab)` -> `list(ownership_changes(lab))[1:]`: the first change of all is a partition
# that m1 gets and nobody had.


# %% begin
def all_gaps(group, until=10**9, same=False):
    given_up, gaps = {}, []
    for at_ms, client, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):
        if what != "Adding":
            given_up[partition] = at_ms, client
        elif partition in given_up and at_ms < until:
            begun, whose = given_up.pop(partition)
            if not same or whose == client:
                gaps.append(at_ms - begun)
    return gaps


def first_add(group):
    return next(
        at_ms - 30_000
        for at_ms, client, what, _ in ownership_changes(shift(group.strategy, group.work_ms))
        if client == "m4" and what == "Adding"
    )


newcomer_waits_ms = {a: first_add(x) for a, x in n.items()}


# %% wrong="lost partitions left out"
# That leaves out the gaps after a line with Lost. A member that leaves in the middle of a rebalance
# writes "Lost previously assigned partitions": these have no owner, too.
def only_revoked(group):
    given_up, total = {}, 0
    for at_ms, _, what, partition in ownership_changes(shift(group.strategy, group.work_ms)):
        if what == "Revoke":
            given_up[partition] = at_ms
        elif what == "Adding":
            total += at_ms - given_up.pop(partition, at_ms)
    return total


ms_without_owner = {a: only_revoked(x) for a, x in n.items()}

# %% says
_with_waits(lambda case: _revoked_only(case["strategy"], case["work_ms"]))

# %% wrong="the longest gap"
# That is the longest single gap. The question asks for all gaps of all partitions, added up.
ms_without_owner = {a: max(all_gaps(x)) for a, x in n.items()}

# %% says
_with_waits(lambda case: max(_each_gap(case)))

# %% wrong="the number of gaps"
# That is how many gaps there are. Add up how long each one lasted instead of counting rows.
ms_without_owner = {a: len(all_gaps(x)) for a, x in n.items()}

# %% says
_with_waits(lambda case: len(_each_gap(case)))

# %% wrong="in seconds"
# The sum is right, in seconds. Give it in milliseconds, as the rows have it.
ms_without_owner = {a: sum(all_gaps(x)) / 1000 for a, x in n.items()}

# %% says
_with_waits(lambda case: sum(_each_gap(case)) / 1000)

# %% wrong="the average gap"
# That is the average gap. The cost is their sum.
ms_without_owner = {
    a: (lambda gaps: round(sum(gaps) / len(gaps)))(all_gaps(x)) for a, x in n.items()
}

# %% says
_with_waits(lambda case: round(sum(_each_gap(case)) / len(_each_gap(case))))

# %% wrong="the first rebalance only"
# That is the first rebalance alone. m1 leaves later, and that costs as well.
ms_without_owner = {a: sum(all_gaps(x, until=45_000)) for a, x in n.items()}

# %% says
_with_waits(lambda case: sum(_each_gap(case, until_ms=45_000)))

# %% wrong="paired by client"
# That adds up only the gaps that begin and end with the same member. A partition that one member
# gives up is often taken over by another: leave the client out of the window.
ms_without_owner = {a: sum(all_gaps(x, same=True)) for a, x in n.items()}

# %% says
_with_waits(
    lambda case: sum(ms for _, ms, own in _gaps(case["strategy"], case["work_ms"])[0] if own)
)

# %% wrong="the moment and not the wait"
# That is when m4 got its partition, counted from the start of the lab. m4 started at 30,000 ms.
ms_without_owner = {a: sum(all_gaps(x)) for a, x in n.items()}
newcomer_waits_ms = {a: first_add(x) + 30_000 for a, x in n.items()}

# %% says
lambda case: {
    "ms_without_owner": sum(_each_gap(case)),
    "newcomer_waits_ms": _waits(case) + 30_000,
}

# %% hint
# The window is by group and partition. Keep the rows that give up and whose next row takes over.
# Their difference is one gap.

# %% hint
# Add a column next_what like next_ms. Then .where("what not like 'Adding%' and next_what like
# 'Adding%'").groupBy("group").agg(F.sum(F.expr("next_ms - at_ms"))). For m4: the smallest at_ms of
# its 'Adding%' rows, minus started_ms.
