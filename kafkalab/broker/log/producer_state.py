"""ProducerState: a log's state of its producers, by which it recognizes repeated batches.

Kafka's classes are ProducerStateManager, ProducerAppendInfo and ProducerStateEntry (KIP-98,
KIP-360). Every replica keeps this state beside its log and can compute it from the log alone
(`ProducerState.of`), so a follower that becomes leader has the old leader's state. Left out:
snapshots, which save the real broker most of that reading.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import NamedTuple

from kafkalab.errors import Errors
from kafkalab.protocol.messages import ControlRecordType, RecordBatch

REMEMBERED_BATCHES = 5
"""How many batches of a producer the leader recognizes; so idempotence allows at most five requests
in flight."""

SWEEP_INTERVAL_MS = 600_000
NO_PRODUCER_ID = -1
_SEQUENCES = 2**31


class RememberedBatch(NamedTuple):
    """A batch's first and last sequence number, and the offset of its first record
    (BatchMetadata)."""

    first_sequence: int
    last_sequence: int
    base_offset: int


class Verdict(NamedTuple):
    """What the leader does with a batch: append it (error NONE, duplicate_of None), answer as
    before, or refuse it."""

    error: Errors
    duplicate_of: RememberedBatch | None = None


class EndedTransaction(NamedTuple):
    """A transaction that a marker has ended (CompletedTxn). last_offset is the marker's."""

    producer_id: int
    first_offset: int
    last_offset: int
    is_aborted: bool


class ProducerEntry:
    """One producer on one partition (ProducerStateEntry).

    epoch              the highest seen; a batch with a lower one is fenced
    batches            its last batches of that epoch
    coordinator_epoch  epoch of the coordinator that last ended a transaction here; an older
                       coordinator is a zombie
    first_offset       where its open transaction began on this partition; None while there is none
    last_used_ms       when it last wrote here (virtual time); None: not since the state was
                       computed from the log
    """

    __slots__ = ("batches", "coordinator_epoch", "epoch", "first_offset", "last_used_ms")

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        self.batches: deque[RememberedBatch] = deque(maxlen=REMEMBERED_BATCHES)
        self.coordinator_epoch = -1
        self.first_offset: int | None = None
        self.last_used_ms: int | None = None

    def raise_epoch(self, epoch: int) -> None:
        """Take a new epoch: the batches of the old one are forgotten, an open transaction is
        not."""
        if epoch != self.epoch:
            self.epoch = epoch
            self.batches.clear()


def last_sequence(batch: RecordBatch) -> int:
    """The sequence of a batch's last record; numbers wrap from the largest int to 0."""
    return (batch.base_sequence + batch.last_offset - batch.base_offset) % _SEQUENCES


