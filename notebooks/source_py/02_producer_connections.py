# %% [markdown]
# # 02 · What does a producer connect to?
#
# You create a producer. You have sent nothing. Is it connected to any broker? To how many? Guess,
# run, look. Then find out which connections a producer needs, which it needed only once, and which
# nobody closes.
#
# **You need** chapter 01; this chapter uses its words *topic*, *partition* and *leader*. **You get**
# six words: *bootstrap address*, *metadata*, *Sender*, *RecordAccumulator*, *least loaded*,
# *zombie*. **Time** about 45 + 45 + 30 + 35 minutes.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaProducer, ProducerRecord
from kafkalab.stories.producer_connections import connection_steps
from kafkalab.views import timeline, sequence, compare

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# There are two brokers, 0 and 1. The client gets both addresses in `bootstrap.servers`. Topic
# `orders` has two partitions, and each broker leads one. `shop` builds this. (Section 6 is about
# `enable.idempotence`. It is off here, because it can add a connection.)


# %%
def shop(version="2.3", seed=3, brokers=2, partitions=2, addresses=None, **config):
    """A lab with a topic, and a producer that knows all addresses, or the first so many."""
    broker_version = "2.3" if version.startswith("2.") else "4.4"
    lab = Lab(brokers=brokers, seed=seed, version=version, broker_version=broker_version)
    lab.create_topic("orders", partitions=partitions)
    known = range(addresses or brokers)
    servers = ",".join(f"localhost:{9092 + broker}" for broker in known)
    settings = {"bootstrap.servers": servers, "enable.idempotence": False, **config}
    return lab, KafkaProducer(lab, settings, name="shop")


# %% [markdown]
# How many connections are there before we send? How many are opened in all, when we send to both
# partitions for ten minutes? How many are open then?

# %%
predict("02 two brokers", before_send=None, opened=None, kept=None)

# %%
lab, producer = shop()
lab.run_for(ms=2_000)
before_send = len(lab.sockets())
timeline(lab)

# %% [markdown] items="P1 P6 N29 N31"
# Each bar is one TCP connection. Each small tick under it is a request. Nothing was sent, and there
# is a connection already.
#
# Your program did not open it. The constructor of `KafkaProducer` starts a thread of its own, the
# **Sender** (发送线程). First the Sender asks for **metadata** (元数据): which brokers are there, and
# which one leads which partition? Any broker can answer for the whole cluster. At this time the
# Sender knows only **bootstrap addresses** (引导地址), no broker yet. It gives the addresses made-up
# ids, −1, −2, −3 in the order of the list, and asks one of them.
#
# Now we send, for ten minutes.


# %%
def send_for(producer, lab, ms, partitions=2):
    """Send one record to each partition, every twenty seconds."""
    end = lab.now_ms + ms
    while lab.now_ms < end:
        for partition in range(partitions):
            producer.send(ProducerRecord("orders", key="alice", value="tea", partition=partition))
        lab.run_for(ms=20_000)


send_for(producer, lab, ms=10 * 60_000)
kept = sum(s.closed_at_ms is None for s in lab.sockets())
truth("02 two brokers", before_send=before_send, opened=len(lab.sockets()), kept=kept)
timeline(lab)

# %% [markdown] items="P9 P10 P12 P16 C17"
# Node −1 and node 0 are the same broker, at the same host and port. Yet they are two connections,
# because the client finds its connections by node id. METADATA told it about "broker 0 at
# localhost:9092". The 0 is in the broker's `server.properties`, as `broker.id` or `node.id`. The
# client had no connection with the id 0, so it opened one.
#
# The address in METADATA is the one that the broker gives to clients, its *advertised listener*. It
# can differ from the address in your list. From now on the client asks only the nodes that METADATA
# named. Node −1 is not one of them, so it gets no more requests. After nine idle minutes the client
# closes it.

# %% [markdown]
# ## 2. What the Sender says
#
# Here are all messages in time order, top to bottom. A diamond is a new connection. An arrow slants
# because a message needs time.

