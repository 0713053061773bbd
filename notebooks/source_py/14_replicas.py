# %% [markdown]
# # 14 · Which record can a reader see?
#
# A producer was told "written". A reader asks the same broker for this record, and gets nothing.
# Then the broker dies, and the record is gone. Both are as they should be. A partition has several
# copies, and a reader sees only what is safe in them. This chapter shows how the copies agree.
#
# **You need** chapters 01 and 05. **You get** seven words: *log end offset*, *high watermark*,
# *leader epoch*, *truncation*, *eligible leader replica*, *rack*, *preferred read
# replica*. **Time** three sittings: about 35 + 20 + 40 minutes. They end after sections 4, 7
# and at the end.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab.stories.replicas import cluster, read, reader, replicas, till, write
from kafkalab.views import replica_ladder, timeline

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="N87 N88 N89"
# ## 1. Guess, run, look
#
# `orders` has one partition and three replicas (副本). A **replica** is one copy of the partition's
# log. Broker 0 is its *leader*: it takes all writes. Brokers 1 and 2 are *followers*: they copy
# from the leader. Clients do not write to them.
#
# A shop writes one order, and everybody has it. Then both followers stop for four seconds. In
# this time the shop writes five more orders with `acks=1`. A reader polls all the time. Guess two
# numbers. How many of the five is the shop told as written within a second? How many of the five
# does the reader get within three seconds?

# %%
predict("14 five orders", told=None, seen_in_three_seconds=None)

# %%
lab = cluster()
shop, ada = till(lab, acks="1"), reader(lab)
write(shop, "order 0")
read(lab, ada, 2_000)
for follower in (1, 2):
    lab.broker(follower).pause(4_000)
begin_ms = lab.now_ms
told = write(shop, *(f"order {number}" for number in range(1, 6)))
got = read(lab, ada, 6_000)
early = [offset for offset, at_ms in got.items() if at_ms - begin_ms < 3_000]
truth("14 five orders", told=len(told), seen_in_three_seconds=len(early))
moments = {begin_ms + 3_000: "the followers are stopped", begin_ms + 5_500: "they run again"}
replica_ladder(lab, "orders-0", moments, title="one record is readable, then six")

# %% [markdown] items="N87"
# Two numbers belong to each replica.
#
# - The **log end offset** (日志末端位移, LEO) is the offset that the next record will get. Each bar
#   ends there, the leader's green one and the followers' blue ones. The leader's log end moved to 6
#   at once.
# - The **high watermark** (高水位, HW) is the red line. A reader gets the records below it. It was
#   at 1 until the followers had copied.
#
# The reader asked the leader, and the leader had all six. It gave only what the in-sync replicas
# have too. Why so strict? A reader must not get a record that a crash can take back. Section 4
# shows what happens otherwise.
#
# "Written" with `acks=1` and "readable" are two facts. With `acks=all` the answer waits for the
# high watermark, so there the two come together.
#
# ## 2. How the high watermark moves
#
# Nobody sends the high watermark around on its own. Two rules are enough, as
# long as enough replicas are in sync.
#
# 1. A follower fetches "from offset 7". The leader learns from this request that the follower has
#    all records below 7. So *the next fetch is the receipt*.
# 2. The leader takes the smallest log end of the in-sync replicas. This is its high watermark. It
#    writes the number into each answer, and the follower takes it over.
#
# From 3.7 on there is a third rule. The mark does not move while fewer replicas are in sync than
# `min.insync.replicas` asks for (KAFKA-15583, chapter 05). Section 6 needs this rule. And the leader
# counts a follower that has caught up and is about to join, too. Without that the mark would run ahead
# of the follower, which then never gets in.
#
# Here is one record, millisecond by millisecond. `end 1` is the log end of broker 1, `hw 1` its
# high watermark. How many milliseconds after the leader's high watermark do the followers' move?

# %%
predict("14 one record", followers_later_ms=None)

# %%
from kafkalab.stories.replicas import steps

