"""MetadataCache: one broker's view of the cluster, frozen while the broker is disconnected.

Kafka's class is MetadataCache: each broker has its own, and the controller's changes reach it a
little later. Here a broker that is connected to the controller reads the cluster's state itself. A
broker that is cut off or paused reads a copy of an earlier state, so it still acts as leader of its
partitions.
"""

from __future__ import annotations

import copy
from typing import Any

from kafkalab.broker.cluster.cluster_state import NO_LEADER, ClusterState, Partition, Topic


class MetadataCache:
    """One broker's view of a ClusterState, with all its attributes.

    is_current  False while the broker is disconnected from the controller
    """

    __slots__ = ("_seen", "_truth", "is_current")

    def __init__(self, cluster: ClusterState) -> None:
        self._truth = self._seen = cluster
        self.is_current = True

    def __getattr__(self, name: str) -> Any:
        return getattr(self._seen, name)

    @property
    def topics(self) -> dict[str, Topic]:
        return self._seen.topics

    @property
    def alive(self) -> dict[int, bool]:
        return self._seen.alive

    def partition(self, topic: str, index: int) -> Partition | None:
        """A partition as this broker knows it; None where it knows no such partition."""
        found = self._seen.topics.get(topic)
        return found.partitions[index] if found and 0 <= index < len(found.partitions) else None

    def freeze(self) -> None:
        """Disconnect: keep a copy of the state, which no change reaches."""
        if self.is_current:
            self.is_current = False
            self._seen = _frozen(self._truth)

    def lead_nothing(self, broker: int) -> None:
        """Let the broker lead nothing in its copy, as after a start. Only for a frozen cache."""
        for topic in self._seen.topics.values():
            for partition in topic.partitions:
                if partition.leader == broker:
                    partition.leader = NO_LEADER

    def thaw(self) -> ClusterState:
        """Connect again; returns the state that this broker knew until now."""
        seen, self._seen, self.is_current = self._seen, self._truth, True
        return seen


def _frozen(cluster: ClusterState) -> ClusterState:
    """A copy of the state; changes of the one do not reach the other."""
    still = copy.copy(cluster)
    still.alive, still.stopping = dict(cluster.alive), set(cluster.stopping)
    still.topics = {
        name: Topic(
            topic.name,
            topic.topic_id,
            tuple(copy.copy(partition) for partition in topic.partitions),
            topic.config,
        )
        for name, topic in cluster.topics.items()
    }
    still.forget_places()
    return still
