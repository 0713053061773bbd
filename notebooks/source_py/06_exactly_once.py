# %% [markdown] items="N32"
# # 06 · Can a record be written exactly once?
#
# An answer is lost. The producer sends again, and the order is in the log twice. Kafka has two
# tools against that: the *idempotent* and the *transactional* producer. The second protects from
# more than the first. Neither protects from everything.
#
# **You need** chapters 04 and 05. **You get** seven words: *producer id*, *sequence number*,
# *producer epoch*, *transactional.id*, *marker*, *last stable offset*, *fencing*. **Time** 25 + 45 + 50
# minutes, in three sittings: sections 1 to 3, 4 to 6, 7 to 10.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaException, KafkaProducer
from kafkalab import OffsetAndMetadata, ProducerRecord, TopicPartition
from kafkalab.views import Outcome, outcome_grid, sequence_ladder, transaction_timeline
from kafkalab.stories.exactly_once import in_the_log, keys_read, lost_answer

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# A shop sends five orders, one after the other. The broker writes the third one. Then the
# connection breaks before the answer arrives. The shop's program does nothing special. How many
# records does the topic hold at the end? Guess for a producer with *idempotence* off, and for one
# with it on. Idempotent (幂等) means: to do a thing twice has the same result as to do it once.

# %%
predict("06 lost answer", off=None, on=None)

# %%
off = lost_answer(**{"enable.idempotence": False})
on = lost_answer(**{"enable.idempotence": True})
truth("06 lost answer", off=in_the_log(off), on=in_the_log(on))
sequence_ladder(off, "orders-0", keys=True, title="idempotence off: what reached the leader")

# %% [markdown] items="G7"
# Each row is a batch that reached the leader. Each box is what was written. `order 2` came twice
# and was written twice. The producer did the right thing: without an answer it cannot know whether
# the order was written. This is **at least once** (至少一次): an answer is lost, the client retries,
# the record is written twice.
#
# Before Kafka had a cure, people had two of their own:
#
# - *One writer for each partition.* After an error it reads the last message and decides whether to
#   send again. This is history.
# - *A unique key in each message.* Send as often as you like. The consumer drops what it has seen.
#   You need this one again at the end of the chapter.

# %%
sequence_ladder(on, "orders-0", title="idempotence on: the same story")

# %% [markdown] items="N35 N34"
# Now the boxes hold numbers. The dashed box is the batch that came again. It was not written.
# (Section 2 explains *epoch*, on the left.)
#
# An idempotent producer asks a broker for a **producer id** (生产者 ID) when it starts. Then it counts
# its records for each partition: the **sequence number** (序列号). Both travel in the batch. The
# leader remembers the last five batches of each producer id. If a batch is among them, the leader
# does not write it again. It answers with success and the offset of the first time. So the
# repeat is not hidden from the producer: it hears where its record is.
#
# This costs the broker some memory. `enable.idempotence` is on by default today (see *Then and
# now*).
#
# ## 2. You are the leader
#
# `batch` is what comes. `batch.producer_id` and `batch.epoch` say who sent it. `batch.first` and
# `batch.last` are the sequence numbers of its first and last record.
#
# `known` is what the leader remembers of this producer id. Three examples:
#
# | `known` | `known.epoch` | `known.batches` | meaning |
# |---|---|---|---|
# | `None` | | | The leader has never met this producer id. |
# | an object | 2 | `((10, 12), (13, 13))` | The newest epoch is 2. The last record had number 13. |
# | an object | 4 | `()` | Epoch 4 is new. No record has come with it yet. |
#
# `known.batches` holds at most five pairs `(first, last)`, the oldest first.
#
# The **producer epoch** (生产者纪元) counts the owners of a producer id. A producer with a lower epoch
# than the known one has been replaced. It is a *zombie* (僵尸): a process that should be dead and
# still writes.
#
# There are four verdicts:
#
# | verdict | when | what the producer hears |
# |---|---|---|
# | `"append"` | it is the next batch | success |
# | `"duplicate"` | exactly this batch is remembered | success, with the old offset |
# | `"out of order"` | anything else with this epoch: a gap, something too old, part of a remembered batch | OUT_OF_ORDER_SEQUENCE_NUMBER |
# | `"fenced"` | its epoch is lower than the known one | INVALID_PRODUCER_EPOCH |
#
# - Look at the epoch first.
# - With a higher epoch the numbers begin at 0. The same holds for a known epoch without batches.
#   Any other number is out of order.
# - A producer that the leader has never met may begin anywhere (brokers from 2.5 on).

