# %% [markdown] items="N32"
# # 06 · Can a record be written exactly once?
#
# An answer is lost. The producer sends again, and now the order stands in the log twice. Kafka has
# two tools against that: the *idempotent* and the *transactional* producer. One reaches further
# than the other, and neither reaches as far as most people think.
#
# **You need** chapters 04 and 05. **You get** seven words: *producer id*, *sequence number*,
# *producer epoch*, *transactional.id*, *marker*, *last stable offset*, *fencing*. **Time** two
# sittings of about 35 minutes. The second begins with section 5.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import (
    Lab,
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.views import (
    Outcome,
    outcome_grid,
    sequence_ladder,
    side_by_side,
    transaction_timeline,
)

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# A shop sends five orders, one after the other. The broker writes the third, and the connection
# breaks before the answer arrives. The shop does nothing special. How many records does the topic
# hold in the end? Guess twice: with *idempotence* off, and with it on. The word means that doing a
# thing twice is like doing it once.

# %%
predict("06 lost answer", off=None, on=None)


# %%
def lost_answer(version="3.9", seed=6, **config):
    """Five orders; the answer to the third is lost on its way."""
    lab = Lab(brokers=1, seed=seed, version=version)
    lab.create_topic("orders")
    shop = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 0, **config})
    shop.partitions_for("orders")
    for number in range(5):
        if number == 2:
            lab.link(0, "shop").cut_before_reply("PRODUCE")
        shop.send(ProducerRecord("orders", key=f"order {number}", value="tea")).get()
    return lab


def in_the_log(lab, partition="orders-0"):
    return lab.at(lab.now_ms)["partitions"][partition]["log_end_offset"]


off = lost_answer(**{"enable.idempotence": False})
on = lost_answer(**{"enable.idempotence": True})
truth("06 lost answer", off=in_the_log(off), on=in_the_log(on))
sequence_ladder(off, "orders-0", keys=True, title="idempotence off: what reached the leader")

# %% [markdown] items="G7"
# Each row is a batch that reached the leader, each box is what was written. `order 2` came twice
# and was written twice. The producer did right: without an answer it cannot know. This is **at
# least once**: the network stumbles, the client sends again, the log repeats.
#
# Before Kafka had a cure, people had two of their own. *One writer for each partition*, who after
# an error reads the last message and then decides whether to send again. Or *a unique key in each
# message*: send as often as you like, and the consumer drops what it has seen. The first is
# history. The second you will need again at the end of this chapter.

# %%
sequence_ladder(on, "orders-0", title="idempotence on: the same story")

# %% [markdown] items="N35 N34"
# Now the boxes hold numbers, and the dashed box is the batch that came again and was not written.
# (*Epoch*, on the left, is a word of section 2.) When it starts, an idempotent producer asks a
# broker for a **producer id**. Then it counts what it sends to each partition: the **sequence
# number**. Both travel in the batch. The leader remembers, for each producer id, the last five
# batches. A batch that it finds among them is not written again; it is answered as if it had been,
# with the offset of the first time. So the producer hears of success, and nothing is "silently
# dropped" behind its back.
#
# Memory for the broker, certainty for you: space for time. `enable.idempotence` is on by default
# today (see the box at the end).
#
# ## 2. You are the leader
#
# `batch` is what comes. `batch.producer_id` and `batch.epoch` say from whom; `batch.first` and
# `batch.last` are the sequence numbers of its first and last record.
#
# `known` is what the leader remembers of this producer id. `known.epoch` is the newest epoch that
# it has seen. `known.batches` are the batches of that epoch, at most five pairs `(first, last)`,
# the oldest first. It may be empty: the epoch is new, and nothing was written with it yet. `known`
# itself is `None` when the leader has never met this producer id.
#
# The **producer epoch** counts the lives of an id. A producer with an older epoch has been replaced
# by another; it is a *zombie*, a process that should be dead and still writes.
#
# Four verdicts are possible:
#
# | verdict | when | what the producer hears |
# |---|---|---|
# | `"append"` | it is the next one | success |
# | `"duplicate"` | exactly this batch is remembered | success, with the old offset |
# | `"out of order"` | anything else with this epoch: a gap, something too old, half of one | OUT_OF_ORDER_SEQUENCE_NUMBER |
# | `"fenced"` | its epoch is lower than the known one | INVALID_PRODUCER_EPOCH |
#
# With a higher epoch, and with a known one that has no batches yet, the numbers begin at 0; any
# other number is out of order. A producer that the leader has never met may begin anywhere.

