# %% [markdown]
# # 04 · How does a record become part of a batch?
#
# `send` takes one record. The network carries *batches*: many records for one partition, put
# together. Three questions. Which part of Kafka chooses the partition? What ends a batch? Which
# part compresses it?
#
# **You need** chapters 01 and 02. **You get** six words: *record batch*, *batch.size*, *linger.ms*,
# *partitioner*, *sticky*, *codec*. **Time** about 25 + 35 + 40
# minutes.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaConsumer, KafkaProducer, ProducerRecord, TopicPartition
from kafkalab.hashing import murmur2, to_positive
from kafkalab.views import batch_strip, key_moves, waiting_records

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# A shop writes one order every millisecond, 240 in all, without a key. The topic has three
# partitions. The producer may wait five milliseconds for more records (`linger.ms=5`). How many
# batches does a client of version 2.3 write? How many does one of 2.8 write?

# %%
predict("04 batches", v2_3=None, v2_8=None)

# %%
from kafkalab.stories.batches import named, summary, write

labs = {f"client {version}": write(version, **{"linger.ms": 5}) for version in ("2.3", "2.8")}
counted = [summary(lab)["batches"] for lab in labs.values()]
truth("04 batches", v2_3=counted[0], v2_8=counted[1])
batch_strip(named(labs), "orders")

# %% [markdown] items="N10"
# `write` builds a lab and lets one producer write. The heart of it is this loop:
#
# ```python
# producer = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 5})
# for number in range(240):
#     producer.send(ProducerRecord("orders", value="an order of eighty bytes"))
#     lab.sleep(1)
# ```
#
# Each block is a **record batch** (记录批次). Kafka sends, stores and returns records in batches. The
# number in a block counts its records. Dark and light blue only separate neighbours. The first
# batch of each partition is larger: its records waited for the connection.
#
# Both clients waited five milliseconds, and five records came in that time. Client 2.3 assigned
# them to the three partitions in turn, *round robin*. So most batches got two. Client 2.8 is
# **sticky** (粘性). It stays with one partition until a batch is finished. Then it picks another at
# random (KIP-480; a KIP is a
# [Kafka Improvement Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals)).
# All five records are in one batch. After 240 records the partitions are not quite even. In the
# long run each gets about the same.
#
# Small batches have a price. Each batch has a header of 61 bytes. Each request costs client and
# broker time. The cell counts both:

# %%
import pandas as pd

pd.DataFrame([summary(lab) for lab in labs.values()], index=list(labs))

# %% [markdown] items="N9"
# Client 2.8 sends fewer than half as many batches for the same records.
#
# ## 2. With a key, the key decides
#
# A record with a key goes where the key says. The client computes a number from the key's bytes,
# with a function called *murmur2*. It clears the sign bit. It divides by the number of partitions:
# the remainder is the partition. The **partitioner** (分区器) is the part of the client that does
# this. All Java clients have the same default, so all of them agree where a key is. Clients of other
# languages may have another one (the page *From here to your own client*).

# %%
murmur2(b"tea"), murmur2("茶".encode()), murmur2(b"coffee")

# %% exercise="04.1"

# %% [markdown]
# ## 3. One partition more
#
# A topic has five partitions and is too busy. You add a sixth. A hundred customers write, with
# their names as keys. How many of them are written to another partition from now on?

# %%
predict("04 sixth partition", moved=None)


# %%
def home(key, partitions):
    return to_positive(murmur2(key.encode())) % partitions


names = [f"customer-{number}" for number in range(100)]
homes = {name: (home(name, 5), home(name, 6)) for name in names}
moved = [name for name, (old, new) in homes.items() if old != new]
truth("04 sixth partition", moved=len(moved))
key_moves(homes, before=5, after=6)

# %% [markdown]
# Most of them move: 77 of 100. Each row of the picture is an old partition, each column a new one.
# The customers of one row are spread over nearly all columns. Where row and column have the same
# number, a customer stays: these cells are hatched.
#
# What is written stays where it is. So a customer's old records are in one partition and the new
# ones in another. Kafka keeps no order between the two. A program that reads one partition and
# keeps a sum for each of its customers no longer finds the old sum.
#
# Here is one customer who moved: three orders before the change and three after it, as (partition,
# offset).

# %%
from kafkalab import KafkaAdminClient, NewPartitions

