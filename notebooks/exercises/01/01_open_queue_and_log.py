# %% [markdown] items="N3"
# How can one system be both a queue and publish/subscribe?

# %% [markdown] answer
# The consumer group is the unit. Inside a group every partition has exactly one owner, so each
# record goes to one member and the members share the work: that is a queue. Every group sees all
# records, because each group keeps its own committed offsets and reads at its own pace: that is
# publish and subscribe. It works because reading removes nothing. The records stay in the log until
# retention deletes them, and a reader only moves its bookmark.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
