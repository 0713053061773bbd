# %% [markdown]
# ### Exercise 04.3 · How many batches?
#
# Three producers, A, B and C. Producer A sends `n.A.records` records at once, all to one partition.
# Each value has `n.A.value_bytes` bytes, and there is no key. `batch.size` is `n.A.batch_size`
# bytes. `linger.ms` is so long that a batch leaves when it is full. The last batch leaves with what
# is in it. How many batches are written? How many records are in the first one? A record has some
# bytes beyond its value, so a division does not give the answer. Build a lab and count. `write`
# above shows how, but its values have 80 bytes.

# %%
n = numbers("04.3")
n

# %% answer
batches = {"A": ..., "B": ..., "C": ...}
in_the_first = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def written(wish):
    small = Lab(brokers=1, seed=11)
    small.create_topic("t", partitions=1)
    sender = KafkaProducer(small, {"batch.size": wish.batch_size, "linger.ms": 1000})
    for _ in range(wish.records):
        sender.send(ProducerRecord("t", value="x" * wish.value_bytes))
    sender.close()
    return small.table("record.appended").records.map(len)


batches = {name: len(written(each)) for name, each in n.items()}
in_the_first = {name: int(written(each)[0]) for name, each in n.items()}
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

FULL = {
    (40, 1500): (300, 390, 480, 570),
    (40, 2000): (328, 410, 492, 574),
    (40, 3000): (310, 372, 496, 558),
    (40, 4000): (332, 415, 498, 581),
    (60, 1500): (315, 399, 483, 567),
    (60, 2000): (308, 392, 476, 560),
    (60, 3000): (301, 387, 473, 559),
    (60, 4000): (342, 399, 456, 570),
    (90, 3000): (319, 406, 493, 580),
    (90, 4000): (312, 390, 468, 585),
}
"""(bytes of a value, batch.size) -> records of which the last batch is full. One record more begins
another batch. (90 with 1500 or 2000 is missing: a batch of bare values has there what a batch of
values of 80 bytes has.)"""


def is_full(n: dict) -> bool:
    """Whether the last batch is full."""
    return n["records"] in FULL[n["value_bytes"], n["batch_size"]]


Value(
    title="how many batches",
    points=3,
    answers=("batches", "in_the_first"),
    draws=THREE,
    row="producer",
    space={
        "records": tuple(
            sorted({each + more for of in FULL.values() for each in of for more in (0, 1)})
        ),
        "value_bytes": (40, 60, 90),
        "batch_size": (1500, 2000, 3000, 4000),
    },
    where=lambda n: any(
        n["records"] in (each, each + 1)
        for each in FULL.get((n["value_bytes"], n["batch_size"]), ())
    ),
    # one record more or less is another number of batches
    together=lambda producers: len(set(map(is_full, producers))) == 2,
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaProducer, Lab, ProducerRecord


@cache
def _packed(records: int, value_bytes: int, batch_size: int) -> tuple[int, ...]:
    """Records in each batch of one partition."""
    lab = Lab(brokers=1, seed=3)
    lab.create_topic("t", partitions=1)
    producer = KafkaProducer(lab, {"batch.size": batch_size, "linger.ms": 2_000})
    for _ in range(records):
        producer.send(ProducerRecord("t", value="v" * value_bytes))
    producer.close()
    return tuple(len(batch.records) for batch in lab.journal.of("record.appended"))


def _batches(case: dict) -> dict:
    packed = _packed(case["records"], case["value_bytes"], case["batch_size"])
    return {"batches": len(packed), "in_the_first": packed[0]}


Judge(
    truth=_batches,
    right="right: each record brings some bytes of its own, and the batch a header of 61.",
    otherwise=(
        "not these numbers. Let a lab count: one broker, one partition, linger.ms=1000, values of "
        "{value_bytes} bytes."
    ),
)

# %% wrong="values only"
# That is what the bytes of the values alone give. Each record has some bytes of its own around its
# value, and each batch a header.
batches = {a: -(-x.records // (x.batch_size // x.value_bytes)) for a, x in n.items()}
in_the_first = {a: x.batch_size // x.value_bytes for a, x in n.items()}

# %% wrong="the header counted, the record's own bytes not"
# You took the header of 61 bytes from the batch. Each record has some bytes of its own, too.
batches = {a: -(-x.records // ((x.batch_size - 61) // x.value_bytes)) for a, x in n.items()}
in_the_first = {a: (x.batch_size - 61) // x.value_bytes for a, x in n.items()}

# %% wrong="the values of write"
# That is what a lab counts whose values have 80 bytes, as in `write`. Yours have {value_bytes}.
of_80 = {1500: 16, 2000: 21, 3000: 33, 4000: 44}
batches = {a: -(-x.records // of_80[x.batch_size]) for a, x in n.items()}
in_the_first = {a: of_80[x.batch_size] for a, x in n.items()}

# %% wrong="one for each record"
# You gave each record a batch. They are sent at once, and linger.ms is long: they share a batch until
# {batch_size} bytes are reached.
batches = {a: x.records for a, x in n.items()}
in_the_first = {a: 1 for a, x in n.items()}

# %% wrong="one for all"
# All in one batch would be more than {batch_size} bytes. batch.size closes it earlier.
batches = {a: 1 for a, x in n.items()}
in_the_first = {a: x.records for a, x in n.items()}

# %% wrong="batch.size counts records"
# You took batch.size for a number of records. It counts bytes.
batches = {a: -(-x.records // x.batch_size) for a, x in n.items()}
in_the_first = {a: x.batch_size for a, x in n.items()}


# %% begin
def of_a_lab(wish):
    small = Lab(brokers=1, seed=11)
    small.create_topic("t", partitions=1)
    sender = KafkaProducer(small, {"batch.size": wish.batch_size, "linger.ms": 1000})
    for _ in range(wish.records):
        sender.send(ProducerRecord("t", value="x" * wish.value_bytes))
    sender.close()
    return small.table("record.appended").records.map(len)


in_the_first = {a: int(of_a_lab(x)[0]) for a, x in n.items()}

# %% wrong="the last batch is forgotten"
# One batch is missing. The last one leaves with what is in it, so it counts, too.
batches = {a: len(of_a_lab(x)) - 1 for a, x in n.items()}

# %% begin

# %% equivalent
# `small = Lab(brokers=1, seed=11)` changed: one partition has one leader, and the batches follow
# from the sizes.
# `small.create_topic('t', partitions=1)` changed: the lab makes a topic that is missing, and it has
# one partition.
# `{'batch.size': wish.batch_size, 'linger.ms': 1000}` changed: close() ends the linger.
# `int(written(each)[0])` -> `written(each)[0]`: the same whole number.
# `written(each)[0]` -> `written(each)[1]`: all batches but the last have as many records.

# %% hint
# A record has more bytes than its value, and a batch has a header. So a batch is full earlier than
# a division says.

# %% hint
# Make a Lab with one broker and one partition, send that many records with linger.ms=1000, close,
# and look at lab.table("record.appended").
