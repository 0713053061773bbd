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
from kafkalab.clients.producer.init_producer_id import InitProducerId
from kafkalab.clients.producer.network_client_utils import LoopingClient
from kafkalab.clients.producer.transaction_manager import TransactionManager
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
        self._init_producer_id = None
        if transactions is not None:
            self._init_producer_id = InitProducerId(transactions, client, self._loop, config["retry.backoff.ms"], profile, log,
                                                    closing=lambda: self._closing)
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
        while self._accumulator.has_undrained() or self._in_flight_batches:
            yield from self._run_once()
        if self._client.telemetry:
            self._client.telemetry.close_sender()
        self._client.close()
        self._log("SENDER_STOPPED")
        self.finished.set()

    def _run_once(self) -> Iterator[int]:
        if self._init_producer_id is not None:
            pass_is_over = yield from self._init_producer_id.step()
            if pass_is_over:
                return
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
            self._fail(batch, TimeoutException(text))
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
                               producer_epoch=batch.producer_epoch, base_sequence=batch.base_sequence)
            topics.setdefault(batch.partition.topic, []).append(ProducePartitionData(index=batch.partition.partition, records=(wire,)))
        ids = self._metadata.topic_ids
        data = []
        for topic, partitions in topics.items():
            known = {"topic_id": ids[topic]} if topic in ids else {}
            data.append(TopicProduceData(name=topic, partition_data=tuple(partitions), **known))
        return ProduceRequest(acks=self._acks, timeout_ms=self._config["request.timeout.ms"], topic_data=tuple(data))

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
                self._retry_or_fail(batch, error, error.exception())

    def _complete(self, batch: ProducerBatch, base_offset: int) -> None:
        if self._transactions is not None:
            self._transactions.acknowledged(batch)
        self._plain("BATCH_PRODUCED", partition=batch.partition, offset=base_offset)
        self._accumulator.finish(batch, base_offset, None)

    def _retry_or_fail(self, batch: ProducerBatch, error: Errors, exception: KafkaException) -> None:
        now_ms = self._clock.now_ms
        if error.retriable:
            self._metadata.request_update()
        in_time = now_ms - batch.created_ms < self._config["delivery.timeout.ms"]
        if error.retriable and batch.attempts < self._config["retries"] and in_time:
            self._accumulator.reenqueue(batch, now_ms)
        else:
            self._fail(batch, exception)

    def _fail(self, batch: ProducerBatch, error: KafkaException) -> None:
        self._plain("BATCH_FAILED", partition=batch.partition, offset=-1, error=error, trace=error.java_text())
        self._accumulator.finish(batch, -1, error)
