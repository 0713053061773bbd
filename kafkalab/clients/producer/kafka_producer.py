"""The producer an application holds (org.apache.kafka.clients.producer.KafkaProducer).

The constructor starts the Sender's loop, which connects on its own; `send` waits for metadata, puts the record into a batch
and returns a future.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.clients import app_info
from kafkalab.clients.learners_rule import learners_rule
from kafkalab.clients.log_context import LogContext
from kafkalab.clients.metadata import ClusterView
from kafkalab.clients.network_client import NetworkClient
from kafkalab.clients.producer.accumulator import RecordAccumulator
from kafkalab.clients.producer.future_record_metadata import FutureRecordMetadata
from kafkalab.clients.producer.partitioner import PARTITIONERS, by_key
from kafkalab.clients.producer.producer_batch import Outcome
from kafkalab.clients.producer.sender import Sender
from kafkalab.clients.producer.transaction_manager import TransactionManager
from kafkalab.clients.producer.transactions_api import TransactionalMethods
from kafkalab.clients.wiring import bootstrap_nodes, network_client
from kafkalab.config import ProducerConfig, dump_text
from kafkalab.errors import ApiException, IllegalStateException, RecordTooLargeException, TimeoutException
from kafkalab.lines import metrics
from kafkalab.lines.java_values import value_text
from kafkalab.protocol.messages import WireRecord, batch_size_bytes
from kafkalab.records import ProducerRecord, RecordMetadata, TopicPartition
from kafkalab.sim.apps import FOREVER_MS

LARGEST_LONG = 9_223_372_036_854_775_807
"""Long.MAX_VALUE: how long close() waits when it is not told."""

Callback = Callable[[RecordMetadata | None, BaseException | None], None]


class KafkaProducer(TransactionalMethods):
    """A producer for `lab`'s cluster.

    config        dotted keys as in Java; `bootstrap.servers` defaults to the lab's first broker
    version       the client version to be; the lab's when left out
    name          who this is in the journal; client.id when left out
    least_loaded  a learner's own rule, function(nodes) -> node or None, in place of the version's; see clients/least_loaded.py
    """

    def __init__(self, lab, config: Mapping[str, Any] | None = None, *, version: str | None = None, name: str | None = None,
                 least_loaded: Callable | None = None) -> None:
        self._lab = lab
        self.profile = profile = lab.profile(version)
        given = {"bootstrap.servers": lab.first_address, **(config or {})}
        self.config = ProducerConfig.for_version(profile.name, given)
        number = lab.next_number("producer", name)
        self.client_id = self.config["client.id"] or f"producer-{number}"
        self.name = name or lab.unused_name(self.client_id)
        event = lab.call(self.name, "new KafkaProducer", given)
        with lab.journal.because(event):
            self._build(lab, least_loaded)

    def _build(self, lab, least_loaded) -> None:
        profile, config = self.profile, self.config
        transactional_id = config["transactional.id"]
        of = "" if transactional_id is None else f", transactionalId={transactional_id}"
        self._log = log = LogContext(lab.journal, self.name, self.client_id, f"[Producer clientId={self.client_id}{of}] ", profile.name)
        plain = LogContext(lab.journal, self.name, self.client_id, "", profile.name)
        self._closed = False
        self._topics: dict[str, None] = {}
        log("PRODUCER_CONFIG", values=dump_text(profile.name, config, self.client_id))
        log("PRODUCER_STARTING")
        rule = None if least_loaded is None else learners_rule(least_loaded)
        self._client = client = network_client(lab, "producer", self.name, self.client_id, config, profile, log, lambda: self._topics,
                                               config["max.in.flight.requests.per.connection"], least_loaded=rule)
        self._transactions = transactions = self._transaction_manager(client) if config["enable.idempotence"] else None
        self._partitioner = PARTITIONERS[profile.partitioner](lab.streams.stream(f"{self.name}/partitioner"), config["batch.size"], log)
        self._accumulator = RecordAccumulator(config, profile, log, plain, lab.clock, self._partitioner.on_load)
        client.metadata.bootstrap(bootstrap_nodes(config["bootstrap.servers"], client.node_of), lab.clock.now_ms)
        self._sender = Sender(client, self._accumulator, transactions, config, profile, log, plain, lab.clock)
        lab.stage.loop(self._sender.run(), client.selector.signal, self.name)
        app_info.register(log, profile, lab.epoch_ms + lab.now_ms)
        log("PRODUCER_STARTED")

    def _transaction_manager(self, client: NetworkClient) -> TransactionManager:
        config = self.config
        if config["transactional.id"] is None:
            self._log("PRODUCER_IS_IDEMPOTENT")
        else:
            if "enable.idempotence" not in config.given:
                self._log("IDEMPOTENCE_BY_TRANSACTIONAL_ID")
            self._log("PRODUCER_IS_TRANSACTIONAL")
        if "retries" not in self.config.given:
            self._log("RETRIES_BY_IDEMPOTENCE")
        if "acks" not in self.config.given:
            self._log("ACKS_BY_IDEMPOTENCE")
        return TransactionManager(self._log, self.profile, client, config["transactional.id"], config["transaction.timeout.ms"],
                                  config["retry.backoff.ms"])

    def send(self, record: ProducerRecord, callback: Callback | None = None) -> FutureRecordMetadata:
        """Queue a record; waits only while the topic's metadata is unknown, at most max.block.ms.

        What goes wrong later goes to the future and to callback(metadata, error): TimeoutException, RecordTooLargeException, or
        what the broker refused it with. Raises IllegalStateException after close() (KafkaProducer.doSend).
        """
        if self._closed:
            raise IllegalStateException("Cannot perform operation after producer has been closed")
        future = FutureRecordMetadata(self._wait)
        event = self._lab.call(self.name, "send", {"topic": record.topic, "key": record.key, "partition": record.partition})
        with self._lab.journal.because(event):
            try:
                self._append(record, future, callback)
            except ApiException as error:
                if self._transactions is not None and self.profile.refuses_calls_after_error:
                    self._transactions.on_send_error(error)
                self._log("SEND_FAILED", error=error, trace=error.java_text())
                if callback is not None:
                    callback(None, error)
                future.complete(None, error)
        return future

    def _append(self, record: ProducerRecord, future: FutureRecordMetadata, callback: Callback | None) -> None:
        """Find the record's partition and put it into the accumulator; what fails here raises."""
        deadline_ms = self._lab.now_ms + self.config["max.block.ms"]
        view = self._await_topic(record.topic, record.partition, deadline_ms)
        timestamp_ms = self._lab.epoch_ms + self._lab.now_ms if record.timestamp_ms is None else record.timestamp_ms
        wire = WireRecord(key=record.key, value=record.value, timestamp_ms=timestamp_ms)
        by_partitioner = record.partition is None and record.key is None
        partition = self._partitioner.choose(record.topic, view) if by_partitioner else _given_partition(record, view)
        size, limit = batch_size_bytes((wire,)), self.config["max.request.size"]
        if size > limit:
            raise RecordTooLargeException(self.profile.too_large_text.format(size=size, limit=limit))
        partition = self._partition_of_new_batch(record.topic, partition, wire, by_partitioner, view)
        tp = TopicPartition(record.topic, partition)
        self._log("APPENDING_RECORD", record=record_text(record, self.profile.headers_read_only), callback=callback_text(callback),
                  topic=tp.topic, partition=partition)
        outcome = self._outcome(record, tp, timestamp_ms, future, callback)
        if self._transactions is not None:
            self._transactions.check_send(tp)
            if self.profile.partition_joins_before_append:
                self._transactions.add_partition(tp)
        is_ready = self._accumulator.append(tp, wire, outcome, deadline_ms - self._lab.now_ms)
        if self._transactions is not None and not self.profile.partition_joins_before_append:
            self._transactions.add_partition(tp)
        if is_ready:
            self._log("WAKING_SENDER", topic=tp.topic, partition=partition)
            self._sender.wakeup()
        if by_partitioner:
            self._partitioner.appended(tp.topic, partition, size, view)

    def _partition_of_new_batch(self, topic: str, partition: int, wire: WireRecord, by_partitioner: bool, view: ClusterView) -> int:
        """A record that opens a batch may still go elsewhere: sticky partitioners change over then (KIP-480, onNewBatch)."""
        if self._accumulator.has_room(TopicPartition(topic, partition), wire):
            return partition
        other = self._partitioner.on_new_batch(topic, view, partition) if by_partitioner else None
        if other is not None:
            self._log("RETRYING_APPEND", topic=topic, partition=other, old_partition=partition)
            return other
        if not by_partitioner and self.profile.partitioner == "sticky":  # It is asked again, and gives the same answer.
            self._log("RETRYING_APPEND", topic=topic, partition=partition, old_partition=partition)
        return partition

    def _outcome(self, record: ProducerRecord, tp: TopicPartition, timestamp_ms: int, future: FutureRecordMetadata,
                 callback: Callback | None) -> Outcome:
        """What to do when the record's fate is known."""
        journal = self._lab.journal
        sent = journal.cause

        def outcome(offset: int, error: BaseException | None) -> None:
            metadata = None if error is not None else RecordMetadata(tp.topic, tp.partition, offset, timestamp_ms)
            journal.append("record.completed", self.name, partition=str(tp), offset=offset, key=record.key, sent=sent,
                           error=None if error is None else type(error).__name__)
            if callback is not None:
                self._run_callback(callback, metadata, error, tp)
            future.complete(metadata, error)

        return outcome

    def _run_callback(self, callback: Callback, metadata: RecordMetadata | None, error: BaseException | None, tp: TopicPartition) -> None:
        """The Sender outlives what a callback raises: it says so and goes on (ProducerBatch.completeFutureAndFireCallbacks)."""
        try:
            callback(metadata, error)
        except Exception as raised:
            self._log("CALLBACK_FAILED", partition=tp)
            warnings.warn(f"the callback of a record for {tp} raised {type(raised).__name__}: {raised}. The producer goes on without it.",
                          stacklevel=1)

    def _await_topic(self, topic: str, partition: int | None, deadline_ms: int) -> ClusterView:
        """waitOnMetadata: ask again and again until the topic, and the partition, are known."""
        metadata = self._client.metadata
        if topic not in self._topics:
            self._topics[topic] = None
            if topic not in metadata.view.topics:
                metadata.request_update_for_new_topics()
        while True:
            known = metadata.view.topics.get(topic)
            if known is not None and (partition is None or partition < len(known)):
                return metadata.view
            if partition is None:
                self._log("METADATA_WANTED_FOR_TOPIC", topic=topic)
            else:
                self._log("METADATA_WANTED_FOR_PARTITION", topic=topic, partition=partition)
            version = self._request_metadata_of(topic)
            self._sender.wakeup()
            while metadata.update_version <= version and self._lab.now_ms < deadline_ms:
                self._lab.stage.wait(metadata.updated_signal(), deadline_ms)
            self._raise_fatal(topic)
            if self._lab.now_ms >= deadline_ms:
                count = None if known is None else len(known)
                raise TimeoutException(self.profile.missing_topic_text(topic, partition, count, self.config["max.block.ms"]))

    def _await_topic_ids(self, topic: str, deadline_ms: int) -> None:
        """Offsets in a transaction name their topics by id, which METADATA tells. Without one in time they go by name alone."""
        metadata = self._client.metadata
        self._topics[topic] = None
        while topic not in metadata.topic_ids and self._lab.now_ms < deadline_ms:
            version = metadata.request_update_for_new_topics()
            self._sender.wakeup()
            while metadata.update_version <= version and self._lab.now_ms < deadline_ms:
                self._lab.stage.wait(metadata.updated_signal(), deadline_ms)

    def _raise_fatal(self, topic: str) -> None:
        """A topic that waiting cannot bring (Metadata.maybeThrowExceptionForTopic)."""
        error = self._client.metadata.error_topics.get(topic)
        if error is not None and not error.retriable:
            raise error.exception(f"Invalid topics: [{topic}]")

    def _request_metadata_of(self, topic: str) -> int:
        """Ask for the topic, for the first time without a backoff; returns the version that will be outdated then."""
        metadata = self._client.metadata
        version = metadata.update_version
        nothing_heard_yet = not metadata.view.topics and not metadata.error_topics
        if nothing_heard_yet and self.profile.sends_request_topic_updates:
            metadata.request_update_for_new_topics()
        else:
            metadata.request_update()
        return version

    def flush(self) -> None:
        """Send everything now and wait until each outcome is known."""
        with self._lab.journal.because(self._lab.call(self.name, "flush", {})):
            self._log("FLUSHING")
            self._accumulator.flushing += 1
            self._sender.wakeup()
            for batch in list(self._accumulator.incomplete):
                while not batch.done:
                    signal = self._client.metadata.updated_signal()
                    batch.outcomes.append(lambda offset, error, s=signal: s.set())
                    self._lab.stage.wait(signal, FOREVER_MS - 1)
            self._accumulator.flushing -= 1

    def partitions_for(self, topic: str) -> list[int]:
        """The partition numbers of a topic. Raises TimeoutException when no broker tells within max.block.ms."""
        view = self._await_topic(topic, None, self._lab.now_ms + self.config["max.block.ms"])
        return [p.partition for p in view.topics[topic]]

    def close(self, timeout_ms: int = LARGEST_LONG) -> None:
        """Send what waits, at most for `timeout_ms`, then close all sockets. Twice is harmless."""
        if self._closed:
            return
        lab = self._lab
        with lab.journal.because(lab.call(self.name, "close", {})):
            self._closed = True
            self._log("PRODUCER_CLOSING", timeout_ms=timeout_ms)
            if self._client.telemetry:
                self._client.telemetry.initiate_close()
            self._sender.initiate_close()
            lab.stage.wait(self._sender.finished, min(lab.now_ms + timeout_ms, FOREVER_MS - 1))
            for line in metrics.removed_at_close(self.profile.name, "producer", self.client_id, nodes=self._client.tried_connections()):
                self._log("METRIC_REMOVED", metric=line)
            if self._client.telemetry:
                self._client.telemetry.stop()
                self._client.telemetry.stop()
            app_info.unregister(self._log, "producer")
            self._log("PRODUCER_CLOSED")
            lab.journal.append("closed", self.name)

    def _wait(self, signal, timeout_ms: int | None) -> bool:
        return self._lab.stage.wait(signal, FOREVER_MS - 1 if timeout_ms is None else self._lab.now_ms + timeout_ms)

    def __repr__(self) -> str:
        return f"KafkaProducer({self.client_id!r}, {self.profile.release})"


def record_text(record: ProducerRecord, headers_read_only: bool) -> str:
    """ProducerRecord.toString."""
    return (f"ProducerRecord(topic={record.topic}, partition={value_text(record.partition)}, headers=RecordHeaders(headers = [], "
            f"isReadOnly = {value_text(headers_read_only)}), key={value_text(record.key)}, value={value_text(record.value)}, "
            f"timestamp={value_text(record.timestamp_ms)})")


def callback_text(callback: Callback | None) -> str:
    return "null" if callback is None else getattr(callback, "__name__", "callback")


def _given_partition(record: ProducerRecord, view: ClusterView) -> int:
    """The partition the application named, or the key's."""
    if record.partition is not None:
        return record.partition
    return by_key(record.key.encode(), len(view.topics[record.topic]))