# %% exercise="06.1"

# %% [markdown]
# What if a leader judges badly? This one writes everything. The shop sends one order, and its
# answer is lost. How many records are there then? Put `verdict` in place of the `lambda`, and run
# it again.

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
# ## 3. How far does it reach?
#
# A sequence number belongs to one producer id and one partition. The id belongs to one run of the
# program. So what do they protect from? Four stories, three producers:
#
# - **an answer is lost**, as in section 1.
# - **the program sends again**: the network is away until `delivery.timeout.ms`, `send` fails, and
#   the program calls `send` once more.
# - **the program starts again**: it dies before the answer comes. The new process does not know,
#   and sends the order again.
# - **the program is told twice**: a customer clicks twice, and the program sends two records with
#   one order.
#
# The *plain* producer has no idempotence. The *idempotent* one has it. The *transactional* one puts
# each order into a transaction (section 4 shows what that is); when something fails it aborts and
# begins again. The reader reads what is committed. In how many of the four stories does an order
# stand twice for the reader? Three numbers from 0 to 4.

# %%
predict("06 four stories", plain=None, idempotent=None, transactional=None)

# %%
KINDS = {
    "plain": {"enable.idempotence": False},
    "idempotent": {},
    "transactional": {"transactional.id": "till"},
}


class Till:
    """A program that sells orders with one kind of producer."""

    def __init__(self, lab, kind, name="till"):
        self.lab, self.in_transactions = lab, kind == "transactional"
        self.producer = KafkaProducer(
            lab,
            {
                "client.id": name,
                "linger.ms": 0,
                "request.timeout.ms": 1_000,
                "delivery.timeout.ms": 3_000,
                **KINDS[kind],
            },
            name=name,
        )
        if self.in_transactions:
            self.producer.init_transactions()
        self.producer.partitions_for("orders")

    def sell(self, order):
        if self.in_transactions:
            self.producer.begin_transaction()
        self.producer.send(ProducerRecord("orders", key=order, value="tea")).get()
        if self.in_transactions:
            self.producer.commit_transaction()


def tell(story, kind):
    """A lab in which five orders were sold; something happens to the third."""
    lab = Lab(brokers=1, seed=6)
    lab.create_topic("orders")
    till, link = Till(lab, kind), lab.link(0, "till")
    for number in range(5):
        order = f"order {number}"
        if number == 2 and story != "the program is told twice":
            link.cut_before_reply("PRODUCE")
        if number == 2 and story == "the program starts again":
            if till.in_transactions:
                till.producer.begin_transaction()
            till.producer.send(ProducerRecord("orders", key=order, value="tea"))
            lab.run_for(ms=15)
            lab.kill("till")
            till = Till(lab, kind, "till again")
        if number == 2 and story == "the program sends again":
            lab.clock.at(lab.now_ms + 12, link.cut)
            lab.clock.at(lab.now_ms + 6_000, link.heal)
        try:
            till.sell(order)
        except KafkaException:
            lab.run_for(ms=6_000)
            if till.in_transactions:
                till.producer.abort_transaction()
            till.sell(order)
        if number == 2 and story == "the program is told twice":
            till.sell(order)
    return lab


def read(lab, isolation="read_committed", topic="orders"):
    """The keys that a reader of this level gets from a topic's first partition."""
    reader = KafkaConsumer(lab, {"isolation.level": isolation, "auto.offset.reset": "earliest"})
    reader.assign([TopicPartition(topic, 0)])
    return [record.key for _ in range(4) for record in reader.poll(timeout_ms=500)]


# %%
stories = [
    "an answer is lost",
    "the program sends again",
    "the program starts again",
    "the program is told twice",
]
labs = {(story, kind): tell(story, kind) for story in stories for kind in KINDS}
grid = {}
for place, lab in labs.items():
    keys = read(lab)
    grid[place] = Outcome(len(set(keys)), 0, 0, repeated=len(keys) - len(set(keys)))

repeated = {kind: sum(grid[story, kind].repeated > 0 for story in stories) for kind in KINDS}
truth("06 four stories", **repeated)
outcome_grid(grid, title="five orders: does one stand twice?")

