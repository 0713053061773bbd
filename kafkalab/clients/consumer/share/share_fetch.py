"""ShareFetch: the records that the application holds, and what it has said of them
(internals.ShareFetch, ShareInFlightBatch, ShareFetchBuffer)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from kafkalab.clients.consumer.share.acknowledgements import AcknowledgeType
from kafkalab.errors import IllegalStateException
from kafkalab.protocol.frozen import record
from kafkalab.protocol.messages import ShareFetchPartitionData
from kafkalab.records import ConsumerRecord, TopicPartition

NOT_HELD = "The record cannot be acknowledged."
NOT_ALL_SAID = "All records must be acknowledged in explicit acknowledgement mode."


@record
class ShareCompletedFetch:
    """One partition of an answer, until a poll takes it (internals.ShareCompletedFetch)."""

    node_id: int
    partition: TopicPartition
    topic_id: str
    data: ShareFetchPartitionData

    def records(self) -> Iterator[tuple[int, ConsumerRecord | None]]:
        """(offset, record) for each acquired offset; None where the log has no record there."""
        found = {
            batch.offset_of(place): one
            for batch in self.data.records
            if batch.control is None
            for place, one in enumerate(batch.records)
        }
        for acquired in self.data.acquired_records:
            for offset in range(acquired.first_offset, acquired.last_offset + 1):
                one = found.get(offset)
                yield (
                    offset,
                    None
                    if one is None
                    else ConsumerRecord(
                        self.partition.topic,
                        self.partition.partition,
                        offset,
                        one.timestamp_ms,
                        one.key,
                        one.value,
                        acquired.delivery_count,
                        one.headers,
                    ),
                )


@dataclass(slots=True)
class ShareInFlightBatch:
    """The records of one partition that a poll returned.

    records: offset -> record, as long as nothing has been sent of it. said: offset -> what the
    application said; None for a gap.
    """

    node_id: int
    topic_id: str
    records: dict[int, ConsumerRecord] = field(default_factory=dict)
    said: dict[int, AcknowledgeType | None] = field(default_factory=dict)


Said = dict[TopicPartition, ShareInFlightBatch]
"""Acknowledgements on their way, by partition; only `said` of each batch counts."""


class ShareFetch:
    """What the application holds at present."""

    def __init__(self) -> None:
        self._batches: dict[TopicPartition, ShareInFlightBatch] = {}
        self._renewed: list[tuple[TopicPartition, ShareInFlightBatch]] = []

    def take(self, completed: deque[ShareCompletedFetch], limit: int) -> list[ConsumerRecord]:
        """Hold the records of completed fetches, at least `limit` of them where there are as many.
        A fetch is taken whole, so that a poll may return more than max.poll.records."""
        taken: list[ConsumerRecord] = []
        while completed and len(taken) < limit:
            fetch = completed.popleft()
            batch = self._batches.setdefault(
                fetch.partition, ShareInFlightBatch(fetch.node_id, fetch.topic_id)
            )
            for offset, one in fetch.records():
                if one is None:
                    batch.said[offset] = None
                else:
                    batch.records[offset] = one
                    taken.append(one)
        return taken

    @property
    def unsaid(self) -> bool:
        """Whether the application has records of which it has said nothing."""
        return any(
            offset not in batch.said for batch in self._batches.values() for offset in batch.records
        )

    def acknowledge(self, partition: TopicPartition, offset: int, kind: AcknowledgeType) -> None:
        """Note what the application says of a record. Raises IllegalStateException for a record
        that it does not hold."""
        batch = self._batches.get(partition)
        if batch is None or offset not in batch.records:
            raise IllegalStateException(NOT_HELD)
        batch.said[offset] = kind

    def acknowledge_all(self, kind: AcknowledgeType) -> None:
        """Say the same of every record of which nothing was said."""
        for batch in self._batches.values():
            for offset in batch.records:
                batch.said.setdefault(offset, kind)

    def take_said(self) -> Said:
        """Take what was said, to send it; these records are held no longer."""
        taken: Said = {}
        for partition, batch in list(self._batches.items()):
            if not batch.said:
                continue
            sent = ShareInFlightBatch(batch.node_id, batch.topic_id, {}, batch.said)
            for offset in batch.said:
                one = batch.records.pop(offset, None)
                if one is not None:
                    sent.records[offset] = one
            batch.said = {}
            taken[partition] = sent
            if not batch.records:
                del self._batches[partition]
        return taken

    def renewed(self, partition: TopicPartition, batch: ShareInFlightBatch) -> None:
        """The broker has renewed these locks: the next poll returns the records again, and only
        then they can be acknowledged."""
        back = {
            offset: batch.records[offset]
            for offset, kind in batch.said.items()
            if kind is AcknowledgeType.RENEW and offset in batch.records
        }
        if back:
            self._renewed.append(
                (partition, ShareInFlightBatch(batch.node_id, batch.topic_id, back))
            )

    def take_renewed(self) -> list[ConsumerRecord]:
        """Hold the renewed records again; returns them for the application."""
        taken: list[ConsumerRecord] = []
        for partition, back in self._renewed:
            held = self._batches.setdefault(
                partition, ShareInFlightBatch(back.node_id, back.topic_id)
            )
            held.records |= back.records
            taken += back.records.values()
        self._renewed.clear()
        return taken
