# %% [markdown]
# # 03 · What does a consumer connect to?
#
# A consumer reads one topic. Three brokers hold it. How many TCP connections does the consumer
# open, to whom, and which does it keep? Guess, run, look, and then read the very lines that a Java
# client writes.
#
# **You need** chapter 02 (node ids, bootstrap addresses). **You get** four words: *coordinator*,
# *long poll*, *node id*, *idle limit*. **Time** about 40 minutes.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaConsumer, KafkaProducer, ProducerRecord, TopicPartition
from kafkalab.views import timeline, sequence, compare, side_by_side

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="C11 C12"
# ## 1. Guess, run, look
#
# Three brokers: 0, 1 and 2. Topic `t4` has three partitions, and each broker leads one. The
# consumer is in group `test`. Broker 2 looks after that group: it is the group's **coordinator**.
# The consumer knows one address, `localhost:9092`.
#
# How many connections are there before the first `poll`? How many will be opened in ten minutes of
# reading? How many are left then? Write your numbers in place of `None`. The first guess counts,
# and it stays visible.

# %%
predict("03 first consumer", before_poll=None, opened=None, kept=None)


# %%
def reader(version="2.3", leaders=(0, 1, 2), seed=7, **config):
    broker_version = "2.3" if version.startswith("2.") else "4.4"
    lab = Lab(brokers=3, seed=seed, version=version, broker_version=broker_version)
    lab.create_topic("t4", partitions=len(leaders), leaders=list(leaders))
    lab.place_coordinator("test", broker=2)
    return lab, KafkaConsumer(lab, {"group.id": "test", **config}, name="reader")


def poll_for(consumer, lab, ms):
    end = lab.now_ms + ms
    while lab.now_ms < end:
        consumer.poll(timeout_ms=200)


lab, consumer = reader()
consumer.subscribe(["t4"])
before_poll = len(lab.sockets())
poll_for(consumer, lab, ms=7_000)
timeline(lab)

# %% [markdown] items="C1 C33 C35"
# Each bar is one TCP connection. Its name is a **node id**: the name under which the client keeps
# it. The small ticks are requests. Five bars: one to ask, one to the coordinator, three for data.
# The last three begin after three seconds. Keep that in mind, we come back to it.
#
# All three data connections carry requests all the time. A consumer reads from all its leaders at
# once. Still no connection has a thread of its own: one thread, the one that calls `poll`, looks
# after all of them. A second one only keeps the heartbeats coming. (A JVM has many more threads,
# for other work.)
#
# Ten minutes later:

# %%
poll_for(consumer, lab, ms=10 * 60_000)
ten_minutes = lab
kept = sum(s.closed_at_ms is None for s in lab.sockets())
truth("03 first consumer", before_poll=before_poll, opened=len(lab.sockets()), kept=kept)
timeline(lab)

# %% [markdown] items="C2 C3 N76"
# Before the first `poll` there was nothing: the constructor, `subscribe` and `assign` open no
# connection. A producer is different, as you know; its constructor starts the Sender. Here no
# thread is started, so nothing half-built escapes.
#
# ## 2. Three moments
#
# The first poll has three moments. Read the arrows from top to bottom.

# %%
lab, consumer = reader()
consumer.subscribe(["t4"])
poll_for(consumer, lab, ms=3_300)
shown_apis = (
    "METADATA",
    "FIND_COORDINATOR",
    "JOIN_GROUP",
    "SYNC_GROUP",
    "OFFSET_FETCH",
    "LIST_OFFSETS",
)
sequence(lab, "reader", apis=shown_apis)

