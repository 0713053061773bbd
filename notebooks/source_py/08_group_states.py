# %% [markdown]
# # 08 · How does a group know that a member is gone?
#
# Two members of a group stop working. One closes its consumer, the other dies. Nobody reads their
# partitions now. Who notices, after how many seconds, and how do the others hear of it? The answer
# has two parts. The coordinator keeps a machine with five states. Every member sends it a small
# request, every three seconds.
#
# **You need** chapters 01, 03 and 07. **You get** seven words: *group state*, *heartbeat*, *session
# timeout*, *rebalance in progress*, *grace time*, *fenced*, *reconciliation*. **Time** four
# sittings: about 45 + 20 + 35 + 45 minutes. They end after sections 3, 5, 8 and at the end.
#
# Chapter 07 in short: members send JOIN_GROUP to the group's *coordinator*, a broker. One member is
# the *leader*. It makes a plan of who reads what and sends it with SYNC_GROUP. Each such round has
# a number, the *generation*. The whole round is a *rebalance*. A version without further words is
# the version of the clients; the brokers are 4.4. Sections 1 to 7 are about the *classic* protocol,
# section 8 about the newer one.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import KafkaConsumer
from kafkalab.reading.states import states
from kafkalab.stories.group_states import SETTINGS, group_moves, made, new_lab, stable_after
from kafkalab.views import group_timeline, state_diagram

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# Three members, ann, bob and cyd, share six partitions. After 20 seconds cyd closes its consumer.
# After 40 seconds somebody kills bob's process. The session timeout is ten seconds. A heartbeat is
# sent every three. How many seconds after the close are cyd's partitions read again? And bob's,
# after the kill?

# %%
predict("08 gone", after_close=None, after_kill=None)


# %% items="N117 N118"
def member(lab, name, until_ms=None, work_ms=0, **config):
    """Read `orders` as one of the group, with work after each poll. Close at `until_ms`."""
    consumer = KafkaConsumer(lab, {**SETTINGS, "client.id": name, **config}, name=name)
    consumer.subscribe(["orders"])
    while until_ms is None or lab.now_ms < until_ms:
        consumer.poll(timeout_ms=500)
        lab.sleep(work_ms)
    consumer.close()


def start(lab, name, **how):
    lab.spawn(lambda lab: member(lab, name, **how), name=name)


SETTINGS

# %%
lab = new_lab()
start(lab, "ann")
start(lab, "bob")
start(lab, "cyd", until_ms=20_000)
lab.run_for(ms=40_000)
lab.kill("bob")
lab.run_for(ms=20_000)

truth("08 gone", after_close=stable_after(lab, 20_000), after_kill=stable_after(lab, 40_000))
group_timeline(lab, "inventory", beats=True)

# %% [markdown] items="N110 N111 N117 N118"
# The upper strip is the group as its coordinator sees it. Below are the members. Blue reads,
# hatched waits, a dot is a heartbeat. A red triangle is a heartbeat whose answer says *join again*.
# A black square is a `close()`, a red cross is a kill. The crossed bar is a member that is dead and
# still counted. (The first six seconds are chapter 07's: a group that was empty waits for more
# members.)
#
# - **cyd closes**. `close()` sends LEAVE_GROUP. The coordinator knows at once and turns orange. The
#   others hear of it when they next ask the coordinator. The last of them does so one second later.
# - **bob is killed**. A killed process sends nothing. The coordinator waits until bob's **session
#   timeout** (会话超时) is over. It counts from the last thing that it heard of bob. Until then the
#   group looks healthy, and nobody reads three partitions. The last heartbeat of bob came at second
#   39, so his session was over at second 49: the red line. Then ann heard of it with her next
#   heartbeat, at second 51. That is 11 seconds after the kill.
#
# So a rebalance takes time. It begins when the coordinator *notices* something, which may be long
# after it happened. Here is everything that the coordinator noticed:

