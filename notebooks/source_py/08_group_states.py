# %% [markdown]
# # 08 · How does a group know that somebody is gone?
#
# Two members of a group stop working. One says goodbye, the other dies. Their partitions lie there
# and nobody reads them. Who notices, after how many seconds, and how do those who are left hear of
# it? The answer is a machine with five states, and a small request that every member sends every
# three seconds.
#
# **You need** chapters 01, 03 and 07. **You get** seven words: *group state*, *heartbeat*, *session
# timeout*, *rebalance in progress*, *grace time*, *fenced*, *reconciliation*. **Time** two sittings
# of about 30 minutes. The second begins with section 5.
#
# Chapter 07 in short: members send JOIN_GROUP to the group's *coordinator*, a broker. One of them,
# the *leader*, makes a plan of who reads what and sends it with SYNC_GROUP. Each such round has a
# number, the *generation*. The whole round is called a *rebalance*.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import Lab, KafkaConsumer
from kafkalab.stories.group_case import GroupCase
from kafkalab.reading.states import states
from kafkalab.views import group_timeline, side_by_side, state_diagram

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# Three members, ann, bob and cyd, share six partitions. After 20 seconds cyd closes its consumer.
# After 40 seconds somebody kills bob's process. All use a session timeout of ten seconds and a
# heartbeat every three. How many seconds after the close are cyd's partitions read again? And
# bob's, after the kill?

# %%
predict("08 gone", after_close=None, after_kill=None)

# %% items="N117 N118"
SETTINGS = {
    "group.id": "inventory",
    "enable.auto.commit": False,
    "session.timeout.ms": 10_000,
    "heartbeat.interval.ms": 3_000,
}


def new_lab(seed=8, version="3.9"):
    lab = Lab(brokers=3, seed=seed, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=6)
    return lab


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


lab = new_lab()
start(lab, "ann")
start(lab, "bob")
start(lab, "cyd", until_ms=20_000)
lab.run_for(ms=40_000)
lab.kill("bob")
lab.run_for(ms=20_000)


# %%
def moves(lab):
    """What the coordinator did with the group, move by move."""
    table = lab.table("state").query("machine in ('group', 'consumer group')")
    reason = table.reason.str.replace(r"(member \w+)-\S+", r"\1", regex=True)  # no ids
    table = table.assign(reason=reason, generation=table.generation.astype(int))
    columns = ["at_ms", "before", "after", "generation", "reason"]
    return table[columns].reset_index(drop=True)


def stable_after(lab, at_ms):
    """Seconds from a moment until the group is Stable once more."""
    found = moves(lab).query("after == 'Stable' and at_ms > @at_ms")
    return round((found.at_ms.iloc[0] - at_ms) / 1_000)


truth("08 gone", after_close=stable_after(lab, 20_000), after_kill=stable_after(lab, 40_000))
group_timeline(lab, "inventory")

# %% [markdown] items="N110 N111 N117 N118"
# The upper strip is the group as its coordinator sees it. Below are the members: blue reads,
# hatched waits, a red cross is the end of one. (The first six seconds are chapter 07's: a group
# that was empty waits for more members.)
#
# - **cyd closes**. `close()` sends LEAVE_GROUP. The coordinator knows at once and turns orange. The
#   others hear of it a second later; section 3 shows how.
# - **bob is killed**. He sends nothing any more, and that is all that can be seen from outside. The
#   coordinator waits until his **session timeout** is over, counted from the last thing it heard of
#   him. Until then the group looks healthy, and three partitions stand still. His last heartbeat
#   came at second 39, so his session was over at second 49. ann heard of it with her next
#   heartbeat, at second 51. That is 11 seconds after the kill.
#
# So a rebalance is not an instant, and it does not begin when something happens. It begins when the
# coordinator *notices*. Here is everything it noticed:

# %%
moves(lab)

# %% [markdown] items="N110"
# ## 2. Five states
#
# A **group state** is what the coordinator is waiting for. This is the simulator's own table, and
# Kafka's:

# %% items="N110"
for state, says in states("group").says.items():
    print(f"{state}\n  {says.splitlines()[0]}")

# %% [markdown]
# Green arrows are the moves of our run, with how often each was made. Grey ones are moves that did
# not happen here. Most people expect one more arrow. Which one is not there?


# %% items="N111"
def made(lab):
    return [(move.before, move.after) for move in moves(lab).itertuples()]


state_diagram(states("group"), made(lab))

