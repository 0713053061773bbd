# %% [markdown]
# # 12 · What does a client do with an error?
#
# A poll raises. A send fails. A commit gets no answer. May the program call again, or must it stop?
# Kafka's clients repeat many things by themselves. What they hand to your program is the difficult
# part. One record that cannot be read can stop a whole group.
#
# **You need** chapters 05, 06, 07, 09 and 10. **You get** eight words: *serializer*,
# *deserializer*, *poison pill*, *dead-letter topic*, *retry topic*, *retriable*, *abortable*,
# *fatal*. **Time** three sittings: about 45 + 20 + 30 minutes. They end after sections 6 and 9
# and at the end.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import KafkaProducer, ProducerRecord, SerializationException
from kafkalab.stories.errors import PRICES, VALUES, market, reader, stay
from kafkalab.views import outcome_grid, work_strip

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# A partition has twelve prices, offsets 0 to 11. They are bytes. A reader turns them into whole
# numbers. The price at offset 5 is `1,5`, and `int` cannot read it. The program below works on a
# price and commits after each poll. When it dies, a supervisor (a program that watches others)
# starts it again, five seconds later.


# %%
def crash(ada, work):
    while True:
        for record in ada.poll(timeout_ms=500):
            work(record)
        ada.commit_sync()


VALUES

# %% [markdown]
# Guess for the first 15 seconds. How many prices does it finish? What is the committed offset in
# the end? How often is the program started?

# %%
predict("12 a bad record", finished=None, committed=None, starts=None)

# %%
crashed = stay(crash)
finished = sum(count > 0 for count in crashed.worked.times)
truth(
    "12 a bad record", finished=finished, committed=crashed.worked.committed, starts=crashed.starts
)
work_strip({"crash": crashed.worked}, title="twelve prices; the bar is the committed offset")

# %% [markdown]
# Five prices are finished, 0 to 4. Then `poll` raises, and the program dies. Each new life begins
# at the committed offset, 5, and meets the same bytes. It never gets past them. Kafka does not skip
# the record. It does not delete it before its time. A restart repairs nothing, because the cause is
# in the log.
#
# A record that no reader can read is called a **poison pill** (毒丸消息).
#
# ## 2. Who knows that a price is a number?
#
# Not the broker. It stores bytes. Two functions translate, one at each end:
#
# - A **serializer** (序列化器) in the producer makes bytes of a key or a value. The settings are
#   `key.serializer` and `value.serializer`.
# - A **deserializer** (反序列化器) in the consumer makes a key or a value of bytes:
#   `key.deserializer` and `value.deserializer`.
#
# Java names a class there. In the lab you may name a class of Kafka's, such as
# `org.apache.kafka.common.serialization.IntegerDeserializer`, or give a Python function. No one
# checks that both ends agree:

# %%
lab = market(())
shop = KafkaProducer(lab, {"value.serializer": lambda price: price.to_bytes(2, "big")})
shop.send(ProducerRecord("prices", 1234)).get()


def seen_with(name, deserializer):
    consumer = reader(lab, name, **{"group.id": name, "value.deserializer": deserializer})
    return [record.value for record in consumer.poll(timeout_ms=3_000)]


# %%
JAVA = "org.apache.kafka.common.serialization."
{
    "as sent": seen_with("one", lambda data: int.from_bytes(data, "big")),
    "other byte order": seen_with("two", lambda data: int.from_bytes(data, "little")),
    "StringDeserializer": seen_with("three", JAVA + "StringDeserializer"),
}

# %% [markdown]
# Three readers get three different values for the same two bytes, and none of them raises. A
# `StringDeserializer` never fails. What is no text becomes the sign � or a control character. So an
# error is the good case. The bad case is a wrong value that nobody notices.
#
# A deserializer raises for three usual reasons. A producer has a bug. A producer has a new format.
# Or a program has written into the wrong topic.
#
# ## 3. Three loops and a pill
#
# Here are two more loops. One catches the error and polls again. The other also moves on.


