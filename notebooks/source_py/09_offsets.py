# %% [markdown] items="N19 N42"
# # 09 · Where does a reader go on?
#
# A reader dies. Another takes its place. Which record does it read first? Kafka does not know what
# your program has finished. It knows one number for each partition, a bookmark that your program
# moved. All that people call *lost* or *done twice* on the reading side happens between that number
# and your work.
#
# **You need** chapters 01 and 07. **You get** six words: *position*, *committed offset*, *at least
# once*, *at most once*, *compaction*, *rebalance listener*. **Time** about 35 minutes up to section
# 9, and a second sitting of 20 for the Spark lab and your own words.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab import (
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.views import Worked, offset_paths, offset_ruler, side_by_side, work_strip

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown] items="G1 G3"
# ## 1. Guess, run, look
#
# Twelve orders lie in a partition, offsets 0 to 11. Ada polls and gets five of them. She works on
# all five and commits. She polls again and gets five more. She has finished two of these when
# somebody pulls the plug. Three numbers: Ada's *position* at that moment, the group's *committed
# offset*, and the first offset that Bo, who takes over, will read.

# %%
predict("09 three numbers", position=None, committed=None, bo_reads_first=None)

# %%
ORDERS = TopicPartition("orders", 0)


def cluster(orders=12, seed=1, brokers=1, **broker_config):
    """A lab with so many orders in one partition. Groups form without waiting."""
    lab = Lab(
        brokers=brokers,
        seed=seed,
        broker_config={"group.initial.rebalance.delay.ms": 0, **broker_config},
    )
    lab.create_topic("orders", partitions=1)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(orders):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
    producer.close()
    return lab


def member(lab, name, listener=None, **config):
    """A member of the group `billing`, reading `orders`. It commits when told to."""
    settings = {
        "group.id": "billing",
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "session.timeout.ms": 6_000,
        **config,
    }
    reader = KafkaConsumer(lab, settings, name=name)
    reader.subscribe(["orders"], listener)
    return reader


# %%
lab = cluster()
ada = member(lab, "ada", **{"max.poll.records": 5})
first = list(ada.poll(timeout_ms=5_000))
ada.commit_sync()  # after the work on all five
second = list(ada.poll(timeout_ms=5_000))  # of these she finishes two
position = ada.position(ORDERS)
picture = offset_ruler(lab, "orders-0", "billing")
lab.kill("ada")

bo = member(lab, "bo", **{"max.poll.records": 5})
his = list(bo.poll(timeout_ms=20_000))
committed = lab.describe_group("billing").current_offset[0]
truth("09 three numbers", position=position, committed=committed, bo_reads_first=his[0].offset)
picture

# %% [markdown] items="N56 G4 G32"
# The **position** is the offset of the next record that `poll` will return. It lives in Ada's
# memory, and it moved to 10 the moment `poll` returned. The **committed offset** lives in Kafka: 5.
# Both name the *next* record, not the last one. "Committed 5" says: 0 to 4 are done. Each partition
# has its own.
#
# Bo asked the coordinator for the committed offset, with a request called OFFSET_FETCH, and went on
# there. Ada had finished 5 and 6. Bo does them again. Her position died with her.
#
# Two things that one can read elsewhere are wrong. `poll` does not return "the offset of the last
# record": it returns records. And it does not commit them. Here is Bo's line about it:


# %%
def plain(lab, name):
    """A client's lines without what stands in front of them."""
    return [line.partition("=billing] ")[2] or line for line in lab.lines(name).message]


[line.split(",")[0] for line in plain(lab, "bo") if line.startswith("Setting offset")]

# %% [markdown] items="G22 G23 G33 G34"
# A consumer keeps all this in a small table, in Java the class `SubscriptionState`: for each
# partition its position, and whether it is paused. A part called `Fetcher` asks the leaders for
# records from there on. Four things write into the table. A poll moves the position. `seek` sets
# it. The committed offset sets it when the partition is new. And where nothing was committed,
# `auto.offset.reset` asks the leader for an end of the log, with a LIST_OFFSETS request: timestamp
# -2 means the earliest offset, -1 the latest.