# %% [markdown] items="N110 N111"
# Every going and every coming leads to *PreparingRebalance* first, whatever the group was doing. No
# arrow leads from Stable to Empty: when the last member goes, the coordinator prepares a rebalance
# like any other, and then finds nobody.
#
# A grey arrow leads from every state to Dead. At any time another broker can become the
# coordinator, and for the old one the group is over then. The exercise leaves this out: in it, only
# what expires leads to Dead.

# %% exercise="08.1"

# %% [markdown] items="N112"
# The way to *Dead* takes patience. A member reads, commits, and closes. After how many days does
# the coordinator throw the group's committed offsets away?

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
dead_ms = moves(lab).at_ms.iloc[-1]
truth("08 forgotten", days=round((dead_ms - empty_ms) / (24 * 3_600_000)))
moves(lab).tail(3)

# %% [markdown] items="N112"
# That is `offsets.retention.minutes`, 10080 minutes. A group that was stopped for a long holiday
# begins again where `auto.offset.reset` says. The older coordinator's log tells it in one line:
# `Removed 6 expired offsets in 2 milliseconds.` While a group has members, its offsets stay, with
# one exception: those of a topic that nobody of the group reads any more (from 2.4 on). The clock
# starts when the group becomes *Empty*; up to 2.0 it started at each commit, and a quiet group
# could lose offsets while it was at work (KIP-211).
#
# ## 3. How do the others hear of it?
#
# Nobody calls a member. It hears news when it asks. The question is the **heartbeat**, a request of
# a few bytes, and the answer is either *all is well* or *the group is gathering, join again*:
# **REBALANCE_IN_PROGRESS**.
#
# Two members have been reading for a while. Now cyd joins, and has to wait for the others. We let
# it join at five different moments, and take the longest wait. How many whole seconds is that with
# a heartbeat interval of 3 seconds? And with 1, and with 9? The session is 30 seconds.

# %%
predict("08 newcomer", interval_3_s=None, interval_1_s=None, interval_9_s=None)


# %% items="N108 N109 N116"
def newcomer(interval_ms, joins_at_ms=20_000, seed=8):
    lab = new_lab(seed)
    for name, at_ms in (("ann", 0), ("bob", 1_200), ("cyd", joins_at_ms)):
        lab.run_for(ms=at_ms - lab.now_ms)
        start(lab, name, **{"heartbeat.interval.ms": interval_ms, "session.timeout.ms": 30_000})
    lab.run_for(ms=16_000)
    return lab


