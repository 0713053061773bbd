"""FetchCollector: checks fetched records and hands them to the application (internals.FetchBuffer
and FetchCollector; Fetcher up to 3.4).

An answer's partitions wait here, each as a CompletedFetch, until the application polls. Then they
are compared with the position, which may have moved since the fetch was sent, and are returned in
portions of max.poll.records.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from kafkalab.clients.consumer.reading.completed_fetch import CompletedFetch
from kafkalab.clients.consumer.reading.consumer_network import ConsumerNetwork
from kafkalab.clients.consumer.reading.decompression_cost import unpack
from kafkalab.clients.consumer.reading.deserializers import Deserializers
from kafkalab.clients.consumer.reading.parts import ConsumerPart, Shared
from kafkalab.clients.consumer.reading.subscription_state import (
    FetchPosition,
    FetchState,
    PartitionState,
)
from kafkalab.clients.network.log_context import Later
from kafkalab.errors import (
    ConsumerOffsetOutOfRangeException,
    Errors,
    SerializationException,
    error_for,
)
from kafkalab.protocol.messages import RecordBatch
from kafkalab.records import ConsumerRecord, TopicPartition, key_text

MOVED = (Errors.NOT_LEADER_OR_FOLLOWER, Errors.FENCED_LEADER_EPOCH, Errors.KAFKA_STORAGE_ERROR)
"""Errors that mean: another broker leads this partition now, ask for metadata."""


class FetchCollector(ConsumerPart[ConsumerNetwork]):
    """The buffer between answers and polls.

    request_update  asks for new metadata
    epoch_ms        what a Java clock shows at the lab's start, for the lines
    with_lag        partitions whose lag was measured; the Fetcher takes out what was given up
    position_moved  whether the last `collect` moved a position, also over markers and aborted
                    records only
    """

    def __init__(self, shared: Shared[ConsumerNetwork]) -> None:
        super().__init__(shared)
        self._request_update = shared.client.client.metadata.request_update
        self.position_moved = False
        self.with_lag: dict[TopicPartition, None] = {}
        self._read = Deserializers(shared.config, shared.profile, shared.log).read
        self._max_records = shared.config["max.poll.records"]
        self._isolation_level = shared.config["isolation.level"]
        self._metadata_max_age_ms: int = shared.config["metadata.max.age.ms"]
        self._completed: deque[CompletedFetch] = deque()
        self._next_in_line: CompletedFetch | None = None

    def add(self, fetch: CompletedFetch) -> None:
        self._completed.append(fetch)

    def buffered(self) -> set[TopicPartition]:
        """Partitions with waiting records; they are not fetched again at the same time."""
        return {fetch.partition for fetch in self._completed} if self._completed else set()

    def has_available(self) -> bool:
        """Whether a poll could take records."""
        if not self._completed:
            return False
        subscriptions = self._subscriptions
        return any(
            fetch.partition in subscriptions.partitions
            and subscriptions.is_fetchable(fetch.partition)
            for fetch in self._completed
        )

    def drop_unassigned(self) -> None:
        """Drops fetched records of partitions that the application does not read any more
        (clearBufferedDataForUnassignedPartitions)."""
        if self._completed:
            self._completed = deque(
                fetch
                for fetch in self._completed
                if fetch.partition in self._subscriptions.partitions
            )

    def collect(self) -> list[ConsumerRecord]:
        """Records for the application, at most max.poll.records; positions move past the returned
        records.

        Raises OffsetOutOfRangeException (the consumer's) with auto.offset.reset=none. Raises
        RecordDeserializationException (SerializationException up to 2.8) when the first record
        cannot be read. That record stays first in line, so each later call raises as well, and no
        other partition has its turn.
        """
        self.position_moved = False
        if not self._completed:
            return []
        taken: list[ConsumerRecord] = []
        kept: list[CompletedFetch] = []
        while self._completed and len(taken) < self._max_records:
            fetch = self._next_in_line = self._completed.popleft()
            state = self._subscriptions.partitions.get(fetch.partition)
            if state is None:
                self._unassigned(fetch)
                continue
            if not self._subscriptions.is_fetchable(fetch.partition):
                if state.paused and self._profile.fetching.keeps_paused_data:
                    kept.append(fetch)
                elif not fetch.initialized and state.state is not FetchState.FETCHING:
                    self._log("FETCH_WITHOUT_POSITION", partition=fetch.partition)
                continue
            if not fetch.initialized and not self._initialize(fetch, state):
                continue
            position = state.position
            assert position is not None, "a partition that may be fetched has a position"
            # seek() moved the position when a part of it had been taken
            if fetch.next_offset != position.offset:
                self._log(
                    "FETCH_NOT_NEXT",
                    partition=fetch.partition,
                    offset=fetch.next_offset,
                    expected=position.offset,
                    position=self._text(position),
                )
                self._log("FETCH_DRAINED", partition=fetch.partition)
                continue
            try:
                taken += self._take(fetch, state, self._max_records - len(taken))
            except SerializationException:
                self._completed.appendleft(fetch)
                if taken:
                    break
                self._completed.extendleft(reversed(kept))
                raise
            if not fetch.is_exhausted:
                self._completed.appendleft(fetch)
        self._completed.extendleft(reversed(kept))
        return taken

    def _unassigned(self, fetch: CompletedFetch) -> None:
        """Another member reads this partition now: what was fetched of it is not returned. What had
        been begun is drained (fetchRecords), what had not is not begun (initialize)."""
        if fetch.initialized:
            self._log("FETCH_NOT_ASSIGNED", partition=fetch.partition)
            self._log("FETCH_DRAINED", partition=fetch.partition)
        else:
            self._log("FETCH_WITHOUT_POSITION", partition=fetch.partition)

    def drop_all(self) -> None:
        """At close the present fetch is dropped, too, even one that the application has taken
        completely."""
        for fetch in self._in_hand_and_waiting():
            self._log("FETCH_BUFFER_RETAINED", partition=fetch.partition, partitions="[]")
        self._completed.clear()

    def _in_hand_and_waiting(self) -> Iterator[CompletedFetch]:
        if self._next_in_line is not None:
            yield self._next_in_line
        yield from self._completed

    def _initialize(self, fetch: CompletedFetch, state: PartitionState) -> bool:
        """Checks an answer for the first time; False when it has no records to take
        (FetchCollector.initialize)."""
        tp, answer, position = fetch.partition, fetch.answer, state.position
        assert position is not None, "a partition that may be fetched has a position"
        fetch.initialized = True
        if position.offset != fetch.fetch_offset:
            self._log(
                "FETCH_STALE",
                partition=tp,
                offset=fetch.fetch_offset,
                expected=position.offset,
                position=self._text(position),
            )
            return False
        error = error_for(answer.error_code)
        if error is not Errors.NONE:
            self._refused(fetch, position, error)
            return False
        size = sum(batch.size_bytes for batch in answer.records)
        unpack(answer.records, tp, self._log.journal, self._log.who)
        self._log(
            "FETCH_PREPARING",
            size=size,
            partition=tp,
            position=self._text(position),
            offset=position.offset,
        )
        state.high_watermark = answer.high_watermark
        state.log_start_offset = answer.log_start_offset
        state.last_stable_offset = answer.last_stable_offset
        self._log("FETCH_HIGH_WATERMARK", partition=tp, offset=answer.high_watermark)
        self._log("FETCH_LOG_START", partition=tp, offset=answer.log_start_offset)
        self._log("FETCH_LAST_STABLE", partition=tp, offset=answer.last_stable_offset)
        if answer.preferred_read_replica >= 0:
            # after that time the leader is asked again, and may name another one
            until_ms = self._clock.now_ms + self._metadata_max_age_ms
            if self._subscriptions.prefer_replica(tp, answer.preferred_read_replica, until_ms):
                self._log(
                    "FETCH_REPLICA_PREFERRED",
                    partition=tp,
                    replica=answer.preferred_read_replica,
                    until=self._epoch_ms + until_ms,
                )
        if self._clock.work is None:
            # Java moves a partition only when it has brought bytes. A lesson's lab keeps the order
            # of lines that its texts show.
            self._move_to_end(tp)
        return True

    def _refused(self, fetch: CompletedFetch, position: FetchPosition, error: Errors) -> None:
        tp = fetch.partition
        if error in MOVED:
            raised = self._profile.connecting.known(error).raises
            assert raised is not None, "an error has an exception"
            self._log(
                "FETCH_ERROR_REFRESH",
                partition=tp,
                error=f"org.apache.kafka.common.errors.{raised.__name__}",
            )
            self._read_elsewhere(tp)
        elif error in (Errors.UNKNOWN_TOPIC_OR_PARTITION, Errors.UNKNOWN_TOPIC_ID):
            self._log(
                "FETCH_UNKNOWN_TOPIC"
                if error is Errors.UNKNOWN_TOPIC_OR_PARTITION
                else "FETCH_UNKNOWN_TOPIC_ID",
                partition=tp,
            )
            self._read_elsewhere(tp)
        elif error is Errors.UNKNOWN_LEADER_EPOCH:  # the broker is behind: the fetch is repeated
            self._log("FETCH_UNKNOWN_LEADER_EPOCH", partition=tp)
        elif error is Errors.OFFSET_OUT_OF_RANGE:
            left = self._subscriptions.clear_preferred_replica(tp)
            if left is not None:  # a follower's log says nothing about the leader's
                self._log(
                    "FETCH_REPLICA_UNSET",
                    replica=left,
                    partition=tp,
                    error=error.name,
                    offset=fetch.fetch_offset,
                )
                return
            if self._subscriptions.default_reset == "none":
                raise ConsumerOffsetOutOfRangeException(
                    self._profile.fetching.out_of_range_text(tp, position)
                )
            self._log(
                "FETCH_OUT_OF_RANGE",
                partition=tp,
                offset=fetch.fetch_offset,
                position=self._text(position),
            )
            self._subscriptions.request_reset(tp)

    def _read_elsewhere(self, tp: TopicPartition) -> None:
        """Asks for new metadata; from 3.4 on the leader is read until it names a follower again
        (FetchUtils.requestMetadataUpdate)."""
        self._request_update()
        if self._profile.fetching.leaves_lost_replica:
            self._subscriptions.clear_preferred_replica(tp)

    def _take(
        self, fetch: CompletedFetch, state: PartitionState, limit: int
    ) -> list[ConsumerRecord]:
        taken = fetch.take(limit, lambda batch: self._skipped(fetch.partition, batch), self._read)
        before = after = state.position
        assert before is not None and after is not None, (
            "a partition that may be fetched has a position"
        )
        moved = fetch.next_offset > before.offset
        if moved:
            after = FetchPosition(
                fetch.next_offset, before.leader_epoch, before.leader, before.leader_epoch
            )
        if moved or self._profile.fetching.mentions_empty_fetches:
            self._log(
                "FETCH_RETURNING",
                count=len(taken),
                partition=fetch.partition,
                offset=before.offset,
                position=self._text(before),
                new_offset=after.offset,
                new_position=self._text(after),
            )
        if moved:
            self.position_moved = True
            self._log(
                "POSITION_UPDATED",
                partition=fetch.partition,
                count=len(taken),
                position_before=self._text(before),
                position=self._text(after),
            )
            self._subscriptions.move_on(fetch.partition, after)
            for record in taken:
                self._log.journal.note(
                    "record.delivered",
                    self._log.who,
                    partition=str(fetch.partition),
                    offset=record.offset,
                    key=key_text(record.key),
                )
        self._tell_lag(fetch.partition, state, len(taken))
        if fetch.is_exhausted and fetch.answer.records:
            self._move_to_end(fetch.partition)
        return taken

    def _tell_lag(self, tp: TopicPartition, state: PartitionState, records: int) -> None:
        """Records how far this reader is from both ends of the log, for its metrics; an answer that
        brought and changed nothing is skipped."""
        lag, lead = self._subscriptions.lag(tp, self._isolation_level), self._subscriptions.lead(tp)
        self.with_lag[tp] = None
        if records or (lag, lead) != state.told:
            state.told = (lag, lead)
            self._log.journal.note(
                "fetched", self._log.who, partition=str(tp), records=records, lag=lag, lead=lead
            )

    def _skipped(self, tp: TopicPartition, batch: RecordBatch) -> None:
        self._log(
            "ABORTED_BATCH_SKIPPED",
            partition=tp,
            producer_id=batch.producer_id,
            offset=batch.base_offset,
            last_offset=batch.last_offset,
        )

    def _move_to_end(self, tp: TopicPartition) -> None:
        """A partition just served moves to the end of the queue, so that each has its turn
        (PartitionStates.moveToEnd)."""
        if self._profile.fetching.rotates_partitions:
            self._subscriptions.partitions[tp] = self._subscriptions.partitions.pop(tp)

    def _text(self, position: FetchPosition) -> Later:
        return Later(position.text, self._profile.fetching.position_style)
