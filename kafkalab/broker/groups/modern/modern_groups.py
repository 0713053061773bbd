"""ModernGroups: serves CONSUMER_GROUP_HEARTBEAT, which assigns partitions in KIP-848 groups.

It is a pure machine beside `ClassicGroups` of the classic protocol; Kafka's class for both is
GroupMetadataManager. The one request joins, reports, acknowledges and leaves. Each change raises
the group epoch. The next heartbeat computes a target for it, at most once in
group.consumer.assignment.interval.ms (KIP-1263). Each member moves towards the target in its own
heartbeats. `MixedGroups` adds members of the classic protocol. Left out: the check of topics every
10 minutes without a change of members.
"""

from __future__ import annotations

import copy
import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from kafkalab.broker.broker_config import BrokerConfig
from kafkalab.broker.cluster.cluster_state import ClusterState
from kafkalab.broker.effects import Caller, CancelTimer, Effect, Note, Respond, SetTimer
from kafkalab.broker.groups.any_group import GroupsById
from kafkalab.broker.groups.group_lines import GroupLines
from kafkalab.broker.groups.modern.assignors import SERVER_ASSIGNORS
from kafkalab.broker.groups.modern.consumer_group import (
    ConsumerGroup,
    ConsumerGroupMember,
    Owned,
    consumer_member_fields,
    owned_of,
)
from kafkalab.broker.groups.modern.consumer_group_state import (
    MOVES,
    ConsumerGroupMemberState,
    ConsumerGroupState,
)
from kafkalab.broker.steps import Refusal, Step, answers, run, worded
from kafkalab.errors import Errors
from kafkalab.protocol.consumer_group_messages import (
    JOINING_EPOCH,
    LEAVING_EPOCH,
    LEAVING_STATIC_EPOCH,
)
from kafkalab.protocol.messages import (
    ConsumerGroupHeartbeatRequest,
    ConsumerGroupHeartbeatResponse,
    HeartbeatAssignment,
    HeartbeatTopicPartitions,
    OffsetCommitRequest,
    TxnOffsetCommitRequest,
)
from kafkalab.records import by_topic

MEMBER_ALARMS = ("member session", "member revokes", "member joins", "member syncs")
"""The kinds of timers that a coordinator sets for a member."""

HOLDS_FOR_MS = 5_000
"""offsets.commit.timeout.ms: how long a change waits for its replicas."""

LOOKS_AGAIN_MS = 50
"""How often a disconnected coordinator checks the heartbeats that it holds back."""


class HeldHeartbeat(NamedTuple):
    """A heartbeat whose change cannot be replicated yet;
    refused with COORDINATOR_NOT_AVAILABLE at until_ms."""

    request: ConsumerGroupHeartbeatRequest
    caller: Caller
    until_ms: int


refused = worded(ConsumerGroupHeartbeatResponse)


