# %% [markdown]
# # From here to your own client
#
# In this course you write Java's client with Python's words. At work you may use another client.
# Its calls look alike, and some habits of this course go wrong there. This page shows which.
# There are no exercises and no marks here.
#
# **You need** chapters 02 to 04, 09 and 10. **Time** fifteen minutes.
#
# | Client | What it is |
# |---|---|
# | Java | Apache Kafka's own client, which this course behaves like |
# | confluent-kafka | Python round the C library librdkafka; many other languages use that library, too |
# | aiokafka | written in Python, for `asyncio` |
# | kafka-python | written in Python, with the shape of Java's client |
#
# You can read the page without running it. To run it, install the three Python clients once. The
# next cell prints the command. The cells need no broker: librdkafka brings a mock cluster.

# %%
import json
import logging
import time
import zlib

from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, real
from kafkalab.errors import IllegalStateException
from kafkalab.records import TopicPartition as LabPartition
from kafkalab.stories.python_clients import defaults, murmur2_partition, ready

if ready():
    from confluent_kafka import Consumer, Producer, TopicPartition
    from confluent_kafka import KafkaException as LibrdkafkaException

    print("The three clients are here.")

# %% [markdown]
# ## 1. The same call in four clients
#
# The settings of Java and confluent-kafka have dots, `group.id`. Those of the other two are arguments,
# `group_id`. Below, `tp` is partition 0 of `orders`, `tps` a list with it, `topics` a list with
# `orders`, and `heard` a function of yours. In confluent-kafka a partition may hold an offset:
# `there = TopicPartition("orders", 0, 1)`.
#
# | A producer | Java | confluent-kafka | aiokafka | kafka-python |
# |---|---|---|---|---|
# | begins | `new KafkaProducer<>(props)` | `p = Producer(settings)` | `p = AIOKafkaProducer( **settings)` `await p.start()` | `p = KafkaProducer( **settings)` |
# | sends key and value | `p.send(new ProducerRecord<>("orders", key, value))` | `p.produce("orders", value, key)` | `await p.send("orders", value, key)` | `p.send("orders", value, key)` |
# | sends and waits | `p.send(record).get()` | `p.produce("orders", value)` `p.flush(10)` | `await p.send_and_wait("orders", value)` | `p.send("orders", value).get(timeout=10)` |
# | hears how it ended | `p.send(record, callback)` | `p.produce("orders", value, on_delivery=heard)` `p.poll(1)` | `f = await p.send("orders", value)` `f.add_done_callback(heard)` | `p.send("orders", value).add_callback(heard)` |
# | empties its buffer | `p.flush()` | `p.flush(10)` | `await p.flush()` | `p.flush(timeout=10)` |
# | ends | `p.close()` | `p.close()` | `await p.stop()` | `p.close()` |
#
# | A transaction | Java | confluent-kafka | aiokafka | kafka-python |
# |---|---|---|---|---|
# | once | `t.initTransactions()` | `t.init_transactions(10)` | `await t.start()` | `t.init_transactions()` |
# | begins | `t.beginTransaction()` | `t.begin_transaction()` | `await t.begin_transaction()` | `t.begin_transaction()` |
# | commits | `t.commitTransaction()` | `t.commit_transaction(10)` | `await t.commit_transaction()` | `t.commit_transaction()` |
#
# | A consumer | Java | confluent-kafka | aiokafka | kafka-python |
# |---|---|---|---|---|
# | begins | `new KafkaConsumer<>(props)` | `c = Consumer(settings)` | `c = AIOKafkaConsumer( **settings)` `await c.start()` | `c = KafkaConsumer( **settings)` |
# | subscribes | `c.subscribe(topics)` | `c.subscribe(topics)` | `c.subscribe(topics)` | `c.subscribe(topics)` |
# | reads many | `c.poll(duration)` | `c.consume(100, 10)` | `await c.getmany(timeout_ms=ms)` | `c.poll(timeout_ms=ms)` |
# | reads one | no such call | `c.poll(1)` | `await c.getone()` | `next(c)` |
# | commits what it read | `c.commitSync()` | `c.commit(asynchronous=False)` | `await c.commit()` | `c.commit()` |
# | commits an offset | `c.commitSync(Map.of(tp, new OffsetAndMetadata(1)))` | `c.commit(offsets=[there], asynchronous=False)` | `await c.commit({tp: 1})` | `c.commit({tp: OffsetAndMetadata(1)})` |
# | says its position | `c.position(tp)` | `c.position([tp])` | `await c.position(tp)` | `c.position(tp)` |
# | goes to an offset | `c.seek(tp, 1)` | `c.seek(there)` | `c.seek(tp, 1)` | `c.seek(tp, 1)` |
# | asks where the log ends | `c.endOffsets(tps)` | `c.get_watermark_offsets(tp)` | `await c.end_offsets(tps)` | `c.end_offsets(tps)` |
# | ends | `c.close()` | `c.close()` | `await c.stop()` | `c.close()` |
#
# Mind the order of key and value. Java's `ProducerRecord` takes the key first. The three Python
# clients take the value first. None of them complains when you mix them up.
#
# A test of the course runs each Python call of these tables, in this order, against the mock
# cluster. The Java calls are from the documentation of
# [KafkaProducer](https://kafka.apache.org/40/javadoc/org/apache/kafka/clients/producer/KafkaProducer.html) and
# [KafkaConsumer](https://kafka.apache.org/40/javadoc/org/apache/kafka/clients/consumer/KafkaConsumer.html).

