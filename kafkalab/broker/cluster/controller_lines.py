"""ControllerLines writes what a KRaft controller says of topics, partitions and brokers.

Kafka's classes are ReplicationControlManager, ClusterControlManager and BrokerHeartbeatManager. A
lab begins when the brokers are registered, so their first registrations are not told. What stands
for the metadata log is a counter of its records: one for each line here that begins with
"Replayed", one for each changed partition, and a no-op for each half second. A broker registers at
the moment it is unfenced; a real one does so a little before. The partitions of internal topics
are not counted.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kafkalab.broker.cluster.cluster_state import NO_LEADER, ClusterState, Partition
from kafkalab.broker.server_log import ServerLog
from kafkalab.protocol.frozen import record
from kafkalab.protocol.identifiers import kafka_uuid

CONTROLLER_NODE = 100
"""The node id of the controller's process; clients never see it."""
NO_OP_MS = 500  # metadata.max.idle.interval.ms
RECOVERY = ("RECOVERED", "RECOVERING")
KEPT, NO, YES = -1, 0, 1
"""How a record says of a field that it stays as it is, becomes false, or becomes true."""


@record
class KnownPartition:
    """What the controller's log has said of a partition last.

    recovers: its leader was elected in an unclean way, and has not asked for another ISR since
    """

    leader: int
    leader_epoch: int
    partition_epoch: int
    isr: tuple[int, ...]
    elr: tuple[int, ...]
    last_known: int
    recovers: bool = False


class ControllerLines:
    """Writes the lines of the controller. say: its log; ids: draws ids of processes and disks."""

    def __init__(self, cluster: ClusterState, say: ServerLog, ids: random.Random) -> None:
        self._cluster, self._say, self._ids = cluster, say, ids
        self._records = 0
        self._incarnations = {broker: kafka_uuid(ids) for broker in cluster.brokers}
        self._directories = {broker: kafka_uuid(ids) for broker in cluster.brokers}
        self._epochs = {broker: self._replayed(0) for broker in cluster.brokers}
        self._known: dict[tuple[str, int], KnownPartition] = {}
        self._topic_ids: dict[str, str] = {}

    # topics

    def told(self, kind: str, fields: Mapping[str, Any]) -> None:
        """Something has happened to a topic: an event of the ClusterState."""
        name = fields.get("topic", "")
        if kind == "topic.created":
            topic_id = self._topic_ids[name] = self._cluster.topics[name].topic_id
            self._replay("TOPIC_MADE", topic=name, topic_id=topic_id)
            for partition in self._cluster.topics[name].partitions:
                self._made(partition)
        elif kind == "topic.deleted":
            topic_id = self._topic_ids.pop(name)
            self._say(
                "TOPICS_DELETED", results=f"{{id: {topic_id}, name: {name}, result: SUCCESS}}"
            )
            self._replay("TOPIC_REMOVED", topic=name, topic_id=topic_id)
            self._known = {key: known for key, known in self._known.items() if key[0] != name}
        elif kind == "partition.changed":
            added = self._cluster.partition(name, fields["partition"])
            if added is not None and (name, added.index) not in self._known:
                self._made(added)

    def _made(self, partition: Partition) -> None:
        replicas = partition.replicas
        fields = {
            "replicas": _listed(replicas),
            "directories": _listed(self._directories[broker] for broker in replicas),
            "isr": _listed(partition.isr),
            "removingReplicas": "[]",
            "addingReplicas": "[]",
            "elr": _listed(partition.elr),
            "lastKnownElr": _last_known(partition.last_known),
            "leader": partition.leader,
            "leaderRecoveryState": "RECOVERED",
            "leaderEpoch": partition.leader_epoch,
            "partitionEpoch": partition.partition_epoch,
        }
        self._replay(
            "PARTITION_MADE",
            partition=f"{partition.topic}-{partition.index}",
            topic_id=self._topic_ids[partition.topic],
            registration=", ".join(f"{name}={text}" for name, text in fields.items()),
        )
        self._known[partition.topic, partition.index] = _known(partition)

    # partitions

    def changed(
        self, partitions: Sequence[Partition], unclean: Iterable[tuple[str, int]] = ()
    ) -> None:
        """Partitions have other leaders or in-sync replicas. unclean: those whose new leader may
        lack records."""
        doubtful = set(unclean)
        for partition in partitions:
            key = partition.topic, partition.index
            before, now = self._known.get(key), _known(partition)
            if before is None or before.partition_epoch == now.partition_epoch:
                continue
            asked = now.leader == before.leader and now.isr != before.isr
            now = replace(now, isr=_in_printed_order(before.isr, now.isr))
            now = replace(now, recovers=key in doubtful or (before.recovers and not asked))
            name = "PARTITION_CHANGED_UNCLEAN" if key in doubtful else "PARTITION_CHANGED"
            self._change(key, before, now, name)

    def _change(
        self, key: tuple[str, int], before: KnownPartition, now: KnownPartition, name: str
    ) -> None:
        self._known[key] = now
        topic, index = key
        self._replay(
            name,
            partition=f"{topic}-{index}",
            topic_id=self._topic_ids[topic],
            change=_difference(before, now),
        )

    # brokers

    def fenced(self, broker: int, changes: int) -> None:
        """A broker's session has timed out, and so many partitions change."""
        self._say("BROKER_FENCED", member=broker, epoch=self._epochs[broker])
        self._changes("handleBrokerFenced", changes)

    def stopping(self, broker: int, changes: int) -> None:
        """A broker may stop: what it leads is given to others."""
        self._say("CONTROLLER_LETS_STOP", member=broker)
        self._changes(f"enterControlledShutdown[{broker}]", changes)

    def stopped(self, broker: int, changes: int) -> None:
        """A broker has ended in the orderly way: every other has read the changes."""
        at = self._offset()
        self._say("CONTROLLER_ENDS_STOP", member=broker, active=at, shutdown=at - 1)
        self._changes("handleBrokerFenced", changes)

    def registered(self, broker: int, clean: bool) -> None:
        """A new process has come under a broker's id. After a crash it may have lost records, so it
        is no eligible leader any more (KIP-966)."""
        lost = [key for key, known in self._known.items() if not clean and broker in known.elr]
        self._changes("handleBrokerUncleanShutdown", len(lost))
        before, now = self._incarnations[broker], kafka_uuid(self._ids)
        self._incarnations[broker] = now
        self._epochs[broker] = self._replayed()
        self._say(
            "CONTROLLER_REGISTERS_AGAIN",
            member=broker,
            incarnation_before=before,
            incarnation=now,
            count=0,
            epoch=self._epochs[broker],
        )
        for key in lost:
            known = self._known[key]
            elr = tuple(other for other in known.elr if other != broker)
            struck = replace(known, elr=elr, partition_epoch=known.partition_epoch + 1)
            self._change(key, known, struck, "PARTITION_CHANGED")

    def unfenced(self, broker: int, changes: int) -> None:
        """A broker may lead again."""
        self._say("CONTROLLER_UNFENCES", member=broker, epoch=self._epochs[broker])
        self._changes("handleBrokerUnfenced", changes)

    def registration(self, broker: int, fenced: int, stopping: int) -> None:
        """What a broker's registration says has changed: KEPT, NO or YES."""
        self._replay(
            "REGISTRATION_CHANGED",
            member=broker,
            epoch=self._epochs[broker],
            fenced=fenced,
            stopping=stopping,
        )

    # inside

    def _changes(self, operation: str, count: int) -> None:
        if count:
            self._say("CONTROLLER_CHANGES_PARTITIONS", operation=operation, count=count)

    def _replay(self, name: str, **values: Any) -> None:
        self._replayed()
        self._say(name, **values)

    def _replayed(self, now_ms: int | None = None) -> int:
        """Count one more record, and return its offset."""
        self._records += 1
        return self._offset(now_ms)

    def _offset(self, now_ms: int | None = None) -> int:
        return self._records + (self._say.now_ms if now_ms is None else now_ms) // NO_OP_MS


