# %% [markdown]
# # 16 · When is a group a queue?
#
# Four workers shall do the jobs of one topic. In a consumer group three of them do nothing: the
# topic has one partition, and one member owns it. A share group gives out records, not partitions.
# This looks like a queue. The price is the order.
#
# **You need** chapters 01, 07 and 09. **You get** six words: *share group*, *acquire*,
# *acknowledge*, *acquisition lock*, *delivery count*, *share-partition start offset*. **Time** two
# sittings: about 50 + 50 minutes. They end after section 4 and at the end.

# %%
from autograder import me, numbers, predict, truth, check, hint, require, reveal
from kafkalab.stories.share_groups import jobs, start_classic_workers, start_workers
from kafkalab.stories.share_groups import first_records, window, worker
from kafkalab.views import record_lanes

me("")  # your student id, if your teacher gave you one: me("s123")

# %% [markdown]
# ## 1. Guess, run, look
#
# The topic `jobs` has one partition with twelve jobs. Each job takes half a second, and each poll
# brings at most two. The workers eve, fay, gil and hal are in a consumer group. Four others, ada, bo,
# cy and di, are in a **share group** (共享组). Guess how many of each four do a job. How many seconds
# does the share group need, from the first begin to the last end?

# %%
predict("16 four workers", consumer_group=None, share_group=None, seconds_shared=None)

# %%
from kafkalab.stories.share_groups import seconds_of_work, working

lab = jobs(12)
start_classic_workers(lab, "eve fay gil hal")
start_workers(lab, "ada bo cy di")
lab.run_for(ms=20_000)
seconds = {names: round(seconds_of_work(lab, names), 1) for names in ("eve", "ada bo cy di")}
truth(
    "16 four workers",
    consumer_group=working(lab, "eve fay gil hal"),
    share_group=working(lab, "ada bo cy di"),
    seconds_shared=seconds["ada bo cy di"],
)
seconds

# %%
record_lanes(lab, "workers")

# %% [markdown]
# Each lane is a record, `@0` to `@11`. A box is the time in which one worker holds the record. Its
# number is the delivery. A tick ends a record that is done. The clock is the lab's. The group needs its
# first two seconds to form.
#
# In the consumer group eve owns the partition, and the others wait. That is the rule of chapter 07:
# a partition has at most one owner in a group. In the share group all four work on the same
# partition. Each poll gives a worker two records that nobody else holds. So twelve jobs are six
# pairs. Four workers need two rounds for them, a second each.
#
# A new share group begins at the *end* of the log: `share.auto.offset.reset` is `latest` by default.
# The twelve jobs were there before, so `jobs` sets `earliest`. It is a setting of the group, and the
# brokers keep it: `kafka-configs.sh --alter --entity-type groups --entity-name workers --add-config
# share.auto.offset.reset=earliest`.
#
# "A consumer group is a queue already" is half true (chapter 01). Its members divide the
# *partitions*. With one partition there is nothing to divide. A share group divides the *records*.
#
# KIP means [Kafka Improvement
# Proposal](https://cwiki.apache.org/confluence/display/KAFKA/Kafka+Improvement+Proposals). Share
# groups are KIP-932. They came for early tests in 4.0 and are ready for production since 4.2. The
# lab has them with clients and brokers 4.4.
#
# ## 2. The life of one record
#
# A share consumer has no position, no `seek` and no committed offset. Its loop is short:
#
# ```python
# while True:
#     for record in ada.poll(timeout_ms=2_000):
#         work(record)
#         ada.acknowledge(record, "accept")
# ```
#
# A poll **acquires** (获取) records: the worker holds them for some time. Then the worker
# **acknowledges** (确认) each record with one of four words.
#
# | Word | Meaning | The record is then |
# |---|---|---|
# | accept | done | acknowledged, at its end |
# | release | not done, somebody shall try again | available |
# | reject | nobody shall try again | archived, at its end |
# | renew | not done yet, I am still working | acquired, for the full time again (KIP-1222) |
#
# The words go to the broker with the next `poll`, or with `commit_sync`. This needs
# `share.acknowledgement.mode=explicit`. With the default, `implicit`, the next `poll`, `commit_sync`,
# `commit_async` or `close` accepts all records of the last poll.
#
# Six jobs. ada polls twice. The first poll joins the group and brings nothing.

