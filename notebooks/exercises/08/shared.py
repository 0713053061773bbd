# %% question
from kafkalab.stories.group_states import HABITS, troubled_group

STATES = ("Empty", "PreparingRebalance", "CompletingRebalance", "Stable", "Dead")
NAMES = ("ann", "bob", "cyd")


# %% judge
EMPTY, PREPARING, COMPLETING, STABLE, DEAD = (
    "Empty",
    "PreparingRebalance",
    "CompletingRebalance",
    "Stable",
    "Dead",
)
