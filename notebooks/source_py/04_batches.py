# %% [markdown]
# # 04 · How does a record become part of a batch?
#
# `send` takes one record. What crosses the network is a *batch*: many records for one partition,
# put together. Who chooses the partition? What ends a batch? And who compresses it, so that it is
# small? Three questions, and most people get each of them wrong at first.
#
# **You need** chapters 01 and 02. **You get** six words: *record batch*, *batch.size*, *linger.ms*,
# *partitioner*, *sticky*, *codec*. **Time** about 40 minutes.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaConsumer, KafkaProducer, ProducerRecord, TopicPartition
from kafkalab.hashing import murmur2, to_positive
from kafkalab.views import batch_strip, side_by_side

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# A shop writes one order every millisecond, 240 in all, without a key, into a topic with three
# partitions. Its producer may wait five milliseconds for more records (`linger.ms=5`). How many
# batches are written by a client of version 2.3? How many by one of 2.8?

# %%
predict("04 batches", v2_3=None, v2_8=None)


# %%
def write(version, records=240, pace_ms=1, partitions=3, seed=5, **config):
    """A lab in which one producer has written so many records without a key."""
    brokers_of_its_time = "2.3" if version == "2.3" else "4.4"
    lab = Lab(brokers=3, seed=seed, version=version, broker_version=brokers_of_its_time)
    lab.create_topic("orders", partitions=partitions)
    producer = KafkaProducer(lab, {"client.id": "shop", **config})
    producer.partitions_for("orders")  # know the topic before the first record
    for number in range(records):
        order = "an order of eighty bytes".ljust(80)
        producer.send(ProducerRecord("orders", value=order))
        lab.sleep(pace_ms)
    producer.close()
    return lab


labs = {f"client {version}": write(version, **{"linger.ms": 5}) for version in ("2.3", "2.8")}
counted = [len(list(lab.journal.of("record.appended"))) for lab in labs.values()]
truth("04 batches", v2_3=counted[0], v2_8=counted[1])
batch_strip(labs, "orders")

# %% [markdown] items="N10"
# Each block is a **record batch**, the unit in which Kafka sends, stores and hands out records. The
# number in it says how many records it holds. Dark and light blue only show where one batch ends
# and the next begins. The first batch of each partition is larger, because its records had to wait
# for the connection.
#
# Both clients waited five milliseconds, and five records came in that time. Client 2.3 dealt them
# to three partitions in turn, *round robin*. So most batches got two. Client 2.8 is **sticky**: it
# stays with one partition until a batch is finished, and then picks another by chance (KIP-480).
# All five land in one batch. After 240 records the partitions are not quite even, but in the long
# run each gets about the same. And the batches are more than twice as large.
#
# Why does it matter? A batch has a header of 61 bytes, and a request costs both sides work,
# whatever is in it. The cell counts both:

# %%
import pandas as pd


def summary(lab):
    """What the producer sent: batches, PRODUCE requests, and how large they are."""
    batches = lab.table("record.appended")
    requests = lab.table("request.sent")
    return {
        "batches": len(batches),
        "requests": (requests.api == "PRODUCE").sum(),
        "records a batch": round(batches.records.map(len).mean(), 1),
        "bytes": batches.size_bytes.sum(),
    }


pd.DataFrame([summary(lab) for lab in labs.values()], index=list(labs))

# %% [markdown] items="N9"
# ## 2. With a key, the key decides
#
# A record with a key goes where the key says. Take the key's bytes and compute a number from them
# with a function called *murmur2*. Drop the sign. Divide by the number of partitions: the rest is
# the partition. All Java clients do it the same way, so all of them agree where a key lives.

# %%
murmur2(b"tea"), murmur2("茶".encode()), murmur2(b"coffee")

# %% exercise="04.1"

# %% [markdown]
# ## 3. One partition more
#
# The topic gets crowded, and you add a sixth partition to its five. A hundred customers write with
# their names as keys. How many of them are written to another partition from now on?

# %%
predict("04 sixth partition", moved=None)


# %%
def home(key, partitions):
    return to_positive(murmur2(key.encode())) % partitions


