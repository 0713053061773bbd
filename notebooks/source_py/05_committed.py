# %% [markdown]
# # 05 · When is a record safe?
#
# `send` has returned. Has Kafka got the record? The answer came, with an offset. Is the record
# still there tomorrow? When people say "Kafka lost my data", one of these two questions had a
# surprising answer.
#
# **You need** chapters 01, 02 and 04. **You get** six words: *acks*, *in-sync replicas*,
# *min.insync.replicas*, *unclean election*, *committed*, *delivery timeout*. **Time** three
# sittings: about 40 + 25 + 25 minutes. They end after sections 4 and 7 and at the end.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaConsumer, KafkaProducer, ProducerRecord, TopicPartition
from kafkalab.views import outcome_grid, replica_ladder

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="N17"
# ## 1. Guess, run, look
#
# A shop sends twenty orders, one every ten milliseconds, and looks at no answer: *fire and forget*.
# The partition has a leader, broker 0, and two followers that copy it. Each of the three copies is
# a *replica* (副本). The followers sleep for the first four and a half seconds and copy nothing. One
# second after the last order the leader crashes.
#
# The setting **acks** (确认方式) says when a record is *acknowledged*: when the producer counts it as
# written. With `acks=1` the leader answers as soon as it has the record itself. With `acks=all`
# it waits for the followers. The program runs on after the crash. Half a minute later, how many of
# the twenty are in the topic?

# %%
predict("05 twenty orders", acks_1=None, acks_all=None)

# %%
from kafkalab.stories.committed import in_the_log, slow_followers

one, told_one = slow_followers(acks="1")
every, told_every = slow_followers(acks="all")
truth("05 twenty orders", acks_1=in_the_log(one), acks_all=in_the_log(every))
moments = {1_100: "just before the crash", 31_000: "at the end"}
replica_ladder(
    one, "orders-0", moments, title="acks=1: only the leader has the orders, and crashes"
)

# %%
replica_ladder(every, "orders-0", moments, title="acks=all: the producer sends again")

# %% [markdown] items="N16 N17"
# Each bar is a replica's log, and the numbers below are the brokers. The star is the leader. The
# red line is the *high watermark* (高水位): up to there all replicas that keep up with the leader have
# the log. Such replicas are *in sync*.
#
# With `acks=1` the leader had all twenty, said so, and crashed. A follower took over with what it
# had: nothing. The shop was told "written" twenty times. This is all that `acks=1` promises: the
# leader has it.
#
# With `acks=all` the leader waited for its followers. So the shop had no answer when the leader
# crashed. The producer sent again, to the new leader. All twenty are there. Why had the old leader
# one order only? A broker works on one request of a connection at a time, and the first one was not
# answered yet.

# %%
for acks, told in (("acks=1", told_one), ("acks=all", told_every)):
    print(acks, {fate: len(keys) for fate, keys in told.items()})

# %% [markdown] items="N16 N22 N104"
# Both producers were told the same. Only the second one's records are still there. A record is
# **committed** (已提交) when all in-sync replicas have it. Kafka promises to keep committed records,
# as long as one in-sync replica lives. An acknowledgement with `acks=1` says nothing about that.
#
# ## 2. The whole grid
#
# The **in-sync replicas** (同步副本集合) are the leader and the followers that keep up with it. A
# follower that has not caught up for `replica.lag.time.max.ms`, 30 seconds by default, is taken out
# of this set. That is why the sleeping followers of section 1 were still in sync: they slept for
# less. A broker that has *crashed* leaves the set sooner. Its session with the controller ends after
# some seconds (6 in this lab), and it is out.
#
# `acks=all` waits for the set, and only for the set. The set can shrink to the leader alone, and
# then "all" is one. **min.insync.replicas** (最小同步副本数) is the floor: the least number of
# in-sync replicas. With fewer, a write with `acks=all` is refused.
#
# There are five settings: `acks=0`, `acks=1`, and `acks=all` with a floor of 1, 2 and 3. With
# `acks=0` the producer waits for no answer. A record counts as acknowledged as soon as it is sent.
# And there are four stories. In each the shop sends twenty orders. Then the leader crashes and
# stays down until the end:
#
# - **followers fine**: both keep up.
# - **followers slow**: they sleep for a few seconds, as in section 1.
# - **followers away**: both crashed earlier, so the leader was alone. It crashes, too, and then the
#   followers come back.
# - **the same, unclean**: as before, but now a replica that was not in sync may become leader. That
#   is an **unclean election** (非安全选举).
#
# Five times four make twenty cells. Each has one outcome. Guess three numbers. In how many cells
# are acknowledged records lost? In how many are records refused and nothing lost? In how many is
# there no leader at the end?

