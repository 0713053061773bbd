# %% [markdown] items="C29"
# Two brokers, one topic with five partitions, one consumer in a group, one bootstrap address,
# client 2.3. How many TCP connections does the consumer open, how many does it keep after the idle
# limit has passed, and why does the coordinator get a socket of its own?

# %% [markdown] answer
# The consumer opens four connections and keeps three. The first one goes to the bootstrap address,
# under the made-up id -1, to ask for the coordinator and for metadata. Nobody uses it afterwards,
# so the idle limit closes it. One connection goes to the group's coordinator. Two more go to the
# brokers that lead partitions: one for each leader broker, not one for each partition, so five
# partitions on two brokers need two. The coordinator has a socket of its own because a broker
# answers the requests on one socket in order: a heartbeat behind a long fetch would wait up to 500
# ms for it.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
