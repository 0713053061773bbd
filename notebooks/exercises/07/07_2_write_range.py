# %% [markdown] items="G16 G20"
# ### Exercise 07.2 · Write Range
#
# Range was Kafka's first choice for many years. **It assigns each topic by itself.** Take the members
# that subscribed to the topic, sorted by their ids as texts. Divide: with seven partitions and
# three members each gets two, and one is left over. The first members take one more each until
# nothing is left over. Everybody gets a block of neighbours: 0 1 2, then 3 4, then 5 6.
#
# The check gives your function to real members: several topics, members that read different
# topics, members that come and crash. Both dicts come in arbitrary order. Each plan is compared
# with that of Kafka's class.

# %% answer
def range_assign(partitions, subscriptions):
    """{topic: how many}, {member: [topic, ...]} -> {member: [(topic, number), ...]}"""
    ### BEGIN SOLUTION
    shares = {member: [] for member in subscriptions}
    for topic, count in partitions.items():
        readers = sorted(member for member, topics in subscriptions.items() if topic in topics)
        each, over = divmod(count, len(readers))
        start = 0
        for place, member in enumerate(readers):
            end = start + each + (1 if place < over else 0)
            shares[member] += [(topic, number) for number in range(start, end)]
            start = end
    return shares
    ### END SOLUTION


# %% question
from autograder.cell.kinds import Function

Function(
    title="write Range",
    points=4,
    answers=("range_assign",),
    public_cases=GROUPS,
    play=play,
    look=unlike(
        "Range",
        "Each topic by itself; sorted members; blocks; the first members take what is left over.",
    ),
    kept="right: each generation has the plan of RangeAssignor.",
)

# %% judge
from autograder.course.judge import Judge

Judge(
    hidden_cases=_groups,
    unseen=(
        "in a group you have not seen, Kafka's class gives another plan. Mind members that read "
        "other topics than their neighbours."
    ),
)


# %% wrong="round robin"
# You give one partition at a time, round after round. Range gives each member a block of neighbours: 0
# 1 2, then 3 4.
def range_assign(partitions, subscriptions):
    given = {member: [] for member in subscriptions}
    for topic in sorted(partitions):
        readers = sorted(m for m in subscriptions if topic in subscriptions[m])
        for number in range(partitions[topic]):
            given[readers[number % len(readers)]].append((topic, number))
    return given


# %% wrong="what is left over is dropped"
# The remainder of the division belongs to nobody, and no member reads it. The first members take one
# more each.
def range_assign(partitions, subscriptions):
    given = {member: [] for member in subscriptions}
    for topic in sorted(partitions):
        readers = sorted(m for m in subscriptions if topic in subscriptions[m])
        each = partitions[topic] // len(readers)
        for place, m in enumerate(readers):
            given[m] += [(topic, n) for n in range(place * each, place * each + each)]
    return given


# %% wrong="the last one takes the remainder"
# Your last member takes all that is left over. Kafka gives it to the first ones, one each.
def range_assign(partitions, subscriptions):
    given = {member: [] for member in subscriptions}
    for topic in sorted(partitions):
        readers = sorted(m for m in subscriptions if topic in subscriptions[m])
        each = partitions[topic] // len(readers)
        for place, m in enumerate(readers):
            end = partitions[topic] if place == len(readers) - 1 else place * each + each
            given[m] += [(topic, n) for n in range(place * each, end)]
    return given


# %% wrong="the last ones take one more"
# You give the extras to the last members. Kafka gives them to the first.
def range_assign(partitions, subscriptions):
    given = {member: [] for member in subscriptions}
    for topic in sorted(partitions):
        readers = sorted(m for m in subscriptions if topic in subscriptions[m])
        each, over = divmod(partitions[topic], len(readers))
        start = 0
        for place, m in enumerate(readers):
            size = each + (place >= len(readers) - over)
            given[m] += [(topic, n) for n in range(start, start + size)]
            start += size
    return given


# %% wrong="all topics as one pack"
# You cut the partitions of all topics into blocks. Range assigns each topic by itself and
# begins with the first member again.
def range_assign(partitions, subscriptions):
    given = {member: [] for member in subscriptions}
    pack = [(topic, number) for topic in sorted(partitions) for number in range(partitions[topic])]
    ring = sorted(subscriptions)
    each, over = divmod(len(pack), len(ring))
    start = 0
    for place, m in enumerate(ring):
        size = each + (place < over)
        given[m] = [tp for tp in pack[start : start + size] if tp[0] in subscriptions[m]]
        start += size
    return given


# %% wrong="divided by all members"
# You divide by all members, also by those that did not subscribe to the topic. Their share belongs
# to nobody.
def range_assign(partitions, subscriptions):
    given = {member: [] for member in subscriptions}
    ring = sorted(subscriptions)
    for topic in sorted(partitions):
        each, over = divmod(partitions[topic], len(ring))
        start = 0
        for place, m in enumerate(ring):
            size = each + (place < over)
            given[m] += [
                (topic, n) for n in range(start, start + size) if topic in subscriptions[m]
            ]
            start += size
    return given


# %% wrong="members as they come"
# The blocks are right. But you take the members in the order of the dict. Sort their ids first,
# `sorted(...)`.
def range_assign(partitions, subscriptions):
    given = {member: [] for member in subscriptions}
    for topic in partitions:
        readers = [m for m in subscriptions if topic in subscriptions[m]]
        each, over = divmod(partitions[topic], len(readers))
        start = 0
        for place, m in enumerate(readers):
            size = each + (place < over)
            given[m] += [(topic, n) for n in range(start, start + size)]
            start += size
    return given


# %% hint
# Do one topic completely before the next. Who reads it? How many each, how many left over?

# %% hint
# Python's divmod gives both numbers at once. The member at place i takes one more when i is below
# what is left over.
