"""How does a consumer become and stay a member? (internals.AbstractCoordinator and ConsumerCoordinator)

Find the coordinator, join, sync, heartbeat, commit, leave. The order of steps is Java's, because the order of lines, of
correlation ids and of sockets follows from it; what differs between versions is a field of the Profile.
Left out so far: pattern subscriptions, cooperative and sticky assignors, static membership on the client's side.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from kafkalab.clients.consumer.assignors import range_assign
from kafkalab.clients.consumer.consumer_network_client import ConsumerNetworkClient, Timer
from kafkalab.clients.consumer.heartbeat import Heartbeat
from kafkalab.clients.consumer.request_future import RequestFuture
from kafkalab.clients.consumer.subscription_state import FetchPosition, SubscriptionState
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.node import Node
from kafkalab.errors import COMMIT_FAILED_TEXT, CommitFailedException, Errors, RetriableException, error_for
from kafkalab.lines import payload
from kafkalab.protocol.messages import (
    FindCoordinatorRequest, HeartbeatRequest, JoinGroupRequest, JoinGroupRequestProtocol, LeaveGroupRequest, MemberIdentity,
    OffsetCommitRequest, OffsetCommitRequestPartition, OffsetCommitRequestTopic, OffsetFetchRequest, OffsetFetchRequestGroup,
    OffsetFetchRequestTopics, SyncGroupRequest, SyncGroupRequestAssignment,
)
from kafkalab.clients.hash_order import partitions_in_hash_order
from kafkalab.lines.subscription_text import subscription_text
from kafkalab.protocol.consumer_protocol import Subscription, assignment_bytes, parse_assignment, parse_subscription, subscription_bytes
from kafkalab.records import OffsetAndMetadata, TopicPartition
from kafkalab.sim.apps import FOREVER_MS, Signal


class MemberState(enum.Enum):
    UNJOINED = "UNJOINED"
    """Not a member. Next: PREPARING_REBALANCE when it asks to join."""
    PREPARING_REBALANCE = "PREPARING_REBALANCE"
    """JoinGroup is on its way. Next: COMPLETING_REBALANCE with a generation, UNJOINED when refused."""
    COMPLETING_REBALANCE = "COMPLETING_REBALANCE"
    """SyncGroup is on its way. Next: STABLE with an assignment, UNJOINED when refused."""
    STABLE = "STABLE"
    """A member with an assignment; heartbeats run. Next: PREPARING_REBALANCE to rejoin, UNJOINED when it leaves or is expelled."""


TRANSITIONS = {
    MemberState.UNJOINED: {MemberState.PREPARING_REBALANCE, MemberState.UNJOINED},
    MemberState.PREPARING_REBALANCE: {MemberState.COMPLETING_REBALANCE, MemberState.UNJOINED},
    MemberState.COMPLETING_REBALANCE: {MemberState.STABLE, MemberState.UNJOINED, MemberState.PREPARING_REBALANCE},
    MemberState.STABLE: {MemberState.PREPARING_REBALANCE, MemberState.UNJOINED},
}


@dataclass(frozen=True, slots=True)
class Generation:
    id: int = -1
    member_id: str = ""
    protocol: str | None = None

    def __str__(self) -> str:
        protocol = "null" if self.protocol is None else f"'{self.protocol}'"
        return f"Generation{{generationId={self.id}, memberId='{self.member_id}', protocol={protocol}}}"


class _Rejoin(RetriableException):
    """A refused join that is tried again at once. `reason` goes into the next JoinGroup and into the line."""


class ConsumerCoordinator:
    def __init__(self, who: str, group_id: str, config: Mapping, profile, client: ConsumerNetworkClient, subscriptions: SubscriptionState,
                 log: LogContext, stage, heartbeat: Heartbeat) -> None:
        self.group_id, self.node = group_id, None
        self.generation = Generation()
        self.state = MemberState.UNJOINED
        self._who, self._config, self._profile, self._client, self._subscriptions, self._log = who, config, profile, client, subscriptions, log
        self._clock, self._stage, self._heartbeat = client.clock, stage, heartbeat
        self._journal = log.journal
        self._find_future: RequestFuture | None = None
        self._join_future: RequestFuture | None = None
        self._rejoin_needed = True
        self._rejoin_reason = ""
        self._needs_join_prepare = True
        self._prepare_commit: RequestFuture | None = None
        self._prepare_ends_ms: int | None = None
        self._is_leader = False
        self._thread_started = self._thread_enabled = self._thread_closed = False
        self._thread_signal = Signal()
        self._auto_commit = config["enable.auto.commit"]
        self._auto_commit_interval_ms = config["auto.commit.interval.ms"]
        self._next_auto_commit_ms = self._clock.now_ms + self._auto_commit_interval_ms
        self._completed_commits: list[Callable[[], None]] = []
        self._pending_async_commits = 0
        self._assignment: list[TopicPartition] = []
        self._retry_backoff_ms = config["retry.backoff.ms"]

    # the poll of KafkaConsumer begins here

    def poll(self, timer: Timer, wait_for_join: bool) -> bool:
        self._run_commit_callbacks()
        if self._subscriptions.auto_assigned:
            self._heartbeat.polled(self._clock.now_ms)
            if self.unknown and not self.ensure_ready(timer):
                return False
            if self._rejoin_needed or self._join_future is not None:
                if not self._ensure_active(timer if wait_for_join else self._client.timer(0)):
                    return False
        else:
            if self._client.client.metadata.update_requested and not self._client.client.has_ready_nodes():
                self._client.await_metadata_update(timer)
            if self._profile.transmits_after_assign:
                self._client.poll_no_wakeup()
        self._maybe_auto_commit()
        return True

    def time_to_next_poll_ms(self) -> int:
        now_ms = self._clock.now_ms
        heartbeat_ms = FOREVER_MS if self.state in (MemberState.UNJOINED, MemberState.PREPARING_REBALANCE) else self._heartbeat.time_to_next_ms(now_ms)
        return min(heartbeat_ms, max(0, self._next_auto_commit_ms - now_ms)) if self._auto_commit else heartbeat_ms

    def rejoin_needed(self) -> bool:
        return self._subscriptions.auto_assigned and (self._rejoin_needed or self._join_future is not None)

    # finding the coordinator

    @property
    def unknown(self) -> bool:
        return self._known_node() is None

    def _known_node(self) -> Node | None:
        if self.node is not None and self._client.is_unavailable(self.node):
            self.mark_unknown("coordinator unavailable", disconnected=True)
        return self.node

    def ensure_ready(self, timer: Timer) -> bool:
        """Look the coordinator up until it is known or the timer ends (ensureCoordinatorReady)."""
        if not self.unknown:
            return True
        while True:
            future = self._lookup()
            self._client.poll_until(future, timer)
            if not future.is_done:
                break
            if future.failed:
                self._log("COORDINATOR_DISCOVERY_FAILED", error=str(future.error))
                if not future.is_retriable:
                    raise future.error
                self._client.await_metadata_update(timer)
            elif self.node is not None and self._client.is_unavailable(self.node):
                self.mark_unknown("coordinator unavailable", disconnected=False)
                self._client.sleep(min(self._retry_backoff_ms, timer.remaining_ms))
            if not self.unknown or timer.expired:
                break
        return not self.unknown

    def _lookup(self) -> RequestFuture:
        if self._find_future is None:
            node = self._client.least_loaded_node()
            if node is None:
                future = RequestFuture()
                future.fail(RetriableException("No brokers available"))
                return future
            self._log("SENDING_FIND_COORDINATOR", node=node)
            self._find_future = RequestFuture()
            sent = self._client.send(node, FindCoordinatorRequest(key_type=0, coordinator_keys=(self.group_id,)))
            sent.on_done(self._found)
        return self._find_future

    def _found(self, sent: RequestFuture) -> None:
        future, self._find_future = self._find_future, None
        if sent.failed:
            self._log("FIND_COORDINATOR_FAILED", error=sent.error)
            future.fail(sent.error)
            return
        response = sent.value
        self._log("FIND_COORDINATOR_RESPONSE", response=self._response_text(response))
        found = response.message.coordinator_of(self.group_id)
        if found.error_code == Errors.NONE.code:
            self.node = self._client.client._node_of(found.node_id, found.host, found.port, None, coordinator=True)
            self._log("COORDINATOR_DISCOVERED", node=self.node)
            self._client.try_connect(self.node)
            self._heartbeat.reset_session(self._clock.now_ms)
            future.complete()
        else:
            error = error_for(found.error_code)
            self._log("COORDINATOR_LOOKUP_FAILED", error=error.message)
            future.fail(error.exception())

    def mark_unknown(self, cause: str, disconnected: bool) -> None:
        if self.node is None:
            return
        node, self.node = self.node, None
        self._log("COORDINATOR_UNAVAILABLE", node=node, cause=cause, disconnected=str(disconnected).lower())
        if not disconnected and self._profile.disconnects_lost_coordinator:
            self._log("COORDINATOR_DISCONNECT_REQUESTED", node=node)
            self._client.disconnect_async(node)

    # joining

    def _ensure_active(self, timer: Timer) -> bool:
        if not self.ensure_ready(timer):
            return False
        self._start_thread()
        return self._join_if_needed(timer)

    def _join_if_needed(self, timer: Timer) -> bool:
        while self._rejoin_needed or self._join_future is not None:
            if not self.ensure_ready(timer):
                return False
            if self._needs_join_prepare:
                self._needs_join_prepare = False
                if not self._on_join_prepare(timer):
                    self._needs_join_prepare = True
                    return False
            future = self._initiate_join()
            self._client.poll_until(future, timer)
            if not future.is_done:
                return False
            self._join_future = None
            if future.succeeded:
                self._on_join_complete(future.value)
                self._needs_join_prepare = True
                continue
            error = future.error
            if isinstance(error, _Rejoin):
                if self._profile.states_rejoin_reason and error.args[0]:
                    self._request_rejoin(error.args[0])
                continue
            if not future.is_retriable:
                raise error
            self._client.sleep(min(self._retry_backoff_ms, timer.remaining_ms))
            if timer.expired:
                return False
        return True

    def _on_join_prepare(self, timer: Timer) -> bool:
        """What a member does before it gives up its old assignment: commit, revoke."""
        self._log("ON_JOIN_PREPARE", generation=self.generation.id, member_id=self.generation.member_id)
        if self._auto_commit:
            if self._profile.prepares_with_async_commit:
                if not self._await_prepare_commit(timer):
                    return False
            else:
                self._auto_commit_sync(self._client.timer(self._config["max.poll.interval.ms"]))
        revoked = self._subscriptions.assigned()
        if revoked or self._profile.revokes_even_nothing:
            self._log("REVOKING_PARTITIONS", partitions=self._partition_list(revoked, brackets="always" if self._profile.revokes_even_nothing else None))
            self._call_listener("on_partitions_revoked", revoked)
        if self._profile.eager_unassigns_at_prepare:
            self._subscriptions.assign_from_subscribed([])
        self._is_leader = False
        self._prepare_ends_ms = None
        return True

    def _await_prepare_commit(self, timer: Timer) -> bool:
        if self._prepare_ends_ms is None:
            self._prepare_ends_ms = self._clock.now_ms + self._config["max.poll.interval.ms"]
        if self._prepare_commit is None:
            self._log("PENDING_REVOCATION", partitions=_bracketed(self._subscriptions.assigned()))
            self._prepare_commit = self._auto_commit_async()
        self._client.poll_until(self._prepare_commit, timer)
        future = self._prepare_commit
        if future.is_done:
            self._prepare_commit = None
            if not (future.failed and future.is_retriable):
                return True
        if self._clock.now_ms >= self._prepare_ends_ms:
            return True
        self._client.sleep(min(timer.remaining_ms, self._retry_backoff_ms))
        return False

    def _initiate_join(self) -> RequestFuture:
        if self._join_future is None:
            if self._profile.join_disables_heartbeats:
                self._disable_thread()
            self._transition_to(MemberState.PREPARING_REBALANCE)
            self._join_future = RequestFuture()
            self._log("JOINING_GROUP")
            metadata = self._subscription_metadata()
            request = JoinGroupRequest(
                group_id=self.group_id, session_timeout_ms=self._config["session.timeout.ms"],
                rebalance_timeout_ms=self._config["max.poll.interval.ms"], member_id=self.generation.member_id, protocol_type="consumer",
                protocols=tuple(JoinGroupRequestProtocol(name=name, metadata=metadata[name]) for name in metadata),
                reason=self._rejoin_reason or None)
            node = self.node
            self._log("SENDING_JOIN_GROUP", request=payload.object_text(request, self._wire_version("JOIN_GROUP"), self._profile.name), node=node)
            timeout_ms = max(self._config["request.timeout.ms"], self._config["max.poll.interval.ms"] + 5000)
            self._client.send(node, request, timeout_ms).on_done(self._joined)
        return self._join_future

    def _subscription_metadata(self) -> dict[str, bytes]:
        self._log("JOINING_WITH_SUBSCRIPTION", topics=f"[{', '.join(self._subscriptions.topics)}]")
        owned = [] if not self._profile.tells_owned_partitions else self._subscriptions.assigned()
        subscription = Subscription(topics=self._subscriptions.topics, owned=_by_topic(owned))
        return {name: subscription_bytes(self._profile.name, subscription) for name in self._config.assignors}

    def _joined(self, sent: RequestFuture) -> None:
        if sent.failed:
            self._transition_to(MemberState.UNJOINED)
            self._fail_join(sent.error)
            return
        response = sent.value.message
        error = error_for(response.error_code)
        now_ms = self._clock.now_ms
        if error is Errors.NONE:
            self._log("JOIN_GROUP_RESPONSE", response=payload.object_text(response, sent.value.request.header.api_version, self._profile.name))
            if self.state is not MemberState.PREPARING_REBALANCE:
                self._fail_join(_Rejoin(""))
                return
            self.generation = Generation(response.generation_id, response.member_id, response.protocol_name)
            self._transition_to(MemberState.COMPLETING_REBALANCE)
            if self._profile.heartbeats_from_join:
                self._enable_thread()
                self._log("JOINED_GROUP", generation=self._generation_text())
            self._is_leader = response.leader == response.member_id
            self._sync(response)
        elif error is Errors.MEMBER_ID_REQUIRED:
            self._log("MEMBER_ID_REQUIRED", member_id=response.member_id, generation=self.generation)
            self.generation = Generation(-1, response.member_id, None)
            self._transition_to(MemberState.UNJOINED)
            self._fail_join(_Rejoin(self._profile.member_id_reason.format(member_id=response.member_id)))
        elif error is Errors.UNKNOWN_MEMBER_ID:
            self._reset_generation()
            self._fail_join(_Rejoin("rebalance failed due to UnknownMemberIdException"))
        elif error in (Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR):
            self.mark_unknown(f"error response {error.name}", disconnected=False)
            self._transition_to(MemberState.UNJOINED)
            self._fail_join(error.exception())
        else:
            self._transition_to(MemberState.UNJOINED)
            self._fail_join(error.exception())

    def _sync(self, joined) -> None:
        assignments: tuple[SyncGroupRequestAssignment, ...] = ()
        if self._is_leader:
            assignments = self._assign(joined)
        request = SyncGroupRequest(group_id=self.group_id, generation_id=self.generation.id, member_id=self.generation.member_id,
                                   protocol_type="consumer", protocol_name=self.generation.protocol, assignments=assignments)
        name = "SENDING_LEADER_SYNC" if self._is_leader else "SENDING_FOLLOWER_SYNC"
        self._log(name, request=payload.object_text(request, self._wire_version("SYNC_GROUP"), self._profile.name), node=self.node, generation=self.generation)
        self._client.send(self.node, request).on_done(self._synced)

    def _assign(self, joined) -> tuple[SyncGroupRequestAssignment, ...]:
        subscriptions = {m.member_id: parse_subscription(m.metadata) for m in joined.members}
        shown = ", ".join(f"{m}={subscription_text(s, self._profile.name)}" for m, s in subscriptions.items())
        self._log("PERFORMING_ASSIGNMENT", strategy=joined.protocol_name, subscriptions=f"{{{shown}}}")
        view = self._client.client.metadata.view
        counts = {topic: len(partitions) for topic, partitions in view.topics.items()}
        for topic in dict.fromkeys(t for s in subscriptions.values() for t in s.topics):
            if topic not in counts:
                self._log("ASSIGNMENT_TOPIC_SKIPPED", topic=topic)
        assignment = range_assign(counts, {m: s.topics for m, s in subscriptions.items()})
        shown = ", ".join(f"{m}=Assignment(partitions={_bracketed(tps)})" for m, tps in assignment.items())
        self._log("FINISHED_ASSIGNMENT", generation=self.generation.id, assignment=f"{{{shown}}}")
        return tuple(SyncGroupRequestAssignment(member_id=m, assignment=assignment_bytes(self._profile.name, _by_topic(tps)))
                     for m, tps in assignment.items())

    def _synced(self, sent: RequestFuture) -> None:
        if sent.failed:
            self._transition_to(MemberState.UNJOINED)
            self._fail_join(sent.error)
            return
        response = sent.value.message
        error = error_for(response.error_code)
        if error is Errors.NONE:
            self._log("SYNC_GROUP_RESPONSE", response=payload.object_text(response, sent.value.request.header.api_version, self._profile.name))
            self._transition_to(MemberState.STABLE)
            self._rejoin_needed = False
            self._rejoin_reason = ""
            self._heartbeat.reset_timeouts(self._clock.now_ms)
            if not self._profile.heartbeats_from_join:
                self._log("JOINED_GROUP", generation=self._generation_text())
                self._enable_thread()
            self._log("SYNCED_GROUP", generation=self.generation)
            assigned = parse_assignment(response.assignment)
            self._join_future.complete([TopicPartition(topic, p) for topic, ps in assigned.items() for p in ps])
            return
        self._rejoin_needed = True
        if error is Errors.REBALANCE_IN_PROGRESS:
            self._transition_to(MemberState.UNJOINED)
            self._fail_join(_Rejoin("group is already rebalancing"))
        elif error in (Errors.UNKNOWN_MEMBER_ID, Errors.ILLEGAL_GENERATION):
            self._reset_generation()
            self._fail_join(_Rejoin(f"rebalance failed due to {error.name}"))
        else:
            if error in (Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR):
                self.mark_unknown(f"error response {error.name}", disconnected=False)
            self._transition_to(MemberState.UNJOINED)
            self._fail_join(error.exception())

    def _fail_join(self, error: BaseException) -> None:
        if self._join_future is not None:
            self._join_future.fail(error)

    def _on_join_complete(self, assigned: list[TopicPartition]) -> None:
        self._log("ON_JOIN_COMPLETE", generation=self.generation.id, member_id=self.generation.member_id)
        self._next_auto_commit_ms = self._clock.now_ms + self._auto_commit_interval_ms
        ordered = partitions_in_hash_order(assigned)
        self._subscriptions.assign_from_subscribed([])
        self._subscriptions.assign_from_subscribed(ordered)
        self._assignment = list(assigned)
        self._log("NOTIFYING_ASSIGNOR", partitions=_bracketed(assigned))
        shown = ordered if self._profile.prints_assignment_in_hash_order else assigned
        self._log("ASSIGNED_PARTITIONS", partitions=self._partition_list(shown))
        self._journal.append("assignment", self._who, group=self.group_id, generation=self.generation.id, partitions=[str(tp) for tp in assigned])
        self._call_listener("on_partitions_assigned", assigned)

    def _call_listener(self, method: str, partitions: list[TopicPartition]) -> None:
        listener = self._subscriptions.listener
        if listener is not None:
            getattr(listener, method)(partitions)

    def _request_rejoin(self, reason: str) -> None:
        self._log("REQUEST_JOINING", reason=reason)
        self._rejoin_reason = reason
        self._rejoin_needed = True

    def _reset_generation(self) -> None:
        self.generation = Generation()
        self._rejoin_needed = True
        self._transition_to(MemberState.UNJOINED)

    # the heartbeat thread

    def _start_thread(self) -> None:
        if not self._thread_started:
            self._thread_started = True
            self._stage.loop(self._beat(), self._thread_signal)

    def _enable_thread(self) -> None:
        self._log("ENABLING_HEARTBEAT")
        self._thread_enabled = True
        self._heartbeat.reset_timeouts(self._clock.now_ms)
        self._thread_signal.set()

    def _disable_thread(self) -> None:
        if self._thread_started:
            self._log("DISABLING_HEARTBEAT")
            self._thread_enabled = False

    def _beat(self):
        """HeartbeatThread.run: every retry.backoff.ms it looks whether a beat is due; it polls only if the application does not."""
        self._log("HEARTBEAT_THREAD_STARTED")
        while not self._thread_closed:
            self._thread_signal.clear()
            now_ms = self._clock.now_ms
            if not self._thread_enabled:
                yield FOREVER_MS
                continue
            if self.state in (MemberState.UNJOINED, MemberState.PREPARING_REBALANCE):
                self._disable_thread()
                continue
            if not self._client.is_polling:
                yield from self._poll_once()
                now_ms = self._clock.now_ms
            if self._thread_closed or not self._thread_enabled:
                continue
            if self.unknown:
                if self._find_future is None:
                    self._lookup()
                yield now_ms + self._retry_backoff_ms
            elif self._heartbeat.session_expired(now_ms):
                self.mark_unknown("session timed out without receiving a heartbeat response", disconnected=False)
            elif self._heartbeat.poll_expired(now_ms):
                self._log("POLL_TIMEOUT_EXPIRED")
                self.maybe_leave("consumer poll timeout has expired.")
            elif self._heartbeat.time_to_next_ms(now_ms) > 0:
                yield now_ms + min(self._retry_backoff_ms, max(1, self._heartbeat.time_to_next_ms(now_ms)) if self._client.is_polling else self._retry_backoff_ms)
            else:
                self._heartbeat.sent(now_ms)
                self._log("HEARTBEAT_TIMER", group=self.group_id, remaining_ms=self._heartbeat.interval_ms)
                self._send_heartbeat()
                if self._client.is_polling:
                    yield now_ms + 1

    def _poll_once(self):
        """client.pollNoWakeup() on the heartbeat thread."""
        client = self._client
        client._fire()
        client._try_send()
        until_ms = client.client.begin_poll(0)
        client.is_polling = True
        if until_ms > self._clock.now_ms:
            yield until_ms
        client.is_polling = False
        client.client.end_poll()
        client._try_send()
        client._fire()

    def _send_heartbeat(self) -> None:
        self._log("SENDING_HEARTBEAT", generation=self.generation.id, member_id=self.generation.member_id, node=self.node)
        request = HeartbeatRequest(group_id=self.group_id, generation_id=self.generation.id, member_id=self.generation.member_id)
        self._client.send(self.node, request).on_done(self._beaten)

    def _beaten(self, sent: RequestFuture) -> None:
        now_ms = self._clock.now_ms
        if sent.failed:
            self._heartbeat_failed(now_ms)
            return
        error = error_for(sent.value.message.error_code)
        if error is Errors.NONE:
            self._log("HEARTBEAT_RESPONSE")
            self._heartbeat.received(now_ms)
        elif error is Errors.REBALANCE_IN_PROGRESS:
            # KIP-62: the member is alive and must rejoin in its next poll.
            self._log("HEARTBEAT_REBALANCING")
            if self._profile.states_rejoin_reason:
                self._request_rejoin("group is already rebalancing")
            self._rejoin_needed = True
            self._heartbeat.received(now_ms)
        elif error in (Errors.COORDINATOR_NOT_AVAILABLE, Errors.NOT_COORDINATOR):
            self._log("HEARTBEAT_COORDINATOR_INVALID", node=self.node)
            self.mark_unknown(f"error response {error.name}", disconnected=False)
            self._heartbeat_failed(now_ms)
        elif error in (Errors.ILLEGAL_GENERATION, Errors.UNKNOWN_MEMBER_ID):
            self._reset_generation()
        else:
            self._heartbeat_failed(now_ms)

    def _heartbeat_failed(self, now_ms: int) -> None:
        self._heartbeat.failed(now_ms)
        self._log("HEARTBEAT_FAILED", group=self.group_id, remaining_ms=self._heartbeat.retry_backoff_ms)

    # leaving

    def maybe_leave(self, reason: str) -> None:
        if self.node is not None and self.state is not MemberState.UNJOINED and self.generation.member_id:
            shown = self._profile.leave_reason_in_full and reason.startswith("consumer poll timeout")
            self._log("SENDING_LEAVE_GROUP", member_id=self.generation.member_id, node=self.node, reason=POLL_TIMEOUT if shown else reason)
            generation = self.generation
            request = LeaveGroupRequest(group_id=self.group_id, members=(MemberIdentity(member_id=generation.member_id, reason=reason),))

            def left(sent: RequestFuture) -> None:
                if sent.succeeded:
                    self._log("LEAVE_GROUP_RESPONSE", generation=generation, response=self._response_text(sent.value))

            self._client.send(self.node, request).on_done(left)
            self._client.poll_no_wakeup() if not self._client.is_polling else None
        self._log("RESET_GENERATION_ON_LEAVE")
        if self._profile.states_rejoin_reason:
            self._log("REQUEST_JOINING", reason="consumer pro-actively leaving the group")
        self._reset_generation()

    def close(self, timer: Timer) -> None:
        if self._auto_commit and not self.unknown or self._auto_commit and self._subscriptions.assigned():
            self._auto_commit_sync(timer)
        while self._pending_async_commits > 0 and not timer.expired:
            self.ensure_ready(timer)
            self._client.poll(timer)
            self._run_commit_callbacks()
        if self._thread_started:
            self._thread_closed = True
            self._thread_signal.set()
            self._log("HEARTBEAT_THREAD_CLOSED")
        if self._profile.revokes_on_close:
            generation = self.generation if self.state is not MemberState.UNJOINED else Generation()
            self._log("ON_LEAVE_PREPARE", generation=generation, member_id=generation.member_id)
            if self._subscriptions.auto_assigned and self._subscriptions.assigned():
                self._log("REVOKING_PARTITIONS", partitions=self._partition_list(self._sorted_assignment()))
                self._call_listener("on_partitions_revoked", self._subscriptions.assigned())
        self.maybe_leave("the consumer is being closed")
        node = self._known_node()
        if node is not None:
            self._client.await_pending_requests(node, timer)

    def _sorted_assignment(self) -> list[TopicPartition]:
        return partitions_in_hash_order(self._subscriptions.assigned()) if self._profile.prints_assignment_in_hash_order else sorted(self._subscriptions.assigned())

    # offsets

    def fetch_committed(self, partitions: list[TopicPartition], timer: Timer) -> dict[TopicPartition, OffsetAndMetadata | None] | None:
        """The committed offsets, or None when the timer ended first."""
        while True:
            if not self.ensure_ready(timer):
                return None
            future = self._send_offset_fetch(partitions)
            self._client.poll_until(future, timer)
            if not future.is_done:
                return None
            if future.succeeded:
                return future.value
            if not future.is_retriable:
                raise future.error
            self._client.sleep(min(self._retry_backoff_ms, timer.remaining_ms))
            if timer.expired:
                return None

    _fetch_future: RequestFuture | None = None

    def _send_offset_fetch(self, partitions: list[TopicPartition]) -> RequestFuture:
        """A request already under way for the same partitions is waited for, not repeated (PendingCommittedOffsetRequest)."""
        if self._fetch_future is not None:
            return self._fetch_future
        self._log("FETCHING_COMMITTED_OFFSETS", partitions=_bracketed(partitions))
        topics: dict[str, list[int]] = {}
        for tp in partitions:
            topics.setdefault(tp.topic, []).append(tp.partition)
        request = OffsetFetchRequest(groups=(OffsetFetchRequestGroup(group_id=self.group_id, topics=tuple(
            OffsetFetchRequestTopics(name=topic, partition_indexes=tuple(indexes)) for topic, indexes in topics.items())),),
            require_stable=self._profile.requires_stable_offsets)
        self._fetch_future = future = RequestFuture()

        def answered(sent: RequestFuture) -> None:
            self._fetch_future = None
            if sent.failed:
                future.fail(sent.error)
                return
            group = sent.value.message.group(self.group_id)
            error = error_for(group.error_code)
            if error is not Errors.NONE:
                if error in (Errors.NOT_COORDINATOR, Errors.COORDINATOR_NOT_AVAILABLE):
                    self.mark_unknown(f"error response {error.name}", disconnected=False)
                future.fail(error.exception())
                return
            found: dict[TopicPartition, OffsetAndMetadata | None] = {}
            for topic in group.topics:
                for p in topic.partitions:
                    tp = TopicPartition(topic.name, p.partition_index)
                    epoch = p.committed_leader_epoch
                    found[tp] = OffsetAndMetadata(p.committed_offset, epoch if epoch >= 0 else None, p.metadata or "") if p.committed_offset >= 0 else None
            for tp in partitions:
                if found.get(tp) is None:
                    self._log("NO_COMMITTED_OFFSET", partition=tp)
            future.complete(found)

        self._client.send(self.node, request).on_done(answered)
        return future

    def init_with_committed(self, timer: Timer) -> bool:
        initializing = self._subscriptions.initializing()
        if not initializing:
            return True
        found = self.fetch_committed(initializing, timer)
        if found is None:
            return False
        for tp, committed in found.items():
            if committed is None or tp not in self._subscriptions.partitions:
                continue
            view = self._client.client.metadata.view.partitions.get(tp)
            leader = self._client.client.metadata.view.leader(tp)
            position = FetchPosition(committed.offset, committed.leader_epoch, leader, view.epoch if view else None)
            self._log("SETTING_COMMITTED_OFFSET", partition=tp, position=position.text(self._profile.position_style), offset=committed.offset,
                      leader=leader)
            self._subscriptions.seek(tp, position)
        return True

    def commit_sync(self, offsets: dict[TopicPartition, OffsetAndMetadata], timer: Timer) -> bool:
        """Commit and wait; retriable errors are tried again until the timer ends. Raises CommitFailedException when this consumer
        is no longer a member."""
        self._run_commit_callbacks()
        if not offsets:
            return True
        while True:
            if not self.ensure_ready(timer):
                return False
            future = self._send_commit(offsets)
            self._client.poll_until(future, timer)
            self._run_commit_callbacks()
            if future.succeeded:
                return True
            if future.failed and not future.is_retriable:
                raise future.error
            if timer.expired:
                return False
            self._client.sleep(min(self._retry_backoff_ms, timer.remaining_ms))

    def commit_async(self, offsets: dict[TopicPartition, OffsetAndMetadata], callback=None) -> RequestFuture:
        """Commit without waiting, once: a late retry could overwrite a newer commit. Callbacks run in a later poll."""
        if not offsets:
            future = RequestFuture()
            future.complete()
        elif not self.unknown:
            future = self._send_commit(offsets)
        else:
            future = RequestFuture()
            self._pending_async_commits += 1

            def found(lookup: RequestFuture) -> None:
                self._pending_async_commits -= 1
                if lookup.succeeded and self.node is not None:
                    self._send_commit(offsets).on_done(lambda done: future.fail(done.error) if done.failed else future.complete())
                else:
                    future.fail(lookup.error or RetriableException("coordinator unknown"))

            self._lookup().on_done(found)
        if callback is not None:
            future.on_done(lambda done: self._completed_commits.append(lambda: callback(offsets, done.error)))
        return future

    def _send_commit(self, offsets: dict[TopicPartition, OffsetAndMetadata]) -> RequestFuture:
        future = RequestFuture()
        generation = self.generation
        if self._subscriptions.auto_assigned and self.state is not MemberState.STABLE and self._profile.checks_membership_before_commit:
            if self.state is MemberState.UNJOINED:
                self._log("COMMIT_NOT_A_MEMBER")
                future.fail(CommitFailedException(COMMIT_FAILED_TEXT[self._profile.name]))
                return future
        self._log("SENDING_OFFSET_COMMIT", offsets=offsets_text(offsets), node=self.node)
        topics: dict[str, list] = {}
        for tp, committed in offsets.items():
            epoch = -1 if committed.leader_epoch is None else committed.leader_epoch
            topics.setdefault(tp.topic, []).append(OffsetCommitRequestPartition(
                partition_index=tp.partition, committed_offset=committed.offset, committed_leader_epoch=epoch, committed_metadata=committed.metadata))
        request = OffsetCommitRequest(group_id=self.group_id, generation_id_or_member_epoch=generation.id, member_id=generation.member_id,
                                      topics=tuple(OffsetCommitRequestTopic(name=t, partitions=tuple(ps)) for t, ps in topics.items()))
        self._journal.append("commit", self._who, group=self.group_id, offsets={str(tp): o.offset for tp, o in offsets.items()})

        def answered(sent: RequestFuture) -> None:
            if sent.failed:
                future.fail(sent.error)
                return
            for topic in sent.value.message.topics:
                for p in topic.partitions:
                    tp = TopicPartition(topic.name, p.partition_index)
                    error = error_for(p.error_code)
                    if error is Errors.NONE:
                        self._log("COMMITTED_OFFSET", offset=offsets[tp].offset, partition=tp)
                        continue
                    if error in (Errors.UNKNOWN_MEMBER_ID, Errors.ILLEGAL_GENERATION):
                        self._reset_generation()
                        future.fail(CommitFailedException(COMMIT_FAILED_TEXT[self._profile.name]))
                    elif error in (Errors.NOT_COORDINATOR, Errors.COORDINATOR_NOT_AVAILABLE):
                        self.mark_unknown(f"error response {error.name}", disconnected=False)
                        future.fail(error.exception())
                    else:
                        future.fail(error.exception())
                    return
            future.complete()

        self._client.send(self.node, request).on_done(answered)
        return future

    def _consumed(self) -> dict[TopicPartition, OffsetAndMetadata]:
        return {tp: OffsetAndMetadata(p.offset, p.offset_epoch) for tp, p in self._subscriptions.all_consumed().items()}

    def _maybe_auto_commit(self) -> None:
        if self._auto_commit and self._clock.now_ms >= self._next_auto_commit_ms:
            self._next_auto_commit_ms = self._clock.now_ms + self._auto_commit_interval_ms
            self._auto_commit_async()

    def _auto_commit_async(self) -> RequestFuture:
        offsets = self._consumed()
        self._log("AUTO_COMMIT_ASYNC", offsets=offsets_text(offsets))

        def done(committed, error) -> None:
            if error is not None:
                if isinstance(error, RetriableException):
                    self._log("AUTO_COMMIT_FAILED_RETRIABLE", offsets=offsets_text(committed), error=error)
                    self._next_auto_commit_ms = min(self._next_auto_commit_ms, self._clock.now_ms + self._retry_backoff_ms)
                else:
                    self._log("AUTO_COMMIT_FAILED", offsets=offsets_text(committed), error=error)
            else:
                self._log("AUTO_COMMIT_COMPLETED", offsets=offsets_text(committed))

        return self.commit_async(offsets, done)

    def _auto_commit_sync(self, timer: Timer) -> None:
        offsets = self._consumed()
        self._log("AUTO_COMMIT_SYNC", offsets=offsets_text(offsets))
        try:
            self.commit_sync(offsets, timer)
        except CommitFailedException as error:
            self._log("AUTO_COMMIT_SYNC_FAILED", offsets=offsets_text(offsets), error=error)

    def _run_commit_callbacks(self) -> None:
        while self._completed_commits:
            self._completed_commits.pop(0)()

    # small things

    def _response_text(self, response) -> str:
        request = response.request
        return payload.client_response_text(request.header, response.message, received_at_ms=self._client.client._epoch_ms + response.received_ms,
                                            latency_ms=response.latency_ms, version=self._profile.name)

    def _wire_version(self, api: str) -> int:
        from kafkalab.protocol.api_keys import ApiKeys
        versions = self._client.client.api_versions.get(self.node.connection) if self.node else None
        return versions[ApiKeys[api]] if versions else self._profile.latest(ApiKeys[api])

    def _generation_text(self) -> str:
        return str(self.generation) if self._profile.prints_generation_object else str(self.generation.id)

    def _partition_list(self, partitions: list[TopicPartition], brackets: str | None = None) -> str:
        bare = ", ".join(map(str, partitions))
        return f"[{bare}]" if (brackets or self._profile.brackets_partitions) else bare

    def _transition_to(self, after: MemberState) -> None:
        if after is self.state:
            return
        assert after in TRANSITIONS[self.state], f"member {self._who}: {self.state} -> {after} is not in the table"
        self._journal.append("state", self._who, machine=f"member of {self.group_id}", before=self.state.value, after=after.value)
        self.state = after


POLL_TIMEOUT = (
    "consumer poll timeout has expired. This means the time between subsequent calls to poll() was longer than the configured "
    "max.poll.interval.ms, which typically implies that the poll loop is spending too much time processing messages. You can address this "
    "either by increasing max.poll.interval.ms or by reducing the maximum size of batches returned in poll() with max.poll.records."
)


def _by_topic(partitions) -> dict[str, tuple[int, ...]]:
    found: dict[str, list[int]] = {}
    for tp in partitions:
        found.setdefault(tp.topic, []).append(tp.partition)
    return {topic: tuple(numbers) for topic, numbers in found.items()}


def _bracketed(partitions) -> str:
    return f"[{', '.join(map(str, partitions))}]"


def offsets_text(offsets: Mapping[TopicPartition, OffsetAndMetadata]) -> str:
    """A map of offsets as Java prints it."""
    shown = (f"{tp}=OffsetAndMetadata{{offset={o.offset}, leaderEpoch={'null' if o.leader_epoch is None else o.leader_epoch}, metadata='{o.metadata}'}}"
             for tp, o in offsets.items())
    return "{" + ", ".join(shown) + "}"
