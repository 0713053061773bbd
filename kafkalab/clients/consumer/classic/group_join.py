"""GroupJoin: the requests by which a member gets its partitions
(AbstractCoordinator.initiateJoinGroup, JoinGroup and SyncGroup handlers).

There are two requests. JOIN_GROUP names the member and its topics; it is answered when all members
have joined, and the answer makes one member the leader. SYNC_GROUP carries the leader's assignment
and brings each member its share. `assignment_changes` does what comes before and after.
"""

from __future__ import annotations

from kafkalab.clients.consumer.classic.coordinator_lookup import CoordinatorLookup
from kafkalab.clients.consumer.classic.group_leader import GroupLeader
from kafkalab.clients.consumer.classic.group_part import GroupPart, GroupShared
from kafkalab.clients.consumer.classic.heartbeat_thread import HeartbeatThread
from kafkalab.clients.consumer.classic.membership import ClassicMemberState, Generation
from kafkalab.clients.consumer.reading.request_future import RequestFuture, Story, task
from kafkalab.clients.network.log_context import Later
from kafkalab.errors import (
    COORDINATOR_LOST,
    Errors,
    KafkaException,
    RetriableException,
    error_for,
)
from kafkalab.lines import payload
from kafkalab.lines.java_values import list_text
from kafkalab.protocol import messages as m
from kafkalab.protocol.consumer_protocol import parse_assignment, parse_subscription
from kafkalab.records import TopicPartition

FATAL_TO_JOINING = (
    Errors.INCONSISTENT_GROUP_PROTOCOL,
    Errors.INVALID_SESSION_TIMEOUT,
    Errors.INVALID_GROUP_ID,
    Errors.GROUP_MAX_SIZE_REACHED,
)
"""Errors that JoinGroupResponseHandler calls fatal; the lab has no authorization."""
JOIN_GROUP_TIMEOUT_LAPSE_MS = 5000
"""The coordinator may hold a JoinGroup for max.poll.interval.ms, the rebalance timeout; the request
and the answer need some time on the way, too."""


class JoinAgain(RetriableException):
    """The error of a join that is tried again at once. `cause`: the error that ended the join, None
    where no line names one."""

    def __init__(self, cause: BaseException | None = None) -> None:
        super().__init__("")
        self.cause = cause