# %%
lab, producer = shop()
producer.send(ProducerRecord("orders", key="alice", value="tea", partition=0)).get()
sequence(lab, "shop")

# %% [markdown]
# Every connection begins with the question `API_VERSIONS`: which requests do you understand? The
# client sends no other request before the answer. Then METADATA goes to −1, and the record to node 0.
# A Java client 2.3 writes these lines while it does so. We leave out the long answers to
# API_VERSIONS.


# %%
def say(lab):
    """Print the client's lines about its connections: time and message."""
    wanted = "logger.str.endswith('NetworkClient') and level == 'DEBUG'"
    for line in lab.lines().query(wanted).itertuples():
        if not line.message.split("] ")[1].startswith("Recorded API versions"):
            print(line.time[-12:], line.message.split("] ", 1)[1])


say(lab)

# %% [markdown] items="P3 P7"
# `Initialize connection … for sending metadata request` comes from the part that fetches metadata.
# The connection to node 0 has no such line: the Sender itself opened it to send a record.
#
# Your thread and the Sender share one thing, the **RecordAccumulator** (消息累加器). It maps each
# partition to a queue of batches. `send` puts a record into the last batch of a queue. The Sender
# takes batches from the front. Each takes the queue's lock for this. So several threads can share
# one producer.

# %% exercise="02.1"

# %% exercise="02.2"

# %% [markdown] items="P2 P5 P11"
# ## 3. Which broker is asked?
#
# The client asks the **least loaded** (负载最小) node: the one with the fewest requests that still
# wait for an answer. The client counts only its own requests. It cannot know how busy a broker
# really is.
#
# Many texts say that N brokers cost 2N connections. They go back to one run of 2018 with two
# addresses, which opened four. Its log is of a version 2.2 in the making. (2.2.0 is of March 2019.)
# Now take three brokers and three addresses, and send nothing.
# How many connections does 2.2 open, how many 2.3?

# %%
predict("02 three addresses", v2_2=None, v2_3=None)

# %%
lab22, producer22 = shop("2.2", brokers=3, partitions=3, seed=9)
lab23, producer23 = shop("2.3", brokers=3, partitions=3, seed=16)  # begins with the same node
lab22.run_for(ms=2_000)
lab23.run_for(ms=2_000)
truth("02 three addresses", v2_2=len(lab22.sockets()), v2_3=len(lab23.sockets()))
compare(lab22, lab23, titles=("client 2.2, nothing sent", "client 2.3, nothing sent"), to_ms=40)

# %% [markdown] items="P4"
# In version 2.2 the rule had a fault. A node with a connection in progress was skipped, so the next
# look-up chose an unused address and opened one more connection. Only one of them carried METADATA.
# The others asked for API_VERSIONS and were never used again. Version 2.3 waits for the connection
# in progress (KAFKA-8275, KAFKA-8376).

# %% exercise="02.3"

# %% [markdown]
# This is your rule at work, in a cluster of three:

# %%
lab = Lab(brokers=3, seed=3, version="2.3", broker_version="2.3")
addresses = "localhost:9092,localhost:9093,localhost:9094"
try:
    producer = KafkaProducer(
        lab, {"bootstrap.servers": addresses}, name="mine", least_loaded=least_loaded
    )
    lab.run_for(ms=2_000)
    outcome = timeline(lab) if lab.sockets() else "Your rule chose no node, so nothing was opened."
except Exception as problem:
    outcome = f"Your rule stopped the producer: {problem}"
outcome

# %% [markdown] items="P13 P14"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 4. What closes a connection, and what does not
#
# **You do.** `producer.close()` sends what is waiting and closes everything. If the process is
# killed with `kill -9`, the client closes nothing. The operating system drops its connections.
#
# **The client does**, after `connections.max.idle.ms` without a request: nine minutes by default. It
# checks only when the Sender is awake. A Sender with nothing to do sleeps for up to
# `request.timeout.ms`, 30 seconds. Each time it wakes, it closes at most one connection. After each
# close the client asks for METADATA.
#
# With −1 the client closes no idle connection. A producer sends for one minute and is silent for
# twenty. Who closes node −1 then: `"client"`, `"broker"` or `"nobody"`?

