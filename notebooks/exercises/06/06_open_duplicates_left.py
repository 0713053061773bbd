# %% [markdown]
# Does Kafka's exactly-once cover sending an e-mail for each record? Why or why not, and what would
# you do?

# %% [markdown] answer
# No. Kafka's exactly-once covers Kafka's own records and offsets only: a transaction binds what is
# written to topics and the committed offsets. An e-mail is outside of Kafka, and it cannot be taken
# back when the transaction is aborted. If the program crashes after sending and before it commits,
# it starts again, and the mail is sent twice. I would give each mail a unique id made of topic,
# partition and offset, and let the mail service drop an id it has already seen, so that sending is
# idempotent. Or I would write the mail into an outbox table in a database and store the offset in
# the same database transaction.

# %% question
from autograder.cell.kinds import Open

Open(points=4)
