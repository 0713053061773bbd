# %% [markdown] items="N1 N3"
# # 01 · Does reading remove a record?
#
# Three programs read the same topic. What is left for the last one? In a queue, nothing. Kafka is
# not a queue. It can be used as one, though, and this chapter shows how both fit into one idea.
#
# **You need** chapter 00. **You get** six words: *topic*, *partition*, *offset*, *consumer group*,
# *committed offset*, *retention*. **Time** about 35 minutes.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaConsumer, KafkaProducer, ProducerRecord, TopicPartition
from kafkalab.hashing import murmur2, to_positive
from kafkalab.views import bookmarks, group_timeline, side_by_side

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# A shop writes twelve orders into the topic `orders`. Then three programs read, one after the
# other:
#
# - **billing** reads until nothing more comes.
# - **search** reads five records and stops.
# - **auditor** comes last and reads until nothing more comes.
#
# How many records does each get? How many are still in the topic at the end? The first guess
# counts.

# %%
predict("01 three readers", billing=None, search=None, auditor=None, left=None)


# %%
def shop(lab, records, partitions=1):
    """Write records into `orders`, one partition after the other."""
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(records):
        record = ProducerRecord("orders", partition=number % partitions, value=f"order {number}")
        producer.send(record)
    producer.close()


def read(lab, group, most=1000):
    """Read for eight seconds as the only member of a group. Return the offsets.

    "earliest": a group that is new here begins with the oldest record (section 5).
    """
    consumer = KafkaConsumer(
        lab,
        {"group.id": group, "auto.offset.reset": "earliest", "max.poll.records": most},
        name=group,
    )
    consumer.subscribe(["orders"])
    got, end_ms = [], lab.now_ms + 8_000
    while len(got) < most and lab.now_ms < end_ms:
        got += [record.offset for record in consumer.poll(timeout_ms=500)]
    consumer.close()
    return got


# %%
lab = Lab(brokers=1, seed=1)
lab.create_topic("orders", partitions=1)
shop(lab, records=12)

billing = read(lab, "billing")
search = read(lab, "search", most=5)

auditor = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="auditor")  # no group
auditor.assign([TopicPartition("orders", 0)])
audited = list(auditor.poll(timeout_ms=2_000))

log = lab.at(lab.now_ms)["partitions"]["orders-0"]
left = log["log_end_offset"] - log["log_start_offset"]
truth("01 three readers", billing=len(billing), search=len(search), auditor=len(audited), left=left)
bookmarks(lab, "orders-0")

# %% [markdown] items="N4"
# Nothing was taken away. The boxes are the records, in the order in which they were written. Their
# numbers are **offsets**: the first record has offset 0, the next one 1, for ever. A list to which
# one only ever adds at the end is called a *log*. A topic consists of one or more **partitions**,
# and each partition is such a log. Here there is one: `orders-0` is partition 0 of the topic
# `orders`.
#
# A reader is a bookmark on that log, an arrow in the picture. It says which offset comes next. Each
# reader has one of its own, and moving yours does not move mine. Where is it kept?
#
# - `billing` and `search` are **consumer groups**: programs that give a `group.id`. Kafka itself
#   keeps their bookmark, the **committed offset**. It outlives the program. Start `search` again,
#   and it goes on at 5.
# - The auditor has no group. Its bookmark is a number in its memory, and gone when the program
#   ends.

# %%
read(lab, "search")

# %% [markdown] items="N1 N2"
# So one topic serves many purposes. Who writes does not know who reads, or how often, or when. The
# two sides meet nowhere, and neither waits for the other. That is what people mean by *loosely
# coupled* and *asynchronous*.
#
# A record has a key, a value, a time, and headers if you want some. To Kafka the key and the value
# are just bytes, and it never looks into them. What they mean is agreed between those who write and
# those who read.
#
# The few calls above hid a lot of talk with the brokers. These are the requests that `search` sent
# so far, and how many there are of each kind:

# %% items="G1"
lab.table("request.sent").query("who.str.startswith('search')").api.value_counts().to_dict()

# %% [markdown]
# Who leads the partition, who looks after the group, am I still a member, where did we stop: the
# client asks all that for you. The next chapters look at these requests one by one.

# %% exercise="01.1"

# %% [markdown] items="N4"
# ## 2. A topic is several logs
#
# One log lives on one broker. To share the load among brokers, a **topic** is cut into
# **partitions**, and each partition is a log of its own, with offsets of its own. Here are three of
# them. The broker's answer to each record is its partition and its offset. Look at the rows of
# *ann*.

# %%
import pandas as pd

