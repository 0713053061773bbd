# %% [markdown]
# ### Exercise 14.5 · Who crosses zones?
#
# `shops.A.rack` is the `client.rack` of shop A. How many of its fetch requests went to a broker in
# another rack? A shop whose rack no broker has is in another rack than all of them.

# %% spark=true
fetches.toPandas()  # continue here

# %% answer items="N91"
crossing = {"A": ..., "B": ..., "C": ..., "D": ...}
### BEGIN SOLUTION
import re


def crossing_of(name):
    sent = re.findall(r"Sending \S+ \w*FetchRequest.* to broker .*rack: (\w+)", logs[name])
    return sum(rack != shops[name].rack for rack in sent)


crossing = {name: crossing_of(name) for name in shops}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def tells_racks_apart(shops: list[dict]) -> bool:
    """Whether one reads at the leader in its rack, one at a follower, one has written a follower's
    rack with a capital letter, and those that always cross do so for different numbers of orders."""
    racks = {n["rack"] for n in shops}
    always = {n["orders"] for n in shops if n["rack"] in ("B", "d")}
    return "a" in racks and bool(racks & {"b", "c"}) and "B" in racks and len(always) > 1


Value(
    title="Spark: who crosses zones",
    points=2,
    answers=("crossing",),
    draws=("A", "B", "C", "D"),
    row="shop",
    space={"rack": ("a", "b", "c", "B", "d"), "seed": (1, 2, 3), "orders": (7, 10, 12, 15)},
    together=tells_racks_apart,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab.stories.replicas import RACKS, reading_in


@cache
def _fetched(rack: str, seed: int, orders: int) -> tuple[int, ...]:
    """The brokers that a reader in this rack sent its fetches to."""
    lab = reading_in(rack, seed, orders)
    return tuple(
        int(lab.line_text(event).rpartition("(id: ")[2][0])
        for event in lab.journal.of("line")
        if event.who == "reader" and "FetchRequest(" in lab.line_text(event)
    )


Judge(
    truth=lambda case: {
        "crossing": sum(
            RACKS[broker] != case["rack"]
            for broker in _fetched(case["rack"], case["seed"], case["orders"])
        )
    },
    right="right: one fetch to be sent away is the normal price; all of them are a wrong rack.",
    otherwise=(
        "{said} is not it. Count the fetches whose broker's rack is not the shop's own rack, letter "
        "by letter."
    ),
)

# %% wrong="who has a rack reads near"
# A rack is a name, compared letter by letter. No broker has the rack {rack}, so the leader served
# every fetch.
crossing = {name: 0 if x.rack == "a" else 1 for name, x in shops.items()}

# %% wrong="nobody crosses"
# The first fetch of a shop outside the leader's rack always goes to the leader: only the leader can
# name a near replica.
crossing = {name: 0 for name in shops}

# %% wrong="everybody outside rack a"
# Those are all fetches of this shop. Once the leader has named a follower in rack {rack}, the fetches
# go there.
import re

crossing = {
    name: 0 if x.rack == "a" else len(re.findall(r"FetchRequest\(", logs[name]))
    for name, x in shops.items()
}

# %% hint
# For each shop compare the column `rack` of its fetches with its own rack. Which shops have a rack
# that no broker has?

# %% hint
# Rack a: no fetch crosses. Rack b and c: how many went to rack a before the leader named a follower?
# All others: every fetch.