# %%
lab = jobs(6)
ada = worker(lab, "ada", max_poll_records=6)
polls = [ada.poll(timeout_ms=2_000) for _ in range(2)]
for record, word in zip(polls[1], ("accept", "release", "reject", "accept", "release", "accept")):
    ada.acknowledge(record, word)
ada.commit_sync()
[len(records) for records in polls]

# %% [markdown]
# The broker keeps two offsets. Before the **share-partition start offset** (共享分区起始偏移量, SPSO)
# all records are at their end. After the *end offset* (SPEO) nobody has acquired a record yet. Between
# the two lies the *window*. Only there each record has a state of its own.
#
# ada accepted 0, 3 and 5, released 1 and 4, and rejected 2. Guess the start offset. How many records
# does the next poll bring?

# %%
predict("16 the window", start_offset=None, next_poll=None)

# %%
from kafkalab.stories.share_groups import share_state

before = window(lab)
start_offset = share_state(lab)["start_offset"]
again = ada.poll(timeout_ms=2_000)
truth("16 the window", start_offset=start_offset, next_poll=len(again))
before

# %% [markdown]
# The start offset is 1, because record 1 is not done. Records 3 and 5 have larger offsets and are done
# already. "Acknowledging is committing" is wrong here. A committed offset is one number: all below it
# is done. It cannot say "3 and 5, but not 1 and 4". The share group notes it for each record.
#
# The next poll brings 1 and 4 again. Their **delivery count** (投递次数) is 2. A record that is
# archived or acknowledged never comes again.
#
# The leader of the partition holds the window. The *share coordinator* writes each new state into the
# topic `__share_group_state`, so that a new leader knows it. (In the lab this is a table that is never
# lost.) The leader answers when it is written, some milliseconds later. Until then the record is *in
# transition*: a released record is with nobody, and nobody can acquire it yet. Section 5 shows what
# follows from this.

# %% exercise="16.1"

# %% [markdown]
# ## 3. A worker dies with records in its hands
#
# ada gets four jobs and holds them. bo waits for jobs. Two cases:
#
# - ada's process is killed after six seconds.
# - ada works on and on. After 32 seconds she accepts all four.
#
# A member holds a record under an **acquisition lock** (获取锁). It lasts 30 seconds
# (`group.share.record.lock.duration.ms`; the setting of one group has no `group.` before it). After
# how many seconds does bo get the jobs, in each case?

# %%
predict("16 who gets them", killed=None, slow=None)

# %%
from kafkalab.stories.share_groups import ada_and_bo, bo_got

labs = {how: ada_and_bo(how, seconds, count=4) for how, seconds in (("killed", 6), ("works", 32))}
truth("16 who gets them", killed=bo_got(labs["killed"]), slow=bo_got(labs["works"]))
record_lanes(labs["killed"], "workers")

# %%
record_lanes(labs["works"], "workers")

# %% [markdown]
# When ada's process dies, the operating system closes her connection. The broker sees it, ends her
# share session, and frees her records at once. It does not wait for the lock. bo's fetch waits at the
# broker at this moment. It looks for records again when its time is over, at most half a second later
# (`fetch.max.wait.ms`). When her machine loses its power or its network, nothing closes the connection.
# Then bo waits for the end of the lock.
#
# When ada is slow, her connection is open and her heartbeats continue. The broker waits for the lock.
# After 30 seconds bo gets the jobs: at 32 on the picture's clock, for ada got them at 2. Now two
# workers do the same four jobs. In the picture ada's hollow bar continues beside bo's. The lock is no
# proof that a worker has stopped.
#
# What does ada hear, 32 seconds after she got the jobs?

# %%
from kafkalab.stories.share_groups import ada_heard

[event.error for event in labs["works"].journal.of("heard")]

# %% [markdown]
# Her acknowledgement is refused with INVALID_RECORD_STATE (error 121): bo holds the records now. She
# has worked for nothing, or worse: the effect is there twice. `commit_sync` returns this error for
# its partition. It does not raise. A loop that does not look never learns of it.
#
# And if she needs 20 seconds, or 40? After 40 seconds bo is done, and the start offset has passed the
# four records.

# %%
{seconds: ada_heard(ada_and_bo("works", seconds)) for seconds in (20, 32, 40)}

