"""Who is still a member, and of which generation? SYNC_GROUP, HEARTBEAT, sessions and LEAVE_GROUP of the classic protocol.

Kafka's classes are GroupCoordinator (2.3) and GroupMetadataManager (4.x). A member proves that it is there with each request it makes;
whoever is silent for longer than its session, or says goodbye, is taken out, and the others join anew (`join_phase`).
"""

from __future__ import annotations

from kafkalab.broker.effects import Caller, CancelTimer, Effect, Respond, SetTimer
from kafkalab.broker.groups.classic.group import Group, Member, membership_error
from kafkalab.broker.groups.classic.join_phase import COMPLETING, DEAD, EMPTY, PREPARING, STABLE, GroupJoins, join_refused
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.protocol.messages import (
    HeartbeatRequest,
    HeartbeatResponse,
    LeaveGroupRequest,
    LeaveGroupResponse,
    MemberIdentity,
    MemberResponse,
    SyncGroupRequest,
    SyncGroupResponse,
)

_ALIVE = HeartbeatResponse()
_JOIN_AGAIN = HeartbeatResponse(error_code=Errors.REBALANCE_IN_PROGRESS.code)


class GroupMembers(GroupJoins):
    """The groups of one broker, with what members ask for once they are in."""

    # -- SYNC_GROUP

    def _sync(self, request: SyncGroupRequest, caller: Caller, now_ms: int) -> list[Effect]:
        group = self.groups.get(request.group_id)
        error = self._member_error(group, request.group_id, request.member_id, request.group_instance_id,
                                   request.generation_id)
        if error is None and _names_another_protocol(group, request):
            error = Errors.INCONSISTENT_GROUP_PROTOCOL
        if error is None and group.state in (EMPTY, PREPARING):
            error = Errors.UNKNOWN_MEMBER_ID if group.state is EMPTY else Errors.REBALANCE_IN_PROGRESS
        if error is None and group.state is COMPLETING and group.is_leader(group.members[request.member_id]) and not self._is_in_touch:
            error = Errors.NOT_COORDINATOR  # the group's record would never be committed: another broker may have the group by now
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
            out.append(join_refused(member.parked_join, Errors.UNKNOWN_MEMBER_ID, ""))
        if member.parked_sync is not None:
            out.append(Respond(member.parked_sync, SyncGroupResponse(error_code=Errors.UNKNOWN_MEMBER_ID.code)))
        self._rebalance(group, reason, now_ms, out)

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


def _names_another_protocol(group: Group, request: SyncGroupRequest) -> bool:
    """SyncGroup v5 says what it believes was agreed (KIP-559); None says nothing."""
    return (request.protocol_type not in (None, group.protocol_type)
            or request.protocol_name not in (None, group.protocol))
