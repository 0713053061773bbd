"""ConsumerNetworkClient: blocking calls over a network client that never blocks
(org.apache.kafka.clients.consumer.internals.ConsumerNetworkClient).

Requests wait in `unsent` by node until their node is ready. The application's thread polls; the
heartbeat thread adds requests and polls only while the application does not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.consumer_network import ConsumerNetwork
from kafkalab.clients.consumer.reading.request_future import RequestFuture
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.requests import ClientRequest, ClientResponse
from kafkalab.sim.apps import Signal, Stage


class ConsumerNetworkClient(ConsumerNetwork):
    """The network of a classic consumer. is_polling: a thread waits inside a poll; then the other
    thread only adds requests."""

    def __init__(self, client: NetworkClient, stage: Stage, retry_backoff_ms: int) -> None:
        super().__init__(client, stage)
        self.is_polling = False
        self._retry_backoff_ms = retry_backoff_ms
        self._unsent: dict[str, list[ClientRequest]] = {}
        self._nodes: dict[str, Node] = {}
        self._unsent_count = 0
        self._completed: list[tuple[RequestFuture, ClientResponse]] = []
        self._to_disconnect: list[Node] = []

    def send(self, node: Node, message: Any, timeout_ms: int | None = None) -> RequestFuture:
        """Queues a request; it is sent in the next poll in which its node is ready."""
        future = RequestFuture()
        request = self.client.new_request(
            node.connection,
            message,
            lambda response: self._completed.append((future, response)),
            timeout_ms,
        )
        self._nodes[node.connection] = node
        self._unsent.setdefault(node.connection, []).append(request)
        self._unsent_count += 1
        self.client.selector.wakeup()
        return future

    def poll(
        self,
        timer: CallTimer,
        future: RequestFuture | None = None,
        block: Callable[[], bool] | None = None,
    ) -> None:
        """One pass: runs callbacks, sends requests, waits until something arrives or the timer
        ends, runs callbacks.

        With a `future` it does not wait when that is done already; `block` also says whether
        waiting makes sense. Raises WakeupException after `wakeup`, InvalidTopicException for a
        topic that cannot exist.
        """
        until_ms = self._begin_pass(timer.remaining_ms, future, block)
        try:
            self._stage.wait(self.client.selector.signal, until_ms)
        finally:
            self.is_polling = False
        self._end_pass(can_be_woken=True)
        self.client.metadata.raise_fatal()

    def poll_until(self, future: RequestFuture, timer: CallTimer) -> bool:
        """Polls until `future` is done or the timer ends."""
        while True:
            self.poll(timer, future)
            if future.is_done or timer.expired:
                return future.is_done

    def poll_no_wakeup(self) -> None:
        """A pass that does not wait, and that no `wakeup` ends."""
        until_ms = self._begin_pass(0)
        try:
            self._stage.wait(self.client.selector.signal, until_ms)
        finally:
            self.is_polling = False
        self._end_pass()

    def hurry(self) -> None:
        self.poll_no_wakeup()

    def _interrupt(self) -> None:
        self.client.selector.wakeup()

    def poll_in_thread(self) -> Iterator[int]:
        """The same on the heartbeat thread, which cannot block: it yields until when it sleeps."""
        until_ms = self._begin_pass(0)
        try:
            if until_ms > self.clock.now_ms:
                yield until_ms
        finally:
            self.is_polling = False
        self._end_pass()

    def transmit_sends(self) -> None:
        """Writes what is queued without reading answers (3.x, KAFKA-7109)."""
        self._disconnect_pending()
        self._try_send()
        until_ms = self.client.begin_poll(0)
        self.is_polling = True
        try:
            self._stage.wait(self.client.selector.signal, until_ms)
        finally:
            self.is_polling = False
        self.client.end_poll()

    def sleep(self, ms: int) -> None:
        """Waits for the whole time, whatever arrives."""
        self._stage.wait(Signal(), self.clock.now_ms + ms)

    def await_metadata_update(self, timer: CallTimer) -> bool:
        """Asks for new metadata and polls until it has arrived; False when the timer ended
        first."""
        version = self.client.metadata.request_update()
        while True:
            self.poll(timer)
            if self.client.metadata.update_version > version:
                return True
            if timer.expired:
                return False

    def await_pending_requests(self, node: Node, timer: CallTimer) -> bool:
        """Polls until `node` has no unanswered request; False when the timer ended first."""
        while self.has_pending_requests(node) and not timer.expired:
            self.poll(timer)
        return not self.has_pending_requests(node)

    def has_pending_requests(self, node: Node | None = None) -> bool:
        """Whether a request for `node` is queued or unanswered. For all nodes when None."""
        if node is None:
            return self._unsent_count > 0 or self.client.in_flight_count() > 0
        return (
            bool(self._unsent.get(node.connection))
            or self.client.in_flight_count(node.connection) > 0
        )

    def disconnect_async(self, node: Node) -> None:
        """Closes the socket to `node` in the next pass."""
        self._to_disconnect.append(node)

    def _begin_pass(
        self,
        timeout_ms: int,
        future: RequestFuture | None = None,
        block: Callable[[], bool] | None = None,
    ) -> int:
        """The first half of a pass, for both threads; returns until when the caller may sleep. The
        caller ends the sleep with `is_polling = False`."""
        if self._completed:
            self._fire()
        if self._to_disconnect:
            self._disconnect_pending()
        delay_ms = self._try_send()
        if delay_ms < timeout_ms:
            timeout_ms = delay_ms
        if (
            self._completed
            or (future is not None and future.is_done)
            or (block is not None and not block())
        ):
            timeout_ms = 0
        if timeout_ms > self._retry_backoff_ms and self.client.in_flight_count() == 0:
            timeout_ms = self._retry_backoff_ms
        until_ms = self.client.begin_poll(timeout_ms)
        self.is_polling = True
        return until_ms

    def _end_pass(self, can_be_woken: bool = False) -> None:
        self.client.end_poll()
        if self._unsent_count:
            self._check_disconnects()
        if can_be_woken and self._woken:
            self.raise_if_woken()
        if self._unsent_count:
            self._try_send()
            self._fail_expired()
        if self._completed:
            self._fire()

    def _try_send(self) -> int:
        delay_ms = self.client.settings.request_timeout_ms
        if not self._unsent_count:
            return delay_ms
        for connection, queue in self._unsent.items():
            node = self._nodes[connection]
            if queue:
                delay_ms = min(delay_ms, self.client.poll_delay_ms(node))
            while queue and self.client.ready(node):
                self._unsent_count -= 1
                self.client.send(queue.pop(0))
        return delay_ms

    def _check_disconnects(self) -> None:
        """Requests that wait for a node whose connection failed are never sent: they end as
        disconnected."""
        for connection, queue in self._unsent.items():
            if queue and self.client.connection_failed(self._nodes[connection]):
                failed, queue[:] = list(queue), []
                self._unsent_count -= len(failed)
                for request in failed:
                    _complete(ClientResponse(request, self.clock.now_ms, disconnected=True))

    def _fail_expired(self) -> None:
        now_ms = self.clock.now_ms
        for queue in self._unsent.values():
            while queue and now_ms - queue[0].created_ms > queue[0].timeout_ms:
                request = queue.pop(0)
                self._unsent_count -= 1
                _complete(ClientResponse(request, now_ms, disconnected=True))

    def _disconnect_pending(self) -> None:
        while self._to_disconnect:
            node = self._to_disconnect.pop(0)
            unsent = self._unsent.pop(node.connection, [])
            self._unsent_count -= len(unsent)
            for request in unsent:
                _complete(ClientResponse(request, self.clock.now_ms, disconnected=True))
            self.client.disconnect(node.connection)

    def _fire(self) -> None:
        while self._completed:
            future, response = self._completed.pop(0)
            if response.disconnected:
                request = response.request
                self.client.log(
                    "CONSUMER_REQUEST_CANCELLED",
                    header=self.client.header_text(request),
                    node_id=request.connection,
                )
            future.end_with(response)


def _complete(response: ClientResponse) -> None:
    """Ends a request that is never sent, and calls its listeners."""
    if response.request.on_complete is not None:
        response.request.on_complete(response)
