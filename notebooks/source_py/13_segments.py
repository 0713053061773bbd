# %% [markdown]
# # 13 · What does a log look like on disk?
#
# A topic is set to keep its records for 30 minutes. A legal department asks: how old can the oldest
# record be? A capacity planner asks: how large can the log become? Neither answer is in the
# setting. By age or size Kafka deletes no single records. It deletes whole *files*, and it looks for them now
# and then.
#
# **You need** chapters 01 and 09; 04 and 06 help. **You get** seven words: *segment*, *active
# segment*, *index*, *roll*, *retention check*, *log cleaner*, *dirty ratio*. **Time** three
# sittings: about 45 + 20 + 35 minutes. They end after sections 4 and 7 and at the end.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import KafkaProducer, ProducerRecord
from kafkalab.stories.segments import in_ms as minutes, oldest_minutes, sell, shop_lab
from kafkalab.views import record_strip, segment_strip
import pandas as pd

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="N6 N7"
# ## 1. Guess, run, look
#
# One order comes each minute, for four hours. `retention.ms` is 30 minutes. `segment.ms` is 20
# minutes; we come to it soon. All other settings have their defaults. Each minute we look how old
# the oldest order in the log is. What is the highest age, in minutes?

# %%
predict("13 oldest order", minutes=None)

# %% items="N6 N7"
lab, ages = shop_lab(retention_ms=minutes(30), segment_ms=minutes(20)), []
sell(lab, orders=240, each=lambda: ages.append(oldest_minutes(lab)))
truth("13 oldest order", minutes=max(ages))
looks = [minutes(each) for each in (40, 50, 52, 70, 72, 96)]
segment_strip(lab, "orders", at_ms=looks, title="a log that keeps thirty minutes")

# %% [markdown] items="N7"
# Each row is the log at one moment. It is not one file but several. A file of the log is a
# **segment** (日志段). Its name is the offset of its first record, with 20 digits:
# `00000000000000000020.log`. New records are appended to the last file, the **active segment**
# (活跃段). When the active segment is full or old, the broker closes it and begins the next one. It
# **rolls** (滚动切分) the segment.
#
# Nothing is ever changed or removed in the middle of a file. To free space, Kafka deletes the
# oldest file, as a whole. Writing at one end and deleting at the other is fast: the disk writes in
# sequence.
#
# Now the 54 minutes. Look at the third file, with the orders of the minutes 41 to 61. Three things
# make its deletion late:
#
# 1. A segment can go when its *newest* record is too old. That is at minute 91. By then the oldest
#    order in the file is 50 minutes old.
# 2. The broker looks every five minutes (`log.retention.check.interval.ms`). That is the
#    **retention check** (保留检查). The first one comes 30 seconds after the start, so the next one
#    after minute 91 is at 95.5. The oldest order is 54.5 minutes old then; we looked each minute.
# 3. The file is renamed to `.deleted` first. It leaves the disk a minute later
#    (`file.delete.delay.ms`). Readers no longer see its records, but the space is still in use.
#
# `retention.ms` is a minimum, as long as all clocks are right and there is no limit in bytes. It is
# no maximum. For that, add `segment.ms`, five minutes, and a minute.

# %% [markdown]
# ## 2. When does a segment roll?
#
# The broker asks before each append. It rolls when one of these is true:
#
# - The batch does not fit any more: `segment.bytes`, 1 GiB.
# - The segment is too old: `segment.ms`, seven days.
# - An index is full (`segment.index.bytes`, 10 MiB), or the offsets reach too far for it. Both are
#   rare.
#
# Two things about the age are easy to miss. The clock is in the records: the broker compares the
# timestamp of the first record with that of the new one. And somebody has to write. Without a new
# record nothing is appended, so nothing rolls. A quiet topic keeps its active segment.
#
# Here is what the broker has on disk, for the log above:

# %%
files = pd.DataFrame(lab.broker(0).segments("orders", 0))
files[["file", "size_bytes", "index_entries", "is_active"]]

# %% [markdown]
# Many partitions begin at the same moment, when a topic is made. So their segments would all roll
# at the same moment, too, and the disk would have to work hard. `segment.jitter.ms` spreads this:
# each segment gets a random share of it, and rolls so much earlier. Eight partitions with
# `segment.ms` of 30 minutes; these are the minutes of their first rolls:

