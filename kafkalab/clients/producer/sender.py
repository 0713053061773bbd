"""Sender: the producer's background thread (internals.Sender).

It is a loop that yields how long it may sleep (see `kafkalab.sim.apps`). Each pass asks for a
producer id if one is missing, finds the leaders that have data ready, connects or sends, and polls
the network. `produce_outcomes.py` handles the answers.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from kafkalab.clients.network.least_loaded import LONG_MS
from kafkalab.clients.network.log_context import Later
from kafkalab.clients.network.network_client_utils import LoopingClient
from kafkalab.clients.network.node import Node
from kafkalab.clients.producer.compression_cost import Cpu
from kafkalab.clients.producer.produce_outcomes import ProduceOutcomes
from kafkalab.clients.producer.producer_batch import ProducerBatch
from kafkalab.clients.producer.producer_parts import ProducerPart, ProducerShared
from kafkalab.clients.producer.transactions.transaction_manager import TransactionManager
from kafkalab.clients.producer.transactions.transactional_sender import TransactionalSender
from kafkalab.errors import KafkaException, TimeoutException
from kafkalab.lines import payload
from kafkalab.lines.java_values import list_text
from kafkalab.lines.metrics import RemovedMetrics, removed_at_close
from kafkalab.protocol import messages as m
from kafkalab.sim.apps import Signal

ACKS = {"all": -1, "-1": -1, "0": 0, "1": 1}


RULE_PAUSE_MS = 10
"""How long the Sender sleeps where a learner's rule sends nothing and Kafka's would."""


class Sender(ProducerPart):
    """The loop and the state it keeps between two passes.

    finished  set when the loop has ended and its sockets are closed
    """

    def __init__(self, shared: ProducerShared) -> None:
        super().__init__(shared)
        self.finished = Signal()
        self._cpu = Cpu(self._log.journal, self._log.who)
        self._loop = LoopingClient(self._client, self._profile.connecting.await_ready_polls_first)
        self._transactional = None
        if self._transactions is not None:
            self._transactional = TransactionalSender(
                self._transactions, self._loop, self._accumulator, closing=lambda: self._closing
            )
        self._acks = ACKS[str(self._config["acks"])]
        self._outcomes = ProduceOutcomes(shared)
        self._guarantees_order = self._config["max.in.flight.requests.per.connection"] == 1
        self._closing = self._forced = False

    @property
    def is_running(self) -> bool:
        return not self._closing

    def initiate_close(self) -> None:
        """Sends the waiting batches, then ends."""
        self._closing = True
        self._accumulator.closed = True
        self._client.selector.wakeup()

    def force_close(self) -> None:
        """Ends in the next pass; batches without an answer by then fail."""
        self._forced = True
        self.initiate_close()

    def removed_metrics(self) -> RemovedMetrics:
        """The metrics that leave with the producer."""
        return removed_at_close(
            self._profile.name,
            "producer",
            self._log.client_id,
            nodes=self._client.tried_connections(),
        )

    # the thread

    def start(self) -> Generator[int, None, None]:
        """The loop, for Stage.loop. Its first line comes before the constructor's next ones, as in
        every recorded producer."""
        self._log("SENDER_STARTING")
        return self._run()

    def _run(self) -> Generator[int, None, None]:
        while not self._closing:
            yield from self._run_once()
        self._log("SENDER_STOPPING")
        while not self._forced and self._has_work_left():
            yield from self._run_once()
        while not self._forced and (open_one := self._open_transaction()) is not None:
            if not open_one.is_completing:
                self._log("TRANSACTION_ABORTED_BY_SHUTDOWN")
                open_one.begin_abort()
            yield from self._run_once()
        if self._forced:
            if self._transactions is not None:
                self._log("ABORTING_TRANSACTIONAL_REQUESTS")
                self._transactions.close(KafkaException("The producer closed forcefully"))
            self._log("ABORTING_BATCHES")
            self._accumulator.abort_incomplete()
        self._client.close(self.removed_metrics().network)
        self._log("SENDER_STOPPED")
        self.finished.set()

    def _has_work_left(self) -> bool:
        open_one = self._open_transaction()
        ends_transaction = open_one is not None and open_one.has_pending_requests
        return (
            self._accumulator.has_undrained()
            or self._client.in_flight_count() > 0
            or ends_transaction
        )

    def _open_transaction(self) -> TransactionManager | None:
        """The manager of a transaction that close() has to end first (since 2.3, KAFKA-6635);
        None where there is none."""
        manager = self._transactions
        return (
            manager
            if manager is not None
            and self._profile.transacting.aborts_when_closed
            and manager.has_ongoing_transaction
            else None
        )

    def _run_once(self) -> Iterator[int]:
        if self._transactional is not None:
            pass_is_over = yield from self._transactional.step()
            if pass_is_over:
                return
            self._accumulator.completing = (
                self._profile.transacting.queues_init_producer_id
                and self._transactions is not None
                and self._transactions.is_completing
            )
        yield from self._loop.poll(self._send_producer_data())

    # sending

    def _send_producer_data(self) -> int:
        """Connects to or sends to the leaders that have data ready; returns how long (ms) the poll
        may wait."""
        now_ms, view = self._clock.now_ms, self._metadata.view
        found = self._accumulator.ready(view, now_ms)
        if found.leaderless:
            for topic in found.leaderless:
                self._topics.add(topic)
            self._log("UPDATE_FOR_UNKNOWN_LEADER", topics=f"[{', '.join(found.leaderless)}]")
            self._metadata.request_update()
        ready, not_ready_ms = self._ready_of(list(found.nodes.values()), now_ms)
        drained = {}
        if self._accumulator.next_request is not None:
            drained = self._drained_by_rule(set(found.nodes), ready, now_ms)
            if ready and not drained:
                not_ready_ms = min(not_ready_ms, RULE_PAUSE_MS)
            ready = list(drained)
        elif ready:
            drained = self._accumulator.drain(
                view,
                self._topics.cluster,
                ready,
                now_ms,
                self._config["max.request.size"],
                self._transactions,
            )
        for batches in drained.values():
            self._taken(batches)
        next_expiry_ms = self._expire(now_ms)
        self._metrics.sent(drained.values())
        timeout_ms = max(0, min(found.delay_ms, not_ready_ms, next_expiry_ms - now_ms))
        if ready:
            self._log("NODES_READY", nodes=Later(list_text, tuple(ready)))
            timeout_ms = 0
        for node in sorted(drained, key=lambda node: node.id):
            self._send_produce(node, drained[node])
        return timeout_ms

    def _drained_by_rule(
        self, with_data: set[int], ready: list[Node], now_ms: int
    ) -> dict[Node, list[ProducerBatch]]:
        """What the learner's rule sends. It is asked for the nodes that are ready, and for those
        that Kafka leaves out: a full connection, and batches that may wait."""
        drained = {}
        for id, node in self._accumulator.leaders(self._metadata.view).items():
            in_flight = self._client.in_flight_count(node.connection)
            is_full = in_flight >= self._config["max.in.flight.requests.per.connection"]
            may_wait = id not in with_data and self._client.is_ready(node.connection)
            if not (
                node in ready
                or may_wait
                or (is_full and self._client.states.is_ready(node.connection))
            ):
                continue
            batches = self._accumulator.drain_by_rule(
                node,
                self._topics.cluster,
                now_ms,
                self._config["max.request.size"],
                self._transactions,
                in_flight,
            )
            if batches:
                drained[node] = batches
        return drained

    def _ready_of(self, nodes: list[Node], now_ms: int) -> tuple[list[Node], int]:
        """Those of the nodes that can take a request now; for the others, in how many ms that may
        have changed."""
        not_ready_ms, ready = LONG_MS, []
        for node in nodes:
            is_ready = self._client.ready(node)
            self._accumulator.latency.note(node.id, now_ms, is_ready)
            if is_ready:
                ready.append(node)
            else:
                not_ready_ms = min(not_ready_ms, self._client.poll_delay_ms(node))
        return ready, not_ready_ms

    def _taken(self, batches: list[ProducerBatch]) -> None:
        for batch in batches:
            batch.in_flight = True
            self._outcomes.in_flight[id(batch)] = batch
            if self._guarantees_order:
                self._accumulator.muted.add(batch.partition)
            if not batch.compression.is_none and not batch.in_retry:
                self._client.selector.work(self._cpu.compressed(batch))

    def _expire(self, now_ms: int) -> int:
        """Fails the batches whose delivery.timeout.ms has passed, waiting or sent; returns when
        (ms) the next one will expire."""
        limit_ms = self._config["delivery.timeout.ms"]
        expired = self._accumulator.expired(now_ms, limit_ms)
        expired += [
            batch
            for batch in self._outcomes.in_flight.values()
            if now_ms - batch.created_ms >= limit_ms and not batch.done
        ]
        if expired:
            self._log("BATCHES_EXPIRED", count=len(expired))
        for batch in expired:
            waited_ms = now_ms - batch.created_ms
            text = (
                f"Expiring {len(batch.records)} record(s) for {batch.partition}:{waited_ms} ms has "
                "passed since batch creation"
            )
            if self._transactions is not None and batch.has_sequence:
                self._transactions.sequence_unresolved(batch)
            self._outcomes.fail(batch, TimeoutException(text), closes_gap=False)
        sent_ms = min(
            [
                batch.created_ms + limit_ms
                for batch in self._outcomes.in_flight.values()
                if not batch.done
            ],
            default=LONG_MS,
        )
        return min(self._accumulator.next_expiry_ms(limit_ms), sent_ms)

    def _send_produce(self, node: Node, batches: list[ProducerBatch]) -> None:
        request = self._produce_request(batches)
        sent = self._client.new_request(
            node.connection,
            request,
            lambda response: self._outcomes.answered(node, batches, response),
            expects_response=self._acks != 0,
        )
        self._client.send(sent)
        if self._log.writes("PRODUCE_SENT"):
            version = sent.header.api_version if sent.header else 0
            self._log(
                "PRODUCE_SENT",
                node_id=node.connection,
                request=Later(payload.object_text, request, version, self._profile.name),
            )

    def _produce_request(self, batches: list[ProducerBatch]) -> m.ProduceRequest:
        topics: dict[str, list[m.ProducePartitionData]] = {}
        for batch in batches:
            wire = m.RecordBatch(
                base_offset=0,
                records=tuple(batch.records),
                size_bytes=batch.size_bytes,
                producer_id=batch.producer_id,
                producer_epoch=batch.producer_epoch,
                base_sequence=batch.base_sequence,
                compression=batch.compression.type,
                is_transactional=batch.is_transactional,
            )
            topics.setdefault(batch.partition.topic, []).append(
                m.ProducePartitionData(index=batch.partition.partition, records=(wire,))
            )
        ids = self._metadata.topic_ids
        data = []
        for topic, partitions in topics.items():
            known = {"topic_id": ids[topic]} if topic in ids else {}
            data.append(m.TopicProduceData(name=topic, partition_data=tuple(partitions), **known))
        return m.ProduceRequest(
            transactional_id=None
            if self._transactions is None
            else self._transactions.transactional_id,
            acks=self._acks,
            timeout_ms=self._config["request.timeout.ms"],
            topic_data=tuple(data),
        )
