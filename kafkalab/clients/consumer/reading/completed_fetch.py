"""CompletedFetch: the records of one partition that a broker's answer brought
(internals.CompletedFetch).

Up to 3.4 these were Fetcher.CompletedFetch and PartitionRecords. A broker answers in whole batches.
The reader skips records before its position and the markers of transactions; with read_committed
also the batches of transactions that were aborted. The position moves over all of them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from kafkalab.clients.consumer.reading.deserializers import Read, read_text
from kafkalab.errors import SerializationException
from kafkalab.protocol import messages as m
from kafkalab.records import ConsumerRecord, TopicPartition

NO_PRODUCER_ID = -1
OnSkipped = Callable[[m.RecordBatch], object]


class CompletedFetch:
    """The records of one partition in one answer, until the application has taken them.

    fetch_offset    the position when the fetch was sent
    next_offset     the reader's position after the records taken so far
    is_exhausted    all records are taken
    read_committed  whether aborted transactions are left out
    """

    __slots__ = (
        "_aborted",
        "_aborted_to_come",
        "_at",
        "_batches",
        "_current",
        "_held",
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
        answer: m.FetchPartitionData,
        read_committed: bool = False,
    ) -> None:
        self.partition, self.fetch_offset, self.answer = partition, fetch_offset, answer
        self.initialized = False
        self.next_offset = fetch_offset
        self.is_exhausted = not answer.records
        self._batches = deque(answer.records)
        self._current: m.RecordBatch | None = None
        self._at = 0
        self._held: tuple[int, m.WireRecord] | None = None
        self._read_committed = read_committed
        self._aborted_to_come = deque(
            sorted(answer.aborted_transactions or (), key=lambda txn: txn.first_offset)
        )
        self._aborted: set[int] = set()

    def take(
        self, limit: int, on_skipped: OnSkipped, read: Read = read_text
    ) -> list[ConsumerRecord]:
        """The next records, at most `limit`. on_skipped(batch) is called for each batch of an
        aborted transaction.

        A record that `read` cannot read ends the list. The next call reads it again, and raises
        its error when it is the first one (CompletedFetch.fetchRecords).
        """
        taken: list[ConsumerRecord] = []
        while len(taken) < limit:
            self._held = self._held or self._next(on_skipped)
            if self._held is None:
                return taken
            offset, record = self._held
            try:
                taken.append(read(self.partition, offset, record))
            except SerializationException:
                if not taken:
                    raise
                return taken
            self._held, self.next_offset = None, offset + 1
        current = self._current
        if not self._batches and (current is None or self._at >= len(current.records)):
            self.is_exhausted = True
        return taken

    def _next(self, on_skipped: OnSkipped) -> tuple[int, m.WireRecord] | None:
        while True:
            batch = self._current
            if batch is None or self._at >= len(batch.records):
                # compaction has left a gap: the position moves behind it
                if batch is not None and batch.last_delta >= 0:
                    self.next_offset = max(self.next_offset, batch.last_offset + 1)
                if not self._begin_next_batch(on_skipped):
                    return None
                continue
            offset, record = batch.offset_of(self._at), batch.records[self._at]
            self._at += 1
            if offset < self.next_offset:
                continue
            if batch.control is None:
                return offset, record
            self.next_offset = offset + 1

    def _begin_next_batch(self, on_skipped: OnSkipped) -> bool:
        """False when there is no other batch."""
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

    def _is_aborted(self, batch: m.RecordBatch) -> bool:
        """Whether a batch belongs to an aborted transaction. A producer's batches do from the
        offset the broker names to the marker that ends the transaction."""
        producer = batch.producer_id
        if producer == NO_PRODUCER_ID:
            return False
        while self._aborted_to_come and self._aborted_to_come[0].first_offset <= batch.last_offset:
            self._aborted.add(self._aborted_to_come.popleft().producer_id)
        if batch.control is m.ControlRecordType.ABORT:
            self._aborted.discard(producer)
        return batch.control is None and batch.is_transactional and producer in self._aborted


def visible_offsets(
    batches: Iterable[m.RecordBatch],
    aborted: Iterable[m.AbortedTransaction],
    last_stable_offset: int,
    high_watermark: int,
    isolation_level: str,
) -> list[int]:
    """The offsets a reader receives from a log; a course needs them in one line. isolation_level as
    in the consumer's setting."""
    committed = isolation_level == "read_committed"
    end = last_stable_offset if committed else high_watermark
    seen = tuple(batch for batch in batches if batch.base_offset < end)
    answer = m.FetchPartitionData(
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
