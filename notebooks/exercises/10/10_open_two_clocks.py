# %% [markdown]
# Compare the two designs of a multi-threaded consumer: one consumer per thread, and one polling
# thread with a pool of workers.

# %% [markdown] answer
# A KafkaConsumer is not thread-safe: only one thread may use it, so both designs keep it to one
# thread. With one consumer per thread the order within a partition is kept and the program is
# simple. But its scaling is limited by the number of partitions, since more threads than partitions
# stay idle, and slow work delays poll() and risks eviction from the group. With one polling thread
# and a pool of workers, processing scales independently of the partitions, and the polling thread
# polls in time. The price of the pool: the order is lost, because a quick worker overtakes a slow
# one, and committing is hard, since only a position below which everything is finished may be
# committed, or records are lost or repeated after a crash.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