# %%
predict("05 grid", lost=None, refused=None, waiting=None)

# %%
from kafkalab.stories.committed import play

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

# %%
labs, grid = {}, {}
for story, (followers, unclean) in stories.items():
    for setting, (acks, min_insync) in settings.items():
        cell = (story, setting)
        labs[cell], grid[cell] = play(followers, acks, min_insync, unclean)
kinds = [outcome.kind for outcome in grid.values()]
counts = {kind: kinds.count(kind) for kind in ("lost", "refused", "waiting")}
truth("05 grid", **counts)
outcome_grid(grid, title="twenty orders, three replicas")

# %% [markdown] items="N22 N24 N26"
# Read it by columns. `acks=0` and `acks=1` lose as soon as the followers are a little behind.
# `acks=all` with a floor of 1 loses too, in the last story: the set had shrunk to one. With a floor
# of 2 nothing is lost in these four stories. In the last one the leader was alone and refused the
# orders. The producer tried again, and the new leader took all twenty. With a floor of 3 nothing is
# lost either. But as soon as one replica is out of the set, every write with `acks=all` is refused.
#
# Read it by rows. *No leader* means that the partition waits. What was acknowledged is on the old
# leader's disk, and it may come back with it. *0 waiting* means that nothing was acknowledged: the
# leader alone was below the floor, so it refused all twenty. An unclean election ends the waiting.
# It throws away what only the old leader had.
#
# Any cell has its history. This one is the first that lost orders with `acks=all`:

# %%
lab = labs["the same, unclean", "acks=all, min 1"]
moments = {20_100: "the leader is alone", 21_100: "before its crash", 45_000: "at the end"}
replica_ladder(lab, "orders-0", moments, title="the same, unclean: acks=all, min 1")

# %% [markdown]
# The next picture moves. Click a cell of the grid: the ladder shows its replicas. The slider and
# the play button change the moment.

# %%
from kafkalab.stories.moving_cluster import replicas_of_cells

replicas_of_cells(labs, grid)

# %% [markdown]
# The floor refuses `acks=all` only. Does it do nothing to `acks=1`? A floor of 2, both followers
# are down, and the leader gets five records with `acks=1`. It acknowledges them. How many of the
# five can a consumer read now? The brokers are of version 4.4.

# %%
predict("05 below the floor", read_now=None)

# %%
from kafkalab.stories.committed import alone

rows = {version: alone(acks="1", broker_version=version) for version in ("2.3", "4.4")}
truth("05 below the floor", read_now=rows["4.4"][1])
{version: dict(zip(("acknowledged", "now", "later"), row)) for version, row in rows.items()}

# %% [markdown]
# *Later* means: a follower is back. With brokers of 2.3 a consumer reads all five at once. From
# broker 3.7 on the high watermark does not rise while fewer replicas are in sync than the floor
# says (KAFKA-15583). Consumers read only up to the high watermark, so they see nothing until a
# follower is back. This is true for `acks=0` and `acks=1`.