# %%
from kafkalab.stories.segments import roll_minutes

{f"jitter {jitter} min": roll_minutes(minutes(jitter)) for jitter in (0, 10)}

# %% [markdown]
# ## 3. How does a broker find an offset?
#
# A reader asks for offset 1,234. A file of a gigabyte may hold ten million records. The broker does
# not read it from its beginning. Beside each `.log` file is an **index** (索引文件), `.index`. It is
# *sparse*: it has an entry after every 4,096 bytes (`index.interval.bytes`), not for each record.
# An entry says: this offset is in the batch that begins at this byte.
#
# A look-up has three steps. The broker takes the segment with the largest base offset that is not
# beyond 1,234. In its index it takes the last entry that is not beyond 1,234. From this byte on it
# reads the headers of batches, one after the other, until one reaches 1,234. Each batch here has
# one order of about a hundred bytes. How many headers does the broker read, at most?

# %%
predict("13 headers", at_most=None)

# %%
lab = shop_lab(segment_ms=minutes(60))
sell(lab, orders=3_000, every_ms=2_000, size=30)
steps = [lab.broker(0).look_up("orders", 0, offset) for offset in range(3_000)]
truth("13 headers", at_most=max(len(each.scanned) for each in steps))
found = steps[2_345]
found.file, found.entry, len(found.scanned), found.position

# %% [markdown]
# The last line is the look-up of offset 2,345: the file, the entry (offset and byte), how many
# headers were read, and at which byte the batch begins. The index is small enough to stay in
# memory. A second file, `.timeindex`, does the same for timestamps. So a consumer can ask where
# yesterday begins (`offsets_for_times`).

# %% exercise="13.1"

# %% [markdown]
# ## 4. Which segments go?
#
# Two settings decide, and either one is enough:
#
# - `retention.ms`, seven days. A segment is too old when its newest record is older than that. -1
#   means: keep for ever.
# - `retention.bytes`, -1, which means no limit. A segment goes when the log *without it* is still
#   at least as large as the limit. So the log stays a little larger than the limit, not smaller.
#   The limit is for one partition, not for the topic.
#
# Files go from the oldest on, in a row. The first file that stays protects all files behind it.
# Here a log may have 2,000 bytes, and an order has about a hundred. How many bytes are left in the
# end?

# %%
predict("13 bytes left", bytes_left=None)

# %%
lab = shop_lab(retention_bytes=2_000, retention_ms=-1, segment_ms=minutes(7))
sell(lab, orders=60)
lab.run_for(ms=minutes(10))
rows = lab.broker(0).segments("orders", 0)
truth("13 bytes left", bytes_left=sum(row["size_bytes"] for row in rows))
[row["size_bytes"] for row in rows]

# %% [markdown]
# More than 2,000. Without the oldest of these files the log would be smaller than the limit.
#
# Now a producer whose clock is 50 minutes fast. It writes one order among 80 others, the fourth
# one. The topic keeps 20 minutes, in segments of ten. How many of the first thirty orders are still
# there after 80 minutes?

# %%
predict("13 fast clock", still_there=None)

# %%
lab = shop_lab(retention_ms=minutes(20), segment_ms=minutes(10))
sell(lab, orders=3)
fast = KafkaProducer(lab, {"linger.ms": 0}, name="fast")
ahead_ms = lab.epoch_ms + lab.now_ms + minutes(50)
fast.send(ProducerRecord("orders", value="tea", timestamp_ms=ahead_ms)).get()
sell(lab, orders=77)
start = lab.broker(0).machine.replicas.replica(("orders", 0)).log.log_start_offset
truth("13 fast clock", still_there=max(0, 30 - start))
segment_strip(lab, "orders", at_ms=[minutes(each) for each in (30, 60, 79)], title="a fast clock")

