# %% [markdown]
# # 05 · When is a record safe?
#
# `send` has returned. Has Kafka got the record? The answer came, with an offset. Will it still be
# there tomorrow? Between these two questions lies everything that people mean when they say "Kafka
# lost my data".
#
# **You need** chapters 01 and 04. **You get** six words: *acks*, *in-sync replicas*,
# *min.insync.replicas*, *unclean election*, *committed*, *delivery timeout*. **Time** about 35
# minutes up to section 7, and a second sitting of 15 for the Spark lab and your own words.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaConsumer, KafkaProducer, ProducerRecord, TopicPartition
from kafkalab.views import Outcome, outcome_grid, replica_ladder, side_by_side

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="N17"
# ## 1. Guess, run, look
#
# A shop sends twenty orders, one every ten milliseconds, and looks at no answer: *fire and forget*.
# The partition has a leader, broker 0, and two followers that copy it. Each of the three copies is
# a *replica*. The followers are asleep for the first four and a half seconds and copy nothing. One
# second after the last order the leader crashes.
#
# The setting **acks** says when a record is *acknowledged*, that is, when the producer hears
# "written". With `acks=1` the leader answers as soon as it has the record itself. With `acks=all`
# it waits for the followers. The program runs on after the crash. How many of the twenty are in the
# topic in the end, half a minute later?

# %%
predict("05 twenty orders", acks_1=None, acks_all=None)

# %%
# A producer that tries again for 20 s. Idempotence is for section 4: off until then.
PATIENT = {
    "delivery.timeout.ms": 20_000,
    "request.timeout.ms": 3_000,
    "linger.ms": 0,
    "enable.idempotence": False,
}


def cluster(min_insync=1, unclean=False, seed=5):
    """Four brokers; `orders` has one partition: broker 0 leads, 1 and 2 copy it."""
    lab = Lab(
        brokers=4,
        seed=seed,
        broker_config={
            "min.insync.replicas": min_insync,
            "unclean.leader.election.enable": unclean,
            "broker.session.timeout.ms": 6_000,
        },
    )
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    return lab


def sell(lab, acks, count=20):
    """Send orders. Keep what the callbacks say: acknowledged keys, and failed ones."""
    producer = KafkaProducer(
        lab, {"client.id": "shop", "acks": acks, **PATIENT, "bootstrap.servers": "localhost:9095"}
    )  # broker 3
    producer.partitions_for("orders")
    told = {"acknowledged": [], "failed": []}
    for number in range(count):

        def callback(metadata, error, key=f"order {number}"):
            told["failed" if error else "acknowledged"].append(key)

        record = ProducerRecord("orders", key=f"order {number}", value="tea")
        producer.send(record, callback)
        lab.sleep(10)
    return told


def slow_followers(acks, min_insync=1):
    lab = cluster(min_insync)
    lab.broker(1).pause(4_500)
    lab.broker(2).pause(4_500)
    told = sell(lab, acks)
    lab.run_for(ms=1_000)
    lab.broker(0).crash()
    lab.run_for(ms=30_000)
    return lab, told


# %%
def in_the_log(lab):
    """How many records the partition has for those who read it."""
    return lab.at(lab.now_ms)["partitions"]["orders-0"]["log_end_offset"]


one, told_one = slow_followers(acks="1")
every, told_every = slow_followers(acks="all")
truth("05 twenty orders", acks_1=in_the_log(one), acks_all=in_the_log(every))
replica_ladder(
    one,
    "orders-0",
    {1_100: "just before the crash", 31_000: "in the end"},
    title="acks=1: the leader dies with what only it had",
)

# %% [markdown] items="N16 N17"
# Each bar is a replica's log, and the numbers below are the brokers. (The red line, the *high
# watermark*, marks how far the log is copied to all in-sync replicas: here not at all.) With
# `acks=1` the leader had all twenty, said so, and died. A follower took over with what it had:
# nothing. The shop heard "written" twenty times. Nobody broke a promise: this is all that `acks=1`
# promises.
#
# With `acks=all` the leader waited for its followers, so the shop had no answer when the leader
# died. The producer sent again, to the new leader. All twenty are there.