# %% [markdown] items="C3 C4 C5 C8 C9 C10 C20 N77 G25 G27"
# 1. **Find the coordinator.** The client asks any broker: who coordinates group `test`? It knows
#    one address, so it asks there. The same connection carries METADATA: who leads what?
# 2. **Talk to the coordinator.** Every broker can be one. For its groups it remembers who is a
#    member and what is committed. On a connection of its own the client joins the group, hears its
#    partitions, asks for committed offsets, and from then on sends heartbeats and commits: five
#    jobs.
# 3. **Read.** Each broker that leads a wanted partition gets one connection. The first JOIN_GROUP
#    only fetched a member id (KIP-394). The second was answered after three seconds, because a new
#    group waits for more members. That is why the data connections begin late.
#
# So there are three classes of connections: *bootstrap*, *coordinator*, *data*. Here are the log
# lines of the three moments. An article of 2019 made these lines famous; a Java client 2.3.0 wrote
# them.


# %% items="C13"
def say(lab, *wanted):
    """Print the client's lines that hold one of the words: time, level and message."""
    for line in lab.lines().query("logger.str.endswith('NetworkClient')").itertuples():
        if any(words in line.message for words in wanted):
            print(line.time[-12:], line.level, line.message.split("] ", 1)[-1])


say(lab, "Initiating connection", "Sending metadata", "FIND_COORDINATOR")

# %% [markdown] items="C14 C15 C16 C17 C18 C19 CC1 G26"
# Node `-1` is a made-up id: the client knows an address and no broker yet. METADATA and
# FIND_COORDINATOR share that connection. The answer names broker 2. But the client connects to
# `2147483645`. That is made up too: 2147483647 is the largest `int` of Java, and 2147483647 −
# 2 = 2147483645. No broker has such an id, so broker 2 can be in the client's map twice. From
# version 4.4 on the client writes `+2` instead. Nodes 0, 1 and 2 are the brokers' own ids.
#
# Correlation id 0 tells one more thing: FIND_COORDINATOR was made first, and had to wait until −1
# had answered other questions.
#
# Which class carries which requests? We count them in the ten minutes of section 1.

# %%
import pandas as pd

requests = ten_minutes.table("request.sent")
role_of = {socket.event_id: socket.role for socket in ten_minutes.sockets()}
classes = requests.socket.map(role_of).rename("class")
pd.crosstab(requests.api, classes)[["bootstrap", "coordinator", "data"]]

# %% [markdown] items="C24 C25"
# The first METADATA goes over the bootstrap connection. Later ones go over a data connection. After
# its two questions the bootstrap connection has no work left: nobody gives it up, it is just never
# picked again.

# %% [markdown] items="G23 G33"
# What does the consumer itself remember? A small table, `SubscriptionState` in Java: for each
# partition the **position**, which is the offset to ask for next, and whether it is paused. Each
# FETCH carries positions. The records that come back move them. The calls you know only read and
# write this table. The cell reads three records of partition 0, goes back to offset 0 and pauses
# the partition. It shows the position before, the position after, and what is paused:

# %%
tp = TopicPartition("t4", 0)
lab, consumer = reader()
producer = KafkaProducer(lab, {})
for number in range(9):
    producer.send(ProducerRecord("t4", value="tea", partition=number % 3))
producer.close()
consumer.subscribe(["t4"])
consumer.poll(timeout_ms=5_000)
before = consumer.position(tp)
consumer.seek(tp, 0)
consumer.pause([tp])
before, consumer.position(tp), consumer.paused()

# %% exercise="03.1"

# %% exercise="03.2"

# %% [markdown]
# ## 3. Why does the coordinator get its own connection?
#
# Broker 2 is coordinator *and* leads a partition. Still the client keeps two connections to it. Why
# not one?
#
# A broker answers the requests of one connection in order. A FETCH on an empty partition is a
# **long poll**: the broker holds it for up to 500 ms and waits for records. Whatever stands behind
# it waits too. Nothing is written to our topic. How long does the answer to a FETCH take, and to a
# heartbeat, in milliseconds, roughly?

# %%
predict("03 answers", fetch_ms=None, heartbeat_ms=None)

# %%
lab, consumer = reader()
consumer.subscribe(["t4"])
poll_for(consumer, lab, ms=30_000)

answers = lab.table("response.received")
middle = answers.groupby("api").latency_ms.median()
truth("03 answers", fetch_ms=int(middle["FETCH"]), heartbeat_ms=int(middle["HEARTBEAT"]))
both = answers[answers.api.isin(["FETCH", "HEARTBEAT"])]
both.groupby("api").latency_ms.agg(["count", "min", "median", "max"])

