# %% [markdown]
# # 07 · Who deals out the partitions?
#
# Programs that share a `group.id` share the partitions of their topics: one owner each. Somebody
# must decide who gets what, and decide again when a program comes or goes. Who? And what do the
# others do meanwhile?
#
# **You need** chapters 01 and 03. **You get** seven words: *rebalance*, *generation*, *group
# leader*, *assignor*, *eager*, *cooperative*, *static member*. **Time** two sittings of about 40
# minutes. The second begins with section 6.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import KafkaAdminClient, KafkaConsumer, KafkaProducer, Lab
from kafkalab import NewPartitions, ProducerRecord
from kafkalab.views import assignment_matrix, ownership, sequence, side_by_side

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="N43"
# ## 1. Guess, run, look
#
# The group `billing` has three members, m1, m2 and m3. They read `orders`, a topic of eight
# partitions. After ten seconds m4 comes; ten seconds later m2 closes. Each time the partitions are
# dealt anew, as cards are. That is a **rebalance**: the way in which all members come to agree on
# who owns what. Each such agreement is a **generation**. The generations are numbered 1, 2, 3.
#
# Which program works out who gets what? Write `"broker"`, or the name of a member. How many
# generations will there be? And how many times does a partition change its owner, both rebalances
# added up?

# %%
predict("07 who deals", dealt_by=None, generations=None, moved=None)

# %%
import re

CONSUMER = "org.apache.kafka.clients.consumer."


def member(lab, name, strategy="Range", topics=("orders",), work_ms=0, stays_ms=900_000, more=None):
    """One program of the group: it polls until its time is over, and then closes."""
    if isinstance(strategy, str):
        strategy = f"{CONSUMER}{strategy}Assignor"
    dealing = {"partition.assignment.strategy": strategy} if strategy else {}
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "client.id": name,
            "auto.offset.reset": "earliest",
            **dealing,
            **(more or {}),
        },
        name=name,
    )
    consumer.subscribe(list(topics))
    end_ms = lab.now_ms + stays_ms
    while lab.now_ms < end_ms:
        consumer.poll(timeout_ms=200)
        lab.sleep(work_ms)  # the work it does between two polls
    consumer.close()


def come_and_go(strategy="Range", seed=1):
    """Three members; m4 comes after 10 s, m2 goes after 20 s."""
    lab = Lab(brokers=3, seed=seed, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=8)
    for name, stays_ms in (("m1", 90_000), ("m2", 20_000), ("m3", 90_000)):
        lab.spawn(member, name, strategy, ("orders",), 0, stays_ms, name=name)
    lab.run_for(ms=10_000)
    lab.spawn(member, "m4", strategy, name="m4")
    lab.run_for(ms=25_000)
    return lab


def moved(picture):
    """How many cells of an assignment matrix are marked as moved."""
    return len(re.findall(r"\S \*", picture.text))


# %%
lab = come_and_go()
picture = assignment_matrix(lab, "billing")
lines = lab.lines()
dealt = lines[lines.message.str.contains("Finished assignment for group")]
generations = lab.at(lab.now_ms)["groups"]["billing"]["generation"]
truth("07 who deals", dealt_by=dealt.client.iloc[0], generations=generations, moved=moved(picture))
picture

# %% [markdown] items="G19"
# A column is a generation, a cell shows the owner, and hatched cells have another owner than
# before. Three generations, seven moves.
#
# The dealer was m1, a consumer like the others. It is the **group leader**. The broker told m1 who
# is there and what each wants. m1 worked out the table by itself and sent it back. Here is its line
# about generation 1, with a row for each member. It is the only kind of line that holds the whole
# table:

# %%
print(dealt.message.iloc[0].replace(", m", ",\n    m"))

# %% [markdown]
# The others heard of their own share only. And the rule m1 dealt by is a class in the *client*, the
# **assignor**; the setting is `partition.assignment.strategy`. With twenty members and a hundred
# partitions it gives five to each:

# %%
lab = Lab(brokers=3, seed=2, version="3.9", broker_version="4.4")
lab.create_topic("orders", partitions=100)
for number in range(20):
    lab.spawn(member, f"m{number}", name=f"m{number}")
