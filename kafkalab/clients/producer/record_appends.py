"""Puts a record into a batch: the second half of KafkaProducer.doSend, and
RecordAccumulator.append.

A partition is chosen; if its last batch has room, the record is appended. Otherwise memory for a
new batch is needed, and the caller may have to wait for it. Partitioners that stick to a partition
are called before a batch is opened and may choose another one (KIP-480).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kafkalab.clients.network.log_context import Later, LogContext
from kafkalab.clients.network.metadata import ClusterView
from kafkalab.clients.producer.accumulator import RecordAccumulator
from kafkalab.clients.producer.buffer_pool import Waiter
from kafkalab.clients.producer.builtin_partitioner import BuiltInPartitioner, StickyPartitionInfo
from kafkalab.clients.producer.partitioner import Partitioner, by_key
from kafkalab.clients.producer.partitioner_cluster import Cluster
from kafkalab.clients.producer.producer_batch import Outcome
from kafkalab.clients.producer.producer_metrics import ProducerMetrics
from kafkalab.clients.producer.transactions.transaction_manager import TransactionManager
from kafkalab.errors import IllegalArgumentException, KafkaException, RecordTooLargeException
from kafkalab.lines.java_values import value_text
from kafkalab.protocol.messages import WireRecord, as_bytes, batch_size_upper_bound
from kafkalab.records import ProducerRecord, TopicPartition
from kafkalab.sim.apps import Signal
from kafkalab.sim.scheduler import Scheduler

if TYPE_CHECKING:
    from kafkalab.releases import Profile

UNKNOWN = -1
"""RecordMetadata.UNKNOWN_PARTITION: the rule built into the accumulator chooses."""


@dataclass(slots=True)
class Send:
    """One record between send() and its batch.

    partition     the last choice; UNKNOWN before that
    wakes_sender  there is a full batch or a new one
    """

    record: ProducerRecord
    wire: WireRecord
    outcome: Callable[[TopicPartition], Outcome]
    callback_text: str
    deadline_ms: int
    partition: int = UNKNOWN
    wakes_sender: bool = False

    @property
    def where(self) -> TopicPartition:
        return TopicPartition(self.record.topic, self.partition)


class RecordAppends:
    """Appends the records of one producer. wait(signal, deadline_ms): how the caller blocks.
    wakeup: makes the Sender check the queues."""

    def __init__(
        self,
        accumulator: RecordAccumulator,
        partitioner: Partitioner | None,
        transactions: TransactionManager | None,
        config: Mapping[str, Any],
        profile: Profile,
        log: LogContext,
        clock: Scheduler,
        metrics: ProducerMetrics,
        wait: Callable[[Signal, int], bool],
        wakeup: Callable[[], object],
    ) -> None:
        self._accumulator = accumulator
        self._partitioner = partitioner
        self._transactions = transactions
        self._config, self._profile = config, profile
        self._log = log
        self._clock = clock
        self._metrics = metrics
        self._wait = wait
        self._wakeup = wakeup
        self._ignores_keys = config.get("partitioner.ignore.keys", False)
        self._custom = config["partitioner.class"] is not None
        self._view: ClusterView | None = None
        self._cluster: Cluster | None = None

    def cluster(self, view: ClusterView) -> Cluster:
        """The cluster as partitioners see it; made once for each METADATA answer."""
        if self._cluster is None or self._view is not view:
            self._view = view
            self._cluster = Cluster(view, self._profile.connecting.cluster_in_hash_order)
        return self._cluster

    def add(self, send: Send, view: ClusterView) -> None:
        """Puts the record into a batch; wakes the Sender when a batch is ready for it. Raises
        RecordTooLargeException, BufferExhaustedException (TimeoutException until 2.4),
        IllegalArgumentException and the errors of a partitioner."""
        cluster = self.cluster(view)
        chosen = self._choose(send, cluster)
        send.partition = chosen
        self.check_size(batch_size_upper_bound(send.wire))
        if self._says_so_once:
            self._announce(send)
        self._check_transaction(send, cluster)
        if not self._profile.producing.asks_again_for_new_batch(self._custom):
            self._append(send, chosen, cluster)
        elif not self._fits(send, cluster):
            self._tell_partitioner(send, cluster)
            chosen = self._choose(send, cluster)
            self._log(
                "RETRYING_APPEND",
                topic=send.record.topic,
                partition=chosen,
                old_partition=send.partition,
            )
            send.partition = chosen
            self._append(send, chosen, cluster)
        if (
            self._transactions is not None
            and not self._profile.transacting.partition_joins_before_append
        ):
            self._transactions.add_partition(send.where)
        if send.wakes_sender:
            self._log("WAKING_SENDER", topic=send.record.topic, partition=send.partition)
            self._wakeup()

    def _check_transaction(self, send: Send, cluster: Cluster) -> None:
        """Checks that a transactional or idempotent producer may send now. Raises what Java
        raises."""
        if self._transactions is not None:
            tp, topic = send.where, send.record.topic
            if send.partition == UNKNOWN:
                tp = TopicPartition(topic, self._accumulator.builtin(topic).peek(cluster).partition)
            self._transactions.check_send(tp)
            if self._profile.transacting.partition_joins_before_append:
                self._transactions.add_partition(tp)

    @property
    def _says_so_once(self) -> bool:
        """Up to 3.2 the line about the append comes before it; later one comes for each partition
        that is tried."""
        return not self._profile.producing.chooses_while_appending

    def _choose(self, send: Send, cluster: Cluster) -> int:
        """The partition of the application, the partitioner or the key; or UNKNOWN, for the rule of
        3.3 and later."""
        record = send.record
        if record.partition is not None:
            return record.partition
        wire = send.wire
        key_bytes = None if wire.key is None else as_bytes(wire.key)
        if self._partitioner is not None:
            value_bytes = None if wire.value is None else as_bytes(wire.value)
            number = self._partitioner.partition(
                record.topic, record.key, key_bytes, record.value, value_bytes, cluster
            )
            if not isinstance(number, int) or number < 0:
                raise IllegalArgumentException(
                    f"The partitioner generated an invalid partition number: {number}. Partition "
                    "number should always be non-negative."
                )
            return number
        if key_bytes is not None and not self._ignores_keys:
            return by_key(key_bytes, cluster.partition_count_for_topic(record.topic))
        return UNKNOWN

    def check_size(self, size: int) -> None:
        """Raises RecordTooLargeException (ensureValidRecordSize)."""
        limit = self._config["max.request.size"]
        if size > limit:
            raise RecordTooLargeException(
                self._profile.producing.too_large_text.format(size=size, limit=limit)
            )
        if size > self._config["buffer.memory"]:
            raise RecordTooLargeException(
                f"The message is {size} bytes when serialized which is larger than the total "
                "memory buffer you have configured with the buffer.memory configuration."
            )

    def _tell_partitioner(self, send: Send, cluster: Cluster) -> None:
        on_new_batch = getattr(self._partitioner, "on_new_batch", None)
        if on_new_batch is not None:
            on_new_batch(send.record.topic, cluster, send.partition)

    def _announce(self, send: Send) -> None:
        self._log(
            "APPENDING_RECORD",
            record=Later(record_text, send.record, self._profile.producing.headers_read_only),
            callback=send.callback_text,
            topic=send.record.topic,
            partition=send.partition,
        )

    # appending

    def _fits(self, send: Send, cluster: Cluster) -> bool:
        """Appends if the last batch of the chosen partition has room."""
        if not self._says_so_once:
            self._announce(send)
        return self._took_last(send, None, None, cluster)

    def _append(self, send: Send, chosen: int, cluster: Cluster) -> None:
        """RecordAccumulator.append: while the caller waited for memory, others may have opened a
        batch, so it checks again."""
        accumulator = self._accumulator
        builtin = accumulator.builtin(send.record.topic) if chosen == UNKNOWN else None
        buffer_bytes = 0
        try:
            while True:
                info = builtin.peek(cluster) if builtin else None
                if info is not None:
                    send.partition = info.partition
                if not self._says_so_once:
                    self._announce(send)
                if self._is_changed(builtin, info, send.where, cluster):
                    continue
                if self._took_last(send, builtin, info, cluster):
                    return
                if not buffer_bytes:
                    buffer_bytes = self._take_memory(send, chosen)
                    if builtin and builtin.is_changed(info):
                        continue
                    if self._took_last(send, builtin, info, cluster):
                        return
                batch = accumulator.append_new_batch(
                    send.where,
                    send.wire,
                    send.outcome(send.where),
                    buffer_bytes,
                    self._clock.now_ms,
                )
                buffer_bytes = 0
                if builtin:
                    builtin.update(
                        info, batch.size_bytes, cluster, accumulator.all_batches_full(send.where)
                    )
                send.wakes_sender = True
                return
        finally:
            if buffer_bytes:
                accumulator.pool.deallocate(buffer_bytes)

    def _took_last(
        self,
        send: Send,
        builtin: BuiltInPartitioner | None,
        info: StickyPartitionInfo | None,
        cluster: Cluster,
    ) -> bool:
        """Puts the record into the partition's last batch, if that has room."""
        accumulator, tp = self._accumulator, send.where
        before_bytes = accumulator.last_batch_bytes(tp)
        if not accumulator.batches.get(tp) and not accumulator.closed:
            return False
        batch = accumulator.try_append(tp, send.wire, send.outcome(tp))
        if batch is None:
            return False
        send.wakes_sender = accumulator.wakes_sender(tp)
        if builtin:
            builtin.update(
                info, batch.size_bytes - before_bytes, cluster, accumulator.all_batches_full(tp)
            )
        return True

    def _is_changed(
        self,
        builtin: BuiltInPartitioner | None,
        info: StickyPartitionInfo | None,
        tp: TopicPartition,
        cluster: Cluster,
    ) -> bool:
        """A switch that had to wait for a full batch takes place before another record goes to the
        partition (partitionChanged)."""
        if builtin is None or not self._accumulator.all_batches_full(tp):
            return False
        if builtin.update(info, 0, cluster, True):
            self._log("SWITCH_MADE_UP_FOR", topic=tp.topic, partition=tp.partition)
            return True
        return False

    # memory

    def _take_memory(self, send: Send, chosen: int) -> int:
        """Memory for a new batch, in bytes; the caller waits for it if none is free."""
        pool = self._accumulator.pool
        size = self._accumulator.buffer_bytes_for(send.wire)
        remaining_ms = max(0, send.deadline_ms - self._clock.now_ms)
        shown = send.partition if self._profile.producing.names_partition_of_buffer else chosen
        self._log(
            "ALLOCATING_BUFFER",
            size=size,
            topic=send.record.topic,
            partition=shown,
            timeout_ms=remaining_ms,
        )
        if pool.closed:
            raise KafkaException("Producer closed while allocating memory")
        waiter = pool.allocate(size)
        if waiter is not None:
            self._wait_for(waiter, remaining_ms)
        if self._clock.thread_ms > self._clock.now_ms:
            # The Sender must not see the record before this thread has it ready.
            self._wait(Signal(), self._clock.thread_ms)
        return size

    def _wait_for(self, waiter: Waiter, limit_ms: int) -> None:
        pool, began_ms = self._accumulator.pool, self._clock.now_ms
        self._wakeup()  # From now on no batch lingers: an answered one frees its memory.
        self._wait(waiter.signal, began_ms + limit_ms)
        self._metrics.waited_for_memory(self._clock.now_ms - began_ms)
        if pool.closed:
            raise KafkaException("Producer closed while allocating memory")
        if not waiter.has_enough:
            available = pool.available_bytes
            pool.abandon(waiter)
            self._metrics.exhausted()
            raise self._profile.producing.buffer_exhausted(
                size=waiter.size_bytes,
                limit_ms=limit_ms,
                total=pool.total_bytes,
                available=available,
                poolable=pool.poolable_bytes,
            )


def record_text(record: ProducerRecord, headers_read_only: bool) -> str:
    """ProducerRecord.toString."""
    return (
        f"ProducerRecord(topic={record.topic}, partition={value_text(record.partition)}, "
        f"headers=RecordHeaders(headers = [], isReadOnly = {value_text(headers_read_only)}), "
        f"key={value_text(record.key)}, value={value_text(record.value)}, "
        f"timestamp={value_text(record.timestamp_ms)})"
    )
