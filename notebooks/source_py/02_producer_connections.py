# %% [markdown]
# # 02 · What does a producer connect to?
#
# You create a producer. You have sent nothing. Is it connected to anybody? To how many brokers?
# Guess, run, look. Then find out which connections a producer needs, which it needed only once, and
# which nobody closes.
#
# **You need** chapter 00. **You get** five words: *bootstrap address*, *metadata*, *Sender*, *least
# loaded*, *zombie*. **Time** about 40 minutes.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaProducer, ProducerRecord
from kafkalab.views import timeline, sequence, compare, side_by_side

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# Two brokers, 0 and 1. The client gets both addresses in `bootstrap.servers`. Topic `orders` has
# two partitions, one on each broker. How many connections are there before we send? How many are
# opened in all, when we send to both partitions for ten minutes? How many are left then?

# %%
predict("02 two brokers", before_send=None, opened=None, kept=None)


# %%
def shop(version="2.3", seed=3, brokers=2, partitions=2, **config):
    broker_version = "2.3" if version.startswith("2.") else "4.4"
    lab = Lab(brokers=brokers, seed=seed, version=version, broker_version=broker_version)
    lab.create_topic("orders", partitions=partitions)
    addresses = ",".join(f"localhost:{9092 + broker}" for broker in range(brokers))
    settings = {"bootstrap.servers": addresses, "enable.idempotence": False, **config}
    return lab, KafkaProducer(lab, settings, name="shop")


lab, producer = shop()
lab.run_for(ms=2_000)
before_send = len(lab.sockets())
timeline(lab)

# %% [markdown] items="P1 P6 N29 N31"
# Each bar is one TCP connection. Each small tick under it is a request. Nothing was sent, and there
# is a connection already.
#
# Your program did not open it. `KafkaProducer`'s constructor starts a thread of its own, the
# **Sender**. The Sender's first act is to look for **metadata**: which brokers are there, and who
# leads what? Any one broker can answer for the whole cluster. So far the Sender knows **bootstrap
# addresses** and no broker. It gives the addresses made-up ids, −1, −2, −3 in the order of the
# list, and asks one of them.
#
# Now we send, for ten minutes.


# %%
def send_for(producer, lab, ms, partitions=2):
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
# Node −1 and node 0 lead to the same broker, at the same host and port. Yet they are two
# connections. The client keeps its connections by node id. METADATA told it about "broker 0 at
# localhost:9092"; the 0 is what the broker has in its `server.properties`, as `broker.id` or
# `node.id`. The client looked under 0, found nothing, and opened a new connection. The address in
# METADATA is the one under which the broker wants to be reached, its *advertised listener*. It need
# not be the one in your list. Nobody uses node −1 any more. After nine idle minutes the client
# closes it.

# %% [markdown]
# ## 2. What the Sender says
#
# The whole talk, in the order of time. A diamond is a new connection. An arrow slants because a
# message needs time.

# %%
lab, producer = shop()
producer.send(ProducerRecord("orders", key="alice", value="tea", partition=0)).get()
sequence(lab, "shop")

# %% [markdown]
# Every connection begins with the same question, `API_VERSIONS`: which requests do you understand?
# The client asks nothing else until it knows. Then METADATA goes to −1, and the record goes to 0.
#
# These are the lines that a Java client 2.3 writes meanwhile. We leave out the long answers to
# API_VERSIONS.


# %%
def say(lab):
    """Print the client's lines about its connections: time and message."""
    wanted = "logger.str.endswith('NetworkClient') and level == 'DEBUG'"
    for line in lab.lines().query(wanted).itertuples():
        if not line.message.split("] ")[1].startswith("Recorded API versions"):
            print(line.time[-12:], line.message.split("] ", 1)[1])


say(lab)

# %% [markdown] items="P3"
# `Initialize connection … for sending metadata request` comes from the part that fetches metadata.
# The connection to node 0 has no such line: there the Sender itself wanted to send a record.

# %% exercise="02.1"

# %% exercise="02.2"

