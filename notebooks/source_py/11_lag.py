# %% [markdown]
# # 11 · How far behind is too far?
#
# Everybody who runs consumers watches one number, the *lag*: how many records are still to be read.
# Zero is good, a hundred thousand is bad, and most dashboards know no more than that. In this
# chapter a dashboard turns green at the very moment when more than three hundred orders are lost.
#
# **You need** chapters 01, 05, 07, 08 and 09. **You get** six words: *lag*, *lead*, *log start
# offset*, *position*, *time lag*, *offset expiry*.
#
# **Time** three sittings: 40 minutes up to section 3; 40 minutes for sections 4 to 7; 40 minutes
# for sections 8 to 12.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import KafkaAdminClient, KafkaConsumer, KafkaException, TopicPartition
from kafkalab.stories import lag as story
from kafkalab.stories.lag import brief, first_reset, lag_of, moments, never_read
from kafkalab.stories.lag import in_ms as minutes, print_cut as show
from kafkalab.stories.recorded import recorded
from kafkalab.tools.consumer_groups import described
from kafkalab.views import group_timeline, lag_and_lead
from functools import cache
import pandas as pd

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# Thirty orders come each minute. The group billing has one member, and it reads twenty a minute. It
# is too slow, and nobody has noticed. The topic keeps its records for ten minutes. After 40 minutes
# somebody opens the dashboard.
#
# A member that finds its place deleted goes where `auto.offset.reset` says. How large is the lag if
# that is `earliest`, the log's start? How large with `latest`?

# %%
predict("11 dashboard", earliest=None, latest=None)


