"""The consumer with group.protocol=consumer (internals.AsyncKafkaConsumer, KIP-848).

Same calls, other inside: the background thread connects and looks for the coordinator from the constructor on, keeps the membership
and fetches; poll() hands it an event, runs what it wants of the application, and takes records from the buffer.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from functools import partial

from kafkalab.clients import app_info
from kafkalab.clients.consumer.async_.background import AsyncPollEvent, ConsumerNetworkThread, Group, Reading
from kafkalab.clients.consumer.async_.commit_requests import CommitRequestManager
from kafkalab.clients.consumer.async_.coordinator_requests import CoordinatorRequestManager
from kafkalab.clients.consumer.async_.delegate import NetworkClientDelegate
from kafkalab.clients.consumer.async_.heartbeat_requests import HeartbeatRequestManager
from kafkalab.clients.consumer.async_.lines import AsyncLines
from kafkalab.clients.consumer.async_.membership import ConsumerMembershipManager
from kafkalab.clients.consumer.async_.request_state import RequestState
from kafkalab.clients.consumer.fetch_collector import FetchCollector
from kafkalab.clients.consumer.fetcher import Fetcher
from kafkalab.clients.consumer.group_offsets import Offsets
from kafkalab.clients.consumer.kafka_consumer import MAX_IN_FLIGHT, KafkaConsumer
from kafkalab.clients.consumer.membership import Generation
from kafkalab.clients.consumer.offset_fetcher import OffsetFetcher
from kafkalab.clients.consumer.position_validation import PositionValidation
from kafkalab.clients.consumer.rebalance_callbacks import RebalanceCallbacks
from kafkalab.clients.consumer.subscription_state import SubscriptionState
from kafkalab.clients.wiring import bootstrap_nodes, network_client
from kafkalab.config import dump_text
from kafkalab.errors import KafkaException
from kafkalab.lines import metrics
from kafkalab.protocol.frozen import record
from kafkalab.protocol.identifiers import kafka_uuid
from kafkalab.records import ConsumerRecords
from kafkalab.sim.apps import Signal

INTERNALS = "org.apache.kafka.clients.consumer.internals."

BACKGROUND_IS_FASTER = 0.25
"""How often the background has worked off a poll's event before the application looks again; two threads race for it in a JVM."""


class _Offsets:
    """Committed offsets as the base class asks for them; callbacks of commits run in a later poll."""

    def __init__(self, commits: CommitRequestManager, later: Callable[[Callable[[], object]], None]) -> None:
        self._commits, self._later = commits, later
        self.fetch, self.commit_sync = commits.fetch, commits.commit_sync

    def commit_async(self, offsets: Offsets, callback) -> None:
        self._commits.commit_async(offsets, callback, self._later)


@record
class _Coordinator:
    """What the base class knows of the group."""

    offsets: _Offsets
    membership: ConsumerMembershipManager

    @property
    def generation(self) -> Generation:
        """The member epoch stands where the classic protocol has its generation (KIP-848)."""
        return Generation(self.membership.epoch, self.membership.member_id)

    def request_rejoin(self, reason: str) -> None:
        """The broker decides when to assign: Java's consumer only notes that this is not supported."""