lab = Lab(brokers=3, seed=8)
lab.create_topic("orders", partitions=5)
producer = KafkaProducer(lab, {"client.id": "shop"})
record = ProducerRecord("orders", key=moved[0], value="tea")
before = [producer.send(record).get() for _ in range(3)]
bigger = NewPartitions.increase_to(6)
KafkaAdminClient(lab, {}).create_partitions({"orders": bigger}).all().get()
lab.run_for(ms=6 * 60_000)  # a client asks for metadata again every five minutes
after = [producer.send(record).get() for _ in range(3)]
[(answer.partition, answer.offset) for answer in before + after]

# %% [markdown]
# There is a second surprise, and it needs no key. A group reads the topic. A sixth partition comes,
# and a producer writes to it at once. The group finds the partition only later: a classic consumer
# asks for metadata every five minutes. It has no committed offset there, so `auto.offset.reset`
# decides.
#
# In the next cell a producer writes 20 records to the new partition in ten seconds, and one more
# after six minutes. How many of the 21 does the group read with `latest`, the default?

# %%
predict("04 new partition", read_with_latest=None)

# %%
from kafkalab.stories.batches import grow

read = {reset: grow(reset)[1] for reset in ("latest", "earliest")}
truth("04 new partition", read_with_latest=read["latest"])
read

# %% [markdown]
# With `latest` the group starts at the end of the new partition, when it finds it. The 20 records
# before are in the log, and this group never reads them (KAFKA-12261). So set `earliest` before you
# add partitions. A group of the new protocol (KIP-848) finds the partition within seconds. Records
# that come at once are skipped there, too.

# %% exercise="04.2"

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 4. What closes a batch?
#
# Two settings close a batch. A batch is finished when it is full: **batch.size** (批次大小), sixteen
# kilobytes by default. Or it is finished when its first record has waited long enough:
# **linger.ms** (等待时间). Here is one partition, a record each millisecond, and four settings:

# %%
settings = {
    "linger 0": {"linger.ms": 0},
    "linger 5": {"linger.ms": 5},
    "linger 50": {"linger.ms": 50},
    "linger 50, batch 1000 bytes": {"linger.ms": 50, "batch.size": 1000},
}
labs = {
    name: write("3.9", records=150, partitions=1, **config) for name, config in settings.items()
}
batch_strip(named(labs), "orders")

# %% [markdown] items="P7"
# With `linger.ms=0` a record leaves as soon as a request can carry it, most of them alone. Batches
# still form when records come faster than requests leave. The first row is the longest: every batch
# has its header. In the last row a batch is full after ten records, long before the 50 ms are over.
# `batch.size` counts bytes, not records.
#
# `linger.ms` is the longest wait for *more records*, not a fixed one. (A finished batch can still wait
# for its broker: five requests may be in flight.) A request takes the first batch of *every* partition
# of its broker, up to `max.request.size`. So one full batch takes the others along.
# In the next cell `linger.ms` is a second. A record for partition 0 waits. After 100 ms partition 1
# has a full batch:

# %%
lab = Lab(brokers=1, seed=3, version="3.9")
lab.create_topic("orders", partitions=2)
producer = KafkaProducer(lab, {"linger.ms": 1000, "batch.size": 500})
producer.partitions_for("orders")
start_ms = lab.now_ms
producer.send(ProducerRecord("orders", value="alone", partition=0))
lab.sleep(100)
for _ in range(5):
    producer.send(ProducerRecord("orders", value="x" * 100, partition=1))
lab.run_for(ms=3_000)
written = lab.table("record.appended")
[(row.partition, row.at_ms - start_ms, len(row.records)) for row in written.itertuples()]

# %% [markdown]
# Each entry is (partition, milliseconds, records). The record of partition 0 left after 110 ms,
# together with the full batch. The fifth record of partition 1 did not fit into that batch. It
# waited for a second, its own `linger.ms`. `flush()` and `close()` also send what waits, and so
# does a full buffer.

# %% exercise="04.3"

# %% [markdown] items="N11 N12 N13"
# ## 5. Which part compresses?
#
# A producer can compress its batches, for example with `compression.type=gzip`. gzip, snappy, lz4
# and zstd are **codecs** (压缩算法). A topic has a setting `compression.type`, too. Its default,
# `producer`, means: keep what comes. `uncompressed` asks for plain records. A codec's name asks for
# that codec.
#
# The cell shows the work on 200 records, for a producer with gzip and a topic with the default.
# `cpu_us` is the time of one processor, in microseconds. `validate` is the broker reading through a
# batch to check it. For that it decompresses the records, but it stores the producer's own bytes.