names = [f"customer-{number}" for number in range(100)]
moved = [name for name in names if home(name, 5) != home(name, 6)]
truth("04 sixth partition", moved=len(moved))

# %% [markdown]
# Most of them: 77 of 100. The rest of a division by six has little to do with the rest of a
# division by five. What was written before stays where it is. So the old records of a customer who
# moved are in one partition and the new ones in another, and nothing orders the two. A program that
# reads one partition and keeps a sum for each of its customers has the old sum in the wrong place
# now.
#
# Here is one customer's story, three orders before the change and three after it, as (partition,
# offset):

# %%
lab = Lab(brokers=3, seed=8)
lab.create_topic("orders", partitions=5)
producer = KafkaProducer(lab, {"client.id": "shop"})
who = moved[0]


def order():
    return producer.send(ProducerRecord("orders", key=who, value="tea")).get()


before = [order() for _ in range(3)]

from kafkalab import KafkaAdminClient, NewPartitions

admin = KafkaAdminClient(lab, {})
admin.create_partitions({"orders": NewPartitions.increase_to(6)}).all().get()
lab.run_for(ms=6 * 60_000)  # metadata are asked for anew every five minutes
after = [order() for _ in range(3)]
[(answer.partition, answer.offset) for answer in before + after]

# %% exercise="04.2"

# %% [markdown]
# ## 4. What closes a batch?
#
# Two settings. A batch is finished when it is full: `batch.size`, sixteen kilobytes unless you say
# otherwise. Or it is finished when its first record has waited long enough: `linger.ms`. Here is
# one partition, a record each millisecond, and four settings:

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
batch_strip(labs, "orders")

# %% [markdown] items="P7"
# With `linger.ms=0` a record leaves as soon as a request can carry it, most of them alone. Batches
# still form when records come faster than requests go. And look how long the first row is: every
# batch brings its header. In the last row a batch is full after ten records, long before the 50 ms
# are over. `batch.size` counts bytes, not records.

# %% exercise="04.3"

# %% [markdown] items="N11 N12 N13"
# ## 5. Who makes it small?
#
# A producer can compress its batches: `compression.type=gzip`, for example. gzip, snappy, lz4 and
# zstd are **codecs**. *Packing* means compressing here, *unpacking* the way back. A topic has a
# setting `compression.type`, too. Its default, `producer`, means: keep what comes. `uncompressed`
# asks for plain records, and a codec's name for that codec.
#
# Who packs, and who unpacks: producer, broker or consumer? The next cell shows it for a producer
# with gzip and a topic with the default. Look at it first. Then guess for the same producer and a
# topic with snappy: how many rows will the table have, one for each time that records are packed or
# unpacked?


# %%
def packed(producer_codec, topic_codec):
    """Write 200 records and read them. Who worked on batches, and for how long?"""
    lab = Lab(brokers=1, seed=1)
    lab.create_topic("orders", partitions=1, config={"compression.type": topic_codec})
    producer = KafkaProducer(lab, {"compression.type": producer_codec, "linger.ms": 20})
    for number in range(200):
        order = f"order {number}: one cup of tea for table {number % 7}"
        producer.send(ProducerRecord("orders", value=order))
    producer.close()
    consumer = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="reader")
    consumer.assign([TopicPartition("orders", 0)])
    list(consumer.poll(timeout_ms=2_000))
    columns = ["who", "work", "codec", "bytes_in", "bytes_out", "cpu_us"]
    return lab.table("cpu").reindex(columns=columns)


packed("gzip", "producer")

# %%
predict("04 pack and unpack", times=None)

# %%
both = packed("gzip", "snappy")
truth("04 pack and unpack", times=len(both))
both

# %% [markdown] items="N15"
# The rule is: the producer packs, the broker keeps, the consumer unpacks. `validate` in the first
# table is the broker reading through a batch to check it. For that it unpacks the records, too. But
# what it stores are the producer's own bytes.
#
# In the second lab the topic asks for another codec. So the broker must pack again, `recompress`,
# for every batch of every producer. The column `cpu_us` is the work in microseconds of one
# processor. With gzip or zstd this is far more than checking, and on a busy broker it adds up.
# `compression.type=producer`, the default of a topic, is nearly always what you want.

