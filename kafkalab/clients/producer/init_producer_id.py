"""How does a producer get its id? (TransactionManager.InitProducerIdHandler and the Sender's part of it)

INIT_PRODUCER_ID goes to any broker. From 2.4 on it is a transactional request in a queue, one step in each pass of the Sender,
and records wait meanwhile; until 2.3 the Sender did nothing else before it had an id. Fenced and transactional producers are
left out, so the only answer that counts is a fresh id.
"""

from __future__ import annotations

from collections.abc import Callable, Generator

from kafkalab.clients.least_loaded import LONG_MS
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.network_client import NetworkClient
from kafkalab.clients.producer.network_client_utils import LoopingClient
from kafkalab.clients.producer.transaction_manager import State, TransactionManager
from kafkalab.clients.requests import ClientResponse
from kafkalab.errors import Errors
from kafkalab.lines import payload
from kafkalab.protocol.messages import InitProducerIdRequest

LARGEST_INT = 2_147_483_647
REQUEST = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=LARGEST_INT)


class InitProducerId:
    """The question, until it is answered. `closing` says that the producer is being closed and nobody waits for an id."""

    def __init__(self, transactions: TransactionManager, client: NetworkClient, loop: LoopingClient, retry_backoff_ms: int, profile,
                 log: LogContext, closing: Callable[[], bool]) -> None:
        self._transactions, self._client, self._loop, self._retry_backoff_ms = transactions, client, loop, retry_backoff_ms
        self._profile, self._log, self._closing = profile, log, closing
        self._answers: list[ClientResponse] = []
        self._queued = self._is_retry = False
        self._text = payload.object_text(REQUEST, profile.latest_version("INIT_PRODUCER_ID", None), profile.name)

    def step(self) -> Generator[int, None, bool]:
        """What a pass does about it, if an id is missing; True when that was the whole pass."""
        if self._transactions.has_producer_id:
            return False
        if self._profile.queues_init_producer_id:
            return (yield from self._step_of_queue())
        yield from self._wait_for_id()
        return False

    # 2.4 and later

    def _step_of_queue(self) -> Generator[int, None, bool]:
        """Sender.maybeSendAndPollTransactionalRequest."""
        if self._transactions.state is State.UNINITIALIZED:
            self._transactions.transition_to(State.INITIALIZING)
            self._enqueue()
        if self._answers:
            self._take_answer()
            return False
        if not self._queued:
            yield from self._poll()
            return True
        self._log("TRANSACTIONAL_REQUEST_DEQUEUED", request=self._text)
        node = self._client.least_loaded_node()
        if node is None or not (yield from self._loop.await_ready(node)):
            yield from self._loop.sleep(self._retry_backoff_ms)
            self._client.metadata.request_update()
            return True
        if self._is_retry:
            yield from self._loop.sleep(self._retry_backoff_ms)
        request = self._client.new_request(node.connection, REQUEST, self._answers.append)
        self._log("TRANSACTIONAL_REQUEST_SENT", request=self._text, node=node, correlation_id=request.correlation_id)
        self._client.send(request)
        self._queued = False
        yield from self._poll()
        return True

    def _poll(self) -> Generator[int, None, None]:
        yield from self._loop.poll(self._retry_backoff_ms)
        if self._answers:
            self._take_answer()

    def _enqueue(self) -> None:
        self._log("TRANSACTIONAL_REQUEST_ENQUEUED", request=self._text)
        self._queued = True

    def _take_answer(self) -> None:
        response = self._answers.pop()
        if not response.disconnected:
            shown = payload.object_text(response.message, response.request.header.api_version, self._profile.name)
            self._log("TRANSACTIONAL_RESPONSE", response=shown, request=self._text)
        if not self._accepted(response):
            self._enqueue()
            self._is_retry = True
        else:
            self._transactions.transition_to(State.READY)

    # until 2.3

    def _wait_for_id(self) -> Generator[int, None, None]:
        """Sender.maybeWaitForProducerId."""
        while not self._transactions.has_producer_id and not self._closing():
            node = self._client.least_loaded_node()
            if node is not None and (yield from self._loop.await_ready(node)):
                self._client.send(self._client.new_request(node.connection, REQUEST, self._answers.append))
                while not self._answers:
                    yield from self._loop.poll(LONG_MS)
                if self._accepted(self._answers.pop()):
                    return
            yield from self._loop.sleep(self._retry_backoff_ms)
            self._client.metadata.request_update()

    def _accepted(self, response: ClientResponse) -> bool:
        if response.disconnected or response.message.error_code != Errors.NONE.code:
            return False
        self._transactions.initialized(response.message.producer_id, response.message.producer_epoch)
        return True
