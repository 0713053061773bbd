# %% [markdown]
# ### Exercise 12.4 · What may it still call?
#
# Eight things happen to a client. What is the right next step? Choose for each one of these. Some fit
# more than once:
#
# - `"nothing"`: the client repeats by itself.
# - `"same call"`: call the same method again.
# - `"abort"`: abort the transaction and begin a new one.
# - `"close"`: close this client; perhaps make a new one.
# - `"seek"`: set the position yourself, past a record or to where you begin.
# - `"poll"`: poll again; the member joins again.
#
# Three are in the table above. Chapters 05, 09 and 10 have the others. (A NoOffsetForPartitionException
# comes where `auto.offset.reset` is `none`, and the group has no committed offset.) And one number: a
# follower is away for `n.away` seconds, as in section 7, with the seed `n.seed`. How often is the record
# sent?

# %%
n = numbers("12.4")
n

# %% answer
next_step = {
    "a follower is away for 5 seconds, acks=all": ...,
    "commit_transaction(): TimeoutException": ...,
    "RecordTooLargeException in a transaction": ...,
    "ProducerFencedException": ...,
    "poll(): RecordDeserializationException": ...,
    "commit_sync(): CommitFailedException": ...,
    "commit_sync(): the coordinator is away for 2 seconds": ...,
    "poll(): NoOffsetForPartitionException": ...,
}
sends = ...  # a number
### BEGIN SOLUTION
next_step = {
    "a follower is away for 5 seconds, acks=all": "nothing",
    "commit_transaction(): TimeoutException": "same call",
    "RecordTooLargeException in a transaction": "abort",
    "ProducerFencedException": "close",
    "poll(): RecordDeserializationException": "seek",
    "commit_sync(): CommitFailedException": "poll",
    "commit_sync(): the coordinator is away for 2 seconds": "nothing",
    "poll(): NoOffsetForPartitionException": "seek",
}
sends = outlasts(n.away, seed=n.seed)[1]
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="what may it still call",
    points=3,
    answers=("next_step", "sends"),
    space={"away": tuple(range(3, 24))},
    scenery={"seed": 100_000},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import (
    CommitFailedException,
    KafkaConsumer,
    KafkaException,
    Lab,
    SerializationException,
    TopicPartition,
)
from kafkalab.stories import errors


@cache
def _steps() -> dict:
    """What works after each mishap, played in labs."""
    assert errors.outlasts(5)[0] == "written"
    works = {
        what: [call for call in errors.CALLS if errors.what_next(what, (call,)) == "works"]
        for what in errors.MISHAPS
    }
    named = {("commit again",): "same call", ("abort",): "abort", (): "close"}
    timed_out, too_large, fenced = (named[tuple(works[what])] for what in errors.MISHAPS)
    return {
        "a follower is away for 5 seconds, acks=all": "nothing",
        "commit_transaction(): TimeoutException": timed_out,
        "RecordTooLargeException in a transaction": too_large,
        "ProducerFencedException": fenced,
        "poll(): RecordDeserializationException": _after_a_pill(),
        "commit_sync(): CommitFailedException": _after_a_late_commit(),
        "commit_sync(): the coordinator is away for 2 seconds": _while_nobody_answers(),
        "poll(): NoOffsetForPartitionException": _without_an_offset(),
    }


def _while_nobody_answers() -> str:
    lab = errors.market()
    consumer = errors.reader(lab, "ada")
    consumer.poll(timeout_ms=3_000)
    lab.broker(lab.coordinator_of("billing")).pause(2_000)
    consumer.commit_sync()
    return "nothing"


def _without_an_offset() -> str:
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders")
    consumer = KafkaConsumer(lab, {"group.id": "g", "auto.offset.reset": "none"})
    place = TopicPartition("orders", 0)
    consumer.assign([place])
    raised = 0
    for _ in range(2):
        try:
            consumer.poll(timeout_ms=3_000)
        except KafkaException as error:
            raised += type(error).__name__ == "NoOffsetForPartitionException"
    consumer.seek(place, 0)
    consumer.poll(timeout_ms=500)
    return "seek" if raised == 2 else "poll"


def _after_a_pill() -> str:
    lab = errors.market()
    consumer, raised = errors.reader(lab, "ada"), 0
    for _ in range(6):
        try:
            consumer.poll(timeout_ms=500)
        except SerializationException as error:
            raised += 1
            last = error
    consumer.seek(last.topic_partition, last.offset + 1)
    return "seek" if raised > 1 and consumer.poll(timeout_ms=500) else "poll"


def _after_a_late_commit() -> str:
    lab = Lab(brokers=1, seed=1, broker_config={"group.initial.rebalance.delay.ms": 0})
    lab.create_topic("orders")
    config = {"group.id": "g", "max.poll.interval.ms": 5_000, "enable.auto.commit": False}
    consumer = KafkaConsumer(lab, config)
    consumer.subscribe(["orders"])
    consumer.poll(timeout_ms=3_000)
    lab.run_for(ms=20_000)
    failed = 0
    for _ in range(2):
        try:
            consumer.commit_sync()
        except CommitFailedException:
            failed += 1
    consumer.poll(timeout_ms=5_000)
    consumer.commit_sync()
    return "poll" if failed == 2 else "same call"


Judge(
    truth=lambda case: {
        "next_step": _steps(),
        "sends": errors.outlasts(case["away"], seed=case.get("seed", 0))[1],
    },
    right="right: an error names its next step, and no single step fits all of them.",
    otherwise={
        "next_step": (
            "not all of these. Three errors are rows of the table: which call works there? For the "
            "others: does the client repeat by itself, does the position move, is the member in its "
            "group?"
        ),
        "sends": (
            "{said} is not it. A cell of section 7 plays two such followers. Play yours in the same way: "
            "how often was the record sent?"
        ),
    },
)

# %% begin solution

# %% wrong="always abort"
# "Any KafkaException: abort" is wrong after a commit that timed out. There abort raises
# IllegalStateException, and the same commit must be called again.
next_step["commit_transaction(): TimeoutException"] = "abort"

# %% wrong="a fenced producer aborts"
# A fenced producer may not even abort: another one has its id now. Close it.
next_step["ProducerFencedException"] = "abort"

# %% wrong="poll again after a pill"
# Another poll finds the same record and raises again. The position must move.
next_step["poll(): RecordDeserializationException"] = "poll"

# %% wrong="commit again"
# After a CommitFailedException the same commit fails again: this member is out of the group. Poll,
# and it joins again.
next_step["commit_sync(): CommitFailedException"] = "same call"

# %% wrong="each step once"
# No committed offset and no rule: another poll raises again. Say where to read, with `seek`.
next_step["poll(): NoOffsetForPartitionException"] = "poll"

# %% wrong="commit again by hand"
# commit_sync() waits for the coordinator and repeats by itself, for up to a minute. It has raised
# nothing, so there is nothing to do.
next_step["commit_sync(): the coordinator is away for 2 seconds"] = "same call"

# %% equivalent
# `outlasts(n.away, seed=n.seed)` -> `outlasts(n.away)`: the seed changes times, and not how often the
# record is sent.
# `n.seed` -> `n.away`: the same.

# %% hint
# Which of them raise anything at all? Two of them the client repeats by itself.

# %% hint
# Ask for each: does anybody know the outcome? Does this client still own its id, and is it still a
# member of the group?
