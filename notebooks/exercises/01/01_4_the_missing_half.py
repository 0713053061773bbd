# %% [markdown]
# ### Exercise 01.4 · The missing half: where does a reader begin?
#
# Write `first_offset(committed, log_start, log_end, reset)`. It returns the offset at which a
# starting member of a group begins to read. `committed` is the group's committed offset, or `None`
# if it has none. `reset` is `"earliest"` or `"latest"`. A committed offset is good from `log_start`
# to `log_end`, both included. At `log_end` the member waits for the next record. Here the committed
# offset is never beyond the end. ("Then and now" tells of that rare case.)
#
# The check uses your function inside a consumer. A job starts five times and is killed each time,
# once before it has committed. The broker that leads the log may crash. Your function says where
# each start begins. The same job runs with Kafka's own consumer. Both must begin at the same offset.

# %% answer
def first_offset(committed, log_start, log_end, reset):
    """The offset at which a member begins to read."""
    ### BEGIN SOLUTION
    if committed is not None and committed >= log_start:
        return committed
    return log_start if reset == "earliest" else log_end
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function
from kafkalab import (
    KafkaConsumer,
    KafkaException,
    KafkaProducer,
    Lab,
    ProducerRecord,
    TopicPartition,
)

TEN_MINUTES, HOUR = 600_000, 3_600_000


def bookmark(case: str, committed: int | None, log_start: int, log_end: int, reset: str) -> dict:
    """One start of a reader, as plain data."""
    return {
        "case": case,
        "committed": committed,
        "log_start": log_start,
        "log_end": log_end,
        "reset": reset,
    }


STARTS = (
    bookmark("it continues where it stopped", 5, 0, 12, "earliest"),
    bookmark("a new group, earliest", None, 4, 12, "earliest"),
    bookmark("a new group, latest", None, 4, 12, "latest"),
    bookmark("retention has passed the committed offset, earliest", 2, 6, 12, "earliest"),
    bookmark("retention has passed the committed offset, latest", 2, 6, 12, "latest"),
    bookmark("retention has passed the committed offset by one record", 3, 4, 12, "latest"),
    bookmark("retention has just reached the committed offset, latest", 4, 4, 12, "latest"),
    bookmark("nothing new since", 12, 3, 12, "earliest"),
    bookmark("it committed before its first record, latest", 0, 0, 12, "latest"),
)
NIGHTS = (
    {
        "case": "killed once, then an hour off, earliest, seed 2",
        "seed": 2,
        "reset": "earliest",
        "killed_first": True,
        "off_ms": HOUR,
        "crash": False,
    },
    {
        "case": "off for three hours, earliest, the leader crashes, seed 3",
        "seed": 3,
        "reset": "earliest",
        "killed_first": False,
        "off_ms": 3 * HOUR,
        "crash": True,
    },
    {
        "case": "off for three hours, latest, the leader crashes, seed 5",
        "seed": 5,
        "reset": "latest",
        "killed_first": False,
        "off_ms": 3 * HOUR,
        "crash": True,
    },
)
OWN, KAFKAS, BOTH = "yours", "kafkas", "localhost:9092,localhost:9093"


def nights(case, rule) -> Lab:
    """Runs a job that starts five times on a log that loses its beginning.

    `rule` says where each start begins. The same job runs in a group of its own, and there Kafka
    decides.
    """
    lab = Lab(brokers=2, seed=case["seed"], broker_config={"broker.session.timeout.ms": 6_000})
    lab.create_topic(
        "orders",
        partitions=1,
        replication_factor=2,
        leaders=[0],
        config={"retention.ms": HOUR, "segment.ms": TEN_MINUTES},
    )
    lab.spawn(_shop, name="shop")
    # a start is never at the moment in which a record comes
    lab.run_for(ms=(3 + case["seed"] % 4) * TEN_MINUTES + 180_000)
    for start, pause_ms in enumerate((TEN_MINUTES, 0, case["off_ms"], 0, 0)):
        for job in (OWN, KAFKAS):
            lab.spawn(
                _job,
                job,
                rule if job == OWN else None,
                case["reset"],
                not (case["killed_first"] and start == 0),
                start,
                name=f"{job}-{start}",
            )
        lab.run_for(ms=30_000)
        for job in (OWN, KAFKAS):
            lab.kill(f"{job}-{start}")
        if case["crash"] and pause_ms == case["off_ms"]:
            lab.broker(0).crash()
        lab.run_for(ms=pause_ms)
    lab.close()
    return lab


def _shop(lab) -> None:
    producer = KafkaProducer(lab, {"client.id": "shop"})
    while True:
        producer.send(ProducerRecord("orders", partition=0, value="an order"))
        lab.sleep(TEN_MINUTES)


