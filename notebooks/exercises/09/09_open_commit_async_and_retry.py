# %% [markdown]
# Why must commitAsync not retry by itself?

# %% [markdown] answer items="N61"
# Because it does not wait. While the failed commit of offset 100 is tried again, the program has
# gone on and has already committed 200. The retry of 100 may arrive after it, out of order, and the
# older offset overwrites the newer one, since the coordinator keeps whatever comes last. After a
# restart or a rebalance the next reader starts at 100 and reads 100 to 199 again. A lost
# asynchronous commit does no harm, because the next one says more. At the end, before closing, no
# next one comes, so the last commit is a commitSync, which waits and may retry.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
