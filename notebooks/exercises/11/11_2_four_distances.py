# %% [markdown]
# ### Exercise 11.2 · Four distances
#
# Three groups, A, B and C. For twelve minutes the shop of A wrote `n.A.per_minute` records at the
# beginning of each minute, into one partition: first at minute 0, last at minute 11. Now, at minute
# 12, the first `n.A.deleted` of them have been deleted. A new member comes and begins at the log's
# start. It has polled `n.A.polled` records. It is still working on the last `n.A.in_work` of them,
# and has committed everything before them.
#
# What does the tool say (`tool_lag`)? What do the client's `records-lag` and `records-lead` say? And
# take the first record that is not committed yet: how many minutes ago was it written?

# %%
n = numbers("11.2")
n

# %% answer items="N83 N84"
tool_lag = {"A": ..., "B": ..., "C": ...}
client_lag = {"A": ..., "B": ..., "C": ...}
client_lead = {"A": ..., "B": ..., "C": ...}
minutes_old = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
tool_lag, client_lag, client_lead, minutes_old = {}, {}, {}, {}
for name, group in n.items():
    end, place = 12 * group.per_minute, group.deleted + group.polled
    committed = place - group.in_work
    tool_lag[name], client_lag[name] = end - committed, end - place
    client_lead[name] = place - group.deleted
    minutes_old[name] = 12 - committed // group.per_minute
### END SOLUTION

# %% question
from autograder.cell.kinds import Value


def bookmark_of(n: dict) -> int:
    return n["deleted"] + n["polled"] - n["in_work"]


def minute_begins(n: dict) -> bool:
    """Whether the last committed record was written a minute before the next one."""
    return bookmark_of(n) % n["per_minute"] == 0


def minute_ends(n: dict) -> bool:
    """Whether the record at the bookmark was written a minute before the one after it."""
    return (bookmark_of(n) + 1) % n["per_minute"] == 0


def position_is_in_another_minute(n: dict) -> bool:
    return (bookmark_of(n) + n["in_work"]) // n["per_minute"] != bookmark_of(n) // n["per_minute"]


Value(
    title="four distances",
    points=4,
    answers=("tool_lag", "client_lag", "client_lead", "minutes_old"),
    draws=THREE,
    row="group",
    space={
        "per_minute": (30, 40, 50),
        "deleted": (40, 59, 65, 89, 90),
        "polled": (50, 60, 70, 80, 95),
        "in_work": (5, 10, 15, 20),
    },
    where=lambda n: minute_begins(n) or position_is_in_another_minute(n),
    together=lambda sets: any(map(minute_begins, sets)) and any(map(minute_ends, sets)),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import (
    KafkaAdminClient,
    KafkaConsumer,
    KafkaProducer,
    Lab,
    OffsetAndMetadata,
    ProducerRecord,
    RecordsToDelete,
    TopicPartition,
)

ORDERS = TopicPartition("orders", 0)


@cache
def _distances(
    per_minute: int, deleted: int, polled: int, in_work: int
) -> tuple[int, int, int, int]:
    """(lag of the tool, lag and lead of the client, minutes since the first
    record that is not committed was written)."""
    lab = Lab(brokers=1, seed=7)
    lab.create_topic("orders")
    shop = KafkaProducer(lab, {"client.id": "shop"})
    for minute in range(12):
        lab.run_for(ms=MINUTE * minute - lab.now_ms if minute else 0)
        for _ in range(per_minute):
            shop.send(ProducerRecord("orders", value="an order"))
        shop.flush()
    lab.run_for(ms=MINUTE * 12 - lab.now_ms)
    KafkaAdminClient(lab, {}).delete_records({ORDERS: RecordsToDelete(deleted)}).all().get()
    member = KafkaConsumer(
        lab,
        {
            "group.id": "billing",
            "enable.auto.commit": False,
            "auto.offset.reset": "earliest",
            "max.poll.records": 5,
        },
        name="m1",
    )
    member.subscribe(["orders"])
    got = []
    while len(got) < polled:
        got += list(member.poll(timeout_ms=5_000))
    member.commit_sync({ORDERS: OffsetAndMetadata(got[-1].offset + 1 - in_work)})
    of = member.metrics().of("consumer-fetch-manager-metrics", topic="orders", partition="0")
    first = got[-in_work]
    return (
        int(lab.describe_group("billing").lag.iloc[0]),
        int(of["records-lag"]),
        int(of["records-lead"]),
        round((12 * MINUTE - (first.timestamp_ms - lab.epoch_ms)) / MINUTE),
    )


_FOUR = ("tool_lag", "client_lag", "client_lead", "minutes_old")

Judge(
    truth=lambda case: dict(
        zip(
            _FOUR,
            _distances(case["per_minute"], case["deleted"], case["polled"], case["in_work"]),
        )
    ),
    right="right: lag to the log's end, lead from its start; the tool from the bookmark.",
    otherwise=(
        "not all four. Three are distances between marks: log start {deleted}, bookmark, position, "
        "log end. The fourth is an age in minutes."
    ),
)

# %% wrong="one lag for both"
# You gave the client the tool's lag. The client measures from its position, and that is {in_work}
# records further on than the bookmark.
tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}
client_lead = {a: x.polled for a, x in n.items()}
minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}