def _job(lab, job: str, rule, reset: str, commits: bool, start: int) -> None:
    """Begin, read at most three times two records, commit each time; then wait to be killed.

    With a rule Kafka decides nothing: reset is none.
    """
    place = TopicPartition("orders", 0)
    consumer = KafkaConsumer(
        lab,
        {
            "group.id": job,
            "client.id": job,
            "auto.offset.reset": reset if rule is None else "none",
            "enable.auto.commit": False,
            "bootstrap.servers": BOTH,
            "max.poll.records": 2,
        },
        name=job,
    )
    consumer.assign([place])
    committed = consumer.committed([place])[place]
    told = {
        "start": start,
        "bookmark": None if committed is None else committed.offset,
        "log_start": consumer.beginning_offsets([place])[place],
        "log_end": consumer.end_offsets([place])[place],
    }
    got = []
    try:
        if rule is not None:
            consumer.seek(place, rule(told["bookmark"], told["log_start"], told["log_end"], reset))
        for _ in range(3):
            got += [record.offset for record in consumer.poll(timeout_ms=1_000)]
            if commits:
                consumer.commit_sync()
        told["begins"] = got[0] if got else consumer.position(place)
    except (KafkaException, ValueError, TypeError) as error:
        told["begins"] = type(error).__name__
    lab.journal.append("told", job, what="begins", **told)
    lab.sleep(2 * HOUR)


def another_start(case, lab):
    """What a run must not have: a start at which the learner's job begins at another offset than
    Kafka's own."""
    told = {(event.who, event.start): event.fields for event in lab.journal.of("told")}
    for start in range(5):
        own, kafkas = told.get((OWN, start), {"begins": "nowhere"}), told[KAFKAS, start]
        if own["begins"] != kafkas["begins"]:
            where = f"start {start + 1} of the job, reset={case['reset']}"
            proof = [
                (
                    f"the group's committed offset {own.get('bookmark')}, the log from "
                    f"{own.get('log_start')} to {own.get('log_end')}"
                ),
                f"yours begins: {own['begins']}",
                f"Kafka's begins: {kafkas['begins']}",
            ]
            if type(own["begins"]) is not int:
                return (
                    f"{where}: your job stopped. The offset you returned cannot be read from.",
                    proof,
                )
            between = (
                f"the records from {min(own['begins'], kafkas['begins'])} to "
                f"{max(own['begins'], kafkas['begins']) - 1}"
            )
            if own["begins"] < kafkas["begins"]:
                return f"{where}: your job reads {between}, and Kafka's own job does not.", proof
            return f"{where}: your job skips {between}, and Kafka's own job reads them.", proof
    return None


def kept(case):
    """What such a run has proven."""
    troubles = {
        "it was killed before a commit": case["killed_first"],
        "the leader crashed": case["crash"],
    }
    after = "".join(f", once after {what}" for what, came in troubles.items() if came)
    return f"right: five starts began where Kafka's own job began{after}."


Function(
    title="where a reader begins",
    points=3,
    answers=("first_offset",),
    public_cases=STARTS + NIGHTS,
    probe=lambda names, case: names["first_offset"](
        case["committed"], case["log_start"], case["log_end"], case["reset"]
    ),
    play=nights,
    look=another_start,
    kept=kept,
)

# %% judge
from functools import cache
from random import Random

from autograder.course.judge import Judge
from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    OffsetAndMetadata,
    RecordsToDelete,
    TopicPartition,
)


@cache
def _started(committed: int | None, log_start: int, log_end: int, reset: str) -> int:
    """The first offset a consumer reads: it commits, the log loses its beginning, and the consumer
    is started again."""
    lab = _filled(log_end, 1)
    place = TopicPartition("t", 0)
    settings = {"group.id": "g", "auto.offset.reset": reset, "enable.auto.commit": False}
    if committed is not None:
        first = KafkaConsumer(lab, settings, name="first")
        first.assign([place])
        first.commit_sync({place: OffsetAndMetadata(committed)})
        first.close()
    if log_start:
        admin = KafkaAdminClient(lab, {})
        admin.delete_records({place: RecordsToDelete(log_start)}).all().get()
        admin.close()
    again = KafkaConsumer(lab, settings, name="again")
    again.assign([place])
    records = list(again.poll(timeout_ms=2_000))
    return records[0].offset if records else again.position(place)


