# %% [markdown]
# ### Exercise 01.1 · Who gets how many?
#
# There are three topics, A, B and C. Topic A holds `n.A.records` records. Three readers read it, and
# all read to the end:
#
# - The first group has `n.A.members` programs that share one `group.id`: its *members*.
# - The second group has one member.
# - One program has no group. It reads everything from the start, goes back, and reads everything
#   again. It counts each record each time.
#
# How many records does the first group get, all its members together? How many does the second
# group get, and how many the program without a group? How many are in the topic at the end? Write
# whole numbers.

# %%
n = numbers("01.1")
n

# %% answer
first_group = {"A": ..., "B": ..., "C": ...}
second_group = {"A": ..., "B": ..., "C": ...}
no_group = {"A": ..., "B": ..., "C": ...}
in_the_topic = {"A": ..., "B": ..., "C": ...}
### BEGIN SOLUTION
first_group = {name: topic.records for name, topic in n.items()}
second_group = first_group
no_group = {name: 2 * topic.records for name, topic in n.items()}
in_the_topic = first_group
### END SOLUTION

# %% question
from autograder.cell.kinds import Value

Value(
    title="who gets how many records",
    points=2,
    answers=("first_group", "second_group", "no_group", "in_the_topic"),
    draws=THREE,
    row="topic",
    space={"records": (18, 24, 30, 36, 42, 48, 54, 60, 66, 72), "members": (2, 3, 4, 5, 6)},
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, TopicPartition


@cache
def _got(records: int, members: int) -> dict:
    """What groups of so many members, one member and a program without a
    group get of a topic with two partitions."""
    lab, got = _filled(records, 2), {}

    def read(lab, name, group):
        consumer = KafkaConsumer(
            lab, {"group.id": group, "client.id": name, "auto.offset.reset": "earliest"}, name=name
        )
        consumer.subscribe(["t"])
        while True:
            came = len(list(consumer.poll(timeout_ms=500)))
            # added after the poll: others read meanwhile
            got[group] = got.get(group, 0) + came

    for number in range(members):
        lab.spawn(read, f"a{number}", "a", name=f"a{number}")
    lab.spawn(read, "b0", "b", name="b0")
    lab.run_for(ms=12_000)
    alone = KafkaConsumer(lab, {"auto.offset.reset": "earliest"}, name="alone")
    alone.assign([TopicPartition("t", 0), TopicPartition("t", 1)])
    twice = 0
    for _ in range(2):
        alone.seek_to_beginning(alone.assignment())
        until = lab.now_ms + 3_000
        while lab.now_ms < until:
            twice += len(list(alone.poll(timeout_ms=500)))
    logs = lab.at(lab.now_ms)["partitions"]
    left = sum(
        logs[f"t-{p}"]["log_end_offset"] - logs[f"t-{p}"]["log_start_offset"] for p in range(2)
    )
    lab.close()
    return {
        "first_group": got["a"],
        "second_group": got["b"],
        "no_group": twice,
        "in_the_topic": left,
    }


Judge(
    truth=lambda case: _got(case["records"], case["members"]),
    right=(
        "right: {members} members together got {records} records once, and so did the one member "
        "of the second group. The topic still holds all {records}."
    ),
    otherwise={
        "first_group": "{said} is not it. The members of one group share one committed offset.",
        "second_group": "{said} is not it. Each group has a committed offset of its own.",
        "no_group": "{said} is not it. How often does this program read the whole topic?",
        "in_the_topic": "{said} is not it. What does reading take away from a log?",
    },
)

# %% wrong="reading removes"
# You took the records away with the first reader. Reading moves a bookmark; the log stays as it
# is.
first_group = {a: x.records for a, x in n.items()}
second_group = {a: 0 for a, x in n.items()}
no_group = {a: 0 for a, x in n.items()}
in_the_topic = {a: 0 for a, x in n.items()}

# %% wrong="the second group comes too late"
# The second group gets nothing in your answer, as if the topic were a queue. Each group has its
# own committed offset, so each group gets everything.
first_group = {a: x.records for a, x in n.items()}
second_group = {a: 0 for a, x in n.items()}
no_group = {a: 2 * x.records for a, x in n.items()}
in_the_topic = {a: x.records for a, x in n.items()}

# %% wrong="groups share"
# You let the two groups share. Members of one group share; each group as a whole gets everything.
first_group = {a: x.records // 2 for a, x in n.items()}
second_group = {a: x.records - x.records // 2 for a, x in n.items()}
no_group = {a: 2 * x.records for a, x in n.items()}
in_the_topic = {a: x.records for a, x in n.items()}

# %% wrong="each member gets all"
# You gave all records to each of the {members} members. Inside a group a partition has one owner,
# so a record goes to one of them.
first_group = {a: x.members * x.records for a, x in n.items()}
second_group = {a: x.records for a, x in n.items()}
no_group = {a: 2 * x.records for a, x in n.items()}
in_the_topic = {a: x.records for a, x in n.items()}

# %% wrong="one member's share"
# That is one member's share of the first group. The question asks for its {members} members
# together.
first_group = {a: x.records // x.members for a, x in n.items()}
second_group = {a: x.records for a, x in n.items()}
no_group = {a: 2 * x.records for a, x in n.items()}
in_the_topic = {a: x.records for a, x in n.items()}

# %% wrong="nothing without a group"
# You gave nothing to the program without a group. It reads the same log, and it needs no group for
# that. It gets everything two times.
first_group = {a: x.records for a, x in n.items()}
second_group = {a: x.records for a, x in n.items()}
no_group = {a: 0 for a, x in n.items()}
in_the_topic = {a: x.records for a, x in n.items()}

# %% wrong="each record once without a group"
# The program without a group reads from the start two times. It gets everything two times.
first_group = {a: x.records for a, x in n.items()}
second_group = {a: x.records for a, x in n.items()}
no_group = {a: x.records for a, x in n.items()}
in_the_topic = {a: x.records for a, x in n.items()}

# %% wrong="read records are deleted"
# All have read, and still nothing is gone. Retention deletes by age, not by who has read.
first_group = {a: x.records for a, x in n.items()}
second_group = {a: x.records for a, x in n.items()}
no_group = {a: 2 * x.records for a, x in n.items()}
in_the_topic = {a: 0 for a, x in n.items()}

# %% wrong="a copy for each reader"
# You counted each reading. A reader gets a copy, and the topic holds its {records} records once.
first_group = {a: x.records for a, x in n.items()}
second_group = {a: x.records for a, x in n.items()}
no_group = {a: 2 * x.records for a, x in n.items()}
in_the_topic = {a: 4 * x.records for a, x in n.items()}

# %% wrong="the first reading and two more"
# The program without a group reads two times in all: once, and then once again.
first_group = {a: x.records for a, x in n.items()}
second_group = {a: x.records for a, x in n.items()}
no_group = {a: 3 * x.records for a, x in n.items()}
in_the_topic = {a: x.records for a, x in n.items()}

# %% hint
# Which of these readers have a committed offset in common? Only they share records.

# %% hint
# A group as a whole gets every record once, however many members it has. Reading removes nothing.