# %% [markdown]
# All but three. The fast order is 50 minutes newer than the first one, by the records' clock. So a
# new file began with it. This file did not roll for an hour: its age counts from its first
# timestamp, which was in the future. And it did not become old, because its newest timestamp was in
# the future, too. It protects all files behind it.
#
# Since 4.0 a broker refuses a timestamp that is more than an hour ahead
# (`message.timestamp.after.max.ms`). A limit for old ones, `message.timestamp.before.max.ms`, is off by
# default. With `message.timestamp.type=LogAppendTime` the broker writes
# its own time, and no producer's clock counts.
#
# "The active segment is never deleted" is a sentence that one can read elsewhere. It is not true.
# When no order has come for long enough, its newest record is too old as well. Then the broker
# rolls an empty segment first, and deletes the old one:

# %%
lab = shop_lab(retention_ms=minutes(20), segment_ms=minutes(10))
sell(lab, orders=25)
lab.run_for(ms=minutes(40))
[(row["file"], row["size_bytes"]) for row in lab.broker(0).segments("orders", 0)]

# %% exercise="13.2"

# %% exercise="13.3"

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 5. What do the tools say?
#
# Two tools of Kafka look at logs. `kafka-dump-log` (DumpLogSegments) reads the files of a broker.
# `kafka-get-offsets` (GetOffsetShell) asks the brokers for the ends of a log. Both are commands of
# the lab, too; on the command line they are `python -m kafkalab kafka-dump-log --scenario FILE
# --topic-partition orders-0`. Here is a log with batches of three orders:

# %%
from kafkalab.stories.segments import recorded_logs, recorded_output
from kafkalab.tools import dump_log, get_offsets

logs = {release: recorded_logs(release) for release in ("2.3", "4.4")}
dump = dump_log.dumped(logs["4.4"], "orders-0", records=True)
print(*dump.splitlines()[:7], sep="\n")

# %% [markdown]
# `position` is the byte at which a batch begins: this is what an index entry points to. The rows
# with a bar are records. `CreateTime` of the batch is its newest record's.
#
# **The real thing beside it.** The same records were written to a real broker 2.3.1 and a real
# broker 4.4.0. The cell compares the indexes of the real files with those of the lab, for both
# releases. Then it prints the real one of 4.4.0:

# %%
for release, lab in logs.items():
    real = recorded_output(release)["kafka-dump-log --topic-partition orders-0 --index"]
    print(release, "the same:", real == dump_log.dumped(lab, "orders-0", index=True))
print(real)

# %% [markdown]
# One question about the real index. Which batches does the broker read for offset 12? The batches
# are 0 to 2, 3 to 5, and so on. An entry names the *last* offset of its batch.
#
# <details><summary>Answer</summary>The entry of offset 8, at byte 345, is the last one that is not
# beyond 12. The batch there is 6 to 8. Then come 9 to 11 and 12 to 14: three headers.</details>
#
# And the files of a real log, a few seconds after a retention check of broker 2.3.1. Its topic
# `old` keeps an hour:

# %%
listed = [line.split() for line in recorded_output("2.3")["ls old-0"].splitlines()]
print(*(f"{size:>9} {name}" for name, size in listed if ".log" in name), sep="\n")
for line in recorded_output("2.3")["server.log"].splitlines():
    if "old-0" in line and ("Found deletable" in line or "Deleted log" in line):
        print(line[12:20], line.partition("INFO ")[2].partition(" (kafka")[0])

# %% [markdown]
# The three old files have a new name, `.log.deleted`. They are gone 60 seconds later; compare the
# times. Now the offsets. `-2` asks for the first offset, `-1` for the next one, and a number for
# the first record that is not older:

# %%
asked = {"first": "earliest", "next": "latest", "at 00:00:55": 1_795_219_255_000}
answers = {}
for release, lab in logs.items():
    for words, time in asked.items():
        answers[words, release] = get_offsets.told(lab, "orders", time).strip()
        real = {"first": "-2", "next": "-1"}.get(words, str(time))
        command = f"kafka-get-offsets --topic orders --time {real}"
        answers[words, f"real {release}"] = recorded_output(release)[command].strip()
pd.Series(answers).unstack()