# %%
group_moves(lab)

# %% [markdown] items="N110"
# ## 2. Five states
#
# A **group state** (消费者组状态) says what the coordinator is waiting for. This is the simulator's
# own table, and Kafka's:

# %% items="N110"
for state, says in states("group").says.items():
    print(f"{state}\n  {says.splitlines()[0]}")

# %% [markdown]
# Green arrows are the moves of our run, with how often each was made. Grey arrows did not happen
# here. Most people expect one more arrow. Which one is missing?

# %% items="N111"
state_diagram(states("group"), made(lab))

# %% [markdown] items="N110 N111"
# When a member comes or goes, the group's next state is *PreparingRebalance*, whatever it was
# before. (Section 5 has one exception: a *static* member that comes back.) No arrow leads from
# Stable to Empty. When the last member goes, the coordinator prepares a
# rebalance as always, and then finds no member.
#
# A grey arrow leads from every state to Dead. At any time another broker can become the
# coordinator. For the old coordinator the group is Dead then. The exercise leaves this out: in it,
# only expired offsets lead to Dead.

# %% exercise="08.1"

# %% [markdown] items="N112"
# A group becomes *Dead* late. A member reads, commits, and closes. After how many days does the
# coordinator delete the group's committed offsets?

# %%
predict("08 forgotten", days=None)

# %% items="N112"
lab = new_lab()
consumer = KafkaConsumer(lab, {**SETTINGS, "client.id": "ann"})
consumer.subscribe(["orders"])
consumer.poll(timeout_ms=8_000)
consumer.commit_sync()
consumer.close()
empty_ms = lab.now_ms
lab.run_for(ms=30 * 24 * 3_600_000)
dead_ms = group_moves(lab).at_ms.iloc[-1]
truth("08 forgotten", days=round((dead_ms - empty_ms) / (24 * 3_600_000)))
group_moves(lab).tail(3)

# %% [markdown] items="N112"
# That is `offsets.retention.minutes`, 10080 minutes. A group that was stopped for a longer holiday
# begins where `auto.offset.reset` says. A broker up to 3.9 writes one line about it: `Removed 6
# expired offsets in 2 milliseconds.` A broker 4.x writes `Generated 6 tombstone records while
# cleaning up group metadata in 2 milliseconds.`
#
# While a group has members, its offsets stay. From 2.4 on there is an exception: offsets of a topic
# that no member subscribes to any more. The seven days begin when the group becomes *Empty*. Up to
# 2.0 they began at each commit, and a quiet group could lose its offsets at work (KIP-211, a
# [Kafka Improvement
# Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals)). In a
# group of the newer protocol (section 8) they begin at each commit again, but end nothing while a
# member subscribes to the topic.
#
# ## 3. How do the others hear of it?
#
# The coordinator never calls a member. A member asks. Its question is the **heartbeat** (心跳), a
# request of a few bytes. The answer is either *all is well*, or *the group gathers, join again*.
# The second one is called **rebalance in progress** (重平衡进行中), REBALANCE_IN_PROGRESS.
#
# Two members have been reading for a while. Now cyd joins and must wait for both. It starts just
# after a heartbeat of theirs, which is the worst moment. How many seconds does it wait with a
# heartbeat interval of 3 seconds? And with 1, and with 9? The session is 30 seconds.

# %%
predict("08 newcomer", interval_3_s=None, interval_1_s=None, interval_9_s=None)


# %% items="N108 N109 N116"
def newcomer(interval_ms, joins_at_ms):
    """ann and bob read; cyd joins them."""
    lab = new_lab()
    often = {"heartbeat.interval.ms": interval_ms, "session.timeout.ms": 30_000}
    for name, at_ms in (("ann", 0), ("bob", 1_200), ("cyd", joins_at_ms)):
        lab.run_for(ms=at_ms - lab.now_ms)
        start(lab, name, **often)
    lab.run_for(ms=16_000)
    return lab


