"""MetadataCache: what one broker knows of the cluster; cut off, it keeps what was true then.

Kafka's class is MetadataCache: each broker has its own, and the controller's changes reach it a
little later. Here a broker that is in touch with the controller looks at the cluster's state
itself. One that is not (cut off, or standing still) looks at a copy, and goes on believing that it
leads what it led.
"""

from __future__ import annotations

import copy
from typing import Any

from kafkalab.broker.cluster.cluster_state import NO_LEADER, ClusterState, Partition, Topic


class MetadataCache:
    """Everything a ClusterState offers, as one broker sees it.

    is_current  False while the broker is out of touch
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
        """A partition as this broker sees it; None where it knows none."""
        found = self._seen.topics.get(topic)
        return found.partitions[index] if found and 0 <= index < len(found.partitions) else None

    def freeze(self) -> None:
        """Out of touch: nothing new is heard from now on."""
        if self.is_current:
            self.is_current = False
            self._seen = _frozen(self._truth)

    def lead_nothing(self, broker: int) -> None:
        """A process that has just started leads nothing before it is told so.
        Only while out of touch."""
        for topic in self._seen.topics.values():
            for partition in topic.partitions:
                if partition.leader == broker:
                    partition.leader = NO_LEADER

    def thaw(self) -> ClusterState:
        """In touch again; returns what was seen until now."""
        seen, self._seen, self.is_current = self._seen, self._truth, True
        return seen


def _frozen(cluster: ClusterState) -> ClusterState:
    """A copy that stays as it is; what it is asked to change reaches nobody else."""
    still = copy.copy(cluster)
    still.alive = dict(cluster.alive)
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
