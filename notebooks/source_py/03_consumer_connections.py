# %% [markdown]
# # 03 · What does a consumer connect to?
#
# A consumer reads one topic. Three brokers hold it. How many TCP connections does the consumer open, to whom, and which of them
# does it keep? You will guess first. Then you will run a consumer, look at a picture, and read the very lines that a Java client writes.
#
# **You need** chapter 02 (node ids, bootstrap addresses). **You get** four words: *coordinator*, *long poll*, *node id*, *idle limit*.
# **Time** about 40 minutes.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaConsumer, TopicPartition
from kafkalab.views import timeline, sequence, compare, side_by_side

me("")     # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# Our cluster has three brokers: 0, 1 and 2. Topic `t4` has three partitions, and each broker leads one of them. The consumer is in group
# `test`. Broker 2 takes care of that group: it is the group's **coordinator**. The consumer knows one address, `localhost:9092`.
#
# How many connections will the consumer open in its first seven seconds? How many will be left after ten minutes of reading? Write your two
# numbers in place of `None`. The first guess counts, and it stays visible.

# %%
predict("first consumer", opened=None, kept=None)

# %%
def article_lab(version="2.3", seed=7):
    lab = Lab(brokers=3, seed=seed, version=version, broker_version="2.3" if version in ("2.2", "2.3") else "4.4")
    lab.create_topic("t4", partitions=3, leaders=[0, 1, 2])
    lab.place_coordinator("test", broker=2)
    return lab

def poll_for(consumer, lab, ms):
    end = lab.now_ms + ms
    while lab.now_ms < end:
        consumer.poll(timeout_ms=200)

lab = article_lab()
consumer = KafkaConsumer(lab, {"group.id": "test"}, name="consumer")
consumer.subscribe(["t4"])
len(lab.sockets())

# %% [markdown]
# Nothing yet. A constructor and `subscribe()` open no connection in a classic consumer. Java's author wanted it so: an object that is being
# built should not talk to the network. Now we poll.

# %%
poll_for(consumer, lab, ms=7_000)
timeline(lab)

# %% [markdown]
# Each bar is one connection. Its name is a **node id**: the name under which the client keeps it. The small ticks are requests. Five bars: one
# to ask, one to the coordinator, three for data. The last three begin after three seconds. Keep that in mind, we come back to it.
#
# Ten minutes later:

# %%
poll_for(consumer, lab, ms=10 * 60_000)
truth("first consumer", opened=len(lab.sockets()), kept=sum(s.closed_at_ms is None for s in lab.sockets()))
timeline(lab)

# %% [markdown]
# ## 2. Three moments
#
# The first poll has three moments. Read the arrows from top to bottom. An arrow slants because a message needs time.

# %%
lab = article_lab()
consumer = KafkaConsumer(lab, {"group.id": "test"}, name="consumer")
consumer.subscribe(["t4"])
poll_for(consumer, lab, ms=3_300)
sequence(lab, "consumer", apis=("METADATA", "FIND_COORDINATOR", "JOIN_GROUP", "SYNC_GROUP", "OFFSET_FETCH", "LIST_OFFSETS"))

# %% [markdown]
# 1. **Find the coordinator.** The client asks any broker it knows: who coordinates group `test`? It knows one address, so it asks there. The same
#    connection also carries METADATA: who leads what?
# 2. **Talk to the coordinator.** On a connection of its own the client joins the group, hears its partitions, asks for committed offsets, and from
#    then on sends heartbeats and commits.
# 3. **Read.** Each broker that leads a wanted partition gets one connection. JOIN_GROUP was answered after three seconds, because a new group waits
#    for more members. That is why the data connections begin late.
#
# So there are three classes of connections: *bootstrap*, *coordinator*, *data*. Look at the log lines of the five `Initiating connection`:

# %%
print("".join(lab.lines("consumer").query("message.str.contains('Initiating')").text))

# %% [markdown]
# Node `-1` is a made-up id. The client knew only an address, not a broker. Node `2147483645` is made up too: 2147483647 is the largest `int` of
# Java, and 2147483647 − 2 = 2147483645. The 2 is the broker. From version 4.4 on the client writes `+2` instead.

# %% [markdown]
# ### Exercise 03.1 · Count them
#
# Your cluster has `n.brokers` brokers. Your topic has `n.partitions` partitions, and `n.leaders` of the brokers lead them all. One consumer of version 2.3,
# one bootstrap address, a group with a coordinator. How many connections does it **open** in all? How many does it **keep** after the idle limit?

