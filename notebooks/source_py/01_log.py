# %% [markdown] items="N1 N3"
# # 01 · Does reading remove a record?
#
# Three programs read the same topic. What is left for the last one? In a queue, nothing is left.
# Kafka is not a queue, but you can use it as one. This chapter shows the one idea behind both.
#
# **You need** chapter 00. **You get** six words: *topic*, *partition*, *offset*, *consumer group*,
# *committed offset*, *retention*. **Time** about 40 + 50 minutes.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaConsumer, KafkaProducer, ProducerRecord, TopicPartition
from kafkalab.hashing import murmur2, to_positive
from kafkalab.stories.log import start_beyond_end, write_orders
from kafkalab.views import bookmarks, group_timeline, readers

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
# This is the loop of the first two. `poll` returns the records that have arrived. Section 5 explains
# `earliest`.


# %%
def read(lab, group, most=1000):
    """Read for eight seconds as the only member of a group. Return the offsets."""
    settings = {"group.id": group, "auto.offset.reset": "earliest", "max.poll.records": most}
    consumer = KafkaConsumer(lab, settings, name=group)
    consumer.subscribe(["orders"])
    got, end_ms = [], lab.now_ms + 8_000
    while len(got) < most and lab.now_ms < end_ms:
        got += [record.offset for record in consumer.poll(timeout_ms=500)]
    consumer.close()
    return got


# %% [markdown]
# How many records does each program get? How many are still in the topic at the end? The first
# guess counts.

# %%
predict("01 three readers", billing=None, search=None, auditor=None, left=None)

# %%
lab = Lab(brokers=1, seed=1)
lab.create_topic("orders", partitions=1)
write_orders(lab, records=12)

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
# numbers are **offsets** (位移). The first record has offset 0, and each later record has a larger
# one. A list to which records are added at the end is called a **log** (日志). A **topic** (主题) consists of
# one or more **partitions** (分区), and each partition is such a log. Here there is one: `orders-0`
# is partition 0 of the topic `orders`.
#
# The tip of each arrow is the offset that the reader reads next. We call it the reader's *bookmark*
# (书签). Each reader has one of its own, and moving yours does not move mine. Where is it kept?
#
# - `billing` and `search` are **consumer groups** (消费者组): programs that give a `group.id`. Kafka
#   itself keeps their bookmark, the **committed offset** (已提交位移). It is still there when the
#   program has ended. Start `search` again, and it continues at 5.
# - The auditor has no group. Its bookmark is a number in its memory, so its arrow is dashed. When
#   the program ends, the number is gone.

# %%
read(lab, "search")

# %% [markdown] items="N1 N2"
# So one topic serves many purposes. A writer does not know who reads, how often, or when. Writers
# and readers never contact each other, and neither waits for the other. This is called *loosely
# coupled* and *asynchronous*.
#
# A record has a key, a value, a time and, if you want, headers. Key and value are only bytes for
# Kafka. What they mean is agreed between writers and readers.
#
# The calls above sent many requests to the brokers. These are the requests that `search` sent so
# far, counted by kind. (It ran two times, and each run sent JOIN_GROUP two times.)

# %% items="G1"
lab.table("request.sent").query("who.str.startswith('search')").api.value_counts().to_dict()

# %% [markdown]
# The client asks all that for you: who leads the partition, which broker manages the group, whether
# I am still a member, where we stopped. The next chapters explain these requests.

# %% exercise="01.1"

# %% [markdown] items="N4"
# ## 2. A topic is several logs
#
# One log is on one broker. To share the work among brokers, a topic is cut into partitions. Each
# partition is a log of its own, with offsets of its own. Here are three of them. The broker's answer
# to each record is its partition and its offset. Look at the rows of *ann*.

# %%
import pandas as pd

lab = Lab(brokers=3, seed=2)
lab.create_topic("orders", partitions=3, replication_factor=2)
producer = KafkaProducer(lab, {"client.id": "shop"})
keys = ["ann", "bo", "cleo", "dora", "ann", "bo", "fritz", "ann"]
answers = [producer.send(ProducerRecord("orders", key=name, value="tea")).get() for name in keys]
places = [(answer.partition, answer.offset) for answer in answers]
pd.DataFrame(places, index=keys, columns=["partition", "offset"])

# %% [markdown]
# All records with the same key are in the same partition. The client calculates the partition from
# the key (chapter 04), and the number of partitions did not change here. Within a partition there is
# one order for all readers. Between partitions there is no order.
#
# Which brokers keep these partitions? `replicas` lists the brokers that have a copy.
# `log_end_offset` is the offset that the next record will get.

# %%
lab.describe_topic("orders")[["partition", "leader", "replicas", "log_end_offset"]]

