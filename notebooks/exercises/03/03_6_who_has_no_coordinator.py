# %% [markdown]
# ### Exercise 03.6 · How long was the broker away?
#
# Some consumers lost a connection: the broker ended it (`how` is `peer`), and the tries after that
# failed. Take each of these consumers. How many whole seconds passed from the end of the lost
# connection to the opening of the next one to the same node id that did not fail? Write the longest
# of these times into the answer. And how many consumers of the set never opened a connection of class
# `coordinator`, although they read?

# %% spark=true
per_client.where("failed > 0").toPandas()  # continue here, with sockets

# %% answer
away_s = ...  # a number
without_coordinator = ...  # a number
### BEGIN SOLUTION
away_s = 43
without_coordinator = 2
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: how long a broker was away",
    points=2,
    answers=("away_s", "without_coordinator"),
)

# %% judge
import json
from datetime import datetime

from autograder.cell.course_folder import HOME
from autograder.course.judge import Judge

WRITTEN = "%Y-%m-%d %H:%M:%S,%f"


def _consumers() -> list[dict]:
    truth = json.loads((HOME / "data/samples/tiny/truth.json").read_text(encoding="utf-8"))
    return [each for each in truth["clients"].values() if each["kind"] == "consumer"]


def _away_s(sockets: list[dict]) -> int:
    """The longest time from a connection that the broker ended to the next that stood; 0 for none."""
    longest = 0
    for lost in sockets:
        later = [
            each["opened_at"]
            for each in sockets
            if each["node_id"] == lost["node_id"]
            and each["how"] != "failed"
            and each["opened_at"] > lost["opened_at"]
        ]
        if lost["how"] == "peer" and later:
            begin, end = (datetime.strptime(at, WRITTEN) for at in (lost["closed_at"], min(later)))
            longest = max(longest, int((end - begin).total_seconds()))
    return longest


Judge(
    truth=lambda case: {
        "away_s": max(_away_s(each["sockets"]) for each in _consumers()),
        "without_coordinator": sum(
            not each["by_class"].get("coordinator") for each in _consumers()
        ),
    },
    right="right: the client tries until the broker is back. Without a group there is no coordinator.",
    otherwise={
        "away_s": (
            "{said} is not it. Look at the rows of one such consumer in the order of `opened_at`. Which "
            "row ends with `peer`, and which is the next one to this node that did not fail?"
        ),
        "without_coordinator": (
            "{said} is not it. Count the consumers that have no row of class coordinator."
        ),
    },
)

# %% begin
away_s, without_coordinator = 43, 2

# %% wrong="one of two"
# That is the time of one consumer. Another one lost a connection, too, and for longer.
away_s = 33

# %% wrong="the first try"
# That is the time to the next try. It failed. Take the next one that did not.
away_s = 0

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
# `sockets.where("client_id = '...'").orderBy("opened_at")` shows the life of one consumer's
# connections. `per_client` has a column coordinator.

# %% hint
# Join the rows with how = 'peer' and the later rows of the same client and node id that did not fail.
# Take the smallest opened_at, and subtract. For the other number count the rows of `per_client` with
# coordinator = 0.
