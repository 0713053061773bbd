"""RebalanceCallbacks: calls the application's rebalance listener
(internals.ConsumerRebalanceListenerInvoker; inside ConsumerCoordinator up to 3.6).

A listener has on_partitions_revoked, on_partitions_assigned and, from 2.4 on, on_partitions_lost
(KIP-429): lost partitions have another owner already, so a commit is not possible any more. For a
listener without it, on_partitions_revoked is called instead. All run inside poll(), close() or
unsubscribe(), on the application's own thread.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kafkalab.clients.consumer.reading.subscription_state import SubscriptionState
from kafkalab.clients.network.hash_order import partitions_in_hash_order
from kafkalab.clients.network.log_context import LogContext
from kafkalab.errors import WakeupException
from kafkalab.lines.java_values import list_text
from kafkalab.records import TopicPartition

if TYPE_CHECKING:
    from kafkalab.releases import Profile


class RebalanceCallbacks:
    """Writes the line and calls the listener. A listener's error is returned, not raised: the
    rebalance goes on first."""

    def __init__(self, profile: Profile, subscriptions: SubscriptionState, log: LogContext) -> None:
        self._profile, self._subscriptions, self._log = profile, subscriptions, log

    def in_order(self, partitions: Iterable[TopicPartition]) -> list[TopicPartition]:
        """The order in which this version's sets iterate: hash sets up to 2.8, sorted ones
        later."""
        return (
            partitions_in_hash_order(partitions)
            if self._profile.printing.prints_assignment_in_hash_order
            else sorted(partitions)
        )

    def revoked(self, partitions: list[TopicPartition]) -> BaseException | None:
        text = (
            list_text(partitions)
            if self._profile.group.revokes_even_nothing
            else self.text(partitions)
        )
        self._log("REVOKING_PARTITIONS", partitions=text)
        held = self._subscriptions.partitions
        paused = [tp for tp in partitions if tp in held and held[tp].paused]
        if paused and self._profile.group.tells_revoked_pauses:
            self._log("PAUSES_REVOKED", partitions=", ".join(map(str, paused)))
        return self._call("on_partitions_revoked", partitions)

    def assigned(self, partitions: list[TopicPartition]) -> BaseException | None:
        self._log("ASSIGNED_PARTITIONS", partitions=self.text(partitions))
        return self._call("on_partitions_assigned", partitions)

    def lost(self, partitions: list[TopicPartition]) -> BaseException | None:
        self._log("LOSING_PARTITIONS", partitions=self.text(partitions))
        knows = hasattr(self._subscriptions.listener, "on_partitions_lost")
        return self._call("on_partitions_lost" if knows else "on_partitions_revoked", partitions)

    def _call(self, method: str, partitions: list[TopicPartition]) -> BaseException | None:
        listener = self._subscriptions.listener
        if listener is None or not hasattr(listener, method):
            return None
        try:
            getattr(listener, method)(list(partitions))
        except WakeupException:
            raise
        except Exception as error:
            self._log(
                "LISTENER_FAILED",
                listener=listener,
                method=method,
                partitions=list_text(partitions),
                error=error,
            )
            return error if self._profile.group.raises_listener_errors else None
        return None

    def text(self, partitions: list[TopicPartition]) -> str:
        return (
            list_text(partitions)
            if self._profile.printing.brackets_partitions
            else ", ".join(map(str, partitions))
        )
