# %% [markdown]
# # 03 · What does a consumer connect to?
#
# A consumer reads one topic. Three brokers have it. How many TCP connections does the consumer
# open, to which brokers, and which does it keep? Guess, run, look. Then read the lines that a real
# Java client writes.
#
# **You need** chapter 01 (group, member, committed offset) and chapter 02 (ids −1 and 0, bootstrap
# addresses). **You get** six words: *coordinator*, *heartbeat*, *position*, *long poll*, *node id*,
# *idle limit*. **Time** two sittings: 40 minutes for sections 1 to 4, and 50 for the others.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaConsumer, KafkaProducer, ProducerRecord, TopicPartition
from kafkalab.views import timeline, sequence, compare

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="C11 C12"
# ## 1. Guess, run, look
#
# Three brokers: 0, 1 and 2. Topic `t4` has three partitions, and each broker leads one. The
# consumer is in group `test`. Broker 2 looks after that group: it is the group's **coordinator**
# (协调者). The consumer knows one address, `localhost:9092`. Its version is 2.3.
#
# How many connections are there before the first `poll`? How many are opened in ten minutes of
# reading? How many are left then? Write your numbers in place of `None`. The first guess counts,
# and it stays visible.

# %%
predict("03 first consumer", before_poll=None, opened=None, kept=None)


# %%
from kafkalab.stories.consumer_connections import open_now, poll_for, reader

lab, consumer = reader()
consumer.subscribe(["t4"])
before_poll = len(lab.sockets())
poll_for(consumer, lab, ms=7_000)
timeline(lab)

# %% [markdown] items="C1 C33 C35"
# `reader` builds the lab. `poll_for` calls `consumer.poll(timeout_ms=200)` until the time is over.
#
# Each bar is one TCP connection. Its name is a **node id** (节点编号): the name under which the
# client keeps it. The small ticks are requests; a number beside a tick counts those of one moment.
# Five bars: one to ask, one to the coordinator,
# three for data. The last three begin after three seconds; section 2 says why.
#
# All three data connections carry requests all the time. A consumer reads from all its leaders at
# once. Still no connection has a thread of its own: one thread, the one that calls `poll`, looks
# after all of them. A second one keeps the heartbeats coming. A **heartbeat** (心跳) is a small
# request that says to the coordinator: this member is alive.
#
# Ten minutes later:

# %%
poll_for(consumer, lab, ms=10 * 60_000)
ten_minutes = lab
opened, kept = len(lab.sockets()), open_now(lab)
truth("03 first consumer", before_poll=before_poll, opened=opened, kept=kept)
timeline(lab)

# %% [markdown] items="C2 C3 N76"
# Before the first `poll` there was nothing: the constructor, `subscribe` and `assign` of this
# consumer open no connection. A producer is different: its constructor starts the Sender. A
# consumer's constructor starts no thread, so the problem of chapter 02, section 13, cannot occur.
#
# ## 2. Three moments
#
# The first poll has three moments. Read the arrows from top to bottom. The picture shows six kinds
# of requests. The numbers of the requests have gaps, because other kinds (API_VERSIONS, for
# example) are left out.

# %%
from kafkalab.stories.consumer_connections import STEPS

lab, consumer = reader()
consumer.subscribe(["t4"])
poll_for(consumer, lab, ms=3_300)
sequence(lab, "reader", apis=STEPS)

# %% [markdown]
# This picture moves. Use the slider and the play button. It has the same three moments, with the
# brokers as boxes. In this lab broker 1 coordinates the group.

# %%
from kafkalab.stories.moving_cluster import first_poll

first_poll()

# %% [markdown] items="C3 C4 C5 C8 C9 C10 C20 N77 G25 G27"
# 1. **Find the coordinator.** The client asks any broker which one coordinates group `test`. It
#    knows one address, so it asks there. The same connection carries METADATA: which broker leads
#    which partition?
# 2. **Talk to the coordinator.** Every broker can be a coordinator. For its groups it remembers the
#    members and the committed offsets. The client opens a connection of its own for it. There it
#    does five jobs: it joins the group, receives its partitions, and asks for committed offsets.
#    From then on it sends heartbeats and commits.
# 3. **Read.** Each broker that leads a wanted partition gets one connection. This group has no
#    committed offset yet. So the client first asks with LIST_OFFSETS where each partition ends, and
#    begins to read there. The requests that read are FETCH. There are many, so the picture leaves
#    them out.
#
# The first JOIN_GROUP only fetched a member id (KIP-394; a KIP is a
# [Kafka Improvement Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals)).
# The second was answered after three seconds, because a new group waits for more members. That is
# why the data connections begin late.
#
# So there are three classes of connections: *bootstrap*, *coordinator*, *data*. Here are the log
# lines of the three moments. An article of 2019 explained a consumer by these lines; a Java client
# 2.3.0 wrote them.

