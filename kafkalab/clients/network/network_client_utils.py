"""The ways in which a background loop waits for the network
(org.apache.kafka.clients.NetworkClientUtils).

The Sender is a generator: where Java blocks, it yields until when it sleeps. These are its three
ways to wait.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.network.node import Node


class LoopingClient:
    """A NetworkClient as a background loop uses it. polls_first: `await_ready` polls once before it
    connects."""

    def __init__(self, client: NetworkClient, polls_first: bool) -> None:
        self._client, self._clock = client, client.clock
        self._polls_first = polls_first

    def poll(self, timeout_ms: int) -> Iterator[int]:
        """One poll; it ends sooner than `timeout_ms` when something arrives."""
        until_ms = self._client.begin_poll(timeout_ms)
        if until_ms > self._clock.now_ms:
            yield until_ms
        self._client.end_poll()

    def await_ready(self, node: Node) -> Generator[int, None, bool]:
        """Polls until the node can take a request; False when its connection failed or
        request.timeout.ms passed."""
        limit_ms = self._clock.now_ms + self._client.settings.request_timeout_ms
        if self._polls_first:
            yield from self.poll(0)
            if self._client.is_ready(node.connection):
                return True
        if self._client.ready(node):
            return True
        while not self._client.is_ready(node.connection):
            if self._client.connection_failed(node) or self._clock.now_ms >= limit_ms:
                return False
            yield from self.poll(limit_ms - self._clock.now_ms)
        return True

    def sleep(self, ms: int) -> Iterator[int]:
        """Sleeps for the whole time, whatever arrives."""
        until_ms = self._clock.now_ms + ms
        while self._clock.now_ms < until_ms:
            self._client.selector.signal.clear()
            yield until_ms