# %%
def catch(ada, work):
    while True:
        try:
            for record in ada.poll(timeout_ms=500):
                work(record)
            ada.commit_sync()
        except SerializationException:
            continue


# %%
def seek_past(ada, work):
    while True:
        try:
            for record in ada.poll(timeout_ms=500):
                work(record)
        except SerializationException as error:
            ada.seek(error.topic_partition, error.offset + 1)
        ada.commit_sync()


# %% [markdown]
# Guess for the same 15 seconds. How many prices does `catch` finish? How often does its `poll`
# raise? And how many prices does `seek_past` finish?

# %%
predict("12 three loops", catch_finishes=None, catch_raises=None, seek_past_finishes=None)

# %%
stays = {loop.__name__: stay(loop) for loop in (crash, catch, seek_past)}
done = {name: sum(map(bool, each.worked.times)) for name, each in stays.items()}
truth(
    "12 three loops",
    catch_finishes=done["catch"],
    catch_raises=stays["catch"].raised,
    seek_past_finishes=done["seek_past"],
)
work_strip(
    {name: each.worked for name, each in stays.items()},
    title="twelve prices, a pill at offset 5; the bar is the committed offset after 15 seconds",
)

# %%
{name: f"{each.starts} starts, poll raised {each.raised} times" for name, each in stays.items()}

# %% [markdown]
# `catch` finishes nothing more. The position stays at 5, so the next `poll` finds the same record.
# It raises at once and does not wait. The loop turns as fast as it can: about a thousand times a
# second in the lab, where such a poll takes a millisecond. In the recordings it took 1 to 4. The
# machine is busy, and the log file grows. The group looks healthy all the time. The member polls
# and sends heartbeats. Only the lag shows it.
#
# `seek_past` loses the pill and nothing else. `poll` returned the records 0 to 4 first. Only the *next*
# call raised. So nothing is lost when you catch.

# %% [markdown]
# ## 4. One pill, three members, three partitions
#
# Now the topic has three partitions and the group has three members. Each runs `crash`. No
# supervisor helps. The pill is in partition 0. The other two members have their own partitions and
# never asked for the pill. How many of the three are alive after 30 seconds?

# %%
predict("12 a group and a pill", alive=None)

# %%
import pandas
from kafkalab.stories.errors import chain

deaths = chain(crash)
truth("12 a group and a pill", alive=3 - len(deaths))
pandas.DataFrame(deaths, columns=["died after, s", "who"])

# %% [markdown]
# None. The first member dies. After its session timeout the coordinator gives its partitions to
# another one. So the pill moves to a member that was healthy, and kills it, too. With
# `session.timeout.ms` at 4 seconds, as here, it takes about eleven seconds for three members. By
# default a broker refuses less than 6 seconds (`group.min.session.timeout.ms`); here it allows 4.
#
# And `catch`? There all members live. But the member with the pill reads none of its *other*
# partitions. The pill stays first in line in its buffer, and each poll raises before it looks
# further. The recording in section 9 shows this with a real client.
#
# ## 5. What the error tells
#
# `seek_past` used two things that the error told: partition and offset. How much it tells depends
# on the client. KIP means [Kafka Improvement
# Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals).

# %%
from kafkalab.stories.errors import told

pandas.DataFrame({version: told(version) for version in ("2.3", "2.8", "3.6", "3.9", "4.4")}).T

# %% [markdown]
# Up to 2.8 a `SerializationException` has only its text. From 3.0 (KIP-334) it is a
# `RecordDeserializationException` with partition and offset. From 3.8 (KIP-1036) it also says what
# failed, key or value, and it brings the bytes. The text is there in all releases.
#
# A program for old clients reads the place from the text. `position()` alone does not help: you
# must name a partition, and the error of an old client has no field that tells which one.

# %% exercise="12.1"

