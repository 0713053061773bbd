# %% [markdown]
# # 02 · What does a producer connect to?
#
# You create a producer. You have sent nothing. Is it connected to anybody? To how many brokers? You will guess, run, look, and then find out
# which connections a producer needs, which it only needed once, and which nobody closes.
#
# **You need** chapter 00. **You get** five words: *bootstrap address*, *metadata*, *Sender*, *least loaded*, *zombie connection*.
# **Time** about 40 minutes.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaProducer, ProducerRecord
from kafkalab.views import timeline, sequence, compare, side_by_side

me("")     # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# Two brokers, 0 and 1. The producer gets both addresses in `bootstrap.servers`. Topic `orders` has two partitions, one on each broker. We send a record to
# each partition. How many connections are opened? How many are left after ten minutes, if we keep sending?

# %%
predict("first producer", opened=None, kept=None)

# %%
def shop(version="2.3", seed=3, brokers=2, partitions=2, **config):
    lab = Lab(brokers=brokers, seed=seed, version=version, broker_version="2.3" if version in ("2.1", "2.2", "2.3") else "4.4")
    lab.create_topic("orders", partitions=partitions)
    addresses = ",".join(f"localhost:{9092 + broker}" for broker in range(brokers))
    producer = KafkaProducer(lab, {"bootstrap.servers": addresses, "enable.idempotence": False, **config}, name="shop")
    return lab, producer

def send_for(producer, lab, ms, partitions=2):
    end = lab.now_ms + ms
    while lab.now_ms < end:
        for partition in range(partitions):
            producer.send(ProducerRecord("orders", key="alice", value="tea", partition=partition))
        lab.run_for(ms=20_000)

lab, producer = shop()
lab.run_for(ms=2_000)
timeline(lab)

# %% [markdown]
# Nothing was sent, and there is a connection already. `KafkaProducer`'s constructor starts a thread of its own, the **Sender**. The Sender wants to know the
# cluster, so it asks for **metadata**. It knows only addresses, so it gives them made-up numbers: −1, −2, −3. Here it asked the one it calls −1.
#
# Now we send, for ten minutes.

# %%
send_for(producer, lab, ms=10 * 60_000)
truth("first producer", opened=len(lab.sockets()), kept=sum(s.closed_at_ms is None for s in lab.sockets()))
timeline(lab)

# %% [markdown]
# Broker 0 may be behind two connections now: once as node −1, once as node 0. The client keeps its connections by node id. When METADATA told it about
# "0 at localhost:9092", it looked under 0, found nothing, and opened a new one. Nobody uses node −1 any more. After nine idle minutes the client closes it.

# %% [markdown]
# ## 2. What the Sender says
#
# Here is the talk in the order of time, and the lines that a Java client 2.3 writes meanwhile.

# %%
lab, producer = shop()
producer.send(ProducerRecord("orders", key="alice", value="tea", partition=0)).get()
sequence(lab, "shop")

# %%
print("".join(lab.lines("shop").query("logger.str.endswith('NetworkClient') and level == 'DEBUG'").text))

# %% [markdown]
# `Initialize connection … for sending metadata request` comes from the part that fetches metadata. The second `Initiating connection` has no such line
# before it: there the Sender itself wanted to send a record.

# %% [markdown]
# ### Exercise 02.1 · Who is connected?
#
# `shown` holds the connection lines of a producer in the order in which it wrote them. Which node ids are connected at the end? Make a set `still_open` of
# numbers.

# %%
shown = [
    "Initiating connection to node localhost:9093 (id: -2 rack: null) using address localhost/127.0.0.1",
    "Completed connection to node -2. Fetching API versions.",
    "Initiating connection to node localhost:9092 (id: -1 rack: null) using address localhost/127.0.0.1",
    "Completed connection to node -1. Fetching API versions.",
    "Initiating connection to node localhost:9092 (id: 0 rack: null) using address localhost/127.0.0.1",
    "Completed connection to node 0. Fetching API versions.",
    "Initiating connection to node localhost:9094 (id: 2 rack: null) using address localhost/127.0.0.1",
    "Connection to node 2 (localhost/127.0.0.1:9094) could not be established. Broker may not be available.",
    "Initiating connection to node localhost:9093 (id: 1 rack: null) using address localhost/127.0.0.1",
    "Completed connection to node 1. Fetching API versions.",
    "Node -2 disconnected.",
    "Node 1 disconnected.",
    "Initiating connection to node localhost:9093 (id: 1 rack: null) using address localhost/127.0.0.1",
    "Completed connection to node 1. Fetching API versions.",
]

