# %% [markdown]
# ### Exercise 01.5 · A bug to hunt
#
# The search team says: "Since Monday our index lacks about two thirds of all orders. Kafka loses
# data." Kafka lost nothing. Below are lines of all programs that read `orders`. The search team has
# one program, `search-1`. What is wrong with it?
#
# 1. Put the number of the line that proves it into `guilty_line`.
# 2. In which group should the program be? Each team's group has the team's name. Put it into
#    `right_group`.
# 3. Another team misses orders as well and has not seen it yet. Put its name into `also_short`.
# 4. Which partition does that team not read? Put the number into `unread_partition`.

# %%
lab = Lab(brokers=3, seed=6)
lab.create_topic("orders", partitions=3)
write_orders(lab, records=12, partitions=3)
for name, group in (
    ("billing-1", "billing"),
    ("billing-2", "billing"),
    ("audit-1", "audit"),
    ("search-1", "billing"),
):
    lab.spawn(member, name, group, name=name)
lab.run_for(ms=10_000)
shown = [line for line in lab.lines().message if "Adding newly assigned partitions" in line]
for number, line in enumerate(shown):
    print(number, line)

# %% answer
guilty_line = ...  # the number before the line
right_group = ...  # a text
also_short = ...  # a text
unread_partition = ...  # a number
### BEGIN SOLUTION
guilty_line = next(number for number, line in enumerate(shown) if "clientId=search-1" in line)
right_group = "search"
also_short = "billing"
unread_partition = int(shown[guilty_line].rsplit("-", 1)[1])
### END SOLUTION

# %% question
from autograder.cell.kinds import LineReading

LineReading(
    title="bug hunt: two teams, one group",
    points=2,
    answers=("guilty_line", "right_group", "also_short", "unread_partition"),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


@cache
def _guilty() -> tuple[int, int]:
    """The chapter's own lab again: which of its lines is of search-1, and what it took."""
    lab = Lab(brokers=3, seed=6)
    lab.create_topic("orders", partitions=3)
    producer = KafkaProducer(lab, {"client.id": "shop"})
    for number in range(12):
        producer.send(ProducerRecord("orders", partition=number % 3, value=f"order {number}"))
    producer.close()

    def read(lab, name, group):
        consumer = KafkaConsumer(
            lab,
            {
                "group.id": group,
                "client.id": name,
                "auto.offset.reset": "earliest",
                "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor",
            },
            name=name,
        )
        consumer.subscribe(["orders"])
        while True:
            consumer.poll(timeout_ms=500)

    for name, group in (
        ("billing-1", "billing"),
        ("billing-2", "billing"),
        ("audit-1", "audit"),
        ("search-1", "billing"),
    ):
        lab.spawn(read, name, group, name=name)
    lab.run_for(ms=10_000)
    shown = [line for line in lab.lines()["message"] if "Adding newly assigned partitions" in line]
    owned = lab.at(lab.now_ms)["clients"]["search-1"]["assignment"]
    lab.close()
    line = next(number for number, line in enumerate(shown) if "clientId=search-1" in line)
    return line, int(owned[0].rsplit("-", 1)[1])


Judge(
    truth=lambda case: {
        "guilty_line": _guilty()[0],
        "right_group": "search",
        "also_short": "billing",
        "unread_partition": _guilty()[1],
    },
    right=(
        "right: search-1 copied the group.id of billing. So search gets one partition of three, "
        "and billing lacks that one."
    ),
    otherwise={
        "guilty_line": "{said} is not it. Compare clientId and groupId in each line.",
        "right_group": '"{said}" is not it. Each team has a group with its own name.',
        "also_short": '"{said}" is not it. In whose group is the program that does not belong there?',
        "unread_partition": "{said} is not it. Which partition does the guilty line name?",
    },
)

# %% equivalent
# `next((number for number, line in enumerate(shown) if 'clientId=search-1' in line))` ->
# `list((number for number, line in enumerate(shown) if 'clientId=search-1' in line))[-1]`: search-1
# has one line.

# %% begin solution

# %% wrong="the team's own line is innocent"
# audit-1 is alone in its own group and gets all three partitions, as it should. Look for a program
# in a group that is not its own.
guilty_line = next(number for number, line in enumerate(shown) if "groupId=audit" in line)

# %% wrong="billing is the right group"
# The program is in billing by mistake. In a group of its own, with its team's name, it gets every
# record.
right_group = "billing"

# %% wrong="a billing member is blamed"
# This program belongs to the team billing, and its group is billing. Which other program is in
# the group billing?
guilty_line = next(number for number, line in enumerate(shown) if "clientId=billing-1" in line)

# %% wrong="the other billing member is blamed"
# This program is a member of its own team's group. Which member of that group is not?
guilty_line = next(number for number, line in enumerate(shown) if "clientId=billing-2" in line)

# %% wrong="the program's name is taken for the group"
# search-1 is the program's name. The group has the name of the team.
right_group = "search-1"

# %% wrong="audit is short"
# audit-1 has all three partitions, so that team misses nothing. Which group has a partition that a
# stranger reads?
also_short = "audit"

# %% wrong="search is short"
# That is the team that complained. Which other group has fewer than three partitions for its
# own programs?
also_short = "search"

# %% wrong="a partition that billing reads"
# A program of that team owns this partition. The team lacks the one that search-1 owns.
unread_partition = next(
    int(line.rsplit("-", 1)[1]) for line in shown if "clientId=billing-1" in line
)

# %% wrong="another partition that billing reads"
# This partition is read by a program of that team. The team lacks the one that search-1 owns.
unread_partition = next(
    int(line.rsplit("-", 1)[1]) for line in shown if "clientId=billing-2" in line
)

# %% hint
# Each line begins with the program's client id and its group. Which program is in a group that is
# not its team's?

# %% hint
# Look for clientId=search-1 and read the groupId beside it. The partition in that line is read for
# the wrong team.