# %% [markdown]
# ## 2. What a setting is when you leave it out
#
# | Setting | Java 4.4 | confluent-kafka | aiokafka | kafka-python |
# |---|---|---|---|---|
# | `acks` | all | all | 1 | all |
# | `enable.idempotence` | true | false | false | true |
# | `linger.ms` | 5 | 5 | 0 | 0 |
# | `max.in.flight.requests.per.connection` | 5 | 1,000,000 | not there | 5 |
# | `delivery.timeout.ms` | 120,000 | 300,000 | not there | 120,000 |
# | `buffer.memory` | 33,554,432 | not there | not there | not there |
# | `queue.buffering.max.messages` | not there | 100,000 | not there | not there |
# | `queue.buffering.max.kbytes` | not there | 1,048,576 | not there | not there |
# | `connections.max.idle.ms` | 540,000 | 0 | 540,000 | 540,000 |
# | `group.protocol` | classic | classic | not there | not there |
# | `auto.offset.reset` | latest | largest | latest | latest |
# | `enable.auto.commit` | true | true | true | true |
# | `enable.auto.offset.store` | not there | true | not there | not there |
# | `isolation.level` | `read_uncommitted` | `read_committed` | `read_uncommitted` | `read_uncommitted` |
# | `session.timeout.ms` | 45,000 | 45,000 | 10,000 | 45,000 |
# | `max.poll.interval.ms` | 300,000 | 300,000 | 300,000 | 300,000 |
# | `max.poll.records` | 500 | not there | no limit | 500 |
# | `partition.assignment.strategy` | range, cooperative-sticky | range, roundrobin | roundrobin | range, roundrobin |
# | `allow.auto.create.topics` | true | false | not there | true |
#
# These are confluent-kafka 2.16, aiokafka 0.14 and kafka-python 3.0. *Not there* means that the
# client has no setting of this name. `largest` is another word for `latest`. An idle limit of 0
# means that a connection is never closed.
#
# Two rows matter most. librdkafka sends up to a million requests without an answer and does not
# number its batches. So a retry can change the order of records, and can write one twice.
# `enable.idempotence=true` cures both. aiokafka waits for the leader only.
#
# The next cell reads the values again from the clients that are installed here.

# %%
if ready():
    display(defaults())

# %% [markdown]
# ## 3. The same key, another partition
#
# Java places a key by the hash function murmur2. librdkafka places it by CRC32. If a Java program and
# a program with librdkafka write to one topic, a customer's orders are in two partitions.
#
# First the lab.

