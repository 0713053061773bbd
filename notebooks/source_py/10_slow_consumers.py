# %% [markdown]
# # 10 · What happens to a consumer that works too long?
#
# A consumer reads a batch of orders and writes each into a database. The database is slow today.
# Nothing crashes. Every heartbeat is answered. And yet, some minutes later, the program hears that
# it is not a member of its group any more, and that all its work counts for nothing.
#
# **You need** chapters 05, 07 and 09: a *group* gives each partition to one member, a *heartbeat*
# says "I am alive", a *commit* writes down the next offset to be read. **You get** six words: *poll
# interval*, *eviction*, *head of line*, *standalone consumer*, *worker pool*, *contiguous commit*.
# **Time** about 35 minutes up to section 8, and a second sitting of 20 for the Spark lab and your
# own words.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import (
    CommitFailedException,
    ConcurrentModificationException,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
    WorkerPool,
)
from kafkalab.views import group_timeline, poll_gap, side_by_side, worker_lanes
from textwrap import shorten

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# Two members, ada and bo, share the two partitions of `orders`. Each order takes two seconds.
# `poll()` returns at most `max.poll.records`, and that is 500. All settings are the defaults, only
# the commits are made by hand, after each batch. After how many minutes is ada no member any more?
# How many orders are committed after one hour?

# %%
predict("10 an hour of work", minutes=None, committed=None)


# %% items="N66"
def shop(lab, orders):
    """Write some orders."""
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(orders):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
    producer.close()