# %% items="C13"
from kafkalab.stories.consumer_connections import say

say(lab, "Initiating connection", "Sending metadata", "FIND_COORDINATOR")

# %% [markdown] items="C14 C15 C16 C17 C18 C19 CC1 G26"
# Node `-1` is a made-up id: the client knows an address and no broker yet. METADATA and
# FIND_COORDINATOR share that connection. The answer names broker 2. But the client connects to
# `2147483645`. That is made up too: 2147483647 is the largest `int` of Java, and 2147483647 −
# 2 = 2147483645. No broker has such an id. So the client can hold two connections to broker 2.
# Between client 4.0 and 4.4 this changed: client 4.4 writes `+2` instead. Nodes 0, 1 and 2 are the
# brokers' own ids.
#
# Requests are numbered when they are made. FIND_COORDINATOR has number 0: it was made first. But it
# was sent only after API_VERSIONS, number 1, was answered.
#
# Which class carries which requests? We count them in the ten minutes of section 1.

# %%
from kafkalab.stories.consumer_connections import by_class

by_class(ten_minutes)

# %% [markdown] items="C24 C25"
# The first METADATA goes over the bootstrap connection. Later ones go over a data connection. After
# its two questions the bootstrap connection has no work left. The client does not close it at once;
# it only never chooses it again.

# %% [markdown] items="G23 G33"
# What does the consumer itself remember? A small table, `SubscriptionState` in Java. For each
# partition it has the **position** (消费位置), which is the offset to ask for next, and whether it is
# paused. Each FETCH carries positions. The records that come back move them. The cell reads three
# records of partition 0, goes back to offset 0 and pauses the partition. It shows the position
# before, the position after, and what is paused:

# %%
from kafkalab.stories.consumer_connections import with_nine_records

tp = TopicPartition("t4", 0)
lab, consumer = with_nine_records()
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
# **long poll** (长轮询): the broker holds it for up to 500 ms and waits for records. Each request
# behind it waits, too. Nothing is written to our topic. How long does the answer to a FETCH take,
# and to a heartbeat, in milliseconds, roughly?

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
# larger. A late heartbeat can cost the member its place in the group: the coordinator removes a
# member when no heartbeat came for the *session timeout* (chapter 08). Two node ids keep the two
# apart: two ids, two entries in the client's map, two connections.
#
# ## 4. What closes a connection?
#
# `connections.max.idle.ms` is the **idle limit** (空闲时限), nine minutes in a client. The client
# closes a connection on which nothing happened for that long. It closes at most one each time it
# looks. It looks in each `poll`. In a group the heartbeat thread looks, too. After the first
# requests the client never chooses node −1 again, so node −1 goes.
#
# The others carried requests all the time. Can they go idle, too? Here is a consumer with a limit
# of 20 seconds. It reads for 6 seconds, pauses its partitions for 40, and resumes. A paused
# consumer polls, but does not fetch. How many of its five connections are open at the end of the
# pause?

# %%
predict("03 pause", open_at_the_end_of_the_pause=None)

# %%
lab, consumer = reader(**{"connections.max.idle.ms": 20_000})
consumer.subscribe(["t4"])
poll_for(consumer, lab, ms=6_000)
consumer.pause(consumer.assignment())
poll_for(consumer, lab, ms=40_000)
truth("03 pause", open_at_the_end_of_the_pause=open_now(lab))
consumer.resume(consumer.assignment())
poll_for(consumer, lab, ms=10_000)
timeline(lab)

# %% [markdown] items="C23"
# The dotted lines are `pause()`, at 6 seconds, and `resume()`, at 46. With nothing to fetch, data
# connections go idle. Heartbeats keep the coordinator's. Each close makes the client ask for
# METADATA. Here it asks over node 2, so that connection is used again and lives 20 seconds longer.
# In a longer pause it goes idle, too. Then the client opens another one for METADATA. After
# `resume` the closed ones are opened again. A pause costs reconnects.
#
# A program that does not poll at all is different. The heartbeat thread looks after the connections
# of a group member. A consumer *without* a group has no such thread: its connections stay open
# until the next `poll`. Here both read for some seconds and then do not poll for a minute:

