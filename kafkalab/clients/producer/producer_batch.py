"""Which records travel together? (internals.ProducerBatch)

Records of one partition, as they will stand in one record batch of its log. Compression is left out.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from kafkalab.protocol.messages import WireRecord, batch_size_bytes
from kafkalab.protocol.records_wire import record_size_bytes
from kafkalab.records import TopicPartition

EMPTY_BYTES = batch_size_bytes(())
Outcome = Callable[[int, BaseException | None], None]
"""Told what became of a record: (its offset or -1, the error or None)."""


@dataclass(slots=True)
class ProducerBatch:
    """One batch, from its first record to its outcome.

    size_bytes                 on the wire
    is_full                    closed for appending
    attempts, last_attempt_ms  how often it came back unsent or failed, and when last
    base_sequence              of its first record, with the producer's id and epoch; -1 until it is drained (KIP-98)
    is_transactional           drained inside a transaction
    sequence_was_reset         it got another sequence after it had been sent (KIP-360)
    leader_epoch               what was known of the leader when it was last looked at (KAFKA-15415)
    """

    partition: TopicPartition
    created_ms: int
    records: list[WireRecord] = field(default_factory=list)
    outcomes: list[Outcome] = field(default_factory=list)
    size_bytes: int = EMPTY_BYTES
    is_full: bool = False
    attempts: int = 0
    last_attempt_ms: int = 0
    base_sequence: int = -1
    producer_id: int = -1
    producer_epoch: int = -1
    is_transactional: bool = False
    sequence_was_reset: bool = False
    leader_epoch: int | None = None
    attempts_at_leader_change: int = 0
    done: bool = False

    def size_with(self, record: WireRecord) -> int:
        """How many bytes it would have with one more record."""
        first_ms = self.records[0].timestamp_ms if self.records else record.timestamp_ms
        return self.size_bytes + record_size_bytes(record, offset_delta=len(self.records),
                                                   timestamp_delta_ms=record.timestamp_ms - first_ms)

    def append(self, record: WireRecord, outcome: Outcome) -> None:
        self.size_bytes = self.size_with(record)
        self.records.append(record)
        self.outcomes.append(outcome)

    def finish(self, base_offset: int, error: BaseException | None) -> None:
        """Tell each record its outcome, once. base_offset: of the first record, -1 when nobody told."""
        if self.done:
            return
        self.done = True
        for index, outcome in enumerate(self.outcomes):
            outcome(base_offset if base_offset < 0 else base_offset + index, error)

    def __str__(self) -> str:
        return f"ProducerBatch(topicPartition={self.partition}, recordCount={len(self.records)})"
