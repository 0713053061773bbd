"""ConsumerDelegate: the interface between KafkaConsumer and its group protocol
(internals.ConsumerDelegate, KIP-848).

KafkaConsumer first checks arguments, journals the call and refuses other threads. Group calls come
only to a consumer that has a group.id.
"""

from __future__ import annotations

from typing import Protocol

from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.commit_offsets import CommitCallback, Offsets
from kafkalab.clients.consumer.reading.consumer_network import ConsumerNetwork
from kafkalab.clients.consumer.reading.offset_fetcher import OffsetFetcher
from kafkalab.clients.consumer.reading.subscription_state import SubscriptionState
from kafkalab.clients.network.log_context import LogContext
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.records import (
    ConsumerGroupMetadata,
    ConsumerRecord,
    OffsetAndMetadata,
    TopicPartition,
)


class ConsumerDelegate(Protocol):
    """A consumer of one group protocol: ClassicKafkaConsumer or AsyncKafkaConsumer."""

    @property
    def log(self) -> LogContext: ...

    @property
    def subscriptions(self) -> SubscriptionState: ...

    @property
    def client(self) -> NetworkClient: ...

    @property
    def network(self) -> ConsumerNetwork: ...

    @property
    def offset_fetcher(self) -> OffsetFetcher: ...

    def subscription_changed(self) -> None:
        """The application has subscribed; the subscription holds its new topics."""

    def unsubscribe(self) -> None:
        """Leaves the group, forgets subscription and assignment."""

    def poll(self, timer: CallTimer) -> list[ConsumerRecord] | None:
        """Records for the application; None when the timer ended first. Raises WakeupException and
        the brokers' lasting errors."""

    def update_positions(self, timer: CallTimer) -> object:
        """Begins to look for positions that are missing."""

    def committed(
        self, partitions: list[TopicPartition], timer: CallTimer
    ) -> dict[TopicPartition, OffsetAndMetadata | None] | None:
        """The group's committed offsets; None when the timer ended first."""

    def commit_sync(self, offsets: Offsets, timer: CallTimer) -> bool:
        """Commits and waits; False when the timer ended first. Raises CommitFailedException."""

    def commit_async(self, offsets: Offsets, callback: CommitCallback | None) -> None:
        """Commits without waiting; the callback runs inside a later poll."""

    def group_metadata(self) -> ConsumerGroupMetadata:
        """The member's group, generation and id (KIP-447)."""

    def enforce_rebalance(self, reason: str) -> None:
        """Makes the group rebalance in a later poll, where members can ask for that (KIP-568)."""

    def wakeup(self) -> None:
        """Makes the call that waits, or the next one, raise WakeupException. Any thread may call
        it."""

    def close(self, timeout_ms: int) -> None:
        """Commits, leaves, closes all sockets, in at most `timeout_ms`."""
