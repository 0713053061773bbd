# %% [markdown]
# # The playground
#
# A **lab** is a simulated Kafka cluster with its clients and one clock. This page shows what you
# can do with a lab. There are no exercises and no marks here. Break what you like: a new lab is one
# line.
#
# **You need** chapter 00. **Time** as long as you like.

# %%
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord
from kafkalab.stories.playground import job_worker, order_reader, playground
from kafkalab.stories.playground import share_lab, small_lab
from kafkalab.views import cluster_map, group_timeline, moving, replica_ladder, timeline

# %% [markdown]
# ## 1. Buttons
#
# Three brokers run. The topic `orders` has three partitions, each with three replicas. A shop
# writes two orders in a second. Two members, ann and bob, read them.
#
# No time passes until you press a button. Crash a broker, let ten seconds pass, and look: who
# leads now? Under the picture are the lines of code of the buttons that you pressed.
#
# The waits are shorter than Kafka's defaults here. A member that is silent for 10 seconds is taken out
# of its group. A broker that is silent for 6 seconds is counted as down. A killed client can be
# started again: it is a new process, ann-2, and a new member. Its client.id is ann, as before.
#
# What this page does not have: disks that fill up, encryption and logins, more than one machine for a
# client, and programs other than these. The lab itself says what it does not simulate: each setting
# that it cannot play is refused with a sentence.

# %%
lab = small_lab()
playground(lab)

# %% [markdown]
# The same with a share group (chapter 16): one partition, two workers, 0.7 seconds for a job. Two jobs
# come in a second. Kill bob and look at *the window*: is ann quick enough? Start another worker.

# %%
jobs_lab = share_lab()
playground(jobs_lab)

# %% [markdown]
# The buttons of the first picture change the lab in the variable `lab`. So you can also write a line here and press
# *draw* above. Nothing happens in a lab by itself. Time passes only in a line that lets it pass.

# %%
lab.run_for(ms=1_000)
lab

# %% [markdown]
# ## 2. Let time pass
#
# `run_for` lets some milliseconds of the lab's time pass. `run_until` lets time pass until
# something is true, and says whether it became true. An hour in the lab takes seconds of yours.

# %%
lab.run_until(lambda: lab.at(lab.now_ms)["partitions"]["orders-0"]["high_watermark"] >= 10)

# %% [markdown]
# ## 3. Break a broker
#
# | line | what happens |
# |---|---|
# | `lab.broker(1).crash()` | The process dies. Its disk stays. |
# | `lab.broker(1).restart()` | The process starts again with its disk. |
# | `lab.broker(1).pause(ms=5_000)` | The process stops for a while, as in a long garbage collection. |
# | `lab.broker(1).stop()` | The process ends in order: it gives its leaderships away first. |
# | `lab.broker(1).power_loss()` | The machine loses its power, and what was not on the disk. |
# | `lab.broker(1).delay("FETCH", ms=50)` | Its answers to FETCH come 50 ms later. |

# %%
lab = small_lab(seed=2)
lab.broker(1).crash()
lab.run_for(ms=20_000)
cluster_map(lab, title="broker 1 is down: who leads now?")

# %% [markdown]
# ## 4. Break the network
#
# | line | what happens |
# |---|---|
# | `lab.link(0, "ann").cut()` | ann does not reach broker 0. |
# | `lab.link(0, "ann").heal()` | ann reaches it again. |
# | `lab.link(0, "ann").set_latency(ms=200)` | Each message takes 200 ms. |
# | `lab.partition([0], [1, 2])` | Broker 0 does not reach the brokers 1 and 2. |
# | `lab.heal()` | The brokers reach one another again. |

# %%
lab = small_lab(seed=3)
lab.partition([0], [1, 2])
lab.run_for(ms=40_000)
lab.describe_topic("orders")[["partition", "leader", "leader_epoch", "isr", "log_end_offset"]]

# %% [markdown]
# ## 5. Break a client
#
# `lab.kill("ann")` ends a process as `kill -9` does: nothing is closed, nothing is said.
# `lab.spawn(order_reader, "cyd", name="cyd")` starts another reader beside what runs.

# %%
lab = small_lab(seed=4)
lab.kill("ann")
lab.run_for(ms=5_000)
lab.spawn(order_reader, "cyd", name="cyd")
lab.run_for(ms=25_000)
group_timeline(lab, "billing", beats=True)

# %% [markdown]
# ## 6. Look at what happened
#
# A lab writes down all that happens. So you can look at any moment, also at one that has passed.
#
# | line | what you get |
# |---|---|
# | `lab.at(12_000)` | the whole state at 12 s: brokers, partitions, groups, clients |
# | `lab.lines("ann")` | the lines that a Java client would write, as a table |
# | `lab.table("request.sent")` | every request; `lab.table()` is every event |
# | `lab.sockets("ann")` | the connections of ann |
# | `lab.why(lab.sockets("ann")[0])` | the chain of causes that led there |
# | `lab.describe_group("billing")` | each partition of a group: offset, end, lag, owner |

# %%
lab.at(12_000)["groups"]["billing"]["state"], lab.at(16_000)["groups"]["billing"]["state"]

# %%
lab.lines("bob").query("level == 'INFO'")[["time", "message"]].tail(5)

# %%
lab.table("request.sent").query("who == 'bob'").api.value_counts()

# %%
lab.why(lab.sockets("bob")[1])

# %% [markdown]
# ## 7. A picture that moves
#
# `moving` draws any picture at the moments of a slider. Give it a function from a moment to a
# picture. Each further name is a switch.

# %%
moving(
    lambda at_ms, what: cluster_map(lab, at_ms) if what == "map" else timeline(lab, to_ms=at_ms),
    at=range(0, lab.now_ms + 1, 500),
    still=16_000,
    what=["map", "connections"],
)

# %% [markdown]
# ## 8. Your own cluster
#
# Other brokers, another version, other settings: all are words of `Lab`. `help(Lab)` shows them.

# %%
lab = Lab(brokers=5, seed=7, version="2.3", broker_config={"min.insync.replicas": 2})
lab.create_topic("tea", partitions=2, replication_factor=3)
producer = KafkaProducer(lab, {"client.id": "shop", "acks": "all"})
for number in range(10):
    producer.send(ProducerRecord("tea", key=f"order {number}", value="green"))
producer.flush()
replica_ladder(lab, "tea-0", [lab.now_ms])
