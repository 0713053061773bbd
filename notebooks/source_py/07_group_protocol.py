# %% [markdown]
# # 07 · Who assigns the partitions?
#
# Programs that share a `group.id` share the partitions of their topics. Each partition has one
# owner. Somebody decides who gets what, and decides again when a program comes or goes. This
# chapter has two halves. The first half asks **who assigns** (sections 1 to 5). The second half
# asks **what it costs** (sections 6 to 12).
#
# **You need** chapters 01 and 03. **You get** eight words: *rebalance*, *generation*, *group
# leader*, *assignor*, *barrier*, *eager*, *cooperative*, *static member*. **Time** 25 + 50 + 45 + 35
# minutes, in four sittings: sections 1 to 3, 4 to 6, 7 to 10, 11 to 13.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import KafkaAdminClient, KafkaProducer, Lab, NewPartitions, ProducerRecord
from kafkalab.views import assignment_matrix, ownership, sequence
from kafkalab.stories.group_protocol import come_and_go, count_moves, generation, member, owned
from kafkalab.stories.group_protocol import print_lines, shares, start

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="N43"
# # Part one: who assigns
#
# ## 1. Guess, run, look
#
# The group `billing` has three members, m1, m2 and m3. They read `orders`, a topic of eight
# partitions. After ten seconds m4 comes. Ten seconds later m2 closes.
#
# Each time the group assigns its partitions again. This is a **rebalance** (重平衡): all members
# agree on who owns what. Each agreement is a **generation** (代). The generations are numbered 1, 2,
# 3.
#
# - Which program decides who gets what? Write `"broker"` or the name of a member.
# - How many generations are there at the end?
# - Count the partitions that get a new owner in each rebalance. What is the sum?

# %%
predict("07 who assigns", assigned_by=None, generations=None, moved=None)

# %% [markdown]
# Every member runs this loop. Chapters 01 and 03 have the same one:
#
#     consumer = KafkaConsumer(lab, {"group.id": "billing", ...})
#     consumer.subscribe(["orders"])
#     while lab.now_ms < end_ms:
#         consumer.poll(timeout_ms=200)
#         lab.sleep(work_ms)  # the work between two polls
#     consumer.close()
#
# `come_and_go` starts the four programs. Both are in `kafkalab/stories/group_protocol.py`.

# %%
lab = come_and_go()
lines = lab.lines()
assigned = lines[lines.message.str.contains("Finished assignment for group")]
truth(
    "07 who assigns",
    assigned_by=assigned.client.iloc[0],
    generations=generation(lab),
    moved=count_moves(lab),
)
assignment_matrix(lab, "billing")

# %% [markdown] items="G19"
# A column is a generation. A cell shows the owner. A hatched cell has another owner than before.
# There are three generations and seven moves.
#
# m1 decided. It is a consumer like the others, and it is the **group leader** (组领导者; not the
# leader of a partition, 领导者副本). The broker told m1 who is in the group and what each member
# wants. m1 computed the plan and sent it back. Here is its line about generation 1, with a row for
# each member:

# %%
print(assigned.message.iloc[0].replace("{m", "{\n    m").replace(", m", ",\n    m"))

# %% [markdown]
# Each other member hears only its own share. The rule that m1 used is a class in the *client*. It
# is called the **assignor** (分配器). The setting is `partition.assignment.strategy`. With twenty
# members and a hundred partitions each member gets five:

# %%
lab = Lab(brokers=3, seed=2, version="3.9", broker_version="4.4")
lab.create_topic("orders", partitions=100)
for number in range(20):
    start(lab, f"m{number}")
lab.run_for(ms=7_000)
{len(partitions) for partitions in owned(lab).values()}

# %% [markdown] items="C5 C36 N46 N47"
# ## 2. What the broker does
#
# One broker is the group's **coordinator** (组协调者, chapter 03). Every broker can be one. For each
# of its groups it keeps three things in memory: the members, the generation and the committed
# offsets. All members of a group talk to the same coordinator. In the classic protocol it assigns
# nothing.
#
# The group's name decides which broker it is. Its hash selects one of the 50 partitions of
# `__consumer_offsets`. The leader of that partition is the coordinator. (03.4 was this
# calculation. Note 1 at the end tells about one strange name.)

# %% [markdown] items="G25 G26 G27 G28 G29"
# A client finds its coordinator in five steps. It repeats them whenever it has lost it:
#
# | step | what the client does | its line |
# |---|---|---|
# | 1 | It sees that it knows no coordinator, or that the connection is broken. | `unavailable or invalid` |
# | 2 | It takes the least loaded node and queues a FIND_COORDINATOR request (`unsent` in the source). | `Sending FindCoordinator` |
# | 3 | It lets the network work until there is an answer or a failure. | `Received FindCoordinator` |
# | 4 | After an error that can pass it waits, gets new metadata and begins again. It raises any other error in the program. | |
# | 5 | Found. If no connection can be made, it forgets the broker and begins again. | `Discovered group coordinator` |
#
# (Texts from before 0.11 call the request GroupCoordinatorRequest.)
#
# Let the coordinator crash. For some seconds the other brokers do not know that it is down. They
# still name it, so m1 repeats its steps. We print the first five of these lines and the last two.

