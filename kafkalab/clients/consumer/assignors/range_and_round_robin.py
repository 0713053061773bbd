"""The two assignors without a memory: RangeAssignor and RoundRobinAssignor. Range assigns topic by
topic, roundrobin all partitions in one round."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.clients.consumer.assignors.member_subscriptions import (
    Assignment,
    MemberSubscription,
    PartitionsPerTopic,
    in_assigning_order,
)
from kafkalab.clients.consumer.assignors.rack_info import worth_matching
from kafkalab.hashing import hash_map_order, java_string_hash
from kafkalab.records import TopicPartition


def round_robin_assign(
    cluster: PartitionsPerTopic, members: Mapping[str, MemberSubscription], static_first: bool
) -> Assignment:
    """All partitions of all topics in one row, topics by name;
    each goes to the next member in the round that wants its topic."""
    assignment: Assignment = {member: [] for member in members}
    ring = in_assigning_order(members, list(members), static_first)
    wants = {member: frozenset(members[member].topics) for member in ring}
    at = 0
    for topic in sorted(cluster.counts):
        for partition in cluster.partitions(topic):
            while topic not in wants[ring[at]]:
                at = (at + 1) % len(ring)
            assignment[ring[at]].append(partition)
            at = (at + 1) % len(ring)
    return assignment


def range_assign(
    cluster: PartitionsPerTopic,
    members: Mapping[str, MemberSubscription],
    static_first: bool,
    by_rack: bool,
) -> Assignment:
    """Topic by topic, contiguous blocks; the first members in order get one more, so they collect
    the surplus of every topic.

    by_rack: partitions are assigned first to members in a rack that holds a replica, as far as
    balance allows (KIP-881). Topics with as many partitions and the same readers stay
    co-partitioned: partition n of all of them belongs to one member.
    """
    assignment: Assignment = {member: [] for member in members}
    readers: dict[str, list[str]] = {}
    for member, described in members.items():
        for topic in described.topics:
            readers.setdefault(topic, []).append(member)
    # Until 3.4 the class walked its map of readers, from then on its map of partitions.
    order = (
        list(cluster.counts)
        if by_rack
        else hash_map_order(readers, java_string_hash, newest_first=True)
    )
    topics = [
        _Topic(
            cluster,
            topic,
            in_assigning_order(members, readers[topic], static_first),
            members,
            by_rack,
        )
        for topic in order
        if topic in cluster.counts
    ]
    matching = any(topic.matters_where for topic in topics)
    if matching:
        _match_racks(topics, assignment)
    for each in topics:
        each.deal(assignment, lambda member, partition: True)
    if matching:
        for partitions in assignment.values():
            partitions.sort()
    return assignment


def _match_racks(topics: list[_Topic], assignment: Assignment) -> None:
    alike: dict[tuple[Any, ...], list[_Topic]] = {}
    for topic in topics:
        alike.setdefault((topic.readers, topic.reader_racks, len(topic.racks)), []).append(topic)
    for together in alike.values():
        if len(together) > 1:
            _match_together(together, assignment)
        elif together[0].matters_where:
            together[0].deal(assignment, together[0].rack_fits)


def _match_together(topics: list[_Topic], assignment: Assignment) -> None:
    """Partition n of all these topics belongs to the first reader whose rack fits all of them and
    that may take one of each."""
    remaining = list(topics[0].readers)
    for number in range(len(topics[0].racks)):
        for member in remaining:
            if all(
                t.rack_fits(member, TopicPartition(t.name, number)) and t.may_take(member) > 0
                for t in topics
            ):
                break
        else:
            continue
        for topic in topics:
            topic.give(assignment, member, [TopicPartition(topic.name, number)])
        if not any(topic.may_take(member) > 0 for topic in topics):
            remaining.remove(member)
            if not remaining:
                break


class _Topic:
    """The state of one topic during its assignment (RangeAssignor.TopicAssignmentState)."""

    def __init__(
        self,
        cluster: PartitionsPerTopic,
        name: str,
        readers: list[str],
        members: Mapping[str, MemberSubscription],
        by_rack: bool,
    ) -> None:
        self.name = name
        self.readers = tuple(readers)
        self.reader_racks = (
            tuple(members[member].rack_id or None for member in readers)
            if by_rack
            else (None,) * len(readers)
        )
        self._rack_of = dict(zip(self.readers, self.reader_racks, strict=True))
        self._left = dict.fromkeys(cluster.partitions(name))
        self._taken = dict.fromkeys(self.readers, 0)
        self._share, self._extras = divmod(cluster.counts[name], len(self.readers))
        racks = frozenset(rack for rack in self.reader_racks if rack)
        self.racks = (
            {partition: cluster.racks(partition) for partition in self._left} if racks else {}
        )
        self.matters_where = worth_matching(racks, self.racks.values())

    def rack_fits(self, member: str, partition: TopicPartition) -> bool:
        rack = self._rack_of[member]
        return rack is None or rack in self.racks.get(partition, ())

    def may_take(self, member: str) -> int:
        return max(0, self._share + (1 if self._extras > 0 else 0) - self._taken[member])

    def give(self, assignment: Assignment, member: str, partitions: list[TopicPartition]) -> None:
        assignment[member] += partitions
        self._taken[member] += len(partitions)
        if self._taken[member] > self._share:
            self._extras -= 1
        for partition in partitions:
            self._left.pop(partition, None)

    def deal(self, assignment: Assignment, fits: Callable[[str, TopicPartition], bool]) -> None:
        """Each reader in order takes as many of the remaining partitions that fit as it may."""
        for member in self.readers:
            if not self._left:
                break
            wanted: list[TopicPartition] = []
            limit = self.may_take(member)
            for partition in self._left:
                if len(wanted) == limit:
                    break
                if fits(member, partition):
                    wanted.append(partition)
            if wanted:
                self.give(assignment, member, wanted)
