"""TransactionMetadata: a coordinator's state of one transactional id.

It holds the rules of epochs: when a producer is fenced, and what follows when the epochs of a
producer id are used up. In Kafka (TransactionMetadata) a change is first prepared, then written to
the log, then made. Here each method is one whole step.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from kafkalab.broker.transactions.transaction_state import MOVES, TransactionState
from kafkalab.protocol.frozen import message

NO_PRODUCER_ID = -1
NO_EPOCH = -1
LARGEST_EPOCH = 32_767

Place = tuple[str, int]
"""A topic's name and a partition's number."""


def is_exhausted(epoch: int) -> bool:
    """Whether this is the last epoch but one. The last one is reserved, so that a producer can
    always be fenced."""
    return epoch >= LARGEST_EPOCH - 1


@message
class TransactionMetadata:
    """One transactional id, as its record in the transaction log holds it (TransactionLogValue).

    epoch, last_epoch     of the producer; a retry may still name last_epoch after a raise (KIP-360)
    previous_producer_id  the id before a change for used-up epochs
    next_producer_id      the next id, decided at Prepare* (KIP-890)
    partitions            partitions in the transaction; while markers are written, those without
                          one
    started_ms            when the transaction began (virtual time); -1 without one
    updated_ms            when the metadata last changed
    bumps_epoch           the present transaction ends with a new epoch (transaction.version 2,
                          KIP-890)
    """

    transactional_id: str
    producer_id: int
    epoch: int = NO_EPOCH
    last_epoch: int = NO_EPOCH
    previous_producer_id: int = NO_PRODUCER_ID
    next_producer_id: int = NO_PRODUCER_ID
    timeout_ms: int
    state: TransactionState = TransactionState.EMPTY
    partitions: tuple[Place, ...] = ()
    started_ms: int = -1
    updated_ms: int = 0
    bumps_epoch: bool = False

    @property
    def is_prepared(self) -> bool:
        """Whether the outcome is decided and not all markers are written."""
        return self.state in (TransactionState.PREPARE_COMMIT, TransactionState.PREPARE_ABORT)

    def initialized(
        self, timeout_ms: int, expected_epoch: int | None, now_ms: int
    ) -> TransactionMetadata | None:
        """INIT_PRODUCER_ID from Empty or Complete*: the next epoch. expected_epoch: the epoch that
        a producer names which already had one (KIP-360). Its retry gets the same epoch again;
        None for another producer, which is fenced."""
        after = self._to(
            TransactionState.EMPTY,
            timeout_ms=timeout_ms,
            partitions=(),
            started_ms=-1,
            updated_ms=now_ms,
            next_producer_id=NO_PRODUCER_ID,
            bumps_epoch=False,
        )
        if expected_epoch is None:
            return replace(after, epoch=self.epoch + 1, last_epoch=NO_EPOCH)
        if self.epoch == NO_EPOCH or expected_epoch == self.epoch:
            return replace(after, epoch=self.epoch + 1, last_epoch=self.epoch)
        return after if expected_epoch == self.last_epoch else None

    def with_new_id(
        self, producer_id: int, timeout_ms: int, keeps_last_epoch: bool, now_ms: int
    ) -> TransactionMetadata:
        """INIT_PRODUCER_ID when the epochs are used up: another producer id, at epoch 0."""
        return self._to(
            TransactionState.EMPTY,
            producer_id=producer_id,
            previous_producer_id=self.producer_id,
            epoch=0,
            last_epoch=self.epoch if keeps_last_epoch else NO_EPOCH,
            timeout_ms=timeout_ms,
            partitions=(),
            started_ms=-1,
            updated_ms=now_ms,
            next_producer_id=NO_PRODUCER_ID,
            bumps_epoch=False,
        )

    def with_partitions(self, added: tuple[Place, ...], now_ms: int) -> TransactionMetadata:
        """ADD_PARTITIONS_TO_TXN: add partitions; the first one begins the transaction."""
        begins = self.state is not TransactionState.ONGOING
        return self._to(
            TransactionState.ONGOING,
            partitions=tuple(dict.fromkeys((*self.partitions, *added))),
            started_ms=now_ms if begins else self.started_ms,
            updated_ms=now_ms,
        )

    def fenced(self) -> TransactionMetadata:
        """Raise the epoch before a coordinator aborts the transaction, so that the old producer
        cannot end it."""
        return self._to(
            TransactionState.PREPARE_EPOCH_FENCE, epoch=self.epoch + 1, last_epoch=NO_EPOCH
        )

    def decided(
        self, committed: bool, bumps_epoch: bool, next_producer_id: int, now_ms: int
    ) -> TransactionMetadata:
        """END_TXN: the outcome is fixed from here on. With bumps_epoch the markers carry a new
        epoch, which fences requests of the old epoch that arrive later (KIP-890)."""
        # a fence has raised the epoch already
        is_fence = self.state is TransactionState.PREPARE_EPOCH_FENCE
        raises = bumps_epoch and not is_fence
        return self._to(
            TransactionState.PREPARE_COMMIT if committed else TransactionState.PREPARE_ABORT,
            epoch=self.epoch + 1 if raises else self.epoch,
            last_epoch=self.epoch if raises else self.last_epoch,
            next_producer_id=next_producer_id,
            bumps_epoch=bumps_epoch,
            updated_ms=now_ms,
        )

    def without_partitions(self, marked: tuple[Place, ...]) -> TransactionMetadata:
        """Remove the partitions whose markers are written."""
        return replace(
            self, partitions=tuple(place for place in self.partitions if place not in marked)
        )

    def completed(self, now_ms: int) -> TransactionMetadata:
        """Every partition has its marker. Where the epochs are used up the
        next transaction has another producer id."""
        committed = self.state is TransactionState.PREPARE_COMMIT
        after = self._to(
            TransactionState.COMPLETE_COMMIT if committed else TransactionState.COMPLETE_ABORT,
            partitions=(),
            updated_ms=now_ms,
        )
        if self.bumps_epoch and self.next_producer_id != NO_PRODUCER_ID:
            return replace(
                after,
                producer_id=self.next_producer_id,
                previous_producer_id=self.producer_id,
                next_producer_id=NO_PRODUCER_ID,
                epoch=0,
                last_epoch=self.epoch,
            )
        return after

    def dead(self) -> TransactionMetadata:
        """The id has expired."""
        return self._to(TransactionState.DEAD, partitions=())

    def _to(self, state: TransactionState, **changes: Any) -> TransactionMetadata:
        return replace(self, state=MOVES.step(self.state, state), **changes)
