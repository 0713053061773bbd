"""Sticky assignment when members want different topics: StickyAssignor.balance,
AbstractStickyAssignor.generalAssign, GeneralAssignmentBuilder.

Until 2.3 (balance) it is used always, in 2.8 it is generalAssign, from 3.0
GeneralAssignmentBuilder. It assigns what is free, then moves partitions one by one until the
assignment is balanced.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Iterator, Mapping
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from kafkalab.clients.consumer.assignors.constrained_assignment import up_to_a_stranger
from kafkalab.clients.consumer.assignors.member_subscriptions import (
    Assignment,
    MemberSubscription,
    PartitionsPerTopic,
    Say,
)
from kafkalab.clients.consumer.assignors.ownership_claims import Ownership
from kafkalab.clients.consumer.assignors.partition_movements import PartitionMovements
from kafkalab.clients.consumer.assignors.rack_info import RackInfo
from kafkalab.clients.network.hash_order import ids_in_hash_order, partitions_in_hash_order
from kafkalab.records import TopicPartition

if TYPE_CHECKING:
    from kafkalab.releases import Profile


class GeneralAssignment:
    """One run of the algorithm.

    Two of the class's loops are shortened without another result. Whether any member with two
    partitions less wants a partition is read from the member with the fewest. Racks are ignored in
    moving, as the class tries the other members afterwards. Left out: NullPointerExceptions of the
    class, when a partition's previous owner takes no part in balancing.
    """

    def __init__(
        self,
        cluster: PartitionsPerTopic,
        members: Mapping[str, MemberSubscription],
        past: Ownership,
        racks: RackInfo,
        profile: Profile,
        say: Say,
    ) -> None:
        self._cluster = cluster
        self._members = members
        self._racks = racks
        self._profile = profile
        self._say = say
        self._wants = {
            member: [t for t in described.topics if t in cluster.counts]
            for member, described in members.items()
        }
        self._readers: dict[str, int] = dict.fromkeys(cluster.counts, 0)
        for topics in self._wants.values():
            for topic in topics:
                self._readers[topic] += 1
        self._most = {
            member: sum(cluster.counts[topic] for topic in topics)
            for member, topics in self._wants.items()
        }
        self._wants_set = {member: frozenset(topics) for member, topics in self._wants.items()}
        self._fresh = not past.held
        began = [*(reversed(past.held) if past.newest_first else past.held), *members]
        self.held: Assignment = {member: past.held.get(member, []) for member in began}
        self._previous = past.previous
        self._owner = {tp: member for member, held in self.held.items() for tp in held}
        self._movements = PartitionMovements()
        self._revoking = False
        self._held_twice = sum(map(len, self.held.values())) > len(self._owner)

    def build(self) -> Assignment:
        in_order = self._in_order()
        kept = self._keep()
        unassigned = [partition for partition in in_order if partition not in kept]
        self._sorted = _BySize(self.held)
        initializing = not self.held[self._sorted.last()]
        self._give_out(unassigned)
        movable = [tp for tp in in_order if self._readers[tp.topic] > 1]
        fixed = {m: self._set_aside(m) for m in self._wants if not self._takes_part(m)}
        before = {member: list(held) for member, held in self.held.items()}
        if self._profile.group.sticky_moves_new_first and not self._revoking:
            self._reassign([tp for tp in unassigned if self._readers[tp.topic] > 1])
        if (
            self._reassign(movable)
            and not initializing
            and _imbalance(self.held) >= _imbalance(before)
        ):
            self.held = before
        self.held.update(fixed)
        return {member: self.held[member] for member in ids_in_hash_order(self.held)}

    # The order of assignment

    def _in_order(self) -> list[TopicPartition]:
        """All partitions in the order in which they are assigned: those with the fewest possible
        readers first."""
        if (
            self._profile.group.sticky_takes_from_the_fullest
            and not self._fresh
            and len(set(self._wants_set.values())) == 1
        ):
            return self._from_the_fullest()
        topics = sorted(self._cluster.counts, key=lambda topic: (self._readers[topic], topic))
        return [partition for topic in topics for partition in self._cluster.partitions(topic)]

    def _from_the_fullest(self) -> list[TopicPartition]:
        """Until 2.3, where all want the same: one by one from the member that has most, first those
        that another member had before (sortPartitions)."""
        existing = [tp for topic in self._cluster.counts for tp in self._cluster.partitions(topic)]
        exists = frozenset(existing)
        left = {member: [tp for tp in held if tp in exists] for member, held in self.held.items()}
        others: dict[str, list[TopicPartition]] = {}
        for partition in self._previous:
            if partition in exists:
                others.setdefault(self._owner[partition], []).append(partition)
        by_size = _BySize(left)
        found: dict[Any, Any] = {}
        while by_size:
            member = by_size.take_last()
            if not left[member]:
                continue
            partition = others[member].pop(0) if others.get(member) else left[member][0]
            left[member].remove(partition)
            found[partition] = None
            by_size.add(member)
        return list(found | dict.fromkeys(partitions_in_hash_order(existing)))

    # Kept partitions and free ones

    def _keep(self) -> set[TopicPartition]:
        """Drops the partitions that their owners cannot keep; returns the others."""
        kept: set[TopicPartition] = set()
        trusting = self._profile.group.sticky_takes_numbers_on_trust
        for member, held in self.held.items():
            staying = []
            for partition in held:
                topic = partition.topic
                if topic not in self._readers or (
                    not trusting and partition.partition >= self._cluster.counts[topic]
                ):
                    self._owner.pop(partition, None)
                elif topic not in self._wants_set[member] or self._racks.mismatch(
                    member, partition
                ):
                    self._revoking = True
                else:
                    staying.append(partition)
            held[:] = staying
            kept.update(staying)
        if trusting:
            in_order = sorted(
                kept, key=lambda tp: (self._readers[tp.topic], tp.topic, tp.partition)
            )
            return set(up_to_a_stranger(in_order, self._cluster))
        return kept

    def _give_out(self, unassigned: list[TopicPartition]) -> None:
        if self._racks.matters:
            unassigned = [
                partition for partition in unassigned if not self._give(partition, beside=True)
            ]
        for partition in unassigned:
            self._give(partition, beside=False)

    def _give(self, partition: TopicPartition, beside: bool) -> bool:
        """To the member that has fewest and wants the partition; beside: and whose rack has it."""
        for member in self._sorted:
            if partition.topic in self._wants_set[member] and not (
                beside and self._racks.mismatch(member, partition)
            ):
                self._sorted.remove(member)
                self.held[member].append(partition)
                self._owner[partition] = member
                self._sorted.add(member)
                return True
        return False

    # Moving

    def _takes_part(self, member: str) -> bool:
        held = self.held[member]
        return len(held) < self._most[member] or any(
            self._readers[partition.topic] > 1 for partition in held
        )

    def _set_aside(self, member: str) -> list[TopicPartition]:
        self._sorted.remove(member)
        return self.held.pop(member)

    def _reassign(self, partitions: list[TopicPartition]) -> bool:
        """Moves partitions from members with more to members with less until nothing improves;
        returns whether any was moved (performReassignments)."""
        moved = False
        while True:
            again = False
            for partition in partitions:
                if self._balanced():
                    break
                has = len(self.held[self._owner[partition]])
                before = self._previous.get(partition)
                if before is not None and has > len(self.held.get(before, [None] * has)) + 1:
                    target = before
                else:
                    target = next(m for m in self._sorted if partition.topic in self._wants_set[m])
                    if has <= len(self.held[target]) + 1:
                        continue
                self._move(
                    self._movements.better_one(partition, self._owner[partition], target), target
                )
                moved = again = True
            if not again:
                return moved

    def _move(self, partition: TopicPartition, new: str) -> None:
        old = self._owner[partition]
        self._sorted.remove(old)
        if new != old:
            self._sorted.remove(new)
        self._movements.move(partition, old, new)
        if partition in self.held[old]:  # Until 2.2 two members may hold it.
            self.held[old].remove(partition)
        self.held[new].append(partition)
        self._owner[partition] = new
        self._sorted.add(new)
        if new != old:
            self._sorted.add(old)

    def _balanced(self) -> bool:
        fewest, most = self._sorted.smallest_size(), self._sorted.largest_size()
        if fewest >= most - 1:
            return True
        margin = self._profile.group.sticky_balance_margin
        owner = self._owner
        if self._held_twice:
            owner = {
                tp: member for member in ids_in_hash_order(self.held) for tp in self.held[member]
            }
        for member in self._sorted:
            has = len(self.held[member])
            if has == self._most[member] or has + margin >= most:
                continue
            for topic in self._wants[member]:
                for partition in self._cluster.partitions(topic):
                    other = owner[partition]
                    if other != member and has + margin < len(self.held[other]):
                        self._say(
                            "STICKY_MOVE",
                            partition=partition,
                            member_id=other,
                            new_member_id=member,
                        )
                        return False
        return True


class _BySize:
    """Members sorted by how much they hold, then by id: a TreeSet with SubscriptionComparator. Take
    a member out before its size changes."""

    def __init__(self, held: Mapping[str, list[TopicPartition]]) -> None:
        self._held = held
        self._sorted = sorted((len(partitions), member) for member, partitions in held.items())

    def __len__(self) -> int:
        return len(self._sorted)

    def __iter__(self) -> Iterator[str]:
        return (member for _, member in self._sorted)

    def last(self) -> str:
        return self._sorted[-1][1]

    def smallest_size(self) -> int:
        return self._sorted[0][0]

    def largest_size(self) -> int:
        return self._sorted[-1][0]

    def take_last(self) -> str:
        return self._sorted.pop()[1]

    def add(self, member: str) -> None:
        insort(self._sorted, (len(self._held[member]), member))

    def remove(self, member: str) -> None:
        del self._sorted[bisect_left(self._sorted, (len(self._held[member]), member))]


def _imbalance(held: Mapping[str, list[TopicPartition]]) -> int:
    """The sum of the differences between every two members;
    0 is perfectly balanced (getBalanceScore)."""
    sizes = sorted(map(len, held.values()))
    return sum(
        size * at - below
        for at, (size, below) in enumerate(zip(sizes, accumulate(sizes, initial=0), strict=False))
    )
