"""JavaProducer: a released org.apache.kafka.clients.producer.KafkaProducer with the words of the
simulator's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from kafkalab.clients.network import arguments
from kafkalab.errors import TimeoutException
from kafkalab.real.java_client import STRINGS, JavaClient, as_java, call_back
from kafkalab.real.java_errors import python_error
from kafkalab.real.java_process import items_of
from kafkalab.real.java_records import java_offsets, java_record, metadata_from
from kafkalab.records import (
    ConsumerGroupMetadata,
    OffsetAndMetadata,
    ProducerRecord,
    RecordMetadata,
    TopicPartition,
)

Callback = Callable[[RecordMetadata | None, BaseException | None], None]
LONGEST_CLOSE_MS = 60_000


class SendFuture:
    """The outcome of one `send` to a real broker. `done()` says whether it is known; `get()` waits
    for it, and raises the record's error."""

    def __init__(self, producer: JavaProducer, future: Any) -> None:
        self._producer, self._future = producer, future

    def done(self) -> bool:
        """Whether the outcome is known."""
        return bool(self._producer.into_java(self._future.isDone))

    def get(self, timeout_ms: int | None = None) -> RecordMetadata:
        """Wait for the outcome. Raises the record's error, and TimeoutException when it is not
        known within `timeout_ms` milliseconds (None: as long as it takes)."""
        into_java = self._producer.into_java
        if timeout_ms is None:
            return metadata_from(into_java(self._future.get))
        unit = self._producer.java.jvm.java.util.concurrent.TimeUnit.MILLISECONDS
        try:
            return metadata_from(into_java(self._future.get, timeout_ms, unit))
        except Exception as error:
            if getattr(error, "java_name", "") == "java.util.concurrent.TimeoutException":
                raise TimeoutException(f"Timeout after waiting for {timeout_ms} ms.") from None
            raise

    def __repr__(self) -> str:
        return f"SendFuture({'known' if self.done() else 'waiting'})"


def _callback_for_java(callback: Callback) -> Any:
    def on_completion(metadata: Any, error: Any) -> None:  # on the producer's I/O thread
        found = None if metadata is None else metadata_from(metadata)
        raised = None if error is None else python_error(error)
        call_back("producer", "a producer's callback", callback, found, raised)

    return as_java("producer.Callback", onCompletion=on_completion)


class JavaProducer(JavaClient):
    """A producer of a real lab: send, flush, close, partitions_for, metrics and transactions."""

    kind = "producer"
    shown = "KafkaProducer"
    defaults = {
        "key.serializer": f"{STRINGS}Serializer",
        "value.serializer": f"{STRINGS}Serializer",
    }

    def default_name(self, config: Mapping[str, Any]) -> str:
        """`producer-1`, or with the transactional id, as Java names it."""
        own = config.get("transactional.id")
        return "producer-1" if own is None else f"producer-{own}"

    def make(self, properties: Any) -> Any:
        """The Java producer; its Sender starts at once."""
        return self.java.jvm.org.apache.kafka.clients.producer.KafkaProducer(properties)

    def into_java(self, function: Callable[..., Any], *args: Any) -> Any:
        """A call into the producer's JVM, for its futures."""
        return self._call(function, *args)

    def send(self, record: ProducerRecord, callback: Callback | None = None) -> SendFuture:
        """Queue a record and return its future; `callback(metadata, error)` runs when the outcome
        is known, on the I/O thread. Errors are those of Java's send()."""
        arguments.sent(record, callback)

        def into_java() -> Any:
            wanted = java_record(self.java, record)
            if callback is None:
                return self._object.send(wanted)
            return self._object.send(wanted, _callback_for_java(callback))

        return SendFuture(self, self._call(into_java))

    def flush(self) -> None:
        """Send everything now and wait until each outcome is known."""
        self._call(self._object.flush)

    def partitions_for(self, topic: str) -> list[int]:
        """The partition numbers of a topic. Raises TimeoutException."""
        found = self._call(
            lambda: [int(p.partition()) for p in items_of(self._object.partitionsFor(topic))]
        )
        return sorted(found)

    def close(self, timeout_ms: int = LONGEST_CLOSE_MS) -> None:
        """Send the waiting batches, at most for `timeout_ms`, then close all sockets. A second call
        does nothing."""
        self._close(timeout_ms)

    # transactions

    def init_transactions(self) -> None:
        """Get the producer id and epoch of this transactional id, and fence an earlier producer."""
        self._call(self._object.initTransactions)

    def begin_transaction(self) -> None:
        """Begin a transaction."""
        self._call(self._object.beginTransaction)

    def send_offsets_to_transaction(
        self, offsets: Mapping[TopicPartition, OffsetAndMetadata], group: ConsumerGroupMetadata
    ) -> None:
        """Commit the group's offsets with the transaction. group: `consumer.group_metadata()`."""

        def into_java() -> None:
            consumer = self.java.jvm.org.apache.kafka.clients.consumer
            optional = self.java.jvm.java.util.Optional
            self._object.sendOffsetsToTransaction(
                java_offsets(self.java, offsets),
                consumer.ConsumerGroupMetadata(
                    group.group_id,
                    group.generation_id,
                    group.member_id,
                    optional.ofNullable(group.group_instance_id),
                ),
            )

        self._call(into_java)

    def commit_transaction(self) -> None:
        """Make all records of the transaction visible to readers of committed records."""
        self._call(self._object.commitTransaction)

    def abort_transaction(self) -> None:
        """Drop the transaction: readers of committed records never see its records."""
        self._call(self._object.abortTransaction)