# %% exercise="06.1"

# %% [markdown]
# What if a leader judges badly? This one writes everything. The shop sends one order, and its
# answer is lost. How many records are there then? Put `verdict` in place of the `lambda` and run
# the cell again.

# %%
lab = Lab(brokers=1, seed=6)
lab.create_topic("orders")
lab.broker(0).judge_batches(lambda known, batch: "append")  # or: verdict
shop = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 0})
shop.partitions_for("orders")
lab.link(0, "shop").cut_before_reply("PRODUCE")
shop.send(ProducerRecord("orders", key="order 0", value="tea")).get()
in_the_log(lab)

# %% [markdown] items="N33 G5"
# ## 3. What does each producer protect from?
#
# A sequence number belongs to one producer id and one partition. The id belongs to one run of the
# program. Here are four stories:
#
# - **an answer is lost**, as in section 1.
# - **the program sends again**: the network is away until `delivery.timeout.ms` is over. `send`
#   fails, and the program calls `send` again.
# - **the program starts again**: the process dies before the answer comes. The new process does not
#   know, and sends the order again.
# - **the program is told twice**: a customer clicks twice, and the program sends two records with
#   one order.
#
# And three producers. The *plain* one has no idempotence. The *idempotent* one has it. The
# *transactional* one puts each order into a transaction (section 4). After an error it aborts and
# begins again (from client 2.5 on; section 4 tells more). The reader reads what is committed.
#
# For each producer: in how many of the four stories does the reader get an order twice? Three
# numbers from 0 to 4.

# %%
predict("06 four stories", plain=None, idempotent=None, transactional=None)

# %% [markdown]
# This is how the till sells one order. The stories are in `kafkalab/stories/exactly_once.py`, three
# lines each.
#
#     if self.in_transactions:
#         self.producer.begin_transaction()
#     self.producer.send(ProducerRecord("orders", key=order, value="tea")).get()
#     if self.in_transactions:
#         self.producer.commit_transaction()

# %%
from kafkalab.stories.exactly_once import KINDS, STORIES, tell

labs = {(story, kind): tell(story, kind) for story in STORIES for kind in KINDS}
grid = {}
for place, lab in labs.items():
    keys = keys_read(lab)
    grid[place] = Outcome(len(set(keys)), 0, 0, repeated=len(keys) - len(set(keys)))

repeated = {kind: sum(grid[story, kind].repeated > 0 for story in STORIES) for kind in KINDS}
truth("06 four stories", **repeated)
outcome_grid(grid, title="five orders: does the reader get one twice?")

# %% [markdown]
# **Idempotence removes the repeats of the producer, not those of the program.** It protects a batch
# that the producer itself sends again: one partition, one run. If `send` has failed and you call it
# again, that is a new record with a new number. After a restart there is a new id:

# %%
sequence_ladder(
    labs["the program starts again", "idempotent"],
    "orders-0",
    keys=True,
    title="a new process has a new producer id",
)

# %% [markdown] items="N36 N37"
# The transactional producer has a name that you choose, **`transactional.id`** (事务 ID). The name
# stays the same after a restart. Setting it switches idempotence on. The new process comes with the
# name of the old one, and Kafka ends what the old one had left open.
#
# The last row repeats for all three. The log did what it was told. Two records with one order in
# them are two records for Kafka. Only you know that they mean the same.
#
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 4. All or nothing
#
# A **transaction** (事务) joins records of several partitions, even of several topics: all of them
# count, or none. Think of a bank transfer: one record takes, another gives. Here are three
# transfers, each with one record in the topic `take` and one in `give`. The second is aborted, the
# others are committed. Then two readers come, one of each `isolation.level`.
#
# - How many records does each reader get from `take`?
# - Which offset of `take` has the third transfer's record?

# %%
predict("06 transfer", read_committed=None, read_uncommitted=None, offset_of_third=None)

# %%
lab = Lab(brokers=1, seed=7)
for topic in ("take", "give"):
    lab.create_topic(topic)
bank = KafkaProducer(lab, {"transactional.id": "bank", "linger.ms": 0}, name="bank")
bank.init_transactions()
for number, ends in enumerate(("commit", "abort", "commit"), 1):
    bank.begin_transaction()
    key = f"transfer {number}"
    taken = bank.send(ProducerRecord("take", key=key, value="-5")).get()
    bank.send(ProducerRecord("give", key=key, value="+5")).get()
    bank.commit_transaction() if ends == "commit" else bank.abort_transaction()