# %% [markdown]
# **Idempotence removes the repeats of the producer, not those of the program.** It protects a batch
# that the producer itself sends again: one partition, one run. When `send` has failed and you call
# it again, that is a new record with a new number. After a restart it is a new id:

# %%
sequence_ladder(
    labs["the program starts again", "idempotent"],
    "orders-0",
    keys=True,
    title="a new process has a new producer id",
)

# %% [markdown] items="N36 N37"
# The transactional producer has one more thing, a name that you choose and that outlives the
# process: `transactional.id`. Setting it switches idempotence on by itself. The new process comes
# with the name of the old, and Kafka ends what the old one had left open.
#
# And the last row? The log did what it was told. Two records with one order in them are, for Kafka,
# two records. Only you know that they mean one.
#
# ## 4. All or nothing
#
# A **transaction** binds records of several partitions, even of several topics: all of them count,
# or none. A bank transfer is the usual picture: one record takes, another gives. Here are three
# transfers, each with one record in the topic `take` and one in `give`. The second is aborted, the
# others are committed. Two readers come afterwards, one of each `isolation.level`. How many records
# does each get from `take`? And at which offset of `take` does the third transfer's record stand?

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

levels = {level: read(lab, level, "take") for level in ("read_committed", "read_uncommitted")}
truth(
    "06 transfer",
    offset_of_third=taken.offset,
    **{level: len(keys) for level, keys in levels.items()},
)
levels

# %%
sequence_ladder(lab, "take-0", title="three transactions, and what ends them")

# %% [markdown] items="N39 N40"
# An aborted record is in the log. Nobody takes it out again. What ends a transaction is a
# **marker**, COMMIT or ABORT, one in each partition that it wrote to. A marker takes an offset, and
# no application ever sees one: that is why offsets of a topic can have holes.
#
# Who decides what you see is the reader, by `isolation.level`. `read_uncommitted`, the default,
# gets everything, also what was aborted, so it is of little use with transactions. `read_committed`
# gets what was committed, and what was written without a transaction. But it gets it only up to a
# certain point.
#
# The dashed line is that point, the **last stable offset**: where the earliest transaction begins
# that has not ended. Follow the line down the rows: it stands still while a transaction is open,
# and jumps behind the marker when it ends. With no open transaction it is at the end. A reader of
# committed records gets nothing behind it, not even records that have nothing to do with the
# transaction. One transaction that hangs stops them all:

# %%
lab = Lab(brokers=1, seed=7)
lab.create_topic("take")
plain = KafkaProducer(lab, {"client.id": "plain", "linger.ms": 0}, name="plain")
slow = KafkaProducer(lab, {"transactional.id": "slow", "linger.ms": 0}, name="slow")
slow.init_transactions()
slow.begin_transaction()
for number in range(3):
    plain.send(ProducerRecord("take", key=f"plain {number}", value="-1")).get()
    if number == 0:
        slow.send(ProducerRecord("take", key="slow", value="-5")).get()
partition = lab.at(lab.now_ms)["partitions"]["take-0"]
{
    "high watermark": partition["high_watermark"],
    "last stable": partition["last_stable_offset"],
    "read_uncommitted": read(lab, "read_uncommitted", "take"),
    "read_committed": read(lab, "read_committed", "take"),
}

# %% [markdown]
# The **high watermark** is the offset behind the last record that all in-sync replicas have; no
# reader of any level gets further. With one replica it is simply the end of the log.
#
# `plain 1` and `plain 2` were never in a transaction. They are behind `slow`, and must wait for it,
# for a minute or a little more. After `transaction.timeout.ms` the *transaction coordinator* aborts
# it. That is the broker that keeps the book of a `transactional.id`: its producer id, its epoch,
# and whether a transaction is open.

# %% exercise="06.2"