# %% [markdown] items="N54"
# ## 6. Compaction: what the cleaner leaves
#
# Some topics must not forget by age. A table of prices, the addresses of customers, the committed
# offsets of groups: an old value counts as long as there is no newer one. For them there is
# `cleanup.policy=compact`. The **log cleaner** (日志清理线程) is a background thread. It keeps the
# last record of each key. Chapter 09 compacted four records. Here are seven. `✕` is a
# **tombstone** (墓碑消息), a record without a value; it deletes its key.
#
# | offset | 0 | 1 | 2 | 3 | 4 | 5 | 6 |
# |---|---|---|---|---|---|---|---|
# | key | tea | milk | tea | bread | milk | tea | bread |
# | value | 1 | 2 | 3 | 4 | ✕ | 5 | 6 |
#
# Which offsets are left after a cleaning? How many of them are left after another cleaning, two
# days later? (In between somebody writes two prices of jam, offsets 7 and 8. Do not count them.)

# %%
predict("13 prices", left_after_cleaning=None, left_of_them_later=None)

# %% items="N54"
from kafkalab.stories.segments import three_states

states = three_states("4.4")
left = [offset for offset, key, _ in states["cleaned"] if key != "jam"]
later = [offset for offset, key, _ in states["two days later"] if key != "jam"]
truth("13 prices", left_after_cleaning=", ".join(map(str, left)), left_of_them_later=len(later))
record_strip(states, title="a table of prices, compacted twice")

# %% [markdown] items="N54 N55"
# Offset 4 is the last record of the key `milk`. So it stays at first, although it has no value. It
# tells each reader: forget milk. If it were deleted at once, a reader that is at offset 2 would
# know milk's old price for ever. The tombstone stays for `delete.retention.ms`, a day, after the
# first cleaning. A later cleaning drops it.
#
# The cleaner reads the log twice. First it makes a map: each key, and its last offset. Then it
# copies the older files, without the records that have a later one in the map. The copies take the
# place of the old files, and small files become one. Offsets never change. Order never changes.
#
# In the last row `jam` is there twice. Offset 8 came last, so it is in the active segment. The
# cleaner does not touch the active segment, and it does not look into it. So a key may be in a log
# twice, or more often. Compaction promises that *at least* the last value is there. A reader must
# still take the last one.

# %% [markdown]
# ## 7. When does it clean?
#
# Copying costs reading and writing, so the cleaner waits until it is worth it. The part that it has
# cleaned before is *clean*. The part after it, up to the active segment, is *dirty*. The **dirty
# ratio** (脏数据比例) is dirty bytes / (clean + dirty bytes). A log is cleaned when the ratio is
# *greater* than `min.cleanable.dirty.ratio`, 0.5. Among several logs the one with the highest ratio
# is first. The thread looks every 15 seconds.
#
# One hundred prices change in turn, 1,200 changes in all. A file holds 25 of them. How often is the
# log cleaned with 0.5? How often with 0.1?

# %%
predict("13 dirty ratio", with_half=None, with_a_tenth=None)

# %%
from kafkalab.stories.segments import cleanings

runs = {ratio: cleanings(ratio) for ratio in (0.5, 0.1)}
truth("13 dirty ratio", with_half=len(runs[0.5]), with_a_tenth=len(runs[0.1]))
for ratio, each in runs.items():
    print(ratio, "records read in all:", sum(read for _, read, _ in each))
pd.DataFrame(runs[0.5], columns=["cleaned up to", "records read", "records left"])

# %% [markdown]
# With 0.5 the log grows to a little more than twice its clean size before it is cleaned. With 0.1
# there are about four times as many cleanings, for a smaller log. It is disk space against work.
#
# Two more settings move the moment:
#
# - `min.compaction.lag.ms`, 0: a record stays at least so long, although a newer one is there. So a
#   slow reader sees each change.
# - `max.compaction.lag.ms`, no limit: after so long the log is cleaned at any ratio. This is the
#   setting for "personal data is gone after thirty days". It also makes the active segment roll
#   after that time, if somebody writes.
#
# A producer writes a key again and again, and nothing is cleaned? Look at `segment.ms`. Until the
# segment rolls, all of it is active. The second usual cause is a transaction that nobody ends: the
# cleaner stops where the first open one begins (chapter 06).
#
# Now three logs, for two hours. One keeps orders by time, one by size, and one is a compacted table
# of prices, where milk is written once. This picture moves: use the slider, the play button and the
# switch. When does each log become shorter, and what does it lose?