# %%
levels = {level: keys_read(lab, level, "take") for level in ("read_committed", "read_uncommitted")}
got = {level: len(keys) for level, keys in levels.items()}
truth("06 transfer", offset_of_third=taken.offset, **got)
levels

# %%
sequence_ladder(lab, "take-0", keys=True, title="three transactions, and what ends them")

# %% [markdown] items="N39 N40"
# An aborted record stays in the log like any other. What ends a transaction is a **marker**
# (事务标记), COMMIT or ABORT. There is one in each partition that the transaction wrote to. A marker
# takes an offset, and the consumer gives it to no application. So offsets of a topic can have
# holes.
#
# The reader's `isolation.level` decides what it sees. `read_uncommitted`, the default, gets
# everything, also what was aborted. `read_committed` gets what was committed, and what was written
# without a transaction. But it gets it only up to a certain point.
#
# The **high watermark** (高水位) is the offset behind the last record that all in-sync replicas have
# (chapter 05). No reader gets further. With one replica it is the end of the log.
#
# The dashed line is that point, the **last stable offset** (最后稳定位移). It is where the earliest
# open transaction begins. Follow the line down the rows. It does not move while a transaction is
# open. When the transaction ends, it jumps behind the marker. With no open transaction it is at the
# high watermark.
#
# A `read_committed` reader gets nothing behind this point. This holds also for records that have
# nothing to do with the transaction. One open transaction stops them all:

# %%
from kafkalab.stories.exactly_once import hanging_transaction

lab = hanging_transaction()
partition = lab.at(lab.now_ms)["partitions"]["take-0"]
{
    "high watermark": partition["high_watermark"],
    "last stable": partition["last_stable_offset"],
    "read_uncommitted": keys_read(lab, "read_uncommitted", "take"),
    "read_committed": keys_read(lab, "read_committed", "take"),
}

# %%
sequence_ladder(lab, "take-0", keys=True, stable_line=True, title="one transaction stays open")

# %% [markdown]
# `plain 1` and `plain 2` were never in a transaction. They are behind `slow` and must wait for it.
# After `transaction.timeout.ms`, by default a minute, the **transaction coordinator** (事务协调者)
# aborts it. This is the broker that stores the state of a `transactional.id`: its producer id, its
# epoch, and whether a transaction is open.

# %% exercise="06.2"

# %% [markdown] items="N38"
# ### The five calls, and what to do after an error
#
# | call | what happens |
# |---|---|
# | `init_transactions()` | once for each process: get the id's epoch, end what an earlier process left open |
# | `begin_transaction()` | it sends nothing; the records from here on belong together |
# | `send(...)`, `send(...)` | as always |
# | `commit_transaction()` | all records are written, then the coordinator decides, then come the markers |
# | `abort_transaction()` | the other decision |
#
# Errors of a transactional producer are of three kinds (the Java classes for clients 2.3 to 4.4):
#
# | kind | examples | what the program does |
# |---|---|---|
# | the result is not known | TimeoutException of `commit_transaction()` or `abort_transaction()` | It calls the *same* method again. |
# | abortable | a record could not be delivered; the commit failed because of it | It calls `abort_transaction()`, goes back to the committed offset (section 7), begins again. |
# | fatal | ProducerFencedException, UnsupportedVersionException; up to 2.4 also a batch that stays without an answer; from 4.0 on also InvalidPidMappingException. Kafka's documentation adds OutOfOrderSequenceException and AuthorizationException. | It closes the producer. A new one may call `init_transactions()`. |
#
# Let us see the first kind. The broker pauses for five seconds while the program commits. It
# waits two seconds at most, `max.block.ms`. What do the next two calls say?

# %%
lab = Lab(brokers=1, seed=7, version="3.9")
lab.create_topic("take")
settings = {"transactional.id": "bank", "linger.ms": 0, "max.block.ms": 2_000}
bank = KafkaProducer(lab, settings, name="bank")
bank.init_transactions()
bank.begin_transaction()
bank.send(ProducerRecord("take", key="transfer", value="-5")).get()
lab.broker(0).pause(5_000)
for call in (bank.commit_transaction, bank.abort_transaction):
    try:
        call()
    except Exception as error:
        print(type(error).__name__, error)