# %% [markdown] items="P7"
# ## 3. Two threads, one constructor
#
# Your thread and the Sender share one thing: the **RecordAccumulator**. It is a map from partition
# to a queue of batches. `send` puts a record into the last batch of a queue, the Sender takes
# batches from its front, and each of them holds the queue's lock meanwhile. That is why many
# threads may share one producer.
#
# But the Sender is started *inside the constructor*. Here is a hasty class in Python that does the
# same a little too early. `join` makes sure that the new thread is the faster one. What will it
# find: `"accumulator"` or `"nothing"`?

# %%
predict("02 hasty constructor", found=None)

# %%
import threading


class Hasty:
    def __init__(self):
        sender = threading.Thread(target=self.look)
        sender.start()
        sender.join()
        self.accumulator = {"orders-0": []}

    def look(self):
        self.found = "accumulator" if hasattr(self, "accumulator") else "nothing"


truth("02 hasty constructor", found=Hasty().found)

# %% [markdown] items="P8"
# The thread got hold of an object that was not finished. People say that `this` *escapes*.
# `KafkaProducer` starts its thread almost at the end, so it gets away with it. In Java there is one
# more danger: without a rule that orders the two threads, the new one may not see what the other
# has written. Section 10 asks you for the safe order.

# %% [markdown] items="P2 P5 P11"
# ## 4. Which broker is asked?
#
# The client asks the **least loaded** node: the one with the fewest requests that still wait for an
# answer. It looks at its own list only; it cannot know how busy a broker really is.
#
# A well-known article of 2018 used two addresses, as we did, and counted four connections. It
# concluded: N brokers cost 2N. Its client was of version 2.2. Three brokers, three addresses,
# nothing sent: how many will 2.2 open, how many 2.3?

# %%
predict("02 three addresses", v2_2=None, v2_3=None)

# %%
lab22, producer22 = shop("2.2", brokers=3, partitions=3, seed=4)
lab23, producer23 = shop("2.3", brokers=3, partitions=3, seed=4)
lab22.run_for(ms=2_000)
lab23.run_for(ms=2_000)
truth("02 three addresses", v2_2=len(lab22.sockets()), v2_3=len(lab23.sockets()))
compare(lab22, lab23, titles=("client 2.2, nothing sent", "client 2.3, nothing sent"), to_ms=40)

# %% [markdown] items="P4"
# In version 2.2 the rule had a gap. A node whose connection was just being made counted as loaded.
# So the next look found an untouched address, and one more connection was opened. Only one of them
# carried METADATA. The others asked for API_VERSIONS and were never used again. Version 2.3 closed
# the gap (KAFKA-8275, KAFKA-8376): it waits for the connection that is on its way.

# %% exercise="02.3"

# %% [markdown]
# Your rule at work, in a cluster of three:

# %%
lab = Lab(brokers=3, seed=3, version="2.3", broker_version="2.3")
addresses = "localhost:9092,localhost:9093,localhost:9094"
try:
    producer = KafkaProducer(
        lab, {"bootstrap.servers": addresses}, name="mine", least_loaded=least_loaded
    )
    lab.run_for(ms=2_000)
    outcome = timeline(lab) if lab.sockets() else "Your rule named nobody, so nothing was opened."
except Exception as problem:
    outcome = f"Your rule stopped the producer: {problem}"
outcome

# %% [markdown] items="P13 P14"
# ## 5. What closes a connection, and what does not
#
# **You do.** `producer.close()` sends what is waiting and closes everything. If the process is
# killed, `kill -9`, the client closes nothing. The operating system drops its sockets.
#
# **The client does**, after `connections.max.idle.ms` without a request, nine minutes. It looks
# while the Sender is awake. A Sender that has nothing to do sleeps, for minutes at times, and
# closes at most one connection each time it wakes. After each close the client asks for METADATA.
#
# With −1 the client never closes an idle connection. A producer sends for one minute and is silent
# for twenty. Who closes node −1 then: `"client"`, `"broker"` or `"nobody"`?

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
# A connection that stands and that nobody uses is called a **zombie**. With −1 it lived one minute
# longer than usual. Then the broker closed it: brokers have a limit of their own, ten minutes. (The
# picture calls it *peer*: the other end.) Node 1 went the same way. Node 0 is no zombie: its ticks
# are METADATA, asked for every five minutes. TCP's keepalive does not save it. It shows that the
# other side lives, and it is not a request. A zombie lives for ever only if the broker's limit is
# −1 as well.