# %% [markdown]
# Many other systems count a *majority* instead: a write is done when more than half of the replicas
# have it. Why does Kafka have a set and a floor? Crash the two followers, one after the other, and
# write with `acks=all` after each crash. In how many of these cells is the write refused?

# %%
predict("05 crashes", refused_floor_1=None, refused_floor_2=None)

# %%
from kafkalab.stories.committed import answered_after, writable

rows = {f"floor {floor}": [writable(crashed, floor) for crashed in (0, 1, 2)] for floor in (1, 2)}
truth(
    "05 crashes",
    refused_floor_1=rows["floor 1"].count(False),
    refused_floor_2=rows["floor 2"].count(False),
)
rows

# %% [markdown]
# With a floor of 2, three replicas behave as a majority of three does: one may crash, and writes
# continue. With a floor of 1 two may crash. A majority needs five replicas for that. In general, to
# survive *f* crashes, a majority needs 2*f* + 1 replicas, and an in-sync set *f* + 1. This has a
# risk: after two crashes the acknowledged records are on one disk only, as in the last story above.
# And it has a price. Here follower 2 is 1 or 200 ms away. These are the milliseconds to an answer:

# %%
{
    f"acks={acks}, {away_ms} ms away": answered_after(acks, away_ms)
    for acks in ("1", "all")
    for away_ms in (1, 200)
}

# %% [markdown]
# `acks=all` waits for the slowest replica of the set: 403 ms. Follower 2 fetches the record, and its
# *next* fetch tells the leader that it has it. An answer and a request, 200 ms each, make 400. A
# majority waits for the fastest half only, here for follower 1. A follower that stays too far behind leaves the set; then nobody waits
# for it.

# %% exercise="05.1"

# %% [markdown]
# ## 3. How long does a producer try?
#
# An answer that does not come is not a failure yet. The producer waits for one answer as long as
# `request.timeout.ms` says. Then it sends again. By default the number of tries has no limit. The
# **delivery timeout** (投递超时), `delivery.timeout.ms`, ends the trying. It counts from `send` to the
# final result, success or failure. Its default is two minutes.
#
# Here a broker hangs: it answers no PRODUCE any more. `request.timeout.ms` is 3 seconds,
# `delivery.timeout.ms` 10. After how many seconds does the callback hear of the failure? How many
# times is the record sent, the first time included?

# %%
predict("05 hanging broker", seconds=None, times=None)

# %%
from kafkalab.stories.committed import hang

seconds, times, error = hang(request_ms=3_000, delivery_ms=10_000)
truth("05 hanging broker", seconds=seconds, times=times)
error

# %% [markdown] items="N23"
# `retries`, the number of *re*tries, is the largest `int` since client 2.1 (KIP-91; a KIP is a
# [Kafka Improvement Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals)).
# So time ends the trying, and not a count. And "failed" does not mean "not written". Perhaps the
# broker has written the record and only its answer was lost. The producer cannot know.
#
# Before each new try the producer waits for a short time, its *backoff* (退避). From client 3.7 on
# (KIP-580) the wait doubles, from 0.1 seconds (`retry.backoff.ms`) up to one
# (`retry.backoff.max.ms`). Before that it was always `retry.backoff.ms`. The waits cost tries:

# %%
{f"{seconds} s": hang(request_ms=2_000, delivery_ms=seconds * 1000)[1] for seconds in (8, 16, 32)}

# %% [markdown]
# With 2 seconds for each answer one would expect 4, 8 and 16 tries.

# %% exercise="05.2"

# %% [markdown]
# ## 4. Sending again changes the order
#
# A partition has two replicas and a floor of 2. The follower has been away, so writes are refused.
# It comes back. While it catches up, a producer sends sixty records, number 0 to 59, one every 20
# ms. It is a client 2.8, and its idempotence is off. Which number is first in the log?

# %%
predict("05 order", first_in_the_log=None)

# %%
from kafkalab.stories.committed import order_in_the_log, refused_at_first, tries

