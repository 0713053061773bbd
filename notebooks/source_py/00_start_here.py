# %% [markdown]
# # 00 · Does everything work here?
#
# Ten minutes. You check your machine, and you do once what every chapter asks of you: guess, run,
# look.

# %%
from autograder.learner.machine import machine

machine()

# %% [markdown] items="C39"
# Every row should say *fine*. A row that does not says what to do. You can read and run every
# chapter without Spark, all but the Spark lab at its end.
#
# ## Guess
#
# This course has no Kafka broker to install. `Lab` is a small simulation of brokers, clients and
# the network between them. Its clock is virtual, so ten minutes pass at once. Its clients do what
# Java's clients do, and write the lines that Java's clients write.
#
# A producer sends one record to a cluster of three brokers. How many connections will it open?
# Write a number in place of `None` and run the cell. Your first guess is kept, and nobody marks it.

# %%
from autograder import predict, truth

predict("00 first producer", connections=None)

# %% [markdown]
# ## Run

# %%
from kafkalab import Lab, KafkaProducer, ProducerRecord

lab = Lab(brokers=3, seed=7, version="2.3", broker_version="2.3")
lab.create_topic("orders", partitions=3)

producer = KafkaProducer(lab, {"client.id": "shop"})
future = producer.send(ProducerRecord("orders", key="alice", value="tea"))
future.done(), lab.now_ms

# %% [markdown]
# `send` returns before the record has arrived: `done` is `False`. Now we wait for the answer. The
# second number is the lab's clock, in milliseconds.

# %%
future.get(), lab.now_ms

# %% [markdown]
# ## Look

# %%
from kafkalab.views import timeline

truth("00 first producer", connections=len(lab.sockets()))
timeline(lab)

# %% [markdown]
# Two connections. One to ask where everything is, one to the broker that leads the record's
# partition. Chapter 02 is about the first, chapter 03 about its cousin in a consumer. Here is what
# a Java client would have written into its log:

# %%
for line in lab.lines("shop").query("logger.str.endswith('NetworkClient')").head(4).itertuples():
    print(line.time, line.level, line.message)

# %% [markdown]
# And why was the second connection opened? Every event knows its cause.

# %%
lab.why(lab.sockets()[1])

# %% [markdown]
# ## How the exercises work
#
# - You write into the cells that say `# Your answer goes here.`
# - `check("02.1")` says in a sentence how your answer does. It tells you which idea a wrong number
#   comes from.
# - `hint("02.1")` helps in two steps, and so does `check("02.1", hint=True)`. `reveal("02.1")`
#   shows the answer once you have it; `reveal("02.1", give_up=True)` shows it at once.
# - The cell under it, `require("02.1")`, belongs to the grader. Leave it as it is. It shows a red
#   sentence until your answer is right. *Run All* goes on past it; the chapter does not need your
#   answer.
# - Open questions at the end of a chapter are read by a person. English or Chinese, a few whole
#   sentences.
# - Your guesses, answers and hints are kept in `progress.json` beside your notebooks. Nothing is
#   sent anywhere.
#
# Come back to this cell whenever you like. It tells how far you are, and what is worth doing once
# more.

# %%
from autograder.learner.overview import overview

overview()

# %% [markdown]
# Next: **01 · Does reading remove a record?**