# %%
predict("02 limit -1", closed_by=None)

# %%
lab, producer = shop(**{"connections.max.idle.ms": -1})
send_for(producer, lab, ms=60_000)
lab.run_for(ms=20 * 60_000)
who = {"idle": "client", "peer": "broker", None: "nobody"}
truth("02 limit -1", closed_by=who[lab.sockets()[0].how])
timeline(lab)

# %% [markdown] items="P15"
# An open connection that nobody uses is called a **zombie** (僵尸连接). With −1 it lived one minute
# longer than usual. Then the broker closed it: brokers have a limit of their own, ten minutes. (The
# picture calls the broker *peer*, the other end.) Node 1 was closed in the same way.
#
# Here node 0 is no zombie: its ticks are METADATA, asked for every five minutes. With another seed
# it can be node 1. TCP's keepalive does not save a zombie. It shows that the other side lives, but
# it is no request. Only if the broker's limit is −1 as well, nobody closes it.

# %% exercise="02.4"

# %% [markdown]
# A short limit has a price. Here it is 150 seconds, and no record is sent after the first minute.
# How many connections are opened for nobody?

# %%
lab, producer = shop(**{"connections.max.idle.ms": 150_000})
send_for(producer, lab, ms=60_000)
lab.run_for(ms=19 * 60_000)
timeline(lab)

# %% [markdown]
# Each close makes the client ask for METADATA. That needs a connection, and the connection becomes
# idle in turn. The first of these nine connections asked for metadata, and the next two carried the
# records. The last six were opened for nobody. The client opens one every two and a half minutes, as
# long as the program runs.

# %% [markdown]
# ## 5. A race
#
# Does 2.2 really connect to *every* address? The Sender runs a loop: it sends what is ready, reads
# what has come, and closes what is idle. One turn of the loop is a *pass*. Client 2.2 opens one more
# connection in each pass, until one address has answered API_VERSIONS. So it is a **race** (竞态)
# between the client's passes and the brokers' answers. The run of 2018 was one such race.
#
# Here a producer has five addresses and sends nothing. Each seed is another run of the race. A
# longer delay of the answers gives client 2.2 more passes. This picture moves. Use the slider, the
# play button and the switches.

# %%
from kafkalab.stories.moving_cluster import race

race()

# %% [markdown]
# Clients 2.3 and 3.9 do not race here: one connection and two, in each of these runs.

# %% exercise="02.5"

# %% [markdown]
# ## 6. The time machine
#
# The same producer with two addresses, in an old and in a new version. Nothing is sent. How many
# connections does each open?

# %%
predict("02 old and new", v2_1=None, v3_9=None)

# %%
lab21, producer21 = shop("2.1")
lab39, producer39 = shop("3.9")
lab21.run_for(ms=2_000)
lab39.run_for(ms=2_000)
truth("02 old and new", v2_1=len(lab21.sockets()), v3_9=len(lab39.sockets()))
compare(lab21, lab39, titles=("client 2.1, nothing sent", "client 3.9, nothing sent"), to_ms=40)

