# %% [markdown] items="N19 N42"
# # 09 · Where does a reader continue?
#
# A reader dies. Another takes its place. Which record does it read first? Kafka does not know what
# your program has finished. It knows one number for each partition, a bookmark (书签) that your
# program moves. Its name is *committed offset*. A record is lost or done twice when this number and
# your work disagree.
#
# **You need** chapters 01 and 07; 05 and 06 help. **You get** six words: *position*, *committed
# offset*, *at least once*, *at most once*, *compaction*, *rebalance listener*. **Time**
# three sittings: about 50 + 40 + 35 minutes. They end after sections 5, 8 and at the end.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import KafkaConsumer, KafkaProducer, Lab, OffsetAndMetadata, ProducerRecord
from kafkalab import TopicPartition
from kafkalab.stories.offsets import ORDERS, cluster, member, plain
from kafkalab.views import offset_paths, offset_ruler, work_strip

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="G1 G3"
# ## 1. Guess, run, look
#
# A partition has twelve orders, offsets 0 to 11. ada polls and gets five of them. She works on all
# five and commits. She polls again and gets five more. She has finished two of these when her
# process is killed. bo takes over. Guess three numbers: ada's *position* at her death, the group's
# *committed offset*, and the first offset that bo reads.

# %%
predict("09 three numbers", position=None, committed=None, bo_reads_first=None)

# %%
lab = cluster(orders=12)
ada = member(lab, "ada", **{"max.poll.records": 5})
first = list(ada.poll(timeout_ms=5_000))
ada.commit_sync()  # after the work on all five
second = list(ada.poll(timeout_ms=5_000))  # of these she finishes two
position = ada.position(ORDERS)
death_ms = lab.now_ms
lab.kill("ada")

bo = member(lab, "bo", **{"max.poll.records": 5})
his = list(bo.poll(timeout_ms=20_000))
committed = lab.describe_group("billing").current_offset[0]
truth("09 three numbers", position=position, committed=committed, bo_reads_first=his[0].offset)
more = {"finished up to": 7, "bo starts here": his[0].offset}
marks = ("committed", "position", "log end")
offset_ruler(lab, "orders-0", "billing", more=more, only=marks, at_ms=death_ms)

# %% [markdown] items="N56 G4 G32"
# The **position** (消费位置) is the offset of the next record that `poll` will return. It is in
# ada's memory. It moved to 10 when `poll` returned. The **committed offset** (已提交位移) is in
# Kafka: 5. Both name the *next* record, not the last one. "Committed 5" says: 0 to 4 are done. Each
# partition has its own.
#
# Two sentences that one can read elsewhere are wrong. `poll` does not return "the offset of the
# last record": it returns records. And `poll` does not commit what it returns.
#
# bo asked the coordinator for the committed offset, with a request called OFFSET_FETCH, and began
# there. ada had finished 5 and 6, and bo does them again. Her position was lost with her memory.
# Here is bo's line about his start:

# %%
[line.split(",")[0] for line in plain(lab, "bo") if line.startswith("Setting offset")]

# %% [markdown] items="G23 G33 G34"
# A consumer keeps its positions in a small table, in Java the class `SubscriptionState`. A part
# called `Fetcher` asks the leaders for records from there on. Four things write into the table:
#
# - A poll moves the position.
# - `seek` sets it.
# - The committed offset sets it when the partition is new.
# - Where nothing was committed, `auto.offset.reset` asks the leader for an end of the log. The
#   request is LIST_OFFSETS: timestamp -2 means the earliest offset, -1 the latest.


# %% items="G34"
def reset(policy):
    lab = cluster(orders=12)
    new = member(lab, "new", **{"auto.offset.reset": policy})
    got = new.poll(timeout_ms=3_000).count()
    asked = next(line for line in plain(lab, "new") if line.startswith("Sending LIST_OFF"))
    return "timestamp " + asked.split("timestamp=")[1].split(",")[0], f"{got} records"


{policy: reset(policy) for policy in ("earliest", "latest")}

# %% [markdown] items="N20 G8"
# With `latest`, the default, a new group does not get the twelve orders that are there already.
#
# ## 2. Six moments to die
#
# A reader does three things again and again: poll, work, commit. You choose the order of the last
# two. Think of a book. You are on page 90. Somebody moves the bookmark to 100 first, and falls
# asleep on page 95. Tomorrow they begin at page 100. Nobody will have read 95 to 99. Here are both
# orders as loops:


# %% items="N20 G8"
def work_then_commit(reader, work):
    while True:
        for record in reader.poll(timeout_ms=500):
            work(record)
        reader.commit_sync()


