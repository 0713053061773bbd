"""Decompresses a batch to check it, and compresses it again where the topic asks (LogValidator).

The leader decompresses each compressed batch once, to check its records. It keeps the bytes as they
came if the topic's compression.type allows the producer's codec. Otherwise it compresses the
records again before it appends them, and the producer waits for that. Consumers decompress what
they fetch (`clients/consumer/reading/decompression_cost.py`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kafkalab.protocol.compression import Compression
from kafkalab.protocol.frozen import record
from kafkalab.protocol.messages import RecordBatch, batch_size_bytes
from kafkalab.protocol.records_wire import RECORD_BATCH_OVERHEAD_BYTES

AS_PRODUCED, UNCOMPRESSED = "producer", "uncompressed"
US_PER_MS = 1_000


@record
class Work:
    """One step of a broker's work on a batch. work: "validate" or "recompress"; codec: the one read
    or written."""

    work: str
    codec: str
    bytes_in: int
    bytes_out: int
    cpu_us: int


def codec_of(wanted: str, batch: RecordBatch) -> str:
    """The codec in which the batch is appended; `wanted` is the topic's compression.type."""
    return {AS_PRODUCED: batch.compression, UNCOMPRESSED: "none"}.get(wanted, wanted)


def kept(wanted: str, batch: RecordBatch) -> RecordBatch:
    """The batch in the codec in which it is appended."""
    codec = codec_of(wanted, batch)
    if codec == batch.compression:
        return batch
    if codec == "none":
        return replace(batch, compression=codec, size_bytes=batch_size_bytes(batch.records))
    return replace(
        batch,
        compression=codec,
        size_bytes=RECORD_BATCH_OVERHEAD_BYTES + Compression(codec).compressed_bytes(batch.records),
    )


def work_on(wanted: str, batch: RecordBatch, as_kept: RecordBatch) -> Iterator[Work]:
    """The broker's work on a batch before it is appended."""
    codec = codec_of(wanted, batch)
    if batch.compression == codec == "none":
        return
    plain = batch_size_bytes(batch.records) - RECORD_BATCH_OVERHEAD_BYTES
    if batch.compression != "none":
        yield Work(
            "validate",
            batch.compression,
            batch.size_bytes,
            plain,
            Compression(batch.compression).decompress_us(plain),
        )
    if codec not in (batch.compression, "none"):
        yield Work(
            "recompress", codec, plain, as_kept.size_bytes, Compression(codec).compress_us(plain)
        )