# %%
n = numbers("03.1")
n

# %% answer="03.1"
opened = ...
kept = ...
### BEGIN SOLUTION
opened = 1 + 1 + n.leaders
kept = opened - 1
### END SOLUTION

# %%
check("03.1")

# %% test="03.1"
require("03.1")

# %% [markdown]
# ### Exercise 03.2 · Who is behind a node id?
#
# Write `broker_of(node_id)`. It gets a node id as the line prints it, a text. It returns the number of the broker, or `None` when the client does not
# know the broker. Think of `"0"`, `"-1"`, `"2147483645"` and of version 4.4's `"+2"`.

# %% answer="03.2"
def broker_of(node_id):
    """The broker behind a printed node id, or None."""
    ### BEGIN SOLUTION
    if node_id.startswith("+"):
        return int(node_id[1:])
    number = int(node_id)
    if number < 0:
        return None
    return 2147483647 - number if number > 2_000_000_000 else number
    ### END SOLUTION

# %%
check("03.2")

# %% test="03.2"
require("03.2")

# %% [markdown]
# ## 3. Why does the coordinator get its own connection?
#
# Broker 2 is coordinator *and* leads a partition. Still the client keeps two connections to it. Why not one?
#
# A broker answers the requests of one connection in order. A FETCH on an empty partition is a **long poll**: the broker holds it for up to 500 ms and
# waits for records. A heartbeat behind it would wait too. Let us measure both kinds of answers.

# %%
lab = article_lab()
consumer = KafkaConsumer(lab, {"group.id": "test"}, name="consumer")
consumer.subscribe(["t4"])
poll_for(consumer, lab, ms=30_000)

answers = lab.table("response.received")
answers[answers.api.isin(["FETCH", "HEARTBEAT"])].groupby("api").latency_ms.describe()[["count", "min", "50%", "max"]]

# %% [markdown]
# A FETCH takes about half a second. A heartbeat takes a few milliseconds, and with six fetches between two heartbeats it would often stand behind one.
# The trick with the node id keeps them apart: two ids, two entries in the client's map of connections, two sockets.
#
# ## 4. What closes a connection?
#
# `connections.max.idle.ms` is nine minutes in a client. The client closes a connection on which nothing happened for that long. It looks only while it
# polls, and closes at most one in a poll. After the first poll nobody uses node −1 any more, so node −1 goes. The others are never idle.
#
# Never? Here is a consumer that pauses.

# %%
lab = article_lab()
consumer = KafkaConsumer(lab, {"group.id": "test", "connections.max.idle.ms": 20_000}, name="consumer")
consumer.subscribe(["t4"])
poll_for(consumer, lab, ms=6_000)
consumer.pause(consumer.assignment())
poll_for(consumer, lab, ms=40_000)
consumer.resume(consumer.assignment())
poll_for(consumer, lab, ms=10_000)
timeline(lab)

# %% [markdown]
# With nothing to fetch, data connections go idle. Heartbeats keep the coordinator's. Each close makes the client ask for METADATA, on a connection that is
# still there; that one is used, and lives on. After `resume` the closed ones are opened again. A pause costs reconnects.

# %% [markdown]
# ### Exercise 03.3 · Label the lines
#
# `shown` holds connection lines of one consumer, from three versions mixed. Make a list `labels` of the same length. Each entry is `"bootstrap"`,
# `"coordinator"` or `"data"`.

# %%
shown = [
    "Initiating connection to node localhost:9093 (id: -2 rack: null) using address localhost/127.0.0.1",
    "Initiating connection to node localhost:9094 (id: 2147483645 rack: null) using address localhost/127.0.0.1",
    "Initiating connection to node localhost:9092 (id: 0 rack: null) using address localhost/127.0.0.1",
    "Initiating connection to node localhost:9092 (id: +0 rack: null isFenced: false) using address localhost/127.0.0.1",
    "Initiating connection to node localhost:9092 (id: -1 rack: null isFenced: false) using address localhost/127.0.0.1",
    "Initiating connection to node localhost:9094 (id: 2 rack: null) using address localhost/127.0.0.1",
    "Initiating connection to node localhost:9092 (id: 2147483647 rack: null) using address localhost/127.0.0.1",
]

# %% answer="03.3"
labels = ...
### BEGIN SOLUTION
def label(line):
    node_id = line.split("(id: ")[1].split(" ")[0]
    if node_id.startswith("+") or int(node_id) > 2_000_000_000:
        return "coordinator"
    return "bootstrap" if int(node_id) < 0 else "data"