# %% wrong="the tool sees the position"
# You gave the tool the client's lag. The tool knows the bookmark only; the {in_work} records in
# work are not committed yet.
tool_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}
client_lead = {a: x.polled for a, x in n.items()}
minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}

# %% wrong="lead from offset 0"
# You measured the lead from offset 0. The first {deleted} records are gone, and the log begins
# after them.
tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}
client_lead = {a: x.deleted + x.polled for a, x in n.items()}
minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}

# %% wrong="more lag, less lead"
# You took the lag off the lead. They are distances to different ends of the log: the lag to its end,
# the lead to its start.
tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}
client_lead = {
    a: max(0, x.polled - (12 * x.per_minute - x.deleted - x.polled)) for a, x in n.items()
}
minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}

# %% wrong="the last record read"
# You are off by one. A committed offset names the next record, not the last one that was read.
tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) - 1 for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - x.deleted - x.polled - 1 for a, x in n.items()}
client_lead = {a: x.polled + 1 for a, x in n.items()}
minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}

# %% wrong="lag over rate, rounded down"
# `minutes_old` is a minute too small. Find the minute in which the record at the
# bookmark was written. (Not the one at the position; and the lag divided by {per_minute} is not
# simply rounded down.)
tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}
client_lead = {a: x.polled for a, x in n.items()}
minutes_old = {
    a: (12 * x.per_minute - (x.deleted + x.polled - x.in_work)) // x.per_minute
    for a, x in n.items()
}

# %% wrong="tool and client swapped"
# You exchanged the two. The tool measures from the bookmark, the client from its position, which is
# {in_work} records further on.
tool_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}
client_lead = {a: x.polled for a, x in n.items()}
minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}

# %% wrong="the deleted are forgotten"
# The member did not begin at offset 0. The first {deleted} records are deleted, so its position is
# {deleted} + {polled}.
tool_lag = {a: 12 * x.per_minute - (x.polled - x.in_work) for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - x.polled for a, x in n.items()}
client_lead = {a: x.polled for a, x in n.items()}
minutes_old = {a: 12 - (x.polled - x.in_work) // x.per_minute for a, x in n.items()}

# %% wrong="lead from the bookmark"
# Three are right. The client's lead is measured from its position, not from the bookmark.
tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}
client_lead = {a: x.polled - x.in_work for a, x in n.items()}
minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}

# %% wrong="minutes of the last committed record"
# Three are right. `minutes_old` is a minute too large. Find the minute of the record that the bookmark
# names: it is the next one, not the last committed one.
tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}
client_lead = {a: x.polled for a, x in n.items()}
minutes_old = {a: 12 - (x.deleted + x.polled - x.in_work - 1) // x.per_minute for a, x in n.items()}

# %% wrong="until the last write"
# `minutes_old` is a minute too small. You counted to minute 11, when the last records were written.
# Now it is minute 12.
tool_lag = {a: 12 * x.per_minute - (x.deleted + x.polled - x.in_work) for a, x in n.items()}
client_lag = {a: 12 * x.per_minute - x.deleted - x.polled for a, x in n.items()}
client_lead = {a: x.polled for a, x in n.items()}
minutes_old = {a: 11 - (x.deleted + x.polled - x.in_work) // x.per_minute for a, x in n.items()}

# %% hint
# Draw the log as a line with four marks: log start, committed, position, log end. Each distance
# lies between two of them.

# %% hint
# The member began at n.A.deleted. Its position is n.A.polled further on, its bookmark n.A.in_work
# before that. The end is twelve times n.A.per_minute.