# %% items="C9"
from kafkalab.stories.group_protocol import crash_of_the_coordinator

lab, before = crash_of_the_coordinator()
said = lab.lines("m1").query("at_ms > 8_000")
said = said[said.message.str.contains("unavailable or invalid|FindCoordinator re|Discovered group")]
for line in [*said.head(5).itertuples(), *said.tail(2).itertuples()]:
    print(line.time[-12:], line.message.split("] ", 1)[-1][:90])
{
    "coordinator before": before,
    "coordinator after": lab.coordinator_of("billing"),
    "lines like these": len(said),
    "generation": generation(lab),
}

# %% [markdown]
# A member needs its coordinator to join and leave, to send heartbeats, and to read or write
# committed offsets. It does not need it to fetch records: that continues. The group's records are in
# `__consumer_offsets`, here on three brokers. The next coordinator reads them and continues with
# generation 1. No member had to join again.
#
# ## 3. Join, then sync
#
# A member gets its partitions in two steps. First it **joins**: it says that it is here and what it
# wants to read. When the coordinator has everybody, it answers. Then the member **syncs**: it asks
# for its share. m1 and m2 start together. How many whole seconds pass until m1 gets its partitions?

# %%
predict("07 join", seconds=None)

# %% items="G30 N113"
from kafkalab.stories.group_protocol import two_members

