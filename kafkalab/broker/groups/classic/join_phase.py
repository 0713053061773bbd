"""JoinPhase: waits until a classic group's members have joined, and begins the next generation.

The phase ends when every known member has joined, or when the longest rebalance timeout has passed.
A group that was empty waits for an additional delay (KIP-134). `membership` serves the members'
requests. Kafka's classes are DelayedJoin and InitialDelayedJoin, with GroupCoordinator (2.3) and
GroupMetadataManager (4.x).
"""

from __future__ import annotations

from collections.abc import Callable

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.effects import Caller, CancelTimer, Note, Respond, SetTimer
from kafkalab.broker.groups.classic.group import (
    NEW_MEMBER_TIMEOUT_MS,
    NO_GENERATION,
    ClassicGroup,
    ClassicGroupMember,
)
from kafkalab.broker.groups.classic.group_state import MOVES, ClassicGroupState
from kafkalab.broker.groups.group_lines import GroupLines
from kafkalab.broker.steps import PARKED, Parked, Refusal, Step, unheard
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.protocol.messages import JoinGroupRequest, JoinGroupResponse, SyncGroupResponse
from kafkalab.releases import BrokerProfile
from kafkalab.releases.broker_profile import FIRST_GENERATION

EMPTY, PREPARING, COMPLETING, STABLE, DEAD = ClassicGroupState

Why = tuple[str, dict[str, str | None]]
"""Why a rebalance begins, for the server.log: a key of REASONS and the values of its words."""

WriteGroup = Callable[[ClassicGroup, int], Step[None]]
"""A function that writes a group's record to the offsets topic; its arguments are the group and the
time."""

_SYNC_AGAIN = SyncGroupResponse(error_code=Errors.REBALANCE_IN_PROGRESS.code)


