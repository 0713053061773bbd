# %% [markdown] items="P8"
# KafkaProducer's constructor starts its Sender thread. Why is starting a thread inside a
# constructor risky, and what is the safe order?

# %% [markdown] answer
# The new thread can see the object before its constructor has finished: `this` escapes, and fields
# may still be unset. Without safe publication the memory model does not promise that the thread
# sees what the constructor has written. The safe order is to build the object completely first and
# to start the thread afterwards, in a factory method or in a start() method that is called after
# construction.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