# %% [markdown] items="N4 N5"
# There are three layers. A topic has partitions. A partition has copies on one or more brokers. Each
# copy holds the records. We asked for two copies (`replication_factor=2`). One is the **leader**
# (领导者副本). Clients write to it and, by default, read from it. The other is a **follower**
# (追随者副本), which copies what the leader has. It can take over when the leader fails.
#
# ## 3. Inside a group
#
# `billing` has too much work for one program. Start more programs with the same `group.id`. They are
# now **members** (成员) of one group. Each partition has exactly one owner among them. Each member
# runs this loop:

# %%
inbox = {}  # member -> the records it got
RANGE = {"partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor"}
ROUND_ROBIN = {
    "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RoundRobinAssignor"
}


def member(lab, name, group="billing", topics=("orders",), settings=RANGE):
    """Read until the lab ends, as one program of a group."""
    own = {"group.id": group, "client.id": name, "auto.offset.reset": "earliest"}
    consumer = KafkaConsumer(lab, {**own, **settings}, name=name)
    consumer.subscribe(list(topics))
    inbox[name] = []
    while True:
        inbox[name] += consumer.poll(timeout_ms=500)


# %%
def group_of(members, topics, settings=RANGE, ms=10_000, **versions):
    """Start that many members of one group. They read these topics: {"orders": 3}."""
    lab = Lab(brokers=3, seed=3, **versions)
    for topic, partitions in topics.items():
        lab.create_topic(topic, partitions=partitions)
    if "orders" in topics:
        write_orders(lab, records=12, partitions=topics["orders"])
    inbox.clear()
    for number in range(1, members + 1):
        name = f"m{number}"
        lab.spawn(member, name, "billing", tuple(topics), settings, name=name)
    lab.run_for(ms=ms)
    return lab


# %% [markdown]
# There are four members, three partitions, and 12 records, four in each partition. How many records
# does the first member get? How many members get nothing?

# %%
predict("01 four members", first_member=None, members_without_records=None)

# %%
lab = group_of(members=4, topics={"orders": 3})
without = sum(not records for records in inbox.values())
truth("01 four members", first_member=len(inbox["m1"]), members_without_records=without)
group_timeline(lab, "billing")

# %% [markdown] items="N8"
# In the first six seconds nobody owns anything. The group waits for more members before it assigns
# the partitions (chapter 07). The top row shows the state of the group (chapter 08).
#
# Look at the end of the picture. A blue member owns a partition and reads. `m4` stays hatched and
# owns nothing: three partitions have work for three members. `m4` is useful all the same. When
# another member dies, it can take over.
#
# *Inside* a group each partition has one owner, so the members share the records. That is a
# **queue** (队列). *Between* groups each group gets everything. That is **publish and subscribe**
# (发布/订阅). Let a second group, `search`, read the same three partitions:

# %%
lab.spawn(member, "s1", "search", name="s1")
lab.run_for(ms=10_000)
print({name: len(records) for name, records in inbox.items()})
readers(lab, "orders")

# %% [markdown]
# Each partition has one reader in each group. Read down a column: one group shares its work, like a
# queue. Read along a row: every group reads the same partition. The numbers above the picture count
# the records that each member got. Here are the bookmarks of both groups in partition 0. Both have
# read all four records:

# %%
bookmarks(lab, "orders-0")

# %% [markdown]
# Kafka has no switch between queue and publish and subscribe. You choose with the `group.id`. Since
# 4.2 there are also *share groups*: they divide the records of one partition (chapter 16).
#
# To share, members send requests, and `poll` does it for you. JOIN_GROUP says "I am here".
# SYNC_GROUP asks "what is mine?". HEARTBEAT says "I am still here". These are the requests of the
# first member, counted:

# %%
lab.table("request.sent").query("who == 'm1'").api.value_counts().to_dict()

# %% exercise="01.2"

# %% [markdown]
# ## 4. How many members are useful?
#
# A group may read several topics. Topic A has one partition, B has two, C has three: six in all. A
# well-known rule says: start as many members as there are partitions. So we start six, with Range,
# and then six with RoundRobin. How many of the six own something with Range?

# %%
predict("01 six members", busy=None)


# %%
def shares(lab):
    """member -> the partitions it owns"""
    clients = lab.at(lab.now_ms)["clients"].items()
    return {name: " ".join(client["assignment"]) for name, client in clients if name[0] == "m"}


topics = {"A": 1, "B": 2, "C": 3}
by_range = shares(group_of(6, topics))
by_round_robin = shares(group_of(6, topics, ROUND_ROBIN))
truth("01 six members", busy=sum(bool(owned) for owned in by_range.values()))
pd.DataFrame({"Range": by_range, "RoundRobin": by_round_robin})

# %% [markdown] items="N41"
# Range assigns each topic on its own and begins with m1 each time. So m1 gets a partition of every
# topic, and three members get nothing. RoundRobin assigns the partitions of all topics together, one
# to each member in turn, and six members are busy. The rule "as many members as partitions" holds
# for RoundRobin. With Range the largest topic decides. And Range is the default.

