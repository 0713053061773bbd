"""AsyncKafkaConsumer: the consumer of the group protocol of KIP-848, group.protocol=consumer
(internals.AsyncKafkaConsumer).

Its background thread connects and looks up the coordinator from the constructor on, keeps the
membership and fetches. A poll hands it an event, runs the calls that wait for the application's
thread, and takes records from the buffer.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from kafkalab.clients.consumer.modern.async_lines import AsyncLines
from kafkalab.clients.consumer.modern.commit_request_manager import CommitRequestManager
from kafkalab.clients.consumer.modern.consumer_network_thread import (
    AsyncPollEvent,
    ConsumerNetworkThread,
    RecordReader,
    RequestManagers,
)
from kafkalab.clients.consumer.modern.coordinator_request_manager import CoordinatorRequestManager
from kafkalab.clients.consumer.modern.heartbeat_request_manager import HeartbeatRequestManager
from kafkalab.clients.consumer.modern.membership_manager import ConsumerMembershipManager
from kafkalab.clients.consumer.modern.network_client_delegate import NetworkClientDelegate
from kafkalab.clients.consumer.modern.request_state import RequestState
from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.commit_offsets import CommitCallback, Offsets
from kafkalab.clients.consumer.reading.consumer_setup import ConsumerSetup
from kafkalab.clients.consumer.reading.fetch_collector import FetchCollector
from kafkalab.clients.consumer.reading.fetcher import Fetcher
from kafkalab.clients.consumer.reading.offset_fetcher import OffsetFetcher
from kafkalab.clients.consumer.reading.parts import Shared
from kafkalab.clients.consumer.reading.position_validation import PositionValidation
from kafkalab.clients.consumer.reading.rebalance_callbacks import RebalanceCallbacks
from kafkalab.clients.network.app_info import tell_removed
from kafkalab.errors import KafkaException, TimeoutException
from kafkalab.lines.metrics import RemovedMetrics
from kafkalab.protocol.identifiers import kafka_uuid
from kafkalab.records import (
    ConsumerGroupMetadata,
    ConsumerRecord,
    OffsetAndMetadata,
    TopicPartition,
)
from kafkalab.sim.apps import Signal

INTERNALS = "org.apache.kafka.clients.consumer.internals."

BACKGROUND_IS_FASTER = 0.25
"""How often the background thread has handled a poll's event before the application checks again;
two threads race for it in a JVM."""


class AsyncKafkaConsumer:
    """The delegate of KafkaConsumer with group.protocol=consumer."""

    def __init__(self, setup: ConsumerSetup) -> None:
        lab, profile, config, group = setup.lab, setup.profile, setup.config, setup.group_id
        self._setup, self._lab = setup, lab
        self.log = log = setup.log_context(AsyncLines)
        setup.tell_config(log)
        log("ASYNC_CONSUMER_INITIALIZING")
        self.subscriptions = subscriptions = setup.subscription_state()
        self.client = client = setup.network_client(log, subscriptions, topic_ids=True)
        self.network = network = NetworkClientDelegate(client, lab.stage, config)
        self._to_do: deque[Callable[[], BaseException | None]] = deque()
        self._inflight: AsyncPollEvent | None = None
        self._luck = setup.stream("application")
        shared = Shared(
            config, profile, network, subscriptions, log, lab.stage, self._luck, lab.epoch_ms
        )
        validation = PositionValidation(shared, tells_requests=True)
        self.offset_fetcher = OffsetFetcher(shared)
        self._collector = FetchCollector(shared)
        self._fetcher = Fetcher(shared, self._collector)
        self._reading = RecordReader(
            self._fetcher, self._collector, self.offset_fetcher, validation, subscriptions
        )
        self._fetcher.on_answer = self._reading.buffered.set
        self._callbacks = RebalanceCallbacks(profile, subscriptions, log)
        self._group = None if group is None else self._managers(shared, group)
        self._background = ConsumerNetworkThread(
            network, self._reading, self._group, log, self._removed_metrics
        )
        starting_ms = (
            profile.connecting.first_use_ms.get("background thread", (0, 0)) if lab.cold else (0, 0)
        )
        self._background.start(lab.stage, starting_ms)
        setup.register(log)
        log("ASYNC_CONSUMER_INITIALIZED")

    def _managers(self, shared: Shared[NetworkClientDelegate], group: str) -> RequestManagers:
        lab = self._lab
        profile = self._setup.profile
        config = self._setup.config
        luck = self._setup.stream("request backoff")
        member_id = kafka_uuid(self._setup.stream("member id"))

        def state(owner: str, kind: str = "RequestState") -> RequestState:
            return RequestState(owner, kind, config, luck, shared.log, lab.epoch_ms)

        coordinator = CoordinatorRequestManager(shared, group, state("CoordinatorRequestManager"))
        commits = CommitRequestManager(shared, group, member_id, coordinator)
        membership = ConsumerMembershipManager(
            shared,
            group,
            member_id,
            commits.commit_before_reconciling,
            commits.tell_epoch,
            commits.restart,
            self._to_do.append,
            self._callbacks,
        )
        heartbeats = HeartbeatRequestManager(
            shared,
            membership,
            coordinator,
            state(INTERNALS + profile.group.heartbeat_state_class, "HeartbeatRequestState"),
        )
        commits.on_commit = self._setup.interceptors.on_commit
        return RequestManagers(coordinator, commits, heartbeats, membership)

    # subscription

    def subscription_changed(self) -> None:
        """The background thread sends the subscription to the broker, which receives names also
        where a pattern was subscribed to."""
        self._background.add_and_wait(
            self._members().membership.subscription_updated, self._lab.stage
        )

    def unsubscribe(self) -> None:
        """Leaves the group and forgets the assignment; the listener is called for the revoked
        partitions."""
        if self._group is not None and self.subscriptions.is_subscribed:
            self._leave(self.network.timer(self._setup.config["default.api.timeout.ms"]))
        self.subscriptions.unsubscribe()
        self.client.metadata.retains = None

    # reading

    def poll(self, timer: CallTimer) -> list[ConsumerRecord] | None:
        """Records; None when the timer ended first. Raises also the errors of the background
        thread: UnsupportedVersionException from a broker without the protocol."""
        while True:
            self.network.raise_if_woken()
            self._hand_over_poll(timer)
            records = self._take_records(timer)
            if records:
                return records
            if timer.expired:
                return None

    def _hand_over_poll(self, timer: CallTimer) -> None:
        """Checks the result of the last poll's event, hands over a new event, and runs the calls
        that wait for the application's thread (checkInflightPoll)."""
        now_ms, epoch_ms = self._lab.now_ms, self._lab.epoch_ms
        event = self._inflight
        if event is not None and (event.is_complete or now_ms >= event.deadline_ms):
            self.log(
                "ASYNC_POLL_UNFILLED" if event.is_complete else "ASYNC_POLL_EXPIRED",
                event=event.text(epoch_ms),
            )
            self._clear_inflight()
        if self._inflight is None:
            event = self._inflight = AsyncPollEvent(timer.deadline_ms, now_ms)
            self.log("ASYNC_POLL_SUBMITTED", event=event.text(epoch_ms))
            self._background.add_poll(event)
            self._wait_for_background(event, timer)
        self._do_for_background()
        if self._inflight.is_complete:
            self.log("ASYNC_POLL_COMPLETED", event=self._inflight.text(epoch_ms))
            self._clear_inflight()

    def _wait_for_background(self, event: AsyncPollEvent, timer: CallTimer) -> None:
        """4.0 waits for its events; later a poll goes on, and the background thread has handled the
        event already, or not yet."""
        if not self._setup.profile.group.assigns_in_poll:
            while not event.is_complete and not timer.expired:
                self.network.poll(timer)
            if not event.is_complete:
                self._say_expired(event)
        elif self._luck.random() < BACKGROUND_IS_FASTER:
            self._lab.stage.wait(Signal(), self._lab.now_ms)

    def _say_expired(self, event: AsyncPollEvent) -> None:
        epoch_ms, deadline_ms = self._lab.epoch_ms, self._lab.epoch_ms + event.deadline_ms
        late_ms = self._lab.now_ms - event.deadline_ms
        failed = (
            "org.apache.kafka.common.errors.TimeoutException: CheckAndUpdatePositionsEvent was "
            f"{late_ms} ms past its expiration of {deadline_ms}"
        )
        self.log(
            "POSITIONS_EVENT_EXPIRED",
            id=kafka_uuid(self._luck),
            enqueued_ms=epoch_ms + event.enqueued_ms,
            deadline_ms=deadline_ms,
            late_ms=late_ms,
            future=f"java.util.concurrent.CompletableFuture@0[Completed exceptionally: {failed}]",
        )

    def _clear_inflight(self) -> None:
        event, self._inflight = self._inflight, None
        if event is not None and event.error is not None:
            raise event.error

    def _take_records(self, timer: CallTimer) -> list[ConsumerRecord]:
        records = self._collector.collect()
        if records:
            return records
        timeout_ms = min(self._background.max_wait_ms, timer.remaining_ms)
        if not self.subscriptions.has_all_positions():
            timeout_ms = min(timeout_ms, self._setup.config["retry.backoff.ms"])
        self.log("ASYNC_POLLING_FOR_FETCHES", timeout_ms=timeout_ms)
        buffered = self._reading.buffered
        if not self._collector.buffered():
            buffered.clear()
            # A pass that does not wait takes time, too.
            self._lab.stage.wait(
                buffered,
                self._lab.now_ms + max(1, timeout_ms) if timer.remaining_ms else self._lab.now_ms,
            )
        return self._collector.collect()

    def wakeup(self) -> None:
        """Makes the call that waits raise WakeupException; a poll that waits for records checks for
        it, too."""
        self.network.wakeup()
        self._reading.buffered.set()

    def update_positions(self, timer: CallTimer) -> None:
        """Hands the background thread an event, as a poll does."""
        self._background.add_poll(AsyncPollEvent(timer.deadline_ms, self._lab.now_ms))

    # the group

    def committed(
        self, partitions: list[TopicPartition], timer: CallTimer
    ) -> dict[TopicPartition, OffsetAndMetadata | None] | None:
        """The group's committed offsets; None when the timer ended first. Raises the coordinator's
        lasting errors."""
        return self._members().commits.fetch(partitions, timer)

    def commit_sync(self, offsets: Offsets, timer: CallTimer) -> bool:
        """Commits and waits; False when the timer ended first. Raises CommitFailedException for a
        lost membership."""
        return self._members().commits.commit_sync(offsets, timer)

    def commit_async(self, offsets: Offsets, callback: CommitCallback | None) -> None:
        """Commits without waiting; the callback runs in a later poll."""
        self._members().commits.commit_async(offsets, callback, self._to_do.append)

    def group_metadata(self) -> ConsumerGroupMetadata:
        """Group, member epoch and member id; the epoch has the place of the classic protocol's
        generation (KIP-848)."""
        membership = self._members().membership
        return ConsumerGroupMetadata(
            membership.group_id,
            membership.epoch,
            membership.member_id,
            self._setup.config.get("group.instance.id"),
        )

    def enforce_rebalance(self, reason: str) -> None:
        """Does nothing: the broker decides when to assign, and Java's consumer only writes that
        this is not supported."""

    def _members(self) -> RequestManagers:
        assert self._group is not None, "KafkaConsumer refuses group calls where there is no group"
        return self._group

    # calls that wait for the application's thread

    def _do_for_background(self) -> None:
        """Runs the calls that wait for the application's thread: assignments, listeners, callbacks
        of commits. Raises the first of their errors."""
        failed = None
        while self._to_do:
            failed = failed or self._to_do.popleft()()
        self.network.raise_error()
        if failed is not None:
            raise KafkaException("User rebalance callback throws an error") from failed

    # closing

    def close(self, timeout_ms: int) -> None:
        """Commits (with auto commit), leaves the group, ends the background thread."""
        self.network.disable_wakeups()
        self.log("ASYNC_CONSUMER_CLOSING")
        # createTimerForCloseRequests
        timeout_ms = min(timeout_ms, self._setup.config["request.timeout.ms"])
        timer = self.network.timer(timeout_ms)
        telemetry = self.client.telemetry
        if telemetry:
            telemetry.initiate_close()
        if self._group is not None:
            self._end_membership(timer, timeout_ms)
        self._background.close(timer.remaining_ms)
        self._lab.stage.wait(self._background.finished, timer.deadline_ms + timeout_ms)
        removed = self._removed_metrics()
        tell_removed(self.log, [*removed.own, *removed.group])
        if telemetry:
            for _ in range(2):
                telemetry.stop()
        self._setup.unregister(self.log, removed.app)
        self.log("ASYNC_CONSUMER_CLOSED")

    def _removed_metrics(self) -> RemovedMetrics:
        return self._setup.removed_metrics(self.client, self._fetcher, network_first=True)

    def _end_membership(self, timer: CallTimer, timeout_ms: int) -> None:
        """Commits, calls the listener, leaves the group, in the order of
        AsyncKafkaConsumer.close."""
        log = self.log
        if self._setup.config["enable.auto.commit"]:
            log("ASYNC_COMMIT_ON_CLOSE")
            self._commit_all_consumed(timer)
        log("COMMIT_MANAGER_CLOSE_SIGNALLED")
        log("ASYNC_STOP_FINDING_COORDINATOR")
        owned = sorted(self.subscriptions.assigned())
        if owned and self.subscriptions.auto_assigned:
            self._callbacks.revoked(owned)
        log("COORDINATOR_MANAGER_CLOSE_SIGNALLED")
        self._members().coordinator.closing = True
        log("ASYNC_LEAVING")
        log("MEMBERSHIP_LEAVE_SIGNALLED")
        if self._goodbye(timer):
            log("ASYNC_LEFT")
        else:
            log("ASYNC_NOT_LEFT_IN_TIME", ms=timeout_ms)

    def _commit_all_consumed(self, timer: CallTimer) -> None:
        """Commits the positions and waits. A failure is written as a line and not raised, because
        the application did not call this commit (commitSyncAllConsumed)."""
        try:
            if not self._members().commits.commit_sync(self.subscriptions.all_consumed(), timer):
                raise TimeoutException()
        except KafkaException as error:
            self.log("ASYNC_COMMIT_ON_CLOSE_FAILED", trace=error.java_text())

    def _leave(self, timer: CallTimer) -> None:
        owned = sorted(self.subscriptions.assigned())
        if owned and self.subscriptions.listener is not None:
            self._callbacks.revoked(owned)
        self._goodbye(timer)

    def _goodbye(self, timer: CallTimer) -> bool:
        """Leaves the group; returns whether the coordinator answered in time."""
        done = Signal()
        membership = self._members().membership

        def leave(now_ms: int) -> None:
            left = membership.leave()
            self.subscriptions.assign_from_subscribed(())
            left.wakes(done)

        self._background.add(leave)
        self._lab.stage.wait(done, timer.deadline_ms)
        return done.is_set