# %% [markdown] items="C22 C23 N79 G22"
# A heartbeat behind a FETCH would wait up to half a second, and longer where `fetch.max.wait.ms` is
# larger. A late heartbeat can cost the member its place in the group. The trick with the node id
# keeps them apart: two ids, two entries in the client's map, two sockets.
#
# ## 4. What closes a connection?
#
# `connections.max.idle.ms` is the **idle limit**, nine minutes in a client. The client closes a
# connection on which nothing happened for that long. It looks only while it polls, and closes at
# most one in a poll. After the first poll nobody uses node −1 any more, so node −1 goes. The others
# are never idle.
#
# Never? Here is a consumer with a limit of 20 seconds. It reads, pauses for 40 seconds, and
# resumes. A paused consumer polls, but does not fetch. How many of its five connections are open at
# the end of the pause?

# %%
predict("03 pause", open_at_the_end_of_the_pause=None)

# %%
lab, consumer = reader(**{"connections.max.idle.ms": 20_000})
consumer.subscribe(["t4"])
poll_for(consumer, lab, ms=6_000)
consumer.pause(consumer.assignment())
poll_for(consumer, lab, ms=40_000)
truth("03 pause", open_at_the_end_of_the_pause=sum(s.closed_at_ms is None for s in lab.sockets()))
consumer.resume(consumer.assignment())
poll_for(consumer, lab, ms=10_000)
timeline(lab)

# %% [markdown] items="C23"
# With nothing to fetch, data connections go idle. Heartbeats keep the coordinator's. Each close
# makes the client ask for METADATA, on a connection that is still there; that one is used, and
# lives on. After `resume` the closed ones are opened again. A pause costs reconnects.
#
# The other end is `close()`. It commits, leaves the group, and closes everything:

# %%
consumer.close()
requests = lab.table("request.sent")
list(requests.api.tail(2)), [s.how for s in lab.sockets()]

# %% [markdown] items="C21 N79"
# A program that is killed with `kill -9` closes nothing by itself. The operating system drops its
# sockets, and no LEAVE_GROUP is sent: the group notices after the session timeout. `kill -2` is
# kinder, but only if your program catches it and calls `close()`.

# %% exercise="03.3"

# %% [markdown] items="C5"
# ## 5. Which broker is the coordinator?
#
# Nobody elects it. The group's name decides. Java computes a number from the name,
# `"test".hashCode()`. Kafka makes it positive and takes the rest of a division by 50, because the
# topic `__consumer_offsets` has 50 partitions. The leader of that partition is the coordinator, for
# every member of the group.

# %%
from kafkalab.hashing import java_string_hash

(
    java_string_hash("test"),
    abs(java_string_hash("test")) % 50,
    abs(java_string_hash("inventory")) % 50,
)

# %% [markdown] items="C6 C7 C37"
# And which broker is *asked* for it? The least loaded one, by the client's own count. But at the
# first question no request is under way anywhere. All are equal, so chance decides. Three
# addresses, five seeds, the first node of each:


# %%
def first_node(seed):
    addresses = "localhost:9092,localhost:9093,localhost:9094"
    lab, consumer = reader(seed=seed, **{"bootstrap.servers": addresses})
    consumer.subscribe(["t4"])
    poll_for(consumer, lab, ms=100)
    return lab.sockets()[0].node_id


[first_node(seed) for seed in (1, 2, 3, 4, 5)]

# %% [markdown] items="G22"
# A consumer without a group needs no coordinator. It takes its partitions itself, with `assign`:

# %%
lab, _ = reader()
alone = KafkaConsumer(lab, {}, name="alone")
alone.assign([TopicPartition("t4", partition) for partition in range(3)])
poll_for(alone, lab, ms=2_000)
[(s.node_id, s.role) for s in lab.sockets()]

# %% exercise="03.4"

# %% exercise="03.5"