# %% items="N108 N109 N116"
def worst(interval_ms):
    """The same, when cyd starts just after a heartbeat of the others; and when that is."""
    beats = newcomer(interval_ms, 60_000).table("request.sent").query("api == 'HEARTBEAT'")
    joins_at_ms = int(beats.at_ms[beats.at_ms > 24_000].iloc[1]) + 1
    return newcomer(interval_ms, joins_at_ms), joins_at_ms


waits = {f"interval_{s}_s": stable_after(*worst(s * 1_000)) for s in (3, 1, 9)}
truth("08 newcomer", **waits)
lab, joins_at_ms = worst(3_000)
from_ms, to_ms = joins_at_ms - 13_000, joins_at_ms + 11_000
group_timeline(lab, "inventory", from_ms=from_ms, to_ms=to_ms, beats=True)

# %% [markdown] items="N108 N109 N116"
# The red triangles are the heartbeats whose answer said *join again*. The group turns orange when
# cyd's JOIN_GROUP arrives. It stays orange until the last of the others has sent its next heartbeat.
# In the worst case that is one whole interval. Here is what ann wrote:

# %% items="N108"
at_ms = group_moves(lab).query("before == 'Stable'").at_ms.iloc[0]
then = lab.lines("ann").query("at_ms > @at_ms and level == 'INFO'")
for line in then.head(4).message:
    line = line.split("] ", 1)[1]
    print(line if len(line) < 80 else line[:78] + "…")

# %% [markdown] items="N109"
# So `heartbeat.interval.ms` sets how soon a member hears of a rebalance. It does not set how soon a
# *dead* member is noticed: that is the session timeout. The interval should be at most a third of
# the session timeout. Then two lost heartbeats do not remove a member that is alive. A shorter
# interval costs more requests:


# %% items="N109"
def heartbeats_a_minute(interval_ms):
    requests = newcomer(interval_ms, joins_at_ms=20_000).table("request.sent")
    sent = requests.query("api == 'HEARTBEAT' and who == 'ann'")
    return round((len(sent) - 1) / (sent.at_ms.iloc[-1] - sent.at_ms.iloc[0]) * 60_000)


{
    f"{seconds} s": f"{heartbeats_a_minute(seconds * 1_000)} heartbeats a minute from ann"
    for seconds in (1, 3, 9)
}

# %% exercise="08.2"

# %% [markdown] items="N119"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 4. Which request is taken in which state?
#
# ann polls and then works for eight seconds. bob joins while she works. The group must wait for
# her, and so must bob. ann commits once a second while she works. How many of her commits between
# bob's join and her next poll are refused?

# %%
predict("08 grace", refused=None)

# %% items="N119"
from kafkalab.stories.group_states import commit_answer


def slow_member(lab, said):
    """Poll, then work for eight seconds, with a commit in each second."""
    consumer = KafkaConsumer(lab, {**SETTINGS, "client.id": "ann"}, name="ann")
    consumer.subscribe(["orders"])
    while True:
        consumer.poll(timeout_ms=500)
        for _ in range(8 if consumer.assignment() else 0):
            lab.sleep(1_000)
            said.append(commit_answer(lab, consumer))


# %% items="N119"
lab, said = new_lab(), []
lab.spawn(slow_member, said, name="ann")
lab.run_for(ms=5_000)
start(lab, "bob")
lab.run_for(ms=13_500)
gathering = [answer for at_ms, state, answer in said if state == "PreparingRebalance"]
truth("08 grace", refused=sum(answer != "accepted" for answer in gathering))
group_timeline(lab, "inventory", beats=True, title="ann works for eight seconds; bob waits for her")

# %%
said