off = {"enable.idempotence": False}
one_at_a_time = {**off, "max.in.flight.requests.per.connection": 1}
plain = refused_at_first(**off)
order = order_in_the_log(plain)
truth("05 order", first_in_the_log=order[0])
order[:7]

# %% [markdown]
# These are the first seven numbers in the log. How did 0 get behind 5? Here are the first six
# requests, with what was answered:

# %%
tries(plain).head(6)

# %% [markdown]
# Record 0 was refused. The producer waits 100 ms before the next try. In this time it sends nothing
# for this partition, and records 1 to 5 join one batch. Then it sends both, 0 and 1 to 5, one right
# after the other. Both are refused. The producer puts each back at the *front* of its queue: first
# 0, then 1 to 5 before it. So they have changed places. At the next try 1 to 5 is written first.
#
# A producer has up to five requests under way on a connection. That makes it possible. There are
# two cures:

# %%
{
    "one in flight": order_in_the_log(refused_at_first(**one_at_a_time))[:7],
    "idempotent": order_in_the_log(refused_at_first(**{"enable.idempotence": True}))[:7],
}

# %% [markdown]
# One cure is a single request at a time, which is slow. The other is *idempotence* (幂等): the
# producer numbers its batches, and the broker refuses a batch when the one before it is missing.
# Chapter 06 shows how. It is on by default from clients 3.0.1, 3.1.1 and 3.2 on (KAFKA-13598).

# %% [markdown] items="N18 N21"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 5. Look at the answers
#
# Back to fire and forget. `send` returns a future and takes a callback. A program that uses neither
# never learns what was lost. Here are both. `get()` waits for the answer. It returns where the record
# is, or it *raises* the error, such as a TimeoutException. `cluster` builds the brokers of sections 1
# and 2, and a fourth one, broker 3 at `localhost:9095`. It has no replica and never crashes, so the
# producer can always ask it. `PATIENT` has the producer's settings there: it tries for 20 seconds.

# %%
from kafkalab.stories.committed import PATIENT, cluster

lab = cluster(min_insync=2)
producer = KafkaProducer(lab, {"acks": "all", "bootstrap.servers": "localhost:9095", **PATIENT})
future = producer.send(ProducerRecord("orders", value="tea"))
metadata = future.get()  # wait for the answer


def callback(metadata, error):  # called when the answer is there
    print("callback:", error or metadata)


producer.send(ProducerRecord("orders", value="milk"), callback)
producer.flush()
metadata

# %% [markdown]
# `orders-0@1` means: partition 0 of `orders`, offset 1. The callback printed it. The last line is
# the result of the first `get()`.

# %% exercise="05.3"

# %% [markdown]
# ## 6. Bug hunt

# %% exercise="05.4"

# %% [markdown]
# ## 7. The real thing beside it
#
# A recording of a real Java producer 2.3.0. It sends to the three partitions of a topic `safe`. The
# leader of `safe-0` is stopped, another broker takes over, and the producer continues. `acks=-1` is
# how Kafka writes `acks=all`. Guess before you run the cell: does the producer open a new
# connection to the new leader? Then look for `safe-0` and the words *to node*. Which node led
# `safe-0` before the stop, and which after it?

# %%
from kafkalab.stories.recorded import recorded

pair = recorded("2.3.1/2.3.0/fault_producer_leader_moves", seed=4)
messages = pair.real.message
asked = messages.str.contains(r"Sending PRODUCE|Node -?\d+ disconnected|Completed connection")
for line in messages[asked].str.split("] ", n=1).str[-1].str.slice(0, 110).drop_duplicates():
    print(line)

# %% [markdown]
# The simulator's lines are in `pair.played`. The producer found the new leader in the metadata, and
# it had a connection to it already.
#
# Here is the same in a small lab. Each box is a broker. A star marks a partition that it leads.
# Brackets mark a replica that is not in sync.

