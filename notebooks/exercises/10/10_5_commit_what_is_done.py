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
# second here. The check runs your function on several days. On most of them ada is killed in the
# middle of her work, and bo goes on with the same function. Nothing may be lost. Something will be
# done twice, that cannot be helped, but no more than some thirty orders.

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
from random import Random

from autograder.cell.kinds import Function
from autograder.cell.runs import done
from kafkalab import (
    CommitFailedException,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    ProducerRecord,
    WorkerPool,
)

# what a pool of four may have finished out of order, and a little more
MOST_REPEATED = 34
SHIFTS = (
    {"case": "nothing happens", "seed": 1, "crash_ms": 0},
    {"case": "ada is killed after 3.8 seconds", "seed": 2, "crash_ms": 3_800},
    {"case": "ada is killed after 4.2 seconds", "seed": 3, "crash_ms": 4_200},
    {"case": "ada is killed after 4.6 seconds", "seed": 4, "crash_ms": 4_600},
)


def shift(case, part):
    """Ada has four workers for the orders of two partitions.
    She may be killed at it; then Bo comes with four more."""
    lab = Lab(brokers=3, seed=case["seed"], broker_config={"group.min.session.timeout.ms": 1_000})
    lab.create_topic("orders", partitions=2)

    def shop(lab):
        producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
        for number in range(80):
            producer.send(ProducerRecord("orders", key=f"order {number}", value="tea"))
            lab.sleep(50)

    def on_duty(lab, name):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": "stock",
                "auto.offset.reset": "earliest",
                "enable.auto.commit": False,
                "max.poll.records": 10,
                "session.timeout.ms": 2_000,
                "heartbeat.interval.ms": 500,
                "max.poll.interval.ms": 1_000,
            },
            name=name,
        )
        consumer.subscribe(["orders"])

        def store(record):
            chance = Random(f"{case['seed']} {record.key}")
            lab.sleep(chance.choice((60, 90, 120)) if chance.random() < 0.92 else 1_200)
            done(lab, name, record)

        try:
            part(lab, consumer, WorkerPool(lab, 4, store, name))
        except CommitFailedException:
            # the program ends with what its log says
            pass
        consumer.close()

    lab.spawn(shop, name="shop")
    lab.spawn(on_duty, "ada", name="ada")
    lab.run_for(ms=case["crash_ms"] or 9_000)
    if case["crash_ms"]:
        lab.kill("ada")
        lab.spawn(on_duty, "bo", name="bo")
        lab.run_for(ms=9_000)
    lab.close()
    return lab


def how_it_went(case, lab):
    """What is wrong with a shift in a way of its own:
    nobody polled for too long, or nothing was committed."""
    for event in lab.journal.of("line"):
        if (
            event.fields["level"] == "WARN"
            and "consumer poll timeout has expired" in event.fields["message"]
        ):
            return (
                (
                    f"at {event.at_ms:,} ms {event.who} had not polled for longer than "
                    "max.poll.interval.ms, which is 1,000 here, and left the group. "
                    "Never wait for the workers."
                ),
                (f"{event.at_ms:>9,} ms  {event.who:<12} {event.fields['message'][:150]}",),
            )
    finished = [
        (event.fields["partition"], event.fields["offset"])
        for event in lab.journal.of("work")
        if event.fields["what"] == "ends"
    ]
    repeated = len(finished) - len(set(finished))
    if repeated > MOST_REPEATED:
        return (
            (
                f"nothing is lost, but {repeated} orders were done a second time. Bo begins at the "
                "committed offset: commit more, and more often."
            ),
            (),
        )
    return None


Function(
    title="commit what is done",
    points=5,
    answers=("work_through",),
    public_cases=SHIFTS,
    play=shift,
    part="Crew",
    promise=("lost", "skipped", "unobserved", "nonmonotonic"),
    look=how_it_went,
    kept=(
        "right: whatever the workers finish first, the commit waits for the oldest that is not "
        "done."
    ),
)

# %% judge
from autograder.course.judge import Judge

Judge(
    hidden_cases=lambda rng: [
        {"seed": rng.randrange(10, 900), "crash_ms": rng.choice((3_700, 4_000, 4_300, 4_700))}
        for _ in range(3)
    ],
    unseen=(
        "on a day that you have not seen the promise is broken. Does your commit wait for the "
        "oldest order that is not done, in each partition?"
    ),
)

# %% wrong="commit what was polled"
# commit_sync() without arguments commits what poll() has returned. The workers had not finished
# it, and after the crash nobody does.
from kafkalab import OffsetAndMetadata, TopicPartition


def work_through(consumer, pool):
    while True:
        for record in consumer.poll(timeout_ms=100):
            pool.submit(record)
        consumer.commit_sync()


# %% wrong="commit the newest that is done"
# You committed the newest that was finished. A slower worker still had an older order, and the
# commit went past it.
from kafkalab import OffsetAndMetadata, TopicPartition


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
# Nothing is lost, but while you wait nobody polls. One slow order is enough, and the group puts
# you out: the trouble you wanted to cure.
from kafkalab import OffsetAndMetadata, TopicPartition


def work_through(consumer, pool):
    while True:
        for record in consumer.poll(timeout_ms=100):
            pool.submit(record)
        pool.wait()
        consumer.commit_sync()


# %% wrong="never commit"
# Nothing was committed, so whoever comes next begins at the beginning, and all the work is done
# again.
from kafkalab import OffsetAndMetadata, TopicPartition


def work_through(consumer, pool):
    while True:
        for record in consumer.poll(timeout_ms=100):
            pool.submit(record)
        pool.finished()


# %% wrong="one list for all partitions"
# Offsets count for one partition each. You put those of two partitions into one list, so order 3
# of one covers order 3 of the other.
from kafkalab import OffsetAndMetadata, TopicPartition


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


# %% hint
# For each partition remember what was handed out, in order, and what of it is done. The commit may
# go up to the first that is not.

# %% hint
# A dict for each partition, offset -> False; pool.finished() turns some to True. From the front
# take away what is True; the last one taken away, plus one, is the commit.
