"""ClassicGroups: keeps the members of classic groups and serves their requests.

It serves JOIN_GROUP, SYNC_GROUP, HEARTBEAT and LEAVE_GROUP. Kafka's classes are GroupCoordinator
(2.3) and GroupMetadataManager (4.x). A new member gets an id first (KIP-394), a static member its
old place (KIP-345). Each request renews a member's session. A member whose session ends or that
sends LEAVE_GROUP is removed, and the others join again (`join_phase`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, Respond, SetTimer
from kafkalab.broker.groups.any_group import GroupsById
from kafkalab.broker.groups.classic.group import ClassicGroup, ClassicGroupMember, check_member
from kafkalab.broker.groups.classic.join_phase import (
    COMPLETING,
    DEAD,
    EMPTY,
    PREPARING,
    STABLE,
    JoinPhase,
    Why,
    WriteGroup,
    join_reason,
    join_without_generation,
    refused_join,
)
from kafkalab.broker.groups.group_lines import GroupLines
from kafkalab.broker.steps import PARKED, Afterwards, Parked, Refusal, Step, answers, run
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.lines.rebalance_reasons import NOT_PROVIDED
from kafkalab.protocol import messages as m
from kafkalab.protocol.wire_forms import as_sent
from kafkalab.releases import BrokerProfile

_ALIVE = m.HeartbeatResponse()


class ClassicGroups:
    """The classic groups of one broker (GroupCoordinator, GroupMetadataManager).

    groups: the broker's classic groups, by id. modern: the groups of the other protocol; an id
    belongs to one of them. draw_member_uuid: gives the random end of a new member id for a caller.
    write_group: writes a group's record at the end of a rebalance.
    """

    def __init__(
        self,
        node_id: int,
        profile: BrokerProfile,
        cluster: ClusterState,
        config: BrokerConfig,
        draw_member_uuid: Callable[[Caller], str],
        groups: dict[str, ClassicGroup],
        modern: GroupsById,
        write_group: WriteGroup,
        say: GroupLines,
    ) -> None:
        self.groups = groups
        self._modern = modern
        self._node_id = node_id
        self._profile = profile
        self._cluster = cluster
        self._config = config
        self._draw_member_uuid, self._write_group = draw_member_uuid, write_group
        self._say = say
        self._phase = JoinPhase(profile, config, write_group, say)
        self._actions: dict[type, Callable[[Any, Caller, int], list[Effect]]] = {
            m.JoinGroupRequest: self._join,
            m.SyncGroupRequest: self._sync,
            m.HeartbeatRequest: self._heartbeat,
            m.LeaveGroupRequest: self._leave,
        }
        self._alarms: dict[str, Callable[..., Step[None]]] = {
            "join": self._phase.is_over,
            "session": self._session_over,
            "pending": self._pending_expired,
            "sync": self._sync_phase_over,
        }

    def handle(self, request: Any, caller: Caller, now_ms: int) -> list[Effect]:
        """Serve a request of a member."""
        effects = self._actions[type(request)](request, caller, now_ms)
        return _with_news(effects, self.groups.get(request.group_id))

    def on_timer(self, key: tuple[Any, ...], now_ms: int) -> list[Effect]:
        """Handle a timer: ("join", group), ("sync", group), ("session", group, member) or
        ("pending", group, member)."""
        group = self.groups.get(key[1])
        if group is None:
            return []
        return _with_news(run(self._alarms[key[0]](group, *key[2:], now_ms)), group)

    def retire(self, group_id: str, now_ms: int) -> Step[None]:
        """Stop coordinating a group: parked requests are answered with NOT_COORDINATOR."""
        group = self.groups[group_id]
        self._say("GROUP_UNLOADED", group_id, generation=group.generation)
        yield CancelTimer(("join", group_id))
        yield CancelTimer(("sync", group_id))
        for member in group.members.values():
            yield CancelTimer(("session", group_id, member.id))
            yield from _answer_parked(member, Errors.NOT_COORDINATOR, member.id)
        yield from [CancelTimer(("pending", group_id, member_id)) for member_id in group.pending]
        for member in list(group.members.values()):
            group.remove(member)
        group.news.clear()
        group.pending.clear()
        yield from self._phase.transition_to(
            group, DEAD, "the group is coordinated elsewhere", now_ms
        )

    def release(self, group: ClassicGroup) -> Step[None]:
        """Give a group to the other protocol. Requests that wait are answered with
        REBALANCE_IN_PROGRESS, and ids that nobody has joined with are forgotten."""
        yield from [CancelTimer((what, group.id)) for what in ("join", "sync")]
        yield from [CancelTimer(("pending", group.id, member_id)) for member_id in group.pending]
        for member in group.members.values():
            yield CancelTimer(("session", group.id, member.id))
            yield from _answer_parked(member, Errors.REBALANCE_IN_PROGRESS, member.id)
        yield from group.news
        group.news.clear()
        del self.groups[group.id]

    def adopt(self, group: ClassicGroup, now_ms: int) -> Step[None]:
        """Take a group over from the other protocol; it is stable."""
        self.groups[group.id] = group
        group.state, group.in_state_since_ms = STABLE, now_ms
        group.news.clear()
        for member in group.members.values():
            yield from self._phase.renew(group, member, now_ms)

    def rebalance_downgraded(self, group: ClassicGroup, now_ms: int) -> Step[None]:
        """Let the members of an adopted group join again."""
        why: Why = ("downgraded", {"group": group.id})
        yield from self._phase.rebalance(group, "the last new member left", why, now_ms)

    def end(self, group: ClassicGroup, reason: str, now_ms: int) -> Step[None]:
        """End a group without members: it becomes DEAD and is removed. The caller removes its
        records."""
        yield from self._phase.transition_to(group, DEAD, reason, now_ms)
        self._say("GROUP_DEAD", group.id, generation=group.generation)
        del self.groups[group.id]

    def _coordinates(self, group_id: str) -> bool:
        return self._cluster.coordinator_of(group_id) == self._node_id

    # -- JOIN_GROUP

    @answers(m.JoinGroupResponse, refused_join)
    def _join(
        self, request: m.JoinGroupRequest, caller: Caller, now_ms: int
    ) -> Step[m.JoinGroupResponse | Parked]:
        self._check_join(request)
        group = self.groups.get(request.group_id)
        if group is None:
            group = self.groups[request.group_id] = ClassicGroup(request.group_id)
            # the group of the other protocol is vacant: this one takes its id and offsets
            if self._modern.get(request.group_id) is not None:
                group.offsets = self._modern.pop(request.group_id).offsets
        if not self._has_room(group, request.member_id):
            yield from self._turn_away(group, request.member_id)
        if request.member_id == "":
            return (yield from self._join_without_id(group, request, caller, now_ms))
        if request.member_id not in group.pending:
            member = group.members[request.member_id]
            return (yield from self._join_again(group, member, request, caller, now_ms))
        yield CancelTimer(("pending", group.id, request.member_id))
        self._say(
            "GROUP_PENDING_MEMBER_JOINS",
            group.id,
            member_id=request.member_id,
            state_to=group.state.value,
        )
        return (yield from self._phase.admit(group, request, caller, request.member_id, now_ms))

    def _check_join(self, request: m.JoinGroupRequest) -> None:
        """Refuse a JOIN_GROUP that no group can take."""
        group = self.groups.get(request.group_id)
        if not request.group_id:
            raise Refusal(Errors.INVALID_GROUP_ID)
        if not self._coordinates(request.group_id):
            raise Refusal(Errors.NOT_COORDINATOR)
        self.check_session(request)
        modern = self._modern.get(request.group_id)
        if modern is not None and not modern.is_vacant:
            raise Refusal(Errors.INCONSISTENT_GROUP_PROTOCOL)
        if group is None:
            if request.member_id:
                raise Refusal(Errors.UNKNOWN_MEMBER_ID)
            return
        if group.state is DEAD:
            raise Refusal(Errors.COORDINATOR_NOT_AVAILABLE)
        if not group.supports(request.protocol_type, request.protocols):
            raise Refusal(Errors.INCONSISTENT_GROUP_PROTOCOL)
        if request.member_id != "" and request.member_id not in group.pending:
            check_member(group, request.member_id, request.group_instance_id)

    def check_session(self, request: m.JoinGroupRequest) -> None:
        """Refuse a session that is too short or too long for the broker."""
        smallest_ms = self._config.group_min_session_timeout_ms
        largest_ms = self._config.group_max_session_timeout_ms
        if not smallest_ms <= request.session_timeout_ms <= largest_ms:
            raise Refusal(Errors.INVALID_SESSION_TIMEOUT)

    def _has_room(self, group: ClassicGroup, member_id: str) -> bool:
        """Whether the group has room for the member (group.max.size, KIP-389). Known members stay,
        unless a rebalance finds too many."""
        most, known = self._config.group_max_size, member_id in group.members
        if group.state is PREPARING:
            return (known and member_id not in group.to_join) or len(group.members) - len(
                group.to_join
            ) < most
        return group.state in (EMPTY, DEAD) or known or len(group.members) < most

    def _turn_away(self, group: ClassicGroup, member_id: str) -> Step[None]:
        group.pending.pop(member_id, None)
        if member_id in group.members:
            group.remove(group.members[member_id])
        yield CancelTimer(("pending", group.id, member_id))
        yield CancelTimer(("session", group.id, member_id))
        raise Refusal(Errors.GROUP_MAX_SIZE_REACHED)

    def _join_without_id(
        self, group: ClassicGroup, request: m.JoinGroupRequest, caller: Caller, now_ms: int
    ) -> Step[m.JoinGroupResponse | Parked]:
        instance = request.group_instance_id
        new_id = f"{instance or caller.header.client_id}-{self._draw_member_uuid(caller)}"
        if instance in group.static_members:
            return (yield from self._return_of_static(group, request, caller, new_id, now_ms))
        if instance is None and WireChange.MEMBER_ID_REQUIRED.holds_for(caller.header):
            group.pending[new_id] = None
            self._say(
                "GROUP_MEMBER_ID_GIVEN", group.id, member_id=new_id, state_to=group.state.value
            )
            due_ms = now_ms + request.session_timeout_ms
            yield Afterwards([SetTimer(("pending", group.id, new_id), due_ms)])
            return join_without_generation(caller, Errors.MEMBER_ID_REQUIRED, new_id)
        if instance is not None:
            self._say(
                "GROUP_STATIC_MEMBER_JOINS",
                group.id,
                instance=instance,
                member_id=new_id,
                state_to=group.state.value,
            )
        return (yield from self._phase.admit(group, request, caller, new_id, now_ms))

    def _join_again(
        self,
        group: ClassicGroup,
        member: ClassicGroupMember,
        request: m.JoinGroupRequest,
        caller: Caller,
        now_ms: int,
    ) -> Step[m.JoinGroupResponse | Parked]:
        """Serve the JOIN_GROUP of a known member: in a rebalance, to begin one, or because it lost
        the answer."""
        changed = member.protocols != request.protocols
        if changed:
            group.news.append(
                Note.of(
                    "group.subscribed",
                    group=group.id,
                    member=member.id,
                    protocols={offered.name: offered.metadata for offered in request.protocols},
                )
            )
        if (group.state is STABLE and (changed or group.is_leader(member))) or (
            group.state is COMPLETING and changed
        ):
            who = "leader" if group.is_leader(member) else "member"
            words: dict[str, str | None] = {
                "member_id": member.id,
                "client_reason": join_reason(request, caller),
            }
            why: Why = (
                "leader joined again"
                if group.state is STABLE and group.is_leader(member)
                else "member changed",
                words,
            )
            self._phase.park_join(group, member, request, caller, now_ms)
            yield from self._phase.rebalance(group, f"{who} {member.id} joined again", why, now_ms)
        elif group.state is PREPARING:
            self._phase.park_join(group, member, request, caller, now_ms)
            yield from self._phase.complete_if_everybody_joined(group, now_ms)
        elif group.state is EMPTY:
            raise Refusal(Errors.UNKNOWN_MEMBER_ID)
        else:  # nothing has changed: answer with the present generation again
            member.deadline_ms = now_ms + member.session_timeout_ms
            return self._phase.answer(group, member, caller)
        return PARKED

    def _return_of_static(
        self,
        group: ClassicGroup,
        request: m.JoinGroupRequest,
        caller: Caller,
        new_id: str,
        now_ms: int,
    ) -> Step[m.JoinGroupResponse | Parked]:
        """Give a restarted static member its old place under a new id (KIP-345). A stable group
        stays stable."""
        assert request.group_instance_id is not None, "the group knows this static member"
        member = group.members[group.static_members[request.group_instance_id]]
        old_id, old_leader = member.id, group.leader
        yield CancelTimer(("session", group.id, old_id))
        self._say(
            "GROUP_STATIC_MEMBER_RETURNS",
            group.id,
            instance=request.group_instance_id,
            option=f"Some({request.group_instance_id})",
            member_id=new_id,
            old_member=old_id,
            state_to=group.state.value,
        )
        yield from _answer_parked(member, Errors.FENCED_INSTANCE_ID, old_id)
        member.parked_sync = None
        group.rename(member, new_id)
        self._phase.park_join(group, member, request, caller, now_ms)
        yield SetTimer(("session", group.id, new_id), member.deadline_ms)
        if group.state is STABLE and group.elect_protocol() == group.protocol:
            self._say("GROUP_STATIC_MEMBER_STAYS", group.id)
            yield from self._write_group(group, now_ms)
            group.take_join(member)
            member.is_new = False
            return self._phase.answer(group, member, caller, old_leader=old_leader)
        if group.state is PREPARING:
            yield from self._phase.complete_if_everybody_joined(group, now_ms)
        else:
            why: Why = (
                "static member changed",
                {
                    "member_id": new_id,
                    "instance": request.group_instance_id,
                    "client_reason": join_reason(request, caller),
                },
            )
            yield from self._phase.rebalance(
                group, f"static member {new_id} came back", why, now_ms
            )
        return PARKED

    # -- SYNC_GROUP

    @answers(m.SyncGroupResponse)
    def _sync(self, request: m.SyncGroupRequest, caller: Caller, now_ms: int) -> Step[Parked]:
        group = self._group_of(request)
        member = group.members[request.member_id]
        self._check_sync(group, member, request)
        group.to_sync.pop(member.id, None)
        member.parked_sync = caller
        has_come = group.state is COMPLETING and group.is_leader(member)
        if has_come:
            self._say(
                "GROUP_ASSIGNMENT_RECEIVED",
                group.id,
                member_id=member.id,
                generation=group.generation,
                count=len(group.members),
                static_count=len(group.static_members),
            )
            given = {one.member_id: one.assignment for one in request.assignments}
            for one in group.members.values():
                one.assignment = given.get(one.id, b"")
            yield from self._phase.transition_to(
                group, STABLE, "the leader's assignment is here", now_ms
            )
            try:
                yield from self._write_group(group, now_ms)
            except Refusal as refusal:
                # no member may read what the next coordinator does not know
                # (resetAndPropagateAssignmentError)
                for one in group.members.values():
                    yield from _answer_parked(one, refusal.error, one.id)
                return PARKED
        if group.state is STABLE:
            for one in group.members.values() if has_come else (member,):
                if one.parked_sync is not None:
                    yield from self._answer_sync(group, one, now_ms)
            if not group.to_sync:
                yield CancelTimer(("sync", group.id))
        return PARKED

    def _check_sync(
        self, group: ClassicGroup, member: ClassicGroupMember, request: m.SyncGroupRequest
    ) -> None:
        """Refuse a SYNC_GROUP that does not fit the group's state."""
        if _names_another_protocol(group, request):
            raise Refusal(Errors.INCONSISTENT_GROUP_PROTOCOL)
        if group.state is EMPTY:
            raise Refusal(Errors.UNKNOWN_MEMBER_ID)
        if group.state is PREPARING:
            raise Refusal(Errors.REBALANCE_IN_PROGRESS)
        if group.state is COMPLETING and group.is_leader(member) and not self._cluster.is_current:
            # the group's record would never be committed: another broker may have the group by now
            raise Refusal(Errors.NOT_COORDINATOR)

    def _answer_sync(
        self, group: ClassicGroup, member: ClassicGroupMember, now_ms: int
    ) -> Step[None]:
        caller, member.parked_sync = member.parked_sync, None
        assert caller is not None, "only a sync that waits is answered"
        named = WireChange.SYNC_NAMES_PROTOCOL.holds_for(caller.header)
        yield from self._phase.renew(group, member, now_ms)
        yield Respond(
            caller,
            m.SyncGroupResponse(
                protocol_type=group.protocol_type if named else None,
                protocol_name=group.protocol if named else None,
                assignment=member.assignment,
            ),
        )

    def _sync_phase_over(self, group: ClassicGroup, now_ms: int) -> Step[None]:
        """Remove the members that joined and did not fetch their assignment in time
        (KAFKA-12890)."""
        silent = [group.members[member_id] for member_id in group.to_sync]
        for member in silent:
            why: Why = ("no sync", {"member_id": member.id})
            yield from self._remove(group, member, f"member {member.id} did not sync", why, now_ms)

    # -- HEARTBEAT and the session

    @answers(m.HeartbeatResponse)
    def _heartbeat(
        self, request: m.HeartbeatRequest, caller: Caller, now_ms: int
    ) -> m.HeartbeatResponse:
        group = self._group_of(request)
        member = group.members[request.member_id]
        member.deadline_ms = now_ms + member.session_timeout_ms
        if group.state is PREPARING:
            raise Refusal(Errors.REBALANCE_IN_PROGRESS)
        if group.state is not STABLE:
            return m.HeartbeatResponse(error_code=self._profile.heartbeat_while_completing.code)
        return _ALIVE

    def _pending_expired(self, group: ClassicGroup, member_id: str, now_ms: int) -> Step[None]:
        """Drop a pending id: no client has joined with it in time."""
        if member_id in group.pending:
            self._say("GROUP_PENDING_MEMBER_EXPIRED", group.id, member_id=member_id)
        yield from self._phase.pending_over(group, member_id, now_ms)

    def _session_over(self, group: ClassicGroup, member_id: str, now_ms: int) -> Step[None]:
        member = group.members.get(member_id)
        if member is None:
            return
        waits_for_us = member.parked_sync is not None or (
            member.parked_join is not None and not member.is_new
        )
        if waits_for_us or now_ms < member.deadline_ms:
            again_ms = now_ms + member.session_timeout_ms if waits_for_us else member.deadline_ms
            yield SetTimer(("session", group.id, member_id), again_ms)
            return
        self._say("GROUP_MEMBER_FAILED", group.id, member_id=member_id)
        why: Why = ("member failed", {"member_id": member_id})
        yield from self._remove(
            group, member, f"session of member {member_id} expired", why, now_ms
        )

    # -- LEAVE_GROUP

    @answers(m.LeaveGroupResponse)
    def _leave(
        self, request: m.LeaveGroupRequest, caller: Caller, now_ms: int
    ) -> Step[m.LeaveGroupResponse]:
        group = self.groups.get(request.group_id)
        if not self._coordinates(request.group_id):
            raise Refusal(Errors.NOT_COORDINATOR)
        if group is not None and group.state is DEAD:
            raise Refusal(Errors.COORDINATOR_NOT_AVAILABLE)
        answers = []
        for leaving in request.leaving:
            error = Errors.NONE
            try:
                yield Afterwards(run(self._leave_one(group, leaving, request, caller, now_ms)))
            except Refusal as refusal:
                error = refusal.error
            answers.append(left(leaving, error))
        return leave_response(answers, caller)

    def _leave_one(
        self,
        group: ClassicGroup | None,
        leaving: m.MemberIdentity,
        request: m.LeaveGroupRequest,
        caller: Caller,
        now_ms: int,
    ) -> Step[None]:
        if group is None:
            raise Refusal(Errors.UNKNOWN_MEMBER_ID)
        member_id = leaving.member_id or group.static_members.get(
            leaving.group_instance_id or "", ""
        )
        reason = leaving.reason if WireChange.LEAVE_GIVES_REASON.holds_for(caller.header) else None
        told = {"member_id": member_id, "reason": reason or NOT_PROVIDED}
        if member_id in group.pending:
            self._say("GROUP_PENDING_MEMBER_LEFT", group.id, **told)
            yield CancelTimer(("pending", group.id, member_id))
            yield from self._phase.pending_over(group, member_id, now_ms)
            return
        check_member(group, member_id, leaving.group_instance_id)
        self._say("GROUP_MEMBER_LEFT", group.id, **told)
        everybody = ", ".join(one.member_id or member_id for one in request.leaving)
        why: Why = ("member left", {"member_id": member_id, "members": everybody})
        yield from self._remove(
            group, group.members[member_id], f"member {member_id} left", why, now_ms
        )

    def _remove(
        self, group: ClassicGroup, member: ClassicGroupMember, reason: str, why: Why, now_ms: int
    ) -> Step[None]:
        """Remove a member; the others share its partitions."""
        group.remove(member)
        yield CancelTimer(("session", group.id, member.id))
        yield from _answer_parked(member, Errors.UNKNOWN_MEMBER_ID, "")
        yield from self._phase.rebalance(group, reason, why, now_ms)

    def _group_of(self, request: m.SyncGroupRequest | m.HeartbeatRequest) -> ClassicGroup:
        """The group of a member that is in its present generation."""
        group = self.groups.get(request.group_id)
        if not self._coordinates(request.group_id):
            raise Refusal(Errors.NOT_COORDINATOR)
        if group is None:
            raise Refusal(Errors.UNKNOWN_MEMBER_ID)
        if group.state is DEAD:
            raise Refusal(Errors.COORDINATOR_NOT_AVAILABLE)
        check_member(group, request.member_id, request.group_instance_id)
        if request.generation_id != group.generation:
            raise Refusal(Errors.ILLEGAL_GENERATION)
        return group


