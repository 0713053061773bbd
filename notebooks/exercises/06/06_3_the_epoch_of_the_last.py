# %% [markdown]
# ### Exercise 06.3 · The epoch of the last start
#
# Three programs, A, B and C. A is started `n3.A.starts` times, with a client of version
# `n3.A.client` and a broker of the same version. In each start but the last it commits
# `n3.A.transactions` transactions. Then it ends by `n3.A.ends_by`. `"kill -9"` comes in the middle
# of one more transaction. Which epoch does the last start get from `init_transactions`? Try
# `epoch_after` with `"kill -9"` and see what an open transaction adds.

# %%
n3 = numbers("06.3")
n3

# %% answer
epoch = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
epoch = {name: epoch_after(p.client, p.transactions, p.starts, p.ends_by) for name, p in n3.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="the epoch of the last start",
    points=3,
    answers=("epoch",),
    draws=THREE,
    row="program",
    space={
        "client": ("3.9", "4.4"),
        # not 3, as in the chapter's example
        "transactions": (2, 4, 5, 6, 7, 8),
        "starts": (3, 4, 5, 6),
        "ends_by": ("close", "kill -9"),
    },
    # a kill adds one in both versions, a close nothing
    together=lambda rows: (
        {("3.9", "kill -9"), ("4.4", "kill -9")} <= {(n["client"], n["ends_by"]) for n in rows}
        and any(n["ends_by"] == "close" for n in rows)
    ),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import PROFILES, KafkaProducer, Lab, ProducerRecord


@cache
def _epoch(client: str, transactions: int, starts: int, ends_by: str) -> int:
    """The epoch that the last start gets."""
    lab = Lab(brokers=1, seed=5, version=client)
    lab.create_topic("t")
    for start in range(1, starts):
        producer = KafkaProducer(lab, {"transactional.id": "id"}, name=f"life {start}")
        producer.init_transactions()
        for _ in range(transactions):
            producer.begin_transaction()
            producer.send(ProducerRecord("t", value="v")).get()
            producer.commit_transaction()
        if ends_by == "close":
            producer.close()
            continue
        producer.begin_transaction()
        producer.send(ProducerRecord("t", value="v")).get()
        lab.kill(f"life {start}")
    KafkaProducer(lab, {"transactional.id": "id"}, name="last").init_transactions()
    return lab.at(lab.now_ms)["transactions"]["id"]["epoch"]


def _why_this_epoch(case: dict) -> str:
    own_epochs = PROFILES[case["client"]].transacting.speaks_transaction_v2
    counted = "starts and transactions" if own_epochs else "starts"
    if case["ends_by"] == "close":
        return f"right: client {case['client']} counts {counted}."
    return f"right: client {case['client']} counts {counted}, and one more after a kill in an open transaction."


Judge(
    truth=lambda case: {
        "epoch": _epoch(case["client"], case["transactions"], case["starts"], case["ends_by"])
    },
    right=_why_this_epoch,
    otherwise="not this epoch. Let epoch_after run it, and change one number at a time.",
)

# %% wrong="a start is a step"
# So much are the starts after the first alone. Something else raises this epoch, too. The version is
# {client}, the end {ends_by}.
epoch = {a: x.starts - 1 for a, x in n3.items()}

# %% wrong="every transaction is a step"
# With a client of 3.9 a transaction does not raise the epoch; with 4.4 it does. This one is
# {client}.
epoch = {
    a: (x.starts - 1) * (x.transactions + (1 if x.ends_by == "close" else 2)) for a, x in n3.items()
}

# %% wrong="kill -9 is like close"
# kill -9 left a transaction open. The next start first raises the epoch to fence the old process and
# abort. Then it gets the next epoch.
epoch = {
    a: (x.starts - 1) * (1 if x.client == "3.9" else x.transactions + 1) for a, x in n3.items()
}

# %% wrong="the first is 1"
# One too many: the first start gets epoch 0.
epoch = {
    a: 1
    + (x.starts - 1)
    * ((0 if x.client == "3.9" else x.transactions) + (1 if x.ends_by == "close" else 2))
    for a, x in n3.items()
}

# %% hint
# The first start gets epoch 0. What adds to it: a start, a transaction, both?

# %% hint
# epoch_after(client, transactions, starts, ends_by) runs it.
