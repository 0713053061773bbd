"""Puts a record into a batch: the second half of KafkaProducer.doSend, and
RecordAccumulator.append.

A partition is chosen; if its last batch has room, the record is appended. Otherwise memory for a
new batch is needed, and the caller may have to wait for it. Partitioners that stick to a partition
are asked again before a batch is opened (KIP-480), and the built-in rule may move at any time; then
the next partition is tried.
"""

from __future__ import annotations

from collections.abc import Callable

from kafkalab.clients.network.log_context import Later
from kafkalab.clients.producer.accumulator import Append
from kafkalab.clients.producer.buffer_pool import Waiter
from kafkalab.clients.producer.builtin_partitioner import StickyChoice
from kafkalab.clients.producer.partition_choice import PartitionChooser
from kafkalab.clients.producer.partitioner_cluster import Cluster
from kafkalab.clients.producer.producer_parts import ProducerPart, ProducerShared
from kafkalab.clients.producer.record_send import UNKNOWN, Send
from kafkalab.errors import KafkaException, RecordTooLargeException
from kafkalab.lines.java_values import value_text
from kafkalab.protocol.messages import batch_size_upper_bound
from kafkalab.records import ProducerRecord, TopicPartition
from kafkalab.sim.apps import Signal


class RecordAppends(ProducerPart):
    """Appends the records of one producer. wait(signal, deadline_ms): how the caller blocks."""

    def __init__(
        self,
        shared: ProducerShared,
        chooser: PartitionChooser,
        wait: Callable[[Signal, int], bool],
    ) -> None:
        super().__init__(shared)
        self._chooser, self._wait = chooser, wait
        # Up to 3.2 the line about the append comes before it, later for each partition tried.
        self._tells_each_attempt = self._profile.producing.chooses_while_appending
        self._joins_before_append = self._profile.transacting.partition_joins_before_append

    def add(self, send: Send) -> None:
        """Puts the record into a batch; wakes the Sender when a batch is ready for it. Raises
        RecordTooLargeException, BufferExhaustedException (TimeoutException until 2.4),
        IllegalArgumentException and the errors of a partitioner."""
        cluster, joins_first = self._topics.cluster, self._joins_before_append
        choice = self._chooser.choose(send, cluster)
        self.check_size(batch_size_upper_bound(send.wire))
        if not self._tells_each_attempt:
            self._announce(send)
        if self._transactions is not None:
            place = TopicPartition(
                send.record.topic, send.partition if choice is None else choice.peek()
            )
            self._transactions.check_send(place)
            if joins_first:
                self._transactions.add_partition(place)
        is_ready = self._append(send, choice, cluster)
        if self._transactions is not None and not joins_first:
            self._transactions.add_partition(send.where)
        if is_ready:
            self._log("WAKING_SENDER", topic=send.record.topic, partition=send.partition)
            self._client.selector.wakeup()

    def _append(self, send: Send, choice: StickyChoice | None, cluster: Cluster) -> bool:
        """RecordAccumulator.append: tries one partition after the other until one has the record;
        returns whether there is a full batch or a new one."""
        accumulator, asks_again, buffer_bytes = self._accumulator, self._chooser.asks_again, 0
        try:
            while True:
                if choice is not None:
                    send.partition = choice.peek()
                if self._tells_each_attempt:
                    self._announce(send)
                done = accumulator.append(send, choice, self._clock.now_ms)
                if done is Append.NO_ROOM and asks_again:
                    asks_again, choice = False, self._choose_again(send, cluster)
                    continue
                if done is Append.NO_ROOM:
                    buffer_bytes = buffer_bytes or self._take_memory(send, choice)
                    # While the caller waited for memory, others may have opened a batch.
                    done = accumulator.append(send, choice, self._clock.now_ms, buffer_bytes)
                if done is Append.OPENED:
                    buffer_bytes = 0
                if done is not Append.MOVED:
                    return done is not Append.JOINED
        finally:
            if buffer_bytes:
                accumulator.pool.deallocate(buffer_bytes)

    def _choose_again(self, send: Send, cluster: Cluster) -> StickyChoice | None:
        old_partition = send.partition
        choice = self._chooser.choose_again(send, cluster)
        self._log(
            "RETRYING_APPEND",
            topic=send.record.topic,
            partition=send.partition,
            old_partition=old_partition,
        )
        return choice

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

    def _announce(self, send: Send) -> None:
        self._log(
            "APPENDING_RECORD",
            record=Later(record_text, send.record, self._profile.producing.headers_read_only),
            callback=send.callback_text,
            topic=send.record.topic,
            partition=send.partition,
        )

    # memory

    def _take_memory(self, send: Send, choice: StickyChoice | None) -> int:
        """Memory for a new batch, in bytes; the caller waits for it if none is free."""
        pool = self._accumulator.pool
        size = self._accumulator.buffer_bytes_for(send.wire)
        remaining_ms = max(0, send.deadline_ms - self._clock.now_ms)
        names_it = choice is None or self._profile.producing.names_partition_of_buffer
        self._log(
            "ALLOCATING_BUFFER",
            size=size,
            topic=send.record.topic,
            partition=send.partition if names_it else UNKNOWN,
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
        # From now on no batch lingers: an answered one frees its memory.
        self._client.selector.wakeup()
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