def _starts(rng: Random) -> list[dict]:
    cases = []
    for _ in range(8):
        log_start = rng.randrange(0, 8)
        log_end = log_start + rng.randrange(3, 12)
        committed = rng.choice(
            [
                None,
                rng.randrange(0, log_start + 1),
                rng.randrange(log_start, log_end + 1),
                log_start,
                log_end,
            ]
        )
        cases.append(
            {
                "committed": committed,
                "log_start": log_start,
                "log_end": log_end,
                "reset": rng.choice(["earliest", "latest"]),
            }
        )
    return cases + [
        {
            "seed": rng.randrange(10, 999),
            "reset": reset,
            "killed_first": killed,
            "off_ms": 2 * 3_600_000,
            "crash": not killed,
        }
        for reset, killed in (("earliest", True), ("latest", False))
    ]


def _why(case: dict) -> str:
    """Why the right offset of this case is right; `kept` says it of a run."""
    if "seed" in case:
        return "right."
    committed, start, end = case["committed"], case["log_start"], case["log_end"]
    decides = f"{case['reset']} decides"
    if committed is None:
        return f"right: there is no committed offset, so {decides}."
    if committed < start:
        return f"right: retention deleted the record at {committed}, so {decides}."
    if committed == end:
        return f"right: it waits at {end} for the next record."
    return f"right: the record at {committed} is still there, so the member continues with it."


Judge(
    truth=lambda case: _started(
        case["committed"], case["log_start"], case["log_end"], case["reset"]
    ),
    hidden_cases=_starts,
    right=_why,
    otherwise=(
        "you return {said}, and a consumer begins at another offset. Is the committed offset "
        "still good? If not, reset decides."
    ),
    unseen=(
        "in a run that you have not seen, Kafka's own consumer begins at another offset. Is the "
        "committed offset still good? If not, reset decides."
    ),
)


# %% wrong="zero counts as none"
# The committed offset 0 is an offset like any other, and the record at 0 is still there. Is your
# condition true for 0? `if committed:` is not, and `log_start < committed` is not. Ask for `is not
# None` and for `>=`.
def first_offset(committed, log_start, log_end, reset):
    if committed and committed >= log_start:
        return committed
    return log_start if reset == "earliest" else log_end


# %% wrong="the start is out of range"
# The first record of the log is still there, so a committed offset equal to the log's start is
# good. Compare with `>=`.
def first_offset(committed, log_start, log_end, reset):
    if committed is not None and committed > log_start:
        return committed
    return log_start if reset == "earliest" else log_end


# %% wrong="always from the committed offset"
# The committed offset points at a record that retention has deleted. It is out of range, so
# auto.offset.reset decides.
def first_offset(committed, log_start, log_end, reset):
    if committed is not None:
        return committed
    return log_start if reset == "earliest" else log_end


# %% wrong="the end is out of range"
# A committed offset at the log's end is good: the member waits for the next record. You would read
# everything again.
def first_offset(committed, log_start, log_end, reset):
    if committed is not None and log_start <= committed < log_end:
        return committed
    return log_start if reset == "earliest" else log_end


# %% wrong="always the reset"
# auto.offset.reset counts only where there is no good committed offset. A group that committed
# continues there.
def first_offset(committed, log_start, log_end, reset):
    return log_start if reset == "earliest" else log_end


# %% wrong="zero is the start"
# Earliest is the log's start. That is not offset 0 any more, because retention has deleted
# something.
def first_offset(committed, log_start, log_end, reset):
    if committed is not None and committed >= log_start:
        return committed
    return 0 if reset == "earliest" else log_end


# %% wrong="one after the committed offset"
# The committed offset is already the next one to read. One more would skip a record.
def first_offset(committed, log_start, log_end, reset):
    if committed is not None and committed >= log_start:
        return committed + 1
    return log_start if reset == "earliest" else log_end


# %% wrong="latest is the last record"
# Latest is the log's end, after the last record. Only records that are written from now on are
# read.
def first_offset(committed, log_start, log_end, reset):
    if committed is not None and committed >= log_start:
        return committed
    return log_start if reset == "earliest" else log_end - 1


# %% wrong="earliest and latest exchanged"
# `earliest` is the log's start, and `latest` is its end. You return the other one.
def first_offset(committed, log_start, log_end, reset):
    if committed is not None and committed >= log_start:
        return committed
    return log_end if reset == "earliest" else log_start


# %% wrong="no return"
# Your function returned None. Every path through it needs a `return` with an offset.
def first_offset(committed, log_start, log_end, reset):
    if committed is not None and committed >= log_start:
        committed


# %% hint
# There are two ways to have no good committed offset: none at all, or one before the log's start.

# %% hint
# One condition says whether the committed offset counts: there is one, and it is not before the
# log's start. Else reset picks an end.