# %% [markdown]
# After 40 seconds she hears "ok". The records are before the start offset, and the broker passes over an
# acknowledgement for them. So "ok" does not prove that she alone did the work. A share group gives
# at least once, like the loops of chapter 09. So doing the work twice must do no harm. Such work is
# called *idempotent* (幂等).
#
# A worker that needs longer says `renew` in time. Fewer records a poll help too, and so does a longer
# lock. The brokers allow 15 to 60 seconds by default.

# %% exercise="16.2"

# %% [markdown]
# ## 4. A record that nobody can do
#
# Record 3 fails at each try. Each worker that gets it releases it. How often is it delivered? And
# what does the group do with it in the end: is it "archived", or "delivered for ever"?

# %%
predict("16 a pill", deliveries=None, end=None)

# %%
from kafkalab.stories.share_groups import deliveries, ends, steps

lab = jobs(6)
start_workers(lab, "ada bo", lambda record: "release" if record.offset == 3 else "accept")
lab.run_for(ms=15_000)
end = "archived" if "delivery limit" in ends(lab) else "delivered for ever"
truth("16 a pill", deliveries=deliveries(lab)[3], end=end)
steps(lab, 3)

# %%
record_lanes(lab, "workers")

# %% [markdown]
# Five times, then it is archived: `group.share.delivery.count.limit` is 5. All other jobs are done.
# In chapter 12 one bad record stopped a consumer group. A share group gets past a bad job by itself.
#
# This help has a price. The five deliveries took four seconds. Nobody was told. No exception is
# raised, and the workers' logs have no warning. If the cause is a bank that is away for a minute,
# **good** jobs are archived too, after five quick tries. Then they are lost for the group.
#
# **Dead letters** (死信). Brokers 4.4 can keep what a group gives up in a topic of its own (KIP-1191).
# Three settings do it:
#
# - The group names the topic: `errors.deadletterqueue.topic.name`. The name must begin with `dlq.`,
#   and by default no broker makes the topic.
# - The topic allows it: `errors.deadletterqueue.group.enable=true`.
# - The group copies the record: `errors.deadletterqueue.copy.record.enable=true`.
#
# Record 3 fails at each try again, and record 5 is rejected at once. Guess how many letters are
# written. And without the third setting, is the value of a letter "the job" or "nothing"?

# %%
predict("16 dead letters", letters=None, value=None)

# %%
from kafkalab.stories.share_groups import letters, with_dead_letters


def rule(record):
    return {3: "release", 5: "reject"}.get(record.offset, "accept")


kept = letters(with_dead_letters(rule))
truth(
    "16 dead letters",
    letters=len(kept),
    value="nothing" if kept.value.isna().all() else "the job",
)
kept

# %% [markdown]
# Two letters. Six headers of each, `__dlq.errors.topic` and so on, say where the record was, how often
# it was delivered, and why it is here. Without copying, this is all: the job itself is still in its
# topic, until retention deletes it. The record's own headers are never copied.
#
# A letter can be lost. If it cannot be written, the record is archived all the same, and only the
# broker's log tells. Here the topic does not allow letters:

# %%
lab = with_dead_letters(rule, allowed=False)
lab.broker_lines(0).query("level == 'ERROR'").message.tolist()

# %% [markdown]
# Brokers 4.2 and 4.3 write no letters. There the worker does it, before the last delivery is used up.
# It also waits before it gives a job back, so that a short fault is over at the next try:

# %%
from kafkalab import KafkaConsumer, KafkaProducer, ProducerRecord

lab = jobs(6)
lab.create_topic("jobs-dead")
post = KafkaProducer(lab, name="post")


# %%
def park(record):
    if record.offset != 3:  # job 3 fails at each try
        return "accept"
    if record.delivery_count < 4:
        lab.sleep(2_000)  # well below the lock
        return "release"
    letter = ProducerRecord("jobs-dead", record.value, key=f"jobs-0@{record.offset}")
    post.send(letter).get()  # raises where it is not written; then nothing is acknowledged
    return "reject"


# %%
start_workers(lab, "ada bo", park)
lab.run_for(ms=30_000)
people = KafkaConsumer(lab, {"group.id": "people", "auto.offset.reset": "earliest"})
people.subscribe(["jobs-dead"])
ends(lab), [record.key for record in people.poll(timeout_ms=5_000)]