class ModernGroups:
    """All KIP-848 groups of one broker (GroupMetadataManager).

    groups  the broker's KIP-848 groups, by id
    classic  the groups of the other protocol; an id belongs to one of them

    A change is valid and answered when its records are replicated. The records have no bytes here.
    A coordinator that is disconnected could not replicate them, so it changes nothing: it holds the
    heartbeat back until it is connected again.
    """

    def __init__(
        self,
        node_id: int,
        cluster: ClusterState,
        config: BrokerConfig,
        groups: dict[str, ConsumerGroup],
        classic: GroupsById,
        say: GroupLines,
    ) -> None:
        self._say = say
        self.groups = groups
        self._node_id = node_id
        self._cluster = cluster
        self._config = config
        self._classic = classic
        self._lent: dict[str, None] = {}
        self._held: dict[tuple[str, str], HeldHeartbeat] = {}

    def handle(
        self, request: ConsumerGroupHeartbeatRequest, caller: Caller, now_ms: int
    ) -> list[Effect]:
        if self._cluster.is_current:
            return self._serve(request, caller, now_ms)
        before = copy.deepcopy(self.groups.get(request.group_id))
        classic = self._classic.get(request.group_id)
        said = len(self._say.log)
        effects = self._serve(request, caller, now_ms)
        after = self.groups.get(request.group_id)
        if after is None or (before is not None and before.records() == after.records()):
            return effects
        self._say.log.take_back(said)
        if before is None:
            del self.groups[request.group_id]
            if classic is not None:
                self._classic[request.group_id] = classic
        else:
            self.groups[request.group_id] = before
        key = request.group_id, request.member_id
        until_ms = now_ms + HOLDS_FOR_MS
        self._held[key] = HeldHeartbeat(request, caller, until_ms)
        return [SetTimer(("held heartbeat", *key), now_ms + LOOKS_AGAIN_MS)]

    def on_timer(self, key: tuple[str, ...], now_ms: int) -> list[Effect]:
        """Handle a timer: one of MEMBER_ALARMS or "held heartbeat", with group and member."""
        if key[0] == "held heartbeat":
            return run(self._look_at_held(key, now_ms))
        if not self._cluster.is_current:
            return [SetTimer(key, now_ms + LOOKS_AGAIN_MS)]
        return run(self._fence_late(key, now_ms))

    def _fence_late(self, key: tuple[str, ...], now_ms: int) -> Step[None]:
        """Remove a member that was silent, or that did not give up partitions in time."""
        what, group_id, member_id = key
        group = self.groups.get(group_id)
        member = group.members.get(member_id) if group is not None else None
        if group is None or member is None:
            return
        if what == "member session":
            if now_ms < member.deadline_ms:
                yield SetTimer(key, member.deadline_ms)
                return
            reason = "the member session expired"
        elif (
            what == "member revokes"
            and member.state is ConsumerGroupMemberState.UNREVOKED_PARTITIONS
        ):
            reason = "the member failed to transition within the rebalance timeout"
        elif what == "member joins":
            reason = "the classic member failed to join within the rebalance timeout."
        elif what == "member syncs":
            reason = "the member failed to sync within timeout."
        else:
            return
        self._say("CONSUMER_GROUP_FENCED", group_id, member_id=member_id, reason=reason)
        yield Note.of("consumer_group.fenced", group=group_id, member=member_id, reason=reason)
        yield from self._remove(group, member, reason, now_ms)

    def _look_at_held(self, key: tuple[str, ...], now_ms: int) -> Step[None]:
        """Serve a held heartbeat when the coordinator is connected again; refuse it when it has
        waited too long."""
        _, group_id, member_id = key
        held = self._held.pop((group_id, member_id), None)
        if held is None:
            return
        if self._cluster.is_current:
            yield from self._serve(held.request, held.caller, now_ms)
        elif now_ms >= held.until_ms:
            late = Refusal.with_message(Errors.COORDINATOR_NOT_AVAILABLE)
            yield Respond(held.caller, refused(held.request, held.caller, late))
        else:
            self._held[group_id, member_id] = held
            yield SetTimer(key, now_ms + LOOKS_AGAIN_MS)

    def hand_over(self, group_id: str, process_runs: bool) -> ConsumerGroup:
        """Give a group to its new coordinator. A coordinator whose process runs keeps its old state
        while disconnected."""
        if not process_runs or self._cluster.is_current:
            self._lent.pop(group_id, None)
            return self.groups.pop(group_id)
        self._lent[group_id] = None
        return copy.deepcopy(self.groups[group_id])

    def drop_lent(self, ids: Iterable[str] | None = None) -> None:
        """Forget groups that another broker has taken over. ids: the groups; None means all."""
        for group_id in [id for id in self._lent if ids is None or id in ids]:
            del self._lent[group_id]
            self.groups.pop(group_id, None)

    def forget_held(self) -> None:
        """Drop the held heartbeats: the process has died."""
        self._held.clear()

    def load(self, now_ms: int, ids: Iterable[str] | None = None) -> Step[None]:
        """Begin again after a crash, or as another coordinator: every record of this protocol is
        written at once, so only the sessions are new. ids: the groups; None means all."""
        for group in [self.groups[id] for id in (self.groups if ids is None else ids)]:
            for member in group.members.values():
                yield from self._watch(group, member, now_ms)

    def check_commit(
        self, request: OffsetCommitRequest | TxnOffsetCommitRequest, knows_epochs: bool = True
    ) -> None:
        """Refuse a commit to a group of this protocol that may not be kept. The epoch is the
        member's, or an older one in which it already had these partitions (KIP-1251).

        knows_epochs: the request's version has member epochs (ConsumerGroup.validateOffsetCommit)
        """
        group, epoch = self.groups[request.group_id], request.generation_id_or_member_epoch
        if epoch < 0 and not group.members:
            return
        member = group.members.get(request.member_id)
        if member is None:
            raise Refusal(Errors.UNKNOWN_MEMBER_ID)
        if not knows_epochs and not member.uses_classic:
            raise Refusal(Errors.UNSUPPORTED_VERSION)
        given = [
            member.assigned.get(
                (topic.name or self._cluster.name_of(topic.topic_id) or "", part.partition_index),
                member.epoch,
            )
            for topic in request.topics
            for part in topic.partitions
        ]
        if not max(given, default=0) <= epoch <= member.epoch:
            stale = Errors.ILLEGAL_GENERATION if member.uses_classic else Errors.STALE_MEMBER_EPOCH
            raise Refusal(stale)

    def check_transactional_commit(self, request: TxnOffsetCommitRequest) -> None:
        """Refuse offsets that a transaction may not commit to the group. A request without member
        and epoch is not checked. The error is ILLEGAL_GENERATION, which a producer of any version
        understands."""
        if (
            request.generation_id_or_member_epoch < 0
            and not request.member_id
            and request.group_instance_id is None
        ):
            return
        try:
            self.check_commit(request)
        except Refusal as refusal:
            if refusal.error is Errors.STALE_MEMBER_EPOCH:
                raise Refusal(Errors.ILLEGAL_GENERATION) from None
            raise

    def check_fetch(self, group_id: str, member_id: str | None, epoch: int) -> None:
        """Refuse a member that may not fetch committed offsets; a request without a member id
        always may."""
        if member_id is None or epoch < 0:
            return
        member = self.groups[group_id].members.get(member_id)
        if member is None:
            raise Refusal(Errors.UNKNOWN_MEMBER_ID)
        if epoch != member.epoch:
            raise Refusal(Errors.STALE_MEMBER_EPOCH)

    # -- the heartbeat

    @answers(ConsumerGroupHeartbeatResponse, refused)
    def _serve(
        self, request: ConsumerGroupHeartbeatRequest, caller: Caller, now_ms: int
    ) -> Step[ConsumerGroupHeartbeatResponse]:
        if self._cluster.coordinator_of(request.group_id) != self._node_id:
            raise Refusal.with_message(Errors.NOT_COORDINATOR)
        _check(request)
        joins = request.member_epoch == JOINING_EPOCH
        group = yield from self._group(request.group_id, joins, now_ms)
        if request.member_epoch in (LEAVING_EPOCH, LEAVING_STATIC_EPOCH):
            return (yield from self._leave(group, request, now_ms))
        names = {topic.topic_id: topic.name for topic in self._cluster.topics.values()}
        owned = owned_of(request.topic_partitions, names)
        member, is_new = yield from self._member(group, request, owned, caller)
        before = dict(member.assigned)
        changed = member.subscribe(
            request.subscribed_topic_names,
            request.subscribed_topic_regex,
            request.server_assignor,
            request.rack_id,
            request.rebalance_timeout_ms,
        )
        yield from self._towards_target(group, member, owned, is_new or changed, now_ms)
        full = joins or (
            request.rebalance_timeout_ms != -1
            and request.subscribed_topic_names is not None
            and request.topic_partitions is not None
        )
        shown = full or before.keys() != member.assigned.keys()
        return ConsumerGroupHeartbeatResponse(
            member_id=member.id,
            member_epoch=member.epoch,
            heartbeat_interval_ms=self._config.group_consumer_heartbeat_interval_ms,
            assignment=self._assignment(member) if shown else None,
        )

    def _towards_target(
        self,
        group: ConsumerGroup,
        member: ConsumerGroupMember,
        owned: Owned | None,
        changed: bool,
        now_ms: int,
    ) -> Step[None]:
        """Raise the group epoch after a change, compute the target, and move the member towards
        it."""
        if changed or group.topic_sizes != self._sizes(group):
            self._raise_epoch(group)
        if group.epoch > group.target_epoch and self._may_compute(group, now_ms):
            yield from self._compute(group, now_ms)
        group.reconcile(member, owned)
        group.check()
        yield from self._watch(group, member, now_ms)
        yield from self._note_state(group)
        yield from self._note_members(group)

    def _upgraded(self, group_id: str, now_ms: int) -> Step[ConsumerGroup]:
        """A classic group with members as a group of this protocol, where that is allowed."""
        yield from ()
        raise Refusal(Errors.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a consumer group.")

    def _group(self, group_id: str, create: bool, now_ms: int) -> Step[ConsumerGroup]:
        classic = self._classic.get(group_id)
        if classic is not None:
            if not classic.is_vacant:
                if create:
                    return (yield from self._upgraded(group_id, now_ms))
                raise Refusal(
                    Errors.GROUP_ID_NOT_FOUND, f"Group {group_id} is not a consumer group."
                )
            if create:
                group = self.groups[group_id] = ConsumerGroup(group_id)
                group.offsets = classic.offsets
                self._classic.pop(group_id)
        if group_id not in self.groups:
            if not create:
                raise Refusal(Errors.GROUP_ID_NOT_FOUND, f"Consumer group {group_id} not found.")
            self.groups[group_id] = ConsumerGroup(group_id)
        return self.groups[group_id]

    def _member(
        self,
        group: ConsumerGroup,
        request: ConsumerGroupHeartbeatRequest,
        owned: Owned | None,
        caller: Caller,
    ) -> Step[tuple[ConsumerGroupMember, bool]]:
        """The member that sent the heartbeat, and whether it is new; its epoch must fit
        (getOrMaybeSubscribe...ConsumerGroupMember)."""
        joins = request.member_epoch == JOINING_EPOCH
        member = group.members.get(request.member_id)
        sitting = group.members.get(group.static_members.get(request.instance_id or "", ""))
        if sitting is not None and sitting is not member:
            if not joins:
                raise Refusal(
                    Errors.FENCED_INSTANCE_ID,
                    f"Static member {request.member_id} with instance id {request.instance_id} was "
                    f"fenced by member {sitting.id}.",
                )
            if sitting.epoch != LEAVING_STATIC_EPOCH and not sitting.uses_classic:
                raise Refusal(
                    Errors.UNRELEASED_INSTANCE_ID,
                    f"Static member {request.member_id} with instance id {request.instance_id} "
                    f"cannot join the group because the instance id is owned by {sitting.id} "
                    "member.",
                )
            back = yield from self._replace(group, sitting, request.member_id, "consumer")
            back.protocols, back.session_timeout_ms = (), None
            return back, False
        if member is None:
            if not joins:
                raise Refusal(
                    Errors.UNKNOWN_MEMBER_ID,
                    f"Member {request.member_id} is not a member of group {group.id}.",
                )
            member = ConsumerGroupMember(
                request.member_id, request.instance_id, request.rack_id, caller.header.client_id
            )
            group.add(member)
            yield from self._say_who_joins(group, member, "consumer")
            return member, True
        if not joins:
            _check_epoch(member, request.member_epoch, owned)
        return member, False

    def _say_who_joins(
        self, group: ConsumerGroup, member: ConsumerGroupMember, protocol: str
    ) -> Step[None]:
        """Say that a member joins. protocol: "consumer" or "classic"."""
        is_static = member.instance_id is not None
        self._say(
            "CONSUMER_GROUP_STATIC_JOINS" if is_static else "CONSUMER_GROUP_MEMBER_JOINS",
            group.id,
            member_id=member.id,
            instance=member.instance_id,
            protocol=protocol,
        )
        yield Note.of("consumer_group.joined", group=group.id, member=member.id)

    def _replace(
        self, group: ConsumerGroup, away: ConsumerGroupMember, member_id: str, protocol: str
    ) -> Step[ConsumerGroupMember]:
        """Give a returned static member a new id; it keeps its epoch and partitions.

        protocol: the one that it speaks now, "consumer" or "classic".
        """
        target = group.target.get(away.id, frozenset())
        group.remove(away)
        yield Note.of("group.left", group=group.id, member=away.id)
        back = replace(
            away, id=member_id, epoch=group.target_epoch, state=ConsumerGroupMemberState.STABLE
        )
        group.add(back)
        self._say(
            "CONSUMER_GROUP_STATIC_RETURNS",
            group.id,
            instance=away.instance_id,
            member_id=member_id,
            old_member=away.id,
            protocol=protocol,
        )
        group.target[member_id] = target
        yield CancelTimer(("member session", group.id, away.id))
        yield Note.of("consumer_group.joined", group=group.id, member=member_id)
        return back

    # -- the three epochs

    def _raise_epoch(self, group: ConsumerGroup) -> None:
        group.epoch += 1
        group.topic_sizes = self._sizes(group)
        self._say(
            "CONSUMER_GROUP_EPOCH",
            group.id,
            generation=group.epoch,
            metadata_hash=self._metadata_hash(group),
        )

    def _metadata_hash(self, group: ConsumerGroup) -> int:
        """A number that changes with the topics the group reads; 0 without topics (KIP-1101).

        Kafka hashes other bytes with XXH3, so a real broker prints another number."""
        if not group.topic_sizes:
            return 0
        topics = self._cluster.topics
        read = sorted((topics[name].topic_id, size) for name, size in group.topic_sizes.items())
        digest = hashlib.blake2b(repr(read).encode(), digest_size=8).digest()
        return int.from_bytes(digest, "big", signed=True)

    def _may_compute(self, group: ConsumerGroup, now_ms: int) -> bool:
        """Whether enough time has passed since the last target (KIP-1263)."""
        return (
            group.computed_ms is None
            or now_ms - group.computed_ms >= self._config.group_consumer_assignment_interval_ms
        )

    def _compute(self, group: ConsumerGroup, now_ms: int) -> Step[None]:
        wishes = [m.assignor for m in group.members.values() if m.assignor is not None]
        name = (
            max(dict.fromkeys(wishes), key=wishes.count) if wishes else next(iter(SERVER_ASSIGNORS))
        )
        topics_of = {m.id: self._topics(m) for m in group.members.values()}
        group.target = SERVER_ASSIGNORS[name](
            group.members, topics_of, self._sizes(group), group.target
        )
        group.target_epoch, group.computed_ms, group.assignor = group.epoch, now_ms, name
        self._say(
            "CONSUMER_GROUP_TARGET",
            group.id,
            generation=group.epoch,
            assignor=name,
            elapsed_ms=0,
        )
        yield Note.of(
            "consumer_group.assigned",
            group=group.id,
            epoch=group.epoch,
            assignments={
                member: [f"{topic}-{number}" for topic, number in sorted(owned)]
                for member, owned in group.target.items()
            },
        )

    def _topics(self, member: ConsumerGroupMember) -> tuple[str, ...]:
        """The member's subscribed topics that exist; a pattern must match whole names."""
        names = dict.fromkeys(name for name in member.topics if name in self._cluster.topics)
        if member.regex:
            names |= dict.fromkeys(
                t.name
                for t in self._cluster.topics.values()
                if not t.is_internal and re.fullmatch(member.regex, t.name)
            )
        return tuple(names)

    def topics_read(self, group: ConsumerGroup) -> tuple[str, ...]:
        """The topics that the group's members subscribe to."""
        return tuple(
            dict.fromkeys(
                topic for member in group.members.values() for topic in self._topics(member)
            )
        )

    def _sizes(self, group: ConsumerGroup) -> dict[str, int]:
        return {
            topic: len(self._cluster.topics[topic].partitions) for topic in self.topics_read(group)
        }

    # -- leaving

    def _leave(
        self, group: ConsumerGroup, request: ConsumerGroupHeartbeatRequest, now_ms: int
    ) -> Step[ConsumerGroupHeartbeatResponse]:
        member = group.members.get(request.member_id)
        if member is None:
            raise Refusal(
                Errors.UNKNOWN_MEMBER_ID,
                f"Member {request.member_id} is not a member of group {group.id}.",
            )
        self._say_who_leaves(group, member, request.member_epoch == LEAVING_STATIC_EPOCH)
        if request.member_epoch == LEAVING_STATIC_EPOCH:
            member.epoch = LEAVING_STATIC_EPOCH  # its session continues, because it may come back
        else:
            yield from self._remove(group, member, f"member {member.id} left", now_ms)
        return ConsumerGroupHeartbeatResponse(
            member_id=member.id, member_epoch=request.member_epoch
        )

    def _say_who_leaves(
        self, group: ConsumerGroup, member: ConsumerGroupMember, comes_back: bool
    ) -> None:
        name = "CONSUMER_GROUP_STATIC_AWAY" if comes_back else "CONSUMER_GROUP_STATIC_LEFT"
        if member.instance_id is None:
            name = "CONSUMER_GROUP_MEMBER_LEFT"
        self._say(name, group.id, member_id=member.id, instance=member.instance_id)

    def _remove(
        self, group: ConsumerGroup, member: ConsumerGroupMember, reason: str, now_ms: int
    ) -> Step[None]:
        """Remove a member. The group epoch grows, and the next heartbeat of any member computes a
        target."""
        yield from self._drop(group, member, reason)
        self._raise_epoch(group)
        yield from self._note_state(group)

    def _drop(self, group: ConsumerGroup, member: ConsumerGroupMember, reason: str) -> Step[None]:
        group.remove(member)
        yield from [CancelTimer((what, group.id, member.id)) for what in MEMBER_ALARMS]
        yield Note.of("consumer_group.left", group=group.id, member=member.id, reason=reason)
        yield Note.of("group.left", group=group.id, member=member.id)

    def _watch(self, group: ConsumerGroup, member: ConsumerGroupMember, now_ms: int) -> Step[None]:
        yield from self._renew(group, member, now_ms)
        key = ("member revokes", group.id, member.id)
        waits = (
            member.state is ConsumerGroupMemberState.UNREVOKED_PARTITIONS
            and not member.uses_classic
        )
        yield SetTimer(key, now_ms + member.rebalance_timeout_ms) if waits else CancelTimer(key)

    def _renew(self, group: ConsumerGroup, member: ConsumerGroupMember, now_ms: int) -> Step[None]:
        member.deadline_ms = now_ms + self._session_ms(member)
        yield SetTimer(("member session", group.id, member.id), member.deadline_ms)

    def _session_ms(self, member: ConsumerGroupMember) -> int:
        return member.session_timeout_ms or self._config.group_consumer_session_timeout_ms

    def _assignment(self, member: ConsumerGroupMember) -> HeartbeatAssignment:
        # a deleted topic has no id to name it by; the next target assignment lacks it
        there = by_topic(
            place for place in sorted(member.assigned) if place[0] in self._cluster.topics
        )
        return HeartbeatAssignment(
            topic_partitions=tuple(
                HeartbeatTopicPartitions(
                    topic_id=self._cluster.topics[topic].topic_id, partitions=numbers
                )
                for topic, numbers in there.items()
            )
        )

    def _note_state(self, group: ConsumerGroup) -> Step[None]:
        before, after = group.state, group.present_state()
        if before is not after:
            group.state = MOVES.step(before, after, "group", group.id)
            yield Note.of(
                "state",
                machine="consumer group",
                of=group.id,
                group=group.id,
                before=before.value,
                after=after.value,
                generation=group.epoch,
                reason="its epochs and members say so",
            )

    def _note_members(self, group: ConsumerGroup) -> Step[None]:
        """Note the members that have changed, for the journal."""
        for member in group.members.values():
            fields = consumer_member_fields(member, group)
            if fields != member.journalled:
                member.journalled = fields
                yield Note.of("group.member", group=group.id, **fields)

    def retire(self, group_id: str) -> list[Effect]:
        """Stop coordinating a group."""
        group = self.groups.pop(group_id)
        group.state = ConsumerGroupState.DEAD
        return [
            CancelTimer((what, group_id, member))
            for member in group.members
            for what in MEMBER_ALARMS
        ]


def _check(request: ConsumerGroupHeartbeatRequest) -> None:
    """Refuse an invalid heartbeat
    (GroupMetadataManager.throwIfConsumerGroupHeartbeatRequestIsInvalid)."""
    if not request.group_id:
        raise Refusal(Errors.INVALID_REQUEST, "GroupId can't be empty.")
    if not request.member_id:
        raise Refusal(Errors.INVALID_REQUEST, "MemberId can't be empty.")
    if request.instance_id == "":
        raise Refusal(Errors.INVALID_REQUEST, "InstanceId can't be empty.")
    if request.member_epoch < LEAVING_STATIC_EPOCH:
        raise Refusal(Errors.INVALID_REQUEST, "MemberEpoch is invalid.")
    if request.member_epoch == LEAVING_STATIC_EPOCH and request.instance_id is None:
        raise Refusal(Errors.INVALID_REQUEST, "InstanceId can't be null.")
    if request.member_epoch == JOINING_EPOCH:
        if request.rebalance_timeout_ms == -1:
            raise Refusal(
                Errors.INVALID_REQUEST, "RebalanceTimeoutMs must be provided in first request."
            )
        if request.topic_partitions:
            raise Refusal(
                Errors.INVALID_REQUEST, "TopicPartitions must be empty when (re-)joining."
            )
        if request.subscribed_topic_names is None and request.subscribed_topic_regex is None:
            raise Refusal(
                Errors.INVALID_REQUEST,
                "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when "
                "(re-)joining.",
            )
    if request.server_assignor is not None and request.server_assignor not in SERVER_ASSIGNORS:
        raise Refusal(
            Errors.UNSUPPORTED_ASSIGNOR,
            f"ServerAssignor {request.server_assignor} is not supported. "
            f"Supported assignors: {', '.join(SERVER_ASSIGNORS)}.",
        )


def _check_epoch(member: ConsumerGroupMember, epoch: int, owned: Owned | None) -> None:
    """Check the member epoch of a heartbeat. A greater one than the coordinator's is refused; the
    previous one is accepted after a lost answer, if the reported partitions fit."""
    if epoch > member.epoch:
        raise Refusal(
            Errors.FENCED_MEMBER_EPOCH,
            f"The consumer group member has a greater member epoch ({epoch}) than the one known by "
            f"the group coordinator ({member.epoch}). The member must abandon all its partitions "
            "and rejoin.",
        )
    if epoch < member.epoch and (
        epoch != member.previous_epoch or owned is None or not owned <= member.assigned.keys()
    ):
        raise Refusal(
            Errors.FENCED_MEMBER_EPOCH,
            f"The consumer group member has a smaller member epoch ({epoch}) than the one known by "
            f"the group coordinator ({member.epoch}). The member must abandon all its partitions "
            "and rejoin.",
        )
