"""The producer's background thread: what it does in each pass (internals.Sender).

A loop that yields how long it may sleep (see `kafkalab.sim.apps`). Each pass: ask for a producer id if one is missing, look
which leaders have data ready, connect or send, poll the network. What comes back completes batches, or sends them again.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from kafkalab.clients.least_loaded import LONG_MS
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.network_client import NetworkClient
from kafkalab.clients.node import Node
from kafkalab.clients.producer.accumulator import ProducerBatch, RecordAccumulator
from kafkalab.clients.producer.network_client_utils import LoopingClient
from kafkalab.clients.producer.transaction_manager import TransactionManager
from kafkalab.clients.producer.transactional_sender import TransactionalSender
from kafkalab.clients.requests import ClientResponse
from kafkalab.errors import Errors, KafkaException, NetworkException, TimeoutException, UnsupportedVersionException, error_for
from kafkalab.lines import payload
from kafkalab.lines.java_values import list_text
from kafkalab.protocol.messages import ProducePartitionData, ProduceRequest, RecordBatch, TopicProduceData
from kafkalab.records import TopicPartition
from kafkalab.sim.apps import Signal
from kafkalab.sim.scheduler import Scheduler

ACKS = {"all": -1, "-1": -1, "0": 0, "1": 1}


class Sender:
    """The loop and what it remembers between two passes.

    finished  set when the loop has ended and its sockets are closed
    """

    def __init__(self, client: NetworkClient, accumulator: RecordAccumulator, transactions: TransactionManager | None, config: Mapping,
                 profile, log: LogContext, plain_log: LogContext, clock: Scheduler) -> None:
        self.finished = Signal()
        self._client, self._metadata, self._accumulator, self._transactions = client, client.metadata, accumulator, transactions
        self._config, self._profile, self._log, self._plain, self._clock = config, profile, log, plain_log, clock
        self._loop = LoopingClient(client, clock, config["request.timeout.ms"], profile.await_ready_polls_first)
        self._transactional = None
        if transactions is not None:
            self._transactional = TransactionalSender(transactions, client, self._loop, accumulator, profile, closing=lambda: self._closing)
        self._acks = ACKS[str(config["acks"])]
        self._in_flight_batches: dict[int, list[ProducerBatch]] = {}
        self._closing = False

    def wakeup(self) -> None:
        self._client.selector.wakeup()

    def initiate_close(self) -> None:
        """Send what waits, then end."""
        self._closing = True
        self._accumulator.closed = True
        self.wakeup()

    # the thread

    def run(self) -> Iterator[int]:
        """The loop, for Stage.loop."""
        self._log("SENDER_STARTING")
        while not self._closing:
            yield from self._run_once()
        self._log("SENDER_STOPPING")
        while self._accumulator.has_undrained() or self._in_flight_batches or self._has_transaction_to_end():
            yield from self._run_once()
        while self._has_open_transaction():
            if not self._transactions.is_completing:
                self._log("TRANSACTION_ABORTED_BY_SHUTDOWN")
                self._transactions.begin_abort()
            yield from self._run_once()
        if self._client.telemetry:
            self._client.telemetry.close_sender()
        self._client.close()
        self._log("SENDER_STOPPED")
        self.finished.set()

    def _has_transaction_to_end(self) -> bool:
        return self._has_open_transaction() and self._transactions.has_pending_requests

    def _has_open_transaction(self) -> bool:
        """A transaction that close() has to end first (since 2.3, KAFKA-6635)."""
        return self._transactions is not None and self._profile.aborts_when_closed and self._transactions.has_ongoing_transaction

    def _run_once(self) -> Iterator[int]:
        if self._transactional is not None:
            pass_is_over = yield from self._transactional.step()
            if pass_is_over:
                return
            self._accumulator.completing = self._profile.queues_init_producer_id and self._transactions.is_completing
        yield from self._loop.poll(self._send_producer_data())

    # sending

    def _send_producer_data(self) -> int:
        """Connect to or send to the leaders that have data ready; how long (ms) the poll may wait."""
        now_ms, view = self._clock.now_ms, self._metadata.view
        nodes, delay_ms, unknown = self._accumulator.ready(view, now_ms)
        if unknown:
            self._metadata.request_update()
        not_ready_ms = LONG_MS
        ready = []
        for node in nodes:
            if self._client.ready(node):
                ready.append(node)
            else:
                not_ready_ms = min(not_ready_ms, self._client.poll_delay_ms(node))
        drained = self._accumulator.drain(view, ready, now_ms, self._config["max.request.size"], self._transactions, self._can_drain)
        limit_ms = self._config["delivery.timeout.ms"]
        for batch in self._accumulator.expired(now_ms, limit_ms):
            waited_ms = now_ms - batch.created_ms
            text = f"Expiring {len(batch.records)} record(s) for {batch.partition}:{waited_ms} ms has passed since batch creation"
            if self._transactions is not None and batch.base_sequence >= 0:
                self._transactions.sequence_unresolved(batch)
            self._fail(batch, TimeoutException(text), closes_gap=False)
        timeout_ms = max(0, min(delay_ms, not_ready_ms, self._accumulator.next_expiry_ms(limit_ms) - now_ms))
        if ready:
            self._log("NODES_READY", nodes=list_text(ready))
            timeout_ms = 0
        for node in sorted(drained, key=lambda node: node.id):
            self._send_produce(node, drained[node])
        return timeout_ms

    def _can_drain(self, tp: TopicPartition) -> bool:
        """With one request in flight order is kept by holding a partition back until its batch is answered (guaranteeMessageOrder)."""
        if self._config["max.in.flight.requests.per.connection"] != 1:
            return True
        return not any(batch.partition == tp for batches in self._in_flight_batches.values() for batch in batches)

    def _send_produce(self, node: Node, batches: list[ProducerBatch]) -> None:
        request = self._produce_request(batches)
        sent = self._client.new_request(node.connection, request, lambda response: self._answered(node, batches, response),
                                        expects_response=self._acks != 0)
        self._in_flight_batches[sent.correlation_id] = batches
        self._client.send(sent)
        if self._log.writes("PRODUCE_SENT"):
            version = sent.header.api_version if sent.header else 0
            self._log("PRODUCE_SENT", node_id=node.connection, request=payload.object_text(request, version, self._profile.name))

    def _produce_request(self, batches: list[ProducerBatch]) -> ProduceRequest:
        topics: dict[str, list[ProducePartitionData]] = {}
        for batch in batches:
            wire = RecordBatch(base_offset=0, records=tuple(batch.records), size_bytes=batch.size_bytes, producer_id=batch.producer_id,
                               producer_epoch=batch.producer_epoch, base_sequence=batch.base_sequence,
                               is_transactional=batch.is_transactional)
            topics.setdefault(batch.partition.topic, []).append(ProducePartitionData(index=batch.partition.partition, records=(wire,)))
        ids = self._metadata.topic_ids
        data = []
        for topic, partitions in topics.items():
            known = {"topic_id": ids[topic]} if topic in ids else {}
            data.append(TopicProduceData(name=topic, partition_data=tuple(partitions), **known))
        transactional_id = None if self._transactions is None else self._transactions.transactional_id
        return ProduceRequest(transactional_id=transactional_id, acks=self._acks, timeout_ms=self._config["request.timeout.ms"], topic_data=tuple(data))

    # what comes back

    def _answered(self, node: Node, batches: list[ProducerBatch], response: ClientResponse) -> None:
        self._in_flight_batches.pop(response.request.correlation_id, None)
        if response.disconnected:
            for batch in batches:
                self._retry_or_fail(batch, Errors.NETWORK_EXCEPTION, NetworkException(f"Disconnected from node {node.connection}"))
            return
        if response.version_mismatch:
            for batch in batches:
                self._fail(batch, UnsupportedVersionException(Errors.UNSUPPORTED_VERSION.message))
            return
        self._log("PRODUCE_RECEIVED", node_id=node.connection, correlation_id=response.request.correlation_id)
        if response.message is None:  # acks=0: written to the socket is all one will ever know
            for batch in batches:
                self._complete(batch, -1)
            return
        names = self._metadata.topic_names
        answers = {(topic.name or names.get(topic.topic_id, ""), p.index): p
                   for topic in response.message.responses for p in topic.partition_responses}
        for batch in batches:
            answer = answers[batch.partition.topic, batch.partition.partition]
            error = error_for(answer.error_code)
            # A batch sent twice was written once; the broker then says DUPLICATE_SEQUENCE_NUMBER, or just where it was written.
            if error in (Errors.NONE, Errors.DUPLICATE_SEQUENCE_NUMBER):
                self._complete(batch, answer.base_offset)
            else:
                known = error.known_to(self._profile.name)
                self._retry_or_fail(batch, error, known.raises(known.message), answer.log_start_offset)

    def _complete(self, batch: ProducerBatch, base_offset: int) -> None:
        if self._transactions is not None:
            self._transactions.acknowledged(batch, base_offset)
        self._plain("BATCH_PRODUCED", partition=batch.partition, offset=base_offset)
        self._accumulator.finish(batch, base_offset, None)

    def _retry_or_fail(self, batch: ProducerBatch, error: Errors, exception: KafkaException, log_start_offset: int = -1) -> None:
        now_ms = self._clock.now_ms
        if error.retriable:
            self._metadata.request_update()
        in_time = now_ms - batch.created_ms < self._config["delivery.timeout.ms"]
        may_retry = batch.attempts < self._config["retries"] and in_time and not batch.done
        if may_retry and self._transactions is not None:
            may_retry = self._transactions.can_retry(error, batch, log_start_offset)
        elif not error.retriable:
            may_retry = False
        if may_retry:
            self._accumulator.reenqueue(batch, now_ms)
        else:
            self._fail(batch, exception, closes_gap=batch.attempts < self._config["retries"])

    def _fail(self, batch: ProducerBatch, error: KafkaException, closes_gap: bool = True) -> None:
        """closes_gap: the broker refused the batch, so the numbers of those behind it may move up."""
        tells_transaction = self._transactions is not None and not batch.done
        if tells_transaction and not self._profile.tells_failure_first:
            self._transactions.failed(batch, error, closes_gap)
        self._finish_failed(batch, error)
        if tells_transaction and self._profile.tells_failure_first:
            self._transactions.failed(batch, error, closes_gap)

    def _finish_failed(self, batch: ProducerBatch, error: KafkaException) -> None:
        self._plain("BATCH_FAILED", partition=batch.partition, offset=-1, error=error, trace=error.java_text())
        self._accumulator.finish(batch, -1, error)
