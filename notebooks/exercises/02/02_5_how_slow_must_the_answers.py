# %% [markdown] items="P4"
# ### Exercise 02.5 · How slow must the answers be?
#
# `bootstrap_sockets(delay_ms, seed)` counts the connections of a producer 2.2 with five addresses.
# Every answer to API_VERSIONS is `delay_ms` milliseconds late. You have three seeds, `d.A.seed`,
# `d.B.seed` and `d.C.seed`. Find for each seed, by experiment, the smallest delay d from which **all
# five** are opened: with d, with d + 1, and so on up to 20 ms.

# %%
d = numbers("02.5")


def bootstrap_sockets(delay_ms, seed):
    lab = Lab(brokers=5, seed=seed, version="2.2", broker_version="2.3")
    for broker in range(5):
        lab.broker(broker).delay("API_VERSIONS", ms=delay_ms)
    addresses = ",".join(f"localhost:{9092 + b}" for b in range(5))
    KafkaProducer(lab, {"bootstrap.servers": addresses}, name="shop")
    lab.run_for(ms=2_000)
    return sum(s.role == "bootstrap" for s in lab.sockets())


bootstrap_sockets(0, d.A.seed), bootstrap_sockets(20, d.A.seed)

# %% answer
smallest_delay = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def smallest(seed):
    counts = [bootstrap_sockets(delay, seed) for delay in range(21)]
    return min(delay for delay in range(21) if all(count == 5 for count in counts[delay:]))


smallest_delay = {name: smallest(own.seed) for name, own in d.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

# with these seeds five are opened by chance at a smaller delay too: the first five in the list of
# counts is not yet the answer
FIVE_TOO_EARLY = (
    *(3, 15, 16, 20, 24, 26, 28, 49, 59, 71, 86, 94, 95, 100, 123, 132, 150, 156, 161, 168, 169),
    *(176, 177, 178, 185, 190, 194, 199, 206, 215, 227, 228, 236, 249, 250, 255, 259, 265, 275),
    *(276, 277, 285, 290, 299, 302, 303, 311, 318, 322, 325, 331, 335, 368, 370, 373, 378, 380),
    *(381, 384, 392, 394, 399),
)

Value(
    title="from which delay on five",
    points=3,
    answers=("smallest_delay",),
    row="seed",
    space={"seed": FIVE_TOO_EARLY},
    draws=CLUSTERS,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab


@cache
def _bootstrap_sockets(seed: int, delay_ms: int) -> int:
    lab = Lab(brokers=5, seed=seed, version="2.2", broker_version="2.3")
    for broker in range(5):
        lab.broker(broker).delay("API_VERSIONS", ms=delay_ms)
    KafkaProducer(
        lab, {"bootstrap.servers": ",".join(f"localhost:{9092 + b}" for b in range(5))}, name="shop"
    )
    lab.run_for(ms=2_000)
    return sum(s.role == "bootstrap" for s in lab.sockets())


def _smallest(case: dict) -> dict:
    """Walk down from 20 ms while all five are opened."""
    delay = 20
    while delay > 0 and _bootstrap_sockets(case["seed"], delay - 1) == 5:
        delay -= 1
    return {"smallest_delay": delay}


Judge(
    truth=_smallest,
    right=(
        "right: with seed {seed} the answers are then always later than the client's next look-ups."
    ),
    otherwise="not this delay. Make a list of the counts for 0 to 20 ms.",
)

# %% wrong="the first five"
# That is the first delay with five connections. A larger delay of your list has fewer. Take the
# delay after which only fives follow.
smallest_delay = {}
for name in d:
    counts = [bootstrap_sockets(delay, d[name].seed) for delay in range(21)]
    smallest_delay[name] = counts.index(5)

# %% wrong="always five"
# With a delay of 0 ms your lab opens fewer than five. Make the list of counts, and take the delay
# after which only fives follow.
smallest_delay = {x: 0 for x in d}

# %% wrong="the largest tried"
# All five are opened with 20 ms, but with less, too. Try smaller delays.
smallest_delay = {x: 20 for x in d}

# %% wrong="one too few"
# One less than the right delay: with yours, not all five are opened yet.
smallest_delay = {}
for name in d:
    counts = [bootstrap_sockets(delay, d[name].seed) for delay in range(21)]
    smallest_delay[name] = min(i for i in range(21) if all(count == 5 for count in counts[i:])) - 1

# %% equivalent
# `(delay for delay in range(21) if all((count == 5 for count in counts[delay:])))` -> `(delay for
# delay in list(range(21))[1:] if all((count == 5 for count in counts[delay:])))`: no answer is 0.
# `counts[delay:]` -> `list(counts[delay:])[:-1]`: with 20 ms all five are opened.
# `[bootstrap_sockets(delay, seed) for delay in range(21)]` -> `[bootstrap_sockets(delay, seed) for
# delay in range(22)]`, `[bootstrap_sockets(delay, seed) for delay in range(20)]`: from 19 ms on all
# five are opened with every seed.
# `(delay for delay in range(21) if all((count == 5 for count in counts[delay:])))` -> `(delay for
# delay in range(22) if all((count == 5 for count in counts[delay:])))`, `(delay for delay in
# range(20) if all((count == 5 for count in counts[delay:])))`: no answer is as large as 19.
# `count == 5` -> `count >= 5`: there are five addresses, and no more connections.

# %% hint
# Count for every delay from 0 to 20 and look at the list.

# %% hint
# Go through the list from the end. The last delay that is not five is one before the answer.