lab = cluster()
shop = till(lab)
lab.run_for(ms=1_000)
write(shop, "order 0")
lab.run_for(ms=1_000)
begin_ms = lab.now_ms
write(shop, "order 1")
lab.run_for(ms=1_200)
table = steps(lab, begin_ms)
at = {name: int(table.ms[table[name] == 2].min()) for name in ("hw 0", "hw 1")}
truth("14 one record", followers_later_ms=at["hw 1"] - at["hw 0"])
table

# %% [markdown] items="N87"
# The record itself needs a few milliseconds. The news about the watermark needs half a second. A
# fetch without records waits at the leader for at most `replica.fetch.wait.max.ms`, 500 ms. A new
# record ends the wait at once. A new high watermark does not end it. So a follower's high watermark
# may be half a second late, when no new record comes. Keep this in mind for section 8.

# %% exercise="14.1"

# %% [markdown] items="N94 N95 N96 N97"
# ## 3. In sync: time counts, not records
#
# The **in-sync replicas** (同步副本集合, ISR) are the leader and the followers that keep up. What is
# "keep up"? A leader has ten records, one follower six, another three. Which of them is out of
# sync? Many people set a limit for the missing records. Kafka once had such a limit,
# `replica.lag.max.messages`. Version 0.9 removed it, because a burst of records threw healthy
# followers out.
#
# Since then only time counts. A follower has *caught up* when its fetch asks from the leader's log
# end. It has also caught up when the fetch asks from where the leader's log ended at the fetch
# before: it took all that was there. A follower that lacks nothing stays, however long ago its last
# fetch was. A follower that has not caught up for longer than
# `replica.lag.time.max.ms` leaves the ISR. The default is 30 seconds since 2.5 (10 before). The
# leader checks at intervals of half this time. So it can take up to 45 seconds.
#
# Two partitions. In `busy`, 50 records come each second, and the disk of the follower needs 300 ms
# for each portion. In `quiet`, one record comes, and its follower has stopped. After 45 seconds,
# how many replicas are in sync in each? How many records does each follower lack?

# %%
predict("14 busy and quiet", busy_in_sync=None, quiet_in_sync=None)

# %%
from kafkalab.stories.replicas import busy_and_quiet

lab = busy_and_quiet(ms=45_000)
in_sync = {name: len(lab.cluster.partition(name, 0).isr) for name in ("busy", "quiet")}
truth("14 busy and quiet", busy_in_sync=in_sync["busy"], quiet_in_sync=in_sync["quiet"])
replicas(lab, "busy-0")

# %%
replicas(lab, "quiet-0")

# %% [markdown] items="N95 N96 N97"
# The follower of `busy` lacks records whenever you look, and stays in sync: each fetch reaches the
# end that the fetch before saw. The follower of `quiet` lacks one record, and is out. A count would
# have judged both wrong.
#
# In `busy` the high watermark is below the log end of the follower, though it is the only one. The
# leader counts what the follower's last fetch asked for. The records of the last answer are in the
# follower's log already, but its next fetch, the receipt, is still to come.
#
# One question comes before the time: does the follower lack anything? Where both logs end at the same
# offset, it stays, however long ago its last fetch came. Below, broker 1 is cut off for 90 seconds,
# and the limit is 10. Since then 0 records were written, or 1. (The controller of this lab is patient.
# With the defaults it takes out any broker of which it has heard nothing for 9 seconds.)

# %%
from kafkalab.stories.replicas import late_follower

for missing in (0, 1):
    lab = late_follower(lag_s=10, missing=missing, caught_up_s=90)
    print(missing, "missing, in sync:", lab.cluster.partition("orders", 0).isr)

# %% [markdown]
# A follower comes back when its log end reaches two offsets: the high watermark, and the offset at
# which this leader began to lead. The set changes all the time. That is normal. What should wake
# you up is a replica that leaves and comes back again and again.

# %% exercise="14.2"

# %% [markdown]
# ## 4. Write the watermark
#
# Now the leader uses your rule. The lab asks it each time when a record is written or a follower
# fetches. A wrong rule shows a record that vanishes, or hides one that is safe.

# %% exercise="14.3"