# %% [markdown]
# Here is the window in one picture: twelve jobs, two workers. A held record has its worker's name and
# the number of its delivery. This picture moves: use the slider, the play button and the switch. What
# does one bad job do to the window, and what does a killed worker do?

# %%
from kafkalab.stories.moving_share_groups import window_over_time

window_over_time()

# %% [markdown]
# While job 2 is released again and again, the start offset stays at 2, and the window grows. The other
# jobs are done. At the fifth release job 2 is archived, and the window passes it. A killed worker's
# jobs are available at once.
#
# So the worker must know *why* a job failed. Each of the four words has its case.

# %% exercise="16.3"

# %% [markdown]
# `survive` plays six kinds of days with as many seeds as you like. Ten seeds are sixty days and take
# about half a minute. Try it with a wrong rule too. Which day breaks it?

# %%
from kafkalab.stories.share_groups import survive

# survive(verdict, seeds=10)      # take the # away when your rule is ready

# %% [markdown]
# ---
# **A good place to stop for today.** When you come back, click here and choose *Run*, *Run All
# Above Selected Cell*. It continues past an exercise that is still open.
#
# ## 5. The order is gone
#
# 24 jobs in one partition, three workers, two records a poll. A job takes 200 to 800 milliseconds.
# Nobody fails. Guess: "in order" or "not in order"? Then each third job is released once. Write the
# jobs in a row as they get done. How many of the first six are at their own place, job 0 first, job 1
# second and so on?

# %%
predict("16 order", nobody_fails=None, at_their_place=None)

# %%
from kafkalab.stories.share_groups import order_done, uneven


def order(rule):
    lab = jobs(24)
    start_workers(lab, "ada bo cy", rule, work_ms=uneven)
    lab.run_for(ms=20_000)
    return order_done(lab)


def third(record):
    return "release" if record.offset % 3 == 0 and record.delivery_count == 1 else "accept"


calm, troubled = order(lambda record: "accept"), order(third)
truth(
    "16 order",
    nobody_fails="in order" if calm == sorted(calm) else "not in order",
    at_their_place=sum(place == offset for place, offset in enumerate(troubled[:6])),
)
calm[:12], troubled[:12]

# %% [markdown]
# Even without a failure job 4 is done before job 1: three workers work at the same time. With
# failures it is worse. A released job comes back after others: job 0 is the fifth one now.
#
# And one worker alone? Four jobs, one a poll. ada gives job 1 back once. She is the only member. Guess:
# as which number is job 1 done, 2 or 3 or 4?

# %%
predict("16 one worker", job_1_is_number=None)

# %%
lab, done = jobs(4), []
ada = worker(lab, "ada", max_poll_records=1)
while len(done) < 4:
    for record in ada.poll(timeout_ms=2_000):
        gives_back = record.offset == 1 and record.delivery_count == 1
        ada.acknowledge(record, "release" if gives_back else "accept")
        done += [] if gives_back else [record.offset]
truth("16 one worker", job_1_is_number=done.index(1) + 1)
done

# %% [markdown]
# Her next poll sends one request. It carries the release of job 1 and asks for a new job. The leader
# takes the release first, and has it written. Then it looks for a job at once. Job 1 is still in
# transition, so ada gets job 2. With the poll after that she gets job 1. Real brokers 4.4 give the same
# order.
#
# A key does not help. In a consumer group all records of a key are in one partition, and one member
# works on them in their order (chapter 01). In a share group two workers may hold two records of the
# same key at the same moment. "Paid" may be done before "ordered".
#
# ## 6. One record holds the window
#
# 300 jobs. ada gets job 0 and needs 25 seconds for it. bo and cy are quick: ten milliseconds for a
# job. The group may have 100 records in its window (`group.share.partition.max.record.locks`; the
# default is 2,000). How many jobs are done after 20 seconds? And after 40?

# %%
predict("16 the first one", after_20_s=None, after_40_s=None)

# %%
from kafkalab.stories.share_groups import stuck_at_the_start

lab = stuck_at_the_start(locks=100)
done = {}
for seconds in (20, 40):
    lab.run_for(ms=20_000)
    done[seconds] = len(order_done(lab))
truth("16 the first one", after_20_s=done[20], after_40_s=done[40])
done

# %% [markdown]
# 99 jobs are done quickly. Then everybody waits. The window begins at record 0, which is not done,
# and it holds at most 100 records. So one slow record can stop a partition here too. It does so later
# than in a consumer group, and with workers that are up and idle.
#
# The lag of a share group counts from the start offset, too: all records up to the log end, without
# those that are done already. Kafka's tool prints both. Here it is after 20 seconds:

