# %% [markdown]
# # The myth court
#
# Twenty claims about Kafka, as people write them in posts and answers. Some are true. Some are
# false. Some were true once. You are the court: for each claim you write an experiment, and the
# versions of the client testify.
#
# **You need** the chapters on producers, consumers and groups; each verdict names the chapter to
# read. **Time** about 6 minutes for a claim.

# %%
from autograder import predict
from autograder.learner.court import claims, court
from kafkalab import Lab, KafkaConsumer, KafkaProducer, ProducerRecord, TopicPartition
from kafkalab.views import compare

print(claims())

# %% [markdown]
# ## A claim in three steps
#
# 1. **Guess.** Lock in `"true"`, `"false"`, `"until 2.3"` for what held up to that version, or
#    `"from 2.8"` for what holds since. The lab plays 2.1, 2.2, 2.3, 2.8, 3.6, 3.9, 4.0 and 4.4, so
#    name one of these.
# 2. **Measure.** Write `experiment(version)`. It returns two values: whether the claim holds in this
#    version (`True` or `False`), and what you measured.
# 3. **Compare.** `court(1, experiment)` calls it for each version and does the same with an
#    experiment of its own. If you agree in all versions, there is a verdict. If you disagree, you
#    get a question and no verdict: one of the two experiments does not measure the claim.
#
# Your numbers may differ from the court's: you may have chosen other keys, times or pauses.
#
# The first claim as an example:

# %%
predict("myth 01", verdict=None)


# %%
def lab_of(version, brokers=3, **settings):
    """A cluster whose brokers are of the client's time."""
    old = version in ("2.1", "2.2", "2.3")
    return Lab(
        brokers=brokers, seed=4, version=version, broker_version="2.3" if old else "4.4", **settings
    )


def experiment(version):
    lab = lab_of(version)
    KafkaProducer(lab, {"enable.idempotence": False})
    lab.run_for(ms=2_000)
    connections = len(lab.sockets())
    return connections == 0, connections


court(1, experiment)

# %% [markdown]
# Here are the first two versions, 2.1 and 2.2. Each sends a record after half a second:


# %%
def quiet(version):
    lab = lab_of(version, brokers=1)
    lab.create_topic("t")
    producer = KafkaProducer(lab, {"enable.idempotence": False})
    lab.run_for(ms=500)
    producer.send(ProducerRecord("t", value="tea"))
    lab.run_for(ms=500)
    return lab


compare(quiet("2.1"), quiet("2.2"), titles=("client 2.1", "client 2.2"), to_ms=1_000)

# %% [markdown]
# If you are stuck, `court(2, give_up=True)` shows the court's own answer. Its experiments are in
# `autograder/learner/court/experiments.py`; look there afterwards, not before.

# %% [markdown]
# ## Before and after send

# %% [markdown]
# ### Claim 2
#
# > One address in bootstrap.servers is enough to find every broker.
#
# **Measure:** data connections of a consumer that was given one of three brokers. `assign` three
# partitions whose leaders you chose: `lab.create_topic("t", partitions=3, leaders=[0, 1, 2])`. A
# socket has a `role` and a `node_id`.

