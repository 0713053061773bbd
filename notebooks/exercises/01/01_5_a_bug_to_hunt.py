# %% [markdown]
# ### Exercise 01.5 · A bug to hunt
#
# The search team says: "Since Monday our index lacks about two thirds of all orders. Kafka loses
# data." Nothing is lost. Below are lines of all programs that read `orders`. The program of the
# search team is `search-1`. What is wrong with it? Put the number of the line that proves it into
# `guilty_line`. In which group should that program be? Put its name into `right_group`. The team's
# documentation says: "our group is called like our team".

# %%
lab = Lab(brokers=3, seed=6)
lab.create_topic("orders", partitions=3)
shop(lab, records=12, partitions=3)
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
### BEGIN SOLUTION
guilty_line = next(number for number, line in enumerate(shown) if "clientId=search-1" in line)
right_group = "search"
### END SOLUTION

# %% question
from autograder.cell.kinds import LineReading

LineReading(
    title="bug hunt: two teams, one group",
    points=2,
    answers=("guilty_line", "right_group"),
)

# %% judge
from functools import cache

from autograder.course.judge import Judge
from kafkalab import KafkaConsumer, KafkaProducer, Lab, ProducerRecord


@cache
def _guilty_line() -> int:
    """The chapter's own lab again: which of its lines is of search-1."""
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
    lab.close()
    return next(number for number, line in enumerate(shown) if "clientId=search-1" in line)


Judge(
    truth=lambda case: {"guilty_line": _guilty_line(), "right_group": "search"},
    right=(
        "right: search-1 shares the work, and the bookmark, of billing. A copied group.id does "
        "this in real life, too."
    ),
    otherwise="not this line or not this group. Compare clientId and groupId in each line.",
)

# %% wrong="the team's own line is innocent"
# audit-1 is alone in its own group and gets everything, as it should. Look for a program in a
# group that is not its own.
guilty_line = next(number for number, line in enumerate(shown) if "groupId=audit" in line)
right_group = "search"

# %% wrong="billing is the right group"
# billing is where it is by mistake. With a group of its own, called like the team, it would get
# every record.
guilty_line = next(number for number, line in enumerate(shown) if "clientId=search-1" in line)
right_group = "billing"

# %% wrong="a billing member is blamed"
# That member belongs to billing and sits there. Who else sits there?
guilty_line = next(number for number, line in enumerate(shown) if "clientId=billing" in line)
right_group = "search"

# %% hint
# Each line begins with the program's client id and its group. Which program stands in a group it
# does not belong to?

# %% hint
# Look for clientId=search-1 and read the groupId beside it.
