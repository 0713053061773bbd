"""ShareConsumerImpl: does the work of KafkaShareConsumer (internals.ShareConsumerImpl).

Its background thread connects, keeps the membership, fetches and acknowledges. The parts of the
KIP-848 consumer that it shares are in `clients/consumer/modern`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from kafkalab.clients.consumer.modern.background_thread import (
    LONGEST_PASS_MS,
    BackgroundThread,
)
from kafkalab.clients.consumer.modern.coordinator_request_manager import CoordinatorRequestManager
from kafkalab.clients.consumer.modern.membership_manager import MemberState
from kafkalab.clients.consumer.modern.network_client_delegate import NetworkClientDelegate
from kafkalab.clients.consumer.modern.request_state import RequestState
from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.consumer_setup import ConsumerSetup
from kafkalab.clients.consumer.reading.parts import Shared
from kafkalab.clients.consumer.reading.rebalance_callbacks import RebalanceCallbacks
from kafkalab.clients.consumer.reading.request_future import RequestFuture
from kafkalab.clients.consumer.share.acknowledgements import AcknowledgeType
from kafkalab.clients.consumer.share.share_consume_request_manager import (
    Results,
    ShareConsumeRequestManager,
)
from kafkalab.clients.consumer.share.share_fetch import NOT_ALL_SAID, Said, ShareFetch
from kafkalab.clients.consumer.share.share_lines import ShareLines
from kafkalab.clients.consumer.share.share_membership import (
    ShareHeartbeatRequestManager,
    ShareMembershipManager,
)
from kafkalab.clients.network.app_info import tell_removed
from kafkalab.clients.network.log_context import LogContext
from kafkalab.errors import IllegalStateException, TimeoutException
from kafkalab.lines.java_values import value_text
from kafkalab.lines.metrics import RemovedMetrics, removed_at_share_close
from kafkalab.protocol.identifiers import kafka_uuid
from kafkalab.records import ConsumerRecord, TopicPartition
from kafkalab.sim.apps import FOREVER_MS, Signal

INTERNALS = "org.apache.kafka.clients.consumer.internals."

BACKGROUND_IS_FASTER = 0.4
"""How often the background thread has handled a poll's event before the application checks again;
two threads race for it in a JVM. Recorded: 19 of 50."""

FUTURE = "java.util.concurrent.CompletableFuture@0"


class SharePollEvent:
    """One poll of the application, as the background thread handles it."""

    __slots__ = ("deadline_ms", "enqueued_ms", "is_complete", "polled_ms")

    def __init__(self, deadline_ms: int, polled_ms: int) -> None:
        self.deadline_ms, self.polled_ms, self.enqueued_ms = deadline_ms, polled_ms, -1
        self.is_complete = False

    def text(self, epoch_ms: int) -> str:
        enqueued = 0 if self.enqueued_ms < 0 else epoch_ms + self.enqueued_ms
        return (
            f"SharePollEvent{{type=SHARE_POLL, enqueuedMs={enqueued}, "
            f"deadlineMs={epoch_ms + self.deadline_ms}, pollTimeMs={epoch_ms + self.polled_ms}, "
            f"isComplete={value_text(self.is_complete)}}}"
        )


class ShareNetworkThread(BackgroundThread):
    """The background thread of a share consumer: other managers, the same passes."""

    def __init__(
        self,
        network: NetworkClientDelegate,
        coordinator: CoordinatorRequestManager,
        heartbeats: ShareHeartbeatRequestManager,
        membership: ShareMembershipManager,
        consuming: ShareConsumeRequestManager,
        log: LogContext,
        removed: Callable[[], RemovedMetrics],
    ) -> None:
        super().__init__(network, log, LONGEST_PASS_MS)
        self._removed = removed
        self._coordinator = coordinator
        self._heartbeats = heartbeats
        self._membership = membership
        self._consuming = consuming

    def _begin_pass(self) -> None:
        self._membership.run_done()

    def _end_pass(self) -> int:
        if self._consuming.completed:
            self._consuming.buffered.set()
        return self._heartbeats.max_wait_ms(self._network.clock.now_ms)

    def _managers(self) -> list[Callable[[int], int]]:
        return [
            self._coordinator.poll,
            self._heartbeats.poll,
            self._reconcile,
            self._consuming.poll,
        ]

    def _reconcile(self, now_ms: int) -> int:
        if self._membership.state is MemberState.RECONCILING:
            self._membership.reconcile(may_commit=True)
        return FOREVER_MS

    def _clean_up(self) -> Iterator[int]:
        network = self._network
        while network.clock.now_ms < self._close_by_ms and network.has_pending_requests:
            yield from network.run_pass(self._close_by_ms - network.clock.now_ms)
        self._log("REQUEST_MANAGERS_CLOSING")
        self._consuming.completed.clear()
        removed = self._removed()
        tell_removed(self._log, removed.group)
        self._log("REQUEST_MANAGERS_CLOSED")
        network.client.close(removed.network)
        self._log("NETWORK_THREAD_CLOSED")


class ShareConsumerImpl:
    """The delegate of KafkaShareConsumer."""

    def __init__(self, setup: ConsumerSetup) -> None:
        lab, profile, config = setup.lab, setup.profile, setup.config
        group = setup.group_id
        assert group is not None, "KafkaShareConsumer refuses a share consumer without a group"
        self._setup, self._lab = setup, lab
        self.log = log = setup.log_context(ShareLines)
        setup.tell_config(log)
        log("SHARE_CONSUMER_INITIALIZING")
        self.subscriptions = setup.subscription_state()
        self.client = setup.network_client(log, self.subscriptions, topic_ids=True)
        self.network = network = NetworkClientDelegate(self.client, lab.stage, config)
        luck = setup.stream("request backoff")
        member_id = kafka_uuid(setup.stream("member id"))
        self._luck = setup.stream("application")

        def state(owner: str, kind: str = "RequestState") -> RequestState:
            return RequestState(owner, kind, config, luck, log, lab.epoch_ms)

        shared = Shared(
            config, profile, network, self.subscriptions, log, lab.stage, self._luck, lab.epoch_ms
        )
        self._coordinator = CoordinatorRequestManager(
            shared, group, state("CoordinatorRequestManager")
        )
        self._membership = ShareMembershipManager(
            shared,
            group,
            member_id,
            lambda: RequestFuture.completed_with(None),
            lambda epoch: None,
            lambda: None,
            lambda call: call(),
            RebalanceCallbacks(profile, self.subscriptions, log),
        )
        heartbeats = ShareHeartbeatRequestManager(
            shared,
            self._membership,
            self._coordinator,
            state(INTERNALS + profile.group.heartbeat_state_class, "HeartbeatRequestState"),
        )
        self._heartbeats = heartbeats
        self._consuming = ShareConsumeRequestManager(shared, group, member_id)
        self._background = ShareNetworkThread(
            network,
            self._coordinator,
            heartbeats,
            self._membership,
            self._consuming,
            log,
            self._removed_metrics,
        )
        self._inflight: SharePollEvent | None = None
        self._fetch = ShareFetch()
        self.explicit: bool = config["share.acknowledgement.mode"].lower() == "explicit"
        self._on_commit: Callable[[Results], object] | None = None
        self._background.start(lab.stage)
        setup.register(log)
        log("SHARE_CONSUMER_INITIALIZED")

    @property
    def lock_ms(self) -> int | None:
        """How long the brokers lock records; None before the first answer."""
        return self._consuming.lock_ms

    # subscription

    def subscription_changed(self) -> None:
        """The background thread sends the subscription to the broker."""
        self._background.add_and_wait(self._membership.subscription_updated, self._lab.stage)

    def unsubscribe(self) -> None:
        """Gives up what is held, leaves the group and forgets the subscription."""
        if self.subscriptions.is_subscribed:
            timer = self.network.timer(self._setup.config["default.api.timeout.ms"])
            self._wait(lambda: self._consuming.close_sessions(self._fetch.take_said()), timer)
            self._wait(self._membership.leave, timer)
        self._fetch = ShareFetch()
        self._consuming.completed.clear()
        self.subscriptions.unsubscribe()

    # reading

    def poll(self, timer: CallTimer) -> list[ConsumerRecord]:
        """Records that this member has acquired; none when the timer ends. Raises
        IllegalStateException in explicit mode where earlier records were not acknowledged."""
        self._settle()
        if not self.explicit:
            self._fetch.acknowledge_all(AcknowledgeType.ACCEPT)
        elif self._fetch.unsaid:
            raise IllegalStateException(NOT_ALL_SAID)
        if renewed := self._fetch.take_renewed():
            return renewed
        self._clear_last_poll()
        asked = False
        while True:
            self.network.raise_if_woken()
            self._hand_over_poll(timer)
            timeout_ms = min(self._background.max_wait_ms, timer.remaining_ms)
            said = self._fetch.take_said()
            records = self._collect()
            if not records:
                if said or not asked:
                    self._send(partial(self._consuming.fetch, said))
                    asked = True
                # A pass that does not wait takes time, too.
                self._await_records(max(1, timeout_ms) if timer.remaining_ms else 0)
                records = self._collect()
            elif said:
                self._send(partial(self._consuming.acknowledge, said))
            if records:
                self._settle()
                return records
            self.network.raise_error()
            if timer.expired:
                self._settle()
                return []

    def _clear_last_poll(self) -> None:
        """Forgets the event that the last poll has left (maybeClearPreviousInFlightPoll)."""
        event = self._inflight
        if event is not None and (event.is_complete or self._lab.now_ms >= event.deadline_ms):
            self.log("SHARE_POLL_LEFT", event=event.text(self._lab.epoch_ms))
            self._inflight = None

    def _hand_over_poll(self, timer: CallTimer) -> None:
        """Hands over an event where the last one is complete (checkInFlightPoll)."""
        now_ms, epoch_ms = self._lab.now_ms, self._lab.epoch_ms
        if self._inflight is None:
            event = self._inflight = SharePollEvent(timer.deadline_ms, now_ms)
            self.log("SHARE_POLL_SUBMITTED", event=event.text(epoch_ms))
            event.enqueued_ms = now_ms
            self._background.add(partial(self._polled, event))
            if self._luck.random() < BACKGROUND_IS_FASTER:
                self._lab.stage.wait(Signal(), self._lab.now_ms)
        if self._inflight is not None and self._inflight.is_complete:
            self.log("SHARE_POLL_COMPLETED", event=self._inflight.text(epoch_ms))
            self._inflight = None

    def _polled(self, event: SharePollEvent, now_ms: int) -> None:
        """Handles a poll in the background thread."""
        self._membership.on_poll()
        self._heartbeats.polled(event.polled_ms)
        event.is_complete = True

    def _collect(self) -> list[ConsumerRecord]:
        for fetch in self._consuming.completed:
            size = sum(batch.size_bytes for batch in fetch.data.records)
            self.log("SHARE_FETCH_READING", bytes=size, partition=fetch.partition)
        return self._fetch.take(self._consuming.completed, self._setup.config["max.poll.records"])

    def _await_records(self, timeout_ms: int) -> None:
        if not self._consuming.completed:
            self._consuming.buffered.clear()
            self._lab.stage.wait(self._consuming.buffered, self._lab.now_ms + timeout_ms)

    # acknowledging

    def acknowledge(self, record: ConsumerRecord, kind: AcknowledgeType) -> None:
        """Notes what the application says of a record; the next poll or commit sends it."""
        if not self.explicit:
            raise IllegalStateException("Implicit acknowledgement of delivery is being used.")
        self._fetch.acknowledge(TopicPartition(record.topic, record.partition), record.offset, kind)

    def commit_sync(self, timer: CallTimer) -> Results:
        """Sends what was said and waits. Raises TimeoutException."""
        self._settle()
        if not self.explicit:
            self._fetch.acknowledge_all(AcknowledgeType.ACCEPT)
        said = self._fetch.take_said()
        if not said:
            return {}
        done = self._wait(lambda: self._consuming.acknowledge(said, sync=True), timer)
        self._settle()
        if done is None:
            raise TimeoutException("Timeout expired before the acknowledgements were completed")
        results: Results = done.value
        return results

    def commit_async(self) -> None:
        """Sends what was said and does not wait."""
        if not self.explicit:
            self._fetch.acknowledge_all(AcknowledgeType.ACCEPT)
        said = self._fetch.take_said()
        if said:
            self._send(lambda: self._consuming.acknowledge(said))

    def on_commit(self, callback: Callable[[Results], object] | None) -> None:
        """callback(results) is called inside a later call, with the results by partition."""
        self._on_commit = callback

    def _settle(self) -> None:
        """Handles finished acknowledgements: renewed records come back, the callback is called."""
        while self._consuming.settled:
            partition, batch, error = self._consuming.settled.popleft()
            if error is None:
                self._fetch.renewed(partition, batch)
            if self._on_commit is not None:
                self._on_commit({partition: error})

    # closing

    def close(self, timeout_ms: int) -> None:
        """Sends the last acknowledgements, gives up what is held, leaves the group."""
        self.network.disable_wakeups()
        self.log("SHARE_CONSUMER_CLOSING")
        timeout_ms = min(timeout_ms, self._setup.config["request.timeout.ms"])
        timer = self.network.timer(timeout_ms)
        telemetry = self.client.telemetry
        if telemetry:
            telemetry.initiate_close()
        if not self.explicit:
            self._fetch.acknowledge_all(AcknowledgeType.ACCEPT)
        said: Said = self._fetch.take_said()
        self._wait(lambda: self._consuming.close_sessions(said), timer)
        left = self._begin(self._membership.leave)
        for name in ("SHARE_FUTURE_AWAITED", "SHARE_FUTURE_WAITING"):
            ms = timer.remaining_ms if name == "SHARE_FUTURE_AWAITED" else 100
            self.log(name, ms=ms, future=f"{FUTURE}[Not completed]")
        if self._await(left, timer) is not None:
            self.log("SHARE_FUTURE_COMPLETED", future=f"{FUTURE}[Completed normally]")
            self.log("SHARE_LEFT")
        self.log("SHARE_STOP_FINDING_COORDINATOR")
        self.log("COORDINATOR_MANAGER_CLOSE_SIGNALLED")
        self._coordinator.closing = True
        self._background.close(timer.remaining_ms)
        self._lab.stage.wait(self._background.finished, timer.deadline_ms + timeout_ms)
        removed = self._removed_metrics()
        tell_removed(self.log, removed.own)
        if telemetry:
            for _ in range(2):
                telemetry.stop()
        self._setup.unregister(self.log, removed.app)
        self.log("SHARE_CONSUMER_CLOSED")

    def _removed_metrics(self) -> RemovedMetrics:
        return removed_at_share_close(
            self._setup.profile.name,
            self._setup.client_id,
            nodes=self.client.tried_connections(),
            fetched_from=self._consuming.fetched_from,
        )

    def wakeup(self) -> None:
        """Makes the call that waits raise WakeupException."""
        self.network.wakeup()
        self._consuming.buffered.set()

    # the background thread

    def _send(self, event: Callable[[], object]) -> None:
        def run(now_ms: int) -> None:
            event()

        self._background.add(run)

    def _begin(self, event: Callable[[], RequestFuture]) -> tuple[Signal, list[RequestFuture]]:
        done, found = Signal(), list[RequestFuture]()

        def run(now_ms: int) -> None:
            future = event()
            found.append(future)
            future.wakes(done)

        self._background.add(run)
        return done, found

    def _wait(self, event: Callable[[], RequestFuture], timer: CallTimer) -> RequestFuture | None:
        """Runs event() in the background and waits for its future; None when the timer ends."""
        return self._await(self._begin(event), timer)

    def _await(
        self, begun: tuple[Signal, list[RequestFuture]], timer: CallTimer
    ) -> RequestFuture | None:
        done, found = begun
        self._lab.stage.wait(done, timer.deadline_ms)
        return found[0] if done.is_set else None
