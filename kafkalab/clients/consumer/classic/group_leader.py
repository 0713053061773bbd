"""Writes a member's subscriptions and computes the leader's assignment
(ConsumerCoordinator.metadata, onLeaderElected; performAssignment until 3.1).

Each member sends one subscription for each of its assignors: the topics it wants and, where the
assignor asks for it, the partitions it has. The leader receives all of them, for the assignor the
group agreed on. It divides the partitions in its own metadata and sends each member its share. The
broker carries these bytes and reads none of them. `assignors` holds the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from kafkalab.clients.consumer.assignors import Assignment, LearnersAssignor, PartitionAssignor
from kafkalab.clients.consumer.classic.group_part import GroupPart, GroupShared
from kafkalab.clients.network.log_context import Later
from kafkalab.clients.network.metadata import ClusterView
from kafkalab.lines.java_values import list_text
from kafkalab.lines.subscription_text import subscription_text
from kafkalab.protocol.consumer_protocol import (
    Subscription,
    assignment_bytes,
    parse_subscription,
    subscription_bytes,
)
from kafkalab.protocol.messages import (
    JoinGroupRequestProtocol,
    JoinGroupResponse,
    SyncGroupRequestAssignment,
)
from kafkalab.records import TopicPartition, by_topic


class GroupLeader(GroupPart):
    """A consumer's assignors, and its work where it is the leader.

    assigned_by   the partition counts by which this member, as the leader, made the last
                  assignment; None for a follower (assignmentSnapshot), `assigned_at_version` of the
                  metadata
    """

    def __init__(self, shared: GroupShared) -> None:
        super().__init__(shared)
        config, profile = self._config, self._profile
        self.assigned_by: dict[str, int] | None = None
        self.assigned_at_version = 0
        self._rack_id = config.get("client.rack") or None
        own = config.own_assignors
        self.assignors: dict[str, PartitionAssignor | LearnersAssignor] = {
            name: LearnersAssignor(name, own[name])
            if name in own
            else PartitionAssignor(name, profile, self._say)
            for name in config.assignors
        }

    def protocols(self, generation_id: int) -> tuple[JoinGroupRequestProtocol, ...]:
        """This member's subscription, once for each of its assignors."""
        owned = (
            by_topic(sorted(self._subscriptions.assigned()))
            if self._profile.group.tells_owned_partitions
            else {}
        )
        return tuple(
            JoinGroupRequestProtocol(
                name=name,
                metadata=subscription_bytes(
                    self._profile.group.subscription_style,
                    Subscription(
                        topics=self._subscriptions.topics,
                        owned=owned,
                        generation_id=generation_id,
                        rack_id=self._rack_id,
                        user_data=assignor.subscription_user_data(),
                    ),
                ),
            )
            for name, assignor in self.assignors.items()
        )

    def partition_counts(self) -> dict[str, int]:
        """The partition counts in the metadata of the topics this group reads."""
        topics = self._metadata.view.topics
        return {
            topic: len(topics[topic])
            for topic in self._subscriptions.metadata_topics()
            if topic in topics
        }

    def assign(
        self, joined: JoinGroupResponse, generation_id: int
    ) -> tuple[SyncGroupRequestAssignment, ...]:
        """The assignment of every member. A leader that returns to a stable group only checks
        (KIP-814)."""
        subscriptions = {m.member_id: parse_subscription(m.metadata) for m in joined.members}
        instances = {m.member_id: m.group_instance_id for m in joined.members}
        self._log(
            "PERFORMING_ASSIGNMENT",
            strategy=joined.protocol_name,
            subscriptions=Later(
                _subscriptions_text,
                tuple(subscriptions.items()),
                tuple(instances.values()),
                self._profile.name,
            ),
        )
        counts = self.assigned_by = self.partition_counts()
        self.assigned_at_version = self._metadata.update_version
        if joined.skip_assignment:
            self._log("ASSIGNMENT_SKIPPED", generation=generation_id)
            return ()
        wanted = list(dict.fromkeys(topic for s in subscriptions.values() for topic in s.topics))
        for topic in wanted:
            if topic not in counts:
                self._log("ASSIGNMENT_TOPIC_SKIPPED", topic=topic)
        assert joined.protocol_name is not None, "a leader is told which assignor the group chose"
        assignment = self.assignors[joined.protocol_name].assign(
            self._racks(counts) or counts, subscriptions, instances
        )
        if self._log.writes("TOPICS_NOT_ASSIGNED"):
            given = {tp.topic for partitions in assignment.values() for tp in partitions}
            if unassigned := [topic for topic in wanted if topic not in given]:
                self._log("TOPICS_NOT_ASSIGNED", topics=list_text(unassigned))
        self._log(
            "FINISHED_ASSIGNMENT",
            generation=generation_id,
            assignment=Later(_finished_text, _frozen(assignment)),
        )
        return tuple(
            SyncGroupRequestAssignment(
                member_id=member,
                assignment=assignment_bytes(
                    self._profile.group.subscription_style, by_topic(partitions)
                ),
            )
            for member, partitions in assignment.items()
        )

    def _racks(self, counts: Mapping[str, int]) -> dict[str, list[tuple[str, ...]]] | None:
        """The racks of each partition's replicas; None in a cluster without racks."""
        view = self._metadata.view
        if not self._profile.group.assigns_by_rack or not any(node.rack for node in view.nodes):
            return None
        rack_of = {node.id: node.rack for node in view.nodes if node.rack}
        return {
            topic: [
                tuple(rack_of[id] for id in partition.replicas if id in rack_of)
                for partition in view.topics[topic]
            ]
            for topic in counts
        }

    def _say(self, name: str, **values: Any) -> None:
        """Writes an assignor's line: the assignor gives values, which are made text here, when the
        line is read."""
        if not self._log.writes(name):
            return
        texts: dict[str, object] = {
            key: value
            if isinstance(value, str | TopicPartition)
            else list_text(value)
            if isinstance(value, list)
            else str(value)
            for key, value in values.items()
            if key not in ("assignment", "cluster")
        }
        if "assignment" in values:
            texts["assignment"] = Later(_assignment_text, _frozen(values["assignment"]))
        if "cluster" in values:
            texts["partitions"] = Later(
                _cluster_text, _Topics(self._metadata.view, tuple(values["cluster"].counts))
            )
        self._log(name, **texts)