# %%
lab, consumer = reader(**{"connections.max.idle.ms": 20_000})
consumer.subscribe(["t4"])
alone = KafkaConsumer(lab, {"connections.max.idle.ms": 20_000}, name="alone")
alone.assign([TopicPartition("t4", partition) for partition in range(3)])
poll_for(consumer, lab, ms=3_000)
for _ in range(15):
    consumer.poll(timeout_ms=100)
    alone.poll(timeout_ms=100)
lab.run_for(ms=60_000)
closed = {
    name: sum(s.closed_at_ms is not None for s in lab.sockets(name)) for name in ("reader", "alone")
}
closed

# %% [markdown]
# These are the connections that were closed in the minute.
#
# The other end is `close()`. It commits, leaves the group, and closes everything:

# %%
lab, consumer = reader()
consumer.subscribe(["t4"])
poll_for(consumer, lab, ms=6_000)
consumer.close()
requests = lab.table("request.sent")
list(requests.api.tail(2)), [s.how for s in lab.sockets()]

# %% [markdown] items="C21 N79"
# A program that is killed with `kill -9` closes nothing by itself. The operating system closes its
# sockets, and no LEAVE_GROUP is sent: the group notices after the session timeout. After `kill -2`
# the program can call `close()`, if it catches the signal.

# %% exercise="03.3"

# %% [markdown] items="C5"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 5. Which broker is the coordinator?
#
# There is no election. The group's name decides. Java computes a number from the name,
# `"test".hashCode()`. Kafka makes it positive, divides by 50 and takes the remainder, because the
# topic `__consumer_offsets` has 50 partitions. The leader of that partition is the coordinator, for
# every member of the group. The next cells show the number and the partition, and then the leader in
# the lab of section 1, where broker 2 was the coordinator:

# %%
from kafkalab.hashing import java_string_hash

java_string_hash("test"), abs(java_string_hash("test")) % 50

# %%
ten_minutes.leader("__consumer_offsets", abs(java_string_hash("test")) % 50)

# %% [markdown] items="C6 C7 C37"
# And which broker is *asked* for it? The least loaded one, by the client's own count. But at the
# first question no request is under way. All are equal, so the client chooses at random. Three
# addresses, five seeds, the first node of each:

# %%
from kafkalab.stories.consumer_connections import first_node

[first_node(seed) for seed in (1, 2, 3, 4, 5)]

# %% [markdown] items="G22"
# A consumer without a group needs no coordinator. It takes its partitions itself, with `assign`.
# (Client 2.1 looked for a coordinator all the same: its group had an empty name. KIP-289 ended that
# in 2.2.)

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
from kafkalab.stories.consumer_connections import two_addresses

lab22, lab23, lab39 = (two_addresses(version) for version in ("2.2", "2.3", "3.9"))
opened = [len(lab.sockets()) for lab in (lab22, lab23, lab39)]
truth("03 versions", v2_2=opened[0], v2_3=opened[1], v3_9=opened[2])
compare(lab22, lab23, titles=("client 2.2", "client 2.3"))

# %% [markdown]
# Client 2.2 opens a second bootstrap connection. The first one is open but has not answered yet. In
# this moment 2.2 prefers an unused node for METADATA. Version 2.3 waits for the one it has
# (KAFKA-8376). The box is around node −2, because client 2.3 has no such row in this run. For 2.2
# it was the first, and node −1 the second.
#
# Client 3.9 also wants to send its own metrics to a broker (*telemetry*, 遥测, KIP-714). It looks
# for a free connection for that, and here it opened one more.

# %%
compare(lab23, lab39, titles=("client 2.3", "client 3.9"))

# %% [markdown]
# The box is around node −2 here. Rows are compared by their node ids, and 2.3 never used −2. Both
# bootstrap rows of 3.9 look alike. One fetched the metadata. The other was opened for telemetry, and
# the client counts it as bootstrap, because its id is a made-up one.