# %% [markdown] items="P1 P2 P11 P13 P17 N29 N30"
# Version 2.1 waits for the first `send`. Version 3.9 has a second question while the first one
# waits: does a broker want the client's own metrics? That is **telemetry** (遥测). It opens another
# connection for it, before it knows whether the brokers take metrics. Here they do not, so the
# question is never sent. A real client 3.9.2 with three addresses opened three connections. Its second
# address was not ready yet, so it opened one to node 0 as well. So that is a race, too.
#
# **Then and now.** Telemetry came with KIP-714. A KIP is a
# [Kafka Improvement Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals)
# (改进提案). Most of what was written in 2018 holds. Some of it was a race, and some has changed:
#
# | Then | Now | Try it |
# |---|---|---|
# | The constructor's thread connects to every bootstrap address. Give it 1000, and it opens 1000. | A race, up to 2.2. From 2.3 on one address is asked. Three or four are still a good number to give: any one tells about all. | sections 3, 5 |
# | A producer of version 2.1 connects before anything is sent. | From 2.2 on. The log of 2018 shows a 2.2 in the making. | section 6 |
# | N brokers cost 2N connections. | One to ask, and one for each broker that leads a partition you send to. | 02.2 |
# | The setting is `connection.max.idle.ms`. | `connections.max.idle.ms`, with an s. | section 4 |
# | With −1 the connection is permanent. | The broker closes it after ten minutes of its own. | section 4 |
# | `kill -9` closes the connections. | It ends the process. The operating system drops the connections. | section 4 |
# | Clients should compare host and port, not ids. | They still go by id. From client 3.8 a client can go back to its bootstrap addresses when its metadata is of no use (KIP-899). From 4.0 on it does so by default, after some time, too (KIP-1102). | 02.open |
# | — | Client 3.7 and newer look for a broker that takes their metrics (KIP-714). | section 6 |
# | — | From 3.0.1, 3.1.1 and 3.2 on producers are **idempotent** (幂等, chapter 06) by default. They ask for a producer id first, INIT_PRODUCER_ID. In 3.0.0 and 3.1.0 a fault kept this off (KAFKA-13598). | the next cell |

# %%
lab, producer = shop("3.9", brokers=3, partitions=3, seed=9, **{"enable.idempotence": True})
lab.run_for(ms=2_000)
print(len(lab.sockets()), "connections; asked for:", sorted(set(lab.table("request.sent").api)))

# %% [markdown]
# The lab keeps a page for each release: what differs from the release before, each change with its
# KIP, its JIRA or the recordings that show it. These are the changes about connections from 2.1 to
# 2.3 that have a JIRA. The first line is why version 2.1 waits for the first `send`.

# %%
from kafkalab import changes

known = changes("2.1", "2.3", area="connecting").query("source != 'recordings'")
for change in known.itertuples():
    print(f"{change.release}  {change.source}: {change.what}")

# %% [markdown]
# ## 7. The real thing beside it
#
# This is a recording of a real Java producer 2.2.2 with three addresses. It was created and sent
# nothing. Beside it the simulator plays the same program.

# %%
from kafkalab.stories.recorded import recorded

pair = recorded("2.3.1/2.2.2/producer_created_three_bootstrap", seed=9)
lines = pair.beside(
    "Initiating connection", "Completed connection", "metadata request", logger="NetworkClient"
)
print((lines.real == lines.played).sum(), "of", len(lines), "lines are the same")
lines

# %% [markdown]
# Which address is asked first is chance, in Java and here. We took a seed with the same order. Try
# `seed=1`: the order changes, the steps do not.
#
# ## 8. Spark lab: connections by the minute
#
# Spark works on many pieces of a log at once, so it is for large log sets. Ours is small: dozens of
# clients, ten minutes, in `data/samples/tiny`. `logsets.session()` starts Spark,
# once in each notebook. The cell shows how far it is. A Spark table
# is calculated when you ask for it. `toPandas()` asks, and brings a row for each connection.

# %%
from kafkalab import logsets
from kafkalab.course_folder import course_folder
from pyspark.sql import functions as F

# %% spark=true
spark = logsets.session()
tiny = str(course_folder() / "data/samples/tiny")
sockets = logsets.connections(logsets.read(spark, tiny)).cache()
some = sockets.select("client_id", "node_id", "class", "opened_at", "closed_at", "how")
some.orderBy("opened_at").limit(8).toPandas()

# %% [markdown]
# `how` says which side ended a connection. `idle`: the client, after its limit. `peer`: the broker.
# `None`, with `NaT` in place of a time: it was open at the end. Class `coordinator` is for consumers
# (chapter 03). How many connections are open at each full minute?

# %% spark=true
minutes = spark.sql("""SELECT explode(sequence(
    timestamp'2026-01-05 09:00:00', timestamp'2026-01-05 09:10:00',
    interval 1 minute)) AS minute""")
