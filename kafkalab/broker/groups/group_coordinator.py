"""GroupCoordinator: serves all requests about one broker's groups, through the part for each.

It is a pure machine: it takes a request and the time, changes its groups and returns effects.
Members, administrators and transactions use it. Kafka's classes are GroupCoordinator (2.3), and
GroupCoordinatorService with GroupMetadataManager (4.x).

classic: members of the classic protocol. modern: groups of the KIP-848 protocol, and classic
members in them.
share: members of share groups (KIP-932).
group_table: the groups of both, by id. group_offsets: committed offsets.
group_admin: requests of administrators. group_storage, offset_expiry: the records in
`__consumer_offsets` and the removal of old offsets.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import OFFSETS_TOPIC, ClusterState
from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, Respond
from kafkalab.broker.groups.classic.group import ClassicGroup
from kafkalab.broker.groups.classic.group_state import ClassicGroupState
from kafkalab.broker.groups.classic.join_phase import refused_join
from kafkalab.broker.groups.classic.membership import ClassicGroups
from kafkalab.broker.groups.group_admin import GroupAdmin
from kafkalab.broker.groups.group_lines import GroupLines
from kafkalab.broker.groups.group_offsets import (
    OffsetMetadataManager,
    refused_commit,
    refused_fetch,
)
from kafkalab.broker.groups.group_storage import GroupStorage
from kafkalab.broker.groups.group_table import GroupTable
from kafkalab.broker.groups.mixed_groups import MixedGroups
from kafkalab.broker.groups.modern.consumer_group import ConsumerGroup
from kafkalab.broker.groups.modern.modern_groups import MEMBER_ALARMS
from kafkalab.broker.groups.offset_expiry import OffsetExpiry
from kafkalab.broker.groups.offsets_log import OffsetsLog
from kafkalab.broker.groups.share.share_groups import SHARE_SESSION, ShareGroups
from kafkalab.broker.server_log import ServerLog, silent_log
from kafkalab.broker.steps import Refusal, coded, run
from kafkalab.errors import Errors
from kafkalab.protocol import messages as m
from kafkalab.releases import BrokerProfile

LOADING = Refusal(Errors.COORDINATOR_LOAD_IN_PROGRESS)

WHILE_LOADING: Mapping[type, Callable[[Any, Caller, Refusal], Any]] = MappingProxyType(
    {
        m.JoinGroupRequest: refused_join,
        m.SyncGroupRequest: coded(m.SyncGroupResponse),
        # a member that sends heartbeats keeps its membership (GroupCoordinator.handleHeartbeat)
        m.HeartbeatRequest: lambda request, caller, refusal: m.HeartbeatResponse(),
        m.LeaveGroupRequest: coded(m.LeaveGroupResponse),
        m.OffsetCommitRequest: refused_commit,
        m.OffsetFetchRequest: refused_fetch,
        m.ConsumerGroupHeartbeatRequest: coded(m.ConsumerGroupHeartbeatResponse),
        m.ShareGroupHeartbeatRequest: coded(m.ShareGroupHeartbeatResponse),
    }
)
"""Type of request -> its answer for a group whose records are being read."""


class GroupCoordinator:
    """All groups of one broker (GroupCoordinatorService).

    table: the groups of both protocols. classic, modern: the machines of the two protocols.
    storage: the groups' records in the offsets topic.
    draw_member_uuid: gives the random tail of a new member id for a caller.
    draw_loading_ms: gives the time that reading a partition of the offsets topic takes.
    server_log: the broker's log, into which the lines of group coordinators go; None keeps none.
    """

    def __init__(
        self,
        node_id: int,
        profile: BrokerProfile,
        cluster: ClusterState,
        config: BrokerConfig,
        draw_member_uuid: Callable[[Caller], str],
        log: OffsetsLog | None = None,
        draw_loading_ms: Callable[[], int] = int,
        server_log: ServerLog | None = None,
    ) -> None:
        self.table = table = GroupTable(node_id, cluster)
        self.say = say = GroupLines(
            silent_log(profile.name) if server_log is None else server_log,
            config.offsets_topic_num_partitions,
        )
        self.storage = GroupStorage(table, config, log or OffsetsLog(), say, self._epoch_of)
        self.classic = ClassicGroups(
            node_id,
            profile,
            cluster,
            config,
            draw_member_uuid,
            table.classic,
            table.modern,
            self.storage.write_group,
            say,
        )
        self.modern = MixedGroups(
            node_id,
            cluster,
            config,
            table.modern,
            table.classic,
            say,
            classic_groups=self.classic,
            draw_member_uuid=draw_member_uuid,
            write_group=self.storage.write_group,
        )
        self.share = ShareGroups(node_id, cluster, config, table)
        self._node_id, self._cluster = node_id, cluster
        self._draw_loading_ms = draw_loading_ms
        read = self.modern.topics_read
        self._expiry = OffsetExpiry(
            table, config, profile.expires_unsubscribed_topics, self.storage, read, self.forget
        )
        offsets = OffsetMetadataManager(
            table, self.modern, self.storage, cluster, config, self._expiry.arm
        )
        admin = GroupAdmin(profile, table, cluster, self.storage, read, self.forget)
        self._actions: dict[type, Callable[[Any, Caller, int], list[Effect]]] = {
            m.JoinGroupRequest: self.classic.handle,
            m.SyncGroupRequest: self.classic.handle,
            m.HeartbeatRequest: self.classic.handle,
            m.LeaveGroupRequest: self.classic.handle,
            m.ConsumerGroupHeartbeatRequest: self.modern.handle,
            m.ShareGroupHeartbeatRequest: self.share.handle,
            m.OffsetCommitRequest: offsets.commit,
            m.OffsetFetchRequest: offsets.fetch,
            m.ListGroupsRequest: admin.list_groups,
            m.DescribeGroupsRequest: admin.describe,
            m.DeleteGroupsRequest: admin.delete,
            m.OffsetDeleteRequest: admin.delete_offsets,
            m.ConsumerGroupDescribeRequest: admin.describe_consumers,
        }
        self._modern_alarms = (*MEMBER_ALARMS, "held heartbeat")
        self.process_runs = True

    def handle(self, request: Any, caller: Caller, now_ms: int) -> list[Effect]:
        """Serve a request about a group."""
        if (
            self.storage.loading
            and (refusal := self._refused_while_loading(request, caller)) is not None
        ):
            return [refusal]
        refused = self._refused_in_share_group(request, caller)
        if refused is not None:
            return [refused]
        if self.modern.serves(request):
            return self.modern.handle_classic(request, caller, now_ms)
        return self._actions[type(request)](request, caller, now_ms)

    def on_timer(self, key: tuple[Any, ...], now_ms: int) -> list[Effect]:
        """Handle a timer of a group: the key is (what, group) or (what, group, member).

        The keys ("load", partition) and ("expire offsets",) are about the groups' records."""
        if key[0] == "load":
            return self._load(key[1], now_ms)
        if key[0] == "expire offsets":
            return self._expiry.expire(now_ms)
        if key[0] == SHARE_SESSION:
            return self.share.on_timer(key, now_ms)
        return (self.modern if key[0] in self._modern_alarms else self.classic).on_timer(
            key, now_ms
        )

    # -- groups come and go with the partitions of the offsets topic that this broker leads

    def load(self, now_ms: int) -> list[Effect]:
        """Begin again after a crash, with the groups in the partitions of the offsets topic that
        this broker leads."""
        out = run(self.modern.load(now_ms)) + self.share.load(now_ms)
        self.table.classic.clear()
        for partition in self.storage.partitions():
            if self._leads(partition):
                out += self._load(partition, now_ms)
        return out

    def take_over(self, partition: int, stored_at: GroupCoordinator, now_ms: int) -> list[Effect]:
        """This broker leads a partition of the offsets topic from now on, and reads it. Groups of
        the newer protocol come from their last coordinator, `stored_at`."""
        modern = [id for id in stored_at.table.modern if self.storage.partition_of(id) == partition]
        if stored_at is not self:
            self.table.modern.update(
                {id: stored_at.modern.hand_over(id, stored_at.process_runs) for id in modern}
            )
        out = run(self.modern.load(now_ms, modern)) + self.share.load(now_ms)
        takes_ms = self._draw_loading_ms()
        self.say.log("GROUPS_LOADING", index=partition, epoch=self._epoch_of(partition))
        return out + (
            self.storage.begin_loading(partition, takes_ms, now_ms)
            if takes_ms > 0
            else self._load(partition, now_ms)
        )

    def _load(self, partition: int, now_ms: int) -> list[Effect]:
        return self.storage.load(partition, now_ms) + self._expiry.arm(now_ms)

    def resign(self, partition: int, now_ms: int) -> list[Effect]:
        """Stop coordinating the groups of a partition that another broker leads now."""
        out: list[Effect] = []
        place = {"index": partition, "epoch": self._epoch_of(partition)}
        self.say.log("GROUPS_UNLOADING", **place)
        if partition in self.storage.loading:
            del self.storage.loading[partition]
            out.append(CancelTimer(("load", partition)))
        classic = [
            group
            for group in self.table.classic.values()
            if self.storage.partition_of(group.id) == partition
        ]
        for group in classic:
            if group.state is not ClassicGroupState.DEAD:
                out += self.retire(group.id, now_ms)
        modern = [
            group
            for group in self.table.modern.values()
            if self.storage.partition_of(group.id) == partition
        ]
        out += [
            CancelTimer((what, group.id, member))
            for group in modern
            for member in group.members
            for what in MEMBER_ALARMS
        ]
        self.modern.drop_lent([group.id for group in modern])
        offsets = sum(len(group.offsets) for group in classic)
        self.say.log("GROUPS_UNLOADED", **place, count=len(classic), offsets=offsets)
        return out

    def stays_away(self, partition: int) -> None:
        """Another broker leads this partition of the offsets topic; there is nothing to forget."""
        place = {"index": partition, "epoch": self._epoch_of(partition)}
        self.say.log("GROUPS_UNLOADING", **place)
        self.say.log("GROUPS_NEVER_LOADED", **place)

    def process_died(self) -> None:
        """Drop the state in memory: the process has died. The records of the groups are in the
        offsets topic."""
        self.process_runs = False
        self.modern.drop_lent()
        self.modern.forget_held()
        self.storage.process_died()
        self._expiry.process_died()

    def process_started(self) -> None:
        """Accept that the process has started again."""
        self.process_runs = True
        self.say.log("GROUP_COORDINATOR_STARTING")
        self.say.log("GROUP_COORDINATOR_STARTED")

    def _epoch_of(self, partition: int) -> int:
        """The leader epoch of a partition of the offsets topic."""
        found = self._cluster.partition(OFFSETS_TOPIC, partition)
        return 0 if found is None else found.leader_epoch

    def _leads(self, partition: int) -> bool:
        found = self._cluster.partition(OFFSETS_TOPIC, partition)
        return found is None or found.leader == self._node_id

    # -- groups end

    def forget(self, group: ClassicGroup | ConsumerGroup, reason: str, now_ms: int) -> list[Effect]:
        """End a group without members: it is deleted, or its last offset is gone."""
        if isinstance(group, ConsumerGroup):
            return [
                *self.modern.retire(group.id),
                Note.of("group.removed", group=group.id),
                *self.storage.remove_all_offsets(group, now_ms),
            ]
        return run(self.classic.end(group, reason, now_ms)) + self.storage.remove_group(
            group, now_ms
        )

    def topic_deleted(self, topic: str, now_ms: int) -> list[Effect]:
        """Remove the offsets of a deleted topic, and an empty group with its last offset."""
        out: list[Effect] = []
        for group in self.table.all():
            if self.table.coordinates(group.id):
                out += self.storage.remove_offsets(
                    group,
                    [place for place in group.offsets if place[0] == topic],
                    "topic deleted",
                    now_ms,
                )
        return out

    def retire(self, group_id: str, now_ms: int) -> list[Effect]:
        """Stop coordinating a group: parked requests are answered with NOT_COORDINATOR."""
        if group_id in self.table.modern:
            return self.modern.retire(group_id)
        return run(self.classic.retire(group_id, now_ms))

    def _refused_in_share_group(self, request: Any, caller: Caller) -> Respond | None:
        """The answer to a commit to a share group, and to a member of another protocol that would
        join one with members; None for all other requests."""
        group = self.share.groups.get(getattr(request, "group_id", None) or "")
        if group is None:
            return None
        if type(request) is m.OffsetCommitRequest:
            no_group = Refusal(Errors.GROUP_ID_NOT_FOUND)
            return Respond(caller, refused_commit(request, caller, no_group))
        if not group.members:
            return None
        if type(request) is m.JoinGroupRequest:
            refusal = Refusal(Errors.INCONSISTENT_GROUP_PROTOCOL)
            return Respond(caller, refused_join(request, caller, refusal))
        if type(request) is m.ConsumerGroupHeartbeatRequest:
            return Respond(
                caller,
                m.ConsumerGroupHeartbeatResponse(
                    error_code=Errors.GROUP_ID_NOT_FOUND.code,
                    error_message=f"Group {group.id} is not a consumer group.",
                ),
            )
        return None

    def _refused_while_loading(self, request: Any, caller: Caller) -> Respond | None:
        """COORDINATOR_LOAD_IN_PROGRESS for a group whose records are being read;
        None for others."""
        group_id = getattr(request, "group_id", None) or next(
            (one.group_id for one in getattr(request, "groups", ())), None
        )
        if (
            not isinstance(group_id, str)
            or self.storage.partition_of(group_id) not in self.storage.loading
        ):
            return None
        refuse = WHILE_LOADING.get(type(request))
        return None if refuse is None else Respond(caller, refuse(request, caller, LOADING))
