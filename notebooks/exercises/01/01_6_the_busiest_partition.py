# %% [markdown]
# ### Exercise 01.6 · The busiest partition
#
# There are two shops, A and B. In shop A the large customer is number `n.A.busy`, and the topic has
# `n.A.partitions` partitions. Which partition is the busiest, and how many records does it hold?

# %%
n = numbers("01.6")
n

# %% spark=true
per_partition(busy=7, partitions=6).orderBy(F.desc("records")).toPandas()  # put in your numbers

# %% answer
busiest = {"A": ..., "B": ...}
records_in_it = {"A": ..., "B": ...}


### BEGIN SOLUTION
def records_of(shop):
    place = lambda customer: to_positive(murmur2(f"customer-{customer}".encode())) % shop.partitions
    records = [0] * shop.partitions
    for number in range(1_000):
        records[place(number)] += 10_000 if number % 10 >= 3 else 0
    records[place(shop.busy)] += 3_000_000
    return records.index(max(records)), max(records)


busiest = {name: records_of(shop)[0] for name, shop in n.items()}
records_in_it = {name: records_of(shop)[1] for name, shop in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="Spark: the busiest partition",
    points=2,
    answers=("busiest", "records_in_it"),
    draws=("A", "B"),
    row="shop",
    space={"busy": tuple(range(13, 1_000, 23)), "partitions": (5, 7, 8, 9, 10, 11, 13, 14)},
)

# %% judge
from autograder.course.judge import Judge
from kafkalab.hashing import murmur2, to_positive


def _busiest(case: dict) -> dict:
    """Counted key by key: three of ten million for the busy customer, ten thousand for each
    number that does not end in 0, 1 or 2."""
    records = [0] * case["partitions"]
    for customer in range(1_000):
        share = (10_000 if customer % 10 >= 3 else 0) + (
            3_000_000 if customer == case["busy"] else 0
        )
        records[to_positive(murmur2(f"customer-{customer}".encode())) % case["partitions"]] += share
    return {"busiest": records.index(max(records)), "records_in_it": max(records)}


Judge(
    truth=_busiest,
    right="right: customer {busy} alone makes this partition the busiest of {partitions}.",
    otherwise="not this one. Have you put your own two numbers into per_partition?",
)

# %% equivalent
# `[0] * shop.partitions` -> `[0] * shop.busy`: the list is longer, and what is behind the partitions
# stays 0.
# `range(1000)` -> `range(1001)`: customer 1000 has no orders, for its number ends in 0.
# `range(1000)` -> `list(range(1000))[1:]`: nor has customer 0.
# `range(1000)` -> `range(999)`: a learner calls `per_partition`. Only this answer counts by itself.
# `to_positive(murmur2(f'customer-{customer}'.encode()))` changed: a learner calls `per_partition`.

# %% wrong="the example's numbers"
# These are the numbers of the example, busy=7 and six partitions. Put in yours.
busiest = {a: 1 for a, x in n.items()}
records_in_it = {a: 4210000 for a, x in n.items()}

# %% begin
from kafkalab.hashing import murmur2, to_positive

place = lambda x: to_positive(murmur2(f"customer-{x.busy}".encode())) % x.partitions
busiest = {a: place(x) for a, x in n.items()}

# %% wrong="only the large customer"
# You counted the large customer alone. Small customers are in that partition, too.
records_in_it = {a: 3_000_000 + (10_000 if x.busy % 10 >= 3 else 0) for a, x in n.items()}

# %% wrong="an even share"
# That is an even share. Keys are spread evenly, records are not: one key has three million.
records_in_it = {a: 10_000_000 // x.partitions for a, x in n.items()}

# %% hint
# per_partition takes your two numbers. Sort by records, the largest first.

# %% hint
# per_partition(busy=n.A.busy, partitions=n.A.partitions).orderBy(F.desc("records")).toPandas()