# %% [markdown]
# A rule may hold for six nights and break in the seventh. `survive` plays six kinds of nights with
# as many seeds as you like. Twenty seeds are 120 nights; they take some seconds. In the table
# "heir" means: broker 1 is cut off, and leads later. In "last heir" broker 2 died before. Try it
# with a wrong rule too. In which kinds of nights does it do harm?

# %%
from kafkalab.stories.replicas import survive

# survive(watermark, seeds=20)      # take the # away when your rule is ready

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 5. A leader dies, and a leader comes back
#
# A shop sells eight orders with `acks=1`, one each 20 ms. A reader reads. Choose the moment at
# which the leader dies, and choose a fast or a slow broker 1. Broker 1 becomes the leader. Compare
# three numbers above the picture. This picture moves: use the slider, the play button and the
# switch.

# %%
from kafkalab.stories.moving_replicas import moment_of_the_crash

moment_of_the_crash()

# %% [markdown] items="N88"
# What was told may be more than what is kept. What the reader got is never more than what is kept,
# as long as only an in-sync replica may lead: this is the work of the high watermark. With a fast follower a crash can still fall into the few
# milliseconds between "written" and "copied".
#
# Now the other case: the old leader does not die. Broker 0 leads, and everybody has four orders.
# The network breaks between broker 0 and the others. Broker 0 does not know it yet. A shop that
# still talks to it writes three orders with `acks=1`. Then the controller notices, and broker 1
# leads. Another shop writes two orders there with `acks=all`. The network heals. How many of the
# three are in the log at the end? How many of the five later orders were told as written?

# %%
predict("14 cut off", lost_ones_in_the_log=None, told_as_written=None)

# %%
from kafkalab.stories.replicas import cut_off, orders_in

lab, moments = cut_off()
log = orders_in(lab, broker=0)
answered = [event for event in lab.journal.of("record.completed") if not event.error]
truth(
    "14 cut off",
    lost_ones_in_the_log=sum(key.startswith("lost") for key in log),
    told_as_written=len(answered) - 4,
)
replica_ladder(lab, "orders-0", moments, title="the old leader gives up its own records")

# %% [markdown] items="N90"
# All five were told as written, and three of them are gone. They were never below the high
# watermark, so no reader got them. The old leader came back as a follower. It had three records
# that the new leader does not have. It cut them off. This is **truncation** (日志截断).
#
# How does a follower know where to cut? Each time of a leader has a number, the **leader epoch**
# (领导者纪元). It rises with each election. Each replica notes at which offset an epoch begins:

# %%
from kafkalab.stories.replicas import epochs

epochs(lab)

# %% [markdown]
# Before it copies, a follower asks the leader: "My last epoch is 0. Where did it end in your log?"
# The leader says: at 4, there my epoch 1 begins. So the follower keeps the records below 4.
#
# KIP means [Kafka Improvement
# Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals). Before
# 0.11 a follower cut at its own high watermark (KIP-101 changed that). Section 2 shows why this was
# wrong: the high watermark of a follower may be late. A follower that restarted could throw away a
# record that was acknowledged. If the leader died just then, no copy was left. KIP-279 (2.0) mended
# the case in which two leaders change one after the other. Since 2.8 a follower asks it in the
# fetch itself (KIP-595, KAFKA-10554).

# %% exercise="14.4"

# %% [markdown] items="N98 N99"
# ## 6. No replica in sync is left
#
# `min.insync.replicas` is 2, so a write with `acks=all` needs two copies. Broker 1 is stopped. Then
# broker 2 is stopped. Then broker 0, alone in the ISR, crashes. "The ISR is empty", many texts say.
# Until 3.x it never was: the last member stayed in the list, down or not. One broker comes back.
# Who leads? Guess the broker, or "nobody". Unclean election is off.

# %%
predict("14 who leads", broker_2_back_in_2_3=None, broker_2_back_in_4_4=None)

# %%
import pandas
from kafkalab.stories.replicas import nobody_in_sync

rows = []
for release in ("2.3", "4.4"):
    for back in (0, 1, 2):
        lab = nobody_in_sync(release, back)
        rows.append((release, back, lab.leader("orders", 0)))