def member(lab, name, record_ms, **config):
    """Start a program: poll, work on every order, commit, for ever. Return its notes."""
    notes = {"done": [], "failed": []}

    def program(lab):
        consumer = KafkaConsumer(
            lab,
            {
                "client.id": name,
                "group.id": "stock",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                **config,
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        while True:
            records = consumer.poll(timeout_ms=500)
            for record in records:
                lab.sleep(record_ms)
                notes["done"].append((record.partition, record.offset))
            try:
                if len(records):
                    consumer.commit_sync()
            except CommitFailedException as error:
                notes["failed"].append(error)

    lab.spawn(program, name=name)
    return notes


def committed(lab, group="stock"):
    """How many orders the group has committed, over all partitions."""
    offsets = lab.at(lab.now_ms)["groups"][group].get("offsets", {})
    return sum(each["offset"] for each in offsets.values())


# %%
lab = Lab(seed=1)
lab.create_topic("orders", partitions=2)
shop(lab, 2000)
ada, bo = member(lab, "ada", record_ms=2000), member(lab, "bo", record_ms=2000)
lab.run_for(ms=60 * 60_000)

warned = lab.lines("ada").query("level == 'WARN'")
truth("10 an hour of work", minutes=warned.at_ms.iloc[0] // 60_000, committed=committed(lab))
poll_gap(lab, "ada", to_ms=18 * 60_000, title="ada: a batch of 500 orders, two seconds each")

# %% [markdown]
# The line climbs while ada works and falls when she polls. 500 orders of two seconds are 1000
# seconds. The dashed line is `max.poll.interval.ms`, five minutes. Where the two cross, ada's own
# client gives her membership up. Losing it like this is called **eviction**, even though she leaves
# by herself. The longest time allowed between two polls is the **poll interval**. Look at the
# heartbeats below: not one is missing before that moment. They end *because* she has left.
#
# And the hour?

# %%
done = ada["done"] + bo["done"]
print(
    f"{len(done)} times an order was done, {len(set(done))} different orders, "
    f"{committed(lab)} committed"
)
group_timeline(lab, "stock")

# %% [markdown]
# Both work all the time. After five minutes both are out, and the group is empty while they go on
# working. They come back with their next `poll()`, find nothing committed, and are given the same
# orders again. The first number above counts every round of the same work. This group can run for a
# year and get nowhere. (A red cross stands where a member was seen last. Both programs are alive
# and at work after it.)
#
# ## 2. Two clocks
#
# Two clocks watch a member, and they ask different questions.
#
# | | Asks | Limit | Who watches | Who puts the member out |
# |---|---|---|---|---|
# | session clock | Is the process alive? | `session.timeout.ms`, 45 s | the coordinator, by the heartbeats | the coordinator |
# | poll clock | Does the application come back for more? | `max.poll.interval.ms`, 300 s | the client's heartbeat thread | the member itself, with a LeaveGroup |
#
# A program with `session.timeout.ms` of 10 seconds works for 60 seconds without a poll. A second
# one stands still for 60 seconds, as in a very long garbage collection: no thread of the process
# runs. Which of them is still a member after a minute? Answer `True` or `False`.

# %%
predict("10 alive or not", works=None, stands_still=None)


# %% items="N107"
def minute_away(stands_still):
    """The lab, and whether ada is a member after a minute without a poll."""
    lab, trouble = Lab(seed=7), []
    lab.create_topic("orders")

    def program(lab):
        consumer = KafkaConsumer(
            lab, {"client.id": "ada", "group.id": "stock", "session.timeout.ms": 10_000}, name="ada"
        )
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=500)
            if lab.now_ms > 20_000 and not trouble:
                trouble.append(lab.now_ms)
                if not stands_still:
                    lab.sleep(60_000)

    app = lab.spawn(program, name="ada")
    lab.run_until(lambda: trouble)
    if stands_still:
        app.pause(60_000)
    lab.run_for(ms=59_000)  # just before the minute is over
    members = lab.at(lab.now_ms)["groups"]["stock"]["members"]
    return lab, len(members) > 0


busy, busy_stays = minute_away(stands_still=False)
still, still_stays = minute_away(stands_still=True)
truth("10 alive or not", works=busy_stays, stands_still=still_stays)
poll_gap(busy, "ada", title="ada works for a minute; her session timeout is 10 s")

# %%
poll_gap(still, "ada", title="ada's process stands still for a minute")

# %% [markdown]
# Work does not stop heartbeats. They come from a thread of their own, which beats on while the
# application is busy. So a longer `session.timeout.ms` does nothing for slow work. A process that
# stands still sends none, and for that the session timeout is right. (The second picture shows the
# client's side, and the client cannot know. The coordinator put ada out ten seconds after her last
# heartbeat.)
#
# It was not always so. Before 0.10.1 the heartbeats were sent inside `poll()`, and slow work did
# stop them. `max.poll.interval.ms` and the heartbeat thread came together, with KIP-62. Many pages
# on the web are older than that.

# %% exercise="10.1"

# %% [markdown] items="N65"
# ## 3. What the commit says
#
# Back to the program that works too long, with shorter times: the poll interval is 5 seconds, a
# poll returns one order, and one order takes 6. Ada is alone in her group. When the first order is
# done she commits, and the commit fails. How many OFFSET_COMMIT requests have left her client by
# then?

# %%
predict("10 the late commit", requests=None)


# %%
def late_commit(version):
    """A lab in which ada's first commit fails, and the error."""
    lab = Lab(seed=2, version=version)
    lab.create_topic("orders")
    shop(lab, 10)
    notes = member(
        lab, "ada", record_ms=6_000, **{"max.poll.interval.ms": 5_000, "max.poll.records": 1}
    )
    lab.run_until(lambda: notes["failed"])
    return lab, notes["failed"][0]


lab, error = late_commit("3.9")
asked = lab.table("request.sent").query("who == 'ada' and api == 'OFFSET_COMMIT'")
truth("10 the late commit", requests=len(asked))
error

# %% [markdown]
# None. The client knows that it has left, for it said so itself. It does not even ask. Here is the
# whole story in its own lines:


# %%
def story(lab, after_ms):
    """What the client wrote at WARN and INFO, the long lines cut."""
    rows = lab.lines("ada").query("at_ms > @after_ms and level in ('WARN', 'INFO')")
    for row in rows.itertuples():
        said = shorten(row.message.split("] ", 1)[1], width=84, placeholder=" …")
        print(f"{row.at_ms:>6} ms  {row.level}  {said}")


lab.run_for(ms=200)
story(lab, after_ms=8_000)

# %% [markdown]
# Poll timeout, LeaveGroup, and only then, with the next call, the failing commit. Then the
# partitions are *lost*, not revoked: it is too late to commit them in a rebalance listener. With
# the next `poll()` she joins again.
#
# The exception's text depends on the version. Here is the same program with an older client:

# %%
lab, error = late_commit("2.3")
error

# %% [markdown]
# "Assigned the partitions to another member": nobody else is in this group. The text guesses. The
# newer one is more careful. Both texts are in current clients: the long one is said when the
# coordinator refuses a commit, the short one when the client does not ask.
#
# ### The real thing
#
# A real Java consumer 3.9.2, alone in its group, with a poll interval of 4 seconds, worked for 7.
# Its log on the left; the same steps played by the simulator on the right. Member ids are drawn by
# chance, so they are left out.

# %%
import json
import re
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read as read_log
from kafkalab.proof.replay import replay

project = course_folder()
recording = project / "data/recordings/4.4.0/3.9.2/group_slow_poll"
scenario = json.loads((recording / "scenario.json").read_text())
folder = project / "data/generated/chapter10"
folder.mkdir(parents=True, exist_ok=True)
(folder / "played.txt").write_text(replay(scenario, seed=4)["inv-1"])


def told(path):
    """What the member says from its poll timeout to its next assignment."""
    rows = [row for row in read_log(path) if row.level in ("WARN", "INFO")]
    whole = [
        re.sub(r"inv-1-[0-9a-f-]{36}", "inv-1-..", row.text.split("] ", 1)[-1]) for row in rows
    ]
    said = [shorten(text, width=95, placeholder=" …") for text in whole]
    begin = next(at for at, text in enumerate(said) if "poll timeout has expired" in text)
    end = next(at for at, text in enumerate(said) if at > begin and "Adding newly" in text)
    return said[begin : end + 1]


side_by_side(
    told(recording / "inv-1.log.gz"),
    told(folder / "played.txt"),
    titles=("Java consumer 3.9.2", "simulator"),
)

# %% [markdown]
# ## 4. Four cures and their arithmetic
#
# All that happens between two polls has to fit into the poll interval. So there are four ways:
#
# | Cure | What you change | What it costs |
# |---|---|---|
# | 1. Work faster. | 50 ms an order instead of 100: twice the throughput. | Programming. |
# | 2. Raise `max.poll.interval.ms`. | 500 orders of 2 s need more than 1000 s. | See below: the whole group waits longer. |
# | 3. Lower `max.poll.records`. | 300 s hold 150 orders of 2 s. | Nearly nothing: what was fetched waits in the client. |
# | 4. Hand the work to other threads. | `poll()` goes on while they work. | Order and commits become your business: section 6. |
#
# The third is the simplest. A well known page says: 150 records or fewer, since 150 times 2 s are
# 300 s. Try just that. In the first run every order takes 2 s. In the second run one order of four
# hundred takes 5 s, once. Does ada stay a member?

# %%
predict("10 with 150 records", all_2_s=None, one_takes_5_s=None)


# %% items="N67 N68 N69 N71"
def with_150(hiccup):
    lab = Lab(seed=2)
    lab.create_topic("orders")
    shop(lab, 1000)

    def program(lab):
        consumer = KafkaConsumer(
            lab,
            {
                "client.id": "ada",
                "group.id": "stock",
                "auto.offset.reset": "earliest",
                "max.poll.records": 150,
            },
            name="ada",
        )
        consumer.subscribe(["orders"])
        while True:
            for record in consumer.poll(timeout_ms=500):
                lab.sleep(5_000 if hiccup and record.offset == 400 else 2_000)

    lab.spawn(program, name="ada")
    lab.run_for(ms=16 * 60_000)
    return lab, not lab.lines("ada").level.eq("WARN").any()


exact, exact_stays = with_150(hiccup=False)
late, late_stays = with_150(hiccup=True)
truth("10 with 150 records", all_2_s=exact_stays, one_takes_5_s=late_stays)
poll_gap(late, "ada", title="150 orders of 2 s in 300 s, and one that takes 5 s")

# %% [markdown]
# Twice ada touched the line, and came through by a few milliseconds: her client looks at its clock
# ten times a second, and the poll came first. The third time one slow order was enough. The
# reckoning was right, but it left no slack. Databases have bad days: reckon with the slowest batch,
# and leave room. And count all that lies between two polls. The commit does, too.
#
# ### The price of the second cure
#
# Why not set the interval to an hour and be done? Ada works on a batch of 1000 seconds, one order
# after the other. Twenty seconds later bo comes to help her. A new member means a rebalance, and a
# rebalance of the classic protocol waits for all members to come back with `poll()`. How long does
# bo wait for a partition, in seconds, rounded to ten? Once with a poll interval of 300 s, once with
# 1200 s.

# %%
predict("10 bo waits", with_300=None, with_1200=None)


# %%
def newcomer(limit_s):
    """Seconds that bo waits for a partition."""
    lab = Lab(seed=2)
    lab.create_topic("orders", partitions=2)
    shop(lab, 4000)
    for name in ("ada", "bo"):
        member(lab, name, record_ms=2_000, **{"max.poll.interval.ms": limit_s * 1000})
        if name == "ada":
            lab.run_for(ms=20_000)
    came_ms = lab.now_ms
    lab.run_for(ms=1_080_000)
    served_ms = next(event.at_ms for event in lab.journal.of("assignment") if event.who == "bo")
    return lab, (served_ms - came_ms) // 1000


quick, with_300 = newcomer(300)
slow, with_1200 = newcomer(1200)
truth("10 bo waits", with_300=round(with_300, -1), with_1200=round(with_1200, -1))
group_timeline(slow, "stock", title="a limit of 1200 s: bo waits for ada's next poll")

# %% [markdown]
# The poll interval is also the *rebalance timeout*: so long may a member keep all others waiting.
# (The steps in bo's row: the coordinator lets a newcomer wait for five minutes at most, then it has
# to ask again.) With 1200 s ada keeps her membership, and bo pays for it. A limit that is never
# reached also never finds the program that hangs for ever while its heartbeats go on.

# %% exercise="10.2"

# %% [markdown] items="N72"
# ## 5. A stranger with the group's name
#
# There is a second way to a CommitFailedException, and it has nothing to do with time. A
# **standalone consumer** chooses its partitions itself, with `assign()`. It joins no group and
# never rebalances. To commit it needs a `group.id` all the same, since commits are kept by group.
#
# A colleague writes a script that repairs some orders by night, with `assign()`, and copies
# `group.id=stock` from the program that reads them by day. The script seeks to 40, works, and
# commits. Once while the group has a member, once when it has none any more. What comes of the two
# commits: `"committed"` or `"CommitFailedException"`?

# %%
predict("10 the script", with_a_member=None, group_empty=None)

# %% items="N73"
ORDERS = TopicPartition("orders", 0)


def script(lab, to, group="stock"):
    """A standalone consumer commits. What comes of it?"""
    consumer = KafkaConsumer(lab, {"group.id": group}, name="script")
    consumer.assign([ORDERS])
    consumer.seek(ORDERS, to)
    try:
        consumer.commit_sync()
        return "committed"
    except CommitFailedException as error:
        return type(error).__name__


def night(member_is_there):
    lab = Lab(seed=2)
    lab.create_topic("orders")
    shop(lab, 100)
    member(lab, "ada", record_ms=1, **{"session.timeout.ms": 10_000})
    lab.run_for(ms=10_000)
    if not member_is_there:
        lab.kill("ada")
        lab.run_for(ms=20_000)
    return {"before": committed(lab), "the script": script(lab, to=40), "after": committed(lab)}


by_day, by_night = night(member_is_there=True), night(member_is_there=False)
truth("10 the script", with_a_member=by_day["the script"], group_empty=by_night["the script"])
{"by day": by_day, "by night": by_night}

# %% [markdown]
# While the group has members, only they may commit. The script is no member, so the coordinator
# answers UNKNOWN_MEMBER_ID, at once. When the group is empty, anybody may: that is how standalone
# consumers commit at all. And then it is worse than an exception. The group's bookmark stood
# at 100. Now it stands at 40, and tomorrow the group reads sixty orders again. Give every program a
# `group.id` of its own.

# %% exercise="10.3"

# %% [markdown] items="N70 N74 N75"
# ## 6. More threads: two designs
#
# The fourth cure is more threads. There are two ways to use them.
#
# - **A consumer per thread.** Every thread has a KafkaConsumer of its own and does everything:
#   poll, work, commit.
# - **A poller and a pool.** One thread polls. It puts each record into a queue and goes on polling.
#   A **worker pool**, some threads that wait at this queue, does the work.
#
# Four partitions with 100 orders each. Most orders take 30 ms, every seventh 170, so 50 on the
# average. You have eight threads. How many seconds does each design need, from the first order to
# the last? Round to whole seconds.

# %%
predict("10 eight threads", consumer_per_thread=None, poller_and_pool=None)


# %%
def orders_in(partitions, each, seed=6):
    lab = Lab(seed=seed)
    lab.create_topic("orders", partitions=partitions)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(partitions * each):
        record = ProducerRecord("orders", partition=number % partitions, value="tea")
        producer.send(record)
    producer.close()
    return lab


def subscribed(lab, name):
    consumer = KafkaConsumer(
        lab,
        {
            "client.id": name,
            "group.id": "stock",
            "auto.offset.reset": "earliest",
            "enable.auto.commit": False,
        },
        name=name,
    )
    consumer.subscribe(["orders"])
    return consumer


def takes_ms(record):
    """Most orders are quick, every seventh is slow: 50 ms on the average."""
    return 170 if record.offset % 7 == 3 else 30


def per_thread(threads):
    lab, done = orders_in(4, 100), []

    def thread(lab, name):
        consumer = subscribed(lab, name)
        while True:
            for record in consumer.poll(timeout_ms=200):
                lab.sleep(takes_ms(record))
                done.append((lab.now_ms, name, record.partition, record.offset))
            consumer.commit_sync()

    for number in range(threads):
        lab.spawn(thread, f"thread-{number}", name=f"thread-{number}")
    lab.run_until(lambda: len(done) == 400)
    return lab, done


def with_pool(workers):
    lab, done = orders_in(4, 100), []

    def work(record):
        lab.sleep(takes_ms(record))
        done.append((lab.now_ms, "a worker", record.partition, record.offset))

    def poller(lab):
        consumer, pool = subscribed(lab, "ada"), WorkerPool(lab, workers, work, "ada")
        while True:
            for record in consumer.poll(timeout_ms=200):
                pool.submit(record)

    lab.spawn(poller, name="ada")
    lab.run_until(lambda: len(done) == 400)
    return lab, done


def overtaken(done):
    """How many orders were done after a later one of the same partition."""
    count, highest = 0, {}
    for _, _, partition, offset in done:
        count += offset < highest.get(partition, -1)
        highest[partition] = max(offset, highest.get(partition, -1))
    return count


def summary(done, threads_busy):
    began_ms = done[0][0] - 30  # the first order took 30 ms
    return {
        "seconds": round((done[-1][0] - began_ms) / 1000),
        "threads that worked": threads_busy,
        "orders that were overtaken": overtaken(done),
    }


eight, done_by_eight = per_thread(8)
pooled, done_by_pool = with_pool(8)
in_threads = summary(done_by_eight, len({name for _, name, _, _ in done_by_eight}))
in_pool = summary(done_by_pool, len({event.worker for event in pooled.journal.of("work")}))
truth(
    "10 eight threads",
    consumer_per_thread=in_threads["seconds"],
    poller_and_pool=in_pool["seconds"],
)
{"a consumer per thread": in_threads, "a poller and a pool": in_pool}

# %% [markdown]
# The first design is as fast as its partitions: four threads work, four own nothing and wait. The
# second has no such limit. But look at the last row. A worker with a quick order overtakes one with
# a slow order, and the partition's order is gone. If "cancelled" may not overtake "ordered", that
# matters. (A middle way: give all orders of one key to the same worker.)
#
# | | a consumer per thread | a poller and a pool |
# |---|---|---|
# | Order within a partition | kept | lost, unless you see to it |
# | How far it scales | to the number of partitions | the work scales on its own |
# | Slow work | holds up `poll()`: eviction | does not; but then the queue grows |
# | Commit | after the batch, simple | which offset? That is section 7 |
# | Connections and memory | one set for each consumer | one set |
#
# What nobody may do is share one consumer among threads. Suppose a worker of the pool commits for
# itself, while the poller is inside `poll()`. What comes of it: `"committed"`, `"waits"` or
# `"refused"`?

# %%
predict("10 a worker commits", what_comes_of_it=None)

# %% items="G21"
lab, heard = orders_in(1, 5), []


def poller(lab):
    consumer = subscribed(lab, "ada")

    def store_and_commit(record):
        lab.sleep(30)
        try:
            consumer.commit_sync()
        except ConcurrentModificationException as error:
            heard.append(error)

    pool = WorkerPool(lab, 2, store_and_commit, "ada")
    while True:
        for record in consumer.poll(timeout_ms=200):
            pool.submit(record)


lab.spawn(poller, name="ada")
lab.run_for(ms=5_000)
truth("10 a worker commits", what_comes_of_it="refused" if heard else "committed")
heard[0]

# %% [markdown]
# A KafkaConsumer is not thread-safe, and it says so: it has no lock on which the second thread
# would wait, only a check that throws. The one exception is `wakeup()`. (A KafkaProducer is
# thread-safe, and one for all threads is the rule. Texts that speak of "a KafkaProducer for each
# thread" of a consumer program mean KafkaConsumer.)
#
# ## 7. The commit of a pool
#
# So the poller commits. The simplest way is `commit_sync()` after each poll, as ever. Look what it
# promises. One partition, three workers, and ada's process is killed in the middle. A box is an
# order in a worker's hands; a dashed one is never finished.


# %% items="N28"
def pool_program(lab, name, commits):
    """Poll and hand out. After each poll `commits(consumer)`."""
    consumer = subscribed(lab, name)
    pool = WorkerPool(lab, 3, lambda record: lab.sleep(takes_ms(record) * 4), name)
    while True:
        for record in consumer.poll(timeout_ms=150):
            pool.submit(record)
        commits(consumer)
        lab.sleep(100)


def trickle(lab):
    producer = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 0})
    for number in range(60):
        producer.send(ProducerRecord("orders", value="tea"))
        lab.sleep(70)


