"""The assignors of the broker, "uniform" and "range", compute a group's target assignment
(KIP-848).

Kafka's classes are coordinator.group.assignor.UniformAssignor and RangeAssignor. Uniform is sticky:
each member keeps as many of its partitions as its quota allows. For members with different
subscriptions the real UniformHeterogeneousAssignmentBuilder moves partitions in an order of its
own. Here the result is as balanced and as sticky, but it may be a different one.
"""

from __future__ import annotations

from collections.abc import Mapping

from kafkalab.broker.groups.modern.consumer_group import ConsumerGroupMember, Owned
from kafkalab.hashing import hash_map_order, java_string_hash

Target = dict[str, Owned]


def uniform(
    members: Mapping[str, ConsumerGroupMember],
    topics_of: Mapping[str, tuple[str, ...]],
    sizes: Mapping[str, int],
    before: Mapping[str, Owned],
) -> Target:
    """Assign equal numbers of partitions and keep as many as possible where they are.

    topics_of: member -> its topics. sizes: topic -> number of partitions. before: the last
    target."""
    order = hash_map_order(members, java_string_hash)
    if len({frozenset(topics_of[member]) for member in order}) > 1:
        return _unequal(order, topics_of, sizes, before)
    topics = topics_of[order[0]]
    held = {
        member: [p for p in sorted(before.get(member, ())) if p[0] in topics and p[1] < sizes[p[0]]]
        for member in order
    }
    taken = {partition for partitions in held.values() for partition in partitions}
    free = [(topic, n) for topic in topics for n in range(sizes[topic]) if (topic, n) not in taken]
    share, extras = divmod(sum(sizes[topic] for topic in topics), len(order))
    target: dict[str, list[tuple[str, int]]] = {}
    lacking: dict[str, int] = {}
    for index, member in enumerate(order):
        quota = share + (index < extras)
        target[member], given_up = held[member][:quota], held[member][quota:]
        free += given_up
        lacking[member] = quota - len(target[member])
    for member in order:
        target[member] += free[: lacking[member]]
        free = free[lacking[member] :]
    return {member: frozenset(partitions) for member, partitions in target.items()}


def range_(
    members: Mapping[str, ConsumerGroupMember],
    topics_of: Mapping[str, tuple[str, ...]],
    sizes: Mapping[str, int],
    before: Mapping[str, Owned],
) -> Target:
    """Assign contiguous blocks, topic by topic; static members first, by instance id. The last
    target has no effect."""
    order = sorted(
        members, key=lambda m: (members[m].instance_id is None, members[m].instance_id or m)
    )
    target: dict[str, set[tuple[str, int]]] = {member: set() for member in order}
    for topic, size in sizes.items():
        readers = [member for member in order if topic in topics_of[member]]
        if not readers:
            continue
        share, extras = divmod(size, len(readers))
        start = 0
        for index, member in enumerate(readers):
            end = start + share + (index < extras)
            target[member].update((topic, n) for n in range(start, end))
            start = end
    return {member: frozenset(partitions) for member, partitions in target.items()}


def _unequal(
    order: list[str],
    topics_of: Mapping[str, tuple[str, ...]],
    sizes: Mapping[str, int],
    before: Mapping[str, Owned],
) -> Target:
    held = {
        m: [p for p in sorted(before.get(m, ())) if p[0] in topics_of[m] and p[1] < sizes[p[0]]]
        for m in order
    }
    taken = {partition for partitions in held.values() for partition in partitions}
    readers = {topic: [m for m in order if topic in topics_of[m]] for topic in sizes}
    for topic in sorted(sizes, key=lambda t: (len(readers[t]), t)):
        for n in range(sizes[topic]):
            if (topic, n) not in taken and readers[topic]:
                held[min(readers[topic], key=lambda m: len(held[m]))].append((topic, n))
    moving = True
    while moving:
        moving = False
        for giver in sorted(order, key=lambda m: -len(held[m])):
            for partition in reversed(held[giver]):
                taker = min(readers[partition[0]], key=lambda m: len(held[m]))
                if len(held[giver]) > len(held[taker]) + 1:
                    held[giver].remove(partition)
                    held[taker].append(partition)
                    moving = True
                    break
    return {member: frozenset(partitions) for member, partitions in held.items()}


SERVER_ASSIGNORS = {"uniform": uniform, "range": range_}
"""group.consumer.assignors: the first is the default."""