table = pandas.DataFrame(rows, columns=["brokers", "comes back", "leader"])
leaders = {row[:2]: "nobody" if row[2] < 0 else str(row[2]) for row in rows}
truth(
    "14 who leads",
    broker_2_back_in_2_3=leaders["2.3", 2],
    broker_2_back_in_4_4=leaders["4.4", 2],
)
table

# %% [markdown] items="N98 N99"
# On 2.3 only the last member of the ISR may lead, broker 0. If its disk is gone, the partition
# waits for ever, or you allow an unclean election (chapter 05).
#
# On 4.4 broker 2 may lead. It left when the ISR fell below `min.insync.replicas`. From then on
# every write with `acks=all` was refused, and the high watermark did not move. So broker 2 has
# every record that was acknowledged with `acks=all`. Such a replica is an **eligible leader
# replica** (ELR, 合格领导副本, KIP-966). Clusters that are new in 4.1 or later use it by default. Broker
# 1 left earlier, when the ISR still had two members: it may lack something, so it is not eligible.
#
# And why not broker 0? It crashed. A broker that crashed may have lost what was not yet on its
# disk, so 4.4 takes it out of the ELR when it comes back. 2.3 did not ask. The next section shows
# this danger.
#
# And when no replica is in sync and none is eligible? Then 4.4 waits for the **last known leader**. It
# leads as soon as it is back (KIP-966), and a cluster comes back after a power cut.

# %%
lab = nobody_in_sync("4.4", back=1)
replicas(lab)

# %%
from kafkalab.tools.command import tool

print(tool(lab, "kafka-topics.sh --describe --topic orders"))

# %% [markdown] items="N99"
# The tool calls the list `Elr`. Broker 0 is still down here, so the list still has it as eligible. It is taken out when it comes
# back. Broker 1 lacks two orders: they were written after it had left.
#
# With `unclean.leader.election.enable=true` the first live replica leads, whatever it has. Change
# the call in the cell above: `nobody_in_sync("4.4", back=1, unclean=True)`. The partition is up,
# broker 1 leads, and the two orders that only broker 0 and 2 had are lost.

# %% [markdown]
# **Who should lead?** The first of `Replicas` is the **preferred leader**. A broker that was stopped
# comes back as a follower. The controller gives it its partitions again within five minutes, if more
# than 10 % are elsewhere (`auto.leader.rebalance.enable`). You need not wait:

# %%
from kafkalab.stories.replicas import back_to_the_preferred_leader

back_to_the_preferred_leader()

# %% [markdown]
# A terminal does it with `kafka-leader-election.sh --election-type preferred`. To move *replicas*, when
# a broker is new or leaves, use `kafka-reassign-partitions.sh`: it copies first, and needs a throttle.
# The lab does not move replicas.
#
# ## 7. A disk that forgets
#
# `acks=all` and `min.insync.replicas=2`. A shop writes five orders, and a minute later five more.
# All ten were acknowledged, and all three replicas have them. Half a second after the last five the
# power fails in the whole building. Kafka does not wait for the disk: the record is in the memory
# of the operating system, which writes it later. This is no mistake. Three machines rarely fail in
# the same second. How many of the ten are left?

# %%
predict("14 power", left=None)

# %%
from kafkalab.stories.replicas import power_cut

left = {f"{after_ms} ms": power_cut(after_ms) for after_ms in (500, 20_000, 40_000)}
truth("14 power", left=left["500 ms"][1])
pandas.DataFrame(left, index=["acknowledged", "left"])

# %% [markdown]
# A process that crashes loses nothing: the operating system still has the bytes. A machine without
# power loses what was not written yet. In the lab this is what came in about the last half minute,
# as on a Linux with its usual settings. `acks=all` means copies on several machines, not bytes on a
# disk. So put the replicas where they do not lose power together: this is what racks and zones are
# for (section 8). `log.flush.interval.messages=1` makes Kafka wait for the disk. It costs much, and
# the lab does not simulate it.
#
# A broker may have several disks, with a folder on each in `log.dirs` (*JBOD*). A new replica goes to the
# folder with the fewest, whatever their size. When one disk fails, only its replicas are offline
# (KIP-112; with KRaft KIP-858, ready since 3.8). A broker of the lab has one disk.
#
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.