lab = Lab(seed=8)
lab.create_topic("orders")
lab.spawn(pool_program, "ada", lambda consumer: consumer.commit_sync(), name="ada")
lab.run_for(ms=2_900)
lab.spawn(trickle, name="shopper")
lab.run_for(ms=2_200)
lab.kill("ada")
worker_lanes(lab, "ada", from_ms=3_000, title="ada commits what poll() has returned")

# %% [markdown]
# A commit of 8 says: everything below 8 is done. Here that is never so. Most of these promises are
# made good a moment later, and so the program looks right for months. The crash shows it. The last
# commit says 30. Orders 24, 27 and 28 are in dashed boxes, and 29 was still in the queue. What lies
# below the last commit and was never finished is lost: the next owner begins behind it.
#
# The rule of chapter 09, *commit after the work*, has an addition for pools: commit up to the
# oldest order that is **not** done. Below a **contiguous commit**, as this is called, there is no
# gap. One slow order holds the commit back, however many behind it are finished. When the first in
# a queue holds up all others, people say *head of line* blocking. Mostly it is a nuisance. Here it
# is what you want.

# %% exercise="10.4"

# %% [markdown]
# The colleague commits the *newest* order that is done. With one thread newest and contiguous are
# the same. With three they are not.
#
# ## 8. Write it

