# %% [markdown]
# # 11 · How far behind is too far?
#
# Everybody who runs consumers watches one number, the *lag*: how many records are still to be read.
# Zero is good, a hundred thousand is bad, and most dashboards know no more than that. In this
# chapter a dashboard turns green at the very moment when more than three hundred orders are lost.
#
# **You need** chapters 01, 05, 07, 08 and 09. **You get** six words: *lag*, *lead*, *log start
# offset*, *position*, *time lag*, *offset expiry*. **Time** about 35 minutes up to section 9, and a
# second sitting of 20 for the Spark lab and your own words.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaAdminClient, KafkaConsumer, KafkaProducer
from kafkalab import OffsetAndMetadata, ProducerRecord, RecordsToDelete, TopicPartition
from kafkalab.tools.consumer_groups import described
from kafkalab.views import group_timeline, lag_and_lead, side_by_side
import re
from functools import cache
import pandas as pd

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# Thirty orders come each minute. Billing has one member, and it works through twenty a minute: it
# is too slow, and nobody has noticed. The topic keeps its records for ten minutes. After 40 minutes
# somebody opens the dashboard. How large is the lag, if a member that finds its place gone begins
# again at the log's start (`auto.offset.reset=earliest`)? How large with `latest`?

# %%
predict("11 dashboard", earliest=None, latest=None)


# %%
def minutes(count):
    return int(count * 60_000)


def shop_lab(keep, partitions=1):
    """A lab with the topic orders, which keeps its records for so many minutes."""
    lab = Lab(brokers=1, seed=11, broker_config={"log.retention.check.interval.ms": 10_000})
    lab.create_topic(
        "orders",
        partitions=partitions,
        config={"retention.ms": minutes(keep), "segment.ms": 30_000},
    )  # short files, so old ones go
    return lab


def member_of_billing(lab, name, reset="earliest", at_once=10):
    """A subscribed member of the group billing, with so many records in a poll."""
    member = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "client.id": name,
            "auto.offset.reset": reset,
            "enable.auto.commit": False,
            "max.poll.records": at_once,
            "heartbeat.interval.ms": 15_000,
            "retry.backoff.ms": 1_000,
            "max.partition.fetch.bytes": 500,
        },
        name=name,
    )  # it fetches little ahead
    member.subscribe(["orders"])
    return member


