# %% [markdown]
# ### Exercise 01.2 · May it be used?
#
# Write `usable(max_age, age, no_cache)`: may a cache use the answer without asking the server?

# %% answer
def usable(max_age, age, no_cache):
    ...
    ### BEGIN SOLUTION
    return not no_cache and age < max_age
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function


def said(namespace, case):
    """What the learner's function says to a case."""
    return namespace["usable"](case["max_age"], case["age"], case["no_cache"])


Function(
    title="may a cache use the answer",
    points=2,
    answers=("usable",),
    probe=said,
    public_cases=(
        {"max_age": 60, "age": 10, "no_cache": False},
        {"max_age": 60, "age": 60, "no_cache": False},
        {"max_age": 60, "age": 10, "no_cache": True},
        {"max_age": 60, "age": 90, "no_cache": False},
    ),
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: case["age"] < case["max_age"] and not case["no_cache"],
    hidden_cases=lambda rng: [
        {"max_age": limit, "age": limit - 1, "no_cache": False}
        for limit in rng.sample(range(2, 900), 3)
    ],
    right="right: fresh, and nobody asked for the server's word.",
    otherwise="not yet: {max_age} s, {age} s old, no-cache {no_cache}.",
)


# %% wrong="no-cache is not looked at"
# With `no-cache` the server is asked each time.
def usable(max_age, age, no_cache):
    return age < max_age


# %% wrong="a second too long"
# An answer as old as its `max-age` is stale.
def usable(max_age, age, no_cache):
    return not no_cache and age <= max_age


# %% wrong="always"
# You use every answer, however old.
def usable(max_age, age, no_cache):
    return True


# %% hint
# What does `no-cache` ask for?

# %% hint
# It is younger than its `max-age`, and has no `no-cache`.