# %%
for acks, told in (("acks=1", told_one), ("acks=all", told_every)):
    print(acks, {fate: len(keys) for fate, keys in told.items()})

# %% [markdown] items="N16 N22 N104"
# Both producers heard the same. Only for the second was it worth something. "Kafka keeps
# **committed** records", people say, and committed means *copied to all in-sync replicas*. What
# only the leader has is not committed, whatever was answered.
#
# ## 2. The whole grid
#
# The **in-sync replicas** are the leader and those followers that keep up with it. A follower that
# stays behind for too long is taken out of this set. `acks=all` waits for the set, and only for the
# set. So the set can shrink to the leader alone, and then "all" is one. The setting
# `min.insync.replicas` is the floor, the least number of in-sync replicas: with fewer, a write with
# `acks=all` is refused.
#
# There are five settings: `acks=0`, `acks=1`, and `acks=all` with a floor of 1, 2 and 3. `acks=0`
# is new: the producer waits for no answer at all, and a record counts as acknowledged as soon as it
# is sent. And there are four stories. In each the shop sends twenty orders, and then the leader
# crashes for good:
#
# - **followers fine**: both keep up.
# - **followers slow**: they sleep for a few seconds, as in section 1.
# - **followers away**: both died earlier, so the leader was alone. It dies, too, and then the
#   followers come back.
# - **the same, unclean**: as before, but now a replica may become leader that was not in sync. That
#   is an **unclean election**.
#
# Five times four make twenty cells. Each has one outcome. Guess three numbers: in how many cells
# are acknowledged records lost? In how many are records refused and nothing lost? In how many may
# nobody lead in the end, so that the partition waits?

# %%
predict("05 grid", lost=None, refused=None, waiting=None)


# %%
def play(followers, acks, min_insync, unclean=False):
    """One cell of the grid, as an Outcome."""
    lab = cluster(min_insync, unclean)
    if followers == "slow":
        lab.broker(1).pause(4_500)
        lab.broker(2).pause(4_500)
    if followers == "away":
        lab.broker(1).crash()
        lab.broker(2).crash()
        lab.run_for(ms=20_000)
    told = sell(lab, acks)
    lab.run_for(ms=1_000)
    lab.broker(0).crash()
    lab.run_for(ms=2_000)
    if followers == "away":
        lab.broker(1).restart()
        lab.broker(2).restart()
    lab.run_for(ms=30_000)
    leader = lab.at(lab.now_ms)["partitions"]["orders-0"]["leader"]
    lost = max(0, len(told["acknowledged"]) - in_the_log(lab))
    counts = len(told["acknowledged"]), lost, len(told["failed"])
    return Outcome(*counts, readable=leader >= 0)


stories = {
    "followers fine": ("fine", False),
    "followers slow": ("slow", False),
    "followers away": ("away", False),
    "the same, unclean": ("away", True),
}
settings = {
    "acks=0": ("0", 1),
    "acks=1": ("1", 1),
    "acks=all, min 1": ("all", 1),
    "acks=all, min 2": ("all", 2),
    "acks=all, min 3": ("all", 3),
}
grid = {
    (story, setting): play(followers, acks, min_insync, unclean)
    for story, (followers, unclean) in stories.items()
    for setting, (acks, min_insync) in settings.items()
}

kinds = [outcome.kind for outcome in grid.values()]
truth(
    "05 grid",
    lost=kinds.count("lost"),
    refused=kinds.count("refused"),
    waiting=kinds.count("waiting"),
)
outcome_grid(grid, title="twenty orders, three replicas")