class AssignorFailed(KafkaException):
    """A learner's assignor raised an error, its `cause`: the leader's poll() raises that
    (AbstractCoordinator.onLeaderElected)."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


class GroupJoin(GroupPart):
    """One join at a time, from JoinGroup to the assignment.

    under_way        its future: a list of partitions, or its error
    joined_topics    the topics in the last JoinGroup, None before the first
                     (ConsumerCoordinator.joinedSubscription)
    leader           its work where it leads the group, and its assignors
    """

    def __init__(
        self, shared: GroupShared, lookup: CoordinatorLookup, thread: HeartbeatThread
    ) -> None:
        super().__init__(shared)
        self.under_way: RequestFuture | None = None
        self.joined_topics: tuple[str, ...] | None = None
        self.leader = GroupLeader(shared)
        self._lookup = lookup
        self._heartbeats = thread

    def begin(self) -> RequestFuture:
        """Sends JoinGroup to the coordinator, unless a join is under way."""
        if self.under_way is None:
            if self._profile.group.join_disables_heartbeats:
                self._heartbeats.disable()
            self._membership.transition_to(ClassicMemberState.PREPARING_REBALANCE)
            self._log("JOINING_GROUP")
            self.under_way = task(self._join())
        return self.under_way

    def _join(self) -> Story:
        """Both requests; returns the list of this member's partitions."""
        joined = yield from self._ask_to_join()
        self.leader.assigned_by = None
        if joined.leader == joined.member_id:
            yield from self._learn_topics(joined)
        else:
            self._subscriptions.group_topics = ()
        return (yield from self._synchronize(joined))

    def _answer(self, request: RequestFuture, line: str, awaiting: ClassicMemberState) -> Story:
        """Returns the response and its error.

        Raises JoinAgain where the member left or was expelled before the response came, so that its
        state is no longer `awaiting` (AbstractCoordinator.JoinGroupResponseHandler and
        SyncGroupResponseHandler).
        """
        membership = self._membership
        try:
            sent = yield request
        except KafkaException:
            membership.transition_to(ClassicMemberState.UNJOINED)
            raise
        response = sent.message
        error = error_for(response.error_code)
        if error is Errors.NONE:
            version = sent.request.header.api_version
            self._log(
                line, response=Later(payload.object_text, response, version, self._profile.name)
            )
            if membership.state is not awaiting:
                raise JoinAgain()
        return response, error

    # JoinGroup

    def _ask_to_join(self) -> Story:
        """JOIN_GROUP; returns its response when the coordinator took this member in."""
        membership = self._membership
        session_ms = self._config["session.timeout.ms"]
        poll_interval_ms = self._config["max.poll.interval.ms"]
        request = m.JoinGroupRequest(
            group_id=self._membership.group_id,
            session_timeout_ms=session_ms,
            rebalance_timeout_ms=poll_interval_ms,
            member_id=self._membership.member_id,
            group_instance_id=self._membership.instance_id,
            protocol_type="consumer",
            protocols=self._protocols(),
            reason=self._membership.rejoin_reason or None,
        )
        node = self._lookup.node
        assert node is not None, "JoinGroup is sent to a known coordinator"
        self._log(
            "SENDING_JOIN_GROUP", request=self._client.client.request_text(request, node), node=node
        )
        timeout_ms = max(
            self._config["request.timeout.ms"], poll_interval_ms + JOIN_GROUP_TIMEOUT_LAPSE_MS
        )
        response, error = yield from self._answer(
            self._client.send(node, request, timeout_ms),
            "JOIN_GROUP_RESPONSE",
            ClassicMemberState.PREPARING_REBALANCE,
        )
        if error is Errors.NONE:
            membership.generation = Generation(
                response.generation_id, response.member_id, response.protocol_name
            )
            membership.transition_to(ClassicMemberState.COMPLETING_REBALANCE)
            if self._profile.group.heartbeats_from_join:
                self._heartbeats.enable()
                self._log("JOINED_GROUP", generation=membership.generation_text())
            return response
        if error is Errors.MEMBER_ID_REQUIRED:
            # KIP-394: the coordinator first answers with the id, so that a client that gives up
            # does not remain as a member.
            self._log(
                "MEMBER_ID_REQUIRED", member_id=response.member_id, generation=membership.generation
            )
            membership.generation = Generation(-1, response.member_id, None)
            membership.transition_to(ClassicMemberState.UNJOINED)
            if self._profile.group.states_rejoin_reason:
                membership.request_rejoin(
                    f"need to re-join with the given member-id: {response.member_id}"
                )
            raise JoinAgain(
                error.exception() if self._profile.group.member_id_required_is_failure else None
            )
        if error is Errors.UNKNOWN_MEMBER_ID:
            self._log(
                "JOIN_GROUP_OF_STRANGER", error=error.message, generation=membership.generation
            )
            membership.refused("JOIN_GROUP", error)
            raise JoinAgain(error.exception())
        if error is Errors.FENCED_INSTANCE_ID:
            membership.expelled()
            raise error.exception()
        if error is Errors.REBALANCE_IN_PROGRESS and self._profile.group.joins_again_when_overtaken:
            self._log("JOIN_GROUP_OVERTAKEN")
            membership.transition_to(ClassicMemberState.UNJOINED)
            raise JoinAgain(error.exception())
        if error is Errors.COORDINATOR_LOAD_IN_PROGRESS:
            self._log("JOIN_GROUP_LOADING", node=self._lookup.node)
        if error in FATAL_TO_JOINING:
            self._log("JOIN_GROUP_FATAL", error=error.message)
        raise self._refused(error, "JOIN_GROUP_WRONG_COORDINATOR")

    def _protocols(self) -> tuple[m.JoinGroupRequestProtocol, ...]:
        """This member's subscription, once for each of its assignors."""
        self.joined_topics = self._subscriptions.topics
        self._log("JOINING_WITH_SUBSCRIPTION", topics=list_text(self._subscriptions.topics))
        return self.leader.protocols(self._membership.generation.id)

    # SyncGroup

    def _learn_topics(self, joined: m.JoinGroupResponse) -> Story:
        """The leader waits until it knows every topic of the group (updateGroupSubscription)."""
        metadata, wanted = self._client.client.metadata, self._subscriptions.metadata_topics()
        self._subscriptions.group_topics = tuple(
            dict.fromkeys(
                topic
                for member in joined.members
                for topic in parse_subscription(member.metadata).topics
            )
        )
        if not set(self._subscriptions.group_topics) <= set(wanted):
            metadata.request_update_for_new_topics()
        if metadata.update_requested:
            known = RequestFuture()
            metadata.updated_signal().tell(known.complete)
            yield known
            if self._membership.state is not ClassicMemberState.COMPLETING_REBALANCE:
                raise JoinAgain()  # it left, or was expelled, in between

    def _synchronize(self, joined: m.JoinGroupResponse) -> Story:
        """SYNC_GROUP; returns this member's partitions."""
        membership, node = self._membership, self._lookup.node
        is_leader = joined.leader == joined.member_id
        try:
            assignments = self.leader.assign(joined, membership.generation.id) if is_leader else ()
        except Exception as raised:
            raise AssignorFailed(raised) from raised
        if node is None:
            # Lost before the answer arrived.
            raise Errors.COORDINATOR_NOT_AVAILABLE.exception()
        request = m.SyncGroupRequest(
            group_id=membership.group_id,
            generation_id=membership.generation.id,
            member_id=membership.member_id,
            group_instance_id=membership.instance_id,
            protocol_type="consumer",
            protocol_name=membership.generation.protocol,
            assignments=assignments,
        )
        self._log(
            "SENDING_LEADER_SYNC" if is_leader else "SENDING_FOLLOWER_SYNC",
            node=node,
            generation=membership.generation,
            request=self._client.client.request_text(request, node),
        )
        response, error = yield from self._answer(
            self._client.send(node, request),
            "SYNC_GROUP_RESPONSE",
            ClassicMemberState.COMPLETING_REBALANCE,
        )
        if error is Errors.NONE:
            membership.settled()
            self._heartbeat.reset_timeouts(self._client.clock.now_ms)
            if not self._profile.group.heartbeats_from_join:
                self._log("JOINED_GROUP", generation=membership.generation_text())
                self._heartbeats.enable()
            self._log("SYNCED_GROUP", generation=membership.generation)
            assigned = parse_assignment(response.assignment)
            return [
                TopicPartition(topic, p) for topic, numbers in assigned.items() for p in numbers
            ]
        membership.rejoin_needed = True
        if error is Errors.REBALANCE_IN_PROGRESS:
            self._log("SYNC_GROUP_OVERTAKEN", generation=membership.generation)
            membership.transition_to(ClassicMemberState.UNJOINED)
            raise JoinAgain(error.exception())
        if error in (Errors.UNKNOWN_MEMBER_ID, Errors.ILLEGAL_GENERATION):
            unknown = error is Errors.UNKNOWN_MEMBER_ID
            self._log(
                "SYNC_GROUP_OF_STRANGER" if unknown else "SYNC_GROUP_OF_OLD_GENERATION",
                generation=membership.generation,
            )
            membership.refused("SYNC_GROUP", error)
            raise JoinAgain(error.exception())
        if error is Errors.FENCED_INSTANCE_ID:
            membership.expelled()
            raise error.exception()
        raise self._refused(error, "SYNC_GROUP_WRONG_COORDINATOR")

    def _refused(self, error: Errors, line: str) -> KafkaException:
        """The exception of an answer that ends the join. `line` tells of a wrong coordinator."""
        if error in COORDINATOR_LOST:
            self._log(line, error=error.message, generation=self._membership.generation)
        self._lookup.mark_lost_if(error)
        self._membership.transition_to(ClassicMemberState.UNJOINED)
        return error.exception()
