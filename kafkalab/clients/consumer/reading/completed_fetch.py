"""Which of the fetched records may the application see? (internals.CompletedFetch;
Fetcher.CompletedFetch and PartitionRecords up to 3.4)

A broker answers in whole batches. The reader skips what lies before its position and the markers of
transactions; with read_committed also the batches of transactions that were aborted. The position
moves over all of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from kafkalab.protocol.messages import (
    AbortedTransaction,
    ControlRecordType,
    FetchPartitionData,
    RecordBatch,
)
from kafkalab.records import ConsumerRecord, TopicPartition

NO_PRODUCER_ID = -1
OnSkipped = Callable[[RecordBatch], object]


class CompletedFetch:
    """What one partition gave in one answer, until the application has taken it.

    fetch_offset    the position when it was asked for
    next_offset     where the reader's position is after what was taken
    is_exhausted    nothing is left to take
    read_committed  whether aborted transactions are left out
    """

    __slots__ = (
        "_aborted",
        "_aborted_to_come",
        "_at",
        "_batches",
        "_current",
        "_read_committed",
        "answer",
        "fetch_offset",
        "initialized",
        "is_exhausted",
        "next_offset",
        "partition",
    )

    def __init__(
        self,
        partition: TopicPartition,
        fetch_offset: int,
        answer: FetchPartitionData,
        read_committed: bool = False,
    ) -> None:
        self.partition, self.fetch_offset, self.answer = partition, fetch_offset, answer
        self.initialized = False
        self.next_offset = fetch_offset
        self.is_exhausted = not answer.records
        self._batches = deque(answer.records)
        self._current: RecordBatch | None = None
        self._at = 0
        self._read_committed = read_committed
        self._aborted_to_come = deque(
            sorted(answer.aborted_transactions or (), key=lambda txn: txn.first_offset)
        )
        self._aborted: set[int] = set()

    def take(self, limit: int, on_skipped: OnSkipped) -> list[ConsumerRecord]:
        """The next records, at most `limit`. on_skipped(batch) is told of
        each batch of an aborted transaction."""
        taken: list[ConsumerRecord] = []
        while len(taken) < limit:
            record = self._next(on_skipped)
            if record is None:
                return taken
            taken.append(record)
        current = self._current
        if not self._batches and (current is None or self._at >= len(current.records)):
            self.is_exhausted = True
        return taken

    def _next(self, on_skipped: OnSkipped) -> ConsumerRecord | None:
        while True:
            batch = self._current
            if batch is None or self._at >= len(batch.records):
                # compaction has left a gap: reading goes on behind it
                if batch is not None and batch.last_delta >= 0:
                    self.next_offset = max(self.next_offset, batch.last_offset + 1)
                if not self._begin_next_batch(on_skipped):
                    return None
                continue
            offset, record = batch.offset_of(self._at), batch.records[self._at]
            self._at += 1
            if offset < self.next_offset:
                continue
            self.next_offset = offset + 1
            if batch.control is None:
                return ConsumerRecord(
                    self.partition.topic,
                    self.partition.partition,
                    offset,
                    record.timestamp_ms,
                    record.key,
                    record.value,
                )

    def _begin_next_batch(self, on_skipped: OnSkipped) -> bool:
        """False when there is none."""
        if not self._batches:
            self.is_exhausted = True
            return False
        batch = self._batches.popleft()
        if self._read_committed and self._is_aborted(batch):
            on_skipped(batch)
            self.next_offset = max(self.next_offset, batch.last_offset + 1)
            return True
        self._current, self._at = batch, 0
        return True

    def _is_aborted(self, batch: RecordBatch) -> bool:
        """A producer's batches count as aborted from the offset the broker names to the marker
        that ends the transaction."""
        producer = batch.producer_id
        if producer == NO_PRODUCER_ID:
            return False
        while self._aborted_to_come and self._aborted_to_come[0].first_offset <= batch.last_offset:
            self._aborted.add(self._aborted_to_come.popleft().producer_id)
        if batch.control is ControlRecordType.ABORT:
            self._aborted.discard(producer)
        return batch.control is None and batch.is_transactional and producer in self._aborted


def visible_offsets(
    batches: Iterable[RecordBatch],
    aborted: Iterable[AbortedTransaction],
    last_stable_offset: int,
    high_watermark: int,
    isolation_level: str,
) -> list[int]:
    """The offsets a reader is given of a log: what a course asks for on one line.
    isolation_level as in the consumer's setting."""
    committed = isolation_level == "read_committed"
    end = last_stable_offset if committed else high_watermark
    seen = tuple(batch for batch in batches if batch.base_offset < end)
    answer = FetchPartitionData(
        partition_index=0, aborted_transactions=tuple(aborted) if committed else None, records=seen
    )
    fetch = CompletedFetch(
        TopicPartition("log", 0), seen[0].base_offset if seen else 0, answer, committed
    )
    return (
        [
            record.offset
            for record in fetch.take(sum(len(batch.records) for batch in seen), lambda batch: None)
        ]
        if seen
        else []
    )
