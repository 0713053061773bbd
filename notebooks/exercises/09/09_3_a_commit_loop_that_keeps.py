# %% [markdown]
# ### Exercise 09.3 · A commit loop that keeps its promise
#
# Write `loop(consumer, finish)`, the whole program of a reader. Its consumer is subscribed and does
# not commit by itself. `finish(record)` is the work on a record and takes 15 milliseconds. Call it
# once for each record. Orders come in bursts, in two partitions. A poll returns at most five.
#
# The loop does not end by itself. It ends when somebody tells it to: `poll` or `commit_sync` raises
# `WakeupException`, as after SIGTERM. Then the program has three seconds. A second reader may join.
# Or the process is killed, and another reader continues with the same function. Five promises, for
# every seed:
#
# 1. No order is lost or skipped.
# 2. A second reader joins: no order is done twice.
# 3. A reader is killed at work: only orders of its last poll are done twice. A reader is killed
#    while it has nothing to do: no order is done twice, even if a connection broke before.
# 4. A reader is told to end: it closes its consumer within three seconds. No order is done twice,
#    even if a connection broke just before.
# 5. At most one commit for each poll. A commit for each record costs too much.
#
# You may use `poll`, `commit_sync`, `commit_async`, `position`, `committed`, `assignment`, `seek`
# and `close`. Give `poll` a time to wait, such as `consumer.poll(timeout_ms=200)`. It may return
# nothing.

# %% answer items="N62"
from kafkalab import WakeupException


def loop(consumer, finish):
    """Read, work and commit, until told to end."""
    ### BEGIN SOLUTION
    try:
        while True:
            got = list(consumer.poll(timeout_ms=200))
            for each in got:
                finish(each)
            if got:
                consumer.commit_sync()
    except WakeupException:
        pass
    finally:
        consumer.commit_sync()
        consumer.close()
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function
from kafkalab.stories.offsets import NIGHT_WORK_MS, night, was_closed

NIGHTS = (
    {"case": "nothing happens", "seed": 1, "happens": "nothing", "at_ms": 0},
    {"case": "bo joins at 1.9 s", "seed": 2, "happens": "join", "at_ms": 1_900},
    {"case": "bo joins at 2.64 s", "seed": 3, "happens": "join", "at_ms": 2_640},
    {"case": "ada is killed at work, at 1.35 s", "seed": 4, "happens": "kill", "at_ms": 1_350},
    {"case": "ada is killed at work, at 2.28 s", "seed": 5, "happens": "kill", "at_ms": 2_280},
    {
        "case": "a commit's connection breaks, and ada is killed later, with nothing to do",
        "seed": 6,
        "happens": "break",
        "at_ms": 0,
    },
    {"case": "ada is told to end, at 1.65 s", "seed": 7, "happens": "stop", "at_ms": 1_650},
    {
        "case": "a commit's connection breaks, and ada is told to end",
        "seed": 9,
        "happens": "break, stop",
        "at_ms": 0,
    },
)
KEPT = {
    "nothing": "right: each order once, and no more commits than polls.",
    "join": "right: bo began where ada's commit said. No order was done twice.",
    "kill": "right: only orders of her last poll were done twice.",
    "break": "right: the broken commit got through before ada was killed.",
    "stop": "right: ada committed and closed, and bo began at the next order.",
    "break, stop": "right: the last commit got through although its connection broke.",
}


def one_night(case, part):
    """ada reads bursts of orders; then bo."""

    def on_duty(lab, consumer):
        part(lab, consumer, work_ms=NIGHT_WORK_MS)

    return night(on_duty, case["happens"], case["seed"], case["at_ms"])


def too_often(case, lab) -> tuple[str, tuple] | None:
    """What is wrong with a night in which nothing is lost: a loop that ended or did not close,
    work done twice where it need not be, or a commit for each record."""
    from autograder.cell.anomalies import anomalies
    from autograder.cell.runs import run_of

    told = "stop" in case["happens"]
    returned = [event.who for event in lab.journal.of("told") if event.what == "returned"]
    if "bo" in returned or ("ada" in returned and not told):
        return "your loop ended, and nobody had told it to. Poll again after an empty poll.", ()
    if told and not was_closed(lab, "ada"):
        return (
            "ada was told to end, and her consumer was never closed. So no LEAVE_GROUP was sent, "
            "and her partitions waited for the end of her session.",
            (),
        )
    found = anomalies({**run_of(lab), "tells_work": True}, ("lost", "skipped", "duplicated"))
    if any(each.name != "duplicated" for each in found):
        return None  # which the promise tells
    allowed = _last_poll(lab, "ada") if case["happens"] == "kill" else 0
    if len(found) > allowed:
        limit = f"her last poll had {allowed}" if allowed else "none need be here"
        return (
            f"{len(found)} order{' was' if len(found) == 1 else 's were'} done twice; {limit}. "
            f"The first: {found[0].sentence}",
            found[0].proof,
        )
    polls = {(event.who, event.at_ms) for event in lab.journal.of("record.delivered")}
    # a commit after an empty poll moves nothing, also where a rebalance has changed its partitions
    asked: dict[str, int] = {}
    commits = 0
    for event in lab.journal.of("commit"):
        said = event.fields.get("offsets", {})
        commits += any(asked.get(place, 0) != at for place, at in said.items())
        asked.update(said)
    if commits > len(polls) + 2:
        return (
            f"nothing is lost, but there were {commits} commits for {len(polls)} polls, and each "
            "commit is a request. One for each poll is enough.",
            (),
        )
    return None


def _last_poll(lab, who) -> int:
    """How many records the last poll of a reader returned that returned any."""
    given = [event.at_ms for event in lab.journal.of("record.delivered") if event.who == who]
    return given.count(given[-1]) if given else 0


