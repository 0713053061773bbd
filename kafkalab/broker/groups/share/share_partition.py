"""SharePartition: locks records of one partition for members of a share group, and takes them back
(kafka.server.share.SharePartition, KIP-932).

The records lie in a window. Before its start (SPSO, share-partition start offset) all records are
done. After its end (SPEO) nobody has acquired one yet. The leader of the partition holds the
window. It is a pure machine: it takes a call and the time, and returns what has changed.

A record that is acknowledged or released has its new state at once, but it is in transition until
the leader has written this state (`written` tells). In this time nobody can acquire the record, and
the window's start cannot pass it. When a lock ends, there is no such time.

A record that was delivered often is given out in a smaller portion, and alone for the last time, so
that a bad one takes no others with it (4.2).

Left out: markers and aborted records of transactions, and compacted gaps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import groupby
from typing import NamedTuple

from kafkalab.broker.groups.share.record_state import DONE, MOVES, RecordState
from kafkalab.broker.steps import Refusal
from kafkalab.errors import Errors
from kafkalab.protocol.messages import AcknowledgementBatch, AcquiredRecords, RecordBatch
from kafkalab.protocol.share_messages import ACCEPT, GAP, REJECT, RELEASE, RENEW

STATE_AFTER = {
    ACCEPT: RecordState.ACKNOWLEDGED,
    RELEASE: RecordState.AVAILABLE,
    REJECT: RecordState.ARCHIVED,
    GAP: RecordState.ARCHIVED,
}
"""Type of an acknowledgement -> the state of its record afterwards."""

FEWEST_BEFORE_PORTIONS = 2
"""From so many deliveries on, or half of the limit, portions are smaller
(MINIMUM_THROTTLE_RECORDS_DELIVERY_LIMIT)."""

WORDS = {ACCEPT: "accept", RELEASE: "release", REJECT: "reject"}
"""Type of an acknowledgement -> why its record has another state."""

NOT_FOUND = "Batch record not found. The request batch offsets are not found in the cache."
NOT_ACQUIRED = "The batch cannot be acknowledged. The batch is not in the acquired state."
OFFSET_NOT_ACQUIRED = "The batch cannot be acknowledged. The offset is not acquired."
OF_ANOTHER_MEMBER = "Member is not the owner of batch record"


@dataclass(slots=True)
class InFlightState:
    """A record in the window: its state, how often it was delivered, who holds it until when.

    holder  who held the record before the state that is being written; None where no write is under
            way (rollbackState)
    stored  state and deliveries as they were written last; None where nothing was written
    restored  whether another leader gave the record up, and this one has it from what is stored
    """

    state: RecordState = RecordState.AVAILABLE
    delivery_count: int = 0
    member_id: str = ""
    deadline_ms: int = 0
    holder: str | None = None
    stored: tuple[RecordState, int] | None = None
    restored: bool = False

    @property
    def in_transition(self) -> bool:
        """Whether the state is not written yet (hasOngoingStateTransition)."""
        return self.holder is not None

    @property
    def can_be_acquired(self) -> bool:
        """Whether a member may have this record."""
        return self.state is RecordState.AVAILABLE and self.holder is None


@dataclass(slots=True)
class InFlightBatch:
    """Neighbouring records that were acquired together (InFlightBatch).

    records     the state of each; one object for all of them while by_offset is False
    by_offset   whether the records have had different fates and are tracked one by one
    """

    first_offset: int
    records: list[InFlightState]
    by_offset: bool = False

    @property
    def last_offset(self) -> int:
        return self.first_offset + len(self.records) - 1

    def split(self) -> None:
        """Track the records one by one from now on (maybeInitializeOffsetStateUpdate)."""
        if not self.by_offset:
            self.records = [replace(record) for record in self.records]
            self.by_offset = True

    def parts(self) -> Iterator[tuple[int, int, InFlightState]]:
        """(first offset, last offset, state): the whole batch, or each record."""
        if not self.by_offset:
            yield self.first_offset, self.last_offset, self.records[0]
            return
        for place, record in enumerate(self.records):
            yield self.first_offset + place, self.first_offset + place, record


class Moved(NamedTuple):
    """Records that have another state now, both ends included.

    why: "fetched", "accept", "release", "reject", "gap", "renew", "lock expired", "session closed",
    "dead letter", or "delivery limit" for a record that would be delivered once too often.
    """

    first_offset: int
    last_offset: int
    state: RecordState
    delivery_count: int
    member_id: str
    why: str


class ShareState(NamedTuple):
    """The stored state of a share partition (ShareSnapshotValue): its start, and batches as (first
    offset, last offset, state, deliveries)."""

    start_offset: int
    batches: tuple[tuple[int, int, RecordState, int], ...] = ()


class AcknowledgeOutcome(NamedTuple):
    """What became of acknowledgements: an error code, 0 for none, and the broker's message."""

    code: int = 0
    message: str | None = None


