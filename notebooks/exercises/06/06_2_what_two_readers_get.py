# %% [markdown]
# ### Exercise 06.2 · What two readers get
#
# Three partitions, A, B and C, each with one replica and empty at first. Then a producer without
# transactions wrote `n2.A.before` records. Then one transaction wrote `n2.A.good` records and was
# committed, one wrote `n2.A.bad` and was aborted, and one has written `n2.A.unfinished` so far.
# After that the first producer wrote `n2.A.after` more. Give the high watermark, the last stable
# offset, and how many records a reader of each level gets.

# %%
n2 = numbers("06.2")
n2

# %% answer
high_watermark = {"A": ..., "B": ..., "C": ...}
last_stable = {"A": ..., "B": ..., "C": ...}
uncommitted = {"A": ..., "B": ..., "C": ...}
committed = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
last_stable = {name: p.before + p.good + 1 + p.bad + 1 for name, p in n2.items()}
high_watermark = {name: last_stable[name] + p.unfinished + p.after for name, p in n2.items()}
uncommitted = {name: high_watermark[name] - 2 for name in n2}
committed = {name: p.before + p.good for name, p in n2.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="what two readers get",
    points=3,
    answers=("high_watermark", "last_stable", "uncommitted", "committed"),
    draws=THREE,
    row="partition",
    space={
        "before": (2, 3, 5),
        "good": (2, 4, 6),
        "bad": (1, 3, 4),
        "unfinished": (1, 2),
        "after": (1, 3, 4),
    },
    # who takes one of these numbers for another gets another sum
    where=lambda n: len({n["bad"], n["unfinished"], n["after"]}) == 3 and n["good"] != n["bad"],
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord, TopicPartition


@cache
def _readers(
    before: int, good: int, bad: int, unfinished: int, after: int
) -> tuple[int, int, int, int]:
    """High watermark, last stable offset, and what readers of the two levels get."""
    lab = Lab(brokers=1, seed=2)
    lab.create_topic("t")

    def write(producer: KafkaProducer, count: int) -> None:
        for future in [producer.send(ProducerRecord("t", value="tea")) for _ in range(count)]:
            future.get()

    plain = KafkaProducer(lab, {}, name="plain")
    write(plain, before)
    for name, count in (("good", good), ("bad", bad), ("unfinished", unfinished)):
        producer = KafkaProducer(lab, {"transactional.id": name}, name=name)
        producer.init_transactions()
        producer.begin_transaction()
        write(producer, count)
        if name == "good":
            producer.commit_transaction()
        elif name == "bad":
            producer.abort_transaction()
    write(plain, after)
    got = []
    for level in ("read_uncommitted", "read_committed"):
        reader = KafkaConsumer(
            lab, {"isolation.level": level, "auto.offset.reset": "earliest"}, name=level
        )
        reader.assign([TopicPartition("t", 0)])
        got.append(sum(len(list(reader.poll(timeout_ms=300))) for _ in range(3)))
    place = lab.at(lab.now_ms)["partitions"]["t-0"]
    return place["high_watermark"], place["last_stable_offset"], *got


def _two_readers(case: dict) -> dict:
    found = _readers(case["before"], case["good"], case["bad"], case["unfinished"], case["after"])
    return dict(zip(("high_watermark", "last_stable", "uncommitted", "committed"), found))


Judge(
    truth=_two_readers,
    right=(
        "right: markers take offsets, and the unfinished transaction holds back all that comes "
        "after it."
    ),
    otherwise={
        "high_watermark": (
            "{said} is not it. Draw the log: all records, and a marker for each transaction that ended. "
            "Where does the next record come?"
        ),
        "last_stable": "{said} is not it. Draw the log. At which offset does the unfinished one begin?",
        "uncommitted": "{said} is not it. Count all records, also the aborted ones, and no marker.",
        "committed": (
            "{said} is not it. Count the records in front of the last stable offset, without those that "
            "were aborted, and no marker."
        ),
    },
)

# %% wrong="markers take no offset"
# The readers are right. But a COMMIT and an ABORT marker are in the log as well, and each takes
# an offset.
high_watermark = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}
last_stable = {a: x.before + x.good + x.bad for a, x in n2.items()}
uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}
committed = {a: x.before + x.good for a, x in n2.items()}

