# %% [markdown]
# ### Exercise 04.6 · A bug to hunt: find the setting
#
# Which producer sends far more requests than the others? A client writes all its settings into its
# log when it starts. Print those of the guilty one and compare them with another's. Which setting
# is the cause? Somebody misunderstood what its number counts.

# %% spark=true
settings = lines.where("message like 'ProducerConfig values%'").orderBy("client_id")
told = settings.where("client_id = 'producer-1'").first().message  # change this
print(*told.splitlines()[:30], sep="\n")

# %% answer
too_busy = ...  # its client id, a text
setting = ...  # the name of the setting, a text
its_value = ...  # and its value, a number
### BEGIN SOLUTION
too_busy = f"producer-{guilty.producer}"
setting = "batch.size"
its_value = guilty.batch_size
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="bug hunt with Spark: the producer that sends too much",
    points=2,
    answers=("too_busy", "setting", "its_value"),
    space={"producer": (2, 3, 4, 5, 6, 7, 8), "batch_size": (160, 170, 180, 190, 200, 210)},
    # of the healthy producers, so that nearly everybody has a log of their own
    scenery={"seed": 100_000},
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {
        "too_busy": f"producer-{case['producer']}",
        "setting": "batch.size",
        "its_value": case["batch_size"],
    },
    right=(
        "right: {batch_size} bytes have room for one of these records, so each leaves alone, "
        "whatever linger.ms says."
    ),
    otherwise=(
        "not these three. Find the client with the most requests. Which of its settings differs "
        "from every other client's?"
    ),
)

# %% wrong="linger.ms is blamed"
# The right producer, but linger.ms is not it: others have the same. Its batches are full long
# before they have waited that long.
too_busy = f"producer-{guilty.producer}"
setting = "linger.ms"
its_value = {2: 20, 3: 40, 4: 20, 5: 60, 6: 20, 7: 40, 8: 20}[guilty.producer]

# %% wrong="the default"
# 16384 is the default, which the others have. Read this producer's own line.
too_busy = f"producer-{guilty.producer}"
setting = "batch.size"
its_value = 16384

# %% wrong="its value as a text"
# Right, all three. But the value is a number: write it without quotation marks.
too_busy = f"producer-{guilty.producer}"
setting = "batch.size"
its_value = str(guilty.batch_size)

# %% wrong="the first one"
# producer-1 is healthy. Look for the one with the most requests and the fewest bytes in each.
too_busy = "producer-1"
setting = "batch.size"
its_value = 16384

# %% hint
# Most requests, and the fewest bytes in each: the table tells who. Then print that client's
# settings.

# %% hint
# Two settings close a batch. One of them is far smaller here than in the other producers.