# %% exercise="01.3"

# %% [markdown] items="N19"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 5. What removes a record?
#
# Usually time. A topic keeps its records for a while, the **retention** (留存): seven days by
# default. Then the oldest records are deleted, read or not. (Three other things can delete records:
# a limit of bytes, compaction, and the request DELETE_RECORDS.)
#
# Here a record is written every ten minutes, the first one at once. The topic keeps one hour. After
# 140 minutes a new group comes and reads from the earliest record. How many of the 14 records does
# it get?

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
    producer.send(ProducerRecord("orders", value=f"order {number}")).get()
    if number < 3:
        early.poll(timeout_ms=5_000)
        early.commit_sync()
    lab.run_for(ms=600_000)

# %%
late = read(lab, "late")
truth("01 retention", gets=len(late))
bookmarks(lab, "orders-0")

# %% [markdown]
# The pale, hatched records are deleted. Their offsets are not used again. The log begins at 8 now,
# its **log start offset** (日志起始位移). It ends at 14, its **log end offset** (日志末端位移), which
# the next record will get.
#
# The group `early` stopped after three records. Its committed offset is 3, and record 3 does not
# exist any more. When the group comes back, its setting `auto.offset.reset` decides. `earliest`
# continues at the log's start, `latest` at its end, `none` raises an error. The same setting decides
# for a group that has no committed offset yet. With `earliest` the group loses records 3 to 7. With
# `latest` it loses 8 to 13 as well. The group gets no warning before this happens.
#
# Records are deleted in whole files, *segments*, and only now and then. So a record can stay longer
# than its hour. `segment.ms` above makes the files small.

# %% exercise="01.4"

# %% [markdown]
# ## 6. The real thing beside it
#
# Two members, `inv-1` and `inv-2`, read one topic with five partitions. On the left is a recording
# of two real Java consumers 2.3.0. On the right the simulator plays the same program. We keep the
# lines that tell who got what.

# %%
from kafkalab.stories.recorded import recorded

pair = recorded("2.3.1/2.3.0/two_brokers_two_members", seed=1)
lines = pair.beside("Successfully joined", "Setting newly assigned", "Found no committed")
same = set(lines.real) == set(lines.played)
print("both sides say the same" if same else "the sides differ")
lines

# %% [markdown]
# `inv-1` got three partitions, `inv-2` got two. Their group had no committed offset yet, so each
# partition has a line that says so. The order of the two programs' lines differs between runs. Then
# `inv-2` left. Each time a group assigns its partitions again, it counts one **generation** (代)
# more. In generation 2 `inv-1` had them all.

# %% exercise="01.5"

# %% [markdown]
# ## 7. Spark lab: ten million records and one busy customer
#
# Keys decide the partition. What happens if one key is far busier than the others? Spark makes ten
# million records of a shop for us. Three out of ten belong to one large customer, the others to
# about 700 small ones. Spark starts once in each notebook. That takes up to a minute, and the cell
# shows how
# far it is. With `large=True` it compiles each query first. For millions of rows that is quicker.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session(large=True)


def orders(busy):
    """Ten million records, only their keys: number `busy` is the large customer."""
    number = F.col("id")
    customer = F.when(number % 10 < 3, busy).otherwise(number % 1_000)
    key = F.concat(F.lit("customer-"), customer).alias("key")
    return spark.range(10_000_000).select(key)


per_key = orders(busy=7).groupBy("key").count()
per_key.orderBy(F.desc("count"), "key").limit(4).toPandas()

# %% [markdown]
# Kafka's rule for keys: hash the bytes with murmur2, drop the sign, divide by the number of
# partitions and take the remainder. The keys are few, so Python calculates the partition of each.
# Spark counts the records.


# %% spark=true
def per_partition(busy, partitions):
    """Records and keys of each partition."""
    keys = pd.DataFrame({"key": [f"customer-{number}" for number in range(1_000)]})
    keys["partition"] = [to_positive(murmur2(key.encode())) % partitions for key in keys.key]
    home_of = F.broadcast(spark.createDataFrame(keys))
    counted = orders(busy).groupBy("key").count().join(home_of, "key").groupBy("partition")
    sums = counted.agg(F.sum("count").alias("records"), F.count("key").alias("keys"))
    return sums.orderBy("partition")


per_partition(busy=7, partitions=6).toPandas()

# %% [markdown]
# The keys are shared out evenly, the records are not. One partition has more than three times the
# work of any other, and it has one owner in each group. More members would not help it. Chapter 04
# shows a cure.

# %% exercise="01.6"

# %% [markdown]
# ## 8. In your own words
#
# A person reads your answer. `reveal("01.open", give_up=True)` shows a good one to compare with.

