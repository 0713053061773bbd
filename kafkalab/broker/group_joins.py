"""Who comes in, and when has everybody come? JOIN_GROUP and the join phase of the classic protocol.

Kafka's classes are GroupCoordinator with DelayedJoin and InitialDelayedJoin (2.3), and GroupMetadataManager (4.x). A newcomer is given
an id first (KIP-394), a static member its old place (KIP-345). The phase ends when every known member has joined, or when the longest
rebalance timeout is over; a group that was empty waits a little longer than it must (KIP-134). What members do once they are in is
`group_members`'.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster import ClusterState
from kafkalab.broker.consumer_groups import ConsumerGroups
from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, Respond, SetTimer
from kafkalab.broker.group import NEW_MEMBER_TIMEOUT_MS, NO_GENERATION, Group, Member, membership_error
from kafkalab.broker.group_state import GroupState, may_move
from kafkalab.broker.group_storage import GroupStorage
from kafkalab.broker.offsets_log import OffsetsLog
from kafkalab.releases import BrokerProfile
from kafkalab.releases.broker_profile import FIRST_GENERATION
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.protocol.messages import JoinGroupRequest, JoinGroupResponse, SyncGroupResponse

EMPTY, PREPARING, COMPLETING, STABLE, DEAD = GroupState

_SYNC_AGAIN = SyncGroupResponse(error_code=Errors.REBALANCE_IN_PROGRESS.code)


class GroupJoins:
    """The groups of one broker, as far as joining goes.

    draw_member_uuid: gives the random tail of a new member id for a caller; the machine draws nothing itself.
    storage: what of the groups is written down. modern: the groups of the newer protocol.
    """

    def __init__(self, node_id: int, profile: BrokerProfile, cluster: ClusterState, config: BrokerConfig,
                 draw_member_uuid: Callable[[Caller], str], log: OffsetsLog | None = None) -> None:
        self.groups: dict[str, Group] = {}
        self._node_id = node_id
        self._profile = profile
        self._cluster = cluster
        self._config = config
        self._draw_member_uuid = draw_member_uuid
        self._now_ms = 0
        self.storage = GroupStorage(self, profile, config, log or OffsetsLog())
        self.modern = ConsumerGroups(node_id, cluster, config, lambda: self.groups)
        self._largest_session_ms = config.group_max_session_timeout_ms or profile.largest_session_timeout_ms

    @property
    def _is_in_touch(self) -> bool:
        """Does this broker hear of what the controller decides?"""
        return self._cluster.is_current

    def coordinates(self, group_id: str) -> bool:
        return self._cluster.coordinator_of(group_id) == self._node_id

    # -- JOIN_GROUP

    def _join(self, request: JoinGroupRequest, caller: Caller, now_ms: int) -> list[Effect]:
        group = self.groups.get(request.group_id)
        error = self._join_error(group, request)
        if error is not None:
            return [join_refused(caller, error, request.member_id)]
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
                join_refused(caller, Errors.GROUP_MAX_SIZE_REACHED, member_id)]

    def _join_without_id(self, group: Group, request: JoinGroupRequest, caller: Caller, now_ms: int) -> list[Effect]:
        instance = request.group_instance_id
        new_id = f"{instance or caller.header.client_id}-{self._draw_member_uuid(caller)}"
        if instance in group.static_members:
            return self._return_of_static(group, request, caller, new_id, now_ms)
        if instance is None and WireChange.MEMBER_ID_REQUIRED.holds_for(caller.header):
            group.pending[new_id] = None
            return [join_refused(caller, Errors.MEMBER_ID_REQUIRED, new_id),
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
            out.append(join_refused(caller, Errors.UNKNOWN_MEMBER_ID, member.id))
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
            out.append(join_refused(member.parked_join, Errors.FENCED_INSTANCE_ID, old_id))
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

    def _pending_over(self, group: Group, member_id: str, now_ms: int) -> list[Effect]:
        """Nobody came back with the id that was handed out."""
        group.pending.pop(member_id, None)
        out: list[Effect] = []
        if group.state is PREPARING:
            self._complete_if_everybody_joined(group, now_ms, out)
        return out

    # -- what all steps share

    def _renew(self, group: Group, member: Member, now_ms: int, out: list[Effect]) -> None:
        """The member was heard of: its session begins anew, with a timer that is due at its end.

        A heartbeat only moves the deadline. The timer that rings too early is set again, so that thousands of
        heartbeats cost no timer each.
        """
        member.deadline_ms = now_ms + member.session_timeout_ms
        out.append(SetTimer(("session", group.id, member.id), member.deadline_ms))

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


def join_refused(caller: Caller, error: Errors, member_id: str) -> Respond:
    nullable = WireChange.PROTOCOL_IS_NULLABLE.holds_for(caller.header)
    return Respond(caller, JoinGroupResponse(error_code=error.code, generation_id=NO_GENERATION, member_id=member_id,
                                             protocol_name=None if nullable else ""))


def _rebalance_timeout_ms(request: JoinGroupRequest) -> int:
    """JoinGroup v0 had one timeout for both."""
    return request.rebalance_timeout_ms if request.rebalance_timeout_ms >= 0 else request.session_timeout_ms