# %% [markdown] items="C2 C6 C13 C18 C22 C24 C26 C27 C34"
# **Then and now.** Much of what people know about this comes from texts of 2018 and 2019. Most of
# it holds. This has changed, or was never quite so:
#
# | Then | Now | Try it |
# |---|---|---|
# | A new consumer opens nothing until it polls. | True for the classic consumer. The new one (KIP-848, `group.protocol=consumer`) connects from a thread of its own. | below |
# | FindCoordinator goes to the least loaded broker. | The first one goes to a random address. | section 5 |
# | The coordinator's id is 2147483647 − n. | Still so in client 4.0. Client 4.4 prints `+n`. | `lines_of("4.4")` below shows `id: +2` |
# | The client id is `consumer-1`. | From 2.4.0 on it holds the group: `consumer-test-1` (KAFKA-9033). | `lines_of("3.9")` shows `clientId=consumer-test-1` |
# | `Sending FIND_COORDINATOR {…}`, at TRACE. | `Sending FIND_COORDINATOR request with header …`, at DEBUG, since 2.6. | the second line of `lines_of("3.9")` |
# | Once data connections exist, the first one is closed. | Not at once. It is not used, and the idle limit closes it. | section 1 |
# | The setting is `connection.max.idle.ms`. | `connections.max.idle.ms`; nine minutes in a client, ten in a broker. | section 4 |
# | With an idle limit of −1 the unused connection is never closed. | On the client's side only. The broker's own ten minutes close it. | chapter 02, section 4 |
# | `kill -2` and `kill -9` close the consumer. | The sockets close. The group is told only where `close()` runs. | section 4 |
# | Find connections by host, port and id together. | They are still found by id. A client can start again from its addresses from 3.8 on (KIP-899, off by default), and does by default from 4.0 on (KIP-1102). | 02.open |
# | A consumer reads from leaders only. | From 2.4 on it may read from a follower in its own rack (KIP-392), and connects there. | chapter 14 |
# | `createMessageStreams()` opens one connection more than there are leaders. | That consumer was written in Scala and used ZooKeeper. Kafka 2.0 removed it. | — |


# %%
def lines_of(version):
    lab, consumer = reader(version)
    consumer.subscribe(["t4"])
    poll_for(consumer, lab, ms=3_300)
    say(lab, "Initiating connection", "Sending FIND_COORDINATOR")


lines_of("4.4")  # look for +2

# %% [markdown]
# The lab keeps a page for each release: what differs from the release before, each change with its
# KIP, its JIRA or the recordings that show it. Here is what changed about connections from 2.3 to
# 4.4. This chapter names four of them: KIP-714 (telemetry), KIP-899 and KIP-1102 (begin again), and
# the last row, the coordinator's number.

# %%
from kafkalab import changes

wanted = "area == 'connecting' or what.str.contains('again with bootstrap')"
for what, rows in changes("2.3", "4.4").query(wanted).groupby("what", sort=False):
    print(f"{rows.release.iloc[0]}  {rows.source.iloc[0]}: {what}")

# %% [markdown]
# The first row of the table, with a client 4.4. One second has passed, and nobody has called
# `poll`. How many connections are there?


# %%
def without_a_poll(protocol):
    lab, consumer = reader(version="4.4", **{"group.protocol": protocol})
    consumer.subscribe(["t4"])
    lab.run_for(ms=1_000)
    return len(lab.sockets())


{protocol: without_a_poll(protocol) for protocol in ("classic", "consumer")}

# %% [markdown]
# ## 7. The real thing beside it
#
# This is a recording: a real Java consumer 2.3.0 on real brokers, doing what section 1 did. One
# thing was different there: another broker was the coordinator. Here are its lines:

# %%
from kafkalab.stories.recorded import recorded

pair = recorded("2.3.1/2.3.0/consumer_first_poll_3_brokers", seed=7)
for line in pair.beside("Initiating connection").real:
    print(line.split(" using")[0])

# %% [markdown]
# Which broker was the coordinator? Read it in the ids.

# %%
predict("03 real coordinator", broker=None)

# %%
in_java = pair.real.message.str.extract(r"\(id: (2147483\d+)")[0].dropna().astype(int)
truth("03 real coordinator", broker=2147483647 - int(in_java.iloc[0]))
pair.beside("Initiating connection", "Completed connection")

# %% [markdown]
# The table has the real lines beside the simulator's. The data connections come in the order 2, 0,
# 1, in Java and here. This is not chance: the client walks through a Java `HashMap`, and such a map
# is ordered by the hash codes of its keys.

# %% [markdown]
# ## 8. Spark lab: many consumers at once
#
# A small log set lies in `data/samples/tiny`: some dozens of clients of mixed versions, about ten
# minutes. Spark reads the lines and makes one row of each connection. `how` says what ended it:
# `idle` the client's limit, `peer` the broker, `close` the program; `failed` was never established;
# `None` was open at the end. The first Spark cell takes up to a minute: it starts Spark.

