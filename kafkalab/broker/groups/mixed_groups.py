"""MixedGroups: serves KIP-848 groups whose members may speak the classic protocol, too.

A running group moves from one protocol to the other by restarts, one member after another. Its
first member of the new protocol makes a classic group a KIP-848 group. When the last one leaves,
the group is a classic one again. In between classic members keep their requests, and the
coordinator assigns for all: the answer to SYNC_GROUP is the member's part of the target.
`group.consumer.migration.policy` allows each direction. Kafka's methods are
GroupMetadataManager.classicGroupJoinToConsumerGroup and its neighbours.

Simplified: a disconnected coordinator refuses classic members at once, where Kafka waits up to five
seconds for its replicas.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Callable
from typing import Any

from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, SetTimer
from kafkalab.broker.groups.classic.group import ClassicGroup, ClassicGroupMember
from kafkalab.broker.groups.classic.join_phase import (
    join_without_generation,
    rebalance_timeout_of,
    refused_join,
)
from kafkalab.broker.groups.classic.membership import ClassicGroups, leave_response, left
from kafkalab.broker.groups.group_storage import loaded_note
from kafkalab.broker.groups.modern.consumer_group import (
    ConsumerGroup,
    ConsumerGroupMember,
    Owned,
)
from kafkalab.broker.groups.modern.consumer_group_state import ConsumerGroupMemberState
from kafkalab.broker.groups.modern.modern_groups import ModernGroups
from kafkalab.broker.steps import Refusal, Step, answers, unheard
from kafkalab.broker.wire_changes import WireChange
from kafkalab.errors import Errors
from kafkalab.lines.rebalance_reasons import NOT_PROVIDED
from kafkalab.protocol import messages as m
from kafkalab.protocol.consumer_protocol import (
    Subscription,
    assignment_bytes,
    parse_assignment,
    parse_subscription,
    style_of,
)
from kafkalab.records import by_topic

PROTOCOL_TYPE = "consumer"
UPGRADES, DOWNGRADES = ("upgrade", "bidirectional"), ("downgrade", "bidirectional")
"""The values of group.consumer.migration.policy that allow each direction."""


class MixedGroups(ModernGroups):
    """The KIP-848 groups of one broker, with their classic members.

    classic_groups  the machine of the classic protocol, which groups come from and go back to
    write_group     write_group(group, now_ms, gone) writes the record of a classic group
    """

    def __init__(
        self,
        *parts: Any,
        classic_groups: ClassicGroups,
        draw_member_uuid: Callable[[Caller], str],
        write_group: Callable[..., Step[None]],
    ) -> None:
        super().__init__(*parts)
        self._classic_groups, self._write_group = classic_groups, write_group
        self._draw_member_uuid = draw_member_uuid
        self._policy = self._config.group_consumer_migration_policy.lower()
        self._actions: dict[type, Callable[[Any, Caller, int], list[Effect]]] = {
            m.JoinGroupRequest: self._join,
            m.SyncGroupRequest: self._sync,
            m.HeartbeatRequest: self._heartbeat,
            m.LeaveGroupRequest: self._classic_leave,
        }

    def serves(self, request: Any) -> bool:
        """Whether a request of the classic protocol is for a KIP-848 group with members."""
        group = self.groups.get(request.group_id) if type(request) in self._actions else None
        return group is not None and not group.is_vacant

    def handle_classic(self, request: Any, caller: Caller, now_ms: int) -> list[Effect]:
        """Serve a request of the classic protocol to a KIP-848 group."""
        return self._actions[type(request)](request, caller, now_ms)

    # -- from one protocol to the other

    def _upgraded(self, group_id: str, now_ms: int) -> Step[ConsumerGroup]:
        """Make a classic group with members a KIP-848 group; its generation is the first epoch.

        Its last plan is what the members own and should own. Requests that wait are answered with
        REBALANCE_IN_PROGRESS, so that their members join again (convertToConsumerGroup)."""
        classic = self._classic_groups.groups[group_id]
        self._check_current(group_id)
        why = (
            "online upgrade is disabled."
            if self._policy not in UPGRADES
            else "the group does not use the consumer embedded protocol."
            if classic.protocol_type not in (None, PROTOCOL_TYPE)
            else None
        )
        if why is not None:
            raise Refusal(
                Errors.GROUP_ID_NOT_FOUND,
                f"Cannot upgrade classic group {group_id} to consumer group because {why}",
            )
        group = ConsumerGroup(group_id)
        group.offsets, group.pending_offsets = classic.offsets, classic.pending_offsets
        group.epoch = group.highest_epoch = group.target_epoch = classic.generation
        for one in classic.members.values():
            group.add(self._with_its_last_plan(group, one))
        group.topic_sizes = self._sizes(group)
        yield from self._classic_groups.release(classic)
        yield from unheard(self._write_group(classic, now_ms, gone=True))
        self.groups[group_id] = group
        self._say("CONSUMER_GROUP_UPGRADED", group_id)
        for member in group.members.values():
            yield from self._renew(group, member, now_ms)
        return group

    def _with_its_last_plan(
        self, group: ConsumerGroup, one: ClassicGroupMember
    ) -> ConsumerGroupMember:
        """A classic member as a member of the new group. A partition that a bad plan gave twice
        stays with the first."""
        said = _subscription(one.protocols, Errors.GROUP_ID_NOT_FOUND)
        owned = frozenset(
            place
            for place in _places(parse_assignment(one.assignment))
            if self._cluster.partition(*place) is not None and group.holder_of(place) is None
        )
        group.target[one.id] = owned
        return ConsumerGroupMember(
            one.id,
            one.instance_id,
            said.rack_id,
            one.client_id,
            one.rebalance_timeout_ms,
            said.topics,
            epoch=group.epoch,
            previous_epoch=group.epoch,
            assigned=dict.fromkeys(sorted(owned), group.epoch),
            session_timeout_ms=one.session_timeout_ms,
            protocols=one.protocols,
        )

    def _remove(
        self, group: ConsumerGroup, member: ConsumerGroupMember, reason: str, now_ms: int
    ) -> Step[None]:
        """Remove a member. The last one of the new protocol leaves a classic group behind."""
        if member.uses_classic or not self._may_downgrade(group, without=member):
            yield from super()._remove(group, member, reason, now_ms)
            return
        yield from self._drop(group, member, reason)
        classic = yield from self._downgraded(group, now_ms)
        yield from self._classic_groups.rebalance_downgraded(classic, now_ms)
        self._say("CONSUMER_GROUP_DOWNGRADED", group.id)

    def _may_downgrade(
        self, group: ConsumerGroup, without: ConsumerGroupMember | None = None
    ) -> bool:
        """Whether all members are classic ones, and the group may follow them."""
        left = [member for member in group.members.values() if member is not without]
        return (
            bool(left)
            and all(member.uses_classic for member in left)
            and self._policy in DOWNGRADES
            and len(left) <= self._config.group_max_size
        )

    def _downgraded(self, group: ConsumerGroup, now_ms: int) -> Step[ClassicGroup]:
        """Make a group whose members are all classic a classic group; its epoch is the first
        generation (convertToClassicGroup)."""
        classic = ClassicGroup(group.id)
        classic.offsets, classic.pending_offsets = group.offsets, group.pending_offsets
        classic.generation = group.epoch
        for member in group.members.values():
            one = ClassicGroupMember(
                member.id,
                member.instance_id,
                self._session_ms(member),
                member.rebalance_timeout_ms,
                PROTOCOL_TYPE,
                member.protocols,
                member.client_id,
            )
            one.is_new = False
            one.assignment = _assignment_bytes(member, group.target.get(member.id, frozenset()))
            classic.add(one)
        classic.protocol = classic.elect_protocol()
        yield from self.retire(group.id)
        yield from self._classic_groups.adopt(classic, now_ms)
        yield Note.of("group.loaded", type="classic", **loaded_note(classic).fields)
        yield from unheard(self._write_group(classic, now_ms))
        return classic

    # -- the requests of classic members

    @answers(m.JoinGroupResponse, refused_join)
    def _join(
        self, request: m.JoinGroupRequest, caller: Caller, now_ms: int
    ) -> Step[m.JoinGroupResponse]:
        self._check_current(request.group_id)
        self._classic_groups.check_session(request)
        group = self.groups[request.group_id]
        fits = request.protocol_type == PROTOCOL_TYPE and group.supports(request.protocols)
        if self._policy == "disabled" or not fits:
            raise Refusal(Errors.INCONSISTENT_GROUP_PROTOCOL)
        said = _subscription(request.protocols, Errors.UNKNOWN_SERVER_ERROR)
        instance, member_id = request.group_instance_id, request.member_id
        if not member_id:
            member_id = _short(self._draw_member_uuid(caller))
            if instance is None and WireChange.MEMBER_ID_REQUIRED.holds_for(caller.header):
                self._say("CONSUMER_GROUP_MEMBER_ID_GIVEN", group.id, member_id=member_id)
                return join_without_generation(caller, Errors.MEMBER_ID_REQUIRED, member_id)
        member, is_new = yield from self._classic_member(group, member_id, instance, caller)
        member.session_timeout_ms = request.session_timeout_ms
        member.protocols, member.client_id = request.protocols, caller.header.client_id
        changed = member.subscribe(
            said.topics, None, None, said.rack_id, rebalance_timeout_of(request)
        )
        owned = frozenset(_places(said.owned or {}))
        yield from self._towards_target(group, member, owned, is_new or changed, now_ms)
        member.joins_by_ms = None
        yield CancelTimer(("member joins", group.id, member.id))
        yield SetTimer(("member syncs", group.id, member.id), now_ms + member.rebalance_timeout_ms)
        if member.instance_id is not None and not is_new and self._may_downgrade(group):
            yield from self._downgraded(group, now_ms)
        nullable = WireChange.PROTOCOL_IS_NULLABLE.holds_for(caller.header)
        return m.JoinGroupResponse(
            generation_id=member.epoch,
            protocol_type=PROTOCOL_TYPE if nullable else None,
            protocol_name=member.protocols[0].name,
            member_id=member.id,
        )

    def _classic_member(
        self, group: ConsumerGroup, member_id: str, instance_id: str | None, caller: Caller
    ) -> Step[tuple[ConsumerGroupMember, bool]]:
        """The member that joins, and whether it is new; a static one that comes back gets its
        place."""
        sitting = group.members.get(group.static_members.get(instance_id or "", ""))
        if sitting is not None and sitting.id != member_id:
            back = yield from self._replace(group, sitting, member_id, "classic")
            return back, False
        member = group.members.get(member_id)
        is_new = member is None
        if member is None:
            member = ConsumerGroupMember(member_id, instance_id, None, caller.header.client_id)
            group.add(member)
        yield from self._say_who_joins(group, member, "classic")
        return member, is_new

    @answers(m.SyncGroupResponse)
    def _sync(
        self, request: m.SyncGroupRequest, caller: Caller, now_ms: int
    ) -> Step[m.SyncGroupResponse]:
        group, member = self._classic_member_of(request)
        if request.protocol_type not in (None, PROTOCOL_TYPE) or request.protocol_name not in (
            None,
            *(offered.name for offered in member.protocols),
        ):
            raise Refusal(Errors.INCONSISTENT_GROUP_PROTOCOL)
        unrevoked = member.state is ConsumerGroupMemberState.UNREVOKED_PARTITIONS
        if group.epoch > member.epoch and not unrevoked:
            yield from self._expect_join(group, member, now_ms)
            raise Refusal(Errors.REBALANCE_IN_PROGRESS)
        yield CancelTimer(("member syncs", group.id, member.id))
        yield from self._renew(group, member, now_ms)
        named = WireChange.SYNC_NAMES_PROTOCOL.holds_for(caller.header)
        return m.SyncGroupResponse(
            protocol_type=request.protocol_type if named else None,
            protocol_name=request.protocol_name if named else None,
            assignment=_assignment_bytes(member, frozenset(member.assigned)),
        )

    @answers(m.HeartbeatResponse)
    def _heartbeat(
        self, request: m.HeartbeatRequest, caller: Caller, now_ms: int
    ) -> Step[m.HeartbeatResponse]:
        group, member = self._classic_member_of(request)
        yield from self._renew(group, member, now_ms)
        free = member.state is ConsumerGroupMemberState.UNRELEASED_PARTITIONS and not any(
            group.holder_of(place) not in (None, member.id)
            for place in group.target.get(member.id, ())
        )
        unrevoked = member.state is ConsumerGroupMemberState.UNREVOKED_PARTITIONS
        if member.epoch < group.epoch or unrevoked or free:
            yield from self._expect_join(group, member, now_ms)
            raise Refusal(Errors.REBALANCE_IN_PROGRESS)
        return m.HeartbeatResponse()

    @answers(m.LeaveGroupResponse)
    def _classic_leave(
        self, request: m.LeaveGroupRequest, caller: Caller, now_ms: int
    ) -> Step[m.LeaveGroupResponse]:
        self._check_current(request.group_id)
        group = self.groups[request.group_id]
        answered = []
        for leaving in request.leaving:
            member_id = leaving.member_id or group.static_members.get(
                leaving.group_instance_id or "", ""
            )
            member, error = group.members.get(member_id), Errors.NONE
            if member is None or not member.uses_classic:
                error = Errors.UNKNOWN_MEMBER_ID
            else:
                self._say(
                    "CONSUMER_GROUP_CLASSIC_LEFT",
                    group.id,
                    member_id=member.id,
                    reason=leaving.reason or NOT_PROVIDED,
                )
                yield from self._remove(group, member, f"member {member.id} left", now_ms)
            answered.append(left(leaving, error))
        return leave_response(answered, caller)

    def _classic_member_of(
        self, request: m.SyncGroupRequest | m.HeartbeatRequest
    ) -> tuple[ConsumerGroup, ConsumerGroupMember]:
        """The group and the classic member of a request that names the member's epoch."""
        self._check_current(request.group_id)
        group = self.groups[request.group_id]
        instance = request.group_instance_id
        if (
            instance is not None
            and group.static_members.get(instance, request.member_id) != request.member_id
        ):
            raise Refusal(Errors.FENCED_INSTANCE_ID)
        member = group.members.get(request.member_id)
        if member is None or not member.uses_classic:
            raise Refusal(Errors.UNKNOWN_MEMBER_ID)
        if request.generation_id != member.epoch:
            raise Refusal(Errors.ILLEGAL_GENERATION)
        return group, member

    def _expect_join(
        self, group: ConsumerGroup, member: ConsumerGroupMember, now_ms: int
    ) -> Step[None]:
        """Set the timer within which a member has to join again, unless it runs already."""
        if member.joins_by_ms is None:
            member.joins_by_ms = now_ms + member.rebalance_timeout_ms
            yield SetTimer(("member joins", group.id, member.id), member.joins_by_ms)

    def _check_current(self, group_id: str) -> None:
        if self._cluster.coordinator_of(group_id) != self._node_id:
            raise Refusal(Errors.NOT_COORDINATOR)
        if not self._cluster.is_current:
            raise Refusal.with_message(Errors.COORDINATOR_NOT_AVAILABLE)


def _short(member_uuid: str) -> str:
    """A random id as Kafka's Uuid prints it, in 22 characters."""
    digits = bytes.fromhex(member_uuid.replace("-", ""))
    return base64.urlsafe_b64encode(digits)[:22].decode()


def _subscription(
    protocols: tuple[m.JoinGroupRequestProtocol, ...], refused: Errors
) -> Subscription:
    """What a member wants to read. Bytes that are no subscription are refused with that error."""
    try:
        return parse_subscription(protocols[0].metadata)
    except (struct.error, UnicodeDecodeError):
        raise Refusal(refused, "The embedded consumer protocol is malformed.") from None


def _places(numbers: Any) -> list[tuple[str, int]]:
    return [(topic, number) for topic, found in numbers.items() for number in found]


def _assignment_bytes(member: ConsumerGroupMember, owned: Owned) -> bytes:
    """Partitions in the version of ConsumerProtocol that the member writes."""
    return assignment_bytes(style_of(member.protocols[0].metadata), by_topic(sorted(owned)))
