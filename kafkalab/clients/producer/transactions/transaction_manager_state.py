"""The states of a producer's id and transaction, with the ways between them
(TransactionManager.State).

One table is enough for all versions. Until 2.3 no way led back from READY to UNINITIALIZED nor from
the end of a transaction to INITIALIZING: the client could not raise the epoch (KIP-360). Left out:
PREPARED_TRANSACTION, for two-phase commit (KIP-939).
"""

from __future__ import annotations

import enum

from kafkalab.moves import moves_of


class State(enum.Enum):
    """The states of a producer (TransactionManager.State)."""

    UNINITIALIZED = "UNINITIALIZED"
    """No producer id. Next: INITIALIZING, when initTransactions is called or an idempotent
    producer's Sender makes its first pass."""
    INITIALIZING = "INITIALIZING"
    """INIT_PRODUCER_ID is queued or under way. Next: READY with an id."""
    READY = "READY"
    """There is an id and no transaction. An idempotent producer stays here.
    Next: IN_TRANSACTION by beginTransaction."""
    IN_TRANSACTION = "IN_TRANSACTION"
    """Records are sent, offsets are added. Next: COMMITTING_TRANSACTION, ABORTING_TRANSACTION,
    or ABORTABLE_ERROR."""
    COMMITTING_TRANSACTION = "COMMITTING_TRANSACTION"
    """END_TXN follows as soon as every batch has its answer. Next: READY."""
    ABORTING_TRANSACTION = "ABORTING_TRANSACTION"
    """As committing, but batches that were not sent are dropped. Next: READY, or INITIALIZING for a
    new epoch."""
    ABORTABLE_ERROR = "ABORTABLE_ERROR"
    """The transaction cannot be committed. Next: ABORTING_TRANSACTION by abortTransaction."""
    FATAL_ERROR = "FATAL_ERROR"
    """Fenced, or another fatal error. Only close() is possible."""


_S = State
MOVES = moves_of(
    State,
    "UNINITIALIZED -> INITIALIZING FATAL_ERROR",
    "INITIALIZING -> READY ABORTABLE_ERROR FATAL_ERROR",
    "READY -> UNINITIALIZED IN_TRANSACTION FATAL_ERROR",
    "IN_TRANSACTION -> COMMITTING_TRANSACTION ABORTING_TRANSACTION ABORTABLE_ERROR FATAL_ERROR",
    "COMMITTING_TRANSACTION -> INITIALIZING READY ABORTABLE_ERROR FATAL_ERROR",
    "ABORTING_TRANSACTION -> INITIALIZING READY FATAL_ERROR",
    "ABORTABLE_ERROR -> UNINITIALIZED ABORTING_TRANSACTION ABORTABLE_ERROR FATAL_ERROR",
    "FATAL_ERROR -> FATAL_ERROR",
)
