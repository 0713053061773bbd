# %% [markdown]
# ### Exercise 03.6 · Who has no coordinator?
#
# How many consumers of this set never opened a connection of class `coordinator`? Ask Spark in the
# next cell. Then write the number into the answer.

# %% spark=true
per_client.where("failed > 0").toPandas()  # change this to find consumers without a coordinator

# %% answer
without_coordinator = ...
### BEGIN SOLUTION
without_coordinator = 2
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: consumers without a coordinator",
    points=2,
    answers=("without_coordinator",),
)

# %% judge
import json

from autograder.cell.course_folder import HOME
from autograder.course.judge import Judge


def _without_coordinator(case: dict) -> dict:
    clients = json.loads((HOME / "data/samples/tiny/truth.json").read_text(encoding="utf-8"))[
        "clients"
    ]
    return {
        "without_coordinator": sum(
            c["kind"] == "consumer" and not c["by_class"].get("coordinator")
            for c in clients.values()
        )
    }


Judge(
    truth=_without_coordinator,
    right="right: they read without a group, so nobody coordinates them.",
    otherwise="not this number. Count clients, not connections.",
)

# %% wrong="producers counted too"
# You counted producers too. A producer has no group; the question is about consumers.
without_coordinator = 17

# %% wrong="all consumers"
# These are all consumers. Most of them have a coordinator.
without_coordinator = 27

# %% wrong="none"
# There are some. Look for consumers whose rows hold no class coordinator at all.
without_coordinator = 0

# %% hint
# `per_client` has a column coordinator. Which rows have 0 there?

# %% hint
# per_client.where("coordinator = 0").count()