class JoinPhase:
    """The rebalances of one broker's classic groups, from the first JOIN_GROUP to the answers."""

    def __init__(
        self,
        profile: BrokerProfile,
        config: BrokerConfig,
        write_group: WriteGroup,
        say: GroupLines,
    ) -> None:
        self._profile, self._config, self._write_group = profile, config, write_group
        self._say = say

    # -- who joins

    def admit(
        self,
        group: ClassicGroup,
        request: JoinGroupRequest,
        caller: Caller,
        member_id: str,
        now_ms: int,
    ) -> Step[Parked]:
        """Add a new member and begin a rebalance."""
        member = ClassicGroupMember(
            member_id,
            request.group_instance_id,
            request.session_timeout_ms,
            rebalance_timeout_of(request),
            request.protocol_type,
            request.protocols,
            caller.header.client_id,
        )
        group.park_join(member, caller)
        member.deadline_ms = now_ms + NEW_MEMBER_TIMEOUT_MS
        group.add(member)
        if group.came_from_empty and (
            self._profile.initial_delay_extends != FIRST_GENERATION or group.generation == 0
        ):
            group.somebody_joined_meanwhile = True
        yield SetTimer(("session", group.id, member_id), member.deadline_ms)
        why: Why = (
            "new member",
            {
                "member_id": member_id,
                "instance": request.group_instance_id,
                "client_reason": join_reason(request, caller),
            },
        )
        yield from self.rebalance(group, f"member {member_id} joined", why, now_ms)
        return PARKED

    def park_join(
        self,
        group: ClassicGroup,
        member: ClassicGroupMember,
        request: JoinGroupRequest,
        caller: Caller,
        now_ms: int,
    ) -> None:
        group.change_protocols(member, request.protocols)
        member.session_timeout_ms = request.session_timeout_ms
        member.rebalance_timeout_ms = rebalance_timeout_of(request)
        member.deadline_ms = now_ms + member.session_timeout_ms
        group.park_join(member, caller)

    def answer(
        self,
        group: ClassicGroup,
        member: ClassicGroupMember,
        caller: Caller,
        *,
        old_leader: str | None = None,
    ) -> JoinGroupResponse:
        """The JOIN_GROUP answer with the present generation. Only the leader gets the list of
        members.

        old_leader: the leader before; given for a static member that came back into a stable group.
        That member must not compute an assignment. A version with skip_assignment says so; in older
        ones the answer names the member's former id as leader.
        """
        returned = old_leader is not None
        can_skip = WireChange.SKIP_ASSIGNMENT.holds_for(caller.header)
        leads = group.is_leader(member)
        names_members = leads and (not returned or can_skip)
        leader = old_leader if returned and not can_skip else group.leader
        assert leader is not None, "a group whose joins are answered has a leader"
        return JoinGroupResponse(
            generation_id=group.generation,
            protocol_type=group.protocol_type
            if WireChange.PROTOCOL_IS_NULLABLE.holds_for(caller.header)
            else None,
            protocol_name=group.protocol,
            leader=leader,
            skip_assignment=returned and leads and can_skip,
            member_id=member.id,
            members=group.described_members() if names_members else (),
        )

    # -- from the first join to the answers

    def rebalance(self, group: ClassicGroup, reason: str, why: Why, now_ms: int) -> Step[None]:
        """Begin a rebalance, unless one is in progress. why: the reason in the server.log."""
        if group.state is PREPARING:
            yield from self.complete_if_everybody_joined(group, now_ms)
            return
        if group.state is COMPLETING:
            for member in group.members.values():
                member.assignment = b""
                if member.parked_sync is not None:
                    yield Respond(member.parked_sync, _SYNC_AGAIN)
                    member.parked_sync = None
            yield CancelTimer(("sync", group.id))
        group.came_from_empty = group.state is EMPTY
        before = group.state.value
        yield from self.transition_to(group, PREPARING, reason, now_ms)
        self._say.prepares(group.id, group.state.value, group.generation, *why, before)
        longest_ms = group.longest_rebalance_timeout_ms
        if group.came_from_empty:  # KIP-134: the first member waits, so that many can join at once
            delay_ms = min(self._config.group_initial_rebalance_delay_ms, longest_ms)
            group.somebody_joined_meanwhile = False
            group.initial_delay_left_ms = longest_ms - delay_ms
            if delay_ms > 0:
                yield SetTimer(("join", group.id), now_ms + delay_ms)
            else:
                yield from self._complete_join(group, now_ms)
        else:
            yield SetTimer(("join", group.id), now_ms + longest_ms)
            yield from self.complete_if_everybody_joined(group, now_ms)

    def complete_if_everybody_joined(self, group: ClassicGroup, now_ms: int) -> Step[None]:
        # the initial delay always ends by its timer
        if not group.came_from_empty and group.everybody_joined:
            yield from self._complete_join(group, now_ms)

    def is_over(self, group: ClassicGroup, now_ms: int) -> Step[None]:
        """End the join phase: the initial delay or the rebalance timeout has passed.

        An answer may let the next request of its connection end the phase before this timer is
        set; then nothing is left to end."""
        if group.state is not PREPARING:
            return
        if (
            group.came_from_empty
            and group.somebody_joined_meanwhile
            and group.initial_delay_left_ms > 0
        ):
            delay_ms = min(
                self._config.group_initial_rebalance_delay_ms, group.initial_delay_left_ms
            )
            group.initial_delay_left_ms -= delay_ms
            group.somebody_joined_meanwhile = False
            yield SetTimer(("join", group.id), now_ms + delay_ms)
        else:
            yield from self._complete_join(group, now_ms)

    def _complete_join(self, group: ClassicGroup, now_ms: int) -> Step[None]:
        """Begin a new generation with the members that have joined, and answer them all at once."""
        absent = [
            one for one in group.members.values() if one.parked_join is None and not one.is_static
        ]
        if absent:
            names = ", ".join(member.id for member in absent)
            self._say("GROUP_MEMBERS_NOT_REJOINED", group.id, members=names)
        for member in absent:
            group.remove(member)
            yield CancelTimer(("session", group.id, member.id))
        joined = [member for member in group.members.values() if member.parked_join is not None]
        # only static members remain and none has joined: wait for them again
        if group.members and not joined:
            yield SetTimer(("join", group.id), now_ms + group.longest_rebalance_timeout_ms)
            return
        group.came_from_empty = False
        group.generation += 1
        yield CancelTimer(("join", group.id))
        if not joined:
            group.protocol = None
            yield from self.transition_to(group, EMPTY, "the last member is gone", now_ms)
            self._say("GROUP_EMPTY", group.id, generation=group.generation)
            yield from unheard(self._write_group(group, now_ms))
            return
        assert group.leader is not None, "a group with members has a leader"
        if group.members[group.leader].parked_join is None:
            left_out, group.leader = group.members[group.leader], joined[0].id
            self._say(
                "GROUP_LEADER_REPLACED",
                group.id,
                old_member=left_out.id,
                instance=left_out.instance_id or "null",
                member_id=group.leader,
            )
        group.protocol = group.elect_protocol()
        yield from self.transition_to(group, COMPLETING, "all members have joined", now_ms)
        self._say(
            "GROUP_STABILIZED", group.id, generation=group.generation, count=len(group.members)
        )
        group.to_sync.clear()
        for member in joined:
            caller = group.take_join(member)
            member.is_new = False
            group.to_sync[member.id] = None
            yield from self.renew(group, member, now_ms)
            yield Respond(caller, self.answer(group, member, caller))
        if self._profile.drops_members_without_sync:
            yield SetTimer(("sync", group.id), now_ms + group.longest_rebalance_timeout_ms)

    def pending_over(self, group: ClassicGroup, member_id: str, now_ms: int) -> Step[None]:
        """Drop a pending id, which nobody joins with any more."""
        group.pending.pop(member_id, None)
        if group.state is PREPARING:
            yield from self.complete_if_everybody_joined(group, now_ms)

    # -- used by all steps

    def renew(self, group: ClassicGroup, member: ClassicGroupMember, now_ms: int) -> Step[None]:
        """Renew a member's session after a request of it, with a timer that is due at its end.

        A heartbeat moves the deadline only. A timer that is due too early is set again, so a
        heartbeat needs no timer of its own.
        """
        member.deadline_ms = now_ms + member.session_timeout_ms
        yield SetTimer(("session", group.id, member.id), member.deadline_ms)

    def transition_to(
        self, group: ClassicGroup, state: ClassicGroupState, reason: str, now_ms: int
    ) -> Step[None]:
        """Change a group's state; no other place does."""
        before = group.state
        MOVES.step(before, state, "group", group.id)
        group.state, group.in_state_since_ms = state, now_ms
        yield Note.of(
            "state",
            machine="group",
            of=group.id,
            group=group.id,
            before=before.value,
            after=state.value,
            generation=group.generation,
            reason=reason,
            protocol_type=group.protocol_type,
            protocol=group.protocol,
            leader=group.leader,
        )
        if state is STABLE:
            yield Note.of(
                "group.assigned",
                group=group.id,
                generation=group.generation,
                assignments={one.id: one.assignment for one in group.members.values()},
            )


def join_reason(request: JoinGroupRequest, caller: Caller) -> str | None:
    """Why the client joins, in its words; None for one that does not say (KIP-800)."""
    return request.reason if WireChange.JOIN_GIVES_REASON.holds_for(caller.header) else None


def refused_join(request: JoinGroupRequest, caller: Caller, refusal: Refusal) -> JoinGroupResponse:
    """A JOIN_GROUP answer with an error, which repeats the id that the member has sent."""
    return join_without_generation(caller, refusal.error, request.member_id)


def join_without_generation(caller: Caller, error: Errors, member_id: str) -> JoinGroupResponse:
    """A JOIN_GROUP answer without a generation."""
    nullable = WireChange.PROTOCOL_IS_NULLABLE.holds_for(caller.header)
    return JoinGroupResponse(
        error_code=error.code,
        generation_id=NO_GENERATION,
        member_id=member_id,
        protocol_name=None if nullable else "",
    )


def rebalance_timeout_of(request: JoinGroupRequest) -> int:
    """The rebalance timeout of a request; JoinGroup v0 has the session timeout for both."""
    return (
        request.rebalance_timeout_ms
        if request.rebalance_timeout_ms >= 0
        else request.session_timeout_ms
    )