# %% exercise="02.4"

# %% [markdown]
# ## 6. A race
#
# Does 2.2 really connect to *every* address? It opens one more each time it comes round, until one
# of them has answered API_VERSIONS. So it is a race between the client's rounds and the brokers'
# answers. The article saw one run of that race.

# %% exercise="02.5"

# %% [markdown]
# ## 7. The time machine
#
# The same producer with two addresses, in an old and in a new version. Nothing is sent. Guess
# first.

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
# Version 2.1 waits for the first `send`. Version 3.9 asks a second question while the first is
# under way: does a broker want the client's own metrics? That is telemetry (KIP-714), and it takes
# another connection.
#
# **Then and now.** Most of what the article of 2018 says holds. Some of it was a race, and some has
# changed:
#
# | Then | Now | Try it |
# |---|---|---|
# | The constructor's thread connects to every bootstrap address. Give it 1000, and it opens 1000. | A race, up to 2.2. From 2.3 on one address is asked. Three or four are still a good number to give: any one tells about all. | sections 4, 6 |
# | A producer of version 2.1 connects before anything is sent. | From 2.2 on. The article's log shows a 2.2 in the making. | section 7 |
# | N brokers cost 2N connections. | One to ask, and one for each broker that leads something you send to. | 02.2 |
# | The setting is `connection.max.idle.ms`. | `connections.max.idle.ms`, with an s. | section 5 |
# | With −1 the connection is permanent. | The broker closes it after ten minutes of its own. | section 5 |
# | `kill -9` closes the connections. | It ends the process. The operating system drops the sockets. | section 5 |
# | Clients should compare host and port, not ids. | They still go by id. From 4.0 on a client can go back to its bootstrap addresses when its metadata is of no use (KIP-899, KIP-1102). | 02.open |
# | — | Client 3.7 and newer look for a broker that takes their metrics (KIP-714). | section 7 |
# | — | From 3.0.1 on producers are idempotent. They ask for a producer id first, at a node of their own choice. | `shop("3.9", **{"enable.idempotence": True})` |

# %% [markdown]
# The lab keeps a page for each release: what differs from the release before, each change with its
# KIP (Kafka Improvement Proposal), its JIRA or the recordings that show it. Here is all that changed
# about connections from 2.1 to 2.3. The first line is why version 2.1 waits for the first `send`.

# %%
from kafkalab import changes

for change in changes("2.1", "2.3", area="connecting").itertuples():
    print(f"{change.release}  {change.source}: {change.what}")

# %% [markdown]
# ## 8. The real thing, and many of them
#
# A recording of a real Java producer 2.2.2 with three addresses, created and left alone. Beside it,
# the simulator plays the same scenario.

# %%
import json
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read, rows_of
from kafkalab.proof.replay import replay

home = course_folder()
recording = home / "data/recordings/2.3.1/2.2.2/producer_created_three_bootstrap"
scenario = json.loads((recording / "scenario.json").read_text())
played = replay(scenario, seed=9)["client"]


def network(rows):
    rows = [row for row in rows if row.logger_name == "NetworkClient" and row.level == "DEBUG"]
    return [row.text for row in rows if not row.text.startswith("Recorded API versions")]


side_by_side(
    network(read(recording / "client.log.gz")),
    network(rows_of(played.splitlines())),
    titles=("Java client 2.2.2", "simulator"),
)

# %% [markdown]
# Which address is asked first is chance, in Java and here. We took a seed with the same luck. Try
# `seed=1`: the order changes, the steps do not.
#
# ### Spark lab: sockets by the minute
#
# A small log set lies in `data/samples/tiny`: some dozens of clients, about ten minutes. Spark
# reads the lines and gives one row for each connection. The first start of Spark takes a while.

