"""How records travel: in batches, and how many bytes a batch takes.

Kafka's classes are `DefaultRecordBatch` and `DefaultRecord` (message format v2, KIP-98). We keep
the records as values and count the bytes they would take; nothing here compresses, `compression`
only names what was asked for.
"""

import enum
from functools import lru_cache

from kafkalab.protocol.frozen import message, record

RECORD_BATCH_OVERHEAD_BYTES = 61
"""The header of a v2 batch, from base offset to record count
(DefaultRecordBatch.RECORD_BATCH_OVERHEAD)."""


@record
class WireRecord:
    """One record inside a batch; key and value are text, or None for Kafka's null."""

    key: str | None
    value: str | None
    timestamp_ms: int


class ControlRecordType(enum.Enum):
    """How a transaction ended, as a control record says it
    (org.apache.kafka.common.record.ControlRecordType); the value is the number on the wire."""

    ABORT = 0
    COMMIT = 1


@message
class RecordBatch:
    """The unit of a produce request, of a partition's log and of a fetch answer.

    base_offset: offset of the first record; a producer sends 0, the leader gives the real one.
    size_bytes: of the whole batch on the wire; `batch_size_bytes` counts it.
    producer_id, producer_epoch, base_sequence: -1 without idempotence (KIP-98).
    is_transactional: belongs to a transaction, so whether it counts is decided by a marker behind
        it.
    control: such a marker; one record, which takes an offset and which no reader is given.
    coordinator_epoch: of the coordinator that had the marker written.
    deltas: where the records stand that compaction has left, counted from base_offset; None where
        they stand one after the other.
    last_delta: where the batch ended when it was written, counted likewise; -1 where compaction has
        not been here.
    delete_horizon_ms: until when compaction keeps tombstones and markers of this batch; set when it
        first meets them (KIP-534).
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
        """Offset of the last record; after compaction of the last that was there."""
        return self.base_offset + (
            self.last_delta if self.last_delta >= 0 else len(self.records) - 1
        )

    def offset_of(self, place: int) -> int:
        """The offset of the record at that place of `records`."""
        return self.base_offset + (place if self.deltas is None else self.deltas[place])


MARKER_BYTES = RECORD_BATCH_OVERHEAD_BYTES + 17
"""A marker's batch: its key is version and type, its value version and
coordinator epoch (EndTransactionMarker)."""


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
"""The most a record needs besides key, value and headers (DefaultRecord.MAX_RECORD_OVERHEAD)."""


def batch_size_upper_bound(record: WireRecord) -> int:
    """The most a batch of this record alone can take
    (AbstractRecords.estimateSizeInBytesUpperBound): what producers check and reserve before they
    know better."""
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
        + varint_bytes(0)
    )  # no headers
    return varint_bytes(body) + body


def varint_bytes(number: int) -> int:
    """Bytes of a zig-zag encoded variable-length integer:
    1 for -64..63, 2 up to 8191, and so on."""
    if -64 <= number < 64:
        return 1
    zigzag = number * 2 if number >= 0 else -number * 2 - 1
    return -(-zigzag.bit_length() // 7)


def record_bytes(record: WireRecord, *, offset_delta: int, timestamp_delta_ms: int) -> bytes:
    """The record as it stands in a batch, for what looks at its contents (compression)."""
    body = (
        b"\0"
        + varint(timestamp_delta_ms)
        + varint(offset_delta)
        + _field(record.key)
        + _field(record.value)
        + varint(0)
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


def _field(text: str | None) -> bytes:
    if text is None:
        return varint(-1)
    coded = text.encode()
    return varint(len(coded)) + coded


@lru_cache(maxsize=4096)  # keys come again, and each record is measured three times
def _field_bytes(text: str | None) -> int:
    """Bytes of a key or value: its length and itself; a null is the length -1 alone."""
    if text is None:
        return varint_bytes(-1)
    size = len(text.encode("utf-8"))
    return varint_bytes(size) + size
