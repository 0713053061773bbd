# %% [markdown]
# Why raise an alarm on lead as well as on lag?

# %% [markdown] answer
# Lead is the distance from the log start offset to the position of the consumer, lag the distance
# from there to the log end. When the lead comes near zero, retention is about to delete records
# that have not been read. Once they are gone the position is out of range, and auto.offset.reset
# decides: with latest the consumer jumps to the end and loses all that lay between, with earliest
# it goes on at the new start and has lost what was deleted. Lag alone does not show this. It looks
# at the other end of the log: it can be the same with a week of room or with none, and after the
# loss it even looks better.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
