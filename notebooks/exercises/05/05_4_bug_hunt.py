# %% [markdown]
# ### Exercise 05.4 · Sent, and nothing there
#
# A program counts what it has sent: "3 orders sent, all fine". Its topic has none of them, and the
# program continued without an error. Here are the first warnings in the producer's log. What does
# the broker answer? Put the name of the error, as the lines write it, into `error_name`. The program
# gave `send` no callback, so nobody told it. Add one to the cell, and run it. Which class of error
# does the callback get? Put its name into `told`. How many seconds after `send`? Put the whole
# seconds into `told_after_s`.

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
told = ...  # the name of a class, a text
told_after_s = ...  # a number
### BEGIN SOLUTION
error_name = "NOT_ENOUGH_REPLICAS"
told = "TimeoutException"
told_after_s = 20
### END SOLUTION

# %% question
from autograder.cell.kinds import LineReading

LineReading(
    title="bug hunt: sent, and nothing there",
    points=2,
    answers=("error_name", "told", "told_after_s"),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaException, KafkaProducer, ProducerRecord
from kafkalab.stories.committed import PATIENT, cluster


@cache
def _heard() -> dict:
    """What the broker answers, and what a callback hears in the end, and after how many seconds."""
    lab = cluster(min_insync=3)
    for follower in (1, 2):
        lab.broker(follower).crash()
    lab.run_for(ms=20_000)
    settings = {"acks": "all", **PATIENT, "bootstrap.servers": "localhost:9095"}
    producer, sent_ms = KafkaProducer(lab, settings, name="shop"), lab.now_ms
    try:
        producer.send(ProducerRecord("orders", value="order 0")).get()
    except KafkaException as error:
        told = type(error).__name__
    warned = lab.lines("shop").query("level == 'WARN'").message.iloc[0]
    return {
        "error_name": warned.rsplit("Error: ", 1)[1].split(". ")[0],
        "told": told,
        "told_after_s": (lab.now_ms - sent_ms) // 1_000,
    }


Judge(
    truth=lambda case: _heard(),
    right="right: the broker refused each try, and time ended the trying. A callback hears only that.",
    otherwise={
        "error_name": "not this. The error is the word in capitals at the end of each line.",
        "told": (
            '"{said}" is not it. Let the callback print `type(error).__name__`, and run the cell.'
        ),
        "told_after_s": (
            "{said} is not it. Let the callback print `lab.now_ms`. How much later is that than `send`?"
        ),
    },
)

# %% begin
error_name, told, told_after_s = "NOT_ENOUGH_REPLICAS", "TimeoutException", 20

# %% wrong="the exception's name"
# That is the exception's name in Java. The lines write the error as NOT_ENOUGH_REPLICAS.
error_name = "NotEnoughReplicasException"

# %% wrong="the error of each try"
# So the broker answers each try, and the producer tries again. The callback is called once, at the
# end: time has ended the trying.
told = "NotEnoughReplicasException"

# %% wrong="the error of each try, as the lines write it"
# So the broker answers each try, and the producer tries again. The callback is called once, at the
# end: time has ended the trying.
told = "NOT_ENOUGH_REPLICAS"

# %% wrong="the default"
# Two minutes are the default of delivery.timeout.ms. PATIENT has another value.
told_after_s = 120

# %% wrong="the clock of the lab"
# That is the lab's clock when the callback is called. The lab ran for 20 seconds before `send`.
told_after_s = 40

# %% hint
# The lines are warnings of the producer. What does the broker answer each time?

# %% hint
# `producer.send(record, lambda metadata, error: print(lab.now_ms, type(error).__name__))`. Note
# `lab.now_ms` before the first `send`, too.