# %% [markdown]
# ### Write the loop
#
# `seek_past` needs an error that tells partition and offset. Now write a loop that works with old
# clients as well, and that loses nothing when its process is killed.

# %% exercise="12.2"

# %% [markdown]
# A loop may keep its promises on five days and fail on the sixth. `survive` runs it through days
# with pills in other places, with and without a kill. In a good table the columns "never done" and
# "done twice" are 0, or at most 4 after a kill, and each partition is committed up to 16:

# %%
from kafkalab.stories.errors import survive

# survive(loop, seeds=20)      # take the # away when your loop is ready

# %% [markdown]
# ## 6. Where does the pill go?
#
# `seek_past` forgets the pill. Often somebody must look at it later. Then the program sends it to
# another topic, a **dead-letter topic** (死信主题), with its bytes, its partition and its offset.
# The order of the steps is the old one: work, then commit. Send the pill, wait until it is written,
# and only then move on. From 3.8 the error brings the bytes. Before, take a `ByteArrayDeserializer`
# and translate in your own loop.


# %%
def park(error, producer):
    """Send the bytes of the pill to prices-dead, and wait until they are written."""
    place = f"{error.topic_partition}@{error.offset}"
    producer.send(ProducerRecord("prices-dead", error.value_buffer, key=place)).get()


lab = market()
lab.create_topic("prices-dead")
sender = KafkaProducer(lab, {"value.serializer": JAVA + "ByteArraySerializer"}, name="parker")
ada = reader(lab, "ada")

# %%
for _ in range(6):
    try:
        ada.poll(timeout_ms=500)
    except SerializationException as error:
        park(error, sender)
        ada.seek(error.topic_partition, error.offset + 1)
    ada.commit_sync()

dead = reader(lab, "undertaker", **{"group.id": "dead", "value.deserializer": bytes})
dead.subscribe(["prices-dead"])
[(record.key, record.value) for record in dead.poll(timeout_ms=3_000)]

# %% [markdown]
# If the parking `send` fails, `get()` raises, nothing is committed, and the pill comes again. That is
# right. In production such a record has headers, too: its topic, partition and offset, and the error.
# Frameworks have the same pattern under their own names:
#
# | | skip or stop | park |
# |---|---|---|
# | Kafka Streams | `deserialization.exception.handler` (KIP-161) | in the handler |
# | Kafka Connect, sinks | `errors.tolerance=all` (KIP-298) | `errors.deadletterqueue.topic.name` |
# | Spring for Kafka | `ErrorHandlingDeserializer`, `DefaultErrorHandler` | `DeadLetterPublishingRecoverer` |
# | share groups, 4.4 | release, reject | the group's dead-letter topic (chapter 16) |
#
# A pause between two tries must fit into `max.poll.interval.ms`. For longer ones pause the partition,
# and keep polling (chapter 10).
#
# A **retry topic** (重试主题) is similar. It is for records that *can* be read, but the work on them
# fails for a while: a database is down. A second reader takes them from there later. That is good
# for the other records, which need not wait. But what does it do to order?
#
# The price of milk changes three times: 10, 12, 13. The work on the first change fails once and
# goes to a retry topic with a delay of five seconds. The work is to write the price into a table.
# Which price of milk is in the table in the end?

# %%
predict("12 the price of milk", in_the_end=None)

# %%
from kafkalab.stories.errors import retried

day = retried()
truth("12 the price of milk", in_the_end=int(day.table(at_ms=15_000)["milk"]))
day.done  # (ms, key, value) of each record that was worked on

# %% [markdown]
# The old price comes last and wins. Kafka keeps order within a partition, and a retry topic is
# another partition. Nothing is lost, each record is done once, and the table is wrong.
#
# There are three ways out:
#
# - **Stop.** Pause the partition and wait until the work succeeds. Order is kept. All keys of the
#   partition wait.
# - **Park the key.** Send the later records of a parked key after it. Other keys continue.
# - **Make order harmless.** Each record has a version, and the table refuses an older one.
#
# This picture moves: use the slider, the play button and the switch. In which ways is the last
# price of milk right? What does tea have to wait for?