# %% [markdown] items="N22 N24 N26"
# Read it by columns. `acks=0` and `acks=1` lose as soon as the followers are a little behind.
# `acks=all` alone is not enough: with a floor of 1 it loses too, in the last story, because the set
# had shrunk to one. With a floor of 2 nothing is lost in any story. In the last one the lonely
# leader refused the orders, the producer tried again, and the new leader took all twenty. With a
# floor of 3 nothing is lost either. But as soon as one replica is away, every write is refused.
#
# Read it by rows. *No leader* means that the partition waits. Waiting is not losing: the old leader
# may come back with everything. An unclean election ends the waiting. It throws away what only the
# old leader had.

# %% exercise="05.1"

# %% [markdown]
# ## 3. How long does a producer try?
#
# An answer that does not come is not a failure yet. The producer waits for one answer as long as
# `request.timeout.ms` says. Then it sends again, by default as often as it can. What ends it is the
# **delivery timeout**, `delivery.timeout.ms`: from `send` to the last word, success or failure, two
# minutes unless you say otherwise.
#
# Here a broker hangs: it answers no PRODUCE any more. `request.timeout.ms` is 3 seconds,
# `delivery.timeout.ms` 10. After how many seconds does the callback hear of the failure? How many
# times was the record sent, the first time included?

# %%
predict("05 hanging broker", seconds=None, times=None)


# %%
def hang(request_ms, delivery_ms, seed=6):
    """(seconds until the callback, PRODUCE requests, error); the broker hangs."""
    lab = Lab(brokers=1, seed=seed)
    lab.create_topic("orders", partitions=1)
    producer = KafkaProducer(
        lab,
        {
            "linger.ms": 0,
            "request.timeout.ms": request_ms,
            "delivery.timeout.ms": delivery_ms,
            "enable.idempotence": False,
        },
    )
    producer.partitions_for("orders")
    producer.send(ProducerRecord("orders", value="the first one arrives")).get()
    lab.broker(0).delay("PRODUCE", 600_000)
    heard, sent_at = [], lab.now_ms
    producer.send(
        ProducerRecord("orders", value="tea"),
        lambda metadata, error: heard.append((lab.now_ms - sent_at, error)),
    )
    lab.run_until(lambda: heard)
    requests = lab.table("request.sent").query("api == 'PRODUCE' and at_ms >= @sent_at")
    return heard[0][0] // 1000, len(requests), heard[0][1]


seconds, times, error = hang(3_000, 10_000)
truth("05 hanging broker", seconds=seconds, times=times)
error

# %% [markdown] items="N23"
# `retries`, the number of tries, is huge nowadays. So time ends it, and not a count. And take
# "failed" with care: perhaps the broker has written the record and only its answer was lost. The
# producer cannot know.
#
# Before each new try the producer waits a little, longer each time, up to a second
# (`retry.backoff.ms`, `retry.backoff.max.ms`). So dividing one timeout by the other can give too
# many tries. The function `hang` counts them.

# %% exercise="05.2"

# %% [markdown]
# ## 4. Sending again changes the order
#
# A partition has two replicas and a floor of 2. The follower has been away, so writes are refused.
# It comes back, and while it catches up, a producer sends sixty records, number 0 to 59, one every
# 20 ms. It is an older one, and its idempotence is off. Which number lies first in the log?

# %%
predict("05 order", first_in_the_log=None)


# %%
def order_in_the_log(**config):
    lab = Lab(
        brokers=3,
        seed=5,
        version="2.8",
        broker_version="4.4",
        broker_config={"min.insync.replicas": 2, "broker.session.timeout.ms": 6_000},
    )
    lab.create_topic("orders", replication_factor=2, leaders=[0])
    settings = {"acks": "all", "linger.ms": 0, "retry.backoff.ms": 100, **config}
    producer = KafkaProducer(lab, settings)
    producer.partitions_for("orders")
    lab.broker(1).crash()
    lab.run_for(ms=10_000)
    lab.broker(1).restart()
    for number in range(60):
        key = str(number)
        producer.send(ProducerRecord("orders", key=key, value="tea", partition=0))
        lab.sleep(20)
    producer.close()
    reader = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="reader")
    reader.assign([TopicPartition("orders", 0)])
    return [int(record.key) for record in reader.poll(timeout_ms=3_000)]