# %%
def reset(policy):
    lab = cluster()
    new = member(lab, "new", **{"auto.offset.reset": policy})
    got = new.poll(timeout_ms=3_000).count()
    lines = plain(lab, "new")
    asked = next(line for line in lines if line.startswith("Sending LIST_OFF"))
    return "timestamp " + asked.split("timestamp=")[1].split(",")[0], f"{got} records"


{policy: reset(policy) for policy in ("earliest", "latest")}

# %% [markdown] items="G22"
# `pause` stops one partition, not the poll. "After pause, poll is empty" holds only for what is
# paused:

# %%
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

# %% [markdown] items="N20 G8"
# ## 2. Six moments to die
#
# A reader does three things for ever: poll, work, commit. The order of the last two is your choice.
# *Work, commit*: first do the work, then move the bookmark. *Commit, work*: the other way round.
# Think of a book. You are on page 90. Someone who moves the bookmark to 100 first, and falls asleep
# on page 95, goes on at page 100 tomorrow. Nobody will have read 96 to 99.
#
# Here both kinds of readers die in their second round, at each of six moments. A poll returns four
# records. Guess for the crash half way through the work: how many records are worked on twice by
# *work, commit*? How many never by *commit, work*?

# %%
predict("09 half of the work", work_first_twice=None, commit_first_never=None)

# %%
MOMENTS = {
    "polled": ("polled", 2),
    "half of the work": ("half of the work", 2),
    "work done": ("work done", 2),
    "commit on its way": ("commit on its way", 2),
    "commit answered": ("commit answered", 2),
    "polled again": ("polled", 3),
}


def work_for_ever(lab, name, order, per_poll, done, at):
    """The loop. `at` hears of each moment, and may be the last thing that happens."""
    reader = member(lab, name, **{"max.poll.records": per_poll})
    while True:
        records = list(reader.poll(timeout_ms=500))
        if records:
            at("polled")
        for step in order.split(", ") if records else ():
            if step == "commit":
                at("commit on its way")
                reader.commit_sync()
                at("commit answered")
                continue
            for number, record in enumerate(records):
                if number == len(records) // 2:
                    at("half of the work")
                lab.sleep(20)
                done.append(record.offset)
            at("work done")


def shift(order, moment, per_poll=4):
    """Ada dies at a moment of her second round, and Bo goes on. Returns a Worked."""
    orders = 3 * per_poll
    lab, done, heard, dead = cluster(orders), [], [], []

    def at(now):
        heard.append(now)
        if (now, heard.count(now)) == MOMENTS[moment]:
            if now == "commit on its way":  # it arrives, its answer does not
                lab.clock.at(lab.now_ms + 2, lambda: dead.append(now))
            else:
                dead.append(now)
                lab.sleep(600_000)

    lab.spawn(work_for_ever, "ada", order, per_poll, done, at, name="ada")
    lab.run_until(lambda: dead)
    lab.kill("ada")
    lab.run_for(ms=10)
    committed = int(lab.describe_group("billing").current_offset[0])
    lab.spawn(work_for_ever, "bo", order, per_poll, done, lambda now: None, name="bo")
    lab.run_for(ms=20_000)
    return Worked(tuple(done.count(offset) for offset in range(orders)), committed)


# %%
runs = {
    f"{order} · {moment}": shift(order, moment)
    for order in ("work, commit", "commit, work")
    for moment in MOMENTS
}
half = {
    order: runs[f"{order} · half of the work"].times for order in ("work, commit", "commit, work")
}
truth(
    "09 half of the work",
    work_first_twice=half["work, commit"].count(2),
    commit_first_never=half["commit, work"].count(0),
)
work_strip(runs, title="twelve orders, a crash in round two; the bar is the bookmark")