def _known(partition: Partition) -> KnownPartition:
    return KnownPartition(
        partition.leader,
        partition.leader_epoch,
        partition.partition_epoch,
        partition.isr,
        partition.elr,
        partition.last_known,
    )


def _in_printed_order(before: tuple[int, ...], now: tuple[int, ...]) -> tuple[int, ...]:
    """The ISR as a real controller has it: a leader that adds a member sends all in order."""
    if set(now) - set(before):
        return tuple(sorted(now))
    return tuple(broker for broker in before if broker in now)


def _difference(before: KnownPartition, now: KnownPartition) -> str:
    """The fields that differ, in the order of PartitionRegistration.diff."""
    pairs = (
        ("isr", _listed(before.isr), _listed(now.isr)),
        ("leader", before.leader, now.leader),
        ("leaderRecoveryState", RECOVERY[before.recovers], RECOVERY[now.recovers]),
        ("leaderEpoch", before.leader_epoch, now.leader_epoch),
        ("elr", _listed(before.elr), _listed(now.elr)),
        ("lastKnownElr", _last_known(before.last_known), _last_known(now.last_known)),
        ("partitionEpoch", before.partition_epoch, now.partition_epoch),
    )
    return ", ".join(f"{name}: {old} -> {new}" for name, old, new in pairs if old != new)


def _listed(values: Iterable[object]) -> str:
    return f"[{', '.join(map(str, values))}]"


def _last_known(broker: int) -> str:
    return "[]" if broker == NO_LEADER else f"[{broker}]"