# %% [markdown] items="N119"
# None is refused. *PreparingRebalance* is a **grace time** (宽限期). The members still own their
# partitions, and the coordinator takes their commits. So a consumer commits *before* it joins
# again: what it has done is saved, and the next owner continues there.
#
# The grace time ends when all members have joined. In *CompletingRebalance* a new generation has
# begun. No member knows yet which partitions it owns, so a commit is refused. The answer is
# REBALANCE_IN_PROGRESS, as for a heartbeat in PreparingRebalance.
#
# The state is only the third thing that a coordinator looks at. First it looks for the member id. A
# member that has left, or whose session is over, gets UNKNOWN_MEMBER_ID. Then it compares the
# generation. A request of an older one gets ILLEGAL_GENERATION.

# %% exercise="08.3"

# %% [markdown] items="N119 N108"
# `asked` brings a group of the lab into a state and sends one request as alice, who is a member.
# (In *Empty* she has just left.) The rows are three requests to coordinators of two versions:

# %% items="N119 N108"
import pandas as pd
from kafkalab.stories.group_states import answers_by_state, asked

requests = (("heartbeat", "2.3"), ("heartbeat", "4.4"), ("commit", "4.4"), ("sync", "4.4"))
pd.DataFrame({f"{what}, {broker}": answers_by_state(what, broker) for what, broker in requests}).T

# %% [markdown] items="N119 N108"
# Read it by rows. A heartbeat brings the news in *PreparingRebalance*. A coordinator of 2.3 repeats
# it in *CompletingRebalance*; one of 4.4 does not, because this member has joined already. A commit
# is the other way round: taken while the group gathers, refused while it waits for the plan. A sync
# while the group gathers comes too late: join again. (A coordinator for which the group is *Dead*
# says COORDINATOR_NOT_AVAILABLE to everything.)

# %% [markdown] items="N118 N109"
# ## 5. A kill and a quick restart
#
# Now the settings are the defaults: a session of 45 seconds, a heartbeat every three. At second 40
# bob's process is killed (`kill -9`). A supervisor starts a new one 1.5 seconds later. For how many
# seconds do ann and cyd own no partition? And when bob's process calls `close()` before it ends?

# %%
predict("08 restart", ann_stops_after_kill=None, ann_stops_after_close=None)

# %% items="N118"
from kafkalab.stories.group_states import restart, without_partitions_s

killed, closed = restart("kill -9"), restart("close()")
truth(
    "08 restart",
    ann_stops_after_kill=round(without_partitions_s(killed, "ann", 40_000)),
    ann_stops_after_close=round(without_partitions_s(closed, "ann", 40_000)),
)
title = "bob is killed at 40 s and back at 41.5 s; the group waits for the bob who is dead"
group_timeline(killed, "inventory", from_ms=30_000, to_ms=100_000, title=title)

# %% [markdown] items="N118"
# `bob/1` is the killed process, `bob/2` the new one. The crossed bar of `bob/1` is the member that
# the coordinator still counts.
#
# The restart is quick, and it makes things worse. The new bob has a new member id, so for the
# coordinator it is a fourth member. Its JOIN_GROUP starts a rebalance. ann and cyd hear of it, give
# up their partitions and join again. The old bob does not join: he is dead. The coordinator does
# not know that. It waits until his session is over. ann and cyd own nothing for 42 seconds. The
# whole group reads nothing because one process was restarted.
#
# After `close()` the coordinator does not wait for the old bob: LEAVE_GROUP has removed him. ann
# gives up her partitions only for some milliseconds.
#
# Three settings and another protocol change this story. This is how long ann stops with each:

# %% items="N118 N117"
COOPERATIVE = "org.apache.kafka.clients.consumer.CooperativeStickyAssignor"
ways = {
    "default": {},
    "session of 10 s": {"session.timeout.ms": 10_000},
    "static member": {"group.instance.id": "{name}"},
    "cooperative assignor": {"partition.assignment.strategy": COOPERATIVE},
    "newer protocol, 4.4": {"group.protocol": "consumer", "version": "4.4"},
}
labs = {name: restart("kill -9", **config) for name, config in ways.items()}
{
    name: f"ann stops for {without_partitions_s(lab, 'ann', 40_000):.0f} s"
    for name, lab in labs.items()
}