def commit_then_work(reader, work):
    while True:
        records = reader.poll(timeout_ms=500)
        reader.commit_sync()
        for record in records:
            work(record)


LOOPS = {"work, commit": work_then_commit, "commit, work": commit_then_work}

# %% [markdown] items="N20 G8"
# ada runs one of these loops and dies in her second round, at one of six moments. Then bo runs the
# same loop. A poll returns four records. Guess for the death half way through the work. How many
# records does *work, commit* do twice? How many does *commit, work* never do?

# %%
predict("09 half of the work", work_first_twice=None, commit_first_never=None)

# %%
from kafkalab.stories.offsets import MOMENTS, shift

runs = {
    f"{order} · {moment}": shift(loop, moment)
    for order, loop in LOOPS.items()
    for moment in MOMENTS
}
truth(
    "09 half of the work",
    work_first_twice=runs["work, commit · half of the work"].times.count(2),
    commit_first_never=runs["commit, work · half of the work"].times.count(0),
)
work_strip(runs, title="twelve orders, a death in round two; the bar is the committed offset")

# %% [markdown] items="G5"
# The thick bar is the committed offset. Compare it with the work that was done. Where the work is
# ahead of the bar, the next reader repeats. Where the bar is ahead of the work, nobody comes back.
#
# - *Work, commit* never loses here. It may repeat. That is **at least once** (至少一次).
# - *Commit, work* never repeats here. It may lose. That is **at most once** (至多一次).
# - **Exactly once** needs work and committed offset to change together. Section 8 does that, and
#   chapter 06 does it within Kafka.
#
# Look at *commit on its way*. The coordinator had written the commit, and ada died before the
# answer came. The commit counts. If no answer came, the commit may still have been written.
#
# ada dies at the moment that you choose. The bar is the committed offset. This picture moves. Use
# the slider, the play button and the switches.

# %%
from kafkalab.stories.moving_work import moment_of_death

moment_of_death()

# %% exercise="09.1"

# %% [markdown] items="N57 N52 G31"
# ## 3. Who commits?
#
# There are two questions, and many texts mix them. *Who commits?* The client by itself
# (`enable.auto.commit`, on by default), or your program. And when your program does: *does it
# wait?* `commit_sync` waits for the answer, `commit_async` does not. So "by hand" does not mean
# "asynchronous". Both exist.
#
# First the automatic commit. Many texts say that it runs "in the background, every five seconds",
# and that "a rebalance three seconds later repeats three seconds of work". Try it. Ten orders a
# second come. ada reads them with automatic commits:
#
# ```python
# while not closing:
#     for record in reader.poll(timeout_ms=500):
#         seen.append(record.offset)
# reader.close()
# ```
#
# The first commit comes at about 5 seconds. A little more than three seconds later one of three
# things happens. She closes her consumer and bo takes over. Or bo joins her, which means a
# rebalance. Or she is killed and bo takes over. How many orders are read twice?

# %%
predict("09 three endings", closed=None, joined=None, killed=None)

# %%
from kafkalab.stories.offsets import ending

endings = {how: ending(how) for how in ("closed", "joined", "killed")}
truth("09 three endings", **{how: repeated for how, (_, repeated) in endings.items()})
titles = {"closed": "ada is closed", "joined": "bo joins", "killed": "ada is killed"}
offset_paths({titles[how]: lab for how, (lab, _) in endings.items()}, "orders-0", "billing")

# %% [markdown] items="N59 G11"
# Blue is what ada was given, green what bo was given, orange what was committed. A dot is a commit. A
# member that
# closes commits first: nothing is read twice. A member that takes part in a rebalance commits
# first, too, before it gives its partitions away: nothing is read twice. "A rebalance repeats three
# seconds" is not true for a member that takes part. It is true for a member that is *gone*: killed,
# or removed because it was silent for too long.
#
# A shorter interval means fewer repeats after a kill, but not none. Here are three intervals. For
# each, ada is killed at two moments, after 7.93 and after 8.95 seconds. These orders are read
# twice:

# %% items="N59"
{
    f"every {interval} ms": [ending("killed", interval, at)[1] for at in (7_930, 8_950)]
    for interval in (5_000, 1_000, 300)
}

# %% [markdown] items="N58 N28"
# And the background? In the classic consumer no thread commits for you. `poll` looks at the clock.
# When the interval is over, it commits the position: what *earlier* polls have returned. That is
# safe if you have finished these records before you poll again. "With automatic commits nothing is
# lost" holds for such a loop only.
#
# Here is another loop. ada polls, and hands each order to a worker, who needs 250 ms for one. Both
# die at 8.1 seconds. bo and a worker of his take over. How many of the orders are never done?

