# %% [markdown]
# ### Exercise 12.2 · Survive a pill
#
# Write `loop(consumer, finish)`, the whole program of a reader. Its consumer is subscribed to two
# partitions and does not commit by itself. A poll returns at most four records. `finish(record)` is
# the work and takes 20 milliseconds. Call it once for each record. Some records are pills. In some
# cases the process is killed, and another reader continues with the same function. Four promises:
#
# 1. Each record that can be read is finished.
# 2. Nobody is killed: no record is finished twice. Somebody is killed: only the records of one poll
#    are finished twice.
# 3. In the end the committed offsets are at the end of both partitions, behind the pills, too.
# 4. The loop does not end.
#
# In some cases the client is 2.8. There the error has only its text; `place_of` is yours from 12.1.

# %% answer
from kafkalab import SerializationException, TopicPartition


def loop(consumer, finish):
    """Read and work, past every record that cannot be read."""
    ### BEGIN SOLUTION
    import re

    while True:
        try:
            for record in consumer.poll(timeout_ms=200):
                finish(record)
        except SerializationException as error:
            found = re.search(r"for partition (\S+)-(\d+) at offset (\d+)\.", str(error))
            consumer.seek(TopicPartition(found[1], int(found[2])), int(found[3]) + 1)
        consumer.commit_sync()
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function
from kafkalab.stories import errors

DAYS = (
    {
        "case": "no pill, and then a quiet minute",
        "seed": 1,
        "pills": [],
        "kill_after": 0,
        "client": "3.9",
        "seconds": 75,
    },
    {
        "case": "a pill in the middle",
        "seed": 2,
        "pills": [[0, 7]],
        "kill_after": 0,
        "client": "3.9",
    },
    {
        "case": "two pills, one behind the other",
        "seed": 3,
        "pills": [[1, 4], [1, 5]],
        "kill_after": 0,
        "client": "4.4",
    },
    {
        "case": "the first and the last record, client 2.8",
        "seed": 4,
        "pills": [[0, 15], [1, 0]],
        "kill_after": 0,
        "client": "2.8",
    },
    {
        "case": "each partition ends with a pill",
        "seed": 8,
        "pills": [[0, 15], [1, 15]],
        "kill_after": 0,
        "client": "3.9",
    },
    {
        "case": "no pill, ada is killed at work on the second record of a poll",
        "seed": 7,
        "pills": [],
        "kill_after": 5,
        "client": "3.9",
    },
    {
        "case": "a pill in each partition, ada is killed at work after 6 records",
        "seed": 5,
        "pills": [[0, 3], [1, 9]],
        "kill_after": 6,
        "client": "3.9",
    },
    {
        "case": "a pill, ada is killed at work after 15 records, client 2.8",
        "seed": 6,
        "pills": [[0, 11]],
        "kill_after": 15,
        "client": "2.8",
    },
)


def play_day(case, part):
    """ada reads prices with pills; she may be killed, and then bo reads."""

    def on_duty(lab, consumer):
        part(lab, consumer, work_ms=errors.DAY_WORK_MS)

    seconds = case.get("seconds", errors.DAY_SECONDS)
    return errors.day(
        on_duty, case["pills"], case["seed"], case["kill_after"], case["client"], seconds
    )


def went_wrong(case, lab):
    """What is wrong with a day: a record not finished, finished twice, or not committed."""
    went = errors.how_it_went(lab, case["pills"])
    if went["returned"]:
        who = went["returned"][0]
        return (
            f"the program of {who} ended. An exception went through your loop, or your loop "
            "stopped. Catch the error of poll(), and continue.",
            (),
        )
    if went["never"]:
        place, offset = went["never"][0]
        return (
            f"readable records were never finished: {len(went['never'])}. The first is {place} at "
            f"offset {offset}; {_places(case)}.",
            (),
        )
    most = 4 if case["kill_after"] else 0
    if len(went["twice"]) > most:
        place, offset = went["twice"][0]
        return (
            f"records finished twice: {len(went['twice'])}; at most {most} may be. The first is "
            f"{place} at offset {offset}.",
            (),
        )
    if went["committed"] != [errors.ON_A_DAY] * 2:
        return (
            f"each record is finished, but the committed offsets are {went['committed']}, and both "
            f"partitions end at {errors.ON_A_DAY}. The next reader begins at these offsets again.",
            (),
        )
    return None


def _places(case) -> str:
    places = ", ".join(f"prices-{partition} at {offset}" for partition, offset in case["pills"])
    return f"the pills are {places}" if places else "there is no pill here"


def it_kept(case):
    """The sentence of a day on which the promises were kept."""
    if case["kill_after"] and not case["pills"]:
        return "right: bo began at the committed offset, and nobody lost a record."
    if not case["pills"]:
        return "right: each record once. There was no pill here."
    if case["kill_after"]:
        return "right: bo began at the committed offset, and nobody lost a record to a pill."
    return "right: the pills are passed, all other records are finished once, and all is committed."


Function(
    title="survive a pill",
    points=5,
    answers=("loop",),
    public_cases=DAYS,
    play=play_day,
    part="Loop",
    look=went_wrong,
    kept=it_kept,
)

# %% judge
from autograder.course.judge import Judge


