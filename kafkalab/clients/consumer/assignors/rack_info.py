"""RackInfo: the racks of members and partitions, for rack-aware assignment
(AbstractStickyAssignor.RackInfo, KIP-881)."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from kafkalab.clients.consumer.assignors.member_subscriptions import (
    MemberSubscription,
    PartitionsPerTopic,
)
from kafkalab.records import TopicPartition


def worth_matching(
    member_racks: Collection[str], racks_of_partitions: Collection[frozenset[str]]
) -> bool:
    """Whether racks matter: members and replicas share one, and not every rack has every partition
    (useRackAwareAssignment)."""
    everywhere = frozenset().union(*racks_of_partitions)
    return bool(everywhere.intersection(member_racks)) and any(
        racks != everywhere for racks in racks_of_partitions
    )


class RackInfo:
    """The racks of members and partitions; empty where they do not matter, so that every pair
    fits."""

    def __init__(
        self, cluster: PartitionsPerTopic, members: Mapping[str, MemberSubscription], by_rack: bool
    ) -> None:
        members_in: dict[str, list[str]] = {}
        for member, described in members.items():
            if by_rack and described.rack_id:
                members_in.setdefault(described.rack_id, []).append(member)
        racks: dict[TopicPartition, frozenset[str]] = {}
        if members_in:
            racks = {
                tp: cluster.racks(tp)
                for topic in cluster.counts
                for tp in cluster.partitions(topic)
            }
        self.matters = worth_matching(members_in, racks.values())
        self.rack_of = (
            {m: rack for rack, inside in members_in.items() for m in inside} if self.matters else {}
        )
        self.racks = racks if self.matters else {}
        # Also where racks do not matter: the real class counts before it decides.
        self._near = {
            tp: sum(len(members_in.get(rack, ())) for rack in of) for tp, of in racks.items()
        }

    def mismatch(self, member: str, partition: TopicPartition) -> bool:
        rack = self.rack_of.get(member)
        return rack is not None and rack not in self.racks.get(partition, ())

    def rarest_first(self, partitions: list[TopicPartition]) -> list[TopicPartition]:
        """Those with the fewest members beside a replica come first
        (sortPartitionsByRackConsumers)."""
        return (
            sorted(partitions, key=lambda tp: self._near.get(tp, 0)) if self._near else partitions
        )

    def next_beside(self, partition: TopicPartition, members: list[str], first: int) -> int:
        """The index of the first of `members` in a rack with a replica, beginning at `first` and
        going round; -1 for none."""
        racks = self.racks.get(partition)
        if racks:
            for step in range(len(members)):
                at = (first + step) % len(members)
                if self.rack_of.get(members[at]) in racks:
                    return at
        return -1

    def __str__(self) -> str:
        members = ", ".join(f"{member}={rack}" for member, rack in self.rack_of.items())
        racks = ", ".join(f"{tp}=[{', '.join(sorted(of))}]" for tp, of in self.racks.items())
        return f"RackInfo(consumerRacks={{{members}}}, partitionRacks={{{racks}}})"