class SharePartition:
    """One partition of one share group, at the leader.

    start_offset        the first record that is not done (SPSO)
    end_offset          the last record that somebody has acquired (SPEO); where the window is
                        empty, the next one to acquire
    lock_ms             how long a member holds what it acquires
    delivery_limit      how often a record is delivered at most
    most_in_flight      how many records the window holds at most
    has_dead_letters    whether the group has a dead-letter topic now
    say                 writes a line about one offset into the broker's log
    """

    def __init__(
        self,
        start_offset: int,
        lock_ms: int,
        delivery_limit: int,
        most_in_flight: int = 2_000,
        has_dead_letters: Callable[[], bool] = lambda: False,
        say: Callable[[str, int], object] = lambda name, offset: None,
    ) -> None:
        self.start_offset = self.end_offset = start_offset
        self.lock_ms = lock_ms
        self.delivery_limit = delivery_limit
        self.most_in_flight = most_in_flight
        self._has_dead_letters, self._say = has_dead_letters, say
        self.batches: list[InFlightBatch] = []

    # -- what a fetch asks

    @property
    def next_fetch_offset(self) -> int:
        """The first record that a member could acquire now: an available one of the window, else
        the one after the window (nextFetchOffset)."""
        for batch in self.batches:
            for first, _, record in batch.parts():
                if record.can_be_acquired:
                    return first
        return self._after

    @property
    def in_flight_count(self) -> int:
        """How many records the window holds."""
        return self.end_offset - self.start_offset + 1 if self.batches else 0

    def can_acquire(self) -> bool:
        """Whether a member may fetch: there is an available record, or room in the window."""
        return self.next_fetch_offset <= self.end_offset or (
            self.in_flight_count < self.most_in_flight
        )

    def next_deadline_ms(self) -> int | None:
        """When the next lock ends; None where nothing is acquired."""
        return min(
            (
                record.deadline_ms
                for batch in self.batches
                for _, _, record in batch.parts()
                if record.state is RecordState.ACQUIRED
            ),
            default=None,
        )

    def states(self) -> dict[int, InFlightState]:
        """Offset -> its state, for each record of the window."""
        return {
            batch.first_offset + place: record
            for batch in self.batches
            for place, record in enumerate(batch.records)
        }

    def snapshot(self) -> ShareState:
        """What survives the leader: the states that were written. Nobody writes that a record was
        acquired, so it is available again with another leader."""
        kept = tuple(
            (begin, end, *record.stored)
            for batch in self.batches
            for begin, end, record in batch.parts()
            if record.stored is not None
        )
        return ShareState(self.start_offset, kept)

    def restore(self, stored: ShareState) -> None:
        """Begin with what another leader, or this one before its death, has stored."""
        self.start_offset = self.end_offset = stored.start_offset
        self.batches.clear()
        for first, last, state, count in stored.batches:
            if first > self._after:
                self._add(self._after, first - 1, InFlightState())
            self._add(
                first, last, InFlightState(state, count, stored=(state, count), restored=True)
            )
        self._move_start()

    @property
    def _after(self) -> int:
        """The first offset after the window."""
        return self.end_offset + 1 if self.batches else self.end_offset

    def _add(self, first: int, last: int, record: InFlightState) -> None:
        self.batches.append(InFlightBatch(first, [record] * (last - first + 1)))
        self.end_offset = last

    # -- moves

    def acquire(
        self,
        member_id: str,
        read: Iterable[RecordBatch],
        max_records: int,
        batch_size: int,
        now_ms: int,
        exact: bool = False,
    ) -> tuple[tuple[AcquiredRecords, ...], list[Moved]]:
        """Give the member records of the batches that were read from the log.

        max_records: acquired at most; without `exact` the last batch of the log comes whole.
        batch_size: records that are tracked together, at least where there are as many.
        exact: share.acquire.mode is record_limit (KIP-1206).
        """
        read = list(read)
        if not read or max_records <= 0:
            return (), []
        moved: list[Moved] = []
        first, last, count = read[0].base_offset, read[-1].last_offset, 0
        stops = False
        for batch in self.batches:
            if count >= max_records:
                break
            if batch.last_offset < first or batch.first_offset > last:
                continue
            whole = first <= batch.first_offset and batch.last_offset <= last
            too_large = exact and len(batch.records) > max_records - count
            in_portions = self._comes_in_portions(batch, first, last)
            if in_portions and count:
                stops = True
                break
            if not whole or too_large or in_portions:
                if not batch.by_offset and not batch.records[0].can_be_acquired:
                    continue
                batch.split()
            most = max_records - count if exact else len(batch.records)
            taken = self._acquire_of(batch, member_id, first, last, most, now_ms)
            moved += taken
            count += sum(one.last_offset - one.first_offset + 1 for one in taken)
            if in_portions and taken:
                stops = True
                break
        after = self._after
        if not stops and count < max_records and after <= last:
            moved += self._acquire_new(
                member_id, read, after, max_records - count, batch_size, now_ms, exact
            )
        acquired = tuple(
            AcquiredRecords(
                first_offset=one.first_offset,
                last_offset=one.last_offset,
                delivery_count=one.delivery_count,
            )
            for one in moved
        )
        return acquired, moved

    @property
    def _portions_from(self) -> int:
        """The number of deliveries from which a record comes in a smaller portion
        (throttleRecordsDeliveryLimit)."""
        return max(FEWEST_BEFORE_PORTIONS, -(-self.delivery_limit // 2))

    def _comes_in_portions(self, batch: InFlightBatch, first: int, last: int) -> bool:
        """Whether a batch has a record that was delivered often (shouldThrottleRecordsDelivery)."""
        counts = [
            record.delivery_count
            for begin, end, record in batch.parts()
            if record.can_be_acquired and first <= end and begin <= last
        ]
        return max(counts, default=0) >= self._portions_from

    def _acquire_of(
        self,
        batch: InFlightBatch,
        member_id: str,
        first: int,
        last: int,
        most: int,
        now_ms: int,
    ) -> list[Moved]:
        """Acquire records of a batch in the window, `most` at most (acquireSubsetBatchRecords).

        From half of the limit on, a portion is half of the batch, then a quarter. For its last
        delivery a record comes alone.
        """
        moved: list[Moved] = []
        portion, count, limit = 0, 0, self.delivery_limit
        for begin, end, record in batch.parts():
            if not record.can_be_acquired or end < first or begin > last:
                continue
            before = record.delivery_count
            if batch.by_offset and limit > 2 and before == limit - 1 and count:
                self._say("SHARE_ALONE_NEXT", begin)
                break
            if batch.by_offset and before >= self._portions_from and not portion:
                portion = max(1, len(batch.records) >> (before - self._portions_from + 1))
            self._move(record, RecordState.ACQUIRED, member_id, now_ms)
            moved.append(_moved(begin, end, record, "fetched"))
            count += end - begin + 1
            if batch.by_offset and limit > 2 and record.delivery_count == limit:
                self._say("SHARE_ALONE_NOW", begin)
                break
            if count in (most, portion):
                break
        return moved

    def _acquire_new(
        self,
        member_id: str,
        read: list[RecordBatch],
        first: int,
        count: int,
        batch_size: int,
        now_ms: int,
        exact: bool,
    ) -> list[Moved]:
        """Acquire records after the window (acquireNewBatchRecords, createBatches)."""
        room = self.most_in_flight - self.in_flight_count
        count = min(count, room)
        if count <= 0:
            return []
        wanted = first + count - 1
        last = next((b.last_offset for b in read if b.last_offset >= wanted), read[-1].last_offset)
        if exact:
            last = min(last, wanted)
        moved: list[Moved] = []
        begin = first
        for log_batch in read:
            end = min(log_batch.last_offset, last)
            if end >= begin and (end - begin + 1 >= batch_size or end == last):
                record = InFlightState()
                self._move(record, RecordState.ACQUIRED, member_id, now_ms)
                self._add(begin, end, record)
                moved.append(_moved(begin, end, record, "fetched"))
                begin = end + 1
            if end == last:
                break
        return moved

    def acknowledge(
        self, member_id: str, batches: Iterable[AcknowledgementBatch], now_ms: int
    ) -> tuple[list[Moved], list[Moved]]:
        """Take a member's acknowledgements: all of them, or none.

        Returns what has changed at once, which are the renewed locks, and what has to be written:
        these records are in transition until `written`. Offsets before the window are done already
        and are passed over. Raises Refusal where the member does not hold one of the others.
        """
        wanted: list[tuple[InFlightBatch, int, int, int]] = []
        for asked in batches:
            if asked.last_offset < self.start_offset:
                continue
            touched = [
                batch
                for batch in self.batches
                if batch.first_offset <= asked.last_offset
                and batch.last_offset >= max(asked.first_offset, self.start_offset)
            ]
            if not touched or touched[-1].last_offset < asked.last_offset:
                raise Refusal(Errors.INVALID_RECORD_STATE, NOT_FOUND)
            for batch in touched:
                self._check_held(batch, asked, member_id)
                wanted += self._wishes(batch, asked)
        renewed: list[Moved] = []
        begun: list[Moved] = []
        for batch, first, last, kind in wanted:
            if first > batch.first_offset or last < batch.last_offset:
                batch.split()
            for begin, end, record in batch.parts():
                if begin < first or end > last:
                    continue
                if kind == RENEW:
                    record.deadline_ms = now_ms + self.lock_ms
                    renewed.append(_moved(begin, end, record, "renew"))
                else:
                    why = WORDS.get(kind, "gap")
                    after = STATE_AFTER[kind]
                    if kind == REJECT and self._has_dead_letters():
                        after = RecordState.ARCHIVING
                    begun.append(self._begin(record, begin, end, after, why))
        return list(_joined(renewed)), list(_joined(begun))

    def written(self, moved: Iterable[Moved], in_transition: bool = True) -> bool:
        """The new states of these records are written. Returns whether the window's start moves.

        in_transition: whether the records waited for it, and their transitions are complete now.
        """
        for one in moved:
            for _, _, record in self._records(one):
                record.stored = one.state, one.delivery_count
                if in_transition:
                    record.holder = None
        return self._move_start()

    def not_written(self, moved: Iterable[Moved], now_ms: int) -> list[Moved]:
        """The new states could not be written: the members hold their records again, or the records
        are available where the lock has ended by then (completeStateTransition)."""
        back: list[Moved] = []
        for one in moved:
            for begin, end, record in self._records(one):
                if record.holder is None:
                    continue
                record.state, record.member_id = RecordState.ACQUIRED, record.holder
                record.holder = None
                if record.deadline_ms <= now_ms:
                    back.append(self._give_back(record, begin, end, "lock expired"))
        return list(_joined(back))

    def archive(self, moved: Moved) -> list[Moved]:
        """Archive records whose copies for the dead-letter topic are written, or could not be
        (initiateDLQAndArchive)."""
        done = []
        for begin, end, record in self._records(moved):
            if record.state is RecordState.ARCHIVING:
                self._move(record, RecordState.ARCHIVED)
                done.append(_moved(begin, end, record, "dead letter"))
        return list(_joined(done))

    def left_to_archive(self) -> list[Moved]:
        """Records that another leader gave up, whose letters this one has to write
        (maybeResumeDlqArchiving)."""
        left = [
            _moved(begin, end, record, "dead letter")
            for batch in self.batches
            for begin, end, record in batch.parts()
            if record.state is RecordState.ARCHIVING and record.restored
        ]
        return list(_joined(left))

    def _records(self, moved: Moved) -> Iterator[tuple[int, int, InFlightState]]:
        """The parts of the window that these offsets cover."""
        for batch in self.batches:
            for begin, end, record in batch.parts():
                if moved.first_offset <= begin and end <= moved.last_offset:
                    yield begin, end, record

    def _begin(
        self, record: InFlightState, first: int, last: int, state: RecordState, why: str
    ) -> Moved:
        """Begin the transition of a held record to this state (startStateTransition)."""
        holder = record.member_id
        if state is RecordState.AVAILABLE:
            moved = self._give_back(record, first, last, why)
        else:
            self._move(record, state)
            moved = _moved(first, last, record, why, holder)
        record.holder = holder
        return moved

    def _check_held(
        self, batch: InFlightBatch, asked: AcknowledgementBatch, member_id: str
    ) -> None:
        for begin, end, record in batch.parts():
            if end < max(asked.first_offset, self.start_offset) or begin > asked.last_offset:
                continue
            if record.state is not RecordState.ACQUIRED:
                message = OFFSET_NOT_ACQUIRED if batch.by_offset else NOT_ACQUIRED
                raise Refusal(Errors.INVALID_RECORD_STATE, message)
            if record.member_id != member_id:
                raise Refusal(Errors.INVALID_RECORD_STATE, OF_ANOTHER_MEMBER)

    def _wishes(
        self, batch: InFlightBatch, asked: AcknowledgementBatch
    ) -> Iterator[tuple[InFlightBatch, int, int, int]]:
        """(batch, first offset, last offset, type) for what is asked of this batch."""
        first = max(asked.first_offset, batch.first_offset, self.start_offset)
        last = min(asked.last_offset, batch.last_offset)
        if len(asked.acknowledge_types) == 1:
            yield batch, first, last, asked.acknowledge_types[0]
            return
        for offset in range(first, last + 1):
            yield batch, offset, offset, asked.acknowledge_types[offset - asked.first_offset]

    def expire(self, now_ms: int) -> list[Moved]:
        """Take back the records whose locks have ended (AcquisitionLockTimerTask).

        Others may acquire them at once; the leader writes their states afterwards.
        """
        moved = [
            self._give_back(record, begin, end, "lock expired")
            for begin, end, record in self._held()
            if record.deadline_ms <= now_ms
        ]
        return list(_joined(moved))

    def release(self, member_id: str) -> list[Moved]:
        """Begin to take back what a member holds: its share session is closed
        (releaseAcquiredRecords). The records are in transition until `written`."""
        begun = [
            self._begin(record, begin, end, RecordState.AVAILABLE, "session closed")
            for begin, end, record in self._held()
            if record.member_id == member_id
        ]
        return list(_joined(begun))

    def log_start_moved(self, log_start_offset: int) -> list[Moved]:
        """Archive available records that retention has deleted (updateCacheAndOffsets)."""
        moved = []
        for batch in self.batches:
            if batch.first_offset < log_start_offset <= batch.last_offset:
                batch.split()
            for begin, end, record in batch.parts():
                if end < log_start_offset and record.state is RecordState.AVAILABLE:
                    self._move(record, RecordState.ARCHIVED)
                    record.holder = None
                    moved.append(_moved(begin, end, record, "log start"))
        self._move_start()
        if not self.batches and self.start_offset < log_start_offset:
            self.start_offset = self.end_offset = log_start_offset
        return list(_joined(moved))

    def _held(self) -> Iterator[tuple[int, int, InFlightState]]:
        """The parts of the window that members hold."""
        for batch in self.batches:
            for begin, end, record in batch.parts():
                if record.state is RecordState.ACQUIRED:
                    yield begin, end, record

    def _give_back(self, record: InFlightState, first: int, last: int, why: str) -> Moved:
        """Make a record available; archive it where it had all its deliveries."""
        member_id, spent = record.member_id, record.delivery_count >= self.delivery_limit
        gone = RecordState.ARCHIVING if self._has_dead_letters() else RecordState.ARCHIVED
        self._move(record, gone if spent else RecordState.AVAILABLE)
        return _moved(first, last, record, "delivery limit" if spent else why, member_id)

    def _move(
        self, record: InFlightState, after: RecordState, member_id: str = "", now_ms: int = 0
    ) -> None:
        record.state, record.member_id = MOVES.step(record.state, after, "record"), member_id
        if after is RecordState.ACQUIRED:
            record.delivery_count += 1
            record.deadline_ms = now_ms + self.lock_ms

    def _move_start(self) -> bool:
        """Move the window's start over the records that are done, and tell whether it has moved
        (maybeUpdateCachedStateAndOffsets)."""
        before = self.start_offset
        while self.batches:
            batch = self.batches[0]
            left = next(
                (
                    begin
                    for begin, _, record in batch.parts()
                    if record.in_transition or record.state not in DONE
                ),
                None,
            )
            if left is not None:
                self.start_offset = max(self.start_offset, left)
                return self.start_offset > before
            self.start_offset = batch.last_offset + 1
            del self.batches[0]
        self.end_offset = self.start_offset = max(self.end_offset, self.start_offset)
        return self.start_offset > before


def _moved(
    first: int, last: int, record: InFlightState, why: str, member_id: str | None = None
) -> Moved:
    who = record.member_id if member_id is None else member_id
    return Moved(first, last, record.state, record.delivery_count, who, why)


def _joined(moved: list[Moved]) -> Iterator[Moved]:
    """Neighbouring records with equal fates as one."""
    moved.sort(key=lambda one: one.first_offset)
    for _, group in groupby(
        enumerate(moved), key=lambda pair: (pair[1].first_offset - pair[0], pair[1][2:])
    ):
        found = [one for _, one in group]
        yield found[0]._replace(last_offset=found[-1].last_offset)