later = F.col("closed_at").isNull() | (F.col("closed_at") > F.col("minute"))
is_open = (F.col("opened_at") <= F.col("minute")) & later
by_minute = minutes.join(sockets, is_open, how="left").groupBy("minute")
by_minute.agg(F.count("client_id").alias("open")).orderBy("minute").toPandas()

# %% [markdown]
# After 09:08 the number falls by 33: so many bootstrap connections were idle too long.

# %% exercise="02.6"

# %% spark=true
found = zombies(sockets)
if found is not None:
    truth("02 zombie producers", zombies=found.count())
found.toPandas() if found is not None else "Write zombies first."

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*.
#
# ## 9. The life of a connection
#
# For its client a connection is in one of four states. In `CHECKING_API_VERSIONS` TCP is connected,
# and the client may send nothing but the question about versions.

# %% exercise="02.7"

# %% [markdown]
# Does a real run keep to your table? Broker 1 is down for three seconds, while a record waits for
# it. These are the states of the connection to node 1. The last column says whether
# your table has such a step.

# %%
lab, producer = shop(**{"reconnect.backoff.ms": 1_000})
send_for(producer, lab, ms=20_000)
lab.broker(1).crash()
producer.send(ProducerRecord("orders", key="alice", value="tea", partition=1))
lab.run_for(ms=3_000)
lab.broker(1).restart()
lab.run_for(ms=3_000)
connection_steps(lab, node=1, table=connection if isinstance(connection, dict) else {})

# %% [markdown]
# ## 10. When `send` blocks
#
# `send` returns at once in most cases. It waits in two: the metadata of the topic is not there yet,
# or the memory for waiting records (`buffer.memory`) is full. It waits for both together at most
# `max.block.ms`, one minute by default. Then the future has a TimeoutException. A wrong topic name
# is the usual reason, where the brokers do not create missing topics by themselves.

# %% exercise="02.8"

# %% [markdown]
# ## 11. The rule of section 4 is yours

# %% exercise="02.9"

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*.
#
# ## 12. The first incident of many
#
# In Docker and Kubernetes a broker often gives out an address that only its own network knows. The
# address in your list works, and METADATA comes. Here broker 1 listens at port 9093 and advertises port
# 29092, where nobody listens. An order goes to each of three brokers. How many of the three are
# written?

# %%
predict("02 wrong address", written=None)

# %%
from kafkalab.stories.producer_connections import wrong_address

told = wrong_address()
truth("02 wrong address", written=told.count("written"))
print(told)

# %% [markdown]
# The client goes where the answer sends it, again and again, until the order's time is over. All its
# other work succeeds, so the fault looks like a broker that is down. Two signs tell them apart. The
# address in the warning is not one that you know. And there was never a connection to this node, while
# the addresses of your list all work.
#
# No setting of the client mends this. Each broker's `advertised.listeners` must name an address that
# the *client* can reach. `listeners` says where the broker listens. Clients of two networks, such as
# those inside and outside of Docker, need two listeners with an advertised address each.
#
# A name can have several IP addresses. The client tries them one after the other, as
# `client.dns.lookup=use_all_dns_ips` says. That is the default since 2.6; before, the client took the
# first address only. With `resolve_canonical_bootstrap_servers_only` the client makes one bootstrap
# node of each IP address behind a name of your list.

# %% exercise="02.10"

# %% [markdown] items="P8"
# ## 13. An aside: a thread from a constructor
#
# The Sender is started *inside the constructor*. Think of a class whose constructor starts a thread
# first, and sets `self.accumulator` in its next line. The thread may look before that, and find
# nothing. People say that `this` *escapes* (逸出). `KafkaProducer` starts its thread almost at the
# end, so this does not happen there. In Java the new thread sees everything written *before* `Thread.start()`.
# What a constructor, or that of a subclass, writes later, it may see late or not at all.
#
# ## 14. In your own words
#
# A person reads your answers. `reveal("02.open", give_up=True)` and
# `reveal("02.open2", give_up=True)` show good ones to compare with.

