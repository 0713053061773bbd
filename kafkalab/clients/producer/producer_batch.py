"""ProducerBatch: records of one partition that are sent together (internals.ProducerBatch).

They become one record batch of the partition's log. While the batch fills, its size on the wire is
known exactly without compression, and estimated with it; after it is closed the size is exact.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass, field

from kafkalab.clients.network.log_context import Later
from kafkalab.moves import moves_of
from kafkalab.protocol.compression import Compression, CompressionRatioEstimator
from kafkalab.protocol.messages import WireRecord, batch_size_bytes, batch_size_upper_bound
from kafkalab.protocol.records_wire import record_size_bytes
from kafkalab.records import TopicPartition
from kafkalab.sim.apps import Signal

EMPTY_BYTES = batch_size_bytes(())
ESTIMATION_FACTOR = 1.05
"""MemoryRecordsBuilder.COMPRESSION_RATE_ESTIMATION_FACTOR:
a little more than the last batches needed."""

Outcome = Callable[[int, BaseException | None], object]
"""Called with the outcome of a record: (its offset or -1, the error or None)."""


class FinalState(enum.Enum):
    """The end states of a batch (ProducerBatch.FinalState)."""

    SUCCEEDED = "SUCCEEDED"
    """Written. No state follows."""
    FAILED = "FAILED"
    """Refused, or expired. An answer that comes later changes nothing for the application."""
    ABORTED = "ABORTED"
    """The producer was closed by force, or its transaction was aborted.
    An answer that comes later changes nothing."""


MOVES = moves_of(
    FinalState,
    "(none) -> SUCCEEDED FAILED ABORTED",
    "SUCCEEDED ->",
    "FAILED ->",
    "ABORTED ->",
)


@dataclass(slots=True)
class ProducerBatch:
    """One batch, from its first record to its outcome.

    write_limit_bytes          its largest size: batch.size, or what its only record needs
    buffer_bytes               its memory from the buffer pool; 0 for one that came from splitting
                               another
    ratio                      its estimated compressed size over its uncompressed size
    uncompressed_bytes         of the records, without the batch's own header
    largest_record_bytes       the most a batch of one of its records alone could need
    attempts, last_attempt_ms  how often it returned unsent or failed, and when last
    base_sequence              of its first record, with the producer's id and epoch; -1 until it is
                               drained (KIP-98)
    is_transactional           drained inside a transaction
    leader_epoch               the leader's epoch at the last check of the queues (KAFKA-15415)
    in_flight                  sent and without an answer
    backoff                    (attempts, ms): how long it waits after that many failures
    final_state                None while its outcome is open; `done_signal` is set when it is known
    parts                      the batches it was split into: they carry its records' outcomes
    sequence_was_reset         it got other numbers than it was first sent with
    """

    partition: TopicPartition
    created_ms: int
    write_limit_bytes: int = 16_384
    buffer_bytes: int = 0
    compression: Compression = Compression()
    ratio: float = 1.0
    records: list[WireRecord] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    uncompressed_bytes: int = 0
    largest_record_bytes: int = 0
    attempts: int = 0
    last_attempt_ms: int = 0
    drained_ms: int = -1
    base_sequence: int = -1
    producer_id: int = -1
    producer_epoch: int = -1
    is_transactional: bool = False
    leader_epoch: int | None = None
    attempts_at_leader_change: int = 0
    is_split: bool = False
    backoff: tuple[int, int] | None = None
    in_flight: bool = False
    final_state: FinalState | None = None
    done_signal: Signal = field(default_factory=Signal)
    parts: list[ProducerBatch] = field(default_factory=list)
    sequence_was_reset: bool = False
    _closed: bool = False
    _built_bytes: int | None = None

    def __post_init__(self) -> None:
        self.last_attempt_ms = self.created_ms

    # filling

    @property
    def size_bytes(self) -> int:
        """Its size on the wire; estimated while it may still grow."""
        if self._built_bytes is not None:
            return self._built_bytes
        if self.compression.is_none:
            return EMPTY_BYTES + self.uncompressed_bytes
        return EMPTY_BYTES + int(self.uncompressed_bytes * self.ratio * ESTIMATION_FACTOR)

    @property
    def is_full(self) -> bool:
        return self._closed or (bool(self.records) and self.write_limit_bytes <= self.size_bytes)

    def has_room_for(self, record: WireRecord) -> bool:
        """A record always fits into an empty batch. Otherwise its uncompressed size counts."""
        return not self.is_full and (
            not self.records or self.write_limit_bytes >= self.size_bytes + self._bytes_of(record)
        )

    def append(self, record: WireRecord, outcome: Outcome) -> None:
        self.uncompressed_bytes += self._bytes_of(record)
        self.largest_record_bytes = max(self.largest_record_bytes, batch_size_upper_bound(record))
        self.records.append(record)
        self.outcomes.append(outcome)

    def _bytes_of(self, record: WireRecord) -> int:
        first_ms = self.records[0].timestamp_ms if self.records else record.timestamp_ms
        return record_size_bytes(
            record,
            offset_delta=len(self.records),
            timestamp_delta_ms=record.timestamp_ms - first_ms,
        )

    def close_for_appends(self) -> None:
        """The batch takes no more records."""
        self._closed = True

    def build(self, estimator: CompressionRatioEstimator) -> int:
        """Closes it and gives it its size; returns the bytes that were compressed for that, 0 when
        there were none."""
        self._closed = True
        if self.compression.is_none or self._built_bytes is not None:
            return 0
        built = self.compression.compressed_bytes(self.records)
        estimator.observe(
            self.partition.topic, self.compression.type, built / self.uncompressed_bytes
        )
        self._built_bytes = EMPTY_BYTES + built
        return self.uncompressed_bytes

    @property
    def compression_ratio(self) -> float:
        """Compressed size over uncompressed; 1.0 without compression."""
        if self._built_bytes is None:
            return 1.0
        return (self._built_bytes - EMPTY_BYTES) / self.uncompressed_bytes

    # sending

    @property
    def has_sequence(self) -> bool:
        return self.base_sequence >= 0

    @property
    def last_sequence(self) -> int:
        """The sequence of its last record; after 2**31 - 1 follows 0."""
        return (self.base_sequence + len(self.records) - 1) % (1 << 31)

    @property
    def in_retry(self) -> bool:
        return self.attempts > 0

    @property
    def leader_changed(self) -> bool:
        """Whether it is sent again, and to a leader that was not known at the last attempt."""
        return self.attempts > 0 and self.attempts == self.attempts_at_leader_change

    def waited_ms(self, now_ms: int) -> int:
        return max(0, now_ms - self.last_attempt_ms)

    def reenqueued(self, now_ms: int) -> None:
        self.attempts += 1
        self.last_attempt_ms = max(self.last_attempt_ms, now_ms)

    def has_reached(self, delivery_timeout_ms: int, now_ms: int) -> bool:
        """Whether its time has passed since it was opened (hasReachedDeliveryTimeout)."""
        return now_ms - self.created_ms >= delivery_timeout_ms

    # the outcome

    @property
    def done(self) -> bool:
        return self.final_state is not None

    def finish(self, state: FinalState, base_offset: int, error: BaseException | None) -> bool:
        """Gives each record its outcome, once; False if that was done before. base_offset: of the
        first record; -1 when it is unknown."""
        if state not in MOVES[self.final_state]:
            return False
        self.final_state = state
        for index, outcome in enumerate(self.outcomes):
            outcome(base_offset if base_offset < 0 else base_offset + index, error)
        self.done_signal.set()
        return True

    def split(self, limit_bytes: int) -> list[ProducerBatch]:
        """The same records in batches of at most `limit_bytes`, with the callbacks of their
        outcomes. Sequences stay as they were."""
        parts: list[ProducerBatch] = []
        sequence = self.base_sequence
        for record, outcome in zip(self.records, self.outcomes):
            if not parts or not parts[-1].has_room_for(record):
                limit = max(limit_bytes, batch_size_upper_bound(record))
                parts.append(
                    ProducerBatch(
                        self.partition,
                        self.created_ms,
                        limit,
                        0,
                        self.compression,
                        max(1.0, self.compression_ratio),
                        is_split=True,
                    )
                )
            parts[-1].append(record, outcome)
        for part in parts:
            part.close_for_appends()
            if self.has_sequence:
                part.base_sequence = sequence
                part.producer_id = self.producer_id
                part.producer_epoch = self.producer_epoch
                part.is_transactional = self.is_transactional
                sequence = (sequence + len(part.records)) % (1 << 31)
        self.outcomes, self.parts = [], parts
        self.finish(FinalState.FAILED, -1, None)
        return parts

    @property
    def shown(self) -> Later:
        """Its present state, for a line."""
        return Later(_text, self.partition, len(self.records))

    def __str__(self) -> str:
        return _text(self.partition, len(self.records))


def _text(partition: TopicPartition, count: int) -> str:
    return f"ProducerBatch(topicPartition={partition}, recordCount={count})"
