"""ProducerInterceptors: calls the interceptors before a record is sent and after its outcome
(internals.ProducerInterceptors, KIP-42).

An interceptor is any object with `on_send(record) -> record`, `on_acknowledgement(metadata, error)`
and `close()`; methods it lacks are skipped (ProducerInterceptor). They are called in a row: each
gets the result of the one before it. An error that one of them raises is written as a line, and the
record goes on unchanged.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kafkalab.clients.network.log_context import LogContext
from kafkalab.errors import ConfigException
from kafkalab.records import ProducerRecord, RecordMetadata, TopicPartition

UNKNOWN_PARTITION = -1


class ProducerInterceptors:
    """given: classes or objects, as interceptor.classes names them.
    Raises ConfigException for anything else."""

    def __init__(self, given: Iterable[Any], log: LogContext) -> None:
        self._row = [_made(one) for one in given]
        self._log = log

    def on_send(self, record: ProducerRecord) -> ProducerRecord:
        """The record after all interceptors."""
        for one in self._row:
            if hasattr(one, "on_send"):
                try:
                    record = one.on_send(record)
                except Exception as error:
                    self._log(
                        "INTERCEPTOR_FAILED_ON_SEND",
                        topic=record.topic,
                        number=_shown(record.partition),
                        error=error,
                        trace=_trace(error),
                    )
        return record

    def on_acknowledgement(self, metadata: RecordMetadata, error: BaseException | None) -> None:
        """A record was written, or was not; called on the I/O thread, before the record's own
        callback."""
        for one in self._row:
            if hasattr(one, "on_acknowledgement"):
                try:
                    one.on_acknowledgement(metadata, error)
                except Exception as raised:
                    self._log("INTERCEPTOR_FAILED_ON_ACK", error=raised, trace=_trace(raised))

    def on_send_error(
        self, record: ProducerRecord, partition: int | None, error: BaseException
    ) -> None:
        """send() itself failed: interceptors receive that outcome, too. The partition is -1 where
        none had been chosen yet."""
        number = partition if partition is not None else record.partition
        where = TopicPartition(record.topic, UNKNOWN_PARTITION if number is None else number)
        self.on_acknowledgement(RecordMetadata(where.topic, where.partition, -1, -1), error)

    def close(self) -> None:
        for one in self._row:
            if hasattr(one, "close"):
                try:
                    one.close()
                except Exception as error:
                    self._log("INTERCEPTOR_FAILED_TO_CLOSE", error=error, trace=_trace(error))


def _made(given: Any) -> Any:
    if isinstance(given, type):
        given = given()
    if isinstance(given, str) or not (
        hasattr(given, "on_send") or hasattr(given, "on_acknowledgement")
    ):
        raise ConfigException(
            f"Invalid value {given!r} for configuration interceptor.classes: give Python classes "
            "or objects with on_send(record) and on_acknowledgement(metadata, error)"
        )
    return given


def _shown(partition: int | None) -> str:
    return "null" if partition is None else str(partition)


def _trace(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"