# %% [markdown] items="N118 N117"
# - A **shorter session** makes the wait shorter. It also removes members that are only slow.
# - A **static member** (静态成员, Kafka 2.3 on) has a `group.instance.id`. It comes back under its
#   name, gets its old partitions, and no rebalance begins.
# - With a **cooperative assignor** or the newer protocol the others continue to read. bob's own
#   partitions still wait for the end of his session.
# - In the newer protocol a static member that was killed is *refused* until its session is over:
#   UNRELEASED_INSTANCE_ID.
#
# The cheapest cure is in your own program. A supervisor such as Kubernetes sends SIGTERM first and
# kills only after a grace period. SIGTERM must end in `close()`: the signal handler calls
# `consumer.wakeup()`, the waiting `poll` raises WakeupException, and a `finally` closes the
# consumer.

# %% [markdown] items="N119 N108"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 6. The missing half: what a member does with an answer
#
# You have seen what the coordinator answers. Now write the other side. A heartbeat can get these
# answers:
#
# | Error | What the broker means |
# |---|---|
# | `NONE` | All is well. |
# | `REBALANCE_IN_PROGRESS` | I know you. The group gathers. |
# | `UNKNOWN_MEMBER_ID` | I know no member with this id. Perhaps its session was over. |
# | `ILLEGAL_GENERATION` | I know you. The generation in your request is over. |
# | `NOT_COORDINATOR`, `COORDINATOR_NOT_AVAILABLE` | I am not this group's coordinator, or not yet. |
# | `FENCED_INSTANCE_ID` | Another program has joined with your `group.instance.id`. |
#
# Later versions may send more. An error that you do not know may pass by itself.

# %% exercise="08.4"

# %% [markdown]
# For ILLEGAL_GENERATION the check takes two answers. Older Java clients start over. Newer ones know
# that their id is still good: they keep it and join again.
#
# FENCED_INSTANCE_ID has a story. Somebody copied a file of settings, and two programs run with the
# same `group.instance.id`. In the classic protocol the coordinator believes the later one. The
# earlier one is **fenced** (被隔离): it is locked out, and its program must hear of it. Else the two
# would lock each other out all night. In the newer protocol it is the other way round: the earlier
# one stays, and the later one gets UNRELEASED_INSTANCE_ID.
#
# What does a wrong handler look like from outside? This one treats REBALANCE_IN_PROGRESS as if the
# member had been removed:


# %%
def offended(error):
    return {"REBALANCE_IN_PROGRESS": "start over"}.get(error, "alive")


def proud(lab, name):
    consumer = KafkaConsumer(lab, {**SETTINGS, "client.id": name}, name=name, on_heartbeat=offended)
    consumer.subscribe(["orders"])
    while True:
        consumer.poll(timeout_ms=500)


# %%
lab = new_lab()
for name, at_ms in (("ann", 0), ("bob", 0), ("cyd", 14_000)):
    lab.run_for(ms=at_ms - lab.now_ms)
    lab.spawn(proud, name, name=name)
lab.run_for(ms=26_000)
title = "cyd joins; ann and bob start over; the group waits for their old ids"
group_timeline(lab, "inventory", beats=True, title=title)

# %% [markdown]
# At second 15 ann and bob were told. (There is no red triangle: the view finds it in a line that
# Java's handler writes.) The coordinator waits for the two member ids that it knows: the rows *ann,
# old id* and *bob, old id*. They never come, because ann and bob have joined with new member ids.
# The group continues when the old sessions are over, at second 25. It is the story of section 5, without a crash.
#
# ## 7. Bug hunt

# %% exercise="08.5"