# %%
from kafkalab.stories.moving_errors import prices_over_time

prices_over_time()

# %% [markdown]
# All three ways end with 13. "Stop" lets tea wait five seconds for milk. "Park the key" lets milk 12
# and 13 wait, and tea does not. With versions nobody waits, and milk 10 is refused when it comes.

# %% exercise="12.3"

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 7. Errors of a producer
#
# A producer meets three kinds of errors. The question is always: what may the program still call?
#
# - **retriable** (可重试的): the same request may succeed later. A producer repeats it by itself, until
#   `delivery.timeout.ms` is over. Your program sees nothing, or at the end a `TimeoutException`.
# - **abortable** (可中止的): the transaction cannot be committed. Abort it and begin a new one. Since
#   3.8 a broker can say so itself: `TransactionAbortableException` (KIP-890).
# - **fatal** (致命的): this producer can do nothing more. Close it.
#
# First a retriable one. `acks=all`, and `min.insync.replicas` is 3, as many as there are replicas.
# A follower crashes and is away for 10 seconds, and then for 60. A broker that crashed leaves the ISR
# when its session with the controller ends, after 9 seconds. The producer waits five seconds for each
# answer (`request.timeout.ms`), and `delivery.timeout.ms` is 30 seconds. What does the program see,
# and how often is the record sent?

# %%
predict("12 a floor", sends_in_10_seconds=None, sends_in_60_seconds=None)

# %%
from kafkalab.stories.errors import outlasts

away = {f"{seconds} s": outlasts(seconds) for seconds in (10, 60)}
truth("12 a floor", sends_in_10_seconds=away["10 s"][1], sends_in_60_seconds=away["60 s"][1])
away

# %% [markdown]
# Each send waits five seconds, as long as the leader still counts the follower as in sync. When the
# follower has left the ISR, the leader refuses at once, and the producer tries again
# after a pause. From client 3.7 on the pause grows to a second (KIP-580); before, it is 100 ms.
#
# So "an error" is often no error for the program. And "every error may be tried again" is wrong, as
# the next table shows. Three things happen to a producer with a transaction. After each of them the
# program tries one call:

# %%
from kafkalab.stories.errors import next_calls

outcome_grid(next_calls(), title="what may the program still call?")

# %% [markdown]
# Read the first row. The client is 3.9. `commit_transaction()` timed out. Nobody knows whether the
# transaction is committed. So the only call that is allowed is the same one again.
# `abort_transaction()` raises `IllegalStateException`. The second row is abortable, the third
# fatal.
#
# "Any KafkaException: abort" is what many examples do. It is wrong in two of these three rows.

# %% exercise="12.4"

# %% [markdown]
# ## 8. Slowed down, or not allowed
#
# A broker may give a client a *quota* (配额): so many bytes a second. Here a till may send 1,000. It sends
# 16 prices of 900 bytes, each after the answer to the one before. What does it get, an error?

# %%
lab = market(())
lab.limit_client("till", 1_000)
till = KafkaProducer(lab, {"client.id": "till", "linger.ms": 0})
begin_ms = lab.now_ms
for _ in range(16):
    till.send(ProducerRecord("prices", "9" * 900)).get()
waits_ms = [event.throttle_ms for event in lab.journal.of("request.throttled")]
f"{(lab.now_ms - begin_ms) // 1_000} seconds", waits_ms

# %% [markdown]
# No error, only time. The broker answers at once and names a `throttle_time_ms`. Then it reads
# nothing from this connection until the time is over, and the client sends nothing (KIP-219, 2.0).
# The first nine cost nothing, because the broker takes the mean of the last ten seconds. Each later
# record raises this mean by as much, so each wait is about a second longer. A real broker 4.4.0
# told a real producer the same times, 20 ms more or less. Java's client counts them in the metric
# `produce-throttle-time-avg`, and the lab's does not. Its line about this is TRACE up to 4.3, and WARN
# in 4.4.
#
# **Authorization** is not in the lab. A client without the right gets a
# `TopicAuthorizationException` or a `GroupAuthorizationException`. No repetition helps, until
# somebody grants the right. Then the same consumer may poll on: the error ends nothing.

