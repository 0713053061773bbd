"""Sends the requests about id and transaction: the Sender's part
(Sender.maybeSendAndPollTransactionalRequest).

They are sent one at a time, before any records: while one is under way a pass of the Sender does
nothing else. Until 2.3 an idempotent producer's Sender waited for its id and did nothing else
before; from 2.4 on the request for the id is in the queue, too.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sized
from typing import Protocol

from kafkalab.clients.network.least_loaded import LONG_MS
from kafkalab.clients.network.network_client_utils import LoopingClient
from kafkalab.clients.network.node import Node
from kafkalab.clients.network.requests import ClientResponse
from kafkalab.clients.producer.transactions.transaction_manager import (
    UNACKNOWLEDGED,
    TransactionManager,
)
from kafkalab.clients.producer.transactions.txn_partitions import ProducerIdAndEpoch
from kafkalab.clients.producer.transactions.txn_requests import (
    COORDINATOR_NAMES,
    TRANSACTION,
    TxnRequest,
)
from kafkalab.errors import Errors, KafkaException, TransactionAbortedException, error_for
from kafkalab.protocol.messages import InitProducerIdRequest

ABORTED_TEXT = "Failing batch since transaction was aborted"
Pass = Generator[int, None, bool]


class UnfinishedBatches(Protocol):
    """The methods of the RecordAccumulator that transactions use: they list batches without an
    outcome, and abort them."""

    flushing: int

    @property
    def incomplete(self) -> Sized:
        """Batches whose outcome is not known."""

    def abort_batches(self, reason: BaseException) -> None:
        """Aborts all that have no outcome."""

    def abort_undrained(self, reason: BaseException) -> None:
        """Aborts those that were never sent."""


class TransactionalSender:
    """Sends the transactional requests of one producer. closing: whether the producer is being
    closed; then it does not wait for an id."""

    def __init__(
        self,
        manager: TransactionManager,
        loop: LoopingClient,
        accumulator: UnfinishedBatches,
        closing: Callable[[], bool],
    ) -> None:
        self._manager, self._client = manager, manager.client
        self._loop = loop
        self._accumulator = accumulator
        self._closing = closing
        self._backoff_ms = manager.retry_backoff_ms
        self._first_answers: list[ClientResponse] = []

    def step(self) -> Pass:
        """The transactional part of a pass; True when that was the whole pass."""
        self._manager.resolve_sequences()
        if not self._manager.profile.transacting.queues_init_producer_id:
            return (yield from self._step_until_2_3())
        if self._manager.has_fatal_error:
            return (yield from self._give_up_batches())
        self._manager.bump_idempotent_epoch_if_needed()
        return (yield from self._send_and_poll())

    def _give_up_batches(self) -> Pass:
        if self._manager.last_error is not None:
            self._accumulator.abort_batches(self._manager.last_error)
        yield from self._loop.poll(self._backoff_ms)
        return True

    # 2.4 and later

    def _send_and_poll(self) -> Pass:
        manager = self._manager
        if manager.in_flight is not None:
            yield from self._loop.poll(self._backoff_ms)
            return True
        if manager.has_abortable_error or manager.is_aborting:
            self._accumulator.abort_undrained(
                manager.last_error or TransactionAbortedException(ABORTED_TEXT)
            )
        request = manager.next_request(bool(self._accumulator.incomplete))
        if request is None:
            return False
        if request.coordinator_type is not None:
            node = manager.coordinator(request.coordinator_type)
            if node is None:
                manager.log(
                    "TRANSACTION_COORDINATOR_UNKNOWN",
                    coordinator_type=COORDINATOR_NAMES[request.coordinator_type],
                    api=request.api_name,
                )
                self._find_and_retry(request)
                return True
        else:
            node = self._client.least_loaded_node()
            if node is None:
                manager.retry(request)
                yield from self._loop.poll(self._backoff_ms)
                return True
        if not (yield from self._await(node, request)):
            if request.coordinator_type is None:
                yield from self._loop.sleep(self._backoff_ms)
                self._client.metadata.request_update()
                manager.retry(request)
            else:
                self._find_and_retry(request)
            return True
        if request.is_retry:
            yield from self._loop.sleep(request.retry_backoff_ms)
        self._send(request, node)
        yield from self._loop.poll(self._backoff_ms)
        return True

    def _find_and_retry(self, request: TxnRequest) -> None:
        assert request.coordinator_type is not None, "such a request is sent to any broker"
        self._manager.look_up_coordinator(request.coordinator_type, request.coordinator_key)
        self._manager.retry(request)

    def _await(self, node: Node, request: TxnRequest) -> Pass:
        ready = yield from self._loop.await_ready(node)
        if ready and request.coordinator_type == TRANSACTION:
            self._manager.coordinator_ready()
        return ready

    def _send(self, request: TxnRequest, node: Node) -> None:
        manager = self._manager
        sent = self._client.new_request(node.connection, request.message, request.completed)
        manager.log(
            "TRANSACTIONAL_REQUEST_SENT",
            request=request.shown,
            node=node,
            correlation_id=sent.correlation_id,
        )
        manager.in_flight = request
        self._client.send(sent)
        if sent.header is not None:
            request.sent(sent.header.api_version)

    # until 2.3

    def _step_until_2_3(self) -> Pass:
        manager = self._manager
        if not manager.is_transactional:
            yield from self._wait_for_id()
        elif manager.has_unresolved_sequences and not manager.has_fatal_error:
            manager.to_fatal_error(KafkaException(UNACKNOWLEDGED + "It isn't safe to continue."))
        elif manager.in_flight is not None or (yield from self._send_next()):
            yield from self._loop.poll(self._backoff_ms)
            return True
        if manager.has_fatal_error or not manager.has_producer_id:
            return (yield from self._give_up_batches())
        if manager.has_abortable_error:
            assert manager.last_error is not None, "an error state has its error"
            self._accumulator.abort_undrained(manager.last_error)
        return False

    def _send_next(self) -> Pass:
        """Sender.maybeSendTransactionalRequest: True when the pass must wait for an answer."""
        manager = self._manager
        if manager.is_completing and self._accumulator.incomplete:
            if manager.is_aborting:
                self._accumulator.abort_undrained(KafkaException(ABORTED_TEXT))
            if not self._accumulator.flushing:
                self._accumulator.flushing += 1
        request = manager.next_request(bool(self._accumulator.incomplete))
        if request is None:
            return False
        while True:
            if request.coordinator_type is not None:
                node = manager.coordinator(request.coordinator_type)
                if node is None or not (yield from self._loop.await_ready(node)):
                    manager.look_up_coordinator(request.coordinator_type, request.coordinator_key)
                    break
            else:
                node = self._client.least_loaded_node()
                if node is not None and not (yield from self._loop.await_ready(node)):
                    node = None
            if node is not None:
                if request.is_retry:
                    yield from self._loop.sleep(request.retry_backoff_ms)
                self._send(request, node)
                return True
            yield from self._loop.sleep(self._backoff_ms)
            self._client.metadata.request_update()
        manager.retry(request)
        return True

    def _wait_for_id(self) -> Generator[int, None, None]:
        """Sender.maybeWaitForProducerId."""
        manager = self._manager
        while not manager.has_producer_id and not self._closing():
            node = self._client.least_loaded_node()
            if node is not None and (yield from self._loop.await_ready(node)):
                self._client.send(
                    self._client.new_request(
                        node.connection, InitProducerIdRequest(), self._first_answers.append
                    )
                )
                while not self._first_answers:
                    yield from self._loop.poll(LONG_MS)
                response = self._first_answers.pop()
                error = (
                    Errors.NETWORK_EXCEPTION
                    if response.disconnected
                    else error_for(response.message.error_code)
                )
                if error is Errors.NONE:
                    manager.initialized(
                        ProducerIdAndEpoch(
                            response.message.producer_id, response.message.producer_epoch
                        ),
                        False,
                    )
                    return
                if not error.retriable:
                    manager.to_fatal_error(error.exception())
                    return
            yield from self._loop.sleep(self._backoff_ms)
            self._client.metadata.request_update()