lab = Lab(brokers=3, seed=2)
lab.create_topic("orders", partitions=3, replication_factor=2)
producer = KafkaProducer(lab, {"client.id": "shop"})
keys = ["ann", "bo", "cleo", "dora", "ann", "bo", "fritz", "ann"]
answers = [producer.send(ProducerRecord("orders", key=name, value="tea")).get() for name in keys]
pd.DataFrame(
    {
        "key": keys,
        "partition": [answer.partition for answer in answers],
        "offset": [answer.offset for answer in answers],
    }
)

# %% [markdown]
# The same key goes to the same partition every time, because the partition is computed from the key
# (chapter 04). Within a partition there is one order for all readers. Between partitions there is
# none: two records in different partitions have no first and second.
#
# Who keeps these partitions? `replicas` lists the brokers that hold a copy. `log_end_offset` is the
# offset that the next record will get.

# %%
lab.describe_topic("orders")[["partition", "leader", "replicas", "log_end_offset"]]

# %% [markdown] items="N4 N5"
# Three layers: a topic has partitions; a partition has copies on one or more brokers; and in each
# copy lie the records. We asked for two copies (`replication_factor=2`). One is the **leader**, and
# clients talk to it. The other is a **follower**, which copies what the leader has. It is there for
# the day the leader fails.
#
# ## 3. Inside a group
#
# `billing` has too much work for one program. Start more of them with the same `group.id`: they are
# now **members** of one group. Each partition has exactly one owner among them. Four members, three
# partitions, and 12 records, four in each partition. How many records does the first member get?
# How many members get nothing?

# %%
predict("01 four members", first_member=None, members_without_records=None)

# %%
inbox = {}  # member -> the records it got


def member(lab, name, group="billing", topics=("orders",), assignor="Range"):
    """One program of a group: it reads for ever and keeps what it got in `inbox`."""
    strategy = f"org.apache.kafka.clients.consumer.{assignor}Assignor"
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": group,
            "client.id": name,
            "auto.offset.reset": "earliest",
            "partition.assignment.strategy": strategy,
        },
        name=name,
    )
    consumer.subscribe(list(topics))
    inbox[name] = []
    while True:
        for record in consumer.poll(timeout_ms=500):
            inbox[name].append(f"{record.topic}-{record.partition}@{record.offset}")


def group_of(members, topics, assignor="Range", seed=3):
    """So many members of one group read these topics, {"orders": 3}, for 10 seconds."""
    lab = Lab(brokers=3, seed=seed)
    for topic, partitions in topics.items():
        lab.create_topic(topic, partitions=partitions)
    if "orders" in topics:
        shop(lab, records=12, partitions=topics["orders"])
    inbox.clear()
    for number in range(1, members + 1):
        lab.spawn(member, f"m{number}", "billing", tuple(topics), assignor, name=f"m{number}")
    lab.run_for(ms=10_000)
    return lab


# %%
lab = group_of(4, {"orders": 3})
without = sum(not records for records in inbox.values())
truth("01 four members", first_member=len(inbox["m1"]), members_without_records=without)
group_timeline(lab, "billing")

# %% [markdown] items="N8"
# In the first six seconds nobody owns anything: the group waits for more members before it shares
# the partitions out. Chapter 07 is about that, and chapter 08 about the top row.
#
# Then look at the end of the picture. Blue is a member that owns a partition and reads. `m4` stays
# hatched and owns nothing: three partitions can keep three members busy, no more. It is not
# useless. When another member dies, it takes over.
#
# Now look at the two halves together. *Inside* a group each record goes to one member: that is a
# queue, and more members share the work. *Between* groups each one gets everything: that is publish
# and subscribe. Kafka has no switch for it. You choose by choosing a `group.id`.
#
# Sharing needs talk, too, and `poll` hides it. Here are the requests of the first member, counted.
# JOIN_GROUP says "I am here", SYNC_GROUP asks "what is mine?", HEARTBEAT says "I am still here":

# %%
lab.table("request.sent").query("who == 'm1'").api.value_counts().to_dict()

# %% exercise="01.2"

# %% [markdown]
# ## 4. How many members are worth starting?
#
# A group may read several topics. Topic A has one partition, B has two, C has three: six in all. A
# well known rule says: start as many members as there are partitions. So we start six, with Range.
# How many of them will own something? (The cell plays it with a second strategy, RoundRobin, as
# well.)

# %%
predict("01 six members", busy=None)


# %%
def shares(lab):
    """member -> the partitions it owns"""
    clients = lab.at(lab.now_ms)["clients"]
    return {
        name: " ".join(client["assignment"])
        for name, client in clients.items()
        if name.startswith("m")
    }