# %%
predict("09 handed over", never=None)


# %% items="N58 N28"
def hand_over(lab, name, desk):
    reader = member(lab, name, **{"enable.auto.commit": True, "auto.commit.interval.ms": 5_000})
    while True:
        desk.extend(record.offset for record in reader.poll(timeout_ms=500))


def worker(lab, desk, done):
    while True:
        lab.sleep(250)
        if desk:
            done.append(desk.pop(0))


# %% items="N58 N28"
from kafkalab.stories.offsets import keep_selling

lab, done = cluster(orders=0, seed=3), []
lab.spawn(keep_selling, 100, name="selling")
for name, until_ms in (("ada", 8_100), ("bo", 60_000)):
    desk = []
    lab.spawn(hand_over, name, desk, name=name)
    lab.spawn(worker, desk, done, name=f"worker of {name}")
    lab.run_for(ms=until_ms)
    lab.kill(name)
    lab.kill(f"worker of {name}")
never = sorted(set(range(100)) - set(done))
truth("09 handed over", never=len(never))
never[:3], never[-3:]

# %% [markdown]
# The orders 32 to 50 are lost. At 5 seconds the automatic commit saved 51, the position after the
# last poll. The worker had finished 0 to 31. bo begins at 51. If another thread works, switch
# automatic commits off,
# and commit what is finished. Chapter 10 shows how.

# %% [markdown] items="N60 N62"
# ## 4. commitSync or commitAsync
#
# `commit_sync` waits until the coordinator has answered. It tries again when the failure is one
# that passes: a connection that broke, a coordinator that moved. It does so for at most
# `default.api.timeout.ms`, a minute. Then it raises TimeoutException. `commit_async` returns at
# once, tries nothing again, and tells a callback in a later poll.
#
# Here 300 orders are read in polls of ten. Each order is a millisecond of work. The coordinator is
# ten milliseconds away, in each direction. How many milliseconds does it take with a `commit_sync`
# after each record? After each poll?

# %%
predict("09 waiting", sync_each_record_ms=None, sync_each_poll_ms=None)

# %%
from kafkalab.stories.offsets import pace

table = {
    f"{commit}, each {each}": pace(commit, each)
    for commit in ("commit_sync", "commit_async")
    for each in ("record", "poll")
}
truth(
    "09 waiting",
    sync_each_record_ms=table["commit_sync, each record"],
    sync_each_poll_ms=table["commit_sync, each poll"],
)
table

# %% [markdown] items="N61"
# Each wait costs about 25 ms. 20 of them are the way there and back. In the other five the coordinator
# writes the commit and the other brokers copy it. The waiting costs time, the commit does not.
#
# So why not `commit_async`, with a retry in the callback? Many people have this idea. Let us build
# it. ada works on five polls of ten orders. The connection breaks under her second commit, the one
# that says 20. Her callback keeps it and sends it again a second later. In the end she has finished
# 50 orders, and is killed. At which offset does bo begin?

# %%
predict("09 a retry", bo_begins_at=None)


# %% items="N61"
from kafkalab.stories.offsets import broken_commit


def retry(again, offsets, error):
    """The callback of commit_async: a failed commit is put into a list and sent again later."""
    if error:
        again.append(offsets)


labs = {"no retry": broken_commit(), "with a retry": broken_commit(retry)}
truth("09 a retry", bo_begins_at=labs["with a retry"][1])
title = "a failed commit is sent again, and arrives late"
offset_paths({name: lab for name, (lab, _) in labs.items()}, "orders-0", "billing", title=title)

# %% [markdown] items="N61"
# Without a retry the lost commit did no harm: 30 came after it, and said more. With the retry, 20
# arrived after 50, and the committed offset went *back*. The coordinator does not compare: the last
# commit wins. bo does thirty orders again.
#
# `commit_sync` may try again. Nothing overtakes it, because the program waits until it is through.
# So the usual loop has both. In the loop it calls `commit_async`, where the next commit mends a
# lost one. At the end no next commit comes, so there it calls `commit_sync`. Here the connection
# breaks under the last commit of the loop:


# %% items="N63"
def both(sync_at_the_end):
    lab = cluster(50, seed=2, brokers=3, coordinator=1)
    reader = member(lab, "ada", **{"max.poll.records": 10})
    try:
        for polls in range(1, 6):
            reader.poll(timeout_ms=5_000)
            lab.sleep(300)  # the work
            if polls == 5:
                lab.link(1, "ada").cut_before_request("OFFSET_COMMIT")
            reader.commit_async()
    finally:
        if sync_at_the_end:
            reader.commit_sync()
        reader.close()
    return int(lab.describe_group("billing").current_offset[0])


