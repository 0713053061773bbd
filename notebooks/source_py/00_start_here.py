# %% [markdown]
# # 00 · Does everything work here?
#
# This page takes ten minutes. You check your machine. Then you do once what every chapter asks of
# you: guess, run, look.

# %%
from autograder.learner.machine import machine

machine()

# %% [markdown] items="C39"
# Every row should say *fine*. Any other row says what to do. Without Spark you can still read and
# run every chapter; you miss only the Spark lab near its end.
#
# ## Guess
#
# You install no Kafka broker for this course. `Lab` is a small simulation of brokers, clients and
# the network between them. Its clock is virtual, so ten minutes pass at once. Its clients do what
# Java's clients do, and write the log lines that Java's clients write. (Clients for other languages,
# such as librdkafka and kafka-python, are other programs. Their settings and lines differ.)
#
# A program that writes records is a **producer** (生产者). Servers that keep records are **brokers**
# (代理服务器). Several brokers together are a *cluster*. Records are kept under a name, their
# *topic*, and a topic can have several parts (chapter 01).
#
# A producer sends one record to a cluster of three brokers. How many connections does it open?
# Write a number in place of `None` and run the cell. Your first guess is kept. Nobody marks it.

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
# `send` returns before the record has arrived: `done` is `False`. The second number is the lab's
# clock, in milliseconds. It is 10 already, because the first `send` waits until the client knows the
# topic. Now we wait for the broker's answer.

# %%
future.get(), lab.now_ms

# %% [markdown]
# The answer is the place of the record: part 0 of `orders`, and there place 0. It took 12
# milliseconds.
#
# ## Look

# %%
from kafkalab.views import timeline

truth("00 first producer", connections=len(lab.sockets()))
timeline(lab)

# %% [markdown]
# Two connections. The producer uses the first one to ask where everything is. The second one goes
# to the broker that takes the records of this part of the topic, its *leader* (chapter 01). In the
# picture each bar is a connection, and each tick under it is a request. Chapter 02 is about the
# connections of a producer. A Java client would have written these lines about them:

# %%
about = "logger.str.endswith('NetworkClient') and level == 'DEBUG' and message.str.contains('onnection')"
for line in lab.lines("shop").query(about).itertuples():
    print(line.time, line.message)

# %% [markdown]
# Why did the producer open the second connection? Every event of the lab knows its cause. Read the
# chain from the top. METADATA is the question where everything is.

# %%
lab.why(lab.sockets()[1])

# %% [markdown]
# ## Break it yourself
#
# Change one thing in this cell and run it again: another `seed`, `brokers=1`, or a second `send`
# with the key `dora`. Only one of them changes the number of connections. Which one, and why?

# %%
lab = Lab(brokers=3, seed=7, version="2.3", broker_version="2.3")
lab.create_topic("orders", partitions=3)
producer = KafkaProducer(lab, {"client.id": "shop"})
producer.send(ProducerRecord("orders", key="alice", value="tea")).get()
timeline(lab)

# %% [markdown]
# **So what?** One record cost two connections. A machine that runs many clients needs many open
# connections, and an operating system limits their number. Alert when a broker comes near its limit
# of open files.
#
# ## How the exercises work
#
# - You write into the cells that say `# Your answer goes here.`
# - `check("02.1")` says in a sentence how good your answer is. It tells you which idea leads to a
#   wrong number.
# - `hint("02.1")` helps in two steps, and so does `check("02.1", hint=True)`. `reveal("02.1")`
#   shows the answer once you have it; `reveal("02.1", give_up=True)` shows it at once.
# - The cell under it, `require("02.1")`, belongs to the grader. Leave it as it is. It shows a red
#   sentence until your answer is right. *Run All* does not stop there.
# - Open questions at the end of a chapter are read by a person. Write a few whole sentences, in
#   English or Chinese. Then compare: `reveal("01.open", give_up=True)` shows a good answer.
# - Your guesses, answers and hints are kept in `progress.json` beside your notebooks. Nothing is
#   sent anywhere.
#
# Each sitting of a chapter takes at most 50 minutes. A line in the chapter says where to stop.
#
# Come back to this cell at any time. It shows how far you are, and what to repeat.

# %%
from autograder.learner.overview import overview

overview()

# %% [markdown]
# **Words**: producer 生产者 · broker 代理服务器
#
# Next: **01 · Does reading remove a record?**