# %% answer="02.1"
still_open = ...
### BEGIN SOLUTION
still_open = set()
for line in shown:
    if line.startswith("Completed connection to node "):
        still_open.add(int(line.split()[4].rstrip(".")))
    if line.startswith("Node ") and line.endswith("disconnected."):
        still_open.discard(int(line.split()[1]))
### END SOLUTION

# %%
check("02.1")

# %% test="02.1"
require("02.1")

# %% [markdown]
# ### Exercise 02.2 · Opened and kept
#
# A 2.3 producer with one bootstrap address. Your cluster has `n.brokers` brokers, your topic `n.partitions` partitions, and `n.leaders` of the brokers lead them all. The
# program sends to every partition, every twenty seconds, for a quarter of an hour. How many connections does it open in all, and how many are left at the end?

# %%
n = numbers("02.2")
n

# %% answer="02.2"
opened = ...
kept = ...
### BEGIN SOLUTION
opened = 1 + n.leaders
kept = n.leaders
### END SOLUTION

# %%
check("02.2")

# %% test="02.2"
require("02.2")

# %% [markdown]
# ## 3. Which broker is asked?
#
# The client asks the **least loaded** node: the one with the fewest requests that still wait for an answer. It looks at its own list only; it cannot know how
# busy a broker really is. In version 2.2 the rule had a gap. A node whose connection was just being made counted as loaded, so the next look found an untouched
# address, and one more connection was opened. Version 2.3 closed the gap (KAFKA-8275, KAFKA-8376).

# %%
lab22, _ = shop("2.2", brokers=3)
lab23, _ = shop("2.3", brokers=3)
lab22.run_for(ms=2_000)
lab23.run_for(ms=2_000)
compare(lab22, lab23, titles=("client 2.2, nothing sent", "client 2.3, nothing sent"))

# %% [markdown]
# ### Exercise 02.3 · Write the rule
#
# Write `least_loaded(nodes)`. Each node has `id`, `in_flight` (requests without an answer), `can_send` (connected and ready for a request), `state`
# (`"ready"`, `"preparing"` while a connection is being made, or `"disconnected"`) and `can_connect`. Return the node to ask, or `None`. The rule of version 2.3:
#
# 1. Of the nodes that can take a request now, the one with the fewest in flight.
# 2. If there is none: a node whose connection is being made.
# 3. If there is none: a node that may be connected.
#
# The check gives your function to a producer and counts what it opens.

# %% answer="02.3"
def least_loaded(nodes):
    """The node to ask, or None."""
    ### BEGIN SOLUTION
    able = [node for node in nodes if node.can_send]
    if able:
        return min(able, key=lambda node: node.in_flight)
    for wanted in ([node for node in nodes if node.state == "preparing"], [node for node in nodes if node.can_connect]):
        if wanted:
            return wanted[0]
    return None
    ### END SOLUTION

# %%
check("02.3")

# %% test="02.3"
require("02.3")

# %% [markdown]
# Your rule at work, in a cluster of three:

# %%
lab = Lab(brokers=3, seed=3, version="2.3", broker_version="2.3")
try:
    producer = KafkaProducer(lab, {"bootstrap.servers": "localhost:9092,localhost:9093,localhost:9094"}, name="mine", least_loaded=least_loaded)
    lab.run_for(ms=2_000)
    outcome = timeline(lab)
except Exception as problem:
    outcome = f"Your rule stopped the producer: {problem}"
outcome

# %% [markdown]
# ### Exercise 02.5 · How slow must the answers be?
#
# A 2.2 producer with five addresses opens more connections when the brokers answer its first question, API_VERSIONS, more slowly. `bootstrap_sockets(delay_ms)`
# below counts them for a delay in milliseconds, in a lab of your own. Find by experiment the smallest delay from which on **all five** are opened: with that delay and
# with every larger one up to 20 ms.

# %%
d = numbers("02.5")

def bootstrap_sockets(delay_ms):
    lab = Lab(brokers=5, seed=d.seed, version="2.2", broker_version="2.3")
    for broker in range(5):
        lab.broker(broker).delay("API_VERSIONS", ms=delay_ms)
    KafkaProducer(lab, {"bootstrap.servers": ",".join(f"localhost:{9092 + b}" for b in range(5))}, name="shop")
    lab.run_for(ms=2_000)
    return sum(s.role == "bootstrap" for s in lab.sockets())