# %% [markdown]
# ## 6. The time machine
#
# The same program with another version of the client. Two brokers and two addresses this time, so
# that the client has a choice. Rows that differ are boxed. Guess first: how many connections does
# each open?

# %%
predict("03 versions", v2_2=None, v2_3=None, v3_9=None)


# %%
def two_addresses(version, seed=3):
    broker_version = "2.3" if version.startswith("2.") else "4.4"
    lab = Lab(brokers=2, seed=seed, version=version, broker_version=broker_version)
    lab.create_topic("t5", partitions=5)
    lab.place_coordinator("test", broker=0)
    addresses = "localhost:9092,localhost:9093"
    settings = {"group.id": "test", "bootstrap.servers": addresses}
    consumer = KafkaConsumer(lab, settings, name="reader")
    consumer.subscribe(["t5"])
    poll_for(consumer, lab, ms=5_000)
    return lab


lab22, lab23, lab39 = (two_addresses(version) for version in ("2.2", "2.3", "3.9"))
truth(
    "03 versions", v2_2=len(lab22.sockets()), v2_3=len(lab23.sockets()), v3_9=len(lab39.sockets())
)
compare(lab22, lab23, titles=("client 2.2", "client 2.3"))

# %% [markdown]
# Client 2.2 opens a second bootstrap connection. When the first one stands but has not answered
# yet, 2.2 prefers an untouched node for METADATA. Version 2.3 waits for the one it has
# (KAFKA-8376). Client 3.9 has a new wish: it wants to report its metrics (KIP-714), and looks for a
# free connection to ask.

# %%
compare(lab23, lab39, titles=("client 2.3", "client 3.9"))

# %% [markdown] items="C2 C6 C13 C18 C22 C24 C26 C27 C34"
# **Then and now.** Much of what people know about this comes from texts of 2018 and 2019. Most of
# it holds. This has changed, or was never quite so:
#
# | Then | Now | Try it |
# |---|---|---|
# | A new consumer opens nothing until it polls. | True for the classic consumer. The new one (KIP-848, `group.protocol=consumer`) connects from a thread of its own. | below |
# | FindCoordinator goes to the least loaded broker. | The first one goes to a random address. | section 5 |
# | The coordinator's id is 2147483647 − n. | Up to 4.0. Client 4.4 prints `+n`. | `reader("4.4")` |
# | The client id is `consumer-1`. | From 2.4.1 on it holds the group: `consumer-test-1` (KAFKA-9033). | `reader("3.9")` |
# | `Sending FIND_COORDINATOR {…}`, at TRACE. | `Sending FIND_COORDINATOR request with header …`, at DEBUG, since 2.6. | `reader("3.9")` and `say` |
# | Once data connections exist, the first one is given up. | Nobody gives it up. It is not used, and the idle limit closes it. | section 1 |
# | The setting is `connection.max.idle.ms`. | `connections.max.idle.ms`; nine minutes in a client, ten in a broker. | section 4 |
# | With −1 the unused connection lives for ever. | On the client's side only. The broker's own ten minutes close it. | chapter 02, section 5 |
# | `kill -2` and `kill -9` close the consumer. | The sockets die. The group is told only where `close()` runs. | section 4 |
# | Find connections by host, port and id together. | They still go by id. From 4.0 on a client can start again from its addresses (KIP-899, KIP-1102). | 02.open |
# | A consumer reads from leaders only. | From 2.4 on it may read from a follower in its own rack (KIP-392), and connects there. | not in this lab |
# | `createMessageStreams()` opens one connection more than there are leaders. | That consumer was written in Scala and spoke to ZooKeeper. Kafka 2.0 removed it. | — |

# %% [markdown]
# The lab keeps a page for each release: what differs from the release before, each change with its
# KIP (Kafka Improvement Proposal), its JIRA or the recordings that show it. Here is what changed
# about connections from 2.3 to 4.4:

# %%
from kafkalab import changes

for what, rows in changes("2.3", "4.4", area="connecting").groupby("what", sort=False):
    print(f"{rows.release.iloc[0]}  {rows.source.iloc[0]}: {what}")