# %% [markdown]
# ## 9. The real thing beside it
#
# A recording of a real Java consumer 3.9.2. It reads two partitions with an `IntegerDeserializer`,
# which wants four bytes. The pill has five and is at offset 2 of prices-0. The program polls four
# times more, and then seeks to 3. The right column is the simulator:

# %%
from kafkalab.stories.recorded import recorded

pair = recorded("4.4.0/3.9.2/consumer_poison_pill", seed=1)
beside = pair.beside("Seeking to offset", "Ignoring fetched", "Draining")
beside.apply(lambda column: column.str.slice(0, 75))

# %% [markdown]
# One question about the real log. The ERROR line tells which deserializer failed. What does it not
# tell?

# %%
real = pair.real[pair.real.client == "reader"]
failures = real[real.level == "ERROR"].message
len(failures), failures.iloc[0]

# %% [markdown]
# <details><summary>The answer</summary>It tells neither partition nor offset. They are in the text
# of the exception. So write the exception into your own log before you seek.</details>

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 10. Spark lab: who is stuck, and where?
#
# Three shops, A, B and C. Each has a reader that catches the error, waits a second and polls again.
# In each a pill comes after a while. All you have is the readers' logs.

# %%
from kafkalab.stories.errors import stuck_reader
from kafkalab.stories.log_files import write_log_files

shops = numbers("12.5")
logs = {name: stuck_reader(shop.pill, shop.found_s, 30) for name, shop in shops.items()}
reader_logs = write_log_files(logs, "chapter12/reader_logs")

# %% [markdown]
# An ERROR line says that a deserializer failed. "Returning 3 fetched records at offset …" says what
# a poll returned. `logsets` reads the numbers out of it, into the columns `position` and `count`.
# Spark starts now. That takes up to a minute.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
lines = logsets.read(spark, str(reader_logs))
lines = lines.withColumn("shop", F.regexp_extract("file", r"(\w)\.log$", 1))
errors = lines.where("level = 'ERROR'").groupBy("shop")
errors.agg(F.count("*").alias("errors"), F.min("time").alias("since")).orderBy("shop").toPandas()

# %% exercise="12.5"

# %% [markdown]
# ## 11. A pill, or something worse?
#
# A program that seeks past every error never stops. That is wrong when all records from some offset on
# have a new format.

# %% exercise="12.6"

# %% [markdown]
# ## 12. In your own words

# %% exercise="12.open"

# %% [markdown]
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | The error about a bad record has only a text (up to 2.8). | `RecordDeserializationException` with partition and offset (3.0, KIP-334). | section 5 |
# | The bytes are gone; read them again as bytes. | The error brings key and value as bytes (3.8, KIP-1036). | section 6 |
# | `ConcurrentTransactionsException` (the last transaction is not finished yet) is no `RetriableException` (2.8). | It is one, since 3.4.0. | the released jars |
# | A class is retriable, or nothing is said (4.0). | Two more answers since 4.1 (KIP-1050). `ApplicationRecoverableException`: begin again with a new client or generation. `ProducerFencedException`, `UnknownMemberIdException` and `FencedInstanceIdException` are such. `InvalidConfigurationException`: a person must change something. Authorization errors are such. | the released jars |
#
# The last two rows were read from the classes in the released jars 2.1.1 to 4.4.0.
#
# ## Break it yourself
#
# The topic has two partitions. In partition 0 the first record is the pill. Later a price comes
# into partition 1, and the reader never gets it. `pause` tells a consumer to leave a partition out.
# Change one line so that the reader gets 99 and leaves the pill where it is. Who must remember the
# paused partition then?

