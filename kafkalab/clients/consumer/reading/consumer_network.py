"""ConsumerNetwork: the interface of both consumers' networks, for the parts that they share.

The classic consumer polls its own network (`classic.consumer_network_client`); the new one uses the
network of its background thread (`modern.network_client_delegate`). Fetches, resets and validations
are sent through either. `wakeup` ends a poll that waits (ConsumerNetworkClient.wakeup,
WakeupTrigger).
"""

from __future__ import annotations

from typing import Any

from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.request_future import RequestFuture
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.network.node import Node
from kafkalab.errors import WakeupException
from kafkalab.sim.apps import Stage


class ConsumerNetwork:
    """Remembers one wakeup until the poll that it is for. `_interrupt` ends the wait of a poll."""

    def __init__(self, client: NetworkClient, stage: Stage) -> None:
        self.client, self.clock, self._stage = client, client.clock, stage
        self._woken = False
        self._wakeups_disabled = False

    # methods that each one has in its own form

    def send(self, node: Node, message: Any, timeout_ms: int | None = None) -> RequestFuture:
        """Queues a request; it is sent when its node is ready."""
        raise NotImplementedError

    def poll(self, timer: CallTimer) -> None:
        """Polls the network, at most until the timer ends."""
        raise NotImplementedError

    def poll_until(self, future: RequestFuture, timer: CallTimer) -> bool:
        """Polls until `future` is done or the timer ends; returns whether it is done."""
        raise NotImplementedError

    def await_metadata_update(self, timer: CallTimer) -> bool:
        """Asks for new metadata and waits until it has arrived; False when the timer ended
        first."""
        raise NotImplementedError

    def sleep(self, ms: int) -> None:
        """Waits for this time."""
        raise NotImplementedError

    def hurry(self) -> None:
        """Sends queued requests now, where they would wait for the next poll. A background thread
        does so by itself."""

    def _interrupt(self) -> None:
        raise NotImplementedError

    # methods that both share

    def timer(self, timeout_ms: int) -> CallTimer:
        return CallTimer(self.clock, timeout_ms, self._stage.given_up)

    def least_loaded_node(self) -> Node | None:
        return self.client.least_loaded_node()

    def try_connect(self, node: Node) -> None:
        self.client.ready(node)

    def is_unavailable(self, node: Node) -> bool:
        return self.client.is_unavailable(node)

    def wakeup(self) -> None:
        """Makes the poll that waits, or the next one, raise WakeupException."""
        self._woken = True
        self._interrupt()

    def disable_wakeups(self) -> None:
        """From now on no wakeup interrupts: the consumer is being closed."""
        self._wakeups_disabled = True

    def raise_if_woken(self) -> None:
        """Raises WakeupException, once for each `wakeup` (maybeTriggerWakeup)."""
        if self._woken and not self._wakeups_disabled:
            self._woken = False
            raise WakeupException()
