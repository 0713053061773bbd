"""Counts the processor time that compression takes on a producer's thread.

In Java a record is compressed piece by piece while it is appended, on the application's thread, and
the remainder when the batch is closed, on the Sender's. Here all of it is done when the batch is
sent, on the Sender's: the sum is the same. The journal keeps each piece of work as an event "cpu":
the client, the bytes, and the microseconds it took.
"""

from __future__ import annotations

from kafkalab.clients.producer.producer_batch import ProducerBatch
from kafkalab.sim.journal import Journal

US_PER_MS = 1_000


class Cpu:
    """who: the client's name in the journal."""

    def __init__(self, journal: Journal, who: str) -> None:
        self._journal, self._who = journal, who
        self._rest_us = 0

    def compressed(self, batch: ProducerBatch) -> int:
        """A batch was compressed; returns for how many whole milliseconds the thread is busy with
        that. Remainders are added up."""
        cost_us = batch.compression.compress_us(batch.uncompressed_bytes)
        self._journal.append(
            "cpu",
            self._who,
            work="compress",
            codec=batch.compression.type,
            partition=str(batch.partition),
            bytes_in=batch.uncompressed_bytes,
            bytes_out=batch.size_bytes,
            cpu_us=cost_us,
        )
        busy_ms, self._rest_us = divmod(self._rest_us + cost_us, US_PER_MS)
        return busy_ms
