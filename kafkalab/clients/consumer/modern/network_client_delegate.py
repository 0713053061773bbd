"""NetworkClientDelegate: sends the requests of the background's managers, and lets the application
wait (internals.NetworkClientDelegate).

Requests wait in one queue, in the order in which the managers made them. Each pass tries each of
them once: it chooses a node and sends the request if the node is ready; otherwise the request waits
for the next pass. Only the background thread polls the network. The application waits for a future,
or for the next pass of the background thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kafkalab.clients.consumer.reading.call_timer import CallTimer
from kafkalab.clients.consumer.reading.consumer_network import ConsumerNetwork
from kafkalab.clients.consumer.reading.request_future import RequestFuture
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.selector import SPINNING_PASS_MS, SPINNING_PASSES
from kafkalab.errors import DisconnectException, TimeoutException
from kafkalab.lines import payload
from kafkalab.protocol.api_keys import api_of
from kafkalab.protocol.messages import FetchRequest
from kafkalab.sim.apps import Signal, Stage


@dataclass(slots=True)
class UnsentRequest:
    """A request that waits to be sent; `node` None means any. It fails when it was not sent by
    `deadline_ms`."""

    node: Node | None
    message: Any
    deadline_ms: int
    timeout_ms: int
    future: RequestFuture = field(default_factory=RequestFuture)


class NetworkClientDelegate(ConsumerNetwork):
    """The network of one consumer. progress is set after each pass of the background thread."""

    def __init__(self, client: NetworkClient, stage: Stage, config: Mapping[str, Any]) -> None:
        super().__init__(client, stage)
        self.progress = Signal()
        self._timeless_polls = 0
        self._profile, self._log = client.profile, client.log
        self._retry_backoff_ms = config["retry.backoff.ms"]
        self._timeout_ms = config["request.timeout.ms"]
        self._unsent: list[UnsentRequest] = []
        self._error: BaseException | None = None

    def send(self, node: Node | None, message: Any, timeout_ms: int | None = None) -> RequestFuture:
        """Queues a request; the background thread sends it when its node is ready."""
        unsent = UnsentRequest(
            node, message, self.clock.now_ms + self._timeout_ms, self._timeout_ms
        )
        self._unsent.append(unsent)
        self.client.selector.wakeup()
        return unsent.future

    # the background thread

    def run_pass(self, timeout_ms: int) -> Iterator[int]:
        """Sends what it can, then polls the network; yields until when the thread may sleep."""
        self._try_send()
        wait_ms = min(timeout_ms, self._retry_backoff_ms) if self._unsent else timeout_ms
        yield self.client.begin_poll(wait_ms)
        self.client.end_poll()
        for unsent in [
            u for u in self._unsent if u.node is not None and self.client.connection_failed(u.node)
        ]:
            self._unsent.remove(unsent)
            unsent.future.fail(DisconnectException())
        self.progress.set()

    @property
    def has_pending_requests(self) -> bool:
        return bool(self._unsent) or self.client.in_flight_count() > 0

    def _try_send(self) -> None:
        for unsent in list(self._unsent):
            if self.clock.now_ms >= unsent.deadline_ms:
                self._unsent.remove(unsent)
                unsent.future.fail(
                    TimeoutException(f"Failed to send request after {unsent.timeout_ms} ms.")
                )
            elif self._send(unsent):
                self._unsent.remove(unsent)

    def _send(self, unsent: UnsentRequest) -> bool:
        # Java calls this even when it has a node
        any_node = self.client.least_loaded_node()
        node = any_node if unsent.node is None else unsent.node
        if node is None or self.client.is_unavailable(node):
            return False
        future = unsent.future
        request = self.client.new_request(
            node.connection,
            unsent.message,
            future.end_with,
            unsent.deadline_ms - self.clock.now_ms,
        )
        if not self.client.ready(node):
            self._log("NODE_NOT_READY", node=node, request=self._text(unsent))
            return False
        self.client.send(request)
        return True

    def _text(self, unsent: UnsentRequest) -> str:
        version = self._profile.latest(api_of(unsent.message))
        node = "Optional.empty" if unsent.node is None else f"Optional[{unsent.node}]"
        fetches = type(unsent.message) is FetchRequest
        message = (
            _fetch_builder_text(unsent.message)
            if fetches
            else payload.object_text(unsent.message, version, self._profile.name)
        )
        return (
            f"UnsentRequest{{requestBuilder={message}, "
            "handler=org.apache.kafka.clients.consumer.internals.NetworkClientDelegate$FutureCompletionHandler@0, "  # noqa: E501
            f"node={node}, remainingMs={max(0, unsent.deadline_ms - self.clock.now_ms)}}}"
        )

    # the application's thread

    def wait(self, signal: Signal, timer: CallTimer) -> None:
        """Runs the background thread until the signal is set or the timer ends. Raises
        WakeupException after `wakeup`."""
        self.raise_if_woken()
        self._stage.wait(signal, timer.deadline_ms)
        self.raise_if_woken()

    def poll(self, timer: CallTimer) -> None:
        """Waits until the background thread has made a pass.

        A Java client may spin here: with no broker to ask, each pass begins again with the
        bootstrap addresses, which counts as a change. Passes take no virtual time, so after as many
        as in `Selector` each further one comes 10 ms later.
        """
        self.progress.clear()
        began_ms = self.clock.now_ms
        self.wait(self.progress, timer)
        self._timeless_polls = self._timeless_polls + 1 if self.clock.now_ms == began_ms else 0
        if self._timeless_polls > SPINNING_PASSES:
            self.sleep(min(SPINNING_PASS_MS, timer.remaining_ms))
        self.raise_error()

    def poll_until(self, future: RequestFuture, timer: CallTimer) -> bool:
        """Waits until `future` is done or the timer ends."""
        done = Signal()
        future.wakes(done)
        if not future.is_done:
            self.wait(done, timer)
        self.raise_error()
        return future.is_done or not timer.expired  # a timer without an end raises

    def sleep(self, ms: int) -> None:
        self._stage.wait(Signal(), self.clock.now_ms + ms)

    def await_metadata_update(self, timer: CallTimer) -> bool:
        version = self.client.metadata.request_update()
        self.client.selector.wakeup()
        while self.client.metadata.update_version <= version and not timer.expired:
            self.poll(timer)
        return self.client.metadata.update_version > version

    def raise_error(self) -> None:
        """Raises the errors of the background thread that only the application can handle."""
        self.client.metadata.raise_fatal()
        if self._error is not None:
            error, self._error = self._error, None
            raise error

    def keep_error(self, error: BaseException) -> None:
        self._error = error
        self.progress.set()

    def _interrupt(self) -> None:
        self.progress.set()


def _fetch_builder_text(request: FetchRequest) -> str:
    """FetchRequest.Builder.toString, which has a form of its own."""
    fetched = ", ".join(
        (
            f"{topic.topic}-{p.partition}=PartitionData(topicId={topic.topic_id}, "
            f"fetchOffset={p.fetch_offset}, logStartOffset=-1, maxBytes={p.partition_max_bytes}, "
            f"currentLeaderEpoch=Optional[{p.current_leader_epoch}], "
            "lastFetchedEpoch=Optional.empty)"
        )
        for topic in request.topics
        for p in topic.partitions
    )
    removed = ", ".join(
        f"{topic.topic}-{n}" for topic in request.forgotten_topics_data for n in topic.partitions
    )
    session = request.session_id or "INVALID"
    epoch = {0: "INITIAL", -1: "FINAL"}.get(request.session_epoch, request.session_epoch)
    return (
        f"(type=FetchRequest, replicaId=-1, maxWait={request.max_wait_ms}, "
        f"minBytes={request.min_bytes}, maxBytes={request.max_bytes}, fetchData={{{fetched}}}, "
        f"isolationLevel={'read_committed' if request.isolation_level else 'read_uncommitted'}, "
        f"removed={removed}, replaced=, metadata=(sessionId={session}, epoch={epoch}), "
        f"rackId={request.rack_id})"
    )
