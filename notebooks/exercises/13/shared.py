# %% question
from functools import cache
from random import Random

THREE = ("A", "B", "C")


# %% judge
from random import Random
