# %% [markdown]
# ### Exercise 13.5 · What is left?
#
# Before a team switches compaction on, it wants to know what would be left of its topic. Write
# `left_of(changes)`. It takes a table such as the one above, `offset`, `key` and `value`. Everything
# has been cleaned, and the time of all tombstones is over. Return a Spark DataFrame of the rows that
# are left: `offset`, `key` and `value`, one row for each key that is not deleted. Offsets may have
# holes, and the rows come in arbitrary order. The check runs your function on small tables of its
# own.


# %% answer spark=true
def left_of(changes):
    """The rows that compaction leaves in the end: offset, key, value."""
    ### BEGIN SOLUTION
    last = changes.groupBy("key").agg(
        F.max("offset").alias("offset"), F.max_by("value", "offset").alias("value")
    )
    return last.where("value is not null")
    ### END SOLUTION


# %% question
from autograder.cell.kinds import SparkAnswer

TABLES = (
    {
        "case": "two keys, one of them three times",
        "rows": [[0, "tea", "4"], [1, "milk", "2"], [2, "tea", "5"], [3, "tea", "3"]],
    },
    {
        "case": "a key that was deleted",
        # three values before the tombstone, for the first, the middle and the last have sentences
        "rows": [
            [7, "milk", None],
            [3, "milk", "2"],
            [5, "tea", "3"],
            [6, "milk", "9"],
            [4, "milk", "8"],
        ],
    },
    {
        "case": "deleted, and written again",
        "rows": [[10, "tea", "7"], [11, "tea", None], [14, "tea", "1"], [12, "jam", None]],
    },
)

SparkAnswer(
    title="Spark: what is left",
    points=3,
    answers=("left_of",),
    public_cases=TABLES,
    schema="offset bigint, key string, value string",
    gives=("offset", "key", "value"),
)

# %% judge
from autograder.cell.data import canonical
from autograder.course.judge import Judge


def _tables(rng: Random) -> list[dict]:
    """Random tables with deleted keys, keys that come back, holes, and rows in any order."""
    cases = []
    for _ in range(3):
        rows, offset = [], 0
        for _ in range(14):
            offset += rng.randrange(1, 4)
            value = None if rng.random() < 0.3 else str(rng.randrange(1, 10))
            rows.append([offset, rng.choice(("tea", "milk", "jam", "salt")), value])
        rng.shuffle(rows)
        cases.append({"rows": rows})
    return cases


def _told(rows) -> dict:
    return {
        "columns": {"offset": "whole number", "key": "text", "value": "text"},
        "rows": sorted(([offset, key, value] for offset, key, value in rows), key=canonical),
    }


def _last(case: dict, of=lambda row: True, by=lambda row: row[0], pick=max) -> list:
    """One row of each key: of the rows that count, the one with the largest (or smallest) `by`."""
    found: dict = {}
    for row in filter(of, case["rows"]):
        found[row[1]] = pick(found.get(row[1], row), row, key=by)
    return list(found.values())


def _left(case: dict) -> dict:
    return _told(row for row in _last(case) if row[2] is not None)


Judge(
    truth=_left,
    hidden_cases=_tables,
    right="right: the last of each key, and then no tombstones.",
    otherwise="not these rows. Which record is the last of its key, and does it have a value?",
    unseen="other rows were asked for. Think of keys that were deleted, and of those that came back.",
)


# %% wrong="tombstones first"
# An older value of a deleted key is left. Take the record with the largest offset of each key first,
# also where it is a tombstone. Then leave out the tombstones.
def left_of(changes):
    kept = changes.where("value is not null")
    return kept.groupBy("key").agg(
        F.max("offset").alias("offset"), F.max_by("value", "offset").alias("value")
    )


# %% says
lambda case: _told(_last(case, of=lambda row: row[2] is not None))


# %% wrong="tombstones stay"
# The tombstones are still there. Their time is over, so they go, too.
def left_of(changes):
    return changes.groupBy("key").agg(
        F.max("offset").alias("offset"), F.max_by("value", "offset").alias("value")
    )


# %% says
lambda case: _told(_last(case))


# %% wrong="the first of each key"
# That is the first record of each key. The last one stays.
def left_of(changes):
    first = changes.groupBy("key").agg(
        F.min("offset").alias("offset"), F.min_by("value", "offset").alias("value")
    )
    return first.where("value is not null")


# %% says
lambda case: _told(row for row in _last(case, pick=min) if row[2] is not None)


# %% wrong="nothing is cleaned"
# All values are still there. Of each key one row stays, the last one.
def left_of(changes):
    return changes.where("value is not null")


# %% says
lambda case: _told(row for row in case["rows"] if row[2] is not None)

# %% equivalent
# `changes.groupBy('key').agg(F.max('offset').alias('offset'), F.max_by('value', 'offset').alias('value'))`
# -> `changes.groupBy('key').agg(F.max_by('value', 'offset').alias('value'), F.max('offset').alias('offset'))`:
# columns have names, and their order is not asked.

# %% hint
# Two steps, and their order matters: the last row of each key, and the rows with a value.

# %% hint
# F.max_by("value", "offset") gives the value of the row with the largest offset, also when it is null.