# %% items="N63"
{"async only": both(False), "async, and sync at the end": both(True)}

# %% [markdown] items="N63"
# The `finally` must be reached. A supervisor such as Kubernetes ends a program with SIGTERM. The
# signal handler calls `consumer.wakeup()`, the one method that another thread may call. The waiting
# `poll` (or `commit_sync`) then raises **WakeupException**. Catch it, commit, close, return.

# %% [markdown] items="N64 N56"
# ## 5. Bug hunt: the batch commit
#
# Some programs commit every so many records, whatever a poll returned. They keep a map of partition
# and offset, and a counter. Many tutorials have it, in several shapes:
#
# ```python
# for record in records:
#     offsets[partition_of(record)] = OffsetAndMetadata(record.offset + 1)
#     if count % 100 == 0:
#         consumer.commit_async(offsets)
#     count += 1
# ```
#
# The counter starts at 0. When is the first commit? After the first record, because `0 % 100` is 0.
# The next ones come after 101 and 201 records. Nothing is lost by it, but each commit is not where
# you expect it. It is worse to forget the `+ 1`.

# %% exercise="09.2"

# %% [markdown] items="N28"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 6. Write the loop

# %% exercise="09.3"

# %% [markdown] items="N28"
# A loop that survives eight nights may fail in the ninth. `survive` runs it through all kinds of
# nights, with as many seeds as you like. A thousand seeds are six thousand nights and take about
# half an hour; 20 take half a minute. The third column is what a crash costs:

# %%
from kafkalab.stories.offsets import survive

# survive(loop, seeds=20)      # take the # away when your loop is ready

# %% [markdown] items="G2 N50 N51"
# ## 7. Where is the committed offset?
#
# In a topic, like everything else. Long ago it was kept in ZooKeeper, which was not built for so
# many writes. Since version 0.9 a commit is a record in the topic `__consumer_offsets`. It has
# fifty partitions, and three replicas by default (the `server.properties` that Kafka ships says
# one). It is made when the first group needs it. Chapter 03 showed which of the fifty belongs to a
# group. Any consumer may read the topic, if it names it. The lab writes keys and
# values as text; Kafka stores bytes. Here a member commits, and then polls with nothing to read:

# %%
from kafkalab.hashing import java_string_hash
from kafkalab.stories.offsets import records_of

lab = cluster(orders=100)
idle = member(lab, "idle", **{"enable.auto.commit": True})  # every five seconds
end_ms = lab.now_ms + 22_000
while lab.now_ms < end_ms:
    idle.poll(timeout_ms=500)

mine = abs(java_string_hash("billing")) % 50
for offset, key, value in records_of(lab, "__consumer_offsets", mine):
    print(offset, key)
    print("   ", value[:70] + "…")

# %% [markdown] items="N53 N50"
# The key is three things: group, topic, partition. (Type 2 is the group itself, its members and
# generation.) The value is the offset. The idle reader commits 100 every five seconds, as long as
# it polls. Only the last of these records matters, and they would fill the disk.
#
# So this topic uses **compaction** (日志压实，也叫日志压缩). It does not delete by age. A background
# thread, the *log cleaner*, goes through the older segments (files) of a log. It drops each record
# for which a later one with the same key exists. It leaves the newest segment alone.
#
# Four records: 0, 2 and 3 have the key K1. A fifth comes later, in a new segment. Which offsets are
# left of the first four?

# %%
predict("09 compaction", left_of_the_first_four=None)

# %% items="N54 N55"
from kafkalab.stories.offsets import compacted

left = compacted([("K1", "5"), ("K2", "7"), ("K1", "8"), ("K1", "9")])
truth("09 compaction", left_of_the_first_four=", ".join(str(row[0]) for row in left))
left

# %% [markdown] items="N54"
# The offsets kept their numbers. A log may have holes; a position in a hole moves to the next
# record that is there.
#
# How is a key deleted? By a record without a value, a *tombstone* (墓碑). It is the last one of its
# key, so the cleaner keeps it, at least for `delete.retention.ms` (a day). Coordinators delete
# expired offsets in this way:

# %% items="N54"
compacted([("K1", "5"), ("K2", "7"), ("K1", None)])

# %% exercise="09.4"