# %% exercise="10.5"

# %% [markdown]
# Two things are left out here, and a program for every day needs them. When partitions are taken
# away, a rebalance listener has to forget their entries, and commit what is safe before. And where
# the workers are slower than the topic, `pause()` the partitions until the queue is short: a paused
# consumer still polls, so it stays a member.
#
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It goes on past an exercise that is still open.
#
# ## 9. Spark lab: who left, and how often?
#
# Four services, A to D, worked for twenty minutes and wrote their logs. An order takes
# `n.A.usual_ms` in service A, but `n.A.slow_percent` of a hundred take 20 seconds: the database
# again. Each poll returns at most `n.A.max_poll_records` orders. The poll interval is 120 seconds
# in all four.

# %%
n = numbers("10.6")
n

# %%
import random


def twenty_minutes(name, service):
    """A service whose orders are rarely very slow: its lab, and the times."""
    lab, took = Lab(brokers=1, seed=11), []
    lab.create_topic("orders")
    shop(lab, 1_000)
    own = f"{service.max_poll_records} {service.usual_ms} {service.slow_percent}"
    chance = random.Random(own)

    def program(lab):
        consumer = KafkaConsumer(
            lab,
            {
                "client.id": f"service-{name}",
                "group.id": "stock",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "max.poll.interval.ms": 120_000,
                "heartbeat.interval.ms": 15_000,
                "max.poll.records": service.max_poll_records,
            },
            name=f"service-{name}",
        )
        consumer.subscribe(["orders"])
        while True:
            slow = [
                chance.random() * 100 < service.slow_percent
                for record in consumer.poll(timeout_ms=500)
            ]
            times = [20_000 if each else service.usual_ms for each in slow]
            took.extend(times)
            lab.sleep(sum(times))
            try:
                consumer.commit_sync()
            except CommitFailedException:
                pass

    lab.spawn(program, name=f"service-{name}")
    lab.run_for(ms=20 * 60_000)
    return lab, took