# %%
from kafkalab.tools.command import tool

lab = stuck_at_the_start(locks=100)
lab.run_for(ms=20_000)
print(tool(lab, "kafka-share-groups.sh --describe --group workers"))

# %% [markdown]
# The lag is 201, and one record is the cause: the start offset. When lag grows, look at it first.
#
# ## 7. Is it faster?
#
# "A share group is a faster group." Now the topic has four partitions, and each group four workers.
# 64 jobs take 20 milliseconds each. Guess: is the share group "faster" or "not faster"? How many
# requests do the workers of each group send in this time? All count: fetches, acknowledgements,
# commits and heartbeats.

# %%
predict("16 a race", share_is=None, share_requests=None, consumer_requests=None)

# %%
import pandas
from kafkalab.stories.share_groups import race, requests

four, races = "ada bo cy di", [(1, "classic"), (1, "share"), (4, "classic"), (4, "share")]
table = pandas.DataFrame(races, columns=["partitions", "group"])
labs = [race(kind, partitions) for partitions, kind in races]
table["seconds"] = [seconds_of_work(lab, four, 20) for lab in labs]
table["requests"] = [requests(lab, four) for lab in labs]
sent, took = table.requests.tolist(), table.seconds.tolist()
truth(
    "16 a race",
    share_is="faster" if took[3] < 0.9 * took[2] else "not faster",
    share_requests=sent[3],
    consumer_requests=sent[2],
)
table

# %% [markdown]
# With one partition four workers beat one. With four partitions both groups have four workers at
# work, and need nearly the same time. The share group sends more requests. Its consumer fetches when the
# last records are acknowledged, and each fetch carries the acknowledgements. Its answer waits until
# the state of each record is written. A consumer group fetches many records at once and commits one
# number.
#
# So a share group gives more workers than partitions, not more speed for each worker. A group may
# have up to 200 members (`group.share.max.size`).
#
# One more surprise. `max.poll.records` is a wish. A share consumer gets whole batches of the log. A
# producer wrote eight records as one batch, and `max.poll.records` is 3:

# %%
from kafkalab.stories.share_groups import records_of_one_poll

{
    mode: records_of_one_poll(batch=8, limit=3, mode=mode)
    for mode in ("batch_optimized", "record_limit")
}

# %% [markdown]
# All eight come, under one lock. If each needs five seconds, the lock ends before the seventh is
# done. `share.acquire.mode=record_limit` holds the limit (KIP-1206).
#
# Must seven good jobs share the end of a bad one? A worker fails at record 2 and gives all eight back,
# each time. These are its polls, as offsets and their delivery:

# %%
from kafkalab.stories.share_groups import polls_of_a_bad_batch

polls_of_a_bad_batch(bad=2)

# %% [markdown]
# From 4.2 on the leader gives a batch in portions when half of the deliveries are used up. Here it
# gives half of the batch for the fourth time, and the half without record 2 is done. For the last time each
# record comes alone. So the bad record takes no other with it.

# %% [markdown]
# ## 8. When to take one, and when not
#
# | Take a share group | Do not take one |
# |---|---|
# | Each record is a job of its own: a mail, a picture, a payment check. | Records of a key must be done in their order. |
# | Jobs are slow, and their times differ much. | Work is quick: most of the time goes into fetching. |
# | You want more workers than partitions. | The reader computes a state from all records of a key. |
# | A failed job shall be tried again, apart from the others. | The result must be written exactly once with a transaction (chapter 06). |
# | Doing the work twice does no harm: it is *idempotent*. | You want to go back with `seek` or read again. |
#
# The two kinds can read the same topic. A group id belongs to one kind only.

# %% exercise="16.4"

# %% [markdown]
# ## 9. The real thing beside it
#
# A recording of two real Java share consumers 4.4.0 on a real broker. The lock is 5 seconds here.
# worker-1 gets three records and keeps them. `real` is the log of the Java clients, `played` the log
# of the simulator. Seconds count from the first delivery:

# %%
from kafkalab.stories.recorded import recorded
from kafkalab.stories.share_groups import acquired_in

pair = recorded("4.4.0/4.4.0/share_lock_passes_on", seed=0)
acquired_in(pair.real)