off = {"enable.idempotence": False}
one_at_a_time = {**off, "max.in.flight.requests.per.connection": 1}
plain = order_in_the_log(**off)
truth("05 order", first_in_the_log=plain[0])
{
    "plain": plain[:7],
    "one in flight": order_in_the_log(**one_at_a_time)[:7],
    "idempotent": order_in_the_log(**{"enable.idempotence": True})[:7],
}

# %% [markdown]
# These are the first seven numbers in the log. Record 0 was refused and had to wait 100 ms for its
# second try. Records 1 to 5 were sent in the meantime and passed it. A producer keeps up to five
# requests under way, so a retry can be overtaken.
#
# There are two cures. One is a single request at a time, which is slow. The other is *idempotence*:
# the producer numbers its batches, and the broker refuses a batch when the one before it is
# missing. Chapter 06 shows how. From version 3.2 on idempotence is on unless you switch it off.

# %% [markdown] items="N18 N21"
# ## 5. Say what you know
#
# Back to fire and forget. `send` gives a future and takes a callback; who uses neither will never
# know what was lost. Two habits:

# %%
lab = cluster(min_insync=2)
producer = KafkaProducer(lab, {"acks": "all", "bootstrap.servers": "localhost:9095", **PATIENT})
future = producer.send(ProducerRecord("orders", value="tea"))
metadata = future.get()  # wait for the answer


def callback(metadata, error):  # or be told
    print("callback:", error or metadata)


producer.send(ProducerRecord("orders", value="milk"), callback)
producer.flush()
metadata

# %% exercise="05.3"

# %% [markdown]
# ## 6. Bug hunt

# %% exercise="05.4"

# %% [markdown]
# ## 7. The real thing beside it
#
# A recording of a real Java producer 2.3.0. It sends to the three partitions of a topic `safe`. The
# leader of one is stopped, another broker takes over, and the producer goes on. In the lines
# `acks=-1` is how Kafka writes `acks=all`. Lines that repeat the one before are left out.

# %%
import json
import re
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read as read_log
from kafkalab.proof.replay import replay

project = course_folder()
recording = project / "data/recordings/2.3.1/2.3.0/fault_producer_leader_moves"
scenario = json.loads((recording / "scenario.json").read_text())
folder = project / "data/generated/chapter05"
folder.mkdir(parents=True, exist_ok=True)
(folder / "played.txt").write_text(replay(scenario, seed=4)["client"])


def told(path):
    """What the producer wrote and lost, each once."""
    wanted = re.compile(
        r"(Sending PRODUCE {.*}|Node -?\d+ disconnected"
        r"|Completed connection to node -?\d+)"
    )
    found = [match[1] for row in read_log(path) if (match := wanted.match(row.text))]
    return [text for before, text in zip(["", *found], found) if before != text]


side_by_side(
    told(recording / "client.log.gz"),
    told(folder / "played.txt"),
    titles=("Java producer 2.3.0", "simulator"),
)

# %% [markdown]
# After the crash `safe-0` is written again: its new leader is another broker. The producer found it
# by asking for metadata; those lines are not shown here.

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It goes on past an exercise that is still open.
#
# ## 8. Spark lab: the loss report
#
# An auditor has two lists: what the producers heard is written, and what readers can read. Three
# shops, A, B and C, wrote a hundred orders each, one every ten milliseconds. Shop A wrote with
# `acks=n.A.acks`, and its followers fell asleep after `n.A.asleep_after_ms` milliseconds. After the
# last order the leader of each shop crashed. What was acknowledged and cannot be read is lost.
# Spark finds it with one join.

# %%
n = numbers("05.5")
n


