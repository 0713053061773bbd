"""Who is a member, and may work on? The classic group protocol, seen from the coordinator.

Kafka's classes are GroupCoordinator (2.3) and GroupMetadataManager (4.x) with ClassicGroup. A pure machine: it takes a
request and the time, changes its groups and returns what the shell has to do. Membership is decided here; the committed
offsets of a group are kept in `group_offsets`, and what outlives the coordinator in `group_storage`. Groups of the newer
protocol (KIP-848) are `consumer_groups`' business.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster import OFFSETS_TOPIC, ClusterState
from kafkalab.broker.consumer_groups import ConsumerGroups
from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, Respond, SetTimer
from kafkalab.broker.group import NEW_MEMBER_TIMEOUT_MS, NO_GENERATION, Group, Member, membership_error
from kafkalab.broker.group_admin import GroupAdmin
from kafkalab.broker.group_offsets import GroupOffsets, refused_commit, refused_fetch
from kafkalab.broker.group_storage import GroupStorage
from kafkalab.broker.group_state import GroupState, may_move
from kafkalab.broker.offsets_log import OffsetsLog
from kafkalab.broker.profiles import FIRST_GENERATION, BrokerProfile
from kafkalab.broker.wire_changes import WireChange
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
    JoinGroupResponse,
    LeaveGroupRequest,
    LeaveGroupResponse,
    ListGroupsRequest,
    MemberIdentity,
    MemberResponse,
    OffsetCommitRequest,
    OffsetDeleteRequest,
    OffsetFetchRequest,
    SyncGroupRequest,
    SyncGroupResponse,
)

EMPTY, PREPARING, COMPLETING, STABLE, DEAD = GroupState


class GroupCoordinator:
    """All groups of one broker.

    draw_member_uuid: gives the random tail of a new member id for a caller; the machine draws nothing itself.
    """

    def __init__(self, node_id: int, profile: BrokerProfile, cluster: ClusterState, config: BrokerConfig,
                 draw_member_uuid: Callable[[Caller], str], log: OffsetsLog | None = None,
                 draw_loading_ms: Callable[[], int] = lambda: 0) -> None:
        self.groups: dict[str, Group] = {}
        self._node_id = node_id
        self._profile = profile
        self._cluster = cluster
        self._config = config
        self._draw_member_uuid, self._draw_loading_ms = draw_member_uuid, draw_loading_ms
        self._now_ms = 0
        self.storage = GroupStorage(self, profile, config, log or OffsetsLog())
        self._largest_session_ms = config.group_max_session_timeout_ms or profile.largest_session_timeout_ms
        self.modern = ConsumerGroups(node_id, cluster, config, lambda: self.groups)
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

    def on_timer(self, key: tuple[str, ...], now_ms: int) -> list[Effect]:
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

    def coordinates(self, group_id: str) -> bool:
        return self._cluster.coordinator_of(group_id) == self._node_id

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

    def topic_deleted(self, topic: str) -> list[Effect]:
        """Nobody can read on there: the offsets go, and with the last of them an empty group."""
        out: list[Effect] = []
        for group in list(self.groups.values()):
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
                out.append(_join_refused(member.parked_join, Errors.NOT_COORDINATOR, member.id))
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

    # -- JOIN_GROUP

    def _join(self, request: JoinGroupRequest, caller: Caller, now_ms: int) -> list[Effect]:
        group = self.groups.get(request.group_id)
        error = self._join_error(group, request)
        if error is not None:
            return [_join_refused(caller, error, request.member_id)]
        if group is None:
            group = self.groups[request.group_id] = Group(request.group_id)
            if request.group_id in self.modern.groups:  # Empty: it changes sides, and keeps its offsets.
                group.offsets = self.modern.groups.pop(request.group_id).offsets
        if not self._has_room(group, request.member_id):
            return self._turn_away(group, request.member_id, caller)
        if request.member_id == "":
            return self._join_without_id(group, request, caller, now_ms)
        if request.member_id in group.pending:
            out: list[Effect] = [CancelTimer(("pending", group.id, request.member_id))]
            self._admit(group, request, caller, request.member_id, now_ms, out)
            return out
        return self._join_again(group, group.members[request.member_id], request, caller, now_ms)

    def _join_error(self, group: Group | None, request: JoinGroupRequest) -> Errors | None:
        if not request.group_id:
            return Errors.INVALID_GROUP_ID
        if not self.coordinates(request.group_id):
            return Errors.NOT_COORDINATOR
        if not self._config.group_min_session_timeout_ms <= request.session_timeout_ms <= self._largest_session_ms:
            return Errors.INVALID_SESSION_TIMEOUT
        if request.group_id in self.modern.groups and self.modern.groups[request.group_id].members:
            return Errors.INCONSISTENT_GROUP_PROTOCOL
        if group is None:
            return Errors.UNKNOWN_MEMBER_ID if request.member_id else None
        if group.state is DEAD:
            return Errors.COORDINATOR_NOT_AVAILABLE
        if not group.supports(request.protocol_type, request.protocols):
            return Errors.INCONSISTENT_GROUP_PROTOCOL
        if request.member_id == "" or request.member_id in group.pending:
            return None
        return membership_error(group, request.member_id, request.group_instance_id)

    def _has_room(self, group: Group, member_id: str) -> bool:
        """group.max.size (KIP-389). Members that are in stay in, unless a rebalance finds that there are too many."""
        most, known = self._config.group_max_size, member_id in group.members
        if group.state is PREPARING:
            return known and member_id not in group.to_join or len(group.members) - len(group.to_join) < most
        return group.state in (EMPTY, DEAD) or known or len(group.members) < most

    def _turn_away(self, group: Group, member_id: str, caller: Caller) -> list[Effect]:
        group.pending.pop(member_id, None)
        if member_id in group.members:
            group.remove(group.members[member_id])
        return [CancelTimer(("pending", group.id, member_id)), CancelTimer(("session", group.id, member_id)),
                _join_refused(caller, Errors.GROUP_MAX_SIZE_REACHED, member_id)]

    def _join_without_id(self, group: Group, request: JoinGroupRequest, caller: Caller, now_ms: int) -> list[Effect]:
        instance = request.group_instance_id
        new_id = f"{instance or caller.header.client_id}-{self._draw_member_uuid(caller)}"
        if instance in group.static_members:
            return self._return_of_static(group, request, caller, new_id, now_ms)
        if instance is None and WireChange.MEMBER_ID_REQUIRED.holds_for(caller.header):
            group.pending[new_id] = None
            return [_join_refused(caller, Errors.MEMBER_ID_REQUIRED, new_id),
                    SetTimer(("pending", group.id, new_id), now_ms + request.session_timeout_ms)]
        out: list[Effect] = []
        self._admit(group, request, caller, new_id, now_ms, out)
        return out

    def _admit(self, group: Group, request: JoinGroupRequest, caller: Caller, member_id: str, now_ms: int,
               out: list[Effect]) -> None:
        """Add a new member and have everyone join."""
        member = Member(member_id, request.group_instance_id, request.session_timeout_ms,
                        _rebalance_timeout_ms(request), request.protocol_type, request.protocols, caller.header.client_id)
        group.park_join(member, caller)
        member.deadline_ms = now_ms + NEW_MEMBER_TIMEOUT_MS
        group.add(member)
        if group.came_from_empty and (
                self._profile.initial_delay_extends != FIRST_GENERATION or group.generation == 0):
            group.somebody_joined_meanwhile = True
        out.append(SetTimer(("session", group.id, member_id), member.deadline_ms))
        self._rebalance(group, f"member {member_id} joined", now_ms, out)

    def _join_again(self, group: Group, member: Member, request: JoinGroupRequest, caller: Caller,
                    now_ms: int) -> list[Effect]:
        """A known member joins: to follow a rebalance, to start one, or because it missed the answer."""
        changed = member.protocols != request.protocols
        out: list[Effect] = []
        if changed:
            group.news.append(Note("group.subscribed", {"group": group.id, "member": member.id, "protocols": {
                offered.name: offered.metadata for offered in request.protocols}}))
        if group.state is STABLE and (changed or group.is_leader(member)) or group.state is COMPLETING and changed:
            who = "leader" if group.is_leader(member) else "member"
            self._park_join(group, member, request, caller, now_ms)
            self._rebalance(group, f"{who} {member.id} joined again", now_ms, out)
        elif group.state is PREPARING:
            self._park_join(group, member, request, caller, now_ms)
            self._complete_if_everybody_joined(group, now_ms, out)
        elif group.state is EMPTY:
            out.append(_join_refused(caller, Errors.UNKNOWN_MEMBER_ID, member.id))
        else:  # nothing new: tell it the present generation once more
            member.deadline_ms = now_ms + member.session_timeout_ms
            out.append(self._join_answer(group, member, caller))
        return out

    def _park_join(self, group: Group, member: Member, request: JoinGroupRequest, caller: Caller, now_ms: int) -> None:
        group.change_protocols(member, request.protocols)
        member.session_timeout_ms = request.session_timeout_ms
        member.rebalance_timeout_ms = _rebalance_timeout_ms(request)
        member.deadline_ms = now_ms + member.session_timeout_ms
        group.park_join(member, caller)

    def _return_of_static(self, group: Group, request: JoinGroupRequest, caller: Caller, new_id: str,
                          now_ms: int) -> list[Effect]:
        """KIP-345: a static member that restarts takes its old place under a new id. A stable group stays undisturbed."""
        member = group.members[group.static_members[request.group_instance_id]]
        old_id, old_leader = member.id, group.leader
        out: list[Effect] = [CancelTimer(("session", group.id, old_id))]
        if member.parked_join is not None:
            out.append(_join_refused(member.parked_join, Errors.FENCED_INSTANCE_ID, old_id))
        if member.parked_sync is not None:
            out.append(Respond(member.parked_sync, SyncGroupResponse(error_code=Errors.FENCED_INSTANCE_ID.code)))
            member.parked_sync = None
        group.rename(member, new_id)
        self._park_join(group, member, request, caller, now_ms)
        out.append(SetTimer(("session", group.id, new_id), member.deadline_ms))
        if group.state is STABLE and group.elect_protocol() == group.protocol:
            out += self.storage.write_group(group, now_ms)
            group.take_join(member)
            member.is_new = False
            out.append(self._join_answer(group, member, caller, old_leader=old_leader))
        elif group.state is PREPARING:
            self._complete_if_everybody_joined(group, now_ms, out)
        else:
            self._rebalance(group, f"static member {new_id} came back", now_ms, out)
        return out

    def _join_answer(self, group: Group, member: Member, caller: Caller, *, old_leader: str | None = None) -> Respond:
        """The present generation. Only the leader hears who else is there.

        old_leader: given to a static member that came back into a stable group. It must not assign anew: where the
        version can say so it is told to skip that, before it was told that its own former id still leads.
        """
        returned = old_leader is not None
        can_skip = WireChange.SKIP_ASSIGNMENT.holds_for(caller.header)
        leads = group.is_leader(member)
        told = leads and (not returned or can_skip)
        return Respond(caller, JoinGroupResponse(
            generation_id=group.generation,
            protocol_type=group.protocol_type if WireChange.PROTOCOL_IS_NULLABLE.holds_for(caller.header) else None,
            protocol_name=group.protocol,
            leader=old_leader if returned and not can_skip else group.leader,
            skip_assignment=returned and leads and can_skip,
            member_id=member.id,
            members=group.described_members() if told else ()))

    # -- the join phase

    def _rebalance(self, group: Group, reason: str, now_ms: int, out: list[Effect]) -> None:
        """Have everyone join (again), unless the group is at it already."""
        if group.state is PREPARING:
            self._complete_if_everybody_joined(group, now_ms, out)
            return
        if group.state is COMPLETING:
            for member in group.members.values():
                member.assignment = b""
                if member.parked_sync is not None:
                    out.append(Respond(member.parked_sync, _SYNC_AGAIN))
                    member.parked_sync = None
            out.append(CancelTimer(("sync", group.id)))
        group.came_from_empty = group.state is EMPTY
        self._transition_to(group, PREPARING, reason, out)
        longest_ms = group.longest_rebalance_timeout_ms
        if group.came_from_empty:  # KIP-134: the first of many waits for the others
            delay_ms = min(self._config.group_initial_rebalance_delay_ms, longest_ms)
            group.somebody_joined_meanwhile = False
            group.initial_delay_left_ms = longest_ms - delay_ms
            if delay_ms > 0:
                out.append(SetTimer(("join", group.id), now_ms + delay_ms))
            else:
                self._complete_join(group, now_ms, out)
        else:
            out.append(SetTimer(("join", group.id), now_ms + longest_ms))
            self._complete_if_everybody_joined(group, now_ms, out)

    def _complete_if_everybody_joined(self, group: Group, now_ms: int, out: list[Effect]) -> None:
        if not group.came_from_empty and group.everybody_joined:  # the initial delay is always waited out
            self._complete_join(group, now_ms, out)

    def _join_phase_over(self, group: Group, now_ms: int) -> list[Effect]:
        """The initial delay or the rebalance timeout has passed."""
        out: list[Effect] = []
        if group.came_from_empty and group.somebody_joined_meanwhile and group.initial_delay_left_ms > 0:
            delay_ms = min(self._config.group_initial_rebalance_delay_ms, group.initial_delay_left_ms)
            group.initial_delay_left_ms -= delay_ms
            group.somebody_joined_meanwhile = False
            return [SetTimer(("join", group.id), now_ms + delay_ms)]
        self._complete_join(group, now_ms, out)
        return out

    def _complete_join(self, group: Group, now_ms: int, out: list[Effect]) -> None:
        """Close the join phase with those who are here: a new generation, answered to all of them at once."""
        for member in [one for one in group.members.values() if one.parked_join is None and not one.is_static]:
            group.remove(member)
            out.append(CancelTimer(("session", group.id, member.id)))
        joined = [member for member in group.members.values() if member.parked_join is not None]
        if group.members and not joined:  # only static members are left, and none is here: keep waiting for them
            out.append(SetTimer(("join", group.id), now_ms + group.longest_rebalance_timeout_ms))
            return
        group.came_from_empty = False
        group.generation += 1
        out.append(CancelTimer(("join", group.id)))
        if not joined:
            group.protocol = None
            self._transition_to(group, EMPTY, "the last member is gone", out)
            out += self.storage.write_group(group, now_ms)
            return
        if group.members[group.leader].parked_join is None:
            group.leader = joined[0].id
        group.protocol = group.elect_protocol()
        self._transition_to(group, COMPLETING, "all members have joined", out)
        group.to_sync.clear()
        for member in joined:
            caller = group.take_join(member)
            member.is_new = False
            group.to_sync[member.id] = None
            self._renew(group, member, now_ms, out)
            out.append(self._join_answer(group, member, caller))
        if self._profile.drops_members_without_sync:
            out.append(SetTimer(("sync", group.id), now_ms + group.longest_rebalance_timeout_ms))

    # -- SYNC_GROUP

    def _sync(self, request: SyncGroupRequest, caller: Caller, now_ms: int) -> list[Effect]:
        group = self.groups.get(request.group_id)
        error = self._member_error(group, request.group_id, request.member_id, request.group_instance_id,
                                   request.generation_id)
        if error is None and _names_another_protocol(group, request):
            error = Errors.INCONSISTENT_GROUP_PROTOCOL
        if error is None and group.state in (EMPTY, PREPARING):
            error = Errors.UNKNOWN_MEMBER_ID if group.state is EMPTY else Errors.REBALANCE_IN_PROGRESS
        if error is not None:
            return [Respond(caller, SyncGroupResponse(error_code=error.code))]
        out: list[Effect] = []
        member = group.members[request.member_id]
        group.to_sync.pop(member.id, None)
        member.parked_sync = caller
        has_come = group.state is COMPLETING and group.is_leader(member)
        if has_come:
            given = {one.member_id: one.assignment for one in request.assignments}
            for one in group.members.values():
                one.assignment = given.get(one.id, b"")
            self._transition_to(group, STABLE, "the leader's assignment is here", out)
            out += self.storage.write_group(group, now_ms)
        if group.state is STABLE:
            for one in group.members.values() if has_come else (member,):
                if one.parked_sync is not None:
                    self._answer_sync(group, one, now_ms, out)
            if not group.to_sync:
                out.append(CancelTimer(("sync", group.id)))
        return out

    def _answer_sync(self, group: Group, member: Member, now_ms: int, out: list[Effect]) -> None:
        caller, member.parked_sync = member.parked_sync, None
        named = WireChange.SYNC_NAMES_PROTOCOL.holds_for(caller.header)
        self._renew(group, member, now_ms, out)
        out.append(Respond(caller, SyncGroupResponse(
            protocol_type=group.protocol_type if named else None, protocol_name=group.protocol if named else None,
            assignment=member.assignment)))

    def _sync_phase_over(self, group: Group, now_ms: int) -> list[Effect]:
        """KAFKA-12890: whoever joined but never fetched its assignment holds up nobody any longer."""
        out: list[Effect] = []
        silent = [group.members[member_id] for member_id in group.to_sync]
        for member in silent:
            self._remove(group, member, f"member {member.id} did not sync", now_ms, out)
        return out

    # -- HEARTBEAT and the session

    def _heartbeat(self, request: HeartbeatRequest, caller: Caller, now_ms: int) -> list[Effect]:
        group = self.groups.get(request.group_id)
        error = self._member_error(group, request.group_id, request.member_id, request.group_instance_id,
                                   request.generation_id)
        if error is not None:
            return [Respond(caller, HeartbeatResponse(error_code=error.code))]
        member = group.members[request.member_id]
        member.deadline_ms = now_ms + member.session_timeout_ms
        if group.state is STABLE:
            return [Respond(caller, _ALIVE)]
        if group.state is PREPARING:
            return [Respond(caller, _JOIN_AGAIN)]
        return [Respond(caller, HeartbeatResponse(error_code=self._profile.heartbeat_while_completing.code))]

    def _renew(self, group: Group, member: Member, now_ms: int, out: list[Effect]) -> None:
        """The member was heard of: its session begins anew, with a timer that is due at its end.

        A heartbeat only moves the deadline. The timer that rings too early is set again, so that thousands of
        heartbeats cost no timer each.
        """
        member.deadline_ms = now_ms + member.session_timeout_ms
        out.append(SetTimer(("session", group.id, member.id), member.deadline_ms))

    def _session_over(self, group: Group, member_id: str, now_ms: int) -> list[Effect]:
        member = group.members.get(member_id)
        if member is None:
            return []
        waits_for_us = member.parked_sync is not None or member.parked_join is not None and not member.is_new
        if waits_for_us or now_ms < member.deadline_ms:
            again_ms = now_ms + member.session_timeout_ms if waits_for_us else member.deadline_ms
            return [SetTimer(("session", group.id, member_id), again_ms)]
        out: list[Effect] = []
        self._remove(group, member, f"session of member {member_id} expired", now_ms, out)
        return out

    def _pending_over(self, group: Group, member_id: str, now_ms: int) -> list[Effect]:
        """Nobody came back with the id that was handed out."""
        group.pending.pop(member_id, None)
        out: list[Effect] = []
        if group.state is PREPARING:
            self._complete_if_everybody_joined(group, now_ms, out)
        return out

    # -- LEAVE_GROUP

    def _leave(self, request: LeaveGroupRequest, caller: Caller, now_ms: int) -> list[Effect]:
        by_list = WireChange.LEAVE_BY_LIST.holds_for(caller.header)
        group = self.groups.get(request.group_id)
        if not self.coordinates(request.group_id):
            return [Respond(caller, LeaveGroupResponse(error_code=Errors.NOT_COORDINATOR.code))]
        if group is not None and group.state is DEAD:
            return [Respond(caller, LeaveGroupResponse(error_code=Errors.COORDINATOR_NOT_AVAILABLE.code))]
        out: list[Effect] = []
        answers = []
        for leaving in request.leaving:
            error = self._leave_one(group, leaving, now_ms, out)
            answers.append(MemberResponse(member_id=leaving.member_id, group_instance_id=leaving.group_instance_id,
                                          error_code=error.code))
        response = (LeaveGroupResponse(members=tuple(answers)) if by_list
                    else LeaveGroupResponse(error_code=answers[0].error_code))
        return [Respond(caller, response), *out]

    def _leave_one(self, group: Group | None, leaving: MemberIdentity, now_ms: int, out: list[Effect]) -> Errors:
        if group is None:
            return Errors.UNKNOWN_MEMBER_ID
        member_id = leaving.member_id or group.static_members.get(leaving.group_instance_id, "")
        if member_id in group.pending:
            out.append(CancelTimer(("pending", group.id, member_id)))
            out += self._pending_over(group, member_id, now_ms)
            return Errors.NONE
        error = membership_error(group, member_id, leaving.group_instance_id)
        if error is not None:
            return error
        self._remove(group, group.members[member_id], f"member {member_id} left", now_ms, out)
        return Errors.NONE

    def _remove(self, group: Group, member: Member, reason: str, now_ms: int, out: list[Effect]) -> None:
        """Take a member out; the others share its partitions."""
        group.remove(member)
        out.append(CancelTimer(("session", group.id, member.id)))
        if member.parked_join is not None:
            out.append(_join_refused(member.parked_join, Errors.UNKNOWN_MEMBER_ID, ""))
        if member.parked_sync is not None:
            out.append(Respond(member.parked_sync, SyncGroupResponse(error_code=Errors.UNKNOWN_MEMBER_ID.code)))
        self._rebalance(group, reason, now_ms, out)

    # -- what all of them share

    def _member_error(self, group: Group | None, group_id: str, member_id: str, instance_id: str | None,
                      generation: int) -> Errors | None:
        """Why a request of a member cannot be served; None where it can."""
        if not self.coordinates(group_id):
            return Errors.NOT_COORDINATOR
        if group is None:
            return Errors.UNKNOWN_MEMBER_ID
        if group.state is DEAD:
            return Errors.COORDINATOR_NOT_AVAILABLE
        error = membership_error(group, member_id, instance_id)
        if error is None and generation != group.generation:
            return Errors.ILLEGAL_GENERATION
        return error

    def _transition_to(self, group: Group, state: GroupState, reason: str, out: list[Effect]) -> None:
        """The only place where a group's state changes."""
        before = group.state
        assert may_move(before, state), f"group {group.id} cannot go from {before} to {state}"
        group.state, group.in_state_since_ms = state, self._now_ms
        out.append(Note("state", {"machine": "group", "of": group.id, "group": group.id, "before": before.value,
                                  "after": state.value, "generation": group.generation, "reason": reason,
                                  "protocol_type": group.protocol_type, "protocol": group.protocol, "leader": group.leader}))
        if state is STABLE:
            out.append(Note("group.assigned", {"group": group.id, "generation": group.generation,
                                               "assignments": {one.id: one.assignment for one in group.members.values()}}))