# %% [markdown] items="N86 N91 N92 N93"
# ## 8. May a follower serve readers?
#
# Copies could do more than wait for a crash. They could answer readers. For years Kafka said no,
# for two reasons.
#
# - *Read your writes* (读己之写): what I have written, I want to read at once. A follower may not have
#   it yet.
# - *Monotonic reads* (单调读): a record that I saw must not disappear in the next read. It could, if I
#   ask one follower first and a slower one later.
#
# Since 2.4 a follower may serve consumers (KIP-392). From 3.3.2 and 3.4.0 on it must be in sync
# (KAFKA-14372). The reason is money and distance: brokers are
# in several **racks** (机架) or cloud zones, and traffic between zones is slow and costs. Three
# settings belong together: `broker.rack` at each broker, `client.rack` at the consumer, and
# `replica.selector.class` with the RackAwareReplicaSelector at the brokers. A consumer reads in
# its rack only with all three. `broker.rack` alone spreads the replicas over the racks. Since 3.5
# `client.rack` alone changes which partitions a member gets (KIP-881).
#
# The consumer asks the leader first, as always. The leader looks for an in-sync follower in the
# consumer's rack. It answers without records and with its number, the **preferred read replica**
# (首选读副本). The consumer fetches from there, until `metadata.max.age.ms` (five minutes) is over.
#
# ada is in rack a, with the leader. bo is in rack b, with a follower. The shop writes one order.
# How many milliseconds later does each get it? Guess roughly.

# %%
predict("14 two racks", ada_ms=None, bo_ms=None)

# %%
from kafkalab.stories.replicas import racks

waits = {}
for name, rack in (("ada", "a"), ("bo", "b")):
    lab = racks()
    shop = till(lab, acks="all")
    one = reader(lab, name, **{"client.rack": rack})
    write(shop, "order 0")
    read(lab, one, 3_000)
    write(shop, "order 1")
    written_ms = lab.now_ms
    waits[name] = read(lab, one, 3_000)[1] - written_ms
truth("14 two racks", ada_ms=waits["ada"], bo_ms=waits["bo"])
timeline(lab, "bo", title="bo fetches from the leader (broker 0) once, and then from broker 1")

# %% [markdown] items="N91 N92 N93"
# In the picture bo sends three requests to broker 0; only the last one is a fetch.
#
# bo waits longer. The record is on broker 1 after some milliseconds, but broker 1 learns late that
# it is below the high watermark (section 2). When records come all the time, the next record brings
# the news, and the wait is short. (Brokers 2.4 and 2.5 sent the news at once. This cost too many
# requests, and KAFKA-9952 took it away in 2.6.) So *read your writes* is the price of a near
# replica.
#
# *Monotonic reads* are kept. A consumer has a position and only moves forward. If the new replica
# has not come so far, the consumer gets nothing, or OFFSET_OUT_OF_RANGE. In both cases it continues
# later, and nothing disappears. The lab's clients from 2.3 on do this, with brokers 4.4.
#
# The near replica dies. What does the consumer do? Here is what bo says, with two clients:

# %%
from kafkalab.stories.replicas import after_the_follower_died

{version: after_the_follower_died(version) for version in ("2.8", "3.9")}

# %% [markdown]
# The 3.9 client goes back to the leader when the connection breaks. But the leader still counts
# broker 1 as in sync, so it sends the client back, until the controller has noticed. Clients up to
# 3.3.1 only try the dead broker, until the time of the near replica is over or new metadata names
# this broker no more (KAFKA-14379).
#
# ## 9. The real thing beside it
#
# A recording of a real Java consumer 4.4.0 in rack b, on three real brokers. Of `near-0` a follower
# is in its rack. `near-1` is led there. The right column is the simulator:

# %%
import re

from kafkalab.stories.recorded import recorded

pair = recorded("4.4.0/4.4.0/consumer_reads_in_its_rack", seed=0)


def short(line):
    """The partition, and what the line says of it."""
    if found := re.search(r"Returning (\d+) .*?offset=(\d+).*(near-\d)", line):
        return f"{found[3]}: records {found[1]}, from offset {found[2]}"
    found = re.search(r"(near-\d) to (\d)", line)
    return f"{found[1]}: read it at broker {found[2]}" if found else "-"