# %%
from kafkalab.stories.moving_segments import files_over_time

files_over_time()

# %% [markdown]
# The first two lose the oldest file, as a whole, at a retention check. The third one loses records
# in the middle, when half of it is dirty. Milk stays.

# %% exercise="13.4"

# %% [markdown] items="N53 N55"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 8. The topic of committed offsets
#
# `__consumer_offsets` is compacted. Its key is group, topic and partition (chapter 09). Its
# segments are small, 100 MiB (`offsets.topic.segment.bytes`), so that the cleaner gets them soon.
# Here they are much smaller, 12,000 bytes. One commit is a record of 119 bytes. One group commits
# 900 times in one partition. How many of the 900 records are in the log at the end?

# %%
predict("13 commits", left=None)

# %% items="N53 N55"
from kafkalab import Lab
from kafkalab.stories.segments import commit_often, log_rows  # (offset, key, value)

lab = Lab(brokers=1, seed=2, broker_config={"offsets.topic.segment.bytes": 12_000})
lab.create_topic("orders")
commit_often(lab, commits=900)
place = next(event.partition for event in lab.journal.of("log.cleaned"))
rows = log_rows(lab, "__consumer_offsets", place)
truth("13 commits", left=len(rows))
cleaned = [event.up_to for event in lab.journal.of("log.cleaned")]
f"cleaned up to {cleaned}; the first offsets left: {[offset for offset, *_ in rows[:3]]}"

# %% [markdown] items="N53"
# One record of the first 800, and the 100 of the active segment. So the size of this topic depends
# on how many groups and partitions there are, not on how often they commit. When a coordinator
# starts, it reads the whole partition; with an uncompacted one that takes very long.
#
# Two real brokers wrote these records. The tool's `--offsets-decoder` makes the bytes readable. One
# question: what is in the value of 4.4.0 that is not in the key?

# %%
command = "kafka-dump-log --topic-partition __consumer_offsets-9 --offsets-decoder"
for release in ("2.3", "4.4"):
    line = recorded_output(release)[command].splitlines()[3]
    print(release, line.partition("headerKeys: [] ")[2])

# %% [markdown]
# <details><summary>Answer</summary>The offset, the leader epoch, a text of the program, the time of
# the commit, and the topic's id. The id tells a topic from another one that was made under the same
# name later. The tool of 2.3.1 prints the offset only; the record has more.</details>
#
# ## 9. Spark lab: what does compaction save?
#
# It depends on the keys. Two million changes of prices: in the first table there are 1,000 keys, in
# the second 1,500,000. Spark counts the records that a cleaner leaves: the last one of each key.
# Spark starts now. That takes up to a minute.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()


def changes(keys):
    """Two million records: offset, key and value; each tenth one deletes its key."""
    offset = F.col("id").alias("offset")
    key = F.concat(F.lit("price-"), F.pmod(F.hash("id"), F.lit(keys))).alias("key")
    value = F.when(F.col("id") % 10 != 9, F.col("id")).alias("value")
    return spark.range(2_000_000).select(offset, key, value)


def share(keys):
    """The share of the records that are the last of their key."""
    return round(changes(keys).groupBy("key").agg(F.max("offset")).count() / 2_000_000, 4)


{keys: share(keys) for keys in (1_000, 1_500_000)}

# %% [markdown]
# With 1,000 keys nearly everything goes. With 1,500,000 keys a little more than half of the records
# stay, because most keys come once or twice. Compaction does not bound a log. The number of keys
# does. If the keys are order numbers, the log grows for ever. Then set both policies,
# `cleanup.policy=compact,delete`.

# %% exercise="13.5"

# %% [markdown]
# The last exercise looks back: at the retention of sections 1 and 4, and at the dump of section 5.

# %% exercise="13.6"

# %% [markdown]
# ## 10. In your own words

# %% exercise="13.open"