# %% [markdown] items="N110"
# ## 8. The newer protocol: five other states
#
# The newer protocol is KIP-848. A client asks for it with `group.protocol=consumer`; it is ready
# since Kafka 4.0. It has no leader and no joining. Each member sends one kind of heartbeat. The
# coordinator computes a *target*, and every answer brings a member one step nearer to it. The
# group's states have other names, too.
#
# The story of section 1 again: cyd closes after 20 seconds, bob is killed after 40. The session is
# now the broker's setting, 45 seconds. For how many seconds does ann own nothing because of cyd's
# close? And how many seconds after the kill is the group Stable again?

# %%
predict("08 newer protocol", ann_stops=None, after_kill=None)

# %%
from kafkalab.stories.group_states import leave_and_die

newer = leave_and_die(**{"group.protocol": "consumer"})
stops = without_partitions_s(newer, "ann", 20_000)
truth("08 newer protocol", ann_stops=round(stops), after_kill=stable_after(newer, 40_000))
group_timeline(newer, "inventory", beats=True)

# %%
state_diagram(states("consumer group"), made(newer))

# %% [markdown]
# *Assigning*: the target is out of date. *Reconciling*: members move to the target, each at its own
# pace. That is **reconciliation** (协调，渐进式对齐). An *epoch* takes the place of the generation.
# Once ann reads, she never stops. In the classic protocol with an eager assignor every member gives
# up everything and waits for the slowest. Here no member *stops reading* that has nothing to give
# up. It may still *wait* for partitions that another member gives up.
#
# A crash is not noticed sooner. The session is 45 seconds in both protocols. It counts from bob's
# last heartbeat, about five seconds before the kill, so the group is Stable 41 seconds after it.
# The classic group needs this long with the same session:

# %%
stable_after(leave_and_die(**{"group.protocol": "classic"}), 40_000)

# %% [markdown]
# The rules of this chapter, for both protocols:
#
# | | Classic | KIP-848, client and broker 4.4 |
# |---|---|---|
# | How often does a member ask? | the client says: `heartbeat.interval.ms`, 3 s | the broker says: `group.consumer.heartbeat.interval.ms`, 5 s |
# | How does it hear of a change? | REBALANCE_IN_PROGRESS; then it joins again | the answer names its new partitions |
# | When is a dead member removed? | after the client's session timeout | after the broker's |
# | A commit while the group moves | taken in PreparingRebalance, refused in CompletingRebalance | taken for partitions that the member still owns; else STALE_MEMBER_EPOCH |
# | Two programs with one `group.instance.id` | the later one stays | the earlier one stays |
# | `close()` of a static member | sends nothing | sends epoch -2: "I come back" |
#
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 9. The real thing beside it
#
# A recording: two real Java consumers 2.1.1 share a topic, and `inv-2` is killed. Its session is 8
# seconds. On the left is what the real clients wrote about the group, on the right what the
# simulator's clients write in the same story:

# %% items="N118 N108"
from kafkalab.stories.recorded import recorded

pair = recorded("2.3.1/2.1.1/group_member_crash", seed=4)
pair.beside("Successfully joined", "heartbeat failed", "successful Heartbeat", "newly assigned")

# %% [markdown]
# One question about the real log. The killed `inv-2` wrote its last line at some time. How many
# seconds later does `inv-1` hear that the group rebalances? Why is it more than the session of 8
# seconds, or less? Look at `pair.real`:

# %%
real = pair.real
last = real[real.client == "inv-2"].tail(1)
told = real[real.message.str.contains("heartbeat failed")]
pd.concat([last, told])[["time", "client", "message"]]