# %% [markdown] items="N38"
# ### The five calls
#
# | call | what happens |
# |---|---|
# | `init_transactions()` | once in a life: get the id's epoch, end what an earlier life left open |
# | `begin_transaction()` | nothing is sent; from here on records belong together |
# | `send(...)`, `send(...)` | as always |
# | `commit_transaction()` | all are written, then the coordinator decides, then markers |
# | `abort_transaction()` | the other decision |
#
# A `KafkaException` on the way means: `abort_transaction()`, and begin again. There is one
# exception to the rule, and it is the next section: a producer that has been fenced can abort
# nothing any more. It closes and goes.
#
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It goes on past an exercise that is still open.
#
# ## 5. Two with one name
#
# A process stands still for six seconds, in the middle of a transaction; a long garbage collection
# will do. The operations team thinks it is dead and starts another with the same
# `transactional.id`. Then the first wakes up and goes on where it was: a zombie. Will the old one
# commit its transaction? Will the new one?

# %%
predict("06 zombie", old_commits=None, new_commits=None)  # True or False


# %%
def transact(lab, told, name, pace_ms):
    """One transaction of two records, with some time between them."""
    producer = KafkaProducer(
        lab, {"transactional.id": "till", "client.id": name, "linger.ms": 0}, name=name
    )
    try:
        producer.init_transactions()
        producer.begin_transaction()
        producer.send(ProducerRecord("orders", key=f"{name} 1", value="tea"))
        lab.sleep(pace_ms)
        producer.send(ProducerRecord("orders", key=f"{name} 2", value="milk"))
        producer.commit_transaction()
        told[name] = "committed"
    except KafkaException as error:
        told[name] = type(error).__name__


lab, told = Lab(brokers=3, seed=4, version="4.4"), {}
lab.create_topic("orders", replication_factor=3, leaders=[0])
old = lab.spawn(transact, told, "old", 1_500, name="old")
lab.clock.at(1_000, lambda: old.pause(6_000))
lab.clock.at(3_000, lambda: lab.spawn(transact, told, "new", 400, name="new"))
lab.run_for(ms=10_000)
lab.close()
truth("06 zombie", old_commits=told["old"] == "committed", new_commits=told["new"] == "committed")
transaction_timeline(lab, "till", title="a zombie is fenced")

# %%
told, read(lab)

# %% [markdown]
# The picture has a row for the coordinator and one for each producer. The colours are the states;
# their names are at the top. At 3 s the new one comes, and the coordinator ends the old transaction
# with an ABORT marker. At 7 s the old one wakes up, and its row turns dark orange.
#
# `init_transactions` of the new one raised the id's **epoch**, and had the open transaction
# aborted. The old one came back with the old epoch, and every door was shut: **fencing**. What it
# had written before is in the log, in front of an ABORT marker, and no reader of committed records
# sees it.

# %%
sequence_ladder(lab, "orders-0", keys=True, title="the same in the log")

# %% [markdown]
# The last row is the zombie's second record, `old 2`. It came with epoch 0, and the leader refused
# it.
#
# How does the epoch grow? It depends on the version of the client. The next two cells measure it.
# Each program commits three transactions in each life but the last, and it is started once, twice
# or three times:


# %%
def epoch_after(client, transactions, starts, ends_by, seed=3):
    """The epoch that the last of so many starts gets. Each earlier one commits its
    transactions; then it closes, or it is killed in the middle of one more:
    ends_by is "close" or "kill -9"."""
    lab = Lab(brokers=1, seed=seed, version=client)
    lab.create_topic("orders")
    for start in range(starts):
        producer = KafkaProducer(lab, {"transactional.id": "till"}, name=f"start {start}")
        producer.init_transactions()
        for _ in range(transactions if start < starts - 1 else 0):
            producer.begin_transaction()
            producer.send(ProducerRecord("orders", value="tea"))
            producer.commit_transaction()
        if ends_by == "kill -9" and start < starts - 1:
            producer.begin_transaction()
            producer.send(ProducerRecord("orders", value="tea")).get()
            lab.kill(f"start {start}")
        else:
            producer.close()
    return lab.at(lab.now_ms)["transactions"]["till"]["epoch"]


# %%
{
    client: [epoch_after(client, 3, starts, "close") for starts in (1, 2, 3)]
    for client in ("3.9", "4.4")
}

# %% [markdown]
# Up to 3.9 the epoch counts the starts, beginning with 0. In 4.4 it went up by four in each life:
# one start and three transactions. With a client and a broker of 4.0 or later (KIP-890) each
# transaction has an epoch of its own as well, so that a batch which was held up by the network
# cannot get into the next transaction of the same producer.