# %% [markdown] items="N112"
# Committed offsets expire in the end. When a classic group has been *empty* for seven days
# (`offsets.retention.minutes`), its offsets are removed. (Where nobody is a member, as with `assign`,
# and in a group with `group.protocol=consumer` the days count from the commit.) A broker up to 3.9 writes "Removed 1
# expired offsets in 2 milliseconds." A broker 4.x writes "Generated 1 tombstone records while
# cleaning up group metadata in 2 milliseconds." While a group has members, the offsets of the topics
# that they read stay, however long nothing happens. Here ada commits 10 of 20 and closes:

# %%
lab = cluster(orders=20)
ada = member(lab, "ada", **{"max.poll.records": 10})
ada.poll(timeout_ms=5_000)
ada.commit_sync()
ada.close()
day_ms = 24 * 3_600_000
kept = {}
for days in (1, 6, 8):
    lab.run_for(ms=days * day_ms - lab.now_ms)
    group = lab.at(lab.now_ms)["groups"].get("billing")
    kept[f"day {days}"] = group["offsets"]["orders-0"]["offset"] if group else "the group is gone"
kept

# %% [markdown] items="G9 G10 G12 G13"
# ## 8. Keep the offset yourself
#
# *Work, commit* repeats, because work and committed offset are in two places, and a crash can come
# in between. So put them into one. If your results go into a database, write the offset into the
# same database, in the same transaction. Do not use Kafka's commit at all. That is exactly once, as
# far as your database reaches.
#
# One thing is missing. A reader that gets a partition must begin where the *database* says. A
# **rebalance listener** (重平衡监听器) tells the program about it:
#
# - `on_partitions_revoked` is called before partitions are given away. It is the last chance to
#   commit. It runs inside `poll`, and from 2.4 on also inside `close()` and `unsubscribe()`.
# - `on_partitions_assigned` is called inside `poll` when new partitions are there, before the first
#   record. This is the place to `seek`.
# - `on_partitions_lost` (from 2.4 on) is called instead of *revoked* when the partitions belong to
#   somebody else already. Chapter 10 meets it.
#
# Watch the first two while bo joins ada:


# %% items="G10 G11 G12"
class Diary:
    """A rebalance listener that writes down what it hears."""

    def __init__(self, lab, name):
        self.lab, self.name = lab, name

    def note(self, what, partitions):
        heard.append((self.lab.now_ms, self.name, what, [str(each) for each in partitions]))

    def on_partitions_revoked(self, partitions):
        self.note("gives away", partitions)

    def on_partitions_assigned(self, partitions):
        self.note("is given", partitions)


# %% items="G10 G11 G12"
heard = []
lab = Lab(brokers=1, seed=5, broker_config={"group.initial.rebalance.delay.ms": 0})
lab.create_topic("orders", partitions=2)


def poll_without_end(lab, name):
    reader = member(lab, name, Diary(lab, name))
    while True:
        reader.poll(timeout_ms=200)


lab.spawn(poll_without_end, "ada", name="ada")
lab.run_for(ms=4_000)
lab.spawn(poll_without_end, "bo", name="bo")
lab.run_for(ms=6_000)
heard

# %% [markdown]
# Is this callback a safe place for the commit? Suppose that ada commits there, and nowhere else.
# She works for some seconds, and bo joins her. Her callback runs, and her process is killed inside
# it: once before the commit, once after it. Her session timeout is six seconds. In each case, how
# many orders are done twice? And how many seconds does bo wait for his first order?

# %%
predict("09 death in the callback", twice_before=None, twice_after=None, bo_waits=None)

# %%
from kafkalab.stories.offsets import death_in_revoked

waited, before = death_in_revoked(commits="not yet")
_, after = death_in_revoked(commits="done")
truth("09 death in the callback", twice_before=before, twice_after=after, bo_waits=round(waited))

# %% [markdown]
# Killed before the commit, she leaves nothing: all 31 orders that she has done are done again. And
# bo waits 8 seconds. The group waits for ada's JOIN_GROUP, so her session must end first. A process
# that is killed outside the callback does not call it at all. So commit in the callback *and* after
# each batch.

# %% exercise="09.5"

# %% [markdown] items="N59"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 9. Begin at a time
#
# Two hours ago a shop released a bug. Now it is repaired, and all orders since then must be done
# again. At which offset did these two hours begin? `offsets_for_times` asks the leader. It takes a
# moment, in milliseconds since 1970, and gives the first record that is not older. An order came
# every ten minutes, for six hours. ada has read all 36:

# %%
from kafkalab.stories.offsets import HOUR_MS, new_group, six_hours