# %% [markdown] items="G5"
# The thick bar is the bookmark. Compare it with the work that was done. Where the work is ahead of
# the bar, the next reader repeats. Where the bar is ahead of the work, nobody will come back.
#
# - *Work, commit* never loses. It may repeat. That is **at least once**.
# - *Commit, work* never repeats. It may lose. That is **at most once**.
# - **Exactly once** would need work and bookmark to move in the same instant. Section 8 does that,
#   and chapter 06 does it within Kafka.
#
# Look at *commit on its way*. The coordinator had written the commit, and Ada died before she heard
# of it. It counts. No answer is not a no.

# %% exercise="09.1"

# %% [markdown] items="N57 N52 G31"
# ## 3. Who moves the bookmark?
#
# There are two questions, and they are often taken for one. *Who commits?* The client by itself
# (`enable.auto.commit`, on by default), or your program. And when your program does: *does it
# wait?* `commit_sync` waits for the answer, `commit_async` does not. So "by hand" does not mean
# "asynchronous"; there are both.
#
# First the automatic one. It is said to run "in the background, every five seconds". And then: "a
# rebalance three seconds later repeats three seconds of work". Try it. Orders come, ten a second.
# Ada reads them with automatic commits. The first commit comes at about 5 seconds. A good three
# seconds later one of three things happens: she closes her consumer and Bo takes over; Bo joins
# her, which means a rebalance; or she is killed and Bo takes over. How many orders are read twice?

# %%
predict("09 three endings", closed=None, joined=None, killed=None)


# %%
def keep_selling(lab, count=180, pace_ms=100):
    producer = KafkaProducer(lab, {"client.id": "shop", "linger.ms": 0})
    for number in range(count):
        producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
        lab.sleep(pace_ms)


def read_on(lab, name, seen, closing, interval_ms):
    """Read until told to close. The commits are the client's own."""
    reader = member(
        lab, name, **{"enable.auto.commit": True, "auto.commit.interval.ms": interval_ms}
    )
    while name not in closing:
        for record in reader.poll(timeout_ms=500):
            seen.append(record.offset)
    reader.close()


def ending(how, interval_ms=5_000, at_ms=8_100):
    """Ada reads until `at_ms`. Returns the lab, and how many orders were read twice."""
    lab, seen, closing = cluster(orders=0, seed=3), [], []
    lab.spawn(read_on, "ada", seen, closing, interval_ms, name="ada")
    lab.run_for(ms=1_000)
    lab.spawn(keep_selling, name="selling")
    lab.run_for(ms=at_ms - 1_000)
    if how == "killed":
        lab.kill("ada")
    if how == "closed":
        closing.append("ada")
    lab.spawn(read_on, "bo", seen, closing, interval_ms, name="bo")
    lab.run_for(ms=12_000)
    return lab, len(seen) - len(set(seen))


# %%
endings = {how: ending(how) for how in ("closed", "joined", "killed")}
truth("09 three endings", **{how: repeated for how, (_, repeated) in endings.items()})
offset_paths(
    {f"ada is {how}" if how != "joined" else "bo joins": lab for how, (lab, _) in endings.items()},
    "orders-0",
    "billing",
)

# %% [markdown] items="N59 G11"
# Blue is what the group's readers were given, orange what was committed, and a dot is a commit. Who
# closes commits first: nothing twice. Who takes part in a rebalance commits first, too, before it
# gives its partitions away: nothing twice. "A rebalance repeats three seconds" is not true of a
# member that takes part. It is true of a member that is *gone*: killed, or thrown out because it
# was silent for too long.
#
# A shorter interval makes that window smaller, and never closes it. Here are three intervals. For
# each Ada is killed at two moments, after 7.93 and after 8.95 seconds, and we count the orders that
# are read twice:

