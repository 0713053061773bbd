# %% [markdown]
# What does heartbeat.interval.ms really control?

# %% [markdown] answer items="N109"
# It controls how soon a member learns of a rebalance. The coordinator cannot call a member; it puts
# REBALANCE_IN_PROGRESS into the answer to the member's next heartbeat. So with a short interval the
# members rejoin quickly, and the newcomer waits less. Whether a member is alive is not decided by
# the interval but by session.timeout.ms: only when no heartbeat has come for that long is the
# member removed. The interval should be at most a third of the session timeout, so that one or two
# lost heartbeats do not expel a member. A shorter interval means more requests and more load for
# the coordinator.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