# %%
lab.run_for(ms=6_000)
bank.commit_transaction()
keys_read(lab, topic="take")

# %% [markdown]
# After a commit without an answer the transaction may be committed already. So the client refuses
# the abort with an IllegalStateException. The retried commit succeeds.
#
# ## 5. Two producers with one transactional.id
#
# A process pauses for six seconds in the middle of a transaction. A long garbage collection
# does this. The operations team thinks that it is dead and starts another with the same
# `transactional.id`. Then the first wakes up and continues: a zombie. Does the old one commit its
# transaction? Does the new one?

# %%
predict("06 zombie", old_commits=None, new_commits=None)  # True or False

# %%
from kafkalab.stories.exactly_once import two_records_in_a_transaction

lab, told = Lab(brokers=3, seed=4, version="4.4"), {}
lab.create_topic("orders", replication_factor=3, leaders=[0])
program = two_records_in_a_transaction  # (told, name, milliseconds between the two records)
old = lab.spawn(program, told, "old", 1_500, name="old")
lab.clock.at(1_000, lambda: old.pause(6_000))
lab.clock.at(3_000, lambda: lab.spawn(program, told, "new", 400, name="new"))
lab.run_for(ms=10_000)
lab.close()
truth("06 zombie", old_commits=told["old"] == "committed", new_commits=told["new"] == "committed")
transaction_timeline(lab, "till", paused={"old": (1_000, 7_000)}, title="a zombie is fenced")

# %%
told, keys_read(lab)

# %% [markdown]
# The picture has a row for the coordinator and one for each producer. The colours are the states;
# their names are at the top. The hatched part is the pause: the old process does nothing from 1 s
# to 7 s. At 3 s the new one starts, and the coordinator ends the old transaction with an ABORT
# marker. At 7 s the old one wakes up, and its row turns dark orange.
#
# `init_transactions` of the new one raised the id's **epoch** and had the open transaction aborted.
# The old one came back with the old epoch, and its next batch was refused with
# InvalidProducerEpochException. This is **fencing** (隔离). What it had written before is in the log, in front of an ABORT marker. A `read_committed`
# reader does not see it.

# %%
sequence_ladder(lab, "orders-0", keys=True, title="the same in the log")

# %% [markdown]
# The last row is the zombie's second record, `old 2`. It came with epoch 0, and the leader refused
# it.
#
# How does the epoch grow? It depends on the versions of client and broker. Each of these programs
# commits three transactions in each start but the last. It is started once, twice or three times,
# and it ends by `close()`:

# %%
from kafkalab.stories.exactly_once import epoch_after

{
    client: [epoch_after(client, transactions=3, starts=n, ends_by="close") for n in (1, 2, 3)]
    for client in ("3.9", "4.4")
}

# %% [markdown]
# With client 3.9 the epoch grows by one with each start, beginning with 0. With client 4.4 it grows
# by four: one start and three transactions. Client *and* broker must be of 4.0 or later, with
# `transaction.version=2` (KIP-890; KIP: [Kafka Improvement
# Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals)). Then
# each transaction has an epoch of its own. A batch that was late in the network cannot get into the
# next transaction of the same producer.
#
# A process that dies in an open transaction adds one more. The next start must first fence the old
# one and abort. (Brokers 4.0.0 counted one more than that, KAFKA-19367.)

# %% exercise="06.3"

# %% exercise="06.4"

# %% [markdown]
# ## 6. The real thing beside it
#
# A recording of two real Java producers 4.4.0 with one `transactional.id`: the zombie, and the *heir*
# that takes over. Each producer's TransactionManager writes through which states it goes. The real
# zombie goes through two error states. Which comes first, `"abortable"` or `"fatal"`?

# %%
predict("06 zombie's errors", first=None)

# %%
from kafkalab.stories.recorded import recorded

pair = recorded("4.4.0/4.4.0/transaction_zombie_fenced", seed=4)
of_zombie = pair.real[pair.real.client == "zombie"].message
errors = of_zombie[of_zombie.str.contains("Transiting to")].tolist()
truth("06 zombie's errors", first="fatal" if "fatal" in errors[0] else "abortable")
pair.beside("Transition from", "Transiting to")

# %% [markdown]
# The leader refuses with InvalidProducerEpochException. That alone only makes the zombie
# *abortable*: an epoch also grows when a transaction took too long, and then a producer may
# continue. So it tries to abort and asks the coordinator. The answer is *fenced*, and that is
# fatal. Clients up to 2.6 gave up at the first refusal; from 2.7 on they ask (KIP-588).

