"""Deserializers: make keys and values of the bytes that a consumer has fetched.

Kafka's class is org.apache.kafka.clients.consumer.internals.Deserializers.

A consumer's `key.deserializer` and `value.deserializer` name one of Kafka's classes, or are Python
functions that take bytes. What a function raises makes the record unreadable: poll() raises, and
the position does not move. A null is not given to a function.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from kafkalab.errors import RecordDeserializationException, SerializationException
from kafkalab.lines.java_values import identity_text
from kafkalab.protocol.messages import WireRecord, as_bytes
from kafkalab.records import ConsumerRecord, TopicPartition

if TYPE_CHECKING:
    from kafkalab.clients.network.log_context import LogContext
    from kafkalab.releases import Profile

Deserialize = Callable[[bytes], Any]
Read = Callable[[TopicPartition, int, WireRecord], ConsumerRecord]
PACKAGE = "org.apache.kafka.common.serialization."


def _number(name: str, form: str) -> Deserialize:
    size = struct.calcsize(form)

    def read(data: bytes) -> Any:
        if len(data) != size:
            raise SerializationException(f"Size of data received by {name} is not {size}")
        return struct.unpack(form, data)[0]

    return read


def _double(data: bytes) -> float:
    if len(data) != 8:
        raise SerializationException("Size of data received by Deserializer is not 8")
    value: float = struct.unpack(">d", data)[0]
    return value


KAFKAS_OWN: Mapping[str, Deserialize] = {
    PACKAGE + "StringDeserializer": lambda data: data.decode(errors="replace"),
    PACKAGE + "IntegerDeserializer": _number("IntegerDeserializer", ">i"),
    PACKAGE + "LongDeserializer": _number("LongDeserializer", ">q"),
    PACKAGE + "DoubleDeserializer": _double,
    PACKAGE + "ByteArrayDeserializer": bytes,
}
"""Kafka's classes as functions. A StringDeserializer fails for no bytes: what is no UTF-8 becomes
�."""
STRING = PACKAGE + "StringDeserializer"


class Deserializers:
    """The two deserializers of one consumer."""

    def __init__(self, config: Mapping[str, Any], profile: Profile, log: LogContext) -> None:
        self._key, self._value = config["key.deserializer"], config["value.deserializer"]
        self._tells, self._log = profile.fetching.bad_record_tells, log
        self._texts = (self._key, self._value) == (STRING, STRING)

    def read(self, tp: TopicPartition, offset: int, record: WireRecord) -> ConsumerRecord:
        """The record for the application.

        Raises RecordDeserializationException; up to client 2.8 SerializationException.
        """
        if self._texts:
            return read_text(tp, offset, record)
        made = {}
        for origin, given, field in (
            ("KEY", self._key, record.key),
            ("VALUE", self._value, record.value),
        ):
            try:
                make = KAFKAS_OWN[given] if isinstance(given, str) else given
                made[origin] = None if field is None else make(as_bytes(field))
            except Exception as error:
                raise self._unreadable(origin, tp, offset, record) from error
        return ConsumerRecord(
            tp.topic,
            tp.partition,
            offset,
            record.timestamp_ms,
            made["KEY"],
            made["VALUE"],
            headers=record.headers,
        )

    def _unreadable(
        self, origin: str, tp: TopicPartition, offset: int, record: WireRecord
    ) -> SerializationException:
        self._log(
            "KEY_DESERIALIZER_FAILED" if origin == "KEY" else "VALUE_DESERIALIZER_FAILED",
            key=_object_text(self._key),
            value=_object_text(self._value),
        )
        what = origin if self._tells == "all" else "key/value"
        text = (
            f"Error deserializing {what} for partition {tp} at offset {offset}. If needed, please "
            "seek past the record to continue consumption."
        )
        if not self._tells:
            return SerializationException(text)
        place = {"topic_partition": tp, "offset": offset}
        if self._tells == "place":
            return RecordDeserializationException(text, **place)
        return RecordDeserializationException(
            text,
            **place,
            origin=origin,
            key_buffer=None if record.key is None else as_bytes(record.key),
            value_buffer=None if record.value is None else as_bytes(record.value),
            timestamp_ms=record.timestamp_ms,
        )


def read_text(tp: TopicPartition, offset: int, record: WireRecord) -> ConsumerRecord:
    """The record of a consumer of texts (two StringDeserializers)."""
    return ConsumerRecord(
        tp.topic,
        tp.partition,
        offset,
        record.timestamp_ms,
        _text(record.key),
        _text(record.value),
        headers=record.headers,
    )


def _text(field: str | bytes | None) -> str | None:
    return field.decode(errors="replace") if isinstance(field, bytes) else field


def _object_text(deserializer: object) -> str:
    named = deserializer if hasattr(deserializer, "__qualname__") else type(deserializer)
    name = (
        deserializer
        if isinstance(deserializer, str)
        else f"{named.__module__}.{named.__qualname__}"
    )
    return identity_text(name, name.encode())
