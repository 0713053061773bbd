# %% [markdown] items="N41"
# ### Exercise 07.3 · Write RoundRobin
#
# Put all partitions into one list: topics by name, then by number. Sort the members by their ids.
# Go round: each partition goes to the next member **that subscribed to its topic**. Skip a member
# that did not. The next partition begins with the member after the one that got the last.
# `partitions` holds only topics that somebody reads. Both dicts come in arbitrary order.

# %% answer
def round_robin_assign(partitions, subscriptions):
    """{topic: how many}, {member: [topic, ...]} -> {member: [(topic, number), ...]}"""
    ### BEGIN SOLUTION
    ring = sorted(subscriptions)
    given, at = {member: [] for member in ring}, 0
    for topic in sorted(partitions):
        for number in range(partitions[topic]):
            while topic not in subscriptions[ring[at]]:
                at = (at + 1) % len(ring)
            given[ring[at]].append((topic, number))
            at = (at + 1) % len(ring)
    return given
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function

Function(
    title="write RoundRobin",
    points=3,
    answers=("round_robin_assign",),
    public_cases=GROUPS,
    play=play,
    look=unlike(
        "RoundRobin",
        "All topics in one list; the round continues where it was; skip who did not subscribe.",
    ),
    kept="right: each generation has the plan of RoundRobinAssignor.",
)

# %% judge
from autograder.course.judge import Judge

Judge(
    hidden_cases=_groups,
    unseen=(
        "in a group you have not seen, Kafka's class gives another plan. Where does the round "
        "continue after a member was skipped?"
    ),
)


# %% wrong="topics as they come"
# The round is right, and the row is not: you take the topics as the dict happens to hold them.
# Sort their names first.
def round_robin_assign(partitions, subscriptions):
    ring = sorted(subscriptions)
    given = {member: [] for member in ring}
    place = 0
    for topic in partitions:
        for number in range(partitions[topic]):
            while topic not in subscriptions[ring[place % len(ring)]]:
                place += 1
            given[ring[place % len(ring)]].append((topic, number))
            place += 1
    return given


# %% wrong="each topic begins again"
# You begin with the first member for each topic. The round continues: a topic begins where
# the one before it ended.
def round_robin_assign(partitions, subscriptions):
    ring = sorted(subscriptions)
    given = {member: [] for member in ring}
    for topic in sorted(partitions):
        readers = sorted(m for m in subscriptions if topic in subscriptions[m])
        for number in range(partitions[topic]):
            given[readers[number % len(readers)]].append((topic, number))
    return given


# %% wrong="a skipped turn is lost"
# When it is the turn of a member that does not read the topic, you give the partition to nobody.
# Skip the member, keep the partition.
def round_robin_assign(partitions, subscriptions):
    ring = sorted(subscriptions)
    given = {member: [] for member in ring}
    for place, (topic, number) in enumerate(
        [(topic, number) for topic in sorted(partitions) for number in range(partitions[topic])]
    ):
        m = ring[place % len(ring)]
        if topic in subscriptions[m]:
            given[m].append((topic, number))
    return given


# %% wrong="counted by place"
# You count places in the row. After a skip the two differ: continue after the member that got
# the last partition.
def round_robin_assign(partitions, subscriptions):
    ring = sorted(subscriptions)
    given = {member: [] for member in ring}
    for place, (topic, number) in enumerate(
        [(topic, number) for topic in sorted(partitions) for number in range(partitions[topic])]
    ):
        readers = sorted(m for m in subscriptions if topic in subscriptions[m])
        given[readers[place % len(readers)]].append((topic, number))
    return given


# %% wrong="range"
# These are blocks, as Range gives them. Here each partition goes to the next member in the round.
def round_robin_assign(partitions, subscriptions):
    ring = sorted(subscriptions)
    given = {member: [] for member in ring}
    for topic in sorted(partitions):
        readers = sorted(m for m in subscriptions if topic in subscriptions[m])
        each, over = divmod(partitions[topic], len(readers))
        start = 0
        for place, m in enumerate(readers):
            size = each + (place < over)
            given[m] += [(topic, n) for n in range(start, start + size)]
            start += size
    return given


# %% wrong="members as they come"
# The round is right. But you take the members in the order of the dict. Sort their ids first,
# `sorted(...)`.
def round_robin_assign(partitions, subscriptions):
    ring = list(subscriptions)
    given = {member: [] for member in ring}
    place = 0
    for topic in sorted(partitions):
        for number in range(partitions[topic]):
            while topic not in subscriptions[ring[place % len(ring)]]:
                place += 1
            given[ring[place % len(ring)]].append((topic, number))
            place += 1
    return given


# %% hint
# Keep one place in the round for all topics. When do you move it on?

# %% hint
# Before a partition is given, move on while the member there has not subscribed to its topic.
# Afterwards move on once.
