"""Who is a member, and may work on? The classic group protocol, seen from the coordinator.

Kafka's classes are GroupCoordinator (2.3) and GroupMetadataManager (4.x) with ClassicGroup. A pure machine: it takes a
request and the time, changes its groups and returns what the shell has to do. It is told in pieces:

    group_state    the five states and the moves between them
    group_joins    who comes in, and when has everybody come?
    group_members  who is still a member?
    group_offsets  how far has the group come?
    group_storage  what outlives the coordinator?
    group_admin    what may an administrator see and delete?

Here they are put together, and groups come and go with the partitions of the offsets topic that this broker leads. Groups of the newer
protocol (KIP-848) are `consumer_groups`' business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster import OFFSETS_TOPIC, ClusterState
from kafkalab.broker.consumer_group import ConsumerGroup
from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, Respond
from kafkalab.broker.group import Group
from kafkalab.broker.group_admin import GroupAdmin
from kafkalab.broker.group_joins import DEAD, join_refused
from kafkalab.broker.group_members import GroupMembers
from kafkalab.broker.group_offsets import GroupOffsets, refused_commit, refused_fetch
from kafkalab.broker.offsets_log import OffsetsLog
from kafkalab.broker.profiles import BrokerProfile
from kafkalab.errors import Errors
from kafkalab.protocol.messages import (
    ConsumerGroupDescribeRequest,
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    DeleteGroupsRequest,
    DescribeGroupsRequest,
    HeartbeatRequest,
    HeartbeatResponse,
    JoinGroupRequest,
    LeaveGroupRequest,
    LeaveGroupResponse,
    ListGroupsRequest,
    OffsetCommitRequest,
    OffsetDeleteRequest,
    OffsetFetchRequest,
    SyncGroupRequest,
    SyncGroupResponse,
)

LOADING = Errors.COORDINATOR_LOAD_IN_PROGRESS.code

WHILE_LOADING: Mapping[type, Callable[[Any, Caller], Any]] = MappingProxyType({
    JoinGroupRequest: lambda request, caller: join_refused(caller, Errors.COORDINATOR_LOAD_IN_PROGRESS, request.member_id).response,
    SyncGroupRequest: lambda request, caller: SyncGroupResponse(error_code=LOADING),
    HeartbeatRequest: lambda request, caller: HeartbeatResponse(),  # a member that beats is not to suffer (GroupCoordinator.handleHeartbeat)
    LeaveGroupRequest: lambda request, caller: LeaveGroupResponse(error_code=LOADING),
    OffsetCommitRequest: lambda request, caller: refused_commit(request, Errors.COORDINATOR_LOAD_IN_PROGRESS),
    OffsetFetchRequest: lambda request, caller: refused_fetch(request, caller, Errors.COORDINATOR_LOAD_IN_PROGRESS),
    ConsumerGroupHeartbeatRequest: lambda request, caller: ConsumerGroupHeartbeatResponse(error_code=LOADING),
})
"""What is answered about a group whose records are being read."""


class GroupCoordinator(GroupMembers):
    """All groups of one broker.

    draw_loading_ms: how long reading a partition of the offsets topic takes.
    """

    def __init__(self, node_id: int, profile: BrokerProfile, cluster: ClusterState, config: BrokerConfig,
                 draw_member_uuid: Callable[[Caller], str], log: OffsetsLog | None = None,
                 draw_loading_ms: Callable[[], int] = int) -> None:
        super().__init__(node_id, profile, cluster, config, draw_member_uuid, log)
        self._draw_loading_ms = draw_loading_ms
        self._offsets = GroupOffsets(self, cluster, config)
        self._admin = GroupAdmin(self, cluster)
        self._actions: dict[type, Callable[[Any, Caller, int], list[Effect]]] = {
            JoinGroupRequest: self._join,
            ConsumerGroupHeartbeatRequest: self.modern.handle,
            SyncGroupRequest: self._sync,
            HeartbeatRequest: self._heartbeat,
            LeaveGroupRequest: self._leave,
            OffsetCommitRequest: self._offsets.commit,
            OffsetFetchRequest: self._offsets.fetch,
            ListGroupsRequest: self._admin.list,
            DescribeGroupsRequest: self._admin.describe,
            DeleteGroupsRequest: self._admin.delete,
            OffsetDeleteRequest: self._admin.delete_offsets,
            ConsumerGroupDescribeRequest: self._admin.describe_consumers,
        }
        self._alarms: dict[str, Callable[..., list[Effect]]] = {
            "join": self._join_phase_over,
            "session": self._session_over,
            "pending": self._pending_over,
            "sync": self._sync_phase_over,
        }
        self._modern_alarms = ("member session", "member revokes")

    def handle(self, request: Any, caller: Caller, now_ms: int) -> list[Effect]:
        self._now_ms = now_ms
        if self.storage.loading and (refusal := self._refused_while_loading(request, caller)) is not None:
            return [refusal]
        effects = self._actions[type(request)](request, caller, now_ms)
        return _with_news(effects, self.groups.get(getattr(request, "group_id", None)))

    def on_timer(self, key: tuple[Any, ...], now_ms: int) -> list[Effect]:
        """key is (what, group) or (what, group, member); ("load", partition) and ("expire offsets",) are about the records."""
        self._now_ms = now_ms
        if key[0] == "load":
            return self.storage.load(key[1], now_ms)
        if key[0] == "expire offsets":
            return self.storage.expire(now_ms)
        if key[0] in self._modern_alarms:
            return self.modern.on_timer(key, now_ms)
        group = self.groups.get(key[1])
        return _with_news(self._alarms[key[0]](group, *key[2:], now_ms), group) if group is not None else []

    def load(self, now_ms: int) -> list[Effect]:
        """Begin again after a crash: what the partitions of the offsets topic say that this broker leads."""
        out = self.modern.load(now_ms)
        self.groups.clear()
        for partition in self.storage.partitions():
            if self._leads(partition):
                out += self.storage.load(partition, now_ms)
        return out

    def take_over(self, partition: int, stored_at: GroupCoordinator, now_ms: int) -> list[Effect]:
        """This broker leads a partition of the offsets topic from now on, and reads it. Groups of the newer protocol are handed over
        by who had them last, `stored_at`."""
        modern = [id for id in stored_at.modern.groups if self.storage.partition_of(id) == partition]
        if stored_at is not self:
            self.modern.groups.update({id: stored_at.modern.groups.pop(id) for id in modern})
        return self.modern.load(now_ms, modern) + self.storage.begin_loading(partition, self._draw_loading_ms(), now_ms)

    def resign(self, partition: int) -> list[Effect]:
        """Another broker leads that partition now."""
        out: list[Effect] = []
        if partition in self.storage.loading:
            del self.storage.loading[partition]
            out.append(CancelTimer(("load", partition)))
        for group in [group for group in self.groups.values() if self.storage.partition_of(group.id) == partition]:
            if group.state is not DEAD:
                out += self.retire(group.id)
        return out + [CancelTimer((what, group.id, member)) for group in self.modern.groups.values()
                      if self.storage.partition_of(group.id) == partition for member in group.members for what in self._modern_alarms]

    def process_died(self) -> None:
        """The groups of the classic protocol were in memory only; their records are not."""
        self.storage.process_died()

    def _leads(self, partition: int) -> bool:
        found = self._cluster.partition(OFFSETS_TOPIC, partition)
        return found is None or found.leader == self._node_id

    def forget(self, group: Group, reason: str) -> list[Effect]:
        """A group without members ends: deleted, or nothing of it is left."""
        out: list[Effect] = []
        self._transition_to(group, DEAD, reason, out)
        out += self.storage.remove_group(group, self._now_ms)
        del self.groups[group.id]
        return out

    def forget_modern(self, group: ConsumerGroup) -> list[Effect]:
        """The same of a group of the newer protocol."""
        return [*self.modern.retire(group.id), Note("group.removed", {"group": group.id}),
                *self.storage.remove_all_offsets(group, self._now_ms)]

    def topic_deleted(self, topic: str) -> list[Effect]:
        """Nobody can read on there: the offsets go, and with the last of them an empty group."""
        out: list[Effect] = []
        for group in (*self.groups.values(), *self.modern.groups.values()):
            if self.coordinates(group.id):
                out += self.storage.remove_offsets(group, [place for place in group.offsets if place[0] == topic], "topic deleted", self._now_ms)
        return out

    def retire(self, group_id: str) -> list[Effect]:
        """Stop coordinating a group: whoever waits learns that the coordinator is elsewhere."""
        if group_id in self.modern.groups:
            return self.modern.retire(group_id)
        group = self.groups[group_id]
        out: list[Effect] = [CancelTimer(("join", group_id)), CancelTimer(("sync", group_id))]
        for member in group.members.values():
            out.append(CancelTimer(("session", group_id, member.id)))
            if member.parked_join is not None:
                out.append(join_refused(member.parked_join, Errors.NOT_COORDINATOR, member.id))
            if member.parked_sync is not None:
                out.append(Respond(member.parked_sync, SyncGroupResponse(error_code=Errors.NOT_COORDINATOR.code)))
        out += [CancelTimer(("pending", group_id, member_id)) for member_id in group.pending]
        for member in list(group.members.values()):
            group.remove(member)
        group.news.clear()
        group.pending.clear()
        self._transition_to(group, DEAD, "the group is coordinated elsewhere", out)
        return out

    def _refused_while_loading(self, request: Any, caller: Caller) -> Respond | None:
        """COORDINATOR_LOAD_IN_PROGRESS for a group whose records are being read; None for others."""
        group_id = getattr(request, "group_id", None) or next((one.group_id for one in getattr(request, "groups", ())), None)
        if not isinstance(group_id, str) or self.storage.partition_of(group_id) not in self.storage.loading:
            return None
        refuse = WHILE_LOADING.get(type(request))
        return None if refuse is None else Respond(caller, refuse(request, caller))


def _with_news(effects: list[Effect], group: Group | None) -> list[Effect]:
    """What the journal hears of members stands before what follows from it."""
    if group is None or not group.news:
        return effects
    news, group.news = group.news, []
    return [*news, *effects]