# %%
from kafkalab.stories.batches import work_on

work_on(producer="gzip", topic="producer")

# %% [markdown]
# The producer works longest. Now the topic asks for zstd. Who works longest then? Write
# `"producer"`, `"broker"` or `"reader"`.

# %%
predict("04 compression", longest=None)

# %%
work = work_on(producer="gzip", topic="zstd")
total = work.groupby(work.who.str.split("-").str[0]).cpu_us.sum()
truth("04 compression", longest=total.idxmax())
work

# %% [markdown] items="N15"
# With the topic's default the producer compresses, the broker keeps, the consumer decompresses.
#
# In the second lab the topic asks for another codec. So the broker must compress again,
# `recompress`, every batch of every producer. Its work grows from 12 to 79 microseconds. On a busy
# broker this adds up. `compression.type=producer`, the default of a topic, is nearly always what
# you want.

# %% exercise="04.4"

# %% [markdown]
# ## 6. One slow broker
#
# Back to records without a key. There are three partitions, one on each of three brokers. Broker 2
# is slow: it takes 40 milliseconds for each PRODUCE. Five records come every millisecond, 3,000 in
# all. `linger.ms` is 0 and `batch.size` 1,000 bytes. Once the sticky client 2.8 writes them, once
# client 3.9. Which of the two writes *more than a third* to the slow broker? Write `"2.8"`,
# `"3.9"`, `"both"` or `"neither"`.

# %%
predict("04 slow broker", more_than_a_third=None)

# %%
from kafkalab.stories.batches import shares, with_slow_broker

not_adaptive = {"partitioner.adaptive.partitioning.enable": False}
slow = {
    "client 2.8": with_slow_broker("2.8"),
    "2.8, linger 5": with_slow_broker("2.8", **{"linger.ms": 5}),
    "client 3.9": with_slow_broker("3.9"),
    "3.9, not adaptive": with_slow_broker("3.9", **not_adaptive),
}
got = {name: shares(lab) for name, lab in slow.items()}
more = [version for version in ("2.8", "3.9") if got[f"client {version}"]["orders-2"] > 1_000]
who = "both" if len(more) == 2 else more[0] if more else "neither"
truth("04 slow broker", more_than_a_third=who)
pd.DataFrame(got)

# %%
waiting_records({name: slow[name] for name in ("client 2.8", "client 3.9")}, "orders")

# %% [markdown] items="N9"
# The row `orders-2` is the slow broker. The sticky client sends *more* to it. It changes the
# partition when a batch is finished. A batch for the slow broker waits longer, so more records join
# it. With `linger.ms=5` all batches wait, and the difference is small: 1040 records.
#
# The picture shows how many records of each partition wait for their answer. With client 2.8 up to
# 910 wait for the slow broker. With client 3.9 it is 127 at most.
#
# Client 3.9 looks at how much waits for each partition and prefers the short queues (KIP-794). With
# these settings all is written in half the time. The last column switches this off: then client 3.9
# is no better than 2.8. Try `"batch.size": 16384` with both clients: the times are nearly equal
# then.

# %% exercise="04.5"

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 7. The real thing beside it
#
# A recording of a real Java producer 4.4.0. It sent records with keys into a topic `six` of six
# partitions. Its lines tell the partition and the bytes of every batch: `six-3=74` is a batch of 74
# bytes for partition 3. The first two requests:

# %%
from kafkalab.stories.recorded import recorded

pair = recorded("4.4.0/4.4.0/producer_keyed", seed=1)
sent = pair.beside("Sending PRODUCE").real
print(*sent.head(2), sep="\n")

# %% [markdown]
# The recording's program sent a record with the key `订单`. In which of the six partitions did the
# real client put it? Use the rule of section 2.

# %%
predict("04 real key", partition=None)

# %%
import json
from kafkalab.course_folder import course_folder

folder = course_folder() / "data/recordings/4.4.0/4.4.0/producer_keyed"
events = json.loads((folder / "scenario.json").read_text(encoding="utf-8"))["events"]
in_java = {e["key"]: e["result"]["partition"] for e in events if e["do"] == "send"}
truth("04 real key", partition=in_java["订单"])
pd.DataFrame({"in Java": in_java, "our rule": {key: home(key, 6) for key in in_java}}).T

# %% [markdown]
# ## 8. Spark lab: the producer that sends too much
#
# The network team complains. One of eight producers sends far more requests than the others, for
# the same number of records. `write_logs` lets eight producers write and keeps their lines. One of
# the eight has another value in one setting. Each student has another guilty producer. Then Spark
# reads all lines. The first Spark cell takes up to a minute: it starts Spark.