class ProducerState:
    """All producers of one partition, and its undecided transactions (ProducerStateManager).

    open_transactions  first offset -> producer id, of transactions without a marker
    ended              transactions whose marker the high watermark may not have passed yet, in the
                       order of their markers
    guards             producer id -> number of the leader's present request to the coordinator
                       (KIP-890)
    joining            producer id -> epoch with which that request adds it to its next transaction
                       (transaction.version 2)
    """

    __slots__ = (
        "_guards_given",
        "_swept_ms",
        "ended",
        "entries",
        "guards",
        "joining",
        "open_transactions",
    )

    def __init__(self) -> None:
        self.entries: dict[int, ProducerEntry] = {}
        self.open_transactions: dict[int, int] = {}
        self.ended: list[EndedTransaction] = []
        self.guards: dict[int, int] = {}
        self.joining: dict[int, int] = {}
        self._guards_given = self._swept_ms = 0

    @classmethod
    def of(cls, batches: Iterable[RecordBatch]) -> ProducerState:
        """Compute the state from a log's batches."""
        state = cls()
        for batch in batches:
            state.remember(batch)
        return state

    def judge(self, batch: RecordBatch, *, accepts_unknown: bool) -> Verdict:
        """Compare a client's batch with the state; changes nothing.

        accepts_unknown: an unknown producer may begin with any sequence
        (BrokerProfile.accepts_unknown_producer, KIP-360).
        """
        if batch.producer_id == NO_PRODUCER_ID:
            return _APPEND
        entry = self.entries.get(batch.producer_id)
        if entry is None:
            new = batch.base_sequence == 0 or accepts_unknown
            return _APPEND if new else Verdict(Errors.UNKNOWN_PRODUCER_ID)
        if batch.producer_epoch < entry.epoch:
            return Verdict(Errors.INVALID_PRODUCER_EPOCH)
        if batch.producer_epoch > entry.epoch:
            if batch.base_sequence != 0:
                return _OUT_OF_ORDER
        else:
            last = last_sequence(batch)
            for known in entry.batches:
                if known.first_sequence == batch.base_sequence and known.last_sequence == last:
                    return Verdict(Errors.NONE, known)
            # only a marker raised the epoch
            if not entry.batches and batch.base_sequence != 0 and not accepts_unknown:
                return Verdict(Errors.UNKNOWN_PRODUCER_ID)
            expected = (entry.batches[-1].last_sequence + 1) % _SEQUENCES if entry.batches else 0
            if batch.base_sequence != expected:
                return _OUT_OF_ORDER
        if entry.first_offset is not None and not batch.is_transactional:
            return Verdict(Errors.INVALID_TXN_STATE)
        return _APPEND

    def judge_marker(self, marker: RecordBatch) -> Errors:
        """Whether this coordinator may end the transaction. An older epoch of producer or
        coordinator is a zombie's."""
        entry = self.entries.get(marker.producer_id)
        if entry is None:
            return Errors.NONE
        if marker.producer_epoch < entry.epoch:
            return Errors.INVALID_PRODUCER_EPOCH
        if marker.coordinator_epoch < entry.coordinator_epoch:
            return Errors.TRANSACTION_COORDINATOR_FENCED
        return Errors.NONE

    def has_open_transaction(self, producer_id: int, epoch: int) -> bool:
        entry = self.entries.get(producer_id)
        return entry is not None and entry.first_offset is not None and entry.epoch == epoch

    def guard(self, producer_id: int, joining_epoch: int | None = None) -> int:
        """Guard a request to the coordinator: returns a number that is valid until the producer's
        next marker (VerificationGuard).

        joining_epoch: of a producer that speaks transaction.version 2. The marker that ends its
        last transaction has this same epoch and keeps the number valid, because the next
        transaction is another one (UnifiedLog.updateProducers).
        """
        if joining_epoch is None:
            self.joining.pop(producer_id, None)
        else:
            self.joining[producer_id] = joining_epoch
        number = self.guards.get(producer_id)
        if number is None:
            self._guards_given += 1
            number = self.guards[producer_id] = self._guards_given
        return number

    def is_guarded(self, producer_id: int, number: int) -> bool:
        """Whether the coordinator's answer is still valid: no marker has come since the request."""
        return self.guards.get(producer_id) == number

    def remember(self, batch: RecordBatch, now_ms: int | None = None) -> EndedTransaction | None:
        """Record a batch of the log; returns the transaction that it ended, if it is a marker that
        ended one."""
        if batch.producer_id == NO_PRODUCER_ID:
            return None
        entry = self.entries.get(batch.producer_id)
        if entry is None:
            entry = self.entries[batch.producer_id] = ProducerEntry(batch.producer_epoch)
        entry.raise_epoch(batch.producer_epoch)
        entry.last_used_ms = now_ms
        if batch.control is not None:
            return self._end(entry, batch)
        entry.batches.append(
            RememberedBatch(batch.base_sequence, last_sequence(batch), batch.base_offset)
        )
        if batch.is_transactional and entry.first_offset is None:
            entry.first_offset = batch.base_offset
            self.open_transactions[batch.base_offset] = batch.producer_id
        return None

    def _end(self, entry: ProducerEntry, marker: RecordBatch) -> EndedTransaction | None:
        entry.coordinator_epoch = marker.coordinator_epoch
        if self.joining.get(marker.producer_id) != marker.producer_epoch:
            self.guards.pop(marker.producer_id, None)
        if entry.first_offset is None:
            return None
        ended = EndedTransaction(
            marker.producer_id,
            entry.first_offset,
            marker.base_offset,
            marker.control is ControlRecordType.ABORT,
        )
        entry.first_offset = None
        del self.open_transactions[ended.first_offset]
        self.ended.append(ended)
        return ended

    def first_undecided(self, high_watermark: int) -> int | None:
        """The first offset of the earliest transaction that is open, or whose marker consumers
        cannot see yet; None without one (ProducerStateManager.firstUnstableOffset)."""
        if self.ended and self.ended[0].last_offset < high_watermark:
            self.ended = [ended for ended in self.ended if ended.last_offset >= high_watermark]
        if not self.open_transactions and not self.ended:
            return None
        return min((*self.open_transactions, *(ended.first_offset for ended in self.ended)))

    def first_open(self) -> int | None:
        """The first offset of the earliest transaction without a marker; None without one."""
        return min(self.open_transactions, default=None)

    def is_last_of_producer(self, batch: RecordBatch) -> bool:
        """Whether this batch holds its producer's last sequence number (or, without data, its
        epoch)."""
        entry = self.entries.get(batch.producer_id)
        if entry is None:
            return False
        if not entry.batches:
            return batch.control is not None and batch.producer_epoch == entry.epoch
        last = entry.batches[-1]
        return (
            batch.control is None
            and batch.last_offset
            == last.base_offset + (last.last_sequence - last.first_sequence) % _SEQUENCES
        )

    def forget_idle(self, now_ms: int, limit_ms: int, every_ms: int = SWEEP_INTERVAL_MS) -> None:
        """Drop producers that have not written here for that long and have nothing open. Kafka
        checks this every ten minutes; here it is checked at a write, once ten minutes have
        passed."""
        if now_ms - self._swept_ms < every_ms:
            return
        self._swept_ms = now_ms
        idle = [
            id
            for id, entry in self.entries.items()
            if entry.first_offset is None
            and entry.last_used_ms is not None
            and now_ms - entry.last_used_ms >= limit_ms
        ]
        for id in idle:
            del self.entries[id]


_APPEND = Verdict(Errors.NONE)
_OUT_OF_ORDER = Verdict(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER)