# %% spark=true
def write_logs(log_folder):
    """One log file a service. Returns the times that the services measured."""
    log_folder.mkdir(exist_ok=True)
    measured = []
    for name, service in n.items():
        lab, times = twenty_minutes(name, service)
        measured += [(f"service-{name}", each) for each in times]
        (log_folder / f"service-{name}.log").write_text(lab.log_text(f"service-{name}"))
    return measured


measured = write_logs(folder / "services")

# %% [markdown]
# First the times, as the services measured them. The median is harmless in each. The slow orders
# are in the tail: `p99` is the time that one order in a hundred exceeds. The average has them in
# it, too.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
times = spark.createDataFrame(measured, "service string, took_ms int")
(
    times.groupBy("service")
    .agg(
        F.percentile("took_ms", F.lit(0.5)).cast("int").alias("median_ms"),
        F.percentile("took_ms", F.lit(0.99)).cast("int").alias("p99_ms"),
        F.round(F.avg("took_ms")).cast("int").alias("average_ms"),
    )
    .orderBy("service")
    .toPandas()
)

# %% exercise="10.6"

# %% [markdown]
# The average times `max_poll_records` is what a batch takes, more or less. Lay it beside the 120
# seconds. The median hides the few slow orders that make a batch late. `p99` shows them where they
# are more than one in a hundred, and only the average says how much room they leave.
#
# ## 10. In your own words