# %% [markdown]
# ## Then and now
#
# KIP means [Kafka Improvement
# Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals).
#
# | Then | Now | Try it |
# |---|---|---|
# | A tombstone goes when a *later* clean file is a day newer. In a quiet log that may be never. | From 3.1 on its batch gets a time, `deleteHorizonMs`, at the first cleaning (KIP-534). | below |
# | A timestamp in the future keeps a file for years. | From 4.0 on a broker refuses more than an hour (KIP-1030). | section 4 |
# | `segment.bytes` may be 14 bytes. | At least 1 MiB: from 4.0 on for a broker's default, from 4.1 on for a topic (KIP-1030). Labs and tests use `internal.segment.bytes`. | `shop_lab(segment_bytes=999)` |
# | The cleaner waits for the dirty ratio only. | `max.compaction.lag.ms` sets a limit, since 2.3 (KIP-354). | section 7 |
# | `kafka-get-offsets` names its brokers with `--broker-list`. | `--bootstrap-server`. For a time after the last record 4.4.0 prints no line, 2.3.1 an empty offset. | section 5 |
#
# The first row, on two brokers. What is left two days after the first cleaning?

# %%
for release in ("2.3", "4.4"):
    rows = three_states(release)["two days later"]
    print(release, [(offset, key) for offset, key, _ in rows])

# %% [markdown]
# Broker 2.3 still has the tombstone of milk, at offset 4. Its rule compares files. The file with
# the tombstone must be a day older than the newest file that is clean. Here it is that newest file
# itself.
#
# ## Break it yourself
#
# A law says: personal data is gone an hour after it was written. The team has set `retention.ms` to
# 55 minutes. Change one number so that no order is ever older than 60 minutes on disk. The cell
# shows the age in the log; the file stays on the disk for one more minute. What does your change
# cost?

# %%
segment_minutes = 30
lab, ages = shop_lab(retention_ms=minutes(55), segment_ms=minutes(segment_minutes)), []
sell(lab, orders=300, each=lambda: ages.append(oldest_minutes(lab)))
rolls = sum(1 for _ in lab.journal.of("log.rolled"))
f"the oldest order was {max(ages)} minutes old; {rolls} files were closed"

# %% [markdown]
# <details><summary>What to see</summary>One way: keep the files of 30 minutes. From the 60 minutes
# take 30 for the file, 5 for the check and 1 for the deletion. <code>retention.ms</code> must be 24
# minutes, so the team keeps less. The other way: with files of one minute the cell shows 60, and
# the deletion adds one minute, which is too much. And there is a new file every two minutes. Each
# costs open files and memory on the broker: a log, two indexes and more.</details>
#
# **So what.** Plan a disk with `retention.ms` + `segment.ms` + the check interval + the delay of
# the deletion, times bytes in a minute, times replicas. With `retention.bytes` add one segment for
# each partition. Alert on free disk space, and on the age of the oldest record where a law sets a
# limit. With tiered storage (`remote.storage.enable`, KIP-405, ready since 3.9) closed segments go to
# an object store, and only `local.retention.ms` fills the disk; the lab has none. For compacted topics
# alert when one of the broker's metrics `uncleanable-partitions-count`
# and `DeadThreadCount` is above 0. `time-since-last-run-ms` stays low while only one partition cannot
# be cleaned.
#
# ## What you know now
#
# - A log is a row of files. Only the last one is written to. Each is named after its first offset.
# - A look-up takes the file, then the sparse index, then reads a few headers.
# - Retention takes whole files, from the oldest on, at its next check. `retention.ms` is a minimum.
# - One timestamp in the future protects its file and all files behind it.
# - Compaction keeps the last record of each key, and all of the active segment. Offsets stay.
# - A tombstone stays for a day after the first cleaning, so that slow readers see it.
#
# **Words**: segment 日志段 · active segment 活跃段 · roll 滚动切分 · index 索引文件 · retention check
# 保留检查 · log cleaner 日志清理线程 · dirty ratio 脏数据比例 · tombstone 墓碑消息

# %%
from autograder import my_guesses

my_guesses("13")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 01: a reader's bookmark is before the log's start. What
# happens?</summary><code>auto.offset.reset</code> decides: the log's start, its end, or an
# error.</details>
# <details><summary>2. Chapter 04: why are a few large batches better than many small
# ones?</summary>Each batch has a header of 61 bytes, and each request costs time.</details>
# <details><summary>3. Chapter 11: what is lead?</summary>The distance from the log's start to the
# committed offset. When it is 0, retention deletes what you have not read.</details>