# %% exercise="06.3"

# %% exercise="06.4"

# %% [markdown] items="G9 G6"
# ## 6. Read, work, write
#
# Most programs that write also read: an order comes in, a parcel goes out. Exactly once is then a
# question about two things, *the parcel* and *how far I have read*, the place. Whoever writes them
# one after the other can die in between. If the place is written first, the order is lost: at most
# once. If it is written last, the order is packed twice: at least once.
#
# There are two ways out, and both make one decision of two. If the result lives in **your own
# database**, keep the offset there too, in the same database transaction, and `seek` to it after a
# start; Kafka's commit is not used at all. If the result lives **in Kafka**, let the transaction
# take the offset along: a committed offset is a record in a topic, `__consumer_offsets`. The call
# is `send_offsets_to_transaction(offsets, group)`. `offsets` is a dict from `TopicPartition` to
# `OffsetAndMetadata(offset)`, the offset of the *next* record to read; `group` is what
# `consumer.group_metadata()` gives. And where handling an order twice does no harm, at least once
# is enough. At most once is hardly ever wanted.

# %% exercise="06.5"

# %% [markdown]
# `group_metadata()` carries the member's id and generation along (chapter 07). So a worker that has
# lost its partitions to another cannot note a place for them, even if its producer is alive and
# well.
#
# One thing `copy` does not show. A process that died begins again at the place that the group has
# noted. But what if it lives on, catches an error and calls `abort_transaction()`? Here a program
# polls two orders, begins, sends two parcels, aborts, and polls again. Which order is the first of
# the second poll? Guess a number for a program that only aborts, and for one that also goes back.

# %%
predict("06 after an abort", only_aborts=None, goes_back=None)


# %%
def two_polls(goes_back):
    """The orders of two polls, with an aborted transaction after each."""
    lab = Lab(brokers=1, seed=8)
    for topic in ("orders", "parcels"):
        lab.create_topic(topic)
    shop = KafkaProducer(lab, {"client.id": "shop"}, name="shop")
    for number in range(4):
        shop.send(ProducerRecord("orders", key=f"order {number}", value="tea")).get()
    packer = KafkaProducer(lab, {"transactional.id": "packing"}, name="packer")
    packer.init_transactions()
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "packing",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "max.poll.records": 2,
        },
        name="reader",
    )
    place = TopicPartition("orders", 0)
    consumer.assign([place])
    polls = []
    for _ in range(2):
        polled = consumer.poll(timeout_ms=2_000)
        polls.append([record.key for record in polled])
        packer.begin_transaction()
        for record in polled:
            packer.send(ProducerRecord("parcels", key=record.key, value="a parcel"))
        packer.abort_transaction()
        if goes_back:
            noted = consumer.committed([place])[place]  # None: nothing noted yet
            consumer.seek(place, noted.offset if noted else 0)
    return polls


only_abort, with_seek = two_polls(goes_back=False), two_polls(goes_back=True)
truth(
    "06 after an abort",
    only_aborts=int(only_abort[1][0].split()[1]),
    goes_back=int(with_seek[1][0].split()[1]),
)
{"only aborts": only_abort, "goes back": with_seek}

# %% [markdown]
# `abort_transaction()` takes back the parcels. It does not take back the `poll`: the consumer has
# its own position in memory, and that has moved on. So orders 0 and 1 are passed over. If the next
# transaction commits, the group's offset jumps over them, and they are never packed. Whoever goes
# on after an abort must also seek to what the group has committed.
#
# ## 7. The real thing beside it
#
# A recording of two real Java producers 4.4.0 with one `transactional.id`, the zombie and its heir.
# Here are the states that each producer's part for transactions went through, beside the
# simulator's.

# %%
import json
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read as read_log
from kafkalab.proof.replay import replay

project = course_folder()
recording = project / "data/recordings/4.4.0/4.4.0/transaction_zombie_fenced"
folder = project / "data/generated/chapter06"
folder.mkdir(parents=True, exist_ok=True)
played = replay(json.loads((recording / "scenario.json").read_text()), seed=4)


def states(client, path):
    """What a producer's transaction manager went through."""
    rows = [row.text.split("] ", 1)[-1] for row in read_log(path)]
    wanted = ("Transition from", "Transiting to")
    return [f"{client}: {text}" for text in rows if text.startswith(wanted)]


