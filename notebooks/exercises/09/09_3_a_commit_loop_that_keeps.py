# %% [markdown]
# ### Exercise 09.3 · A commit loop that keeps its promise
#
# Now it is your turn. `loop(consumer, finish)` is called for each reader of a group, with a
# consumer that is subscribed and does not commit by itself. `finish(record)` is the work on a
# record, 15 milliseconds of it; call it once for each record. Orders come in bursts, in two
# partitions, and a poll returns at most five. The loop never ends. A second reader may join. Or
# yours is killed, and another reader goes on with the same function.
#
# Four promises, for every seed and every crash:
#
# 1. No order is lost or skipped.
# 2. When a reader joins, nothing is done twice. When one is killed at its work, at most the orders
#    of one poll are done twice.
# 3. When one is killed while it has nothing to do, nothing is done twice, even if a connection
#    broke before.
# 4. At most one commit for each poll. A commit for each record is too dear.
#
# You may use `poll`, `commit_sync`, `commit_async`, `position`, `committed`, `assignment` and
# `seek`. Tell `poll` how many milliseconds to wait for records, such as
# `consumer.poll(timeout_ms=500)`; an empty answer is possible.

# %% answer items="N62"
def loop(consumer, finish):
    """Read, work and commit, for ever."""
    ### BEGIN SOLUTION
    while True:
        got = list(consumer.poll(200))
        for each in got:
            finish(each)
        if got:
            consumer.commit_sync()
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord

SHIFTS = (
    {"case": "nothing happens", "seed": 1, "happens": "nothing", "at_ms": 0},
    {"case": "bo joins at 1.9 s", "seed": 2, "happens": "join", "at_ms": 1_900},
    {"case": "bo joins at 2.6 s", "seed": 3, "happens": "join", "at_ms": 2_640},
    {"case": "ada is killed at work, at 1.35 s", "seed": 4, "happens": "kill", "at_ms": 1_350},
    {"case": "ada is killed at work, at 2.3 s", "seed": 5, "happens": "kill", "at_ms": 2_300},
    {
        "case": "a commit's connection breaks, and ada is killed later, idle",
        "seed": 6,
        "happens": "break",
        "at_ms": 5_500,
    },
)
A_POLL = 5
BURSTS, IN_A_BURST, BETWEEN_MS, WORK_MS = 8, 6, 300, 15


