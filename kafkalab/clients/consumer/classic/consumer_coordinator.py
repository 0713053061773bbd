"""ConsumerCoordinator: makes a consumer a member of its group and keeps it one
(internals.ConsumerCoordinator over AbstractCoordinator).

It is the consumer's whole side of the group protocol, built from these parts:

    coordinator_lookup  finds the broker that coordinates the group
    membership          the member's state and generation
    assignment_changes  gives partitions up before a rebalance and takes them over after it
    group_join          JoinGroup and SyncGroup
    heartbeat_thread    sends heartbeats while the application works
    committed_offsets   fetches and commits offsets
    auto_commit         commits on a timer

This file calls them in Java's order, because the order of lines, of correlation ids and of sockets
results from it: in a poll, before and after a join, and when the member leaves. Differences between
versions are fields of the Profile.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from contextlib import suppress

from kafkalab.clients.consumer.classic.assignment_changes import AssignmentChanges
from kafkalab.clients.consumer.classic.auto_commit import AutoCommit
from kafkalab.clients.consumer.classic.committed_offsets import CommittedOffsets
from kafkalab.clients.consumer.classic.consumer_network_client import ConsumerNetworkClient
from kafkalab.clients.consumer.classic.coordinator_lookup import CoordinatorLookup
from kafkalab.clients.consumer.classic.group_join import AssignorFailed, GroupJoin, JoinAgain
from kafkalab.clients.consumer.classic.group_part import GroupPart, GroupShared
from kafkalab.clients.consumer.classic.heartbeat import Heartbeat
from kafkalab.clients.consumer.classic.heartbeat_responses import Choice, javas_choice
from kafkalab.clients.consumer.classic.heartbeat_thread import HeartbeatThread
from kafkalab.clients.consumer.classic.membership import ClassicMemberState, Generation, Membership
from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.parts import Shared
from kafkalab.clients.consumer.reading.request_future import Story, begin
from kafkalab.clients.network.hash_order import ids_in_hash_order
from kafkalab.clients.network.node import Node
from kafkalab.errors import KafkaException, RetriableException, java_text
from kafkalab.lines.java_values import list_text
from kafkalab.protocol.messages import LeaveGroupRequest, MemberIdentity
from kafkalab.sim.apps import FOREVER_MS

POLL_TIMEOUT = (
    "consumer poll timeout has expired. This means the time between subsequent calls to poll() was "
    "longer than the configured max.poll.interval.ms, which typically implies that the poll loop "
    "is spending too much time processing messages. You can address this either by increasing "
    "max.poll.interval.ms or by reducing the maximum size of batches returned in poll() with "
    "max.poll.records."
)


class ConsumerCoordinator(GroupPart):
    """One consumer's membership of its group. `offsets` are the group's committed offsets."""

    def __init__(
        self,
        group_id: str,
        consumer: Shared[ConsumerNetworkClient],
        choice: Choice = javas_choice,
    ) -> None:
        config, log = consumer.config, consumer.log
        heartbeat = Heartbeat(
            config["session.timeout.ms"],
            config["heartbeat.interval.ms"],
            config["max.poll.interval.ms"],
            config["retry.backoff.ms"],
        )
        instance_id = config.get("group.instance.id")
        membership = Membership(group_id, instance_id, consumer.profile, log)
        shared = GroupShared(consumer, membership, heartbeat)
        super().__init__(shared)
        self._lookup = CoordinatorLookup(shared)
        self._heartbeats = HeartbeatThread(shared, self._lookup, self._leave_in_thread, choice)
        self._join = GroupJoin(shared, self._lookup, self._heartbeats)
        self.offsets = CommittedOffsets(shared, self._lookup)
        self._auto_commit = AutoCommit(
            config,
            self.offsets,
            consumer.subscriptions,
            log,
            self._clock,
            consumer.client.poll_no_wakeup,
        )
        self._changes = AssignmentChanges(shared, self._auto_commit, self._join.leader.assignors)
        self._needs_join_prepare = True
        # the values of the last `rejoin_needed` that found nothing to do
        self._seen: tuple[object, ...] = (None,) * 5
        self._matched_at_version = 0

    @property
    def group_id(self) -> str:
        return self._membership.group_id

    @property
    def node(self) -> Node | None:
        """The coordinator, None while it is unknown."""
        return self._lookup.node

    @property
    def state(self) -> ClassicMemberState:
        return self._membership.state

    @property
    def generation(self) -> Generation:
        return self._membership.generation

    def poll(self, timer: CallTimer, wait_for_join: bool) -> bool:
        """Runs first in every KafkaConsumer.poll: callbacks, a join if one is needed, a commit if
        one is due.

        False when the timer ended before this consumer was a member. Without `wait_for_join` a join
        goes on in the background.
        """
        self._match_pattern()
        self.offsets.run_callbacks()
        if self._subscriptions.auto_assigned:
            self._heartbeats.raise_failure()
            self._heartbeat.polled(self._clock.now_ms)
            if self._lookup.unknown and not self._lookup.ensure_ready(timer):
                return False
            if self.rejoin_needed() and not (
                self._see_topics_of_pattern(timer)
                and self._ensure_active(timer if wait_for_join else self._client.timer(0))
            ):
                return False
        else:
            if (
                self._client.client.metadata.update_requested
                and not self._client.client.has_ready_nodes()
            ):
                self._client.await_metadata_update(timer)
            if self._profile.fetching.transmits_after_assign:
                self._client.poll_no_wakeup()
        self._auto_commit.commit_if_due()
        return True

    def time_to_next_poll_ms(self) -> int:
        """How long a poll may wait without missing a heartbeat or a commit, in milliseconds."""
        heartbeat_ms = (
            self._heartbeat.time_to_next_ms(self._clock.now_ms)
            if self._membership.owes_heartbeats
            else FOREVER_MS
        )
        return min(heartbeat_ms, self._auto_commit.time_to_next_ms())

    def rejoin_needed(self) -> bool:
        """Whether a join is wanted or under way, or the last one is outdated: the leader sees other
        partitions than it assigned, or the application wants other topics than in the last
        JoinGroup (rejoinNeededOrPending)."""
        if not self._subscriptions.auto_assigned:
            return False
        seen = (
            self._client.client.metadata.view,
            self._subscriptions.topics,
            self._subscriptions.group_topics,
            self._join.leader.assigned_by,
            self._join.joined_topics,
        )
        # unchanged since the last check: a poll checks several times
        if all(map(operator.is_, seen, self._seen)):
            return self._membership.rejoin_needed or self._join.under_way is not None
        before, now = self._join.leader.assigned_by, self._join.leader.partition_counts()
        if before is not None and before != now:
            if not self._membership.rejoin_needed:
                old = _snapshot_text(self._join.leader.assigned_at_version, before)
                new = _snapshot_text(self._client.client.metadata.update_version, now)
                self._membership.request_rejoin(
                    "cached metadata has changed",
                    f"cached metadata has changed from {old} at the beginning of the rebalance to "
                    f"{new}",
                )
            return True
        joined, wanted = self._join.joined_topics, self._subscriptions.topics
        if joined is not None and set(joined) != set(wanted):
            if not self._membership.rejoin_needed:
                then = list_text(ids_in_hash_order(joined))
                today = list_text(ids_in_hash_order(wanted))
                self._membership.request_rejoin(
                    "subscription has changed",
                    f"subscription has changed from {then} at the beginning of the rebalance to "
                    f"{today}",
                )
            return True
        self._seen = seen
        return self._membership.rejoin_needed or self._join.under_way is not None

    def request_rejoin(self, reason: str) -> None:
        """Joins again in the next poll (KIP-568)."""
        self._membership.request_rejoin(reason)

    def _match_pattern(self) -> None:
        """Whether other topics match the pattern now (maybeUpdateSubscriptionMetadata)."""
        metadata = self._client.client.metadata
        if (
            self._subscriptions.pattern is not None
            and self._matched_at_version != metadata.update_version
        ):
            self._matched_at_version = metadata.update_version
            if self._subscriptions.match(metadata.view.topics):
                metadata.request_update_for_new_topics()

    def _see_topics_of_pattern(self, timer: CallTimer) -> bool:
        """One new topic shall not cost a rebalance for each member that sees it: the metadata is
        refreshed once more before the join."""
        if self._subscriptions.pattern is None:
            return True
        metadata = self._client.client.metadata
        if metadata.may_update(self._clock.now_ms):
            metadata.request_update()
        if metadata.update_requested and not self._client.await_metadata_update(timer):
            return False
        self._match_pattern()
        return True

    # joining

    def _ensure_active(self, timer: CallTimer) -> bool:
        if not self._lookup.ensure_ready(timer):
            return False
        self._heartbeats.start()
        return self._join_if_needed(timer)

    def _join_if_needed(self, timer: CallTimer) -> bool:
        """Joins until it succeeds or the timer ends (joinGroupIfNeeded). Raises the coordinator's
        lasting errors."""
        while self.rejoin_needed():
            if not self._lookup.ensure_ready(timer):
                return False
            if self._needs_join_prepare:
                self._needs_join_prepare = False
                if not self._changes.before_join(timer):
                    self._needs_join_prepare = True
                    return False
            future = self._join.begin()
            self._client.poll_until(future, timer)
            if not future.is_done:
                return False
            self._join.under_way = None
            if future.succeeded and self.state is not ClassicMemberState.STABLE:
                # The heartbeat thread has lost the membership in between; nothing was taken over
                # yet.
                continue
            if future.succeeded:
                self._needs_join_prepare = True
                self._changes.after_join(future.value)
                continue
            if isinstance(future.error, JoinAgain):
                self._tell_failure(future.error.cause)
                continue
            error = future.failure
            if isinstance(error, AssignorFailed):
                error = error.cause
            self._tell_failure(error)
            if not isinstance(error, RetriableException):
                raise error
            self._client.sleep(min(self._retry_backoff_ms, timer.remaining_ms))
            if timer.expired:
                return False
        return True

    def _tell_failure(self, cause: BaseException | None) -> None:
        """A join has failed; the next one gives the reason (KIP-800)."""
        if cause is None:
            return
        self._log("REBALANCE_FAILED", trace=java_text(cause))
        if self._profile.group.states_rejoin_reason:
            name, message = type(cause).__name__, str(cause) or "null"
            self._membership.request_rejoin(
                f"rebalance failed due to {name}", f"rebalance failed due to '{message}' ({name})"
            )

    # leaving

    def before_unsubscribing(self) -> None:
        """Gives up the assignment (2.4 and later call the listener), then the membership."""
        try:
            if self._profile.group.revokes_on_close:
                self._changes.before_leaving()
        finally:
            self.maybe_leave("the consumer unsubscribed from all topics")

    def maybe_leave(self, reason: str) -> None:
        """Sends LEAVE_GROUP, if this consumer is a member; it does not wait for an answer
        (maybeLeaveGroup)."""
        if self._send_leave(reason) and not self._client.is_polling:
            self._client.poll_no_wakeup()
        self._forget_membership()

    def _leave_in_thread(self, reason: str) -> Iterator[int]:
        """The same on the heartbeat thread."""
        if self._send_leave(reason) and not self._client.is_polling:
            yield from self._client.poll_in_thread()
        self._forget_membership()

    def _send_leave(self, reason: str) -> bool:
        generation, node = self.generation, self._lookup.node
        if (
            self._membership.instance_id is not None
            or node is None
            or self.state is ClassicMemberState.UNJOINED
            or not generation.member_id
        ):
            return False
        begin(self._ask_to_leave(node, reason))
        return True

    def _ask_to_leave(self, node: Node, reason: str) -> Story:
        generation = self.generation
        in_full = self._profile.group.leave_reason_in_full and reason.startswith(
            "consumer poll timeout"
        )
        self._log(
            "SENDING_LEAVE_GROUP",
            member_id=generation.member_id,
            node=node,
            reason=POLL_TIMEOUT if in_full else reason,
        )
        request = LeaveGroupRequest(
            group_id=self.group_id,
            members=(MemberIdentity(member_id=generation.member_id, reason=reason),),
        )
        with suppress(KafkaException):  # nobody waits for the answer
            sent = yield self._client.send(node, request)
            self._log(
                "LEAVE_GROUP_RESPONSE",
                generation=generation,
                response=self._client.client.response_text(sent),
            )

    def _forget_membership(self) -> None:
        self._log("RESET_GENERATION_ON_LEAVE")
        if self._profile.group.states_rejoin_reason:
            self._log("REQUEST_JOINING", reason="consumer pro-actively leaving the group")
        self._membership.expelled()

    def close(self, timer: CallTimer) -> None:
        """Commits (with auto commit), ends requests under way, leaves; at most until the timer
        ends."""
        if self._auto_commit.enabled:
            self._auto_commit.commit_sync(timer)
        while self.offsets.pending_async_commits > 0 and not timer.expired:
            self._lookup.ensure_ready(timer)
            self._client.poll(timer)
            self.offsets.run_callbacks()
        self._heartbeats.close()
        try:
            if self._profile.group.revokes_on_close:
                self._changes.before_leaving()
        finally:
            self.maybe_leave("the consumer is being closed")
        node = self._lookup.checked_node()
        if node is not None:
            self._client.await_pending_requests(node, timer)


def _snapshot_text(version: int, counts: Mapping[str, int]) -> str:
    """ConsumerCoordinator.MetadataSnapshot.toString;
    its partitions are lists of racks since KIP-881."""
    topics = (
        f"{topic}=[{', '.join(['NO_RACKS'] * counts[topic])}]"
        for topic in ids_in_hash_order(counts)
    )
    return f"(version{version}: {{{', '.join(topics)}}})"