def _more_days(rng) -> list[dict]:
    return [
        {
            "seed": rng.randrange(10, 900),
            "pills": [[partition, rng.randrange(16)] for partition in places],
            "kill_after": kill_after,
            "client": client,
        }
        for places, kill_after, client in (
            ((0, 1), 0, "2.8"),
            ((1, 1), rng.randrange(3, 20), "3.9"),
            ((0, 0, 1), rng.randrange(3, 20), "4.4"),
        )
    ]


Judge(
    hidden_cases=_more_days,
    unseen=(
        "a promise was not kept on a day of ours. Try `survive(loop, 50)`, and compare your loop "
        "with the four promises."
    ),
)

# %% begin
import re

from kafkalab import SerializationException, TopicPartition


def place(error):
    found = re.search(r"for partition (\S+)-(\d+) at offset (\d+)\.", str(error))
    return TopicPartition(found[1], int(found[2])), int(found[3])


# %% wrong="no catch"
# The exception of poll() ended your program. The next one meets the same record.
def loop(consumer, finish):
    while True:
        for record in consumer.poll(timeout_ms=200):
            finish(record)
        consumer.commit_sync()


# %% wrong="catch and poll again"
# You caught the error and polled again. The position has not moved, so poll() raises again, and all
# records behind the pill wait.
def loop(consumer, finish):
    while True:
        try:
            for record in consumer.poll(timeout_ms=200):
                finish(record)
            consumer.commit_sync()
        except SerializationException:
            continue


# %% wrong="commits only what it was given"
# You commit only when a poll has returned records. After the last pill of a partition none may come,
# so the skip is not committed, and the next reader meets the pill again.
def loop(consumer, finish):
    while True:
        try:
            records = consumer.poll(timeout_ms=200)
            for record in records:
                finish(record)
            if records:
                consumer.commit_sync()
        except SerializationException as error:
            where, offset = place(error)
            consumer.seek(where, offset + 1)


# %% wrong="to the end"
# You jumped to the end of the partition. Records that can be read lie between the pill and the end.
def loop(consumer, finish):
    while True:
        try:
            for record in consumer.poll(timeout_ms=200):
                finish(record)
        except SerializationException as error:
            consumer.seek_to_end([place(error)[0]])
        consumer.commit_sync()


# %% wrong="all partitions"
# You moved every partition by one. The pill is in one of them; the other lost a record.
def loop(consumer, finish):
    while True:
        try:
            for record in consumer.poll(timeout_ms=200):
                finish(record)
        except SerializationException:
            for each in consumer.assignment():
                consumer.seek(each, consumer.position(each) + 1)
        consumer.commit_sync()


# %% wrong="commit first"
# You committed before the work. ada was killed in between, and nobody did the other records of her poll.
def loop(consumer, finish):
    while True:
        try:
            records = consumer.poll(timeout_ms=200)
            consumer.commit_sync()
            for record in records:
                finish(record)
        except SerializationException as error:
            where, offset = place(error)
            consumer.seek(where, offset + 1)
            consumer.commit_sync()


# %% wrong="the skip is not committed"
# You committed only after records. A pill at the end of a partition has none behind it, so the next
# reader meets it again.
def loop(consumer, finish):
    while True:
        try:
            records = consumer.poll(timeout_ms=200)
            for record in records:
                finish(record)
            after = {(each.topic, each.partition): each.offset + 1 for each in records}
            if after:
                from kafkalab import OffsetAndMetadata

                consumer.commit_sync(
                    {TopicPartition(*key): OffsetAndMetadata(to) for key, to in after.items()}
                )
        except SerializationException as error:
            where, offset = place(error)
            consumer.seek(where, offset + 1)


# %% wrong="the position in between"
# commit_sync() without arguments commits all that poll() has returned, also the records that still
# wait. ada was killed, and nobody did them.
def loop(consumer, finish):
    while True:
        try:
            for record in consumer.poll(timeout_ms=200):
                finish(record)
                consumer.commit_sync()
        except SerializationException as error:
            where, offset = place(error)
            consumer.seek(where, offset + 1)
            consumer.commit_sync()


# %% wrong="a loop with an end"
# Your loop ended after a number of polls. More records may come at any time: the loop does not end.
def loop(consumer, finish):
    for _ in range(200):
        try:
            for record in consumer.poll(timeout_ms=200):
                finish(record)
        except SerializationException as error:
            where, offset = place(error)
            consumer.seek(where, offset + 1)
        consumer.commit_sync()


# %% equivalent
# `consumer.poll(timeout_ms=200)` -> `consumer.poll(timeout_ms=201)`, `consumer.poll(timeout_ms=199)`:
# 200 is only an example.
# `re.search('for partition (\\S+)-(\\d+) at offset (\\d+)\\.', str(error))` ->
# `re.search('for partition (\\S+)-(\\d) at offset (\\d+)\\.', str(error))`: there are two
# partitions here, and 12.1 asks for partition 12.

# %% hint
# poll() raises before it returns a record, so nothing is lost when you catch. Which call moves the
# position past one record of one partition?

# %% hint
# try: poll and finish. except SerializationException: take the place from `str(error)` and seek to
# its offset + 1. After both: commit_sync().
