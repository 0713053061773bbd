# %% [markdown] items="N27"
# Why is replication.factor = min.insync.replicas + 1 advised, and not equal?

# %% [markdown] answer
# If the two were equal, a single replica that is down would stop all writes with acks=all: the
# in-sync replicas would be fewer than min.insync.replicas, and the producer would get
# NotEnoughReplicas. With one more replica the partition survives one failure, and writing goes on.
# Durability is kept all the same, because an acknowledgement still needs min.insync.replicas
# copies.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