# %%
KEYS = "ada alan alice bob carol dave eve frank grace heidi".split()
lab = Lab(brokers=3, seed=1, version="4.4")
lab.create_topic("orders", partitions=4)
shop = KafkaProducer(lab, {"client.id": "shop"})
sent = [shop.send(ProducerRecord("orders", "tea", key=key)) for key in KEYS]
java = [future.get().partition for future in sent]
print("the lab        ", java)
print("murmur2        ", [murmur2_partition(key, 4) for key in KEYS])

# %% [markdown]
# Now librdkafka, on its own mock cluster of three brokers. A topic has four partitions there.

# %%
if ready():
    mock = Producer({"test.mock.num.brokers": 3, "log_level": 2})
    found = mock.list_topics(timeout=10).brokers.values()
    brokers = ",".join(f"{broker.host}:{broker.port}" for broker in found)
    ADDRESS = {"bootstrap.servers": brokers, "log_level": 2}


# %%
def placed(settings):
    """The partitions where a producer of librdkafka puts the ten keys."""
    producer, heard = Producer(settings), {}
    for key in KEYS:
        producer.produce(
            "orders", "tea", key, on_delivery=lambda _, m: heard.update({m.key(): m.partition()})
        )
    producer.flush(10)
    return [heard[key.encode()] for key in KEYS]


if ready():
    print("librdkafka     ", placed(ADDRESS))
    print("crc32          ", [zlib.crc32(key.encode()) % 4 for key in KEYS])
    print("murmur2_random ", placed({**ADDRESS, "partitioner": "murmur2_random"}))

# %% [markdown]
# With `partitioner=murmur2_random` librdkafka agrees with Java. Set it before the first record, for
# it moves keys. aiokafka and kafka-python use murmur2, as Java does.

# %%
if ready():
    from aiokafka.partitioner import murmur2 as of_aiokafka
    from kafka.partitioner.default import murmur2 as of_kafka_python

    for rule in (of_aiokafka, of_kafka_python):
        print([(rule(key.encode()) & 0x7FFFFFFF) % 4 for key in KEYS] == java)

# %% [markdown]
# ## 4. A callback waits for your poll
#
# Java's producer has a thread that calls your callback. In the lab, too: nobody asks, and the callback
# comes.

# %%
heard = []
shop.send(ProducerRecord("orders", "tea"), lambda metadata, error: heard.append("written"))
lab.run_for(ms=1_000)
print(heard)

# %% [markdown]
# librdkafka sends in a thread of its own, too. But it calls you only while you are in `poll()` or
# `flush()`. Until then it keeps each report.

# %%
if ready():
    heard, producer = [], Producer(ADDRESS)
    producer.produce("orders", "tea", on_delivery=lambda error, message: heard.append("written"))
    time.sleep(1)
    print("after a second:", heard)
    producer.poll(1)
    print("after poll:    ", heard)

# %% [markdown]
# Call `producer.poll(0)` after each `produce()`. Else the queue fills with reports. A full queue does not
# block as in Java. It raises `BufferError` at once. Call `poll()` and try again.

# %%
if ready():
    producer = Producer({**ADDRESS, "queue.buffering.max.messages": 3, "linger.ms": 5_000})
    try:
        for number in range(1, 5):
            producer.produce("orders", f"tea {number}")
    except BufferError as full:
        print(f"record {number}: {full}")
    producer.flush(10)

# %% [markdown]
# ## 5. Who forgets `flush()` loses records
#
# Java's `close()` sends what waits. librdkafka throws it away when the producer goes, and says nothing.


# %%
def in_the_log():
    """How many records partition 0 of the topic `bills` has."""
    reader = Consumer({**ADDRESS, "group.id": "counter"})
    low, high = reader.get_watermark_offsets(TopicPartition("bills", 0), timeout=10)
    return high - low


# %%
if ready():
    mock.list_topics("bills", timeout=10)  # the mock cluster makes the topic
    for flushed in (False, True):
        producer = Producer({**ADDRESS, "linger.ms": 500})
        for _ in range(5):
            producer.produce("bills", "a bill", partition=0)
        if flushed:
            producer.flush(10)
        del producer  # as at the end of a program
        time.sleep(1)
        print("flushed" if flushed else "not flushed", in_the_log())

