"""ClassicKafkaConsumer: the consumer of the classic group protocol, in which members join and a
leader assigns (internals.ClassicKafkaConsumer).

A poll first handles membership, then positions, then records: those that are here, or those that
arrive before the time is over. A thread beside it sends heartbeats.
"""

from __future__ import annotations

from kafkalab.clients.consumer.classic.consumer_coordinator import ConsumerCoordinator
from kafkalab.clients.consumer.classic.consumer_network_client import ConsumerNetworkClient
from kafkalab.clients.consumer.classic.heartbeat_responses import Choice
from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.commit_offsets import CommitCallback, Offsets
from kafkalab.clients.consumer.reading.consumer_setup import ConsumerSetup
from kafkalab.clients.consumer.reading.fetch_collector import FetchCollector
from kafkalab.clients.consumer.reading.fetcher import Fetcher
from kafkalab.clients.consumer.reading.offset_fetcher import OffsetFetcher
from kafkalab.clients.consumer.reading.parts import Shared
from kafkalab.clients.consumer.reading.position_validation import PositionValidation
from kafkalab.clients.network.app_info import tell_removed
from kafkalab.clients.network.log_context import LogContext
from kafkalab.records import (
    ConsumerGroupMetadata,
    ConsumerRecord,
    OffsetAndMetadata,
    TopicPartition,
)
from kafkalab.sim.apps import FOREVER_MS