topics = {"A": 1, "B": 2, "C": 3}
by_range = shares(group_of(6, topics))
by_round_robin = shares(group_of(6, topics, assignor="RoundRobin"))
truth("01 six members", busy=sum(bool(owned) for owned in by_range.values()))
pd.DataFrame({"Range": by_range, "RoundRobin": by_round_robin})

# %% [markdown] items="N41"
# Range deals each topic on its own, and begins with m1 each time. So m1 gets a partition of every
# topic, and three members get nothing. RoundRobin deals the partitions of all topics as one pack of
# cards, and six members are busy. So the rule "as many members as partitions" holds for RoundRobin.
# With Range the largest topic decides. And Range is what a consumer uses that is not told
# otherwise.

# %% exercise="01.3"

# %% [markdown] items="N19"
# ## 5. What does remove a record?
#
# Time. A topic keeps its records for a while, the **retention**, seven days unless you say
# otherwise. Then the oldest go, read or not. Here a record is written every ten minutes, the first
# one at once, and the topic keeps one hour. After 140 minutes a new group comes and reads from the
# earliest record on. How many of the 14 records does it get?

# %%
predict("01 retention", gets=None)

# %%
lab = Lab(brokers=1, seed=4)
keep_an_hour = {"retention.ms": 3_600_000, "segment.ms": 600_000}
lab.create_topic("orders", partitions=1, config=keep_an_hour)
early = KafkaConsumer(lab, {"group.id": "early", "auto.offset.reset": "earliest"}, name="early")
early.subscribe(["orders"])
producer = KafkaProducer(lab, {"client.id": "shop"})
for number in range(14):
    producer.send(ProducerRecord("orders", value=f"order {number}"))
    producer.flush()
    if number < 3:
        early.poll(timeout_ms=5_000)
        early.commit_sync()
    lab.run_for(ms=600_000)

late = read(lab, "late")
truth("01 retention", gets=len(late))
bookmarks(lab, "orders-0")

# %% [markdown]
# The pale, hatched records are gone. Offsets are not given out again: the log begins at 8 now, its
# *log start offset*. It ends at 14, its *log end offset*, which the next record will get.
#
# The group `early` had stopped after three records. Its bookmark, 3, stands in the part that no
# longer exists. When the group comes back, its setting `auto.offset.reset` decides: `earliest` goes
# to the log's start, `latest` to its end, `none` raises an error. The same setting decides for a
# group that has no bookmark yet. In each case records 3 to 7 are lost to the group. Nobody asked
# it.
#
# The deleting is done in whole files, *segments*, and only now and then, so a record can stay
# longer than its hour. `segment.ms` above made the files small.

# %% exercise="01.4"

# %% [markdown]
# ## 6. The real thing beside it
#
# Two members, `inv-1` and `inv-2`, and one topic with five partitions: on the left is a recording
# of two real Java consumers 2.3.0, on the right the simulator doing the same. First come the lines
# of `inv-1`, then those of `inv-2`. You need not read the cell: it finds the files and keeps the
# lines that tell who got what.

# %%
import json
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read, rows_of
from kafkalab.proof.replay import replay

recording = course_folder() / "data/recordings/2.3.1/2.3.0/two_brokers_two_members"
played = replay(json.loads((recording / "scenario.json").read_text()), seed=1)
java = [row for name in ("inv-1", "inv-2") for row in read(recording / f"{name}.log.gz")]
simulated = rows_of((played["inv-1"] + played["inv-2"]).splitlines())


def told(rows):
    wanted = (
        "Successfully joined",
        "Setting newly assigned",
        "Found no committed",
        "Resetting offset",
    )
    return [row.text for row in rows if row.level == "INFO" and row.text.startswith(wanted)]


side_by_side(told(java), told(simulated), titles=("Java consumers 2.3.0", "simulator"))

# %% [markdown]
# `inv-1` got three partitions, `inv-2` got two. Their group had no bookmark yet, so a line for each
# partition says that none was found, and another where reading begins. Then `inv-2` left. Each time
# a group shares its partitions out anew, it counts one **generation** more. In generation 2 `inv-1`
# had them all.

# %% exercise="01.5"

# %% [markdown]
# ## 7. Spark lab: ten million records and one busy customer
#
# Keys decide the partition. What if one key is far busier than the others? Spark makes ten million
# records of a shop for us: three out of ten belong to one large customer, the rest to a thousand
# small ones. The first start of Spark takes a while.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()


