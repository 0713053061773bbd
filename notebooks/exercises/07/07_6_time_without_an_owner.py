# %% [markdown] items="N45"
# ### Exercise 07.6 · Time without an owner
#
# How many milliseconds had partitions of each group no owner, all partitions and both rebalances
# added up? It counts from the line that gives a partition up to the next line that takes it over.
# The two may be of different members. `lead` looks at the row that follows in its window.

# %% spark=true
by_partition = Window.partitionBy("group", "partition").orderBy("at_ms", F.desc("what"))
gaps = changes.withColumn("next_ms", F.lead("at_ms").over(by_partition)).withColumn(
    "next_what", F.lead("what").over(by_partition)
)
gaps = gaps.where("what like 'Revoke%' and next_what like 'Adding%'")
gaps.limit(3).toPandas()  # now add up, by group

# %% answer
ms_without_owner = {"A": ..., "B": ..., "C": ..., "D": ...}


### BEGIN SOLUTION
def without_owner(lab):
    given_up, total = {}, 0
    all_lines = lab.table("line")
    for line in all_lines[all_lines.level == "INFO"].itertuples():
        found = re.search(r"(Revoke|Adding).* assigned partitions:? ?(.*)", line.message)
        if found:
            for partition in filter(None, found[2].split(", ")):
                if found[1] == "Revoke":
                    given_up[partition] = line.at_ms
                else:
                    total += line.at_ms - given_up.pop(partition, line.at_ms)
    return total


ms_without_owner = {name: without_owner(shift(group)) for name, group in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: time without an owner",
    points=2,
    answers=("ms_without_owner",),
    draws=FOUR,
    row="group",
    space={
        "strategy": (*EAGER, "CooperativeSticky"),
        "work_ms": (5_000, 6_500, 8_000, 9_500, 11_000, 12_000),
    },
    together=lambda groups: any(n["strategy"] != "CooperativeSticky" for n in groups),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import Lab


@cache
def _gaps(strategy: str, work_ms: int) -> tuple[tuple[int, int], ...]:
    """(when it ended, milliseconds) of each time a partition had no owner, by what the consumers
    had; the lines are not looked at."""
    lab = Lab(brokers=1, seed=9, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=9)
    for number, busy_ms, stays_ms in ((1, 0, 45_000), (2, work_ms, 900_000), (3, 0, 900_000)):
        lab.spawn(_member, f"m{number}", strategy, busy_ms, stays_ms, name=f"m{number}")
    lab.run_for(ms=30_000)
    lab.spawn(_member, "m4", strategy, name="m4")
    lab.run_for(ms=45_000)
    has: dict[str, set] = {}
    free_since: dict[str, int] = {}
    gaps = []
    for event in lab.journal.of("assigned"):
        now, before = set(event.partitions), has.get(event.who, set())
        for tp in sorted(now - before):
            if tp in free_since:
                gaps.append((event.at_ms, event.at_ms - free_since.pop(tp)))
        for tp in sorted(before - now):
            free_since[tp] = event.at_ms
        has[event.who] = now
    lab.close()
    return tuple(gaps)


def _each_gap(case: dict, until_ms: int = 10**9) -> list[int]:
    return [ms for ended_ms, ms in _gaps(case["strategy"], case["work_ms"]) if ended_ms < until_ms]


Judge(
    truth=lambda case: {"ms_without_owner": sum(_each_gap(case))},
    right=("right: eager members pay with every partition, cooperative ones with those that move."),
    otherwise=(
        "not this number of milliseconds. Pair each revoke with the next add of the same "
        "partition in the same group, and add up the differences."
    ),
)


# %% begin
def all_gaps(group, until=10**9):
    given_up, gaps = {}, []
    for line in shift(group).table("line").itertuples():
        found = re.search(r"(Revoke|Adding).* assigned partitions:? ?(.*)", line.message)
        for partition in filter(None, found[2].split(", ") if found else ()):
            if found[1] == "Revoke":
                given_up[partition] = line.at_ms
            elif partition in given_up and line.at_ms < until:
                gaps.append(line.at_ms - given_up.pop(partition))
    return gaps


# %% wrong="the longest gap"
# That is the longest single gap. The question asks for all gaps of all partitions, added up.
ms_without_owner = {a: max(all_gaps(x)) for a, x in n.items()}

# %% says
lambda case: {"ms_without_owner": max(_each_gap(case))}

# %% wrong="the number of gaps"
# That is how many gaps there are. Add up how long each one lasted instead of counting rows.
ms_without_owner = {a: len(all_gaps(x)) for a, x in n.items()}

# %% says
lambda case: {"ms_without_owner": len(_each_gap(case))}

# %% wrong="in seconds"
# The sum is right, in seconds. Give it in milliseconds, as the rows have it.
ms_without_owner = {a: sum(all_gaps(x)) / 1000 for a, x in n.items()}

# %% says
lambda case: {"ms_without_owner": sum(_each_gap(case)) / 1000}

# %% wrong="the average gap"
# That is the average gap. The cost is their sum.
ms_without_owner = {
    a: (lambda gaps: round(sum(gaps) / len(gaps)))(all_gaps(x)) for a, x in n.items()
}

# %% says
lambda case: {"ms_without_owner": round(sum(_each_gap(case)) / len(_each_gap(case)))}

# %% wrong="the first rebalance only"
# That is the first rebalance alone. m1 leaves later, and that costs as well.
ms_without_owner = {a: sum(all_gaps(x, until=45_000)) for a, x in n.items()}

# %% says
lambda case: {"ms_without_owner": sum(_each_gap(case, until_ms=45_000))}

# %% hint
# The filtered rows have both moments. Their difference is one gap.

# %% hint
# gaps.groupBy("group").agg(F.sum(F.expr("next_ms - at_ms")))
