"""Counts the processor time that decompression takes on a consumer's thread. CompletedFetch
decompresses while it returns records.

Each batch is decompressed by its reader, once for each reader: a topic that is written once and
read by five groups is compressed once and decompressed five times, and once more by its leader
(`broker/log/recompression.py`).
"""

from __future__ import annotations

from collections.abc import Iterable

from kafkalab.protocol.compression import Compression
from kafkalab.protocol.messages import RecordBatch, batch_size_bytes
from kafkalab.protocol.records_wire import RECORD_BATCH_OVERHEAD_BYTES
from kafkalab.records import TopicPartition
from kafkalab.sim.journal import Journal


def unpack(
    batches: Iterable[RecordBatch], partition: TopicPartition, journal: Journal, who: str
) -> None:
    """Journals an event "cpu" for each compressed batch that is read. The reader's clock does not
    move: it is a matter of microseconds."""
    for batch in batches:
        if batch.compression != "none":
            plain = batch_size_bytes(batch.records) - RECORD_BATCH_OVERHEAD_BYTES
            journal.append(
                "cpu",
                who,
                work="decompress",
                codec=batch.compression,
                partition=str(partition),
                bytes_in=batch.size_bytes,
                bytes_out=plain,
                cpu_us=Compression(batch.compression).decompress_us(plain),
            )
