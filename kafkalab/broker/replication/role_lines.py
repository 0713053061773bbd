"""RoleLines: what a broker writes when its partitions get a leader, and when an ISR changes.

Kafka's classes are Partition and ReplicaManager, with the state change logger (4.x). A ZooKeeper
broker says only where it leads; a KRaft broker says every role, also on its start. Here each change
of the controller is said by itself; a real broker gathers those of one moment into one line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from kafkalab.broker.cluster.cluster_state import NO_LEADER, ClusterState, Partition
from kafkalab.broker.replication.replica import Replica
from kafkalab.broker.replication.replica_manager import ReplicaManager
from kafkalab.broker.server_log import ServerLog
from kafkalab.releases import BrokerProfile

UNKNOWN_EPOCH = -1
"""The leader epoch of a partition of which a new process knows none."""


class NewRole(NamedTuple):
    """A partition whose leader, epoch or ISR has changed, with leader and epoch from before.

    leader_before: None where the process knew no leader.
    """

    partition: Partition
    leader_before: int | None
    epoch_before: int


class RoleLines:
    """Writes the lines of one broker about its roles."""

    def __init__(
        self,
        node_id: int,
        profile: BrokerProfile,
        cluster: ClusterState,
        replicas: ReplicaManager,
        say: ServerLog,
    ) -> None:
        self._node_id, self._profile, self._cluster = node_id, profile, cluster
        self._replicas, self._say = replicas, say

    def changed(self, roles: Sequence[NewRole]) -> None:
        """Write the new roles of partitions with a replica here, those that it leads first."""
        led = [one for one in roles if one.partition.leader == self._node_id]
        followed = [one for one in roles if one.partition.leader != self._node_id]
        if self._profile.is_kraft:
            self._lead_in_kraft(led)
            self._follow_in_kraft(followed)
        else:
            self._lead([one for one in led if _is_new(one)])
            followed = [one for one in followed if _is_new(one)]
            if followed:
                self._remove_fetchers(followed)
                self._add_fetchers(followed)

    def isr_wanted(self, replica: Replica, isr: tuple[int, ...]) -> None:
        """Write the ISR that the leader asks for. KRaft writes it where a follower leaves."""
        before = replica.partition.isr
        gone = [id for id in before if id not in isr]
        facts = {
            "partition": _name(replica.partition),
            "isr_before": _joined(before),
            "isr": _joined(_in_order_of_coming(before, isr)),
        }
        if not gone:
            self._say("ISR_EXPANDS", **facts)
            return
        laggards = []
        for id in gone:
            known = replica.followers[id]
            caught_up = f", lastCaughtUpTimeMs: {self._replicas.logs.epoch_ms + known.caught_up_ms}"
            seen = caught_up if self._profile.is_kraft else ""
            laggards.append(f"(brokerId: {id}, endOffset: {known.log_end_offset}{seen})")
        log = replica.log
        self._say(
            "ISR_SHRINKS",
            **facts,
            high_watermark=log.high_watermark,
            offset=log.log_end_offset,
            laggards=" ".join(laggards),
        )

    def isr_updated(self, partition: Partition, before: tuple[int, ...]) -> None:
        """Write that the controller has made the ISR that this leader asked for."""
        facts = self._facts(NewRole(partition, None, 0))
        facts["isr"] = _joined(_in_order_of_coming(before, partition.isr))
        self._say("ISR_UPDATED", **facts)

    def _lead(self, roles: Sequence[NewRole]) -> None:
        if roles:
            self._remove_fetchers(roles)
        for role in roles:
            self._say("PARTITION_LEADS", **self._facts(role))

    def _lead_in_kraft(self, roles: Sequence[NewRole]) -> None:
        if roles:
            self._say("PARTITIONS_LED", count=len(roles))
            self._remove_fetchers(roles)
        for role in roles:
            if _is_new(role):
                self._say("PARTITION_LEADS", **self._facts(role))

    def _follow_in_kraft(self, roles: Sequence[NewRole]) -> None:
        if roles:
            self._say("PARTITIONS_FOLLOWED", count=len(roles))
        roles = [role for role in roles if _is_new(role)]
        for role in roles:
            self._say("PARTITION_FOLLOWS", **self._facts(role))
        if roles:
            self._remove_fetchers(roles)
            self._add_fetchers(roles)

    def _remove_fetchers(self, roles: Iterable[NewRole]) -> None:
        self._say("FETCHER_REMOVED", partitions=", ".join(_name(role.partition) for role in roles))

    def _add_fetchers(self, roles: Iterable[NewRole]) -> None:
        """One line for each leader from which the broker copies now."""
        by_leader: dict[int, list[Partition]] = {}
        for role in roles:
            if role.partition.leader != NO_LEADER:
                by_leader.setdefault(role.partition.leader, []).append(role.partition)
        for leader, partitions in by_leader.items():
            node = self._cluster.brokers[leader]
            self._say(
                "FETCHER_ADDED",
                leader=leader,
                host=node.host,
                port=node.port,
                partitions=", ".join(self._fetched(one) for one in partitions),
            )

    def _fetched(self, partition: Partition) -> str:
        """Where the broker begins to copy: its high watermark (2.3), its log end (4.x)."""
        end, high_watermark = self._ends(partition)
        name, epoch = _name(partition), partition.leader_epoch
        if not self._profile.is_kraft:
            return f"{name} -> (offset={high_watermark}, leaderEpoch={epoch})"
        node = self._cluster.brokers[partition.leader]
        place = f"BrokerEndPoint[id={node.id}, host={node.host}, port={node.port}]"
        topic_id = self._cluster.topics[partition.topic].topic_id
        return f"{name} -> InitialFetchState(Some({topic_id}),{place},{epoch},{end})"

    def _facts(self, role: NewRole) -> dict[str, object]:
        partition = role.partition
        end, high_watermark = self._ends(partition)
        topic = self._cluster.topics[partition.topic]
        before = role.leader_before
        return {
            "partition": _name(partition),
            "topic_id": topic.topic_id,
            "epoch": partition.leader_epoch,
            "offset": end,
            "partition_epoch": partition.partition_epoch,
            "high_watermark": high_watermark,
            "isr": _joined(partition.isr),
            "under_min_isr": self._under_min_isr(partition),
            "leader": partition.leader,
            "leader_before": "None" if before is None else f"Some({before})",
            "epoch_before": role.epoch_before,
        }

    def _under_min_isr(self, partition: Partition) -> str:
        few = len(partition.isr) < self._replicas.min_isr_of(partition)
        return "(under-min-isr)" if few else ""

    def _ends(self, partition: Partition) -> tuple[int, int]:
        """(log end, high watermark) of this broker's replica; 0 where it has no record."""
        found = self._replicas.found((partition.topic, partition.index))
        return (0, 0) if found is None else (found.log.log_end_offset, found.log.high_watermark)


def _in_order_of_coming(before: tuple[int, ...], isr: tuple[int, ...]) -> list[int]:
    """An ISR as a leader prints it: who was in it before comes first."""
    return [id for id in before if id in isr] + [id for id in isr if id not in before]


def _is_new(role: NewRole) -> bool:
    return role.partition.leader_epoch != role.epoch_before


def _name(partition: Partition) -> str:
    return f"{partition.topic}-{partition.index}"


def _joined(ids: Iterable[int]) -> str:
    return ",".join(map(str, ids))