def _names_another_protocol(group: ClassicGroup, request: m.SyncGroupRequest) -> bool:
    """Whether a SyncGroup v5 names another protocol type or assignor than the group's (KIP-559);
    None names none."""
    return request.protocol_type not in (
        None,
        group.protocol_type,
    ) or request.protocol_name not in (None, group.protocol)


def _answer_parked(member: ClassicGroupMember, error: Errors, member_id: str) -> Step[None]:
    """Answer the requests of a member that wait in the group with an error. member_id: the id in
    the answer to a JOIN_GROUP."""
    if member.parked_join is not None:
        yield Respond(
            member.parked_join, join_without_generation(member.parked_join, error, member_id)
        )
    if member.parked_sync is not None:
        yield Respond(member.parked_sync, m.SyncGroupResponse(error_code=error.code))


def _with_news(effects: list[Effect], group: ClassicGroup | None) -> list[Effect]:
    """Put the notes about members before the effects that follow from them."""
    if group is None or not group.news:
        return effects
    news, group.news = group.news, []
    return [*news, *effects]


def left(leaving: m.MemberIdentity, error: Errors) -> m.MemberResponse:
    """What one member is told that wants to leave."""
    return m.MemberResponse(
        member_id=leaving.member_id,
        group_instance_id=leaving.group_instance_id,
        error_code=error.code,
    )


def leave_response(told: Sequence[m.MemberResponse], caller: Caller) -> m.LeaveGroupResponse:
    """The answer to LEAVE_GROUP. An older form of it has one member, and that one's error alone."""
    answer: m.LeaveGroupResponse = as_sent(
        m.LeaveGroupResponse(members=tuple(told)), caller.header.api_version
    )
    return answer