beside = pair.beside("Updating preferred", "Returning ")
beside.apply(lambda column: column.map(short))

# %% [markdown]
# Where a side has no line, the other did it in another portion. Orders 3 and 4 of `near-0` came to
# the real client in two fetches. In the lab they came in one.

# %% [markdown]
# One question about the real log. The shop wrote the orders 3, 4 and 5 within 45 milliseconds.
# Order 5 is the last one in `near-0`. How long after order 4 did the consumer get it, and why?

# %%
real = pair.real[pair.real.message.str.contains("Returning 1 fetched records")]
real[["time"]].assign(offset=real.message.str.extract(r"offset=(\d+)"))

# %% [markdown]
# <details><summary>The answer</summary>About 450 ms. Order 4 was shown when order 5 was copied: the
# answer with order 5 brought the news about 4. After order 5 no record came. So broker 1 heard of
# the new high watermark with the next empty answer, at the end of the 500 ms.</details>
#
# ## 10. Spark lab: who pays for the traffic?
#
# Four shops read `orders`. Broker 0, in rack a, leads; broker 1 is in rack b, broker 2 in rack c.
# The team set `client.rack` for each shop. The bill says that somebody still reads from another
# zone. All you have is the logs of the four readers.

# %%
from kafkalab.stories.log_files import write_log_files
from kafkalab.stories.replicas import reading_in

shops = numbers("14.5")
logs = {name: reading_in(**dict(shop)).log_text("reader") for name, shop in shops.items()}
reader_logs = write_log_files(logs, "chapter14/reader_logs")
shops

# %% [markdown]
# The shop's own rack is in each fetch request (`rackId='b'`). The line "Sending … fetch … to broker
# localhost:9093 (id: 1 rack: b)" says where the fetch goes. Spark starts now. That takes up to a
# minute.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
lines = logsets.read(spark, str(reader_logs))
shop = F.regexp_extract("file", r"([^/]+)\.log", 1)
sent = lines.where(F.col("message").rlike("Sending .*FetchRequest.* to broker"))
fetches = (
    sent.withColumn("shop", shop)
    .withColumn("rack", F.regexp_extract("message", r"rack: (\w+)", 1))
    .groupBy("shop", "rack")
    .count()
)
fetches.orderBy("shop", "rack").toPandas()

# %% exercise="14.5"

# %% [markdown]
# ## 11. Who leads now?
#
# Back to section 6, with clusters of your own: who may lead when nobody was in sync?

# %% exercise="14.6"

# %% [markdown]
# ## 12. In your own words
#
# A person reads this answer. `reveal("14.open", give_up=True)` shows a good one.

# %% exercise="14.open"

# %% [markdown]
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | A follower that lacks too many records leaves the ISR. | Since 0.9 only time counts (`replica.lag.time.max.ms`). | section 3 |
# | The lag time is 10 seconds. | 30 seconds since 2.5 (KIP-537). | below |
# | A follower cuts its log at its high watermark. | At the end of the leader's epoch, since 0.11 (KIP-101). | section 5 |
# | The ISR can be empty, and then only an unclean election helps. | Up to 3.x the list kept its last member. Since 4.0 a cluster may have eligible leader replicas (KIP-966); clusters new in 4.1 have them. | section 6 |
# | Followers serve no reads. | Since 2.4 consumers may read in their rack (KIP-392). | section 8 |
# | ZooKeeper notices that a leader is gone. | Since 4.0 only the KRaft controllers, by heartbeats of the brokers. | section 5 |
#
# The second row: how long does a follower that has stopped remain in the ISR? The controller is
# patient here, so only the lag time counts.

# %%
from kafkalab.stories.replicas import leaves_after

{release: f"{leaves_after(release)} s" for release in ("2.3", "4.4")}

# %% [markdown]
# ## Break it yourself
#
# `acks=1` and two followers. The orders came before the network broke. Change one word so that no
# order that was told as written is missing at the end. Which word is it, and what does the shop
# hear instead?

