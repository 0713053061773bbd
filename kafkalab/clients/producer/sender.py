"""The producer's background thread: what it does in each pass (internals.Sender).

A loop that yields how long it may sleep (see `kafkalab.sim.apps`). Each pass: get a producer id if one is wanted and missing,
look which leaders have data ready, connect or send, poll the network.
"""

from __future__ import annotations

from collections.abc import Iterator

from kafkalab.clients.least_loaded import LONG_MS
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.metadata import Metadata
from kafkalab.clients.network_client import NetworkClient
from kafkalab.clients.node import Node
from kafkalab.clients.producer.accumulator import ProducerBatch, RecordAccumulator
from kafkalab.clients.producer.transaction_manager import State, TransactionManager
from kafkalab.clients.requests import ClientResponse
from kafkalab.errors import Errors, NetworkException, TimeoutException, error_for
from kafkalab.lines import payload
from kafkalab.protocol.messages import InitProducerIdRequest, ProducePartitionData, ProduceRequest, RecordBatch, TopicProduceData
from kafkalab.sim.apps import FOREVER_MS, Signal


class Sender:
    def __init__(self, who: str, client: NetworkClient, metadata: Metadata, accumulator: RecordAccumulator, transactions: TransactionManager | None,
                 config, profile, log: LogContext, plain_log: LogContext, clock, wanted: dict[str, None]) -> None:
        self.finished = Signal()
        self._who, self._client, self._metadata, self._accumulator, self._transactions = who, client, metadata, accumulator, transactions
        self._config, self._profile, self._log, self._plain, self._clock, self._wanted = config, profile, log, plain_log, clock, wanted
        self._closing = False
        self._acks = {"all": -1, "-1": -1, "0": 0, "1": 1}[str(config["acks"])]
        self._in_flight_batches: dict[object, list[ProducerBatch]] = {}
        self._answers: list[ClientResponse] = []

    def wakeup(self) -> None:
        self._client.selector.wakeup()

    def initiate_close(self) -> None:
        self._closing = True
        self._accumulator.closed = True
        self.wakeup()

    # the thread

    def run(self) -> Iterator[int]:
        self._log("SENDER_STARTING")
        while not self._closing:
            yield from self._run_once()
        self._log("SENDER_STOPPING")
        while self._accumulator.has_undrained() or self._client.in_flight_count() > 0 and self._in_flight_batches:
            yield from self._run_once()
        if self._client.telemetry:
            self._client.telemetry.close_sender()
        self._client.close()
        self._log("SENDER_STOPPED")
        self.finished.set()

    def _run_once(self) -> Iterator[int]:
        if self._transactions is not None and not self._transactions.has_producer_id:
            done = self._init_pipelined() if self._profile.queues_init_producer_id else self._init_blocking()
            busy = yield from done
            if busy:
                return
        timeout_ms = self._send_producer_data()
        yield from self._poll(timeout_ms)

    def _poll(self, timeout_ms: int) -> Iterator[int]:
        until_ms = self._client.begin_poll(timeout_ms)
        if until_ms > self._clock.now_ms:
            yield until_ms
        self._client.end_poll()

    # the producer id

    def _init_pipelined(self) -> Iterator[int]:
        """2.4 and later: a transactional request in a queue; the pass ends with it. Returns True when the pass is over."""
        transactions = self._transactions
        request = InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=2147483647)
        text = payload.object_text(request, self._profile.latest_version("INIT_PRODUCER_ID", None), self._profile.name)
        if transactions.state is State.UNINITIALIZED:
            transactions.transition_to(State.INITIALIZING)
            self._log("TRANSACTIONAL_REQUEST_ENQUEUED", request=text)
            self._wants_id = True
            self._is_retry = False
        if self._answers:
            self._handle_init(self._answers.pop(), text)
            return False
        if not self._wants_id:
            yield from self._poll(self._config["retry.backoff.ms"])
            if self._answers:
                self._handle_init(self._answers.pop(), text)
            return True
        self._log("TRANSACTIONAL_REQUEST_DEQUEUED", request=text)
        node = self._client.least_loaded_node()
        if node is None or not (yield from self._await_ready(node)):
            yield from self._sleep(self._config["retry.backoff.ms"])
            self._metadata.request_update()
            return True
        if self._is_retry:
            yield from self._sleep(self._config["retry.backoff.ms"])
        sent = self._client.new_request(node.connection, request, self._answers.append)
        self._log("TRANSACTIONAL_REQUEST_SENT", request=text, node=node, correlation_id=sent.correlation_id)
        self._client.send(sent)
        self._wants_id = False
        yield from self._poll(self._config["retry.backoff.ms"])
        if self._answers:
            self._handle_init(self._answers.pop(), text)
        return True

    _wants_id = False
    _is_retry = False

    def _handle_init(self, response: ClientResponse, text: str) -> None:
        if response.disconnected or response.message.error_code != Errors.NONE.code:
            if not response.disconnected:
                shown = payload.object_text(response.message, response.request.header.api_version, self._profile.name)
                self._log("TRANSACTIONAL_RESPONSE", response=shown, request=text)
            self._log("TRANSACTIONAL_REQUEST_ENQUEUED", request=text)
            self._wants_id, self._is_retry = True, True
            return
        shown = payload.object_text(response.message, response.request.header.api_version, self._profile.name)
        self._log("TRANSACTIONAL_RESPONSE", response=shown, request=text)
        self._transactions.initialized(response.message.producer_id, response.message.producer_epoch)
        self._transactions.transition_to(State.READY)

    def _init_blocking(self) -> Iterator[int]:
        """Until 2.3: the Sender does nothing else until it has a producer id (maybeWaitForProducerId)."""
        while not self._transactions.has_producer_id and not self._closing:
            node = self._client.least_loaded_node()
            if node is not None and (yield from self._await_ready(node)):
                request = self._client.new_request(node.connection, InitProducerIdRequest(transactional_id=None, transaction_timeout_ms=2147483647),
                                                   self._answers.append)
                self._client.send(request)
                while not self._answers:
                    yield from self._poll(LONG_MS)
                response = self._answers.pop()
                if not response.disconnected and response.message.error_code == Errors.NONE.code:
                    self._transactions.initialized(response.message.producer_id, response.message.producer_epoch)
                    break
            yield from self._sleep(self._config["retry.backoff.ms"])
            self._metadata.request_update()
        return False

    def _await_ready(self, node: Node) -> Iterator[int]:
        """NetworkClientUtils.awaitReady: poll until the node can take a request; False when its connection failed."""
        limit_ms = self._clock.now_ms + self._config["request.timeout.ms"]
        if self._profile.await_ready_polls_first:
            yield from self._poll(0)
            if self._client.is_ready(node.connection):
                return True
        if self._client.ready(node):
            return True
        while not self._client.is_ready(node.connection):
            if self._client.connection_failed(node) or self._clock.now_ms >= limit_ms:
                return False
            yield from self._poll(limit_ms - self._clock.now_ms)
        return True

    def _sleep(self, ms: int) -> Iterator[int]:
        until_ms = self._clock.now_ms + ms
        while self._clock.now_ms < until_ms:
            self._client.selector.signal.clear()
            yield until_ms

    # records

    def _send_producer_data(self) -> int:
        """Connect to or send to the leaders that have data ready; how long the poll may wait."""
        now_ms = self._clock.now_ms
        nodes, delay_ms, unknown = self._accumulator.ready(self._metadata.view, now_ms)
        if unknown:
            for topic in unknown:
                self._wanted[topic] = None
            self._metadata.request_update()
        not_ready_ms = LONG_MS
        ready = []
        for node in nodes:
            if self._client.ready(node):
                ready.append(node)
            else:
                not_ready_ms = min(not_ready_ms, self._client.poll_delay_ms(node))
        drained = self._accumulator.drain(self._metadata.view, ready, now_ms, self._config["max.request.size"], self._prepare, self._can_drain)
        limit_ms = self._config["delivery.timeout.ms"]
        for batch in self._accumulator.expired(now_ms, limit_ms):
            text = f"Expiring {len(batch.records)} record(s) for {batch.partition}:{now_ms - batch.created_ms} ms has passed since batch creation"
            self._fail(batch, TimeoutException(text))
        timeout_ms = max(0, min(delay_ms, not_ready_ms, self._accumulator.next_expiry_ms(limit_ms) - now_ms))
        if ready:
            self._log("NODES_READY", nodes=f"[{', '.join(map(str, ready))}]")
            timeout_ms = 0
        for node in sorted(drained, key=lambda n: n.id):
            self._send_produce(node, drained[node])
        return timeout_ms

    def _can_drain(self, tp) -> bool:
        if self._config["max.in.flight.requests.per.connection"] != 1:
            return True
        return not any(batch.partition == tp for batches in self._in_flight_batches.values() for batch in batches)

    def _prepare(self, batch: ProducerBatch) -> None:
        if self._transactions is not None:
            self._transactions.stamp(batch)

    def _send_produce(self, node: Node, batches: list[ProducerBatch]) -> None:
        topics: dict[str, list[ProducePartitionData]] = {}
        for batch in batches:
            wire = RecordBatch(base_offset=0, records=tuple(batch.records), size_bytes=batch.size_bytes, producer_id=batch.producer_id,
                               producer_epoch=batch.producer_epoch, base_sequence=batch.base_sequence)
            topics.setdefault(batch.partition.topic, []).append(ProducePartitionData(index=batch.partition.partition, records=(wire,)))
        ids = self._metadata.topic_ids
        request = ProduceRequest(acks=self._acks, timeout_ms=self._config["request.timeout.ms"],
                                 topic_data=tuple(TopicProduceData(name=t, **({"topic_id": ids[t]} if t in ids else {}), partition_data=tuple(ps))
                                                  for t, ps in topics.items()))
        sent = self._client.new_request(node.connection, request, lambda response: self._answered(node, batches, response),
                                        expects_response=self._acks != 0)
        self._in_flight_batches[sent.correlation_id] = batches
        self._client.send(sent)
        version = sent.header.api_version if sent.header else 0
        if self._log.writes("PRODUCE_SENT"):
            self._log("PRODUCE_SENT", node_id=node.connection, request=payload.object_text(request, version, self._profile.name))

    def _answered(self, node: Node, batches: list[ProducerBatch], response: ClientResponse) -> None:
        self._in_flight_batches.pop(response.request.correlation_id, None)
        if response.disconnected:
            for batch in batches:
                self._retry_or_fail(batch, Errors.NETWORK_EXCEPTION, NetworkException("Disconnected from node " + node.connection))
            return
        self._log("PRODUCE_RECEIVED", node_id=node.connection, correlation_id=response.request.correlation_id)
        if response.message is None:  # acks=0: written to the socket is all one will ever know
            for batch in batches:
                self._complete(batch, -1)
            return
        answers = {}
        names = self._metadata.topic_names
        for topic in response.message.responses:
            name = topic.name or names.get(getattr(topic, "topic_id", None), "")
            for p in topic.partition_responses:
                answers[name, p.index] = p
        for batch in batches:
            answer = answers[batch.partition.topic, batch.partition.partition]
            error = error_for(answer.error_code)
            if error is Errors.NONE or error is Errors.DUPLICATE_SEQUENCE_NUMBER:
                self._complete(batch, answer.base_offset)
            else:
                self._retry_or_fail(batch, error, error.exception())

    def _complete(self, batch: ProducerBatch, base_offset: int) -> None:
        if self._transactions is not None:
            self._transactions.acknowledged(batch)
        self._plain("BATCH_PRODUCED", partition=batch.partition, offset=base_offset)
        self._accumulator.finish(batch, base_offset, None)

    def _retry_or_fail(self, batch: ProducerBatch, error: Errors, exception: BaseException) -> None:
        now_ms = self._clock.now_ms
        can_retry = error.retriable and batch.attempts < self._config["retries"] and now_ms - batch.created_ms < self._config["delivery.timeout.ms"]
        if error.retriable:
            self._metadata.request_update()
        if can_retry:
            self._accumulator.reenqueue(batch, now_ms)
        else:
            self._fail(batch, exception)

    def _fail(self, batch: ProducerBatch, error: BaseException) -> None:
        self._plain("BATCH_FAILED", partition=batch.partition, offset=-1, error=error, trace=getattr(error, "java_text", lambda: str(error))())
        self._accumulator.finish(batch, -1, error)