# %%
{
    f"every {interval} ms": [ending("killed", interval, at)[1] for at in (7_930, 8_950)]
    for interval in (5_000, 1_000, 300)
}

# %% [markdown] items="N58 N28"
# And the background? There is none. In the classic consumer no thread commits for you. `poll` looks
# at the clock, and when the interval is over, it commits the position: what *earlier* polls have
# returned. That is safe as long as you have finished these records before you poll again. "With
# automatic commits nothing is lost" holds for such a loop only.
#
# Here is another. Ada polls, and hands each order to a worker, who needs 250 ms for one. Both die
# at 8.1 seconds; Bo and a worker of his take over. How many of the orders are never worked on?

# %%
predict("09 handed over", never=None)


# %%
def hand_over(lab, name, desk):
    reader = member(lab, name, **{"enable.auto.commit": True, "auto.commit.interval.ms": 5_000})
    while True:
        desk.extend(record.offset for record in reader.poll(timeout_ms=500))


def worker(lab, desk, done):
    while True:
        lab.sleep(250)
        if desk:
            done.append(desk.pop(0))


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
# The orders 32 to 50 are gone. The bookmark said where `poll` had come to at five seconds, 51. The
# worker had finished 0 to 31. So whoever hands work over commits by hand, and only what is
# finished. Chapter 10 has the patterns for it.

# %% [markdown] items="N60 N62"
# ## 4. To wait or not to wait
#
# `commit_sync` stands still until the coordinator has answered, and tries again when the failure is
# one that passes: a connection that broke, a coordinator that moved. `commit_async` goes on at
# once, tries nothing again, and tells a callback in a later poll. Here 300 orders are read in polls
# of ten, each order is a millisecond of work, and the coordinator is ten milliseconds away, in each
# direction. How long does it take, in milliseconds, with a `commit_sync` after each record? After
# each poll?

# %%
predict("09 waiting", sync_each_record_ms=None, sync_each_poll_ms=None)


# %%
def pace(commit, each_record):
    """Milliseconds for 300 orders."""
    lab = cluster(300, seed=4, brokers=3)
    lab.place_coordinator("billing", broker=1)
    lab.link(1, "ada").set_latency(ms=10)
    ada, done, began_ms = member(lab, "ada", **{"max.poll.records": 10}), 0, None
    while done < 300:
        records = ada.poll(timeout_ms=500)
        began_ms = lab.now_ms if began_ms is None and records.count() else began_ms
        for record in records:
            lab.sleep(1)
            done += 1
            if each_record:
                getattr(ada, commit)({ORDERS: OffsetAndMetadata(record.offset + 1)})
        if not each_record:
            getattr(ada, commit)()
    return lab.now_ms - began_ms


table = {
    f"{commit}, each {'record' if each else 'poll'}": pace(commit, each)
    for commit in ("commit_sync", "commit_async")
    for each in (True, False)
}
truth(
    "09 waiting",
    sync_each_record_ms=table["commit_sync, each record"],
    sync_each_poll_ms=table["commit_sync, each poll"],
)
table

# %% [markdown] items="N61"
# Each wait costs about 25 ms: 20 for the way there and back, the rest until the coordinator has
# written the commit and the other brokers have copied it. Waiting is the price, not committing. So
# why not `commit_async`, with a retry of our own in the callback? It is a popular idea. Let us
# build it. Ada works on five polls of ten orders. The connection breaks under her second commit,
# the one that says 20. Her callback puts it aside and sends it again a second later. In the end she
# has finished 50 orders, and is killed. At which offset does Bo begin?

# %%
predict("09 a retry", bo_begins_at=None)