# %% exercise="04.4"

# %% [markdown]
# ## 6. One slow broker
#
# Back to records without a key. There are three partitions, one on each of three brokers. Broker 2
# is slow: it takes 40 milliseconds for each PRODUCE. Five records come every millisecond, 3,000 in
# all. Once the sticky client 2.8 writes them, once client 3.9. Which of the two writes *more than a
# third* to the slow broker? Write `"2.8"`, `"3.9"`, `"both"` or `"neither"`.

# %%
predict("04 slow broker", more_than_a_third=None)


# %%
def with_slow_broker(version, **config):
    lab = Lab(brokers=3, seed=3, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=3)
    lab.broker(2).delay("PRODUCE", 40)
    settings = {"client.id": "shop", "batch.size": 1000, "linger.ms": 0, **config}
    producer = KafkaProducer(lab, settings)
    producer.partitions_for("orders")
    for number in range(3_000):
        order = "an order of eighty bytes".ljust(80)
        producer.send(ProducerRecord("orders", value=order))
        if number % 5 == 0:
            lab.sleep(1)
    producer.close()
    shares = {f"orders-{partition}": 0 for partition in range(3)}
    for batch in lab.journal.of("record.appended"):
        shares[f"orders-{batch.partition}"] += len(batch.records)
    return {**shares, "ms until all was written": lab.now_ms}


not_adaptive = {"partitioner.adaptive.partitioning.enable": False}
slow = {
    "client 2.8": with_slow_broker("2.8"),
    "client 3.9": with_slow_broker("3.9"),
    "3.9, not adaptive": with_slow_broker("3.9", **not_adaptive),
}
more = [version for version in ("2.8", "3.9") if slow[f"client {version}"]["orders-2"] > 1_000]
who = "both" if len(more) == 2 else more[0] if more else "neither"
truth("04 slow broker", more_than_a_third=who)
pd.DataFrame(slow)

# %% [markdown] items="N9"
# The sticky client sends *more* to the slow broker, in the row `orders-2`. It moves on when a batch
# is finished, and the slow broker's batches wait longest, so they get the fullest. Client 3.9 looks
# at how much is waiting for each partition and prefers the short queues (KIP-794). All is written
# in half the time. The third column switches this off in client 3.9: then it is no better than 2.8.

# %% exercise="04.5"

# %% [markdown]
# ## 7. The real thing beside it
#
# A recording of a real Java producer 4.4.0. It sent records with keys into a topic `six` of six
# partitions. Its lines tell the partition and the bytes of every batch: `six-3=74` is a batch of 74
# bytes for partition 3. Here they are beside the simulator's. (The topic's id, a random name, is
# cut off.) You need not read the cell: it finds the files and cuts the lines.

# %%
import json
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read, rows_of
from kafkalab.proof.replay import replay

recording = course_folder() / "data/recordings/4.4.0/4.4.0/producer_keyed"
scenario = json.loads((recording / "scenario.json").read_text())
played = replay(scenario, seed=1)["client"]


def produced(rows):
    """topic-partition=bytes of every PRODUCE line."""
    sent = [row.text for row in rows if row.text.startswith("Sending PRODUCE")]
    sizes = [text.split("partitionSizes=[")[1] for text in sent]
    return [size.split(":")[1].rstrip("]}") for size in sizes]


side_by_side(
    produced(read(recording / "client.log.gz")),
    produced(rows_of(played.splitlines())),
    titles=("Java producer 4.4.0", "simulator"),
)

# %% [markdown]
# The keys it sent are in the recording too. So a real Java client can check the rule of section 2:

# %%
sends = [event for event in scenario["events"] if event["do"] == "send"]
pd.DataFrame(
    [(repr(event["key"]), event["result"]["partition"], home(event["key"], 6)) for event in sends],
    columns=["key", "partition in Java", "our rule"],
)

