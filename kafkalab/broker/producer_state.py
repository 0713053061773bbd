"""Is this batch new, old or too early? What a partition's leader remembers of each idempotent producer.

Kafka's classes are ProducerStateManager and ProducerAppendInfo (KIP-98). Left out: expiry of idle producers.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from kafkalab.errors import Errors
from kafkalab.protocol.messages import RecordBatch

REMEMBERED_BATCHES = 5
"""Why idempotence allows at most five requests in flight: the leader knows the last five batches again."""

NO_PRODUCER_ID = -1
_SEQUENCES = 2**31


class RememberedBatch(NamedTuple):
    """First and last sequence number of a batch, and the offset its first record got."""

    first_sequence: int
    last_sequence: int
    base_offset: int


class Verdict(NamedTuple):
    """What to do with a batch: append it (error NONE, duplicate_of None), answer as before, or refuse."""

    error: Errors
    duplicate_of: RememberedBatch | None = None


class ProducerEntry:
    """One producer on one partition: its epoch and its last batches."""

    __slots__ = ("epoch", "batches")

    def __init__(self, epoch: int) -> None:
        self.epoch = epoch
        self.batches: deque[RememberedBatch] = deque(maxlen=REMEMBERED_BATCHES)


def last_sequence(batch: RecordBatch) -> int:
    """Sequence of a batch's last record; numbers wrap from the largest int to 0."""
    return (batch.base_sequence + len(batch.records) - 1) % _SEQUENCES


class ProducerState:
    """All producers of one partition.

    accepts_unknown: whether a producer without entry may begin anywhere (BrokerProfile.accepts_unknown_producer).
    """

    __slots__ = ("entries", "_accepts_unknown")

    def __init__(self, *, accepts_unknown: bool) -> None:
        self.entries: dict[int, ProducerEntry] = {}
        self._accepts_unknown = accepts_unknown

    def judge(self, batch: RecordBatch) -> Verdict:
        """Compare a batch with what is remembered; changes nothing."""
        if batch.producer_id == NO_PRODUCER_ID:
            return _APPEND
        entry = self.entries.get(batch.producer_id)
        if entry is None:
            new = batch.base_sequence == 0 or self._accepts_unknown
            return _APPEND if new else Verdict(Errors.UNKNOWN_PRODUCER_ID)
        if batch.producer_epoch < entry.epoch:
            return Verdict(Errors.INVALID_PRODUCER_EPOCH)
        if batch.producer_epoch > entry.epoch:
            return _APPEND if batch.base_sequence == 0 else _OUT_OF_ORDER
        last = last_sequence(batch)
        for known in entry.batches:
            if known.first_sequence == batch.base_sequence and known.last_sequence == last:
                return Verdict(Errors.NONE, known)
        expected = (entry.batches[-1].last_sequence + 1) % _SEQUENCES if entry.batches else 0
        return _APPEND if batch.base_sequence == expected else _OUT_OF_ORDER

    def remember(self, batch: RecordBatch) -> None:
        """Note a batch that was appended (with its base offset). A new epoch forgets the batches of the old one."""
        if batch.producer_id == NO_PRODUCER_ID:
            return
        entry = self.entries.get(batch.producer_id)
        if entry is None or entry.epoch != batch.producer_epoch:
            entry = self.entries[batch.producer_id] = ProducerEntry(batch.producer_epoch)
        entry.batches.append(RememberedBatch(batch.base_sequence, last_sequence(batch), batch.base_offset))


_APPEND = Verdict(Errors.NONE)
_OUT_OF_ORDER = Verdict(Errors.OUT_OF_ORDER_SEQUENCE_NUMBER)