labels = [label(line) for line in shown]
### END SOLUTION

# %%
check("03.3")

# %% test="03.3"
require("03.3")

# %% [markdown]
# ## 5. Which broker is the coordinator?
#
# Nobody elects it. The group's name decides. Java computes a number from the name, `"test".hashCode()`. Kafka makes it positive and takes the rest of a
# division by 50, because the topic `__consumer_offsets` has 50 partitions. The leader of that partition is the coordinator.

# %%
from kafkalab.hashing import java_string_hash

java_string_hash("test"), abs(java_string_hash("test")) % 50, abs(java_string_hash("inventory")) % 50

# %% [markdown]
# ### Exercise 03.4 · From name to partition
#
# Write `offsets_partition(group)`. Use `java_string_hash`. Take care of one thing: Java's `int` has one number whose absolute value does not fit,
# −2147483648. Kafka's `Utils.abs` makes it 0. A group with that hash exists; the check knows it.

# %% answer="03.4"
def offsets_partition(group):
    """The partition of __consumer_offsets that is responsible for a group, 0 to 49."""
    ### BEGIN SOLUTION
    number = java_string_hash(group)
    positive = 0 if number == -2147483648 else abs(number)
    return positive % 50
    ### END SOLUTION

# %%
check("03.4")

# %% test="03.4"
require("03.4")

# %% [markdown]
# ### Exercise 03.5 · All leaders on one broker
#
# Now every partition of your topic is led by the same broker, and that broker is also the coordinator. Version 2.3, one bootstrap address. Again:
# how many connections are opened, how many are kept?

# %%
m = numbers("03.5")
m

# %% answer="03.5"
opened_one = ...
kept_one = ...
### BEGIN SOLUTION
opened_one = 1 + 1 + 1
kept_one = 2
### END SOLUTION

# %%
check("03.5")

# %% test="03.5"
require("03.5")

# %% [markdown]
# ## 6. The time machine
#
# The same program with another version of the client. Two addresses this time, so that the client has a choice. Rows that differ are boxed.

# %%
def two_addresses(version, seed=3):
    lab = Lab(brokers=2, seed=seed, version=version, broker_version="2.3" if version in ("2.2", "2.3") else "4.4")
    lab.create_topic("t5", partitions=5)
    lab.place_coordinator("test", broker=0)
    consumer = KafkaConsumer(lab, {"group.id": "test", "bootstrap.servers": "localhost:9092,localhost:9093"}, name="consumer")
    consumer.subscribe(["t5"])
    poll_for(consumer, lab, ms=5_000)
    return lab

compare(two_addresses("2.2"), two_addresses("2.3"), titles=("client 2.2", "client 2.3"))

# %% [markdown]
# Client 2.2 opens a second bootstrap connection. When the first one stands but has not answered yet, 2.2 prefers an untouched node for METADATA. Version 2.3
# waits for the one it has (KAFKA-8376). Client 3.9 has a new wish: it wants to report its metrics (KIP-714), and looks for a free connection to ask.

# %%
compare(two_addresses("2.3"), two_addresses("3.9"), titles=("client 2.3", "client 3.9"))

# %% [markdown]
# **Then and now.** Much of what people know about this comes from texts of 2018 and 2019. Most of it holds. This has changed, or was never quite so:
#
# | Then | Now | Try it |
# |---|---|---|
# | A new consumer opens nothing until it polls. | True for the classic consumer. The new one (KIP-848, `group.protocol=consumer`) connects from a thread of its own. | section 1 |
# | FindCoordinator goes to the least loaded broker. | At first all are equal, so it is a random one of the addresses. | `seed=1`, `seed=2` … in section 6 |
# | The coordinator's id is 2147483647 − n. | Until 4.0. From 4.4 it prints as `+n`. | `article_lab("4.4")` |
# | Once data connections exist, the first one is given up. | Nobody gives it up. It is not used, and the idle limit closes it. | section 1, ten minutes |
# | The setting is `connection.max.idle.ms`. | It is `connections.max.idle.ms`; nine minutes in a client, ten in a broker. | section 4 |
# | With −1 the unused connection lives for ever. | Only on the client's side. The broker's own ten minutes close it. | exercise of chapter 02 |
# | `kill -9` closes the consumer. | The sockets die, but nobody leaves the group. It notices after the session timeout. | chapter 08 |

