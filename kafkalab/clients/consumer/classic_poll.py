"""What happens in one poll of a classic consumer? (ClassicKafkaConsumer.poll)

First what membership wants, then positions, then records: those that are here, or those that come before the time is over.
"""

from __future__ import annotations

from kafkalab.clients.consumer.consumer_network_client import ConsumerNetworkClient
from kafkalab.clients.consumer.coordinator import ConsumerCoordinator
from kafkalab.clients.consumer.fetch_collector import FetchCollector
from kafkalab.clients.consumer.fetcher import Fetcher
from kafkalab.clients.consumer.offset_fetcher import OffsetFetcher
from kafkalab.clients.consumer.position_validation import PositionValidation
from kafkalab.clients.consumer.subscription_state import SubscriptionState
from kafkalab.clients.consumer.timer import Timer
from kafkalab.clients.log_context import LogContext
from kafkalab.records import ConsumerRecord
from kafkalab.sim.apps import FOREVER_MS


class ClassicPoll:
    """The passes of one poll, each a look at membership, positions and fetches with a wait at its end.

    coordinator  None without a group
    """

    def __init__(self, profile, network: ConsumerNetworkClient, coordinator: ConsumerCoordinator | None, subscriptions: SubscriptionState,
                 validation: PositionValidation, offsets: OffsetFetcher, fetcher: Fetcher, collector: FetchCollector, log: LogContext,
                 retry_backoff_ms: int) -> None:
        self._network, self._coordinator, self._subscriptions = network, coordinator, subscriptions
        self._validation, self._offsets, self._fetcher, self._collector = validation, offsets, fetcher, collector
        self._log, self._retry_backoff_ms = log, retry_backoff_ms
        self._metadata = network.client.metadata
        self._awaits_join: bool = profile.group.awaits_join_in_poll
        self._returns_when_moved: bool = profile.fetching.returns_when_position_moved
        self._has_all_positions = False

    def records(self, timer: Timer) -> list[ConsumerRecord] | None:
        """Records, at most max.poll.records; an empty list when only a position moved, None when the time was over first."""
        network = self._network
        while True:
            network.raise_if_woken()
            if not self._update_assignment(timer) and self._awaits_join:
                return None
            records = self._fetched(timer)
            if records or self._moved_on():
                if self._fetcher.send_fetches() > 0 or network.has_pending_requests():
                    network.transmit_sends()
                if not records:
                    self._log("RETURNING_NO_RECORDS")
                return records
            if timer.expired:
                return None

    def update_positions(self, timer: Timer) -> bool:
        """Find positions for partitions that have none; False when the group's offsets did not come in time."""
        self._validation.validate_if_needed()
        self._has_all_positions = self._subscriptions.has_all_positions()
        if self._has_all_positions:
            return True
        if self._coordinator is not None and not self._coordinator.offsets.set_positions(timer):
            return False
        self._offsets.reset_missing()
        self._offsets.reset_positions()
        return True

    def _update_assignment(self, timer: Timer) -> bool:
        if self._coordinator is not None:
            if not self._coordinator.poll(timer, self._awaits_join):
                return False
        elif self._metadata.update_requested and not self._network.client.has_ready_nodes():
            self._network.await_metadata_update(timer)
        self._collector.drop_unassigned()
        return self.update_positions(timer)

    def _fetched(self, timer: Timer) -> list[ConsumerRecord]:
        until_coordinator_ms = FOREVER_MS if self._coordinator is None else self._coordinator.time_to_next_poll_ms()
        timeout_ms = min(until_coordinator_ms, timer.remaining_ms)
        records = self._collector.collect()
        if records or self._moved_on():
            return records
        self._fetcher.send_fetches()
        if not self._has_all_positions:
            timeout_ms = min(timeout_ms, self._retry_backoff_ms)
        self._log("POLLING_FOR_FETCHES", timeout_ms=timeout_ms)
        self._network.poll(self._network.timer(timeout_ms), block=self._waits)
        if self._awaits_join and self._coordinator is not None and self._coordinator.rejoin_needed():
            return []
        return self._collector.collect()

    def _waits(self) -> bool:
        return not self._collector.has_available()

    def _moved_on(self) -> bool:
        """Over what no application sees: the poll is over, too, so that its position can be committed."""
        return self._returns_when_moved and self._collector.position_moved
