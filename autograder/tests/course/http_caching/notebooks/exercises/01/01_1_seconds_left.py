# %% [markdown]
# ### Exercise 01.1 · Seconds left
#
# An answer came with `max-age` of `fresh.max_age` and an `Age` of `fresh.age`. For how many seconds
# may it still be used?

# %%
fresh = numbers("01.1")
fresh

# %% answer
left = ...
### BEGIN SOLUTION
left = fresh.max_age - fresh.age
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="seconds that an answer is fresh",
    points=1,
    answers=("left",),
    space={"max_age": range(60, 120, 5), "age": range(7, 50, 6)},
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {"left": case["max_age"] - case["age"]},
    right="right: the time in a cache counts.",
    otherwise="not yet: what do the two headers say?",
)

# %% wrong="the age is left out"
# You took `max-age` alone. The answer has been in a cache for {age} seconds.
left = fresh.max_age

# %% wrong="both together"
# You added the two. The age is a part of `max-age`.
left = fresh.max_age + fresh.age

# %% wrong="the age alone"
# You took the age. It says what is over.
left = fresh.age

# %% hint
# Which part of the time is over?

# %% hint
# `max-age` less the age.