bootstrap_sockets(0), bootstrap_sockets(20)

# %% answer="02.5"
smallest_delay = ...
### BEGIN SOLUTION
counts = [bootstrap_sockets(delay) for delay in range(21)]
smallest_delay = min(delay for delay in range(21) if all(count == 5 for count in counts[delay:]))
### END SOLUTION

# %%
check("02.5")

# %% test="02.5"
require("02.5")

# %% [markdown]
# ## 4. What closes a connection, and what does not
#
# Clients close what was idle for `connections.max.idle.ms`, nine minutes. The client looks while it polls. A producer that has nothing to do sleeps for up to half a
# minute between two looks, and closes at most one connection each time. With −1 the client never closes anything. Then the broker does: it has a limit of its own,
# ten minutes.

# %%
lab, producer = shop(**{"connections.max.idle.ms": -1})
send_for(producer, lab, ms=60_000)
lab.run_for(ms=20 * 60_000)
timeline(lab)

# %% [markdown]
# A connection that nobody uses and nobody closes is called a **zombie**. With −1 in the client it lived one minute longer than usual: the broker closed it. It
# would live for ever only if the broker's limit were −1 as well.

# %% [markdown]
# ### Exercise 02.4 · Idle, or zombie?
#
# A 2.3 producer, one bootstrap address, `n4.brokers` brokers and as many partitions. It sends to every partition during the first minute only. Its
# `connections.max.idle.ms` is `n4.limit_s` seconds (−1 means never). The brokers have their ten minutes. How many connections are open after five minutes, and after
# twenty? An idle producer still asks for metadata every five minutes.

# %%
n4 = numbers("02.4")
n4

# %% answer="02.4"
after_five = ...
after_twenty = ...
### BEGIN SOLUTION
lab4 = Lab(brokers=n4.brokers, seed=3, version="2.3", broker_version="2.3")
lab4.create_topic("orders", partitions=n4.brokers)
limit_ms = -1 if n4.limit_s < 0 else n4.limit_s * 1_000
producer4 = KafkaProducer(lab4, {"connections.max.idle.ms": limit_ms}, name="shop")
send_for(producer4, lab4, ms=60_000, partitions=n4.brokers)
lab4.run_for(ms=5 * 60_000 - lab4.now_ms)
after_five = sum(s.closed_at_ms is None for s in lab4.sockets())
lab4.run_for(ms=20 * 60_000 - lab4.now_ms)
after_twenty = sum(s.closed_at_ms is None for s in lab4.sockets())
### END SOLUTION

# %%
check("02.4")

# %% test="02.4"
require("02.4")

# %% [markdown]
# ## 5. The time machine
#
# The same producer, three versions apart. Nothing is sent.

# %%
lab21, _ = shop("2.1")
lab39, _ = shop("3.9")
lab21.run_for(ms=2_000)
lab39.run_for(ms=2_000)
compare(lab21, lab39, titles=("client 2.1, nothing sent", "client 3.9, nothing sent"))

# %% [markdown]
# **Then and now.** A well-known article of 2018 explained all this with two runs. Most of what it says holds. Some of it was a race, and some has changed:
#
# | Then | Now | Try it |
# |---|---|---|
# | The constructor connects to every address in `bootstrap.servers`. | It was a race in versions up to 2.2: with two addresses nearly always both. From 2.3 one is asked. With 1000 addresses nobody opens 1000. | section 3 |
# | A producer connects before anything is sent. | From 2.2 on. Version 2.1 waits for the first `send`. | section 5 |
# | N brokers cost 2N connections. | One for metadata, and one for each broker that leads something you send to. | 02.2 |
# | The setting is `connection.max.idle.ms`. | It is `connections.max.idle.ms`. | section 4 |
# | With −1 the connection is permanent. | The broker closes it after its own ten minutes. | section 4 |
# | Clients should compare host and port instead of ids. | They still go by id. Since 4.0 a client can go back to its bootstrap addresses when its metadata is of no use (KIP-899, KIP-1102). | 02.open |
# | — | From 3.7 a client also looks for a broker that takes its metrics (KIP-714). That can open one more connection. | section 5 |
# | — | From 3.0.1 on producers are idempotent and ask for a producer id first, at a node of their own choice. | `enable.idempotence=True` in section 5 |

# %% [markdown]
# ## 6. The real thing beside it
#
# A recording of a real Java producer 2.2.2 with three addresses, created and left alone. Beside it, the simulator plays the same scenario.