lab.run_for(ms=7_000)
{len(client["assignment"]) for client in lab.at(lab.now_ms)["clients"].values()}

# %% [markdown] items="C5 C36 N46"
# ## 2. What the broker does
#
# One broker is the group's **coordinator** (chapter 03). Every broker has this part, from its
# start, in its memory. For its groups it keeps three things: who is a member, which generation it
# is, and the committed offsets. All members of a group talk to the same one. It deals nothing.
#
# Which broker? The group's name decides: its hash picks one of the 50 partitions of
# `__consumer_offsets`, and that partition's leader is the coordinator. A formula for it went round
# the world: `Math.abs(groupId.hashCode() % 50)`. It is right for nearly every name. Here is one for
# which it is not. The group `polygenelubricants` has the hash −2147483648. In Java the rest of a
# negative number is negative: −7 % 50 is −7. `Math.abs` comes last and drops the sign. Into which
# partition does the formula put the group? And in which does Kafka keep the group's records? (The
# one answer takes a division, the other a guess.)

# %%
predict("07 a name", by_the_formula=None, in_kafka=None)

# %% items="N47"
from kafkalab.hashing import java_string_hash


def java_rest(number, by):
    """Java's %: the rest has the sign of the number."""
    return number % by if number >= 0 else -(-number % by)


name = "polygenelubricants"
lab = Lab(brokers=3, seed=2, version="3.9", broker_version="4.4")
lab.create_topic("orders", partitions=2)
odd = KafkaConsumer(lab, {"group.id": name}, name="odd")
odd.subscribe(["orders"])
odd.poll(timeout_ms=5_000)
logs = lab.at(lab.now_ms)["partitions"]
kept_in = {
    tp: log["log_end_offset"]
    for tp, log in logs.items()
    if tp.startswith("__consumer") and log["log_end_offset"]
}
truth(
    "07 a name",
    by_the_formula=abs(java_rest(java_string_hash(name), 50)),
    in_kafka=min(int(tp.rpartition("-")[2]) for tp in kept_in),
)
kept_in

# %% [markdown]
# Kafka takes `Utils.abs` *first*, then the rest: `Utils.abs(hash) % 50`. For every other `int` the
# two orders agree. The largest `int` is 2147483647, so this number has no positive twin, and
# `Utils.abs` makes it 0. So partition 0 and not 48.

# %% [markdown] items="G25 G26 G27 G28 G29"
# Finding it takes five steps, and the client goes through them again whenever it must:
#
# 1. Is a lookup needed? Yes, when no coordinator is known, or the connection to it is broken.
# 2. Take the least loaded node and queue a request for it (`unsent` in the source). The request is
#    called FIND_COORDINATOR since 0.11; older texts say GroupCoordinatorRequest.
# 3. Let the network work, and wait until the request is answered or has failed.
# 4. Is there an error that may pass? Wait for fresh metadata and go back to 1. Any other error is
#    raised in the program.
# 5. Found, and no connection to it can be made? Fail what was waiting for it, forget it, and look
#    again.
#
# Let us crash the coordinator, and see m1 walk through them. For some seconds the other brokers do
# not know of the crash and still name it. So m1 goes round and round. We print the first three of
# its lines, and the last. (2147483647 − 1 is the id under which a client keeps its connection to
# coordinator 1, see chapter 03.)

# %% items="C9"
lab = Lab(brokers=3, seed=2, version="3.9", broker_version="4.4")
lab.create_topic("orders", partitions=4, replication_factor=3)
lab.spawn(member, "m1", name="m1")
lab.run_for(ms=8_000)
first = lab.coordinator_of("billing")
lab.broker(first).crash()
lab.run_for(ms=12_000)

said = lab.lines("m1")
said = said[said.message.str.contains("Discovered group|unavailable or invalid")]
for line in [*said.head(3).itertuples(), *said.tail(1).itertuples()]:
    print(line.time[-12:], line.message.split("] ", 1)[-1][:90])
{
    "coordinator before": first,
    "coordinator after": lab.coordinator_of("billing"),
    "lines like these": len(said),
    "generation": lab.at(lab.now_ms)["groups"]["billing"]["generation"],
}