# %%
def with_retry(retries, seed=2):
    """Five polls with commit_async; the second fails. The lab, and where Bo begins."""
    lab, seen = cluster(50, seed, brokers=3), []
    lab.place_coordinator("billing", broker=1)

    def read(lab, name):
        reader, again = member(lab, name, **{"max.poll.records": 10}), []

        def callback(offsets, error):
            if error and retries:
                again.append((lab.now_ms + 1_000, offsets))

        polls = 0
        while True:
            records = list(reader.poll(timeout_ms=200))
            seen.extend((name, record.offset) for record in records)
            if records:
                polls += 1
                lab.sleep(300)
                if (name, polls) == ("ada", 2):
                    lab.link(1, "ada").cut_before_request("OFFSET_COMMIT")
                reader.commit_async(callback=callback)
            while again and again[0][0] <= lab.now_ms:
                reader.commit_async(again.pop(0)[1], callback)

    lab.spawn(read, "ada", name="ada")
    lab.run_for(ms=4_000)
    lab.kill("ada")
    lab.spawn(read, "bo", name="bo")
    lab.run_for(ms=9_000)
    return lab, next((offset for name, offset in seen if name == "bo"), "nothing to do")


labs = {"no retry": with_retry(False), "with a retry": with_retry(True)}
truth("09 a retry", bo_begins_at=labs["with a retry"][1])
offset_paths(
    {name: lab for name, (lab, _) in labs.items()},
    "orders-0",
    "billing",
    title="a failed commit is sent again, and arrives late",
)

# %% [markdown] items="N61"
# Without a retry the lost commit did no harm: 30 came after it, and said more. With the retry, 20
# arrived behind 50, and the bookmark went *back*. The coordinator does not look which offset is
# larger: the last commit wins. Bo does thirty orders again.
#
# `commit_sync` may try again, because nothing overtakes it: the program stands still until it is
# through. So the usual shape is both. In the loop `commit_async`, where the next commit mends a
# lost one. At the end, where no next one comes, `commit_sync`:


# %% items="N63"
def both(sync_at_the_end):
    """Five polls, then close. The connection breaks under the loop's last commit."""
    lab = cluster(50, seed=2, brokers=3)
    lab.place_coordinator("billing", broker=1)
    reader, polls = member(lab, "ada", **{"max.poll.records": 10}), 0
    try:
        while polls < 5:
            if records := list(reader.poll(timeout_ms=1_000)):
                lab.sleep(300)  # the work
                polls += 1
                if polls == 5:
                    lab.link(1, "ada").cut_before_request("OFFSET_COMMIT")
                reader.commit_async()
    finally:
        if sync_at_the_end:
            reader.commit_sync()
        reader.close()
    return int(lab.describe_group("billing").current_offset[0])


{"async only": both(False), "async, and sync at the end": both(True)}

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
# The counter starts at 0. When is the first commit? After the first record, for `0 % 100` is 0. The
# next ones come after 101 and 201 records. Nothing is lost by it; a commit is just never where you
# think it is. A worse slip is to forget the `+ 1`.

# %% exercise="09.2"

# %% [markdown] items="N28"
# ## 6. Write the loop

# %% exercise="09.3"

# %% [markdown] items="G2 N50 N51"
# ## 7. Where does the bookmark lie?
#
# In a topic, like everything else. Long ago it was kept in ZooKeeper, which was not built for so
# many writes. Since version 0.9, with the consumer of today, a commit is a record in the topic
# `__consumer_offsets`: fifty partitions, three replicas each, made when the first group needs it.
# Chapter 03 showed which of the fifty belongs to a group. Any consumer may read it, if it asks for
# internal topics. The lab writes keys and values as text; a real one stores bytes. Here a member
# commits, and then polls on with nothing to read:

# %%
from kafkalab.hashing import java_string_hash

lab = cluster(orders=100)
idle = member(lab, "idle", **{"enable.auto.commit": True})  # every five seconds
end_ms = lab.now_ms + 22_000
while lab.now_ms < end_ms:
    idle.poll(timeout_ms=500)