# %%
from kafkalab.views import cluster_map

lab = Lab(brokers=3, seed=4, version="2.3", broker_version="2.3")
lab.create_topic("safe", partitions=3, replication_factor=3, leaders=[0, 1, 2])
producer = KafkaProducer(lab, {"client.id": "shop", "acks": "all"})
orders = [ProducerRecord("safe", value="tea", partition=partition) for partition in range(3)]
for order in orders:
    producer.send(order).get()
cluster_map(lab, title="before the stop")

# %%
lab.broker(0).stop()
for order in orders:
    producer.send(order).get()
cluster_map(lab, title="after the stop: broker 1 leads two partitions")

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*.
#
# ## 8. Spark lab: the loss report
#
# An auditor has two lists: what the producers were told is written, and what readers can read.
# Three shops, A, B and C, wrote a hundred orders each, one every ten milliseconds. Shop A wrote
# with `acks=n.A.acks`. Its followers fell asleep after `n.A.asleep_after_ms` milliseconds. After
# the last order the leader of each shop crashed. An order that was acknowledged and cannot be read
# is lost. The first Spark cell takes up to a minute: it starts Spark.

# %%
n = numbers("05.5")
n

# %%
from kafkalab.stories.committed import shop_with_crash

acknowledged, readable = [], []
for name, shop in n.items():
    told, read = shop_with_crash(shop)
    acknowledged += [(name, key) for key in told]
    readable += [(name, key) for key in read]

# %% spark=true
from kafkalab import logsets

spark = logsets.session()
told_written = spark.createDataFrame(acknowledged, "shop string, key string")
can_be_read = spark.createDataFrame(readable, "shop string, key string")
told_written.groupBy("shop").count().orderBy("shop").toPandas()

# %% exercise="05.5"

# %% [markdown]
# The earlier the followers fell asleep, the more was lost, and no producer was told. With
# `acks=all` this report is empty.
#
# ## 9. In your own words
#
# A person reads this answer. `reveal("05.open", give_up=True)` shows a good one.

# %% exercise="05.open"

# %% [markdown] items="N21 N22 N23 N24 N25 N26 N27 N28"
# ## Eight rules, and what they cost
#
# Many articles give this list against losing messages. You have seen what each rule does:
#
# | Rule | Why | Seen in |
# |---|---|---|
# | 1. `send` with a callback, or look at the future. | Else nobody hears of a refusal. | sections 5, 6 |
# | 2. `acks=all` | The leader alone is one disk. | sections 1, 2 |
# | 3. Let it retry, and let time end it. | A leader changes; the next one answers. | sections 1, 3 |
# | 4. No unclean election. | A waiting partition still has its records. | section 2 |
# | 5. Three replicas or more. | One may be away for maintenance, and one may crash. | section 2 |
# | 6. `min.insync.replicas` above 1 | "All" of one is one. | section 2 |
# | 7. One replica more than that. | Else one restart stops the writers. | section 2 |
# | 8. Commit after the work, by hand. | The reader can lose, too. | chapter 09 |
#
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | `acks=all` waits for all replicas. | For all that are in sync; `min.insync.replicas` says how many that must be. | section 2 |
# | `min.insync.replicas` concerns `acks=all` only. | It *refuses* `acks=all` only. From broker 3.7 on records of `acks=0` and `acks=1` below the floor are not read until enough replicas are back (KAFKA-15583). | section 2 |
# | Set `retries` to a large number. | It has been the largest there is since 2.1; `delivery.timeout.ms` ends the trying (KIP-91). | section 3 |
# | `acks` is 1 by default. | `all` from client 3.0 on (KIP-679). | `Lab(version="2.8")` and `"3.9"` |
# | Idempotence is an extra. | On by default from 3.0.1, 3.1.1 and 3.2 on; 3.0.0 and 3.1.0 meant to, and a bug kept it off (KAFKA-13598). | section 4 |
# | A replica that is out of the set counts for nothing. | Kafka 4.0 remembers replicas that are still complete, *eligible leader replicas* (KIP-966). It is the default for new clusters from 4.1 on. | section 2, "no leader" |
#
# ## Break it yourself
#
# A cell of the grid, yours to change: the followers ("fine", "slow" or "away"), `acks`, the floor,
# and `unclean=True`. The followers are slow and `acks` is 1: does any floor save the orders?

