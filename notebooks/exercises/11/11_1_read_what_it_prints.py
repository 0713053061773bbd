# %% [markdown]
# ### Exercise 11.1 · Read what it prints
#
# Three groups called billing, in three clusters A, B and C. Their member reads `orders` now. Before,
# it also read `returns`. What is the lag that the tool knows, all rows together? In how many
# partitions has the group never committed? How many partitions have no reader at the moment?

# %%
n = numbers("11.1")
for name, text in n.items():
    print(name)
    show(text)
    print()

# %% answer items="N81"
known_lag = {"A": ..., "B": ..., "C": ...}
never_committed = {"A": ..., "B": ..., "C": ...}
nobody_reads = {"A": ..., "B": ..., "C": ...}


### BEGIN SOLUTION
def cut(text):
    return [line.split() for line in text.splitlines() if line.startswith("billing")]


tables = {a: cut(text) for a, text in n.items()}
known_lag = {
    a: sum(int(cells[5]) for cells in table if cells[5] != "-") for a, table in tables.items()
}
never_committed = {a: sum(cells[3] == "-" for cells in tables[a]) for a in tables}
nobody_reads = {a: sum(cells[6] == "-" for cells in tables[a]) for a in tables}
### END SOLUTION

# %% question
from functools import lru_cache

from autograder.cell.kinds import LineReading
from kafkalab import (
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    TopicPartition,
)
from kafkalab.tools.consumer_groups import described


def table_of(numbers) -> dict[str, str]:
    """What kafka-consumer-groups prints of each group, cut to fit a page."""
    return {
        name: "\n".join(
            line[:115].rstrip()
            for line in described(group_of(**each), "billing").strip("\n").splitlines()
        )
        for name, each in numbers.items()
    }


# of labs; of texts and numbers one can keep more
@lru_cache(maxsize=16)
def group_of(partitions: int, committed: int, left: int, records: int) -> Lab:
    """A group with one member, which has committed in some of its partitions, and commits left
    over from a topic it no longer reads."""
    lab = Lab(brokers=1, seed=records + partitions)
    lab.create_topic("orders", partitions=partitions)
    lab.create_topic("returns", partitions=left)
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for topic, count in (("orders", partitions), ("returns", left)):
        for partition in range(count):
            for _ in range(records + 3 * partition):
                shop.send(ProducerRecord(topic, value="an order", partition=partition))
    shop.flush()
    before = KafkaConsumer(
        lab, {"group.id": "billing", "client.id": "m0", "enable.auto.commit": False}, name="m0"
    )
    before.assign([TopicPartition("returns", partition) for partition in range(left)])
    before.commit_sync(
        {
            TopicPartition("returns", partition): OffsetAndMetadata(records - 7 - partition)
            for partition in range(left)
        }
    )
    before.close()
    member = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "client.id": "m1",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
        },
        name="m1",
    )
    member.subscribe(["orders"])
    member.poll(timeout_ms=5_000)
    member.commit_sync(
        {
            TopicPartition("orders", partition): OffsetAndMetadata(9 + 4 * partition)
            for partition in range(committed)
        }
    )
    return lab


LineReading(
    title="read what the tool prints",
    points=3,
    answers=("known_lag", "never_committed", "nobody_reads"),
    draws=THREE,
    row="group",
    space={
        "partitions": (3, 4, 5),
        "committed": (1, 2, 3),
        "left": (1, 2, 3),
        "records": (41, 52, 63, 74),
    },
    show=table_of,
    where=lambda n: (
        n["committed"] < n["partitions"] and n["partitions"] - n["committed"] != n["left"]
    ),
    # who counts topics, or writes one number for all, is wrong for a group
    together=lambda sets: (
        len({n["left"] for n in sets}) > 1
        and len({n["partitions"] - n["committed"] for n in sets}) > 1
    ),
)

# %% judge
from autograder.course.judge import Judge


def _table(case: dict) -> dict:
    lab = group_of(case["partitions"], case["committed"], case["left"], case["records"])
    rows = lab.describe_group("billing")
    return {
        "known_lag": int(rows.lag.sum()),
        "never_committed": int(rows.current_offset.isna().sum()),
        "nobody_reads": int((rows.consumer_id == "-").sum()),
    }


Judge(
    truth=_table,
    right=(
        "right: a dash under CURRENT-OFFSET says that nothing is committed, one under CONSUMER-ID "
        "that nobody reads."
    ),
    otherwise="not all three. Read the columns one by one: CURRENT-OFFSET, LAG, CONSUMER-ID.",
)