# %% [markdown] items="G9 G6"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 7. Read, work, write
#
# Most programs that write also read: an order comes in, a parcel goes out. Exactly once is then a
# question about two things: *the parcel* and *the committed offset* (how far the program has read).
# A program that writes them one after the other can die in between:
#
# - Offset first, then the parcel: the order is lost. This is at most once (最多一次).
# - Parcel first, then the offset: the order is packed twice. This is at least once.
#
# There are two ways out. Both write output and offset in one transaction.
#
# - The result is in **your own database**: keep the offset there too, in the same database
#   transaction. `seek` to it after a start. Kafka's own commit is not used.
# - The result is in **Kafka**: let the transaction take the offset along. A committed offset is a
#   record in a topic, `__consumer_offsets`. The call is `send_offsets_to_transaction(offsets,
#   group)`. `offsets` is a dict from `TopicPartition` to `OffsetAndMetadata(offset)`, the offset of
#   the *next* record to read. `group` is `consumer.group_metadata()`.
#
# Where handling an order twice does no harm, at least once is enough.

# %% exercise="06.5"

# %% [markdown]
# `group_metadata()` carries the member's id and generation (chapter 07). So a worker that has lost
# its partitions cannot commit an offset for them, even if its producer still works.
#
# One case needs more than `send_offsets_to_transaction`. A process that dies begins again at the
# committed offset. But what if it lives, catches an error and calls `abort_transaction()`? Here a
# program polls two orders, begins, sends two parcels, aborts, and polls again. Which order is the
# first of the second poll? Guess a number for a program that only aborts, and for one that also
# goes back.

# %%
predict("06 after an abort", only_aborts=None, goes_back=None)

# %%
from kafkalab.stories.exactly_once import packing_lab


def second_poll(goes_back):
    """The orders of the second poll. The transaction after the first one was aborted."""
    _, consumer, packer = packing_lab()
    partition = TopicPartition("orders", 0)
    polled = consumer.poll(timeout_ms=2_000)
    packer.begin_transaction()
    for record in polled:
        packer.send(ProducerRecord("parcels", key=record.key, value="a parcel"))
    packer.abort_transaction()
    if goes_back:
        committed = consumer.committed([partition])[partition]  # None: nothing committed yet
        begin = consumer.beginning_offsets([partition])[partition]
        consumer.seek(partition, committed.offset if committed else begin)
    return [record.key for record in consumer.poll(timeout_ms=2_000)]


# %%
only_aborts, goes_back = second_poll(goes_back=False), second_poll(goes_back=True)
truth(
    "06 after an abort",
    only_aborts=int(only_aborts[0].split()[1]),
    goes_back=int(goes_back[0].split()[1]),
)
{"only aborts": only_aborts, "goes back": goes_back}

# %% [markdown]
# `abort_transaction()` undoes the parcels. It does not undo the `poll`: the consumer has its own
# position in memory, and that has moved. So orders 0 and 1 are skipped. If the next transaction
# commits, the group's offset is behind them, and they are never packed. A program that continues
# after an abort must also seek to what the group has committed.
#
# ## 8. Spark lab: who wrote it twice?
#
# Three shops write to one partition. shop-a has no idempotence, shop-b has it. shop-c has it too
# and starts again in the middle of the day. After that it sends its last orders again, to be sure.
# The network loses answers of shop-a and shop-b. You have three such days, A, B and C.
# `kafka-dump-log` is Kafka's tool that prints what is in a log, here a line for each record. (Spark
# starts first. That takes up to a minute.)

# %%
from kafkalab.course_folder import course_folder
from kafkalab.stories.exactly_once import ledger  # a day's log, as lines

n6 = numbers("06.6")
folder = course_folder() / "data/generated/chapter06"
folder.mkdir(parents=True, exist_ok=True)
for letter, day in n6.items():
    (folder / f"day-{letter}.log").write_text("\n".join(ledger(day.day)) + "\n")