# %%
from kafkalab import logsets
from pyspark.sql import functions as F

# %% spark=true
spark = logsets.session()
sockets = logsets.connections(logsets.read(spark, str(home / "data/samples/tiny"))).cache()
some = sockets.select("client_id", "node_id", "class", "opened_at", "closed_at", "how")
some.orderBy("opened_at").limit(8).toPandas()

# %% [markdown]
# `how` says who ended a connection. `idle`: the client, after its limit. `peer`: the broker.
# `None`, with `NaT` in place of a time: it was open at the end. How many connections are alive at
# each full minute?

# %% spark=true
minutes = spark.sql("""SELECT explode(sequence(
    timestamp'2026-01-05 09:00:00', timestamp'2026-01-05 09:10:00',
    interval 1 minute)) AS minute""")
open_still = F.col("closed_at").isNull() | (F.col("closed_at") > F.col("minute"))
standing = (F.col("opened_at") <= F.col("minute")) & open_still
alive = (
    minutes.join(sockets, standing, how="left")
    .groupBy("minute")
    .agg(F.count("client_id").alias("alive"))
)
alive.orderBy("minute").toPandas()

# %% exercise="02.6"

# %% spark=true
found = zombies(sockets)
if found is not None:
    truth("02 zombie producers", zombies=found.count())
found.toPandas() if found is not None else "Write zombies first."

# %% [markdown]
# ## 9. The life of a connection
#
# You have seen all that a connection can be. For its client it is in one of four states.
# `CHECKING_API_VERSIONS` is the one in which TCP stands and nothing else may be sent yet.

# %% exercise="02.7"

# %% [markdown]
# Does a real run keep to your table? Broker 1 is down for three seconds, while a record waits for
# it, and comes back. These are the states of the connection to node 1, and whether your table has
# such a step.

# %%
lab, producer = shop(**{"reconnect.backoff.ms": 1_000})
send_for(producer, lab, ms=20_000)
lab.broker(1).crash()
producer.send(ProducerRecord("orders", key="alice", value="tea", partition=1))
lab.run_for(ms=3_000)
lab.broker(1).restart()
lab.run_for(ms=3_000)

steps = [event for event in lab.journal.of("state") if event.machine == "connection 1"]
table = connection if isinstance(connection, dict) else {}
known = {(state, after) for state, row in table.items() for after in row.values()}
for event in steps:
    before = event.before or "DISCONNECTED"
    print(
        f"{event.at_ms:>6} ms  {before:>21} -> {event.after:21}",
        "yes" if (before, event.after) in known else "not in your table",
    )

# %% exercise="02.8"

# %% [markdown]
# ## 10. In your own words

# %% exercise="02.open"

# %% exercise="02.open2"

# %% [markdown] items="P18"
# ## What you know now
#
# - The Sender connects, not your thread. From 2.2 on it does so before you send.
# - Bootstrap addresses are nodes −1, −2, −3. Brokers from METADATA have real ids. Two ids are two
#   connections.
# - You pay one connection for metadata, and one for each broker that leads what you send to.
# - Idle connections are closed by whoever looks first: the client after nine minutes, the broker
#   after ten.
#
# **Words**: bootstrap address 引导地址 · metadata 元数据 · Sender 发送线程 · least loaded 负载最小
# · zombie 僵尸连接
#
# ### Do you remember?
#
# Answer aloud before you open a line.
#
# <details><summary>1. In chapter 00, why did one record need two connections?</summary>One to ask
# for metadata, one to the leader of the record's partition.</details>
# <details><summary>2. What does send() wait for?</summary>Only for metadata of the topic. The
# record itself waits in a batch, and the future tells when it has arrived.</details>
# <details><summary>3. What is the lab's clock?</summary>A virtual one. Time passes only when the
# lab runs: in run_for, in get, in poll.</details>
#
# Next: **03 · What does a consumer connect to?** It needs one connection more, for a reason worth
# knowing.
