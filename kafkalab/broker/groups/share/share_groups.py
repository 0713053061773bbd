"""ShareGroups: serves SHARE_GROUP_HEARTBEAT, which assigns partitions in share groups
(GroupMetadataManager.shareGroupHeartbeat).

It is a pure machine at the group's coordinator. A new partition is initialised in the share
coordinator first, which takes a moment; a heartbeat after that brings it to the members. Left out:
the group's records in `__consumer_offsets`. The groups are one object that the present coordinator
uses.
"""

from __future__ import annotations

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, SetTimer
from kafkalab.broker.groups.group_table import GroupTable
from kafkalab.broker.groups.share.group_settings import GroupSettings
from kafkalab.broker.groups.share.share_group import Place, ShareGroup, ShareGroupMember, simple
from kafkalab.broker.steps import Refusal, Step, answers, run, worded
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m
from kafkalab.protocol.consumer_group_messages import JOINING_EPOCH, LEAVING_EPOCH
from kafkalab.records import by_topic

SHARE_SESSION = "share session"
"""The kind of timer that ends a member's session."""

INITIALIZING_MS = 10
"""How long the share coordinator takes to initialise a partition; recorded: 1 to 13 ms."""


class ShareGroups:
    """The share groups that one broker coordinates."""

    def __init__(
        self, node_id: int, cluster: ClusterState, config: BrokerConfig, table: GroupTable
    ) -> None:
        self._node_id, self._cluster, self._config, self._table = node_id, cluster, config, table
        self._settings = GroupSettings(cluster, config)

    @property
    def groups(self) -> dict[str, ShareGroup]:
        """All share groups of the cluster, by id."""
        return self._cluster.share_groups

    @answers(m.ShareGroupHeartbeatResponse, worded(m.ShareGroupHeartbeatResponse))
    def handle(
        self, request: m.ShareGroupHeartbeatRequest, caller: Caller, now_ms: int
    ) -> Step[m.ShareGroupHeartbeatResponse]:
        if not self._table.coordinates(request.group_id):
            raise Refusal.with_message(Errors.NOT_COORDINATOR)
        group = self._group(request)
        if request.member_epoch == LEAVING_EPOCH:
            if request.member_id not in group.members:
                raise _unknown(request)
            yield from self._remove(group, request.member_id, "the member left")
            return m.ShareGroupHeartbeatResponse(
                member_id=request.member_id, member_epoch=LEAVING_EPOCH
            )
        member = yield from self._member(group, request, caller)
        self._prepare(group, now_ms)
        if group.epoch > group.target_epoch and self._may_compute(group, now_ms):
            yield self._compute(group, now_ms)
        member.epoch = group.target_epoch
        yield self._session(group, member, now_ms)
        assigned = group.target.get(member.id, ())
        changed = request.member_epoch == JOINING_EPOCH or assigned != member.sent
        member.sent = assigned
        return m.ShareGroupHeartbeatResponse(
            member_id=member.id,
            member_epoch=member.epoch,
            heartbeat_interval_ms=self._settings.number(group.id, "share.heartbeat.interval.ms"),
            assignment=self._assignment(assigned) if changed else None,
        )

    def on_timer(self, key: tuple[str, ...], now_ms: int) -> list[Effect]:
        """A member's session has ended."""
        _, group_id, member_id = key
        group = self.groups.get(group_id)
        if group is None or member_id not in group.members:
            return []
        return run(self._remove(group, member_id, "the member session expired"))

    def load(self, now_ms: int) -> list[Effect]:
        """Give every member of this coordinator's groups a new session, after a start."""
        return [
            self._session(group, member, now_ms)
            for group in self.groups.values()
            if self._table.coordinates(group.id)
            for member in group.members.values()
        ]

    def _group(self, request: m.ShareGroupHeartbeatRequest) -> ShareGroup:
        other = self._table.find(request.group_id)
        if other is not None and not other.is_vacant:
            raise Refusal(
                Errors.GROUP_ID_NOT_FOUND, f"Group {request.group_id} is not a share group."
            )
        if request.group_id not in self.groups:
            if request.member_epoch != JOINING_EPOCH:
                raise Refusal(
                    Errors.GROUP_ID_NOT_FOUND, f"Share group {request.group_id} not found."
                )
            self.groups[request.group_id] = ShareGroup(request.group_id)
        return self.groups[request.group_id]

    def _member(
        self, group: ShareGroup, request: m.ShareGroupHeartbeatRequest, caller: Caller
    ) -> Step[ShareGroupMember]:
        """The member that sent the heartbeat; a new one when it joins."""
        member = group.members.get(request.member_id)
        if member is None:
            if request.member_epoch != JOINING_EPOCH:
                raise _unknown(request)
            if len(group.members) >= self._config.group_share_max_size:
                raise Refusal(
                    Errors.GROUP_MAX_SIZE_REACHED,
                    f"The share group has reached its maximum capacity of "
                    f"{self._config.group_share_max_size} members.",
                )
            member = ShareGroupMember(request.member_id, caller.header.client_id)
            group.members[member.id] = member
            group.epoch += 1
            yield Note.of(
                "share_group.joined",
                group=group.id,
                member=member.id,
                client_id=member.client_id,
            )
        elif request.member_epoch > member.epoch:
            raise Refusal.with_message(Errors.FENCED_MEMBER_EPOCH)
        if request.subscribed_topic_names not in (None, member.topics):
            if member.topics:
                group.epoch += 1
            assert request.subscribed_topic_names is not None
            member.topics = request.subscribed_topic_names
        return member

    def _prepare(self, group: ShareGroup, now_ms: int) -> None:
        """Have new partitions initialised, and take over those that are."""
        done = [place for place, at_ms in group.initializing.items() if at_ms <= now_ms]
        if done:
            group.ready.update(done)
            for place in done:
                del group.initializing[place]
            group.epoch += 1
        for member in group.members.values():
            for place in self._places(member):
                if place not in group.ready and place not in group.initializing:
                    group.initializing[place] = now_ms + INITIALIZING_MS

    def _places(self, member: ShareGroupMember) -> list[Place]:
        return [
            (topic, part.index)
            for topic in member.topics
            if topic in self._cluster.topics
            for part in self._cluster.topics[topic].partitions
        ]

    def _may_compute(self, group: ShareGroup, now_ms: int) -> bool:
        """Whether enough time has passed since the last target (KIP-1263)."""
        return (
            group.computed_ms is None
            or now_ms - group.computed_ms >= self._config.group_share_assignment_interval_ms
        )

    def _compute(self, group: ShareGroup, now_ms: int) -> Note:
        """Assign the partitions again."""
        wanted = {
            member.id: [place for place in self._places(member) if place in group.ready]
            for member in group.members.values()
        }
        group.target = simple(wanted, group.target)
        group.target_epoch, group.computed_ms = group.epoch, now_ms
        return Note.of(
            "share_group.assigned",
            group=group.id,
            epoch=group.epoch,
            assignments={
                member: [f"{topic}-{number}" for topic, number in places]
                for member, places in group.target.items()
            },
        )

    def _assignment(self, places: tuple[Place, ...]) -> m.HeartbeatAssignment:
        there = by_topic(place for place in places if place[0] in self._cluster.topics)
        return m.HeartbeatAssignment(
            topic_partitions=tuple(
                m.HeartbeatTopicPartitions(
                    topic_id=self._cluster.topics[topic].topic_id, partitions=numbers
                )
                for topic, numbers in there.items()
            )
        )

    def _session(self, group: ShareGroup, member: ShareGroupMember, now_ms: int) -> SetTimer:
        """The timer of a session that begins now."""
        ends_ms = now_ms + self._settings.number(group.id, "share.session.timeout.ms")
        return SetTimer((SHARE_SESSION, group.id, member.id), ends_ms)

    def _remove(self, group: ShareGroup, member_id: str, reason: str) -> Step[None]:
        del group.members[member_id]
        group.target.pop(member_id, None)
        group.epoch += 1
        yield CancelTimer((SHARE_SESSION, group.id, member_id))
        yield Note.of("share_group.left", group=group.id, member=member_id, reason=reason)


def _unknown(request: m.ShareGroupHeartbeatRequest) -> Refusal:
    return Refusal(
        Errors.UNKNOWN_MEMBER_ID,
        f"Member {request.member_id} is not a member of group {request.group_id}.",
    )