# %% [markdown]
# ## 7. The real thing beside it
#
# This is a recording: a real Java consumer 2.3.0 on real brokers, doing what section 1 did. We lay its lines next to the simulator's.

# %%
import json, pathlib
from kafkalab.lines.layout import read
from kafkalab.replay import replay

here = pathlib.Path.cwd()
home = next(folder for folder in (here, *here.parents) if (folder / "data" / "recordings").is_dir())
recording = home / "data/recordings/2.3.1/2.3.0/consumer_first_poll_3_brokers"
(home / "data/generated").mkdir(exist_ok=True)
(home / "data/generated/chapter03.log").write_text(replay(json.loads((recording / "scenario.json").read_text()))["client"])

def network(path):
    return [row.text for row in read(path) if row.logger_name == "NetworkClient" and row.level == "DEBUG"]

side_by_side(network(recording / "client.log.gz")[:14], network(home / "data/generated/chapter03.log")[:14], titles=("Java client 2.3.0", "simulator"))

# %% [markdown]
# ## 8. Spark lab: many consumers at once
#
# A small log set lies in `data/samples/tiny`: some dozens of clients of mixed versions, about ten minutes. Spark reads the lines and tells each
# connection's life, one row a connection.

# %% spark=true
from kafkalab import logsets

spark = logsets.session()
lines = logsets.read(spark, str(home / "data/samples/tiny"))
sockets = logsets.connections(lines).cache()
sockets.groupBy("class", "how").count().orderBy("class", "how").toPandas()

# %% [markdown]
# You know how many connections a healthy consumer of this cluster opens: one to ask, one to the coordinator, three for data. Some consumers deviate:
# they have no coordinator, or tried to connect and failed, or lost a connection to a broker.

# %% spark=true
from pyspark.sql import functions as F

per_client = (sockets.where(F.col("client_id").startswith("consumer"))
              .groupBy("client_id")
              .agg(F.count("*").alias("rows"),
                   F.sum((F.col("how") == "failed").cast("int")).alias("failed"),
                   F.max((F.col("class") == "coordinator").cast("int")).alias("has_coordinator"))
              .orderBy("client_id"))
per_client.toPandas().head(12)

# %% [markdown]
# ### Exercise 03.6 · Who has no coordinator?
#
# How many consumers of this set never opened a connection of class `coordinator`? Find it with Spark in a cell of your own. Then write the number here.

# %% answer="03.6"
without_coordinator = ...
### BEGIN SOLUTION
without_coordinator = 2
### END SOLUTION

# %%
check("03.6")

# %% test="03.6"
require("03.6")

# %% [markdown]
# ## 9. In your own words
#
# Two brokers, one topic with five partitions, one consumer in a group, one bootstrap address, client 2.3. How many TCP connections does the consumer open, how many does it keep after the idle limit has passed, and why does the coordinator get a socket of its own?

# %% [markdown] open="03.open"
# The consumer opens four connections and keeps three. The first one goes to the bootstrap address, under the made-up id -1, to ask for the coordinator and for metadata.
# Nobody uses it afterwards, so the idle limit closes it. One connection goes to the group's coordinator. Two more go to the brokers that lead partitions: one for each
# leader broker, not one for each partition, so five partitions on two brokers need two. The coordinator has a socket of its own because a broker answers the requests on
# one socket in order: a heartbeat behind a long fetch would wait up to 500 ms for it.

# %% [markdown]
# ## What you know now
#
# - A consumer connects in `poll()`, at three moments: find the coordinator, talk to it, read.
# - One connection for each *leader broker*, not for each partition. One more for the coordinator, even when it is the same broker.
# - Node ids are the client's own names. Two ids are two sockets.
# - The idle limit closes what nobody uses, while somebody polls.
#
# **Words**: coordinator 协调者 · long poll 长轮询 · node id 节点编号 · idle limit 空闲时限 · heartbeat 心跳
#
# ### Do you remember chapter 02?
#
# <details><summary>1. Where does the id −1 come from?</summary>The client numbers its bootstrap addresses −1, −2, −3 … until METADATA tells it the real ids.</details>
# <details><summary>2. Why is the connection to −1 not used again, though it leads to broker 0?</summary>Connections are kept by id. The client looks for 0, and finds nothing under that name.</details>
# <details><summary>3. Who closes an idle connection when the client's limit is −1?</summary>The broker, after ten minutes of its own.</details>
