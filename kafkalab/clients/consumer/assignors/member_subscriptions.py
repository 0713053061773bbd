"""What a leader knows of a member when it assigns (ConsumerPartitionAssignor.Subscription,
AbstractStickyAssignor.MemberData)."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from kafkalab.clients.network.hash_order import ids_in_hash_order
from kafkalab.protocol.frozen import message
from kafkalab.records import TopicPartition

Assignment = dict[str, list[TopicPartition]]
"""member id -> its partitions, in the order in which Java's list holds them. The members come as
Java's HashMap hands them out."""

PartitionRacks = Sequence[Collection[str]]
"""For each partition of a topic, by number, the racks that hold a replica of it."""

Say = Callable[..., None]
"""How an assignor writes a line: say("STICKY_FINAL", assignment=...)."""

DEFAULT_GENERATION = -1
"""The generation of a member that names none: it never had an assignment."""


@message
class MemberSubscription:
    """The subscription of one member, as its JoinGroup describes it.

    topics       the topics it subscribed to
    owned        the partitions it claims, None when it claims nothing: in the subscription for
                 cooperative-sticky (KIP-429), in the user data for sticky
    generation   in which generation it got them, None when it does not say
    sent_generation  the generation in the subscription itself (KIP-792), where that differs from
                     the one in the user data
    instance_id  group.instance.id of a static member
    rack_id      its client.rack (KIP-881)
    """

    topics: tuple[str, ...] = ()
    owned: tuple[TopicPartition, ...] | None = None
    generation: int | None = None
    sent_generation: int | None = None
    instance_id: str | None = None
    rack_id: str | None = None

    def wants(self, topic: str) -> bool:
        return topic in self.topics


class PartitionsPerTopic:
    """The topics that exist and have a subscriber, with the racks of their partitions, in the order
    of Java's HashMap."""

    def __init__(
        self,
        partitions_of: Mapping[str, int | PartitionRacks],
        members: Mapping[str, MemberSubscription],
    ) -> None:
        wanted = ids_in_hash_order(topic for member in members.values() for topic in member.topics)
        self.racks_of: dict[str, PartitionRacks | None] = {}
        self.counts: dict[str, int] = {}
        self._partitions: dict[str, list[TopicPartition]] = {}
        for topic in wanted:
            known = partitions_of.get(topic)
            if known:
                self.counts[topic] = known if isinstance(known, int) else len(known)
                self.racks_of[topic] = None if isinstance(known, int) else known
                self._partitions[topic] = [
                    TopicPartition(topic, number) for number in range(self.counts[topic])
                ]

    def partitions(self, topic: str) -> list[TopicPartition]:
        """In order. All callers share one list: do not change it."""
        return self._partitions[topic]

    def racks(self, partition: TopicPartition) -> frozenset[str]:
        known = self.racks_of[partition.topic]
        return frozenset() if known is None else frozenset(known[partition.partition])

    @property
    def size(self) -> int:
        return sum(self.counts.values())


def in_assigning_order(
    members: Mapping[str, MemberSubscription], ids: Sequence[str], static_first: bool
) -> list[str]:
    """`ids` as range and roundrobin sort them: by member id; from 2.4 static members first, by
    instance id (MemberInfo.compareTo)."""
    if not static_first:
        return sorted(ids)
    return sorted(
        ids,
        key=lambda member: (
            members[member].instance_id is None,
            members[member].instance_id or member,
        ),
    )