class ClassicKafkaConsumer:
    """The delegate of KafkaConsumer with group.protocol=classic, and in every release before there
    was another.

    coordinator  None without a group
    """

    def __init__(self, setup: ConsumerSetup, choice: Choice) -> None:
        lab, profile, config, group = setup.lab, setup.profile, setup.config, setup.group_id
        self._setup, self._retry_backoff_ms = setup, config["retry.backoff.ms"]
        self.log = log = setup.log_context(LogContext)
        setup.tell_config(log)
        log("CONSUMER_INITIALIZING")
        self.subscriptions = subscriptions = setup.subscription_state()
        self.client = client = setup.network_client(log, subscriptions)
        self.network = network = ConsumerNetworkClient(client, lab.stage, self._retry_backoff_ms)
        shared = Shared(
            config,
            profile,
            network,
            subscriptions,
            log,
            lab.stage,
            setup.stream("coordinator lookup"),
            lab.epoch_ms,
        )
        self.coordinator: ConsumerCoordinator | None = None
        if group is not None:
            self.coordinator = ConsumerCoordinator(group, shared, choice)
            self.coordinator.offsets.on_commit = setup.interceptors.on_commit
            if group == "":
                log("EMPTY_GROUP_IS_DEPRECATED")
            if profile.group.classic_banner:
                log("CONSUMER_PROTOCOL_BANNER")
        self._validation = PositionValidation(shared)
        self.offset_fetcher = OffsetFetcher(shared)
        self._collector = FetchCollector(shared)
        self._fetcher = Fetcher(shared, self._collector)
        self._awaits_join: bool = profile.group.awaits_join_in_poll
        self._returns_when_moved: bool = profile.fetching.returns_when_position_moved
        self._has_all_positions = False
        setup.register(log)
        log("CONSUMER_INITIALIZED")

    # subscription

    def subscription_changed(self) -> None:
        """Drops what was fetched of partitions that are not read any more; the next poll detects
        that another join is needed."""
        self._collector.drop_unassigned()

    def unsubscribe(self) -> None:
        """Leaves the group and forgets subscription and assignment; the listener is called for the
        revoked partitions."""
        try:
            if self.coordinator is not None:
                self.coordinator.before_unsubscribing()
        finally:
            self.subscriptions.unsubscribe()
            self._collector.drop_unassigned()
            self.client.metadata.retains = None
        self.log("UNSUBSCRIBED")

    # reading

    def poll(self, timer: CallTimer) -> list[ConsumerRecord] | None:
        """Records, at most max.poll.records; an empty list when only a position moved, None when
        the time was over first."""
        network = self.network
        while True:
            network.raise_if_woken()
            if not self._update_assignment(timer) and self._awaits_join:
                return None
            records = self._fetched(timer)
            if records or self._moved_on():
                if self._fetcher.send_fetches() > 0 or network.has_pending_requests():
                    network.transmit_sends()
                if not records:
                    self.log("RETURNING_NO_RECORDS")
                return records
            if timer.expired:
                return None

    def update_positions(self, timer: CallTimer) -> bool:
        """Finds positions for partitions that have none; False when the group's offsets did not
        arrive in time."""
        self._validation.validate_if_needed()
        self._has_all_positions = self.subscriptions.has_all_positions()
        if self._has_all_positions:
            return True
        if self.coordinator is not None and not self.coordinator.offsets.set_positions(timer):
            return False
        self.offset_fetcher.reset_missing()
        self.offset_fetcher.reset_positions()
        return True

    def _update_assignment(self, timer: CallTimer) -> bool:
        if self.coordinator is not None:
            if not self.coordinator.poll(timer, self._awaits_join):
                return False
        elif self.client.metadata.update_requested and not self.client.has_ready_nodes():
            self.network.await_metadata_update(timer)
        if not self.subscriptions.auto_assigned:
            self._collector.drop_unassigned()
        return self.update_positions(timer)

    def _fetched(self, timer: CallTimer) -> list[ConsumerRecord]:
        until_coordinator_ms = (
            FOREVER_MS if self.coordinator is None else self.coordinator.time_to_next_poll_ms()
        )
        timeout_ms = min(until_coordinator_ms, timer.remaining_ms)
        records = self._collector.collect()
        if records or self._moved_on():
            return records
        self._fetcher.send_fetches()
        if not self._has_all_positions:
            timeout_ms = min(timeout_ms, self._retry_backoff_ms)
        self.log("POLLING_FOR_FETCHES", timeout_ms=timeout_ms)
        self.network.poll(self.network.timer(timeout_ms), block=self._waits)
        if self._awaits_join and self.coordinator is not None and self.coordinator.rejoin_needed():
            return []
        return self._collector.collect()

    def _waits(self) -> bool:
        return not self._collector.has_available()

    def _moved_on(self) -> bool:
        """The poll also ends when only markers or aborted records were passed, so that the new
        position can be committed."""
        return self._returns_when_moved and self._collector.position_moved

    def wakeup(self) -> None:
        """Makes the poll that waits, or the next one, raise WakeupException."""
        self.network.wakeup()

    # the group

    def committed(
        self, partitions: list[TopicPartition], timer: CallTimer
    ) -> dict[TopicPartition, OffsetAndMetadata | None] | None:
        """The group's committed offsets; None when the timer ended first. Raises the coordinator's
        lasting errors."""
        return self._member().offsets.fetch(partitions, timer)

    def commit_sync(self, offsets: Offsets, timer: CallTimer) -> bool:
        """Commits and waits; False when the timer ended first. Raises CommitFailedException for a
        lost membership."""
        return self._member().offsets.commit_sync(offsets, timer)

    def commit_async(self, offsets: Offsets, callback: CommitCallback | None) -> None:
        """Commits without waiting; the request is sent now, and not with the next poll
        (ConsumerCoordinator.commitOffsetsAsync)."""
        self._member().offsets.commit_async(offsets, callback)
        self.network.hurry()

    def group_metadata(self) -> ConsumerGroupMetadata:
        """Group, generation and member id (KIP-447)."""
        member = self._member()
        generation = member.generation
        return ConsumerGroupMetadata(
            member.group_id,
            generation.id,
            generation.member_id,
            self._setup.config.get("group.instance.id"),
        )

    def enforce_rebalance(self, reason: str) -> None:
        """Joins again in the next poll (KIP-568)."""
        self._member().request_rejoin(reason)

    def _member(self) -> ConsumerCoordinator:
        assert self.coordinator is not None, (
            "KafkaConsumer refuses group calls where there is no group"
        )
        return self.coordinator

    # closing

    def close(self, timeout_ms: int) -> None:
        """Commits (with auto commit), leaves the group, ends the fetch sessions, closes all
        sockets."""
        log, client = self.log, self.client
        self.network.disable_wakeups()
        log("CONSUMER_CLOSING")
        timer = self.network.timer(timeout_ms)
        if client.telemetry:
            client.telemetry.initiate_close()
        if self.coordinator is not None:
            self.coordinator.close(timer)
            tell_removed(log, self._setup.removed_metrics(client, self._fetcher).group)
        self._fetcher.close(timer)
        removed = self._setup.removed_metrics(client, self._fetcher)
        tell_removed(log, removed.own)
        if client.telemetry:
            client.telemetry.stop()
        client.close(removed.network)
        if client.telemetry:
            client.telemetry.stop()
        self._setup.unregister(log, removed.app)
        log("CONSUMER_CLOSED")