Function(
    title="write the commit loop",
    points=5,
    answers=("loop",),
    public_cases=NIGHTS,
    play=one_night,
    part="Loop",
    look=too_often,
    promise=("lost", "skipped", "unobserved", "nonmonotonic"),
    kept=lambda case: KEPT[case["happens"]],
)

# %% judge
from autograder.course.judge import Judge

WHEN = ("join", "kill", "kill", "kill", "break", "stop", "break, stop")


def _more_nights(rng) -> list[dict]:
    return [
        {
            "seed": rng.randrange(10, 900),
            "happens": happens,
            "at_ms": 0
            if "break" in happens
            else 1_300 + 300 * rng.randrange(6) + rng.randrange(70),
        }
        for happens in WHEN
    ]


Judge(
    hidden_cases=_more_nights,
    unseen=(
        "the promise was not kept on a night of ours. Try `survive(loop, 100)`, and compare your "
        "loop with the five promises, one by one."
    ),
)

# %% begin
from kafkalab import OffsetAndMetadata, TopicPartition, WakeupException


def until_told(consumer, body, at_the_end):
    """The frame of a loop: `body()` again and again, then `at_the_end()`, then close."""
    try:
        while True:
            body()
    except WakeupException:
        pass
    finally:
        at_the_end()
        consumer.close()


# %% wrong="commit first"
# You committed before the work was done. When this reader died, the committed offset was behind
# orders that nobody had done, and nobody came back to them.
def loop(consumer, finish):
    def body():
        records = list(consumer.poll(200))
        consumer.commit_sync()
        for record in records:
            finish(record)

    until_told(consumer, body, consumer.commit_sync)


# %% wrong="without + 1"
# You committed the offset of the last order that was done. A committed offset is the next one to
# read, so the next reader does that order again.
def loop(consumer, finish):
    at = {}

    def body():
        for record in consumer.poll(200):
            finish(record)
            at[TopicPartition(record.topic, record.partition)] = OffsetAndMetadata(record.offset)
        if at:
            consumer.commit_sync(at)

    until_told(consumer, body, lambda: consumer.commit_sync(at))


# %% wrong="every tenth"
# You counted to ten, whatever a poll brought. A crash then costs the orders of several polls.
def loop(consumer, finish):
    count = 0

    def body():
        nonlocal count
        records = list(consumer.poll(200))
        for record in records:
            finish(record)
        count += len(records)
        if count >= 10:
            consumer.commit_sync()
            count = 0

    until_told(consumer, body, consumer.commit_sync)


# %% wrong="async only"
# Nothing waits for your last commit. Its connection broke, no later commit came, and the next
# reader did the order again.
def loop(consumer, finish):
    def body():
        for record in consumer.poll(200):
            finish(record)
        consumer.commit_async()

    until_told(consumer, body, lambda: None)


# %% wrong="async, when there is something"
# The connection broke under a commit_async. No order came after it, so no later commit said more,
# and the kill made the order be done twice.
def loop(consumer, finish):
    def body():
        records = list(consumer.poll(200))
        for record in records:
            finish(record)
        if records:
            consumer.commit_async()

    until_told(consumer, body, consumer.commit_sync)


# %% wrong="after each record"
# Nothing is lost, but you committed after every order. Each commit is a request that waits; one
# for each poll keeps the promise as well.
def loop(consumer, finish):
    def body():
        for record in consumer.poll(200):
            finish(record)
            place = TopicPartition(record.topic, record.partition)
            consumer.commit_sync({place: OffsetAndMetadata(record.offset + 1)})

    until_told(consumer, body, consumer.commit_sync)


# %% wrong="the position in between"
# commit_sync() without arguments commits all that poll has returned, also the orders that still
# wait behind this one. A crash loses them.
def loop(consumer, finish):
    def body():
        for record in consumer.poll(200):
            consumer.commit_sync()
            finish(record)

    until_told(consumer, body, consumer.commit_sync)


# %% wrong="no commit"
# Nothing was committed, so the next reader begins at the beginning, and all orders are done again.
def loop(consumer, finish):
    def body():
        for record in consumer.poll(200):
            finish(record)

    until_told(consumer, body, lambda: None)


# %% wrong="no close"
# Your loop does not end in close(). Catch WakeupException, commit, and close the consumer.
def loop(consumer, finish):
    while True:
        records = list(consumer.poll(200))
        for record in records:
            finish(record)
        if records:
            consumer.commit_sync()


# %% wrong="no commit at the end"
# WakeupException was raised in commit_sync, after the work and before the commit was through. Then
# you closed. Commit again before you close.
def loop(consumer, finish):
    def body():
        records = list(consumer.poll(200))
        for record in records:
            finish(record)
        if records:
            consumer.commit_sync()

    until_told(consumer, body, lambda: None)


# %% wrong="ends with an empty poll"
# Your loop ended with the first poll that returned nothing. More orders come later.
def loop(consumer, finish):
    while records := list(consumer.poll(200)):
        for record in records:
            finish(record)
        consumer.commit_sync()
    consumer.close()


# %% equivalent
# `list(consumer.poll(timeout_ms=200))` -> `consumer.poll(timeout_ms=200)`: what a poll returns can be
# walked through as it is.
# `consumer.poll(timeout_ms=200)` -> `consumer.poll(timeout_ms=201)`, `consumer.poll(timeout_ms=199)`:
# 200 is only an example.
# `if got:` without its test, its body: one commit for each poll is allowed, also after an empty one.
# `got` -> `True`: the same.

# %% hint
# What is worse: to do an order twice, or never? That decides what comes first. Which commit has no
# later one that mends it?

# %% hint
# For each poll: finish all its records, then one commit. Around the loop: try, except
# WakeupException, finally. In the finally: one commit that waits, then close.