# %%
def shop_with_crash(shop):
    """(acknowledged keys, keys that can be read) of a shop; its followers fall asleep."""
    lab = cluster(seed=4)
    for broker in (lab.broker(1), lab.broker(2)):
        lab.clock.at(shop.asleep_after_ms, lambda asleep=broker: asleep.pause(4_500))
    told = sell(lab, shop.acks, count=100)
    lab.broker(0).crash()
    lab.run_for(ms=40_000)
    reader = KafkaConsumer(
        lab, {"auto.offset.reset": "earliest", "bootstrap.servers": "localhost:9095"}, name="reader"
    )
    reader.assign([TopicPartition("orders", 0)])
    read = [record.key for record in reader.poll(timeout_ms=5_000)]
    return told["acknowledged"], read


acknowledged, readable = [], []
for name, shop in n.items():
    written, read = shop_with_crash(shop)
    acknowledged += [(name, key) for key in written]
    readable += [(name, key) for key in read]

# %% spark=true
from kafkalab import logsets

spark = logsets.session()
told_written = spark.createDataFrame(acknowledged, "shop string, key string")
can_be_read = spark.createDataFrame(readable, "shop string, key string")
told_written.groupBy("shop").count().orderBy("shop").toPandas()

# %% exercise="05.5"

# %% [markdown]
# The earlier the followers fell asleep, the more was lost, and nobody was told. With `acks=all`
# this report would be empty.
#
# ## 9. In your own words

# %% exercise="05.open"

# %% [markdown] items="N21 N22 N23 N24 N25 N26 N27 N28"
# ## Eight rules, and what they cost
#
# A well known list against losing messages. You have seen what each does:
#
# | Rule | Why | Seen in |
# |---|---|---|
# | 1. `send` with a callback, or look at the future. | Else a refusal is never heard. | sections 5, 6 |
# | 2. `acks=all` | The leader alone is one disk. | sections 1, 2 |
# | 3. Let it retry, and let time end it. | A leader changes; the next one answers. | sections 1, 3 |
# | 4. No unclean election. | Waiting is not losing. | section 2 |
# | 5. Three replicas or more. | One may be away for maintenance, and one may die. | section 2 |
# | 6. `min.insync.replicas` above 1 | "All" of one is one. | section 2 |
# | 7. One replica more than that. | Else one restart stops the writers. | section 9 |
# | 8. Commit after the work, by hand. | The reader can lose, too. | chapter 09 |
#
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | `acks=all` waits for all replicas. | For all that are in sync; how many that must be, `min.insync.replicas` says. It binds `acks=all` only. | section 2 |
# | Set `retries` to a large number. | It has been the largest there is since 2.1; `delivery.timeout.ms` ends the trying (KIP-91). | section 3 |
# | `acks` is 1 by default. | `all` from 3.0 on (KIP-679). | `Lab(version="2.8")` and `"3.9"` |
# | Idempotence is an extra. | On by default from 3.2 on; 3.0.0 and 3.1.0 meant to, and a bug kept it off (KAFKA-13598). | section 4 |
# | A replica that is out of the set counts for nothing. | Kafka 4.0 remembers replicas that are still complete, *eligible leader replicas* (KIP-966); the default for new clusters from 4.1 on. | section 2, "no leader" |
#
# ## What you know now
#
# - Returned is not written, written is not committed, committed is copied to all that are in sync.
# - `acks=all` and a floor belong together.
# - A failure you hear is not a loss. A loss you do not hear is.
#
# **Words**: acks 确认方式 · in-sync replicas 同步副本集合 · min.insync.replicas 最小同步副本数 ·
# unclean election 非安全选举 · committed 已提交 · delivery timeout 投递超时
#
# ### Do you remember?
#
# <details><summary>1. Chapter 04: what closes a batch?</summary>It is full (`batch.size`), or it
# has waited long enough (`linger.ms`).</details>
# <details><summary>2. Chapter 01: what removes a record?</summary>Retention. Reading removes
# nothing.</details>
# <details><summary>3. Chapter 02: which thread sends, and which waits in
# <code>send</code>?</summary>The Sender sends. Your own thread only puts the record into a batch,
# and waits when there is no memory or the topic is not known yet.</details>
