"""Defines record batches and computes their size in bytes (DefaultRecordBatch, DefaultRecord).

The message format is v2 (KIP-98). Records are kept as values, and their bytes are counted. Nothing
here compresses: `compression` only names the configured codec.
"""

import enum
from functools import lru_cache

from kafkalab.protocol.frozen import message, record

RECORD_BATCH_OVERHEAD_BYTES = 61
"""The header of a v2 batch, from base offset to record count
(DefaultRecordBatch.RECORD_BATCH_OVERHEAD)."""


@record
class WireRecord:
    """One record inside a batch.

    Key and value are bytes. Bytes that are UTF-8 are kept as their text, and None is Kafka's null.
    headers: (key, value) each; producers of the lab write none.
    """

    key: str | bytes | None
    value: str | bytes | None
    timestamp_ms: int
    headers: tuple[tuple[str, bytes], ...] = ()

    def __repr__(self) -> str:
        fields = f"key={self.key!r}, value={self.value!r}, timestamp_ms={self.timestamp_ms!r}"
        headers = f", headers={self.headers!r}" if self.headers else ""
        return f"WireRecord({fields}{headers})"


class ControlRecordType(enum.Enum):
    """The result of a transaction in a control record: COMMIT or ABORT.

    Kafka's class is org.apache.kafka.common.record.ControlRecordType. The value is the number on
    the wire.
    """

    ABORT = 0
    COMMIT = 1


@message
class RecordBatch:
    """A record batch: the unit of a produce request, of a partition's log and of a fetch answer.

    base_offset: offset of the first record; a producer sends 0, the leader sets the real one.
    size_bytes: of the whole batch on the wire; `batch_size_bytes` counts it.
    producer_id, producer_epoch, base_sequence: -1 without idempotence (KIP-98).
    is_transactional: belongs to a transaction; a later marker commits or aborts it.
    control: this batch is such a marker: one record, which takes an offset and is never delivered.
    coordinator_epoch: of the coordinator that sent the marker.
    deltas: offset deltas of the records that compaction has kept, from base_offset; None for
    consecutive
        records.
    last_delta: the last offset delta when the batch was written; -1 before compaction.
    delete_horizon_ms: the time until which compaction keeps this batch's tombstones and markers;
    set at
        its first pass (KIP-534).
    """

    base_offset: int = 0
    records: tuple[WireRecord, ...] = ()
    size_bytes: int = 0
    producer_id: int = -1
    producer_epoch: int = -1
    base_sequence: int = -1
    compression: str = "none"
    is_transactional: bool = False
    control: ControlRecordType | None = None
    coordinator_epoch: int = -1
    deltas: tuple[int, ...] | None = None
    last_delta: int = -1
    delete_horizon_ms: int | None = None

    @property
    def last_offset(self) -> int:
        """Offset of the last record that the batch had when it was written."""
        return self.base_offset + (
            self.last_delta if self.last_delta >= 0 else len(self.records) - 1
        )

    def offset_of(self, place: int) -> int:
        """The offset of the record at that index of `records`."""
        return self.base_offset + (place if self.deltas is None else self.deltas[place])


MARKER_BYTES = RECORD_BATCH_OVERHEAD_BYTES + 17
"""Bytes of a marker's batch. Its key is version and type, its value version and coordinator epoch.

Kafka's class is EndTransactionMarker.
"""


def marker_batch(
    producer_id: int,
    producer_epoch: int,
    control: ControlRecordType,
    coordinator_epoch: int,
    timestamp_ms: int,
) -> RecordBatch:
    """The control batch that ends a producer's transaction on a partition."""
    return RecordBatch(
        records=(WireRecord(None, None, timestamp_ms),),
        size_bytes=MARKER_BYTES,
        producer_id=producer_id,
        producer_epoch=producer_epoch,
        is_transactional=True,
        control=control,
        coordinator_epoch=coordinator_epoch,
    )


def batch_size_bytes(records: tuple[WireRecord, ...]) -> int:
    """Bytes of an uncompressed v2 batch that holds `records`; 61 for none."""
    first_ms = records[0].timestamp_ms if records else 0
    return RECORD_BATCH_OVERHEAD_BYTES + sum(
        record_size_bytes(
            record, offset_delta=delta, timestamp_delta_ms=record.timestamp_ms - first_ms
        )
        for delta, record in enumerate(records)
    )


MOST_OVERHEAD_BYTES = 21
"""The most bytes of a record besides key, value and headers (DefaultRecord.MAX_RECORD_OVERHEAD)."""


def batch_size_upper_bound(record: WireRecord) -> int:
    """The most bytes of a batch with this record alone
    (AbstractRecords.estimateSizeInBytesUpperBound).

    Producers check and reserve this size before they know the real one.
    """
    return (
        RECORD_BATCH_OVERHEAD_BYTES
        + MOST_OVERHEAD_BYTES
        + _field_bytes(record.key)
        + _field_bytes(record.value)
        + varint_bytes(0)
    )


def record_size_bytes(record: WireRecord, *, offset_delta: int, timestamp_delta_ms: int) -> int:
    """Bytes of one record inside a batch, its own length prefix included
    (DefaultRecord.sizeInBytes)."""
    body = (
        1  # attributes, unused so far
        + varint_bytes(timestamp_delta_ms)
        + varint_bytes(offset_delta)
        + _field_bytes(record.key)
        + _field_bytes(record.value)
        + varint_bytes(len(record.headers))
        + sum(_field_bytes(part) for header in record.headers for part in header)
    )
    return varint_bytes(body) + body


def varint_bytes(number: int) -> int:
    """Bytes of a zig-zag encoded variable-length integer:
    1 for -64..63, 2 up to 8191, and so on."""
    if -64 <= number < 64:
        return 1
    zigzag = number * 2 if number >= 0 else -number * 2 - 1
    return -(-zigzag.bit_length() // 7)


def record_bytes(record: WireRecord, *, offset_delta: int, timestamp_delta_ms: int) -> bytes:
    """The bytes of the record in a batch, which the estimate of compression reads."""
    body = (
        b"\0"
        + varint(timestamp_delta_ms)
        + varint(offset_delta)
        + _field(record.key)
        + _field(record.value)
        + varint(len(record.headers))
        + b"".join(_field(part) for header in record.headers for part in header)
    )
    return varint(len(body)) + body


def varint(number: int) -> bytes:
    """A number in Kafka's variable length: zigzag, seven bits a byte,
    the last byte below 128 (ByteUtils.writeVarlong)."""
    left = (number << 1) ^ (number >> 63)
    found = bytearray()
    while left >= 0x80:
        found.append(left & 0x7F | 0x80)
        left >>= 7
    found.append(left)
    return bytes(found)


def as_field(data: bytes) -> str | bytes:
    """Bytes as a WireRecord keeps them."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def as_bytes(field: str | bytes) -> bytes:
    """The bytes of a key or value of a WireRecord."""
    return field if isinstance(field, bytes) else field.encode()


def _field(field: str | bytes | None) -> bytes:
    if field is None:
        return varint(-1)
    coded = as_bytes(field)
    return varint(len(coded)) + coded


@lru_cache(maxsize=4096)  # Keys repeat, and each record is measured three times.
def _field_bytes(field: str | bytes | None) -> int:
    """Bytes of a key or value: its length and itself. A null is the length -1 alone."""
    if field is None:
        return varint_bytes(-1)
    size = len(as_bytes(field))
    return varint_bytes(size) + size
