"""ConsumerGroup: one KIP-848 group, its members, and each member's next step towards the target
(modern.consumer.ConsumerGroup, CurrentAssignmentBuilder).

Three epochs grow one after another: the group epoch at a change, the target assignment's epoch when
the target is computed for it, and each member's epoch when it has reached the target.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from kafkalab.broker.groups.any_group import LOCALHOST, AnyGroup
from kafkalab.broker.groups.modern.consumer_group_state import (
    ConsumerGroupMemberState,
    ConsumerGroupState,
)
from kafkalab.protocol.messages import HeartbeatTopicPartitions, JoinGroupRequestProtocol
from kafkalab.records import by_topic
from kafkalab.sim.invariants import check

FIRST_EPOCH = 1
"""The epoch of a new group; its first member raises it."""

Owned = frozenset[tuple[str, int]]
"""Partitions as (topic, number)."""


@dataclass(slots=True)
class ConsumerGroupMember:
    """A member of a KIP-848 group (modern.consumer.ConsumerGroupMember).

    epoch, previous_epoch  the member epoch, and the one before
    topics, regex          its subscribed topics, and its pattern
    assignor               the server-side assignor it prefers, None for any
    assigned               partitions that it owns or has been assigned -> the member epoch of the
                           assignment
    revoking               partitions that it has to give up
    deadline_ms            when its session ends unless it sends a heartbeat before
    journalled             its fields in the journal's last event about it
    protocols, session_timeout_ms  what a member of the classic protocol sent in JOIN_GROUP; none
                           for the others
    joins_by_ms            when a classic member that has to join again is removed, else None
    """

    id: str
    instance_id: str | None = None
    rack_id: str | None = None
    client_id: str = ""
    rebalance_timeout_ms: int = -1
    topics: tuple[str, ...] = ()
    regex: str | None = None
    assignor: str | None = None
    epoch: int = 0
    previous_epoch: int = -1
    state: ConsumerGroupMemberState = ConsumerGroupMemberState.STABLE
    assigned: dict[tuple[str, int], int] = field(default_factory=dict)
    revoking: Owned = frozenset()
    deadline_ms: int = 0
    journalled: object = None
    protocols: tuple[JoinGroupRequestProtocol, ...] = ()
    session_timeout_ms: int | None = None
    joins_by_ms: int | None = None

    @property
    def uses_classic(self) -> bool:
        """Whether it speaks the classic protocol."""
        return bool(self.protocols)

    def subscribe(
        self,
        topics: tuple[str, ...] | None,
        regex: str | None,
        assignor: str | None,
        rack_id: str | None,
        rebalance_timeout_ms: int,
    ) -> bool:
        """Store what its request says, None and -1 for nothing; returns whether the group has to
        assign again."""
        before = (self.topics, self.regex, self.assignor)
        if topics is not None:
            self.topics = topics
        if regex is not None:
            self.regex = regex or None
        if assignor is not None:
            self.assignor = assignor
        if rack_id is not None:
            self.rack_id = rack_id
        if rebalance_timeout_ms != -1:
            self.rebalance_timeout_ms = rebalance_timeout_ms
        return before != (self.topics, self.regex, self.assignor)

    def move_to(self, epoch: int) -> None:
        if epoch != self.epoch:
            self.previous_epoch, self.epoch = self.epoch, epoch


class ConsumerGroup(AnyGroup):
    """A KIP-848 group (modern.consumer.ConsumerGroup).

    epoch          grows with every change of members, subscriptions or topics
    target_epoch   the epoch the target was computed for
    target         member id -> the partitions that it should own
    assignor       the assignor of the target, None before the first
    computed_ms    when the target was last computed, None when never
    topic_sizes    the number of partitions of its topics when its epoch last grew
    """

    def __init__(self, id: str) -> None:
        super().__init__(id)
        self.state = ConsumerGroupState.EMPTY
        self.epoch = self.highest_epoch = FIRST_EPOCH
        self.target_epoch = FIRST_EPOCH
        self.target: dict[str, Owned] = {}
        self.assignor: str | None = None
        self.computed_ms: int | None = None
        self.topic_sizes: dict[str, int] = {}
        self.members: dict[str, ConsumerGroupMember] = {}
        self.static_members: dict[str, str] = {}

    def add(self, member: ConsumerGroupMember) -> None:
        self.members[member.id] = member
        if member.instance_id is not None:
            self.static_members[member.instance_id] = member.id

    def remove(self, member: ConsumerGroupMember) -> None:
        del self.members[member.id]
        self.target.pop(member.id, None)
        if member.instance_id is None:
            return
        if self.static_members.get(member.instance_id) == member.id:
            del self.static_members[member.instance_id]

    def supports(self, protocols: tuple[JoinGroupRequestProtocol, ...]) -> bool:
        """Whether the classic members and one that offers these have an assignor in common."""
        classic = [member.protocols for member in self.members.values() if member.uses_classic]
        return any(
            all(offered.name in {own.name for own in known} for known in classic)
            for offered in protocols
        )

    def check(self) -> None:
        """Check that a partition has one owner, no epoch falls, and no epoch is ahead of the one
        that it follows."""
        holder: dict[tuple[str, int], str] = {}
        for member in self.members.values():
            for partition in (*member.assigned, *member.revoking):
                other = holder.setdefault(partition, member.id)
                check(
                    other == member.id,
                    "{} is held by {} and by {} in group {}",
                    partition,
                    other,
                    member.id,
                    self.id,
                )
            check(
                member.epoch <= self.target_epoch,
                "member {} is in epoch {}, ahead of the target's {}",
                member.id,
                member.epoch,
                self.target_epoch,
            )
        check(
            self.target_epoch <= self.epoch,
            "the target of group {} is of epoch {}, ahead of the group's {}",
            self.id,
            self.target_epoch,
            self.epoch,
        )
        check(
            self.highest_epoch <= self.epoch,
            "the epoch of group {} falls from {} to {}",
            self.id,
            self.highest_epoch,
            self.epoch,
        )
        self.highest_epoch = self.epoch

    def records(self) -> tuple[object, ...]:
        """The group's state in the coordinator's records; while it stays equal no new record is
        needed."""
        return (
            self.epoch,
            self.target_epoch,
            dict(self.target),
            {
                member.id: (
                    member.instance_id,
                    member.rack_id,
                    member.rebalance_timeout_ms,
                    member.topics,
                    member.regex,
                    member.assignor,
                    member.epoch,
                    member.previous_epoch,
                    member.state,
                    dict(member.assigned),
                    member.revoking,
                    member.protocols,
                    member.session_timeout_ms,
                )
                for member in self.members.values()
            },
        )

    def holder_of(self, partition: tuple[str, int]) -> str | None:
        """The member that owns the partition or has to give it up; None when it is free
        (currentPartitionEpoch)."""
        return next(
            (
                m.id
                for m in self.members.values()
                if partition in m.assigned or partition in m.revoking
            ),
            None,
        )

    def present_state(self) -> ConsumerGroupState:
        """The state that follows from the epochs and the members
        (ConsumerGroup.maybeUpdateGroupState)."""
        if not self.members:
            return ConsumerGroupState.EMPTY
        if self.epoch > self.target_epoch:
            return ConsumerGroupState.ASSIGNING
        settled = all(
            m.state is ConsumerGroupMemberState.STABLE and m.epoch == self.target_epoch
            for m in self.members.values()
        )
        return ConsumerGroupState.STABLE if settled else ConsumerGroupState.RECONCILING

    def reconcile(self, member: ConsumerGroupMember, owned: Owned | None) -> None:
        """Move a member one step towards the target (CurrentAssignmentBuilder).

        owned: the partitions that its heartbeat reports; None when it has no such list."""
        if member.state is ConsumerGroupMemberState.STABLE and member.epoch == self.target_epoch:
            return
        epoch = member.epoch
        if member.state is ConsumerGroupMemberState.UNREVOKED_PARTITIONS:
            if owned is None or member.revoking & owned:
                return
            epoch += 1
        target = self.target.get(member.id, frozenset())
        kept = {
            partition: since for partition, since in member.assigned.items() if partition in target
        }
        giving_up = frozenset(member.assigned) - target
        missing = target - frozenset(kept)
        busy = frozenset(p for p in missing if self.holder_of(p) not in (None, member.id))
        if giving_up and (owned is None or giving_up & owned):
            member.state = ConsumerGroupMemberState.UNREVOKED_PARTITIONS
            member.assigned = kept
            member.revoking = giving_up
            member.move_to(epoch)
            return
        member.move_to(self.target_epoch)
        member.assigned = kept | dict.fromkeys(sorted(missing - busy), member.epoch)
        member.revoking = frozenset()
        member.state = (
            ConsumerGroupMemberState.UNRELEASED_PARTITIONS
            if busy
            else ConsumerGroupMemberState.STABLE
        )


def owned_of(
    listed: Iterable[HeartbeatTopicPartitions] | None, names: Mapping[str, str]
) -> Owned | None:
    """The partitions that a heartbeat reports, by topic name. names: topic id -> name; unknown ids
    are left out."""
    if listed is None:
        return None
    return frozenset(
        (names[topic.topic_id], number)
        for topic in listed
        if topic.topic_id in names
        for number in topic.partitions
    )


def consumer_member_fields(member: ConsumerGroupMember, group: ConsumerGroup) -> dict[str, object]:
    """A member as fields of a journal event, with its group's epochs."""
    return {
        "member": member.id,
        "instance_id": member.instance_id,
        "client_id": member.client_id,
        "host": LOCALHOST,
        "rebalance_timeout_ms": member.rebalance_timeout_ms,
        "subscription": member.topics or ((member.regex,) if member.regex else ()),
        "assignment": by_topic(sorted(member.assigned)),
        "target": by_topic(sorted(group.target.get(member.id, ()))),
        "member_epoch": member.epoch,
        "group_epoch": group.epoch,
        "target_epoch": group.target_epoch,
        "protocol": group.assignor,
    }