# %%
acquired_in(pair.played)

# %% [markdown]
# One question about the real log. When worker-2 gets the records 0 to 2, it accepts them at once. A
# moment later worker-1 accepts them, too. What did the real broker answer to worker-1: error 121, or
# no error?

# %%
answered = pair.real[pair.real.message.str.contains("Received SHARE_ACKNOWLEDGE")]
code = answered.message.str.extract(r"PartitionData\(partitionIndex=0, errorCode=(\d+)")[0]
answered[["time", "client"]].assign(error=code).dropna().tail(2)

# %% [markdown]
# <details><summary>The answer</summary>No error: 0. worker-2 had accepted the records, so the start
# offset had passed them (section 3). worker-1 believes that it alone did the work.</details>
#
# ## 10. Spark lab: who did it twice?
#
# A team of four workers sends mails. Two of them go home after 25 seconds. Some customers got the same
# mail twice. The lock is 30 seconds. All you have is the logs of the four workers.

# %%
from kafkalab.stories.log_files import write_log_files
from kafkalab.stories.share_groups import night_of_the_workers, records_told

night = night_of_the_workers(**dict(numbers("16.5")))
logs = {name: night.log_text(name) for name in ("ada", "bo", "cy", "di")}
worker_logs = write_log_files(logs, "chapter16/worker_logs")

# %% [markdown]
# Two kinds of lines tell it all. An answer to a fetch lists what the worker acquired:
# `AcquiredRecords(firstOffset=8, lastOffset=11, deliveryCount=1)`. The next request lists what it says
# of them: `AcknowledgementBatch(firstOffset=8, lastOffset=11, acknowledgeTypes=[2, 1, 1, 1])`. Type 1
# is accept, 2 release, 3 reject, 4 renew. One type counts for all records of the batch. Spark starts
# now. That takes up to a minute.

# %% spark=true
from kafkalab import logsets
from pyspark.sql import functions as F

spark = logsets.session()
lines = logsets.read(spark, str(worker_logs))
told = lines.where("message like '%AcquiredRecords(%' or message like '%AcknowledgementBatch(%'")
pandas.set_option("display.max_colwidth", 160)  # show more of the text
told.select("time", "client_id", "message").orderBy("time").limit(4).toPandas()

# %% [markdown]
# One row for each record makes counting easy. `records_told` reads these lines. `given` has the
# deliveries, `said` what the workers said. `second` is the time of the lab.

# %%
rows = [(name, *row) for name, log in logs.items() for row in records_told(log)]
rows[:2]

# %% spark=true
columns = "worker string, second double, what string, offset int, number int"
records = spark.createDataFrame(rows, columns)
given = records.where("what = 'given'").drop("what").withColumnRenamed("number", "delivery")
said = records.where("what = 'said'").drop("what").withColumnRenamed("number", "word")
given.groupBy("delivery").count().orderBy("delivery").toPandas()

# %% exercise="16.5"

# %% [markdown]
# ## 11. In your own words
#
# A person reads this answer. `reveal("16.open", give_up=True)` shows a good one.

# %% exercise="16.open"

# %% [markdown]
# ## Then and now
#
# | Then | Now | Try it |
# |---|---|---|
# | A topic needs as many partitions as workers. | A share group has more workers than partitions: early access in 4.0, ready since 4.2 (KIP-932). | section 1 |
# | A poll may bring more than `max.poll.records`. | `share.acquire.mode=record_limit` holds it (KIP-1206). | section 7 |
# | A worker cannot hold a record longer than the lock. | It may `renew` (KIP-1222). | section 3 |
# | A share group archives in silence. | With three settings of 4.4 it writes a dead letter (KIP-1191). | section 4 |
# | A bad record takes its whole batch with it. | From 4.2 it comes alone for the last time. | section 7 |
#
# Older clients cannot take part. The jar of 3.9 has the class already, but unfinished. The lab plays
# 4.4 only, and says what the real ones do:

# %%
from kafkalab import KafkaShareConsumer, Lab
from kafkalab.errors import ConfigException

for release in ("3.6", "3.9", "4.4"):
    try:
        KafkaShareConsumer(Lab(1, version=release, broker_version="4.4"), {"group.id": "workers"})
        print(f"{release}: a share consumer")
    except ConfigException as error:
        print(error)