# %% [markdown]
# A member needs its coordinator for nearly everything: joining, getting one's partitions,
# heartbeats, committed offsets read or written. Only reading goes on. The records of the group are
# in `__consumer_offsets`, on three brokers. So the next coordinator reads them and goes on with
# generation 1. Nobody had to join again.
#
# ## 3. Join, then sync
#
# A member does two things to get its partitions. It **joins**: "here I am, this is what I want to
# read". When the coordinator has everybody, it answers. Then the member **syncs**: "what is mine?"
# The members are m1 and m2, and they start together. How many JOIN_GROUP requests does m1 send
# before it gets its partitions? How many whole seconds does that take?

# %%
predict("07 join", join_requests=None, seconds=None)


# %% items="G30 N113"
def two_members(version="3.9", seed=3):
    lab = Lab(brokers=3, seed=seed, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=4)
    lab.place_coordinator("billing", broker=2)
    for name in ("m1", "m2"):
        lab.spawn(member, name, name=name)
    lab.run_for(ms=7_000)
    return lab


lab = two_members()
requests = lab.table("request.sent").query("who == 'm1'")
got = lab.table("assignment").query("who == 'm1'").at_ms.iloc[0]
truth("07 join", join_requests=int((requests.api == "JOIN_GROUP").sum()), seconds=int(got) // 1000)
sequence(lab, "m1", apis=("FIND_COORDINATOR", "JOIN_GROUP", "SYNC_GROUP"))

# %% [markdown] items="G17 G18"
# **Two** joins. A newcomer has no member id. The coordinator makes one, says MEMBER_ID_REQUIRED,
# and the client asks again with it. So a client that gives up after its first try leaves no ghost
# behind (KIP-394, brokers and clients from 2.2 on).
#
# **Six seconds.** The coordinator holds the second request back. A group that was empty waits three
# seconds for more members, `group.initial.rebalance.delay.ms`, and once more when somebody came
# meanwhile. Otherwise ten programs that start together would cause ten rebalances. From then on it
# does not wait three seconds; it waits until every member it knows has joined again.
#
# Then it answers all of them at once. It names the generation, the leader, and the strategy that
# all of them support. The lines of both, in order, cut off where they get long:


# %% items="G20 N114 N115"
def told(lab, *wanted, width=70):
    """Print the lines that hold one of these words: time, client, message."""
    for line in lab.lines().itertuples():
        message = line.message.split("] ", 1)[-1]
        if message.startswith(wanted):
            rest = "…" if len(message) > width else ""
            print(line.time[-12:], line.client, message[:width] + rest)


told(
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
# Both join. **The leader is the first member that the coordinator added**, here m2, by four
# milliseconds. Only the leader is told who else is there and what each wants to read. It deals, and
# its SYNC_GROUP carries the whole plan. The other's SYNC_GROUP carries nothing. The coordinator
# cuts the plan into pieces and answers each with its own. Then the group is stable.
#
# To the coordinator the plan is bytes. It does not read them.

# %% exercise="07.1"

# %% [markdown]
# ## 4. The leader's half
#
# Now you are the leader. An assignor is a function of two things: how many partitions each topic
# has, and what each member wants to read. In this lab you may hand a function of your own to the
# consumers, in place of a class name. It returns a dict: each member's list of `(topic, number)`.
# Here is a greedy one, everything for the member with the smallest id, and Range beside it:


# %%
def greedy(partitions, subscriptions):
    """partitions: {topic: how many}. subscriptions: {member id: [topic, ...]}."""
    first = min(subscriptions)
    return {
        first: [
            (topic, number) for topic in subscriptions[first] for number in range(partitions[topic])
        ]
    }


def shares(strategy, topics, members, seed=5):
    """{member: its partitions} when all have joined.

    topics: {name: how many partitions}; members: {name: the topics it reads}.
    """
    lab = Lab(brokers=3, seed=seed, version="3.9", broker_version="4.4")
    for topic, count in topics.items():
        lab.create_topic(topic, partitions=count)
    for name, wanted in members.items():
        lab.spawn(member, name, strategy, tuple(wanted), name=name)
    lab.run_for(ms=7_000)
    clients = lab.at(lab.now_ms)["clients"]
    return {name: " ".join(clients[name]["assignment"]) for name in members}


both = {"m1": ("orders",), "m2": ("orders",)}
{"greedy": shares(greedy, {"orders": 4}, both), "Range": shares("Range", {"orders": 4}, both)}

# %% [markdown]
# The broker did not object. It does not know what a fair plan is.

# %% exercise="07.2"

# %% [markdown] items="N41"
# Since each topic begins again with the first member, that one collects the extras of all topics.
# You met this in chapter 01: with topics of one, two and three partitions, Range keeps three
# members busy and not six. The other old assignor deals all topics as one pack.

# %% exercise="07.3"

# %% [markdown]
# ## 5. A bad leader
#
# What if the leader's program has a bug? Say its assignor gives every partition to *every* member.
# Twelve orders lie in the topic, two members read. How many records do they get in all?

# %%
predict("07 bad leader", records_read=None)


# %%
def everything_to_everybody(partitions, subscriptions):
    return {
        member: [(topic, number) for topic in topics for number in range(partitions[topic])]
        for member, topics in subscriptions.items()
    }


lab = Lab(brokers=3, seed=6, version="3.9", broker_version="4.4")
lab.create_topic("orders", partitions=4)
producer = KafkaProducer(lab, {"client.id": "shop"})
for number in range(12):
    producer.send(ProducerRecord("orders", partition=number % 4, value=f"order {number}"))
producer.close()
for name in ("m1", "m2"):
    lab.spawn(member, name, everything_to_everybody, name=name)
lab.run_for(ms=10_000)
truth("07 bad leader", records_read=len(lab.table("record.delivered")))
assignment_matrix(lab, "billing", title="a leader whose assignor is wrong")

# %% [markdown]
# Each partition has two owners. Every order was billed twice, and no line says so. "One owner for
# each partition" is not a law of the broker. It is what a well behaved leader does. One bad client
# is enough to spoil the group, and each language that wants to speak Kafka has to write these
# assignors once more, and get them right.
#
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It goes on past an exercise that is still open.
#
# ## 6. What moves?
#
# Range and RoundRobin know nothing of yesterday. Look at section 1 again: m4 came, and m3 lost both
# partitions that it had and got two others. **Sticky** assignors remember who owned what and move
# as little as balance allows. Why care? A member that gets a new partition must find its place, and
# whatever it kept in memory for the old one is of no use.
#
# The same story under four assignors: m4 comes, m2 goes. How many moves does each need? Range
# needed seven.

# %%
predict("07 moves", round_robin=None, sticky=None, cooperative_sticky=None)

# %%
strategies = ("Range", "RoundRobin", "Sticky", "CooperativeSticky")
pictures = {
    name: assignment_matrix(come_and_go(name), "billing", title=f"{name}Assignor")
    for name in strategies
}
count = {name: moved(picture) for name, picture in pictures.items()}
truth(
    "07 moves",
    round_robin=count["RoundRobin"],
    sticky=count["Sticky"],
    cooperative_sticky=count["CooperativeSticky"],
)
pictures["RoundRobin"]

# %%
pictures["CooperativeSticky"]

# %% [markdown]
# RoundRobin moved twelve times, sticky four. The last picture is CooperativeSticky's. It has one
# generation more, and in it two cells that belong to nobody. That is the **cooperative** protocol,
# which does it in two steps. In generation 2 the leader leaves out what is to move; m1 and m2 give
# up one partition each, and *keep the others*. Those two join again at once, the others when their
# next heartbeat tells them. So generation 3 comes three seconds later, and m4 gets the two. Range,
# RoundRobin and Sticky are **eager**: before each join every member gives up *everything*, also
# what it will get back.

# %% exercise="07.4"

# %% [markdown] items="N45"
# ## 7. Who stands still?
#
# "In a rebalance nobody reads" is the usual sentence. Let us measure it. Three members with nine
# partitions; m2 is slow and needs nine seconds of work between two polls. A member joins again only
# inside `poll`, and the coordinator waits for all. Then m4 comes. For how many seconds has a
# partition no owner? Add up all partitions: two that wait five seconds each make ten.

# %%
predict("07 standstill", eager_seconds=None, cooperative_seconds=None)


# %%
def newcomer_beside_a_slow_member(strategy, title, version="3.9", more=None):
    """m2 works nine seconds between two polls. m4 comes after 30 s."""
    lab = Lab(brokers=3, seed=3, version=version, broker_version="4.4")
    lab.create_topic("orders", partitions=9)
    for name, work_ms in (("m1", 0), ("m2", 9_000), ("m3", 0)):
        lab.spawn(member, name, strategy, ("orders",), work_ms, 900_000, more, name=name)
    lab.run_for(ms=30_000)
    lab.spawn(member, "m4", strategy, ("orders",), 0, 900_000, more, name="m4")
    lab.run_for(ms=25_000)
    return lab, ownership(lab, "billing", from_ms=28_000, title=title)


def seconds(picture):
    """The seconds that an ownership picture counts."""
    return round(float(re.search(r"without an owner for ([\d.]+) s", picture.alt)[1]))


_, eager = newcomer_beside_a_slow_member("Range", "Range, eager: m4 comes at 30 s")
_, cooperative = newcomer_beside_a_slow_member("CooperativeSticky", "cooperative: m4 comes at 30 s")
truth("07 standstill", eager_seconds=seconds(eager), cooperative_seconds=seconds(cooperative))
eager

# %%
cooperative

# %% [markdown]
# In the first picture m1 and m3 heard of the newcomer by a heartbeat, gave up all they had, and
# then stood and waited: for m2, which was busy with its work. Six partitions had no reader for that
# long, 6.6 seconds each. The join is a **barrier**, and the slowest member sets the pace for all.
#
# In the second picture seven of nine partitions were read all the time. The two that move pay for
# the second round, which waits for m2 once more. So the sentence is true for the eager assignors.
# In a cooperative rebalance the others read on.

# %% [markdown] items="G24 N44"
# ## 8. What starts a rebalance?
#
# Five things: a member joins; a member leaves; a member crashes; a member subscribes to other
# topics or to none; a topic gets more partitions. Which of them takes the group longest to notice,
# when all settings are left as they are? Answer `"join"`, `"leave"`, `"crash"`, `"unsubscribe"` or
# `"partitions"`.

# %%
predict("07 triggers", slowest=None)


# %%
def unsubscriber(lab, name):
    """Reads for 20 s, and then wants nothing any more."""
    consumer = KafkaConsumer(lab, {"group.id": "billing", "client.id": name}, name=name)
    consumer.subscribe(["orders"])
    while lab.now_ms < 20_000:
        consumer.poll(timeout_ms=200)
    consumer.unsubscribe()


def settled_after(what):
    """Milliseconds from an event at 20 s to the next stable generation."""
    lab = Lab(brokers=3, seed=4, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=6)
    lab.spawn(member, "m1", name="m1")
    if what == "unsubscribe":
        lab.spawn(unsubscriber, "m2", name="m2")
    else:
        stays_ms = 20_000 if what == "leave" else 900_000
        lab.spawn(member, "m2", "Range", ("orders",), 0, stays_ms, name="m2")
    lab.run_for(ms=20_000)
    if what == "join":
        lab.spawn(member, "m3", name="m3")
    elif what == "crash":
        lab.kill("m2")
    elif what == "partitions":
        more = {"orders": NewPartitions.increase_to(8)}
        KafkaAdminClient(lab, {}).create_partitions(more).all().get()
    lab.run_for(ms=300_000 if what == "partitions" else 60_000)
    states = lab.table("state").query("machine == 'group' and at_ms > 20_000")
    stable = states[states.after == "Stable"]
    return int(stable.at_ms.iloc[0]) - 20_000


events = ("join", "leave", "crash", "unsubscribe", "partitions")
took_ms = {what: settled_after(what) for what in events}
truth("07 triggers", slowest=max(took_ms, key=took_ms.get))
took_ms

# %% [markdown] items="N106"
# A crash is silent: the coordinator waits 45 seconds for a heartbeat, `session.timeout.ms`. More
# partitions take longest, since no heartbeat tells of them. Only the leader compares the partitions
# it has dealt with those in its metadata, and it asks for metadata every five minutes,
# `metadata.max.age.ms`. Until then nobody reads the new partitions.
#
# How do the *others* learn that somebody came or went? Nobody calls them. They ask: a member sends
# a heartbeat every three seconds, and the answer may hold error 27, REBALANCE_IN_PROGRESS. Here is
# such an answer, and what the members write when they get one:

# %% items="N108"
lab = come_and_go()
answers = lab.lines("m1").message
told_so = answers[answers.str.contains("Received HEARTBEAT.*errorCode=27")]
print(told_so.iloc[0].split("): ")[-1])
told(lab, "Request joining group due to: group is already rebalancing")

# %% [markdown] items="N48 N49 N107"
# Heartbeats have a thread of their own since 0.10.1 (KIP-62). Before, the polling thread sent them,
# so slow work looked like a crash. Now two clocks run. A member that sends no heartbeat for
# `session.timeout.ms` is thrown out. A member that sends heartbeats but does not poll for
# `max.poll.interval.ms`, five minutes, leaves by itself. Two kinds of rebalance are therefore
# avoidable:
#
# - **Late heartbeats.** Leave room for some to be lost: `session.timeout.ms` at least three times
#   `heartbeat.interval.ms`.
# - **Slow work.** Give `max.poll.interval.ms` more time than your slowest batch, or take fewer
#   records in a poll. Chapter 10 does the sums.
#
# And a third: **restarts**. A program is updated: it closes, and starts again three seconds later.
# Two members, m2 restarts. How many new generations does that cost? And how many, if its members
# have a `group.instance.id`, that is, are **static members**?

# %%
predict("07 restart", dynamic=None, static=None)


# %%
def restart(static):
    lab = Lab(brokers=3, seed=8, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=6)
    named = lambda name: {"group.instance.id": name} if static else {}
    lab.spawn(member, "m1", "Range", ("orders",), 0, 900_000, named("first"), name="m1")
    lab.spawn(member, "m2", "Range", ("orders",), 0, 20_000, named("second"), name="m2")
    lab.run_for(ms=23_000)
    lab.spawn(member, "m2", "Range", ("orders",), 0, 900_000, named("second"), name="m2 again")
    lab.run_for(ms=20_000)
    return lab


lab = restart(static=True)
again = {
    name: one.at(one.now_ms)["groups"]["billing"]["generation"] - 1
    for name, one in (("dynamic", restart(static=False)), ("static", lab))
}
truth("07 restart", **again)
ownership(lab, "billing", title="m2 is a static member and restarts at 20 s")

# %% [markdown]
# A static member sends no LEAVE_GROUP. Its name stays in the group until `session.timeout.ms` is
# over. A process that comes back under that name in time gets the same partitions again. Nobody
# else hears of it (KIP-345, from 2.3 on). The price is in the picture: for three seconds nobody
# read m2's partitions.
#
# ## 9. The broker deals again
#
# KIP-848 gave the work back to the coordinator. It is the protocol that clients 4.0 play with
# `group.protocol=consumer`. There is no join, no sync and no leader: each member sends one kind of
# request, CONSUMER_GROUP_HEARTBEAT, and the coordinator answers with what this member should give
# up or take. Members move to the target one by one. Here is section 7 once more: m2 is slow, m4
# comes. How many JOIN_GROUP requests are sent? And how many of the nine partitions lose their owner
# for a while?

# %%
predict("07 new protocol", join_requests=None, partitions_without_owner=None)

# %%
lab, new = newcomer_beside_a_slow_member(
    None, "KIP-848: m4 comes at 30 s", version="4.4", more={"group.protocol": "consumer"}
)
kinds = lab.table("request.sent").query("who in ['m1', 'm2', 'm3', 'm4']").api
without = {line.split()[0] for line in new.text.splitlines() if line.endswith("nobody")}
truth(
    "07 new protocol",
    join_requests=int((kinds == "JOIN_GROUP").sum()),
    partitions_without_owner=len(without),
)
new

# %%
print(kinds.value_counts().to_dict())
assignment_matrix(lab, "billing", title="what the coordinator wanted, epoch by epoch")

# %% [markdown]
# No barrier: m1 and m3 read on. The coordinator did not wait for the slow m2 to deal; only the
# partition that m2 owed to m4 had to wait for it. The gaps that are left are m4's: it hears of a
# partition that has become free with its next heartbeat, every five seconds.
#
# The generations are called epochs now, and each member has one of its own. An empty group has
# epoch 1, and each member that comes adds one. In epochs 1 and 3 nothing was dealt, so they have no
# column: a coordinator deals at most once a second (KIP-1263). Three members came nearly at once.
# m2 was the first and was given everything, and m1 and m3 had to wait for a heartbeat of theirs, at
# 5 s.

# %% [markdown]
# ## 10. Bug hunt
#
# The coordinator chooses a strategy that *all* members support. A newcomer that shares no strategy
# with those who are there is refused.

# %% exercise="07.5"

# %% [markdown]
# ## 11. The real thing beside it
#
# A recording of two real Java consumers 2.8.2 with the cooperative assignor on a topic of four
# partitions: `inv-2` comes, and later `inv-1` closes. The lines of both, beside the simulator's.
# Member ids are made by chance; they are cut off after the client's name.

# %%
import json
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read as read_log
from kafkalab.proof.replay import replay

project = course_folder()
recording = project / "data/recordings/4.4.0/2.8.2/group_cooperative"
played = replay(json.loads((recording / "scenario.json").read_text()), seed=1)
folder = project / "data/generated/chapter07"
folder.mkdir(parents=True, exist_ok=True)


def group_lines(path):
    """What one client says of joining, dealing, giving up and taking over."""
    wanted = (
        "JoinGroup failed due to non-fatal",
        "Successfully joined",
        "Finished assignment",
        "Revoke previously",
        "Adding newly",
        "Attempt to heartbeat failed",
    )
    texts = [row.text for row in read_log(path) if row.text.startswith(wanted)]
    return [re.sub(r"(inv-\d)-[0-9a-f-]{36}", r"\1", text) for text in texts]


for name in ("inv-1", "inv-2"):
    (folder / f"{name}.txt").write_text(played[name])
real = group_lines(recording / "inv-1.log.gz") + group_lines(recording / "inv-2.log.gz")
ours = group_lines(folder / "inv-1.txt") + group_lines(folder / "inv-2.txt")
side_by_side(real, ours, titles=("Java consumers 2.8.2", "simulator"))

# %% [markdown]
# Each member joins twice at first, with MEMBER_ID_REQUIRED in between; there is a leader that deals
# twice, with an empty share for `inv-2` in between; and only what moves is revoked.

# %% [markdown]
# ## 12. Spark lab: what a rebalance costs
#
# Four groups, A to D, have nine partitions each and three members. In group A they deal by
# `n.A.strategy`, and m2 works `n.A.work_ms` milliseconds between two polls. m4 comes after thirty
# seconds, m1 closes after forty-five. We keep the lines of all members, in files called `A-m1.log`
# and so on.

# %%
n = numbers("07.6")
n


# %%
def shift(group):
    """Seventy-five seconds of one group."""
    lab = Lab(brokers=1, seed=9, version="3.9", broker_version="4.4")
    lab.create_topic("orders", partitions=9)
    for name, work_ms, stays_ms in (
        ("m1", 0, 45_000),
        ("m2", group.work_ms, 900_000),
        ("m3", 0, 900_000),
    ):
        lab.spawn(member, name, group.strategy, ("orders",), work_ms, stays_ms, name=name)
    lab.run_for(ms=30_000)
    lab.spawn(member, "m4", group.strategy, name="m4")
    lab.run_for(ms=45_000)
    return lab


# %%
logs = folder / "shifts"
logs.mkdir(exist_ok=True)
for name, group in n.items():
    lab = shift(group)
    for client in ("m1", "m2", "m3", "m4"):
        (logs / f"{name}-{client}.log").write_text(lab.log_text(client))
lab.lines("m1").query("message.str.contains('Revoke previously')").message.tolist()

# %% [markdown]
# A partition that is given up stands in a line "Revoke previously assigned partitions", and one
# that is taken over in a line "Adding newly assigned partitions". Spark makes a row of each.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import Window, functions as F

spark = logsets.session()
lines = logsets.read(spark, str(logs))
said = r"(Revoke previously|Adding newly) assigned partitions:? ?(.*)"
changes = (
    lines.where(F.col("message").rlike(said))
    .where("level = 'INFO'")
    .select(
        F.regexp_extract("file", r"(\w)-m\d", 1).alias("group"),
        "client_id",
        F.unix_millis("time").alias("at_ms"),
        F.regexp_extract("message", said, 1).alias("what"),
        F.explode(F.split(F.regexp_extract("message", said, 2), ", ")).alias("partition"),
    )
    .where("partition != ''")
)
changes.orderBy("group", "at_ms", "partition").limit(6).toPandas()

# %% exercise="07.6"

# %% [markdown]
# ## 13. In your own words
#
# Where the partitions were dealt, in four steps of history:
#
# | Years | Who deals | What was wrong with it |
# |---|---|---|
# | until 0.8 | every consumer for itself, by watching ZooKeeper | Each change woke up all of them at once, a *herd*; and two could see different worlds, *split brain*. ZooKeeper carried the load. |
# | early designs of 0.9 | the broker | Work for the server, and a new strategy meant new server code. |
# | 0.9 to today, "classic" | a client, the group leader | You have seen it: sections 5 and 7. |
# | 4.0, KIP-848 | the coordinator, step by step | The newest; not every client library has it yet. |

# %% exercise="07.open"

# %% [markdown]
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | In a rebalance all members stop. | With an eager assignor. Cooperative ones came with 2.4 (KIP-429); KIP-848 has no barrier at all. | sections 7, 9 |
# | A member joins once. | Twice, from 2.2 on: the first answer is MEMBER_ID_REQUIRED (KIP-394). | `two_members("2.1")` and `"3.9"` |
# | Partitions are dealt by a consumer, for good. | By the coordinator for members with `group.protocol=consumer`, ready since 4.0 (KIP-848). | section 9 |
# | Every restart rebalances. | Not of a static member, `group.instance.id`, from 2.3 on (KIP-345). | section 8 |
# | As many members as there are partitions, over all topics, are ideal. | With RoundRobin or a sticky assignor. Range keeps only as many busy as the largest topic has. | chapter 01, section 4 |
# | The coordinator is `Math.abs(groupId.hashCode() % 50)`. | `Utils.abs(hash) % 50`. It differs for one hash only; `GroupMetadataManager.partitionFor`. | section 2 |
# | The default strategy is Range. | From 3.0 on the list is Range and cooperative-sticky, and it still deals by Range (KAFKA-13023). | `Lab(version="3.9")`, the first line of a consumer |
# | `session.timeout.ms` is 10 s. | 45 s since 3.0 (KIP-735). | `Lab(version="2.8")` |
# | The request is GroupCoordinatorRequest. | FIND_COORDINATOR, since 0.11; it finds transactions' coordinators, too. | sections 2, 3 |
#
# ## What you know now
#
# - The coordinator knows who is a member. The leader, a client, knows who gets what. Nobody checks
#   the leader.
# - Join, wait for all, deal, sync. Each round is a generation.
# - Eager members give up everything before a join; cooperative ones only what moves; with KIP-848
#   there is no join.
# - Heartbeats carry the news. A crash is noticed late, new partitions latest.
#
# **Words**: rebalance 重平衡 · generation 代 · group leader 组领导者 · assignor 分配器 · eager
# 急切式 · cooperative 协作式 · static member 静态成员
#
# ### Do you remember?
#
# <details><summary>1. Chapter 01: five members, three partitions of one topic. How many
# read?</summary>Three. A partition has one owner, and two members wait for somebody to
# leave.</details>
# <details><summary>2. Chapter 03: why does the coordinator have a connection of its own?</summary>A
# broker answers the requests of one connection in order. A heartbeat must not stand behind a long
# FETCH.</details>
# <details><summary>3. Chapter 04: a topic gets more partitions. What happens to its
# keys?</summary>Most of them move: the partition is the rest of a division by the number of
# partitions.</details>
