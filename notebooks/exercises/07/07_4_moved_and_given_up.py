# %% [markdown] items="N43"
# ### Exercise 07.4 · Moved, and given up
#
# Four groups, A to D. Group A reads one topic of `n.A.partitions` partitions with `n.A.members`
# members, m1, m2 and so on, by `n.A.strategy`. Then one more comes; sorted by id it is the last.
# How many partitions have another owner afterwards? And how many did their owners give up on the
# way? Count also those that the same owner gets back.

# %%
n = numbers("07.4")
n

# %% answer
moved_partitions = {"A": ..., "B": ..., "C": ..., "D": ...}
given_up = {"A": ..., "B": ..., "C": ..., "D": ...}


### BEGIN SOLUTION
def owners(lab):
    seen = lab.at(lab.now_ms)["clients"].items()
    return {tp: name for name, client in seen for tp in client["assignment"]}


def after_a_newcomer(group):
    lab = Lab(brokers=1, seed=7, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=group.partitions)
    for number in range(1, group.members + 1):
        lab.spawn(member, f"m{number}", group.strategy, name=f"m{number}")
    lab.run_for(ms=7_500)
    begun, before = lab.now_ms, owners(lab)
    lab.spawn(member, f"m{group.members + 1}", group.strategy, name=f"m{group.members + 1}")
    lab.run_for(ms=11_500)
    after, lines = owners(lab), lab.lines().query("at_ms >= @begun").message
    revoked = lines[lines.str.contains("Revoke previously assigned partitions orders")]
    return sum(before[tp] != after[tp] for tp in before), sum(
        line.count("orders-") for line in revoked
    )


found = {name: after_a_newcomer(group) for name, group in n.items()}
moved_partitions = {name: moves for name, (moves, _) in found.items()}
given_up = {name: lost for name, (_, lost) in found.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

# members and partitions for which Range rounded up, or with the rest for the last, moves as many
ALIKE = ((2, 5), (2, 8), (2, 11), (3, 10), (3, 11), (4, 6))


def tells_sharing_apart(n: dict) -> bool:
    """Whether the shares are uneven afterwards, and Range moves a number of its own."""
    if n["strategy"] == "Range" and (n["members"], n["partitions"]) in ALIKE:
        return False
    return n["partitions"] % (n["members"] + 1) > 0


Value(
    title="moved, and given up",
    points=3,
    answers=("moved_partitions", "given_up"),
    draws=FOUR,
    row="group",
    space={
        "strategy": (*EAGER, "CooperativeSticky"),
        "partitions": (5, 6, 7, 8, 9, 10, 11, 12),
        "members": (2, 3, 4),
    },
    where=tells_sharing_apart,
    together=lambda groups: {n["strategy"] for n in groups} == {*EAGER, "CooperativeSticky"},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import Lab


@cache
def _moved(strategy: str, partitions: int, members: int) -> dict:
    """What changes its owner when one more member comes, and what is given up on the way."""
    lab = Lab(brokers=1, seed=22, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=partitions)
    for number in range(1, members + 1):
        lab.spawn(_member, f"m{number}", strategy, name=f"m{number}")
    lab.run_for(ms=8_000)
    before, begun_ms = _owners(lab), lab.now_ms
    lab.spawn(_member, f"m{members + 1}", strategy, name=f"m{members + 1}")
    lab.run_for(ms=12_000)
    after, has, lost = _owners(lab), {}, 0
    for event in lab.journal.of("assigned"):
        if event.at_ms >= begun_ms:
            lost += len(has.get(event.who, set()) - set(event.partitions))
        has[event.who] = set(event.partitions)
    lab.close()
    return {"moved_partitions": sum(before[tp] != after[tp] for tp in before), "given_up": lost}


def _owners(lab: Lab) -> dict[str, str]:
    return {
        tp: name
        for name, client in lab.at(lab.now_ms)["clients"].items()
        for tp in client["assignment"]
    }


Judge(
    truth=lambda case: _moved(case["strategy"], case["partitions"], case["members"]),
    right="right: the assignor decides what moves; the protocol decides what is given up.",
    otherwise=(
        "not these two. Write down who owns what before and after, by {strategy}, and ask what "
        "each member drops before it joins."
    ),
)


# %% equivalent
# `(before[tp] != after[tp] for tp in before)` -> `(before[tp] != after[tp] for tp in
# list(before)[1:])`: the first partition stays with m1.
# `Lab(brokers=1, seed=7, version='3.9', broker_version='4.4')` changed: each such lab shows it.
# `lab.spawn(member, f'm{number}', group.strategy, name=f'm{number}')` ->
# `lab.spawn(member, f'm{number}', group.strategy)`: the lab takes the name from the member.
# `lab.spawn(member, f'm{group.members + 1}', group.strategy, name=f'm{group.members + 1}')`
# changed: the newcomer is the last by id under each of these names.
# `lab.run_for(ms=7500)` changed: the group has been at rest for seconds.
# `lab.run_for(ms=11500)` changed: the group has been at rest for seconds.
# `lab.lines().query('at_ms >= @begun')` -> `lab.lines()`: before the newcomer nobody gave up anything.


# %% begin
def owner(x, place, members):
    if x.strategy != "Range":
        return place % members
    each, over = divmod(x.partitions, members)
    edge = over * (each + 1)
    return place // (each + 1) if place < edge else over + (place - edge) // each


def share(x):
    return x.partitions // (x.members + 1)


def moves(x):
    if "Sticky" in x.strategy:
        return share(x)
    return sum(owner(x, i, x.members) != owner(x, i, x.members + 1) for i in range(x.partitions))


def lost(x):
    return moves(x) if x.strategy == "CooperativeSticky" else x.partitions


# %% wrong="everything moves"
# You let all {partitions} move. Many get the same owner again, also from assignors that remember
# nothing.
moved_partitions = {a: x.partitions for a, x in n.items()}
given_up = {a: x.partitions for a, x in n.items()}

# %% wrong="only the newcomer's share moves"
# A sticky assignor moves no more than the newcomer needs. {strategy} begins from an empty plan, so
# old members exchange partitions, too.
moved_partitions = {a: share(x) for a, x in n.items()}
given_up = {
    a: min(share(x), lost(x)) if x.strategy == "CooperativeSticky" else x.partitions
    for a, x in n.items()
}

# %% wrong="only what moves is given up"
# The moves are right. But {strategy} is eager: before each join a member gives up everything, also
# what it will get back.
moved_partitions = {a: moves(x) for a, x in n.items()}
given_up = {a: moves(x) for a, x in n.items()}

# %% wrong="cooperative members give up all"
# The moves are right. A cooperative member keeps what it has while it joins, and gives up only
# what the leader left out.
moved_partitions = {a: moves(x) for a, x in n.items()}
given_up = {a: x.partitions for a, x in n.items()}

# %% wrong="the share is rounded up"
# {partitions} partitions do not divide evenly. A sticky assignor lets the old members keep the
# larger shares, and the newcomer gets the smaller one.
moved_partitions = {a: share(x) + 1 if "Sticky" in x.strategy else moves(x) for a, x in n.items()}
given_up = {
    a: share(x) + 1 if x.strategy == "CooperativeSticky" else x.partitions for a, x in n.items()
}

# %% hint
# Two questions. Who owns it before and after? And what does an eager member do before each join?

# %% hint
# Draw two columns, before and after, and count the rows that differ. Given up: all of them with an
# eager assignor, only the movers with the cooperative one.