lab, ada = six_hours()
two_hours_ago = lab.epoch_ms + 4 * HOUR_MS
KafkaConsumer(lab, {}).offsets_for_times({ORDERS: two_hours_ago})

# %% [markdown]
# A program can `seek` to this offset. A tool moves the bookmark of a whole group without a program.
# In the lab, `tool` prints what a terminal shows. ada is still a member when we call the tool for
# the first time. Then she closes, we call it again, and bo begins. What does the first call do to
# the bookmark, `"moved"` or `"refused"`? How many orders does bo read?

# %%
predict("09 the tool", while_ada_is_there=None, bo_reads=None)

# %%
from kafkalab.tools.command import tool

command = """kafka-consumer-groups.sh --reset-offsets --group billing --topic orders \
    --to-datetime 2026-01-05T13:00:00.000 --execute"""
first = tool(lab, command)
ada.close()
second = tool(lab, command)
read = len(member(lab, "bo").poll(timeout_ms=5_000))
truth("09 the tool", while_ada_is_there="refused" if "Error" in first else "moved", bo_reads=read)
print(first, second)

# %% [markdown]
# The tool refuses while the group has members. The next commit of a member would overwrite the new
# bookmark. So stop them all first. With `--dry-run` in place of `--execute` the tool shows the new
# offsets and changes nothing. There are other places to go to:
#
# | Option | Where the group begins |
# |---|---|
# | `--to-earliest`, `--to-latest` | at the start or the end of each log |
# | `--to-offset 24` | at this offset |
# | `--shift-by -5` | five records before its bookmark |
# | `--to-datetime …`, `--by-duration PT2H` | at the first record that is not older |
#
# An offset outside the log becomes its start or its end.
#
# A *new* group can begin at a time, too. A client from 4.0 on takes
# `auto.offset.reset=by_duration:PT2H`, "two hours back" (KIP-1106; a KIP is a [Kafka Improvement
# Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals)). Here
# are new groups with four policies. The last order is some minutes old. Another one comes ten seconds after the reader. How
# many orders does the reader with `by_duration:PT5S` get in a minute, and how many the one with
# `latest`?

# %%
predict("09 by duration", five_seconds=None, latest=None)

# %%
policies = ("by_duration:PT5S", "latest", "by_duration:PT2H", "earliest")
gets = {policy: len(new_group(six_hours()[0], policy)) for policy in policies}
truth("09 by duration", five_seconds=gets["by_duration:PT5S"], latest=gets["latest"])
gets

# %% [markdown]
# `by_duration:PT5S` gets nothing, not even the order that comes while it polls. When it starts, no
# record is so young. Then the client has no position. It asks again after `request.timeout.ms`, 30
# seconds, for a moment five seconds before *that*. The new order is too old for it. (A real client
# 4.4.0 did the same.) So take a duration much longer than 30 seconds.
#
# ## 10. The real thing beside it
#
# A recording of two real Java consumers 2.3.0 with automatic commits. `inv-1` reads twelve orders
# from four partitions, polls for a while, and closes. Then `inv-2` starts, in the same group. The
# right column is the simulator, in the same story:

# %% items="N59"
from kafkalab.stories.recorded import recorded

pair = recorded("2.3.1/2.3.0/group_offsets_auto_commit", seed=4)
pair.beside("Found no committed", "synchronous auto-commit", "Setting offset")

# %% [markdown] items="N59"
# One question about the real log. There is a *synchronous* commit of `{}`, of nothing. What does the client
# do just after it? Look at the lines of `inv-1`:

# %%
real = pair.real[pair.real.client == "inv-1"].message
place = real[real.str.contains("synchronous auto-commit of offsets {}")].index[0]
for text in real.loc[place : place + 8].str.split("] ", n=1).str[-1]:
    print(text if len(text) < 90 else text[:88] + "…")

# %% [markdown]
# <details><summary>The answer</summary>It gives up its partitions
# (it has none yet) and joins the group. A classic consumer with automatic commits commits before
# every join, also when there is nothing to commit.</details>
#
# ## 11. Spark lab: what was read twice?
#
# Three shops, A, B and C. In each a reader with automatic commits is killed twice. So there are
# three lives: two of `shops.A.life_s` seconds each, and a third that reads what is left. Shop A's
# readers commit every `shops.A.interval_s` seconds. An order comes every `shops.A.pace_ms`
# milliseconds. All you have is their logs.

# %%
from kafkalab.stories.offsets import three_lives, write_shop_logs

shops = numbers("09.6")
logs = {name: three_lives(**dict(shop)) for name, shop in shops.items()}
shop_logs = write_shop_logs(logs, "chapter09/shop_logs")
shops