# %%
@cache  # the same story is played once
def slow_member(arrive=30, work=20, keep=10, reset="earliest", sale=0, name="m1"):
    """Play 40 minutes: `arrive` orders come each minute, and m1 reads `work` of them.

    The topic keeps `keep` minutes. Returns the lab and the offsets that m1 read.
    """
    lab, shop, member = story.begin(keep=keep, reset=reset, name=name)
    read = []
    for minute in range(1, 41):
        lab.run_for(ms=minutes(minute) - lab.now_ms)
        story.write(shop, arrive + (sale if minute == 5 else 0))
        for _ in range(work // 10):  # a poll returns ten
            read += [record.offset for record in member.poll(timeout_ms=500)]
        member.commit_sync()
    return lab, read


# %%
runs = {reset: slow_member(reset=reset) for reset in ("earliest", "latest")}
labs = {reset: lab for reset, (lab, read) in runs.items()}
truth("11 dashboard", **{reset: lag_of(lab) for reset, lab in labs.items()})
lag_and_lead(labs, "billing", title="one slow member, ten minutes of retention")

# %% [markdown] items="N85"
# The **lag** (滞后量, 消费积压) is the distance to the log's end: the log end offset minus the
# committed offset, which we call the bookmark. Ten more orders a minute, for forty minutes: four
# hundred, by arithmetic. Neither run shows that. (The small peaks at every minute: thirty orders
# come at once, and a moment later twenty are read.)
#
# Look at the lower picture. The **lead** (领先量) is the distance to the log's start: the committed
# offset minus the **log start offset** (日志起始位移), where the log begins now. For ten minutes it
# grows, because nothing is deleted yet. Then retention deletes thirty records a minute, while the
# member moves by twenty. Soon after minute 30 the lead is 0. Below 0 the bookmark names a record
# that is deleted, and the lead goes down to about −40. The member does not notice at once. It has
# fetched some orders beyond its bookmark, and they are in its memory. So it misses less than the
# lead says: 30. In minute 35 it asks for the next orders, and the broker answers OFFSET_OUT_OF_RANGE.
#
# Now the upper picture again, after minute 35. With `earliest` the lag stops growing. That is not
# recovery. The log holds about ten minutes of orders, so the lag stays a little above three
# hundred, and the oldest unread orders are deleted. With `latest` the lag drops to **0** in one
# step. Then it grows again by ten a minute, to 50 in minute 40. The dashboard turns green, and here
# is the cost:

# %%
{reset: never_read(lab, read) for reset, (lab, read) in runs.items()}

# %% [markdown]
# With `latest` 360 orders were never read. The picture gives two reasons, "deleted" and "skipped".
# How many of the 360 were still in the log when the member jumped?

# %%
predict("11 who took them", still_in_the_log=None)

# %%
taken = story.first_loss(labs["latest"])
truth("11 who took them", still_in_the_log=taken["skipped"])
for minute, line in moments(labs["latest"], "is out of range|Resetting offset"):
    print(f"minute {minute}: {line}")

# %% [markdown]
# Retention had deleted 30. The other 330 were still in the log. `latest` skipped them: it went
# to the end. And in that moment both pictures look good, for lag is 0 and the lead is larger than ever
# before. So an alarm must come *earlier*, while the lead shrinks.
#
# The member said so once, at INFO. `auto.offset.reset` is usually explained as the rule for a new
# group. This is its second use.
#
# ## 2. More lag, less lead?
#
# An article behind this course says: the larger the lag, the smaller the lead. Try it. This member
# is quick: it can read forty a minute where thirty come. The topic keeps a day. At minute 5 a sale
# begins and 300 orders come at once. The lag jumps. By how much does the lead fall between minute 4
# and minute 6? How many minutes does the lag need to come back to 0?

# %%
predict("11 burst", lead_falls_by=None, minutes_to_recover=None)

# %%
sale, _ = slow_member(work=40, keep=1_440, sale=300)
fell = story.lead_of(sale, minutes(4.5)) - story.lead_of(sale, minutes(6.5))
back = next(minute for minute in range(6, 40) if lag_of(sale, minutes(minute + 0.5)) == 0)
truth("11 burst", lead_falls_by=max(0, fell), minutes_to_recover=back - 5)
lag_and_lead({"a sale": sale}, "billing", title="a burst, a quick member, a day of retention")

# %% [markdown] items="N84"
# The lead does not fall at all. It grows with every record that is read. Lag and lead are distances
# to different ends of the log. A producer moves the one end, retention moves the other, and the
# bookmark is between them. The lead shrinks when the log start moves faster than the bookmark, or
# when somebody sets the bookmark back. In section 1 lag and lead even grew together, for ten
# minutes.
#
# And a large lag is no failure. It is work. 300 orders too many, 10 more a minute than come: 30
# minutes. The first ten were read in minute 5 itself, so 29 minutes are left. What matters is
# whether the curve rises or falls.

# %% [markdown] items="N80 N120"
# ## 3. Three ways to ask
#
# **The tool.** `kafka-consumer-groups.sh --bootstrap-server localhost:9092 --describe --group
# billing` is the first thing to type when somebody calls. In the lab `described(lab, "billing")`
# prints what the tool prints. The last columns are cut off, to fit the page.
#
# Three partitions. The member m1 has committed in partition 0 only. It has read partition 1 and
# committed nothing yet. Partition 2 is empty. What does LAG of partition 1 say: its 40 records, 0,
# or something else?

# %%
predict("11 never committed", lag_of_partition_1=None)

# %%
lab, shop, member = story.small_group()
table = described(lab, "billing")
truth("11 never committed", lag_of_partition_1=table.splitlines()[3].split()[5])
show(table)

# %% [markdown]
# A dash. The tool knows the log's end. It does not know where the group would begin, because each
# member's `auto.offset.reset` decides that. A dash is not a zero. Many alarms read it as one.
#
# Now the member leaves, and ten more orders come into partition 0. Will the tool still know a lag
# for it? Guess the number, or "-".

# %%
predict("11 nobody there", lag_of_partition_0=None)

# %%
member.close()
story.write(shop, 10, partitions=1)
after = described(lab, "billing")
row = [line.split() for line in after.splitlines() if line.startswith("billing")][0]
truth("11 nobody there", lag_of_partition_0=int(row[5]))
show(after)

# %% [markdown] items="N81"
# "Has no active members": no program of this group runs. The columns of the member are empty, and
# the lag is as true as before. The brokers keep the bookmark and the log's end; no member is needed
# for that. This lag grows until a member comes back. The partitions without a bookmark are gone
# from the table.

# %% exercise="11.1"

# %% [markdown]
# **The admin client.** A monitor asks by program: the committed offsets of the group, then the ends
# of those partitions, and subtracts. Many teams have such a script, from Java to Python. Our group
# has three partitions, and 88 records are unread in them. How many does the script count?

# %%
predict("11 script", counts=None)


# %%
def lag_script(lab, group):
    """partition -> lag, as many scripts do it."""
    admin = KafkaAdminClient(lab, {})
    asked = admin.list_consumer_group_offsets(group).partitions_to_offset_and_metadata()
    committed = asked.get(timeout_ms=10_000)
    reader = KafkaConsumer(lab, {"group.id": group, "enable.auto.commit": False})
    ends = reader.end_offsets(list(committed))  # without subscribe it never joins
    return {str(tp): ends[tp] - committed[tp].offset for tp in committed}


lab, shop, member = story.small_group()
found = lag_script(lab, "billing")
truth("11 script", counts=sum(found.values()))
found

# %% [markdown] items="N82"
# It counts 48. The forty records of partition 1 are missing. The group has no bookmark there, and
# the answer does not name that partition. A careful monitor begins with the *partitions of the
# topics* and looks up the bookmark of each. You will write one in section 7.
#
# The script waits ten seconds for its answer. What if none comes? Many projects copied a Java
# version of it. It catches most errors and returns an empty map; only the time-out is raised. An
# empty map adds up to a lag of 0, and the dashboard is green. **Unknown is not zero**: let a
# monitor fail aloud.
#
# **The client itself.** A consumer counts as it reads. It shows the numbers over JMX, Java's own
# way to look into a running program, under the name
# `kafka.consumer:type=consumer-fetch-manager-metrics,client-id=m1`. In the lab they are
# `member.metrics()`. Here they are beside the tool's:

# %%
here = TopicPartition("orders", 0)
NAMES = ("records-lag", "records-lag-max", "records-lead", "records-lead-min")


def counted(member):
    """The four metrics of partition 0."""
    found = member.metrics().of("consumer-fetch-manager-metrics", topic="orders", partition="0")
    return {name: found[name] for name in NAMES}


{"LAG of the tool": lag_of(lab), "position": member.position(here), **counted(member)}

# %% [markdown] items="N83"
# The tool says 48, the client 0, and both are right. The client measures from its **position**
# (消费位置), the next record that it will return. The bookmark is behind that until the member
# commits. So a member that reads and never commits has a perfect `records-lag` and a terrible LAG.
#
# `records-lag-max` and `records-lead-min` are the worst values of the last minute
# (`metrics.num.samples` windows of `metrics.sample.window.ms`).
#
# What do these metrics say of a member that hangs? m1 makes no call for ten minutes, and a hundred
# orders come. Guess its `records-lag`.

# %%
predict("11 it hangs", records_lag=None)

# %%
story.write(shop, 100, partitions=1)
lab.run_for(ms=minutes(10))
truth("11 it hangs", records_lag=counted(member)["records-lag"])
counted(member)

# %% [markdown]
# `records-lag` keeps its last value for ever: 0, as before, and an alarm on it stays green. Only the
# two worst values turn to NaN, "not a number". When the process dies, all its metrics end. So a
# member cannot report its own death. Ask the brokers: the tool, or the admin client.

# %% exercise="11.2"

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 4. Records or minutes?
#
# Back to the two runs of sections 1 and 2. At minute 29 the slow member was 290 records behind. At
# minute 5, just after the sale began, the quick one was 290 records behind, too. How many minutes
# had the first unread order been waiting, in each?

# %%
predict("11 same lag", slow_member=None, sale=None)

# %%
moments_asked = {"slow member, minute 29": (labs["latest"], 29), "a sale, minute 5": (sale, 5)}
rows = {}
for name, (played, minute) in moments_asked.items():
    at = minutes(minute) + 1_000  # a second later
    rows[name] = (lag_of(played, at), story.waiting_minutes(played, at))
slow, quick = rows.values()
truth("11 same lag", slow_member=slow[1], sale=quick[1])
pd.DataFrame(rows, index=["records behind", "minutes behind"]).T

# %% [markdown]
# The same count, and one customer has been waiting for nine minutes longer than the other. People
# mean minutes when they ask "how far behind"; this is the **time lag** (时间滞后). Retention counts
# in minutes as well. With a time lag of nine and a retention of ten, one minute is left: act now.
# The tool prints records only. To get minutes, save the log's end every minute, and look up when it
# passed the bookmark:


# %%
def minutes_behind(ends, committed, now):
    """ends: {minute: the log's end}. For how long the first unread record has been there."""
    later = [minute for minute, end in ends.items() if end > committed]
    return now - min(later) if later else 0


def told_at(minute):
    row = labs["latest"].describe_group("billing", minutes(minute) + 1_000).iloc[0]
    return int(row.log_end_offset), int(row.current_offset)


ends = {minute: told_at(minute)[0] for minute in range(1, 30)}
minutes_behind(ends, told_at(29)[1], 29)

# %% [markdown]
# It finds the minutes of the table above.
#
#
# ## 5. One of two is slow
#
# Two partitions, two members. Twenty orders a minute come into each. m1 is quick, m2 does ten a
# minute, and at minute 14 its machine is switched off. Which partition is behind? And when m2 is
# gone, does its partition's lag go up or down? Write "up" or "down".

# %%
predict("11 two members", partition_behind=None, after_the_crash=None)


# %%
def member_loop(lab, name, per_minute):
    """Read five orders, commit them, take the time that five orders take."""
    member = story.member_of_billing(lab, name, at_once=5)
    while True:
        if list(member.poll(timeout_ms=100)):
            member.commit_sync()
        lab.sleep(minutes(5) // per_minute)


def two_members(keep=12):
    return story.two_members(member_loop, keep=keep, crash_at=14)


# %%
lab = two_members()
lag_at = {
    minute: lab.describe_group("billing", minutes(minute)).set_index("partition").lag
    for minute in (14, 26)
}
truth(
    "11 two members",
    partition_behind=int(lag_at[14].idxmax()),
    after_the_crash="down" if lag_at[26].max() < lag_at[14].max() else "up",
)
lag_and_lead({"two members": lab}, "billing", title="m2 is slow, and dies at minute 14")

# %%
session, again = story.nobody_reads(lab)
print(f"m2's session ends {session} s after the crash; the next commit is {again} s after it.")

# %% [markdown]
# The crash is the cure. At first nobody reads partition 1. The session of m2 has to end first: 45
# seconds after its *last heartbeat*, which it sent up to 15 seconds before its death. So the session
# ends 30 to 45 seconds after the crash. Then m1 has to hear of the rebalance, and it hears by its
# own next heartbeat: here one every 15 seconds (chapter 08). After that m1, which has time to
# spare, reads what m2 left.
#
# A sum over all partitions would have shown a group that is a little late. By partition it shows
# one that is fine and one that is lost. So: alarm on the worst partition, and mark the rebalances
# in the chart. They explain most bends.

# %% exercise="11.3"

# %% [markdown]
# ## 6. What to alarm on
#
# The tool has no column for the lead. A client's `records-lead` ends with its process. So a monitor
# asks the brokers for the *earliest* offset and subtracts it from the bookmark:

# %%
from kafkalab import OffsetSpec


def lead_script(lab, group):
    """partition -> lead, also when no member of the group is alive."""
    admin = KafkaAdminClient(lab, {})
    asked = admin.list_consumer_group_offsets(group).partitions_to_offset_and_metadata()
    committed = asked.get(timeout_ms=10_000)
    starts = admin.list_offsets({tp: OffsetSpec.earliest() for tp in committed}).all().get()
    return {str(tp): committed[tp].offset - starts[tp].offset for tp in committed}


lead_script(slow_member(work=30)[0], "billing")

# %% [markdown]
# The lead says how many records are left before the first loss. Divide it by what retention deletes
# in a minute, and you have minutes. The time lag says the same from the other end: retention minus
# time lag is the time that is left. It needs no rate, so the first alarm below uses it. Three alarms
# are worth a call at night:
#
# | Alarm | When | Why |
# |---|---|---|
# | time lag / retention, the worst partition | above 0.5: look; above 0.8: act | It says how much time is left before records are lost. Lag in records does not. |
# | a line with "is out of range" | at once | Records are lost already. It is at INFO: collect it all the same. |
# | the lag of a partition is unknown (a dash, or no answer) | after some minutes | Unknown is not zero. |
#
# And when the first alarm comes? **First aid** is more retention, not more consumers:
#
# ```
# kafka-configs.sh --bootstrap-server localhost:9092 --alter --entity-type topics \
#     --entity-name orders --add-config retention.ms=86400000
# ```
#
# What is not deleted yet stays for a day. Then make the group faster. In the lab, `tool` runs this
# command. Here somebody types it in minute 29, for the slow member of section 1 with `latest`. How
# many orders are never read now, in forty minutes? (Without it there were 360.)

# %%
predict("11 first aid", never_read=None)

# %%
from kafkalab.tools.command import tool

more = """kafka-configs.sh --alter --entity-type topics --entity-name orders \
    --add-config retention.ms=86400000"""
saved, read = story.with_first_aid(minute=29, aid=lambda lab: print(tool(lab, more)))
truth("11 first aid", never_read=never_read(saved, read))
{"lag": lag_of(saved)}

# %% [markdown]
# None, and the lag is 400: it is what the arithmetic of section 1 said. Nothing was deleted, so the
# client never had to jump.
#
# One setting makes the loss loud: `auto.offset.reset=none`. Then `poll()` raises an exception
# instead of jumping. In which minute does the slow member of section 1 stop, and how many orders
# does it skip?

# %%
predict("11 none", stops_in_minute=None, skips=None)

# %%
lab, shop, member = story.begin(keep=10, reset="none")
read = []
try:
    for minute in range(1, 41):
        lab.run_for(ms=minutes(minute) - lab.now_ms)
        story.write(shop, 30)
        for _ in range(2):
            read += [record.offset for record in member.poll(timeout_ms=500)]
        member.commit_sync()
except KafkaException as error:
    print(error)
truth("11 none", stops_in_minute=minute, skips=read[-1] + 1 - len(read))

# %% [markdown]
# It stops in the minute in which the others jump, and it skips nothing. A person decides where it
# begins again. Some records are deleted all the same: `none` makes the loss visible, it does not prevent
# it. A new group with `none` needs a first commit, or its first `poll()` raises.
#
# ## 7. A monitor of your own

# %% exercise="11.4"

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 8. A bookmark has an age
#
# Fifty orders, all read and committed. Then billing has a holiday: its last member closes. Twenty
# more orders come, and the topic keeps everything for thirty days. What does the tool say after six
# days, and after eight? Give the lag, or "-" if it knows none. When billing comes back after eight
# days, with the default `auto.offset.reset`, how many of the twenty orders does it get?

# %%
predict("11 holiday", after_6_days=None, after_8_days=None, gets=None)


# %%
def told_after(days):
    lab, _ = story.holiday(days)
    return lag_of(lab) if "billing" in lab.at(lab.now_ms)["groups"] else "-"


lab, _ = story.holiday(8)
got = len(list(story.member_on_holiday(lab, "m2").poll(timeout_ms=6_000)))
truth("11 holiday", after_6_days=told_after(6), after_8_days=told_after(8), gets=got)
for minute, line in moments(lab, "committed offset for|Resetting offset", "m2"):
    print(f"minute {minute}: {line}")

# %% [markdown]
# After seven days without a member the brokers delete the bookmarks, and with the last of them the
# group: **offset expiry** (位移过期), `offsets.retention.minutes`, 10,080. The orders are all there,
# for three more weeks. Only the place is forgotten. For the broker the member that comes back is
# new. `latest` sends it to the end, and its lag is 0.
#
# The clock of a classic group starts when its last member is gone, whatever the age of its commits. A
# group with members may be silent for a month. There are three other cases. A program that commits
# without being a member (`assign`) has a clock for each offset, from the commit on. So has a group with
# `group.protocol=consumer`, but nothing expires while a member reads the topic. If such a group was
# silent for a month and closes, its bookmarks go at once. And where a live group has stopped reading a topic, the
# offsets of that topic expire, too.
#
# The broker tells nobody but its own log. Up to broker 3.9 the line is `Removed X expired offsets in
# Y milliseconds.` In 4.x it is `Generated X tombstone records while cleaning up group metadata in Y
# milliseconds.`
#
# Before the member comes back, the tool can give the group a bookmark again (chapter 09). Somebody
# must know the place: the offset, or the time of the last commit for `--to-datetime`.

# %%
lab, _ = story.holiday(8)
print(
    tool(
        lab,
        """kafka-consumer-groups.sh --reset-offsets --group billing --topic orders \
    --to-offset 50 --execute""",
    )
)
len(story.member_on_holiday(lab, "m2").poll(timeout_ms=6_000))

# %% [markdown]
# ## 9. Bug hunt

# %% exercise="11.5"

# %% [markdown]
# m0 had committed in three of its four partitions. In the fourth m1 found no bookmark and began at
# the end, by default. If you want every record, set `earliest`, and let each member commit the
# position of every partition it owns when it starts.

# %% [markdown] items="N80 N81 N120"
# ## 10. The real thing beside it
#
# Where does the client know the ends of the log from, without asking anybody? Each answer to a
# FETCH carries the high watermark and the log start. A real Java consumer 3.9.2 wrote such lines for
# four partitions. The table has the numbers of its lines. `records-lag` and `records-lead` are
# differences of them. For which partition is there a line with a lag of 0, and why only for that one?

# %% items="N83"
pair = recorded("4.4.0/3.9.2/group_offsets_manual_commit", seed=1)
ends = pair.real.message.str.extract(
    r"at offset (?P<position>\d+) for partition (?P<partition>\S+) returned .*"
    r"highWatermark=(?P<high_watermark>\d+), .*logStartOffset=(?P<log_start>\d+)"
)
ends.dropna().drop_duplicates().reset_index(drop=True)

# %% [markdown]
# <details><summary>Answer</summary>orders-3: only there a FETCH was answered after its two records
# had been returned. Position 2, high watermark 2: lag 0. For the other three the last answer is the
# one that brought the records; their lag was counted down as `poll()` returned
# them.</details>
#
# ## 11. Spark lab: what retention took
#
# Nobody reads INFO, but Spark does. Four groups ran for forty minutes, each with a slow member as
# in section 1, and wrote their lines into a folder. Spark needs about a minute to start.

# %%
n = numbers("11.6")
n

# %%
from kafkalab.course_folder import course_folder

logs = course_folder() / "data/generated/chapter11/members"


def keep_lines(who, told):
    """Play a group's story and keep its member's lines, as a logging server would."""
    logs.mkdir(parents=True, exist_ok=True)
    lab, _ = slow_member(told.arrive, told.work, told.keep, told.reset, name=who)
    (logs / f"{who}.log").write_text(lab.log_text(who))


for letter, group in numbers("11.6").items():
    keep_lines(f"billing-{letter}", group)

# %% [markdown]
# First the largest lag in every five minutes, as a monitor without access to the brokers would find
# it. It takes the high watermark of each FETCH answer and the last offset that was committed before.
# A dash means that no answer of these minutes tells a lag. Before the first commit none can. And the
# answer that says "your place is gone" has -1 for a high watermark: at the moment of a loss this
# monitor is blind.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F, Window

spark = logsets.session()
lines = logsets.read(spark, str(logs))


def number(pattern):
    return F.regexp_extract("message", pattern, 1).try_cast("int")  # null: not there


so_far = Window.partitionBy("client_id").orderBy("time", "file_offset")
facts = lines.where("message like 'Committed offset%' or message like 'Fetch read_un%'")
bookmark = F.last(number(r"Committed offset (\d+)"), ignorenulls=True).over(so_far)
known = facts.withColumn("lag", number(r"highWatermark=(\d+)") - bookmark)

# %% spark=true
from_minute = F.floor(F.minute("time") / 5) * 5
most = known.groupBy("client_id", from_minute.alias("minute")).agg(F.max("lag").alias("lag"))
texts = most.withColumn("lag", F.col("lag").cast("string"))
# pivot: each minute becomes a column
table = texts.groupBy("client_id").pivot("minute").agg(F.first("lag")).na.fill("-")
table.orderBy("client_id").toPandas()

# %% exercise="11.6"

# %% [markdown]
# ## 12. In your own words

# %% exercise="11.open"

# %% [markdown]
# ## Then and now
#
# KIP is a
# [Kafka Improvement Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals).
#
# | Then | Now | Try it |
# |---|---|---|
# | "More lag, less lead." | Retention makes the lead smaller; a producer makes the lag larger and leaves the lead alone. `records-lead` is position minus log start (KIP-223, 2.0). | section 2 |
# | A lag script needs an AdminClient and a KafkaConsumer. | `Admin.listOffsets` (KIP-396, 2.5) gives the ends, too, so one client will do. | section 6 |
# | The group's answer has all partitions. | No: it has those that were committed. Begin with the topic's partitions. | section 3 |
# | Lag over JMX only. | `consumer.currentLag(partition)` in the program itself (KIP-695, 3.0); it is from the position, like `records-lag`. | `member.current_lag(here)` |
# | An idle offset expires a day after its commit. | Seven days since 2.0 (KIP-186); counted from the moment a classic group is empty since 2.1 (KIP-211). | section 8 |
# | `records-lag` has the partition in its metric's name. | In its tags, `topic` and `partition`, since 1.1 (KIP-225). | `member.metrics().of(...)` |
# | The log line to search for is `Fetch offset 690 is out of range`. | So up to 2.5. From 2.6 it says `Fetch position FetchPosition{...}`, and a search for the old words finds nothing. | below |
#
# With the newer protocol (`group.protocol=consumer`, KIP-848) these rules stay or change:
#
# | | Classic | KIP-848, client and broker 4.4 |
# |---|---|---|
# | LAG of the tool | the log's end minus the bookmark | the same |
# | A group is empty for seven days | its bookmarks are deleted | the same |
# | When do the others read a dead member's partitions? | after its session, the client's setting, and their next heartbeat | after its session, the broker's setting, and their next heartbeat |
# | `--describe --members --verbose` (tool 4.x) | epochs are `-` | the member's epoch and the target's |
#
# The last row of the first table matters for the second alarm of section 6. Search for "is out of range", which both
# have. A member begins at offset 3 of a log whose first eight orders are gone:

# %%
{version: story.words_of_a_loss(version) for version in ("2.3", "3.9")}

# %% [markdown]
# ## What you know now
#
# - Lag is work to come, lead is what is left behind the reader. Look at both, by partition.
# - A lag of 0 can be the moment after a loss. A flat lag can hide a loss that continues.
# - The tool measures from the bookmark, the client from its position. A dash is not a zero.
# - Minutes say more than records.
# - A group that is empty for a week loses its bookmarks, not its records.
#
# ## Break it yourself
#
# Here the member keeps up for ever: thirty come, thirty are read. Change one number so that orders
# are lost within the forty minutes. Then change *another* number so that nothing is lost. Which of the
# two could you change at night? And what must `keep` be for a weekend on which nobody is there?

# %%
lab, read = slow_member(arrive=30, work=30, keep=10)
{"lag": lag_of(lab), "never read": never_read(lab, read), "first loss in minute": first_reset(lab)}

# %% [markdown]
# **So what?** Alarm on time lag divided by retention, by the worst partition, and on every line with
# "is out of range". Keep records for twice the longest time that the group may be away.
#
# **Words**: lag 滞后量 (消费积压) · lead 领先量 · log start offset 日志起始位移 · position 消费位置
# · time lag 时间滞后 · offset expiry 位移过期

# %%
from autograder import my_guesses

my_guesses("11")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 09: a committed offset is 10. Which record is read
# next?</summary>Number 10. The committed offset names the next record; 0 to 9 are done.</details>
# <details><summary>2. Chapter 08: a member is killed. When does the group notice?</summary>When its
# session times out, 45 seconds by default since 3.0. Until then nobody reads its
# partitions.</details>
# <details><summary>3. Chapter 01: what removes a record from the log?</summary>Retention, whole
# segments at a time, whether or not anybody has read them.</details>
#
# Next: **12 · What does a client do with an error?**