# %%
lab = market(("1,5", "16"), partitions=2)
ada, got = reader(lab, "ada"), []
for turn in range(30):
    if turn == 10:
        KafkaProducer(lab).send(ProducerRecord("prices", "99", partition=1)).get()
    try:
        got += [record.value for record in ada.poll(timeout_ms=200)]
    except SerializationException as error:
        pass  # try: ada.pause([error.topic_partition])
got, ada.position(PRICES)

# %% [markdown]
# <details><summary>The answer</summary>Take <code>ada.pause([error.topic_partition])</code> in place of
# <code>pass</code>. Then 99 is read, and the position of partition 0 stays at the pill. Your program
# must remember the paused partition. A restart or a rebalance forgets it, and the pill raises
# again.</details>

# %% [markdown]
# ### The same on real Kafka
#
# A program dies at a bad record and starts again, three times. The cell below is folded. It does
# this on the simulator and on real brokers of your machine, in about a minute. Real Kafka must be
# set up once: `python -m kafkalab real setup`. Without it the cell prints one sentence.

# %% fold=true
from kafkalab import ProducerRecord
from kafkalab.errors import SerializationException
from kafkalab.real import on_both


def bad_record(kafka):
    lab, done, errors = kafka.Lab(brokers=1, version="3.9"), set(), []
    lab.create_topic("prices")
    shop = kafka.KafkaProducer(lab, name="shop")
    for number in range(12):  # IntegerDeserializer takes four bytes
        price = "1,5" if number == 5 else f"{number:04}"
        shop.send(ProducerRecord("prices", price)).get()
    numbers = "org.apache.kafka.common.serialization.IntegerDeserializer"
    settings = {"group.id": "billing", "auto.offset.reset": "earliest", "max.poll.records": 4}
    for life in (1, 2, 3):
        manual = {**settings, "enable.auto.commit": False, "value.deserializer": numbers}
        ada = kafka.KafkaConsumer(lab, manual, name=f"ada-{life}")
        ada.subscribe(["prices"])
        try:
            while True:
                done |= {record.offset for record in ada.poll(timeout_ms=500)}
                ada.commit_sync()
        except SerializationException as error:
            errors.append(type(error).__name__)
        ada.close()
    committed = int(lab.describe_group("billing").current_offset[0])
    return {"finished": len(done), "committed": committed, "errors": errors}


on_both(bad_record)

# %% [markdown]
# **So what.** The number for production is the time for which a committed offset has not moved
# while the log grows. Alert on it for each partition (chapter 11), and on each record that reaches
# a dead-letter topic. Decide before the first pill comes: stop, skip or park. For a producer with
# transactions, write down which exception ends what.
#
# ## What you know now
#
# - A broker stores bytes. Serializer and deserializer must agree, and nobody checks it.
# - A record that cannot be read is never skipped by itself. A restart and a second poll meet it
#   again.
# - `seek` past it, finish or park it first, and commit the skip.
# - A retry topic changes the order of a key.
# - Retriable: the producer repeats. Abortable: abort. Fatal: close. A commit without an answer: the
#   same commit again.
#
# **Words**: serializer 序列化器 · deserializer 反序列化器 · poison pill 毒丸消息 · dead-letter topic
# 死信主题 · retry topic 重试主题 · retriable 可重试的 · abortable 可中止的 · fatal 致命的

# %%
from autograder import my_guesses

my_guesses("12")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 09: what does the committed offset name?</summary>The next record to
# read, not the last one that was done.</details>
# <details><summary>2. Chapter 10: a member does not poll for longer than
# <code>max.poll.interval.ms</code>. What does the classic client do?</summary>A dynamic member sends
# LEAVE_GROUP. A static one does not.</details>
# <details><summary>3. Chapter 06: what does a zombie with an old epoch get?</summary>It is fenced.
# Its writes are refused, and it must close.</details>