def _with_news(effects: list[Effect], group: Group | None) -> list[Effect]:
    """What the journal hears of members stands before what follows from it."""
    if group is None or not group.news:
        return effects
    news, group.news = group.news, []
    return [*news, *effects]


def _join_refused(caller: Caller, error: Errors, member_id: str) -> Respond:
    nullable = WireChange.PROTOCOL_IS_NULLABLE.holds_for(caller.header)
    return Respond(caller, JoinGroupResponse(error_code=error.code, generation_id=NO_GENERATION, member_id=member_id,
                                             protocol_name=None if nullable else ""))


def _names_another_protocol(group: Group, request: SyncGroupRequest) -> bool:
    """SyncGroup v5 says what it believes was agreed (KIP-559); None says nothing."""
    return (request.protocol_type not in (None, group.protocol_type)
            or request.protocol_name not in (None, group.protocol))


def _rebalance_timeout_ms(request: JoinGroupRequest) -> int:
    """JoinGroup v0 had one timeout for both."""
    return request.rebalance_timeout_ms if request.rebalance_timeout_ms >= 0 else request.session_timeout_ms


LOADING = Errors.COORDINATOR_LOAD_IN_PROGRESS.code

WHILE_LOADING: Mapping[type, Callable[[Any, Caller], Any]] = MappingProxyType({
    JoinGroupRequest: lambda request, caller: _join_refused(caller, Errors.COORDINATOR_LOAD_IN_PROGRESS, request.member_id).response,
    SyncGroupRequest: lambda request, caller: SyncGroupResponse(error_code=LOADING),
    HeartbeatRequest: lambda request, caller: HeartbeatResponse(),  # a member that beats is not to suffer (GroupCoordinator.handleHeartbeat)
    LeaveGroupRequest: lambda request, caller: LeaveGroupResponse(error_code=LOADING),
    OffsetCommitRequest: lambda request, caller: refused_commit(request, Errors.COORDINATOR_LOAD_IN_PROGRESS),
    OffsetFetchRequest: lambda request, caller: refused_fetch(request, caller, Errors.COORDINATOR_LOAD_IN_PROGRESS),
    ConsumerGroupHeartbeatRequest: lambda request, caller: ConsumerGroupHeartbeatResponse(error_code=LOADING),
})
"""What is answered about a group whose records are being read."""

_ALIVE = HeartbeatResponse()
_JOIN_AGAIN = HeartbeatResponse(error_code=Errors.REBALANCE_IN_PROGRESS.code)
_SYNC_AGAIN = SyncGroupResponse(error_code=Errors.REBALANCE_IN_PROGRESS.code)
