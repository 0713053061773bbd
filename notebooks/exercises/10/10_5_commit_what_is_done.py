# %% [markdown]
# ### Exercise 10.5 · Commit what is done
#
# Write the poller. `consumer` is subscribed to two partitions; `pool` has four workers. You have:
#
# - `consumer.poll(timeout_ms=...)`, `consumer.commit_sync({TopicPartition:
#   OffsetAndMetadata(next_offset)})` and the consumer's other methods.
# - `pool.submit(record)`: hands it over and returns at once. `pool.finished()`: the records that
#   were finished since you last asked. `pool.wait()`: returns when all are done.
#
# The function never returns. Some orders take more than a second, and `max.poll.interval.ms` is one
# second here. The check runs your function on six days. On the first nobody crashes. There an order
# waits 1.5 seconds at most for its commit; the time counts once it and all before it are done. On
# the other days ada is killed in the middle of her work, and bo takes over with the same function.
# Some orders are then done twice; that cannot be avoided. Thirty is the limit. On no day may a commit
# go past an order that is still in work. In the end all orders are committed.

# %% answer
def work_through(consumer, pool):
    """Poll, hand out, and commit in each partition up to the oldest record that is not done."""
    ### BEGIN SOLUTION
    waiting = {}  # partition -> {offset: is it done?}, in order
    while True:
        for order in consumer.poll(timeout_ms=100):
            pool.submit(order)
            waiting.setdefault(TopicPartition(order.topic, order.partition), {})[order.offset] = (
                False
            )
        for order in pool.finished():
            waiting[TopicPartition(order.topic, order.partition)][order.offset] = True
        safe = {}
        for partition, is_done in waiting.items():
            while is_done and is_done[min(is_done)]:
                oldest = min(is_done)
                del is_done[oldest]
                safe[partition] = OffsetAndMetadata(oldest + 1)
        if safe:
            consumer.commit_sync(safe)
    ### END SOLUTION


# %% question
from autograder.cell.anomalies import anomalies
from autograder.cell.kinds import Function
from autograder.cell.runs import done, run_of
from kafkalab.stories import slow_consumers

# what a pool of four may have finished out of order, and a little more
MOST_REPEATED = 30
ORDERS = 80
SHIFTS = (
    {"case": "nobody crashes", "seed": 5, "crash_ms": 0},
    {"case": "day 1: ada is killed after 3.8 seconds", "seed": 1, "crash_ms": 3_800},
    {"case": "day 3: ada is killed after 4.2 seconds", "seed": 3, "crash_ms": 4_200},
    {"case": "day 4: ada is killed after 3.8 seconds", "seed": 4, "crash_ms": 3_800},
    {"case": "day 6: ada is killed after 4.2 seconds", "seed": 6, "crash_ms": 4_200},
    {
        "case": "day 16: ada is killed after 1.8 seconds, with the first order in work",
        "seed": 16,
        "crash_ms": 1_800,
    },
)


def shift(case, part):
    """Ada has four workers for the orders of two partitions.
    She may be killed at it; then Bo comes with four more."""
    return slow_consumers.shift(case["seed"], case["crash_ms"], part, done)


def how_it_went(case, lab):
    """What is wrong with a shift in a way of its own: nobody polled for too long, an order was
    handed out twice, a commit went too far, or too little was committed."""
    for event in lab.journal.of("line"):
        text = event.fields["message"]
        if event.fields["level"] == "WARN" and slow_consumers.EXPIRED in text:
            return (
                f"at {event.at_ms:,} ms {event.who} had not polled for longer than "
                "max.poll.interval.ms, which is 1,000 here, and left the group. "
                "Never wait for the workers.",
                (f"{event.at_ms:>9,} ms  {event.who:<12} {text[:150]}",),
            )
    if any(event.what == "returned" for event in lab.journal.of("told")):
        return (
            "your function ended, and nobody polls any more. It returned, or an exception went "
            "through it. Poll again and again.",
            (),
        )
    if anomalies({**run_of(lab), "tells_work": True}, ("lost", "skipped")):
        return None  # which the promise tells
    if twice := slow_consumers.submitted_twice(lab):
        return f"{twice} Call pool.submit once for each record.", ()
    if past := slow_consumers.committed_past(lab):
        return f"{past} Had the process died then, this order would be lost.", ()
    finished = slow_consumers.finished_orders(lab)
    if len(set(finished)) == ORDERS:
        saved = slow_consumers.committed_orders(lab)
        if saved < ORDERS:
            return (
                f"all {ORDERS} orders were finished, but the committed offsets cover {saved} of "
                "them. The one who starts next would do the others again.",
                (),
            )
    waited_ms, which = slow_consumers.longest_wait(lab)
    if case["crash_ms"] == 0 and waited_ms > slow_consumers.MOST_WAIT_MS:
        return (
            f"the order in {which} and all before it were done, and its commit came {waited_ms:,} "
            "ms later. After a slow order many can be committed at once.",
            (),
        )
    repeated = len(finished) - len(set(finished))
    if repeated > MOST_REPEATED:
        return (
            f"nothing is lost, but {repeated} orders were done a second time, and {MOST_REPEATED} is "
            "the limit. Bo begins at the committed offset: it was too far behind the work.",
            (),
        )
    return None


