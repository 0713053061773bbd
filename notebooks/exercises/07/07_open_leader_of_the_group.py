# %% [markdown] items="G14 G15 G16"
# Why did Kafka move partition assignment to a client and, in KIP-848, back to the broker?

# %% [markdown] answer
# It moved to a client, the group leader, so that a new assignment strategy needs no upgrade of the
# brokers: the assignor is a plug-in of the consumer, and the coordinator only passes the plan on
# without reading it. In the classic protocol, though, a rebalance is a barrier: all members stop
# and wait until the slowest has joined again. And the clients became thick: the logic has to be
# implemented again in every language, and one bad client can harm the whole group. In KIP-848 the
# coordinator computes the target assignment, and members are moved towards it incrementally, one by
# one, while the others go on reading.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
