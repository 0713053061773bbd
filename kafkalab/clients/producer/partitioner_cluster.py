"""Cluster: what a partitioner knows of the cluster (org.apache.kafka.common.Cluster).

Lists of partitions have the order in which Java's Cluster holds them: until 2.1 the order of the
METADATA answer, since 2.2 the order of a HashMap. Round robin follows that order, and so does the
Sender when it fills a request.
"""

from __future__ import annotations

from kafkalab.clients.network.hash_order import partitions_in_hash_order
from kafkalab.clients.network.metadata import ClusterView, PartitionView


class Cluster:
    """The cluster at one moment, as custom partitioners get it; it does not change."""

    def __init__(self, view: ClusterView, in_hash_order: bool) -> None:
        order = (
            partitions_in_hash_order(view.partitions) if in_hash_order else list(view.partitions)
        )
        self._topics: dict[str, list[PartitionView]] = {}
        for tp in order:
            self._topics.setdefault(tp.topic, []).append(view.partitions[tp])
        self._by_leader: dict[int, list[PartitionView]] = {}
        for tp in order:
            partition = view.partitions[tp]
            if partition.leader is not None:
                self._by_leader.setdefault(partition.leader, []).append(partition)

    def partitions_for_topic(self, topic: str) -> list[PartitionView]:
        """All partitions of a topic; each has `.partition`, `.leader`, `.replicas`, `.isr`."""
        return self._topics.get(topic, [])

    def available_partitions_for_topic(self, topic: str) -> list[PartitionView]:
        """The partitions of a topic that have a leader."""
        return [p for p in self.partitions_for_topic(topic) if p.leader is not None]

    def partition_count_for_topic(self, topic: str) -> int:
        return len(self.partitions_for_topic(topic))

    def partitions_for_node(self, node_id: int) -> list[PartitionView]:
        """The partitions that a broker leads."""
        return self._by_leader.get(node_id, [])