# %% [markdown]
# Two kinds of lines tell a life. "Setting offset … to the committed offset …" says where it began.
# A first life finds none and begins at 0. "Returning 3 fetched records at offset …" says what a
# poll returned; the highest counts. `logsets` reads the numbers out of them, into the columns
# `position` and `count`. Spark starts now. That takes up to a minute.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
lines = logsets.read(spark, str(shop_logs))
began = F.when(F.col("message").startswith("Setting offset"), F.col("position"))
came = F.when(F.col("message").startswith("Returning"), F.col("position") + F.col("count"))
lives = (
    lines.withColumn("shop", F.regexp_extract("file", r"shop-(\w)-", 1))
    .withColumn("life", F.regexp_extract("file", r"-(\d).log", 1).cast("int"))
    .groupBy("shop", "life")
    .agg(F.coalesce(F.min(began), F.lit(0)).alias("began_at"), F.max(came).alias("came_to"))
)
lives.orderBy("shop", "life").toPandas()

# %% exercise="09.6"

# %% [markdown]
# ## 12. In your own words
#
# A person reads this answer. `reveal("09.open", give_up=True)` shows a good one.

# %% exercise="09.open"

# %% [markdown] items="G22"
# ## Aside: pause and seek
#
# `pause` stops one partition, not the poll. "After pause, poll is empty" holds only for what is
# paused:

# %% items="G22"
lab = Lab(brokers=1, seed=2)
lab.create_topic("orders", partitions=2)
producer = KafkaProducer(lab, {"client.id": "shop"})
for number in range(12):
    order = f"order {number}"
    producer.send(ProducerRecord("orders", partition=number % 2, value=order))
producer.close()
cleo = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="cleo")
cleo.assign([TopicPartition("orders", 0), TopicPartition("orders", 1)])  # no group
cleo.pause([TopicPartition("orders", 0)])
cleo.seek(TopicPartition("orders", 1), 4)
[(record.partition, record.offset) for record in cleo.poll(timeout_ms=2_000)]

# %% [markdown]
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | Committed offsets are kept in ZooKeeper. | In `__consumer_offsets`, since 0.9; Kafka 4.0 has no ZooKeeper at all (KIP-500). | section 7 |
# | Automatic commits run in the background. | The classic consumer commits inside `poll` and `close`, and when it gives partitions up. So it did in the days of that sentence, too (class `ConsumerCoordinator`). | section 3 |
# | A rebalance repeats what came since the last automatic commit. | A member that takes part commits first: up to 3.1 it waits for the answer. 3.2.0 sends the commit and does not wait. From 3.2.3 and 3.3.0 on it sends and awaits it. | below |
# | By hand means `commitAsync`. | There are `commitSync` and `commitAsync`; both are by hand. | section 4 |
# | `poll` returns the offset of the last record. | It returns records. The position is one more than the last of them. | section 1 |
# | Offsets are kept for one day. | Seven since 2.0 (KIP-186); counted from the moment a classic group became empty since 2.1 (KIP-211). | section 7 |
# | A commit that meets a rebalance fails with `CommitFailedException`. | From 2.5 on with `RebalanceInProgressException`, where the member is still one: poll, and commit later (KAFKA-8421, part of KIP-429). | chapter 08, at its end |
# | A group without a bookmark begins at the log's start or end. | Or at a time: `auto.offset.reset=by_duration:PT2H`, from client 4.0 on (KIP-1106). | section 9 |
#
# The newer protocol (`group.protocol=consumer`, KIP-848, chapter 08) changes few of this chapter's
# rules:
#
# | | Classic | KIP-848 |
# |---|---|---|
# | Where are the bookmarks? | `__consumer_offsets` | the same |
# | When is an automatic commit sent? | in `poll`, when the interval is over | the same moment; a thread of the client's own sends it |
# | Which thread calls the listener? | the program's, inside `poll` | the same |
# | What does a commit carry? | the group's generation | the member's epoch |
# | A commit in a rebalance | refused in *CompletingRebalance* | taken for partitions that the member still owns (broker 4.4) |
#
# The third row of the first table, with two clients: ada has read, and bo joins her. This is what ada says about her
# commits:

# %%
from kafkalab.stories.offsets import read_on, sell


def commits_when_bo_joins(version):
    at_once = {"group.initial.rebalance.delay.ms": 0}
    lab = Lab(brokers=1, seed=3, version=version, broker_version="4.4", broker_config=at_once)
    lab.create_topic("orders")
    sell(lab, 12)
    for name, stays_ms in (("ada", 2_000), ("bo", 3_000)):
        lab.spawn(read_on, name, [], [], 5_000, name=name)
        lab.run_for(ms=stays_ms)
    said = [text for text in plain(lab, "ada") if "auto-commit of offsets {orders" in text]
    return [text.split(" of offsets")[0] for text in said]