# %% wrong="an unknown lag is the whole log"
# You took the log end where LAG has a dash. The tool cannot know: where the group would begin
# there is up to auto.offset.reset.
rows = lambda x: [line.split() for line in x.splitlines() if line.startswith("billing")]
known_lag = {
    a: sum(int(r[5]) for r in rows(x) if r[5] != "-")
    + sum(int(r[4]) for r in rows(x) if r[5] == "-")
    for a, x in n.items()
}
never_committed = {a: sum(r[3] == "-" for r in rows(x)) for a, x in n.items()}
nobody_reads = {a: sum(r[6] == "-" for r in rows(x)) for a, x in n.items()}

# %% wrong="nobody reads, so no lag"
# You left out the rows without a consumer. Their lag is as true as any: it needs a bookmark and a
# log end, and no member.
rows = lambda x: [line.split() for line in x.splitlines() if line.startswith("billing")]
known_lag = {
    a: sum(int(r[5]) for r in rows(x) if r[5] != "-" and r[6] != "-") for a, x in n.items()
}
never_committed = {a: sum(r[3] == "-" for r in rows(x)) for a, x in n.items()}
nobody_reads = {a: sum(r[6] == "-" for r in rows(x)) for a, x in n.items()}

# %% wrong="the two dashes exchanged"
# You exchanged the two dashes. Under CURRENT-OFFSET it means never committed, under CONSUMER-ID
# that no member has the partition.
rows = lambda x: [line.split() for line in x.splitlines() if line.startswith("billing")]
known_lag = {a: sum(int(r[5]) for r in rows(x) if r[5] != "-") for a, x in n.items()}
never_committed = {a: sum(r[6] == "-" for r in rows(x)) for a, x in n.items()}
nobody_reads = {a: sum(r[3] == "-" for r in rows(x)) for a, x in n.items()}

# %% wrong="every row with a dash"
# You counted every row with a dash anywhere. Never committed are those with a dash under
# CURRENT-OFFSET.
rows = lambda x: [line.split() for line in x.splitlines() if line.startswith("billing")]
known_lag = {a: sum(int(r[5]) for r in rows(x) if r[5] != "-") for a, x in n.items()}
never_committed = {
    a: sum(r[3] == "-" for r in rows(x)) + sum(r[6] == "-" for r in rows(x)) for a, x in n.items()
}
nobody_reads = {a: sum(r[6] == "-" for r in rows(x)) for a, x in n.items()}

# %% wrong="log ends added up"
# You added up LOG-END-OFFSET. Lag is what lies between CURRENT-OFFSET and there.
rows = lambda x: [line.split() for line in x.splitlines() if line.startswith("billing")]
known_lag = {a: sum(int(r[4]) for r in rows(x)) for a, x in n.items()}
never_committed = {a: sum(r[3] == "-" for r in rows(x)) for a, x in n.items()}
nobody_reads = {a: sum(r[6] == "-" for r in rows(x)) for a, x in n.items()}

# %% wrong="every partition has a reader"
# The lag is right. But some rows have a dash under CONSUMER-ID: nobody reads these partitions.
rows = lambda x: [line.split() for line in x.splitlines() if line.startswith("billing")]
known_lag = {a: sum(int(r[5]) for r in rows(x) if r[5] != "-") for a, x in n.items()}
never_committed = {a: sum(r[3] == "-" for r in rows(x)) for a, x in n.items()}
nobody_reads = {a: 0 for a, x in n.items()}

# %% wrong="the lag alone is right"
# The lag is right. Count dashes for the other two: under CURRENT-OFFSET, and under CONSUMER-ID.
rows = lambda x: [line.split() for line in x.splitlines() if line.startswith("billing")]
known_lag = {a: sum(int(r[5]) for r in rows(x) if r[5] != "-") for a, x in n.items()}
never_committed = {a: 0 for a, x in n.items()}
nobody_reads = {a: 0 for a, x in n.items()}

# %% equivalent
# `(cells[3] == '-' for cells in tables[a])` -> `(cells[3] == '-' for cells in list(tables[a])[1:])`,
# `(cells[3] == '-' for cells in list(tables[a])[:-1])`: the first row and the last have an offset.
# `(cells[6] == '-' for cells in tables[a])` -> `(cells[6] == '-' for cells in list(tables[a])[1:])`:
# the first row has a member.
# `return [line.split() for line in text.splitlines() if line.startswith('billing')]` ->
# `return sorted([line.split() for line in text.splitlines() if line.startswith('billing')])`,
# `return list(reversed([line.split() for line in text.splitlines() if line.startswith('billing')]))`:
# rows are only counted and added up.

# %% hint
# A dash is in two columns, for two different reasons. Which column tells of the bookmark, and
# which of the reader?

# %% hint
# Cut each row at its blanks: place 3 is CURRENT-OFFSET, 5 is LAG, 6 is CONSUMER-ID. Add up, or
# count, one place over all rows.