# %% [markdown]
# <details><summary>The answer</summary>6.7 seconds, less than the
# session. The session counts from the last thing that the coordinator heard of `inv-2`: its SYNC_GROUP
# at 12.2. It was killed before its first heartbeat. The session was over at 20.2, and `inv-1` heard
# of it with its next heartbeat, at 21.2.</details>
#
# ## 10. Spark lab: what a storm costs
#
# A group that rebalances all the time has a *rebalance storm*. What does it cost? There are four
# groups, A to D, of ann, bob and cyd. In group A bob has the habit `n.A.cause`. The group is
# watched for `n.A.rounds` rounds of 12.5 seconds. Each process wrote one log file. (The habits are those of section 7. Their programs are in
# `kafkalab/stories/group_states.py`.)

# %%
from kafkalab.stories.group_states import troubled_group, write_logs

n = numbers("08.6")
storms = {
    name: troubled_group(each.cause, "bob", each.seed, each.rounds) for name, each in n.items()
}
storm_folder = write_logs(storms, "chapter08/storms")
n

# %%
group_timeline(storms["A"], "inventory", title=f"group A: bob {n.A.cause}")

# %% [markdown]
# If bob crashes in your group A, look at its hatched times. All members wait for bob, whose crossed
# bar is the dead member. For another habit draw the group in which he crashes.
#
# Spark starts now. That takes up to a minute.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import Window, functions as F

spark = logsets.session()
lines = logsets.read(spark, str(storm_folder)).where("level in ('INFO', 'WARN')")
lines = lines.withColumn("group", F.regexp_extract("file", r"group-(\w)", 1))
lines.groupBy("group", "client_id").count().orderBy("group", "client_id").toPandas()

# %% [markdown]
# A wait begins with `(Re-)joining group` and ends with `Successfully synced group`. A newcomer
# joins twice (chapter 07) and writes the first line twice. So we take, for each member and in time
# order, a beginning and the next end. A window function looks at the line before. Lines of the same
# millisecond are ordered by `file_offset`, their place in the file. What a killed member waited at
# its end is not counted.

# %% spark=true
in_time = Window.partitionBy("group", "file").orderBy("time", "file_offset")
begins = F.col("message").startswith("(Re-)")
ours = lines.where("message rlike '^(.Re-.joining|Successfully synced) group'")
ours = ours.withColumn("begins", begins).withColumn("before", F.lag("begins").over(in_time))
first = ours.where("not begins or before is null or not before")
began_ms = F.lag(F.unix_millis("time")).over(in_time)
waits = (
    first.withColumn("seconds", (F.unix_millis("time") - began_ms) / 1000)
    .where("not begins")
    .withColumn("generation", F.regexp_extract("message", r"generationId=(\d+)", 1).cast("int"))
    .select("group", "client_id", "generation", "seconds")
)
waits.orderBy("group", "generation").limit(8).toPandas()

# %% exercise="08.6"

# %% [markdown]
# The number of generations and the seconds of waiting do not agree. Compare the group whose bob
# *crashes* with the others. It has the fewest generations and the most seconds: after each crash
# all members wait for the dead bob (section 5). So do not set an alarm on the number of rebalances.
# Set it on the *seconds* that a group rebalances. Java's consumer has metrics for both:
# `rebalance-total` counts, `rebalance-latency-total` adds up milliseconds (from 2.4 on).

# %% [markdown]
# You have measured it. Now say beforehand what a restart will cost, by the rules of section 5.

# %% exercise="08.7"

# %% [markdown]
# ## 11. In your own words

# %% exercise="08.open"