# %% [markdown]
# ## 6. Offsets are committed while you work
#
# In Java an automatic commit happens inside `poll()`. A record that you work on is not committed
# before you come back for the next. That is the rule of chapter 09.


# %%
def committed_while_working(lab):
    """What is committed two seconds after the first record, while the program works on it."""
    config = {"group.id": "billing", "auto.commit.interval.ms": 500, "max.poll.records": 1}
    reader = KafkaConsumer(lab, {**config, "auto.offset.reset": "earliest"})
    reader.subscribe(["bills"])
    while not reader.poll(timeout_ms=500):
        pass
    lab.run_for(ms=2_000)
    return reader.committed([LabPartition("bills", 0)])[LabPartition("bills", 0)]


lab.create_topic("bills", partitions=1)
for _ in range(5):
    shop.send(ProducerRecord("bills", "a bill")).get()
print(committed_while_working(lab))

# %% [markdown]
# librdkafka commits in a thread of its own. It commits what it has handed to you, done or not. If the
# program dies now, nobody does that record.


# %%
def committed_by_librdkafka(settings):
    """The same story: one record read, two seconds of work, no second poll."""
    config = {"group.id": "billing", "auto.offset.reset": "earliest", **settings}
    reader = Consumer({**ADDRESS, **config, "auto.commit.interval.ms": 500})
    reader.subscribe(["bills"])
    message = reader.poll(10)
    time.sleep(2)
    [found] = reader.committed([TopicPartition("bills", 0)], timeout=10)
    if "enable.auto.offset.store" in settings:
        reader.store_offsets(message)  # now it is done
    reader.close()
    return max(found.offset, 0)  # a negative number means: nothing yet


if ready():
    print("by default               ", committed_by_librdkafka({}))

# %% [markdown]
# The cure: `enable.auto.offset.store=false`, and `store_offsets(message)` when the work is done. The
# thread commits only what you have stored.

# %%
if ready():
    careful = {"group.id": "careful", "enable.auto.offset.store": False}
    print("stored by you, after work", committed_by_librdkafka(careful))

# %% [markdown]
# ## 7. One record, or None, or an error
#
# `poll()` of librdkafka returns one message. It may be `None`. It may also be an error, which Java
# would raise. So each loop asks for both. Here a program works longer than `max.poll.interval.ms`.
# In Java you hear of it when a commit fails, or when the next `poll()` calls `onPartitionsLost`. Here
# the next `poll()` returns it.

# %%
if ready():
    short = {"session.timeout.ms": 3_500, "max.poll.interval.ms": 3_500}
    config = {"group.id": "slow", "auto.offset.reset": "earliest", **short}
    reader = Consumer({**ADDRESS, **config})
    reader.subscribe(["bills"])
    print("at once:   ", reader.poll(0))
    print("a record:  ", reader.poll(10).value())
    time.sleep(4.5)
    print("after work:", reader.poll(10).error().name())
    reader.close()

# %% [markdown]
# ## 8. Which sockets it opens
#
# Chapters 02 and 03 count connections. What does the lab open for a producer that writes to four
# partitions on three brokers, and for one consumer in a group?

# %%
for partition in range(4):
    shop.send(ProducerRecord("orders", "tea", partition=partition)).get()
reader = KafkaConsumer(lab, {"group.id": "new", "auto.offset.reset": "earliest"}, name="reader")
reader.subscribe(["orders"])
while not reader.poll(timeout_ms=500):
    pass
for client in ("shop", "reader"):
    print(f"{client:6}", sorted(socket.role for socket in lab.sockets(client)))

# %% [markdown]
# librdkafka tells in its statistics, which are JSON. It gives up the bootstrap connection as soon
# as it knows the brokers. It connects to a broker when it needs one, once for each. The coordinator
# has a connection of its own, as in Java.