@cache  # the same story is played once
def slow_member(arrive=30, work=20, keep=10, reset="earliest", sale=0, name="m1"):
    """Play 40 minutes. `arrive` orders come each minute, and m1 reads `work` of them.

    The topic keeps `keep` minutes. Returns the lab and the offsets that m1 read.
    """
    lab = shop_lab(keep)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    member = member_of_billing(lab, name, reset)
    member.poll(timeout_ms=4_000)  # join the group
    read = []
    for minute in range(1, 41):
        lab.run_for(ms=minutes(minute) - lab.now_ms)
        for _ in range(arrive + (sale if minute == 5 else 0)):
            shop.send(ProducerRecord("orders", value="an order"))
        shop.flush()
        for _ in range(work // 10):
            read += [record.offset for record in member.poll(timeout_ms=500)]
        member.commit_sync()
    return lab, read


def lag_of(lab, at_ms=None):
    return int(lab.describe_group("billing", at_ms).lag.sum())


# %%
runs = {reset: slow_member(reset=reset) for reset in ("earliest", "latest")}
labs = {reset: lab for reset, (lab, read) in runs.items()}
truth("11 dashboard", **{reset: lag_of(lab) for reset, lab in labs.items()})
lag_and_lead(labs, "billing", title="one slow member, ten minutes of retention")

# %% [markdown] items="N85"
# The **lag** is what lies before the bookmark: the log's end minus the committed offset. Ten more
# orders a minute, for forty minutes: four hundred, by arithmetic. Neither run shows that. (The
# small peaks at every minute: thirty orders come at once, and a moment later some are read.)
#
# Look at the lower picture. The **lead** is what lies behind the bookmark: the committed offset
# minus the **log start offset**, where the log begins now. For ten minutes it grows, for nothing is
# deleted yet. Then retention begins and takes thirty records a minute, while the member moves by
# twenty. Retention is the faster runner. At lead 0, soon after minute 30, it has reached the
# reader. Below 0 the bookmark names a record that is gone already. The member does not notice at
# once, because it fetches a little ahead of its bookmark. In minute 35 it asks for the next orders,
# and hears that its place is gone.
#
# Now the upper picture again, after minute 35. With `earliest` the lag stops growing. That is not
# recovery. The log holds about ten minutes of orders, so the lag stays near three hundred; all that
# is too much falls off the other end. With `latest` the lag drops to **0** in one step, and begins
# to grow again from there. The dashboard turns green, and here is what it cost:


# %%
def never_read(lab, read):
    """Records before the bookmark that the member was never given."""
    bookmark = lab.describe_group("billing").current_offset[0]
    return int(bookmark - len(set(read)))


# %%
{reset: never_read(lab, read) for reset, (lab, read) in runs.items()}

# %% [markdown]
# The member said so, once, at INFO, and nobody reads INFO. `auto.offset.reset` is usually explained
# as the rule for a new group. It has a second use, and this is it:


# %%
def brief(line):
    """A line without its prefix; of a FetchPosition only the offset."""
    return re.sub(", offsetEpoch.*}}", ", ...}", line.split("] ")[-1])


def moments(lab, words, client="m1"):
    """(minute, line) of a client's lines that hold these words."""
    lines = lab.lines(client)
    found = lines[lines.message.str.contains(words)]
    return [(at // minutes(1), brief(text)) for at, text in zip(found.at_ms, found.message)]


def first_reset(lab):
    """The minute in which the member first finds its position gone, or None."""
    found = moments(lab, "is out of range")
    return found[0][0] if found else None


# %%
for minute, line in moments(labs["latest"], "is out of range|Resetting offset"):
    print(f"minute {minute}: {line}")

# %% [markdown]
# So there are two alarms to raise, one at each end. Lag says how much work there is. Lead says how
# much time is left.
#
# ## 2. More lag, less lead?
#
# An often copied sentence says: the larger the lag, the smaller the lead. Let us see. This member
# is quick: it can do forty a minute where thirty come. The topic keeps a day. At minute 5 a sale
# begins and 300 orders come at once. The lag jumps. By how much does the lead fall between minute 4
# and minute 6? How many minutes does the lag need to come back to 0?

# %%
predict("11 burst", lead_falls_by=None, minutes_to_recover=None)

# %%
sale, _ = slow_member(work=40, keep=1_440, sale=300)


def lead_of(lab, at_ms):
    state = lab.at(at_ms)
    bookmark = state["groups"]["billing"]["offsets"]["orders-0"]["offset"]
    return bookmark - state["partitions"]["orders-0"]["log_start_offset"]


fell = lead_of(sale, minutes(4.5)) - lead_of(sale, minutes(6.5))
back = next(minute for minute in range(6, 40) if lag_of(sale, minutes(minute + 0.5)) == 0)
truth("11 burst", lead_falls_by=max(0, fell), minutes_to_recover=back - 5)
lag_and_lead({"a sale": sale}, "billing", title="a burst, a quick member, a day of retention")

# %% [markdown] items="N84"
# The lead does not fall at all: it grows with every record that is read. Lag and lead look at
# different ends of the log. A producer moves the one end, retention moves the other, and the reader
# stands between them. Only retention can make the lead smaller. In section 1 lag and lead even rose
# together, for ten minutes.
#
# And a large lag is no failure. It is work. Three hundred orders more than usual, ten spare hands a
# minute: thirty times ten. The first ten were read in minute 5 itself, so 29 minutes are left. What
# matters is which way the curve goes.

# %% [markdown] items="N80 N120"
# ## 3. Three ways to ask
#
# **The tool.** `kafka-consumer-groups.sh --bootstrap-server localhost:9092 --describe --group
# billing` is the first thing to type when somebody calls. In the lab `described(lab, "billing")`
# prints what the tool prints. The last columns are cut off, to fit the page.
#
# Three partitions. The member m1 has committed in partition 0 only. It has read partition 1 and
# committed nothing yet. Partition 2 is empty. What stands under LAG of partition 1: its 40 records,
# 0, or something else?

# %%
predict("11 never committed", lag_of_partition_1=None)


# %%
def small_group():
    """Three partitions; m1 has committed offset 12 in partition 0, and read further."""
    lab = Lab(brokers=1, seed=3)
    lab.create_topic("orders", partitions=3)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for partition in [0] * 60 + [1] * 40:
        shop.send(ProducerRecord("orders", value="an order", partition=partition))
    shop.flush()
    member = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "client.id": "m1",
            "enable.auto.commit": False,
            "max.poll.records": 20,
            "auto.offset.reset": "earliest",
        },
        name="m1",
    )
    member.subscribe(["orders"])
    for _ in range(3):
        member.poll(timeout_ms=4_000)
    member.commit_sync({TopicPartition("orders", 0): OffsetAndMetadata(12)})
    return lab, shop, member


def show(text):
    print("\n".join(line[:105].rstrip() for line in text.splitlines()))


lab, shop, member = small_group()
table = described(lab, "billing")
truth("11 never committed", lag_of_partition_1=table.splitlines()[3].split()[5])
show(table)

# %% [markdown]
# A dash. The tool knows where the log ends and not where the group would begin, because that is up
# to each member's `auto.offset.reset`. A dash is not a zero. Many alarms read it as one.
#
# Now the member leaves, and ten more orders come. Will the tool still know a lag for partition 0?
# Guess the number, or "-".

# %%
predict("11 nobody there", lag_of_partition_0=None)

# %%
member.close()
for _ in range(10):
    shop.send(ProducerRecord("orders", value="an order", partition=0))
shop.flush()
after = described(lab, "billing")
row = [line.split() for line in after.splitlines() if line.startswith("billing")][0]
truth("11 nobody there", lag_of_partition_0=row[5])
show(after)

# %% [markdown] items="N81"
# "Has no active members": no program of this group runs. The columns of the member are empty, and
# the lag is as true as before. The bookmark lies with the brokers, the log's end too; nobody has to
# be there. This lag grows until somebody comes back. The partitions without a bookmark have left
# the table.

# %% exercise="11.1"

# %% [markdown]
# **The admin client.** A monitor asks by program: the committed offsets of the group, then the ends
# of those partitions, and subtracts. This is a script that many teams have, from Java to Python.
# Our group has three partitions, and 88 records are unread in them. How many does the script count?

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


lab, shop, member = small_group()
found = lag_script(lab, "billing")
truth("11 script", counts=sum(found.values()))
found

# %% [markdown] items="N82"
# It counts 48. The forty records of partition 1 are missing, because the group has no bookmark
# there and the answer does not name that partition. A careful monitor begins with the *partitions
# of the topics* and looks up the bookmark of each. You will write one in section 6.
#
# The script waits ten seconds for its answer. What if none comes? A Java form of it went round the
# world. It catches most errors and returns an empty map; only the time-out is raised. An empty map
# adds up to a lag of 0, and the dashboard is green. **Unknown is not zero**: let a monitor fail
# aloud. (Two details of the Java form are right. It turns auto commit off in its own consumer. And
# when its thread is interrupted, it sets the interrupt flag again.)
#
# **The client itself.** A consumer counts as it reads. It shows the numbers over JMX, Java's own
# way to look into a running program, under the name
# `kafka.consumer:type=consumer-fetch-manager-metrics,client-id=m1`. In the lab they are
# `member.metrics()`. Here they are beside the tool's:

# %%
here = TopicPartition("orders", 0)
of_fetches = "consumer-fetch-manager-metrics"
counted = member.metrics().of(of_fetches, topic="orders", partition="0")
names = ("records-lag", "records-lag-max", "records-lead", "records-lead-min")
{
    "LAG of the tool": lag_of(lab),
    "position": member.position(here),
    **{name: counted[name] for name in names},
}

# %% [markdown] items="N83"
# The tool says 48, the client 0: and both are right. The client measures from its **position**, the
# next record it will hand out. The bookmark stands behind that until it commits. So a member that
# reads and never commits has a perfect `records-lag` and a terrible LAG. And a member that hangs or
# is dead shows nothing at all: its metrics are gone with it.
#
# `records-lag-max` and `records-lead-min` are the worst values of the last minute or so
# (`metrics.num.samples` windows of `metrics.sample.window.ms`). The client speaks when it fetches,
# the tool when you ask.

# %% exercise="11.2"

# %% [markdown]
# ## 4. Records or minutes?
#
# Back to the two runs of sections 1 and 2. At minute 29 the slow member was 290 records behind. At
# minute 5, just after the sale began, the quick one was 290 records behind, too. How many minutes
# had the first unread order been waiting, in each?

# %%
predict("11 same lag", slow_member=None, sale=None)


# %%
def waiting(lab, at_ms):
    """(lag, minutes that the first unread record has been waiting)"""
    bookmark = lab.describe_group("billing", at_ms).current_offset[0]
    batches = lab.table("record.appended").query("topic == 'orders'")
    written = batches[batches.last_offset >= bookmark].at_ms.iloc[0]
    return lag_of(lab, at_ms), round((at_ms - written) / minutes(1))


slow = waiting(labs["latest"], minutes(29) + 1_000)
quick = waiting(sale, minutes(5) + 1_000)
truth("11 same lag", slow_member=slow[1], sale=quick[1])
pd.DataFrame(
    [slow, quick],
    index=["slow member, minute 29", "a sale, minute 5"],
    columns=["records behind", "minutes behind"],
)

# %% [markdown]
# The same count, and one customer has been waiting for nine minutes longer than the other. People
# mean minutes when they ask "how far behind"; this is the **time lag**. Retention counts in minutes
# as well: a time lag of nine with a retention of ten says "now". The tool prints records only. To
# get minutes, keep the log's end of every minute, and look up when it passed the bookmark.

# %% [markdown]
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
    member = member_of_billing(lab, name, at_once=5)
    while True:
        if list(member.poll(timeout_ms=100)):
            member.commit_sync()
        lab.sleep(minutes(5) // per_minute)


def two_members(keep=12, crash_at=14, until=26):
    lab = shop_lab(keep, partitions=2)
    lab.spawn(member_loop, "m1", 60, name="m1")
    lab.spawn(member_loop, "m2", 10, name="m2")
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for minute in range(1, until):
        lab.run_for(ms=minutes(minute) - lab.now_ms)
        if minute == crash_at:
            lab.kill("m2")
        for number in range(40):
            shop.send(ProducerRecord("orders", value="an order", partition=number % 2))
        shop.flush()
    lab.run_for(ms=minutes(until) - lab.now_ms)
    lab.close()
    return lab


lab = two_members()


def by_partition(minute):
    return lab.describe_group("billing", minutes(minute)).set_index("partition").lag


at_crash, at_end = by_partition(14), by_partition(26)
truth(
    "11 two members",
    partition_behind=int(at_crash.idxmax()),
    after_the_crash="down" if at_end.max() < at_crash.max() else "up",
)
lag_and_lead({"two members": lab}, "billing", title="m2 is slow, and dies at minute 14")

# %% [markdown]
# The crash is the cure. For three quarters of a minute nobody reads partition 1, until the session
# of m2 has timed out; then comes the rebalance, and m1, which had time to spare, works off what m2
# left. A sum over all partitions would have shown a group that is a little late. By partition it
# shows one that is fine and one that is lost. So: alarm on the worst partition, and mark the
# rebalances in the chart. They explain most bends.

# %% exercise="11.3"

# %% [markdown]
# ## 6. A monitor of your own

# %% exercise="11.4"

# %% [markdown]
# ## 7. A bookmark has an age
#
# Fifty orders, all read and committed. Then billing goes on holiday; its last member closes. Twenty
# more orders come, and the topic keeps everything for thirty days. What does the tool say after six
# days, and after eight? Give the lag, or "-" if it knows none. When billing comes back after eight
# days, with the default `auto.offset.reset`, how many of the twenty orders does it get?

# %%
predict("11 holiday", after_6_days=None, after_8_days=None, gets=None)

# %%
DAY = minutes(24 * 60)
lab = Lab(brokers=1, seed=3)
lab.create_topic("orders", config={"retention.ms": 30 * DAY})
shop = KafkaProducer(lab, {"client.id": "shop"})


def billing(name, **config):
    settings = {"group.id": "billing", "client.id": name, **config}
    member = KafkaConsumer(lab, settings, name=name)
    member.subscribe(["orders"])
    return member


def order(count):
    for _ in range(count):
        shop.send(ProducerRecord("orders", value="an order"))
    shop.flush()


order(50)
first = billing("m1", **{"auto.offset.reset": "earliest"})
for _ in range(2):
    first.poll(timeout_ms=4_000)  # join, then read all fifty
first.close()
order(20)


def told_after(days):
    lab.run_for(ms=days * DAY + minutes(1) - lab.now_ms)
    return lag_of(lab) if "billing" in lab.at(lab.now_ms)["groups"] else "-"


six, eight = told_after(6), told_after(8)
got = len(list(billing("m2").poll(timeout_ms=6_000)))
truth("11 holiday", after_6_days=six, after_8_days=eight, gets=got)
for minute, line in moments(lab, "committed offset for|Resetting offset", "m2"):
    print(f"minute {minute}: {line}")

# %% [markdown]
# After seven days without a member the brokers throw the bookmarks away, and with the last of them
# the group: **offset expiry**, `offsets.retention.minutes`, 10,080. The orders are all there, for
# three more weeks. Only the place is forgotten. The member that comes back is new to the broker,
# `latest` sends it to the end, and its lag is 0.
#
# The clock of a group starts when its last member is gone, whatever the age of its commits. A group
# with members may be silent for a month. The broker writes
# `Removed X expired offsets in Y milliseconds.` to its own log and tells nobody else. Two
# exceptions: a program that commits without being a member (`assign`) has a clock for each offset,
# from the commit on; and where a live group has stopped reading a topic, the offsets of that topic
# expire, too.
#
# ## 8. Bug hunt

# %% exercise="11.5"

# %% [markdown]
# The program before had committed in two partitions only. In the third the new one found no
# bookmark and began at the end, by default. Whoever wants every record sets `earliest`, and
# commits, when a member starts, the position of each partition it owns.

# %% [markdown] items="N80 N81 N120"
# ## 9. The real thing beside it
#
# First the tool. `kafka-consumer-groups` of Kafka 4.1 was run against real brokers 4.4; here is
# what it printed of a group after its members had left, beside the simulator's tool on a cluster
# with the same records and members.

# %%
import contextlib
import io
import json
from kafkalab.__main__ import main
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read as read_log
from kafkalab.proof.replay import replay

project = course_folder()
tools = project / "data/tools"
command = ["kafka-consumer-groups", "--at", "50000", "--describe", "--group", "g"]
real = (tools / "4.4.txt").read_text()
real = real.split(f"$ {' '.join(command)}\n")[1].split("$ ")[0]

printed = io.StringIO()
with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
    main([command[0], "--scenario", str(tools / "scenario_4.4.json"), *command[1:]])


def columns(text):
    return [" ".join(line.split()[1:6]) for line in text.splitlines() if line]


side_by_side(columns(real), columns(printed.getvalue()), titles=("Kafka's tool", "the lab's tool"))

# %% [markdown] items="N83"
# Then the client. Where does it know the ends of the log from, without asking anybody? Each answer
# to a FETCH carries the high watermark and the log start. A real Java consumer 3.9.2 wrote these
# lines, for four partitions; `records-lag` and `records-lead` are differences of the three numbers
# in them.

# %%
recording = project / "data/recordings/4.4.0/3.9.2/group_offsets_manual_commit"
folder = project / "data/generated/chapter11"
folder.mkdir(parents=True, exist_ok=True)
played = replay(json.loads((recording / "scenario.json").read_text()), seed=1)
(folder / "played.txt").write_text(played["inv-1"])


def ends(path):
    """partition, fetched offset, high watermark, log start of each FETCH answer"""
    wanted = re.compile(
        r"at offset (\d+) for partition (\S+) returned .*"
        r"highWatermark=(\d+), .*logStartOffset=(\d+)"
    )
    found = [match for row in read_log(path) if (match := wanted.search(row.text))]
    return sorted(
        {f"{m[2]}: position {m[1]}, high watermark {m[3]}, log start {m[4]}" for m in found}
    )


side_by_side(
    ends(recording / "inv-1.log.gz"),
    ends(folder / "played.txt"),
    titles=("Java consumer 3.9.2", "simulator"),
)

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It goes on past an exercise that is still open.
#
# ## 10. Spark lab: what retention took
#
# Nobody reads INFO, but Spark does. Three groups ran for forty minutes, each with a slow member as
# in section 1, and wrote their lines into a folder.

# %%
n = numbers("11.6")
n

# %%
logs = folder / "members"


def keep_lines(who, story):
    """Play a group's story and keep its member's lines, as a logging server would."""
    logs.mkdir(exist_ok=True)
    lab, _ = slow_member(story.arrive, story.work, story.keep, story.reset, name=who)
    (logs / f"{who}.log").write_text(lab.log_text(who))


for letter, group in numbers("11.6").items():
    keep_lines(f"billing-{letter}", group)

# %% [markdown]
# First the largest lag in every five minutes, as a monitor without access to the brokers would find
# it: the high watermark of each FETCH answer, minus the last offset that was committed before it. A
# dash means that no answer of these minutes tells a lag. Before the first commit none can. And the
# answer that says "your place is gone" has -1 for a high watermark: at the moment of a loss this
# monitor is blind.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F, Window

spark = logsets.session()
lines = logsets.read(spark, str(logs))


def number(pattern):
    return F.regexp_extract("message", pattern, 1).try_cast("int")  # null: not there


so_far = Window.partitionBy("client_id").orderBy("time", "offset")
facts = lines.where("message like 'Committed offset%' or message like 'Fetch read_un%'")
bookmark = F.last(number(r"Committed offset (\d+)"), ignorenulls=True).over(so_far)
known = facts.withColumn("lag", number(r"highWatermark=(\d+)") - bookmark)
from_minute = F.floor(F.minute("time") / 5) * 5
most = known.groupBy("client_id", from_minute.alias("minute")).agg(F.max("lag").alias("lag"))
texts = most.withColumn("lag", F.col("lag").cast("string"))
# pivot: each minute becomes a column
table = texts.groupBy("client_id").pivot("minute").agg(F.first("lag")).na.fill("-")
table.orderBy("client_id").toPandas()

# %% exercise="11.6"

# %% [markdown]
# ## 11. In your own words

# %% exercise="11.open"

# %% [markdown]
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | "More lag, less lead." | Only retention makes the lead smaller; a producer makes the lag larger and leaves the lead alone. `records-lead` is position minus log start (KIP-223, 2.0). | section 2 |
# | A lag script needs an AdminClient and a KafkaConsumer. | `Admin.listOffsets` (KIP-396, 2.5) gives the ends, too, so one client will do. | `KafkaAdminClient(lab).list_offsets({here: OffsetSpec.latest()}).all().get()`, after `from kafkalab import OffsetSpec` |
# | The group's answer has all partitions. | Never: it has those that were committed. Begin with the topic's partitions. | section 3 |
# | Lag over JMX only. | `consumer.currentLag(partition)` in the program itself (KIP-695, 2.8); it is from the position, like `records-lag`. | `member.current_lag(here)` |
# | An idle offset expires a day after its commit. | Seven days since 2.0 (KIP-186); counted from the moment the group is empty since 2.1 (KIP-211). | section 7 |
# | `records-lag` has the partition in its metric's name. | In its tags, `topic` and `partition`, since 1.1 (KIP-225). | `member.metrics().of(...)` |
# | The log line to search for is `Fetch offset 690 is out of range`. | So up to 2.4. In 2.8 and later it says `Fetch position FetchPosition{...}`, and a search for the old words finds nothing. | below |
#
# The last row is worth a look, for a client tells a loss at INFO and no louder. A member begins at
# offset 3 of a log whose first eight orders are gone:


# %%
def too_late(version):
    lab = Lab(brokers=1, seed=3, version=version, broker_version="4.4")
    lab.create_topic("orders")
    here = TopicPartition("orders", 0)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for _ in range(20):
        shop.send(ProducerRecord("orders", value="an order"))
    shop.close()
    KafkaAdminClient(lab, {}).delete_records({here: RecordsToDelete(8)}).all().get()
    member = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="m1")
    member.assign([here])
    member.seek(here, 3)
    member.poll(timeout_ms=2_000)
    told = lab.lines("m1").query("message.str.contains('out of range')").message
    return brief(told.iloc[0]).split(" for partition")[0]


{version: too_late(version) for version in ("2.3", "3.9")}

# %% [markdown]
# ## What you know now
#
# - Lag is work to come, lead is room behind. Look at both, by partition.
# - A lag of 0 can be the moment after a loss. A flat lag can be a loss that goes on.
# - The tool measures from the bookmark, the client from its position. A dash is not a zero.
# - Minutes say more than records.
# - A group that is empty for a week loses its bookmarks, not its records.
#
# **Words**: lag 滞后量 (消费积压) · lead 领先量 · log start offset 日志起始位移 · position 消费位置
# · time lag 时间滞后 · offset expiry 位移过期
#
# ### Do you remember?
#
# <details><summary>1. Chapter 09: a committed offset is 10. Which record is read
# next?</summary>Number 10. The committed offset names the next record; 0 to 9 are done.</details>
# <details><summary>2. Chapter 08: a member is killed. When does the group notice?</summary>When its
# session times out, 45 seconds by default since 3.0. Until then its partitions are read by
# nobody.</details>
# <details><summary>3. Chapter 01: what removes a record from the log?</summary>Retention, whole
# segments at a time, whether or not anybody has read them.</details>