# %% [markdown] items="N110 N117 N118 N119"
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | A group has five states. | The classic protocol: the same five. The newer one (KIP-848, ready in 4.0) has Empty, Assigning, Reconciling, Stable, Dead. | sections 2 and 8 |
# | A crash is noticed after `session.timeout.ms`, 10 seconds. | 45 seconds since 3.0 (KIP-735). In the newer protocol the broker sets it: `group.consumer.session.timeout.ms`. | `KafkaConsumer(Lab(version="2.8"), {"group.id": "g"}).config["session.timeout.ms"]`, and with `"3.9"` |
# | `close()` sends LEAVE_GROUP. | Not from a static member (2.3, KIP-345). From 4.1 on it may, with `CloseOptions` (KIP-1092). | exercise 08.2 |
# | In a rebalance members get a short time to commit. | All of *PreparingRebalance*, as long as the slowest member takes. *CompletingRebalance* refuses. A member that commits while its own join is under way gets a `RebalanceInProgressException` from 2.5 on (KAFKA-8421, part of KIP-429). It asks only for another poll. Before, it was a `CommitFailedException`. | section 4, and below |
# | Coordinators repeat REBALANCE_IN_PROGRESS until the group is Stable. | Newer ones say it in *PreparingRebalance* only. | the table after exercise 08.3 |
# | Offsets expire a week after the commit. | In a classic group a week after it became *Empty* (2.1, KIP-211); it was one day up to 1.1 (KIP-186). | section 2 |
#
# The fourth row, with two clients. ann has polled once. Her JOIN_GROUP is under way, and the new
# group waits for more members. Now she commits:

# %%
from kafkalab import Lab, OffsetAndMetadata, TopicPartition


def commit_while_joining(version):
    consumer = KafkaConsumer(new_lab(version=version), {**SETTINGS, "client.id": "ann"})
    consumer.subscribe(["orders"])
    consumer.poll(timeout_ms=1_000)
    try:
        consumer.commit_sync({TopicPartition("orders", 0): OffsetAndMetadata(1)})
        return "committed"
    except Exception as error:
        return type(error).__name__


{version: commit_while_joining(version) for version in ("2.3", "3.9")}

# %% [markdown]
# ## Break it yourself
#
# This group runs well. Make `max.poll.interval.ms` smaller, step by step. Below which value does ann
# leave again and again, though her process never stops? Why this value? (ann's loop is `member` of
# section 1.)

# %%
lab = new_lab()
start(lab, "ann", work_ms=2_000, **{"max.poll.interval.ms": 20_000})
start(lab, "bob")
lab.run_for(ms=90_000)
print(group_moves(lab).reason.value_counts().to_string())
group_timeline(lab, "inventory")

# %% [markdown]
# <details><summary>The answer</summary>Below about 2500. One turn of ann's loop takes two seconds of
# work and up to half a second in <code>poll</code>. With <code>work_ms=16_000</code> she is removed,
# too, but the reason is another: <i>session expired</i>. She sends JOIN_GROUP and goes to work. She
# sends no heartbeat until her next <code>poll</code> has read the answer.</details>
#
# **So what.** In production: end every consumer with `close()` on SIGTERM. Give each process that
# is restarted in place a `group.instance.id`. Keep the heartbeat interval at a third of the session
# or less. Alert on the seconds that a group is not Stable, and on `LeaveGroup` lines that nobody
# ordered.
#
# ## What you know now
#
# - A rebalance begins when the coordinator notices something.
# - The session timeout decides which member is alive. The heartbeat interval decides when the
#   others hear of a change.
# - While a group gathers, commits are taken. While it waits for the plan, they are refused.
# - A group waits for every member id that it knows. So a killed and restarted member stops an eager
#   group until the old session is over.
#
# **Words**: group state 消费者组状态 · heartbeat 心跳 · session timeout 会话超时 · rebalance in
# progress 重平衡进行中 · grace time 宽限期 · fenced 被隔离 · reconciliation 协调（渐进式对齐）

# %%
from autograder import my_guesses

my_guesses("08")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 03: why has the coordinator a connection of its own?</summary>Answers
# on one connection come in order. A long poll would hold up the heartbeat behind it.</details>
# <details><summary>2. Chapter 07: who decides, in the classic protocol, which member reads
# what?</summary>The leader, a consumer. The coordinator passes its plan on.</details>
# <details><summary>3. Chapter 05: an answer does not come. Was the record written?</summary>Nobody
# knows. So it is with a member that is silent: dead, or only slow.</details>
#
# Next: **09 · Where does a reader continue?**
