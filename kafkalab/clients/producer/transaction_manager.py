"""Who is this producer to the brokers? Producer id, epoch and sequences (internals.TransactionManager, idempotent part).

Transactions themselves are left out so far: a config with transactional.id is refused by `kafkalab.config`.
"""

from __future__ import annotations

import enum

from kafkalab.clients.log_context import LogContext
from kafkalab.records import TopicPartition


class State(enum.Enum):
    UNINITIALIZED = "UNINITIALIZED"
    """No producer id. Next: INITIALIZING when the Sender first looks."""
    INITIALIZING = "INITIALIZING"
    """INIT_PRODUCER_ID is wanted or under way. Next: READY with an id."""
    READY = "READY"
    """Batches get sequences and may leave."""


TRANSITIONS = {State.UNINITIALIZED: {State.INITIALIZING}, State.INITIALIZING: {State.READY}, State.READY: set()}


class TransactionManager:
    def __init__(self, log: LogContext) -> None:
        self.state = State.UNINITIALIZED
        self.producer_id, self.producer_epoch = -1, -1
        self._log = log
        self._next: dict[TopicPartition, int] = {}
        self._known: set[TopicPartition] = set()

    @property
    def has_producer_id(self) -> bool:
        return self.producer_id >= 0

    def transition_to(self, after: State) -> None:
        assert after in TRANSITIONS[self.state], f"{self.state} -> {after} is not in the table"
        self._log("TRANSACTION_STATE", state_from=self.state.value, state_to=after.value)
        self.state = after

    def initialized(self, producer_id: int, epoch: int) -> None:
        self.producer_id, self.producer_epoch = producer_id, epoch
        self._log("PRODUCER_ID_SET", producer_id=producer_id, producer_epoch=epoch)

    def stamp(self, batch) -> None:
        """Give a batch its id, epoch and first sequence, once; a retry keeps them."""
        if batch.base_sequence >= 0:
            return
        tp = batch.partition
        if tp not in self._known:
            self._known.add(tp)
            self._log("SEQUENCE_REINITIALIZED", partition=tp, producer_id=self.producer_id, producer_epoch=self.producer_epoch)
        batch.producer_id, batch.producer_epoch = self.producer_id, self.producer_epoch
        batch.base_sequence = self._next.get(tp, 0)
        self._next[tp] = (batch.base_sequence + len(batch.records)) % (1 << 31)
        self._log("SEQUENCE_ASSIGNED", producer_id=self.producer_id, producer_epoch=self.producer_epoch, sequence=batch.base_sequence,
                  partition=tp)

    def acknowledged(self, batch) -> None:
        self._log("SEQUENCE_ACKNOWLEDGED", producer_id=self.producer_id, partition=batch.partition,
                  sequence=batch.base_sequence + len(batch.records) - 1)
