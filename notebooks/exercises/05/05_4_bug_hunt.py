# %% [markdown]
# ### Exercise 05.4 · Sent, and nothing there
#
# A program counts what it has sent: "3 orders sent, all fine". Its topic has none of them, and the
# program continued without an error. Here are the first warnings in the producer's log. What does
# the broker answer? Put the name of the error, as the lines write it, into `error_name`. Why did
# the program not learn of it? Put what it should have passed to `send` or to the producer into
# `missing`: one of the three words in the cell.

# %%
lab = cluster(min_insync=3)
lab.broker(1).crash()
lab.broker(2).crash()
lab.run_for(ms=20_000)
producer = KafkaProducer(
    lab, {"client.id": "shop", "acks": "all", **PATIENT, "bootstrap.servers": "localhost:9095"}
)
for number in range(3):  # each answer is thrown away
    producer.send(ProducerRecord("orders", value=f"order {number}"))
lab.run_for(ms=30_000)
shown = lab.lines("shop").query("level == 'WARN'").message
for line in shown.head(4):
    print(line)

# %% answer
error_name = ...  # as the lines write it
missing = ...  # what should have been passed: "callback", "acks" or "retries"
### BEGIN SOLUTION
error_name = "NOT_ENOUGH_REPLICAS"
missing = "callback"
### END SOLUTION

# %% question
from autograder.cell.kinds import LineReading

LineReading(
    title="bug hunt: sent, and nothing there",
    points=2,
    answers=("error_name", "missing"),
)

# %% judge
from autograder.course.judge import Judge

Judge(
    truth=lambda case: {"error_name": "NOT_ENOUGH_REPLICAS", "missing": "callback"},
    right="right: the broker refused every time, and nobody was listening.",
    otherwise=(
        "not these two. The error is the word in capitals at the end of each line. For the "
        "other, ask who would have been told."
    ),
)

# %% wrong="acks is blamed"
# acks=all is why the broker refused, and it was right to. The program did not hear it, because it
# gave send nothing to call.
error_name = "NOT_ENOUGH_REPLICAS"
missing = "acks"

# %% wrong="retries are blamed"
# It retried until the delivery timeout. Two followers were away all the time, so no retry could
# help.
error_name = "NOT_ENOUGH_REPLICAS"
missing = "retries"

# %% wrong="the exception's name"
# That is the exception's name in Java. The lines write the error as NOT_ENOUGH_REPLICAS.
error_name = "NotEnoughReplicasException"
missing = "callback"

# %% wrong="the exception's name, and acks"
# Java names its exception so; copy the word as the lines have it. And acks=all did its work: it
# refused. Who could have been told?
error_name = "NotEnoughReplicasException"
missing = "acks"

# %% wrong="the exception's name, and retries"
# Java names its exception so; copy the word as the lines have it. And there were more than enough
# retries. Who could have been told?
error_name = "NotEnoughReplicasException"
missing = "retries"

# %% wrong="the error of the end"
# So it ended, after the delivery timeout. Asked is what the broker answered each time before; the
# lines above name it.
error_name = "TimeoutException"
missing = "callback"

# %% hint
# The lines are warnings of the producer. What does the broker answer each time?

# %% hint
# The program threw the futures away and gave nothing else that could be told.