# %%
from kafkalab.stories.replicas import outcome

acks = "1"
lab = cluster(brokers=4, min_insync_replicas=2)
shop = till(lab, acks=acks)
lab.run_for(ms=1_000)
lab.partition([0], [1, 2, 3])
heard = outcome(lambda: write(shop, "order 0"))
lab.run_for(ms=12_000)
lab.heal()
lab.run_for(ms=20_000)
heard, orders_in(lab, lab.leader("orders", 0))

# %% [markdown]
# <details><summary>The answer</summary><code>acks = "all"</code>. The order is not in the log in either
# case. With "1" the shop was told that it is written. With "all" the shop hears a TimeoutException, so
# it knows that it must ask or send again.</details>

# %% [markdown]
# ### The same on real Kafka
#
# Both followers stop, a shop writes five orders, and a reader polls. The cell below is folded. It
# does this on the simulator and on real brokers of your machine, in about a minute. Real Kafka must
# be set up once: `python -m kafkalab real setup`. Without it the cell prints one sentence.

# %% fold=true
from kafkalab import ProducerRecord, TopicPartition
from kafkalab.real import on_both


def five_orders(kafka):
    lab = kafka.Lab(brokers=3, version="3.9")
    lab.create_topic("orders", replication_factor=3, leaders=[0])
    settings = {"acks": "1", "linger.ms": 0, "enable.idempotence": False}
    shop = kafka.KafkaProducer(lab, settings, name="shop")
    ada = kafka.KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="ada")
    ada.assign([TopicPartition("orders", 0)])
    shop.send(ProducerRecord("orders", "order 0")).get()
    seen = [len(ada.poll(timeout_ms=5_000))]
    for follower in (1, 2):
        lab.broker(follower).pause(ms=5_000)
    told = [shop.send(ProducerRecord("orders", f"order {n}")).get().offset for n in range(1, 6)]
    for wait_ms in (3_000, 6_000):
        end_ms = lab.now_ms + wait_ms
        seen.append(0)
        while lab.now_ms < end_ms:
            seen[-1] += len(ada.poll(timeout_ms=100))
    names = ("seen before", "seen while they are stopped", "seen afterwards")
    return {"told": len(told), **dict(zip(names, seen, strict=True))}


on_both(five_orders)

# %% [markdown]
# **So what.** The numbers for production: three replicas, `min.insync.replicas=2`, `acks=all`,
# unclean election off. Alert when a partition has fewer in-sync replicas than `min.insync.replicas`
# (`UnderMinIsrPartitionCount`), and on a partition without a leader (`OfflinePartitionsCount`):
# both should be 0. Watch `UnderReplicatedPartitions` and how often the ISR shrinks
# (`IsrShrinksPerSec`): a steady number means a slow disk or network.
#
# ## What you know now
#
# - A reader sees the records below the high watermark: the smallest log end of the in-sync
#   replicas.
# - A follower's next fetch is its receipt. A follower learns the high watermark up to half a second
#   late.
# - Time decides who is in sync, not the number of records.
# - A leader that comes back cuts its log where the new leader's epoch begins. What only `acks=1`
#   confirmed may be in the part that is cut.
# - Acknowledged means copied. It does not mean that it is on a disk.
# - A consumer may read in its own rack since 2.4. It sees records a little later.
#
# **Words**: log end offset 日志末端位移 · high watermark 高水位 · in-sync replicas 同步副本集合 · leader
# epoch 领导者纪元 · truncation 日志截断 · eligible leader replica 合格领导副本 · rack 机架 · preferred read
# replica 首选读副本

# %%
from autograder import my_guesses

my_guesses("14")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 05: what does a leader answer to acks=all with fewer in-sync replicas
# than min.insync.replicas?</summary>NOT_ENOUGH_REPLICAS. The record is not written.</details>
# <details><summary>2. Chapter 06: a read_committed reader stops before the high watermark. Where?
# </summary>At the last stable offset, the begin of the oldest open transaction.</details>
# <details><summary>3. Chapter 09: a position and a committed offset, which of them is in
# Kafka?</summary>The committed offset. The position is in the memory of the consumer.</details>
