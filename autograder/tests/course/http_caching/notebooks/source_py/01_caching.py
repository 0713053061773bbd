# %% [markdown]
# # 01 · How long is an answer fresh?
#
# **Time** about 5 minutes.
#
# A server may say for how many seconds an answer may be used again: `Cache-Control: max-age=60`.
# The header `Age` says how many seconds it has been in a cache already.

# %%
from autograder import check, me, numbers, require

me("")

# %% exercise="01.1"

# %% exercise="01.2"
