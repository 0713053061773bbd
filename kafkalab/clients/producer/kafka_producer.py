"""The producer that an application uses (org.apache.kafka.clients.producer.KafkaProducer).

The constructor starts the Sender's loop, which connects by itself; `send` waits for metadata and
perhaps for memory, puts the record into a batch and returns a future.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kafkalab.clients.network import app_info, arguments
from kafkalab.clients.network.client_setup import ClientSetup
from kafkalab.clients.network.idle_expiry import Closer
from kafkalab.clients.network.learners_rule import learners_rule
from kafkalab.clients.network.metrics import MetricValues
from kafkalab.clients.network.network_client import NetworkClient
from kafkalab.clients.producer.accumulator import RecordAccumulator
from kafkalab.clients.producer.future_record_metadata import FutureRecordMetadata
from kafkalab.clients.producer.learners_drain import NextRequest
from kafkalab.clients.producer.partition_choice import PartitionChooser
from kafkalab.clients.producer.producer_batch import Outcome
from kafkalab.clients.producer.producer_interceptors import ProducerInterceptors
from kafkalab.clients.producer.producer_metrics import ProducerMetrics
from kafkalab.clients.producer.producer_parts import ProducerShared
from kafkalab.clients.producer.producer_topics import ProducerTopics
from kafkalab.clients.producer.record_appends import RecordAppends
from kafkalab.clients.producer.record_send import Send
from kafkalab.clients.producer.sender import Sender
from kafkalab.clients.producer.serializers import Serializers
from kafkalab.clients.producer.transactions.transaction_manager import TransactionManager
from kafkalab.clients.producer.transactions.transactions_api import TransactionalMethods
from kafkalab.config import ProducerConfig, dump_text
from kafkalab.errors import (
    ApiException,
    IllegalArgumentException,
    IllegalStateException,
    KafkaException,
)
from kafkalab.protocol.messages import WireRecord
from kafkalab.records import ProducerRecord, RecordMetadata, TopicPartition, key_text
from kafkalab.sim.apps import LONGEST_GIVEN_MS, PATIENCE_MS, Signal

if TYPE_CHECKING:
    from kafkalab.clients.network.client_lab import ClientLab
    from kafkalab.clients.network.metadata import ClusterView

LARGEST_LONG = 9_223_372_036_854_775_807
"""Long.MAX_VALUE: how long close() waits without a timeout."""

FLUSH_IN_CALLBACK = (
    "KafkaProducer.flush() invocation inside a callback is not permitted because it may lead to "
    "deadlock."
)

Callback = Callable[[RecordMetadata | None, BaseException | None], None]


class KafkaProducer(TransactionalMethods):
    """A producer for `lab`'s cluster.

    config        dotted keys as in Java; `bootstrap.servers` defaults to the lab's first broker
    version       the client version to be; the lab's when left out
    name          the client's name in the journal; client.id when left out
                  (with a number while an open client of its kind has that name)
    least_loaded  a learner's own rule, function(nodes) -> node or None, in place of the version's;
                  see clients/network/least_loaded.py
    idle_closer   a learner's own rule, function(connections, now_ms, limit_ms) -> connection or
                  None; see clients/network/idle_expiry.py
    next_request  a learner's own rule, function(waiting, in_flight, limits) -> partitions; see
                  clients/producer/learners_drain.py
    """

    def __init__(
        self,
        lab: ClientLab,
        config: Mapping[str, Any] | None = None,
        *,
        version: str | None = None,
        name: str | None = None,
        least_loaded: Callable[..., Any] | None = None,
        idle_closer: Closer | None = None,
        next_request: NextRequest | None = None,
    ) -> None:
        arguments.lab("KafkaProducer", lab)
        arguments.config_mapping("KafkaProducer", config)
        arguments.rule("least_loaded", least_loaded)
        arguments.rule("idle_closer", idle_closer)
        arguments.rule("next_request", next_request)
        self._lab = lab
        self._topics_sent_to: set[str] = set()
        self.profile = profile = lab.profile(version)
        given = {"bootstrap.servers": lab.first_address, **(config or {})}
        self.config = ProducerConfig.for_version(profile.name, given)
        number = lab.next_number("producer", name)
        own = self.config["transactional.id"]
        pattern = "producer-{n}" if own is None else profile.transacting.client_id_with_own
        self.client_id = self.config["client.id"] or pattern.format(n=number, id=own)
        self.name = lab.client_name("producer", name, self.client_id)
        event = lab.call(self.name, "new KafkaProducer", given)
        with lab.journal.because(event):
            self._build(lab, least_loaded, idle_closer)
        self._accumulator.next_request = next_request
        lab.add_client("producer", self.name, lambda: self.is_closed)

    def _build(
        self,
        lab: ClientLab,
        least_loaded: Callable[..., Any] | None,
        idle_closer: Closer | None,
    ) -> None:
        profile, config = self.profile, self.config
        transactional_id = config["transactional.id"]
        of = "" if transactional_id is None else f", transactionalId={transactional_id}"
        setup = ClientSetup(lab, "producer", self.name, self.client_id, profile, config)
        self._log = log = setup.prefixed_log(f"[Producer clientId={self.client_id}{of}] ")
        plain = setup.plain_log()
        self._in_callback = False
        if config.has_flat_backoff:
            log("RECONNECT_BACKOFF_IS_FLAT")
        for name, values in config.why_not_idempotent:
            log(name, **values)
        log("PRODUCER_CONFIG", values=dump_text(profile.name, config, self.client_id))
        log("PRODUCER_STARTING")
        self._metrics = ProducerMetrics(setup)
        chooser = PartitionChooser(config, profile, setup.stream("partitioner"), log)
        self._interceptors = ProducerInterceptors(config["interceptor.classes"], log)
        self._serializers = Serializers(config)
        if config.raised_delivery_timeout_ms is not None:
            log("DELIVERY_TIMEOUT_RAISED", timeout_ms=config.raised_delivery_timeout_ms)
        self._accumulator = RecordAccumulator(
            config, profile, log, plain, setup.stream("retry"), chooser
        )
        self._topics = topics = ProducerTopics(setup, log, self._block)
        rule = None if least_loaded is None else learners_rule(least_loaded)
        self._client = client = NetworkClient(
            setup,
            log,
            topics,
            config["max.in.flight.requests.per.connection"],
            least_loaded=rule,
            idle_closer=idle_closer,
        )
        self._transactions = transactions = (
            self._transaction_manager(client) if config["enable.idempotence"] else None
        )
        client.bootstrap(config["bootstrap.servers"])
        topics.attach(client)
        self._wakeup = client.selector.wakeup
        shared = ProducerShared(
            config, client, topics, self._accumulator, transactions, self._metrics, plain
        )
        self._appends = RecordAppends(shared, chooser, self._block)
        self._sender = Sender(shared)
        lab.stage.loop(self._sender.start(), client.selector.signal, self.name, told=True)
        setup.register(log)
        log("PRODUCER_STARTED")

    def _transaction_manager(self, client: NetworkClient) -> TransactionManager:
        config = self.config
        if config["transactional.id"] is None:
            self._log("PRODUCER_IS_IDEMPOTENT")
        else:
            if "enable.idempotence" not in config.given:
                self._log("IDEMPOTENCE_BY_TRANSACTIONAL_ID")
            self._log("PRODUCER_IS_TRANSACTIONAL")
        if "retries" not in config.given:
            self._log("RETRIES_BY_IDEMPOTENCE")
        if "acks" not in config.given:
            self._log("ACKS_BY_IDEMPOTENCE")
        return TransactionManager(client, config)

    @property
    def is_closed(self) -> bool:
        """Whether its network thread has ended."""
        return not self._sender.is_running

    # sending

    def send(
        self, record: ProducerRecord, callback: Callback | None = None
    ) -> FutureRecordMetadata:
        """Queues a record. It waits while the topic's metadata is unknown and while buffer.memory
        is full, both together at most max.block.ms.

        A later failure goes to the future and to callback(metadata, error): TimeoutException,
        RecordTooLargeException, or the broker's error. Raises IllegalStateException after close(),
        SerializationException for a key or value that the serializer cannot take, and the errors of
        serializers and partitioners of the caller's own (KafkaProducer.doSend).
        """
        arguments.sent(record, callback)
        if self.is_closed:
            raise IllegalStateException("Cannot perform operation after producer has been closed")
        record = self._interceptors.on_send(record)
        if record.topic not in self._topics_sent_to:
            self._topics_sent_to.add(record.topic)
            self._lab.warn_of_new_topic(record.topic)
        future = FutureRecordMetadata(self._wait_for_future)
        event = self._lab.call(
            self.name,
            "send",
            {"topic": record.topic, "key": key_text(record.key), "partition": record.partition},
        )
        with self._lab.journal.because(event):
            send = self._begin_send(record, future, callback)
            try:
                self._await_topic_of(record, send.deadline_ms)
                send.wire = WireRecord(*self._serializers.fields(record), send.wire.timestamp_ms)
                self._appends.add(send)
            except ApiException as error:
                self._send_failed(send, error, future, callback)
            except Exception as error:
                self._metrics.failed(record.topic, 1)
                self._interceptors.on_send_error(
                    record, send.partition if send.partition >= 0 else None, error
                )
                raise
        return future

    def _begin_send(
        self, record: ProducerRecord, future: FutureRecordMetadata, callback: Callback | None
    ) -> Send:
        now_ms = self._lab.now_ms
        timestamp_ms = (
            self._lab.epoch_ms + now_ms if record.timestamp_ms is None else record.timestamp_ms
        )
        wire = WireRecord(None, None, timestamp_ms)  # Java serializes when it knows the topic.
        sent = self._lab.journal.cause
        return Send(
            record,
            wire,
            lambda tp: self._outcome(record, tp, timestamp_ms, future, callback, sent),
            callback_text(callback),
            self._lab.stage.deadline_after(self.config["max.block.ms"]),
        )

    def _send_failed(
        self,
        send: Send,
        error: ApiException,
        future: FutureRecordMetadata,
        callback: Callback | None,
    ) -> None:
        """An error that send() itself finds is not raised: the future and the callback receive it
        at once."""
        if self._transactions is not None and self.profile.transacting.refuses_calls_after_error:
            self._transactions.on_send_error(error)
        self._log("SEND_FAILED", error=error, trace=error.java_text())
        record = send.record
        if callback is not None:
            number = (
                send.partition
                if send.partition >= 0
                else -1
                if record.partition is None
                else record.partition
            )
            filled = (
                RecordMetadata(record.topic, number, -1, -1)
                if self.profile.producing.fills_metadata_of_failed_send
                else None
            )
            callback(filled, error)
        self._metrics.failed(record.topic, 1)
        self._interceptors.on_send_error(
            record, send.partition if send.partition >= 0 else None, error
        )
        future.complete(None, error)

    def _outcome(
        self,
        record: ProducerRecord,
        tp: TopicPartition,
        timestamp_ms: int,
        future: FutureRecordMetadata,
        callback: Callback | None,
        sent: int | None,
    ) -> Outcome:
        """The call that runs when the record's outcome is known. sent: the event of the call of
        send()."""
        journal = self._lab.journal

        def outcome(offset: int, error: BaseException | None) -> None:
            metadata = RecordMetadata(
                tp.topic, tp.partition, -1 if error else offset, -1 if error else timestamp_ms
            )
            journal.note(
                "record.completed",
                self.name,
                partition=str(tp),
                offset=offset,
                key=key_text(record.key),
                sent=sent,
                error=None if error is None else type(error).__name__,
            )
            self._interceptors.on_acknowledgement(metadata, error)
            if callback is not None:
                self._run_callback(callback, metadata, error, tp)
            future.complete(None if error else metadata, error)

        return outcome

    def _run_callback(
        self,
        callback: Callback,
        metadata: RecordMetadata,
        error: BaseException | None,
        tp: TopicPartition,
    ) -> None:
        """Runs on the I/O thread. When a callback raises, the Sender writes a line and goes on
        (ProducerBatch.completeFutureAndFireCallbacks)."""
        self._in_callback = True
        try:
            callback(metadata, error)
        except Exception as raised:
            self._log("CALLBACK_FAILED", partition=tp, trace=f"{type(raised).__name__}: {raised}")
            warnings.warn(
                f"the callback of a record for {tp} raised {type(raised).__name__}: {raised}. The "
                "producer goes on without it.",
                stacklevel=1,
            )
        finally:
            self._in_callback = False

    def _await_topic_of(self, record: ProducerRecord, deadline_ms: int) -> None:
        try:
            self._await_topic(record.topic, record.partition, deadline_ms)
        except KafkaException as error:
            if self._topics.closed:
                raise KafkaException("Producer closed while send in progress") from error
            raise

    def _await_topic(self, topic: str, partition: int | None, deadline_ms: int) -> ClusterView:
        began_ms = self._lab.now_ms
        view = self._topics.wait_for(topic, partition, deadline_ms)
        self._metrics.waited_for_metadata(self._lab.now_ms - began_ms)
        return view

    def _await_topic_ids(self, topic: str, deadline_ms: int) -> None:
        """Offsets in a transaction name their topics by id, which METADATA contains. Without an id
        in time the topics go by name alone."""
        self._topics.wait_for_id(topic, deadline_ms)

    # the other methods

    def flush(self) -> None:
        """Sends everything now and waits until each outcome is known. In a callback that would wait
        for itself: it is refused."""
        if self._in_callback and self.profile.producing.flush_in_callback_fails:
            self._log("FLUSH_IN_CALLBACK")
            raise KafkaException(FLUSH_IN_CALLBACK)
        self._refuse_in_callback("flush()")
        with self._lab.journal.because(self._lab.call(self.name, "flush", {})):
            self._log("FLUSHING")
            began_ms = self._lab.now_ms
            self._accumulator.flushing += 1
            self._wakeup()
            try:
                waiting = list(self._accumulator.incomplete.values())
                while waiting:
                    batch = waiting.pop(0)
                    if not batch.done:
                        self._wait_for(
                            batch.done_signal,
                            f"the outcome of a batch for {batch.partition}, for which flush() "
                            "waits,",
                        )
                    waiting += batch.parts
            finally:
                self._accumulator.flushing -= 1
                self._metrics.flushed(self._lab.now_ms - began_ms)

    def partitions_for(self, topic: str) -> list[int]:
        """The partition numbers of a topic. Raises TimeoutException when no broker answers within
        max.block.ms."""
        if not isinstance(topic, str):
            raise IllegalArgumentException(f"topic cannot be null: give its name, not {topic!r}")
        view = self._await_topic(
            topic, None, self._lab.stage.deadline_after(self.config["max.block.ms"])
        )
        return [p.partition for p in view.topics[topic]]

    def metrics(self) -> MetricValues:
        """What the producer has counted, as numbers by Kafka's names; see producer_metrics.py."""
        return self._metrics.values(
            self._accumulator.pool,
            self._client.in_flight_count,
            self._client.metadata.age_ms(self._lab.now_ms),
        )

    def close(self, timeout_ms: int = LARGEST_LONG) -> None:
        """Sends the waiting batches, at most for `timeout_ms`, then closes all sockets. Records
        without an answer then fail with "Producer is closed forcefully." A second call only
        writes its lines. In a callback the timeout is 0, for the I/O thread cannot wait for
        itself."""
        if not isinstance(timeout_ms, int) or timeout_ms < 0:
            raise IllegalArgumentException("The timeout cannot be negative.")
        if self._sender.finished.is_set or self._topics.closed:
            self._log("PRODUCER_CLOSING", timeout_ms=timeout_ms)
            self._log("PRODUCER_CLOSED")
            return
        lab = self._lab
        with lab.journal.because(lab.call(self.name, "close", {})):
            self._log("PRODUCER_CLOSING", timeout_ms=timeout_ms)
            self._topics.close()
            sent_all = self._close_sender(timeout_ms)
            self._interceptors.close()
            removed = self._sender.removed_metrics()
            app_info.tell_removed(self._log, removed.own)
            if self._client.telemetry:
                self._client.telemetry.stop()
                self._client.telemetry.stop()
            app_info.unregister(self._log, "producer", removed.app)
            self._log("PRODUCER_CLOSED")
            lab.journal.append("closed", self.name)
        if not sent_all and timeout_ms > LONGEST_GIVEN_MS and not self._in_callback:
            raise lab.stage.given_up(
                "the end of what this producer had to send, for which close() waits,"
            )

    def _close_sender(self, timeout_ms: int) -> bool:
        """Ends the I/O thread; returns whether it ended within the time."""
        lab, finished = self._lab, self._sender.finished
        if self._in_callback and timeout_ms > 0:
            self._log("CLOSE_IN_CALLBACK", timeout_ms=timeout_ms)
        elif timeout_ms > 0:
            if self._client.telemetry:
                self._client.telemetry.initiate_close()
            self._sender.initiate_close()
            limit_ms = (
                timeout_ms
                if timeout_ms <= LONGEST_GIVEN_MS
                else self.config["delivery.timeout.ms"] + PATIENCE_MS
            )
            lab.stage.wait(finished, lab.now_ms + min(limit_ms, LONGEST_GIVEN_MS))
        in_time = finished.is_set
        if not in_time:
            self._log("CLOSING_BY_FORCE", timeout_ms=timeout_ms)
            self._sender.force_close()
            if not self._in_callback:
                lab.stage.wait_for(finished, "the end of this producer's I/O thread")
        return in_time

    # waiting

    def _block(self, signal: Signal, deadline_ms: int) -> bool:
        """Makes the caller wait. The I/O thread must not: it would wait for itself."""
        self._refuse_in_callback("A call that waits")
        return self._lab.stage.wait(signal, deadline_ms)

    def _wait_for_future(self, signal: Signal, timeout_ms: int | None) -> bool:
        if timeout_ms is not None:
            return signal.is_set or self._block(signal, self._lab.now_ms + timeout_ms)
        self._wait_for(signal, "the outcome of a record")
        return True

    def _wait_for(self, signal: Signal, what: str) -> None:
        """Waits as long as it takes: a batch ends after delivery.timeout.ms, and the lab's own
        limit comes on top."""
        if not signal.is_set:
            self._refuse_in_callback("A call that waits")
            self._lab.stage.wait_for(signal, what, besides_ms=self.config["delivery.timeout.ms"])

    def _refuse_in_callback(self, what: str) -> None:
        if self._in_callback:
            raise IllegalStateException(
                f"{what} inside a callback would wait for the I/O thread, and callbacks run on it: "
                "in Java this is a deadlock. Remember what is to be done and do it outside the "
                "callback."
            )

    def __repr__(self) -> str:
        return f"KafkaProducer({self.client_id!r}, {self.profile.release})"


def callback_text(callback: Callback | None) -> str:
    return "null" if callback is None else getattr(callback, "__name__", "callback")