# %% exercise="02.open"

# %% exercise="02.open2"

# %% [markdown]
# ## Break it yourself
#
# Both brokers crash for five seconds, one after the other. The dotted lines are the crashes and the
# starts. How many tries to connect fail at each broker? `reconnect.backoff.ms` is the pause between
# two tries. Change it to 500. (The picture's heading counts them apart.)

# %%
lab, producer = shop(**{"reconnect.backoff.ms": 1_000})
send_for(producer, lab, ms=20_000)
for broker in (0, 1):
    lab.broker(broker).crash()
    producer.send(ProducerRecord("orders", key="alice", value="tea", partition=broker))
    lab.run_for(ms=5_000)
    lab.broker(broker).restart()
    lab.run_for(ms=5_000)
timeline(lab)

# %% [markdown]
# ### The same on real Kafka
#
# A producer with two addresses sends to two brokers. The folded cell does this on the simulator and
# on real brokers of your machine, in about a minute. Set real Kafka up once:
# `python -m kafkalab real setup`.

# %% fold=true
from kafkalab import ProducerRecord
from kafkalab.real import on_both


def two_brokers(kafka):
    lab = kafka.Lab(brokers=2, version="3.9")
    lab.create_topic("orders", partitions=2)
    settings = {"bootstrap.servers": "localhost:9092,localhost:9093", "enable.idempotence": False}
    shop = kafka.KafkaProducer(lab, {**settings, "connections.max.idle.ms": 6_000}, name="shop")
    lab.run_for(ms=2_000)
    first_send_ms = lab.now_ms
    for partition in [0, 1] * 10:
        shop.send(ProducerRecord("orders", "tea", partition=partition))
        lab.run_for(ms=1_000)
    sockets = lab.sockets("shop")
    before_send = sum(socket.opened_at_ms < first_send_ms for socket in sockets)
    kept = sum(socket.closed_at_ms is None for socket in sockets)
    return {"before send": before_send, "opened": len(sockets), "kept": kept}


on_both(two_brokers)

# %% [markdown] items="P18"
# **So what?** A broker pays for connections: clients × the brokers that each one writes to, plus the
# idle ones of the last nine minutes. Each is an open file of the broker's process. Watch the broker's
# metric `connection-count`, and alert when it comes near the limit of open files. Leave
# `connections.max.idle.ms` at nine minutes: −1 makes zombies, and a short limit opens connections
# for nobody.
#
# ## What you know now
#
# - The Sender connects, not your thread. From 2.2 on it does so before you send.
# - Bootstrap addresses are nodes −1, −2, −3. Brokers from METADATA have real ids. Two ids are two
#   connections.
# - You pay one connection for metadata, and one for each broker that leads a partition you send to.
#   From client 3.7 on telemetry can add one.
# - An idle connection is closed by the side whose limit expires first: the client after nine
#   minutes, the broker after ten.
# - `send` waits for metadata and for memory, at most `max.block.ms`.
#
# **Words**: bootstrap address 引导地址 · metadata 元数据 · Sender 发送线程 · RecordAccumulator
# 消息累加器 · least loaded 负载最小 · zombie 僵尸连接 · race 竞态 · telemetry 遥测 · idempotent 幂等
# · backoff 退避

# %%
from autograder import my_guesses

my_guesses("02")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# Answer aloud before you open a line.
#
# <details><summary>1. In chapter 00, why did one record need two connections?</summary>One to ask
# for metadata, one to the leader of the record's partition.</details>
# <details><summary>2. What does send() wait for?</summary>For metadata of the topic and for free
# memory, both together at most max.block.ms. The record itself waits in a batch, and the future
# tells when it has arrived.</details>
# <details><summary>3. What is the lab's clock?</summary>A virtual one. Time passes only when the
# lab runs: in run_for, in get, in poll.</details>
#
# Next: **03 · What does a consumer connect to?** It needs one connection more.