lab = two_members()
got = lab.table("assignment").query("who == 'm1'").at_ms.iloc[0]
truth("07 join", seconds=int(got) // 1000)
sequence(lab, "m1", apis=("FIND_COORDINATOR", "JOIN_GROUP", "SYNC_GROUP"))

# %% [markdown] items="G17 G18"
# The second JOIN_GROUP is answered after six seconds. The grey band is this wait, and it names who
# waits. The connection "to node 0 (data)" has nothing to do with
# the group. The client opens it to send its own metrics (chapter 03).
#
# **Two joins.** A new dynamic member has no member id. The coordinator makes one, answers
# MEMBER_ID_REQUIRED, and the client joins again with it. A client that gives up after its first try
# leaves no entry behind. This is
# [KIP](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals)-394 (KIP:
# Kafka Improvement Proposal). It needs a client and a broker of 2.2 or later.
#
# **Six seconds.** A classic group that was empty waits three seconds for more members
# (`group.initial.rebalance.delay.ms`). If somebody comes in this time, it waits three seconds more:
# 3 + 3 = 6. It repeats this while members come, up to `max.poll.interval.ms`. Without this wait
# programs that start one after the other cause several rebalances. (The `server.properties` that
# Kafka ships sets it to 0, for tests.) Later rebalances wait for something else: until every known
# member has joined again.
#
# Then the coordinator answers all members at once. It names the generation, the leader, and a
# strategy that all of them support.
#
# Here is the coordinator's table of members, after each step. The rows are in the order in which
# the coordinator added the members. Which of the two gets the star, and in which step? This picture
# moves. Use the slider and the play button.

# %%
from kafkalab.stories.moving_groups import join_step_by_step

join_step_by_step()

# %% [markdown]
# Here are the lines of both, in time order:

# %% items="G20 N114 N115"
print_lines(
    lab,
    "JoinGroup failed due to non-fatal",
    "Successfully joined",
    "Performing assignment",
    "Finished assignment",
    "Sending leader",
    "Sending follower",
    "Adding newly",
)

# %% [markdown]
# **The leader is the first member that the coordinator added.** Here this is m2, by four
# milliseconds. The coordinator tells only the leader who the others are and what they want. The
# leader's SYNC_GROUP carries the whole plan. The other's SYNC_GROUP carries no plan. The
# coordinator answers each with its own part. Then the group is *Stable*.
#
# To the coordinator the *plan* is only bytes. (From 2.4 on it does read the *subscriptions*, to
# know which topics a group uses.)

# %% exercise="07.1"

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 4. The leader's half
#
# Now you are the leader. An assignor is a function of two things: how many partitions each topic
# has, and what each member wants to read. In this lab you can give the consumers a function of your
# own in place of a class name. It returns a dict: for each member a list of `(topic, number)`. This
# one is greedy. Everything goes to the member with the smallest id:


# %%
def greedy(partitions, subscriptions):
    """partitions: {topic: how many}. subscriptions: {member id: [topic, ...]}."""
    first = min(subscriptions)
    return {
        first: [
            (topic, number) for topic in subscriptions[first] for number in range(partitions[topic])
        ]
    }


both = {"m1": ("orders",), "m2": ("orders",)}
{"greedy": shares(greedy, {"orders": 4}, both), "Range": shares("Range", {"orders": 4}, both)}

# %% [markdown]
# The broker did not object. It does not know what a fair plan is.

# %% exercise="07.2"

# %% [markdown] items="N41"
# Range begins again with the first member for each topic. So the first member collects the extra
# partitions of all topics. You met this in chapter 01: with topics of one, two and three
# partitions, Range keeps three members busy and not six. RoundRobin, the other old assignor, treats
# all topics as one list.

# %% exercise="07.3"

# %% [markdown]
# ## 5. A bad leader
#
# What if the leader's program has a bug? Its assignor gives every partition to *every* member. The
# topic holds twelve orders, and two members read. How many records do they get together?

# %%
predict("07 bad leader", records_read=None)


# %%
def everything_to_everybody(partitions, subscriptions):
    return {
        member: [(topic, number) for topic in topics for number in range(partitions[topic])]
        for member, topics in subscriptions.items()
    }


# %%
lab = Lab(brokers=3, seed=6, version="3.9", broker_version="4.4")
lab.create_topic("orders", partitions=4)
producer = KafkaProducer(lab, {"client.id": "shop"})
for number in range(12):
    producer.send(ProducerRecord("orders", partition=number % 4, value=f"order {number}"))
producer.close()
for name in ("m1", "m2"):
    start(lab, name, everything_to_everybody)
lab.run_for(ms=10_000)
truth("07 bad leader", records_read=len(lab.table("record.delivered")))
assignment_matrix(lab, "billing", title="a leader whose assignor is wrong")

# %% [markdown]
# Each partition has two owners. Every order was billed twice, and no line reports it. In the
# classic protocol the broker does not enforce "one owner for each partition". A correct leader
# does. One bad client is enough to harm the group. And each language with its own client must write
# these assignors again, correctly.
#
# # Part two: what it costs
#
# ## 6. What moves?
#
# Range and RoundRobin do not remember the last plan. Look at section 1 again: m4 came, and m3 lost
# both its partitions and got two others. A **sticky** assignor (粘性) remembers who owned what. It
# moves as little as balance allows. A move is expensive: the new owner must find its position, and
# what the old owner kept in memory is lost.
#
# Here is the same story under four assignors: m4 comes, m2 leaves. Range needed seven moves. How
# many do the others need?

# %%
predict("07 moves", round_robin=None, sticky=None, cooperative_sticky=None)

# %%
labs = {name: come_and_go(name) for name in ("Range", "RoundRobin", "Sticky", "CooperativeSticky")}
truth(
    "07 moves",
    round_robin=count_moves(labs["RoundRobin"]),
    sticky=count_moves(labs["Sticky"]),
    cooperative_sticky=count_moves(labs["CooperativeSticky"]),
)
assignment_matrix(labs["CooperativeSticky"], "billing", title="CooperativeStickyAssignor")

# %% [markdown]
# RoundRobin moved twelve times, sticky four. The picture has one generation more than that of
# section 1. In it two cells belong to nobody. This is the **cooperative** protocol (协作式). It works in two rounds:
#
# 1. In generation 2 the leader leaves out the partitions that must move. m1 and m2 give up one
#    partition each and *keep the others*. Giving up is called **revoke** (撤销) in the lines.
# 2. m1 and m2 join again at once. The other members learn of it from their next heartbeat, up to
#    three seconds later. In generation 3 m4 gets the two partitions.
#
# Range, RoundRobin and Sticky are **eager** (急切式): before each join a member gives up
# *everything*, also what it gets back.

# How does it look in a large group? Fifty members share 175 partitions of two topics. Members crash and
# come, 24 times. `score()` plans again after each change, and counts the partitions that moved though
# their owner was still there:

# %%
from kafkalab.stories.big_group import score

score()  # score(range_assign) puts your own assignor beside them

# %% exercise="07.4"

# %% [markdown] items="N45"
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 7. Who waits?
#
# "In a rebalance nobody reads" is a common sentence in blog posts. Let us measure it. Three members
# read nine partitions. A producer sends to all of them, all the time. m2 is slow: it works nine
# seconds between two polls. A member joins only inside `poll`, and the coordinator waits for all
# members. At 30 s m4 comes. We play it twice, with the eager Range and with CooperativeSticky.
#
# - How many of the nine partitions have no owner for a second or longer?
# - How many seconds after its start does m4 get its first record?

# %%
predict(
    "07 newcomer",
    eager_partitions=None,
    cooperative_partitions=None,
    eager_wait=None,
    cooperative_wait=None,
)

# %%
from kafkalab.stories.group_protocol import newcomer_beside_a_slow_member, newcomer_waits
from kafkalab.stories.group_protocol import partitions_without_owner, seconds_without_owner

eager = newcomer_beside_a_slow_member("Range")
cooperative = newcomer_beside_a_slow_member("CooperativeSticky")
truth(
    "07 newcomer",
    eager_partitions=partitions_without_owner(eager),
    cooperative_partitions=partitions_without_owner(cooperative),
    eager_wait=newcomer_waits(eager),
    cooperative_wait=newcomer_waits(cooperative),
)
ownership(eager, "billing", from_ms=28_000, to_ms=100_000, title="Range, eager: m4 comes at 30 s")

# %%
ownership(
    cooperative, "billing", from_ms=28_000, to_ms=100_000, title="cooperative: m4 comes at 30 s"
)

# %% [markdown]
# **Eager.** m1 and m3 learn of the newcomer from a heartbeat. They give up all six partitions. Then
# they wait 6.2 seconds for m2, which is busy with its work. The join is a **barrier** (屏障): nobody
# passes before all have arrived. The slowest member decides how long the others wait.
#
# **Cooperative.** Seven of nine partitions keep their owner all the time. That is kind to the
# members that are already there. It is slow for the newcomer: m4 reads its first record 33.4
# seconds after its start, and its second partition is free only at 81 s.
#
# Why so slow? m2 keeps its partitions, so it has records ready. Its `poll` returns them at once and
# does not wait for the group. Each `poll` brings the protocol one step further, and m2 polls every
# nine seconds. The times below are polls of m2:
#
# | s | what this poll does |
# |---|---|
# | 36 | It returns records at once. m2 has not joined yet. The others have, and keep reading. |
# | 45 | m2 sends its join. Now all have joined. The first plan is made. m3 gives up orders-8 and joins again. |
# | 54 | m2 sends its sync: it asks for its share of the first plan. |
# | 63 | m2 joins for the second round. Now all have joined, and m4 gets orders-8: 33.4 seconds after its start. |
# | 72 | m2 asks for its share of the second plan. |
# | 81 | m2 has its share, and gives up orders-7. |
# | 90 | m2 joins for the third round, and m4 gets orders-7. |
#
# In the eager protocol m2 has given up everything. It has no record to return, so its `poll` waits
# for the group.

# %%
import pandas as pd

pd.DataFrame(
    {
        "partitions without owner": [partitions_without_owner(lab) for lab in (eager, cooperative)],
        "seconds, added up": [seconds_without_owner(lab) for lab in (eager, cooperative)],
        "m4 waits, seconds": [newcomer_waits(lab) for lab in (eager, cooperative)],
    },
    index=["eager", "cooperative"],
)

# %% [markdown]
# Read the pictures again. Crossed out: nobody owns the partition. Hatched: it has an owner, records
# wait, and nobody reads them. The ticks are the polls of m2: it reads its partitions once in nine
# seconds.
#
# The sum counts each partition: two partitions without an owner for 5 s count as 10 s. Its value
# depends on chance: when m4 comes within m2's turn, and whether m2 itself must give up a partition.
# Over the seeds 1 to 8 the eager sum was 36 to 37 s, and the cooperative one 27 to 54 s. The pattern
# was the same in all eight: cooperative has fewer partitions without an owner, and a newcomer that
# waits longer.
#
# ### The real thing beside it
#
# Two recordings of real Java consumers 3.9.2 on brokers 4.4.0: the same program, with records, m2
# slow, m4 new. `pair.real` holds the lines of the Java clients. `pair.played` holds those of the
# simulator.

# %%
from kafkalab.stories.recorded import recorded
from kafkalab.stories.group_protocol import seconds_to_partitions

pair = recorded("4.4.0/3.9.2/group_newcomer_slow_member_cooperative", seed=1)
words = "Revoke previously assigned partitions o|Adding newly assigned partitions: o"
real = pair.real[pair.real.message.str.contains(words)]
print("m4 starts at", pair.real.query("client == 'm4'").time.iloc[0])
for line in real.itertuples():
    print(line.time, line.client, line.message.split("] ", 1)[-1])

# %% [markdown]
# Look at the lines after m4's start. m4 gets two partitions, one after the other. Which of them
# came from the slow m2? How many seconds after its start did m4 get it?

# %%
predict("07 recording", partition=None, seconds=None)  # partition: such as "orders-3"

# %%
waits = {"Java": seconds_to_partitions(pair.real), "simulator": seconds_to_partitions(pair.played)}
partition, waited = list(waits["Java"].items())[-1]
truth("07 recording", partition=partition, seconds=int(waited))

eager_pair = recorded("4.4.0/3.9.2/group_newcomer_slow_member_range", seed=1)
{"eager, Java": seconds_to_partitions(eager_pair.real), **waits}

# %% [markdown]
# The real m4 waited 20.7 seconds for its first partition and 41.8 for its second. In the simulator
# the same program gives 20.7 and 41.7. (Which partitions they are depends on the member ids, which
# are random.) With the eager Range the real newcomer waited 4.4 seconds for both: it waits for one
# turn of m2 at most.
#
# Now compare the protocols yourself. (KIP-848 is the protocol of section 9.) Switch between them,
# and switch the records off. What changes in m2's rows? This picture moves. Use the slider, the
# play button and the switches.

# %%
from kafkalab.stories.moving_groups import newcomer_over_time

newcomer_over_time(seed=1)

# %% [markdown]
# And here the slider is m2's work. Drag it, and read in the heading how long m4 waits. With which
# protocol does m4's wait not depend on m2?

# %%
from kafkalab.stories.moving_groups import wait_by_work

wait_by_work()

# %% [markdown]
# ## 8. What starts a rebalance?
#
# Five common causes: a member joins; a member leaves; a member crashes; a member subscribes to
# other topics or unsubscribes; a topic gets more partitions. Which of them does a group of dynamic
# members (client 3.9, default settings) notice last? Answer `"join"`, `"leave"`, `"crash"`,
# `"unsubscribe"` or `"partitions"`.

# %% items="G24 N44"
predict("07 triggers", slowest=None)

# %%
from kafkalab.stories.group_protocol import leader, settled_after, two_at_work

took_ms = {
    "leave": settled_after(two_at_work(second="leaves")),
    "unsubscribe": settled_after(two_at_work(second="unsubscribes")),
}

lab = two_at_work()
start(lab, "m3")
took_ms["join"] = settled_after(lab)

lab = two_at_work()
lab.kill("m2")
took_ms["crash"] = settled_after(lab)

# %%
lab = two_at_work()
KafkaAdminClient(lab, {}).create_partitions({"orders": NewPartitions.increase_to(8)}).all().get()
took_ms["partitions"] = settled_after(lab, wait_ms=300_000)

truth("07 triggers", slowest=max(took_ms, key=took_ms.get))
took_ms

# %% [markdown] items="N106"
# The numbers are milliseconds until the group is stable again.
#
# **A crash** sends no request. The coordinator waits 45 seconds for a heartbeat (心跳),
# `session.timeout.ms` from 3.0 on.
#
# **More partitions** take longest. In the classic protocol no heartbeat tells of them. The leader
# compares the partitions in its plan with those in its metadata. It asks for metadata every five
# minutes, `metadata.max.age.ms`.
#
# **The leader's crash** is a crash like any other. After the session timeout the coordinator starts a
# rebalance and names another leader: a member that has joined again. Until then, here for 46 seconds,
# the dead leader's partitions have no reader:

# %%
lab = two_at_work()
before = leader(lab)
lab.kill(before)
seconds = settled_after(lab) // 1000
{"leader before": before, "leader after": leader(lab), "seconds": seconds}

# %% [markdown]
# There are rarer causes. The program calls `enforceRebalance()` (from 2.6 on, KIP-568). A subscribed
# topic is deleted. A new topic fits a subscribed pattern. A member's rack changes (from 3.5 on,
# KIP-881).
#
# In these five minutes nobody reads the new partitions. What happens to records that are written
# to them in this time? It depends on `auto.offset.reset`. Here a producer sends 32 records to two
# new partitions:

# %%
from kafkalab.stories.group_protocol import two_more_partitions

found = {policy: two_more_partitions(policy) for policy in ("latest", "earliest")}
ten_minutes = "by_duration:PT10M"
found[ten_minutes] = two_more_partitions(ten_minutes, version="4.4")
found["latest, KIP-848"] = two_more_partitions("latest", protocol="consumer", version="4.4")
found  # (sent, read)

# %% [markdown]
# With `latest`, the default, the group reads 12 of 32. It begins at the end of the new partitions
# when it finds them, and it skips what is before. This is **data loss for the group**, without a
# line of warning. Use `earliest` where a topic may grow. Clients from 4.0 on have a third way:
# `by_duration:PT10M` begins ten minutes back (KIP-1106, chapter 09). With KIP-848 (section 9) the
# coordinator watches the topics itself. The group finds the partitions in seconds, and misses two
# records all the same.
#
# How do the *other* members learn that somebody came or left? The coordinator cannot call them. A
# member sends a heartbeat every three seconds. The answer can hold error 27, REBALANCE_IN_PROGRESS.
# Here is such an answer, and what the members write when they get one:

# %% items="N108"
lab = come_and_go()
answers = lab.lines("m1").message
told_so = answers[answers.str.contains("Received HEARTBEAT.*errorCode=27")]
print(told_so.iloc[0].split("): ")[-1])
print_lines(lab, "Request joining group due to: group is already rebalancing")

# %% [markdown] items="N48 N49 N107"
# Clients since 0.10.1 have a thread of their own for heartbeats (KIP-62). Before, the polling
# thread sent them, so slow work looked like a crash. Now there are two limits:
#
# | limit | default | who notices | what happens |
# |---|---|---|---|
# | `session.timeout.ms` | 45 s | the coordinator: no heartbeat came | it removes the member |
# | `max.poll.interval.ms` | 5 min | the client: no `poll` came | a dynamic member sends LEAVE_GROUP; a static member stops its heartbeats |
#
# So the partitions of a *static* member that works too long wait for both limits together. With
# `max.poll.interval.ms` of 10 s a dynamic member's wait 10 s, and a static member's 10 + 45 = 55 s.
#
# Two kinds of rebalance are avoidable:
#
# - **Late heartbeats.** Some may get lost. Set `session.timeout.ms` to at least three times
#   `heartbeat.interval.ms`.
# - **Slow work.** Give `max.poll.interval.ms` more time than your slowest batch needs, or take fewer
#   records in a poll. Chapter 10 calculates it.
#
# A third kind are **restarts**. A program is updated: it closes and starts again three seconds
# later. Two members, m2 restarts. How many new generations does that cost? And how many if the
# members are **static members** (静态成员), that is, have a `group.instance.id`?

# %%
predict("07 restart", dynamic=None, static=None)

# %%
from kafkalab.stories.group_protocol import restart

lab = restart(static=True)
truth("07 restart", dynamic=generation(restart(static=False)) - 1, static=generation(lab) - 1)
ownership(lab, "billing", title="m2 is a static member and restarts at 20 s")

# %% [markdown]
# A static member sends no LEAVE_GROUP when it closes (clients up to 4.0; from 4.1 on
# `close(CloseOptions)` can ask for it, KIP-1092). Its name stays in the group until
# `session.timeout.ms` is over. A process that comes back under this name in time gets the same
# partitions again. The others do not notice (KIP-345, from 2.3 on).
#
# This has a price. While the member is away, nobody reads its partitions: three seconds in the
# picture. If it does not come back, they wait for the whole session timeout.
#
# ## 9. The broker assigns again
#
# KIP-848 gave the assignment back to the coordinator. Clients from 4.0 use it with
# `group.protocol=consumer`. It has no join, no sync and no leader. Each member sends one kind of
# request, CONSUMER_GROUP_HEARTBEAT. The coordinator computes a **target**: who should own what. Its
# answers tell each member what to give up or take. The number of a target is its **epoch** (纪元).
# Members move to it one by one.
#
# Here is section 7 again: records, a slow m2, m4 comes at 30 s. How many of the nine partitions have
# no owner for a second or longer?

# %%
predict("07 new protocol", partitions_without_owner=None)

# %%
new = newcomer_beside_a_slow_member(None, version="4.4", settings={"group.protocol": "consumer"})
truth("07 new protocol", partitions_without_owner=partitions_without_owner(new))
ownership(new, "billing", from_ms=28_000, to_ms=100_000, title="KIP-848: m4 comes at 30 s")

# %%
{"seconds without owner": seconds_without_owner(new), "m4 waits, seconds": newcomer_waits(new)}

# %%
assignment_matrix(new, "billing", title="the coordinator's targets, epoch by epoch")

# %% [markdown]
# There is no barrier. m4 waits 5.5 seconds, with a slow member beside it. The coordinator did not
# wait for m2. After a heartbeat, m1 and m3 gave up one partition each. m4 learned from its own next
# heartbeat that they were free. It sends one every five seconds.
#
# A slow member still delays one thing: a partition that it must give up itself. It does this inside
# `poll`. Then the new owner waits for m2's turn and for its own heartbeat. Try `seed=3`: it has such
# a partition.
#
# In the matrix epochs are missing. m2 and m3 came within one second, and the coordinator computes a
# new target at most once a second (KIP-1263). Each new member adds one to the epoch all the same.
# With brokers 4.3 or later an empty group has epoch 1. Brokers 4.0 to 4.2 begin with 0 and assign at
# once.
#
# So the rules of this chapter have two columns:
#
# | | Classic | KIP-848, client and broker 4.4 |
# |---|---|---|
# | Who assigns? | the leader, a member; its setting names the assignor | the coordinator, with *uniform* or *range* |
# | What does a newcomer send? | two JOIN_GROUP, one SYNC_GROUP | heartbeats only |
# | Who waits? | for an eager group: all, until the slowest has joined | only the new owner, for the member that must give up |
# | The leader dies | after its session the next member leads | there is no leader |
# | A crash is noticed | after the client's `session.timeout.ms`, 45 s | after the broker's `group.consumer.session.timeout.ms`, 45 s |
# | New partitions are found | by the leader, within five minutes | by the coordinator, within seconds |
# | A static member restarts | no new generation | no new epoch |
#
# **A deployment of ten.** Ten members share twenty partitions. A new version is rolled out: one after
# the other closes, and is back after four seconds. How often is a partition given to a member, and for
# how many seconds do partitions have no owner, all added up?

# %%
from kafkalab.stories.group_protocol import DEPLOYMENTS, price_of_a_deployment

costs = pd.DataFrame({kind: price_of_a_deployment(kind) for kind in DEPLOYMENTS}).T
costs.astype({"partitions given": int})

# %% [markdown]
# Eager members give up everything twenty times, and take it again quickly: all stop, twenty times.
# Cooperative ones and those of KIP-848 move only what must move. Static members move nothing: their
# partitions wait for them. With KIP-848 a partition waits for a heartbeat, which comes every five
# seconds. So its members never stop, and a partition that moves waits longer.
#
# **How a running group gets there.** From Range to cooperative takes two rounds of restarts. In the
# first round each member lists both assignors, the new one first. In the second it lists the new one
# only. Three members share six partitions. Each closes, and comes back after five seconds. The last
# column counts what the *two others* gave up in this time, also what they got back.

# %%
from kafkalab.stories.group_protocol import bounced

bounced(["CooperativeSticky Range", "CooperativeSticky"])

# %% [markdown]
# The group takes the new assignor as soon as all list it. But a member whose list has Range, too, still
# gives up everything: four partitions when one leaves, six when it comes back. So the second round is
# needed. One round alone would mix members that keep their partitions with members that give them up
# (KIP-429).
#
# To KIP-848 one round is enough: restart each member with `group.protocol=consumer`.

# %%
bounced(["KIP-848"])

# %% [markdown]
# With its first new member the group is a KIP-848 group. The old members still send JOIN_GROUP and
# SYNC_GROUP. But no member leads now: the coordinator assigns for all, and answers SYNC_GROUP itself.
# An old member of Range still gives up everything at each change. The fewer of them are left, the
# smaller the number. Members of CooperativeSticky never do, and the way back is the same:

# %%
bounced(["KIP-848", "CooperativeSticky"], begins="CooperativeSticky")

# %% [markdown]
# When the last KIP-848 member leaves, the group is a classic one again. So you can roll back at any
# time. Brokers from 4.0 on allow both directions (`group.consumer.migration.policy`, *bidirectional*
# by default). With *disabled* the first new member gets an error: "online upgrade is disabled".
#
# ## 10. Bug hunt
#
# The coordinator chooses a strategy that *all* members support. It refuses a newcomer that shares
# no strategy with the members that are there. The client then raises
# InconsistentGroupProtocolException.

# %% exercise="07.5"

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 11. Spark lab: what a rebalance costs
#
# Four groups, A to D, have nine partitions each and three members. Records come in all the time.
# Group A uses the assignor `n.A.strategy`. Its m2 works `n.A.work_ms` milliseconds between two
# polls. m4 comes after thirty seconds, and m1 closes after forty-five. We keep the lines of all
# members, in files called `A-m1.log` and so on.

# %%
from kafkalab.course_folder import course_folder
from kafkalab.stories.group_protocol import ownership_changes, shift

n = numbers("07.6")
logs = course_folder() / "data/generated/chapter07/shifts"
logs.mkdir(parents=True, exist_ok=True)
for name, group in n.items():
    lab = shift(group.strategy, group.work_ms)
    for client in ("m1", "m2", "m3", "m4"):
        (logs / f"{name}-{client}.log").write_text(lab.log_text(client))
n

# %% [markdown]
# Three lines tell who owns what. "Revoke previously assigned partitions" gives partitions up. "Lost
# previously assigned partitions" does the same; a member writes it when its membership is not valid
# any more. "Adding newly assigned partitions" takes partitions over. Spark makes a row of each
# partition. (Spark starts first. That takes
# up to a minute.)

# %% spark=true
from kafkalab import logsets
from pyspark.sql import Window, functions as F

spark = logsets.session()
said = r"(Revoke previously|Lost previously|Adding newly) assigned partitions:? ?(.*)"
lines = logsets.read(spark, str(logs)).where("level = 'INFO'").where(F.col("message").rlike(said))
changes = lines.select(
    F.regexp_extract("file", r"(\w)-m\d", 1).alias("group"),
    "client_id",
    F.unix_millis("time").alias("at_ms"),
    F.regexp_extract("message", said, 1).alias("what"),
    F.explode(F.split(F.regexp_extract("message", said, 2), ", ")).alias("partition"),
).where("partition != ''")
changes.orderBy("group", "at_ms", "partition").limit(6).toPandas()

# %% exercise="07.6"

# %% [markdown]
# ## 12. In your own words
#
# A person reads this answer. `reveal("07.open", give_up=True)` shows a good one. Kafka changed its mind twice about who assigns:
#
# | Years | Who assigns | What was wrong with it |
# |---|---|---|
# | until 0.8 | every consumer for itself, by watching ZooKeeper | Each change woke all of them at once, a *herd*. Two could see different states, *split brain*. ZooKeeper carried the load. |
# | early designs of 0.9 | the broker | Work for the server. A new strategy needed new server code. |
# | 0.9 to today, "classic" | a client, the group leader | Sections 5 and 7. |
# | 4.0, KIP-848 | the coordinator, step by step | It is the newest. Not every client library has it yet. |

# %% exercise="07.open"

# %% [markdown]
# ## 13. Break it yourself
#
# In section 7 records came in all the time. Take them away. `poll` of m2 has nothing to return, so
# it waits for the group. Which of the three numbers of section 7 stays as it was? The cell prints
# two of them. Read the third, m4's wait, from the picture. Change the seed, too.

# %%
lab = newcomer_beside_a_slow_member("CooperativeSticky", records=False, seed=1)
print(partitions_without_owner(lab), seconds_without_owner(lab))
ownership(lab, "billing", from_ms=28_000, to_ms=100_000, title="the same without records")

# %% [markdown]
# **So what.** For production:
#
# - Count the *seconds* of rebalance, not only the rebalances. Alert when a group is not *Stable*
#   for longer than your slowest batch needs, or when `rebalance-latency-max` of a member exceeds it.
# - Keep the time between two polls short. The slowest member decides how long a rebalance takes.
# - Choose `earliest` for a group that must not miss records of new partitions.
# - For restarts that take less than the session timeout, set `group.instance.id`.
#
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | In a rebalance all members stop. | With an eager assignor. Cooperative ones came with 2.4 (KIP-429). KIP-848 has no barrier. | sections 7, 9 |
# | A member joins once. | A dynamic one joins twice, from 2.2 on: the first answer is MEMBER_ID_REQUIRED (KIP-394). | `two_members("2.1")` and `"3.9"` |
# | A consumer assigns the partitions. | The coordinator does for members with `group.protocol=consumer`, ready since 4.0 (KIP-848). | section 9 |
# | Every restart rebalances. | Not the restart of a static member within its session, from 2.3 on (KIP-345). | section 8 |
# | As many members as partitions over all topics are ideal. | With RoundRobin or a sticky assignor. Range keeps only as many busy as the largest topic has partitions. | chapter 01, section 4 |
# | The coordinator is `Math.abs(groupId.hashCode() % 50)`. | `Utils.abs(hash) % 50`. They differ for one hash only. | note 1 |
# | The default strategy is Range. | From 3.0 on the list is Range and cooperative-sticky. It still uses Range (KAFKA-13023). | `Lab(version="3.9")`, the first line of a consumer |
# | `session.timeout.ms` is 10 s. | 45 s since 3.0 (KIP-735). | `Lab(version="2.8")` |
# | The request is GroupCoordinatorRequest. | FIND_COORDINATOR, since 0.11. It finds the coordinators of transactions, too. | sections 2, 3 |
#
# **Note 1.** Many blog posts give the formula `Math.abs(groupId.hashCode() % 50)`. Kafka takes
# `Utils.abs` *first* (`GroupMetadataManager.partitionFor`). The two agree for every hash but the
# smallest `int`. The name `polygenelubricants` has this hash, and +2147483648 does not fit into an
# `int`. `Utils.abs` makes it 0, so Kafka takes partition 0. The formula gives 48.

# %%
from kafkalab.hashing import java_string_hash

java_string_hash("polygenelubricants")

# %% [markdown]
# ### The same on real Kafka
#
# A member joins a group, and ten seconds later a second one. The cell below is folded. It does this
# on the simulator and on real brokers of your machine, in about a minute. Real Kafka must be set up
# once: `python -m kafkalab real setup`. Without it the cell prints one sentence.

# %% fold=true
from kafkalab.real import on_both


def two_members_join(kafka):
    lab, members = kafka.Lab(brokers=1, version="3.9"), []
    lab.create_topic("orders", partitions=4)
    for name in ("m1", "m2"):
        members.append(kafka.KafkaConsumer(lab, {"group.id": "billing"}, name=name))
        members[-1].subscribe(["orders"])
        end_ms = lab.now_ms + 10_000
        while lab.now_ms < end_ms:
            for member in members:
                member.poll(timeout_ms=100)
    joins = lab.table("request.sent").query("api == 'JOIN_GROUP'").who.value_counts()
    return {
        "JOIN_GROUP of m1 and m2": [int(joins["m1"]), int(joins["m2"])],
        "generation": members[0].group_metadata().generation_id,
        "partitions of m1 and m2": [len(member.assignment()) for member in members],
    }


on_both(two_members_join)

# %% [markdown]
# ## What you know now
#
# - The coordinator knows who is a member. In the classic protocol the leader, a client, decides who
#   gets what. Nobody checks the leader.
# - Join, wait for all, assign, sync. Each round is a generation.
# - Eager members give up everything before a join. Cooperative members give up only what moves, and
#   a newcomer beside a slow member waits long. With KIP-848 there is no join.
# - Heartbeats carry the news. Of these causes, a crash is noticed late and new partitions last.
#
# **Words**: rebalance 重平衡 · generation 代（generation） · group leader 组领导者 · assignor 分配器 ·
# barrier 屏障 · eager 急切式 · cooperative 协作式 · static member 静态成员 · heartbeat 心跳 · revoke 撤销

# %%
from autograder import my_guesses

my_guesses("07")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 01: five members, three partitions of one topic. How many
# read?</summary>Three. A partition has one owner, and two members wait for somebody to
# leave.</details>
# <details><summary>2. Chapter 03: why does the coordinator have a connection of its own?</summary>A
# broker answers the requests of one connection in order. A heartbeat must not wait behind a long
# FETCH.</details>
# <details><summary>3. Chapter 04: a topic gets more partitions. What happens to its
# keys?</summary>Most of them move: the partition is the remainder of a division by the number of
# partitions.</details>
#
# Next: **08 · How does a group know that a member is gone?**