def records_of(lab, topic, partition):
    spy = KafkaConsumer(lab, {"auto.offset.reset": "earliest", "exclude.internal.topics": False})
    spy.assign([TopicPartition(topic, partition)])
    found = spy.poll(timeout_ms=2_000)
    return [(record.offset, record.key, record.value) for record in found]


mine = abs(java_string_hash("billing")) % 50
for offset, key, value in records_of(lab, "__consumer_offsets", mine):
    print(offset, key)
    print("   ", value[:70] + "…")

# %% [markdown] items="N53 N50"
# The key is three things: group, topic, partition. (Type 2 is the group itself, its members and
# generation.) The value is the offset. And the idle reader? It commits 100 again and again, every
# five seconds, as long as it polls. Only the last one matters. Without care the disk would fill
# with bookmarks.
#
# The care is called **compaction**. The topic does not delete by age. A background thread, the *log
# cleaner*, goes through old segments and drops each record for which a later one with the same key
# exists. Here are four records: 0, 2 and 3 have the key K1. A fifth comes later; the cleaner leaves
# the newest segment alone. Which offsets are left of the first four?

# %%
predict("09 compaction", left_of_the_first_four=None)


# %% items="N54 N55"
def compacted(pairs):
    """Write keys and values, roll the segment, wait for the cleaner: what is left?"""
    lab = Lab(brokers=1, seed=1)
    lab.create_topic(
        "marks",
        config={
            "cleanup.policy": "compact",
            "segment.ms": 60_000,
            "min.cleanable.dirty.ratio": 0.01,
        },
    )
    producer = KafkaProducer(lab, {"client.id": "writer", "linger.ms": 0})
    for key, value in pairs:
        producer.send(ProducerRecord("marks", key=key, value=value)).get()
    lab.run_for(ms=70_000)
    producer.send(ProducerRecord("marks", key="last", value="in a new segment")).get()
    lab.run_for(ms=600_000)
    return records_of(lab, "marks", 0)[:-1]


left = compacted([("K1", "5"), ("K2", "7"), ("K1", "8"), ("K1", "9")])
truth("09 compaction", left_of_the_first_four=", ".join(str(row[0]) for row in left))
left

# %% [markdown] items="N54"
# The offsets kept their numbers. A log may have holes; a position in a hole simply moves on to the
# next record that is there.

# %% exercise="09.4"

# %% [markdown] items="N112"
# Bookmarks do expire, in the end. When a group has been *empty* for seven days
# (`offsets.retention.minutes`), its offsets are removed; the broker writes "Removed 1 expired
# offsets". A group with a live member keeps its own, however long nothing happens. Here Ada commits
# 10 of 20 and closes:

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
# ## 8. Keep the bookmark yourself
#
# *Work, commit* repeats, because work and bookmark lie in two places, and a crash fits in between.
# So put them into one. If your results go into a database anyway, write the offset into the same
# database, in the same transaction. Kafka's own commit is not used at all. That is exactly once, as
# far as your database reaches.
#
# One thing is missing: a reader that is given a partition must begin where the *database* says.
# When it is given one, the application is told, if it left a **rebalance listener**.
# `on_partitions_revoked` is called before partitions are taken away, the last chance to commit.
# `on_partitions_assigned` is called when new ones are there, before the first record: the place to
# `seek`. Both run inside `poll`. Watch them while Bo joins Ada:


# %% items="G10 G11 G12"
class Diary:
    """A rebalance listener that writes down what it hears."""

    def __init__(self, lab, name):
        self.lab, self.name = lab, name

    def note(self, what, partitions):
        names = [str(each) for each in partitions]
        heard.append((self.lab.now_ms, self.name, what, names))

    def on_partitions_revoked(self, partitions):
        self.note("gives away", partitions)

    def on_partitions_assigned(self, partitions):
        self.note("is given", partitions)


heard = []
lab = Lab(brokers=1, seed=5, broker_config={"group.initial.rebalance.delay.ms": 0})
lab.create_topic("orders", partitions=2)