# %%
predict("myth 02", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(2, experiment)

# %% [markdown]
# ### Claim 3
#
# > Records without a key go to the partitions in turn.
#
# **Measure:** the partitions of six records sent at once, three partitions. What you measured is a
# list of six numbers. Send without a pause and with `linger.ms=20`. Keep the futures;
# `get().partition` names the partition.

# %%
predict("myth 03", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(3, experiment)

# %% [markdown]
# ### Claim 4
#
# > A key stays in its partition for ever.
#
# **Measure:** how many of 60 keys live elsewhere when 5 partitions become 6. Send the same 60 keys
# two times: to a topic with 5 partitions, and to one with 6.

# %%
predict("myth 04", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(4, experiment)

# %% [markdown]
# ### Claim 5
#
# > By default a producer sends a record without waiting for more.
#
# **Measure:** milliseconds between send() and PRODUCE, default settings.
# `lab.journal.of("request.sent")` has `api` and `at_ms`. Send one record before, so that the
# connection is there.

# %%
predict("myth 05", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(5, experiment)

# %% [markdown]
# ## What is safe

# %% [markdown]
# ### Claim 6
#
# > By default the leader alone answers for a record.
#
# **Measure:** is a record acknowledged within a second while both followers sleep? What you
# measured is `True` or `False`. Three replicas; `lab.broker(1).pause(3_000)`. How much later is
# `lab.now_ms` after `get()`?

# %%
predict("myth 06", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(6, experiment)

# %% [markdown]
# ### Claim 7
#
# > Idempotence is off unless one switches it on.
#
# **Measure:** INIT_PRODUCER_ID requests of a producer with default settings. Count in the journal,
# as in claim 5.

# %%
predict("myth 07", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(7, experiment)

# %% [markdown]
# ### Claim 8
#
# > With default settings five seconds without a broker lose the record.
#
# **Measure:** what the future says: `"written"`, or the error's name. `lab.broker(0).crash()` and
# `.restart()`. `get()` raises what went wrong.

# %%
predict("myth 08", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(8, experiment)

# %% [markdown]
# ### Claim 9
#
# > When send() has returned, the record is safe.
#
# **Measure:** records in the log when the process is killed right after send(), linger.ms=50. Give
# the producer a `name`, and `lab.kill` it.
# `lab.at(lab.now_ms)["partitions"]["t-0"]["log_end_offset"]` counts what is in the log.

# %%
predict("myth 09", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(9, experiment)

# %% [markdown]
# ### Claim 10
#
# > With acks=all and min.insync.replicas=2 no acknowledged record is lost when the leader's process
# > dies.
#
# **Measure:** of 20 records, how many are acknowledged when the leader crashes, and how many of
# these are gone. What you measured is `{"acknowledged": ..., "gone": ...}`. Take four brokers,
# `lab_of(version, brokers=4, broker_config={...})`. Make a topic with three replicas, led by broker
# number 0. Keep the keys that the callback acknowledged, and read the topic afterwards. Broker 0
# crashes, so give producer and reader the address of broker 3:
# `"bootstrap.servers": "localhost:9095"`.

# %%
predict("myth 10", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(10, experiment)

# %% [markdown]
# ### Claim 11
#
# > With idempotence a record is in the log once.
#
# **Measure:** copies of a record that the program sends again after its restart. A program that
# starts again is a new `KafkaProducer`. It sends the record again, because it heard no answer.

# %%
predict("myth 11", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(11, experiment)

# %% [markdown]
# ## Who reads what

# %% [markdown]
# ### Claim 12
#
# > A new consumer connects at once.
#
# **Measure:** connections two seconds after the constructor and `subscribe()`, without a `poll()`.
# `lab.sockets()` has them.

# %%
predict("myth 12", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(12, experiment)

# %% [markdown]
# ### Claim 13
#
# > What one group has read is gone for the others.
#
# **Measure:** records the second group gets of 10. Ten records, two groups with
# `auto.offset.reset=earliest`, one after the other.

# %%
predict("myth 13", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(13, experiment)

# %% [markdown]
# ### Claim 14
#
# > More members always read faster.
#
# **Measure:** how many of 5 members own something of 3 partitions. Five members and a topic of
# three partitions. Let all of them poll in turn, for some seconds. Who has an `assignment()`?

# %%
predict("myth 14", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(14, experiment)

# %% [markdown]
# ### Claim 15
#
# > A member cannot restart without a rebalance.
#
# **Measure:** generations that a restart adds, with a group.instance.id where the version has it. A
# `group.instance.id` exists from 2.3 on. `lab.at(lab.now_ms)["groups"]["g"]["generation"]` before
# and after a close and a new consumer of the same name.

# %%
predict("myth 15", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(15, experiment)

# %% [markdown]
# ### Claim 16
#
# > No member keeps a partition in a rebalance.
#
# **Measure:** of 4 partitions, how many the first member gives up when a second one comes, with the
# version's gentlest strategy. From 2.4 on try
# `partition.assignment.strategy=CooperativeStickyAssignor`. The method `on_partitions_revoked` of a
# listener is told what is given up (chapter 09).

# %%
predict("myth 16", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(16, experiment)

# %% [markdown]
# ## Who is alive, and what is committed

# %% [markdown]
# ### Claim 17
#
# > A dead member is noticed after ten seconds.
#
# **Measure:** seconds until the group is empty, to the nearest five, default settings. `lab.kill`
# the only member and run until `lab.at(lab.now_ms)["groups"]["g"]["members"]` is empty.

# %%
predict("myth 17", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(17, experiment)

# %% [markdown]
# ### Claim 18
#
# > Slow work loses the partitions because heartbeats stop.
#
# **Measure:** the longest pause between heartbeats in seconds during slow work, and whether the
# member left the group. What you measured is `{"longest_pause_s": ..., "left_the_group": ...}`. Let
# the consumer work for longer than `max.poll.interval.ms` between two polls. The journal has its
# HEARTBEAT and LEAVE_GROUP requests.

# %%
predict("myth 18", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(18, experiment)

# %% [markdown]
# ### Claim 19
#
# > Auto commit works in the background, whatever the program does.
#
# **Measure:** OFFSET_COMMIT requests in 30 seconds after one poll, default settings. One poll that
# returns records, then thirty seconds without any.

# %%
predict("myth 19", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(19, experiment)

# %% [markdown]
# ### Claim 20
#
# > What is committed is the last record read.
#
# **Measure:** the last offset read, and the committed one. What you measured is `{"last_read": ...,
# "committed": ...}`. `commit_sync`, then `consumer.committed([partition])`.

# %%
predict("myth 20", verdict=None)


# %%
def experiment(version):
    lab = lab_of(version)
    measured = ...
    holds = ...
    return holds, measured


court(20, experiment)

# %% [markdown]
# ## What is left of them
#
# Look at the verdicts again. Ten of the twenty claims hold in no version that the lab plays. Eight
# claims held once, and a release changed them. Two claims hold in all versions. So ask of every
# sentence about Kafka: in which version? And ask what you would measure.
#
# **So what**: before you repeat a rule at work, note the release it comes from and the release you
# run. Where they differ, an experiment of ten lines is cheaper than an outage.
