"""Sticky assignment when all members want the same topics: AbstractStickyAssignor.constrainedAssign
(2.6, KAFKA-9987) and ConstrainedAssignmentBuilder (3.0, KAFKA-12464).

Each member gets floor or ceil of the average, and keeps the partitions it held as far as that
allows.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from kafkalab.clients.consumer.assignors.member_subscriptions import (
    Assignment,
    PartitionsPerTopic,
    Say,
)
from kafkalab.clients.consumer.assignors.ownership_claims import Ownership
from kafkalab.clients.consumer.assignors.rack_info import RackInfo
from kafkalab.clients.network.hash_order import ids_in_hash_order
from kafkalab.errors import IllegalStateException
from kafkalab.records import TopicPartition

if TYPE_CHECKING:
    from kafkalab.releases import Profile

Transferred = dict[TopicPartition, str]
"""Partitions that another member held before -> their new owner; cooperative-sticky withholds
them."""


def by_capacity(
    cluster: PartitionsPerTopic, past: Ownership, say: Say
) -> tuple[Assignment, Transferred]:
    """2.6 to 2.8: owners keep up to the ceiling; members below the floor are filled up, at last
    from those at the ceiling."""
    unassigned = dict.fromkeys(
        tp for topic in sorted(cluster.counts) for tp in cluster.partitions(topic)
    )
    floor, over = divmod(len(unassigned), len(past.held))
    ceiling = floor + (1 if over else 0)
    assignment = _empty(past)
    revoked: set[TopicPartition] = set(past.disputed)
    transferred: Transferred = {}
    unfilled: list[str] = []
    at_ceiling: deque[str] = deque()
    at_floor: deque[str] = deque()
    for member, owned in past.held.items():
        owned = [tp for tp in owned if tp not in past.disputed]
        kept = owned[:ceiling]
        assignment[member] += kept
        revoked.update(owned[ceiling:])
        for partition in kept:
            unassigned.pop(partition, None)
        if len(owned) < floor:
            unfilled.append(member)
        else:
            if len(kept) == floor:
                at_floor.append(member)
            if len(kept) == ceiling:
                at_ceiling.append(member)
    unfilled.sort()
    rest = deque(unassigned)
    while unfilled and rest:
        for member in list(unfilled):
            if not rest:
                break
            _hand_over(assignment, transferred, revoked, rest.popleft(), member)
            if len(assignment[member]) == floor:
                at_floor.append(member)
                unfilled.remove(member)
    for member in unfilled:
        for _ in range(floor - len(assignment[member])):
            if not at_ceiling:
                raise IllegalStateException(
                    "Some consumers are under capacity but all partitions have been assigned"
                )
            partition = assignment[at_ceiling.popleft()].pop(0)
            assignment[member].append(partition)
            transferred[partition] = member
        at_floor.append(member)
    for partition in rest:
        if not at_floor:
            raise IllegalStateException(
                "Some partitions are unassigned but all consumers are at maximum capacity"
            )
        _hand_over(assignment, transferred, revoked, partition, at_floor.popleft())
    say("STICKY_FINAL", assignment=assignment)
    return assignment, transferred


def _empty(past: Ownership) -> Assignment:
    return {member: [] for member in ids_in_hash_order(past.held, copied=True)}


def _hand_over(
    assignment: Assignment,
    transferred: Transferred,
    revoked: set[TopicPartition],
    partition: TopicPartition,
    member: str,
) -> None:
    assignment[member].append(partition)
    if partition in revoked:
        transferred[partition] = member


class ByQuota:
    """The algorithm from 3.0: the floor for every member, one more for as many as it takes. Then
    the remaining partitions are assigned round robin, racks first.

    An owner with more than its share gives up its last partitions: last by number from 3.8
    (KAFKA-16277), before as it listed them.
    """

    def __init__(
        self,
        cluster: PartitionsPerTopic,
        past: Ownership,
        racks: RackInfo,
        profile: Profile,
        say: Say,
    ) -> None:
        self._cluster = cluster
        self._past = past
        self._racks = racks
        self._profile = profile
        self._say = say
        self._floor, self._overs = divmod(cluster.size, len(past.held))
        self._ceiling = self._floor + (1 if self._overs else 0)
        self._over = 0
        self._below: list[str] = []
        self._at_floor: list[str] = []
        self._given_up: dict[TopicPartition, str] = {}
        self.assignment = _empty(past)
        self.transferred: Transferred = {}

    def build(self) -> Assignment:
        self._say(
            "STICKY_CONSTRAINED",
            cluster=self._cluster,
            assignment=self._past.held,
            racks=self._racks,
        )
        self._keep()
        unassigned = self._unassigned()
        self._say(
            "STICKY_REASSIGNED",
            members=self._below,
            partitions=unassigned,
            assignment=self.assignment,
        )
        self._below.sort()
        self._at_floor.sort()
        unassigned = self._racks.rarest_first(unassigned)
        if self._racks.matters:
            unassigned = self._deal_beside(unassigned)
        self._deal(unassigned)
        self._check()
        self._say("STICKY_FINAL", assignment=self.assignment)
        return self.assignment

    def _keep(self) -> None:
        for member, held in self._past.held.items():
            owned = [tp for tp in held if not self._racks.mismatch(member, tp)]
            if self._profile.group.sticky_sorts_owned:
                self._given_up.update(
                    (tp, member) for tp in held if self._racks.mismatch(member, tp)
                )
                owned.sort(key=lambda tp: (tp.partition, tp.topic))
            owned = [tp for tp in owned if tp not in self._past.disputed]
            if len(owned) < self._floor:
                self.assignment[member] += owned
                self._below.append(member)
                continue
            if len(owned) >= self._ceiling and self._over < self._overs:
                keep = self._ceiling
                self._one_more_over()
            else:
                keep = self._floor
                if self._over < self._overs:
                    self._at_floor.append(member)
            self.assignment[member] += owned[:keep]
            self._given_up.update((tp, member) for tp in owned[keep:])

    def _one_more_over(self) -> None:
        self._over += 1
        if self._over == self._overs:
            self._at_floor.clear()

    def _unassigned(self) -> list[TopicPartition]:
        assigned = sorted(
            (tp for held in self.assignment.values() for tp in held),
            key=lambda tp: (tp.topic, tp.partition),
        )
        kept = set(up_to_a_stranger(assigned, self._cluster))
        return [
            tp
            for topic in sorted(self._cluster.counts)
            for tp in self._cluster.partitions(topic)
            if tp not in kept
        ]

    def _deal_beside(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Round robin among the members in a rack with a replica; returns the partitions that
        remain (assignRackAwareRoundRobin)."""
        left, following = [], 0
        for partition in partitions:
            at = self._racks.next_beside(partition, self._below, following)
            if at >= 0:
                member = self._below[at]
                held = len(self.assignment[member]) + 1
                if held >= self._floor:
                    del self._below[at]
                    if held < self._ceiling and (
                        self._over < self._overs or not self._profile.group.sticky_sorts_owned
                    ):
                        self._at_floor.append(member)
                else:
                    at += 1
                following = at % len(self._below) if self._below else 0
            else:
                at = self._racks.next_beside(partition, self._at_floor, 0) if self._at_floor else -1
                if at < 0:
                    left.append(partition)
                    continue
                member = self._at_floor[at]
                if len(self.assignment[member]) + 1 == self._ceiling:
                    del self._at_floor[at]
                    if self._profile.group.sticky_sorts_owned:
                        self._one_more_over()
            self._give(partition, member)
        return left

    def _deal(self, partitions: list[TopicPartition]) -> None:
        """Round after round to the members below the floor, then one more to those at it
        (assignRoundRobin)."""
        at = 0
        extras = deque(self._at_floor)
        for partition in partitions:
            if at >= len(self._below):
                at = 0
            dealt = bool(self._below)
            if not dealt and not extras:
                raise IllegalStateException("No more unfilled consumers to be assigned.")
            member = self._below[at] if dealt else extras.popleft()
            self._give(partition, member)
            held = len(self.assignment[member])
            if held == self._floor:
                if dealt:
                    del self._below[at]
                extras.append(member)
            else:
                at += dealt
                if held == self._ceiling:
                    self._over += 1

    def _give(self, partition: TopicPartition, member: str) -> None:
        self.assignment[member].append(partition)
        giver = self._given_up.get(partition)
        same = giver == member and self._profile.group.sticky_sorts_owned
        if (giver is not None and not same) or partition in self._past.disputed:
            self.transferred[partition] = member

    def _check(self) -> None:
        if self._below and self._over != self._overs:
            raise IllegalStateException(
                "We haven't reached the expected number of members with more than the minQuota "
                "partitions, but no more partitions to be assigned"
            )
        for member in self._below:
            if len(self.assignment[member]) != self._floor:
                raise IllegalStateException(
                    f"Consumer: [{member}] doesn't reach minQuota partitions, and no more "
                    "partitions to be assigned"
                )


def up_to_a_stranger(
    assigned: list[TopicPartition], cluster: PartitionsPerTopic
) -> list[TopicPartition]:
    """From 3.0 the class walks along the assigned partitions and ignores them from the first one on
    that does not exist (getUnassignedPartitions)."""
    for at, partition in enumerate(assigned):
        if partition.partition >= cluster.counts[partition.topic]:
            return assigned[:at]
    return assigned