# %% spark=true
from kafkalab import logsets
from kafkalab.course_folder import course_folder
from pyspark.sql import functions as F

spark = logsets.session()
lines = logsets.read(spark, str(course_folder() / "data/samples/tiny"))
sockets = logsets.connections(lines).cache()
sockets.groupBy("class", "how").count().orderBy("class", "how").toPandas()

# %% [markdown]
# You know how many connections a healthy consumer of this cluster opens: one to ask, one to the
# coordinator, three for data. Some consumers deviate: they have no coordinator, or tried to connect
# and failed, or lost a connection to a broker. Here are the first eight consumers, each with its
# rows by class.

# %% spark=true
consumers = sockets.where(F.col("client_id").startswith("consumer"))
count = {name: F.count_if(F.col("class") == name) for name in ("bootstrap", "coordinator", "data")}
columns = [counted.alias(name) for name, counted in count.items()]
failed = F.count_if(F.col("how") == "failed").alias("failed")
per_client = consumers.groupBy("client_id").agg(*columns, failed).orderBy("client_id")
per_client.limit(8).toPandas()

# %% exercise="03.6"

# %% exercise="03.7"

# %% [markdown]
# ## 9. In your own words
#
# A person reads this answer. `reveal("03.open", give_up=True)` shows a good one.

# %% exercise="03.open"

# %% [markdown] items="C28 C20"
# ## Break it yourself
#
# Change the leaders of the partitions, the number of partitions and the idle limit. With which
# leaders does the consumer keep the fewest connections? Broker 2 is the coordinator. How many are
# opened when broker 2 leads all partitions, too? Say a number before you run it.

# %%
lab, consumer = reader(leaders=(0, 0, 1, 1, 2, 2), **{"connections.max.idle.ms": 10_000})
consumer.subscribe(["t4"])
poll_for(consumer, lab, ms=20_000)
len(lab.sockets()), open_now(lab)

# %% [markdown]
# ### The same on real Kafka
#
# A consumer reads three partitions, each led by another broker. The cell below is folded. It does
# this on the simulator and on real brokers of your machine, in about a minute. Real Kafka must be
# set up once: `python -m kafkalab real setup`. Without it the cell prints one sentence.

# %% fold=true
from kafkalab.real import on_both


def first_consumer(kafka):
    lab = kafka.Lab(brokers=3, version="3.9")
    lab.create_topic("t4", partitions=3)
    settings = {"group.id": "test", "connections.max.idle.ms": 6_000}
    reader = kafka.KafkaConsumer(lab, settings, name="reader")
    reader.subscribe(["t4"])
    before_poll, end_ms = len(lab.sockets("reader")), lab.now_ms + 18_000
    while lab.now_ms < end_ms:
        reader.poll(timeout_ms=200)
    kept = sum(socket.closed_at_ms is None for socket in lab.sockets("reader"))
    return {"before poll": before_poll, "opened": len(lab.sockets("reader")), "kept": kept}


on_both(first_consumer)

# %% [markdown]
# **So what?** A consumer holds one connection for each leader broker and one for its coordinator.
# Multiply by the number of consumers: each broker needs a file descriptor for each connection.
# Raise an alarm on the client's `connection-creation-rate`: when it stays above 0, something closes
# connections that are needed.
#
# ## What you know now
#
# - A classic consumer connects in `poll()`, at three moments: find the coordinator, talk to it,
#   read.
# - One connection for each *leader broker*, not for each partition. One more for the coordinator,
#   even when it is the same broker.
# - Node ids are the client's own names. Two ids are two connections.
# - The idle limit closes what is not used. The client looks in `poll`, and in a group also between
#   polls.
#
# **Words**: coordinator 协调者 · heartbeat 心跳 · position 消费位置 · long poll 长轮询 · node id 节点编号 ·
# idle limit 空闲时限

# %%
from autograder import my_guesses

my_guesses("03")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember chapter 02?
#
# <details><summary>1. Where does the id −1 come from?</summary>The client numbers its bootstrap
# addresses −1, −2, −3 … until METADATA tells it the real ids.</details>
# <details><summary>2. Why is the connection to −1 not used again, though it leads to broker
# 0?</summary>Connections are kept by id. The client looks for 0, and −1 is another id.</details>
# <details><summary>3. What closes an idle connection when the client's limit is −1?</summary>The
# broker, after ten minutes of its own.</details>
#
# Next: **04 · How does a record become part of a batch?**