# %%
from kafkalab.stories.batches import write_logs

guilty = numbers("04.6")  # do not print it: the log is the place to look
log_folder = course_folder() / "data/generated/chapter04/producers"
write_logs(log_folder, guilty)

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
lines = logsets.read(spark, str(log_folder))
produce = lines.where("message like 'Sending PRODUCE%'")
# "six-3=74,six-0=72" -> [74, 72] -> 146: the bytes of all batches in one request
sizes = F.regexp_extract_all("message", F.lit(r"-\d+=(\d+)"), F.lit(1)).cast("array<int>")
in_all = F.aggregate(sizes, F.lit(0), lambda total, size: total + size)
bytes_each = F.round(F.avg("bytes")).cast("int").alias("bytes_each")
per_client = produce.withColumn("bytes", in_all).groupBy("client_id")
requests = per_client.agg(F.count("*").alias("requests"), bytes_each)
requests.orderBy("client_id").toPandas()

# %% exercise="04.6"

# %% [markdown]
# The last exercise goes back to section 4: you are the Sender.

# %% exercise="04.7"

# %% [markdown]
# ## 9. In your own words
#
# A person reads this answer. `reveal("04.open", give_up=True)` shows a good one.

# %% exercise="04.open"

# %% [markdown] items="N9 N14"
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | Without a key: round robin. | Up to 2.3. Sticky from 2.4 (KIP-480). From 3.3 the client stays until `batch.size` bytes are written and avoids long queues (KIP-794). | sections 1 and 6 |
# | `linger.ms` is 0. | 5 from 4.0 on (KIP-1030). | `summary(write("4.0"))` beside `"3.9"` |
# | A *message set* holds messages. | Since format 2 (0.11) a *record batch* holds records, and the header is written once for all. | section 1 |
# | The broker converts batches for old consumers, and compresses them again. | 4.0 writes format 2 only and converts nothing. Old batches on disk may still be returned as they are (KIP-724). | section 5 |
# | `RoundRobinPartitioner` spreads evenly. | From 2.4 on it skipped every other partition at each new batch, until KAFKA-17632 repaired it. | `"partitioner.class"` |
# | A partition keeps the order in which you send. | Retries without idempotence can swap two batches: chapter 05. | chapter 05 |
#
# ## Break it yourself
#
# 40 customers, one topic. The cell prints two numbers: how many customers move, and how many of
# these go to a *new* partition. Change `old` and `new`. With which pairs does about half of the
# customers stay? With which pairs does every mover go to a new partition?

# %%
old, new = 6, 9
keys = [f"customer-{number}" for number in range(40)]
movers = [(home(key, old), home(key, new)) for key in keys if home(key, old) != home(key, new)]
len(movers), sum(to >= old for _, to in movers)

# %% [markdown]
# **So what?** Choose the number of partitions for the load of the coming years, before the first
# key is written. If you must grow, double it. Watch `batch-size-avg` and `records-per-request-avg`
# of each producer: a sudden drop means a wrong `batch.size` or `linger.ms`. Raise an alarm when a
# topic's `compression.type` is not `producer`.
#
# ## What you know now
#
# - A batch is made for one partition. It leaves when it is full, when it has waited long enough, or
#   together with another batch for the same broker.
# - The default partitioner keeps a key in one partition, as long as the number of partitions stays.
# - New partitions and `latest`: what comes before the group finds them is not read.
# - Without a key the client chooses. Its rule decides how large batches are.
# - The producer compresses, the broker keeps, the consumer decompresses. A topic with a codec of
#   its own makes the broker work.
#
# **Words**: record batch 记录批次 · batch.size 批次大小 · linger.ms 等待时间 · partitioner 分区器 ·
# sticky 粘性 · codec 压缩算法

# %%
from autograder import my_guesses

my_guesses("04")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 01: a group has five members, the topic three partitions. How many
# read?</summary>Three. A partition has one owner in a group; two members wait.</details>
# <details><summary>2. Chapter 02: to which brokers does a producer connect to send?</summary>To
# those that lead a partition it sends to, one connection for each.</details>
# <details><summary>3. Chapter 03: why is a heartbeat not sent over the connection that
# fetches?</summary>Answers on one connection come in order. A long poll would delay it.</details>
#
# Next: **05 · When is a record safe?**
