# %% [markdown]
# When does adding partitions to a topic break a promise that producers and consumers relied on, and
# what would you do instead?

# %% [markdown] answer
# It breaks a promise when records have keys. The partition of a key is its hash modulo the number
# of partitions. With another number most keys go to another partition. So the order of the records
# of one key is lost across the change: the older ones lie in the old partition, the newer ones in
# the new, and they are read by different members. State or joins that are kept by partition no
# longer match either. I would create a new topic with more partitions, copy or migrate the records,
# and move the producers and consumers over. Better still is to choose enough partitions from the
# start. Without keys nothing breaks.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