real, simulated = [], []
for client in ("zombie", "heir"):
    (folder / f"{client}.log").write_text(played[client])
    real += states(client, recording / f"{client}.log.gz")
    simulated += states(client, folder / f"{client}.log")
side_by_side(real, simulated, titles=("Java producers 4.4.0", "simulator"))

# %% [markdown]
# Follow the zombie to its end. The leader refuses with `InvalidProducerEpochException`. That alone
# only makes the zombie *abortable*: an epoch also grows when a transaction took too long, and then
# a producer may go on. So it tries to abort, asks the coordinator, and hears the truth: fenced, and
# that is fatal. Clients up to 2.3 gave up at the first refusal.
#
# ## 8. Spark lab: who wrote it twice?
#
# Three shops write to one partition: shop-a without idempotence, shop-b with it. shop-c has it too,
# and starts again in the middle of the day; after that it sends its last orders once more, to be
# sure. The network loses answers of shop-a and shop-b. You have three such days, A, B and C.
# `kafka-dump-log` is Kafka's tool that prints what is in a log, here a line for each record:

# %%
from autograder.cell.questions.ch06 import ledger  # a day's log, as lines

n6 = numbers("06.6")
n6

# %%
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
    part(r"producerEpoch: (-?\d+)").cast("int").alias("epoch"),
    part(r"sequence: (-?\d+)").cast("int").alias("sequence"),
    part(r"key: (.*) payload").alias("key"),
)
records.orderBy("day", "offset").limit(5).toPandas()

# %% exercise="06.6"

# %% [markdown]
# shop-b lost answers as well, and none of its orders stands twice.
#
# ## 9. In your own words

# %% exercise="06.open"

# %% [markdown]
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | Idempotence is off; set `enable.idempotence=true`. | On by default from 3.2 on, 3.0.1 and 3.1.1 (KIP-679; a bug kept it off before, KAFKA-13598). `acks=1`, with not a word about idempotence, switches it off without a sound. | `in_the_log(lost_answer("2.8"))` and `in_the_log(lost_answer(acks="1"))` |
# | One writer for each partition, who reads its last message after an error. | Advice from before 0.11. Idempotence does it, and better. | section 1 |
# | A producer that the leader does not know must begin at 0, else UNKNOWN_PRODUCER_ID. | From 2.5 on it may begin anywhere (KIP-360). | section 2 |
# | `sendOffsetsToTransaction(offsets, "group")`, and a producer for each input partition. | `consumer.groupMetadata()` since 2.5: one producer for each thread (KIP-447). | section 6 |
# | After any error: `abortTransaction()`. | Not after being fenced: close. From 2.8 on the abort itself tells. | section 7 |
# | The epoch counts the starts. | From 4.0 on it counts transactions (KIP-890). | `epoch_after` |
# | `initTransaction()`, `transctional.id` | Slips of the pen that still go round: `initTransactions()`, `transactional.id`. | |
#
# ## What you know now
#
# - Idempotence removes what the producer repeats. What the program repeats it cannot know.
# - A transaction makes records of many partitions, and the offsets of a group, one decision.
#   Readers must ask for it: `read_committed`.
# - One name, one living producer: the epoch sees to that.
# - After an abort the consumer goes back to what is committed.
# - Exactly once ends where Kafka ends.
#
# **Words**: producer id 生产者 ID · sequence number 序列号 · producer epoch 生产者纪元 ·
# transactional.id 事务 ID · marker 事务标记 (控制消息) · last stable offset 最后稳定位移 (LSO) ·
# fencing 隔离 (屏蔽僵尸实例)
#
# ### Do you remember?
#
# <details><summary>1. Chapter 05: what does <code>acks=all</code> wait for?</summary>For all
# replicas that are in sync, and at least <code>min.insync.replicas</code> of them. Idempotence
# needs it.</details>
# <details><summary>2. Chapter 04: when is a batch closed?</summary>When it is full, or has waited
# for <code>linger.ms</code>. A batch that is sent again is never packed anew: its numbers must stay
# the same.</details>
# <details><summary>3. Chapter 01: a group has committed offset 7. Which record does it get
# next?</summary>The one at offset 7. What is committed is the next offset. So section 6 wants the
# offset of the next record, too.</details>