# %%
lab, outcome = play(followers="slow", acks="1", min_insync=2)
outcome

# %% [markdown]
# <details><summary>The answer</summary>No. With a floor of 1, 2 or 3 all twenty are lost. The floor
# refuses only writes with <code>acks=all</code>. With <code>acks=1</code> the leader answers alone,
# and nobody else has the orders when it crashes.</details>

# %% [markdown]
# ### The same on real Kafka
#
# A shop sends twenty orders, while the followers sleep. Then the leader crashes. The cell below is
# folded. It does this on the simulator and on real brokers of your machine, in about two minutes.
# Real Kafka must be set up once: `python -m kafkalab real setup`. Without it the cell prints one
# sentence.

# %% fold=true
from kafkalab import ProducerRecord
from kafkalab.real import on_both


def twenty_orders(kafka):
    lab, left = kafka.Lab(brokers=3, version="3.9"), {}
    for acks in ("1", "all"):
        topic = f"orders with acks {acks}".replace(" ", "-")
        lab.create_topic(topic, replication_factor=3, leaders=[0])
        settings = {"acks": acks, "bootstrap.servers": "localhost:9093", "linger.ms": 0}
        shop = kafka.KafkaProducer(lab, settings, name=f"shop-{acks}")
        shop.partitions_for(topic)
        for follower in (1, 2):
            lab.broker(follower).pause(ms=5_500)
        lab.run_for(ms=1_000)  # the leader answers the fetches that have come before
        for number in range(20):
            shop.send(ProducerRecord(topic, f"order {number}"))
            lab.run_for(ms=10)
        lab.run_for(ms=1_000)
        lab.broker(0).crash()
        lab.run_for(ms=30_000)
        left[f"acks={acks}, left in the log"] = int(lab.describe_topic(topic).high_watermark[0])
        lab.broker(0).restart()
        lab.run_for(ms=10_000)
    return left


on_both(twenty_orders)

# %% [markdown]
# **So what?** For records that must stay: `acks=all`, three replicas, `min.insync.replicas=2`, no
# unclean election. Raise an alarm on `UnderMinIsrPartitionCount` and `OfflinePartitionsCount` above
# 0, and on the producers' `record-error-rate`. A record that must be known within a minute needs
# `delivery.timeout.ms` below a minute.
#
# ## What you know now
#
# - `send` returned: the record waits in the producer. Acknowledged with `acks=1`: the leader has
#   it. Committed: all in-sync replicas have it.
# - Use `acks=all` and a floor together.
# - A reported error is not data loss: send again. Loss is when you were told "written" and the
#   record is gone.
#
# **Words**: acks 确认方式 · in-sync replicas 同步副本集合 · min.insync.replicas 最小同步副本数 ·
# unclean election 非安全选举 · committed 已提交 · delivery timeout 投递超时

# %%
from autograder import my_guesses

my_guesses("05")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 04: what closes a batch?</summary>It is full (`batch.size`), or it
# has waited long enough (`linger.ms`), or another batch for the same broker leaves.</details>
# <details><summary>2. Chapter 01: what removes a record?</summary>Retention, by time or by size, or
# an administrator. Reading removes nothing.</details>
# <details><summary>3. Chapter 02: which thread sends, and which waits in
# <code>send</code>?</summary>The Sender sends. Your own thread only puts the record into a batch,
# and waits when there is no memory or the topic is not known yet.</details>
#
# Next: **06 · Can a record be written exactly once?**