# %% [markdown]
# ## Break it yourself
#
# Four workers, 24 jobs, each three seconds. A poll brings ten records. Most jobs are delivered again
# and again. Change one of the two numbers so that each job is delivered once. Then try it with the
# other number. Where is the limit, and why?

# %%
from collections import Counter

max_poll_records, work_ms = 10, 3_000
lab = jobs(24)
start_workers(lab, "ada bo cy di", work_ms=work_ms, max_poll_records=max_poll_records)
lab.run_for(ms=120_000)
Counter(deliveries(lab).values())  # deliveries: jobs

# %% [markdown]
# ### The same on real Kafka
#
# Four workers of a share group do twelve jobs of one partition. The cell below is folded. It does
# this on the simulator and on real brokers of your machine, in about a minute. Real Kafka must be
# set up once: `python -m kafkalab real setup`. Without it the cell prints one sentence.

# %% fold=true
from kafkalab import ProducerRecord
from kafkalab.real import on_both


def four_workers(kafka):
    lab, done = kafka.Lab(brokers=1, version="4.4"), []
    lab.create_topic("jobs")
    lab.configure_group("workers", {"share.auto.offset.reset": "earliest"})

    def work(lab, name):
        settings = {"group.id": "workers", "share.acknowledgement.mode": "explicit"}
        worker = kafka.KafkaShareConsumer(lab, {**settings, "max.poll.records": 2}, name=name)
        worker.subscribe(["jobs"])
        while len(done) < 12:
            for record in worker.poll(timeout_ms=1_000):
                lab.sleep(500)
                worker.acknowledge(record)
                done.append((record.offset, name))
        worker.close()

    for name in ("ada", "bo", "cy", "di"):
        lab.spawn(work, name, name=name)
    lab.run_for(ms=15_000)  # Java starts, and the members join
    shop = kafka.KafkaProducer(lab, {"linger.ms": 0}, name="shop")
    for number in range(12):
        shop.send(ProducerRecord("jobs", f"job {number}")).get()
    lab.run_until(lambda: len(done) == 12, timeout_ms=30_000)
    workers = len({name for _, name in done})
    return {"jobs done": len({offset for offset, _ in done}), "workers with a job": workers}


on_both(four_workers)

# %% [markdown]
# **So what.** The numbers for production: the time for all records of one poll must be well below
# the lock, so begin with a small `max.poll.records` and `record_limit`. Look at what `commit_sync`
# returns, or set a callback. Write down each record that you reject, and each with a
# `delivery_count` of 4 or more, because by default the group archives in silence. Or give the group a
# dead-letter topic, and alert when it grows, and on "Failed to write to DLQ" in the brokers' logs.
# Pause before you release a record: without a pause five deliveries take a few seconds. Alert when the
# start offset stops while the log grows: one record holds the window. Two of the brokers' metrics:
# `AcquisitionLockTimeoutPerSec` above 0 tells of slow workers, and `RecordAcknowledgementsPerSec` with
# `ackType=Release` or `Reject` of jobs that fail (KIP-1103).
#
# ## What you know now
#
# - A consumer group divides partitions. A share group divides records.
# - Each record is available, acquired, acknowledged or archived. The broker knows it for each record
#   between the start and the end offset.
# - A killed worker's records are free when the broker sees its connection close. A slow worker's records are free when the lock ends.
# - A released record can be acquired again when its new state is written.
# - A late acknowledgement is refused while the record is not at its end.
# - After five deliveries a record is archived, and by default nobody is told.
# - No order, not even for one key. At least once, not exactly once.
#
# **Words**: share group 共享组 · acquire 获取 · acknowledge 确认 · acquisition lock 获取锁 · delivery
# count 投递次数 · share-partition start offset 共享分区起始偏移量

# %%
from autograder import my_guesses

my_guesses("16")  # your guesses of this chapter, the surprises first

# %% [markdown]
# ### Do you remember?
#
# <details><summary>1. Chapter 07: how many members of a consumer group can own one
# partition?</summary>At most one at a time.</details>
# <details><summary>2. Chapter 09: work, then commit: what does a crash in between
# cost?</summary>Records are done twice: at least once.</details>
# <details><summary>3. Chapter 12: what does a consumer group do with a record that it cannot read?
# </summary>Nothing. The poll raises at the same offset again, until the program moves past it.</details>