# %% [markdown]
# ## 8. Spark lab: the producer that sends too much
#
# The network team complains: one of eight producers sends far more requests than the others, for
# the same number of records. We let eight producers write and keep their lines, as a logging server
# would. One of the eight has a setting that the others have not. Which one, and what, is yours
# alone: `guilty` knows, and the log tells it, too. Then Spark reads all lines.

# %%
guilty = numbers("04.6")  # do not print it: the log is the place to look
the_guilty_one, its_bytes = guilty.producer, guilty.batch_size

# %%
import random

log_folder = course_folder() / "data/generated/chapter04/producers"
log_folder.mkdir(parents=True, exist_ok=True)
chance = random.Random(guilty.seed)  # your eight are not your neighbour's
for number in range(1, 9):
    name = f"producer-{number}"
    config = {"client.id": name, "linger.ms": (20, 60, 20, 40)[number % 4]}
    if number == the_guilty_one:
        config["batch.size"] = its_bytes
    version = chance.choice(["2.8", "3.6", "3.9", "4.0"])
    lab = Lab(brokers=3, seed=chance.randrange(1000), version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=3)
    producer = KafkaProducer(lab, config)
    for record in range(300):
        order = "an order of eighty bytes".ljust(80)
        producer.send(ProducerRecord("orders", value=order))
        lab.sleep(1)
    producer.close()
    (log_folder / f"{name}.log").write_text(lab.log_text(name))

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
lines = logsets.read(spark, str(log_folder))
produce = lines.where("message like 'Sending PRODUCE%'")
# "six-3=74,six-0=72" -> [74, 72] -> 146: the bytes of all batches in one request
sizes = F.regexp_extract_all("message", F.lit(r"-\d+=(\d+)"), F.lit(1))
in_all = F.aggregate(sizes.cast("array<int>"), F.lit(0), lambda total, size: total + size)
bytes_each = F.round(F.avg("bytes")).cast("int").alias("bytes_each")
requests = (
    produce.withColumn("bytes", in_all)
    .groupBy("client_id")
    .agg(F.count("*").alias("requests"), bytes_each)
)
requests.orderBy("client_id").toPandas()

# %% exercise="04.6"

# %% [markdown]
# ## 9. In your own words

# %% exercise="04.open"

# %% [markdown] items="N9 N14"
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | Without a key: round robin. | Up to 2.3. Sticky from 2.4 (KIP-480); from 3.3 a rule built in, which stays until `batch.size` bytes are written and avoids long queues (KIP-794). | sections 1 and 6 |
# | `linger.ms` is 0. | 5 from 4.0 on (KIP-1030). | `write("4.0")` |
# | A *message set* holds messages. | Since format 2 (0.11) a *record batch* holds records, and the header is written once for all. | section 1 |
# | The broker converts batches for old consumers, and compresses them anew. | Gone: 4.0 writes and reads format 2 only. | section 5 |
# | `RoundRobinPartitioner` deals evenly. | From 2.4 on it skipped every other partition at each new batch, until KAFKA-17632 mended it. | `"partitioner.class"` |
# | Order is what you get. | Per partition. Retries without idempotence can swap two batches: chapter 05. | chapter 05 |
#
# ## What you know now
#
# - A batch is made for one partition. It leaves when it is full or has waited long enough.
# - A key always goes to the same partition, as long as their number stays.
# - Without a key the client chooses, and how it chooses decides how large batches are.
# - The producer packs, the broker keeps, the consumer unpacks. A topic with a codec of its own
#   makes the broker work.
#
# **Words**: record batch 记录批次 · batch.size 批次大小 · linger.ms 等待时间 · partitioner 分区器 ·
# sticky 粘性 · codec 压缩算法
#
# ### Do you remember?
#
# <details><summary>1. Chapter 01: a group has five members, the topic three partitions. How many
# read?</summary>Three. A partition has one owner in a group; two members wait.</details>
# <details><summary>2. Chapter 02: to which brokers does a producer connect to send?</summary>To
# those that lead a partition it sends to, one connection for each.</details>
# <details><summary>3. Chapter 03: why is a heartbeat not sent over the connection that
# fetches?</summary>Answers on one connection come in order. A long poll would hold it up.</details>