def poll_for_ever(lab, name):
    reader = member(lab, name, Diary(lab, name))
    while True:
        reader.poll(timeout_ms=200)


lab.spawn(poll_for_ever, "ada", name="ada")
lab.run_for(ms=4_000)
lab.spawn(poll_for_ever, "bo", name="bo")
lab.run_for(ms=6_000)
heard

# %% exercise="09.5"

# %% [markdown]
# ## 9. The real thing beside it
#
# A recording of two real Java consumers 2.3.0 with automatic commits. `inv-1` reads twelve orders
# from four partitions, polls on, and closes. Then `inv-2` starts, in the same group. Beside it the
# simulator does the same. Shown are the lines about bookmarks, `inv-1` first, without their long
# ends.

# %%
import json
from kafkalab.course_folder import course_folder
from kafkalab.lines.layout import read as read_log
from kafkalab.proof.replay import replay

project = course_folder()
recording = project / "data/recordings/2.3.1/2.3.0/group_offsets_auto_commit"
scenario = json.loads((recording / "scenario.json").read_text())
folder = project / "data/generated/chapter09"
folder.mkdir(parents=True, exist_ok=True)
played = replay(scenario, seed=4)


def of_bookmarks(*paths):
    wanted = (
        "Found no committed",
        "Sending synchronous auto",
        "Sending asynchronous auto",
        "Committed offset",
        "Setting offset",
    )
    texts = [row.text for path in paths for row in read_log(path)]
    return [
        text.split(" FetchPosition")[0].split("=OffsetAnd")[0]
        for text in texts
        if text.startswith(wanted)
    ]


names = ("inv-1", "inv-2")
for name in names:
    (folder / f"{name}.txt").write_text(played[name])
side_by_side(
    of_bookmarks(*(recording / f"{name}.log.gz" for name in names)),
    of_bookmarks(*(folder / f"{name}.txt" for name in names)),
    titles=("Java consumers 2.3.0", "simulator"),
)

# %% [markdown] items="N59"
# Read the left side as a story. Nothing is committed yet. An asynchronous commit after five
# seconds, inside a poll: the next offset is 3, in each partition. A *synchronous* one when `inv-1`
# closes. `inv-2` finds a committed offset everywhere, and nothing is read twice. A synchronous
# commit of `{}` comes before each first join: a consumer commits before every rebalance, and here
# it has nothing yet.

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It goes on past an exercise that is still open.
#
# ## 10. Spark lab: what was read twice?
#
# Three shops, A, B and C. In each a reader with automatic commits is killed twice. So there are
# three lives: two of `shops.A.life_s` seconds each, and a third that reads the rest. Shop A's
# readers commit every `shops.A.interval_s` seconds, and an order comes every `shops.A.pace_ms`
# milliseconds. All we have is their logs.

# %%
shops = numbers("09.6")
shops