{version: commits_when_bo_joins(version) for version in ("2.8", "3.9")}

# %% [markdown]
# Both commit before they give the partition away. Client 2.8 waits until the answer is there. 3.9
# sends the commit, continues its heartbeats, and hears of the answer.
#
# ## Break it yourself
#
# ada commits after every poll, and yet bo repeats work. Change one number so that a kill at this
# moment repeats only one order. Which number is it, and what do you pay for it?

# %%
most = 20  # orders in a poll
lab = cluster(orders=60)
ada = member(lab, "ada", **{"max.poll.records": most})
ada.poll(timeout_ms=5_000)
lab.sleep(20 * most)  # the work
ada.commit_sync()
second = list(ada.poll(timeout_ms=5_000))
lab.sleep(20 * (most - 1))  # the work on all but one
lab.kill("ada")
bo = member(lab, "bo")
first = list(bo.poll(timeout_ms=20_000))[0].offset
again = second[-1].offset - first
f"bo begins at {first} and repeats {again} orders; 60 orders take {60 // most} commits"

# %% [markdown]
# ### The same on real Kafka
#
# ada reads ten of twelve orders, commits after the first five, and is killed. The cell below is
# folded. It does this on the simulator and on real brokers of your machine, in about a minute. Real
# Kafka must be set up once: `python -m kafkalab real setup`. Without it the cell prints one
# sentence.

# %% fold=true
from kafkalab import ProducerRecord, TopicPartition
from kafkalab.real import on_both


def three_numbers(kafka):
    lab, readers = kafka.Lab(brokers=1, version="3.9"), {}
    lab.create_topic("orders")
    shop = kafka.KafkaProducer(lab, name="shop")
    for number in range(12):
        shop.send(ProducerRecord("orders", f"order {number}")).get()
    common = {"group.id": "billing", "auto.offset.reset": "earliest", "enable.auto.commit": False}
    for name in ("ada", "bo"):
        settings = {**common, "max.poll.records": 5, "session.timeout.ms": 6_000}
        readers[name] = reader = kafka.KafkaConsumer(lab, settings, name=name)
        reader.subscribe(["orders"])
        if name == "ada":
            reader.poll(timeout_ms=20_000)
            reader.commit_sync()
            reader.poll(timeout_ms=5_000)
            position = reader.position(TopicPartition("orders", 0))
            lab.kill("ada")
    committed = int(lab.describe_group("billing").current_offset[0])
    first = reader.poll(timeout_ms=30_000)[0].offset
    return {"position": position, "committed": committed, "bo reads first": first}


on_both(three_numbers)

# %% [markdown]
# **So what.** The number for production is what one crash costs: with commits by hand the orders of
# one poll (`max.poll.records`), with automatic ones all that came in `auto.commit.interval.ms`.
# Make the work safe to repeat, by an id in each record. Alert on commits that fail
# (`CommitFailedException` in the log) and on a committed offset that does not move while records
# come (chapter 11).
#
# ## What you know now
#
# - The position is what your program was given. The committed offset is what it said is done. Both
#   name the next record.
# - Work, then commit: no order is lost, some may be repeated. Commit, then work: none is repeated,
#   some may be lost.
# - Automatic commits happen in `poll`. Finish what you were given before you poll again.
# - Do not wait in the loop, wait at the end. Never send an old commit after a newer one.
# - Exactly once needs work and offset in one place.
# - To read a stretch of time again, stop the group and move its bookmark with the tool.
#
# **Words**: position 消费位置 · committed offset 已提交位移（书签） · at least once 至少一次 · at most
# once 至多一次 · compaction 日志压实 · rebalance listener 重平衡监听器

# %%
from autograder import my_guesses

my_guesses("09")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 03: which broker keeps a group's offsets?</summary>The leader of one
# partition of <code>__consumer_offsets</code>: the hash of the group's name, modulo 50.</details>
# <details><summary>2. Chapter 01: a group's committed offset is before the log's start. What
# happens?</summary><code>auto.offset.reset</code> decides: the log's start, its end, or an
# error.</details>
# <details><summary>3. Chapter 05: the producer has no answer. Is the record lost?</summary>Nobody
# knows. It may be written, and only the answer was lost. So it is with a commit on its
# way.</details>
#
# Next: **10 · What happens to a consumer that works too long?**