print(*(folder / "day-A.log").read_text().splitlines()[:4], sep="\n")

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
lines = spark.read.text(str(folder / "day-*.log"))
part = lambda pattern: F.regexp_extract("value", pattern, 1)
records = lines.select(
    F.regexp_extract(F.input_file_name(), r"day-(\w)", 1).alias("day"),
    part(r"offset: (\d+)").cast("int").alias("offset"),
    part(r"producerId: (-?\d+)").cast("int").alias("producer_id"),
    part(r"sequence: (-?\d+)").cast("int").alias("sequence"),
    part(r"key: (.*) payload").alias("key"),
)
records.orderBy("day", "offset").limit(5).toPandas()

# %% exercise="06.6"

# %% [markdown]
# shop-b lost answers as well. The reader gets none of its orders twice.
#
# ## 9. In your own words

# %% exercise="06.open"

# %% [markdown]
# ## 10. Break it yourself
#
# The answer to the third order is lost again. Idempotence is on by default in client 3.9. Change
# one setting, `acks`, and say nothing about idempotence. How many records are in the log? Which line
# of the producer tells why?

# %%
lab = lost_answer(acks="1")
print(in_the_log(lab))
for line in lab.lines("shop").itertuples():
    if "Idempotence will be" in line.message:
        print(line.level, line.message)

# %% [markdown]
# **So what.** For production:
#
# - Look at the producer's start lines: `enable.idempotence = true`, and no line "Idempotence will be
#   disabled".
# - Alert on a last stable offset that stays behind the high watermark for longer than
#   `transaction.timeout.ms`: one open transaction stops all `read_committed` readers.
#   `kafka-transactions find-hanging` finds it.
# - Count ProducerFencedException and InvalidProducerEpochException. If there is more than one for
#   each planned restart, look for two processes that share a `transactional.id`.
#
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | Idempotence is off; set `enable.idempotence=true`. | On by default in 3.0.1+, 3.1.1+ and from 3.2 on (KIP-679; a bug kept it off before, KAFKA-13598). `acks=1` switches it off with one INFO line. | `in_the_log(lost_answer("2.8"))` and `in_the_log(lost_answer(acks="1"))` |
# | One writer for each partition reads its last message after an error. | Advice from before 0.11. Idempotence replaces it. | section 1 |
# | A producer that the leader does not know must begin at 0, else UNKNOWN_PRODUCER_ID. | From 2.5 on it may begin anywhere (KIP-360). | section 2 |
# | `sendOffsetsToTransaction(offsets, "group")`, and a producer for each input partition. | `consumer.groupMetadata()` since 2.5: one producer for each thread (KIP-447). Java 4.0 removed the form with a text (KAFKA-12690). | section 7 |
# | After any error: `abortTransaction()`. | Not after a TimeoutException of the commit (call it again), and not after a fatal error (close). | section 4 |
# | A refused epoch is fatal. | From 2.7 on the producer first asks the coordinator (KIP-588). | section 6 |
# | The epoch counts the starts. | With client and broker from 4.0 and `transaction.version=2` it counts starts and transactions (KIP-890). | `epoch_after` |
# | `initTransaction()`, `transctional.id` | Spelling mistakes that many texts copy: `initTransactions()`, `transactional.id`. | |
#
# ## What you know now
#
# - Idempotence removes what the producer repeats. It does not know what the program repeats.
# - A transaction joins records of many partitions, and the offsets of a group. Readers must ask for
#   it: `read_committed`.
# - A `transactional.id` has one living producer. The epoch fences the others.
# - After an abort the consumer goes back to what is committed. After a commit without an answer the
#   program commits again.
# - Kafka's exactly once covers what is in Kafka.
#
# **Words**: producer id 生产者 ID · sequence number 序列号 · producer epoch 生产者纪元 ·
# transactional.id 事务 ID · marker 事务标记 (控制消息) · last stable offset 最后稳定位移 (LSO) ·
# fencing 隔离 (屏蔽僵尸实例)

# %%
from autograder import my_guesses

my_guesses("06")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 05: what does <code>acks=all</code> wait for?</summary>For all
# replicas that are in sync, and at least <code>min.insync.replicas</code> of them. Idempotence
# needs it.</details>
# <details><summary>2. Chapter 04: when is a batch closed?</summary>When it is full, at the latest
# after <code>linger.ms</code>, or when another batch for the same broker leaves. A batch that is
# sent again keeps its records: its numbers must stay the same.</details>
# <details><summary>3. Chapter 01: a group has committed offset 7. Which record does it get
# next?</summary>The one at offset 7. What is committed is the next offset. So section 7 wants the
# offset of the next record, too.</details>
#
# Next: **07 · Who assigns the partitions?**