# %% wrong="only the aborted are left out"
# What was written last is in no transaction. But it is behind the unfinished one, and a reader
# of committed records waits there.
high_watermark = {
    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()
}
last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}
uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}
committed = {a: x.before + x.good + x.after for a, x in n2.items()}

# %% begin
high_watermark = {
    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()
}
last_stable = {a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()}
uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}

# %% wrong="nothing holds readers back"
# You let the last stable offset go up to the high watermark. The unfinished transaction stops it
# where it begins.
committed = {a: x.before + x.good + x.after for a, x in n2.items()}

# %% wrong="the readers are right, the point is not"
# Your readers are right. The offset at which one of them has to stop is not the end of the log: it
# is where the open transaction begins.
committed = {a: x.before + x.good for a, x in n2.items()}

# %% begin

# %% wrong="only one marker"
# You counted one marker. Two transactions have ended, and it does not matter how: each has left
# one.
high_watermark = {
    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after - 1 for a, x in n2.items()
}
last_stable = {a: x.before + x.good + 1 + x.bad + 1 - 1 for a, x in n2.items()}
uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}
committed = {a: x.before + x.good for a, x in n2.items()}

# %% wrong="an open transaction has a marker"
# Three markers are one too many. The third transaction is still open, and so nothing has been
# written to end it.
high_watermark = {
    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after + 1 for a, x in n2.items()
}
last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}
uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}
committed = {a: x.before + x.good for a, x in n2.items()}

# %% wrong="markers at the end only"
# With markers the log is as long as you say. But they are in front of the open transaction, so
# this one begins later, too.
high_watermark = {
    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()
}
last_stable = {a: x.before + x.good + x.bad for a, x in n2.items()}
uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}
committed = {a: x.before + x.good for a, x in n2.items()}

# %% wrong="aborted records are gone"
# Aborted records stay in the log. A reader of the level read_uncommitted gets them.
high_watermark = {
    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()
}
last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}
uncommitted = {a: x.before + x.good + x.unfinished + x.after for a, x in n2.items()}
committed = {a: x.before + x.good for a, x in n2.items()}

# %% wrong="only what was in a transaction"
# A reader of committed records also gets what was written without a transaction, here the {before}
# records before it.
high_watermark = {
    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()
}
last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}
uncommitted = {a: x.before + x.good + x.bad + x.unfinished + x.after for a, x in n2.items()}
committed = {a: x.good for a, x in n2.items()}

# %% wrong="markers are records"
# You counted markers as records. They take an offset, and no application is ever given one.
high_watermark = {
    a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()
}
last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}
uncommitted = {a: x.before + x.good + 1 + x.bad + 1 + x.unfinished + x.after for a, x in n2.items()}
committed = {a: x.before + x.good + 1 for a, x in n2.items()}

# %% begin
last_stable = {a: x.before + x.good + 1 + x.bad + 1 for a, x in n2.items()}
high_watermark = {a: last_stable[a] + x.unfinished + x.after for a, x in n2.items()}
uncommitted = {a: high_watermark[a] - 2 for a in n2}
committed = {a: x.before + x.good for a, x in n2.items()}

# %% wrong="the markers are read"
# read_uncommitted gets every *record*, also aborted ones. The two markers are no records: the
# consumer leaves them out.
uncommitted = dict(high_watermark)

# %% wrong="the last record"
# The high watermark is the offset *behind* the last record, not the last record's own.
high_watermark = {a: high_watermark[a] - 1 for a in n2}

# %% wrong="the last stable record"
# The last stable offset is where the open transaction *begins*, so one behind the last marker.
last_stable = {a: last_stable[a] - 1 for a in n2}

# %% wrong="offsets and not records"
# That is the last stable offset, so it counts offsets. A read_committed reader gets neither markers
# nor aborted records.
committed = dict(last_stable)

# %% hint
# Count offsets first, and do not forget what takes one and is no record.

# %% hint
# The two transactions that ended left a marker each. The stable part ends where the unfinished one
# begins, whatever comes behind it.