# %% exercise="10.open"

# %% [markdown] items="G21 N73 N107"
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | Heartbeats are sent by `poll()`; slow work stops them. | Since 0.10.1 a thread of their own, and `max.poll.interval.ms` for the work (KIP-62). | section 2 |
# | Raise `session.timeout.ms` for slow work. | It has nothing to do with work. 10 s up to 2.8, 45 s from 3.0 (KIP-735). | section 2 |
# | "The group has rebalanced and assigned the partitions to another member." | So said every late commit up to 2.3. Later the client says that it is not part of an active group, where it does not ask the coordinator at all. | `late_commit("2.3")` and `"3.9"` |
# | "This member will leave the group because consumer poll timeout has expired." | The words before *consumer* are gone in later clients. Search for the rest. | `story(late_commit("2.3")[0], 8_000)` and `"3.9"` |
# | 150 records, since 150 times 2 s are 300 s. | Right reckoning, no slack. | section 4 |
# | A standalone consumer with a group's id fails at once. | While the group has members. When it is empty the commit is taken, and moves the group's bookmark. | section 5 |
# | Every thread has its own KafkaProducer (in a text on consumers). | A slip: KafkaConsumer is the one that is not for two threads. | section 6 |
# | Both clocks are the client's settings. | With `group.protocol=consumer` (KIP-848) the session timeout is the broker's; `max.poll.interval.ms` stays with the client. | chapter 08, section 7 |
#
# ## What you know now
#
# - Heartbeats say that the process is alive. Polls say that the work gets on. Two clocks, two
#   answers.
# - All that lies between two polls must fit into `max.poll.interval.ms`, with room to spare.
# - The member leaves by itself. A late commit fails without being sent, and the work is done again.
# - In a pool, commit up to the oldest record that is not done, in each partition.
#
# **Words**: poll interval 轮询间隔 · eviction 踢出消费者组 · head of line 队头阻塞 · standalone
# consumer 独立消费者 · worker pool 工作线程池 · contiguous commit 连续位移提交
#
# ### Do you remember?
#
# <details><summary>1. Chapter 09: which offset does a commit hold, the last one read or the
# next?</summary>The next to be read. A commit of 8 says that everything below 8 is done.</details>
# <details><summary>2. Chapter 07: who divides the partitions in the classic protocol?</summary>The
# group's leader, one of the members. The coordinator only passes the plan on.</details>
# <details><summary>3. Chapter 05: a producer heard of a failure. Is the record surely not
# there?</summary>No. The broker may have written it, and only the answer was lost.</details>