class _Topics(NamedTuple):
    """Topics of a cluster at one moment; the view never changes."""

    view: ClusterView
    topics: tuple[str, ...]


def _frozen(assignment: Assignment) -> tuple[tuple[str, tuple[TopicPartition, ...]], ...]:
    return tuple((member, tuple(partitions)) for member, partitions in assignment.items())


def _subscriptions_text(
    subscriptions: Iterable[tuple[str, Subscription]], instances: Iterable[str | None], version: str
) -> str:
    return f"{{{', '.join(f'{m}={subscription_text(s, version, i)}' for (m, s), i in zip(subscriptions, instances))}}}"  # noqa: E501


def _finished_text(assignment: Iterable[tuple[str, Iterable[TopicPartition]]]) -> str:
    return (
        f"{{{', '.join(f'{m}=Assignment(partitions={list_text(tps)})' for m, tps in assignment)}}}"
    )


def _assignment_text(assignment: Iterable[tuple[str, Iterable[TopicPartition]]]) -> str:
    return f"{{{', '.join(f'{m}={list_text(tps)}' for m, tps in assignment)}}}"


def _cluster_text(topics: _Topics) -> str:
    """topic=[Partition(topic = t, partition = 0, leader = 0, replicas = [0], isr = [0],
    offlineReplicas = [])] (PartitionInfo)."""
    view, names = topics
    found = []
    for name in names:
        shown = (
            (
                f"Partition(topic = {p.topic}, partition = {p.partition}, leader = "
                f"{'none' if p.leader is None else p.leader}, replicas = "
                f"[{','.join(map(str, p.replicas))}], isr = [{','.join(map(str, p.isr))}], "
                "offlineReplicas = [])"
            )
            for p in view.topics.get(name, ())
        )
        found.append(f"{name}=[{', '.join(shown)}]")
    return f"{{{', '.join(found)}}}"
