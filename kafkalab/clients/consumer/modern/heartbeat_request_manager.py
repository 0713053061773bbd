"""HeartbeatRequestManager: sends the heartbeats of KIP-848
(internals.ConsumerHeartbeatRequestManager, AbstractHeartbeatRequestManager).

A heartbeat carries only what changed since the last one. It is sent when the broker's interval has
passed, and at once to join, to acknowledge an assignment and to leave.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from kafkalab.clients.consumer.modern.coordinator_request_manager import CoordinatorRequestManager
from kafkalab.clients.consumer.modern.membership_manager import (
    ConsumerMembershipManager,
    MemberState,
)
from kafkalab.clients.consumer.modern.network_client_delegate import NetworkClientDelegate
from kafkalab.clients.consumer.modern.request_state import RequestState
from kafkalab.clients.consumer.reading.parts import ConsumerPart, Shared
from kafkalab.clients.consumer.reading.request_future import Story, begin
from kafkalab.errors import (
    Errors,
    KafkaException,
    RetriableException,
    UnsupportedVersionException,
    error_for,
)
from kafkalab.protocol.messages import ConsumerGroupHeartbeatRequest, HeartbeatTopicPartitions
from kafkalab.sim.apps import FOREVER_MS

UNSUPPORTED = (
    "The cluster does not support the new CONSUMER group protocol. Set group.protocol=classic on "
    "the consumer configs to revert to the CLASSIC protocol until the cluster is upgraded."
)

REFUSALS = {
    Errors.NOT_COORDINATOR: "GROUP_HEARTBEAT_COORDINATOR_MOVED",
    Errors.COORDINATOR_NOT_AVAILABLE: "GROUP_HEARTBEAT_COORDINATOR_LOST",
    Errors.COORDINATOR_LOAD_IN_PROGRESS: "GROUP_HEARTBEAT_COORDINATOR_LOADING",
    Errors.UNKNOWN_MEMBER_ID: "GROUP_HEARTBEAT_OF_STRANGER",
    Errors.FENCED_MEMBER_EPOCH: "GROUP_HEARTBEAT_FENCED",
    Errors.UNRELEASED_INSTANCE_ID: "GROUP_HEARTBEAT_INSTANCE_TAKEN",
    Errors.FENCED_INSTANCE_ID: "GROUP_HEARTBEAT_INSTANCE_FENCED",
}
"""The line that tells of each refusal (AbstractHeartbeatRequestManager.onErrorResponse)."""


class HeartbeatRequestManager(ConsumerPart[NetworkClientDelegate]):
    """The heartbeats of one member. poll_deadline_ms: when max.poll.interval.ms has passed without
    a poll. unsupported: the sentence where the brokers do not know the protocol."""

    unsupported = UNSUPPORTED

    def __init__(
        self,
        shared: Shared[NetworkClientDelegate],
        membership: ConsumerMembershipManager,
        coordinator: CoordinatorRequestManager,
        state: RequestState,
    ) -> None:
        super().__init__(shared)
        self._membership = membership
        self._coordinator = coordinator
        self._state = state
        self._interval_ms = 0
        self._due_ms = self._clock.now_ms
        self.poll_deadline_ms: int = self._clock.now_ms + self._config["max.poll.interval.ms"]
        self._sent: dict[str, object] = {}
        state.more = lambda: (
            f", remainingMs={max(0, self._due_ms - self._clock.now_ms)}, "
            f"heartbeatIntervalMs={self._interval_ms}"
        )

    def polled(self, now_ms: int) -> None:
        """The application has polled."""
        if now_ms > self.poll_deadline_ms:
            self._log(
                "POLL_INTERVAL_EXCEEDED",
                ms=now_ms - self.poll_deadline_ms,
                member_id=self._membership.member_id,
            )
        self.poll_deadline_ms = now_ms + self._config["max.poll.interval.ms"]
        self._membership.application_is_back()

    def poll(self, now_ms: int) -> int:
        membership = self._membership
        if self._coordinator.node is None or membership.skips_heartbeat:
            membership.heartbeat_skipped()
            return FOREVER_MS
        if now_ms >= self.poll_deadline_ms and not membership.is_leaving:
            self._log("ASYNC_POLL_TIMEOUT_EXPIRED")
            membership.leave_stale()
            request = self._request()
            membership.heartbeat_generated()
            begin(self._leave_stale(request))
            self._state.reset()
            self._sent.clear()
            return self._interval_ms
        at_once = membership.heartbeats_now and not self._state.in_flight
        if not at_once and not (now_ms >= self._due_ms and self._state.can_send(now_ms)):
            return self._until_next_ms(now_ms)
        begin(self._beat(now_ms))
        return self._interval_ms

    def max_wait_ms(self, now_ms: int) -> int:
        """How long the application may sleep without a late heartbeat (maximumTimeToWait)."""
        left_ms = self.poll_deadline_ms - now_ms
        if left_ms <= 0 or (self._membership.heartbeats_now and not self._state.in_flight):
            return 0
        return min(left_ms // 2, self._until_next_ms(now_ms))

    def _until_next_ms(self, now_ms: int) -> int:
        return (
            self._state.remaining_backoff_ms(now_ms)
            if now_ms >= self._due_ms
            else self._due_ms - now_ms
        )

    def _beat(self, now_ms: int) -> Story:
        """A heartbeat and its answer."""
        request = self._request()
        self._state.sent(now_ms)
        self._due_ms = now_ms + self._interval_ms
        self._membership.heartbeat_generated()
        try:
            sent = yield self._client.send(self._coordinator.node, request)
        except KafkaException as error:
            self._failed(error, self._clock.now_ms)
        else:
            self._take(sent.message, self._clock.now_ms)

    def _leave_stale(self, request: Any) -> Story:
        """Whatever the answer says, the member joins again at the application's next poll."""
        with suppress(KafkaException):
            sent = yield self._client.send(self._coordinator.node, request)
            if sent.message.error_code == Errors.NONE.code:
                response = self._client.client.response_text(sent)
                self._log("STALE_HEARTBEAT_ANSWERED", response=response)

    def _request(self) -> Any:
        membership, everything = self._membership, self._membership.state is MemberState.JOINING
        if everything:
            self._sent.clear()
        topics = tuple(sorted(membership.subscribed_topics()))
        changed = self._changed("topics", topics)
        owned = self._changed("owned", membership.current)
        return ConsumerGroupHeartbeatRequest(
            group_id=membership.group_id,
            member_id=membership.member_id,
            member_epoch=membership.epoch,
            instance_id=membership.instance_id,
            rack_id=(self._config["client.rack"] or None) if everything else None,
            rebalance_timeout_ms=self._config["max.poll.interval.ms"]
            if self._changed("timeout", True)
            else -1,
            subscribed_topic_names=topics if changed else None,
            server_assignor=self._config["group.remote.assignor"]
            if self._changed("assignor", True)
            else None,
            topic_partitions=()
            if everything
            else tuple(
                HeartbeatTopicPartitions(topic_id=topic_id, partitions=numbers)
                for topic_id, numbers in membership.current.partitions.items()
            )
            if owned
            else None,
        )

    def _changed(self, what: str, value: object) -> bool:
        if what in self._sent and self._sent[what] == value:
            return False
        self._sent[what] = value
        return True

    def _take(self, response: Any, now_ms: int) -> None:
        error = error_for(response.error_code)
        if error is Errors.NONE:
            if response.heartbeat_interval_ms != self._interval_ms:
                self._log(
                    "MEMBER_HEARTBEAT_INTERVAL",
                    member_id=self._membership.member_id,
                    interval_ms=response.heartbeat_interval_ms,
                )
                self._interval_ms = response.heartbeat_interval_ms
                self._due_ms = now_ms + self._interval_ms
            self._state.succeeded(now_ms)
            self._membership.heartbeat_answered(response)
            return
        self._state.failed(now_ms)
        self._sent.clear()
        self._tell(error, response.error_message, now_ms)
        self._coordinator.lost_if(error)
        if error in (Errors.FENCED_MEMBER_EPOCH, Errors.UNKNOWN_MEMBER_ID):
            self._state.reset()
            self._due_ms = now_ms
            self._membership.fenced()
        elif error in (Errors.NOT_COORDINATOR, Errors.COORDINATOR_NOT_AVAILABLE):
            self._state.reset()
        elif error is Errors.COORDINATOR_LOAD_IN_PROGRESS:
            pass
        elif error is Errors.UNSUPPORTED_VERSION:
            self._fatal(UnsupportedVersionException(self.unsupported))
        else:
            self._fatal(error.exception(response.error_message or error.message))

    def _tell(self, error: Errors, message: str | None, now_ms: int) -> None:
        """Write why the coordinator has refused, and when the next heartbeat may go."""
        if error in REFUSALS:
            node, membership = self._coordinator.node, self._membership
            self._log(
                REFUSALS[error],
                coordinator="Optional.empty" if node is None else f"Optional[{node}]",
                member_id=membership.member_id,
                epoch=membership.epoch,
                instance=membership.instance_id or "null",
                remaining_ms=self._state.remaining_backoff_ms(now_ms),
                error=message or "null",
            )

    def _failed(self, error: BaseException, now_ms: int) -> None:
        """The answer is lost, and with it perhaps an assignment. So the next heartbeat says
        everything, and the coordinator answers everything (resetHeartbeatState)."""
        self._coordinator.lost_if(error)
        self._state.failed(now_ms)
        self._sent.clear()
        self._membership.heartbeat_failed(isinstance(error, RetriableException))
        if isinstance(error, UnsupportedVersionException):
            self._fatal(UnsupportedVersionException(self.unsupported))
        elif not isinstance(error, RetriableException):
            self._log("GROUP_HEARTBEAT_FATAL", error=error)
            self._fatal(error)

    def _fatal(self, error: BaseException) -> None:
        self._membership.fail()
        self._client.keep_error(error)