class AsyncKafkaConsumer(KafkaConsumer):
    """Made by KafkaConsumer when group.protocol is "consumer"."""

    def _build(self, lab, group: str | None, given: Mapping) -> None:
        profile, config = self.profile, self.config
        instance = config.get("group.instance.id")
        shown = f"instanceId={instance}, " if instance is not None else ""
        prefix = f"[Consumer {shown}clientId={self.client_id}, groupId={'null' if group is None else group}] "
        self._log = log = AsyncLines(lab.journal, self.name, self.client_id, prefix, profile.name)
        if config.has_flat_backoff:
            log("RECONNECT_BACKOFF_IS_FLAT")
        log("CONSUMER_CONFIG", values=dump_text(profile.name, config, self.client_id))
        log("ASYNC_CONSUMER_INITIALIZING")
        self._subscriptions = SubscriptionState(config["auto.offset.reset"], partial(lab.journal.append, who=self.name),
                                                not config["exclude.internal.topics"])
        self._client = client = network_client(
            lab, "consumer", self.name, self.client_id, config, profile, log, lambda: self._subscriptions.metadata_topics(),
            MAX_IN_FLIGHT, bool(config.get("allow.auto.create.topics", True)), topic_ids=True)
        client.metadata.bootstrap(bootstrap_nodes(config["bootstrap.servers"], client.node_of), lab.clock.now_ms)
        self._network = network = NetworkClientDelegate(client, lab.stage, lab.clock, profile, log, config)
        self._to_do: deque[Callable[[], object]] = deque()
        self._inflight: AsyncPollEvent | None = None
        self._luck = lab.streams.stream(f"{self.name}/application")
        self._closed = False
        self._validation = PositionValidation(network, self._subscriptions, config, profile, log, tells_requests=True)
        self._offsets = OffsetFetcher(network, self._subscriptions, config, profile, log)
        self._collector = FetchCollector(self._subscriptions, config, profile, log, client.metadata.request_update)
        self._fetcher = Fetcher(network, self._subscriptions, self._collector, config, profile, log)
        self._reading = Reading(self._fetcher, self._collector, self._offsets, self._validation, self._subscriptions)
        self._fetcher.on_answer = self._reading.buffered.set
        self._callbacks = RebalanceCallbacks(profile, self._subscriptions, log)
        self._group = None if group is None else self._managers(lab, group)
        self._coordinator = None if group is None else _Coordinator(_Offsets(self._group.commits, self._to_do.append), self._group.membership)
        self._background = ConsumerNetworkThread(network, self._reading, self._group, log)
        starting_ms = profile.connecting.first_use_ms.get("background thread", (0, 0)) if lab.cold else (0, 0)
        lab.stage.loop(self._background.run(starting_ms), client.selector.signal, self.name)
        app_info.register(log, profile, lab.epoch_ms + lab.now_ms)
        log("ASYNC_CONSUMER_INITIALIZED")

    def _managers(self, lab, group: str) -> Group:
        config, network, log = self.config, self._network, self._log
        luck = lab.streams.stream(f"{self.name}/request backoff")
        member_id = kafka_uuid(lab.streams.stream(f"{self.name}/member id"))

        def state(owner: str, kind: str = "RequestState") -> RequestState:
            return RequestState(owner, kind, config, luck, log, lab.epoch_ms)

        coordinator = CoordinatorRequestManager(group, network, state("CoordinatorRequestManager"), log)
        commits = CommitRequestManager(group, member_id, config, self.profile, coordinator, network, self._subscriptions, log)
        membership = ConsumerMembershipManager(group, member_id, config, network, self._subscriptions, commits.commit_before_reconciling,
                                               commits.tell_epoch, commits.restart, self._to_do.append, self._callbacks, self.profile, log)
        heartbeats = HeartbeatRequestManager(membership, coordinator, network, state(INTERNALS + self.profile.group.heartbeat_state_class, "HeartbeatRequestState"), config, log)
        commits.on_commit = self._interceptors.on_commit
        return Group(coordinator, commits, heartbeats, membership)

    # what to read

    def subscribe(self, topics: Iterable[str] | re.Pattern[str], listener=None) -> None:
        """As KafkaConsumer.subscribe. A pattern is matched by the client, as there; the broker learns the names."""
        super().subscribe(topics, listener)
        if not self._subscriptions.is_subscribed:
            return
        membership = self._group.membership
        self._background.add(lambda now_ms: membership.subscription_updated())

    def unsubscribe(self) -> None:
        """Leave the group and forget the assignment; the listener hears that it is revoked."""
        with self._calling("unsubscribe"):
            if self._group is not None and self._subscriptions.is_subscribed:
                self._leave(self._network.timer(self.config["default.api.timeout.ms"]))
            self._subscriptions.unsubscribe()
            self._client.metadata.retains = None

    # reading

    def poll(self, timeout_ms: int = 0) -> ConsumerRecords:
        """As KafkaConsumer.poll. Raises also what the background met: UnsupportedVersionException from a broker without the protocol."""
        self._check_may_poll(timeout_ms)
        with self._calling("poll", timeout_ms=timeout_ms):
            timer = self._network.timer(timeout_ms)
            while True:
                self._network.raise_if_woken()
                self._hand_over_poll(timer)
                records = self._take_records(timer)
                if records:
                    return self._interceptors.on_consume(ConsumerRecords(records))
                if timer.expired:
                    return ConsumerRecords()

    def _hand_over_poll(self, timer) -> None:
        """See what became of the last poll's event, hand over a new one, do what the background wants (checkInflightPoll)."""
        now_ms, epoch_ms = self._lab.now_ms, self._lab.epoch_ms
        event = self._inflight
        if event is not None and (event.is_complete or now_ms >= event.deadline_ms):
            self._log("ASYNC_POLL_UNFILLED" if event.is_complete else "ASYNC_POLL_EXPIRED", event=event.text(epoch_ms))
            self._clear_inflight()
        if self._inflight is None:
            event = self._inflight = AsyncPollEvent(timer.deadline_ms, now_ms)
            self._log("ASYNC_POLL_SUBMITTED", event=event.text(epoch_ms))
            self._background.add_poll(event)
            self._wait_for_background(event, timer)
        self._do_for_background()
        if self._inflight.is_complete:
            self._log("ASYNC_POLL_COMPLETED", event=self._inflight.text(epoch_ms))
            self._clear_inflight()

    def _wait_for_background(self, event: AsyncPollEvent, timer) -> None:
        """4.0 waits for its events; later a poll goes on, and the background has worked it off already, or not yet."""
        if not self.profile.group.assigns_in_poll:
            while not event.is_complete and not timer.expired:
                self._network.poll(timer)
            if not event.is_complete:
                self._say_expired(event)
        elif self._luck.random() < BACKGROUND_IS_FASTER:
            self._lab.stage.wait(Signal(), self._lab.now_ms)

    def _say_expired(self, event: AsyncPollEvent) -> None:
        epoch_ms, deadline_ms = self._lab.epoch_ms, self._lab.epoch_ms + event.deadline_ms
        late_ms = self._lab.now_ms - event.deadline_ms
        failed = (f"org.apache.kafka.common.errors.TimeoutException: CheckAndUpdatePositionsEvent was {late_ms} ms past its expiration of "
                  f"{deadline_ms}")
        self._log("POSITIONS_EVENT_EXPIRED", id=kafka_uuid(self._luck), enqueued_ms=epoch_ms + event.enqueued_ms, deadline_ms=deadline_ms,
                  late_ms=late_ms, future=f"java.util.concurrent.CompletableFuture@0[Completed exceptionally: {failed}]")

    def _clear_inflight(self) -> None:
        event, self._inflight = self._inflight, None
        if event.error is not None:
            raise event.error

    def _take_records(self, timer) -> list:
        records = self._collector.collect()
        if records:
            return records
        timeout_ms = min(self._background.max_wait_ms, timer.remaining_ms)
        if not self._subscriptions.has_all_positions():
            timeout_ms = min(timeout_ms, self.config["retry.backoff.ms"])
        self._log("ASYNC_POLLING_FOR_FETCHES", timeout_ms=timeout_ms)
        buffered = self._reading.buffered
        if not self._collector.buffered():
            buffered.clear()
            # A pass that does not wait takes its time, too.
            self._lab.stage.wait(buffered, self._lab.now_ms + max(1, timeout_ms) if timer.remaining_ms else self._lab.now_ms)
        return self._collector.collect()

    def wakeup(self) -> None:
        """As KafkaConsumer.wakeup; a poll that waits for records looks, too."""
        super().wakeup()
        self._reading.buffered.set()

    def _look_up_positions(self, timer) -> None:
        self._background.add_poll(AsyncPollEvent(timer.deadline_ms, self._lab.now_ms))

    # what the background wants of the application

    def _do_for_background(self) -> None:
        """Run what waits for the application's thread: assignments, listeners, callbacks of commits. Raises the first of their errors."""
        failed = None
        while self._to_do:
            failed = failed or self._to_do.popleft()()
        self._network.raise_error()
        if failed is not None:
            raise KafkaException("User rebalance callback throws an error") from failed

    # the end

    def close(self, timeout_ms: int = 30_000) -> None:
        """Commit (with auto commit), leave the group, end the background thread. Twice is harmless."""
        if self._closed:
            return
        with self._calling("close"):
            self._network.disable_wakeups()
            self._log("ASYNC_CONSUMER_CLOSING")
            timer = self._network.timer(timeout_ms)
            telemetry = self._client.telemetry
            if telemetry:
                telemetry.initiate_close()
            if self._group is not None:
                self._end_membership(timer)
            self._background.close(timer.remaining_ms)
            self._lab.stage.wait(self._background.finished, timer.deadline_ms + timeout_ms)
            for line in metrics.removed_at_close(
                    self.profile.name, "consumer", self.client_id, nodes=self._client.tried_connections(), fetched_from=self._fetcher.fetched_from,
                    partitions=[(tp.topic, tp.partition) for tp in self._fetcher.fetched], in_group=self._group is not None):
                self._log("METRIC_REMOVED", metric=line)
            if telemetry:
                for _ in range(2):
                    telemetry.stop()
            app_info.unregister(self._log, "consumer")
            self._interceptors.close()
            self._closed = True
            self._log("ASYNC_CONSUMER_CLOSED")
            self._lab.journal.append("closed", self.name)

    def _end_membership(self, timer) -> None:
        """Commit, tell the listener, say goodbye, in the order of AsyncKafkaConsumer.close."""
        log = self._log
        if self.config["enable.auto.commit"]:
            log("ASYNC_COMMIT_ON_CLOSE")
            self._group.commits.commit_sync(self._subscriptions.all_consumed(), timer)
        log("COMMIT_MANAGER_CLOSE_SIGNALLED")
        log("ASYNC_STOP_FINDING_COORDINATOR")
        owned = sorted(self._subscriptions.assigned())
        if owned and self._subscriptions.auto_assigned:
            self._callbacks.revoked(owned)
        log("COORDINATOR_MANAGER_CLOSE_SIGNALLED")
        self._group.coordinator.closing = True
        log("ASYNC_LEAVING")
        log("MEMBERSHIP_LEAVE_SIGNALLED")
        self._goodbye(timer)
        log("ASYNC_LEFT")

    def _leave(self, timer) -> None:
        owned = sorted(self._subscriptions.assigned())
        if owned and self._subscriptions.listener is not None:
            self._callbacks.revoked(owned)
        self._goodbye(timer)

    def _goodbye(self, timer) -> None:
        done = Signal()
        membership = self._group.membership

        def leave(now_ms: int) -> None:
            left = membership.leave()
            self._subscriptions.assign_from_subscribed(())
            left.on_done(lambda _: done.set())

        self._background.add(leave)
        self._lab.stage.wait(done, timer.deadline_ms)