def longest_wait(interval_ms):
    """The longest time that a newcomer waited, in seconds, of five different moments."""
    moments = range(20_000, 20_000 + interval_ms, interval_ms // 5)
    waits = [stable_after(newcomer(interval_ms, moment), moment) for moment in moments]
    return round(max(waits))


truth(
    "08 newcomer",
    interval_3_s=longest_wait(3_000),
    interval_1_s=longest_wait(1_000),
    interval_9_s=longest_wait(9_000),
)
group_timeline(
    newcomer(3_000, joins_at_ms=21_200),
    "inventory",
    from_ms=8_000,
    to_ms=32_000,
    beats=True,
    title="cyd comes just after the others have asked",
)

# %% [markdown] items="N108 N109 N116"
# Dots are heartbeats. A red triangle is a heartbeat whose answer said *join again*. The group turns
# orange when cyd's JOIN_GROUP arrives. It stays orange until the last of the others has had its
# next heartbeat. The picture shows the worst of our five moments: ann and bob asked just before cyd
# came, so cyd waits nearly one interval. With 9 seconds our five moments found 8; a worse moment
# would cost a little more. Here is what ann wrote:

# %% items="N108"
lab = newcomer(3_000)
at_ms = moves(lab).query("before == 'Stable'").at_ms.iloc[0]
then = lab.lines("ann").query("at_ms > @at_ms and level == 'INFO'")
for line in then.head(4).message:
    line = line.split("] ", 1)[1]
    print(line if len(line) < 80 else line[:78] + "…")

# %% [markdown] items="N109"
# So this is what `heartbeat.interval.ms` sets: how soon a member hears. It does not set how soon a
# *dead* member is missed, that is the session's business. A shorter interval costs requests:


# %% items="N109"
def heartbeats_a_minute(interval_ms):
    requests = newcomer(interval_ms).table("request.sent")
    sent = requests.query("api == 'HEARTBEAT' and who == 'ann'")
    return round((len(sent) - 1) / (sent.at_ms.iloc[-1] - sent.at_ms.iloc[0]) * 60_000)


{
    f"{seconds} s": f"{heartbeats_a_minute(seconds * 1_000)} heartbeats a minute from ann"
    for seconds in (1, 3, 9)
}

# %% exercise="08.2"

# %% [markdown] items="N119"
# ## 4. What is answered in which state?
#
# ann takes her time: she polls, and then works for eight seconds. bob joins while she works. The
# group must wait for her, and so must bob. ann commits once a second while she works. How many of
# her commits between bob's join and her next poll are refused?

# %%
predict("08 grace", refused=None)

# %% items="N119"
lab = new_lab()
said = []


def slow_member(lab):
    consumer = KafkaConsumer(lab, {**SETTINGS, "client.id": "ann"}, name="ann")
    consumer.subscribe(["orders"])
    while True:
        consumer.poll(timeout_ms=500)
        for _ in range(8 if consumer.assignment() else 0):
            lab.sleep(1_000)
            state = moves(lab).after.iloc[-1]
            try:
                consumer.commit_sync()
                said.append((lab.now_ms, state, "accepted"))
            except Exception as error:
                said.append((lab.now_ms, state, type(error).__name__))


lab.spawn(slow_member, name="ann")
lab.run_for(ms=5_000)
start(lab, "bob")
lab.run_for(ms=13_500)
gathering = [answer for at_ms, state, answer in said if state == "PreparingRebalance"]
truth("08 grace", refused=sum(answer != "accepted" for answer in gathering))
group_timeline(lab, "inventory", beats=True, title="ann works for eight seconds; bob waits for her")

# %%
said

# %% [markdown] items="N119"
# None is refused. *PreparingRebalance* is a **time of grace**: the members still hold their
# partitions, and the coordinator takes their commits. That is why a consumer commits *before* it
# joins again: what it has done is safe, and the next owner goes on from there.
#
# The grace ends when all are in. In *CompletingRebalance* a new generation has begun, nobody knows
# yet who owns what, and a commit is refused.
#
# To see every answer we bring a group into each state by hand. `GroupCase` is a client without
# manners: it sends whatever request we like. `alice` is the member; to make a group gather, a `bob`
# joins; to make it Empty, alice leaves.


# %% items="N119 N108"
def asked(state, request, generation="current", broker="4.4"):
    """What a coordinator answers alice when the group is in this state."""
    case = GroupCase(broker).bring_to(state)
    number = case.group.generation - (generation == "old")
    if request == "sync":
        return case.sync("alice", number).name
    send = case.beat if request == "heartbeat" else case.commit
    return send(case.ids["alice"], number).name


asked("PreparingRebalance", "commit"), asked("PreparingRebalance", "heartbeat")

# %% exercise="08.3"

# %%
import pandas as pd


def row(request, broker="4.4"):
    return {
        state: asked(state, request, broker=broker)
        for state in states("group").moves
        if state != "Dead"
    }


table = {
    f"{request}, {broker}": row(request, broker)
    for request, broker in (
        ("heartbeat", "2.3"),
        ("heartbeat", "4.4"),
        ("commit", "4.4"),
        ("sync", "4.4"),
    )
}
pd.DataFrame(table).T

# %% [markdown] items="N119 N108"
# Read it by rows. A heartbeat brings the news in *PreparingRebalance*. A coordinator of 2.3 repeats
# it in *CompletingRebalance*; a newer one does not, because this member has joined already. A
# commit is the other way round: taken while the group gathers, refused while it waits for the plan.
# A sync while the group gathers comes too late: join again. In *Empty* alice has left, so nobody
# knows her. (A coordinator for which the group is *Dead* says COORDINATOR_NOT_AVAILABLE to
# everything.) And a request of an older generation never gets as far as the state:
# ILLEGAL_GENERATION.
#
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It goes on past an exercise that is still open.
#
# ## 5. The missing half: what a member does with an answer
#
# You have seen what the coordinator says. Now write the other side. These are the answers that a
# heartbeat can get:
#
# | Error | What the broker means |
# |---|---|
# | `NONE` | All is well. |
# | `REBALANCE_IN_PROGRESS` | I know you. The group is gathering. |
# | `UNKNOWN_MEMBER_ID` | I know no member of this id. Its session was over, perhaps. |
# | `ILLEGAL_GENERATION` | I know you, and the generation you speak of is over. |
# | `NOT_COORDINATOR`, `COORDINATOR_NOT_AVAILABLE` | This group is no business of mine, or not now. |
# | `FENCED_INSTANCE_ID` | Somebody else has joined with your `group.instance.id`. |
#
# Later versions may send more. An error that you do not know may pass by itself.

# %% exercise="08.4"

# %% [markdown]
# For ILLEGAL_GENERATION the check takes two answers. Older Java clients start over. Newer ones know
# that their id is still good: they keep it and join again.
#
# FENCED_INSTANCE_ID has a story. Somebody copied a file of settings, and two programs run with the
# same `group.instance.id`. The coordinator believes the later one. The earlier one is **fenced**,
# locked out, and its program should hear of it. Else the two would lock each other out all night.
#
# What does a wrong handler look like from outside? Here is one that treats REBALANCE_IN_PROGRESS
# like a dismissal:


# %%
def offended(error):
    return {"REBALANCE_IN_PROGRESS": "start over"}.get(error, "alive")


def proud(lab, name):
    consumer = KafkaConsumer(lab, {**SETTINGS, "client.id": name}, name=name, on_heartbeat=offended)
    consumer.subscribe(["orders"])
    while True:
        consumer.poll(timeout_ms=500)


lab = new_lab()
for name, at_ms in (("ann", 0), ("bob", 0), ("cyd", 14_000)):
    lab.run_for(ms=at_ms - lab.now_ms)
    lab.spawn(proud, name, name=name)
lab.run_for(ms=26_000)
group_timeline(
    lab,
    "inventory",
    beats=True,
    title="cyd joins; ann and bob start over; the group waits for who they were",
)

# %% [markdown]
# At second 15 ann and bob were told. (No red triangle: the view finds it in a line that Java's
# handler writes.) The coordinator waits for the two members it knows. They will never come: they
# are standing at the door under other names. Only when their old sessions are over does the group
# go on.

# %% [markdown]
# ## 6. Bug hunt

# %% exercise="08.5"

# %% [markdown] items="N110"
# ## 7. Five other states
#
# A newer protocol, KIP-848, has been the choice of `group.protocol=consumer` since Kafka 4.0. There
# is no leader and no joining: each member sends one kind of heartbeat, the coordinator computes a
# *target*, and every answer brings a member one step nearer to it. The group's states have other
# names, too. The story of section 1 once more: cyd closes after 20 seconds, bob is killed after 40.
# The session is now the broker's setting, 45 seconds. For how many seconds does ann, who only
# *gains* partitions, stop reading because of cyd's close? And how many seconds after the kill is
# the group Stable again?

# %%
predict("08 newer protocol", ann_stops=None, after_kill=None)

# %%
newer = new_lab(version="4.4")
modern = {"group.protocol": "consumer", "group.id": "inventory", "enable.auto.commit": False}


def modern_member(lab, name, until_ms=None):
    consumer = KafkaConsumer(lab, {**modern, "client.id": name}, name=name)
    consumer.subscribe(["orders"])
    while until_ms is None or lab.now_ms < until_ms:
        consumer.poll(timeout_ms=500)
    consumer.close()


for name, until_ms in (("ann", None), ("bob", None), ("cyd", 20_000)):
    newer.spawn(modern_member, name, until_ms, name=name)
newer.run_for(ms=40_000)
newer.kill("bob")
newer.run_for(ms=60_000)

owned = newer.table("assigned").query("who == 'ann' and at_ms > 1_000")
stops = (owned.partitions.map(len) == 0).sum()
truth("08 newer protocol", ann_stops=int(stops), after_kill=stable_after(newer, 40_000))
group_timeline(newer, "inventory", beats=True)

# %%
state_diagram(states("consumer group"), made(newer))

# %% [markdown]
# *Assigning*: the target is out of date. *Reconciling*: members are on their way to it, each at its
# own pace; that is **reconciliation**. An *epoch* is what a generation was before. Once ann reads,
# she never stops. In the old protocol everybody drops everything and waits for the slowest; here
# nobody waits who has nothing to give up.
#
# Not all is faster. A crash is noticed after the session of 45 seconds. It counts from bob's last
# heartbeat, about five seconds before the kill, so 41 seconds are left. And the new plan is made
# with somebody's *next* heartbeat; one comes every five seconds. Fewer members stop, but a dead
# one's partitions may lie there longer.

# %% [markdown]
# ## 8. The real thing beside it
#
# A recording: two real Java consumers 2.1.1 share a topic, and the second is killed. Its session is
# 8 seconds. Here is what the survivor wrote about the group, and what the simulator's survivor
# writes in the same story. Lines that repeat the one before are left out.

# %% items="N118 N108"
import json
import re
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read as read_log
from kafkalab.proof.replay import replay

project = course_folder()
recording = project / "data/recordings/2.3.1/2.1.1/group_member_crash"
scenario = json.loads((recording / "scenario.json").read_text())
folder = project / "data/generated/chapter08"
folder.mkdir(parents=True, exist_ok=True)
(folder / "played.txt").write_text(replay(scenario, seed=4)["inv-1"])


def told(path):
    """What a member wrote about its group, each line once, without random ids."""
    wanted = (
        "Successfully joined group",
        "Attempt to heartbeat failed",
        "(Re-)joining group",
        "Revoking previously assigned",
        "Setting newly assigned",
        "Received successful Heartbeat",
    )
    texts = [in_order(each.text) for each in read_log(path) if each.text.startswith(wanted)]
    return [text for before, text in zip([None, *texts], texts) if text != before]


def in_order(text):
    """Java prints a set of partitions in any order; we sort what stands in brackets."""

    def inside(match):
        return f"[{', '.join(sorted(match[1].split(', ')))}]"

    return re.sub(r"\[(.*)\]", inside, text)


side_by_side(
    told(recording / "inv-1.log.gz"),
    told(folder / "played.txt"),
    titles=("Java consumer 2.1.1", "simulator"),
)

# %% [markdown]
# `Received successful Heartbeat response` stands for two of them at first: all is well, and the
# other one is dead already. Then the session is over, the next heartbeat *fails*, and the survivor
# takes everything.

# %% [markdown]
# ## 9. Spark lab: what a storm costs
#
# A group that rebalances all the time is said to have a *rebalance storm*. What does it cost? Four
# groups, A to D, of ann, bob and cyd; in A bob has the habit `n.A.cause`. Their logs lie in a
# folder, one file a process.

# %%
n = numbers("08.6")
n

# %%
USUAL = {
    "group.id": "inventory",
    "session.timeout.ms": 10_000,
    "enable.auto.commit": False,
    "fetch.max.wait.ms": 2_000,
}


def read_on(lab, name, until_ms=None, work_ms=0, **config):
    consumer = KafkaConsumer(
        lab,
        {**USUAL, "client.id": name.split("/")[0], **config},
        name=name if "/" in name else None,
    )
    consumer.subscribe(["orders"])
    while until_ms is None or lab.now_ms < until_ms:
        consumer.poll(timeout_ms=500)
        lab.sleep(work_ms)
    consumer.close()


def close_and_come_back(lab):
    while True:
        read_on(lab, "bob", until_ms=lab.now_ms + 12_000)
        lab.sleep(3_000)


def change_its_mind(lab):
    consumer = KafkaConsumer(lab, {**USUAL, "client.id": "bob"})
    while True:
        for topics in (["orders"], ["orders", "returns"]):
            consumer.subscribe(topics)
            until_ms = lab.now_ms + 9_000
            while lab.now_ms < until_ms:
                consumer.poll(timeout_ms=500)


def storm(cause, seed):
    """Fifty seconds of a group in which bob has a habit."""
    lab = Lab(brokers=1, seed=seed)
    lab.create_topic("orders", partitions=6)
    lab.create_topic("returns", partitions=1)
    for name in ("ann", "cyd"):
        lab.spawn(read_on, name, name=name)
    if cause == "too slow":
        slow = {"work_ms": 9_000, "max.poll.interval.ms": 6_000}
        lab.spawn(lambda lab: read_on(lab, "bob", **slow), name="bob")
    elif cause == "closes":
        lab.spawn(close_and_come_back, name="bob")
    elif cause == "subscribes anew":
        lab.spawn(change_its_mind, name="bob")
    for life in range(4):
        if cause == "crashes":
            lab.spawn(read_on, f"bob/{life}", name=f"bob/{life}")
            lab.run_for(ms=11_000)
            lab.kill(f"bob/{life}")
        lab.run_for(ms=1_500 if cause == "crashes" else 12_500)
    lab.close()
    return lab


# %%
storms = {name: storm(each.cause, each.seed) for name, each in n.items()}

# %%
import shutil

storm_folder = folder / "storms"
shutil.rmtree(storm_folder, ignore_errors=True)
for name, lab in storms.items():
    (storm_folder / f"group-{name}").mkdir(parents=True)
    for client in sorted({event.who for event in lab.journal.of("line")}):
        path = storm_folder / f"group-{name}" / f"{client.replace('/', '-')}.log"
        path.write_text(lab.log_text(client))
group_timeline(storms["A"], "inventory", title=f"group A: bob {n.A.cause}")

# %% spark=true
from kafkalab import logsets
from pyspark.sql import Window, functions as F

spark = logsets.session()
lines = logsets.read(spark, str(storm_folder)).where("level in ('INFO', 'WARN')")
lines = lines.withColumn("group", F.regexp_extract("file", r"group-(\w)", 1))
lines.groupBy("group", "client_id").count().orderBy("group", "client_id").toPandas()

# %% [markdown]
# A wait begins with `(Re-)joining group` and ends with `Successfully synced group`. A newcomer
# joins twice (chapter 07) and writes the first line twice. So of each member we take, in order of
# time, a beginning and the next end; a window function looks at the line before. Lines of the same
# millisecond are ordered by `offset`, the place of a line in its file. What a killed member waited
# at its end is not counted.

# %% spark=true
in_time = Window.partitionBy("group", "file").orderBy("time", "offset")
ours = lines.where(
    "message like '(Re-)joining group%' or message like 'Successfully synced group%'"
).withColumn("begins", F.col("message").startswith("(Re-)"))
first = ours.withColumn("before", F.lag("begins").over(in_time)).where(
    "not begins or before is null or not before"
)
waits = (
    first.withColumn("began", F.lag("time").over(in_time))
    .where("not begins")
    .withColumn("seconds", (F.unix_millis("time") - F.unix_millis("began")) / 1000)
    .withColumn("generation", F.regexp_extract("message", r"generationId=(\d+)", 1).cast("int"))
    .select("group", "client_id", "generation", "seconds")
)
waits.orderBy("group", "generation").limit(8).toPandas()

# %% exercise="08.6"

# %% [markdown]
# ## 10. In your own words

# %% exercise="08.open"

# %% [markdown] items="N110 N117 N118 N119"
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | A group has five states. | The classic protocol: the same five. The newer one (KIP-848, ready in 4.0) has Empty, Assigning, Reconciling, Stable, Dead. | sections 2 and 7 |
# | A crash is noticed after `session.timeout.ms`, 10 seconds. | 45 seconds since 3.0 (KIP-735). In the newer protocol the broker sets it: `group.consumer.session.timeout.ms`. | `KafkaConsumer(Lab(version="2.8"), {"group.id": "g"}).config["session.timeout.ms"]`, and with `"3.9"` |
# | `close()` sends LEAVE_GROUP. | Not from a static member (2.3, KIP-345). | exercise 08.2 |
# | In a rebalance members get a short time to commit. | All of *PreparingRebalance*, as long as the slowest member takes. *CompletingRebalance* refuses. Who commits while its own join is under way gets a `RebalanceInProgressException` from 2.5 on (KIP-447), which asks only for another poll; before, a `CommitFailedException`. | section 4, and below |
# | Coordinators repeat REBALANCE_IN_PROGRESS until the group is Stable. | Newer ones say it in *PreparingRebalance* only. | the table after exercise 08.3 |
# | Offsets expire a week after the commit. | A week after the group became *Empty* (2.1, KIP-211); it was one day up to 1.1 (KIP-186). | section 2 |
#
# The fourth row, with two clients. ann has polled once: her JOIN_GROUP is under way, and the new
# group waits for more members. Now she commits:

# %%
from kafkalab import OffsetAndMetadata, TopicPartition


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
# ## What you know now
#
# - A rebalance begins when the coordinator notices, and not when something happens.
# - The session decides who is alive. The heartbeat interval decides when the others hear of it.
# - While a group gathers, commits are taken. While it waits for the plan, they are not.
# - A group waits for every member it knows. So never make a stranger of one who is known.
#
# **Words**: group state 消费者组状态 · heartbeat 心跳 · session timeout 会话超时 · rebalance in
# progress 重平衡进行中 · grace time 宽限期 · fenced 被隔离 · reconciliation 协调（渐进式对齐）
#
# ### Do you remember?
#
# <details><summary>1. Chapter 03: why has the coordinator a connection of its own?</summary>Answers
# on one connection come in order. A long poll would hold up the heartbeat behind it.</details>
# <details><summary>2. Chapter 07: who decides, in the classic protocol, which member reads
# what?</summary>The leader, a consumer. The coordinator hands its plan on and does not read
# it.</details>
# <details><summary>3. Chapter 05: an answer does not come. Was the record written?</summary>Nobody
# knows. So it is with a member that is silent: dead, or only slow.</details>