def two_shifts(case, part):
    """Ada reads bursts of orders. Bo joins her, or takes over when she is killed."""
    lab = Lab(
        brokers=3,
        seed=case["seed"],
        broker_config={**AT_ONCE, "group.min.session.timeout.ms": 1_000},
    )
    lab.create_topic("orders", partitions=2)
    lab.place_coordinator("stock", broker=1)

    def shop(lab):
        producer = KafkaProducer(lab, {"linger.ms": 0}, name="shop")
        lab.sleep(1_000)
        for number in range(BURSTS * IN_A_BURST):
            producer.send(
                ProducerRecord("orders", partition=number % 2, key=f"tea-{number}", value="tea")
            )
            if number % IN_A_BURST == IN_A_BURST - 1:
                lab.sleep(BETWEEN_MS)
        lab.sleep(500)
        # one more order, and its commit does not get through at first
        if case["happens"] == "break":
            lab.link(1, "ada").cut_before_request("OFFSET_COMMIT")
        producer.send(ProducerRecord("orders", partition=0, key="tea-last", value="tea"))

    def on_duty(lab, name):
        consumer = KafkaConsumer(
            lab,
            {
                **READER,
                "group.id": "stock",
                "session.timeout.ms": 2_000,
                "heartbeat.interval.ms": 500,
                "max.poll.records": A_POLL,
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        part(lab, consumer, work_ms=WORK_MS)

    lab.spawn(shop, name="shop")
    lab.spawn(on_duty, "ada", name="ada")
    lab.run_for(ms=case["at_ms"] or 3_000)
    if case["happens"] in ("kill", "break"):
        lab.kill("ada")
    if case["happens"] != "nothing":
        lab.spawn(on_duty, "bo", name="bo")
    lab.run_for(ms=7_000)
    lab.close()
    return lab


def too_often(case, lab) -> tuple[str, tuple] | None:
    """What is wrong with a run that loses nothing: work done twice where it need not be,
    or a commit for each record."""
    from autograder.cell.anomalies import anomalies
    from autograder.cell.runs import run_of

    twice = anomalies({**run_of(lab), "tells_work": True}, ("lost", "skipped", "duplicated"))
    if any(each.name != "duplicated" for each in twice):
        return None  # which the promise tells
    allowed = A_POLL if case["happens"] == "kill" else 0
    if len(twice) > allowed:
        limit = f"at most the {A_POLL} of one poll may be" if allowed else "none need be here"
        return (
            (
                f"{len(twice)} order{' was' if len(twice) == 1 else 's were'} worked on twice; "
                f"{limit}. The first: {twice[0].sentence}"
            ),
            twice[0].proof,
        )
    polls = {(event.who, event.at_ms) for event in lab.journal.of("record.delivered")}
    asked: dict[str, list] = {}
    for event in lab.journal.of("commit"):
        if "offsets" in event.fields and asked.setdefault(event.who, [None])[-1] != event.offsets:
            asked[event.who].append(event.offsets)
    commits = sum(len(each) - 1 for each in asked.values())
    if commits > len(polls) + 2:
        return (
            (
                f"nothing is lost, but the bookmark was moved {commits} times for {len(polls)} "
                "polls, and each commit is a request. One for each poll is enough."
            ),
            (),
        )
    return None


Function(
    title="write the commit loop",
    points=4,
    answers=("loop",),
    public_cases=SHIFTS,
    play=two_shifts,
    part="Loop",
    look=too_often,
    promise=("lost", "skipped", "unobserved", "nonmonotonic"),
    kept="nothing was lost, and nothing was done twice that need not be.",
)

# %% judge
from autograder.course.judge import Judge

Judge(
    hidden_cases=lambda rng: [
        {
            "seed": rng.randrange(10, 900),
            "happens": happens,
            "at_ms": at_ms or 1_300 + 300 * rng.randrange(6) + rng.randrange(10, 70),
        }
        for happens, at_ms in (("join", 0), ("kill", 0), ("kill", 0), ("break", 5_500))
    ],
    unseen=(
        "the promise was not kept on a crash of ours. Try your loop on what the four rules "
        "say, one by one."
    ),
)

# %% wrong="commit first"
# You committed before the work was done. When this reader died, the bookmark stood behind orders
# that nobody had done, and nobody came back to them.
from kafkalab import OffsetAndMetadata, TopicPartition


def loop(consumer, finish):
    while True:
        records = list(consumer.poll(200))
        consumer.commit_sync()
        for record in records:
            finish(record)


# %% wrong="without + 1"
# You committed the offset of the last order that was done. A bookmark names the next one to read,
# so whoever goes on does that order once more.
from kafkalab import OffsetAndMetadata, TopicPartition


def loop(consumer, finish):
    while True:
        for record in consumer.poll(200):
            finish(record)
            at = {TopicPartition(record.topic, record.partition): OffsetAndMetadata(record.offset)}
        if consumer.assignment():
            try:
                consumer.commit_sync(at)
            except NameError:
                pass


# %% wrong="every tenth"
# You counted to ten, whatever a poll brought. The orders since the last full ten are done and not
# committed, and whoever goes on does them again.
from kafkalab import OffsetAndMetadata, TopicPartition


def loop(consumer, finish):
    count = 0
    while True:
        for record in consumer.poll(200):
            finish(record)
            count += 1
            if count % 10 == 0:
                consumer.commit_async(
                    {
                        TopicPartition(record.topic, record.partition): OffsetAndMetadata(
                            record.offset + 1
                        )
                    }
                )


# %% wrong="async only"
# Nobody waits for your commits and nobody repeats them. When the connection broke, one never
# arrived, and the orders it stood for were done again.
from kafkalab import OffsetAndMetadata, TopicPartition


def loop(consumer, finish):
    while True:
        records = list(consumer.poll(200))
        for record in records:
            finish(record)
        if records:
            consumer.commit_async()


# %% wrong="after each record"
# Nothing is lost, but you committed after every order. Each commit is a request with a wait; one
# for each poll keeps the promise as well.
from kafkalab import OffsetAndMetadata, TopicPartition


def loop(consumer, finish):
    while True:
        for record in consumer.poll(200):
            finish(record)
            consumer.commit_sync(
                {
                    TopicPartition(record.topic, record.partition): OffsetAndMetadata(
                        record.offset + 1
                    )
                }
            )


# %% wrong="the position in between"
# commit_sync() without arguments commits all that poll has returned, also the orders that still
# wait behind this one. A crash loses them.
from kafkalab import OffsetAndMetadata, TopicPartition


def loop(consumer, finish):
    while True:
        for record in consumer.poll(200):
            consumer.commit_sync()
            finish(record)


# %% wrong="no commit"
# Nothing was committed, so whoever comes next begins at the beginning, and all orders are done
# again.
from kafkalab import OffsetAndMetadata, TopicPartition


def loop(consumer, finish):
    while True:
        for record in consumer.poll(200):
            finish(record)


# %% hint
# Which is worse, to do an order twice or never? That decides what comes first. Then: how often,
# and do you wait for the answer?

# %% hint
# For each poll: finish all its records, then one commit that waits and tries again by itself.
