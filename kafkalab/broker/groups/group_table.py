"""GroupTable: one broker's groups of both protocols, by id.

Kafka's class is GroupMetadataManager, with one map for both kinds. A group id is in at most one of
the two tables. Storage, offsets, administration and transactions use this table and no machine.
"""

from __future__ import annotations

from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.groups.classic.group import ClassicGroup
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroup


class GroupTable:
    """The groups of one broker, by protocol and id.

    classic: groups of the classic protocol, and groups that only have offsets.
    modern: groups of the KIP-848 protocol.
    """

    def __init__(self, node_id: int, cluster: ClusterState) -> None:
        self.classic: dict[str, ClassicGroup] = {}
        self.modern: dict[str, ConsumerGroup] = {}
        self._node_id, self._cluster = node_id, cluster

    def coordinates(self, group_id: str) -> bool:
        """Whether this broker is the group's coordinator, as far as it knows."""
        return self._cluster.coordinator_of(group_id) == self._node_id

    def find(self, group_id: str) -> ClassicGroup | ConsumerGroup | None:
        """The group of that id; None where there is none."""
        return self.modern.get(group_id) or self.classic.get(group_id)

    def find_or_begin(self, group_id: str) -> ClassicGroup | ConsumerGroup:
        """The group of that id; where there is none, a new one without members, which keeps
        offsets."""
        group = self.find(group_id)
        if group is None:
            group = self.classic[group_id] = ClassicGroup(group_id)
        return group

    def all(self) -> tuple[ClassicGroup | ConsumerGroup, ...]:
        """Every group, those of the classic protocol first."""
        return (*self.classic.values(), *self.modern.values())