# %% [markdown]
# The first row of the table, with a client 4.4. One second has passed, and nobody has called
# `poll`. How many connections are there?


# %%
def without_a_poll(protocol):
    lab, consumer = reader("4.4", **{"group.protocol": protocol})
    consumer.subscribe(["t4"])
    lab.run_for(ms=1_000)
    return len(lab.sockets())


{protocol: without_a_poll(protocol) for protocol in ("classic", "consumer")}

# %% [markdown]
# ## 7. The real thing beside it
#
# This is a recording: a real Java consumer 2.3.0 on real brokers, doing what section 1 did. Only
# the coordinator was broker 1. We lay its lines next to the simulator's.

# %%
import json
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read, rows_of
from kafkalab.proof.replay import replay

home = course_folder()
recording = home / "data/recordings/2.3.1/2.3.0/consumer_first_poll_3_brokers"
scenario = json.loads((recording / "scenario.json").read_text())
played = replay(scenario, seed=7)["client"]


def network(rows):
    rows = [row for row in rows if row.logger_name == "NetworkClient" and row.level == "DEBUG"]
    return [row.text for row in rows if not row.text.startswith("Recorded API versions")][:16]


side_by_side(
    network(read(recording / "client.log.gz")),
    network(rows_of(played.splitlines())),
    titles=("Java client 2.3.0", "simulator"),
)

# %% [markdown]
# The data connections come in the order 2, 0, 1, in Java and here. It looks like chance and is
# arithmetic: the client walks through Java's hash maps.

# %% [markdown]
# ## 8. Spark lab: many consumers at once
#
# A small log set lies in `data/samples/tiny`: some dozens of clients of mixed versions, about ten
# minutes. Spark reads the lines and tells each connection's life, one row a connection. `how` says
# who ended it: `idle` the client's limit, `peer` the broker, `close` the program; `failed` never
# stood; `None` was open at the end. The first start of Spark takes a while.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
lines = logsets.read(spark, str(home / "data/samples/tiny"))
sockets = logsets.connections(lines).cache()
sockets.groupBy("class", "how").count().orderBy("class", "how").toPandas()

# %% [markdown]
# You know how many connections a healthy consumer of this cluster opens: one to ask, one to the
# coordinator, three for data. Some consumers deviate: they have no coordinator, or tried to connect
# and failed, or lost a connection to a broker. Here are the first eight consumers, each with its
# rows by class.

# %% spark=true
per_client = (
    sockets.where(F.col("client_id").startswith("consumer"))
    .groupBy("client_id")
    .agg(
        *[
            F.count_if(F.col("class") == name).alias(name)
            for name in ("bootstrap", "coordinator", "data")
        ],
        F.count_if(F.col("how") == "failed").alias("failed"),
    )
    .orderBy("client_id")
)
per_client.limit(8).toPandas()

# %% exercise="03.6"

# %% exercise="03.7"

# %% [markdown]
# ## 9. In your own words

# %% exercise="03.open"

# %% [markdown] items="C28 C20"
# ## What you know now
#
# - A consumer connects in `poll()`, at three moments: find the coordinator, talk to it, read.
# - One connection for each *leader broker*, not for each partition. One more for the coordinator,
#   even when it is the same broker.
# - Node ids are the client's own names. Two ids are two sockets.
# - The idle limit closes what nobody uses, while somebody polls.
#
# **Words**: coordinator 协调者 · long poll 长轮询 · node id 节点编号 · idle limit 空闲时限 ·
# heartbeat 心跳
#
# ### Do you remember chapter 02?
#
# <details><summary>1. Where does the id −1 come from?</summary>The client numbers its bootstrap
# addresses −1, −2, −3 … until METADATA tells it the real ids.</details>
# <details><summary>2. Why is the connection to −1 not used again, though it leads to broker
# 0?</summary>Connections are kept by id. The client looks for 0, and finds nothing under that
# name.</details>
# <details><summary>3. Who closes an idle connection when the client's limit is −1?</summary>The
# broker, after ten minutes of its own.</details>