# %% exercise="01.open"

# %% [markdown]
# ## Then and now
#
# Kafka changes by *Kafka Improvement Proposals*, **KIPs** (改进提案). Each has a number and a page in
# the
# [list of KIPs](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals). This
# course argues with five articles of 2018 and 2019 about Kafka's clients. The left column is what
# such texts say.
#
# | Then | Now | Try it |
# |---|---|---|
# | A group is the only way to share work. | Still the usual one. From broker 4.2 on *share groups* are ready for use (KIP-932): members share the records of one partition and acknowledge each one. | chapter 16 |
# | As many members as partitions, over all topics. | With RoundRobin, and with the new protocol's uniform assignor. With Range only as many as the largest topic has. | section 4, and the next cell |
# | Clients read from the leader only. | From 2.4 on a consumer may read from a follower in its own rack (KIP-392). Records are still written to the leader only. | chapter 14 |
# | A committed offset beyond the log's end follows `auto.offset.reset`. | Up to client 2.2. From 2.3 on the client continues where the two logs part (KIP-320). It happens after an *unclean election* (chapter 05). | the cell after the next |
# | Progress is kept in ZooKeeper. | In a topic of Kafka's own, `__consumer_offsets`; the consumer of 0.9 and later knows no other place. ZooKeeper itself is gone from 4.0 on. | chapter 09 |
# | Two models, and a system has one of them. | One log, and the `group.id` chooses. | section 3 |
#
# The second row: six members, the three topics of section 4, and no strategy is set. The last
# client uses the new protocol, `group.protocol=consumer`, in which a broker assigns. How many
# members have something to read?


# %%
def busy(version, **settings):
    versions = {"version": version, "broker_version": "4.4"}
    lab = group_of(6, topics, settings, ms=40_000, **versions)
    return sum(bool(owned) for owned in shares(lab).values())


{
    "client 2.8": busy("2.8"),
    "client 4.4": busy("4.4"),
    "client 4.4, new protocol": busy("4.4", **{"group.protocol": "consumer"}),
}

# %% [markdown]
# Three, three and six. A newer client alone changes nothing, for Range is still the default. With
# the new protocol each of the six members gets one partition.
#
# The fourth row: a group committed 12, and the leader crashed with the newest four records. The new
# leader's log ends at 8. Where does the group start, with `earliest` and with `latest`?

# %%
pd.DataFrame(
    {
        reset: {version: start_beyond_end(version, reset) for version in ("2.2", "2.3", "3.9")}
        for reset in ("earliest", "latest", "none")
    }
)

# %% [markdown]
# Client 2.2 with `earliest` reads all eight records again. The newer ones continue at 8. With `none`
# each raises an error, and from 2.3 on its name says what happened.
#
# ## Break it yourself
#
# Kill the owner of a partition. After how many seconds does another member own it? The red line
# begins at the last heartbeat of `m1`. Where it ends, the group stops counting `m1` as a member.
# Change `session.timeout.ms` to 20 seconds and run the cell again. What becomes of the red line?

# %%
lab = group_of(4, {"orders": 3}, {**RANGE, "session.timeout.ms": 10_000})
lab.kill("m1")
lab.run_for(ms=60_000)
group_timeline(lab, "billing")

# %% [markdown]
# **So what?** Two numbers matter in production. The first is how many partitions the busiest topic
# has: with Range no more members than that are useful. The second is the retention. Alert when a
# group is so late that its next record is near the log start offset (chapter 11).
#
# ## What you know now
#
# - A partition is a log. It grows at the end, and each record keeps its offset.
# - Reading moves a bookmark and removes nothing. Retention removes records, read or not.
# - Inside a group every partition has one owner. Every group sees everything.
# - Members beyond the partitions wait. How many are useful depends on the strategy, too.
#
# **Words**: topic 主题 · partition 分区 · offset 位移 · log 日志 · consumer group 消费者组 ·
# committed offset 已提交位移 · bookmark 书签 · retention 留存 · leader 领导者副本 · follower
# 追随者副本 · member 成员 · queue 队列 · publish and subscribe 发布/订阅 · log start offset
# 日志起始位移 · log end offset 日志末端位移 · generation 代 · KIP 改进提案

# %%
from autograder import my_guesses

my_guesses("01")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember chapter 00?
#
# <details><summary>1. <code>send</code> has returned. Has the record arrived?</summary>Not yet. It
# returns a future at once; <code>get()</code> waits for the broker's answer.</details>
# <details><summary>2. Ten minutes pass in the lab. How long do you wait?</summary>Hardly at all.
# The lab's clock is virtual and jumps from one event to the next.</details>
# <details><summary>3. What does <code>lab.why(event)</code> tell?</summary>The chain of causes that
# led to the event, back to the call that began it.</details>
#
# Next: **02 · What does a producer connect to?**