# %%
import json, pathlib
from kafkalab.lines.layout import read
from kafkalab.replay import replay

here = pathlib.Path.cwd()
home = next(folder for folder in (here, *here.parents) if (folder / "data" / "recordings").is_dir())
recording = home / "data/recordings/2.3.1/2.2.2/producer_created_three_bootstrap"
(home / "data/generated").mkdir(exist_ok=True)
(home / "data/generated/chapter02.log").write_text(replay(json.loads((recording / "scenario.json").read_text()), seed=5)["client"])

def network(path):
    return [row.text for row in read(path) if row.logger_name == "NetworkClient" and row.level == "DEBUG"]

side_by_side(network(recording / "client.log.gz")[:12], network(home / "data/generated/chapter02.log")[:12], titles=("Java client 2.2.2", "simulator"))

# %% [markdown]
# Which address is asked first is chance, in Java and here. The steps are the same.
#
# ## 7. Spark lab: sockets by the minute
#
# A small log set lies in `data/samples/tiny`: some dozens of clients, about ten minutes. Spark reads the lines and gives one row for each connection.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
sockets = logsets.connections(logsets.read(spark, str(home / "data/samples/tiny"))).cache()
sockets.select("client_id", "node_id", "class", "opened_at", "closed_at", "how").orderBy("opened_at").limit(8).toPandas()

# %% [markdown]
# How many connections are alive at the full minutes?

# %% spark=true
minutes = spark.sql("SELECT explode(sequence(timestamp'2026-01-05 09:00:00', timestamp'2026-01-05 09:10:00', interval 1 minute)) AS minute")
alive = (minutes.join(sockets, (F.col("opened_at") <= F.col("minute")) & (F.col("closed_at").isNull() | (F.col("closed_at") > F.col("minute"))), how="left")
         .groupBy("minute").agg(F.count("client_id").alias("alive")).orderBy("minute"))
alive.toPandas()

# %% [markdown]
# ### Exercise 02.6 · Find the zombies
#
# The set ends after the idle limit has done its work: healthy clients have lost their bootstrap connection. How many **producers** still hold one at the end? Find it with
# Spark in a cell of your own. Then write the number here.

# %% answer="02.6"
zombie_producers = ...
### BEGIN SOLUTION
zombie_producers = 2
### END SOLUTION

# %%
check("02.6")

# %% test="02.6"
require("02.6")

# %% [markdown]
# ## 8. In your own words
#
# A producer first connects to a bootstrap server as node -1 and later opens a second connection to the very same host and port as node 0. Why can the first connection not simply be reused, and would comparing host:port instead of the id fix it?

# %% [markdown] open="02.open"
# The first connection is kept under the made-up id -1, because the client did not know the broker yet. Every map in the client is keyed by the node id, so a request for node 0 does
# not find it. Comparing host and port would not really fix it: the address in bootstrap.servers may differ from the advertised listener, one name may stand for several brokers, and a
# load balancer may sit in between. The price of the simple rule is one idle connection, and the idle limit closes it after nine minutes. So it is a trade-off, and a cheap one.

# %% [markdown]
# KafkaProducer's constructor starts its Sender thread. Why is starting a thread inside a constructor risky, and what is the safe order?

# %% [markdown] open="02.open2"
# The new thread can see the object before its constructor has finished: `this` escapes, and fields may still be unset. Without safe publication the memory model does not promise that
# the thread sees what the constructor has written. The safe order is to build the object completely first and to start the thread afterwards, in a factory method or in a start() method
# that is called after construction.

# %% [markdown]
# ## What you know now
#
# - The Sender connects, not your thread. From 2.2 on it does so before you send.
# - Bootstrap addresses are nodes −1, −2, −3. Brokers from METADATA have real ids. Two ids are two connections.
# - You pay one connection for metadata, and one for each broker that leads what you send to.
# - Idle connections are closed by whoever looks first: the client after nine minutes, the broker after ten.
#
# **Words**: bootstrap address 引导地址 · metadata 元数据 · Sender 发送线程 · least loaded 负载最小 · zombie connection 僵尸连接
#
# ### Do you remember?
#
# <details><summary>1. In chapter 00, why did one record need two connections?</summary>One to ask for metadata, one to the leader of the record's partition.</details>
# <details><summary>2. What does send() wait for?</summary>Only for metadata of the topic. The record itself waits in a batch, and the future tells when it has arrived.</details>
# <details><summary>3. What is the lab's clock?</summary>A virtual one. Time passes only when the lab runs: in run_for, in get, in poll.</details>
