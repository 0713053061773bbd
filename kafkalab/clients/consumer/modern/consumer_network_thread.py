"""ConsumerNetworkThread: says what a KIP-848 consumer's background thread does in a pass
(internals.ConsumerNetworkThread, ApplicationEventProcessor, RequestManagers).

Its managers find the coordinator, commit, send heartbeats, reconcile and fetch.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from kafkalab.clients.consumer.modern.background_thread import BackgroundThread
from kafkalab.clients.consumer.modern.commit_request_manager import CommitRequestManager
from kafkalab.clients.consumer.modern.coordinator_request_manager import CoordinatorRequestManager
from kafkalab.clients.consumer.modern.heartbeat_request_manager import HeartbeatRequestManager
from kafkalab.clients.consumer.modern.membership_manager import (
    ConsumerMembershipManager,
    MemberState,
)
from kafkalab.clients.consumer.modern.network_client_delegate import NetworkClientDelegate
from kafkalab.clients.consumer.reading.fetch_collector import FetchCollector
from kafkalab.clients.consumer.reading.fetcher import Fetcher
from kafkalab.clients.consumer.reading.offset_fetcher import OffsetFetcher
from kafkalab.clients.consumer.reading.position_validation import PositionValidation
from kafkalab.clients.consumer.reading.request_future import Story, begin
from kafkalab.clients.consumer.reading.subscription_state import SubscriptionState
from kafkalab.clients.network.log_context import LogContext
from kafkalab.errors import TimeoutException
from kafkalab.lines.java_values import value_text
from kafkalab.lines.metrics import RemovedMetrics
from kafkalab.protocol.frozen import record
from kafkalab.sim.apps import FOREVER_MS, Signal


@record
class RequestManagers:
    """The managers of a consumer that is in a group."""

    coordinator: CoordinatorRequestManager
    commits: CommitRequestManager
    heartbeats: HeartbeatRequestManager
    membership: ConsumerMembershipManager


@dataclass(slots=True)
class AsyncPollEvent:
    """One poll of the application, as the background thread handles it. Complete: fetches may be
    sent; an error is raised to the application."""

    deadline_ms: int
    polled_ms: int
    enqueued_ms: int = 0
    error: BaseException | None = None
    is_complete: bool = False
    positions_validated: bool = False
    reconciliation_checked: bool = False

    def text(self, epoch_ms: int) -> str:
        at = [
            0 if self.enqueued_ms == 0 else epoch_ms + self.enqueued_ms,
            epoch_ms + self.deadline_ms,
            epoch_ms + self.polled_ms,
        ]
        return (
            f"AsyncPollEvent{{type=ASYNC_POLL, enqueuedMs={at[0]}, deadlineMs={at[1]}, "
            f"pollTimeMs={at[2]}, error={value_text(self.error)}, "
            f"isComplete={value_text(self.is_complete)}, "
            f"isValidatePositionsComplete={value_text(self.positions_validated)}, "
            f"isReconciliationCheckComplete={value_text(self.reconciliation_checked)}}}"
        )


@dataclass(slots=True)
class RecordReader:
    """The managers that fetch records and find positions."""

    fetcher: Fetcher
    collector: FetchCollector
    offsets: OffsetFetcher
    validation: PositionValidation
    subscriptions: SubscriptionState
    buffered: Signal = field(default_factory=Signal)


class ConsumerNetworkThread(BackgroundThread):
    """The thread of a consumer of the KIP-848 protocol."""

    def __init__(
        self,
        network: NetworkClientDelegate,
        reading: RecordReader,
        group: RequestManagers | None,
        log: LogContext,
        removed: Callable[[], RemovedMetrics],
    ) -> None:
        super().__init__(network, log)
        self._reading, self._group, self._removed = reading, group, removed
        self._fetch_wanted = False
        self._matched_at_version = 0

    def add_poll(self, event: AsyncPollEvent) -> None:
        event.enqueued_ms = self._network.clock.now_ms
        self.add(lambda now_ms: self._polled(event, now_ms))

    def _begin_pass(self) -> None:
        if self._group is not None:
            self._group.membership.run_done()

    def _end_pass(self) -> int:
        """Tell the application of records; returns how long it may sleep."""
        if self._reading.collector.buffered():
            self._reading.buffered.set()
        group, now_ms = self._group, self._network.clock.now_ms
        return (
            FOREVER_MS
            if group is None
            else min(group.heartbeats.max_wait_ms(now_ms), group.commits.until_due_ms(now_ms))
        )

    def _managers(self) -> list[Callable[[int], int]]:
        """The managers in the order of the class: coordinator, commits, heartbeats, membership,
        then fetches."""
        if self._group is None:
            return [self._poll_fetches]
        group = self._group
        return [
            group.coordinator.poll,
            group.commits.poll,
            group.heartbeats.poll,
            self._poll_membership,
            self._poll_fetches,
        ]

    def _poll_membership(self, now_ms: int) -> int:
        assert self._group is not None, "asked in a group only"
        membership = self._group.membership
        if membership.state is MemberState.RECONCILING:
            membership.reconcile(may_commit=False)
        return FOREVER_MS

    def _poll_fetches(self, now_ms: int) -> int:
        if self._fetch_wanted:
            self._fetch_wanted = False
            self._reading.fetcher.send_fetches()
        return FOREVER_MS

    def _polled(self, event: AsyncPollEvent, now_ms: int) -> None:
        """Handles a poll in the background thread: membership, auto commit, positions, fetches."""
        if self._group is not None:
            membership = self._group.membership
            if membership.state is MemberState.RECONCILING:
                membership.reconcile(may_commit=True)
            self._group.commits.commit_if_due(event.polled_ms)
            self._match_pattern()
            membership.on_poll()
            self._group.heartbeats.polled(event.polled_ms)
        event.reconciliation_checked = True
        begin(self._update_positions(event))

    def _match_pattern(self) -> None:
        """Compares the pattern with the topics again when metadata have arrived; a member may want
        none (UpdatePatternSubscriptionEvent)."""
        metadata, subscriptions = self._network.client.metadata, self._reading.subscriptions
        if subscriptions.pattern is None or self._matched_at_version == metadata.update_version:
            return
        self._matched_at_version = metadata.update_version
        if subscriptions.match(metadata.view.topics):
            metadata.request_update_for_new_topics()
        if self._group is not None:
            self._group.membership.subscription_updated()

    def _update_positions(self, event: AsyncPollEvent) -> Story:
        reading = self._reading
        try:
            reading.validation.validate_if_needed()
            event.positions_validated = True
            initializing = sorted(reading.subscriptions.initializing())
            if self._group is not None and initializing:
                yield self._group.commits.set_positions(initializing, event.deadline_ms)
            reading.offsets.reset_missing()
            reading.offsets.reset_positions()
            self._fetch_wanted = True
        except TimeoutException:  # A later poll tries it again.
            self._fetch_wanted = True
        except Exception as error:  # The application raises it in its next poll.
            event.error = error
        event.is_complete = True

    def _clean_up(self) -> Iterator[int]:
        reading, network = self._reading, self._network
        closing = reading.fetcher.begin_close()
        while network.clock.now_ms < self._close_by_ms and (
            network.has_pending_requests or not all(f.is_done for f in closing)
        ):
            yield from network.run_pass(self._close_by_ms - network.clock.now_ms)
        self._log("REQUEST_MANAGERS_CLOSING")
        reading.collector.drop_all()
        self._log("REQUEST_MANAGERS_CLOSED")
        network.client.close(self._removed().network)
        self._log("NETWORK_THREAD_CLOSED")