# %%
def kinds_open(statistics):
    """Which kinds of connections of librdkafka are open."""
    brokers = json.loads(statistics)["brokers"].values()
    kinds = {"learned": "broker", "logical": "coordinator", "configured": "bootstrap"}
    return sorted({kinds[broker["source"]] for broker in brokers if broker["state"] == "UP"})


def wait_for(client, wanted):
    """The kinds of connections, as soon as these are open, or after 30 seconds."""
    until = time.monotonic() + 30
    while time.monotonic() < until and not (said and kinds_open(said[-1]) == wanted):
        client.poll(0.2)
    return kinds_open(said[-1])


# %%
if ready():
    said = []
    watched = {**ADDRESS, "statistics.interval.ms": 200, "stats_cb": said.append}
    producer = Producer(watched)
    for partition in range(4):
        producer.produce("orders", "tea", partition=partition)
    producer.flush(10)
    print("shop  ", wait_for(producer, ["broker"]))

# %%
if ready():
    said.clear()
    reader = Consumer({**watched, "group.id": "new", "auto.offset.reset": "earliest"})
    reader.subscribe(["orders"])
    print("reader", wait_for(reader, ["broker", "coordinator"]))
    reader.close()

# %% [markdown]
# None of them is closed when it is idle, for the idle limit is 0. Java closes it after nine minutes.
# The broker closes it after ten, its own `connections.max.idle.ms`.
#
# ## 9. Small surprises
#
# `auto.offset.reset=none` is Java's. librdkafka says `error`. `buffer.memory` is Java's only.

# %%
if ready():
    for setting in ({"auto.offset.reset": "none"}, {"buffer.memory": 33_554_432}):
        try:
            Consumer({**ADDRESS, "group.id": "billing", **setting})
        except LibrdkafkaException as refused:
            print(refused.args[0].str())

# %% [markdown]
# `seek()` right after `subscribe()` fails in both, for there is no assignment yet. Both raise, in
# other words.

# %%
early = KafkaConsumer(lab, {"group.id": "early"})
early.subscribe(["bills"])
try:
    early.seek(LabPartition("bills", 0), 0)
except IllegalStateException as refused:
    print("the lab:   ", refused)
if ready():
    early = Consumer({**ADDRESS, "group.id": "early"})
    early.subscribe(["bills"])
    try:
        early.seek(TopicPartition("bills", 0, 0))
    except LibrdkafkaException as refused:
        print("librdkafka:", refused.args[0].str())

# %% [markdown]
# ## 10. The same on real brokers
#
# A mock cluster is no Kafka. After `python -m kafkalab real setup` the next cell starts three real
# brokers, about twenty seconds. A Java producer and two of librdkafka place the ten keys.

# %%
missing = real.what_is_missing()
if missing:
    print(missing)
elif ready():
    cluster = real.Lab(brokers=3)
    cluster.create_topic("orders", partitions=4)
    shop = real.KafkaProducer(cluster, {})
    sent = [shop.send(ProducerRecord("orders", "tea", key=key)) for key in KEYS]
    there = {"bootstrap.servers": cluster.addresses, "log_level": 2}
    print("Java           ", [future.get().partition for future in sent])
    print("librdkafka     ", placed(there))
    print("murmur2_random ", placed({**there, "partitioner": "murmur2_random"}))

# %% [markdown]
# The mock cluster does not fence a zombie. Real brokers do. librdkafka tells it by an error that
# says it is fatal. In Java it is a `ProducerFencedException`, as in chapter 06.

# %%
if not missing and ready():
    quiet = logging.getLogger("librdkafka")
    quiet.addHandler(logging.NullHandler())  # librdkafka writes the error to stderr, too
    till = {**there, "transactional.id": "till", "logger": quiet}
    zombie, heir = Producer(till), Producer(till)
    zombie.init_transactions(30)
    zombie.begin_transaction()
    zombie.produce("orders", "tea")
    heir.init_transactions(30)
    try:
        zombie.commit_transaction(30)
    except LibrdkafkaException as fenced:
        print(fenced.args[0].name(), "fatal:", fenced.args[0].fatal())
    cluster.close()