# %%
def three_lives(shop):
    """name of the life -> its log file's text"""
    lab = cluster(orders=0, seed=9)
    lab.spawn(keep_selling, 40_000 // shop.pace_ms, shop.pace_ms, name="shop")
    lives = {"life 1": shop.life_s, "life 2": shop.life_s, "life 3": 6}
    for life, seconds in lives.items():
        lab.spawn(read_on, life, [], [], shop.interval_s * 1_000, name=life)
        lab.run_for(ms=seconds * 1_000)
        lab.kill(life)
        lab.run_for(ms=7_000)  # until the group has noticed
    return {life: lab.log_text(life) for life in lives}


# %%
import shutil

shop_logs = folder / "shop_logs"
shutil.rmtree(shop_logs, ignore_errors=True)
shop_logs.mkdir(parents=True)
for name, shop in numbers("09.6").items():
    for life, text in three_lives(shop).items():
        (shop_logs / f"shop-{name}-{life[-1]}.log").write_text(text)
sorted(path.name for path in shop_logs.glob("*.log"))

# %% [markdown]
# Two kinds of lines tell a life. "Setting offset … to the committed offset …" says where it began;
# a first life finds none and begins at 0. "Returning 3 fetched records at offset …" says what a
# poll returned; the furthest counts. `logsets` reads the numbers out of them, into the columns
# `position` and `count`.

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
# ## 11. In your own words

# %% exercise="09.open"

# %% [markdown]
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | Bookmarks are kept in ZooKeeper. | In `__consumer_offsets`, since 0.9; Kafka 4.0 has no ZooKeeper at all (KIP-500). | section 7 |
# | Automatic commits run in the background. | The classic consumer commits inside `poll` and `close`, never in between; so it did in the days of that sentence, too (class `ConsumerCoordinator`). | section 3 |
# | A rebalance repeats what came since the last automatic commit. | A member that takes part commits first: it waits for the answer up to 3.2, and sends it asynchronously and awaits it from 3.3 on. | below |
# | By hand means `commitAsync`. | There are `commitSync` and `commitAsync`; both are by hand. | section 4 |
# | `poll` returns the offset of the last record. | It returns records. The position is one more than the last of them. | section 1 |
# | Offsets are kept for one day. | Seven since 2.0 (KIP-186); counted from the moment the group became empty since 2.1 (KIP-211). | section 7 |
# | A commit that meets a rebalance fails with `CommitFailedException`. | From 2.5 on with `RebalanceInProgressException`, where the member is still one: poll, and commit later (KIP-447). | chapter 08, at its end |
#
# The third row, with two clients: Ada has read, and Bo joins her. This is what Ada says about her
# commits:


# %%
def commits_when_bo_joins(version):
    lab = Lab(
        brokers=1,
        seed=3,
        version=version,
        broker_version="4.4",
        broker_config={"group.initial.rebalance.delay.ms": 0},
    )
    lab.create_topic("orders")
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(12):
        producer.send(ProducerRecord("orders", value="tea"))
    producer.close()
    for name, stays_ms in (("ada", 2_000), ("bo", 3_000)):
        lab.spawn(read_on, name, [], [], 5_000, name=name)
        lab.run_for(ms=stays_ms)
    return [
        text.split(" of offsets")[0]
        for text in plain(lab, "ada")
        if "auto-commit of offsets {orders" in text
    ]


{version: commits_when_bo_joins(version) for version in ("2.8", "3.9")}

# %% [markdown]
# Both commit before they give the partition away. Client 2.8 stands still until the answer is
# there; 3.9 asks, goes on with its heartbeats, and hears of the answer.
#
# ## What you know now
#
# - Position is what your program was given. Committed is what it said is done. Both name the next
#   record.
# - Work, then commit: nothing lost, perhaps repeated. Commit, then work: nothing repeated, perhaps
#   lost.
# - Automatic commits happen in `poll`. Finish what you were given before you poll again.
# - In the loop do not wait, at the end wait. Never send an old bookmark after a newer one.
# - Exactly once needs work and bookmark in one place.
#
# **Words**: position 消费位置 · committed offset 已提交位移 · at least once 至少一次 · at most once
# 至多一次 · compaction 日志压实 · rebalance listener 重平衡监听器
#
# ### Do you remember?
#
# <details><summary>1. Chapter 03: which broker keeps a group's offsets?</summary>The leader of one
# partition of <code>__consumer_offsets</code>: the hash of the group's name, modulo 50.</details>
# <details><summary>2. Chapter 01: a group's bookmark stands before the log's start. What
# happens?</summary><code>auto.offset.reset</code> decides: the log's start, its end, or an
# error.</details>
# <details><summary>3. Chapter 05: the producer has no answer. Is the record lost?</summary>Nobody
# knows. It may be written, and only the answer was lost. As with a commit on its way.</details>