def what_it_proved(case):
    """The sentence of a day on which the promise was kept."""
    if case["crash_ms"] == 0:
        return (
            f"right: all {ORDERS} orders are done and committed. Nobody crashed, so nothing could "
            "be lost here."
        )
    return "right: ada died with orders in work, and her commit had not gone past one of them."


Function(
    title="commit what is done",
    points=5,
    answers=("work_through",),
    public_cases=SHIFTS,
    play=shift,
    part="Crew",
    promise=("lost", "skipped", "unobserved", "nonmonotonic"),
    look=how_it_went,
    kept=what_it_proved,
)

# %% judge
from autograder.course.judge import Judge

Judge(
    hidden_cases=lambda rng: [
        {"seed": rng.randrange(10, 900), "crash_ms": rng.choice((3_600, 3_800, 4_000, 4_200))}
        for _ in range(3)
    ],
    unseen=(
        "on a day that you have not seen an order is lost, or too many are repeated. Does your "
        "commit wait for the oldest order that is not done, in each partition?"
    ),
)

# %% begin
from kafkalab import OffsetAndMetadata, TopicPartition


# %% wrong="commit what was polled"
# commit_sync() without arguments commits what poll() has returned. The workers had not finished
# it, and after the crash nobody does.
def work_through(consumer, pool):
    while True:
        for record in consumer.poll(timeout_ms=100):
            pool.submit(record)
        consumer.commit_sync()


# %% wrong="commit the newest that is done"
# You committed the newest that was finished. A slower worker still had an older order, and the
# commit went past it.
def work_through(consumer, pool):
    done = {}
    while True:
        for record in consumer.poll(timeout_ms=100):
            pool.submit(record)
        for record in pool.finished():
            place = TopicPartition(record.topic, record.partition)
            done[place] = max(done.get(place, 0), record.offset + 1)
        consumer.commit_sync({place: OffsetAndMetadata(offset) for place, offset in done.items()})


# %% wrong="wait for the workers"
# Nothing is lost, but nobody polls while you wait. One slow order is enough, and your client leaves
# the group.
def work_through(consumer, pool):
    while True:
        for record in consumer.poll(timeout_ms=100):
            pool.submit(record)
        pool.wait()
        consumer.commit_sync()


# %% wrong="never commit"
# Nothing was committed. Bo begins at the first order again, and all the work is done twice.
def work_through(consumer, pool):
    while True:
        for record in consumer.poll(timeout_ms=100):
            pool.submit(record)
        pool.finished()


# %% wrong="one list for all partitions"
# Offsets count for one partition each. You put those of two partitions into one list, so order 3
# of one covers order 3 of the other.
def work_through(consumer, pool):
    open_ = {}
    while True:
        for record in consumer.poll(timeout_ms=100):
            pool.submit(record)
            open_[record.offset] = False
        for record in pool.finished():
            open_[record.offset] = True
            while open_ and open_[min(open_)]:
                first = min(open_)
                del open_[first]
                consumer.commit_sync(
                    {TopicPartition(record.topic, record.partition): OffsetAndMetadata(first + 1)}
                )


# %% wrong="begins at 0"
# Bo never committed. He does not begin at offset 0: the first record that he polls has another
# offset. Begin with the offset that you are given.
def work_through(consumer, pool):
    oldest, ready = {}, set()
    while True:
        for record in consumer.poll(timeout_ms=100):
            pool.submit(record)
            oldest.setdefault(TopicPartition(record.topic, record.partition), 0)
        for record in pool.finished():
            ready.add((TopicPartition(record.topic, record.partition), record.offset))
        safe = {}
        for place in oldest:
            while (place, oldest[place]) in ready:
                oldest[place] += 1
                safe[place] = OffsetAndMetadata(oldest[place])
        if safe:
            consumer.commit_sync(safe)


# %% equivalent
# `consumer.poll(timeout_ms=100)` -> `consumer.poll(timeout_ms=101)`, `consumer.poll(timeout_ms=99)`:
# 100 is only an example.
# `if safe:` without its test, its body: to commit an empty dict commits nothing.
# `safe` -> `True`: the same.

# %% hint
# For each partition remember what was handed out, in order, and what of it is done. The commit may
# go up to the first that is not.

# %% hint
# A dict for each partition, offset -> False; pool.finished() turns some to True. From the front
# take away what is True; the last one taken away, plus one, is the commit.
