# %% [markdown] items="P16 P17"
# A producer first connects to a bootstrap server as node -1 and later opens a second connection to
# the very same host and port as node 0. Why can the first connection not simply be reused, and
# would comparing host:port instead of the id fix it?

# %% [markdown] answer
# The first connection is kept under the made-up id -1, because the client did not know the broker
# yet. Every map in the client is keyed by the node id, so a request for node 0 does not find it.
# Comparing host and port would not really fix it: the address in bootstrap.servers may differ from
# the advertised listener, one name may stand for several brokers, and a load balancer may sit in
# between. The price of the simple rule is one idle connection, and the idle limit closes it after
# nine minutes. So it is a trade-off, and a cheap one.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