def orders(busy):
    """Ten million records, only their keys: number `busy` is the large customer."""
    number = F.col("id")
    customer = F.when(number % 10 < 3, busy).otherwise(number % 1_000)
    key = F.concat(F.lit("customer-"), customer).alias("key")
    return spark.range(10_000_000).select(key)


per_key = orders(busy=7).groupBy("key").count()
per_key.orderBy(F.desc("count"), "key").limit(4).toPandas()

# %% [markdown]
# Kafka's rule for keys: hash the bytes with murmur2, drop the sign, take the rest by the number of
# partitions. A thousand keys are few, so Python works out where each lives, and Spark adds up the
# records.


# %% spark=true
def per_partition(busy, partitions):
    """Records and keys of each partition."""
    keys = pd.DataFrame({"key": [f"customer-{number}" for number in range(1_000)]})
    keys["partition"] = [to_positive(murmur2(key.encode())) % partitions for key in keys.key]
    home_of = F.broadcast(spark.createDataFrame(keys))
    counted = orders(busy).groupBy("key").count().join(home_of, "key").groupBy("partition")
    return counted.agg(F.sum("count").alias("records"), F.count("key").alias("keys")).orderBy(
        "partition"
    )


per_partition(busy=7, partitions=6).toPandas()

# %% [markdown]
# The keys are shared out evenly, the records are not. One partition has more than three times the
# work of any other, and it has one owner in each group. More members would not help it. Chapter 04
# shows a cure.

# %% exercise="01.6"

# %% [markdown]
# ## 8. In your own words

# %% exercise="01.open"

# %% [markdown]
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | A group is the only way to share work. | Still the usual one. Kafka 4.2 made *share groups* ready for use (KIP-932): members share the records of one partition, with an acknowledgement for each. | not in this lab |
# | As many members as partitions, over all topics. | With RoundRobin, and with the new protocol's uniform assignor. With Range only as many as the largest topic has. | section 4, and below |
# | Followers serve nobody. | From 2.4 on a consumer may read from a follower in its own rack (KIP-392). Records are still written to the leader only. | not in this lab |
# | Progress is kept in ZooKeeper. | In a topic of Kafka's own, `__consumer_offsets`; the consumer of 0.9 and later knows no other place. ZooKeeper itself left with 4.0. | chapter 09 |
# | Two models, and a system has one of them. | One log, and the `group.id` chooses. | section 3 |
#
# The second row: six members, the three topics of section 4, and nobody chooses a strategy. The
# last client speaks the new protocol, `group.protocol=consumer`, in which a broker deals. How many
# members have something to read?


# %%
def poll_on(lab, name, config):
    consumer = KafkaConsumer(lab, {"group.id": "billing", **config}, name=name)
    consumer.subscribe(list(topics))
    while True:
        consumer.poll(timeout_ms=500)


def busy(version, **config):
    lab = Lab(brokers=3, seed=3, version=version, broker_version="4.4")
    for topic, partitions in topics.items():
        lab.create_topic(topic, partitions=partitions)
    for number in range(1, 7):
        lab.spawn(poll_on, f"m{number}", config, name=f"m{number}")
    lab.run_for(ms=40_000)
    return sum(bool(owned) for owned in shares(lab).values())


{
    "client 2.8": busy("2.8"),
    "client 4.4": busy("4.4"),
    "client 4.4, new protocol": busy("4.4", **{"group.protocol": "consumer"}),
}

# %% [markdown]
# Three, three and six. Who changes nothing but the version gains nothing: the default is Range
# still. The new protocol gives everybody one partition.
#
# ## What you know now
#
# - A partition is a log: it grows at the end, and each record keeps its offset.
# - Reading moves a bookmark. It removes nothing. Retention removes, whether or not anybody has
#   read.
# - Inside a group every partition has one owner. Every group sees everything.
# - Members beyond the partitions wait. How many are of use depends on the strategy, too.
#
# **Words**: topic 主题 · partition 分区 · offset 位移 · consumer group 消费者组 · committed offset
# 已提交位移 · retention 留存 · leader 领导者副本 · follower 追随者副本
#
# ### Do you remember chapter 00?
#
# <details><summary>1. <code>send</code> has returned. Has the record arrived?</summary>Not yet. It
# returns a future at once; <code>get()</code> waits for the broker's answer.</details>
# <details><summary>2. Ten minutes pass in the lab. How long do you wait?</summary>Hardly at all.
# The lab's clock is virtual and jumps from one event to the next.</details>
# <details><summary>3. What does <code>lab.why(event)</code> tell?</summary>The chain of causes that
# led to the event, back to the call that began it.</details>
